//! Audience of a sentence.

/// Audience of a sentence that speaks of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    /// The user, who is called *you*.
    User,
    /// An agent, to which they are *the user*.
    Agent,
}

impl Audience {
    /// Returns the words for this audience.
    pub(super) fn choose_words(self, to_user: &'static str, to_agent: &'static str) -> &'static str {
        match self {
            Self::User => to_user,
            Self::Agent => to_agent,
        }
    }
}
