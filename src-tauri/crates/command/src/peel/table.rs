//! Wrappers that run the program named by their first operand, with the options that each is known to take.

use super::options::Grammar;
use crate::Power;

/// How a wrapper is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrapper {
    pub(super) names: &'static [&'static str],
    pub(super) power: Power,
    pub(super) grammar: Grammar,
    /// Operands before the program.
    pub(super) operands: usize,
    /// Whether `NAME=value` may stand before the program.
    pub(super) assignments: bool,
    /// Options with which it runs nothing (`command -v`, `sudo -l`).
    pub(super) asks: &'static [&'static str],
    /// Options after which the program is looked up elsewhere.
    pub(super) elsewhere: &'static [&'static str],
}

const NONE: Grammar = Grammar { flags: "", values: "", optional: "", long_flags: &[], long_values: &[] };
const PLAIN: Wrapper = Wrapper {
    names: &[],
    power: Power::Transparent,
    grammar: NONE,
    operands: 0,
    assignments: false,
    asks: &["--help", "--version"],
    elsewhere: &[],
};

/// From the manual pages of GNU coreutils, util-linux, findutils and of macOS.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["env"],
        grammar: Grammar {
            flags: "i0v",
            values: "uCSPLU",
            long_flags: &["ignore-environment", "null", "debug", "help", "version"],
            long_values: &["unset", "chdir", "split-string", "argv0"],
            ..NONE
        },
        assignments: true,
        elsewhere: &["-P", "-L", "-U"],
        ..PLAIN
    },
    Wrapper {
        names: &["sudo"],
        power: Power::Elevated,
        grammar: Grammar {
            flags: "AbBEHknPSNlvVK",
            values: "CDghpRrTtUu",
            long_flags: &[
                "askpass",
                "background",
                "bell",
                "preserve-env",
                "set-home",
                "reset-timestamp",
                "non-interactive",
                "preserve-groups",
                "stdin",
                "no-update",
                "list",
                "validate",
                "version",
                "remove-timestamp",
                "help",
            ],
            long_values: &[
                "close-from",
                "chdir",
                "group",
                "host",
                "prompt",
                "chroot",
                "role",
                "command-timeout",
                "type",
                "other-user",
                "user",
            ],
            ..NONE
        },
        assignments: true,
        asks: &["-l", "-v", "-V", "-K", "--list", "--validate", "--version", "--remove-timestamp", "--help"],
        ..PLAIN
    },
    Wrapper {
        names: &["doas"],
        power: Power::Elevated,
        grammar: Grammar { flags: "nL", values: "aCu", ..NONE },
        asks: &["-L", "-C"],
        ..PLAIN
    },
    Wrapper { names: &["nohup"], grammar: Grammar { long_flags: &["help", "version"], ..NONE }, ..PLAIN },
    Wrapper {
        names: &["nice"],
        grammar: Grammar {
            flags: "0123456789",
            values: "n",
            long_flags: &["help", "version"],
            long_values: &["adjustment"],
            ..NONE
        },
        ..PLAIN
    },
    Wrapper {
        names: &["ionice"],
        grammar: Grammar {
            flags: "t",
            values: "cn",
            long_flags: &["ignore", "help", "version"],
            long_values: &["class", "classdata"],
            ..NONE
        },
        ..PLAIN
    },
    Wrapper {
        names: &["time"],
        grammar: Grammar {
            flags: "palhvq",
            long_flags: &["portability", "verbose", "quiet", "append"],
            ..NONE
        },
        ..PLAIN
    },
    Wrapper {
        names: &["timeout"],
        grammar: Grammar {
            flags: "fpv",
            values: "ks",
            long_flags: &["foreground", "preserve-status", "verbose", "help", "version"],
            long_values: &["kill-after", "signal"],
            ..NONE
        },
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        names: &["stdbuf"],
        grammar: Grammar {
            values: "ioe",
            long_values: &["input", "output", "error"],
            long_flags: &["help", "version"],
            ..NONE
        },
        ..PLAIN
    },
    Wrapper {
        names: &["setsid"],
        grammar: Grammar { flags: "cfw", long_flags: &["ctty", "fork", "wait", "help", "version"], ..NONE },
        ..PLAIN
    },
    Wrapper { names: &["caffeinate"], grammar: Grammar { flags: "disumw", values: "t", ..NONE }, ..PLAIN },
    Wrapper {
        names: &["command"],
        grammar: Grammar { flags: "pvV", ..NONE },
        asks: &["-v", "-V"],
        elsewhere: &["-p"],
        ..PLAIN
    },
    Wrapper { names: &["exec"], grammar: Grammar { flags: "cl", values: "a", ..NONE }, ..PLAIN },
    Wrapper {
        names: &["xcrun"],
        power: Power::Elsewhere,
        grammar: Grammar {
            flags: "vlknrf",
            long_flags: &["verbose", "log", "kill-cache", "no-cache", "run", "find", "help", "version"],
            long_values: &["sdk", "toolchain"],
            ..NONE
        },
        asks: &["-f", "--find", "--help", "--version"],
        ..PLAIN
    },
    Wrapper {
        names: &["xargs"],
        grammar: Grammar {
            flags: "0rtpxo",
            values: "EIJLnPRSsad",
            optional: "eil",
            long_flags: &[
                "null",
                "no-run-if-empty",
                "verbose",
                "interactive",
                "exit",
                "open-tty",
                "show-limits",
                "eof",
                "replace",
                "max-lines",
                "help",
                "version",
            ],
            long_values: &["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
        },
        ..PLAIN
    },
    Wrapper { names: &["sandbox-exec"], grammar: Grammar { values: "fnpDt", ..NONE }, ..PLAIN },
    Wrapper {
        names: &["flock"],
        grammar: Grammar {
            flags: "sxeonuFv",
            values: "wE",
            long_flags: &[
                "shared",
                "exclusive",
                "nonblock",
                "nb",
                "unlock",
                "close",
                "no-fork",
                "verbose",
                "help",
                "version",
            ],
            long_values: &["timeout", "wait", "conflict-exit-code"],
            ..NONE
        },
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        names: &["parallel"],
        grammar: Grammar {
            flags: "ktXmu0",
            values: "jIna",
            long_flags: &[
                "keep-order",
                "verbose",
                "xargs",
                "ungroup",
                "null",
                "bar",
                "progress",
                "dry-run",
                "help",
                "version",
            ],
            long_values: &["jobs", "max-args", "max-procs", "timeout", "retries", "delay", "halt"],
            ..NONE
        },
        ..PLAIN
    },
    Wrapper {
        names: &["watch"],
        grammar: Grammar {
            flags: "bcdegptwxh",
            values: "nq",
            long_flags: &[
                "beep",
                "color",
                "differences",
                "errexit",
                "chgexit",
                "precise",
                "no-title",
                "no-wrap",
                "exec",
                "help",
                "version",
            ],
            long_values: &["interval", "equexit"],
            ..NONE
        },
        ..PLAIN
    },
    Wrapper { names: &["busybox", "toybox"], power: Power::Elsewhere, asks: &["--list", "--help"], ..PLAIN },
    Wrapper { names: &["builtin"], ..PLAIN },
];

pub(super) fn find(family: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&family))
}
