//! What a comparison needs: the evidence, recorded, asked for or generated, and a judge whose certificate opens the door.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::args::CompareArgs;
use super::asking::{Asking, Reach};
use super::certificates::{self, Door, LabelFiles, Shut};
use super::clock::Clock;
use super::evidence::{self, Evidence};
use super::exit::CliError;
use super::generating::Generating;
use super::judges::Bench;
use super::judging::Judging;
use super::ledger::Origin;
use super::settings::{Settings, quoted};
use super::stopping;
use super::ui::Ui;
use crate::analysis::certificate::{Certificate, Served, Visitor, rules_digest};
use crate::analysis::compare::{Banner, Tried};
use crate::analysis::correction::JudgeAccuracy;
use crate::analysis::gate::Decision;
use crate::analysis::warning::Warning;
use crate::data::{PairOptions, Source};
use crate::domain::{Digest, Fingerprint, GoldSet, ItemFacts, JudgeName, Judgment, RunKind, SystemName};
use crate::judge::{Judge, JudgeKind, ServedPolicy};
use crate::runner::Spent;

/// Where certificates are looked for unless told otherwise, as in the flags.
const DEFAULT_CERTIFICATES: &str = "certificates";

/// What the certificate's folder had to say.
#[derive(Default)]
pub(super) struct Passed {
    pub certificate: Option<String>,
    /// The certificate, where it matters which model answers.
    held: Option<Certificate>,
    pub banner: Option<Banner>,
    /// The trial that the judge did not pass.
    pub tried: Option<Tried>,
    /// Its record of the judge.
    pub accuracy: Option<JudgeAccuracy>,
    /// The highest flip rate that its gate allows.
    pub most_flips: Option<f64>,
    pub warnings: Vec<Warning>,
}

impl Passed {
    /// After the answers are in: whose they are, as far as the server told.
    pub fn met(mut self, judgments: &[Judgment], judge: &JudgeName) -> Self {
        let Some(certificate) = self.held.take() else { return self };
        let own = judgments.iter().filter(|judgment| judgment.judge == *judge);
        let answered: BTreeSet<&str> =
            own.filter_map(|judgment| judgment.detail.as_ref()?.served_model.as_deref()).collect();
        match certificate.served(&answered) {
            Served::Fits => {}
            Served::Unknown(warning) => self.warnings.push(warning),
            // A run that asks ends before this; recorded verdicts are shown without the certificate.
            Served::Other(warning) => {
                return Self { banner: Some(Banner::Recorded), warnings: vec![warning], ..Self::default() };
            }
        }
        self
    }
}

/// Where a comparison is held.
pub(super) struct Court<'a> {
    pub args: &'a CompareArgs,
    pub settings: &'a Settings,
    pub origin: Origin<'a>,
    pub clock: Clock,
    pub ui: Ui,
}

impl Court<'_> {
    /// The evidence, the judge and what its certificate says; `None` after a dry run.
    pub fn gather(&self) -> Result<Option<(Evidence, JudgeName, Passed)>, CliError> {
        if let Some(verdicts) = &self.args.verdicts {
            return self.recorded(verdicts).map(Some);
        }
        let args = self.args;
        let options = evidence::pair_options(&args.statistics);
        let Some(name) = args.judge.clone() else {
            return Err(
                CliError::usage("no judge is named").hint("add --judge JUDGE, such as one that `calibrate` passed")
            );
        };
        let mut spent = Spent::default();
        let mut evidence = match (&args.a, &args.b, &args.pairs, &args.items) {
            (Some(a), Some(b), ..) => evidence::responses(a, b, &options, self.ui)?,
            (_, _, Some(pairs), _) => {
                evidence::pairs(&evidence::read(pairs, self.ui)?, "pairs", None, &options, self.ui)?
            }
            (.., Some(items)) => {
                self.admits(&name)?;
                let Some(generated) = self.generated(items, &options)? else { return Ok(None) };
                spent = generated.1;
                generated.0
            }
            _ => {
                return Err(CliError::usage("there is nothing to compare")
                    .hint("give --a FILE --b FILE, or --pairs FILE, or --prompt-a FILE --prompt-b FILE --model MODEL --items FILE, or --verdicts FILE"));
            }
        };
        let mut bench = Bench::new(self.settings, &args.ask, &evidence.pairs);
        let judges = bench.seat(&[name], self.ui)?;
        let inputs = bench.inputs;
        evidence.inputs.extend(inputs);
        let judge = &judges[0];
        // The door comes before the first call, so that a refusal costs nothing.
        let passed = if judge.kind() == JudgeKind::Control {
            Passed { banner: Some(Banner::Control), ..Passed::default() }
        } else {
            let passed = self.door(judge.fingerprint(), judge.name(), &evidence.gold)?;
            let held = passed.held.filter(|_| judge.served_policy() == ServedPolicy::Same);
            Passed { held, ..passed }
        };
        let served = passed.held.as_ref().and_then(|certificate| certificate.served_model.clone());
        let asking = Asking {
            calls: &args.ask.calls,
            settings: self.settings,
            clock: self.clock,
            origin: self.origin,
            served: served.map(|model| (judge.name().clone(), model)).into_iter().collect::<BTreeMap<_, _>>(),
            reach: Reach::Endpoints,
            spent,
            ui: self.ui,
        };
        let judging = Judging { asking, ask: &args.ask, force: args.output.force };
        if let Some(rule) = stopping::rule(args)? {
            let Some(asked) = stopping::ask(&judging, judge, &evidence, rule, args.statistics.seed)? else {
                return Ok(None);
            };
            evidence.planned = Some(asked.planned);
            (evidence.judgments, evidence.recording) = (asked.judged.judgments, asked.judged.recording);
        } else {
            let Some(judged) = judging.ask(&judges, &evidence.pairs)? else { return Ok(None) };
            (evidence.judgments, evidence.recording) = (judged.judgments, judged.recording);
        }
        Ok(Some((evidence, Judge::name(judge).clone(), passed)))
    }

    /// Refuses a judge without a certificate before responses are paid for that it could not compare.
    fn admits(&self, name: &str) -> Result<(), CliError> {
        let judges = Bench::new(self.settings, &self.args.ask, &[]).seat(&[name.to_owned()], Ui::silent())?;
        let judge = &judges[0];
        if judge.kind() != JudgeKind::Control {
            self.door(judge.fingerprint(), judge.name(), &GoldSet::new("", Digest::of(b""), Vec::new()))?;
        }
        Ok(())
    }

    /// Both sides, from one model and two prompt versions; `None` after a dry run.
    fn generated(&self, items: &str, options: &PairOptions) -> Result<Option<(Evidence, Spent)>, CliError> {
        let args = self.args;
        let calls = &args.ask.calls;
        let origin = Origin { kind: RunKind::Generate, ..self.origin };
        let generating = Generating { calls, settings: self.settings, origin, clock: self.clock, ui: self.ui };
        let items = evidence::items(items, self.ui)?;
        let mut inputs = Vec::new();
        let mut system = |prompt: &Option<String>| {
            let model = args.model.as_deref().unwrap_or_default();
            generating.system(model, prompt.as_deref(), &mut inputs)
        };
        let systems = [system(&args.prompt_a)?, system(&args.prompt_b)?];
        if systems[0].fingerprint() == systems[1].fingerprint() {
            return Err(CliError::usage("both prompt versions are the same text: there is nothing to compare")
                .hint("give two different files with --prompt-a and --prompt-b"));
        }
        let (repeats, judged) = (u64::from(args.ask.repeats), items.len() as u64);
        self.ui.note(format!(
            "the judge comes on top of what follows: up to {} calls, whose cost is known when the responses are there",
            2 * repeats * judged
        ));
        let Some((sides, spent)) = generating.generate(&systems, &items)? else { return Ok(None) };
        let source = |side: usize| {
            let name = format!("responses of {}", systems[side].prompt().name());
            Source::from_bytes(&name, sides[side].lines.as_bytes())
        };
        let mut evidence = evidence::joined(&source(0)?, &source(1)?, options, self.ui)?;
        evidence.inputs.extend(inputs);
        Ok(Some((evidence, spent)))
    }

    /// Recorded verdicts cost nothing: without a certificate they carry the banner and go on.
    fn recorded(&self, verdicts: &str) -> Result<(Evidence, JudgeName, Passed), CliError> {
        let evidence =
            evidence::verdicts(verdicts, None, None, &evidence::pair_options(&self.args.statistics), self.ui)?;
        let judges: BTreeSet<&JudgeName> = evidence.judgments.iter().map(|judgment| &judgment.judge).collect();
        let listed = judges.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        let judge = match (&self.args.judge, judges.len()) {
            (Some(name), _) if judges.iter().any(|judge| judge.as_str() == name) => JudgeName::from(name.as_str()),
            (None, 1) => (*judges.iter().next().expect("there is one")).clone(),
            (Some(name), _) => {
                return Err(CliError::usage(format!("{verdicts} holds no verdict of `{name}`"))
                    .hint(format!("it has: {listed}")));
            }
            (None, _) => {
                return Err(CliError::usage(format!("{verdicts} holds several judges"))
                    .hint(format!("choose one with --judge: {listed}")));
            }
        };
        let mut own = evidence.judgments.iter().filter(|judgment| judgment.judge == judge);
        let fingerprint = own
            .find_map(|judgment| judgment.detail.as_ref()?.fingerprint.clone())
            .unwrap_or_else(|| Fingerprint::recorded(judge.as_str()));
        let passed = match self.knock(&fingerprint, judge.as_str())? {
            Door::Open(certificate, path) => open(*certificate, &path, &evidence.gold),
            Door::Shut(shut) => Passed { banner: Some(Banner::Recorded), tried: shut.tried, ..Passed::default() },
        };
        Ok((evidence, judge, passed))
    }

    /// The command that tries this judge on these files, with every flag that makes it this judge.
    pub(super) fn calibration(&self, labels: LabelFiles) -> String {
        let ask = &self.args.ask;
        let path = |path: &Path| path.display().to_string();
        let flags = [
            ("--judge", self.args.judge.clone()),
            ("--config", ask.calls.config.as_deref().map(path)),
            ("--prompt", ask.prompt.clone()),
            ("--gold", labels.gold),
            ("--labels", labels.labels),
            (
                "--certificates",
                Some(path(&self.args.door.certificates)).filter(|folder| folder != DEFAULT_CERTIFICATES),
            ),
        ];
        let flags = flags.into_iter().filter_map(|(flag, value)| Some([flag.to_owned(), value?])).flatten();
        let words: Vec<String> = ["tribunal".to_owned(), "calibrate".to_owned()].into_iter().chain(flags).collect();
        quoted(words.iter().map(String::as_str))
    }

    /// The way on. What was tried and failed fails again on the same labels, so a trial is no way on there.
    fn hint(&self, shut: &Shut) -> String {
        let go_on = "or go on with --uncalibrated and a banner on every output";
        let Some(tried) = &shut.tried else {
            return format!("get one with `{}`, {go_on}", self.calibration(shut.labels.clone()));
        };
        let wanted = match tried.decision {
            Decision::Fail => "take another prompt or model, or labels of another kind of items",
            Decision::Pass | Decision::Inconclusive => "add labels, or take another prompt or model",
        };
        let labels = LabelFiles { gold: tried.gold_file.clone(), labels: tried.labels_file.clone() };
        format!("this judge {}: {wanted}, and try that with `{}`, {go_on}", not_passed(tried), self.calibration(labels))
    }

    /// Looks for a certificate under the rules in force.
    fn knock(&self, fingerprint: &Fingerprint, name: &str) -> Result<Door, CliError> {
        let visitor = Visitor { fingerprint, rules: rules_digest(&self.settings.gate()?)?, now: &self.clock.now() };
        certificates::find(&self.args.door.certificates, visitor, name, self.ui)
    }

    fn door(&self, fingerprint: &Fingerprint, name: &JudgeName, gold: &GoldSet) -> Result<Passed, CliError> {
        match self.knock(fingerprint, name.as_str())? {
            Door::Open(certificate, path) => Ok(open(*certificate, &path, gold)),
            Door::Shut(shut) if self.args.uncalibrated => {
                Ok(Passed { banner: Some(Banner::Uncalibrated), tried: shut.tried, ..Passed::default() })
            }
            // It spends nothing, and who weighs the cost may be about to calibrate.
            Door::Shut(shut) if self.args.ask.calls.dry_run => {
                self.ui.note(format!(
                    "judge `{name}` has no valid certificate yet, and is refused without one: {}",
                    self.hint(&shut)
                ));
                Ok(Passed::default())
            }
            Door::Shut(shut) => Err(CliError::refused(format!(
                "judge `{name}` has no valid certificate, so its verdicts decide nothing\n{}",
                shut.reasons.iter().map(|reason| format!("  - {reason}")).collect::<Vec<_>>().join("\n")
            ))
            .hint(self.hint(&shut))),
        }
    }
}

/// That a judge was tried, on what, and what it did not pass.
pub(super) fn not_passed(tried: &Tried) -> String {
    let how = if tried.decision == Decision::Fail { "failed" } else { "was left undecided" };
    format!("{how} on gold set {} ({}): {}", tried.gold, tried.date, tried.criteria.join(", "))
}

fn open(certificate: Certificate, path: &Path, gold: &GoldSet) -> Passed {
    let values = |field: fn(&ItemFacts) -> Option<&String>| {
        let set: BTreeSet<String> = gold.items.iter().filter_map(field).cloned().collect();
        set.into_iter().collect::<Vec<_>>()
    };
    let warnings = certificate.gaps(&values(|item| item.lang.as_ref()), &values(|item| item.category.as_ref()));
    Passed {
        certificate: Some(path.display().to_string()),
        accuracy: certificate.accuracy(),
        most_flips: certificate.most_flips(),
        held: Some(certificate),
        banner: None,
        tried: None,
        warnings,
    }
}

/// The names of the sides: as given, else the one model of the side, else the files' names.
pub(super) fn names(args: &CompareArgs, gold: &GoldSet) -> (String, String) {
    let one = |of: fn(&ItemFacts) -> Option<&SystemName>| {
        let mut names: BTreeSet<&SystemName> = gold.items.iter().filter_map(of).collect();
        let first = names.pop_first()?;
        names.is_empty().then(|| first.to_string())
    };
    let file = |path: &Option<String>| path.as_deref().map(evidence::name_of);
    let a = args
        .name_a
        .clone()
        .or_else(|| one(|item| item.model_a.as_ref()))
        .or_else(|| file(&args.a))
        .unwrap_or_else(|| "a".to_owned());
    let b = args
        .name_b
        .clone()
        .or_else(|| one(|item| item.model_b.as_ref()))
        .or_else(|| file(&args.b))
        .unwrap_or_else(|| "b".to_owned());
    if a == b { (format!("{a} (a)"), format!("{b} (b)")) } else { (a, b) }
}
