//! The door of `compare`, what opens it, and how a result is branded that came in another way.

use serde_json::{Value, json};

use super::Desk;
use super::desk::{EPOCH, Server, gold, pairs};

const FORMATS: [&str; 4] = ["table", "json", "markdown", "html"];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    desk.write("pairs.jsonl", &pairs());
    desk
}

/// A desk with a certificate of the server's judge.
fn certified(server: &Server) -> Desk {
    let desk = desk();
    desk.run(&format!("calibrate --gold gold.jsonl --resamples 200 --judge {}", server.judge())).ends(0, &[]);
    assert_eq!(desk.files("certificates").len(), 1);
    desk
}

fn compare(server: &Server, more: &str) -> String {
    format!("compare --pairs pairs.jsonl --resamples 200 --judge {} {more}", server.judge())
}

/// True where a reader sees that no certificate backs the result. The page holds every word that it may need, so there the note counts.
fn branded(text: &str, format: &str) -> bool {
    let mark = if format == "html" { "<p class=\"banner" } else { "uncalibrated" };
    text.to_lowercase().contains(mark)
}

#[test]
fn without_a_certificate_no_call_is_made() {
    let (desk, server) = (desk(), Server::knowing());
    desk.run(&compare(&server, "--out result.json"))
        .ends(5, &["no valid certificate", "mini", "calibrate", "--uncalibrated"]);
    assert_eq!(server.asked(), 0);
    // What it would cost is said all the same.
    for more in ["--dry-run", "--dry-run --stop-when-decided"] {
        let dry = desk.run(&compare(&server, more));
        dry.ends(0, &["no valid certificate yet", "tribunal calibrate --judge", "--uncalibrated"]);
        assert!(dry.stdout.contains("60 calls"), "{}", dry.stdout);
    }
    assert_eq!(server.asked(), 0);
    assert_eq!(desk.files("."), ["gold.jsonl", "pairs.jsonl"]);
    // What the hint says is what has to be typed.
    let run = desk.run(&compare(&server, "--prompt pairwise.ja --certificates kept"));
    let wanted = format!("tribunal calibrate --judge '{}' --prompt pairwise.ja --certificates kept", server.judge());
    let wanted = [wanted.clone(), wanted.replace('\'', "")];
    assert!(wanted.iter().any(|command| run.stderr.contains(command)), "{}", run.stderr);
}

#[test]
fn the_certificate_of_a_calibration_opens_the_door_and_no_brand_is_shown() {
    let server = Server::knowing();
    let desk = certified(&server);
    let result = desk.run(&compare(&server, "--format json")).json(0)["result"].clone();
    assert_eq!(result["banner"], Value::Null);
    assert!(result["certificate"].as_str().unwrap().starts_with("certificates"), "{}", result["certificate"]);
    assert_eq!(
        (&result["outcomes"]["a_wins"], &result["outcomes"]["b_wins"], &result["outcomes"]["tie"]),
        (&json!(13), &json!(13), &json!(4))
    );
    for format in FORMATS {
        let text = desk.run(&compare(&server, &format!("--format {format}"))).stdout;
        assert!(!branded(&text, format), "{format}");
    }
}

#[test]
fn going_on_without_a_certificate_brands_every_format() {
    let (desk, server) = (desk(), Server::knowing());
    for format in FORMATS {
        let run = desk.run(&compare(&server, &format!("--uncalibrated --format {format}")));
        run.ends(0, &[]);
        assert!(branded(&run.stdout, format), "{format}: {}", run.stdout);
    }
}

#[test]
fn a_certificate_of_a_judge_that_failed_opens_nothing() {
    let desk = desk();
    let server = Server::start(|_, _| crate::scripted::Step::good("[[A]]"));
    desk.run(&format!("calibrate --gold gold.jsonl --resamples 200 --judge {}", server.judge())).ends(1, &[]);
    let asked = server.asked();
    let run = desk.run(&compare(&server, ""));
    run.ends(5, &["certificates/", "fail"]);
    assert_eq!(server.asked(), asked);
}

#[test]
fn an_expired_certificate_opens_nothing() {
    let server = Server::knowing();
    let desk = certified(&server);
    let asked = server.asked();
    let on_day = |day: i64| (EPOCH.parse::<i64>().unwrap() + day * 86_400).to_string();
    let run = desk.run_with(&compare(&server, ""), &[("SOURCE_DATE_EPOCH", &on_day(31))]);
    run.ends(5, &["expired", "get one with `tribunal calibrate --judge", " --gold gold.jsonl`"]);
    assert_eq!(server.asked(), asked);
    desk.run_with(&compare(&server, ""), &[("SOURCE_DATE_EPOCH", &on_day(29))]).ends(0, &[]);
}

#[test]
fn another_prompt_or_parameter_needs_a_certificate_of_its_own() {
    let server = Server::knowing();
    let desk = certified(&server);
    let asked = server.asked();
    desk.run(&compare(&server, "--prompt pairwise.ja")).ends(5, &["fingerprint"]);
    let settings = |more: &str| {
        format!(
            "[judges.mini]\nprovider = \"openai-compatible\"\nmodel = \"mini\"\nbase_url = \"{}/v1\"\n{more}",
            server.root()
        )
    };
    let line = "compare --pairs pairs.jsonl --resamples 200 --judge mini";
    desk.write("tribunal.toml", &settings("temperature = 0.7\n"));
    desk.run(line).ends(5, &["fingerprint"]);
    assert_eq!(server.asked(), asked, "a refusal costs nothing");
    // Neither the name of the setting nor where the server is makes another judge.
    desk.write("tribunal.toml", &settings("timeout_s = 30\n"));
    desk.run(line).ends(0, &[]);
}

#[test]
fn control_judges_and_recorded_verdicts_are_branded_as_such() {
    let desk = desk();
    let verdicts: String = (0..4)
        .map(|n| format!("{}\n", json!({"id": n.to_string(), "judge": "someone", "ab": "a", "ba": "a"})))
        .collect();
    desk.write("verdicts.jsonl", &verdicts);
    for format in FORMATS {
        for (line, brand) in [
            ("compare --pairs pairs.jsonl --judge control:longest", "control judge"),
            ("compare --verdicts verdicts.jsonl", "recorded"),
        ] {
            let run = desk.run(&format!("{line} --resamples 200 --format {format}"));
            run.ends(0, &[]);
            assert!(run.stdout.to_lowercase().contains(brand), "{format}: {}", run.stdout);
        }
    }
    let result = desk.run("compare --verdicts verdicts.jsonl --format json").json(0)["result"].clone();
    assert_eq!((&result["outcomes"]["a_wins"], &result["banner"]), (&json!(4), &json!("recorded")));
}

fn responses(name: &str, texts: &[(&str, &str)]) -> String {
    let line = |(id, text): &(&str, &str)| {
        format!("{}\n", json!({"id": id, "prompt": format!("prompt of {id}"), "response": text, "model": name}))
    };
    texts.iter().map(line).collect()
}

#[test]
fn wins_ties_and_losses_by_length_are_counted_right() {
    let desk = Desk::new();
    let a = [("q1", "longer text"), ("q2", "long text"), ("q3", "short"), ("q4", "equal"), ("q5", "the same")];
    let b = [("q1", "short"), ("q2", "tiny"), ("q3", "longer text"), ("q4", "level"), ("q5", "the same")];
    desk.write("a.jsonl", &responses("old", &a));
    desk.write("b.jsonl", &responses("new", &b));
    let run = desk.run("compare --a a.jsonl --b b.jsonl --judge control:longest --resamples 200 --format json");
    let result = run.json(0)["result"].clone();
    assert_eq!((&result["a"], &result["b"]), (&json!("old"), &json!("new")));
    let outcomes = &result["outcomes"];
    let of = |name: &str| outcomes[name].as_u64().unwrap();
    assert_eq!((of("a_wins"), of("b_wins"), of("tie"), of("identical")), (2, 1, 1, 1), "{outcomes}");
    assert_eq!((of("flip_first"), of("flip_second"), of("no_verdict")), (0, 0, 0));
    assert_eq!(result["win_rate"]["point"], 0.6);
    assert_eq!((&result["mcnemar"]["a_only"], &result["mcnemar"]["b_only"]), (&json!(2), &json!(1)));
    assert_eq!(result["accounting"]["planned"], 8, "identical responses are not asked about");
}

#[test]
fn what_is_missing_on_one_side_is_listed() {
    let desk = Desk::new();
    desk.write("a.jsonl", &responses("old", &[("q1", "x"), ("q2", "xx"), ("q3", "x")]));
    desk.write("b.jsonl", &responses("new", &[("q1", "xx"), ("q2", "x"), ("q4", "x")]));
    let run = desk.run("compare --a a.jsonl --b b.jsonl --judge control:longest --resamples 200 --format json");
    run.ends(0, &["q3", "q4", "a.jsonl", "b.jsonl"]);
    assert_eq!(run.json(0)["result"]["items"], 2);
}

#[test]
fn responses_to_different_prompts_are_not_compared() {
    let desk = Desk::new();
    desk.write("a.jsonl", "{\"id\":\"q1\",\"prompt\":\"one\",\"response\":\"x\"}\n");
    desk.write("b.jsonl", "{\"id\":\"q1\",\"prompt\":\"two\",\"response\":\"y\"}\n");
    desk.run("compare --a a.jsonl --b b.jsonl --judge control:longest").ends(2, &["b.jsonl:1", "prompt", "q1"]);
}

/// So many items that `a` wins by length, then so many that `b` wins.
fn won(a: usize, b: usize) -> Desk {
    let desk = Desk::new();
    let line = |n: usize| {
        let (a, b) = if n < a { ("longer", "short") } else { ("short", "longer") };
        format!("{}\n", json!({"id": format!("q{n}"), "prompt": format!("p{n}"), "response_a": a, "response_b": b}))
    };
    desk.write("pairs.jsonl", &(0..a + b).map(line).collect::<String>());
    desk
}

#[test]
fn a_requirement_is_held_or_not_or_undecided() {
    let require = |desk: &Desk, what: &str| {
        desk.run(&format!("compare --pairs pairs.jsonl --judge control:longest --resamples 200 --require {what}"))
            .status
    };
    assert_eq!(require(&won(38, 2), "better"), 0);
    assert_eq!(require(&won(2, 38), "better"), 1);
    assert_eq!(require(&won(20, 20), "better"), 3);
    assert_eq!(require(&won(5, 0), "better"), 3, "five of five are p = 0.0625 by the sign test");
    assert_eq!(require(&won(6, 0), "better"), 0);
    assert_eq!(require(&won(24, 16), "no-worse --margin 0.2"), 0);
    assert_eq!(require(&won(2, 38), "no-worse --margin 0.2"), 1);
    assert_eq!(require(&won(15, 25), "no-worse --margin 0.1"), 3);
    assert_eq!(require(&won(5, 5), "no-worse"), 2, "a margin is wanted");
    assert_eq!(require(&won(5, 5), "better --margin 0.1"), 2, "no margin is wanted");
}

#[test]
fn a_judge_that_tells_nothing_apart_keeps_no_margin() {
    let desk = won(30, 30);
    for (judge, said) in [("first", "followed the position on 100.0 %"), ("tie", "on 0 of 60 judged items")] {
        let line = format!(
            "compare --pairs pairs.jsonl --judge control:{judge} --require no-worse --margin 0.1 --format markdown"
        );
        let run = desk.run(&line);
        run.ends(3, &["tells too little apart"]);
        assert!(run.stdout.replace('\n', " ").contains(said), "{}", run.stdout);
        let better = format!("compare --pairs pairs.jsonl --judge control:{judge} --require better");
        desk.run(&better).ends(3, &["undecided"]);
    }
}

#[test]
fn a_margin_that_is_kept_is_the_headline_where_the_better_side_is_open() {
    for early in ["", "--stop-when-decided"] {
        let desk = won(200, 200);
        let line = format!(
            "compare --pairs pairs.jsonl --judge control:longest --resamples 200 --require no-worse --margin 0.15 {early}"
        );
        for (format, lang, words) in [
            ("table", "en", "a is no worse than b by more than 15.0 points"),
            ("markdown", "en", "✅ **a is no worse than b by more than 15.0 points**"),
            ("html", "en", "a is no worse than b by more than 15.0 points"),
            ("table", "ja", "aはbより15.0ポイントを超えて劣らない"),
        ] {
            let run = desk.run(&format!("{line} --format {format} --lang {lang}"));
            run.ends(0, &[]);
            let text = run.stdout.replace("\n  ", " ");
            assert!(text.contains(words), "{early} {format} {lang}: {words} is missing");
            assert!(format == "html" || !text.contains("undecided:"), "{early} {format} {lang}: {text}");
        }
        let result = desk.run(&format!("{line} --format json")).json(0)["result"].clone();
        assert_eq!((&result["decision"], &result["requirement"]["held"]), (&json!("undecided"), &json!("held")));
        assert!(result["reason"].as_str().unwrap().contains("no worse than"), "{}", result["reason"]);
    }
    let desk = won(200, 200);
    let run = desk.run(
        "compare --pairs pairs.jsonl --judge control:longest --resamples 200 --stop-when-decided --margin 0.2 --format table",
    );
    run.ends(0, &[]);
    assert!(run.stdout.contains("no difference of more than 20.0 points"), "{}", run.stdout);
}

#[test]
fn a_requirement_held_by_the_word_of_a_judge_that_was_not_tried_names_the_way_out() {
    let desk = won(38, 2);
    let verdicts: String = (0..40)
        .flat_map(|n| {
            let winner = |order: &str| if (n < 38) == (order == "ab") { "first" } else { "second" };
            ["ab", "ba"].map(|order| {
                let line = json!({"id": format!("q{n}"), "judge": "mini", "order": order, "verdict": winner(order)});
                format!("{line}\n")
            })
        })
        .collect();
    desk.write("verdicts.jsonl", &verdicts);
    let way_out = "tribunal calibrate --gold GOLD --verdicts VERDICTS --judge mini";
    let run = desk.run("compare --verdicts verdicts.jsonl --resamples 200 --require better");
    run.ends(0, &["the requirement is held by the word of judge `mini`", "no certificate backs", way_out]);
    let plain = desk.run("compare --verdicts verdicts.jsonl --resamples 200");
    assert!(!plain.stderr.contains("calibrate"), "nothing was required: {}", plain.stderr);
    let control = desk.run("compare --pairs pairs.jsonl --judge control:longest --resamples 200 --require better");
    assert!(!control.stderr.contains("calibrate"), "a control is not to be calibrated: {}", control.stderr);
}

#[test]
fn an_undecided_requirement_counts_items_and_not_their_repeats() {
    let desk = won(24, 16);
    let needed = |repeats: u32| {
        let run = desk.run(&format!(
            "compare --pairs pairs.jsonl --judge control:longest --resamples 200 --require better --repeats {repeats}"
        ));
        run.ends(3, &["would decide (there are 40)"]);
        run.stderr
    };
    let (once, thrice) = (needed(1), needed(3));
    assert!(
        !once.contains("repeats") && thrice.contains("more repeats of the same items are no substitute"),
        "{thrice}"
    );
    let number = |text: &str| text.split("about ").nth(1).unwrap().split(' ').next().unwrap().parse::<f64>().unwrap();
    assert!((number(&once) / number(&thrice) - 1.0).abs() < 0.3, "{once} {thrice}");
}

#[test]
fn what_would_decide_an_open_comparison_stands_in_every_form_of_it() {
    let desk = won(24, 16);
    let line = "compare --pairs pairs.jsonl --judge control:longest --resamples 200";
    let result = desk.run(&format!("{line} --format json")).json(0)["result"].clone();
    let found = &result["would_decide"];
    let needed = found["needed"].as_u64().unwrap();
    assert!(needed > 40 && found["present"] == 40 && found["unit"] == "items" && found["bound"] == 0.5, "{found}");
    for form in ["table", "markdown", "html"] {
        let said = desk.run(&format!("{line} --format {form}")).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            said.contains(&format!("about {needed} items would decide against 50 %; there are 40")),
            "{form}: {said}"
        );
    }
    let junit = desk.run(&format!("{line} --require better --format junit")).stdout;
    assert!(junit.contains("items would decide against 50 %"), "{junit}");
    assert!(desk.run(&format!("{line} --lang ja")).stdout.contains("件あれば決まる"));
    let decided = won(39, 1).run(&format!("{line} --format json")).json(0)["result"].clone();
    assert!(decided["would_decide"].is_null() && decided["items_judged"] == 40, "{decided}");
}

#[test]
fn items_that_were_lost_are_said_under_the_headline() {
    let desk = Desk::new();
    let verdict = |n: usize, order: &str, verdict: Value| {
        json!({"id": format!("q{n}"), "judge": "j", "order": order, "verdict": verdict}).to_string()
    };
    let lines: Vec<String> = (0..30)
        .flat_map(|n| {
            let second = if n < 6 { Value::Null } else { json!("second") };
            [verdict(n, "ab", json!("first")), verdict(n, "ba", second)]
        })
        .collect();
    desk.write("verdicts.jsonl", &lines.join("\n"));
    for form in ["table", "markdown", "html"] {
        let run = desk.run(&format!("compare --verdicts verdicts.jsonl --resamples 200 --format {form}"));
        assert!(run.stdout.contains("30 items, 24 judged in both orders"), "{form}: {}", run.stdout);
    }
}

#[test]
fn a_comparison_needs_something_to_compare_and_a_judge() {
    let desk = desk();
    desk.run("compare --judge control:first").ends(2, &["--a", "--pairs", "--verdicts"]);
    desk.run("compare --pairs pairs.jsonl").ends(2, &["--judge"]);
    desk.run("compare --a pairs.jsonl").ends(2, &["--b"]);
}

#[test]
fn another_model_behind_the_address_ends_the_comparison_with_status_4() {
    let server = Server::knowing();
    let desk = certified(&server);
    let other = Server::start(|_, body| {
        let mut step = crate::cli::desk::knows(body);
        step.body = String::from_utf8(step.body).unwrap().replace("served-1", "served-2").into_bytes();
        step
    });
    desk.write("other.jsonl", &pairs().replace("question", "other question"));
    let line = "compare --pairs other.jsonl --resamples 200 --out result.json --judge";
    desk.run(&format!("{line} {}", other.judge())).ends(4, &["served-1", "served-2"]);
    assert!(!desk.has("result.json"));
}

#[test]
fn every_form_for_people_names_the_certificate_that_opened_the_door() {
    let server = Server::knowing();
    let desk = certified(&server);
    let path = format!("certificates/{}", desk.files("certificates")[0]);
    for (format, line) in [("table", "certificate: "), ("markdown", "certificate: "), ("table --lang ja", "証明書：")]
    {
        let text = desk.run(&compare(&server, &format!("--format {format}"))).stdout.replace('\\', "");
        assert!(text.contains(line) && text.replace('\n', "").contains(&path), "{text}");
    }
}

#[test]
fn items_that_a_judge_has_nothing_to_say_about_are_told() {
    let desk = Desk::new();
    let gold = gold();
    let unlabelled = pairs().replace("\"id\":\"", "\"id\":\"more-");
    desk.write("pairs.jsonl", &format!("{gold}{unlabelled}"));
    let run = desk.run("compare --pairs pairs.jsonl --judge control:oracle --resamples 200 --format json");
    let result = run.json(0)["result"].clone();
    let (all, judged) = (gold.lines().count() + unlabelled.lines().count(), gold.lines().count());
    assert_eq!(result["items"], judged);
    let told = format!("asked about {judged} of the {all} items");
    assert!(result["warnings"].to_string().contains(&told), "{}", result["warnings"]);
    assert!(run.stderr.contains("items are outside its plan"), "{}", run.stderr);
}

#[test]
fn no_seed_decides_between_two_sides() {
    let desk = Desk::new();
    // 36 of 57: the lower bound lies next to one half.
    let rows: String = (0..57)
        .map(|item| {
            let [ab, ba] = if item < 36 { ["first", "second"] } else { ["second", "first"] };
            format!("i{item},j,ab,{ab}\ni{item},j,ba,{ba}\n")
        })
        .collect();
    desk.write("verdicts.csv", &format!("id,judge,order,verdict\n{rows}"));
    let by = |seed: u32| {
        let result =
            desk.run(&format!("compare --verdicts verdicts.csv --seed {seed} --format json")).json(0)["result"].clone();
        (result["win_rate"].to_string(), result["score"].to_string(), result["decision"].to_string())
    };
    let first = by(1);
    assert!(first.0.contains("bca"), "{first:?}");
    assert!((2..6).all(|seed| by(seed) == first), "{first:?}");
}

#[test]
fn a_language_that_the_certificate_never_saw_is_a_warning() {
    let server = Server::knowing();
    let desk = certified(&server);
    desk.write("pairs.jsonl", &pairs().replace("\"ja\"", "\"fr\""));
    let result = desk.run(&compare(&server, "--format json")).json(0)["result"].clone();
    let warnings = result["warnings"].to_string();
    assert!(warnings.contains("fr"), "{warnings}");
}

/// [`gold`] with its labels turned round: the same judge, now always wrong.
fn turned() -> String {
    let turned = gold().replace("\"gold\":\"a\"", "\"gold\":\"?\"").replace("\"gold\":\"b\"", "\"gold\":\"a\"");
    turned.replace("\"gold\":\"?\"", "\"gold\":\"b\"")
}

#[test]
fn a_pass_that_is_replaced_by_a_failure_is_told_and_opens_nothing_any_more() {
    let server = Server::knowing();
    let desk = certified(&server);
    desk.write("turned.jsonl", &turned());
    let again = format!("calibrate --gold turned.jsonl --resamples 200 --judge {}", server.judge());
    desk.run(&again).ends(1, &["warning: the certificate of", "is replaced by one that does not pass"]);
    let refused = desk.run(&compare(&server, ""));
    refused.ends(5, &["the decision was fail", "this judge failed on gold set turned.jsonl (", "agreement_decisive"]);
    assert!(
        refused.stderr.contains("another prompt or model") && !refused.stderr.contains("get one with"),
        "{}",
        refused.stderr
    );
    // What is to be typed next names the gold by the path that was typed, ready to be pasted.
    let pasted = refused.stderr.split('`').find(|part| part.starts_with("tribunal calibrate ")).unwrap();
    assert!(pasted.ends_with(" --gold turned.jsonl"), "{pasted}");
    desk.run(&pasted.replace("tribunal ", "").replace('\'', "")).ends(1, &[]);
    // Going on says what is known, on the page too.
    let run = desk.run(&compare(&server, "--uncalibrated"));
    run.ends(0, &[]);
    let flat = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("This judge was tried on turned.jsonl (") && flat.contains("FAILED on "), "{flat}");
    let result = desk.run(&compare(&server, "--uncalibrated --format json")).json(0)["result"].clone();
    assert_eq!((&result["banner"], &result["tried"]["decision"]), (&json!("uncalibrated"), &json!("fail")));
    assert!(result["tried"]["criteria"].to_string().contains("agreement_decisive"), "{result}");
    // A door that a failure had shut does not open without a word either.
    let passes = format!("calibrate --gold gold.jsonl --resamples 200 --judge {}", server.judge());
    desk.run(&passes).ends(
        0,
        &["warning: the certificate of", "(gold set turned.jsonl) says FAIL and is replaced by one that passes"],
    );
}

#[test]
fn a_failure_under_another_name_shuts_the_door_for_the_same_fingerprint_be_it_of_the_same_second() {
    let server = Server::knowing();
    let desk = certified(&server);
    // Neither the name nor the address is part of the fingerprint.
    let contrary = Server::start(|_, _| crate::scripted::Step::good("[[A]]"));
    desk.write(
        "tribunal.toml",
        &format!(
            "[judges.other]\nprovider = \"openai-compatible\"\nmodel = \"mini\"\nbase_url = \"{}/v1\"\n",
            contrary.root()
        ),
    );
    let line = "calibrate --gold gold.jsonl --resamples 200 --no-store --judge other";
    for (seconds, objection) in
        [(0, "another one for the same judge of the same second says fail"), (60, "a newer one")]
    {
        let date = (EPOCH.parse::<i64>().unwrap() + seconds).to_string();
        desk.run_with(line, &[("SOURCE_DATE_EPOCH", &date)])
            .ends(1, &["warning: the certificate of", "is replaced by one that does not pass"]);
        assert_eq!(desk.files("certificates").len(), 2);
        desk.run(&compare(&server, "")).ends(5, &[objection, "this judge failed on gold set gold.jsonl ("]);
    }
}

#[test]
fn a_certificate_whose_date_is_no_time_opens_nothing() {
    let server = Server::knowing();
    let desk = certified(&server);
    let name = format!("certificates/{}", desk.files("certificates")[0]);
    let mut certificate: Value = serde_json::from_str(&desk.read(&name)).unwrap();
    for date in ["x", "2026-99-01T00:00:00Z"] {
        certificate["date"] = json!(date);
        desk.write(&name, &certificate.to_string());
        desk.run(&compare(&server, "")).ends(5, &[&format!("its date `{date}` is no time")]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_failure_shuts_the_door_though_its_report_could_not_be_written_and_a_pass_opens_none() {
    let server = Server::knowing();
    let line = |gold: &str| {
        let judge = server.judge();
        format!("calibrate --gold {gold} --resamples 200 --judge {judge} --format json --out /dev/full --force")
    };
    let fresh = desk();
    fresh.run(&line("gold.jsonl")).ends(2, &["/dev/full"]);
    assert!(!fresh.has("certificates"), "{:?}", fresh.files("."));
    let desk = certified(&server);
    desk.write("turned.jsonl", &turned());
    desk.run(&line("turned.jsonl")).ends(2, &["/dev/full", "is replaced by one that does not pass"]);
    desk.run(&compare(&server, "")).ends(5, &["the decision was fail"]);
}

#[test]
fn a_certificate_without_a_served_model_is_told_where_the_server_names_one() {
    let silent = Server::start(|_, body| {
        let mut answer: Value = serde_json::from_slice(&super::desk::knows(body).body).unwrap();
        answer.as_object_mut().unwrap().remove("model");
        crate::scripted::Step::json(200, &answer)
    });
    let desk = desk();
    desk.run(&format!("calibrate --gold gold.jsonl --resamples 200 --judge {}", silent.judge())).ends(0, &[]);
    let naming = Server::knowing();
    let result = desk.run(&compare(&naming, "--no-store --format json")).json(0)["result"].clone();
    let warnings = result["warnings"].to_string();
    assert!(warnings.contains("names no served model") && warnings.contains("served-1"), "{warnings}");
    assert_eq!(result["banner"], Value::Null);
    let quiet = desk.run(&compare(&silent, "--no-store --format json")).json(0)["result"].clone();
    assert!(!quiet["warnings"].to_string().contains("served model"), "{}", quiet["warnings"]);
}
