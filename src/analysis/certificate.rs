//! A decision that can be shown at the door later: what was tried, on what, with which result, and until when it holds.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::calibration::{GoldSummary, Scorecard};
use super::compare::Tried;
use super::correction::JudgeAccuracy;
use super::gate::{Decision, GateRules};
use super::warning::Warning;
use crate::domain::{Digest, Fingerprint};
use crate::stats::Estimate;
use crate::stats::correction::WorthShare;

/// Format of the file; other versions are refused. 2: the digest of the rules is that of their serialized form.
pub const FORMAT: u32 = 2;

/// How long a certificate holds.
pub const DAYS_VALID: i64 = 30;

/// A calibration's result for one judge, as kept in `certificates/<slug>-<fingerprint8>.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Format version.
    pub format: u32,
    /// Version of the tool that wrote it.
    pub version: String,
    /// The decision: only `pass` opens the door.
    pub decision: Decision,
    /// The judge's name when it was tried.
    pub judge: String,
    /// What was tried.
    pub fingerprint: Fingerprint,
    /// The model that the server said it served, where it said so.
    pub served_model: Option<String>,
    /// Digest of the judge prompt, where there was one.
    pub prompt_digest: Option<Digest>,
    /// The gold set's name.
    pub gold: String,
    /// The file of gold pairs as it was named; `None` for the set that ships and for standard input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold_file: Option<String>,
    /// The file of labels beside it, as it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels_file: Option<String>,
    /// The gold set's digest.
    pub gold_digest: Digest,
    /// Digest of the gate's rules.
    pub rules_digest: Digest,
    /// Languages of the gold set.
    pub languages: Vec<String>,
    /// Categories of the gold set.
    pub categories: Vec<String>,
    /// When it was tried: UTC, RFC 3339.
    pub date: String,
    /// From when on it no longer holds.
    pub expires: String,
    /// The figures, as in the JSON report.
    pub figures: Value,
    /// The gate, as in the JSON report.
    pub gate: Value,
}

/// How the models that answered fit the certificate.
#[derive(Debug, Clone, PartialEq)]
pub enum Served {
    /// They are the one on trial, or no server ever named one.
    Fits,
    /// One of both sides is not named.
    Unknown(Warning),
    /// They are others: the certificate does not count.
    Other(Warning),
}

/// When a certificate is written and when it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validity {
    /// UTC, RFC 3339.
    pub date: String,
    /// UTC, RFC 3339.
    pub expires: String,
}

/// The certificate of one judge; `None` for a judge that was not on trial. Fails where its figures or rules cannot be written down.
pub fn certify(
    judge: &Scorecard,
    gold: &GoldSummary,
    rules: &GateRules,
    prompt_digest: Option<Digest>,
    validity: Validity,
) -> Result<Option<Certificate>, serde_json::Error> {
    let Some(gate) = &judge.gate else { return Ok(None) };
    Ok(Some(Certificate {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        decision: gate.decision,
        judge: judge.name.to_string(),
        fingerprint: judge.fingerprint.clone(),
        served_model: judge.model.clone(),
        prompt_digest,
        gold: gold.name.clone(),
        gold_file: None,
        labels_file: None,
        gold_digest: gold.digest,
        rules_digest: rules_digest(rules)?,
        languages: gold.languages.clone(),
        categories: gold.categories.clone(),
        date: validity.date,
        expires: validity.expires,
        figures: serde_json::to_value(&judge.figures)?,
        gate: serde_json::to_value(gate)?,
    }))
}

/// Digest of the gate's rules: a pass under other rules is another decision.
pub fn rules_digest(rules: &GateRules) -> Result<Digest, serde_json::Error> {
    Ok(Digest::of(&serde_json::to_vec(rules)?))
}

/// What stands at the door.
#[derive(Debug, Clone, Copy)]
pub struct Visitor<'a> {
    /// The judge's fingerprint.
    pub fingerprint: &'a Fingerprint,
    /// Digest of the rules in force.
    pub rules: Digest,
    /// Now: UTC, RFC 3339, as [`Validity`] writes it.
    pub now: &'a str,
}

/// True for a time as `2026-01-31T00:00:00Z`: only in this form do texts compare as times.
fn is_time(text: &str) -> bool {
    // Its own form again is what shows that nothing of it was read leniently, such as a second 60.
    text.len() == "0000-00-00T00:00:00Z".len() && text.parse::<Timestamp>().is_ok_and(|time| time.to_string() == text)
}

impl Certificate {
    /// The file's name: the judge's name in plain letters and the head of the fingerprint.
    pub fn file_name(&self) -> String {
        let slug: String =
            self.judge.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
        let slug = slug.trim_matches(['-', '.']).chars().take(60).collect::<String>();
        format!("{}-{}.json", if slug.is_empty() { "judge" } else { &slug }, self.fingerprint.short())
    }

    /// True where its date and format are such that certificates can be put in order.
    pub fn is_dated(&self) -> bool {
        self.format == FORMAT && is_time(&self.date)
    }

    /// Why this certificate does not open the door for this visitor; empty where it does.
    pub fn objections(&self, visitor: Visitor<'_>) -> Vec<String> {
        let Visitor { fingerprint, rules, now } = visitor;
        if self.format != FORMAT {
            // What the rest of it means is not known.
            return vec![format!(
                "its format is {}, this version reads {FORMAT}: calibrate the judge anew",
                self.format
            )];
        }
        let mut objections = Vec::new();
        if self.fingerprint != *fingerprint {
            objections.push("it is for another fingerprint: model, prompt or parameters have changed".to_owned());
        }
        if self.decision != Decision::Pass {
            objections.push(format!("the decision was {}, only a pass opens the door", self.decision.as_str()));
        }
        if self.decision == Decision::Pass && !self.gate_agrees() {
            objections.push("its criteria are not those of a pass: the file was changed by hand".to_owned());
        }
        if self.rules_digest != rules {
            objections
                .push("it was given under other gate rules than those in force ([gate] in the settings)".to_owned());
        }
        if !is_time(&self.date) {
            objections.push(format!("its date `{}` is no time", self.date));
        }
        if !is_time(&self.expires) {
            objections.push(format!("its expiry `{}` is no time", self.expires));
        } else if self.expires.as_str() <= now {
            objections.push(format!("it expired on {}", self.expires));
        }
        objections
    }

    /// Whether the criteria are there and all passed, as they do where the decision is a pass.
    fn gate_agrees(&self) -> bool {
        let criteria = self.gate.get("criteria").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        !criteria.is_empty() && criteria.iter().all(|criterion| criterion["decision"] == Decision::Pass.as_str())
    }

    /// The trial, where this judge did not pass it.
    pub fn not_passed(&self) -> Option<Tried> {
        if self.decision == Decision::Pass {
            return None;
        }
        let criteria = self.gate.get("criteria").and_then(Value::as_array).into_iter().flatten();
        let named = criteria.filter(|criterion| criterion["decision"] == self.decision.as_str());
        Some(Tried {
            decision: self.decision,
            criteria: named.filter_map(|criterion| criterion["name"].as_str().map(str::to_owned)).collect(),
            gold: self.gold.clone(),
            gold_file: self.gold_file.clone(),
            labels_file: self.labels_file.clone(),
            date: self.date.clone(),
        })
    }

    /// What a reader has to know when it is used for items in these languages and categories.
    pub fn gaps(&self, languages: &[String], categories: &[String]) -> Vec<Warning> {
        let missing = |have: &[String], wanted: &[String], gap: fn(Vec<String>) -> Warning| {
            let lacking: Vec<String> = wanted.iter().filter(|value| !have.contains(value)).cloned().collect();
            (!have.is_empty() && !lacking.is_empty()).then(|| gap(lacking))
        };
        missing(&self.languages, languages, Warning::LanguageGap)
            .into_iter()
            .chain(missing(&self.categories, categories, Warning::CategoryGap))
            .collect()
    }

    /// The judge's record on decided gold items: that of the gate, which is over groups where there were any, else of the
    /// figures. `None` where neither has it.
    pub fn accuracy(&self) -> Option<JudgeAccuracy> {
        const NAME: &str = "agreement_decisive";
        let criteria = self.gate.get("criteria").and_then(Value::as_array).into_iter().flatten();
        let judged = criteria.filter(|criterion| criterion["name"] == NAME).map(|criterion| &criterion["figure"]);
        judged.chain(self.figures.get(NAME)).find_map(|figure| {
            let [point, lower, upper, level] = ["point", "lower", "upper", "level"].map(|name| figure[name].as_f64());
            let (k, n) = figure["k"].as_u64().zip(figure["n"].as_u64()).filter(|(k, n)| k <= n && *n > 0)?;
            let shown = Estimate::within(point?, [lower?, upper?], level?, n, "certificate");
            let worth = WorthShare::of(&shown).worth;
            (worth > 0.0).then(|| JudgeAccuracy { k, n, worth, gold: self.gold.clone(), date: self.date.clone() })
        })
    }

    /// The highest flip rate that its gate allows; `None` where the gate says nothing of it.
    pub fn most_flips(&self) -> Option<f64> {
        let criteria = self.gate.get("criteria").and_then(Value::as_array).into_iter().flatten();
        criteria.filter(|criterion| criterion["name"] == "flip_rate").find_map(|found| found["limit"]["max"].as_f64())
    }

    /// How the models that answered (as the server named them, if it did) fit the one on trial.
    pub fn served(&self, answered: &BTreeSet<&str>) -> Served {
        let listed = || answered.iter().map(|model| (*model).to_owned()).collect();
        match &self.served_model {
            None if answered.is_empty() => Served::Fits,
            None => Served::Unknown(Warning::ModelUnknownAtTrial(listed())),
            Some(wanted) if answered.is_empty() => Served::Unknown(Warning::ModelUnknownNow(wanted.clone())),
            Some(wanted) if answered.iter().all(|model| model == wanted) => Served::Fits,
            Some(wanted) => Served::Other(Warning::OtherModel { wanted: wanted.clone(), served: listed() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certificate() -> Certificate {
        Certificate {
            format: FORMAT,
            version: "0".to_owned(),
            decision: Decision::Pass,
            judge: "http://127.0.0.1/v1#日本 model".to_owned(),
            fingerprint: Fingerprint(Digest::of(b"x").to_string()),
            served_model: None,
            prompt_digest: None,
            gold: "core".to_owned(),
            gold_file: None,
            labels_file: None,
            gold_digest: Digest::of(b"g"),
            rules_digest: Digest::of(b"r"),
            languages: vec!["en".to_owned()],
            categories: Vec::new(),
            date: "2026-01-01T00:00:00Z".to_owned(),
            expires: "2026-01-31T00:00:00Z".to_owned(),
            figures: Value::Null,
            gate: serde_json::json!({"criteria": [{"name": "flip_rate", "decision": "pass"}]}),
        }
    }

    #[test]
    fn only_an_unexpired_pass_of_the_same_fingerprint_opens_the_door() {
        let good = certificate();
        let other = Fingerprint("other".to_owned());
        let at = |fingerprint, now| Visitor { fingerprint, rules: Digest::of(b"r"), now };
        assert!(good.objections(at(&good.fingerprint, "2026-01-30T23:59:59Z")).is_empty());
        assert_eq!(good.objections(at(&good.fingerprint, "2026-01-31T00:00:00Z")).len(), 1);
        assert_eq!(good.objections(at(&other, "2026-01-02T00:00:00Z")).len(), 1);
        let failed = Certificate { decision: Decision::Fail, ..certificate() };
        assert_eq!(failed.objections(at(&failed.fingerprint, "2026-01-02T00:00:00Z")).len(), 1);
    }

    #[test]
    fn other_rules_criteria_that_did_not_pass_and_an_expiry_that_is_no_time_keep_the_door_shut() {
        let good = certificate();
        let now = "2026-01-02T00:00:00Z";
        let other = Visitor { fingerprint: &good.fingerprint, rules: Digest::of(b"lax"), now };
        assert_eq!(good.objections(other).len(), 1);
        for gate in [
            Value::Null,
            serde_json::json!({"criteria": []}),
            serde_json::json!({"criteria": [{"name": "flip_rate", "decision": "fail"}]}),
        ] {
            let changed = Certificate { gate, ..certificate() };
            let visitor = Visitor { fingerprint: &changed.fingerprint, rules: Digest::of(b"r"), now };
            let objections = changed.objections(visitor);
            assert!(objections.len() == 1 && objections[0].contains("by hand"), "{objections:?}");
        }
        let forever = Certificate { expires: "zzzz".to_owned(), ..certificate() };
        let visitor = Visitor { fingerprint: &forever.fingerprint, rules: Digest::of(b"r"), now };
        assert_eq!(forever.objections(visitor).len(), 1);
        // Nor can one without a date be the newest.
        let undated = Certificate { date: "x".to_owned(), ..certificate() };
        assert_eq!(undated.objections(visitor), ["its date `x` is no time"]);
    }

    #[test]
    fn a_time_is_one_of_the_calendar_in_utc_to_the_second() {
        assert!(is_time("2028-02-29T23:59:59Z"));
        for text in [
            "",
            "x",
            "2026-99-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00z",
            "2026-01-01T00:00:00.0Z",
            "2026-01-01T00:00+00:00",
            "-000001-01-01T00:00Z",
        ] {
            assert!(!is_time(text), "{text}");
        }
    }

    #[test]
    fn an_older_format_is_refused_with_that_reason_alone() {
        let old = Certificate { format: 1, decision: Decision::Fail, ..certificate() };
        let visitor = Visitor { fingerprint: &old.fingerprint, rules: Digest::of(b"lax"), now: "2026-01-02T00:00:00Z" };
        let objections = old.objections(visitor);
        assert!(objections.len() == 1 && objections[0].contains("its format is 1"), "{objections:?}");
    }

    #[test]
    fn the_digest_of_the_rules_is_that_of_their_serialized_form_and_moves_with_every_limit() {
        let rules = GateRules::default();
        let plain = rules_digest(&rules).expect("rules are plain data");
        assert_eq!(plain, Digest::of(serde_json::to_string(&rules).expect("plain data").as_bytes()));
        let other = GateRules { min_labels: 21, ..rules };
        assert_ne!(plain, rules_digest(&other).expect("plain data"));
    }

    #[test]
    fn a_model_that_one_side_does_not_name_is_unknown_and_another_one_does_not_fit() {
        let silent = certificate();
        assert_eq!(silent.served(&BTreeSet::new()), Served::Fits);
        assert!(matches!(silent.served(&["m-1"].into()), Served::Unknown(Warning::ModelUnknownAtTrial(_))));
        let named = Certificate { served_model: Some("m-1".to_owned()), ..certificate() };
        assert_eq!(named.served(&["m-1"].into()), Served::Fits);
        assert!(matches!(named.served(&BTreeSet::new()), Served::Unknown(Warning::ModelUnknownNow(_))));
        assert!(matches!(named.served(&["m-1", "m-2"].into()), Served::Other(_)));
    }

    #[test]
    fn the_accuracy_is_that_of_the_gate_and_grouped_gold_is_worth_less() {
        let figure = |lower: f64| serde_json::json!({"point": 0.9, "lower": lower, "upper": 0.9448, "level": 0.95, "n": 100, "k": 90});
        let wilson = figure(0.825_6);
        let plain = Certificate { figures: serde_json::json!({"agreement_decisive": wilson}), ..certificate() };
        let accuracy = plain.accuracy().expect("the figures have it");
        assert!((accuracy.k, accuracy.n) == (90, 100) && accuracy.worth > 90.0, "{accuracy:?}");
        let gate = serde_json::json!({"criteria": [{"name": "agreement_decisive", "figure": figure(0.7)}]});
        let grouped = Certificate { gate, ..plain };
        let worth = grouped.accuracy().expect("the gate has it").worth;
        // z²·0.7·0.3/0.2²
        assert!((worth - 3.841_458_8 * 0.21 / 0.04).abs() < 1e-4, "{worth}");
        assert_eq!(certificate().accuracy(), None);
    }

    #[test]
    fn a_file_name_is_plain_letters() {
        let name = certificate().file_name();
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.'), "{name}");
    }

    #[test]
    fn a_language_that_the_gold_lacks_is_named_and_an_unlabelled_gold_names_nothing() {
        let gaps = certificate().gaps(&["en".to_owned(), "ja".to_owned()], &["code".to_owned()]);
        assert_eq!(gaps.len(), 1);
        assert_eq!(gaps[0], Warning::LanguageGap(vec!["ja".to_owned()]));
    }
}
