//! What the calls of one judge cost, and who answered them.

use std::collections::BTreeMap;

use super::figures::Figures;
use crate::domain::{Fingerprint, JudgeName, JudgmentDetail};
use crate::stats::{Estimate, NotEstimable, Reason};

/// Tokens, cost and latency over the judgments that have them; empty where none has.
pub(super) fn figures(details: &[&JudgmentDetail]) -> Figures {
    let mut figures = Figures::new();
    let sum = |of: fn(&JudgmentDetail) -> Option<u64>| {
        let known: Vec<u64> = details.iter().filter_map(|detail| of(detail)).collect();
        (!known.is_empty()).then(|| known.iter().fold(0, |sum: u64, count| sum.saturating_add(*count)))
    };
    if let Some(tokens) = sum(|detail| detail.usage.input_tokens) {
        figures.count("input_tokens", tokens);
    }
    if let Some(tokens) = sum(|detail| detail.usage.output_tokens) {
        figures.count("output_tokens", tokens);
    }
    let mut latencies: Vec<u64> = details.iter().filter_map(|detail| detail.latency_ms).collect();
    latencies.sort_unstable();
    if !latencies.is_empty() {
        figures.figure("latency_ms_p50", Ok(observed(&latencies, 50)));
        figures.figure("latency_ms_p95", Ok(observed(&latencies, 95)));
    }
    let costs: Vec<f64> = details.iter().filter_map(|detail| detail.cost_usd).collect();
    if !costs.is_empty() {
        let total: f64 = costs.iter().sum();
        let known = if total.is_finite() {
            Ok(plain(total, total, total, costs.len(), "sum"))
        } else {
            Err(NotEstimable::because(Reason::Invalid))
        };
        figures.figure("cost_usd", known);
        if costs.len() < details.len() {
            figures.count("calls_with_known_cost", costs.len() as u64);
            figures.count("calls", details.len() as u64);
        }
    }
    figures
}

/// An order statistic of all calls, with the fastest and the slowest call around it.
fn observed(sorted: &[u64], percent: usize) -> Estimate {
    let place = (sorted.len() * percent).div_ceil(100).max(1) - 1;
    let at = |index: usize| sorted[index] as f64;
    plain(at(place), at(0), at(sorted.len() - 1), sorted.len(), "range")
}

fn plain(point: f64, lower: f64, upper: f64, n: usize, method: &'static str) -> Estimate {
    Estimate::within(point, [lower, upper], 1.0, n as u64, method)
}

/// The fingerprint in the judgments, else that of a judge known by its recorded verdicts alone.
pub(super) fn fingerprint(judge: &JudgeName, details: &[&JudgmentDetail]) -> Fingerprint {
    details
        .iter()
        .find_map(|detail| detail.fingerprint.clone())
        .unwrap_or_else(|| Fingerprint::recorded(judge.as_str()))
}

/// The models that answered, as the server named them, with their calls; most calls first.
pub(super) fn served_models<'a>(details: &[&'a JudgmentDetail]) -> Vec<(&'a str, u64)> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for model in details.iter().filter_map(|detail| detail.served_model.as_deref()) {
        *counts.entry(model).or_default() += 1;
    }
    let mut models: Vec<(&str, u64)> = counts.into_iter().collect();
    models.sort_by(|x, y| y.1.cmp(&x.1).then(x.0.cmp(y.0)));
    models
}
