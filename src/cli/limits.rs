//! What a run may use: calls at a time, rates, budgets. A flag wins over the judge's own settings, those over `[limits]`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::args::CallArgs;
use super::exit::CliError;
use super::settings::{JudgeSettings, Settings};
use crate::domain::JudgeName;
use crate::runner;

/// `[limits]` of the settings file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    pub concurrency: Option<u32>,
    pub timeout_s: Option<f64>,
    pub requests_per_minute: Option<f64>,
    pub tokens_per_minute: Option<f64>,
    pub max_usd: Option<f64>,
    pub max_calls: Option<i64>,
}

impl Limits {
    /// Refuses what no run could keep.
    pub fn check(&self) -> Result<(), CliError> {
        let place = "[limits]";
        if self.concurrency == Some(0) {
            return Err(CliError::usage("[limits] concurrency: 0 calls at a time ask nothing").hint("want 1 or more"));
        }
        positive(place, "requests_per_minute", self.requests_per_minute)?;
        positive(place, "tokens_per_minute", self.tokens_per_minute)?;
        positive(place, "max_usd", self.max_usd)?;
        match self.max_calls.filter(|calls| *calls < 1) {
            Some(calls) => Err(CliError::usage(format!("[limits] max_calls: found {calls}")).hint("want 1 or more")),
            None => Ok(()),
        }
    }
}

/// Refuses limits of one judge that no run could keep.
pub(super) fn check_judge(name: &str, own: &JudgeSettings) -> Result<(), CliError> {
    let place = format!("[judges.{name}]");
    if own.concurrency == Some(0) {
        return Err(
            CliError::usage(format!("{place} concurrency: 0 calls at a time ask nothing")).hint("want 1 or more")
        );
    }
    positive(&place, "requests_per_minute", own.requests_per_minute)?;
    positive(&place, "tokens_per_minute", own.tokens_per_minute)
}

fn positive(place: &str, setting: &str, value: Option<f64>) -> Result<(), CliError> {
    match value.filter(|number| !(number.is_finite() && *number > 0.0)) {
        Some(number) => {
            let place = if place.is_empty() { setting.to_owned() } else { format!("{place} {setting}") };
            Err(CliError::usage(format!("{place}: found {number}")).hint("want a number above 0"))
        }
        None => Ok(()),
    }
}

/// What holds for one run.
#[derive(Debug)]
pub(super) struct InForce {
    /// Calls open at a time for each judge that sets nothing else.
    pub concurrency: Option<usize>,
    pub judges: BTreeMap<JudgeName, runner::Limits>,
    pub budget: runner::Budget,
}

/// Flags and settings together, for the judges of these names.
pub(super) fn in_force<'a>(
    calls: &CallArgs,
    settings: &Settings,
    names: impl Iterator<Item = &'a JudgeName>,
) -> Result<InForce, CliError> {
    positive("", "--requests-per-minute", calls.requests_per_minute)?;
    positive("", "--tokens-per-minute", calls.tokens_per_minute)?;
    positive("", "--max-usd", calls.max_usd)?;
    let general = &settings.limits;
    let of_judge = |name: &JudgeName| {
        let name = name.as_str().trim_start_matches("checks+");
        // A system is called by its model and, behind a slash, its prompt version.
        let model = || name.rsplit_once('/').map(|(model, _)| model);
        let own = settings.judges.get(name).or_else(|| settings.judges.get(model()?));
        let rate = |flag: Option<f64>, own: Option<f64>, general: Option<f64>| flag.or(own).or(general);
        runner::Limits {
            concurrency: count(calls.concurrency.or(own.and_then(|own| own.concurrency)).or(general.concurrency)),
            requests_per_minute: rate(
                calls.requests_per_minute,
                own.and_then(|own| own.requests_per_minute),
                general.requests_per_minute,
            ),
            tokens_per_minute: rate(
                calls.tokens_per_minute,
                own.and_then(|own| own.tokens_per_minute),
                general.tokens_per_minute,
            ),
        }
    };
    Ok(InForce {
        concurrency: count(calls.concurrency.or(general.concurrency)),
        judges: names.map(|name| (name.clone(), of_judge(name))).collect(),
        budget: runner::Budget {
            max_calls: calls.max_calls.or(general.max_calls.and_then(|calls| u64::try_from(calls).ok())),
            max_usd: calls.max_usd.or(general.max_usd),
        },
    })
}

/// Files that a run has open beside its calls' connections: store, index, logs and pipes take some twenty.
const BESIDE_CALLS: u64 = 40;

/// Sees to it that all that are asked can have so many calls open at a time each: each call has a connection, and a run that
/// gets no more files open can neither connect nor close its store. Raises the process's own limit as far as the system allows.
pub(super) fn make_room(calls_of_each: &[u64]) -> Result<(), CliError> {
    let calls = calls_of_each.iter().sum::<u64>();
    let Some(most) = open_files(calls + BESIDE_CALLS) else { return Ok(()) };
    if calls + BESIDE_CALLS <= most {
        return Ok(());
    }
    let asked = calls_of_each.len() as u64;
    // The flag holds for each of them alone.
    let fewer = match most.saturating_sub(BESIDE_CALLS).checked_div(asked) {
        None | Some(0) => String::new(),
        Some(fitting) if asked == 1 => format!("ask fewer at a time (`--concurrency {fitting}`), or "),
        Some(fitting) => format!("ask fewer at a time (`--concurrency {fitting}`, for each of the {asked} asked), or "),
    };
    Err(CliError::usage(format!(
        "{calls} calls at a time need {} open files, and a process may have {most} here",
        calls + BESIDE_CALLS
    ))
    .hint(format!("{fewer}raise `ulimit -n`")))
}

/// The number of files that may be open, after it was raised to what is needed where that is allowed; `None` for no limit.
#[cfg(unix)]
fn open_files(needed: u64) -> Option<u64> {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut limit = getrlimit(Resource::Nofile);
    if limit.current? < needed {
        let raised = limit.maximum.map_or(needed, |most| most.min(needed));
        limit.current = limit.current.max(Some(raised));
        // Where it is refused, the limit stays as it is.
        let _ = setrlimit(Resource::Nofile, limit);
    }
    getrlimit(Resource::Nofile).current
}

#[cfg(not(unix))]
fn open_files(_: u64) -> Option<u64> {
    None
}

fn count(number: Option<u32>) -> Option<usize> {
    number.map(|number| usize::try_from(number.max(1)).unwrap_or(1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::{Args, Command};

    const SETTINGS: &str = "[limits]\nrequests_per_minute = 60\nconcurrency = 3\nmax_calls = 9\n\
        [judges.mini]\nprovider = \"ollama\"\nmodel = \"m\"\nrequests_per_minute = 5\nconcurrency = 2";

    fn calls(flags: &[&str]) -> CallArgs {
        let words = ["tribunal", "calibrate", "--judge", "mini"].iter().chain(flags);
        match Args::try_parse_from(words).unwrap().command {
            Command::Calibrate(args) => args.ask.calls,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_flag_wins_over_the_judge_and_the_judge_over_the_file() {
        let settings: Settings = toml::from_str(SETTINGS).unwrap();
        let names: [JudgeName; 2] = ["checks+mini".into(), "other".into()];
        let found = in_force(&calls(&[]), &settings, names.iter()).unwrap();
        let rate = |found: &InForce, name: usize| found.judges[&names[name]].requests_per_minute;
        assert_eq!((rate(&found, 0), rate(&found, 1)), (Some(5.0), Some(60.0)));
        assert_eq!((found.judges[&names[0]].concurrency, found.judges[&names[1]].concurrency), (Some(2), Some(3)));
        assert_eq!((found.budget.max_calls, found.budget.max_usd), (Some(9), None));
        let flags = ["--requests-per-minute", "7", "--max-calls", "4", "--max-usd", "0.5", "--concurrency", "6"];
        let found = in_force(&calls(&flags), &settings, names.iter()).unwrap();
        assert_eq!((rate(&found, 0), rate(&found, 1)), (Some(7.0), Some(7.0)));
        assert_eq!((found.budget.max_calls, found.budget.max_usd), (Some(4), Some(0.5)));
        assert_eq!(found.judges[&names[0]].concurrency, Some(6));
    }

    #[test]
    fn a_limit_that_no_run_could_keep_is_refused_by_its_name() {
        for (setting, bad) in [
            ("requests_per_minute", "0"),
            ("tokens_per_minute", "-1"),
            ("max_usd", "nan"),
            ("max_usd", "inf"),
            ("max_calls", "0"),
            ("max_calls", "-3"),
            ("concurrency", "0"),
        ] {
            let settings: Settings = toml::from_str(&format!("[limits]\n{setting} = {bad}")).unwrap();
            let error = settings.limits.check().unwrap_err();
            assert!(error.message.contains(setting), "{}", error.message);
        }
        let judge = "[judges.mini]\nprovider = \"ollama\"\nmodel = \"m\"\ntokens_per_minute = 0";
        let settings: Settings = toml::from_str(judge).unwrap();
        let error = check_judge("mini", &settings.judges["mini"]).unwrap_err();
        assert!(error.message.contains("[judges.mini] tokens_per_minute"), "{}", error.message);
        for flag in ["--max-usd", "--requests-per-minute", "--tokens-per-minute"] {
            for bad in ["0", "-2", "NaN"] {
                let error = in_force(&calls(&[flag, bad]), &Settings::default(), std::iter::empty()).unwrap_err();
                assert!(error.message.contains(flag), "{}", error.message);
            }
        }
    }
}
