//! From a call to the steps that it really is: builtins judged, wrappers peeled, shells inside read.

mod find_exec;
mod inner_shell;
mod options;
mod table;

pub(crate) use options::{Grammar, Parsed, parse};

use table::Wrapper;

use crate::builtins::{self, Ruling};
use crate::call::{Arg, Call, Feed, Found, Functions};
use crate::programs::{self, Class, class_of, family};
use crate::shell::{DEEPEST, Nest, Place, candidates, read_text};
use crate::{Assignment, Dialect, Dir, Power, Role, Via, Word, environment, escape};

/// Adds the steps that a call stands for.
pub(crate) fn place(mut call: Call, functions: &Functions, found: &mut Found) {
    let function = call.shell.is_some() && call.head().is_some_and(|name| functions.contains_key(name));
    environment::check(&mut call, function);
    let Some(head) = call.args.first() else {
        return found.steps.push(call.into_step(Role::Nothing));
    };
    let Some(name) = head.value().map(str::to_owned) else {
        let raw = head.word.raw.clone();
        let guess =
            if raw.starts_with("~/") { [candidates(&raw), call.suffixes(1)].concat() } else { Vec::new() };
        call.doubt(
            "dynamic-program",
            format!("which program runs is known only at run time: `{}`", escape::text(&raw)),
            guess,
        );
        let call = call.advise("write the program's name out");
        return found.steps.push(call.into_step(Role::Program));
    };
    if name.is_empty()
        || name.starts_with(['-', '=']) && name != "-"
        || !escape::is_visible(&name)
        || call.depth > DEEPEST
    {
        let mut guess = call.suffixes(1);
        guess.extend(call.suffixes(0).into_iter().take(1).map(|mut argv| {
            argv[0] = argv[0].replacen('=', "", 1);
            argv
        }));
        call.doubt("program-name", "the name of the program is unusual", guess);
        return found.steps.push(call.into_step(Role::Program));
    }
    if call.shell.is_some() {
        if let Some(certain) = functions.get(&name) {
            if !certain {
                call.doubt("function", "a function that may not be defined here", Vec::new());
            }
            return found.steps.push(call.into_step(Role::Function));
        }
        match builtins::judge(&call) {
            Ruling::Program => {}
            Ruling::Harmless => return found.steps.push(call.into_step(Role::HarmlessBuiltin)),
            Ruling::Doubt(code, what) => {
                let guess = if code == "environment" { Vec::new() } else { inside_arguments(&call) };
                call.doubt(code, what, guess);
                return found.steps.push(call.into_step(Role::Program));
            }
            Ruling::Runs => return runs(call, &name, found),
        }
    }
    program(call, found);
}

/// A program that was found by name or path, or that a wrapper starts.
fn program(call: Call, found: &mut Found) {
    let name = family(call.head().unwrap_or_default());
    if call.depth > DEEPEST {
        return refuse(call, "too-deep", "wrappers inside wrappers, too deep to follow", found);
    }
    match name.as_str() {
        "find" => find_exec::place(call, found),
        "arch" => arch(call, found),
        "su" | "script" => inner_shell::place_option_text(call, found),
        name => match (table::find(name), class_of(name)) {
            (Some(wrapper), _) => wrapped(call, wrapper, found),
            (None, Class::Shell) => inner_shell::place(call, found),
            (None, Class::Wrapper) => {
                refuse(call, "wrapper", "runs another program in a way that is not followed", found);
            }
            (None, Class::Ordinary | Class::Interpreter | Class::Multicall) => programs::place(call, found),
        },
    }
}

/// The call stays as it is, not understood; what may be run by it is looked at by deny rules.
fn refuse(mut call: Call, code: &'static str, what: impl Into<String>, found: &mut Found) {
    let guess = call.suffixes(1);
    call.doubt(code, what, guess);
    found.steps.push(call.into_step(Role::Program));
}

/// Commands that may stand in the arguments of a builtin (`alias ls=…`, `printf -v 'a[$(…)]'`), or in what it is fed.
fn inside_arguments(call: &Call) -> Vec<Vec<String>> {
    let mut guess = call.suffixes(1);
    for value in call.args.iter().skip(1).filter_map(Arg::value) {
        guess.extend(candidates(value));
        guess.extend(value.split_once('=').map_or_else(Vec::new, |(_, text)| candidates(text)));
    }
    if let Feed::Text(text) = &call.feed {
        guess.extend(candidates(text));
    }
    guess
}

/// Builtins that run what they are given.
fn runs(call: Call, name: &str, found: &mut Found) {
    match name {
        "exec" if call.args.len() == 1 => found.steps.push(call.into_step(Role::Nothing)),
        "eval" => inner_shell::place_joined(call, 1, found),
        "trap" => inner_shell::place_trap(call, found),
        "noglob" | "nocorrect" | "-" => precommand(call, found),
        _ => program(call, found),
    }
}

fn wrapped(call: Call, wrapper: &'static Wrapper, found: &mut Found) {
    let parsed = match options::parse(&call.args, &wrapper.grammar) {
        Ok(parsed) => parsed,
        Err(what) => return refuse(call, "unknown-flag", what, found),
    };
    if wrapper.names[0] == "command" && call.shell.is_some() && parsed.last(wrapper.asks).is_some() {
        return found.steps.push(call.into_step(Role::HarmlessBuiltin));
    }
    if parsed.last(wrapper.asks).is_some() {
        return programs::place(call, found);
    }
    if let Some(split) = parsed.last(&["-S", "--split-string"]).filter(|_| wrapper.names[0] == "env") {
        let (at, text) = (split.at, split.value.clone().unwrap_or_default());
        return split_string(call, at, parsed.operand, &text, found);
    }
    peel(call, wrapper, &parsed, found);
}

fn peel(mut call: Call, wrapper: &'static Wrapper, parsed: &Parsed, found: &mut Found) {
    let kind = wrapper.names[0];
    let mut start = parsed.operand + wrapper.operands;
    if kind == "env" && call.args.get(start).and_then(Arg::value) == Some("-") {
        start += 1;
    }
    while let Some(assignment) = call.args.get(start).filter(|_| wrapper.assignments).and_then(assigned) {
        call.assignments.push(assignment);
        start += 1;
    }
    if start >= call.args.len() {
        let known = matches!(kind, "env" | "xargs" | "time" | "nice" | "caffeinate");
        return if known {
            programs::place(call, found);
        } else {
            refuse(call, "wrapper", "runs no program that is named here", found);
        };
    }
    if let Some(dir) = parsed.last(&["-C", "--chdir", "-D"]).filter(|_| matches!(kind, "env" | "sudo")) {
        let to = dir.value.clone().filter(|to| !to.is_empty());
        call.dir = to.map_or(Dir::Unknown, |to| crate::shell::changed(&call.dir, &[Some(to.as_str())]));
    }
    let elsewhere = parsed.last(wrapper.elsewhere).is_some();
    let power = if elsewhere { Power::Elsewhere } else { wrapper.power };
    if kind == "sandbox-exec" || kind == "busybox" {
        return finish(inner(call, start, power), found);
    }
    match kind {
        "xargs" => xargs(call, start, parsed, found),
        "parallel" => parallel(call, start, parsed, found),
        "watch" if parsed.last(&["-x", "--exec"]).is_none() => inner_shell::place_joined(call, start, found),
        "flock" if call.args.get(start).and_then(Arg::value).is_some_and(|word| word.starts_with('-')) => {
            refuse(call, "wrapper", "runs a command in a way that is not followed", found);
        }
        "command" | "builtin" => {
            let shell = call.shell;
            let name = call.args[start].value().unwrap_or_default().to_owned();
            let mut inner = inner(call, start, power);
            if builtins::is_builtin(&name) {
                inner.shell = shell;
            }
            finish(inner, found);
        }
        _ => finish(inner(call, start, power), found),
    }
}

/// zsh's words before a command: the shell looks the name up as ever, builtins included.
fn precommand(call: Call, found: &mut Found) {
    if call.args.len() == 1 {
        return refuse(call, "zsh-syntax", "zsh reads this as the beginning of a command", found);
    }
    let shell = call.shell;
    let inner = inner(call, 1, Power::Transparent);
    finish(Call { shell, ..inner }, found);
}

/// What a wrapper starts goes through the same questions again; functions of the text are not seen from there.
fn finish(call: Call, found: &mut Found) {
    place(call, &Functions::new(), found);
}

/// The program that a wrapper starts, with the wrapper's own words noted.
fn inner(mut call: Call, start: usize, power: Power) -> Call {
    let rest = call.args.split_off(start);
    let argv: Vec<Word> = call.args.iter().map(|arg| arg.word.clone()).collect();
    call.via.push(Via { argv, power });
    Call { args: rest, shell: None, depth: call.depth + 1, ..call }
}

fn assigned(arg: &Arg) -> Option<Assignment> {
    let (name, value) = match arg.value() {
        Some(word) => word.split_once('=').map(|(name, value)| (name, Some(value.to_owned())))?,
        None => (arg.word.raw.split_once('=')?.0, None),
    };
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain.then(|| Assignment { name: name.to_owned(), value: Word { raw: arg.word.raw.clone(), value } })
}

/// `env -S 'a b' c` is `env a b c`.
fn split_string(mut call: Call, at: usize, operand: usize, text: &str, found: &mut Found) {
    let words = crate::words_of(text).ok().filter(|_| !text.contains(['$', '\\', '#']));
    let Some(words) = words.filter(|_| at == 1) else {
        return refuse(call, "unknown-flag", "`env -S` splits a text in a way that is not followed", found);
    };
    let span = call.args[at].span.clone();
    let rest = call.args.split_off(operand);
    call.args.truncate(at);
    call.args.extend(words.into_iter().map(|word| Arg::known(word, span.clone())).chain(rest));
    call.depth += 1;
    program(call, found);
}

/// `xargs` adds words that it reads from its input.
fn xargs(call: Call, start: usize, parsed: &Parsed, found: &mut Found) {
    let replace = parsed
        .last(&["-I", "-J", "-i", "--replace"])
        .map(|given| given.value.clone().unwrap_or("{}".to_owned()));
    let span = call.span.clone();
    let mut inner = inner(call, start, Power::Transparent);
    match replace.filter(|mark| !mark.is_empty()) {
        Some(mark) => replace_marks(&mut inner, &mark, true),
        None => inner.args.push(Arg::unknown("…", span, true)),
    }
    finish(inner, found);
}

/// Words with the mark in them are known only at run time.
fn replace_marks(call: &mut Call, mark: &str, dash: bool) {
    for arg in &mut call.args {
        if arg.value().is_some_and(|value| value.contains(mark)) {
            arg.dash = dash && arg.value().is_some_and(|value| value.starts_with(mark));
            arg.word.value = None;
        }
    }
}

/// `parallel` hands its words to a shell, with words from after `:::` or from its input.
fn parallel(mut call: Call, start: usize, parsed: &Parsed, found: &mut Found) {
    let marks = |arg: &Arg| arg.value().is_some_and(|value| value.starts_with(":::"));
    let end = call.args.iter().position(marks).unwrap_or(call.args.len());
    let simple = |arg: &Arg| {
        arg.value()
            .is_some_and(|v| v.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:@%+,={}".contains(c)))
    };
    if end <= start || !call.args[start..end].iter().all(simple) || parsed.last(&["-I"]).is_some() {
        return refuse(call, "wrapper", "`parallel` hands this to a shell", found);
    }
    call.args.truncate(end);
    let span = call.span.clone();
    let mut inner = inner(call, start, Power::Transparent);
    replace_marks(&mut inner, "{", true);
    inner.args.push(Arg::unknown("…", span, true));
    finish(inner, found);
}

/// macOS: `arch -x86_64 PROGRAM`; elsewhere `arch` prints the machine's kind.
fn arch(mut call: Call, found: &mut Found) {
    let mut start = 1;
    while let Some(value) = call.args.get(start).and_then(Arg::value).filter(|value| value.starts_with('-')) {
        match value {
            "-x86_64" | "-x86_64h" | "-i386" | "-arm64" | "-arm64e" | "-32" | "-64" | "-h" | "-c" => {
                start += 1;
            }
            "-arch" | "-d" => start += 2,
            "-e" => {
                call.assignments.extend(call.args.get(start + 1).and_then(assigned));
                start += 2;
            }
            other => {
                let what = options::unknown(other);
                return refuse(call, "unknown-flag", what, found);
            }
        }
    }
    if start >= call.args.len() {
        return programs::place(call, found);
    }
    finish(inner(call, start, Power::Transparent), found);
}

/// Reads a text that a call runs in a shell.
fn read_inner(
    call: &Call,
    text: &str,
    at: Place,
    dialect: Dialect,
    parameters: Option<Vec<String>>,
    found: &mut Found,
) {
    // Another user has another home folder.
    let home = found.home.clone().filter(|_| call.via.iter().all(|via| via.power == Power::Transparent));
    let nest = Nest { parameters, home: home.as_deref(), ..Nest::inside(call, text, at, dialect) };
    read_text(&nest, found);
}
