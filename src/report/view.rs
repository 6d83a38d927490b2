//! Answers laid out in rows and sentences, for every format that people read.

use crate::analysis::calibration::{Calibration, Scorecard};
use crate::analysis::compare::{
    Comparison, CountedUnit, Favours, McNemarResult, OutcomeShares, Outcomes, Required, Requirement,
};
use crate::analysis::figures::{Entry, Figures, Test};
use crate::analysis::gate::{Counted, Criterion, DecideOn, Decision, Limit, Why};
use crate::analysis::outcome::Outcome;
use crate::analysis::prereg::Held;
use crate::analysis::stopping::Stopping;
use crate::analysis::warning::Warning;
use crate::stats::{Estimate, Figure};

use super::format::{self, unit_of};
use super::glossary::label;
use super::sentences;
use super::visible::visible_line;
use super::words::{Words, fill};
use super::{Content, Lang};

/// The figures of a scorecard's row, in the order in which a reader asks for them.
pub(super) const SCORECARD: [&str; 6] =
    ["agreement_decisive", "kappa_strict", "agreement_half_credit", "flip_rate", "length_error_gap", "no_verdict_rate"];

/// Judges first, then controls.
pub(super) fn cards(calibration: &Calibration) -> impl Iterator<Item = &Scorecard> {
    calibration.judges.iter().chain(&calibration.controls)
}

/// The decision of a judge; `None` for controls.
pub(super) fn decision(card: &Scorecard) -> Option<Decision> {
    card.gate.as_ref().map(|gate| gate.decision)
}

/// A judge's name, safe for one line.
pub(super) fn name(card: &Scorecard) -> String {
    visible_line(card.name.as_str()).into_owned()
}

/// Rows behind the agreement: the recorded count, else the judgments with a verdict.
pub(super) fn judged(card: &Scorecard) -> u64 {
    match card.figures.entry("judged") {
        Some(Entry::Count(count)) => *count,
        _ => card.accounting.total().judged,
    }
}

/// The number of units behind a figure of the scorecard, where it is not the number of judged rows.
pub(super) fn own_n(card: &Scorecard, name: &str) -> Option<String> {
    let found = card.shown(name).ok()?;
    (found.n != judged(card)).then(|| format!("n {}", format::count(found.n)))
}

/// What stands beside the verdict word: what fails, else what is undecided, else that everything holds.
pub(super) fn headline(card: &Scorecard, lang: Lang) -> String {
    let words = Words::of(lang);
    let Some(gate) = &card.gate else { return words.control.to_owned() };
    let total = gate.criteria.len().to_string();
    let named = |decision| {
        let labels: Vec<String> = gate.with(decision).map(|criterion| label(&criterion.name, lang)).collect();
        (labels.len().to_string(), labels.join(if lang == Lang::En { ", " } else { "、" }))
    };
    let (failed, failing) = named(Decision::Fail);
    let (open, undecided) = named(Decision::Inconclusive);
    match gate.decision {
        _ if gate.criteria.is_empty() => words.no_criteria.to_owned(),
        Decision::Pass => fill(words.all_hold, &[&total]),
        Decision::Inconclusive => fill(words.some_undecided, &[&open, &total, &undecided]),
        Decision::Fail => {
            let mut text = fill(words.some_fail, &[&failed, &total, &failing]);
            if open != "0" {
                text.push_str(if lang == Lang::En { "; " } else { "。" });
                text.push_str(&fill(words.also_undecided, &[&undecided]));
            }
            text
        }
    }
}

/// Criteria that fail, then those undecided.
pub(super) fn open_criteria(card: &Scorecard) -> Vec<&Criterion> {
    let Some(gate) = &card.gate else { return Vec::new() };
    gate.with(Decision::Fail).chain(gate.with(Decision::Inconclusive)).collect()
}

/// One sentence why a criterion was answered as it was, with its name. English ones come from the analysis where it
/// has one.
pub(super) fn sentence(criterion: &Criterion, lang: Lang) -> String {
    let because = because(criterion, lang);
    if lang == Lang::En && !criterion.reason.trim().is_empty() {
        return because;
    }
    let limit = format::limit(criterion.limit, unit_of(&criterion.name));
    match lang {
        Lang::En => format!("{}, limit {limit}: {because}", label(&criterion.name, lang)),
        Lang::Ja => format!("{}（限度 {limit}）：{because}", label(&criterion.name, lang)),
    }
}

/// The same for a place where name and limit are seen beside it.
pub(super) fn because(criterion: &Criterion, lang: Lang) -> String {
    let words = Words::of(lang);
    if lang == Lang::En && !criterion.reason.trim().is_empty() {
        return visible_line(criterion.reason.trim()).into_owned();
    }
    if lang == Lang::Ja
        && let Some(why) = sentences::why_ja(criterion)
    {
        return why;
    }
    let unit = unit_of(&criterion.name);
    let on = match &criterion.decided_on {
        Err(absence) => return format::absent(absence, words),
        Ok(on) => on,
    };
    let over = match &criterion.why {
        Why::Advantage(over) if lang == Lang::Ja => fill(words.over_control, &[&visible_line(over)]),
        _ => String::new(),
    };
    let position = match criterion.decision {
        Decision::Pass => words.good_side,
        Decision::Fail => words.bad_side,
        Decision::Inconclusive => words.straddles,
    };
    let bounds = match criterion.decide {
        DecideOn::Interval => format::interval(on, unit),
        DecideOn::Point => None,
    };
    match (bounds, lang) {
        (Some(bounds), Lang::En) => format!("the 90 % interval {bounds} {position}"),
        (Some(bounds), Lang::Ja) => format!("{over}90 %区間 {bounds} は{position}"),
        (None, Lang::En) => format!("{}: {}", words.decides_point, format::point(on, unit)),
        (None, Lang::Ja) => format!("{}：{}", words.decides_point, format::point(on, unit)),
    }
}

/// How much more would decide, where that is known.
pub(super) fn labels_needed(criterion: &Criterion, words: &Words) -> Option<String> {
    let (counted, needed) = (Counted::of(&criterion.name), criterion.labels_needed?);
    let unit = words.counted(counted);
    let Some(gold) = criterion.gold_needed.filter(|gold| *gold != needed || !counted.is_labelled()) else {
        return Some(fill(words.labels_needed, &[&format::count(needed), unit]));
    };
    let items = if counted.is_labelled() { words.counted(Counted::Labels) } else { words.items_unit };
    Some(fill(words.labels_needed_here, &[&format::count(needed), unit, &format::count(gold), items]))
}

/// The limit for a figure, where a judge on trial has one.
pub(super) fn limit_of(calibration: &Calibration, name: &str) -> Option<Limit> {
    let gates = calibration.judges.iter().filter_map(|card| card.gate.as_ref());
    gates.flat_map(|gate| &gate.criteria).find(|criterion| criterion.name == name).map(|criterion| criterion.limit)
}

/// A figure that was not measured, with the judges it is missing for.
pub(super) struct Missing {
    pub(super) figure: String,
    pub(super) needs: String,
    pub(super) judges: String,
}

/// What was not measured for the judges on trial; equal entries of several judges are one.
pub(super) fn not_measured(calibration: &Calibration, lang: Lang) -> Vec<Missing> {
    let mut found: Vec<Missing> = Vec::new();
    for card in &calibration.judges {
        for gap in &card.not_measured {
            let figure = sentences::gap(*gap, lang).to_owned();
            let needs = sentences::needs(*gap, lang).to_owned();
            match found.iter_mut().find(|other| other.figure == figure && other.needs == needs) {
                Some(other) => {
                    other.judges.push_str(", ");
                    other.judges.push_str(&name(card));
                }
                None => found.push(Missing { figure, needs, judges: name(card) }),
            }
        }
    }
    found
}

/// All warnings, those of one judge with its name in front.
pub(super) fn warnings(content: Content<'_>, lang: Lang) -> Vec<String> {
    let sentence = |warning: &Warning| sentences::warning(warning, lang);
    match content {
        Content::Comparison(comparison) => comparison.warnings.iter().map(sentence).collect(),
        Content::Calibration(calibration) => {
            let own = calibration.warnings.iter().map(sentence);
            let per_judge = cards(calibration)
                .flat_map(|card| card.warnings.iter().map(move |text| format!("{}: {}", name(card), sentence(text))));
            own.chain(per_judge).collect()
        }
    }
}

/// The line under the title of a calibration.
pub(super) fn gold_line(calibration: &Calibration, words: &Words) -> String {
    let gold = &calibration.gold;
    let [labelled, items, groups] = [gold.labelled, gold.items, gold.groups].map(format::count);
    format!("{} · {}", visible_line(&gold.name), fill(words.gold_line, &[&labelled, &items, &groups]))
}

/// One printed entry of a tree of figures.
pub(super) struct Printed {
    pub(super) path: String,
    pub(super) value: String,
    pub(super) n: String,
    pub(super) method: &'static str,
}

/// Every entry below `figures`, dotted paths in order; matrices are drawn elsewhere.
pub(super) fn printed(figures: &Figures, lang: Lang) -> Vec<Printed> {
    let mut rows = Vec::new();
    walk(figures, "", lang, &mut rows);
    rows
}

fn walk(figures: &Figures, prefix: &str, lang: Lang, rows: &mut Vec<Printed>) {
    let words = Words::of(lang);
    for (name, entry) in figures.iter() {
        let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        let mut push = |value: String, n: String, method| {
            rows.push(Printed { path: visible_line(&path).into_owned(), value, n, method });
        };
        match entry {
            Entry::Figure(Ok(found)) => {
                push(format::estimate(found, unit_of(name)), counts(found), found.method);
            }
            Entry::Figure(Err(absence)) => push(format::absent(absence, words), String::new(), ""),
            Entry::Count(count) => push(format::count(*count), String::new(), ""),
            Entry::Word(word) => push(visible_line(word).into_owned(), String::new(), ""),
            Entry::Test(test) => push(format::p_value(test.p), of_counts(test.k, test.n), test.method),
            Entry::Matrix(_) => {}
            Entry::Group(inner) => walk(inner, &path, lang, rows),
        }
    }
}

/// `953 / 1,078` for shares, `1,078` otherwise.
pub(super) fn counts(estimate: &Estimate) -> String {
    match (estimate.k, estimate.k_half) {
        (Some(k), _) => of_counts(k, estimate.n),
        (None, Some(half)) => {
            let whole = format::count(half / 2);
            let rest = if half % 2 == 1 { "½" } else { "" };
            format!("{whole}{rest} / {}", format::count(estimate.n))
        }
        (None, None) => format::count(estimate.n),
    }
}

fn of_counts(k: u64, n: u64) -> String {
    format!("{} / {}", format::count(k), format::count(n))
}

/// One outcome of a comparison.
pub(super) struct OutcomeRow {
    pub(super) key: &'static str,
    pub(super) label: String,
    pub(super) count: u64,
    /// Of all outcomes, those without a verdict included.
    pub(super) share: f64,
}

/// Outcomes in the order of the bar: wins of `a`, half wins, ties, flips, half losses, wins of `b`, none.
pub(super) fn outcome_rows(comparison: &Comparison, lang: Lang) -> Vec<OutcomeRow> {
    outcome_rows_of(&comparison.outcomes, comparison, lang)
}

/// The same for a part of the items.
pub(super) fn outcome_rows_of(counts: &Outcomes, comparison: &Comparison, lang: Lang) -> Vec<OutcomeRow> {
    let words = Words::of(lang);
    let [a, b] = sides(comparison);
    let of = |outcome: Outcome| words.outcome_of(outcome, &a, &b);
    let rows = [
        ("a_wins", of(Outcome::AWins), counts.a_wins),
        ("half_a", of(Outcome::HalfA), counts.half_a),
        ("tie", of(Outcome::Tie), counts.tie),
        ("identical", words.outcome_identical.to_owned(), counts.identical),
        ("flip_first", of(Outcome::FlipFirst), counts.flip_first),
        ("flip_second", of(Outcome::FlipSecond), counts.flip_second),
        ("inconsistent", of(Outcome::Inconsistent), counts.inconsistent),
        ("half_b", of(Outcome::HalfB), counts.half_b),
        ("b_wins", of(Outcome::BWins), counts.b_wins),
        ("no_verdict", of(Outcome::NoVerdict), counts.no_verdict),
    ];
    let shares = OutcomeShares(*counts);
    rows.into_iter().map(|(key, label, count)| OutcomeRow { key, label, count, share: shares.of(count) }).collect()
}

/// The names of both sides, safe for one line.
pub(super) fn sides(comparison: &Comparison) -> [String; 2] {
    [&comparison.a, &comparison.b].map(|name| visible_line(name).into_owned())
}

/// The three readings, the headline first.
pub(super) fn rates(comparison: &Comparison) -> [(&'static str, &Figure); 3] {
    [("win_rate", &comparison.win_rate), ("score", &comparison.score), ("decided", &comparison.decided)]
}

/// What was found beside which side is better, where that is open.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Found {
    /// Which side is better, or nothing.
    Side,
    /// The margin of `--require no-worse` is kept.
    NoWorse(f64),
    /// It ended early as the difference is within the margin.
    Equivalent(f64),
}

pub(super) fn found(comparison: &Comparison) -> Found {
    if comparison.decision != Favours::Undecided {
        return Found::Side;
    }
    if let Some(Required { requirement: Requirement::NoWorse { margin }, held: Held::Held, .. }) =
        comparison.requirement
    {
        return Found::NoWorse(margin);
    }
    match &comparison.stopping {
        Some(Stopping { decided: true, margin: Some(margin), rule, .. }) if *rule != "no_worse" => {
            Found::Equivalent(*margin)
        }
        _ => Found::Side,
    }
}

/// The decision in a word or few.
pub(super) fn decision_word(comparison: &Comparison, words: &Words) -> String {
    let [a, b] = sides(comparison);
    let points = |margin: f64| format::percent(margin).replace(" %", "");
    match found(comparison) {
        Found::Side => words.favours(comparison.decision, &a, &b),
        Found::NoWorse(margin) => fill(words.no_worse, &[&a, &b, &points(margin)]),
        Found::Equivalent(margin) => fill(words.equivalent, &[&points(margin)]),
    }
}

/// Whether the question is open: no side is better, and no requirement or margin is met either.
pub(super) fn is_open(comparison: &Comparison) -> bool {
    comparison.decision == Favours::Undecided && found(comparison) == Found::Side
}

/// The sentence under the decision.
pub(super) fn comparison_reason(comparison: &Comparison, lang: Lang) -> String {
    let words = Words::of(lang);
    if lang == Lang::En && !comparison.reason.trim().is_empty() {
        return visible_line(comparison.reason.trim()).into_owned();
    }
    let position = match comparison.decision {
        Favours::A => words.above_half,
        Favours::B => words.below_half,
        Favours::Undecided if comparison.is_opposed() => words.opposed,
        Favours::Undecided => words.holds_half,
    };
    match &comparison.win_rate {
        Ok(rate) => {
            fill(words.win_interval, &[&sides(comparison)[0], &format::estimate(rate, format::Unit::Share), position])
        }
        Err(absence) => format::absent(absence, words),
    }
}

/// The result in a line or few: each judge's decision, or which side is better and why.
pub(super) fn summary(content: Content<'_>, lang: Lang) -> Vec<String> {
    let words = Words::of(lang);
    match content {
        Content::Calibration(answer) => {
            let line = |card| {
                let decision = words.decision(decision(card).unwrap_or(Decision::Inconclusive));
                format!("{decision}  {}: {}", name(card), headline(card, lang))
            };
            answer.judges.iter().map(line).collect()
        }
        Content::Comparison(answer) => {
            let decided = format!("{}: {}", decision_word(answer, words), comparison_reason(answer, lang));
            std::iter::once(decided).chain(beside_headline(answer, lang)).collect()
        }
    }
}

/// Who judged what.
pub(super) fn judge_line(comparison: &Comparison, lang: Lang) -> String {
    let words = Words::of(lang);
    let flips = format::figure(&comparison.flip_rate, format::Unit::Share, words);
    let [items, groups] = [comparison.items, comparison.groups].map(format::count);
    fill(words.judge_line, &[&visible_line(comparison.judge.as_str()), &items, &groups, &flips])
}

/// Which certificate backs it, where one does.
pub(super) fn certificate_line(comparison: &Comparison, lang: Lang) -> Option<String> {
    let colon = if lang == Lang::En { ": " } else { "：" };
    comparison
        .certificate
        .as_deref()
        .map(|path| format!("{}{colon}{}", Words::of(lang).certificate, visible_line(path)))
}

/// What stands under the headline: how it came to stop, what would decide what is open, and items that were lost.
pub(super) fn beside_headline(comparison: &Comparison, lang: Lang) -> Vec<String> {
    let words = Words::of(lang);
    let mut lines = super::stopping::sentences(comparison, lang);
    lines.extend(would_decide(comparison, words));
    let (asked, judged) = (comparison.items, comparison.items_judged);
    if judged < asked {
        lines.push(fill(words.items_lost, &[&format::count(asked), &format::count(judged)]));
    }
    lines
}

/// How many items would decide what is open.
pub(super) fn would_decide(comparison: &Comparison, words: &Words) -> Option<String> {
    let found = comparison.would_decide?;
    let bound = format::round_percent(found.bound);
    Some(match found.needed {
        None => fill(words.nothing_decides, &[&bound]),
        Some(needed) => {
            let unit = if found.unit == CountedUnit::Groups { words.groups_unit } else { words.items_unit };
            let mut text =
                fill(words.would_decide, &[&format::count(needed), unit, &format::count(found.present), &bound]);
            if found.repeated {
                text.push_str(words.repeats_do_not);
            }
            text
        }
    })
}

/// One test of a comparison.
pub(super) struct TestRow {
    pub(super) label: &'static str,
    pub(super) data: String,
    pub(super) p: String,
}

/// Both forms of McNemar's test.
pub(super) fn mcnemar_rows(mcnemar: &McNemarResult, words: &Words) -> Vec<TestRow> {
    let wins = format!("{} : {}", format::count(mcnemar.a_only), format::count(mcnemar.b_only));
    vec![
        TestRow { label: words.mcnemar_exact, data: wins.clone(), p: format::p_digits(mcnemar.p_exact) },
        TestRow { label: words.mcnemar_mid, data: wins, p: format::p_digits(mcnemar.p_mid) },
    ]
}

/// The tests, each with its data.
pub(super) fn test_rows(comparison: &Comparison, words: &Words) -> Vec<TestRow> {
    let of = |label, test: &Test| TestRow { label, data: of_counts(test.k, test.n), p: format::p_digits(test.p) };
    let mut rows = mcnemar_rows(&comparison.mcnemar, words);
    rows.push(of(words.sign_test, &comparison.sign_test));
    rows.push(TestRow {
        label: words.permutation,
        data: format!("n = {}", format::count(comparison.permutation.n)),
        p: format::p_digits(comparison.permutation.p),
    });
    rows
}

/// What the comparison could have found.
pub(super) fn detectable(comparison: &Comparison, words: &Words) -> String {
    match &comparison.detectable {
        Ok(effect) => fill(words.detectable, &[&format!("{:.1} pp", effect * 100.0)]),
        Err(absence) => fill(words.detectable, &[&format!("({})", format::absent(absence, words))]),
    }
}

/// What the missing verdicts could have changed.
pub(super) fn bounds(comparison: &Comparison, words: &Words) -> String {
    let bounds = &comparison.bounds;
    if bounds.missing == 0 {
        return words.bounds_none.to_owned();
    }
    let percent = |share: Option<f64>| share.map_or_else(|| words.not_estimable.to_owned(), format::percent);
    fill(words.bounds_note, &[&format::count(bounds.missing), &percent(bounds.all_lost), &percent(bounds.all_won)])
}

/// The banner over a comparison that no certificate backs: its kind for styling, its sentence.
pub(super) fn banner(comparison: &Comparison, words: &Words) -> Option<(&'static str, String)> {
    let (kind, sentence) = sentences::banner(comparison.banner?, words);
    let Some(tried) = &comparison.tried else { return Some((kind, sentence.to_owned())) };
    let names: Vec<String> = tried.criteria.iter().map(|name| visible_line(name).into_owned()).collect();
    let failed = tried.decision == Decision::Fail;
    let how = if failed { words.banner_failed } else { words.banner_open };
    let gold = visible_line(&tried.gold);
    Some((kind, format!("{}{sentence}", fill(how, &[&gold, &tried.date, &names.join(words.listed)]))))
}
