//! axe-core finds nothing serious in any page, theme and language.

use serde_json::json;

use super::chrome::skipped;
use super::{Chrome, kinds};

/// The source of axe-core, from the file that `TRIBUNAL_AXE` names.
fn axe() -> Option<String> {
    #[allow(clippy::disallowed_methods, reason = "where the tool lies is the test's own setting")]
    let path = std::env::var("TRIBUNAL_AXE").ok();
    let Some(path) = path else {
        skipped("TRIBUNAL_AXE does not name axe.min.js");
        return None;
    };
    Some(std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("TRIBUNAL_AXE={path}: {error}")))
}

#[test]
fn no_page_has_a_serious_fault_in_either_theme() {
    let Some(axe) = axe() else { return };
    let Some(chrome) = Chrome::start() else { return };
    for page in kinds() {
        let name = page.name;
        for theme in ["light", "dark"] {
            let feature = json!({"features": [{"name": "prefers-color-scheme", "value": theme}]});
            chrome.devtools("Emulation.setEmulatedMedia", &feature);
            chrome.open_report(&page.path);
            chrome.eval("document.querySelectorAll('details').forEach(node => { node.open = true; })");
            for item in ["q00", "q01", "q06"] {
                chrome.click(&format!("#rows .item[data-id={item}] > button"));
            }
            chrome.eval(&axe);
            let found = chrome.later(
                "axe.run(document, {preload: false, resultTypes: ['violations', 'passes']}).then(r => done({\
                 passes: r.passes.map(p => p.id), violations: r.violations.map(v => \
                 [v.impact, v.id, v.nodes.length, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + n.failureSummary)])}), e => done({error: String(e)}))",
            );
            let passes = found["passes"].to_string();
            assert!(passes.contains("color-contrast") && passes.contains("button-name"), "{name}: it looked: {found}");
            let faults: Vec<String> = found["violations"]
                .as_array()
                .unwrap()
                .iter()
                .inspect(|fault| println!("{name}, {theme}: {fault}"))
                .filter(|fault| fault[0] == "serious" || fault[0] == "critical")
                .map(ToString::to_string)
                .collect();
            assert!(faults.is_empty(), "{name}, {theme}: {}", faults.join("\n"));
        }
    }
}
