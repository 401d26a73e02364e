//! Equivalent spellings of a command. For rules that deny only: all that may be meant counts.
//!
//! Names that a program completes or has besides, a name with its version, docker's words with and without
//! their nouns, an alias that the line itself gives to git.

use super::ProgramClass;
use super::table::{self, Program};
use crate::invocation::verb_indexes;

/// Returns the command in each of the other words that it may be written in. A word that is not known before
/// the run is none.
pub fn otherwise<'a>(argv: &[Option<&'a str>]) -> Vec<Vec<Option<&'a str>>> {
    let Some(name) = argv.first().copied().flatten() else { return Vec::new() };
    let base = name.rsplit('/').next().unwrap_or(name);
    let family = super::family_of(name);
    let mut forms = Vec::new();
    if base.strip_prefix(['g', 'G']).is_some_and(|plain| plain.eq_ignore_ascii_case(&family)) {
        forms.push(replaced(argv, 0..1, [&base[1..]]));
    }
    if let Some(command) = base.strip_prefix("git-").filter(|command| !command.is_empty()) {
        forms.push(replaced(argv, 0..1, ["git", command]));
    }
    forms.extend(without_version(base, &family).map(|plain| replaced(argv, 0..1, [plain])));
    // Of most programs nothing is called otherwise, and every command of every request is asked about.
    let Some(program) = table::program(&family).filter(|program| has_others(program)) else { return forms };
    for at in verb_indexes(program, argv) {
        let Some(word) = argv[at] else { continue };
        let called = |others: &str| others.split(' ').any(|other| other == word);
        let names = program.aliases.iter().filter(|(_, others)| called(others));
        let begun = program.completes.iter().filter(|plain| plain.starts_with(word) && **plain != word);
        let plain = names.map(|(plain, _)| *plain).chain(begun.copied());
        forms.extend(plain.map(|plain| replaced(argv, at..at + 1, [plain])));
        forms.extend(by_noun(program, argv, at, word));
        if family == "git" {
            forms.extend(by_alias(argv, at, word));
        }
    }
    forms
}

/// Returns the name without a version: `python3.12` is `python3`, `clang-15` is `clang`, `perl5.36.0` is
/// `perl`.
///
/// `python3` is not `python`: those are two languages, and a rule that denies one may want the other.
fn without_version<'a>(base: &'a str, family: &str) -> impl Iterator<Item = &'a str> {
    let stem = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let version = &base[stem.len()..];
    let without_minor = version.find('.').map(|dot| &base[..stem.len() + dot]).filter(|_| !stem.is_empty());
    let one_language =
        || super::class_of(family) != ProgramClass::Ordinary && family != "python" || stem == "pip";
    let plain = if version.is_empty() {
        None
    } else {
        stem.strip_suffix('-').or_else(|| one_language().then_some(stem))
    };
    without_minor.into_iter().chain(plain).filter(|name| !name.is_empty())
}

fn has_others(program: &Program) -> bool {
    !program.aliases.is_empty() || !program.completes.is_empty() || !program.nouns.is_empty()
}

/// Converts `docker run` to `docker container run`, and the other way round.
fn by_noun<'a>(
    program: &Program,
    argv: &[Option<&'a str>],
    at: usize,
    word: &str,
) -> Vec<Vec<Option<&'a str>>> {
    let verb = argv.get(at + 1).copied().flatten();
    let mut forms = Vec::new();
    for (noun, verbs) in program.nouns {
        for (below, plain) in verbs.split(' ').map(|verb| verb.split_once(':').unwrap_or((verb, verb))) {
            if *noun == word && Some(below) == verb {
                forms.push(replaced(argv, at..at + 2, [plain]));
            }
            if plain == word {
                forms.push(replaced(argv, at..at + 1, [*noun, below]));
            }
        }
    }
    forms
}

/// Expands an alias of the line: `git -c alias.p=push p`. An alias that begins with `!` is a text for a
/// shell, which is read elsewhere.
fn by_alias<'a>(argv: &[Option<&'a str>], at: usize, word: &str) -> Vec<Vec<Option<&'a str>>> {
    let given = argv[..at].iter().flatten().filter_map(|option| option.split_once('='));
    let meant = given.filter(|(key, value)| {
        let named = key.get(..6).is_some_and(|section| section.eq_ignore_ascii_case("alias."));
        named && key[6..].eq_ignore_ascii_case(word) && !value.starts_with('!')
    });
    meant.map(|(_, value)| replaced(argv, at..at + 1, value.split_whitespace())).collect()
}

fn replaced<'a>(
    argv: &[Option<&'a str>],
    range: std::ops::Range<usize>,
    words: impl IntoIterator<Item = &'a str>,
) -> Vec<Option<&'a str>> {
    let (before, behind) = (&argv[..range.start], &argv[range.end..]);
    before.iter().copied().chain(words.into_iter().map(Some)).chain(behind.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::otherwise;

    #[test]
    fn the_same_is_said_in_other_words() {
        for (line, meant) in crate::tests::rows::<(&str, &str)>(include_str!("otherwise.jsonl")) {
            let argv: Vec<Option<&str>> = line.split(' ').map(Some).collect();
            let found: Vec<String> = otherwise(&argv)
                .iter()
                .map(|form| form.iter().flatten().copied().collect::<Vec<_>>().join(" "))
                .collect();
            assert!(found.contains(&meant.to_owned()), "{line}: {found:?}");
        }
        let alias = [Some("git"), Some("-c"), Some("Alias.P=push --force"), Some("p"), None];
        let meant =
            [Some("git"), Some("-c"), Some("Alias.P=push --force"), Some("push"), Some("--force"), None];
        assert_eq!(otherwise(&alias), [meant]);
    }

    #[test]
    fn what_is_said_plainly_stays_alone() {
        for line in [
            "npm publish", "git push", "git -c alias.p=!sh p", "grep x", "gzip x", "ls",
            "docker compose run x", "git-", "docker", "python3 x", "python x", "mkfs.ext4 x", "bzip2 x", "7",
            "2.0",
        ] {
            let argv: Vec<Option<&str>> = line.split(' ').map(Some).collect();
            let forms = otherwise(&argv);
            assert!(forms.is_empty(), "{line}: {forms:?}");
        }
        assert!(otherwise(&[]).is_empty());
        assert!(otherwise(&[None, Some("push")]).is_empty());
        assert!(otherwise(&[Some("npm"), None]).is_empty());
    }
}
