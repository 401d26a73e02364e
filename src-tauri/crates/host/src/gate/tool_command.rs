//! What a tool's call amounts to, looked up here as far as it can be: the command that it would run, so that what denies a
//! host command denies it under a tool's name as well, and the protected places that it touches.

use super::judge::{World, first_folder};
use crate::book::now;
use crate::resolve::{Cwd, Reach, real, search_path};
use postern_command::{Dialect, Reading, read_shell_at};
use postern_policy::permissions::{
    SHELL_TOOL, ToolVerdict, Touch, acts_as, carried_commands, check_tool, named_paths,
};
use postern_policy::{
    AgentPolicy, Facts, Protected, Risk, Settings, StepFacts, against_command_tool, expand_home, risk,
};
use postern_protocol::Defaults;
use serde_json::Value;
use std::path::Path;

/// A tool's call with what was found for it.
#[derive(Debug, Default)]
pub(crate) struct ToolFacts {
    /// The command that it amounts to.
    pub(crate) command: Option<ToolCommand>,
    /// The protected places that it touches.
    touches: Vec<Touch>,
    /// The risk of commands that it carries, where its tool is none that is known to run them.
    carried: Option<Risk>,
}

/// A tool's command with what was found for it.
#[derive(Debug)]
pub(crate) struct ToolCommand {
    pub(crate) reading: Reading,
    steps: Vec<StepFacts>,
    pub(crate) cwd: String,
}

/// A tool's call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolCall<'a> {
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a Value,
    /// The folder that relative paths among its arguments start in.
    pub(crate) cwd: Option<&'a str>,
}

impl ToolFacts {
    /// Looks a call up. Reads the disk where the call names a path or a command.
    pub(crate) fn look_up(world: &World, settings: &Settings, call: ToolCall<'_>) -> Self {
        let ToolCall { tool, arguments, .. } = call;
        let paths = named_paths(tool, arguments);
        let text = acts_as(tool, arguments, &world.home, &world.data);
        let carried =
            if tool == SHELL_TOOL && text.is_some() { Vec::new() } else { carried_commands(arguments) };
        if paths.is_empty() && text.is_none() && carried.is_empty() {
            return Self::default();
        }
        let command = text.map(|text| ToolCommand::look_up(world, settings, &text, arguments));
        let protected = Protected::new(&world.home, real_place);
        let touches = match &command {
            Some(command) if tool == SHELL_TOOL => {
                protected.of_line(&command.facts(world, None)).into_iter().map(Touch::from).collect()
            }
            Some(_) | None => {
                let of_path = |named: postern_policy::permissions::NamedPath<'_>| {
                    let written = expand_home(&named.path, &world.home);
                    // Without a folder a relative path may start anywhere: in the home folder it does most harm.
                    let path = Path::new(call.cwd.unwrap_or(&world.home)).join(&*written);
                    let real = real_path(&path);
                    Touch::of_path(&protected, &path.to_string_lossy(), real.as_deref(), named.used)
                };
                paths.into_iter().flat_map(of_path).collect()
            }
        };
        let risks = carried.iter().map(|text| ToolCommand::bare(world, text).risk(world));
        let carried = risks.max_by_key(|risk| risk.level);
        Self { command, touches, carried }
    }
}

/// Where a protected place leads: what is there, and a link to what is not there yet.
fn real_place(path: &str) -> Option<String> {
    let path = Path::new(path);
    match std::fs::canonicalize(path) {
        Ok(real) => Some(real.to_string_lossy().into_owned()),
        Err(_) if path.is_symlink() => real_path(path),
        Err(_) => None,
    }
}

fn real_path(path: &Path) -> Option<String> {
    real(path).map(|path| path.to_string_lossy().into_owned())
}

impl ToolCommand {
    /// Reads it and looks its programs up. Reads the disk. The folder is the one that the arguments name, which may be one
    /// in a sandbox that is none here; without one it is where a host command of this agent would run.
    fn look_up(world: &World, settings: &Settings, text: &str, arguments: &Value) -> Self {
        let reading = read_shell_at(text, Dialect::Bash, &world.home);
        let named = arguments.get("cwd").and_then(Value::as_str).filter(|cwd| cwd.starts_with('/'));
        let folder = named.map_or_else(|| first_folder(world, settings), str::to_owned);
        let cwd = Cwd::open(&folder).map_or(folder, |cwd| cwd.bound.path);
        let programs = search_path(&settings.search_path, &world.home);
        let resolver = world.resolver.reached_by(Reach::of_agent(&settings.folders, &world.home, &cwd));
        let steps = resolver.steps(&reading, Path::new(&cwd), &programs);
        Self { reading, steps, cwd }
    }

    /// Only reads it.
    fn bare(world: &World, text: &str) -> Self {
        let reading = read_shell_at(text, Dialect::Bash, &world.home);
        Self { reading, steps: Vec::new(), cwd: world.home.clone() }
    }

    fn risk(&self, world: &World) -> Risk {
        risk::assess(&self.facts(world, None))
    }

    fn facts<'a>(&'a self, world: &'a World, session: Option<&'a str>) -> Facts<'a> {
        Facts {
            reading: &self.reading,
            steps: &self.steps,
            cwd: &self.cwd,
            home: &world.home,
            data: &world.data,
            own_pid: Some(std::process::id()),
            session,
            now: now(),
            case_insensitive: world.any_case,
            shell: true,
            folders: &[],
            confinable: false,
            env_to_ask: &[],
            input: &postern_policy::Input::Nothing,
        }
    }
}

/// Judges a tool by the agent's file and its session's layers, by the protected places that it touches, and its command, where
/// it has one, by the rules for host commands as well.
pub(crate) fn judge_tool(
    world: &World,
    policy: &AgentPolicy,
    session: Option<&str>,
    call: ToolCall<'_>,
    found: &ToolFacts,
    defaults: Option<Defaults>,
) -> ToolVerdict {
    let mut verdict = check_tool(policy, session, call.tool, call.arguments, &world.home);
    if let Some(carried) = &found.carried
        && carried.level > verdict.risk.level
    {
        verdict.risk = carried.clone();
    }
    if let Some(command) = &found.command {
        let mut against = against_command_tool(policy, &command.facts(world, session));
        if call.tool == SHELL_TOOL {
            let steps = std::mem::take(&mut against.steps);
            verdict = verdict.of_line(against.risk.clone(), steps);
        }
        verdict = verdict.and(against);
    }
    let reading = found.command.as_ref().map(|command| &command.reading);
    verdict = verdict.protect(policy, session, call.tool, (&found.touches, reading), &world.home);
    match defaults {
        Some(Defaults::Ask) => verdict.asking_for_defaults(),
        Some(Defaults::Leave) => verdict.leaving_defaults(),
        None => verdict,
    }
}
