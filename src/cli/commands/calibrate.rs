//! `calibrate`: try judges on the gold set, certify them, report.

use crate::analysis::calibration::{Calibration, Options, Scorecard, calibrate};
use crate::analysis::certificate::Certificate;
use crate::analysis::gate::{Counted, Criterion, Decision};
use crate::analysis::warning::Warning;
use crate::cli::args::CalibrateArgs;
use crate::cli::clock::Clock;
use crate::cli::exit::{CliError, Exit};
use crate::cli::ledger::Origin;
use crate::cli::output::{Delivery, check_apart};
use crate::cli::settings::{Environment, Settings};
use crate::cli::ui::Ui;
use crate::cli::{certificates, items, jury, trying};
use crate::domain::RunKind;
use crate::judge::ServedPolicy;
use crate::report::{Content, ItemTable, Report};

pub(in crate::cli) fn run(args: &CalibrateArgs, environment: &Environment, ui: Ui) -> Result<Exit, CliError> {
    let clock = Clock::new(environment.source_date_epoch.as_deref())?;
    let settings = Settings::load(args.ask.calls.config.as_deref())?;
    let rules = settings.gate()?;
    let read = [&args.gold, &args.labels, &args.verdicts].into_iter().flatten().map(String::as_str);
    let read: Vec<&str> = read.chain(args.ask.read(&args.judge)).collect();
    check_apart(args.output.out.as_deref(), read.iter().copied())?;
    check_apart(args.ask.record.as_deref(), read)?;
    let delivery = Delivery::new(&args.output, environment)?;
    certificates::check(&args.door.certificates)?;
    let origin = Origin { kind: RunKind::Calibrate, command: &environment.command };
    let Some((evidence, judges)) = trying::gather(args, &settings, origin, clock, ui)? else { return Ok(Exit::Done) };
    let jury = jury::panel(&args.jury);
    let any_model = judges
        .iter()
        .filter(|judge| judge.served_policy() == ServedPolicy::Any)
        .map(|judge| judge.name().clone())
        .collect();
    let options =
        Options { rules, resamples: args.statistics.resamples as usize, seed: args.statistics.seed, any_model, jury };
    let mut answer = ui.during("figures and intervals", || calibrate(&evidence.gold, &evidence.judgments, &options));
    answer.warnings.extend(evidence.warnings);
    let mut issued = Vec::new();
    for card in &mut answer.judges {
        if let Some(mut certificate) = certificates::issue(card, &answer.gold, &rules, &judges, clock)? {
            // Standard input cannot be named again.
            let file = |path: &Option<String>| path.clone().filter(|path| path != "-");
            (certificate.gold_file, certificate.labels_file) = (file(&args.gold), file(&args.labels));
            card.certificate = Some(certificates::path(&args.door.certificates, &certificate).display().to_string());
            issued.push(certificate);
        }
    }
    let items = if delivery.wants_items() {
        let shown = items::Shown { cap: args.output.show_items, seed: args.statistics.seed };
        items::table(&evidence.gold, evidence.pairs, evidence.judgments, &shown)
    } else {
        ItemTable::default()
    };
    let manifest = super::manifest(environment, clock, &args.statistics, evidence.inputs);
    let report = Report { content: Content::Calibration(&answer), items, manifest: &manifest, lang: delivery.lang };
    // A pass opens a door, so none is written whose report nobody got. All else shuts one, whatever becomes of the report.
    let (passes, others): (Vec<_>, Vec<_>) =
        issued.iter().partition(|certificate| certificate.decision == Decision::Pass);
    let write = |certificates: Vec<&Certificate>| {
        certificates.into_iter().try_for_each(|certificate| {
            let path = certificates::write(&args.door.certificates, certificate, ui)?;
            ui.note(format!("certificate: {} ({})", path.display(), certificate.decision.as_str()));
            Ok::<(), CliError>(())
        })
    };
    write(others)?;
    delivery.deliver(&report, ui)?;
    write(passes)?;
    if let Some(recording) = evidence.recording {
        recording.write()?;
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
            (Some(n), _) => format!("about {}{}", needed(criterion, *n), repeated(card)),
            (None, Err(absence)) => format!("not estimable ({})", absence.reason),
            (None, Ok(_)) => "no foreseeable number would decide while the figure stays where it is".to_owned(),
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

/// So many of what the criterion counts, and of the gold set, would decide.
fn needed(criterion: &Criterion, n: u64) -> String {
    let counted = Counted::of(&criterion.name);
    let here = criterion.gold_needed.filter(|gold| *gold != n || !counted.is_labelled()).map(|gold| {
        format!(", here about {gold} {}", if counted.is_labelled() { Counted::Labels.words() } else { "items" })
    });
    format!("{n} {} would decide{}", counted.words(), here.unwrap_or_default())
}

/// An n counts every row, and a repeat of an item says nothing of other items.
fn repeated(card: &Scorecard) -> String {
    let repeated = card.warnings.iter().find_map(|warning| match warning {
        Warning::Repeated { rows, items } => Some((rows, items)),
        _ => None,
    });
    repeated.map_or_else(String::new, |(rows, items)| {
        format!(
            " (n counts {rows} rows of {items} items now: add items, more repeats of the same ones are no substitute)"
        )
    })
}

fn status(answer: &Calibration) -> Exit {
    match answer.decision {
        Decision::Pass => Exit::Done,
        Decision::Fail => Exit::Short,
        Decision::Inconclusive => Exit::Undecided,
    }
}
