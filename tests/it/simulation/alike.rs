//! Where nearly everything is alike: judges that hardly ever err and systems that hardly ever lose, over few items or groups that are
//! alike throughout. Here a bootstrap often has no spread, and the intervals at the margins and of constant units stand in.

use tribunal::analysis::compare::Favours;
use tribunal::domain::{GoldLabel, Order, Preference};
use tribunal::stats::Figure;
use tribunal::stats::seed::Stream;

use super::reports::{Design, Outcomes, calibrated, compared, items, judgment, line, runs};
use super::{Claim, Size, Study, chance, class, holds};

const NOMINAL: Claim = Claim::AtLeast(0.95);

/// How often gold is a, b, tie.
const GOLD: [f64; 3] = [0.45, 0.45, 0.1];

/// A judge that is right so often, in both orders alike, about so many items; in a group about all items or about none.
#[derive(Debug, Clone, Copy)]
struct Nearly {
    right: f64,
    items: usize,
    of_group: usize,
}

/// What a calibration says of it.
struct Said {
    shown: Vec<Figure>,
    deciding_kappa: Figure,
}

const FIGURES: [&str; 6] =
    ["kappa_strict", "kappa_ab", "ac1", "alpha", "agreement_half_credit", "agreement_mean_of_orders"];

impl Nearly {
    fn tried(self, stream: &mut Stream) -> Said {
        let mut items = items(stream, self.items, self.of_group);
        let mut judgments = Vec::new();
        let mut right = true;
        for (number, item) in items.iter_mut().enumerate() {
            if number % self.of_group == 0 {
                right = chance(stream, self.right);
            }
            let gold = class(stream, &GOLD);
            let said = if right { gold } else { (gold + 1 + usize::from(chance(stream, 0.5))) % 3 };
            item.gold = Some(GoldLabel { label: Preference::ALL[gold], votes: Vec::new(), disputed: false });
            let verdict = |order: Order| order.verdict_for(Preference::ALL[said]);
            judgments.extend(Order::BOTH.map(|order| judgment(item, "judge", 0, order, verdict(order))));
        }
        let card = calibrated(items, &judgments, Size::asked_for().of(40, 300)).judges.remove(0);
        let gate = card.gate.as_ref().unwrap();
        let kappa = gate.criteria.iter().find(|criterion| criterion.name == "kappa_strict").unwrap();
        Said { shown: FIGURES.map(|name| card.shown(name)).into(), deciding_kappa: kappa.decided_on.clone() }
    }

    fn truths(self) -> [f64; 6] {
        let (right, wrong) = (self.right, 1.0 - self.right);
        let judge: Vec<f64> = GOLD.iter().map(|share| share * right + (1.0 - share) * wrong / 2.0).collect();
        let by_chance: f64 = GOLD.iter().zip(&judge).map(|(gold, judge)| gold * judge).sum();
        let pooled: Vec<f64> = GOLD.iter().zip(&judge).map(|(gold, judge)| f64::midpoint(*gold, *judge)).collect();
        let of = |chance: f64| (right - chance) / (1.0 - chance);
        let kappa = of(by_chance);
        let ac1 = of(pooled.iter().map(|share| share * (1.0 - share)).sum::<f64>() / 2.0);
        let alpha = of(pooled.iter().map(|share| share * share).sum());
        // A wrong answer to a decisive item is the other side or a tie; to a tie it is a side.
        let half_credit = right + wrong * ((1.0 - GOLD[2]) * 0.25 + GOLD[2] * 0.5);
        [kappa, kappa, ac1, alpha, half_credit, right]
    }
}

#[test]
fn a_judge_that_hardly_ever_errs_is_not_said_to_be_better_than_it_is() {
    let mut study = Study::new("Judges that hardly ever err");
    let grid = [
        Nearly { right: 0.98, items: 30, of_group: 1 },
        Nearly { right: 0.95, items: 150, of_group: 5 },
        Nearly { right: 0.95, items: 20, of_group: 1 },
        Nearly { right: 0.9, items: 40, of_group: 1 },
        Nearly { right: 0.995, items: 100, of_group: 1 },
        Nearly { right: 0.95, items: 100, of_group: 1 },
        Nearly { right: 1.0, items: 20, of_group: 1 },
        Nearly { right: 0.9, items: 200, of_group: 5 },
    ];
    let cells = study.size().of(2, grid.len());
    for judge in grid.into_iter().take(cells) {
        let Nearly { right, items, of_group } = judge;
        let grouped = if of_group > 1 { format!(" in groups of {of_group} alike") } else { String::new() };
        let data = format!("{items} items{grouped}, right {right}");
        let found = runs(&study, &format!("nearly, {data}"), 2_000, |stream| judge.tried(stream));
        for (which, (name, truth)) in FIGURES.into_iter().zip(judge.truths()).enumerate() {
            // The large-sample interval lags near perfect agreement.
            let claim = match (name, items) {
                ("kappa_ab", 100) if right < 0.99 => Claim::Known(0.882),
                _ => NOMINAL,
            };
            line(&mut study, (&format!("{name} 95 %"), &data), claim, &found, |said| holds(&said.shown[which], truth));
        }
        let (name, kappa) = ("kappa_strict at the gate 90 %", judge.truths()[0]);
        line(&mut study, (name, &data), Claim::AtLeast(0.9), &found, |said| holds(&said.deciding_kappa, kappa));
    }
    study.finish();
}

#[test]
fn a_system_that_hardly_ever_loses_or_decides_is_not_said_to_be_surer_than_it_is() {
    let mut study = Study::new("Comparisons in which nearly every outcome is the same");
    let nothing = Outcomes { won: 0.0, lost: 0.0, tie: 0.0, flip: 0.0, half_a: 0.0, half_b: 0.0 };
    let singles = |items| Design { items, of_group: 1, repeats: 1, alike: 0.0 };
    let nearly = |items| Design { items, of_group: 10, repeats: 1, alike: 0.9 };
    let grid = [
        (Outcomes { won: 0.97, tie: 0.02, lost: 0.01, ..nothing }, singles(30)),
        (Outcomes { tie: 0.94, won: 0.04, lost: 0.02, ..nothing }, singles(40)),
        (Outcomes { won: 0.9, lost: 0.1, ..nothing }, singles(15)),
        (Outcomes { won: 0.9, lost: 0.1, ..nothing }, singles(30)),
        (Outcomes { won: 0.95, tie: 0.05, ..nothing }, Design { items: 90, of_group: 3, repeats: 1, alike: 1.0 }),
        (Outcomes { tie: 0.97, won: 0.02, lost: 0.01, ..nothing }, singles(120)),
        (Outcomes { flip: 0.95, won: 0.05, ..nothing }, singles(30)),
        // Most groups differ a little, a few a lot.
        (Outcomes { tie: 0.92, won: 0.06, lost: 0.02, ..nothing }, nearly(200)),
        (Outcomes { tie: 0.92, won: 0.06, lost: 0.02, ..nothing }, nearly(300)),
    ];
    let cells = study.size().of(2, grid.len());
    for (outcomes, design) in grid.into_iter().take(cells) {
        let Outcomes { won, lost, tie, flip, .. } = outcomes;
        let grouped = match design.of_group {
            1 => String::new(),
            size if design.alike < 1.0 => format!(" in groups of {size} nearly alike"),
            size => format!(" in groups of {size} alike"),
        };
        let data = format!("{} items{grouped}, won {won}, lost {lost}, tied {tie}, flipped {flip}", design.items);
        let found = runs(&study, &format!("alike, {data}"), 2_000, |stream| compared(stream, outcomes, design, None));
        line(&mut study, ("win rate 95 %", &data), NOMINAL, &found, |c| holds(&c.win_rate, outcomes.win_rate()));
        line(&mut study, ("graded score 95 %", &data), NOMINAL, &found, |c| holds(&c.score, outcomes.score()));
        if won > lost && lost > 0.0 {
            line(&mut study, ("decided rate 95 %", &data), NOMINAL, &found, |c| holds(&c.decided, won / (won + lost)));
        }
    }
    // Three wins and no loss are no evidence, whatever a bootstrap of them says.
    let nobody = Outcomes { tie: 0.94, won: 0.03, lost: 0.03, ..nothing };
    let data = "40 items, won 0.03, lost 0.03, tied 0.94";
    let found = runs(&study, data, 2_000, |stream| compared(stream, nobody, singles(40), None));
    line(&mut study, ("one side is called better", data), Claim::AtMost(0.05), &found, |c| {
        Some(c.decision != Favours::Undecided)
    });
    study.finish();
}
