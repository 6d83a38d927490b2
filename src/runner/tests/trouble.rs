//! Endpoints that fail: which calls are repeated, what counts as failed, what ends a run.

use super::*;

#[tokio::test(start_paused = true)]
async fn what_fails_for_a_moment_is_tried_again_with_growing_waits() {
    let judges = [Fake::new(|r, tries| if tries < 3 { Err(CallClass::Retry(None)) } else { Ok(answer(r)) })];
    let mut store = Store::memory();
    let pairs = pairs(1);
    let (outcome, events) = judge(&judges, &pairs[..1], &mut store, &RunOptions { concurrency: 1, ..options() }).await;
    let outcome = outcome.unwrap();
    assert_eq!((outcome.calls.made, outcome.calls.retried, outcome.calls.failed), (2, 6, 0));
    assert!(store.records().all(|record| record.completion.retries == 3));
    let waits: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            RunEvent::Retrying { failures, wait, .. } => Some((*failures, *wait)),
            _ => None,
        })
        .collect();
    assert_eq!(waits.len(), 6);
    for (failures, wait) in waits {
        let whole = Duration::from_millis(500) * 2_u32.pow(failures - 1);
        assert!(wait >= whole / 2 && wait <= whole, "{failures}: {wait:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_429_holds_back_all_new_calls_of_that_judge_for_as_long_as_it_asks() {
    let limited = |r: &JudgeRequest, tries: u32| match (r.item.as_str(), r.order, tries) {
        ("i03", Order::Ab, 0) => Err(CallClass::RateLimited(Some(SECOND * 20))),
        _ => Ok(answer(r)),
    };
    let judges = [Fake::new(limited), Fake::new(|r, _| Ok(answer(r))).of_kind(JudgeKind::Endpoint, "other")];
    let start = Instant::now();
    let outcome = judge_in_memory(&judges, &pairs(10), &RunOptions { concurrency: 2, ..options() }).await;
    assert_eq!((outcome.incomplete, outcome.calls.retried, outcome.calls.failed), (None, 1, 0));
    let moments: Vec<_> = judges[0].moments().iter().map(|at| at.duration_since(start)).collect();
    let late = moments.iter().filter(|at| **at >= SECOND * 20).count();
    assert!(late >= 12, "calls went on during the pause: {moments:?}");
    assert!(moments.iter().all(|at| *at < SECOND * 3 || *at >= SECOND * 20), "{moments:?}");
    assert!(judges[1].moments().iter().all(|at| at.duration_since(start) < SECOND * 10), "the other judge waited too");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_for_hours_ends_the_run_with_the_time_to_come_back() {
    let judges = [Fake::new(|r, _| match r.item.as_str() {
        "i04" => Err(CallClass::RateLimited(Some(SECOND * 7200))),
        _ => Ok(answer(r)),
    })];
    let start = Instant::now();
    let outcome = judge_in_memory(&judges, &pairs(50), &RunOptions { concurrency: 1, ..options() }).await;
    assert!(start.elapsed() < SECOND * 10, "the hours were sat out");
    let told = outcome.incomplete.as_ref().unwrap().to_string();
    assert!(matches!(outcome.incomplete, Some(Incomplete::ComeBack { .. })) && told.contains("7200 s"), "{told}");
    assert_eq!(outcome.calls.made, 9);
    assert_eq!(readings(&outcome.judgments)[8], Reading::None(NoVerdict::Missing));
    assert!(why(&outcome.judgments[8]).contains("7200 s"));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_keeps_failing_is_a_failed_judgment_and_never_a_tie() {
    for class in [CallClass::Retry(None), CallClass::RateLimited(None), CallClass::Item, CallClass::Setup] {
        let tries = if matches!(class, CallClass::Item | CallClass::Setup) { 1 } else { 7 };
        let judges = [Fake::new(move |r, _| match (r.item.as_str(), r.order) {
            ("i02", Order::Ba) => Err(class.clone()),
            _ => Ok(answer(r)),
        })];
        let mut store = Store::memory();
        let pairs = pairs(5);
        let (outcome, events) = judge(&judges, &pairs, &mut store, &options()).await;
        let outcome = outcome.unwrap();
        assert_eq!(outcome.incomplete, None);
        assert_eq!(readings(&outcome.judgments)[5], Reading::None(NoVerdict::Failed));
        assert_eq!(why(&outcome.judgments[5]), "the server's own words");
        let failed = readings(&outcome.judgments).iter().filter(|r| **r == Reading::None(NoVerdict::Failed)).count();
        assert_eq!((failed, outcome.calls.failed, outcome.calls.made), (1, 1, 10));
        assert_eq!(judges[0].calls(), 9 + tries);
        assert_eq!(store.stats().records, 9, "a failure must not be stored");
        assert_eq!(events.iter().filter(|event| matches!(event, RunEvent::Failed { .. })).count(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_wrong_key_costs_one_call_and_the_error_names_the_setting() {
    for (status, setting) in [(Some(401), "api_key_env"), (Some(404), "model"), (None, "base_url")] {
        let judges = [Fake::new(|_, _| Err(CallClass::Setup)).with_status(status)];
        let (outcome, _) = judge(&judges, &pairs(30), &mut Store::memory(), &options()).await;
        let error = outcome.unwrap_err();
        assert!(matches!(error, RunError::Setup(_)));
        assert!(error.to_string().contains(setting) && error.to_string().contains("own words"), "{error}");
        assert_eq!(judges[0].calls(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_withdrawn_during_the_run_stops_it_and_keeps_what_was_answered() {
    let judges = [Fake::new(|r, _| if r.item.as_str() < "i10" { Ok(answer(r)) } else { Err(CallClass::Setup) })];
    let mut store = Store::memory();
    let (outcome, _) = judge(&judges, &pairs(500), &mut store, &RunOptions { concurrency: 4, ..options() }).await;
    let outcome = outcome.unwrap();
    assert!(matches!(outcome.incomplete, Some(Incomplete::Refused { .. })), "{:?}", outcome.incomplete);
    assert_eq!(store.stats().records, 20);
    assert!(judges[0].calls() < 30, "{} calls to an endpoint that refuses", judges[0].calls());
}

#[tokio::test(start_paused = true)]
async fn an_item_that_a_gateway_forbids_does_not_block_a_resumed_run() {
    let forbidden = |r: &JudgeRequest, _| if r.item.as_str() == "i00" { Err(CallClass::Setup) } else { Ok(answer(r)) };
    let mut store = Store::memory();
    let warm = [Fake::new(|r, _| Ok(answer(r)))];
    judge(&warm, &pairs(6)[3..], &mut store, &options()).await.0.unwrap();
    let (outcome, _) = judge(&[Fake::new(forbidden)], &pairs(6), &mut store, &options()).await;
    let outcome = outcome.unwrap();
    assert_eq!((outcome.incomplete, outcome.calls.failed, outcome.calls.cached), (None, 2, 6));
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_goes_away_ends_the_run_resumably() {
    let judges = [Fake::new(|r, _| if r.item.as_str() < "i05" { Ok(answer(r)) } else { Err(CallClass::Retry(None)) })
        .with_status(None)];
    let mut store = Store::memory();
    let (outcome, _) = judge(&judges, &pairs(200), &mut store, &options()).await;
    let outcome = outcome.unwrap();
    assert!(matches!(outcome.incomplete, Some(Incomplete::EndpointGone { calls: 5, .. })), "{:?}", outcome.incomplete);
    // Ten were answered, eight were open when it went away, and each of the first four that were given up let one more in.
    assert_eq!((outcome.calls.made, store.stats().records), (22, 10));
    let back = [Fake::new(|r, _| Ok(answer(r)))];
    let (outcome, _) = judge(&back, &pairs(200), &mut store, &options()).await;
    let outcome = outcome.unwrap();
    assert_eq!((outcome.incomplete, outcome.calls.made, outcome.calls.cached), (None, 390, 10));
}

#[tokio::test(start_paused = true)]
async fn an_address_without_a_server_is_known_within_seconds() {
    let judges = [Fake::new(|_, _| Err(CallClass::Retry(None))).with_status(None)];
    let start = Instant::now();
    let (outcome, _) = judge(&judges, &pairs(200), &mut Store::memory(), &options()).await;
    assert!(matches!(outcome, Err(RunError::Setup(_))), "{outcome:?}");
    assert!(start.elapsed() < SECOND * 4 && judges[0].calls() == 3, "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn answers_that_cannot_be_saved_do_not_count_and_stop_the_run() {
    let dir = tempfile::tempdir().unwrap();
    Store::open(dir.path(), Access::Write).unwrap();
    let (mut store, _) = Store::open(dir.path(), Access::Read).unwrap();
    let judges = [Fake::new(|r, _| Ok(answer(r)))];
    let (outcome, _) = judge(&judges, &pairs(100), &mut store, &RunOptions { batch_records: 1, ..options() }).await;
    let outcome = outcome.unwrap();
    assert_eq!(readings(&outcome.judgments), [Reading::None(NoVerdict::Missing); 200]);
    let calls = judges[0].calls() as u64;
    assert!(
        matches!(outcome.incomplete, Some(Incomplete::Store { unsaved, .. }) if unsaved == calls),
        "{:?}",
        outcome.incomplete
    );
    assert!(calls < 10, "{calls} calls were paid for nothing");
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_another_model_ends_the_run_and_is_neither_kept_nor_served() {
    let by = |model: &'static str| {
        move |r: &JudgeRequest, _| {
            let served = if r.item.as_str() < "i04" { "m-1" } else { model };
            Ok(Completion { served_model: Some(served.to_owned()), ..answer(r) })
        }
    };
    let options = RunOptions { served_models: [("fake".into(), "m-1".to_owned())].into(), ..options() };
    let mut store = Store::memory();
    let (outcome, _) = judge(&[Fake::new(by("m-2"))], &pairs(100), &mut store, &options).await;
    let incomplete = outcome.unwrap().incomplete.unwrap();
    assert!(matches!(incomplete, Incomplete::OtherModel { .. }), "{incomplete}");
    assert!(incomplete.to_string().contains("`m-2`") && incomplete.to_string().contains("`m-1`"), "{incomplete}");
    assert_eq!(store.stats().records, 8);
    // What another model answered once, while nobody minded, is asked again of the right one.
    let (mut store, any) = (Store::memory(), RunOptions { served_models: BTreeMap::new(), ..options.clone() });
    judge(&[Fake::new(by("m-2"))], &pairs(6), &mut store, &any).await.0.unwrap();
    let judges = [Fake::new(by("m-1"))];
    let (outcome, _) = judge(&judges, &pairs(6), &mut store, &options).await;
    let outcome = outcome.unwrap();
    assert_eq!((outcome.incomplete, outcome.calls.cached, judges[0].calls()), (None, 8, 4));
}
