//! The one place that says whether an answer, a roster, a `fresh`, a bundle or a stage counts.

use crate::admitted::{Admitted, Decided, Now};
use crate::bundle::{Bundle, Stage};
use crate::envelope::Envelope;
use crate::host::{Fleet, Open, SKEW, Settled};
use crate::id::{Hash, Id};
use crate::job::{Job, Work};
use crate::message::{Answer, Body, Kind, Payload, Receipt, payload};
use crate::refusal::Refusal;
use crate::roster::{Fresh, Member, Pinned, Role};
use crate::seal::Sealed;

/// Says whether bytes that the broker delivered count, and as what.
pub fn admit(fleet: &Fleet, bytes: &[u8], now: Now) -> Result<Admitted, Refusal> {
    let envelope = Envelope::decode(bytes, Kind::Bundle.limit())?;
    let kind = Kind::of(&envelope.payload_type).ok_or(Refusal::Kind)?;
    if bytes.len() > kind.limit() {
        let (length, most) = (bytes.len(), kind.limit());
        return Err(crate::EnvelopeError::TooLong { length, most }.into());
    }
    match kind {
        Kind::Answer => answer(fleet, &envelope, now),
        Kind::Roster => fleet.pinned.next(&envelope, &fleet.id).map(Box::new).map(Admitted::Roster),
        Kind::Fresh => fresh(fleet, &envelope, now).map(Admitted::Fresh),
        Kind::Bundle => bundle(fleet, &envelope, now),
        Kind::Stage => stage(fleet, &envelope).map(Admitted::Stage),
        Kind::Job => job(fleet, &envelope, now),
        Kind::Question | Kind::Closing | Kind::Receipt | Kind::Presence | Kind::Anchor | Kind::JobReport => {
            Err(Refusal::Kind)
        }
    }
}

fn answer(fleet: &Fleet, envelope: &Envelope, now: Now) -> Result<Admitted, Refusal> {
    let sealed = payload::<Sealed>(envelope, Kind::Answer, &fleet.id)?;
    let member = sender(fleet, envelope, &sealed.from)?;
    if !member.has(Role::Approver) {
        return Err(Refusal::Role(member.id.clone(), "answer"));
    }
    let answer: Answer = sealed.open(&fleet.key)?;
    if let Some(receipt) = repeated(fleet, &sealed, &answer) {
        return receipt.map(Admitted::Repeated);
    }
    if answer.roster != fleet.pinned.hash {
        return Err(Refusal::OtherRoster);
    }
    if !fleet.is_fresh(now) {
        return Err(Refusal::Stale);
    }
    let open = fleet.open.get(&answer.question).ok_or(Refusal::NoQuestion)?;
    fits(fleet, member, open, &answer, now)?;
    let missing = missing(member, open, &answer)?;
    Ok(Admitted::Answer(Decided {
        id: sealed.id,
        member: member.id.clone(),
        person: member.counted_as().to_owned(),
        device: member.name.clone(),
        answer,
        missing,
    }))
}

/// Returns the member that a message names, if it signed it.
fn sender<'a>(fleet: &'a Fleet, envelope: &Envelope, from: &Id) -> Result<&'a Member, Refusal> {
    let member = fleet.pinned.roster.member(from).ok_or_else(|| Refusal::Stranger(from.clone()))?;
    if envelope.signers([((), &member.sign)]).is_empty() {
        return Err(Refusal::Signature(from.clone()));
    }
    Ok(member)
}

/// Returns the outcome for an answer of an id that was used, or to a question that has ended.
fn repeated(fleet: &Fleet, sealed: &Payload<Sealed>, answer: &Answer) -> Option<Result<Receipt, Refusal>> {
    let used = |open: &Open| open.given.iter().any(|(id, ..)| *id == sealed.id);
    if let Some((question, open)) = fleet.open.iter().find(|(_, open)| used(open)) {
        let same = *question == answer.question
            && open.given.iter().any(|(id, member, _)| *id == sealed.id && *member == sealed.from);
        let given = u8::try_from(open.given.len()).unwrap_or(u8::MAX);
        let missing = open.approvals.saturating_sub(given);
        return Some(if same {
            Ok(Receipt::Applied { answer: sealed.id.clone(), missing })
        } else {
            Err(Refusal::Used)
        });
    }
    let Settled { question, answers, by, place } = fleet
        .settled
        .iter()
        .find(|settled| settled.question == answer.question || settled.answers.contains(&sealed.id))?;
    let counted = answers.contains(&sealed.id);
    Some(match (counted, *question == answer.question) {
        (true, true) => Ok(Receipt::Applied { answer: sealed.id.clone(), missing: 0 }),
        (true, false) => Err(Refusal::Used),
        (false, _) => Err(Refusal::Closed { by: by.clone(), place: place.clone() }),
    })
}

/// Checks that an answer is to what is on show, in time, from somebody who may give it.
fn fits(fleet: &Fleet, member: &Member, open: &Open, answer: &Answer, now: Now) -> Result<(), Refusal> {
    if now.timer >= open.ends {
        return Err(Refusal::Closed { by: None, place: None });
    }
    if answer.revision != open.revision || answer.digest != open.digest {
        return Err(Refusal::Changed);
    }
    let Some(may) = member.approver.as_ref().filter(|_| member.answers_for(fleet.groups())) else {
        return Err(Refusal::Group(member.id.clone()));
    };
    if answer.answer.allows() && open.risk > may.risk {
        return Err(Refusal::Risk(member.id.clone()));
    }
    if answer.answer == crate::Choice::Always && may.once_only {
        return Err(Refusal::OnceOnly(member.id.clone()));
    }
    Ok(())
}

/// Returns how many more people have to approve. The first deny ends a question.
fn missing(member: &Member, open: &Open, answer: &Answer) -> Result<u8, Refusal> {
    if !answer.answer.allows() {
        return Ok(0);
    }
    let person = member.counted_as();
    if open.given.iter().any(|(_, _, other)| other == person) {
        return Err(Refusal::SamePerson(person.to_owned()));
    }
    let given = u8::try_from(open.given.len() + 1).unwrap_or(u8::MAX);
    Ok(open.approvals.saturating_sub(given))
}

fn fresh(fleet: &Fleet, envelope: &Envelope, now: Now) -> Result<Fresh, Refusal> {
    let payload = payload::<Fresh>(envelope, Kind::Fresh, &fleet.id)?;
    let member = sender(fleet, envelope, &payload.from)?;
    let roster = &fleet.pinned.roster;
    if !member.has(Role::Owner) && !roster.fresh_by.contains(&member.id) {
        return Err(Refusal::Role(member.id.clone(), "say what is current"));
    }
    let fresh = payload.body;
    if fresh.at > now.wall.saturating_add(SKEW) {
        return Err(Refusal::Future);
    }
    if fresh.version < roster.version || fleet.fresh.as_ref().is_some_and(|said| fresh.at <= said.fresh.at) {
        return Err(Refusal::Older);
    }
    if fresh.version == roster.version && fresh.roster != fleet.pinned.hash {
        let (ours, theirs) = (fleet.pinned.hash, fresh.roster);
        return Err(Refusal::Fork { version: roster.version, ours, theirs });
    }
    Ok(fresh)
}

/// Returns the content of a bundle or a stage, if enough publishers of a roster signed it.
pub fn published<T: Body>(pinned: &Pinned, fleet: &Id, envelope: &Envelope) -> Result<T, Refusal> {
    let payload = payload::<T>(envelope, T::KIND, fleet)?;
    let have = pinned.roster.signed_by(envelope, Role::Publisher);
    let need = usize::from(pinned.roster.publishers_needed.max(1));
    if have < need { Err(Refusal::TooFew { have, need }) } else { Ok(payload.body) }
}

fn bundle(fleet: &Fleet, envelope: &Envelope, now: Now) -> Result<Admitted, Refusal> {
    let bundle: Bundle = published(&fleet.pinned, &fleet.id, envelope)?;
    let hash = Hash::of(&envelope.payload);
    if !fleet.groups().contains(&bundle.group) {
        return Err(Refusal::OtherGroup(bundle.group));
    }
    if let Some(ours) = fleet.policy.get(&bundle.group) {
        let version = bundle.version;
        let follows = version != ours.version + 1 || bundle.previous == Some(ours.bundle);
        if version < ours.version || (version == ours.version && hash == ours.bundle) {
            return Err(Refusal::Older);
        }
        if version == ours.version || !follows {
            return Err(Refusal::Fork { version, ours: ours.bundle, theirs: hash });
        }
    }
    if bundle.not_before > now.wall {
        return Err(Refusal::NotYet);
    }
    Ok(Admitted::Bundle { bundle: Box::new(bundle), hash })
}

fn stage(fleet: &Fleet, envelope: &Envelope) -> Result<Stage, Refusal> {
    let stage: Stage = published(&fleet.pinned, &fleet.id, envelope)?;
    if !fleet.groups().contains(&stage.group) {
        return Err(Refusal::OtherGroup(stage.group));
    }
    let policy = fleet.policy.get(&stage.group).ok_or(Refusal::NoBundle)?;
    if stage.number <= policy.stage {
        return Err(Refusal::Older);
    }
    if stage.bundle != policy.bundle {
        return Err(Refusal::NoBundle);
    }
    Ok(stage)
}

fn job(fleet: &Fleet, envelope: &Envelope, now: Now) -> Result<Admitted, Refusal> {
    let sealed = payload::<Sealed>(envelope, Kind::Job, &fleet.id)?;
    let member = sender(fleet, envelope, &sealed.from)?;
    let job: Job = sealed.open(&fleet.key)?;
    let (role, what) = needed_for(&job.work);
    if !member.has(role) {
        return Err(Refusal::Role(member.id.clone(), what));
    }
    let may = member.approver.as_ref().filter(|_| member.answers_for(fleet.groups()));
    if role == Role::Approver && may.is_none() {
        return Err(Refusal::Group(member.id.clone()));
    }
    // To let agents work again is the least careful of all approvals.
    let careful = may.is_some_and(|may| may.once_only || may.risk < crate::Risk::Dangerous);
    if job.work == Work::Resume && careful {
        return Err(Refusal::Role(member.id.clone(), what));
    }
    if job.roster != fleet.pinned.hash {
        return Err(Refusal::OtherRoster);
    }
    if !fleet.is_fresh(now) {
        return Err(Refusal::Stale);
    }
    if job.at > now.wall.saturating_add(SKEW) {
        return Err(Refusal::Future);
    }
    let late = job.at < now.wall.saturating_sub(SKEW);
    if late || fleet.jobs.get(&member.id).is_some_and(|last| job.at <= *last) {
        return Err(Refusal::Older);
    }
    Ok(Admitted::Job { id: sealed.id, member: member.id.clone(), job: Box::new(job) })
}

/// Returns the role that may ask for some work, and what it does in words.
fn needed_for(work: &Work) -> (Role, &'static str) {
    match work {
        Work::Replay { .. } | Work::Policy => (Role::Publisher, "ask a host about its policy"),
        Work::Block { .. } => (Role::Approver, "block a host's agents"),
        Work::Resume => (Role::Approver, "let a host's agents work again"),
    }
}
