//! Files → items, labels and judgments, with the findings said on the way.

use std::io::IsTerminal as _;
use std::path::Path;

use super::args::{DisputedArg, StatisticsArgs};
use super::exit::CliError;
use super::judging::Recording;
use super::ui::Ui;
use crate::analysis::warning::Warning;
use crate::data::{self, DataError, Disputed, Kind, Loaded, PairOptions, Reached, Source, VerdictOptions};
use crate::domain::{Digest, GoldSet, InputFile, Item, Judgment, Notice, Pair};

/// The gold set that ships.
pub(super) const SHIPPED_GOLD: &[u8] = include_bytes!("../../gold/core.jsonl");

/// The name of the gold set that ships.
pub(super) const SHIPPED_GOLD_NAME: &str = "gold/core.jsonl";

/// What was handed in.
pub(super) struct Evidence {
    /// The items with their texts; empty for recorded verdicts.
    pub pairs: Vec<Pair>,
    /// The items as the reading wing sees them.
    pub gold: GoldSet,
    /// Recorded judgments; empty where the judges are still to be asked.
    pub judgments: Vec<Judgment>,
    /// The files, for the manifest.
    pub inputs: Vec<InputFile>,
    /// What the files' readers had to say; a reader of the report has to know it too.
    pub warnings: Vec<Warning>,
    /// Judgments of a run to the end, where it may have stopped before.
    pub planned: Option<u64>,
    /// The answers of this run, to be written when the result is out.
    pub recording: Option<Recording>,
}

impl Evidence {
    /// Before anybody judged.
    fn new(pairs: Vec<Pair>, gold: GoldSet, inputs: Vec<InputFile>, warnings: Vec<Warning>) -> Self {
        Self { pairs, gold, judgments: Vec::new(), inputs, warnings, planned: None, recording: None }
    }
}

/// Reads a file or standard input (`-`), with a sign of life where that takes long. Who types the input needs no sign.
pub(super) fn read(path: &str, ui: Ui) -> Result<Source, CliError> {
    let mut stdin = std::io::stdin().lock();
    if path == "-" && stdin.is_terminal() {
        return Ok(data::read_source(path, &mut stdin)?);
    }
    let shown = if path == "-" { "standard input" } else { path };
    let reached = Reached::default();
    let read = || data::read_source_watched(path, &mut stdin, &reached);
    Ok(ui.while_counting(&format!("reading {shown}"), &reached, read)?)
}

/// Says the findings about files, and keeps them for the report.
struct Teller {
    ui: Ui,
    warnings: Vec<Warning>,
}

impl Teller {
    fn new(ui: Ui) -> Self {
        Self { ui, warnings: Vec::new() }
    }

    fn tell(&mut self, path: &str, notices: &[Notice]) {
        self.ui.notices(path, notices);
        self.warnings.extend(notices.iter().map(|notice| warning(path, notice)));
    }

    /// Reads records, with a sign of life where there are many.
    fn load<T>(
        &mut self,
        source: &Source,
        load: impl FnOnce(&Source) -> Result<Loaded<T>, DataError>,
    ) -> Result<T, CliError> {
        let loaded =
            self.ui.while_counting(&format!("reading {}", source.path()), source.reached(), || load(source))?;
        Ok(self.told(loaded, source.path()))
    }

    fn told<T>(&mut self, loaded: Loaded<T>, path: &str) -> T {
        self.tell(path, &loaded.notices);
        loaded.records
    }
}

/// A finding about a file as the report has it, without its line.
fn warning(path: &str, notice: &Notice) -> Warning {
    let file = name_of(path);
    match &notice.remark {
        Some(remark) => Warning::OfFile { file, remark: (**remark).clone() },
        None => Warning::Note(format!("{file}: {}", notice.text)),
    }
}

/// An entry for the manifest.
pub(super) fn input(role: &str, source: &Source, records: usize) -> InputFile {
    InputFile {
        role: role.to_owned(),
        path: source.path().to_owned(),
        digest: Digest::of(source.text().as_bytes()),
        records: records as u64,
    }
}

/// How pairs are read under these flags.
pub(super) fn pair_options(statistics: &StatisticsArgs) -> PairOptions {
    let disputed = match statistics.disputed {
        DisputedArg::Tie => Disputed::Tie,
        DisputedArg::Drop => Disputed::Drop,
    };
    PairOptions { group_by: statistics.group_by.clone(), disputed }
}

/// The gold pairs of `--gold`, or those that ship.
pub(super) fn gold_source(gold: Option<&str>, ui: Ui) -> Result<Source, CliError> {
    match gold {
        Some(path) => read(path, ui),
        None => Ok(Source::from_bytes(SHIPPED_GOLD_NAME, SHIPPED_GOLD)?),
    }
}

/// Pairs that will be asked about, with the labels of `labels` where it is given.
pub(super) fn pairs(
    source: &Source,
    role: &str,
    labels: Option<&str>,
    options: &PairOptions,
    ui: Ui,
) -> Result<Evidence, CliError> {
    let mut teller = Teller::new(ui);
    let mut pairs = teller.load(source, |source| data::load_pairs(source, options))?;
    let mut inputs = vec![input(role, source, pairs.len())];
    if let Some(path) = labels {
        let source = read(path, ui)?;
        let labels = teller.load(&source, data::load_labels)?;
        teller.tell(source.path(), &data::apply_labels(&mut pairs, &labels, options.disputed)?);
        inputs.push(input("labels", &source, labels.rows.len()));
    }
    let gold = data::gold_set(&name_of(source.path()), &pairs);
    Ok(Evidence::new(pairs, gold, inputs, teller.warnings))
}

/// Items that are to be answered.
pub(super) fn items(path: &str, ui: Ui) -> Result<Vec<Item>, CliError> {
    let source = read(path, ui)?;
    Teller::new(ui).load(&source, data::load_items)
}

/// Two files of responses, joined.
pub(super) fn responses(a: &str, b: &str, options: &PairOptions, ui: Ui) -> Result<Evidence, CliError> {
    joined(&read(a, ui)?, &read(b, ui)?, options, ui)
}

/// Two texts of responses, joined.
pub(super) fn joined(
    source_a: &Source,
    source_b: &Source,
    options: &PairOptions,
    ui: Ui,
) -> Result<Evidence, CliError> {
    let mut teller = Teller::new(ui);
    let side_a = teller.load(source_a, data::load_responses)?;
    let side_b = teller.load(source_b, data::load_responses)?;
    let pairs = teller.told(data::join_responses(&side_a, &side_b, options)?, source_a.path());
    let inputs = vec![input("a", source_a, side_a.rows.len()), input("b", source_b, side_b.rows.len())];
    let gold = data::gold_set(&format!("{} and {}", name_of(source_a.path()), name_of(source_b.path())), &pairs);
    Ok(Evidence::new(pairs, gold, inputs, teller.warnings))
}

/// Recorded verdicts, with the labels or gold pairs of other files where they are given.
pub(super) fn verdicts(
    path: &str,
    gold: Option<&str>,
    labels: Option<&str>,
    options: &PairOptions,
    ui: Ui,
) -> Result<Evidence, CliError> {
    let source = read(path, ui)?;
    let recorded = VerdictOptions { group_by: options.group_by.clone(), disputed: options.disputed };
    let mut teller = Teller::new(ui);
    let recorded = teller.load(&source, |source| data::load_verdicts(source, &recorded))?;
    let mut inputs = vec![input("verdicts", &source, recorded.rows)];
    let mut items = recorded.items;
    let mut pairs = Vec::new();
    let mut label_files: Vec<Source> = labels.map(|path| read(path, ui)).transpose()?.into_iter().collect();
    if let Some(source) = gold.map(|path| read(path, ui)).transpose()? {
        if data::detect(&source, None) == Kind::Labels {
            label_files.push(source);
        } else {
            pairs = teller.load(&source, |source| data::load_pairs(source, options))?;
            inputs.push(input("gold", &source, pairs.len()));
            data::complete_facts(&mut items, &pairs, source.path())?;
        }
    }
    for source in label_files {
        let labels = teller.load(&source, data::load_labels)?;
        teller.tell(source.path(), &data::apply_labels_to_facts(&mut items, &labels, options.disputed)?);
        inputs.push(input("labels", &source, labels.rows.len()));
    }
    let gold = data::gold_set_of_facts(&name_of(source.path()), items);
    Ok(Evidence { judgments: recorded.judgments, ..Evidence::new(pairs, gold, inputs, teller.warnings) })
}

/// The last part of a path: what people call the file.
pub(super) fn name_of(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}
