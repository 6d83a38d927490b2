//! A decision that can be shown at the door later: what was tried, on what, with which result, and until when it holds.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::calibration::{GoldSummary, Scorecard};
use super::gate::{Decision, GateRules};
use crate::domain::{Digest, Fingerprint};

/// Format of the file; other versions are refused.
pub const FORMAT: u32 = 1;

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
    pub decision: String,
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

/// When a certificate is written and when it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validity {
    /// UTC, RFC 3339.
    pub date: String,
    /// UTC, RFC 3339.
    pub expires: String,
}

/// The certificate of one judge; `None` for a judge that was not on trial.
pub fn certify(
    judge: &Scorecard,
    gold: &GoldSummary,
    rules: &GateRules,
    prompt_digest: Option<Digest>,
    validity: Validity,
) -> Option<Certificate> {
    let gate = judge.gate.as_ref()?;
    Some(Certificate {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        decision: gate.decision.as_str().to_owned(),
        judge: judge.name.to_string(),
        fingerprint: judge.fingerprint.clone(),
        served_model: judge.model.clone(),
        prompt_digest,
        gold: gold.name.clone(),
        gold_digest: gold.digest,
        rules_digest: rules_digest(rules),
        languages: gold.languages.clone(),
        categories: gold.categories.clone(),
        date: validity.date,
        expires: validity.expires,
        figures: serde_json::to_value(&judge.figures).ok()?,
        gate: serde_json::to_value(gate).ok()?,
    })
}

/// Digest of the gate's rules: a pass under other rules is another decision.
pub fn rules_digest(rules: &GateRules) -> Digest {
    Digest::of(format!("{rules:?}").as_bytes())
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

/// True for `2026-01-31T00:00:00Z`: only in this form do texts compare as times.
fn is_time(text: &str) -> bool {
    let form = b"0000-00-00T00:00:00Z";
    text.len() == form.len()
        && text
            .bytes()
            .zip(form)
            .all(|(found, wanted)| if *wanted == b'0' { found.is_ascii_digit() } else { found == *wanted })
}

impl Certificate {
    /// The file's name: the judge's name in plain letters and the head of the fingerprint.
    pub fn file_name(&self) -> String {
        let slug: String =
            self.judge.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
        let slug = slug.trim_matches(['-', '.']).chars().take(60).collect::<String>();
        format!("{}-{}.json", if slug.is_empty() { "judge" } else { &slug }, self.fingerprint.short())
    }

    /// Why this certificate does not open the door for this visitor; empty where it does.
    pub fn objections(&self, visitor: Visitor<'_>) -> Vec<String> {
        let Visitor { fingerprint, rules, now } = visitor;
        let mut objections = Vec::new();
        if self.format != FORMAT {
            objections.push(format!("its format is {}, this version reads {FORMAT}", self.format));
        }
        if self.fingerprint != *fingerprint {
            objections.push("it is for another fingerprint: model, prompt or parameters have changed".to_owned());
        }
        if self.decision != Decision::Pass.as_str() {
            objections.push(format!("the decision was {}, only a pass opens the door", self.decision));
        }
        if self.rules_digest != rules {
            objections
                .push("it was given under other gate rules than those in force ([gate] in the settings)".to_owned());
        }
        if !is_time(&self.expires) {
            objections.push(format!("its expiry `{}` is no time", self.expires));
        } else if self.expires.as_str() <= now {
            objections.push(format!("it expired on {}", self.expires));
        }
        objections
    }

    /// What a reader has to know when it is used for items in these languages and categories.
    pub fn gaps(&self, languages: &[String], categories: &[String]) -> Vec<String> {
        let missing = |have: &[String], wanted: &[String], what: &str| {
            let lacking: Vec<&str> = wanted.iter().filter(|value| !have.contains(value)).map(String::as_str).collect();
            (!have.is_empty() && !lacking.is_empty())
                .then(|| format!("the certificate's gold set has no item of {what} {}", lacking.join(", ")))
        };
        missing(&self.languages, languages, "language")
            .into_iter()
            .chain(missing(&self.categories, categories, "category"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certificate() -> Certificate {
        Certificate {
            format: FORMAT,
            version: "0".to_owned(),
            decision: "pass".to_owned(),
            judge: "http://127.0.0.1/v1#日本 model".to_owned(),
            fingerprint: Fingerprint(Digest::of(b"x").to_string()),
            served_model: None,
            prompt_digest: None,
            gold: "core".to_owned(),
            gold_digest: Digest::of(b"g"),
            rules_digest: Digest::of(b"r"),
            languages: vec!["en".to_owned()],
            categories: Vec::new(),
            date: "2026-01-01T00:00:00Z".to_owned(),
            expires: "2026-01-31T00:00:00Z".to_owned(),
            figures: Value::Null,
            gate: Value::Null,
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
        let failed = Certificate { decision: "fail".to_owned(), ..certificate() };
        assert_eq!(failed.objections(at(&failed.fingerprint, "2026-01-02T00:00:00Z")).len(), 1);
    }

    #[test]
    fn other_rules_and_an_expiry_that_is_no_time_keep_the_door_shut() {
        let good = certificate();
        let now = "2026-01-02T00:00:00Z";
        let other = Visitor { fingerprint: &good.fingerprint, rules: Digest::of(b"lax"), now };
        assert_eq!(good.objections(other).len(), 1);
        let forever = Certificate { expires: "zzzz".to_owned(), ..certificate() };
        let visitor = Visitor { fingerprint: &forever.fingerprint, rules: Digest::of(b"r"), now };
        assert_eq!(forever.objections(visitor).len(), 1);
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
        assert!(gaps[0].contains("ja"));
    }
}
