//! Differences of two shares: independent samples (Newcombe), and two arms on the same items (Tango, Newcombe paired).

use tribunal::stats::paired::{PairedTable, newcombe_paired_difference, tango_difference};
use tribunal::stats::proportion::newcombe_difference;
use tribunal::stats::seed::Stream;
use tribunal::stats::{Figure, Level};

use super::{Claim, Study, class, holds};

#[test]
fn differences_of_independent_shares_are_covered() {
    let mut study = Study::new("Differences of independent shares");
    let grid = [
        ([20, 20], [0.5, 0.5]),
        ([30, 30], [0.3, 0.1]),
        ([15, 60], [0.4, 0.2]),
        ([50, 50], [0.9, 0.7]),
        ([44, 45], [0.15, 0.15]),
        ([200, 200], [0.25, 0.1]),
        ([20, 20], [0.05, 0.05]),
    ];
    let cells = study.size().of(3, grid.len());
    for ([n1, n2], [p1, p2]) in grid.into_iter().take(cells) {
        for (name, level) in [("newcombe 95 %", Level::P95), ("newcombe 90 %", Level::P90)] {
            let replicates = study.replicates();
            study.cell(
                name,
                &format!("{p1} of {n1} − {p2} of {n2}"),
                Claim::AtLeast(level.get()),
                replicates,
                |stream| {
                    let (k1, k2) = (stream.binomial(n1, p1), stream.binomial(n2, p2));
                    holds(&newcombe_difference(k1, n1, k2, n2, level), p1 - p2)
                },
            );
        }
    }
    study.finish();
}

/// How often both arms are right, only the first, only the second.
#[derive(Debug, Clone, Copy)]
struct Arms {
    both: f64,
    first_only: f64,
    second_only: f64,
}

impl Arms {
    fn draw(self, stream: &mut Stream, items: u64) -> PairedTable {
        let neither = 1.0 - self.both - self.first_only - self.second_only;
        let mut cells = [0; 4];
        for _ in 0..items {
            cells[class(stream, &[self.both, self.first_only, self.second_only, neither])] += 1;
        }
        let [both, first_only, second_only, neither] = cells;
        PairedTable { both, first_only, second_only, neither }
    }
}

type Paired = fn(PairedTable, Level) -> Figure;

#[test]
fn differences_of_two_arms_on_the_same_items_are_covered() {
    let mut study = Study::new("Differences of paired shares");
    let grid = [
        (30, 0.6, 0.2, 0.05),
        (100, 0.7, 0.1, 0.05),
        (20, 0.4, 0.2, 0.2),
        (50, 0.85, 0.05, 0.05),
        (50, 0.3, 0.4, 0.1),
        (300, 0.75, 0.1, 0.08),
        (30, 0.05, 0.05, 0.02),
    ];
    let cells = study.size().of(3, grid.len());
    for (items, both, first_only, second_only) in grid.into_iter().take(cells) {
        let arms = Arms { both, first_only, second_only };
        let intervals: [(&str, Paired); 2] =
            [("tango 95 %", tango_difference), ("newcombe_paired 95 %", newcombe_paired_difference)];
        for (name, interval) in intervals {
            let data = format!("{items} items, both {both}, first only {first_only}, second only {second_only}");
            let replicates = study.replicates();
            study.cell(name, &data, Claim::AtLeast(0.95), replicates, |stream| {
                holds(&interval(arms.draw(stream, items), Level::P95), first_only - second_only)
            });
        }
    }
    study.finish();
}
