//! What came of asking: where every planned judgment went, by judge and order. No verdict is weighed here.

use serde::Serialize;

use super::outcome::{self, Accounting};
use crate::domain::{Fingerprint, GoldSet, JudgeName, Judgment, Usage};

/// Calls behind the judgments of this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CallCounts {
    /// Questions put to an endpoint, each counted once however often it was tried.
    pub made: u64,
    /// Judgments whose answer was kept from before.
    pub cached: u64,
    /// Repeated tries.
    pub retried: u64,
}

/// One judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AskedJudge {
    /// The name in every table.
    pub name: JudgeName,
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// Where its planned judgments went, also by order.
    pub accounting: Accounting,
    /// The calls of this run.
    pub calls: CallCounts,
    /// Tokens of this run's answers; a count is absent where one answer came without it.
    pub usage: Usage,
    /// US dollars of this run's answers; `null` is unknown, never zero.
    pub cost_usd: Option<f64>,
}

/// The answer: all judges together, and each.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Asked {
    /// All judges' judgments.
    pub accounting: Accounting,
    /// All judges' calls.
    pub calls: CallCounts,
    /// All judges' tokens; absent where one judge's are not known.
    pub usage: Usage,
    /// All judges' cost; `null` where one judge's is not known.
    pub cost_usd: Option<f64>,
    /// Each judge, in the order in which they were named.
    pub judges: Vec<AskedJudge>,
}

/// Sums up the judges; `judges` come with their calls, and get their accounting here from `judgments` on `items`.
pub fn asked(items: &GoldSet, judgments: &[Judgment], mut judges: Vec<AskedJudge>) -> Asked {
    let sheets = outcome::sheets(items, judgments);
    for judge in &mut judges {
        let own = sheets.iter().find(|sheet| sheet.judge == judge.name);
        judge.accounting =
            own.map_or_else(|| outcome::Sheet::empty(&judge.name, items).accounting, |sheet| sheet.accounting);
    }
    let sum = |all: Option<u64>, one: Option<u64>| Some(all?.saturating_add(one?));
    let mut total = Asked {
        accounting: Accounting::default(),
        calls: CallCounts::default(),
        usage: Usage { input_tokens: Some(0), output_tokens: Some(0) },
        cost_usd: Some(0.0),
        judges: Vec::new(),
    };
    for judge in &judges {
        total.accounting = total.accounting.plus(judge.accounting);
        total.calls.made += judge.calls.made;
        total.calls.cached += judge.calls.cached;
        total.calls.retried += judge.calls.retried;
        total.usage.input_tokens = sum(total.usage.input_tokens, judge.usage.input_tokens);
        total.usage.output_tokens = sum(total.usage.output_tokens, judge.usage.output_tokens);
        total.cost_usd = total.cost_usd.zip(judge.cost_usd).map(|(all, one)| all + one);
    }
    Asked { judges, ..total }
}
