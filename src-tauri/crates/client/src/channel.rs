//! An agent's channel: calls and their answers, and the events in between.

use crate::error::{CallError, ConnectError, ConnectionLoss};
use crate::opening::SocketOpening;
use crate::transport::Transport;
use postern_protocol::{
    AgentCall, CallId, Client, EventsAfterParams, EventsAfterResult, Frame, Notice, Notification,
    RefusedMessage, Response, RunParams, RunResult, Socket, SocketKey, Welcome,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time that [`Channel::close_and_wait`] waits for the host.
const LEAVING: Duration = Duration::from_secs(1);
/// Time that [`Channel::come_back`] keeps trying.
const COMING_BACK: Duration = Duration::from_secs(30);
/// Between its first two tries, and between two at the most.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Description that a client gives of itself when it connects.
#[derive(Debug, Clone)]
pub struct ChannelOptions {
    /// Program name and version, for the host's log.
    pub client: Client,
    /// The last event it heard: what came since is told again. None: only what comes from now on.
    pub after: Option<u64>,
}

impl Default for ChannelOptions {
    fn default() -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { client: Client { name: "postern-client".to_owned(), version }, after: None }
    }
}

/// Something that came over a channel.
#[derive(Debug)]
pub enum ChannelMessage {
    Event(Box<Notice>),
    /// The answer to a call that was only sent ([`Channel::send`]).
    Answer(Response),
    /// A notification that this version does not know.
    Unknown(Notification),
}

/// A connection to an agent's channel, authenticated both ways.
#[derive(Debug)]
pub struct Channel {
    transport: Transport,
    welcome: Welcome,
    socket: PathBuf,
    key: SocketKey,
    client: Client,
    /// The newest event that was heard, or that had happened when this was opened.
    sequence: u64,
    next_id: i64,
    /// Messages that arrived while a call waited for its answer.
    heard: VecDeque<ChannelMessage>,
}

impl Channel {
    /// Connects and proves both sides. Live events are heard from now on.
    pub fn connect(socket: &Path, key: &SocketKey) -> Result<Self, ConnectError> {
        Self::connect_with(socket, key, ChannelOptions::default())
    }

    /// Connects as [`Self::connect`] does, with the client's name and the number of the last event it has
    /// seen.
    pub fn connect_with(
        socket: &Path,
        key: &SocketKey,
        options: ChannelOptions,
    ) -> Result<Self, ConnectError> {
        let ChannelOptions { client, after } = options;
        let opening = SocketOpening { kind: Socket::Channel, socket, key, client: client.clone(), after };
        let (transport, welcome): (_, Welcome) = opening.open()?;
        Ok(Self {
            transport,
            sequence: after.unwrap_or(welcome.sequence),
            welcome,
            socket: socket.to_owned(),
            key: key.clone(),
            client,
            next_id: 2,
            heard: VecDeque::new(),
        })
    }

    /// Connects again to the same channel, and hears what was missed. Answers that were still to come never will:
    /// send those calls again (the same `requestId` never runs twice).
    pub fn reconnect(&mut self) -> Result<(), ConnectError> {
        let options = ChannelOptions { client: self.client.clone(), after: Some(self.sequence) };
        let again = Self::connect_with(&self.socket, &self.key, options)?;
        let heard = std::mem::take(&mut self.heard);
        let events = heard.into_iter().filter(|message| matches!(message, ChannelMessage::Event(_)));
        *self = Self { heard: events.collect(), ..again };
        Ok(())
    }

    /// Connects again to a host that went away: tries, ever less often, for half a minute and as long as it is `wanted`.
    pub fn come_back(&mut self, wanted: impl Fn() -> bool) -> Result<(), ConnectError> {
        let end = Instant::now() + COMING_BACK;
        let mut pause = FIRST_PAUSE;
        loop {
            match self.reconnect() {
                Err(error) if error.may_pass() && Instant::now() < end && wanted() => {
                    std::thread::sleep(pause);
                }
                outcome => return outcome,
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Returns the host's welcome.
    pub fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// Returns the newest event that was heard: what to hear after when connecting again.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Sends a call and waits for its answer. Events that come before it are kept for [`Self::read_message`].
    pub fn call_host(&mut self, call: &AgentCall) -> Result<Value, CallError> {
        let id = self.send(call)?;
        loop {
            let Some(message) = self.receive_waiting(None)? else { continue };
            match message {
                // An error without an id is about a message that the host could not read: the one that was sent last.
                ChannelMessage::Answer(answer) if answer.id.is_none() || answer.id.as_ref() == Some(&id) => {
                    return answer.outcome.map_err(CallError::Failed);
                }
                other => self.heard.push_back(other),
            }
        }
    }

    /// Sends a call and returns its answer in its own type.
    pub fn call_typed<R: DeserializeOwned>(&mut self, call: &AgentCall) -> Result<R, CallError> {
        let answer = self.call_host(call)?;
        serde_json::from_value(answer).map_err(|error| CallError::OddAnswer {
            method: call.method().to_owned(),
            what: error.to_string(),
        })
    }

    /// Asks for a run.
    pub fn run(&mut self, params: RunParams) -> Result<RunResult, CallError> {
        let answer = self.call_host(&AgentCall::Run(Box::new(params)))?;
        RunResult::of_value(answer).map_err(|mistake| CallError::OddAnswer {
            method: "system.run".to_owned(),
            what: mistake.to_string(),
        })
    }

    /// Asks to be told again what came after event `sequence`.
    pub fn events_after(&mut self, sequence: u64) -> Result<EventsAfterResult, CallError> {
        self.sequence = sequence;
        self.call_typed(&AgentCall::EventsAfter(EventsAfterParams { sequence }))
    }

    /// Returns the next thing that comes; `None` if the time ran out first. No timeout waits always.
    pub fn read_message(
        &mut self,
        timeout: Option<Duration>,
    ) -> Result<Option<ChannelMessage>, ConnectionLoss> {
        match self.heard.pop_front() {
            Some(message) => Ok(Some(message)),
            None => self.receive_waiting(timeout),
        }
    }

    /// Returns the next event; `None` if the time ran out first. Answers to calls that were only sent are
    /// passed over.
    pub fn next_event(&mut self, timeout: Option<Duration>) -> Result<Option<Notice>, ConnectionLoss> {
        loop {
            match self.read_message(timeout)? {
                Some(ChannelMessage::Event(notice)) => return Ok(Some(*notice)),
                Some(ChannelMessage::Answer(_) | ChannelMessage::Unknown(_)) => {}
                None => return Ok(None),
            }
        }
    }

    /// Events as they come, until the connection is gone.
    pub fn events(&mut self) -> Events<'_> {
        Events { channel: self }
    }

    /// Sends a call without waiting: its answer comes as a [`ChannelMessage::Answer`] with this id.
    pub fn send(&mut self, call: &AgentCall) -> Result<CallId, ConnectionLoss> {
        let id = CallId::Number(self.next_id);
        self.next_id += 1;
        self.transport.queue_line(&call.to_line(&id));
        self.transport.flush()?;
        Ok(id)
    }

    /// Makes the socket non-blocking, for programs that wait for several things at once.
    ///
    /// `send` then keeps what the system does not take yet ([`Self::wants_write`], [`Self::flush`]), messages
    /// come by [`Self::receive_available`] and [`Self::next_message`], and the methods that wait must not be called.
    pub fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.transport.set_nonblocking(nonblocking)
    }

    /// Returns true if calls wait to be sent.
    pub fn wants_write(&self) -> bool {
        self.transport.wants_write()
    }

    /// Sends what the system takes.
    pub fn flush(&mut self) -> Result<(), ConnectionLoss> {
        self.transport.flush().map(|_| ())
    }

    /// Takes from the socket what is there. What came is given by [`Self::next_message`].
    pub fn receive_available(&mut self) -> Result<(), ConnectionLoss> {
        self.transport.receive_available().map(|_| ())
    }

    /// Closes the connection and waits at most one second for the host to notice it. Otherwise the next caller with the same
    /// request would count as a second caller.
    pub fn close_and_wait(&mut self) {
        // A host that is gone already needs no telling.
        _ = self.transport.close_and_wait(LEAVING);
    }

    /// Returns a message that has arrived already.
    pub fn next_message(&mut self) -> Result<Option<ChannelMessage>, ConnectionLoss> {
        if let Some(message) = self.heard.pop_front() {
            return Ok(Some(message));
        }
        while let Some(frame) = self.transport.next_frame() {
            if let Some(message) = self.understand(frame?)? {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    fn receive_waiting(
        &mut self,
        timeout: Option<Duration>,
    ) -> Result<Option<ChannelMessage>, ConnectionLoss> {
        loop {
            let Some(frame) = self.transport.wait_for_frame(timeout)? else { return Ok(None) };
            if let Some(message) = self.understand(frame)? {
                return Ok(Some(message));
            }
        }
    }

    /// Converts a frame to a message; `None` for an event that was delivered before.
    fn understand(&mut self, frame: Frame) -> Result<Option<ChannelMessage>, ConnectionLoss> {
        let told = match frame {
            Frame::Response(answer) => return Ok(Some(ChannelMessage::Answer(answer))),
            Frame::Request(request) => Notification { method: request.method, params: request.params },
            Frame::Notification(told) => told,
        };
        if !Notice::is_known_method(&told.method) {
            return Ok(Some(ChannelMessage::Unknown(told)));
        }
        match Notice::of_notification(told) {
            Err(mistake) => Err(RefusedMessage { id: None, mistake }.into()),
            Ok(notice) if notice.sequence <= self.sequence => Ok(None),
            Ok(notice) => {
                self.sequence = notice.sequence;
                Ok(Some(ChannelMessage::Event(Box::new(notice))))
            }
        }
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.transport.as_fd()
    }
}

/// Events as they come. Ends when the connection is gone: the last item says why.
#[derive(Debug)]
pub struct Events<'c> {
    channel: &'c mut Channel,
}

impl Iterator for Events<'_> {
    type Item = Result<Notice, ConnectionLoss>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.channel.next_event(None) {
            Ok(notice) => notice.map(Ok),
            Err(gone) => Some(Err(gone)),
        }
    }
}
