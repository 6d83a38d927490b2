//! Judges asked step by step, until it is decided. Each step is a plan of its own over the next units of a shuffled order;
//! together they are one run in the ledger, under one budget.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::args::{CompareArgs, RequireArg};
use super::asking::{Consent, Watch};
use super::evidence::Evidence;
use super::exit::CliError;
use super::judging::{Judged, Judging};
use super::ledger::{self, Ended};
use super::log;
use super::output::print;
use crate::analysis::stopping::{self, Conclusion, Course, Look, Options, Rule};
use crate::domain::{GoldSet, ItemId, JudgeName, Pair, Usage};
use crate::judge::Judge;
use crate::runner::{
    self, Calls, JudgeCalls, Limits, Plan, RunError, RunOptions, RunOutcome, Source, Standing, Stop, Trial, judgments,
};
use crate::stats::Level;
use crate::store::Store;

/// The rule under these flags; `None` where everything is to be asked.
pub(super) fn rule(args: &CompareArgs) -> Result<Option<Rule>, CliError> {
    if !args.stop_when_decided {
        return Ok(None);
    }
    let rule = match (args.require, args.margin) {
        (Some(RequireArg::NoWorse), Some(margin)) => Rule::NoWorse(margin),
        (None, Some(margin)) => Rule::Equivalent(margin),
        _ => Rule::Separated,
    };
    match rule.margin().filter(|margin| !(*margin > 0.0 && *margin < 0.5)) {
        Some(margin) => {
            Err(CliError::usage(format!("--margin: found {margin}")).hint("want a number above 0 and below 0.5"))
        }
        None => Ok(Some(rule)),
    }
}

/// Leaves the prefix that decides as the evidence of the comparison.
pub(super) fn conclude(evidence: &mut Evidence, judge: &JudgeName, rule: Rule, args: &CompareArgs) -> Conclusion {
    let evidence_of =
        evidence.planned.map_or(stopping::Evidence::Recorded, |planned| stopping::Evidence::Asked { planned });
    let options = Options { rule, level: Level::P95, seed: args.statistics.seed, evidence: evidence_of };
    let conclusion = stopping::conclude(&evidence.gold, &evidence.judgments, judge, &options);
    evidence.gold = conclusion.items.clone();
    conclusion
}

/// What was asked.
pub(super) struct Asked {
    pub judged: Judged,
    /// Judgments of a run to the end.
    pub planned: u64,
}

/// Asks the judge until the rule is met; `None` after a dry run. An incomplete run is an error with its own status.
pub(super) fn ask(
    judging: &Judging<'_>,
    judge: &Judge,
    evidence: &Evidence,
    rule: Rule,
    seed: u64,
) -> Result<Option<Asked>, CliError> {
    let asking = &judging.asking;
    let judges = std::slice::from_ref(judge);
    judging.check_recording(judges)?;
    let all = Trial { items: &evidence.pairs[..], judges };
    let mut store = asking.open(judges)?;
    let plan = Plan::new(&all, &judging.plan_options(), &mut |key| store.get(key).is_some())?;
    asking.announce(&plan, "judgments");
    asking.ui.note("with --stop-when-decided these are the most: the run ends as soon as it is decided");
    if asking.consent(&all, &plan, &mut store)? == Consent::DryRun {
        print("these are the most: with --stop-when-decided the run ends as soon as it is decided\n")?;
        return Ok(None);
    }
    let course = Course::new(&evidence.gold, seed);
    let pairs = in_order(&course, &evidence.gold, &evidence.pairs);
    let entry = ledger::begin(&mut store, asking.origin, asking.clock, &all, &plan)?;
    let steps = Steps { judging, judge, gold: &evidence.gold, course: &course, pairs: &pairs, rule };
    let timestamp = || asking.clock.now();
    let judged = asking
        .options(&all, &timestamp)
        .and_then(|options| {
            let is_whole =
                |judged: &Result<Judged, _>| judged.as_ref().is_ok_and(|judged| judged.outcome.incomplete.is_none());
            let work = async |stop, watch: &mut Watch| steps.run(&mut store, options, stop, watch).await;
            asking.watched(judges, &plan, is_whole, work)
        })
        .and_then(|judged| judged);
    let (used, outcome, said) = match judged {
        Ok(Judged { plan, outcome, judgments, .. }) => (plan, Ok(outcome), judgments),
        Err(error) => (Plan { tasks: Vec::new(), ..plan.clone() }, Err(error), Vec::new()),
    };
    entry.finish(&mut store, asking.clock, Ended { plan: &used, outcome: &outcome, judgments: &said }, asking.ui);
    let mut judged = Judged { plan: used, outcome: outcome?, judgments: said, recording: None };
    log::outcome(&judged.outcome);
    judging.record(&Trial { items: &pairs[..], judges }, &mut judged, &mut store)?;
    for notice in store.close() {
        asking.ui.warn(notice.text);
    }
    asking.whole(&judged.plan, &judged.outcome)?;
    Ok(Some(Asked { judged, planned: plan.tasks.len() as u64 }))
}

/// The pairs in the order of use.
fn in_order(course: &Course, gold: &GoldSet, pairs: &[Pair]) -> Vec<Pair> {
    let by_id: HashMap<&ItemId, &Pair> = pairs.iter().map(|pair| (&pair.id, pair)).collect();
    let indices = course.units().iter().flatten();
    indices.filter_map(|index| by_id.get(&gold.items[*index].id).map(|pair| (*pair).clone())).collect()
}

struct Steps<'a> {
    judging: &'a Judging<'a>,
    judge: &'a Judge,
    gold: &'a GoldSet,
    course: &'a Course,
    /// In the order of use.
    pairs: &'a [Pair],
    rule: Rule,
}

impl Steps<'_> {
    /// Asks step after step; the plan and the outcome that come back are those of all steps together.
    async fn run(
        &self,
        store: &mut Store,
        mut options: RunOptions<'_>,
        stop: Stop,
        watch: &mut Watch,
    ) -> Result<Judged, CliError> {
        let judges = std::slice::from_ref(self.judge);
        let mut so_far: Option<Judged> = None;
        let (mut used, mut asked) = (0, 0);
        while let Some(next) = self.course.next_look(used) {
            let items = self.course.units()[used..next].iter().map(Vec::len).sum::<usize>();
            let trial = Trial { items: &self.pairs[asked..asked + items], judges };
            let plan = Plan::new(&trial, &self.judging.plan_options(), &mut |key| store.get(key).is_some())?;
            let begun = Instant::now();
            let outcome = self.step(&trial, &plan, store, &options, stop.clone(), watch).await?;
            (options.standing, options.spent) = (Standing::Proven, outcome.spent);
            let rest = rest(options.limits.get(self.judge.name()), &outcome).saturating_sub(begun.elapsed());
            let judgments = judgments(&trial, &plan, &outcome);
            let step = Judged { judgments, plan, outcome, recording: None };
            let all = match so_far.take() {
                None => step,
                Some(before) => together(before, step, asked),
            };
            (used, asked) = (next, asked + items);
            let look = Look { used, rule: self.rule, level: Level::P95 };
            let ends = all.outcome.incomplete.is_some()
                || self.course.is_decided(self.gold, &all.judgments, self.judge.name(), look);
            so_far = Some(all);
            if ends {
                break;
            }
            let mut stopped = stop.clone();
            tokio::select! {
                () = stopped.requested() => {}
                () = sleep(rest) => {}
            }
        }
        so_far.ok_or_else(|| CliError::usage("there is nothing to compare").hint("the files hold no pair"))
    }

    async fn step(
        &self,
        trial: &Trial<'_, Judge>,
        plan: &Plan,
        store: &mut Store,
        options: &RunOptions<'_>,
        stop: Stop,
        watch: &mut Watch,
    ) -> Result<RunOutcome, RunError> {
        runner::run(trial, plan, store, options, stop, &mut |event| watch.see(event)).await
    }
}

/// How long a step has to last at least: each begins with limits that know nothing of the one before, and all together
/// have to keep the rate.
fn rest(limits: Option<&Limits>, outcome: &RunOutcome) -> Duration {
    let Some(limits) = limits else { return Duration::ZERO };
    let Calls { made, retried, .. } = outcome.calls;
    let tokens = |judge: &JudgeCalls| judge.usage.input_tokens.unwrap_or(0) + judge.usage.output_tokens.unwrap_or(0);
    let tokens: u64 = outcome.by_judge.iter().map(tokens).sum();
    let minutes = |used: u64, rate: Option<f64>| rate.map_or(0.0, |rate| used as f64 / rate);
    let minutes = minutes(made + retried, limits.requests_per_minute).max(minutes(tokens, limits.tokens_per_minute));
    Duration::try_from_secs_f64(minutes * 60.0).unwrap_or(Duration::MAX)
}

/// Two steps as one; `items` stand before those of the second.
fn together(mut all: Judged, step: Judged, items: usize) -> Judged {
    let tasks = all.plan.tasks.len();
    all.plan.tasks.extend(step.plan.tasks.into_iter().map(|mut task| {
        task.item += items;
        if let Source::Shared(first) = &mut task.source {
            *first += tasks;
        }
        task
    }));
    for (sum, more) in all.plan.judges.iter_mut().zip(step.plan.judges) {
        sum.planned += more.planned;
        sum.local += more.local;
        sum.cached += more.cached;
        sum.shared += more.shared;
        sum.to_ask += more.to_ask;
        sum.not_applicable += more.not_applicable;
    }
    all.plan.identical.extend(step.plan.identical);
    all.outcome.answers.extend(step.outcome.answers);
    all.outcome.calls = plus(all.outcome.calls, step.outcome.calls);
    for (sum, more) in all.outcome.by_judge.iter_mut().zip(step.outcome.by_judge) {
        add(sum, &more);
    }
    (all.outcome.incomplete, all.outcome.spent) = (step.outcome.incomplete, step.outcome.spent);
    all.outcome.notices.extend(step.outcome.notices);
    all.judgments.extend(step.judgments);
    all
}

fn plus(one: Calls, other: Calls) -> Calls {
    Calls {
        made: one.made + other.made,
        cached: one.cached + other.cached,
        retried: one.retried + other.retried,
        failed: one.failed + other.failed,
    }
}

fn add(sum: &mut JudgeCalls, more: &JudgeCalls) {
    let tokens = |one: Option<u64>, other: Option<u64>| one.zip(other).map(|(x, y)| x.saturating_add(y));
    sum.calls = plus(sum.calls, more.calls);
    sum.answered += more.answered;
    sum.usage = Usage {
        input_tokens: tokens(sum.usage.input_tokens, more.usage.input_tokens),
        output_tokens: tokens(sum.usage.output_tokens, more.usage.output_tokens),
    };
    sum.cost_usd = sum.cost_usd.zip(more.cost_usd).map(|(x, y)| x + y);
}
