//! How a comparison came to stop where it did, in sentences.

use crate::analysis::compare::Comparison;
use crate::analysis::stopping::Stopping;

use super::Lang;
use super::format;

/// What a reader of a comparison that was to stop once decided has to know; empty for any other.
pub(super) fn sentences(comparison: &Comparison, lang: Lang) -> Vec<String> {
    let Some(stopping) = &comparison.stopping else { return Vec::new() };
    match lang {
        Lang::En => english(stopping),
        Lang::Ja => japanese(stopping),
    }
}

fn english(stopping: &Stopping) -> Vec<String> {
    let [used, total, looks, without] =
        [stopping.units_used, stopping.units_total, stopping.looks, stopping.without_verdict].map(format::count);
    let ended = match (stopping.decided, stopping.is_early()) {
        (true, true) => "Stopped as decided",
        (true, false) => "Decided at the end",
        (false, _) => "Not decided by the end",
    };
    let mut lines = vec![format!(
        "{ended}: {used} of {total} units used, in an order shuffled with seed {}, after {looks} looks; the rule was {}. \
         The interval of record is a {} confidence sequence ({}), which holds however often one looks.",
        stopping.seed,
        rule(stopping, Lang::En),
        format::round_percent(1.0 - stopping.alpha),
        method(stopping),
    )];
    if stopping.is_early() {
        lines.push(
            "Stopped early: the point estimate may overstate the difference. Tests and other intervals here are for a \
             number of items fixed before, and say too much after an early stop."
                .to_owned(),
        );
        let calls = format::count(stopping.calls_saved);
        let money = match stopping.usd_saved {
            None => "cost unknown".to_owned(),
            Some(usd) if usd > 0.0 => format!("about {}", format::dollars(usd)),
            Some(_) => "of no cost".to_owned(),
        };
        lines.push(if stopping.simulated {
            format!("A simulation over recorded verdicts: stopping would have saved {calls} judgments ({money}).")
        } else {
            format!("Saved: {calls} judgments ({money}).")
        });
    } else if stopping.simulated {
        lines.push("A simulation over recorded verdicts: stopping would have saved nothing.".to_owned());
    }
    if stopping.without_verdict > 0 {
        lines.push(format!("{without} of the units used have no verdict in both orders and are left out."));
    }
    lines
}

fn japanese(stopping: &Stopping) -> Vec<String> {
    let [used, total, looks, without] =
        [stopping.units_used, stopping.units_total, stopping.looks, stopping.without_verdict].map(format::count);
    let ended = match (stopping.decided, stopping.is_early()) {
        (true, true) => "決着したので打ち切った",
        (true, false) => "最後に決着した",
        (false, _) => "最後まで決着しなかった",
    };
    let mut lines = vec![format!(
        "{ended}：シード{}で並べ替えた順に、全{total}単位のうち{used}単位を使用（確認{looks}回）。規則は「{}」。\
         正式な区間は{}の信頼列（{}）であり、何度途中で確認しても成り立つ。",
        stopping.seed,
        rule(stopping, Lang::Ja),
        format::round_percent(1.0 - stopping.alpha),
        method(stopping),
    )];
    if stopping.is_early() {
        lines.push(
            "早期の打ち切り：点推定は差を過大に示すことがある。ここにある検定と他の区間は件数を先に固定した場合のもので、\
             打ち切り後には言い過ぎになる。"
                .to_owned(),
        );
        let calls = format::count(stopping.calls_saved);
        let money =
            stopping.usd_saved.map_or_else(|| "費用は不明".to_owned(), |usd| format!("約{}", format::dollars(usd)));
        lines.push(if stopping.simulated {
            format!("記録済み判定による模擬：打ち切りで判定{calls}回（{money}）を節約できたはずである。")
        } else {
            format!("節約：判定{calls}回（{money}）。")
        });
    } else if stopping.simulated {
        lines.push("記録済み判定による模擬：打ち切りによる節約はない。".to_owned());
    }
    if stopping.without_verdict > 0 {
        lines.push(format!("使用した単位のうち{without}単位は両順の判定がなく、除いた。"));
    }
    lines
}

fn rule(stopping: &Stopping, lang: Lang) -> String {
    let margin = stopping.margin.map(|margin| format::percent(margin).replace(" %", ""));
    match (margin, stopping.rule, lang) {
        (Some(margin), "no_worse", Lang::En) => {
            format!("“the interval lies wholly on one side of 50 % minus the margin of {margin} pp”")
        }
        (Some(margin), _, Lang::En) => {
            format!("“the interval excludes 50 %, or lies wholly within {margin} pp of it”")
        }
        (None, _, Lang::En) => "“the interval excludes 50 %”".to_owned(),
        (Some(margin), "no_worse", Lang::Ja) => {
            format!("区間全体が、50 %から許容差{margin}ポイントを引いた値の片側にある")
        }
        (Some(margin), _, Lang::Ja) => format!("区間が50 %を含まないか、全体が50 %±{margin}ポイントの中にある"),
        (None, _, Lang::Ja) => "区間が50 %を含まない".to_owned(),
    }
}

fn method(stopping: &Stopping) -> &'static str {
    stopping.sequence.as_ref().map_or("–", |sequence| sequence.method)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Estimate;

    fn stopping() -> Stopping {
        Stopping {
            rule: "separated",
            margin: None,
            alpha: 0.05,
            seed: 7,
            units_used: 212,
            units_total: 600,
            items_used: 212,
            items_total: 600,
            without_verdict: 3,
            looks: 9,
            decided: true,
            sequence: Ok(Estimate::within(0.6, [0.51, 0.69], 0.95, 209, "kelly_grid")),
            calls_used: 424,
            calls_saved: 776,
            usd_saved: Some(1.5),
            simulated: false,
        }
    }

    #[test]
    fn an_early_stop_says_what_it_used_saved_and_may_overstate() {
        let text = english(&stopping()).join(" ");
        for part in ["212 of 600", "seed 7", "kelly_grid", "95 %", "may overstate", "776", "$1.50", "3 of the units"] {
            assert!(text.contains(part), "no {part} in: {text}");
        }
        let text = japanese(&stopping()).join("");
        for part in ["全600単位", "212単位", "シード7", "kelly_grid", "過大", "776回", "$1.50", "3単位"] {
            assert!(text.contains(part), "no {part} in: {text}");
        }
    }

    #[test]
    fn an_unknown_price_is_said_to_be_unknown_and_a_simulation_to_be_one() {
        let text = english(&Stopping { usd_saved: None, simulated: true, ..stopping() }).join(" ");
        assert!(text.contains("cost unknown") && text.contains("simulation") && !text.contains('$'), "{text}");
        let end = Stopping { units_used: 600, decided: false, margin: Some(0.05), rule: "no_worse", ..stopping() };
        let text = english(&end).join(" ");
        assert!(text.contains("Not decided by the end") && text.contains("5.0 pp"), "{text}");
        assert!(!text.contains("overstate") && !text.contains("Saved"), "{text}");
    }
}
