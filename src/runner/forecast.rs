//! What a plan will cost, before anything is spent. Pure.

use super::plan::{Plan, Source, Trial};
use super::respondent::{Respondent, Terms};
use super::size::Size;
use crate::domain::{JudgeName, RequestKey, Usage};

/// Stored answers that a forecast looks at, at most: means settle long before.
const SAMPLE: usize = 400;

/// What one judge's calls will come to, repeated tries left out. Money is `None` where it is unknown, never zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// Whose calls.
    pub judge: JudgeName,
    /// Price, token limit, and whether the calls stay on this machine.
    pub terms: Terms,
    /// Calls to make.
    pub calls: u64,
    /// Tokens of the requests, estimated; put right by what stored answers of this plan say.
    pub input_tokens: u64,
    /// Tokens of the answers at most; `None` where the judge has no limit.
    pub output_most: Option<u64>,
    /// Tokens of the answers as those in the store have them; `None` where there are none.
    pub output_expected: Option<u64>,
    /// US dollars at most: one input token a byte, and every answer as long as its limit.
    pub usd_most: Option<f64>,
    /// US dollars as the stored answers have it.
    pub usd_expected: Option<f64>,
}

/// The forecast of a plan, judge by judge; `stored` gives the usage of an answer in the store.
pub fn forecast<J: Respondent>(
    trial: &Trial<'_, J>,
    plan: &Plan,
    stored: &mut dyn FnMut(&RequestKey) -> Option<Usage>,
) -> Vec<Forecast> {
    let judges = trial.judges.iter().enumerate();
    judges.map(|(number, judge)| of_judge(judge.name(), judge.terms(), number, plan, stored)).collect()
}

fn of_judge(
    judge: &JudgeName,
    terms: Terms,
    number: usize,
    plan: &Plan,
    stored: &mut dyn FnMut(&RequestKey) -> Option<Usage>,
) -> Forecast {
    let own = |source: Source| plan.tasks.iter().filter(move |task| task.judge == number && task.source == source);
    let sizes: Vec<Size> = own(Source::Ask).map(|task| task.size).collect();
    let calls = sizes.len() as u64;
    let known = own(Source::Stored).take(SAMPLE).filter_map(|task| {
        let usage = stored(&task.key)?;
        Some((task.size.tokens, usage.input_tokens?, usage.output_tokens?))
    });
    let (mut answers, mut estimated, mut input, mut output) = (0_u64, 0_u64, 0_u64, 0_u64);
    for (size, of_request, of_answer) in known {
        answers += 1;
        estimated += size;
        input = input.saturating_add(of_request);
        output = output.saturating_add(of_answer);
    }
    let ratio = if answers > 0 { input as f64 / estimated.max(1) as f64 } else { 1.0 };
    let tokens = sizes.iter().map(|size| size.tokens).sum::<u64>() as f64 * ratio;
    let expected = (answers > 0).then(|| output as f64 / answers as f64 * calls as f64);
    let price = terms.price.or((calls == 0).then_some(crate::judge::Price { input: 0.0, output: 0.0 }));
    Forecast {
        judge: judge.clone(),
        terms,
        calls,
        input_tokens: whole(tokens),
        output_most: terms.max_tokens.map(|most| calls * u64::from(most)),
        output_expected: expected.map(whole),
        usd_most: price
            .filter(|_| terms.max_tokens.is_some() || calls == 0)
            // Not by `sum`, which makes -0.0 of nothing.
            .map(|_| sizes.iter().fold(0.0, |sum, size| sum + terms.worst_usd(*size))),
        usd_expected: price.and_then(|price| Some((tokens * price.input + expected? * price.output) / 1e6)),
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // not negative, and far below 2^64
fn whole(tokens: f64) -> u64 {
    tokens.round() as u64
}
