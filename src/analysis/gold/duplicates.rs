//! Items that say the same thing twice: exact copies, near copies, one prompt under many items.

use std::collections::{BTreeMap, BTreeSet};

use super::near::{Search, Texts, near_pairs};
use super::{Finding, Item, Options, Rule, counted};
use crate::domain::{ItemId, Preference};

pub(super) fn findings(items: &[Item<'_>], options: &Options) -> Vec<Finding> {
    let copies = copies(items);
    let mut findings = exact(items, &copies);
    // What is copied exactly is reported once; one of each goes on.
    let distinct: Vec<&Item<'_>> = copies.iter().map(|members| &items[members[0]]).collect();
    findings.extend(repeated_prompts(&distinct));
    findings.extend(near(&distinct, options));
    findings
}

/// Items with the same prompt and the same two responses, in either order: lists of indices, each sorted.
fn copies(items: &[Item<'_>]) -> Vec<Vec<usize>> {
    let mut copies: BTreeMap<(&str, &str, &str), Vec<usize>> = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        let (a, b) = (item.pair.response_a.as_str(), item.pair.response_b.as_str());
        copies.entry((&item.prompt, a.min(b), a.max(b))).or_default().push(index);
    }
    let mut copies: Vec<_> = copies.into_values().collect();
    copies.sort();
    copies
}

fn exact(items: &[Item<'_>], copies: &[Vec<usize>]) -> Vec<Finding> {
    // The label as it would read with the lesser text as a; between identical texts no side can be told.
    let label = |index: usize| {
        let item = &items[index];
        let label = item.label().filter(|_| !item.facts.identical)?;
        Some(if item.pair.response_a <= item.pair.response_b { label } else { label.swapped() })
    };
    let conflicts = |members: &&Vec<usize>| {
        members.iter().filter_map(|&index| label(index)).collect::<BTreeSet<Preference>>().len() > 1
    };
    let several = copies.iter().filter(|members| members.len() > 1);
    let (conflicting, agreeing): (Vec<_>, Vec<_>) = several.partition(conflicts);
    [
        (Rule::ConflictingDuplicates, conflicting, "carry different labels"),
        (Rule::DuplicatePair, agreeing, "are there more than once"),
    ]
    .into_iter()
    .filter(|(_, found, _)| !found.is_empty())
    .map(|(rule, found, what)| {
        let ids = found.iter().flat_map(|members| members.iter().map(|&index| items[index].id()));
        let example = ids_shown(found[0].iter().map(|&index| items[index].id()));
        let text = format!("{} of prompt and responses {what}, first {example}", counted(found.len(), "set"));
        Finding::new(rule, ids, text)
    })
    .collect()
}

fn repeated_prompts(distinct: &[&Item<'_>]) -> Option<Finding> {
    let mut prompts: BTreeMap<&str, Vec<&Item<'_>>> = BTreeMap::new();
    for item in distinct.iter().filter(|item| !item.prompt.trim().is_empty()) {
        prompts.entry(&item.prompt).or_default().push(item);
    }
    let split = |members: &Vec<&Item<'_>>| {
        let group = &members[0].pair.group;
        members.len() > 1 && (group.is_none() || members.iter().any(|item| item.pair.group != *group))
    };
    let mut found: Vec<_> = prompts.into_values().filter(split).collect();
    found.sort_by(|x, y| x[0].id().cmp(y[0].id()));
    let first = ids_shown(found.first()?.iter().map(|item| item.id()));
    let text = format!("{} under several items without a common group, first {first}", counted(found.len(), "prompt"));
    Some(Finding::new(Rule::RepeatedPrompt, found.iter().flatten().map(|item| item.id()), text))
}

fn near(distinct: &[&Item<'_>], options: &Options) -> Vec<Finding> {
    let texts: Vec<Texts> =
        distinct.iter().map(|item| Texts::of(&item.prompt, &item.pair.response_a, &item.pair.response_b)).collect();
    let Search { mut pairs, complete } = near_pairs(&texts, options.near_duplicate);
    // Items of one group are resampled together; that they are alike is what the group is for.
    pairs.retain(|&[x, y]| {
        let group = &distinct[x].pair.group;
        group.is_none() || distinct[y].pair.group != *group
    });
    let mut findings = Vec::new();
    if let Some(&first) = pairs.first() {
        let mut seen = BTreeSet::new();
        let indices = pairs.iter().flatten().filter(|index| seen.insert(**index));
        let text = format!(
            "{} of items nearly the same in prompt and responses (3-gram similarity from {}), first {}",
            counted(pairs.len(), "pair"),
            options.near_duplicate,
            ids_shown(first.iter().map(|&index| distinct[index].id()))
        );
        findings.push(Finding::new(Rule::NearDuplicates, indices.map(|&index| distinct[index].id()), text));
    }
    if !complete {
        let text = "so many items share so much text that the search for near-duplicates was stopped";
        findings.push(Finding::new(Rule::NearDuplicatesUnfinished, [], text));
    }
    findings
}

/// The first three ids of a set, escaped, as `"q1", "q7" …`.
fn ids_shown<'a>(ids: impl Iterator<Item = &'a ItemId>) -> String {
    let mut ids = ids;
    let named: Vec<String> = ids.by_ref().take(3).map(|id| format!("{:?}", id.as_str())).collect();
    named.join(", ") + if ids.next().is_some() { " …" } else { "" }
}
