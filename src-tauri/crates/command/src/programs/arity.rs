//! Number of words that name the command: `git push origin main` is `git push`, `npm run build` is all three.

use crate::invocation::verb_indexes;

/// Returns how many words of the argv are the command: at least 1, at most its length.
pub fn command_length(argv: &[&str]) -> usize {
    let Some(program) = argv.first() else { return 0 };
    let family = super::family_of(program);
    let known = super::table::program(&family).map(|program| program.words).filter(|words| !words.is_empty());
    let known =
        known.or_else(|| super::own::find_own(&family).map(|program| program.words)).unwrap_or_default();
    let by = |word: &str| known.iter().find(|(first, _)| *first == word).map(|(_, words)| *words);
    let second = argv.get(1).copied().unwrap_or_default();
    by(second).or_else(|| by("*")).unwrap_or(1).min(argv.len())
}

/// Returns the words that name the command, without options before the verb: `git -C x push origin` is `git push`.
pub fn command_words<'a>(argv: &[&'a str]) -> Vec<&'a str> {
    let as_written = || argv.iter().take(command_length(argv)).copied().collect();
    let program = argv.first().and_then(|name| super::known_name(name)).map(|known| known.program);
    let places =
        program.filter(|program| program.before.is_some()).map(|program| verb_indexes(program, argv));
    // Where the verb may be in several places, nothing is left out.
    let Some([verb]) = places.as_deref() else { return as_written() };
    let words: Vec<&str> = argv.iter().take(1).chain(&argv[*verb..]).copied().collect();
    let arity = command_length(&words);
    words.into_iter().take(arity).collect()
}

#[cfg(test)]
mod tests {
    use super::{command_length, command_words};

    #[test]
    fn the_table_of_the_source() {
        for (argv, words) in [
            (&["git", "push", "origin", "main"][..], 2),
            (&["npm", "run", "build"], 3),
            (&["npm", "test"], 2),
            (&["cat", "README.md"], 1),
            (&["docker", "compose", "up", "-d"], 3),
            (&["gh", "pr", "view", "1"], 3),
            (&["git", "stash", "pop"], 3),
            (&["git"], 1),
            (&["/usr/bin/git", "status"], 2),
            (&[], 0),
        ] {
            assert_eq!(command_length(argv), words, "{argv:?}");
        }
    }

    #[test]
    fn options_before_the_verb_are_no_part_of_the_name() {
        for (line, words) in [
            ("git -C x push origin", "git push"),
            ("git --no-pager log -p", "git log"),
            ("npm --prefix x run build", "npm run build"),
            ("docker -H h compose up", "docker compose up"),
            ("git --unheard x push", "git --unheard"),
            ("git --version", "git --version"),
            ("cat -n x", "cat"),
        ] {
            let argv: Vec<&str> = line.split(' ').collect();
            assert_eq!(command_words(&argv).join(" "), words, "{line}");
        }
        assert!(command_words(&[]).is_empty());
    }
}
