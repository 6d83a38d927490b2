//! Every example in a help text is a command that can be typed.

use clap::{Command, CommandFactory, Parser};

use super::Args;

/// Words as a POSIX shell splits them, up to a redirection or a pipe.
fn words(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => found.extend(word.take()),
            '|' | '>' | '<' if !is_quoted => break,
            _ => word.get_or_insert_default().push(c),
        }
    }
    found.extend(word);
    assert!(!is_quoted, "{line}");
    found
}

fn examples(command: &Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    assert!(help.starts_with("Examples:\n"), "{} has no examples", command.get_name());
    let lines = help.lines().skip(1).take_while(|line| line.starts_with("  "));
    lines.map(|line| line.trim().to_owned()).collect()
}

fn each(command: &Command, visit: &mut dyn FnMut(&Command)) {
    visit(command);
    command.get_subcommands().filter(|command| command.get_name() != "help").for_each(|command| each(command, visit));
}

#[test]
fn every_command_has_two_to_four_examples_that_can_be_typed() {
    let mut commands = 0;
    each(&Args::command(), &mut |command| {
        commands += 1;
        let examples = examples(command);
        assert!((2..=4).contains(&examples.len()), "{}: {}", command.get_name(), examples.len());
        for example in examples {
            let words = words(&example);
            assert_eq!(words[0], "tribunal", "{example}");
            let is_of_this = command.get_name() == "tribunal" || words.iter().any(|word| word == command.get_name());
            // `generate` ends with what its files are for.
            assert!(is_of_this || words[1] == "compare", "{example} stands under {}", command.get_name());
            Args::try_parse_from(&words).unwrap_or_else(|error| panic!("{example}: {error}"));
        }
    });
    assert!(commands > 20, "{commands}");
}

#[test]
fn the_definitions_agree_with_each_other() {
    Args::command().debug_assert();
}
