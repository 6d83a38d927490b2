//! What a comparison has to show, `--require`, and whether it does.

use super::args::{CompareArgs, RequireArg};
use super::certificates::LabelFiles;
use super::court::Court;
use super::exit::{CliError, Exit};
use super::settings::quoted;
use crate::analysis::compare::{Banner, Comparison, CountedUnit, Requirement};
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
    match answer.requirement.map(|required| required.held) {
        None => (Exit::Done, None),
        Some(Held::Held) => (Exit::Done, way_out(answer, court)),
        Some(Held::NotHeld) => (Exit::Short, None),
        Some(Held::Undecided) => (Exit::Undecided, Some(how_much_more(answer))),
    }
}

/// How a requirement that is held gets a judge behind it; nothing where it has one, or where the judge is a control.
fn way_out(answer: &Comparison, court: &Court<'_>) -> Option<String> {
    if let Some(tried) = &answer.tried {
        return Some(format!(
            "the requirement is held by the word of judge `{}`, which {}",
            answer.judge,
            super::court::not_passed(tried)
        ));
    }
    let how = match answer.banner? {
        Banner::Control => return None,
        Banner::Uncalibrated => format!("`{}`", court.calibration(LabelFiles::default())),
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

/// What an undecided requirement lacks, as every report of it says too.
fn how_much_more(answer: &Comparison) -> String {
    if answer.needs_another_judge() {
        return format!("undecided: judge `{}` tells too little apart on these items; ask another one", answer.judge);
    }
    let Some(more) = &answer.would_decide else { return "undecided: no item has a verdict in both orders".to_owned() };
    let Some(needed) = more.needed else {
        return format!(
            "undecided: the win rate is too close to {:.1} % for any foreseeable number of items",
            more.bound * 100.0
        );
    };
    let name = if more.unit == CountedUnit::Groups { "groups" } else { "items" };
    let repeats = if more.repeated { "; more repeats of the same items are no substitute" } else { "" };
    format!("undecided: at this win rate about {needed} {name} would decide (there are {}){repeats}", more.present)
}
