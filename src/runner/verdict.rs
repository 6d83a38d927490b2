//! From a completion, a failed call or nothing at all to a judgment.

use super::plan::{Task, Trial};
use super::respondent::Respondent;
use crate::domain::{Completion, JudgeRequest, Judgment, JudgmentDetail, NoVerdict, Reading, Said};

/// What the judge said, with all that is known about the call.
pub(super) fn answered<J: Respondent>(judge: &J, request: &JudgeRequest, completion: &Completion) -> Judgment {
    let read = judge.read(request, completion);
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
        item: request.item.clone(),
        judge: judge.name().clone(),
        repeat: request.repeat,
        said: Said::InOrder(request.order, read.reading),
        detail: Some(Box::new(detail)),
    }
}

/// What the endpoint says it had to leave out.
fn dropped(completion: &Completion) -> Vec<String> {
    let names = completion.extra.get("dropped_parameters").and_then(serde_json::Value::as_array);
    names.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// No verdict, for a reason of the runner's own.
pub(super) fn absent<J: Respondent>(trial: &Trial<'_, J>, task: &Task, kind: NoVerdict, why: String) -> Judgment {
    let judge = &trial.judges[task.judge];
    let fingerprint = Some(judge.fingerprint().clone());
    Judgment {
        item: trial.pairs[task.pair].id.clone(),
        judge: judge.name().clone(),
        repeat: task.repeat,
        said: Said::InOrder(task.order, Reading::None(kind)),
        detail: Some(Box::new(JudgmentDetail { why: Some(why), fingerprint, ..JudgmentDetail::default() })),
    }
}
