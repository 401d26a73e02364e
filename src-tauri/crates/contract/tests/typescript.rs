//! The window's types are made from this crate: what is committed is what it says, no more and no less.
#![expect(
    clippy::disallowed_methods,
    reason = "this test reads and writes the generated files; the crate itself is pure"
)]
#![expect(clippy::unwrap_used, reason = "support functions of a test")]

use postern_contract::methods::{ControlError, ControlMethods};
use postern_contract::{
    ApproverNotification, Overview, PillAct, Preferences, Presence, QuestionName, Showing, UpdateState,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use ts_rs::{Config, TS};

fn files(folder: &Path) -> BTreeMap<String, String> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeMap::new() };
    entries
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap())
        })
        .collect()
}

fn generated(folder: &Path) -> BTreeMap<String, String> {
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
    let config = Config::new().with_large_int("number").with_out_dir(folder);
    ControlMethods::export_all(&config).unwrap();
    ControlError::export_all(&config).unwrap();
    ApproverNotification::export_all(&config).unwrap();
    Showing::export_all(&config).unwrap();
    Overview::export_all(&config).unwrap();
    QuestionName::export_all(&config).unwrap();
    PillAct::export_all(&config).unwrap();
    Preferences::export_all(&config).unwrap();
    Presence::export_all(&config).unwrap();
    UpdateState::export_all(&config).unwrap();
    let mut made = files(folder);
    let lines = made.keys().map(|name| {
        let name = name.trim_end_matches(".ts");
        format!("export type {{ {name} }} from \"./{name}\";\n")
    });
    let index = lines.collect();
    made.insert("index.ts".into(), index);
    made
}

#[test]
fn the_committed_typescript_is_what_the_contract_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let committed: PathBuf = root.join("ui/src/contract");
    let made = generated(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("contract"));
    assert!(
        made.contains_key("Question.ts") && made.contains_key("Settings.ts"),
        "whatever is named is exported"
    );
    let had = files(&committed);
    if had == made {
        return;
    }
    fs::create_dir_all(&committed).unwrap();
    for name in had.keys().filter(|name| !made.contains_key(*name)) {
        fs::remove_file(committed.join(name)).unwrap();
    }
    for (name, text) in &made {
        fs::write(committed.join(name), text).unwrap();
    }
    let names: Vec<_> =
        made.iter().filter(|(name, text)| had.get(*name) != Some(*text)).map(|(name, _)| name).collect();
    panic!(
        "ui/src/contract was not what the contract says; it is now: look at it and commit it. Changed: {names:?}"
    );
}
