//! Patterns of arguments, as `when` lists them.
//!
//! | pattern | matches |
//! |---|---|
//! | `-o`, `--output`, `-exec` | an option |
//! | `@-c` | an option before the command |
//! | `clone:-u` | an option of a command |
//! | `install&-g`, `-i&-e` | two patterns that both match: a command with an option anywhere |
//! | `compose:@-f` | an option of a command after which its own command does not stand at once |
//! | `config`, `bisect.run` | a command |
//! | `pr\|issue.view\|list` | a command with one of these names, and so below it |
//! | `rollout!status,history` | a command, unless one of these stands right behind it |
//! | `!list,print` | any command but these |
//! | `!` | any command but those of `commands` |
//! | `=-delete` | a word as it is |
//! | `push:=main` | a word as it is, behind a command |
//! | `^ext::`, `clone:^.git` | a word that begins so, anywhere or behind a command |
//! | `$-token` | a word that ends so |
//! | `~=ext::`, `view:~:` | a word that holds this, in any case, anywhere or behind a command |
//! | `#0` | no argument at all |
//! | `#2` | the second operand |
//! | `#*` | any operand that is a file |
//! | `add:#` | an operand behind a command |
//! | `#*/`, `new:#/` | any operand, or one behind a command, that leads out of the working directory |
//! | `*` | the program, whatever its arguments |
//!
//! An option, or `#2`, that ends in `/` matches only where its value leads out of the working directory.

/// Returns true if the word is a pattern.
pub(crate) fn is_mark(mark: &str) -> bool {
    if let Some((first, other)) = mark.split_once('&') {
        return is_mark(first) && is_mark(other);
    }
    let option = mark.trim_start_matches('@');
    let command = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "-._:+|".contains(c));
    match mark.chars().next() {
        Some('*') => mark == "*",
        Some('!') => true,
        Some('=' | '^' | '~' | '$') => mark.len() > 1,
        Some('#') => {
            let number = mark[1..].trim_end_matches('/').parse::<usize>();
            number.is_ok_and(|number| number > 0) || matches!(mark, "#*" | "#*/" | "#0")
        }
        Some('@' | '-') => option.starts_with('-') && option.len() > 1,
        Some(_) => match mark.split_once([':', '!']) {
            None => command(mark),
            Some((name, rest)) => command(name) && !name.is_empty() && !rest.is_empty(),
        },
        None => false,
    }
}
