//! Control judges that are asked and control judges that are worked out say the same.

use tribunal::analysis::baseline::Baseline;
use tribunal::domain::{Order, Pair};
use tribunal::judge::Judge;

#[tokio::test]
async fn every_control_that_is_asked_agrees_with_its_baseline_of_the_same_seed() {
    let texts = [("long answer", "short"), ("a", "bcd"), ("one", "two")];
    let pairs: Vec<Pair> =
        (0..90).map(|n| Pair::new(format!("q{n:02}"), "?", texts[n % 3].0, texts[n % 3].1)).collect();
    let set = tribunal::data::gold_set("g", &pairs);
    let mut sheets = Vec::new();
    for baseline in Baseline::ALL {
        let judge = Judge::control(baseline.name(), baseline.control(7), &pairs);
        let sheet = baseline.sheet(&set, 7);
        assert_eq!(sheet.rows.len(), pairs.len());
        for row in &sheet.rows {
            let pair = pairs.iter().find(|pair| pair.id == set.items[row.item].id).unwrap();
            for (order, worked_out) in [(Order::Ab, row.ab), (Order::Ba, row.ba)] {
                let request = judge.request(pair, order, 0).unwrap();
                let answer = judge.ask(&request).await.unwrap();
                let said = judge.read(&request, &answer).reading.verdict().unwrap();
                assert_eq!(worked_out, Some(order.identify(said)), "{} on {}", baseline.name(), pair.id);
            }
        }
        sheets.push(sheet.rows);
    }
    assert_ne!(Baseline::Coin.sheet(&set, 8).rows, sheets[5], "another seed draws anew");
}
