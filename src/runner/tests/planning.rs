//! What is planned before anything is asked.

use super::*;

#[test]
fn a_plan_counts_what_is_left_out_and_what_is_asked() {
    let mut set = pairs(5);
    set[1].response_b = set[1].response_a.clone();
    set[2].category = Some("not for judges".to_owned());
    let judges = [Fake::new(|r, _| Ok(answer(r)))];
    let trial = Trial { items: &set, judges: &judges };
    let options = PlanOptions { repeats: 2, ..PlanOptions::default() };
    let stored = judges[0].request(&set[3], Order::Ba, 1).unwrap().key;
    let plan = Plan::new(&trial, &options, &mut |key| *key == stored).unwrap();
    assert_eq!(plan.identical, ["i01".into()]);
    let counts =
        JudgePlan { judge: "fake".into(), planned: 12, local: 0, cached: 1, shared: 0, to_ask: 11, not_applicable: 1 };
    assert_eq!(plan.judges, [counts]);
    assert_eq!(judges[0].calls(), 0);
    let all = PlanOptions { identical: IdenticalPairs::Ask, ..PlanOptions::default() };
    let plan = Plan::new(&trial, &all, &mut |_| false).unwrap();
    // With identical responses both orders are one question.
    assert_eq!((plan.judges[0].planned, plan.judges[0].to_ask, plan.judges[0].shared), (8, 7, 1));
}

#[test]
fn a_forecast_counts_calls_tokens_and_money_and_knows_what_it_does_not_know() {
    use crate::judge::Price;
    let price = Price { input: 1.0, output: 10.0 };
    let known = Terms { max_tokens: Some(100), price: Some(price), is_local: false };
    let set = pairs(10);
    let judges = [
        Fake { terms: known, ..Fake::new(|r, _| Ok(answer(r))) },
        Fake { terms: Terms { price: None, ..known }, ..Fake::new(|r, _| Ok(answer(r))) }
            .of_kind(JudgeKind::Endpoint, "unpriced"),
        Fake::new(|r, _| Ok(answer(r))).of_kind(JudgeKind::Control, "control:first"),
    ];
    let trial = Trial { items: &set, judges: &judges };
    let stored: BTreeSet<_> = set[..4].iter().map(|pair| judges[0].request(pair, Order::Ab, 0).unwrap().key).collect();
    let plan = Plan::new(&trial, &PlanOptions::default(), &mut |key| stored.contains(key)).unwrap();
    let usage = Usage { input_tokens: Some(50), output_tokens: Some(20) };
    let forecasts = forecast(&trial, &plan, &mut |_| Some(usage));
    let first = &forecasts[0];
    assert_eq!((first.calls, first.output_most, first.output_expected), (16, Some(1600), Some(320)));
    assert_eq!(first.input_tokens, 800, "as the stored answers have it, not as estimated");
    let most: u64 = plan.tasks.iter().filter(|t| t.judge == 0 && t.source == Source::Ask).map(|t| t.size.most).sum();
    assert!((first.usd_most.unwrap() - (most as f64 + 16_000.0) / 1e6).abs() < 1e-12);
    assert!((first.usd_expected.unwrap() - (800.0 + 3200.0) / 1e6).abs() < 1e-12);
    assert!(first.usd_expected < first.usd_most);
    let unpriced = &forecasts[1];
    assert_eq!((unpriced.calls, unpriced.usd_most, unpriced.usd_expected), (20, None, None));
    assert_eq!(unpriced.output_expected, None, "nothing is stored of it");
    let estimated: u64 = plan.tasks.iter().filter(|t| t.judge == 1).map(|t| t.size.tokens).sum();
    assert_eq!(unpriced.input_tokens, estimated);
    assert_eq!((forecasts[2].calls, forecasts[2].usd_most), (0, Some(0.0)));
    assert!(forecasts[2].usd_most.unwrap().is_sign_positive(), "the log would say -0.0");
}

#[test]
fn a_request_that_cannot_be_made_is_found_before_anything_is_asked() {
    let mut set = pairs(3);
    set[2].prompt = crate::domain::Prompt::Text("unfillable".to_owned());
    let judges = [Fake::new(|r, _| Ok(answer(r)))];
    let error =
        Plan::new(&Trial { items: &set, judges: &judges }, &PlanOptions::default(), &mut |_| false).unwrap_err();
    assert_eq!(error.to_string(), "judge `fake` cannot be asked about item `i02`: no such slot");
}
