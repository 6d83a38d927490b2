//! What is to be asked, worked out before anything is: items × judges × orders × repeats. Pure.

use std::collections::{BTreeMap, HashMap};

use super::respondent::{RequestError, Respondent, Subject};
use super::size::Size;
use crate::domain::{ItemId, JudgeName, Order, RequestKey};

/// Who is to be asked about what.
#[derive(Debug)]
pub struct Trial<'a, J: Respondent> {
    /// The items with their texts.
    pub items: &'a [J::Item],
    /// The judges, or whoever else is to answer.
    pub judges: &'a [J],
}

/// What to do with items whose two responses are the same text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IdenticalPairs {
    /// They are ties by themselves, counted apart and not asked.
    #[default]
    LeaveOut,
    /// Ask all the same.
    Ask,
}

/// How to plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanOptions {
    /// The orders that every item is asked in.
    pub orders: Vec<Order>,
    /// How often each order is asked; at least 1.
    pub repeats: u32,
    /// What to do with identical responses.
    pub identical: IdenticalPairs,
}

impl Default for PlanOptions {
    /// Both orders, once.
    fn default() -> Self {
        Self { orders: Order::BOTH.to_vec(), repeats: 1, identical: IdenticalPairs::default() }
    }
}

/// Where the answer to a task comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A judge that answers on this machine, outside the store.
    Local,
    /// The store has it.
    Stored,
    /// The endpoint has to be asked.
    Ask,
    /// The same question as that earlier task (by index); its answer serves both.
    Shared(usize),
}

/// One planned judgment. The request is made again when it is needed, since texts weigh more than keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Index into the trial's items.
    pub item: usize,
    /// Index into the trial's judges.
    pub judge: usize,
    /// Which response is shown first.
    pub order: Order,
    /// 0 for the first asking of this order.
    pub repeat: u32,
    /// Identity of the question.
    pub key: RequestKey,
    /// Where its answer comes from.
    pub source: Source,
    /// How large the request is; nothing for what is answered on this machine.
    pub size: Size,
}

/// Numbers of planned judgments of one judge; `planned` is the sum of the four that follow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgePlan {
    /// Whose.
    pub judge: JudgeName,
    /// All judgments.
    pub planned: u64,
    /// Answered on this machine, outside the store.
    pub local: u64,
    /// In the store already.
    pub cached: u64,
    /// The same question as another task: asked once, counted there.
    pub shared: u64,
    /// Questions for the endpoint.
    pub to_ask: u64,
    /// Items that the judge does not apply to; outside planned.
    pub not_applicable: u64,
}

/// The plan of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// All planned judgments, in the order of items, then judges, repeats and orders.
    pub tasks: Vec<Task>,
    /// Counts by judge, in the order of the judges.
    pub judges: Vec<JudgePlan>,
    /// Items left out because their responses are the same text.
    pub identical: Vec<ItemId>,
}

/// A request that cannot be made, found before anything was asked.
#[derive(Debug, thiserror::Error)]
#[error("judge `{judge}` cannot be asked about item `{item}`: {source}")]
pub struct PlanError {
    /// The judge.
    pub judge: JudgeName,
    /// The item.
    pub item: ItemId,
    /// What is wrong.
    pub source: RequestError,
}

impl Plan {
    /// Plans a trial; `is_stored` says for a key whether a verified completion is at hand.
    pub fn new<J: Respondent>(
        trial: &Trial<'_, J>,
        options: &PlanOptions,
        is_stored: &mut dyn FnMut(&RequestKey) -> bool,
    ) -> Result<Self, PlanError> {
        let judges = trial.judges.iter().map(|judge| JudgePlan::empty(judge.name())).collect();
        let mut plan = Self { tasks: Vec::new(), judges, identical: Vec::new() };
        let mut sources = Sources { asked: HashMap::new(), is_stored };
        for (at, item) in trial.items.iter().enumerate() {
            if options.identical == IdenticalPairs::LeaveOut && item.is_identical() {
                plan.identical.push(item.id().clone());
                continue;
            }
            for (number, judge) in trial.judges.iter().enumerate() {
                if !judge.applies(item) {
                    plan.judges[number].not_applicable += 1;
                    continue;
                }
                for (repeat, order) in (0..options.repeats).flat_map(|r| options.orders.iter().map(move |o| (r, *o))) {
                    let request = judge.request(item, order, repeat).map_err(|source| PlanError {
                        judge: judge.name().clone(),
                        item: item.id().clone(),
                        source,
                    })?;
                    let is_call = judge.is_call(&request);
                    let source = if is_call { sources.of(request.key, plan.tasks.len()) } else { Source::Local };
                    plan.judges[number].count(source);
                    let size = if is_call { Size::of(&request) } else { Size::default() };
                    plan.tasks.push(Task { item: at, judge: number, order, repeat, key: request.key, source, size });
                }
            }
        }
        Ok(plan)
    }

    /// The tasks that share the answer of another, by the index of that other.
    pub(super) fn sharers(&self) -> BTreeMap<usize, Vec<usize>> {
        let mut sharers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, task) in self.tasks.iter().enumerate() {
            if let Source::Shared(first) = task.source {
                sharers.entry(first).or_default().push(at);
            }
        }
        sharers
    }
}

impl JudgePlan {
    fn empty(judge: &JudgeName) -> Self {
        Self { judge: judge.clone(), planned: 0, local: 0, cached: 0, shared: 0, to_ask: 0, not_applicable: 0 }
    }

    fn count(&mut self, source: Source) {
        self.planned += 1;
        match source {
            Source::Local => self.local += 1,
            Source::Stored => self.cached += 1,
            Source::Ask => self.to_ask += 1,
            Source::Shared(_) => self.shared += 1,
        }
    }
}

struct Sources<'a> {
    asked: HashMap<RequestKey, usize>,
    is_stored: &'a mut dyn FnMut(&RequestKey) -> bool,
}

impl Sources<'_> {
    /// Where the answer to a question for an endpoint comes from.
    fn of(&mut self, key: RequestKey, task: usize) -> Source {
        if let Some(first) = self.asked.get(&key) {
            return Source::Shared(*first);
        }
        if (self.is_stored)(&key) {
            return Source::Stored;
        }
        self.asked.insert(key, task);
        Source::Ask
    }
}
