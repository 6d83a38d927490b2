//! Human labels in a file of their own, and how they reach the items.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::error::{DataError, Findings, Loaded, SHOWN, names, shown};
use super::gold::{Disputed, disputed_notice, plurality, resolve, warn_of_disputed, warn_of_one_class};
use super::record::{CutEnd, read_each};
use super::row::{Row, Seen};
use super::source::Source;
use crate::domain::{Annotator, GoldLabel, ItemFacts, ItemId, Notice, Pair, Preference, Remark, Vote, nearest};

const KNOWN: &[&str] = &["id", "label", "annotator", "gold"];

/// One row of a label file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Physical line.
    pub line: u64,
    /// The item.
    pub id: ItemId,
    /// What was said.
    pub label: Preference,
    /// Who said it, where the file tells.
    pub annotator: Option<Annotator>,
}

/// A label file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// The file, for messages.
    pub path: String,
    /// The labels in the order of the file; at most one for each item and annotator.
    pub rows: Vec<Label>,
}

/// How far the annotators of a label file agree. Counts pairs of labels of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelAgreement {
    /// Everybody who is named, sorted.
    pub annotators: Vec<Annotator>,
    /// Items with at least one label.
    pub items: usize,
    /// Pairs of labels by two people on one item.
    pub compared: usize,
    /// Those of them that are the same.
    pub agreeing: usize,
    /// Items with two different labels, in the order of the file.
    pub differing: Vec<ItemId>,
}

impl Labels {
    /// Agreement between the people who labelled.
    pub fn agreement(&self) -> LabelAgreement {
        let annotators: BTreeSet<Annotator> = self.rows.iter().filter_map(|row| row.annotator.clone()).collect();
        let mut found = LabelAgreement {
            annotators: annotators.into_iter().collect(),
            items: 0,
            compared: 0,
            agreeing: 0,
            differing: Vec::new(),
        };
        for item in self.by_item() {
            found.items += 1;
            let mut agreeing = 0;
            for (position, one) in item.said.iter().enumerate() {
                agreeing += item.said[position + 1..].iter().filter(|other| other.label == one.label).count();
            }
            let compared = item.said.len() * (item.said.len() - 1) / 2;
            found.compared += compared;
            found.agreeing += agreeing;
            if agreeing < compared {
                found.differing.push(item.id.clone());
            }
        }
        found
    }

    /// A warning of the items whose labels have no plurality, for who looks at this file alone. Applied to items it is
    /// [`apply_labels`] that tells, since they may have votes of their own.
    pub fn disputed(&self) -> Option<Notice> {
        let items = self.by_item();
        let disputed = items.iter().filter(|item| plurality(&item.said).is_none());
        let disputed: Vec<&str> = disputed.map(|item| item.id.as_str()).collect();
        disputed_notice(&disputed, Disputed::Tie)
    }

    /// The votes of each item, in the order of first appearance.
    fn by_item(&self) -> Vec<ItemVotes<'_>> {
        let mut items: Vec<ItemVotes<'_>> = Vec::new();
        let mut places: HashMap<&ItemId, usize> = HashMap::new();
        for row in &self.rows {
            let place = *places.entry(&row.id).or_insert_with(|| {
                items.push(ItemVotes { id: &row.id, line: row.line, said: Vec::new(), lines: Vec::new() });
                items.len() - 1
            });
            items[place].said.push(Vote { label: row.label, annotator: row.annotator.clone() });
            items[place].lines.push(row.line);
        }
        items
    }
}

/// What people said about one item.
struct ItemVotes<'l> {
    id: &'l ItemId,
    line: u64,
    said: Vec<Vote>,
    /// The line of each vote.
    lines: Vec<u64>,
}

impl ItemVotes<'_> {
    /// The votes that `there` does not have from the same people. Somebody who says another thing here is an error.
    fn beside(&self, there: &[Vote], findings: &mut Findings) -> Vec<Vote> {
        let mut new = Vec::new();
        for (vote, line) in self.said.iter().zip(&self.lines) {
            let own = |old: &&Vote| old.annotator.is_some() && old.annotator == vote.annotator;
            match there.iter().find(own) {
                None => new.push(vote.clone()),
                Some(old) if old.label == vote.label => {}
                Some(old) => {
                    let who = vote.annotator.as_ref().map_or("", |annotator| annotator.0.as_str());
                    let text = format!(
                        "two labels by {} for `{}`: `{}` in the votes of the item itself, `{}` here",
                        shown(who),
                        shown(self.id.as_str()),
                        old.label.as_str(),
                        vote.label.as_str()
                    );
                    findings.error(*line, "annotator", text);
                }
            }
        }
        new
    }
}

/// Reads rows `id, label, annotator`; in JSON the label may also be called `gold`. Case and spaces of a label do not
/// matter. One annotator twice on one item is an error; rows without a label are left out with a warning.
pub fn load_labels(source: &Source) -> Result<Loaded<Labels>, DataError> {
    let mut findings = Findings::new(source.path());
    let mut rows = Vec::new();
    let (mut seen, mut blank, mut examined) = (Seen::default(), Vec::new(), HashSet::new());
    read_each(source, CutEnd::Refuse, &mut findings, |record, findings| {
        let line = record.line;
        let mut row = Row::new(record, KNOWN, findings);
        let slips = row.slips(&mut examined);
        row.warn_of_slips(slips);
        let Some(id) = row.id() else { return };
        let field = if row.has("label") || !row.has("gold") { "label" } else { "gold" };
        if !row.has(field) {
            row.fail_missing(field);
            return;
        }
        let annotator = row.optional_name("annotator");
        let empty = !row.says(field);
        let label = row.optional_preference(field);
        let key = format!("{}\u{0}{}", id.text, annotator.as_deref().unwrap_or_default());
        if let Err(text) = seen.note(key, &id, line) {
            let who = annotator.as_deref().map_or_else(|| "nobody in particular".to_owned(), shown);
            row.fail("annotator", format!("two labels by {who} for one item: {text}"));
        } else if empty {
            blank.push(id.text);
        } else if let Some(label) = label {
            rows.push(Label { line, id: ItemId(id.text), label, annotator: annotator.map(Annotator) });
        }
    });
    if !blank.is_empty() {
        findings.warn(None, Some("label"), Remark::BlankLabels(names(&blank)));
    }
    let labels = Labels { path: source.path().to_owned(), rows };
    if !findings.failed() {
        warn_about(&labels, &mut findings);
    }
    findings.finish(labels)
}

fn warn_about(labels: &Labels, findings: &mut Findings) {
    let agreement = labels.agreement();
    if !agreement.differing.is_empty() {
        let ids: Vec<&str> = agreement.differing.iter().map(ItemId::as_str).collect();
        let (agreeing, compared) = (agreement.agreeing, agreement.compared);
        findings.warn(None, Some("label"), Remark::AnnotatorsDiffer { agreeing, compared, items: names(&ids) });
    }
    warn_of_one_class(labels.rows.iter().map(|row| row.label), findings);
}

/// Gives the labels to the pairs. A label for an item that is not there is an error. An explicit label that a pair
/// already has wins over a different one from the file, with a warning.
pub fn apply_labels(pairs: &mut [Pair], labels: &Labels, disputed: Disputed) -> Result<Vec<Notice>, DataError> {
    let mut places: Vec<Place<'_>> =
        pairs.iter_mut().map(|pair| Place { id: &pair.id, gold: &mut pair.gold }).collect();
    apply(&mut places, labels, disputed)
}

/// [`apply_labels`] for items of recorded verdicts.
pub fn apply_labels_to_facts(
    items: &mut [ItemFacts],
    labels: &Labels,
    disputed: Disputed,
) -> Result<Vec<Notice>, DataError> {
    let mut places: Vec<Place<'_>> =
        items.iter_mut().map(|item| Place { id: &item.id, gold: &mut item.gold }).collect();
    apply(&mut places, labels, disputed)
}

/// Where a label goes.
struct Place<'i> {
    id: &'i ItemId,
    gold: &'i mut Option<GoldLabel>,
}

fn apply(places: &mut [Place<'_>], labels: &Labels, policy: Disputed) -> Result<Vec<Notice>, DataError> {
    let mut findings = Findings::new(&labels.path);
    let index: HashMap<ItemId, usize> = places.iter().enumerate().map(|(at, place)| (place.id.clone(), at)).collect();
    let (mut disputed, mut kept) = (Vec::new(), Vec::new());
    for item in labels.by_item() {
        let Some(&at) = index.get(item.id) else {
            // A search through all ids is worth it for the errors that are shown.
            let close = if findings.is_full() { None } else { near_id(item.id, places) };
            findings.error(item.line, "id", unknown_id(item.id, close));
            continue;
        };
        let gold = &mut *places[at].gold;
        let new = match gold.take() {
            Some(old) if is_explicit(&old) => {
                if plurality(&item.said).is_some_and(|label| label != old.label) {
                    kept.push((shown(item.id.as_str()), old.label));
                }
                let new = item.beside(&old.votes, &mut findings);
                let votes = [old.votes, new].concat();
                Some(GoldLabel { label: old.label, votes, disputed: false })
            }
            Some(old) => {
                let new = item.beside(&old.votes, &mut findings);
                resolve(None, [old.votes, new].concat())
            }
            None => resolve(None, item.said),
        };
        let is_disputed = new.as_ref().is_some_and(|new| new.disputed);
        if is_disputed {
            disputed.push(item.id.0.clone());
        }
        *gold = new.filter(|_| !is_disputed || policy == Disputed::Tie);
    }
    if !kept.is_empty() {
        let all = kept.len();
        let first = kept.into_iter().take(SHOWN).collect();
        findings.warn(None, Some("label"), Remark::LabelsKept { first, all });
    }
    warn_of_disputed(&disputed, policy, &mut findings);
    findings.finish(()).map(|loaded| loaded.notices)
}

/// A label that does not follow from the votes beside it was given by itself.
fn is_explicit(gold: &GoldLabel) -> bool {
    !gold.disputed && plurality(&gold.votes) != Some(gold.label)
}

fn near_id<'p>(id: &ItemId, places: &'p [Place<'_>]) -> Option<&'p str> {
    nearest(id.as_str(), places.iter().map(|place| place.id.as_str()))
}

fn unknown_id(id: &ItemId, close: Option<&str>) -> String {
    match close {
        Some(close) => format!("no item is called `{}`; there is `{}`, is that it?", shown(id.as_str()), shown(close)),
        None => format!("no item is called `{}`", shown(id.as_str())),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Loaded<Labels>, DataError> {
        load_labels(&Source::from_bytes("l.csv", text).unwrap())
    }

    fn items() -> Vec<Pair> {
        ["item-1", "item-2"].map(|id| Pair::new(id, "p", "a", "b")).to_vec()
    }

    #[test]
    fn agreement_counts_pairs_of_labels() {
        let text = "id,label,annotator\nq1,a,x\nq1,a,y\nq1,b,z\nq2,tie,x\nq2,tie,y\nq3,b,x\n";
        let agreement = load(text).unwrap().records.agreement();
        assert_eq!((agreement.items, agreement.compared, agreement.agreeing), (3, 4, 2));
        assert_eq!(agreement.differing, ["q1".into()]);
        assert_eq!(agreement.annotators.len(), 3);
    }

    #[test]
    fn one_person_labels_an_item_once_named_or_not() {
        for text in ["id,label,annotator\nq1,a,x\nq1,a,x\n", "id,label\nq1,a\nq1,b\n"] {
            let error = load(text).unwrap_err();
            assert_eq!(error.notices[0].line, Some(3));
            assert!(error.to_string().contains("`q1` stands at line 2 and again at line 3"), "{error}");
        }
    }

    #[test]
    fn rows_not_yet_labelled_are_counted() {
        let loaded = load("id,label\nq1,a\nq2,\n").unwrap();
        assert_eq!(loaded.records.rows.len(), 1);
        assert!(loaded.notices[0].text.contains("1 row without a label left out: q2"));
    }

    #[test]
    fn json_labels_may_be_called_gold() {
        let source = Source::from_bytes("l.jsonl", "{\"id\":1,\"gold\":\"B\",\"annotator\":\"x\"}").unwrap();
        assert_eq!(load_labels(&source).unwrap().records.rows[0].label, Preference::B);
    }

    #[test]
    fn a_misspelt_column_is_hinted_at() {
        assert!(load("id,lable\nq1,a\n").unwrap_err().to_string().contains("there is `lable`"));
    }

    #[test]
    fn an_unknown_item_is_named_with_the_nearest_id() {
        let labels = load("id,label\nitem_1,a\n").unwrap().records;
        let error = apply_labels(&mut items(), &labels, Disputed::Tie).unwrap_err();
        assert_eq!(error.notices[0].line, Some(2));
        assert!(error.to_string().contains("`item_1`; there is `item-1`"), "{error}");
    }

    #[test]
    fn labels_become_gold_by_plurality() {
        let labels = load("id,label,annotator\nitem-1,a,x\nitem-1,b,y\nitem-2,b,x\n").unwrap().records;
        let mut pairs = items();
        let notices = apply_labels(&mut pairs, &labels, Disputed::Tie).unwrap();
        assert!(pairs[0].gold.as_ref().unwrap().disputed);
        assert_eq!(pairs[1].gold.as_ref().unwrap().label, Preference::B);
        assert!(notices[0].text.contains("item-1"));
        let mut facts: Vec<ItemFacts> = items().iter().map(Pair::facts).collect();
        apply_labels_to_facts(&mut facts, &labels, Disputed::Drop).unwrap();
        assert_eq!((facts[0].gold_label(), facts[1].gold_label()), (None, Some(Preference::B)));
    }

    #[test]
    fn one_person_has_one_vote_and_not_another_in_the_items_themselves() {
        let labels = load("id,label,annotator\nitem-1,a,kim\nitem-1,b,lee\n").unwrap().records;
        let vote = |label| Vote { label, annotator: Some("kim".into()) };
        let mut pairs = items();
        pairs[0].gold = resolve(None, vec![vote(Preference::A)]);
        apply_labels(&mut pairs, &labels, Disputed::Tie).unwrap();
        assert_eq!(pairs[0].gold.as_ref().unwrap().votes.len(), 2, "kim's vote counts once");
        pairs[0].gold = resolve(None, vec![vote(Preference::Tie)]);
        let error = apply_labels(&mut pairs, &labels, Disputed::Tie).unwrap_err();
        assert_eq!(error.notices[0].line, Some(2));
        assert!(
            error.to_string().contains("two labels by `kim` for `item-1`")
                || error.to_string().contains("two labels by kim"),
            "{error}"
        );
    }

    #[test]
    fn the_label_of_the_item_itself_stays() {
        let labels = load("id,label\nitem-1,a\n").unwrap().records;
        let mut pairs = items();
        pairs[0].gold = resolve(Some(Preference::B), Vec::new());
        let notices = apply_labels(&mut pairs, &labels, Disputed::Tie).unwrap();
        assert_eq!(pairs[0].gold.as_ref().unwrap().label, Preference::B);
        assert!(notices[0].text.contains("item-1 (b stays)"));
    }
}
