//! Search, filters, order and pages show what the run counted.

use serde_json::Value;

use super::pages::{CATEGORIES, ITEMS, JUDGES, silent};
use super::{Chrome, Page};

fn found(chrome: &Chrome) -> u64 {
    chrome.number("document.querySelector('#browser').dataset.found")
}

fn ids(chrome: &Chrome) -> Vec<String> {
    let list = chrome.value("[...document.querySelectorAll('#rows .item')].map(row => row.dataset.id)");
    list.as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
}

/// Types into the search box in place of what stands there, and waits until so many are found.
fn search(chrome: &Chrome, text: &str, wanted: usize) {
    chrome.eval("const box = document.querySelector('#search'); box.focus(); box.select();");
    chrome.type_in(text);
    chrome.wait(&format!("document.querySelector('#browser').dataset.found === '{wanted}'"));
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no count: {value}"))
}

#[test]
fn filters_of_a_calibration_find_as_many_items_as_the_run_counted() {
    let Some(chrome) = Chrome::start() else { return };
    let page = Page::calibration(&[0, 1, 2], "en");
    chrome.open_report(&page.path);
    assert_eq!(chrome.number("document.querySelector('#browser').dataset.total"), ITEMS as u64);
    assert_eq!(found(&chrome), ITEMS as u64);
    let json = page.json();
    for judge in json["judges"].as_array().unwrap() {
        let name = judge["name"].as_str().unwrap();
        let option = format!(
            "[...document.querySelector('#filter-judge').options].find(o => o.text === {}).value",
            Value::from(name)
        );
        chrome.choose("#filter-judge", &chrome.text(&option));
        let figures = &judge["figures"];
        chrome.choose("#filter", "flips");
        assert_eq!(found(&chrome), count(&figures["flip_rate"]["k"]), "flips of {name}");
        chrome.choose("#filter", "disagree");
        let strict = &figures["agreement_strict"];
        assert_eq!(found(&chrome), count(&strict["n"]) - count(&strict["k"]), "disagreements of {name}");
        chrome.choose("#filter", "none");
        assert_eq!(found(&chrome), silent(name), "items of {name} without a verdict");
        chrome.choose("#filter", "all");
    }
    chrome.choose("#filter-judge", "");
    let labels = &json["judges"][0]["figures"]["gold_labels"];
    for (value, name) in [("a", "a"), ("b", "b"), ("t", "tie")] {
        chrome.choose("#filter-label", value);
        assert_eq!(found(&chrome), count(&labels[name]), "gold {name}");
    }
    chrome.choose("#filter-label", "");
    for (index, category) in CATEGORIES.iter().enumerate() {
        let option =
            format!("[...document.querySelector('#filter-category').options].find(o => o.text === '{category}').value");
        chrome.choose("#filter-category", &chrome.text(&option));
        assert_eq!(found(&chrome), 20, "{category}");
        assert!(ids(&chrome).contains(&format!("q{index:02}")), "{category}");
    }
    // Filters together: what the three of them leave.
    chrome.choose("#filter-label", "a");
    chrome.choose("#filter", "texts");
    assert_eq!(found(&chrome), (0..ITEMS).filter(|n| n % 3 == 2 && matches!(n % 5, 0 | 4)).count() as u64);
    assert_eq!(
        JUDGES.len() + 1,
        usize::try_from(chrome.number("document.querySelector('#filter-judge').options.length")).unwrap()
    );
}

#[test]
fn filters_of_a_comparison_find_as_many_items_as_the_run_counted() {
    let Some(chrome) = Chrome::start() else { return };
    let page = Page::comparison("ja");
    chrome.open_report(&page.path);
    let json = page.json();
    let outcomes = &json["outcomes"];
    assert_eq!(found(&chrome), count(&json["items"]));
    chrome.choose("#filter", "flips");
    assert_eq!(found(&chrome), count(&outcomes["flip_first"]) + count(&outcomes["flip_second"]));
    chrome.choose("#filter", "none");
    assert_eq!(found(&chrome), count(&outcomes["no_verdict"]));
    chrome.choose("#filter", "all");
    // Every item's chip is its outcome.
    let mut seen = std::collections::BTreeMap::<String, u64>::new();
    loop {
        for outcome in chrome
            .value("[...document.querySelectorAll('#rows .chip')].map(c => c.dataset.outcome)")
            .as_array()
            .unwrap()
        {
            *seen.entry(outcome.as_str().unwrap().to_owned()).or_default() += 1;
        }
        if chrome.value("document.querySelector('#page-next').disabled") == true {
            break;
        }
        chrome.click("#page-next");
    }
    for (outcome, number) in outcomes.as_object().unwrap() {
        assert_eq!(seen.get(outcome).copied().unwrap_or(0), count(number), "{outcome}");
    }
}

#[test]
fn search_looks_in_ids_texts_and_answers_in_any_script() {
    let Some(chrome) = Chrome::start() else { return };
    let page = Page::calibration(&[0, 1, 2], "en");
    chrome.open_report(&page.path);
    search(&chrome, "NEEDLE-17.", 1);
    assert_eq!(ids(&chrome), ["q17"], "texts, in any case");
    search(&chrome, "q4", 10);
    search(&chrome, "要約してください", 20);
    search(&chrome, "both have merits", 10);
    search(&chrome, "nothing has this", 0);
    assert_eq!(chrome.text("document.querySelector('#page-where').textContent"), "0");
    assert!(!chrome.text("document.querySelector('#rows').innerText").is_empty(), "an empty list says so");
}

#[test]
fn order_and_pages_lose_no_item_and_show_none_twice() {
    let Some(chrome) = Chrome::start() else { return };
    let page = Page::calibration(&[0, 1, 2], "en");
    chrome.open_report(&page.path);
    let set: Vec<String> = (0..ITEMS).map(|n| format!("q{n:02}")).collect();
    for sort in ["set", "telling", "category", "label"] {
        chrome.choose("#sort", sort);
        let mut all = ids(&chrome);
        chrome.click("#page-next");
        all.extend(ids(&chrome));
        chrome.click("#page-last");
        all.extend(ids(&chrome));
        assert_eq!(chrome.number("document.querySelector('#browser').dataset.page"), 3);
        assert!(chrome.text("document.querySelector('#page-where').textContent").contains("51–60"));
        assert_eq!(chrome.value("document.querySelector('#page-next').disabled"), true);
        if sort == "set" {
            assert_eq!(all, set);
        } else {
            assert_ne!(all, set, "{sort} is another order");
        }
        if sort == "label" {
            let labels: Vec<usize> =
                all.iter().map(|id| [0, 1, 2, 1, 0][id[1..].parse::<usize>().unwrap() % 5]).collect();
            assert!(labels.is_sorted(), "{labels:?}");
        }
        all.sort();
        assert_eq!(all, set, "{sort}");
        chrome.click("#page-previous");
        chrome.click("#page-first");
        assert_eq!(chrome.number("document.querySelector('#browser').dataset.page"), 1);
    }
}

#[test]
fn an_opened_item_shows_both_texts_their_differences_and_what_was_said_in_each_order() {
    let Some(chrome) = Chrome::start() else { return };
    let page = Page::calibration(&[0, 1, 2], "en");
    chrome.open_report(&page.path);
    chrome.click("#rows .item[data-id='q03'] > button");
    let shown =
        |part: &str| chrome.text(&format!("document.querySelector('#rows .item[data-id=q03] {part}').innerText"));
    assert!(shown("[data-side=a]").contains("Needle-3."));
    assert!(shown("[data-side=b]").contains("some other words"));
    assert_eq!(chrome.number("document.querySelectorAll('[data-order=ab]').length"), 3, "one a judge");
    assert!(shown("[data-order=ba]").contains("Weighing both"));
    assert!(chrome.number("document.querySelectorAll('#rows mark').length") > 0);
    assert!(shown("[data-side=b] mark").contains("some other"), "what differs is marked");
    chrome.click("#differences");
    assert_eq!(chrome.number("document.querySelectorAll('#rows mark').length"), 0);
    chrome.click("#rows .item[data-id='q03'] > button");
    assert_eq!(chrome.number("document.querySelectorAll('#rows .body').length"), 0, "closed again");
}
