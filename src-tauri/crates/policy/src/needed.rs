//! Lookups that are needed before a reading can be judged.

use crate::path;
use postern_command::{
    CandidateCommand, Dir, ParsedCommand, Power, ProgramClass, Role, Step, UnparsedSpan, Via, class_of,
};
use std::borrow::Cow;

/// Names that the shell itself answers to: never looked up in a line of shell text.
const SHELL_WORDS: [&str; 10] =
    ["command", "builtin", "exec", "eval", "trap", "time", "coproc", "noglob", "nocorrect", "-"];

/// Lookup of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedProgram<'a> {
    /// A bare name: on the agent's search path, never on one from the request.
    Name(&'a str),
    /// A path, absolute or relative to the step's folder ([`folder_of`]).
    Path(&'a str),
    /// Nothing: a builtin, a function, a name that is not known before the run, or a program of another machine.
    Nothing,
}

/// Lookups for a step, in the order of [`ParsedCommand::steps`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needed<'a> {
    /// The step's own program.
    pub program: WantedProgram<'a>,
    /// The programs of its wrappers, outermost first.
    pub via: Vec<WantedProgram<'a>>,
    /// The file that an interpreter or shell would run: its path as written.
    pub script: Option<&'a str>,
    /// Folder of the step, for relative paths.
    pub dir: &'a Dir,
}

/// Returns the lookups for each step of a reading.
pub fn lookups(reading: &ParsedCommand) -> Vec<Needed<'_>> {
    let in_shell = reading.plain.is_none();
    reading.steps.iter().map(|step| needed(step, in_shell)).collect()
}

fn needed(step: &Step, in_shell: bool) -> Needed<'_> {
    let mut here = true;
    let mut via = Vec::with_capacity(step.via.len());
    for (at, wrapper) in step.via.iter().enumerate() {
        let in_shell = in_shell || follows_shell(step, at);
        via.push(if here { wrapper_wanted(wrapper, in_shell) } else { WantedProgram::Nothing });
        here &= wrapper.power != Power::Elsewhere;
    }
    let program = match (step.role, step.program()) {
        (Role::Program, Some(name)) if here => wanted(name),
        (Role::Program | Role::HarmlessBuiltin | Role::Function | Role::Nothing, _) => WantedProgram::Nothing,
    };
    let script = step.script.filter(|_| here).and_then(|index| step.argv.get(index)?.value.as_deref());
    Needed { program, via, script, dir: &step.dir }
}

/// Returns true if a shell is among the wrappers before the one at `at`: its text is where that one stands.
pub(crate) fn follows_shell(step: &Step, at: usize) -> bool {
    step.via.iter().take(at).any(is_shell)
}

/// Returns true if a wrapper is a shell that reads text.
pub(crate) fn is_shell(via: &Via) -> bool {
    let name = via.argv.first().and_then(|word| word.value.as_deref());
    name.is_some_and(|name| class_of(path::base_name(name)) == ProgramClass::Shell)
}

fn wrapper_wanted(wrapper: &Via, in_shell: bool) -> WantedProgram<'_> {
    match wrapper.argv.first().and_then(|word| word.value.as_deref()) {
        Some(name) if in_shell && SHELL_WORDS.contains(&name) => WantedProgram::Nothing,
        Some(name) => wanted(name),
        None => WantedProgram::Nothing,
    }
}

fn wanted(name: &str) -> WantedProgram<'_> {
    if name.contains('/') { WantedProgram::Path(name) } else { WantedProgram::Name(name) }
}

/// Returns the absolute folder in which a step runs, where it is known.
pub fn folder_of<'a>(cwd: &'a str, dir: &Dir) -> Option<Cow<'a, str>> {
    match dir {
        Dir::Same => Some(path::normal(cwd)),
        Dir::Under(below) => Some(path::join_path(cwd, below).into()),
        Dir::OneOf(_) | Dir::Unknown => None,
    }
}

/// Returns every absolute folder in which a step may run, where they are known.
pub(crate) fn folders_of(cwd: &str, dir: &Dir) -> Option<Vec<String>> {
    match dir {
        Dir::Same | Dir::Under(_) => folder_of(cwd, dir).map(|folder| vec![folder.into_owned()]),
        Dir::OneOf(all) => Some(all.iter().map(|below| path::join_path(cwd, below)).collect()),
        Dir::Unknown => None,
    }
}

/// Commands that a part which was not understood, or an escape, may run: deny rules look at each, allow rules at none.
pub fn candidates(reading: &ParsedCommand) -> impl Iterator<Item = &[String]> {
    let parts: fn(&UnparsedSpan) -> std::slice::Iter<'_, CandidateCommand> = |part| part.candidates.iter();
    let of_steps = reading.steps.iter().filter_map(|step| step.opaque.as_ref()).flat_map(parts);
    let of_ways = reading.steps.iter().flat_map(|step| &step.ways_out).flat_map(|way| &way.candidates);
    let all = reading.opaque.iter().flat_map(parts).chain(of_steps).chain(of_ways);
    all.map(|guess| &**guess).filter(|argv| !argv.is_empty())
}

/// Returns true if the shell itself answers to the name.
pub(crate) fn is_shell_word(name: &str) -> bool {
    SHELL_WORDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_command::{Dialect, read_argv, read_shell};

    /// Returns the wrappers and the program of the last step, as they are looked up; `-` for what is not.
    fn looked_up(reading: &ParsedCommand) -> String {
        let last = lookups(reading).pop().unwrap();
        let all = last.via.iter().chain(std::iter::once(&last.program));
        let words = all.map(|wanted| match wanted {
            WantedProgram::Name(name) | WantedProgram::Path(name) => (*name).to_owned(),
            WantedProgram::Nothing => "-".to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_runs_elsewhere_is_not_looked_up_here() {
        for (line, expected) in [
            ("nohup env ls", "nohup env ls"),
            ("chroot / ls", "chroot -"),
            ("nohup chroot / env ls", "nohup chroot - -"),
            ("sudo ls", "sudo ls"),
            ("cd src", "-"),
            ("$X y", "-"),
        ] {
            assert_eq!(looked_up(&read_shell(line, Dialect::Bash)), expected, "{line}");
        }
    }

    #[test]
    fn what_an_unread_part_may_run_is_looked_at() {
        let reading = read_shell("eval \"rm $X\"; sort --compress-program='mv x' y", Dialect::Bash);
        let programs: Vec<&str> = candidates(&reading).map(|argv| argv[0].as_str()).collect();
        assert!(programs.contains(&"rm") && programs.contains(&"mv"), "{programs:?}");
    }

    #[test]
    fn a_word_of_the_shell_is_a_program_where_no_shell_reads_it() {
        assert_eq!(looked_up(&read_shell("command ls", Dialect::Bash)), "- ls");
        for (argv, expected) in [
            (&["command", "ls"][..], "command ls"),
            (&["env", "command", "ls"], "env command ls"),
            (&["bash", "-c", "command ls"], "bash - ls"),
            (&["env", "sh", "-c", "command ls"], "env sh - ls"),
        ] {
            let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(looked_up(&read_argv(&argv)), expected, "{argv:?}");
        }
    }
}
