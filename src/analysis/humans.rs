//! How well the annotators agree with each other, and the judge with them.

use std::collections::{BTreeMap, BTreeSet};

use super::figures::{Entry, Figures};
use super::shares::{Case, Cases};
use crate::domain::{Annotator, GoldSet, Preference, Unit};
use crate::stats::agreement::fleiss_kappa;
use crate::stats::annotators::{AltTestOptions, Panel, alt_test, human_ceiling};
use crate::stats::bounded::{t_adjusted, wilson_mean};
use crate::stats::cells::{fleiss_of_sums, fleiss_sums};
use crate::stats::clustered::wilson_clustered;
use crate::stats::proportion::wilson;
use crate::stats::resample::{Resampling, Units, bca};
use crate::stats::{Estimate, Figure, Level};

/// Agreement among the annotators of the set; empty where no item has two votes.
pub(super) fn among_humans(gold: &GoldSet, resampling: &Resampling) -> Figures {
    let votes = gold.items.iter().filter_map(|item| Some((item.unit(), tally(&item.gold.as_ref()?.votes))));
    let several: Vec<(Unit<'_>, [u64; 3])> = votes.filter(|(_, counts)| counts.iter().sum::<u64>() >= 2).collect();
    let mut figures = Figures::new();
    if several.is_empty() {
        return figures;
    }
    figures.count("items_with_two_or_more_votes", several.len() as u64);
    pairs_of_votes(&mut figures, &several);
    let mut by_number: BTreeMap<u64, Vec<(Unit<'_>, [u64; 3])>> = BTreeMap::new();
    for (unit, counts) in several {
        by_number.entry(counts.iter().sum()).or_default().push((unit, counts));
    }
    for (number, items) in by_number {
        let mut entry = Figures::new();
        entry.count("items", items.len() as u64);
        entry.figure("kappa", fleiss(&items, number, resampling));
        figures.push(format!("fleiss_kappa_{number}_votes"), Entry::Group(entry));
    }
    figures
}

/// The share of agreeing pairs of votes: over pairs, as published tables have it, and over units where these hold several pairs, which
/// are no independent trials.
fn pairs_of_votes(figures: &mut Figures, several: &[(Unit<'_>, [u64; 3])]) {
    let choose_two = |count: u64| count * count.saturating_sub(1) / 2;
    let mut by_unit: BTreeMap<&Unit<'_>, (u64, u64)> = BTreeMap::new();
    for (unit, counts) in several {
        let (agreeing, pairs) = by_unit.entry(unit).or_default();
        *agreeing += counts.iter().map(|count| choose_two(*count)).sum::<u64>();
        *pairs += choose_two(counts.iter().sum());
    }
    let by_unit: Vec<(u64, u64)> = by_unit.into_values().collect();
    let (agreeing, pairs) = by_unit.iter().fold((0, 0), |sum, unit| (sum.0 + unit.0, sum.1 + unit.1));
    figures.figure("pairwise_vote_agreement", wilson(agreeing, pairs, Level::P95));
    if pairs > by_unit.len() as u64 {
        figures.figure("pairwise_vote_agreement_clustered", wilson_clustered(&by_unit, Level::P95));
    }
}

fn tally(votes: &[crate::domain::Vote]) -> [u64; 3] {
    let mut counts = [0; 3];
    for vote in votes {
        counts[vote.label.index()] += 1;
    }
    counts
}

/// Fleiss' kappa of items with so many votes each, with a bootstrap interval over units.
fn fleiss(items: &[(Unit<'_>, [u64; 3])], raters: u64, resampling: &Resampling) -> Figure {
    let n = items.len() as u64;
    let counts: Vec<Vec<u64>> = items.iter().map(|(_, counts)| counts.to_vec()).collect();
    let point = fleiss_kappa(&counts)?;
    // Totals per class and agreeing pairs are all that kappa needs.
    let mut by_unit: BTreeMap<&Unit<'_>, Vec<f64>> = BTreeMap::new();
    for ((unit, _), counts) in items.iter().zip(&counts) {
        let sums = by_unit.entry(unit).or_insert_with(|| vec![0.0; 5]);
        sums.iter_mut().zip(fleiss_sums(counts)).for_each(|(sum, one)| *sum += one);
    }
    let method = if (by_unit.len() as u64) < n { "bca_clustered" } else { "bca" };
    let statistic = move |total: &[f64]| fleiss_of_sums(total, raters);
    match Units::new(by_unit.into_values()).and_then(|units| bca(&units, statistic, Level::P95, resampling)) {
        Ok(estimate) => Ok(Estimate { point, n, method, ..estimate }),
        // Too few items to resample: all that is known of the bounds is what kappa can be at all.
        Err(_) => Ok(Estimate::within(point, [-1.0 / (raters as f64 - 1.0), 1.0], 1.0, n, "possible_range")),
    }
}

/// The judge beside the humans on the same items; empty where no item has two named annotators.
pub(super) fn judge_and_humans(cases: &Cases) -> Figures {
    let mut figures = Figures::new();
    let annotators: BTreeSet<&Annotator> =
        cases.all.iter().flat_map(named_votes).map(|(annotator, _)| annotator).collect();
    if annotators.len() < 2 {
        return figures;
    }
    // A judge that was asked again is still one rater of one item: its first answer stands.
    let mut seen = BTreeSet::new();
    let once: Vec<&Case> = cases.all.iter().filter(|case| seen.insert(case.row.item)).collect();
    let class = |preference: Preference| u32::try_from(preference.index()).unwrap_or(0);
    let label = |annotator: &Annotator| -> Vec<Option<u32>> {
        let of_case =
            |case: &Case| named_votes(case).find(|(name, _)| *name == annotator).map(|(_, label)| class(label));
        once.iter().map(|case| of_case(case)).collect()
    };
    let humans: Vec<Vec<Option<u32>>> = annotators.iter().map(|annotator| label(annotator)).collect();
    let judge = once.iter().map(|case| case.combined.map(class)).collect();
    let Ok(panel) = Panel::new(humans, judge) else { return figures };
    if let Ok(ceiling) = human_ceiling(&panel) {
        figures.count("items", ceiling.items);
        let share = |units: &[(f64, f64)]| wilson_mean(units, Level::P95);
        figures.figure("human_human", mean_of(cases, |labels, _| pairs_agreeing(labels), share));
        figures.figure("judge_human", mean_of(cases, matching, share));
        let gap = |labels: &[Preference], judge| matching(labels, judge) - pairs_agreeing(labels);
        figures.figure("difference", mean_of(cases, gap, |units| t_adjusted(units, [-1.0, 1.0], Level::P95)));
    }
    figures.push("alt_test", Entry::Group(alternative(&panel)));
    figures
}

/// The mean over items of what is found in each item's named labels, with an interval over units.
fn mean_of(
    cases: &Cases,
    of: fn(&[Preference], Preference) -> f64,
    interval: impl Fn(&[(f64, f64)]) -> Figure,
) -> Figure {
    let found = |case: &Case| {
        let labels: Vec<Preference> = named_votes(case).map(|(_, label)| label).collect();
        let judge = case.combined?;
        (labels.len() >= 2).then(|| of(&labels, judge))
    };
    let items: BTreeSet<usize> =
        cases.all.iter().filter(|case| found(case).is_some()).map(|case| case.row.item).collect();
    let n = items.len() as u64;
    let units = cases.sums_by_unit(2, |case| found(case).map(|value| vec![(0, value), (1, 1.0)]));
    let pairs: Vec<(f64, f64)> = units.iter().map(|unit| (unit[0], unit[1])).collect();
    interval(&pairs).map(|estimate| Estimate { n, ..estimate })
}

fn matching(labels: &[Preference], judge: Preference) -> f64 {
    labels.iter().filter(|label| **label == judge).count() as f64 / labels.len() as f64
}

fn pairs_agreeing(labels: &[Preference]) -> f64 {
    let others = labels.len() as f64 - 1.0;
    labels.iter().map(|label| (matching(labels, *label) * labels.len() as f64 - 1.0) / others).sum::<f64>()
        / labels.len() as f64
}

fn named_votes<'a>(case: &'a Case) -> impl Iterator<Item = (&'a Annotator, Preference)> {
    let votes = case.item.gold.as_ref().map_or(&[][..], |gold| &gold.votes);
    votes.iter().filter_map(|vote| vote.annotator.as_ref().map(|annotator| (annotator, vote.label)))
}

fn alternative(panel: &Panel) -> Figures {
    let mut figures = Figures::new();
    match alt_test(panel, AltTestOptions::default()) {
        Ok(test) => {
            let humans = test.humans.len() as u64;
            let replaced = test.humans.iter().filter(|human| human.replaced).count() as u64;
            // All the tests share one judge and one set of items: people are no independent trials, and Wilson over them keeps 78 of 95 %.
            let rate = Estimate::within(test.winning_rate, [0.0, 1.0], 1.0, humans, "possible_range");
            figures.figure("winning_rate", Ok(Estimate { k: Some(replaced), ..rate }));
            figures.push("passed", Entry::Word(if test.passed { "yes" } else { "no" }.to_owned()));
            figures.count("humans", humans);
        }
        Err(absence) => figures.figure("winning_rate", Err(absence)),
    }
    figures
}
