//! The rule that *Always* would save, as the user adjusts it: for whom, where, for how long, and which words.

use postern_contract::{PieceKind, Proposal, Question, Scope};
use postern_policy::{Lifetime, Millis};

/// A minute in milliseconds.
const MINUTE: Millis = 60_000;

/// Lifetime of a rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Span {
    #[default]
    Forever,
    Quarter,
    Hour,
    /// Until the session ends, where it has a name that can be repeated exactly.
    Session,
    Quit,
}

/// The choice, before a number says yes to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RuleChoice {
    pub(super) scope: Scope,
    pub(super) span: Span,
    /// True if it holds in every folder, not only in the one shown and below.
    pub(super) anywhere: bool,
    /// The offer whose pattern was changed, and what it is now.
    pub(super) edited: Option<(String, String)>,
    /// The offer that is to be saved although it allows more than is shown.
    pub(super) broad: Option<String>,
}

impl RuleChoice {
    /// Switches between everybody and this agent alone.
    pub(super) fn turn_scope(&mut self) {
        self.scope = match self.scope {
            Scope::Agent => Scope::Everyone,
            Scope::Everyone => Scope::Agent,
        };
    }

    /// Chooses the next lifetime on offer.
    pub(super) fn turn_span(&mut self, question: &Question) {
        self.span = match self.span {
            Span::Forever => Span::Quarter,
            Span::Quarter => Span::Hour,
            Span::Hour if session(question).is_some() => Span::Session,
            Span::Hour | Span::Session => Span::Quit,
            Span::Quit => Span::Forever,
        };
    }

    /// Returns the lifetime for an answer that is given now.
    pub(super) fn lifetime(&self, question: &Question, now: Millis) -> Lifetime {
        match self.span {
            Span::Forever => Lifetime::Forever,
            Span::Quarter => Lifetime::Until(now.saturating_add(15 * MINUTE)),
            Span::Hour => Lifetime::Until(now.saturating_add(60 * MINUTE)),
            // A session without a name ends nothing: the shortest that there is.
            Span::Session => session(question).map_or(Lifetime::Quit, Lifetime::Session),
            Span::Quit => Lifetime::Quit,
        }
    }

    /// Returns the words of an offer, where they were changed.
    pub(super) fn edited(&self, proposal: Option<&str>) -> Option<String> {
        self.edited.as_ref().filter(|(id, _)| Some(id.as_str()) == proposal).map(|(_, text)| text.clone())
    }

    /// Returns true if an offer is to be saved although it allows more than is shown.
    pub(super) fn is_broad(&self, proposal: Option<&str>) -> bool {
        proposal.is_some() && self.broad.as_deref() == proposal
    }

    /// Describes for whom, where and how long it holds.
    pub(super) fn describe(&self) -> String {
        let whom = match self.scope {
            Scope::Agent => "this agent",
            Scope::Everyone => "every agent",
        };
        let span = match self.span {
            Span::Forever => "always",
            Span::Quarter => "for 15 minutes",
            Span::Hour => "for an hour",
            Span::Session => "for this session",
            Span::Quit => "until Postern quits",
        };
        let place = if self.anywhere { "in any folder" } else { "in this folder and below" };
        format!("{whom}, {place}, {span}")
    }
}

/// Returns the offers whose words can be changed: those that save one rule.
pub(super) fn editable(question: &Question) -> impl Iterator<Item = &Proposal> {
    question.proposals.iter().filter(|proposal| proposal.rules.len() == 1)
}

fn session(question: &Question) -> Option<String> {
    let shown = question.asker.session.as_ref()?;
    let exact = shown.iter().all(|piece| piece.kind != PieceKind::Escaped);
    exact.then(|| postern_contract::join_pieces(shown))
}
