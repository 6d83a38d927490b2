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

/// A budget and what became of it.
#[derive(Debug)]
pub(super) struct Purse {
    budget: Budget,
    sent: u64,
    spent: f64,
    held: f64,
    is_estimate: bool,
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
    pub fn new(budget: Budget) -> Self {
        Self { budget, sent: 0, spent: 0.0, held: 0.0, is_estimate: false }
    }

    /// Whether a call that costs at most `worst` US dollars may be sent.
    pub fn ask(&self, worst: f64) -> Leave {
        if self.budget.max_calls.is_some_and(|most| self.sent >= most) {
            return Leave::UsedUp("max_calls");
        }
        let Some(most) = self.budget.max_usd else { return Leave::Granted };
        if self.spent + worst > most + ROUNDING {
            return if self.held > ROUNDING { Leave::Later } else { Leave::UsedUp("max_usd") };
        }
        if self.spent + self.held + worst > most + ROUNDING { Leave::Later } else { Leave::Granted }
    }

    /// It is sent.
    pub fn hold(&mut self, worst: f64) {
        self.sent += 1;
        self.held += worst;
    }

    /// It is over and cost `usd`; `None` where nobody knows.
    pub fn settle(&mut self, worst: f64, usd: Option<f64>) {
        self.held = (self.held - worst).max(0.0);
        self.spent += usd.unwrap_or(worst);
        self.is_estimate |= usd.is_none() && worst > 0.0;
    }

    /// What was spent, in words.
    pub fn spent(&self) -> String {
        let calls = format!("{} calls sent", self.sent);
        if self.budget.max_usd.is_none() {
            return calls;
        }
        let about = if self.is_estimate { "at most " } else { "" };
        format!("{calls}, {about}{:.6} US dollars spent", self.spent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_in_flight_hold_back_their_worst_case_and_give_back_what_they_did_not_need() {
        let mut purse = Purse::new(Budget { max_usd: Some(1.0), max_calls: None });
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
        assert_eq!(purse.spent(), "3 calls sent, at most 0.700000 US dollars spent");
    }

    #[test]
    fn tries_are_counted_and_not_given_back() {
        let mut purse = Purse::new(Budget { max_calls: Some(2), max_usd: None });
        for _ in 0..2 {
            assert_eq!(purse.ask(9.0), Leave::Granted);
            purse.hold(0.0);
            purse.settle(0.0, Some(0.0));
        }
        assert_eq!(purse.ask(0.0), Leave::UsedUp("max_calls"));
        assert_eq!(purse.spent(), "2 calls sent");
    }
}
