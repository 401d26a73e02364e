//! The one room that makes sentences from facts, for the window, terminals, chats, agents and logs. Nothing reads one.

mod activity;
mod ago;
mod answer;
mod argument;
mod audience;
mod cause;
mod change;
mod danger;
mod denial;
mod effect;
mod files;
mod gap;
mod headline;
mod lint;
mod offer;
mod question;
mod risk;
mod rule;
mod sentence;
mod shown;
mod trace;

pub use activity::{decided_by, moment, state_words};
pub use answer::{missing, not_applied};
pub use cause::{AskedFacts, AskedUse, asked_because, cause_sentence};
pub use change::change;
pub use danger::{confinement, danger, full_access_after_failure, missing_network};
pub use denial::{
    advice, denial, denial_advice, drifted_step, failed_confined, not_shown, refusal, refusal_text,
    secrets_kept, set_aside, timed_out, unpinned, verdict_advice,
};
pub use effect::{
    all_also_covered, also_covers, effect, effect_kind, effect_kind_sentence, effect_sentence, widening,
};
pub use gap::difference;
pub use headline::{beyond_headline, headline};
pub use lint::{problem, suggest_fix};
pub use offer::{offer_phrase, placed_offer};
pub use question::{
    PastOutcome, ProgramRemark, at_zero, denied, no_line_break, nothing_to_save, own_channel, past_outcome,
    policy, remark, replaced_bytes, replaced_lines, tool_policy,
};
pub use risk::protection;
pub use rule::{invalid_rule, of_kind, rule_pattern, rule_remark, rule_sentence};
pub use sentence::Sentence;
pub use shown::{cause_text, effects, risk_text, shown_risk, shown_steps, shown_trace};
pub use trace::finding_sentence;

#[cfg(test)]
mod asked_tests;
#[cfg(test)]
mod denial_tests;
#[cfg(test)]
mod headline_tests;
#[cfg(test)]
mod tests;
