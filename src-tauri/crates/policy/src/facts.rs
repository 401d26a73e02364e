//! Facts that a request is judged by: everything comes in as a value.

use crate::path;
use crate::rule::{Identity, Millis};
use crate::subject::Origin;
use postern_command::ParsedCommand;
use postern_protocol::RequestedConfinement;
use serde::{Deserialize, Serialize};

/// A program that was looked up.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundProgram {
    /// The name or path as it was asked for.
    pub invoked: String,
    /// Absolute, lexically normal path; symbolic links not followed.
    pub path: String,
    /// The path the system gives back for the opened file.
    pub real_path: String,
    /// Identity; `None` if only the path is known (policy tests).
    pub identity: Option<Identity>,
    /// The interpreter named in its `#!` line, with its arguments, where it is a script.
    pub shebang: Option<Vec<String>>,
    /// True if the file or any folder above it can be written to by the person's own user.
    pub mutable: bool,
    /// True if the agent can change which file runs, or its content, until it runs. Then its identity
    /// promises nothing.
    ///
    /// That is the file, a folder or link on the way, its interpreter, or an earlier search-path folder.
    #[serde(default)]
    pub agent_can_change: bool,
    /// Number of hard links; 0 if unknown.
    #[serde(default)]
    pub links: u64,
    /// True if it runs as another user (setuid, setgid).
    pub setuid: bool,
    /// True if only the user's shell finds it: its folder is not on the agent's search path.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shell_only: bool,
}

impl FoundProgram {
    /// Returns a program at a path, of which nothing else is known.
    pub(crate) fn at_path(path: String) -> Self {
        Self {
            invoked: String::new(),
            real_path: path.clone(),
            path,
            identity: None,
            shebang: None,
            mutable: false,
            agent_can_change: false,
            links: 1,
            setuid: false,
            shell_only: false,
        }
    }
}

/// The result of looking a step's program up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Lookup {
    Found(Box<FoundProgram>),
    /// No such program on the agent's search path, or no such file.
    NotFound,
    /// There, but not to be run: `what` says why (a directory, a FIFO, not executable, no known format).
    Unusable {
        /// Absolute path.
        path: String,
        /// Problem, as a sentence fragment ("is a directory").
        what: String,
    },
    /// Nothing to look up: a builtin, a function, or a name that is not known before the run.
    Nothing,
}

/// A file operand that an interpreter would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Script {
    pub written: String,
    pub real_path: String,
    pub identity: Identity,
    /// True if the agent can change which file is read, or its content, until then. Then its identity promises
    /// nothing.
    #[serde(default)]
    pub agent_can_change: bool,
}

/// Findings for a step, in the order of [`ParsedCommand::steps`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepFacts {
    /// The step's own program.
    pub program: Lookup,
    /// The programs of its wrappers, outermost first.
    pub via: Vec<Lookup>,
    /// The script it would run.
    pub script: Option<Script>,
    /// Paths that it names, as they are known before the run, and where each really leads.
    pub targets: Vec<TargetPath>,
    /// Names of its repository's hooks that it would run, and settings by which it would start a program: `core.sshcommand=./x`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<String>,
}

impl StepFacts {
    /// Returns the step's files that the agent can change until they run, as written: wrappers, program,
    /// script.
    pub fn changeable(&self) -> impl Iterator<Item = &str> {
        let programs = self.via.iter().chain([&self.program]).filter_map(|lookup| match lookup {
            Lookup::Found(program) if program.agent_can_change => Some(program.invoked.as_str()),
            Lookup::Found(_) | Lookup::NotFound | Lookup::Unusable { .. } | Lookup::Nothing => None,
        });
        let script = self.script.iter().filter(|script| script.agent_can_change);
        programs.chain(script.map(|script| script.written.as_str()))
    }

    /// Returns true if a step in this folder has the programs, script and hooks that it was judged by, and no path leads elsewhere.
    ///
    /// A file that another run made where the path says is no difference.
    pub fn is_as_judged(&self, judged: &Self, cwd: &str) -> bool {
        let leads =
            |target: &TargetPath| path::reached(cwd, &target.written) != path::reached("/", &target.real);
        let same = |target: &TargetPath| !leads(target) || judged.targets.contains(target);
        self.program == judged.program
            && self.via == judged.via
            && self.script == judged.script
            && self.hooks == judged.hooks
            && self.targets.iter().all(same)
    }
}

/// A path that a step names: an operand, or where a redirection writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetPath {
    /// As written, with the home folder put in.
    pub written: String,
    /// The real path of the deepest folder of it that exists, with the rest behind it.
    pub real: String,
}

/// Standard input, as far as it is known before the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "sha256")]
pub enum Input {
    #[default]
    Nothing,
    /// Text, by its sha256.
    Text(String),
    /// A stream, sent while the command runs.
    Stream,
}

/// Profiles that a verdict may rely on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Confinable {
    pub look: bool,
    pub project: bool,
}

impl Confinable {
    /// Every profile.
    pub const ALL: Self = Self { look: true, project: true };
    /// No profile.
    pub const NONE: Self = Self { look: false, project: false };
}

/// Facts that a request is judged by.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    /// Actor that would run it.
    pub origin: Origin,
    pub reading: &'a ParsedCommand,
    pub steps: &'a [StepFacts],
    /// The request's working directory: absolute, real.
    pub cwd: &'a str,
    /// The person's home folder: absolute.
    pub home: &'a str,
    /// Postern's own data folder: absolute, real.
    pub data: &'a str,
    /// Postern's own process, where it is known.
    pub own_pid: Option<u32>,
    /// The agent's session, where it named one.
    pub session: Option<&'a str>,
    pub now: Millis,
    /// True if names are compared without case (the default volume of macOS).
    pub case_insensitive: bool,
    /// True if the request came as shell text (an argv otherwise).
    pub shell: bool,
    /// The agent's folders, or the request's folder if it has none, as real paths.
    pub folders: &'a [String],
    /// Names in the root folder: a word that begins with one of them is a path.
    pub root_entries: &'a [String],
    /// The profiles that the system can confine a run with.
    pub confinable: Confinable,
    pub confine: Option<RequestedConfinement>,
    /// Names of environment overrides that this agent may not set without being asked about them.
    pub env_to_ask: &'a [String],
    pub input: &'a Input,
}

#[cfg(test)]
mod tests {
    use super::{Lookup, StepFacts, TargetPath};

    fn step(targets: &[(&str, &str)], hooks: &[&str]) -> StepFacts {
        let target =
            |(written, real): &(&str, &str)| TargetPath { written: (*written).into(), real: (*real).into() };
        let hooks = hooks.iter().map(|hook| (*hook).to_owned()).collect();
        let targets = targets.iter().map(target).collect();
        StepFacts { program: Lookup::Nothing, via: Vec::new(), script: None, targets, hooks }
    }

    #[test]
    fn a_step_is_as_it_was_judged_unless_a_path_leads_elsewhere_or_a_hook_came() {
        let judged = step(&[("l", "/q/x")], &["pre-push"]);
        for (targets, hooks, expected) in [
            (&[("l", "/q/x")][..], &["pre-push"][..], true),
            (&[], &["pre-push"], true),
            (&[("l", "/q/x"), ("/out/made", "/out/made"), ("../out/log", "/out/log")], &["pre-push"], true),
            (&[("/tmp/x", "/private/tmp/x")], &["pre-push"], true),
            (&[("l", "/q/y")], &["pre-push"], false),
            (&[("/out/made", "/keys/made")], &["pre-push"], false),
            (&[("l", "/q/x")], &["pre-push", "post-commit"], false),
        ] {
            assert_eq!(step(targets, hooks).is_as_judged(&judged, "/p"), expected, "{targets:?} {hooks:?}");
        }
    }
}
