//! Is a reply read in linear time, whatever stands in it? `cargo bench --bench reading`.
//!
//! Each hostile run is read at 200 kB and at 800 kB; a linear reader shows a ratio of about 4, a quadratic one of 16.

use std::time::{Duration, Instant};

use tribunal::domain::FinishReason;
use tribunal::prompt::Contract;

const PIECES: [&str; 14] = [
    "[[A",
    "[[A]] or ",
    "{\"",
    "{\"winner\":",
    "{\"a\":[",
    "{'a': '",
    "Verdict: A\n",
    "\"[[B]]\" ",
    "<think>",
    "&#91;",
    "```\n",
    "not [[A]] if ",
    "判定：",
    "I'm sorry, ",
];

fn main() {
    for contract in Contract::ALL {
        let mut worst = (0.0, "");
        for piece in PIECES {
            let [short, long] = [200_000, 800_000].map(|size| spent(contract, &piece.repeat(size / piece.len())));
            let ratio = long.as_secs_f64() / short.as_secs_f64().max(1e-6);
            if ratio > worst.0 {
                worst = (ratio, piece);
            }
        }
        println!("{contract}: four times the text costs at most {:.1} times the time, for {:?}", worst.0, worst.1);
    }
}

/// The fastest of three readings, since other programs run too.
#[allow(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn spent(contract: Contract, raw: &str) -> Duration {
    let once = || {
        let started = Instant::now();
        std::hint::black_box(contract.read(raw, FinishReason::Stop));
        started.elapsed()
    };
    (0..3).map(|_| once()).min().unwrap_or_default()
}
