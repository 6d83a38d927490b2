//! Windows, pauses, rates and budgets in whole runs.

use super::*;
use crate::judge::Price;

/// The most calls that were open at once, given that each takes as long as the fake says.
fn most_open(judge: &Fake) -> usize {
    let log = judge.log.lock().unwrap();
    let spans: Vec<_> = log.iter().map(|(key, at)| (*at, *at + time_of(key))).collect();
    spans.iter().map(|(start, _)| spans.iter().filter(|(s, e)| s <= start && start < e).count()).max().unwrap()
}

fn time_of(key: &RequestKey) -> Duration {
    Duration::from_millis(u64::from(key.0.bytes()[0]) + 1)
}

/// At most so many events in any minute that begins with one.
fn most_in_a_minute(moments: &[Instant]) -> usize {
    let within = |start: &Instant| moments.iter().filter(|at| *at >= start && **at < *start + SECOND * 60).count();
    moments.iter().map(within).max().unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_window_grows_with_answers_from_one_to_the_most() {
    let judges = [Fake::new(|r, _| Ok(answer(r)))];
    judge_in_memory(&judges, &pairs(200), &RunOptions { concurrency: 50, ..options() }).await;
    let moments = judges[0].moments();
    let first = moments[0];
    let early = moments.iter().filter(|at| **at == first).count();
    assert_eq!(early, 1, "the probe goes alone");
    let opened = moments.iter().filter(|at| **at == moments[1]).count();
    assert_eq!(opened, 9, "eight, and one for the answer to the probe");
    assert_eq!(most_open(&judges[0]), 50);
}

#[tokio::test(start_paused = true)]
async fn a_burst_of_429s_halves_the_window_once_and_loses_nothing() {
    let limit = Mutex::new(0);
    let script = move |r: &JudgeRequest, _| {
        let mut seen = limit.lock().unwrap();
        *seen += 1;
        if (100..110).contains(&*seen) { Err(CallClass::RateLimited(Some(SECOND * 5))) } else { Ok(answer(r)) }
    };
    let judges = [Fake::new(script)];
    let options = RunOptions { concurrency: 32, ..options() };
    let pairs = pairs(200);
    let (outcome, events) = judge(&judges, &pairs, &mut Store::memory(), &options).await;
    let outcome = outcome.unwrap();
    assert_eq!((outcome.incomplete, outcome.calls.made, outcome.calls.failed), (None, 400, 0));
    let pauses = events.iter().filter(|event| matches!(event, RunEvent::Paused { .. })).count();
    assert_eq!((outcome.calls.retried, pauses), (10, 1));
    let moments = judges[0].moments();
    let resumed = moments.windows(2).find(|pair| pair[1] - pair[0] > SECOND * 4).unwrap()[1];
    // Half of 32, and what the answers that were still to come have added.
    let reopened = moments.iter().filter(|at| **at == resumed).count();
    assert!((16..=18).contains(&reopened), "{reopened}");
}

#[tokio::test(start_paused = true)]
async fn what_was_rejected_is_asked_first_when_the_pause_is_over() {
    let script = |r: &JudgeRequest, tries| match (r.item.as_str(), r.order, tries) {
        ("i05", Order::Ab, 0) => Err(CallClass::RateLimited(Some(SECOND * 5))),
        _ => Ok(answer(r)),
    };
    let judges = [Fake::new(script)];
    judge_in_memory(&judges, &pairs(40), &RunOptions { concurrency: 4, ..options() }).await;
    let log = judges[0].log.lock().unwrap().clone();
    let resumed = log.windows(2).position(|pair| pair[1].1 - pair[0].1 > SECOND * 4).unwrap() + 1;
    let (rejected, _) = log.iter().find(|(key, _)| log.iter().filter(|(other, _)| other == key).count() == 2).unwrap();
    assert_eq!(log[resumed].0, *rejected);
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_never_lifts_ends_the_run_resumably_after_so_many_pauses() {
    for warm in [0, 20] {
        let judges = [Fake::new(move |r, _| match r.item.as_str() {
            item if item < format!("i{warm:02}").as_str() => Ok(answer(r)),
            _ => Err(CallClass::RateLimited(None)),
        })
        .with_status(Some(429))];
        let mut store = Store::memory();
        let (outcome, _) = judge(&judges, &pairs(100), &mut store, &options()).await;
        let outcome = outcome.unwrap();
        let told = outcome.incomplete.as_ref().unwrap().to_string();
        assert!(matches!(outcome.incomplete, Some(Incomplete::RateLimited { pauses: 7, .. })), "{told}");
        assert!(told.contains("keeps limiting the rate"), "{told}");
        assert_eq!((store.stats().records, outcome.calls.failed), (2 * warm, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn one_request_that_is_too_large_for_the_limit_fails_alone() {
    let judges = [Fake::new(|r, _| match (r.item.as_str(), r.order) {
        ("i00", Order::Ab) => Err(CallClass::RateLimited(None)),
        _ => Ok(answer(r)),
    })
    .with_status(Some(429))];
    let outcome = judge_in_memory(&judges, &pairs(50), &options()).await;
    assert_eq!((outcome.incomplete, outcome.calls.failed, outcome.calls.made), (None, 1, 100));
    assert_eq!(judges[0].calls(), 99 + 7);
}

#[tokio::test(start_paused = true)]
async fn no_minute_sees_more_requests_than_allowed_at_any_concurrency() {
    for concurrency in [1, 8, 300] {
        let judges = [Fake::new(|r, _| Ok(answer(r)))];
        let limits = Limits { requests_per_minute: Some(90.0), ..Limits::default() };
        let options = RunOptions { concurrency, limits: [("fake".into(), limits)].into(), ..options() };
        let start = Instant::now();
        judge_in_memory(&judges, &pairs(150), &options).await;
        assert!(most_in_a_minute(&judges[0].moments()) <= 90);
        let minutes = start.elapsed().as_secs_f64() / 60.0;
        assert!(minutes < 3.6, "{minutes} minutes for 300 calls at 90 a minute");
    }
}

#[tokio::test(start_paused = true)]
async fn no_minute_sees_more_tokens_than_allowed_though_estimates_are_wrong() {
    let script = |r: &JudgeRequest, _| {
        let usage = Usage { input_tokens: Some(150), output_tokens: Some(50) };
        Ok(Completion { usage, ..answer(r) })
    };
    let judges = [Fake { terms: Terms { max_tokens: Some(400), ..Terms::default() }, ..Fake::new(script) }];
    let limits = Limits { tokens_per_minute: Some(12_000.0), ..Limits::default() };
    let options = RunOptions { concurrency: 100, limits: [("fake".into(), limits)].into(), ..options() };
    let start = Instant::now();
    judge_in_memory(&judges, &pairs(90), &options).await;
    // 60 calls of 200 tokens a minute, and one more since an estimate is put right only afterwards.
    let most = most_in_a_minute(&judges[0].moments());
    assert!((55..=61).contains(&most), "{most}");
    assert!(start.elapsed() < SECOND * 200, "{:?}", start.elapsed());
}

/// A judge whose calls cost what they say, at the price of a dollar a token.
fn dear(output: u64) -> Fake {
    let script = move |r: &JudgeRequest, _: u32| {
        let output = output - u64::from(r.key.0.bytes()[2]) % 3;
        let usage = Usage { input_tokens: Some(0), output_tokens: Some(output) };
        Ok(Completion { usage, ..answer(r) })
    };
    let price = Some(Price { input: 0.0, output: 250_000.0 });
    Fake { terms: Terms { max_tokens: Some(10), price, is_local: true }, ..Fake::new(script) }
}

#[tokio::test(start_paused = true)]
async fn a_budget_of_money_is_never_passed_at_any_concurrency_and_nearly_used_up() {
    for concurrency in [1, 7, 64] {
        for most in [3.0, 20.0, 77.7] {
            let judges = [dear(8)];
            let budget = Budget { max_usd: Some(most), max_calls: None };
            let options = RunOptions { concurrency, budget, ..options() };
            let mut store = Store::memory();
            let (outcome, _) = judge(&judges, &pairs(100), &mut store, &options).await;
            let outcome = outcome.unwrap();
            let spent = outcome.by_judge[0].cost_usd.unwrap();
            assert!(spent <= most && spent > most - 2.5, "{spent} of {most} at {concurrency}");
            assert_eq!(store.stats().records, judges[0].calls() as u64, "what was paid for is kept");
            let told = outcome.incomplete.unwrap().to_string();
            assert!(told.contains("`max_usd`") && told.contains(&format!("{spent:.6} US dollars")), "{told}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_usage_counts_as_its_worst_case() {
    let judges = [Fake { script: Arc::new(|_, _| Ok(Completion::of_text("first"))), ..dear(8) }];
    let budget = Budget { max_usd: Some(25.0), max_calls: None };
    let (outcome, _) = judge(&judges, &pairs(100), &mut Store::memory(), &RunOptions { budget, ..options() }).await;
    assert_eq!(judges[0].calls(), 10);
    let told = outcome.unwrap().incomplete.unwrap().to_string();
    assert!(told.contains("at most 25.000000 US dollars"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_budget_of_calls_counts_tries_and_the_next_run_goes_on_from_there() {
    let judges = [Fake::new(|r, tries| if tries == 0 { Err(CallClass::Retry(None)) } else { Ok(answer(r)) })];
    let options = RunOptions { budget: Budget { max_calls: Some(30), max_usd: None }, ..options() };
    let mut store = Store::memory();
    let (outcome, _) = judge(&judges, &pairs(20), &mut store, &options).await;
    let outcome = outcome.unwrap();
    assert!(matches!(outcome.incomplete, Some(Incomplete::Budget { setting: "max_calls", .. })));
    assert_eq!((judges[0].calls(), outcome.calls.failed), (30, 0));
    let saved = store.stats().records;
    assert!(saved >= 10, "{saved}");
    let mut runs = 1;
    while judge(&judges, &pairs(20), &mut store, &options).await.0.unwrap().incomplete.is_some() {
        runs += 1;
    }
    assert!(runs <= 3 && store.stats().records == 40, "{runs}");
}

#[tokio::test(start_paused = true)]
async fn a_try_that_the_end_of_a_budget_drops_is_not_counted() {
    for is_limit in [false, true] {
        let judges = [Fake::new(move |r, tries| match (tries, is_limit) {
            (0, false) => Err(CallClass::Retry(None)),
            (0, true) => Err(CallClass::RateLimited(None)),
            _ => Ok(answer(r)),
        })];
        let options = RunOptions { budget: Budget { max_calls: Some(29), max_usd: None }, ..options() };
        let (outcome, _) = judge(&judges, &pairs(40), &mut Store::memory(), &options).await;
        let calls = outcome.unwrap().calls;
        assert_eq!((calls.made + calls.retried, judges[0].calls()), (29, 29), "{calls:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn answers_in_the_store_cost_nothing_of_a_budget() {
    let mut store = Store::memory();
    judge(&[dear(8)], &pairs(10), &mut store, &options()).await.0.unwrap();
    let budget = Budget { max_usd: Some(0.01), max_calls: Some(1) };
    let (outcome, _) = judge(&[dear(8)], &pairs(10), &mut store, &RunOptions { budget, ..options() }).await;
    assert_eq!(outcome.unwrap().incomplete, None);
}

#[tokio::test(start_paused = true)]
async fn a_budget_of_money_for_a_judge_of_unknown_price_is_refused_before_any_call() {
    let options = RunOptions { budget: Budget { max_usd: Some(1.0), max_calls: None }, ..options() };
    let judges = [Fake::new(|r, _| Ok(answer(r)))];
    let (outcome, _) = judge(&judges, &pairs(10), &mut Store::memory(), &options).await;
    let told = outcome.unwrap_err().to_string();
    assert!(told.contains("`price`") && told.contains("`fake`") && judges[0].calls() == 0, "{told}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_saved_before_the_next_of_a_slow_judge_and_fast_ones_share_a_save() {
    let slow = [Fake::new(|r, _| Ok(answer(r)))];
    let (few, many) = (pairs(3), pairs(500));
    let (_, events) = judge(&slow, &few, &mut Store::memory(), &RunOptions { concurrency: 1, ..options() }).await;
    let pending = Arc::new(Mutex::new(0_i64));
    for event in &events {
        let mut pending = pending.lock().unwrap();
        match event {
            RunEvent::Answered { .. } => *pending += 1,
            RunEvent::BatchSaved { records } => *pending -= i64::try_from(*records).unwrap(),
            _ => {}
        }
        assert!(*pending <= 1, "an answer waited for the next: {events:?}");
    }
    let fast = [Fake::new(|r, _| Ok(answer(r)))];
    let start = Instant::now();
    let options = RunOptions { concurrency: 500, ..options() };
    let (_, events) = judge(&fast, &many, &mut Store::memory(), &options).await;
    let saves = events.iter().filter(|event| matches!(event, RunEvent::BatchSaved { .. })).count();
    let marks = start.elapsed().as_millis() / 50 + 2;
    assert!(saves as u128 <= marks, "{saves} saves in {:?}", start.elapsed());
}
