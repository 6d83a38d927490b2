//! Several judges in one call.

use super::Desk;
use super::desk::gold;

fn decided(judges: &[&str]) -> (i32, String) {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    let named: String = judges.iter().map(|judge| format!(" --judge {judge}")).collect();
    let run = desk.run(&format!("calibrate --gold gold.jsonl --resamples 200 --format json{named}"));
    let status = run.status;
    (status, run.json(status)["result"]["decision"].as_str().unwrap().to_owned())
}

const PASSES: &str = "control:oracle?error=0&seed=1";
const FAILS: &str = "control:first";
/// Wrong on some 15 % of the items: on 30 items that decides nothing.
const UNDECIDED: &str = "control:oracle?error=0.15&seed=5";

#[test]
fn all_have_to_pass_and_a_failure_outranks_an_open_question() {
    assert_eq!(decided(&[UNDECIDED]), (3, "inconclusive".to_owned()));
    assert_eq!(decided(&[PASSES, "control:oracle?error=0&seed=2"]), (0, "pass".to_owned()));
    assert_eq!(decided(&[PASSES, UNDECIDED]), (3, "inconclusive".to_owned()));
    assert_eq!(decided(&[PASSES, UNDECIDED, FAILS]), (1, "fail".to_owned()));
}

#[test]
fn one_table_shows_every_judge_and_the_controls_beside_them() {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    let line = format!("calibrate --gold gold.jsonl --resamples 200 --judge {PASSES} --judge {FAILS}");
    let run = desk.run_with(&line, &[("COLUMNS", "300")]);
    run.ends(1, &[]);
    let (_, card) = run.stdout.split_once("\nScorecard\n").unwrap();
    let rows: Vec<&str> = card.lines().take_while(|line| !line.is_empty()).collect();
    let decisions = [
        ("control:oracle", "PASS"),
        ("control:first", "FAIL"),
        ("control:second", "control"),
        ("control:longest", "control"),
        ("control:shortest", "control"),
        ("control:tie", "control"),
        ("control:coin", "control"),
    ];
    for (name, decision) in decisions {
        let row = rows.iter().find(|row| row.starts_with(name)).unwrap_or_else(|| panic!("no {name} in: {card}"));
        assert_eq!(row.split_whitespace().nth(1), Some(decision), "{row}");
    }
}

#[test]
fn two_judges_of_one_name_are_refused() {
    Desk::new().run("calibrate --judge control:first --judge control:first").ends(2, &["two judges", "control:first"]);
}
