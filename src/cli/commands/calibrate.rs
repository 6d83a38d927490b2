//! `calibrate`: try judges on the gold set, certify them, report.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::calibration::{Calibration, GoldSummary, Options, Scorecard, calibrate};
use crate::analysis::certificate::{Certificate, DAYS_VALID, Validity, certify};
use crate::analysis::gate::{Criterion, Decision, GateRules};
use crate::analysis::jury::{Panel, Rule};
use crate::analysis::warning::Warning;
use crate::cli::args::{CalibrateArgs, JuryArg, JuryArgs};
use crate::cli::asking::{Asking, Reach};
use crate::cli::clock::Clock;
use crate::cli::evidence::{self, Evidence};
use crate::cli::exit::{CliError, Exit};
use crate::cli::judges::Bench;
use crate::cli::judging::Judging;
use crate::cli::ledger::Origin;
use crate::cli::output::Delivery;
use crate::cli::settings::{Environment, Settings};
use crate::cli::ui::Ui;
use crate::cli::{certificates, items};
use crate::domain::{Digest, JudgeName, RunKind, did_you_mean};
use crate::judge::{Judge, JudgeKind, ServedPolicy};
use crate::report::{Content, ItemTable, Report};

pub(in crate::cli) fn run(args: &CalibrateArgs, environment: &Environment, ui: Ui) -> Result<Exit, CliError> {
    let clock = Clock::new(environment.source_date_epoch.as_deref())?;
    let settings = Settings::load(args.ask.calls.config.as_deref())?;
    let rules = settings.gate()?;
    let delivery = Delivery::new(&args.output, environment)?;
    certificates::check(&args.door.certificates)?;
    let origin = Origin { kind: RunKind::Calibrate, command: &environment.command };
    let Some((evidence, judges)) = gather(args, &settings, origin, clock, ui)? else { return Ok(Exit::Done) };
    let jury = panel(&args.jury);
    let any_model = judges
        .iter()
        .filter(|judge| judge.served_policy() == ServedPolicy::Any)
        .map(|judge| judge.name().clone())
        .collect();
    let options =
        Options { rules, resamples: args.statistics.resamples as usize, seed: args.statistics.seed, any_model, jury };
    let mut answer = calibrate(&evidence.gold, &evidence.judgments, &options);
    answer.warnings.extend(evidence.warnings.into_iter().map(Warning::Note));
    let mut issued = Vec::new();
    for card in &mut answer.judges {
        if let Some(certificate) = certificate(card, &answer.gold, &rules, &judges, clock)? {
            card.certificate = Some(certificates::path(&args.door.certificates, &certificate).display().to_string());
            issued.push(certificate);
        }
    }
    let items = if delivery.wants_items() {
        items::table(&evidence.gold, &evidence.pairs, &evidence.judgments)
    } else {
        ItemTable::default()
    };
    let manifest = super::manifest(environment, clock, &args.statistics, evidence.inputs);
    let report = Report { content: Content::Calibration(&answer), items, manifest: &manifest, lang: delivery.lang };
    // A certificate opens a door, so none is written whose report nobody got.
    delivery.deliver(&report, ui)?;
    for certificate in &issued {
        let path = certificates::write(&args.door.certificates, certificate, ui)?;
        ui.note(format!("certificate: {} ({})", path.display(), certificate.decision.as_str()));
    }
    let exit = status(&answer);
    if exit == Exit::Undecided {
        for line in how_much_more(&answer) {
            ui.note(line);
        }
    }
    Ok(exit)
}

/// What the undecided criteria lack, a line each.
fn how_much_more(answer: &Calibration) -> Vec<String> {
    let line = |card: &Scorecard, criterion: &Criterion| {
        let more = match (&criterion.labels_needed, &criterion.decided_on) {
            (Some(n), _) => format!("an n of about {n} would decide"),
            (None, Err(absence)) => format!("not estimable ({})", absence.reason),
            (None, Ok(_)) => "no foreseeable n would decide".to_owned(),
        };
        format!("undecided: {}: {}: {more}", card.name, criterion.name)
    };
    answer
        .judges
        .iter()
        .flat_map(|card| {
            let gates = card.gate.iter();
            gates.flat_map(|gate| gate.with(Decision::Inconclusive)).map(move |criterion| line(card, criterion))
        })
        .collect()
}

/// Recorded verdicts, or those of the judges that are asked now; `None` after a dry run.
fn gather(
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
        check_members(&args.jury, evidence.judgments.iter().map(|judgment| &judgment.judge))?;
        return Ok(Some((evidence, Vec::new())));
    }
    let source = evidence::gold_source(args.gold.as_deref())?;
    let mut evidence = evidence::pairs(&source, "gold", args.labels.as_deref(), &options, ui)?;
    if evidence.gold.labelled() == 0 {
        ui.warn("no item has a gold label: only position will be measured, and nothing can pass (add `gold`, or --labels FILE)");
    }
    let mut bench = Bench::new(settings, &args.ask, &evidence.pairs);
    let judges = bench.seat(&args.judge, ui)?;
    check_members(&args.jury, judges.iter().map(Judge::name))?;
    let inputs = bench.inputs;
    evidence.inputs.extend(inputs);
    let calls = &args.ask.calls;
    let asking = Asking { calls, settings, clock, origin, served: BTreeMap::new(), reach: Reach::Endpoints, ui };
    let judging = Judging { asking, ask: &args.ask, force: args.output.force };
    let Some(judgments) = judging.ask(&judges, &evidence.pairs)? else { return Ok(None) };
    evidence.judgments = judgments;
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

/// The jury that was asked for.
fn panel(args: &JuryArgs) -> Panel {
    let rule = match args.rule {
        JuryArg::Majority => Rule::Majority,
        JuryArg::Unanimous => Rule::Unanimous,
    };
    let members = args.members.iter().map(|name| JudgeName::from(name.as_str()));
    Panel { rule, members: (!args.members.is_empty()).then(|| members.collect()) }
}

/// A member that is not on trial, or is a control, is an error; so is a jury of one. Found before anybody is asked.
fn check_members<'a>(args: &JuryArgs, judges: impl Iterator<Item = &'a JudgeName>) -> Result<(), CliError> {
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

/// Every judge on trial gets one, whatever the decision; control judges need none.
fn certificate(
    card: &Scorecard,
    gold: &GoldSummary,
    rules: &GateRules,
    judges: &[Judge],
    clock: Clock,
) -> Result<Option<Certificate>, CliError> {
    let judge = judges.iter().find(|judge| *judge.name() == card.name);
    // A recording may say that its judge is a control; no door opens for that name either.
    if judge.is_some_and(|judge| judge.kind() == JudgeKind::Control) || card.name.is_control() {
        return Ok(None);
    }
    let prompt: Option<Digest> = judge.and_then(Judge::prompt_digest);
    let validity = Validity { date: clock.now(), expires: clock.in_days(DAYS_VALID) };
    Ok(certify(card, gold, rules, prompt, validity)?)
}

fn status(answer: &Calibration) -> Exit {
    match answer.decision {
        Decision::Pass => Exit::Done,
        Decision::Fail => Exit::Short,
        Decision::Inconclusive => Exit::Undecided,
    }
}
