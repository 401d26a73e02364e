//! The table of levels, the same for every subject.

use EffectScope::{Inside, Machine, Outside, Remote};
use Reversible::{No, Yes};
use RiskLevel::{Dangerous, NeedsReview, Safe};
use postern_command::CommandEffect;
use postern_command::effect::{EffectScope, Reversible, UnknownEffectReason};
use serde::{Deserialize, Serialize};

postern_protocol::named_values! {
    /// Risk level: how careful a person should be.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum RiskLevel {
        /// Reads at most.
        Safe = "safe",
        /// Worth a look.
        NeedsReview = "needs-review",
        /// Could do harm that cannot be undone.
        Dangerous = "dangerous",
    }
}

/// Kind, scope, reversibility and level: the first row that fits counts, `None` fits all.
type LevelRow = (&'static str, Option<EffectScope>, Option<Reversible>, RiskLevel);

#[rustfmt::skip]
const LEVELS: &[LevelRow] = &[
    ("read",                None,          None,      Safe),
    ("write",               Some(Machine), None,      Dangerous),
    ("write",               Some(Outside), Some(No),  Dangerous),
    ("delete",              Some(Inside),  None,      NeedsReview),
    ("delete",              None,          Some(Yes), NeedsReview),
    ("delete",              None,          None,      Dangerous),
    ("run-downloaded-code", None,          Some(No),  Dangerous),
    ("install",             None,          Some(No),  Dangerous),
    ("send",                None,          Some(No),  Dangerous),
    ("publish",             None,          None,      Dangerous),
    ("change-repository",   None,          Some(No),  Dangerous),
    ("run-elsewhere",       None,          Some(No),  Dangerous),
    ("change-system",       None,          Some(Yes), NeedsReview),
    ("change-system",       None,          None,      Dangerous),
    ("control-app",         None,          Some(Yes), NeedsReview),
    ("control-app",         None,          None,      Dangerous),
    ("use-secret",          Some(Inside),  None,      NeedsReview),
    ("use-secret",          None,          None,      Dangerous),
    ("serve",               Some(Remote),  None,      Dangerous),
    ("unknown",             None,          Some(No),  Dangerous),
];

/// Returns how careful an effect asks to be.
pub(super) fn effect_level(effect: &CommandEffect, scope: EffectScope, reversible: Reversible) -> RiskLevel {
    let kind = effect.kind();
    let fits = |row: &&LevelRow| {
        row.0 == kind && row.1.is_none_or(|of| of == scope) && row.2.is_none_or(|of| of == reversible)
    };
    LEVELS.iter().find(fits).map_or(NeedsReview, |row| row.3)
}

/// Kinds by their consequence: of two equally dangerous effects the first leads the headline.
const RANKS: [&str; 17] = [
    "delete", "run-downloaded-code", "publish", "use-secret", "change-system", "send", "control-app",
    "run-elsewhere", "serve", "install", "change-repository", "write", "run-inline-code", "run-project-code",
    "fetch", "unknown", "read",
];

/// Returns the rank of an effect. What could not be read comes before what only happens in the project.
pub(super) fn effect_rank(effect: &CommandEffect) -> usize {
    let kind = match effect {
        CommandEffect::Unknown {
            why:
                UnknownEffectReason::Program(_)
                | UnknownEffectReason::Tool(_)
                | UnknownEffectReason::ServerTool { .. },
        } => "unknown",
        CommandEffect::Unknown { .. } => "change-repository",
        _ => effect.kind(),
    };
    RANKS.iter().position(|other| *other == kind).unwrap_or(RANKS.len())
}
