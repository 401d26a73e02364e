//! Asking on an agent's own channel, as the agent would: over its socket, with its key, through the very gate that every
//! request goes through. Nothing here decides anything.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use crate::socket::{Reader, make_call};
use postern_command::escape;
use postern_contract::methods::{
    AgentRef, ControlCode, ControlError, RequestAgain, RequestNumber, Submitted, TestAgent,
};
use postern_policy::AgentId;
use postern_protocol::{AgentCall, RunParams, RunStdin, Wait, What};
use postern_store::requests;
use std::time::Duration;
use tokio::net::UnixStream;
use uuid::Uuid;

/// Time that the channel may take to accept a request. A question is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// Reason in place of the agent's own.
const AGAIN: &str = "run again by you, from the activity";
const TEST: &str = "a test of the channel, by you";

impl HostControl {
    /// Sends `run` on the channel of `agent`. Gives the host's own number of the request.
    async fn submit(&self, agent: &AgentId, run: RunParams) -> Result<Submitted, ControlError> {
        let entry = self.parts.book.require_agent(agent)?;
        let failed = |what: String| ControlError::new(ControlCode::Conflict, what);
        let key = entry.folder.ensure_key().map_err(|error| failed(format!("the channel's key: {error}")))?;
        let socket = entry.folder.socket();
        let asked = run.request_id;
        let sent = async {
            let stream = UnixStream::connect(&socket)
                .await
                .map_err(|error| format!("nothing answers on {}: {error}", socket.display()))?;
            let (incoming, outgoing) = stream.into_split();
            make_call(Reader::new(incoming), outgoing, &key, &AgentCall::Run(Box::new(run))).await
        };
        match tokio::time::timeout(PATIENCE, sent).await {
            Ok(Ok(())) => {}
            Ok(Err(what)) => return Err(failed(what)),
            Err(_) => return Err(failed("the channel does not answer".to_owned())),
        }
        let (whose, name) = (agent.clone(), asked.to_string());
        let row = self.read_record(move |conn| requests::get_by_key(conn, &whose, &name)).await?;
        let row = row.ok_or_else(|| failed("the request was not written down".to_owned()))?;
        Ok(Submitted { id: row.summary.id.to_string() })
    }
}

impl Handle<TestAgent> for HostControl {
    async fn handle(&self, _: ApproverId, params: AgentRef) -> MethodResult<TestAgent> {
        let command = ["uname", "-s"].map(str::to_owned).to_vec();
        let reason = Some(TEST.to_owned());
        let run = RunParams { reason, ..RunParams::new(Uuid::new_v4(), What::Command(command)) };
        self.submit(&params.agent, run).await
    }
}

impl Handle<RequestAgain> for HostControl {
    async fn handle(&self, _: ApproverId, params: RequestNumber) -> MethodResult<RequestAgain> {
        let row = self.request(&params.id).await?;
        if !row.summary.origin.is_host() {
            return Err(ControlError::refused("the agent does this itself: only it can do it again"));
        }
        let run = asked_before(&row.asked)?;
        self.submit(&row.summary.agent, copy_as_new(run)?).await
    }
}

/// Reads a request as it was recorded.
pub(super) fn asked_before(asked: &str) -> Result<RunParams, ControlError> {
    let odd = |what: String| {
        ControlError::new(ControlCode::Conflict, format!("what was asked for cannot be read: {what}"))
    };
    let asked: serde_json::Value = serde_json::from_str(asked).map_err(|error| odd(error.to_string()))?;
    if asked.get("notKept").is_some() {
        return Err(ControlError::refused(
            "the request was too long to be stored: only the agent can send it again",
        ));
    }
    RunParams::from_value(&asked).map_err(|mistake| odd(escape::visible_text(&mistake.to_string())))
}

/// Copies a request under a new number. Nobody is connected to read its output or to feed it.
fn copy_as_new(run: RunParams) -> Result<RunParams, ControlError> {
    if matches!(run.stdin, RunStdin::Stream) {
        let what =
            "its input was fed by the agent while it ran, and is not kept: only the agent can run it again";
        return Err(ControlError::refused(what));
    }
    Ok(RunParams {
        request_id: Uuid::new_v4(),
        reason: Some(AGAIN.to_owned()),
        wait: Wait::None,
        stream: false,
        cancel_on_disconnect: false,
        join: false,
        ..run
    })
}
