//! The one room that makes sentences from facts, for the window, terminals, chats, agents and logs. Nothing reads one.

mod activity;
mod answer;
mod cause;
mod danger;
mod denial;
mod effect;
mod gap;
mod lint;
mod offer;
mod question;
mod risk;
mod rule;
mod sentence;
mod shown;
mod tool;
mod trace;

pub use activity::{decided_by, moment};
pub use answer::{missing, not_applied};
pub use cause::cause;
pub use danger::{confinement, danger, missing_network};
pub use denial::{
    advice, denial, denial_advice, drifted_step, failed_confined, not_shown, refusal, set_aside, timed_out,
    verdict_advice,
};
pub use effect::{
    all_also_covered, also_covers, asked_because, beyond_headline, effect, effect_kind, effect_kind_sentence,
    effect_sentence, headline,
};
pub use gap::difference;
pub use lint::{fix, problem};
pub use offer::{offer, placed_offer};
pub use question::{
    PastOutcome, Remark, at_zero, denied, nothing_to_save, own_channel, past, policy, remark, tool_policy,
};
pub use risk::protection;
pub use rule::{invalid_rule, of_kind, rule_pattern, rule_remark};
pub use sentence::Sentence;
pub use shown::{effects, risk, risk_text, steps, trace, why};
pub use trace::found;

#[cfg(test)]
mod denial_tests;
#[cfg(test)]
mod tests;
