//! Real paths of the paths that a step names: over symbolic links, before it runs.

use crate::small_file::{open_regular, read_text};
use postern_command::{Step, Word, file_words, is_read_only_anyway};
use postern_policy::TargetPath;
use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// Paths of one step that are looked up; behind the last one none is.
const MOST: usize = 256;
/// Place that stands for where further links lead: it is nobody's.
const UNSEEN: &str = "/links that nobody looked at";
/// Names that a part of a pattern is compared with.
const MOST_NAMES: usize = 65_536;
/// Largest size of a file that names a repository's location.
const MOST_POINTED: u64 = 16 * 1024;

/// Returns the literal paths among a step's words, its wrappers' words and the targets of its redirections;
/// those that begin with `~/` or `$HOME/` too. A word with an `=` is also looked at behind it (`of=/x`,
/// `--output=/x`).
pub(super) fn of_step(step: &Step, folder: &Path, home: &str) -> Vec<TargetPath> {
    let redirected = step.redirections.iter().filter(|one| one.names_file()).map(|one| &one.target);
    let words = step.via.iter().flat_map(|via| via.argv.iter()).chain(file_words(step));
    let words = redirected.chain(words).filter_map(|word| written(word, home));
    let spelled = words.flat_map(|word| {
        let behind = word.split_once('=').map(|(_, behind)| behind.to_owned());
        std::iter::once(word.into_owned()).chain(behind)
    });
    let paths =
        spelled.filter(|word| !word.is_empty() && word.len() < 4096 && !word.contains('\0')).take(MOST);
    let git = step.program_name() == Some("git");
    // Of its names only the disk tells which are files.
    let all = git && step.argv.iter().any(|word| word.value.as_deref() == Some("checkout"));
    let named = paths.filter_map(|written| target(&written, folder, all));
    let matched = links_of_patterns(step, folder);
    named.chain(matched).chain(git.then(|| repository(folder)).into_iter().flatten()).collect()
}

/// Returns where links lead that a pattern may stand for (`cp src/* out`, `> app/[id]/x`), in a step that may do more than read.
///
/// A profile holds what only reads, and some programs take links for what they are.
fn links_of_patterns(step: &Step, folder: &Path) -> Vec<TargetPath> {
    const NOT_FOLLOWING: [&str; 4] = ["git", "rm", "rmdir", "unlink"];
    let words = step.known_words();
    let follows = !step.program().is_some_and(|name| NOT_FOLLOWING.contains(&name));
    let writes = || !step.ways_out.is_empty() || step.writes_by_redirection();
    if !follows || !folder.is_absolute() || is_read_only_anyway(&words) && !writes() {
        return Vec::new();
    }
    let redirected = step.redirections.iter().filter(|one| one.names_file()).map(|one| &one.target);
    let unknown = step.argv.iter().chain(redirected).filter(|word| word.value.is_none());
    let patterns = unknown.map(|word| word.raw.replace(['"', '\'', '\\'], ""));
    let plain = patterns.filter(|raw| raw.contains(['*', '?', '[']) && !raw.contains(['$', '`', '~', '(']));
    let matched = plain.flat_map(|pattern| matched_paths(&pattern, folder));
    let led = matched.filter_map(|path| target(&path.to_string_lossy(), folder, false));
    let mut found: Vec<TargetPath> = led.take(MOST + 1).collect();
    if let Some(further) = found.get_mut(MOST) {
        UNSEEN.clone_into(&mut further.real);
    }
    found
}

/// Returns the paths that a pattern may stand for, part by part.
fn matched_paths(pattern: &str, folder: &Path) -> Vec<PathBuf> {
    let start = if pattern.starts_with('/') { Path::new("/") } else { folder };
    let mut found = vec![start.to_owned()];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        if part.contains(['*', '?', '[']) {
            let names = found.iter().flat_map(std::fs::read_dir).flatten().flatten().take(MOST_NAMES);
            let fits = names.filter(|entry| may_match(part, &entry.file_name().to_string_lossy()));
            found = fits.map(|entry| entry.path()).collect();
        } else {
            found = found.into_iter().map(|path| path.join(part)).collect();
        }
    }
    found
}

/// Returns true if a name begins and ends as a pattern does, whatever stands between.
fn may_match(pattern: &str, name: &str) -> bool {
    let first = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    let last = pattern.rfind(['*', '?', ']']).map_or(first, |at| at + 1);
    let (start, end) = (&pattern[..first], pattern.get(last.max(first)..).unwrap_or_default());
    // The shell leaves hidden files out of a pattern that does not begin so.
    (!name.starts_with('.') || pattern.starts_with('.')) && name.starts_with(start) && name.ends_with(end)
}

/// Returns a word as it is known before the run: its value, or a path below the home folder with the folder
/// put in. What a shell would expand behind that stays as it is.
fn written<'a>(word: &'a Word, home: &str) -> Option<Cow<'a, str>> {
    if let Some(value) = &word.value {
        return Some(Cow::Borrowed(value));
    }
    let plain = word.raw.replace(['"', '\'', '\\'], "");
    let below = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|start| plain.strip_prefix(start))?;
    (!home.is_empty()).then(|| Cow::Owned(format!("{home}/{below}")))
}

/// Returns the folders that git reads for the repository around a folder: its own, and those it borrows objects
/// from.
fn repository(folder: &Path) -> Vec<TargetPath> {
    let Some(own) =
        folder.ancestors().map(|above| above.join(".git")).find(|own| own.symlink_metadata().is_ok())
    else {
        return Vec::new();
    };
    let mut all = folders_of_repository(own);
    let objects = all.last().map(|common| common.join("objects")).unwrap_or_default();
    all.extend(pointed(&objects.join("info/alternates"), &objects, ""));
    let leads = |path: &PathBuf| {
        let written = path.to_string_lossy().into_owned();
        Some(TargetPath { written, real: resolve_real(path)?.to_string_lossy().into_owned() })
    };
    all.iter().filter_map(leads).collect()
}

/// Returns the folders of the repository with this `.git`: itself, where it leads as a file, and the one that work trees share.
pub(super) fn folders_of_repository(own: PathBuf) -> Vec<PathBuf> {
    let led = pointed(&own, own.parent().unwrap_or(Path::new("/")), "gitdir:");
    let main = led.last().unwrap_or(&own).clone();
    let common = pointed(&main.join("commondir"), &main, "");
    [own].into_iter().chain(led).chain(common).collect()
}

/// Returns the paths in a file that names places of a repository, from a folder on.
fn pointed(file: &Path, from: &Path, mark: &str) -> Vec<PathBuf> {
    let read = open_regular(file).and_then(|file| read_text(&file, MOST_POINTED));
    let text = read.unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.strip_prefix(mark).map(str::trim));
    lines.filter(|path| !path.is_empty()).map(|path| from.join(path)).collect()
}

/// Returns `None` for a path in the folder that leads where it says, for a missing one outside, or if its
/// folder is unknown. `all` keeps each path that exists.
fn target(written: &str, folder: &Path, all: bool) -> Option<TargetPath> {
    let path = folder.join(written);
    if !path.is_absolute() {
        return None;
    }
    let real = resolve_real(&path)?;
    let kept = || (all || !path.starts_with(folder)) && path.symlink_metadata().is_ok();
    (real != path || kept())
        .then(|| TargetPath { written: written.to_owned(), real: real.to_string_lossy().into_owned() })
}

/// Returns the real path of the deepest part that exists, with the rest behind it. A link that leads nowhere
/// yet is followed: to write there makes its target.
pub fn resolve_real(path: &Path) -> Option<PathBuf> {
    const LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let mut rest = Vec::new();
        let mut there = path.as_path();
        let base = loop {
            if let Ok(base) = canonical(there) {
                break base;
            }
            if let Ok(led) = std::fs::read_link(there) {
                break there.parent()?.join(led);
            }
            rest.push(there.components().next_back()?);
            there = there.parent()?;
        };
        let dangling = std::fs::symlink_metadata(&base).is_err();
        let mut whole = base;
        for part in rest.into_iter().rev() {
            match part {
                Component::ParentDir => {
                    whole.pop();
                }
                Component::Normal(name) => whole.push(name),
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
        if !dangling {
            return Some(whole);
        }
        path = whole;
    }
    None
}

#[cfg(not(target_os = "macos"))]
fn canonical(path: &Path) -> std::io::Result<PathBuf> {
    std::fs::canonicalize(path)
}

/// Returns the path by which the kernel knows a file. `realpath` is asked first, because it opens nothing, but
/// it fails for names that only the kernel knows (`/.nofollow`, `/.vol`).
#[cfg(target_os = "macos")]
fn canonical(path: &Path) -> std::io::Result<PathBuf> {
    use rustix::fs::{Mode, OFlags};
    use std::os::unix::ffi::OsStringExt as _;
    /// `O_EVTONLY`: opens for neither reading nor writing, and does not block ejecting a volume.
    const EVENTS_ONLY: OFlags = OFlags::from_bits_retain(0x8000);
    let asked = |path: &Path, kind: OFlags| {
        let flags = EVENTS_ONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | kind;
        let named = rustix::fs::getpath(rustix::fs::open(path, flags, Mode::empty())?)?;
        Ok::<_, std::io::Error>(PathBuf::from(std::ffi::OsString::from_vec(named.into_bytes())))
    };
    std::fs::canonicalize(path).or_else(|error| {
        let kind = std::fs::symlink_metadata(path)?.file_type();
        match (path.parent(), path.file_name()) {
            _ if kind.is_dir() => asked(path, OFlags::DIRECTORY),
            (Some(parent), Some(name)) if !kind.is_symlink() => {
                asked(parent, OFlags::DIRECTORY).map(|parent| parent.join(name)).or_else(|error| {
                    // A file id has no folder.
                    if kind.is_file() { asked(path, OFlags::empty()) } else { Err(error) }
                })
            }
            _ => Err(error),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separator_or_pattern_is_not_looked_up() {
        let folder = tempfile::tempdir().unwrap();
        for (line, expected) in [("cut -f1 -d / x", false), ("grep -r / x", false), ("cat /", true)] {
            let reading = postern_command::read_shell(line, postern_command::Dialect::Bash);
            let found = of_step(&reading.steps[0], folder.path(), "");
            assert_eq!(found.iter().any(|target| target.written == "/"), expected, "{line}");
        }
    }

    #[test]
    fn a_path_is_followed_over_links_to_what_is_not_there_yet() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("data")).unwrap();
        std::os::unix::fs::symlink(root.join("data"), root.join("l")).unwrap();
        std::os::unix::fs::symlink("data/new", root.join("dangling")).unwrap();
        for (written, leads) in
            [("l/planted", "data/planted"), ("l/a/b", "data/a/b"), ("dangling", "data/new")]
        {
            let found = target(written, &root, false).map(|target| target.real);
            assert_eq!(found.as_deref(), root.join(leads).to_str(), "{written}");
        }
        assert_eq!(target("data/x", &root, false), None, "it leads where it says");
        assert!(target("data", &root, true).is_some(), "it is there");
    }

    #[test]
    fn a_pattern_stands_for_the_links_that_it_matches() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("src/a")).unwrap();
        std::fs::write(root.join("src/b.rs"), "").unwrap();
        for link in ["src/key.rs", "src/a/key", ".hidden"] {
            std::os::unix::fs::symlink("/etc/passwd", root.join(link)).unwrap();
        }
        let led = |line: &str| {
            let reading = postern_command::read_shell(line, postern_command::Dialect::Bash);
            let found = of_step(&reading.steps[0], &root, "");
            found.into_iter().map(|target| target.written).collect::<Vec<_>>()
        };
        let below = |link: &str| root.join(link).to_string_lossy().into_owned();
        for line in [
            "cp src/* out", "cp src/k*.rs out", "tee src/[ak]ey.rs", "sed -i s/a/b/ src/*.r?",
            "cat src/k* > x",
        ] {
            assert_eq!(led(line), [below("src/key.rs")], "{line}");
        }
        assert_eq!(led("cp */*/k* out"), [below("src/a/key")]);
        for line in ["cp src/b* out", "cp * out", "wc -l src/*", "git add src/*"] {
            assert_eq!(led(line), Vec::<String>::new(), "{line}");
        }
    }

    #[test]
    fn a_path_below_the_home_folder_is_followed_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        std::fs::create_dir(home.join("data")).unwrap();
        std::os::unix::fs::symlink(home.join("data"), home.join("l")).unwrap();
        let home = home.to_str().unwrap();
        for line in ["touch ~/l/x", "touch \"$HOME/l/x\"", "echo x > ${HOME}/l/x", "touch ~/'l'/x"] {
            let reading = postern_command::read_shell(line, postern_command::Dialect::Bash);
            let found = of_step(&reading.steps[0], Path::new("/"), home);
            let expected = TargetPath { written: format!("{home}/l/x"), real: format!("{home}/data/x") };
            assert_eq!(found, [expected], "{line}");
        }
    }
}
