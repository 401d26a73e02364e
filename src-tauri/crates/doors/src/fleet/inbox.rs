//! Questions of other Macs in this Mac's own inbox: its window and terminals show them, and the person's key signs the
//! answers. The person counts as present while somebody is at this Mac.

use super::approver::{AnswerReply, FleetApprover, News};
use super::keep::Folder;
use super::seen::SeenHosts;
use super::waiting::{Elsewhere, NotShown, WaitingQuestions};
use super::{FleetError, PRESENT};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use postern_contract::{Answer, Answered, ClosedBy, NotApplied};
use postern_fleet::{FleetChoice, FleetId};
use postern_host::{AnswerElsewhere, GateClosed, Host};
use std::collections::BTreeSet;
use std::pin::Pin;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::{Instant, interval};

/// Interval between two looks at the audit of all hosts.
const HEADS: Duration = Duration::from_hours(1);
/// Answers that may be on their way.
const ANSWERS: usize = 16;

/// An answer on its way: its question, and what the other Mac says of it.
type OnItsWay<'a> = Pin<Box<dyn Future<Output = (Elsewhere, ClosedBy, Answered)> + Send + 'a>>;

/// The inbox while it is connected.
struct FleetInbox<'a> {
    host: &'a Host,
    approver: &'a FleetApprover,
    /// Last words of other hosts.
    seen: &'a SeenHosts,
    /// The host that this Mac is: its own questions are here already.
    own: Option<FleetId>,
    waiting: WaitingQuestions,
    /// Hosts of which more waits than is shown, as the person was told.
    loud: BTreeSet<FleetId>,
    door: mpsc::Sender<AnswerElsewhere>,
}

fn host_ended(_: GateClosed) -> FleetError {
    FleetError::Refused("the host ends".to_owned())
}

/// Shows what waits on other Macs until the connection is lost.
pub(super) async fn serve(
    (host, seen): (&Host, &SeenHosts),
    folder: &Folder,
    connected: impl FnOnce(),
) -> Result<(), FleetError> {
    let approver = FleetApprover::connect(folder).await?;
    let own = folder.membership()?.own_member_id(true).cloned();
    let (door, answers) = mpsc::channel(ANSWERS);
    // What a crash left on show.
    host.gate().clear_elsewhere().await.map_err(host_ended)?;
    connected();
    let (waiting, loud) = (WaitingQuestions::default(), BTreeSet::new());
    FleetInbox { host, approver: &approver, seen, own, waiting, loud, door }.run_until_lost(answers).await
}

impl FleetInbox<'_> {
    async fn run_until_lost(
        &mut self,
        mut answers: mpsc::Receiver<AnswerElsewhere>,
    ) -> Result<(), FleetError> {
        let approver = self.approver;
        let mut messages = approver.coming().await?;
        let mut presence = approver.presence().await?;
        for one in approver.waiting().await? {
            self.show_question(one).await?;
        }
        let mut told = self.host.subscribe();
        let mut on_their_way: FuturesUnordered<OnItsWay<'_>> = FuturesUnordered::new();
        let mut looking = FuturesUnordered::new();
        let (mut present, mut heads, mut attended) = (interval(PRESENT), interval(HEADS), false);
        loop {
            let left =
                self.waiting.next_end().map(|ends| u64::try_from(ends - super::wall_clock()).unwrap_or(0));
            let next_end = Instant::now() + left.map_or(PRESENT, Duration::from_millis);
            tokio::select! {
                news = approver.next(&mut messages) => if let Some(news) = news? { self.hear_news(news).await? },
                Some(message) = presence.next() => self.seen.take(approver, &message.payload),
                Some(answer) = answers.recv() => {
                    if let Some(one) = self.waiting.find_question(&answer.params.question_id) {
                        on_their_way.push(Box::pin(carry_answer(approver, one.clone(), answer)));
                    }
                },
                Some((one, how, answered)) = on_their_way.next() => {
                    if answered.applied {
                        self.close_question(&one.host, one.question.id, how, None).await?;
                    }
                }
                _ = present.tick() => {
                    approver.follow().await?;
                    attended = self.say_present().await?;
                }
                _ = heads.tick() => looking.push(look_at_audit(self.host, approver)),
                Some(()) = looking.next() => {}
                // Somebody came to this Mac, or went.
                news = told.recv() => match news {
                    Ok(postern_contract::ApproverNotification::StatusChanged(_)) if !attended => attended = self.say_present().await?,
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return Err(host_ended(GateClosed)),
                },
                () = tokio::time::sleep_until(next_end) => self.close_expired().await?,
            }
        }
    }

    /// Says that the person is there, if somebody is.
    async fn say_present(&self) -> Result<bool, FleetError> {
        let attended = self.host.gate().is_attended().await.map_err(host_ended)?;
        if attended {
            self.approver.present().await?;
        }
        Ok(attended)
    }

    async fn hear_news(&mut self, news: News) -> Result<(), FleetError> {
        match news {
            News::Waits(one) => self.show_question(*one).await,
            News::Closed { host, question, outcome, by, .. } => {
                let how = serde_json::from_value(outcome.into()).unwrap_or(ClosedBy::Resolved);
                let by = by.map(|by| postern_command::escape::visible_text(&by));
                self.close_question(&host, question, how, by).await
            }
        }
    }

    async fn show_question(&mut self, one: Elsewhere) -> Result<(), FleetError> {
        if self.own.as_ref() == Some(&one.host) {
            return Ok(());
        }
        let (host, name, question) = (one.host.clone(), one.name.clone(), one.question.clone());
        match self.waiting.open_question(one) {
            Ok(()) => {}
            Err(NotShown::OtherHost) => return Ok(()),
            Err(NotShown::TooMany) => {
                if self.loud.insert(host) {
                    let name = postern_command::escape::visible_text(&name);
                    self.host.call_attention(format!("{name} asks more than is shown here: look there"));
                }
                return Ok(());
            }
        }
        self.host.gate().show_elsewhere(question, self.door.clone()).await.map_err(host_ended)
    }

    /// Ends a question of a host, which ends no other's.
    async fn close_question(
        &mut self,
        host: &FleetId,
        id: String,
        how: ClosedBy,
        by: Option<String>,
    ) -> Result<(), FleetError> {
        if !self.waiting.close_question(host, &id) {
            return Ok(());
        }
        self.host.gate().close_elsewhere(id, how, by).await.map_err(host_ended)
    }

    /// Takes away what nobody closed in time: its host may be gone.
    async fn close_expired(&mut self) -> Result<(), FleetError> {
        for one in self.waiting.take_expired(super::wall_clock()) {
            let closed = self.host.gate().close_elsewhere(one.question.id, ClosedBy::Expired, None).await;
            closed.map_err(host_ended)?;
        }
        Ok(())
    }
}

/// Keeps the last head of each host's audit, and says what is wrong with one.
async fn look_at_audit(host: &Host, approver: &FleetApprover) {
    match approver.verify_audit(None).await {
        Ok(all) => {
            for one in all.iter().filter(|one| !one.problems().is_empty()) {
                let name = postern_command::escape::visible_text(&one.name);
                host.call_attention(format!(
                    "the audit of {name} at the fleet’s broker is not whole: postern fleet audit verify"
                ));
            }
        }
        Err(error) => tracing::warn!(%error, "the audit of the fleet could not be compared"),
    }
}

/// Sends an answer, and tells its approver what the other Mac says of it.
async fn carry_answer(
    approver: &FleetApprover,
    one: Elsewhere,
    answer: AnswerElsewhere,
) -> (Elsewhere, ClosedBy, Answered) {
    let AnswerElsewhere { params, shows, reply } = answer;
    let (choice, how) = match params.answer {
        Answer::Once => (FleetChoice::Once, ClosedBy::Allowed),
        Answer::Always => (FleetChoice::Always, ClosedBy::Allowed),
        Answer::Deny | Answer::DenyAlways | Answer::DenyAll => (FleetChoice::Deny, ClosedBy::Denied),
    };
    let said = if params.digest == one.question.digest {
        approver.answer_shown(&one, &shows, (choice, params.proposal, params.feedback)).await
    } else {
        Ok(AnswerReply::Refused("it shows something else by now: look again".to_owned()))
    };
    let answered = match said {
        Ok(AnswerReply::Applied(0)) => Answered::applied(),
        Ok(AnswerReply::Applied(more)) => Answered::refused(&NotApplied::MorePeople(more)),
        Ok(AnswerReply::Closed(by, place)) => Answered::refused(&NotApplied::AnsweredElsewhere { by, place }),
        Ok(AnswerReply::Refused(reason)) => Answered::refused(&NotApplied::Failed(reason)),
        Ok(AnswerReply::Offline) => Answered::refused(&NotApplied::Offline),
        Ok(AnswerReply::NotConfirmed) => Answered::refused(&NotApplied::Unconfirmed),
        Err(error) => Answered::refused(&NotApplied::Failed(error.to_string())),
    };
    // Who waited for it may be gone.
    _ = reply.send(answered.clone());
    (one, how, answered)
}
