#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A completion of these tokens; each with its alternatives and their probabilities.
fn completion(tokens: &[(&str, &[(&str, f64)])]) -> Completion {
    let mut completion = Completion::of_text(tokens.iter().map(|(text, _)| *text).collect::<String>());
    let content: Vec<Value> = tokens
        .iter()
        .map(|(text, others)| {
            let others: Vec<Value> = others.iter().map(|(t, p)| json!({"token": t, "logprob": p.ln()})).collect();
            json!({"token": text, "logprob": others.first().map_or(json!(0.0), |one| one["logprob"].clone()),
                "top_logprobs": others})
        })
        .collect();
    completion.logprobs = Some(json!({"content": content}));
    completion
}

fn verdict(contract: Contract, completion: &Completion) -> ReadVerdict {
    read(contract, completion, contract.read(&completion.text, completion.finish))
}

fn said(contract: Contract, completion: &Completion) -> (Verdict, f64) {
    let read = verdict(contract, completion);
    let Reading::Said(verdict) = read.reading else { panic!("{read:?}") };
    (verdict, read.probability.unwrap())
}

fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() < 1e-9, "{found} instead of {wanted}");
}

#[test]
fn the_labels_share_the_mass_and_a_tie_counts_half() {
    let answer = completion(&[
        ("[[", &[]),
        ("A", &[("A", 0.5), ("B", 0.2), (" b", 0.1), ("C", 0.1), ("The", 0.05)]),
        ("]]", &[]),
    ]);
    let (verdict, probability) = said(Contract::Bracket, &answer);
    assert_eq!(verdict, Verdict::First);
    near(probability, (0.5 + 0.1 / 2.0) / 0.9);
}

#[test]
fn the_verdict_is_the_label_with_the_most_mass_not_the_one_that_was_drawn() {
    let answer = completion(&[("[[", &[]), ("A", &[("B", 0.6), ("A", 0.4)]), ("]]", &[])]);
    let (verdict, probability) = said(Contract::Bracket, &answer);
    assert_eq!(verdict, Verdict::Second);
    near(probability, 0.4);
}

#[test]
fn the_token_is_the_one_that_decides_and_no_mention_of_a_letter() {
    let decoy: &[(&str, f64)] = &[(" A", 0.01), (" B", 0.99)];
    let own: &[(&str, f64)] = &[("A", 0.8), ("B", 0.2)];
    let answer = completion(&[
        ("Answer", &[]),
        (" A", decoy),
        (" names the port.\n", &[]),
        ("[[", &[]),
        ("A", own),
        ("]]", &[]),
        (" since answer", &[]),
        (" A", decoy),
        (" is right.", &[]),
    ]);
    near(said(Contract::Bracket, &answer).1, 0.8);
    let answer = completion(&[("Reply", &[]), (" A", decoy), (" is off.\nVerdict:", &[]), (" tie", &[(" tie", 1.0)])]);
    let (verdict, probability) = said(Contract::Label, &answer);
    assert_eq!(verdict, Verdict::Tie);
    near(probability, 0.5);
    let answer = completion(&[("{\"reason\":\"x\",\"winner\":\"", &[]), ("A", own), ("\"}", &[])]);
    near(said(Contract::Json, &answer).1, 0.8);
}

#[test]
fn a_single_letter_is_enough_and_a_letter_cut_off_is_not() {
    let mut answer = completion(&[("B", &[("B", 0.75), ("A", 0.25)])]);
    assert_eq!(said(Contract::Bracket, &answer).0, Verdict::Second);
    near(said(Contract::Bracket, &answer).1, 0.25);
    answer.finish = FinishReason::Length;
    let read = verdict(Contract::Bracket, &answer);
    assert_eq!(read.reading, Reading::None(NoVerdict::Truncated));
    assert!(read.why.contains("max_tokens"), "{}", read.why);
}

#[test]
fn an_answer_without_a_verdict_keeps_its_own_reason() {
    for (finish, kind) in [
        (FinishReason::ContentFilter, NoVerdict::Filtered),
        (FinishReason::Refusal, NoVerdict::Refused),
        (FinishReason::Length, NoVerdict::Truncated),
        (FinishReason::Stop, NoVerdict::Unparsed),
    ] {
        let mut answer = completion(&[("Hm", &[("A", 1.0)])]);
        answer.finish = finish;
        assert_eq!(verdict(Contract::Bracket, &answer).reading, Reading::None(kind));
    }
}

#[test]
fn numbers_that_are_none_give_no_verdict_and_say_why() {
    let good = completion(&[("A", &[("A", 0.5)])]);
    let with = |logprobs: Value| {
        let mut answer = good.clone();
        answer.logprobs = Some(logprobs);
        verdict(Contract::Bracket, &answer)
    };
    let one = |token: Value| json!({"content": [token]});
    for (logprobs, mention) in [
        (json!({}), "no form"),
        (json!(7), "no form"),
        (json!({"content": [{"logprob": -1}]}), "no form"),
        (json!({"content": []}), "no single token"),
        (one(json!({"token": "X", "logprob": 0})), "no single token"),
        (one(json!({"token": "A"})), "no label has any mass"),
        (one(json!({"token": "A", "logprob": "NaN", "top_logprobs": "many"})), "no label has any mass"),
        (one(json!({"token": "A", "logprob": -9999})), "no label has any mass"),
        (one(json!({"token": "A", "logprob": 3.5})), "no log-probability"),
        (one(json!({"token": "A", "logprob": 0, "top_logprobs": [{"token": "B", "logprob": 0}]})), "more than one"),
        (one(json!({"token": "A", "logprob": -1, "top_logprobs": [{"token": "B", "logprob": -1}]})), "same mass"),
    ] {
        let read = with(logprobs.clone());
        assert_eq!(read.reading, Reading::None(NoVerdict::Unparsed), "{logprobs}");
        assert!(read.why.contains(mention) && read.probability.is_none(), "{logprobs}: {}", read.why);
    }
    let mut bare = good;
    bare.logprobs = None;
    assert!(verdict(Contract::Bracket, &bare).why.contains("sent none"));
}

#[test]
fn tokens_of_another_text_are_no_evidence() {
    let mut answer = completion(&[("[[", &[]), ("B", &[("B", 1.0)]), ("]]", &[])]);
    answer.text = "[[A]]".to_owned();
    assert_eq!(verdict(Contract::Bracket, &answer).reading, Reading::None(NoVerdict::Unparsed));
}

#[test]
fn the_other_services_lists_are_read_alike() {
    let mut answer = Completion::of_text("[[A]]");
    let candidates = json!({"candidates": [{"token": "A", "logProbability": 0.9_f64.ln()},
        {"token": "B", "logProbability": 0.1_f64.ln()}]});
    answer.logprobs = Some(json!({
        "chosenCandidates": [{"token": "[["}, {"token": "A", "logProbability": 0.9_f64.ln()}, {"token": "]]"}],
        "topCandidates": [{}, candidates, {}]}));
    near(said(Contract::Bracket, &answer).1, 0.9);
}

#[test]
fn what_no_reading_needs_is_not_kept() {
    let mut answer =
        completion(&[("Because", &[("Since", 0.5)]), (" [[", &[]), ("A", &[("A", 0.8), ("B", 0.2)]), ("]]", &[])]);
    let before = verdict(Contract::Bracket, &answer);
    trim(Contract::Bracket, answer.logprobs.as_mut().unwrap());
    assert_eq!(verdict(Contract::Bracket, &answer), before);
    let text = answer.logprobs.as_ref().unwrap().to_string();
    assert!(!text.contains("Since") && text.contains("\"B\""), "{text}");
    let mut other = json!({"chosenCandidates": [{"token": "x"}, {"token": "A"}, 7],
        "topCandidates": [{"candidates": [1]}, {"candidates": [2]}, 3, 4]});
    trim(Contract::Bracket, &mut other);
    assert_eq!(other["topCandidates"], json!([{}, {"candidates": [2]}, {}, 4]));
    for mut hostile in [json!(null), json!([]), json!({"content": 7}), json!({"content": [7, {"token": 1}]})] {
        trim(Contract::Bracket, &mut hostile);
    }
}

proptest! {
    #[test]
    fn a_probability_is_never_outside_its_range(
        numbers in proptest::collection::vec((0_usize..8, proptest::num::f64::ANY), 0..8)
    ) {
        let words = ["A", "B", "C", " a", "tie", "[[A", "x", ""];
        let others: Vec<Value> =
            numbers.iter().map(|(word, number)| json!({"token": words[*word], "logprob": number})).collect();
        let mut answer = Completion::of_text("A");
        answer.logprobs = Some(json!({"content": [{"token": "A", "logprob": -0.5, "top_logprobs": others}]}));
        let read = verdict(Contract::Bracket, &answer);
        prop_assert_eq!(read.probability.is_some(), read.reading.verdict().is_some());
        prop_assert!(read.probability.is_none_or(|p| (0.0..=1.0).contains(&p)));
    }
}
