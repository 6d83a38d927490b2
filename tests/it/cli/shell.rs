//! What helps to begin: `init`, completions, manual pages.

use super::Desk;

/// The commands that `init` printed.
fn printed(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    lines.filter_map(|line| line.strip_prefix("tribunal ")).map(str::to_owned).collect()
}

#[test]
fn what_init_prints_next_can_be_typed_as_it_stands() {
    for lang in ["en", "ja"] {
        let desk = Desk::new();
        let made = desk.run(&format!("init --lang {lang}"));
        made.ends(0, &[]);
        assert_eq!(desk.files("."), ["judge.md", "pairs.jsonl", "tribunal.toml"]);
        let commands = printed(&made.stdout);
        assert_eq!(commands.len(), 5, "{}", made.stdout);
        for command in commands {
            let known = command.replace("--judge mine", "--judge control:oracle?error=0");
            let few = if known.contains("calibrate") || known.contains("compare") { " --resamples 200" } else { "" };
            let run = desk.run(&format!("{known}{few}"));
            assert!([0, 1, 3].contains(&run.status), "{command}: {}", run.stderr);
            assert!(!run.stderr.contains("warning"), "{command}: {}", run.stderr);
        }
        assert!(desk.read("judge.html").starts_with("<!"));
        // The settings and the prompt are sound: all but the call is done.
        let forecast = desk.run("calibrate --gold pairs.jsonl --judge mine --dry-run");
        forecast.ends(0, &["mine: 12 judgments planned"]);
        desk.run("prompt lint judge.md").ends(0, &[]);
        let own = desk.run("gold lint pairs.jsonl --format json").json(1);
        let findings = own["result"]["files"][0]["lint"]["findings"].as_array().unwrap().clone();
        assert!(findings.iter().all(|finding| finding["severity"] == "warning"), "{findings:#?}");
    }
}

#[test]
fn a_folder_is_made_and_nothing_in_it_replaced_without_force() {
    let desk = Desk::new();
    let made = desk.run("init new/trial");
    made.ends(0, &[]);
    assert!(made.stdout.contains("cd new/trial\n"), "{}", made.stdout);
    desk.write("new/trial/tribunal.toml", "mine");
    std::fs::remove_file(desk.path("new/trial/judge.md")).unwrap();
    desk.run("init new/trial").ends(2, &["tribunal.toml exists already", "--force"]);
    assert_eq!(desk.read("new/trial/tribunal.toml"), "mine");
    assert!(!desk.has("new/trial/judge.md"), "all or none");
    desk.run("init new/trial --force").ends(0, &[]);
    assert!(desk.read("new/trial/tribunal.toml").starts_with("# Settings"));
    desk.write("file", "");
    desk.run("init file").ends(2, &["failed to make the folder file"]);
}

#[test]
fn every_shell_gets_every_command() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = desk.run(&format!("completions {shell}"));
        run.ends(0, &[]);
        for word in ["calibrate", "reparse", "stop-when-decided", "junit"] {
            assert!(run.stdout.contains(word), "{shell}: no {word}");
        }
    }
    desk.run("completions csh").ends(2, &["csh", "bash"]);
}

#[test]
#[cfg(unix)]
fn completions_are_scripts_that_bash_reads() {
    let desk = Desk::new();
    desk.write("tribunal.bash", &desk.run("completions bash").stdout);
    let Ok(read) = std::process::Command::new("bash").arg("-n").arg(desk.path("tribunal.bash")).output() else {
        eprintln!("skipped: there is no bash");
        return;
    };
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let desk = Desk::new();
    let first = desk.run("man");
    first.ends(0, &[]);
    assert!(first.stdout.contains(".TH tribunal 1"), "{}", first.stdout);
    desk.run("man --out man1").ends(0, &["pages in man1"]);
    let pages = desk.files("man1");
    for page in
        ["tribunal.1", "tribunal-calibrate.1", "tribunal-gold-lint.1", "tribunal-runs-export.1", "tribunal-man.1"]
    {
        assert!(pages.iter().any(|name| name == page), "{page} in {pages:?}");
    }
    let calibrate = desk.read("man1/tribunal-calibrate.1");
    assert!(calibrate.contains("Examples:") && calibrate.contains("\\-\\-gold"), "{calibrate}");
    desk.run("man --out man1").ends(2, &["exists already", "--force"]);
    desk.run("man --out man1 --force").ends(0, &[]);
}
