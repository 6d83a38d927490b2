//! The numbers on the page are the numbers of the JSON, rounded.

use serde_json::Value;
use tribunal::report::{Format, Lang};

use super::{calibration, fixture};

struct Row {
    figure: String,
    judge: String,
    value: String,
}

/// The rows of every forest plot of the page.
fn rows(page: &str) -> Vec<Row> {
    let between = |text: &str, from: &str, to: &str| {
        text.split_once(from).and_then(|(_, rest)| rest.split_once(to)).map(|(inside, _)| inside.to_owned())
    };
    let plots = page.split("data-figure=\"").skip(1);
    plots
        .flat_map(|plot| {
            // The jury stands above its members in plots of its own.
            let figure = plot.split('"').next().unwrap().trim_start_matches("jury-").to_owned();
            let plot = plot.split("</figure>").next().unwrap().to_owned();
            let rows: Vec<Row> = plot
                .split("data-name=\"")
                .skip(1)
                .map(|row| Row {
                    figure: figure.clone(),
                    judge: row.split('"').next().unwrap().to_owned(),
                    value: between(row, "class=\"val\" role=\"cell\">", "<").unwrap(),
                })
                .collect();
            rows
        })
        .collect()
}

/// `47.0 % [44.7, 49.4]` as numbers, with half a unit of the last printed digit.
fn parsed(text: &str) -> Option<([f64; 3], f64)> {
    let clean = text.replace('−', "-").replace(['%', '[', ']', ',', '+'], " ").replace("pp", " ");
    let words: Vec<&str> = clean.split_whitespace().collect();
    let numbers: Vec<f64> = words.iter().map_while(|word| word.parse().ok()).collect();
    let digits = words.first()?.split_once('.').map_or(0, |(_, digits)| digits.len());
    let tolerance = 0.5 * 10_f64.powi(-i32::try_from(digits).unwrap()) + 1e-9;
    Some((numbers.try_into().ok()?, tolerance))
}

#[test]
fn every_printed_estimate_is_the_rounded_value_of_the_json() {
    let answer = fixture::calibration();
    let page = calibration(&answer, Lang::En, Format::Html);
    let json: Value = serde_json::from_str(&calibration(&answer, Lang::En, Format::Json)).unwrap();
    let cards: Vec<&Value> =
        ["judges", "controls"].iter().flat_map(|part| json["result"][part].as_array().unwrap()).collect();
    let mut compared = 0;
    for row in rows(&page) {
        let Some(card) = cards.iter().find(|card| card["name"] == row.judge.as_str()) else { continue };
        let wanted = &card["figures"][row.figure.as_str()];
        let Some(point) = wanted["point"].as_f64() else {
            assert!(row.value.starts_with("not estimable"), "{} {}", row.figure, row.value);
            continue;
        };
        let scale = if row.value.contains('%') || row.value.contains("pp") { 100.0 } else { 1.0 };
        let (found, tolerance) = parsed(&row.value).unwrap();
        let bounds = [point, wanted["lower"].as_f64().unwrap(), wanted["upper"].as_f64().unwrap()];
        for (printed, exact) in found.iter().zip(bounds) {
            assert!((printed - exact * scale).abs() <= tolerance, "{} {}: {}", row.figure, row.judge, row.value);
        }
        compared += 1;
    }
    assert!(compared >= 8 * 6 - 6, "only {compared} rows were found on the page");
}

#[test]
fn the_json_holds_full_precision_and_no_bare_absence() {
    let text = calibration(&fixture::calibration(), Lang::Ja, Format::Json);
    assert!(text.ends_with("}\n"));
    let json: Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["tool", "version", "kind", "format", "result", "manifest"]);
    assert_eq!(json["kind"], "calibration");
    let figures = &json["result"]["judges"][0]["figures"];
    assert_eq!(figures["agreement_decisive"]["point"].as_f64(), Some(111.0 / 114.0));
    assert_eq!(figures["flip_excess"]["not_estimable"], "no_repeats");
    assert!(figures["length"]["error_gold_shorter_decisive"]["k"].is_u64());
}

#[test]
fn the_calibration_page_starts_with_a_line_a_judge_that_leads_to_its_verdict() {
    let page = calibration(&fixture::calibration(), Lang::En, Format::Html);
    let (_, summary) = page.split_once("<ol class=\"summary\">").unwrap();
    let (summary, rest) = summary.split_once("</ol>").unwrap();
    for index in 1..=3 {
        assert_eq!(summary.matches(&format!("href=\"#judge-{index}\"")).count(), 1);
        assert_eq!(rest.matches(&format!("id=\"judge-{index}\"")).count(), 1);
    }
    // Every strip of the gate has its numbers.
    let strips = rest.split("class=\"crit ").skip(1).map(|crit| crit.split("class=\"because\"").next().unwrap());
    let drawn: Vec<&str> = strips.filter(|crit| crit.contains("class=\"strip\"")).collect();
    assert!(
        drawn.len() >= 15
            && drawn.iter().all(|crit| crit.contains("class=\"scale\"") && crit.contains("<text x=\"0%\""))
    );
}
