//! `compare`: is A better than B, by a judge that was tried?

use crate::analysis::compare::{Options, compare};
use crate::cli::args::CompareArgs;
use crate::cli::background;
use crate::cli::clock::Clock;
use crate::cli::court::{self, Court};
use crate::cli::exit::{CliError, Exit};
use crate::cli::ledger::Origin;
use crate::cli::output::{Delivery, check_apart};
use crate::cli::settings::{Environment, Settings};
use crate::cli::stopping;
use crate::cli::ui::Ui;
use crate::cli::{items, requirement};
use crate::domain::RunKind;
use crate::report::{Content, ItemTable, Report};

pub(in crate::cli) fn run(args: &CompareArgs, environment: &Environment, ui: Ui) -> Result<Exit, CliError> {
    let clock = Clock::new(environment.source_date_epoch.as_deref())?;
    let settings = Settings::load(args.ask.calls.config.as_deref())?;
    let requirement = requirement::wanted(args)?;
    let prereg = args.prereg.as_deref().map(|path| background::plan(path, ui)).transpose()?;
    let read: Vec<&str> = read(args).collect();
    check_apart(args.output.out.as_deref(), read.iter().copied())?;
    check_apart(args.ask.record.as_deref(), read)?;
    let delivery = Delivery::new(&args.output, environment)?;
    if requirement.is_none() && prereg.is_none() {
        delivery.needs_criteria("add --require better, --require no-worse or --prereg FILE")?;
    }
    let origin = Origin { kind: RunKind::Compare, command: &environment.command };
    let court = Court { args, settings: &settings, origin, clock, ui };
    let Some((mut evidence, judge, door)) = court.gather()? else { return Ok(Exit::Done) };
    let stopped = stopping::rule(args)?.map(|rule| {
        ui.during("the looks, one after the other", || stopping::conclude(&mut evidence, &judge, rule, args))
    });
    let (plan, plan_file) = prereg.unzip();
    evidence.inputs.extend(plan_file);
    let (a, b) = court::names(args, &evidence.gold);
    let door = door.met(&evidence.judgments, &judge);
    let options = Options {
        gold_sample: background::gold_sample(args.gold_sample, &evidence.pairs, ui),
        accuracy: door.accuracy,
        most_flips: door.most_flips,
        passes: background::passes(&evidence.pairs),
        requirement,
        plan,
        ledger: background::reruns(&args.ask.calls, &evidence.pairs, &judge),
        stopped,
        ..Options::new(a, b, args.statistics.resamples as usize, args.statistics.seed)
    };
    let mut answer =
        ui.during("rates, intervals and tests", || compare(&evidence.gold, &evidence.judgments, &judge, &options));
    answer.warnings.extend(evidence.warnings);
    answer.certificate = door.certificate;
    answer.banner = door.banner;
    answer.tried = door.tried;
    answer.warnings.extend(door.warnings);
    let items = if delivery.wants_items() {
        let shown = items::Shown { cap: args.output.show_items, seed: args.statistics.seed };
        items::table(&evidence.gold, evidence.pairs, evidence.judgments, &shown)
    } else {
        ItemTable::default()
    };
    let manifest = super::manifest(environment, clock, &args.statistics, evidence.inputs);
    let report = Report { content: Content::Comparison(&answer), items, manifest: &manifest, lang: delivery.lang };
    delivery.deliver(&report, ui)?;
    if let Some(recording) = evidence.recording {
        recording.write()?;
    }
    let (exit, more) = requirement::outcome(&answer, &court);
    if let Some(more) = more {
        ui.note(more);
    }
    Ok(exit)
}

/// The files that the comparison reads.
fn read(args: &CompareArgs) -> impl Iterator<Item = &str> {
    let own =
        [&args.a, &args.b, &args.pairs, &args.prompt_a, &args.prompt_b, &args.items, &args.verdicts, &args.prereg];
    own.into_iter().flatten().map(String::as_str).chain(args.ask.read(args.judge.as_slice()))
}
