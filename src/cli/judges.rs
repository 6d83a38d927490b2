//! Names → judges: settings first, then short forms.

use super::args::AskArgs;
use super::endpoints::{Endpoints, Named};
use super::evidence::read;
use super::exit::CliError;
use super::settings::Settings;
use super::ui::Ui;
use crate::domain::{InputFile, Pair};
use crate::judge::{HttpClient, Judge, JudgeError, JudgeSpec, Recording, ShortForm, parse_short};
use crate::prompt::{self, JudgePrompt};

/// Token limit of an answer where none is set: room for reasons, and an end to a model that never stops.
const DEFAULT_MAX_TOKENS: u32 = 1024;

/// Makes judges of names, and remembers which files that took.
pub(super) struct Bench<'a> {
    endpoints: Endpoints<'a>,
    ask: &'a AskArgs,
    pairs: &'a [Pair],
    client: Option<HttpClient>,
    pub inputs: Vec<InputFile>,
}

impl<'a> Bench<'a> {
    pub fn new(settings: &'a Settings, ask: &'a AskArgs, pairs: &'a [Pair]) -> Self {
        let endpoints = Endpoints { settings, calls: &ask.calls, default_max_tokens: DEFAULT_MAX_TOKENS };
        Self { endpoints, ask, pairs, client: None, inputs: Vec::new() }
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
        if let Some(settings) = self.endpoints.settings.judges.get(name) {
            let prompt = self.prompt(settings.prompt.as_deref(), ui)?;
            let spec = self.endpoints.named(name, settings, prompt, ui)?;
            return self.endpoint(spec);
        }
        let form = parse_short(name).map_err(|error| self.unknown(error))?;
        match form {
            ShortForm::Endpoint { provider, base_url, model, name } => {
                let prompt = self.prompt(None, ui)?;
                let form = Named { provider, base_url, model, name };
                self.endpoint(self.endpoints.short(form, prompt)?)
            }
            ShortForm::Replay { file, judge } => self.replay(&file, judge.as_deref(), ui),
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
        let named: Vec<&str> = self.endpoints.settings.judges.keys().map(String::as_str).collect();
        if named.is_empty() {
            return error;
        }
        error.hint(format!("the settings know: {}", named.join(", ")))
    }

    fn replay(&mut self, file: &str, judge: Option<&str>, ui: Ui) -> Result<Judge, CliError> {
        let source = read(file, ui)?;
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
            (None, Some(path)) => prompt::load(&self.endpoints.settings.folder.join(path).to_string_lossy())?,
            (None, None) => prompt::load(prompt::DEFAULT)?,
        };
        ui.notices(&prompt.name(), &prompt.warnings);
        let input = InputFile { role: "prompt".to_owned(), path: prompt.name(), digest: prompt.digest(), records: 1 };
        if !self.inputs.contains(&input) {
            self.inputs.push(input);
        }
        Ok(prompt)
    }
}
