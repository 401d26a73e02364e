//! End of a judgment: the managed policies that it was made under, and approval by several people where one of them wants it.

use crate::agent::AgentPolicy;
use crate::cause::{Cause, NamedRuleSource, StageFinding};
use crate::decision::{Decision, Reason};
use crate::settings::Ask;
use crate::verdict::{StepVerdict, TraceLine, Verdict};

/// Returns a verdict that names the managed policies in force, and asks where they want several people.
pub fn conclude(mut verdict: Verdict, policy: &AgentPolicy) -> Verdict {
    if !policy.managed.is_empty() {
        let found = StageFinding::Managed(policy.managed.clone());
        verdict.trace.push(TraceLine { stage: "managed policies".into(), found });
    }
    require_people(verdict, policy)
}

/// Returns a verdict that asks where several people have to approve, and denies where nobody is asked.
///
/// Only rules of an organization or a fleet allow it without them: what one person of this host saved or set stands in for nobody.
fn require_people(mut verdict: Verdict, policy: &AgentPolicy) -> Verdict {
    let people = policy.people.get(&verdict.risk.level).copied().unwrap_or(1);
    if people < 2 || verdict.decision != Decision::Allow || is_by_policy(&verdict.steps) {
        return verdict;
    }
    let cause = Cause::SeveralPeople { people, by: policy.managed.clone(), would: Box::new(verdict.cause) };
    verdict.trace.push(TraceLine { stage: "people".into(), found: cause.clone().into() });
    let (decision, reason) = match policy.settings.ask {
        Ask::Off => (Decision::Deny, Reason::AllowlistMiss),
        Ask::OnMiss | Ask::Always => (Decision::Ask, Reason::AskAlways),
    };
    Verdict { decision, reason, cause, ..verdict }
}

/// Returns true if an organization's or a fleet's rules allow every step that needs a rule.
fn is_by_policy(steps: &[StepVerdict]) -> bool {
    let mut needing = steps.iter().filter(|step| step.reason != Reason::Builtin).peekable();
    let is_managed = |step: &StepVerdict| match &step.cause {
        Cause::Rule(rule) => rule.source == NamedRuleSource::Managed,
        _ => false,
    };
    needing.peek().is_some() && needing.all(is_managed)
}

#[cfg(test)]
mod tests {
    use super::require_people;
    use crate::testing::{Scene, person_rule};
    use crate::{Ask, Cause, Decision, Effect, RiskLevel, Rule, Security, Source, Verdict};

    fn judged(scene: Scene, line: &str) -> Verdict {
        let mut scene = scene.with_shell_text(line);
        scene.policy.people = [(RiskLevel::Dangerous, 2)].into();
        scene.with_facts(|policy, facts| require_people(crate::judge_request(policy, facts), policy))
    }

    fn managed(text: &str) -> Rule {
        Rule { source: Source::Managed, ..person_rule(-9, Effect::Allow, text) }
    }

    #[test]
    fn what_one_person_saved_or_set_stands_in_for_nobody() {
        for scene in [
            Scene::new().with_allow_rule("git push --force"),
            Scene::new().with_settings(|settings| settings.security = Security::Full),
        ] {
            let verdict = judged(scene, "git push --force");
            assert_eq!(verdict.decision, Decision::Ask, "{:?}", verdict.cause);
            assert!(matches!(verdict.cause, Cause::SeveralPeople { people: 2, .. }), "{:?}", verdict.cause);
        }
        let safe = judged(Scene::new().with_allow_rule("ls"), "ls");
        assert_eq!(safe.decision, Decision::Allow, "the policy wants no two people for that");
    }

    #[test]
    fn a_rule_of_the_policy_allows_what_it_names_and_nothing_beside_it() {
        let push = || Scene::new().with_rule(managed("git push --force"));
        assert_eq!(judged(push(), "git push --force").decision, Decision::Allow);
        assert_eq!(judged(push(), "cd sub; git push --force").decision, Decision::Allow);
        let beside = push().with_rule(person_rule(1, Effect::Allow, "rm -r x"));
        assert_eq!(judged(beside, "git push --force; rm -r x").decision, Decision::Ask);
    }

    #[test]
    fn an_agent_without_questions_is_denied_and_a_denial_stays_one() {
        let off = Scene::new().with_settings(|settings| settings.ask = Ask::Off);
        let got = judged(off.with_allow_rule("git push --force"), "git push --force").decision;
        assert_eq!(got, Decision::Deny);
        let denied = Scene::new().with_rule(managed("git push --force")).with_deny_rule("git push *");
        assert_eq!(judged(denied, "git push --force").decision, Decision::Deny);
    }
}
