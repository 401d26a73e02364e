//! Invariants of the architecture, held over `cargo metadata` and the tree itself.

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const PURE: [&str; 7] = ["programs", "command", "policy", "request", "protocol", "contract", "fleet"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .exec()
        .expect("cargo metadata runs in a checkout")
}

/// Returns every package that `name` reaches through ordinary (not dev, not build) dependencies, by name.
fn reaches(metadata: &Metadata, name: &str) -> BTreeSet<String> {
    let nodes: BTreeMap<&PackageId, _> =
        metadata.resolve.as_ref().unwrap().nodes.iter().map(|node| (&node.id, node)).collect();
    let start =
        &metadata.packages.iter().find(|p| p.name.as_str() == name).unwrap_or_else(|| panic!("{name}")).id;
    let mut seen = BTreeSet::new();
    let mut open = vec![start];
    while let Some(id) = open.pop() {
        for dep in &nodes[id].deps {
            let ordinary = dep.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal);
            if ordinary && seen.insert(&dep.pkg) {
                open.push(&dep.pkg);
            }
        }
    }
    let names: BTreeMap<&PackageId, &str> =
        metadata.packages.iter().map(|package| (&package.id, package.name.as_str())).collect();
    seen.into_iter().map(|id| names[id].to_owned()).collect()
}

/// Asserts that none of these rooms reaches any of these crates.
fn none_reaches(rooms: &[&str], others: &[&str], because: &str) {
    let metadata = metadata();
    for room in rooms {
        let reached = reaches(&metadata, &format!("postern-{room}"));
        let wrong: Vec<_> = others.iter().filter(|other| reached.contains(**other)).collect();
        assert!(wrong.is_empty(), "{room} {because}, yet it reaches {wrong:?}");
    }
}

#[test]
fn pure_rooms_never_reach_the_world() {
    none_reaches(&PURE, &["tokio", "tauri", "rusqlite", "mio", "notify", "rustix", "nix"], "is pure");
}

#[test]
fn the_product_runs_without_a_window() {
    let rooms = ["store", "host", "doors", "client", "cli", "run"];
    none_reaches(&rooms, &["tauri", "wry", "tao", "webkit2gtk"], "runs without a window");
}

#[test]
fn rooms_know_only_whom_they_may() {
    // room -> the rooms it may reach (architecture: who may know whom)
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("programs", &[][..]),
        ("command", &["programs"]),
        ("protocol", &[]),
        ("policy", &["programs", "command", "protocol"]),
        ("request", &["policy", "programs", "command", "protocol"]),
        ("contract", &["request", "policy", "programs", "command", "protocol"]),
        ("fleet", &[]),
        ("store", &["policy", "programs", "command", "request", "protocol"]),
        ("client", &["protocol"]),
        ("run", &["client", "protocol"]),
        ("exec", &["programs", "command", "policy", "request", "protocol", "contract"]),
        ("host", &["programs", "command", "policy", "request", "protocol", "contract", "store", "exec"]),
        (
            "doors",
            &[
                "host", "exec", "client", "programs", "command", "policy", "request", "protocol", "contract",
                "store", "fleet",
            ],
        ),
    ]);
    let metadata = metadata();
    for (room, may) in allowed {
        let mut reached = reaches(&metadata, &format!("postern-{room}"));
        if room == "client" || room == "run" {
            // The control feature adds contract for the command line and the window; run goes without it, which the
            // features of a whole workspace cannot show: its own manifest must not ask for it.
            let manifest = std::fs::read_to_string(root().join("src-tauri/crates/run/Cargo.toml")).unwrap();
            assert!(!manifest.contains("control"), "postern-run speaks the agents' socket only");
            reached.retain(|name| {
                ![
                    "postern-contract", "postern-policy", "postern-request", "postern-command",
                    "postern-programs",
                ]
                .contains(&name.as_str())
            });
        }
        let strangers: Vec<_> = reached
            .iter()
            .filter_map(|name| name.strip_prefix("postern-"))
            .filter(|name| !may.contains(name))
            .collect();
        assert!(strangers.is_empty(), "{room} must not know {strangers:?}");
    }
}

#[test]
fn the_agents_client_needs_no_async_runtime() {
    none_reaches(&["run"], &["tokio"], "is small");
}

#[test]
fn pure_rooms_repeat_the_root_bans() {
    let lines = |path: PathBuf| -> BTreeSet<String> {
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        text.lines().map(|line| line.trim().to_owned()).filter(|line| line.contains("path = ")).collect()
    };
    let root_bans = lines(root().join("clippy.toml"));
    let first = lines(root().join("src-tauri/crates/command/clippy.toml"));
    assert!(first.is_superset(&root_bans), "the nearest clippy.toml replaces the root's: repeat its bans");
    for room in PURE {
        assert_eq!(
            lines(root().join(format!("src-tauri/crates/{room}/clippy.toml"))),
            first,
            "{room} bans what all pure rooms ban"
        );
    }
}

/// Returns the Rust sources of a folder, tests apart.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    files(folder, &["rs"])
}

/// Returns the files of a folder whose names end like this.
fn files(folder: &Path, endings: &[&str]) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, endings));
        } else if path.extension().is_some_and(|own| endings.iter().any(|ending| own == *ending)) {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

#[test]
fn nothing_but_the_run_room_starts_processes() {
    let spawning = [
        "Command::new(", "process::Command", "libc::fork", "libc::vfork", "libc::execve", "posix_spawn",
        "execveat", "libc::clone",
    ];
    let rooms = ["src-tauri/src", "src-tauri/crates"];
    for (path, text) in rooms.iter().flat_map(|room| sources(&root().join(room))) {
        let shown = path.strip_prefix(root()).unwrap().display().to_string();
        let is_test =
            shown.contains("/tests/") || shown.ends_with("tests.rs") || shown.ends_with("test_support.rs");
        if shown.starts_with("src-tauri/crates/exec/src/run/") || is_test {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            for call in spawning {
                // A menu, a parser and similar ones also call themselves Command; only the standard library's starts things.
                let starts = line.contains(call) && !line.contains("clap::");
                assert!(!starts, "{shown} starts a process outside exec::run: {line}");
            }
        }
    }
}

/// Places that may hold `unsafe`: execution, the app's calls of macOS, and the signal handler of `postern-run`.
const UNSAFE: [&str; 3] = ["src-tauri/crates/exec/", "src-tauri/src/", "src-tauri/crates/run/src/signals.rs"];

#[test]
fn unsafe_code_stands_where_it_may() {
    for (path, text) in sources(&root().join("src-tauri")) {
        let shown = path.strip_prefix(root()).unwrap().display().to_string();
        let holds = text.lines().any(|line| line.contains("unsafe {") || line.contains("unsafe fn"));
        assert!(!holds || UNSAFE.iter().any(|place| shown.starts_with(place)), "{shown} holds unsafe code");
    }
}

#[test]
fn unsafe_code_is_argued_for() {
    for (path, text) in sources(&root().join("src-tauri")) {
        let blocks =
            text.lines().filter(|line| line.contains("unsafe {") || line.contains("unsafe fn")).count();
        let arguments = text.matches("SAFETY:").count() + text.matches("# Safety\n").count();
        assert!(blocks <= arguments, "{}: {blocks} unsafe, {arguments} SAFETY arguments", path.display());
    }
}

/// Names of texts for users, and of calls that would read them.
const SENTENCES: [&str; 12] = [
    "message", "what", "why", "advice", "sentence", "outcome", "known_by", "at_zero", "reason", "label",
    "fix", "missing",
];
const READERS: [&str; 13] = [
    ".contains(", ".starts_with(", ".ends_with(", ".strip_prefix(", ".strip_suffix(", ".trim_start_matches(",
    ".trim_end_matches(", ".find(", ".matches(", ".split(", ".split_once(", " == \"", " != \"",
];
/// Fields with sentences in the pages.
const PAGE_SENTENCES: [&str; 13] = [
    "message", "what", "why", "advice", "said", "sentence", "outcome", "knownBy", "atZero", "reason",
    "label", "fix", "missing",
];
const PAGE_READERS: [&str; 9] = [
    ".includes(", ".startsWith(", ".endsWith(", ".indexOf(", ".match(", ".matchAll(", ".replace(",
    ".search(", ".split(",
];

/// Returns true if a line of code reads a text for users.
fn reads_a_sentence(line: &str) -> bool {
    let passed = ["()", ".as_str()", ".as_deref()", ".to_string()", ".unwrap_or_default()"];
    reads_one_of(line, &SENTENCES, &passed, &READERS)
}

/// Returns true if a line of a page reads a sentence.
fn page_reads_a_sentence(line: &str) -> bool {
    let passed = ["?", "!", "()", ".toLowerCase()", ".trim()", " ?? \"\")"];
    reads_one_of(line, &PAGE_SENTENCES, &passed, &PAGE_READERS)
}

fn reads_one_of(line: &str, names: &[&str], passed: &[&str], readers: &[&str]) -> bool {
    names.iter().any(|name| {
        line.match_indices(name).any(|(at, _)| {
            let begins = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let mut rest = &line[at + name.len()..];
            while let Some(behind) = passed.iter().find_map(|call| rest.strip_prefix(call)) {
                rest = behind;
            }
            begins && readers.iter().any(|reader| rest.starts_with(reader))
        })
    })
}

#[test]
fn nothing_is_decided_by_reading_a_sentence() {
    for line in [
        "if way.what.contains(\"run\") {",
        "error.message.as_str().starts_with(\"x\")",
        "why() == \"x\"",
        "what.to_string().contains(\"x\")",
        "asker.known_by.trim_start_matches(\"on \")",
        "for part in why.split('`') {",
        "if answered.reason.as_deref().is_some() && answered.reason.contains(\"already\") {",
        "offer.label.starts_with(\"this exact\")",
        "finding.fix.find(\"Remove\")",
        "denial.advice.unwrap_or_default().ends_with('.')",
        "arming.missing == \"it waits no more\"",
    ] {
        assert!(reads_a_sentence(line), "{line}");
    }
    for line in ["somewhat.contains(1)", "names.contains(&why)", "let what = \"x\";"] {
        assert!(!reads_a_sentence(line), "{line}");
    }
    let rooms = [
        "crates/command", "crates/policy", "crates/request", "crates/contract", "crates/host",
        "crates/doors", "crates/client", "crates/cli", "crates/run",
    ];
    let decide = rooms.iter().map(|room| format!("src-tauri/{room}/src")).chain(["src-tauri/src".to_owned()]);
    for (path, text) in decide.flat_map(|room| sources(&root().join(room))) {
        let shown = path.strip_prefix(root()).unwrap().display().to_string();
        // Telegram reports an unchanged message only in words.
        let other = shown.contains("/tests/") || shown.ends_with("tests.rs") || shown.contains("/telegram/");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code.lines().filter(|line| !other && !line.trim_start().starts_with("//")) {
            assert!(!reads_a_sentence(line), "{shown} decides by a sentence: {line}");
        }
    }
}

#[test]
fn no_page_reads_a_sentence() {
    for line in [
        "if (d.message?.includes(\"run\")) {", "question.why.split(\"`\")",
        "answered.reason?.startsWith(\"not yet\")", "finding.fix.includes(\"Remove\")",
    ] {
        assert!(page_reads_a_sentence(line), "{line}");
    }
    for line in ["names.includes(why)", "{#each found.why as piece}", "const what = \"x\";"] {
        assert!(!page_reads_a_sentence(line), "{line}");
    }
    for (path, text) in files(&root().join("ui/src"), &["ts", "svelte"]) {
        let shown = path.strip_prefix(root()).unwrap().display().to_string();
        if shown.ends_with(".test.ts") || shown.starts_with("ui/src/contract/") {
            continue;
        }
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            assert!(!page_reads_a_sentence(line), "{shown} decides by a sentence: {line}");
            let counts_backticks = ["split(\"`\")", "indexOf(\"`\")", "includes(\"`\")"];
            assert!(
                !counts_backticks.iter().any(|call| line.contains(call)),
                "{shown} looks for code in a sentence: {line}"
            );
        }
    }
}

#[test]
fn every_integration_test_is_run_by_the_script() {
    let script = std::fs::read_to_string(root().join("scripts/test")).unwrap();
    let listed: BTreeSet<&str> = script
        .lines()
        .filter_map(|line| line.split_once("=(--test ")?.1.strip_suffix(')'))
        .flat_map(|names| names.split(" --test "))
        .collect();
    let metadata = metadata();
    let own = metadata.workspace_packages();
    let there: BTreeSet<&str> = own
        .iter()
        .flat_map(|package| &package.targets)
        .filter(|target| target.is_test())
        .map(|target| target.name.as_str())
        .collect();
    assert_eq!(listed, there, "scripts/test names the test binaries");
}
