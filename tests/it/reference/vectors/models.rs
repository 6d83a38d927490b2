//! Families about fitted models: logistic regression, length control, ratings.

use serde_json::{Value, json};
use tribunal::stats::glm::{Errors, Regression, likelihood_ratio_p, logistic as fit};
use tribunal::stats::length_control::{LengthRow, length_controlled_win_rate};
use tribunal::stats::rating::{self, Game, Wins};
use tribunal::stats::{Level, Reason, ties};

use super::{Found, float, floats, indexes, kind, limits, number, or_null, unknown_kind, whole};

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(floats).collect()
}

pub fn logistic(input: &Value, _: &Value) -> Found {
    let (rows, outcomes) = (matrix(&input["x"]), floats(&input["y"]));
    let clusters = (!input["clusters"].is_null()).then(|| indexes(&input["clusters"]));
    let data = Regression { rows: &rows, outcomes: &outcomes, clusters: clusters.as_deref() };
    let last = input["columns"].as_array().unwrap().len() - 1;
    let fit = match fit(data) {
        Ok(fit) => fit,
        Err(absence) => {
            let fields = [
                "coef",
                "se_model",
                "se_cluster_cr0",
                "se_cluster_cr1",
                "loglik",
                "lr_p_last",
                "wald_z_last",
                "wald_p_last",
                "odds_ratio_last",
                "odds_ratio_last_ci",
            ];
            let mut found: serde_json::Map<String, Value> =
                fields.iter().map(|field| ((*field).to_owned(), Value::Null)).collect();
            found.insert("separated".into(), json!(absence.reason == Reason::Separated));
            return Ok(Value::Object(found));
        }
    };
    let errors = if fit.binary { Errors::Model } else { Errors::Clustered };
    let wald = fit.wald(last, errors);
    let odds = fit.coefficient(last, Level::P95, errors).map(|mut estimate| {
        (estimate.lower, estimate.upper) = (estimate.lower.exp(), estimate.upper.exp());
        estimate.point = estimate.point.exp();
        estimate
    });
    Ok(json!({
        "separated": false,
        "coef": fit.coefficients,
        "se_model": fit.se_model,
        "se_cluster_cr0": fit.se_cr0,
        "se_cluster_cr1": fit.se_cr1,
        "loglik": fit.log_likelihood,
        "lr_p_last": or_null(likelihood_ratio_p(data, last)),
        "wald_z_last": or_null(wald.map(|wald| wald.z)),
        "wald_p_last": or_null(wald.map(|wald| wald.p)),
        "odds_ratio_last": odds.as_ref().map_or(Value::Null, |odds| number(odds.point)),
        "odds_ratio_last_ci": limits(&odds),
    }))
}

pub fn length_controlled_winrate(input: &Value, _: &Value) -> Found {
    let preferences = floats(&input["preference"]);
    let deltas = floats(&input["delta_length"]);
    let difficulties =
        if input["difficulty"].is_null() { vec![0.0; deltas.len()] } else { floats(&input["difficulty"]) };
    let rows: Vec<LengthRow> = preferences
        .iter()
        .zip(&deltas)
        .zip(&difficulties)
        .map(|((preference, delta), difficulty)| LengthRow {
            preference: *preference,
            delta_length: *delta,
            difficulty: *difficulty,
        })
        .collect();
    let figure = length_controlled_win_rate(&rows).map_err(|absence| format!("{absence:?}"))?;
    Ok(json!({ "raw": figure.raw, "length_controlled": figure.controlled, "coef": figure.coefficients }))
}

pub fn bradley_terry(input: &Value, _: &Value) -> Found {
    let wins = || Wins::new(matrix(&input["wins"])).unwrap();
    #[allow(clippy::cast_possible_truncation)]
    let anchor = || whole(input, "anchor") as usize;
    match kind(input) {
        "matrix" => {
            let fit = rating::bradley_terry(&wins()).map_err(|absence| format!("{absence:?}"))?;
            Ok(json!({
                "se_vs_anchor": fit.se_against(anchor(), &fit.covariance).unwrap(),
                "elo": fit.ratings(anchor(), float(input, "anchor_rating")).unwrap(),
                "strength": fit.strengths,
                "cov": fit.covariance,
            }))
        }
        "rows" => {
            let games = games(&input["rows"]);
            #[allow(clippy::cast_possible_truncation)]
            let wins = Wins::of_games(whole(input, "players") as usize, &games).unwrap();
            let fit = rating::bradley_terry(&wins).map_err(|absence| format!("{absence:?}"))?;
            let clusters = (!input["clusters"].is_null()).then(|| indexes(&input["clusters"]));
            let covariance = rating::sandwich_covariance(&fit, &games, clusters.as_deref()).unwrap();
            Ok(json!({
                "robust_se_vs_anchor": fit.se_against(anchor(), &covariance).unwrap(),
                "strength": fit.strengths,
                "robust_cov": covariance,
            }))
        }
        "check" => {
            let connectivity = wins().connectivity();
            Ok(json!({
                "strongly_connected": connectivity.is_strongly_connected(),
                "connected": connectivity.is_connected(),
                "weak_components": connectivity.weak.len(),
                "strong_components": connectivity.strong.len(),
            }))
        }
        model @ ("davidson" | "rao_kupper") => {
            let fit = if model == "davidson" { ties::davidson } else { ties::rao_kupper };
            let fit = fit(&wins(), &matrix(&input["ties"])).map_err(|absence| format!("{absence:?}"))?;
            let name = if model == "davidson" { "nu" } else { "eta" };
            Ok(json!({ "strength": fit.strengths, name: fit.tie, "loglik": fit.log_likelihood }))
        }
        _ => unknown_kind(input),
    }
}

#[allow(clippy::cast_possible_truncation)]
fn games(rows: &Value) -> Vec<Game> {
    let player = |value: &Value| value.as_u64().unwrap() as usize;
    rows.as_array()
        .unwrap()
        .iter()
        .map(|row| Game { first: player(&row[0]), second: player(&row[1]), score: row[2].as_f64().unwrap() })
        .collect()
}

pub fn elo(input: &Value, _: &Value) -> Found {
    #[allow(clippy::cast_possible_truncation)]
    let players = whole(input, "players") as usize;
    let ratings = rating::elo(players, &games(&input["games"]), float(input, "k"), float(input, "initial"));
    Ok(json!({ "ratings": ratings.unwrap() }))
}
