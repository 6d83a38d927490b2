#![allow(clippy::unwrap_used)]

use super::super::outcome::Sheet;
use super::super::versus::tests::{both, item, set, sheet};
use super::*;
use crate::stats::Seed;
use Preference::{A, B, Tie};

type Said = Option<[Option<Preference>; 2]>;

fn resampling() -> Resampling {
    Resampling { resamples: 1_000, seed: Seed(1) }
}

fn of(gold: &GoldSet, sheets: &[&Sheet], rule: Rule) -> Jury {
    jury(gold, &Lineup::new(gold, sheets, 2), rule, &resampling()).unwrap()
}

fn figure(jury: &Jury, name: &str) -> Estimate {
    jury.figures.get(name).unwrap()
}

/// Three judges whose errors are independent, 20 % each, on `n` items.
fn independent(n: usize) -> (GoldSet, [Sheet; 3]) {
    let labels: Vec<Preference> = (0..n).map(|index| if index % 2 == 0 { A } else { B }).collect();
    let gold = set(labels.iter().enumerate().map(|(index, label)| item(index, Some(*label), None)).collect());
    let judge = |name: &str| {
        let mut stream = Seed(20).child(name).stream(0);
        let said: Vec<Said> =
            labels.iter().map(|label| both(if stream.unit_f64() < 0.2 { label.swapped() } else { *label })).collect();
        sheet(name, &said)
    };
    (gold, [judge("one"), judge("three"), judge("two")])
}

#[test]
fn an_inconsistent_member_votes_for_a_tie_and_each_order_is_voted_on_apart() {
    let gold = set(vec![item(0, Some(A), None), item(1, Some(A), None)]);
    let flip = Some([Some(A), Some(B)]);
    let flop = Some([Some(B), Some(A)]);
    let sheets = [sheet("x", &[both(A), both(A)]), sheet("y", &[flip, both(A)]), sheet("z", &[flop, both(B)])];
    let found = of(&gold, &sheets.iter().collect::<Vec<_>>(), Rule::Majority);
    // Item 0: votes a, tie, tie. By order: a a b and a b a, so a vote in each order does not flip.
    assert_eq!(found.rulings, Rulings { a: 1, b: 0, tie: 1, no_majority: 0, too_few_votes: 0 });
    let flips = figure(&found, "flip_rate");
    assert_eq!((flips.k, flips.n), (Some(0), 2));
}

#[test]
fn three_judges_with_unrelated_errors_are_better_than_each_and_the_interval_says_so() {
    let (gold, sheets) = independent(4_000);
    let found = of(&gold, &sheets.iter().collect::<Vec<_>>(), Rule::Majority);
    let error = 1.0 - figure(&found, "agreement_strict").point;
    assert!((error - 0.104).abs() < 0.015, "{error}");
    assert_eq!(found.coverage.as_ref().unwrap().point, 1.0);
    let over_best = found.over_best.as_ref().unwrap();
    assert!(over_best.lower > 0.05 && over_best.upper < 0.13 && over_best.method == "bca", "{over_best:?}");
    assert!(found.over_mean.as_ref().unwrap().point >= over_best.point);
    let shared = found.shared_errors.as_ref().unwrap();
    assert!(shared.lower < 0.2 && 0.2 < shared.upper, "{shared:?}");
    assert!((found.all_wrong.as_ref().unwrap().point - 0.008).abs() < 0.006);
    assert!(found.gains.iter().all(|gain| gain.p_holm < 0.01 && gain.right.p_holm < 0.01));
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    assert_eq!(found.worth, Worth::Better);
}

#[test]
fn a_jury_of_one_judge_three_times_gains_exactly_nothing() {
    let (gold, [one, ..]) = independent(60);
    let copies = ["one", "three", "two"].map(|name| Sheet { judge: name.into(), ..one.clone() });
    let found = of(&gold, &copies.iter().collect::<Vec<_>>(), Rule::Majority);
    let over_best = found.over_best.as_ref().unwrap();
    assert!(over_best.point == 0.0 && over_best.lower < 0.0 && over_best.upper > 0.0, "{over_best:?}");
    assert_eq!(found.over_mean.as_ref().unwrap().point, 0.0);
    for gain in &found.gains {
        assert_eq!((gain.difference.as_ref().unwrap().point, gain.p, gain.right.p_exact), (0.0, 1.0, 1.0));
    }
    assert_eq!(found.worth, Worth::Undecided);
    assert_eq!(found.shared_errors.as_ref().unwrap().point, 1.0);
    assert_eq!(found.notes, [Note::Alike, Note::Small { units: 60 }]);
}

#[test]
fn two_members_can_abstain_from_an_error_and_never_repair_one() {
    let (gold, sheets) = independent(400);
    let found = of(&gold, &[&sheets[0], &sheets[1]], Rule::Majority);
    assert!(found.rulings.no_majority > 80 && found.notes.contains(&Note::OnlyAgrees));
    for gain in &found.gains {
        assert_eq!((gain.right.a_only, gain.right.b_only), (0, 0));
    }
    let covered = found.coverage.as_ref().unwrap();
    assert_eq!(covered.k.unwrap(), 400 - found.rulings.no_majority);
}

#[test]
fn an_abstention_is_worth_half_a_point_whatever_the_label() {
    let gold = set(vec![item(0, Some(Tie), None), item(1, Some(A), None), item(2, Some(B), None)]);
    // Item 0: a against tie; item 1: a against b; item 2: both b.
    let (x, y) = (sheet("x", &[both(A), both(A), both(B)]), sheet("y", &[both(Tie), both(B), both(B)]));
    let found = of(&gold, &[&x, &y], Rule::Majority);
    let points: Vec<f64> = found.gains.iter().map(|gain| gain.difference.as_ref().unwrap().point).collect();
    // Jury ½ + ½ + 1; x ½ + 1 + 1; y 1 + 0 + 1.
    assert!((points[0] - (2.0 - 2.5) / 3.0).abs() < 1e-12 && points[1].abs() < 1e-12, "{points:?}");
    assert_eq!(found.best.as_ref().unwrap().as_str(), "x");
    assert_eq!(found.over_best.as_ref().unwrap_err().reason, Reason::TooFew);
}

#[test]
fn names_decide_nothing() {
    let (gold, sheets) = independent(300);
    let renamed = [("c", 0), ("a", 1), ("b", 2)].map(|(name, i)| Sheet { judge: name.into(), ..sheets[i].clone() });
    let one = of(&gold, &sheets.iter().collect::<Vec<_>>(), Rule::Majority);
    let other = of(&gold, &[&renamed[1], &renamed[2], &renamed[0]], Rule::Majority);
    assert_eq!(
        (&one.figures, &one.over_best, &one.shared_errors),
        (&other.figures, &other.over_best, &other.shared_errors)
    );
    let (x, y) = (one.over_mean.unwrap(), other.over_mean.unwrap());
    assert!((x.point - y.point).abs() < 1e-12 && (x.lower - y.lower).abs() < 1e-9);
    assert_eq!((&one.gains[0].difference, one.gains[0].p), (&other.gains[2].difference, other.gains[2].p));
}

#[test]
fn whoever_was_not_asked_has_no_seat_and_a_judge_alone_is_no_jury() {
    let gold = set((0..3).map(|index| item(index, Some(A), None)).collect());
    let x = sheet("x", &[both(A), both(A), both(A)]);
    let y = sheet("y", &[both(A), None, Some([None, None])]);
    let found = of(&gold, &[&x, &y], Rule::Majority);
    assert_eq!(found.rulings, Rulings { a: 1, b: 0, tie: 0, no_majority: 0, too_few_votes: 1 });
    // Item 1 has one seat and says nothing about a jury; on item 2 the jury abstains.
    assert!(found.notes.contains(&Note::OneSeat { rows: 1 }));
    assert_eq!(found.gains[0].difference.as_ref().unwrap().n, 2);
    assert!(jury(&gold, &Lineup::new(&gold, &[&x], 2), Rule::Majority, &resampling()).is_none());
}

#[test]
fn the_best_member_is_chosen_anew_in_each_resample() {
    let (gold, sheets) = independent(400);
    let all: Vec<&Sheet> = sheets.iter().collect();
    let found = of(&gold, &all, Rule::Majority);
    let over_best = found.over_best.as_ref().unwrap();
    let smallest =
        found.gains.iter().map(|gain| gain.difference.as_ref().unwrap().point).min_by(f64::total_cmp).unwrap();
    assert!((over_best.point - smallest).abs() < 1e-12);
    let best = found.gains.iter().find(|gain| Some(&gain.member) == found.best.as_ref()).unwrap();
    assert_eq!(best.difference.as_ref().unwrap().point, smallest);
}

#[test]
fn a_gain_from_three_items_is_called_nothing_and_a_member_that_is_dragged_down_is_seen() {
    let gold = set((0..60).map(|index| item(index, Some(A), None)).collect());
    let wrong = |judge: &str, from: usize, to: usize| {
        let said: Vec<Said> = (0..60).map(|index| both(if (from..to).contains(&index) { B } else { A })).collect();
        sheet(judge, &said)
    };
    let few = of(&gold, &[&wrong("x", 0, 3), &wrong("y", 3, 6), &wrong("z", 6, 9)], Rule::Majority);
    assert!(few.over_best.as_ref().unwrap().lower > 0.0, "{:?}", few.over_best);
    assert_eq!(few.worth, Worth::Undecided);
    let dragged = of(&gold, &[&wrong("x", 0, 0), &wrong("y", 0, 20), &wrong("z", 0, 20)], Rule::Majority);
    assert_eq!((dragged.worth, dragged.best.unwrap().as_str()), (Worth::Worse, "x"));
}
