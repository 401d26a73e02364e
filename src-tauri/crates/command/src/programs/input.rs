//! Programs that treat standard input as data, not as commands.

use super::class::known_name;
use super::table::Trait;

/// Returns true if a program reads its input as data or not at all, and false if that is unknown. `words` are
/// the step's words without wrappers.
pub fn treats_input_as_data(words: &[Option<&str>]) -> bool {
    let [Some(name), args @ ..] = words else { return false };
    let Some(known) = known_name(name).filter(|known| known.has_trait(Trait::InputIsData)) else {
        return false;
    };
    // At any position, because options before a subcommand may have values.
    let obeys = |arg: &str| names_input(arg) || known.program.obeys_input.contains(&arg);
    args.iter().all(|arg| arg.is_some_and(|arg| !obeys(arg)))
}

/// Returns true if a program by itself reads its input as data, whatever its words make it do with the text.
pub fn takes_text(program: &str) -> bool {
    known_name(program).is_some_and(|known| known.has_trait(Trait::InputIsData))
}

/// Returns true if an argument names standard input, alone or after an option.
fn names_input(arg: &str) -> bool {
    let value = arg.rsplit('=').next().unwrap_or(arg);
    let stream = || ["/dev/stdin", "/dev/fd/", "/proc/"].iter().any(|place| value.contains(place));
    let option = arg.starts_with('-') && arg.ends_with('-') && arg != "--";
    value == "-"
        || value.contains('/') && stream()
        || option
        || holds(arg, b"stdin")
        || holds(arg, b"files0-from")
}

/// Returns true if a text holds another one. For words of a few letters this is faster than `str::contains`.
fn holds<const N: usize>(text: &str, part: &[u8; N]) -> bool {
    text.as_bytes().windows(N).any(|own| own == part)
}

#[cfg(test)]
mod tests {
    use super::treats_input_as_data;
    use crate::words_of;

    fn data(line: &str) -> bool {
        let words = words_of(line).unwrap();
        treats_input_as_data(&words.iter().map(|word| Some(word.as_str())).collect::<Vec<_>>())
    }

    #[test]
    fn ordinary_commands_do_not_care() {
        for line in [
            "git status", "git -C x log", "npm test", "cargo build", "ls -l", "grep -n x", "/usr/bin/wc -l",
            "make test",
        ] {
            assert!(data(line), "{line}");
        }
    }

    #[test]
    fn what_may_be_told_by_its_input_is_not_data() {
        for line in [
            "sqlite3 app.db", "psql", "mysql x", "make -f -", "make -f- all", "make --file=/dev/stdin",
            "docker build -", "kubectl apply -f -", "ssh host", "sed -f -", "sed e", "socat - x", "swift -",
            "redis-cli", "git fast-import", "git apply", "git --no-pager am", "bash", "python3", "node",
            "npm exec node", "xargs rm", "unknown-program", "sort --files0-from=-", "git update-ref --stdin",
            "cat -", "env", "sudo ls",
        ] {
            assert!(!data(line), "{line}");
        }
        assert!(!treats_input_as_data(&[Some("git"), None]), "a word that is not known may name it");
        assert!(!treats_input_as_data(&[]), "no program");
    }
}
