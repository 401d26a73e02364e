//! Commands that a program does not have by itself: aliases of its configuration, plugins, extensions. What such a word
//! runs is decided by files, which whoever may write a project may write.

use super::subcommand::positions;
use super::{family, ways};

/// Commands of programs whose table of ways out lists none: jj(1), without the aliases that it ships, which can be changed.
const JJ: &str = "abandon absorb bisect bookmark commit config debug describe diff diffedit duplicate edit evolog file fix \
                  gerrit git help interdiff log metaedit new next operation parallelize prev rebase redo resolve restore \
                  revert root show sign simplify-parents sparse split squash status tag undo unsign util version workspace";
/// Programs whose aliases may have the name of a command: hg(1), `[alias]`.
const OVERRIDDEN: [&str; 4] = ["hg", "chg", "rhg", "sl"];
/// Programs that can be told of further commands, and list their own.
const EXTENDED: [&str; 8] = ["git", "cargo", "gh", "kubectl", "oc", "docker", "podman", "nerdctl"];
/// Short names that cargo has for commands of its own, and that a configuration can give another meaning.
const CARGO: [&str; 6] = ["b", "c", "d", "t", "r", "rm"];

/// Where words stand that their program may take for a command of its configuration or of a plugin, in the order of the argv.
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

/// The command that git's own `-c alias.WORD=COMMAND` gives a word: it counts before every file.
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
