//! `completions` and `man`: what a shell and `man` know of the commands, made from their definitions.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::cli::args::{Args, CompletionsArgs, ManArgs};
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::{Existing, check_target, print, write_file};
use crate::cli::ui::Ui;

/// Writes the completions of a shell.
pub(in crate::cli) fn completions(args: &CompletionsArgs) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "tribunal", &mut script);
    print(&String::from_utf8_lossy(&script)).map(|()| Exit::Done)
}

/// Writes the first manual page, or all.
pub(in crate::cli) fn man(args: &ManArgs, ui: Ui) -> Result<Exit, CliError> {
    let mut root = Args::command().disable_help_subcommand(true);
    root.build();
    let Some(folder) = &args.out else {
        return print(&page(&root)?.1).map(|()| Exit::Done);
    };
    let mut pages = Vec::new();
    all(&root, &mut pages)?;
    write(folder, &pages, Existing::by_force(args.force))?;
    ui.note(format!("written: {} pages in {}", pages.len(), folder.display()));
    Ok(Exit::Done)
}

/// A file name with its text.
type Page = (String, String);

fn page(command: &Command) -> Result<Page, CliError> {
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render(&mut text)?;
    Ok((man.get_filename(), String::from_utf8_lossy(&text).into_owned()))
}

fn all(command: &Command, pages: &mut Vec<Page>) -> Result<(), CliError> {
    pages.push(page(command)?);
    command.get_subcommands().try_for_each(|command| all(command, pages))
}

fn write(folder: &Path, pages: &[Page], existing: Existing) -> Result<(), CliError> {
    std::fs::create_dir_all(folder).map_err(|error| {
        CliError::usage(format!("failed to make the folder {}: {error}", folder.display()))
            .hint("choose another with --out")
    })?;
    // All or none.
    pages.iter().try_for_each(|(name, _)| check_target(&folder.join(name), existing))?;
    pages.iter().try_for_each(|(name, text)| write_file(&folder.join(name), text, existing))
}
