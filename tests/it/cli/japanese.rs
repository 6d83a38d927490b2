//! Japanese reports of inputs that their readers warn of: the warnings are Japanese too.

use super::Desk;

/// What the English report says of the files `x.…`, by its JSON.
fn english(desk: &Desk, line: &str) -> Vec<String> {
    let run = desk.run(&format!("{line} --format json"));
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    let mut found = Vec::new();
    collect(&document, &mut found);
    found
}

/// Every text behind `warnings`, wherever it stands.
fn collect(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            if let Some(serde_json::Value::Array(warnings)) = fields.get("warnings") {
                found.extend(warnings.iter().filter_map(|one| one.as_str()).map(str::to_owned));
            }
            fields.values().for_each(|field| collect(field, found));
        }
        serde_json::Value::Array(values) => values.iter().for_each(|one| collect(one, found)),
        _ => {}
    }
}

/// Two English words in a row outside code make a sentence that was left in English.
fn is_english(text: &str) -> bool {
    let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join("。");
    let words: Vec<&str> = plain.split_whitespace().collect();
    let word = |text: &str| text.len() > 1 && text.chars().all(|c| c.is_ascii_lowercase());
    words.windows(2).any(|pair| word(pair[0]) && word(pair[1]))
}

fn pair(id: &str, more: &str) -> String {
    format!("{{\"id\":\"{id}\",\"prompt\":\"p {id}\",\"response_a\":\"x {id}\",\"response_b\":\"yy {id}\"{more}}}\n")
}

#[test]
fn no_warning_of_a_reader_is_left_in_english() {
    let desk = Desk::new();
    // Responses: one side only, fields that differ, an empty response, two that are identical, prompts that are shared.
    let response = |id: &str, text: &str, more: &str| {
        format!("{{\"id\":\"{id}\",\"prompt\":\"same\",\"response\":\"{text}\"{more}}}\n")
    };
    let same = response("q1", "one", ",\"lang\":\"en\"") + &response("q2", "two", "") + &response("q3", "three", "");
    desk.write("x.a.jsonl", &(same.clone() + &response("q4", "", "") + &response("q5", "five", "")));
    desk.write("x.b.jsonl", &(same.replace("three", "3").replace("\"en\"", "\"ja\"") + &response("q4", "four", "")));
    // Gold: a slip, a label against its votes, votes without a plurality, one origin of many items.
    let gold: String = (0..6)
        .map(|n| {
            let more = match n {
                0 => ",\"gold\":\"a\",\"gold_votes\":[\"b\",\"b\",\"a\"],\"langg\":\"en\"",
                1 => ",\"gold_votes\":[\"a\",\"b\"]",
                2 => "",
                _ => ",\"gold\":\"b\"",
            };
            pair(&format!("q{n}"), &format!("{more},\"question\":{}", n / 3))
        })
        .collect();
    desk.write("x.gold.jsonl", &gold);
    desk.write(
        "x.labels.jsonl",
        "{\"id\":\"q2\",\"label\":\"a\",\"annotator\":\"kim\"}\n{\"id\":\"q2\",\"label\":\"b\",\"annotator\":\"lee\"}\n\
         {\"id\":\"q3\",\"label\":\"a\",\"annotator\":\"kim\"}\n{\"id\":\"q4\",\"label\":null,\"annotator\":\"kim\"}\n",
    );
    desk.write("x.one.jsonl", &(0..4).map(|n| pair(&format!("q{n}"), ",\"gold\":\"a\"")).collect::<String>());
    desk.write(
        "x.verdicts.jsonl",
        "{\"id\":\"q1\",\"ab\":\"a\",\"ba\":\"a\",\"gold\":\"a\"}\n{\"id\":\"q2\",\"ab\":\"b\",\"ba\":\"b\",\"gold\":\"b\"}\n{\"id\":\"q3\",\"ab",
    );
    let lines = [
        "compare --a x.a.jsonl --b x.b.jsonl --judge control:longest --resamples 200",
        "calibrate --gold x.gold.jsonl --labels x.labels.jsonl --judge control:first --resamples 200",
        "calibrate --gold x.gold.jsonl --disputed drop --judge control:first --resamples 200",
        "calibrate --gold x.one.jsonl --judge control:first --resamples 200",
        "calibrate --verdicts x.verdicts.jsonl --resamples 200",
    ];
    let mut all = Vec::new();
    for line in lines {
        let said: Vec<String> = english(&desk, line).into_iter().filter(|text| text.starts_with("x.")).collect();
        assert!(!said.is_empty(), "{line}");
        for form in ["html", "markdown", "table"] {
            let report = desk.run_with(&format!("{line} --lang ja --format {form}"), &[("COLUMNS", "2000")]).stdout;
            for text in &said {
                let (_, sentence) = text.split_once(": ").unwrap();
                let words: Vec<&str> = sentence.split(' ').collect();
                for part in words.windows(4).map(|part| part.join(" ")).filter(|part| is_english(part)) {
                    assert!(!report.contains(&part), "{line} --format {form} still says {part:?} of {text:?}");
                }
            }
            let own: Vec<&str> = report.split(['\n', '<', '>']).filter(|text| text.contains("jsonl：")).collect();
            assert!(own.len() >= said.len(), "{line} --format {form}: {own:?} for {said:?}");
            assert!(!own.iter().any(|text| is_english(text)), "{own:?}");
        }
        all.extend(said);
    }
    for part in [
        "with an empty response",
        "two identical responses",
        "share an identical prompt",
        "share 2 values of",
        "no row names a judge",
        "not in",
        "fields of the item differ",
        "is unknown; is",
        "is cut off",
        "differs from the plurality",
        "counted as a tie",
        "left without a label",
        "labels are `a`",
        "without a label left out",
        "annotators agree",
        "which wins",
    ] {
        assert!(all.iter().any(|text| text.contains(part)), "no input here makes a reader say {part:?}: {all:#?}");
    }
}
