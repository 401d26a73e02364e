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

/// Those of them that no argument makes write or run anything. Where an option of theirs reads another file, that is a way out.
const ANYWAY: &[&str] = &[
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "stat",
    "du",
    "df",
    "grep",
    "egrep",
    "fgrep",
    "cut",
    "tr",
    "nl",
    "rev",
    "tac",
    "comm",
    "cmp",
    "diff",
    "paste",
    "fold",
    "expand",
    "seq",
    "echo",
    "printf",
    "true",
    "false",
    "test",
    "cksum",
    "shasum",
    "sha256sum",
    "md5",
    "md5sum",
    "od",
    "strings",
    "which",
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
    subcommands.zip(at).is_some_and(|(subcommands, at)| {
        argv.get(at).is_some_and(|word| subcommands.contains(word)) || name == "git" && lists(argv, at)
    }) && !shows_secrets(&name, argv)
}

/// The same, of a command some words of which are only known when it runs: whatever they turn out to be.
pub fn is_read_only_anyway(words: &[Option<&str>]) -> bool {
    let known: Option<Vec<&str>> = words.iter().copied().collect();
    if let Some(argv) = known {
        return is_read_only(&argv);
    }
    words.first().copied().flatten().is_some_and(|name| ANYWAY.contains(&super::family(name).as_str()))
}

/// Subcommands of git that list where nothing but these words follows.
fn lists(argv: &[&str], at: usize) -> bool {
    let rest = argv.get(at + 1..).unwrap_or_default();
    let only = |words: &[&str]| rest.iter().all(|word| words.contains(word));
    match argv.get(at).copied().unwrap_or_default() {
        "branch" => {
            only(&["-a", "-r", "-v", "-vv", "--all", "--remotes", "--list", "--show-current", "--no-color"])
        }
        "tag" => only(&["-l", "--list", "-n"]),
        "remote" => {
            only(&["-v", "--verbose"]) || rest.len() == 2 && rest[0] == "get-url" && !rest[1].starts_with('-')
        }
        "stash" | "worktree" => rest.first() == Some(&"list") && rest.len() == 1,
        "submodule" => rest == ["status"],
        "config" => rest.len() == 1 && ["--list", "-l", "list"].contains(&rest[0]),
        _ => false,
    }
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
    use super::{ANYWAY, PROGRAMS, is_read_only, is_read_only_anyway};

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
            &["git", "branch", "-a"],
            &["git", "remote", "get-url", "origin"],
            &["git", "stash", "list"],
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
            &["git", "branch", "-a", "x"],
            &["git", "branch", "-D", "x"],
            &["git", "tag", "x"],
            &["git", "stash"],
            &["git", "remote", "add", "x", "y"],
            &["git", "config", "user.name", "x"],
            &[],
            &["npm", "test"],
            &["kubectl", "get", "secret/x", "-o", "yaml"],
        ] {
            assert!(!is_read_only(argv), "{argv:?}");
        }
    }

    #[test]
    fn what_is_only_known_when_it_runs_changes_nothing_about_a_few() {
        assert!(ANYWAY.iter().all(|name| PROGRAMS.contains(name)));
        assert!(
            is_read_only_anyway(&[Some("wc"), Some("-l"), None]) && is_read_only_anyway(&[Some("ls"), None])
        );
        for words in [
            &[Some("uniq"), None][..],
            &[Some("date"), None],
            &[Some("hostname"), None],
            &[Some("git"), Some("branch"), None],
            &[Some("jq"), None],
            &[None, Some("x")],
            &[],
        ] {
            assert!(!is_read_only_anyway(words), "{words:?}");
        }
    }
}
