//! Human label against judge, three by three: a heat map of counts, shaded by the share of the row.

use std::fmt::Write as _;

use super::svg::{escape, image, round};

/// The words around the square.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct Labels<'a> {
    /// Name of the chart.
    pub(in crate::report) title: &'a str,
    /// Over the rows.
    pub(in crate::report) gold: &'a str,
    /// Over the columns.
    pub(in crate::report) judge: &'a str,
    /// The third class.
    pub(in crate::report) tie: &'a str,
}

const LEFT: f64 = 66.0;
const TOP: f64 = 40.0;
const CELL: [f64; 2] = [72.0, 46.0];

/// Draws counts, shaded by their share of the row; rows gold a, b, tie, columns judge a, b, tie.
pub(in crate::report) fn confusion(id: &str, labels: &Labels<'_>, cells: &[[u64; 3]; 3]) -> String {
    let classes = ["a", "b", labels.tie];
    let mut body = String::new();
    let mut description = Vec::new();
    let mut text = |x: f64, y: f64, class: &str, content: &str| {
        write!(body, r#"<text class="{class}" x="{x}" y="{y}">{}</text>"#, escape(content))
            .expect("writing to a String cannot fail");
    };
    text(LEFT + CELL[0] * 1.5, 13.0, "axis mid", labels.judge);
    text(0.0, 13.0, "axis", labels.gold);
    for (index, class) in classes.iter().enumerate() {
        let at = index as f64 + 0.5;
        text(LEFT + CELL[0] * at, 32.0, "head mid", class);
        text(LEFT - 10.0, TOP + CELL[1] * at + 4.0, "head end", class);
    }
    for (row, counts) in cells.iter().enumerate() {
        let total: u64 = counts.iter().sum();
        for (column, count) in counts.iter().enumerate() {
            let share = if total == 0 { 0.0 } else { *count as f64 / total as f64 };
            let [x, y] = [LEFT + CELL[0] * column as f64, TOP + CELL[1] * row as f64];
            let kind = if row == column { "cell diag" } else { "cell" };
            write!(
                body,
                r#"<rect class="{kind}" x="{}" y="{}" width="{}" height="{}" rx="3" fill-opacity="{}"/><text class="count mid" x="{}" y="{}">{count}</text>"#,
                x + 1.0,
                y + 1.0,
                CELL[0] - 2.0,
                CELL[1] - 2.0,
                round(0.06 + 0.44 * share),
                x + CELL[0] / 2.0,
                y + 28.0,
            )
            .expect("writing to a String cannot fail");
            description
                .push(format!("{} {}, {} {}: {count}", labels.gold, classes[row], labels.judge, classes[column]));
        }
    }
    image(
        id,
        "confusion",
        r#"viewBox="0 0 284 180" width="284" height="180""#,
        labels.title,
        &description.join("; "),
        &body,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shade_is_the_share_of_the_row_and_the_diagonal_is_marked() {
        let labels = Labels { title: "t", gold: "g", judge: "j", tie: "tie" };
        let svg = confusion("c", &labels, &[[3, 1, 0], [0, 0, 0], [1, 1, 2]]);
        assert!(
            svg.contains(
                r#"<rect class="cell diag" x="67" y="41" width="70" height="44" rx="3" fill-opacity="0.39"/>"#
            ),
            "{svg}"
        );
        assert!(!svg.contains('%'), "only what the JSON holds is printed: {svg}");
        assert_eq!(svg.matches("cell diag").count(), 3);
        assert!(!svg.contains("NaN"));
    }
}
