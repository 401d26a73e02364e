//! Test of the way that an agent's own requests take, by one harmless command.

use super::AgentSetup;
use super::known::{AgentConnectMethod, agent_facts};
use crate::hooks::HookAgent;
use parking_lot::Mutex;
use postern_command::escape;
use postern_contract::methods::{
    AgentRef, ControlError, GetAgent, GetRequest, KnownAgent, RequestAsk, SetupTest, SetupTestRef,
    SetupTested, TestAgent, TestState,
};
use postern_host::{ApproverId, OwnEnd};
use postern_policy::expand_home;
use postern_protocol::RunState;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;

/// The command: it reads nothing of the user's.
const COMMAND: &str = "uname -s";
/// The command that is asked about also where looking around is allowed. No hook runs what it is asked.
const ASKED: &str = "touch hello.txt";
/// Number of tests whose result is remembered.
const MOST: usize = 32;

/// Tests with their sessions, the oldest first.
#[derive(Debug, Default, Clone)]
pub(super) struct Tests {
    all: Arc<Mutex<VecDeque<(String, RunningTest)>>>,
}

impl Tests {
    fn get(&self, session: &str) -> Option<RunningTest> {
        self.all.lock().iter().find(|(known, _)| known == session).map(|(_, test)| test.clone())
    }

    /// Notes how a test stands. The oldest of too many is forgotten.
    fn note(&self, session: &str, test: RunningTest) {
        let mut all = self.all.lock();
        if let Some((_, known)) = all.iter_mut().find(|(known, _)| known == session) {
            *known = test;
            return;
        }
        if all.len() >= MOST {
            all.pop_front();
        }
        all.push_back((session.to_owned(), test));
    }
}

/// A test under way, or its result.
#[derive(Debug, Clone)]
enum RunningTest {
    Hook(SetupTested),
    /// A request of this number on the agent's channel.
    Request(String),
}

impl AgentSetup {
    pub(crate) async fn start_test(
        &self,
        face: ApproverId,
        asked: SetupTest,
    ) -> Result<SetupTestRef, ControlError> {
        let SetupTest { kind, agent, asks } = asked;
        let how = agent_facts(kind).how;
        // The details of a question show it, as every id of a session.
        let session = format!("test {:08x}", uuid::Uuid::new_v4().as_fields().0);
        match how {
            AgentConnectMethod::Hook(hook) => {
                // An agent that does not exist is told by name, not by what its hook says.
                let row = self.host.call_method::<GetAgent>(face, &AgentRef { agent: agent.clone() }).await?;
                let command = self.command(how, &agent)?;
                let folder = test_folder(&row.settings.folders, &self.host.user().home);
                let event = event(hook, if asks { ASKED } else { COMMAND }, &session, &folder);
                let running =
                    self.host.run_own_program(command[1..].to_vec(), event.to_string().into_bytes());
                let waiting = SetupTested { state: TestState::Waiting, message: None };
                self.tests.note(&session, RunningTest::Hook(waiting));
                let (tests, name) = (self.tests.clone(), session.clone());
                tokio::spawn(async move {
                    let tested = ended(kind, running.await);
                    tests.note(&name, RunningTest::Hook(tested));
                });
            }
            AgentConnectMethod::Mcp(_)
            | AgentConnectMethod::Integration(_)
            | AgentConnectMethod::Channel(_) => {
                let asked = self.host.call_method::<TestAgent>(face, &AgentRef { agent }).await?;
                self.tests.note(&session, RunningTest::Request(asked.id));
            }
        }
        Ok(SetupTestRef { session })
    }

    /// Says how a test stands.
    pub(crate) async fn tested(
        &self,
        face: ApproverId,
        asked: SetupTestRef,
    ) -> Result<SetupTested, ControlError> {
        match self.tests.get(&asked.session) {
            None => Err(ControlError::not_found(format!("there is no test {:?}", asked.session))),
            Some(RunningTest::Hook(tested)) => Ok(tested),
            Some(RunningTest::Request(id)) => {
                let row =
                    self.host.call_method::<GetRequest>(face, &RequestAsk { id, secrets: false }).await?;
                let state = match row.row.state {
                    RunState::Finished | RunState::Allowed => TestState::Allowed,
                    RunState::Denied => TestState::Denied,
                    RunState::Failed => TestState::Failed,
                    _ => TestState::Waiting,
                };
                Ok(SetupTested { state, message: row.message })
            }
        }
    }
}

/// Returns the folder that a test asks in: the first of the agent's own, or the home folder where it has none.
fn test_folder(folders: &[String], home: &str) -> String {
    folders.first().map_or_else(|| home.to_owned(), |first| expand_home(first, home).into_owned())
}

/// Returns the event by which an agent asks for the command in this folder.
fn event(kind: HookAgent, command: &str, session: &str, cwd: &str) -> Value {
    match kind {
        HookAgent::Cursor => json!({"hook_event_name": "beforeShellExecution", "conversation_id": session,
            "command": command, "cwd": cwd}),
        HookAgent::GeminiCli => json!({"hook_event_name": "BeforeTool", "session_id": session, "cwd": cwd,
            "tool_name": "run_shell_command", "tool_input": {"command": command}}),
        _ => json!({"hook_event_name": "PreToolUse", "session_id": session, "cwd": cwd,
            "tool_name": "Bash", "tool_input": {"command": command}}),
    }
}

/// Reads what the hook's program said, as its agent does.
fn ended(kind: KnownAgent, end: std::io::Result<OwnEnd>) -> SetupTested {
    let failed = |message: &str| SetupTested {
        state: TestState::Failed,
        message: Some(escape::visible_text(message)),
    };
    let end = match end {
        Ok(end) => end,
        Err(error) => return failed(&ControlError::internal(error).message),
    };
    if !end.worked {
        return failed(end.stderr.trim());
    }
    let Ok(said) = serde_json::from_str::<Value>(&end.stdout) else {
        return failed(&format!("{} would not understand its answer", kind.display_name()));
    };
    let specific = &said["hookSpecificOutput"];
    let word = [&specific["permissionDecision"], &said["permission"], &said["decision"]];
    let word = word.into_iter().find_map(Value::as_str);
    let reason = [&specific["permissionDecisionReason"], &said["agent_message"], &said["reason"]];
    let reason = reason.into_iter().find_map(Value::as_str).filter(|reason| !reason.is_empty());
    let state = match word {
        Some("allow") => TestState::Allowed,
        Some("deny") => TestState::Denied,
        _ => TestState::LeftToAgent,
    };
    SetupTested { state, message: reason.map(escape::visible_text) }
}
