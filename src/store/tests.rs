#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use super::frame::encode;
use super::record::tests::record;
use super::*;
use crate::domain::{Digest, Notice};

pub(super) fn write(dir: &Path, numbers: std::ops::Range<u32>) {
    let (mut store, _) = Store::open(dir, Access::Write).unwrap();
    let records: Vec<_> = numbers.map(record).collect();
    store.put_batch(&records).unwrap();
    store.close();
}

pub(super) fn journal(dir: &Path) -> PathBuf {
    dir.join("journal/000001.jsonl")
}

pub(super) fn replace(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).unwrap();
    std::io::Write::write_all(&mut fs::File::create(path).unwrap(), bytes).unwrap();
}

pub(super) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

fn texts(notices: &[Notice]) -> String {
    notices.iter().map(|notice| notice.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The numbers of the records that are found, each compared whole.
pub(super) fn found(store: &mut Store, numbers: std::ops::Range<u32>) -> Vec<u32> {
    numbers
        .filter(|n| match store.record(&record(*n).key) {
            Some(found) => {
                assert_eq!(found, record(*n), "a wrong record was returned");
                true
            }
            None => false,
        })
        .collect()
}

#[test]
fn what_was_put_is_found_again_after_closing() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..5);
    write(dir.path(), 5..8);
    let (mut store, notices) = Store::open(dir.path(), Access::Write).unwrap();
    assert_eq!(notices, []);
    assert_eq!(found(&mut store, 0..10), (0..8).collect::<Vec<_>>());
    assert_eq!(store.records().collect::<Vec<_>>(), (0..8).map(record).collect::<Vec<_>>());
    assert_eq!((store.stats().records, store.stats().journal_files), (8, 1));
}

#[test]
fn a_store_in_memory_finds_what_was_put() {
    let mut store = Store::memory();
    store.put_batch(&[record(2), record(1)]).unwrap();
    assert_eq!(store.get(&record(1).key), Some(record(1).completion));
    assert_eq!(store.get(&record(3).key), None);
    assert_eq!(store.records().map(|r| r.key).collect::<Vec<_>>(), [record(2).key, record(1).key]);
}

#[test]
fn a_run_killed_before_it_could_save_the_index_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..3);
    let killed = tempfile::tempdir().unwrap();
    let (mut store, _) = Store::open(dir.path(), Access::Write).unwrap();
    store.put_batch(&[record(3)]).unwrap();
    // What the disk holds at this moment is what a kill leaves behind.
    copy_folder(dir.path(), killed.path());
    drop(store);
    let (mut store, _) = Store::open(killed.path(), Access::Write).unwrap();
    assert_eq!(found(&mut store, 0..5), [0, 1, 2, 3]);
}

#[test]
fn one_flipped_byte_in_the_journal_costs_at_most_its_line_and_names_it() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..6);
    let whole = fs::read(journal(dir.path())).unwrap();
    for with_index in [true, false] {
        for at in (0..whole.len()).step_by(41) {
            let copy = tempfile::tempdir().unwrap();
            if with_index {
                copy_folder(dir.path(), copy.path());
            } else {
                copy_folder(&dir.path().join("journal"), &copy.path().join("journal"));
            }
            let mut bytes = whole.clone();
            bytes[at] ^= 0x15;
            replace(&journal(copy.path()), &bytes);
            let (mut store, mut notices) = Store::open(copy.path(), Access::Write).unwrap();
            let kept = found(&mut store, 0..6);
            notices.extend(store.take_notices());
            let line = whole[..at].split(|byte| *byte == b'\n').count();
            assert!(kept.len() >= 5, "byte {at}: only {kept:?} left");
            if kept.len() == 5 && line < 6 {
                assert!(texts(&notices).contains(&format!("000001.jsonl:{line} is damaged")), "byte {at}: {notices:?}");
            }
            // The lost record can be put again, and then all are there.
            store.put_batch(&[record(u32::try_from(line).unwrap() - 1)]).unwrap();
            assert_eq!(found(&mut store, 0..6).len(), 6);
        }
    }
}

#[test]
fn every_newline_may_be_lost_without_losing_a_record() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..4);
    let whole = fs::read(journal(dir.path())).unwrap();
    for at in (0..whole.len()).filter(|at| whole[*at] == b'\n') {
        let copy = tempfile::tempdir().unwrap();
        let mut bytes = whole.clone();
        bytes[at] = b'*';
        fs::create_dir_all(copy.path().join("journal")).unwrap();
        std::io::Write::write_all(&mut fs::File::create(journal(copy.path())).unwrap(), &bytes).unwrap();
        let (mut store, notices) = Store::open(copy.path(), Access::Write).unwrap();
        assert_eq!(found(&mut store, 0..4), [0, 1, 2, 3], "{notices:?}");
    }
}

#[test]
fn one_flipped_byte_in_the_index_costs_no_record() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..30);
    let mut rebuilt = 0;
    for entry in fs::read_dir(dir.path().join("index")).unwrap() {
        let file = entry.unwrap().path();
        if file.is_dir() {
            continue;
        }
        let whole = fs::read(&file).unwrap();
        // The engine's file is mostly empty pages: look where it has content, and at a few other places.
        let places = (0..whole.len()).filter(|at| whole[*at] != 0).step_by(97).chain((0..whole.len()).step_by(100_003));
        for at in places {
            let copy = tempfile::tempdir().unwrap();
            copy_folder(dir.path(), copy.path());
            let mut bytes = whole.clone();
            bytes[at] ^= 0x41;
            replace(&copy.path().join("index").join(file.file_name().unwrap()), &bytes);
            let (mut store, mut notices) = Store::open(copy.path(), Access::Write).unwrap();
            assert_eq!(found(&mut store, 0..31), (0..30).collect::<Vec<_>>(), "{} byte {at}", file.display());
            notices.extend(store.take_notices());
            if !notices.is_empty() {
                rebuilt += 1;
                assert!(texts(&notices).contains("index.bad-1"), "{notices:?}");
                store.close();
                let (_, again) = Store::open(copy.path(), Access::Write).unwrap();
                assert_eq!(again, [], "the rebuilt index is not used");
            }
        }
    }
    assert!(rebuilt > 0, "no flip touched anything");
}

#[test]
fn an_index_of_another_journal_is_built_anew() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(one.path(), 0..5);
    write(two.path(), 5..10);
    fs::remove_dir_all(two.path().join("index")).unwrap();
    copy_folder(&one.path().join("index"), &two.path().join("index"));
    let (mut store, notices) = Store::open(two.path(), Access::Write).unwrap();
    assert!(texts(&notices).contains("out of step"), "{notices:?}");
    assert_eq!(found(&mut store, 0..10), [5, 6, 7, 8, 9]);
}

#[test]
fn a_deleted_index_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..5);
    fs::remove_dir_all(dir.path().join("index")).unwrap();
    let (mut store, notices) = Store::open(dir.path(), Access::Write).unwrap();
    assert_eq!(notices, []);
    assert_eq!(found(&mut store, 0..5).len(), 5);
}

#[test]
fn an_index_held_by_another_process_is_replaced_by_reading_the_journal() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..3);
    let held = sled::Config::new().path(dir.path().join("index")).open().unwrap();
    let (mut store, notices) = Store::open(dir.path(), Access::Write).unwrap();
    assert!(texts(&notices).contains("held by another process"), "{notices:?}");
    store.put_batch(&[record(3)]).unwrap();
    assert_eq!(found(&mut store, 0..5), [0, 1, 2, 3]);
    drop(store);
    drop(held);
    let (mut store, _) = Store::open(dir.path(), Access::Write).unwrap();
    assert_eq!(found(&mut store, 0..5), [0, 1, 2, 3]);
}

#[test]
fn a_last_record_cut_at_any_byte_is_set_aside_and_the_next_append_starts_on_a_fresh_line() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..3);
    let whole = fs::read(journal(dir.path())).unwrap();
    let last = encode(&record(2)).unwrap().len();
    let start = whole.len() - last;
    for cut in start..whole.len() {
        let copy = tempfile::tempdir().unwrap();
        fs::create_dir_all(copy.path().join("journal")).unwrap();
        std::io::Write::write_all(&mut fs::File::create(journal(copy.path())).unwrap(), &whole[..cut]).unwrap();
        // Reading beside it neither trips over the torn tail nor touches it.
        let (mut reader, notices) = Store::open(copy.path(), Access::Read).unwrap();
        assert_eq!((found(&mut reader, 0..2).len(), notices.len()), (2, 0));
        assert_eq!(fs::metadata(journal(copy.path())).unwrap().len(), cut as u64);

        let mut disk = disk::Disk::open(copy.path(), Access::Write).unwrap();
        let kept = (0..4).filter(|n| disk.find(&record(*n).key).is_some()).count();
        let (records, is_torn) = match cut {
            _ if cut == start => (2, false),
            _ if cut == whole.len() - 1 => (3, false),
            _ => (2, true),
        };
        assert_eq!((kept, disk.notices.len()), (records, usize::from(is_torn)), "cut at {cut}: {:?}", disk.notices);
        if is_torn {
            let aside = fs::read(copy.path().join("journal/000001.torn-1")).unwrap();
            assert_eq!(aside, whole[start..cut]);
        }
        disk.put_batch(&[record(3)]).unwrap();
        drop(disk);
        let text = fs::read_to_string(journal(copy.path())).unwrap();
        assert_eq!(text.lines().count(), records + 1);
        let (mut reader, notices) = Store::open(copy.path(), Access::Read).unwrap();
        assert_eq!(notices, []);
        assert!(reader.get(&record(3).key).is_some());
    }
}

#[test]
fn a_second_writer_is_refused_until_the_first_is_gone_and_readers_are_welcome() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..2);
    let (first, _) = Store::open(dir.path(), Access::Write).unwrap();
    let error = Store::open(dir.path(), Access::Write).unwrap_err();
    assert!(matches!(error, StoreError::InUse { .. }));
    let text = error.to_string();
    for wanted in [dir.path().to_str().unwrap(), "--store", "--no-store", &std::process::id().to_string()] {
        assert!(text.contains(wanted), "{text}");
    }
    let (mut reader, _) = Store::open(dir.path(), Access::Read).unwrap();
    assert_eq!(found(&mut reader, 0..2), [0, 1]);
    assert!(matches!(reader.put_batch(&[record(3)]), Err(StoreError::ReadOnly { .. })));
    drop(first);
    assert!(Store::open(dir.path(), Access::Write).is_ok());
}

#[test]
fn a_file_in_the_folders_place_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("store");
    fs::File::create(&file).unwrap();
    for path in [file.clone(), file.join("below")] {
        let error = Store::open(&path, Access::Write).unwrap_err();
        assert!(matches!(&error, StoreError::NotAFolder { path } if *path == file), "{error}");
    }
    let other = dir.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::File::create(other.join("journal")).unwrap();
    assert!(matches!(Store::open(&other, Access::Write), Err(StoreError::NotAFolder { .. })));
    fs::remove_file(other.join("journal")).unwrap();
    fs::create_dir_all(other.join("journal/000001.jsonl")).unwrap();
    assert!(matches!(Store::open(&other, Access::Write), Err(StoreError::NotAFile { .. })));
}

#[test]
fn foreign_content_is_refused_and_left_alone() {
    for content in ["{\"id\":1}\n{\"id\":2}\n", "some notes", "\u{0}\u{1}\u{2}\n"] {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("journal")).unwrap();
        std::io::Write::write_all(&mut fs::File::create(journal(dir.path())).unwrap(), content.as_bytes()).unwrap();
        let error = Store::open(dir.path(), Access::Write).unwrap_err();
        assert!(matches!(error, StoreError::Foreign { .. }), "{content:?}: {error}");
        assert_eq!(fs::read_to_string(journal(dir.path())).unwrap(), content);
    }
}

#[test]
fn a_later_format_version_is_an_error_that_names_the_line() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..1);
    let digest = Digest::of(br#"{"v":9,"new":true}"#);
    let text = fs::read_to_string(journal(dir.path())).unwrap();
    let text = format!("{text}{{\"v\":9,\"sha256\":\"{digest}\",\"new\":true}}\n");
    replace(&journal(dir.path()), text.as_bytes());
    let error = Store::open(dir.path(), Access::Write).unwrap_err();
    assert!(matches!(error, StoreError::Version { line: 2, found: 9, wanted: 1, .. }), "{error}");
}

#[test]
#[cfg(unix)]
fn a_folder_that_cannot_be_written_is_an_error_with_a_way_out() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let is_privileged = fs::File::create(dir.path().join("probe")).is_ok();
    // A privileged user writes anywhere but into the kernel's own tree.
    let path = if is_privileged { PathBuf::from("/proc/tribunal-store") } else { dir.path().join("store") };
    let error = Store::open(&path, Access::Write).unwrap_err().to_string();
    assert!(error.contains("--store DIR") && error.contains("--no-store"), "{error}");
    assert!(error.contains(path.to_str().unwrap()), "{error}");
}

#[test]
fn of_two_records_under_one_key_the_later_counts() {
    let dir = tempfile::tempdir().unwrap();
    let mut newer = record(1);
    newer.completion.text = "[[B]]".to_owned();
    let (mut store, _) = Store::open(dir.path(), Access::Write).unwrap();
    store.put_batch(&[record(1)]).unwrap();
    store.put_batch(std::slice::from_ref(&newer)).unwrap();
    assert_eq!(store.get(&newer.key), Some(newer.completion.clone()));
    drop(store);
    let (mut store, _) = Store::open(dir.path(), Access::Write).unwrap();
    assert_eq!(store.get(&newer.key), Some(newer.completion));
    assert_eq!(store.stats().records, 1);
}
