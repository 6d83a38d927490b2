//! What a run brings, whatever the order of answers and however often it is cut short.

use super::*;
use crate::judge::{ControlKind, Judge};

#[tokio::test(start_paused = true)]
async fn judgments_do_not_depend_on_concurrency_or_on_the_order_of_answers() {
    let alone = RunOptions { concurrency: 1, ..options() };
    let one = judge_in_memory(&[Fake::new(|r, _| Ok(answer(r)))], &pairs(20), &alone).await;
    assert_eq!(one.judgments.len(), 40);
    assert_eq!(one.incomplete, None);
    for concurrency in [2, 7, 100] {
        let options = RunOptions { concurrency, batch_records: concurrency, ..options() };
        let many = judge_in_memory(&[Fake::new(|r, _| Ok(answer(r)))], &pairs(20), &options).await;
        assert_eq!(many, one, "concurrency {concurrency}");
    }
    let first = &one.judgments[0];
    assert_eq!((first.item.as_str(), first.said), ("i00", Said::InOrder(Order::Ab, readings(&one.judgments)[0])));
    let detail = first.detail.as_ref().unwrap();
    assert_eq!((detail.usage.output_tokens, detail.cost_usd), (Some(2), Some(0.5)));
}

#[tokio::test(start_paused = true)]
async fn calls_run_side_by_side_up_to_the_limit() {
    let judges = [Fake::new(|r, _| Ok(answer(r)))];
    let start = Instant::now();
    judge_in_memory(&judges, &pairs(40), &RunOptions { concurrency: 1, ..options() }).await;
    let alone = start.elapsed();
    let start = Instant::now();
    judge_in_memory(&judges, &pairs(40), &RunOptions { concurrency: 8, ..options() }).await;
    assert!(start.elapsed() < alone / 4, "{:?} against {alone:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn the_second_run_asks_nothing_and_brings_the_same_judgments() {
    let dir = tempfile::tempdir().unwrap();
    let mut outcomes = Vec::new();
    for calls in [20, 0] {
        let judges = [Fake::new(|r, _| Ok(answer(r)))];
        let (mut store, _) = Store::open(dir.path(), Access::Write).unwrap();
        let pairs = pairs(10);
        let (outcome, events) = judge(&judges, &pairs, &mut store, &options()).await;
        let outcome = outcome.unwrap();
        assert_eq!(judges[0].calls(), calls);
        assert_eq!((outcome.calls.made, outcome.calls.cached), (calls as u64, 20 - calls as u64));
        assert!(matches!(events.first(), Some(RunEvent::Planned(_))));
        assert_eq!(events.last(), Some(&RunEvent::Done));
        let cached = events.iter().filter(|event| matches!(event, RunEvent::Cached(_))).count();
        assert_eq!(cached, 20 - calls);
        outcomes.push(outcome);
    }
    assert_eq!(outcomes[0].judgments, outcomes[1].judgments);
    assert_eq!(outcomes[0].by_judge[0].cost_usd, Some(10.0));
    assert_eq!(outcomes[1].by_judge[0].cost_usd, Some(0.0), "answers from the store cost nothing");
}

#[tokio::test(start_paused = true)]
async fn a_run_killed_at_any_completion_and_resumed_asks_nothing_acknowledged_twice() {
    let whole = judge_in_memory(&[Fake::new(|r, _| Ok(answer(r)))], &pairs(6), &options()).await;
    for k in 1..=12 {
        let dir = tempfile::tempdir().unwrap();
        let options = RunOptions { concurrency: 3, batch_records: 2, ..options() };
        let trial_pairs = pairs(6);
        let judges = [Fake::new(|r, _| Ok(answer(r)))];
        let trial = Trial { items: &trial_pairs, judges: &judges };
        let acknowledged = {
            let (mut store, _) = Store::open(dir.path(), Access::Write).unwrap();
            let plan = Plan::new(&trial, &PlanOptions::default(), &mut |_| false).unwrap();
            let (killer, mut killed) = stop_signal();
            let (mut answered, mut acknowledged) = (0, 0);
            let mut on_event = |event| match event {
                RunEvent::Answered { .. } => {
                    answered += 1;
                    if answered == k {
                        killer.stop();
                    }
                }
                RunEvent::BatchSaved { records } => acknowledged += records,
                _ => {}
            };
            tokio::select! {
                biased;
                () = killed.requested() => {}
                _ = run(&trial, &plan, &mut store, &options, Stop::never(), &mut on_event) => {}
            }
            acknowledged
        };
        let (mut store, _) = Store::open(dir.path(), Access::Write).unwrap();
        let saved: BTreeSet<_> = store.records().map(|record| record.key).collect();
        assert!(saved.len() as u64 >= acknowledged, "killed at {k}: an acknowledged answer is lost");
        let again = [Fake::new(|r, _| Ok(answer(r)))];
        let (outcome, _) = judge(&again, &trial_pairs, &mut store, &options).await;
        assert_eq!(outcome.unwrap().judgments, whole.judgments, "killed at {k}");
        let asked: BTreeSet<_> = again[0].asked().into_keys().collect();
        assert!(asked.is_disjoint(&saved), "killed at {k}: asked twice");
        assert_eq!(asked.len() + saved.len(), 12);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_finishes_and_saves_what_is_in_flight_and_the_next_run_goes_on() {
    let trial_pairs = pairs(10);
    let judges = [Fake::new(|r, _| Ok(answer(r)))];
    let trial = Trial { items: &trial_pairs, judges: &judges };
    let mut store = Store::memory();
    let plan = Plan::new(&trial, &PlanOptions::default(), &mut |_| false).unwrap();
    let (handle, stop) = stop_signal();
    let (mut answers, mut in_flight) = (0, None);
    let options = RunOptions { concurrency: 4, ..options() };
    let mut on_event = |event| match event {
        RunEvent::Answered { .. } => {
            answers += 1;
            if answers == 5 {
                handle.stop();
            }
        }
        RunEvent::Stopped { in_flight: calls } => in_flight = Some(calls),
        _ => {}
    };
    let outcome = run(&trial, &plan, &mut store, &options, stop, &mut on_event).await.unwrap();
    assert_eq!(outcome.incomplete, Some(Incomplete::Stopped));
    assert_eq!(in_flight, Some(3));
    assert_eq!((answers, outcome.calls.made, store.stats().records), (8, 8, 8));
    let missing =
        outcome.answers.iter().filter(|a| matches!(a, Answer::Absent { kind: NoVerdict::Missing, .. })).count();
    assert_eq!((outcome.answers.len(), missing), (20, 12));
    let (outcome, _) = judge(&judges, &trial_pairs, &mut store, &options).await;
    assert_eq!((outcome.unwrap().incomplete, judges[0].calls()), (None, 20));
}

#[tokio::test(start_paused = true)]
async fn local_judges_are_asked_each_time_and_leave_no_trace_in_the_store() {
    let judges =
        [Fake::new(|r, _| Ok(answer(r))).of_kind(JudgeKind::Control, "control:first"), Fake::new(|r, _| Ok(answer(r)))];
    let mut store = Store::memory();
    for calls in [6, 0] {
        let (outcome, _) = judge(&judges, &pairs(3), &mut store, &options()).await;
        let outcome = outcome.unwrap();
        assert_eq!((outcome.judgments.len(), outcome.calls.made), (12, calls));
    }
    assert_eq!((judges[0].calls(), judges[1].calls()), (12, 6));
    assert_eq!(store.stats().records, 6);
}

#[tokio::test(start_paused = true)]
async fn one_question_asked_by_two_items_is_paid_once_and_answers_both() {
    let mut twins = pairs(2);
    twins[1].prompt = twins[0].prompt.clone();
    let judges = [Fake::new(|r, _| Ok(answer(r)))];
    let outcome = judge_in_memory(&judges, &twins, &options()).await;
    assert_eq!(judges[0].calls(), 2);
    let read = readings(&outcome.judgments);
    assert_eq!(read[..2], read[2..]);
    assert_eq!(outcome.judgments[2].item.as_str(), "i01");
    let failing = [Fake::new(|_, _| Err(CallClass::Item))];
    let outcome = judge_in_memory(&failing, &twins, &options()).await;
    assert_eq!(readings(&outcome.judgments), [Reading::None(NoVerdict::Failed); 4]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_damaged_in_the_store_is_asked_again() {
    let dir = tempfile::tempdir().unwrap();
    let judges = [Fake::new(|r, _| Ok(answer(r)))];
    let (mut store, _) = Store::open(dir.path(), Access::Write).unwrap();
    judge(&judges, &pairs(5), &mut store, &options()).await.0.unwrap();
    store.close();
    let path = dir.path().join("journal/000001.jsonl");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[300] ^= 1;
    std::io::Write::write_all(&mut std::fs::File::create(&path).unwrap(), &bytes).unwrap();
    let (mut store, mut notices) = Store::open(dir.path(), Access::Write).unwrap();
    let (outcome, _) = judge(&judges, &pairs(5), &mut store, &options()).await;
    let outcome = outcome.unwrap();
    notices.extend(outcome.notices);
    assert_eq!((outcome.calls.made, outcome.calls.cached), (1, 9));
    assert!(notices.iter().any(|notice| notice.text.contains("000001.jsonl:1 is damaged")), "{notices:?}");
}

#[tokio::test(start_paused = true)]
async fn unknown_tokens_are_an_unknown_cost_and_not_a_free_one() {
    let judges = [Fake::new(|r, _| match r.item.as_str() {
        "i01" => Ok(Completion::of_text("first")),
        _ => Ok(answer(r)),
    })];
    let outcome = judge_in_memory(&judges, &pairs(3), &options()).await;
    assert_eq!(outcome.by_judge[0].cost_usd, None);
    assert_eq!(outcome.by_judge[0].usage, Usage { input_tokens: None, output_tokens: None });
    assert_eq!(outcome.by_judge[0].answered, 6);
}

#[tokio::test(start_paused = true)]
async fn what_a_judge_settles_on_this_machine_is_neither_a_call_nor_kept() {
    let mut set = pairs(3);
    set[1].id = "settled here".into();
    let judges = [Fake::new(|r, _| Ok(answer(r)))];
    let mut store = Store::memory();
    let (outcome, _) = judge(&judges, &set, &mut store, &options()).await;
    let outcome = outcome.unwrap();
    assert_eq!((outcome.judgments.len(), outcome.calls.made, store.stats().records), (6, 4, 4));
    assert!(readings(&outcome.judgments).iter().all(|r| *r != Reading::None(NoVerdict::Missing)));
}

#[tokio::test]
async fn a_control_judge_runs_as_it_is() {
    let set = pairs(4);
    let judges = [Judge::control("control:first", ControlKind::First, &set)];
    let trial = Trial { items: &set, judges: &judges };
    let mut store = Store::memory();
    let plan = Plan::new(&trial, &PlanOptions::default(), &mut |key| store.get(key).is_some()).unwrap();
    assert_eq!(plan.judges[0].local, 8);
    let outcome = run(&trial, &plan, &mut store, &options(), Stop::never(), &mut |_| {}).await.unwrap();
    assert_eq!(readings(&judgments(&trial, &plan, &outcome)), [Reading::Said(Verdict::First); 8]);
    assert_eq!((outcome.calls, store.stats().records), (Calls::default(), 0));
}

#[tokio::test]
async fn a_judge_on_this_machine_hears_a_request_to_stop() {
    let set = pairs(500);
    let judges = [Judge::control("control:longest", ControlKind::Longest, &set)];
    let trial = Trial { items: &set, judges: &judges };
    let mut store = Store::memory();
    let plan = Plan::new(&trial, &PlanOptions::default(), &mut |key| store.get(key).is_some()).unwrap();
    let (handle, stop) = stop_signal();
    let (options, mut deaf) = (options(), |_| {});
    // Both on one thread: who asks to stop only gets a turn where the judge gives one.
    let (outcome, ()) =
        tokio::join!(run(&trial, &plan, &mut store, &options, stop, &mut deaf), async { handle.stop() });
    let outcome = outcome.unwrap();
    assert_eq!(outcome.incomplete, Some(Incomplete::Stopped));
    let answered = outcome.answers.iter().filter(|answer| matches!(answer, Answer::Answered(_))).count();
    assert!(answered < 100, "{answered} of 1,000");
}
