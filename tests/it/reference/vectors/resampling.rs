//! Families about resampling, permutation, panels of humans, and power.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tribunal::stats::annotators::{AltTestOptions, Panel, alt_test, human_ceiling as ceiling};
use tribunal::stats::power::{Discordance, Risk};
use tribunal::stats::resample::{self, LeaveOneOut, Resampled, Resampling, Units};
use tribunal::stats::{Level, NotEstimable, Seed, binomial, mean, permutation as flips, power as plan, proportion};

use super::{Found, float, floats, indexes, kind, level, limits, number, or_null, unknown_kind, whole};

pub fn bootstrap(input: &Value, expected: &Value) -> Found {
    match kind(input) {
        "quantile" => {
            let mut values = floats(&input["values"]);
            values.sort_by(f64::total_cmp);
            Ok(json!({ "value": or_null(resample::quantile_of_sorted(&values, float(input, "q"))) }))
        }
        "intervals_from_replicates" | "cluster_bca" => Ok(from_replicates(input, expected)),
        "exact_binomial" => {
            let figure = proportion::ideal_percentile(whole(input, "successes"), whole(input, "n"), level(input));
            let estimate = figure.map_err(|absence| format!("{absence:?}"))?;
            Ok(json!({ "lo": estimate.lower, "hi": estimate.upper }))
        }
        "mean_se" => {
            let data = floats(&input["data"]);
            let single = mean::mean(&data);
            let clustered = resample::clustered_ratio(&by_group(&data, &input["clusters"]));
            Ok(json!({
                "mean": or_null(single.map(|mean| mean.mean)),
                "se_iid": or_null(single.and_then(|mean| mean.se.ok_or(absent()))),
                "se_cluster_cr0": or_null(clustered.map(|ratio| ratio.se_cr0)),
                "se_cluster_cr1": or_null(clustered.and_then(|ratio| ratio.se_cr1.ok_or(absent()))),
            }))
        }
        "monte_carlo" => Ok(monte_carlo(input)),
        "stratified" => {
            let strata: Vec<Vec<f64>> = input["strata"].as_array().unwrap().iter().map(floats).collect();
            let mean = mean::stratified_mean(&strata);
            Ok(json!({
                "mean": or_null(mean.map(|mean| mean.mean)),
                "se": or_null(mean.and_then(|mean| mean.se.ok_or(absent()))),
            }))
        }
        _ => unknown_kind(input),
    }
}

fn absent() -> NotEstimable {
    NotEstimable::because(tribunal::stats::Reason::TooFew)
}

/// Sum and number of the values of each group; every value its own group where there are none.
fn by_group(data: &[f64], groups: &Value) -> Vec<(f64, f64)> {
    if groups.is_null() {
        return data.iter().map(|value| (*value, 1.0)).collect();
    }
    let mut sums = BTreeMap::<usize, (f64, f64)>::new();
    for (value, group) in data.iter().zip(indexes(groups)) {
        let entry = sums.entry(group).or_default();
        *entry = (entry.0 + value, entry.1 + 1.0);
    }
    sums.into_values().collect()
}

fn units(groups: &[(f64, f64)]) -> Units {
    Units::new(groups.iter().map(|(sum, weight)| vec![*sum, *weight])).unwrap()
}

fn ratio(total: &[f64]) -> Option<f64> {
    (total[1] > 0.0).then(|| total[0] / total[1])
}

fn from_replicates(input: &Value, expected: &Value) -> Value {
    let data = floats(&input["data"]);
    let replicates = Resampled::drawn(floats(&input["replicates"]));
    let units = units(&by_group(&data, &input["clusters"]));
    let point = ratio(units.total()).unwrap();
    let jackknife: Vec<LeaveOneOut> = units.jackknife(ratio);
    let shape = resample::bca_shape(point, &replicates, &jackknife);
    let mut found = Map::new();
    found.insert("z0".into(), or_null(shape.map(|shape| shape.z0)));
    found.insert("acceleration".into(), or_null(shape.map(|shape| shape.acceleration)));
    for key in expected.as_object().unwrap().keys() {
        if let Some((method, share)) = key.split_once('_')
            && let Some(level) = share.parse().ok().and_then(Level::new)
        {
            let figure = match method {
                "percentile" => resample::percentile_of(point, &replicates, units.count(), level),
                "bca" => resample::bca_of(point, &replicates, &jackknife, level),
                _ => continue,
            };
            found.insert(key.clone(), limits(&figure));
        }
    }
    Value::Object(found)
}

fn monte_carlo(input: &Value) -> Value {
    let units = units(&by_group(&floats(&input["data"]), &input["clusters"]));
    #[allow(clippy::cast_possible_truncation)]
    let resampling = Resampling { resamples: whole(input, "min_resamples") as usize, seed: Seed(20) };
    let replicates: Vec<f64> = units.replicates(ratio, &resampling).into_iter().flatten().collect();
    let mean = replicates.iter().sum::<f64>() / replicates.len() as f64;
    let square: f64 = replicates.iter().map(|value| (value - mean).powi(2)).sum();
    json!({
        "percentile_0.95": limits(&resample::percentile(&units, ratio, Level::P95, &resampling)),
        "se": (square / (replicates.len() as f64 - 1.0)).sqrt(),
    })
}

pub fn permutation(input: &Value, _: &Value) -> Found {
    let resampling = Resampling::new(Seed(1));
    let flipped = |test: Result<flips::SignFlip, NotEstimable>| json!({ "mean": or_null(test.map(|test| test.mean)), "p": or_null(test.map(|test| test.p)) });
    match kind(input) {
        "sign_test" => {
            let test = binomial::sign_test(&floats(&input["differences"]));
            Ok(json!({ "positive": test.positive, "negative": test.negative, "p": test.p }))
        }
        "sign_flip" => Ok(flipped(flips::sign_flip(&floats(&input["differences"]), &resampling))),
        "group_flip" => {
            let groups = indexes(&input["clusters"]);
            Ok(flipped(flips::sign_flip_by_group(&floats(&input["differences"]), &groups, &resampling)))
        }
        "mc_p" => Ok(json!({ "p": flips::monte_carlo_p(whole(input, "hits"), whole(input, "resamples")) })),
        _ => unknown_kind(input),
    }
}

pub fn human_ceiling(input: &Value, _: &Value) -> Found {
    let (names, panel) = panel(input);
    match kind(input) {
        "loo" => {
            let ceiling = ceiling(&panel).map_err(|absence| format!("{absence:?}"))?;
            Ok(json!({
                "items": ceiling.items,
                "human_human": ceiling.human_human,
                "judge_human": ceiling.judge_human,
                "difference": ceiling.difference,
                "difference_se": ceiling.difference_se,
            }))
        }
        "alt_test" => {
            if input["scoring"] != "accuracy" {
                return Err(format!("unknown scoring {}", input["scoring"]));
            }
            #[allow(clippy::cast_possible_truncation)]
            let min_items = whole(input, "min_items") as usize;
            let options = AltTestOptions { epsilon: float(input, "epsilon"), q: float(input, "q"), min_items };
            let test = alt_test(&panel, options).map_err(|absence| format!("{absence:?}"))?;
            let column = |value: fn(&tribunal::stats::annotators::Alternative) -> f64| {
                test.humans.iter().map(|one| number(value(one))).collect::<Vec<_>>()
            };
            Ok(json!({
                "annotators": test.humans.iter().map(|one| names[one.human].clone()).collect::<Vec<_>>(),
                "p_values": column(|one| one.p),
                "advantage_probs": column(|one| one.judge_advantage),
                "winning_rate": test.winning_rate,
                "advantage_probability": test.advantage,
                "passed": test.passed,
            }))
        }
        _ => unknown_kind(input),
    }
}

fn panel(input: &Value) -> (Vec<String>, Panel) {
    let judge = input["judge"].as_object().unwrap();
    let humans = input["humans"].as_object().unwrap();
    let mut items: Vec<&String> = judge.keys().collect();
    items.extend(humans.values().flat_map(|labels| labels.as_object().unwrap().keys()));
    items.sort();
    items.dedup();
    let row = |labels: &Map<String, Value>| -> Vec<Option<u32>> {
        let label =
            |item: &&String| labels.get(*item).and_then(Value::as_u64).map(|label| u32::try_from(label).unwrap());
        items.iter().map(label).collect()
    };
    let rows = humans.values().map(|labels| row(labels.as_object().unwrap())).collect();
    (humans.keys().cloned().collect(), Panel::new(rows, row(judge)).unwrap())
}

pub fn power(input: &Value, _: &Value) -> Found {
    let risk = || Risk { alpha: float(input, "alpha"), power: float(input, "power") };
    match kind(input) {
        "wald_half_width" => {
            let n = plan::wald_sample_size(float(input, "half_width"), float(input, "p"), level(input));
            Ok(json!({ "n": n.ok() }))
        }
        "wilson_half_width" => {
            Ok(json!({ "n": plan::wilson_sample_size(float(input, "half_width"), level(input)).ok() }))
        }
        "mcnemar_connor" => {
            let discordance = Discordance { share: float(input, "discordance"), difference: float(input, "delta") };
            let real = plan::mcnemar_sample_size(discordance, risk());
            Ok(json!({ "n_real": or_null(real), "n": or_null(real.map(f64::ceil)) }))
        }
        "mcnemar_exact_power" => {
            let (p10, p01) = (float(input, "p10"), float(input, "p01"));
            let power = plan::mcnemar_power(whole(input, "n"), p10, p01, float(input, "alpha"));
            Ok(json!({
                "power_exact": or_null(power.map(|power| power.exact)),
                "power_midp": or_null(power.map(|power| power.mid)),
            }))
        }
        "mcnemar_mde" => {
            let delta = plan::mcnemar_detectable(whole(input, "n"), float(input, "discordance"), risk());
            Ok(json!({ "delta": or_null(delta) }))
        }
        "binom_test_power" => {
            let (p0, p1) = (float(input, "p0"), float(input, "p1"));
            let power = plan::binomial_power(whole(input, "n"), p0, p1, float(input, "alpha"));
            Ok(
                json!({ "power": or_null(power.map(|power| power.power)), "size": or_null(power.map(|power| power.size)) }),
            )
        }
        _ => unknown_kind(input),
    }
}
