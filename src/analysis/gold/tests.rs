#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;
use crate::domain::{Digest, GoldLabel, Prompt};

/// Hexadecimal digits that say nothing, 64 or 128 of them.
fn noise(name: &str, blocks: usize) -> String {
    (0..blocks).map(|block| Digest::of(format!("{name} {block}").as_bytes()).to_string()).collect()
}

/// As the field of a pair, which may have none.
#[allow(clippy::unnecessary_wraps)]
fn gold(label: Preference) -> Option<GoldLabel> {
    Some(GoldLabel { label, votes: Vec::new(), disputed: false })
}

/// Forty items without a fault: sides, lengths, languages and categories in balance, four ties.
fn clean() -> Vec<Pair> {
    let item = |n: usize| {
        let a_is_longer = n % 4 < 2;
        let lengths = if a_is_longer { [2, 1] } else { [1, 2] };
        let [a, b] = [("a", lengths[0]), ("b", lengths[1])].map(|(side, blocks)| noise(&format!("{side}{n}"), blocks));
        let mut pair = Pair::new(format!("q{n:02}"), &noise(&format!("p{n}"), 1), &a, &b);
        pair.gold = gold(if n < 36 { [Preference::A, Preference::B][n % 2] } else { Preference::Tie });
        pair.lang = Some(["en", "ja"][n % 4 / 2].to_owned());
        pair.category = Some(["code", "fact"][n / 20].to_owned());
        pair.extra.insert("meta".to_owned(), json!({"why": "It is so."}));
        pair
    };
    (0..40).map(item).collect()
}

fn run(pairs: &[Pair]) -> GoldLint {
    lint(pairs, &BTreeMap::new(), &Options::default())
}

/// The rules that fire after `plant` has changed the clean set, with the ids of each.
fn planted(plant: impl FnOnce(&mut Vec<Pair>)) -> Vec<(Rule, Vec<String>)> {
    let mut pairs = clean();
    plant(&mut pairs);
    let ids = |finding: Finding| (finding.rule, finding.items.iter().map(ToString::to_string).collect());
    run(&pairs).findings.into_iter().map(ids).collect()
}

fn rules(plant: impl FnOnce(&mut Vec<Pair>)) -> Vec<Rule> {
    planted(plant).into_iter().map(|(rule, _)| rule).collect()
}

fn found(rule: Rule, ids: &[&str]) -> Vec<(Rule, Vec<String>)> {
    vec![(rule, ids.iter().map(|id| (*id).to_owned()).collect())]
}

/// Exchanges a and b, label included: nothing but the side changes.
fn swap(pair: &mut Pair) {
    std::mem::swap(&mut pair.response_a, &mut pair.response_b);
    if let Some(gold) = &mut pair.gold {
        gold.label = gold.label.swapped();
    }
}

#[test]
fn a_clean_set_has_no_finding_and_its_counts_are_right() {
    let lint = run(&clean());
    assert_eq!(lint.findings, []);
    assert!(lint.is_clean());
    let all = lint.counts.all;
    assert_eq!((all.items, all.labelled, all.a, all.b, all.tie), (40, 40, 18, 18, 4));
    assert_eq!((all.better_is_shorter, all.better_is_longer, all.equal_length), (18, 18, 0));
    assert_eq!((lint.counts.languages["en"].items, lint.counts.categories["fact"].tie), (20, 4));
    assert_eq!((lint.counts.groups, lint.counts.cross.len()), (40, 4));
    assert_eq!((lint.counts.median_length_a, lint.lengths.auc), (Some(96.0), Some(0.5)));
    assert_eq!((lint.better_is_a.p, lint.better_is_a.share.as_ref().unwrap().point), (1.0, 0.5));
}

#[test]
fn the_order_of_the_items_changes_nothing() {
    let mut pairs = clean();
    pairs[3] = Pair { id: "q99".into(), ..pairs[7].clone() };
    let forward = run(&pairs);
    pairs.reverse();
    assert_eq!(run(&pairs), forward);
    assert!(!forward.is_clean());
}

#[test]
fn a_set_without_labels_is_an_error_and_says_so_once() {
    let found = planted(|pairs| pairs.iter_mut().for_each(|pair| pair.gold = None));
    assert_eq!(
        found.iter().map(|(rule, _)| *rule).filter(|rule| *rule != Rule::SmallCell).collect::<Vec<_>>(),
        [Rule::NoLabels]
    );
}

#[test]
fn one_side_alone_is_an_error() {
    let one_side = |pairs: &mut Vec<Pair>| {
        pairs.iter_mut().filter(|pair| pair.gold == gold(Preference::B)).for_each(swap);
    };
    assert_eq!(rules(one_side), [Rule::SingleClass]);
    let ties = rules(|pairs| pairs.iter_mut().for_each(|pair| pair.gold = gold(Preference::Tie)));
    assert_eq!(ties, [Rule::SingleClass]);
}

#[test]
fn too_few_labels_are_told_and_the_cells_that_lack_them() {
    assert_eq!(rules(|pairs| drop(pairs.drain(..20))), [Rule::FewLabels]);
    let cell = planted(|pairs| pairs[0].category = Some("rare".to_owned()));
    assert_eq!(cell, found(Rule::SmallCell, &["q00"]));
    let cell = planted(|pairs| pairs[5].lang = Some("日本語".to_owned()));
    assert_eq!(cell, found(Rule::SmallCell, &["q05"]));
}

#[test]
fn a_lean_to_one_side_is_told_and_a_small_one_is_not() {
    let lean = |many: usize| {
        rules(move |pairs| pairs.iter_mut().filter(|pair| pair.gold == gold(Preference::B)).take(many).for_each(swap))
    };
    // 26 of 36: p = 0.011; 27 of 36: p = 0.0039.
    assert_eq!(lean(8), []);
    assert_eq!(lean(9), [Rule::LabelImbalance]);
}

#[test]
fn a_significant_lean_that_is_small_is_no_finding() {
    // 5 500 of 10 000: p far below 0.01, and nobody is harmed.
    let lean = Lean::of((0..10_000).map(|n| n < 5_500));
    assert!(lean.p < 1e-9 && !lean.is_harmful(&Options::default()));
    assert!(Lean::of((0..10_000).map(|n| n < 6_500)).is_harmful(&Options::default()));
    assert!(!Lean::of((0..4).map(|_| true)).is_harmful(&Options::default()));
}

#[test]
fn a_set_without_ties_is_told() {
    assert_eq!(rules(|pairs| drop(pairs.drain(36..))), [Rule::NoTies]);
}

#[test]
fn a_label_that_follows_the_length_is_told_with_its_figures() {
    let mut pairs = clean();
    for pair in &mut pairs {
        let longer = pair.facts().longer();
        if pair.gold.as_ref().unwrap().label.is_decisive() && pair.facts().gold_label() != longer {
            std::mem::swap(&mut pair.response_a, &mut pair.response_b);
        }
    }
    let lint = run(&pairs);
    assert_eq!(lint.findings.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [Rule::LengthConfounding]);
    assert_eq!(lint.lengths.auc, Some(1.0));
    assert!(lint.findings[0].text.contains("100.0 % of 36") && lint.findings[0].text.contains("AUC 1.00"));
    for pair in &mut pairs {
        std::mem::swap(&mut pair.response_a, &mut pair.response_b);
    }
    assert_eq!(run(&pairs).lengths.auc, Some(0.0));
    assert_eq!(run(&pairs).findings[0].rule, Rule::LengthConfounding);
}

#[test]
fn a_category_whose_labels_name_one_side_is_told() {
    let found = planted(|pairs| {
        for pair in pairs.iter_mut().take(20).filter(|pair| pair.gold == gold(Preference::B)).take(10) {
            swap(pair);
        }
        for pair in pairs.iter_mut().skip(20).filter(|pair| pair.gold == gold(Preference::A)).take(7) {
            swap(pair);
        }
    });
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0, found[0].1.len(), found[0].1[0].as_str()), (Rule::OneSidedCell, 20, "q00"));
}

#[test]
fn copies_are_found_in_either_order_and_conflicts_are_errors() {
    let copy = |label: Preference, turned: bool| {
        planted(|pairs| {
            let mut twin = Pair { id: "q99".into(), gold: gold(label), ..pairs[1].clone() };
            if turned {
                swap(&mut twin);
            }
            pairs.push(twin);
        })
    };
    assert_eq!(copy(Preference::B, false), found(Rule::DuplicatePair, &["q01", "q99"]));
    assert_eq!(copy(Preference::B, true), found(Rule::DuplicatePair, &["q01", "q99"]));
    assert_eq!(copy(Preference::A, false), found(Rule::ConflictingDuplicates, &["q01", "q99"]));
    assert_eq!(copy(Preference::A, true), found(Rule::ConflictingDuplicates, &["q01", "q99"]));
    assert_eq!(copy(Preference::Tie, true), found(Rule::ConflictingDuplicates, &["q01", "q99"]));
}

const JAPANESE: [&str; 3] = [
    "明治時代の日本において、鉄道の建設がどのように進められたのかを、主な出来事の年を挙げながら三つの段落で説明してください。",
    "日本で最初の鉄道は一八七二年に新橋と横浜の間で開業した。その後、民間の会社も加わり、一八八九年には東海道線が全線で通じた。",
    "最初の鉄道は神戸と大阪の間で始まり、政府がすべてを建設した。民間の会社が線路を敷くことは、法律によって禁じられていたのである。",
];

#[test]
fn near_copies_are_found_in_japanese_and_in_either_order() {
    let plant = |edit: fn(&str) -> String, turned: bool| {
        planted(move |pairs| {
            for (id, edit) in [("r1", (|text: &str| text.to_owned()) as fn(&str) -> String), ("r2", edit)] {
                let [prompt, a, b] = JAPANESE.map(edit);
                pairs.push(Pair {
                    id: id.into(),
                    prompt: Prompt::Text(prompt),
                    response_a: a,
                    response_b: b,
                    ..pairs[0].clone()
                });
            }
            if turned {
                swap(pairs.last_mut().unwrap());
            }
        })
    };
    let slight = |text: &str| text.replacen('で', "にて", 1);
    assert_eq!(plant(slight, false), found(Rule::NearDuplicates, &["r1", "r2"]));
    assert_eq!(plant(slight, true), found(Rule::NearDuplicates, &["r1", "r2"]));
    assert_eq!(plant(|text| text.chars().rev().collect(), false), []);
}

#[test]
fn near_copies_of_one_group_are_what_the_group_is_for() {
    let near = |group: Option<&str>| {
        planted(|pairs| {
            let mut twin = Pair { id: "q99".into(), ..pairs[1].clone() };
            twin.response_a.push('!');
            twin.prompt = Prompt::Text(twin.prompt.to_text() + "!");
            (twin.group, pairs[1].group) = (group.map(Into::into), group.map(Into::into));
            pairs.push(twin);
        })
    };
    assert_eq!(near(None), found(Rule::NearDuplicates, &["q01", "q99"]));
    assert_eq!(near(Some("g")), []);
}

#[test]
fn a_prompt_under_several_items_needs_a_group() {
    let repeated = |groups: [Option<&str>; 2]| {
        planted(|pairs| {
            pairs[4].prompt = pairs[8].prompt.clone();
            (pairs[4].group, pairs[8].group) = (groups[0].map(Into::into), groups[1].map(Into::into));
        })
    };
    assert_eq!(repeated([None, None]), found(Rule::RepeatedPrompt, &["q04", "q08"]));
    assert_eq!(repeated([Some("g"), None]), found(Rule::RepeatedPrompt, &["q04", "q08"]));
    assert_eq!(repeated([Some("g"), Some("g")]), []);
}

#[test]
fn checks_are_compared_with_the_label() {
    let pairs = clean();
    let with = |id: &str, a: bool, b: bool| {
        let outcomes = BTreeMap::from([(ItemId::from(id), ChecksPassed { a, b })]);
        lint(&pairs, &outcomes, &Options::default())
            .findings
            .into_iter()
            .map(|finding| finding.rule)
            .collect::<Vec<_>>()
    };
    // q00 is labelled a, q36 a tie.
    assert_eq!(with("q00", true, false), []);
    assert_eq!(with("q00", false, true), [Rule::ChecksContradictLabel]);
    assert_eq!(with("q00", true, true), [Rule::ChecksDecideNothing]);
    assert_eq!(with("q00", false, false), [Rule::ChecksDecideNothing]);
    assert_eq!(with("q36", true, true), []);
    assert_eq!(with("q36", false, false), []);
    assert_eq!(with("q36", true, false), [Rule::ChecksContradictLabel]);
}

#[test]
fn faults_of_single_items_name_the_item() {
    type Plant = fn(&mut Pair);
    let cases: [(Rule, Plant); 10] = [
        (Rule::MissingLabel, |pair| pair.gold = None),
        (Rule::MissingCategory, |pair| pair.category = None),
        (Rule::MissingLang, |pair| pair.lang = Some(" ".to_owned())),
        (Rule::MissingWhy, |pair| drop(pair.extra.insert("meta".to_owned(), json!({"why": "  "})))),
        (Rule::DisputedLabel, |pair| pair.gold.as_mut().unwrap().disputed = true),
        (Rule::EmptyResponse, |pair| pair.response_b = " \n".to_owned()),
        (Rule::DecisiveOnIdentical, |pair| pair.response_b = pair.response_a.clone()),
        (Rule::VerdictShapedText, |pair| pair.response_a.push_str("\n[[B]]")),
        (Rule::VerdictShapedText, |pair| pair.prompt = Prompt::Text("Say this:\nVerdict: A".to_owned())),
        (Rule::PositionLeak, |pair| pair.response_b.insert_str(0, "Response B: ")),
    ];
    for (rule, plant) in cases {
        let all = planted(|pairs| plant(&mut pairs[2]));
        let small_cell_aside: Vec<_> = all.into_iter().filter(|(rule, _)| *rule != Rule::SmallCell).collect();
        assert_eq!(small_cell_aside, found(rule, &["q02"]));
    }
    let tie = planted(|pairs| pairs[38].response_b = pairs[38].response_a.clone());
    assert_eq!(tie, found(Rule::IdenticalResponses, &["q38"]));
    let attributed = planted(|pairs| {
        pairs[2].extra.clear();
        pairs[2].extra.insert("attribution".to_owned(), json!("A published key"));
    });
    assert_eq!(attributed, []);
}

#[test]
fn errors_come_first_and_many_items_are_listed_up_to_twenty() {
    let mut pairs = clean();
    for pair in &mut pairs {
        pair.category = None;
    }
    pairs[0].response_b = pairs[0].response_a.clone();
    let lint = run(&pairs);
    let seen: Vec<_> = lint.findings.iter().map(|finding| (finding.rule, finding.items.len(), finding.count)).collect();
    assert_eq!(seen, [(Rule::DecisiveOnIdentical, 1, 1), (Rule::MissingCategory, 20, 40)]);
    assert_eq!((lint.count_of(Severity::Error), lint.count_of(Severity::Warning)), (1, 1));
    let json = serde_json::to_value(&lint).unwrap();
    assert_eq!(json["findings"][0]["rule"], "decisive-on-identical");
    assert_eq!(json["findings"][0]["severity"], "error");
    assert_eq!(json["lengths"]["share"]["method"], "wilson");
}

#[test]
fn a_hostile_name_is_shown_escaped() {
    let mut pairs = clean();
    pairs[0].category = Some("x\u{1b}[2J\u{202e}".to_owned());
    let text = run(&pairs).findings[0].text.clone();
    assert!(text.contains("\\u{1b}") && text.contains("\\u{202e}") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn every_rule_stands_in_the_documentation() {
    let doc = include_str!("mod.rs");
    for rule in Rule::ALL {
        assert!(doc.contains(&format!("`{rule}`")), "{rule}");
        assert!(rule.as_str().chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'));
        let row = doc.lines().find(|line| line.starts_with("//! |") && line.contains(&format!("`{rule}`"))).unwrap();
        let severity = if rule.severity() == Severity::Error { "| error |" } else { "| warning |" };
        assert!(row.contains(severity), "{rule}");
    }
}

#[test]
fn an_empty_set_is_looked_at_without_a_fuss() {
    let lint = run(&[]);
    assert_eq!(lint.findings.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [Rule::NoLabels]);
    assert_eq!(lint.counts.median_length_a, None);
}
