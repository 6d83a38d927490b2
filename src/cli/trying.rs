//! What a calibration needs: the gold set, and the verdicts of judges on it, recorded or asked for.

use std::collections::{BTreeMap, BTreeSet};

use super::args::CalibrateArgs;
use super::asking::{Asking, Reach};
use super::clock::Clock;
use super::evidence::{self, Evidence};
use super::exit::CliError;
use super::judges::Bench;
use super::judging::Judging;
use super::jury;
use super::ledger::Origin;
use super::settings::Settings;
use super::ui::Ui;
use crate::domain::{JudgeName, did_you_mean};
use crate::judge::Judge;
use crate::runner::Spent;

/// Recorded verdicts, or those of the judges that are asked now; `None` after a dry run.
pub(super) fn gather(
    args: &CalibrateArgs,
    settings: &Settings,
    origin: Origin<'_>,
    clock: Clock,
    ui: Ui,
) -> Result<Option<(Evidence, Vec<Judge>)>, CliError> {
    let options = evidence::pair_options(&args.statistics);
    if let Some(verdicts) = &args.verdicts {
        let mut evidence = evidence::verdicts(verdicts, args.gold.as_deref(), args.labels.as_deref(), &options, ui)?;
        if !args.judge.is_empty() {
            choose(&mut evidence, &args.judge, verdicts)?;
        }
        jury::check_members(&args.jury, evidence.judgments.iter().map(|judgment| &judgment.judge))?;
        return Ok(Some((evidence, Vec::new())));
    }
    let source = evidence::gold_source(args.gold.as_deref(), ui)?;
    let mut evidence = evidence::pairs(&source, "gold", args.labels.as_deref(), &options, ui)?;
    if evidence.gold.labelled() == 0 {
        ui.warn("no item has a gold label: only position will be measured, and nothing can pass (add `gold`, or --labels FILE)");
    }
    let mut bench = Bench::new(settings, &args.ask, &evidence.pairs);
    let judges = bench.seat(&args.judge, ui)?;
    jury::check_members(&args.jury, judges.iter().map(Judge::name))?;
    let inputs = bench.inputs;
    evidence.inputs.extend(inputs);
    let calls = &args.ask.calls;
    let asking = Asking {
        calls,
        settings,
        clock,
        origin,
        served: BTreeMap::new(),
        reach: Reach::Endpoints,
        spent: Spent::default(),
        ui,
    };
    let judging = Judging { asking, ask: &args.ask, force: args.output.force };
    let Some(judged) = judging.ask(&judges, &evidence.pairs)? else { return Ok(None) };
    (evidence.judgments, evidence.recording) = (judged.judgments, judged.recording);
    Ok(Some((evidence, judges)))
}

/// Keeps the verdicts of the named judges; a name that the file does not have is an error.
fn choose(evidence: &mut Evidence, names: &[String], file: &str) -> Result<(), CliError> {
    let known: BTreeSet<&str> = evidence.judgments.iter().map(|judgment| judgment.judge.as_str()).collect();
    if let Some(missing) = names.iter().find(|name| !known.contains(name.as_str())) {
        let near = did_you_mean(missing, known.iter().copied());
        let listed = known.into_iter().collect::<Vec<_>>().join(", ");
        return Err(
            CliError::usage(format!("{file} holds no verdict of `{missing}`{near}")).hint(format!("it has: {listed}"))
        );
    }
    let wanted = |name: &JudgeName| names.iter().any(|judge| judge == name.as_str());
    evidence.judgments.retain(|judgment| wanted(&judgment.judge));
    Ok(())
}
