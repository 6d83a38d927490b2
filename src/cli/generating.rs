//! Responses from models: items and prompt versions in, lines for a file of responses out.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::args::CallArgs;
use super::asking::{Asking, Consent, Reach};
use super::clock::Clock;
use super::endpoints::{Endpoints, Named};
use super::exit::CliError;
use super::ledger::{self, Ended, Origin};
use super::settings::Settings;
use super::ui::Ui;
use crate::domain::{Completion, FinishReason, InputFile, Item, Order};
use crate::judge::{Generator, HttpClient, ShortForm, parse_short};
use crate::prompt::{GenerationPrompt, load_generation, without_leading_thoughts};
use crate::runner::{Answer, IdenticalPairs, Plan, PlanOptions, Spent, Trial};

/// Token limit of a response where none is set: longer than what a judge has to say.
const DEFAULT_MAX_TOKENS: u32 = 4096;

/// Fields that say what an item is, and go with every response to it.
const OF_THE_ITEM: [&str; 8] = ["category", "group", "lang", "reference", "rubric", "tags", "checks", "meta"];

/// Ids that are named in a message at most.
const LISTED: usize = 5;

/// What generating needs beside the systems.
pub(super) struct Generating<'a> {
    pub calls: &'a CallArgs,
    pub settings: &'a Settings,
    pub origin: Origin<'a>,
    pub clock: Clock,
    pub ui: Ui,
}

/// The responses of one system.
pub(super) struct Generated {
    /// One JSON object a line, in the order of the items.
    pub lines: String,
    /// Items without a response.
    pub lacking: usize,
}

impl Generating<'_> {
    /// A system: a model by its name in the settings or its short form, with a prompt version, or the items' own prompts.
    pub fn system(
        &self,
        model: &str,
        prompt: Option<&str>,
        inputs: &mut Vec<InputFile>,
    ) -> Result<Generator, CliError> {
        let prompt = prompt.map_or_else(|| Ok(GenerationPrompt::plain()), load_generation)?;
        self.ui.notices(&prompt.name(), &prompt.warnings);
        let input = InputFile { role: "prompt".to_owned(), path: prompt.name(), digest: prompt.digest(), records: 1 };
        inputs.push(input);
        let endpoints =
            Endpoints { settings: self.settings, calls: self.calls, default_max_tokens: DEFAULT_MAX_TOKENS };
        let version = prompt.name();
        let mut spec = if let Some(own) = self.settings.judges.get(model) {
            endpoints.named(model, own, prompt, self.ui)?
        } else {
            match parse_short(model)? {
                ShortForm::Endpoint { provider, base_url, model, name } => {
                    endpoints.short(Named { provider, base_url, model, name }, prompt)?
                }
                _ => {
                    return Err(CliError::usage(format!("`{model}` answers no questions, it judges answers"))
                        .hint("want a model: a name from the settings, http://HOST:PORT/v1#MODEL, openai:MODEL …"));
                }
            }
        };
        spec.name = format!("{}/{version}", spec.name).into();
        Ok(Generator::new(spec, &HttpClient::new()?)?)
    }

    /// Asks every system for its response to every item, one system after the other, since they may be one model whose
    /// limits hold for all; says what that took. `None` after a dry run. An incomplete run is an error with its own status.
    pub fn generate(&self, systems: &[Generator], items: &[Item]) -> Result<Option<(Vec<Generated>, Spent)>, CliError> {
        let mut asking = Asking {
            calls: self.calls,
            settings: self.settings,
            clock: self.clock,
            origin: self.origin,
            served: BTreeMap::new(),
            reach: Reach::Endpoints,
            spent: Spent::default(),
            ui: self.ui,
        };
        let mut store = asking.open(systems)?;
        let options = PlanOptions { orders: vec![Order::Ab], repeats: 1, identical: IdenticalPairs::Ask };
        let all = Trial { items, judges: systems };
        let plan = Plan::new(&all, &options, &mut |key| store.get(key).is_some())?;
        asking.announce(&plan, "responses");
        if asking.consent(&all, &plan, &mut store)? == Consent::DryRun {
            return Ok(None);
        }
        let mut sides = Vec::new();
        for system in systems {
            let trial = Trial { items, judges: std::slice::from_ref(system) };
            let plan = Plan::new(&trial, &options, &mut |key| store.get(key).is_some())?;
            let entry = ledger::begin_generating(&mut store, asking.origin, asking.clock, &trial, &plan)?;
            let outcome = asking.run(&trial, &plan, &mut store);
            entry.finish(&mut store, asking.clock, Ended { plan: &plan, outcome: &outcome, judgments: &[] }, asking.ui);
            let outcome = outcome?;
            asking.whole(&plan, &outcome)?;
            asking.spent = outcome.spent;
            let answers = plan.tasks.iter().zip(&outcome.answers);
            sides.push(self.written(system, answers.map(|(task, answer)| (&items[task.item], answer))));
        }
        for notice in store.close() {
            asking.ui.warn(notice.text);
        }
        Ok(Some((sides, asking.spent)))
    }

    fn written<'i>(&self, system: &Generator, answers: impl Iterator<Item = (&'i Item, &'i Answer)>) -> Generated {
        let (mut lines, mut lacking, mut odd) = (String::new(), Vec::new(), BTreeMap::<&str, Vec<&str>>::new());
        for (item, answer) in answers {
            match answer {
                Answer::Answered(completion) => {
                    if let Some(what) = oddity(completion) {
                        odd.entry(what).or_default().push(item.id.as_str());
                    }
                    lines.push_str(&line(system, item, completion).to_string());
                    lines.push('\n');
                }
                Answer::Absent { .. } => lacking.push(item.id.as_str()),
            }
        }
        for (what, ids) in odd {
            self.ui.warn(format!("{}: {} {what}: {}", system.name(), counted(ids.len()), listed(&ids)));
        }
        if !lacking.is_empty() {
            let ids = listed(&lacking);
            self.ui.warn(format!("{}: no response to {}: {ids}", system.name(), counted(lacking.len())));
        }
        Generated { lines, lacking: lacking.len() }
    }
}

/// A response that is one, but should be looked at.
fn oddity(completion: &Completion) -> Option<&'static str> {
    match completion.finish {
        FinishReason::Length => Some("cut off by the token limit (setting `max_tokens`)"),
        FinishReason::ContentFilter => Some("stopped by a content filter"),
        FinishReason::Refusal => Some("refused"),
        FinishReason::Stop | FinishReason::Other => {
            response(completion).trim().is_empty().then_some("with an empty response")
        }
    }
}

/// What a user would see: the text without the thoughts before it, else the refusal.
fn response(completion: &Completion) -> &str {
    let text = without_leading_thoughts(&completion.text);
    if text.is_empty() { completion.refusal.as_deref().unwrap_or(text) } else { text }
}

fn line(system: &Generator, item: &Item, completion: &Completion) -> Value {
    let mut line = Map::new();
    line.insert("id".to_owned(), json!(item.id));
    line.insert("prompt".to_owned(), json!(item.prompt));
    line.insert("response".to_owned(), json!(response(completion)));
    line.insert("model".to_owned(), json!(system.model_name()));
    line.insert("prompt_version".to_owned(), json!(system.prompt().name()));
    line.insert("finish_reason".to_owned(), json!(completion.finish));
    for name in OF_THE_ITEM {
        if let Some(value) = item.fields.get(name) {
            line.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(line)
}

fn counted(items: usize) -> String {
    format!("{items} {}", if items == 1 { "item" } else { "items" })
}

fn listed(ids: &[&str]) -> String {
    let more = if ids.len() > LISTED { ", …" } else { "" };
    format!("{}{more}", ids[..ids.len().min(LISTED)].join(", "))
}
