//! State of a chat that outlives a restart: owners, strangers who tried to answer, and what was shown.

use super::approval::Approvals;
use super::messenger::{Position, Sender};
use crate::pairing::Pairing;
use postern_contract::methods::PairedClient;
use postern_policy::Millis;
use serde::{Deserialize, Serialize};
use std::io;

/// The longest name of somebody, in characters.
const NAME: usize = 60;
/// Number of strangers that are noted.
const STRANGERS: usize = 20;

/// Somebody who may answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Owner {
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

/// Stored state.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Kept {
    owners: Vec<Owner>,
    strangers: Vec<NotedStranger>,
    /// Position up to which the network's events were handled.
    pub(super) position: Option<Position>,
}

/// State that is stored, and state that is not.
#[derive(Debug, Default)]
pub(super) struct Register {
    pub(super) kept: Kept,
    /// Shown questions and their outcomes, which are rows of the record.
    pub(super) approvals: Approvals,
    /// Owners by the settings.
    named: Vec<Owner>,
    pairing: Pairing,
    /// True if something is to be written down.
    pub(super) changed: bool,
}

impl Register {
    /// Makes a register. `named` are owners by the settings: each is asked at the place of the same name.
    pub(super) fn new(kept: Kept, approvals: Approvals, named: &[String]) -> Self {
        let owner = |id: &String| Owner {
            id: id.clone(),
            name: postern_command::escape::text(id),
            place: id.clone(),
            paired_at: None,
            seen_at: None,
        };
        Self { kept, approvals, named: named.iter().map(owner).collect(), ..Self::default() }
    }

    /// Returns the owners, who may answer. One who paired is asked where that was.
    pub(super) fn owners(&self) -> impl Iterator<Item = &Owner> {
        let paired = |id: &str| self.kept.owners.iter().any(|owner| owner.id == id);
        self.kept.owners.iter().chain(self.named.iter().filter(move |owner| !paired(&owner.id)))
    }

    /// Returns the owner that a sender is.
    pub(super) fn owner(&self, sender: &Sender) -> Option<&Owner> {
        let id = sender.id.as_deref()?;
        self.owners().find(|owner| owner.id == id)
    }

    /// Returns a new pairing code.
    pub(super) fn new_code(&mut self, now: Millis) -> io::Result<String> {
        self.pairing.new_code(now)
    }

    /// Makes a sender an owner, if this is the code. False where it is not, or nobody vouches for who it is.
    pub(super) fn pair(&mut self, sender: &Sender, place: &str, code: &str, now: Millis) -> bool {
        let Some(id) = sender.id.clone().filter(|_| self.pairing.spend(code, now)) else { return false };
        self.kept.owners.retain(|owner| owner.id != id);
        let (name, place) = (name_of(sender), place.to_owned());
        self.kept.owners.push(Owner { id, name, place, paired_at: Some(now), seen_at: Some(now) });
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
    pub(super) fn seen(&mut self, id: &str, now: Millis) {
        self.changed = true;
        for owner in self.kept.owners.iter_mut().chain(&mut self.named).filter(|owner| owner.id == id) {
            owner.seen_at = Some(now);
        }
    }

    /// Notes that a stranger tried to answer: `did` in words.
    pub(super) fn note(&mut self, sender: &Sender, did: &str, now: Millis) {
        let who = match &sender.id {
            Some(id) => format!("{} ({})", name_of(sender), short(id)),
            None => format!("{} (nobody vouches for who it is)", name_of(sender)),
        };
        let known = self.kept.strangers.iter().position(|one| one.who == who);
        let times = known.map_or(0, |index| self.kept.strangers.remove(index).times);
        let did = short(did);
        tracing::warn!(who, did, "somebody who is no owner tried to answer in a chat: ignored");
        self.kept.strangers.push(NotedStranger { who, did, times: times + 1, last_at: now });
        let surplus = self.kept.strangers.len().saturating_sub(STRANGERS);
        self.kept.strangers.drain(..surplus);
        self.changed = true;
    }

    /// Returns the strangers, newest first, in words.
    pub(super) fn notes(&self) -> Vec<String> {
        let words = |one: &NotedStranger| {
            let times = if one.times == 1 { "once".to_owned() } else { format!("{} times", one.times) };
            format!("a stranger was ignored {times}: {}, who {}", one.who, one.did)
        };
        self.kept.strangers.iter().rev().map(words).collect()
    }

    /// Returns the owners as a list for a person.
    pub(super) fn rows(&self, connected: bool) -> Vec<PairedClient> {
        let row = |owner: &Owner| PairedClient {
            id: owner.id.clone(),
            name: owner.name.clone(),
            paired_at: owner.paired_at,
            seen_at: owner.seen_at,
            connected,
        };
        self.owners().map(row).collect()
    }
}

fn name_of(sender: &Sender) -> String {
    let name = short(&sender.name);
    if name.trim().is_empty() { "somebody".to_owned() } else { name }
}

fn short(text: &str) -> String {
    postern_command::escape::text(text).chars().take(NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::{Approvals, Kept, Register, STRANGERS};
    use crate::chat::messenger::Sender;

    fn sender(id: &str, name: &str) -> Sender {
        Sender { id: (!id.is_empty()).then(|| id.to_owned()), name: name.to_owned() }
    }

    #[test]
    fn a_code_makes_one_owner_and_only_of_somebody_the_network_vouches_for() {
        let mut register = Register::default();
        let code = register.new_code(0).unwrap();
        assert!(!register.pair(&sender("", "Anna"), "p", &code, 1), "a name proves nothing");
        assert!(register.pair(&sender("7", "Anna\u{202e}"), "p", &code, 1));
        assert!(!register.pair(&sender("8", "Eve"), "p", &code, 1), "it is spent");
        let owner = register.owner(&sender("7", "another name")).unwrap();
        assert_eq!((owner.name.as_str(), owner.place.as_str()), ("Anna\\u{202e}", "p"));
        assert!(
            register.owner(&sender("8", "Anna")).is_none() && register.owner(&sender("", "Anna")).is_none()
        );
        assert!(register.forget("7") && !register.forget("7"));
        assert!(register.owner(&sender("7", "Anna")).is_none());
    }

    #[test]
    fn who_is_named_is_an_owner_until_the_settings_say_otherwise() {
        let mut register = Register::new(Kept::default(), Approvals::default(), &["7".to_owned()]);
        assert_eq!(register.owner(&sender("7", "x")).unwrap().place, "7");
        let code = register.new_code(0).unwrap();
        assert!(register.pair(&sender("7", "Anna"), "group", &code, 1));
        assert_eq!(register.owners().count(), 1, "one person is one owner");
        assert_eq!(register.owner(&sender("7", "x")).unwrap().place, "group");
    }

    #[test]
    fn strangers_are_noted_by_who_they_are_and_not_without_end() {
        let mut register = Register::default();
        register.note(&sender("9", "Eve"), "reacted to a1b2", 1);
        register.note(&sender("9", "Eve"), "said /approve a1b2", 2);
        assert_eq!(register.notes(), ["a stranger was ignored 2 times: Eve (9), who said /approve a1b2"]);
        for number in 0..100 {
            register.note(&sender(&number.to_string(), "Eve"), "tried", 3);
        }
        assert_eq!(register.notes().len(), STRANGERS);
    }
}
