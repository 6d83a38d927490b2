//! Kappa of judge and gold over a, b and tie: the large-sample interval, and BCa over items and over groups.

use tribunal::stats::agreement::{Confusion, Weights, kappa_of_cells};
use tribunal::stats::resample::{Resampling, Units, bca};
use tribunal::stats::seed::Stream;
use tribunal::stats::{Figure, Level, Seed};

use super::{Claim, Study, chance, class, holds};

/// How often gold is a, b, tie, and how often the judge is right; a wrong answer is either other class.
#[derive(Debug, Clone, Copy)]
struct Court {
    gold: [f64; 3],
    right: f64,
}

impl Court {
    fn draw(self, stream: &mut Stream) -> usize {
        let gold = class(stream, &self.gold);
        let judge = if chance(stream, self.right) { gold } else { (gold + 1 + usize::from(chance(stream, 0.5))) % 3 };
        gold * 3 + judge
    }

    /// The share of each cell.
    fn cells(self) -> Vec<f64> {
        let share = |cell: usize| {
            let (gold, judge) = (cell / 3, cell % 3);
            self.gold[gold] * if gold == judge { self.right } else { (1.0 - self.right) / 2.0 }
        };
        (0..9).map(share).collect()
    }
}

fn kappa(cells: &[f64]) -> f64 {
    kappa_of_cells(cells, Weights::Nominal).unwrap()
}

fn resampled(units: Vec<Vec<f64>>, resamples: usize, seed: u64) -> Figure {
    let resampling = Resampling { resamples, seed: Seed(seed) };
    bca(&Units::new(units)?, |cells| kappa_of_cells(cells, Weights::Nominal), Level::P95, &resampling)
}

fn one_hot(cell: usize) -> Vec<f64> {
    (0..9).map(|other| f64::from(u8::from(other == cell))).collect()
}

#[test]
fn kappa_over_items_is_covered() {
    let mut study = Study::new("Kappa over items");
    let even = [0.45, 0.45, 0.1];
    // What the large-sample interval covers: it lags behind near perfect agreement and with one class on top.
    let nominal = Claim::AtLeast(0.95);
    let grid = [
        (100, Court { gold: even, right: 0.75 }, nominal),
        (50, Court { gold: even, right: 0.75 }, Claim::Known(0.932)),
        (30, Court { gold: even, right: 0.75 }, nominal),
        (200, Court { gold: [0.8, 0.15, 0.05], right: 0.8 }, Claim::Known(0.934)),
        (100, Court { gold: [0.34, 0.33, 0.33], right: 1.0 / 3.0 }, nominal),
        (100, Court { gold: even, right: 0.95 }, Claim::Known(0.894)),
    ];
    let cells = study.size().of(2, grid.len());
    let resamples = study.size().of(300, 2_000);
    for (items, court, large_sample) in grid.into_iter().take(cells) {
        let truth = kappa(&court.cells());
        let data = format!("{items} items, right {:.2}, gold {:?}", court.right, court.gold);
        let replicates = study.replicates();
        if items >= 50 {
            study.cell("fleiss_cohen_everitt 95 %", &data, large_sample, replicates, |stream| {
                let mut counts = vec![0; 9];
                (0..items).for_each(|_| counts[court.draw(stream)] += 1);
                holds(&Confusion::from_cells(3, counts).unwrap().kappa_interval(Level::P95), truth)
            });
        }
        study.cell("bca 95 %", &data, Claim::AtLeast(0.95), replicates, |stream| {
            let units = (0..items).map(|_| one_hot(court.draw(stream))).collect();
            holds(&resampled(units, resamples, stream.next_u64()), truth)
        });
    }
    study.finish();
}

#[test]
fn kappa_over_groups_is_covered() {
    let mut study = Study::new("Kappa over groups of five items");
    let court = |right| Court { gold: [0.45, 0.45, 0.1], right };
    let (hard, easy) = (court(0.55), court(0.95));
    let both: Vec<f64> = hard.cells().iter().zip(easy.cells()).map(|(x, y)| f64::midpoint(*x, y)).collect();
    let truth = kappa(&both);
    let resamples = study.size().of(300, 2_000);
    for groups in study.size().of(&[40][..], &[20, 40, 100][..]) {
        let replicates = study.replicates();
        study.cell("bca 95 %", &format!("{groups} groups"), Claim::AtLeast(0.95), replicates, |stream| {
            let units = (0..*groups).map(|_| {
                let court = if chance(stream, 0.5) { hard } else { easy };
                let mut cells = vec![0.0; 9];
                (0..5).for_each(|_| cells[court.draw(stream)] += 1.0);
                cells
            });
            let units = units.collect();
            holds(&resampled(units, resamples, stream.next_u64()), truth)
        });
    }
    study.finish();
}
