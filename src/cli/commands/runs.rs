//! `runs`: what was asked before, and the answers behind it.

use crate::cli::clock::Clock;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::{Existing, file_of};
use crate::cli::runs::args::{RunsArgs, RunsCommand};
use crate::cli::runs::{export, import, list, reparse, show, upkeep};
use crate::cli::settings::Environment;
use crate::cli::ui::Ui;

pub(in crate::cli) fn run(args: &RunsArgs, environment: &Environment, ui: Ui) -> Result<Exit, CliError> {
    let store = args.store.as_path();
    let clock = Clock::new(environment.source_date_epoch.as_deref())?;
    match &args.command {
        RunsCommand::List { format } => list::run(store, *format, ui),
        RunsCommand::Show { run, format } => show::run(store, *run, *format, ui),
        RunsCommand::Verify { format } => upkeep::verify(store, *format, ui),
        RunsCommand::Export { run, verdicts, out, force } => {
            let form = if *verdicts { export::Form::Verdicts } else { export::Form::Completions };
            let out = file_of(out.as_deref());
            let target = out.map(|path| export::Target { path, existing: Existing::by_force(*force) });
            export::run(store, *run, form, target, ui)
        }
        RunsCommand::Import { files } => import::run(store, files, clock, ui),
        RunsCommand::Reparse { run, all, write, format } => {
            let which = if *all { reparse::Which::All } else { reparse::Which::One(*run) };
            let then = if *write { reparse::Then::Write(clock) } else { reparse::Then::Show };
            reparse::run(store, which, then, *format, ui)
        }
        RunsCommand::Compact => upkeep::compact(store, ui),
    }
}
