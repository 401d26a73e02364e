//! Renewal of rules: approving a changed program again renews those that were given for it as it was.

use super::{AlwaysOffer, ProgramRenewal, label};
use crate::confinement::Confinement;
use crate::decision::{Decision, Reason};
use crate::facts::{Facts, FoundProgram, Lookup, StepFacts};
use crate::path;
use crate::rule::{Effect, Lifetime, Millis, Pattern, Rule, RuleId, Source};
use crate::settings::AgentId;
use crate::verdict::Verdict;

/// Offers to renew the rules of each changed program instead of saving new ones.
///
/// Those of the policy's agent, and as another choice those of every agent. An offer is made if it answers
/// the request; `rules` may hold a rule twice.
pub fn propose_renewals<'a>(
    rules: impl Iterator<Item = &'a Rule>,
    agent: &AgentId,
    facts: &Facts<'_>,
    verdict: &Verdict,
) -> Vec<AlwaysOffer> {
    if !facts.reading.opaque.is_empty() || !facts.env_to_ask.is_empty() || facts.reading.invalid.is_some() {
        return Vec::new();
    }
    let changed: Vec<(RuleId, &StepFacts)> = verdict
        .steps
        .iter()
        .zip(facts.steps)
        .filter(|(said, _)| said.reason == Reason::BinaryChanged)
        .filter_map(|(said, found)| Some((said.rule.as_ref()?.id, found)))
        .collect();
    let undecided = verdict.steps.iter().filter(|said| said.decision != Decision::Allow).count();
    if changed.is_empty() || changed.len() != undecided {
        return Vec::new();
    }
    let mut pinned: Vec<&Rule> = rules.filter(|rule| is_renewable(rule, facts.now)).collect();
    pinned.sort_unstable_by_key(|rule| rule.id);
    pinned.dedup_by_key(|rule| rule.id);
    let mut all: Vec<ProgramRenewal> = Vec::new();
    for (id, found) in changed {
        let Some(renewal) = renewal_of(id, found, &pinned, facts.home) else { return Vec::new() };
        if !all.contains(&renewal) {
            all.push(renewal);
        }
    }
    let own: Vec<ProgramRenewal> = all.iter().map(|renewal| of_agent(renewal, agent)).collect();
    let answers = |renewals: &[ProgramRenewal]| {
        let ids = |renewal: &ProgramRenewal| renewal.rules.iter().map(|rule| rule.id).collect::<Vec<_>>();
        let ids: Vec<RuleId> = renewals.iter().flat_map(ids).collect();
        let asks = verdict.steps.iter().filter(|said| said.decision != Decision::Allow);
        asks.filter_map(|said| said.rule.as_ref()).all(|rule| ids.contains(&rule.id))
    };
    let mut offers = Vec::new();
    if answers(&own) {
        offers.push(renewal_offer("renew", own.clone(), false));
    }
    if own != all && answers(&all) {
        offers.push(renewal_offer("renew-everyone", all, true));
    }
    offers
}

/// Returns true if an answer to a question may renew it: a skill's is approved with the skill alone.
fn is_renewable(rule: &Rule, now: Millis) -> bool {
    let own = matches!(rule.source, Source::Person | Source::Always | Source::Import);
    let alive = !matches!(rule.lifetime, Lifetime::Until(end) if end <= now);
    rule.effect == Effect::Allow && rule.id > 0 && rule.pin.is_some() && own && alive
}

/// Returns the rules that were bound to what the program of a step was, where renewing them lets the step
/// through.
fn renewal_of(id: RuleId, found: &StepFacts, pinned: &[&Rule], home: &str) -> Option<ProgramRenewal> {
    let Lookup::Found(program) = &found.program else { return None };
    let now = program.identity.clone().filter(|_| !program.agent_can_change)?;
    let asked = pinned.iter().find(|rule| rule.id == id)?;
    let pin = asked.pin.as_ref()?;
    let script = pin.script.as_ref().is_none_or(|wanted| {
        let found = found.script.as_ref().filter(|script| !script.agent_can_change);
        found.is_some_and(|script| script.identity.sha256.eq_ignore_ascii_case(&wanted.sha256))
    });
    let was = pin.program.clone();
    if !script || was.sha256.eq_ignore_ascii_case(&now.sha256) {
        return None;
    }
    let same = |rule: &&Rule| {
        let bound = rule.pin.as_ref().is_some_and(|pin| pin.program.sha256.eq_ignore_ascii_case(&was.sha256));
        rule.id == id || bound && names_program(rule, program, home)
    };
    let rules = pinned.iter().copied().filter(same).cloned().collect();
    Some(ProgramRenewal { program: program.path.clone(), was, now, rules })
}

/// Returns true if a rule names this program: by its path, or by its name as it was called or found.
fn names_program(rule: &Rule, program: &FoundProgram, home: &str) -> bool {
    let is_it = |word: &str| {
        let word = path::expand_home(word, home);
        let name = |path: &str| path::base_name(path) == word;
        if word.contains('/') {
            [&program.path, &program.real_path].into_iter().any(|path| *path == word)
        } else {
            name(&program.path) || name(&program.invoked)
        }
    };
    match &rule.pattern {
        Pattern::Path(text) => is_it(text),
        Pattern::Command(text) => {
            postern_command::words_of(text).is_ok_and(|words| words.first().is_some_and(|first| is_it(first)))
        }
        // Behind `sudo` it is not the first word.
        Pattern::Exact(argv) => argv.iter().any(|word| is_it(word)),
        Pattern::Identity(_) | Pattern::Read(_) | Pattern::Write(_) => false,
    }
}

fn of_agent(renewal: &ProgramRenewal, agent: &AgentId) -> ProgramRenewal {
    let rules = renewal.rules.iter().filter(|rule| rule.agent.as_ref() == Some(agent)).cloned().collect();
    ProgramRenewal { rules, ..renewal.clone() }
}

fn renewal_offer(id: &'static str, renews: Vec<ProgramRenewal>, everyone: bool) -> AlwaysOffer {
    let (label, confinement) = (label::renewals(&renews, everyone), Confinement::None);
    AlwaysOffer { id, label, drafts: Vec::new(), folder: None, renews, confinement }
}

#[cfg(test)]
mod tests {
    use super::propose_renewals;
    use crate::rule::{Lifetime, Pattern, Pin, Rule, Source};
    use crate::settings::AgentId;
    use crate::testing::{Scene, identity, person_rule};
    use crate::{AlwaysOffer, Effect, OfferLabel, RenewedProgram, judge_request};

    /// Returns a rule of an agent (of everyone: none), bound to this content.
    fn bound(id: i64, agent: Option<&str>, text: &str, content: &str) -> Rule {
        let pin = Pin::new(identity(content));
        let agent = agent.map(|agent| AgentId::new(agent).unwrap());
        Rule {
            agent,
            pin: Some(Box::new(pin)),
            source: Source::Always,
            ..person_rule(id, Effect::Allow, text)
        }
    }

    /// Returns the offers to `main` after its git has changed.
    fn offers(rules: &[Rule], of_others: &[Rule], command: &str) -> Vec<AlwaysOffer> {
        let scene = Scene::new().program("/usr/bin/git", "git 2").with_shell_text(command);
        let scene = rules.iter().cloned().fold(scene, Scene::with_rule);
        scene.with_facts(|policy, facts| {
            let all = rules.iter().chain(of_others);
            propose_renewals(all, &policy.agent, facts, &judge_request(policy, facts))
        })
    }

    fn renewed(programs: &[(&str, usize)], everyone: bool) -> OfferLabel {
        let of = |&(name, rules): &(&str, usize)| RenewedProgram { name: name.to_owned(), rules };
        OfferLabel::Renew { programs: programs.iter().map(of).collect(), everyone }
    }

    fn ids(offer: &AlwaysOffer) -> Vec<i64> {
        offer.renews.iter().flat_map(|renewal| &renewal.rules).map(|rule| rule.id).collect()
    }

    #[test]
    fn every_rule_that_was_given_for_the_program_as_it_was_is_renewed() {
        let rules = [
            bound(1, Some("main"), "git log *", "git"),
            bound(2, Some("main"), "git status *", "git"),
            bound(3, Some("main"), "/usr/bin/git", "git"),
            Rule {
                pattern: Pattern::Exact(["sudo", "git", "pull"].map(str::to_owned).to_vec()),
                ..bound(4, Some("main"), "git", "git")
            },
            bound(5, Some("main"), "git fetch *", "an older git"),
            bound(6, Some("main"), "ls *", "git"),
            Rule { pin: None, ..bound(7, Some("main"), "git diff *", "git") },
            Rule { lifetime: Lifetime::Until(1), ..bound(8, Some("main"), "git show *", "git") },
            Rule { source: Source::Skill("vcs".to_owned()), ..bound(9, Some("main"), "git tag *", "git") },
            Rule { source: Source::Managed, ..bound(-10, Some("main"), "git add *", "git") },
        ];
        let found = offers(&rules, &[], "git status -s");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].id, &found[0].label), ("renew", &renewed(&[("git", 4)], false)));
        assert_eq!(ids(&found[0]), [1, 2, 3, 4]);
        assert_eq!(found[0].renews[0].now, identity("git 2"));
        assert_eq!(found[0].renews[0].program, "/usr/bin/git");
    }

    #[test]
    fn those_of_every_agent_are_a_choice_of_their_own() {
        let own = [bound(1, Some("main"), "git log *", "git")];
        let others = [
            bound(2, Some("other"), "git push *", "git"),
            bound(3, None, "git diff *", "git"),
            own[0].clone(),
        ];
        let found = offers(&own, &others, "git log");
        let told: Vec<_> = found.iter().map(|offer| (offer.id, offer.label.clone(), ids(offer))).collect();
        let expected = [
            ("renew", renewed(&[("git", 1)], false), vec![1]),
            ("renew-everyone", renewed(&[("git", 3)], true), vec![1, 2, 3]),
        ];
        assert_eq!(told, expected);
        let everyones = offers(&[bound(3, None, "git diff *", "git")], &own, "git diff");
        let told: Vec<_> = everyones.iter().map(|offer| (offer.id, ids(offer))).collect();
        assert_eq!(told, [("renew-everyone", vec![1, 3])], "the agent's own rules would not answer it");
    }

    #[test]
    fn what_would_not_answer_the_request_is_not_offered() {
        let rules = [bound(1, Some("main"), "git log *", "git"), bound(2, Some("main"), "ls *", "ls")];
        for command in ["git push", "git log && npm test", "git log && X=1 $X", "ls", "git log | git push"] {
            assert!(offers(&rules, &[], command).is_empty(), "{command}");
        }
        assert_eq!(ids(&offers(&rules, &[], "git log && ls")[0]), [1], "the rest is allowed as it is");
        let changeable = Scene::new().program("/usr/bin/git", "git 2").changeable("/usr/bin/git");
        let found =
            changeable.with_rule(rules[0].clone()).with_shell_text("git log").with_facts(|policy, facts| {
                propose_renewals(rules.iter(), &policy.agent, facts, &judge_request(policy, facts))
            });
        assert!(found.is_empty(), "a pin on what the agent can change holds nothing");
    }

    #[test]
    fn two_programs_that_changed_are_renewed_at_once() {
        let rules = [
            bound(1, Some("main"), "git log *", "git"),
            bound(2, Some("main"), "git diff *", "git"),
            bound(3, Some("main"), "ls *", "an older ls"),
        ];
        let found = offers(&rules, &[], "git log && ls");
        assert_eq!(found[0].label, renewed(&[("git", 2), ("ls", 1)], false));
        assert_eq!(ids(&found[0]), [1, 2, 3]);
    }
}
