//! `gold lint`: findings about a gold set.

use crate::cli::args::GoldArgs;
use crate::cli::exit::{CliError, Exit};
use crate::cli::settings::Environment;
use crate::cli::ui::Ui;

pub(in crate::cli) fn run(_args: &GoldArgs, _: &Environment, _: Ui) -> Result<Exit, CliError> {
    Ok(Exit::Done)
}
