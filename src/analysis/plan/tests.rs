#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, clippy::cast_sign_loss)]

use super::*;
use crate::domain::{Digest, Folded, GoldSet, Judgment, Pair, Said};

fn options() -> Options {
    Options {
        effects: EFFECTS.to_vec(),
        risk: Risk::USUAL,
        half_width: 0.05,
        repeats: 1,
        ties: 0.0,
        flips: 0.0,
        rules: GateRules::default(),
        calls: CallTerms { concurrency: 8, ..CallTerms::default() },
        seed: 1,
    }
}

fn planned(options: &Options) -> Plan {
    plan(None, None, options).unwrap()
}

fn items(plan: &Plan) -> Vec<u64> {
    plan.effects.iter().map(|row| row.items).collect()
}

/// (1.959964 + 0.841621)² = 7.848879; at 60 % without ties sd² = 0.24, so 7.848879 · 0.24/0.01 = 188.4.
#[test]
fn items_by_hand_at_60_per_cent() {
    let plan = planned(&Options { effects: vec![0.6], ..options() });
    assert_eq!(plan.effects[0].items, 189);
    // Half the outcomes undecided: sd² = 0.35 + 0.125 − 0.36 = 0.115 (won 0.35, rest 0.5).
    let tied = planned(&Options { effects: vec![0.6], ties: 0.3, flips: 0.2, ..options() });
    assert_eq!(tied.effects[0].items, 91);
    assert!((tied.effects[0].sd - 0.115_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn a_half_width_of_five_points_takes_381_items_by_wilson() {
    let plan = planned(&options());
    assert_eq!((plan.half_width.items_most, plan.half_width.level), (381, 0.95));
    // 1.959964² · 0.25 / 0.0025 = 384.1
    assert_eq!(plan.half_width.items, 385);
    assert!(planned(&Options { ties: 0.4, ..options() }).half_width.items < 240);
}

/// Connor: pd = 0.5, d = 0.2: (1.959964·√0.5 + 0.841621·√(0.5 − 0.04))²/0.04 = 95.7.
#[test]
fn mcnemar_takes_connors_number_and_its_exact_power_stands_beside_it() {
    let plan = planned(&Options { effects: vec![0.6], ties: 0.3, flips: 0.2, ..options() });
    let mcnemar = &plan.effects[0].mcnemar;
    assert_eq!(mcnemar.items, 96);
    let exact = mcnemar.power_exact.unwrap();
    assert!(exact > 0.7 && exact < 0.82, "{exact}");
}

/// Connor's number is an approximation of a test that is not exact; the exact one takes more, and one fewer is too few.
#[test]
fn the_exact_test_has_the_wanted_power_with_its_own_number_and_not_with_connors() {
    for (ties, flips) in [(0.0, 0.0), (0.1, 0.1), (0.3, 0.2)] {
        let plan = planned(&Options { effects: vec![0.6, 0.7], ties, flips, ..options() });
        for row in &plan.effects {
            let shares = Shares::at(row.win_rate, ties + flips);
            let power = |n: u64| mcnemar_power(n, shares.won, shares.lost, 0.05).unwrap().exact;
            let needed = row.mcnemar.items_exact.unwrap();
            assert!(needed > row.mcnemar.items && row.mcnemar.power_exact.unwrap() < 0.8, "{row:?}");
            assert!(
                power(needed) >= 0.8 && power(needed - 1) < 0.8,
                "{needed}: {} {}",
                power(needed),
                power(needed - 1)
            );
            assert!((needed..needed + 40).all(|n| power(n) >= 0.799), "{needed}");
        }
    }
    // Six wins of six are the fewest that the exact test finds at 5 %: 2 / 2^6 = 3.1 %, and 2 / 2^5 = 6.3 %.
    let certain = planned(&Options { effects: vec![0.999], ..options() });
    assert_eq!(certain.effects[0].mcnemar.items_exact, Some(6));
}

#[test]
fn one_plan_has_one_flip_rate() {
    let usual = planned(&Options { ties: TIES, flips: FLIPS, ..options() });
    let flips = |plan: &Plan| {
        let row = plan.labels.iter().find(|row| row.criterion == "flip_rate").unwrap();
        (row.assumed, row.source)
    };
    assert_eq!(flips(&usual), (Some(FLIPS), LabelSource::Default));
    let said: Vec<String> = usual.assumptions.iter().map(ToString::to_string).collect();
    assert_eq!(
        said.iter().filter(|text| text.contains("10.0 % ties and 10.0 % outcomes whose orders disagree")).count(),
        1
    );
    assert!(said.iter().any(|text| text.contains("10.0 % flips as above")), "{said:?}");
    let other = planned(&Options { flips: 0.3, ..options() });
    assert_eq!(flips(&other), (Some(0.3), LabelSource::Default));
    let row = other.labels.iter().find(|row| row.criterion == "flip_rate").unwrap();
    assert_eq!(row.decision, Some(crate::analysis::gate::Decision::Fail));
    // A pilot without labels tells its flips all the same, unless they were folded.
    let pilot = |flip_rate| Pilot {
        judge: "mini".into(),
        outcomes: 80,
        items: 80,
        units: 80,
        ties: 0.1,
        flips: 0.2,
        flip_rate,
        design_effect: 1.0,
        noise: None,
    };
    let with = plan(Some(pilot(Some(0.05))), None, &options()).unwrap();
    assert_eq!(flips(&with), (Some(0.05), LabelSource::Pilot));
    let folded = plan(Some(pilot(None)), None, &options()).unwrap();
    assert_eq!(flips(&folded), (None, LabelSource::Unknown));
}

/// 49 of 58 have a lower bound below 75 %, so 58 labels at "85 %" decide nothing although 49.3 would.
#[test]
fn labels_are_planned_for_whole_successes_and_any_number_beyond() {
    let plan = planned(&Options { flips: FLIPS, ..options() });
    let row = |name: &str| plan.labels.iter().find(|row| row.criterion == name).unwrap();
    let exact = |k: f64, n: u64| crate::stats::proportion::clopper_pearson(k as u64, n, Level::P90).unwrap();
    let lower = |n: u64| exact((0.85 * n as f64 + 1e-9).floor(), n).lower;
    assert!(lower(58) < 0.75);
    let needed = row("agreement_decisive").labels.unwrap();
    assert!(lower(needed - 1) < 0.75 && (needed..needed + 300).all(|n| lower(n) >= 0.75), "{needed}");
    let upper = |n: u64| exact((0.1 * n as f64 - 1e-9).ceil(), n).upper;
    let needed = row("flip_rate").labels.unwrap();
    assert!(upper(needed - 1) > 0.2 && (needed..needed + 300).all(|n| upper(n) <= 0.2), "{needed}");
}

#[test]
fn more_power_less_risk_and_smaller_effects_take_more_items() {
    let usual = items(&planned(&options()));
    assert!(usual.is_sorted_by(|more, fewer| more > fewer), "{usual:?}");
    let with = |risk| items(&planned(&Options { risk, ..options() }));
    let power = with(Risk { power: 0.9, ..Risk::USUAL });
    let alpha = with(Risk { alpha: 0.01, ..Risk::USUAL });
    for at in 0..usual.len() {
        assert!(power[at] > usual[at] && alpha[at] > usual[at]);
    }
    let mirrored = planned(&Options { effects: vec![0.4], ..options() });
    assert_eq!(mirrored.effects[0].items, planned(&Options { effects: vec![0.6], ..options() }).effects[0].items);
}

#[test]
fn early_stopping_finds_what_is_there_and_uses_fewer_items_than_are_in_hand() {
    for row in &planned(&Options { ties: 0.1, flips: 0.15, ..options() }).effects {
        assert!(row.stopping.decided > 0.7, "{row:?}");
        assert!(row.stopping.items_mean < row.stopping.supply as f64 / 1.5, "{row:?}");
    }
    // A win rate of 65 % is found sooner than the number that is planned for 60 %.
    let plan = planned(&Options { effects: vec![0.6, 0.65], ties: 0.1, flips: 0.15, ..options() });
    assert!(plan.effects[1].stopping.items_mean < plan.effects[0].items as f64);
}

#[test]
fn what_is_unknown_stays_unknown_and_what_is_known_is_counted() {
    let unknown = Cost::of(100, 1, &options().calls);
    assert_eq!(unknown, Cost { calls: 200, tokens: None, usd: None, hours: None });
    let terms = CallTerms {
        recorded: 5,
        input_tokens: Some(400.0),
        output_tokens: Some(100.0),
        usd: Some(0.002),
        latency_ms: Some(1800.0),
        concurrency: 2,
        ..CallTerms::default()
    };
    let known = Cost::of(100, 2, &terms);
    assert_eq!((known.calls, known.tokens), (400, Some(200_000.0)));
    assert!((known.usd.unwrap() - 0.8).abs() < 1e-12);
    // 400 · 1.8 s / 2 = 6 minutes.
    assert!((known.hours.unwrap() - 0.1).abs() < 1e-12);
    let limited = Cost::of(100, 2, &CallTerms { requests_per_minute: Some(10.0), ..terms });
    assert!((limited.hours.unwrap() - 40.0 / 60.0).abs() < 1e-12);
}

/// 0.8^14 < 0.05 < 0.8^13 and 0.75^11 < 0.05 < 0.75^10.
#[test]
fn a_perfect_judge_passes_a_share_at_the_exact_number_of_labels() {
    let plan = planned(&Options { flips: FLIPS, ..options() });
    let row = |name: &str| plan.labels.iter().find(|row| row.criterion == name).unwrap();
    assert_eq!(row("flip_rate").at_best, Some(14));
    assert_eq!(row("agreement_decisive").at_best, Some(11));
    let flips = row("flip_rate");
    let needed = flips.labels.unwrap();
    assert!(needed > 14 && flips.decision == Some(crate::analysis::gate::Decision::Pass));
    assert_eq!((row("kappa_strict").labels, row("kappa_strict").source), (None, LabelSource::Unknown));
    assert_eq!(row("no_verdict_rate").source, LabelSource::Point);
}

fn pilot(folded: &[Folded], group: usize) -> (GoldSet, Vec<Judgment>) {
    let mut items = Vec::new();
    let judgments = folded.iter().enumerate().map(|(at, said)| {
        let mut facts = Pair::new(format!("q{at:03}"), "p", "x", "y").facts();
        facts.group = (group > 1).then(|| format!("g{}", at / group).as_str().into());
        let item = facts.id.clone();
        items.push(facts);
        Judgment { item, judge: "mini".into(), repeat: 0, said: Said::Folded(*said), detail: None }
    });
    let judgments = judgments.collect();
    (GoldSet::new("pilot", Digest::of(b""), items), judgments)
}

#[test]
fn a_pilot_tells_the_spread_and_the_clusters_but_not_the_effect() {
    use Folded::{A, B, Inconsistent, Tie};
    let said: Vec<Folded> = (0..80).map(|at| [A, B, Tie, Inconsistent][at / 4 % 4]).collect();
    let (items, judgments) = pilot(&said, 4);
    let found = Pilot::of(&items, &judgments, &"mini".into()).unwrap();
    assert_eq!((found.ties, found.flips, found.items, found.units), (0.25, 0.25, 80, 20));
    assert!((found.design_effect - 4.0 * 79.0 / 76.0).abs() < 1e-9, "{}", found.design_effect);
    let with = plan(Some(found.clone()), None, &options()).unwrap();
    let alone = plan(Some(Pilot { design_effect: 1.0, ..found }), None, &options()).unwrap();
    assert!(with.effects[1].items > 4 * alone.effects[1].items - 5);
    assert_eq!(with.effects.len(), EFFECTS.len());
}

/// Twelve items asked three times: ten agree with themselves, two do not. Without one of the verdicts the components move a
/// little; they do not vanish.
#[test]
fn a_missing_repeat_moves_the_noise_of_a_pilot_a_little_and_does_not_drop_it() {
    use Folded::{A, B};
    let (items, once) = pilot(&[A, B, A, B, A, B, A, B, A, B, A, B], 1);
    let mut judgments: Vec<Judgment> = (0..3)
        .flat_map(|repeat| {
            once.iter().enumerate().map(move |(at, judgment)| {
                let said = if at < 2 && repeat == 2 { Folded::Inconsistent } else { [A, B][at % 2] };
                Judgment { repeat, said: Said::Folded(said), ..judgment.clone() }
            })
        })
        .collect();
    let noise = |judgments: &[Judgment]| Pilot::of(&items, judgments, &"mini".into()).unwrap();
    let whole = noise(&judgments);
    judgments.pop();
    let one_missing = noise(&judgments);
    let (all, fewer) = (whole.noise.unwrap(), one_missing.noise.unwrap());
    // Two items with (½, 0, 0) about their means: 2 · 1/6 over 24 degrees of freedom, then over 23.
    assert!((all.repeat - 1.0 / 72.0).abs() < 1e-12 && (fewer.repeat - 1.0 / 69.0).abs() < 1e-12, "{all:?} {fewer:?}");
    assert!((all.item - fewer.item).abs() < 0.01 * all.item, "{all:?} {fewer:?}");
    assert!((whole.repeat_factor(3) - one_missing.repeat_factor(3)).abs() < 0.01);
    let repeated = Options { repeats: 3, ..options() };
    let said = plan(Some(one_missing), None, &repeated).unwrap().assumptions;
    assert!(said.iter().any(|one| matches!(one, Assumption::Repeats { factor: Some(_), .. })), "{said:?}");
}

#[test]
fn a_pilot_without_verdicts_tells_nothing() {
    let (items, _) = pilot(&[Folded::A, Folded::B], 1);
    assert_eq!(Pilot::of(&items, &[], &"mini".into()).unwrap_err().reason, Reason::Empty);
    let (items, judgments) = pilot(&[Folded::A], 1);
    assert_eq!(Pilot::of(&items, &judgments, &"mini".into()).unwrap_err().reason, Reason::TooFew);
}

#[test]
fn what_cannot_be_planned_is_refused() {
    for effects in [vec![0.5], vec![1.0], vec![f64::NAN]] {
        assert_eq!(plan(None, None, &Options { effects, ..options() }).unwrap_err().reason, Reason::Invalid);
    }
    assert!(plan(None, None, &Options { ties: 0.7, flips: 0.4, ..options() }).is_err());
    assert!(plan(None, None, &Options { half_width: 0.6, ..options() }).is_err());
}
