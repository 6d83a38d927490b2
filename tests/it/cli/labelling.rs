//! Labelling by piped keys, and the way from labels to a corrected comparison.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::Desk;
use super::desk::Run;

/// Pairs of which `a` is the longer in two of three; everything that could tell who wrote what says `secret`.
fn pairs(n: usize) -> String {
    let pair = |n: usize| {
        let long = "a much longer answer ".repeat(1 + n % 3);
        let (a, b) = if n.is_multiple_of(3) { ("short".to_owned(), long) } else { (long, "short".to_owned()) };
        let item = json!({"id": format!("secret-{n:03}"), "prompt": format!("p{n}"), "response_a": a, "response_b": b,
            "model_a": "secret-x", "model_b": "secret-y", "category": "secret-z", "meta": {"of": "secret"}});
        format!("{item}\n")
    };
    (0..n).map(pair).collect()
}

fn typed(desk: &Desk, line: &str, keys: &str) -> Run {
    let mut command = desk.command(line);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    // Who quits early reads no further keys.
    let _ = child.stdin.take().expect("it is piped").write_all(keys.as_bytes());
    child.wait_with_output().expect("it ends").into()
}

fn rows(desk: &Desk, file: &str) -> Vec<Value> {
    desk.read(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Keys that call the longer answer better, for the pairs as `run` showed them.
fn longer_is_better(shown: &str) -> Vec<&'static str> {
    let answers = shown.split("\nAnswer A:\n").skip(1).map(|rest| rest.split_once("\nAnswer B:\n").unwrap());
    answers
        .map(|(a, b)| {
            if b.starts_with("short") {
                "a"
            } else {
                assert!(a.starts_with("short"));
                "b"
            }
        })
        .collect()
}

/// The keys for all pairs of a command: it shows the next pair where one is skipped.
fn keys_for(desk: &Desk, line: &str, n: usize) -> String {
    let seen = typed(desk, line, &"s\n".repeat(n - 1)).stdout;
    longer_is_better(&seen).join("\n") + "\n"
}

#[test]
fn labels_of_a_sample_are_exported_and_correct_the_comparison() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &pairs(60));
    let label = "gold label pairs.jsonl --annotator kim --sample 20 --seed 7";
    let keys = keys_for(&desk, label, 20);
    assert!(!desk.has("pairs.labels.jsonl"), "who skips everything leaves no file");
    let keys = format!("{}t\n", keys.strip_suffix("a\n").or(keys.strip_suffix("b\n")).unwrap());
    typed(&desk, label, &keys).ends(0, &["gold export pairs.jsonl"]);
    let labels = rows(&desk, "pairs.labels.jsonl");
    let all: BTreeSet<&str> = labels.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(all.len(), 20);
    for row in &labels[..19] {
        // Labels are of responses, on whichever side they were shown.
        let n: usize = row["id"].as_str().unwrap()[7..].parse().unwrap();
        assert_eq!(row["label"], if n.is_multiple_of(3) { "b" } else { "a" }, "{row}");
        assert_eq!(row["sampled"], json!({"n": 20, "seed": 7, "of": 60}));
    }
    assert!(["ab", "ba"].iter().all(|side| labels.iter().any(|row| row["shown"] == *side)));
    desk.run("gold export pairs.jsonl --out gold.jsonl").ends(0, &["60 pairs, 20 with gold"]);
    let compare = "compare --pairs gold.jsonl --judge control:longest --resamples 200 --format json";
    let found = desk.run(compare).json(0)["result"]["correction"].clone();
    assert_eq!(
        (&found["method"], &found["valid_when"], &found["inputs"]["labelled"], &found["inputs"]["sample"]),
        (&json!("ppi_plus_plus"), &json!("gold_is_a_random_sample"), &json!(20), &json!({"n": 20, "seed": 7}))
    );
    assert_eq!(rows(&desk, "gold.jsonl")[0]["meta"]["of"], "secret", "what was there stays");
}

#[test]
fn a_sample_with_a_gap_corrects_nothing_and_only_fits_its_own_pairs() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &pairs(60));
    let label = "gold label pairs.jsonl --annotator kim --sample 12";
    typed(&desk, label, &("s\n".to_owned() + &"a\n".repeat(11))).ends(4, &[]);
    desk.run("gold export pairs.jsonl --out gold.jsonl").ends(0, &["1 of 12 drawn pairs have no label yet"]);
    let compare = "compare --pairs gold.jsonl --judge control:longest --resamples 200 --format json";
    assert_eq!(desk.run(compare).json(0)["result"]["correction"]["missing"][0], "whole_sample");
    typed(&desk, "gold label pairs.jsonl --annotator kim --sample 13", "a\n")
        .ends(2, &["records a sample of 12 by seed 1", "--out"]);
    // Without the flag the recorded sample goes on.
    typed(&desk, "gold label pairs.jsonl --annotator kim", "a\n").ends(0, &["going on with the sample of 12"]);
    desk.write("pairs.jsonl", &pairs(61));
    typed(&desk, "gold label pairs.jsonl --annotator kim", "").ends(2, &["there are 61 pairs now"]);
    desk.run("gold export pairs.jsonl --out more.jsonl").ends(2, &["there are 61 pairs now"]);
    assert!(!desk.has("more.jsonl"));
}

#[test]
fn the_annotator_learns_nothing_of_systems_gold_or_other_labels() {
    let desk = Desk::new();
    let with_gold: String = pairs(6)
        .lines()
        .map(|line| {
            let mut item: Value = serde_json::from_str(line).unwrap();
            item["gold"] = json!("a");
            item["gold_votes"] = json!(["b", "b"]);
            item["response_a"] = json!("short\u{1b}[2J\u{202e}");
            if item["id"] == "secret-000" {
                item["response_b"] = item["response_a"].clone();
            }
            format!("{item}\n")
        })
        .collect();
    desk.write("pairs.jsonl", &with_gold);
    let lee = typed(&desk, "gold label pairs.jsonl --annotator lee", &"a\n".repeat(6));
    let kim = typed(&desk, "gold label pairs.jsonl --annotator kim --lang ja", &"t\n".repeat(6));
    for run in [&lee, &kim] {
        run.ends(0, &[]);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(!said.contains("secret") && !said.contains("votes"), "{said}");
        assert!(!said.contains('\u{1b}') && !said.contains('\u{202e}') && said.contains("short␛[2J⟨U+202E⟩"));
    }
    assert!(lee.stdout.contains("No pair has labels of two people yet."), "{}", lee.stdout);
    assert!(kim.stdout.contains("共通のペア6件：ラベルの組6のうち0が一致"), "{}", kim.stdout);
    assert!(kim.stdout.contains("6件中6件"));
}

#[test]
fn a_second_sitting_goes_on_undo_takes_back_and_nobody_is_taken_for_somebody_else() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &pairs(4));
    let first = typed(&desk, "gold label pairs.jsonl --annotator kim", "a\nb\nu\nx\nt\nq\n");
    first.ends(4, &[]);
    assert!(first.stdout.contains("no such key") && first.stdout.contains("taken back"), "{}", first.stdout);
    let before = desk.read("pairs.labels.jsonl");
    let labels = rows(&desk, "pairs.labels.jsonl");
    assert_eq!((labels.len(), &labels[1]["label"]), (2, &json!("tie")));
    assert_eq!(labels[0]["at"], "2026-09-21T14:13:20Z");
    // A label of the sitting before can be taken back too, and the others stay as they are, byte for byte.
    let again = typed(&desk, "gold label pairs.jsonl --annotator kim", "u\nq\n");
    assert!(again.stdout.contains("2 of 4 labelled") && again.stdout.contains("1 of 4 labelled"), "{}", again.stdout);
    assert!(before.starts_with(&desk.read("pairs.labels.jsonl")));
    typed(&desk, "gold label pairs.jsonl", "a\n").ends(2, &["--annotator NAME"]);
    let command = "gold label pairs.jsonl --quiet";
    let mut lee = desk.command(command);
    let run: Run = lee.env("USER", "lee").output().unwrap().into();
    run.ends(2, &["somebody else than lee", "--annotator NAME"]);
    typed(&desk, "gold label pairs.jsonl --annotator lee", "a\na\na\na\n").ends(0, &[]);
    typed(&desk, "gold label pairs.jsonl --annotator kim", "a\na\na\n").ends(0, &[]);
    assert_eq!(rows(&desk, "pairs.labels.jsonl").len(), 8);
    let validated = desk.run("validate pairs.labels.jsonl --pairs pairs.jsonl");
    validated.ends(0, &[]);
    assert!(!validated.stdout.contains("is meant?") && !validated.stderr.contains("is meant?"), "{validated:?}");
    typed(&desk, "gold label pairs.jsonl --annotator kim --out pairs.jsonl", "a\n").ends(2, &["labels go elsewhere"]);
    assert_eq!(desk.read("pairs.jsonl"), pairs(4));
}

#[test]
fn a_killed_sitting_keeps_every_label_that_was_given() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &pairs(5));
    let mut command = desk.command("gold label pairs.jsonl --annotator kim");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut keys = child.stdin.take().unwrap();
    keys.write_all(b"a\nb\n").unwrap();
    super::desk::within_20_s(|| desk.has("pairs.labels.jsonl") && desk.read("pairs.labels.jsonl").lines().count() == 2);
    typed(&desk, "gold label pairs.jsonl --annotator lee", "a\n").ends(2, &["already", "--out"]);
    child.kill().unwrap();
    child.wait().unwrap();
    // As if the kill had struck while a line was written.
    desk.write("pairs.labels.jsonl", &format!("{}{{\"id\":\"secr", desk.read("pairs.labels.jsonl")));
    typed(&desk, "gold label pairs.jsonl --annotator kim", "a\nb\nt\n").ends(0, &["not written to its end"]);
    let labels = rows(&desk, "pairs.labels.jsonl");
    let labelled: BTreeSet<&str> = labels.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!((labels.len(), labelled.len()), (5, 5));
}

#[test]
fn labels_do_not_go_over_to_texts_that_nobody_saw() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &pairs(3));
    typed(&desk, "gold label pairs.jsonl --annotator kim", "a\na\n").ends(4, &[]);
    let labelled = rows(&desk, "pairs.labels.jsonl")[0]["id"].as_str().unwrap().to_owned();
    let changed: String = pairs(3)
        .lines()
        .map(|line| if line.contains(&labelled) { line.replace("short", "shorter") } else { line.to_owned() } + "\n")
        .collect();
    desk.write("pairs.jsonl", &changed);
    let said = "has labels of texts that are others now";
    typed(&desk, "gold label pairs.jsonl --annotator kim", "a\n").ends(2, &[said, &labelled]);
    desk.run("gold export pairs.jsonl --out gold.jsonl").ends(2, &[said, &labelled]);
    assert!(!desk.has("gold.jsonl"));
    desk.write("pairs.jsonl", &pairs(3));
    desk.run("gold export pairs.jsonl --out gold.jsonl").ends(0, &[]);
}

#[test]
fn a_vote_that_the_pairs_carry_already_counts_once_and_the_hint_names_another_file() {
    let desk = Desk::new();
    let with_votes: String = pairs(1)
        .lines()
        .map(|line| {
            let mut item: Value = serde_json::from_str(line).unwrap();
            item["gold_votes"] = json!([{"label": "tie", "annotator": "kim"}]);
            format!("{item}\n")
        })
        .collect();
    desk.write("gold.jsonl", &with_votes);
    typed(&desk, "gold label gold.jsonl --annotator kim", "t\n").ends(0, &["--out gold.labelled.jsonl"]);
    desk.run("gold export gold.jsonl --out gold.labelled.jsonl").ends(0, &[]);
    assert_eq!(rows(&desk, "gold.labelled.jsonl")[0]["gold_votes"].as_array().unwrap().len(), 1);
    // Neither the pairs nor the labels are written over, by any name.
    for own in ["gold.jsonl", "./gold.jsonl", "gold.labels.jsonl"] {
        desk.run(&format!("gold export gold.jsonl --force --out {own}")).ends(2, &["is read here"]);
    }
    let other = desk.read("gold.labels.jsonl").replace("\"tie\"", "\"a\"");
    desk.write("gold.labels.jsonl", &other);
    // Who labels goes on: what the pairs say is the export's business.
    typed(&desk, "gold label gold.jsonl --annotator kim", "q\n").ends(0, &[]);
    desk.run("gold export gold.jsonl --out again.jsonl").ends(2, &["two labels by", "kim"]);
}

#[test]
fn labels_are_exported_to_standard_output_and_to_no_table() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &pairs(1));
    typed(&desk, "gold label pairs.jsonl --annotator kim --labels l.jsonl", "t\n").ends(0, &["labels: l.jsonl"]);
    desk.run("gold export pairs.jsonl --labels l.jsonl --out gold.csv").ends(2, &["JSON Lines"]);
    let run = desk.run("gold export pairs.jsonl --labels l.jsonl --out -");
    run.ends(0, &[]);
    assert!(run.stdout.starts_with("{\"id\":\"secret-000\"") && !desk.has("-"), "{}", run.stdout);
}

#[test]
fn who_has_labelled_all_lets_the_next_one_begin() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &pairs(2));
    let mut command = desk.command("gold label pairs.jsonl --annotator kim");
    let mut kim = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut keys = kim.stdin.take().unwrap();
    keys.write_all(b"a\nb\n").unwrap();
    super::desk::within_20_s(|| desk.has("pairs.labels.jsonl") && desk.read("pairs.labels.jsonl").lines().count() == 2);
    super::desk::within_20_s(|| typed(&desk, "gold label pairs.jsonl --annotator lee", "t\nt\n").status == 0);
    keys.write_all(b"u\n").unwrap();
    Run::from(kim.wait_with_output().unwrap()).ends(2, &["by somebody else since the last label"]);
    assert_eq!(rows(&desk, "pairs.labels.jsonl").len(), 4, "nothing of lee's is cut off");
}

#[test]
fn who_labels_by_lines_and_is_read_by_nobody_labels_nothing() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &pairs(3));
    let mut command = desk.command("gold label pairs.jsonl --annotator kim");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let _ = child.stdin.take().unwrap().write_all(b"a\na\na\n");
    Run::from(child.wait_with_output().unwrap()).ends(4, &[]);
    assert!(!desk.has("pairs.labels.jsonl") || desk.read("pairs.labels.jsonl").lines().count() < 3);
}

#[test]
fn what_is_said_at_the_end_is_in_the_language_asked_for() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &pairs(1));
    let run = typed(&desk, "gold label pairs.jsonl --annotator kim --lang ja", "t\n");
    run.ends(0, &["ラベル: pairs.labels.jsonl", "正解にするには: tribunal gold export"]);
    assert!(!run.stderr.contains("as gold"), "{}", run.stderr);
}
