use super::*;
use std::time::UNIX_EPOCH;

/// Returns a file whose last change is long ago, as far as its modification time tells.
fn file(content: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

fn known(identities: &Identities) -> usize {
    identities.known.lock().len()
}

fn of(identities: &Identities, path: &Path) -> Result<Identified, IdentityError> {
    identities.identify(&File::open(path).unwrap(), path)
}

#[test]
fn it_is_the_sha256_of_the_content() {
    let (_folder, path) = file(b"abc");
    let identified = of(&Identities::new(), &path).unwrap();
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!((identified.identity.sha256.as_str(), identified.identity.size), (abc, 3));
    let big = vec![7; 3 * BLOCK + 1];
    let (_folder, path) = file(&big);
    assert_eq!(
        of(&Identities::new(), &path).unwrap().identity.sha256,
        encode_hex(&Sha256::digest(&big)),
        "several blocks"
    );
}

#[test]
fn what_was_just_changed_is_not_remembered() {
    let (_folder, path) = file(b"new");
    let identities = Identities::new();
    assert!(!of(&identities, &path).unwrap().settled, "another change could have the same times");
    assert_eq!(known(&identities), 0);
}

#[test]
fn what_is_settled_is_remembered() {
    let identities = Identities::new();
    let first = of(&identities, Path::new("/bin/sh")).unwrap();
    assert_eq!((first.settled, known(&identities)), (true, 1));
    assert_eq!(of(&identities, Path::new("/bin/sh")).unwrap(), first);
}

#[test]
fn a_modification_time_set_back_is_another_state() {
    let (_folder, path) = file(b"before");
    let before = FileState::from_file(&File::open(&path).unwrap()).unwrap();
    let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
    // The file system's clock ticks slowly: until the change shows, the file counts as unsettled.
    loop {
        std::fs::write(&path, b"after!").unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(modified).unwrap();
        let after = FileState::from_file(&file).unwrap();
        assert_eq!((after.size, after.mtime_ns), (before.size, before.mtime_ns), "what a forger can set");
        if after != before {
            return;
        }
    }
}

#[test]
fn a_state_is_settled_when_its_latest_change_is_past_the_margin() {
    let second = |seconds: i128| seconds * 1_000_000_000;
    let state = |mtime: i128, ctime: i128| FileState {
        device: 1,
        inode: 2,
        size: 3,
        mtime_ns: second(mtime),
        ctime_ns: second(ctime),
    };
    let now = UNIX_EPOCH + Duration::from_secs(100);
    for (mtime, ctime, settled) in
        [(1, 1, true), (97, 97, true), (98, 1, false), (1, 99, false), (200, 1, false)]
    {
        assert_eq!(state(mtime, ctime).settled(now, UNSETTLED), settled, "mtime {mtime}, ctime {ctime}");
    }
}

#[test]
fn what_is_too_large_is_refused_before_it_is_read() {
    let (_folder, path) = file(b"");
    File::options().write(true).open(&path).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
    assert!(matches!(of(&Identities::new(), &path), Err(IdentityError::TooLarge)));
}

#[test]
fn what_got_shorter_is_not_identified() {
    let (_folder, path) = file(b"abc");
    assert!(matches!(sha256(&File::open(&path).unwrap(), 4), Err(IdentityError::Changing)));
}

#[test]
fn reading_leaves_the_files_position_alone() {
    use std::io::{Read as _, Seek as _};
    let (_folder, path) = file(b"abc");
    let mut opened = File::open(&path).unwrap();
    Identities::new().identify(&opened, &path).unwrap();
    assert_eq!(opened.stream_position().unwrap(), 0);
    let mut all = String::new();
    opened.read_to_string(&mut all).unwrap();
    assert_eq!(all, "abc");
}

#[test]
fn versions_are_read_from_paths() {
    for row in include_str!("versions.jsonl").lines() {
        let (path, version): (&str, Option<&str>) = serde_json::from_str(row).unwrap();
        assert_eq!(version_of(Path::new(path)).as_deref(), version, "{path}");
    }
}

#[test]
fn an_applications_version_is_read_from_its_property_list() {
    let folder = tempfile::tempdir().unwrap();
    let contents = folder.path().join("Tool.app/Contents");
    std::fs::create_dir_all(contents.join("MacOS")).unwrap();
    let list = "<dict><key>CFBundleShortVersionString</key>\n <string>4.2</string></dict>";
    std::fs::write(contents.join("Info.plist"), list).unwrap();
    assert_eq!(version_of(&contents.join("MacOS/tool")).as_deref(), Some("4.2"));
}
