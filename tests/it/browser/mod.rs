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

use chrome::Chrome;
use pages::Page;

/// Every kind of page that people get, by name.
fn kinds() -> Vec<(&'static str, Page)> {
    vec![
        ("calibration", Page::calibration(&[0, 1, 2], "en")),
        ("calibration in Japanese", Page::calibration(&[0, 1, 2], "ja")),
        ("comparison", Page::comparison("en")),
        ("comparison in Japanese", Page::comparison("ja")),
        ("calibration of one judge", Page::calibration(&[1], "en")),
    ]
}
