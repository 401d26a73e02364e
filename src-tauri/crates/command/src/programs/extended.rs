//! Subcommands that a program does not have itself: configured aliases, plugins, extensions. Files decide what
//! they run, and everybody who can write the project can write those.

use super::{family_of, table};
use crate::invocation::verb_indexes;

/// Returns the positions of words that the program may take for a configured subcommand or a plugin, in the
/// order of argv.
pub fn extensions(argv: &[Option<&str>]) -> Vec<usize> {
    let Some(name) = argv.first().copied().flatten() else { return Vec::new() };
    let family = family_of(name);
    let Some(program) = table::program(&family) else { return Vec::new() };
    if program.own_commands.is_none() {
        return Vec::new();
    }
    let is_known = |word: &str| {
        let own = |word: &str| program.has_own(word) && !program.redefinable.contains(&word);
        own(word) || family == "git" && inline_alias(argv, word).is_some_and(own)
    };
    let foreign = |at: &usize| argv[*at].is_some_and(|word| !word.is_empty() && !is_known(word));
    verb_indexes(program, argv).into_iter().filter(foreign).collect()
}

/// Returns the command that git's own `-c alias.WORD=COMMAND` assigns to a word; it overrides every file.
fn inline_alias<'a>(argv: &[Option<&'a str>], word: &str) -> Option<&'a str> {
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
        for (line, expected) in crate::tests::rows::<(&str, &str)>(include_str!("extended.jsonl")) {
            assert_eq!(found(line), [expected], "{line}");
        }
    }

    #[test]
    fn a_programs_own_commands_are_what_they_are() {
        for line in [
            "git status", "git push --force", "git -c alias.p=log p", "git --no-pager log p",
            "git --version", "cargo build --release", "gh pr list", "kubectl get pods", "docker compose up",
            "jj log", "ls p", "npm p", "git",
        ] {
            assert_eq!(found(line), [""; 0], "{line}");
        }
    }
}
