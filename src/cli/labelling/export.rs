//! `gold export`: pairs and their labels become gold pairs, with the mark of the sample that was drawn to be labelled.

use serde_json::{Map, Value, json};

use super::args::ExportArgs;
use super::kept::{Draw, Kept, bytes_of};
use super::sitting::{beside, check_draw, drawn};
use crate::cli::args::DisputedArg;
use crate::cli::evidence;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::{Existing, check_apart, check_lines, check_target, file_of, print, write_file};
use crate::cli::ui::Ui;
use crate::data::{self, Disputed, PairOptions};
use crate::domain::{Pair, Prompt};

/// Labelled items below which a comparison is not corrected by them.
const FEWEST_FOR_CORRECTION: u64 = 10;

pub(in crate::cli) fn run(args: &ExportArgs, ui: Ui) -> Result<Exit, CliError> {
    let existing = Existing::by_force(args.force);
    let out = file_of(Some(&args.out));
    let path = args.labels.clone().unwrap_or_else(|| beside(&args.file));
    if let Some(out) = out {
        check_lines(out)?;
        check_apart(Some(out), [args.file.as_str(), &path.to_string_lossy()])?;
        check_target(out, existing)?;
    }
    let source = evidence::read(&args.file, ui)?;
    let loaded = data::load_pairs(&source, &PairOptions::default())?;
    ui.notices(source.path(), &loaded.notices);
    let mut pairs = loaded.records;
    let kept = Kept::read(&path.to_string_lossy(), &bytes_of(&path)?)?;
    let disputed = match args.disputed {
        DisputedArg::Tie => Disputed::Tie,
        DisputedArg::Drop => Disputed::Drop,
    };
    let notices = data::apply_labels(&mut pairs, &kept.labels, disputed)?;
    ui.notices(&kept.labels.path, &notices);
    kept.check_texts(&pairs)?;
    let draw = kept.draw()?;
    if let Some(draw) = draw {
        check_draw(draw, &kept, &pairs)?;
        mark(&mut pairs, draw, ui);
    }
    let text = pairs.iter().fold(String::new(), |text, pair| text + &record(pair).to_string() + "\n");
    let Some(out) = out else { return print(&text).map(|()| Exit::Done) };
    write_file(out, &text, existing)?;
    let labelled = pairs.iter().filter(|pair| pair.gold.is_some()).count();
    ui.note(format!("written: {} ({} pairs, {labelled} with gold)", out.display(), pairs.len()));
    Ok(Exit::Done)
}

/// Marks every drawn pair, labelled or not: whoever reads it can tell whether the sample is whole.
fn mark(pairs: &mut [Pair], draw: Draw, ui: Ui) {
    let drawn = drawn(pairs, Some(draw));
    let without = drawn.iter().filter(|at| pairs[**at].gold.is_none()).count();
    for at in drawn {
        let meta = pairs[at].extra.entry("meta").or_insert_with(|| json!({}));
        let sampled = json!({"n": draw.n, "seed": draw.seed});
        match meta {
            Value::Object(fields) => drop(fields.insert("sampled".to_owned(), sampled)),
            // What stands there by another name of `meta` is kept beside the mark.
            other => *other = json!({"value": other.take(), "sampled": sampled}),
        }
    }
    if without > 0 {
        ui.warn(format!(
            "{without} of {} drawn pairs have no label yet: a comparison cannot be corrected by a sample with gaps",
            draw.n
        ));
    } else if draw.n < FEWEST_FOR_CORRECTION {
        ui.warn(format!(
            "a sample of {} is too small to correct a comparison, {FEWEST_FOR_CORRECTION} labelled pairs are the least",
            draw.n
        ));
    }
}

/// A pair as a record that reads back as the same pair.
fn record(pair: &Pair) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| {
        let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !is_empty {
            fields.insert(name.to_owned(), value);
        }
    };
    put("id", json!(pair.id));
    put(
        "prompt",
        match &pair.prompt {
            Prompt::Text(text) => json!(text),
            Prompt::Chat(messages) => json!(messages),
        },
    );
    put("response_a", json!(pair.response_a));
    put("response_b", json!(pair.response_b));
    put("model_a", json!(pair.model_a));
    put("model_b", json!(pair.model_b));
    put("category", json!(pair.category));
    put("group", json!(pair.group));
    put("lang", json!(pair.lang));
    put("reference", json!(pair.reference));
    put("rubric", json!(pair.rubric));
    put("tags", json!(pair.tags));
    put("checks", json!(pair.checks));
    if let Some(gold) = &pair.gold {
        // A label that the votes give anyway is left to them, so that more votes can change it.
        if !gold.disputed && data::plurality(&gold.votes) != Some(gold.label) {
            put("gold", json!(gold.label));
        }
        put("gold_votes", json!(gold.votes));
    }
    // Names of voters are with the votes by now.
    let rest = pair.extra.iter().filter(|(name, _)| *name != "voters");
    fields.extend(rest.map(|(name, value)| (name.clone(), value.clone())));
    Value::Object(fields)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Source;

    fn load(text: &str) -> Vec<Pair> {
        data::load_pairs(&Source::from_bytes("p.jsonl", text).unwrap(), &PairOptions::default()).unwrap().records
    }

    #[test]
    fn a_pair_written_and_read_again_is_the_same_pair() {
        let text = json!({"id": "q1", "prompt": [{"role": "user", "content": "p"}], "response_a": "", "response_b": "y",
            "model_a": "m", "model_b": "n", "category": "c", "group": "g", "lang": "ja", "reference": "r", "rubric": "u",
            "tags": ["t"], "checks": [{"kind": "contains", "value": "y", "not": true}], "gold": "b",
            "gold_votes": ["a", {"label": "a", "annotator": "kim"}], "meta": {"k": 1}, "source": "s", "turn": 2});
        let pairs = load(&text.to_string());
        assert_eq!(load(&record(&pairs[0]).to_string()), pairs);
    }

    #[test]
    fn the_mark_joins_what_meta_holds() {
        let mut pairs =
            load("{\"id\":\"q\",\"prompt\":\"p\",\"response_a\":\"x\",\"response_b\":\"y\",\"meta\":{\"k\":1}}");
        mark(&mut pairs, Draw { n: 1, seed: 3, of: 1 }, Ui::silent());
        assert_eq!(pairs[0].extra["meta"], json!({"k": 1, "sampled": {"n": 1, "seed": 3}}));
    }
}
