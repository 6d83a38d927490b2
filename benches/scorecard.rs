//! How long a scorecard of 100,000 recorded verdicts takes, and how much memory: `cargo bench --bench scorecard`.
//!
//! 50,000 ungrouped items in both orders, 10,000 resamples wherever a bootstrap is used; then the same items in 1,000 groups.
//! Prints seconds, the ratio to one plain pass over the verdicts, and the peak of resident memory.

use std::time::Instant;

use tribunal::analysis::calibration::{Options, calibrate};
use tribunal::analysis::gate::GateRules;
use tribunal::analysis::jury::Panel;
use tribunal::analysis::outcome;
use tribunal::domain::{
    Digest, GoldLabel, GoldSet, GroupId, ItemFacts, ItemId, JudgeName, Judgment, Order, Preference, Reading, Said,
    Verdict,
};
use tribunal::stats::Seed;

const ITEMS: u64 = 50_000;

fn main() {
    for groups in [None, Some(1_000)] {
        let (gold, judgments) = data(groups);
        let started = now();
        let sheets = outcome::sheets(&gold, &judgments);
        let pass = started.elapsed();
        assert_eq!(sheets.len(), 1);
        let started = now();
        let options = Options {
            rules: GateRules::default(),
            resamples: 10_000,
            seed: 1,
            any_model: std::collections::BTreeSet::new(),
            jury: Panel::default(),
        };
        let answer = calibrate(&gold, &judgments, &options);
        let whole = started.elapsed();
        let kappa = answer.judges[0].shown("kappa_strict");
        println!(
            "{} verdicts, {}: scorecard {:.3} s, {:.1} times one pass over the verdicts ({:.3} s); kappa {:?}; peak {} MB",
            judgments.len(),
            groups.map_or("ungrouped".to_owned(), |groups| format!("{groups} groups")),
            whole.as_secs_f64(),
            whole.as_secs_f64() / pass.as_secs_f64(),
            pass.as_secs_f64(),
            kappa.map(|estimate| (estimate.lower, estimate.upper)),
            peak_megabytes().map_or("?".to_owned(), |mb| mb.to_string()),
        );
    }
}

#[allow(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn now() -> Instant {
    Instant::now()
}

/// A judge that is right in four of five, leans to the first slot and calls ties.
fn data(groups: Option<u64>) -> (GoldSet, Vec<Judgment>) {
    let mut stream = Seed(7).child("bench").stream(0);
    let mut items = Vec::new();
    let mut judgments = Vec::new();
    for number in 0..ITEMS {
        let id = ItemId(format!("item-{number:06}"));
        let gold = Preference::ALL[usize::try_from(stream.below(5)).unwrap_or(0) % 3];
        items.push(ItemFacts {
            id: id.clone(),
            group: groups.map(|groups| GroupId(format!("g{}", number % groups))),
            category: None,
            lang: None,
            turn: None,
            model_a: None,
            model_b: None,
            length_a: Some(stream.below(900) + 1),
            length_b: Some(stream.below(900) + 1),
            identical: false,
            gold: Some(GoldLabel { label: gold, votes: Vec::new(), disputed: false }),
        });
        for order in Order::BOTH {
            let verdict = match stream.below(10) {
                0 => Verdict::First,
                1 => Verdict::Tie,
                2 => order.verdict_for(gold.swapped()),
                _ => order.verdict_for(gold),
            };
            judgments.push(Judgment {
                item: id.clone(),
                judge: JudgeName::from("bench"),
                repeat: 0,
                said: Said::InOrder(order, Reading::Said(verdict)),
                detail: None,
            });
        }
    }
    (GoldSet::new("bench", Digest::of(b"bench"), items), judgments)
}

/// `VmHWM` of this process, where the system tells it.
fn peak_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}
