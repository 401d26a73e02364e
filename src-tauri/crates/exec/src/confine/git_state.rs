//! State of a git folder by which git starts a program, or writes and reads out of the work tree.
//!
//! A confined run can write it, because git does, and git trusts it. It goes on with steps of a rebase that run programs, writes
//! `COMMIT_EDITMSG` and `logs` through a link, copies what `MERGE_RR` names, checks out every name of its index, and sends to the
//! addresses in `remotes`.

use super::git_index::{is_astray, names_astray};
use crate::git_config::{last_part, settings_of};
use crate::small_file::{open_no_link, read_bytes};
use postern_policy::{GIT_NESTS, is_git_folder};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

/// Reads the lines that count out of a file.
type StateReader = fn(&Path, &[u8]) -> Vec<Vec<u8>>;

/// Files of a git folder with the steps of a rebase, and with the way to merge.
const UNDER_WAY: &[(&str, StateReader)] = &[
    ("rebase-merge/git-rebase-todo", programs_in_steps),
    ("rebase-merge/strategy", programs_in_choice),
    ("sequencer/opts", programs_in_choice),
];
/// File with the names of files that have conflicts. Git copies these files when they have none, as solutions to be kept.
const CONFLICTS: &str = "MERGE_RR";
/// Folders of a git folder with files that name remotes.
const REMOTES: [&str; 2] = ["remotes", "branches"];
/// Commands of steps of a rebase that run no program (git-rebase(1)).
const REBASE_COMMANDS: &str = "\
    p pick r reword e edit s squash f fixup d drop l label t reset m merge b break u update-ref noop";
/// Ways to merge that git has itself (git-merge(1)). For any other name it starts the program `git-merge-NAME`.
const MERGE_STRATEGIES: &str = "octopus ort ours recursive resolve subtree";
/// Bytes of such files that are read.
const LONGEST: u64 = 4 << 20;
/// Bytes of an index that are read: more than one of as many files as a confined folder may hold.
const LONGEST_INDEX: u64 = 128 << 20;
/// Folders of a git folder in which git names files by their content, and its hooks, which are a place of their own.
const WITHOUT_LINKS: [&str; 4] = ["objects", "lfs/objects", "annex/objects", "hooks"];

/// Returns the files about what is under way that count, by their paths below a git folder, with their lines. Git works in `trees`.
pub(super) fn under_way(folder: &Path, trees: &[PathBuf]) -> impl Iterator<Item = (&'static str, OsString)> {
    let conflicts = lines_of(&folder.join(CONFLICTS), LONGEST, |text| conflicts_elsewhere(text, trees));
    let files = UNDER_WAY.iter().filter_map(move |(file, read)| {
        let path = folder.join(file);
        lines_of(&path, LONGEST, |text| read(&path, text)).map(|lines| (*file, lines))
    });
    files.chain(conflicts.map(|lines| (CONFLICTS, lines)))
}

/// Returns true for the name of an index, or of what several indexes share.
pub(super) fn is_index(name: &OsStr) -> bool {
    name == "index" || name.as_encoded_bytes().starts_with(b"sharedindex.")
}

/// Returns the names of an index that lead out of the work tree or into its repository; `None` if none does.
pub(super) fn astray_in_index(path: &Path, hash: usize) -> Option<OsString> {
    lines_of(path, LONGEST_INDEX, |index| names_astray(index, hash))
}

/// Returns the lines of a file that names the address of a remote, an older form of configuration (gitrepository-layout(5)).
/// `None` for another file of a git folder.
pub(super) fn remote_in(folder: &Path, path: &Path) -> Option<OsString> {
    let below = path.strip_prefix(folder).ok()?;
    if !REMOTES.iter().any(|remotes| below.starts_with(remotes)) {
        return None;
    }
    let lines = |text: &[u8]| {
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| line.escape_ascii().to_string().into_bytes()).collect()
    };
    lines_of(path, LONGEST, lines)
}

/// Returns true for a link that git makes: `HEAD`, to a branch, if it is configured so.
pub(super) fn is_link_of_git(path: &Path) -> bool {
    let to_branch = |to: &Path| {
        to.starts_with("refs") && to.components().all(|part| matches!(part, Component::Normal(_)))
    };
    path.ends_with("HEAD") && path.read_link().is_ok_and(|to| to_branch(&to))
}

/// Returns true for a folder of a git folder in which a link may lead git elsewhere. Repositories in it are looked through by
/// themselves.
pub(super) fn may_lead_elsewhere(folder: &Path, inner: &Path) -> bool {
    let Ok(below) = inner.strip_prefix(folder) else { return false };
    let is_nested = GIT_NESTS.iter().any(|nest| below.starts_with(nest))
        && is_git_folder(|part| inner.join(part).symlink_metadata().is_ok());
    !is_nested && !WITHOUT_LINKS.iter().any(|without| below == Path::new(without))
}

/// Returns the lines of a file that count; `None` if none does.
fn lines_of(path: &Path, longest: u64, read: impl Fn(&[u8]) -> Vec<Vec<u8>>) -> Option<OsString> {
    let found = path.symlink_metadata().ok()?;
    let Ok(bytes) = open_no_link(path).and_then(|file| read_bytes(&file, longest)) else {
        return Some(OsString::from(format!("unread {}:{}", found.ino(), found.ctime_nsec())));
    };
    let lines = read(&bytes);
    (!lines.is_empty()).then(|| OsString::from_vec(lines.join(&b'\n')))
}

/// Returns the steps of a rebase that may run a program.
fn programs_in_steps(_: &Path, text: &[u8]) -> Vec<Vec<u8>> {
    let runs = |line: &&[u8]| {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.next().is_some_and(|first| {
            first[0] != b'#' && !REBASE_COMMANDS.split(' ').any(|known| known.as_bytes() == first)
        })
    };
    text.split(|byte| *byte == b'\n').filter(runs).map(<[u8]>::to_vec).collect()
}

/// Returns the ways to merge that are programs.
fn programs_in_choice(path: &Path, text: &[u8]) -> Vec<Vec<u8>> {
    let text = String::from_utf8_lossy(text);
    let settings = if path.ends_with("strategy") {
        vec![("strategy".to_owned(), text.trim().to_owned())]
    } else {
        settings_of(&text)
    };
    let is_program = |value: &String| !MERGE_STRATEGIES.split(' ').any(|own| own == value);
    let named = settings.into_iter().filter(|(key, value)| last_part(key) == "strategy" && is_program(value));
    named.map(|(_, value)| value.into_bytes()).collect()
}

/// Returns the names of files with conflicts that lie elsewhere, also behind a link, escaped.
fn conflicts_elsewhere(text: &[u8], trees: &[PathBuf]) -> Vec<Vec<u8>> {
    let is_link = |name: &Path| trees.iter().any(|tree| tree.join(name).is_symlink());
    let is_behind_link = |name: &[u8]| {
        let mut parts = Path::new(OsStr::from_bytes(name)).ancestors();
        parts.any(|part| !part.as_os_str().is_empty() && is_link(part))
    };
    let names =
        text.split(|byte| *byte == 0).filter_map(|entry| entry.splitn(2, |byte| *byte == b'\t').nth(1));
    let elsewhere = names.filter(|name| is_astray(name) || is_behind_link(name));
    elsewhere.map(|name| name.escape_ascii().to_string().into_bytes()).collect()
}
