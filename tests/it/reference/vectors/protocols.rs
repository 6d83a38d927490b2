//! Families of the classic protocols: ratings, probabilities, rankings, filters, generated text.

use serde_json::{Map, Value, json};
use tribunal::stats::agreement::{Confusion, Weights};
use tribunal::stats::prefilter::{self as filter, Pool};
use tribunal::stats::probability::{self, Prediction, Scored};
use tribunal::stats::{NotEstimable, ngram, numeric, ranking as ranks, text};

use super::{Found, float, floats, indexes, kind, number, or_null, unknown_kind, whole};

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(floats).collect()
}

pub fn ordinal_regression(input: &Value, expected: &Value) -> Found {
    match kind(input) {
        "numeric" => {
            let (gold, rated) = (floats(&input["gold"]), floats(&input["pred"]));
            let errors = numeric::rating_errors(&gold, &rated).map_err(|absence| format!("{absence:?}"))?;
            let mut pinball = Map::new();
            for q in expected["pinball"].as_object().unwrap().keys() {
                pinball.insert(q.clone(), or_null(numeric::pinball(&gold, &rated, q.parse().unwrap())));
            }
            Ok(json!({
                "pearson": or_null(numeric::pearson(&gold, &rated)),
                "spearman": or_null(numeric::spearman(&gold, &rated)),
                "kendall_b": or_null(numeric::kendall_tau_b(&gold, &rated)),
                "mae": errors.mae, "rmse": errors.rmse, "r2": errors.r2, "mape": errors.mape,
                "pinball": pinball,
            }))
        }
        "qwk" => {
            let (gold, rated) = (indexes(&input["gold"]), indexes(&input["pred"]));
            #[allow(clippy::cast_possible_truncation)]
            let mut confusion = Confusion::new(whole(input, "classes") as usize);
            for (gold, rated) in gold.iter().zip(&rated) {
                confusion.record(*gold, *rated).unwrap();
            }
            Ok(json!({ "qwk": or_null(confusion.weighted_kappa(Weights::Quadratic)) }))
        }
        "rps" => {
            let probabilities = rows(&input["probs"]);
            let score = numeric::ranked_probability_score(&probabilities, &indexes(&input["labels"]));
            let steps = probabilities[0].len() as f64 - 1.0;
            Ok(json!({ "rps": or_null(score), "rps_normalised": or_null(score.map(|score| score / steps)) }))
        }
        _ => unknown_kind(input),
    }
}

pub fn probability_multiclass(input: &Value, expected: &Value) -> Found {
    let (probabilities, labels) = (rows(&input["probs"]), indexes(&input["labels"]));
    let quality = probability::multiclass(&probabilities, &labels);
    let predictions = probability::top_predictions(&probabilities, &labels);
    let of = |value: fn(&[Prediction]) -> Result<f64, NotEstimable>| {
        or_null(predictions.as_ref().map_err(|absence| *absence).and_then(|predictions| value(predictions)))
    };
    let risks = expected["risk_at_coverage"].as_object().map(|wanted| {
        let risk = |coverage: &String| {
            or_null(probability::risk_at_coverage(predictions.as_ref().unwrap(), coverage.parse().unwrap()))
        };
        wanted.keys().map(|coverage| (coverage.clone(), risk(coverage))).collect::<Map<_, _>>()
    });
    Ok(json!({
        "n": labels.len(),
        "accuracy": or_null(quality.map(|quality| quality.accuracy)),
        "nll": or_null(quality.map(|quality| quality.log_loss)),
        "brier": or_null(quality.map(|quality| quality.brier)),
        "ece15": of(probability::calibration_error),
        "aurc": of(probability::area_under_risk),
        "risk_at_coverage": risks,
    }))
}

pub fn probability_binary(input: &Value, _: &Value) -> Found {
    let items: Vec<Scored> = floats(&input["scores"])
        .into_iter()
        .zip(indexes(&input["labels"]))
        .map(|(score, label)| Scored { score, positive: label == 1 })
        .collect();
    let predictions: Vec<Prediction> = items.iter().map(|item| item.prediction()).collect();
    Ok(json!({
        "brier": or_null(probability::binary_brier(&items)),
        "log_loss": or_null(probability::binary_log_loss(&items)),
        "auroc": or_null(probability::auroc(&items)),
        "average_precision": or_null(probability::average_precision(&items)),
        "ece15": or_null(probability::binary_calibration_error(&items)),
        "aurc_abs": or_null(probability::area_under_risk(&predictions)),
    }))
}

pub fn ranking(input: &Value, _: &Value) -> Found {
    let relevance = input["relevance"].as_object().unwrap();
    let gain = |id: &Value| relevance.get(id.as_str().unwrap()).and_then(Value::as_f64).unwrap_or(0.0);
    let ranked: Vec<f64> = input["ranking"].as_array().unwrap().iter().map(gain).collect();
    let relevant: Vec<f64> = relevance.values().map(|gain| gain.as_f64().unwrap()).collect();
    #[allow(clippy::cast_possible_truncation)]
    let quality = ranks::ranked_quality(&ranked, &relevant, whole(input, "k") as usize);
    let of = |value: fn(&ranks::RankedQuality) -> f64| {
        quality.as_ref().map_or(Value::Null, |quality| number(value(quality)))
    };
    Ok(json!({
        "precision": of(|quality| quality.precision),
        "recall": of(|quality| quality.recall),
        "hit_rate": of(|quality| quality.hit_rate),
        "mrr": of(|quality| quality.reciprocal_rank),
        "ap": of(|quality| quality.average_precision),
        "ndcg_linear": of(|quality| quality.ndcg),
        "ndcg_exp": of(|quality| quality.ndcg_exponential),
    }))
}

pub fn prefilter(input: &Value, _: &Value) -> Found {
    let pool = || Pool { n: whole(input, "n"), positives: whole(input, "positives") };
    let said = |absence: NotEstimable| format!("{absence:?}");
    match kind(input) {
        "from_counts" => {
            let decisions = filter::Decisions {
                true_positive: whole(input, "tp"),
                false_positive: whole(input, "fp"),
                false_negative: whole(input, "fn"),
                true_negative: whole(input, "tn"),
            };
            let rates = filter::filter_rates(decisions).map_err(said)?;
            Ok(json!({
                "request_rate": rates.request_rate,
                "retention": rates.retention,
                "accuracy": rates.accuracy,
                "ret_min": rates.retention_range.map(|range| range.min),
                "ret_max": rates.retention_range.map(|range| range.max),
            }))
        }
        "reconstruct" => {
            let rebuilt =
                filter::rebuild(pool(), float(input, "request_rate"), float(input, "retention")).map_err(said)?;
            Ok(json!({
                "feasible": rebuilt.feasible,
                "tp": rebuilt.counts.true_positive,
                "fp": rebuilt.counts.false_positive,
                "fn": rebuilt.counts.false_negative,
                "tn": rebuilt.counts.true_negative,
                "accuracy": rebuilt.accuracy,
                "ret_min": rebuilt.retention_range.min,
                "ret_max": rebuilt.retention_range.max,
                "exchange": rebuilt.exchange,
            }))
        }
        "iso_accuracy" => {
            let range = filter::iso_accuracy(pool(), float(input, "accuracy")).map_err(said)?;
            Ok(json!({
                "req_min": range.request_rate.min,
                "req_max": range.request_rate.max,
                "ret_min": range.retention.min,
                "ret_max": range.retention.max,
                "exchange": range.exchange,
            }))
        }
        _ => unknown_kind(input),
    }
}

pub fn text_metrics(input: &Value, _: &Value) -> Found {
    let words = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let word = |field: &str| input[field].as_str().unwrap();
    match kind(input) {
        "bleu" => {
            let texts = words(&input["hypotheses"]);
            let references: Vec<Vec<String>> = input["references"].as_array().unwrap().iter().map(words).collect();
            let segments: Vec<(&str, Vec<&str>)> = texts
                .iter()
                .zip(&references)
                .map(|(text, references)| (text.as_str(), references.iter().map(String::as_str).collect()))
                .collect();
            let score = match word("mode") {
                "corpus" => ngram::corpus_bleu(&segments),
                "sentence" => ngram::sentence_bleu(segments[0].0, &segments[0].1),
                other => return Err(format!("unknown mode {other}")),
            };
            Ok(json!({ "bleu": or_null(score) }))
        }
        "chrf" => {
            let references = words(&input["references"]);
            let references: Vec<&str> = references.iter().map(String::as_str).collect();
            Ok(json!({ "chrf": or_null(ngram::chrf(word("hypothesis"), &references)) }))
        }
        "rouge_l" => {
            let overlap = text::rouge_l(word("hypothesis"), word("reference"));
            Ok(json!({ "precision": overlap.precision, "recall": overlap.recall, "f1": overlap.f1 }))
        }
        "squad" => {
            let references = words(&input["references"]);
            let references: Vec<&str> = references.iter().map(String::as_str).collect();
            let found =
                text::answer_match(word("prediction"), &references).map_err(|absence| format!("{absence:?}"))?;
            Ok(json!({ "exact_match": found.exact, "f1": found.f1 }))
        }
        "pass_at_k" => {
            let value = text::pass_at_k(whole(input, "n"), whole(input, "c"), whole(input, "k"));
            Ok(json!({ "value": or_null(value) }))
        }
        "perplexity" => Ok(json!({ "value": or_null(text::perplexity(&floats(&input["log_probs"]))) })),
        _ => unknown_kind(input),
    }
}
