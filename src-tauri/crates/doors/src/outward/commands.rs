//! Part of a command line that leaves this computer.

use crate::values::DoorValues;
use postern_contract::methods::{ControlError, FeedEvent, FeedKind};

/// Placeholder for shell text of which nothing may go out.
const SHELL: &str = "(shell text)";

/// Part of a command that goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Commands {
    /// The program's name, without arguments, and no words about it: they may repeat the arguments.
    Names,
    /// All of it.
    Full,
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
