//! Several judges beside each other, alone and as a jury, and what the charts of a report draw.

use std::collections::BTreeMap;

use tribunal::analysis::calibration::Calibration;
use tribunal::analysis::compare::{self, compare};
use tribunal::analysis::discordant::Passes;
use tribunal::domain::{
    Digest, GoldLabel, GoldSet, ItemFacts, JudgeName, Judgment, JudgmentDetail, Order, Preference, Verdict,
};
use tribunal::stats::Figure;
use tribunal::stats::seed::Stream;

use super::reports::{calibrated, items, judgment, line, runs};
use super::{Claim, Size, Study, chance, holds};

const NOMINAL: Claim = Claim::AtLeast(0.95);

/// Three judges over items in groups; an item does what the first of its group did in the share `alike`.
#[derive(Debug, Clone, Copy)]
struct Bench {
    items: usize,
    of_group: usize,
    alike: f64,
    /// How often each names the wrong side where it does not flip.
    errors: [f64; 3],
    /// How often each names the first slot in both orders.
    flips: [f64; 3],
}

const NAMES: [&str; 3] = ["one", "three", "two"];

impl Bench {
    fn tried(self, stream: &mut Stream) -> Calibration {
        let mut items = items(stream, self.items, self.of_group);
        let mut judgments = Vec::new();
        let mut lead = [(false, false); 3];
        for (number, item) in items.iter_mut().enumerate() {
            let better = if chance(stream, 0.5) { Preference::A } else { Preference::B };
            item.gold = Some(GoldLabel { label: better, votes: Vec::new(), disputed: false });
            let leads = number % self.of_group == 0;
            if leads || !chance(stream, self.alike) {
                let own =
                    [0, 1, 2].map(|judge| (chance(stream, self.flips[judge]), chance(stream, self.errors[judge])));
                if leads {
                    lead = own;
                }
                say(&mut judgments, item, better, own);
            } else {
                say(&mut judgments, item, better, lead);
            }
        }
        calibrated(items, &judgments, Size::asked_for().of(40, 300))
    }
}

/// What all three say of one item: whether each flips, and whether it errs.
fn say(judgments: &mut Vec<Judgment>, item: &ItemFacts, better: Preference, does: [(bool, bool); 3]) {
    for (name, (flips, errs)) in NAMES.into_iter().zip(does) {
        let said = if errs { better.swapped() } else { better };
        let verdict = |order: Order| if flips { Verdict::First } else { order.verdict_for(said) };
        judgments.extend(Order::BOTH.map(|order| judgment(item, name, 0, order, verdict(order))));
    }
}

/// One figure of a calibration.
type Of = fn(&Calibration) -> Figure;

/// What a judge says of an item: right, wrong, or a tie where it flips.
fn says(bench: Bench, judge: usize) -> [f64; 3] {
    let (flips, errs) = (bench.flips[judge], bench.errors[judge]);
    [(1.0 - flips) * (1.0 - errs), (1.0 - flips) * errs, flips]
}

#[test]
fn what_is_said_of_judges_beside_each_other_holds_the_truth() {
    let mut study = Study::new("Judges beside each other, and as a jury");
    let grid = [
        Bench { items: 40, of_group: 1, alike: 0.0, errors: [0.1, 0.2, 0.15], flips: [0.1, 0.0, 0.2] },
        Bench { items: 120, of_group: 3, alike: 0.5, errors: [0.2, 0.3, 0.2], flips: [0.1, 0.2, 0.05] },
        Bench { items: 30, of_group: 1, alike: 0.0, errors: [0.05, 0.05, 0.1], flips: [0.0, 0.05, 0.1] },
        Bench { items: 150, of_group: 1, alike: 0.0, errors: [0.2, 0.25, 0.2], flips: [0.1, 0.1, 0.1] },
    ];
    let cells = study.size().of(2, grid.len());
    for bench in grid.into_iter().take(cells) {
        let Bench { items, of_group, alike, errors, flips } = bench;
        let grouped = if of_group > 1 { format!(" in groups of {of_group}, {alike} alike") } else { String::new() };
        let data = format!("{items} items{grouped}, errors {errors:?}, flips {flips:?}");
        let found = runs(&study, &format!("bench, {data}"), 1_000, |stream| bench.tried(stream));
        let of = [0, 1, 2].map(|judge| says(bench, judge));
        let half = |judge: usize| of[judge][0] + of[judge][2] / 2.0;
        let (one, other) = (of[0], of[1]);
        // Gold is a or b by halves, so what a judge says has its ties and the rest by halves.
        let same = one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
        let by_chance = (1.0 - one[2]) * (1.0 - other[2]) / 2.0 + one[2] * other[2];
        let wrong = |judge: usize| 1.0 - of[judge][0];
        let all = wrong(0) + wrong(1) + wrong(2);
        let shared = 2.0 * (wrong(0) * wrong(1) + wrong(0) * wrong(2) + wrong(1) * wrong(2)) / (2.0 * all);
        let most = |class: usize| {
            let [x, y, z] = of.map(|judge| judge[class]);
            x * y * z + x * y * (1.0 - z) + x * (1.0 - y) * z + (1.0 - x) * y * z
        };
        let ruled = most(0) + most(1) + most(2);
        let credit = most(0) + most(2) / 2.0 + (1.0 - ruled) / 2.0;
        let lines: [(&str, Of, f64); 13] = [
            ("difference of strict agreement", |c| c.versus[0].right.difference.clone(), one[0] - other[0]),
            ("difference of half credit", |c| c.versus[0].half_credit.clone(), half(0) - half(1)),
            ("difference of flip rates", |c| c.versus[0].flips.difference.clone(), one[2] - other[2]),
            ("agreement of two judges", |c| c.versus[0].agreement.clone(), same),
            ("kappa of two judges", |c| c.versus[0].kappa.clone(), (same - by_chance) / (1.0 - by_chance)),
            ("both wrong", |c| c.versus[0].both_wrong.clone(), wrong(0) * wrong(1)),
            ("jury coverage", |c| c.jury.as_ref().unwrap().coverage.clone(), ruled),
            ("jury agreement_strict", |c| c.jury.as_ref().unwrap().figures.get("agreement_strict"), most(0) / ruled),
            ("members' errors", |c| c.jury.as_ref().unwrap().errors.clone(), all / 3.0),
            ("shared errors", |c| c.jury.as_ref().unwrap().shared_errors.clone(), shared),
            ("all wrong", |c| c.jury.as_ref().unwrap().all_wrong.clone(), wrong(0) * wrong(1) * wrong(2)),
            ("gain over a member", |c| c.jury.as_ref().unwrap().gains[0].difference.clone(), credit - half(0)),
            ("gain over the mean", |c| c.jury.as_ref().unwrap().over_mean.clone(), {
                credit - (half(0) + half(1) + half(2)) / 3.0
            }),
        ];
        for (name, figure, truth) in lines {
            // Wilson's interval of a share of a few percent, of few items: one event is one too many.
            let claim = match (name, items) {
                ("all wrong", 40) => Claim::Known(0.907),
                ("both wrong", 30) => Claim::Known(0.872),
                _ => NOMINAL,
            };
            line(&mut study, (&format!("{name} 95 %"), &data), claim, &found, |c| holds(&figure(c), truth));
        }
    }
    study.finish();
}

/// A judge that states how sure it is, and is right that often.
#[test]
fn what_the_charts_draw_holds_the_truth() {
    let mut study = Study::new("Intervals that the charts draw");
    let grid = [(60, 1), (120, 3), (200, 1)];
    let cells = study.size().of(1, grid.len());
    for (count, of_group) in grid.into_iter().take(cells) {
        let data = format!("{count} items in groups of {of_group}, right 0.72 where it states 0.72, else a coin");
        let found = runs(&study, &data, 1_000, |stream| {
            let mut items = items(stream, count, of_group);
            let mut judgments = Vec::new();
            for item in &mut items {
                let better = if chance(stream, 0.5) { Preference::A } else { Preference::B };
                item.gold = Some(GoldLabel { label: better, votes: Vec::new(), disputed: false });
                let sure = chance(stream, 0.6);
                let right = chance(stream, if sure { 0.72 } else { 0.5 });
                let said = if right { better } else { better.swapped() };
                for order in Order::BOTH {
                    let verdict = order.verdict_for(said);
                    let stated = if sure { 0.72 } else { 0.52 };
                    let first = if verdict == Verdict::First { stated } else { 1.0 - stated };
                    let detail = JudgmentDetail { probability: Some(first), ..JudgmentDetail::default() };
                    let mut own = judgment(item, "judge", 0, order, verdict);
                    own.detail = Some(Box::new(detail));
                    judgments.push(own);
                }
            }
            calibrated(items, &judgments, Size::asked_for().of(40, 300)).judges.remove(0).series.unwrap()
        });
        line(&mut study, ("right where 72 % is stated 95 %", &data), NOMINAL, &found, |series| {
            let bins = &series.confidence.as_ref().ok()?.bins;
            holds(&bins.iter().find(|bin| bin.from > 0.65)?.right, 0.72)
        });
        // Neither what is said nor the label has to do with the lengths.
        for (name, is_label) in [("score in a bin of lengths 95 %", false), ("label in a bin of lengths 95 %", true)] {
            line(&mut study, (name, &data), NOMINAL, &found, |series| {
                let bin = series.length.as_ref().ok()?.bins.first()?;
                holds(if is_label { &bin.gold } else { &bin.score }, 0.5)
            });
        }
    }
    study.finish();
}

#[test]
fn shares_of_passed_checks_hold_the_truth() {
    let mut study = Study::new("Checks that both sides have to pass");
    let grid = [(40, 1), (120, 3)];
    let cells = study.size().of(1, grid.len());
    for (count, of_group) in grid.into_iter().take(cells) {
        let data = format!("{count} items in groups of {of_group}, passed 0.9 and 0.7");
        let found = runs(&study, &data, 2_000, |stream| {
            let items = items(stream, count, of_group);
            let mut passes = BTreeMap::new();
            for item in &items {
                passes.insert(item.id.clone(), Passes { a: chance(stream, 0.9), b: chance(stream, 0.7) });
            }
            let judgments: Vec<_> =
                Order::BOTH.into_iter().map(|order| judgment(&items[0], "judge", 0, order, Verdict::Tie)).collect();
            let items = GoldSet::new("compared", Digest::of(b"compared"), items);
            let options = compare::Options { passes, ..compare::Options::new("a", "b", 50, 1) };
            compare(&items, &judgments, &JudgeName::from("judge"), &options).checks.unwrap()
        });
        line(&mut study, ("a passes 95 %", &data), NOMINAL, &found, |checks| holds(&checks.a_passes, 0.9));
        line(&mut study, ("b passes 95 %", &data), NOMINAL, &found, |checks| holds(&checks.b_passes, 0.7));
        if of_group == 1 {
            line(&mut study, ("effect on passing 95 %", &data), NOMINAL, &found, |checks| {
                holds(&checks.mcnemar.effect, 0.9 - 0.7)
            });
        }
    }
    study.finish();
}
