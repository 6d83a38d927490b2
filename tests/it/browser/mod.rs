//! The HTML pages in a real browser. Where Chromium, its driver or axe-core is missing, the tests say so and are left out.

mod accessible;
mod browsing;
mod chrome;
mod hostile;
mod keyboard;
mod large;
mod opening;
mod pages;
mod shape;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use chrome::Chrome;
use pages::Page;

/// One page of every kind that people get.
struct Kind {
    name: &'static str,
    path: PathBuf,
}

/// They are made once and lie where people can look at them.
fn kinds() -> &'static [Kind] {
    static KINDS: OnceLock<Vec<Kind>> = OnceLock::new();
    KINDS.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
        std::fs::create_dir_all(&folder).unwrap();
        let pages = [
            ("calibration", Page::calibration(&[0, 1, 2], "en")),
            ("comparison", Page::comparison("en")),
            ("calibration in Japanese", Page::calibration(&[0, 1, 2], "ja")),
            ("comparison in Japanese", Page::comparison("ja")),
            ("calibration of one judge", Page::calibration(&[1], "en")),
        ];
        let kept = pages.into_iter().map(|(name, page)| {
            let path = folder.join(format!("{}.html", name.replace(' ', "-")));
            std::fs::copy(&page.path, &path).unwrap();
            Kind { name, path }
        });
        kept.collect()
    })
}
