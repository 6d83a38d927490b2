//! What a run may spend. Pure.
//!
//! A call in flight holds back the most it can cost, so the limit is never passed however many are open; when its usage
//! is known that takes the place of what was held back. A call whose usage never comes counts as its worst case: the
//! server may have charged for it.

/// What a run may spend; `None` is no limit. Answers in the store cost nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Budget {
    /// Requests sent, repeated tries included.
    pub max_calls: Option<u64>,
    /// US dollars, all judges together.
    pub max_usd: Option<f64>,
}

/// What was spent of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spent {
    /// Requests sent, repeated tries included.
    pub calls: u64,
    /// US dollars.
    pub usd: f64,
    /// True where some of it is the worst case of calls whose cost nobody knows.
    pub is_estimate: bool,
}

/// A budget and what became of it.
#[derive(Debug)]
pub(super) struct Purse {
    budget: Budget,
    spent: Spent,
    held: f64,
}

/// May this call be sent?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leave {
    Granted,
    /// When calls in flight come back there may be enough.
    Later,
    /// Never: the budget of this setting is used up.
    UsedUp(&'static str),
}

/// Beyond all rounding of a sum of costs, and far below any price.
const ROUNDING: f64 = 1e-12;

impl Purse {
    /// A budget of which so much is spent already.
    pub fn new(budget: Budget, spent: Spent) -> Self {
        Self { budget, spent, held: 0.0 }
    }

    /// Whether a call that costs at most `worst` US dollars may be sent.
    pub fn ask(&self, worst: f64) -> Leave {
        if self.budget.max_calls.is_some_and(|most| self.spent.calls >= most) {
            return Leave::UsedUp("max_calls");
        }
        let Some(most) = self.budget.max_usd else { return Leave::Granted };
        if self.spent.usd + worst > most + ROUNDING {
            return if self.held > ROUNDING { Leave::Later } else { Leave::UsedUp("max_usd") };
        }
        if self.spent.usd + self.held + worst > most + ROUNDING { Leave::Later } else { Leave::Granted }
    }

    /// It is sent.
    pub fn hold(&mut self, worst: f64) {
        self.spent.calls += 1;
        self.held += worst;
    }

    /// It is over and cost `usd`; `None` where nobody knows.
    pub fn settle(&mut self, worst: f64, usd: Option<f64>) {
        self.held = (self.held - worst).max(0.0);
        self.spent.usd += usd.unwrap_or(worst);
        self.spent.is_estimate |= usd.is_none() && worst > 0.0;
    }

    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// What was spent, in words.
    pub fn told(&self) -> String {
        let Spent { calls, usd, is_estimate } = self.spent;
        let calls = format!("{calls} calls sent");
        if self.budget.max_usd.is_none() {
            return calls;
        }
        let about = if is_estimate { "at most " } else { "" };
        format!("{calls}, {about}{usd:.6} US dollars spent")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_in_flight_hold_back_their_worst_case_and_give_back_what_they_did_not_need() {
        let mut purse = Purse::new(Budget { max_usd: Some(1.0), max_calls: None }, Spent::default());
        for _ in 0..2 {
            assert_eq!(purse.ask(0.4), Leave::Granted);
            purse.hold(0.4);
        }
        assert_eq!(purse.ask(0.4), Leave::Later);
        purse.settle(0.4, Some(0.1));
        assert_eq!(purse.ask(0.4), Leave::Granted);
        purse.hold(0.4);
        purse.settle(0.4, None);
        purse.settle(0.4, Some(0.2));
        assert_eq!(purse.ask(0.4), Leave::UsedUp("max_usd"));
        assert_eq!(purse.ask(0.3), Leave::Granted);
        assert_eq!(purse.told(), "3 calls sent, at most 0.700000 US dollars spent");
    }

    #[test]
    fn tries_are_counted_and_not_given_back() {
        let mut purse = Purse::new(Budget { max_calls: Some(2), max_usd: None }, Spent::default());
        for _ in 0..2 {
            assert_eq!(purse.ask(9.0), Leave::Granted);
            purse.hold(0.0);
            purse.settle(0.0, Some(0.0));
        }
        assert_eq!(purse.ask(0.0), Leave::UsedUp("max_calls"));
        assert_eq!(purse.told(), "2 calls sent");
    }

    #[test]
    fn what_was_spent_before_counts_and_is_told() {
        let before = Spent { calls: 5, usd: 0.7, is_estimate: true };
        let mut purse = Purse::new(Budget { max_calls: Some(6), max_usd: Some(1.0) }, before);
        assert_eq!(purse.ask(0.4), Leave::UsedUp("max_usd"));
        purse.hold(0.2);
        purse.settle(0.2, Some(0.1));
        assert_eq!(purse.ask(0.0), Leave::UsedUp("max_calls"));
        assert_eq!(purse.told(), "6 calls sent, at most 0.800000 US dollars spent");
    }
}
