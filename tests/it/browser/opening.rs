//! A page opens, complains of nothing and asks nobody.

use std::path::Path;

use serde_json::Value;

use super::{Chrome, Page, kinds};

/// Addresses that the browser asked for, the page's own left out.
fn requests(chrome: &Chrome, page: &Path) -> Vec<String> {
    let own = format!("file://{}", page.display());
    chrome
        .log("performance")
        .iter()
        .map(|entry| serde_json::from_str::<Value>(entry["message"].as_str().unwrap()).unwrap())
        .filter(|message| message["message"]["method"] == "Network.requestWillBeSent")
        .map(|message| message["message"]["params"].clone())
        // What the browser's own first page does is none of ours.
        .filter(|request| !request["documentURL"].as_str().unwrap().starts_with("chrome:"))
        .map(|request| request["request"]["url"].as_str().unwrap().to_owned())
        // The empty icon is part of the page.
        .filter(|url| *url != own && url != "data:,")
        .collect()
}

#[test]
fn a_page_opens_without_an_error_and_without_a_request() {
    let Some(chrome) = Chrome::start() else { return };
    for page in kinds() {
        let name = page.name;
        chrome.open_report(&page.path);
        // Everything that can be opened is opened.
        chrome.eval("document.querySelectorAll('details').forEach(node => { node.open = true; })");
        chrome.click("#rows .item button");
        chrome.wait("document.querySelector('#rows .body')");
        assert_eq!(requests(&chrome, &page.path), Vec::<String>::new(), "{name}");
        assert_eq!(chrome.number("performance.getEntriesByType('resource').length"), 0, "{name}");
        assert_eq!(chrome.log("browser"), Vec::<Value>::new(), "{name}");
        assert!(chrome.value("document.compatMode") == "CSS1Compat", "{name}");
    }
}

#[test]
fn every_section_and_chart_is_there_and_every_id_once() {
    let Some(chrome) = Chrome::start() else { return };
    for page in kinds() {
        let name = page.name;
        chrome.open_report(&page.path);
        for section in ["decision", "estimates", "charts", "missing", "items", "read", "provenance"] {
            assert_eq!(
                chrome.number(&format!("document.querySelectorAll('section#{section}').length")),
                1,
                "{name} {section}"
            );
        }
        let several = chrome.number("document.querySelectorAll('#several table').length");
        assert_eq!(several > 0, name.starts_with("calibration") && !name.ends_with("one judge"), "{name}: {several}");
        assert!(chrome.number("document.querySelectorAll('figure[data-chart] svg').length") > 2, "{name}");
        let twice = "[...document.querySelectorAll('[id]')].map(node => node.id).filter((id, at, all) => all.indexOf(id) !== at).join()";
        assert_eq!(chrome.text(twice), "", "{name}");
        let named = "[...document.querySelectorAll('[aria-labelledby]')].flatMap(node => node.getAttribute('aria-labelledby').split(' ')).filter(id => !document.getElementById(id)).join()";
        assert_eq!(chrome.text(named), "", "{name}");
    }
}

#[test]
fn without_scripts_the_summary_can_be_read_and_the_page_says_what_is_missing() {
    let Some(chrome) = Chrome::start() else { return };
    let page = Page::calibration(&[0, 1], "en");
    chrome.devtools("Emulation.setScriptExecutionDisabled", &serde_json::json!({"value": true}));
    chrome.open(&page.path);
    let shown = chrome.text("document.body.innerText");
    for words in ["Judge calibration", "careful", "hasty", "flip rate", "Estimates", "How to read"] {
        assert!(shown.contains(words), "no {words} in: {shown}");
    }
    assert!(chrome.value("document.querySelector('#items noscript').checkVisibility()") == true, "it says so");
    assert_eq!(chrome.text("document.querySelector('#browser').dataset.state"), "closed");
    assert_eq!(
        chrome.value("document.querySelector('#theme').checkVisibility()"),
        false,
        "no button that does nothing"
    );
}
