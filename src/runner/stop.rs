//! The request to stop, from whoever may make it (an interrupt, a budget, a test).

use tokio::sync::watch;

/// Asks a run to stop. Clones ask the same run.
#[derive(Debug, Clone)]
pub struct StopHandle(watch::Sender<bool>);

/// Tells a run that it is asked to stop.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<bool>);

/// A handle and what listens to it.
pub fn stop_signal() -> (StopHandle, Stop) {
    let (sender, receiver) = watch::channel(false);
    (StopHandle(sender), Stop(receiver))
}

impl StopHandle {
    /// Asks: no new calls, finish and save what is in flight.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Stop {
    /// A signal that never comes.
    pub fn never() -> Self {
        stop_signal().1
    }

    /// True once a stop was asked for.
    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns when a stop is asked for, and never when nobody can ask any more.
    pub async fn requested(&mut self) {
        if self.0.wait_for(|stop| *stop).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
