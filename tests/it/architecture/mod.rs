//! The house rules, read from the source: who may import whom, who alone may touch what, how large a file may grow.
//!
//! Every rule is shown to fail on a planted line; a rule that cannot fail protects nothing.

mod code;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use code::{Token, code_of, tokens};

/// The rooms that each room may import, beside itself.
const MAY_IMPORT: [(&str, &[&str]); 10] = [
    ("domain", &[]),
    ("stats", &[]),
    ("data", &["domain"]),
    ("prompt", &["domain"]),
    ("store", &["domain"]),
    ("judge", &["domain", "prompt"]),
    ("runner", &["domain", "judge", "store"]),
    ("analysis", &["domain", "stats"]),
    ("report", &["domain", "stats", "analysis"]),
    ("cli", &["domain", "stats", "data", "prompt", "judge", "store", "runner", "analysis", "report"]),
];

/// No file is longer.
const MOST_LINES: usize = 700;

/// Something that may be named in few places, or in none.
struct Owned {
    /// Code as it would be written.
    code: &'static str,
    /// Beginnings of the paths below `src/` that may; empty means nobody.
    owners: &'static [&'static str],
    /// Why.
    why: &'static str,
}

const fn owned(code: &'static str, owners: &'static [&'static str], why: &'static str) -> Owned {
    Owned { code, owners, why }
}

const EVIDENCE_AND_CLI: &[&str] = &["data/", "prompt/", "store/", "judge/", "runner/", "cli/"];
const CLOCKS: &[&str] = &["cli/", "runner/", "judge/http/"];

const OWNED: &[Owned] = &[
    owned("sled", &["store/"], "the index engine is the store's own business"),
    owned("reqwest", &["judge/http/"], "there is one client"),
    owned("hyper", &["judge/http/"], "there is one client"),
    owned("hyper_util", &["judge/http/"], "there is one client"),
    owned("tera", &["report/html.rs"], "there is one place where templates are filled"),
    owned("tracing", &["cli/log.rs", "judge/endpoint.rs"], "few places speak to the log"),
    owned("tracing_subscriber", &["cli/log.rs"], "there is one place where a log is written"),
    owned(
        "crossterm",
        &["cli/labelling/terminal.rs", "cli/labelling/keys.rs"],
        "one file changes the terminal, and puts it right again; one reads its keys",
    ),
    owned("clap", &["cli/"], "only the command line knows flags"),
    owned("tokio", &["cli/", "runner/", "judge/"], "only what asks waits"),
    owned("rayon", &["stats/"], "only resampling is worth threads"),
    owned("std::env", &["cli/", "main.rs"], "the environment is read by the command line"),
    owned("env::", &["cli/", "main.rs"], "the environment is read by the command line"),
    owned("println!", &["cli/"], "words go out through the command line"),
    owned("print!", &["cli/"], "words go out through the command line"),
    owned("eprintln!", &["cli/"], "words go out through the command line"),
    owned("eprint!", &["cli/"], "words go out through the command line"),
    owned("stdout(", &["cli/"], "words go out through the command line"),
    owned("stderr(", &["cli/"], "words go out through the command line"),
    owned("stdin(", &["cli/"], "standard input is handed in"),
    owned("process::exit", &[], "main returns an ExitCode"),
    owned("process::abort", &[], "main returns an ExitCode"),
    owned("std::process::id", &["cli/", "store/"], "only names of temporary files and locks need it"),
    owned("SystemTime", CLOCKS, "the clock is handed in"),
    owned("Instant", CLOCKS, "the clock is handed in"),
    owned("Timestamp::now", &["cli/"], "the clock is handed in"),
    owned("Zoned::now", &["cli/"], "the clock is handed in"),
    owned("std::fs", EVIDENCE_AND_CLI, "the reading wing touches no file"),
    owned("File::", EVIDENCE_AND_CLI, "the reading wing touches no file"),
    owned("std::net", &["judge/http/"], "the network is reached through the one client"),
    owned("thread_rng", &[], "all chance has a seed"),
    owned("OsRng", &[], "all chance has a seed"),
    owned("SysRng", &[], "all chance has a seed"),
    owned("from_os_rng", &[], "all chance has a seed"),
    owned("from_entropy", &[], "all chance has a seed"),
    owned("rand::rng", &[], "all chance has a seed"),
    owned("rand::random", &[], "all chance has a seed"),
    owned("getrandom", &[], "all chance has a seed"),
    owned(".unwrap()", &[], "a panic needs an expect whose message is the proof that it cannot happen"),
    owned("todo!", &[], "nothing is left for later"),
    owned("unimplemented!", &[], "nothing is left for later"),
    owned("dbg!", &[], "nothing is left from looking"),
    owned("unsafe", &[], "there is no need"),
];

/// What a file below `src/` does against the rules, one line each.
fn findings(path: &str, text: &str) -> Vec<String> {
    let lines = text.lines().count();
    let mut found = Vec::new();
    if lines > MOST_LINES {
        found.push(format!("{path}: {lines} lines, at most {MOST_LINES} may be"));
    }
    if !text.starts_with("//!") {
        found.push(format!("{path}:1: a file begins with what it is for (`//!`)"));
    }
    let code = code_of(text);
    let tokens = tokens(&code);
    for Owned { code, owners, why } in OWNED {
        if owners.iter().any(|owner| path.starts_with(owner)) {
            continue;
        }
        let lines = places(&tokens, code);
        found.extend(lines.into_iter().map(|line| format!("{path}:{line}: `{code}` is not for this file: {why}")));
    }
    let Some((room, _)) = path.split_once('/') else { return found };
    let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| *name == room) else {
        found.push(format!("{path}: no such room; add it to the table in tests/it/architecture"));
        return found;
    };
    for Token { text: other, line } in imported(path, &tokens) {
        if other != room && !allowed.contains(&other) {
            found.push(format!("{path}:{line}: {room} may not import {other}"));
        }
    }
    found
}

/// The lines on which the tokens of `code` stand one after the other.
fn places(found: &[Token<'_>], code: &str) -> Vec<usize> {
    let wanted: Vec<&str> = tokens(code).iter().map(|token| token.text).collect();
    let is_here = |window: &&[Token<'_>]| window.iter().map(|token| token.text).eq(wanted.iter().copied());
    found.windows(wanted.len()).filter(is_here).map(|window| window[0].line).collect()
}

/// The top-level modules named behind `crate::`, or behind as many `super::` as lead there.
fn imported<'a>(path: &str, tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let depth = path.trim_end_matches("/mod.rs").split('/').count();
    let is_path = |at: usize| [at, at + 1].iter().all(|at| tokens.get(*at).is_some_and(|token| token.text == ":"));
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let start = at;
        at += 1;
        let at_root = match tokens[start].text {
            "crate" => true,
            "super" => {
                let mut ups = 1;
                while is_path(at) && tokens.get(at + 2).is_some_and(|token| token.text == "super") {
                    ups += 1;
                    at += 3;
                }
                ups == depth
            }
            _ => false,
        };
        if at_root && is_path(at) {
            found.extend(heads(&tokens[at + 2..]));
        }
    }
    found
}

/// The first names of a path or of each path in a group.
fn heads<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut found = Vec::new();
    let mut depth = 0;
    let mut is_head = true;
    for token in tokens {
        match token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," if depth == 1 => is_head = true,
            _ if is_head => {
                found.push(*token);
                is_head = false;
            }
            _ => {}
        }
        if depth == 0 && !found.is_empty() {
            break;
        }
    }
    found
}

/// Test code may do what it needs to.
fn is_test_file(path: &str) -> bool {
    path.ends_with("_tests.rs") || path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// Every file below `src/` with its text, by path from there.
fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders: Vec<PathBuf> = vec![root.clone()];
    let mut found = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
                found.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn no_file_breaks_a_house_rule() {
    let sources = sources();
    assert!(sources.len() > 100, "{} files are not the whole house", sources.len());
    let found: Vec<String> = sources
        .iter()
        .flat_map(|(path, text)| {
            let mut found = findings(path, text);
            if is_test_file(path) {
                found.retain(|finding| finding.contains(" lines, at most "));
            }
            found
        })
        .collect();
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
}

#[test]
fn every_room_of_the_table_is_there_and_declared() {
    let sources = sources();
    let library = tokens(&code_of(&sources["lib.rs"])).iter().map(|token| token.text).collect::<Vec<_>>().join(" ");
    for (room, _) in MAY_IMPORT {
        assert!(sources.contains_key(&format!("{room}/mod.rs")), "there is no room {room}");
        assert!(library.contains(&format!("pub mod {room} ;")), "lib.rs does not declare {room}");
    }
}

#[test]
fn the_table_in_the_documents_is_the_one_that_is_enforced() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    let written: BTreeMap<&str, Vec<&str>> = rows
        .filter_map(|row| {
            let (room, rest) = row.split_once("` | imports ")?;
            Some((room, rest.split('`').skip(1).step_by(2).collect()))
        })
        .collect();
    let enforced: BTreeMap<&str, Vec<&str>> =
        MAY_IMPORT.iter().map(|(room, allowed)| (*room, allowed.to_vec())).collect();
    assert_eq!(written, enforced);
}

/// The findings of a planted file that begins as every file does.
fn planted(path: &str, code: &str) -> Vec<String> {
    findings(path, &format!("//! Planted.\n{code}\n"))
}

#[test]
fn a_forbidden_import_is_found_however_it_is_written() {
    for (path, code) in [
        ("stats/x.rs", "use crate::domain::ItemId;"),
        ("domain/ids.rs", "fn f() { crate::stats::f() }"),
        ("analysis/gate.rs", "use crate::{domain::Pair, report};"),
        ("analysis/gate.rs", "use crate::{\n    domain::{Pair, Order},\n    store::Store,\n};"),
        ("report/chart/bar.rs", "use super::super::super::cli::run;"),
        ("data/mod.rs", "use super::judge;"),
        ("judge/x.rs", "use crate::store::Store;"),
        ("runner/x.rs", "use crate::analysis::gate;"),
        ("attic/mod.rs", "use crate::domain::Pair;"),
    ] {
        assert_eq!(planted(path, code).len(), 1, "{path}: {code}: {:?}", planted(path, code));
    }
}

#[test]
fn allowed_imports_comments_texts_and_tests_are_left_alone() {
    for (path, code) in [
        ("cli/x.rs", "use crate::{domain, stats, report::Report};"),
        ("data/verdicts/long.rs", "use super::super::row::Row;\nuse crate::data::row;"),
        ("stats/x.rs", "// use crate::domain\nconst S: &str = \"crate::domain println!()\";"),
        (
            "stats/x.rs",
            "#[cfg(test)]\nmod tests {\n    use crate::domain::Pair;\n    fn f() { g().unwrap(); println!(); }\n}",
        ),
        ("stats/x.rs", "fn f(e: &str) -> &str { env!(\"CARGO\") }"),
        ("judge/http/mod.rs", "use reqwest::Client;\nuse std::time::{Instant, SystemTime};"),
        ("stats/x.rs", "fn f() { x.unwrap_or(0); rand_chacha::f(); self.instant; }"),
    ] {
        assert_eq!(planted(path, code), Vec::<String>::new(), "{path}: {code}");
    }
}

#[test]
fn every_owned_thing_is_found_outside_its_owners() {
    for Owned { code, owners, .. } in OWNED {
        let line = format!("fn f() {{ g {code} ; }}");
        for path in ["analysis/x.rs", "domain/x.rs"] {
            assert_eq!(planted(path, &line).len(), 1, "{path}: {line}");
        }
        for owner in *owners {
            let path = if owner.ends_with('/') { format!("{owner}x.rs") } else { (*owner).to_owned() };
            let about = format!("`{code}`");
            assert!(!planted(&path, &line).iter().any(|finding| finding.contains(&about)), "{path}: {code}");
        }
    }
}

#[test]
fn a_long_file_and_a_file_without_a_word_of_its_purpose_are_found() {
    assert_eq!(planted("domain/x.rs", &"\n".repeat(MOST_LINES)).len(), 1);
    assert_eq!(findings("domain/mod.rs", "pub mod ids;\n").len(), 1);
    assert_eq!(planted("domain/x.rs", "fn f() {}\n"), Vec::<String>::new());
}
