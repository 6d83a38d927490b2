//! Families about counts: shares, tests on counts, agreement, special functions.

use serde_json::{Value, json};
use tribunal::stats::agreement::{self, Confusion, Metric, Weights};
use tribunal::stats::multiplicity::{Adjustment, adjust};
use tribunal::stats::paired::{PairedTable, matched_odds_ratio, mcnemar_chi_square};
use tribunal::stats::{binomial, paired, proportion, special, two_proportions};

use super::{Found, float, floats, level, limits, number, or_null, whole};

pub fn special_functions(input: &Value, _: &Value) -> Found {
    let value = match input["fn"].as_str().unwrap() {
        "norm_cdf" => special::normal_cdf(float(input, "x")),
        "norm_sf" => special::normal_sf(float(input, "x")),
        "norm_ppf" => special::normal_quantile(float(input, "p")),
        "t_ppf" => special::t_quantile(float(input, "p"), float(input, "df")),
        "t_sf" => special::t_sf(float(input, "x"), float(input, "df")),
        "chi2_sf" => special::chi_square_sf(float(input, "x"), float(input, "df")),
        "beta_cdf" => special::beta_cdf(float(input, "x"), float(input, "a"), float(input, "b")),
        "beta_ppf" => special::beta_quantile(float(input, "p"), float(input, "a"), float(input, "b")),
        "binom_cdf" => special::binomial_cdf(whole(input, "k"), whole(input, "n"), float(input, "p")),
        "lgamma" => special::ln_gamma(float(input, "x")),
        other => return Err(format!("unknown function {other}")),
    };
    Ok(json!({ "value": number(value) }))
}

pub fn proportion_intervals(input: &Value, _: &Value) -> Found {
    let (k, n, level) = (whole(input, "successes"), whole(input, "n"), level(input));
    let wilson = proportion::wilson(k, n, level);
    let exact = proportion::exact_bounds(k, n, level.alpha());
    let one_sided = proportion::wilson_bounds(k, n, level.alpha());
    Ok(json!({
        "estimate": wilson.as_ref().map_or(Value::Null, |estimate| number(estimate.point)),
        "wilson": limits(&wilson),
        "clopper_pearson": limits(&proportion::clopper_pearson(k, n, level)),
        "jeffreys": limits(&proportion::jeffreys(k, n, level)),
        "agresti_coull": limits(&proportion::agresti_coull(k, n, level)),
        "cp_lower_one": or_null(exact.map(|bounds| bounds.lower)),
        "cp_upper_one": or_null(exact.map(|bounds| bounds.upper)),
        "wilson_lower_one": or_null(one_sided.map(|bounds| bounds.lower)),
        "wilson_upper_one": or_null(one_sided.map(|bounds| bounds.upper)),
    }))
}

pub fn min_n_certify(input: &Value, _: &Value) -> Found {
    let (errors, max_error) = (whole(input, "errors"), float(input, "max_error"));
    let alpha = 1.0 - float(input, "confidence");
    let n = proportion::smallest_certifying_n(errors, max_error, alpha).map_err(|absence| format!("{absence:?}"))?;
    let bound = |n: u64| or_null(proportion::exact_bounds(errors, n, alpha).map(|bounds| bounds.upper));
    Ok(json!({ "n": n, "bound_at_n": bound(n), "bound_at_n_minus_1": bound(n - 1) }))
}

pub fn binomial_tests(input: &Value, _: &Value) -> Found {
    let (k, n, p0) = (whole(input, "k"), whole(input, "n"), float(input, "p0"));
    let tails = binomial::binomial_tails(k, n, p0);
    Ok(json!({
        "two_sided": binomial::binomial_test(k, n, p0),
        "less": tails.less,
        "greater": tails.greater,
        "midp_less": tails.mid_less,
        "midp_greater": tails.mid_greater,
        "midp_two_sided": tails.mid_two_sided,
    }))
}

pub fn mcnemar(input: &Value, _: &Value) -> Found {
    let (b, c) = (whole(input, "b"), whole(input, "c"));
    let table = PairedTable { both: whole(input, "a"), first_only: b, second_only: c, neither: whole(input, "d") };
    let level = level(input);
    let test = binomial::mcnemar(b, c);
    let chi = mcnemar_chi_square(b, c);
    let odds = matched_odds_ratio(b, c, level);
    let tango = paired::tango_difference(table, level);
    Ok(json!({
        "n": table.n(),
        "discordant": test.b + test.c,
        "exact_p": test.p_exact,
        "midp": test.p_mid,
        "chi2": or_null(chi.map(|chi| chi.statistic)),
        // The family says 1 where the library says "no discordant pair".
        "chi2_p": chi.map_or(1.0, |chi| chi.p),
        "chi2_cc": or_null(chi.map(|chi| chi.corrected)),
        "chi2_cc_p": chi.map_or(1.0, |chi| chi.corrected_p),
        "diff": tango.as_ref().map_or(Value::Null, |estimate| number(estimate.point)),
        "newcombe10": limits(&paired::newcombe_paired_difference(table, level)),
        "tango": limits(&tango),
        "odds_ratio": or_null(odds.map(|odds| odds.ratio)),
        "odds_ratio_ci": odds.map_or(Value::Null, |odds| json!([number(odds.lower), number(odds.upper)])),
    }))
}

pub fn two_proportions(input: &Value, _: &Value) -> Found {
    let [x1, n1, x2, n2] = ["x1", "n1", "x2", "n2"].map(|field| whole(input, field));
    let level = level(input);
    let difference = proportion::newcombe_difference(x1, n1, x2, n2, level);
    let odds = two_proportions::haldane_log_odds_ratio(x1, n1, x2, n2, level);
    let z = -special::normal_quantile(level.alpha() / 2.0);
    Ok(json!({
        "diff": difference.as_ref().map_or(Value::Null, |estimate| number(estimate.point)),
        "newcombe": limits(&difference),
        "fisher_p": or_null(two_proportions::fisher_exact(x1, n1, x2, n2)),
        "z_p": or_null(two_proportions::pooled_z_test(x1, n1, x2, n2)),
        "log_or_haldane": odds.as_ref().map_or(Value::Null, |estimate| number(estimate.point)),
        "log_or_se": odds.as_ref().map_or(Value::Null, |estimate| number((estimate.upper - estimate.lower) / (2.0 * z))),
        "log_or_ci": limits(&odds),
    }))
}

pub fn multiple_comparisons(input: &Value, _: &Value) -> Found {
    let p = floats(&input["p"]);
    let adjusted = |how| adjust(&p, how).map_or(Value::Null, |values| json!(values));
    Ok(json!({
        "bonferroni": adjusted(Adjustment::Bonferroni),
        "holm": adjusted(Adjustment::Holm),
        "bh": adjusted(Adjustment::BenjaminiHochberg),
        "by": adjusted(Adjustment::BenjaminiYekutieli),
    }))
}

pub fn agreement(input: &Value, _: &Value) -> Found {
    let labels: Vec<&str> = input["labels"].as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect();
    let place = |name: &str| labels.iter().position(|label| *label == name);
    let coded = |field: &str| -> Vec<usize> {
        input[field].as_array().unwrap().iter().map(|label| place(label.as_str().unwrap()).unwrap()).collect()
    };
    let (gold, judge) = (coded("gold"), coded("judge"));
    let mut confusion = Confusion::new(labels.len());
    for (gold, judge) in gold.iter().zip(&judge) {
        confusion.record(*gold, *judge).unwrap();
    }
    let n = confusion.n() as f64;
    let half_credits = place("tie").map_or(2 * confusion.agreed(), |tie| confusion.half_credits(tie));
    let decided = place("A").zip(place("B")).map(|(a, b)| confusion.decided(a, b)).filter(|share| share.n > 0);
    let rows: Vec<Vec<Option<f64>>> =
        [&gold, &judge].map(|row| row.iter().map(|class| Some(*class as f64)).collect()).to_vec();
    let alpha = |metric| or_null(agreement::krippendorff_alpha(&rows, metric));
    let cells: Vec<&[u64]> = confusion.cells().chunks(labels.len()).collect();
    Ok(json!({
        "n": confusion.n(),
        "confusion": cells,
        "strict": or_null(confusion.observed()),
        "lenient": number(half_credits as f64 / (2.0 * n)),
        "decisive": decided.map_or(Value::Null, |share| number(share.k as f64 / share.n as f64)),
        "decisive_coverage": number(decided.map_or(0.0, |share| share.n as f64 / n)),
        "kappa": or_null(confusion.kappa()),
        "kappa_linear": or_null(confusion.weighted_kappa(Weights::Linear)),
        "kappa_quadratic": or_null(confusion.weighted_kappa(Weights::Quadratic)),
        "kappa_se": or_null(confusion.kappa_se()),
        "ac1": or_null(confusion.ac1()),
        "alpha_nominal": alpha(Metric::Nominal),
        "alpha_ordinal": alpha(Metric::Ordinal),
        "alpha_interval": alpha(Metric::Interval),
        "mcc": or_null(confusion.mcc().map(|mcc| mcc.value)),
        "macro_f1": or_null(confusion.macro_f1()),
        "balanced_accuracy": or_null(confusion.balanced_accuracy()),
    }))
}

pub fn krippendorff_alpha(input: &Value, _: &Value) -> Found {
    let rows: Vec<Vec<Option<f64>>> = input["ratings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_array().unwrap().iter().map(Value::as_f64).collect())
        .collect();
    let alpha = |metric| or_null(agreement::krippendorff_alpha(&rows, metric));
    Ok(json!({
        "nominal": alpha(Metric::Nominal),
        "ordinal": alpha(Metric::Ordinal),
        "interval": alpha(Metric::Interval),
    }))
}
