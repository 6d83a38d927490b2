//! What a comparison has to show, `--require`, and whether it does.

use super::args::{CompareArgs, RequireArg};
use super::court::Court;
use super::exit::{CliError, Exit};
use super::settings::quoted;
use crate::analysis::compare::{Banner, Comparison, Requirement};
use crate::analysis::prereg::Held;

/// What has to hold.
pub(super) fn wanted(args: &CompareArgs) -> Result<Option<Requirement>, CliError> {
    match (args.require, args.margin) {
        (None, None) => Ok(None),
        (None, Some(_)) if args.stop_when_decided => Ok(None),
        (None, Some(_)) => Err(CliError::usage("--margin says nothing by itself").hint("add --require no-worse")),
        (Some(RequireArg::Better), None) => Ok(Some(Requirement::Better)),
        (Some(RequireArg::Better), Some(_)) => {
            Err(CliError::usage("--require better takes no margin").hint("did you mean --require no-worse?"))
        }
        (Some(RequireArg::NoWorse), Some(margin)) if margin > 0.0 && margin < 0.5 => {
            Ok(Some(Requirement::NoWorse { margin }))
        }
        (Some(RequireArg::NoWorse), _) => {
            Err(CliError::usage("--require no-worse needs a margin above 0 and below 0.5")
                .hint("--margin 0.05: a win rate of 45 % still counts as no worse"))
        }
    }
}

/// The status that says whether it holds, what an undecided one lacks, and what one lacks that is held by the word of a
/// judge that was not tried.
pub(super) fn outcome(answer: &Comparison, court: &Court<'_>) -> (Exit, Option<String>) {
    match answer.requirement.map(|required| (required.held, required.bound)) {
        None => (Exit::Done, None),
        Some((Held::Held, _)) => (Exit::Done, way_out(answer, court)),
        Some((Held::NotHeld, _)) => (Exit::Short, None),
        Some((Held::Undecided, bound)) => (Exit::Undecided, Some(how_much_more(answer, bound))),
    }
}

/// How a requirement that is held gets a judge behind it; nothing where it has one, or where the judge is a control.
fn way_out(answer: &Comparison, court: &Court<'_>) -> Option<String> {
    let how = match answer.banner? {
        Banner::Control => return None,
        Banner::Uncalibrated => format!("`{}`", court.calibration()),
        Banner::Recorded => format!(
            "`tribunal calibrate --gold GOLD --verdicts VERDICTS --judge {}` with its verdicts on pairs that people labelled",
            quoted([answer.judge.as_str()].into_iter())
        ),
    };
    Some(format!(
        "the requirement is held by the word of judge `{}`, which no certificate backs: calibrate it with {how}",
        answer.judge
    ))
}

/// What an undecided requirement lacks: the width of the interval shrinks with the square root of the number of items.
fn how_much_more(answer: &Comparison, bound: f64) -> String {
    let Ok(rate) = &answer.win_rate else { return "undecided: no item has a verdict in both orders".to_owned() };
    let distance = (rate.point - bound).abs();
    let width = if rate.point > bound { rate.point - rate.lower } else { rate.upper - rate.point };
    let factor = (width / distance).powi(2);
    if distance > 0.0 && factor <= 100.0 {
        // Items, or groups where they share one: repeats of an item, and items of a group, are no further evidence.
        let (units, name) =
            if answer.groups < answer.items { (answer.groups, "groups") } else { (answer.items, "items") };
        let needed = (units as f64 * factor).ceil();
        let outcomes = answer.outcomes.valid() + answer.outcomes.no_verdict;
        let repeats = if outcomes > answer.items { "; more repeats of the same items are no substitute" } else { "" };
        format!("undecided: at this win rate about {needed:.0} {name} would decide (there are {units}){repeats}")
    } else {
        format!(
            "undecided: the win rate {:.1} % is too close to {:.1} % for any foreseeable number of items",
            rate.point * 100.0,
            bound * 100.0
        )
    }
}
