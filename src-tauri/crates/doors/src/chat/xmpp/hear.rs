//! The connection, as it is heard and spoken to: one stanza after the other, in and out.

use super::Echoes;
use super::connect::{Account, Failed};
use super::room::{Room, RoomChange, payload};
use crate::chat::messenger::{ChatSender, IncomingChatEvent};
use futures_util::StreamExt as _;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_xmpp::stanzastream::{Event, StanzaStream, StreamEvent};
use uuid::Uuid;
use xmpp_parsers::disco::{DiscoInfoQuery, DiscoInfoResult, Identity};
use xmpp_parsers::iq::Iq;
use xmpp_parsers::jid::{BareJid, Jid};
use xmpp_parsers::message::{Message as Stanza, MessageType};
use xmpp_parsers::muc::Muc;
use xmpp_parsers::muc::muc::History;
use xmpp_parsers::ns;
use xmpp_parsers::presence::{Presence, Type};
use xmpp_parsers::reactions::Reactions;
use xmpp_parsers::stanza::Stanza as Any;
use xmpp_parsers::stanza_error::{DefinedCondition, ErrorType, StanzaError};
use xmpp_parsers::stanza_id::StanzaId;

/// Pause before a room is joined again, and a stream that ended is made again.
const AGAIN: Duration = Duration::from_secs(10);
/// Pause before a lost connection is made again.
const SOON: Duration = Duration::from_secs(1);

/// Stanza that is being sent.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) stanza: Box<Stanza>,
    /// Told when the connection has taken it.
    pub(super) sent: oneshot::Sender<()>,
}

/// State of receiving.
pub(super) struct Hearing {
    account: Account,
    room: Option<Room>,
    outgoing: mpsc::Receiver<Outgoing>,
    echoes: Echoes,
    stream: Option<(StanzaStream, mpsc::UnboundedReceiver<Failed>)>,
    /// The trouble that was told last.
    told: Option<String>,
    /// The question whether a room gives occupant ids.
    asked: Option<String>,
    /// Time at which a room is joined again, or a stream is made again.
    again: Option<Instant>,
}

impl std::fmt::Debug for Hearing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hearing")
            .field("account", &self.account)
            .field("room", &self.room)
            .finish_non_exhaustive()
    }
}

/// Something of the connection.
enum Happened {
    Event(Option<Box<Event>>),
    Failed(Failed),
    Send(Outgoing),
    Again,
}

impl Hearing {
    pub(super) fn new(
        account: Account,
        room: Option<BareJid>,
        nick: String,
        outgoing: mpsc::Receiver<Outgoing>,
        echoes: Echoes,
    ) -> Self {
        let room = room.map(|jid| Room::new(jid, nick));
        Self { account, room, outgoing, echoes, stream: None, told: None, asked: None, again: None }
    }

    /// Returns the next thing that is worth telling.
    pub(super) async fn next_event(&mut self) -> IncomingChatEvent {
        loop {
            let heard = match self.happened().await {
                Happened::Event(Some(event)) => match *event {
                    Event::Stanza(stanza) => self.stanza(stanza).await,
                    Event::Stream(event) => self.stream_event(event).await,
                },
                Happened::Event(None) => {
                    self.stream = None;
                    self.again = Some(Instant::now() + AGAIN);
                    self.offline("the connection ended", false)
                }
                Happened::Failed(failed) => self.offline(&failed.why, failed.hopeless),
                Happened::Send(outgoing) => {
                    self.send_stanza(Any::Message(*outgoing.stanza)).await;
                    // The sender may have given up.
                    _ = outgoing.sent.send(());
                    None
                }
                Happened::Again => {
                    self.again = None;
                    self.join_room().await;
                    None
                }
            };
            if let Some(heard) = heard {
                return heard;
            }
        }
    }

    async fn happened(&mut self) -> Happened {
        if self.stream.is_none() {
            // One that broke is not made again at once.
            if let Some(again) = self.again.take() {
                sleep_until(again).await;
            }
            self.stream = Some(self.account.stream());
        }
        let Some((stream, failed)) = &mut self.stream else { return Happened::Again };
        let again = self.again;
        tokio::select! {
            event = stream.next() => Happened::Event(event.map(Box::new)),
            Some(failed) = failed.recv() => Happened::Failed(failed),
            Some(outgoing) = self.outgoing.recv() => Happened::Send(outgoing),
            () = async move { match again { Some(at) => sleep_until(at).await, None => std::future::pending().await } } => {
                Happened::Again
            }
        }
    }

    async fn send_stanza(&self, stanza: Any) {
        if let Some((stream, _)) = &self.stream {
            drop(stream.send(Box::new(stanza)).await);
        }
    }

    fn online(&mut self) -> IncomingChatEvent {
        self.told = None;
        IncomingChatEvent::Online(self.account.jid.to_string())
    }

    /// Returns the event that the connection is lost, once for each reason.
    fn offline(&mut self, why: &str, hopeless: bool) -> Option<IncomingChatEvent> {
        if self.told.as_deref() == Some(why) {
            return None;
        }
        self.told = Some(why.to_owned());
        Some(IncomingChatEvent::Offline { why: why.to_owned(), hopeless })
    }

    async fn stream_event(&mut self, event: StreamEvent) -> Option<IncomingChatEvent> {
        match event {
            StreamEvent::Reset { .. } => {
                self.send_stanza(Any::Presence(Presence::new(Type::None))).await;
                if self.room.is_none() {
                    return Some(self.online());
                }
                self.join_room().await;
                None
            }
            StreamEvent::Resumed if self.room.as_ref().is_none_or(|room| room.joined) => Some(self.online()),
            StreamEvent::Resumed => None,
            // It is made again rather than resumed: a server that was restarted knows nothing to resume, and what waits is
            // shown again anyway.
            StreamEvent::Suspended => {
                self.stream = None;
                self.again = Some(Instant::now() + SOON);
                self.offline("the connection was lost", false)
            }
        }
    }

    async fn join_room(&mut self) {
        let Some(room) = self.room.as_mut().filter(|_| self.stream.is_some()) else { return };
        room.forget();
        let Ok(to) = room.jid.with_resource_str(&room.nick) else { return };
        let jid = room.jid.clone();
        let muc = Muc { password: None, history: Some(History::new().with_maxstanzas(0)) };
        let presence = Presence::new(Type::None).with_to(Jid::from(to)).with_payload(muc);
        let id = Uuid::new_v4().to_string();
        self.asked = Some(id.clone());
        let payload = DiscoInfoQuery { node: None }.into();
        self.send_stanza(Any::Presence(presence)).await;
        self.send_stanza(Any::Iq(Iq::Get { from: None, to: Some(jid.into()), id, payload })).await;
    }

    async fn stanza(&mut self, stanza: Any) -> Option<IncomingChatEvent> {
        match stanza {
            Any::Presence(presence) => self.presence(&presence),
            Any::Message(message) => self.message(&message),
            Any::Iq(iq) => {
                self.handle_iq(iq).await;
                None
            }
        }
    }

    fn presence(&mut self, presence: &Presence) -> Option<IncomingChatEvent> {
        let from = presence.from.as_ref()?;
        let room = self.room.as_mut().filter(|room| room.contains_jid(from))?;
        let from = from.try_as_full().ok()?;
        match room.presence(from, presence) {
            RoomChange::Other => None,
            RoomChange::Joined => Some(self.online()),
            RoomChange::NickTaken => {
                room.nick.push('_');
                self.again = Some(Instant::now());
                None
            }
            RoomChange::Left => {
                self.again = Some(Instant::now() + AGAIN);
                self.offline("the room removed Postern", false)
            }
            RoomChange::Refused(why) => {
                self.again = Some(Instant::now() + AGAIN);
                self.offline(&format!("the room refuses Postern: {why}"), true)
            }
        }
    }

    fn message(&mut self, message: &Stanza) -> Option<IncomingChatEvent> {
        let from = message.from.as_ref()?;
        if let Some(room) = self.room.as_mut().filter(|room| room.contains_jid(from)) {
            return said_in_room((room, &self.echoes), from, message);
        }
        if !matches!(message.type_, MessageType::Chat | MessageType::Normal) {
            return None;
        }
        let account = from.to_bare().to_string();
        message_event(message, ChatSender { id: Some(account.clone()), name: account.clone() }, account)
    }

    async fn handle_iq(&mut self, iq: Iq) {
        match iq {
            Iq::Result { from, id, payload: Some(payload), .. } if self.asked.as_ref() == Some(&id) => {
                let Some(room) = self.room.as_mut() else { return };
                if from.is_some_and(|from| from == room.jid) {
                    let features = DiscoInfoResult::try_from(payload).map(|result| result.features);
                    room.has_occupant_ids = features.is_ok_and(|features| features.contains(ns::OID));
                }
            }
            Iq::Get { from, id, payload, .. } if payload.is("query", ns::DISCO_INFO) => {
                let payload = Some(ourselves().into());
                self.send_stanza(Any::Iq(Iq::Result { from: None, to: from, id, payload })).await;
            }
            Iq::Get { from, id, .. } | Iq::Set { from, id, .. } => {
                let condition = DefinedCondition::ServiceUnavailable;
                let error = StanzaError::new(ErrorType::Cancel, condition, "en", "not here");
                self.send_stanza(Any::Iq(Iq::Error { from: None, to: from, id, error, payload: None })).await;
            }
            Iq::Result { .. } | Iq::Error { .. } => {}
        }
    }
}

/// Returns what an occupant of the room said; takes what the room sends back of ours.
fn said_in_room(
    (room, echoes): (&mut Room, &Echoes),
    from: &Jid,
    message: &Stanza,
) -> Option<IncomingChatEvent> {
    let id = message.id.as_ref().map(|id| id.0.as_str()).unwrap_or_default();
    if message.type_ == MessageType::Error {
        let echo = echoes.lock().remove(id)?;
        // The sender may have given up.
        _ = echo.send(Err("it was sent back".to_owned()));
        return None;
    }
    // What is said in private in a room comes from the room's address as well: it is nobody's answer.
    if message.type_ != MessageType::Groupchat {
        return None;
    }
    if room.is_us(from) {
        let echo = echoes.lock().remove(id)?;
        let named = message.payloads.iter().filter(|payload| payload.is("stanza-id", ns::SID));
        let named = named.filter_map(|payload| StanzaId::try_from(payload.clone()).ok());
        let alias = named.filter(|id| id.by.to_bare() == room.jid).map(|id| id.id).next();
        room.ids.add_id(id);
        _ = echo.send(Ok(alias));
        return None;
    }
    room.ids.remove_id(id);
    // What was said before we came was said under names that may be others' by now.
    let nick = from.resource().filter(|_| !is_delayed(message))?;
    let event = message_event(message, room.sender(nick.as_str()), room.jid.to_string());
    event.filter(
        |event| !matches!(event, IncomingChatEvent::Reacted { message, .. } if !room.ids.is_sure(message)),
    )
}

/// Returns a command or a reaction, if it is one.
fn message_event(message: &Stanza, from: ChatSender, place: String) -> Option<IncomingChatEvent> {
    if let Some(reactions) = payload::<Reactions>(&message.payloads, "reactions", ns::REACTIONS) {
        let signs = reactions.reactions.into_iter().map(|reaction| reaction.emoji).collect();
        return Some(IncomingChatEvent::Reacted { from, place, message: reactions.id, signs });
    }
    let (_, text) = message.get_best_body(vec!["en"])?;
    let at = (!is_delayed(message)).then(crate::now_millis);
    Some(IncomingChatEvent::Said { from, place, text: text.clone(), at })
}

/// Returns true if the message was kept for us somewhere.
fn is_delayed(message: &Stanza) -> bool {
    message.payloads.iter().any(|payload| payload.is("delay", ns::DELAY))
}

/// Returns the features that clients ask for before they offer reactions.
fn ourselves() -> DiscoInfoResult {
    let identity = Identity {
        category: "client".to_owned(),
        type_: "bot".to_owned(),
        lang: None,
        name: Some("Postern".to_owned()),
    };
    let features = [ns::DISCO_INFO, ns::REACTIONS, ns::MESSAGE_CORRECT];
    DiscoInfoResult {
        node: None,
        identities: vec![identity],
        features: features.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(),
        extensions: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::message_event;
    use crate::chat::messenger::{ChatSender, IncomingChatEvent};
    use xmpp_parsers::message::Message;
    use xmpp_parsers::minidom::Element;

    fn heard(inside: &str) -> Option<IncomingChatEvent> {
        let text = format!("<message xmlns='jabber:client' type='chat'>{inside}</message>");
        let message = Message::try_from(text.parse::<Element>().unwrap()).unwrap();
        message_event(&message, ChatSender { id: None, name: String::new() }, "p".to_owned())
    }

    #[test]
    fn what_was_kept_somewhere_has_no_time() {
        let now = heard("<body>/deny a1b2</body>");
        assert!(matches!(now, Some(IncomingChatEvent::Said { at: Some(_), .. })), "{now:?}");
        let kept = "<body>/deny a1b2</body><delay xmlns='urn:xmpp:delay' stamp='2026-01-01T00:00:00Z'/>";
        assert!(matches!(heard(kept), Some(IncomingChatEvent::Said { at: None, .. })));
    }

    #[test]
    fn reactions_are_heard_with_the_message_that_they_are_about() {
        let inside = "<reactions xmlns='urn:xmpp:reactions:0' id='m1'><reaction>👍</reaction><reaction>❌</reaction></reactions>";
        let Some(IncomingChatEvent::Reacted { message, signs, .. }) = heard(inside) else {
            panic!("no reaction")
        };
        assert_eq!((message.as_str(), signs), ("m1", vec!["👍".to_owned(), "❌".to_owned()]));
        assert_eq!(heard("<active xmlns='http://jabber.org/protocol/chatstates'/>"), None);
    }
}
