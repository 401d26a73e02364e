//! Test of the way that an agent's own requests take, by one harmless command.

use super::known::{AgentConnectMethod, agent_facts};
use super::{AgentSetup, internal};
use crate::hooks::HookAgent;
use postern_command::escape;
use postern_contract::methods::{
    AgentRef, ControlError, GetAgent, GetRequest, KnownAgent, RequestAsk, SetupTest, SetupTestRef,
    SetupTested, TestAgent, TestState,
};
use postern_host::{ApproverId, OwnEnd};
use postern_protocol::RunState;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The command: it reads nothing of the user's.
const COMMAND: &str = "uname -s";
/// The command that is asked about also where looking around is allowed. No hook runs what it is asked.
const ASKED: &str = "touch hello.txt";
/// Number of tests whose result is remembered.
const MOST: usize = 32;

/// Tests, by session.
#[derive(Debug, Default)]
pub(super) struct Tests {
    all: Arc<Mutex<BTreeMap<String, RunningTest>>>,
}

/// A test under way, or its result.
#[derive(Debug, Clone)]
enum RunningTest {
    /// The hook's program.
    Hook(SetupTested),
    /// A request of this number on the agent's channel.
    Request(String),
}

impl AgentSetup {
    /// Starts a test.
    pub(crate) async fn test(
        &self,
        face: ApproverId,
        asked: SetupTest,
    ) -> Result<SetupTestRef, ControlError> {
        let SetupTest { kind, agent, asks } = asked;
        let how = agent_facts(kind).how;
        // A question shows it, as it shows every session.
        let session = format!("test {}", uuid::Uuid::now_v7());
        let under = match how {
            AgentConnectMethod::Hook(hook) => {
                // An agent that does not exist is told by name, not by what its hook says.
                self.host.call_method::<GetAgent>(face, &AgentRef { agent: agent.clone() }).await?;
                let command = self.command(how, &agent)?;
                let event = event(hook, if asks { ASKED } else { COMMAND }, &session, &self.host.user().home);
                let running =
                    self.host.run_own_program(command[1..].to_vec(), event.to_string().into_bytes());
                let (all, name) = (Arc::clone(&self.tests.all), session.clone());
                tokio::spawn(async move {
                    let tested = ended(kind, running.await);
                    lock(&all).insert(name, RunningTest::Hook(tested));
                });
                RunningTest::Hook(SetupTested { state: TestState::Waiting, message: None })
            }
            AgentConnectMethod::Mcp(_)
            | AgentConnectMethod::Integration(_)
            | AgentConnectMethod::Channel(_) => {
                RunningTest::Request(self.host.call_method::<TestAgent>(face, &AgentRef { agent }).await?.id)
            }
        };
        let mut all = lock(&self.tests.all);
        while all.len() >= MOST {
            all.pop_first();
        }
        // The program may have ended meanwhile.
        all.entry(session.clone()).or_insert(under);
        Ok(SetupTestRef { session })
    }

    /// Says how a test stands.
    pub(crate) async fn tested(
        &self,
        face: ApproverId,
        asked: SetupTestRef,
    ) -> Result<SetupTested, ControlError> {
        let under = lock(&self.tests.all).get(&asked.session).cloned();
        match under {
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

/// Returns the event by which an agent asks for the command.
fn event(kind: HookAgent, command: &str, session: &str, home: &str) -> Value {
    match kind {
        HookAgent::Cursor => json!({"hook_event_name": "beforeShellExecution", "conversation_id": session,
            "command": command, "cwd": home}),
        HookAgent::GeminiCli => json!({"hook_event_name": "BeforeTool", "session_id": session, "cwd": home,
            "tool_name": "run_shell_command", "tool_input": {"command": command}}),
        _ => json!({"hook_event_name": "PreToolUse", "session_id": session, "cwd": home,
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
        Err(error) => return failed(&internal(&error).message),
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

fn lock<T>(all: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Every change is one insertion.
    all.lock().unwrap_or_else(PoisonError::into_inner)
}
