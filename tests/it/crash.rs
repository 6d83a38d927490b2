//! Runs that are killed at any moment, again and again: what was acknowledged stays, and little is asked twice.
//!
//! A campaign is a number of kills. It goes round by round: a round begins with an empty folder and starts the same command
//! until it comes to its end. `TRIBUNAL_KILLS` sets the kills of each campaign; CONTRIBUTING.md has the command for 200.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "a test that kills by the clock needs one, and is told how often to")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tribunal::runner::RunOptions;

use crate::cli::{Desk, Run, Server, knows};
use crate::scripted::Step;

const PAIRS: usize = 60;
const QUESTIONS: usize = 2 * PAIRS;
const CONCURRENCY: usize = 4;
/// No answer comes sooner.
const DELAY: Duration = Duration::from_millis(20);
const SEED: u64 = 20_260_731;
const JUDGE: &str = "judge --pairs gold.jsonl --judge mini --concurrency 4 --out verdicts.jsonl --force --format json";
const KILL: i32 = 9;
const INTERRUPT: i32 = 2;

/// Kills of one campaign.
fn kills() -> usize {
    std::env::var("TRIBUNAL_KILLS").map_or(10, |text| text.parse().expect("TRIBUNAL_KILLS is a number of kills"))
}

/// The most questions that one kill can make a run ask again where the disk takes no time: the calls in flight, and the
/// answers of one batch that was not saved yet. A batch is open for `batch_delay`; meanwhile each lane of calls brings an
/// answer at once and another after every `DELAY`; behind its end one more answer can be taken before it is saved. While a
/// slow disk takes a batch, the next one gathers, so this holds for kills of a run that asks on average and not for each.
fn most_lost() -> usize {
    let timestamp = String::new;
    let open = RunOptions::new(&timestamp).batch_delay.as_millis() / DELAY.as_millis();
    CONCURRENCY + CONCURRENCY * (usize::try_from(open).unwrap() + 1) + 1
}

/// Right in most, wrong in some, without a verdict in a few: every figure has something to say.
fn answer(body: &Value) -> Step {
    let text = body["messages"].to_string();
    let step = if text.contains("question 7?") { Step::good("Both have their merits.") } else { knows(body) };
    let more = Duration::from_millis(text.len() as u64 % 11);
    Step { delay: DELAY + more, ..step }
}

fn gold() -> String {
    let mut text = String::new();
    for n in 0..PAIRS {
        let (right, wrong) = (format!("RIGHT-7 answer {n}"), format!("WRONG-7 answer, {n} words"));
        let (a, b, said) = if n % 2 == 0 { (right, wrong, "a") } else { (wrong, right, "b") };
        let label = if n % 9 == 0 { "tie" } else { said };
        let item = json!({"id": format!("q{n:02}"), "prompt": format!("question {n}?"), "response_a": a, "response_b": b,
            "gold": label, "lang": "en", "category": if n % 3 == 0 { "one" } else { "two" }});
        let _ = writeln!(text, "{item}");
    }
    text
}

/// Numbers from a seed (`SplitMix64`).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Uniform from nothing to `most`.
    fn up_to(&mut self, most: Duration) -> Duration {
        most.mul_f64((self.next() >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

/// A folder with the pairs, and a server of its own; where it listens is no part of any answer.
struct Bench {
    desk: Desk,
    server: Server,
}

impl Bench {
    fn new() -> Self {
        let (desk, server) = (Desk::new(), Server::start(|_, body| answer(body)));
        desk.write("gold.jsonl", &gold());
        let root = server.root();
        // The key tells the server which run asks: a request of a killed run may arrive when the next has begun.
        let settings = "provider = \"openai-compatible\"\nmodel = \"mini\"\napi_key_env = \"RUN\"";
        desk.write("tribunal.toml", &format!("[judges.mini]\n{settings}\nbase_url = \"{root}/v1\"\n"));
        Self { desk, server }
    }

    fn spawn(&self, number: usize) -> Child {
        let mut command = self.desk.command(JUDGE);
        command.env("RUN", key(number)).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    }

    /// The whole lines of the journal: what a run has acknowledged.
    fn journal(&self) -> Journal {
        let mut journal = Journal::default();
        for name in
            self.desk.files(".tribunal/journal").iter().filter(|name| name.split_once('.').unwrap().1 == "jsonl")
        {
            let text = self.desk.read(&format!(".tribunal/journal/{name}"));
            let end = text.rfind('\n').map_or(0, |at| at + 1);
            journal.is_torn |= end < text.len();
            for line in text[..end].lines() {
                let record: Value = serde_json::from_str(line).unwrap();
                assert!(journal.bodies.insert(record["body"].to_string()), "a question has two lines: {line}");
            }
            journal.whole += &text[..end];
        }
        journal
    }

    /// What each run asked, and how often.
    fn asked(&self) -> BTreeMap<String, BTreeMap<String, usize>> {
        let mut asked: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        for seen in self.server.seen() {
            *asked.entry(seen.authorization.unwrap()).or_default().entry(seen.body.to_string()).or_default() += 1;
        }
        asked
    }

    /// The file of verdicts without the time that each call took.
    fn verdicts(&self) -> String {
        let text = self.desk.read("verdicts.jsonl");
        let lines = text.lines().map(|line| {
            let mut verdict: Value = serde_json::from_str(line).unwrap();
            assert!(verdict.as_object_mut().unwrap().remove("latency_ms").unwrap().is_u64());
            format!("{verdict}\n")
        });
        lines.collect()
    }

    /// Everything that is made of the verdicts, byte for byte; of the run itself all but what it asked and spent.
    fn results(&self, run: &Run) -> Results {
        let mut report = run.json(0);
        let result = report["result"].as_object_mut().unwrap();
        let judges = result["judges"].as_array_mut().unwrap().iter_mut().map(|judge| judge.as_object_mut().unwrap());
        let without = |part: &mut serde_json::Map<String, Value>| {
            for spent in ["calls", "usage", "cost_usd"] {
                part.remove(spent).unwrap();
            }
        };
        judges.for_each(&without);
        without(result);
        self.desk.write("untimed.jsonl", &self.verdicts());
        let made = |line: &str| {
            let run = self.desk.run(&format!("{line} --verdicts untimed.jsonl --resamples 200 --format json"));
            assert!(!run.stdout.is_empty(), "{}", run.stderr);
            run.stdout
        };
        Results {
            report: report.to_string(),
            verdicts: self.verdicts(),
            trial: made("calibrate --gold gold.jsonl"),
            comparison: made("compare"),
        }
    }
}

fn key(number: usize) -> String {
    format!("the-key-of-run-{number:04}")
}

struct Results {
    report: String,
    verdicts: String,
    trial: String,
    comparison: String,
}

#[derive(Debug, Clone, Default)]
struct Journal {
    whole: String,
    bodies: BTreeSet<String>,
    is_torn: bool,
}

/// An uninterrupted run: what comes of it, and how long its parts take.
struct Model {
    results: Results,
    /// From its start to its first question.
    opening: Duration,
    /// From there to its last.
    asking: Duration,
    /// From there to its end.
    ending: Duration,
}

impl Model {
    fn new() -> Self {
        let bench = Bench::new();
        let start = Instant::now();
        let mut child = bench.spawn(0);
        let mut reached = |questions| {
            while bench.server.asked() < questions && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            start.elapsed()
        };
        let (first, last) = (reached(1), reached(QUESTIONS));
        let run: Run = child.wait_with_output().unwrap().into();
        let end = start.elapsed();
        let results = bench.results(&run);
        assert_eq!(bench.server.asked(), QUESTIONS);
        Self { results, opening: first, asking: last.saturating_sub(first), ending: end.saturating_sub(last) }
    }
}

/// When to kill.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// So long after the start.
    At(Duration),
    /// So long after the server was asked so much in this round.
    Asked(usize, Duration),
    Never,
}

/// One start of the command, as it was seen from outside.
struct Start {
    key: String,
    before: Journal,
    after: Journal,
    ended: ExitStatus,
}

/// What kills hit.
#[derive(Debug, Default)]
struct Hits {
    rounds: usize,
    starts: usize,
    before_the_first_question: usize,
    while_asking: usize,
    after_the_last_answer: usize,
    with_nothing_left_to_ask: usize,
    torn_lines: usize,
    asked_again: usize,
    most_asked_again: usize,
}

struct Campaign {
    signal: i32,
    model: Model,
    draws: Draws,
    kills_left: usize,
    hits: Hits,
}

impl Campaign {
    fn new(signal: i32) -> Self {
        let model = Model::new();
        let draws = Draws(SEED + u64::from(signal.unsigned_abs()));
        Self { signal, model, draws, kills_left: kills(), hits: Hits::default() }
    }

    fn run(mut self) -> Hits {
        while self.kills_left > 0 {
            self.round();
        }
        self.hits
    }

    /// By turns: at any time of what is left of the run, while it opens, around a save, while it ends.
    fn moment(&mut self, asked: usize, left: usize) -> Moment {
        let Model { opening, asking, ending, .. } = self.model;
        let rest = asking.mul_f64(left as f64 / QUESTIONS as f64);
        match self.hits.starts % 4 {
            _ if self.kills_left == 0 => Moment::Never,
            _ if left == 0 && self.draws.next().is_multiple_of(2) => Moment::Never,
            1 => Moment::At(self.draws.up_to(opening)),
            2 if left > 0 => {
                let questions = usize::try_from(self.draws.next() % left as u64).unwrap() + 1;
                Moment::Asked(asked + questions, self.draws.up_to(3 * DELAY))
            }
            3 if left > 0 => Moment::Asked(asked + left, self.draws.up_to(ending)),
            _ => Moment::At(self.draws.up_to(opening + rest + ending)),
        }
    }

    fn round(&mut self) {
        let bench = Bench::new();
        let mut starts: Vec<Start> = Vec::new();
        let last = loop {
            let before = starts.last().map_or_else(Journal::default, |start| start.after.clone());
            let left = QUESTIONS - before.bodies.len();
            let moment = self.moment(bench.server.asked(), left);
            self.hits.starts += 1;
            let mut child = bench.spawn(starts.len());
            let is_sent = is_still_there(&mut child, moment, &bench.server);
            if is_sent {
                send(&mut child, self.signal);
            }
            let output = child.wait_with_output().unwrap();
            let (ended, after) = (output.status, bench.journal());
            assert!(after.whole.starts_with(&before.whole), "a line was acknowledged and is gone");
            assert!(
                !bench.desk.has("verdicts.jsonl") || bench.verdicts() == self.model.results.verdicts,
                "half a file"
            );
            starts.push(Start { key: format!("Bearer {}", key(starts.len())), before, after, ended });
            // A run that has its answers finishes whatever it is asked to do, but for a kill.
            self.kills_left -= usize::from(is_sent && !(ended.success() && self.signal == KILL));
            if ended.success() {
                break output.into();
            }
            let is_expected = ended.signal() == Some(self.signal) || ended.code() == Some(128 + self.signal);
            assert!(is_expected, "{ended}: {}", Run::from(output).stderr);
        };
        self.hits.rounds += 1;
        self.examine(&bench, &starts, &last);
    }

    fn examine(&mut self, bench: &Bench, starts: &[Start], last: &Run) {
        let asked = bench.asked();
        let none = BTreeMap::new();
        for start in starts {
            let own = asked.get(&start.key).unwrap_or(&none);
            self.hits.see(start, own);
        }
        let end = starts.last().unwrap();
        assert_eq!(end.after.bodies.len(), QUESTIONS, "every question has its answer");
        let calls = json!({"made": asked.get(&end.key).map_or(0, BTreeMap::len), "cached": end.before.bodies.len(), "retried": 0});
        assert_eq!(last.json(0)["result"]["calls"], calls);
        let results = bench.results(last);
        let Results { report, verdicts, trial, comparison } = &self.model.results;
        assert_eq!(&results.report, report);
        assert_eq!(&results.verdicts, verdicts);
        assert_eq!(&results.trial, trial);
        assert_eq!(&results.comparison, comparison);
        bench.desk.run("runs verify").ends(0, &[]);
        ledger(bench, starts, self.signal);
    }
}

impl Hits {
    /// One start: what it asked (by body, how often) beside what the journal had before and after it.
    fn see(&mut self, start: &Start, asked: &BTreeMap<String, usize>) {
        let twice = asked.iter().find(|(_, times)| **times > 1);
        assert_eq!(twice, None, "one run asks nothing twice");
        let known = asked.keys().find(|body| start.before.bodies.contains(*body));
        assert_eq!(known, None, "what was acknowledged is not asked again");
        let lost = asked.keys().filter(|body| !start.after.bodies.contains(*body)).count();
        assert!(lost == 0 || start.ended.signal() == Some(KILL), "{lost} answers lost without a kill");
        self.asked_again += lost;
        self.most_asked_again = self.most_asked_again.max(lost);
        if start.ended.success() {
            return;
        }
        self.torn_lines += usize::from(start.after.is_torn);
        if start.before.bodies.len() == QUESTIONS {
            self.with_nothing_left_to_ask += 1;
        } else if asked.is_empty() {
            self.before_the_first_question += 1;
        } else if start.after.bodies.len() < QUESTIONS {
            self.while_asking += 1;
        } else {
            self.after_the_last_answer += 1;
        }
    }
}

/// The list of runs tells of every start that asked: killed or interrupted, and the last one done.
fn ledger(bench: &Bench, starts: &[Start], signal: i32) {
    let list = bench.desk.run("runs list --format json").json(0);
    let runs: Vec<&str> =
        list["result"]["runs"].as_array().unwrap().iter().map(|run| run["status"].as_str().unwrap()).collect();
    let (last, before) = runs.split_last().unwrap();
    assert_eq!(*last, "done", "{runs:?}");
    let cut_short = if signal == KILL { "interrupted (killed)" } else { "interrupted" };
    let whole = starts[..starts.len() - 1].iter().filter(|start| start.after.bodies.len() == QUESTIONS).count();
    let done = before.iter().filter(|status| **status == "done").count();
    assert!(done <= whole, "{done} runs are done before the last, {whole} had all answers: {runs:?}");
    assert!(before.iter().all(|status| [cut_short, "interrupted (killed)", "done"].contains(status)), "{runs:?}");
    let asking = starts.iter().filter(|start| start.after.bodies.len() > start.before.bodies.len()).count();
    assert!((asking..=starts.len()).contains(&runs.len()), "{runs:?}");
}

/// Waits for the moment; false where the run came to its end before.
fn is_still_there(child: &mut Child, moment: Moment, server: &Server) -> bool {
    let start = Instant::now();
    let mut reached = None;
    loop {
        let now = start.elapsed();
        let is_now = match moment {
            Moment::Never => false,
            Moment::At(at) => now >= at,
            Moment::Asked(questions, later) => {
                reached = reached.or_else(|| (server.asked() >= questions).then_some(now + later));
                reached.is_some_and(|at| now >= at)
            }
        };
        if is_now || child.try_wait().unwrap().is_some() {
            return is_now;
        }
        assert!(now < Duration::from_mins(2), "the run does not end");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// A child that is gone but not waited for can be signalled without harm.
fn send(child: &mut Child, signal: i32) {
    if signal == KILL {
        // Sooner there than a process that sends it.
        return child.kill().unwrap();
    }
    let words = [format!("-{signal}"), child.id().to_string()];
    assert!(Command::new("kill").args(words).status().unwrap().success());
}

#[test]
fn a_run_killed_at_any_moment_keeps_what_it_acknowledged_and_asks_little_again() {
    let hits = Campaign::new(KILL).run();
    println!(
        "killed {} times (at most {} questions lost a kill where saving takes no time): {hits:?}",
        kills(),
        most_lost()
    );
    assert!(
        hits.asked_again <= most_lost() * hits.while_asking,
        "more was lost than was in flight or not saved: {hits:?}"
    );
    assert!(hits.while_asking > 0, "{hits:?}");
    let is_everywhere = hits.before_the_first_question > 0 && hits.after_the_last_answer > 0;
    assert!(is_everywhere || kills() < 100, "{hits:?}");
}

#[test]
fn a_run_interrupted_at_any_moment_asks_nothing_twice() {
    let hits = Campaign::new(INTERRUPT).run();
    println!("interrupted {} times: {hits:?}", kills());
    assert_eq!(hits.asked_again, 0);
    assert!(hits.while_asking > 0, "{hits:?}");
}
