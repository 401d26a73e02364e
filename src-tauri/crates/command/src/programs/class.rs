//! What kind of program a name stands for: whether it runs other code by itself.

/// What kind of program a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Does its own work.
    Ordinary,
    /// Runs shell text.
    Shell,
    /// Runs code in a language of its own.
    Interpreter,
    /// Runs another program that is named in its arguments.
    Wrapper,
    /// Many programs in one file, told apart by name (`busybox`).
    Multicall,
}

/// The class of a program by its base name. Case, directories and version suffixes do not matter (`/BIN/Python3.12`).
pub fn class_of(name: &str) -> Class {
    let family = family(name);
    match family.as_str() {
        name if SHELLS.contains(&name) => Class::Shell,
        name if INTERPRETERS.contains(&name) => Class::Interpreter,
        name if WRAPPERS.contains(&name) => Class::Wrapper,
        "busybox" | "toybox" | "coreutils" => Class::Multicall,
        _ => Class::Ordinary,
    }
}

/// The base name in lower case, without a version suffix (`python3.12` is `python`) and without the `g` that Homebrew puts
/// before GNU tools.
pub(crate) fn family(name: &str) -> String {
    let base = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let base = base.strip_suffix(".exe").unwrap_or(&base);
    let known = |name: &str| SHELLS.contains(&name) || INTERPRETERS.contains(&name);
    let unversioned = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if known(unversioned) {
        return unversioned.to_owned();
    }
    match base.strip_prefix('g') {
        Some(plain) if GNU.contains(&plain) => plain.to_owned(),
        _ => base.to_owned(),
    }
}

const SHELLS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash", "rzsh", "nu", "pwsh",
    "elvish", "xonsh", "oil", "osh", "yash",
];

const INTERPRETERS: &[&str] = &[
    "python",
    "pythonw",
    "pypy",
    "node",
    "nodejs",
    "tsx",
    "ts-node",
    "ruby",
    "irb",
    "jruby",
    "perl",
    "php",
    "lua",
    "luajit",
    "osascript",
    "tclsh",
    "wish",
    "expect",
    "rscript",
    "r",
    "julia",
    "guile",
    "racket",
    "ghci",
    "runghc",
    "java",
    "jshell",
    "scala",
    "groovy",
    "elixir",
    "iex",
    "erl",
    "escript",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "jjs",
    "qjs",
    "ipython",
    "raku",
    "octave",
    "gdb",
    "lldb",
    "automator",
    "jxa",
    "dc",
    "ed",
    "ex",
    "vi",
    "vim",
    "nvim",
    "emacs",
    "m4",
];

const WRAPPERS: &[&str] = &[
    "env",
    "sudo",
    "doas",
    "su",
    "nohup",
    "nice",
    "ionice",
    "time",
    "timeout",
    "stdbuf",
    "setsid",
    "xargs",
    "caffeinate",
    "arch",
    "xcrun",
    "command",
    "exec",
    "builtin",
    "parallel",
    "flock",
    "watch",
    "script",
    "sandbox-exec",
    "chroot",
    "unshare",
    "nsenter",
    "chrt",
    "taskset",
    "strace",
    "ltrace",
    "dtruss",
    "valgrind",
    "unbuffer",
    "rlwrap",
    "torsocks",
    "proxychains",
    "proxychains4",
    "firejail",
    "bwrap",
    "systemd-run",
    "systemd-inhibit",
    "runuser",
    "setpriv",
    "pkexec",
    "gosu",
    "su-exec",
    "tini",
    "dumb-init",
    "direnv",
    "dotenv",
    "entr",
    "fakeroot",
    "faketime",
    "cpulimit",
    "prlimit",
    "setarch",
    "linux32",
    "linux64",
    "dbus-run-session",
    "xvfb-run",
    "at",
    "batch",
    "crontab",
    "ssh-agent",
    "op",
    "aws-vault",
    "chpst",
    "softlimit",
    "envdir",
    "setuidgid",
    "eval",
    "noglob",
    "nocorrect",
    "repeat",
    "coproc",
    "reattach-to-user-namespace",
    "watchexec",
    "hyperfine",
    "perf",
    "gtimeout",
    "ltrace",
    "sg",
    "newgrp",
    "login",
    "screen",
    "tmux",
    "trap",
    "posix-time",
];

/// GNU tools that Homebrew installs with a leading `g`.
const GNU: &[&str] = &[
    "env", "nice", "nohup", "timeout", "stdbuf", "xargs", "find", "sort", "tar", "sed", "awk", "date",
    "time", "split", "tee", "dd", "cp", "mv", "rm", "ls", "cat", "head", "tail", "chmod", "chown", "ln",
    "mkdir", "install", "make", "grep", "shuf", "uniq", "wc",
];

#[cfg(test)]
mod tests {
    use super::{Class, class_of};

    #[test]
    fn spelling_does_not_change_the_class() {
        for (name, class) in [
            ("/bin/bash", Class::Shell),
            ("ZSH", Class::Shell),
            ("/usr/local/bin/python3.12", Class::Interpreter),
            ("perl5.34", Class::Interpreter),
            ("/opt/homebrew/bin/gtimeout", Class::Wrapper),
            ("env", Class::Wrapper),
            ("busybox", Class::Multicall),
            ("git", Class::Ordinary),
            ("gsort", Class::Ordinary),
        ] {
            assert_eq!(class_of(name), class, "{name}");
        }
    }
}
