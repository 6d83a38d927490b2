//! From a completion, a failed call or nothing at all to a judgment. Pure, and apart from the asking: whoever asks for
//! something else than verdicts has no use for it.

use serde_json::Value;

use super::outcome::{Answer, RunOutcome};
use super::plan::{Plan, Task, Trial};
use super::respondent::{Reader, Subject};
use crate::domain::{Body, Completion, JudgeRequest, Judgment, JudgmentDetail, NoVerdict, Reading, Said};

/// What was judged: one judgment for each task, in the plan's order. `outcome` is that of running `plan` over `trial`.
pub fn judgments<J: Reader>(trial: &Trial<'_, J>, plan: &Plan, outcome: &RunOutcome) -> Vec<Judgment> {
    let answers = plan.tasks.iter().zip(&outcome.answers);
    answers
        .map(|(task, answer)| match answer {
            Answer::Answered(completion) => answered(trial, task, completion),
            Answer::Absent { kind, why } => absent(trial, task, *kind, why),
        })
        .collect()
}

/// What the judge said, with all that is known about the call.
fn answered<J: Reader>(trial: &Trial<'_, J>, task: &Task, completion: &Completion) -> Judgment {
    let judge = &trial.judges[task.judge];
    let place = JudgeRequest {
        item: trial.items[task.item].id().clone(),
        order: task.order,
        repeat: task.repeat,
        key: task.key,
        messages: Vec::new(),
        body: Body::null(),
    };
    let read = judge.read(&place, completion);
    let why = read.reading.verdict().is_none().then_some(read.why);
    let detail = JudgmentDetail {
        raw: Some(completion.text.clone()),
        reasoning: completion.reasoning.clone(),
        why,
        grade: read.grade,
        probability: read.probability,
        fingerprint: Some(judge.fingerprint().clone()),
        served_model: completion.served_model.clone(),
        usage: completion.usage,
        latency_ms: completion.latency_ms,
        cost_usd: judge.cost_usd(&completion.usage),
        dropped_parameters: dropped(completion),
    };
    Judgment {
        item: place.item,
        judge: judge.name().clone(),
        repeat: task.repeat,
        said: Said::InOrder(task.order, read.reading),
        detail: Some(Box::new(detail)),
    }
}

/// What the endpoint says it had to leave out.
fn dropped(completion: &Completion) -> Vec<String> {
    let names = completion.extra.get("dropped_parameters").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// No verdict, for a reason of the runner's own.
fn absent<J: Reader>(trial: &Trial<'_, J>, task: &Task, kind: NoVerdict, why: &str) -> Judgment {
    let judge = &trial.judges[task.judge];
    let fingerprint = Some(judge.fingerprint().clone());
    let detail = JudgmentDetail { why: Some(why.to_owned()), fingerprint, ..JudgmentDetail::default() };
    Judgment {
        item: trial.items[task.item].id().clone(),
        judge: judge.name().clone(),
        repeat: task.repeat,
        said: Said::InOrder(task.order, Reading::None(kind)),
        detail: Some(Box::new(detail)),
    }
}
