//! Verdicts that are written read back as the judgments that they were.

use tribunal::data::{Source, VerdictOptions, gold_set_of_facts, load_verdicts};
use tribunal::report::verdict_lines;

/// Every kind of judgment, in the form that people hand in.
const ROWS: &str = r#"{"id":"q1","judge":"j","order":"ab","repeat":0,"verdict":"first","raw":"[[A]]","grade":"A>>B","p":0.75,"fingerprint":"f","served_model":"m","usage":{"input_tokens":7,"output_tokens":2},"latency_ms":12,"cost_usd":0.5,"category":"math","group":"g","lang":"ja","turn":"1","model_a":"x","model_b":"y","len_a_chars":3,"len_b_chars":4,"gold":"a","gold_votes":[{"label":"a","annotator":"n"}]}
{"id":"q1","judge":"j","order":"ba","repeat":0,"verdict":null,"no_verdict":"refused","raw":"No.","reasoning":"hm","why":"it declined"}
{"id":"q1","judge":"j","order":"ab","repeat":1,"verdict":"tie"}
{"id":"q2","judge":"j","order":"ab","repeat":0,"verdict":null,"no_verdict":"failed","why":"status 500"}
{"id":"q2","judge":"j","order":"ba","repeat":0,"verdict":"second"}
"#;

#[test]
fn nothing_of_a_judgment_is_lost_in_a_verdict_file() {
    let load = |text: &str| {
        let source = Source::from_bytes("v.jsonl", text.as_bytes()).unwrap();
        load_verdicts(&source, &VerdictOptions::default()).unwrap().records
    };
    let first = load(ROWS);
    let written = verdict_lines(&gold_set_of_facts("v", first.items.clone()), &first.judgments);
    let second = load(&written);
    assert_eq!(second.judgments, first.judgments);
    assert_eq!(second.items, first.items);
    assert_eq!(second.judgments[0].detail.as_ref().unwrap().probability, Some(0.75));
}
