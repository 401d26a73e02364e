//! Policy: agents, rules, pins, risk. `judge()` gives a [`Verdict`] with its evidence.
//!
//! Pure.

mod advice;
mod agent;
mod arguments;
mod caches;
pub mod case;
mod cause;
mod check;
mod classes;
mod code_texts;
mod confinement;
mod decision;
mod elevation;
pub mod environment;
pub mod exec_approval;
mod facts;
mod generous;
mod given;
mod glob;
mod icon;
pub mod import;
pub mod jsonc;
mod judge;
pub mod measure;
mod needed;
pub mod openclaw;
mod operands;
mod path;
mod pattern;
mod people;
pub mod permissions;
mod pretend;
mod propose;
mod protected;
mod readable;
pub mod risk;
mod rule;
mod rule_problem;
mod ruleset;
mod settings;
mod shell_touch;
mod skill;
mod step_words;
mod subject;
mod suggest;
#[cfg(test)]
mod testing;
pub mod tool_gate;
mod verdict;
mod words;

pub use advice::Advice;
pub use agent::{AgentPolicy, SessionLayers};
pub use caches::{cache_environment, private_cache, tool_caches};
pub use cause::{
    Cause, ClassGap, ContentDifference, Difference, Doubt, Gap, Label, NamedRule, NamedRuleSource, Obstacle,
    PinMismatch, SignerDifference, StageFinding, ToolCause, ToolUse, Unidentified,
};
pub use check::{
    AlsoCovered, Carrier, Changeable, FindingKind, LintProblem, NeverMatches, Remark, RuleFinding, Seen,
    TooBroad, Widening, also_covered, check_rule, covers_step, edit_draft, left_out, lint_file, lint_rules,
    remarks, widened_place, would_match,
};
pub use classes::{Access, Class};
pub use confinement::{Confinement, DEVICES, Denied, INSTALLED, SYSTEM_PLACES, protected_places};
pub use decision::{Decision, Reason, RuleRef};
pub use elevation::Elevation;
pub use facts::{Confinable, Facts, FoundProgram, Input, Lookup, Script, StepFacts, TargetPath};
pub use icon::AgentIcon;
pub use judge::{
    CommandAgainst, against_classes, against_command_tool, against_files, changes, core, judge_request,
    judge_unanswered, protect_in_own_shell, rule_ref, source_words, tighter_profiles,
};
pub use needed::{Needed, WantedProgram, candidates, folder_of, lookups};
pub use path::{LETTER_GROUPS, expand_home, from_home, normal as normal_path};
pub use pattern::{PatternError, kind_name, parse_pattern, parse_typed, pattern_text};
pub use people::conclude;
pub use postern_protocol::Profile;
pub use propose::{
    AlwaysOffer, Draft, NothingToSave, OfferLabel, Offered, ProgramRenewal, RenewedProgram, propose,
    propose_renewals,
};
pub use protected::{
    GIT_NESTS, GIT_OBEYS, ProtectedPlace, ProtectedPlaces, Protection, StandIn, holds_protected_entry,
    is_git_folder, is_git_name, is_protected_entry, pinned_when_absent, protected_names, unprotected_in,
};
pub use readable::{NotReadable, why_not_readable};
pub use risk::{EffectExtent, NamedFiles, RatedEffect, Risk, RiskLevel};
pub use rule::{
    Authority, CoveredEffect, Effect, FileAccess, Identity, IdentityPattern, Lifetime, Limits, Millis,
    Pattern, PatternKind, Pin, Rule, RuleId, RuleInput, RuleOrigin, ScriptPin, Signature, Signer, Source,
    Surroundings, Usage,
};
pub use rule_problem::RuleProblem;
pub use ruleset::{BrokenRule, DeniedFiles, RuleSet};
pub use settings::{
    AgentId, Ask, BadAgentId, Fallback, Preset, SEARCH_PATH, Security, Settings, Unattended, Unreadable,
};
pub use shell_touch::ShellTouch;
pub use skill::may_serve_skill;
pub use subject::{
    FileChange, Origin, Replacement, RequestedCommand, SHELL_TOOL, Subject, beside_command, tool_of_server,
};
pub use suggest::{PastQuestion, Suggested, suggest};
pub use verdict::{StepVerdict, TraceLine, Verdict};
