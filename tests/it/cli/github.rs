//! `--github`: the summary of a step, and annotations that no name can turn into commands.

use super::Desk;
use super::desk::{gold, pairs};

const LINE: &str = "calibrate --gold gold.jsonl --judge control:first --resamples 200 --github";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    desk.write("pairs.jsonl", &pairs());
    desk
}

fn summary(desk: &Desk) -> [(&'static str, String); 1] {
    [("GITHUB_STEP_SUMMARY", desk.path("summary.md").display().to_string())]
}

fn run(desk: &Desk, line: &str) -> super::Run {
    let [(name, path)] = summary(desk);
    desk.run_with(line, &[(name, &path)])
}

/// The lines that the runner would obey.
fn commands(run: &super::Run) -> Vec<&str> {
    let lines = run.stdout.lines().chain(run.stderr.lines());
    lines.filter(|line| line.trim_start().starts_with("::") || line.contains("##[")).collect()
}

#[test]
fn the_summary_is_added_to_and_what_does_not_hold_is_annotated() {
    let desk = desk();
    desk.write("summary.md", "before\n");
    let first = run(&desk, &format!("{LINE} --format json --out r.json"));
    first.ends(1, &["::error title=control%3Afirst"]);
    let text = desk.read("summary.md");
    assert!(text.starts_with("before\n## Judge calibration"), "{text}");
    assert!(!desk.read("r.json").contains("--github"), "it changes no byte of the result");
    run(&desk, "compare --pairs pairs.jsonl --judge control:longest --resamples 200 --github --require better");
    let text = desk.read("summary.md");
    assert!(text.contains("## Judge calibration") && text.contains("## Comparison"), "{text}");
}

#[test]
fn without_the_variable_it_is_refused_and_without_the_flag_nothing_happens() {
    let desk = desk();
    desk.run(LINE).ends(2, &["GITHUB_STEP_SUMMARY", "hint"]);
    let quiet = run(&desk, &LINE.replace(" --github", ""));
    quiet.ends(1, &[]);
    assert!(commands(&quiet).is_empty() && !desk.has("summary.md"));
    desk.run_with(LINE, &[("GITHUB_STEP_SUMMARY", "no/such/folder.md")]).ends(2, &["no/such/folder.md"]);
}

#[test]
fn a_full_summary_takes_nothing_more() {
    let desk = desk();
    let full = "x".repeat(1024 * 1024 - 300);
    desk.write("summary.md", &full);
    run(&desk, LINE).ends(1, &[]);
    let text = desk.read("summary.md");
    assert!(text.len() <= 1024 * 1024 && text.contains("left out"), "{}", text.len());
}

#[test]
fn hostile_names_give_no_command() {
    let desk = desk();
    let name = "%0A::error::x\n::add-mask::y ##[error]z";
    let lines: String = gold()
        .lines()
        .flat_map(|line| {
            let item: serde_json::Value = serde_json::from_str(line).unwrap();
            let row = |order| {
                serde_json::json!({"id": item["id"], "judge": format!("::stop-commands::{name}"), "order": order,
                    "verdict": "first", "gold": item["gold"], "category": name, "len_a_chars": 3, "len_b_chars": 4})
            };
            [row("ab"), row("ba")].map(|row| format!("{row}\n"))
        })
        .collect();
    desk.write("verdicts.jsonl", &lines);
    for format in ["table", "markdown", "csv", "json", "junit"] {
        let run =
            run(&desk, &format!("calibrate --verdicts verdicts.jsonl --resamples 200 --github --format {format}"));
        assert!([1, 3].contains(&run.status), "{}", run.stderr);
        let obeyed: Vec<&str> = run.stderr.lines().filter(|line| line.trim_start().starts_with("::")).collect();
        assert!(
            obeyed.iter().all(|line| ["::error ", "::warning "].iter().any(|own| line.starts_with(own))),
            "{obeyed:?}"
        );
        assert!(!run.stderr.contains("##["), "{}", run.stderr);
        let starts = run.stdout.lines().filter(|line| line.trim_start().starts_with("::")).count();
        assert_eq!(starts, 0, "{format}: {}", run.stdout);
    }
}

#[test]
fn findings_stand_at_their_line_of_their_file() {
    let desk = Desk::new();
    desk.write("bad.jsonl", "{\"id\":\"q1\",\"prompt\":\"p\"}\n");
    let found = run(&desk, "validate bad.jsonl --github");
    found.ends(2, &["::error file=bad.jsonl,line=1,title="]);
    assert!(desk.read("summary.md").starts_with("## Input files\n\n| path |"));
    desk.write("gold.jsonl", &gold());
    run(&desk, "gold lint gold.jsonl --github").ends(1, &["::warning file=gold.jsonl,title="]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_summary_that_is_no_file_is_refused_before_anything_is_written_or_waited_for() {
    let desk = desk();
    let made = std::process::Command::new("mkfifo").arg(desk.path("pipe")).status();
    let pipe = desk.path("pipe").display().to_string();
    let places =
        if made.is_ok_and(|status| status.success()) { vec![pipe.as_str(), "/dev/full"] } else { vec!["/dev/full"] };
    for place in places {
        let run = desk.run_with(&format!("{LINE} --out r.json"), &[("GITHUB_STEP_SUMMARY", place)]);
        run.ends(2, &["is no regular file"]);
        assert!(!desk.has("r.json") && !desk.has("certificates"));
    }
}

#[test]
fn findings_about_hostile_ids_give_no_command_in_any_form() {
    let desk = desk();
    let item = |id: &str| {
        serde_json::json!({"id": id, "prompt": "p", "response_a": "x", "response_b": "x", "gold": "a"}).to_string()
            + "\n"
    };
    desk.write("bad.jsonl", &(item("q\n::error::no") + &item("r\n##[error]no") + &item("s\n  ::stop-commands::x")));
    for form in ["table", "junit", "markdown", "csv", "jsonl", "json"] {
        for line in ["gold lint bad.jsonl", "validate bad.jsonl"] {
            let lint = desk.run(&format!("{line} --format {form}"));
            assert!(lint.stdout.contains("error") || form == "table", "{form}");
            let obeyed = |line: &&str| {
                let is_data = ["csv", "jsonl", "json"].contains(&form);
                line.trim_start().starts_with("::") || !is_data && line.contains("##[")
            };
            let found: Vec<&str> = lint.stdout.lines().filter(obeyed).collect();
            assert!(found.is_empty(), "{line} {form}: {found:?}");
        }
    }
}
