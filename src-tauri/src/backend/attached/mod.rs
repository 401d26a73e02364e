//! A host in another process, over its control socket: one connection, which is also our place among its faces.

use super::IncomingBackendEvent;
use anyhow::Context;
use postern_client::{CallError, Control};
use postern_contract::methods::{ApproverKind, ControlCode, ControlError, Method};
use postern_host::start_thread;
use rustix::event::{PollFd, PollFlags, poll};
use serde_json::Value;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Time to wait for more news once there is some. None at all would not look at the socket.
const MOMENT: Duration = Duration::from_millis(1);

/// A call on its way to the thread that owns the connection.
#[derive(Debug)]
struct AttachedCall {
    method: String,
    params: Value,
    reply: oneshot::Sender<Result<Value, ControlError>>,
}

/// A connection to a host. The thread that owns it ends with it.
#[derive(Debug)]
pub(crate) struct Attached {
    calls: Sender<AttachedCall>,
    /// Pipe with a byte for each call: the thread waits for it and for the socket at once.
    wake: UnixStream,
}

impl Attached {
    pub(super) async fn connect(
        data: PathBuf,
    ) -> anyhow::Result<(Self, mpsc::Receiver<IncomingBackendEvent>)> {
        let control = tokio::task::spawn_blocking(move || -> anyhow::Result<Control> {
            let mut control = Control::connect(&data)
                .with_context(|| format!("cannot attach to the host of {}", data.display()))?;
            control.watch_questions(ApproverKind::Window)?;
            control.call_by_name("requests.watch", &serde_json::json!({}))?;
            Ok(control)
        })
        .await??;
        let (wake, woken) = UnixStream::pair()?;
        woken.set_nonblocking(true)?;
        let (calls, called) = channel();
        let (hear, heard) = mpsc::channel(64);
        start_thread("attached", move || {
            let mut thread = Thread { control, called, woken, hear };
            thread.run();
            drop(thread.hear.blocking_send(IncomingBackendEvent::Lost));
        })?;
        Ok((Self { calls, wake }, heard))
    }

    pub(super) async fn invoke_json(&self, method: &str, params: Value) -> Result<Value, ControlError> {
        let gone = || ControlError::new(ControlCode::ShuttingDown, "the host is gone");
        let (reply, answer) = oneshot::channel();
        self.calls.send(AttachedCall { method: method.to_owned(), params, reply }).map_err(|_| gone())?;
        (&self.wake).write_all(&[1]).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    pub(super) async fn invoke<M: Method>(&self, params: &M::Params) -> Result<M::Result, ControlError> {
        let answer =
            self.invoke_json(M::NAME, serde_json::to_value(params).map_err(ControlError::internal)?).await?;
        serde_json::from_value(answer).map_err(ControlError::internal)
    }
}

struct Thread {
    control: Control,
    called: Receiver<AttachedCall>,
    woken: UnixStream,
    hear: mpsc::Sender<IncomingBackendEvent>,
}

impl Thread {
    /// Runs until the host or the app is gone.
    fn run(&mut self) {
        while self.wait_for_input() {
            // Nothing to read is no call; an end is the app's.
            if matches!(self.woken.read(&mut [0; 64]), Ok(0)) {
                return;
            }
            while let Ok(call) = self.called.try_recv() {
                let answer = self.control.call_by_name(&call.method, &call.params).map_err(to_control_error);
                let lost = answer.as_ref().is_err_and(|error| error.code == ControlCode::ShuttingDown);
                drop(call.reply.send(answer));
                if lost {
                    return;
                }
            }
            if !self.pass_on() {
                return;
            }
        }
    }

    /// Passes on what was told. False when the host or the app is gone.
    fn pass_on(&mut self) -> bool {
        loop {
            match self.control.next_known_notification(Some(MOMENT)) {
                Ok(Some(told)) => {
                    if self.hear.blocking_send(IncomingBackendEvent::Told(Box::new(told))).is_err() {
                        return false;
                    }
                }
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Waits for the socket or a call. False when the app is gone.
    fn wait_for_input(&self) -> bool {
        let mut both = [PollFd::new(&self.control, PollFlags::IN), PollFd::new(&self.woken, PollFlags::IN)];
        match poll(&mut both, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => !both[1].revents().contains(PollFlags::HUP),
            Err(_) => false,
        }
    }
}

/// Converts an error to one of the control socket.
fn to_control_error(error: CallError) -> ControlError {
    match error {
        CallError::Failed(error) => {
            let code = ControlCode::from_name(&error.data.code).unwrap_or(ControlCode::Internal);
            ControlError::new(code, error.message)
        }
        CallError::OddAnswer { .. } => ControlError::internal(error),
        CallError::Gone(_) => ControlError::new(ControlCode::ShuttingDown, error.to_string()),
    }
}

#[cfg(test)]
mod tests;
