//! The folder of certificates: written after every decision, looked into at the door.

use std::path::{Path, PathBuf};

use super::clock::Clock;
use super::exit::CliError;
use super::output::{Existing, probe, write_file};
use super::ui::Ui;
use crate::analysis::calibration::{GoldSummary, Scorecard};
use crate::analysis::certificate::{Certificate, DAYS_VALID, Validity, Visitor, certify};
use crate::analysis::compare::Tried;
use crate::analysis::gate::{Decision, GateRules};
use crate::domain::Digest;
use crate::judge::{Judge, JudgeKind};
use crate::report::inert_json;

/// Refuses before any call where the certificate could not be written after it.
pub(super) fn check(folder: &Path) -> Result<(), CliError> {
    if folder.exists() && !folder.is_dir() {
        return Err(CliError::usage(format!("{} is no folder to keep certificates in", folder.display()))
            .hint("choose another with --certificates"));
    }
    // The folder is made when there is something to keep; until then the place where it will be has to take files.
    let place = folder.ancestors().find(|place| place.is_dir()).unwrap_or(Path::new("."));
    probe(place).map_err(|error| {
        CliError::usage(format!("no certificate can be written in {}: {error}", folder.display()))
            .hint("choose another folder with --certificates")
    })
}

/// Where a certificate lies in its folder.
pub(super) fn path(folder: &Path, certificate: &Certificate) -> PathBuf {
    folder.join(certificate.file_name())
}

/// Writes a certificate, in place of an older one of the same name and fingerprint. Returns its path.
pub(super) fn write(folder: &Path, certificate: &Certificate, ui: Ui) -> Result<PathBuf, CliError> {
    std::fs::create_dir_all(folder).map_err(|error| {
        CliError::usage(format!("failed to make the folder {}: {error}", folder.display()))
            .hint("choose another with --certificates")
    })?;
    let path = self::path(folder, certificate);
    // Under another name too: the fingerprint is the judge, and its newest certificate is the one that counts.
    let readable = files(folder)?.into_iter().filter_map(|path| read(&path).ok());
    for old in readable.filter(|old| old.fingerprint == certificate.fingerprint) {
        let by = match (old.decision, certificate.decision) {
            (Decision::Pass, Decision::Fail | Decision::Inconclusive) => "is replaced by one that does not pass",
            (Decision::Fail, Decision::Pass) => "says FAIL and is replaced by one that passes",
            _ => continue,
        };
        ui.warn(format!(
            "the certificate of `{}` from {} (gold set {}) {by} (gold set {})",
            old.judge, old.date, old.gold, certificate.gold
        ));
    }
    let mut text = inert_json(&serde_json::to_string_pretty(certificate)?).into_owned();
    text.push('\n');
    write_file(&path, &text, Existing::Replace)?;
    Ok(path)
}

/// What was found at the door.
pub(super) enum Door {
    /// A valid certificate, and where it lies.
    Open(Box<Certificate>, PathBuf),
    /// None.
    Shut(Shut),
}

/// Why the door is shut.
pub(super) struct Shut {
    /// One reason for each certificate that was close.
    pub reasons: Vec<String>,
    /// The newest trial of this very judge, where it did not pass.
    pub tried: Option<Tried>,
    /// What the newest of the certificates that were close was given on.
    pub labels: LabelFiles,
}

/// The files of a trial, as they were named then.
#[derive(Debug, Clone, Default)]
pub(super) struct LabelFiles {
    pub gold: Option<String>,
    pub labels: Option<String>,
}

/// Looks for a certificate that opens the door for this visitor.
pub(super) fn find(folder: &Path, visitor: Visitor<'_>, name: &str, ui: Ui) -> Result<Door, CliError> {
    let mut reasons = Vec::new();
    let mut found = Vec::new();
    for path in files(folder)? {
        match read(&path) {
            Ok(certificate) => found.push((path, certificate)),
            Err(problem) => ui.warn(format!("{}: {problem}; it is passed over", path.display())),
        }
    }
    let newest = found
        .iter()
        .map(|(_, certificate)| certificate)
        .filter(|certificate| certificate.fingerprint == *visitor.fingerprint && certificate.is_dated())
        .map(|certificate| certificate.date.clone())
        .max()
        .unwrap_or_default();
    let is_of_the_newest = |certificate: &Certificate| {
        certificate.fingerprint == *visitor.fingerprint && certificate.is_dated() && certificate.date == newest
    };
    let tried = found
        .iter()
        .map(|(_, certificate)| certificate)
        .filter(|certificate| is_of_the_newest(certificate))
        .find_map(Certificate::not_passed);
    let mut labels = LabelFiles::default();
    found.sort_by(|(_, one), (_, other)| one.date.cmp(&other.date));
    for (path, certificate) in found {
        let mut objections = certificate.objections(visitor);
        if certificate.fingerprint == *visitor.fingerprint && certificate.date < newest {
            objections.push(format!("a newer one for the same judge is from {newest}"));
        }
        // Which of them came last cannot be told, and a door that may have been shut is.
        if let Some(tried) =
            tried.as_ref().filter(|_| is_of_the_newest(&certificate) && certificate.decision == Decision::Pass)
        {
            let decision = tried.decision.as_str();
            objections.push(format!("another one for the same judge of the same second says {decision}"));
        }
        if objections.is_empty() {
            return Ok(Door::Open(Box::new(certificate), path));
        }
        if certificate.fingerprint == *visitor.fingerprint || certificate.judge == name {
            reasons.push(format!("{}: {}", path.display(), objections.join("; ")));
            labels = LabelFiles { gold: certificate.gold_file, labels: certificate.labels_file };
        }
    }
    if reasons.is_empty() {
        reasons.push(format!("no certificate in {} is for judge `{name}`", folder.display()));
    }
    Ok(Door::Shut(Shut { reasons, tried, labels }))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(folder)
        .map_err(|error| CliError::usage(format!("failed to read the folder {}: {error}", folder.display())))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        // A pipe or a device of such a name would never come to an end.
        .filter(|path| path.is_file())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')))
        .collect();
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<Certificate, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| format!("no certificate of this version ({error})"))
}

/// Every judge on trial gets one, whatever the decision; control judges need none.
pub(super) fn issue(
    card: &Scorecard,
    gold: &GoldSummary,
    rules: &GateRules,
    judges: &[Judge],
    clock: Clock,
) -> Result<Option<Certificate>, CliError> {
    let judge = judges.iter().find(|judge| *judge.name() == card.name);
    // A recording may say that its judge is a control; no door opens for that name either.
    if judge.is_some_and(|judge| judge.kind() == JudgeKind::Control) || card.name.as_str().starts_with("control:") {
        return Ok(None);
    }
    let prompt: Option<Digest> = judge.and_then(Judge::prompt_digest);
    let validity = Validity { date: clock.now(), expires: clock.in_days(DAYS_VALID) };
    Ok(certify(card, gold, rules, prompt, validity)?)
}
