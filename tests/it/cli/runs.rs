//! The ledger: what runs leave behind, and what can be done with it later.

use std::time::Duration;

use serde_json::{Value, json};

use super::desk::{Server, gold, knows};
use super::{Desk, Run};
use crate::scripted::Step;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    desk
}

/// A trial of a judge that knows, beside a control that falls short.
fn tried(desk: &Desk, server: &Server) -> Run {
    desk.run(&format!(
        "calibrate --gold gold.jsonl --resamples 200 --judge {} --judge control:first --out result.json --force",
        server.judge()
    ))
}

#[test]
fn a_run_is_listed_and_shown_with_its_accounting_and_its_command() {
    let (desk, server) = (desk(), Server::knowing());
    tried(&desk, &server).ends(1, &[]);
    tried(&desk, &server).ends(1, &[]);
    let list = desk.run("runs list");
    list.ends(0, &[]);
    let lines: Vec<&str> = list.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", list.stdout);
    for word in ["calibrate", "control:first", " 120 ", "done", "unknown"] {
        assert!(lines[1].contains(word), "{}", list.stdout);
    }
    assert!(lines[2].contains("$0.0000"), "answers from the store cost nothing: {}", list.stdout);

    let show = desk.run("runs show 1");
    show.ends(0, &[]);
    for word in ["60 made, 0 from the store", "both", "tribunal calibrate --gold gold.jsonl", "bracket", "pairwise.en"]
    {
        assert!(show.stdout.contains(word), "no `{word}` in {}", show.stdout);
    }
    let json = desk.run("runs show last --format json").json(0);
    let run = &json["result"];
    assert_eq!((run["number"].as_u64(), run["status"].as_str()), (Some(2), Some("done")));
    let judgments = run["judgments"].as_array().unwrap();
    assert_eq!(judgments.len(), 120);
    let control: Vec<&Value> = judgments.iter().filter(|line| line["judge"] == "control:first").collect();
    assert!(control.iter().all(|line| line["verdict"] == "first" && line["key"].is_null()), "{control:?}");
    assert!(judgments.iter().filter(|line| line["judge"] != "control:first").all(|line| line["key"].is_string()));
    let first = run["header"]["items"]["digest"].clone();
    assert_eq!(desk.run("runs show 1 --format json").json(0)["result"]["header"]["items"]["digest"], first);
}

#[test]
fn readers_name_what_is_not_there_and_make_nothing() {
    let desk = desk();
    for command in ["list", "show", "verify", "export last", "reparse"] {
        desk.run(&format!("runs {command}")).ends(2, &["there is no store in .tribunal", "--store"]);
        desk.run(&format!("runs {command} --store gold.jsonl")).ends(2, &["gold.jsonl is a file"]);
        desk.run(&format!("runs {command} --store .")).ends(2, &["is not a store: it holds `gold.jsonl`"]);
    }
    assert_eq!(desk.files("."), ["gold.jsonl"]);
    let server = Server::knowing();
    tried(&desk, &server).ends(1, &[]);
    desk.run("runs show 7").ends(2, &["no run 7", "the last one is 1"]);
    desk.run("runs show seven").ends(2, &["number of a run"]);
}

#[test]
fn a_run_that_goes_on_is_running_and_one_that_was_killed_is_interrupted() {
    let desk = desk();
    let server = Server::start(|_, body| Step { delay: Duration::from_millis(40), ..knows(body) });
    let line = format!("calibrate --gold gold.jsonl --resamples 200 --judge {} --concurrency 2", server.judge());
    let mut child = desk.spawn(&line);
    server.wait_for(8);
    let list = desk.run("runs list");
    assert!(list.stdout.contains("running"), "{}{}", list.stdout, list.stderr);
    child.kill().unwrap();
    child.wait().unwrap();
    let list = desk.run("runs list");
    assert!(list.stdout.contains("interrupted (killed)"), "{}{}", list.stdout, list.stderr);
    let show = desk.run("runs show");
    assert!(show.stdout.contains("tribunal calibrate --gold gold.jsonl --resamples 200 --judge"), "{}", show.stdout);
}

#[test]
fn a_run_that_did_not_come_to_its_end_says_why() {
    let desk = desk();
    let withdrawn = Step::json(401, &serde_json::json!({"error": {"message": "key withdrawn"}}));
    let server = Server::start(move |nth, body| if nth < 20 { knows(body) } else { withdrawn.clone() });
    let line = format!("calibrate --gold gold.jsonl --resamples 200 --judge {} --concurrency 1", server.judge());
    desk.run(&line).ends(4, &[]);
    let show = desk.run("runs show --format json").json(0);
    assert_eq!(show["result"]["status"], "incomplete");
    assert!(show["result"]["end"]["reason"].as_str().unwrap().contains("key withdrawn"), "{show}");
    let name = server.judge();
    let accounting = &show["result"]["end"]["accounting"][name.rsplit('#').next().unwrap()];
    let sum = |kind: &str| accounting["ab"][kind].as_u64().unwrap() + accounting["ba"][kind].as_u64().unwrap();
    assert_eq!((sum("judged"), sum("judged") + sum("failed") + sum("missing")), (20, 60), "{show}");
}

#[test]
fn a_folder_with_other_files_is_no_store_and_stays_as_it_is() {
    let (desk, server) = (desk(), Server::knowing());
    std::fs::create_dir_all(desk.path("project/journal")).unwrap();
    desk.write("project/main.c", "int main;");
    desk.write("project/journal/monday.md", "rain");
    let line = format!("calibrate --gold gold.jsonl --judge {} --store project", server.judge());
    desk.run(&line).ends(2, &["project is not a store", "main.c", "--store DIR"]);
    std::fs::remove_file(desk.path("project/main.c")).unwrap();
    std::fs::remove_file(desk.path("project/journal/monday.md")).unwrap();
    desk.write("project/journal/000001.jsonl", "{\"a\":1}\n{\"a\":2}\n");
    desk.run(&line).ends(2, &["000001.jsonl holds no tribunal record"]);
    desk.write("project/journal/000001.jsonl", "some notes");
    desk.run(&line).ends(2, &["000001.jsonl holds no tribunal record"]);
    assert_eq!((desk.files("project"), server.asked()), (vec!["journal".to_owned()], 0));
    assert_eq!(desk.files("project/journal"), ["000001.jsonl"]);
}

/// A line of the store with some of its text changed and its digest made anew: what another version may have written.
fn reframed(line: &str, from: &str, to: &str) -> String {
    let changed = line.replacen(from, to, 1);
    assert_ne!(changed, line);
    let (head, rest) = changed.split_once(",\"sha256\":\"").unwrap();
    let rest = &rest[65..];
    let digest = tribunal::domain::Digest::of(format!("{head}{rest}").as_bytes());
    format!("{head},\"sha256\":\"{digest}\"{rest}")
}

#[test]
fn an_exported_run_plays_back_to_the_same_verdicts() {
    let (desk, server) = (desk(), Server::knowing());
    tried(&desk, &server).ends(1, &[]);
    desk.run("runs export last --out answers.jsonl").ends(0, &["written"]);
    desk.run("runs export last --out answers.jsonl").ends(2, &["exists already"]);
    desk.run("runs export last --verdicts --out verdicts.jsonl").ends(0, &[]);
    let figures = |result: &Value| {
        let judges = result["result"]["judges"].as_array().unwrap().clone();
        let judge = judges.into_iter().find(|judge| judge["name"] == "mini").unwrap();
        (judge["figures"]["agreement_decisive"].clone(), judge["accounting"].clone(), judge["fingerprint"].clone())
    };
    let live = figures(&serde_json::from_str(&desk.read("result.json")).unwrap());
    let played = |line: &str| {
        figures(&desk.run(&format!("calibrate --gold gold.jsonl --resamples 200 --format json {line}")).json(0))
    };
    assert_eq!(played("--judge replay:answers.jsonl"), live);
    assert_eq!(played("--verdicts verdicts.jsonl --judge mini"), live);
    assert_eq!(desk.read("verdicts.jsonl").lines().count(), 120, "the control's verdicts are there too");
    assert_eq!(server.asked(), 60);
}

#[test]
fn imported_answers_are_not_asked_for_again_and_a_differing_one_does_not_replace_the_first() {
    let (desk, server) = (desk(), Server::knowing());
    tried(&desk, &server).ends(1, &[]);
    desk.run("runs export last --out answers.jsonl").ends(0, &[]);
    let other = "calibrate --gold gold.jsonl --resamples 200 --out other.json --force --store";
    for (source, store) in [("answers.jsonl", "one"), (".tribunal", "two"), (".tribunal/journal/000001.jsonl", "three")]
    {
        let run = desk.run(&format!("runs import {source} --store {store}"));
        run.ends(0, &[]);
        assert!(run.stdout.contains("60 answers taken, 0 here already"), "{}", run.stdout);
        desk.run(&format!("{other} {store} --judge {}", server.judge())).ends(0, &["60 in the store, 0 to ask"]);
        let again = desk.run(&format!("runs merge {source} --store {store}"));
        assert!(again.stdout.contains("0 answers taken, 60 here already"), "{}", again.stdout);
    }
    assert_eq!(server.asked(), 60);
    let text = desk.read("answers.jsonl").replacen("Reasons.", "Other reasons.", 1);
    desk.write("changed.jsonl", &text);
    let run = desk.run("runs import changed.jsonl");
    assert!(run.stdout.contains("1 of them with another text"), "{}", run.stdout);
    desk.write("keyless.jsonl", r#"{"judge":"x","item":"q","order":"ab","verdict":"first"}"#);
    let run = desk.run("runs import keyless.jsonl");
    assert!(run.stdout.contains("1 left out"), "{}", run.stdout);
    desk.write("bad.jsonl", "{\"judge\":\"x\"}");
    desk.run("runs import bad.jsonl --store new").ends(2, &["bad.jsonl:1", "`item` is missing"]);
    assert!(!desk.has("new"));
}

#[test]
fn reparsing_shows_the_verdicts_that_are_read_differently_and_writes_them_when_told_to() {
    let (desk, server) = (desk(), Server::knowing());
    tried(&desk, &server).ends(1, &[]);
    let same = desk.run("runs reparse");
    same.ends(0, &[]);
    assert!(same.stdout.contains("60 completions read, 0 verdicts differ, 60 judgments without"), "{}", same.stdout);
    let file = ".tribunal/runs/000001.jsonl";
    let text = desk.read(file);
    let line = text.lines().find(|line| line.contains("\"key\"") && line.contains("\"verdict\":\"first\"")).unwrap();
    let older = text.replace(line, &reframed(line, "\"verdict\":\"first\"", "\"verdict\":\"tie\""));
    desk.write(file, &older);
    let diff = desk.run("runs reparse --all");
    diff.ends(1, &[]);
    assert!(diff.stdout.contains("tie → first"), "{}", diff.stdout);
    assert_eq!(desk.read(file), older, "nothing is written unless asked");
    desk.run("runs reparse --write").ends(0, &["1 verdicts written"]);
    assert_eq!(desk.run("runs reparse --format json").json(0)["result"]["runs"][0]["changed"], 0);
    assert!(desk.run("runs show").stdout.contains("1 verdicts changed"));
}

#[test]
fn verifying_finds_damage_in_journal_and_runs_and_compacting_drops_it() {
    let (desk, server) = (desk(), Server::knowing());
    tried(&desk, &server).ends(1, &[]);
    let clean = desk.run("runs verify");
    clean.ends(0, &[]);
    assert!(clean.stdout.contains("60 records, 1 runs: nothing is damaged"), "{}", clean.stdout);
    for file in [".tribunal/journal/000001.jsonl", ".tribunal/runs/000001.jsonl"] {
        let text = desk.read(file);
        let line = text.lines().nth(4).unwrap();
        desk.write(file, &text.replace(line, &line.replace("\"repeat\":0", "\"repeat\":1")));
        let found = desk.run("runs verify");
        found.ends(1, &[]);
        assert!(found.stdout.contains(&format!("{file}:5: is damaged")), "{}", found.stdout);
    }
    let found = desk.run("runs verify --format json").json(1);
    assert!(found["result"]["damage"].as_array().unwrap().len() >= 3, "{found}");
    let show = desk.run("runs show");
    show.ends(0, &["000001.jsonl:5 is damaged", "1 judgments are lost"]);
    let compact = desk.run("runs compact");
    compact.ends(0, &[]);
    assert!(
        compact.stdout.contains("59 records kept") && compact.stdout.contains("1 damaged lines"),
        "{}",
        compact.stdout
    );
    tried(&desk, &server).ends(1, &["59 in the store, 1 to ask"]);
    assert_eq!(server.asked(), 61);
}

#[test]
#[cfg(unix)]
fn a_disk_that_fills_up_ends_the_run_with_status_4_and_every_paid_answer_can_be_brought_in() {
    let desk = desk();
    let server = Server::start(|_, body| Step { delay: Duration::from_millis(30), ..knows(body) });
    // Files of at most so many blocks of 512 bytes (1024 in some shells) stand for a full disk.
    let script = format!(
        "trap '' XFSZ; ulimit -f 40; exec {} calibrate --gold gold.jsonl --resamples 200 --concurrency 1 --judge {} --out result.json",
        env!("CARGO_BIN_EXE_tribunal"),
        server.judge()
    );
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script]).current_dir(desk.path(".")).env_clear().env("SOURCE_DATE_EPOCH", super::desk::EPOCH);
    command.env("TMPDIR", desk.path("."));
    let run = Run::from(command.output().unwrap());
    run.ends(4, &["could not be saved", "make room", "tribunal runs import"]);
    assert!(!desk.has("result.json"));
    let asked = server.asked();
    assert!(asked < 60, "calls went on after the disk was full");
    let rescued = desk.files(".").into_iter().find(|name| name.starts_with("tribunal-unsaved-")).unwrap();
    let list = desk.run("runs list");
    assert!(
        list.stdout.contains("incomplete") || list.stdout.contains("interrupted"),
        "{}{}",
        list.stdout,
        list.stderr
    );
    desk.run(&format!("runs import {rescued}")).ends(0, &[]);
    let line = format!("calibrate --gold gold.jsonl --resamples 200 --judge {} --out result.json", server.judge());
    desk.run(&line).ends(0, &[&format!("{asked} in the store")]);
    assert_eq!(server.asked(), 60, "every answer was paid for once");
}

#[test]
#[cfg(unix)]
fn a_store_that_cannot_be_written_can_be_read_and_stays_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let (desk, server) = (desk(), Server::knowing());
    tried(&desk, &server).ends(1, &[]);
    let all = || ["", "/journal", "/runs", "/index"].map(|folder| desk.files(&format!(".tribunal{folder}")));
    let before = all();
    let permit = |mode: u32| {
        for folder in [".tribunal/journal", ".tribunal/runs", ".tribunal"] {
            std::fs::set_permissions(desk.path(folder), std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    permit(0o555);
    let is_privileged = std::fs::File::create(desk.path(".tribunal/probe")).is_ok();
    if is_privileged {
        std::fs::remove_file(desk.path(".tribunal/probe")).unwrap();
    }
    for command in ["list", "show", "verify", "export last", "export last --verdicts", "reparse"] {
        desk.run(&format!("runs {command}")).ends(0, &[]);
    }
    if is_privileged {
        println!("skipped: this user writes where nobody may");
    } else {
        desk.run("runs compact").ends(2, &["--store DIR"]);
    }
    permit(0o755);
    assert_eq!(all(), before);
}

#[test]
fn a_store_in_use_can_be_read_and_not_compacted() {
    let desk = desk();
    let server = Server::start(|_, body| Step { delay: Duration::from_millis(40), ..knows(body) });
    let line = format!("calibrate --gold gold.jsonl --resamples 200 --judge {} --concurrency 2", server.judge());
    let child = desk.spawn(&line);
    server.wait_for(6);
    for command in ["compact", "import .tribunal", "reparse --write"] {
        desk.run(&format!("runs {command}")).ends(2, &["in use", &format!("process {}", child.id())]);
    }
    desk.run("runs verify").ends(0, &["writes to this store now"]);
    Run::from(child.wait_with_output().unwrap()).ends(0, &[]);
    assert_eq!(server.asked(), 60);
}

#[test]
fn lists_are_rows_for_programs_too_with_the_fields_of_the_document() {
    let (desk, server) = (desk(), Server::knowing());
    let judge = format!("judge --pairs gold.jsonl --judge {}", server.judge());
    let told = desk.run(&format!("{judge} --format csv")).stdout;
    let mut lines = told.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!((head.len(), lines.next()), (row.len(), None), "{told}");
    let cell = |name: &str| row[head.iter().position(|column| *column == name).unwrap()];
    assert_eq!((cell("planned"), cell("judged"), cell("unparsed"), cell("made")), ("60", "60", "0", "60"), "{told}");
    let line: Value = serde_json::from_str(&desk.run(&format!("{judge} --format jsonl")).stdout).unwrap();
    assert_eq!((&line["judged"], &line["made"], &line["cached"]), (&json!(60), &json!(0), &json!(60)));
    let document = desk.run("runs list --format json").json(0);
    let runs = document["result"]["runs"].as_array().unwrap().clone();
    let rows: Vec<Value> =
        desk.run("runs list --format jsonl").stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows, runs);
    let table = desk.run("runs list --format csv").stdout;
    let fields: Vec<&String> = runs[0].as_object().unwrap().keys().collect();
    assert_eq!(table.lines().next().unwrap().split(',').collect::<Vec<_>>(), fields);
    assert_eq!(table.lines().count(), 1 + runs.len());
    desk.run("runs show --format csv").ends(2, &["csv", "json"]);
}
