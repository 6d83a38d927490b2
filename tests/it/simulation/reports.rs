//! The numbers as a report shows them, through the whole analysis: every interval and every test of a comparison, the figures of
//! a calibration whose intervals are over units, and what is said of a jury.

use std::collections::BTreeSet;

use tribunal::analysis::calibration::{self, Calibration, Scorecard, calibrate};
use tribunal::analysis::compare::{self, Comparison, Favours, Requirement, compare};
use tribunal::analysis::gate::GateRules;
use tribunal::analysis::jury::{Panel, Worth};
use tribunal::analysis::prereg::Held;
use tribunal::domain::{
    Digest, GoldLabel, GoldSet, GroupId, ItemFacts, ItemId, JudgeName, Judgment, Order, Preference, Reading, Said,
    Verdict,
};
use tribunal::stats::seed::Stream;
use tribunal::stats::{Figure, NotEstimable, Reason, Seed};

use super::{Claim, Study, chance, class, holds};

/// One figure of a comparison.
type Pick = fn(&Comparison) -> &Figure;

/// One p-value of a comparison, where there is one.
type PickP = fn(&Comparison) -> Option<f64>;

const NOMINAL: Claim = Claim::AtLeast(0.95);
const LEVEL: Claim = Claim::AtMost(0.05);

/// Items in groups of so many, a third in each of three categories by group; lengths have nothing to do with the outcome.
pub fn items(stream: &mut Stream, count: usize, of_group: usize) -> Vec<ItemFacts> {
    (0..count)
        .map(|number| ItemFacts {
            id: ItemId(format!("q{number:04}")),
            group: (of_group > 1).then(|| GroupId::from(format!("g{:03}", number / of_group))),
            category: Some(["x", "y", "z"][number / of_group % 3].to_owned()),
            lang: None,
            turn: None,
            model_a: None,
            model_b: None,
            length_a: Some(200 + stream.below(800)),
            length_b: Some(200 + stream.below(800)),
            identical: false,
            gold: None,
        })
        .collect()
}

pub fn judgment(item: &ItemFacts, judge: &str, repeat: u32, order: Order, verdict: Verdict) -> Judgment {
    let said = Said::InOrder(order, Reading::Said(verdict));
    Judgment { item: item.id.clone(), judge: JudgeName::from(judge), repeat, said, detail: None }
}

/// How a comparison's outcomes fall: wins, losses, ties, flips to the first slot, halves of either side.
#[derive(Debug, Clone, Copy)]
pub struct Outcomes {
    pub won: f64,
    pub lost: f64,
    pub tie: f64,
    pub flip: f64,
    pub half_a: f64,
    pub half_b: f64,
}

impl Outcomes {
    fn draw(self, stream: &mut Stream) -> [Verdict; 2] {
        use Verdict::{First, Second, Tie};
        let kinds = [
            (self.won, [First, Second]),
            (self.lost, [Second, First]),
            (self.tie, [Tie, Tie]),
            (self.flip, [First, First]),
            (self.half_a, [First, Tie]),
            (self.half_b, [Tie, First]),
        ];
        kinds[class(stream, &kinds.map(|(share, _)| share))].1
    }

    pub fn win_rate(self) -> f64 {
        self.won + (1.0 - self.won - self.lost) / 2.0
    }

    pub fn score(self) -> f64 {
        self.win_rate() + (self.half_a - self.half_b) / 4.0
    }
}

/// How the items of a comparison hang together.
#[derive(Debug, Clone, Copy)]
pub struct Design {
    pub items: usize,
    pub of_group: usize,
    pub repeats: u32,
    /// How often an item, or a repeat, does what the first of its group, or the first asking, did.
    pub alike: f64,
}

pub fn compared(
    stream: &mut Stream,
    outcomes: Outcomes,
    design: Design,
    requirement: Option<Requirement>,
) -> Comparison {
    let items = items(stream, design.items, design.of_group);
    let mut judgments = Vec::new();
    let mut first = [Verdict::Tie; 2];
    for (number, item) in items.iter().enumerate() {
        for repeat in 0..design.repeats {
            let leads = number % design.of_group == 0 && repeat == 0;
            let said = if !leads && chance(stream, design.alike) { first } else { outcomes.draw(stream) };
            if leads {
                first = said;
            }
            judgments.extend(
                Order::BOTH.into_iter().zip(said).map(|(order, said)| judgment(item, "judge", repeat, order, said)),
            );
        }
    }
    let items = GoldSet::new("compared", Digest::of(b"compared"), items);
    let options = compare::Options { requirement, ..compare::Options::new("a", "b", 300, stream.next_u64()) };
    compare(&items, &judgments, &JudgeName::from("judge"), &options)
}

pub fn runs<T>(study: &Study, name: &str, full: u64, one: impl Fn(&mut Stream) -> T) -> Vec<T> {
    let replicates = study.size().of(20, full);
    (0..replicates).map(|replicate| one(&mut Seed(1).child(name).stream(replicate))).collect()
}

/// One line for one number of the same runs.
pub fn line<T>(
    study: &mut Study,
    (method, data): (&str, &str),
    claim: Claim,
    runs: &[T],
    of: impl Fn(&T) -> Option<bool>,
) {
    let mut each = runs.iter();
    study.cell(method, data, claim, runs.len() as u64, |_| of(each.next().unwrap()));
}

const DESIGNS: [(&str, Design); 3] = [
    ("150 items", Design { items: 150, of_group: 1, repeats: 1, alike: 0.0 }),
    ("40 groups of 4, half alike", Design { items: 160, of_group: 4, repeats: 1, alike: 0.5 }),
    ("80 items asked twice, two thirds alike", Design { items: 80, of_group: 1, repeats: 2, alike: 0.67 }),
];

#[test]
fn every_interval_of_a_comparison_holds_the_truth() {
    let mut study = Study::new("Intervals that a comparison shows");
    let truth = Outcomes { won: 0.45, lost: 0.25, tie: 0.08, flip: 0.12, half_a: 0.06, half_b: 0.04 };
    let of = |p: f64| p / (truth.won + truth.lost);
    let cells = study.size().of(1, DESIGNS.len());
    for (data, design) in DESIGNS.into_iter().take(cells) {
        let found = runs(&study, data, 1_000, |stream| compared(stream, truth, design, None));
        let figures: [(&str, Pick, f64); 6] = [
            ("win rate", |c| &c.win_rate, truth.win_rate()),
            ("graded score", |c| &c.score, truth.score()),
            ("decided rate", |c| &c.decided, of(truth.won)),
            ("coverage", |c| &c.coverage, truth.won + truth.lost),
            ("flip rate", |c| &c.flip_rate, truth.flip),
            ("length-controlled win rate", |c| &c.length_controlled, truth.win_rate()),
        ];
        for (name, figure, truth) in figures {
            line(&mut study, (&format!("{name} 95 %"), data), NOMINAL, &found, |c| holds(figure(c), truth));
        }
        // Each unit has one voice in these two: their truth is the outcomes' own only where a unit is one outcome.
        if design.of_group == 1 && design.repeats == 1 {
            let effect = truth.won - truth.lost;
            line(&mut study, ("mcnemar effect 95 %", data), NOMINAL, &found, |c| holds(&c.mcnemar.effect, effect));
            let odds = truth.won / truth.lost;
            line(&mut study, ("odds ratio 95 %", data), NOMINAL, &found, |c| {
                c.mcnemar.odds_ratio.as_ref().ok().map(|o| o.lower <= odds && o.upper.is_none_or(|upper| odds <= upper))
            });
        }
        line(&mut study, ("win rate of a category 95 %", data), Claim::AtLeast(0.93), &found, |c| {
            c.by_category.first().and_then(|row| holds(&row.win_rate, truth.win_rate()))
        });
    }
    study.finish();
}

/// A comparison of so many items, the first of them consistent wins of `a`, the rest of `b`.
fn decided(items: u64, won: u64) -> Comparison {
    let facts = self::items(&mut Seed(1).child("decided").stream(items), usize::try_from(items).unwrap(), 1);
    let said = |number: usize| if (number as u64) < won { Preference::A } else { Preference::B };
    let judgments: Vec<Judgment> = (facts.iter().enumerate())
        .flat_map(|(number, item)| {
            Order::BOTH.map(|order| judgment(item, "judge", 0, order, order.verdict_for(said(number))))
        })
        .collect();
    let options = compare::Options::new("a", "b", 10_000, 1);
    compare(&GoldSet::new("decided", Digest::of(b"decided"), facts), &judgments, &JudgeName::from("judge"), &options)
}

/// Counts of wins are few and far between where items are few, so no interval can err in exactly 5 of 100: it is a matter of
/// where the next count lies. The sign test never errs more often.
#[test]
fn how_often_equals_are_told_apart_by_the_law_itself() {
    let mut study = Study::new("Equals that never tie, by the law itself");
    let sizes = [6_u64, 8, 10, 12, 14, 16, 18, 20, 25, 30, 40, 60, 80];
    for items in study.size().of(&sizes[3..9], &sizes[..]) {
        let items = *items;
        let data = format!("{items} items");
        let half: Vec<(f64, Comparison)> = (0..=items / 2)
            .map(|won| {
                let weight = if 2 * won == items { 1.0 } else { 2.0 };
                (weight * binomial(items, won), decided(items, won))
            })
            .collect();
        let errs = |told: &dyn Fn(&Comparison) -> bool| -> f64 {
            half.iter().filter(|(_, comparison)| told(comparison)).map(|(weight, _)| weight).sum()
        };
        let lines: [(&str, f64, f64); 3] = [
            ("win rate 95 % does not hold ½", errs(&|c| c.decision != Favours::Undecided), 0.077),
            ("mcnemar mid-p below 5 %", errs(&|c| c.mcnemar.p_mid < 0.05), 0.077),
            ("sign test below 5 %", errs(&|c| c.sign_test.p < 0.05), 0.05),
        ];
        for (method, found, most) in lines {
            study.figure(method, &data, found, [0.0, most], 1);
        }
    }
    study.finish();
}

/// The probability of `k` heads of `n` fair coins.
fn binomial(n: u64, k: u64) -> f64 {
    (0..k).map(|i| ((n - i) as f64 / (i + 1) as f64).ln()).sum::<f64>().exp() / 2_f64.powi(i32::try_from(n).unwrap())
}

#[test]
fn no_test_of_a_comparison_finds_a_difference_more_often_than_it_says() {
    let mut study = Study::new("Tests that a comparison shows, with nothing to find");
    let nothing = Outcomes { won: 0.35, lost: 0.35, tie: 0.08, flip: 0.12, half_a: 0.05, half_b: 0.05 };
    let cells = study.size().of(1, DESIGNS.len());
    for (data, design) in DESIGNS.into_iter().take(cells) {
        let found = runs(&study, &format!("nothing, {data}"), 2_000, |stream| compared(stream, nothing, design, None));
        let p_values: [(&str, PickP, Claim); 6] = [
            ("mcnemar exact", |c| Some(c.mcnemar.p_exact), LEVEL),
            ("mcnemar mid-p", |c| Some(c.mcnemar.p_mid), Claim::AtMost(0.052)),
            ("sign test", |c| Some(c.sign_test.p), LEVEL),
            ("permutation", |c| Some(c.permutation.p), LEVEL),
            ("interaction of categories", |c| c.interaction.as_ref()?.as_ref().ok().map(|found| found.p), LEVEL),
            (
                "categories, any after holm",
                |c| c.by_category.iter().map(|row| row.p_holm).min_by(f64::total_cmp),
                LEVEL,
            ),
        ];
        for (name, p, claim) in p_values {
            line(&mut study, (name, data), claim, &found, |c| p(c).map(|p| p <= 0.05 + 1e-12));
        }
        line(&mut study, ("one side is called better", data), LEVEL, &found, |c| {
            Some(c.decision != Favours::Undecided)
        });
    }
    // Exactly as much worse as the margin: one side of a 95 % interval.
    let data = "150 items, worse by the margin";
    let worse = Outcomes { won: 0.3, lost: 0.4, ..nothing };
    let required = Some(Requirement::NoWorse { margin: 0.05 });
    let found = runs(&study, data, 2_000, |stream| compared(stream, worse, DESIGNS[0].1, required));
    line(&mut study, ("no-worse is held", data), Claim::AtMost(0.025), &found, |c| {
        Some(c.requirement.unwrap().held == Held::Held)
    });
    study.finish();
}

/// Where the outcome depends on the lengths, by the very model of the length-controlled win rate.
#[test]
fn a_length_controlled_win_rate_is_that_of_equal_lengths() {
    let mut study = Study::new("Length-controlled win rates of a judge that likes length");
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    let (better, likes) = (0.4, 1.2);
    let data = "200 items, 60 % at equal lengths, a longer in 7 of 10";
    let found = runs(&study, data, 1_000, |stream| {
        let mut items = items(stream, 200, 1);
        let mut judgments = Vec::new();
        for item in &mut items {
            let longer = chance(stream, 0.7);
            let [a, b] = if longer { [900, 300] } else { [300, 900] };
            (item.length_a, item.length_b) = (Some(a), Some(b));
            let wins = chance(stream, logistic(better + if longer { likes } else { -likes }));
            let said = if wins { Preference::A } else { Preference::B };
            judgments.extend(Order::BOTH.map(|order| judgment(item, "judge", 0, order, order.verdict_for(said))));
        }
        let items = GoldSet::new("compared", Digest::of(b"compared"), items);
        let options = compare::Options::new("a", "b", 300, stream.next_u64());
        compare(&items, &judgments, &JudgeName::from("judge"), &options)
    });
    let truth = logistic(better);
    line(&mut study, ("length-controlled 95 %", data), NOMINAL, &found, |c| holds(&c.length_controlled, truth));
    line(&mut study, ("win rate 95 %", data), Claim::AtMost(0.6), &found, |c| holds(&c.win_rate, truth));
    study.finish();
}

/// A judge that says `a` with one chance where `a` is shown first and with another where it is second, swapped where `b` is better.
#[derive(Debug, Clone, Copy)]
struct Leaning {
    right_ab: f64,
    right_ba: f64,
}

fn tried(stream: &mut Stream, judge: Leaning, count: usize, of_group: usize, repeats: u32) -> Scorecard {
    let mut items = items(stream, count, of_group);
    let mut judgments = Vec::new();
    for item in &mut items {
        let better = if chance(stream, 0.5) { Preference::A } else { Preference::B };
        item.gold = Some(GoldLabel { label: better, votes: Vec::new(), disputed: false });
        for repeat in 0..repeats {
            for (order, right) in Order::BOTH.into_iter().zip([judge.right_ab, judge.right_ba]) {
                let right = if better == Preference::A { right } else { judge.right_ab + judge.right_ba - right };
                let said = if chance(stream, right) { better } else { better.swapped() };
                judgments.push(judgment(item, "judge", repeat, order, order.verdict_for(said)));
            }
        }
    }
    calibrated(items, &judgments, 300).judges.remove(0)
}

pub fn calibrated(items: Vec<ItemFacts>, judgments: &[Judgment], resamples: usize) -> Calibration {
    let gold = GoldSet::new("planted", Digest::of(b"planted"), items);
    let options = calibration::Options {
        rules: GateRules::default(),
        resamples,
        seed: 1,
        any_model: BTreeSet::new(),
        jury: Panel::default(),
    };
    calibrate(&gold, judgments, &options)
}

#[test]
fn figures_of_a_calibration_over_units_hold_the_truth() {
    let mut study = Study::new("Intervals that a calibration shows");
    let judge = Leaning { right_ab: 0.9, right_ba: 0.7 };
    // Both orders right, both wrong, else a tie, whichever side is better.
    let (right, wrong) = (0.9 * 0.7, 0.1 * 0.3);
    let tie = 1.0 - right - wrong;
    // Gold is a or b by halves; the marginals of the verdicts are halves of what is no tie.
    let expected = 0.5 * (1.0 - tie) / 2.0 * 2.0;
    let kappa = (right - expected) / (1.0 - expected);
    let pooled = [0.5 - tie / 4.0, 0.5 - tie / 4.0, tie / 2.0];
    let pe = pooled.iter().map(|share| share * (1.0 - share)).sum::<f64>() / 2.0;
    let ac1 = (right - pe) / (1.0 - pe);
    let by_chance: f64 = pooled.iter().map(|share| share * share).sum();
    let alpha = (right - by_chance) / (1.0 - by_chance);
    let within = |p: f64| p * p + (1.0 - p) * (1.0 - p);
    let truths = [
        ("kappa_strict", kappa),
        ("ac1", ac1),
        ("alpha", alpha),
        ("agreement_strict", right),
        ("agreement_half_credit", right + tie / 2.0),
        ("agreement_decisive", right / (right + wrong)),
        ("length_error_gap", 0.0),
        ("flip_rate", tie),
        ("flip_excess", (0.9_f64 - 0.7).powi(2)),
        ("repetition_stability", f64::midpoint(within(0.9), within(0.7))),
    ];
    let designs =
        [("90 items asked twice", 90, 1, 2), ("40 groups of 3, asked twice", 120, 3, 2), ("150 items", 150, 1, 1)];
    let cells = study.size().of(1, designs.len());
    for (data, count, of_group, repeats) in designs.into_iter().take(cells) {
        let found = runs(&study, data, 1_000, |stream| tried(stream, judge, count, of_group, repeats));
        for (name, truth) in truths {
            let is_there = !matches!(found[0].shown(name), Err(NotEstimable { reason: Reason::NoRepeats, .. }));
            if is_there {
                // Coefficients of agreement over 40 groups lag, as a bootstrap of few units does.
                let claim = match name {
                    "kappa_strict" | "ac1" | "alpha" if of_group > 1 => Claim::Known(0.915),
                    _ => NOMINAL,
                };
                line(&mut study, (&format!("{name} 95 %"), data), claim, &found, |card| {
                    holds(&card.shown(name), truth)
                });
            }
        }
    }
    let data = "90 items asked twice, no position bias";
    let fair = Leaning { right_ab: 0.8, right_ba: 0.8 };
    let found = runs(&study, data, 2_000, |stream| tried(stream, fair, 90, 1, 2));
    line(&mut study, ("flip_excess above zero", data), Claim::AtMost(0.03), &found, |card| {
        card.shown("flip_excess").ok().map(|figure| figure.lower > 0.0)
    });
    study.finish();
}

/// Three judges with independent errors, the same in both orders.
fn jury(stream: &mut Stream, errors: [f64; 3], count: usize) -> Calibration {
    let mut items = items(stream, count, 1);
    let mut judgments = Vec::new();
    for item in &mut items {
        let better = if chance(stream, 0.5) { Preference::A } else { Preference::B };
        item.gold = Some(GoldLabel { label: better, votes: Vec::new(), disputed: false });
        for (name, error) in ["one", "two", "three"].into_iter().zip(errors) {
            let said = if chance(stream, error) { better.swapped() } else { better };
            judgments.extend(Order::BOTH.map(|order| judgment(item, name, 0, order, order.verdict_for(said))));
        }
    }
    calibrated(items, &judgments, 300)
}

#[test]
fn a_jury_is_called_better_or_worse_than_its_best_member_no_more_often_than_that_may_err() {
    let mut study = Study::new("A jury beside its best member");
    // 0.25² and 2·0.25·0.75 of the two others: a majority errs as often as the first alone.
    let grid = [
        ("errors .1, .25 and .25, no gain", [0.1, 0.25, 0.25], 150),
        ("errors .06, .2 and .2, no gain", [0.06, 0.2, 0.2], 60),
    ];
    let cells = study.size().of(1, grid.len());
    for (name, errors, count) in grid.into_iter().take(cells) {
        let [one, two, three] = errors;
        let majority = one * (two + three - two * three) + (1.0 - one) * two * three;
        let data = format!("{name}, {count} items");
        let found = runs(&study, &data, 1_000, |stream| jury(stream, errors, count).jury.unwrap());
        let gain = one - majority;
        line(
            &mut study,
            ("called better", &data),
            if gain <= 0.001 { LEVEL } else { Claim::AtMost(1.0) },
            &found,
            |j| Some(j.worth == Worth::Better),
        );
        line(
            &mut study,
            ("called worse", &data),
            if gain >= -0.001 { LEVEL } else { Claim::AtMost(1.0) },
            &found,
            |j| Some(j.worth == Worth::Worse),
        );
    }
    let data = "errors .2 each, 150 items";
    let found = runs(&study, data, 1_000, |stream| jury(stream, [0.2; 3], 150));
    let gain = 0.2 - (3.0 * 0.04 * 0.8 + 0.008);
    let members = |c: &Calibration| c.jury.clone().unwrap();
    line(&mut study, ("over_mean 95 %", data), NOMINAL, &found, |c| holds(&members(c).over_mean, gain));
    line(&mut study, ("difference to a member 95 %", data), NOMINAL, &found, |c| {
        holds(&members(c).gains[0].difference, gain)
    });
    line(&mut study, ("over_best too low", data), Claim::AtMost(0.25), &found, |c| {
        members(c).over_best.ok().map(|figure| figure.upper < gain)
    });
    line(&mut study, ("over_best too high", data), Claim::AtMost(0.025), &found, |c| {
        members(c).over_best.ok().map(|figure| figure.lower > gain)
    });
    line(&mut study, ("difference of two judges 95 %", data), NOMINAL, &found, |c| {
        holds(&c.versus[0].right.difference, 0.0)
    });
    line(&mut study, ("two judges differ, any after holm", data), LEVEL, &found, |c| {
        Some(c.versus.iter().any(|pair| pair.right.p_holm <= 0.05))
    });
    study.finish();
}
