//! Programs that treat standard input as data, not as commands.

use super::class::family;

/// Programs that treat their input as data or ignore it, unless an argument names it.
const DATA: [&str; 96] = [
    "base64",
    "basename",
    "black",
    "cargo",
    "cat",
    "chmod",
    "cksum",
    "clippy-driver",
    "cmake",
    "cmp",
    "column",
    "comm",
    "cp",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "eslint",
    "expand",
    "expr",
    "false",
    "fgrep",
    "file",
    "find",
    "fmt",
    "fold",
    "git",
    "go",
    "gofmt",
    "grep",
    "groups",
    "head",
    "hexdump",
    "hostname",
    "id",
    "jest",
    "jq",
    "ln",
    "ls",
    "lscpu",
    "make",
    "md5",
    "md5sum",
    "mkdir",
    "mktemp",
    "mv",
    "mypy",
    "ninja",
    "nl",
    "npm",
    "nproc",
    "od",
    "paste",
    "pgrep",
    "pnpm",
    "prettier",
    "printf",
    "ps",
    "pwd",
    "pytest",
    "readlink",
    "realpath",
    "rev",
    "rg",
    "rm",
    "rmdir",
    "ruff",
    "rustfmt",
    "seq",
    "sha1sum",
    "sha256sum",
    "shasum",
    "sleep",
    "sort",
    "stat",
    "strings",
    "sum",
    "sw_vers",
    "tac",
    "tail",
    "test",
    "touch",
    "tr",
    "tree",
    "true",
    "tsc",
    "uname",
    "uniq",
    "uptime",
    "wc",
    "which",
    "whoami",
];

/// Subcommands of those programs that obey their input, or start a program that does.
const TOLD: [(&str, &[&str]); 4] = [
    (
        "git",
        &[
            "am",
            "apply",
            "bisect",
            "credential",
            "credential-cache",
            "credential-store",
            "daemon",
            "difftool",
            "fast-import",
            "filter-branch",
            "http-backend",
            "mergetool",
            "mktree",
            "quiltimport",
            "receive-pack",
            "remote-helper",
            "send-email",
            "shell",
            "submodule",
            "update-index",
            "update-ref",
            "upload-pack",
            "var",
        ],
    ),
    ("npm", &["create", "exec", "explore", "init", "x"]),
    ("pnpm", &["create", "dlx", "exec", "node", "init"]),
    ("go", &["run", "tool"]),
];

/// Returns true if a program reads its input as data or not at all, and false if that is unknown. `words` are
/// the step's words without wrappers.
pub fn treats_input_as_data(words: &[Option<&str>]) -> bool {
    let all: Option<Vec<&str>> = words.iter().copied().collect();
    let Some([name, args @ ..]) = all.as_deref() else { return false };
    let name = family(name);
    if DATA.binary_search(&name.as_str()).is_err() || args.iter().any(|arg| names_input(arg)) {
        return false;
    }
    // At any position, because options before a subcommand may have values.
    TOLD.iter().all(|(program, told)| *program != name || !args.iter().any(|arg| told.contains(arg)))
}

/// Returns true if an argument names standard input, alone or after an option.
fn names_input(arg: &str) -> bool {
    let value = arg.rsplit('=').next().unwrap_or(arg);
    let stream = ["/dev/stdin", "/dev/fd/", "/proc/"].iter().any(|place| value.contains(place));
    let option = arg.starts_with('-') && arg.ends_with('-') && arg != "--";
    value == "-" || stream || option || arg.contains("stdin") || arg.contains("files0-from")
}

#[cfg(test)]
mod tests {
    use super::{DATA, treats_input_as_data};
    use crate::words_of;

    fn data(line: &str) -> bool {
        let words = words_of(line).unwrap();
        treats_input_as_data(&words.iter().map(|word| Some(word.as_str())).collect::<Vec<_>>())
    }

    #[test]
    fn the_names_are_in_order() {
        assert!(DATA.windows(2).all(|pair| pair[0] < pair[1]), "they are searched by halves");
    }

    #[test]
    fn ordinary_commands_do_not_care() {
        for line in [
            "git status",
            "git -C x log",
            "npm test",
            "cargo build",
            "ls -l",
            "grep -n x",
            "/usr/bin/wc -l",
            "make test",
        ] {
            assert!(data(line), "{line}");
        }
    }

    #[test]
    fn what_may_be_told_by_its_input_is_not_data() {
        for line in [
            "sqlite3 app.db",
            "psql",
            "mysql x",
            "make -f -",
            "make -f- all",
            "make --file=/dev/stdin",
            "docker build -",
            "kubectl apply -f -",
            "ssh host",
            "sed -f -",
            "sed e",
            "socat - x",
            "swift -",
            "redis-cli",
            "git fast-import",
            "git apply",
            "git --no-pager am",
            "bash",
            "python3",
            "node",
            "npm exec node",
            "xargs rm",
            "unknown-program",
            "sort --files0-from=-",
            "git update-ref --stdin",
            "cat -",
            "env",
            "sudo ls",
        ] {
            assert!(!data(line), "{line}");
        }
        assert!(!treats_input_as_data(&[Some("git"), None]), "a word that is not known may name it");
        assert!(!treats_input_as_data(&[]), "no program");
    }
}
