//! Connected approvers: windows, terminals and others that can show a question.

use crate::clock::now_millis;
use parking_lot::Mutex;
use postern_contract::Part;
use postern_policy::{Millis, RiskLevel};
use postern_store::audit::ChangeAuthor;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::Notify;

postern_protocol::named_values! {
    /// Kind of approver, by the name that people read.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    pub enum ConnectedApproverKind {
        /// The approval window. Its *Allow* is dead until the question was armed (see `ask::arming`).
        Window = "window",
        /// A terminal or a program that speaks the control socket. It needs no arming, but names the digest it showed.
        Terminal = "terminal",
        /// A chat or another remote door.
        Remote = "remote",
    }
}

/// Id of an approver, for as long as it is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApproverId {
    pub kind: ConnectedApproverKind,
    /// Number, counted from the host's start.
    pub number: u64,
}

impl std::fmt::Display for ApproverId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.kind.name(), self.number)
    }
}

/// People of a fleet whose approval counts on this host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetPeople {
    /// The highest risk that each may approve.
    pub limits: BTreeMap<String, RiskLevel>,
    /// The person at this Mac, by the highest risk that their key here may approve; `None` if that key approves nothing here.
    pub own: Option<(String, RiskLevel)>,
}

/// The faces connected.
#[derive(Debug, Clone, Default)]
pub(crate) struct Approvers {
    inner: Arc<Mutex<ConnectedApprovers>>,
    /// Told when a face comes or goes.
    changed: Arc<Notify>,
}

#[derive(Debug, Default)]
struct ConnectedApprovers {
    next: u64,
    on_duty: BTreeMap<u64, (ConnectedApproverKind, Millis)>,
    /// Names of those that have one of their own.
    named: BTreeMap<u64, String>,
    /// Parts of a question that those approvers show that had to declare them.
    shows: BTreeMap<u64, BTreeSet<Part>>,
    /// The people of the fleet that approvers speak for.
    people: BTreeMap<u64, String>,
    /// The person of the fleet whose Mac this is, and the highest risk that they may approve.
    own: Option<(String, RiskLevel)>,
    /// Identities that a network or a door vouches for.
    identified: BTreeMap<u64, String>,
}

impl Approvers {
    /// Makes an empty list. `changed` is notified when an approver comes or goes.
    pub(crate) fn new(changed: Arc<Notify>) -> Self {
        Self { inner: Arc::default(), changed }
    }

    /// Adds an approver, which stays connected while the guard is held.
    pub(crate) fn connect(&self, kind: ConnectedApproverKind) -> ApproverGuard {
        self.connect_as(kind, None)
    }

    /// Adds an approver under a name of its own.
    pub(crate) fn connect_as(&self, kind: ConnectedApproverKind, name: Option<String>) -> ApproverGuard {
        let mut roster = self.inner.lock();
        roster.next += 1;
        let number = roster.next;
        if let Some(name) = name {
            roster.named.insert(number, name);
        }
        roster.on_duty.insert(number, (kind, now_millis()));
        self.changed.notify_one();
        ApproverGuard { id: ApproverId { kind, number }, faces: self.clone() }
    }

    /// Returns a face that only looks in: it can answer, but nobody counts on it.
    pub(crate) fn visitor(&self, kind: ConnectedApproverKind) -> ApproverId {
        let mut roster = self.inner.lock();
        roster.next += 1;
        ApproverId { kind, number: roster.next }
    }

    /// Returns the name of a face as people read it: its own, or its kind's.
    pub(crate) fn name_of(&self, face: ApproverId) -> String {
        self.inner.lock().named.get(&face.number).cloned().unwrap_or_else(|| face.kind.name().to_owned())
    }

    /// Returns the parts of a question that a face shows: windows and terminals all, others what they
    /// declared.
    pub(crate) fn shown_parts(&self, face: ApproverId) -> BTreeSet<Part> {
        match face.kind {
            ConnectedApproverKind::Window | ConnectedApproverKind::Terminal => {
                Part::ALL.into_iter().collect()
            }
            ConnectedApproverKind::Remote => {
                self.inner.lock().shows.get(&face.number).cloned().unwrap_or_default()
            }
        }
    }

    /// Says for which person of the fleet a face speaks.
    pub(crate) fn speak_for(&self, face: ApproverId, person: &str) {
        self.inner.lock().people.insert(face.number, person.to_owned());
    }

    /// Says which person of the fleet is at this Mac, and the highest risk that they may approve.
    pub(crate) fn set_own(&self, person: Option<(String, RiskLevel)>) {
        self.inner.lock().own = person;
    }

    /// Returns the person of the fleet that a face speaks for, if that is known and they may approve something of this risk.
    ///
    /// The fleet's door looks for itself whether a remote face may.
    pub(crate) fn person_of(&self, face: ApproverId, risk: RiskLevel) -> Option<String> {
        let roster = self.inner.lock();
        match face.kind {
            ConnectedApproverKind::Window | ConnectedApproverKind::Terminal => {
                roster.own.as_ref().filter(|(_, most)| risk <= *most).map(|(person, _)| person.clone())
            }
            ConnectedApproverKind::Remote => roster.people.get(&face.number).cloned(),
        }
    }

    /// Says by what a face is vouched for, for the audit.
    pub(crate) fn identify(&self, face: ApproverId, id: &str) {
        self.inner.lock().identified.insert(face.number, id.to_owned());
    }

    pub(crate) fn audit_author(&self, face: ApproverId) -> ChangeAuthor {
        let roster = self.inner.lock();
        let name =
            roster.named.get(&face.number).cloned().map(|name| match roster.identified.get(&face.number) {
                Some(id) => format!("{name} ({id})"),
                None => name,
            });
        drop(roster);
        let user =
            Some(rustix::process::getuid().as_raw()).filter(|_| face.kind != ConnectedApproverKind::Remote);
        ChangeAuthor { face: face.kind.name().to_owned(), name, user, ..ChangeAuthor::default() }
    }

    pub(crate) fn connected_kinds(&self) -> BTreeSet<ConnectedApproverKind> {
        self.connected().into_iter().map(|(kind, _)| kind).collect()
    }

    /// Returns those connected and since when, oldest first.
    pub(crate) fn connected(&self) -> Vec<(ConnectedApproverKind, Millis)> {
        self.inner.lock().on_duty.values().copied().collect()
    }

    /// Returns the names of those connected, each once.
    pub(crate) fn connected_names(&self) -> Vec<String> {
        self.connected_kinds().into_iter().map(|kind| kind.name().to_owned()).collect()
    }
}

/// A face is connected while this is held.
#[derive(Debug)]
pub struct ApproverGuard {
    id: ApproverId,
    faces: Approvers,
}

impl ApproverGuard {
    /// Returns the approver's id.
    pub fn id(&self) -> ApproverId {
        self.id
    }

    /// Declares the parts of a question that a remote face shows. Until then it shows none.
    pub fn declare(&self, parts: impl IntoIterator<Item = Part>) {
        self.faces.inner.lock().shows.insert(self.id.number, parts.into_iter().collect());
    }
}

impl Drop for ApproverGuard {
    fn drop(&mut self) {
        let mut roster = self.faces.inner.lock();
        roster.on_duty.remove(&self.id.number);
        roster.named.remove(&self.id.number);
        roster.shows.remove(&self.id.number);
        roster.identified.remove(&self.id.number);
        roster.people.remove(&self.id.number);
        drop(roster);
        self.faces.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::{Approvers, ConnectedApproverKind};

    #[test]
    fn a_face_is_on_duty_while_its_guard_is_held() {
        let faces = Approvers::default();
        assert!(faces.connected_names().is_empty(), "nobody came yet");
        let visitor = faces.visitor(ConnectedApproverKind::Window);
        assert!(faces.connected_names().is_empty(), "{visitor} is not on duty");
        let window = faces.connect(ConnectedApproverKind::Window);
        let terminal = faces.connect(ConnectedApproverKind::Terminal);
        let other = faces.connect(ConnectedApproverKind::Terminal);
        assert_eq!(faces.connected_names(), ["window", "terminal"], "each kind is named once");
        let phone = faces.connect_as(ConnectedApproverKind::Remote, Some("websocket, phone".to_owned()));
        assert_eq!(faces.name_of(phone.id()), "websocket, phone", "who answers is told by its own name");
        assert_eq!(faces.name_of(window.id()), "window");
        let gone = phone.id();
        drop(phone);
        assert_eq!(faces.name_of(gone), "remote", "a name goes with its face");
        assert_ne!(terminal.id(), other.id(), "two terminals are two faces");
        drop((window, terminal));
        assert_eq!(faces.connected_names(), ["terminal"], "one terminal is still there");
        drop(other);
        assert!(faces.connected_names().is_empty(), "all went");
    }
}
