//! How far the reading of a source is, for whoever waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A count that one thread moves on while another looks: bytes that came in, then lines that were read. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Reached(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    done: AtomicU64,
    total: AtomicU64,
}

impl Reached {
    /// Done so far.
    pub fn done(&self) -> u64 {
        self.0.done.load(Ordering::Relaxed)
    }

    /// The share of 0..=1 that is done; `None` where nobody knows how much there is.
    pub fn share(&self) -> Option<f64> {
        let total = self.0.total.load(Ordering::Relaxed);
        (total > 0).then(|| (self.done() as f64 / total as f64).min(1.0))
    }

    /// Begins anew, with `total` to do; 0 is unknown.
    pub(super) fn begin(&self, total: u64) {
        self.at(0);
        self.0.total.store(total, Ordering::Relaxed);
    }

    pub(super) fn at(&self, done: u64) {
        self.0.done.store(done, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::Reached;

    #[test]
    fn a_share_is_known_where_a_total_is_and_never_above_one() {
        let reached = Reached::default();
        reached.at(7);
        assert_eq!((reached.done(), reached.share()), (7, None));
        reached.begin(4);
        assert_eq!(reached.share(), Some(0.0));
        reached.clone().at(5);
        assert_eq!(reached.share(), Some(1.0));
    }
}
