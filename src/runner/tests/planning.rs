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
fn a_request_that_cannot_be_made_is_found_before_anything_is_asked() {
    let mut set = pairs(3);
    set[2].prompt = crate::domain::Prompt::Text("unfillable".to_owned());
    let judges = [Fake::new(|r, _| Ok(answer(r)))];
    let error =
        Plan::new(&Trial { items: &set, judges: &judges }, &PlanOptions::default(), &mut |_| false).unwrap_err();
    assert_eq!(error.to_string(), "judge `fake` cannot be asked about item `i02`: no such slot");
}
