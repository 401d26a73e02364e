//! Questions on their way to the approvers of this host's groups: sealed for them, renewed when they change, and closed.

use super::super::FleetError;
use super::super::connect::{message_id, publish_confirmed};
use super::super::keep::Folder;
use super::super::risk::fleet_risk;
use super::FleetHostSession;
use super::aside::Aside;
use crate::door::waiting_here;
use postern_contract::Question;
use postern_fleet::{FleetClosing, FleetId, FleetMessageKind, OpenQuestion, Seed};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::timeout;

/// Longest time for a message to leave.
const SEND: Duration = Duration::from_secs(5);

pub(super) struct SentFleetQuestion {
    all: String,
    /// Part of the question that a person judges by.
    judged: String,
    /// Person and device of the fleet whose answer decided.
    pub(super) by: Option<String>,
}

impl FleetHostSession {
    /// Sends everything that waits and was not sent as it is now, and closes what waits no more.
    pub(super) async fn show_waiting(&mut self) -> Result<(), FleetError> {
        let waiting = waiting_here(&self.host).await.map_err(FleetError::refused)?;
        // Also what an earlier connection, or an earlier run of this host, showed and did not close.
        let waits = |id: &FleetId| waiting.iter().any(|one| one.id == id.as_str());
        let gone: Vec<FleetId> = self.shown.iter().filter(|id| !waits(id)).cloned().collect();
        for id in gone {
            self.close_question(id.as_str(), "closed", None)?;
        }
        for question in waiting {
            self.show_question(&question).await?;
        }
        Ok(())
    }

    pub(super) async fn show_question(&mut self, question: &Question) -> Result<(), FleetError> {
        let (Ok(id), Ok(facts)) = (question.id.parse::<FleetId>(), serde_json::to_value(question)) else {
            return Ok(());
        };
        let (all, judged) = (facts.to_string(), judged(question));
        let before = self.sent.get(&question.id);
        if before.is_some_and(|sent| sent.all == all) {
            return Ok(());
        }
        let known = self.fleet.waiting().find(|(open, _)| **open == id).map(|(_, open)| open.clone());
        // Only its time changed, or only the list of its readers: who approved it, did.
        let same = match before {
            Some(sent) => sent.judged == judged,
            None => known.as_ref().is_some_and(|open| open.digest == question.digest),
        };
        let revision = known.as_ref().map_or(1, |open| if same { open.revision } else { open.revision + 1 });
        let given = known.filter(|_| same).map(|open| open.given).unwrap_or_default();
        let left = question.time_left(super::super::wall_clock());
        let (risk, digest) = (fleet_risk(question.risk.level), question.digest.clone());
        let ends = self.started.elapsed() + left;
        self.fleet
            .open_question(id.clone(), OpenQuestion { revision, digest, risk, approvals: 1, ends, given });
        // The revision begins again with each connection: what is repeated is what shows the same.
        let shown = postern_fleet::Hash::of_bytes(all.as_bytes()).short_hex();
        self.sent.insert(question.id.clone(), SentFleetQuestion { all, judged, by: None });
        let asked = postern_fleet::FleetQuestion {
            revision,
            digest: question.digest.clone(),
            facts,
            groups: self.fleet.groups().to_vec(),
            risk,
            expires_in: u64::try_from(left.as_millis()).unwrap_or(u64::MAX),
            approvals: 1,
            fallback: postern_contract::pieces_to_text(&question.at_zero),
            policy: postern_contract::pieces_to_text(&question.policy),
            roster: self.fleet.roster(),
        };
        let message = format!("{}:{revision}:{shown}:{}", question.id, self.fleet.pinned.roster.version);
        // Kept first: what is shown is closed, whatever happens to this host.
        if self.shown.insert(id) {
            self.folder.keep_shown(&self.shown)?;
        }
        let Some(sealed) = self.seal_for_approvers(&asked, FleetMessageKind::Question, &message)? else {
            return Ok(());
        };
        let subject = self.names.questions(&self.fleet.me);
        let sent =
            self.link.client.publish_with_headers(subject, message_id(&self.sign, &message), sealed.into());
        let takes_nothing = |_| FleetError::Unreachable("it takes nothing".to_owned());
        timeout(SEND, sent).await.map_err(takes_nothing)?.map_err(FleetError::broker)
    }

    /// Seals a message for the approvers of this host's groups; `None` if nobody is to read it, or it is too large.
    pub(super) fn seal_for_approvers<B: postern_fleet::FleetMessageBody>(
        &self,
        body: &B,
        kind: FleetMessageKind,
        message: &str,
    ) -> Result<Option<Vec<u8>>, FleetError> {
        let roster = &self.fleet.pinned.roster;
        let to: Vec<_> = roster.approvers_of(self.fleet.groups()).map(|member| member.seal).collect();
        if to.is_empty() {
            return Ok(None);
        }
        let mut seed = Seed::new(super::super::random()?);
        let header = super::super::header(&self.fleet.id, &self.fleet.me)?;
        let envelope = header.seal_body(body, &to, &self.sign, &mut seed).map_err(FleetError::refused)?;
        let bytes = envelope.encode();
        if bytes.len() > kind.max_bytes() {
            tracing::info!(
                message,
                bytes = bytes.len(),
                "a message is too large for the fleet: approvers here answer what it asks"
            );
            return Ok(None);
        }
        Ok(Some(bytes))
    }

    /// Empties the inboxes of a question.
    pub(super) fn close_question(
        &mut self,
        question: &str,
        outcome: &str,
        face: Option<String>,
    ) -> Result<(), FleetError> {
        let Ok(id) = question.parse::<FleetId>() else { return Ok(()) };
        if !self.shown.contains(&id) {
            return Ok(());
        }
        let sent = self.sent.remove(question);
        let name = self.fleet.own_member().map(|member| member.name.clone());
        let (by, place) = match (sent.and_then(|sent| sent.by), face, self.fleet.find_settled(&id)) {
            // It has the person's name and the device's already.
            (by @ Some(_), ..) => (by, None),
            (None, Some(face), _) => (None, name.map(|name| format!("{name} ({face})"))),
            (None, None, Some(settled)) => (settled.by.clone(), settled.place.clone()),
            (None, None, None) => (None, None),
        };
        self.fleet.settle(&id, outcome, by.clone(), place.clone());
        let closing = FleetClosing { question: id.clone(), outcome: outcome.to_owned(), by, place };
        let message = format!("{question}:closed");
        let sealed = self.seal_for_approvers(&closing, FleetMessageKind::Closing, &message)?;
        let (client, subject) = (self.link.client.clone(), self.names.questions(&self.fleet.me));
        let message = message_id(&self.sign, &message);
        // It stays among those that were shown until the broker has its end.
        self.aside.push(async move {
            let confirmed = match sealed {
                Some(sealed) => publish_confirmed(&client, subject, message, sealed).await,
                None => Ok(()),
            };
            Aside::Closed(id, confirmed)
        });
        Ok(())
    }
}

impl Folder {
    /// Returns the questions that approvers elsewhere may see still.
    ///
    /// After a power cut the file may be no JSON: what was shown then has ended by itself.
    pub(super) fn shown(&self) -> BTreeSet<FleetId> {
        self.read_json("shown.json").ok().flatten().unwrap_or_default()
    }

    pub(super) fn keep_shown(&self, shown: &BTreeSet<FleetId>) -> Result<(), FleetError> {
        self.write_json_soon("shown.json", shown)
    }
}

/// Returns the part of a question that a person judges by.
///
/// That is what its digest covers, and the words about the danger.
fn judged(question: &Question) -> String {
    // Texts and lists always have a JSON form.
    serde_json::to_string(&(&question.digest, &question.risk, &question.danger)).unwrap_or_default()
}
