//! What is said of the people who label: how far they agree, how close the judge comes to them, and whether it may stand in for one.

use std::collections::BTreeSet;

use tribunal::analysis::calibration::{self, Calibration, calibrate};
use tribunal::analysis::gate::GateRules;
use tribunal::analysis::jury::Panel as Jury;
use tribunal::analysis::raters::{RatersAgreement, agree};
use tribunal::domain::{
    Annotator, Digest, GoldLabel, GoldSet, GroupId, ItemFacts, ItemId, JudgeName, Judgment, Order, Preference, Reading,
    Said, Vote,
};
use tribunal::stats::annotators::{AltTest, AltTestOptions, Panel, alt_test};
use tribunal::stats::seed::Stream;
use tribunal::stats::{Figure, Level, Seed, proportion::wilson};

use super::{Claim, Study, chance, class, holds};

const NOMINAL: Claim = Claim::AtLeast(0.95);

/// How often an item is better on side a, on side b, and on neither.
const TRUTH: [f64; 3] = [0.45, 0.45, 0.1];

/// People with their own skill, and a judge, over items that may come in groups; half of the groups are harder than the others.
#[derive(Debug, Clone, Copy)]
struct Room {
    items: usize,
    of_group: usize,
    /// How often each person is right; a wrong answer is either other class.
    skills: &'static [f64],
    judge: f64,
    /// By how much a group is harder or easier.
    spread: f64,
    /// How often a person has not labelled an item.
    missing: f64,
}

/// What everybody said of one item, the judge last.
struct Drawn {
    group: usize,
    truth: usize,
    people: Vec<Option<usize>>,
    judge: usize,
}

impl Room {
    fn draw(&self, stream: &mut Stream) -> Vec<Drawn> {
        let mut shift = 0.0;
        (0..self.items)
            .map(|item| {
                if item % self.of_group == 0 {
                    shift = if chance(stream, 0.5) { self.spread } else { -self.spread };
                }
                let truth = class(stream, &TRUTH);
                let mut said = |right: f64| {
                    let right = chance(stream, right + shift);
                    let other = 1 + usize::from(chance(stream, 0.5));
                    if right { truth } else { (truth + other) % 3 }
                };
                let judge = said(self.judge);
                let people: Vec<usize> = self.skills.iter().map(|skill| said(*skill)).collect();
                let people = people.into_iter().map(|said| (!chance(stream, self.missing)).then_some(said)).collect();
                Drawn { group: item / self.of_group, truth, people, judge }
            })
            .collect()
    }

    /// A mean over both kinds of groups.
    fn over_kinds(&self, of: impl Fn(f64) -> f64) -> f64 {
        f64::midpoint(of(self.spread), of(-self.spread))
    }

    /// How often two people with these skills say the same; whoever misses an item does so whatever it is.
    fn same(&self, one: f64, other: f64) -> f64 {
        self.over_kinds(|shift| {
            let (x, y) = (one + shift, other + shift);
            x * y + (1.0 - x) * (1.0 - y) / 2.0
        })
    }

    fn human_human(&self) -> f64 {
        let pairs = (0..self.skills.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        mean(pairs.map(|(one, other)| self.same(self.skills[one], self.skills[other])))
    }

    fn judge_human(&self) -> f64 {
        mean(self.skills.iter().map(|skill| self.same(self.judge, *skill)))
    }

    /// Kappa of agreement with what people drawn by chance from all labels would reach: Fleiss' and Krippendorff's are the same here.
    fn kappa(&self) -> f64 {
        let right = mean(self.skills.iter().map(|skill| self.over_kinds(|shift| skill + shift)));
        let share = |label: usize| TRUTH[label] * right + (1.0 - TRUTH[label]) * (1.0 - right) / 2.0;
        let chance: f64 = (0..3).map(|label| share(label).powi(2)).sum();
        (self.human_human() - chance) / (1.0 - chance)
    }

    fn as_text(&self) -> String {
        let Self { items, of_group, skills, judge, missing, .. } = self;
        let grouped = if *of_group > 1 { format!(" in groups of {of_group}") } else { String::new() };
        format!("{items} items{grouped}, people right {skills:?}, judge {judge}, {missing} missing")
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    sum / n
}

const fn room(items: usize, skills: &'static [f64], judge: f64, missing: f64) -> Room {
    Room { items, of_group: 1, skills, judge, spread: 0.0, missing }
}

const ROOMS: [Room; 7] = [
    room(30, &[0.9, 0.9, 0.85], 0.9, 0.2),
    Room { items: 120, of_group: 3, skills: &[0.75, 0.8, 0.7, 0.75], judge: 0.75, spread: 0.15, missing: 0.2 },
    room(20, &[0.8, 0.8, 0.8], 0.8, 0.0),
    room(30, &[0.97, 0.97, 0.97, 0.97], 0.97, 0.2),
    room(40, &[0.95, 0.95, 0.95, 0.9, 0.9], 0.95, 0.3),
    room(40, &[0.9, 0.9], 0.8, 0.0),
    room(150, &[0.8, 0.75, 0.8], 0.85, 0.2),
];

fn calibrated(drawn: &[Drawn], resamples: usize) -> Calibration {
    let (mut items, mut judgments) = (Vec::new(), Vec::new());
    for (number, found) in drawn.iter().enumerate() {
        let people = found.people.iter().enumerate();
        let votes = people.filter_map(|(person, said)| {
            let annotator = Some(Annotator::from(format!("p{person}").as_str()));
            said.map(|label| Vote { label: Preference::ALL[label], annotator })
        });
        let item = ItemId(format!("q{number:03}"));
        for order in Order::BOTH {
            let said = Said::InOrder(order, Reading::Said(order.verdict_for(Preference::ALL[found.judge])));
            judgments.push(Judgment {
                item: item.clone(),
                judge: JudgeName::from("judge"),
                repeat: 0,
                said,
                detail: None,
            });
        }
        items.push(ItemFacts {
            id: item,
            group: Some(GroupId::from(format!("g{:03}", found.group))),
            category: None,
            lang: None,
            turn: None,
            model_a: None,
            model_b: None,
            length_a: None,
            length_b: None,
            identical: false,
            gold: Some(GoldLabel { label: Preference::ALL[found.truth], votes: votes.collect(), disputed: false }),
        });
    }
    let options = calibration::Options {
        rules: GateRules::default(),
        resamples,
        seed: 1,
        any_model: BTreeSet::new(),
        jury: Jury::default(),
    };
    calibrate(&GoldSet::new("people", Digest::of(b"people"), items), &judgments, &options)
}

/// One calibration with people, groups and missing labels.
pub fn a_calibration_of_people(stream: &mut Stream) -> Calibration {
    calibrated(&ROOMS[1].draw(stream), 200)
}

/// The labels as somebody sees them who still labels.
fn while_labelling(drawn: &[Drawn], people: usize) -> RatersAgreement {
    let row =
        |person: usize| drawn.iter().map(|item| item.people[person].map(|label| Preference::ALL[label])).collect();
    agree(&(0..people).map(row).collect::<Vec<_>>(), Seed(1))
}

#[test]
fn what_is_said_of_people_holds_the_truth() {
    let mut study = Study::new("Agreement of people, and the judge beside them");
    let (rooms, resamples) = (study.size().of(2, ROOMS.len()), study.size().of(50, 1_000));
    for room in ROOMS.into_iter().take(rooms) {
        let data = room.as_text();
        let replicates = study.size().of(20, 2_000);
        let seed = Seed(1).child("raters").child(&data);
        let people = room.skills.len();
        let votes = people - usize::from(room.missing > 0.0);
        let found: Vec<[Figure; 7]> = (0..replicates)
            .map(|replicate| {
                let drawn = room.draw(&mut seed.stream(replicate));
                let Calibration { humans, judges, .. } = calibrated(&drawn, resamples);
                let beside = &judges[0].figures;
                let pairs = humans.get("pairwise_vote_agreement_clustered");
                let labelling = while_labelling(&drawn, people);
                [
                    pairs.or_else(|_| humans.get("pairwise_vote_agreement")),
                    humans.get(&format!("fleiss_kappa_{votes}_votes.kappa")),
                    beside.get("humans.human_human"),
                    beside.get("humans.judge_human"),
                    beside.get("humans.difference"),
                    labelling.raw,
                    labelling.alpha_interval,
                ]
            })
            .collect();
        let [human, judge, kappa] = [room.human_human(), room.judge_human(), room.kappa()];
        let lines = [
            ("pairwise_vote_agreement over units 95 %", human),
            ("fleiss_kappa 95 %", kappa),
            ("human_human 95 %", human),
            ("judge_human 95 %", judge),
            ("difference 95 %", judge - human),
            ("agreement while labelling 95 %", human),
            ("alpha while labelling 95 %", kappa),
        ];
        for (which, (method, truth)) in lines.into_iter().enumerate() {
            // Who still labels is not asked for groups.
            if room.of_group > 1 && which >= 5 {
                continue;
            }
            let mut each = found.iter();
            study.cell(method, &data, NOMINAL, replicates, |_| holds(&each.next().unwrap()[which], truth));
        }
    }
    study.finish();
}

/// The means of `human wins − judge wins` against each person, over items with another person's label: what the test compares with
/// epsilon.
fn advantages(skills: &[f64], judge: f64, missing: f64) -> Vec<f64> {
    let voices = skills.len() + 1;
    let mut sums = vec![0.0; skills.len()];
    for answers in 0..3_usize.pow(u32::try_from(voices).unwrap()) {
        let said = |voice: usize| answers / 3_usize.pow(u32::try_from(voice).unwrap()) % 3;
        // The right answer is 0, whatever the class is.
        let of = |voice: usize, skill: f64| if said(voice) == 0 { skill } else { (1.0 - skill) / 2.0 };
        let likely =
            skills.iter().enumerate().map(|(voice, skill)| of(voice, *skill)).product::<f64>() * of(voices - 1, judge);
        for (person, sum) in sums.iter_mut().enumerate() {
            // Every company of others that may be there.
            for company in 1_usize..1 << skills.len() {
                if company >> person & 1 == 1 {
                    continue;
                }
                let there = |other: &usize| company >> other & 1 == 1;
                let others = company.count_ones();
                let absent = u32::try_from(skills.len()).unwrap() - 1 - others;
                let (present, absent) =
                    ((1.0 - missing).powi(others.cast_signed()), missing.powi(absent.cast_signed()));
                let matched =
                    |own: usize| (0..skills.len()).filter(there).filter(|one| said(*one) == said(own)).count();
                let (human, judge) = (matched(person), matched(voices - 1));
                let gap = f64::from(u8::from(human >= judge)) - f64::from(u8::from(judge >= human));
                *sum += likely * present * absent * gap;
            }
        }
    }
    let alone = missing.powi(i32::try_from(skills.len()).unwrap() - 1);
    sums.into_iter().map(|sum| sum / (1.0 - alone)).collect()
}

/// The skill of a judge whose largest distance to a person is exactly so much.
fn judge_at(skills: &[f64], epsilon: f64, missing: f64) -> f64 {
    let farthest = |judge: f64| advantages(skills, judge, missing).into_iter().fold(f64::MIN, f64::max);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if farthest(middle) > epsilon { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

fn tested(stream: &mut Stream, room: Room) -> Option<AltTest> {
    let drawn = room.draw(stream);
    let label = |said: usize| u32::try_from(said).unwrap();
    let person = |person: usize| drawn.iter().map(|item| item.people[person].map(label)).collect();
    let humans = (0..room.skills.len()).map(person).collect();
    let judge = drawn.iter().map(|item| Some(label(item.judge))).collect();
    alt_test(&Panel::new(humans, judge).unwrap(), AltTestOptions::default()).ok()
}

#[test]
fn the_alternative_annotator_test_errs_no_more_often_than_it_says() {
    let mut study = Study::new("The alternative annotator test");
    let epsilon = AltTestOptions::default().epsilon;
    let alike: [(&'static [f64], usize, f64); 4] =
        [(&[0.85; 3], 40, 0.0), (&[0.9; 5], 100, 0.2), (&[0.8; 4], 60, 0.2), (&[0.7; 3], 200, 0.0)];
    let cells = study.size().of(2, alike.len());
    for (skills, items, missing) in alike.into_iter().take(cells) {
        // Nobody can be replaced: the judge is farther from everybody by exactly epsilon.
        let at_border = room(items, skills, judge_at(skills, epsilon, missing), missing);
        let data =
            format!("{items} items, {} people right {}, all at the border, {missing} missing", skills.len(), skills[0]);
        let replicates = study.replicates();
        study.cell("one person's p is below 5 %", &data, Claim::AtMost(0.05), replicates, |stream| {
            tested(stream, at_border).and_then(|test| test.humans.first().map(|one| one.p <= 0.05))
        });
        study.cell("anybody is replaced", &data, Claim::AtMost(0.05), replicates, |stream| {
            tested(stream, at_border).map(|test| test.winning_rate > 0.0)
        });
        study.cell("passed", &data, Claim::AtMost(0.05), replicates, |stream| {
            tested(stream, at_border).map(|test| test.passed)
        });
    }
    // Some people are at the border and others are not: how many of those replaced should not have been.
    let mixed: [(&'static [f64], usize); 2] = [(&[0.95, 0.95, 0.6, 0.6], 80), (&[0.95, 0.95, 0.95, 0.7, 0.6], 150)];
    for (skills, items) in mixed {
        let judge = judge_at(skills, epsilon, 0.0);
        let border: Vec<bool> = advantages(skills, judge, 0.0).into_iter().map(|gap| gap >= epsilon - 1e-9).collect();
        let room = room(items, skills, judge, 0.0);
        let data = format!("{items} items, people right {skills:?}, the best at the border");
        let seed = Seed(1).child("false replacements").child(&data);
        let replicates = study.replicates();
        let shares: Vec<f64> = (0..replicates)
            .filter_map(|replicate| {
                let test = tested(&mut seed.stream(replicate), room)?;
                let replaced: Vec<usize> = test.humans.iter().filter(|one| one.replaced).map(|one| one.human).collect();
                let wrong = replaced.iter().filter(|human| border[**human]).count();
                Some(wrong as f64 / replaced.len().max(1) as f64)
            })
            .collect();
        let found = mean(shares.iter().copied());
        let square = mean(shares.iter().map(|share| (share - found).powi(2)));
        let slack = super::STANDARD_ERRORS * (square / shares.len() as f64).sqrt();
        study.figure("false replacements of all", &data, found, [0.0, 0.05 + slack], shares.len() as u64);
    }
    study.finish();
}

#[test]
fn people_are_no_independent_trials_of_the_winning_rate() {
    let mut study = Study::new("The winning rate of the alternative annotator test");
    let grid = [
        (room(40, &[0.85, 0.85, 0.85], 0.85, 0.0), Claim::Known(0.779)),
        (room(100, &[0.9, 0.9, 0.85, 0.8, 0.8], 0.75, 0.2), Claim::Known(0.852)),
    ];
    let cells = study.size().of(1, grid.len());
    for (room, claim) in grid.into_iter().take(cells) {
        let data = room.as_text();
        let replicates = study.replicates();
        let seed = Seed(1).child("winning rates").child(&data);
        let rates = (0..replicates * 2).filter_map(|one| Some(tested(&mut seed.stream(one), room)?.winning_rate));
        let truth = mean(rates);
        study.cell(&format!("wilson over people 95 %, true {truth:.2}"), &data, claim, replicates, |stream| {
            let test = tested(stream, room)?;
            let replaced = test.humans.iter().filter(|one| one.replaced).count();
            holds(&wilson(replaced as u64, test.humans.len() as u64, Level::P95), truth)
        });
    }
    study.finish();
}
