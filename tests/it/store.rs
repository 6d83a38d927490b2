//! The store against a writer that is killed, and against disks that lose or change what was written.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tribunal::domain::{
    Completion, Digest, Fingerprint, Order, RequestKey, RunAccounting, RunCalls, RunEnd, RunHeader, RunItems,
    RunJudgment, RunKind, RunState, Usage, Verdict,
};
use tribunal::store::{Access, Ledger, Record, RunStatus, Store, StoreError, verify};

/// Set for the process that is to be killed: the folder of its store.
const VICTIM: &str = "TRIBUNAL_TEST_VICTIM_STORE";

fn record(n: u64) -> Record {
    Record {
        key: RequestKey(Digest::of(&n.to_le_bytes())),
        judge: "mini".into(),
        fingerprint: Fingerprint::recorded("mini"),
        item: format!("i{n}").into(),
        order: Order::Ba,
        repeat: 0,
        at: "2026-01-02T03:04:05Z".to_owned(),
        body: serde_json::json!({"text": "x".repeat(usize::try_from(n % 5000).unwrap())}).into(),
        completion: Completion::of_text(format!("answer {n}")),
    }
}

/// Set for the process that is to be killed while it compacts: the folder of its store.
const COMPACTING: &str = "TRIBUNAL_TEST_COMPACTING_STORE";

/// Not a test of its own: asks everything again and compacts, for ever.
#[test]
fn compacting_victim() {
    let Some(dir) = std::env::var_os(COMPACTING) else { return };
    let (mut store, _) = Store::open(Path::new(&dir), Access::Write).unwrap();
    let records: Vec<_> = (0..60).map(record).collect();
    loop {
        store.put_batch(&records).unwrap();
        eprintln!("round");
        store.compact().unwrap();
    }
}

#[test]
fn a_process_killed_while_it_compacts_loses_no_record() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..8_u64 {
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::compacting_victim", "--nocapture", "--test-threads=1"])
            .env(COMPACTING, dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(victim.stderr.take().unwrap());
        said.read_line(&mut String::new()).unwrap();
        std::thread::sleep(Duration::from_millis(7 * round));
        victim.kill().unwrap();
        victim.wait().unwrap();
        let (mut store, notices) = Store::open(dir.path(), Access::Write).unwrap();
        let found = (0..60).filter(|n| store.record(&record(*n).key) == Some(record(*n))).count();
        assert_eq!(found, 60, "round {round}: {notices:?}");
        assert!(!notices.iter().any(|notice| notice.text.contains(" damaged and was")), "{notices:?}");
    }
}

/// Not a test of its own: what the killed process does. Writes batches for ever and says which were acknowledged.
#[test]
fn victim() {
    let Some(dir) = std::env::var_os(VICTIM) else { return };
    let (mut store, _) = Store::open(Path::new(&dir), Access::Write).unwrap();
    let start = store.stats().records;
    for batch in 0_u64.. {
        let first = start + batch * 20;
        let records: Vec<_> = (first..first + 20).map(record).collect();
        store.put_batch(&records).unwrap();
        eprintln!("acknowledged {}", first + 20);
    }
}

#[test]
fn a_killed_writer_loses_no_acknowledged_record_and_leaves_no_lock() {
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged = 0;
    for round in 0..6_u64 {
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::victim", "--nocapture", "--test-threads=1"])
            .env(VICTIM, dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(victim.stderr.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        if round == 0 {
            let refused = Store::open(dir.path(), Access::Write).unwrap_err();
            assert!(matches!(refused, StoreError::InUse { .. }), "{refused}");
            assert!(refused.to_string().contains(&victim.id().to_string()), "{refused}");
        }
        std::thread::sleep(Duration::from_millis(37 * round + 5));
        victim.kill().unwrap();
        victim.wait().unwrap();
        let said = std::iter::once(first).chain(lines.map_while(Result::ok));
        let last = said.filter_map(|line| line.strip_prefix("acknowledged ")?.parse::<u64>().ok()).last();
        acknowledged = acknowledged.max(last.unwrap());

        let (mut store, _) = Store::open(dir.path(), Access::Write).unwrap();
        let records = store.stats().records;
        assert!(records >= acknowledged, "round {round}: {records} of {acknowledged}");
        for n in 0..records {
            assert_eq!(store.record(&record(n).key), Some(record(n)), "round {round}");
        }
    }
}

fn judgment(n: u64) -> RunJudgment {
    RunJudgment {
        item: format!("i{n}").into(),
        judge: "mini".into(),
        order: Order::Ba,
        repeat: 0,
        key: Some(record(n).key),
        verdict: Some(Verdict::First),
        no_verdict: None,
        grade: None,
        why: None,
    }
}

/// A closed store of some records and a run over them.
fn closed_store(dir: &Path, records: u64) {
    let (mut store, _) = Store::open(dir, Access::Write).unwrap();
    let header = RunHeader {
        number: 0,
        kind: RunKind::Calibrate,
        command: "tribunal calibrate".to_owned(),
        version: "0".to_owned(),
        started: "2026-01-02T03:04:05Z".to_owned(),
        process: 0,
        planned: records,
        items: RunItems { count: records, digest: Digest::of(b"items") },
        judges: Vec::new(),
    };
    let header = store.begin_run(header).unwrap().unwrap();
    store.put_batch(&(0..records).map(record).collect::<Vec<_>>()).unwrap();
    let judgments: Vec<_> = (0..records).map(judgment).collect();
    let end = RunEnd {
        finished: "2026-01-02T03:04:06Z".to_owned(),
        state: RunState::Done,
        reason: None,
        judgments: 0,
        accounting: RunAccounting::of(&judgments),
        calls: RunCalls::default(),
        usage: Usage::default(),
        cost_usd: None,
        reparsed: Vec::new(),
    };
    store.finish_run(&header, judgments, &end).unwrap();
    store.close();
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

/// The files of the journal, the ledger and the index, as paths within the store.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.metadata().unwrap().len() > 0 && path.file_name().unwrap() != "lock" {
                found.push(path.strip_prefix(dir).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// Opens a store whose file was changed: nothing panics, nothing comes back changed, and what is missing is said.
fn check_changed(dir: &Path, records: u64, what: &str) {
    let scratch = dir.with_extension("scratch");
    let verified = verify(dir, &scratch);
    let ledger = Ledger::open(dir).unwrap();
    let mut said: Vec<String> = Vec::new();
    for number in ledger.numbers().unwrap() {
        match ledger.read(number) {
            Ok(run) => {
                let is_whole = matches!(run.status, RunStatus::Ended(_)) && run.damaged.is_empty();
                assert!(!is_whole || run.judgments.len() as u64 == records, "{what}: verdicts are missing in silence");
                assert!(run.judgments.iter().all(|found| (0..records).any(|n| *found == judgment(n))), "{what}");
                if !is_whole {
                    let verified = verified.as_ref().unwrap();
                    let is_found = verified.damage.iter().any(|damage| damage.path == run.path);
                    assert!(is_found || run.status == RunStatus::Killed, "{what}: {verified:?}");
                }
            }
            Err(error) => said.push(error.to_string()),
        }
    }
    match Store::open(dir, Access::Write) {
        Ok((mut store, notices)) => {
            said.extend(notices.iter().map(|notice| notice.text.clone()));
            let mut missing = 0;
            for n in 0..records {
                match store.record(&record(n).key) {
                    Some(found) => assert_eq!(found, record(n), "{what}"),
                    None => missing += 1,
                }
            }
            said.extend(store.take_notices().iter().map(|notice| notice.text.clone()));
            assert!(missing == 0 || !said.is_empty(), "{what}: {missing} records are missing in silence");
            let is_listed = verified.as_ref().is_ok_and(|verified| !verified.damage.is_empty());
            assert!(missing == 0 || is_listed, "{what}: {verified:?}");
        }
        Err(error) => said.push(error.to_string()),
    }
    assert!(said.iter().all(|text| !text.contains('\n')), "{what}: {said:?}");
}

/// A small generator with a seed: the same places in every run of the test.
fn draws(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

#[test]
fn a_flipped_byte_anywhere_in_a_closed_store_loses_nothing_in_silence() {
    const RECORDS: u64 = 12;
    let dir = tempfile::tempdir().unwrap();
    closed_store(dir.path(), RECORDS);
    let files = files(dir.path());
    assert!(files.len() >= 3, "{files:?}");
    let mut draw = draws(7);
    for flip in 0..60_usize {
        let file = &files[flip % files.len()];
        let copy = tempfile::tempdir().unwrap();
        let store = copy.path().join("store");
        copy_folder(dir.path(), &store);
        let mut bytes = std::fs::read(store.join(file)).unwrap();
        // The index engine's file is mostly zeros: a place with content says more.
        let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
        let at = places[usize::try_from(draw(places.len() as u64)).unwrap()];
        bytes[at] ^= 1 << draw(8);
        write(&store.join(file), &bytes);
        check_changed(&store, RECORDS, &format!("{} byte {at}", file.display()));
    }
}

#[test]
fn a_file_cut_off_anywhere_loses_nothing_in_silence() {
    const RECORDS: u64 = 6;
    let dir = tempfile::tempdir().unwrap();
    closed_store(dir.path(), RECORDS);
    for file in files(dir.path()) {
        let whole = std::fs::read(dir.path().join(&file)).unwrap();
        let newlines: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] == b'\n').collect();
        let mut lengths = vec![0, 1, 5, 17, 40, whole.len() / 2, whole.len() - 1];
        if file.extension().is_some_and(|ending| ending == "jsonl") {
            let around = [newlines[0], newlines[0] + 1, newlines[0] + 2, newlines[newlines.len() - 2] + 1];
            lengths.extend(around);
        }
        for length in lengths.into_iter().filter(|length| *length < whole.len()) {
            let copy = tempfile::tempdir().unwrap();
            let store = copy.path().join("store");
            copy_folder(dir.path(), &store);
            write(&store.join(&file), &whole[..length]);
            check_changed(&store, RECORDS, &format!("{} cut to {length}", file.display()));
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "a test lays out its files")]
fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}
