//! From a call to the steps that it really is: builtins judged, wrappers peeled, shells inside read.

mod arch;
mod assignments;
mod env_split;
mod fd_exec;
mod find_exec;
pub(crate) mod guess;
mod inner_shell;
mod loader;
mod many;
mod other_user;
mod script;
mod wrapped;

use crate::builtins::{self, Ruling};
use crate::call::{Arg, CommandCall, Feed, Functions, ParseResults};
use crate::invocation::ArgumentWord;
use crate::programs::table::{self, Program};
use crate::programs::{self, ProgramClass, class_of, family_of};
use crate::shell::{DEEPEST, Nest, TextPosition, candidates, read_text};
use crate::{
    Assignment, CandidateCommand, Dialect, Note, Power, Role, Unparsed, UnparsedSpan, Via, Word, escape,
};

/// Adds the steps that a call stands for.
pub(crate) fn add_call(mut call: CommandCall, functions: &Functions, found: &mut ParseResults) {
    let function =
        call.shell.is_some() && call.program_name().is_some_and(|name| functions.contains_key(name));
    assignments::check_assignments(&mut call, function);
    let Some(head) = call.args.first() else {
        return found.steps.push(call.into_step(Role::Nothing));
    };
    let Some(name) = head.known_value().map(str::to_owned) else {
        return unknown_program(call, found);
    };
    if name.is_empty()
        || name.starts_with(['-', '=']) && name != "-"
        || !escape::is_visible(&name)
        || call.depth > DEEPEST
    {
        let mut guess = guess::behind(&call, 1);
        guess.extend(call.suffixes(0).into_iter().take(1).map(|guess| {
            let mut argv = guess.to_vec();
            argv[0] = argv[0].replacen('=', "", 1);
            CandidateCommand::from(argv)
        }));
        call.add_doubt(Unparsed::ProgramName, "the name of the program is unusual", guess);
        return found.steps.push(call.into_step(Role::Program));
    }
    if call.shell.is_some() {
        if let Some(certain) = functions.get(&name) {
            if !certain {
                call.add_doubt(Unparsed::Function, "this function may not be defined here", Vec::new());
            }
            return found.steps.push(call.into_step(Role::Function));
        }
        match builtins::judge_builtin(&call) {
            Ruling::Program => {}
            Ruling::Harmless => return found.steps.push(call.into_step(Role::HarmlessBuiltin)),
            Ruling::Doubt(code, what) => {
                let guess = if code == Unparsed::Environment { Vec::new() } else { inside_arguments(&call) };
                call.add_doubt(code, what, guess);
                return found.steps.push(call.into_step(Role::Program));
            }
            Ruling::Runs => return add_builtin_run(call, &name, found),
        }
    }
    program(call, found);
}

fn unknown_program(mut call: CommandCall, found: &mut ParseResults) {
    let raw = call.args.first().map(|head| head.word.raw.clone()).unwrap_or_default();
    let guess =
        if raw.starts_with("~/") { [candidates(&raw), call.suffixes(1)].concat() } else { Vec::new() };
    call.add_doubt(
        Unparsed::DynamicProgram,
        Note::with_text("which program runs is known only at run time: ", raw, ""),
        guess,
    );
    call.advise("write the program’s name out");
    found.steps.push(call.into_step(Role::Program));
}

/// Reads a program that was found by name or path, or that a wrapper starts.
fn program(call: CommandCall, found: &mut ParseResults) {
    let name = family_of(call.program_name().unwrap_or_default());
    if call.depth > DEEPEST {
        return refuse(call, Unparsed::TooDeep, "it has wrappers inside wrappers, too deep to follow", found);
    }
    match &*name {
        "find" => find_exec::add_find(call, found),
        "fd" | "fdfind" => fd_exec::add_fd(call, found),
        "arch" => arch::add_arch(call, found),
        "su" => other_user::add_user_shell(call, found),
        "runuser" if !other_user::names_program(&call.args) => other_user::add_user_shell(call, found),
        "script" => script::add_script(call, found),
        "ld.so" => loader::add_loaded(call, found),
        "crontab" if call.args.len() == 2 && call.args[1].known_value() == Some("-l") => {
            programs::add_program(call, found);
        }
        name => match (table::program(name), class_of(name)) {
            (Some(Program { wrapper: Some(wrapper), .. }), _) => wrapped::add_wrapped(call, wrapper, found),
            (_, ProgramClass::Shell) => inner_shell::add_shell(call, found),
            (_, ProgramClass::Wrapper) => {
                refuse(
                    call,
                    Unparsed::Wrapper,
                    "it runs another program in a way that Postern doesn’t follow",
                    found,
                );
            }
            (_, ProgramClass::Ordinary | ProgramClass::Interpreter | ProgramClass::Multicall) => {
                programs::add_program(call, found);
            }
        },
    }
}

/// Keeps the call as it is, not understood; deny rules see the commands that it may run.
fn refuse(mut call: CommandCall, code: Unparsed, what: impl Into<Note>, found: &mut ParseResults) {
    let guess = guess::behind(&call, 1);
    call.add_doubt(code, what, guess);
    found.steps.push(call.into_step(Role::Program));
}

/// Commands that may stand in the arguments of a builtin (`alias ls=…`, `printf -v 'a[$(…)]'`), or in what it is fed.
fn inside_arguments(call: &CommandCall) -> Vec<CandidateCommand> {
    let mut guess = call.suffixes(1);
    for value in call.args.iter().skip(1).filter_map(Arg::known_value) {
        guess.extend(candidates(value));
        guess.extend(value.split_once('=').map_or_else(Vec::new, |(_, text)| candidates(text)));
    }
    if let Feed::Text(text) = &call.feed {
        guess.extend(candidates(text));
    }
    guess
}

/// Builtins that run what they are given.
fn add_builtin_run(call: CommandCall, name: &str, found: &mut ParseResults) {
    match name {
        "exec" if call.args.len() == 1 => found.steps.push(call.into_step(Role::Nothing)),
        "eval" => {
            let dialect = call.shell.unwrap_or(Dialect::Posix);
            inner_shell::place_joined(call, 1, dialect, found);
        }
        "trap" => inner_shell::place_trap(call, found),
        "noglob" | "nocorrect" | "-" => precommand(call, found),
        _ => program(call, found),
    }
}

/// Reads zsh's words before a command: the shell looks the name up as ever, builtins included.
fn precommand(call: CommandCall, found: &mut ParseResults) {
    if call.args.len() == 1 {
        return refuse(call, Unparsed::ZshSyntax, "zsh reads this as the beginning of a command", found);
    }
    let shell = call.shell;
    let inner = inner_call(call, 1, Power::Transparent);
    finish(CommandCall { shell, ..inner }, found);
}

/// Returns the words of the programs that `find` and `fd` run, which are no options of theirs.
pub(crate) fn words_of_others<W: ArgumentWord>(program: &Program, args: &[W]) -> Vec<std::ops::Range<usize>> {
    match program.names.first() {
        Some(&"find") => find_exec::commands(args).unwrap_or_default(),
        Some(&"fd") => fd_exec::commands(args).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Reads the program that a wrapper starts in the same way again; functions of the text are not seen from
/// there.
fn finish(call: CommandCall, found: &mut ParseResults) {
    add_call(call, &Functions::new(), found);
}

/// Returns the program that a wrapper starts, with the wrapper's own words noted.
fn inner_call(mut call: CommandCall, start: usize, power: Power) -> CommandCall {
    let rest = call.args.split_off(start.min(call.args.len()));
    let argv = call.args.iter().map(|arg| arg.word.clone()).collect();
    call.via.push(Via { argv, power });
    CommandCall { args: rest, shell: None, depth: call.depth + 1, ..call }
}

fn assigned(arg: &Arg) -> Option<Assignment> {
    let (name, value) = match arg.known_value() {
        Some(word) => word.split_once('=').map(|(name, value)| (name, Some(value.to_owned())))?,
        None => (arg.word.raw.split_once('=')?.0, None),
    };
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain.then(|| Assignment { name: name.to_owned(), value: Word { raw: arg.word.raw.clone(), value } })
}

/// Words with the mark in them are known only at run time. A mark of one's own is written as `{}` from then on: no reader
/// takes the word for a name.
fn replace_marks(call: &mut CommandCall, mark: &str, dash: bool) {
    for arg in &mut call.args {
        if let Some(value) = arg.known_value().filter(|value| value.contains(mark)) {
            let raw = (!matches!(mark, "{" | "{}")).then(|| value.replace(mark, "{}"));
            arg.dash = dash && arg.known_value().is_some_and(|value| value.starts_with(mark));
            arg.climbs = arg.known_value().is_some_and(|value| value.contains(".."));
            arg.free = dash || arg.climbs;
            arg.strays = dash || arg.free;
            arg.computed = true;
            arg.start =
                arg.known_value().and_then(|value| value.split(mark).next()).unwrap_or_default().to_owned();
            arg.word.value = None;
            if let Some(raw) = raw {
                arg.word.raw = raw;
            }
        }
    }
}

/// Reads a text that a call runs in a shell. Past the depth that is followed, deny rules still see what may stand in it.
fn read_inner(
    call: &CommandCall,
    text: &str,
    at: TextPosition,
    dialect: Dialect,
    parameters: Option<Vec<String>>,
    found: &mut ParseResults,
) {
    if call.depth >= DEEPEST {
        let what = "it has shells inside shells, too deep to follow";
        let opaque = UnparsedSpan::new(Unparsed::TooDeep, what, call.span.clone())
            .with_candidates(guess::in_text(text))
            .advised(Some("write a script and run that"));
        found.opaque.push(opaque);
        return;
    }
    // Another user has another home folder.
    let home = found.home.clone().filter(|_| call.via.iter().all(|via| via.power == Power::Transparent));
    let nest = Nest { parameters, home: home.as_deref(), ..Nest::inside(call, text, at, dialect) };
    read_text(&nest, found);
}
