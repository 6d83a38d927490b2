//! Every form of output from the command line, and the refusal where one makes no sense.

use super::Desk;
use super::desk::{gold, pairs};

const CALIBRATE: &str = "calibrate --gold gold.jsonl --judge control:first --resamples 200";
const COMPARE: &str = "compare --pairs pairs.jsonl --judge control:longest --resamples 200";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    desk.write("pairs.jsonl", &pairs());
    desk
}

#[test]
fn the_ending_of_a_file_chooses_the_forms_for_programs_too() {
    let desk = desk();
    let starts = [("r.csv", "record,section,subject"), ("r.jsonl", "{\"record\":\"run\""), ("r.xml", "<?xml")];
    for (name, start) in starts {
        desk.run(&format!("{CALIBRATE} --out {name}")).ends(1, &["written", name]);
        assert!(desk.read(name).starts_with(start), "{name}");
        desk.run(&format!("{COMPARE} --require better --out c-{name}"));
        assert!(desk.read(&format!("c-{name}")).starts_with(start), "{name}");
    }
}

#[test]
fn a_form_that_makes_no_sense_is_refused_with_the_reason_before_anything_is_done() {
    let desk = desk();
    desk.run(&format!("{COMPARE} --format junit")).ends(2, &["nothing has to hold", "--require"]);
    desk.run("plan --format html").ends(2, &["a plan has no page", "csv"]);
    desk.run("plan --format junit").ends(2, &["nothing in it passes or fails", "markdown"]);
    desk.run("validate gold.jsonl --format html").ends(2, &["no page", "junit"]);
    desk.run("gold lint gold.jsonl --format html").ends(2, &["no page", "junit"]);
}

#[test]
fn a_plan_is_a_table_of_figures_too() {
    let desk = Desk::new();
    let table = desk.run("plan --effect 0.6 --format csv");
    table.ends(0, &[]);
    assert!(table.stdout.contains("count,effects,0.6,items,"), "{}", table.stdout);
    let lines = desk.run("plan --effect 0.6 --format jsonl").stdout;
    assert_eq!(lines.lines().count(), table.stdout.lines().count(), "a head in both");
}

#[test]
fn findings_about_files_are_rows_lines_and_test_cases() {
    let desk = Desk::new();
    desk.write("fine.jsonl", &gold());
    desk.write("=bad.jsonl", "{\"id\":\"q1\",\"prompt\":\"p\"}\n");
    let line = "validate fine.jsonl =bad.jsonl --format";
    let table = desk.run(&format!("{line} csv"));
    table.ends(2, &[]);
    assert!(table.stdout.contains("\r\nfinding,'=bad.jsonl,error,error,1,"), "{}", table.stdout);
    let lines = desk.run(&format!("{line} jsonl"));
    let last: serde_json::Value = serde_json::from_str(lines.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["record"], &last["path"], &last["line"]), (&"finding".into(), &"=bad.jsonl".into(), &1.into()));
    let cases = desk.run(&format!("{line} junit"));
    assert!(cases.stdout.contains("tests=\"2\" failures=\"1\"") && cases.stdout.contains("<failure type=\"findings\""));
    let marked = desk.run(&format!("{line} markdown"));
    assert!(marked.stdout.starts_with("| path | outcome |"), "{}", marked.stdout);
    let lint = desk.run("gold lint fine.jsonl --format csv");
    lint.ends(1, &[]);
    assert!(lint.stdout.contains(",warning,"), "{}", lint.stdout);
}
