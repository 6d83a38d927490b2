//! `demo`: the whole trial on what ships.

use crate::cli::args::DemoArgs;
use crate::cli::exit::{CliError, Exit};
use crate::cli::settings::Environment;
use crate::cli::ui::Ui;

pub(in crate::cli) fn run(_args: &DemoArgs, _: &Environment, _: Ui) -> Result<Exit, CliError> {
    Ok(Exit::Done)
}
