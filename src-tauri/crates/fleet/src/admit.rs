//! The one place that says whether an answer, a roster, a `fresh`, a bundle or a stage counts.

use crate::admitted::{AdmittedAnswer, AdmittedMessage, Now};
use crate::bundle::{Bundle, RolloutStage, require_step};
use crate::envelope::SignedEnvelope;
use crate::host::{FleetState, OpenQuestion, SKEW, SettledQuestion};
use crate::id::{FleetId, Hash};
use crate::job::{Job, Work};
use crate::message::{FleetAnswer, FleetMessageBody, FleetMessageKind, FleetReceipt, Payload, payload};
use crate::refusal::FleetRefusal;
use crate::roster::{Fresh, Member, MemberRole, PinnedRoster};
use crate::seal::Sealed;

/// Says whether bytes that the broker delivered count, and as what.
pub fn admit_message(fleet: &FleetState, bytes: &[u8], now: Now) -> Result<AdmittedMessage, FleetRefusal> {
    let envelope = SignedEnvelope::decode(bytes, FleetMessageKind::Bundle.max_bytes())?;
    let kind = FleetMessageKind::from_media_type(&envelope.payload_type).ok_or(FleetRefusal::Kind)?;
    if bytes.len() > kind.max_bytes() {
        let (length, most) = (bytes.len(), kind.max_bytes());
        return Err(crate::EnvelopeError::TooLong { length, most }.into());
    }
    match kind {
        FleetMessageKind::Answer => admit_answer(fleet, &envelope, now),
        FleetMessageKind::Roster => {
            fleet.pinned.verify_later(&envelope, &fleet.id).map(Box::new).map(AdmittedMessage::Roster)
        }
        FleetMessageKind::Fresh => admit_fresh(fleet, &envelope, now).map(AdmittedMessage::Fresh),
        FleetMessageKind::Bundle => admit_bundle(fleet, &envelope, now),
        FleetMessageKind::Stage => admit_stage(fleet, &envelope).map(AdmittedMessage::Stage),
        FleetMessageKind::Job => job(fleet, &envelope, now),
        FleetMessageKind::Question
        | FleetMessageKind::Closing
        | FleetMessageKind::Receipt
        | FleetMessageKind::Presence
        | FleetMessageKind::Anchor
        | FleetMessageKind::AuditRows
        | FleetMessageKind::JobReport => Err(FleetRefusal::Kind),
    }
}

fn admit_answer(
    fleet: &FleetState,
    envelope: &SignedEnvelope,
    now: Now,
) -> Result<AdmittedMessage, FleetRefusal> {
    let sealed = payload::<Sealed>(envelope, FleetMessageKind::Answer, &fleet.id)?;
    let member = sender(fleet, envelope, &sealed.from)?;
    if !member.has_role(MemberRole::Approver) {
        return Err(FleetRefusal::Role(member.id.clone(), "answer"));
    }
    let answer: FleetAnswer = sealed.open_body(&fleet.key)?;
    if let Some(receipt) = repeated(fleet, &sealed, &answer) {
        return receipt.map(AdmittedMessage::Repeated);
    }
    if answer.roster != fleet.pinned.hash {
        return Err(FleetRefusal::OtherRoster);
    }
    if !fleet.is_fresh(now) {
        return Err(FleetRefusal::Stale);
    }
    let open = fleet.open.get(&answer.question).ok_or(FleetRefusal::NoQuestion)?;
    check_answer(fleet, member, open, &answer, now)?;
    let missing = missing(member, open, &answer)?;
    Ok(AdmittedMessage::Answer(AdmittedAnswer {
        id: sealed.id,
        member: member.id.clone(),
        person: member.counted_as().to_owned(),
        device: member.name.clone(),
        answer,
        missing,
    }))
}

/// Returns the member that a message names, if it signed it.
fn sender<'a>(
    fleet: &'a FleetState,
    envelope: &SignedEnvelope,
    from: &FleetId,
) -> Result<&'a Member, FleetRefusal> {
    let member = fleet.pinned.roster.member(from).ok_or_else(|| FleetRefusal::Stranger(from.clone()))?;
    if envelope.signers([((), &member.sign)]).is_empty() {
        return Err(FleetRefusal::Signature(from.clone()));
    }
    Ok(member)
}

/// Returns the approver that signed an answer; `None` for what is none. Nothing of it counts yet.
pub fn signing_approver(fleet: &FleetState, bytes: &[u8]) -> Option<FleetId> {
    let signer = signing_member(fleet, bytes, FleetMessageKind::Answer)?;
    fleet.pinned.roster.member(&signer)?.has_role(MemberRole::Approver).then_some(signer)
}

/// Returns the member that signed a sealed message of this kind; `None` for what is none. Nothing of it counts yet.
pub fn signing_member(fleet: &FleetState, bytes: &[u8], kind: FleetMessageKind) -> Option<FleetId> {
    let envelope = SignedEnvelope::decode(bytes, kind.max_bytes()).ok()?;
    let sealed = payload::<Sealed>(&envelope, kind, &fleet.id).ok()?;
    sender(fleet, &envelope, &sealed.from).ok().map(|member| member.id.clone())
}

/// Returns the outcome for an answer of an id that was used, or to a question that has ended.
fn repeated(
    fleet: &FleetState,
    sealed: &Payload<Sealed>,
    answer: &FleetAnswer,
) -> Option<Result<FleetReceipt, FleetRefusal>> {
    let used = |open: &OpenQuestion| open.given.iter().any(|(id, ..)| *id == sealed.id);
    if let Some((question, open)) = fleet.open.iter().find(|(_, open)| used(open)) {
        let same = *question == answer.question
            && open.given.iter().any(|(id, member, _)| *id == sealed.id && *member == sealed.from);
        let given = u8::try_from(open.given.len()).unwrap_or(u8::MAX);
        let missing = open.approvals.saturating_sub(given);
        return Some(if same {
            Ok(FleetReceipt::Applied { answer: sealed.id.clone(), missing })
        } else {
            Err(FleetRefusal::Used)
        });
    }
    let SettledQuestion { question, answers, outcome, by, place } = fleet
        .settled
        .iter()
        .find(|settled| settled.question == answer.question || settled.answers.contains(&sealed.id))?;
    let counted = answers.contains(&sealed.id);
    Some(match (counted, *question == answer.question) {
        (true, true) => Ok(FleetReceipt::Applied { answer: sealed.id.clone(), missing: 0 }),
        (true, false) => Err(FleetRefusal::Used),
        (false, _) => {
            let (by, place) = (by.clone(), place.clone());
            Err(FleetRefusal::Closed { outcome: Some(outcome.clone()), by, place })
        }
    })
}

/// Checks that an answer is to what is on show, in time, from somebody who may give it.
fn check_answer(
    fleet: &FleetState,
    member: &Member,
    open: &OpenQuestion,
    answer: &FleetAnswer,
    now: Now,
) -> Result<(), FleetRefusal> {
    if now.timer >= open.ends {
        return Err(FleetRefusal::Closed { outcome: Some("expired".to_owned()), by: None, place: None });
    }
    if answer.revision != open.revision || answer.digest != open.digest {
        return Err(FleetRefusal::Changed);
    }
    let Some(may) = member.approver.as_ref().filter(|_| member.answers_for(fleet.groups())) else {
        return Err(FleetRefusal::Group(member.id.clone()));
    };
    if answer.answer.widens() && open.risk > may.risk {
        return Err(FleetRefusal::Risk(member.id.clone()));
    }
    if answer.answer == crate::FleetChoice::Always && may.once_only {
        return Err(FleetRefusal::OnceOnly(member.id.clone()));
    }
    Ok(())
}

/// Returns how many more people have to approve. The first deny ends a question.
fn missing(member: &Member, open: &OpenQuestion, answer: &FleetAnswer) -> Result<u8, FleetRefusal> {
    if !answer.answer.allows() {
        return Ok(0);
    }
    let person = member.counted_as();
    if open.given.iter().any(|(_, _, other)| other == person) {
        return Err(FleetRefusal::SamePerson(person.to_owned()));
    }
    let given = u8::try_from(open.given.len() + 1).unwrap_or(u8::MAX);
    Ok(open.approvals.saturating_sub(given))
}

fn admit_fresh(fleet: &FleetState, envelope: &SignedEnvelope, now: Now) -> Result<Fresh, FleetRefusal> {
    let payload = payload::<Fresh>(envelope, FleetMessageKind::Fresh, &fleet.id)?;
    let member = sender(fleet, envelope, &payload.from)?;
    let roster = &fleet.pinned.roster;
    if !member.has_role(MemberRole::Owner) && !roster.fresh_by.contains(&member.id) {
        return Err(FleetRefusal::Role(member.id.clone(), "say what is current"));
    }
    let fresh = payload.body;
    if fresh.at > now.wall.saturating_add(SKEW) {
        return Err(FleetRefusal::Future);
    }
    if fresh.version < roster.version || fleet.fresh.as_ref().is_some_and(|said| fresh.at <= said.fresh.at) {
        return Err(FleetRefusal::Older);
    }
    if fresh.version == roster.version && fresh.roster != fleet.pinned.hash {
        let (ours, theirs) = (fleet.pinned.hash, fresh.roster);
        return Err(FleetRefusal::Fork { version: roster.version, ours, theirs });
    }
    Ok(fresh)
}

/// Returns the content of a bundle or a stage, if enough publishers of a roster signed it.
pub fn published<T: FleetMessageBody>(
    pinned: &PinnedRoster,
    fleet: &FleetId,
    envelope: &SignedEnvelope,
) -> Result<T, FleetRefusal> {
    let payload = payload::<T>(envelope, T::KIND, fleet)?;
    let have = pinned.roster.signed_by(envelope, MemberRole::Publisher);
    let need = pinned.roster.needed(MemberRole::Publisher);
    if have < need { Err(FleetRefusal::TooFew { have, need }) } else { Ok(payload.body) }
}

fn admit_bundle(
    fleet: &FleetState,
    envelope: &SignedEnvelope,
    now: Now,
) -> Result<AdmittedMessage, FleetRefusal> {
    let bundle: Bundle = published(&fleet.pinned, &fleet.id, envelope)?;
    let hash = Hash::of_bytes(&envelope.payload);
    if !fleet.groups().contains(&bundle.group) {
        return Err(FleetRefusal::OtherGroup(bundle.group));
    }
    let version = bundle.version;
    let ours = fleet.policy.get(&bundle.group);
    let ahead = require_step(ours.map_or(0, |ours| ours.version), version)?;
    if let Some(ours) = ours {
        let follows = ahead != 1 || bundle.previous == Some(ours.bundle);
        if version < ours.version {
            return Err(FleetRefusal::Older);
        }
        if version == ours.version && hash == ours.bundle {
            return Err(FleetRefusal::Known);
        }
        if version == ours.version || !follows {
            return Err(FleetRefusal::Fork { version, ours: ours.bundle, theirs: hash });
        }
    }
    if bundle.not_before > now.wall {
        return Err(FleetRefusal::NotYet);
    }
    Ok(AdmittedMessage::Bundle { bundle: Box::new(bundle), hash })
}

fn admit_stage(fleet: &FleetState, envelope: &SignedEnvelope) -> Result<RolloutStage, FleetRefusal> {
    let stage: RolloutStage = published(&fleet.pinned, &fleet.id, envelope)?;
    if !fleet.groups().contains(&stage.group) {
        return Err(FleetRefusal::OtherGroup(stage.group));
    }
    let policy = fleet.policy.get(&stage.group).ok_or(FleetRefusal::NoBundle)?;
    if stage.number <= policy.stage {
        return Err(if stage.number == policy.stage { FleetRefusal::Known } else { FleetRefusal::Older });
    }
    if stage.bundle != policy.bundle {
        return Err(FleetRefusal::NoBundle);
    }
    require_step(policy.stage, stage.number)?;
    Ok(stage)
}

fn job(fleet: &FleetState, envelope: &SignedEnvelope, now: Now) -> Result<AdmittedMessage, FleetRefusal> {
    let sealed = payload::<Sealed>(envelope, FleetMessageKind::Job, &fleet.id)?;
    let member = sender(fleet, envelope, &sealed.from)?;
    let job: Job = sealed.open_body(&fleet.key)?;
    let (role, what) = needed_for(&job.work);
    if !member.has_role(role) {
        return Err(FleetRefusal::Role(member.id.clone(), what));
    }
    let may = member.approver.as_ref().filter(|_| member.answers_for(fleet.groups()));
    if role == MemberRole::Approver && may.is_none() {
        return Err(FleetRefusal::Group(member.id.clone()));
    }
    // To let agents work again is the least careful of all approvals.
    let careful = may.is_some_and(|may| may.once_only || may.risk < crate::FleetRisk::Dangerous);
    if job.work == Work::Resume && careful {
        return Err(FleetRefusal::Role(member.id.clone(), what));
    }
    if job.roster != fleet.pinned.hash {
        return Err(FleetRefusal::OtherRoster);
    }
    if !fleet.is_fresh(now) {
        return Err(FleetRefusal::Stale);
    }
    if job.at > now.wall.saturating_add(SKEW) {
        return Err(FleetRefusal::Future);
    }
    let late = job.at < now.wall.saturating_sub(SKEW);
    if late || fleet.jobs.get(&member.id).is_some_and(|last| job.at <= *last) {
        return Err(FleetRefusal::Older);
    }
    Ok(AdmittedMessage::Job { id: sealed.id, member: member.id.clone(), job: Box::new(job) })
}

/// Returns the role that may ask for some work, and what it does in words.
fn needed_for(work: &Work) -> (MemberRole, &'static str) {
    match work {
        Work::Replay { .. } | Work::Policy => (MemberRole::Publisher, "ask a host about its policy"),
        Work::Block { .. } => (MemberRole::Approver, "block a host's agents"),
        Work::Resume => (MemberRole::Approver, "let a host's agents work again"),
        Work::Read { .. } => (MemberRole::Approver, "read what a host did"),
    }
}
