//! Keys of a terminal, read apart: a terminal that has gone away can hold its reader for ever, and must not hold the labels with it.

use std::io::{Error, IsTerminal, Result, stdin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crossterm::event::{Event, poll, read};

/// How often it is looked whether there is still somebody.
const TICK: Duration = Duration::from_millis(200);

/// What the reader is asked for; it does nothing unasked, so nothing is read ahead.
#[derive(Debug, Clone, Copy)]
enum Ask {
    Next,
    Forget,
}

/// The reader, and what tells that nobody is there any more.
pub(super) struct Keys {
    ask: Sender<Ask>,
    heard: Receiver<Result<Option<Event>>>,
    told_to_end: Arc<AtomicBool>,
    is_there: fn() -> bool,
}

impl Keys {
    /// The terminal's, until `told_to_end`.
    pub fn of_terminal(told_to_end: Arc<AtomicBool>) -> Self {
        Self::new(told_to_end, || stdin().is_terminal(), answer)
    }

    fn new(told_to_end: Arc<AtomicBool>, is_there: fn() -> bool, answer: fn(Ask) -> Result<Option<Event>>) -> Self {
        let (ask, asked) = channel();
        let (tell, heard) = channel();
        // Never waited for: where its terminal is gone it may hang until the process ends.
        std::thread::spawn(move || while asked.recv().is_ok_and(|ask| tell.send(answer(ask)).is_ok()) {});
        Self { ask, heard, told_to_end, is_there }
    }

    /// The next event; `None` where the program was told to end, or the terminal is gone.
    pub fn next(&self) -> Option<Event> {
        self.answered(Ask::Next).ok().flatten()
    }

    /// Forgets what was typed ahead: a key held down, or a text pasted, must not label pairs that nobody saw.
    pub fn forget_typed(&self) {
        // A terminal that is gone is met at the next key.
        let _ = self.answered(Ask::Forget);
    }

    fn answered(&self, ask: Ask) -> Result<Option<Event>> {
        self.ask.send(ask).map_err(Error::other)?;
        loop {
            match self.heard.recv_timeout(TICK) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) if (self.is_there)() && !self.told_to_end.load(Ordering::SeqCst) => {}
                Err(error) => return Err(Error::other(error)),
            }
        }
    }
}

fn answer(ask: Ask) -> Result<Option<Event>> {
    match ask {
        Ask::Next => read().map(Some),
        Ask::Forget => {
            while poll(Duration::ZERO)? {
                read()?;
            }
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a terminal that is gone: it never answers.
    fn hangs(_: Ask) -> Result<Option<Event>> {
        loop {
            std::thread::park();
        }
    }

    #[test]
    fn a_reader_that_hangs_does_not_hold_who_is_told_to_end_or_has_lost_the_terminal() {
        assert_eq!(Keys::new(Arc::new(AtomicBool::new(true)), || true, hangs).next(), None);
        let keys = Keys::new(Arc::default(), || false, hangs);
        keys.forget_typed();
        assert_eq!(keys.next(), None);
    }

    #[test]
    fn an_input_that_fails_is_an_end() {
        let keys = Keys::new(Arc::default(), || true, |_| Err(Error::other("gone")));
        assert_eq!(keys.next(), None);
        let keys = Keys::new(Arc::default(), || true, |_| Ok(Some(Event::FocusGained)));
        assert_eq!(keys.next(), Some(Event::FocusGained));
    }
}
