//! Plan of a fleet that the window shows, and the device that joins: begun by a method, and not ended yet.

use super::proposals::SignaturesNeeded;
use super::steps::{FleetSetup, invite_device};
use super::unsigned::shown_needs;
use super::{FleetError, Folder, HostConsent, Invitation, InvitationCode, Joining};
use parking_lot::Mutex;
use postern_command::escape::visible_text;
use postern_contract::methods::{ControlCode, ControlError, FleetPairing, FleetPairingState};
use postern_fleet::Joined;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Plan and pairing of one host.
#[derive(Debug, Default)]
pub(crate) struct FleetDesk {
    plan: Mutex<Option<(String, FleetSetup)>>,
    pairing: Arc<Mutex<Option<DevicePairing>>>,
    /// Lock that allows a single invitation at a time: the end of each takes back every code.
    inviting: Arc<tokio::sync::Mutex<()>>,
    tasks: TaskTracker,
}

#[derive(Debug)]
struct DevicePairing {
    shown: FleetPairing,
    /// Receiver of the owner's word on the digits.
    answer: Option<oneshot::Sender<bool>>,
    /// Ends its task.
    stop: CancellationToken,
    /// Cancelled once it is no longer shown, also while its task refuses the device.
    gone: CancellationToken,
}

impl From<FleetError> for ControlError {
    fn from(error: FleetError) -> Self {
        Self::refused(visible_text(&error.to_string()))
    }
}

/// The pairing that one task works on. What comes after another one began changes nothing.
#[derive(Debug, Clone)]
struct Ticket {
    pairing: Arc<Mutex<Option<DevicePairing>>>,
    stop: CancellationToken,
    gone: CancellationToken,
}

impl Ticket {
    fn change(&self, how: impl FnOnce(&mut DevicePairing)) {
        let mut now = self.pairing.lock();
        if let Some(pairing) = now.as_mut().filter(|_| !self.gone.is_cancelled()) {
            how(pairing);
        }
    }

    fn compare(&self, joined: &Joined) {
        self.change(|pairing| {
            pairing.shown.digits = Some(joined.digits.clone());
            pairing.shown.state = FleetPairingState::Comparing;
        });
    }

    fn finish(&self, done: Result<bool, ControlError>) {
        self.change(|pairing| {
            (pairing.shown.code, pairing.shown.needs, pairing.answer) = (None, None, None);
            pairing.shown.state = match done {
                Ok(true) => FleetPairingState::Joined,
                Ok(false) => FleetPairingState::Failed,
                Err(error) => {
                    pairing.shown.problem = Some(error.message);
                    FleetPairingState::Failed
                }
            };
        });
    }
}

impl FleetDesk {
    pub(crate) fn keep_plan(&self, id: String, setup: FleetSetup) {
        *self.plan.lock() = Some((id, setup));
    }

    pub(crate) fn take_plan(&self, id: &str) -> Result<FleetSetup, ControlError> {
        let kept = self.plan.lock().take_if(|(kept, _)| kept == id);
        kept.map(|(_, setup)| setup)
            .ok_or_else(|| ControlError::not_found("this plan was not shown last: make another one"))
    }

    /// Returns the device that joins.
    pub(crate) fn pairing(&self) -> Option<FleetPairing> {
        self.pairing.lock().as_ref().map(|pairing| pairing.shown.clone())
    }

    fn begin_pairing(
        &self,
        name: Option<String>,
        (asks, answers): (bool, bool),
    ) -> Result<Ticket, ControlError> {
        use FleetPairingState::{Failed, Joined, Waiting};
        let mut now = self.pairing.lock();
        if now.as_ref().is_some_and(|one| !matches!(one.shown.state, Joined | Failed)) {
            return Err(ControlError::new(ControlCode::Conflict, "a Mac is joining already: end that first"));
        }
        let (stop, gone) = (CancellationToken::new(), CancellationToken::new());
        let (code, digits, needs, problem) = (None, None, None, None);
        let shown = FleetPairing { name, state: Waiting, code, digits, asks, answers, needs, problem };
        *now = Some(DevicePairing { shown, answer: None, stop: stop.clone(), gone: gone.clone() });
        Ok(Ticket { pairing: Arc::clone(&self.pairing), stop, gone })
    }

    /// Makes a code, and goes on with who comes with it.
    pub(crate) async fn invite_device(
        &self,
        folder: Folder,
        invitation: Invitation,
    ) -> Result<(), ControlError> {
        let ticket = self.begin_pairing(Some(visible_text(&invitation.name)), (false, false))?;
        let (shown, code) = oneshot::channel();
        let (coded, met, signed, ended) = (ticket.clone(), ticket.clone(), ticket.clone(), ticket.clone());
        let show_code = move |code: String| {
            coded.change(|pairing| pairing.shown.code = Some(code));
            shown.send(()).is_ok()
        };
        let compare = move |joined: Joined| async move {
            let (answer, answered) = oneshot::channel();
            met.compare(&joined);
            met.change(|pairing| {
                pairing.shown.asks = joined.members.iter().any(|member| member.host);
                pairing.shown.answers = joined.members.iter().any(|member| !member.host);
                pairing.answer = Some(answer);
            });
            answered.await.unwrap_or(false)
        };
        let tell = move |needed: &SignaturesNeeded| {
            signed.change(|pairing| pairing.shown.needs = Some(shown_needs(needed)));
        };
        let inviting = Arc::clone(&self.inviting);
        self.tasks.spawn(async move {
            let _turn = inviting.lock().await;
            let invited = invite_device(&folder, &invitation, &ticket.stop, (show_code, compare, tell));
            let done = Box::pin(invited).await;
            ended.finish(done.map_err(ControlError::from));
        });
        // Without a code the task has ended, and said why.
        match code.await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.give_up()),
        }
    }

    /// Meets the owner that invited, and goes on once the digits are the same there. `open` opens the door.
    pub(crate) async fn meet_owner<O>(
        &self,
        (folder, code): (Folder, InvitationCode),
        (credentials, hosts): (Option<String>, Vec<bool>),
        consent: HostConsent,
        open: O,
    ) -> Result<(), ControlError>
    where
        O: Future<Output = Result<(), ControlError>> + Send + 'static,
    {
        folder.require_joinable(&code)?;
        let ticket = self.begin_pairing(None, (hosts.contains(&true), hosts.contains(&false)))?;
        let meeting = Box::pin(Joining::meet_owner(code, credentials, &hosts));
        let met = ticket.stop.run_until_cancelled(meeting).await;
        let joining = match met {
            Some(Ok(joining)) => joining,
            Some(Err(error)) => {
                self.end_pairing();
                return Err(error.into());
            }
            None => return Ok(()),
        };
        ticket.compare(&joining.joined);
        self.tasks.spawn(async move {
            let work = async {
                joining.welcomed(&folder, consent).await?;
                open.await.map(|()| true)
            };
            if let Some(done) = ticket.stop.run_until_cancelled(work).await {
                ticket.finish(done);
            }
        });
        Ok(())
    }

    pub(crate) fn accept_device(&self, digits: &str) -> Result<(), ControlError> {
        let mut now = self.pairing.lock();
        let pairing = now.as_mut().filter(|one| one.shown.digits.as_deref() == Some(digits));
        let answer = pairing.and_then(|one| {
            let answer = one.answer.take()?;
            one.shown.state = FleetPairingState::Accepted;
            Some(answer)
        });
        let gone = || ControlError::not_found("no Mac with these digits waits: invite it again");
        answer.and_then(|answer| answer.send(true).ok()).ok_or_else(gone)
    }

    pub(crate) fn end_pairing(&self) {
        // Who was accepted is in the roster: it is told so to the end.
        let ends = |one: &mut DevicePairing| one.shown.state != FleetPairingState::Accepted;
        let mut now = self.pairing.lock();
        let Some(DevicePairing { answer, stop, gone, .. }) = now.take_if(ends) else { return };
        gone.cancel();
        match answer {
            // The device learns that it is refused; the code ends with it.
            Some(answer) => drop(answer.send(false)),
            None => stop.cancel(),
        }
    }

    /// Forgets a pairing that failed before anything of it was shown, and returns why.
    fn give_up(&self) -> ControlError {
        let ended = self.pairing.lock().take();
        let why = ended.and_then(|pairing| pairing.shown.problem);
        ControlError::refused(why.unwrap_or_else(|| "it was ended before a code was made".to_owned()))
    }

    /// Ends everything, because the host ends.
    pub(crate) async fn close_desk(&self) {
        if let Some(pairing) = self.pairing.lock().as_mut() {
            // There is no time to tell the device: its code ends all the same.
            pairing.answer = None;
        }
        self.end_pairing();
        self.tasks.close();
        self.tasks.wait().await;
    }
}
