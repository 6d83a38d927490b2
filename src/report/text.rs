//! Terminal tables. Everything is sanitised, fits the width, and has no colour unless it is asked for.

use unicode_width::UnicodeWidthStr;

use crate::analysis::calibration::{Calibration, Scorecard};
use crate::analysis::compare::Comparison;
use crate::analysis::gate::Decision;

use super::format::{self, unit_of};
use super::glossary::label;
use super::several;
use super::text_table::{Paint, Table, padded, paint};
use super::view::{self, SCORECARD};
use super::words::{Words, fill};
use super::{Content, Lang, Report, beside};

/// How tables are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableOptions {
    /// Columns of the terminal; no table is wider.
    pub width: u16,
    /// Whether decision words are coloured.
    pub colour: Colour,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self { width: 100, colour: Colour::Off }
    }
}

/// Whether ANSI colours are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Off,
    /// ANSI escape codes on decision words.
    On,
}

/// The whole report as text.
pub(super) fn render(report: &Report<'_>, options: TableOptions) -> String {
    let out = Writer { text: String::new(), options, lang: report.lang, words: Words::of(report.lang) };
    match report.content {
        Content::Calibration(calibration) => out.calibration(calibration),
        Content::Comparison(comparison) => out.comparison(comparison),
    }
}

struct Writer {
    text: String,
    options: TableOptions,
    lang: Lang,
    words: &'static Words,
}

impl Writer {
    fn calibration(mut self, calibration: &Calibration) -> String {
        let words = self.words;
        self.line(&format!("{} · {}", words.calibration, view::gold_line(calibration, words)));
        self.gap();
        let decided = |card| view::decision(card).unwrap_or(Decision::Inconclusive);
        let longest = calibration.judges.iter().map(|card| words.decision(decided(card)).width()).max().unwrap_or(0);
        for card in &calibration.judges {
            let decision = decided(card);
            let word = self.coloured(&padded(words.decision(decision), longest), of_decision(decision));
            self.prefixed(&format!("{word}  "), &format!("{}: {}", view::name(card), view::headline(card, self.lang)));
        }
        // The reasons stand before the table: it may be long.
        self.open_criteria(calibration);
        self.heading(words.scorecard);
        self.scorecard(calibration);
        self.versus(calibration);
        self.jury(calibration);
        let missing = view::not_measured(calibration, self.lang);
        if !missing.is_empty() {
            self.heading(words.not_measured);
            for gap in missing {
                self.bullet(&format!("{} ({}): {} {}", gap.figure, gap.judges, words.needs, gap.needs));
            }
        }
        self.warnings(Content::Calibration(calibration));
        self.text
    }

    fn versus(&mut self, calibration: &Calibration) {
        if calibration.versus.is_empty() {
            return;
        }
        self.heading(self.words.versus);
        self.line(self.words.versus_note);
        self.gap();
        self.rows(several::pairs(calibration, self.lang));
        for text in several::pair_remarks(calibration, self.words) {
            self.bullet(&text);
        }
    }

    fn jury(&mut self, calibration: &Calibration) {
        let Some(jury) = &calibration.jury else { return };
        self.heading(self.words.jury);
        self.line(self.words.jury_note);
        self.line(&several::jury_line(jury, self.lang));
        self.gap();
        // The members' own figures stand in the scorecard above.
        let mut figures = several::jury_and_members(calibration, jury, self.lang);
        figures.rows.truncate(1);
        self.rows(figures);
        self.gap();
        self.line(self.words.jury_gains);
        self.rows(several::gains(jury, self.lang));
        for text in several::jury_sentences(jury, self.lang) {
            self.bullet(&text);
        }
    }

    fn rows(&mut self, rows: several::Rows) {
        let mut table = Table::new(rows.head);
        rows.rows.into_iter().for_each(|row| table.row(row, None));
        self.text.push_str(&table.draw_or_list(self.options));
    }

    /// Judges as rows where that fits, else figures as rows and as many judges beside each other as fit.
    fn scorecard(&mut self, calibration: &Calibration) {
        let cards: Vec<&Scorecard> = view::cards(calibration).collect();
        let wide = self.wide_scorecard(&cards);
        if wide.natural_width() <= self.options.width {
            self.table(&wide);
            return;
        }
        let label_width = SCORECARD.iter().map(|name| label(name, self.lang).width()).max().unwrap_or(0);
        let per_table = (usize::from(self.options.width).saturating_sub(label_width + 1) / 26).max(1);
        let judges: Vec<&Scorecard> = calibration.judges.iter().collect();
        for (index, chunk) in judges.chunks(per_table).enumerate() {
            if index > 0 {
                self.gap();
            }
            let narrow = self.narrow_scorecard(chunk);
            self.table(&narrow);
        }
        if !calibration.controls.is_empty() {
            self.gap();
            let controls = self.narrow_controls(&calibration.controls);
            self.table(&controls);
        }
    }

    /// What a judge has to beat, a line a control: the figure that the advantage is taken of.
    fn narrow_controls(&self, controls: &[Scorecard]) -> Table {
        let figure = "agreement_half_credit";
        let mut table = Table::new(vec![self.words.control.to_owned(), label(figure, self.lang)]);
        for card in controls {
            let shown = format::figure(&card.shown(figure), unit_of(figure), self.words);
            table.row(vec![view::name(card), shown], None);
        }
        table
    }

    fn wide_scorecard(&self, cards: &[&Scorecard]) -> Table {
        let words = self.words;
        let mut head = vec![words.judge.to_owned(), words.decision.to_lowercase()];
        head.extend(SCORECARD.iter().map(|name| label(name, self.lang)));
        head.push(words.n.to_owned());
        let mut table = Table::new(head);
        for card in cards {
            let mut row = vec![view::name(card), self.decision_word(card)];
            row.extend(SCORECARD.iter().map(|name| self.stacked(card, name)));
            row.push(format::count(view::judged(card)));
            table.row(row, view::decision(card).map(of_decision));
        }
        table
    }

    fn narrow_scorecard(&self, cards: &[&Scorecard]) -> Table {
        let words = self.words;
        let mut head = vec![words.figure.to_owned()];
        head.extend(cards.iter().map(|card| view::name(card)));
        let mut table = Table::new(head);
        let mut line = |title: String, cell: &dyn Fn(&Scorecard) -> String| {
            let mut row = vec![title];
            row.extend(cards.iter().map(|card| cell(card)));
            table.row(row, None);
        };
        line(words.decision.to_lowercase(), &|card| self.decision_word(card));
        for name in SCORECARD {
            line(label(name, self.lang), &|card| {
                let figure = format::figure(&card.shown(name), unit_of(name), words);
                view::own_n(card, name).map_or_else(|| figure.clone(), |n| format!("{figure}\n{n}"))
            });
        }
        line(words.n.to_owned(), &|card| format::count(view::judged(card)));
        table
    }

    /// The point over its interval, over its number of units where that is its own.
    fn stacked(&self, card: &Scorecard, name: &str) -> String {
        let unit = unit_of(name);
        match card.shown(name) {
            Ok(found) => [Some(format::point(&found, unit)), format::interval(&found, unit), view::own_n(card, name)]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join("\n"),
            Err(absence) => format!("–\n{}", self.words.reason(absence.reason)),
        }
    }

    fn decision_word(&self, card: &Scorecard) -> String {
        view::decision(card).map_or(self.words.control, |decision| self.words.decision(decision)).to_owned()
    }

    fn open_criteria(&mut self, calibration: &Calibration) {
        let words = self.words;
        if calibration.judges.iter().all(|card| view::open_criteria(card).is_empty()) {
            return;
        }
        self.heading(words.open_criteria);
        for card in &calibration.judges {
            for criterion in view::open_criteria(card) {
                let word = padded(words.criterion_word(criterion.decision), words.criterion_inconclusive.width());
                let word = self.coloured(&word, of_decision(criterion.decision));
                let mut text = format!("{}: {}", view::name(card), view::sentence(criterion, self.lang));
                if let Some(more) = view::labels_needed(criterion, words) {
                    text.push_str("; ");
                    text.push_str(&more);
                }
                self.prefixed(&format!("{word}  "), &text);
            }
        }
    }

    fn comparison(mut self, comparison: &Comparison) -> String {
        let words = self.words;
        let lang = self.lang;
        let [a, b] = view::sides(comparison);
        self.line(&format!("{} · {}", words.comparison, fill(words.between, &[&a, &b])));
        if let Some((_, banner)) = view::banner(comparison, words) {
            let mark = self.coloured("!", Paint::Yellow);
            self.prefixed(&format!("{mark} "), &banner);
        }
        self.gap();
        let paint = if view::is_open(comparison) { Paint::Yellow } else { Paint::Green };
        let word = self.coloured(&view::decision_word(comparison, words), paint);
        self.prefixed(&format!("{word}: "), &view::comparison_reason(comparison, lang));
        self.line(&view::judge_line(comparison, lang));
        if let Some(certificate) = view::certificate_line(comparison, lang) {
            self.line(&certificate);
        }
        for sentence in view::beside_headline(comparison, lang) {
            self.line(&sentence);
        }

        if let Some(required) = beside::requirement(comparison, words) {
            self.line(&required);
        }

        self.heading(&fill(words.rates, &[&a]));
        self.figures(beside::rate_rows(comparison, lang));
        if let Some(others) = beside::other_intervals(comparison, words) {
            self.line(&others);
        }
        self.line(&view::bounds(comparison, words));
        if comparison.few_units {
            self.line(words.few_units);
        }
        self.heading(words.correction);
        let correction = beside::correction(comparison, lang);
        self.figures(correction.rows);
        self.line(&correction.sentence);

        self.heading(words.outcomes);
        let mut table = Table::new(heads(&[words.outcome, words.count, words.share]));
        for row in view::outcome_rows(comparison, lang).into_iter().filter(|row| row.count > 0) {
            table.row(vec![row.label, format::count(row.count), format::percent(row.share)], None);
        }
        self.table(&table);

        self.heading(words.tests);
        self.tests(view::test_rows(comparison, words));
        self.line(&beside::effect(&comparison.mcnemar, words));
        self.line(&view::detectable(comparison, words));
        if let Some(checks) = beside::checks(comparison, words) {
            self.heading(words.checks);
            self.figures(checks.rows);
            self.tests(checks.tests);
            self.line(&checks.effect);
        }
        self.categories(comparison);
        self.prereg(comparison);
        self.warnings(Content::Comparison(comparison));
        self.text
    }

    fn figures(&mut self, rows: Vec<beside::FigureRow>) {
        let words = self.words;
        let mut table = Table::new(heads(&[words.figure, words.value, words.n, words.method]));
        for row in rows {
            table.row(row.to_vec(), None);
        }
        self.table(&table);
    }

    fn tests(&mut self, rows: Vec<view::TestRow>) {
        let words = self.words;
        let mut table = Table::new(heads(&[words.test, words.data, "p"]));
        for row in rows {
            table.row(vec![row.label.to_owned(), row.data, row.p], None);
        }
        self.table(&table);
    }

    fn prereg(&mut self, comparison: &Comparison) {
        let words = self.words;
        let Some(plan) = beside::prereg(comparison, self.lang) else { return };
        self.heading(words.prereg);
        let mut table = Table::new(heads(&[words.field, words.planned_head, words.done_head]));
        for row in plan.rows {
            table.row(row.to_vec(), None);
        }
        self.table(&table);
        self.line(&plan.sentence);
    }

    fn categories(&mut self, comparison: &Comparison) {
        let words = self.words;
        if comparison.by_category.is_empty() {
            return;
        }
        self.heading(words.by_category);
        let win_rate = label("win_rate", self.lang);
        let mut table = Table::new(heads(&[words.category, words.n, &win_rate, "p", words.p_holm]));
        for row in &comparison.by_category {
            let name = super::visible::visible_line(&row.category).into_owned();
            let rate = format::figure(&row.win_rate, format::Unit::Share, words);
            let p = [row.p, row.p_holm].map(format::p_digits);
            table.row([vec![name, format::count(row.items), rate], p.to_vec()].concat(), None);
        }
        self.table(&table);
        if let Some(interaction) = beside::interaction(comparison, words) {
            self.line(&interaction);
        }
    }

    fn warnings(&mut self, content: Content<'_>) {
        let warnings = view::warnings(content, self.lang);
        if !warnings.is_empty() {
            self.heading(self.words.warnings);
            for text in &warnings {
                self.bullet(text);
            }
        }
    }

    fn coloured(&self, text: &str, colour: Paint) -> String {
        paint(text, colour, self.options.colour)
    }

    fn table(&mut self, table: &Table) {
        self.text.push_str(&table.draw(self.options));
    }

    fn heading(&mut self, title: &str) {
        self.gap();
        self.line(title);
    }

    fn gap(&mut self) {
        self.text.push('\n');
    }

    fn line(&mut self, text: &str) {
        self.prefixed("", text);
    }

    fn bullet(&mut self, text: &str) {
        self.prefixed("- ", text);
    }

    /// A paragraph behind a prefix; further lines are indented by two.
    fn prefixed(&mut self, prefix: &str, text: &str) {
        let start = super::text_table::plain_width(prefix);
        if start > usize::from(self.options.width) / 2 {
            // A prefix that takes most of the line is a part of the text; its colour goes.
            let plain: String = super::text_table::without_colours(prefix);
            return self.prefixed("", &format!("{plain}{text}"));
        }
        let lines = super::text_table::wrap(text, usize::from(self.options.width), start);
        self.text.push_str(prefix);
        self.text.push_str(&lines.join("\n  "));
        self.text.push('\n');
    }
}

fn heads(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn of_decision(decision: Decision) -> Paint {
    match decision {
        Decision::Pass => Paint::Green,
        Decision::Inconclusive => Paint::Yellow,
        Decision::Fail => Paint::Red,
    }
}
