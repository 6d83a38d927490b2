//! One self-contained HTML page. The only file that names the template engine.
//!
//! Data reaches the page on two ways: through autoescaped template variables, and as JSON in a script block of a
//! type that no browser runs. The one script is allowed by its hash alone; nothing is loaded from anywhere.

use std::sync::LazyLock;

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tera::{Context, Tera, Value};

use super::drill;
use super::page::Page;
use super::page_calibration::CalibrationPage;
use super::page_comparison::ComparisonPage;
use super::{Content, Report, ReportError};

const STYLE: &str = include_str!("templates/style.css");
const SCRIPT: &str = include_str!("templates/report.js");

static TEMPLATES: LazyLock<Result<Tera, String>> = LazyLock::new(|| {
    let mut tera = Tera::default();
    // Names end in .html, so every variable is escaped unless a template says otherwise.
    let parts = [
        ("base.html", include_str!("templates/base.html")),
        ("forest.html", include_str!("templates/forest.html")),
        ("several.html", include_str!("templates/several.html")),
        ("calibration.html", include_str!("templates/calibration.html")),
        ("comparison.html", include_str!("templates/comparison.html")),
    ];
    tera.add_raw_templates(parts).map_err(|error| error.to_string())?;
    Ok(tera)
});

static SCRIPT_HASH: LazyLock<String> = LazyLock::new(|| base64(&Sha256::digest(SCRIPT.as_bytes())));

/// The whole page.
pub(super) fn render(report: &Report<'_>) -> Result<String, ReportError> {
    let page = Page::of(report);
    match report.content {
        Content::Calibration(answer) => {
            fill("calibration.html", report, &page, &CalibrationPage::of(answer, report.lang))
        }
        Content::Comparison(answer) => fill("comparison.html", report, &page, &ComparisonPage::of(answer, report.lang)),
    }
}

fn fill<T: Serialize>(name: &'static str, report: &Report<'_>, page: &Page, answer: &T) -> Result<String, ReportError> {
    let failed = |message: String| ReportError::Template { name, message };
    let tera = TEMPLATES.as_ref().map_err(|message| failed(message.clone()))?;
    let mut context = Context::new();
    context.insert("page", page);
    context.insert("answer", answer);
    context.insert("script_hash", &*SCRIPT_HASH);
    context.insert_value("style", Value::safe_string(STYLE));
    context.insert_value("script", Value::safe_string(SCRIPT));
    context.insert_value("items_json", Value::safe_string(&drill::json(report)?));
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

/// Base64 with padding (RFC 4648, section 4), as a content security policy wants its hashes.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0, |word, index| word << 8 | usize::from(chunk.get(index).copied().unwrap_or(0)));
        for digit in 0..4 {
            let shown = digit <= chunk.len();
            out.push(if shown { char::from(ALPHABET[word >> (18 - 6 * digit) & 63]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_gives_the_vectors_of_its_standard() {
        let pairs =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn only_drawings_go_into_a_template_unescaped() {
        let templates = [
            include_str!("templates/base.html"),
            include_str!("templates/forest.html"),
            include_str!("templates/calibration.html"),
            include_str!("templates/several.html"),
            include_str!("templates/comparison.html"),
        ];
        let variables =
            templates.iter().flat_map(|text| text.split("{{").skip(1)).filter_map(|text| text.split("}}").next());
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
