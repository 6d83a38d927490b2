//! What stands beside the rates of a comparison: their correction, the effect, the checks, the plan, what had to hold.

use crate::analysis::compare::{Comparison, McNemarResult, Requirement};
use crate::analysis::correction::{Correction, Inputs, Missing, ValidWhen};
use crate::analysis::prereg::{Held, Prereg};
use crate::stats::Figure;

use super::Lang;
use super::format::{self, Unit};
use super::glossary::label;
use super::view::{self, TestRow};
use super::visible::visible_line;
use super::words::{Words, fill};

/// A figure as a row: name, value with interval, counts, method.
pub(super) type FigureRow = [String; 4];

fn row(name: String, figure: &Figure, words: &Words) -> FigureRow {
    let counts = figure.as_ref().map(view::counts).unwrap_or_default();
    let method = figure.as_ref().map_or("", |found| found.method);
    [name, format::figure(figure, Unit::Share, words), counts, method.to_owned()]
}

/// The three readings, their coverage and the length-controlled win rate.
pub(super) fn rate_rows(comparison: &Comparison, lang: Lang) -> Vec<FigureRow> {
    let more = [("coverage", &comparison.coverage), ("length_controlled", &comparison.length_controlled)];
    let rates = view::rates(comparison).into_iter().chain(more);
    rates.map(|(name, figure)| row(label(name, lang), figure, Words::of(lang))).collect()
}

/// The intervals of the win rate beside the one of record.
pub(super) fn other_intervals(comparison: &Comparison, words: &Words) -> Option<String> {
    let others: Vec<String> = comparison
        .win_rate_intervals
        .iter()
        .skip(1)
        .filter_map(|figure| figure.as_ref().ok())
        .filter_map(|found| Some(format!("{} {}", found.method, format::interval(found, Unit::Share)?)))
        .collect();
    (!others.is_empty()).then(|| format!("{}: {}", words.intervals, others.join(", ")))
}

/// A rate as judged and as corrected, and when which is valid.
pub(super) struct CorrectionView {
    pub(super) rows: Vec<FigureRow>,
    pub(super) sentence: String,
}

pub(super) fn correction(comparison: &Comparison, lang: Lang) -> CorrectionView {
    let words = Words::of(lang);
    let correction = &comparison.correction;
    let name = label(if matches!(correction.inputs, Inputs::Pooled { .. }) { "decided" } else { "score" }, lang);
    CorrectionView {
        rows: vec![
            row(fill(words.as_judged, &[&name]), &correction.raw, words),
            row(fill(words.as_corrected, &[&name]), &correction.corrected, words),
        ],
        sentence: validity(correction, words),
    }
}

fn validity(correction: &Correction, words: &Words) -> String {
    match (correction.valid_when, &correction.inputs) {
        (Some(ValidWhen::EveryItemIsLabelled), _) => words.valid_every_item.to_owned(),
        (Some(ValidWhen::GoldIsARandomSample), Inputs::Ppi { labelled, unlabelled, lambda, .. }) => fill(
            words.valid_random_sample,
            &[&format::count(*labelled), &format::count(labelled + unlabelled), &format!("{lambda:.2}")],
        ),
        (Some(ValidWhen::JudgeErrsAsOnItsGold), Inputs::Pooled { accuracy, accuracy_lower, .. }) => fill(
            words.valid_record,
            &[
                &visible_line(&accuracy.gold),
                &format!("{} / {}", format::count(accuracy.k), format::count(accuracy.n)),
                &format::percent(*accuracy_lower),
            ],
        ),
        _ => {
            let lacking: Vec<&str> = correction.missing.iter().map(|missing| lacking(*missing, words)).collect();
            fill(words.no_correction, &[&lacking.join(words.and)])
        }
    }
}

fn lacking(missing: Missing, words: &Words) -> &'static str {
    match missing {
        Missing::Gold => words.lacks_gold,
        Missing::RandomSample => words.lacks_random_sample,
        Missing::WholeSample => words.lacks_whole_sample,
        Missing::OneSample => words.lacks_one_sample,
        Missing::MoreGold => words.lacks_more_gold,
        Missing::Spread => words.lacks_spread,
        Missing::Certificate => words.lacks_certificate,
        Missing::DecidedItems => words.lacks_decided,
        Missing::InformativeJudge => words.lacks_informative,
    }
}

/// The effect behind a McNemar test.
pub(super) fn effect(mcnemar: &McNemarResult, words: &Words) -> String {
    let number = |value: Option<f64>| value.map_or_else(|| "∞".to_owned(), |value| format!("{value:.2}"));
    let odds = match &mcnemar.odds_ratio {
        Ok(odds) => format!("{} [{:.2}, {}]", number(odds.ratio), odds.lower, number(odds.upper)),
        Err(absence) => format::absent(absence, words),
    };
    fill(words.effect, &[&format::figure(&mcnemar.effect, Unit::Points, words), &odds])
}

/// What the checks say.
pub(super) struct ChecksView {
    pub(super) rows: Vec<FigureRow>,
    pub(super) tests: Vec<TestRow>,
    pub(super) effect: String,
}

pub(super) fn checks(comparison: &Comparison, words: &'static Words) -> Option<ChecksView> {
    let found = comparison.checks.as_ref()?;
    let [a, b] = view::sides(comparison);
    Some(ChecksView {
        rows: vec![
            row(fill(words.passes, &[&a]), &found.a_passes, words),
            row(fill(words.passes, &[&b]), &found.b_passes, words),
        ],
        tests: view::mcnemar_rows(&found.mcnemar, words),
        effect: effect(&found.mcnemar, words),
    })
}

fn held(held: Held, words: &Words) -> &'static str {
    match held {
        Held::Held => words.criterion_pass,
        Held::NotHeld => words.criterion_fail,
        Held::Undecided => words.criterion_inconclusive,
    }
}

/// What had to hold, its bound, and whether it does.
pub(super) fn requirement(comparison: &Comparison, words: &Words) -> Option<String> {
    let required = comparison.requirement?;
    let lower = match &comparison.win_rate {
        Ok(rate) => format::percent(rate.lower),
        Err(absence) => format::absent(absence, words),
    };
    let [bound, held] = [format::percent(required.bound), held(required.held, words).to_owned()];
    Some(match required.requirement {
        Requirement::Better => fill(words.required_better, &[&bound, &lower, &held]),
        Requirement::NoWorse { margin } => {
            fill(words.required_no_worse, &[&format!("{:.1} pp", margin * 100.0), &bound, &lower, &held])
        }
    })
}

/// A plan beside what was done.
pub(super) struct PreregView {
    /// Field, planned, done; the last is empty where it was done as planned.
    pub(super) rows: Vec<[String; 3]>,
    pub(super) sentence: String,
}

pub(super) fn prereg(comparison: &Comparison, lang: Lang) -> Option<PreregView> {
    let words = Words::of(lang);
    let found = comparison.prereg.as_ref()?;
    let plan = &found.plan;
    let number = |value: Option<f64>| value.map(|value| value.to_string());
    let fields = [
        ("metric", Some(plan.metric.as_str().to_owned())),
        ("n", Some(plan.n.to_string())),
        ("stopping", Some(plan.stopping.as_str().to_owned())),
        ("threshold", number(plan.threshold)),
        ("margin", number(plan.margin)),
        ("seed", plan.seed.map(|seed| seed.to_string())),
    ];
    let done = |field: &str| {
        let of_field = found.deviations.iter().filter(|deviation| deviation.field == field);
        of_field.map(|deviation| deviation.done.clone()).collect::<Vec<_>>().join(", ")
    };
    let rows = fields.into_iter().filter_map(|(field, planned)| {
        let done = done(field);
        let planned = planned.or_else(|| (!done.is_empty()).then(|| "–".to_owned()))?;
        Some([field.to_owned(), planned, if done.is_empty() { words.as_planned.to_owned() } else { done }])
    });
    Some(PreregView { rows: rows.collect(), sentence: planned_answer(found, lang) })
}

fn planned_answer(found: &Prereg, lang: Lang) -> String {
    let words = Words::of(lang);
    let figure =
        format!("{} {}", label(found.plan.metric.as_str(), lang), format::figure(&found.figure, Unit::Share, words));
    let answer = match found.held.zip(found.plan.bound()) {
        Some((answer, bound)) => fill(words.prereg_answer, &[&figure, &format::percent(bound), held(answer, words)]),
        None => figure,
    };
    format!("{answer} (SHA-256 {})", found.plan.digest)
}

/// Whether categories differ at all.
pub(super) fn interaction(comparison: &Comparison, words: &Words) -> Option<String> {
    Some(match comparison.interaction.as_ref()? {
        Ok(found) => fill(
            words.interaction,
            &[&format::count(found.categories), &format::p_value(found.p), &format::count(found.units)],
        ),
        Err(absence) => fill(words.no_interaction, &[&format::absent(absence, words)]),
    })
}
