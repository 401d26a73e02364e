//! What a person's answer does.

use super::denial;
use super::judge::World;
use super::judged::Closing;
use super::live::{Answering, Choice, Pledge, Request, Stopping};
use super::task::{Task, answer};
use crate::ask::FaceId;
use crate::ask::questions::Waiting;
use crate::book::{NewRule, Remember, ToolRemember, now};
use postern_command::escape;
use postern_contract::{Answer, AnswerParams, Answered, Saved, SavedPlace, Scope};
use postern_policy::{
    AgentId, AgentPolicy, Draft, Effect, Lifetime, NothingToSave, Offer, Origin, Pattern, RuleInput,
    RuleOrigin, parse_pattern, pattern_text,
};
use postern_protocol::Signal;
use postern_request::{Denial, Digest, Event};
use postern_store::audit;
use tokio::sync::oneshot;
use tokio::time::Instant;
use uuid::Uuid;

use super::message::Killed;

/// How long *deny all* lasts, in milliseconds.
pub(super) const DENY_ALL_MS: i64 = 10 * 60 * 1000;
/// The longest words that are passed on to an agent, in bytes.
const FEEDBACK: usize = 4096;

impl Task {
    /// The first answer that counts decides. It is told when it is durable.
    pub(super) fn answer(
        &mut self,
        mut params: AnswerParams,
        face: FaceId,
        reply: oneshot::Sender<Answered>,
    ) {
        let (id, nothing) = match self.check_answer(&mut params, face) {
            Ok(found) => found,
            Err(reason) => {
                answer(reply, refused(reason));
                return;
            }
        };
        let reply = match nothing {
            Some(why) => saying_why(why, reply),
            None => reply,
        };
        let Some(mut waiting) = self.questions.close(&id) else { return };
        let yes = matches!(params.answer, Answer::Once | Answer::Always);
        let rest = if yes {
            let (chosen, rest) = waiting.part(&params.requests);
            waiting.waiters = chosen;
            rest
        } else {
            Vec::new()
        };
        tracing::info!(question = %id, answer = name(params.answer), %face, "answered");
        let face_name = self.parts.faces.name_of(face);
        let feedback = params.feedback.clone();
        let answered = Some((face_name.clone(), feedback));
        self.question_closed(&waiting.question, &waiting.waiters, Closing::Answer(params.answer), answered);
        for waiter in &waiting.waiters {
            if let Some(request) = self.requests.get_mut(waiter) {
                request.answered_by = Some(face_name.clone());
            }
        }
        if yes {
            self.answered_yes(&waiting, &params, reply);
            self.ask_again(waiting, rest);
        } else {
            self.answered_no(&waiting, &params, reply);
        }
    }

    /// Returns the question that an answer is for, or why the answer does not count. Turns an *always* that can save nothing into
    /// *once*, and gives the reason.
    fn check_answer(
        &mut self,
        params: &mut AnswerParams,
        face: FaceId,
    ) -> Result<(String, Option<NothingToSave>), String> {
        params.feedback = params.feedback.take().filter(|words| !words.trim().is_empty());
        if params.feedback.as_ref().is_some_and(|words| words.len() > FEEDBACK) {
            return Err(format!("the words for the agent are longer than {FEEDBACK} bytes"));
        }
        if let Some(reason) = self.unseen(params, face) {
            return Err(reason);
        }
        let id = self.questions.check(params, face, Instant::now())?.question.id.clone();
        let nothing = self.nothing_to_save(&id, params.answer);
        if nothing.is_some() {
            params.answer = Answer::Once;
        }
        if let Some(reason) = self.not_for_a_yes(&id, params, face) {
            return Err(reason);
        }
        self.can_remember(&id, params)?;
        Ok((id, nothing))
    }

    /// Returns the reason why an *always* saves nothing: it then allows one run.
    fn nothing_to_save(&self, question: &str, said: Answer) -> Option<NothingToSave> {
        let question = &self.questions.iter().find(|waiting| waiting.question.id == question)?.question;
        let nothing = said == Answer::Always && question.proposals.is_empty();
        nothing.then(|| question.why_unsaved())
    }

    /// Why a yes does not count: nothing that it names waits any more, or its face does not show what it is about.
    fn not_for_a_yes(&self, question: &str, params: &AnswerParams, face: FaceId) -> Option<String> {
        let waiting = self.questions.iter().find(|waiting| waiting.question.id == question)?;
        let missing = waiting.question.parts_for(params.answer);
        let missing: Vec<&str> =
            missing.difference(&self.parts.faces.shows(face)).map(|part| part.words()).collect();
        if !missing.is_empty() {
            return Some(format!(
                "this approver does not show {}: say yes where it is shown, or with a client that declares that it shows it",
                missing.join(", ")
            ));
        }
        let requests = &waiting.question.requests;
        let gone = !params.requests.is_empty() && !params.requests.iter().any(|id| requests.contains(id));
        gone.then(|| "none of the requests that it names waits any more".to_owned())
    }

    /// Whether what the person wants remembered can be: known before anything is decided.
    fn can_remember(&self, question: &str, params: &AnswerParams) -> Result<(), String> {
        if !matches!(params.answer, Answer::Always | Answer::DenyAlways) {
            return Ok(());
        }
        let Some(waiting) = self.questions.iter().find(|waiting| waiting.question.id == question) else {
            return Ok(());
        };
        match waiting.waiters.first().and_then(|id| self.requests.get(id)) {
            Some(request) if adds_line(request, params) => Ok(()),
            Some(request) => remember_of(request, params).map(drop),
            None => Ok(()),
        }
    }

    fn answered_yes(&mut self, waiting: &Waiting, params: &AnswerParams, reply: oneshot::Sender<Answered>) {
        let digest = Digest(params.digest.clone());
        let mut answering = self.answering(waiting, params, reply);
        for id in &waiting.waiters {
            let theirs = answering.for_one();
            let remember = matches!(theirs, Some(Answering::Saves(_)));
            if let Some(request) = self.requests.get_mut(id) {
                request.answering = theirs;
            }
            let digest = digest.clone();
            self.happen(*id, Event::AnsweredAllow { digest, remember });
        }
    }

    /// Who of those that wait carries the reply.
    fn answering(
        &self,
        waiting: &Waiting,
        params: &AnswerParams,
        reply: oneshot::Sender<Answered>,
    ) -> Answerings {
        let lives = |waiter: &&Uuid| self.requests.get(*waiter).is_some_and(Request::is_asking);
        match waiting.waiters.iter().filter(lives).count() {
            0 => {
                answer(reply, refused("it waits no more".to_owned()));
                Answerings::default()
            }
            _ if params.answer == Answer::Always => {
                let choice = Choice {
                    params: Box::new(params.clone()),
                    saved: Vec::new(),
                    reply,
                    who: audit::current(),
                };
                Answerings { saves: Some(choice), pledge: None }
            }
            lives => Answerings { saves: None, pledge: Some(Pledge::new(reply, lives)) },
        }
    }

    fn answered_no(&mut self, waiting: &Waiting, params: &AnswerParams, reply: oneshot::Sender<Answered>) {
        let agent = waiting.question.asker.agent.clone();
        let rule = self.deny_rule(waiting, params);
        let denial = denial::user(params.feedback.clone());
        // A rule, and the end of everything of the agent, have a receipt of their own.
        let (mut answering, reply) = match params.answer {
            Answer::DenyAll | Answer::DenyAlways => (Answerings::default(), Some(reply)),
            Answer::Once | Answer::Always | Answer::Deny => (self.answering(waiting, params, reply), None),
        };
        for waiter in &waiting.waiters {
            if let Some(request) = self.requests.get_mut(waiter) {
                request.answering = answering.for_one();
            }
            self.happen(*waiter, Event::AnsweredDeny(denial.clone()));
        }
        let Some(reply) = reply else { return };
        let (book, home) = (self.parts.book.clone(), self.parts.world.home.clone());
        let gate = self.messages.clone();
        match params.answer {
            Answer::DenyAll => {
                // From now on, not from when it is written down.
                let (until, who) = (now() + DENY_ALL_MS, audit::current());
                self.agent(&agent).stopping = Some(Stopping { until, who });
                self.deny_agent(&agent, &denial);
                self.keep_stop(&agent, Some(reply));
            }
            Answer::DenyAlways => {
                tokio::spawn(audit::carry(async move {
                    let saved = match rule {
                        Ok(rule) => {
                            let saved = saved_of(&rule, &home);
                            book.remember(rule).await.map(|_| saved).map_err(|error| error.to_string())
                        }
                        Err(problem) => Err(problem),
                    };
                    if let Some(messages) = gate.upgrade() {
                        // A gate that is gone has nothing to judge again.
                        _ = messages.send(super::Message::Rejudge { agent: None }).await;
                    }
                    answer(reply, denied(saved));
                }));
            }
            Answer::Once | Answer::Always | Answer::Deny => {}
        }
    }

    fn deny_rule(&self, waiting: &Waiting, params: &AnswerParams) -> Result<Remember, String> {
        match waiting.waiters.first().and_then(|id| self.requests.get(id)) {
            Some(request) => remember_of(request, params),
            None => Err("it waits no more".to_owned()),
        }
    }

    /// Denies everything of one agent that waits for a person.
    pub(super) fn deny_agent(&mut self, agent: &AgentId, denial: &Denial) {
        self.deny_waiting(|waiting| waiting == agent, denial, Closing::Answer(Answer::DenyAll));
    }

    /// Denies everything that waits and whose agent is chosen.
    pub(super) fn deny_waiting(&mut self, chosen: impl Fn(&AgentId) -> bool, denial: &Denial, how: Closing) {
        let ids: Vec<String> = self
            .questions
            .iter()
            .filter(|waiting| chosen(&waiting.question.asker.agent))
            .map(|waiting| waiting.question.id.clone())
            .collect();
        for id in ids {
            let Some(waiting) = self.questions.close(&id) else { continue };
            self.question_closed(&waiting.question, &waiting.waiters, how, None);
            for waiter in waiting.waiters {
                self.happen(waiter, Event::AnsweredDeny(denial.clone()));
            }
        }
        self.deny_held(chosen, denial);
    }

    /// Takes back what waits for a person.
    pub(super) fn withdraw(&mut self, id: Uuid, why: &str) {
        self.happen(id, Event::Withdrawn(denial::cancelled(&format!("It was taken back: {why}."))));
    }

    /// The person ends a request from a list.
    pub(super) fn kill_for_person(&mut self, request: &str, signal: Signal) -> Killed {
        let Ok(id) = Uuid::parse_str(request) else { return Killed::Unknown };
        let Some(live) = self.requests.get(&id) else { return Killed::Unknown };
        if live.is_asking() {
            self.happen(id, Event::AnsweredDeny(denial::user(None)));
            return Killed::Denied;
        }
        // It ended, and its end waits to be written.
        if live.ending().is_some() {
            return Killed::Unknown;
        }
        self.signal(id, signal);
        Killed::Stopping
    }
}

/// Who is told what became of an answer: the rule that is saved, or the records of all requests.
#[derive(Default)]
struct Answerings {
    saves: Option<Choice>,
    pledge: Option<Pledge>,
}

impl Answerings {
    fn for_one(&mut self) -> Option<Answering> {
        let saves = self.saves.take().map(Answering::Saves);
        saves.or_else(|| self.pledge.clone().map(Answering::Pledged))
    }
}

fn refused(reason: String) -> Answered {
    Answered::refused(reason)
}

/// Returns the result of a denial, which holds even if its rule could not be saved.
pub(super) fn denied(saved: Result<Vec<Saved>, String>) -> Answered {
    match saved {
        Ok(saved) => Answered { saved, ..Answered::done() },
        Err(problem) => {
            let reason = format!("denied, but this could not be saved: {problem}");
            Answered { reason: Some(reason), ..Answered::done() }
        }
    }
}

/// Wraps the reply so that it says why an *always* saved nothing.
fn saying_why(why: NothingToSave, reply: oneshot::Sender<Answered>) -> oneshot::Sender<Answered> {
    let (sender, told) = oneshot::channel::<Answered>();
    tokio::spawn(async move {
        if let Ok(told) = told.await {
            let not_saved = Some(why).filter(|_| told.applied);
            answer(reply, Answered { not_saved, ..told });
        }
    });
    sender
}

/// The stable name of an answer.
pub(super) fn name(answer: Answer) -> &'static str {
    match answer {
        Answer::Once => "once",
        Answer::Always => "always",
        Answer::Deny => "deny",
        Answer::DenyAlways => "deny-always",
        Answer::DenyAll => "deny-all",
    }
}

/// Whether what the person wants saved is a line of the agent's `permissions.jsonc`.
fn adds_line(request: &Request, params: &AnswerParams) -> bool {
    let by_number = params.proposal.as_deref() == Some(super::call::FILE);
    params.answer == Answer::Always
        && (request.origin == Origin::Tool || (request.origin == Origin::AgentShell && by_number))
}

/// The lines of the agent's `permissions.jsonc` that the person wants added, where that is what *Always* does here.
pub(super) fn line_of(
    request: &Request,
    params: &AnswerParams,
    world: &World,
    policy: &AgentPolicy,
) -> Option<ToolRemember> {
    let call = request.call.as_ref().filter(|_| adds_line(request, params))?;
    let judged = request.judged.as_ref()?;
    Some(ToolRemember {
        agent: request.agent.clone(),
        session: request.run.session.clone(),
        tool: call.tool.clone(),
        patterns: judged.patterns(world, policy),
    })
}

/// What the person wants saved of a request's question: one of its offers, perhaps with an edited pattern.
pub(super) fn remember_of(request: &Request, params: &AnswerParams) -> Result<Remember, String> {
    if request.origin == Origin::Tool {
        return Err("for a tool, edit the agent's permissions.jsonc instead".to_owned());
    }
    let judged = request.judged.as_ref().ok_or("it was not judged")?;
    let effect = match params.answer {
        Answer::Once | Answer::Always => Effect::Allow,
        Answer::Deny | Answer::DenyAlways | Answer::DenyAll => Effect::Deny,
    };
    let wanted = params.proposal.as_deref().unwrap_or("exact");
    let offer = judged.offers.iter().find(|offer| offer.id == wanted);
    if let Some(offer) = offer.filter(|offer| !offer.renews.is_empty()) {
        return renewed(request, params, offer, effect);
    }
    if effect == Effect::Allow && !params.anywhere && offer.is_some_and(|offer| offer.folder.is_none()) {
        return Err("what would be saved holds in every folder, because the line changes its own: say that this is meant \
                    (anywhere), or let the agent name the folder as the request's own"
            .to_owned());
    }
    let mut rules: Vec<NewRule> = match (offer, &judged.reading.plain) {
        (Some(offer), _) => rules_of(judged, offer, effect),
        // What is too wide to be allowed for good can still be denied for good.
        (None, Some(argv)) if effect == Effect::Deny && wanted == "exact" => {
            let pattern = Pattern::Exact(argv.clone());
            let input = RuleInput::Nothing;
            vec![NewRule { pattern, args: None, pin: None, allow_writes: false, folder: None, input }]
        }
        (None, _) => return Err(format!("nothing can be saved as {wanted:?} for this request")),
    };
    if let Some(edited) = &params.edited {
        let [rule] = rules.as_mut_slice() else {
            return Err("only an offer of one rule can be edited".to_owned());
        };
        *rule = edited_rule(rule, edited)?;
    }
    if params.anywhere {
        for rule in &mut rules {
            rule.folder = None;
        }
    }
    let lifetime = match &params.lifetime {
        Some(Lifetime::Session(_)) => {
            let session = request.run.session.clone().ok_or("this request belongs to no session")?;
            Lifetime::Session(session)
        }
        Some(other) => other.clone(),
        None => Lifetime::Forever,
    };
    let why = params.feedback.clone().filter(|_| effect == Effect::Deny);
    // What is denied is denied everywhere.
    let origin =
        if effect == Effect::Allow { RuleOrigin::of_answer(request.origin) } else { RuleOrigin::Any };
    let (agent, scope) = (request.agent.clone(), params.scope);
    Ok(Remember { agent, scope, effect, origin, lifetime, why, rules, renews: Vec::new() })
}

/// What an offer to renew rules saves: they stay whose they are, where they hold and for how long.
fn renewed(
    request: &Request,
    params: &AnswerParams,
    offer: &Offer,
    effect: Effect,
) -> Result<Remember, String> {
    if effect != Effect::Allow {
        return Err("what is renewed allows; a deny rule is made of the exact command".to_owned());
    }
    let lasts = params.lifetime.as_ref().is_none_or(|lifetime| *lifetime == Lifetime::Forever);
    if params.anywhere || params.edited.is_some() || params.scope != Scope::Agent || !lasts {
        return Err("rules that are renewed stay as they are: for whom, where, how long and which words are not to be \
                    chosen with that"
            .to_owned());
    }
    Ok(Remember {
        agent: request.agent.clone(),
        scope: Scope::Agent,
        effect,
        origin: RuleOrigin::Any,
        lifetime: Lifetime::Forever,
        why: None,
        rules: Vec::new(),
        renews: offer.renews.clone(),
    })
}

/// Describes the lines that will be saved for a tool.
pub(super) fn saved_lines(remember: &ToolRemember) -> Vec<Saved> {
    let rule = |pattern: &String| escape::text(&format!("{} {pattern}", remember.tool));
    let place = || SavedPlace::Permissions;
    let saved = |pattern| Saved { rule: rule(pattern), place: place(), pinned: false, own_shell: false };
    remember.patterns.iter().map(saved).collect()
}

/// Describes the rules that will be saved.
pub(super) fn saved_of(remember: &Remember, home: &str) -> Vec<Saved> {
    let saved = |rule: &NewRule| {
        let place = rule.folder.as_ref().map_or(SavedPlace::Anywhere, |folder| {
            let below = folder.strip_prefix(home).filter(|rest| rest.is_empty() || rest.starts_with('/'));
            let path = below.map_or_else(|| folder.clone(), |rest| format!("~{rest}"));
            SavedPlace::Folder { path: escape::text(&path) }
        });
        let rule_text = escape::text(&pattern_text(&rule.pattern));
        let own_shell = remember.origin == RuleOrigin::AgentShell;
        Saved { rule: rule_text, place, pinned: rule.pin.is_some(), own_shell }
    };
    let renewed = remember.renews.iter().flat_map(|renewal| &renewal.rules);
    let renewed = renewed.map(|rule| Saved {
        rule: escape::text(&pattern_text(&rule.pattern)),
        place: SavedPlace::Renewed { rule: rule.id },
        pinned: true,
        own_shell: rule.origin == RuleOrigin::AgentShell,
    });
    remember.rules.iter().map(saved).chain(renewed).collect()
}

/// The rules that an offer would save.
pub(super) fn rules_of(judged: &super::judge::Judged, offer: &Offer, effect: Effect) -> Vec<NewRule> {
    offer.drafts.iter().map(|draft| rule_of(judged, draft, offer.folder.as_deref(), effect)).collect()
}

fn rule_of(judged: &super::judge::Judged, draft: &Draft, folder: Option<&str>, effect: Effect) -> NewRule {
    let allows = effect == Effect::Allow;
    NewRule {
        // A deny holds everywhere, whatever comes on standard input.
        folder: folder.filter(|_| allows).map(str::to_owned),
        input: if allows { draft.input.clone() } else { RuleInput::Nothing },
        pattern: draft.pattern.clone(),
        args: draft.args.clone(),
        // A deny holds for whatever the program becomes.
        pin: draft.pin.clone().filter(|_| effect == Effect::Allow),
        allow_writes: effect == Effect::Allow && writes(judged, draft.step),
    }
}

fn writes(judged: &super::judge::Judged, step: usize) -> bool {
    judged
        .reading
        .steps
        .get(step)
        .is_some_and(|step| step.redirections.iter().any(postern_command::Redirection::writes))
}

/// The offer's rule with the pattern as the person edited it. A pattern with other arguments has none of its own.
fn edited_rule(rule: &NewRule, edited: &str) -> Result<NewRule, String> {
    let pattern = parse_pattern(edited, None).map_err(|error| error.to_string())?;
    let same_kind = std::mem::discriminant(&pattern) == std::mem::discriminant(&rule.pattern);
    let args = if same_kind && matches!(pattern, Pattern::Path(_)) { rule.args.clone() } else { None };
    Ok(NewRule { pattern, args, ..rule.clone() })
}
