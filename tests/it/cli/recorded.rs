//! Verdicts that were recorded elsewhere, prompts and gold sets: the commands that ask nobody.

use std::fmt::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{Desk, Run};

/// 30 items that one judge gets right in both orders, long form: slots as it saw them.
fn long() -> String {
    let mut text = String::new();
    for n in 0..30 {
        let (ab, ba) = if n % 2 == 0 { ("first", "second") } else { ("second", "first") };
        for (order, verdict) in [("ab", ab), ("ba", ba)] {
            let _ =
                writeln!(text, "{}", json!({"id": format!("q{n}"), "judge": "j", "order": order, "verdict": verdict}));
        }
    }
    text
}

fn labels() -> String {
    let rows = (0..30).map(|n| format!("q{n},{},r1\n", if n % 2 == 0 { "A" } else { "B" }));
    std::iter::once("id,label,annotator\n".to_owned()).chain(rows).collect()
}

#[test]
fn slots_become_identities_by_the_order_they_were_seen_in() {
    let desk = Desk::new();
    desk.write("verdicts.jsonl", &long());
    desk.write("labels.csv", &labels());
    for flag in ["--gold", "--labels"] {
        let run =
            desk.run(&format!("calibrate --verdicts verdicts.jsonl {flag} labels.csv --resamples 200 --format json"));
        let figures = run.json(run.status)["result"]["judges"][0]["figures"].clone();
        assert_eq!((&figures["agreement_strict"]["k"], &figures["agreement_strict"]["n"]), (&json!(30), &json!(30)));
        assert_eq!(figures["position_consistency"]["k"], 30);
    }
}

#[test]
fn without_labels_only_position_is_measured_and_the_answer_is_open() {
    let desk = Desk::new();
    desk.write("verdicts.jsonl", &long());
    let json = desk.run("calibrate --verdicts verdicts.jsonl --resamples 200 --format json").json(3);
    let figures = &json["result"]["judges"][0]["figures"];
    assert_eq!(figures["agreement_strict"]["not_estimable"], "no_gold");
    assert_eq!(figures["flip_rate"]["k"], 0);
    assert!(json["result"]["judges"][0]["not_measured"].to_string().contains("gold"));
}

#[test]
fn a_recorded_null_with_a_text_is_unparsed_and_one_without_is_missing() {
    let desk = Desk::new();
    let mut text = long();
    let _ =
        writeln!(text, "{}", json!({"id": "x", "judge": "j", "order": "ab", "verdict": null, "raw": "Both are fine."}));
    let _ = writeln!(text, "{}", json!({"id": "x", "judge": "j", "order": "ba", "verdict": null}));
    desk.write("verdicts.jsonl", &text);
    let run = desk.run("calibrate --verdicts verdicts.jsonl --resamples 200 --format json");
    let accounting = run.json(run.status)["result"]["judges"][0]["accounting"].clone();
    assert_eq!(
        (&accounting["unparsed"], &accounting["missing"], &accounting["planned"]),
        (&json!(1), &json!(1), &json!(62))
    );
}

#[test]
fn the_same_verdict_twice_is_an_error_that_names_both_lines() {
    let desk = Desk::new();
    let text = long();
    desk.write("verdicts.jsonl", &format!("{text}{}\n", text.lines().next().unwrap()));
    let run = desk.run("calibrate --verdicts verdicts.jsonl");
    run.ends(2, &["verdicts.jsonl:61", "line 1", "q0"]);
    assert!(!desk.has("certificates"));
}

#[test]
fn labels_for_items_that_are_not_there_are_refused_by_line() {
    let desk = Desk::new();
    desk.write("verdicts.jsonl", &long());
    desk.write("labels.csv", "id,label,annotator\nq0,A,r1\nq99,B,r1\n");
    desk.run("calibrate --verdicts verdicts.jsonl --gold labels.csv").ends(2, &["labels.csv:3", "q99"]);
}

#[test]
fn a_judge_that_is_not_in_the_file_is_refused() {
    let desk = Desk::new();
    desk.write("verdicts.jsonl", &long());
    desk.run("calibrate --verdicts verdicts.jsonl --judge k").ends(2, &["verdicts.jsonl", "k"]);
    desk.run("compare --verdicts verdicts.jsonl --judge k").ends(2, &["k", "j"]);
}

#[test]
fn several_recorded_judges_are_compared_one_at_a_time() {
    let desk = Desk::new();
    desk.write("verdicts.jsonl", &format!("{}{}", long(), long().replace("\"j\"", "\"k\"")));
    desk.run("compare --verdicts verdicts.jsonl").ends(2, &["several judges", "j, k"]);
    let result = desk.run("compare --verdicts verdicts.jsonl --judge k --format json --resamples 200").json(0);
    assert_eq!(result["result"]["outcomes"]["a_wins"], 15);
}

#[test]
fn a_certificate_from_recorded_verdicts_opens_the_door_for_the_same_recorded_judge() {
    let desk = Desk::new();
    let facts = |n: usize| {
        let (gold, long) = [("a", true), ("b", true), ("a", false), ("b", false)][n % 4];
        let (a, b) = if long == (gold == "a") { (90, 40) } else { (40, 90) };
        json!({"id": format!("q{n}"), "judge": "j", "gold": gold, "ab": gold, "ba": gold, "len_a_chars": a, "len_b_chars": b})
    };
    desk.write("verdicts.jsonl", &(0..40).map(|n| format!("{}\n", facts(n))).collect::<String>());
    desk.run("calibrate --verdicts verdicts.jsonl --resamples 200").ends(0, &[]);
    let result = desk.run("compare --verdicts verdicts.jsonl --resamples 200 --format json").json(0)["result"].clone();
    assert_eq!(result["banner"], Value::Null);
    assert!(result["certificate"].is_string());
}

#[test]
fn checks_decide_where_exactly_one_response_passes() {
    let desk = Desk::new();
    let item = |id: &str, a: &str, b: &str, checks: Value| {
        format!("{}\n", json!({"id": id, "prompt": id, "response_a": a, "response_b": b, "checks": checks}))
    };
    let four = json!([{"kind": "contains", "value": "4"}]);
    desk.write(
        "pairs.jsonl",
        &[
            item("q1", "it is 4", "it is 5", four.clone()),
            item("q2", "it is 6", "it is 4", four.clone()),
            item("q3", "4 it is", "it is 4", four.clone()),
            item("q4", "it is 5", "it is 6", four),
            item("q5", "something", "other", json!([])),
        ]
        .concat(),
    );
    let run = desk.run("compare --pairs pairs.jsonl --judge checks --uncalibrated --resamples 200 --format json");
    let result = run.json(0)["result"].clone();
    let of = |name: &str| result["outcomes"][name].as_u64().unwrap();
    assert_eq!((of("a_wins"), of("b_wins"), of("tie")), (1, 1, 2), "{}", result["outcomes"]);
    assert_eq!(result["accounting"]["planned"], 8, "an item without checks is not planned");
}

fn piped(desk: &Desk, line: &str, input: &str) -> Run {
    use std::io::Write as _;
    let mut child =
        desk.command(line).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

#[test]
fn a_contract_reads_replies_line_by_line() {
    let desk = Desk::new();
    let replies = [
        json!({"id": "1", "raw": "Reasons.\n[[A]]"}),
        json!({"id": "2", "raw": "[[A]] at first, but no: [[C]]"}),
        json!({"id": "3", "raw": "A is better."}),
        json!({"id": "4", "raw": "Reasons. [[B", "finish_reason": "length"}),
    ];
    let run = piped(&desk, "prompt read --contract bracket", &replies.map(|line| format!("{line}\n")).concat());
    run.ends(0, &[]);
    let read: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let said: Vec<&Value> = read.iter().map(|line| &line["verdict"]).collect();
    assert_eq!(said, [&json!("first"), &json!("tie"), &Value::Null, &Value::Null]);
    assert_eq!((&read[2]["no_verdict"], &read[3]["no_verdict"]), (&json!("unparsed"), &json!("truncated")));
    piped(&desk, "prompt read --contract bracket", "{\"id\":\"1\",\"raw\":\"x\"}\nnonsense\n").ends(2, &["<stdin>:2"]);
    piped(&desk, "prompt read --contract brackets", "").ends(2, &["brackets", "bracket, json, label, scale5"]);
}

#[test]
fn every_shipped_prompt_is_listed_and_sound() {
    let desk = Desk::new();
    let list = desk.run("prompt list").stdout;
    let names: Vec<&str> = list.lines().collect();
    for name in ["pairwise.en", "pairwise.ja", "pairwise-rubric.en", "pairwise-rubric.ja"] {
        assert!(names.contains(&name), "{list}");
    }
    let lint = desk.run(&format!("prompt lint {}", names.join(" ")));
    lint.ends(0, &[]);
    assert!(lint.stdout.lines().all(|line| line.ends_with(": ok")), "{}", lint.stdout);
}

#[test]
fn a_prompt_that_misses_a_slot_is_refused_before_a_call() {
    let (desk, server) = (Desk::new(), super::desk::Server::knowing());
    desk.write("blind.md", "Which is better? {prompt} {response_a}\n");
    let lint = desk.run("prompt lint blind.md");
    assert_eq!(lint.status, 1);
    assert!(lint.stdout.contains("response_b"), "{}", lint.stdout);
    desk.run(&format!("calibrate --judge {} --prompt blind.md", server.judge())).ends(2, &["blind.md", "response_b"]);
    assert_eq!(server.asked(), 0);
}

#[test]
fn lint_finds_nothing_in_the_shipped_gold_set_and_something_in_a_lopsided_one() {
    let desk = Desk::new();
    desk.write("core.jsonl", include_str!("../../../gold/core.jsonl"));
    desk.run("gold lint core.jsonl").ends(0, &[]);
    let only_a: String = super::desk::gold()
        .lines()
        .filter(|line| line.contains("\"gold\":\"a\""))
        .map(|line| format!("{line}\n"))
        .collect();
    desk.write("lopsided.jsonl", &only_a);
    assert_eq!(desk.run("gold lint lopsided.jsonl").status, 1);
}

#[test]
fn an_undecided_gate_says_which_n_would_decide() {
    let desk = Desk::new();
    let run = desk.run("calibrate --judge control:oracle?error=0.12&seed=2 --resamples 200");
    run.ends(
        3,
        &["undecided: control:oracle", "agreement_decisive: about ", " decisive pairs would decide, here about "],
    );
    // 30 labels of which some are ties: so many decisive pairs take more labels than that.
    let said = run.stderr.lines().find(|line| line.contains("agreement_decisive")).unwrap().to_owned();
    let number = |text: &str| text.split_whitespace().next().unwrap().parse::<u64>().unwrap();
    let [pairs, labels] = [1, 2].map(|at| number(said.split("about ").nth(at).unwrap()));
    assert!(labels > pairs && labels < 2 * pairs, "{said}");
    let json = desk.run("calibrate --judge control:oracle?error=0.12&seed=2 --resamples 200 --format json").json(3);
    let criteria = json["result"]["judges"][0]["gate"]["criteria"].as_array().unwrap().clone();
    let own = criteria.iter().find(|criterion| criterion["name"] == "agreement_decisive").unwrap();
    assert_eq!((own["labels_needed"].as_u64(), own["gold_needed"].as_u64()), (Some(pairs), Some(labels)));
    let gold = json["result"]["judges"][0]["accounting"]["planned"].as_u64().unwrap() / 2;
    let n = own["decided_on"]["n"].as_u64().unwrap();
    assert_eq!(labels, (pairs * gold).div_ceil(n), "{pairs} of {n} in {gold} labels");
    // One notation in a sentence, and the level of its interval.
    let reason = own["reason"].as_str().unwrap();
    assert!(reason.contains(" %, 90 % interval ") && reason.contains("the limit ≥ 75 %"), "{reason}");
    for (form, wanted) in [
        ("table", "decisive pairs would decide, here about"),
        ("markdown", "decisive pairs would"),
        ("html", "here about"),
    ] {
        let line = format!("calibrate --judge control:oracle?error=0.12&seed=2 --resamples 200 --format {form}");
        assert!(desk.run(&line).stdout.split_whitespace().collect::<Vec<_>>().join(" ").contains(wanted), "{form}");
    }
    let quiet = desk.run("--quiet calibrate --judge control:oracle?error=0.12&seed=2 --resamples 200");
    assert!(!quiet.stderr.contains("would decide"), "{}", quiet.stderr);
}

#[test]
fn the_n_of_an_undecided_gate_is_said_to_count_repeats() {
    let desk = Desk::new();
    let line = "calibrate --judge control:oracle?error=0.12&seed=2 --resamples 200";
    let run = desk.run(&format!("{line} --repeats 3"));
    run.ends(3, &[" (n counts ", "more repeats of the same ones are no substitute"]);
    assert!(!desk.run(line).stderr.contains("n counts"));
}

#[test]
fn gold_lint_reads_labels_from_a_file_of_their_own() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &super::desk::pairs());
    let head = |run: &super::Run| run.stdout.lines().next().unwrap().to_owned();
    let without = desk.run("gold lint pairs.jsonl");
    assert!(head(&without).contains("30 items, 0 labelled"), "{}", without.stdout);
    let labels: String = (0..30).map(|n| format!("q{n:02},{}\n", ["a", "b", "tie"][n % 3])).collect();
    desk.write("labels.csv", &format!("id,label\n{labels}"));
    let with = desk.run("gold lint pairs.jsonl --labels labels.csv");
    assert!(head(&with).contains("30 labelled (a 10, b 10, tie 10)"), "{}\n{}", with.stdout, with.stderr);
    desk.write("labels.csv", "id,label\nq99,a\n");
    desk.run("gold lint pairs.jsonl --labels labels.csv").ends(2, &["labels.csv:2", "q99"]);
    desk.run("gold lint pairs.jsonl pairs.jsonl --labels labels.csv").ends(2, &["--labels goes with one file"]);
}

#[test]
fn disputed_labels_are_one_warning_with_their_number_and_the_first_items() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &super::desk::pairs());
    let votes: String =
        (0..30).map(|n| format!("q{n:02},a,x\nq{n:02},{},y\n", if n < 12 { "b" } else { "a" })).collect();
    desk.write("labels.csv", &format!("id,label,annotator\n{votes}"));
    let line = "calibrate --gold pairs.jsonl --labels labels.csv --judge control:first --resamples 200 --format json";
    let run = desk.run(line);
    assert_eq!(run.stderr.matches("12 items disputed").count(), 1, "{}", run.stderr);
    let result = run.json(1)["result"]["warnings"].to_string();
    assert!(
        result.contains("12 items have no plurality of votes") && result.contains("q00, q01, q02, q03, q04, …"),
        "{result}"
    );
    assert_eq!(desk.run("validate labels.csv").stdout.matches("12 items disputed").count(), 1);
}

#[test]
fn a_wrong_field_name_in_every_record_is_said_once() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &super::desk::pairs().replace("response_b", "reponse_b"));
    let run = desk.run("validate pairs.jsonl --as pairs");
    assert_eq!(run.status, 2);
    let said = run.stdout.lines().filter(|line| line.contains("`response_b` is missing")).count();
    assert!(said == 1 && run.stdout.contains("the same in 29 more records"), "{}", run.stdout);
}

#[test]
fn a_table_whose_lines_end_in_carriage_returns_alone_is_read_as_any_other() {
    let desk = Desk::new();
    desk.write("labels.csv", "id,label\rq1,a\rq2,b\r");
    desk.run("validate labels.csv").ends(0, &[]);
    desk.write("bad.csv", "id,label\rq1,a\rq2,z\r");
    let run = desk.run("validate bad.csv");
    assert!(run.status == 2 && run.stdout.contains("bad.csv:3: field `label`"), "{}", run.stdout);
}

#[test]
fn japanese_reports_hold_no_english_sentence() {
    let desk = Desk::new();
    desk.write("gold.jsonl", &super::desk::gold());
    desk.write("pairs.jsonl", &super::desk::pairs());
    let lines = [
        "calibrate --judge control:longest --lang ja --format markdown --resamples 200",
        "calibrate --gold pairs.jsonl --judge control:longest --lang ja --format markdown --resamples 200",
        "compare --pairs pairs.jsonl --judge control:longest --lang ja --format markdown --resamples 200",
    ];
    for line in lines {
        let run = desk.run(line);
        // What follows is the command and the names of files.
        let (text, _) = run.stdout.split_once("<details>").unwrap();
        let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join("。");
        let words: Vec<&str> = plain.split_whitespace().collect();
        let is_word = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
        let found: Vec<_> = words.windows(3).filter(|three| three.iter().all(is_word)).collect();
        assert!(found.is_empty(), "{line}: {found:?}\n{text}");
    }
}
