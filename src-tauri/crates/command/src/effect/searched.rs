//! Patterns by which programs choose the files that they open.

use super::command::ExaminedCommand;

/// Returns the patterns of files by which a command searches, and opens what it finds. What they leave out is not among them.
pub(super) fn searched_patterns<'a>(command: &ExaminedCommand<'a>) -> Vec<&'a str> {
    let values =
        |options: &[&str]| options.iter().flat_map(|option| command.values_of(option)).collect::<Vec<_>>();
    let all: Vec<&str> = match command.name {
        "rg" | "ripgrep" => values(&["-g", "--glob", "--iglob", "--type-add"]),
        "grep" | "egrep" | "fgrep" | "ugrep" => values(&["--include"]),
        "find" if command.has_word(&["-exec", "-execdir", "-ok", "-okdir"]) => patterns_of_find(command.args),
        "fd" | "fdfind" if command.matches_any("-x -X --exec --exec-batch") => patterns_of_fd(command.args),
        "git" => pathspecs(command),
        _ => Vec::new(),
    };
    all.into_iter().filter(|pattern| !pattern.starts_with('!')).map(behind_type).collect()
}

/// Returns the pattern of `--type-add NAME:PATTERN`; others have no colon.
fn behind_type(pattern: &str) -> &str {
    pattern.rsplit(':').next().unwrap_or(pattern)
}

/// Returns the patterns that what `find` finds has to match.
pub fn patterns_of_find<'a>(words: &[&'a str]) -> Vec<&'a str> {
    const TESTS: [&str; 6] = ["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"];
    let all = words.windows(2).enumerate().filter(|(at, pair)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_left_out =
            matches!(before, Some(&"-not" | &"!")) || words.get(at + 2).is_some_and(|word| *word == "-prune");
        TESTS.contains(&pair[0]) && !is_left_out
    });
    all.map(|(_, pair)| pair[1]).collect()
}

/// Returns the expressions that `fd` looks for, without the marks around a name.
pub(super) fn patterns_of_fd<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let operands = words.iter().filter(|word| !word.starts_with('-'));
    operands.map(|word| word.trim_start_matches(['^', '\\']).trim_end_matches('$')).collect()
}

/// Returns the pathspecs of git that are patterns, or have a word in front that says how they match (gitglossary(7)).
fn pathspecs<'a>(command: &ExaminedCommand<'a>) -> Vec<&'a str> {
    const OPENS: [&str; 8] =
        ["blame", "diff", "diff-index", "diff-tree", "grep", "log", "show", "whatchanged"];
    if !command.has_word(&OPENS) {
        return Vec::new();
    }
    let sought = command.patterns_sought();
    let is_spec = |word: &&&str| {
        !word.starts_with(['-', '%'])
            && !word.starts_with(":!")
            && !word.starts_with(":^")
            && !sought.contains(*word)
    };
    let all = command.args.iter().filter(is_spec).filter_map(|word| match word.strip_prefix(":(") {
        Some(rest) => rest.split_once(')').filter(|(how, _)| !how.contains("exclude")).map(|(_, spec)| spec),
        None => word.contains(['*', '?', '[']).then_some(*word),
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::super::places::may_find_secret;
    use super::{patterns_of_fd, patterns_of_find};

    #[test]
    fn a_pattern_of_a_program_finds_secrets_by_a_part_of_their_name() {
        for pattern in [
            ".env", ".ENV", ".env*", "*.env", "**/.env*", "*env", ".e?v", "sub/.[e]nv", "{a,.env}",
            "*.{env,x}", "*key.pem", "id_rsa", "*.npmrc",
        ] {
            assert!(may_find_secret(pattern), "{pattern}");
        }
        for pattern in [
            "*", "**", "*.*", "*.rs", "*.{ts,tsx}", "{src,test}/**/*.{ts,tsx}", "src/*", "*.[jt]s", "*.md",
            ".env.example", "Dockerfile*", ".github/*", ".eslintrc*",
        ] {
            assert!(!may_find_secret(pattern), "{pattern}");
        }
    }

    #[test]
    fn what_a_search_leaves_out_is_no_pattern_of_it() {
        let words: Vec<&str> =
            ". -name .env* -not -path */.* ! -iname x -path ./y -prune -o -name z".split(' ').collect();
        assert_eq!(patterns_of_find(&words), [".env*", "z"]);
        assert_eq!(patterns_of_fd(&["-H", "^\\.env$", "src"]), [".env", "src"]);
    }
}
