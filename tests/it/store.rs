//! The store against a writer that is killed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tribunal::domain::{Completion, Digest, Fingerprint, Order, RequestKey};
use tribunal::store::{Access, Record, Store, StoreError};

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
        body: serde_json::json!({"text": "x".repeat(usize::try_from(n % 5000).unwrap())}),
        completion: Completion::of_text(format!("answer {n}")),
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
