//! What the program does when it is told to end.
//!
//! While it asks, the first interrupt is a request (calls in flight are waited for and kept) and the second ends the waiting.
//! At any other time an interrupt ends the program at once, as it does any program.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::runner::{Stop, stop_signal};

/// Runs `work` on a runtime of its own. The first interrupt asks it to stop; the second does not wait for that: `None`.
pub(super) fn interruptible<T>(work: impl AsyncFnOnce(Stop) -> T) -> std::io::Result<Option<T>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let _while_it_asks = signals::requests();
    let outcome = runtime.block_on(async {
        let (handle, stop) = stop_signal();
        let mut interrupts = signals::heard();
        let running = work(stop);
        tokio::pin!(running);
        tokio::select! {
            outcome = &mut running => return Some(outcome),
            _ = interrupts.recv() => handle.stop(),
        }
        tokio::select! {
            outcome = &mut running => Some(outcome),
            _ = interrupts.recv() => None,
        }
    });
    // A connection that hangs must not hold up the end.
    runtime.shutdown_timeout(Duration::from_millis(100));
    Ok(outcome)
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

    /// While this lives, interrupts are requests.
    pub struct Requests;

    pub fn requests() -> Requests {
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

    pub fn requests() {}

    pub fn heard() -> UnboundedReceiver<()> {
        let (sender, receiver) = unbounded_channel();
        tokio::spawn(async move { while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).is_ok() {} });
        receiver
    }
}
