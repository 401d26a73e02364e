//! Subcommands that a program does not have itself: configured aliases, plugins, extensions. Files decide what
//! they run, and everybody who can write the project can write those.

use super::subcommand::positions;
use super::{family, ways};

/// Subcommands of programs without a table of their own: jj(1), except its built-in aliases, which can be
/// redefined.
const JJ: &str = "abandon absorb bisect bookmark commit config debug describe diff diffedit duplicate edit evolog file fix \
                  gerrit git help interdiff log metaedit new next operation parallelize prev rebase redo resolve restore \
                  revert root show sign simplify-parents sparse split squash status tag undo unsign util version workspace";
/// Programs whose aliases may replace a built-in subcommand: hg(1), `[alias]`.
const OVERRIDDEN: [&str; 4] = ["hg", "chg", "rhg", "sl"];
/// Programs that can be extended by subcommands; their own ones are in the tables.
const EXTENDED: [&str; 8] = ["git", "cargo", "gh", "kubectl", "oc", "docker", "podman", "nerdctl"];
/// cargo's built-in short names, which a configuration can redefine.
const CARGO: [&str; 6] = ["b", "c", "d", "t", "r", "rm"];

/// Returns the positions of words that the program may take for a configured subcommand or a plugin, in the
/// order of argv.
pub fn extensions(argv: &[Option<&str>]) -> Vec<usize> {
    let Some(name) = argv.first().copied().flatten() else { return Vec::new() };
    let family = family(name);
    let is_own = |word: &str| match family.as_str() {
        "jj" => JJ.split(' ').any(|own| own == word),
        "cargo" if CARGO.contains(&word) => false,
        "git" => is_of_git(word) || alias(argv, word).is_some_and(is_of_git),
        name if EXTENDED.contains(&name) => ways::has_command(name, word).unwrap_or(true),
        name => !OVERRIDDEN.contains(&name),
    };
    let foreign = |at: &usize| argv[*at].is_some_and(|word| !word.is_empty() && !is_own(word));
    positions(&family, argv).into_iter().filter(foreign).collect()
}

fn is_of_git(word: &str) -> bool {
    ways::has_command("git", word).unwrap_or(true)
}

/// Returns the command that git's own `-c alias.WORD=COMMAND` assigns to a word; it overrides every file.
fn alias<'a>(argv: &[Option<&'a str>], word: &str) -> Option<&'a str> {
    let set = |pair: &[Option<&'a str>]| match pair {
        [Some("-c"), Some(set)] => set.strip_prefix("alias.")?.strip_prefix(word)?.strip_prefix('='),
        _ => None,
    };
    argv.windows(2).rev().find_map(set)?.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::extensions;

    fn found(line: &str) -> Vec<String> {
        let words: Vec<Option<&str>> = line.split(' ').map(Some).collect();
        extensions(&words).into_iter().map(|at| words[at].unwrap().to_owned()).collect()
    }

    #[test]
    fn a_command_that_a_program_does_not_have_may_be_anything() {
        for (line, expected) in [
            ("git p", "p"),
            ("/usr/bin/git -C sub -c a.b=c p origin", "p"),
            ("cargo deploy", "deploy"),
            ("cargo +nightly b", "b"),
            ("gh -R o/r shipit", "shipit"),
            ("kubectl -n prod nuke", "nuke"),
            ("docker mine up", "mine"),
            ("jj ci", "ci"),
            ("git -c alias.p=q p", "p"),
            ("git -c alias.p=!sh p", "p"),
            ("git -c alias.p=log -c alias.p=q p", "p"),
            ("hg log", "log"),
        ] {
            assert_eq!(found(line), [expected], "{line}");
        }
    }

    #[test]
    fn a_programs_own_commands_are_what_they_are() {
        for line in [
            "git status",
            "git push --force",
            "git -c alias.p=log p",
            "git --no-pager log p",
            "git --version",
            "cargo build --release",
            "gh pr list",
            "kubectl get pods",
            "docker compose up",
            "jj log",
            "ls p",
            "npm p",
            "git",
        ] {
            assert_eq!(found(line), [""; 0], "{line}");
        }
    }
}
