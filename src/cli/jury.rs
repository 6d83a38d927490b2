//! The jury: who sits on it, and by which rule it speaks.

use std::collections::BTreeSet;

use super::args::{JuryArg, JuryArgs};
use super::exit::CliError;
use crate::analysis::jury::{Panel, Rule};
use crate::domain::{JudgeName, did_you_mean};

/// The jury that was asked for.
pub(super) fn panel(args: &JuryArgs) -> Panel {
    let rule = match args.rule {
        JuryArg::Majority => Rule::Majority,
        JuryArg::Unanimous => Rule::Unanimous,
    };
    let members = args.members.iter().map(|name| JudgeName::from(name.as_str()));
    Panel { rule, members: (!args.members.is_empty()).then(|| members.collect()) }
}

/// A member that is not on trial, or is a control, is an error; so is a jury of one. Found before anybody is asked.
pub(super) fn check_members<'a>(args: &JuryArgs, judges: impl Iterator<Item = &'a JudgeName>) -> Result<(), CliError> {
    let known: BTreeSet<&str> = judges.filter(|judge| !judge.is_control()).map(JudgeName::as_str).collect();
    if let Some(missing) = args.members.iter().find(|name| !known.contains(name.as_str())) {
        let near = did_you_mean(missing, known.iter().copied());
        let listed = known.into_iter().collect::<Vec<_>>().join(", ");
        return Err(CliError::usage(format!("--jury-member: no judge on trial is called `{missing}`{near}"))
            .hint(format!("a jury can have: {listed}; control judges are baselines and sit on none")));
    }
    let members: BTreeSet<&String> = args.members.iter().collect();
    if members.len() == 1 {
        return Err(CliError::usage("--jury-member: a jury has two members or more").hint("name another one"));
    }
    Ok(())
}
