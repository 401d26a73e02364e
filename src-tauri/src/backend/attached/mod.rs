//! A host in another process, over its control socket: one connection, which is also our place among its faces.

use super::Heard;
use anyhow::Context;
use postern_client::{CallError, Control};
use postern_contract::methods::{ControlCode, ControlError, FaceKind, Method};
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
struct Call {
    method: String,
    params: Value,
    reply: oneshot::Sender<Result<Value, ControlError>>,
}

/// A connection to a host. The thread that owns it ends with it.
#[derive(Debug)]
pub(crate) struct Attached {
    calls: Sender<Call>,
    /// Pipe with a byte for each call: the thread waits for it and for the socket at once.
    wake: UnixStream,
}

impl Attached {
    pub(super) async fn connect(data: PathBuf) -> anyhow::Result<(Self, mpsc::Receiver<Heard>)> {
        let control = tokio::task::spawn_blocking(move || -> anyhow::Result<Control> {
            let mut control = Control::connect(&data)
                .with_context(|| format!("cannot attach to the host of {}", data.display()))?;
            control.watch(FaceKind::Window)?;
            control.call("requests.watch", &serde_json::json!({}))?;
            Ok(control)
        })
        .await??;
        let (wake, woken) = UnixStream::pair()?;
        woken.set_nonblocking(true)?;
        let (calls, called) = channel();
        let (hear, heard) = mpsc::channel(64);
        std::thread::Builder::new().name("attached".into()).spawn(move || {
            let mut thread = Thread { control, called, woken, hear };
            thread.run();
            drop(thread.hear.blocking_send(Heard::Lost));
        })?;
        Ok((Self { calls, wake }, heard))
    }

    pub(super) async fn call(&self, method: &str, params: Value) -> Result<Value, ControlError> {
        let gone = || ControlError::new(ControlCode::ShuttingDown, "the host is gone");
        let (reply, answer) = oneshot::channel();
        self.calls.send(Call { method: method.to_owned(), params, reply }).map_err(|_| gone())?;
        (&self.wake).write_all(&[1]).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    pub(super) async fn ask<M: Method>(&self, params: &M::Params) -> Result<M::Result, ControlError> {
        let odd = |error: serde_json::Error| ControlError::new(ControlCode::Internal, error.to_string());
        let answer = self.call(M::NAME, serde_json::to_value(params).map_err(odd)?).await?;
        serde_json::from_value(answer).map_err(odd)
    }
}

struct Thread {
    control: Control,
    called: Receiver<Call>,
    woken: UnixStream,
    hear: mpsc::Sender<Heard>,
}

impl Thread {
    /// Runs until the host or the app is gone.
    fn run(&mut self) {
        while self.wait() {
            // Nothing to read is no call; an end is the app's.
            if matches!(self.woken.read(&mut [0; 64]), Ok(0)) {
                return;
            }
            while let Ok(call) = self.called.try_recv() {
                let answer = self.control.call(&call.method, &call.params).map_err(told_apart);
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
            match self.control.next_told(Some(MOMENT)) {
                Ok(Some(told)) => {
                    if self.hear.blocking_send(Heard::Told(Box::new(told))).is_err() {
                        return false;
                    }
                }
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Waits for the socket or a call. False when the app is gone.
    fn wait(&self) -> bool {
        let mut both = [PollFd::new(&self.control, PollFlags::IN), PollFd::new(&self.woken, PollFlags::IN)];
        match poll(&mut both, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => !both[1].revents().contains(PollFlags::HUP),
            Err(_) => false,
        }
    }
}

/// Converts an error to one of the control socket.
fn told_apart(error: CallError) -> ControlError {
    match error {
        CallError::Failed(error) => {
            let code =
                serde_json::from_value(Value::String(error.data.code)).unwrap_or(ControlCode::Internal);
            ControlError::new(code, error.message)
        }
        CallError::OddAnswer { .. } => ControlError::new(ControlCode::Internal, error.to_string()),
        CallError::Gone(_) => ControlError::new(ControlCode::ShuttingDown, error.to_string()),
    }
}

#[cfg(test)]
mod tests;
