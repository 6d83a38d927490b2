//! `schema`: the JSON Schema of a file, or the names of all.

use std::fmt::Write as _;

use crate::cli::args::SchemaArgs;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::print;
use crate::cli::schemas::SCHEMAS;
use crate::domain::did_you_mean;

pub(in crate::cli) fn run(args: &SchemaArgs) -> Result<Exit, CliError> {
    let Some(name) = &args.name else {
        let mut text = String::new();
        for schema in SCHEMAS {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{:<14} {}", schema.name, schema.title());
        }
        return print(&text).map(|()| Exit::Done);
    };
    let Some(schema) = SCHEMAS.iter().find(|schema| schema.name == name) else {
        let near = did_you_mean(name, SCHEMAS.iter().map(|schema| schema.name));
        return Err(CliError::usage(format!("there is no schema `{name}`{near}")).hint("`tribunal schema` lists them"));
    };
    print(schema.text).map(|()| Exit::Done)
}
