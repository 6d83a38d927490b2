//! Recorded judges against each other, and as a jury.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Desk;

/// The items, of 40, on which each judge is wrong.
const WRONG: [(&str, &[usize]); 3] = [("one", &[0, 1, 2, 3]), ("three", &[3, 8, 9, 10, 11]), ("two", &[4, 5, 6, 7, 3])];

fn verdicts(judges: &[(&str, &[usize])]) -> String {
    let mut text = String::new();
    for (judge, wrong) in judges {
        for item in 0..40 {
            // Labels alternate, so that both sides are right somewhere.
            let (right, other) = if item % 2 == 0 { ("a", "b") } else { ("b", "a") };
            let said = if wrong.contains(&item) { other } else { right };
            let line = json!({"id": format!("q{item:02}"), "judge": judge, "gold": right, "ab": said, "ba": said});
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

fn result(desk: &Desk, more: &str) -> Value {
    let run = desk.run(&format!("calibrate --verdicts verdicts.jsonl --resamples 500 --format json {more}"));
    assert!([0, 1, 3].contains(&run.status), "{}", run.stderr);
    run.json(run.status)["result"].clone()
}

#[test]
fn recorded_judges_are_set_against_each_other_and_vote() {
    let desk = Desk::new();
    desk.write("verdicts.jsonl", &verdicts(&WRONG));
    let found = result(&desk, "");
    let pairs: Vec<(&str, &str)> = found["versus"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap()))
        .collect();
    assert_eq!(pairs, [("one", "three"), ("one", "two"), ("three", "two")]);
    let right = &found["versus"][0]["right"];
    assert_eq!([&right["a_only"], &right["b_only"], &right["neither"]], [4, 3, 1]);
    assert_eq!(found["versus"][0]["both_wrong"]["k"], 1);
    let jury = &found["jury"];
    assert_eq!(jury["members"], json!(["one", "three", "two"]));
    // Only item 3 is wrong for two of three, in fact for all.
    assert_eq!((&jury["figures"]["agreement_strict"]["k"], &jury["coverage"]["k"]), (&json!(39), &json!(40)));
    assert_eq!((&jury["all_wrong"]["k"], &jury["best"]), (&json!(1), &json!("one")));
    let over_best = &jury["over_best"];
    assert!((over_best["point"].as_f64().unwrap() - 3.0 / 40.0).abs() < 1e-12, "{over_best}");
    assert!(over_best["lower"].as_f64().unwrap() >= 0.0 && over_best["method"] == "bca", "{over_best}");
    let gain = &jury["gains"][0];
    assert_eq!((&gain["right"]["a_only"], &gain["right"]["b_only"]), (&json!(3), &json!(0)));
}

#[test]
fn the_order_of_judges_and_lines_changes_nothing() {
    let desk = Desk::new();
    let text = verdicts(&WRONG);
    desk.write("verdicts.jsonl", &text);
    let forth = result(&desk, "--judge one --judge two --judge three");
    let back = result(&desk, "--judge three --judge two --judge one");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.reverse();
    desk.write("verdicts.jsonl", &(lines.join("\n") + "\n"));
    let reversed = result(&desk, "");
    for other in [&back, &reversed] {
        assert_eq!((&forth["versus"], &forth["jury"]), (&other["versus"], &other["jury"]));
    }
}

#[test]
fn one_judge_is_compared_with_nobody_and_controls_sit_on_no_jury() {
    let desk = Desk::new();
    desk.write("verdicts.jsonl", &verdicts(&[WRONG[0], ("control:longest", &[1, 2])]));
    let found = result(&desk, "");
    assert_eq!((&found["versus"], &found["jury"]), (&json!([]), &Value::Null));
    let run = desk.run("calibrate --verdicts verdicts.jsonl --jury-member one --jury-member control:longest");
    run.ends(2, &["control:longest", "sit on none"]);
}

#[test]
fn members_and_rule_can_be_chosen_and_a_wrong_name_is_refused() {
    let desk = Desk::new();
    desk.write("verdicts.jsonl", &verdicts(&WRONG));
    let jury = result(&desk, "--jury unanimous --jury-member one --jury-member two")["jury"].clone();
    assert_eq!((&jury["members"], &jury["rule"]), (&json!(["one", "two"]), &json!("unanimous")));
    // They differ on 0, 1, 2 and on 4 to 7.
    assert_eq!((&jury["rulings"]["no_majority"], &jury["coverage"]["k"]), (&json!(7), &json!(33)));
    assert!(jury["notes"][0].as_str().unwrap().contains("never repairs"));
    let refused = |line: &str, words: &[&str]| {
        desk.run(&format!("calibrate --verdicts verdicts.jsonl {line}")).ends(2, words);
    };
    refused("--jury-member one --jury-member tow", &["`tow`", "two"]);
    refused("--jury-member one", &["two members"]);
    refused("--jury most", &["majority", "unanimous"]);
}

#[test]
fn two_recordings_of_one_judge_differ_nowhere() {
    let desk = Desk::new();
    desk.write("verdicts.jsonl", &verdicts(&[("x", WRONG[0].1), ("y", WRONG[0].1)]));
    let found = result(&desk, "");
    let pair = &found["versus"][0];
    assert_eq!((&pair["right"]["p_exact"], &pair["right"]["difference"]["point"]), (&json!(1.0), &json!(0.0)));
    assert_eq!((&pair["kappa"]["point"], &found["jury"]["over_best"]["point"]), (&json!(1.0), &json!(0.0)));
    assert_eq!(found["jury"]["shared_errors"]["point"], 1.0);
}

#[test]
fn every_format_says_what_a_jury_adds() {
    let desk = Desk::new();
    desk.write("verdicts.jsonl", &verdicts(&WRONG));
    for format in ["table", "markdown", "html"] {
        for (lang, words) in [
            ("en", ["Judges against each other", "best member, one"]),
            ("ja", ["判定者どうしの比較", "最良の判定者 one"]),
        ] {
            let run = desk
                .run(&format!("calibrate --verdicts verdicts.jsonl --resamples 200 --format {format} --lang {lang}"));
            for word in words {
                assert!(run.stdout.contains(word), "no `{word}` in {format} {lang}: {}", run.stdout);
            }
        }
    }
}
