//! Work that members ask of this host: it is done at once, and its result goes back to who asked.

use super::super::FleetError;
use super::FleetHostSession;
use async_nats::{Message, Subject};
use postern_contract::methods::{Nothing, Pause, PauseAll, Replay, ReplayPolicy, ResumeAll, RuleFile};
use postern_fleet::{AdmittedMessage, FleetId, Job, JobReport, Reported, Work, admit_message};
use postern_host::{ConnectedApproverKind, Host};

/// Requests that one page of a replay judges, the most pages, and the most changes that are reported.
const PAGE: u32 = 500;
const PAGES: u32 = 40;
const EXAMPLES: usize = 50;
/// Milliseconds in a day and in a minute.
const DAY: i64 = 24 * 3_600_000;
const MINUTE: u64 = 60_000;

/// A report on its way.
#[derive(Debug)]
pub(super) struct Reporting {
    pub(super) reply: Subject,
    pub(super) member: FleetId,
    pub(super) report: JobReport,
}

impl FleetHostSession {
    /// Takes a job that counts, and does it aside: a replay takes its time.
    pub(super) async fn take_job(&mut self, message: Message) -> Result<(), FleetError> {
        let Some(reply) = message.reply.clone() else { return Ok(()) };
        let now = self.current_time();
        match admit_message(&self.fleet, &message.payload, now) {
            Ok(admitted @ AdmittedMessage::Job { .. }) => {
                self.fleet.apply_admitted(&admitted, now);
                // Kept first: a job that a restart forgets could count twice.
                self.folder.keep_jobs(self.fleet.jobs())?;
                if let AdmittedMessage::Job { id, member, job } = admitted {
                    self.begin_job(reply, (id, member), *job);
                }
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(refusal) => {
                tracing::warn!(%refusal, "a job of the fleet does not count");
                self.host.note_stranger("fleet", "job", &refusal.to_string()).await;
                let Some((member, job)) = super::sender(&message.payload) else { return Ok(()) };
                let outcome = Reported::Refused(refusal.to_string());
                self.reply_sealed(reply, &member, &JobReport { job, outcome }).await
            }
        }
    }

    fn begin_job(&self, reply: Subject, (id, member): (FleetId, FleetId), job: Job) {
        let known = self.fleet.pinned.roster.member(&member);
        let name = known.map(|member| super::approver_name(&member.person, &member.name));
        let name = name.unwrap_or_else(|| "fleet".to_owned());
        let (host, done) = (self.host.clone(), self.reports.0.clone());
        let policy = Reported::Policy(self.policy.report(self.fleet.groups()));
        let rules = match &job.work {
            Work::Replay { rules, .. } => self.policy.rules_of(rules),
            _ => Ok(Vec::new()),
        };
        tokio::spawn(async move {
            let face = host.named_face(ConnectedApproverKind::Remote, &name);
            host.identify(&face, member.as_str());
            let done_or = |result: Result<_, postern_contract::methods::ControlError>| match result {
                Ok(_) => Reported::Done,
                Err(error) => Reported::Refused(error.message),
            };
            let outcome = match (job.work, rules) {
                (Work::Policy, _) => policy,
                (Work::Block { minutes }, _) => {
                    let for_ms = minutes.map(|minutes| u64::from(minutes) * MINUTE);
                    done_or(host.call_method::<PauseAll>(face.id(), &Pause { for_ms }).await)
                }
                (Work::Resume, _) => done_or(host.call_method::<ResumeAll>(face.id(), &Nothing {}).await),
                (Work::Replay { days, .. }, Ok(rules)) => {
                    replayed(&host, face.id(), RuleFile { version: 1, rules }, days)
                        .await
                        .unwrap_or_else(Reported::Refused)
                }
                (Work::Replay { .. }, Err(why)) => Reported::Refused(why),
            };
            // A session that ended reports nothing: who asked sees that there was no answer.
            _ = done.send(Reporting { reply, member, report: JobReport { job: id, outcome } }).await;
        });
    }
}

/// Judges the host's history by further rules.
async fn replayed(
    host: &Host,
    face: postern_host::ApproverId,
    rules: RuleFile,
    days: u16,
) -> Result<Reported, String> {
    let since = Some(super::super::wall_clock() - i64::from(days) * DAY);
    let mut call =
        Replay { rules: Some(rules), besides: true, since, limit: Some(PAGE), ..Replay::default() };
    let (mut judged, mut changed, mut examples) = (0, 0, Vec::new());
    for _ in 0..PAGES {
        let page = host.call_method::<ReplayPolicy>(face, &call).await.map_err(|error| error.message)?;
        judged += page.judged;
        changed += u32::try_from(page.changes.len()).unwrap_or(u32::MAX);
        let left = EXAMPLES.saturating_sub(examples.len());
        examples
            .extend(page.changes.iter().take(left).filter_map(|change| serde_json::to_value(change).ok()));
        call.before = page.next;
        if call.before.is_none() {
            break;
        }
    }
    Ok(Reported::Replayed { judged, changed, examples })
}
