//! The criteria of the calibration gate, each decided on its own interval.

use super::baseline;
use super::gate::{Criterion, DecideOn, Decision, Gate, GateRules, Limit, Rule, Why};
use super::kappa::{STRICT, kappa};
use super::measure::{self, Measuring, Over};
use super::shares::{AGREEMENT_DECISIVE, Case, Cases, FLIP_RATE, NO_VERDICT_RATE, SINGLE_ORDER_ROWS, Share};
use crate::domain::Preference;
use crate::stats::clustered::{clopper_pearson_real, korn_graubard};
use crate::stats::proportion::clopper_pearson;
use crate::stats::resample::Resampling;
use crate::stats::{Estimate, Figure, Level, NotEstimable};

/// More labels than this are not worth naming.
pub(super) const FORESEEABLE: u64 = 1_000_000;

/// One criterion before it is decided.
struct Question<'a> {
    name: &'a str,
    rule: Rule,
    shown: Figure,
    deciding: Figure,
    /// What the figure is called in a sentence.
    words: &'a str,
}

/// The gate for one judge; `shown_kappa` is the figure of the scorecard, which is dear to compute. Without any label the position figures are all there is, and they alone decide nothing.
pub(super) fn gate(cases: &Cases, name: &str, rules: &GateRules, resampling: &Resampling, shown_kappa: Figure) -> Gate {
    let over = if cases.clustered { Over::Units } else { Over::Rows };
    let how = Measuring { over, resampling: *resampling, part: false };
    let share = |share: &Share, rule: Rule, words| {
        let shown = if cases.clustered { cases.clustered(share, Level::P95) } else { cases.wilson(share, Level::P95) };
        decide(Question { name: share.name, rule, shown, deciding: exact(cases, share), words })
    };
    let gate = Gate::of(vec![
        gold_classes(cases),
        labels(cases, rules.min_labels),
        share(&AGREEMENT_DECISIVE, rules.agreement_decisive, "agreement with the gold labels where both are decisive"),
        decide(Question {
            name: "kappa_strict",
            rule: rules.kappa_strict,
            shown: shown_kappa,
            deciding: kappa(cases, STRICT, of_few(cases, how), Level::P90, false),
            words: "agreement beyond chance (Cohen's kappa)",
        }),
        share(&FLIP_RATE, rules.flip_rate, "flip rate (the verdict follows the position)"),
        decide(Question {
            name: "length_error_gap",
            rule: rules.length_error_gap,
            shown: measure::length_gap(cases, how, Level::P95),
            deciding: measure::length_gap(cases, how, Level::P90),
            words: "extra error where the better answer is the shorter one",
        }),
        share(&NO_VERDICT_RATE, rules.no_verdict_rate, "share of judgments without a verdict"),
        beats_controls(cases, name, rules.beats_controls),
        single_orders(cases, rules.max_single_order),
    ]);
    let items = |wanted: fn(&super::shares::Case) -> bool| {
        let found = cases.all.iter().filter(|case| wanted(case)).map(|case| case.row.item);
        found.collect::<std::collections::BTreeSet<_>>().len() as u64
    };
    let gate = gate.in_items(items(|case| case.gold.is_some() && case.combined.is_some()), items(|_| true));
    if cases.known.gold { gate } else { Gate { decision: Decision::Inconclusive, ..gate } }
}

/// Over few units a bootstrap of kappa knows few values, and the noise of resampling moves a bound from one to the next: with
/// 10,000 resamples up to 6 in 100 judges exactly at the limit pass, by the seed; with these 5.
const RESAMPLES_OF_FEW: usize = 50_000;
/// So many units are few for kappa.
const FEW_FOR_KAPPA: usize = 100;

/// How the gate's kappa is resampled: where units are few, at least [`RESAMPLES_OF_FEW`] times.
fn of_few(cases: &Cases, how: Measuring) -> Measuring {
    if cases.units > FEW_FOR_KAPPA {
        return how;
    }
    let resamples = how.resampling.resamples.max(RESAMPLES_OF_FEW);
    Measuring { resampling: Resampling { resamples, ..how.resampling }, ..how }
}

/// The exact 90 % interval of a share: Clopper-Pearson over rows, Korn-Graubard over units.
fn exact(cases: &Cases, share: &Share) -> Figure {
    if cases.clustered {
        let counts = cases.count_by_unit(share);
        if counts.is_empty() {
            return Err(NotEstimable::with_counts(cases.absence(share), 0, 0));
        }
        return korn_graubard(&counts, Level::P90);
    }
    let (k, n) = cases.count(share);
    if n == 0 {
        return Err(NotEstimable::with_counts(cases.absence(share), 0, 0));
    }
    clopper_pearson(k, n, Level::P90)
}

fn decide(question: Question) -> Criterion {
    let Question { name, rule, shown, deciding, words } = question;
    let decided_on = match rule.decide {
        DecideOn::Interval => deciding,
        DecideOn::Point => deciding.map(|estimate| Estimate {
            lower: estimate.point,
            upper: estimate.point,
            method: "point",
            ..estimate
        }),
    };
    let decision = decided_on.as_ref().map_or(Decision::Inconclusive, |e| rule.limit.decide(e.lower, e.upper));
    let labels_needed = match (&decided_on, decision) {
        (Ok(estimate), Decision::Inconclusive) => labels_needed(estimate, rule.limit),
        _ => None,
    };
    let reason = sentence(words, &decided_on, rule, decision, Scale::of(name));
    Criterion {
        name: name.to_owned(),
        decision,
        figure: shown,
        decided_on,
        decide: rule.decide,
        limit: rule.limit,
        labels_needed,
        gold_needed: None,
        reason,
        why: Why::Figure,
    }
}

/// In what a criterion's figure, interval and limit are all written in one sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// Per cent.
    Share,
    /// Percentage points.
    Points,
    /// As it is.
    Coefficient,
}

impl Scale {
    fn of(criterion: &str) -> Self {
        match criterion {
            "kappa_strict" => Self::Coefficient,
            "length_error_gap" | "beats_controls" => Self::Points,
            _ => Self::Share,
        }
    }

    fn bare(self, value: f64) -> String {
        // No zero has a sign.
        match self {
            Self::Coefficient => format!("{:.3}", value + 0.0),
            Self::Share | Self::Points => format!("{:.1}", (value * 1000.0).round() / 10.0 + 0.0),
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Share => " %",
            Self::Points => " pp",
            Self::Coefficient => "",
        }
    }

    fn limit(self, limit: Limit) -> String {
        let written = |at: f64| match self {
            Self::Coefficient => format!("{at:.2}"),
            Self::Share | Self::Points => format!("{}", (at * 1e6).round() / 1e4),
        };
        let (sign, at) = match limit {
            Limit::Max(at) => ("≤ ", at),
            Limit::Min(at) => ("≥ ", at),
            Limit::Above(at) => ("> ", at),
            Limit::Within(at) => ("within ±", at),
        };
        format!("{sign}{}{}", written(at), self.unit())
    }
}

fn sentence(words: &str, decided_on: &Figure, rule: Rule, decision: Decision, scale: Scale) -> String {
    let Rule { limit, decide } = rule;
    let limit = scale.limit(limit);
    let estimate = match decided_on {
        Ok(estimate) => estimate,
        Err(absence) => return format!("{words}: not estimable ({}), wanted {limit}", absence.reason),
    };
    let [point, lower, upper] = [estimate.point, estimate.lower, estimate.upper].map(|value| scale.bare(value));
    let unit = scale.unit();
    let verb = match decision {
        Decision::Pass => "meets",
        Decision::Fail => "misses",
        Decision::Inconclusive => "does not decide",
    };
    match decide {
        DecideOn::Point => format!("{words}: {point}{unit} {verb} the limit {limit} (decided on the point)"),
        DecideOn::Interval => {
            format!("{words}: {point}{unit}, 90 % interval {lower} to {upper}{unit}, {verb} the limit {limit}")
        }
    }
}

/// The smallest number of units at which the present point would decide: exact for shares, by the width's square-root law else.
fn labels_needed(estimate: &Estimate, limit: Limit) -> Option<u64> {
    let n = estimate.n;
    let decides = |n: u64| {
        let (lower, upper) = bounds_at(estimate, n);
        limit.decide(lower, upper) != Decision::Inconclusive
    };
    let most = FORESEEABLE.max(n);
    if n == 0 || !decides(most) {
        return None;
    }
    let (mut no, mut yes) = (n, most);
    while yes - no > 1 {
        let middle = no + (yes - no) / 2;
        if decides(middle) { yes = middle } else { no = middle }
    }
    Some(yes)
}

fn bounds_at(estimate: &Estimate, n: u64) -> (f64, f64) {
    let level = Level::new(estimate.level).unwrap_or(Level::P90);
    if estimate.method == "clopper_pearson" {
        return clopper_pearson_real(estimate.point, n as f64, level);
    }
    let shrink = (estimate.n as f64 / n as f64).sqrt();
    let toward = |bound: f64| estimate.point + (bound - estimate.point) * shrink;
    (toward(estimate.lower), toward(estimate.upper))
}

/// A criterion on a count: neither sampled nor with an interval.
struct Count {
    name: &'static str,
    found: u64,
    limit: Limit,
    decision: Decision,
    needed: Option<u64>,
}

impl Count {
    fn because(self, reason: String, why: Why) -> Criterion {
        let point = self.found as f64;
        let figure: Figure = Ok(Estimate::known(point, self.found, "count"));
        Criterion {
            name: self.name.to_owned(),
            decision: self.decision,
            figure: figure.clone(),
            decided_on: figure,
            decide: DecideOn::Point,
            limit: self.limit,
            labels_needed: self.needed,
            gold_needed: self.needed,
            reason,
            why,
        }
    }
}

/// Both decisive classes have to be in the gold, or agreement measures nothing.
fn gold_classes(cases: &Cases) -> Criterion {
    let count = |counts: fn(&Case) -> bool| {
        let has = |wanted| cases.all.iter().any(|case| case.gold == Some(wanted) && counts(case));
        [Preference::A, Preference::B].into_iter().filter(|wanted| has(*wanted)).count() as u64
    };
    let (judged, there) = (count(|case| case.combined.is_some()), count(|_| true));
    let decision = if judged == 2 { Decision::Pass } else { Decision::Inconclusive };
    let reason = match (judged, there) {
        (2, _) => "the judged gold labels hold both a and b".to_owned(),
        (_, 2) => format!(
            "the gold labels hold both decisive classes a and b, but verdicts in both orders are there for {judged} of them"
        ),
        _ => format!("the gold labels hold {there} of the two decisive classes a and b; add items of the other"),
    };
    Count { name: "both_classes", found: judged, limit: Limit::Min(2.0), decision, needed: None }
        .because(reason, Why::Classes { judged, there })
}

fn labels(cases: &Cases, least: u64) -> Criterion {
    let labelled = cases.all.iter().filter(|case| case.gold.is_some() && case.combined.is_some());
    let judged = labelled.map(|case| case.row.item).collect::<std::collections::BTreeSet<_>>().len() as u64;
    let enough = judged >= least;
    let reason = format!("{judged} judged items have a gold label, at least {least} are wanted");
    let decision = if enough { Decision::Pass } else { Decision::Inconclusive };
    let limit = Limit::Min(least as f64);
    Count { name: "min_labels", found: judged, limit, decision, needed: (!enough).then_some(least) }
        .because(reason, Why::Labels { judged, least })
}

/// Several models answered for one judge: what was tried is none of them.
pub(super) fn one_model(models: &[(&str, u64)]) -> Criterion {
    let listed: Vec<String> = models.iter().map(|(model, calls)| format!("{model} ({calls})")).collect();
    let reason =
        format!("several models answered for this judge: {}; name one that does not change", listed.join(", "));
    let models: Vec<(String, u64)> = models.iter().map(|(model, calls)| ((*model).to_owned(), *calls)).collect();
    let (found, decision) = (models.len() as u64, Decision::Inconclusive);
    Count { name: "one_model", found, limit: Limit::Max(1.0), decision, needed: None }
        .because(reason, Why::Models(models))
}

fn single_orders(cases: &Cases, most: f64) -> Criterion {
    let shown = cases.wilson(&SINGLE_ORDER_ROWS, Level::P95);
    let point = shown.as_ref().map(|estimate| estimate.point).ok();
    let fine = point.is_some_and(|point| point <= most);
    let reason = match point {
        Some(point) => {
            format!("{:.1} % of the judged rows have one order only, at most {:.0} % may", point * 100.0, most * 100.0)
        }
        None => "no row has a verdict".to_owned(),
    };
    Criterion {
        name: SINGLE_ORDER_ROWS.name.to_owned(),
        decision: if fine { Decision::Pass } else { Decision::Inconclusive },
        decided_on: shown.clone().map(|e| Estimate { lower: e.point, upper: e.point, method: "point", ..e }),
        figure: shown,
        decide: DecideOn::Point,
        limit: Limit::Max(most),
        labels_needed: None,
        gold_needed: None,
        reason,
        why: Why::Figure,
    }
}

/// Every control has to be beaten, so the one that is beaten by least decides; no correction for their number is due.
fn beats_controls(cases: &Cases, name: &str, rule: Rule) -> Criterion {
    let advantages = baseline::advantages(cases, name);
    let absence = baseline::no_control(cases.known.gold);
    let (shown, deciding, over) = match baseline::smallest(&advantages) {
        Some(least) => (least.shown.clone(), least.deciding.clone(), Some(least.over.name())),
        None => (Err(absence), Err(absence), None),
    };
    let words = format!("half-credit agreement above that of {}", over.unwrap_or("any control judge"));
    let criterion = decide(Question { name: "beats_controls", rule, shown, deciding, words: &words });
    Criterion { why: over.map_or(Why::Figure, |over| Why::Advantage(over.to_owned())), ..criterion }
}
