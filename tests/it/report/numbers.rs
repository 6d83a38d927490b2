//! The numbers on the page are the numbers of the JSON, rounded.

use serde_json::Value;
use tribunal::report::{Format, Lang};

use super::{calibration, comparison, fixture};

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

/// What a reader of the page sees as text, but for the items, the definitions and the ticks of axes.
fn seen(page: &str) -> String {
    let mut page = page.to_owned();
    for (from, to) in [
        ("<head>", "</head>"),
        ("<section id=\"items\"", "</section>"),
        ("<section id=\"read\"", "</section>"),
        ("<dl class=\"glossary\">", "</dl>"),
        ("<svg class=\"scale\"", "</svg>"),
        ("<script", "</script>"),
        ("<code>", "</code>"),
        // Sentences that explain a chart name levels; how many criteria hold is counted in words.
        ("<p class=\"note\"", "</p>"),
        ("<ol class=\"summary\">", "</ol>"),
        ("<figcaption><h3>", "</figcaption>"),
        // The only texts in a plane are ticks and names; its numbers are in the table under it.
        ("<text class=\"end\" x=\"10.5%\"", "</text>"),
        ("<text class=\"mid", "</text>"),
    ] {
        // Counts on the bars of a histogram are no ticks.
        let count = |part: &str| part.starts_with("<text class=\"mid count");
        let mut kept = String::new();
        let mut rest = page.as_str();
        while let Some(start) = rest.find(from) {
            let end = start + rest[start..].find(to).unwrap() + to.len();
            kept.push_str(if count(&rest[start..]) { &rest[..end] } else { &rest[..start] });
            rest = &rest[end..];
        }
        page = kept + rest;
    }
    let mut text = String::new();
    let mut inside = false;
    for c in page.chars() {
        match c {
            '<' => inside = true,
            '>' => {
                inside = false;
                text.push(' ');
            }
            c if !inside => text.push(c),
            _ => {}
        }
    }
    text.replace("&quot;", " ").replace("&#39;", " ").replace("&#x27;", " ")
}

/// The numbers in a text with half a unit of their last digit; `58½` is 58.5. Digits that belong to a word are none.
fn numbers(text: &str) -> Vec<(f64, f64, String)> {
    let letters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        if !letters[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let joins =
            |at: usize| matches!(letters[at], '.' | ',') && letters.get(at + 1).is_some_and(char::is_ascii_digit);
        while at < letters.len() && (letters[at].is_ascii_digit() || joins(at)) {
            at += 1;
        }
        let word = |c: Option<&char>| c.is_some_and(|c| c.is_ascii_alphabetic() || "-_/:=#".contains(*c));
        if word(start.checked_sub(1).and_then(|before| letters.get(before))) || word(letters.get(at)) {
            continue;
        }
        let number: String = letters[start..at].iter().filter(|c| **c != ',').collect();
        let Ok(value) = number.parse::<f64>() else { continue };
        let digits = number.split_once('.').map_or(0, |(_, digits)| digits.len());
        let half = if letters.get(at) == Some(&'½') { 0.5 } else { 0.0 };
        let context: String = letters[start.saturating_sub(40)..(at + 20).min(letters.len())].iter().collect();
        found.push((value + half, 0.5 * 10_f64.powi(-i32::try_from(digits).unwrap()) + 1e-9, context));
    }
    found
}

/// Every number of a document, those within its strings included, as it is and in percent.
fn known(value: &Value, into: &mut Vec<f64>) {
    match value {
        Value::Number(number) => {
            let number = number.as_f64().unwrap().abs();
            into.extend([number, number * 100.0, number / 2.0]);
        }
        Value::String(text) => into.extend(numbers(text).into_iter().map(|(number, ..)| number)),
        Value::Array(values) => values.iter().for_each(|value| known(value, into)),
        Value::Object(fields) => fields.values().for_each(|value| known(value, into)),
        Value::Bool(_) | Value::Null => {}
    }
}

fn every_number_is_known(page: &str, json: &str) {
    let mut there = vec![0.0001, 0.0];
    known(&serde_json::from_str(json).unwrap(), &mut there);
    there.sort_by(f64::total_cmp);
    let printed = numbers(&seen(page));
    assert!(printed.len() > 300, "only {} numbers were found on the page", printed.len());
    let mut unknown = Vec::new();
    for (number, tolerance, context) in printed {
        let next = there.partition_point(|known| *known < number - tolerance);
        let is_known = there.get(next).is_some_and(|known| *known <= number + tolerance);
        // Two sentences about what could not be decided name the level of the bounds.
        let is_level = [50.0, 80.0, 90.0, 95.0].contains(&number) && context.contains('%');
        if !is_known && !is_level {
            unknown.push(format!("{number}: …{context}…"));
        }
    }
    assert!(unknown.is_empty(), "not in the JSON:\n{}", unknown.join("\n"));
}

#[test]
fn every_number_on_both_pages_is_in_the_json_to_the_printed_digits() {
    let (one, two) = (fixture::calibration(), fixture::comparison());
    for lang in [Lang::En, Lang::Ja] {
        every_number_is_known(&calibration(&one, lang, Format::Html), &calibration(&one, lang, Format::Json));
        every_number_is_known(&comparison(&two, lang, Format::Html), &comparison(&two, lang, Format::Json));
    }
}

#[test]
fn every_drawing_has_a_name_a_description_and_its_numbers_as_text() {
    let (one, two) = (fixture::calibration(), fixture::comparison());
    for page in [calibration(&one, Lang::En, Format::Html), comparison(&two, Lang::Ja, Format::Html)] {
        let drawings: Vec<&str> = page.split("<svg ").skip(1).filter(|svg| svg.contains("role=\"img\"")).collect();
        let drawings = drawings.into_iter().filter(|svg| svg.split('>').next().unwrap().contains("role=\"img\""));
        let mut ids = std::collections::BTreeSet::new();
        for svg in drawings {
            let (_, label) = svg.split_once("aria-labelledby=\"").unwrap();
            let (title, description) = label.split('"').next().unwrap().split_once(' ').expect("both are named");
            assert!(ids.insert(title.to_owned()), "{title} is there twice");
            let told = |kind: &str, id: &str| {
                let (_, text) = svg.split_once(&format!("<{kind} id=\"{id}\">")).unwrap();
                !text.split('<').next().unwrap().trim().is_empty()
            };
            assert!(told("title", title) && told("desc", description), "{title}");
        }
        assert!(ids.len() > 8, "{ids:?}");
        let charts =
            page.split("<figure class=\"chart\"").skip(1).map(|chart| chart.split("</figure>").next().unwrap());
        for chart in charts {
            assert!(chart.contains("<table") && chart.matches("<tr>").count() > 1, "{chart}");
        }
    }
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
