//! Files that git's configuration names: hooks, configuration that it includes, programs and scripts that git starts.
//!
//! A repository's own configuration is pinned while a run is confined, but what it names lies where it likes, also in the
//! project. Too many files are found rather than too few: a word of a value that is a file there counts, whatever its key.

use crate::small_file::{open_no_link, open_regular, read_bytes};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Bytes of an object's name in a repository of the usual format, and in one of the newer.
pub(crate) const SHA1: usize = 20;
pub(crate) const SHA256: usize = 32;

/// Bytes of a configuration file that are read: a longer one is not confined.
const LONGEST: u64 = 1 << 20;
/// Files that include one another that are followed.
const DEEPEST: usize = 10;
/// Files that are read for one: more are not confined.
const MOST_FILES: usize = 100;
/// Values that are never a program or a file that git obeys, by the last part of their key.
const INERT: &str = "url pushurl fetch push merge remote worktree excludesfile name email signingkey";
/// Settings that git and editors write when a branch is made or followed, and a person's own: by none git starts a program.
const WRITTEN_BY_ITSELF: &str = "\
    description email github-pr-owner-number merge name pushremote rebase remote vscode-merge-base";
/// Configuration for every repository.
const SYSTEM: &[&str] = &["/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"];

/// A setting: its key as `core.sshcommand` or `filter.NAME.clean`, and its value.
pub(crate) type GitSetting = (String, String);

/// Returns the last part of a setting's key.
pub(crate) fn last_part(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

#[derive(Debug)]
pub(crate) struct NamedInConfig {
    /// Files that git may start, include or obey.
    pub(crate) paths: Vec<PathBuf>,
    /// Length of an object's name in bytes, if it says so.
    pub(crate) hash: Option<usize>,
    /// Folders in which git works, or the repository itself.
    pub(crate) trees: Vec<PathBuf>,
}

/// Configuration that a user's every repository obeys, read once for a survey.
#[derive(Debug)]
pub(crate) struct GitConfig<'a> {
    home: &'a str,
    shared: Vec<GitSetting>,
}

impl<'a> GitConfig<'a> {
    pub(crate) fn of_user(home: &'a str) -> Self {
        let own = [".gitconfig", ".config/git/config"].map(|name| Path::new(home).join(name));
        let files = SYSTEM.iter().map(PathBuf::from).chain(own);
        let mut config = Self { home, shared: Vec::new() };
        let mut found = Vec::new();
        for file in files {
            found.extend(config.read_with_included(&file, &mut Vec::new()).unwrap_or_default());
        }
        config.shared = found;
        config
    }

    /// Returns what the configuration of a repository names. The error is that it cannot be read.
    pub(crate) fn named_by(&self, repository: &Path) -> std::io::Result<NamedInConfig> {
        let mut paths = Vec::new();
        let settings = self.settings_for([repository], &mut paths)?;
        let tops = work_trees(repository, &settings);
        for (key, value) in
            settings.iter().filter(|(key, _)| !INERT.split(' ').any(|inert| inert == last_part(key)))
        {
            let whole = std::iter::once(value.as_str());
            let is_folder = matches!(last_part(key), "hookspath" | "templatedir");
            let words = value.split(|letter: char| letter.is_whitespace() || "\"'`;|&()=!".contains(letter));
            // A name alone (`main`, `status`) is a branch or a command.
            let is_path = |word: &&str| is_folder || word.contains(['/', '.']);
            for word in whole.chain(words).filter(|word| !word.is_empty()).filter(is_path) {
                let there = tops.iter().map(|top| top.join(self.expand(word)));
                paths.extend(there.filter(|path| is_folder || !path.is_dir()));
            }
        }
        paths.sort();
        paths.dedup();
        let format = settings.iter().rev().find(|(key, _)| last_part(key) == "objectformat");
        let hash = format.map(|(_, value)| if value.eq_ignore_ascii_case("sha256") { SHA256 } else { SHA1 });
        Ok(NamedInConfig { paths, hash, trees: tops })
    }

    /// Returns the folders in which git may look for hooks, of a repository's folders or of none. The last is the common one.
    ///
    /// Relative paths lie in `tree`. The error is that the configuration cannot be read.
    pub(crate) fn hook_folders(&self, repository: &[PathBuf], tree: &Path) -> std::io::Result<Vec<PathBuf>> {
        let settings = self.settings_for(repository.iter().map(PathBuf::as_path), &mut Vec::new())?;
        let named = |wanted: &'static str| settings.iter().filter(move |(key, _)| last_part(key) == wanted);
        let common = repository.last();
        let own_trees = named("worktree").filter_map(|(_, value)| Some(common?.join(value)));
        let trees: Vec<PathBuf> = own_trees.chain([tree.to_owned()]).collect();
        let configured = named("hookspath").map(|(_, value)| self.expand(value));
        let configured = configured.flat_map(|path| trees.iter().map(move |tree| tree.join(&path)));
        // A condition may keep an included setting from holding: the usual folder counts beside it.
        Ok(configured.chain(common.map(|common| common.join("hooks"))).collect())
    }

    /// Returns the settings of a user's every repository.
    pub(crate) fn shared(&self) -> &[GitSetting] {
        &self.shared
    }

    /// Returns the settings of a repository with these folders, and of no other. The error is that they cannot be read.
    pub(crate) fn own_settings(&self, repository: &[PathBuf]) -> std::io::Result<Vec<GitSetting>> {
        self.read_repository(repository.iter().map(PathBuf::as_path), &mut Vec::new())
    }

    /// Reads the settings that hold in a repository of these folders, and adds the paths of included files.
    fn settings_for<'p>(
        &self,
        repository: impl IntoIterator<Item = &'p Path>,
        paths: &mut Vec<PathBuf>,
    ) -> std::io::Result<Vec<GitSetting>> {
        let mut settings = self.shared.clone();
        settings.extend(self.read_repository(repository, paths)?);
        Ok(settings)
    }

    fn read_repository<'p>(
        &self,
        repository: impl IntoIterator<Item = &'p Path>,
        paths: &mut Vec<PathBuf>,
    ) -> std::io::Result<Vec<GitSetting>> {
        let mut settings = Vec::new();
        for folder in repository {
            for name in ["config", "config.worktree"] {
                settings.extend(self.read_with_included(&folder.join(name), paths)?);
            }
        }
        Ok(settings)
    }

    /// Reads a file and those that it includes, whose paths it adds. One that is missing sets nothing.
    fn read_with_included(&self, file: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<Vec<GitSetting>> {
        let mut settings = Vec::new();
        let mut open = vec![(file.to_owned(), 0)];
        let mut count = 0;
        while let Some((file, depth)) = open.pop() {
            count += 1;
            if count > MOST_FILES {
                return Err(std::io::Error::other("includes too many files"));
            }
            let bytes = match open_regular(&file).and_then(|file| read_bytes(&file, LONGEST)) {
                Err(error)
                    if matches!(
                        error.kind(),
                        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                    ) =>
                {
                    continue;
                }
                read => read?,
            };
            let own = settings_of(&String::from_utf8_lossy(&bytes));
            // `include.path` and `includeIf.….path`; a `path` of another section is a program.
            for (_, value) in own.iter().filter(|(key, _)| last_part(key) == "path") {
                let included = file.parent().unwrap_or(Path::new("/")).join(self.expand(value));
                paths.push(included.clone());
                if depth < DEEPEST && !included.is_dir() {
                    open.push((included, depth + 1));
                }
            }
            settings.extend(own);
        }
        Ok(settings)
    }

    fn expand(&self, word: &str) -> PathBuf {
        word.strip_prefix("~/").map_or_else(|| PathBuf::from(word), |below| Path::new(self.home).join(below))
    }
}

/// Returns the folders in which git starts what a repository's configuration names.
fn work_trees(repository: &Path, settings: &[GitSetting]) -> Vec<PathBuf> {
    let is_git = |part: &&Path| part.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
    let above = repository.ancestors().find(is_git).and_then(Path::parent).map(Path::to_owned);
    let named = settings
        .iter()
        .filter(|(key, _)| last_part(key) == "worktree")
        .map(|(_, value)| repository.join(value));
    let tree_of = |folder: &Path| -> Option<PathBuf> {
        let file = open_regular(&folder.join("gitdir")).ok()?;
        let text = String::from_utf8(read_bytes(&file, LONGEST).ok()?).ok()?;
        Some(folder.join(text.trim_end()).parent()?.to_owned())
    };
    let linked = std::fs::read_dir(repository.join("worktrees")).into_iter().flatten().flatten();
    let linked = linked.filter_map(|tree| tree_of(&tree.path())).chain(tree_of(repository));
    let mut all: Vec<PathBuf> = above.into_iter().chain(named).chain(linked).collect();
    if all.is_empty() {
        all.push(repository.to_owned());
    }
    all
}

/// Returns the settings of a file by which git may start or reach something. The error is that it cannot be read.
pub(crate) fn consequential_settings(file: &Path) -> std::io::Result<BTreeSet<GitSetting>> {
    let bytes = open_no_link(file).and_then(|file| read_bytes(&file, LONGEST))?;
    let all = settings_of(&String::from_utf8_lossy(&bytes));
    Ok(all.into_iter().filter(|(key, value)| !is_written_by_itself(key, value)).collect())
}

fn is_written_by_itself(key: &str, value: &str) -> bool {
    let key = last_part(key);
    // Instead of the name of a remote, git takes an address.
    let is_address = matches!(key, "remote" | "pushremote") && value.contains(['/', ':']);
    !is_address && WRITTEN_BY_ITSELF.split(' ').any(|known| known == key)
}

/// Reads the settings of a configuration file. What git would refuse is read all the same.
pub(crate) fn settings_of(text: &str) -> Vec<GitSetting> {
    let mut settings = Vec::new();
    let mut section = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '[' => section = section_of(&mut letters),
            '#' | ';' => letters.by_ref().take_while(|letter| *letter != '\n').for_each(drop),
            _ if letter.is_alphanumeric() => {
                let mut key = letter.to_string();
                while let Some(letter) = letters.next_if(|letter| !"=\n#;".contains(*letter)) {
                    key.push(letter);
                }
                let value = letters.next_if_eq(&'=').map_or_else(String::new, |_| value_of(&mut letters));
                settings.push((format!("{section}{}", key.trim().to_ascii_lowercase()), value));
            }
            _ => {}
        }
    }
    settings
}

type ConfigLetters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Reads the header of a section, and returns the start of its settings' keys: `core.`, `filter.NAME.`.
fn section_of(letters: &mut ConfigLetters<'_>) -> String {
    let (mut name, mut quoted) = (String::new(), false);
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                quoted = !quoted;
                if quoted {
                    name.push('.');
                }
            }
            '\\' if quoted => name.extend(letters.next()),
            ']' if !quoted => break,
            '\n' => break,
            _ if quoted => name.push(letter),
            _ if letter.is_whitespace() => {}
            _ => name.push(letter.to_ascii_lowercase()),
        }
    }
    name + "."
}

/// Reads a value up to the end of its line: quotes are left out, escapes are read, and a comment ends it.
fn value_of(letters: &mut ConfigLetters<'_>) -> String {
    let (mut value, mut quoted) = (String::new(), false);
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => break,
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => {
                letters.by_ref().take_while(|letter| *letter != '\n').for_each(drop);
                break;
            }
            '\\' => match letters.next() {
                Some('\r') => drop(letters.next_if_eq(&'\n')),
                Some('\n') | None => {}
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some(other) => value.push(other),
            },
            _ => value.push(letter),
        }
    }
    value.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{GitConfig, settings_of};
    use std::fs;
    use std::path::{Path, PathBuf};

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let text = "[core] hooksPath = a b # no\n\tBare\n[alias \"x]y\"]\nco = \"!sh \\\n  ./c.sh; \\\"x\\\"\" ; no\n; k = v\n";
        let expected =
            [("core.hookspath", "a b"), ("core.bare", ""), ("alias.x]y.co", "!sh   ./c.sh; \"x\"")];
        let found = settings_of(text);
        let found: Vec<(&str, &str)> =
            found.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(found, expected);
    }

    fn paths(config: &str, others: &[(&str, &str)]) -> Vec<String> {
        let place = tempfile::tempdir().unwrap();
        let top = place.path();
        fs::create_dir_all(top.join("p/.git")).unwrap();
        fs::create_dir_all(top.join("p/tools/hooks")).unwrap();
        fs::write(top.join("p/.git/config"), config).unwrap();
        for (path, text) in others {
            fs::write(top.join(path), text).unwrap();
        }
        let home = top.to_str().unwrap();
        let found = GitConfig::of_user(home).named_by(&top.join("p/.git")).unwrap().paths;
        let below = |path: &PathBuf| path.strip_prefix(top).ok().map(|path| path.display().to_string());
        found.iter().filter_map(below).collect()
    }

    #[test]
    fn what_git_starts_or_includes_is_found_in_its_work_tree() {
        let has = |config: &str, path: &str| {
            let found = paths(config, &[]);
            assert!(found.iter().any(|one| one == path), "{config}: {found:?}");
        };
        has("[core]\nhooksPath = tools/hooks\n", "p/tools/hooks");
        has("[include]\npath = ../conf/git\n", "p/.git/../conf/git");
        has("[filter \"x\"]\nclean = sh tools/clean.sh %f\n", "p/tools/clean.sh");
        has("[alias]\nx = \"!./x.sh\"\n", "p/./x.sh");
        has("[core]\nfsmonitor = ~/p/watch\n", "p/watch");
        let branch = paths("[init]\ndefaultBranch = main\n", &[("p/main", "a program that a build makes")]);
        assert!(!branch.iter().any(|path| path.ends_with("/main")), "{branch:?}");
        assert!(!paths("[remote \"o\"]\nurl = ../q\n", &[]).iter().any(|path| path.ends_with("../q")));
    }

    #[test]
    fn included_files_and_those_of_the_user_count() {
        let found = paths(
            "[include]\npath = more\n",
            &[
                ("p/.git/more", "[core]\nsshCommand = ./ssh.sh\n"),
                (".gitconfig", "[core]\nhooksPath = .hooks\n"),
            ],
        );
        for path in ["p/.git/more", "p/./ssh.sh", "p/.hooks"] {
            assert!(found.iter().any(|one| one == path), "{path}: {found:?}");
        }
    }

    #[test]
    fn what_is_no_file_of_its_own_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        let config = place.path().join("config");
        #[expect(clippy::disallowed_methods, reason = "no function of Rust makes a pipe on every system")]
        let made = std::process::Command::new("mkfifo").arg(&config).status();
        assert!(made.unwrap().success());
        let of = |path: &Path| GitConfig::of_user("/nowhere").named_by(path);
        assert!(of(place.path()).is_err(), "and nobody waits for who would write it");
        fs::remove_file(&config).unwrap();
        assert!(of(place.path()).is_ok());
        fs::File::create(&config).unwrap().set_len(8 << 30).unwrap();
        assert!(of(place.path()).is_err());
    }
}
