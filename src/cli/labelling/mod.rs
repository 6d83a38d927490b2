//! `gold label` and `gold export`: people label pairs, blinded, and the labels become gold.
//!
//! `args` what can be typed · `draw` what chance decides · `session` the state machine of keys · `file` the labels on disk,
//! `kept` what it held · `sitting` all of it put together · `screen` a pair as lines, `words` what stands around it · `lines` and `terminal` the two ways keys come in,
//! `keys` those of a terminal · `export` pairs and labels as gold.
//!
//! An annotator never sees who wrote what (systems, ids, categories), nor what others said of a pair.

pub(super) mod args;
mod draw;
pub(super) mod export;
mod file;
mod kept;
mod keys;
mod lines;
mod screen;
mod session;
mod sitting;
mod terminal;
mod words;

use std::ffi::OsStr;
use std::path::Path;

use args::LabelArgs;
use sitting::Sitting;
use words::Words;

use super::args::LangArg;
use super::clock::Clock;
use super::exit::{CliError, Exit};
use super::output::print;
use super::settings::{Environment, quoted};
use super::ui::Ui;
use crate::report::{Colour, Lang};

/// How a sitting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// Every pair has a label.
    Done,
    /// Some have none yet.
    Left,
    /// It was broken off.
    Interrupted,
}

fn ending(sitting: &Sitting) -> Ending {
    let counts = sitting.counts();
    if counts.labelled == counts.all { Ending::Done } else { Ending::Left }
}

/// `gold label`.
pub(super) fn label(args: &LabelArgs, environment: &Environment, ui: Ui) -> Result<Exit, CliError> {
    let words = Words::of(match args.lang {
        LangArg::En => Lang::En,
        LangArg::Ja => Lang::Ja,
    });
    let clock = Clock::new(environment.source_date_epoch.as_deref())?;
    let (mut sitting, path) = Sitting::open(args, environment.user.as_deref(), clock, ui)?;
    // A terminal that knows no escape sequences has lines.
    let has_screen = environment.stdin_is_terminal && environment.stdout_is_terminal && !environment.terminal_is_dumb;
    let ended = if has_screen && !args.lines {
        let colour = if environment.colour { Colour::On } else { Colour::Off };
        terminal::run(&mut sitting, words, colour)
    } else {
        lines::run(&mut sitting, words)
    };
    let counts = sitting.counts();
    let said = words.agreement(&sitting.agreement()).join("\n");
    sitting.close();
    let ended = ended?;
    // Who was cut off may have no terminal left to read it.
    let printed = print(&format!("{}\n{said}\n", words.progress(counts)));
    if ended != Ending::Interrupted {
        printed?;
    }
    if counts.labelled > 0 {
        let path = path.to_string_lossy();
        ui.note(format!("{}: {path}", words.labels));
        let mut command = vec!["gold", "export", &args.file];
        if args.out.is_some() {
            command.extend(["--labels", &path]);
        }
        command.extend(["--out", gold_name(&args.file, &path)]);
        ui.note(format!("{}: tribunal {}", words.as_gold, quoted(command.into_iter())));
    }
    Ok(match ended {
        Ending::Done => Exit::Done,
        Ending::Left => Exit::Incomplete,
        Ending::Interrupted => Exit::Interrupted,
    })
}

/// A name for the gold that is neither that of the pairs nor that of the labels.
fn gold_name(pairs: &str, labels: &str) -> &'static str {
    let is_taken =
        |name: &str| [pairs, labels].iter().any(|path| Path::new(path).file_name() == Some(OsStr::new(name)));
    let names = ["gold.jsonl", "gold.labelled.jsonl", "gold.labelled.2.jsonl"];
    names.into_iter().find(|name| !is_taken(name)).unwrap_or(names[0])
}
