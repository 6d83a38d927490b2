//! `generate`: responses to items from a model and a prompt version, for a prompt A/B.

use crate::cli::args::GenerateArgs;
use crate::cli::clock::Clock;
use crate::cli::evidence;
use crate::cli::exit::{CliError, Exit};
use crate::cli::generating::Generating;
use crate::cli::ledger::Origin;
use crate::cli::output::{Existing, check_apart, check_lines, check_target, file_of, print, write_file};
use crate::cli::settings::{Environment, Settings};
use crate::cli::ui::Ui;
use crate::domain::RunKind;

pub(in crate::cli) fn run(args: &GenerateArgs, environment: &Environment, ui: Ui) -> Result<Exit, CliError> {
    let clock = Clock::new(environment.source_date_epoch.as_deref())?;
    let settings = Settings::load(args.calls.config.as_deref())?;
    let existing = Existing::by_force(args.force);
    let out = file_of(args.out.as_deref());
    if let Some(path) = out {
        check_lines(path)?;
        check_apart(out, std::iter::once(args.items.as_str()).chain(args.prompt.as_deref()))?;
        check_target(path, existing)?;
    }
    let items = evidence::items(&args.items, ui)?;
    let origin = Origin { kind: RunKind::Generate, command: &environment.command };
    let generating = Generating { calls: &args.calls, settings: &settings, origin, clock, ui };
    let system = generating.system(&args.model, args.prompt.as_deref(), &mut Vec::new())?;
    let Some((generated, _)) = generating.generate(&[system], &items)? else { return Ok(Exit::Done) };
    let lines: String = generated.iter().map(|one| one.lines.as_str()).collect();
    match out {
        Some(path) => {
            write_file(path, &lines, existing)?;
            ui.note(format!("written: {}", path.display()));
        }
        None => print(&lines)?,
    }
    let lacking: usize = generated.iter().map(|one| one.lacking).sum();
    Ok(if lacking == 0 { Exit::Done } else { Exit::Incomplete })
}
