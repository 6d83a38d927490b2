//! One self-contained HTML page. The only file that names the template engine.
//!
//! Data reaches the page on two ways: through autoescaped template variables, and compressed in base64 in script blocks of
//! a type that no browser runs. The one script and the one style are allowed by their hashes alone; nothing is loaded
//! from anywhere.

use std::sync::LazyLock;

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tera::{Context, Tera, Value};

use super::drill::{self, Blocks};
use super::packed::base64;
use super::page::Page;
use super::page_calibration::CalibrationPage;
use super::page_comparison::ComparisonPage;
use super::{Content, Report, ReportError};

const STYLE: &str = include_str!("templates/style.css");
const SCRIPT: &str = include_str!("templates/report.js");

/// One base, one page a kind of answer, and one part a kind of section or chart. Names end in .html, so every variable is
/// escaped unless a template says otherwise.
const PARTS: [(&str, &str); 16] = [
    ("base.html", include_str!("templates/base.html")),
    ("calibration.html", include_str!("templates/calibration.html")),
    ("comparison.html", include_str!("templates/comparison.html")),
    ("several.html", include_str!("templates/several.html")),
    ("seal.html", include_str!("templates/seal.html")),
    ("criteria.html", include_str!("templates/criteria.html")),
    ("warnings.html", include_str!("templates/warnings.html")),
    ("forest.html", include_str!("templates/forest.html")),
    ("charts.html", include_str!("templates/charts.html")),
    ("chart.html", include_str!("templates/chart.html")),
    ("multiples.html", include_str!("templates/multiples.html")),
    ("table.html", include_str!("templates/table.html")),
    ("missing.html", include_str!("templates/missing.html")),
    ("items.html", include_str!("templates/items.html")),
    ("glossary.html", include_str!("templates/glossary.html")),
    ("provenance.html", include_str!("templates/provenance.html")),
];

static TEMPLATES: LazyLock<Result<Tera, String>> = LazyLock::new(|| {
    let mut tera = Tera::default();
    tera.add_raw_templates(PARTS).map_err(|error| error.to_string())?;
    Ok(tera)
});

static SCRIPT_HASH: LazyLock<String> = LazyLock::new(|| base64(&Sha256::digest(SCRIPT.as_bytes())));
static STYLE_HASH: LazyLock<String> = LazyLock::new(|| base64(&Sha256::digest(STYLE.as_bytes())));

/// The whole page.
pub(super) fn render(report: &Report<'_>) -> Result<String, ReportError> {
    let Blocks { line, verdicts, texts } = drill::blocks(report)?;
    let page = Page::of(report, line);
    // Megabytes of letters need no engine: they are put in after it.
    let filled = match report.content {
        Content::Calibration(answer) => fill("calibration.html", &page, &CalibrationPage::of(answer, report.lang)),
        Content::Comparison(answer) => fill("comparison.html", &page, &ComparisonPage::of(answer, report.lang)),
    }?;
    let (head, tail) = filled.rsplit_once(PLACE).unwrap_or((&filled, ""));
    let block = |id: &str, data: &str| format!("<script type=\"text/plain\" id=\"{id}\">{data}</script>\n");
    Ok([head, &block("verdicts", &verdicts), &block("texts", &texts), tail].concat())
}

/// Where the blocks of data go; the last one of the page, since no text can stand behind it.
const PLACE: &str = "<!--data-->\n";

fn fill<T: Serialize>(name: &'static str, page: &Page, answer: &T) -> Result<String, ReportError> {
    let failed = |message: String| ReportError::Template { name, message };
    let tera = TEMPLATES.as_ref().map_err(|message| failed(message.clone()))?;
    let mut context = Context::new();
    context.insert("page", page);
    context.insert("answer", answer);
    context.insert("script_hash", &*SCRIPT_HASH);
    context.insert("style_hash", &*STYLE_HASH);
    context.insert_value("style", Value::safe_string(STYLE));
    context.insert_value("script", Value::safe_string(SCRIPT));
    tera.render(name, &context).map_err(|error| failed(chain(&error)))
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_drawings_go_into_a_template_unescaped() {
        let variables =
            PARTS.iter().flat_map(|(_, text)| text.split("{{").skip(1)).filter_map(|text| text.split("}}").next());
        for variable in variables.filter(|variable| variable.contains("safe")) {
            let (name, filter) = variable.split_once('|').unwrap_or_default();
            assert!(
                name.trim().rsplit('.').next() == Some("svg") && filter.trim() == "safe",
                "{variable} is not a drawing"
            );
        }
    }

    #[test]
    fn the_script_has_no_way_to_turn_text_into_markup() {
        for forbidden in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "</script"]
        {
            assert!(!SCRIPT.contains(forbidden), "{forbidden}");
        }
    }
}
