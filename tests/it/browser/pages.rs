//! The pages under test, each made by a run of the program, and the numbers of the same run.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::cli::{Desk, Run};

/// The fixed date of every run.
const EPOCH: &str = "1790000000";

/// Three judges: one that is right, one that often answers the first, one with a long name that misses some answers.
pub const JUDGES: [&str; 3] = ["careful", "hasty", "a-judge-with-a-name-that-hardly-fits/into-any-column-2026-11-30"];
pub const CATEGORIES: [&str; 3] = ["code", "要約", "writing"];
pub const ITEMS: usize = 60;

/// The page of a run.
pub struct Page {
    desk: Desk,
    line: String,
    status: i32,
    pub path: PathBuf,
}

fn label(n: usize) -> &'static str {
    ["a", "b", "tie", "b", "a"][n % 5]
}

/// A gold pair with texts to read, search and compare.
fn item(n: usize) -> Value {
    json!({
        "id": format!("q{n:02}"), "gold": label(n), "category": CATEGORIES[n % 3], "lang": if n % 3 == 1 { "ja" } else { "en" },
        "model_a": "the-present-prompt-with-a-long-name/v12-2026-10", "model_b": "要約プロンプト改訂版（長い名前の例）第三版",
        "prompt": if n % 3 == 1 { format!("次の文章を要約してください（{n}）。") } else { format!("Question {n} of the set?") },
        "response_a": format!("The answer number {n} is written in plain words. Needle-{n}."),
        "response_b": format!("The answer number {n} is written in some other words.{}", " More of them.".repeat(n % 4)),
    })
}

/// What a judge says of an item in both orders, as slots.
fn said(judge: usize, n: usize) -> [Option<&'static str>; 2] {
    let right = match label(n) {
        "a" => ["first", "second"],
        "b" => ["second", "first"],
        _ => ["tie", "tie"],
    };
    match judge {
        0 if n.is_multiple_of(11) => [Some(right[0]), Some("tie")],
        1 if n.is_multiple_of(3) => [Some("first"); 2],
        1 if n % 7 == 1 => [Some("second"); 2],
        2 if n.is_multiple_of(6) => [None, Some(right[1])],
        2 if n % 5 == 1 => [Some(right[1]), Some(right[0])],
        _ => right.map(Some),
    }
}

/// Items on which this judge leaves an order without a verdict.
pub fn silent(judge: &str) -> u64 {
    let judge = JUDGES.iter().position(|name| *name == judge).unwrap();
    (0..ITEMS).filter(|n| said(judge, *n).contains(&None)).count() as u64
}

fn verdicts(judges: &[usize]) -> String {
    let mut text = String::new();
    for (judge, n) in judges.iter().flat_map(|judge| (0..ITEMS).map(move |n| (*judge, n))) {
        for (order, slot) in ["ab", "ba"].into_iter().zip(said(judge, n)) {
            let raw = slot.map_or("Both have merits.".to_owned(), |slot| format!("Weighing both, {slot}."));
            let p = 0.5 + (n % 10) as f64 / 20.0;
            let line = json!({"id": format!("q{n:02}"), "judge": JUDGES[judge], "order": order, "verdict": slot, "raw": raw, "p": p});
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

fn gold() -> String {
    (0..ITEMS).fold(String::new(), |text, n| text + &item(n).to_string() + "\n")
}

/// `TRIBUNAL_PAGE_PROGRAM` names another build of the same program, an optimised one for very many items.
fn run(desk: &Desk, line: &str) -> Run {
    let given = desk.command(line);
    #[allow(clippy::disallowed_methods, reason = "a test's own setting")]
    let Ok(program) = std::env::var("TRIBUNAL_PAGE_PROGRAM") else { return desk.run(line) };
    let mut command = Command::new(program);
    command.args(given.get_args()).current_dir(desk.path("")).env_clear().env("SOURCE_DATE_EPOCH", EPOCH);
    command.stdin(Stdio::null()).output().unwrap().into()
}

impl Page {
    fn of(desk: Desk, line: &str) -> Self {
        let page = run(&desk, &format!("{line} --out page.html"));
        assert!(matches!(page.status, 0 | 1 | 3), "{}", page.stderr);
        Self { path: desk.path("page.html"), line: line.to_owned(), status: page.status, desk }
    }

    /// The same run's numbers.
    pub fn json(&self) -> Value {
        run(&self.desk, &format!("{} --format json", self.line)).json(self.status)["result"].clone()
    }

    /// Several judges against the gold labels.
    pub fn calibration(judges: &[usize], lang: &str) -> Self {
        let desk = Desk::new();
        desk.write("gold.jsonl", &gold());
        desk.write("verdicts.jsonl", &verdicts(judges));
        Self::of(desk, &format!("calibrate --verdicts verdicts.jsonl --gold gold.jsonl --resamples 200 --lang {lang}"))
    }

    /// Two systems with long names before a judge that tosses coins: all outcomes, and all texts.
    pub fn comparison(lang: &str) -> Self {
        let desk = Desk::new();
        desk.write("pairs.jsonl", &gold());
        Self::of(
            desk,
            &format!("compare --pairs pairs.jsonl --judge control:coin?seed=7 --resamples 200 --lang {lang}"),
        )
    }

    /// Texts, names and categories that would act if the page let them.
    pub fn hostile(attack: &str) -> Self {
        let desk = Desk::new();
        let (mut pairs, mut verdicts) = (String::new(), String::new());
        for n in 0..ITEMS {
            let mut item = item(n);
            for field in ["category", "prompt", "response_a", "response_b", "model_a", "model_b", "group"] {
                item[field] = json!(format!("{attack}{}", if field == "group" { n } else { 0 }));
            }
            item["id"] = json!(format!("{n}{attack}"));
            let _ = writeln!(pairs, "{item}");
            for order in ["ab", "ba"] {
                let line = json!({"id": item["id"], "judge": attack, "order": order, "verdict": "first", "raw": attack,
                    "reasoning": attack, "why": attack});
                let _ = writeln!(verdicts, "{line}");
            }
        }
        desk.write("gold.jsonl", &pairs);
        desk.write("verdicts.jsonl", &verdicts);
        Self::of(desk, "calibrate --verdicts verdicts.jsonl --gold gold.jsonl --resamples 200")
    }

    /// A run of very many items, as verdicts alone.
    pub fn large(items: usize, command: &str) -> Self {
        let desk = Desk::new();
        let mut text = String::new();
        for n in 0..items {
            let [ab, ba] = if n.is_multiple_of(4) { ["a", "b"] } else { [["a", "b"][n % 2]; 2] };
            let gold = ["a", "b", "tie"][n % 3];
            let category = format!("c{}", n % 7);
            let _ = writeln!(
                text,
                r#"{{"id":"item-{n}","judge":"j","ab":"{ab}","ba":"{ba}","gold":"{gold}","category":"{category}","len_a_chars":{},"len_b_chars":{}}}"#,
                40 + n % 13,
                40 + n % 17
            );
        }
        desk.write("verdicts.jsonl", &text);
        Self::of(desk, &format!("{command} --verdicts verdicts.jsonl --resamples 200"))
    }
}
