//! Lookup of a name: one name to one opened file.

use super::Resolver;
use super::held::{FileProblem, HeldFile, Purpose};
use super::search::lexical;
use postern_policy::Lookup;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) struct LookupContext<'a> {
    /// Folder of relative paths: absolute, or empty if it is not known.
    pub(super) folder: PathBuf,
    /// Folders of bare names.
    pub(super) search_path: &'a [String],
    /// Folders in which the user's shell finds other names; empty if those do not count.
    pub(super) shell_path: &'a [String],
    /// Earlier lookup, so that a program is judged by the very file that was opened to start it.
    pub(super) known: Option<EarlierLookup>,
}

/// A name that led to a file, and where it was looked up.
#[derive(Debug, Clone)]
pub(super) struct EarlierLookup {
    pub(super) name: String,
    pub(super) folder: PathBuf,
    pub(super) file: Arc<HeldFile>,
}

impl EarlierLookup {
    /// Returns true if the same name means the same in `folder`: a bare one does anywhere.
    fn matches_name(&self, name: &str, folder: &Path) -> bool {
        self.name == name && (!name.contains('/') || self.folder == folder)
    }
}

impl LookupContext<'_> {
    pub(super) fn is_unknown(&self) -> bool {
        self.folder.as_os_str().is_empty()
    }
}

pub(super) enum FileLookup {
    /// A file that can be run.
    File(Arc<HeldFile>),
    /// Something that cannot: its path and what is wrong.
    Unusable(PathBuf, String),
    Nothing,
}

impl FileLookup {
    pub(super) fn lookup(&self, invoked: &str) -> Lookup {
        match self {
            Self::File(file) => Lookup::Found(Box::new(file.program(invoked))),
            Self::Unusable(path, what) => {
                Lookup::Unusable { path: path.to_string_lossy().into_owned(), what: what.clone() }
            }
            Self::Nothing => Lookup::NotFound,
        }
    }
}

impl Resolver {
    /// Looks a name up. A name with a slash is a path; any other is searched for, as a shell would.
    ///
    /// The first that can be executed, and if none can, the first that is there.
    pub(super) fn look_up(&self, name: &str, place: &LookupContext<'_>) -> FileLookup {
        if name.is_empty() || name.contains('\0') {
            return FileLookup::Nothing;
        }
        if let Some(known) = place.known.as_ref().filter(|known| known.matches_name(name, &place.folder)) {
            return FileLookup::File(Arc::clone(&known.file));
        }
        if name.contains('/') {
            return self.look_up_path(&place.folder.join(name), place);
        }
        let places = || place.search_path.iter().map(|folder| Path::new(folder).join(name));
        let of_shell = || place.shell_path.iter().map(|folder| Path::new(folder).join(name));
        // A candidate; its opened file shows if it can be started.
        let own = candidates(name, place.search_path).map(|path| (path, false));
        for (path, shell_only) in own.chain(candidates(name, place.shell_path).map(|path| (path, true))) {
            if let Ok(mut file) = self.open_program(&path, place) {
                let before = places().chain(of_shell());
                file.earlier = before.take_while(|earlier| *earlier != path).collect();
                file.agent_can_change |= file.earlier.iter().any(|path| self.reach.can_change(path));
                file.shell_only = shell_only;
                return FileLookup::File(Arc::new(file));
            }
        }
        let unusable = |path: PathBuf| match self.open_program(&path, place) {
            Err(FileProblem::Unusable(what)) => Some(FileLookup::Unusable(path, what)),
            // It was made executable just now: nothing was found for it before.
            Err(FileProblem::Missing) | Ok(_) => None,
        };
        places().find_map(unusable).unwrap_or(FileLookup::Nothing)
    }

    /// Returns true if the agent could change what a name resolves to on the search path, or a path in the folder of the step.
    fn finds_changeable(&self, name: &str, place: &LookupContext<'_>) -> bool {
        if name.contains('/') {
            return self.reach.can_change(&place.folder.join(name));
        }
        for folder in place.search_path {
            let path = Path::new(folder).join(name);
            if self.reach.can_change(&path) {
                return true;
            }
            if std::fs::metadata(&path).is_ok_and(|meta| meta.is_file()) {
                return false;
            }
        }
        false
    }

    /// Returns the file at a path that may hold `..`.
    ///
    /// The path as text and the path as the system walks it must agree, or what is shown is not what runs.
    fn look_up_path(&self, path: &Path, place: &LookupContext<'_>) -> FileLookup {
        let clean = lexical(path);
        match self.open_program(&clean, place) {
            Ok(mut file) if walks_to(path, &clean, &file) => {
                file.agent_can_change |= self.reach.can_change(path);
                FileLookup::File(Arc::new(file))
            }
            Ok(_) => FileLookup::Unusable(clean, "has a `..` behind a link in its path".to_owned()),
            Err(FileProblem::Missing) => FileLookup::Nothing,
            Err(FileProblem::Unusable(what)) => FileLookup::Unusable(clean, what),
        }
    }

    /// Returns a script that an interpreter would read.
    pub(super) fn operand(&self, written: &str, place: &LookupContext<'_>) -> Option<Arc<HeldFile>> {
        if written.contains('\0') || (place.is_unknown() && !written.starts_with('/')) {
            return None;
        }
        let path = place.folder.join(written);
        let clean = lexical(&path);
        let mut file = HeldFile::open(&clean, Purpose::Operand, self.identities()).ok()?;
        file.agent_can_change = self.reach.can_change(&path);
        walks_to(&path, &clean, &file).then(|| Arc::new(file))
    }

    /// Returns a program, and the interpreter that the system would start for it.
    fn open_program(&self, path: &Path, place: &LookupContext<'_>) -> Result<HeldFile, FileProblem> {
        let mut file = HeldFile::open(path, Purpose::Program, self.identities())?;
        let mut changeable = self.reach.can_change(path);
        if let Some(tool) = self.shims.tool_behind(&file)? {
            changeable |= self.reach.can_change(&tool);
            file = HeldFile::open(&tool, Purpose::Program, self.identities())?.behind(path)?;
        }
        file.agent_can_change = changeable;
        let Some((interpreter, words)) = file.shebang.as_ref().and_then(|words| words.split_first()) else {
            return Ok(file);
        };
        // A changeable interpreter can do anything; so can a program that `env` would find first.
        let by_env = interpreter.ends_with("/env").then(|| started_by_env(words)).flatten();
        file.agent_can_change |= self.reach.can_change(Path::new(interpreter))
            || by_env.is_some_and(|name| self.finds_changeable(name, place));
        let opened =
            HeldFile::open(Path::new(interpreter), Purpose::Program, self.identities()).map_err(|error| {
                let what = match error {
                    FileProblem::Missing => "does not exist".to_owned(),
                    FileProblem::Unusable(what) => what,
                };
                FileProblem::Unusable(format!("names an interpreter in its `#!` line that {what}"))
            })?;
        if opened.shebang.is_some() {
            // Linux would go on, macOS would not.
            return Err(FileProblem::Unusable(
                "names an interpreter in its `#!` line that is itself a script".to_owned(),
            ));
        }
        file.interpreter = Some(Arc::new(opened));
        Ok(file)
    }
}

/// Returns the program that `env` starts by the words of a `#!` line. On Linux they are one word, which `-S` splits.
pub(super) fn started_by_env(words: &[String]) -> Option<&str> {
    let words = words.iter().flat_map(|word| word.split_ascii_whitespace());
    words
        .map(|word| behind_split_option(word).unwrap_or(word))
        .find(|word| !word.is_empty() && !word.starts_with('-') && !word.contains('='))
}

/// Returns what follows `-S` in the same word.
fn behind_split_option(word: &str) -> Option<&str> {
    let letters = || word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    word.strip_prefix("--split-string=").or_else(|| Some(letters()?.split_once('S')?.1))
}

/// Returns the programs of that name on a search path, in its order.
fn candidates(name: &str, search_path: &[String]) -> impl Iterator<Item = PathBuf> {
    // An empty list would search this process's own folder.
    let path = if search_path.is_empty() { None } else { std::env::join_paths(search_path).ok() };
    // Only names without a slash come here, so no base folder matters.
    path.and_then(|path| which::which_in_all(name, Some(path), "/").ok()).into_iter().flatten()
}

/// Returns true if the path as written leads to the same file as its clean text.
fn walks_to(written: &Path, clean: &Path, file: &HeldFile) -> bool {
    written == clean || file.is_at(written)
}
