//! Same inputs, same bytes: whatever the concurrency, the threads, the order of the lines.

use super::Desk;
use super::desk::{Server, gold, pairs};

const FORMATS: [&str; 4] = ["json", "html", "markdown", "table"];

/// A desk with a recording of a real exchange.
fn recorded() -> Desk {
    let (desk, server) = (Desk::new(), Server::knowing());
    desk.write("gold.jsonl", &gold());
    let line = format!("calibrate --gold gold.jsonl --resamples 200 --judge {} --record record.jsonl", server.judge());
    desk.run(&line).ends(0, &[]);
    desk
}

#[test]
fn neither_concurrency_nor_threads_change_a_byte() {
    let desk = recorded();
    for format in FORMATS {
        let run = |concurrency: u32, threads: &str| {
            let line = format!(
                "calibrate --gold gold.jsonl --judge replay:record.jsonl --judge control:coin?seed=3 \
                 --resamples 200 --format {format} --concurrency {concurrency}"
            );
            let run = desk.run_with(&line, &[("RAYON_NUM_THREADS", threads)]);
            assert_eq!(run.status, 1, "{}", run.stderr);
            run.stdout
        };
        let one = run(1, "1");
        assert!(one == run(32, "4"), "{format} differs");
    }
}

#[test]
fn a_comparison_is_the_same_at_any_concurrency_and_so_is_one_from_the_store() {
    let server = Server::knowing();
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    desk.write("pairs.jsonl", &pairs());
    desk.run(&format!("calibrate --gold gold.jsonl --resamples 200 --judge {}", server.judge())).ends(0, &[]);
    for format in ["json", "html"] {
        let run = |concurrency: u32, threads: &str| {
            let line = format!(
                "compare --pairs pairs.jsonl --judge {} --resamples 200 --format {format} --concurrency {concurrency}",
                server.judge()
            );
            let run = desk.run_with(&line, &[("RAYON_NUM_THREADS", threads)]);
            assert_eq!(run.status, 0, "{}", run.stderr);
            run.stdout
        };
        assert!(run(1, "1") == run(32, "4"), "{format} differs");
    }
    assert_eq!(server.asked(), 60, "the pairs of the gold set are the same questions");
}

#[test]
fn the_order_of_the_lines_changes_no_figure() {
    let desk = recorded();
    let shuffle = |name: &str, from: &str, head: usize| {
        let text = desk.read(from);
        let mut lines: Vec<&str> = text.lines().collect();
        lines[head..].sort_by_key(|line| tribunal::domain::Digest::of(line.as_bytes()).to_string());
        assert_ne!(lines.join("\n"), text.trim_end());
        desk.write(name, &(lines.join("\n") + "\n"));
    };
    shuffle("mixed.jsonl", "gold.jsonl", 0);
    shuffle("mixed-record.jsonl", "record.jsonl", 1);
    let of = |gold: &str, record: &str, format: &str| {
        let run = desk.run(&format!(
            "calibrate --gold {gold} --judge replay:{record} --judge control:coin?seed=3 --judge control:oracle?error=0.2 \
             --resamples 200 --format {format}"
        ));
        assert_eq!(run.status, 1, "{}", run.stderr);
        run
    };
    let (straight, mixed) = (of("gold.jsonl", "record.jsonl", "json"), of("mixed.jsonl", "mixed-record.jsonl", "json"));
    let result = |run: &super::Run| {
        let mut result = run.json(1)["result"].clone();
        // What differs is what has to: the names and digests of the files.
        result["gold"]["name"].take();
        result["gold"]["digest"].take();
        result
    };
    let (straight, mixed) = (result(&straight), result(&mixed));
    for part in ["judges", "controls", "gold", "humans", "warnings"] {
        assert_eq!(straight[part], mixed[part], "{part}");
    }
}

#[test]
fn another_seed_changes_only_what_was_resampled() {
    let desk = recorded();
    let with = |seed: u32| {
        let line = format!(
            "calibrate --gold gold.jsonl --judge control:oracle?error=0.2 --resamples 200 --format json --seed {seed}"
        );
        let run = desk.run(&line);
        run.json(run.status)["result"]["judges"][0]["figures"].clone()
    };
    let (one, two) = (with(1), with(2));
    assert_eq!(one["agreement_strict"], two["agreement_strict"]);
    assert_eq!(one["kappa_strict"]["point"], two["kappa_strict"]["point"]);
    assert_ne!(one["kappa_strict"], two["kappa_strict"]);
}
