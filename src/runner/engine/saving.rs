//! Saving: answers count once they are on the disk.

use std::sync::Arc;

use tokio::task::{JoinHandle, spawn_blocking};

use super::{Engine, Halt};
use crate::runner::event::RunEvent;
use crate::runner::outcome::{Answer, Incomplete};
use crate::runner::respondent::Respondent;
use crate::store::Written;

/// A batch under way, and the tasks that its records answer.
pub(super) struct Saving {
    tasks: Vec<usize>,
    written: JoinHandle<Written>,
}

/// The end of the batch under way; `None` at once where there is none.
pub(super) async fn written(saving: Option<&mut Saving>) -> Option<Written> {
    match (&mut saving?.written).await {
        Ok(written) => Some(written),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => unreachable!("no batch is given up before its run: {error}"),
        },
    }
}

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

    /// Begins to write what came in, on another thread: calls go on meanwhile. One batch is under way at a time.
    pub(super) fn save(&mut self) {
        if self.saving.is_some() || self.unsaved.is_empty() {
            return;
        }
        self.save_at = None;
        let batch = self.store.begin_batch(std::mem::take(&mut self.unsaved));
        let tasks = std::mem::take(&mut self.tasks_unsaved);
        self.saving = Some(Saving { tasks, written: spawn_blocking(|| batch.write()) });
    }

    /// Waits for the batch under way, then writes the rest.
    pub(super) async fn save_all(&mut self) {
        for _ in 0..2 {
            if let Some(written) = written(self.saving.as_mut()).await {
                self.saved(written);
            }
            self.save();
        }
        if let Some(written) = written(self.saving.as_mut()).await {
            self.saved(written);
        }
    }

    /// The batch under way was written. Only now do its answers count.
    pub(super) fn saved(&mut self, written: Written) {
        let tasks = self.saving.take().map(|saving| saving.tasks).unwrap_or_default();
        let (records, outcome) = self.store.end_batch(written);
        self.saved_at = Some(self.now());
        self.hear_the_store();
        if let Err(error) = outcome {
            // What came in meanwhile stands behind them.
            self.unsaved.splice(0..0, records);
            self.tasks_unsaved.splice(0..0, tasks);
            self.store_failure = error.to_string();
            self.stop(self.store_failed());
            return;
        }
        if !self.unsaved.is_empty() {
            self.save_at = None;
            self.save_soon();
        }
        let saved = records.len() as u64;
        for (task, record) in tasks.into_iter().zip(records) {
            let answer = Answer::Answered(Arc::new(record.completion));
            for at in self.served_by(task) {
                self.answers[at] = Some(answer.clone());
            }
        }
        (self.on_event)(RunEvent::BatchSaved { records: saved });
    }

    /// Whether a batch is to be written now. One that failed gets its second chance when nothing is in flight any more.
    pub(super) fn is_due(&self) -> bool {
        let is_full = self.unsaved.len() >= self.options.batch_records;
        self.store_failure.is_empty() && (is_full || self.save_at.is_some_and(|at| at <= self.now()))
    }

    /// Answers come faster than the disk takes them: what is paid for and not saved must not pile up.
    pub(super) fn is_choked(&self) -> bool {
        self.saving.is_some() && self.store_failure.is_empty() && self.unsaved.len() >= self.options.batch_records
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
