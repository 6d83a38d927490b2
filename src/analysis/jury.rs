//! Would several judges together judge better than the best of them? A vote of the judges on trial, counted on the same gold.
//!
//! Nothing is decided on these figures: no gate, no certificate.

use std::fmt;

use serde::{Serialize, Serializer};

use super::figures::{Entry, Figures};
use super::kappa::{AC1, STRICT, chance_corrected, confusion, kappa};
use super::means::{half_credit, half_credit_of};
use super::measure::{Measuring, Over};
use super::outcome::Row;
use super::shares::{
    AGREEMENT_DECISIVE, AGREEMENT_STRICT, AGREEMENT_STRICT_WORST_CASE, Cases, FEW_UNITS, FLIP_FIRST_RATE, FLIP_RATE,
    FLIP_SECOND_RATE,
};
use super::versus::{Line, Lineup, Paired, counted, holm};
use super::vote::{Ruling, ruling};
use crate::domain::{GoldSet, JudgeName, Order, Preference};
use crate::stats::clustered::constant_units;
use crate::stats::multiplicity::{Adjustment, adjust};
use crate::stats::permutation::sign_flip_by_group;
use crate::stats::resample::{Resampling, Units, bca};
use crate::stats::{Estimate, Figure, Level, NotEstimable, Reason};

pub use super::vote::{Panel, Rule, Rulings};

/// Below this number of independent units the report warns of optimism.
const SMALL: usize = 100;

/// What the jury adds to one member, on the same rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gain {
    /// The member.
    pub member: JudgeName,
    /// Half-credit score of the jury minus that of the member, over labelled rows with a verdict of the member; an
    /// abstention of the jury earns half a point.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub difference: Figure,
    /// Two-sided p of the sign-flip test of that difference over units.
    pub p: f64,
    /// The same after Holm's correction over the members.
    pub p_holm: f64,
    /// Whose verdict is the label, over the rows that the jury ruled on: `a` is the jury, `b` the member.
    pub right: Paired,
}

/// What can be said of a jury beside its best member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Worth {
    /// Better: the interval of `over_best` is above zero, and each member's own test says so at 5 %.
    Better,
    /// Worse: the interval is below zero, and a member is better at 5 % after Holm.
    Worse,
    /// Neither is shown.
    Undecided,
}

impl Worth {
    /// The interval alone would not do: with few errors in few items it is too narrow. To be better than the best is to be better
    /// than each, so the tests of all members have to agree, each at its own level (Berger 1982).
    fn of(over_best: &Figure, gains: &[Gain]) -> Self {
        const LEVEL: f64 = 0.05;
        let Ok(found) = over_best else { return Self::Undecided };
        let below = |gain: &Gain| gain.difference.as_ref().is_ok_and(|difference| difference.point < 0.0);
        if found.lower > 0.0 && gains.iter().all(|gain| gain.p < LEVEL && !below(gain)) {
            Self::Better
        } else if found.upper < 0.0 && gains.iter().any(|gain| gain.p_holm < LEVEL && below(gain)) {
            Self::Worse
        } else {
            Self::Undecided
        }
    }
}

/// What a reader has to know of a jury. [`fmt::Display`] and JSON give it in English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// By its rule or its size the jury only says what every member says.
    OnlyAgrees,
    /// The members err on the same items.
    Alike,
    /// Rows with one seat are no jury's.
    OneSeat {
        /// Rows.
        rows: usize,
    },
    /// Few independent units.
    Small {
        /// Units.
        units: usize,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnlyAgrees => f.write_str(
                "this jury rules only where every member says the same: it can abstain from an error, and never repairs one",
            ),
            Self::Alike => f.write_str(
                "the members err on the same items: more than half of a member's errors are another's too, and a vote repairs few of those",
            ),
            Self::OneSeat { rows } => write!(f, "{rows} items that only one member was asked about are left out"),
            Self::Small { units } => write!(
                f,
                "only {units} independent units: judges that were picked because they do well here will do worse elsewhere, and so will their jury"
            ),
        }
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The jury, what it is worth, and what it adds to its members.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Jury {
    /// The members, sorted by name.
    pub members: Vec<JudgeName>,
    /// The rule.
    pub rule: Rule,
    /// Rows that two members or more were asked about, by ruling.
    pub rulings: Rulings,
    /// Share of those rows that the jury ruled on: 1 − abstention.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub coverage: Figure,
    /// The figures of a scorecard, over the rows ruled on; over units where rows share one.
    pub figures: Figures,
    /// Share of the members' verdicts that are wrong.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub errors: Figure,
    /// Share of a member's errors that another member makes too, over all pairs of members; as large as `errors` were they unrelated.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub shared_errors: Figure,
    /// Share of labelled rows on which every member is wrong: out of reach of any rule.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub all_wrong: Figure,
    /// The best member, by the differences in `gains`; the first by name among equals.
    pub best: Option<JudgeName>,
    /// The smallest of the differences in `gains`: what the jury adds to its best member. The best is chosen anew in each resample.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub over_best: Figure,
    /// Whether the jury is better or worse than its best member, as far as these items show.
    pub worth: Worth,
    /// Half-credit score of the jury minus the mean of its members' that have a verdict.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub over_mean: Figure,
    /// The difference to each member.
    pub gains: Vec<Gain>,
    /// What a reader has to know.
    pub notes: Vec<Note>,
}

/// The jury of the judges in a lineup of rows with two seats or more; `None` for fewer than two judges.
pub(super) fn jury(gold: &GoldSet, lineup: &Lineup, rule: Rule, resampling: &Resampling) -> Option<Jury> {
    if lineup.names.len() < 2 {
        return None;
    }
    let bench = Bench { lineup, rule, rulings: lineup.lines.iter().map(|line| ruling(rule, &votes(line))).collect() };
    let gains = bench.gains(resampling);
    let point = |gain: &Gain| gain.difference.as_ref().map_or(f64::INFINITY, |found| found.point);
    let best = gains.iter().filter(|gain| gain.difference.is_ok()).min_by(|x, y| point(x).total_cmp(&point(y)));
    let shared_errors = bench.shared_errors();
    let over_best = bench.over_best(resampling);
    Some(Jury {
        members: lineup.names.iter().map(|name| (*name).clone()).collect(),
        rule,
        rulings: bench.count(),
        coverage: bench.coverage(),
        figures: bench.figures(gold, resampling),
        errors: bench.errors(),
        all_wrong: bench.all_wrong(),
        best: best.map(|gain| gain.member.clone()),
        worth: Worth::of(&over_best, &gains),
        over_best,
        over_mean: bench.over_mean(),
        notes: bench.notes(&shared_errors),
        shared_errors,
        gains,
    })
}

/// The votes of those who were asked about a row: whoever was not asked has no seat on it. An inconsistent member votes for a tie.
fn votes(line: &Line) -> Vec<Option<Preference>> {
    line.rows.iter().flatten().map(|row| row.combined()).collect()
}

/// The jury at work.
struct Bench<'a> {
    lineup: &'a Lineup<'a>,
    rule: Rule,
    /// The ruling on each line.
    rulings: Vec<Ruling>,
}

impl Bench<'_> {
    fn ruling(&self, line: &Line) -> Ruling {
        ruling(self.rule, &votes(line))
    }

    fn count(&self) -> Rulings {
        let mut found = Rulings::default();
        self.rulings.iter().for_each(|ruling| found.add(*ruling));
        found
    }

    fn coverage(&self) -> Figure {
        self.lineup.share(Reason::Empty, |line| Some(matches!(self.ruling(line), Ruling::For(_))))
    }

    /// The figures of a judge's scorecard that a vote has: agreement from the rulings, flips from a vote in each order.
    fn figures(&self, gold: &GoldSet, resampling: &Resampling) -> Figures {
        let lines = || self.lineup.lines.iter();
        let rulings: Vec<Row> = lines().zip(&self.rulings).map(|(line, ruling)| ruled(line, *ruling)).collect();
        let orders: Vec<Row> = lines().map(|line| self.in_each_order(line)).collect();
        let (rulings, orders) = (Cases::new(gold, rulings.iter()), Cases::new(gold, orders.iter()));
        let over = if self.lineup.clustered { Over::Units } else { Over::Rows };
        let how = Measuring { over, resampling: *resampling, part: false };
        let mut out = Figures::new();
        out.count("rows", self.lineup.lines.len() as u64);
        out.count("units", self.lineup.units as u64);
        how.put(&mut out, &rulings, &[AGREEMENT_DECISIVE, AGREEMENT_STRICT]);
        out.figure("agreement_half_credit", half_credit(&rulings, Level::P95));
        how.put(&mut out, &rulings, &[AGREEMENT_STRICT_WORST_CASE]);
        out.figure("kappa_strict", kappa(&rulings, STRICT, how, Level::P95, false));
        let table = confusion(&rulings, STRICT);
        out.figure("ac1", chance_corrected(&rulings, how, table.ac1(), AC1));
        out.push("confusion", Entry::Matrix([0, 1, 2].map(|gold| [0, 1, 2].map(|jury| table.count(gold, jury)))));
        how.put(&mut out, &orders, &[FLIP_RATE, FLIP_FIRST_RATE, FLIP_SECOND_RATE]);
        out
    }

    /// The vote on what each order alone said. Where a member's orders were folded, no direction is known.
    fn in_each_order(&self, line: &Line) -> Row {
        if line.rows.iter().flatten().any(|row| row.folded) {
            return Row { folded: true, folded_inconsistent: true, ..row_of(line, [None, None]) };
        }
        let vote = |order: Order| {
            let said = |row: &Row| if order == Order::Ab { row.ab } else { row.ba };
            let votes: Vec<Option<Preference>> = line.rows.iter().flatten().map(|row| said(row)).collect();
            match ruling(self.rule, &votes) {
                Ruling::For(class) => Some(class),
                Ruling::NoMajority | Ruling::TooFewVotes => None,
            }
        };
        row_of(line, [vote(Order::Ab), vote(Order::Ba)])
    }

    /// Half-credit score of the jury against this label; an abstention is worth half a point whatever the label.
    fn credit(&self, line: &Line, gold: Preference) -> f64 {
        match self.ruling(line) {
            Ruling::For(class) => half_credit_of(gold, class),
            Ruling::NoMajority | Ruling::TooFewVotes => 0.5,
        }
    }

    /// Jury minus one member on one line.
    fn gain(&self, line: &Line, member: usize) -> Option<f64> {
        let (gold, said) = line.gold.zip(line.said(member))?;
        Some(self.credit(line, gold) - half_credit_of(gold, said))
    }

    fn gains(&self, resampling: &Resampling) -> Vec<Gain> {
        let lineup = self.lineup;
        let reason = lineup.unlabelled();
        let members = lineup.names.iter().enumerate();
        let mut gains: Vec<Gain> = members
            .map(|(member, name)| {
                let (differences, units): (Vec<f64>, Vec<usize>) =
                    lineup.lines.iter().filter_map(|line| Some((self.gain(line, member)?, line.unit))).unzip();
                Gain {
                    member: (*name).clone(),
                    difference: lineup.difference(reason, |line| self.gain(line, member)),
                    p: sign_flip_by_group(&differences, &units, resampling).map_or(1.0, |flip| flip.p),
                    p_holm: 1.0,
                    right: lineup.paired(reason, |line| {
                        let Ruling::For(class) = self.ruling(line) else { return None };
                        line.gold.zip(line.said(member)).map(|(gold, said)| (class == gold, said == gold))
                    }),
                }
            })
            .collect();
        let raw: Vec<f64> = gains.iter().map(|gain| gain.p).collect();
        if let Ok(adjusted) = adjust(&raw, Adjustment::Holm) {
            gains.iter_mut().zip(adjusted).for_each(|(gain, p)| gain.p_holm = p);
        }
        holm(gains.iter_mut().map(|gain| &mut gain.right).collect());
        gains
    }

    /// The smallest gain over a member, BCa over units; the member is chosen anew in each resample, so the interval knows that the
    /// best one was found on these data.
    fn over_best(&self, resampling: &Resampling) -> Figure {
        let columns: Vec<Vec<[f64; 2]>> = (0..self.lineup.names.len())
            .map(|member| {
                let mut sums = vec![[0.0; 2]; self.lineup.units];
                for line in &self.lineup.lines {
                    if let Some(gain) = self.gain(line, member) {
                        sums[line.unit][0] += gain;
                        sums[line.unit][1] += 1.0;
                    }
                }
                sums
            })
            .collect();
        let columns = in_canonical_order(columns);
        let n = self.lineup.lines.iter().filter(|line| line.gold.is_some() && !votes(line).is_empty()).count() as u64;
        let units: Vec<Vec<f64>> = (0..self.lineup.units)
            .map(|unit| columns.iter().flat_map(|column| column[unit]).collect::<Vec<f64>>())
            .filter(|sums| sums.iter().skip(1).step_by(2).any(|weight| *weight > 0.0))
            .collect();
        let smallest = |total: &[f64]| {
            total.chunks(2).filter(|sums| sums[1] > 0.0).map(|sums| sums[0] / sums[1]).min_by(f64::total_cmp)
        };
        let count = units.len() as u64;
        if count == 0 {
            return Err(NotEstimable::with_n(self.lineup.unlabelled(), 0));
        }
        if count < FEW_UNITS {
            return Err(NotEstimable::with_n(Reason::TooFew, count));
        }
        let units = Units::new(units)?;
        match bca(&units, smallest, Level::P95, resampling) {
            Ok(found) => Ok(Estimate { n, lower: found.lower.max(-1.0), upper: found.upper.min(1.0), ..found }),
            Err(absence) if absence.reason == Reason::Constant => {
                let point = smallest(units.total()).ok_or(absence)?;
                Ok(Estimate { n, ..constant_units(point, count, [-1.0, 1.0], Level::P95) })
            }
            Err(absence) => Err(absence),
        }
    }

    fn over_mean(&self) -> Figure {
        self.lineup.difference(self.lineup.unlabelled(), |line| {
            let gains: Vec<f64> = (0..line.rows.len()).filter_map(|member| self.gain(line, member)).collect();
            (!gains.is_empty()).then(|| gains.iter().sum::<f64>() / gains.len() as f64)
        })
    }

    fn errors(&self) -> Figure {
        let by_unit = self.lineup.by_unit(|line| wrong_of(line).map(|(wrong, voting)| [wrong, voting]));
        counted(&by_unit, true, self.lineup.unlabelled())
    }

    fn shared_errors(&self) -> Figure {
        let pairs = |(wrong, voting): (f64, f64)| [wrong * (wrong - 1.0), wrong * (voting - 1.0)];
        let by_unit = self.lineup.by_unit(|line| wrong_of(line).map(pairs));
        counted(&by_unit, true, self.lineup.unlabelled())
    }

    fn all_wrong(&self) -> Figure {
        self.lineup.share(self.lineup.unlabelled(), |line| {
            let (wrong, voting) = wrong_of(line)?;
            Some(wrong >= voting)
        })
    }

    fn notes(&self, shared_errors: &Figure) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.rule == Rule::Unanimous || self.lineup.names.len() == 2 {
            notes.push(Note::OnlyAgrees);
        }
        if shared_errors.as_ref().is_ok_and(|share| share.point > 0.5) {
            notes.push(Note::Alike);
        }
        if self.lineup.left_out > 0 {
            notes.push(Note::OneSeat { rows: self.lineup.left_out });
        }
        if self.lineup.units < SMALL {
            notes.push(Note::Small { units: self.lineup.units });
        }
        notes
    }
}

/// Members that are wrong, of those with a verdict, on a labelled line where at least two have one.
fn wrong_of(line: &Line) -> Option<(f64, f64)> {
    let gold = line.gold?;
    let said: Vec<Preference> = votes(line).into_iter().flatten().collect();
    let wrong = said.iter().filter(|said| **said != gold).count();
    (said.len() >= 2).then_some((wrong as f64, said.len() as f64))
}

fn row_of(line: &Line, [ab, ba]: [Option<Preference>; 2]) -> Row {
    Row { item: line.item, repeat: line.repeat, ab, ba, folded: false, folded_inconsistent: false, planned: 2 }
}

/// A ruling as a row: the fold of both orders, whose direction nobody knows. An abstention is no verdict.
fn ruled(line: &Line, ruling: Ruling) -> Row {
    match ruling {
        Ruling::For(class) => Row { folded: true, ..row_of(line, [Some(class); 2]) },
        Ruling::NoMajority | Ruling::TooFewVotes => row_of(line, [None, None]),
    }
}

/// The columns sorted by their own values, so that resamples are drawn alike whatever the members are called.
fn in_canonical_order(mut columns: Vec<Vec<[f64; 2]>>) -> Vec<Vec<[f64; 2]>> {
    columns.sort_by_cached_key(|column| {
        let mut values: Vec<[i64; 2]> = column.iter().map(|sums| sums.map(in_quarters)).collect();
        values.sort_unstable();
        values
    });
    columns
}

/// Sums of halves and of ones, as whole numbers.
#[allow(clippy::cast_possible_truncation, reason = "sums of halves are far below the range")]
fn in_quarters(value: f64) -> i64 {
    (value * 4.0).round() as i64
}

#[cfg(test)]
#[path = "jury_tests.rs"]
mod tests;
