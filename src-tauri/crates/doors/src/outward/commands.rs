//! Part of a command line that leaves this computer.

use crate::values::DoorValues;
use postern_contract::methods::{ControlError, FeedEvent, FeedKind};
use postern_protocol::encode_hex;
use sha2::{Digest as _, Sha256};

/// Placeholder for a command without a program that was found: nothing of it may go out.
const SHELL: &str = "(shell text)";

/// Part of a command that goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Commands {
    /// The program's name, without arguments, and no words about it: they may repeat the arguments.
    Names,
    Full,
}

/// Returns the beginning of a name's sha256, in hex.
fn digest_of_name(name: &str) -> String {
    encode_hex(Sha256::digest(name).get(..8).unwrap_or_default())
}

impl Commands {
    /// Reads the setting `commands`: `names` where nothing is said.
    pub(super) fn from_values(values: &DoorValues) -> Result<Self, ControlError> {
        match values.get("commands").map(String::as_str) {
            None | Some("names") => Ok(Self::Names),
            Some("full") => Ok(Self::Full),
            Some(_) => Err(ControlError::invalid("commands is names (the program alone) or full")),
        }
    }

    /// Returns the event as it may leave.
    pub(super) fn redact_event(self, mut event: FeedEvent) -> FeedEvent {
        if self == Self::Full {
            return event;
        }
        if let Some(request) = &mut event.request {
            // An agent chooses its sessions' names: their digests tell them apart as well.
            request.session = request.session.as_deref().map(digest_of_name);
            request.line = event.program.clone().unwrap_or_else(|| SHELL.to_owned());
            if let Some(risk) = &mut request.risk {
                risk.reasons.clear();
            }
            event.message = None;
        }
        if event.event == FeedKind::Widened {
            // The change may name commands and folders, its author programs.
            (event.message, event.who) = (None, None);
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::Commands;
    use postern_contract::methods::FeedEvent;
    use serde_json::json;

    #[test]
    fn without_commands_nothing_that_an_agent_chose_leaves() {
        let event = |session: &str| -> FeedEvent {
            serde_json::from_value(json!({
                "sequence": 1, "event": "request.received", "eventAt": 0, "times": null, "program": null, "profile": null,
                "face": null, "door": null, "who": null, "message": "SECRET",
                "request": {"id": "1", "requestId": "r", "agent": "main", "session": session, "line": "SECRET x",
                    "state": "received", "ending": null, "exitCode": null, "at": 0, "durationMs": null,
                    "risk": {"level": "safe", "reasons": ["SECRET"]}, "decided": null, "rule": null}
            }))
            .unwrap()
        };
        let sent = |session: &str| Commands::Names.redact_event(event(session)).request.unwrap();
        let text = serde_json::to_string(&Commands::Names.redact_event(event("SECRET a"))).unwrap();
        assert!(!text.contains("SECRET"), "{text}");
        assert_eq!(sent("a").session, sent("a").session, "what belongs together is told so");
        assert_ne!(sent("a").session, sent("b").session);
        assert_eq!(Commands::Full.redact_event(event("a")), event("a"));
    }
}
