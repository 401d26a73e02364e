//! Variables that a request or its text sets: which are harmless, which decide what runs.

mod names;

pub use names::{HarmlessValues, Lists, VariableClass, class_of, is_name, may_pass, may_set, name_lists};

use crate::Dialect;

/// Most bytes of the value of a name that needs no question.
const LONGEST_PLAIN: usize = 64;

/// Returns true if a value can do nothing but be a value: no path, no format, no second meaning (the rule of
/// sudo and pkexec).
pub fn is_plain_value(value: &str) -> bool {
    value.len() <= LONGEST_PLAIN
        && !value.contains("..")
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:,@+=-".contains(&byte))
}

/// Returns true if a program may be given this variable silently.
pub(crate) fn is_harmless(name: &str, value: Option<&str>) -> bool {
    let Some(value) = value else { return false };
    class_of(name) == VariableClass::Auto && is_plain_value(value) || is_harmless_value(name, value)
}

/// Returns true if this value makes nothing run, though others of the same name may (`PAGER=cat`,
/// `RUST_LOG=debug`).
pub fn is_harmless_value(name: &str, value: &str) -> bool {
    let known = name_lists().and_then(|lists| lists.auto_values.get(&name.to_ascii_uppercase()));
    let listed = known.is_some_and(|known| {
        known.plain && is_plain_value(value) || known.values.iter().any(|other| other == value)
    });
    listed || name == "TZ" && is_zone(value)
}

/// Returns true for the name of a time zone, which is looked for among the system's: `Europe/Berlin`,
/// `America/Argentina/Ushuaia`.
///
/// Each part begins with a capital letter, so that nothing leads out of that folder.
fn is_zone(value: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_uppercase())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte))
    };
    value.len() <= LONGEST_PLAIN && value.split('/').count() <= 3 && value.split('/').all(part)
}

/// Returns true if setting the variable changes what a shell or a program runs. Any letter case.
///
/// `shell` is the shell that it is set in, if one is.
pub fn decides_what_runs(name: &str, shell: Option<Dialect>) -> bool {
    let Some(lists) = name_lists() else { return true };
    let upper = name.to_ascii_uppercase();
    matches!(class_of(name), VariableClass::Base | VariableClass::Hard)
        || lists.shell.contains(&upper)
        || shell == Some(Dialect::Zsh) && lists.zsh.contains(&upper)
}

/// Returns true if the shell evaluates what the variable is set to, unless that is a plain number. `sh` may
/// be zsh.
pub(crate) fn evaluates(name: &str, value: Option<&str>, shell: Option<Dialect>) -> bool {
    let number = value.is_some_and(|value| value.bytes().all(|byte| byte.is_ascii_digit()));
    let Some(lists) = name_lists() else { return !number };
    let upper = name.to_ascii_uppercase();
    let zsh = matches!(shell, Some(Dialect::Zsh | Dialect::Posix));
    !number && (lists.numbers.contains(&upper) || zsh && lists.zsh_numbers.contains(&upper))
}

#[cfg(test)]
mod tests {
    use super::{decides_what_runs, evaluates, is_harmless, is_name, may_set, name_lists};
    use crate::Dialect;

    #[test]
    fn what_decides_what_runs_is_told() {
        assert!(name_lists().is_some(), "the data file parses");
        for name in [
            "PATH", "path", "LD_PRELOAD", "BASH_ENV", "BASH_CMDS", "GIT_SSH_COMMAND", "NODE_OPTIONS",
            "PROMPT_COMMAND", "IFS", "EDITOR", "PS4", "PS0", "HOME", "CDPATH", "ENV", "precmd",
        ] {
            assert!(decides_what_runs(name, Some(Dialect::Bash)), "{name}");
            assert!(!is_harmless(name, Some("x")), "{name}");
        }
        for name in ["functions", "aliases", "commands", "options", "precmd_functions"] {
            assert!(decides_what_runs(name, Some(Dialect::Zsh)), "{name} is a table of zsh");
            assert!(!decides_what_runs(name, Some(Dialect::Bash)), "{name} is a plain name in bash");
        }
        for name in ["x", "FOO", "files", "LANG", "TZ", "RUST_LOG"] {
            assert!(!decides_what_runs(name, Some(Dialect::Bash)), "{name}");
        }
    }

    #[test]
    fn harmless_names_need_plain_values() {
        assert!(is_harmless("CI", Some("true")) && is_harmless("TZ", Some("UTC")));
        for (name, value) in [
            ("PAGER", "cat"),
            ("TZ", "Europe/Berlin"),
            ("TZ", "America/Argentina/Ushuaia"),
            ("GIT_PAGER", ""),
            ("DEBUG", "app:http"),
            ("RUST_LOG", "a::b=debug,info"),
        ] {
            assert!(is_harmless(name, Some(value)), "{name}={value}");
        }
        let long = "A".repeat(65);
        for (name, value) in [
            ("PAGER", Some("less")),
            ("PAGER", Some("")),
            ("GIT_PAGER", Some("cat x")),
            ("GIT_EDITOR", Some("cat")),
            ("RUST_LOG", Some("$(id)")),
            ("DEBUG", None),
            ("TZ", Some("/etc/passwd")),
            ("TZ", Some("Europe/../../etc/passwd")),
            ("TZ", Some("tmp/x")),
            ("TZ", Some("A/B/C/D")),
            ("TZ", Some(long.as_str())),
            ("TZ", Some(":/etc/passwd")),
            ("LANG", Some("%n")),
            ("CI", None),
            ("TZ", Some("..")),
            ("SOMETHING", Some("1")),
        ] {
            assert!(!is_harmless(name, value), "{name}={value:?}");
        }
    }

    #[test]
    fn variables_that_are_numbers_take_only_numbers() {
        let bash = Some(Dialect::Bash);
        assert!(!evaluates("RANDOM", Some("42"), bash) && !evaluates("OPTIND", Some("1"), bash));
        assert!(evaluates("RANDOM", Some("a[$(id)]"), bash), "bash runs `id` for it");
        assert!(evaluates("OPTIND", None, bash) && !evaluates("x", None, bash));
        assert!(!evaluates("COLUMNS", None, bash), "plain text in bash");
        assert!(evaluates("COLUMNS", Some("psvar[$(id)]"), Some(Dialect::Zsh)), "zsh runs `id` for it");
        assert!(!evaluates("COLUMNS", Some("80"), Some(Dialect::Zsh)));
    }

    #[test]
    fn settings_may_name_what_steers_nothing() {
        assert!(may_set("LANG") && may_set("SOMETHING") && may_set("MY_TOKEN"));
        assert!(!may_set("LD_PRELOAD") && !may_set("PATH"));
    }

    #[test]
    fn a_name_holds_no_second_variable() {
        let (longest, longer) = ("A".repeat(128), "A".repeat(129));
        for name in ["A", "_", "a_1", longest.as_str()] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "1A", "A=B", "A-B", "A B", "-", longer.as_str()] {
            assert!(!is_name(name), "{name}");
        }
    }
}
