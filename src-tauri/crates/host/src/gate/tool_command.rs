//! The command that the use of a tool amounts to, looked up here as far as it can be: so that what denies a host command
//! denies it under a tool's name as well.

use super::judge::{World, first_folder};
use crate::book::now;
use crate::resolve::{Cwd, search_path};
use postern_command::{Dialect, Reading, read_shell_at};
use postern_policy::permissions::{ToolVerdict, check_tool};
use postern_policy::{AgentPolicy, Facts, Settings, StepFacts, against_command_tool};
use serde_json::Value;
use std::path::Path;

/// A tool's command with what was found for it.
#[derive(Debug)]
pub(crate) struct ToolCommand {
    reading: Reading,
    steps: Vec<StepFacts>,
    cwd: String,
}

impl ToolCommand {
    /// Reads it and looks its programs up. Reads the disk. The folder is the one that the arguments name, which may be one
    /// in a sandbox that is none here; without one it is where a host command of this agent would run.
    pub(crate) fn look_up(world: &World, settings: &Settings, text: &str, arguments: &Value) -> Self {
        let reading = read_shell_at(text, Dialect::Bash, &world.home);
        let named = arguments.get("cwd").and_then(Value::as_str).filter(|cwd| cwd.starts_with('/'));
        let folder = named.map_or_else(|| first_folder(world, settings), str::to_owned);
        let cwd = Cwd::open(&folder).map_or(folder, |cwd| cwd.bound.path);
        let programs = search_path(&settings.search_path, &world.home);
        let steps = world.resolver.steps(&reading, Path::new(&cwd), &programs);
        Self { reading, steps, cwd }
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
            env_to_ask: &[],
            input: &postern_policy::Input::Nothing,
        }
    }
}

/// Judges a tool by the agent's file and its session's layers, and its command, where it has one, by the rules for host
/// commands as well.
pub(crate) fn judge_tool(
    world: &World,
    policy: &AgentPolicy,
    session: Option<&str>,
    tool: &str,
    arguments: &Value,
    command: Option<&ToolCommand>,
) -> ToolVerdict {
    let verdict = check_tool(policy, session, tool, arguments, &world.home);
    match command {
        Some(command) => verdict.and(against_command_tool(policy, &command.facts(world, session))),
        None => verdict,
    }
}
