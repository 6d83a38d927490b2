//! Themes, narrow screens and paper.

use serde_json::{Value, json};

use super::{Chrome, Page, kinds};

fn prefer(chrome: &Chrome, theme: &str) {
    let feature = json!({"features": [{"name": "prefers-color-scheme", "value": theme}]});
    chrome.devtools("Emulation.setEmulatedMedia", &feature);
}

/// Brightness of the paper and of the ink, 0 to 255.
fn shades(chrome: &Chrome) -> [u64; 2] {
    ["backgroundColor", "color"]
        .map(|part| chrome.number(&format!("getComputedStyle(document.body).{part}.match(/[0-9]+/g)[1]")))
}

#[test]
fn the_page_follows_the_system_and_its_button_turns_it() {
    let Some(chrome) = Chrome::start() else { return };
    let page = Page::comparison("en");
    for (theme, dark) in [("light", false), ("dark", true)] {
        prefer(&chrome, theme);
        chrome.open_report(&page.path);
        let is_dark = || {
            let [paper, ink] = shades(&chrome);
            assert!(paper.abs_diff(ink) > 150, "{paper} {ink}");
            paper < ink
        };
        assert_eq!(is_dark(), dark, "{theme}");
        chrome.click("#theme");
        assert_eq!(is_dark(), !dark, "{theme}, turned");
        chrome.click("#theme");
        assert_eq!(is_dark(), dark, "{theme}, turned back");
    }
}

#[test]
fn on_a_phone_nothing_has_to_be_pushed_sideways() {
    let Some(chrome) = Chrome::start() else { return };
    for width in [390, 320] {
        let phone = json!({"width": width, "height": 844, "deviceScaleFactor": 2, "mobile": true});
        chrome.devtools("Emulation.setDeviceMetricsOverride", &phone);
        for page in kinds() {
            let name = page.name;
            chrome.open_report(&page.path);
            for item in ["q00", "q01", "q06"] {
                chrome.eval(&format!("document.querySelector('#rows .item[data-id={item}] > button').click()"));
            }
            chrome.eval("document.querySelectorAll('details').forEach(node => { node.open = true; })");
            let wide = format!(
                "[...document.querySelectorAll('main *')].filter(n => !n.closest('.scroll,svg') && n.getBoundingClientRect().right > {width} + 1)\
                 .slice(0, 4).map(n => n.outerHTML.slice(0, 140)).join('\\n')"
            );
            let full = chrome.number("document.scrollingElement.scrollWidth");
            assert!(
                full <= width && chrome.number("innerWidth") <= width,
                "{name} at {width}: {full}\n{}",
                chrome.text(&wide)
            );
        }
    }
}

#[test]
fn no_chart_draws_beyond_its_edges_and_no_two_labels_lie_on_each_other() {
    let Some(chrome) = Chrome::start() else { return };
    for width in [1200, 390] {
        let screen = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        chrome.devtools("Emulation.setDeviceMetricsOverride", &screen);
        for page in kinds() {
            let name = page.name;
            chrome.open_report(&page.path);
            let faults = chrome.eval(
                "const faults = [], slack = 1.5;\
                 for (const svg of document.querySelectorAll('main svg[role=img]')) {\
                   const frame = svg.closest('figure,.flow,.crit,.outcomes,.row').getBoundingClientRect();\
                   const boxes = [...svg.querySelectorAll('text')].filter(t => t.checkVisibility() && t.textContent.trim()).map(t => [t.textContent, t.getBoundingClientRect()]);\
                   for (const [text, box] of boxes) if (box.left < frame.left - slack || box.right > frame.right + slack) faults.push([svg.className.baseVal, 'beyond', text]);\
                   for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {\
                     const [p, q] = [boxes[i][1], boxes[j][1]];\
                     const w = Math.min(p.right, q.right) - Math.max(p.left, q.left), h = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);\
                     if (w > slack && h > 4) faults.push([svg.className.baseVal, 'over', boxes[i][0], boxes[j][0]]);\
                   }\
                 } return faults;",
            );
            assert_eq!(faults, json!([]), "{name} at {width}");
        }
    }
}

#[test]
fn on_paper_stand_the_summary_and_the_charts_with_their_numbers_and_no_controls() {
    let Some(chrome) = Chrome::start() else { return };
    for page in kinds() {
        let name = page.name;
        chrome.open_report(&page.path);
        chrome.eval(
            "addEventListener('beforeprint', () => { window.on_paper = [...document.querySelectorAll('details.numbers')].map(d => d.open); })",
        );
        chrome.print();
        chrome.wait("window.on_paper");
        let opened = chrome.value("window.on_paper");
        assert!(
            opened.as_array().unwrap().len() > 2 && opened.as_array().unwrap().iter().all(|open| *open == true),
            "{name}: {opened}"
        );
        assert_eq!(chrome.number("document.querySelectorAll('details.numbers[open]').length"), 0, "{name}: as it was");

        prefer(&chrome, "dark");
        chrome.devtools("Emulation.setEmulatedMedia", &json!({"media": "print"}));
        let seen = |selector: &str| -> Value {
            chrome
                .value(&format!("[...document.querySelectorAll('{selector}')].filter(n => n.checkVisibility()).length"))
        };
        for hidden in ["#theme", "#browser", "#search", ".skip"] {
            assert_eq!(seen(hidden), 0, "{name}: {hidden}");
        }
        assert!(seen("#decision .verdict h2, #decision .verdict .word").as_u64() > Some(0), "{name}");
        assert_eq!(
            seen("figure[data-chart] svg"),
            chrome.value("document.querySelectorAll('figure[data-chart] svg').length"),
            "{name}"
        );
        let [paper, ink] = shades(&chrome);
        assert!(paper > 200 && ink < 80, "{name}: dark ink on white paper: {paper} {ink}");
        chrome.devtools("Emulation.setEmulatedMedia", &json!({"media": ""}));
    }
}
