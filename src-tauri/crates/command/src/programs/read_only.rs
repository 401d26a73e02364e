//! Commands that only read: what *auto-allow read-only commands* lets through, where no argument is a way out.

/// Read with any arguments that are no way out.
const PROGRAMS: &[&str] = &[
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "pwd",
    "whoami",
    "id",
    "uname",
    "hostname",
    "date",
    "which",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "stat",
    "file",
    "du",
    "df",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "find",
    "fd",
    "sort",
    "uniq",
    "cut",
    "tr",
    "nl",
    "rev",
    "tac",
    "comm",
    "cmp",
    "diff",
    "column",
    "paste",
    "fold",
    "expand",
    "seq",
    "echo",
    "printf",
    "true",
    "false",
    "test",
    "sum",
    "cksum",
    "shasum",
    "sha256sum",
    "md5",
    "md5sum",
    "od",
    "hexdump",
    "strings",
    "jq",
    "sed",
    "ps",
    "uptime",
    "sw_vers",
    "arch",
    "groups",
    "tty",
    "locale",
    "getconf",
    "sleep",
    "tree",
];

/// Subcommands that only read. The rest of their words must be options of reading or plain operands.
const SUBCOMMANDS: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "status",
            "log",
            "diff",
            "show",
            "rev-parse",
            "ls-files",
            "ls-tree",
            "blame",
            "describe",
            "shortlog",
            "cat-file",
            "rev-list",
            "merge-base",
            "name-rev",
            "count-objects",
            "for-each-ref",
            "show-ref",
            "whatchanged",
            "grep",
        ],
    ),
    ("cargo", &["metadata", "tree", "pkgid", "version"]),
    ("npm", &["ls", "list", "outdated", "view", "root"]),
    ("go", &["version", "list"]),
    ("brew", &["list", "info", "outdated", "deps"]),
    ("docker", &["ps", "images", "version", "info", "logs", "inspect"]),
    ("kubectl", &["get", "describe", "version", "logs", "explain"]),
    ("rustup", &["show"]),
];

/// Whether a command only reads, by its name and subcommand. The caller also looks at the step's ways out: a command with one is
/// not read-only.
pub fn is_read_only(argv: &[&str]) -> bool {
    let Some(program) = argv.first() else { return false };
    let name = super::family(program);
    if PROGRAMS.contains(&name.as_str()) {
        return !writes(&name, argv);
    }
    let subcommands =
        SUBCOMMANDS.iter().find(|(program, _)| *program == name).map(|(_, subcommands)| *subcommands);
    let at = super::subcommand::position(&name, argv);
    subcommands
        .zip(at)
        .is_some_and(|(subcommands, at)| argv.get(at).is_some_and(|word| subcommands.contains(word)))
        && !shows_secrets(&name, argv)
}

/// `kubectl get secret,configmap -o yaml` prints passwords.
fn shows_secrets(name: &str, argv: &[&str]) -> bool {
    name == "kubectl" && argv.iter().any(|word| word.to_ascii_lowercase().contains("secret"))
}

/// Reading programs that write when they are given a second operand or such an option.
fn writes(name: &str, argv: &[&str]) -> bool {
    let operands = argv.iter().skip(1).filter(|word| !word.starts_with('-')).count();
    match name {
        "uniq" => operands > 1,
        "hostname" => operands > 0,
        "date" => argv.iter().skip(1).any(|word| !word.starts_with(['+', '-']) || word.starts_with("-s")),
        "cat" | "tail" | "head" => argv.iter().any(|word| word.starts_with("/dev/")),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_read_only;

    #[test]
    fn reading_and_writing() {
        for argv in [
            &["ls", "-la"][..],
            &["/bin/cat", "x"],
            &["git", "--no-pager", "log", "-1"],
            &["grep", "x", "f"],
            &["date", "+%s"],
            &["uniq", "a"],
            &["hostname"],
            &["git", "log", "secret"],
        ] {
            assert!(is_read_only(argv), "{argv:?}");
        }
        for argv in [
            &["rm", "x"][..],
            &["git", "push"],
            &["git"],
            &["uniq", "a", "b"],
            &["date", "0101"],
            &["hostname", "x"],
            &["cat", "/dev/sda"],
            &[],
            &["npm", "test"],
            &["kubectl", "get", "secret/x", "-o", "yaml"],
        ] {
            assert!(!is_read_only(argv), "{argv:?}");
        }
    }
}
