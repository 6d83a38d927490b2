//! Judge prompts: versioned files with an output contract, filled literally and read back strictly.
//!
//! A prompt must never be expanded twice, never be sent with a slot empty, and a reply must never be turned into a
//! verdict that it does not state. The nouns are [`JudgePrompt`] and [`Contract`]; positions alone are known here
//! (`A` is whatever was shown first), identities are not. A [`GenerationPrompt`] is the other kind: what a system under
//! comparison is told.

mod choice;
mod contract;
mod embedded;
mod generation;
mod json;
mod label;
mod labels;
mod lenient;
mod lint;
mod marks;
mod normalise;
mod page;
mod replies;
mod template;
mod token;

pub use contract::Contract;
pub use embedded::{DEFAULT, EMBEDDED, embedded};
pub use generation::{GenerationPrompt, load_generation, parse_generation};
pub use lint::lint;
pub use normalise::without_leading_thoughts;
pub use replies::{RawReply, ReadReply, ReplyError, finish_reason, read_line, read_reply};
pub use template::{JudgePrompt, PromptError, load, load_as, parse, parse_as};
