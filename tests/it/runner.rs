//! Whole runs against a scripted server on this machine.

use std::time::Duration;

use serde_json::json;
use tribunal::domain::{Judgment, NoVerdict, Pair, Reading, Said, Verdict};
use tribunal::judge::{HttpClient, Judge, JudgeSpec, Provider};
use tribunal::runner::{Plan, PlanOptions, RunError, RunOptions, RunOutcome, Stop, Trial, judgments, run};
use tribunal::store::Store;

use crate::scripted::{Ending, Scripted, Step};

#[derive(Debug)]
struct Judged {
    judgments: Vec<Judgment>,
    run: RunOutcome,
}

async fn judged(server: &Scripted, store: &mut Store, items: usize) -> Result<Judged, RunError> {
    let prompt = tribunal::prompt::embedded("pairwise.en").unwrap();
    let mut spec = JudgeSpec::new("mini", Provider::Compatible, "judge-9", prompt);
    spec.base_url = Some(format!("{}/v1", server.root));
    let judges = [Judge::endpoint(spec, &HttpClient::new().unwrap()).unwrap()];
    let pairs: Vec<_> = (0..items).map(|n| Pair::new(format!("q{n}"), &format!("{n}+2?"), "4", "5")).collect();
    let trial = Trial { items: &pairs, judges: &judges };
    let plan = Plan::new(&trial, &PlanOptions::default(), &mut |key| store.get(key).is_some()).unwrap();
    let timestamp = || "2026-01-02T03:04:05Z".to_owned();
    let mut options = RunOptions::new(&timestamp);
    options.retry.first_delay = Duration::from_millis(20);
    let run = run(&trial, &plan, store, &options, Stop::never(), &mut |_| {}).await?;
    Ok(Judged { judgments: judgments(&trial, &plan, &run), run })
}

fn readings(outcome: &Judged) -> Vec<Reading> {
    let reading = |said| match said {
        Said::InOrder(_, reading) => reading,
        Said::Folded(_) => panic!("nothing is folded here"),
    };
    outcome.judgments.iter().map(|judgment| reading(judgment.said)).collect()
}

fn error(status: u16, message: &str) -> Step {
    Step::json(status, &json!({"error": {"message": message}}))
}

#[tokio::test]
async fn passing_troubles_of_a_server_are_sat_out() {
    let cut = Step { ending: Ending::Cut(30), ..Step::good("[[A]]") };
    let steps = vec![
        error(429, "slow down").with("retry-after", "1"),
        error(503, "restarting"),
        Step::raw(502, "text/html", "<html>bad gateway</html>"),
        cut,
        Step::good("Reasons.\n[[A]]"),
    ];
    let server = Scripted::start(steps).await;
    let mut store = Store::memory();
    let start = tokio::time::Instant::now();
    let outcome = judged(&server, &mut store, 3).await.unwrap();
    assert!(start.elapsed() >= Duration::from_millis(980), "the server was not given its second");
    assert_eq!(readings(&outcome), [Reading::Said(Verdict::First); 6]);
    assert_eq!((outcome.run.calls.made, outcome.run.calls.retried, outcome.run.calls.failed), (6, 4, 0));
    assert_eq!(server.seen().len(), 10);
    let again = judged(&server, &mut store, 3).await.unwrap();
    assert_eq!((again.judgments, server.seen().len()), (outcome.judgments, 10));
}

#[tokio::test]
async fn a_limit_that_never_lifts_ends_the_run_in_bounded_time() {
    let server = Scripted::start(vec![error(429, "slow down")]).await;
    let outcome = judged(&server, &mut Store::memory(), 1).await.unwrap();
    let told = outcome.run.incomplete.as_ref().unwrap().to_string();
    assert!(told.contains("keeps limiting the rate") && told.contains("slow down"), "{told}");
    assert_eq!(readings(&outcome), [Reading::None(NoVerdict::Missing); 2]);
    assert!(server.seen().len() <= 12, "{} calls", server.seen().len());
}

#[tokio::test]
async fn a_wrong_key_costs_one_call() {
    let server = Scripted::start(vec![error(401, "Incorrect API key provided")]).await;
    let refused = judged(&server, &mut Store::memory(), 20).await.unwrap_err().to_string();
    assert!(refused.contains("api_key_env") && refused.contains("Incorrect API key"), "{refused}");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_used_up_quota_stops_the_run_and_keeps_what_was_answered() {
    let quota =
        Step::json(429, &json!({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}));
    let good = Step::good("[[B]]");
    let server = Scripted::start(vec![good.clone(), good.clone(), good, quota]).await;
    let mut store = Store::memory();
    let outcome = judged(&server, &mut store, 300).await.unwrap();
    let told = outcome.run.incomplete.as_ref().unwrap().to_string();
    assert!(told.contains("quota") && told.contains("run again"), "{told}");
    assert_eq!(store.stats().records, 3);
    assert!(server.seen().len() < 20, "{} calls", server.seen().len());
}
