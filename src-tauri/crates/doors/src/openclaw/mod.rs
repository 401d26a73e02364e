//! OpenClaw's companion socket: an unmodified OpenClaw node asks here instead of its own app.
//!
//! The door is a client of one agent: what OpenClaw asks is asked on that agent's channel, judged by that agent's rules,
//! and shown as that agent's question. The keys of its own sessions are ids, shown in details only.
//! A decision that a request carries is not a person's: it counts only where the person turned `relay` on, and then as
//! the answer to a question, never against a rule that denies.

mod check;
mod connection;
mod job;
mod message;
mod proof;
mod relay;
mod screen;
mod work;

use crate::door::Door;
use crate::listen::DoorTasks;
use crate::values::{DoorValues, find_agent, switch};
use async_trait::async_trait;
use job::OpenclawJobs;
use parking_lot::Mutex;
use postern_contract::MultilineText;
use postern_contract::methods::{ControlError, DoorKind, DoorSetup};
use postern_host::{BindError, Host, bind_socket};
use postern_policy::AgentId;
use postern_protocol::SocketKey;
use proof::Nonces;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use work::Way;

/// Connections at a time. OpenClaw opens one for each request and closes it within twenty seconds.
const CONNECTIONS: usize = 32;

#[derive(Debug)]
pub(crate) struct Openclaw {
    shared: Arc<OpenclawShared>,
    socket: PathBuf,
    listening: DoorTasks,
}

/// State that every connection needs.
#[derive(Debug)]
struct OpenclawShared {
    host: Host,
    agent: AgentId,
    way: Way,
    token: SocketKey,
    relay: bool,
    jobs: OpenclawJobs,
    nonces: Mutex<Nonces>,
}

impl Openclaw {
    pub(crate) async fn open(host: &Host, values: &DoorValues) -> Result<Self, ControlError> {
        let relay = switch(values, "relay")?;
        let row = find_agent(host, values, DoorKind::Openclaw).await?;
        let way = Way { socket: row.socket.into(), key_file: row.key_file.into() };
        let socket = match values.get("socket") {
            Some(path) => PathBuf::from(path),
            None => crate::folder(host).map_err(ControlError::internal)?.join("openclaw.sock"),
        };
        if !socket.is_absolute() {
            return Err(ControlError::invalid("socket is an absolute path, in a folder that is yours alone"));
        }
        let bound =
            bind_socket(&socket).map_err(|error: BindError| ControlError::refused(error.to_string()))?;
        let token = host.secret("openclaw").await.map_err(ControlError::internal)?;
        let shared = OpenclawShared {
            host: host.clone(),
            agent: row.id,
            way,
            token,
            relay,
            jobs: OpenclawJobs::default(),
            nonces: Mutex::default(),
        };
        let shared = Arc::new(shared);
        let (listening, serving) = (DoorTasks::default(), Arc::clone(&shared));
        listening.serve_connections(DoorKind::Openclaw, bound, CONNECTIONS, move |stream, closed| {
            let shared = Arc::clone(&serving);
            async move {
                tokio::select! {
                    () = connection::serve_connection(&shared, stream) => {}
                    () = closed.cancelled() => {}
                }
            }
        });
        Ok(Self { shared, socket, listening })
    }
}

#[async_trait]
impl Door for Openclaw {
    fn set_up(&self) -> Result<DoorSetup, ControlError> {
        let (socket, token) = (self.socket.to_string_lossy().into_owned(), self.shared.token.to_text());
        let document = serde_json::json!({
            "version": 1,
            "socket": {"path": socket, "token": token},
            "defaults": {"security": "full", "ask": "off", "askFallback": "deny"},
            "agents": {},
        });
        let text = format!(
            "On the Mac where OpenClaw's node runs, let Postern decide:\n\
             1. Save this as approvals.json, and run\n\
             \x20  openclaw approvals set --file approvals.json\n\n{document:#}\n\n\
             2. Start the node with OPENCLAW_NODE_EXEC_HOST=app. Its own list then allows\n\
             \x20  everything, and Postern's rules for the agent {} decide. OpenClaw before\n\
             \x20  2026.8 reads the same text from ~/.openclaw/exec-approvals.json.\n\
             3. Quit OpenClaw's own companion app: one app serves a socket.\n",
            self.shared.agent
        );
        let values = BTreeMap::from([
            ("socket".to_owned(), socket),
            ("token".to_owned(), token),
            ("document".to_owned(), format!("{document:#}")),
        ]);
        Ok(DoorSetup { door: DoorKind::Openclaw, values, text: MultilineText::new(text) })
    }

    async fn revoke(&self, _: &str) -> Result<(), ControlError> {
        Err(ControlError::not_found("OpenClaw has no clients of its own here: disable the door"))
    }

    async fn close(self: Box<Self>) {
        self.listening.close().await;
    }
}
