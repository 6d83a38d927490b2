#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use super::compact::{self, Compaction};
use super::disk::Disk;
use super::record::tests::record;
use super::tests::{copy_folder, found, journal, replace, write};
use super::*;

/// Six records; the second asked twice, the third damaged, and a half-written line set aside.
fn used(dir: &Path) {
    write(dir, 0..6);
    let (mut store, _) = Store::open(dir, Access::Write).unwrap();
    let mut newer = record(1);
    newer.completion.text = "newer".to_owned();
    store.put_batch(&[newer]).unwrap();
    store.close();
    let text = fs::read_to_string(journal(dir)).unwrap().replace("[[A]] 2", "[[B]] 2") + "{\"v\":1,\"sha256\":\"00";
    replace(&journal(dir), text.as_bytes());
    let (store, _) = Store::open(dir, Access::Write).unwrap();
    store.close();
}

fn whole(dir: &Path) {
    let (mut store, _) = Store::open(dir, Access::Write).unwrap();
    assert_eq!(found(&mut store, 3..8), [3, 4, 5]);
    assert_eq!(store.get(&record(0).key), Some(record(0).completion));
    assert_eq!(store.get(&record(1).key).unwrap().text, "newer");
    assert_eq!(store.get(&record(2).key), None);
    store.put_batch(&[record(2)]).unwrap();
    drop(store);
    let (mut store, _) = Store::open(dir, Access::Write).unwrap();
    assert_eq!((found(&mut store, 2..8).len(), store.stats().records), (4, 6));
}

#[test]
fn compacting_keeps_the_last_record_of_each_key_and_says_what_it_dropped() {
    let dir = tempfile::tempdir().unwrap();
    used(dir.path());
    let (mut store, _) = Store::open(dir.path(), Access::Write).unwrap();
    let done = store.compact().unwrap();
    let Compaction { bytes_before, bytes_after, .. } = done;
    assert!(bytes_after < bytes_before && bytes_after > 0, "{done:?}");
    assert_eq!((done.kept, done.superseded, done.damaged), (5, 1, 1));
    assert!(done.set_aside >= 1, "{done:?}");
    assert_eq!(store.take_notices(), []);
    assert_eq!(found(&mut store, 3..8), [3, 4, 5], "the open store goes on with the new journal");
    store.close();
    let names: Vec<_> = fs::read_dir(dir.path().join("journal")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["000002.jsonl"]);
    let (_, notices) = Store::open(dir.path(), Access::Write).unwrap();
    assert_eq!(notices, []);
    whole(dir.path());
}

#[test]
fn a_crash_at_any_step_of_compacting_leaves_a_whole_journal() {
    let dir = tempfile::tempdir().unwrap();
    used(dir.path());
    let mut copies = Vec::new();
    let original = tempfile::tempdir().unwrap();
    copy_folder(dir.path(), original.path());
    let mut disk = Disk::open(dir.path(), Access::Write).unwrap();
    compact::compact(&mut disk, &mut || {
        let copy = tempfile::tempdir().unwrap();
        copy_folder(dir.path(), copy.path());
        copies.push(copy);
        Ok(())
    })
    .unwrap();
    assert!(copies.len() >= 5, "{} steps", copies.len());
    for (step, copy) in copies.iter().enumerate() {
        whole(copy.path());
        // An error at that step leaves the store in use, whole too, and the next try succeeds.
        let failing = tempfile::tempdir().unwrap();
        copy_folder(original.path(), failing.path());
        let mut disk = Disk::open(failing.path(), Access::Write).unwrap();
        let mut left = step;
        let full = || StoreError::io("write", Path::new("x"), std::io::ErrorKind::StorageFull.into());
        let mut gate = || {
            let is_over = left == 0;
            left = left.saturating_sub(1);
            if is_over { Err(full()) } else { Ok(()) }
        };
        assert!(compact::compact(&mut disk, &mut gate).is_err(), "step {step}");
        assert_eq!(disk.find(&record(5).key), Some(record(5)), "step {step}");
        compact::compact(&mut disk, &mut || Ok(())).unwrap();
        drop(disk);
        whole(failing.path());
    }
}

#[test]
fn a_reader_goes_on_while_the_journal_is_compacted_under_it() {
    let dir = tempfile::tempdir().unwrap();
    used(dir.path());
    let (mut reader, _) = Store::open(dir.path(), Access::Read).unwrap();
    let (mut store, _) = Store::open(dir.path(), Access::Write).unwrap();
    store.compact().unwrap();
    assert_eq!(found(&mut reader, 3..8), [3, 4, 5]);
}

#[test]
fn verifying_names_every_damaged_line_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let scratch = scratch.path().join("copy");
    write(dir.path(), 0..6);
    let clean = verify(dir.path(), &scratch).unwrap();
    assert_eq!((clean.damage.len(), clean.lines, clean.stats.records), (0, 6, 6), "{clean:?}");
    assert!(!scratch.exists());
    let text = fs::read_to_string(journal(dir.path())).unwrap().replace("[[A]] 2", "[[B]] 2") + "{\"v\":1,\"sha";
    replace(&journal(dir.path()), text.as_bytes());
    let found = verify(dir.path(), &scratch).unwrap();
    let lines: Vec<_> = found.damage.iter().filter_map(|damage| damage.line).collect();
    assert_eq!(lines, [3, 7], "{found:?}");
    assert_eq!(fs::read_to_string(journal(dir.path())).unwrap(), text);
    let (store, _) = Store::open(dir.path(), Access::Write).unwrap();
    let beside = verify(dir.path(), &scratch).unwrap();
    assert!(beside.remarks.iter().any(|remark| remark.contains("writes to this store now")), "{beside:?}");
    drop(store);
}

#[test]
fn an_index_of_another_journal_is_a_finding() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let scratch = tempfile::tempdir().unwrap();
    write(one.path(), 0..5);
    write(two.path(), 5..10);
    fs::remove_dir_all(two.path().join("index")).unwrap();
    copy_folder(&one.path().join("index"), &two.path().join("index"));
    let found = verify(two.path(), &scratch.path().join("copy")).unwrap();
    assert_eq!(found.damage.len(), 1);
    assert!(found.damage[0].what.contains("out of step"), "{found:?}");
}

#[test]
fn answers_that_a_batch_could_not_save_are_kept_for_another_disk() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..2);
    let (mut store, _) = Store::open(dir.path(), Access::Read).unwrap();
    let elsewhere = dir.path().join("elsewhere.jsonl");
    assert_eq!(store.rescue(&elsewhere).unwrap(), 0);
    assert!(!elsewhere.exists());
    store.put_batch(&[record(7), record(8)]).unwrap_err();
    assert_eq!(store.rescue(&elsewhere).unwrap(), 2);
    assert!(store.rescue(&elsewhere).is_err(), "a file that is there is not overwritten");
    let mut read = Vec::new();
    let notices = read_records(&elsewhere, &mut |record| read.push(record)).unwrap();
    assert_eq!((read, notices), (vec![record(7), record(8)], vec![]));
}

#[test]
fn another_store_hands_out_the_last_record_of_each_key_and_names_its_damage() {
    let dir = tempfile::tempdir().unwrap();
    used(dir.path());
    for path in [dir.path().to_owned(), dir.path().join("journal"), journal(dir.path())] {
        let mut texts = Vec::new();
        let notices = read_records(&path, &mut |record| texts.push(record.completion.text)).unwrap();
        texts.sort();
        assert_eq!(texts, ["[[A]] 0", "[[A]] 3", "[[A]] 4", "[[A]] 5", "newer"], "{}", path.display());
        assert!(notices.iter().any(|notice| notice.text.contains(":3 is damaged")), "{notices:?}");
    }
}
