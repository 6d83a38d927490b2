#![allow(clippy::unwrap_used)]
use super::*;
use crate::analysis::compare::{Comparison, Options, compare};
use crate::domain::{Digest, GoldLabel, Judgment, NoVerdict, Order, Pair, Reading, Said, Verdict};
use crate::stats::Seed;

/// An item: what the judge says in both orders, and the human label.
#[derive(Clone, Copy)]
struct Row {
    said: Preference,
    gold: Option<Preference>,
    group: Option<usize>,
}

fn row(said: Preference, gold: Option<Preference>) -> Row {
    Row { said, gold, group: None }
}

fn id(index: usize) -> String {
    format!("{index:05}")
}

/// What happens to the rows before they are compared.
fn answer(rows: &[Row], options: &Options) -> Comparison {
    answer_but(rows, &[], options)
}

/// The same where the judge has no verdict in the second order of some rows.
fn answer_but(rows: &[Row], silent: &[usize], options: &Options) -> Comparison {
    let facts = rows.iter().enumerate().map(|(index, row)| {
        let mut pair = Pair::new(id(index), "p", "one", "two");
        pair.group = row.group.map(|group| group.to_string().into());
        pair.gold = row.gold.map(|label| GoldLabel { label, votes: Vec::new(), disputed: false });
        pair.facts()
    });
    let items = GoldSet::new("run", Digest::of(b""), facts.collect());
    let judgments: Vec<Judgment> = rows
        .iter()
        .enumerate()
        .flat_map(|(index, row)| {
            Order::BOTH.map(|order| {
                let verdict: Verdict = order.verdict_for(row.said);
                let is_silent = order == Order::Ba && silent.contains(&index);
                Judgment {
                    item: id(index).into(),
                    judge: "j".into(),
                    repeat: 0,
                    said: Said::InOrder(
                        order,
                        if is_silent { Reading::None(NoVerdict::Refused) } else { Reading::Said(verdict) },
                    ),
                    detail: None,
                }
            })
        })
        .collect();
    compare(&items, &judgments, &"j".into(), options)
}

fn options(sample: GoldSample, accuracy: Option<JudgeAccuracy>) -> Options {
    Options { gold_sample: sample, accuracy, ..Options::new("x", "y", 200, 1) }
}

#[allow(clippy::unnecessary_wraps, reason = "as the options take it")]
fn accuracy(k: u64, n: u64) -> Option<JudgeAccuracy> {
    let (gold, date) = ("core".to_owned(), "2026-01-01T00:00:00Z".to_owned());
    Some(JudgeAccuracy { k, n, worth: n as f64, gold, date })
}

/// A run in which the truth is `share` of 1 and the judge is right with `accuracy`; the first `labelled` items carry gold.
fn planted(share: f64, accuracy: f64, items: usize, labelled: usize, seed: u64) -> Vec<Row> {
    let mut stream = Seed(seed).child("planted").stream(0);
    let side = |is_a: bool| if is_a { Preference::A } else { Preference::B };
    (0..items)
        .map(|index| {
            let truth = stream.unit_f64() < share;
            let said = if stream.unit_f64() < accuracy { truth } else { !truth };
            row(side(said), (index < labelled).then(|| side(truth)))
        })
        .collect()
}

#[test]
fn a_judge_that_errs_shrinks_the_rate_and_both_corrections_bring_the_truth_back() {
    let (mut naive, mut by_gold, mut by_record) = (0, 0, 0);
    for seed in 100..200 {
        let rows = planted(0.75, 0.8, 400, 100, seed);
        let holds = |figure: &Figure| figure.as_ref().is_ok_and(|e| e.lower <= 0.75 && 0.75 <= e.upper);
        let found = answer(&rows, &options(GoldSample::Random, None)).correction;
        assert_eq!(found.method, Some(Method::PpiPlusPlus));
        by_gold += u32::from(holds(&found.corrected));
        naive += u32::from(holds(&found.raw));
        let mut stream = Seed(seed).child("trial").stream(0);
        let record = accuracy(stream.binomial(150, 0.8), 150);
        let unlabelled: Vec<Row> = rows.iter().map(|row| Row { gold: None, ..*row }).collect();
        let found = answer(&unlabelled, &options(GoldSample::Unknown, record)).correction;
        assert_eq!(found.method, Some(Method::RoganGladenPooled));
        by_record += u32::from(holds(&found.corrected));
    }
    // The judge's rate is 0.65 on average: 0.75·0.8 + 0.25·0.2.
    assert!(naive < 15 && by_gold >= 90 && by_record >= 90, "naive {naive}, gold {by_gold}, record {by_record}");
}

#[test]
fn the_pooled_correction_of_seventy_of_a_hundred_at_ninety_percent_is_three_quarters() {
    let rows: Vec<Row> = (0..100).map(|i| row(if i < 70 { Preference::A } else { Preference::B }, None)).collect();
    let found = answer(&rows, &options(GoldSample::Unknown, accuracy(180, 200))).correction;
    let corrected = found.corrected.unwrap();
    assert!((corrected.point - 0.75).abs() < 1e-12, "(0.7 + 0.9 - 1)/0.8: {corrected:?}");
    assert_eq!(
        (corrected.n, found.raw.unwrap().k, found.valid_when),
        (100, Some(70), Some(ValidWhen::JudgeErrsAsOnItsGold))
    );
    let Inputs::Pooled { unclipped, decided_worth, .. } = found.inputs else { panic!("{:?}", found.inputs) };
    assert!((unclipped - 0.75).abs() < 1e-12 && decided_worth == 100.0);
}

#[test]
fn exchanging_the_sides_mirrors_the_corrected_rate() {
    let rows = planted(0.7, 0.8, 200, 40, 5);
    let swapped: Vec<Row> =
        rows.iter().map(|r| Row { said: r.said.swapped(), gold: r.gold.map(Preference::swapped), ..*r }).collect();
    for (sample, record) in [(GoldSample::Random, None), (GoldSample::Unknown, accuracy(70, 80))] {
        let corrected =
            |rows: &[Row]| answer(rows, &options(sample.clone(), record.clone())).correction.corrected.unwrap();
        let (one, other) = (corrected(&rows), corrected(&swapped));
        assert!((one.point + other.point - 1.0).abs() < 1e-9, "{one:?} {other:?}");
        assert!((one.lower + other.upper - 1.0).abs() < 1e-9 && (one.upper + other.lower - 1.0).abs() < 1e-9);
    }
}

#[test]
fn what_is_missing_is_said_and_nothing_is_guessed() {
    let rows = planted(0.7, 0.8, 60, 20, 3);
    let missing = |rows: &[Row], sample: GoldSample, record| {
        let found = answer(rows, &options(sample, record)).correction;
        assert!(found.method.is_none() && found.corrected.is_err());
        found.missing
    };
    assert_eq!(missing(&rows, GoldSample::Unknown, None), [Missing::RandomSample, Missing::Certificate]);
    assert_eq!(
        missing(&rows, GoldSample::Unknown, accuracy(30, 50)),
        [Missing::RandomSample, Missing::InformativeJudge]
    );
    let bare: Vec<Row> = rows.iter().map(|row| Row { gold: None, ..*row }).collect();
    assert_eq!(missing(&bare, GoldSample::Random, None), [Missing::Gold, Missing::Certificate]);
    let few = planted(0.7, 0.8, 60, 9, 3);
    assert_eq!(missing(&few, GoldSample::Random, None), [Missing::MoreGold, Missing::Certificate]);
    // Thirty were drawn and twenty carry a label: those that were easy to label, perhaps.
    let drawn = |n: usize| {
        let items = (0..n).map(|index| id(index).into()).collect();
        GoldSample::Marked(BTreeMap::from([(Mark { n: n as u64, seed: 1 }, items)]))
    };
    assert_eq!(missing(&rows, drawn(30), None), [Missing::WholeSample, Missing::Certificate]);
    let found = answer(&rows, &options(drawn(20), None)).correction;
    assert!(matches!(
        found.inputs,
        Inputs::Ppi { labelled: 20, unlabelled: 40, sample: Some(Mark { n: 20, seed: 1 }), .. }
    ));
}

#[test]
fn labels_outside_the_drawn_sample_are_not_taken_for_part_of_it() {
    let rows = planted(0.7, 0.8, 60, 30, 3);
    let items = (0..20).map(|index| id(index).into()).collect();
    let sample = GoldSample::Marked(BTreeMap::from([(Mark { n: 20, seed: 1 }, items)]));
    let found = answer(&rows, &options(sample, None)).correction;
    assert!(matches!(found.inputs, Inputs::Ppi { labelled: 20, unlabelled: 40, .. }), "{:?}", found.inputs);
}

#[test]
fn labelled_items_without_an_outcome_are_counted_and_said_to_be_left_out() {
    let rows = planted(0.7, 0.8, 60, 20, 3);
    // Two of the labelled ones, and one that has no label.
    let found = answer_but(&rows, &[4, 11, 40], &options(GoldSample::Random, None));
    let Inputs::Ppi { labelled, unlabelled, without_outcome, outside_sample, .. } = found.correction.inputs else {
        panic!("{:?}", found.correction.inputs)
    };
    assert_eq!((labelled, unlabelled, without_outcome, outside_sample), (18, 39, 2, 0));
    let said: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|text| text.starts_with("2 of 20 labelled items have no verdict")), "{said:?}");
    let whole = answer(&rows, &options(GoldSample::Random, None));
    assert!(!whole.warnings.iter().any(|warning| warning.to_string().contains("left out")), "{:?}", whole.warnings);
    // Where all labels are the answer, too.
    let all = answer_but(&planted(0.7, 0.8, 30, 30, 3), &[1], &options(GoldSample::Unknown, None));
    assert_eq!(all.correction.inputs, Inputs::Gold { labelled: 29, without_outcome: 1 });
    assert!(all.warnings.iter().any(|warning| warning.to_string().starts_with("1 of 30 labelled")));
    // A run whose labels correct nothing has nothing to leave out.
    let none = answer_but(&rows, &[4], &options(GoldSample::Unknown, None));
    assert!(!none.warnings.iter().any(|warning| warning.to_string().contains("labelled")), "{:?}", none.warnings);
}

#[test]
fn labels_that_the_draw_did_not_choose_are_counted_apart() {
    let rows = planted(0.7, 0.8, 60, 30, 3);
    let items = (0..20).map(|index| id(index).into()).collect();
    let sample = GoldSample::Marked(BTreeMap::from([(Mark { n: 20, seed: 1 }, items)]));
    let found = answer_but(&rows, &[5, 25], &options(sample, None)).correction;
    assert!(
        matches!(found.inputs, Inputs::Ppi { labelled: 19, without_outcome: 1, outside_sample: 9, .. }),
        "{:?}",
        found.inputs
    );
}

#[test]
fn a_run_that_flips_more_than_the_certificates_gate_allows_is_warned_of() {
    let rows = planted(0.7, 0.8, 40, 0, 3);
    let flipping = |flips: usize, most: Option<f64>| {
        let options = Options { most_flips: most, ..options(GoldSample::Unknown, None) };
        let facts: Vec<_> = (0..40).map(|index| Pair::new(id(index), "p", "one", "two").facts()).collect();
        let items = GoldSet::new("run", Digest::of(b""), facts);
        let judgments: Vec<Judgment> = (0..40)
            .flat_map(|index| {
                let said = rows[index].said;
                Order::BOTH.map(|order| Judgment {
                    item: id(index).into(),
                    judge: "j".into(),
                    repeat: 0,
                    said: Said::InOrder(
                        order,
                        Reading::Said(if index < flips { Verdict::First } else { order.verdict_for(said) }),
                    ),
                    detail: None,
                })
            })
            .collect();
        let found = compare(&items, &judgments, &"j".into(), &options);
        found.warnings.iter().map(ToString::to_string).find(|text| text.contains("follows the position"))
    };
    let said = flipping(12, Some(0.2)).unwrap();
    assert!(said.contains("30.0 % of these items") && said.contains("allows 20.0 %"), "{said}");
    assert_eq!((flipping(8, Some(0.2)), flipping(12, None)), (None, None));
}

#[test]
fn where_every_item_is_labelled_the_labels_are_the_answer() {
    use Preference::{A, B, Tie};
    let rows: Vec<Row> = (0..40).map(|i| row(B, Some([A, A, Tie, B][i % 4]))).collect();
    let found = answer(&rows, &options(GoldSample::Unknown, accuracy(45, 50))).correction;
    assert_eq!((found.method, found.corrected.unwrap().point), (Some(Method::GoldMean), 0.625));
}

#[test]
fn items_that_share_groups_widen_either_correction() {
    let single = planted(0.7, 0.8, 60, 20, 8);
    let grouped: Vec<Row> =
        single.iter().enumerate().flat_map(|(index, row)| [Row { group: Some(index), ..*row }; 5]).collect();
    let apart: Vec<Row> = grouped.iter().map(|row| Row { group: None, ..*row }).collect();
    for (sample, record) in [(GoldSample::Random, None), (GoldSample::Unknown, accuracy(190, 200))] {
        let width = |rows: &[Row]| {
            let found = answer(rows, &options(sample.clone(), record.clone())).correction.corrected.unwrap();
            found.upper - found.lower
        };
        let (together, apart) = (width(&grouped), width(&apart));
        assert!(together > 1.6 * apart, "{together} {apart}");
    }
}

/// One question asked in six wordings has one sign to flip, not six.
#[test]
fn the_permutation_test_counts_the_units_that_it_flips() {
    use Preference::{A, B, Tie};
    let grouped: Vec<Row> =
        (0..60).map(|i| Row { group: Some(i / 6), ..row([A, A, B, Tie, A][i / 6 % 5], None) }).collect();
    let found = answer(&grouped, &options(GoldSample::Unknown, None));
    // Ten groups: six lean to a, two to b, two to neither.
    assert_eq!((found.permutation.k, found.permutation.n), (6, 8));
    assert_eq!((found.sign_test.k, found.sign_test.n), (6, 8));
}
