//! Shells inside a call: `sh -c TEXT`, `eval TEXT`, `su -c TEXT`, scripts, and text on standard input.

use super::{guess, inner_call, read_inner};
use crate::call::{Arg, CommandCall, Feed, ParseResults};
use crate::invocation::{GivenOption, unknown_option};
use crate::programs::{family_of, runs_no_script};
use crate::shell::TextPosition;
use crate::{CandidateCommand, Dialect, Note, Power, Role, Unparsed, UnparsedSpan};

/// Letters that shells share and that neither run anything nor export what the text sets.
const LETTERS: &str = "befhlmnptuvxBCEHPTdgqrs";
const LONG: &[&str] = &[
    "login", "norc", "noprofile", "posix", "version", "help", "verbose", "no-rcs", "noediting", "restricted",
];
/// Names after `-o` that only make a shell stricter, or let it tell what it does.
const NAMED: &[&str] = &[
    "errexit", "nounset", "pipefail", "xtrace", "noglob", "noclobber", "verbose", "posix", "err_exit",
    "no_unset", "pipe_fail",
];

/// Words with which csh, fish or another shell begins something that is no program.
const KEYWORDS: &[&str] = &[
    "and", "or", "not", "begin", "end", "if", "else", "switch", "case", "for", "foreach", "while", "repeat",
    "function", "set", "setenv", "unsetenv", "abbr", "bind", "builtin", "command", "eval", "exec", "source",
    "alias", "funced", "emit", "trap", "time", "nice", "nohup", "onintr", "goto", "complete", "string",
    "math", "use", "let", "var", "fn", "try", "def", "do", "at", "sched", "where", "which", "notify",
    "limit", "hup", "status", "history", "read",
];

/// Adds what a shell would run.
pub(super) fn add_shell(mut call: CommandCall, found: &mut ParseResults) {
    let shell = family_of(call.program_name().unwrap_or_default());
    let dialect = match &*shell {
        "bash" | "rbash" => Dialect::Bash,
        "zsh" | "rzsh" => Dialect::Zsh,
        "sh" | "dash" | "ash" => Dialect::Posix,
        // Words without anything special mean the same in every shell.
        "ksh" | "mksh" | "yash" | "fish" | "csh" | "tcsh" | "osh" if plain_text(&call).is_some() => {
            Dialect::Posix
        }
        _ => {
            return refuse_text(
                call,
                Unparsed::Shell,
                "it runs a shell whose language Postern doesn’t know",
                found,
            );
        }
    };
    let options = match ShellOptions::from_args(&call.args) {
        Ok(options) => options,
        Err(what) => return refuse_text(call, Unparsed::UnknownFlag, what, found),
    };
    if options.asks {
        return found.steps.push(call.into_step(Role::Program));
    }
    match (options.command, call.args.get(options.operand).cloned()) {
        (true, Some(text)) => place_text(call, &text, &options, dialect, found),
        (false, Some(script)) if !options.stdin && !script.known_value().is_some_and(is_stream) => {
            let runs = !runs_no_script(&call);
            let mut step = call.into_step(Role::Program);
            step.script = script.known_value().filter(|_| runs).map(|_| options.operand);
            if runs && step.script.is_none() {
                let what = "which script runs is known only at run time";
                let span = step.span.clone();
                step.opaque.get_or_insert_with(|| UnparsedSpan::new(Unparsed::InlineCode, what, span));
            }
            found.steps.push(step);
        }
        (_, _) => {
            let guess = match &call.feed {
                Feed::Text(text) => guess::in_text(text),
                Feed::Inherited | Feed::Unknown => Vec::new(),
            };
            call.add_doubt(Unparsed::ShellInput, "the shell runs what comes on its input", guess);
            call.advise("give the commands directly");
            found.steps.push(call.into_step(Role::Program));
        }
    }
}

/// Returns true for the path of a shell's standard input (`bash /dev/stdin`, `sh /proc/self/fd/0`).
fn is_stream(path: &str) -> bool {
    let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    path.starts_with('/') && parts.next().is_some_and(|first| first == "dev" || first == "proc")
}

/// Reads the text of `-c`, with the words after it as its parameters.
fn place_text(
    call: CommandCall,
    text: &Arg,
    options: &ShellOptions,
    dialect: Dialect,
    found: &mut ParseResults,
) {
    let Some(value) = text.known_value() else { return refuse_unknown(call, text, found) };
    let rest: Option<Vec<String>> =
        call.args.iter().skip(options.operand + 1).map(|arg| arg.known_value().map(str::to_owned)).collect();
    let shell = family_of(call.program_name().unwrap_or_default());
    let parameters = rest.map(|rest| if rest.is_empty() { vec![shell.into_owned()] } else { rest });
    let at = TextPosition::of_value(&text.word.raw, value, &text.span);
    read_or_alone(call, options.operand + 1, Power::Transparent, found, |outer, found| {
        read_inner(outer, value, at, dialect, parameters, found);
    });
}

/// Reads the text behind a call's words. Of a text without a command (`sh -c ''`, `watch '# x'`) the call itself is all that
/// runs.
fn read_or_alone(
    call: CommandCall,
    words: usize,
    power: Power,
    found: &mut ParseResults,
    read: impl FnOnce(&CommandCall, &mut ParseResults),
) {
    let before = (found.steps.len(), found.opaque.len());
    let alone = call.clone();
    read(&inner_call(call, words, power), found);
    if before == (found.steps.len(), found.opaque.len()) {
        let builtin = alone.shell.is_some() && alone.program_name() == Some("eval");
        found.steps.push(alone.into_step(if builtin { Role::HarmlessBuiltin } else { Role::Program }));
    }
}

/// The options that shells share.
struct ShellOptions {
    command: bool,
    stdin: bool,
    asks: bool,
    operand: usize,
}

impl ShellOptions {
    fn from_args(args: &[Arg]) -> Result<Self, Note> {
        let mut options = Self { command: false, stdin: false, asks: false, operand: 1 };
        while let Some(arg) = args.get(options.operand) {
            let Some(value) = arg.known_value() else {
                if arg.dash {
                    return Err("an option is known only at run time".into());
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
                if !LONG.contains(&long) {
                    return Err(unknown_option(value));
                }
                options.asks |= matches!(long, "version" | "help");
                continue;
            }
            options.letters(value.get(1..).unwrap_or_default(), args)?;
        }
        Ok(options)
    }

    fn letters(&mut self, cluster: &str, args: &[Arg]) -> Result<(), Note> {
        for letter in cluster.chars() {
            match letter {
                'c' => self.command = true,
                's' => self.stdin = true,
                'o' => {
                    let named = args.get(self.operand).and_then(Arg::known_value);
                    if !named.is_some_and(|name| NAMED.contains(&name)) {
                        return Err("`-o` has a value that Postern doesn’t know".into());
                    }
                    self.operand += 1;
                }
                letter if LETTERS.contains(letter) => {}
                _ => return Err(unknown_option(&format!("-{letter}"))),
            }
        }
        Ok(())
    }
}

/// Returns the text of `-c`, where it holds nothing that any shell reads in a way of its own.
fn plain_text(call: &CommandCall) -> Option<&str> {
    let [_, flag, text] = call.args.as_slice() else { return None };
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@,+ ".contains(c);
    let text =
        text.known_value().filter(|text| text.chars().all(plain) && !text.starts_with(['-', '+', ' ']))?;
    let word = text.split(' ').next().unwrap_or_default();
    // csh and fish have words of their own where other shells look for a program.
    let looked_up = word.contains(['/', '.']) || !KEYWORDS.contains(&word);
    (flag.known_value() == Some("-c") && looked_up).then_some(text)
}

/// Refuses to follow a text. Deny rules see its words.
fn refuse_text(mut call: CommandCall, code: Unparsed, what: impl Into<Note>, found: &mut ParseResults) {
    let texts = call.args.iter().skip(1).map(|arg| arg.known_value().unwrap_or(&arg.word.raw));
    let mut guess: Vec<CandidateCommand> = texts.flat_map(guess::in_text).collect();
    if let Feed::Text(text) = &call.feed {
        guess.extend(guess::in_text(text));
    }
    call.add_doubt(code, what, guess);
    found.steps.push(call.into_step(Role::Program));
}

/// Refuses a text with parts that are known only at run time: deny rules see the rest of it.
fn refuse_unknown(mut call: CommandCall, text: &Arg, found: &mut ParseResults) {
    let raw = text.word.raw.trim_matches(['"', '\'']);
    let guess = guess::in_text(raw);
    call.add_doubt(Unparsed::InlineCode, "the text that the shell runs is known only at run time", guess);
    found.steps.push(call.into_step(Role::Program));
}

/// Words that a shell joins and reads again (`eval`, `watch`).
pub(super) fn place_joined(call: CommandCall, start: usize, dialect: Dialect, found: &mut ParseResults) {
    let words: Option<Vec<&str>> =
        call.args.get(start..).unwrap_or_default().iter().map(Arg::known_value).collect();
    let Some(text) = words.map(|words| words.join(" ")) else {
        return refuse_text(call, Unparsed::Eval, "the text that it runs is known only at run time", found);
    };
    let at = match call.args.get(start..) {
        Some([only]) => TextPosition::of_value(&only.word.raw, &text, &only.span),
        _ => TextPosition { base: None, whole: call.span.clone() },
    };
    let count = call.args.len();
    read_or_alone(call, count, Power::Transparent, found, |outer, found| {
        read_inner(outer, &text, at, dialect, None, found);
    });
}

/// Reads `trap TEXT SIGNAL…`: the text runs later, in a folder of which only the call's is known.
pub(super) fn place_trap(mut call: CommandCall, found: &mut ParseResults) {
    let first = usize::from(call.args.get(1).and_then(Arg::known_value) == Some("--")) + 1;
    let handler = call.args.get(first).cloned();
    match handler.as_ref().map(Arg::known_value) {
        None | Some(Some("-" | "" | "-l" | "-p")) => {
            return found.steps.push(call.into_step(Role::HarmlessBuiltin));
        }
        Some(None) => {
            return refuse_text(
                call,
                Unparsed::Eval,
                "the text that it runs is known only at run time",
                found,
            );
        }
        Some(Some(_)) => {}
    }
    let dialect = call.shell.unwrap_or(Dialect::Bash);
    let outer = call.clone();
    let count = outer.args.len();
    let outer = inner_call(outer, count, Power::Transparent);
    if let Some((arg, text)) = handler.as_ref().and_then(|arg| Some((arg, arg.known_value()?))) {
        read_inner(
            &outer,
            text,
            TextPosition::of_value(&arg.word.raw, text, &arg.span),
            dialect,
            None,
            found,
        );
    }
    call.feed = Feed::Inherited;
    found.steps.push(call.into_step(Role::HarmlessBuiltin));
}

/// Reads the value of an option, which the wrapper hands to `sh`.
pub(super) fn place_value(
    call: CommandCall,
    given: &GivenOption<'_>,
    power: Power,
    found: &mut ParseResults,
) {
    let Some(text) = given.value else {
        return refuse_text(
            call,
            Unparsed::InlineCode,
            "the text that a shell runs is known only at run time",
            found,
        );
    };
    let arg = &call.args[given.value_at];
    let at = TextPosition::of_value(&arg.word.raw, text, &arg.span);
    let count = call.args.len();
    read_or_alone(call, count, power, found, |outer, found| {
        read_inner(outer, text, at, Dialect::Posix, None, found);
    });
}
