//! Occupants of a room.
//!
//! A nickname proves nothing: anybody can take one. What proves something is the account that the room shows,
//! or the occupant id that its service gives.

use super::super::messenger::ChatSender;
use std::collections::{HashMap, VecDeque};
use uuid::Uuid;
use xmpp_parsers::jid::{BareJid, FullJid, Jid};
use xmpp_parsers::minidom::Element;
use xmpp_parsers::muc::MucUser;
use xmpp_parsers::muc::user::Status;
use xmpp_parsers::ns;
use xmpp_parsers::occupant_id::OccupantId;
use xmpp_parsers::presence::{Presence, Type};

/// Start of the ids of our messages.
const OUR_IDS: &str = "postern-";

/// Returns an id for a message of ours.
pub(super) fn new_id() -> String {
    format!("{OUR_IDS}{}", Uuid::new_v4())
}

/// Ids of our messages that nobody else used since we came into a room. Where it gives none of its own, anybody can use them
/// again, also while we are away.
#[derive(Debug, Default)]
pub(super) struct RoomIds(VecDeque<String>);

impl RoomIds {
    /// Ids that are known: what was posted before them is long decided.
    const MOST: usize = 1024;

    pub(super) fn add_id(&mut self, id: &str) {
        self.0.push_back(id.to_owned());
        self.0.drain(..self.0.len().saturating_sub(Self::MOST));
    }

    /// Removes an id that somebody else used for a message, too.
    pub(super) fn remove_id(&mut self, id: &str) {
        self.0.retain(|ours| ours != id);
    }

    /// Returns true if this id means one message: the room gave it, or we did and nobody else used it.
    pub(super) fn is_sure(&self, id: &str) -> bool {
        !id.starts_with(OUR_IDS) || self.0.iter().any(|ours| ours == id)
    }
}

/// A room that was joined, or is about to be.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) jid: BareJid,
    /// Under which name we are there.
    pub(super) nick: String,
    pub(super) joined: bool,
    /// True if its service says that occupant ids are its own.
    pub(super) has_occupant_ids: bool,
    pub(super) ids: RoomIds,
    occupants: HashMap<String, Occupant>,
}

#[derive(Debug, Default)]
struct Occupant {
    account: Option<BareJid>,
    id: Option<String>,
}

/// Meaning of a presence from the room for us.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RoomChange {
    /// Somebody else came, changed or went.
    Other,
    /// We are in.
    Joined,
    /// We are out.
    Left,
    NickTaken,
    /// We are not let in.
    Refused(String),
}

impl Room {
    pub(super) fn new(jid: BareJid, nick: String) -> Self {
        Self {
            jid,
            nick,
            joined: false,
            has_occupant_ids: false,
            ids: RoomIds::default(),
            occupants: HashMap::new(),
        }
    }

    /// Forgets all occupants, and the ids that somebody may have used again: before joining.
    pub(super) fn forget(&mut self) {
        self.joined = false;
        self.has_occupant_ids = false;
        self.ids = RoomIds::default();
        self.occupants.clear();
    }

    /// Returns true if this is the room, or somebody in it.
    pub(super) fn contains_jid(&self, from: &Jid) -> bool {
        from.to_bare() == self.jid
    }

    pub(super) fn is_us(&self, from: &Jid) -> bool {
        self.contains_jid(from) && from.resource().is_some_and(|nick| nick.as_str() == self.nick)
    }

    pub(super) fn presence(&mut self, from: &FullJid, presence: &Presence) -> RoomChange {
        let nick = from.resource().as_str().to_owned();
        if presence.type_ == Type::Error {
            let error = presence.payloads.iter().find(|payload| payload.is("error", ns::DEFAULT_NS));
            let conditions: Vec<&str> =
                error.into_iter().flat_map(Element::children).map(Element::name).collect();
            return match conditions.as_slice() {
                all if all.contains(&"conflict") => RoomChange::NickTaken,
                all => RoomChange::Refused(postern_command::escape::visible_text(&all.join(", "))),
            };
        }
        let user = payload::<MucUser>(&presence.payloads, "x", ns::MUC_USER);
        let is_us = user.as_ref().is_some_and(|user| user.status.contains(&Status::SelfPresence));
        if presence.type_ == Type::Unavailable {
            self.occupants.remove(&nick);
            return if is_us && nick == self.nick { self.mark_left() } else { RoomChange::Other };
        }
        let account = user.iter().flat_map(|user| &user.items).find_map(|item| item.jid.as_ref());
        let id = payload::<OccupantId>(&presence.payloads, "occupant-id", ns::OID).map(|id| id.id);
        let occupant = Occupant { account: account.cloned().map(FullJid::into_bare), id };
        self.occupants.insert(nick.clone(), occupant);
        if is_us && !self.joined {
            // The room may have given us another name.
            self.nick = nick;
            self.joined = true;
            return RoomChange::Joined;
        }
        RoomChange::Other
    }

    fn mark_left(&mut self) -> RoomChange {
        self.forget();
        RoomChange::Left
    }

    /// Returns the sender with a name there, by the account or the occupant id.
    ///
    /// The account if the room shows it; else the occupant id if the service gives it. Else nobody vouches
    /// for it.
    pub(super) fn sender(&self, nick: &str) -> ChatSender {
        let occupant = self.occupants.get(nick);
        let account = occupant.and_then(|occupant| occupant.account.as_ref()).map(BareJid::to_string);
        let by_id = || {
            let id = occupant.and_then(|occupant| occupant.id.as_ref()).filter(|_| self.has_occupant_ids)?;
            Some(format!("{}#{id}", self.jid))
        };
        ChatSender { id: account.or_else(by_id), name: nick.to_owned() }
    }
}

/// Returns the payload of that name, if there is one that can be read.
pub(super) fn payload<T: TryFrom<Element>>(payloads: &[Element], name: &str, space: &str) -> Option<T> {
    let found = payloads.iter().find(|payload| payload.is(name, space))?;
    T::try_from(found.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::{Room, RoomChange, new_id};
    use xmpp_parsers::jid::{BareJid, FullJid};
    use xmpp_parsers::minidom::Element;
    use xmpp_parsers::presence::Presence;

    fn room() -> Room {
        Room::new(BareJid::new("ops@rooms.test").unwrap(), "postern".to_owned())
    }

    fn presence(room: &mut Room, nick: &str, kind: &str, inside: &str) -> RoomChange {
        let from = FullJid::new(&format!("ops@rooms.test/{nick}")).unwrap();
        let text = format!("<presence xmlns='jabber:client' from='{from}'{kind}>{inside}</presence>");
        let element: Element = text.parse().unwrap();
        room.presence(&from, &Presence::try_from(element).unwrap())
    }

    fn user(jid: &str, status: &str) -> String {
        format!(
            "<x xmlns='http://jabber.org/protocol/muc#user'><item affiliation='none' role='participant'{jid}/>{status}</x>"
        )
    }

    #[test]
    fn a_nickname_proves_nothing() {
        let mut room = room();
        let own = user("", "<status code='110'/>");
        assert_eq!(presence(&mut room, "postern", "", &own), RoomChange::Joined);
        presence(&mut room, "anna", "", &user(" jid='anna@home.test/phone'", ""));
        presence(&mut room, "eve", "", &user("", ""));
        assert_eq!(room.sender("anna").id.as_deref(), Some("anna@home.test"));
        assert_eq!(room.sender("eve").id, None, "the room does not say who it is");
        assert_eq!(room.sender("nobody").id, None);
        presence(&mut room, "anna", " type='unavailable'", &user("", ""));
        presence(&mut room, "anna", "", &user(" jid='eve@home.test/x'", ""));
        assert_eq!(
            room.sender("anna").id.as_deref(),
            Some("eve@home.test"),
            "the name went to somebody else"
        );
    }

    #[test]
    fn an_occupant_id_counts_only_where_the_service_gives_it() {
        let mut room = room();
        let inside = user("", "") + "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='abc'/>";
        presence(&mut room, "eve", "", &inside);
        assert_eq!(room.sender("eve").id, None, "anybody could have written it");
        room.has_occupant_ids = true;
        assert_eq!(room.sender("eve").id.as_deref(), Some("ops@rooms.test#abc"));
        room.forget();
        assert_eq!(room.sender("eve").id, None);
    }

    #[test]
    fn an_id_of_ours_is_sure_while_we_are_in_and_nobody_else_uses_it() {
        let (mut room, ours, others) = (room(), new_id(), new_id());
        room.ids.add_id(&ours);
        room.ids.add_id(&others);
        room.ids.remove_id(&others);
        assert!(room.ids.is_sure(&ours) && room.ids.is_sure("an id of the room"));
        assert!(!room.ids.is_sure(&others) && !room.ids.is_sure(&new_id()));
        room.forget();
        assert!(!room.ids.is_sure(&ours), "what was said meanwhile was not heard");
    }

    #[test]
    fn we_know_when_we_are_in_and_when_not() {
        let mut room = room();
        let taken = "<error xmlns='jabber:client' type='cancel'><conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>";
        assert_eq!(presence(&mut room, "postern", " type='error'", taken), RoomChange::NickTaken);
        let banned = "<error xmlns='jabber:client' type='auth'><forbidden xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>";
        let got = presence(&mut room, "postern", " type='error'", banned);
        assert_eq!(got, RoomChange::Refused("forbidden".to_owned()));
        let own = user("", "<status code='110'/>");
        presence(&mut room, "postern", "", &own);
        assert_eq!(presence(&mut room, "postern", "", &own), RoomChange::Other, "once");
        assert_eq!(presence(&mut room, "postern", " type='unavailable'", &own), RoomChange::Left);
        assert!(!room.joined);
    }
}
