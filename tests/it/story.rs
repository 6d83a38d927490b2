//! What `docs/` and `examples/` show is what the program does.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "a test may write its own files")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::readme::{blocks, serve};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap()
}

/// Runs a script in `folder`; `tribunal` is the program of this build.
fn shell(script: &str, folder: &Path) -> Output {
    let binary = env!("CARGO_BIN_EXE_tribunal");
    let script = format!("tribunal() {{ {binary} \"$@\"; }}\n{script}");
    Command::new("sh").args(["-c", &script]).current_dir(folder).env("NO_PROXY", "127.0.0.1").output().unwrap()
}

/// The words of a line, whatever lies between them.
fn squeezed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_command_of_the_story_prints_what_stands_under_it() {
    let text = read("docs/story.md");
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("gold"), folder.path().join("gold")).unwrap();
    let mut lines = 0;
    for part in text.split("```sh\n").skip(1) {
        let (command, rest) = part.split_once("```").unwrap();
        let output = shell(command, folder.path());
        let said = [output.stdout, output.stderr].concat();
        let said: Vec<String> = String::from_utf8(said).unwrap().lines().map(squeezed).collect();
        assert!(output.status.code() != Some(2), "{command}: {said:?}");
        for line in blocks(rest, "text").first().map(|block| block.lines()).into_iter().flatten() {
            assert!(said.contains(&squeezed(line)), "{command} does not print {line:?}: {said:#?}");
            lines += 1;
        }
    }
    assert!(lines >= 14, "{lines} lines were compared");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_steps_of_the_example_workflow_run_and_the_snippet_reads_the_result() {
    let (address, server) = serve().await;
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().to_owned();
    let example = root().join("examples/prompt-ab");
    std::fs::create_dir(here.join("prompts")).unwrap();
    for file in ["items.jsonl", "prompts/answer.md"] {
        std::fs::copy(example.join(file), here.join(file)).unwrap();
    }
    let settings =
        read("examples/prompt-ab/tribunal.toml").replace("https://llm.example.com", &format!("http://{address}"));
    assert!(!settings.contains("example.com") && settings.contains(&address), "{settings}");
    std::fs::write(here.join("tribunal.toml"), settings).unwrap();
    let workflow = read("examples/prompt-ab/workflow.yml");
    // A step's script is what is indented under `run: |`.
    let scripts: Vec<String> = workflow
        .split("run: |\n")
        .skip(1)
        .map(|rest| rest.lines().take_while(|line| line.starts_with("          ")).collect::<Vec<_>>().join("\n"))
        .collect();
    assert_eq!(scripts.len(), 2, "{scripts:?}");
    let base = "git() { sed 's/in one sentence/in two sentences/; s/version: 2/version: 1/' prompts/answer.md; }";
    let json = scripts[1].replace("comparison.html", "comparison.json").replace("--github ", "");
    let script = format!(
        "export LLM_KEY=k GITHUB_BASE_REF=main GITHUB_STEP_SUMMARY=summary.md\n{base}\n{}\n[ $? = 0 ] || exit 9\n{}\n[ $? = 3 ] || exit 8\n{json}\n[ $? = 3 ] || exit 7\n",
        scripts[0], scripts[1]
    );
    let output = tokio::task::spawn_blocking(move || shell(&script, &here)).await.unwrap();
    server.abort();
    // Eight items decide nothing, and the job says so.
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let summary = std::fs::read_to_string(folder.path().join("summary.md")).unwrap();
    assert!(summary.contains("PASS") && summary.contains("undecided"), "{summary}");
    assert!(folder.path().join("calibration.html").exists() && folder.path().join("comparison.html").exists());

    let snippet = root().join("examples/read_result.py");
    match Command::new("python3").arg(snippet).arg(folder.path().join("comparison.json")).output() {
        Ok(read) => {
            let line = String::from_utf8(read.stdout).unwrap();
            assert!(read.status.success() && line.contains('%') && line.contains("undecided"), "{line}");
        }
        Err(_) => println!("python3 is not here; the snippet was not run"),
    }
}
