//! How many tokens a request has, before anyone counted them.
//!
//! The estimate is a quarter of a token for an ASCII character, one for any other (English prose has about four
//! characters a token, Japanese about one), and a little for the frame of each message. It is raised by the
//! largest ratio of counted to estimated tokens that this run has seen. The bound is one token a byte: no tokenizer
//! makes more of a text, so money is held back by the bound while a call is under way.

use crate::domain::{JudgeRequest, Usage};

/// Tokens of the frame of a message: role, start and end; as the cookbooks of several providers give them, rounded up.
const FRAME: u64 = 5;
/// The same where it must not be less than the truth.
const LARGEST_FRAME: u64 = 32;

/// The size of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Tokens by estimate.
    pub tokens: u64,
    /// Tokens at most.
    pub most: u64,
}

impl Size {
    /// The size of what is sent: of its messages, or of its body where it lists none.
    pub fn of(request: &JudgeRequest) -> Self {
        if request.messages.is_empty() {
            return Self::of_texts(std::iter::once(request.body.text()));
        }
        Self::of_texts(request.messages.iter().map(|message| message.content.as_str()))
    }

    fn of_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let (mut ascii, mut other, mut bytes, mut frames) = (0, 0, 0, 0);
        for text in texts {
            let plain = text.bytes().filter(u8::is_ascii).count() as u64;
            ascii += plain;
            other += text.chars().count() as u64 - plain;
            bytes += text.len() as u64;
            frames += 1;
        }
        Self { tokens: ascii.div_ceil(4) + other + frames * FRAME + FRAME, most: bytes + (frames + 1) * LARGEST_FRAME }
    }
}

/// What the answers of this run say about estimates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gauge {
    ratio: f64,
    outputs: u64,
    output_tokens: u64,
}

impl Gauge {
    pub fn new() -> Self {
        Self { ratio: 1.0, outputs: 0, output_tokens: 0 }
    }

    pub fn learn(&mut self, size: Size, usage: &Usage) {
        if let Some(input) = usage.input_tokens {
            self.ratio = self.ratio.max(input as f64 / size.tokens.max(1) as f64);
        }
        if let Some(output) = usage.output_tokens {
            self.outputs += 1;
            self.output_tokens = self.output_tokens.saturating_add(output);
        }
    }

    /// Tokens of request and answer together: the answer by the mean of those seen, and before one was seen by its limit.
    pub fn tokens(&self, size: Size, max_tokens: Option<u32>) -> f64 {
        let output = match self.outputs {
            0 => f64::from(max_tokens.unwrap_or(0)),
            n => self.output_tokens as f64 / n as f64,
        };
        (size.tokens as f64 * self.ratio + output).ceil()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_four_ascii_characters_or_one_other_and_never_less_than_a_byte() {
        let plain = Size::of_texts(std::iter::once("a".repeat(400).as_str()));
        assert_eq!(plain, Size { tokens: 100 + 2 * FRAME, most: 400 + 2 * LARGEST_FRAME });
        let japanese = Size::of_texts(["日本語", "abcd"].into_iter());
        assert_eq!(japanese, Size { tokens: 3 + 1 + 3 * FRAME, most: 9 + 4 + 3 * LARGEST_FRAME });
    }

    #[test]
    fn an_estimate_is_raised_by_the_largest_ratio_seen_and_never_lowered() {
        let size = Size { tokens: 100, most: 400 };
        let mut gauge = Gauge::new();
        let usage = |input, output| Usage { input_tokens: Some(input), output_tokens: Some(output) };
        assert_eq!(gauge.tokens(size, Some(50)), 150.0);
        gauge.learn(size, &usage(150, 10));
        gauge.learn(size, &usage(80, 20));
        assert_eq!(gauge.tokens(size, Some(50)), 165.0);
        gauge.learn(size, &Usage::default());
        assert_eq!(gauge.tokens(size, Some(50)), 165.0);
    }
}
