//! Saving: answers count once they are on the disk.

use std::sync::Arc;

use super::{Engine, Halt};
use crate::runner::event::RunEvent;
use crate::runner::outcome::{Answer, Incomplete};
use crate::runner::respondent::Respondent;

impl<J: Respondent> Engine<'_, '_, J> {
    /// An answer came in: saved at once where the last save is long enough ago, else together with what comes until then.
    pub(super) fn save_soon(&mut self) {
        let earliest = self.saved_at.map_or_else(|| self.now(), |last| last + self.options.batch_delay);
        self.save_at = self.save_at.or(Some(earliest));
    }

    /// The task and those that share its answer.
    pub(super) fn served_by(&self, task: usize) -> Vec<usize> {
        let mut all = vec![task];
        all.extend(self.sharers.get(&task).into_iter().flatten());
        all
    }

    /// Writes what came in. Only now do these answers count. A short write of a small batch: calls take far longer.
    pub(super) fn save(&mut self) {
        self.save_at = None;
        if self.unsaved.is_empty() {
            return;
        }
        let saved = self.store.put_batch(&self.unsaved);
        self.saved_at = Some(self.now());
        self.hear_the_store();
        if let Err(error) = saved {
            self.store_failure = error.to_string();
            self.stop(self.store_failed());
            return;
        }
        let records = self.unsaved.len() as u64;
        let tasks = std::mem::take(&mut self.tasks_unsaved);
        for (task, record) in tasks.into_iter().zip(std::mem::take(&mut self.unsaved)) {
            let answer = Answer::Answered(Arc::new(record.completion));
            for at in self.served_by(task) {
                self.answers[at] = Some(answer.clone());
            }
        }
        (self.on_event)(RunEvent::BatchSaved { records });
    }

    pub(super) fn store_failed(&self) -> Halt {
        let unsaved = self.unsaved.len() as u64;
        Halt::Incomplete(Incomplete::Store { unsaved, why: self.store_failure.clone() })
    }

    pub(super) fn hear_the_store(&mut self) {
        for notice in self.store.take_notices() {
            self.notices.push(notice.clone());
            (self.on_event)(RunEvent::Noticed(notice));
        }
    }
}
