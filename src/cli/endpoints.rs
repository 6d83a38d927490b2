//! Names → endpoints: what the settings say of a model, its key, its time limit. Judges and generators alike.

use std::path::Path;
use std::time::Duration;

use super::args::CallArgs;
use super::exit::CliError;
use super::settings::{JudgeSettings, Settings, variable};
use super::ui::Ui;
use crate::domain::{JudgeName, nearest};
use crate::judge::{EndpointSpec, JsonForm, Price, Provider, ReadMode, Secret, ServedPolicy};

/// Where endpoints are looked up.
#[derive(Clone, Copy)]
pub(super) struct Endpoints<'a> {
    pub settings: &'a Settings,
    pub calls: &'a CallArgs,
    /// Token limit of an answer where none is set.
    pub default_max_tokens: u32,
}

/// A model as a short form names it.
pub(super) struct Named {
    pub provider: Provider,
    pub base_url: Option<String>,
    pub model: String,
    pub name: JudgeName,
}

impl Endpoints<'_> {
    /// The spec of a model that a short form names.
    pub fn short<P>(self, form: Named, prompt: P) -> Result<EndpointSpec<P>, CliError> {
        let mut spec = EndpointSpec::new(form.name, form.provider, &form.model, prompt);
        spec.base_url = form.base_url;
        spec.max_tokens = Some(self.default_max_tokens);
        spec.timeout = self.timeout(None)?;
        spec.api_key = form.provider.key_variable().map(key).transpose()?;
        Ok(spec)
    }

    /// The spec of a model in the settings.
    pub fn named<P>(self, name: &str, own: &JudgeSettings, prompt: P, ui: Ui) -> Result<EndpointSpec<P>, CliError> {
        let bad = |problem: String| CliError::usage(format!("[judges.{name}]: {problem}"));
        let provider = Provider::parse(&own.provider).ok_or_else(|| {
            let known = Provider::ALL.map(Provider::as_str);
            let near =
                nearest(&own.provider, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            bad(format!("provider `{}` is not known; want one of {}{near}", own.provider, known.join(", ")))
        })?;
        let mut spec = EndpointSpec::new(name, provider, &own.model, prompt);
        spec.family.clone_from(&own.family);
        spec.base_url.clone_from(&own.base_url);
        spec.api_key = self.key_of(name, own, provider, ui)?;
        spec.temperature = own.temperature;
        spec.top_p = own.top_p;
        spec.max_completion_tokens = own.max_completion_tokens;
        spec.max_tokens = own.max_tokens.or(own.max_completion_tokens.is_none().then_some(self.default_max_tokens));
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

    fn timeout(self, own: Option<f64>) -> Result<Duration, CliError> {
        let seconds = self.calls.timeout.or(own).or(self.settings.limits.timeout_s).unwrap_or(120.0);
        if !(seconds > 0.0 && seconds <= 86_400.0) {
            return Err(CliError::usage(format!(
                "a timeout of {seconds} s: want a number of seconds above 0, up to a day"
            ))
            .hint("--timeout, or timeout_s in the settings"));
        }
        Ok(Duration::from_secs_f64(seconds))
    }

    /// The key that the settings of a judge point to, else the one in its provider's usual variable.
    fn key_of(self, name: &str, own: &JudgeSettings, provider: Provider, ui: Ui) -> Result<Option<Secret>, CliError> {
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
