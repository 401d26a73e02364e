//! A forwarded command: its request, its events, its streams and signals, over one connection or several.

mod catch_up;
mod come_back;

use crate::ending::{ProgramEnding, TROUBLE};
use crate::input::InputForwarder;
use crate::output::{Outputs, descriptor, print_lines};
use crate::signals::ForwardedSignals;
use crate::waiting::{self, BEHIND, JOINED, OpenRunQuestion};
use postern_client::{Channel, ChannelMessage, ConnectionLoss};
use postern_protocol::{
    Accepted, AgentCall, CallId, Decision, DenyReason, ErrorCode, KillParams, KillResult, Notice,
    NoticeEvent, OutputStream, Response, RunParams, RunResult, RunState, Signal,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// Signals that end a program.
const ENDING: [i32; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];
/// Time that a host has, after such a signal, to report the end of the command, or that it goes on.
const PATIENCE: Duration = Duration::from_secs(3);

/// Settings for this program's own behavior.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaitTerms {
    /// Time that it waits for the end; `None` is without a limit.
    pub(crate) wait: Option<Duration>,
    /// True if it prints nothing while it waits.
    pub(crate) quiet: bool,
}

/// A command on its way.
#[derive(Debug)]
pub(crate) struct ForwardedRun {
    channel: Channel,
    request: RunParams,
    signals: ForwardedSignals,
    outputs: Outputs,
    input: InputForwarder,
    /// The call that asked for the run, and the one that carries input.
    run_id: Option<CallId>,
    input_id: Option<CallId>,
    terms: WaitTerms,
    /// Time at which it stops waiting.
    deadline: Option<Instant>,
    state: RunState,
    /// The question that was told of last.
    question: Option<OpenRunQuestion>,
    told_edited: bool,
    passed_on: Option<Signal>,
    /// The call that carries it, and when this program ends by it whatever the host says.
    kill_id: Option<CallId>,
    ends_at: Option<Instant>,
    /// Set when it is over; output may still be on its way to its reader.
    ending: Option<ProgramEnding>,
}

/// Readiness as the system reports it; false for all that was not waited for.
struct Ready {
    signals: PollFlags,
    output: PollFlags,
    input: PollFlags,
    socket: PollFlags,
}

impl ForwardedRun {
    /// Takes the request and everything that it is carried out with.
    pub(crate) fn new(
        channel: Channel,
        request: RunParams,
        signals: ForwardedSignals,
        input: InputForwarder,
        terms: WaitTerms,
    ) -> Self {
        Self {
            channel,
            request,
            signals,
            outputs: Outputs::default(),
            input,
            run_id: None,
            input_id: None,
            terms,
            deadline: terms.wait.and_then(|wait| Instant::now().checked_add(wait)),
            state: RunState::Received,
            question: None,
            told_edited: false,
            passed_on: None,
            kill_id: None,
            ends_at: None,
            ending: None,
        }
    }

    /// Asks for the run and sees it through.
    pub(crate) fn see_through(mut self) -> ProgramEnding {
        let mut lost = self.send_request().err();
        loop {
            if let Some(gone) = lost.take()
                && let Err(ending) = self.come_back(&gone)
            {
                return ending;
            }
            match self.advance() {
                Ok(Some(ending)) => return ending,
                Ok(None) => {}
                Err(gone) => lost = Some(gone),
            }
        }
    }

    /// Sends the request; the same one again is the same request.
    fn send_request(&mut self) -> Result<(), ConnectionLoss> {
        self.channel.set_nonblocking(true)?;
        self.run_id = Some(self.channel.send(&AgentCall::Run(Box::new(self.request.clone())))?);
        if let Some(piece) = self.input.under_way() {
            self.input_id = Some(self.channel.send(&AgentCall::Input(piece.clone()))?);
        }
        Ok(())
    }

    /// Takes what came, waits for what comes next, and does that.
    fn advance(&mut self) -> Result<Option<ProgramEnding>, ConnectionLoss> {
        while self.outputs.waiting().is_none() && self.ending.is_none() {
            let Some(message) = self.channel.next_message()? else { break };
            self.on_message(message)?;
        }
        if self.outputs.waiting().is_none()
            && let Some(ending) = self.ending.take()
        {
            return Ok(Some(ending));
        }
        if self.outputs.waiting().is_none() && self.deadline.is_some_and(|at| at <= Instant::now()) {
            self.channel.close_and_wait();
            return Ok(Some(waiting::detached_ending(self.state, self.question.as_ref())));
        }
        let ready = self.wait_until_ready()?;
        if self.ends_at.is_some_and(|at| at <= Instant::now()) {
            return Ok(Some(self.ending_by_signal()));
        }
        self.go_on(&ready).map(|()| None)
    }

    /// Returns the end by a signal that the host was told of, where it says nothing of how the command ended.
    fn ending_by_signal(&self) -> ProgramEnding {
        let ending = self.passed_on.map_or_else(|| ProgramEnding::from_code(TROUBLE), ProgramEnding::signal);
        let says = "Postern has not said how the command ended, so this program does not wait for it";
        ProgramEnding { says: vec![says.to_owned()], ..ending }
    }

    /// Does what can be done now.
    fn go_on(&mut self, ready: &Ready) -> Result<(), ConnectionLoss> {
        if !ready.signals.is_empty() {
            self.pass_signals_on()?;
        }
        if !ready.output.is_empty() && !self.outputs.write_waiting() {
            self.send_kill(broken_pipe())?;
        }
        if ready.socket.contains(PollFlags::OUT) {
            self.channel.flush()?;
        }
        if ready.socket.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            self.channel.receive_available()?;
        }
        if !ready.input.is_empty()
            && let Some(piece) = self.input.read_piece()
        {
            self.input_id = Some(self.channel.send(&AgentCall::Input(piece))?);
        }
        Ok(())
    }

    /// Waits until something can be gone on with. While output waits for its reader nothing more is taken from the
    /// host: that is what makes a command wait for a slow reader.
    fn wait_until_ready(&self) -> Result<Ready, ConnectionLoss> {
        let writing = self.outputs.waiting();
        let output = descriptor(writing.unwrap_or(OutputStream::Stdout));
        let stdin = rustix::stdio::stdin();
        let mut socket = PollFlags::empty();
        socket.set(PollFlags::IN, writing.is_none());
        socket.set(PollFlags::OUT, self.channel.wants_write());
        let all = [
            Some(PollFd::new(&self.signals, PollFlags::IN)),
            writing.map(|_| PollFd::new(&output, PollFlags::OUT)),
            (self.is_started() && self.input.wants_read()).then(|| PollFd::new(&stdin, PollFlags::IN)),
            (!socket.is_empty()).then(|| PollFd::new(&self.channel, socket)),
        ];
        let mut asked: Vec<PollFd<'_>> = all.iter().flatten().cloned().collect();
        // A time that no clock has is as good as none.
        let until = self.deadline.into_iter().chain(self.ends_at).min();
        let left = until.map(|at| at.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut asked, left.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(ConnectionLoss::Broken(error.into())),
        }
        let mut found = asked.iter().map(PollFd::revents);
        let [signals, output, input, socket] =
            all.map(|asked| asked.and_then(|_| found.next()).unwrap_or(PollFlags::empty()));
        Ok(Ready { signals, output, input, socket })
    }

    fn on_message(&mut self, message: ChannelMessage) -> Result<(), ConnectionLoss> {
        match message {
            ChannelMessage::Event(notice) if notice.request_id == self.request.request_id => {
                self.on_event(*notice)
            }
            ChannelMessage::Answer(answer) => self.answered(answer),
            // Another request of the same agent, or something that this version does not know.
            ChannelMessage::Event(_) | ChannelMessage::Unknown(_) => Ok(()),
        }
    }

    fn is_started(&self) -> bool {
        matches!(self.state, RunState::Running | RunState::Stopping)
    }

    fn on_event(&mut self, notice: Notice) -> Result<(), ConnectionLoss> {
        match notice.event {
            NoticeEvent::Pending(pending) => {
                self.state = RunState::Asking;
                self.on_question(OpenRunQuestion::new(&pending, Some(&notice.at)));
            }
            NoticeEvent::Started(started) => {
                self.state = RunState::Running;
                self.tell_edited(started.edited.as_deref());
            }
            NoticeEvent::Output(output) => return self.print_output(output),
            NoticeEvent::Finished(finished) => {
                self.tell_edited(finished.edited.as_deref());
                return self.finished(&finished);
            }
            NoticeEvent::Denied(denied) => {
                let cancelled = denied.reason == DenyReason::Cancelled;
                self.ending = Some(match self.passed_on {
                    Some(signal) if cancelled => ProgramEnding::signal(signal),
                    _ => ProgramEnding::denied(&denied),
                });
            }
            NoticeEvent::ToolResolved(_) => {}
        }
        Ok(())
    }

    fn answered(&mut self, answer: Response) -> Result<(), ConnectionLoss> {
        if answer.id == self.run_id || answer.id.is_none() {
            self.run_id = None;
            return match answer.outcome {
                Ok(result) => self.accepted(result),
                Err(error) if error.kind() == Some(ErrorCode::ShuttingDown) => Err(ConnectionLoss::Closed),
                Err(error) => {
                    self.ending = Some(ProgramEnding::trouble(&error.message));
                    Ok(())
                }
            };
        }
        if answer.id == self.kill_id {
            self.kill_id = None;
            let killed =
                answer.outcome.ok().and_then(|result| serde_json::from_value::<KillResult>(result).ok());
            // What goes on will end as a command does; what has ended is told at once, or is owed.
            if killed.is_some_and(|killed| !killed.state.has_ended()) {
                self.ends_at = None;
            }
            return Ok(());
        }
        if answer.id == self.input_id {
            self.input_id = None;
            let written = answer.outcome.ok().and_then(|result| result["written"].as_u64());
            self.input.written(written);
        }
        Ok(())
    }

    /// Notes that the host has the request: under way, or (when it was sent again) over.
    fn accepted(&mut self, result: serde_json::Value) -> Result<(), ConnectionLoss> {
        match RunResult::of_value(result) {
            Ok(RunResult::Accepted(accepted)) => {
                self.goes_on(&accepted);
                Ok(())
            }
            Ok(RunResult::Ended(notice)) => {
                self.join_request(notice.request_id);
                self.on_event(*notice)
            }
            Err(mistake) => {
                self.ending =
                    Some(ProgramEnding::trouble(&format!("the host's answer cannot be read: {mistake}")));
                Ok(())
            }
        }
    }

    /// Notes the state of a request under way, and prints what there is to know about it.
    fn goes_on(&mut self, accepted: &Accepted) {
        self.join_request(accepted.request_id);
        // Asked for again after the connection was lost: all of that was said.
        if std::mem::replace(&mut self.state, accepted.state) != RunState::Received {
            return;
        }
        if let Some((wanted, may)) = self.request.timeout_ms.zip(accepted.timeout_ms) {
            self.print_status(&waiting::timeout_cut_line(wanted, may));
        }
        let asks = accepted.verdict.as_ref().is_some_and(|verdict| verdict.decision == Decision::Ask);
        match &accepted.pending {
            Some(pending) => self.on_question(OpenRunQuestion::new(pending, None)),
            None if asks && accepted.state == RunState::Resolving => self.print_status(BEHIND),
            None => {}
        }
    }

    /// Takes the number that the host knows the request under: its end was not delivered then.
    fn join_request(&mut self, request_id: Uuid) {
        if request_id != self.request.request_id {
            self.request.request_id = request_id;
            self.input.switch_request(request_id);
            self.print_status(JOINED);
        }
    }

    /// Says once that a person is asked: the program that started this one may not wait as long as a person takes.
    fn on_question(&mut self, question: OpenRunQuestion) {
        if self.question.is_none() {
            self.print_status(&question.waiting_line());
        }
        self.question = Some(question);
    }

    /// Says something that is only about waiting.
    fn print_status(&self, line: &str) {
        if !self.terms.quiet {
            print_lines([line]);
        }
    }

    /// Says once that something else ran than was asked for: a reader of the output must know what made it.
    fn tell_edited(&mut self, edited: Option<&str>) {
        if let Some(line) = edited.filter(|_| !self.told_edited) {
            print_lines(
                ["the user at the host changed the command; this runs instead:"]
                    .into_iter()
                    .chain(line.lines()),
            );
            self.told_edited = true;
        }
    }

    fn pass_signals_on(&mut self) -> Result<(), ConnectionLoss> {
        for signal in self.signals.take_pending() {
            self.send_kill(signal)?;
        }
        Ok(())
    }

    fn send_kill(&mut self, signal: Signal) -> Result<(), ConnectionLoss> {
        self.passed_on = Some(signal);
        let params = KillParams { request_id: self.request.request_id, signal };
        self.kill_id = Some(self.channel.send(&AgentCall::Kill(params))?);
        if ENDING.contains(&signal.number()) {
            self.ends_at = self.ends_at.or_else(|| Instant::now().checked_add(PATIENCE));
        }
        Ok(())
    }
}

/// Returns the signal for a command that writes to a closed stream.
fn broken_pipe() -> Signal {
    Signal::of_number(libc::SIGPIPE).unwrap_or_else(Signal::sigterm)
}
