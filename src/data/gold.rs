//! Human labels: from `gold` and `gold_votes` to the label in force, and gold sets with their digest.

use serde_json::Value;

use super::error::DataError;
use super::error::{Findings, SHOWN, names, shown};
use super::row::{Row, described, preference};
use crate::domain::{
    AgainstVotes, Annotator, Digest, Fate, GoldLabel, GoldSet, ItemFacts, Notice, Pair, Preference, Remark, Vote,
};

/// What becomes of items whose votes have no plurality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Disputed {
    /// They are ties, flagged `disputed`.
    #[default]
    Tie,
    /// They lose their human label; the item stays.
    Drop,
}

/// The label that more votes name than any other; `None` without one.
pub fn plurality(votes: &[Vote]) -> Option<Preference> {
    let count = |label| votes.iter().filter(|vote| vote.label == label).count();
    let most = Preference::ALL.into_iter().max_by_key(|&label| count(label))?;
    let alone = Preference::ALL.iter().filter(|&&label| count(label) == count(most)).count() == 1;
    alone.then_some(most)
}

/// An explicit label and votes → the human answer. An explicit label wins; else the plurality; else a disputed tie.
pub(super) fn resolve(label: Option<Preference>, votes: Vec<Vote>) -> Option<GoldLabel> {
    if label.is_none() && votes.is_empty() {
        return None;
    }
    let plural = plurality(&votes);
    Some(GoldLabel { label: label.or(plural).unwrap_or(Preference::Tie), disputed: label.or(plural).is_none(), votes })
}

/// `gold` and `gold_votes` as a record gives them.
#[derive(Default)]
pub(super) struct Given {
    pub(super) label: Option<Preference>,
    pub(super) votes: Vec<Vote>,
}

/// Reads `gold` and `gold_votes` of a row.
pub(super) fn given(row: &mut Row<'_>) -> Given {
    Given { label: row.optional_preference("gold"), votes: votes_of(row) }
}

fn votes_of(row: &mut Row<'_>) -> Vec<Vote> {
    let voters = voters_of(row);
    let mut votes = Vec::new();
    for (position, value) in row.optional_list("gold_votes").into_iter().enumerate() {
        let field = format!("gold_votes[{position}]");
        let (label, annotator) = match &value {
            Value::Object(vote) => (vote.get("label").unwrap_or(&Value::Null), vote.get("annotator")),
            label => (label, None),
        };
        let Some(label) = label.as_str().and_then(preference) else {
            row.fail(&field, format!("has the label {}, one of A, B, tie is wanted", described(label)));
            continue;
        };
        let annotator = match annotator {
            None | Some(Value::Null) => voters.get(position).cloned(),
            Some(Value::String(name)) => Some(Annotator(name.clone())),
            Some(Value::Number(number)) => Some(Annotator(number.to_string())),
            Some(other) => {
                row.fail(&field, format!("has the annotator {}, a string is wanted", described(other)));
                continue;
            }
        };
        votes.push(Vote { label, annotator });
    }
    votes
}

/// Annotators given beside the votes: a list `voters` that runs parallel to `gold_votes`.
fn voters_of(row: &Row<'_>) -> Vec<Annotator> {
    let (Value::Array(voters), Value::Array(votes)) = (row.peek("voters"), row.peek("gold_votes")) else {
        return Vec::new();
    };
    let names: Option<Vec<Annotator>> = voters.iter().map(|name| name.as_str().map(Annotator::from)).collect();
    names.filter(|names| names.len() == votes.len()).unwrap_or_default()
}

/// What is worth saying about the labels of a whole file.
pub(super) struct GoldNotes {
    policy: Disputed,
    conflicts: Vec<AgainstVotes>,
    disputed: Vec<String>,
}

impl GoldNotes {
    pub(super) fn new(policy: Disputed) -> Self {
        Self { policy, conflicts: Vec::new(), disputed: Vec::new() }
    }

    /// The human answer of one item; what is odd about it is noted.
    pub(super) fn settle(&mut self, id: &str, line: u64, given: Given) -> Option<GoldLabel> {
        if let (Some(label), Some(plural)) = (given.label, plurality(&given.votes))
            && label != plural
        {
            self.conflicts.push(AgainstVotes { id: shown(id), line, label, votes: plural });
        }
        let gold = resolve(given.label, given.votes)?;
        if gold.disputed {
            self.disputed.push(id.to_owned());
            if self.policy == Disputed::Drop {
                return None;
            }
        }
        Some(gold)
    }

    /// Turns the notes into warnings. `labels` are the labels in force.
    pub(super) fn finish(self, labels: impl Iterator<Item = Preference>, findings: &mut Findings) {
        if !self.conflicts.is_empty() {
            let all = self.conflicts.len();
            let first = self.conflicts.into_iter().take(SHOWN).collect();
            findings.warn(None, Some("gold"), Remark::AgainstVotes { first, all });
        }
        warn_of_disputed(&self.disputed, self.policy, findings);
        warn_of_one_class(labels, findings);
    }
}

pub(super) fn warn_of_disputed<S: AsRef<str>>(ids: &[S], policy: Disputed, findings: &mut Findings) {
    if let Some(notice) = disputed_notice(ids, policy) {
        findings.push(notice);
    }
}

pub(super) fn disputed_notice<S: AsRef<str>>(ids: &[S], policy: Disputed) -> Option<Notice> {
    if ids.is_empty() {
        return None;
    }
    let fate = match policy {
        Disputed::Tie => Fate::Tie,
        Disputed::Drop => Fate::Unlabelled,
    };
    Some(Notice::remark(None, Some("gold"), Remark::Disputed { items: names(ids), fate }))
}

pub(super) fn warn_of_one_class(mut labels: impl Iterator<Item = Preference>, findings: &mut Findings) {
    let Some(first) = labels.next() else { return };
    let mut number = 1;
    for label in labels {
        if label != first {
            return;
        }
        number += 1;
    }
    if number > 1 {
        findings.warn(None, Some("gold"), Remark::OneClass { labels: number, label: first });
    }
}

/// The set of these pairs. Its digest covers ids, texts, labels and groups and does not depend on their order.
pub fn gold_set(name: &str, pairs: &[Pair]) -> GoldSet {
    let mut parts: Vec<Vec<u8>> = pairs
        .iter()
        .map(|pair| {
            let texts = [pair.prompt.to_text(), pair.response_a.clone(), pair.response_b.clone()];
            let reference = pair.reference.clone().unwrap_or_default();
            let facts = facts_digest(&pair.facts());
            let texts = texts.iter().map(String::as_bytes).chain([reference.as_bytes(), facts.bytes().as_slice()]);
            keyed(pair.id.as_str(), Digest::of_parts(texts))
        })
        .collect();
    parts.sort();
    let digest = Digest::of_parts(parts.iter().map(Vec::as_slice));
    GoldSet::new(name, digest, pairs.iter().map(Pair::facts).collect())
}

/// The set of items known without their texts. Its digest covers ids, lengths, labels and groups, in any order.
pub fn gold_set_of_facts(name: &str, items: Vec<ItemFacts>) -> GoldSet {
    let mut parts: Vec<Vec<u8>> = items.iter().map(|item| keyed(item.id.as_str(), facts_digest(item))).collect();
    parts.sort();
    let digest = Digest::of_parts(parts.iter().map(Vec::as_slice));
    GoldSet::new(name, digest, items)
}

/// Completes what recorded verdicts know of their items by the gold pairs of another file, `path`: all facts come from
/// there. An item that the file does not have is an error; the verdicts would be compared with nothing.
pub fn complete_facts(items: &mut [ItemFacts], pairs: &[Pair], path: &str) -> Result<(), DataError> {
    let known: std::collections::HashMap<&str, &Pair> = pairs.iter().map(|pair| (pair.id.as_str(), pair)).collect();
    let lacking: Vec<&str> = items.iter().map(|item| item.id.as_str()).filter(|id| !known.contains_key(id)).collect();
    if !lacking.is_empty() {
        let shown = lacking.iter().take(20).copied().collect::<Vec<_>>().join(", ");
        let text = format!("verdicts are recorded for {} items that are not in this file: {shown}", lacking.len());
        return Err(DataError::new(path, Notice::error(None, Some("id"), text)));
    }
    for item in items {
        if let Some(pair) = known.get(item.id.as_str()) {
            *item = pair.facts();
        }
    }
    Ok(())
}

fn keyed(id: &str, digest: Digest) -> Vec<u8> {
    [id.as_bytes(), digest.bytes().as_slice()].concat()
}

fn facts_digest(item: &ItemFacts) -> Digest {
    let number = |length: Option<u64>| length.map(|length| length.to_string()).unwrap_or_default();
    let label = item.gold.as_ref().map_or("", |gold| gold.label.as_str());
    let disputed = if item.gold.as_ref().is_some_and(|gold| gold.disputed) { "disputed" } else { "" };
    let group = item.group.as_ref().map_or("", |group| group.as_str());
    let lengths = [number(item.length_a), number(item.length_b)];
    Digest::of_parts([label, disputed, group, &lengths[0], &lengths[1]].map(str::as_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn votes(labels: &[Preference]) -> Vec<Vote> {
        labels.iter().map(|&label| Vote { label, annotator: None }).collect()
    }

    #[test]
    fn an_explicit_label_wins_over_votes() {
        use Preference::{A, B};
        assert_eq!(resolve(Some(A), votes(&[B, B])).map(|gold| gold.label), Some(A));
    }

    #[test]
    fn without_a_plurality_the_label_is_a_disputed_tie() {
        use Preference::{A, B, Tie};
        let gold = resolve(None, votes(&[A, B])).expect("there are votes");
        assert_eq!((gold.label, gold.disputed), (Tie, true));
        let gold = resolve(None, votes(&[Tie, Tie, A])).expect("there are votes");
        assert_eq!((gold.label, gold.disputed), (Tie, false));
        assert_eq!(resolve(None, Vec::new()), None);
    }

    #[test]
    fn the_digest_ignores_order_and_sees_texts_labels_and_groups() {
        let one = Pair::new("q1", "p", "a", "b");
        let two = Pair::new("q2", "p", "a", "b");
        let digest = |pairs: &[Pair]| gold_set("g", pairs).digest;
        let both = digest(&[one.clone(), two.clone()]);
        assert_eq!(both, digest(&[two.clone(), one.clone()]));
        let mut other = two.clone();
        other.response_a = "c".to_owned();
        assert_ne!(both, digest(&[one.clone(), other]));
        let mut labelled = two.clone();
        labelled.gold = resolve(Some(Preference::A), Vec::new());
        assert_ne!(both, digest(&[one.clone(), labelled]));
        let mut grouped = two;
        grouped.group = Some("g".into());
        assert_ne!(both, digest(&[one, grouped]));
    }
}
