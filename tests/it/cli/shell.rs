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
        assert_eq!(commands.len(), 7, "{}", made.stdout);
        for word in ["schema settings", "compare --pairs pairs.jsonl --judge mine --require better", "response_a"] {
            assert!(made.stdout.contains(word), "{word}: {}", made.stdout);
        }
        // `--require` asks about side A, so the new version stands there.
        let new = if lang == "ja" { "新" } else { "new" };
        assert!(desk.read("pairs.jsonl").lines().all(|line| line.contains(&format!("\"model_a\":\"{new}\""))));
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
fn words_that_are_known_complete_and_a_prompt_may_be_a_file_all_the_same() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = desk.run(&format!("completions {shell}")).stdout;
        for word in ["verdicts-long", "pairwise-rubric.ja", "predictions", "scale5", "markdown", "reparse"] {
            assert!(script.contains(word), "{shell}: no {word}");
        }
    }
    assert!(desk.run("completions bash").stdout.contains("compgen -f -W \"pairwise.en "));
    assert!(desk.run("completions zsh").stdout.contains("\"files:file:_files\" }'"));
    let fish = desk.run("completions fish").stdout;
    assert!(fish.contains("-r -F -a \"pairwise.en") && !fish.contains("-r -f -a \"pairwise.en"), "{fish}");
    // A word that nobody knows is still the command's to answer for, with what is near.
    desk.run("schema pair").ends(2, &["there is no schema `pair`", "pairs"]);
    desk.run("runs show lost").ends(2, &["want the number of a run"]);
    desk.write("own.md", &desk.run("prompt show --prompt pairwise.en").stdout);
    assert!(!desk.run("prompt lint own.md").stderr.contains("possible values"));
    assert!(!desk.run("schema --help").stdout.contains("possible values"), "the list would drown the help");
}

/// What bash offers behind these words.
#[cfg(unix)]
fn offered(desk: &Desk, words: &[&str]) -> Option<Vec<String>> {
    desk.write("tribunal.bash", &desk.run("completions bash").stdout);
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "source ./tribunal.bash; COMP_WORDS=({}); COMP_CWORD={}; _tribunal tribunal '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        words.len() - 1,
        words[words.len() - 1],
        words[words.len() - 2],
    );
    let run = std::process::Command::new("bash").args(["-c", &script]).current_dir(desk.path(".")).output().ok()?;
    Some(String::from_utf8_lossy(&run.stdout).lines().map(str::to_owned).collect())
}

#[test]
#[cfg(unix)]
fn bash_offers_schemas_prompts_languages_and_forms() {
    let desk = Desk::new();
    desk.write("pairwise-mine.md", "x");
    for (words, wanted) in [
        (&["tribunal", "schema", "verdicts-"][..], &["verdicts-long", "verdicts-wide"][..]),
        (&["tribunal", "calibrate", "--prompt", "pairwise-r"], &["pairwise-rubric.en", "pairwise-rubric.ja"]),
        (&["tribunal", "calibrate", "--prompt", "pairwise-m"], &["pairwise-mine.md"]),
        (&["tribunal", "compare", "--lang", "j"], &["ja"]),
        (&["tribunal", "compare", "--format", "js"], &["json", "jsonl"]),
        (&["tribunal", "validate", "--as", "p"], &["pairs", "predictions", "prompt"]),
    ] {
        let Some(offered) = offered(&desk, words) else {
            eprintln!("skipped: there is no bash");
            return;
        };
        assert_eq!(offered, wanted, "{words:?}");
    }
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
    assert!(calibrate.contains(".SH EXAMPLES") && calibrate.contains("\\-\\-gold"), "{calibrate}");
    desk.run("man --out man1").ends(2, &["exists already", "--force"]);
    desk.run("man --out man1 --force").ends(0, &[]);
}

#[test]
fn a_manual_page_has_the_sections_that_readers_look_for() {
    let desk = Desk::new();
    desk.run("man --out man1").ends(0, &[]);
    for page in desk.files("man1") {
        let text = desk.read(&format!("man1/{page}"));
        for section in ["SYNOPSIS", "\"EXIT STATUS\"", "ENVIRONMENT", "EXAMPLES"] {
            assert!(text.contains(&format!(".SH {section}")), "{page} has no {section}");
        }
        assert!(!text.contains("Exit status:") && !text.contains("EXTRA"), "{page}");
    }
    let calibrate = desk.read("man1/tribunal-calibrate.1");
    let (_, status) = calibrate.split_once(".SH \"EXIT STATUS\"").unwrap();
    assert!(status.starts_with("\n.TP\n\\fB0\\fR\ngate passed\n.TP\n\\fB1\\fR\nfailed\n"), "{status}");
    for word in ["tribunal.toml", ".tribunal/", "certificates/", "OPENAI_API_KEY", "NO_COLOR"] {
        assert!(status.contains(word), "{word}: {status}");
    }
    let schema = desk.read("man1/tribunal-schema.1");
    assert!(!schema.contains(".SH FILES") && !schema.contains("OPENAI"), "a schema reads no settings: {schema}");
    assert!(desk.read("man1/tribunal-gold-label.1").contains(".SH NOTES"));
}
