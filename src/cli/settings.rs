//! What was set where: the settings file and the environment, read once. A flag wins over the environment, that over the file,
//! that over the default.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::exit::CliError;
use super::limits::{Limits, check_judge};
use crate::analysis::gate::{DecideOn, GateRules, Limit, Rule};

/// The settings file that is read where none is named.
const DEFAULT_FILE: &str = "tribunal.toml";

/// The flags that no result depends on, with a value of their own.
const ASIDE: [&str; 6] =
    ["--concurrency", "--requests-per-minute", "--tokens-per-minute", "--max-usd", "--max-calls", "--log"];
/// And without one.
const ASIDE_ALONE: [&str; 4] = ["--yes", "-y", "--log-bodies", "--github"];

/// What the process was started with.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Environment {
    /// Colour on standard output.
    pub colour: bool,
    /// Progress bars on standard error.
    pub bars: bool,
    pub stdout_is_terminal: bool,
    pub stdin_is_terminal: bool,
    /// It knows no escape sequence.
    pub terminal_is_dumb: bool,
    /// A person can read standard error and answer on standard input.
    pub is_interactive: bool,
    pub source_date_epoch: Option<String>,
    /// The name of who is logged in.
    pub user: Option<String>,
    pub columns: Option<u16>,
    /// The file that a step of GitHub Actions shows as its summary.
    pub step_summary: Option<PathBuf>,
    /// The command as typed, quoted for a shell.
    pub command: String,
}

impl Environment {
    pub fn read() -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        // A terminal that knows no escape sequence is as good as a wish for none.
        let plain = set("NO_COLOR").or_else(|| set("TERM").filter(|terminal| terminal == "dumb"));
        Self {
            colour: plain.is_none() && std::io::stdout().is_terminal(),
            bars: plain.is_none() && set("CI").is_none() && std::io::stderr().is_terminal(),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stdin_is_terminal: std::io::stdin().is_terminal(),
            terminal_is_dumb: set("TERM").is_some_and(|terminal| terminal == "dumb"),
            is_interactive: std::io::stdin().is_terminal() && std::io::stderr().is_terminal(),
            source_date_epoch: set("SOURCE_DATE_EPOCH"),
            user: set("USER").or_else(|| set("USERNAME")),
            columns: set("COLUMNS").and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0),
            step_summary: set("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            command: command_line(std::env::args_os().map(|arg| arg.to_string_lossy().into_owned())),
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "this file owns the environment")]
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The command as one line that a POSIX shell reads back; the program by its name alone.
/// What limits the calls, or tells of them, is left out: it changes no result, so it must not change the bytes of one.
fn command_line(args: impl Iterator<Item = String>) -> String {
    let mut args = args.skip(1);
    let mut kept = Vec::new();
    while let Some(arg) = args.next() {
        let with_value = |flag: &str| arg.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='));
        if ASIDE.contains(&arg.as_str()) {
            args.next();
        } else if !ASIDE_ALONE.contains(&arg.as_str()) && !ASIDE.iter().any(|flag| with_value(flag)) {
            kept.push(arg);
        }
    }
    format!("tribunal {}", quoted(kept.iter().map(String::as_str)))
}

/// Words as one line that a POSIX shell reads back.
pub(super) fn quoted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    let one = |word: &str| {
        let is_plain = !word.is_empty() && word.chars().all(plain);
        if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    words.map(|word| one(&without_secrets(word))).collect::<Vec<_>>().join(" ")
}

/// An address without what stands between `//` and `@` or behind `?`: either may be a key.
fn without_secrets(word: &str) -> String {
    let Some((scheme, rest)) =
        word.split_once("://").filter(|(scheme, _)| ["http", "https"].iter().any(|end| scheme.ends_with(end)))
    else {
        return word.to_owned();
    };
    let (place, model) = rest.split_once('#').map_or((rest, None), |(place, model)| (place, Some(model)));
    let place = place.split_once('?').map_or_else(|| place.to_owned(), |(place, _)| format!("{place}?****"));
    let place = place.rsplit_once('@').map_or_else(|| place.clone(), |(_, host)| format!("****@{host}"));
    model.map_or_else(|| format!("{scheme}://{place}"), |model| format!("{scheme}://{place}#{model}"))
}

/// The settings file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    #[serde(default)]
    pub judges: BTreeMap<String, JudgeSettings>,
    #[serde(default)]
    pub limits: Limits,
    #[serde(default)]
    gate: GateSettings,
    /// Families by pattern of model names, for audits of self-preference.
    #[serde(default)]
    #[allow(dead_code, reason = "read and checked; used by the audit of self-preference")]
    families: BTreeMap<String, Vec<String>>,
    /// Where the file lies: paths in it are relative to this folder.
    #[serde(skip)]
    pub folder: PathBuf,
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

/// One judge.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JudgeSettings {
    pub provider: String,
    pub model: String,
    pub family: Option<String>,
    pub base_url: Option<String>,
    pub api_key_env: Option<String>,
    pub api_key_file: Option<PathBuf>,
    pub api_key: Option<toml::Spanned<toml::Value>>,
    pub prompt: Option<String>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub max_tokens: Option<u32>,
    pub max_completion_tokens: Option<u32>,
    pub seed: Option<i64>,
    #[serde(default)]
    pub stop: Vec<String>,
    pub reasoning_effort: Option<String>,
    pub read: Option<String>,
    pub json_schema: Option<bool>,
    #[serde(default)]
    pub extra: serde_json::Map<String, serde_json::Value>,
    pub tolerant: Option<bool>,
    pub price: Option<PriceSettings>,
    pub served_model: Option<String>,
    pub timeout_s: Option<f64>,
    pub concurrency: Option<u32>,
    pub requests_per_minute: Option<f64>,
    pub tokens_per_minute: Option<f64>,
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PriceSettings {
    pub input: f64,
    pub output: f64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct GateSettings {
    flip_rate: Option<RuleSettings>,
    agreement_decisive: Option<RuleSettings>,
    kappa_strict: Option<RuleSettings>,
    length_error_gap: Option<RuleSettings>,
    no_verdict_rate: Option<RuleSettings>,
    beats_controls: Option<RuleSettings>,
    min_labels: Option<u64>,
    max_single_order: Option<f64>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleSettings {
    max: Option<f64>,
    min: Option<f64>,
    decide: Option<DecideSettings>,
    two_sided: Option<bool>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DecideSettings {
    Interval,
    Point,
}

impl Settings {
    /// Reads the named file, or `tribunal.toml` where there is one, or nothing.
    pub fn load(named: Option<&Path>) -> Result<Self, CliError> {
        let path = named.unwrap_or(Path::new(DEFAULT_FILE));
        if named.is_none() && !path.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(path).map_err(|error| {
            CliError::usage(format!("failed to read the settings file {}: {error}", path.display()))
        })?;
        let mut settings: Self = toml::from_str(&text).map_err(|error| {
            let line = line_at(&text, error.span().map_or(0, |span| span.start));
            CliError::usage(format!("{}:{line}: {}", path.display(), error.message()))
                .hint("see the section on settings in README.md")
        })?;
        settings.folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        settings.file = Some(path.to_path_buf());
        super::log::settings(path);
        settings.limits.check()?;
        for (name, judge) in &settings.judges {
            if let Some(key) = &judge.api_key {
                return Err(CliError::usage(format!(
                    "{}:{}: judge `{name}` holds a key; keys are not read from settings",
                    path.display(),
                    line_at(&text, key.span().start)
                ))
                .hint("name an environment variable, api_key_env = \"MY_KEY\", or a file of its own, api_key_file = \"key.txt\""));
            }
            check_judge(name, judge)?;
        }
        Ok(settings)
    }

    /// The gate's rules: the defaults with what the file changes.
    pub fn gate(&self) -> Result<GateRules, CliError> {
        let defaults = GateRules::default();
        let gate = &self.gate;
        if gate.min_labels == Some(0) {
            return Err(CliError::usage("[gate] min_labels: 0 labels decide nothing").hint("want 1 or more"));
        }
        if let Some(share) = gate.max_single_order.filter(|share| !(0.0..=1.0).contains(share)) {
            return Err(CliError::usage(format!("[gate] max_single_order: {share} is no share"))
                .hint("want a number from 0 to 1"));
        }
        let rule = |name: &str, settings: Option<RuleSettings>, default: Rule| {
            settings.map_or(Ok(default), |settings| settings.rule(name, default))
        };
        Ok(GateRules {
            flip_rate: rule("flip_rate", gate.flip_rate, defaults.flip_rate)?,
            agreement_decisive: rule("agreement_decisive", gate.agreement_decisive, defaults.agreement_decisive)?,
            kappa_strict: rule("kappa_strict", gate.kappa_strict, defaults.kappa_strict)?,
            length_error_gap: rule("length_error_gap", gate.length_error_gap, defaults.length_error_gap)?,
            no_verdict_rate: rule("no_verdict_rate", gate.no_verdict_rate, defaults.no_verdict_rate)?,
            beats_controls: rule("beats_controls", gate.beats_controls, defaults.beats_controls)?,
            min_labels: gate.min_labels.unwrap_or(defaults.min_labels),
            max_single_order: gate.max_single_order.unwrap_or(defaults.max_single_order),
        })
    }
}

/// The line, from 1, that holds this byte.
fn line_at(text: &str, byte: usize) -> usize {
    text.as_bytes().iter().take(byte).filter(|byte| **byte == b'\n').count() + 1
}

impl RuleSettings {
    fn rule(self, name: &str, default: Rule) -> Result<Rule, CliError> {
        let bad = |problem: &str| CliError::usage(format!("[gate] {name}: {problem}"));
        let limit = match (self.max, self.min, default.limit) {
            (Some(_), Some(_), _) => return Err(bad("give `max` or `min`, not both")),
            (Some(_), None, Limit::Min(_) | Limit::Above(_)) => {
                return Err(bad("this figure has to be large: give `min`"));
            }
            (None, Some(_), Limit::Max(_) | Limit::Within(_)) => {
                return Err(bad("this figure has to be small: give `max`"));
            }
            (Some(max), None, _) => Limit::Max(max),
            (None, Some(min), Limit::Above(_)) => Limit::Above(min),
            (None, Some(min), _) => Limit::Min(min),
            (None, None, limit) => limit,
        };
        let limit = match (self.two_sided, limit) {
            (Some(true), Limit::Max(max)) if name == "length_error_gap" => Limit::Within(max),
            (Some(true), _) => return Err(bad("`two_sided` is for length_error_gap alone")),
            (_, limit) => limit,
        };
        let (Limit::Max(value) | Limit::Min(value) | Limit::Above(value) | Limit::Within(value)) = limit;
        let may_be_negative = matches!(name, "kappa_strict" | "length_error_gap" | "beats_controls");
        let lowest = if may_be_negative && !matches!(limit, Limit::Within(_)) { -1.0 } else { 0.0 };
        if !(lowest..=1.0).contains(&value) {
            return Err(bad(&format!("the limit {value} is out of range: want a number from {lowest} to 1")));
        }
        let decide = match self.decide {
            Some(DecideSettings::Interval) => DecideOn::Interval,
            Some(DecideSettings::Point) => DecideOn::Point,
            None => default.decide,
        };
        Ok(Rule { limit, decide })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_quoted_for_a_shell() {
        let args = ["x", "calibrate", "--judge", "http://h/v1#m", "it's", ""].map(str::to_owned);
        assert_eq!(command_line(args.into_iter()), r"tribunal calibrate --judge 'http://h/v1#m' 'it'\''s' ''");
    }

    #[test]
    fn what_limits_the_calls_is_no_part_of_the_command() {
        let args = ["x", "calibrate", "--concurrency", "9", "--yes", "--seed", "1", "--concurrency=9", "--max-usd=1"]
            .map(str::to_owned);
        assert_eq!(command_line(args.into_iter()), "tribunal calibrate --seed 1");
    }

    #[test]
    fn an_address_is_kept_without_what_may_be_a_key() {
        let words = ["--judge", "http://u:pw@h/v1?key=SECRET#m", "https://h/v1#m?x"];
        let line = quoted(words.into_iter());
        assert_eq!(line, "--judge 'http://****@h/v1?****#m' 'https://h/v1#m?x'");
    }

    #[test]
    fn gate_settings_change_what_they_name_and_refuse_the_wrong_side() {
        let settings: Settings = toml::from_str("[gate]\nflip_rate = { max = 0.1, decide = \"point\" }").unwrap();
        let rules = settings.gate().unwrap();
        assert_eq!(rules.flip_rate, Rule { limit: Limit::Max(0.1), decide: DecideOn::Point });
        assert_eq!(rules.kappa_strict, GateRules::default().kappa_strict);
        let settings: Settings = toml::from_str("[gate]\nflip_rate = { min = 0.1 }").unwrap();
        assert!(settings.gate().is_err());
        let settings: Settings = toml::from_str("[gate]\nlength_error_gap = { two_sided = true }").unwrap();
        assert_eq!(settings.gate().unwrap().length_error_gap.limit, Limit::Within(0.20));
    }

    #[test]
    fn an_unknown_setting_is_an_error() {
        assert!(toml::from_str::<Settings>("[limits]\nconcurency = 3").is_err());
    }
}
