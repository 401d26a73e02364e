//! State of a chat that outlives a restart: owners, strangers who tried to answer, and what was shown.

use super::approval::Approvals;
use super::messenger::{ChatSender, Position};
use crate::pairing::Pairing;
use postern_contract::methods::PairedClient;
use postern_policy::Millis;
use serde::{Deserialize, Serialize};
use std::io;

/// The longest name of somebody, in characters.
const NAME: usize = 60;
const STRANGERS: usize = 20;

/// Somebody who may answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChatOwner {
    /// Id that the network vouches for.
    pub(super) id: String,
    /// Name that they chose, escaped.
    pub(super) name: String,
    /// Place where questions are shown to them.
    pub(super) place: String,
    /// Time of pairing; `None` for an owner from the settings.
    pub(super) paired_at: Option<Millis>,
    pub(super) seen_at: Option<Millis>,
}

/// Somebody who tried to answer and may not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NotedStranger {
    /// Id, escaped, or that the network does not say.
    who: String,
    /// Last attempt.
    did: String,
    times: u64,
    last_at: Millis,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct StoredChatState {
    owners: Vec<ChatOwner>,
    strangers: Vec<NotedStranger>,
    /// Position up to which the network's events were handled.
    pub(super) position: Option<Position>,
}

#[derive(Debug, Default)]
pub(super) struct Register {
    pub(super) kept: StoredChatState,
    /// Shown questions and their outcomes, which are rows of the record.
    pub(super) approvals: Approvals,
    /// Owners by the settings.
    named: Vec<ChatOwner>,
    pairing: Pairing,
    /// True if something is to be written down.
    pub(super) changed: bool,
}

impl Register {
    /// Makes a register. `named` are owners by the settings: each is asked at the place of the same name.
    pub(super) fn new(kept: StoredChatState, approvals: Approvals, named: &[String]) -> Self {
        let owner = |id: &String| ChatOwner {
            id: id.clone(),
            name: postern_command::escape::visible_text(id),
            place: id.clone(),
            paired_at: None,
            seen_at: None,
        };
        Self { kept, approvals, named: named.iter().map(owner).collect(), ..Self::default() }
    }

    /// Returns the owners, who may answer. One who paired is asked where that was.
    pub(super) fn owners(&self) -> impl Iterator<Item = &ChatOwner> {
        let paired = |id: &str| self.kept.owners.iter().any(|owner| owner.id == id);
        self.kept.owners.iter().chain(self.named.iter().filter(move |owner| !paired(&owner.id)))
    }

    pub(super) fn find_owner(&self, sender: &ChatSender) -> Option<&ChatOwner> {
        let id = sender.id.as_deref()?;
        self.owners().find(|owner| owner.id == id)
    }

    pub(super) fn new_code(&mut self, now: Millis) -> io::Result<String> {
        self.pairing.new_code(now)
    }

    /// Makes a sender an owner, if this is the code. False where it is not, or nobody vouches for who it is.
    ///
    /// `lasting` is the time by which codes end, `now` the time that is written down.
    pub(super) fn pair_owner(
        &mut self,
        (sender, place): (&ChatSender, &str),
        code: &str,
        (lasting, now): (Millis, Millis),
    ) -> bool {
        let Some(id) = sender.id.clone().filter(|_| self.pairing.spend_code(code, lasting)) else {
            return false;
        };
        self.kept.owners.retain(|owner| owner.id != id);
        let (name, place) = (name_of(sender), place.to_owned());
        self.kept.owners.push(ChatOwner { id, name, place, paired_at: Some(now), seen_at: Some(now) });
        self.changed = true;
        true
    }

    /// Removes a paired owner. Returns false if no owner of that id is paired.
    pub(super) fn forget(&mut self, id: &str) -> bool {
        let before = self.kept.owners.len();
        self.kept.owners.retain(|owner| owner.id != id);
        self.changed = true;
        self.kept.owners.len() < before
    }

    /// Notes that an owner's message was handled, which is stored, so that it is not handled twice.
    pub(super) fn mark_seen(&mut self, id: &str, now: Millis) {
        self.changed = true;
        for owner in self.kept.owners.iter_mut().chain(&mut self.named).filter(|owner| owner.id == id) {
            owner.seen_at = Some(now);
        }
    }

    /// Notes that a stranger tried to answer: `did` in words.
    pub(super) fn note_stranger(&mut self, sender: &ChatSender, did: &str, now: Millis) {
        let who = match &sender.id {
            Some(id) => format!("{} ({})", name_of(sender), shorten(id)),
            None => format!("{} (identity not verified)", name_of(sender)),
        };
        let known = self.kept.strangers.iter().position(|one| one.who == who);
        let times = known.map_or(0, |index| self.kept.strangers.remove(index).times);
        let did = shorten(did);
        tracing::warn!(who, did, "someone who isn’t an owner tried to answer in a chat: ignored");
        self.kept.strangers.push(NotedStranger { who, did, times: times + 1, last_at: now });
        let surplus = self.kept.strangers.len().saturating_sub(STRANGERS);
        self.kept.strangers.drain(..surplus);
        self.changed = true;
    }

    /// Returns the strangers, newest first, in words.
    pub(super) fn stranger_notes(&self) -> Vec<String> {
        let words = |one: &NotedStranger| {
            let times = if one.times == 1 { "once".to_owned() } else { format!("{} times", one.times) };
            format!("an unknown client was ignored {times}: {}, who {}", one.who, one.did)
        };
        self.kept.strangers.iter().rev().map(words).collect()
    }

    /// Returns the owners as a list for a person.
    pub(super) fn client_rows(&self, connected: bool) -> Vec<PairedClient> {
        let row = |owner: &ChatOwner| PairedClient {
            id: owner.id.clone(),
            name: owner.name.clone(),
            paired_at: owner.paired_at,
            seen_at: owner.seen_at,
            connected,
        };
        self.owners().map(row).collect()
    }
}

fn name_of(sender: &ChatSender) -> String {
    let name = shorten(&sender.name);
    if name.trim().is_empty() { "somebody".to_owned() } else { name }
}

fn shorten(text: &str) -> String {
    postern_command::escape::visible_text(text).chars().take(NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::{Approvals, Register, STRANGERS, StoredChatState};
    use crate::chat::messenger::ChatSender;

    fn sender(id: &str, name: &str) -> ChatSender {
        ChatSender { id: (!id.is_empty()).then(|| id.to_owned()), name: name.to_owned() }
    }

    #[test]
    fn a_code_makes_one_owner_and_only_of_somebody_the_network_vouches_for() {
        let mut register = Register::default();
        let code = register.new_code(0).unwrap();
        assert!(!register.pair_owner((&sender("", "Anna"), "p"), &code, (1, 1)), "a name proves nothing");
        assert!(register.pair_owner((&sender("7", "Anna\u{202e}"), "p"), &code, (1, 1)));
        assert!(!register.pair_owner((&sender("8", "Eve"), "p"), &code, (1, 1)), "it is spent");
        let owner = register.find_owner(&sender("7", "another name")).unwrap();
        assert_eq!((owner.name.as_str(), owner.place.as_str()), ("Anna\\u{202e}", "p"));
        assert!(register.find_owner(&sender("8", "Anna")).is_none());
        assert!(register.find_owner(&sender("", "Anna")).is_none());
        assert!(register.forget("7") && !register.forget("7"));
        assert!(register.find_owner(&sender("7", "Anna")).is_none());
    }

    #[test]
    fn who_is_named_is_an_owner_until_the_settings_say_otherwise() {
        let mut register = Register::new(StoredChatState::default(), Approvals::default(), &["7".to_owned()]);
        assert_eq!(register.find_owner(&sender("7", "x")).unwrap().place, "7");
        let code = register.new_code(0).unwrap();
        assert!(register.pair_owner((&sender("7", "Anna"), "group"), &code, (1, 1)));
        assert_eq!(register.owners().count(), 1, "one person is one owner");
        assert_eq!(register.find_owner(&sender("7", "x")).unwrap().place, "group");
    }

    #[test]
    fn strangers_are_noted_by_who_they_are_and_not_without_end() {
        let mut register = Register::default();
        register.note_stranger(&sender("9", "Eve"), "reacted to a1b2", 1);
        register.note_stranger(&sender("9", "Eve"), "said /approve a1b2", 2);
        let got = register.stranger_notes();
        assert_eq!(got, ["an unknown client was ignored 2 times: Eve (9), who said /approve a1b2"]);
        for number in 0..100 {
            register.note_stranger(&sender(&number.to_string(), "Eve"), "tried", 3);
        }
        assert_eq!(register.stranger_notes().len(), STRANGERS);
    }
}
