//! XMPP: an account of its own, which asks owners directly or in a room, and reads commands and reactions
//! (XEP-0444).
//!
//! A decision corrects the message (XEP-0308); clients that know no corrections show it as a new one. Through
//! a gateway the same reaches other networks.

mod bounded;
mod connect;
mod hear;
mod room;

use super::messenger::{ChatSendError, IncomingChatEvent, Messenger, OutgoingChatMessage, Posted};
use super::settings::ChatSettings;
use super::{Chat, Guide};
use crate::tls;
use crate::values::{DoorValues, absolute};
use connect::Account;
use hear::{Hearing, Outgoing};
use parking_lot::Mutex;
use postern_contract::methods::{ControlError, DoorKind};
use postern_host::Host;
use room::new_id;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_xmpp::connect::DnsConfig;
use uuid::Uuid;
use xmpp_parsers::jid::{BareJid, Jid};
use xmpp_parsers::message::{Id, Lang, Message as Stanza, MessageType};
use xmpp_parsers::message_correct::Replace;
use xmpp_parsers::minidom::Element;

/// Time that a room may take to show a message to everybody, us included.
const ECHO: Duration = Duration::from_secs(10);
/// Says that nothing in a text is a style (XEP-0393).
const STYLING: &str = "urn:xmpp:styling:0";
const WAITING: usize = 16;

#[derive(Debug)]
pub(crate) struct Xmpp {
    room: Option<BareJid>,
    outgoing: mpsc::Sender<Outgoing>,
    echoes: Echoes,
    hearing: tokio::sync::Mutex<Hearing>,
}

/// Messages to a room that it has not shown yet, by our id; told what it calls them, or why it does not take them.
pub(super) type Echoes = Arc<Mutex<HashMap<String, oneshot::Sender<Result<Option<String>, String>>>>>;

impl Xmpp {
    pub(crate) async fn open(host: &Host, values: &DoorValues) -> Result<Chat<Self>, ControlError> {
        let mut settings = ChatSettings::from_values(values, parse_owner)?;
        let jid = values.get("jid").ok_or_else(|| {
            ControlError::invalid(
                "an XMPP account of its own is needed: make one on your server and say \
                 postern doors enable xmpp jid=postern@example.org password=-",
            )
        })?;
        let jid = account(jid, "jid").map_err(ControlError::invalid)?;
        let room = values
            .get("room")
            .map(|room| account(room, "room").map_err(ControlError::invalid))
            .transpose()?;
        settings.room = room.as_ref().map(BareJid::to_string);
        let password = host.given_secret(DoorKind::Xmpp.name()).await;
        let password = password
            .map_err(|error| ControlError::refused(format!("the password cannot be read: {error}")))?;
        let password = password.ok_or_else(|| {
            ControlError::invalid(format!(
                "the account's password is needed: postern doors enable xmpp jid={jid} password=-"
            ))
        })?;
        let server = server(values, &jid)?;
        let ca = values.get("ca").map(|file| absolute("ca", file)).transpose()?;
        let tls = Arc::new(ca.as_deref().map_or_else(tls::system, tls::trust_only)?);
        let nick = values.get("nick").cloned().unwrap_or_else(|| "postern".to_owned());
        if nick.trim().is_empty() || jid.with_resource_str(&nick).is_err() {
            return Err(ControlError::invalid("nick is a name that a room takes"));
        }
        let (outgoing, waiting) = mpsc::channel(WAITING);
        let echoes = Echoes::default();
        let account = Account { jid, password, server, tls };
        let hearing = Hearing::new(account, room.clone(), nick, waiting, Arc::clone(&echoes));
        let messenger = Self { room, outgoing, echoes, hearing: tokio::sync::Mutex::new(hearing) };
        Chat::start(host, DoorKind::Xmpp, settings, messenger).await
    }

    fn stanza(&self, place: &str, id: &str, message: &OutgoingChatMessage) -> Result<Stanza, ChatSendError> {
        let to = BareJid::new(place).map_err(|error| ChatSendError::Refused(format!("{place}: {error}")))?;
        let kind = if self.room.as_ref() == Some(&to) { MessageType::Groupchat } else { MessageType::Chat };
        let mut stanza =
            Stanza::new_with_type(kind, Some(Jid::from(to))).with_body(Lang::new(), message.to_text());
        stanza.id = Some(Id(id.to_owned()));
        stanza.payloads.push(Element::builder("unstyled", STYLING).build());
        Ok(stanza)
    }

    async fn send_stanza(&self, stanza: Stanza) -> Result<(), ChatSendError> {
        let (sent, told) = oneshot::channel();
        let gone = |()| ChatSendError::Lost("the connection was closed".to_owned());
        self.outgoing.send(Outgoing { stanza: Box::new(stanza), sent }).await.map_err(|_| gone(()))?;
        told.await.map_err(|_| gone(()))
    }

    /// Sends to a room and waits until it shows the message. Gives the id that the room has for it.
    async fn send_to_room(&self, stanza: Stanza, id: &str) -> Result<Option<String>, ChatSendError> {
        let (shown, echo) = oneshot::channel();
        self.echoes.lock().insert(id.to_owned(), shown);
        let sent = self.send_stanza(stanza).await;
        let echo = if sent.is_ok() { Some(timeout(ECHO, echo).await) } else { None };
        self.echoes.lock().remove(id);
        sent?;
        match echo {
            Some(Ok(Ok(Ok(alias)))) => Ok(alias),
            Some(Ok(Ok(Err(why)))) => Err(ChatSendError::Lost(format!("the room does not take it: {why}"))),
            _ => Err(ChatSendError::Lost("the room does not show it".to_owned())),
        }
    }
}

impl Messenger for Xmpp {
    async fn post_message(
        &self,
        place: &str,
        message: &OutgoingChatMessage,
    ) -> Result<Posted, ChatSendError> {
        // Before anybody can have seen it.
        let (id, at) = (new_id(), crate::now_millis());
        let stanza = self.stanza(place, &id, message)?;
        let alias = if stanza.type_ == MessageType::Groupchat {
            self.send_to_room(stanza, &id).await?
        } else {
            self.send_stanza(stanza).await?;
            None
        };
        Ok(Posted { id, alias, at })
    }

    async fn change(
        &self,
        place: &str,
        id: &str,
        message: &OutgoingChatMessage,
    ) -> Result<(), ChatSendError> {
        let stanza = self.stanza(place, &Uuid::new_v4().to_string(), message)?;
        self.send_stanza(stanza.with_payload(Replace { id: Id(id.to_owned()) })).await
    }

    async fn acknowledge(&self, _: &str, _: &str) -> Result<(), ChatSendError> {
        // There are no buttons.
        Ok(())
    }

    async fn next_event(&self) -> IncomingChatEvent {
        self.hearing.lock().await.next_event().await
    }
}

impl Guide for Xmpp {
    fn setup_steps(&self, code: &str, name: Option<&str>) -> String {
        let name = name.unwrap_or("the account");
        let room = self.room.as_ref().map_or_else(String::new, |room| {
            format!(
                "The same works in the room {room}\n\
                 if it shows accounts (a room that is not anonymous) or gives occupant ids: a\n\
                 nickname alone proves nothing.\n"
            )
        });
        format!(
            "1. In your XMPP client add {name} as a contact, without OMEMO.\n\
             2. Send it: /pair {code}\n\
             The code works once, and for ten minutes. Questions are shown in the chat where\n\
             you send it; answer them with /approve and /deny, or by reacting.\n{room}\
             Every owner needs a code of their own: postern doors setup xmpp\n"
        )
    }
}

/// Returns the address of the server: found by DNS, unless the settings name it.
fn server(values: &DoorValues, jid: &BareJid) -> Result<DnsConfig, ControlError> {
    let Some(text) = values.get("server") else {
        return Ok(DnsConfig::srv_default_client(jid.domain().as_str()));
    };
    if text.parse::<SocketAddr>().is_ok() {
        return Ok(DnsConfig::addr(text));
    }
    let wrong =
        || ControlError::invalid("server is HOST:PORT, where DNS does not say it: xmpp.example.org:5222");
    let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
    let port = port.parse().map_err(|_| wrong())?;
    Ok(DnsConfig::no_srv(host, port))
}

/// Reads an owner: an account without a device, which stays the same when they change their name.
fn parse_owner(text: &str) -> Result<String, String> {
    account(text, "an owner").map(|jid| jid.to_string())
}

fn account(text: &str, what: &str) -> Result<BareJid, String> {
    let wrong = || format!("{what} is an XMPP address: name@example.org");
    let jid = BareJid::new(text).map_err(|_| wrong())?;
    if jid.node().is_some() { Ok(jid) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::{parse_owner, server};
    use crate::values::DoorValues;
    use tokio_xmpp::connect::DnsConfig;
    use xmpp_parsers::jid::BareJid;

    #[test]
    fn an_owner_is_an_account() {
        assert_eq!(parse_owner("Anna@Home.Test").unwrap(), "anna@home.test");
        for text in ["anna", "anna@home.test/phone", "home.test", ""] {
            assert!(parse_owner(text).unwrap_err().contains("name@example.org"), "{text}");
        }
    }

    #[test]
    fn a_server_is_found_by_dns_unless_it_is_said() {
        let jid = BareJid::new("postern@home.test").unwrap();
        let of = |text: Option<&str>| {
            let values = text.map(|text| DoorValues::from([("server".to_owned(), text.to_owned())]));
            server(&values.unwrap_or_default(), &jid)
        };
        assert!(matches!(of(None).unwrap(), DnsConfig::UseSrv { host, .. } if host == "home.test"));
        assert!(matches!(of(Some("127.0.0.1:5222")).unwrap(), DnsConfig::Addr { .. }));
        assert!(matches!(of(Some("x.test:5222")).unwrap(), DnsConfig::NoSrv { port: 5222, .. }));
        assert!(of(Some("x.test")).unwrap_err().message.contains("HOST:PORT"));
    }
}
