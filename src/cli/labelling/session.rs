//! One annotator's way through the pairs: a state machine of keys, without a terminal, a file or a clock.

use std::collections::BTreeSet;

use crate::domain::{Order, Preference, Verdict};

/// What a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// The answer shown first is better, or the second, or neither.
    Label(Verdict),
    /// Not now.
    Skip,
    /// Take the last label or skip back.
    Undo,
    /// How far do the annotators agree?
    Info,
    /// What are the keys?
    Help,
    /// Enough for now.
    Quit,
}

impl Key {
    /// A key by its letter or word. Full-width letters count too: an input method may be on.
    pub fn of(typed: &str) -> Option<Self> {
        let narrow = |c: char| match c {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            _ => c,
        };
        let typed: String = typed.trim().chars().map(narrow).collect();
        Some(match typed.to_lowercase().as_str() {
            "a" | "1" => Self::Label(Verdict::First),
            "b" | "2" => Self::Label(Verdict::Second),
            "t" | "tie" | "=" => Self::Label(Verdict::Tie),
            "s" | "skip" => Self::Skip,
            "u" | "undo" => Self::Undo,
            "i" | "info" => Self::Info,
            "?" | "h" | "help" => Self::Help,
            "q" | "quit" => Self::Quit,
            _ => return None,
        })
    }
}

/// What has to be done about a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Write this label down.
    Keep { pair: usize, label: Preference, shown: Order },
    /// Take the newest label out of the file.
    TakeBack,
    /// Show what is current now.
    Move,
    /// There is nothing to take back.
    NothingToUndo,
    /// Show the agreement.
    Info,
    /// Show the keys.
    Help,
    /// Stop.
    Quit,
    /// The key has no meaning here.
    Nothing,
}

/// A pair to be labelled, and the order in which its responses are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Task {
    /// Position in the file.
    pub pair: usize,
    pub shown: Order,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Skipped,
    Labelled,
}

/// How far somebody is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub labelled: usize,
    pub skipped: usize,
    pub all: usize,
}

/// The tasks in their order, and what became of each.
#[derive(Debug)]
pub(super) struct Session {
    tasks: Vec<Task>,
    states: Vec<State>,
    /// Tasks that were labelled or skipped, the newest last; labels of before that can be taken back come first.
    past: Vec<usize>,
    current: Option<usize>,
}

impl Session {
    /// Goes on where the annotator stopped. `labelled` are pairs with a label by them; `newest` those at the end of the
    /// file, oldest first, that can still be taken back.
    pub fn new(tasks: Vec<Task>, labelled: &BTreeSet<usize>, newest: &[usize]) -> Self {
        let state = |task: &Task| if labelled.contains(&task.pair) { State::Labelled } else { State::Open };
        let states = tasks.iter().map(state).collect();
        let past = newest.iter().filter_map(|pair| tasks.iter().position(|task| task.pair == *pair)).collect();
        let mut session = Self { tasks, states, past, current: None };
        session.go_on();
        session
    }

    /// The pair to be labelled; `None` where all are labelled or skipped.
    pub fn current(&self) -> Option<Task> {
        self.current.map(|at| self.tasks[at])
    }

    pub fn counts(&self) -> Counts {
        let count = |wanted| self.states.iter().filter(|state| **state == wanted).count();
        Counts { labelled: count(State::Labelled), skipped: count(State::Skipped), all: self.tasks.len() }
    }

    /// What a key does now. A label counts as given from here on; where it cannot be written down, the session is over.
    pub fn press(&mut self, key: Key) -> Effect {
        match (key, self.current) {
            (Key::Label(verdict), Some(at)) => {
                let Task { pair, shown } = self.tasks[at];
                self.leave(at, State::Labelled);
                Effect::Keep { pair, label: shown.identify(verdict), shown }
            }
            (Key::Label(_), None) => Effect::Nothing,
            (Key::Skip, Some(at)) => {
                self.leave(at, State::Skipped);
                Effect::Move
            }
            (Key::Skip, None) => self.look_again(),
            (Key::Undo, _) => self.undo(),
            (Key::Info, _) => Effect::Info,
            (Key::Help, _) => Effect::Help,
            (Key::Quit, _) => Effect::Quit,
        }
    }

    fn leave(&mut self, at: usize, state: State) {
        self.states[at] = state;
        self.past.push(at);
        self.go_on();
    }

    fn go_on(&mut self) {
        self.current = self.states.iter().position(|state| *state == State::Open);
    }

    fn undo(&mut self) -> Effect {
        let Some(at) = self.past.pop() else { return Effect::NothingToUndo };
        let was = std::mem::replace(&mut self.states[at], State::Open);
        self.current = Some(at);
        if was == State::Labelled { Effect::TakeBack } else { Effect::Move }
    }

    /// Opens what was skipped once the rest is done.
    fn look_again(&mut self) -> Effect {
        let states = &mut self.states;
        self.past.retain(|at| states[*at] == State::Labelled);
        states.iter_mut().filter(|state| **state == State::Skipped).for_each(|state| *state = State::Open);
        self.go_on();
        if self.current.is_some() { Effect::Move } else { Effect::Nothing }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const A: Key = Key::Label(Verdict::First);

    /// Pairs 0 to 3, of which the odd ones are shown with `b` first.
    fn tasks() -> Vec<Task> {
        let shown = |pair| if pair % 2 == 0 { Order::Ab } else { Order::Ba };
        (0..4).map(|pair| Task { pair, shown: shown(pair) }).collect()
    }

    fn at(session: &Session) -> Option<usize> {
        session.current().map(|task| task.pair)
    }

    #[test]
    fn what_is_said_of_sides_becomes_a_label_of_responses() {
        let mut session = Session::new(tasks(), &BTreeSet::from([]), &[]);
        assert_eq!(session.press(A), Effect::Keep { pair: 0, label: Preference::A, shown: Order::Ab });
        assert_eq!(session.press(A), Effect::Keep { pair: 1, label: Preference::B, shown: Order::Ba });
        let tie = session.press(Key::Label(Verdict::Tie));
        assert_eq!(tie, Effect::Keep { pair: 2, label: Preference::Tie, shown: Order::Ab });
        assert_eq!(session.counts(), Counts { labelled: 3, skipped: 0, all: 4 });
    }

    #[test]
    fn undo_goes_back_through_labels_and_skips_and_only_labels_touch_the_file() {
        let mut session = Session::new(tasks(), &BTreeSet::from([]), &[]);
        session.press(A);
        session.press(Key::Skip);
        assert_eq!(at(&session), Some(2));
        assert_eq!((session.press(Key::Undo), at(&session)), (Effect::Move, Some(1)));
        assert_eq!((session.press(Key::Undo), at(&session)), (Effect::TakeBack, Some(0)));
        assert_eq!(session.press(Key::Undo), Effect::NothingToUndo);
    }

    #[test]
    fn a_session_goes_on_where_it_stopped_and_the_newest_labels_of_before_can_be_taken_back() {
        let mut session = Session::new(tasks(), &BTreeSet::from([2, 0]), &[0]);
        assert_eq!((at(&session), session.counts().labelled), (Some(1), 2));
        assert_eq!((session.press(Key::Undo), at(&session)), (Effect::TakeBack, Some(0)));
        assert_eq!(session.press(Key::Undo), Effect::NothingToUndo);
    }

    #[test]
    fn skipped_pairs_come_again_when_asked_for_at_the_end() {
        let mut session = Session::new(tasks(), &BTreeSet::from([3]), &[]);
        for _ in 0..3 {
            assert_eq!(session.press(Key::Skip), Effect::Move);
        }
        assert_eq!((session.current(), session.counts().skipped), (None, 3));
        assert_eq!(session.press(A), Effect::Nothing);
        assert_eq!((session.press(Key::Skip), at(&session)), (Effect::Move, Some(0)));
        let mut done = Session::new(tasks(), &BTreeSet::from([0, 1, 2, 3]), &[]);
        assert_eq!(done.press(Key::Skip), Effect::Nothing);
    }

    #[test]
    fn keys_are_letters_words_and_their_full_width_forms() {
        assert_eq!(Key::of(" A\n"), Some(A));
        assert_eq!(Key::of("ｂ"), Some(Key::Label(Verdict::Second)));
        assert_eq!(Key::of("tie"), Some(Key::Label(Verdict::Tie)));
        assert_eq!([Key::of(""), Key::of("ab"), Key::of("x")], [None; 3]);
    }
}
