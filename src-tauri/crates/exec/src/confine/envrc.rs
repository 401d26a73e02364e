//! Files that an `.envrc` reads. direnv reads them again at the next prompt, and asks about changes of the `.envrc` alone.

use crate::small_file::{open_no_link, read_text};
use std::path::{Path, PathBuf};

/// Name of direnv's file.
pub(super) const ENVRC: &str = ".envrc";
/// Bytes of it that are read.
const LONGEST: u64 = 64 << 10;
/// Characters between the words of a line.
const BETWEEN: &str = "'\"`;|&()<>=:$";
/// Words of direnv's library for files whose changes have it read the `.envrc` again. It reads none of them.
const WATCHERS: [&str; 2] = ["watch_dir", "watch_file"];
/// Words of direnv's library, with the files that they read (<https://direnv.net/man/direnv-stdlib.1.html>). In the folder,
/// nix-direnv keeps a shell's variables as a script, and runs it every time (<https://github.com/nix-community/nix-direnv>).
const IMPLIED: &[(&str, &[&str])] = &[
    ("dotenv", &[".env"]),
    ("flake", &["flake.nix", "flake.lock", ".direnv"]),
    ("nix", &["shell.nix", "default.nix", ".direnv"]),
    ("devenv", &["devenv.nix", "devenv.yaml", "devenv.lock", ".direnv"]),
    ("devbox", &["devbox.json", "devbox.lock"]),
    ("guix", &["guix.scm", "manifest.scm"]),
];

/// Returns the files that it may read: those that its words name or imply. All that can be implied, if it cannot be read.
pub(super) fn files_read(envrc: &Path) -> Vec<PathBuf> {
    let Some(folder) = envrc.parent() else { return Vec::new() };
    let text = open_no_link(envrc).and_then(|file| read_text(&file, LONGEST)).ok();
    let words: Vec<&str> = text.iter().flat_map(|text| words_of(text)).collect();
    let is_implied = |word: &str| {
        text.is_none() || words.iter().any(|own| own.strip_suffix("_if_exists").unwrap_or(own) == word)
    };
    let implied = IMPLIED.iter().filter(|(word, _)| is_implied(word)).flat_map(|(_, files)| *files);
    let is_file = |path: &PathBuf| path.metadata().is_ok_and(|found| found.is_file());
    let named = words.iter().map(|word| folder.join(word)).filter(is_file);
    let implied = implied.map(|name| folder.join(name)).filter(|path| path.symlink_metadata().is_ok());
    named.chain(implied).collect()
}

/// Returns the words outside of comments and of what is only watched.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let commands =
        lines.flat_map(|line| line.split([';', '|', '&'])).filter(|command| !only_watches(command));
    commands
        .flat_map(|command| command.split(|letter: char| letter.is_whitespace() || BETWEEN.contains(letter)))
        .filter(|word| !word.is_empty())
}

fn only_watches(command: &str) -> bool {
    let first = command.split_whitespace().next().unwrap_or_default();
    WATCHERS.contains(&first) && !command.contains(['(', '`'])
}

#[cfg(test)]
mod tests {
    use super::files_read;
    use std::fs;

    #[test]
    fn what_it_names_and_implies_is_found_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path();
        for folder in ["bin", ".direnv"] {
            fs::create_dir(top.join(folder)).unwrap();
        }
        for file in
            [".env", "flake.nix", "flake.lock", "shell.nix", "env.sh", "secret.env", "README", "bin/x"]
        {
            fs::write(top.join(file), "x").unwrap();
        }
        let envrc = top.join(".envrc");
        let found = |text: &str| -> Vec<String> {
            fs::write(&envrc, text).unwrap();
            let mut names: Vec<String> = files_read(&envrc)
                .iter()
                .map(|path| path.strip_prefix(top).unwrap().display().to_string())
                .collect();
            names.sort();
            names
        };
        assert_eq!(found("use flake\nPATH_add bin\n"), [".direnv", "flake.lock", "flake.nix"]);
        let got = found("source_env \"env.sh\"; dotenv_if_exists secret.env");
        assert_eq!(got, [".env", "env.sh", "secret.env"]);
        assert_eq!(found("export X=1\n  # see README\nwatch_file env.sh README"), [""; 0]);
        assert_eq!(found("watch_file README; source_env env.sh"), ["env.sh"]);
        assert_eq!(found("watch_file $(. env.sh)"), ["env.sh"], "what is in it runs");
        fs::remove_file(&envrc).unwrap();
        std::os::unix::fs::symlink("README", &envrc).unwrap();
        let all: Vec<_> = files_read(&envrc);
        assert_eq!(all.len(), 7, "it may be anything behind a link: {all:?}");
    }
}
