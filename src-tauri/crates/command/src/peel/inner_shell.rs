//! Shells inside a call: `sh -c TEXT`, `eval TEXT`, `su -c TEXT`, scripts, and text on standard input.

use super::options::{Grammar, parse};
use super::{finish, inner, read_inner, refuse};
use crate::call::{Arg, Call, Feed, Found};
use crate::programs::family;
use crate::shell::{Place, candidates};
use crate::{Dialect, Power, Role};

const SHELL: Grammar = Grammar {
    flags: "abefhklmnptuvxBCEHPTdgqrs",
    values: "",
    optional: "",
    long_flags: &["login", "norc", "noprofile", "posix", "version", "help", "verbose", "no-rcs", "noediting"],
    long_values: &[],
};

/// Adds what a shell would run.
pub(super) fn place(mut call: Call, found: &mut Found) {
    let shell = family(call.head().unwrap_or_default());
    let dialect = match shell.as_str() {
        "bash" | "rbash" => Dialect::Bash,
        "zsh" | "rzsh" => Dialect::Zsh,
        "sh" | "dash" | "ash" => Dialect::Posix,
        _ => return refuse_text(call, "shell", "a shell whose grammar is not followed", found),
    };
    let options = match Options::of(&call.args) {
        Ok(options) => options,
        Err(what) => return refuse_text(call, "unknown-flag", &what, found),
    };
    if options.asks {
        return found.steps.push(call.into_step(Role::Program));
    }
    match (options.command, call.args.get(options.operand).cloned()) {
        (true, Some(text)) => {
            let Some(value) = text.value().map(str::to_owned) else {
                return refuse_text(
                    call,
                    "inline-code",
                    "the text that the shell runs is known only at run time",
                    found,
                );
            };
            let rest: Option<Vec<String>> =
                call.args.iter().skip(options.operand + 1).map(|a| a.value().map(str::to_owned)).collect();
            let parameters = rest.map(|rest| if rest.is_empty() { vec![shell.clone()] } else { rest });
            let at = Place::of_value(&text.word.raw, &value, &text.span);
            let outer = inner(call, options.operand + 1, Power::Transparent);
            read_inner(&outer, &value, at, dialect, parameters, found);
        }
        (false, Some(script)) if !options.stdin => {
            let mut step = call.into_step(Role::Program);
            step.script = script.value().map(|_| options.operand);
            if step.script.is_none() {
                let what = "which script runs is known only at run time".to_owned();
                let span = step.span.clone();
                step.opaque.get_or_insert(crate::Opaque {
                    code: "inline-code",
                    what,
                    advice: None,
                    span,
                    candidates: Vec::new(),
                });
            }
            found.steps.push(step);
        }
        (_, _) => {
            let guess = match &call.feed {
                Feed::Text(text) => candidates(text),
                Feed::Inherited | Feed::Unknown => Vec::new(),
            };
            call.doubt("shell-input", "a shell that reads its commands from its input", guess);
            let call = call.advise("give the commands directly");
            found.steps.push(call.into_step(Role::Program));
        }
    }
}

/// The options that shells share.
struct Options {
    command: bool,
    stdin: bool,
    asks: bool,
    operand: usize,
}

impl Options {
    fn of(args: &[Arg]) -> Result<Self, String> {
        let mut options = Self { command: false, stdin: false, asks: false, operand: 1 };
        while let Some(arg) = args.get(options.operand) {
            let Some(value) = arg.value() else {
                if arg.dash {
                    return Err("an option that is known only at run time".to_owned());
                }
                break;
            };
            if matches!(value, "--" | "-") {
                options.operand += 1;
                break;
            }
            if !value.starts_with(['-', '+']) {
                break;
            }
            options.operand += 1;
            if let Some(long) = value.strip_prefix("--") {
                if !SHELL.long_flags.contains(&long) {
                    return Err(super::options::unknown(value));
                }
                options.asks |= matches!(long, "version" | "help");
                continue;
            }
            options.letters(value.get(1..).unwrap_or_default(), args)?;
        }
        Ok(options)
    }

    fn letters(&mut self, cluster: &str, args: &[Arg]) -> Result<(), String> {
        for letter in cluster.chars() {
            match letter {
                'c' => self.command = true,
                's' => self.stdin = true,
                'o' => {
                    let named = args.get(self.operand).and_then(Arg::value);
                    if !named.is_some_and(|name| {
                        matches!(name, "errexit" | "nounset" | "pipefail" | "xtrace" | "noglob")
                    }) {
                        return Err("the option `-o` with something that is not known here".to_owned());
                    }
                    self.operand += 1;
                }
                letter if SHELL.flags.contains(letter) && letter != 'k' && letter != 'a' => {}
                _ => return Err(super::options::unknown(&format!("-{letter}"))),
            }
        }
        Ok(())
    }
}

/// Not followed, but deny rules see what stands in its words.
fn refuse_text(mut call: Call, code: &'static str, what: &str, found: &mut Found) {
    let guess = call.args.iter().skip(1).filter_map(Arg::value).flat_map(candidates).collect();
    call.doubt(code, what, guess);
    found.steps.push(call.into_step(Role::Program));
}

/// Words that a shell joins and reads again (`eval`, `watch`).
pub(super) fn place_joined(call: Call, start: usize, found: &mut Found) {
    let words: Option<Vec<&str>> =
        call.args.get(start..).unwrap_or_default().iter().map(Arg::value).collect();
    let Some(text) = words.map(|words| words.join(" ")) else {
        return refuse_text(call, "eval", "text that is run is known only at run time", found);
    };
    let dialect = call.shell.unwrap_or(Dialect::Posix);
    let at = match call.args.get(start..) {
        Some([only]) => Place::of_value(&only.word.raw, &text, &only.span),
        _ => Place { base: None, whole: call.span.clone() },
    };
    if text.trim().is_empty() {
        return found.steps.push(call.into_step(Role::HarmlessBuiltin));
    }
    let count = call.args.len();
    let outer = inner(call, count, Power::Transparent);
    read_inner(&outer, &text, at, dialect, None, found);
}

/// `trap TEXT SIGNAL…`: the text runs later; the call's folder is what is known of where the shell then is.
pub(super) fn place_trap(mut call: Call, found: &mut Found) {
    let first = usize::from(call.args.get(1).and_then(Arg::value) == Some("--")) + 1;
    let handler = call.args.get(first).cloned();
    match handler.as_ref().map(Arg::value) {
        None | Some(Some("-" | "" | "-l" | "-p")) => {
            return found.steps.push(call.into_step(Role::HarmlessBuiltin));
        }
        Some(None) => return refuse_text(call, "eval", "text that is run is known only at run time", found),
        Some(Some(_)) => {}
    }
    let dialect = call.shell.unwrap_or(Dialect::Bash);
    let outer = call.clone();
    let count = outer.args.len();
    let outer = inner(outer, count, Power::Transparent);
    if let Some((arg, text)) = handler.as_ref().and_then(|arg| Some((arg, arg.value()?))) {
        read_inner(&outer, text, Place::of_value(&arg.word.raw, text, &arg.span), dialect, None, found);
    }
    call.feed = Feed::Inherited;
    found.steps.push(call.into_step(Role::HarmlessBuiltin));
}

/// `su -c TEXT`, `script FILE PROGRAM…`.
pub(super) fn place_option_text(call: Call, found: &mut Found) {
    const SU: Grammar =
        Grammar { flags: "lm", values: "c", long_flags: &["login"], long_values: &["command"], optional: "" };
    const SCRIPT: Grammar = Grammar {
        flags: "adkpqreF",
        values: "t",
        optional: "",
        long_flags: &["quiet", "append"],
        long_values: &[],
    };
    let su = family(call.head().unwrap_or_default()) == "su";
    let parsed = match parse(&call.args, if su { &SU } else { &SCRIPT }) {
        Ok(parsed) => parsed,
        Err(what) => return refuse_text(call, "unknown-flag", &what, found),
    };
    if su {
        return su_text(call, found);
    }
    let log = call.args.get(parsed.operand).and_then(Arg::value);
    if log != Some("/dev/null") || call.args.len() <= parsed.operand + 1 {
        return refuse(call, "wrapper", "`script` starts a shell, or writes a file", found);
    }
    finish(inner(call, parsed.operand + 1, Power::Transparent), found);
}

/// The text of `su` may stand before or after the user's name.
fn su_text(call: Call, found: &mut Found) {
    let at = call.args.iter().position(|arg| matches!(arg.value(), Some("-c" | "--command" | "-lc" | "-mc")));
    let text = at.and_then(|at| call.args.get(at + 1)).cloned();
    let Some((text, value)) = text.as_ref().and_then(|text| Some((text, text.value()?))) else {
        return refuse_text(call, "shell-input", "a shell of another user", found);
    };
    let count = call.args.len();
    let outer = inner(call, count, Power::Elevated);
    read_inner(
        &outer,
        value,
        Place::of_value(&text.word.raw, value, &text.span),
        Dialect::Posix,
        None,
        found,
    );
}
