//! The control socket: only the person's own user, and nothing that Postern itself started.

use super::HostControl;
use super::connection::serve_control;
use super::descent::{Descent, Processes, System, descent};
use super::key;
use crate::socket::{BindError, BoundSocket, accept_until, bind_socket};
use postern_contract::methods::ControlCode;
use postern_exec::peer::{Peer, PinnedPeer};
use postern_protocol::{CONTROL_SOCKET, ErrorObject, SocketKey, error_line};
use std::collections::BTreeSet;
use std::path::Path;
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Connections at a time.
const MOST: usize = 128;

/// Reason why the control socket could not be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListenError {
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error("the control key: {0}")]
    Key(String),
}

#[derive(Debug)]
pub(crate) struct ControlListener {
    closed: CancellationToken,
    task: JoinHandle<()>,
}

impl ControlListener {
    /// Closes it and cuts everybody on it off.
    pub(crate) async fn close(self) {
        self.closed.cancel();
        // A task that panicked is closed all the same.
        _ = self.task.await;
    }
}

/// Opens `control.sock` in the data folder, with the folder's control key.
pub(crate) fn listen(control: HostControl, data: &Path) -> Result<ControlListener, ListenError> {
    let key = key::control_key(data).map_err(|error| ListenError::Key(error.to_string()))?;
    let bound = bind_socket(&data.join(CONTROL_SOCKET))?;
    let closed = CancellationToken::new();
    let task = tokio::spawn(accept(bound, control, key, closed.clone()));
    Ok(ControlListener { closed, task })
}

async fn accept(bound: BoundSocket, control: HostControl, key: SocketKey, closed: CancellationToken) {
    let until = closed.clone();
    let admit = move |stream: UnixStream, others: usize| {
        if others >= MOST {
            tracing::warn!("too many connections on the control socket");
            return None;
        }
        Some(serve_if_admitted(stream, control.clone(), key.clone(), closed.clone()))
    };
    accept_until(bound, until, admit).await;
}

/// Looks who is there, and serves who may be.
async fn serve_if_admitted(
    mut stream: UnixStream,
    control: HostControl,
    key: SocketKey,
    closed: CancellationToken,
) {
    let pinned = PinnedPeer::from_stream(&stream);
    let peer = pinned.as_ref().map(|pinned| pinned.peer);
    let own = Peer { uid: rustix::process::getuid().as_raw(), pid: std::process::id() };
    let refused = refusal(peer, own, &control.running().await, &System);
    // Checked last: the process's data read before are valid only if it still exists.
    let problem = pinned.as_ref().and_then(|pinned| {
        let foreign = !pinned.is_of_this_release();
        let gone = !pinned.is_there();
        let foreign = foreign.then_some("only programs of this release of Postern may control it");
        foreign.or(gone.then_some("the process that connected has ended"))
    });
    match refused.or(problem) {
        None => serve_control(stream, control, key, closed, pinned).await,
        Some(why) => {
            tracing::warn!(?peer, why, "refused a control connection");
            let code = ControlCode::Forbidden;
            let line = error_line(None, &ErrorObject::with_code_name(code.name(), why));
            // It is dropped, whether it hears why or not.
            _ = stream.write_all(&line).await;
        }
    }
}

/// Returns the reason why a process may not control Postern (`own`); `None` if it may.
fn refusal(
    peer: Option<Peer>,
    own: Peer,
    runs: &BTreeSet<u32>,
    system: &impl Processes,
) -> Option<&'static str> {
    let Some(peer) = peer else { return Some("Postern can’t tell which process this is") };
    if peer.uid != own.uid {
        return Some("only the user that Postern runs as may control it");
    }
    match descent(peer.pid, own.pid, runs, system) {
        Descent::Foreign => None,
        Descent::Started => Some("a command that Postern started may not control Postern"),
        Descent::Unknown => Some("Postern can’t tell what started this process"),
    }
}

impl HostControl {
    /// Returns the processes of commands that run.
    async fn running(&self) -> BTreeSet<u32> {
        let live = self.read_record(postern_store::requests::list_live).await;
        // Where the record cannot be read, nothing runs because of it either.
        live.unwrap_or_default().into_iter().filter_map(|row| Some(row.process?.pid)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Peer, refusal};
    use crate::control::descent::{Descent, Processes};
    use std::collections::BTreeSet;

    /// Every process was started by the first one.
    struct Flat;

    impl Processes for Flat {
        fn parent(&self, pid: u32) -> Option<u32> {
            Some(u32::from(pid != 1))
        }
        fn session(&self, pid: u32) -> Option<u32> {
            Some(pid)
        }
        fn descends(&self, pid: u32, _: &BTreeSet<u32>) -> Option<bool> {
            Some(pid == 40)
        }
        fn unseen(&self) -> Descent {
            Descent::Unknown
        }
    }

    #[test]
    fn only_the_persons_own_processes_are_let_in() {
        let own = Peer { uid: 1000, pid: 10 };
        let runs = BTreeSet::from([30]);
        let look = |uid, pid| refusal(Some(Peer { uid, pid }), own, &runs, &Flat);
        assert_eq!(look(1000, 20), None, "the person's terminal");
        assert!(look(1001, 20).is_some_and(|why| why.contains("user")), "another user");
        assert!(look(0, 20).is_some(), "not even root: it has other ways, and this is not one of them");
        assert!(look(1000, 30).is_some_and(|why| why.contains("started")), "a command that Postern runs");
        assert!(look(1000, 40).is_some_and(|why| why.contains("started")), "what a command left behind");
        assert!(refusal(None, own, &runs, &Flat).is_some(), "a peer that cannot be told");
    }
}
