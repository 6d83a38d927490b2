//! How well the annotators agree with each other, and the judge with them.

use std::collections::{BTreeMap, BTreeSet};

use super::figures::{Entry, Figures};
use super::shares::{Case, Cases};
use crate::domain::{Annotator, GoldSet, Preference};
use crate::stats::agreement::fleiss_kappa;
use crate::stats::annotators::{AltTestOptions, Panel, alt_test, human_ceiling};
use crate::stats::cells::{fleiss_of_sums, fleiss_sums};
use crate::stats::proportion::wilson;
use crate::stats::resample::{Resampling, Units, bca, t_clustered};
use crate::stats::{Estimate, Figure, Level};

/// Agreement among the annotators of the set; empty where no item has two votes.
pub(super) fn among_humans(gold: &GoldSet, resampling: &Resampling) -> Figures {
    let votes: Vec<[u64; 3]> =
        gold.items.iter().filter_map(|item| item.gold.as_ref()).map(|g| tally(&g.votes)).collect();
    let several: Vec<[u64; 3]> = votes.into_iter().filter(|counts| counts.iter().sum::<u64>() >= 2).collect();
    let mut figures = Figures::new();
    if several.is_empty() {
        return figures;
    }
    figures.count("items_with_two_or_more_votes", several.len() as u64);
    let choose_two = |count: u64| count * count.saturating_sub(1) / 2;
    let agreeing: u64 = several.iter().flatten().map(|count| choose_two(*count)).sum();
    let pairs: u64 = several.iter().map(|counts| choose_two(counts.iter().sum())).sum();
    figures.figure("pairwise_vote_agreement", wilson(agreeing, pairs, Level::P95));
    let mut by_number: BTreeMap<u64, Vec<Vec<u64>>> = BTreeMap::new();
    for counts in several {
        by_number.entry(counts.iter().sum()).or_default().push(counts.to_vec());
    }
    for (number, items) in by_number {
        let mut entry = Figures::new();
        entry.count("items", items.len() as u64);
        entry.figure("kappa", fleiss(&items, resampling));
        figures.push(format!("fleiss_kappa_{number}_votes"), Entry::Group(entry));
    }
    figures
}

fn tally(votes: &[crate::domain::Vote]) -> [u64; 3] {
    let mut counts = [0; 3];
    for vote in votes {
        counts[vote.label.index()] += 1;
    }
    counts
}

/// Fleiss' kappa with a bootstrap interval over items.
fn fleiss(items: &[Vec<u64>], resampling: &Resampling) -> Figure {
    let n = items.len() as u64;
    let point = fleiss_kappa(items)?;
    let raters: u64 = items[0].iter().sum();
    // Totals per class and agreeing pairs are all that kappa needs.
    let sums = items.iter().map(|item| fleiss_sums(item));
    let statistic = move |total: &[f64]| fleiss_of_sums(total, raters);
    match Units::new(sums).and_then(|units| bca(&units, statistic, Level::P95, resampling)) {
        Ok(estimate) => Ok(Estimate { point, n, ..estimate }),
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
        figures.figure("human_human", mean_share(cases, |labels, _| pairs_agreeing(labels)));
        figures.figure("judge_human", mean_share(cases, matching));
        figures
            .figure("difference", mean_share(cases, |labels, judge| matching(labels, judge) - pairs_agreeing(labels)));
    }
    figures.push("alt_test", Entry::Group(alternative(&panel)));
    figures
}

/// The mean over items of a share of each item's named labels, with an interval over units.
fn mean_share(cases: &Cases, of: fn(&[Preference], Preference) -> f64) -> Figure {
    let share = |case: &Case| {
        let labels: Vec<Preference> = named_votes(case).map(|(_, label)| label).collect();
        let judge = case.combined?;
        (labels.len() >= 2).then(|| of(&labels, judge))
    };
    let items: BTreeSet<usize> =
        cases.all.iter().filter(|case| share(case).is_some()).map(|case| case.row.item).collect();
    let n = items.len() as u64;
    let units = cases.sums_by_unit(2, |case| share(case).map(|s| vec![(0, s), (1, 1.0)]));
    let pairs: Vec<(f64, f64)> = units.iter().map(|unit| (unit[0], unit[1])).collect();
    t_clustered(&pairs, Level::P95).map(|e| Estimate { n, lower: e.lower.max(-1.0), upper: e.upper.min(1.0), ..e })
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
            figures.figure("winning_rate", wilson(replaced, humans, Level::P95));
            figures.push("passed", Entry::Word(if test.passed { "yes" } else { "no" }.to_owned()));
            figures.count("humans", humans);
        }
        Err(absence) => figures.figure("winning_rate", Err(absence)),
    }
    figures
}
