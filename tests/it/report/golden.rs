//! Whole outputs against files under `tests/golden/report`. `TRIBUNAL_BLESS=1 cargo test golden` writes them anew;
//! read the difference before it is committed.

use std::path::Path;

use tribunal::report::{Colour, Content, Format, ItemTable, Lang, Report, TableOptions, render};

use super::hostile::block;
use super::{calibration, comparison, fixture};

fn table(width: u16) -> Format {
    Format::Table(TableOptions { width, colour: Colour::Off })
}

#[allow(clippy::disallowed_methods, reason = "blessing writes the files that the other tests read")]
fn same(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/report").join(name);
    if std::env::var_os("TRIBUNAL_BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "{name} differs from tests/golden/report; found:\n{found}");
}

#[test]
fn golden_calibration() {
    let answer = fixture::calibration();
    same("calibration.json", &calibration(&answer, Lang::En, Format::Json));
    same("calibration.jsonl", &calibration(&answer, Lang::En, Format::JsonLines));
    same("calibration.csv", &calibration(&answer, Lang::En, Format::Csv));
    same("calibration.xml", &calibration(&answer, Lang::En, Format::JUnit));
    same("calibration.ja.xml", &calibration(&answer, Lang::Ja, Format::JUnit));
    same("calibration.md", &calibration(&answer, Lang::En, Format::Markdown));
    same("calibration.ja.md", &calibration(&answer, Lang::Ja, Format::Markdown));
    same("calibration.120.txt", &calibration(&answer, Lang::En, table(120)));
    same("calibration.140.txt", &calibration(&answer, Lang::En, table(140)));
    same("calibration.80.txt", &calibration(&answer, Lang::En, table(80)));
    same("calibration.ja.80.txt", &calibration(&answer, Lang::Ja, table(80)));
}

#[test]
fn golden_comparison() {
    let answer = fixture::comparison();
    same("comparison.json", &comparison(&answer, Lang::En, Format::Json));
    same("comparison.jsonl", &comparison(&answer, Lang::En, Format::JsonLines));
    same("comparison.csv", &comparison(&answer, Lang::En, Format::Csv));
    same("comparison.xml", &comparison(&answer, Lang::En, Format::JUnit));
    same("comparison.md", &comparison(&answer, Lang::En, Format::Markdown));
    same("comparison.80.txt", &comparison(&answer, Lang::En, table(80)));
    same("comparison.ja.80.txt", &comparison(&answer, Lang::Ja, table(80)));
}

/// A page without its script, style and data, which have tests and sources of their own; a line a tag, so that a difference can
/// be read.
fn skeleton(page: &str) -> String {
    let mut page = page.to_owned();
    for (from, to) in [("<style>", "</style>"), ("<script", "</script>"), ("sha256-", "'")] {
        let mut kept = String::new();
        let mut rest = page.as_str();
        while let Some(start) = rest.find(from) {
            kept.push_str(&rest[..start]);
            rest = &rest[start + rest[start..].find(to).unwrap() + to.len()..];
        }
        page = kept + rest;
    }
    page.replace("><", ">\n<")
}

#[test]
fn golden_pages() {
    let (answer, pair) = (fixture::calibration(), fixture::comparison());
    same("calibration.html", &skeleton(&calibration(&answer, Lang::En, Format::Html)));
    same("comparison.html", &skeleton(&comparison(&pair, Lang::En, Format::Html)));
    same("comparison.ja.html", &skeleton(&comparison(&pair, Lang::Ja, Format::Html)));
}

/// Whole pages are left where people can look at them.
#[test]
#[allow(clippy::disallowed_methods, reason = "a folder for looking, owned by the test run")]
fn pages_are_whole_and_lie_where_people_can_look_at_them() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    std::fs::create_dir_all(&folder).unwrap();
    let [answer, pair] = [fixture::calibration(), fixture::hostile_calibration()];
    let pages = [
        ("calibration.html", calibration(&answer, Lang::En, Format::Html)),
        ("calibration.ja.html", calibration(&answer, Lang::Ja, Format::Html)),
        ("comparison.html", comparison(&fixture::comparison(), Lang::En, Format::Html)),
        ("comparison.ja.html", comparison(&fixture::comparison(), Lang::Ja, Format::Html)),
        ("hostile.html", calibration(&pair, Lang::En, Format::Html)),
        ("hostile-comparison.html", comparison(&fixture::hostile_comparison(), Lang::En, Format::Html)),
    ];
    for (name, page) in pages {
        assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"), "{name}");
        std::fs::write(folder.join(name), page).unwrap();
    }
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    let answer = fixture::calibration();
    assert_eq!(calibration(&answer, Lang::En, Format::Html), calibration(&answer, Lang::En, Format::Html));
}

#[test]
fn a_page_that_cannot_hold_all_texts_says_which_it_holds_and_has_every_verdict() {
    let (answer, manifest) = (fixture::calibration(), fixture::manifest());
    let items = ItemTable { cap: 10, ..fixture::items() };
    let report = Report { content: Content::Calibration(&answer), items, manifest: &manifest, lang: Lang::En };
    let page = render(&report, Format::Html).unwrap();
    assert!(page.contains("The texts of 10 of 60 items are in this page: flips 10 / "), "no such line");
    let (texts, verdicts) = (block(&page, "texts"), block(&page, "verdicts"));
    assert_eq!((texts.as_array().unwrap().len(), verdicts["ids"].as_array().unwrap().len()), (10, 60));
    let flips = |index: usize| {
        verdicts["columns"]
            .as_array()
            .unwrap()
            .iter()
            .any(|c| b"DEH".contains(&c["outcome"].as_str().unwrap().as_bytes()[index]))
    };
    let held = texts.as_array().unwrap().iter().map(|item| usize::try_from(item["i"].as_u64().unwrap()).unwrap());
    assert!(held.into_iter().all(flips), "a flip is chosen before an item on which all agree");
}
