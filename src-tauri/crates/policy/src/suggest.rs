//! The fewest rules that would have answered most questions: a greedy cover of questions by what *Always* would have saved.

use crate::propose::{AlwaysOffer, Draft, commands};
use crate::rule::{Limits, Pattern, RuleInput};
use postern_protocol::Profile;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A question of the past.
#[derive(Debug, Clone)]
pub struct PastQuestion {
    /// Number of times it was asked.
    pub times: u64,
    /// True if the person denied it at least once: nothing that allows it is suggested.
    pub denied: bool,
    /// Rules that *Always* would save for it.
    pub offers: Vec<AlwaysOffer>,
}

/// Rules that would have answered questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggested {
    /// The offer, with the rules that no suggestion before it has.
    pub offer: AlwaysOffer,
    /// Number of questions it answers, together with the suggestions before it.
    pub spares: u64,
    /// Places of those questions in the list.
    pub answers: Vec<usize>,
}

/// Parts of a rule that make two rules the same here.
type DraftKey = (Pattern, Option<Vec<String>>, Option<String>, RuleInput, Option<Limits>, Option<Profile>);

fn draft_key(draft: &Draft, offer: &AlwaysOffer) -> DraftKey {
    (
        draft.pattern.clone(),
        draft.args.clone(),
        offer.folder.clone(),
        draft.input.clone(),
        draft.limits.clone(),
        draft.confine,
    )
}

/// A question with its rules by number.
struct CountedQuestion<'a> {
    asked: &'a PastQuestion,
    /// The offer that would be suggested.
    best: &'a AlwaysOffer,
    /// The rules of each offer; all of one are needed.
    needs: Vec<Vec<usize>>,
    /// The rules of the best one.
    wanted: Vec<usize>,
}

/// Returns at most `most` suggestions, each answering the most questions for each rule that it adds.
pub fn suggest(asked: &[PastQuestion], most: usize) -> Vec<Suggested> {
    let mut numbers: HashMap<DraftKey, usize> = HashMap::new();
    let questions: BTreeMap<usize, CountedQuestion<'_>> =
        asked.iter().enumerate().filter_map(|(at, one)| Some((at, question(one, &mut numbers)?))).collect();
    let mut chosen: HashSet<usize> = HashSet::new();
    let mut open: Vec<usize> = questions.keys().copied().filter(|at| !asked[*at].denied).collect();
    let mut suggestions = Vec::new();
    while suggestions.len() < most {
        let Some((at, answers, spares)) = best_question(&questions, &open, &chosen) else { break };
        let question = &questions[&at];
        let is_new = |draft: &&Draft| !chosen.contains(&numbers[&draft_key(draft, question.best)]);
        let drafts: Vec<Draft> = question.best.drafts.iter().filter(is_new).cloned().collect();
        let whole = drafts.len() == question.best.drafts.len();
        let label = if whole { question.best.label.clone() } else { commands(&drafts) };
        let offer = AlwaysOffer { label, drafts, ..question.best.clone() };
        chosen.extend(question.wanted.iter().copied());
        open.retain(|at| !answers.contains(at));
        suggestions.push(Suggested { offer, spares, answers });
    }
    suggestions
}

fn question<'a>(
    asked: &'a PastQuestion,
    numbers: &mut HashMap<DraftKey, usize>,
) -> Option<CountedQuestion<'a>> {
    let best = preferred(&asked.offers)?;
    let mut of = |offer: &AlwaysOffer| -> Vec<usize> {
        let number = |draft: &Draft| {
            let next = numbers.len();
            *numbers.entry(draft_key(draft, offer)).or_insert(next)
        };
        offer.drafts.iter().map(number).collect()
    };
    let wanted = of(best);
    let needs = asked.offers.iter().filter(|offer| !offer.drafts.is_empty()).map(of).collect();
    Some(CountedQuestion { asked, best, needs, wanted })
}

/// Returns the offer for all calls of a command rather than for one, confined if that can be.
fn preferred(offers: &[AlwaysOffer]) -> Option<&AlwaysOffer> {
    let by_id = |id: &str| offers.iter().find(|offer| offer.id == id && !offer.drafts.is_empty());
    ["read", "confined", "command", "path", "exact"].into_iter().find_map(by_id)
}

/// Finds the question whose rules answer the most questions for each rule that they add, with those and their number of times.
fn best_question(
    questions: &BTreeMap<usize, CountedQuestion<'_>>,
    open: &[usize],
    chosen: &HashSet<usize>,
) -> Option<(usize, Vec<usize>, u64)> {
    let mut tried: HashSet<Vec<usize>> = HashSet::new();
    let mut found: Option<(usize, Vec<usize>, u64, usize)> = None;
    for at in open {
        let mut new = questions[at].wanted.clone();
        new.retain(|rule| !chosen.contains(rule));
        new.sort_unstable();
        new.dedup();
        if new.is_empty() || !tried.insert(new.clone()) {
            continue;
        }
        let has = |rule: &usize| chosen.contains(rule) || new.contains(rule);
        let is_answered =
            |question: &CountedQuestion<'_>| question.needs.iter().any(|need| need.iter().all(has));
        if questions.values().any(|question| question.asked.denied && is_answered(question)) {
            continue;
        }
        let answers: Vec<usize> = open.iter().copied().filter(|at| is_answered(&questions[at])).collect();
        let spares: u64 = answers.iter().map(|at| questions[at].asked.times).sum();
        // Spared per rule, compared without division.
        let better = found.as_ref().is_none_or(|(_, _, most, rules)| {
            u128::from(spares) * (*rules as u128) > u128::from(*most) * (new.len() as u128)
        });
        if better {
            found = Some((*at, answers, spares, new.len()));
        }
    }
    found.map(|(at, answers, spares, _)| (at, answers, spares))
}

#[cfg(test)]
mod tests {
    use super::{PastQuestion, suggest};
    use crate::testing::Scene;

    fn asked(line: &str, times: u64) -> PastQuestion {
        PastQuestion { times, denied: false, offers: Scene::new().with_shell_text(line).offers() }
    }

    /// Returns the patterns of each suggestion with what it spares.
    fn suggested(asked: &[PastQuestion], most: usize) -> Vec<(String, u64)> {
        let text = |one: &super::Suggested| {
            let texts = one.offer.drafts.iter().map(|draft| crate::pattern_text(&draft.pattern));
            (texts.collect::<Vec<_>>().join(", "), one.spares)
        };
        suggest(asked, most).iter().map(text).collect()
    }

    #[test]
    fn one_rule_answers_every_line_of_its_command() {
        let questions = [
            asked("git push origin a", 1),
            asked("cat x", 2),
            asked("git push origin b", 3),
            asked("git push", 1),
        ];
        assert_eq!(
            suggested(&questions, 8),
            [("git push *".to_owned(), 4), ("cat *".to_owned(), 2), ("git push *".to_owned(), 1)]
        );
        assert_eq!(suggested(&questions, 1).len(), 1);
    }

    #[test]
    fn a_line_of_two_programs_counts_once_both_are_allowed() {
        let questions = [asked("cat x | wc -l", 1), asked("cat y", 4), asked("wc -c z", 1)];
        let found = suggested(&questions, 8);
        assert_eq!(found[0], ("cat *".to_owned(), 4));
        assert_eq!(found[1], ("wc *".to_owned(), 2), "with the one before it answers the line of both");
    }

    #[test]
    fn nothing_that_the_person_denied_is_suggested() {
        let denied = PastQuestion { denied: true, ..asked("git push origin x", 1) };
        assert_eq!(suggested(&[asked("git push origin a", 9), denied], 8), []);
    }

    #[test]
    fn what_has_no_offer_is_passed_over() {
        let none = PastQuestion { times: 3, denied: false, offers: Vec::new() };
        assert_eq!(suggested(&[none], 8), []);
    }
}
