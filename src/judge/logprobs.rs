//! Verdicts and probabilities from the log-probabilities of tokens.
//!
//! The token that carries the verdict is the last one whose change changes the verdict: each token that names the
//! verdict as read is replaced by another label, from the end on, until the text reads otherwise. So it is found by
//! the contract itself, whatever stands around it. Among the alternatives to that token, those that are labels share
//! the mass: the verdict is the label with the most of it, and the probability that the first response is better is
//! P(first) + P(tie) / 2, renormalised over the labels. All of it is foreign data; nothing here trusts a number.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::domain::{Completion, FinishReason, NoVerdict, ReadVerdict, Reading, Verdict};
use crate::prompt::Contract;

/// More tokens than any judge writes; texts are looked at once for each candidate.
const MOST_TOKENS: usize = 1 << 16;
/// A longer text is no judge's, in bytes.
const LONGEST: usize = 1 << 20;
/// How many label tokens from the end are looked at.
const MOST_CANDIDATES: usize = 16;
/// How many alternatives of one token are looked at; services give 20.
const MOST_ALTERNATIVES: usize = 1000;
/// Above zero by more than rounding, a number is no log-probability; above one by more, a sum is no probability.
const SLACK: f64 = 1e-3;

/// One token of the answer.
struct Token<'a> {
    text: &'a str,
    logprob: Option<f64>,
    others: Option<&'a Value>,
}

/// Reads the verdict by mass. `text` is what the contract makes of the answer's text alone.
pub(super) fn read(contract: Contract, completion: &Completion, text: ReadVerdict) -> ReadVerdict {
    match weigh(contract, completion, &text) {
        Ok(read) => read,
        Err(Missing::Verdict) => text,
        Err(Missing::Mass(why)) => none(NoVerdict::Unparsed, why),
        Err(Missing::Rest(why)) => none(NoVerdict::Truncated, why),
    }
}

/// Leaves what a reading needs: every token, and the alternatives of those that are labels. A reply with reasons comes
/// with hundreds of kilobytes of alternatives to words that nobody reads.
pub(super) fn trim(contract: Contract, logprobs: &mut Value) {
    let is_label =
        |one: &Value| one.get("token").and_then(Value::as_str).is_some_and(|token| contract.label(token).is_some());
    for one in logprobs.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
        let kept: &[&str] = if is_label(one) { &["token", "logprob", "top_logprobs"] } else { &["token", "logprob"] };
        if let Some(fields) = one.as_object_mut() {
            fields.retain(|name, _| kept.contains(&name.as_str()));
        }
    }
    let chosen = logprobs.get("chosenCandidates").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let labels: Vec<bool> = chosen.iter().map(is_label).collect();
    let top = logprobs.get_mut("topCandidates").and_then(Value::as_array_mut).into_iter().flatten();
    for (one, _) in top.zip(labels).filter(|(_, is_label)| !is_label) {
        *one = Value::Object(serde_json::Map::new());
    }
}

/// Why there is no verdict by mass.
enum Missing {
    /// The text has no verdict, and says itself why.
    Verdict,
    /// The numbers have none.
    Mass(String),
    /// The answer was cut off.
    Rest(String),
}

impl Missing {
    fn mass(why: &str) -> Self {
        Self::Mass(format!("log-probabilities: {why}"))
    }
}

fn none(kind: NoVerdict, why: String) -> ReadVerdict {
    ReadVerdict { reading: Reading::None(kind), grade: None, probability: None, why }
}

fn weigh(contract: Contract, completion: &Completion, text: &ReadVerdict) -> Result<ReadVerdict, Missing> {
    let said = match text.reading {
        Reading::Said(verdict) => verdict,
        // A bare letter is no verdict of any contract, and all that was wanted here.
        Reading::None(NoVerdict::Unparsed) => contract.label(&completion.text).ok_or(Missing::Verdict)?,
        Reading::None(NoVerdict::Truncated) if contract.label(&completion.text).is_some() => {
            let why = "the reply was cut off behind a letter that may begin a word; a larger `max_tokens` may help";
            return Err(Missing::Rest(why.to_owned()));
        }
        Reading::None(_) => return Err(Missing::Verdict),
    };
    let is_bare = text.reading != Reading::Said(said);
    let logprobs = completion.logprobs.as_ref().ok_or_else(|| Missing::mass("the server sent none"))?;
    let tokens = tokens(logprobs).ok_or_else(|| Missing::mass("what the server sent has no form that is known"))?;
    if tokens.len() > MOST_TOKENS || tokens.iter().map(|token| token.text.len()).sum::<usize>() > LONGEST {
        return Err(Missing::mass("the answer has too many tokens, or too long ones"));
    }
    let place = if is_bare {
        tokens.iter().rposition(|token| contract.label(token.text) == Some(said))
    } else {
        carrier(contract, &tokens, said, completion.finish)
    };
    let place = place.ok_or_else(|| Missing::mass("no single token carries the verdict"))?;
    let shares = Shares::of(contract, &tokens[place])?;
    let verdict = shares.first().ok_or_else(|| {
        Missing::Mass(format!("log-probabilities: two labels have the same mass ({})", shares.shown(contract)))
    })?;
    let why = format!("log-probabilities of token {}: {}", place + 1, shares.shown(contract));
    Ok(ReadVerdict {
        reading: Reading::Said(verdict),
        grade: None,
        probability: Some((shares.of_label(Verdict::First) + shares.of_label(Verdict::Tie) / 2.0).clamp(0.0, 1.0)),
        why,
    })
}

/// The tokens as the services list them: chat completions under `content`, Gemini in two lists side by side.
fn tokens(logprobs: &Value) -> Option<Vec<Token<'_>>> {
    if let Some(content) = logprobs.get("content").and_then(Value::as_array) {
        return content.iter().map(|one| token(one, "logprob", one.get("top_logprobs"))).collect();
    }
    let chosen = logprobs.get("chosenCandidates")?.as_array()?;
    let top = logprobs.get("topCandidates").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let others = |index: usize| top.get(index).and_then(|one| one.get("candidates"));
    chosen.iter().enumerate().map(|(index, one)| token(one, "logProbability", others(index))).collect()
}

fn token<'a>(one: &'a Value, name: &str, others: Option<&'a Value>) -> Option<Token<'a>> {
    let logprob = one.get(name).and_then(Value::as_f64);
    Some(Token { text: one.get("token")?.as_str()?, logprob, others })
}

/// The last token whose change changes the verdict.
fn carrier(contract: Contract, tokens: &[Token<'_>], said: Verdict, finish: FinishReason) -> Option<usize> {
    let whole: String = tokens.iter().map(|token| token.text).collect();
    if contract.read(&whole, finish).reading != Reading::Said(said) {
        // The tokens are those of another text, such as the thoughts before this one.
        return None;
    }
    let other = if said == Verdict::First { Verdict::Second } else { Verdict::First };
    let mut starts = Vec::with_capacity(tokens.len());
    let mut at = 0;
    for token in tokens {
        starts.push(at);
        at += token.text.len();
    }
    let names_it = |index: &usize| contract.label(tokens[*index].text) == Some(said);
    (0..tokens.len()).rev().filter(names_it).take(MOST_CANDIDATES).find(|&index| {
        let (start, token) = (starts[index], tokens[index].text);
        let Some(changed) = contract.relabel(token, other) else { return false };
        let text = format!("{}{changed}{}", &whole[..start], &whole[start + token.len()..]);
        contract.read(&text, finish).reading != Reading::Said(said)
    })
}

/// The labels' shares of the mass; they sum to one.
struct Shares {
    by_label: BTreeMap<Verdict, f64>,
    /// How much of the token's whole mass the labels have.
    covered: f64,
}

impl Shares {
    fn of(contract: Contract, token: &Token<'_>) -> Result<Self, Missing> {
        let listed = token.others.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let number = |one: &Value| one.get("logprob").or_else(|| one.get("logProbability")).and_then(Value::as_f64);
        let listed = listed.iter().take(MOST_ALTERNATIVES);
        let alternatives = listed.filter_map(|one| Some((one.get("token")?.as_str()?, number(one)?)));
        // The token that was drawn is usually among its alternatives; what stands there twice counts once.
        let mut seen: BTreeMap<&str, f64> = BTreeMap::new();
        for (text, logprob) in alternatives.chain(token.logprob.map(|logprob| (token.text, logprob))) {
            if !logprob.is_finite() || logprob > SLACK {
                return Err(Missing::mass(&format!("{logprob} is no log-probability")));
            }
            seen.entry(text).or_insert_with(|| logprob.min(0.0).exp());
        }
        if seen.values().sum::<f64>() > 1.0 + SLACK {
            return Err(Missing::mass("the probabilities of one token sum to more than one"));
        }
        let mut by_label = BTreeMap::new();
        for (text, mass) in seen {
            if let Some(label) = contract.label(text) {
                *by_label.entry(label).or_insert(0.0) += mass;
            }
        }
        let covered: f64 = by_label.values().sum();
        if covered.is_nan() || covered < f64::MIN_POSITIVE {
            return Err(Missing::mass("no label has any mass among the alternatives"));
        }
        for mass in by_label.values_mut() {
            *mass /= covered;
        }
        Ok(Self { by_label, covered })
    }

    fn of_label(&self, label: Verdict) -> f64 {
        self.by_label.get(&label).copied().unwrap_or(0.0)
    }

    /// The label with the most mass; `None` where two have it.
    fn first(&self) -> Option<Verdict> {
        let most = self.by_label.values().copied().fold(0.0, f64::max);
        let mut best = self.by_label.iter().filter(|(_, share)| **share >= most).map(|(label, _)| *label);
        match (best.next(), best.next()) {
            (Some(label), None) => Some(label),
            _ => None,
        }
    }

    fn shown(&self, contract: Contract) -> String {
        let one = |(label, share): (&Verdict, &f64)| format!("{} {share:.3}", contract.label_of(*label));
        let list: Vec<String> = self.by_label.iter().map(one).collect();
        format!("{}, together {:.3} of the mass", list.join(", "), self.covered.min(1.0))
    }
}

#[cfg(test)]
#[path = "logprobs_tests.rs"]
mod tests;
