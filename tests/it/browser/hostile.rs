//! Texts of strangers stay texts, in a real browser too.

use serde_json::{Value, json};

use super::{Chrome, Page};

const ATTACK: &str = "</script><script>window.PWNED=1;alert(1)</script><img src=x onerror=\"window.PWNED=2;alert(2)\">\
    <svg onload=window.PWNED=3><iframe src=\"javascript:parent.PWNED=4\"></iframe><style>*{display:none!important}</style>\
    <a href=\"javascript:alert(5)\">x</a><base href=\"http://attack.invalid/\">--><!-- ]]> {{ 7*7 }} {% raw %} ' \" ` \u{202e}evil\u{2066} &lt;b&gt;";

#[test]
fn nothing_that_came_from_outside_acts() {
    let Some(chrome) = Chrome::start() else { return };
    let page = Page::hostile(ATTACK);
    chrome.open_report(&page.path);
    let count = |selector: &str| chrome.number(&format!("document.querySelectorAll('{selector}').length"));
    chrome.eval("document.querySelectorAll('details').forEach(node => { node.open = true; })");
    chrome.eval("document.querySelectorAll('#rows .item > button').forEach((b, at) => { if (at < 3) document.querySelectorAll('#rows .item > button')[at].click(); })");
    // Nothing has the first text and every item the second, so the list has really looked for both.
    for (text, found) in [("no item says this", "0"), ("<img src=x onerror", "60")] {
        chrome.press(&["/"]);
        chrome.eval("document.activeElement.select()");
        chrome.type_in(text);
        chrome.wait(&format!("document.querySelector('#browser').dataset.found === '{found}'"));
    }
    assert!(count("#rows .body") == 3, "three items lie open");
    assert_eq!(chrome.dialog(), None);
    assert_eq!(chrome.value("typeof window.PWNED"), "undefined");
    assert_eq!(count("script"), 3, "two blocks of data and the page's script");
    assert_eq!(count("style"), 1);
    assert_eq!(count("img,iframe,object,embed,base,form,audio,video"), 0);
    let handlers = "[...document.querySelectorAll('*')].filter(n => n.getAttributeNames().some(name => name.startsWith('on'))).length";
    assert_eq!(chrome.number(handlers), 0);
    let links = "[...document.querySelectorAll('[href],[src]')].filter(n => !/^(#|data:,$)/.test(n.getAttribute('href') || n.getAttribute('src'))).length";
    assert_eq!(chrome.number(links), 0);
    assert!(
        chrome.text("document.querySelector('#rows [data-side=a]').innerText").contains("<script>window.PWNED=1"),
        "it can be read"
    );
    assert_eq!(chrome.value("performance.getEntriesByType('resource').length"), 0);
    assert_eq!(chrome.log("browser"), Vec::<Value>::new(), "the policy had nothing to stop");

    let phone = json!({"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true});
    chrome.devtools("Emulation.setDeviceMetricsOverride", &phone);
    assert!(chrome.number("document.scrollingElement.scrollWidth") <= 390, "no name is too long for a phone");
}
