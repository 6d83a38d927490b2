//! Labels as a whole: enough of them, both sides, neither a side nor a length favoured, no cell too thin.

use std::collections::BTreeMap;

use super::counts::{Cell, Counts, Lean, Lengths};
use super::{Finding, Item, Options, Rule};
use crate::domain::ItemId;

/// Decisive labels from which a cell with one side alone is reported; five of one side are a coin's doing once in 16.
const SIDES_FROM: u64 = 5;

pub(super) fn findings(
    items: &[Item<'_>],
    counts: &Counts,
    better_is_a: &Lean,
    lengths: &Lengths,
    options: &Options,
) -> Vec<Finding> {
    let mut findings = labels(&counts.all, options);
    if counts.all.a > 0 && counts.all.b > 0 && better_is_a.is_harmful(options) {
        let text = format!("the better response is a in {}", described(better_is_a));
        findings.push(Finding::new(Rule::LabelImbalance, [], text));
    }
    findings.extend(length_confounding(lengths, options));
    let fields = [
        ("language", &counts.languages, (|item| item.pair.lang.as_deref()) as Field),
        ("category", &counts.categories, |item| item.pair.category.as_deref()),
    ];
    for (name, cells, field) in fields {
        let small = |cell: &Cell| cell.labelled < options.smallest_cell;
        findings.extend(of_cells(items, cells, field, small).map(|(ids, cells)| {
            let wanted = options.smallest_cell;
            let text =
                format!("fewer than {wanted} labels in {name} {}", shown(&cells, |cell| cell.labelled.to_string()));
            Finding::new(Rule::SmallCell, ids, text)
        }));
        // A set that names one side alone says so once, as an error.
        let set_has_both = counts.all.a > 0 && counts.all.b > 0;
        let one_sided = |cell: &Cell| set_has_both && cell.decisive() >= SIDES_FROM && (cell.a == 0 || cell.b == 0);
        findings.extend(of_cells(items, cells, field, one_sided).map(|(ids, cells)| {
            let sides = shown(&cells, |cell| format!("a {}, b {}", cell.a, cell.b));
            Finding::new(Rule::OneSidedCell, ids, format!("every decisive label names the same side in {name} {sides}"))
        }));
    }
    findings
}

fn labels(all: &Cell, options: &Options) -> Vec<Finding> {
    if all.labelled == 0 {
        let text = format!("none of {} items has a human answer", all.items);
        return vec![Finding::new(Rule::NoLabels, [], text)];
    }
    let mut findings = Vec::new();
    let missing = match (all.a, all.b) {
        (0, 0) => Some("neither a nor b"),
        (0, _) => Some("no a"),
        (_, 0) => Some("no b"),
        _ => None,
    };
    if let Some(missing) = missing {
        let text = format!(
            "{missing} among {} labels: nothing tells a good judge from one that always says the same",
            all.labelled
        );
        findings.push(Finding::new(Rule::SingleClass, [], text));
    }
    if all.labelled < options.smallest_set {
        let text = format!("{} labelled items, {} are wanted at least", all.labelled, options.smallest_set);
        findings.push(Finding::new(Rule::FewLabels, [], text));
    }
    if all.tie == 0 {
        let text = format!("none of {} labels is a tie", all.labelled);
        findings.push(Finding::new(Rule::NoTies, [], text));
    }
    findings
}

fn length_confounding(lengths: &Lengths, options: &Options) -> Option<Finding> {
    if !lengths.better_is_longer.is_harmful(options) {
        return None;
    }
    let auc = lengths.auc.map_or_else(String::new, |auc| format!("; length alone finds the label with AUC {auc:.2}"));
    let text = format!("the better response is the longer one in {}{auc}", described(&lengths.better_is_longer));
    Some(Finding::new(Rule::LengthConfounding, [], text))
}

/// `81.0 % of 100 (interval 72.2 to 87.5 %, p = 0.0001)`.
fn described(lean: &Lean) -> String {
    let Ok(share) = &lean.share else { return "no item".to_owned() };
    let [point, lower, upper] = [share.point, share.lower, share.upper].map(|value| 100.0 * value);
    let p = if lean.p < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {:.4}", lean.p) };
    format!("{point:.1} % of {} decisive items (95 % interval {lower:.1} to {upper:.1} %, {p})", share.n)
}

type Field = for<'a> fn(&Item<'a>) -> Option<&'a str>;
type Cells<'a> = Vec<(&'a String, &'a Cell)>;

/// The cells that `is_odd` picks, with the items in them; `None` where there is no such cell.
fn of_cells<'a>(
    items: &'a [Item<'_>],
    cells: &'a BTreeMap<String, Cell>,
    field: Field,
    is_odd: impl Fn(&Cell) -> bool,
) -> Option<(Vec<&'a ItemId>, Cells<'a>)> {
    let odd: Cells<'_> = cells.iter().filter(|(_, cell)| is_odd(cell)).collect();
    let inside = |item: &&Item<'_>| field(item).and_then(|name| cells.get(name)).is_some_and(&is_odd);
    let ids = items.iter().filter(inside).map(Item::id).collect();
    (!odd.is_empty()).then_some((ids, odd))
}

/// `"code" (3), "fact" (8) and 2 more`, names escaped.
fn shown(cells: &Cells<'_>, detail: impl Fn(&Cell) -> String) -> String {
    const NAMED: usize = 8;
    let named: Vec<String> =
        cells.iter().take(NAMED).map(|(name, cell)| format!("{name:?} ({})", detail(cell))).collect();
    let more = cells.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    named.join(", ") + &more
}
