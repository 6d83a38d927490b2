//! Drawing for terminals: tables that fit, paragraphs that wrap, colours that can be left out.

use comfy_table::{Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, ContentLineStyle};
use comfy_table::{LineStyle, TableStyle, Width};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::text::{Colour, TableOptions};

/// Two spaces between columns, one line under the head.
const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction(' '))
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .content_lines(ContentLineStyle::none().junction(' '));

/// The colours of decision words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paint {
    /// Good.
    Green,
    /// Open.
    Yellow,
    /// Bad.
    Red,
}

/// The text in a colour, or as it is.
pub(super) fn paint(text: &str, paint: Paint, colour: Colour) -> String {
    let code = match paint {
        Paint::Green => 32,
        Paint::Yellow => 33,
        Paint::Red => 31,
    };
    match colour {
        Colour::Off => text.to_owned(),
        Colour::On => format!("\u{1b}[1;{code}m{text}\u{1b}[0m"),
    }
}

/// Rows of cells; a cell may hold line feeds.
pub(super) struct Table {
    head: Vec<String>,
    rows: Vec<(Vec<String>, Option<Paint>)>,
}

impl Table {
    pub(super) fn new(head: Vec<String>) -> Self {
        Self { head, rows: Vec::new() }
    }

    /// Adds a row; its second cell takes the colour.
    pub(super) fn row(&mut self, cells: Vec<String>, paint: Option<Paint>) {
        self.rows.push((cells, paint));
    }

    /// Columns needed to draw this without wrapping.
    pub(super) fn natural_width(&self) -> u16 {
        let longest = |cell: &String| cell.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
        let columns = (0..self.head.len()).map(|index| {
            let cells = self.rows.iter().filter_map(|(cells, _)| cells.get(index)).map(longest);
            // Heads may wrap at their spaces, down to their longest word.
            let head = self.head[index].split_whitespace().map(UnicodeWidthStr::width).max().unwrap_or(0);
            cells.max().unwrap_or(0).max(head) + 2
        });
        u16::try_from(columns.sum::<usize>()).unwrap_or(u16::MAX)
    }

    /// A table where it fits without wrapping, else its rows below each other.
    pub(super) fn draw_or_list(&self, options: TableOptions) -> String {
        if self.natural_width() <= options.width { self.draw(options) } else { self.listed(options) }
    }

    /// Columns that each column needs so that no word in it is broken, nor a number from its unit; without the space behind it.
    fn least_widths(&self) -> Vec<u16> {
        let least = |cell: &String| joined(cell).split([' ', '\n']).map(least_width).max().unwrap_or(0);
        let columns = (0..self.head.len()).map(|index| {
            let cells = self.rows.iter().filter_map(|(cells, _)| cells.get(index)).map(least);
            u16::try_from(cells.max().unwrap_or(0).max(least(&self.head[index]))).unwrap_or(u16::MAX)
        });
        columns.collect()
    }

    /// A table whose cells wrap between words; where even that has no room, its rows below each other.
    pub(super) fn draw(&self, options: TableOptions) -> String {
        let least = self.least_widths();
        if least.iter().map(|width| u32::from(*width) + 1).sum::<u32>() > u32::from(options.width) {
            return self.listed(options);
        }
        let mut table = comfy_table::Table::new();
        table.load_style(STYLE).set_content_arrangement(ContentArrangement::Dynamic).set_width(options.width);
        match options.colour {
            Colour::On => table.enforce_styling(),
            Colour::Off => table.force_no_tty(),
        };
        table.set_header(self.head.iter().map(|head| Cell::new(joined(head))));
        for (cells, paint) in &self.rows {
            table.add_row(cells.iter().enumerate().map(|(index, text)| match paint {
                Some(paint) if index == 1 => {
                    Cell::new(joined(text)).fg(colour_of(*paint)).add_attribute(Attribute::Bold)
                }
                _ => Cell::new(joined(text)),
            }));
        }
        for (column, least) in table.column_iter_mut().zip(&least) {
            column.set_padding((0, 1));
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least + 1)));
        }
        if let Some(first) = table.column_mut(0) {
            let lower = least.first().map_or(0, |width| width + 1);
            if u32::from(lower) * 5 <= u32::from(options.width) * 2 {
                let upper = Width::Percentage(40);
                first.set_constraint(ColumnConstraint::Boundaries { lower: Width::Fixed(lower), upper });
            }
            first.set_cell_alignment(CellAlignment::Left);
        }
        let lines: Vec<String> = table.lines().map(|line| line.trim_end().replace('\u{a0}', " ")).collect();
        if lines.iter().any(|line| plain_width(line) > usize::from(options.width)) {
            return self.listed(options);
        }
        let mut text = lines.join("\n") + "\n";
        if options.colour == Colour::Off {
            text.retain(|c| c != '\u{1b}');
        }
        text
    }
}

impl Table {
    /// The rows below each other, a line a cell: for a terminal in which no table has room.
    fn listed(&self, options: TableOptions) -> String {
        let width = usize::from(options.width);
        let mut text = String::new();
        for (cells, _) in &self.rows {
            // A dash fills a column that a row has nothing for.
            for (index, (head, cell)) in self.head.iter().zip(cells).enumerate().filter(|(_, (_, cell))| *cell != "–")
            {
                let indent = if index == 0 { "" } else { "  " };
                let cell = cell.replace('\n', ", ");
                let line = if index == 0 { cell } else { format!("{head}: {cell}") };
                for line in wrap(&line, width - 2, indent.len()) {
                    text.extend([indent, &line, "\n"]);
                }
            }
        }
        text
    }
}

/// A cell in which a number and its unit are one word.
fn joined(cell: &str) -> String {
    cell.replace(" %", "\u{a0}%").replace(" pp", "\u{a0}pp")
}

/// Columns that a word of a cell needs. Wide characters can be parted anywhere, but not into a column of single ones.
fn least_width(word: &str) -> usize {
    const SOME_WIDE: usize = 10;
    const MIXED: usize = 16;
    let is_wide = |c: char| c.width() == Some(2);
    match (word.chars().any(is_wide), word.chars().all(is_wide)) {
        (false, _) => word.width(),
        (true, true) => word.width().min(SOME_WIDE),
        (true, false) => word.width().min(MIXED),
    }
}

fn colour_of(paint: Paint) -> Color {
    match paint {
        Paint::Green => Color::Green,
        Paint::Yellow => Color::Yellow,
        Paint::Red => Color::Red,
    }
}

/// The text with spaces behind it, to at least `width` columns.
pub(super) fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// The width of a text without its ANSI colours.
pub(super) fn plain_width(text: &str) -> usize {
    without_colours(text).width()
}

/// The text without its ANSI colours.
pub(super) fn without_colours(text: &str) -> String {
    let mut inside = false;
    let is_shown = |c: &char| {
        let shown = !inside && *c != '\u{1b}';
        inside = if inside { *c != 'm' } else { *c == '\u{1b}' };
        shown
    };
    text.chars().filter(is_shown).collect()
}

/// Breaks a text into lines of at most `width` columns, the first `start` columns shorter, the others by two.
/// Breaks at spaces, and anywhere between wide characters; inside a word only where it is longer than a line.
pub(super) fn wrap(text: &str, width: usize, start: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = start;
    for piece in pieces(text) {
        let piece_width = piece.trim_end().width();
        if used + piece_width > width && (!line.is_empty() || used > 2) {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
            used = 2;
        }
        if used + piece_width <= width {
            line.push_str(piece);
            used += piece.width();
            continue;
        }
        // A word that no line has room for is broken where the line ends.
        for c in piece.chars() {
            if used + c.width().unwrap_or(0) > width && !line.is_empty() {
                lines.push(std::mem::take(&mut line).trim_end().to_owned());
                used = 2;
            }
            line.push(c);
            used += c.width().unwrap_or(0);
        }
    }
    lines.push(line.trim_end().to_owned());
    lines
}

/// Words with the spaces behind them; wide characters stand alone.
fn pieces(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut previous = ' ';
    for (index, c) in text.char_indices() {
        let wide = c.width() == Some(2) || previous.width() == Some(2);
        // No line starts with closing punctuation.
        let closes = matches!(c, '、' | '。' | ')' | '）' | '」' | ':' | '：' | '%');
        if index > start && (previous == ' ' && c != ' ' || wide && c != ' ' && !closes) {
            out.push(&text[start..index]);
            start = index;
        }
        previous = c;
    }
    out.push(&text[start..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_lines_keep_to_the_width_in_both_scripts() {
        for text in [
            "the interval straddles the limit and more labels would decide",
            "区間は限度をまたいでいるため、ラベルを増やせば決まる。",
            "a-name-without-any-space-that-is-longer-than-the-line a",
        ] {
            for width in [20, 33] {
                let lines = wrap(text, width, 4);
                assert!(lines.iter().skip(1).all(|line| line.width() + 2 <= width), "{lines:?}");
                assert_eq!(lines.join("").replace(' ', ""), text.replace(' ', ""));
            }
        }
    }

    #[test]
    fn no_word_of_a_table_is_broken_however_narrow_it_is() {
        let mut table = Table::new(["criterion", "limit", "assumed", "labels"].map(str::to_owned).to_vec());
        table.row(
            ["Cohen's kappa", "≥ 75.0 %", "unknown", "unknown (needs --pilot with --gold)"].map(str::to_owned).to_vec(),
            None,
        );
        for width in 24..=60 {
            let text = table.draw(TableOptions { width, colour: Colour::Off });
            assert!(text.lines().all(|line| line.width() <= usize::from(width)), "{width}:\n{text}");
            for word in ["Cohen's", "75.0 %", "unknown", "--pilot"] {
                assert!(text.contains(word), "{width}: no {word} in\n{text}");
            }
        }
    }

    #[test]
    fn colour_has_no_width() {
        assert_eq!(plain_width(&paint("PASS", Paint::Green, Colour::On)), 4);
    }
}
