//! The files that a rule is about: a path with globs, read generously.

use crate::confinement::Denied;
use crate::glob::{ANY_NAME, ANY_PATH, Glob};
use crate::path;
use crate::pattern::check_files;
use postern_command::effect::is_secret;

/// A pattern of files, ready to compare. What it names, it names with everything below.
#[derive(Debug, Clone)]
pub(crate) struct FilePattern {
    /// Files, with everything below.
    globs: Vec<Glob>,
    /// Files alone.
    own: Vec<Glob>,
    /// The folder that they all lie in, as paths are compared; `None` is any folder.
    folder: Option<String>,
    /// True if a name in it begins with a dot.
    hidden: bool,
}

impl FilePattern {
    pub(super) fn new(text: &str, home: &str) -> Result<Self, String> {
        check_files(text).map_err(|error| error.to_string())?;
        let expanded = path::expand_home(text, home);
        let spelled = |text: &str| {
            let reached = Some(path::without_aliases(text)).filter(|reached| *reached != text);
            std::iter::once(text).chain(reached).map(Glob::new).collect::<Result<Vec<_>, _>>()
        };
        let own = spelled(&expanded)?;
        let globs = spelled(&format!("{}/**", expanded.trim_end_matches("/**")))?;
        let known = expanded.find(['*', '?', '[', '{', '(', '!', '+', '@', '\\']).unwrap_or(expanded.len());
        let folder = match (known == expanded.len(), expanded[..known].rsplit_once('/')) {
            (true, _) => Some(&*expanded),
            (false, folder) => folder.map(|(folder, _)| folder).filter(|folder| !folder.is_empty()),
        };
        let hidden = expanded.split('/').any(|name| name.starts_with('.'));
        Ok(Self { globs, own, folder: folder.map(|folder| path::deny_key(folder).into_owned()), hidden })
    }

    /// Returns true if a path is one of them, or lies below one.
    pub(crate) fn holds_path(&self, path: &str) -> bool {
        self.globs.iter().any(|glob| glob.is_generous_match(path))
    }

    /// Returns true if a path may be one of the files, or surely is below one.
    ///
    /// [`ANY_NAME`] and [`ANY_PATH`] in it stand for what is not known.
    pub(crate) fn may_hold(&self, path: &str) -> bool {
        let known =
            path.find([ANY_NAME, ANY_PATH]).and_then(|at| path[..at].rfind('/')).map(|at| &path[..at]);
        known.is_some_and(|folder| self.holds_path(folder))
            || self.own.iter().any(|glob| glob.may_match(path))
    }

    /// Returns true if all of them lie in a folder, or are the folder.
    pub(crate) fn lie_in(&self, folder: &str) -> bool {
        self.folder.as_deref().is_some_and(|own| path::is_within(own, &path::deny_key(folder)))
    }

    /// Returns true if a program that passes over names with a dot finds none of them below a folder.
    pub(crate) fn are_hidden_below(&self, folder: &str) -> bool {
        self.hidden && !folder.split('/').any(|name| name.starts_with('.'))
    }
}

/// Files that deny rules name, ready to compare with those that are there.
#[derive(Debug, Clone, Default)]
pub struct DeniedFiles {
    read: Vec<FilePattern>,
    write: Vec<FilePattern>,
    fixed: Vec<String>,
    secrets: bool,
}

impl DeniedFiles {
    /// Reads the patterns of a user with this home folder.
    ///
    /// # Errors
    /// A pattern that cannot be read.
    pub fn new(denied: &Denied, home: &str) -> Result<Self, String> {
        let read = |texts: &[String]| -> Result<Vec<FilePattern>, String> {
            texts.iter().map(|text| FilePattern::new(text, home)).collect()
        };
        let whole = |text: &String| {
            let path = path::expand_home(text, home);
            let path = path.strip_suffix("/**").unwrap_or(&path);
            (path.starts_with('/') && !crate::pattern::is_glob(path)).then(|| path.to_owned())
        };
        let fixed = denied.read.iter().filter_map(whole).collect();
        Ok(Self { read: read(&denied.read)?, write: read(&denied.write)?, fixed, secrets: denied.secrets })
    }

    /// Returns true if it names none.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.write.is_empty() && !self.secrets
    }

    /// Returns true if nothing below a folder of this name is one of them. What programs of others are made of holds none of
    /// the project's secrets.
    pub fn pass_over(&self, name: &str) -> bool {
        self.read.is_empty() && self.write.is_empty() && matches!(name, ".git" | "node_modules")
    }

    /// Returns true if a file may not be read because it holds secrets, by its name and that of its folder.
    pub fn is_secret(&self, path: &str) -> bool {
        let start = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at);
        self.secrets && is_secret(&path[start..])
    }

    /// Returns true if a file may not be read.
    pub fn is_read_denied(&self, path: &str) -> bool {
        self.read.iter().any(|files| files.holds_path(path))
    }

    /// Returns true if a file may not be written.
    pub fn is_write_denied(&self, path: &str) -> bool {
        self.write.iter().any(|files| files.holds_path(path))
    }

    /// Returns the paths that may not be read, as far as patterns name one: with everything below.
    pub fn fixed_paths(&self) -> impl Iterator<Item = &str> {
        self.fixed.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::{DeniedFiles, FilePattern};
    use crate::confinement::Denied;

    #[test]
    fn files_that_rules_deny_are_known_by_their_paths() {
        let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect();
        let denied = Denied {
            read: texts(&["**/.env", "~/Documents/**", "/etc/x"]),
            write: texts(&["**/*.lock"]),
            ..Denied::default()
        };
        let files = DeniedFiles::new(&denied, "/home/u").unwrap();
        assert!(files.is_read_denied("/p/.env"));
        assert!(files.is_read_denied("/home/u/Documents/a"));
        assert!(!files.is_read_denied("/p/a.lock"));
        assert!(files.is_write_denied("/p/a.lock") && !files.is_write_denied("/p/.env"));
        assert_eq!(files.fixed_paths().collect::<Vec<_>>(), ["/home/u/Documents", "/etc/x"]);
        assert!(DeniedFiles::default().is_empty() && !files.is_empty());
    }

    #[test]
    fn files_are_held_with_everything_below_in_any_case() {
        for (pattern, path, expected) in
            crate::testing::rows::<(&str, &str, bool)>(include_str!("files_held.jsonl"))
        {
            assert_eq!(
                FilePattern::new(pattern, "/Users/u").unwrap().holds_path(path),
                expected,
                "{pattern} {path}"
            );
        }
    }

    #[test]
    fn a_path_that_is_not_known_may_be_one_of_them() {
        for (pattern, path, expected) in [
            ("**/.env", "/p/.en\u{fffe}", true),
            ("**/.env", "/p/\u{fffe}", true),
            ("**/.env", "/p/\u{fffe}.rs", false),
            ("**/.env", "/p/src\u{fffe}", false),
            ("**/.env", "/p/\u{fffe}/b", false),
            ("/p/secrets", "/p/secrets/\u{fffe}.txt", true),
            ("**/x/.env", "/p/\u{fffe}.env", false),
            ("**/x/.env", "/p/\u{fffe}/.env", true),
            ("**/.env", "/p/\u{ffff}", true),
            ("**/.env", "\u{ffff}", true),
            ("**/.env", "\u{ffff}.rs", false),
            ("**/.env", "/p/src/\u{ffff}", true),
            ("~/Documents/**", "/Users/u/p/\u{ffff}", false),
            ("~/Documents/**", "/Users/\u{ffff}", true),
            ("~/Documents/**", "/Users/u/D\u{fffe}", true),
            ("~/Documents/**", "/Users/u/\u{fffe}/x", true),
            ("~/[a-d]*", "/Users/u/\u{fffe}", true),
        ] {
            assert_eq!(
                FilePattern::new(pattern, "/Users/u").unwrap().may_hold(path),
                expected,
                "{pattern} {path}"
            );
        }
    }
}
