//! Questions of other Macs in this Mac's own inbox: its window and terminals show them, and the person's key signs the
//! answers. The person counts as present while somebody is at this Mac.

use super::approver::{AnswerReply, FleetApprover, News, closed_by};
use super::keep::Folder;
use super::seen::SeenHosts;
use super::sender_shares::SenderShares;
use super::waiting::{Elsewhere, NotShown, WaitingQuestions};
use super::{FleetError, PRESENT};
use async_nats::Message;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use postern_contract::{Answer, Answered, ClosedBy, ConfineChoice, Edited, NotApplied};
use postern_fleet::{FleetChoice, FleetId, FleetRights};
use postern_host::{AnswerElsewhere, DecidedElsewhere, GateClosed, Host, RightsElsewhere};
use std::collections::BTreeSet;
use std::pin::Pin;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::{Instant, interval};

/// Interval between two looks at the audit of all hosts.
const HEADS: Duration = Duration::from_hours(1);
const ANSWERS: usize = 16;
/// Questions of a host, and changes of them, that are shown in this time.
const SHOWN: u32 = 256;
const SHOWN_WITHIN: Duration = Duration::from_secs(10);
/// Words of a host's presence that are opened in this time.
const PRESENCE: u32 = 10;
const PRESENCE_WITHIN: Duration = Duration::from_secs(1);

/// A decision on its way: the question that it ended, and how.
type OnItsWay<'a> = Pin<Box<dyn Future<Output = Option<(Elsewhere, ClosedBy)>> + Send + 'a>>;

struct FleetInbox<'a> {
    host: &'a Host,
    approver: &'a FleetApprover,
    /// Last words of other hosts.
    seen: &'a SeenHosts,
    /// The host that this Mac is: its own questions are here already.
    own: Option<FleetId>,
    waiting: WaitingQuestions,
    /// Shares of hosts in what is shown: each change goes through this Mac's own gate.
    shown: SenderShares<FleetId>,
    /// True if something was passed over, and what waits is to be read again.
    passed_over: bool,
    /// Shares of hosts in the words of their presence that are opened, by their subjects.
    presence: SenderShares<String>,
    /// Hosts of which more waits than is shown, as the person was told.
    loud: BTreeSet<FleetId>,
    door: mpsc::Sender<DecidedElsewhere>,
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
    let mut inbox = FleetInbox {
        host,
        approver: &approver,
        seen,
        own,
        waiting: WaitingQuestions::default(),
        shown: SenderShares::new(SHOWN, SHOWN_WITHIN),
        passed_over: false,
        presence: SenderShares::new(PRESENCE, PRESENCE_WITHIN),
        loud: BTreeSet::new(),
        door,
    };
    inbox.run_until_lost(answers).await
}

impl FleetInbox<'_> {
    async fn run_until_lost(
        &mut self,
        mut decided: mpsc::Receiver<DecidedElsewhere>,
    ) -> Result<(), FleetError> {
        let approver = self.approver;
        let mut messages = approver.coming().await?;
        let (mut presence, mut rosters) = (approver.presence().await?, approver.stored_rosters().await?);
        self.show_waiting().await?;
        let mut told = self.host.subscribe_without_requests();
        let mut on_their_way: FuturesUnordered<OnItsWay<'_>> = FuturesUnordered::new();
        let mut looking = FuturesUnordered::new();
        let (mut present, mut heads, mut attended) = (interval(PRESENT), interval(HEADS), false);
        loop {
            let left =
                self.waiting.next_end().map(|ends| u64::try_from(ends - super::wall_clock()).unwrap_or(0));
            let next_end = Instant::now() + left.map_or(PRESENT, Duration::from_millis);
            tokio::select! {
                news = approver.next(&mut messages) => if let Some(news) = news? { self.hear_news(news).await? },
                Some(message) = presence.next() => self.hear_presence(&message),
                Some(_) = rosters.next() => approver.follow().await?,
                Some(decision) = decided.recv() => on_their_way.extend(self.carry(approver, decision)),
                Some(ended) = on_their_way.next() => {
                    if let Some((one, how)) = ended {
                        self.close_question(&one.host, one.question.id, how, None).await?;
                    }
                }
                _ = present.tick() => {
                    approver.follow().await?;
                    attended = self.say_present().await?;
                    if std::mem::take(&mut self.passed_over) {
                        self.show_waiting().await?;
                    }
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

    /// Sends what was decided here. What is about a question that waits no more is dropped, which says so.
    fn carry<'a>(&self, approver: &'a FleetApprover, decision: DecidedElsewhere) -> Option<OnItsWay<'a>> {
        let waiting = |id: &str| self.waiting.find_question(id).cloned();
        Some(match decision {
            DecidedElsewhere::Answer(answer) => {
                Box::pin(carry_answer(approver, waiting(&answer.params.question_id)?, answer))
            }
            DecidedElsewhere::Rights(rights) => {
                Box::pin(carry_rights(approver, waiting(&rights.question_id)?, rights))
            }
        })
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
                let how = closed_by(&outcome);
                let by = by.map(|by| postern_command::escape::visible_text(&by));
                self.close_question(&host, question, how, by).await
            }
        }
    }

    fn hear_presence(&mut self, message: &Message) {
        if self.presence.note_one(message.subject.to_string(), Instant::now().into_std()) {
            self.seen.take(self.approver, &message.payload);
        }
    }

    /// Shows what waits by now.
    async fn show_waiting(&mut self) -> Result<(), FleetError> {
        for one in self.approver.waiting().await? {
            self.show_question(one).await?;
        }
        Ok(())
    }

    async fn show_question(&mut self, one: Elsewhere) -> Result<(), FleetError> {
        if self.own.as_ref() == Some(&one.host) {
            return Ok(());
        }
        let (host, name, question) = (one.host.clone(), one.name.clone(), one.question.clone());
        let is_shown = self.shown.note_one(host.clone(), Instant::now().into_std());
        self.passed_over |= !is_shown;
        let opened = if is_shown { self.waiting.open_question(one) } else { Err(NotShown::TooMany) };
        match opened {
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
) -> Option<(Elsewhere, ClosedBy)> {
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
    let answered = not_applied(said).map_or_else(Answered::applied, |why| Answered::refused(&why));
    let applied = answered.applied;
    // Who waited for it may be gone.
    _ = reply.send(answered);
    applied.then_some((one, how))
}

/// Sends other rights for a run, and tells their approver what the other Mac says of them.
async fn carry_rights(
    approver: &FleetApprover,
    one: Elsewhere,
    rights: RightsElsewhere,
) -> Option<(Elsewhere, ClosedBy)> {
    let confine = FleetChoice::Confine(match rights.confine {
        ConfineChoice::Look => FleetRights::Look,
        ConfineChoice::Project => FleetRights::Project,
        ConfineChoice::AsAsked => FleetRights::AsAsked,
    });
    let said = if rights.digest == one.question.digest {
        approver.answer_shown(&one, &BTreeSet::new(), (confine, None, None)).await
    } else {
        Ok(AnswerReply::Refused("it shows something else by now: look again".to_owned()))
    };
    let edited = match not_applied(said) {
        None => Edited { applied: true, reason: None },
        Some(why) => Edited::refused(&why),
    };
    // Who waited for it may be gone.
    _ = rights.reply.send(edited);
    None
}

/// Returns why the other Mac did not apply something; `None` if it did.
fn not_applied(said: Result<AnswerReply, FleetError>) -> Option<NotApplied> {
    match said {
        Ok(AnswerReply::Applied(0)) => None,
        Ok(AnswerReply::Applied(more)) => Some(NotApplied::MorePeople(more)),
        Ok(AnswerReply::Closed { how, by, place }) => Some(NotApplied::AnsweredElsewhere { how, by, place }),
        Ok(AnswerReply::Refused(reason)) => Some(NotApplied::Failed(reason)),
        Ok(AnswerReply::Offline) => Some(NotApplied::Offline),
        Ok(AnswerReply::NotConfirmed) => Some(NotApplied::Unconfirmed),
        Err(error) => Some(NotApplied::Failed(error.to_string())),
    }
}
