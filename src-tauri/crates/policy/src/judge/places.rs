//! Places that a step names, and those that a step may read silently.

use super::subject::StepSubject;
use crate::confinement::{DEVICES, SYSTEM_PLACES, UnreadablePlaces};
use crate::facts::Facts;
use crate::needed::folders_of;
use crate::path;
use postern_command::{Dir, Redirection, Word, file_words};

/// Folders for files that nobody keeps, and that everybody can write.
pub(super) const TEMPORARY: [&str; 4] = ["/tmp", "/private/tmp", "/var/tmp", "/dev/shm"];

/// Names of a run's own streams and terminal.
pub(super) const STREAMS: [&str; 4] = ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"];

/// Programs whose operands are names: they print a path and open nothing.
const OPENS_NOTHING: &[&str] =
    &["basename", "df", "dirname", "diskutil", "echo", "mdutil", "printf", "realpath", "stat", "which"];

/// Returns true if a program's operands are names only.
pub(super) fn is_name_only(program: &str) -> bool {
    OPENS_NOTHING.contains(&program)
}

/// Returns false if the step's operands are names only.
pub(super) fn opens_files(subject: &StepSubject<'_>) -> bool {
    subject.step.program().is_none_or(|name| !is_name_only(name))
}

/// Returns the absolute paths that the step's operands may name.
pub(super) fn operands(subject: &StepSubject<'_>, facts: &Facts<'_>, folder: &str) -> Vec<String> {
    file_words(subject.step).skip(1).flat_map(|word| named_paths(word, facts, folder)).collect()
}

/// Returns the absolute paths that the redirections that count may name.
pub(super) fn redirected(
    subject: &StepSubject<'_>,
    facts: &Facts<'_>,
    folder: &str,
    counts: impl Fn(&&Redirection) -> bool,
) -> Vec<String> {
    let all = subject.step.redirections.iter().filter(counts);
    all.flat_map(|redirection| named_paths(&redirection.target, facts, folder)).collect()
}

fn named_paths(word: &Word, facts: &Facts<'_>, folder: &str) -> Vec<String> {
    let text = word.value.as_deref().unwrap_or_else(|| known_start(&word.raw));
    // `curl -F 'f=<../a'`, `-F f=@a,../b`, `--data-urlencode name@../a`
    let sent = text
        .match_indices(['@', '<'])
        .filter(|(at, sign)| *sign == "@" || *at == 0 || text[..*at].ends_with('='));
    let sent = sent.flat_map(|(at, _)| text[at + 1..].split([',', ';'])).map(|path| path.trim_matches('"'));
    let spelled = super::core::path_spellings(text)
        .chain(sent.filter(|text| !text.is_empty()))
        .chain(attached(text))
        .filter(|text| !text.starts_with('-'));
    spelled.map(|text| resolved(text, folder, facts)).collect()
}

/// Returns the values that may stand behind the letters of a word of options: `-t.git/hooks`, `-rtsub/x`.
fn attached(word: &str) -> impl Iterator<Item = &str> {
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    let behind_all = |letters: &str| letters.find(|c: char| !c.is_ascii_alphanumeric());
    let value = letters.and_then(|letters| letters.get(behind_all(letters)?..));
    let behind_first = letters.and_then(|letters| letters.get(1..)).filter(|value| !value.is_empty());
    value.into_iter().chain(behind_first)
}

/// Resolves a word, as far as it is known before the run.
pub(super) fn resolved(text: &str, folder: &str, facts: &Facts<'_>) -> String {
    let plain = text.replace(['"', '\''], "");
    let at_home = ["$HOME", "${HOME}"].iter().find_map(|start| plain.strip_prefix(start));
    let expanded = match at_home {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", facts.home),
        Some(_) | None => path::expand_tilde(&plain, facts.home, folder).into_owned(),
    };
    let joined = path::join_path(folder, &path::out_of_proc(&expanded, folder));
    // Agents' folders are real paths, which lie in `/private` on a Mac.
    if path::is_within(&joined, "/private") { joined } else { path::reached(folder, &expanded) }
}

/// Returns true if a step stays where the line started, or moves to folders that the agent cannot exchange
/// before it runs.
///
/// Folders inside its own can be exchanged. What runs in the agent's own shell is held to nothing.
pub(crate) fn is_held_in_place(facts: &Facts<'_>, dir: &Dir) -> bool {
    if *dir == Dir::Same || !facts.origin.is_host() {
        return true;
    }
    let Some(folders) = folders_of(facts.cwd, dir) else { return false };
    let inside = |folder: &str, own: &str| path::is_within(folder, own) && folder.len() > own.len();
    let exchanged = |folder: &String| {
        facts.folders.iter().any(|own| inside(folder, own))
            || !facts.folders.contains(folder) && TEMPORARY.iter().any(|place| inside(folder, place))
    };
    !folders.iter().any(exchanged)
}

/// Returns the part of a written word before anything that is known only at run time.
pub(super) fn known_start(raw: &str) -> &str {
    let from = raw.trim_start_matches(['"', '\'']);
    let home = ["$HOME", "${HOME}"].iter().find(|home| from.starts_with(**home)).map_or(0, |home| home.len());
    let end = from[home..].find(['$', '`', '*', '?', '[', '{']).map_or(from.len(), |at| home + at);
    &from[..end]
}

/// Places as the list knows them.
pub(super) struct StepPlaces<'f> {
    facts: &'f Facts<'f>,
    protected: UnreadablePlaces,
    /// Folders that rules open for reading.
    opened: Vec<String>,
}

impl<'f> StepPlaces<'f> {
    /// Top-level folders that hold data of the user or of other programs on some systems.
    const OTHERS: [&'static str; 17] = [
        ".vol", "boot", "data", "dev", "home", "media", "mnt", "private", "root", "run", "srv", "tmp",
        "Users", "var", "Volumes", "work", "Library",
    ];

    pub(super) fn new(facts: &'f Facts<'f>) -> Self {
        Self::with_opened(facts, Vec::new())
    }

    /// Returns the same where rules open folders for reading.
    pub(super) fn with_opened(facts: &'f Facts<'f>, opened: Vec<String>) -> Self {
        let protected = UnreadablePlaces::new(facts.home, facts.data);
        Self { facts, protected, opened }
    }

    /// Returns true if it may be read only because a rule opens its folder.
    pub(super) fn is_opened(&self, path: &str) -> bool {
        let within = |folder: &String| path::is_within(path, folder);
        self.opened.iter().any(within) && !self.facts.folders.iter().any(within)
    }

    /// Returns true if it lies in the agent's folders, those that rules open, or the system's, and is no key material.
    pub(super) fn is_inside(&self, path: &str) -> bool {
        self.is_open(path) && !self.is_protected(path)
    }

    /// Returns true if it lies in one of these places, key material or not.
    fn is_open(&self, path: &str) -> bool {
        let own = self.facts.folders.iter().chain(&self.opened).map(String::as_str);
        let of_system = SYSTEM_PLACES.iter().chain(DEVICES).copied();
        own.chain(of_system).any(|place| path::is_within(path, place)) || STREAMS.contains(&path)
    }

    /// Checks the same for a word that may be a path, or only look like one (a pattern).
    ///
    /// It is a path if it begins with a name that the root folder has.
    pub(super) fn may_be_read(&self, path: &str) -> bool {
        !self.is_protected(path) && (!self.is_place(path) || self.is_open(path))
    }

    /// Checks the same for a word of a step that changes files: what is the system's is read only.
    pub(super) fn may_be_changed(&self, path: &str) -> bool {
        let of_system = SYSTEM_PLACES.iter().any(|place| path::is_within(path, place));
        self.may_be_read(path) && (!of_system || self.is_of_agent_folder(path))
    }

    fn is_of_agent_folder(&self, path: &str) -> bool {
        self.facts.folders.iter().any(|folder| path::is_within(path, folder))
    }

    /// Returns true if a path begins with a name that the root folder has.
    fn is_place(&self, path: &str) -> bool {
        let first = path.split('/').nth(1).unwrap_or_default();
        let there = self.facts.root_entries.iter().map(String::as_str);
        there.chain(Self::OTHERS).any(|other| first.eq_ignore_ascii_case(other))
            || path::is_within(path, self.facts.home)
            || path == "/"
    }

    pub(super) fn is_protected(&self, path: &str) -> bool {
        self.protected.contains_path(path)
    }

    /// Returns true if the agent could have written a program there.
    pub(super) fn is_of_agent(&self, path: &str) -> bool {
        let system = SYSTEM_PLACES.iter().any(|place| path::is_within(path, place));
        !system && self.is_of_agent_folder(path)
    }

    /// Returns true if key material lies below a folder.
    pub(super) fn hold_keys(&self, path: &str) -> bool {
        self.protected.lie_in(path)
    }
}
