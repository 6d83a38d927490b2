//! Somebody sits down to label: who, what, where the labels go. Keys come in by lines or from a terminal.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::args::LabelArgs;
use super::draw;
use super::file::{LabelFile, Row};
use super::kept::{Draw, Kept, text_digest};
use super::session::{Counts, Effect, Key, Session, Task};
use crate::analysis::raters::{RatersAgreement, agree};
use crate::cli::clock::Clock;
use crate::cli::evidence;
use crate::cli::exit::CliError;
use crate::cli::output::is_same_file;
use crate::cli::ui::Ui;
use crate::data::{self, Disputed, Labels, PairOptions};
use crate::domain::{Annotator, ItemId, Pair, Preference};
use crate::report::visible_line;
use crate::stats::seed::Seed;

/// Everything that a key can touch.
pub(super) struct Sitting {
    pub pairs: Vec<Pair>,
    pub annotator: Annotator,
    session: Session,
    file: LabelFile,
    draw: Option<Draw>,
    clock: Clock,
    /// When the current pair was first shown, in milliseconds.
    since: i64,
    /// Everybody's labels by position of the pair; who is not named counts as one.
    labels: BTreeMap<Option<Annotator>, BTreeMap<usize, Preference>>,
}

impl Sitting {
    /// Opens both files and decides who labels which pairs.
    pub fn open(args: &LabelArgs, user: Option<&str>, clock: Clock, ui: Ui) -> Result<(Self, PathBuf), CliError> {
        let pairs = pairs_of(&args.file, ui)?;
        let path = args.out.clone().unwrap_or_else(|| beside(&args.file));
        check_other(&path, &args.file)?;
        let (mut file, kept) = LabelFile::open(&path)?;
        let ready = (|| {
            // Labels of other pairs are a slip, and so is a name that nobody chose where there are two people.
            // What the pairs say themselves is for the export: who labels learns nothing of it.
            let mut bare: Vec<Pair> = pairs.iter().map(|pair| Pair { gold: None, ..pair.clone() }).collect();
            data::apply_labels(&mut bare, &kept.labels, Disputed::Tie)?;
            kept.check_texts(&pairs)?;
            let annotator = who(args.annotator.as_deref(), user, &kept.labels)?;
            let draw = draw_of(args, &kept, &pairs, ui)?;
            file.mend(ui)?;
            Ok::<_, CliError>((annotator, draw))
        })();
        let (annotator, draw) = match ready {
            Ok(ready) => ready,
            Err(error) => {
                file.close();
                return Err(error);
            }
        };
        let seed = draw.map_or(args.seed, |draw| draw.seed);
        let wanted = drawn(&pairs, draw);
        let place: BTreeMap<&ItemId, usize> = pairs.iter().enumerate().map(|(at, pair)| (&pair.id, at)).collect();
        let mut labels: BTreeMap<Option<Annotator>, BTreeMap<usize, Preference>> = BTreeMap::new();
        for row in &kept.labels.rows {
            if let Some(at) = place.get(&row.id) {
                labels.entry(row.annotator.clone()).or_default().insert(*at, row.label);
            }
        }
        let newest = file.take_up(&kept, &annotator, |id| place.get(id).is_some_and(|at| wanted.contains(at)));
        let newest: Vec<usize> = newest.iter().filter_map(|id| place.get(id).copied()).collect();
        let labelled =
            labels.get(&Some(annotator.clone())).map(|own| own.keys().copied().collect()).unwrap_or_default();
        let tasks = draw::shuffled(&pairs, wanted.into_iter().collect(), seed, &annotator);
        let task = |pair: usize| Task { pair, shown: draw::side(seed, &annotator, &pairs[pair].id) };
        let session = Session::new(tasks.into_iter().map(task).collect(), &labelled, &newest);
        if session.current().is_none() {
            file.rest();
        }
        let since = clock.milliseconds();
        Ok((Self { pairs, annotator, session, file, draw, clock, since, labels }, path))
    }

    pub fn current(&self) -> Option<Task> {
        self.session.current()
    }

    pub fn counts(&self) -> Counts {
        self.session.counts()
    }

    /// Does what a key says. An error means that the labels can no longer be written down.
    pub fn press(&mut self, key: Key) -> Result<Effect, CliError> {
        let before = self.current();
        let effect = self.session.press(key);
        match effect {
            Effect::Keep { pair, label, shown } => {
                let seconds = (self.clock.milliseconds() - self.since).max(0) as f64 / 1000.0;
                self.file.append(&Row {
                    id: &self.pairs[pair].id,
                    label,
                    annotator: &self.annotator,
                    shown,
                    at: self.clock.now(),
                    seconds: (seconds * 10.0).round() / 10.0,
                    pair: text_digest(&self.pairs[pair]),
                    sampled: self.draw,
                })?;
                self.own().insert(pair, label);
            }
            Effect::TakeBack => {
                self.file.take_back()?;
                if let Some(task) = self.current() {
                    self.own().remove(&task.pair);
                }
            }
            _ => {}
        }
        if self.current() != before {
            self.since = self.clock.milliseconds();
        }
        // Who is done may sit there for hours, and others want to label too.
        if self.current().is_none() {
            self.file.rest();
        }
        Ok(effect)
    }

    fn own(&mut self) -> &mut BTreeMap<usize, Preference> {
        self.labels.entry(Some(self.annotator.clone())).or_default()
    }

    /// How far everybody agrees so far.
    pub fn agreement(&self) -> RatersAgreement {
        let row = |own: &BTreeMap<usize, Preference>| (0..self.pairs.len()).map(|at| own.get(&at).copied()).collect();
        let rows: Vec<Vec<Option<Preference>>> = self.labels.values().map(row).collect();
        agree(&rows, Seed(1))
    }

    pub fn close(self) {
        self.file.close();
    }
}

fn pairs_of(path: &str, ui: Ui) -> Result<Vec<Pair>, CliError> {
    if path == "-" {
        return Err(CliError::usage("standard input is where the keys come from").hint("name a file of pairs"));
    }
    let source = evidence::read(path, ui)?;
    let loaded = data::load_pairs(&source, &PairOptions::default())?;
    // Warnings name ids, which may name systems, and tell of gold, which is what others think.
    if !loaded.notices.is_empty() {
        ui.note(format!("{path} has warnings that an annotator should not read: tribunal validate {path}"));
    }
    Ok(loaded.records)
}

/// The file of labels beside a file of pairs: `pairs.jsonl` → `pairs.labels.jsonl`.
pub(super) fn beside(pairs: &str) -> PathBuf {
    let path = Path::new(pairs);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut stem = name.strip_suffix(".gz").unwrap_or(&name);
    for ending in [".jsonl", ".ndjson", ".json", ".csv", ".tsv"] {
        stem = stem.strip_suffix(ending).unwrap_or(stem);
    }
    path.with_file_name(format!("{stem}.labels.jsonl"))
}

fn check_other(labels: &Path, pairs: &str) -> Result<(), CliError> {
    if is_same_file(labels, Path::new(pairs)) {
        return Err(CliError::usage(format!("{pairs} holds the pairs, labels go elsewhere"))
            .hint("name another file with --out"));
    }
    Ok(())
}

/// The name given, else the user's as long as nobody else has labels in the file.
fn who(given: Option<&str>, user: Option<&str>, labels: &Labels) -> Result<Annotator, CliError> {
    let hint = "say who labels: --annotator NAME";
    let Some(name) = given.or(user).map(str::trim) else {
        return Err(CliError::usage("it is not known who labels").hint(hint));
    };
    if name.is_empty() || visible_line(name) != name {
        return Err(CliError::usage(format!("`{}` is no name", visible_line(name))).hint(hint));
    }
    let annotator = Annotator::from(name);
    if given.is_none() && labels.rows.iter().any(|row| row.annotator.as_ref() != Some(&annotator)) {
        return Err(CliError::usage(format!("{} has labels of somebody else than {name}", labels.path)).hint(hint));
    }
    Ok(annotator)
}

/// The sample to be labelled: the recorded one, else the one asked for; `None` for all pairs.
fn draw_of(args: &LabelArgs, kept: &Kept, pairs: &[Pair], ui: Ui) -> Result<Option<Draw>, CliError> {
    let of = pairs.len() as u64;
    let draw = match (args.sample, kept.draw()?) {
        (None, None) => return Ok(None),
        (Some(n), None) => Draw { n, seed: args.seed, of },
        (Some(n), Some(draw)) if draw.n == n && draw.seed == args.seed => draw,
        (Some(_), Some(Draw { n, seed, .. })) => {
            return Err(CliError::usage(format!("{} records a sample of {n} by seed {seed}", kept.labels.path))
                .hint("leave --sample away to go on with it, or name another file with --out"));
        }
        (None, Some(draw)) => {
            ui.note(format!("going on with the sample of {} by seed {} that the labels record", draw.n, draw.seed));
            draw
        }
    };
    if draw.n > of {
        return Err(
            CliError::usage(format!("--sample {} of {of} pairs", draw.n)).hint("leave --sample away to label all")
        );
    }
    check_draw(draw, kept, pairs)?;
    Ok(Some(draw))
}

/// An error where the pairs are no longer those that a recorded sample was drawn from.
pub(super) fn check_draw(draw: Draw, kept: &Kept, pairs: &[Pair]) -> Result<(), CliError> {
    let drawn: BTreeSet<&ItemId> = drawn(pairs, Some(draw)).into_iter().map(|at| &pairs[at].id).collect();
    let stray = kept.drawn.iter().find(|id| !drawn.contains(id));
    if draw.of == pairs.len() as u64 && stray.is_none() {
        return Ok(());
    }
    let found = match stray {
        Some(id) if draw.of == pairs.len() as u64 => format!("`{id}` is not in it by these pairs"),
        _ => format!("there are {} pairs now", pairs.len()),
    };
    Err(CliError::usage(format!(
        "{} records a sample of {} drawn from {} pairs, and {found}",
        kept.labels.path, draw.n, draw.of
    ))
    .hint("use the pairs that the sample was drawn from: of others it is no random sample"))
}

/// The positions of the drawn pairs, or of all.
pub(super) fn drawn(pairs: &[Pair], draw: Option<Draw>) -> BTreeSet<usize> {
    match draw {
        None => (0..pairs.len()).collect(),
        Some(draw) => draw::sample(pairs, usize::try_from(draw.n).unwrap_or(usize::MAX), draw.seed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_lie_beside_the_pairs() {
        assert_eq!(beside("d/pairs.jsonl"), Path::new("d/pairs.labels.jsonl"));
        assert_eq!(beside("p.csv.gz"), Path::new("p.labels.jsonl"));
        assert_eq!(beside("pairs"), Path::new("pairs.labels.jsonl"));
    }

    #[test]
    fn a_name_has_to_be_chosen_where_somebody_else_has_labels() {
        let row =
            |name: &str| data::Label { line: 1, id: "q".into(), label: Preference::A, annotator: Some(name.into()) };
        let labels = |rows| Labels { path: "l.jsonl".to_owned(), rows };
        let name = |given, user, rows| who(given, user, &labels(rows)).ok().map(|annotator| annotator.0);
        assert_eq!(name(None, Some("kim"), vec![row("kim")]), Some("kim".to_owned()));
        assert_eq!(name(None, Some("kim"), vec![row("lee")]), None);
        assert_eq!(name(Some("kim"), None, vec![row("lee")]), Some("kim".to_owned()));
        assert_eq!(
            [name(None, None, Vec::new()), name(Some(" "), None, Vec::new()), name(Some("\u{1b}["), None, Vec::new())],
            [const { None }; 3]
        );
    }
}
