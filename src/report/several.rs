//! Several judges laid out for every format that people read: pairs against each other, the jury, what it adds.

use crate::analysis::calibration::{Calibration, Scorecard};
use crate::analysis::jury::{Jury, Rule, Worth};
use crate::analysis::versus::{Paired, Versus};
use crate::domain::JudgeName;
use crate::stats::Figure;

use super::Lang;
use super::format::{self, Unit, unit_of};
use super::glossary::label;
use super::sentences;
use super::visible::visible_line;
use super::words::{Words, fill};

/// Pairs that are shown; all of them are in the JSON output.
const MOST_PAIRS: usize = 15;

/// The figures in which jury and members stand beside each other.
pub(super) const FIGURES: [&str; 5] =
    ["agreement_decisive", "agreement_half_credit", "agreement_strict", "kappa_strict", "flip_rate"];

/// Rows of cells under a head.
pub(super) struct Rows {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// A judge's name, safe for one line.
pub(super) fn name(judge: &JudgeName) -> String {
    visible_line(judge.as_str()).into_owned()
}

fn pair_name(pair: &Versus) -> String {
    format!("{} − {}", name(&pair.a), name(&pair.b))
}

fn points(figure: &Figure, words: &Words) -> String {
    format::figure(figure, Unit::Points, words)
}

/// `14 : 3`, with the number of rows that both are counted over.
fn alone(paired: &Paired) -> String {
    let n = paired.both + paired.a_only + paired.b_only + paired.neither;
    format!("{} : {} (n {})", format::count(paired.a_only), format::count(paired.b_only), format::count(n))
}

/// The pairs that are shown: all where they are few, else those with the smallest p, in the order of the names.
fn shown(calibration: &Calibration) -> Vec<&Versus> {
    let mut order: Vec<usize> = (0..calibration.versus.len()).collect();
    let p = |index: &usize| calibration.versus[*index].right.p_exact;
    order.sort_by(|x, y| p(x).total_cmp(&p(y)));
    order.truncate(MOST_PAIRS);
    order.sort_unstable();
    order.into_iter().map(|index| &calibration.versus[index]).collect()
}

/// Every pair that is shown, a row each.
pub(super) fn pairs(calibration: &Calibration, lang: Lang) -> Rows {
    let words = Words::of(lang);
    let head = [
        words.pair,
        words.right_alone,
        words.p_holm,
        words.strict_difference,
        words.half_difference,
        words.flip_difference,
        words.kappa_each_other,
    ];
    let head = head.map(str::to_owned).into_iter().chain([label("both_wrong", lang)]).collect();
    let row = |pair: &Versus| {
        vec![
            pair_name(pair),
            alone(&pair.right),
            format::p_digits(pair.right.p_holm),
            points(&pair.right.difference, words),
            points(&pair.half_credit, words),
            points(&pair.flips.difference, words),
            format::figure(&pair.kappa, Unit::Coefficient, words),
            format::figure(&pair.both_wrong, Unit::Share, words),
        ]
    };
    Rows { head, rows: shown(calibration).into_iter().map(row).collect() }
}

/// What the table of pairs leaves out: further pairs, and what missing verdicts could change.
pub(super) fn pair_remarks(calibration: &Calibration, words: &Words) -> Vec<String> {
    let percent = |bound: Option<f64>| {
        bound.map_or_else(|| words.not_estimable.to_owned(), |bound| format!("{} pp", signed(bound * 100.0)))
    };
    let missing = shown(calibration).into_iter().filter(|pair| pair.bounds.missing > 0).map(|pair| {
        let (lower, upper) = (percent(pair.bounds.lower), percent(pair.bounds.upper));
        fill(words.pair_missing, &[&pair_name(pair), &format::count(pair.bounds.missing), &lower, &upper])
    });
    let more = calibration.versus.len().saturating_sub(MOST_PAIRS) as u64;
    let more = (more > 0).then(|| fill(words.pairs_more, &[&format::count(more)]));
    missing.chain(more).collect()
}

fn signed(value: f64) -> String {
    let text = format!("{:.1}", value.abs());
    match value {
        _ if text == "0.0" => text,
        value if value < 0.0 => format!("−{text}"),
        _ => format!("+{text}"),
    }
}

/// Who sits, by which rule, and how often the jury rules.
pub(super) fn jury_line(jury: &Jury, lang: Lang) -> String {
    let words = Words::of(lang);
    let members: Vec<String> = jury.members.iter().map(name).collect();
    let rule = match jury.rule {
        Rule::Majority => words.rule_majority,
        Rule::Unanimous => words.rule_unanimous,
    };
    let rulings = &jury.rulings;
    let rows = rulings.a + rulings.b + rulings.tie + rulings.no_majority + rulings.too_few_votes;
    let counts = [rows, rulings.a, rulings.b, rulings.tie, rulings.no_majority, rulings.too_few_votes];
    let counts = counts.map(format::count);
    let number = members.len().to_string();
    let members = members.join(if lang == Lang::En { ", " } else { "、" });
    let coverage = format::figure(&jury.coverage, Unit::Share, words);
    let mut values: Vec<&str> = vec![&number, &members, rule, &coverage];
    values.extend(counts.iter().map(String::as_str));
    fill(words.jury_line, &values)
}

/// What the jury adds to its best member, what the members share, and what else a reader has to know.
pub(super) fn jury_sentences(jury: &Jury, lang: Lang) -> Vec<String> {
    let words = Words::of(lang);
    let share = |figure: &Figure| format::figure(figure, Unit::Share, words);
    let mut sentences = Vec::new();
    if let Some(best) = &jury.best {
        let pattern = match jury.worth {
            Worth::Better => words.jury_better,
            Worth::Worse => words.jury_worse,
            Worth::Undecided => words.jury_open,
        };
        let mut gain = points(&jury.over_best, words);
        if jury.over_best.is_ok() {
            gain.push_str(if lang == Lang::En { " " } else { "" });
            gain.push_str(words.jury_measure);
        }
        sentences.push(fill(pattern, &[&name(best), &gain]));
    }
    if jury.shared_errors.is_ok() {
        let values = [share(&jury.shared_errors), share(&jury.errors), share(&jury.all_wrong)];
        sentences.push(fill(words.jury_shared, &values.each_ref().map(String::as_str)));
    }
    sentences.extend(jury.notes.iter().map(|note| sentences::note(*note, lang)));
    sentences
}

/// The scorecards of the members.
pub(super) fn member_cards<'a>(calibration: &'a Calibration, jury: &'a Jury) -> impl Iterator<Item = &'a Scorecard> {
    calibration.judges.iter().filter(|card| jury.members.contains(&card.name))
}

/// Jury and members, a row each.
pub(super) fn jury_and_members(calibration: &Calibration, jury: &Jury, lang: Lang) -> Rows {
    let words = Words::of(lang);
    let head = std::iter::once(words.judge.to_owned()).chain(FIGURES.iter().map(|name| label(name, lang))).collect();
    let row = |title: String, of: &dyn Fn(&str) -> Figure| {
        let cells = FIGURES.iter().map(|name| {
            let figure = of(name);
            let n = figure.as_ref().map(|found| format!(", n {}", format::count(found.n))).unwrap_or_default();
            format!("{}{n}", format::figure(&figure, unit_of(name), words))
        });
        std::iter::once(title).chain(cells).collect::<Vec<_>>()
    };
    let mut rows = vec![row(words.jury.to_owned(), &|figure| jury.figures.get(figure))];
    rows.extend(member_cards(calibration, jury).map(|card| row(name(&card.name), &|figure| card.shown(figure))));
    Rows { head, rows }
}

/// What the jury adds to each member, to the best and to the mean of them, a row each.
pub(super) fn gains(jury: &Jury, lang: Lang) -> Rows {
    let words = Words::of(lang);
    let head =
        [words.member, words.half_difference, "p", words.p_holm, words.right_alone_jury, words.strict_difference];
    let of_all = |title: &str, figure: &Figure| {
        let n = figure.as_ref().map(|found| format!(", n {}", format::count(found.n))).unwrap_or_default();
        let dashes = std::iter::repeat_n("–".to_owned(), 4);
        [title.to_owned(), format!("{}{n}", points(figure, words))].into_iter().chain(dashes).collect::<Vec<_>>()
    };
    let mut rows = vec![of_all(words.best_member, &jury.over_best), of_all(words.mean_member, &jury.over_mean)];
    rows.extend(jury.gains.iter().map(|gain| {
        let n = gain.difference.as_ref().map(|found| format!(", n {}", format::count(found.n))).unwrap_or_default();
        vec![
            name(&gain.member),
            format!("{}{n}", points(&gain.difference, words)),
            format::p_digits(gain.p),
            format::p_digits(gain.p_holm),
            alone(&gain.right),
            points(&gain.right.difference, words),
        ]
    }));
    Rows { head: head.map(str::to_owned).to_vec(), rows }
}
