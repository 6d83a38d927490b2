//! What a comparison is told beside its judgments: who chose the gold, what the checks say, what was planned, what was run before.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::args::{CallArgs, GoldSampleArg};
use super::evidence;
use super::exit::CliError;
use super::ledger::items_digest;
use super::ui::Ui;
use crate::analysis::compare::{Passes, Reruns};
use crate::analysis::correction::{GoldSample, Mark};
use crate::analysis::prereg::Plan;
use crate::domain::{Digest, InputFile, ItemId, JudgeName, Pair, RunKind, RunState};
use crate::judge::CheckSet;
use crate::store::Ledger;

/// How the items that carry gold were chosen: by the user's word, else by the marks `meta.sampled` of the items.
pub(super) fn gold_sample(said: Option<GoldSampleArg>, pairs: &[Pair], ui: Ui) -> GoldSample {
    if said == Some(GoldSampleArg::Random) {
        return GoldSample::Random;
    }
    let mut samples: BTreeMap<Mark, BTreeSet<ItemId>> = BTreeMap::new();
    let mut odd = Vec::new();
    for pair in pairs {
        let Some(mark) = pair.extra.get("meta").and_then(|meta| meta.get("sampled")) else { continue };
        match (mark["n"].as_u64(), mark["seed"].as_u64()) {
            (Some(n), Some(seed)) => {
                samples.entry(Mark { n, seed }).or_default().insert(pair.id.clone());
            }
            _ => odd.push(pair.id.as_str()),
        }
    }
    if let Some(first) = odd.first() {
        ui.warn(format!(
            "`meta.sampled` of {} items (the first is {first}) is no mark of a sample: {{\"n\": 100, \"seed\": 1}} is wanted",
            odd.len()
        ));
    }
    if samples.is_empty() { GoldSample::Unknown } else { GoldSample::Marked(samples) }
}

/// Which responses pass all checks of their item. Checks that can never run were refused with the file.
pub(super) fn passes(pairs: &[Pair]) -> BTreeMap<ItemId, Passes> {
    let of = |pair: &Pair| {
        let checks = CheckSet::compile(&pair.checks).ok()?;
        let passes = |response: &str| checks.run(response).iter().all(|outcome| outcome.passed);
        Some((pair.id.clone(), Passes { a: passes(&pair.response_a), b: passes(&pair.response_b) }))
    };
    pairs.iter().filter(|pair| !pair.checks.is_empty()).filter_map(of).collect()
}

/// How often these pairs were compared, as the store's ledger tells; `None` where there is no ledger.
pub(super) fn reruns(calls: &CallArgs, pairs: &[Pair], judge: &JudgeName) -> Option<Reruns> {
    if calls.no_store || pairs.is_empty() || !calls.store.exists() {
        return None;
    }
    let ledger = Ledger::open(&calls.store).ok()?;
    let digest = items_digest(pairs);
    let mut found = Reruns { runs: 0, with_this_judge: 0 };
    let mut judges: BTreeSet<String> = BTreeSet::new();
    for number in ledger.numbers().ok()? {
        let Ok(Some((header, end))) = ledger.outline(number) else { continue };
        // A run that was broken off showed nobody a result.
        if header.kind != RunKind::Compare || header.items.digest != digest || end.state != RunState::Done {
            continue;
        }
        // One by a judge of before, answered from the store, showed the same result again.
        let is_new = header.judges.iter().filter(|judge| judges.insert(judge.fingerprint.0.clone())).count() > 0;
        if is_new || end.calls.made > 0 {
            found.runs += 1;
            found.with_this_judge += u64::from(header.judges.iter().any(|other| other.name == *judge));
        }
    }
    (found.runs > 0).then_some(found)
}

/// A pre-registered plan, TOML or JSON, and its entry for the manifest.
pub(super) fn plan(path: &str, ui: Ui) -> Result<(Plan, InputFile), CliError> {
    let source = evidence::read(path, ui)?;
    let text = source.text();
    let broken = |problem: String| {
        CliError::usage(format!("{path}: {problem}"))
            .hint("a plan is TOML or JSON, such as `metric = \"win_rate\"`, `n = 400`, `stopping = \"fixed\"`, `threshold = 0.5`")
    };
    let fields: Map<String, Value> = if text.trim_start().starts_with('{') {
        serde_json::from_str(text).map_err(|error| broken(format!("no plan can be read: {error}")))?
    } else {
        toml::from_str(text)
            .map_err(|error| broken(format!("no plan can be read: {}", error.to_string().trim_end())))?
    };
    let plan = Plan::of(Digest::of(text.as_bytes()), &fields).map_err(|fault| {
        let named = |line: &&str| line.trim_start_matches([' ', '\t', '"', '{', ',']).starts_with(&fault.field);
        let line = text.lines().position(|line| named(&line)).map_or(String::new(), |at| format!("line {}, ", at + 1));
        broken(format!("{line}field `{}` {}", fault.field, fault.problem))
    })?;
    Ok((plan, evidence::input("prereg", &source, 1)))
}
