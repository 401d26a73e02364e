//! Interface of a chat network. `docs/CHAT.md` says how to write one.

use postern_contract::PieceKind::Plain;
use postern_contract::ShownText;
use postern_contract::chat::ChatVerdict;
use postern_policy::Millis;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::time::Duration;

/// A chat network, logged in as the account that asks.
///
/// Nothing here decides: whether the sender is an owner, what a command means and whether an answer counts is the flow's.
/// Every call may take long or never end (the flow gives up after [`super::hub::PATIENCE`]); none may hold up [`Self::next_event`].
pub(crate) trait Messenger: Debug + Send + Sync + 'static {
    /// Posts a message in a place, and says by which id reactions to it will name it.
    fn post_message(
        &self,
        place: &str,
        message: &OutgoingChatMessage,
    ) -> impl Future<Output = Result<Posted, ChatSendError>> + Send;

    /// Makes a message that was posted say something else; where the network cannot, posts it as a new one.
    fn change(
        &self,
        place: &str,
        id: &str,
        message: &OutgoingChatMessage,
    ) -> impl Future<Output = Result<(), ChatSendError>> + Send;

    /// Shows the result of pressing a button to the person who pressed it.
    ///
    /// `press` is [`IncomingChatEvent::Pressed`]'s. Networks without buttons do nothing.
    fn acknowledge(&self, press: &str, text: &str) -> impl Future<Output = Result<(), ChatSendError>> + Send;

    /// Returns the next event. Connects, and connects again with a back-off, by itself.
    ///
    /// Not cancel-safe: await to completion.
    fn next_event(&self) -> impl Future<Output = IncomingChatEvent> + Send;

    /// Returns the position up to which [`Self::next_event`] has returned events.
    ///
    /// It is stored beside their results, so that they are not returned again after a crash. `None` on
    /// networks that deliver everything once.
    fn position(&self) -> Option<Position> {
        None
    }

    /// Goes on after this. Called before anything else, if at all.
    fn resume(&self, _: Position) {}
}

/// A place in what a network tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The number of what comes next.
    pub(crate) next: i64,
    /// Time at which what came before was returned.
    pub(crate) at: Millis,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OutgoingChatMessage {
    /// Text, in order.
    pub(crate) pieces: Vec<ChatMessagePiece>,
    /// Verdicts that have buttons, if the network has them, and the digest that they are for.
    pub(crate) buttons: Vec<ChatVerdict>,
}

/// A stretch of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChatMessagePiece {
    /// The flow's own words.
    Own(String),
    /// Words of an agent, escaped: nothing in it may become a link, a name or a style.
    Quoted(String),
    /// Code within a sentence. Networks without a style for it set it between backticks.
    Code(ShownText),
}

impl OutgoingChatMessage {
    /// Makes a message of one stretch of our own words.
    pub(crate) fn from_text(text: impl Into<String>) -> Self {
        Self { pieces: vec![ChatMessagePiece::Own(text.into())], buttons: Vec::new() }
    }

    pub(super) fn add_own_text(&mut self, text: &str) -> &mut Self {
        self.pieces.push(ChatMessagePiece::Own(text.to_owned()));
        self
    }

    pub(super) fn quoted(&mut self, text: &str) -> &mut Self {
        self.pieces.push(ChatMessagePiece::Quoted(text.to_owned()));
        self
    }

    /// Adds a sentence of the host.
    pub(super) fn sentence(&mut self, said: &[postern_contract::Piece]) -> &mut Self {
        for run in said.chunk_by(|one, other| (one.kind == Plain) == (other.kind == Plain)) {
            self.pieces.push(match run {
                [first, ..] if first.kind != Plain => ChatMessagePiece::Code(run.to_vec()),
                words => ChatMessagePiece::Own(postern_contract::join_pieces(words)),
            });
        }
        self
    }

    /// Returns all of it as one text, for networks without styles.
    pub(crate) fn to_text(&self) -> String {
        self.pieces.iter().map(ChatMessagePiece::as_text).collect()
    }
}

impl ChatMessagePiece {
    /// Returns the text for networks with a style for code.
    pub(crate) fn styled(&self) -> String {
        match self {
            Self::Own(text) | Self::Quoted(text) => text.clone(),
            Self::Code(code) => postern_contract::join_pieces(code),
        }
    }

    /// Returns the text for networks without styles.
    fn as_text(&self) -> String {
        match self {
            Self::Own(_) | Self::Quoted(_) => self.styled(),
            Self::Code(code) => postern_contract::pieces_to_text(code),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Posted {
    /// Id for changes, and for reactions if there is no alias: unique in its place.
    pub(crate) id: String,
    /// Id that reactions name instead: the network's own.
    pub(crate) alias: Option<String>,
    /// Time by the network's clock if it sends one (milliseconds since 1970).
    pub(crate) at: Millis,
}

/// Reason why a message could not be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChatSendError {
    /// Again in this long, and no sooner.
    Later(Duration),
    /// The network did not answer, or not sensibly: again soon. In words, without secrets.
    Lost(String),
    /// Refused, also the next time. In words, without secrets.
    Refused(String),
}

/// Something that happened on the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IncomingChatEvent {
    /// Connected and logged in, under this name.
    Online(String),
    /// Not connected; tries go on.
    Offline {
        /// Reason, in words, without secrets.
        why: String,
        /// True if trying again will not help (a wrong password): the opener of the door learns of it at once.
        hopeless: bool,
    },
    /// Somebody said something.
    Said {
        from: ChatSender,
        place: String,
        text: String,
        /// Time by the clock of [`Posted::at`]; `None` if the network kept it for us for an unknown time.
        at: Option<Millis>,
    },
    /// Somebody's reactions to a message changed.
    Reacted {
        from: ChatSender,
        place: String,
        message: String,
        /// Those that are new.
        signs: Vec<String>,
    },
    /// Somebody pressed a button.
    Pressed {
        from: ChatSender,
        place: String,
        /// Under which message.
        message: String,
        verdict: ChatVerdict,
        /// Value for [`Messenger::acknowledge`].
        press: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChatSender {
    /// Id that the network itself vouches for: never a name that people choose. `None` if it does not vouch.
    pub(crate) id: Option<String>,
    /// Name that they chose.
    pub(crate) name: String,
}
