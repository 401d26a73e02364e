//! Steps that the profile of the run holds: what the agent's classes and rules that name a profile say about them.

use super::classes::{Classed, Need};
use super::confined::Ruled;
use super::label;
use super::outcome::{StepOutcome, covered, to_named_rule};
use super::profile::Profiles;
use crate::cause::Cause;
use crate::classes::Class;
use crate::decision::{Decision, Reason};
use crate::facts::Facts;
use postern_protocol::Profile;

/// Returns the outcome of the rules that name a profile for the step at `at`, which no other rule covers.
pub(super) fn by_confined_rule(facts: &Facts<'_>, profiles: &Profiles<'_>, at: usize) -> Option<StepOutcome> {
    let (rule, profile, gap) = match profiles.ruled.get(at)? {
        Ruled::Not => return None,
        Ruled::Allowed(rule, ..) if profiles.hold_rule(at) => return Some(covered(rule)),
        Ruled::Allowed(rule, profile, _) => (rule, profile, profiles.class_gap(facts, Some(*profile))),
        Ruled::But(rule, profile, gap) => (rule, profile, gap.clone()),
    };
    let command = label::of_step(&facts.reading.steps[at]);
    let reason = gap.reason();
    let cause = Cause::RuleBut { command, rule: to_named_rule(rule).into(), profile: *profile, gap };
    Some(StepOutcome::new(Decision::Ask, reason, cause))
}

/// Returns the outcome of the classes for the step at `at`, which no rule covers.
pub(super) fn by_classes(facts: &Facts<'_>, profiles: &Profiles<'_>, at: usize) -> Option<StepOutcome> {
    let command = || label::of_step(&facts.reading.steps[at]);
    match profiles.classed.get(at)? {
        Classed::Asks => None,
        Classed::Denied(class) => {
            let cause = Cause::ClassDenied { command: command(), class: *class };
            Some(StepOutcome::new(Decision::Deny, Reason::Policy, cause))
        }
        Classed::Allowed { classes, need, .. } => {
            let needs = match need {
                Need::Look => Some(Profile::Look),
                Need::Project | Need::Network => Some(Profile::Project),
                Need::Unconfined => None,
            };
            let gap = (!profiles.holds_step(at)).then(|| profiles.class_gap(facts, needs));
            let classes = classes.clone();
            Some(match gap {
                None => {
                    let confined = *need < Need::Unconfined;
                    StepOutcome::new(Decision::Allow, Reason::Class, Cause::Classes { classes, confined })
                }
                Some(gap) => {
                    let reason = gap.reason();
                    StepOutcome::new(
                        Decision::Ask,
                        reason,
                        Cause::ClassesBut { command: command(), classes, gap },
                    )
                }
            })
        }
    }
}

/// Returns the outcome for a text that was not understood, in a run that holds it as code of the project.
pub(super) fn any_code() -> StepOutcome {
    let cause = Cause::Classes { classes: vec![Class::Build], confined: true };
    StepOutcome::new(Decision::Allow, Reason::Class, cause)
}
