//! Every schema against every sample there is: what ships, and what the commands write. A damaged sample is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use boon::{Compiler, SchemaIndex, Schemas, SchemeUrlLoader};
use serde_json::{Value, json};

use crate::cli::{Desk, Server};

/// All schemas, compiled, by name; from the binary, as their users get them.
struct All {
    schemas: Schemas,
    names: BTreeMap<String, SchemaIndex>,
    texts: BTreeMap<String, Value>,
}

impl All {
    fn load(desk: &Desk) -> Self {
        let listed = desk.run("schema");
        listed.ends(0, &[]);
        let mut all = Self { schemas: Schemas::new(), names: BTreeMap::new(), texts: BTreeMap::new() };
        for line in listed.stdout.lines() {
            let (name, title) = line.split_once(' ').unwrap();
            assert!(!title.trim().is_empty(), "{name} says what it is of");
            let schema = desk.run(&format!("schema {name}")).json(0);
            assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
            let place = schema["$id"].as_str().unwrap().to_owned();
            let mut compiler = Compiler::new();
            // Nothing is ever fetched: a schema stands alone.
            compiler.use_loader(Box::new(SchemeUrlLoader::new()));
            compiler.add_resource(&place, schema.clone()).unwrap();
            let index = compiler.compile(&place, &mut all.schemas).unwrap_or_else(|error| panic!("{name}: {error:#}"));
            all.names.insert(name.to_owned(), index);
            all.texts.insert(name.to_owned(), schema);
        }
        all
    }

    fn check(&self, name: &str, sample: &Value) -> Result<(), String> {
        self.schemas.validate(sample, self.names[name]).map_err(|error| format!("{name}: {error:#}"))
    }
}

/// Samples by the name of their schema.
#[derive(Default)]
struct Samples(BTreeMap<&'static str, Vec<Value>>);

impl Samples {
    fn one(&mut self, name: &'static str, sample: Value) {
        self.0.entry(name).or_default().push(sample);
    }

    fn lines(&mut self, name: &'static str, text: &str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            self.one(name, serde_json::from_str(line).unwrap());
        }
    }

    fn shipped(&mut self) {
        let read = |path: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
        self.lines("gold", &read("gold/core.jsonl"));
        self.lines("pairs", &read("gold/core.jsonl"));
        self.lines("pairs", &read("gold/recordings/prompt-ab.jsonl"));
        for name in ["qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"] {
            self.lines("recording", &read(&format!("gold/recordings/{name}.jsonl")));
        }
        for name in ["calibration", "comparison"] {
            self.lines("record", &read(&format!("tests/golden/report/{name}.jsonl")));
        }
        self.one("calibration", serde_json::from_str(&read("tests/golden/report/calibration.json")).unwrap());
        self.one("comparison", serde_json::from_str(&read("tests/golden/report/comparison.json")).unwrap());
        for line in read("gold/core.jsonl").lines() {
            let item: Value = serde_json::from_str(line).unwrap();
            for check in item["checks"].as_array().into_iter().flatten() {
                self.one("check", check.clone());
            }
        }
        let readme = read("README.md");
        for block in readme.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```")) {
            let settings: toml::Table = toml::from_str(block.0).unwrap();
            self.one("settings", serde_json::to_value(settings).unwrap());
        }
        let formats = read("docs/formats.md");
        let plan = formats.split("```toml\n").nth(1).unwrap().split_once("```").unwrap().0;
        self.one("prereg", serde_json::to_value(toml::from_str::<toml::Table>(plan).unwrap()).unwrap());
    }

    /// What the commands write about 30 items, asked of a server on this machine.
    fn written(&mut self, desk: &Desk) {
        let server = Server::knowing();
        desk.write("gold.jsonl", &crate::cli::gold());
        desk.write("pairs.jsonl", &crate::cli::pairs());
        desk.write(
            "items.jsonl",
            "{\"id\":\"i1\",\"prompt\":\"one?\"}\n{\"id\":2,\"prompt\":[{\"role\":\"user\",\"content\":\"x\"}]}\n",
        );
        self.lines("gold", &desk.read("gold.jsonl"));
        self.lines("items", &desk.read("items.jsonl"));
        let judge = format!("--judge {}", server.judge());
        let calibrate = format!("calibrate --gold gold.jsonl {judge} --resamples 200 --log log.jsonl --log-bodies");
        let known =
            desk.run(&format!("{calibrate} --judge control:first --repeats 2 --record recording.jsonl --format json"));
        self.one("calibration", known.json(1));
        self.lines("record", &desk.run(&format!("{calibrate} --format jsonl")).stdout);
        self.lines("recording", &desk.read("recording.jsonl"));
        for file in desk.files("certificates") {
            self.one("certificate", serde_json::from_str(&desk.read(&format!("certificates/{file}"))).unwrap());
        }
        let compare = format!("compare --pairs pairs.jsonl {judge} --resamples 200 --log log.jsonl");
        for more in ["--require better", "--stop-when-decided --margin 0.1 --require no-worse", "--gold-sample random"]
        {
            let run = desk.run(&format!("{compare} {more} --format json"));
            self.one("comparison", serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr)));
        }
        let run =
            desk.run(&format!("compare --pairs gold.jsonl {judge} --resamples 200 --gold-sample random --format json"));
        self.one("comparison", run.json(0));
        self.one(
            "judgments",
            desk.run(&format!("judge --pairs pairs.jsonl {judge} --out long.jsonl --format json")).json(0),
        );
        self.lines("verdicts-long", &desk.read("long.jsonl"));
        desk.run(&format!("judge --pairs pairs.jsonl --judge {}2 --batch-out batch.jsonl", server.judge()))
            .ends(0, &[]);
        self.lines("batch-request", &desk.read("batch.jsonl"));
        let responses = desk.run(&format!("generate --items items.jsonl --model {}", server.judge()));
        self.lines("responses", &responses.stdout);
        self.kept(desk);
    }

    fn kept(&mut self, desk: &Desk) {
        self.one("runs", desk.run("runs list --format json").json(0));
        self.one("run", desk.run("runs show 1 --format json").json(0));
        self.one("store", desk.run("runs verify --format json").json(0));
        self.one("reparse", desk.run("runs reparse --all --format json").json(0));
        for folder in ["journal", "runs"] {
            for file in desk.files(&format!(".tribunal/{folder}")) {
                let name = if folder == "runs" { "run-line" } else { "journal" };
                self.lines(name, &desk.read(&format!(".tribunal/{folder}/{file}")));
            }
        }
        self.lines("log", &desk.read("log.jsonl"));
        desk.write("bad.jsonl", "{\"id\":\"q1\",\"prompt\":\"p\"}\n");
        self.one("validation", desk.run("validate gold.jsonl bad.jsonl --format json").json(2));
        self.lines("finding", &desk.run("validate gold.jsonl bad.jsonl --format jsonl").stdout);
        self.one("gold-lint", desk.run("gold lint gold.jsonl --format json").json(1));
        self.lines("finding", &desk.run("gold lint gold.jsonl --format jsonl").stdout);
        self.one("plan", desk.run("plan --effect 0.6 --format json").json(0));
        self.one("plan", desk.run("plan --effect 0.6 --pilot long.jsonl --gold gold.jsonl --format json").json(0));
        self.lines("record", &desk.run("plan --effect 0.6 --format jsonl").stdout);
        desk.write("replies.jsonl", "{\"id\":\"r1\",\"raw\":\"[[B]]\"}\n{\"id\":\"r2\",\"raw\":\"none\"}\n");
        self.lines("replies", &desk.read("replies.jsonl"));
        self.lines("replies-read", &desk.run("prompt read --contract bracket replies.jsonl").stdout);
    }

    /// What people hand in and no command writes.
    fn handed_in(&mut self) {
        self.one(
            "labels",
            json!({"id": "q", "label": "a", "annotator": "m", "shown": "ba", "at": "2026-01-02T03:04:05Z",
            "seconds": 4.2, "sampled": {"n": 5, "seed": 1, "of": 9}}),
        );
        self.one("labels", json!({"id": 7, "label": " Tie ", "annotator": "a1"}));
        self.one("verdicts-wide", json!({"id": "q1", "judge": "m", "ab": "a", "ba": null, "ba_raw": "?", "gold": "b"}));
        self.one("verdicts-wide", json!({"id": "q1", "merged": "inconsistent", "len_a_chars": 3}));
        self.one("verdicts-long", json!({"id": 1, "order": "ba", "winner": "B"}));
        self.one(
            "batch-result",
            json!({"id": "x", "custom_id": "c", "response": {"status_code": 200, "body": {}}, "error": null}),
        );
        for check in [
            json!({"kind": "contains", "value": "x", "not": true}),
            json!({"kind": "set", "values": ["a"], "separator": ","}),
            json!({"kind": "length", "unit": "words", "max": 3}),
            json!({"kind": "json_schema", "schema": {"type": "object"}}),
        ] {
            self.one("check", check);
        }
    }
}

/// The names that a schema requires of this sample, at its top and in `result`.
fn required(schema: &Value) -> Vec<Vec<String>> {
    let names = |value: &Value| {
        let listed = value["required"].as_array().cloned().unwrap_or_default();
        listed.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut found: Vec<Vec<String>> = names(schema).into_iter().map(|name| vec![name]).collect();
    found.extend(names(&schema["properties"]["result"]).into_iter().map(|name| vec!["result".to_owned(), name]));
    found
}

/// Whether the project owns the format, so that a name nobody knows is an error.
fn is_closed(schema: &Value) -> bool {
    schema["additionalProperties"] == false
}

#[test]
fn every_sample_fits_its_schema_and_a_damaged_one_does_not() {
    let desk = Desk::new();
    let all = All::load(&desk);
    let mut samples = Samples::default();
    samples.shipped();
    samples.written(&desk);
    samples.handed_in();
    let known: BTreeSet<&str> = all.names.keys().map(String::as_str).collect();
    assert_eq!(samples.0.keys().copied().collect::<BTreeSet<_>>(), known, "every schema has a sample");
    for (name, samples) in &samples.0 {
        let schema = &all.texts[*name];
        for sample in samples {
            all.check(name, sample).unwrap_or_else(|error| panic!("{error}\n{sample:#}"));
        }
        let sample = &samples[0];
        assert!(all.check(name, &json!([sample])).is_err(), "{name}: a list is no object");
        for path in required(schema) {
            let mut damaged = sample.clone();
            let (last, way) = path.split_last().unwrap();
            let place = way.iter().fold(&mut damaged, |value, name| &mut value[name]);
            assert!(place.as_object_mut().unwrap().remove(last).is_some(), "{name}: {path:?}");
            assert!(all.check(name, &damaged).is_err(), "{name}: {path:?} may not be missing");
        }
        if is_closed(schema) {
            let mut damaged = sample.clone();
            damaged["unheard_of"] = json!(1);
            assert!(all.check(name, &damaged).is_err(), "{name}: an unknown name is an error");
        }
    }
}

#[test]
fn what_is_wrong_in_depth_is_found_too() {
    let desk = Desk::new();
    let all = All::load(&desk);
    let mut samples = Samples::default();
    samples.shipped();
    let damaged = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut sample = samples.0[name].last().unwrap().clone();
        all.check(name, &sample).unwrap();
        change(&mut sample);
        assert!(all.check(name, &sample).is_err(), "{name}: {sample:#}");
    };
    let of_judge = |sample: &mut Value| sample["result"]["judges"][0]["figures"]["flip_rate"].take();
    damaged("calibration", &|sample| drop(of_judge(sample)));
    damaged("calibration", &|sample| {
        sample["result"]["judges"][0]["figures"]["flip_rate"].as_object_mut().unwrap().remove("lower");
    });
    damaged("calibration", &|sample| sample["result"]["judges"][0]["gate"]["criteria"][0]["decision"] = json!("maybe"));
    damaged("calibration", &|sample| sample["result"]["judges"][0]["figures"]["length"]["x"] = json!(0.5));
    damaged("comparison", &|sample| sample["result"]["win_rate"] = json!(0.5));
    damaged("comparison", &|sample| sample["result"]["outcomes"]["lost"] = json!(1));
    damaged("gold", &|sample| sample["gold"] = json!("left"));
    damaged("gold", &|sample| sample["checks"] = json!([{"kind": "guess"}]));
    damaged("pairs", &|sample| sample["prompt"] = json!([{"role": "user"}]));
    damaged("settings", &|sample| sample["judges"]["x"] = json!({"provider": "openai", "model": "m", "api_key": "k"}));
    damaged("prereg", &|sample| sample["threshold"] = json!(0.5));
    damaged("recording", &|sample| drop(sample["completion"].take()));
}

#[test]
fn a_name_that_is_nearly_right_is_met_with_the_right_one() {
    Desk::new().run("schema calibrations").ends(2, &["did you mean `calibration`", "tribunal schema"]);
}
