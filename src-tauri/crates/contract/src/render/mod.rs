//! The one room that makes sentences from facts, for the window, terminals, chats, agents and logs. Nothing reads one.

mod cause;
mod effect;
mod gap;
mod question;
mod risk;
mod rule;
mod sentence;
mod shown;
mod tool;
mod trace;

pub use cause::cause;
pub use effect::{asked_because, beyond_headline, effect, effect_sentence, headline};
pub use gap::difference;
pub use question::{
    PastOutcome, Remark, at_zero, denied, nothing_to_save, own_channel, past, policy, remark, tool_policy,
};
pub use risk::protection;
pub use rule::{invalid_rule, of_kind, rule_remark};
pub use sentence::Sentence;
pub use shown::{effects, risk, risk_text, step, steps, trace, why};
pub use trace::found;

#[cfg(test)]
mod tests;
