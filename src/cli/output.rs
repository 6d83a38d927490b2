//! Data goes out whole or not at all, and nothing that is there is overwritten without being asked to.

use std::io::{ErrorKind, Write};
use std::path::Path;

use super::args::{FormatArg, LangArg, OutputArgs};
use super::exit::CliError;
use super::github::{Step, Wanted};
use super::settings::Environment;
use super::ui::Ui;
use crate::report::{self, Colour, Format, Lang, Report, TableOptions};

/// Whether an existing file may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Existing {
    /// It is an error.
    Keep,
    /// It is replaced.
    Replace,
}

impl Existing {
    /// By the flag `--force`.
    pub fn by_force(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// Refuses before any work is done where the file could not be written after it.
pub(super) fn check_target(path: &Path, existing: Existing) -> Result<(), CliError> {
    if path.is_dir() {
        return Err(CliError::usage(format!("{} is a folder", path.display())).hint("name a file behind --out"));
    }
    // A pipe or device is written into, never replaced.
    if is_special(path) {
        return Ok(());
    }
    if existing == Existing::Keep && path.exists() {
        return Err(CliError::usage(format!("{} exists already", path.display()))
            .hint("add --force to replace it, or choose another name"));
    }
    let folder = parent(path);
    if !folder.is_dir() {
        return Err(CliError::usage(format!("there is no folder {} to write {} in", folder.display(), path.display()))
            .hint("make the folder, or choose another name"));
    }
    // A name that no file can have: too long, or with a byte that is not allowed.
    if let Err(error) = std::fs::symlink_metadata(path)
        && error.kind() != ErrorKind::NotFound
    {
        return Err(
            CliError::usage(format!("{} cannot be written: {error}", path.display())).hint("choose another name")
        );
    }
    probe(folder).map_err(|error| {
        CliError::usage(format!("nothing can be written in {}: {error}", folder.display())).hint("choose another place")
    })
}

/// True for what is there and is no regular file: a pipe, a device, a socket.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Tries whether a file can be made in the folder, and leaves nothing behind.
pub(super) fn probe(folder: &Path) -> std::io::Result<()> {
    let path = folder.join(temporary_name());
    std::fs::File::create(&path)?;
    std::fs::remove_file(&path)
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a file by way of a temporary one beside it, so that no reader ever sees half of it. Behind a link the file that it
/// leads to is replaced.
pub(super) fn write_file(path: &Path, text: &str, existing: Existing) -> Result<(), CliError> {
    check_target(path, existing)?;
    let failed = |error: std::io::Error| {
        CliError::usage(format!("failed to write {}: {error}", path.display())).hint("nothing was left half written")
    };
    if is_special(path) {
        let file = std::fs::OpenOptions::new().write(true).open(path);
        return file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(failed);
    }
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let temporary = target.with_file_name(temporary_name());
    let written = write_whole(&temporary, text.as_bytes()).and_then(|()| std::fs::rename(&temporary, &target));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&temporary);
        failed(error)
    })
}

fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A name that no other process uses, short whatever the file's own name is.
fn temporary_name() -> String {
    format!(".tribunal-{}.tmp", std::process::id())
}

/// Writes to standard output; a reader that has gone away is no error.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(CliError::usage(format!("failed to write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Writes lines for people to standard output; none of them is a command to what reads the log of a build.
pub(super) fn print_lines(text: &str) -> Result<(), CliError> {
    print(&report::without_commands(text))
}

/// A result on its way out: format and place, resolved.
pub(super) struct Delivery<'a> {
    format: FormatArg,
    out: Option<&'a Path>,
    existing: Existing,
    pub lang: Lang,
    table: TableOptions,
    step: Option<Step>,
}

impl<'a> Delivery<'a> {
    /// The format is that of `--format`, else by the ending of `--out`, else a table. Checks the place.
    pub fn new(args: &'a OutputArgs, environment: &Environment) -> Result<Self, CliError> {
        let out = args.out.as_deref();
        let existing = Existing::by_force(args.force);
        if let Some(path) = out {
            check_target(path, existing)?;
        }
        let by_ending = out.and_then(Path::extension).and_then(|ending| match ending.to_str()? {
            "html" | "htm" => Some(FormatArg::Html),
            "json" => Some(FormatArg::Json),
            "jsonl" | "ndjson" => Some(FormatArg::Jsonl),
            "csv" => Some(FormatArg::Csv),
            "md" | "markdown" => Some(FormatArg::Markdown),
            "xml" => Some(FormatArg::Junit),
            _ => None,
        });
        Ok(Self {
            format: args.format.or(by_ending).unwrap_or(FormatArg::Table),
            out,
            existing,
            lang: match args.lang {
                LangArg::En => Lang::En,
                LangArg::Ja => Lang::Ja,
            },
            table: table_options(environment, out.is_none()),
            step: Step::wanted(Wanted::by_flag(args.github), environment)?,
        })
    }

    /// Refuses test cases where there is nothing to hold.
    pub fn needs_criteria(&self, hint: &str) -> Result<(), CliError> {
        if self.format == FormatArg::Junit {
            return Err(CliError::usage("--format junit makes no sense here: nothing has to hold").hint(hint));
        }
        Ok(())
    }

    /// True where people will drill into items.
    pub fn wants_items(&self) -> bool {
        self.format == FormatArg::Html
    }

    /// Writes the report, and a word about where it is.
    pub fn deliver(&self, report: &Report<'_>, ui: Ui) -> Result<(), CliError> {
        let format = match self.format {
            FormatArg::Table => Format::Table(self.table),
            FormatArg::Json => Format::Json,
            FormatArg::Jsonl => Format::JsonLines,
            FormatArg::Csv => Format::Csv,
            FormatArg::Junit => Format::JUnit,
            FormatArg::Markdown => Format::Markdown,
            FormatArg::Html => Format::Html,
        };
        let text = ui.during("writing the report", || report::render(report, format))?;
        match self.out {
            None if self.format == FormatArg::Table => print_lines(&text)?,
            None => print(&text)?,
            Some(path) => {
                write_file(path, &text, self.existing)?;
                ui.note(format!("written: {}", path.display()));
            }
        }
        match &self.step {
            Some(step) => step.post(&report::render(report, Format::Markdown)?, &report::annotations(report), ui),
            None => Ok(()),
        }
    }
}

/// The least width of a table; a narrower terminal breaks its lines itself.
const NARROWEST: u16 = 40;

/// The terminal's width (at least 40 columns) and whether it takes colour; plain and 100 columns wide in files and pipes.
pub(super) fn table_options(environment: &Environment, to_terminal: bool) -> TableOptions {
    let terminal = to_terminal && environment.stdout_is_terminal;
    let measured =
        terminal.then(terminal_size::terminal_size).flatten().map(|(width, _)| width.0).filter(|width| *width >= 20);
    let colour = if terminal && environment.colour { Colour::On } else { Colour::Off };
    TableOptions { width: environment.columns.or(measured).unwrap_or(100).max(NARROWEST), colour }
}
