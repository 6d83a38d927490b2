//! What a terminal shows while long work goes on, and what nothing else ever sees. Needs `script` for a terminal of its own.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::Desk;
use super::desk::{Server, gold, knows, within_20_s};

/// Long enough to be shown, even on a fast machine.
const LINE: &str = "calibrate --gold gold.jsonl --judge control:first --resamples 60000 --out r.json --force";

/// What a terminal gets to see of a command; `None` where there is no `script`.
fn seen(desk: &Desk, line: &str, environment: &[(&str, &str)]) -> Option<String> {
    typed_into(desk, &format!("{} {line}", env!("CARGO_BIN_EXE_tribunal")), environment)
}

/// The same of a whole line for a shell.
fn typed_into(desk: &Desk, typed: &str, environment: &[(&str, &str)]) -> Option<String> {
    let mut script = Command::new("script");
    script.args(["-qec", typed, "/dev/null"]).current_dir(desk.path(".")).env_clear();
    script.env("TERM", "xterm-256color").env("PATH", "/usr/bin:/bin").envs(environment.iter().copied());
    let Ok(output) = script.stdin(Stdio::null()).output() else {
        eprintln!("skipped: there is no `script` to make a terminal");
        return None;
    };
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn long_work_is_shown_on_a_terminal_and_leaves_no_trace() {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    let Some(text) = seen(&desk, LINE, &[]) else { return };
    assert!(text.contains("figures and intervals"), "{text:?}");
    let last = text.rsplit("\u{1b}[2K").next().unwrap();
    assert!(last.starts_with("FAIL  control:first: "), "the sign is taken away: {text:?}");
    assert!(last.trim_end().ends_with("written: r.json"), "{last:?}");
}

#[test]
fn no_colour_no_quiet_no_build_and_no_dumb_terminal_gets_an_escape_sequence() {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    let short = LINE.replace("60000", "20000");
    let cases: [(&str, &[(&str, &str)]); 4] =
        [("", &[("NO_COLOR", "1")]), ("", &[("CI", "true")]), ("", &[("TERM", "dumb")]), ("--quiet ", &[])];
    for (flag, environment) in cases {
        let Some(text) = seen(&desk, &format!("{flag}{short}"), environment) else { return };
        assert!(!text.contains('\u{1b}') && !text.contains("figures and intervals"), "{environment:?}: {text:?}");
    }
}

#[test]
fn a_closed_terminal_ends_the_labelling_and_frees_the_file_hang_up_heard_or_not() {
    // A shell that ignores the hang-up hands that on; one that catches it does not. Both live to tell the status.
    for (number, trap) in ["trap '' HUP", "trap : HUP"].into_iter().enumerate() {
        let desk = Desk::new();
        desk.write("pairs.jsonl", &super::pairs());
        let label = "gold label pairs.jsonl --annotator kim";
        let typed = format!("{trap}; {} {label}; echo $? > status", env!("CARGO_BIN_EXE_tribunal"));
        let mut script = Command::new("script");
        script.args(["-qec", &typed, "/dev/null"]).current_dir(desk.path(".")).env_clear();
        script.env("TERM", "xterm").env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh");
        let Ok(mut child) = script.stdin(Stdio::piped()).stdout(Stdio::null()).spawn() else {
            eprintln!("skipped: there is no `script` to make a terminal");
            return;
        };
        let mut keys = child.stdin.take().unwrap();
        within_20_s(|| {
            let _ = keys.write_all(b"a").and_then(|()| keys.flush());
            std::thread::sleep(Duration::from_millis(100));
            desk.has("pairs.labels.jsonl") && desk.read("pairs.labels.jsonl").lines().count() > 0
        });
        child.kill().unwrap();
        child.wait().unwrap();
        within_20_s(|| desk.has("status") && !desk.read("status").is_empty());
        assert_eq!(desk.read("status"), "130\n", "case {number}");
        desk.run("gold label pairs.jsonl --annotator kim").ends(4, &[]);
    }
}

#[test]
fn a_terminal_without_escape_sequences_gets_lines_to_label_by() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &super::pairs());
    let Some(text) = seen(&desk, "gold label pairs.jsonl --annotator kim", &[("TERM", "dumb")]) else { return };
    assert!(text.contains("Answer A:") && text.contains("> ") && !text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn a_slow_pipe_is_shown_while_it_is_waited_for() {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    let typed = format!(
        "(sleep 2.5; cat gold.jsonl) | {} calibrate --gold - --judge control:first --resamples 200 --out r.json",
        env!("CARGO_BIN_EXE_tribunal")
    );
    let Some(text) = typed_into(&desk, &typed, &[]) else { return };
    assert!(text.contains("reading standard input"), "{text:?}");
    assert!(desk.has("r.json"), "{text:?}");
}

#[test]
fn a_run_on_a_terminal_shows_a_bar_with_its_rate_and_the_time_left() {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    let server = Server::start(|_, body| {
        std::thread::sleep(Duration::from_millis(50));
        knows(body)
    });
    let line = format!("calibrate --gold gold.jsonl --judge '{}' --concurrency 2 --yes --out r.json", server.judge());
    let Some(text) = seen(&desk, &line, &[("COLUMNS", "160")]) else { return };
    assert!(text.contains("0/60 · 0 % ") && text.contains("… left"), "nothing is foretold of nothing: {text:?}");
    assert!(text.contains(" s left"), "{text:?}");
    assert!(text.contains("/s · ") || text.contains("/min · "), "{text:?}");
}
