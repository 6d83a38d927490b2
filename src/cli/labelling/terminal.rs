//! Labelling on a terminal: one pair a screen, one key a label. Thin: it draws lines and passes keys on.
//!
//! The terminal is as it was before at every end: a return, an error, a panic, a signal.

use std::io::{Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{execute, queue};

use super::keys::Keys;
use super::screen::{Line, Move, Sheet, cut, moved, packed, right_edge, wrapped};
use super::session::{Effect, Key};
use super::sitting::Sitting;
use super::words::Words;
use super::{Ending, ending};
use crate::cli::exit::CliError;
use crate::cli::interrupt;
use crate::report::{Colour, visible_line};

/// Labels until the annotator quits.
pub(super) fn run(sitting: &mut Sitting, words: &'static Words, colour: Colour) -> Result<Ending, CliError> {
    let keys = Keys::of_terminal(interrupt::noticed());
    let _restored_at_the_end = Raw::enter()?;
    let mut view = View { words, colour, top: 0, note: String::new(), over: None };
    loop {
        // A screen that cannot be drawn on is gone, as one is that gives no keys.
        let Ok(frame) = view.draw(sitting) else { return Ok(Ending::Interrupted) };
        let Some(event) = keys.next() else { return Ok(Ending::Interrupted) };
        let Event::Key(key) = event else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        view.note.clear();
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('c') => return Ok(Ending::Interrupted),
                KeyCode::Char('d') => return Ok(ending(sitting)),
                _ => continue,
            }
        }
        if view.over.take().is_some() {
            continue;
        }
        if let Some(by) = movement(key) {
            view.top = moved(view.top, by, frame.lines, frame.room);
        } else if let KeyCode::Char(letter) = key.code {
            let Some(key) = Key::of(&letter.to_string()) else {
                words.no_such_key.clone_into(&mut view.note);
                continue;
            };
            let before = sitting.current();
            if view.obey(sitting, key)? {
                return Ok(ending(sitting));
            }
            if sitting.current() != before {
                view.top = 0;
                keys.forget_typed();
            }
        }
    }
}

fn movement(key: KeyEvent) -> Option<Move> {
    Some(match key.code {
        KeyCode::Char(' ') | KeyCode::PageDown => Move::PageDown,
        KeyCode::PageUp | KeyCode::Backspace => Move::PageUp,
        KeyCode::Down | KeyCode::Enter => Move::LineDown,
        KeyCode::Up => Move::LineUp,
        KeyCode::Home => Move::Start,
        KeyCode::End => Move::End,
        _ => return None,
    })
}

/// What is on the screen beside the pair.
struct View {
    words: &'static Words,
    colour: Colour,
    /// The first line of the pair that is shown.
    top: usize,
    /// What the last key led to.
    note: String,
    /// Shown instead of the pair until a key is pressed.
    over: Option<Vec<String>>,
}

/// How much there was to show, and room for how much.
struct Frame {
    lines: usize,
    room: usize,
}

impl View {
    /// Does what a key says; true where it says to quit.
    fn obey(&mut self, sitting: &mut Sitting, key: Key) -> Result<bool, CliError> {
        match sitting.press(key)? {
            Effect::Quit => return Ok(true),
            Effect::NothingToUndo => self.words.nothing_to_undo.clone_into(&mut self.note),
            Effect::TakeBack => self.words.undone.clone_into(&mut self.note),
            Effect::Info => self.over = Some(self.words.agreement(&sitting.agreement())),
            Effect::Help => {
                let keys = self.words.keys.iter().chain(self.words.scroll);
                self.over = Some(keys.map(|key| (*key).to_owned()).collect());
            }
            Effect::Keep { .. } | Effect::Move | Effect::Nothing => {}
        }
        Ok(false)
    }

    fn draw(&mut self, sitting: &Sitting) -> Result<Frame, CliError> {
        let (width, height) = size().map_or((80, 24), |(width, height)| (usize::from(width), usize::from(height)));
        let (width, height) = (width.max(10), height.max(4));
        let lines = self.lines(sitting, width);
        let below = self.below(sitting, width, height);
        let room = (height - 1).saturating_sub(below.len()).max(1);
        self.top = self.top.min(lines.len().saturating_sub(room));
        let head = self.head(sitting, &lines, room);
        let mut out = Vec::new();
        self.put(&mut out, 0, &Line { left: cut(&head, width), right: None, is_title: true }, width)?;
        for row in 0..room {
            let line = lines.get(self.top + row).cloned().unwrap_or_else(|| Line::of(String::new()));
            self.put(&mut out, row + 1, &line, width)?;
        }
        for (row, text) in below.into_iter().enumerate() {
            self.put(&mut out, room + 1 + row, &Line::of(text), width)?;
        }
        let mut screen = stdout().lock();
        screen.write_all(&out).and_then(|()| screen.flush())?;
        Ok(Frame { lines: lines.len(), room })
    }

    fn lines(&self, sitting: &Sitting, width: usize) -> Vec<Line> {
        let plain = |texts: &[String]| -> Vec<Line> {
            texts.iter().flat_map(|text| wrapped(text, width)).map(Line::of).collect()
        };
        if let Some(over) = &self.over {
            return plain(over);
        }
        match sitting.current() {
            Some(task) => Sheet::of(&sitting.pairs[task.pair], task.shown, self.words).lines(width),
            None if sitting.counts().skipped == 0 => plain(&[self.words.all_done.to_owned()]),
            None => plain(&[self.words.all_but_skipped.to_owned()]),
        }
    }

    /// Progress, who labels, and which part of a long text is seen.
    fn head(&self, sitting: &Sitting, lines: &[Line], room: usize) -> String {
        let mut parts = vec![self.words.progress(sitting.counts())];
        if !self.note.is_empty() {
            parts.push(self.note.clone());
        }
        if lines.len() > room {
            parts.push(self.words.part(self.top + 1, (self.top + room).min(lines.len()), lines.len()));
        }
        parts.push(visible_line(&sitting.annotator.0).into_owned());
        parts.join(" · ")
    }

    /// The keys; fewer of them where the screen is low.
    fn below(&self, sitting: &Sitting, width: usize, height: usize) -> Vec<String> {
        let keys: Vec<&str> = match (&self.over, sitting.current()) {
            (Some(_), _) => vec![self.words.any_key],
            (None, Some(_)) => [self.words.keys, &self.words.scroll[..1]].concat(),
            (None, None) => self.words.end_keys.to_vec(),
        };
        let mut lines = packed(&keys, " · ", width);
        for line in &mut lines {
            *line = cut(line, width);
        }
        lines.truncate(height / 4);
        lines
    }

    /// One line of the screen. The right column is moved to, so that no doubtful width of the left one can shift it.
    fn put(&self, out: &mut Vec<u8>, row: usize, line: &Line, width: usize) -> Result<(), CliError> {
        let place = |column: usize| MoveTo(u16::try_from(column).unwrap_or(0), u16::try_from(row).unwrap_or(0));
        queue!(out, place(0), Clear(ClearType::CurrentLine))?;
        let styled = line.is_title && self.colour == Colour::On;
        if styled {
            queue!(out, SetAttribute(if row == 0 { Attribute::Reverse } else { Attribute::Bold }))?;
        }
        queue!(out, Print(&line.left))?;
        if let Some(right) = &line.right {
            queue!(out, place(right_edge(width) - 2), Print("│ "), Print(right))?;
        }
        if styled {
            queue!(out, SetAttribute(Attribute::Reset))?;
        }
        Ok(())
    }
}

/// True while the terminal is not as it was found.
static CHANGED: AtomicBool = AtomicBool::new(false);

/// While this lives the terminal gives single keys and shows another screen.
struct Raw;

impl Raw {
    fn enter() -> Result<Self, CliError> {
        enable_raw_mode()?;
        // From here on leaving this function puts the terminal right again.
        let raw = Self;
        CHANGED.store(true, Ordering::SeqCst);
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // Before it is said what happened, else nobody could read it.
            restore();
            usual(panic);
        }));
        execute!(stdout(), EnterAlternateScreen, Hide)?;
        Ok(raw)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        restore();
    }
}

fn restore() {
    if CHANGED.swap(false, Ordering::SeqCst) {
        let _ = execute!(stdout(), Show, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}
