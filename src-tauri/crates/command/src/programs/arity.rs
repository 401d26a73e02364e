//! How many words are the command: `git push origin main` is `git push`, `npm run build` is all three.

/// Returns how many words of the argv are the command: at least 1, at most its length.
pub fn arity(argv: &[&str]) -> usize {
    let Some(program) = argv.first() else { return 0 };
    let family = super::family(program);
    let known = super::table::program(&family).map(|program| program.words).filter(|words| !words.is_empty());
    let known = known.or_else(|| super::own::find(&family).map(|program| program.words)).unwrap_or_default();
    let by = |word: &str| known.iter().find(|(first, _)| *first == word).map(|(_, words)| *words);
    let second = argv.get(1).copied().unwrap_or_default();
    by(second).or_else(|| by("*")).unwrap_or(1).min(argv.len())
}

#[cfg(test)]
mod tests {
    use super::arity;

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
            assert_eq!(arity(argv), words, "{argv:?}");
        }
    }
}
