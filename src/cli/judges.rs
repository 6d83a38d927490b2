//! Names → judges: settings first, then short forms.

use std::path::Path;
use std::time::Duration;

use super::args::AskArgs;
use super::evidence::read;
use super::exit::CliError;
use super::settings::{JudgeSettings, Settings, variable};
use super::ui::Ui;
use crate::domain::{InputFile, Pair, nearest};
use crate::judge::{
    HttpClient, JsonForm, Judge, JudgeError, JudgeSpec, Price, Provider, ReadMode, Recording, Secret, ServedPolicy,
    ShortForm, parse_short,
};
use crate::prompt::{self, JudgePrompt};

/// Token limit of an answer where none is set: room for reasons, and an end to a model that never stops.
const DEFAULT_MAX_TOKENS: u32 = 1024;

/// Makes judges of names, and remembers which files that took.
pub(super) struct Bench<'a> {
    settings: &'a Settings,
    ask: &'a AskArgs,
    pairs: &'a [Pair],
    client: Option<HttpClient>,
    pub inputs: Vec<InputFile>,
}

impl<'a> Bench<'a> {
    pub fn new(settings: &'a Settings, ask: &'a AskArgs, pairs: &'a [Pair]) -> Self {
        Self { settings, ask, pairs, client: None, inputs: Vec::new() }
    }

    /// All judges; two of one name are an error, since every table goes by names.
    pub fn seat(&mut self, names: &[String], ui: Ui) -> Result<Vec<Judge>, CliError> {
        if let Some(prompt) = &self.ask.prompt {
            // A prompt that no judge here is asked with is still one that has to exist.
            prompt::load(prompt)?;
        }
        let mut judges: Vec<Judge> = Vec::new();
        for name in names {
            let judge = self.judge(name, ui)?;
            if let Some(twin) = judges.iter().find(|other| other.name() == judge.name()) {
                return Err(CliError::usage(format!("two judges are called `{}`", twin.name()))
                    .hint("give one of them a name of its own in tribunal.toml: [judges.NAME]"));
            }
            judges.push(judge);
        }
        Ok(judges)
    }

    fn judge(&mut self, name: &str, ui: Ui) -> Result<Judge, CliError> {
        if let Some(settings) = self.settings.judges.get(name) {
            let spec = self.spec(name, settings, ui)?;
            return self.endpoint(spec);
        }
        let form = parse_short(name).map_err(|error| self.unknown(error))?;
        match form {
            ShortForm::Endpoint { provider, base_url, model, name } => {
                let prompt = self.prompt(None, ui)?;
                let mut spec = JudgeSpec::new(name, provider, &model, prompt);
                spec.base_url = base_url;
                spec.max_tokens = Some(DEFAULT_MAX_TOKENS);
                spec.timeout = self.timeout(None)?;
                spec.api_key = provider.key_variable().map(key).transpose()?;
                self.endpoint(spec)
            }
            ShortForm::Replay { file, judge } => self.replay(&file, judge.as_deref()),
            ShortForm::Checks => Ok(Judge::checks(self.pairs)?),
            ShortForm::ChecksThen(rest) => {
                let inner = self.judge(&rest, ui)?;
                Ok(Judge::checks_then(self.pairs, inner)?)
            }
            ShortForm::Control { kind, name } => Ok(Judge::control(name, kind, self.pairs)),
        }
    }

    fn unknown(&self, error: JudgeError) -> CliError {
        let error = CliError::from(error);
        let named: Vec<&str> = self.settings.judges.keys().map(String::as_str).collect();
        if named.is_empty() {
            return error;
        }
        error.hint(format!("the settings know: {}", named.join(", ")))
    }

    fn replay(&mut self, file: &str, judge: Option<&str>) -> Result<Judge, CliError> {
        let source = read(file)?;
        let recording = Recording::parse(source.text().as_bytes(), file)?;
        self.inputs.push(super::evidence::input("recording", &source, source.text().lines().count()));
        let fallback = self.ask.prompt.as_deref().map(prompt::load).transpose()?.map(|prompt| prompt.contract);
        Ok(Judge::replay(&recording, judge, fallback)?)
    }

    fn endpoint(&mut self, spec: JudgeSpec) -> Result<Judge, CliError> {
        if self.client.is_none() {
            self.client = Some(HttpClient::new()?);
        }
        let client = self.client.as_ref().expect("made just above");
        Ok(Judge::endpoint(spec, client)?)
    }

    /// The prompt of `--prompt`, else the judge's own, else the shipped one.
    fn prompt(&mut self, own: Option<&str>, ui: Ui) -> Result<JudgePrompt, CliError> {
        let prompt = match (self.ask.prompt.as_deref(), own) {
            (Some(name), _) => prompt::load(name)?,
            (None, Some(name)) if prompt::embedded(name).is_some() => prompt::load(name)?,
            // A path in the settings is relative to the settings file.
            (None, Some(path)) => prompt::load(&self.settings.folder.join(path).to_string_lossy())?,
            (None, None) => prompt::load(prompt::DEFAULT)?,
        };
        ui.notices(&prompt.name(), &prompt.warnings);
        let input = InputFile { role: "prompt".to_owned(), path: prompt.name(), digest: prompt.digest(), records: 1 };
        if !self.inputs.contains(&input) {
            self.inputs.push(input);
        }
        Ok(prompt)
    }

    fn timeout(&self, own: Option<f64>) -> Result<Duration, CliError> {
        let seconds = self.ask.calls.timeout.or(own).or(self.settings.limits.timeout_s).unwrap_or(120.0);
        if !(seconds > 0.0 && seconds <= 86_400.0) {
            return Err(CliError::usage(format!(
                "a timeout of {seconds} s: want a number of seconds above 0, up to a day"
            ))
            .hint("--timeout, or timeout_s in the settings"));
        }
        Ok(Duration::from_secs_f64(seconds))
    }

    /// The key that the settings of a judge point to, else the one in its provider's usual variable.
    fn key_of(&self, name: &str, own: &JudgeSettings, provider: Provider, ui: Ui) -> Result<Option<Secret>, CliError> {
        match (&own.api_key_env, &own.api_key_file) {
            (Some(_), Some(_)) => {
                Err(CliError::usage(format!("[judges.{name}]: api_key_env and api_key_file are both set; keep one")))
            }
            (Some(variable), None) => Ok(Some(key(variable)?)),
            // A path in the settings is relative to the settings file.
            (None, Some(path)) => Ok(Some(key_in(&self.settings.folder.join(path), ui)?)),
            (None, None) => provider.key_variable().map(key).transpose(),
        }
    }

    fn spec(&mut self, name: &str, own: &JudgeSettings, ui: Ui) -> Result<JudgeSpec, CliError> {
        let bad = |problem: String| CliError::usage(format!("[judges.{name}]: {problem}"));
        let provider = Provider::parse(&own.provider).ok_or_else(|| {
            let known = Provider::ALL.map(Provider::as_str);
            let near =
                nearest(&own.provider, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            bad(format!("provider `{}` is not known; want one of {}{near}", own.provider, known.join(", ")))
        })?;
        let prompt = self.prompt(own.prompt.as_deref(), ui)?;
        let mut spec = JudgeSpec::new(name, provider, &own.model, prompt);
        spec.family.clone_from(&own.family);
        spec.base_url.clone_from(&own.base_url);
        spec.api_key = self.key_of(name, own, provider, ui)?;
        spec.temperature = own.temperature;
        spec.top_p = own.top_p;
        spec.max_completion_tokens = own.max_completion_tokens;
        spec.max_tokens = own.max_tokens.or(own.max_completion_tokens.is_none().then_some(DEFAULT_MAX_TOKENS));
        spec.seed = own.seed;
        spec.stop.clone_from(&own.stop);
        spec.reasoning_effort.clone_from(&own.reasoning_effort);
        spec.extra.clone_from(&own.extra);
        if let Some(read) = &own.read {
            let known = ReadMode::ALL.map(ReadMode::as_str).join("\", \"");
            spec.read = ReadMode::parse(read)
                .ok_or_else(|| bad(format!("read = \"{read}\" is not known; want one of \"{known}\"")))?;
        }
        if own.json_schema == Some(true) {
            spec.json_form = JsonForm::Schema;
        }
        spec.tolerant = own.tolerant.unwrap_or(true);
        spec.timeout = self.timeout(own.timeout_s)?;
        spec.price = own.price.map(|price| Price { input: price.input, output: price.output });
        spec.served_model = match own.served_model.as_deref() {
            None | Some("same") => ServedPolicy::Same,
            Some("any") => ServedPolicy::Any,
            Some(other) => {
                return Err(bad(format!("served_model = \"{other}\" is not known; want \"same\" or \"any\"")));
            }
        };
        Ok(spec)
    }
}

/// The key in a file: its first line.
fn key_in(path: &Path, ui: Ui) -> Result<Secret, CliError> {
    let shown = path.display();
    let bad = |problem: String| CliError::usage(format!("the key file {shown} {problem}"));
    let bytes = std::fs::read(path).map_err(|error| bad(format!("cannot be read: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default().trim();
    if line.is_empty() {
        return Err(bad("holds no key in its first line".to_owned()));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if std::fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o004 != 0) {
            ui.warn(format!("the key file {shown} can be read by every user of this machine; chmod 600 it"));
        }
    }
    Ok(Secret::new(line))
}

/// The key in an environment variable.
fn key(name: &str) -> Result<Secret, CliError> {
    let is_name =
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit());
    if !is_name || name.is_empty() {
        // It may be the key itself, so it is not repeated here.
        return Err(CliError::usage("`api_key_env` holds something that is no name of an environment variable")
            .hint("write the variable's name there, such as MY_KEY, and the key into that variable"));
    }
    match variable(name).filter(|value| !value.trim().is_empty()) {
        Some(value) => Ok(Secret::new(value.trim())),
        None => Err(CliError::usage(format!("the environment variable {name} holds no key"))
            .hint(format!("set it (export {name}=…), or name another one with api_key_env in tribunal.toml"))),
    }
}
