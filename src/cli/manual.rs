//! A manual page as `man` readers know it: what `--help` says at its end gets sections of its own, and so do the files and the
//! environment that a command looks at.

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};

/// What a paragraph of help begins with, and the section it becomes.
const EXAMPLES: &str = "Examples:";
const EXIT_STATUS: &str = "Exit status:";

/// Files and folders: the flag that makes a command look at them, the path, what it is.
const FILES: [(&str, &str, &str); 4] = [
    (
        "config",
        "tribunal.toml",
        "Settings: judges, limits and the gate. Read from the working directory unless --config names another file.",
    ),
    (
        "store",
        ".tribunal/",
        "The store: a journal of every paid answer, its index, and an entry for every run. See tribunal-runs(1).",
    ),
    ("certificates", "certificates/", "Certificates of judges on trial: calibrate writes them, compare asks for them."),
    ("annotator", "FILE.labels.jsonl", "The labels given so far, beside the pairs they are of."),
];

/// Variables: the flag that makes a command look at them, or none where every command does; the name, what it does.
const ENVIRONMENT: [(Option<&str>, &str, &str); 8] = [
    (
        Some("config"),
        "OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY",
        "The key for judges of that provider. A judge in the settings may name another variable by api_key_env.",
    ),
    (
        Some("store"),
        "SOURCE_DATE_EPOCH",
        "Seconds since 1970-01-01: the time that results are dated by, so that equal inputs give equal bytes.",
    ),
    (Some("github"), "GITHUB_STEP_SUMMARY", "The file that --github adds a summary to; GitHub Actions sets it."),
    (Some("annotator"), "USER, USERNAME", "Who labels, where --annotator says nothing."),
    (None, "NO_COLOR", "Where it is set: no colour and no progress bars."),
    (None, "CI", "Where it is set: lines instead of progress bars."),
    (None, "TERM", "Where it is dumb: no colour and no progress bars."),
    (None, "COLUMNS", "The width of tables, at least 40."),
];

/// The page of a command; what its help leaves out of the exit status, the help of the first command tells.
pub(super) fn page(command: &Command, root: &Command) -> std::io::Result<Vec<u8>> {
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    text.extend_from_slice(sections(command, root).to_roff().as_bytes());
    man.render_version_section(&mut text)?;
    Ok(text)
}

/// What follows the flags: exit status, files, environment, whatever else the help says, examples.
fn sections(command: &Command, root: &Command) -> Roff {
    let has = |flag: &str| command.get_arguments().any(|arg| arg.get_id() == flag);
    let mut roff = Roff::new();
    let own = help(command);
    let first = help(root);
    let part = |from: &str, name: &str| from.split("\n\n").find_map(|one| Some(one.strip_prefix(name)?.to_owned()));
    if let Some(status) = part(&own, EXIT_STATUS).or_else(|| part(&first, EXIT_STATUS)) {
        roff.control("SH", ["EXIT STATUS"]);
        for one in status.trim().split(" · ") {
            let (number, what) = one.split_once(' ').unwrap_or((one, ""));
            entry(&mut roff, number, what.trim());
        }
    }
    let files: Vec<_> = FILES.iter().filter(|(flag, ..)| has(flag)).collect();
    if !files.is_empty() {
        roff.control("SH", ["FILES"]);
        for (_, path, what) in files {
            entry(&mut roff, path, what);
        }
    }
    roff.control("SH", ["ENVIRONMENT"]);
    for (_, name, what) in ENVIRONMENT.iter().filter(|(flag, ..)| flag.is_none_or(has)) {
        entry(&mut roff, name, what);
    }
    let rest = own.split("\n\n").filter(|one| !one.starts_with(EXAMPLES) && !one.starts_with(EXIT_STATUS));
    let rest: Vec<&str> = rest.filter(|one| !one.trim().is_empty()).collect();
    if !rest.is_empty() {
        roff.control("SH", ["NOTES"]);
        for one in rest {
            roff.control("PP", []).text([roman(one)]);
        }
    }
    if let Some(examples) = part(&own, EXAMPLES) {
        roff.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in examples.trim_matches('\n').lines() {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
    }
    roff
}

/// What stands at the end of a command's help.
fn help(command: &Command) -> String {
    command.get_after_help().map(ToString::to_string).unwrap_or_default()
}

fn entry(roff: &mut Roff, name: &str, what: &str) {
    let inlines: [Inline; 1] = [bold(name)];
    roff.control("TP", []).text(inlines).text([roman(what)]);
}
