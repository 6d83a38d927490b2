//! Whoever has no mouse reaches and works everything, and sees where they are.

use super::chrome::{DOWN, ENTER, ESCAPE, TAB, UP};
use super::{Chrome, Page, kinds};

/// What the Tab key should visit, each with a number to know it by.
const NUMBERED: &str = "const all = [...document.querySelectorAll('a[href],button:not(:disabled),input,select,summary,[tabindex=\"0\"]')]\
    .filter(node => node.checkVisibility()); all.forEach((node, at) => { node.dataset.tab = at; }); return all.length;";

/// The one with the focus: its number, and whether its focus can be seen.
const FOCUSED: &str = "const node = document.activeElement, style = getComputedStyle(node), box = node.getBoundingClientRect(); \
    return [node.dataset.tab === undefined ? -1 : Number(node.dataset.tab), \
    style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && box.width > 0 && box.right > 0, node.outerHTML.slice(0, 120)];";

#[test]
fn tab_visits_everything_in_the_order_of_the_page_and_shows_where_it_is() {
    let Some(chrome) = Chrome::start() else { return };
    for page in &kinds()[..3] {
        let name = page.name;
        chrome.open_report(&page.path);
        chrome.click("#rows .item button");
        chrome.eval("document.activeElement.blur(); window.scrollTo(0, 0); document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex');");
        let all = chrome.eval(NUMBERED).as_i64().unwrap();
        assert!(all > 40, "{name}: {all}");
        for wanted in 0..all {
            chrome.press(&[TAB]);
            let found = chrome.eval(FOCUSED);
            assert_eq!(found[0].as_i64(), Some(wanted), "{name}: {}", found[2]);
            assert_eq!(found[1], true, "{name}: the focus cannot be seen on {}", found[2]);
        }
    }
}

#[test]
fn letters_walk_the_items_and_enter_opens_them() {
    let Some(chrome) = Chrome::start() else { return };
    let page = Page::calibration(&[0, 1, 2], "en");
    chrome.open_report(&page.path);
    let focused = || chrome.text("document.activeElement.parentNode.dataset.id");
    let opened = || {
        chrome.text(
            "[...document.querySelectorAll('#rows [aria-expanded=true]')].map(b => b.parentNode.dataset.id).join()",
        )
    };
    chrome.press(&["j", "j"]);
    assert_eq!(focused(), "q02");
    chrome.press(&["k"]);
    assert_eq!(focused(), "q01");
    chrome.press(&[DOWN, DOWN, UP]);
    assert_eq!(focused(), "q02");
    let inside = "(() => { const box = document.activeElement.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; })()";
    assert_eq!(chrome.value(inside), true, "the item is on the screen");
    chrome.press(&[ENTER]);
    assert_eq!((opened(), focused()), ("q02".to_owned(), "q02".to_owned()));
    chrome.press(&[ENTER]);
    assert_eq!(opened(), "");
    chrome.press(&["n"]);
    assert_eq!((focused(), chrome.number("document.querySelector('#browser').dataset.page")), ("q25".to_owned(), 2));
    chrome.press(&["p"]);
    assert_eq!((focused(), chrome.number("document.querySelector('#browser').dataset.page")), ("q00".to_owned(), 1));
}

#[test]
fn a_slash_goes_to_the_search_and_escape_leaves_it() {
    let Some(chrome) = Chrome::start() else { return };
    let page = Page::comparison("en");
    chrome.open_report(&page.path);
    chrome.press(&["/"]);
    assert_eq!(chrome.text("document.activeElement.id"), "search");
    chrome.type_in("needle-2");
    chrome.wait("document.querySelector('#browser').dataset.found === '11'");
    assert_eq!(chrome.text("document.querySelector('#search').value"), "needle-2", "letters are letters in the box");
    chrome.press(&[ESCAPE]);
    assert_ne!(chrome.text("document.activeElement.id"), "search");
    chrome.press(&["j"]);
    assert_eq!(chrome.text("document.activeElement.parentNode.dataset.id"), "q20", "the keys walk what was found");
}

#[test]
fn the_end_of_the_pages_keeps_the_focus_in_the_pager() {
    let Some(chrome) = Chrome::start() else { return };
    let page = Page::comparison("en");
    chrome.open_report(&page.path);
    chrome.eval("document.querySelector('#page-last').focus()");
    chrome.press(&[ENTER]);
    assert_eq!(chrome.number("document.querySelector('#browser').dataset.page"), 3);
    assert_eq!(
        chrome.value("document.querySelector('#pager').contains(document.activeElement)"),
        true,
        "a button that is spent passes the focus on"
    );
    chrome.press(&[ENTER]);
    assert!(chrome.number("document.querySelector('#browser').dataset.page") < 3, "and the next press goes back");
}
