//! How good and how biased is this judge against the gold set?

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::baseline::Baseline;
use super::figures::{Entry, Figures};
use super::gate::{Decision, Gate, GateRules};
use super::jury::{self, Jury, Panel};
use super::measure::{self, Measuring, Over};
use super::outcome::{self, Accounting, Row, Sheet};
use super::series::{self, Series};
use super::shares::{Cases, SINGLE_ORDER_ROWS};
use super::unmeasured::Unmeasured;
use super::versus::{self, Lineup, MOST_JUDGES, Versus};
use super::warning::Warning;
use super::{criteria, humans, usage};
use crate::domain::{
    Fingerprint, GoldSet, ItemFacts, JudgeName, Judgment, JudgmentDetail, NoVerdict, Preference, Unit,
};
use crate::stats::Seed;
use crate::stats::resample::Resampling;

/// What a calibration depends on beside the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The criteria of the gate.
    pub rules: GateRules,
    /// Resamples of every bootstrap.
    pub resamples: usize,
    /// Seed of every bootstrap.
    pub seed: u64,
    /// Judges that any model may answer for; all others have to be one model throughout.
    pub any_model: BTreeSet<JudgeName>,
    /// Who sits on the jury, where there are two judges or more.
    pub jury: Panel,
}

/// All that is known of one judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scorecard {
    /// The judge.
    pub name: JudgeName,
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// The model that answered, as the server named it, where known.
    pub model: Option<String>,
    /// Where every planned judgment went.
    pub accounting: Accounting,
    /// The figures, with intervals over rows.
    pub figures: Figures,
    /// The same with intervals over items or groups where rows share one; else those alone that count both judgments of an item.
    pub figures_clustered: Figures,
    /// The decision with its reasons; `None` for control judges shown as baselines.
    pub gate: Option<Gate>,
    /// Where the certificate was written; filled in by the command.
    pub certificate: Option<String>,
    /// What the charts draw; `None` for control judges shown as baselines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
    /// What was not measured.
    pub not_measured: Vec<Unmeasured>,
    /// What a reader has to know before using the figures.
    pub warnings: Vec<Warning>,
}

impl Scorecard {
    /// The figure as reports show it: clustered where verdicts share a unit, else over rows.
    pub fn shown(&self, path: &str) -> crate::stats::Figure {
        match self.figures_clustered.entry(path) {
            Some(super::figures::Entry::Figure(figure)) => figure.clone(),
            _ => self.figures.get(path),
        }
    }
}

/// The answer: one scorecard a judge, the controls beside them, the humans among themselves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// Fail if any judge fails, else inconclusive if any is, else pass.
    pub decision: Decision,
    /// The judges on trial, sorted by name.
    pub judges: Vec<Scorecard>,
    /// The control judges on the same items.
    pub controls: Vec<Scorecard>,
    /// Every pair of judges on trial, controls left out; none beyond [`versus::MOST_JUDGES`] judges.
    pub versus: Vec<Versus>,
    /// The judges on trial as a jury, controls left out; `None` for fewer than two, or for more than
    /// [`versus::MOST_JUDGES`] where no members were named.
    pub jury: Option<Jury>,
    /// Agreement among the annotators; empty where there is one label an item.
    pub humans: Figures,
    /// The gold set: `{name, digest, items, labelled, groups, categories, languages}`.
    pub gold: GoldSummary,
    /// What a reader has to know about the data.
    pub warnings: Vec<Warning>,
}

/// What the gold set holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoldSummary {
    /// Its name.
    pub name: String,
    /// Its digest.
    pub digest: crate::domain::Digest,
    /// Items.
    pub items: u64,
    /// Items with a label.
    pub labelled: u64,
    /// Labels `a`, `b`, `tie`.
    pub labels: [u64; 3],
    /// Items whose votes have no plurality.
    pub disputed: u64,
    /// Resampling units; equal to `items` where nothing is grouped.
    pub groups: u64,
    /// Categories, sorted.
    pub categories: Vec<String>,
    /// Languages, sorted.
    pub languages: Vec<String>,
}

/// Tries every judge that has judgments on the set.
pub fn calibrate(gold: &GoldSet, judgments: &[Judgment], options: &Options) -> Calibration {
    let trial = Trial { gold, judgments, options, seed: Seed(options.seed) };
    let details = Details::of(judgments);
    let sheets = outcome::sheets(gold, judgments);
    let judges: Vec<Scorecard> =
        sheets.iter().map(|sheet| trial.scorecard(sheet, details.of_judge(&sheet.judge))).collect();
    let on_trial = |sheet: &Sheet| judges.iter().any(|card| card.name == sheet.judge);
    let controls = Baseline::ALL
        .into_iter()
        .map(|baseline| baseline.sheet(gold, options.seed))
        .filter(|sheet| !sheet.rows.is_empty() && !on_trial(sheet))
        .map(|sheet| trial.baseline(&sheet))
        .collect();
    Calibration {
        decision: Decision::all(judges.iter().filter_map(|judge| judge.gate.as_ref()).map(|gate| gate.decision)),
        controls,
        versus: trial.versus(&sheets),
        jury: trial.jury(&sheets),
        humans: humans::among_humans(gold, &trial.resampling("humans")),
        gold: GoldSummary::of(gold),
        warnings: warnings_about(gold, &sheets),
        judges,
    }
}

struct Trial<'a> {
    gold: &'a GoldSet,
    judgments: &'a [Judgment],
    options: &'a Options,
    seed: Seed,
}

impl Trial<'_> {
    /// One seed for all judges, so that equal data give equal intervals; a child for each purpose.
    fn resampling(&self, purpose: &str) -> Resampling {
        Resampling { resamples: self.options.resamples, seed: self.seed.child(purpose) }
    }

    fn scorecard(&self, sheet: &Sheet, details: &[&JudgmentDetail]) -> Scorecard {
        let resampling = self.resampling("calibration");
        let cases = Cases::new(self.gold, sheet.rows.iter());
        let rows = Measuring { over: Over::Rows, resampling, part: false };
        let mut figures = measure::figures(&cases, rows);
        push_if_any(&mut figures, "humans", humans::judge_and_humans(&cases));
        push_if_any(&mut figures, "usage", usage::figures(details));
        for (name, field) in PARTS {
            push_if_any(&mut figures, name, self.parts(sheet, field, rows));
        }
        let figures_clustered = self.clustered(sheet, &cases);
        let shown = if cases.clustered { &figures_clustered } else { &figures };
        let kappa = shown.get("kappa_strict");
        let mut gate = criteria::gate(&cases, sheet.judge.as_str(), &self.options.rules, &resampling, kappa);
        let models = usage::served_models(details);
        if models.len() > 1 && !self.options.any_model.contains(&sheet.judge) {
            gate = gate.and(criteria::one_model(&models));
        }
        Scorecard {
            name: sheet.judge.clone(),
            fingerprint: usage::fingerprint(&sheet.judge, details),
            model: models.first().map(|(model, _)| (*model).to_owned()),
            accounting: sheet.accounting,
            series: Some(series::series(self.gold, sheet, self.judgments, &resampling)),
            not_measured: Unmeasured::of(&figures),
            warnings: warnings_of(sheet, &cases, self.gold, details),
            figures,
            figures_clustered,
            gate: Some(gate),
            certificate: None,
        }
    }

    fn versus(&self, sheets: &[Sheet]) -> Vec<Versus> {
        let judges: Vec<&Sheet> = sheets.iter().filter(|sheet| !sheet.judge.is_control()).collect();
        versus::versus(&Lineup::new(self.gold, &judges, 1), &self.resampling("versus"))
    }

    fn jury(&self, sheets: &[Sheet]) -> Option<Jury> {
        let Panel { rule, members } = &self.options.jury;
        let sits = |sheet: &&Sheet| {
            let name = &sheet.judge;
            !name.is_control() && members.as_ref().is_none_or(|members| members.contains(name))
        };
        let seated: Vec<&Sheet> = sheets.iter().filter(sits).collect();
        if members.is_none() && seated.len() > MOST_JUDGES {
            return None;
        }
        let lineup = Lineup::new(self.gold, &seated, 2);
        jury::jury(self.gold, &lineup, *rule, &self.resampling("jury"))
    }

    /// The figures over units: all of them where rows share one, else those that count two judgments of a row.
    fn clustered(&self, sheet: &Sheet, cases: &Cases) -> Figures {
        let resampling = self.resampling("calibration");
        if !cases.clustered {
            return measure::shares_of_both_orders(cases, resampling);
        }
        let units = Measuring { over: Over::Units, resampling, part: false };
        let mut figures = measure::figures(cases, units);
        for (name, field) in PARTS {
            push_if_any(&mut figures, name, self.parts(sheet, field, units));
        }
        figures
    }

    fn baseline(&self, sheet: &Sheet) -> Scorecard {
        let cases = Cases::new(self.gold, sheet.rows.iter());
        let resampling = self.resampling("calibration");
        let figures = measure::figures(&cases, Measuring { over: Over::Rows, resampling, part: false });
        Scorecard {
            name: sheet.judge.clone(),
            fingerprint: Fingerprint(sheet.judge.to_string()),
            model: None,
            accounting: sheet.accounting,
            figures_clustered: self.clustered(sheet, &cases),
            figures,
            gate: None,
            certificate: None,
            series: None,
            not_measured: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The figures of each part of the data by one field; empty where the field splits nothing.
    fn parts(&self, sheet: &Sheet, field: Field, how: Measuring) -> Figures {
        let mut parts: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for row in &sheet.rows {
            if let Some(value) = field(&self.gold.items[row.item]) {
                parts.entry(value).or_default().push(row);
            }
        }
        let mut figures = Figures::new();
        if (2..=MOST_PARTS).contains(&parts.len()) {
            for (value, rows) in parts {
                let cases = Cases::new(self.gold, rows.into_iter());
                let resampling =
                    Resampling { resamples: how.resampling.resamples.min(PART_RESAMPLES), ..how.resampling };
                let how = Measuring { part: true, resampling, ..how };
                figures.push(value, Entry::Group(measure::figures(&cases, how)));
            }
        }
        figures
    }
}

/// A field by whose values figures are also given apart.
type Field = fn(&ItemFacts) -> Option<&str>;

/// More parts than this are names, not kinds: nobody compares them, and they would be most of the report.
pub(super) const MOST_PARTS: usize = 200;

/// Resamples for the figures of a part; no gate depends on them.
const PART_RESAMPLES: usize = 1_000;

const PARTS: [(&str, Field); 3] = [
    ("by_category", |item| item.category.as_deref()),
    ("by_language", |item| item.lang.as_deref()),
    ("by_turn", |item| item.turn.as_deref()),
];

fn push_if_any(figures: &mut Figures, name: &str, group: Figures) {
    if !group.is_empty() {
        figures.push(name, Entry::Group(group));
    }
}

/// The details of each judge's judgments, in the order of the judgments.
struct Details<'a>(BTreeMap<&'a JudgeName, Vec<&'a JudgmentDetail>>);

impl<'a> Details<'a> {
    fn of(judgments: &'a [Judgment]) -> Self {
        let mut details: BTreeMap<&JudgeName, Vec<&JudgmentDetail>> = BTreeMap::new();
        for judgment in judgments {
            if let Some(detail) = &judgment.detail {
                details.entry(&judgment.judge).or_default().push(detail);
            }
        }
        Self(details)
    }

    fn of_judge(&self, judge: &JudgeName) -> &[&'a JudgmentDetail] {
        self.0.get(judge).map_or(&[], Vec::as_slice)
    }
}

/// What a reader has to know before using one judge's figures.
fn warnings_of(sheet: &Sheet, cases: &Cases, gold: &GoldSet, details: &[&JudgmentDetail]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let judged = sheet.rows.iter().map(|row| row.item).collect::<BTreeSet<usize>>().len();
    let all = gold.items.len() - usize::try_from(sheet.accounting.identical).unwrap_or(0);
    if judged < all {
        warnings.push(Warning::Part { judged, all });
    }
    let total = sheet.accounting.total();
    let replies = total.count(NoVerdict::Truncated);
    if replies > 0 && 2 * replies >= total.planned {
        warnings.push(Warning::CutOff { replies, planned: total.planned });
    }
    if total.judged == 0 && total.count(NoVerdict::Unparsed) > 0 {
        warnings.push(Warning::Unreadable);
    }
    let dropped: BTreeSet<&String> = details.iter().flat_map(|detail| &detail.dropped_parameters).collect();
    if !dropped.is_empty() {
        warnings.push(Warning::Rejected(dropped.into_iter().cloned().collect()));
    }
    let (rows, of) = cases.count(&SINGLE_ORDER_ROWS);
    if rows > 0 {
        warnings.push(Warning::OneOrder { rows, judged: of });
    }
    if judged < sheet.rows.len() {
        warnings.push(Warning::Repeated { rows: sheet.rows.len(), items: judged });
    }
    if total.without() > 0 {
        let kinds = NoVerdict::ALL.into_iter().map(|kind| (kind, total.count(kind))).filter(|(_, count)| *count > 0);
        warnings.push(Warning::NoVerdicts { without: total.without(), planned: total.planned, kinds: kinds.collect() });
    }
    warnings
}

/// What a reader has to know of the data.
fn warnings_about(gold: &GoldSet, sheets: &[Sheet]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let found = sheets.iter().filter(|sheet| !sheet.judge.is_control()).count();
    if found > MOST_JUDGES {
        warnings.push(Warning::ManyJudges { found, most: MOST_JUDGES });
    }
    if gold.labelled() == 0 {
        warnings.push(Warning::NoGold);
    }
    let labels: BTreeSet<&str> = gold.items.iter().filter_map(ItemFacts::gold_label).map(Preference::as_str).collect();
    if labels.len() == 1 {
        warnings.push(Warning::OneClass);
    }
    let categories: BTreeSet<&str> = gold.items.iter().filter_map(|item| item.category.as_deref()).collect();
    if categories.len() > MOST_PARTS {
        warnings.push(Warning::ManyCategories { found: categories.len(), most: MOST_PARTS });
    }
    let disputed: Vec<&ItemFacts> =
        gold.items.iter().filter(|item| item.gold.as_ref().is_some_and(|gold| gold.disputed)).collect();
    if !disputed.is_empty() {
        let first = disputed.iter().take(5).map(|item| item.id.to_string()).collect();
        warnings.push(Warning::Disputed { items: disputed.len(), first });
    }
    warnings
}

impl GoldSummary {
    fn of(gold: &GoldSet) -> Self {
        let mut labels = [0; 3];
        gold.items.iter().filter_map(ItemFacts::gold_label).for_each(|label| labels[label.index()] += 1);
        let values = |field: Field| {
            let set: BTreeSet<String> = gold.items.iter().filter_map(field).map(str::to_owned).collect();
            set.into_iter().collect()
        };
        let units: BTreeSet<Unit<'_>> = gold.items.iter().map(ItemFacts::unit).collect();
        Self {
            name: gold.name.clone(),
            digest: gold.digest,
            items: gold.items.len() as u64,
            labelled: gold.labelled() as u64,
            labels,
            disputed: gold.items.iter().filter(|item| item.gold.as_ref().is_some_and(|gold| gold.disputed)).count()
                as u64,
            groups: units.len() as u64,
            categories: values(|item| item.category.as_deref()),
            languages: values(|item| item.lang.as_deref()),
        }
    }
}
