//! `status`, `pause`, `resume`.

use super::{Handle, HostControl, MethodResult, blocking};
use crate::ask::ApproverId;
use crate::book::Managed;
use crate::clock::{Jump, detect_jump, lasting, shown_end};
use crate::clock_mark::ClockCarry;
use crate::gate::{PauseProblem, Unwritten};
use crate::publish::{Stirred, seldom};
use postern_contract::methods::{ControlError, GetStatus, Nothing, Pause, PauseAll, ResumeAll};
use postern_contract::{
    ApproverNotification, Concern, ConcernKind, Mode, Status, StoppedAgent, THIS_COMPUTER,
};
use postern_exec::confine::Confines;
use postern_exec::threads::refused_since;
use postern_policy::Millis;
use postern_request::ActivePause;
use postern_store::agents::Agent;
use postern_store::{DoubtCause, RecordDoubt};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio_util::sync::CancellationToken;

/// The longest pause that ends by itself, in milliseconds: a week.
const LONGEST_PAUSE: u64 = 7 * 24 * 3_600_000;

impl HostControl {
    pub(crate) async fn status(&self) -> Result<Status, ControlError> {
        let parts = &self.parts;
        let counts = parts.gate.counts().await?;
        let snapshot = parts.book.snapshot();
        let mut attention = snapshot.attention.clone();
        let in_place = parts.book.store().is_in_place();
        if !in_place {
            parts.book.store().raise_doubt(DoubtCause::Displaced);
        }
        let world = Arc::clone(&parts.world);
        let confines = blocking(move || Confines::clone(&world.confines)).await?;
        let doubt = parts.book.store().watch_doubt().borrow().clone();
        if let Some(doubt) = &doubt {
            let message = doubtful(doubt, in_place);
            attention.insert(0, Concern::new(ConcernKind::Records, message).with_since(doubt.since));
        }
        attention.extend(counts.unwritten.as_ref().map(unwritten));
        attention.extend(counts.unshown.map(unshown));
        attention.extend(parts.channels.failed_channels().into_iter().map(|(agent, (since, why))| {
            let message = format!("the channel of {agent} is closed: {why}");
            Concern::new(ConcernKind::Channel, message).with_since(since)
        }));
        attention.extend(no_thread());
        attention.extend(parts.book.skills_late().map(late_skills));
        attention.extend(detect_jump().map(set_clock));
        attention.extend(parts.clock_carry.map(|carry| carried_clock(carry, parts.started_at)));
        attention.extend(self.audit_problem().map(|problem| Concern::new(ConcernKind::Audit, problem)));
        attention.extend(parts.doors.unsigned_changes());
        let mode = match (doubt.is_some(), counts.paused) {
            (true, _) => Mode::DenyAll,
            (false, true) => Mode::Paused,
            (false, false) => Mode::Listening,
        };
        Ok(Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            data: parts.book.places().data.to_string_lossy().into_owned(),
            mode,
            paused_until: counts.paused_until.map(shown_end),
            waiting: counts.waiting,
            running: counts.running,
            faces: parts.faces.connected_names(),
            attention,
            managed: snapshot.managed.as_ref().ok().and_then(Managed::summary),
            stopped: snapshot.agents.values().filter_map(|entry| stopped(&entry.agent)).collect(),
            cannot_confine: confines.look.err(),
            cannot_confine_project: confines.project.err(),
            lines_to_shell: postern_exec::run::lines_to_shell(),
            started_at: parts.started_at,
        })
    }

    /// Tells of the status and of the agents that are connected, whenever they changed.
    pub(crate) fn tell_seldom(&self, stirred: Stirred, closed: &CancellationToken) {
        let Stirred { status, agents } = stirred;
        let control = self.clone();
        tokio::spawn(seldom(status, closed.clone(), async move || {
            // Nobody watches: nobody asks for it.
            !control.parts.told.is_watched() || control.status_changed().await.is_ok()
        }));
        let control = self.clone();
        tokio::spawn(seldom(agents, closed.clone(), async move || {
            control.notify_approvers(ApproverNotification::AgentsChanged);
            true
        }));
    }

    pub(crate) async fn status_changed(&self) -> Result<Status, ControlError> {
        let status = self.status().await?;
        self.notify_approvers(ApproverNotification::StatusChanged(Box::new(status.clone())));
        Ok(status)
    }
}

fn stopped(agent: &Agent) -> Option<StoppedAgent> {
    let until = agent.denied_until.filter(|until| *until > lasting())?;
    Some(StoppedAgent { agent: agent.id.clone(), until: shown_end(until) })
}

impl Handle<GetStatus> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<GetStatus> {
        self.status().await
    }
}

impl Handle<PauseAll> for HostControl {
    async fn handle(&self, face: ApproverId, params: Pause) -> MethodResult<PauseAll> {
        let pause = ActivePause { until: params.for_ms.map(pause_end).transpose()? };
        let kept = self.parts.gate.pause_all(pause, face.kind).await?;
        kept.map_err(|error| not_kept("blocked", &error))?;
        self.status_changed().await
    }
}

impl Handle<ResumeAll> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<ResumeAll> {
        if !self.parts.book.store().is_in_place() {
            let message = "the record is no longer where it was opened. Restart Postern, check its agents and rules, then unblock them";
            return Err(ControlError::store(message));
        }
        let resumed = self.parts.gate.resume().await?;
        resumed.map_err(|problem| not_kept("unblocked", &problem))?;
        self.status_changed().await
    }
}

/// Returns the reason of the doubt, in words. While the record is not in its place, that is the reason.
fn doubtful(doubt: &RecordDoubt, in_place: bool) -> String {
    if !in_place {
        return "the record is no longer where it was opened: another file is there, or none. Everything is denied until you \
                restart Postern and unblock all agents"
            .to_owned();
    }
    let what = match &doubt.cause {
        DoubtCause::Damaged { what, aside: None } => format!("the record is damaged ({what})"),
        DoubtCause::Damaged { aside: Some(aside), .. } => {
            format!("the record was damaged, and is set aside as {}: this one is empty", aside.display())
        }
        DoubtCause::Gone => "the record is gone or empty, and with it every agent and every rule".to_owned(),
        DoubtCause::Older => {
            "the record is older than its audit: a copy was put in its place, or its log was removed"
                .to_owned()
        }
        DoubtCause::Restored { made, changes, aside } => restored(*made, *changes, aside.as_deref()),
        DoubtCause::Displaced => "the record was exchanged or removed while Postern ran".to_owned(),
    };
    format!("{what}. Everything is denied until you unblock all agents")
}

/// Returns the remark that the record is a copy, in words.
fn restored(made: Millis, changes: Option<i64>, aside: Option<&Path>) -> String {
    let made = jiff::Timestamp::from_millisecond(made).map_or_else(
        |_| "an unknown time".to_owned(),
        |made| made.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
    );
    let lacks = match changes {
        Some(0) => "it has every change to agents and rules".to_owned(),
        Some(1) => "it lacks the last change to agents, rules or settings".to_owned(),
        Some(many) => format!("it lacks the last {many} changes to agents, rules and settings"),
        None => "whether it lacks later changes to agents and rules is not known".to_owned(),
    };
    let aside = aside.map(|aside| format!(". The lost record is kept as {}", aside.display()));
    format!(
        "the record was restored from the copy of {made}; {lacks}. Its history is lost{}",
        aside.unwrap_or_default()
    )
}

fn unwritten(owed: &Unwritten) -> Concern {
    let many = |count: u32, one: &str, more: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {more}")),
    };
    let what = [
        many(owed.endings, "ending", "endings"),
        many(owed.others, "other entry of the record", "other entries of the record"),
    ];
    let what: Vec<String> = what.into_iter().flatten().collect();
    let waits = if owed.endings + owed.others == 1 { "waits" } else { "wait" };
    let message = format!("{} {waits} to be written, and nothing new runs: {}", what.join(" and "), owed.why);
    Concern::new(ConcernKind::Unwritten, message).with_since(owed.since)
}

/// Returns the concern that a window could not show a question.
fn unshown(since: Millis) -> Concern {
    let message = "the window could not show a question: one that nobody answers elsewhere is denied";
    Concern::new(ConcernKind::Window, message).with_since(since)
}

/// Returns the concern that a folder of skills does not answer.
fn late_skills(since: Millis) -> Concern {
    let message = "a folder of skills, or one of an agent that uses them, does not answer: the skills that are known stay as they \
                   are, and no change there is noticed";
    Concern::new(ConcernKind::Skills, message).with_since(since)
}

/// Returns the concern that the system gives no further thread, if that is so.
fn no_thread() -> Option<Concern> {
    let since = refused_since()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let message = "the system gives Postern no further thread or process: what agents ask for is denied or fails, and runs \
                   that go on are not touched";
    let concern = Concern::new(ConcernKind::Threads, message);
    Some(match Millis::try_from(since.as_millis()) {
        Ok(since) => concern.with_since(since),
        Err(_) => concern,
    })
}

fn set_clock(jump: Jump) -> Concern {
    let message = format!(
        "{THIS_COMPUTER}'s clock was put {} while Postern runs. Pauses, stops and rules with a time limit end as if it had \
         not been",
        how_far(jump.ahead)
    );
    Concern::new(ConcernKind::Clock, message).with_since(jump.at)
}

/// Returns the concern that the wall clock was set before the start.
fn carried_clock(carry: ClockCarry, started_at: Millis) -> Concern {
    let ClockCarry { change, ends } = carry;
    let least = if change.exact { "" } else { " or more" };
    let allowed = match (change.exact, change.ahead > 0, ends.over) {
        (false, _, 0) => String::new(),
        (false, _, 1) => "; 1 rule that allowed for a limited time has ended".to_owned(),
        (false, _, many) => format!("; {many} rules that allowed for a limited time have ended"),
        (true, true, _) => "; rules that allow for a limited time end by the new clock".to_owned(),
        (true, false, _) => "; so have rules that allow for a limited time".to_owned(),
    };
    let message = format!(
        "{THIS_COMPUTER}'s clock was put {}{least} while Postern did not run. Pauses, stops and rules that deny for a limited \
         time have the time left that they had{allowed}",
        how_far(change.ahead)
    );
    Concern::new(ConcernKind::Clock, message).with_since(started_at)
}

/// Returns the way and the distance by which a clock was put, in words.
fn how_far(ahead: Millis) -> String {
    let way = if ahead > 0 { "ahead" } else { "back" };
    // To the second: the two clocks are read one after the other.
    let far = Duration::from_secs((ahead.unsigned_abs() + 500) / 1_000);
    format!("{way} by {}", humantime::format_duration(far))
}

/// Describes what holds instead of a pause or its end.
fn not_kept(what: &str, problem: &PauseProblem) -> ControlError {
    let message = match problem {
        PauseProblem::NotWritten(error) => format!(
            "all agents are {what}, but that is not written down yet ({error}): Postern tries again until it is, and a \
             restart before that forgets it"
        ),
        PauseProblem::InDoubt(error) => format!(
            "all requests are still denied: the mark that the record is in doubt can’t be removed ({error}). Remove it, \
             and unblock all agents again"
        ),
    };
    ControlError::store(message)
}

fn pause_end(for_ms: u64) -> Result<Millis, ControlError> {
    let refused =
        || ControlError::invalid("a pause lasts at most 7 days; without a time it lasts until you resume");
    if for_ms == 0 || for_ms > LONGEST_PAUSE {
        return Err(refused());
    }
    Ok(lasting() + Millis::try_from(for_ms).map_err(|_| refused())?)
}
