//! Same inputs, same bytes: whatever the concurrency, the threads, the order of the lines.

use serde_json::{Value, json};

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

/// Long form with probabilities, as a file of verdicts has them; every figure of it is a sum over lines at some point.
#[test]
fn shuffled_lines_of_a_recording_with_probabilities_change_no_byte_of_the_result() {
    let desk = Desk::new();
    let mut lines: Vec<String> = Vec::new();
    for n in 0..90 {
        for (at, order) in ["ab", "ba"].into_iter().enumerate() {
            for repeat in 0..2 {
                let state = (n * 31 + at * 17 + repeat * 7) % 23;
                let p = 0.03 + 0.041 * state as f64;
                let (gold, category) = (["a", "b", "tie", "a"][n % 4], ["x", "y"][n % 2]);
                lines.push(
                    json!({
                        "id": format!("q{n}"), "judge": "j", "order": order, "repeat": repeat, "gold": gold, "p": p,
                        "winner": if (p > 0.5) == (order == "ab") { "a" } else { "b" },
                        "len_a_chars": 100 + n * 13 % 57, "len_b_chars": 120 - n % 9, "category": category,
                        "group": format!("g{}", n / 2),
                    })
                    .to_string(),
                );
            }
        }
    }
    let result = |command: &str, turn: usize| {
        let mut mixed = lines.clone();
        mixed.sort_by_key(|line| tribunal::domain::Digest::of(format!("{turn}{line}").as_bytes()).to_string());
        desk.write("verdicts.jsonl", &mixed.join("\n"));
        let run = desk.run(&format!("{command} --verdicts verdicts.jsonl --resamples 200 --format json"));
        let mut json: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
        json["result"]["gold"]["digest"].take();
        json["result"].to_string()
    };
    for command in ["calibrate", "compare --judge j"] {
        let straight = result(command, 0);
        assert!(straight.contains("mean_confidence"), "{straight}");
        for turn in 1..4 {
            assert!(straight == result(command, turn), "{command} differs");
        }
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

#[test]
fn exchanging_the_names_of_both_sides_mirrors_every_interval() {
    let desk = super::Desk::new();
    let mut lines = [String::new(), String::new()];
    for n in 0..40 {
        let length = |short: usize| "word ".repeat(short);
        let (a, b) = match n {
            0..=22 => (length(9), length(4 + n % 3)),
            23..=28 => (length(5), "drow ".repeat(5)),
            _ => (length(2), length(7)),
        };
        let gold = ["a", "b", "tie", "a"][n % 4];
        let other = ["b", "a", "tie", "b"][n % 4];
        let group = format!("g{}", n / 3 * (n % 2));
        for (file, (a, b, gold)) in lines.iter_mut().zip([(&a, &b, gold), (&b, &a, other)]) {
            let item = json!({"id": format!("q{n}"), "prompt": format!("p{n}"), "response_a": a, "response_b": b, "gold": gold, "group": group});
            file.extend([item.to_string(), "\n".to_owned()]);
        }
    }
    desk.write("one.jsonl", &lines[0]);
    desk.write("two.jsonl", &lines[1]);
    let close = |x: &Value, y: f64| (x.as_f64().unwrap() - y).abs() < 1e-12;
    for by in ["", " --group-by id"] {
        let compare = |file: &str| {
            let line =
                format!("compare --pairs {file}.jsonl --judge control:longest --resamples 500 --format json{by}");
            desk.run(&line).json(0)["result"].clone()
        };
        let (one, two) = (compare("one"), compare("two"));
        for figure in ["win_rate", "score", "decided"] {
            for [end, other] in [["lower", "upper"], ["upper", "lower"], ["point", "point"]] {
                let mirrored = 1.0 - two[figure][other].as_f64().unwrap();
                assert!(close(&one[figure][end], mirrored), "{by} {figure} {} {}", one[figure], two[figure]);
            }
        }
        let calibrate = |file: &str| {
            let line =
                format!("calibrate --gold {file}.jsonl --judge control:longest --resamples 500 --format json{by}");
            desk.run(&line).json(1)["result"]["judges"][0].clone()
        };
        let (one, two) = (calibrate("one"), calibrate("two"));
        for (part, figure) in ["figures", "figures_clustered"]
            .iter()
            .flat_map(|part| ["kappa_strict", "ac1", "alpha"].map(|figure| (part, figure)))
        {
            let (x, y) = (&one[*part][figure], &two[*part][figure]);
            if x.is_null() {
                continue;
            }
            assert!(close(&x["lower"], y["lower"].as_f64().unwrap()), "{figure} {x} {y}");
            assert!(close(&x["upper"], y["upper"].as_f64().unwrap()), "{figure} {x} {y}");
        }
    }
}
