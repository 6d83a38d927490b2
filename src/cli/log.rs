//! The log of a run, for those who look at it later: one JSON object a line, appended to a file as things happen.
//!
//! Every line is one write to the file, so whatever ends the process loses at most the line that is being written. What
//! was asked and answered is logged only where that is wanted; keys are masked before a text gets here.

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::Level;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;

use super::exit::{CliError, Exit};
use super::ui::Ui;
use crate::report::inert_json;
use crate::runner::{Asked, Call, Forecast, RunEvent, RunOutcome};

/// Whether texts of requests and answers are logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bodies {
    Logged,
    LeftOut,
}

/// How every line of a log begins.
const LOG_HEAD: &[u8] = b"{\"timestamp\":\"";

/// Begins the log with the line `start`. From here on everything that this process does is appended to it.
///
/// # Errors
/// A file that cannot be made or written: nothing has been asked then.
pub(super) fn begin(path: &Path, bodies: Bodies, command: &str, ui: Ui) -> Result<(), CliError> {
    let bad = |error: &io::Error| {
        CliError::usage(format!("the log {} cannot be written: {error}", path.display()))
            .hint("choose another place for --log, or leave it out")
    };
    let file = open(path).map_err(|error| bad(&error))?;
    let sink = Arc::new(Sink { path: path.to_path_buf(), ui, state: Mutex::new(State { file, trouble: None }) });
    let level = if bodies == Bodies::Logged { Level::DEBUG } else { Level::INFO };
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_target(false)
        .log_internal_errors(false)
        .with_writer(Arc::clone(&sink))
        // Other libraries of this process speak through the same channel, and not to our readers.
        .with_filter(Targets::new().with_target("tribunal", level));
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(lines))
        .map_err(|_| CliError::usage("this process writes a log already").hint("leave --log out"))?;
    tracing::info!(event = "start", version = env!("CARGO_PKG_VERSION"), command, process = std::process::id());
    // A log that cannot take its first line will not take the others: better to know before anything is paid for.
    match &sink.state().trouble {
        Some(error) => Err(bad(error)),
        None => Ok(()),
    }
}

/// Opens a file at its end, on a line of its own: a process that was killed may have left half a line.
/// Only a log is gone on with: lines in the middle of somebody's data would be its end.
fn open(path: &Path) -> io::Result<File> {
    if let Ok(mut there) = File::open(path)
        && there.metadata()?.is_file()
    {
        let mut head = [0; LOG_HEAD.len()];
        let read = there.read(&mut head)?;
        if read > 0 && head[..read] != LOG_HEAD[..read] {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it is there and is no log of this program"));
        }
    }
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    if std::fs::metadata(path)?.is_file() && ends_within_a_line(path)? {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

fn ends_within_a_line(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// Takes finished lines.
struct Sink {
    path: PathBuf,
    ui: Ui,
    state: Mutex<State>,
}

struct State {
    file: File,
    /// What went wrong with the line before.
    trouble: Option<io::Error>,
}

impl Sink {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        // The state is whole at every moment; a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for &Sink {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        // JSON leaves some characters as they are that a terminal obeys.
        let text = inert_json(&text);
        let mut state = self.state();
        let before = state.trouble.take();
        let text = if before.is_some() { Cow::Owned(format!("\n{text}")) } else { text };
        let written = state.file.write_all(text.as_bytes());
        state.trouble = written.err();
        // The work goes on without its log, which is no part of the result; but not in silence.
        if let (None, Some(error)) = (before, &state.trouble) {
            let (path, error) = (self.path.display().to_string(), error.to_string());
            drop(state);
            self.ui.say_warning(format!("the log {path} cannot be written: {error}; lines are lacking in it"));
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The settings file in force.
pub(super) fn settings(path: &Path) {
    tracing::info!(event = "settings", file = %path.display());
}

/// What calls will cost, a line for each judge.
pub(super) fn forecast(forecasts: &[Forecast]) {
    for one in forecasts {
        tracing::info!(
            event = "forecast",
            judge = one.judge.as_str(),
            calls = one.calls,
            input_tokens = one.input_tokens,
            output_most = one.output_most,
            output_expected = one.output_expected,
            usd_most = one.usd_most,
            usd_expected = one.usd_expected,
            on_this_machine = one.terms.is_local,
        );
    }
}

/// What happens in a run. What the store answers is a number of the plan and no event here, nor is what costs nothing to
/// ask again on this machine.
pub(super) fn run_event(event: &RunEvent<'_>) {
    let millis = |wait: &std::time::Duration| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
    match event {
        RunEvent::Planned(judges) => {
            for plan in judges {
                tracing::info!(
                    event = "plan",
                    judge = plan.judge.as_str(),
                    planned = plan.planned,
                    local = plan.local,
                    cached = plan.cached,
                    shared = plan.shared,
                    to_ask = plan.to_ask,
                    not_applicable = plan.not_applicable,
                );
            }
        }
        RunEvent::Called(call) => called(call),
        RunEvent::Retrying { asked, failures, wait, why } => {
            let Asked { judge, item, order, repeat } = asked;
            let (judge, item, order) = (judge.as_str(), item.as_str(), order.as_str());
            let wait_ms = millis(wait);
            tracing::warn!(event = "retry", judge, item, order, repeat, failures, wait_ms, why);
        }
        RunEvent::Paused { judge, wait, why } => {
            tracing::warn!(event = "pause", judge = judge.as_str(), wait_ms = millis(wait), why);
        }
        RunEvent::Failed { asked, why } => {
            let Asked { judge, item, order, repeat } = asked;
            let (judge, item, order) = (judge.as_str(), item.as_str(), order.as_str());
            tracing::warn!(event = "failed", judge, item, order, repeat, why);
        }
        RunEvent::BatchSaved { records } => tracing::info!(event = "saved", records),
        RunEvent::Noticed(notice) => tracing::warn!(event = "store", text = notice.text),
        RunEvent::Stopped { in_flight } => tracing::warn!(event = "stopping", in_flight),
        RunEvent::Answered { .. } | RunEvent::Cached(_) | RunEvent::Done => {}
    }
}

fn called(call: &Call<'_>) {
    let Asked { judge, item, order, repeat } = &call.asked;
    tracing::info!(
        event = "call",
        judge = judge.as_str(),
        item = item.as_str(),
        order = order.as_str(),
        repeat,
        attempt = call.attempt,
        key = call.key.0.short(),
        status = call.status,
        latency_ms = u64::try_from(call.latency.as_millis()).unwrap_or(u64::MAX),
        input_tokens = call.usage.input_tokens,
        output_tokens = call.usage.output_tokens,
        cost_usd = call.cost_usd,
        error = call.error.as_deref(),
    );
}

/// What a run came to.
pub(super) fn outcome(outcome: &RunOutcome) {
    for judge in &outcome.by_judge {
        tracing::info!(
            event = "judge",
            judge = judge.judge.as_str(),
            made = judge.calls.made,
            cached = judge.calls.cached,
            retried = judge.calls.retried,
            failed = judge.calls.failed,
            input_tokens = judge.usage.input_tokens,
            output_tokens = judge.usage.output_tokens,
            cost_usd = judge.cost_usd,
        );
    }
    if let Some(incomplete) = &outcome.incomplete {
        tracing::warn!(event = "incomplete", why = %incomplete);
    }
}

/// A warning as it was said to the user.
pub(super) fn warning(text: &str) {
    tracing::warn!(event = "warning", text);
}

/// Last line: how the command ended.
pub(super) fn end(ended: &Result<Exit, CliError>) {
    match ended {
        Ok(exit) => tracing::info!(event = "end", status = exit.number()),
        Err(CliError { exit, message, hint }) => {
            tracing::error!(event = "end", status = exit.number(), error = message, hint = hint.as_deref());
        }
    }
}
