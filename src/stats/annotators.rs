//! Is the judge as good as one more human? The leave-one-out ceiling and the alternative annotator test.

use super::estimate::{Estimate, Figure, Level, NotEstimable, Reason};
use super::multiplicity::{Adjustment, adjust};
use super::special::{t_quantile, t_sf};

/// Labels of several humans and of the judge on the same items; a class is a number, a missing label is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    humans: Vec<Vec<Option<u32>>>,
    judge: Vec<Option<u32>>,
}

impl Panel {
    /// A panel of `humans` (one row each, one column per item) and the judge's labels of the same items.
    ///
    /// Not estimable: rows of different length (`invalid`).
    pub fn new(humans: Vec<Vec<Option<u32>>>, judge: Vec<Option<u32>>) -> Result<Self, NotEstimable> {
        if humans.iter().any(|row| row.len() != judge.len()) {
            return Err(NotEstimable::because(Reason::Invalid));
        }
        Ok(Self { humans, judge })
    }

    /// The labels of the humans other than `left_out` on one item.
    fn others(&self, item: usize, left_out: usize) -> impl Iterator<Item = u32> {
        self.humans
            .iter()
            .enumerate()
            .filter(move |(human, _)| *human != left_out)
            .filter_map(move |(_, row)| row[item])
    }

    fn labels(&self, item: usize) -> Vec<u32> {
        self.humans.iter().filter_map(|row| row[item]).collect()
    }
}

/// How well humans agree with each other, and the judge with them, on the same items.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ceiling {
    /// Items with the judge's label and those of at least two humans.
    pub items: u64,
    /// Mean over items of the share of agreeing human pairs: what leaving one human out scores.
    pub human_human: f64,
    /// Mean over the same items of the share of humans whom the judge matches.
    pub judge_human: f64,
    /// `judge_human − human_human`: above zero the judge is closer to the humans than they are to each other.
    pub difference: f64,
    /// Standard error of the difference, items as units; `None` for one item.
    pub difference_se: Option<f64>,
}

/// The leave-one-out human ceiling beside the judge on the same items.
///
/// - Estimates: the agreement that a further human would reach, and the judge's distance from it.
/// - Formula: means over items; `se = sd(judge − pairwise)/√items`.
/// - Assumes: independent items. The compared human is left out of the reference, else humans would be judged by
///   themselves.
/// - Not estimable: no item with the judge and two humans (`empty`).
/// - Cost: items × humans².
/// - Source: pairwise agreement as in Fleiss 1971. Pinned by the family `human_ceiling`, kind `loo`, and by
///   `a_panel_counted_by_hand_is_reproduced`.
pub fn human_ceiling(panel: &Panel) -> Result<Ceiling, NotEstimable> {
    let per_item: Vec<(f64, f64)> = (0..panel.judge.len())
        .filter_map(|item| {
            let judge = panel.judge[item]?;
            let labels = panel.labels(item);
            let humans = labels.len() as f64;
            let matched = labels.iter().filter(|label| **label == judge).count() as f64;
            (labels.len() >= 2).then(|| (agreeing_pairs(&labels), matched / humans))
        })
        .collect();
    let items = per_item.len() as f64;
    if per_item.is_empty() {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    let human_human = per_item.iter().map(|(human, _)| human).sum::<f64>() / items;
    let judge_human = per_item.iter().map(|(_, judge)| judge).sum::<f64>() / items;
    let difference = per_item.iter().map(|(human, judge)| judge - human).sum::<f64>() / items;
    let square: f64 = per_item.iter().map(|(human, judge)| (judge - human - difference).powi(2)).sum();
    let difference_se = (per_item.len() > 1).then(|| (square / (items - 1.0) / items).sqrt());
    Ok(Ceiling { items: per_item.len() as u64, human_human, judge_human, difference, difference_se })
}

impl Ceiling {
    /// The difference with a t interval over items (method `t`).
    ///
    /// Not estimable: one item (`too_few`); the same difference on every item (`constant`).
    pub fn difference_interval(&self, level: Level) -> Figure {
        let se = self.difference_se.ok_or(NotEstimable::with_n(Reason::TooFew, self.items))?;
        if se == 0.0 {
            return Err(NotEstimable::with_n(Reason::Constant, self.items));
        }
        let half = t_quantile(1.0 - level.alpha() / 2.0, self.items as f64 - 1.0) * se;
        Ok(Estimate::within(
            self.difference,
            [self.difference - half, self.difference + half],
            level.get(),
            self.items,
            "t",
        ))
    }
}

fn agreeing_pairs(labels: &[u32]) -> f64 {
    let mut agreeing = 0_usize;
    for (place, label) in labels.iter().enumerate() {
        agreeing += labels[place + 1..].iter().filter(|other| *other == label).count();
    }
    agreeing as f64 / (labels.len() * (labels.len() - 1) / 2) as f64
}

/// Settings of the alternative annotator test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AltTestOptions {
    /// The advantage a human has for being a human: 0.2 for experts, 0.15 for skilled, 0.1 for crowd annotators.
    pub epsilon: f64,
    /// False discovery rate over the humans.
    pub q: f64,
    /// A human with fewer usable items is left out.
    pub min_items: usize,
}

impl Default for AltTestOptions {
    fn default() -> Self {
        Self { epsilon: 0.2, q: 0.05, min_items: 30 }
    }
}

/// The judge against one human.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alternative {
    /// Row of the human in the panel.
    pub human: usize,
    /// Items compared.
    pub items: u64,
    /// p-value of "the human beats the judge by epsilon or more", before adjustment.
    pub p: f64,
    /// Share of items on which the judge is at least as close to the other humans as this human.
    pub judge_advantage: f64,
    /// Whether the judge may stand in for this human.
    pub replaced: bool,
}

/// Result of the alternative annotator test.
#[derive(Debug, Clone, PartialEq)]
pub struct AltTest {
    /// One comparison per human with enough items, in the panel's order.
    pub humans: Vec<Alternative>,
    /// Share of humans for whom the judge may stand in.
    pub winning_rate: f64,
    /// Mean of the judge's advantages.
    pub advantage: f64,
    /// Whether the winning rate is at least one half.
    pub passed: bool,
}

/// The alternative annotator test: may the judge replace a human annotator?
///
/// - Estimates: the share of humans that are not better than the judge by `epsilon`.
/// - Formula: for each human, over the items with another human: win of a side = its share of matched others is at
///   least the opponent's (both win on a tie); one-sided t test of `mean(win_human − win_judge) < epsilon`;
///   Benjamini-Yekutieli at `q`.
/// - Assumes: independent items. Generous with `epsilon` 0.2: show the ceiling's gap beside it.
/// - Not estimable: fewer than two humans, or none with `min_items` items (`too_few`).
/// - A human with the same difference on every item: p = 0 where it is below epsilon, else 1.
/// - Cost: humans² × items.
/// - Source: Calderon, Reichart and Dror 2025, arXiv 2501.10970. Pinned by the family `human_ceiling`, kind
///   `alt_test`.
pub fn alt_test(panel: &Panel, options: AltTestOptions) -> Result<AltTest, NotEstimable> {
    let mut humans: Vec<Alternative> =
        (0..panel.humans.len()).filter_map(|human| against_one(panel, human, options)).collect();
    if panel.humans.len() < 2 || humans.is_empty() {
        return Err(NotEstimable::with_n(Reason::TooFew, panel.humans.len() as u64));
    }
    let p_values: Vec<f64> = humans.iter().map(|one| one.p).collect();
    for (one, adjusted) in humans.iter_mut().zip(adjust(&p_values, Adjustment::BenjaminiYekutieli)?) {
        one.replaced = adjusted <= options.q;
    }
    let count = humans.len() as f64;
    let winning_rate = humans.iter().filter(|one| one.replaced).count() as f64 / count;
    let advantage = humans.iter().map(|one| one.judge_advantage).sum::<f64>() / count;
    Ok(AltTest { humans, winning_rate, advantage, passed: winning_rate >= 0.5 })
}

fn against_one(panel: &Panel, human: usize, options: AltTestOptions) -> Option<Alternative> {
    let wins: Vec<(bool, bool)> = (0..panel.judge.len())
        .filter_map(|item| {
            let (own, judge) = (panel.humans[human][item]?, panel.judge[item]?);
            let matched = |label: u32| panel.others(item, human).filter(|other| *other == label).count();
            panel.others(item, human).next()?;
            let (by_human, by_judge) = (matched(own), matched(judge));
            Some((by_human >= by_judge, by_judge >= by_human))
        })
        .collect();
    if wins.is_empty() || wins.len() < options.min_items {
        return None;
    }
    let items = wins.len() as f64;
    let differences = wins.iter().map(|(by_human, by_judge)| f64::from(i8::from(*by_human) - i8::from(*by_judge)));
    let mean = differences.clone().sum::<f64>() / items;
    let square: f64 = differences.map(|d| (d - mean).powi(2)).sum();
    let p = if square == 0.0 || wins.len() < 2 {
        f64::from(u8::from(mean >= options.epsilon))
    } else {
        let se = (square / (items - 1.0) / items).sqrt();
        t_sf((options.epsilon - mean) / se, items - 1.0)
    };
    let judge_advantage = wins.iter().filter(|(_, by_judge)| *by_judge).count() as f64 / items;
    Some(Alternative { human, items: wins.len() as u64, p, judge_advantage, replaced: false })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn row(text: &str) -> Vec<Option<u32>> {
        text.chars().map(|label| label.to_digit(10)).collect()
    }

    fn panel(humans: &[&str], judge: &str) -> Panel {
        Panel::new(humans.iter().map(|text| row(text)).collect(), row(judge)).unwrap()
    }

    /// Item 1: pairs 1/3, judge 2/3. Item 2: 1 and 1. Item 3: one human only, left out. Item 4: 0 and 1/2. Item 5: no
    /// judge.
    #[test]
    fn a_panel_counted_by_hand_is_reproduced() {
        let ceiling = human_ceiling(&panel(&["011.1", "01.01", "11.11"], "0111.")).unwrap();
        assert_eq!(ceiling.items, 3);
        assert!((ceiling.human_human - (1.0 / 3.0 + 1.0 + 0.0) / 3.0).abs() < 1e-12);
        assert!((ceiling.judge_human - (2.0 / 3.0 + 1.0 + 0.5) / 3.0).abs() < 1e-12);
        assert!((ceiling.difference - (ceiling.judge_human - ceiling.human_human)).abs() < 1e-12);
    }

    #[test]
    fn a_judge_that_copies_a_human_beats_the_ceiling_only_by_that_human() {
        let labels = "0101101001";
        let ceiling = human_ceiling(&panel(&[labels, labels], labels)).unwrap();
        assert_eq!((ceiling.human_human, ceiling.judge_human, ceiling.difference_se), (1.0, 1.0, Some(0.0)));
        assert_eq!(ceiling.difference_interval(Level::P95).unwrap_err().reason, Reason::Constant);
    }

    #[test]
    fn without_a_second_human_there_is_no_ceiling() {
        assert_eq!(human_ceiling(&panel(&["0101"], "0101")).unwrap_err().reason, Reason::Empty);
        let test = alt_test(&panel(&["0101"], "0101"), AltTestOptions::default());
        assert_eq!(test.unwrap_err().reason, Reason::TooFew);
        assert_eq!(Panel::new(vec![row("01")], row("0")).unwrap_err().reason, Reason::Invalid);
    }

    #[test]
    fn the_judge_replaces_humans_it_agrees_with_and_none_it_contradicts() {
        let labels = "010110100101011010010101101001";
        let good = alt_test(&panel(&[labels, labels, labels], labels), AltTestOptions::default()).unwrap();
        assert!(good.passed && good.winning_rate == 1.0 && good.humans.iter().all(|one| one.p == 0.0));
        let opposite: String = labels.chars().map(|c| if c == '0' { '1' } else { '0' }).collect();
        let bad = alt_test(&panel(&[labels, labels, labels], &opposite), AltTestOptions::default()).unwrap();
        assert!(!bad.passed && bad.winning_rate == 0.0 && bad.advantage == 0.0);
    }

    #[test]
    fn a_human_with_few_items_is_left_out() {
        let labels = "010110100101011010010101101001";
        let few = "01............................";
        let test = alt_test(&panel(&[labels, few, labels], labels), AltTestOptions::default()).unwrap();
        assert_eq!(test.humans.iter().map(|one| one.human).collect::<Vec<_>>(), [0, 2]);
    }
}
