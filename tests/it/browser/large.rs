//! Very many items: the page is there at once and stays light.

use super::chrome::ESCAPE;
use super::{Chrome, Page};

/// Set by `TRIBUNAL_PAGE_ITEMS`; else as many as an unoptimised build works through in a few seconds.
fn items(unoptimised: usize) -> usize {
    #[allow(clippy::disallowed_methods, reason = "a test's own size")]
    let set = std::env::var("TRIBUNAL_PAGE_ITEMS").ok();
    set.map_or(if cfg!(debug_assertions) { unoptimised } else { 100_000 }, |text| text.parse().unwrap())
}

fn usable(command: &str, items: usize, flips: impl Fn(&Page) -> u64) {
    let Some(chrome) = Chrome::start() else { return };
    let page = Page::large(items, command);
    chrome.open_report(&page.path);
    let found = || chrome.number("document.querySelector('#browser').dataset.found");
    let rows = || chrome.number("document.querySelectorAll('#rows .item').length");
    println!(
        "{command}, {items} items, {} bytes: list after {} ms, loaded after {} ms",
        std::fs::metadata(&page.path).unwrap().len(),
        chrome.number("document.querySelector('#browser').dataset.ms"),
        chrome.number("performance.getEntriesByType('navigation')[0].loadEventEnd"),
    );
    assert_eq!((found(), rows()), (items as u64, 25));
    chrome.choose("#filter", "flips");
    assert_eq!((found(), rows()), (flips(&page), 25));
    chrome.choose("#filter", "all");
    // A list has the keyboard until it is left.
    chrome.press(&[ESCAPE, "/"]);
    let last = format!("item-{}", items - 1);
    chrome.type_in(&last);
    chrome.wait("document.querySelector('#browser').dataset.found === '1'");
    assert_eq!(chrome.text("document.querySelector('#rows .item').dataset.id"), last);
    chrome
        .eval("const box = document.querySelector('#search'); box.value = ''; box.dispatchEvent(new Event('input'));");
    chrome.wait(&format!("document.querySelector('#browser').dataset.found === '{items}'"));
    chrome.choose("#sort", "telling");
    chrome.click("#page-last");
    assert_eq!(chrome.number("document.querySelector('#browser').dataset.page"), items as u64 / 25);
    assert_eq!(rows(), 25);
    assert!(chrome.number("document.querySelectorAll('#browser *').length") < 1_000, "never more than a page of them");
}

#[test]
fn a_calibration_of_very_many_items_can_be_browsed() {
    usable("calibrate", items(20_000), |page| page.json()["judges"][0]["figures"]["flip_rate"]["k"].as_u64().unwrap());
}

#[test]
fn a_comparison_of_very_many_items_can_be_browsed() {
    usable("compare --uncalibrated", items(4_000), |page| {
        let outcomes = page.json()["outcomes"].take();
        ["flip_first", "flip_second"].iter().map(|name| outcomes[name].as_u64().unwrap()).sum()
    });
}
