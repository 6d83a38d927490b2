//! Words in, words out: the only room where evidence and reading meet, and the only one that knows a terminal,
//! the environment, the clock or an exit status.
//!
//! `args` (and `plan_args`) what was typed · `settings` what it means (flag, then environment, then file, then default, resolved once) ·
//! `exit` statuses and errors with their way out · `clock` · `ui` talk on standard error · `output` data, written whole or not at all ·
//! `findings` what was found in files, on its way out · `github` what a workflow shows of that and of reports ·
//! `evidence` files → items and judgments · `endpoints` names → endpoints ·
//! `judges` names → judges · `asking` a run with its progress ·
//! `ledger` what it leaves in the store · `runs` that, for people ·
//! `limits` what a run may use · `log` what happened, for later · `forecast` what it will cost · `judging` judges asked about pairs ·
//! `stopping` until it is decided ·
//! `batches` the same by way of files · `generating` responses to items ·
//! `labelling` people label pairs · `trying` what a calibration needs · `jury` who votes · `court` what a comparison needs · `requirement` what it has to show ·
//! `background` what it is told beside verdicts ·
//! `certificates` the folder of certificates · `items` what a report drills into · `schemas` of every file · `commands` one file a command.

mod args;
mod asking;
mod background;
mod batches;
mod certificates;
mod clock;
mod commands;
mod court;
mod endpoints;
mod evidence;
mod exit;
mod findings;
mod forecast;
mod generating;
mod github;
mod interrupt;
mod items;
mod judges;
mod judging;
mod jury;
mod labelling;
mod ledger;
mod limits;
mod log;
mod manual;
mod output;
mod pace;
mod plan_args;
mod requirement;
mod runs;
mod schemas;
mod settings;
mod stopping;
mod trying;
mod ui;

use std::ffi::OsString;
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use exit::Exit;
use settings::Environment;
use ui::Ui;

/// Runs the command line and says how it ended.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => {
            // Help and version are data and go to standard output; clap knows.
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            let is_lost = printed.is_err_and(|error| error.kind() != ErrorKind::BrokenPipe);
            let status = if error.use_stderr() || is_lost { Exit::Usage } else { Exit::Done };
            return status.into();
        }
    };
    interrupt::survive_file_limits();
    let environment = Environment::read();
    let ui = Ui::new(&environment, args.quiet);
    let ended = begin_log(&args, &environment, ui).and_then(|()| dispatch(&args.command, &environment, ui));
    log::end(&ended);
    match ended {
        Ok(exit) => exit.into(),
        Err(error) => {
            ui.error(&error);
            error.exit.into()
        }
    }
}

fn begin_log(args: &Args, environment: &Environment, ui: Ui) -> Result<(), exit::CliError> {
    match (&args.log, args.log_bodies) {
        (None, false) => Ok(()),
        (None, true) => Err(exit::CliError::usage("--log-bodies says nothing by itself").hint("add --log FILE")),
        (Some(path), bodies) => {
            let bodies = if bodies { log::Bodies::Logged } else { log::Bodies::LeftOut };
            log::begin(path, bodies, &environment.command, ui)
        }
    }
}

fn dispatch(command: &Command, environment: &Environment, ui: Ui) -> Result<Exit, exit::CliError> {
    match command {
        Command::Calibrate(args) => commands::calibrate::run(args, environment, ui),
        Command::Compare(args) => commands::compare::run(args, environment, ui),
        Command::Judge(args) => commands::judge::run(args, environment, ui),
        Command::Generate(args) => commands::generate::run(args, environment, ui),
        Command::Validate(args) => commands::validate::run(args, environment, ui),
        Command::Prompt(args) => commands::prompt::run(args, environment, ui),
        Command::Runs(args) => commands::runs::run(args, environment, ui),
        Command::Gold(args) => commands::gold::run(args, environment, ui),
        Command::Plan(args) => commands::plan::run(args, environment, ui),
        Command::Schema(args) => commands::schema::run(args),
        Command::Completions(args) => commands::completions::completions(args),
        Command::Man(args) => commands::completions::man(args, ui),
        Command::Init(args) => commands::init::run(args),
        Command::Demo(args) => commands::demo::run(args, environment, ui),
    }
}
