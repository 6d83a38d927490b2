//! Fakes and helpers; the facts are in the files below.
#![allow(clippy::unwrap_used)]

mod asking;
mod limits;
mod planning;
mod trouble;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::*;
use crate::domain::{
    Completion, Digest, Fingerprint, JudgeName, JudgeRequest, Judgment, NoVerdict, Order, Pair, ReadVerdict, Reading,
    RequestKey, Said, Usage, Verdict,
};
use crate::judge::{Asking, CallClass, CallError, JudgeKind};
use crate::store::Access;

const SECOND: Duration = Duration::from_secs(1);

type Script = Arc<dyn Fn(&JudgeRequest, u32) -> Result<Completion, CallClass> + Send + Sync>;
type Log = Arc<Mutex<Vec<(RequestKey, Instant)>>>;

/// A judge whose endpoint follows a script: what it says to a request at its n-th try (from 0). It takes a different
/// time over each request.
struct Fake {
    name: JudgeName,
    kind: JudgeKind,
    fingerprint: Fingerprint,
    script: Script,
    status: Option<u16>,
    terms: Terms,
    log: Log,
}

impl Fake {
    fn new(script: impl Fn(&JudgeRequest, u32) -> Result<Completion, CallClass> + Send + Sync + 'static) -> Self {
        Self {
            name: "fake".into(),
            kind: JudgeKind::Endpoint,
            fingerprint: Fingerprint("f".to_owned()),
            script: Arc::new(script),
            status: Some(500),
            terms: Terms::default(),
            log: Log::default(),
        }
    }

    fn with_status(self, status: Option<u16>) -> Self {
        Self { status, ..self }
    }

    fn of_kind(self, kind: JudgeKind, name: &str) -> Self {
        Self { kind, name: name.into(), ..self }
    }

    /// Which keys were asked how often.
    fn asked(&self) -> BTreeMap<RequestKey, usize> {
        let mut counts = BTreeMap::new();
        for (key, _) in &*self.log.lock().unwrap() {
            *counts.entry(*key).or_default() += 1;
        }
        counts
    }

    fn moments(&self) -> Vec<Instant> {
        self.log.lock().unwrap().iter().map(|(_, at)| *at).collect()
    }

    fn calls(&self) -> usize {
        self.log.lock().unwrap().len()
    }
}

impl Respondent for Fake {
    type Item = Pair;

    fn name(&self) -> &JudgeName {
        &self.name
    }

    fn kind(&self) -> JudgeKind {
        self.kind
    }

    fn is_call(&self, request: &JudgeRequest) -> bool {
        self.kind == JudgeKind::Endpoint && request.item.as_str() != "settled here"
    }

    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn applies(&self, pair: &Pair) -> bool {
        pair.category.as_deref() != Some("not for judges")
    }

    fn request(&self, pair: &Pair, order: Order, repeat: u32) -> Result<JudgeRequest, RequestError> {
        if pair.prompt.to_text() == "unfillable" {
            return Err("no such slot".into());
        }
        let (first, second) = pair.shown(order);
        let text = format!("{}|{first}|{second}|{repeat}|{}", pair.prompt.to_text(), self.name);
        Ok(JudgeRequest {
            item: pair.id.clone(),
            order,
            repeat,
            key: RequestKey(Digest::of(text.as_bytes())),
            messages: Vec::new(),
            body: serde_json::json!(text).into(),
        })
    }

    fn ask<'a>(&'a self, request: &'a JudgeRequest) -> Asking<'a> {
        let sending = self.send(request.clone());
        Box::pin(async move { sending.await.1 })
    }

    fn send(&self, request: JudgeRequest) -> Sending {
        let (log, script, status) = (Arc::clone(&self.log), Arc::clone(&self.script), self.status);
        Box::pin(async move {
            let tries = {
                let mut log = log.lock().unwrap();
                log.push((request.key, Instant::now()));
                log.iter().filter(|(key, _)| *key == request.key).count() - 1
            };
            sleep(Duration::from_millis(u64::from(request.key.0.bytes()[0]) + 1)).await;
            let outcome = script(&request, u32::try_from(tries).unwrap()).map_err(|class| CallError {
                class,
                status,
                message: "the server's own words".to_owned(),
            });
            (request, outcome)
        })
    }

    fn cost_usd(&self, usage: &Usage) -> Option<f64> {
        usage.output_tokens.map(|tokens| tokens as f64 / 4.0)
    }

    fn terms(&self) -> Terms {
        self.terms
    }
}

impl Reader for Fake {
    fn read(&self, _: &JudgeRequest, completion: &Completion) -> ReadVerdict {
        let reading = match completion.text.as_str() {
            "first" => Reading::Said(Verdict::First),
            "second" => Reading::Said(Verdict::Second),
            "tie" => Reading::Said(Verdict::Tie),
            _ => Reading::None(NoVerdict::Unparsed),
        };
        ReadVerdict { reading, grade: None, probability: None, why: "read".to_owned() }
    }
}

/// An answer that depends on the request alone.
fn answer(request: &JudgeRequest) -> Completion {
    let text = ["first", "second", "tie", "well …"][usize::from(request.key.0.bytes()[1]) % 4];
    let usage = Usage { input_tokens: Some(10), output_tokens: Some(2) };
    Completion { usage, ..Completion::of_text(text) }
}

fn pairs(n: usize) -> Vec<Pair> {
    (0..n).map(|n| Pair::new(format!("i{n:02}"), &format!("question {n}"), "one", "two")).collect()
}

fn now() -> String {
    "2026-01-02T03:04:05Z".to_owned()
}

fn options() -> RunOptions<'static> {
    RunOptions::new(&now)
}

/// What a run brought, its verdicts read.
#[derive(Debug, PartialEq)]
struct Judged {
    judgments: Vec<Judgment>,
    calls: Calls,
    by_judge: Vec<JudgeCalls>,
    incomplete: Option<Incomplete>,
    notices: Vec<crate::domain::Notice>,
}

impl Judged {
    fn read(trial: &Trial<'_, Fake>, plan: &Plan, outcome: RunOutcome) -> Self {
        let judgments = judgments(trial, plan, &outcome);
        let RunOutcome { calls, by_judge, incomplete, notices, .. } = outcome;
        Self { judgments, calls, by_judge, incomplete, notices }
    }
}

/// Plans and runs; also gives the events.
async fn judge<'t>(
    judges: &'t [Fake],
    pairs: &'t [Pair],
    store: &mut Store,
    options: &RunOptions<'_>,
) -> (Result<Judged, RunError>, Vec<RunEvent<'t>>) {
    let trial = Trial { items: pairs, judges };
    let plan = Plan::new(&trial, &PlanOptions::default(), &mut |key| store.get(key).is_some()).unwrap();
    let mut events = Vec::new();
    let outcome = run(&trial, &plan, store, options, Stop::never(), &mut |event| events.push(event)).await;
    (outcome.map(|outcome| Judged::read(&trial, &plan, outcome)), events)
}

async fn judge_in_memory(judges: &[Fake], pairs: &[Pair], options: &RunOptions<'_>) -> Judged {
    judge(judges, pairs, &mut Store::memory(), options).await.0.unwrap()
}

fn readings(judgments: &[Judgment]) -> Vec<Reading> {
    judgments
        .iter()
        .map(|judgment| match judgment.said {
            Said::InOrder(_, reading) => reading,
            Said::Folded(_) => panic!("nothing is folded here"),
        })
        .collect()
}

fn why(judgment: &Judgment) -> &str {
    judgment.detail.as_ref().unwrap().why.as_deref().unwrap_or_default()
}
