//! Approvals as they are kept: what was asked, where it was shown, and what became of it.

use postern_contract::{Moment, Question, RequestRow};
use postern_policy::{AgentId, Millis};
use serde::{Deserialize, Serialize};

/// How many approvals that were decided are kept, so that an answer to an old message is understood.
const OLD: usize = 200;

/// Where an approval stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    /// It waits for an answer.
    Pending,
    /// It was approved, once or always.
    Approved,
    /// It was denied.
    Denied,
    /// Nobody answered in time.
    Expired,
}

impl Status {
    /// Its word, as it is kept.
    fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Expired => "expired",
        }
    }

    /// What became of a question by its request's record, and in words; none while it waits, or where the record does not say.
    pub(super) fn of(request: &RequestRow) -> Option<(Self, String)> {
        let by = request.by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
        match (request.state.as_str(), request.ending.as_deref()) {
            ("denied", Some("expired")) => {
                Some((Self::Expired, "Expired: nobody answered in time".to_owned()))
            }
            ("denied", Some("restarted")) => {
                Some((Self::Denied, "Denied: Postern was restarted before it was answered".to_owned()))
            }
            ("denied", _) => Some((Self::Denied, format!("Denied{by}"))),
            ("starting" | "running" | "stopping" | "finished" | "failed", _) => {
                Some((Self::Approved, format!("Approved{by}")))
            }
            _ => None,
        }
    }
}

/// Why it cannot be approved from a chat, though it can be denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Withheld {
    /// Its risk is high.
    HighRisk,
    /// It is too long to be shown here in full.
    TooLong,
}

/// One question as it was shown in chats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Approval {
    /// The question's number.
    pub(super) question: String,
    /// Its four hex digits.
    pub(super) code: String,
    pub(super) agent: AgentId,
    /// The request that asked first, by the host's number.
    pub(super) request: Option<String>,
    /// The command as one line of escaped text.
    pub(super) line: String,
    /// What it shows now.
    pub(super) digest: String,
    /// Why it cannot be approved here, if it cannot.
    pub(super) withheld: Option<Withheld>,
    pub(super) status: Status,
    /// What became of it, in words.
    pub(super) outcome: Option<String>,
    pub(super) asked_at: Millis,
    /// What happens when nobody answers, in words.
    pub(super) at_zero: String,
    /// Where it was shown.
    pub(super) shown: Vec<Shown>,
}

/// A message that showed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Shown {
    pub(super) place: String,
    /// The network's id of the message.
    pub(super) external_message_id: String,
    /// Another id that the network has for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) alias: Option<String>,
    /// The digest of what it showed.
    pub(super) digest: String,
    /// When, by the network's clock.
    pub(super) at: Millis,
}

impl Approval {
    pub(super) fn new(question: &Question, withheld: Option<Withheld>) -> Self {
        Self {
            question: question.id.clone(),
            code: question.code.clone(),
            agent: question.asker.agent.clone(),
            request: question.requests.first().cloned(),
            line: question.line.clone(),
            digest: question.digest.clone(),
            withheld,
            status: Status::Pending,
            outcome: None,
            asked_at: question.asked_at,
            at_zero: question.at_zero.clone(),
            shown: Vec::new(),
        }
    }

    /// The newest message that showed it in a place.
    pub(super) fn shown_in(&self, place: &str) -> Option<&Shown> {
        self.shown.iter().rev().find(|shown| shown.place == place)
    }
}

/// All of them, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Approvals {
    list: Vec<Approval>,
}

impl Approvals {
    /// A new one; the oldest of those that were decided make room.
    pub(super) fn add(&mut self, approval: Approval) {
        self.list.push(approval);
        let decided = |one: &Approval| one.status != Status::Pending;
        let mut surplus = self.list.iter().filter(|one| decided(one)).count().saturating_sub(OLD);
        self.list.retain(|one| {
            let goes = surplus > 0 && decided(one);
            surplus -= usize::from(goes);
            !goes
        });
    }

    /// By the question's number.
    pub(super) fn of(&mut self, question: &str) -> Option<&mut Approval> {
        self.list.iter_mut().find(|one| one.question == question)
    }

    /// Those that wait.
    pub(super) fn pending(&self) -> impl Iterator<Item = &Approval> {
        self.list.iter().filter(|one| one.status == Status::Pending)
    }

    /// The one that a message showed.
    pub(super) fn shown_by(&self, place: &str, message: &str) -> Option<(&Approval, &Shown)> {
        let is = |shown: &&Shown| {
            shown.place == place
                && (shown.external_message_id == message || shown.alias.as_deref() == Some(message))
        };
        self.list.iter().rev().find_map(|one| Some((one, one.shown.iter().find(is)?)))
    }

    /// A request's messages on a network, as moments of its life. What ended while nobody was there to hear of it stands as the
    /// request's record has it.
    pub(super) fn shown_for(&self, request: &RequestRow, network: &str) -> Vec<Moment> {
        let those = self.list.iter().filter(|one| one.request.as_deref() == Some(&request.id));
        let status = |one: &Approval| match one.status {
            Status::Pending => Status::of(request).map_or(Status::Pending, |(status, _)| status),
            Status::Approved | Status::Denied | Status::Expired => one.status,
        };
        those.flat_map(|one| one.shown.iter().map(|shown| moment(status(one), shown, network))).collect()
    }

    /// The one that these four digits mean in a place: what waits there, else what was shown there last.
    pub(super) fn by_code(&self, place: &str, code: &str) -> Option<(&Approval, &Shown)> {
        let mut those =
            self.list.iter().rev().filter(|one| one.code == code && one.shown_in(place).is_some()).peekable();
        let last = those.peek().copied();
        let one = those.find(|one| one.status == Status::Pending).or(last)?;
        Some((one, one.shown_in(place)?))
    }
}

fn moment(status: Status, shown: &Shown, network: &str) -> Moment {
    let escaped = postern_command::escape::text;
    let (message, place) = (escaped(&shown.external_message_id), escaped(&shown.place));
    let status = status.word();
    Moment { at: shown.at, what: format!("shown by {network} in {place}, message {message}: {status}") }
}

#[cfg(test)]
mod tests {
    use super::{Approval, Approvals, OLD, Shown, Status};
    use postern_contract::RequestRow;
    use postern_policy::AgentId;

    fn approval(question: &str, code: &str, status: Status) -> Approval {
        let shown = Shown {
            place: "p".to_owned(),
            external_message_id: format!("m-{question}"),
            alias: Some(format!("a-{question}")),
            digest: "d".to_owned(),
            at: 1,
        };
        Approval {
            question: question.to_owned(),
            code: code.to_owned(),
            agent: AgentId::new("main").unwrap(),
            request: None,
            line: "ls".to_owned(),
            digest: "d".to_owned(),
            withheld: None,
            status,
            outcome: None,
            asked_at: 0,
            at_zero: "Denied".to_owned(),
            shown: vec![shown],
        }
    }

    #[test]
    fn a_code_means_what_waits_and_else_what_was_shown_last() {
        let mut all = Approvals::default();
        all.add(approval("1", "a1b2", Status::Denied));
        all.add(approval("2", "a1b2", Status::Pending));
        all.add(approval("3", "a1b2", Status::Expired));
        assert_eq!(all.by_code("p", "a1b2").unwrap().0.question, "2");
        all.of("2").unwrap().status = Status::Approved;
        assert_eq!(all.by_code("p", "a1b2").unwrap().0.question, "3");
        assert!(all.by_code("elsewhere", "a1b2").is_none(), "nothing was shown there");
        assert_eq!(all.shown_by("p", "m-1").unwrap().0.question, "1");
        assert_eq!(all.shown_by("p", "a-3").unwrap().0.question, "3");
        assert!(all.shown_by("elsewhere", "m-1").is_none(), "an id counts in its own place");
    }

    fn request(id: &str, state: &str, ending: Option<&str>) -> RequestRow {
        RequestRow {
            id: id.to_owned(),
            request_id: "r".to_owned(),
            agent: AgentId::new("main").unwrap(),
            session: None,
            line: "ls".to_owned(),
            state: state.to_owned(),
            ending: ending.map(str::to_owned),
            exit_code: None,
            by: None,
            at: 0,
            duration_ms: None,
            risk: None,
            decided: None,
            rule: None,
        }
    }

    #[test]
    fn the_messages_of_a_request_are_moments_of_its_life() {
        let mut all = Approvals::default();
        let of_r1 = |status| Approval { request: Some("r1".to_owned()), ..approval("1", "a1b2", status) };
        all.add(of_r1(Status::Expired));
        let moments = all.shown_for(&request("r1", "finished", None), "telegram");
        assert_eq!(moments.len(), 1);
        assert_eq!(moments[0].what, "shown by telegram in p, message m-1: expired");
        assert!(all.shown_for(&request("r2", "asking", None), "telegram").is_empty());
        for status in [Status::Pending, Status::Approved, Status::Denied, Status::Expired] {
            assert_eq!(serde_json::to_value(status).unwrap(), status.word());
        }
    }

    #[test]
    fn what_ended_while_the_door_was_closed_does_not_stand_as_pending() {
        let mut all = Approvals::default();
        all.add(Approval { request: Some("r1".to_owned()), ..approval("1", "a1b2", Status::Pending) });
        for (state, ending, expected) in [
            ("asking", None, "pending"),
            ("running", None, "approved"),
            ("finished", Some("exited"), "approved"),
            ("denied", Some("user"), "denied"),
            ("denied", Some("expired"), "expired"),
            ("denied", Some("restarted"), "denied"),
        ] {
            let moments = all.shown_for(&request("r1", state, ending), "xmpp");
            assert!(moments[0].what.ends_with(&format!(": {expected}")), "{state}: {moments:?}");
        }
    }

    #[test]
    fn what_waits_is_never_forgotten() {
        let mut all = Approvals::default();
        all.add(approval("waits", "0000", Status::Pending));
        for number in 0..OLD + 50 {
            all.add(approval(&number.to_string(), "ffff", Status::Denied));
        }
        assert_eq!(all.list.len(), OLD + 1);
        assert_eq!(all.pending().count(), 1);
        assert!(all.of("0").is_none(), "the oldest went");
        assert!(all.of(&(OLD + 49).to_string()).is_some());
    }

    #[test]
    fn it_is_kept_with_the_statuses_and_the_message_id_by_their_names() {
        let kept = serde_json::to_value(approval("1", "a1b2", Status::Expired)).unwrap();
        assert_eq!(kept["status"], "expired");
        assert_eq!(kept["shown"][0]["externalMessageId"], "m-1");
        let back: Approval = serde_json::from_value(kept).unwrap();
        assert_eq!(back, approval("1", "a1b2", Status::Expired));
    }
}
