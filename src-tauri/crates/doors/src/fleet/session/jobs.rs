//! Work that members ask of this host: it is done at once, and its result goes back to who asked.

use super::super::FleetError;
use super::super::work_turns::WorkTurn;
use super::FleetHostSession;
use super::refused::sender;
use super::work::HostWork;
use async_nats::{Message, Subject};
use postern_fleet::{
    AdmittedMessage, FleetId, FleetMessageKind, Job, JobReport, Reported, Work, admit_message, signing_member,
};
use postern_host::ConnectedApproverKind;
use serde_json::Map;

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
        // Of a flood the most is not even opened, and nobody is told.
        let signer = signing_member(&self.fleet, &message.payload, FleetMessageKind::Job);
        let is_signed = signer.is_some();
        if !self.turns.note_message(signer) {
            return Ok(());
        }
        let now = self.current_time();
        let refusal = match admit_message(&self.fleet, &message.payload, now) {
            Ok(admitted @ AdmittedMessage::Job { .. }) => {
                self.fleet.apply_admitted(&admitted, now);
                let AdmittedMessage::Job { id, member, job } = admitted else { return Ok(()) };
                match self.turns.begin_work(&member, &job.work) {
                    Ok(turn) => {
                        // Kept first: a job that a restart forgets could count twice.
                        self.folder.write_json("jobs.json", self.fleet.jobs())?;
                        self.begin_job(reply, (id, member), (*job, turn));
                        return Ok(());
                    }
                    Err(refusal) => refusal,
                }
            }
            Ok(_) => return Ok(()),
            Err(refusal) => refusal,
        };
        let sender = sender(&message.payload);
        let from = sender.as_ref().map(|(from, _)| from);
        self.note_refusal(("job", "job"), (from, is_signed), &refusal).await;
        let Some((member, job)) = sender else { return Ok(()) };
        let outcome = Reported::Refused(refusal.to_string());
        self.send_report(reply, &member, &JobReport { job, outcome }).await
    }

    pub(super) async fn send_report(
        &self,
        reply: Subject,
        member: &FleetId,
        report: &JobReport,
    ) -> Result<(), FleetError> {
        self.reply_sealed(reply, member, (super::super::new_id()?, report)).await
    }

    fn begin_job(
        &self,
        reply: Subject,
        (id, member): (FleetId, FleetId),
        (job, turn): (Job, Option<WorkTurn>),
    ) {
        let known = self.fleet.pinned.roster.member(&member);
        let name = known.map(|member| super::approver_name(&member.person, &member.name));
        let face = self.host.named_face(ConnectedApproverKind::Remote, name.as_deref().unwrap_or("fleet"));
        self.host.identify(&face, member.as_str());
        let (done, host, policy) = (self.reports.0.clone(), self.host.clone(), &self.policy);
        let states = policy.report(self.fleet.groups());
        let edit = match &job.work {
            Work::Replay { rules, settings, .. } => {
                policy.rules_of(rules).map(|rules| (rules, policy.settings_of(settings)))
            }
            _ => Ok((Vec::new(), Map::new())),
        };
        let working = HostWork { host, face, states, edit, readable: self.readable };
        tokio::spawn(async move {
            let work = working.perform(job.work);
            let outcome = match turn {
                Some(turn) => turn.take_turn(work).await,
                None => work.await,
            };
            // A session that ended reports nothing: who asked sees that there was no answer.
            _ = done.send(Reporting { reply, member, report: JobReport { job: id, outcome } }).await;
        });
    }
}
