//! Talk on standard error: warnings, errors with their way out, and the progress of long work.

use std::fmt::{Display, Write};
use std::io::Write as _;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::clock::Stopwatch;
use super::exit::CliError;
use super::log;
use super::pace::{Pace, spoken};
use super::settings::Environment;
use crate::data::Reached;
use crate::domain::Notice;
use crate::report::{visible_line, without_commands};

/// Work that takes longer is shown.
const SOON: Duration = Duration::from_secs(1);
/// A sign of life moves this often.
const BLINK: Duration = Duration::from_millis(200);

/// Where talk goes, and how loud it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ui {
    quiet: bool,
    bars: bool,
    asks: bool,
}

impl Ui {
    pub fn new(environment: &Environment, quiet: bool) -> Self {
        Self { quiet, bars: environment.bars && !quiet, asks: environment.is_interactive && !quiet }
    }

    /// Warnings and errors alone.
    pub fn silent() -> Self {
        Self { quiet: true, bars: false, asks: false }
    }

    /// Something worth knowing; silent with `--quiet`.
    pub fn note(self, text: impl Display) {
        if !self.quiet {
            say(format_args!("{}", visible_line(&text.to_string())));
        }
    }

    /// Something that may make a result mean less than it seems; never silent.
    pub fn warn(self, text: impl Display) {
        let text = text.to_string();
        log::warning(&text);
        self.say_warning(text);
    }

    /// A warning that is about the log itself.
    #[allow(clippy::unused_self, reason = "called as the other ways to speak")]
    pub fn say_warning(self, text: impl Display) {
        say(format_args!("warning: {}", visible_line(&text.to_string())));
    }

    /// The findings about a file.
    #[allow(clippy::unused_self, reason = "called as the other ways to speak")]
    pub fn notices(self, path: &str, notices: &[Notice]) {
        for notice in notices {
            let text = crate::data::located(path, notice);
            log::warning(&text);
            say(format_args!("{}", visible_line(&text)));
        }
    }

    /// Why a command failed, and the way out.
    #[allow(clippy::unused_self, reason = "called as the other ways to speak")]
    pub fn error(self, error: &CliError) {
        say(format_args!("error: {}", visible_lines(&error.message)));
        if let Some(hint) = &error.hint {
            say(format_args!("  hint: {}", visible_lines(hint)));
        }
    }

    /// Lines that are commands to the program that reads this log; what is in them is escaped for it.
    #[allow(clippy::unused_self, reason = "called as the other ways to speak")]
    pub fn commands(self, lines: &str) {
        let _ = std::io::stderr().lock().write_all(lines.as_bytes());
    }

    /// Asks a person to agree; true where there is none to ask. Anything but a yes is a no.
    pub fn agrees(self, question: &str) -> bool {
        if !self.asks {
            return true;
        }
        let mut talk = std::io::stderr().lock();
        let _ = write!(talk, "{question} [y/N] ").and_then(|()| talk.flush());
        drop(talk);
        let mut answer = String::new();
        std::io::stdin().read_line(&mut answer).is_ok() && is_yes(&answer)
    }

    /// Does `work`; where it takes longer than a second, a terminal shows what is being done and for how long. Pipes, logs and
    /// `--quiet` get nothing: unlike calls, this work ends by itself and costs nothing.
    pub fn during<T>(self, what: &str, work: impl FnOnce() -> T) -> T {
        self.while_counting(what, &Reached::default(), work)
    }

    /// The same for work that tells how far it is: percent where it is known how much there is.
    pub fn while_counting<T>(self, what: &str, reached: &Reached, work: impl FnOnce() -> T) -> T {
        if !self.bars {
            return work();
        }
        let (working, ended) = mpsc::channel::<()>();
        let (what, reached) = (visible_line(what).into_owned(), reached.clone());
        let watch = std::thread::spawn(move || {
            // An answer or a hang-up: the work has ended already.
            if ended.recv_timeout(SOON) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_elapsed(SOON);
            let style = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            loop {
                bar.set_message(format!("{what}{}", how_far(&reached)));
                bar.tick();
                if ended.recv_timeout(BLINK) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            bar.finish_and_clear();
        });
        let result = work();
        drop(working);
        // It only shows; were it to panic, the result would stand all the same.
        let _ = watch.join();
        result
    }

    /// A bar for `total` steps on a terminal, plain lines else, nothing with `--quiet`.
    pub fn progress(self, total: u64, what: &str) -> Progress {
        let what = visible_line(what);
        let bar = if self.bars {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            bar.set_style(run_style());
            bar.enable_steady_tick(BLINK);
            bar
        } else {
            ProgressBar::hidden()
        };
        bar.set_message(what.clone().into_owned());
        let pace = Arc::new(Mutex::new(Pace::new(&what, total)));
        let watch = Stopwatch::begin();
        let lines = (!self.bars && !self.quiet).then(|| Lines::begin(Arc::clone(&pace), watch));
        Progress { bar, pace, watch, lines, what: what.into_owned() }
    }
}

/// How far counted work is, behind its name.
fn how_far(reached: &Reached) -> String {
    match (reached.share(), reached.done()) {
        (Some(share), _) => format!(" · {:.0} %", (share * 100.0).floor()),
        (None, 0) => String::new(),
        (None, bytes) => format!(" · {:.1} MB", bytes as f64 / 1e6),
    }
}

/// A bar with its numbers, and the time left as soon as anything foretells it.
fn run_style() -> ProgressStyle {
    let template = "{msg} {wide_bar} {pos}/{len} · {percent} % · {rate} · {left}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    // Writing to what indicatif hands in cannot fail.
    let rate = |state: &ProgressState, out: &mut dyn Write| {
        let a_second = state.per_sec();
        let _ =
            if a_second >= 1.0 { write!(out, "{a_second:.0}/s") } else { write!(out, "{:.1}/min", a_second * 60.0) };
    };
    let left = |state: &ProgressState, out: &mut dyn Write| {
        let _ = if state.pos() == 0 { write!(out, "… left") } else { write!(out, "{} left", spoken(state.eta())) };
    };
    style.with_key("rate", rate).with_key("left", left)
}

/// A line on standard error. Where nobody listens any more, talk is lost and work goes on: a paid run must not end because
/// its log was cut off.
fn say(line: impl Display) {
    // Nor may a text in it speak to what reads the log.
    let _ = writeln!(std::io::stderr().lock(), "{}", without_commands(&line.to_string()));
}

/// Text from outside, with line ends kept and every other control character made visible.
fn visible_lines(text: &str) -> String {
    text.lines().map(visible_line).collect::<Vec<_>>().join("\n")
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// The progress of one run.
pub(super) struct Progress {
    bar: ProgressBar,
    pace: Arc<Mutex<Pace>>,
    watch: Stopwatch,
    lines: Option<Lines>,
    what: String,
}

impl Progress {
    /// So many steps further; `spent` is shown behind the name where it is known.
    pub fn step(&mut self, steps: u64, spent: Option<f64>) {
        self.bar.inc(steps);
        let mut pace = of(&self.pace);
        let spent = spent.filter(|dollars| *dollars > 0.0).map_or_else(String::new, |sum| format!(" · ${sum:.4}"));
        self.bar.set_message(format!("{}{spent}{}", self.what, pace.failures()));
        // A line at each tenth, so that a log shows that something moves.
        if let Some(line) = pace.step(steps, self.watch.elapsed()).filter(|_| self.lines.is_some()) {
            say(line);
        }
    }

    /// One step further that came to nothing.
    pub fn fail(&mut self, spent: Option<f64>) {
        of(&self.pace).failed();
        self.step(1, spent);
    }

    /// A line above the bar.
    pub fn say(&self, text: &str) {
        let text = visible_line(text);
        if self.bar.is_hidden() {
            say(format_args!("{text}"));
        } else {
            self.bar.suspend(|| say(format_args!("{text}")));
        }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Some(lines) = self.lines {
            lines.end();
        }
        self.bar.finish_and_clear();
    }
}

/// Every state of it is whole; a panic elsewhere does not spoil it.
fn of(pace: &Mutex<Pace>) -> MutexGuard<'_, Pace> {
    pace.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says how far a run is when nothing else has said so for a while.
struct Lines {
    working: mpsc::Sender<()>,
    watch: JoinHandle<()>,
}

impl Lines {
    fn begin(pace: Arc<Mutex<Pace>>, watch: Stopwatch) -> Self {
        let (working, ended) = mpsc::channel::<()>();
        let watch = std::thread::spawn(move || {
            loop {
                let Some(due) = of(&pace).due() else { return };
                if ended.recv_timeout(due.saturating_sub(watch.elapsed())) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                // Said with the lock held, so that no tenth overtakes it.
                let mut pace = of(&pace);
                if let Some(line) = pace.tick(watch.elapsed()) {
                    say(line);
                }
            }
        });
        Self { working, watch }
    }

    fn end(self) {
        drop(self.working);
        // It only talks; were it to panic, the run would stand all the same.
        let _ = self.watch.join();
    }
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn only_a_yes_is_a_yes() {
        assert!(["y\n", "YES\r\n", " yes "].into_iter().all(is_yes));
        assert!(!["", "\n", "n", "yep", "no"].into_iter().any(is_yes));
    }
}
