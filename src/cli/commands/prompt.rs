//! `prompt`: lint, show and read judge prompts.

use std::fmt::Write as _;
use std::io::BufRead;

use crate::cli::args::{OrderArg, PromptArgs, PromptCommand};
use crate::cli::evidence;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::print;
use crate::cli::settings::Environment;
use crate::cli::ui::Ui;
use crate::data::{self, PairOptions};
use crate::domain::{Order, Pair, Severity};
use crate::prompt::{self, Contract};
use crate::report::{inert_json, visible};

pub(in crate::cli) fn run(args: &PromptArgs, _: &Environment, ui: Ui) -> Result<Exit, CliError> {
    match &args.command {
        PromptCommand::List => print(&(prompt::EMBEDDED.join("\n") + "\n")).map(|()| Exit::Done),
        PromptCommand::Lint { prompts } => lint(prompts, ui),
        PromptCommand::Show { prompt, pairs, id, order, json } => {
            let pair = example(pairs.as_deref(), id.as_deref(), ui)?;
            let order = if *order == OrderArg::Ab { Order::Ab } else { Order::Ba };
            show(prompt, &pair, order, *json)
        }
        PromptCommand::Read { contract, file } => read(contract, file, ui),
    }
}

fn lint(prompts: &[String], ui: Ui) -> Result<Exit, CliError> {
    let mut text = String::new();
    let mut found = false;
    for name in prompts {
        let notices = match prompt::embedded(name) {
            Some(prompt) => prompt.warnings,
            None => prompt::lint(evidence::read(name, ui)?.text(), name),
        };
        let refused = notices.iter().any(|notice| notice.severity == Severity::Error);
        found |= !notices.is_empty();
        let word = match (notices.is_empty(), refused) {
            (_, true) => "refused",
            (false, false) => "warning",
            (true, false) => "ok",
        };
        let _ = writeln!(text, "{name}: {word}");
        for notice in &notices {
            let _ = writeln!(text, "  {}", visible(&data::located(name, notice)));
        }
    }
    print(&text)?;
    Ok(if found { Exit::Short } else { Exit::Done })
}

fn example(pairs: Option<&str>, id: Option<&str>, ui: Ui) -> Result<Pair, CliError> {
    let source = evidence::gold_source(pairs, ui)?;
    let loaded = data::load_pairs(&source, &PairOptions::default())?;
    ui.notices(source.path(), &loaded.notices);
    let mut pairs = loaded.records.into_iter();
    let found = match id {
        Some(id) => pairs.find(|pair| pair.id.as_str() == id),
        None => pairs.next(),
    };
    found.ok_or_else(|| {
        CliError::usage(format!("{} has no item `{}`", source.path(), id.unwrap_or_default()))
            .hint("choose another with --id")
    })
}

fn show(name: &str, pair: &Pair, order: Order, json: bool) -> Result<Exit, CliError> {
    let messages = prompt::load(name)?.fill(pair, order)?;
    let text = if json {
        format!("{}\n", inert_json(&serde_json::to_string_pretty(&messages)?))
    } else {
        let shown = messages.iter().map(|message| format!("--- {}\n{}\n", message.role, visible(&message.content)));
        shown.collect::<Vec<_>>().concat()
    };
    print(&text)?;
    Ok(Exit::Done)
}

fn read(contract: &str, file: &str, ui: Ui) -> Result<Exit, CliError> {
    let contract = Contract::parse(contract).ok_or_else(|| {
        let known = Contract::ALL.map(Contract::as_str).join(", ");
        CliError::usage(format!("no contract is called `{contract}`")).hint(format!("want one of: {known}"))
    })?;
    let source = evidence::read(file, ui)?;
    let mut text = String::new();
    for (number, line) in (1..).zip(source.text().as_bytes().lines()) {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let reply = prompt::read_line(contract, &line)
            .map_err(|error| CliError::usage(format!("{}:{number}: {error}", source.path())))?;
        text.push_str(&inert_json(&serde_json::to_string(&reply)?));
        text.push('\n');
    }
    print(&text)?;
    Ok(Exit::Done)
}
