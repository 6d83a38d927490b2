//! `completions` and `man`: what a shell and `man` know of the commands, made from their definitions.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::args::{Args, CompletionsArgs, ManArgs};
use crate::cli::exit::{CliError, Exit};
use crate::cli::manual;
use crate::cli::output::{Existing, check_target, print, write_file};
use crate::cli::schemas::SCHEMAS;
use crate::cli::ui::Ui;
use crate::prompt::{DEFAULT, EMBEDDED};

/// Writes the completions of a shell.
pub(in crate::cli) fn completions(args: &CompletionsArgs) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "tribunal", &mut script);
    print(&with_files(&String::from_utf8_lossy(&script), args.shell)).map(|()| Exit::Done)
}

/// A prompt is the name of one that ships or a file, and a script offers either words or files: here both are offered.
fn with_files(script: &str, shell: Shell) -> String {
    let names = EMBEDDED.join(" ");
    match shell {
        Shell::Bash => script.replace(&format!("compgen -W \"{names}\""), &format!("compgen -f -W \"{names}\"")),
        Shell::Fish => {
            let script = script.replace(&format!("-r -f -a \"{DEFAULT}"), &format!("-r -F -a \"{DEFAULT}"));
            // Words that stand without a flag are left out by the generator.
            let schemas: Vec<&str> = SCHEMAS.iter().map(|schema| schema.name).collect();
            let behind = "complete -c tribunal -n \"__fish_tribunal_using_subcommand";
            format!(
                "{script}{behind} schema\" -f -a \"{}\"\n\
                 {behind} prompt; and __fish_seen_subcommand_from lint\" -F -a \"{names}\"\n",
                schemas.join(" ")
            )
        }
        Shell::Zsh => {
            let both = format!(":{{ _alternative \"prompts:shipped prompt:({names})\" \"files:file:_files\" }}'");
            script.replace(&format!(":({names})'"), &both)
        }
        _ => script.to_owned(),
    }
}

/// Writes the first manual page, or all.
pub(in crate::cli) fn man(args: &ManArgs, ui: Ui) -> Result<Exit, CliError> {
    let mut root = Args::command().disable_help_subcommand(true);
    root.build();
    let Some(folder) = &args.out else {
        return print(&page(&root, &root)?.1).map(|()| Exit::Done);
    };
    let mut pages = Vec::new();
    all(&root, &root, &mut pages)?;
    write(folder, &pages, Existing::by_force(args.force))?;
    ui.note(format!("written: {} pages in {}", pages.len(), folder.display()));
    Ok(Exit::Done)
}

/// A file name with its text.
type Page = (String, String);

fn page(command: &Command, root: &Command) -> Result<Page, CliError> {
    let text = manual::page(command, root)?;
    Ok((Man::new(command.clone()).get_filename(), String::from_utf8_lossy(&text).into_owned()))
}

fn all(command: &Command, root: &Command, pages: &mut Vec<Page>) -> Result<(), CliError> {
    pages.push(page(command, root)?);
    command.get_subcommands().try_for_each(|command| all(command, root, pages))
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
