//! Where results go, and what they never do there.

use std::io::Read;
use std::process::Stdio;

use super::Desk;
use super::desk::gold;

const LINE: &str = "calibrate --gold gold.jsonl --judge control:first --resamples 200";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    desk
}

#[test]
fn the_format_follows_the_ending_and_the_flag_wins() {
    let desk = desk();
    let starts = [("r.html", "<!"), ("r.json", "{"), ("r.md", "## "), ("r.txt", "Judge calibration")];
    for (name, start) in starts {
        let run = desk.run(&format!("{LINE} --out {name}"));
        run.ends(1, &["written", name]);
        assert_eq!(run.stdout, "", "the result is in the file");
        assert!(desk.read(name).starts_with(start), "{name}: {}", &desk.read(name)[..40]);
    }
    desk.run(&format!("{LINE} --out flag.html --format json")).ends(1, &[]);
    assert!(desk.read("flag.html").starts_with('{'));
}

#[test]
fn show_items_decides_of_how_many_items_a_page_has_the_texts() {
    let desk = desk();
    let page = |flag: &str, name: &str| {
        desk.run(&format!("{LINE} {flag} --out {name}")).ends(1, &["written"]);
        desk.read(name)
    };
    assert!(page("--show-items 3", "three.html").contains("The texts of 3 of "));
    assert!(!page("--show-items all", "all.html").contains("The texts of "));
    assert!(!page("", "default.html").contains("The texts of "));
    desk.run(&format!("{LINE} --show-items few")).ends(2, &["--show-items", "a whole number or `all` is wanted"]);
}

#[test]
fn an_existing_file_is_only_replaced_with_force() {
    let desk = desk();
    desk.write("r.json", "mine");
    desk.run(&format!("{LINE} --out r.json")).ends(2, &["r.json exists already", "--force"]);
    assert_eq!(desk.read("r.json"), "mine");
    desk.run(&format!("{LINE} --out r.json --force")).ends(1, &[]);
    assert!(desk.read("r.json").starts_with('{'));
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_anything_is_done() {
    let desk = desk();
    desk.run(&format!("{LINE} --out nowhere/r.html")).ends(2, &["no folder nowhere", "hint"]);
    std::fs::create_dir(desk.path("folder")).unwrap();
    desk.run(&format!("{LINE} --out folder")).ends(2, &["folder is a folder"]);
    desk.run(&format!("{LINE} --out gold.jsonl/r.html")).ends(2, &["gold.jsonl"]);
    assert_eq!(desk.files("."), ["folder", "gold.jsonl"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let desk = desk();
    let mut child =
        desk.command(&format!("{LINE} --format html")).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut start = [0; 2];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut start).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("panicked") && !stderr.contains("error"), "{stderr}");
    assert_eq!(output.status.code(), Some(1), "the gate's word still counts: {stderr}");
}

#[test]
fn a_pipe_gets_no_escape_sequence() {
    let desk = desk();
    for environment in [&[][..], &[("NO_COLOR", "1")], &[("TERM", "xterm-256color")]] {
        for format in ["table", "markdown", "json", "html"] {
            let run = desk.run_with(&format!("{LINE} --format {format}"), environment);
            assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{format}");
        }
        let run = desk.run_with("--help", environment);
        assert!(!run.stdout.contains('\u{1b}'));
        let run = desk.run_with("calibrate --no-such-flag", environment);
        assert!(!run.stderr.contains('\u{1b}'));
    }
}

#[test]
fn a_table_fits_the_columns_it_is_given() {
    let desk = desk();
    for columns in [60, 100] {
        let run = desk.run_with(LINE, &[("COLUMNS", &columns.to_string())]);
        for line in run.stdout.lines() {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
    }
}

#[test]
fn help_and_version_are_data_and_every_command_has_an_example_or_a_line() {
    let desk = Desk::new();
    let version = desk.run("--version");
    assert_eq!((version.status, &*version.stdout), (0, concat!("tribunal ", env!("CARGO_PKG_VERSION"), "\n")));
    let help = desk.run("--help");
    assert_eq!((help.status, &*help.stderr), (0, ""));
    for word in ["calibrate", "compare", "validate", "prompt", "gold", "demo", "Exit status", "130"] {
        assert!(help.stdout.contains(word), "no {word}");
    }
    for command in ["calibrate", "compare", "validate", "prompt", "gold", "demo"] {
        let help = desk.run(&format!("{command} --help"));
        assert_eq!((help.status, &*help.stderr), (0, ""), "{command}");
        assert!(help.stdout.contains("Usage:"), "{command}");
    }
    assert!(desk.run("calibrate --help").stdout.contains("Examples:"));
    assert!(desk.run("compare --help").stdout.contains("5 no valid certificate"));
}

#[test]
fn what_cannot_be_typed_ends_with_status_2() {
    let desk = desk();
    desk.run("").ends(2, &["Usage"]);
    desk.run("calibrate --frob").ends(2, &["--frob"]);
    desk.run("calibrat").ends(2, &["calibrate"]);
    desk.run("calibrate").ends(2, &["--judge"]);
    desk.run(&format!("{LINE} --format pdf")).ends(2, &["pdf", "html"]);
    desk.run(&format!("{LINE} --resamples 3")).ends(2, &["--resamples"]);
    desk.run(&format!("{LINE} --margin 0.1")).ends(2, &["--margin"]);
    desk.run(&format!("{LINE} --concurrency 0")).ends(2, &["--concurrency"]);
    desk.run(&format!("{LINE} --no-store --store x")).ends(2, &["--store"]);
    desk.run_with(LINE, &[("SOURCE_DATE_EPOCH", "yesterday")]).ends(2, &["SOURCE_DATE_EPOCH", "yesterday"]);
    assert_eq!(desk.files("."), ["gold.jsonl"]);
}

#[test]
fn a_name_that_is_nearly_right_is_met_with_the_right_one() {
    let desk = desk();
    desk.run("calibrate --judge control:frist").ends(2, &["frist", "did you mean `first`"]);
    desk.run("calibrate --judge http://127.0.0.1:9/v1#m --prompt pairwise.eng").ends(2, &["pairwise.en"]);
    desk.run("calibrate --judge someone").ends(2, &["someone", "tribunal.toml", "control:"]);
}

#[test]
fn standard_input_is_a_file_named_by_a_dash() {
    let desk = desk();
    let file = std::fs::File::open(desk.path("gold.jsonl")).unwrap();
    let line = "calibrate --gold - --judge control:oracle?error=0 --resamples 200 --format json";
    let run: super::Run = desk.command(line).stdin(file).output().unwrap().into();
    assert_eq!(run.json(0)["result"]["judges"][0]["figures"]["rows"], 30);
}

#[test]
fn warnings_stand_on_standard_error_once_and_quiet_leaves_them() {
    let desk = Desk::new();
    let line = r#"{"id":"q1","prompt":"p","response_a":"","response_b":"x","gold":"b"}"#;
    desk.write("gold.jsonl", line);
    let loud = desk.run(&format!("{LINE} --format json"));
    let quiet = desk.run(&format!("--quiet {LINE} --format json"));
    assert_eq!(quiet.stderr, "gold.jsonl: warning: 1 item with an empty response: q1\n");
    assert!(loud.stderr.contains(&quiet.stderr) && loud.stdout == quiet.stdout.replace("--quiet ", ""));
}

#[test]
fn bad_input_is_named_by_file_and_line_and_nothing_is_written() {
    let desk = Desk::new();
    desk.write("gold.jsonl", "{\"id\":\"q1\",\"prompt\":\"p\",\"response_a\":\"x\",\"response_b\":\"y\",\"gold\":\"a\"}\n{\"id\":\"q2\",\"prompt\":\"p\",\"reponse_a\":\"x\",\"response_b\":\"y\"}\n");
    let line = "calibrate --gold gold.jsonl --judge control:first --out r.json";
    desk.run(line).ends(2, &["gold.jsonl:2", "response_a", "reponse_a"]);
    desk.run("calibrate --gold none.jsonl --judge control:first").ends(2, &["none.jsonl"]);
    assert_eq!(desk.files("."), ["gold.jsonl"]);
}

#[test]
fn a_finding_of_validate_says_once_that_it_is_a_warning() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", r#"{"id":"q1","prompt":"p","response_a":"","response_b":"x"}"#);
    let run = desk.run("validate pairs.jsonl");
    run.ends(0, &[]);
    assert_eq!(run.stdout.matches("warning: ").count(), 1, "{}", run.stdout);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error_and_no_panic() {
    let desk = desk();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = desk.command(LINE).stdout(full).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("standard output") && !said.contains("panicked"), "{said}");
}

#[test]
fn the_language_changes_words_and_no_figure() {
    let desk = desk();
    let page = desk.run(&format!("{LINE} --format html --lang ja")).stdout;
    assert!(page.contains("lang=\"ja\"") && page.contains("反転率"));
    let json = |lang: &str| desk.run(&format!("{LINE} --format json --lang {lang}")).json(1)["result"].clone();
    assert_eq!(json("ja"), json("en"));
}

#[test]
fn the_demo_leaves_a_folder_alone_that_it_did_not_make() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("mine")).unwrap();
    desk.write("mine/calibration.html", "mine");
    desk.run("demo --out mine").ends(2, &["mine", "--out", "--force"]);
    assert_eq!(
        (desk.files("mine"), desk.read("mine/calibration.html")),
        (vec!["calibration.html".to_owned()], "mine".to_owned())
    );
}

#[test]
fn a_folder_that_takes_no_file_is_refused_before_anything_is_done() {
    // Nobody, not even the superuser, can make a file there.
    if !std::path::Path::new("/proc/self").is_dir() {
        eprintln!("skipped: there is no /proc");
        return;
    }
    let desk = desk();
    desk.run(&format!("{LINE} --out /proc/r.json")).ends(2, &["nothing can be written in /proc", "hint"]);
    let replay = "calibrate --gold gold.jsonl --judge checks --resamples 200 --certificates /proc/certificates";
    desk.run(replay).ends(2, &["no certificate can be written in /proc/certificates", "--certificates"]);
    assert_eq!(desk.files("."), ["gold.jsonl"]);
}

#[test]
fn a_name_that_is_too_long_is_refused_before_anything_is_done() {
    let desk = desk();
    let long = "x".repeat(300);
    let run = desk.run(&format!("{LINE} --out {long}.json"));
    run.ends(2, &["cannot be written", "hint: choose another name"]);
    assert!(!run.stderr.contains("judgments planned") && desk.files(".") == ["gold.jsonl"], "{}", run.stderr);
}

#[test]
fn no_certificate_is_written_whose_report_went_nowhere() {
    if !std::path::Path::new("/dev/full").exists() {
        eprintln!("skipped: there is no /dev/full");
        return;
    }
    let desk = desk();
    let server = super::desk::Server::knowing();
    let line = format!("calibrate --gold gold.jsonl --resamples 200 --judge {}", server.judge());
    desk.run(&format!("{line} --out /dev/full")).ends(2, &["failed to write /dev/full"]);
    assert!(!desk.has("certificates"), "{:?}", desk.files("certificates"));
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let run: super::Run = desk.command(&line).stdout(full).output().unwrap().into();
    run.ends(2, &["failed to write to standard output"]);
    assert!(!desk.has("certificates"), "{:?}", desk.files("certificates"));
    let result = desk.run(&format!("{line} --format json")).json(0);
    let path = result["result"]["judges"][0]["certificate"].as_str().unwrap();
    assert!(desk.has(path), "the report names the certificate that was written after it");
}

#[test]
fn lines_of_a_table_keep_to_the_width_and_to_forty_columns_at_least() {
    use unicode_width::UnicodeWidthStr;
    let desk = desk();
    desk.write("pairs.jsonl", &super::desk::pairs());
    let compare = "compare --pairs pairs.jsonl --judge control:longest --resamples 200 \
                   --name-a a-name-that-is-longer-than-any-narrow-terminal-is-wide --name-b 長い名前の長い名前の長い名前の長い名前の長い名前";
    for (columns, least) in [("20", 40), ("40", 40), ("53", 53), ("80", 80)] {
        for line in [LINE, compare] {
            for lang in ["en", "ja"] {
                let run = desk.run_with(&format!("{line} --lang {lang}"), &[("COLUMNS", columns)]);
                let widest = run.stdout.lines().max_by_key(|line| line.width()).unwrap();
                assert!(widest.width() <= least, "{columns} {lang}: {} of `{widest}`\n{}", widest.width(), run.stdout);
            }
        }
    }
}

#[test]
fn json_on_standard_output_holds_no_character_that_acts_on_a_terminal() {
    let desk = desk();
    let acting = "\u{9b}31m\u{202e}evil\u{200b}\u{1b}]0;x\u{7}";
    let item = serde_json::json!({"id": "q1", "prompt": "p", "response_a": "x", "response_b": "y", "category": acting,
        "lang": acting, "gold": "a"});
    desk.write("acting.jsonl", &format!("{item}\n{}", item.to_string().replace("q1", "q2")));
    let lines = [
        "calibrate --gold acting.jsonl --judge control:first --resamples 200 --format json",
        "compare --pairs acting.jsonl --judge control:first --resamples 200 --format json",
        "gold lint acting.jsonl --format json",
        "validate acting.jsonl --format json",
        "prompt show --pairs acting.jsonl --json",
    ];
    for line in lines {
        let run = desk.run(line);
        let found: Vec<char> = run
            .stdout
            .chars()
            .filter(|c| *c != '\n' && (c.is_control() || ('\u{200b}'..='\u{202e}').contains(c)))
            .collect();
        assert!(found.is_empty() && run.stdout.starts_with(['{', '[']), "{line}: {found:?}\n{}", run.stderr);
    }
    let run = desk.run(lines[0]).json(1);
    assert_eq!(run["result"]["gold"]["categories"][0], acting, "the value is the same");
}

#[test]
fn an_ending_is_read_in_any_case_and_one_without_a_format_is_refused() {
    let desk = desk();
    desk.run(&format!("{LINE} --out r.JSON")).ends(1, &[]);
    assert!(desk.read("r.JSON").starts_with('{'));
    for name in ["r.png", "r.tsv", "r.html.gz"] {
        desk.run(&format!("{LINE} --out {name}"))
            .ends(2, &["no format is known by the ending", ".html, .json", "--format"]);
        assert!(!desk.has(name));
    }
    desk.run(&format!("{LINE} --out r.png --format json")).ends(1, &[]);
    let run = desk.run(&format!("{LINE} --format json --out -"));
    assert!(run.stdout.starts_with('{') && !desk.has("-"), "{}", run.stderr);
}

#[test]
fn what_is_read_is_never_written_over_even_by_force() {
    let desk = desk();
    let before = desk.read("gold.jsonl");
    std::fs::hard_link(desk.path("gold.jsonl"), desk.path("other.json")).unwrap();
    for out in ["gold.jsonl", "./gold.jsonl", "other.json"] {
        desk.run(&format!("{LINE} --force --out {out}")).ends(2, &["is read here (gold.jsonl)"]);
        desk.run(&format!("compare --pairs gold.jsonl --judge control:first --uncalibrated --force --out {out}"))
            .ends(2, &["is read here"]);
        desk.run(&format!("judge --pairs gold.jsonl --judge control:first --force --out {out}"))
            .ends(2, &["is read here"]);
    }
    assert_eq!(desk.read("gold.jsonl"), before);
}

#[cfg(unix)]
#[test]
fn a_private_file_stays_private_and_a_link_to_nowhere_is_something() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let desk = desk();
    desk.write("r.json", "mine");
    std::fs::set_permissions(desk.path("r.json"), PermissionsExt::from_mode(0o600)).unwrap();
    desk.run(&format!("{LINE} --out r.json --force")).ends(1, &[]);
    assert_eq!(std::fs::metadata(desk.path("r.json")).unwrap().permissions().mode() & 0o777, 0o600);
    symlink("nowhere", desk.path("link.json")).unwrap();
    desk.run(&format!("{LINE} --out link.json")).ends(2, &["link.json exists already"]);
    std::fs::create_dir(desk.path("new")).unwrap();
    symlink("nowhere", desk.path("new/judge.md")).unwrap();
    desk.run("init new").ends(2, &["judge.md exists already"]);
    std::fs::create_dir(desk.path("man")).unwrap();
    symlink("nowhere", desk.path("man/tribunal.1")).unwrap();
    desk.run("man --out man").ends(2, &["tribunal.1 exists already"]);
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    let desk = Desk::new();
    for line in ["--help", "--version", "calibrate --help"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let run: super::Run = desk.command(line).stdout(full).output().unwrap().into();
        assert_eq!(run.status, 2, "{line}");
    }
}

#[test]
fn columns_below_forty_are_forty_and_none_is_as_if_it_were_not_set() {
    let desk = desk();
    let run = |columns: &str| desk.run_with(LINE, &[("COLUMNS", columns)]).stdout;
    assert_eq!(run("1"), run("40"));
    assert_eq!(run("0"), desk.run(LINE).stdout);
}
