//! The fuzz targets on stable: each check on every entry of its corpus, so that what was once found stays found.

use postern_tests::repository;
use std::fs;
use std::panic::catch_unwind;
use std::path::PathBuf;

#[expect(unreachable_pub, reason = "public in its own crate")]
#[path = "../../fuzz/src/lib.rs"]
mod targets;

#[test]
fn every_entry_of_the_reader_s_corpus_holds() {
    replay("reader", targets::reader::check);
}

#[test]
fn every_entry_of_the_unwrapper_s_corpus_holds() {
    replay("unwrapper", targets::unwrapper::check);
}

#[test]
fn every_entry_of_the_rules_corpus_holds() {
    replay("rules", targets::rules::check);
}

#[test]
fn every_entry_of_the_permissions_corpus_holds() {
    replay("permissions", targets::permissions::check);
}

#[test]
fn every_entry_of_the_programs_corpus_holds() {
    replay("programs", targets::programs::check);
}

#[test]
fn every_entry_of_the_chat_s_corpus_holds() {
    replay("chat", targets::chat::check);
}

#[test]
fn every_entry_of_the_frames_corpus_holds() {
    replay("frames", targets::frames::check);
}

#[test]
fn every_entry_of_the_corpus_of_stored_rows_holds() {
    replay("stored", targets::stored::check);
}

#[test]
fn every_entry_of_openclaw_s_corpus_holds() {
    replay("openclaw", targets::openclaw::check);
}

#[test]
fn every_entry_of_the_websocket_s_corpus_holds() {
    replay("websocket", targets::websocket::check);
}

#[test]
fn every_entry_of_the_fleet_s_corpus_holds() {
    replay("fleet", targets::fleet::check);
}

#[test]
fn the_script_and_the_weekly_run_name_every_target() {
    let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let files = fs::read_dir(repository().join("fuzz/targets")).unwrap();
    let mut wanted: Vec<String> = files.map(|entry| name(entry.unwrap().path())).collect();
    wanted.sort();
    for (file, before, after) in
        [("scripts/fuzz", "|| targets=(", ')'), (".github/workflows/fuzz.yml", "target: [", ']')]
    {
        let text = fs::read_to_string(repository().join(file)).unwrap();
        let (_, list) = text.split_once(before).unwrap();
        let list = list.split_once(after).unwrap().0.replace(',', " ");
        let mut named: Vec<&str> = list.split_whitespace().collect();
        named.sort_unstable();
        assert_eq!(named, wanted, "{file}");
    }
}

fn replay(target: &str, check: fn(&[u8])) {
    let folder = repository().join("fuzz/corpus").join(target);
    let mut entries: Vec<PathBuf> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    assert!(entries.len() > 10, "{} holds a corpus", folder.display());
    let fails = |path: &PathBuf| {
        let data = fs::read(path).unwrap();
        catch_unwind(|| check(&data)).is_err()
    };
    let failed: Vec<_> = entries.into_iter().filter(fails).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
