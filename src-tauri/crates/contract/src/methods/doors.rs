//! Doors: other people's protocols that lead to the same requests, questions and answers.

use crate::MultilineText;
use postern_policy::Millis;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

postern_protocol::named_values! {
    /// A door. Its name is what `postern doors` takes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
    pub enum DoorKind {
        /// Approver clients over WebSocket.
        Websocket = "websocket",
        /// OpenClaw's companion socket.
        Openclaw = "openclaw",
        /// MCP over HTTP.
        McpHttp = "mcp-http",
        /// A chat with a Telegram bot.
        Telegram = "telegram",
        /// A chat over XMPP.
        Xmpp = "xmpp",
        /// An agent's channel over TCP.
        Forwarder = "forwarder",
        /// Outgoing events, sent to an HTTP endpoint.
        Webhook = "webhook",
        /// Outgoing events, as OpenTelemetry traces and logs.
        Otel = "otel",
        /// Approvers on other Macs, who meet this host at a NATS server.
        Fleet = "fleet",
    }
}

impl DoorKind {
    /// Returns the setting of it that is a secret, if it has one: kept apart from the others, and never told.
    pub fn secret(self) -> Option<String> {
        let secret = |setting: &DoorSetting| setting.kind == DoorSettingKind::Secret;
        self.settings().into_iter().find(secret).map(|setting| setting.key)
    }

    /// Returns the name that people read.
    pub fn display_name(self) -> &'static str {
        match self {
            Self::Websocket => "Approvers over WebSocket",
            Self::Openclaw => "OpenClaw’s nodes",
            Self::McpHttp => "MCP clients over HTTP",
            Self::Telegram => "Telegram",
            Self::Xmpp => "XMPP",
            Self::Forwarder => "Channels over TCP",
            Self::Webhook => "Webhook",
            Self::Otel => "OpenTelemetry",
            Self::Fleet => "Fleet",
        }
    }

    /// Returns everything that can be typed for it, in the order in which it is asked for. What is not here
    /// is refused.
    pub fn settings(self) -> Vec<DoorSetting> {
        use DoorSettingKind::{Agent, Switch, Text};
        match self {
            Self::Websocket => {
                let mut all = over_tcp("127.0.0.1:7717");
                let pages = "The only web pages that may connect, such as https://approver.example";
                all.push(DoorSetting::new("origins", "Origins", Text, pages));
                all
            }
            Self::Openclaw => vec![
                DoorSetting::new("agent", "Agent", Agent, "Its rules apply").needed(),
                DoorSetting::new("socket", "Socket", Text, "A path. Default: in Postern’s folder"),
                DoorSetting::new(
                    "relay", "Accept its approval", Switch,
                    "A decision that OpenClaw sends counts as your answer",
                ),
            ],
            Self::McpHttp => {
                let mut all = vec![
                    DoorSetting::new("agent", "Agent", Agent, "Clients get the tools of this agent").needed(),
                ];
                all.extend(over_tcp("127.0.0.1:7718"));
                all.push(DoorSetting::new(
                    "hosts", "Names", Text,
                    "Other names by which clients reach it, such as host.docker.internal",
                ));
                all
            }
            Self::Telegram => [telegram_settings(), chat_settings()].concat(),
            Self::Xmpp => [xmpp_settings(), chat_settings()].concat(),
            Self::Forwarder => vec![
                DoorSetting::new(
                    "channels", "Channels", Text,
                    "AGENT@127.0.0.1:7719, separated by commas; for containers in a virtual machine",
                )
                .needed(),
                DoorSetting::new(
                    "unencrypted-network",
                    "Beyond loopback, unencrypted",
                    Switch,
                    "For the bridge to a virtual machine. Everyone on that network can read everything",
                ),
            ],
            Self::Webhook => {
                let url = DoorSetting::new("url", "Address", Text, "https://…, or http:// on localhost");
                vec![url.needed(), commands(), authority()]
            }
            Self::Otel => {
                let hint = "Default: http://127.0.0.1:4318, a collector on localhost";
                vec![DoorSetting::new("endpoint", "Collector", Text, hint), commands(), authority()]
            }
            // What it needs is kept when this Mac starts or joins a fleet.
            Self::Fleet => Vec::new(),
        }
    }

    /// Returns a sentence on the purpose.
    pub fn description(self) -> &'static str {
        match self {
            Self::Websocket => "Approver clients (a phone, a page, a script) see questions and answer them.",
            Self::Openclaw => "An OpenClaw node uses Postern as its companion app.",
            Self::McpHttp => "MCP clients reach one agent’s tools over HTTP.",
            Self::Telegram => "Owners see questions in a chat with a Telegram bot and answer them there.",
            Self::Xmpp => "Owners see questions over XMPP, directly or in a room, and answer them there.",
            Self::Forwarder => "A sandbox in a virtual machine reaches its agent’s channel over TCP.",
            Self::Webhook => "Postern sends events to an HTTP endpoint, signed.",
            Self::Otel => "Postern sends events to an OpenTelemetry collector, as traces and logs.",
            Self::Fleet => {
                "Approvers on other computers see questions, sealed for them, and answer them there."
            }
        }
    }
}

/// Returns the settings of a door over TCP. `usual` is its default address.
fn over_tcp(usual: &str) -> Vec<DoorSetting> {
    use DoorSettingKind::{Choice, Text};
    let listen = format!("Default: {usual}, only on localhost");
    let tls = DoorSetting::new("tls", "TLS", Choice, "May be off only on localhost");
    vec![
        DoorSetting::new("listen", "Address", Text, &listen),
        tls.one_of(&["off", "self-signed", "given"]),
        DoorSetting::new("cert", "Certificate", Text, "A file of your own: /path/to/chain.pem"),
        DoorSetting::new("key", "Key of the certificate", Text, "/path/to/key.pem"),
    ]
}

/// Returns the settings of Telegram.
fn telegram_settings() -> Vec<DoorSetting> {
    use DoorSettingKind::{Secret, Text};
    vec![
        DoorSetting::new("token", "Bot’s token", Secret, "From @BotFather").needed(),
        DoorSetting::new("server", "Server", Text, "A Bot API server of your own"),
    ]
}

/// Returns the settings of XMPP.
fn xmpp_settings() -> Vec<DoorSetting> {
    use DoorSettingKind::{Secret, Text};
    vec![
        DoorSetting::new("jid", "Account", Text, "Its own account: postern@example.org").needed(),
        DoorSetting::new("password", "Password", Secret, "The account’s password").needed(),
        DoorSetting::new("server", "Server", Text, "HOST:PORT. Default: from DNS"),
        DoorSetting::new("room", "Room", Text, "Where questions are shown: ops@rooms.example.org"),
        DoorSetting::new("nick", "Name in the room", Text, "Default: postern"),
    ]
}

/// Returns the settings that all chats share.
fn chat_settings() -> Vec<DoorSetting> {
    use DoorSettingKind::{Choice, Text};
    vec![
        DoorSetting::new("owners", "Owners", Text, "They answer besides those who pair: ID,ID"),
        DoorSetting::new("agents", "Agents", Text, "Show questions of these agents only. Default: all"),
        DoorSetting::new("routes", "Routes", Text, "Send questions of an agent to one owner: AGENT:OWNER,…"),
        DoorSetting::new(
            "high-risk", "High-risk questions", Choice, "Default: shown there, approved only in Postern",
        )
        .one_of(&["announce", "once", "always"]),
        DoorSetting::new("changes", "Report changes", Choice, "Say there when more may run. Default: on")
            .one_of(&["on", "off"]),
        DoorSetting::new(
            "ca", "Trusted certificate", Text, "Instead of those the system trusts: /path/to/ca.pem",
        ),
    ]
}

/// Returns the setting for how much of a command goes out.
fn commands() -> DoorSetting {
    let hint = "names sends programs without their arguments";
    DoorSetting::new("commands", "Commands", DoorSettingKind::Choice, hint).one_of(&["names", "full"])
}

/// Returns the setting for the certificates to trust.
fn authority() -> DoorSetting {
    let hint = "Your own authority, if the system doesn’t trust it: /path/to/ca.pem";
    DoorSetting::new("ca", "Authority", DoorSettingKind::Text, hint)
}

/// A setting of a door: what a person is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoorSetting {
    /// Key, as in `key=value`.
    pub key: String,
    /// Name that people read.
    pub name: String,
    /// Accepted values, or the default.
    pub hint: String,
    pub kind: DoorSettingKind,
    /// True if the door does not open without it.
    pub required: bool,
    /// Values to choose from, if it is a choice.
    pub choices: Vec<String>,
}

impl DoorSetting {
    /// Makes an optional setting.
    pub fn new(key: &str, name: &str, kind: DoorSettingKind, hint: &str) -> Self {
        let (key, name, hint) = (key.to_owned(), name.to_owned(), hint.to_owned());
        Self { key, name, hint, kind, required: false, choices: Vec::new() }
    }

    /// Makes the setting required: without it the door does not open.
    #[must_use]
    pub fn needed(self) -> Self {
        Self { required: true, ..self }
    }

    /// Adds the values to choose from.
    #[must_use]
    pub fn one_of(self, choices: &[&str]) -> Self {
        Self { choices: choices.iter().map(|&choice| choice.to_owned()).collect(), ..self }
    }
}

/// Kind of input for a door's setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum DoorSettingKind {
    /// A line of text.
    Text,
    /// Text that is never shown again: [`DoorRow::secrets`] has its key if it is set.
    Secret,
    /// `on` or `off`.
    Switch,
    /// An agent's id.
    Agent,
    /// A value of [`DoorSetting::choices`].
    Choice,
}

/// State of a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum DoorState {
    Off,
    /// Accepts clients.
    Open,
    /// Enabled, but not working: [`DoorRow::problem`] has the reason.
    Broken,
}

/// A door in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoorRow {
    pub door: DoorKind,
    /// Name that people read.
    pub title: String,
    /// Purpose, in a sentence.
    pub about: String,
    /// True if it can be gone through.
    pub state: DoorState,
    /// Reason why it is broken, and what to do.
    pub problem: Option<String>,
    /// Settings as they were typed, without secrets.
    pub values: BTreeMap<String, String>,
    /// The keys of the secrets that were typed.
    pub secrets: Vec<String>,
    /// Everything that can be typed for it.
    pub settings: Vec<DoorSetting>,
    /// Clients that are paired or connected.
    pub clients: Vec<PairedClient>,
    /// Notes for the person on strangers who tried to come in, newest first.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Somebody at a door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PairedClient {
    /// Id, as `postern doors revoke` takes it.
    pub id: String,
    /// The name it gave itself, escaped.
    pub name: String,
    /// Time of pairing.
    pub paired_at: Option<Millis>,
    /// Time of the last connection.
    pub seen_at: Option<Millis>,
    /// True if it is connected now.
    pub connected: bool,
}

/// Names a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoorRef {
    pub door: DoorKind,
}

/// Opens a door, or changes an open one. Values that are left out stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoorEnable {
    pub door: DoorKind,
    /// Settings as a person types them; [`DoorKind::secret`] among them is kept as a secret.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub values: BTreeMap<String, String>,
}

/// Names a client of a door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PairedClientRef {
    pub door: DoorKind,
    /// The client's id: [`PairedClient::id`].
    pub client: String,
}

/// Settings for the other side of a door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoorSetup {
    pub door: DoorKind,
    /// Values by name (`url`, `pairingCode`, `fingerprint`; `socket`, `token`, `document`; `url`, `token`,
    /// `registration`).
    pub values: BTreeMap<String, String>,
    /// Steps for a person.
    #[ts(as = "String")]
    pub text: MultilineText,
}

#[cfg(test)]
mod tests {
    use super::{DoorKind, DoorSettingKind};
    use std::collections::BTreeSet;

    #[test]
    fn a_setting_is_asked_for_once_and_a_choice_has_something_to_choose() {
        for door in DoorKind::ALL {
            let settings = door.settings();
            let keys: BTreeSet<_> = settings.iter().map(|setting| &setting.key).collect();
            assert_eq!(keys.len(), settings.len(), "{door:?} asks for the same twice");
            for setting in settings {
                let chosen = setting.kind == DoorSettingKind::Choice;
                assert_eq!(chosen, !setting.choices.is_empty(), "{door:?}: {setting:?}");
                assert!(!setting.name.is_empty() && !setting.hint.is_empty(), "{door:?}: {setting:?}");
            }
        }
    }
}
