#![allow(clippy::unwrap_used)]

use super::*;

fn parse(text: &str) -> Result<Recording, JudgeError> {
    Recording::parse(text.as_bytes(), "r.jsonl")
}

fn refusal(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

const LINE: &str = r#"{"judge":"mini","item":"q1","order":"ab","completion":{"text":"[[A]]","finish":"stop"}}"#;

#[test]
fn what_is_written_is_read_again() {
    let mut header = RecordingHeader::new("mini");
    header.fingerprint = Some(Fingerprint("f".repeat(64)));
    header.contract = Some("bracket".to_owned());
    let mut completion = Completion::of_text("理由\n[[A]]");
    completion.latency_ms = Some(120);
    completion.usage.input_tokens = Some(10);
    let line = RecordedLine {
        key: None,
        judge: "mini".into(),
        item: "q1".into(),
        order: Order::Ba,
        repeat: 2,
        fingerprint: header.fingerprint.clone(),
        completion: completion.clone(),
    };
    let text = write_recording(&header, &[line]).unwrap();
    let recording = parse(&text).unwrap();
    let judge = recording.choose(None).unwrap();
    assert_eq!(judge.header, header);
    let Some(Answer::Completion(read)) = judge.answer(&"q1".into(), Order::Ba, 2) else { panic!("no completion") };
    assert_eq!(**read, completion);
    assert!(judge.answer(&"q1".into(), Order::Ab, 2).is_none());
    assert!(judge.answer(&"q1".into(), Order::Ba, 0).is_none());
}

#[test]
fn a_judge_is_chosen_by_name_where_there_are_several() {
    let text = format!("{LINE}\n{}", LINE.replace("mini", "maxi"));
    let recording = parse(&text).unwrap();
    assert_eq!(recording.choose(Some("maxi")).unwrap().header.judge.as_str(), "maxi");
    assert!(recording.choose(None).unwrap_err().to_string().contains("maxi, mini"));
    assert!(recording.choose(Some("mino")).unwrap_err().to_string().contains("did you mean `mini`"));
}

#[test]
fn verdicts_are_read_by_slot_and_winners_by_identity() {
    let text = r#"{"id":"q1","judge":"m","order":"ba","verdict":"A"}
{"id":"q2","judge":"m","order":"ba","winner":"a"}
{"id":"q3","judge":"m","order":"ab","verdict":null,"raw":"dunno"}
{"id":"q4","judge":"m","order":"ab","verdict":null}"#;
    let recording = parse(text).unwrap();
    let judge = recording.choose(None).unwrap();
    assert!(!judge.needs_contract());
    for (item, order, wanted) in [
        ("q1", Order::Ba, Reading::Said(Verdict::First)),
        ("q2", Order::Ba, Reading::Said(Verdict::Second)),
        ("q3", Order::Ab, Reading::None(NoVerdict::Unparsed)),
        ("q4", Order::Ab, Reading::None(NoVerdict::Missing)),
    ] {
        let Some(Answer::Verdict(reading, _)) = judge.answer(&item.into(), order, 0) else { panic!("{item}") };
        assert_eq!(*reading, wanted, "{item}");
    }
}

#[test]
fn a_bad_line_is_named_with_file_line_and_field() {
    for (line, mention) in [
        ("{", "JSON"),
        ("[]", "object"),
        (r#"{"item":"q","order":"ab","completion":{}}"#, "`judge`"),
        (r#"{"judge":"m","order":"ab","verdict":"tie"}"#, "`item`"),
        (r#"{"judge":"m","item":"q","order":"AB","verdict":"tie"}"#, "`order`: found \"AB\""),
        (r#"{"judge":"m","item":"q","order":"ab","repeat":-1,"verdict":"tie"}"#, "`repeat`"),
        (r#"{"judge":"m","item":"q","order":"ab"}"#, "`completion`"),
        (r#"{"judge":"m","item":"q","order":"ab","verdict":"third"}"#, "`verdict`: found \"third\""),
        (r#"{"judge":"m","item":"q","order":"ab","completion":{"text":1}}"#, "`completion`"),
        (r#"{"format":2,"kind":"recording","judge":"m"}"#, "`format`: found 2"),
    ] {
        let message = refusal(&format!("\r\n{line}\n"));
        assert!(message.starts_with("r.jsonl:2: ") && message.contains(mention), "{message}");
    }
    assert!(refusal("").contains("no recorded answer"));
}

#[test]
fn a_duplicate_names_both_lines() {
    let message = refusal(&format!("{LINE}\n\n{LINE}"));
    assert!(message.starts_with("r.jsonl:3: ") && message.contains("line 1"), "{message}");
}

#[test]
fn two_fingerprints_are_two_judges() {
    let line = |item: &str, fingerprint: &str| {
        format!(r#"{{"judge":"m","item":"{item}","order":"ab","verdict":"tie","fingerprint":"{fingerprint}"}}"#)
    };
    assert!(refusal(&format!("{}\n{}", line("q1", "one"), line("q2", "two"))).contains("another judge"));
}

#[test]
fn parts_with_headers_of_their_own_make_one_recording() {
    let part = |judge: &str, item: &str| {
        format!(
            r#"{{"format":1,"kind":"recording","judge":"{judge}","contract":"bracket"}}
{{"item":"{item}","order":"ab","completion":{{"text":"[[A]]","finish":"stop"}}}}
"#
        )
    };
    let recording = parse(&[part("one", "q1"), part("two", "q1"), part("one", "q2")].concat()).unwrap();
    for (judge, item) in [("one", "q1"), ("one", "q2"), ("two", "q1")] {
        assert!(recording.choose(Some(judge)).unwrap().answer(&item.into(), Order::Ab, 0).is_some());
    }
    let other = part("one", "q2").replace("bracket", "json");
    assert!(refusal(&[part("one", "q1"), other].concat()).starts_with("r.jsonl:3: "));
}
