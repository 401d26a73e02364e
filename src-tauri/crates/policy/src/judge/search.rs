//! Programs that only the user's shell finds: their folders are not on the agent's search path.

use super::Judgement;
use super::outcome::StepOutcome;
use crate::cause::Cause;
use crate::decision::{Decision, Reason};
use crate::facts::{FoundProgram, Lookup};
use crate::rule::{Pattern, Rule, RuleId};
use crate::ruleset::CompiledRules;

impl Judgement<'_> {
    /// Asks about a program that only the user's shell finds.
    ///
    /// A rule that names it by its path, or is bound to it as it is, still decides.
    pub(super) fn in_search_path(&self, at: usize, outcome: StepOutcome) -> StepOutcome {
        let found = &self.facts.steps[at];
        let outside = |lookup: &Lookup| match lookup {
            Lookup::Found(program) if program.shell_only => Some((**program).clone()),
            Lookup::Found(_) | Lookup::NotFound | Lookup::Unusable { .. } | Lookup::Nothing => None,
        };
        let named =
            outside(&found.program).filter(|_| !outcome.used_rule().is_some_and(|id| self.names_program(id)));
        let wrapper = || found.via.iter().find_map(outside);
        let open = outcome.decision == Decision::Allow || outcome.reason == Reason::AllowlistMiss;
        match named.or_else(wrapper).filter(|_| open) {
            Some(program) => outside_search_path(&program).advise(self.search_path_advice()),
            None => outcome,
        }
    }

    /// Returns true if a rule says which program it means: by path, by content, or by what it was approved with.
    fn names_program(&self, id: RuleId) -> bool {
        let names = |rule: &Rule| {
            rule.pin.is_some() || matches!(rule.pattern, Pattern::Path(_) | Pattern::Identity(_))
        };
        self.policy
            .rules
            .compiled_parts()
            .flat_map(CompiledRules::all_rules)
            .any(|rule| rule.id == id && names(rule))
    }
}

fn outside_search_path(program: &FoundProgram) -> StepOutcome {
    let folder = program.path.rsplit_once('/').map_or("/", |(folder, _)| folder).to_owned();
    let cause = Cause::OutsideSearchPath { program: program.invoked.clone(), folder };
    StepOutcome::new(Decision::Ask, Reason::AllowlistMiss, cause)
}
