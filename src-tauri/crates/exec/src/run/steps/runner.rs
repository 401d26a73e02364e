//! Program in the shell's place: runs the steps of a line as a shell would.
//!
//! Each step runs only if its program is the judged one.

use super::process::{self, ChildEnd};
use super::{Expected, JudgedProgram, Orders, StepsReport, VERSION};
use crate::identity::{FileState, sha256};
use postern_command::{Connector, PlainCommand, Redirect, RedirectionTarget};
use postern_request::Drift;
use rustix::fs::{Mode, OFlags};
use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

/// Exit code if a program is not the judged one, or cannot be executed.
const REFUSED: i32 = 126;
/// Exit code if a program lacks its loader.
const NOT_FOUND: i32 = 127;
/// Exit code if the orders cannot be followed.
const TROUBLE: i32 = 125;

/// A program with the words that it is started with.
struct OpenedProgram {
    program: StepProgram,
    /// Words that come before its arguments: its name, or its interpreter with the path of the script.
    first: Vec<String>,
}

enum StepProgram {
    Open(File),
    /// Program at a path, unchecked.
    At(CString),
}

/// Runs the steps that `arguments` (of `postern-steps VERSION DESCRIPTOR`) lead to, and ends this process with the status of the line.
///
/// Call it first in `main`: the process must have one thread.
pub fn run_steps(mut arguments: impl Iterator<Item = OsString>) -> ! {
    let code = orders(&mut arguments).map_or_else(
        |why| {
            print_error(format_args!("postern: {why}"));
            TROUBLE
        },
        |(orders, memory)| Steps { orders, memory, status: 0, variables: own_variables() }.run(),
    );
    process::exit_now(code)
}

fn orders(arguments: &mut impl Iterator<Item = OsString>) -> Result<(Orders, File), String> {
    // What a step starts could look into a process of the same user otherwise.
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .map_err(|error| error.to_string())?;
    if arguments.next().is_none_or(|version| version != VERSION) {
        return Err("this Postern was updated while it ran: start it again".to_owned());
    }
    let number = arguments.next().and_then(|number| number.to_str()?.parse().ok());
    let memory = number.ok_or(io::ErrorKind::InvalidInput.into()).and_then(process::inherited);
    let mut memory = File::from(memory.map_err(|error| format!("its steps: {error}"))?);
    process::prepare_signals();
    let mut text = Vec::new();
    io::Seek::rewind(&mut memory)
        .and_then(|()| memory.read_to_end(&mut text))
        .map_err(|error| format!("its steps: {error}"))?;
    let orders = serde_json::from_slice(&text).map_err(|error| format!("its steps: {error}"))?;
    Ok((orders, memory))
}

fn own_variables() -> BTreeMap<OsString, OsString> {
    std::env::vars_os().collect()
}

struct Steps {
    orders: Orders,
    memory: File,
    /// Status of the pipeline that ran last.
    status: i32,
    variables: BTreeMap<OsString, OsString>,
}

impl Steps {
    fn run(mut self) -> i32 {
        self.variables.insert("PWD".into(), self.orders.folder.clone().into());
        let pipelines = std::mem::take(&mut self.orders.sequence.pipelines);
        let mut programs = std::mem::take(&mut self.orders.programs).into_iter();
        let last = pipelines.len().saturating_sub(1);
        for (at, (connector, commands)) in pipelines.into_iter().enumerate() {
            let expected: Vec<Option<Expected>> = programs.by_ref().take(commands.len()).collect();
            let runs = match connector {
                Connector::Always => true,
                Connector::IfSucceeded => self.status == 0,
                Connector::IfFailed => self.status != 0,
            };
            if !runs {
                continue;
            }
            // All of a pipeline, before any of it starts.
            let opened: Result<Vec<Option<OpenedProgram>>, Drift> = expected
                .into_iter()
                .zip(&commands)
                .map(|(one, command)| one.map(|one| one.open_program(command)).transpose())
                .collect();
            match opened {
                Ok(opened) => self.status = self.pipeline(&commands, &opened, at == last),
                Err(drift) => return self.report(drift),
            }
        }
        self.status
    }

    fn report(mut self, drift: Drift) -> i32 {
        let text = serde_json::to_vec(&StepsReport { drift }).unwrap_or_default();
        let written = self.memory.set_len(0).and_then(|()| io::Seek::rewind(&mut self.memory));
        if let Err(error) = written.and_then(|()| self.memory.write_all(&text)) {
            print_error(format_args!("postern: {error}"));
        }
        REFUSED
    }

    /// Runs the commands of a pipeline side by side; returns the status of its last.
    fn pipeline(&mut self, commands: &[PlainCommand], opened: &[Option<OpenedProgram>], last: bool) -> i32 {
        if let ([command], [program]) = (commands, opened) {
            if let Some(status) = self.builtin(command) {
                return status;
            }
            if last {
                return self.command(command, program.as_ref());
            }
        }
        let (mut input, mut children) = (None, Vec::new());
        for (at, (command, program)) in commands.iter().zip(opened).enumerate() {
            let is_last = at + 1 == commands.len();
            let pipe = (!is_last).then(|| rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC));
            let (read, write) = match pipe.transpose() {
                Ok(pipe) => pipe.map_or((None, None), |(read, write)| (Some(read), Some(write))),
                Err(error) => return failed("a pipe", &error.into()),
            };
            let input = std::mem::replace(&mut input, read);
            let child = process::fork_child(|| {
                let joined = connect_pipes(input.as_ref(), write.as_ref());
                joined.map_or_else(
                    |error| failed("a pipe", &error),
                    |()| self.command(command, program.as_ref()),
                )
            });
            match child {
                Ok(pid) => children.push(pid),
                Err(error) => return failed(command.name(), &error),
            }
        }
        drop(input);
        Self::wait_for_all(&children, commands)
    }

    /// Waits for all; returns the status of the last.
    fn wait_for_all(children: &[i32], commands: &[PlainCommand]) -> i32 {
        let mut status = 0;
        for (pid, command) in children.iter().zip(commands) {
            status = match process::wait(*pid) {
                Ok(ChildEnd::Code(code)) => code,
                Ok(ChildEnd::Signal(signal)) => {
                    if signal == libc::SIGINT && process::was_interrupted() {
                        process::die_by(signal);
                    }
                    if signal != libc::SIGPIPE && signal != libc::SIGINT {
                        print_error(format_args!("postern: {} was ended by signal {signal}", command.name()));
                    }
                    128 + signal
                }
                Err(error) => failed(command.name(), &error),
            };
        }
        // Who ends by itself after an interruption has dealt with it.
        process::was_interrupted();
        status
    }

    /// Carries out a builtin that starts nothing in this process; returns its status.
    fn builtin(&mut self, command: &PlainCommand) -> Option<i32> {
        if !command.redirections.is_empty() {
            return None;
        }
        match (command.name(), command.words.get(1)) {
            ("true" | ":", _) => Some(0),
            ("false", _) => Some(1),
            ("cd", Some(folder)) => Some(self.change_folder(folder)),
            _ => None,
        }
    }

    fn change_folder(&mut self, folder: &str) -> i32 {
        let mut to = std::path::PathBuf::from(
            self.variables.get(std::ffi::OsStr::new("PWD")).cloned().unwrap_or_default(),
        );
        for part in std::path::Path::new(folder).components() {
            match part {
                std::path::Component::ParentDir => drop(to.pop()),
                std::path::Component::CurDir => {}
                other => to.push(other),
            }
        }
        if let Err(error) = rustix::process::chdir(&to) {
            return failed(&format!("cd: {folder}"), &error.into());
        }
        if let Some(before) = self.variables.insert("PWD".into(), to.into()) {
            self.variables.insert("OLDPWD".into(), before);
        }
        0
    }

    /// Carries out a command in this process, which ends with it; returns its status, if it is not replaced by a program.
    fn command(&self, command: &PlainCommand, program: Option<&OpenedProgram>) -> i32 {
        for redirection in &command.redirections {
            if let Err((what, error)) = redirect(redirection) {
                failed(what, &error);
                return 1;
            }
        }
        let Some(program) = program else { return simple(command) };
        let error = self.execute(command, program);
        let missing = error.kind() == io::ErrorKind::NotFound;
        failed(command.name(), &error);
        if missing { NOT_FOUND } else { REFUSED }
    }

    fn execute(&self, command: &PlainCommand, program: &OpenedProgram) -> io::Error {
        let mut variables = self.variables.clone();
        for (name, value) in &command.assignments {
            variables.insert(name.into(), value.into());
        }
        let arguments = command.words.iter().skip(1);
        let argv: Result<Vec<CString>, _> =
            program.first.iter().chain(arguments).map(|word| CString::new(word.as_str())).collect();
        let env: Result<Vec<CString>, _> = variables
            .into_iter()
            .map(|(name, value)| CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()))
            .collect();
        match (argv, env) {
            (Ok(argv), Ok(env)) => match &program.program {
                StepProgram::Open(file) => process::execute(file.as_fd(), c"", &argv, &env),
                StepProgram::At(path) => process::execute(rustix::fs::CWD, path, &argv, &env),
            },
            _ => io::ErrorKind::InvalidInput.into(),
        }
    }
}

impl Expected {
    /// Finds the program, if it is the judged one.
    fn open_program(&self, command: &PlainCommand) -> Result<OpenedProgram, Drift> {
        let own_name = |path: &std::path::Path| {
            let name = command.name();
            if name.contains('/') { path.to_string_lossy().into_owned() } else { name.to_owned() }
        };
        match self {
            Self::Same(judged) => {
                let (file, first) = judged.open_program()?;
                let first = first.unwrap_or_else(|| vec![own_name(&judged.path)]);
                Ok(OpenedProgram { program: StepProgram::Open(file), first })
            }
            Self::At(path) => {
                let gone = |_| Drift::Replaced { path: path.to_string_lossy().into_owned() };
                let at = CString::new(path.as_os_str().as_bytes()).map_err(gone)?;
                Ok(OpenedProgram { program: StepProgram::At(at), first: vec![own_name(path)] })
            }
        }
    }
}

impl JudgedProgram {
    /// Opens the program. Of a script it opens the interpreter, which opens the script by its path, and returns their words.
    fn open_program(&self) -> Result<(File, Option<Vec<String>>), Drift> {
        let file = self.open_unchanged()?;
        let Some((interpreter, words)) = self.interpreter.as_ref().zip(self.shebang.as_ref()) else {
            return Ok((file, None));
        };
        let path = self.path.to_string_lossy().into_owned();
        Ok((interpreter.open_unchanged()?, Some(words.iter().cloned().chain([path]).collect())))
    }

    fn open_unchanged(&self) -> Result<File, Drift> {
        let path = || self.path.to_string_lossy().into_owned();
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(&self.path, flags, Mode::empty());
        let file = opened.map(File::from).map_err(|_| Drift::Replaced { path: path() })?;
        let now = FileState::from_file(&file).map_err(|_| Drift::Changed { path: path() })?;
        if !now.same_file(&self.state) {
            return Err(Drift::Replaced { path: path() });
        }
        let same = self.sha256.as_ref().is_none_or(|was| sha256(&file, now.size).is_ok_and(|is| is == *was));
        if now == self.state && same { Ok(file) } else { Err(Drift::Changed { path: path() }) }
    }
}

/// Puts the ends of pipes in the place of standard input and output.
fn connect_pipes(input: Option<&OwnedFd>, output: Option<&OwnedFd>) -> io::Result<()> {
    if let Some(input) = input {
        rustix::stdio::dup2_stdin(input)?;
    }
    if let Some(output) = output {
        rustix::stdio::dup2_stdout(output)?;
    }
    Ok(())
}

fn redirect(redirection: &Redirect) -> Result<(), (&str, io::Error)> {
    let open = |path: &str, flags: OFlags| {
        rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::from_raw_mode(0o666))
    };
    let create = OFlags::WRONLY | OFlags::CREATE;
    let (what, source) = match &redirection.to {
        RedirectionTarget::Read(path) => (path.as_str(), open(path, OFlags::RDONLY)),
        RedirectionTarget::Write(path) => (path.as_str(), open(path, create | OFlags::TRUNC)),
        RedirectionTarget::Append(path) => (path.as_str(), open(path, create | OFlags::APPEND)),
        RedirectionTarget::Copy(from) => ("a descriptor", copy_standard(*from)),
    };
    let put = source.and_then(|source| match redirection.descriptor {
        0 => rustix::stdio::dup2_stdin(source),
        1 => rustix::stdio::dup2_stdout(source),
        _ => rustix::stdio::dup2_stderr(source),
    });
    put.map_err(|error| (what, error.into()))
}

fn copy_standard(descriptor: u8) -> rustix::io::Result<OwnedFd> {
    match descriptor {
        0 => rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3),
        1 => rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3),
        _ => rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), 3),
    }
}

/// Carries out a builtin in a process of its own; returns its status.
fn simple(command: &PlainCommand) -> i32 {
    if command.name() != "echo" {
        return i32::from(command.name() == "false");
    }
    let line = command.words[1..].join(" ") + "\n";
    match write_all(line.as_bytes()) {
        Ok(()) => 0,
        Err(error) => {
            failed("echo", &error);
            1
        }
    }
}

/// Writes to standard output at once.
fn write_all(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = rustix::io::retry_on_intr(|| rustix::io::write(rustix::stdio::stdout(), bytes))?;
        bytes = &bytes[written..];
    }
    Ok(())
}

/// Says what failed, and returns the status of that.
fn failed(what: &str, error: &io::Error) -> i32 {
    let text = std::io::Error::from_raw_os_error(error.raw_os_error().unwrap_or_default());
    print_error(format_args!("postern: {what}: {text}"));
    1
}

/// Writes a line to standard error at once. If nobody reads it, it is lost.
fn print_error(line: std::fmt::Arguments<'_>) {
    _ = writeln!(io::stderr(), "{line}");
}
