//! How fast a run asks: `cargo bench --bench load`, or with a part's name behind `--` (instant, slow, limited).
//!
//! | part | server on loopback | what is printed |
//! |---|---|---|
//! | instant | answers at once: once barely (bytes out for bytes in), once as an ordinary web server | requests a second of a bare client, of `oha` (where it is installed) and of `tribunal` in turns, same server, same body, 256 connections kept alive; ratios; processor time a call of both sides; peak memory |
//! | slow | answers after 1 s | 6,400 calls at 64 in parallel: time against the ideal 100 s |
//! | limited | allows R requests a second, 429 above that | share of the allowed rate that was used |
//!
//! Rates are counted at the server, between the first and the last request. Machines are noisy: read ratios.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark measures time and may stop"
)]

mod client;
mod server;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use server::{Manner, Server};
use tribunal::domain::{Order, Pair};
use tribunal::judge::{HttpClient, Judge, JudgeSpec, Provider};

/// The figures of this process.
const OWN: &str = "/proc/self/stat";
/// Turns of the instant part.
const ROUNDS: usize = 15;
/// Connections, and calls open at a time.
const CONNECTIONS: usize = 256;

fn main() {
    let parts: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wants = |part: &str| parts.is_empty() || parts.iter().any(|wanted| wanted == part);
    if wants("instant") {
        instant("ordinary server", Manner::AtOnce);
        instant("bare server", Manner::Barely);
    }
    if wants("slow") {
        slow();
    }
    if wants("limited") {
        limited();
    }
}

fn instant(name: &str, manner: Manner) {
    const PAIRS: usize = 20_000;
    let body = body();
    let server = Server::start(manner);
    // Of each round: the rate beside that of `oha`, and the seconds that either took.
    let (mut ratios, mut seconds) = (Vec::new(), [0.0; 2]);
    for _ in 0..ROUNDS {
        client::run(&server, &body, 2 * PAIRS, CONNECTIONS);
        let bare = server.take();
        println!("{name}: bare client {:.0} requests/s ({} of {} bytes)", bare.rate(), bare.requests, body.len());
        let before = used(OWN);
        let oha = oha(&server, &body, 2 * PAIRS);
        let after = used(OWN);
        if let Some(rate) = oha {
            let each = |seconds: f64| seconds * 1e6 / (2 * PAIRS) as f64;
            let (own, children) = (each(after[0] - before[0]), each(after[1] - before[1]));
            println!("{name}: oha {rate:.0} requests/s; {children:.0} us of CPU a call, the server's {own:.0}");
        }
        let run = Run::of(&server, PAIRS, &["--concurrency", "256"]);
        println!("{name}: tribunal {:.0} requests/s ({}); {run}", run.seen.rate(), run.seen.requests);
        println!("{name}: ratio to the bare client {:.2}", run.seen.rate() / bare.rate());
        if let Some(oha) = oha {
            ratios.push(run.seen.rate() / oha);
            seconds[0] += 1.0 / oha;
            seconds[1] += 1.0 / run.seen.rate();
        }
    }
    ratios.sort_by(f64::total_cmp);
    match ratios.get(ratios.len() / 2) {
        Some(median) => println!(
            "{name}: ratio to oha {ratios:.2?}, median {median:.2}, over all rounds {:.3}",
            seconds[0] / seconds[1]
        ),
        None => println!("{name}: oha was not found (cargo install oha --locked, or OHA=path)"),
    }
}

fn slow() {
    let server = Server::start(Manner::After(Duration::from_secs(1)));
    let run = Run::of(&server, 3_200, &["--concurrency", "64"]);
    let took = run.seen.span.as_secs_f64() + 1.0;
    println!("slow: {} calls in {took:.1} s, {:.3} of the ideal 100 s; {run}", run.seen.requests, took / 100.0);
}

fn limited() {
    for (rate, retry_after, burst) in
        [(50, true, 50), (50, false, 50), (200, true, 20), (200, false, 20), (20, false, 1)]
    {
        let server = Server::start(Manner::Limited { rate, retry_after, burst });
        // About half a minute's worth.
        let pairs = rate as usize * 30 / 2;
        let run = Run::of(&server, pairs, &["--concurrency", "256"]);
        let used = run.seen.answered as f64 / run.seen.span.as_secs_f64() / f64::from(rate);
        println!(
            "limited: {rate} a second, bursts of {burst}, Retry-After {}: {:.2} of the allowed rate, {} of {} requests rejected; {run}",
            if retry_after { "sent" } else { "not sent" },
            used,
            run.seen.requests - run.seen.answered,
            run.seen.requests,
        );
    }
}

/// A request as `tribunal` sends it.
fn body() -> String {
    let prompt = tribunal::prompt::embedded("pairwise.en").unwrap();
    let mut spec = JudgeSpec::new("m", Provider::Compatible, "m", prompt);
    spec.base_url = Some("http://127.0.0.1:1/v1".to_owned());
    spec.max_tokens = Some(1024);
    let judge = Judge::endpoint(spec, &HttpClient::new().unwrap()).unwrap();
    let (prompt, a, b) = texts(0);
    judge.request(&Pair::new("i0", &prompt, &a, &b), Order::Ab, 0).unwrap().body.to_string()
}

fn texts(n: usize) -> (String, String, String) {
    let prompt = format!("Question {n}: what is the difference between the two, and why does it matter?");
    let a = format!("Answer A to {n}. {}", "It matters since one of them is faster. ".repeat(8));
    let b = format!("Answer B to {n}. {}", "It depends on what is meant by the question. ".repeat(7));
    (prompt, a, b)
}

fn gold(path: &Path, pairs: usize) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    for n in 0..pairs {
        let (prompt, a, b) = texts(n);
        let gold = ["a", "b"][n % 2];
        let line = json!({"id": format!("i{n:05}"), "prompt": prompt, "response_a": a, "response_b": b, "gold": gold});
        writeln!(file, "{line}").unwrap();
    }
}

/// The rate that `oha` reaches, where it is installed.
fn oha(server: &Server, body: &str, requests: usize) -> Option<f64> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("body.json");
    std::fs::File::create(&file).unwrap().write_all(body.as_bytes()).unwrap();
    let program = std::env::var("OHA").unwrap_or_else(|_| "oha".to_owned());
    let status = Command::new(program)
        .args(["--no-tui", "-m", "POST", "-T", "application/json", "-c", &CONNECTIONS.to_string()])
        .args(["-n", &requests.to_string(), "-D"])
        .arg(&file)
        .arg(format!("{}/v1/chat/completions", server.root))
        .stdout(Stdio::null())
        .status();
    let seen = server.take();
    status.is_ok_and(|status| status.success()).then(|| seen.rate())
}

/// One run of the program.
struct Run {
    seen: server::Seen,
    wall: Duration,
    /// Resident memory in MB: a while after the start of the calls, at their end, at most.
    memory: [u64; 3],
    /// Seconds of processor time while it asked: its own, and the server's (with what measures it).
    cpu_s: [f64; 2],
}

impl Run {
    fn of(server: &Server, pairs: usize, more: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        gold(&folder.path().join("gold.jsonl"), pairs);
        let started = Instant::now();
        let mut child = Command::new(env!("CARGO_BIN_EXE_tribunal"))
            .args(["calibrate", "--gold", "gold.jsonl", "--resamples", "200", "--out", "out.json", "--yes"])
            .args(["--judge", &format!("{}/v1#m", server.root)])
            .args(more)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.path().join("err")).unwrap())
            .spawn()
            .unwrap();
        let status = PathBuf::from(format!("/proc/{}/status", child.id()));
        let stat = PathBuf::from(format!("/proc/{}/stat", child.id()));
        let (mut memory, mut from, mut cpu_s) = ([0; 3], [0.0; 2], [0.0; 2]);
        let ended = loop {
            if let Some(ended) = child.try_wait().unwrap() {
                break ended;
            }
            let now = megabytes(&status, "VmRSS:");
            let calls = server.so_far();
            if calls <= pairs / 2 {
                memory[0] = now;
            }
            let so_far = [used(&stat)[0], used(OWN)[0]];
            if calls == 0 {
                from = so_far;
            }
            if calls < 2 * pairs {
                (memory[1], cpu_s) = (now, [so_far[0] - from[0], so_far[1] - from[1]]);
            }
            memory[2] = memory[2].max(megabytes(&status, "VmHWM:"));
            std::thread::sleep(Duration::from_millis(20));
        };
        let seen = server.take();
        if !matches!(ended.code(), Some(0 | 1 | 3)) {
            eprintln!("{ended}: {}", std::fs::read_to_string(folder.path().join("err")).unwrap());
        }
        Self { seen, wall: started.elapsed(), memory, cpu_s }
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [early, late, most] = self.memory;
        let each = |seconds: f64| seconds * 1e6 / self.seen.requests.max(1) as f64;
        write!(
            f,
            "{early} MB after a quarter of the calls, {late} MB at their end, {most} MB at most; {:.0} us of CPU \
             a call, the server's {:.0}; whole command {:.1} s",
            each(self.cpu_s[0]),
            each(self.cpu_s[1]),
            self.wall.as_secs_f64()
        )
    }
}

/// A line of /proc/PID/status, in MB; 0 where there is none.
fn megabytes(path: &Path, name: &str) -> u64 {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

/// Seconds of processor time of a process and of its children that have ended, of a clock of 100 ticks a second.
fn used(path: impl AsRef<Path>) -> [f64; 2] {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    [(ticks(11) + ticks(12)) / 100.0, (ticks(13) + ticks(14)) / 100.0]
}
