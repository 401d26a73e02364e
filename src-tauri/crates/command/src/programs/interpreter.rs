//! Interpreters: which script they run, and when they run code that is not in a file.

use super::family;
use crate::call::{Arg, Call, Feed};
use crate::escape;
use crate::peel::{Grammar, parse};

/// How an interpreter is called.
struct Interpreter {
    names: &'static [&'static str],
    grammar: Grammar,
    /// Options whose value is code, or a module that runs before the script.
    code: &'static [&'static str],
    /// Options with which it runs nothing.
    asks: &'static [&'static str],
}

const NONE: Grammar = Grammar { flags: "", values: "", optional: "", long_flags: &[], long_values: &[] };
const ASKS: &[&str] = &["-V", "--version", "--help", "-h"];

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &["python", "pythonw", "pypy"],
        grammar: Grammar { flags: "bBdEhIOPqsSuvVx", values: "cm", long_flags: &["version", "help"], ..NONE },
        code: &["-c", "-m"],
        asks: ASKS,
    },
    Interpreter {
        names: &["node", "nodejs"],
        grammar: Grammar {
            flags: "hvc",
            values: "epr",
            long_flags: &[
                "version",
                "help",
                "check",
                "no-warnings",
                "trace-warnings",
                "enable-source-maps",
                "max-old-space-size",
            ],
            long_values: &["eval", "print", "require", "import", "loader"],
            ..NONE
        },
        code: &["-e", "-p", "-r", "--eval", "--print", "--require", "--import", "--loader"],
        asks: &["-v", "--version", "--help", "-h"],
    },
    Interpreter {
        names: &["ruby"],
        grammar: Grammar { flags: "wvhdUcnplas", values: "eIrEC", long_flags: &["version", "help"], ..NONE },
        code: &["-e", "-r", "-I", "-C", "-n", "-p", "-s"],
        asks: &["-v", "--version", "--help", "-h"],
    },
    Interpreter {
        names: &["perl"],
        grammar: Grammar { flags: "cwWtTUXvhnplas0", values: "eEIF", optional: "mMi", ..NONE },
        code: &["-e", "-E", "-m", "-M", "-I", "-n", "-p", "-i", "-s"],
        asks: &["-v", "-h"],
    },
    Interpreter {
        names: &["php"],
        grammar: Grammar { flags: "hvnql", values: "rBREdcz", long_flags: &["version", "help"], ..NONE },
        code: &["-r", "-B", "-R", "-E", "-d", "-c", "-z"],
        asks: &["-v", "-h", "--version", "--help", "-l"],
    },
    Interpreter {
        names: &["lua", "luajit"],
        grammar: Grammar { flags: "vEW", values: "el", ..NONE },
        code: &["-e", "-l"],
        asks: &["-v"],
    },
    Interpreter {
        names: &["osascript"],
        grammar: Grammar { values: "el", ..NONE },
        code: &["-e"],
        asks: &[],
    },
    Interpreter {
        names: &["tclsh", "expect", "rscript"],
        grammar: Grammar { values: "ce", ..NONE },
        code: &["-c", "-e"],
        asks: &[],
    },
];

/// Looks for the script of an interpreter (index into the argv), and notes code that is given otherwise.
pub(super) fn look(call: &mut Call) -> Option<usize> {
    let name = family(call.head().unwrap_or_default());
    if super::class_of(&name) != super::Class::Interpreter {
        return None;
    }
    if matches!(name.as_str(), "awk" | "gawk" | "mawk" | "nawk") {
        return awk(call);
    }
    let Some(kind) = INTERPRETERS.iter().find(|kind| kind.names.contains(&name.as_str())) else {
        if !matches!(call.args.get(1).and_then(Arg::value), Some("--version" | "--help" | "-version")) {
            call.doubt(
                "interpreter",
                format!("`{}` runs code in a way that is not followed", escape::text(&name)),
                Vec::new(),
            );
        }
        return None;
    };
    match parse(&call.args, &kind.grammar) {
        Err(what) => {
            call.doubt("unknown-flag", what, Vec::new());
            None
        }
        Ok(parsed) if parsed.last(kind.code).is_some() => {
            call.doubt(
                "inline-code",
                format!("`{}` is given code in its arguments", escape::text(&name)),
                Vec::new(),
            );
            advise(call, "write the code to a file and run that");
            None
        }
        Ok(parsed) if parsed.last(kind.asks).is_some() => None,
        Ok(parsed) => script(call, parsed.operand),
    }
}

fn script(call: &mut Call, operand: usize) -> Option<usize> {
    match call.args.get(operand).map(Arg::value) {
        Some(Some(path)) if path != "-" && !path.starts_with("/dev/") => Some(operand),
        Some(None) => {
            call.doubt("inline-code", "which script runs is known only at run time", Vec::new());
            None
        }
        Some(Some(_)) | None => {
            let what = if call.feed == Feed::Inherited {
                "reads code from its input"
            } else {
                "is fed code on its input"
            };
            call.doubt("inline-code", what, Vec::new());
            advise(call, "write the code to a file and run that");
            None
        }
    }
}

fn advise(call: &mut Call, advice: &str) {
    if let Some(opaque) = &mut call.opaque {
        opaque.advice.get_or_insert_with(|| advice.to_owned());
    }
}

/// awk's program is code too, but most of it only prints columns.
fn awk(call: &mut Call) -> Option<usize> {
    const AWK: Grammar = Grammar {
        values: "Fvf",
        long_flags: &["version", "help"],
        long_values: &["file", "assign", "field-separator"],
        ..NONE
    };
    let parsed = match parse(&call.args, &AWK) {
        Ok(parsed) => parsed,
        Err(what) => {
            call.doubt("unknown-flag", what, Vec::new());
            return None;
        }
    };
    if let Some(file) = parsed.last(&["-f", "--file"]) {
        return call
            .args
            .get(file.at + 1)
            .and_then(Arg::value)
            .filter(|path| Some(*path) == file.value.as_deref())
            .map(|_| file.at + 1);
    }
    let program = call.args.get(parsed.operand).and_then(Arg::value);
    if !program.is_some_and(super::scripts::awk_only_prints) {
        call.doubt("inline-code", "this awk program can run commands or write files", Vec::new());
    }
    None
}
