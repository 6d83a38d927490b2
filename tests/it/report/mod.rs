//! What the report room writes, as its readers see it.

mod fixture;
mod forms;
mod golden;
mod hostile;
mod numbers;

pub use hostile::block;
use tribunal::analysis::calibration::Calibration;
use tribunal::analysis::compare::Comparison;
use tribunal::report::{Content, Format, Lang, Report, render};

fn write(content: Content<'_>, lang: Lang, format: Format) -> String {
    let manifest = fixture::manifest();
    render(&Report { content, items: fixture::items(), manifest: &manifest, lang }, format).unwrap()
}

fn calibration(answer: &Calibration, lang: Lang, format: Format) -> String {
    write(Content::Calibration(answer), lang, format)
}

fn comparison(answer: &Comparison, lang: Lang, format: Format) -> String {
    write(Content::Comparison(answer), lang, format)
}
