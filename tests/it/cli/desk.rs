//! A folder to work in, and a judge that can be asked from it.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::scripted::{Scripted, Seen, Step};

/// The fixed date of every run that sets no other.
pub const EPOCH: &str = "1790000000";

/// A temporary folder in which the program runs, with nothing in its environment but what the test puts there.
pub struct Desk {
    folder: TempDir,
}

/// How a run ended.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Desk {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[allow(clippy::disallowed_methods, reason = "a test lays out its files")]
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The names of the files in a folder, sorted; none where there is no folder.
    pub fn files(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.path(folder)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The program with the words of `line`, ready to run.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        command.args(line.split_whitespace()).current_dir(self.folder.path()).env_clear();
        command.env("SOURCE_DATE_EPOCH", EPOCH).stdin(Stdio::null());
        command
    }

    pub fn run(&self, line: &str) -> Run {
        self.command(line).output().unwrap().into()
    }

    pub fn run_with(&self, line: &str, environment: &[(&str, &str)]) -> Run {
        self.command(line).envs(environment.iter().copied()).output().unwrap().into()
    }

    pub fn spawn(&self, line: &str) -> Child {
        self.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// Standard output as JSON, after the status was checked.
    pub fn json(&self, status: i32) -> Value {
        assert_eq!(self.status, status, "{}", self.stderr);
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// Fails unless the run ended so, and everything of `words` was said on standard error.
    pub fn ends(&self, status: i32, words: &[&str]) -> &Self {
        assert_eq!(self.status, status, "{}\n{}", self.stderr, self.stdout);
        for word in words {
            assert!(self.stderr.contains(word), "no `{word}` in: {}", self.stderr);
        }
        self
    }
}

/// Waits until something holds; a test that waits needs an end.
pub fn within_20_s(mut holds: impl FnMut() -> bool) {
    #[allow(clippy::disallowed_methods, reason = "only how long is measured")]
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "it did not come to hold");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A server on loopback that runs as long as this value lives.
pub struct Server {
    scripted: Scripted,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Server {
    pub fn start(answer: impl Fn(usize, &Value) -> Step + Send + Sync + 'static) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let scripted = runtime.block_on(Scripted::answering(answer));
        Self { scripted, runtime: Some(runtime) }
    }

    /// Judges [`gold`] without an error.
    pub fn knowing() -> Self {
        Self::start(|_, body| knows(body))
    }

    pub fn asked(&self) -> usize {
        self.scripted.asked()
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.scripted.seen()
    }

    pub fn root(&self) -> &str {
        &self.scripted.root
    }

    /// The judge as it is typed.
    pub fn judge(&self) -> String {
        format!("{}/v1#mini", self.scripted.root)
    }

    /// Waits until so many requests have come.
    pub fn wait_for(&self, requests: usize) {
        within_20_s(|| self.asked() >= requests);
    }

    /// Closes the door: what is open breaks, and nobody answers any more.
    pub fn stop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The answer of a judge that knows which response of [`gold`] is right.
pub fn knows(body: &Value) -> Step {
    let text = body["messages"].to_string();
    Step::good(match (text.find("RIGHT-7"), text.find("WRONG-7")) {
        (Some(right), Some(wrong)) if right < wrong => "Reasons.\n[[A]]",
        (Some(_), Some(_)) => "Reasons.\n[[B]]",
        _ => "Reasons.\n[[C]]",
    })
}

/// 30 gold pairs: 13 a, 13 b, 4 ties; of the decisive ones the better response is the longer in half.
pub fn gold() -> String {
    let mut text = String::new();
    for n in 0..30 {
        let filler = if n % 4 < 2 { " with more words than needed" } else { "" };
        let right = format!("RIGHT-7 answer {n}{filler}");
        let wrong = format!("WRONG-7 answer {n}{}", if filler.is_empty() { " with more words" } else { "" });
        let (a, b, gold) = match n {
            26.. => (format!("RIGHT-7 one {n}"), format!("RIGHT-7 two {n}"), "tie"),
            _ if n % 2 == 0 => (right, wrong, "a"),
            _ => (wrong, right, "b"),
        };
        let lang = if n % 3 == 0 { "ja" } else { "en" };
        let item = json!({"id": format!("q{n:02}"), "prompt": format!("question {n}?"), "response_a": a, "response_b": b,
            "gold": gold, "lang": lang, "category": "made-up"});
        let _ = writeln!(text, "{item}");
    }
    text
}

/// The same items without their labels.
pub fn pairs() -> String {
    gold()
        .lines()
        .map(|line| {
            let mut item: Value = serde_json::from_str(line).unwrap();
            item.as_object_mut().unwrap().remove("gold");
            format!("{item}\n")
        })
        .collect()
}
