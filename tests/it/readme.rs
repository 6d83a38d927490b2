//! The commands of both READMEs, run as a reader would paste them, against a server on this machine.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};

/// The address that the READMEs use.
const WRITTEN: &str = "127.0.0.1:8000";

/// Fewer resamples than by default, so that many commands take little time; else as typed. Statuses go to a file.
const SHELL: &str = r#"
tribunal() {
    command=$1
    shift
    case $command in
        calibrate | compare) "$TRIBUNAL" -q "$command" --resamples 200 "$@" ;;
        *) "$TRIBUNAL" "$command" "$@" ;;
    esac
    echo "$? $command $*" >> statuses
}
"#;

/// The fenced blocks of one language.
pub fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).filter_map(|rest| rest.split_once("```")).map(|(block, _)| block).collect()
}

/// A judge that knows the shipped gold set, and names the first answer of everything else.
async fn judge(Json(request): Json<Value>) -> Json<Value> {
    let asked = request["messages"].to_string();
    let said = |text: &Value| {
        let quoted = text.to_string();
        asked.find(quoted.trim_matches('"'))
    };
    let gold = include_str!("../../gold/core.jsonl").lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let known = gold.filter(|item| said(&item["prompt"]).is_some()).find_map(|item| {
        let (a, b) = (said(&item["response_a"])?, said(&item["response_b"])?);
        Some(match item["gold"].as_str()? {
            "tie" => "tie",
            label => {
                if (label == "a") == (a < b) {
                    "A"
                } else {
                    "B"
                }
            }
        })
    });
    let verdict = known.unwrap_or("A");
    let bracket = if verdict == "tie" { "C" } else { verdict };
    let text = if asked.contains("Verdict: tie") { format!("Verdict: {verdict}") } else { format!("[[{bracket}]]") };
    Json(json!({
        "model": request["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 400, "completion_tokens": 8},
    }))
}

/// The judge at an address of this machine.
pub async fn serve() -> (String, tokio::task::JoinHandle<()>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = axum::serve(listener, Router::new().route("/v1/chat/completions", post(judge)));
    (address, tokio::spawn(async move { server.await.unwrap() }))
}

/// Runs every block of a README in a new folder and returns the lines `STATUS COMMAND`.
async fn statuses(readme: &str) -> Vec<String> {
    let (address, server) = serve().await;
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(readme)).unwrap();
    let text = text.replace(WRITTEN, &address);
    let folder = tempfile::tempdir().unwrap();
    let settings = blocks(&text, "toml").concat();
    let commands = blocks(&text, "sh").into_iter().filter(|block| !block.contains("cargo ")).collect::<String>();
    let script = format!("{SHELL}\ncat > tribunal.toml <<'END'\n{settings}END\n{commands}");
    let path = folder.path().to_owned();
    let out = tokio::task::spawn_blocking(move || {
        Command::new("sh")
            .args(["-c", &script])
            .current_dir(path)
            .env("TRIBUNAL", env!("CARGO_BIN_EXE_tribunal"))
            .env("NO_PROXY", "127.0.0.1")
            .output()
    });
    let out = out.await.unwrap().unwrap();
    server.abort();
    let written = std::fs::read_to_string(folder.path().join("statuses")).unwrap();
    println!("{written}{}", String::from_utf8_lossy(&out.stderr));
    written.lines().map(str::to_owned).collect()
}

/// Done, falls short or undecided are answers; everything else is a command that does not work.
fn assert_all_answer(statuses: &[String], at_least: usize) {
    assert!(statuses.len() >= at_least, "{} commands were run", statuses.len());
    for line in statuses {
        assert!(["0 ", "1 ", "3 "].iter().any(|status| line.starts_with(status)), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_of_the_readme_works() {
    let statuses = statuses("README.md").await;
    assert_all_answer(&statuses, 15);
    let status_of = |part: &str| statuses.iter().find(|line| line.contains(part)).map(|line| line.split(' ').next());
    assert_eq!(status_of("--out judge.html"), Some(Some("0")), "the judge passes");
    assert_eq!(status_of("--out new-old.html"), Some(Some("0")), "and its certificate opens the comparison");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_of_the_japanese_readme_works() {
    let statuses = statuses("README.ja.md").await;
    assert_all_answer(&statuses, 15);
    let certified = statuses.iter().find(|line| line.contains("--out new-old.html"));
    assert!(
        certified.is_some_and(|line| line.starts_with("0 ")),
        "the calibration opens the comparison: {certified:?}"
    );
}

/// Each block of commands with the paragraph before it.
fn introduced(text: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = text.split("```").collect();
    // Every second part is inside a fence.
    parts
        .windows(2)
        .step_by(2)
        .filter_map(|pair| Some((pair[0].trim_end().rsplit("\n\n").next()?, pair[1].strip_prefix("sh\n")?)))
        .collect()
}

#[test]
fn every_block_says_what_it_needs_and_what_needs_nothing_comes_first() {
    for (readme, nothing, endpoint) in [
        ("README.md", "**Needs nothing**", "**Needs an endpoint**"),
        ("README.ja.md", "**必要なもの：なし**", "**必要なもの：接続先**"),
    ] {
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(readme)).unwrap();
        let blocks = introduced(&text);
        assert!(blocks.len() >= 9, "{readme}: {} blocks", blocks.len());
        for (before, block) in &blocks {
            let is_call = |line: &str| ["://", "--judge mini", "--model mini"].iter().any(|part| line.contains(part));
            let mut commands = block.lines().filter(|line| line.starts_with("tribunal "));
            // What reads the answers of a call stands behind it.
            let calls = commands.next().is_some_and(is_call);
            assert!(calls || !commands.any(is_call), "{readme} begins with what needs nothing, then calls: {block}");
            let mark = if calls { endpoint } else { nothing };
            assert!(before.starts_with(mark), "{readme}: {before:?} stands before {block:?}");
        }
        let first_call = blocks.iter().position(|(before, _)| before.starts_with(endpoint)).unwrap();
        let before: String = blocks[..first_call].iter().map(|(_, block)| *block).collect();
        for word in [
            "-- demo",
            "--a new.jsonl --b old.jsonl --judge control:longest",
            "--out first.html",
            "calibrate --judge control:",
        ] {
            assert!(before.contains(word), "{readme}: {word} comes before the first call");
        }
    }
}
