//! The charts of a page: each drawing with its title, a sentence on how to read it, and the same numbers as a table.

use serde::Serialize;

use crate::analysis::compare::{CategoryRow, Comparison};
use crate::analysis::series::{Confidence, Length, Orders, Series};
use crate::stats::Figure;

use super::chart::{
    Axis, Bar, FlowLabels, Guide, Histogram, Labels, Mark, Plane, Point, bar, confusion, flow, histogram, plane,
};
use super::format::{self, Unit};
use super::page::Drawing;
use super::page_calibration::Legend;
use super::page_multiples::MOST_PANELS;
use super::words::{Words, fill};
use super::{Lang, page_comparison, view};

/// One chart.
#[derive(Serialize)]
pub(super) struct Chart {
    /// Unique within the page.
    id: String,
    /// The kind, for styles and tests.
    kind: &'static str,
    title: String,
    note: String,
    drawing: Drawing,
    table: Grid,
}

/// The same numbers in rows; all cells but the first of a row are numbers.
#[derive(Serialize)]
pub(super) struct Grid {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Charts of one question, a heading over them.
#[derive(Serialize)]
pub(super) struct ChartGroup {
    id: &'static str,
    heading: &'static str,
    note: String,
    legend: Vec<Legend>,
    charts: Vec<Chart>,
}

impl ChartGroup {
    /// `None` where there is nothing to draw.
    pub(super) fn of(id: &'static str, heading: &'static str, note: String, charts: Vec<Chart>) -> Option<Self> {
        (!charts.is_empty()).then_some(Self { id, heading, note, legend: Vec::new(), charts })
    }

    /// The same with the meaning of its colours.
    pub(super) fn explained(self, legend: Vec<Legend>) -> Self {
        Self { legend, ..self }
    }
}

/// Whose series is drawn.
#[derive(Clone, Copy)]
pub(super) struct Drawn<'a> {
    /// Number among the judges of the page.
    pub(super) index: usize,
    /// The judge, safe for one line.
    pub(super) name: &'a str,
    /// What both sides are called.
    pub(super) sides: [&'a str; 2],
    pub(super) series: &'a Series,
}

/// Every chart of these series, by question.
pub(super) fn series_groups(drawn: &[Drawn<'_>], words: &Words) -> Vec<ChartGroup> {
    let orders = drawn.iter().filter_map(|one| Some(orders(one, one.series.orders.as_ref().ok()?, words)));
    let scores = drawn.iter().filter_map(|one| score_by_length(one, one.series.length.as_ref().ok()?, words));
    // The differences in length are those of the items: the judge with most rows shows them.
    let longest = drawn.iter().filter_map(|one| Some((one, one.series.length.as_ref().ok()?)));
    let longest = longest.max_by_key(|(one, length)| (length.n, std::cmp::Reverse(one.index)));
    let lengths = longest.map(|(one, length)| lengths(one, length, words));
    let confidence = drawn.iter().filter_map(|one| confidence(one, one.series.confidence.as_ref().ok()?, words));
    [
        ChartGroup::of("orders", words.orders, words.orders_note.to_owned(), orders.collect()),
        ChartGroup::of("confidence", words.confidence, words.confidence_note.to_owned(), confidence.collect()),
        ChartGroup::of("length", words.by_length_score, words.by_length_score_note.to_owned(), scores.collect()),
        ChartGroup::of("lengths", words.lengths, words.lengths_note.to_owned(), lengths.into_iter().collect()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn orders(one: &Drawn<'_>, orders: &Orders, words: &Words) -> Chart {
    let [a, b] = one.sides;
    let heads = [fill(words.shown_first, &[a]), fill(words.shown_first, &[b])];
    let classes = [a, b, words.tie, words.no_verdict_class];
    let title = format!("{}: {}", one.name, words.orders);
    let id = format!("orders-{}", one.index);
    let labels = FlowLabels { title: &title, heads: [&heads[0], &heads[1]], classes };
    let mut rows = Vec::new();
    for (from, counts) in orders.cells.iter().enumerate() {
        for (to, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            rows.push(vec![classes[from].to_owned(), classes[to].to_owned(), format::count(*count)]);
        }
    }
    let [first, second] = heads.clone();
    Chart {
        drawing: Drawing { svg: flow(&id, &labels, &orders.cells) },
        table: Grid { head: vec![first, second, words.count.to_owned()], rows },
        title: one.name.to_owned(),
        note: String::new(),
        kind: "orders",
        id,
    }
}

fn score_by_length(one: &Drawn<'_>, length: &Length, words: &Words) -> Option<Chart> {
    let points: Vec<Point<'_>> = length
        .bins
        .iter()
        .flat_map(|bin| {
            let at = |figure: &'_ Figure| figure.as_ref().ok().map(|_| bin.mean_difference);
            let gold =
                bin.gold.as_ref().ok().map(|estimate| Point { x: bin.mean_difference, estimate, mark: Mark::Control });
            let own = at(&bin.score).zip(bin.score.as_ref().ok());
            own.map(|(x, estimate)| Point { x, estimate, mark: Mark::Plain }).into_iter().chain(gold)
        })
        .collect();
    if points.is_empty() {
        return None;
    }
    let curve = length.fit.as_ref().map(|fit| fit.curve.as_slice()).unwrap_or_default();
    let mut ends: Vec<f64> = points.iter().map(|point| point.x).chain(curve.iter().map(|place| place[0])).collect();
    // Where all differences are alike the axis still needs a width: a character to either side.
    let middle = ends[0];
    if ends.iter().all(|end| (end - middle).abs() < 1.0) {
        ends.extend([middle - 1.0, middle + 1.0]);
    }
    let axis = Axis::around(ends, Unit::Plain);
    let title = format!("{}: {}", one.name, words.by_length_score);
    let rows: Vec<Vec<String>> = length
        .bins
        .iter()
        .map(|bin| {
            let range = format!("{} … {}", format::whole(bin.from), format::whole(bin.to));
            let figure = |figure: &Figure| format::figure(figure, Unit::Share, words);
            let n = bin.score.as_ref().map(|estimate| format::count(estimate.n)).unwrap_or_default();
            vec![range, format::decimal(bin.mean_difference), figure(&bin.score), figure(&bin.gold), n]
        })
        .collect();
    let description: Vec<String> = rows.iter().map(|row| row.join(", ")).collect();
    let id = format!("length-{}", one.index);
    let shown = Plane {
        id: &id,
        title: &title,
        description: &description.join("; "),
        x_name: words.length_difference,
        y_name: &fill(words.score_of, &[one.sides[0]]),
        x_unit: Unit::Plain,
        points: &points,
        guide: if curve.is_empty() { Guide::None } else { Guide::Curve(curve) },
        at_x: Some(0.0),
        at_y: Some(0.5),
    };
    let note = match &length.fit {
        Ok(fit) => fill(
            words.length_fit,
            &[
                &format::coefficient(fit.slope),
                &format::coefficient(fit.intercept),
                &format::decimal(fit.spread),
                &format::count(fit.n),
            ],
        ),
        Err(absence) => format!("{} {}", words.no_fit, format::absent(absence, words)),
    };
    let head = [words.length_difference, words.mean, words.judge, words.gold, words.n];
    Some(Chart {
        drawing: Drawing { svg: plane(&shown, &axis) },
        table: Grid { head: head.map(str::to_owned).to_vec(), rows },
        title: one.name.to_owned(),
        note,
        kind: "length",
        id,
    })
}

fn lengths(one: &Drawn<'_>, length: &Length, words: &Words) -> Chart {
    let edge = |at: Option<i64>| at.map(format::whole).unwrap_or_default();
    let bars: Vec<Bar> = length.counts.iter().map(|count| Bar { from: edge(count.from), n: count.n }).collect();
    let rows: Vec<Vec<String>> = length
        .counts
        .iter()
        .map(|count| {
            let range = match (count.from, count.to) {
                (Some(from), Some(to)) => format!("{} … {}", format::whole(from), format::whole(to)),
                (None, Some(to)) => format!("< {}", format::whole(to)),
                (Some(from), None) => format!("≥ {}", format::whole(from)),
                (None, None) => String::new(),
            };
            vec![range, format::count(count.n)]
        })
        .collect();
    let description: Vec<String> = rows.iter().map(|row| row.join(": ")).collect();
    let id = format!("lengths-{}", one.index);
    let shown = Histogram {
        id: &id,
        title: words.lengths,
        description: &description.join("; "),
        x_name: words.length_difference,
        bars: &bars,
    };
    Chart {
        drawing: Drawing { svg: histogram(&shown) },
        table: Grid { head: vec![words.length_difference.to_owned(), words.n.to_owned()], rows },
        title: format!("n = {}", format::count(length.n)),
        note: String::new(),
        kind: "lengths",
        id,
    }
}

fn confidence(one: &Drawn<'_>, confidence: &Confidence, words: &Words) -> Option<Chart> {
    let points: Vec<Point<'_>> = confidence
        .bins
        .iter()
        .filter_map(|bin| Some(Point { x: bin.mean_confidence, estimate: bin.right.as_ref().ok()?, mark: Mark::Plain }))
        .collect();
    if points.is_empty() {
        return None;
    }
    let rows: Vec<Vec<String>> = confidence
        .bins
        .iter()
        .map(|bin| {
            let range = format!("{} … {}", format::round_percent(bin.from), format::round_percent(bin.to));
            let counts = bin.right.as_ref().map(view::counts).unwrap_or_default();
            vec![range, format::percent(bin.mean_confidence), format::figure(&bin.right, Unit::Share, words), counts]
        })
        .collect();
    let description: Vec<String> = rows.iter().map(|row| row.join(", ")).collect();
    let (id, title) = (format!("confidence-{}", one.index), format!("{}: {}", one.name, words.confidence));
    let shown = Plane {
        id: &id,
        title: &title,
        description: &description.join("; "),
        x_name: words.stated,
        y_name: words.right_share,
        x_unit: Unit::Share,
        points: &points,
        guide: Guide::Diagonal,
        at_x: None,
        at_y: None,
    };
    let head = [words.stated, words.mean, words.right_share, words.n];
    Some(Chart {
        drawing: Drawing { svg: plane(&shown, &Axis::between(0.5, 1.0)) },
        table: Grid { head: head.map(str::to_owned).to_vec(), rows },
        title: format!("{} (n = {})", one.name, format::count(confidence.n)),
        note: String::new(),
        kind: "confidence",
        id,
    })
}

/// Human label against judge.
pub(super) fn heat_map(index: usize, name: &str, cells: &[[u64; 3]; 3], words: &Words) -> Chart {
    let title = format!("{}: {name}", words.confusion);
    let id = format!("confusion-{index}");
    let labels = Labels { title: &title, gold: words.gold, judge: words.judge, tie: words.tie };
    let classes = ["a", "b", words.tie];
    let row = |(class, counts): (&str, &[u64; 3])| {
        std::iter::once(class.to_owned()).chain(counts.iter().map(|count| format::count(*count))).collect()
    };
    let head = std::iter::once(format!("{} ＼ {}", words.gold, words.judge)).chain(classes.map(str::to_owned));
    Chart {
        drawing: Drawing { svg: confusion(&id, &labels, cells) },
        table: Grid { head: head.collect(), rows: classes.into_iter().zip(cells).map(row).collect() },
        title: name.to_owned(),
        note: String::new(),
        kind: "confusion",
        id,
    }
}

/// Outcomes of each category, one small bar each; those with most items where there are very many.
pub(super) fn category_bars(answer: &Comparison, lang: Lang) -> Vec<Chart> {
    let words = Words::of(lang);
    let mut shown: Vec<&CategoryRow> = answer.by_category.iter().collect();
    shown.sort_by(|x, y| y.items.cmp(&x.items).then_with(|| x.category.cmp(&y.category)));
    shown.truncate(MOST_PANELS);
    shown.sort_by(|x, y| x.category.cmp(&y.category));
    let charts = shown.into_iter().enumerate().map(|(index, row)| {
        let name = super::visible::visible_line(&row.category).into_owned();
        let outcomes = view::outcome_rows_of(&row.outcomes, answer, lang);
        let segments = page_comparison::segments(outcomes);
        let id = format!("category-{index}");
        let shown = segments.iter().filter(|segment| segment.count > 0);
        let rows = shown.map(|segment| vec![segment.label.clone(), format::count(segment.count)]).collect();
        Chart {
            drawing: Drawing { svg: bar(&id, &format!("{name}: {}", words.outcomes), &segments) },
            table: Grid { head: vec![words.outcome.to_owned(), words.count.to_owned()], rows },
            title: format!("{name} (n = {})", format::count(row.items)),
            note: format!(
                "{}: {}",
                super::glossary::label("win_rate", lang),
                format::figure(&row.win_rate, Unit::Share, words)
            ),
            kind: "category",
            id,
        }
    });
    charts.collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::series::LengthBin;
    use crate::stats::{Estimate, NotEstimable, Reason};

    /// All responses of one side longer by two characters used to give an axis that read −2, −2, −2, −2.
    #[test]
    fn where_all_differences_are_alike_the_axis_still_has_a_width() {
        for difference in [-2_i64, 0, 300] {
            let score = Ok(Estimate::within(0.4, [0.3, 0.5], 0.95, 40, "bca"));
            let absent = || NotEstimable::because(Reason::Constant);
            let bin = LengthBin {
                from: difference,
                to: difference,
                mean_difference: difference as f64,
                score,
                gold: Err(absent()),
            };
            let length = Length { n: 40, bins: vec![bin], counts: Vec::new(), fit: Err(absent()) };
            let series = Series { orders: Err(absent()), length: Err(absent()), confidence: Err(absent()) };
            let drawn = Drawn { name: "j", sides: ["x", "y"], series: &series, index: 0 };
            let svg = score_by_length(&drawn, &length, Words::of(Lang::En)).unwrap().drawing.svg;
            let labels: Vec<&str> = svg
                .split("<text")
                .skip(1)
                .filter_map(|text| text.split_once('>')?.1.split('<').next())
                .filter(|text| !text.contains('%') && text.chars().any(|c| c.is_ascii_digit()))
                .collect();
            let different: std::collections::BTreeSet<&&str> = labels.iter().collect();
            assert!(labels.len() > 1 && different.len() == labels.len(), "{labels:?}");
        }
    }
}
