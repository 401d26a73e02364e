//! The fuzz targets on stable: each check on every entry of its corpus, so that what was once found stays found.

use postern_tests::repository;
use std::fs;
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::thread;

#[expect(unreachable_pub, reason = "public in its own crate")]
#[path = "../../fuzz/src/lib.rs"]
mod targets;

/// Checks, by the folder of their corpus.
const TARGETS: [(&str, fn(&[u8])); 11] = [
    ("reader", targets::reader::check),
    ("unwrapper", targets::unwrapper::check),
    ("rules", targets::rules::check),
    ("permissions", targets::permissions::check),
    ("programs", targets::programs::check),
    ("chat", targets::chat::check),
    ("frames", targets::frames::check),
    ("stored", targets::stored::check),
    ("openclaw", targets::openclaw::check),
    ("websocket", targets::websocket::check),
    ("fleet", targets::fleet::check),
];

#[test]
fn every_entry_of_every_corpus_holds() {
    let failed: Vec<PathBuf> = thread::scope(|scope| {
        let running = TARGETS.map(|(target, check)| scope.spawn(move || replay(target, check)));
        running.into_iter().flat_map(|one| one.join().unwrap()).collect()
    });
    assert!(failed.is_empty(), "{failed:#?}");
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

/// Returns the entries of a corpus that fail.
fn replay(target: &str, check: fn(&[u8])) -> Vec<PathBuf> {
    let folder = repository().join("fuzz/corpus").join(target);
    let mut entries: Vec<PathBuf> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    assert!(entries.len() > 10, "{} holds a corpus", folder.display());
    let fails = |path: &PathBuf| {
        let data = fs::read(path).unwrap();
        catch_unwind(|| check(&data)).is_err()
    };
    entries.into_iter().filter(fails).collect()
}
