//! Allowances that a person adds to an offer by changing it. They are shown first, and saved only once confirmed.

use super::beyond::{ANY, AlsoCovered, covered_beyond};
use super::example::steps_of;
use crate::agent::AgentPolicy;
use crate::cause::Gap;
use crate::facts::{Facts, Lookup};
use crate::judge::{covers, gap_of_step, limits_of_step};
use crate::path;
use crate::propose::{AlwaysOffer, Draft};
use crate::risk;
use crate::rule::{Effect, Limits, Pattern, Pin, Rule, RuleInput, RuleOrigin};
use crate::rule_problem::RuleProblem;
use crate::ruleset::RuleSet;
use crate::subject::Origin;
use postern_command::read_argv;
use std::collections::BTreeSet;

/// Allowance of a rule that the offer which it was made from does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Widening {
    /// Commands with an effect of another kind.
    Effect(AlsoCovered),
    /// An effect of this kind on other hosts, remotes or packages.
    Reach(String),
    /// Files outside of the folders that the command on show uses.
    Files,
    /// Other commands, of whose effects nothing is known.
    Commands,
    /// Other programs.
    Programs,
    /// Reading this folder.
    Reads(String),
    /// This folder, with everything below; `None` is every folder.
    Folder(Option<String>),
    /// Runs on the host, not only in the agent's own shell.
    Host,
    /// Any standard input.
    Input,
    /// Other versions of the program by its signer.
    Signer,
}

/// Returns a draft with the pattern that a person wrote, and the allowances that this adds.
///
/// Where it adds none, the draft keeps to the effects of its step; otherwise it has no limits, and a rule of it has to be broad.
pub fn edit_draft(
    facts: &Facts<'_>,
    offers: &[AlwaysOffer],
    draft: &Draft,
    pattern: Pattern,
) -> (Draft, Vec<Widening>) {
    let mut drafts = offers.iter().filter(|offer| offer.drafts.len() == 1).flat_map(|offer| &offer.drafts);
    if let Some(offered) = drafts.find(|other| other.pattern == pattern && other.confine == draft.confine) {
        return (offered.clone(), Vec::new());
    }
    let both_paths = matches!((&draft.pattern, &pattern), (Pattern::Path(_), Pattern::Path(_)));
    let args = draft.args.clone().filter(|_| both_paths);
    let edited = Draft { pattern, args, ..draft.clone() };
    let opened = match (&draft.pattern, &edited.pattern) {
        // The profile holds whatever the words leave open.
        _ if draft.confine.is_some() => return (edited, Vec::new()),
        (Pattern::Read(was), Pattern::Read(now)) => {
            let added = (!path::is_within(now, was)).then(|| Widening::Reads(now.clone()));
            return (edited, added.into_iter().collect());
        }
        (_, Pattern::Command(text)) => Opened::of_words(text, facts.home),
        // A pin holds it to the program on show, with any arguments.
        (_, Pattern::Path(_)) if edited.pin.is_some() => Opened::of_program(facts, draft.step),
        _ => return (Draft { limits: None, ..edited }, vec![Widening::Programs]),
    };
    let Some(opened) = opened else { return (edited, Vec::new()) };
    let limits = limits_of_step(facts, draft.step, false);
    let rule = rule_of(&edited);
    let carries = matches!(super::check_rule(&rule, facts.home), Err(RuleProblem::Carrier(_)));
    let mut added: Vec<Widening> = match &limits {
        Some(limits) => {
            opened.samples().flat_map(|argv| beyond_limits(limits, facts, &rule, &argv)).collect()
        }
        None => vec![Widening::Commands],
    };
    // Within a command, limits let an open word stand for a number alone.
    if added.is_empty() && !carries && opened.more {
        return (Draft { limits, ..edited }, added);
    }
    added.extend(opened.effects(facts, draft, &rule).map(Widening::Effect));
    added.push(Widening::Commands);
    if added.iter().any(|one| *one != Widening::Commands) {
        added.retain(|one| *one != Widening::Commands);
    }
    let mut all = Vec::new();
    for one in added {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    // The words may name any script.
    let pin = edited.pin.map(|pin| Pin { script: None, ..pin });
    (Draft { limits: None, pin, ..edited }, all)
}

/// Returns what a rule allows beyond its offer by where it holds, in whose hands, and with which input.
pub fn widened_place(offer: &AlwaysOffer, draft: &Draft, asked: Origin, rule: &Rule) -> Vec<Widening> {
    let elsewhere = match (&offer.folder, &rule.folder) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(offered), Some(chosen)) => !path::is_within(chosen, offered),
    };
    let on_host = rule.origin == RuleOrigin::Any && RuleOrigin::of_answer(asked) != RuleOrigin::Any;
    let any_input = rule.input == RuleInput::Any && draft.input != RuleInput::Any;
    let by_signer = rule.pin.as_ref().is_some_and(|pin| pin.by_signer);
    [
        elsewhere.then(|| Widening::Folder(rule.folder.clone())),
        on_host.then_some(Widening::Host),
        any_input.then_some(Widening::Input),
        by_signer.then_some(Widening::Signer),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns true if a rule alone covers the step at `at`.
pub fn covers_step(policy: &AgentPolicy, facts: &Facts<'_>, at: usize, rule: &Rule) -> bool {
    let rules = RuleSet::compile(std::slice::from_ref(rule), facts.home, facts.case_insensitive);
    covers(&AgentPolicy { rules, ..policy.clone() }, facts, at)
}

fn rule_of(draft: &Draft) -> Rule {
    Rule { args: draft.args.clone(), ..Rule::new(Effect::Allow, draft.pattern.clone()) }
}

/// Words of a pattern that leave something open.
struct Opened {
    /// The words before the first one that is open.
    before: Vec<String>,
    /// That word, with something in the place of what is open.
    first: String,
    /// The words behind it, with something in the place of each that is open.
    behind: Vec<String>,
    /// True if any further words may stand in the place of the open one.
    more: bool,
}

impl Opened {
    /// Reads the words of a command pattern; `None` if none of them is open.
    fn of_words(text: &str, home: &str) -> Option<Self> {
        let words = postern_command::words_of_at(text, home).ok()?;
        let first = words.iter().position(|word| word.contains(['*', '?']))?;
        let rest = &words[first + 1..];
        let more = rest.is_empty() && matches!(words[first].as_str(), "*" | "**");
        let filled = |word: &String| word.replace("**", "*").replace(['*', '?'], ANY);
        let behind = rest.iter().map(filled).collect();
        Some(Self { before: words[..first].to_vec(), first: filled(&words[first]), behind, more })
    }

    /// Returns the program of a step with any arguments.
    fn of_program(facts: &Facts<'_>, at: usize) -> Option<Self> {
        let Lookup::Found(program) = &facts.steps[at].program else { return None };
        let before = vec![program.path.clone()];
        Some(Self { before, first: ANY.to_owned(), behind: Vec::new(), more: true })
    }

    /// Returns the commands that the words mean at the least.
    fn samples(&self) -> impl Iterator<Item = Vec<String>> {
        let with = |word: Option<&str>| {
            let word = word.map(str::to_owned);
            self.before.iter().cloned().chain(word).chain(self.behind.iter().cloned()).collect()
        };
        std::iter::once(with(Some(&self.first))).chain(self.more.then(|| with(None)))
    }

    /// Returns the effects of all that they cover which the step on show does not have.
    fn effects(&self, facts: &Facts<'_>, draft: &Draft, rule: &Rule) -> impl Iterator<Item = AlsoCovered> {
        let (step, found) = (&facts.reading.steps[draft.step], &facts.steps[draft.step]);
        let shown: BTreeSet<&'static str> =
            risk::of_step(facts, step, found).iter().map(|rated| rated.effect.kind()).collect();
        covered_beyond(rule, facts.home, shown.into_iter().collect(), (&self.before, &self.behind))
            .into_iter()
    }
}

/// Returns what limits keep a rule from covering of a command.
fn beyond_limits(limits: &Limits, facts: &Facts<'_>, rule: &Rule, argv: &[String]) -> Vec<Widening> {
    let reading = read_argv(argv);
    let steps = steps_of(&reading, rule, facts.home);
    if steps.len() != reading.steps.len() || !reading.opaque.is_empty() {
        return vec![Widening::Commands];
    }
    let here = Facts { reading: &reading, steps: &steps, shell: false, ..facts.clone() };
    let gap = |at: usize| gap_of_step(limits, &here, at);
    let widening = |gap: Gap| match gap {
        Gap::Beyond(rated) if limits.effects.iter().any(|shown| shown.kind == rated.effect.kind()) => {
            Widening::Reach(rated.effect.kind().to_owned())
        }
        Gap::Outside { .. } => Widening::Files,
        _ => Widening::Commands,
    };
    (0..steps.len()).filter_map(gap).map(widening).collect()
}

#[cfg(test)]
mod tests {
    use super::{AlsoCovered, Widening, covers_step, edit_draft, widened_place};
    use crate::testing::{CWD, HOME, Scene};
    use crate::{AlwaysOffer, Draft, Pattern, Rule, RuleInput, RuleOrigin, parse_pattern};

    /// Returns the offer's draft with another pattern, and what that adds.
    fn edited(scene: &Scene, id: &str, text: &str) -> (Draft, Vec<Widening>) {
        let offers = scene.offers();
        let offer = offers.iter().find(|offer| offer.id == id).unwrap();
        let pattern = parse_pattern(text, None).unwrap();
        scene.with_facts(|_, facts| edit_draft(facts, &offers, &offer.drafts[0], pattern))
    }

    fn added(command: &str, id: &str, text: &str) -> Vec<Widening> {
        edited(&Scene::new().with_shell_text(command), id, text).1
    }

    #[test]
    fn words_that_do_no_more_than_what_was_shown_keep_to_its_effects() {
        for (command, id, text) in [
            ("git push origin main", "exact", "git push origin *"),
            ("git push origin main", "command", "git push origin *"),
            ("git push origin main", "exact", "git push *"),
            ("git push origin main", "exact", "git push origin main"),
            ("cat src/a", "exact", "cat *"),
        ] {
            let (draft, added) = edited(&Scene::new().with_shell_text(command), id, text);
            assert_eq!(added, [], "{command}: {text}");
            let open = text.contains('*');
            assert!(!open || draft.limits.is_some(), "{text} is bound to the effects on show");
        }
    }

    #[test]
    fn an_open_word_that_reaches_further_is_said_and_has_no_limits() {
        let scene = Scene::new().with_shell_text("git push origin main");
        let (draft, remotes) = edited(&scene, "exact", "git push * main");
        assert!(remotes.contains(&Widening::Reach("send".to_owned())), "{remotes:?}");
        assert_eq!(draft.limits, None, "it means what it says");
        let kinds = |added: Vec<Widening>| -> Vec<Option<String>> {
            { added.into_iter() }
                .filter_map(|one| match one {
                    Widening::Effect(also) => Some(also.effect),
                    _ => None,
                })
                .collect()
        };
        let all = kinds(added("git status", "exact", "git *"));
        assert!(all.contains(&None) && all.contains(&Some("send".to_owned())), "{all:?}");
        assert!(!all.contains(&Some("read".to_owned())), "{all:?}");
        let find = kinds(added("find . -name '*.o' -delete", "exact", "find *"));
        assert!(find.contains(&None), "it runs any program: {find:?}");
        assert_ne!(added("npm install", "exact", "npm install left*"), [], "other packages");
        assert_ne!(added("python3 x.py", "exact", "python3 *"), [], "any code");
        let got = added("git push --force origin main", "exact", "git push *");
        assert_ne!(got, [], "a dangerous one has no limits");
        assert_eq!(added("cat src/a", "exact", "cat ~/Documents/*"), [Widening::Files]);
        assert_eq!(added("cat src/a", "exact", "cat src/*"), [Widening::Commands], "it may hold a `..`");
    }

    #[test]
    fn a_profile_holds_what_the_words_leave_open_and_a_pin_the_program() {
        let scene = Scene::new()
            .with_settings(|settings| settings.folders = vec![CWD.to_owned()])
            .with_shell_text("npm test");
        assert_eq!(edited(&scene, "confined", "npm *").1, []);
        let any = Widening::Effect(AlsoCovered { effect: None, by: Vec::new() });
        assert!(added("git status", "exact", "/usr/bin/*").contains(&any), "with any arguments");
    }

    #[test]
    fn a_place_input_or_shell_beyond_the_offer_is_said() {
        let scene = Scene::new().with_shell_text("git status");
        let offers = scene.offers();
        let offer: &AlwaysOffer = &offers[0];
        let draft = &offer.drafts[0];
        let asked = crate::Origin::AgentShell;
        let offered = offer.to_rules(RuleOrigin::of_answer(asked)).next().unwrap();
        let with = |rule: Rule| widened_place(offer, draft, asked, &rule);
        assert_eq!(with(offered.clone()), []);
        assert_eq!(with(Rule { folder: Some(format!("{CWD}/sub")), ..offered.clone() }), []);
        for (folder, expected) in [(None, None), (Some(HOME.to_owned()), Some(HOME.to_owned()))] {
            assert_eq!(with(Rule { folder, ..offered.clone() }), [Widening::Folder(expected)]);
        }
        assert_eq!(with(Rule { origin: RuleOrigin::Any, ..offered.clone() }), [Widening::Host]);
        assert_eq!(with(Rule { input: RuleInput::Any, ..offered.clone() }), [Widening::Input]);
        let pin = draft.pin.clone().map(|pin| Box::new(crate::Pin { by_signer: true, ..pin }));
        assert_eq!(with(Rule { pin, ..offered }), [Widening::Signer]);
    }

    #[test]
    fn a_rule_that_was_changed_still_has_to_cover_its_step() {
        let scene = Scene::new().with_shell_text("git status -s");
        let covers = |text: &str, folder: Option<&str>| {
            let offer = scene.offers().remove(0);
            let rule = offer.to_rules(RuleOrigin::Any).next().unwrap();
            let pattern = Pattern::Command(text.to_owned());
            let rule = Rule { pattern, folder: folder.map(str::to_owned), ..rule };
            scene.with_facts(|policy, facts| covers_step(policy, facts, 0, &rule))
        };
        assert!(covers("git status *", Some(CWD)) && covers("git *", Some(HOME)));
        assert!(!covers("git log *", Some(CWD)) && !covers("git status *", Some("/opt")));
    }
}
