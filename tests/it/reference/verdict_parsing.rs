//! Every reply of the reference set is read as its rules say.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use tribunal::prompt::{Contract, RawReply, ReadReply, read_reply};

use super::folder;

fn outcome(read: &ReadReply) -> String {
    if let Some(grade) = &read.grade {
        return grade.clone();
    }
    match read.verdict {
        Some(tribunal::domain::Verdict::First) => "A",
        Some(tribunal::domain::Verdict::Second) => "B",
        Some(tribunal::domain::Verdict::Tie) => "tie",
        None => "invalid",
    }
    .to_owned()
}

#[test]
fn every_must_case_is_right_and_nearly_every_slip_is_recovered() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("cases/verdict_parsing.jsonl")).unwrap();
    let (mut wrong, mut missed) = (Vec::new(), Vec::new());
    let (mut should, mut recovered) = (0, 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| case[name].as_str().unwrap_or_default().to_owned();
        let contract = Contract::parse(&field("format")).unwrap();
        let finish_reason = case["finish_reason"].as_str().map(str::to_owned);
        let reply = RawReply { id: field("id"), raw: field("raw"), finish_reason };
        let read = read_reply(contract, &reply).unwrap();
        let got = outcome(&read);
        let expected = field("expected");
        let accepted = case["accept"].as_array().is_some_and(|list| list.iter().any(|one| one == got.as_str()));
        if got != expected && !accepted {
            wrong.push(format!("{} ({}): {got} instead of {expected}: {}", reply.id, field("level"), read.why));
        }
        if field("level") == "should" {
            should += 1;
            recovered += usize::from(got == expected);
        }
        if got != expected {
            missed.push(format!("{}: {got}, {expected} expected: {}", reply.id, read.why));
        }
    }
    eprintln!("recovered {recovered} of {should} slips; not as expected: {missed:#?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(recovered * 100 >= should * 95, "recovered only {recovered} of {should}");
}

#[test]
fn a_template_without_a_slot_is_refused_by_the_name_of_the_slot() {
    let Some(folder) = folder() else { return };
    let path = folder.join("cases/inputs/template_missing_slot.txt");
    let message = tribunal::prompt::load(path.to_str().unwrap()).unwrap_err().to_string();
    assert!(message.contains("response_b") && message.contains("template_missing_slot.txt"), "{message}");
}
