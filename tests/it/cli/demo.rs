//! The demo: the whole trial offline, in a folder of its own.

use super::Desk;

const PAGES: [&str; 2] = ["tribunal-demo/calibration.html", "tribunal-demo/comparison.html"];

#[test]
fn the_demo_ends_well_twice_with_the_same_pages_and_prints_commands_that_work() {
    let desk = Desk::new();
    let first = desk.run("demo");
    first.ends(0, &[]);
    for page in PAGES {
        assert!(first.stdout.contains(page), "the demo says where {page} is");
        assert!(desk.read(page).starts_with("<!"), "{page}");
    }
    for word in ["PASS", "FAIL", "flip rate", "control:first"] {
        assert!(first.stdout.contains(word), "no {word} in: {}", first.stdout);
    }
    assert_eq!(desk.files("."), ["tribunal-demo"], "everything is in one folder");

    let pages = PAGES.map(|page| desk.read(page));
    let second = desk.run("demo");
    second.ends(0, &[]);
    assert_eq!(second.stdout, first.stdout);
    assert!(PAGES.map(|page| desk.read(page)) == pages, "the same bytes again");

    let commands: Vec<&str> = first.stdout.lines().filter_map(|line| line.strip_prefix("$ tribunal ")).collect();
    assert!(commands.len() >= 2, "{}", first.stdout);
    for command in commands {
        let run = desk.run(&format!("{command} --resamples 300"));
        assert!(matches!(run.status, 0 | 1 | 3), "{command}: {}", run.stderr);
        let title = run.stdout.lines().next().unwrap();
        assert!(first.stdout.contains(title), "{command} speaks of something else: {title}");
    }
}

#[test]
fn the_demo_speaks_japanese_to_its_end() {
    let desk = Desk::new();
    let run = desk.run("demo --lang ja");
    run.ends(0, &[]);
    assert!(
        run.stdout.contains("次のページを開いてください。") && run.stdout.contains("README.ja.md"),
        "{}",
        run.stdout
    );
    for word in ["Four judges", "Two prompt versions", "Open the pages", "Next:"] {
        assert!(!run.stdout.contains(word), "{word}");
    }
}
