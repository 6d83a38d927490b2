//! The shipped gold set keeps what its README promises, and the linter finds nothing in it.

use std::collections::BTreeMap;

use tribunal::analysis::gold::{ChecksPassed, GoldLint, Options, lint};
use tribunal::data::{PairOptions, Source, load_pairs};
use tribunal::domain::{ItemId, Pair};
use tribunal::judge::run_checks;

fn core() -> Vec<Pair> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/gold/core.jsonl");
    let source = Source::from_bytes(path, std::fs::read(path).unwrap()).unwrap();
    let loaded = load_pairs(&source, &PairOptions::default()).unwrap();
    assert_eq!(loaded.notices, []);
    loaded.records
}

/// What the checks of every item that has any say.
fn outcomes(pairs: &[Pair]) -> BTreeMap<ItemId, ChecksPassed> {
    let passes = |pair: &Pair, text: &str| run_checks(&pair.checks, text).unwrap().iter().all(|outcome| outcome.passed);
    let checked = pairs.iter().filter(|pair| !pair.checks.is_empty());
    let both = |pair: &Pair| ChecksPassed { a: passes(pair, &pair.response_a), b: passes(pair, &pair.response_b) };
    checked.map(|pair| (pair.id.clone(), both(pair))).collect()
}

fn linted(pairs: &[Pair]) -> GoldLint {
    lint(pairs, &outcomes(pairs), &Options::default())
}

#[test]
fn the_shipped_set_has_no_finding() {
    assert_eq!(linted(&core()).findings, []);
}

#[test]
fn the_shipped_set_is_balanced_in_language_side_and_length() {
    let lint = linted(&core());
    let all = lint.counts.all;
    assert_eq!((all.items, all.labelled, all.disputed), (120, 120, 0));
    assert_eq!((all.a, all.b, all.tie), (54, 54, 12));
    assert_eq!((all.better_is_shorter, all.better_is_longer, all.equal_length), (54, 54, 0));
    assert!(2 * all.with_checks >= all.items, "{}", all.with_checks);
    assert_eq!(lint.counts.languages.keys().collect::<Vec<_>>(), ["en", "ja"]);
    for cell in lint.counts.languages.values() {
        assert_eq!((cell.items, cell.a, cell.b, cell.tie), (60, 27, 27, 6));
        assert_eq!((cell.better_is_shorter, cell.better_is_longer), (27, 27));
    }
    assert_eq!(lint.counts.categories.len(), 7);
    let auc = lint.lengths.auc.unwrap();
    assert!((0.4..=0.6).contains(&auc), "{auc}");
}

#[test]
fn every_shipped_label_has_its_reason_and_no_check_contradicts_it() {
    let pairs = core();
    let outcomes = outcomes(&pairs);
    for pair in &pairs {
        let why = pair.extra["meta"]["why"].as_str().unwrap_or_default();
        assert!(!why.trim().is_empty(), "{}", pair.id);
        let label = pair.gold.as_ref().unwrap().label;
        assert!(outcomes.get(&pair.id).is_none_or(|passed| passed.preference() == label), "{}", pair.id);
    }
}

#[test]
fn ten_thousand_unlike_items_and_their_near_copies_are_told_apart() {
    // Sixteen characters out of the 256 from 一 on.
    let digest = |name: String| {
        let digest = tribunal::domain::Digest::of(name.as_bytes());
        digest
            .bytes()
            .iter()
            .take(16)
            .map(|byte| char::from_u32(0x4e00 + u32::from(*byte)).unwrap())
            .collect::<String>()
    };
    let mut pairs: Vec<Pair> = (0..10_000)
        .map(|n| {
            Pair::new(format!("q{n:05}"), &digest(format!("p{n}")), &digest(format!("a{n}")), &digest(format!("b{n}")))
        })
        .collect();
    for n in (0..10_000).step_by(1000) {
        let mut twin = Pair { id: format!("twin{n:05}").into(), ..pairs[n].clone() };
        twin.response_a.push('。');
        pairs.push(twin);
    }
    let lint = linted(&pairs);
    let near = lint.findings.iter().find(|finding| finding.rule.as_str() == "near-duplicates").unwrap();
    assert_eq!((near.count, near.items.len()), (20, 20));
    assert!(near.text.starts_with("10 pairs"), "{}", near.text);
    assert!(lint.findings.iter().all(|finding| finding.rule.as_str() != "near-duplicates-unfinished"));
}
