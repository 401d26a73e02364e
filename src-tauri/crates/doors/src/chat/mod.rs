//! Approval in a chat: a question is posted where its owners are, and answered there by a command, a reaction or a button.
//!
//! One flow ([`hub`]) serves every network; a network is a [`Messenger`]. Only owners can answer, only what was shown to
//! them, and exactly as it was shown; everybody else is ignored and noted.

mod answer;
mod approval;
mod ask;
mod hub;
mod length;
mod messenger;
mod register;
mod settings;
mod subject;
#[cfg(feature = "telegram")]
mod telegram;
mod text;
#[cfg(feature = "xmpp")]
mod xmpp;

#[cfg(feature = "telegram")]
pub(crate) use telegram::Telegram;
#[cfg(feature = "xmpp")]
pub(crate) use xmpp::Xmpp;

use crate::door::Door;
use crate::kept_running::{AFTER_A_CRASH, keep_running};
use approval::Approvals;
use async_trait::async_trait;
use hub::{ChatConnection, Hub};
use messenger::Messenger;
use parking_lot::Mutex;
use postern_contract::methods::{ControlError, DoorKind, DoorSetup, PairedClient};
use postern_contract::{Moment, MultilineText, RequestRow};
use postern_host::Host;
use register::{Register, StoredChatState};
use settings::ChatSettings;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Time that opening a door waits to learn whether it works.
const SETTLES: Duration = Duration::from_secs(10);

/// The open door to a network.
#[derive(Debug)]
pub(crate) struct Chat<M> {
    host: Host,
    kind: DoorKind,
    messenger: Arc<M>,
    register: Arc<Mutex<Register>>,
    line: watch::Receiver<ChatConnection>,
    stir: Arc<tokio::sync::Notify>,
    closed: CancellationToken,
    tasks: TaskTracker,
}

/// Returns the messages that showed a request's question in chats, with their status.
///
/// As it is kept, so also if a door is closed by now, and without waiting for one that is being opened. If
/// the record cannot be read they are left out: the rest of the request is there all the same.
pub(crate) async fn chat_moments(host: &Host, request: &RequestRow) -> Vec<Moment> {
    let Ok(id) = request.id.parse() else { return Vec::new() };
    match host.chat_messages_of(id).await {
        Ok(messages) => messages.iter().map(|message| approval::moment(message, request)).collect(),
        Err(error) => {
            tracing::warn!(%error, "what chats showed cannot be read");
            Vec::new()
        }
    }
}

async fn recall(host: &Host, kind: DoorKind) -> Result<(StoredChatState, Approvals), ControlError> {
    let kept = host.recall(kind.name()).await.map_err(ControlError::store)?;
    let kept = kept.map_or_else(
        || Ok(StoredChatState::default()),
        |kept| serde_json::from_value(kept).map_err(ControlError::store),
    )?;
    let messages = host.chat_messages(kind.name()).await.map_err(ControlError::store)?;
    Ok((kept, Approvals::of_record(messages)))
}

/// Instructions of a network for a person who sets it up.
pub(crate) trait Guide {
    /// Returns the steps before the pairing code is brought, and how it is brought: `code` is the code,
    /// `name` the account's own name.
    fn setup_steps(&self, code: &str, name: Option<&str>) -> String;
}

impl<M: Messenger + Guide> Chat<M> {
    /// Starts the flow with a network.
    async fn start(
        host: &Host,
        kind: DoorKind,
        settings: ChatSettings,
        messenger: M,
    ) -> Result<Self, ControlError> {
        let (kept, approvals) = recall(host, kind).await?;
        if let Some(position) = kept.position {
            messenger.resume(position);
        }
        let register = Arc::new(Mutex::new(Register::new(kept, approvals, &settings.owners)));
        let messenger = Arc::new(messenger);
        let (line, watched) = watch::channel(ChatConnection::Connecting);
        let stir = Arc::new(tokio::sync::Notify::new());
        let (closed, tasks) = (CancellationToken::new(), TaskTracker::new());
        let hub = {
            let (host, messenger, register) = (host.clone(), Arc::clone(&messenger), Arc::clone(&register));
            let stir = Arc::clone(&stir);
            move || Hub {
                host: host.clone(),
                messenger: Arc::clone(&messenger),
                name: kind.name(),
                settings: settings.clone(),
                register: Arc::clone(&register),
                line: line.clone(),
                faces: HashMap::new(),
                ours: HashMap::new(),
                lately: HashMap::new(),
                jobs: VecDeque::new(),
                posting: HashSet::new(),
                not_before: None,
                showing: None,
                early: VecDeque::new(),
                stir: Arc::clone(&stir),
            }
        };
        let until = closed.clone();
        let flow = move || hub().run(until.clone());
        tasks.spawn(keep_running(kind, closed.clone(), AFTER_A_CRASH, flow));
        Ok(Self { host: host.clone(), kind, messenger, register, line: watched, stir, closed, tasks })
    }
}

#[async_trait]
impl<M: Messenger + Guide> Door for Chat<M> {
    fn clients(&self) -> Vec<PairedClient> {
        let online = matches!(*self.line.borrow(), ChatConnection::Online(_));
        self.register.lock().client_rows(online)
    }

    fn user_notes(&self) -> Vec<String> {
        self.register.lock().stranger_notes()
    }

    fn trouble(&self) -> Option<String> {
        match &*self.line.borrow() {
            ChatConnection::Connecting | ChatConnection::Online(_) => None,
            ChatConnection::Offline { why, .. } => Some(why.clone()),
        }
    }

    async fn settle(&self) -> Result<(), ControlError> {
        let mut line = self.line.clone();
        let known = timeout(SETTLES, line.wait_for(|line| *line != ChatConnection::Connecting)).await;
        match known.as_ref().ok().and_then(|line| line.as_ref().ok()).map(|line| (**line).clone()) {
            Some(ChatConnection::Offline { why, hopeless: true }) => Err(ControlError::refused(why)),
            _ => Ok(()),
        }
    }

    fn set_up(&self) -> Result<DoorSetup, ControlError> {
        let code = self.register.lock().new_code(postern_host::lasting());
        let code = code.map_err(ControlError::internal)?;
        let name = self.line.borrow().own_name();
        let text = self.messenger.setup_steps(&code, name.as_deref());
        let mut values = BTreeMap::from([("pairingCode".to_owned(), code)]);
        values.extend(name.map(|name| ("account".to_owned(), name)));
        Ok(DoorSetup { door: self.kind, values, text: MultilineText::new(text) })
    }

    async fn revoke(&self, client: &str) -> Result<(), ControlError> {
        if !self.register.lock().forget(client) {
            let client = postern_command::escape::visible_text(client);
            let what = format!("no owner {client} is paired; those of owners= are in the settings");
            return Err(ControlError::not_found(what));
        }
        self.stir.notify_one();
        let kept = hub::save_register(&self.host, self.kind.name(), &self.register).await;
        kept.map_err(ControlError::store)
    }

    async fn close(self: Box<Self>) {
        self.closed.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}
