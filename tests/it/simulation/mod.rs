//! Do the intervals hold their level, the tests their size, and does the analysis find what was planted? Seeded simulations.
//!
//! Every cell draws data whose truth is known, many times over, and counts how often the statement made about them holds.
//! The count may stray from its claim by four standard errors of a binomial count, no further; a claim is a nominal level, or the
//! level that [docs/simulations.md](../../../docs/simulations.md) records where a method is known to miss its nominal one.
//!
//! The quick form runs with every `cargo test`. The full form has more cells and many more replicates:
//!
//! ```sh
//! TRIBUNAL_SIMULATIONS=full cargo test --release --test it simulation -- --nocapture --test-threads=1
//! ```

mod agreement;
mod alike;
mod correction;
mod differences;
mod false_positives;
mod limits;
mod list;
mod means;
mod planted;
mod raters;
mod reports;
mod several;
mod shares;
mod stopping;
mod strengths;

use tribunal::stats::seed::Stream;
use tribunal::stats::{Figure, Seed};

/// Standard errors that a count may stray from its claim: one cell in 16,000 would by chance alone.
const STANDARD_ERRORS: f64 = 4.0;

/// Replicates behind every level that is written down as known.
const FULL: u64 = 4_000;

/// How much is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Quick,
    Full,
}

impl Size {
    pub fn asked_for() -> Self {
        #[allow(clippy::disallowed_methods, reason = "tests learn their size from the environment")]
        let word = std::env::var("TRIBUNAL_SIMULATIONS").unwrap_or_default();
        match word.as_str() {
            "full" => Self::Full,
            "" | "quick" => Self::Quick,
            other => panic!("TRIBUNAL_SIMULATIONS is {other:?}; wanted quick or full"),
        }
    }

    /// One of two values.
    pub fn of<T>(self, quick: T, full: T) -> T {
        if self == Self::Quick { quick } else { full }
    }
}

/// What is claimed of the share of replicates in which the statement holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Claim {
    /// At least this: the coverage of an interval.
    AtLeast(f64),
    /// At most this: the error of a test.
    AtMost(f64),
    /// This, as found by [`FULL`] replicates before: where a method is known to miss its nominal level.
    Known(f64),
    /// Exactly this, worked out from the law of the data.
    Exactly(f64),
}

impl Claim {
    /// The shares that do not refute the claim.
    fn allows(self, replicates: u64) -> [f64; 2] {
        let far = |share: f64, units: f64| STANDARD_ERRORS * (share * (1.0 - share) * units).sqrt();
        let own = 1.0 / replicates as f64;
        let [low, high] = match self {
            Self::AtLeast(share) => [share - far(share, own), 1.0],
            Self::AtMost(share) => [0.0, share + far(share, own)],
            Self::Known(share) => {
                let far = far(share, own + 1.0 / FULL as f64).max(own);
                [share - far, share + far]
            }
            Self::Exactly(share) => [share - far(share, own), share + far(share, own)],
        };
        // Shares that are binomial sums differ in their last digits.
        [low - 1e-12, high + 1e-12]
    }

    fn as_text(self) -> String {
        match self {
            Self::AtLeast(share) => format!("≥ {share:.3}"),
            Self::AtMost(share) => format!("≤ {share:.3}"),
            Self::Known(share) => format!("{share:.3} (known)"),
            Self::Exactly(share) => format!("{share:.3} (exact)"),
        }
    }
}

/// Cells that are shown as one table and judged together.
pub struct Study {
    name: &'static str,
    size: Size,
    lines: Vec<String>,
    refuted: Vec<String>,
}

impl Study {
    pub fn new(name: &'static str) -> Self {
        Self { name, size: Size::asked_for(), lines: Vec::new(), refuted: Vec::new() }
    }

    pub fn size(&self) -> Size {
        self.size
    }

    /// Replicates of an ordinary cell.
    pub fn replicates(&self) -> u64 {
        self.size.of(250, FULL)
    }

    /// Runs one cell: `one` says of fresh data whether the statement holds, or nothing where there is no interval.
    pub fn cell(
        &mut self,
        method: &str,
        data: &str,
        claim: Claim,
        replicates: u64,
        mut one: impl FnMut(&mut Stream) -> Option<bool>,
    ) -> f64 {
        let seed = Seed(1).child(self.name).child(data);
        let (mut held, mut counted) = (0_u64, 0_u64);
        for replicate in 0..replicates {
            if let Some(holds) = one(&mut seed.stream(replicate)) {
                counted += 1;
                held += u64::from(holds);
            }
        }
        assert!(counted > 0, "{method}, {data}: no replicate has an answer");
        let found = held as f64 / counted as f64;
        let [low, high] = claim.allows(counted);
        let none = replicates - counted;
        let without = if none == 0 { String::new() } else { format!(", {none} without") };
        let line = format!(
            "| {method} | {data} | {} | {found:.3} | {:.3} to {:.3} | {counted}{without} |",
            claim.as_text(),
            low.max(0.0),
            high.min(1.0),
        );
        if !(low..=high).contains(&found) {
            self.refuted.push(line.clone());
        }
        self.lines.push(line);
        found
    }

    /// Adds a number that needs no simulation, or a mean, with the range in which it has to lie.
    pub fn figure(&mut self, method: &str, data: &str, found: f64, [low, high]: [f64; 2], count: u64) {
        let line = format!("| {method} | {data} | {low:.3} to {high:.3} | {found:.3} | | {count} |");
        if !(low..=high).contains(&found) {
            self.refuted.push(line.clone());
        }
        self.lines.push(line);
    }

    /// Shows the table, and fails where a claim is refuted.
    pub fn finish(self) {
        let Self { name, lines, refuted, .. } = self;
        println!(
            "\n### {name}\n\n| method | data | claimed | found | allowed | replicates |\n|---|---|---|---|---|---|\n{}\n",
            lines.join("\n")
        );
        assert!(refuted.is_empty(), "{name}: refuted\n{}", refuted.join("\n"));
    }
}

/// Whether the interval holds the truth; nothing where there is no interval.
pub fn holds(figure: &Figure, truth: f64) -> Option<bool> {
    // Bounds at the end of a range may be a rounding error inside it.
    figure.as_ref().ok().map(|found| found.lower <= truth + 1e-12 && truth - 1e-12 <= found.upper)
}

pub fn chance(stream: &mut Stream, probability: f64) -> bool {
    stream.unit_f64() < probability
}

/// A class drawn by its probability; the last takes what is left.
pub fn class(stream: &mut Stream, probabilities: &[f64]) -> usize {
    let mut rest = stream.unit_f64();
    for (number, probability) in probabilities.iter().enumerate() {
        if rest < *probability {
            return number;
        }
        rest -= probability;
    }
    probabilities.len() - 1
}

/// How often an item is won and how often it is a tie; otherwise it is lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    pub win: f64,
    pub tie: f64,
}

impl Scores {
    pub fn draw(self, stream: &mut Stream) -> f64 {
        [1.0, 0.5, 0.0][class(stream, &[self.win, self.tie, 1.0 - self.win - self.tie])]
    }

    pub fn mean(self) -> f64 {
        self.win + self.tie / 2.0
    }
}

#[test]
fn a_claim_is_refuted_by_a_count_that_chance_does_not_explain() {
    let refuted = |claim: Claim, held: u64, of: u64| {
        let [low, high] = claim.allows(of);
        !(low..=high).contains(&(held as f64 / of as f64))
    };
    // The standard error of 95 % of 1,900 is half a percent.
    assert!(!refuted(Claim::AtLeast(0.95), 1_767 + 1, 1_900) && refuted(Claim::AtLeast(0.95), 1_767 - 1, 1_900));
    assert!(!refuted(Claim::AtLeast(0.95), 1_900, 1_900) && !refuted(Claim::AtMost(0.05), 0, 1_900));
    assert!(refuted(Claim::AtMost(0.05), 1_900 - 1_766, 1_900));
    assert!(refuted(Claim::Known(0.8), 1_900, 1_900) && refuted(Claim::Known(0.8), 0, 1_900));
    assert!(refuted(Claim::Exactly(0.5), 600, 1_000) && !refuted(Claim::Exactly(0.5), 500, 1_000));
}
