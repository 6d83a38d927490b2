//! What the program does when it is told to end.
//!
//! While it asks, the first interrupt is a request (calls in flight are waited for and kept) and the second ends the waiting.
//! At any other time an interrupt ends the program at once, as it does any program.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::runner::{Stop, stop_signal};

/// How work ended that could be interrupted.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended<T> {
    /// Nobody wanted it to stop.
    Undisturbed(T),
    /// It was asked to stop, be it as it ended.
    Told(T),
    /// The second interrupt did not wait for it.
    GivenUp,
}

/// Runs `work` on a runtime of its own. The first interrupt asks it to stop; the second does not wait for that.
pub(super) fn interruptible<T>(work: impl AsyncFnOnce(Stop) -> T) -> std::io::Result<Ended<T>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let while_it_asks = signals::requests();
    let outcome = runtime.block_on(async {
        let (handle, stop) = stop_signal();
        let mut interrupts = signals::heard();
        let running = work(stop);
        tokio::pin!(running);
        tokio::select! {
            outcome = &mut running => return Ended::Undisturbed(outcome),
            _ = interrupts.recv() => handle.stop(),
        }
        tokio::select! {
            outcome = &mut running => Ended::Told(outcome),
            _ = interrupts.recv() => Ended::GivenUp,
        }
    });
    // From here on an interrupt ends the program; one of before that came too late to be passed on is looked for after that.
    drop(while_it_asks);
    // A connection that hangs must not hold up the end.
    runtime.shutdown_timeout(Duration::from_millis(100));
    Ok(match outcome {
        Ended::Undisturbed(outcome) if signals::was_told() => Ended::Told(outcome),
        outcome => outcome,
    })
}

/// Becomes true with the first interrupt, which from here on has no other effect: for who has to put a terminal right before the end.
pub(super) fn noticed() -> Arc<AtomicBool> {
    let told = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    signals::note(&told);
    told
}

/// A write beyond the largest file that is allowed (`ulimit -f`) is an error like that of a full disk, and not the end of the
/// program.
pub(super) fn survive_file_limits() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

#[cfg(unix)]
mod signals {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, OnceLock};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use tokio::signal::unix::{SignalKind, signal};
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    /// True while an interrupt has its usual effect. A handler, once there, stays for the life of the process.
    fn usual() -> &'static Arc<AtomicBool> {
        static USUAL: OnceLock<Arc<AtomicBool>> = OnceLock::new();
        USUAL.get_or_init(|| {
            let usual = Arc::new(AtomicBool::new(true));
            for signal in kinds() {
                let _ = signal_hook::flag::register_conditional_default(signal, Arc::clone(&usual));
            }
            usual
        })
    }

    /// What a terminal, a container or a CI runner sends. What was ignored when the program began (`nohup`, a job in the
    /// background) stays ignored.
    fn kinds() -> impl Iterator<Item = i32> {
        let ignored = ignored();
        [SIGINT, SIGTERM, SIGHUP].into_iter().filter(move |signal| ignored & 1 << (signal - 1) == 0)
    }

    /// The ignored signals as bits from signal 1 on, where the system tells them.
    fn ignored() -> u64 {
        static IGNORED: OnceLock<u64> = OnceLock::new();
        *IGNORED.get_or_init(|| {
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
            mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
        })
    }

    /// Sets the flag at an interrupt.
    pub fn note(told: &Arc<AtomicBool>) {
        for signal in kinds() {
            let _ = signal_hook::flag::register(signal, Arc::clone(told));
        }
    }

    /// Set by every interrupt, in the very moment.
    fn told() -> &'static Arc<AtomicBool> {
        static TOLD: OnceLock<Arc<AtomicBool>> = OnceLock::new();
        TOLD.get_or_init(|| {
            let told = Arc::default();
            note(&told);
            told
        })
    }

    /// Whether an interrupt came since the last [`requests`] began.
    pub fn was_told() -> bool {
        told().load(Ordering::SeqCst)
    }

    /// While this lives, interrupts are requests.
    pub struct Requests;

    pub fn requests() -> Requests {
        told().store(false, Ordering::SeqCst);
        usual().store(false, Ordering::SeqCst);
        Requests
    }

    impl Drop for Requests {
        fn drop(&mut self) {
            usual().store(true, Ordering::SeqCst);
        }
    }

    /// One message for each interrupt. They are heard from here on, before the first call is made: an interrupt must not
    /// lose what is in flight.
    pub fn heard() -> UnboundedReceiver<()> {
        let (sender, receiver) = unbounded_channel();
        for kind in kinds() {
            let sender = sender.clone();
            if let Ok(mut signals) = signal(SignalKind::from_raw(kind)) {
                tokio::spawn(async move { while signals.recv().await.is_some() && sender.send(()).is_ok() {} });
            }
        }
        receiver
    }
}

#[cfg(not(unix))]
mod signals {
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    pub struct Requests;

    pub fn requests() -> Requests {
        Requests
    }

    pub fn was_told() -> bool {
        false
    }

    pub fn heard() -> UnboundedReceiver<()> {
        let (sender, receiver) = unbounded_channel();
        tokio::spawn(async move { while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).is_ok() {} });
        receiver
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn an_interrupt_of_the_last_moment_is_not_swallowed() {
        // One test for both: what was told holds for the process. A shell lets its background jobs ignore SIGINT.
        assert_eq!(interruptible(async |_| 1).unwrap(), Ended::Undisturbed(1));
        let ended = interruptible(async |_| signal_hook::low_level::raise(signal_hook::consts::SIGTERM).unwrap());
        assert_eq!(ended.unwrap(), Ended::Told(()));
    }
}
