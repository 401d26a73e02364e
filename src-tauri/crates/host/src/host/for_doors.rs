//! Access of doors to the host: values and secrets of their own, approvers that they bring, and the policy of a fleet.

use super::Host;
use crate::ask::{ApproverGuard, ConnectedApproverKind};
use crate::clock::now_millis;
use crate::control::{self, Stranger};
use crate::doors::DoorMethods;
use postern_contract::methods::ControlError;
use postern_contract::{ApproverNotification, Attention};
use postern_store::audit::{self, AuditEntry};
use std::io;
use std::sync::Arc;

/// Characters of a stranger's words that are kept.
const SAID: usize = 200;

impl Host {
    /// Returns a remote face under a name of its own ("websocket, Anna's phone"), which is told as the one
    /// who answered.
    pub fn named_face(&self, kind: ConnectedApproverKind, name: &str) -> ApproverGuard {
        self.inner.faces.connect_as(kind, Some(name.to_owned()))
    }

    /// Says by what the network vouches for a remote face: the audit names it beside the face's name.
    pub fn identify(&self, face: &ApproverGuard, id: &str) {
        self.inner.faces.identify(face.id(), id);
    }

    /// Says for which person of the fleet a remote face speaks.
    pub fn speak_for(&self, face: &ApproverGuard, person: &str) {
        self.inner.faces.speak_for(face.id(), person);
    }

    /// Gives this host its doors.
    pub fn keep_doors(&self, doors: Arc<dyn DoorMethods>) {
        self.inner.control.door_slot().set_doors(doors);
    }

    /// Returns the number of the policy as it is now: another one means that rules, settings or agents changed.
    pub fn policy_version(&self) -> u64 {
        self.inner.control.policy_version()
    }

    /// Returns what a door stored under `name`, if anything.
    pub async fn recall(&self, name: &str) -> Result<Option<serde_json::Value>, postern_store::Error> {
        let (store, key) = (self.inner.store.clone(), kept_as(name));
        let read = tokio::task::spawn_blocking(move || {
            store.read(|conn| postern_store::settings::get_value(conn, &key))
        });
        read.await.unwrap_or(Err(postern_store::Error::Closed))
    }

    /// Keeps a value for a door, durably.
    pub async fn remember(&self, name: &str, value: serde_json::Value) -> Result<(), postern_store::Error> {
        let key = kept_as(name);
        self.inner
            .store
            .write_durable(move |conn| postern_store::settings::set_value(conn, &key, &value))
            .await
    }

    /// Stores a door's value without a flush: after a power cut an older value may be found.
    pub async fn remember_soon(
        &self,
        name: &str,
        value: serde_json::Value,
    ) -> Result<(), postern_store::Error> {
        let key = kept_as(name);
        self.inner.store.write(move |conn| postern_store::settings::set_value(conn, &key, &value)).await
    }

    /// Returns a secret of a door's own, made the first time.
    ///
    /// In the system's vault if there is one, else in a file (0600) of that name in the data folder.
    pub async fn secret(&self, name: &'static str) -> io::Result<postern_protocol::SocketKey> {
        let data = self.inner.data.clone();
        let made = tokio::task::spawn_blocking(move || control::door_secret(&data, name));
        made.await.map_err(io::Error::other)?
    }

    /// Returns the secret that a person gave the door `name` (a bot's token, a password); `None` if there is
    /// none.
    pub async fn given_secret(&self, name: &'static str) -> io::Result<Option<String>> {
        let data = self.inner.data.clone();
        let read = tokio::task::spawn_blocking(move || control::given_secret(&data, name));
        read.await.map_err(io::Error::other)?
    }

    /// Keeps the secret that a person gave the door `name`, where [`Self::secret`] keeps its own; none forgets it.
    pub async fn keep_given(&self, name: &'static str, secret: Option<String>) -> io::Result<()> {
        let data = self.inner.data.clone();
        let given = secret.is_some();
        let kept = tokio::task::spawn_blocking(move || control::keep_given(&data, name, secret.as_deref()));
        kept.await.map_err(io::Error::other)??;
        let noted = serde_json::json!({ "secret": if given { "given" } else { "forgotten" } });
        let note = self.inner.store.write_durable(move |conn| {
            postern_store::audit::note_change(conn, "secrets", name, (None, Some(&noted)), given)
        });
        note.await.map_err(io::Error::other)
    }

    /// Notes in the feed that a stranger came to a door. `who` and `what` are in the stranger's words.
    ///
    /// Of a flood the first thirty a minute are noted, so that it does not push anything else out.
    pub async fn note_stranger(&self, door: &str, who: &str, what: &str) {
        if !self.inner.control.door_slot().may_note(now_millis()) {
            return;
        }
        let cut = |text: &str| text.chars().take(SAID).collect::<String>();
        let stranger = Stranger { door: door.to_owned(), who: cut(who), what: cut(what) };
        let Ok(data) = serde_json::to_string(&stranger) else { return };
        let at = now_millis();
        let noted = self.inner.store.write(move |conn| postern_store::feed::stranger(conn, at, &data)).await;
        if let Err(error) = noted {
            tracing::warn!(%error, "a stranger at a door could not be noted");
        }
    }

    /// Notes durably in the audit that a message of the fleet was refused, with the sender that it claims.
    ///
    /// The caller bounds how often.
    pub async fn note_refusal(
        &self,
        (message, sender): (&str, &str),
        (kind, why): (&str, &str),
    ) -> io::Result<()> {
        let why: String = why.chars().take(SAID).collect();
        let noted = serde_json::json!({ "message": message, "kind": kind, "why": why });
        let sender = sender.to_owned();
        let note = self.inner.store.write_durable(move |conn| {
            postern_store::audit::note_change(conn, control::REFUSED, &sender, (None, Some(&noted)), false)
        });
        note.await.map_err(io::Error::other)
    }

    /// Sends one sentence to everybody who watches.
    pub fn call_attention(&self, message: String) {
        self.inner.told.send(ApproverNotification::Attention(Attention { message }));
    }

    /// Notes how many changes of the fleet wait for the person's signature: the status says so until they don't.
    pub async fn note_unsigned(&self, changes: usize) {
        let control = self.inner.control.clone();
        if control.door_slot().note_unsigned(changes) {
            // A host that ends tells nobody.
            drop(self.on_own(async move { control.status_changed().await }).await);
        }
    }

    /// Checks a fleet's policy, in the form of an organization's file. Nothing changes.
    ///
    /// # Errors
    /// Says what is wrong and where.
    pub fn check_policy(&self, text: &str) -> Result<usize, String> {
        self.inner.control.check_policy(text)
    }

    /// Puts a fleet's policy in force, or none: what waits is judged again.
    pub async fn adopt_policy(&self, text: Option<String>) -> Result<(), ControlError> {
        let control = self.inner.control.clone();
        self.on_own(async move { control.adopt_policy(text).await }).await
    }

    /// Returns at most so many rows of the audit after one, oldest first: number, content as the chain covers it, and hash.
    pub async fn audit_rows(&self, after: u64, limit: u32) -> Vec<(u64, String, [u8; 32])> {
        let store = self.inner.store.clone();
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        let read = move || store.read(|conn| audit::entries_after(conn, after, i64::MIN, limit));
        let rows = tokio::task::spawn_blocking(read).await.ok().and_then(Result::ok).unwrap_or_default();
        let row = |entry: AuditEntry| {
            let hash = entry.hash.as_slice().try_into().ok()?;
            Some((u64::try_from(entry.number).ok()?, audit::content_of(&entry), hash))
        };
        rows.into_iter().filter_map(row).collect()
    }

    /// Returns the number and the hash of the newest row of the audit; `None` if there is none.
    pub async fn audit_head(&self) -> Option<(u64, [u8; 32])> {
        let store = self.inner.store.clone();
        let read = tokio::task::spawn_blocking(move || store.read(audit::newest));
        let newest = read.await.ok()?.ok()??;
        Some((u64::try_from(newest.number).ok()?, newest.hash.as_slice().try_into().ok()?))
    }
}

/// Returns the key of a door's value among the settings.
pub(crate) fn kept_as(name: &str) -> String {
    format!("door.{name}")
}
