//! A rule of a case: a pattern, or a pattern with what else a rule can say.

use crate::pattern::parse_pattern;
use crate::pretend::identity;
use crate::rule::{Effect, Lifetime, Millis, PatternKind, Pin, Rule, RuleId, Source};
use serde::Deserialize;

/// A rule as a case writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum CaseRule {
    Pattern(String),
    Full(Box<Full>),
}

/// A rule in full. The names are those of an exported rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Full {
    pub text: String,
    /// Kind; if left out, the spelling of the pattern decides.
    pub kind: Option<PatternKind>,
    /// Argument patterns, one a word.
    pub args: Option<Vec<String>>,
    /// True if it also allows redirections that write.
    #[serde(default)]
    pub allow_writes: bool,
    /// True if it was confirmed as broad.
    #[serde(default)]
    pub broad: bool,
    /// The profile that what it allows runs in.
    pub confine: Option<postern_protocol::Profile>,
    /// The sha256 of the program that it is bound to.
    pub pin: Option<String>,
    /// End of the rule, in milliseconds since 1970; `None` lasts always.
    pub until: Option<Millis>,
}

impl CaseRule {
    pub(super) fn to_rule(&self, id: RuleId, effect: Effect, source: Source) -> Result<Rule, String> {
        let full = match self {
            Self::Full(full) => full.as_ref().clone(),
            Self::Pattern(text) => Full {
                text: text.clone(),
                kind: None,
                args: None,
                allow_writes: false,
                broad: false,
                confine: None,
                pin: None,
                until: None,
            },
        };
        let pattern = parse_pattern(&full.text, full.kind).map_err(|error| error.to_string())?;
        Ok(Rule {
            id,
            args: full.args,
            pin: full.pin.map(|sha256| Box::new(Pin::new(identity(&sha256)))),
            allow_writes: full.allow_writes,
            broad: full.broad,
            confine: full.confine,
            source,
            lifetime: full.until.map_or(Lifetime::Forever, Lifetime::Until),
            ..Rule::new(effect, pattern)
        })
    }
}
