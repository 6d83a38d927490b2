//! Runs that do not come to their end: refused, cut off, interrupted, taken up again.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command};
use std::time::Duration;

use serde_json::json;

use super::desk::{Server, gold, knows};
use super::{Desk, Run};
use crate::scripted::Step;

const JOURNAL: &str = ".tribunal/journal";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    desk
}

fn line(judge: &str, more: &str) -> String {
    format!("calibrate --gold gold.jsonl --resamples 200 --judge {judge} --out result.json {more}")
}

fn refused(status: u16, message: &str) -> Step {
    Step::json(status, &json!({"error": {"message": message}}))
}

/// No result, no certificate, no verdict in the store.
fn nothing_written(desk: &Desk) {
    assert!(!desk.has("result.json") && !desk.has("certificates"), "{:?}", desk.files("."));
    let journal: String = desk.files(JOURNAL).iter().map(|name| desk.read(&format!("{JOURNAL}/{name}"))).collect();
    assert_eq!(journal, "");
}

/// As Ctrl-C does.
fn interrupt(child: &Child) {
    signal(child, "-INT");
}

fn signal(child: &Child, kind: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([kind, &id]).status().unwrap().success());
}

/// The answer of [`knows`] with some of its JSON text changed.
fn changed(step: Step, from: &str, to: &str) -> Step {
    let text = String::from_utf8(step.body).unwrap();
    assert!(text.contains(from), "{text}");
    Step { body: text.replacen(from, to, 1).into_bytes(), ..step }
}

/// How many answers a run found in the store, as it says.
fn in_store(run: &Run) -> usize {
    let before = run.stderr.split(" in the store").next().unwrap();
    before.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn a_wrong_key_ends_with_status_2_and_names_the_setting() {
    let desk = desk();
    let server = Server::start(|_, _| refused(401, "Incorrect API key provided"));
    desk.run(&line(&server.judge(), "--concurrency 1")).ends(2, &["api_key_env", "Incorrect API key provided"]);
    assert_eq!(server.asked(), 1);
    nothing_written(&desk);
}

#[test]
fn an_unknown_model_ends_with_status_2_and_names_the_setting() {
    let desk = desk();
    let server = Server::start(|_, _| refused(404, "The model `mini` does not exist"));
    desk.run(&line(&server.judge(), "--concurrency 1")).ends(2, &["model", "does not exist"]);
    nothing_written(&desk);
}

#[test]
fn an_unreachable_server_ends_with_status_2_and_names_the_setting() {
    let desk = desk();
    let mut server = Server::knowing();
    let judge = server.judge();
    server.stop();
    desk.run(&line(&judge, "")).ends(2, &["base_url", "127.0.0.1"]);
    nothing_written(&desk);
}

#[test]
fn a_server_that_accepts_no_request_at_all_is_a_matter_of_settings_and_no_verdict_on_the_judge() {
    let desk = desk();
    let server = Server::start(|_, _| refused(400, "Unsupported parameter: messages"));
    desk.run(&line(&server.judge(), "")).ends(2, &["none of 60 calls", "Unsupported parameter", "`model`"]);
    nothing_written(&desk);
    let server = Server::start(|_, _| refused(400, "Unsupported parameter: max_tokens"));
    desk.run(&line(&server.judge(), "")).ends(2, &["`max_tokens`", "`max_completion_tokens`"]);
    assert_eq!(server.asked(), 1, "a server that says what it does not take is asked once");
    nothing_written(&desk);
}

#[test]
fn a_key_that_is_withdrawn_on_the_way_ends_with_status_4_and_the_rest_is_asked_later() {
    let desk = desk();
    let server = Server::start(|nth, body| if nth < 20 { knows(body) } else { refused(401, "key withdrawn") });
    let run = desk.run(&line(&server.judge(), "--concurrency 1"));
    run.ends(4, &["key withdrawn", "run again", "kept"]);
    assert!(!desk.has("result.json") && !desk.has("certificates"));
    let back = Server::knowing();
    let resumed = desk.run(&line(&back.judge(), ""));
    resumed.ends(0, &["20 in the store, 40 to ask"]);
    assert_eq!(back.asked(), 40);
    assert!(desk.has("result.json"));
}

#[test]
fn a_server_that_asks_for_an_hour_of_rest_ends_the_run_with_status_4() {
    let desk = desk();
    let rest = refused(429, "come back later").with("retry-after", "3600");
    let server = Server::start(move |nth, body| if nth < 20 { knows(body) } else { rest.clone() });
    desk.run(&line(&server.judge(), "--concurrency 1")).ends(4, &["3600 s", "run again"]);
    assert!(!desk.has("result.json") && !desk.has("certificates"));
    assert_eq!(server.asked(), 21, "nothing is asked of a server that wants rest");
}

#[test]
fn an_interrupt_does_not_sit_out_the_back_off_of_a_server_that_went_away() {
    let desk = desk();
    let mut server = Server::start(|_, body| Step { delay: Duration::from_millis(20), ..knows(body) });
    let mut child = desk.spawn(&line(&server.judge(), "--concurrency 2"));
    server.wait_for(12);
    server.stop();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    // The third try follows after a second and more.
    assert!(said.any(|line| line.contains("try 2 failed")));
    interrupt(&child);
    let rest: String = said.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
    assert!(!rest.contains("try 4 failed"), "{rest}");
    assert!(!desk.has("result.json") && !desk.has("certificates"));
    let back = Server::knowing();
    let resumed = desk.run(&line(&back.judge(), ""));
    resumed.ends(0, &[]);
    let kept = in_store(&resumed);
    assert!((8..=server.asked()).contains(&kept), "{kept} kept of {}", server.asked());
    assert_eq!(back.asked(), 60 - kept);
}

#[test]
fn an_interrupted_run_ends_with_status_130_and_loses_no_answer() {
    let desk = desk();
    let server = Server::start(|_, body| Step { delay: Duration::from_millis(30), ..knows(body) });
    let child = desk.spawn(&line(&server.judge(), "--concurrency 2"));
    server.wait_for(8);
    interrupt(&child);
    let run: Run = child.wait_with_output().unwrap().into();
    run.ends(130, &["run it again", "kept"]);
    assert!(!desk.has("result.json") && !desk.has("certificates"));
    let asked = server.asked();
    assert!(asked < 60, "the run was over before it was interrupted");
    let resumed = desk.run(&line(&server.judge(), ""));
    resumed.ends(0, &[]);
    assert_eq!((in_store(&resumed), server.asked()), (asked, 60), "every answer was kept, none asked for twice");
}

#[test]
fn a_request_to_end_saves_what_is_in_flight_and_a_second_one_does_not_wait() {
    let desk = desk();
    let server = Server::start(|_, body| Step { delay: Duration::from_millis(30), ..knows(body) });
    let child = desk.spawn(&line(&server.judge(), "--concurrency 2"));
    server.wait_for(8);
    signal(&child, "-TERM");
    Run::from(child.wait_with_output().unwrap()).ends(130, &["run it again"]);
    let asked = server.asked();
    let resumed = desk.run(&line(&server.judge(), ""));
    assert_eq!((in_store(&resumed), server.asked()), (asked, 60), "every answer was kept, none asked for twice");

    let hanging = Server::start(|_, body| Step { delay: Duration::from_mins(2), ..knows(body) });
    let child = desk.spawn(&line(&hanging.judge(), "--no-store --force"));
    hanging.wait_for(1);
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    Run::from(child.wait_with_output().unwrap()).ends(130, &["interrupted twice"]);
}

/// Behind the asking the program is one like any other: whoever interrupts it while it writes has it ended.
#[test]
fn an_interrupt_behind_the_asking_ends_the_program_at_once() {
    let desk = desk();
    let reason = "a reason of some length, ".repeat(200);
    let server =
        Server::start(move |_, body| changed(knows(body), "\"content\":\"", &format!("\"content\":\"{reason}")));
    let mut child = desk
        .command(&format!("calibrate --gold gold.jsonl --resamples 200 --format html --judge {}", server.judge()))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The first byte of the page comes when all was asked; nobody reads the rest, which no pipe has room for.
    let mut first = [0];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut first).unwrap();
    interrupt(&child);
    let ended = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended), Some(2), "{ended}");
}

#[test]
fn a_file_that_may_not_grow_is_an_error_like_a_full_disk() {
    let desk = desk();
    let server = Server::start(|_, body| knows(body));
    // 8 blocks of 512 or 1,024 bytes: the journal needs more.
    let run = within(&desk, "ulimit -f 8", &line(&server.judge(), ""));
    run.ends(4, &["could not be saved", "File too large"]);
}

/// Runs a command line behind a limit that the shell sets.
fn within(desk: &Desk, limit: &str, line: &str) -> Run {
    let command = desk.command(line);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")]).arg(command.get_program()).args(command.get_args());
    shell.current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    Run::from(shell.output().unwrap())
}

#[test]
#[cfg(unix)]
fn more_calls_at_a_time_than_files_may_be_open_are_refused_before_any_is_made() {
    let desk = desk();
    let server = Server::start(|_, body| Step { delay: Duration::from_millis(20), ..knows(body) });
    let many = line(&server.judge(), "--concurrency 60");
    within(&desk, "ulimit -n 64", &many)
        .ends(2, &["60 calls at a time need 100 open files", "may have 64 here", "--concurrency 24", "ulimit -n"]);
    assert_eq!(server.asked(), 0);
    // As many as there is room for leave enough to close the store and the ledger.
    let fitting = line(&server.judge(), "--concurrency 24");
    let run = within(&desk, "ulimit -n 64", &fitting);
    run.ends(0, &["60 made"]);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    assert!(!desk.files(".tribunal").iter().any(|name| name.starts_with("index.bad")), "{:?}", desk.files(".tribunal"));
    desk.run("runs list --store .tribunal").ends(0, &[]);
    // The flag is each judge's, and so is the number that fits.
    let two = line(&server.judge(), "--judge http://127.0.0.1:1/v1#other --concurrency 60 --no-store --force");
    within(&desk, "ulimit -n 64", &two)
        .ends(2, &["120 calls at a time need 160", "`--concurrency 12`, for each of the 2"]);
    let none = within(&desk, "ulimit -n 40", &line(&server.judge(), "--concurrency 1 --no-store --force"));
    none.ends(2, &["1 calls at a time need 41", "raise `ulimit -n`"]);
    assert!(!none.stderr.contains("--concurrency"), "{}", none.stderr);
    // A limit that may be raised is raised.
    within(&desk, "ulimit -S -n 64", &format!("{many} --no-store --force")).ends(0, &["60 made"]);
}

#[test]
fn a_server_in_trouble_does_not_flood_the_screen() {
    let desk = desk();
    let server =
        Server::start(|nth, body| if nth % 6 == 0 { knows(body) } else { refused(400, "this text is too long") });
    let run = desk.run(&line(&server.judge(), "--repeats 2"));
    assert_eq!(server.asked(), 120);
    assert_eq!(run.stderr.matches("this text is too long").count(), 50, "{}", run.stderr);
    assert!(run.stderr.contains("further failures") && run.stderr.contains("100 failed"), "{}", run.stderr);
    assert!(
        desk.read("result.json").contains("\"failed\": 100") || desk.read("result.json").contains("\"failed\":100")
    );
}

#[test]
fn a_judge_that_several_models_answer_for_does_not_pass() {
    let desk = desk();
    let server = Server::start(|nth, body| {
        let model = if nth < 20 { "one" } else { "two" };
        changed(knows(body), "served-1", model)
    });
    let run = desk.run(&line(&server.judge(), ""));
    run.ends(3, &[]);
    assert!(desk.read("result.json").contains("several models answered"), "{}", desk.read("result.json"));
}

#[test]
fn a_token_count_without_end_is_no_panic() {
    let desk = desk();
    let usage = format!("\"prompt_tokens\":{}", u64::MAX);
    let server = Server::start(move |_, body| changed(knows(body), "\"prompt_tokens\":100", &usage));
    desk.run(&line(&server.judge(), "")).ends(0, &[]);
}

#[test]
#[cfg(unix)]
fn a_pipe_or_device_is_written_into_and_never_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let desk = desk();
    let pipe = desk.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let child =
        desk.spawn("calibrate --gold gold.jsonl --resamples 200 --judge control:tie --format json --out pipe --force");
    let text = std::fs::read_to_string(&pipe).unwrap();
    Run::from(child.wait_with_output().unwrap()).ends(1, &[]);
    assert!(text.trim_end().ends_with('}') && std::fs::metadata(&pipe).unwrap().file_type().is_fifo());
}

#[test]
fn an_interrupted_run_leaves_no_half_a_recording_in_the_way_of_the_next() {
    let desk = desk();
    let server = Server::start(|nth, body| if nth < 20 { knows(body) } else { refused(401, "key withdrawn") });
    desk.run(&line(&server.judge(), "--concurrency 1 --record record.jsonl")).ends(4, &[]);
    assert!(!desk.has("record.jsonl"));
    let back = Server::knowing();
    desk.run(&line(&back.judge(), "--record record.jsonl")).ends(0, &[]);
    assert_eq!(desk.read("record.jsonl").lines().count(), 61, "a header and every answer, of both runs");
}

#[test]
fn a_run_that_is_interrupted_behind_the_asking_leaves_no_recording_in_the_way_of_the_same_command() {
    let desk = desk();
    desk.write("pairs.jsonl", &super::pairs());
    let reason = "a reason of some length, ".repeat(200);
    let server =
        Server::start(move |_, body| changed(knows(body), "\"content\":\"", &format!("\"content\":\"{reason}")));
    let judge = server.judge();
    for (number, (line, asked)) in [
        ("calibrate --gold gold.jsonl --resamples 200 --format html", 60),
        ("compare --pairs pairs.jsonl --resamples 200 --format html --uncalibrated", 60),
        ("compare --pairs pairs.jsonl --resamples 200 --format html --uncalibrated --stop-when-decided", 60),
        ("judge --pairs pairs.jsonl --repeats 30 --out -", 1800),
    ]
    .into_iter()
    .enumerate()
    {
        let line = format!("{line} --judge {judge} --record {number}.jsonl");
        let mut child = desk.spawn(&line);
        // The result begins to come when all was asked; nobody reads the rest, which no pipe has room for.
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        interrupt(&child);
        child.wait().unwrap();
        assert!(!desk.has(&format!("{number}.jsonl")), "{line}");
        desk.run(&line).ends(0, &[]);
        assert_eq!(desk.read(&format!("{number}.jsonl")).lines().count(), 1 + asked, "{line}");
        desk.run(&line).ends(2, &["exists already"]);
    }
    // Where no store keeps what was paid for, the recording does, whatever becomes of the result.
    let line = format!("calibrate --gold gold.jsonl --resamples 200 --judge {judge} --no-store --record kept.jsonl");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    assert_eq!(desk.command(&line).stdout(full).status().unwrap().code(), Some(2));
    assert_eq!(desk.read("kept.jsonl").lines().count(), 61);
}

#[test]
fn a_run_whose_log_is_cut_off_goes_on() {
    let desk = desk();
    let server = Server::start(|_, body| Step { delay: Duration::from_millis(5), ..knows(body) });
    let mut child = desk.spawn(&line(&server.judge(), "--concurrency 4"));
    let mut said = BufReader::new(child.stderr.take().unwrap());
    said.read_line(&mut String::new()).unwrap();
    drop(said);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(server.asked(), 60);
    assert!(desk.has("result.json"));
}

#[test]
fn a_damaged_line_of_the_store_costs_that_line_and_is_named() {
    let (desk, server) = (desk(), Server::knowing());
    desk.run(&line(&server.judge(), "--force")).ends(0, &[]);
    let name = format!("{JOURNAL}/{}", desk.files(JOURNAL)[0]);
    let journal = desk.read(&name);
    let second = journal.lines().nth(1).unwrap();
    desk.write(&name, &journal.replace(second, &second.replace("Reasons", "Treasons")));
    let run = desk.run(&line(&server.judge(), "--force"));
    run.ends(0, &["59 in the store, 1 to ask", "000001.jsonl"]);
    assert_eq!(server.asked(), 61);
}

#[test]
fn an_index_that_is_spoiled_is_set_aside_and_nothing_is_asked_again() {
    let (desk, server) = (desk(), Server::knowing());
    desk.run(&line(&server.judge(), "--force")).ends(0, &[]);
    let mut spoiled = 0;
    for name in desk.files(".tribunal/index") {
        let path = format!(".tribunal/index/{name}");
        if desk.path(&path).is_file() {
            desk.write(&path, "spoiled");
            spoiled += 1;
        }
    }
    assert!(spoiled > 0);
    let run = desk.run(&line(&server.judge(), "--force"));
    run.ends(0, &["60 in the store, 0 to ask"]);
    assert_eq!(server.asked(), 60);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
}

#[test]
fn two_runs_do_not_write_one_store_at_a_time() {
    let desk = desk();
    let server = Server::start(|_, body| Step { delay: Duration::from_millis(40), ..knows(body) });
    let child = desk.spawn(&line(&server.judge(), "--concurrency 2"));
    server.wait_for(4);
    let other = Server::knowing();
    let line = "calibrate --gold gold.jsonl --resamples 200 --out other.json --judge";
    desk.run(&format!("{line} {}", other.judge())).ends(2, &["--store"]);
    assert_eq!(other.asked(), 0);
    let first: Run = child.wait_with_output().unwrap().into();
    first.ends(0, &[]);
}

#[test]
fn places_that_cannot_hold_what_is_paid_for_are_refused_before_a_call() {
    let (desk, server) = (desk(), Server::knowing());
    desk.write("file", "");
    for (more, word) in [
        ("--certificates file", "--certificates"),
        ("--store file", "--store"),
        ("--record nowhere/record.jsonl", "nowhere"),
        ("--timeout 0", "timeout"),
    ] {
        desk.run(&line(&server.judge(), more)).ends(2, &[word]);
    }
    assert_eq!(server.asked(), 0);
    assert_eq!(desk.files("."), ["file", "gold.jsonl"]);
}

#[test]
fn a_run_that_is_killed_leaves_a_store_that_the_next_one_goes_on_from() {
    let desk = desk();
    let server = Server::start(|_, body| Step { delay: Duration::from_millis(30), ..knows(body) });
    let mut child = desk.spawn(&line(&server.judge(), "--concurrency 2"));
    server.wait_for(40);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!desk.has("result.json") && !desk.has("certificates"));
    let asked = server.asked();
    let resumed = desk.run(&line(&server.judge(), ""));
    resumed.ends(0, &[]);
    let kept = in_store(&resumed);
    assert!(kept > 0 && kept <= asked, "{kept} kept of {asked}");
    assert_eq!(server.asked() - asked, 60 - kept);
}
