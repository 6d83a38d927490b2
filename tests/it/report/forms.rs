//! The forms for other programs: each reads back, says the same as the JSON, and does nothing.

use serde_json::Value;
use tribunal::report::{Format, Lang};

use super::{calibration, comparison, fixture};

/// Everything in these answers that a spreadsheet, a terminal or an XML parser might act on.
fn hostile(format: Format) -> [String; 2] {
    let mut one = fixture::hostile_calibration();
    let mut two = fixture::hostile_comparison();
    for formula in ["=cmd|' /C calc'!A0", "+1", "-1", "@x", "\t=1", "\r=1"] {
        one.gold.categories.push(formula.to_owned());
    }
    one.gold.categories.push(format!("]]>{}", "x".repeat(1_000_000)));
    "=HYPERLINK(\"http://h\")".clone_into(&mut two.a);
    two.b = format!("]]>\u{0}\u{1b}[31m\u{202e}{}", "y".repeat(1_000_000));
    [calibration(&one, Lang::En, format), comparison(&two, Lang::En, format)]
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_line_of_json_lines_has_the_fields_of_every_other() {
    for text in hostile(Format::JsonLines) {
        let lines = lines(&text);
        let names = |line: &Value| line.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(lines[0]["record"], "run");
        assert!(lines.len() > 60, "{}", lines.len());
        assert!(lines[1..].iter().all(|line| names(line) == names(&lines[1])));
    }
}

#[test]
fn every_cell_of_a_matrix_has_a_line_under_the_names_of_the_matrix() {
    let answer = fixture::calibration();
    let document: Value = serde_json::from_str(&calibration(&answer, Lang::En, Format::Json)).unwrap();
    let lines = lines(&calibration(&answer, Lang::En, Format::JsonLines));
    let card = &document["result"]["judges"][0];
    let orders = &card["series"]["orders"];
    let sum = |start: &str| -> u64 {
        let own = lines.iter().filter(|line| line["subject"] == card["name"]);
        own.filter(|line| line["name"].as_str().is_some_and(|name| name.starts_with(start)))
            .map(|line| line["estimate"].as_u64().unwrap())
            .sum()
    };
    let all: u64 = orders["row_totals"].as_array().unwrap().iter().map(|total| total.as_u64().unwrap()).sum();
    assert!(all > 0);
    assert_eq!(sum("orders.a_shown_first_"), all, "no verdict has its cells too");
    assert_eq!(sum("orders.row_totals."), all);
    assert_eq!(sum("orders.a_shown_first_no_verdict."), orders["row_totals"][3].as_u64().unwrap());
}

#[test]
fn a_line_says_what_the_document_says() {
    let answer = fixture::calibration();
    let document: Value = serde_json::from_str(&calibration(&answer, Lang::En, Format::Json)).unwrap();
    let lines = lines(&calibration(&answer, Lang::Ja, Format::JsonLines));
    for card in document["result"]["judges"].as_array().unwrap() {
        let found = |section: &str, name: &str| {
            let is =
                |line: &&Value| line["section"] == section && line["subject"] == card["name"] && line["name"] == name;
            lines.iter().find(is).unwrap().clone()
        };
        let (flips, wanted) = (found("judges.figures", "flip_rate"), &card["figures"]["flip_rate"]);
        for (ours, theirs) in [("estimate", "point"), ("low", "lower"), ("high", "upper"), ("n", "n"), ("k", "k")] {
            assert_eq!(flips[ours], wanted[theirs], "{ours}");
        }
        let shorter = &card["figures"]["length"]["error_gold_shorter_decisive"]["point"];
        assert_eq!(&found("judges.figures", "length.error_gold_shorter_decisive")["estimate"], shorter);
        for criterion in card["gate"]["criteria"].as_array().unwrap() {
            let name = criterion["name"].as_str().unwrap();
            let line = found("judges.gate", name);
            if name == "beats_controls" {
                // The one criterion whose figure stands among no figures: its 95 % interval has a line too.
                let is = |line: &&Value| {
                    line["record"] == "figure" && line["subject"] == card["name"] && line["name"] == name
                };
                let shown = lines.iter().find(is).unwrap();
                assert_eq!(
                    (&shown["low"], &shown["level"]),
                    (&criterion["figure"]["lower"], &criterion["figure"]["level"])
                );
            }
            assert_eq!((&line["record"], &line["decision"]), (&"criterion".into(), &criterion["decision"]));
            assert_eq!(line["level"], criterion["decided_on"]["level"]);
        }
        assert_eq!(found("judges.figures", "flip_excess")["not_estimable"], "no_repeats");
    }
}

#[test]
fn the_table_reads_back_with_as_many_rows_as_there_are_lines() {
    for (text, lines) in hostile(Format::Csv).iter().zip(hostile(Format::JsonLines)) {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert_eq!(&head[..5], ["record", "section", "subject", "name", "estimate"]);
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), lines.lines().count() - 1);
        for cell in rows.iter().flatten().filter(|cell| cell.parse::<f64>().is_err()) {
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell}");
            assert!(cell.chars().count() <= 32_002, "no cell is longer than a spreadsheet takes");
        }
        assert!(text.ends_with("\r\n") && !text.contains('\u{1b}') && !text.contains('\0'));
    }
}

#[test]
fn a_negative_figure_stays_a_number() {
    let text = comparison(&fixture::comparison(), Lang::En, Format::Csv);
    let row = text.lines().find(|line| line.starts_with("figure,mcnemar,,effect,")).unwrap();
    assert!(row.starts_with("figure,mcnemar,,effect,-0.145,"), "{row}");
}

#[test]
fn test_cases_are_well_formed_whatever_they_are_called() {
    for text in hostile(Format::JUnit) {
        assert!(text.len() < 200_000, "a name of a megabyte is cut");
        assert!(!text.contains("]]>") && !text.contains("<![CDATA[") && !text.contains("<img"), "{text}");
        let mut open: Vec<&str> = Vec::new();
        for tag in text.split('<').skip(1).map(|rest| rest.split_once('>').unwrap().0) {
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
            match (tag.starts_with('?'), tag.starts_with('/'), tag.ends_with('/')) {
                (true, ..) | (_, _, true) => {}
                (_, true, _) => assert_eq!(open.pop(), Some(name)),
                _ => open.push(name),
            }
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        }
        assert!(open.is_empty());
    }
}

#[test]
fn what_did_not_pass_is_a_failure_and_never_a_skipped_test() {
    let answer = fixture::calibration();
    let text = calibration(&answer, Lang::En, Format::JUnit);
    let criteria = || answer.judges.iter().filter_map(|card| card.gate.as_ref()).flat_map(|gate| &gate.criteria);
    let word = |criterion: &tribunal::analysis::gate::Criterion| criterion.decision.as_str();
    for kind in ["fail", "inconclusive"] {
        let wanted = criteria().filter(|criterion| word(criterion) == kind).count();
        assert_eq!(text.matches(&format!("<failure type=\"{kind}\"")).count(), wanted);
        assert!(wanted > 0, "the example has both");
    }
    assert_eq!(text.matches("<testcase ").count(), criteria().count());
    assert!(!text.contains("<skipped"));
}
