//! Words that a shell completes where other words are welcome too, or where the command itself has more to say of a wrong one.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};

use crate::cli::schemas::SCHEMAS;
use crate::data::Kind;
use crate::prompt::{Contract, EMBEDDED};

/// Takes any text, and tells a shell the words it may be.
#[derive(Clone)]
pub(in crate::cli) struct Known(fn() -> Vec<&'static str>);

impl TypedValueParser for Known {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}

/// The prompts that ship, beside files.
pub(in crate::cli) fn prompts() -> Known {
    Known(|| EMBEDDED.to_vec())
}

/// The schemas.
pub(super) fn schemas() -> Known {
    Known(|| SCHEMAS.iter().map(|schema| schema.name).collect())
}

/// The kinds of files.
pub(super) fn kinds() -> Known {
    Known(|| Kind::ALL.map(Kind::as_str).to_vec())
}

/// The contracts of prompts.
pub(super) fn contracts() -> Known {
    Known(|| Contract::ALL.map(Contract::as_str).to_vec())
}

/// Every item, beside numbers.
pub(super) fn all() -> Known {
    Known(|| vec!["all"])
}

/// The newest run, beside numbers.
pub(in crate::cli) fn last() -> Known {
    Known(|| vec!["last"])
}
