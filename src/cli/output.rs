//! Data goes out whole or not at all, and nothing that is there is overwritten without being asked to.

use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

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
    // A link that leads nowhere is something as well.
    if existing == Existing::Keep && path.symlink_metadata().is_ok() {
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

/// Refuses a file to write that is one of those to be read: the result must not take the place of what it comes from.
pub(super) fn check_apart<'i>(out: Option<&Path>, inputs: impl IntoIterator<Item = &'i str>) -> Result<(), CliError> {
    let Some(out) = out else { return Ok(()) };
    match inputs.into_iter().find(|input| is_same_file(out, Path::new(input))) {
        None => Ok(()),
        Some(input) => Err(CliError::usage(format!("{} is read here ({input}), and not written", out.display()))
            .hint("name another file behind --out")),
    }
}

/// True where both names lead to one regular file, by links of either kind too.
pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    let (Ok(first), Ok(second)) = (std::fs::metadata(one), std::fs::metadata(other)) else { return false };
    if !first.is_file() || !second.is_file() {
        return false;
    }
    #[cfg(unix)]
    if is_same_inode(&first, &second) {
        return true;
    }
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// True for two looks at one file.
#[cfg(unix)]
pub(super) fn is_same_inode(one: &std::fs::Metadata, other: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Tries whether a file can be made in the folder, and leaves nothing behind.
pub(super) fn probe(folder: &Path) -> std::io::Result<()> {
    let (path, _) = temporary(folder)?;
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
    let (temporary, mut file) = temporary(parent(&target)).map_err(failed)?;
    // A file that was kept from others' eyes stays so, from its first byte on.
    let kept = std::fs::metadata(&target).map_or(Ok(()), |found| file.set_permissions(found.permissions()));
    let written = kept.and_then(|()| file.write_all(text.as_bytes())).and_then(|()| file.sync_all());
    written.and_then(|()| std::fs::rename(&temporary, &target)).map_err(|error| {
        let _ = std::fs::remove_file(&temporary);
        failed(error)
    })
}

/// A new file in a folder, by a name that nobody else has, whatever process ids other machines and containers give out. The name is
/// short, however long that of the file is which it becomes.
fn temporary(folder: &Path) -> std::io::Result<(PathBuf, File)> {
    loop {
        let number = RandomState::new().build_hasher().finish();
        let path = folder.join(format!(".tribunal-{number:016x}.tmp"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (path, file)),
        }
    }
}

/// Where a result goes by `--out`: to a file, or, by `-` as without the flag, to standard output.
pub(super) fn file_of(out: Option<&Path>) -> Option<&Path> {
    out.filter(|path| *path != Path::new("-"))
}

/// Refuses a file for JSON Lines whose ending promises something else.
pub(super) fn check_lines(path: &Path) -> Result<(), CliError> {
    const OTHERS: [&str; 8] = ["csv", "tsv", "html", "htm", "md", "markdown", "xml", "gz"];
    match ending(path).filter(|ending| OTHERS.contains(&ending.as_str())) {
        None => Ok(()),
        Some(ending) => Err(CliError::usage(format!(
            "{} ends with .{ending}, and what is written here is JSON Lines",
            path.display()
        ))
        .hint("let it end with .jsonl")),
    }
}

fn ending(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase())
}

/// The format by the ending of a file; a table where it has none.
fn format_of(path: &Path) -> Result<FormatArg, CliError> {
    let Some(ending) = ending(path) else { return Ok(FormatArg::Table) };
    Ok(match ending.as_str() {
        "html" | "htm" => FormatArg::Html,
        "json" => FormatArg::Json,
        "jsonl" | "ndjson" => FormatArg::Jsonl,
        "csv" => FormatArg::Csv,
        "md" | "markdown" => FormatArg::Markdown,
        "xml" => FormatArg::Junit,
        "txt" => FormatArg::Table,
        _ => {
            return Err(CliError::usage(format!("no format is known by the ending .{ending} of {}", path.display()))
                .hint("known are .html, .json, .jsonl, .csv, .md, .xml (JUnit) and .txt (table); with --format any name will do"));
        }
    })
}

/// Whether somebody still reads standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    There,
    Gone,
}

/// Writes to standard output; a reader that has gone away is no error.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    print_to_reader(text).map(|_| ())
}

/// The same, for who has nothing to do where nobody reads.
pub(super) fn print_to_reader(text: &str) -> Result<Reader, CliError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(CliError::usage(format!("failed to write to standard output: {error}"))),
        Ok(()) => Ok(Reader::There),
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
        let out = file_of(args.out.as_deref());
        let existing = Existing::by_force(args.force);
        let by_ending = || out.map_or(Ok(FormatArg::Table), format_of);
        let format = args.format.map_or_else(by_ending, Ok)?;
        if let Some(path) = out {
            check_target(path, existing)?;
        }
        Ok(Self {
            format,
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
        // The summary first: where it cannot be added to, no result stands beside a status that says there is none.
        if let Some(step) = &self.step {
            step.add(&report::render(report, Format::Markdown)?)?;
        }
        match self.out {
            None if matches!(self.format, FormatArg::Table | FormatArg::Markdown) => print_lines(&text)?,
            None => print(&text)?,
            Some(path) => {
                write_file(path, &text, self.existing)?;
                for line in report::summary(report) {
                    ui.note(line);
                }
                ui.note(format!("written: {}", path.display()));
            }
        }
        if self.step.is_some() {
            ui.commands(&report::annotations(report));
        }
        Ok(())
    }
}

/// The least width of a table; a narrower terminal breaks its lines itself.
const NARROWEST: u16 = 40;

/// The terminal's width (at least 40 columns) and whether it takes colour; plain and 100 columns wide in files and pipes.
pub(super) fn table_options(environment: &Environment, to_terminal: bool) -> TableOptions {
    let terminal = to_terminal && environment.stdout_is_terminal;
    let measured =
        terminal.then(terminal_size::terminal_size).flatten().map(|(width, _)| width.0).filter(|width| *width > 0);
    let colour = if terminal && environment.colour { Colour::On } else { Colour::Off };
    TableOptions { width: environment.columns.or(measured).unwrap_or(100).max(NARROWEST), colour }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn no_two_temporary_files_share_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let (one, _) = temporary(folder.path()).unwrap();
        let (other, _) = temporary(folder.path()).unwrap();
        assert!(one != other && one.exists() && other.exists());
    }

    #[test]
    fn endings_name_formats_in_any_case_and_unknown_ones_none() {
        assert_eq!(format_of(Path::new("r.HTML")).unwrap(), FormatArg::Html);
        assert_eq!(format_of(Path::new("r.Json")).unwrap(), FormatArg::Json);
        assert_eq!(format_of(Path::new("report")).unwrap(), FormatArg::Table);
        for name in ["r.png", "r.tsv", "r.html.gz", "r.pdf"] {
            assert!(format_of(Path::new(name)).unwrap_err().hint.unwrap().contains(".html"), "{name}");
        }
        assert!(check_lines(Path::new("x.CSV")).is_err() && check_lines(Path::new("x.jsonl")).is_ok());
    }
}
