//! `demo`: the whole trial on what ships. It lays out example files and runs the very commands that it prints.

use std::path::{Path, PathBuf};

use clap::Parser;

use crate::cli::args::{Args, DemoArgs, LangArg};
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::{Existing, print, write_file};
use crate::cli::settings::Environment;
use crate::cli::ui::Ui;
use crate::cli::{dispatch, evidence};

/// Where the demo is laid out unless told otherwise.
const FOLDER: &str = "tribunal-demo";

/// Marks a folder as one that a demo made and may make anew.
const MARK: &str = ".made-by-tribunal-demo";

/// The example files: name and content.
const FILES: [(&str, &[u8]); 4] = [
    ("gold.jsonl", evidence::SHIPPED_GOLD),
    ("small-judge.jsonl", include_bytes!("../../../gold/recordings/qwen2.5-coder-0.5b.jsonl")),
    ("larger-judge.jsonl", include_bytes!("../../../gold/recordings/qwen2.5-coder-1.5b.jsonl")),
    ("prompt-ab.jsonl", include_bytes!("../../../gold/recordings/prompt-ab.jsonl")),
];

/// What is said between the reports.
struct Words {
    trial: &'static str,
    comparison: &'static str,
    pages: &'static str,
    next: &'static str,
}

static EN: Words = Words {
    trial: "1. Four judges on trial, before anyone trusts them",
    comparison: "2. Two prompt versions of a small model, compared by a judge that passed",
    pages: "Open the pages:",
    next: "Next: your own judge, as README.md shows.",
};

static JA: Words = Words {
    trial: "1. 信頼する前に、四つの判定者を試す",
    comparison: "2. 小さなモデルのプロンプト二版を、合格した判定者で比べる",
    pages: "次のページを開いてください。",
    next: "次は自分の判定者で。README.ja.md を参照してください。",
};

pub(in crate::cli) fn run(args: &DemoArgs, environment: &Environment, _: Ui) -> Result<Exit, CliError> {
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(FOLDER));
    lay_out(&folder, args.force)?;
    let lang = if args.lang == LangArg::Ja { "ja" } else { "en" };
    let (calibrate, compare) = (calibrate(&folder), compare(&folder));
    let words = if args.lang == LangArg::Ja { &JA } else { &EN };
    print(&heading(words.trial, &calibrate))?;
    step(&calibrate, &["--format", "table", "--lang", lang], environment)?;
    let page = folder.join("calibration.html").display().to_string();
    step(&calibrate, &["--out", &page, "--force", "--lang", lang], environment)?;
    print(&heading(words.comparison, &compare))?;
    step(&compare, &["--format", "table", "--lang", lang], environment)?;
    let second = folder.join("comparison.html").display().to_string();
    step(&compare, &["--out", &second, "--force", "--lang", lang], environment)?;
    print(&format!("\n{}\n  {page}\n  {second}\n\n{}\n", words.pages, words.next))?;
    Ok(Exit::Done)
}

/// The example files in their folder. A folder that no demo made is left alone.
fn lay_out(folder: &Path, force: bool) -> Result<(), CliError> {
    let mark = folder.join(MARK);
    let is_empty = std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if !is_empty && !mark.exists() && !force {
        return Err(CliError::usage(format!("{} holds files that no demo made", folder.display()))
            .hint("choose another folder with --out, or replace what is there with --force"));
    }
    std::fs::create_dir_all(folder).map_err(|error| {
        CliError::usage(format!("failed to make the folder {}: {error}", folder.display()))
            .hint("choose another with --out")
    })?;
    write_file(&mark, "", Existing::Replace)?;
    for (name, content) in FILES {
        let text = std::str::from_utf8(content).expect("what ships is UTF-8; a test reads it");
        write_file(&folder.join(name), text, Existing::Replace)?;
    }
    Ok(())
}

fn calibrate(folder: &Path) -> Vec<String> {
    let at = |name: &str| folder.join(name).display().to_string();
    let larger = format!("replay:{}", at("larger-judge.jsonl"));
    [
        "calibrate",
        "--gold",
        &at("gold.jsonl"),
        "--judge",
        "checks",
        "--judge",
        &format!("replay:{}", at("small-judge.jsonl")),
        "--judge",
        &larger,
        "--judge",
        &format!("checks+{larger}"),
        "--certificates",
        &at("certificates"),
    ]
    .map(str::to_owned)
    .to_vec()
}

fn compare(folder: &Path) -> Vec<String> {
    let at = |name: &str| folder.join(name).display().to_string();
    ["compare", "--pairs", &at("prompt-ab.jsonl"), "--judge", "checks", "--certificates", &at("certificates")]
        .map(str::to_owned)
        .to_vec()
}

fn heading(title: &str, command: &[String]) -> String {
    format!("\n{title}\n$ tribunal {}\n\n", crate::cli::settings::quoted(command.iter().map(String::as_str)))
}

/// Runs one command as if it had been typed. What it found wanting is the point of the demo, not its failure.
fn step(command: &[String], more: &[&str], environment: &Environment) -> Result<(), CliError> {
    let typed = command.iter().map(String::as_str);
    let words: Vec<&str> = std::iter::once("tribunal").chain(typed).chain(more.iter().copied()).collect();
    let args = Args::try_parse_from(&words)?;
    // A page names the command that makes it again, not the demo.
    let own = crate::cli::settings::quoted(words.iter().copied().skip(1));
    let environment = Environment { command: format!("tribunal {own}"), ..environment.clone() };
    dispatch(&args.command, &environment, Ui::silent()).map(|_| ())
}
