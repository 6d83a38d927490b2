//! Awkward input files as the user of the program meets them.

use std::path::Path;

use serde_json::Value;

use crate::cli::{Desk, Run};

fn cases(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("index.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What `validate` says of the file, or `compare` of two files.
fn outcome(folder: &Path, case: &Value) -> (String, Run, Option<Value>) {
    let desk = Desk::new();
    if let Some(files) = case["files"].as_array() {
        let [a, b] = [0, 1].map(|side| folder.join(files[side].as_str().unwrap()).display().to_string());
        let run = desk.run(&format!("compare --a {a} --b {b} --judge control:longest --out r.json"));
        assert!(desk.files(".").is_empty(), "nothing is written: {:?}", desk.files("."));
        return (if run.status == 2 { "error" } else { "warn" }.to_owned(), run, None);
    }
    let file = folder.join(case["file"].as_str().unwrap()).display().to_string();
    // Good by itself, wrong beside its pairs.
    let pairs =
        if case["n"] == 42 { format!("--pairs {}", folder.join("pairs_ok.jsonl").display()) } else { String::new() };
    let run = desk.run(&format!("validate {file} {pairs} --format json"));
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    let report = json["result"]["files"][0].clone();
    let outcome = report["outcome"].as_str().unwrap().to_owned();
    assert_eq!(run.status, if outcome == "error" { 2 } else { 0 }, "{file}");
    let table = desk.run(&format!("validate {file} {pairs}"));
    assert_eq!(table.status, run.status, "{file}");
    (outcome, table, Some(report))
}

/// What is wrong with the outcome, by the words of the case.
fn complaint(folder: &Path, case: &Value) -> Option<String> {
    let (outcome, run, report) = outcome(folder, case);
    let wanted = case["outcome"].as_str().unwrap();
    if outcome != wanted && !(wanted == "accept" && outcome == "warn") {
        return (case["also_ok"] != *outcome).then(|| format!("{outcome}, wanted {wanted}"));
    }
    if let (Some(records), Some(report)) = (case["records"].as_u64(), &report)
        && report["records"] != records
    {
        return Some(format!("{} records, wanted {records}", report["records"]));
    }
    if wanted == "accept" {
        return None;
    }
    let said = format!("{}{}", run.stdout, run.stderr);
    let missing = |word: &&Value| !said.to_lowercase().contains(&word.as_str().unwrap().to_lowercase());
    if let Some(word) = case["mention"].as_array().into_iter().flatten().find(missing) {
        return Some(format!("no {word} in: {said}"));
    }
    let messages = report.map(|report| report["messages"].as_array().unwrap().clone()).unwrap_or_default();
    for key in ["line", "field"] {
        if !case[key].is_null() && !messages.iter().any(|message| message[key] == case[key]) {
            return Some(format!("no {key} {}: {messages:?}", case[key]));
        }
    }
    if let Some(line) = case["line"].as_u64().filter(|_| !said.contains(":2:") || case["line"] != 2) {
        let place = format!("{}:{line}", case["file"].as_str().unwrap());
        return (!said.contains(&place)).then(|| format!("no `{place}` in: {said}"));
    }
    None
}

#[test]
fn every_awkward_file_is_accepted_warned_about_or_refused_by_the_program_as_its_case_says() {
    let Some(folder) = super::folder() else { return };
    let folder = folder.join("cases/inputs");
    let cases = cases(&folder);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| complaint(&folder, case).map(|problem| format!("case {}: {problem}", case["n"])))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases.len() >= 48);
}

/// The one item of a file, and the text of the request about it.
fn request(folder: &Path, file: &str, order: &str) -> (Value, String) {
    let path = folder.join(file);
    let item = serde_json::from_str(std::fs::read_to_string(&path).unwrap().lines().next().unwrap()).unwrap();
    let run = Desk::new().run(&format!("prompt show --pairs {} --order {order} --json", path.display()));
    let messages = run.json(0);
    let texts = messages.as_array().unwrap().iter().map(|message| message["content"].as_str().unwrap().to_owned());
    (item, texts.collect())
}

#[test]
fn every_text_reaches_the_request_unchanged_and_in_its_slot() {
    let Some(folder) = super::folder() else { return };
    let folder = folder.join("cases/inputs");
    let files = ["emoji_scripts", "control_chars", "script_html", "braces", "planted_verdict"];
    for file in files.map(|name| format!("pairs_{name}.jsonl")) {
        for (order, first, second) in [("ab", "response_a", "response_b"), ("ba", "response_b", "response_a")] {
            let (item, text) = request(&folder, &file, order);
            let at = |field: &str| {
                let wanted = item[field].as_str().unwrap();
                text.find(&format!("\n{wanted}\n")).unwrap_or_else(|| panic!("{file}: {field} is not in the request"))
            };
            assert!(at("prompt") < at(first) && at(first) < at(second), "{file} {order}");
        }
    }
}

#[test]
fn a_planted_verdict_stays_inside_its_fence() {
    let Some(folder) = super::folder() else { return };
    let (item, text) = request(&folder.join("cases/inputs"), "pairs_planted_verdict.jsonl", "ab");
    let planted = text.find(item["response_a"].as_str().unwrap()).unwrap();
    let fence = text[..planted].trim_end().lines().last().unwrap();
    let mark = fence.split_whitespace().find(|word| word.len() == 6 && word.chars().all(|c| c.is_ascii_hexdigit()));
    let mark = mark.unwrap_or_else(|| panic!("no mark in `{fence}`"));
    let after = &text[planted + item["response_a"].as_str().unwrap().len()..];
    assert!(
        after.trim_start().lines().next().unwrap().contains(mark),
        "the fence is closed with the mark that opened it"
    );
    assert!(!item.to_string().contains(mark), "the mark is not to be guessed from the text");
}

#[test]
fn no_escape_sequence_reaches_the_terminal_and_no_nul_a_page() {
    let Some(folder) = super::folder() else { return };
    let pairs = folder.join("cases/inputs/pairs_control_chars.jsonl").display().to_string();
    let desk = Desk::new();
    let lines = [
        format!("validate {pairs}"),
        format!("prompt show --pairs {pairs}"),
        format!("compare --pairs {pairs} --judge control:longest --resamples 200"),
        format!("compare --pairs {pairs} --judge control:longest --resamples 200 --format markdown"),
        format!("compare --pairs {pairs} --judge control:longest --resamples 200 --format html"),
        format!("compare --pairs {pairs} --judge control:longest --resamples 200 --format json"),
    ];
    for line in lines {
        let run = desk.run(&line);
        assert_eq!(run.status, 0, "{line}: {}", run.stderr);
        let bad = |c: char| c.is_control() && c != '\n';
        assert!(!run.stdout.contains(bad) && !run.stderr.contains(bad), "{line}");
        if line.ends_with("html") {
            assert!(texts(&run.stdout).contains("[31mred"), "the text around the control characters is there");
        }
    }
}

/// The texts of the items of a page, which are packed in it.
fn texts(page: &str) -> String {
    crate::report::block(page, "texts").to_string()
}

#[test]
fn markup_in_a_response_is_text_on_the_page() {
    let Some(folder) = super::folder() else { return };
    let folder = folder.join("cases/inputs");
    for file in
        ["pairs_script_html.jsonl", "pairs_braces.jsonl", "pairs_planted_verdict.jsonl", "pairs_emoji_scripts.jsonl"]
    {
        let path = folder.join(file).display().to_string();
        let page =
            Desk::new().run(&format!("compare --pairs {path} --judge control:longest --resamples 200 --format html"));
        assert_eq!(page.status, 0, "{}", page.stderr);
        for live in ["<script>alert", "<img src=x", "</script><script>"] {
            assert!(!page.stdout.contains(live), "{file}: {live}");
        }
        let own = page.stdout.matches("<script").count();
        assert_eq!(own, page.stdout.matches("</script").count(), "{file}");
    }
    let page = |file: &str| {
        let path = folder.join(file).display().to_string();
        Desk::new().run(&format!("compare --pairs {path} --judge control:longest --resamples 200 --format html")).stdout
    };
    assert!(texts(&page("pairs_braces.jsonl")).contains("{{prompt}}"), "template marks are text");
    assert!(texts(&page("pairs_emoji_scripts.jsonl")).contains("👩\u{200d}🔬"), "joined emoji stay joined");
    assert!(texts(&page("pairs_script_html.jsonl")).contains("alert(1)"), "the text itself is shown");
}

#[test]
fn two_annotators_are_set_beside_each_other_and_a_dispute_is_listed() {
    let Some(folder) = super::folder() else { return };
    let file = folder.join("cases/inputs/gold_two_annotators.csv").display().to_string();
    let run = Desk::new().run(&format!("validate {file}"));
    assert!(run.stdout.contains("2 of 3") && run.stdout.contains("q2"), "{}", run.stdout);
}

#[test]
fn cells_that_look_like_formulas_are_kept_as_text() {
    let Some(folder) = super::folder() else { return };
    let file = folder.join("cases/inputs/gold_formula_cells.csv");
    let ids: Vec<String> = std::fs::read_to_string(&file).unwrap().lines().skip(1).map(str::to_owned).collect();
    let json = Desk::new().run(&format!("validate {} --format json", file.display())).json(0);
    assert_eq!(json["result"]["files"][0]["records"], ids.len());
    assert_eq!(json["result"]["files"][0]["outcome"], "accept");
}
