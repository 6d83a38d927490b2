#![allow(clippy::unwrap_used)]

use super::*;
use crate::domain::{Digest, Folded, JudgeName, Pair};

/// Items of which `a` wins the first share, the second share are ties, and `b` wins the rest.
fn judged(shares: [f64; 2], n: usize, seed: u64) -> (GoldSet, Vec<Judgment>) {
    let mut stream = Seed(seed).child("planted").stream(0);
    let judge = JudgeName::from("oracle");
    let mut items = Vec::new();
    let judgments = (0..n)
        .map(|index| {
            let pair = Pair::new(format!("q{index:04}"), "p", "x", "y");
            items.push(pair.facts());
            let draw = stream.unit_f64();
            let said = if draw < shares[0] {
                Folded::A
            } else if draw < shares[0] + shares[1] {
                Folded::Tie
            } else {
                Folded::B
            };
            Judgment { item: pair.id, judge: judge.clone(), repeat: 0, said: Said::Folded(said), detail: None }
        })
        .collect();
    (GoldSet::new("made up", Digest::of(b""), items), judgments)
}

fn options(rule: Rule) -> Options {
    Options { rule, level: Level::P95, seed: 1, evidence: Evidence::Recorded }
}

fn concluded(shares: [f64; 2], n: usize, seed: u64, rule: Rule) -> Conclusion {
    let (items, judgments) = judged(shares, n, seed);
    conclude(&items, &judgments, &"oracle".into(), &options(rule))
}

#[test]
fn a_clear_winner_saves_more_than_half_of_600_items() {
    for shares in [[0.65, 0.0], [0.5, 0.3]] {
        let used: u64 = (0..10).map(|seed| concluded(shares, 600, seed, Rule::Separated).stopping.units_used).sum();
        assert!(used <= 3000, "{used} of 6000 units at {shares:?}");
    }
}

/// Runs with no difference, with no, few and many ties: at most one in twenty may find one, whatever the method.
#[test]
fn looking_at_every_step_keeps_the_level() {
    for ties in [0.0, 0.01, 0.3] {
        let wrong = (0..100)
            .filter(|seed| concluded([(1.0 - ties) / 2.0, ties], 240, *seed, Rule::Separated).stopping.decided)
            .count();
        assert!(wrong <= 5, "{wrong} of 100 with a share of {ties} ties");
    }
}

#[test]
fn an_early_stop_within_a_margin_says_what_was_decided_and_not_only_what_was_not() {
    use crate::analysis::compare::{self, Favours, Requirement, compare};
    let answer = |shares: [f64; 2], rule: Rule, requirement: Option<Requirement>| {
        let (items, judgments) = judged(shares, 3000, 2);
        let judge = JudgeName::from("oracle");
        let conclusion = conclude(&items, &judgments, &judge, &options(rule));
        let (prefix, decided) = (conclusion.items.clone(), conclusion.stopping.decided);
        let options =
            compare::Options { requirement, stopped: Some(conclusion), ..compare::Options::new("new", "old", 50, 1) };
        let found = compare(&prefix, &judgments, &judge, &options);
        assert!(decided && found.decision == Favours::Undecided, "{found:?}");
        found.reason
    };
    let reason = answer([0.5, 0.0], Rule::NoWorse(0.1), Some(Requirement::NoWorse { margin: 0.1 }));
    assert!(reason.starts_with("new is no worse than old by more than 10.0 points"), "{reason}");
    let reason = answer([0.3, 0.4], Rule::Equivalent(0.05), None);
    assert!(reason.starts_with("the win rate is within 5.0 points of 50 %"), "{reason}");
}

#[test]
fn the_sequence_is_that_of_the_prefix_and_names_its_method() {
    let binary = concluded([0.7, 0.0], 400, 3, Rule::Separated);
    let Stopping { units_used, decided, sequence, calls_used, calls_saved, .. } = &binary.stopping;
    let sequence = sequence.as_ref().unwrap();
    assert!(*decided && *units_used < 400 && sequence.lower > 0.5);
    assert_eq!((sequence.method, sequence.n), ("kelly_grid", *units_used));
    assert_eq!((*calls_used, *calls_saved), (2 * units_used, 2 * (400 - units_used)));
    assert_eq!(binary.items.items.len() as u64, *units_used);
    let graded = concluded([0.6, 0.2], 400, 3, Rule::Separated);
    assert_eq!(graded.stopping.sequence.unwrap().method, "kelly_grid");
}

#[test]
fn the_answers_beyond_the_prefix_and_their_order_change_nothing() {
    let (items, mut judgments) = judged([0.65, 0.1], 600, 5);
    let judge = JudgeName::from("oracle");
    let whole = conclude(&items, &judgments, &judge, &options(Rule::Separated));
    judgments.reverse();
    assert_eq!(conclude(&items, &judgments, &judge, &options(Rule::Separated)), whole);
    let kept = |judgment: &Judgment| whole.items.items.iter().any(|item| item.id == judgment.item);
    judgments.retain(kept);
    let asked = Options { evidence: Evidence::Asked { planned: 1200 }, ..options(Rule::Separated) };
    let part = conclude(&items, &judgments, &judge, &asked);
    assert_eq!(part.stopping, Stopping { simulated: false, ..whole.stopping.clone() });
    let used = usize::try_from(whole.stopping.units_used).unwrap();
    let course = Course::new(&items, 1);
    let look = Look { used, rule: Rule::Separated, level: Level::P95 };
    assert!(course.is_decided(&items, &judgments, &judge, look));
}

#[test]
fn looks_end_with_the_last_unit_and_do_not_depend_on_anything_else() {
    let (items, _) = judged([0.5, 0.0], 617, 1);
    let course = Course::new(&items, 9);
    let looks: Vec<usize> = std::iter::successors(course.next_look(0), |used| course.next_look(*used)).collect();
    assert_eq!(looks.last(), Some(&617));
    assert_eq!(looks[..2], [31, 61]);
    assert!(looks.windows(2).all(|pair| pair[1] > pair[0]));
    let mut all: Vec<usize> = course.units().iter().flatten().copied().collect();
    assert!(!all.is_sorted());
    all.sort_unstable();
    assert_eq!(all, (0..617).collect::<Vec<_>>());
}

#[test]
fn a_group_is_one_unit_with_one_score() {
    let (mut items, judgments) = judged([1.0, 0.0], 90, 1);
    for (index, item) in items.items.iter_mut().enumerate() {
        item.group = Some(format!("g{:02}", index / 3).as_str().into());
    }
    let found = conclude(&items, &judgments, &"oracle".into(), &options(Rule::Separated));
    assert_eq!((found.stopping.units_total, found.stopping.units_used), (30, 16));
    assert_eq!((found.stopping.items_used, found.stopping.sequence.unwrap().n), (48, 16));
}

#[test]
fn units_without_a_verdict_are_counted_and_left_out() {
    let (items, judgments) = judged([1.0, 0.0], 40, 1);
    let kept: Vec<Judgment> =
        judgments.into_iter().filter(|judgment| judgment.item.as_str().ends_with(['0', '1', '2'])).collect();
    let found = conclude(&items, &kept, &"oracle".into(), &options(Rule::Equivalent(0.01)));
    let Stopping { without_verdict, units_used, sequence, .. } = found.stopping;
    assert!(without_verdict > 0);
    assert_eq!(sequence.unwrap().n, units_used - without_verdict);
}

#[test]
fn equivalence_and_no_worse_stop_where_separation_goes_on() {
    let used = |rule| concluded([0.05, 0.9], 2000, 2, rule).stopping;
    let (separated, equivalent) = (used(Rule::Separated), used(Rule::Equivalent(0.05)));
    assert!(!separated.decided && separated.units_used == 2000);
    assert!(equivalent.decided && equivalent.units_used < 1000, "{equivalent:?}");
    let no_worse = used(Rule::NoWorse(0.1));
    assert!(no_worse.decided && no_worse.sequence.unwrap().lower > 0.4);
}

#[test]
fn without_any_judgment_nothing_is_decided() {
    let (items, _) = judged([0.5, 0.0], 20, 1);
    let found = conclude(&items, &[], &"nobody".into(), &options(Rule::Separated));
    assert!(!found.stopping.decided && found.stopping.sequence.is_err());
    assert_eq!((found.stopping.units_used, found.stopping.without_verdict), (20, 20));
    let none = GoldSet::new("empty", Digest::of(b""), Vec::new());
    assert_eq!(conclude(&none, &[], &"nobody".into(), &options(Rule::Separated)).stopping.looks, 0);
}
