//! Labelling by lines: each line of standard input is one key, and what is shown goes to standard output as it is.
//! For pipes, tests and screen readers.

use std::fmt::Write as _;

use super::screen::Sheet;
use super::session::{Effect, Key};
use super::sitting::Sitting;
use super::words::Words;
use super::{Ending, ending};
use crate::cli::exit::CliError;
use crate::cli::output::{Reader, print, print_to_reader};

/// Labels until the lines end, all is labelled, or nobody sees any more what is asked.
pub(super) fn run(sitting: &mut Sitting, words: &'static Words) -> Result<Ending, CliError> {
    let mut shown = None;
    let mut said = String::new();
    loop {
        if shown != Some(sitting.current()) {
            shown = Some(sitting.current());
            said += &sheet(sitting, words);
        }
        if print_to_reader(&(std::mem::take(&mut said) + "> "))? == Reader::Gone {
            return Ok(ending(sitting));
        }
        let mut line = String::new();
        // Nobody can say more where the input has ended.
        if std::io::stdin().read_line(&mut line)? == 0 {
            print("\n")?;
            return Ok(ending(sitting));
        }
        if line.trim().is_empty() {
            continue;
        }
        let Some(key) = Key::of(&line) else {
            said = format!("{}\n{}\n", words.no_such_key, words.keys.join(" · "));
            continue;
        };
        match sitting.press(key)? {
            Effect::Quit => return Ok(ending(sitting)),
            Effect::NothingToUndo => said = format!("{}\n", words.nothing_to_undo),
            Effect::Info => said = words.agreement(&sitting.agreement()).join("\n") + "\n",
            Effect::Help => said = format!("{}\n", words.keys.join(" · ")),
            Effect::TakeBack => {
                said = format!("{}\n", words.undone);
                shown = None;
            }
            Effect::Keep { .. } | Effect::Move | Effect::Nothing => {}
        }
    }
}

/// The current pair, or the end, under a line of progress.
fn sheet(sitting: &Sitting, words: &'static Words) -> String {
    let mut text = format!("\n{}\n", words.progress(sitting.counts()));
    let Some(task) = sitting.current() else {
        let done = if sitting.counts().skipped == 0 { words.all_done } else { words.all_but_skipped };
        return text + done + "\n" + &words.end_keys.join(" · ") + "\n";
    };
    for block in Sheet::of(&sitting.pairs[task.pair], task.shown, words).blocks() {
        writeln!(text, "\n{}:\n{}", block.title, block.text).expect("writing to a String cannot fail");
    }
    text + "\n" + &words.keys.join(" · ") + "\n"
}
