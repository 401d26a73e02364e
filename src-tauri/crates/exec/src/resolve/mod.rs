//! Resolution of a request: names become absolute paths, opened files and identities.
//!
//! Everything here reads the disk and may block: it belongs on a blocking thread. What was opened stays open
//! ([`Held`]) until the run has started, so that the last check looks at the same files.

mod cwd;
mod developer;
mod format;
mod held;
mod hooks;
mod kernel_path;
mod lookup;
mod mutable;
mod present;
mod reach;
mod search;
mod shims;
mod steps;
mod targets;
#[cfg(test)]
mod tests;

pub use cwd::Cwd;
pub use held::HeldFile;
pub use hooks::Obeyed;
pub(crate) use hooks::is_executable_file;
pub(crate) use kernel_path::{real_path, real_path_at};
pub use mutable::is_mutable_by_agent;
pub use present::leave_out_missing;
pub use reach::AgentReach;
pub(crate) use search::lexical;
pub use search::search_path;
pub use steps::HeldSteps;
pub use targets::resolve_real;

use crate::git_config::GitConfig;
use crate::identity::{Allowance, Identities};
use arc_swap::ArcSwap;
use lookup::{EarlierLookup, FileLookup, LookupContext};
use postern_command::{Dir, ParsedCommand, Power, Role, Step, Word};
use postern_policy::{Lookup, StepFacts};
use postern_request::{BoundFile, Launch};
use shims::Shims;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The shell that Postern starts shell text with.
const SHELL: &str = "/bin/bash";

/// Returns the words that start shell text, for which no file of the user is read first.
pub fn shell_argv(text: &str) -> Vec<String> {
    [SHELL, "--noprofile", "--norc", "-c", text].map(str::to_owned).to_vec()
}

/// Looks programs up. Cheap to clone; clones share what is remembered about files.
#[derive(Debug, Clone, Default)]
pub struct Resolver {
    identities: Identities,
    /// The person's home folder; empty where none was told.
    home: Arc<str>,
    /// Places that the requesting agent can change; empty if there is no agent.
    reach: Arc<AgentReach>,
    /// The system's stand-ins for developer tools.
    shims: Shims,
    /// Folders in which the user's shell finds programs, as read at set-up.
    shell_path: Arc<ArcSwap<Vec<String>>>,
    /// True if programs that are only there count as found.
    like_shell: bool,
}

/// Resolved request.
#[derive(Debug)]
pub struct ResolvedRequest {
    /// Way in which it is started.
    pub launch: Launch,
    /// Facts for each step, in the order of [`ParsedCommand::steps`].
    pub steps: Vec<StepFacts>,
    /// The files, open.
    pub held: Held,
}

/// Every file that a run depends on, open since it was judged.
#[derive(Debug, Default)]
pub struct Held {
    /// The program that is started; `None` if it was not found, and then nothing can be started.
    pub started: Option<Arc<HeldFile>>,
    /// Every other program that was found, interpreters included.
    pub programs: Vec<Arc<HeldFile>>,
    pub scripts: Vec<Arc<HeldFile>>,
    /// The steps of shell text that needs no shell.
    pub steps: Option<HeldSteps>,
    /// Repositories that its steps obey, as they were when it was judged.
    pub obeyed: Obeyed,
}

impl Held {
    /// Returns [`postern_request::Plan::programs`]: the started one first.
    pub fn bound_programs(&self) -> Vec<BoundFile> {
        self.started.iter().chain(&self.programs).map(|file| file.bound.clone()).collect()
    }

    /// Returns [`postern_request::Plan::scripts`].
    pub fn bound_scripts(&self) -> Vec<BoundFile> {
        self.scripts.iter().map(|file| file.bound.clone()).collect()
    }

    /// Returns every file.
    pub fn all_files(&self) -> impl Iterator<Item = &Arc<HeldFile>> {
        self.started.iter().chain(&self.programs).chain(&self.scripts)
    }

    fn hold_file(&mut self, file: &Arc<HeldFile>) {
        let known = |other: &Arc<HeldFile>| other.path == file.path && other.state == file.state;
        if !self.started.iter().chain(&self.programs).any(known) {
            self.programs.push(Arc::clone(file));
        }
        if let Some(interpreter) = &file.interpreter {
            self.hold_file(interpreter);
        }
    }
}

impl Resolver {
    /// Returns a resolver that remembers nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a resolver that knows the person's home folder (absolute), for paths that begin there.
    pub fn at_home(home: &str) -> Self {
        Self { home: Arc::from(home.trim_end_matches('/')), ..Self::default() }
    }

    /// Returns the same resolver with a read allowance.
    #[must_use]
    pub fn within(&self, allowance: Allowance) -> Self {
        Self { identities: self.identities.within(allowance), ..self.clone() }
    }

    /// Returns the same resolver for an agent that can change what is in `reach`.
    #[must_use]
    pub fn reached_by(&self, reach: AgentReach) -> Self {
        Self { reach: Arc::new(reach), ..self.clone() }
    }

    /// Returns the same resolver that also finds what only the user's shell finds, and marks it.
    #[must_use]
    pub fn like_shell(&self) -> Self {
        Self { like_shell: true, ..self.clone() }
    }

    /// Sets where the user's shell finds programs, for every clone.
    pub fn set_shell_path(&self, folders: Vec<String>) {
        self.shell_path.store(Arc::new(folders));
    }

    /// Returns the folders of the user's shell that are not on a search path.
    fn only_of_shell(&self, search_path: &[String]) -> Vec<String> {
        if !self.like_shell {
            return Vec::new();
        }
        self.shell_path.load().iter().filter(|folder| !search_path.contains(folder)).cloned().collect()
    }

    /// Returns the remembered identities.
    pub fn identities(&self) -> &Identities {
        &self.identities
    }

    /// Looks up everything that `reading` names, in `cwd` and on `search_path` (from [`search_path`]).
    pub fn resolve_command(
        &self,
        reading: &ParsedCommand,
        cwd: &Cwd,
        search_path: &[String],
    ) -> ResolvedRequest {
        let mut held = Held::default();
        let of_shell = self.only_of_shell(search_path);
        let folder = PathBuf::from(&cwd.bound.path);
        let mut here = LookupContext { folder, search_path, shell_path: &of_shell, known: None };
        let launch = match &reading.plain {
            Some(argv) => Launch::Argv { argv: argv.clone() },
            None => Launch::Shell { text: reading.text.clone() },
        };
        let first = match &launch {
            Launch::Argv { argv } => argv.first().map_or("", String::as_str),
            Launch::Shell { .. } => SHELL,
            Launch::Nothing => "",
        };
        if let FileLookup::File(file) = self.look_up(first, &here) {
            held.started = Some(Arc::clone(&file));
            held.hold_file(&file);
            here.known = Some(EarlierLookup { name: first.to_owned(), folder: here.folder.clone(), file });
        }
        let steps = self.resolve_each(reading, &here, &mut held);
        if let Launch::Shell { text } = &launch {
            held.steps = self.held_steps(text, &here, &held);
        }
        ResolvedRequest { launch, steps, held }
    }

    /// Looks up what the steps of `reading` name, in `folder`, for what is judged and not started here.
    pub fn resolve_steps(
        &self,
        reading: &ParsedCommand,
        folder: &Path,
        search_path: &[String],
    ) -> Vec<StepFacts> {
        let here = LookupContext { folder: folder.to_owned(), search_path, shell_path: &[], known: None };
        self.resolve_each(reading, &here, &mut Held::default())
    }

    fn resolve_each(
        &self,
        reading: &ParsedCommand,
        here: &LookupContext<'_>,
        held: &mut Held,
    ) -> Vec<StepFacts> {
        let config = OnceCell::new();
        reading.steps.iter().map(|step| self.resolve_step(step, here, held, &config)).collect()
    }

    /// Looks one name up, as a step's program would be.
    pub fn look_up_program(&self, name: &str, cwd: &Cwd, search_path: &[String]) -> Lookup {
        let of_shell = self.only_of_shell(search_path);
        let folder = PathBuf::from(&cwd.bound.path);
        let here = LookupContext { folder, search_path, shell_path: &of_shell, known: None };
        self.look_up(name, &here).lookup(name)
    }

    /// Opens and identifies the file at an absolute path, as a skill's or a rule's program.
    pub fn identify(&self, path: &str) -> Lookup {
        let here =
            LookupContext { folder: PathBuf::from("/"), search_path: &[], shell_path: &[], known: None };
        if path.starts_with('/') { self.look_up(path, &here).lookup(path) } else { Lookup::NotFound }
    }

    /// Looks one step up. `config` is the user's configuration of git, once a step needs it.
    fn resolve_step<'r>(
        &'r self,
        step: &Step,
        here: &LookupContext<'_>,
        held: &mut Held,
        config: &OnceCell<GitConfig<'r>>,
    ) -> StepFacts {
        // A wrapper is found where the request starts; what it runs, where the step runs.
        let via = step.via.iter().map(|via| self.look_up_word(via.argv.first(), here, held)).collect();
        let elsewhere = step.via.iter().any(|via| via.power == Power::Elsewhere);
        let there = place_of(step, here);
        let program = match step.role {
            Role::Program if !elsewhere => self.look_up_word(step.argv.first(), &there, held),
            Role::Program | Role::HarmlessBuiltin | Role::Function | Role::Nothing => Lookup::Nothing,
        };
        let script = step.script.filter(|_| !elsewhere).and_then(|at| {
            let written = step.argv.get(at)?.value.as_deref()?;
            let file = self.operand(written, &there)?;
            let fact = file.script(written);
            held.scripts.push(file);
            Some(fact)
        });
        let folders = if elsewhere { Vec::new() } else { folders_of(step, &here.folder) };
        // A link in any of the folders counts.
        let targets = match folders.as_slice() {
            [_, _, ..] => {
                folders.iter().flat_map(|folder| targets::of_step(step, folder, &self.home)).collect()
            }
            _ => targets::of_step(step, &there.folder, &self.home),
        };
        let obeyed = hooks::of_step(step, folders, &self.home, config);
        let hooks = obeyed.as_ref().map(|obeyed| obeyed.found.clone()).unwrap_or_default();
        held.obeyed.extend(obeyed);
        StepFacts { program, via, script, targets, hooks }
    }

    fn look_up_word(&self, word: Option<&Word>, place: &LookupContext<'_>, held: &mut Held) -> Lookup {
        let Some(name) = word.and_then(|word| word.value.as_deref()) else { return Lookup::Nothing };
        // Without a known folder only what does not depend on it can be looked up.
        if place.is_unknown() && name.contains('/') && !name.starts_with('/') {
            return Lookup::Nothing;
        }
        let found = self.look_up(name, place);
        if let FileLookup::File(file) = &found {
            held.hold_file(file);
        }
        found.lookup(name)
    }
}

/// Returns every folder in which a step may run; none if that is not known before the run.
fn folders_of(step: &Step, here: &Path) -> Vec<PathBuf> {
    match &step.dir {
        Dir::Same => vec![here.to_owned()],
        Dir::Under(path) => vec![here.join(path)],
        Dir::OneOf(all) => all.iter().map(|path| here.join(path)).collect(),
        Dir::Unknown => Vec::new(),
    }
}

/// Returns the folder of a step's relative paths; empty if it is not known before the run.
fn place_of<'a>(step: &Step, here: &LookupContext<'a>) -> LookupContext<'a> {
    let folder = match &step.dir {
        Dir::Same => here.folder.clone(),
        Dir::Under(path) => here.folder.join(Path::new(path)),
        Dir::OneOf(_) | Dir::Unknown => PathBuf::new(),
    };
    LookupContext {
        folder,
        search_path: here.search_path,
        shell_path: here.shell_path,
        known: here.known.clone(),
    }
}
