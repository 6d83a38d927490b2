//! `plan`: how many items, labels, calls, dollars and hours until this is decided?

use std::collections::BTreeSet;

use crate::analysis::calibration::{self, calibrate};
use crate::analysis::gate::{Gate, GateRules};
use crate::analysis::jury::Panel;
use crate::analysis::plan::{CallTerms, EFFECTS, Options, Pilot, plan};
use crate::cli::args::{AskArgs, FormatArg, LangArg};
use crate::cli::evidence::{self, Evidence};
use crate::cli::exit::{CliError, Exit};
use crate::cli::judges::Bench;
use crate::cli::limits;
use crate::cli::output::{print, table_options};
use crate::cli::plan_args::PlanArgs;
use crate::cli::settings::{Environment, Settings};
use crate::cli::ui::Ui;
use crate::data::{self, Disputed, Kind, PairOptions};
use crate::domain::{JudgeName, Judgment, Usage};
use crate::judge::{Judge, JudgeKind};
use crate::report::{Lang, PlanFormat, render_plan};
use crate::stats::power::Risk;
use crate::stats::{NotEstimable, Reason};
use crate::store::{Access, Store};

/// Enough for the gate of a plan, whose numbers are rough.
const RESAMPLES: usize = 2000;

pub(in crate::cli) fn run(args: &PlanArgs, environment: &Environment, ui: Ui) -> Result<Exit, CliError> {
    check(args)?;
    let format = form(args.format, environment)?;
    let settings = Settings::load(args.config.as_deref())?;
    let rules = settings.gate()?;
    let pilot = args.pilot.as_deref().map(|path| recorded(path, args, ui)).transpose()?;
    let ask = args.ask();
    let judge = judge(args, &settings, &ask, pilot.as_ref(), ui)?;
    let told = pilot.as_ref().map(|(evidence, name)| spread(evidence, name, args)).transpose()?;
    let gate = pilot
        .as_ref()
        .and_then(|(evidence, name)| ui.during("the pilot's figures", || tried(evidence, name, &rules, args.seed)));
    let said = pilot.as_ref().map_or(&[][..], |(evidence, _)| &evidence.judgments[..]);
    let own: Vec<&Judgment> = match &pilot {
        Some((_, name)) => said.iter().filter(|judgment| judgment.judge == *name).collect(),
        None => Vec::new(),
    };
    let options = Options {
        effects: if args.effect.is_empty() { EFFECTS.to_vec() } else { args.effect.clone() },
        risk: Risk { alpha: args.alpha, power: args.power },
        half_width: args.half_width,
        repeats: args.repeats,
        ties: args.ties,
        flips: args.flips,
        rules,
        calls: terms(args, &settings, &ask, judge.as_ref(), &own, ui)?,
        seed: args.seed,
    };
    let answer = ui.during("simulating plans", || plan(told, gate.as_ref(), &options)).map_err(|absence| {
        CliError::usage(format!("nothing can be planned so: {}", absence.reason))
            .hint("check the shares that were given")
    })?;
    let lang = match args.lang {
        LangArg::En => Lang::En,
        LangArg::Ja => Lang::Ja,
    };
    print(&render_plan(&answer, format, lang)?)?;
    Ok(Exit::Done)
}

fn form(format: FormatArg, environment: &Environment) -> Result<PlanFormat, CliError> {
    let known = [FormatArg::Table, FormatArg::Json, FormatArg::Jsonl, FormatArg::Csv, FormatArg::Markdown];
    Ok(match format.among(&known, "a plan has no page, and nothing in it passes or fails")? {
        FormatArg::Json => PlanFormat::Json,
        FormatArg::Jsonl => PlanFormat::JsonLines,
        FormatArg::Csv => PlanFormat::Csv,
        FormatArg::Markdown => PlanFormat::Markdown,
        FormatArg::Table | FormatArg::Html | FormatArg::Junit => PlanFormat::Table(table_options(environment, true)),
    })
}

/// Refuses what no plan could be made for, by its flag.
fn check(args: &PlanArgs) -> Result<(), CliError> {
    let within = |flag: &str, value: f64, low: f64, high: f64| {
        if value > low && value < high {
            return Ok(());
        }
        Err(CliError::usage(format!("{flag}: found {value}"))
            .hint(format!("want a number above {low} and below {high}")))
    };
    for effect in &args.effect {
        within("--effect", *effect, 0.0, 1.0)?;
        #[allow(clippy::float_cmp, reason = "no difference at all is what cannot be planned for")]
        if *effect == 0.5 {
            return Err(CliError::usage("--effect: 0.5 is no difference")
                .hint("no number of items shows one that is not there; name the smallest that would matter"));
        }
    }
    within("--power", args.power, 0.0, 1.0)?;
    within("--alpha", args.alpha, 0.0, 1.0)?;
    within("--half-width", args.half_width, 0.0, 0.5)?;
    for (flag, share) in [("--ties", args.ties), ("--flips", args.flips)] {
        if !(0.0..=1.0).contains(&share) {
            return Err(CliError::usage(format!("{flag}: found {share}")).hint("want a share from 0 to 1"));
        }
    }
    if args.ties + args.flips > 1.0 {
        return Err(
            CliError::usage("--ties and --flips are more than everything together").hint("their sum is 1 at most")
        );
    }
    Ok(())
}

/// The pilot's verdicts, and whose they are.
fn recorded(path: &str, args: &PlanArgs, ui: Ui) -> Result<(Evidence, JudgeName), CliError> {
    // Standard input is read once, so only a file can be looked at before.
    if path != "-"
        && matches!(data::detect(&evidence::read(path, ui)?, None), Kind::Pairs | Kind::Gold | Kind::Responses)
    {
        return Err(CliError::usage(format!("{path} holds no verdicts, and only verdicts tell a spread")).hint(format!(
            "record some: `tribunal judge --pairs {path} --judge JUDGE --out verdicts.jsonl`, then --pilot verdicts.jsonl"
        )));
    }
    let options = PairOptions { group_by: args.group_by.clone(), disputed: Disputed::Tie };
    let evidence = evidence::verdicts(path, args.gold.as_deref(), None, &options, ui)?;
    let judges: BTreeSet<&JudgeName> = evidence.judgments.iter().map(|judgment| &judgment.judge).collect();
    let listed = judges.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    let named = args.judge.as_deref().and_then(|name| judges.iter().find(|judge| judge.as_str() == name));
    let judge = match (named, judges.len()) {
        (Some(judge), _) => (*judge).clone(),
        (None, 1) => (*judges.first().expect("there is one")).clone(),
        (None, 0) => return Err(CliError::usage(format!("{path} holds no verdict")).hint("name another file")),
        (None, _) => {
            return Err(CliError::usage(format!("{path} holds several judges"))
                .hint(format!("choose one with --judge: {listed}")));
        }
    };
    Ok((evidence, judge))
}

/// The judge that would be asked; a name that only the pilot knows is none.
fn judge(
    args: &PlanArgs,
    settings: &Settings,
    ask: &AskArgs,
    pilot: Option<&(Evidence, JudgeName)>,
    ui: Ui,
) -> Result<Option<Judge>, CliError> {
    let Some(name) = &args.judge else { return Ok(None) };
    let is_recorded = pilot.is_some_and(|(_, judge)| judge.as_str() == name);
    if is_recorded && !settings.judges.contains_key(name) {
        let known = Bench::new(settings, ask, &[]).seat(std::slice::from_ref(name), Ui::silent());
        return Ok(known.ok().and_then(|mut judges| judges.pop()));
    }
    Ok(Bench::new(settings, ask, &[]).seat(std::slice::from_ref(name), ui)?.pop())
}

fn spread(evidence: &Evidence, judge: &JudgeName, args: &PlanArgs) -> Result<Pilot, CliError> {
    let path = args.pilot.as_deref().unwrap_or_default();
    Pilot::of(&evidence.gold, &evidence.judgments, judge).map_err(|NotEstimable { reason, .. }| {
        let found = if reason == Reason::Empty { "no item" } else { "one item only" };
        CliError::usage(format!("{path} holds {found} with a verdict of `{judge}` in both orders"))
            .hint("a pilot needs two items or more, both orders of each")
    })
}

/// What the pilot's judge comes to on the gold labels, where there are any.
fn tried(evidence: &Evidence, judge: &JudgeName, rules: &GateRules, seed: u64) -> Option<Gate> {
    if evidence.gold.labelled() == 0 {
        return None;
    }
    let own: Vec<Judgment> = evidence.judgments.iter().filter(|judgment| judgment.judge == *judge).cloned().collect();
    let options = calibration::Options {
        rules: *rules,
        resamples: RESAMPLES,
        seed,
        any_model: BTreeSet::new(),
        jury: Panel::default(),
    };
    calibrate(&evidence.gold, &own, &options).judges.pop()?.gate
}

/// One recorded call.
struct Call {
    usage: Usage,
    latency_ms: Option<u64>,
    usd: Option<f64>,
}

/// What a call takes: by the judge's answers in the store, else by the pilot's.
fn terms(
    args: &PlanArgs,
    settings: &Settings,
    ask: &AskArgs,
    judge: Option<&Judge>,
    pilot: &[&Judgment],
    ui: Ui,
) -> Result<CallTerms, CliError> {
    let mut calls = judge.map(|judge| stored(judge, args, ui)).transpose()?.unwrap_or_default();
    if calls.is_empty() {
        let details = pilot.iter().filter_map(|judgment| judgment.detail.as_deref());
        calls = details
            .map(|detail| Call {
                usage: detail.usage,
                latency_ms: detail.latency_ms,
                usd: detail.cost_usd.or_else(|| judge.and_then(|judge| judge.cost_usd(&detail.usage))),
            })
            .filter(|call| call.usage != Usage::default() || call.latency_ms.is_some() || call.usd.is_some())
            .collect();
    }
    let in_force = limits::in_force(&ask.calls, settings, judge.iter().map(|judge| judge.name()))?;
    let own = judge.and_then(|judge| in_force.judges.get(judge.name()).copied()).unwrap_or_default();
    let concurrency = own.concurrency.or(in_force.concurrency).and_then(|calls| u32::try_from(calls).ok());
    let mean = |of: &dyn Fn(&Call) -> Option<f64>| {
        let known: Vec<f64> = calls.iter().filter_map(of).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    // A judge on this machine costs nothing and takes no time worth a plan; what others take is known or it is not.
    let is_local = judge.is_some_and(|judge| matches!(judge.kind(), JudgeKind::Control | JudgeKind::Checks));
    let free = |value: Option<f64>| if is_local { Some(0.0) } else { value };
    Ok(CallTerms {
        recorded: calls.len() as u64,
        input_tokens: free(mean(&|call| call.usage.input_tokens.map(|tokens| tokens as f64))),
        output_tokens: free(mean(&|call| call.usage.output_tokens.map(|tokens| tokens as f64))),
        usd: free(mean(&|call| call.usd)),
        latency_ms: free(mean(&|call| call.latency_ms.map(|ms| ms as f64))),
        concurrency: concurrency.unwrap_or(DEFAULT_CONCURRENCY),
        requests_per_minute: own.requests_per_minute.or(ask.calls.requests_per_minute),
        tokens_per_minute: own.tokens_per_minute.or(ask.calls.tokens_per_minute),
    })
}

/// Calls open at a time where nothing is set, as in a run.
const DEFAULT_CONCURRENCY: u32 = 8;

/// The judge's answers in the store; none where there is no store.
fn stored(judge: &Judge, args: &PlanArgs, ui: Ui) -> Result<Vec<Call>, CliError> {
    if judge.kind() != JudgeKind::Endpoint || !args.store.join("journal").is_dir() {
        return Ok(Vec::new());
    }
    let (mut store, notices) = ui.during("opening the store", || Store::open(&args.store, Access::Read))?;
    for notice in notices {
        ui.warn(notice.text);
    }
    let own = store.records().filter(|record| record.fingerprint == *judge.fingerprint());
    Ok(own
        .map(|record| Call {
            usage: record.completion.usage,
            latency_ms: record.completion.latency_ms,
            usd: judge.cost_usd(&record.completion.usage),
        })
        .collect())
}
