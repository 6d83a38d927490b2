//! Families about judgments: outcomes of pairs, repeats, corrections, early stopping, noise, changes, own-family
//! favour.

use serde_json::{Value, json};
use tribunal::domain::{Order, Preference, Verdict};
use tribunal::stats::change::{Change, Difference, Thresholds, verdict};
use tribunal::stats::classify::Share;
use tribunal::stats::correction::{JudgedShare, rogan_gladen};
use tribunal::stats::outcomes::OutcomeCounts;
use tribunal::stats::ppi::{Interval, Labelled, Stratum, Trust, ppi_mean as ppi, stratified_ppi_mean};
use tribunal::stats::repeats::{RepeatedItem, repeats};
use tribunal::stats::self_preference::{FamilyRow, Side, self_preference as favour};
use tribunal::stats::sequential::{self as stopping, BetaPrior};
use tribunal::stats::{Level, proportion, variance};

use super::{Found, float, floats, indexes, kind, level, limits, number, or_null, unknown_kind, whole};

fn seen(value: &Value) -> Option<Verdict> {
    match value.as_str()? {
        "first" => Some(Verdict::First),
        "second" => Some(Verdict::Second),
        "tie" => Some(Verdict::Tie),
        "invalid" => None,
        other => panic!("unknown verdict {other}"),
    }
}

/// The table of two orders, on identities.
fn outcome(forward: &Value, reverse: &Value) -> &'static str {
    let identity = |order: Order, value: &Value| seen(value).map(|verdict| order.identify(verdict));
    let (Some(forward), Some(reverse)) = (identity(Order::Ab, forward), identity(Order::Ba, reverse)) else {
        return "invalid";
    };
    match (forward, reverse) {
        (Preference::A, Preference::A) => "x_wins",
        (Preference::B, Preference::B) => "y_wins",
        (Preference::Tie, Preference::Tie) => "tie",
        (Preference::A, Preference::B) => "flip_first",
        (Preference::B, Preference::A) => "flip_second",
        (Preference::A, Preference::Tie) | (Preference::Tie, Preference::A) => "half_x",
        (Preference::B, Preference::Tie) | (Preference::Tie, Preference::B) => "half_y",
    }
}

fn rate(share: Share) -> Value {
    ratio(share.k, share.n)
}

fn ratio(k: u64, n: u64) -> Value {
    if n == 0 { Value::Null } else { number(k as f64 / n as f64) }
}

pub fn pair_outcomes(input: &Value, _: &Value) -> Found {
    if kind(input) == "resolve" {
        return Ok(json!({ "outcome": outcome(&input["forward"], &input["reverse"]) }));
    }
    if kind(input) != "aggregate" {
        return unknown_kind(input);
    }
    let mut counts = OutcomeCounts::default();
    let (mut first, mut decided) = (0, 0);
    for pair in input["pairs"].as_array().unwrap() {
        let slot = match outcome(&pair[0], &pair[1]) {
            "x_wins" => &mut counts.x_wins,
            "y_wins" => &mut counts.y_wins,
            "tie" => &mut counts.tie,
            "half_x" => &mut counts.half_x,
            "half_y" => &mut counts.half_y,
            "flip_first" => &mut counts.flip_first,
            "flip_second" => &mut counts.flip_second,
            _ => {
                counts.invalid += 1;
                continue;
            }
        };
        *slot += 1;
        for verdict in [seen(&pair[0]), seen(&pair[1])].into_iter().flatten() {
            first += u64::from(verdict == Verdict::First);
            decided += u64::from(verdict != Verdict::Tie);
        }
    }
    let flips = counts.flip_rate();
    Ok(json!({
        "counts": {
            "x_wins": counts.x_wins, "y_wins": counts.y_wins, "tie": counts.tie, "half_x": counts.half_x,
            "half_y": counts.half_y, "flip_first": counts.flip_first, "flip_second": counts.flip_second,
            "invalid": counts.invalid,
        },
        "valid": counts.valid(),
        "score": ratio(counts.score_quarters(), 4 * counts.valid()),
        "winrate_ties_half": ratio(counts.win_halves(), 2 * counts.valid()),
        "decisive": rate(counts.decisive()),
        "decisive_coverage": rate(counts.decisive_coverage()),
        "consistency": rate(counts.consistency()),
        "flip_rate": rate(flips),
        "flip_first_share": rate(counts.flip_first_share()),
        "flip_p_exact": counts.flip_direction_p(),
        "first_preference_rate": ratio(first, decided),
        "invalid_rate": ratio(counts.invalid, counts.total()),
        "flip_rate_wilson": limits(&proportion::wilson(flips.k, flips.n, Level::P95)),
    }))
}

pub fn position_repeats(input: &Value, _: &Value) -> Found {
    let verdicts = |order: Order, list: &Value| -> Vec<u32> {
        let valid = list.as_array().unwrap().iter().filter_map(seen);
        valid.map(|verdict| u32::try_from(order.identify(verdict).index()).unwrap()).collect()
    };
    let items: Vec<RepeatedItem> = input["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| RepeatedItem {
            forward: verdicts(Order::Ab, &item["forward"]),
            reverse: verdicts(Order::Ba, &item["reverse"]),
        })
        .collect();
    let Ok(found) = repeats(&items) else {
        return Ok(json!({ "repetition_stability": null, "excess": null, "excess_items": 0, "excess_se": null }));
    };
    Ok(json!({
        "repetition_stability": found.stability,
        "excess": found.excess,
        "excess_items": found.excess_items,
        "excess_se": found.excess_se,
    }))
}

pub fn judge_error_correction(input: &Value, _: &Value) -> Found {
    let share = JudgedShare {
        judged_positive: whole(input, "judged_positive"),
        n: whole(input, "n"),
        true_negative: whole(input, "true_negative"),
        negatives: whole(input, "m0"),
        true_positive: whole(input, "true_positive"),
        positives: whole(input, "m1"),
    };
    let (specificity, sensitivity) =
        (share.true_negative as f64 / share.negatives as f64, share.true_positive as f64 / share.positives as f64);
    let corrected = rogan_gladen(share, level(input));
    let field =
        |value: fn(&tribunal::stats::correction::Corrected) -> Value| corrected.as_ref().map_or(Value::Null, value);
    Ok(json!({
        "naive": share.judged_positive as f64 / share.n as f64,
        "sensitivity": sensitivity,
        "specificity": specificity,
        "youden": specificity + sensitivity - 1.0,
        "point": field(|corrected| number(corrected.delta.point)),
        "unclipped": field(|corrected| number(corrected.unclipped)),
        "delta_se": field(|corrected| number(corrected.delta_se)),
        "delta_ci": field(|corrected| limits(&Ok(corrected.delta.clone()))),
        "lr_ci": field(|corrected| limits(&corrected.adjusted)),
    }))
}

struct Lists {
    gold: Vec<f64>,
    judge: Vec<f64>,
    rest: Vec<f64>,
}

impl Lists {
    fn of(input: &Value) -> Self {
        let list = |field: &str| floats(&input[field]);
        Self { gold: list("y_labeled"), judge: list("f_labeled"), rest: list("f_unlabeled") }
    }

    fn data(&self) -> Labelled<'_> {
        Labelled { gold: &self.gold, judge: &self.judge, judge_unlabelled: &self.rest }
    }
}

pub fn ppi_mean(input: &Value, _: &Value) -> Found {
    match kind(input) {
        "mean" => {
            let lists = Lists::of(input);
            let trust = input["lambda"].as_f64().map_or(Trust::Tuned, Trust::Fixed);
            let found =
                ppi(lists.data(), trust, Interval::Normal, level(input)).map_err(|absence| format!("{absence:?}"))?;
            Ok(json!({
                "lambda": found.lambda,
                "point": found.estimate.point,
                "se": found.se,
                "ci": [found.estimate.lower, found.estimate.upper],
            }))
        }
        "stratified" => {
            let inputs = input["strata"].as_array().unwrap();
            let lists: Vec<Lists> = inputs.iter().map(Lists::of).collect();
            let strata: Vec<Stratum<'_>> = inputs
                .iter()
                .zip(&lists)
                .map(|(input, lists)| Stratum { weight: float(input, "weight"), data: lists.data() })
                .collect();
            let level = level(input);
            let estimate = stratified_ppi_mean(&strata, level).map_err(|absence| format!("{absence:?}"))?;
            let z = -tribunal::stats::special::normal_quantile(level.alpha() / 2.0);
            Ok(json!({
                "point": estimate.point,
                "se": (estimate.upper - estimate.lower) / (2.0 * z),
                "ci": [estimate.lower, estimate.upper],
            }))
        }
        _ => unknown_kind(input),
    }
}

pub fn sequential(input: &Value, _: &Value) -> Found {
    let prior = || BetaPrior { a: float(input, "a"), b: float(input, "b") };
    let level = || Level::new(1.0 - float(input, "alpha")).unwrap();
    let ends = |figure: tribunal::stats::Figure| {
        let estimate = figure.map_err(|absence| format!("{absence:?}"))?;
        Ok(json!({ "lo": estimate.lower, "hi": estimate.upper }))
    };
    let outcomes = || floats(&input["outcomes"]);
    let bets = || u32::try_from(whole(input, "bets")).unwrap();
    match kind(input) {
        "beta_mixture_e" => {
            let log_e =
                stopping::beta_mixture_log_e(float(input, "sum"), whole(input, "n"), float(input, "m0"), prior());
            Ok(json!({ "log_e": or_null(log_e), "anytime_p": or_null(log_e.map(stopping::anytime_p)) }))
        }
        "beta_mixture_cs" => {
            ends(stopping::beta_mixture_sequence(float(input, "sum"), whole(input, "n"), prior(), level()))
        }
        "kelly_grid" => {
            let log = stopping::kelly_log_capital(&outcomes(), float(input, "m0"), bets());
            Ok(json!({ "log_capital": or_null(log), "anytime_p": or_null(log.map(stopping::anytime_p)) }))
        }
        "kelly_grid_cs" => ends(stopping::kelly_sequence(&outcomes(), bets(), level())),
        "hedged_cs" => {
            let grid = u32::try_from(whole(input, "grid")).unwrap();
            ends(stopping::hedged_sequence(&outcomes(), grid, level()))
        }
        _ => unknown_kind(input),
    }
}

pub fn variance_components(input: &Value, _: &Value) -> Found {
    let table = || -> Vec<Vec<f64>> { input["scores"].as_array().unwrap().iter().map(floats).collect() };
    match kind(input) {
        "oneway" => {
            let one = variance::one_way(&table()).map_err(|absence| format!("{absence:?}"))?;
            Ok(json!({
                "mean": one.mean, "ms_between": one.ms_between, "ms_within": one.ms_within, "var_item": one.var_item,
                "var_repeat": one.var_repeat, "icc1": one.icc1, "icck": one.icck, "se_mean": one.se_mean,
                "noise_se": one.noise_se, "noise_floor_95": one.noise_floor_95, "share_repeat": one.share_repeat,
            }))
        }
        "binary_noise" => Ok(json!({ "within_variance": or_null(variance::binary_noise(&table())) })),
        "crossed" => {
            let rows = input["scores"].as_array().unwrap().iter();
            let scores: Vec<Vec<Vec<f64>>> =
                rows.map(|row| row.as_array().unwrap().iter().map(floats).collect()).collect();
            let two = variance::crossed(&scores).map_err(|absence| format!("{absence:?}"))?;
            Ok(json!({
                "ms_item": two.ms_item, "ms_judge": two.ms_judge, "ms_interaction": two.ms_interaction,
                "ms_residual": two.ms_residual, "var_item": two.var_item, "var_judge": two.var_judge,
                "var_interaction": two.var_interaction, "var_residual": two.var_residual, "se_mean": two.se_mean,
            }))
        }
        _ => unknown_kind(input),
    }
}

pub fn regression_verdict(input: &Value, _: &Value) -> Found {
    let field = |name: &str| input[name].as_f64().unwrap_or(f64::NAN);
    let difference = Difference { delta: field("delta"), lower: field("lo"), upper: field("hi") };
    let thresholds = Thresholds { noise_floor: field("noise_floor"), min_effect: field("min_effect") };
    let word = match verdict(difference, thresholds) {
        Ok(Change::Regression) => "regression",
        Ok(Change::Improvement) => "improvement",
        Ok(Change::NoMaterialChange) => "no_material_change",
        Ok(Change::Inconclusive) => "inconclusive",
        Err(_) => "undefined",
    };
    Ok(json!({ "verdict": word }))
}

pub fn self_preference(input: &Value, _: &Value) -> Found {
    let (judge, reference, own) = (floats(&input["judge"]), floats(&input["ref"]), indexes(&input["own"]));
    let clusters = if input["clusters"].is_null() { (0..own.len()).collect() } else { indexes(&input["clusters"]) };
    let rows: Vec<FamilyRow> = (0..own.len())
        .map(|row| FamilyRow {
            judge: judge[row],
            reference: reference[row],
            side: if own[row] == 1 { Side::Own } else { Side::Other },
            cluster: clusters[row],
        })
        .collect();
    let found = favour(&rows, Level::P95);
    let field = |value: fn(&tribunal::stats::self_preference::SelfPreference) -> Value| {
        found.as_ref().map_or(Value::Null, value)
    };
    Ok(json!({
        "did": field(|found| number(found.did)),
        "naive_gap": field(|found| number(found.naive_gap)),
        "se_welch": field(|found| json!(found.se_welch)),
        "se_cluster_cr1": field(|found| json!(found.se_clustered)),
        "ci_cluster": field(|found| limits(&found.figure)),
        "perm_p": field(|found| json!(found.p_permutation)),
    }))
}
