#![allow(clippy::unwrap_used)]

use super::*;
use crate::domain::{GoldLabel, Per, Preference};

fn pair(id: usize, gold: Option<Preference>) -> Pair {
    // Lengths in characters: a longer, b longer, equal in turn; bytes tell otherwise.
    let (a, b) = [("日本語", "xy"), ("日", "wxyz"), ("日本", "xy")][id % 3];
    let mut pair = Pair::new(format!("q{id}"), "?", a, b);
    pair.gold = gold.map(|label| GoldLabel { label, votes: Vec::new(), disputed: false });
    pair
}

fn pairs() -> Vec<Pair> {
    (0..600).map(|id| pair(id, Some(Preference::ALL[id % 3]))).collect()
}

fn both(control: &Control, item: &ItemId) -> [Preference; 2] {
    Order::BOTH.map(|order| order.identify(control.verdict(item, order, 0).unwrap()))
}

#[test]
fn position_controls_name_the_same_slot_in_both_orders() {
    let pairs = pairs();
    for (kind, slot) in
        [(ControlKind::First, Verdict::First), (ControlKind::Second, Verdict::Second), (ControlKind::Tie, Verdict::Tie)]
    {
        let control = Control::new(kind, &pairs);
        for (pair, order) in pairs.iter().zip(Order::BOTH.into_iter().cycle()) {
            assert_eq!(control.verdict(&pair.id, order, 3), Some(slot));
        }
    }
}

#[test]
fn length_controls_name_the_same_response_in_both_orders_and_tie_on_equal_length() {
    let pairs = pairs();
    let (longest, shortest) = (Control::new(ControlKind::Longest, &pairs), Control::new(ControlKind::Shortest, &pairs));
    for (id, pair) in pairs.iter().enumerate() {
        let longer = [Preference::A, Preference::B, Preference::Tie][id % 3];
        assert_eq!(both(&longest, &pair.id), [longer; 2]);
        assert_eq!(both(&shortest, &pair.id), [longer.swapped(); 2]);
    }
}

#[test]
fn a_coin_is_fair_draws_per_order_and_repeat_and_never_ties() {
    let pairs = pairs();
    let coin = Control::new(ControlKind::Coin { seed: 7 }, &pairs);
    let said = |pair: &Pair, order, repeat| coin.verdict(&pair.id, order, repeat).unwrap();
    assert!(pairs.iter().all(|pair| said(pair, Order::Ab, 0) != Verdict::Tie));
    let share = |event: &dyn Fn(&Pair) -> bool| pairs.iter().filter(|pair| event(pair)).count();
    // 600 fair draws: five standard errors are 61.
    let near_half = 239..=361;
    assert!(near_half.contains(&share(&|pair| said(pair, Order::Ab, 0) == Verdict::First)));
    assert!(near_half.contains(&share(&|pair| said(pair, Order::Ab, 0) == said(pair, Order::Ba, 0))));
    assert!(near_half.contains(&share(&|pair| said(pair, Order::Ab, 0) == said(pair, Order::Ab, 1))));
    let other = Control::new(ControlKind::Coin { seed: 8 }, &pairs);
    let same = share(&|pair| other.verdict(&pair.id, Order::Ab, 0) == Some(said(pair, Order::Ab, 0)));
    assert!(near_half.contains(&same), "{same}");
}

#[test]
fn an_oracle_without_error_is_always_right_in_both_orders() {
    let pairs = pairs();
    for per in [Per::Item, Per::Order] {
        let oracle = Control::new(ControlKind::Oracle { error: 0.0, seed: 1, per }, &pairs);
        for pair in &pairs {
            let gold = pair.gold.as_ref().unwrap().label;
            assert_eq!(both(&oracle, &pair.id), [gold; 2]);
        }
    }
}

#[test]
fn an_oracle_errs_at_its_rate_and_once_per_item() {
    let pairs = pairs();
    let oracle = Control::new(ControlKind::Oracle { error: 0.2, seed: 1, per: Per::Item }, &pairs);
    let mut wrong = 0;
    for pair in &pairs {
        let gold = pair.gold.as_ref().unwrap().label;
        let [ab, ba] = both(&oracle, &pair.id);
        assert_eq!(ab, ba);
        assert_eq!(oracle.verdict(&pair.id, Order::Ab, 0), oracle.verdict(&pair.id, Order::Ab, 5));
        if ab != gold {
            wrong += 1;
            assert!(ab.is_decisive() && (gold == Preference::Tie || ab == gold.swapped()));
        }
    }
    // 600 draws at 0.2: 120, five standard errors are 49.
    assert!((71..=169).contains(&wrong), "{wrong}");
}

#[test]
fn a_noisy_oracle_errs_apart_in_each_order() {
    let pairs = pairs();
    let oracle = Control::new(ControlKind::Oracle { error: 0.5, seed: 1, per: Per::Order }, &pairs);
    let flips = pairs.iter().filter(|pair| pair.gold.as_ref().unwrap().label.is_decisive()).filter(|pair| {
        let [ab, ba] = both(&oracle, &pair.id);
        ab != ba
    });
    // 400 decisive items, half of them flip: 200, five standard errors are 50.
    let flips = flips.count();
    assert!((150..=250).contains(&flips), "{flips}");
}

#[test]
fn an_oracle_that_always_errs_never_says_the_gold() {
    let pairs = pairs();
    let oracle = Control::new(ControlKind::Oracle { error: 1.0, seed: 1, per: Per::Order }, &pairs);
    for pair in &pairs {
        let gold = pair.gold.as_ref().unwrap().label;
        assert!(both(&oracle, &pair.id).iter().all(|said| *said != gold));
    }
}

#[test]
fn an_oracle_does_not_apply_where_there_is_no_gold() {
    let oracle = Control::new(ControlKind::Oracle { error: 0.0, seed: 0, per: Per::Item }, &[pair(0, None)]);
    assert!(!oracle.applies(&"q0".into()));
    assert!(oracle.knows(&"q0".into()));
    assert_eq!(oracle.verdict(&"q0".into(), Order::Ab, 0), None);
}

#[test]
fn a_local_answer_is_one_exact_word() {
    assert_eq!(read_word("second").reading, Reading::Said(Verdict::Second));
    assert_eq!(read_word("first, I think").reading, Reading::None(NoVerdict::Unparsed));
}
