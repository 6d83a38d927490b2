#![allow(clippy::unwrap_used)]

use super::*;
use crate::domain::{Digest, GoldLabel, GoldSet, ItemFacts, Preference};
use crate::stats::Seed;
use Preference::{A, B, Tie};

/// A labelled item without anything else.
pub(in crate::analysis) fn item(index: usize, gold: Option<Preference>, group: Option<&str>) -> ItemFacts {
    ItemFacts {
        id: format!("q{index:04}").into(),
        group: group.map(Into::into),
        category: None,
        lang: None,
        turn: None,
        model_a: None,
        model_b: None,
        length_a: None,
        length_b: None,
        identical: false,
        gold: gold.map(|label| GoldLabel { label, votes: Vec::new(), disputed: false }),
    }
}

pub(in crate::analysis) fn set(items: Vec<ItemFacts>) -> GoldSet {
    GoldSet::new("gold", Digest::of(b"gold"), items)
}

/// A sheet of what a judge said about each item in both orders; `None` is an item that it was not asked about.
pub(in crate::analysis) fn sheet(judge: &str, said: &[Option<[Option<Preference>; 2]>]) -> Sheet {
    let row = |(item, said): (usize, &Option<[Option<Preference>; 2]>)| {
        let [ab, ba] = (*said)?;
        Some(Row { item, repeat: 0, ab, ba, folded: false, folded_inconsistent: false, planned: 2 })
    };
    let rows = said.iter().enumerate().filter_map(row).collect();
    Sheet { judge: judge.into(), rows, accounting: super::super::outcome::Accounting::default() }
}

/// The same in both orders.
#[allow(clippy::unnecessary_wraps, reason = "what a sheet is made of")]
pub(in crate::analysis) fn both(said: Preference) -> Option<[Option<Preference>; 2]> {
    Some([Some(said), Some(said)])
}

fn resampling() -> Resampling {
    Resampling { resamples: 500, seed: Seed(1) }
}

fn pairs(gold: &GoldSet, sheets: &[&Sheet]) -> Vec<Versus> {
    versus(&Lineup::new(gold, sheets, 1), &resampling())
}

const FLIP: Option<[Option<Preference>; 2]> = Some([Some(A), Some(B)]);
const SILENT: Option<[Option<Preference>; 2]> = Some([None, None]);

/// Ten items labelled a: `one` is right on 0..=6 with a flip on 7, `two` on 0..=3 and 8.
fn hand_made() -> (GoldSet, [Sheet; 2]) {
    let gold = set((0..10).map(|index| item(index, Some(A), None)).collect());
    let mut one = vec![both(A); 7];
    one.extend([FLIP, both(B), both(B)]);
    let mut two = vec![both(A); 4];
    two.extend([both(B), both(Tie), FLIP, FLIP, both(A), both(B)]);
    (gold, [sheet("one", &one), sheet("two", &two)])
}

#[test]
fn who_is_right_alone_is_counted_by_hand() {
    let (gold, [one, two]) = hand_made();
    let found = &pairs(&gold, &[&one, &two])[0];
    let right = &found.right;
    assert_eq!([right.both, right.a_only, right.b_only, right.neither], [4, 3, 1, 2]);
    // 2 · (1 + 4)/16 exact, minus 4/16 for mid-p.
    assert!((right.p_exact - 0.625).abs() < 1e-12 && (right.p_mid - 0.375).abs() < 1e-12, "{right:?}");
    let difference = right.difference.as_ref().unwrap();
    assert!((difference.point - 0.2).abs() < 1e-12 && difference.n == 10 && difference.method == "tango");
    // Half credit: one 7 + ½, two 5 + ½ (the tie) + ½ + ½ (the flips), of 10.
    assert!((found.half_credit.as_ref().unwrap().point - (7.5 - 6.5) / 10.0).abs() < 1e-12);
    assert_eq!([found.flips.both, found.flips.a_only, found.flips.b_only, found.flips.neither], [1, 0, 1, 8]);
    assert_eq!((found.both_wrong.as_ref().unwrap().k, found.both_wrong.as_ref().unwrap().n), (Some(2), 10));
    // Same combined verdict on 0..=3, on 7 (two flips are two ties) and on 9.
    assert_eq!(found.agreement.as_ref().unwrap().k, Some(6));
}

#[test]
fn exchanging_the_names_mirrors_everything() {
    let (gold, [one, two]) = hand_made();
    let there = &pairs(&gold, &[&one, &two])[0];
    let back = &pairs(&gold, &[&two, &one])[0];
    let mirrored = |x: &Figure, y: &Figure| {
        let (x, y) = (x.as_ref().unwrap(), y.as_ref().unwrap());
        (x.point + y.point).abs() < 1e-12 && (x.lower + y.upper).abs() < 1e-9 && (x.upper + y.lower).abs() < 1e-9
    };
    assert!(mirrored(&there.right.difference, &back.right.difference));
    assert!(mirrored(&there.half_credit, &back.half_credit));
    assert!(mirrored(&there.flips.difference, &back.flips.difference));
    assert_eq!((&there.kappa, &there.both_wrong), (&back.kappa, &back.both_wrong));
    assert_eq!((there.right.p_exact, there.right.a_only), (back.right.p_exact, back.right.b_only));
    assert_eq!(there.bounds.lower.map(|bound| -bound), back.bounds.upper);
}

#[test]
fn one_judge_twice_differs_nowhere_and_says_so_with_p_one() {
    let (gold, [one, _]) = hand_made();
    let again = Sheet { judge: "zwei".into(), ..one.clone() };
    let found = &pairs(&gold, &[&one, &again])[0];
    assert_eq!((found.right.p_exact, found.right.p_mid, found.right.p_holm), (1.0, 1.0, 1.0));
    let difference = found.right.difference.as_ref().unwrap();
    assert!(difference.point == 0.0 && difference.lower < 0.0 && difference.upper > 0.0);
    assert_eq!(found.kappa.as_ref().unwrap().point, 1.0);
    assert_eq!(found.half_credit.as_ref().unwrap().point, 0.0);
}

#[test]
fn a_missing_verdict_is_left_out_counted_and_bounded() {
    let (gold, [one, _]) = hand_made();
    let mut said = vec![both(A); 6];
    said.extend([SILENT, SILENT, both(A), None]);
    let two = sheet("two", &said);
    let found = &pairs(&gold, &[&one, &two])[0];
    assert_eq!(found.verdicts, Overlap { both: 7, only_a: 3, only_b: 0, none: 0 });
    assert_eq!(found.right.difference.as_ref().unwrap().n, 7);
    // one is right on 7 of 10; two on 7 of 10 at worst and on all at best.
    assert_eq!(found.bounds, WorstCase { lower: Some(-0.3), upper: Some(0.0), missing: 3 });
}

#[test]
fn a_group_has_one_voice_and_the_interval_knows_it() {
    let items = (0..40).map(|index| item(index, Some(A), Some(&format!("g{}", index / 5)))).collect();
    let gold = set(items);
    let one = sheet("one", &[both(A); 40]);
    // Wrong on all of two groups, and on one item of a third.
    let two: Vec<_> = (0..40).map(|index| if index < 11 { both(B) } else { both(A) }).collect();
    let found = &pairs(&gold, &[&one, &sheet("two", &two)])[0];
    assert_eq!((found.right.a_only, found.right.voices), (11, [3, 0]));
    assert!((found.right.p_exact - 0.25).abs() < 1e-12);
    let difference = found.right.difference.as_ref().unwrap();
    assert!(difference.method == "t_adjusted" && difference.lower < 0.0, "{difference:?}");
    assert_eq!(found.both_wrong.as_ref().unwrap().method, "wilson_clustered");
}

#[test]
fn without_labels_only_what_needs_none_is_measured() {
    let gold = set((0..4).map(|index| item(index, None, None)).collect());
    let (one, two) = (sheet("one", &[both(A), both(B), FLIP, both(A)]), sheet("two", &[both(A); 4]));
    let found = &pairs(&gold, &[&one, &two])[0];
    assert_eq!(found.right.difference.as_ref().unwrap_err().reason, Reason::NoGold);
    assert_eq!(found.both_wrong.as_ref().unwrap_err().reason, Reason::NoGold);
    assert_eq!(found.flips.difference.as_ref().unwrap().point, 0.25);
    assert_eq!(found.agreement.as_ref().unwrap().k, Some(2));
}

#[test]
fn three_judges_make_a_family_of_three_and_holm_corrects_it() {
    let gold = set((0..12).map(|index| item(index, Some(A), None)).collect());
    let right_below = |limit: usize| -> Vec<_> { (0..12).map(|i| both(if i < limit { A } else { B })).collect() };
    let sheets = [sheet("x", &right_below(12)), sheet("y", &right_below(6)), sheet("z", &right_below(5))];
    let found = pairs(&gold, &sheets.iter().collect::<Vec<_>>());
    let names: Vec<(&str, &str)> = found.iter().map(|pair| (pair.a.as_str(), pair.b.as_str())).collect();
    assert_eq!(names, [("x", "y"), ("x", "z"), ("y", "z")]);
    let raw = [2.0_f64.powi(-5), 2.0_f64.powi(-6), 1.0];
    for (pair, p) in found.iter().zip(raw) {
        assert!((pair.right.p_exact - p).abs() < 1e-12);
    }
    let holm: Vec<f64> = found.iter().map(|pair| pair.right.p_holm).collect();
    assert!((holm[1] - 3.0 * raw[1]).abs() < 1e-12 && (holm[0] - 2.0 * raw[0]).abs() < 1e-12 && holm[2] > 1.0 - 1e-12);
}
