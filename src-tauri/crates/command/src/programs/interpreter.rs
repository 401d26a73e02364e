//! Interpreters: which script they run, and when they run code that is not in a file.

use super::{awk, family};
use crate::call::{Arg, Call, Feed};
use crate::peel::{guess, parse};
use crate::{ArgEffect, Note, Unparsed, UnsafeArg};

/// How an interpreter is called.
pub(super) struct Interpreter {
    pub(super) names: &'static [&'static str],
    options: &'static str,
    /// Options whose value is code, or a module that runs before the script.
    code: &'static str,
    /// Options whose value names code that a rule can name too (`python -m pytest`): a way out.
    named: &'static str,
    /// Options with which it runs nothing.
    asks: &'static str,
    /// Options whose value is the script (`java -jar`).
    script: &'static str,
    /// Where the options are documented.
    pub(super) source: &'static str,
}

const BASE: Interpreter = Interpreter {
    names: &[],
    options: "",
    code: "",
    named: "",
    asks: "-h --help --version",
    script: "",
    source: "",
};

pub(super) const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &["python", "pythonw", "pypy"],
        options: "-b -B -d -E -h -I -O -P -q -s -S -u -v -V -x -c: -m: --version --help",
        code: "-c",
        named: "-m",
        asks: "-V --version --help -h",
        source: "python(1); -X and -W load modules, -i reads more code",
        ..BASE
    },
    Interpreter {
        names: &["node", "nodejs"],
        options: "-h -v -c -e: -p: -r: --version --help --check --no-warnings --trace-warnings --enable-source-maps \
                  --max-old-space-size: --stack-size: --eval: --print: --require: --import: --loader: --test --run: \
                  --no-deprecation --trace-deprecation --throw-deprecation --unhandled-rejections: --trace-uncaught \
                  --preserve-symlinks --test-name-pattern: --test-reporter: --test-only --expose-gc",
        code: "-e -p -r --eval --print --require --import --loader",
        named: "--test --run --test-reporter",
        asks: "-v --version --help -h",
        source: "node(1): -r, --import and --loader load code, --env-file sets NODE_OPTIONS",
        ..BASE
    },
    Interpreter {
        names: &["ruby", "jruby"],
        options: "-w -v -h -d -U -c -n -p -l -a -s -e: -I: -r: -E: -C: --version --help",
        code: "-e -r -I -C -n -p -s",
        asks: "-v --version --help -h",
        source: "ruby(1)",
        ..BASE
    },
    Interpreter {
        names: &["perl"],
        options: "-c -w -W -t -T -U -X -v -h -n -p -l -a -s -0 -e: -E: -I: -F: -m? -M? -i?",
        code: "-e -E -m -M -I -n -p -i -s",
        asks: "-v -h",
        source: "perlrun(1)",
        ..BASE
    },
    Interpreter {
        names: &["php"],
        options: "-h -v -n -q -l -r: -B: -R: -E: -d: -c: -z: -S: -f: --version --help",
        code: "-r -B -R -E -d -c -z -S",
        asks: "-v -h --version --help -l",
        script: "-f",
        source: "php(1); GTFOBins php",
        ..BASE
    },
    Interpreter {
        names: &["lua", "luajit"],
        options: "-v -E -W -e: -l:",
        code: "-e -l",
        asks: "-v",
        source: "lua(1)",
        ..BASE
    },
    Interpreter {
        names: &["osascript"],
        options: "-e: -l:",
        code: "-e",
        asks: "",
        source: "osascript(1)",
        ..BASE
    },
    Interpreter {
        names: &["tclsh", "expect", "rscript", "wish"],
        options: "-c: -e:",
        code: "-c -e",
        asks: "",
        source: "tclsh(1), expect(1), Rscript(1)",
        ..BASE
    },
    Interpreter {
        names: &["tsx", "ts-node"],
        options: "-v -h --version --help -T --transpile-only",
        asks: "-v -h --version --help",
        source: "tsx, ts-node: their documentation; -e is code, -r and --import load it, --tsconfig names plugins",
        ..BASE
    },
    Interpreter {
        names: &["java"],
        options: "-jar: -version --version -help --help",
        asks: "-version --version -help --help",
        script: "-jar",
        source: "java(1): -javaagent, -agentlib, -cp, @FILE and JDK_JAVA_OPTIONS load code",
        ..BASE
    },
    Interpreter {
        names: &[
            "julia", "elixir", "escript", "groovy", "guile", "racket", "raku", "runghc", "scala", "octave",
            "qjs", "pypy3",
        ],
        options: "--version --help -v -h",
        asks: "--version --help -v -h",
        source: "their own help: any other option is not followed",
        ..BASE
    },
];

/// Looks for the script of an interpreter (index into the argv), and notes code that is given otherwise. A way out, where a
/// rule can name the code.
pub(super) fn look(call: &mut Call) -> (Option<usize>, Option<UnsafeArg>) {
    let name = family(call.head().unwrap_or_default());
    if super::class_of(&name) != super::Class::Interpreter {
        return (None, None);
    }
    if matches!(name.as_str(), "awk" | "gawk" | "mawk" | "nawk") {
        // Whoever allows awk allows a program that prints columns, which is read; what a file holds is not.
        let file = awk_program(call);
        let note = "runs the awk program in this file";
        let runs = file.map(|at| UnsafeArg::noted(at, ArgEffect::Code, note));
        // gawk(1): a special file name. One that is written out is as much a word as another.
        let connects = || {
            call.args.iter().position(|arg| {
                arg.start.starts_with("/inet") || arg.value().is_some_and(|word| word.starts_with("/inet"))
            })
        };
        return (
            file,
            runs.or_else(|| {
                connects().map(|at| UnsafeArg::noted(at, ArgEffect::Sends, "connects to another machine"))
            }),
        );
    }
    let Some(kind) = INTERPRETERS.iter().find(|kind| kind.names.contains(&name.as_str())) else {
        if !matches!(call.args.get(1).and_then(Arg::value), Some("--version" | "--help" | "-version")) {
            let guess = guess::behind(call, 1);
            let what = Note::about("", name, " runs code in a way that is not followed");
            call.doubt(Unparsed::Interpreter, what, guess);
        }
        return (None, None);
    };
    let parsed = match parse(&call.args, kind.options) {
        Ok(parsed) => parsed,
        Err(what) => {
            call.doubt(Unparsed::UnknownFlag, what, Vec::new());
            return (None, None);
        }
    };
    if parsed.last(kind.code).is_some() {
        let what = Note::about("", name, " is given code in its arguments");
        call.doubt(Unparsed::InlineCode, what, Vec::new());
        advise(call, "write the code to a file and run that");
        return (None, None);
    }
    if parsed.last(kind.asks).is_some() {
        return (None, None);
    }
    if let Some(given) = parsed.last(kind.named) {
        // The value names the code: a rule has to name it, not only the option.
        return (None, Some(UnsafeArg::named(given.value_at, ArgEffect::NamedCode, &given.name)));
    }
    if let Some(given) = parsed.last(kind.script) {
        return (script(call, given.value_at), None);
    }
    let source = call.args.get(parsed.operand).and_then(Arg::value);
    if name == "java"
        && source.is_some_and(|file| file.rsplit_once('.').is_none_or(|(_, kind)| kind != "java"))
    {
        call.doubt(Unparsed::InlineCode, "which class runs is decided by what java finds", Vec::new());
        return (None, None);
    }
    (script(call, parsed.operand), None)
}

fn script(call: &mut Call, operand: usize) -> Option<usize> {
    match call.args.get(operand).map(Arg::value) {
        Some(Some(path)) if path != "-" && !path.starts_with("/dev/") && !path.starts_with("/proc/") => {
            Some(operand)
        }
        Some(None) => {
            call.doubt(Unparsed::InlineCode, "which script runs is known only at run time", Vec::new());
            None
        }
        Some(Some(_)) | None => {
            let what = if call.feed == Feed::Inherited {
                "reads code from its input"
            } else {
                "is fed code on its input"
            };
            call.doubt(Unparsed::InlineCode, what, Vec::new());
            advise(call, "write the code to a file and run that");
            None
        }
    }
}

fn advise(call: &mut Call, advice: &'static str) {
    if let Some(opaque) = &mut call.opaque {
        opaque.advise(advice);
    }
}

/// awk's program is code too, but most of it only prints columns.
fn awk_program(call: &mut Call) -> Option<usize> {
    const AWK: &str = "-F: -v: -f: -S -P -c -r -b -M --version --help --file: --assign: --field-separator: --posix --sandbox \
                       --traditional --re-interval --bignum --csv -k --lint? -t";
    let parsed = match parse(&call.args, AWK) {
        Ok(parsed) => parsed,
        Err(what) => {
            call.doubt(Unparsed::UnknownFlag, what, Vec::new());
            return None;
        }
    };
    let files: Vec<_> =
        parsed.given.iter().filter(|given| matches!(given.name.as_str(), "-f" | "--file")).collect();
    match files.as_slice() {
        [] => {}
        [file] if file.value_at > file.at => return script(call, file.value_at),
        _ => {
            call.doubt(
                Unparsed::InlineCode,
                "awk is given its program in several files, or in a way that is not followed",
                Vec::new(),
            );
            return None;
        }
    }
    if parsed.last("--version --help").is_some() {
        return None;
    }
    let program = call.args.get(parsed.operand).and_then(Arg::value);
    if !program.is_some_and(awk::only_prints) {
        // What it runs stands in quotes: `system("rm x")`.
        let texts = program.unwrap_or_default().split('"').skip(1).step_by(2);
        let guess = texts.flat_map(guess::in_text).collect();
        call.doubt(Unparsed::InlineCode, "this awk program can run commands or write files", guess);
    }
    None
}
