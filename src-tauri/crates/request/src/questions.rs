//! Questions that wait for a person, oldest first.
//!
//! Requests for the same plan wait for one question, up to a bound. A question ends at its time, or earlier
//! if no connected approver could answer. Times are counted from any fixed moment.

use crate::plan::Digest;
use postern_policy::AgentId;
use std::time::Duration;

/// Time that a question waits for an approver to connect.
///
/// An approver that restarts is back by then, and a person who was notified has opened a terminal.
const GRACE: Duration = Duration::from_secs(10);
/// Requests that may wait for one question.
const PER_QUESTION: usize = 64;

/// A question and the requests that wait for it. `Q` is what is shown, `W` names a request.
#[derive(Debug)]
pub struct PendingQuestion<Q, W> {
    /// Question on show.
    pub shown: Q,
    agent: AgentId,
    digest: Digest,
    waiters: Vec<W>,
    /// True if no further request may join: an approval of several people is for what each of them saw.
    joined_by_none: bool,
    expires: Duration,
    /// Time at which an approver has to be connected; `None` once that was checked.
    attended_by: Option<Duration>,
}

impl<Q, W: Copy + PartialEq> PendingQuestion<Q, W> {
    /// Returns what asked the question.
    pub fn agent_id(&self) -> &AgentId {
        &self.agent
    }

    /// Returns the digest of the plan on show.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Returns the requests that wait, in the order in which they came.
    pub fn waiters(&self) -> &[W] {
        &self.waiters
    }

    /// Returns when it ends by itself.
    pub fn expires(&self) -> Duration {
        self.expires
    }

    /// Shows another plan, until `expires`.
    pub fn change(&mut self, digest: Digest, expires: Duration) {
        self.digest = digest;
        self.wait_until(expires);
    }

    /// Lets it wait until `expires`.
    pub fn wait_until(&mut self, expires: Duration) {
        self.expires = expires;
    }

    /// Lets no further request join.
    pub fn close_to_others(&mut self) {
        self.joined_by_none = true;
    }

    /// Keeps those that an approval is for, and returns the rest.
    ///
    /// One approval is one run: where it names no request it is for the first alone, which is the one on
    /// show, so that one that joined later is not among them.
    pub fn approve(&mut self, named: &[W]) -> Vec<W> {
        let first = self.waiters.first().copied();
        let chosen = |waiter: &W| {
            if named.is_empty() { Some(*waiter) == first } else { named.contains(waiter) }
        };
        let (chosen, rest) = std::mem::take(&mut self.waiters).into_iter().partition(chosen);
        self.waiters = chosen;
        rest
    }

    fn is_for(&self, agent: &AgentId, digest: &Digest) -> bool {
        let room = !self.joined_by_none && self.waiters.len() < PER_QUESTION;
        room && self.agent == *agent && self.digest == *digest
    }
}

/// Everything that waits, oldest first.
#[derive(Debug)]
pub struct QuestionQueue<Q, W> {
    list: Vec<PendingQuestion<Q, W>>,
}

impl<Q, W> Default for QuestionQueue<Q, W> {
    fn default() -> Self {
        Self { list: Vec::new() }
    }
}

impl<Q, W: Copy + PartialEq> QuestionQueue<Q, W> {
    /// Returns everything, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &PendingQuestion<Q, W>> {
        self.list.iter()
    }

    /// Returns everything to be changed, oldest first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut PendingQuestion<Q, W>> {
        self.list.iter_mut()
    }

    /// Returns how many wait.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns whether none waits.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns how many of an agent wait.
    pub fn of_agent(&self, agent: &AgentId) -> usize {
        self.list.iter().filter(|waiting| waiting.agent == *agent).count()
    }

    /// Returns whether one shows this plan to the person for this agent, and has room for another request.
    pub fn can_join(&self, agent: &AgentId, digest: &Digest) -> bool {
        self.list.iter().any(|waiting| waiting.is_for(agent, digest))
    }

    /// Adds a request to the question that shows its plan already, where there is one with room.
    pub fn join_waiter(
        &mut self,
        agent: &AgentId,
        digest: &Digest,
        waiter: W,
    ) -> Option<&mut PendingQuestion<Q, W>> {
        let waiting = self.list.iter_mut().find(|waiting| waiting.is_for(agent, digest))?;
        waiting.waiters.push(waiter);
        Some(waiting)
    }

    /// Opens a question at `now` that waits until `expires`.
    pub fn open_question(
        &mut self,
        shown: Q,
        (agent, digest): (AgentId, Digest),
        waiters: Vec<W>,
        now: Duration,
        expires: Duration,
    ) {
        let (joined_by_none, attended_by) = (false, Some(now + GRACE));
        self.list.push(PendingQuestion {
            shown,
            agent,
            digest,
            waiters,
            joined_by_none,
            expires,
            attended_by,
        });
    }

    /// Returns the question that a request waits for.
    pub fn find_by_waiter(&mut self, waiter: W) -> Option<&mut PendingQuestion<Q, W>> {
        self.list.iter_mut().find(|waiting| waiting.waiters.contains(&waiter))
    }

    /// Lets a request wait no more. Returns its question with the requests that are left.
    pub fn remove_waiter(&mut self, waiter: W) -> Option<&mut PendingQuestion<Q, W>> {
        let waiting = self.find_by_waiter(waiter)?;
        waiting.waiters.retain(|other| *other != waiter);
        Some(waiting)
    }

    /// Takes a question out.
    pub fn close_question(&mut self, is_it: impl Fn(&Q) -> bool) -> Option<PendingQuestion<Q, W>> {
        let index = self.list.iter().position(|waiting| is_it(&waiting.shown))?;
        Some(self.list.remove(index))
    }

    /// Returns when the next question may end by itself.
    pub fn next_due(&self) -> Option<Duration> {
        self.list.iter().flat_map(|waiting| waiting.attended_by.into_iter().chain([waiting.expires])).min()
    }

    /// Returns those that somebody should have looked at by now. Gives each once.
    pub fn to_attend(&mut self, now: Duration) -> impl Iterator<Item = &PendingQuestion<Q, W>> {
        let due =
            move |waiting: &mut PendingQuestion<Q, W>| waiting.attended_by.take_if(|by| *by <= now).is_some();
        self.list.iter_mut().filter_map(move |waiting| due(waiting).then_some(&*waiting))
    }

    /// Returns those whose time is over.
    pub fn expired(&self, now: Duration) -> impl Iterator<Item = &PendingQuestion<Q, W>> {
        self.list.iter().filter(move |waiting| waiting.expires <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::{GRACE, PER_QUESTION, QuestionQueue};
    use crate::plan::Digest;
    use postern_policy::AgentId;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::time::Duration;

    type Asked = QuestionQueue<u32, u32>;

    fn key(agent: &str, digest: &str) -> (AgentId, Digest) {
        (AgentId::new(agent).unwrap(), Digest(digest.to_owned()))
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn waiters(asked: &Asked) -> Vec<(u32, Vec<u32>)> {
        asked.iter().map(|waiting| (waiting.shown, waiting.waiters().to_vec())).collect()
    }

    #[test]
    fn a_question_that_is_closed_to_others_is_joined_by_none() {
        let mut asked = Asked::default();
        let (main, push) = key("main", "push");
        asked.open_question(1, (main.clone(), push.clone()), vec![10], at(0), at(60));
        asked.find_by_waiter(10).unwrap().close_to_others();
        assert!(!asked.can_join(&main, &push) && asked.join_waiter(&main, &push, 11).is_none());
        asked.open_question(2, (main.clone(), push.clone()), vec![11], at(0), at(60));
        assert!(asked.join_waiter(&main, &push, 12).is_some(), "the one beside it");
        assert_eq!(waiters(&asked), [(1, vec![10]), (2, vec![11, 12])]);
    }

    #[test]
    fn the_same_plan_of_the_same_agent_is_one_question() {
        let mut asked = Asked::default();
        let (main, push) = key("main", "push");
        asked.open_question(1, (main.clone(), push.clone()), vec![10], at(0), at(60));
        for (agent, digest, joins) in
            [("main", "push", true), ("main", "pull", false), ("other", "push", false)]
        {
            let (agent, digest) = key(agent, digest);
            assert_eq!(asked.can_join(&agent, &digest), joins, "{agent} {digest:?}");
            assert_eq!(asked.join_waiter(&agent, &digest, 11).is_some(), joins, "{agent} {digest:?}");
        }
        assert_eq!(waiters(&asked), [(1, vec![10, 11])]);
        assert_eq!(asked.remove_waiter(10).map(|left| left.waiters().to_vec()), Some(vec![11]));
        assert!(asked.find_by_waiter(10).is_none() && asked.remove_waiter(10).is_none(), "it waits no more");
        for waiter in 12..u32::try_from(11 + PER_QUESTION).unwrap() {
            assert!(asked.join_waiter(&main, &push, waiter).is_some(), "{waiter}");
        }
        assert!(
            !asked.can_join(&main, &push) && asked.join_waiter(&main, &push, 999).is_none(),
            "it is full"
        );
    }

    #[test]
    fn what_is_shown_anew_is_joined_by_its_new_plan_alone() {
        let mut asked = Asked::default();
        let ((main, push), (_, pull)) = (key("main", "push"), key("main", "pull"));
        asked.open_question(1, (main.clone(), push.clone()), vec![10], at(0), at(60));
        asked.find_by_waiter(10).unwrap().change(pull.clone(), at(90));
        assert!(!asked.can_join(&main, &push) && asked.can_join(&main, &pull));
        assert_eq!(asked.expired(at(60)).count(), 0, "its time began anew");
        assert_eq!(asked.expired(at(90)).count(), 1);
    }

    #[test]
    fn an_approval_is_for_the_first_or_for_those_that_it_names() {
        for (named, chosen, rest) in [
            (vec![], vec![1], vec![2, 3]),
            (vec![2], vec![2], vec![1, 3]),
            (vec![3, 1], vec![1, 3], vec![2]),
            (vec![1, 2, 3, 9], vec![1, 2, 3], vec![]),
            (vec![9], vec![], vec![1, 2, 3]),
        ] {
            let mut asked = Asked::default();
            asked.open_question(1, key("main", "push"), vec![1, 2, 3], at(0), at(60));
            let mut waiting = asked.close_question(|shown| *shown == 1).unwrap();
            assert_eq!(waiting.approve(&named), rest, "{named:?}");
            assert_eq!(waiting.waiters(), chosen, "{named:?}");
        }
    }

    #[test]
    fn a_question_is_looked_after_once_and_ends_at_its_time() {
        let mut asked = Asked::default();
        assert_eq!(asked.next_due(), None);
        asked.open_question(1, key("main", "push"), vec![1], at(5), at(60));
        asked.open_question(2, key("main", "pull"), vec![2], at(7), at(9));
        assert_eq!(asked.next_due(), Some(at(9)));
        assert_eq!(asked.expired(at(9)).map(|waiting| waiting.shown).collect::<Vec<_>>(), [2]);
        assert!(asked.close_question(|shown| *shown == 2).is_some());
        assert_eq!(asked.next_due(), Some(at(5) + GRACE));
        assert_eq!(asked.to_attend(at(14)).count(), 0);
        assert_eq!(asked.to_attend(at(15)).map(|waiting| waiting.shown).collect::<Vec<_>>(), [1]);
        assert_eq!(asked.to_attend(at(16)).count(), 0, "once");
        assert_eq!(asked.next_due(), Some(at(60)));
    }

    #[derive(Debug, Clone)]
    enum Happens {
        Ask { agent: u8, digest: u8 },
        Leave(u32),
        Approve { nth: usize, named: Vec<u32> },
        Passes(u64),
    }

    fn happens() -> BoxedStrategy<Happens> {
        prop_oneof![
            4 => (0..2_u8, 0..3_u8).prop_map(|(agent, digest)| Happens::Ask { agent, digest }),
            1 => (0..40_u32).prop_map(Happens::Leave),
            1 => (0..4_usize, prop::collection::vec(0..40_u32, 0..3))
                .prop_map(|(nth, named)| Happens::Approve { nth, named }),
            1 => (0..20_u64).prop_map(Happens::Passes),
        ]
        .boxed()
    }

    proptest! {
        #[test]
        fn whatever_happens_each_request_waits_once_with_its_own_plan(
            events in prop::collection::vec(happens(), 0..80)
        ) {
            let (mut asked, mut now, mut next) = (Asked::default(), at(0), 0_u32);
            let mut alive: BTreeSet<u32> = BTreeSet::new();
            let mut plans: Vec<(AgentId, Digest)> = Vec::new();
            for event in events {
                match event {
                    Happens::Ask { agent, digest } => {
                        let plan = key(&format!("a{agent}"), &digest.to_string());
                        let could = asked.can_join(&plan.0, &plan.1);
                        let joined = asked.join_waiter(&plan.0, &plan.1, next).is_some();
                        prop_assert_eq!(could, joined);
                        if !joined {
                            asked.open_question(next, plan.clone(), vec![next], now, now + at(30));
                        }
                        alive.insert(next);
                        plans.push(plan);
                        next += 1;
                    }
                    Happens::Leave(waiter) => {
                        let left = asked.remove_waiter(waiter).map(|waiting| (waiting.shown, waiting.waiters().len()));
                        prop_assert_eq!(left.is_some(), alive.remove(&waiter));
                        if let Some((shown, 0)) = left {
                            prop_assert!(asked.close_question(|other| *other == shown).is_some());
                        }
                    }
                    Happens::Approve { nth, named } => {
                        let Some(shown) = asked.iter().nth(nth).map(|waiting| waiting.shown) else { continue };
                        let mut waiting = asked.close_question(|other| *other == shown).unwrap();
                        let before = waiting.waiters().to_vec();
                        let rest = waiting.approve(&named);
                        let both = waiting.waiters().len() + rest.len();
                        prop_assert_eq!(both, before.len(), "none is lost, none is twice");
                        for chosen in waiting.waiters() {
                            prop_assert!(named.contains(chosen) || (named.is_empty() && before[0] == *chosen));
                            alive.remove(chosen);
                        }
                        let plan = (waiting.agent_id().clone(), waiting.digest().clone());
                        if !rest.is_empty() {
                            asked.open_question(next, plan.clone(), rest, now, waiting.expires());
                            plans.push(plan);
                            next += 1;
                        }
                    }
                    Happens::Passes(seconds) => {
                        now += at(seconds);
                        let over: Vec<u32> = asked.expired(now).map(|waiting| waiting.shown).collect();
                        for shown in over {
                            let waiting = asked.close_question(|other| *other == shown).unwrap();
                            prop_assert!(waiting.expires() <= now);
                            alive.retain(|waiter| !waiting.waiters().contains(waiter));
                        }
                    }
                }
                let waits: Vec<u32> = asked.iter().flat_map(|waiting| waiting.waiters().to_vec()).collect();
                let once: BTreeSet<u32> = waits.iter().copied().collect();
                prop_assert_eq!(once.len(), waits.len(), "one request waits for one question");
                prop_assert_eq!(&once, &alive);
                for waiting in asked.iter() {
                    prop_assert!(!waiting.waiters().is_empty() && waiting.waiters().len() <= PER_QUESTION);
                    for waiter in waiting.waiters() {
                        let plan = &plans[usize::try_from(*waiter).unwrap()];
                        prop_assert_eq!((waiting.agent_id(), waiting.digest()), (&plan.0, &plan.1));
                    }
                }
            }
        }
    }
}
