//! Approver clients over WebSocket: the approval protocol with its envelopes, pairing, and TLS away from this machine.
//!
//! A client comes with `Authorization: Bearer TOKEN`, or offers the token as second value of `Sec-WebSocket-Protocol:
//! postern, TOKEN` (a browser can say no other header). A token is a pairing code, good once and for ten minutes, or the
//! key of a paired device.

mod arrivals;
mod devices;
mod envelope;
mod handshake;
mod session;

use crate::door::Door;
use crate::listen::{self, DoorTasks, ListenSettings, Wrapping};
use crate::values::DoorValues;
use arrivals::{Arrival, Arrivals};
use async_trait::async_trait;
use devices::{Device, DeviceAdmission, Devices};
use envelope::Ends;
use handshake::{Arrived, handshake};
use parking_lot::Mutex;
use postern_contract::MultilineText;
use postern_contract::methods::{ControlError, DoorKind, DoorSetup, PairedClient};
use postern_host::{ConnectedApproverKind, Host};
use serde::{Deserialize, Serialize};
use session::ClientSession;
use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Default address.
const LISTEN: &str = "127.0.0.1:7717";
/// Largest number of connected clients. Unauthenticated connections have slots of their own.
const CLIENTS: usize = 32;
/// Largest number of connections in the accept loop; those that are being closed for newer ones count for a
/// moment.
const TAKEN_IN: usize = 256;
/// Time that a client may take for TLS and its first words.
const ARRIVAL: Duration = Duration::from_secs(10);
/// Under what name the host keeps the hub's id and its devices.
const KEPT: &str = "websocket";

/// The open door.
#[derive(Debug)]
pub(crate) struct Websocket {
    shared: Arc<WebsocketShared>,
    listening: DoorTasks,
}

#[derive(Debug)]
struct WebsocketShared {
    host: Host,
    hub: String,
    address: SocketAddr,
    wrapping: Option<Wrapping>,
    /// Pages that may connect, by the `Origin` that a browser sends.
    origins: Vec<String>,
    arrivals: Arc<Arrivals>,
    seats: Semaphore,
    devices: Mutex<Devices>,
    /// Cuts off the connections of a device.
    cuts: Mutex<HashMap<String, CancellationToken>>,
    /// Lock that lets one writer at a time change the devices, so that what is stored is what is known.
    writing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredWebsocketState {
    hub: String,
    devices: Vec<Device>,
}

impl Websocket {
    pub(crate) async fn open(host: &Host, values: &DoorValues) -> Result<Self, ControlError> {
        let settings = ListenSettings::from_values(values, LISTEN)?;
        let kept = match host.recall(KEPT).await.map_err(ControlError::store)? {
            Some(kept) => serde_json::from_value(kept).map_err(ControlError::store)?,
            None => StoredWebsocketState { hub: Uuid::now_v7().to_string(), devices: Vec::new() },
        };
        let folder = crate::folder(host).map_err(ControlError::store)?;
        let wrapping = listen::wrapping(DoorKind::Websocket, &settings, &folder)?;
        let (listener, address) = listen::bind_tcp(settings.listen).await?;
        let shared = Arc::new(WebsocketShared {
            host: host.clone(),
            hub: kept.hub,
            address,
            wrapping,
            origins: origins(values)?,
            arrivals: Arc::default(),
            seats: Semaphore::new(CLIENTS),
            devices: Mutex::new(Devices::new(kept.devices)),
            cuts: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
        });
        let (listening, serving) = (DoorTasks::default(), Arc::clone(&shared));
        listening.serve_connections(DoorKind::Websocket, listener, TAKEN_IN, move |stream, closed| {
            // Here, in the order of their arrival: the tasks begin in any order.
            let peer = stream.peer_addr().ok();
            let arrival = peer.map(|peer| serving.arrivals.add_connection(peer.ip()));
            Arc::clone(&serving).arrive(stream, arrival, closed)
        });
        Ok(Self { shared, listening })
    }
}

#[async_trait]
impl Door for Websocket {
    fn clients(&self) -> Vec<PairedClient> {
        self.shared.devices.lock().client_rows()
    }

    fn set_up(&self) -> Result<DoorSetup, ControlError> {
        let code = self.shared.devices.lock().new_code(postern_host::lasting());
        let code = code.map_err(ControlError::internal)?;
        let scheme = if self.shared.wrapping.is_some() { "wss" } else { "ws" };
        let address = self.shared.address;
        // No client can connect to the address that stands for all of them.
        let place = if address.ip().is_unspecified() {
            format!("ANY-ADDRESS-OF-THIS-COMPUTER:{}", address.port())
        } else {
            address.to_string()
        };
        let url = format!("{scheme}://{address}/");
        let mut text = format!(
            "Connect an approver client to {scheme}://{place}/\n\
             and give it this pairing code: {code}\n\
             It works once, and for ten minutes. The client sends it as\n\
             \"Authorization: Bearer {code}\" and is given its own key.\n"
        );
        let mut values = BTreeMap::from([("url".to_owned(), url), ("pairingCode".to_owned(), code)]);
        if let Some(wrapping) = &self.shared.wrapping {
            text.push_str("Compare the certificate's fingerprint (sha256) on the client:\n");
            text.push_str(&wrapping.fingerprint);
            text.push('\n');
            values.insert("fingerprint".to_owned(), wrapping.fingerprint.clone());
        }
        Ok(DoorSetup { door: DoorKind::Websocket, values, text: MultilineText::new(text) })
    }

    async fn revoke(&self, client: &str) -> Result<(), ControlError> {
        if !self.shared.forget(client) {
            let client = postern_command::escape::visible_text(client);
            return Err(ControlError::not_found(format!(
                "no client {client} is paired; postern doors list shows those that are"
            )));
        }
        self.shared.save_devices().await.map_err(ControlError::store)
    }

    async fn close(self: Box<Self>) {
        self.listening.close().await;
    }
}

/// Returns the origins that were typed, each as a browser says it.
fn origins(values: &DoorValues) -> Result<Vec<String>, ControlError> {
    let origins = crate::values::split_list(values, "origins");
    let plain = |origin: &String| {
        let rest = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(['/', '*', ' ']))
    };
    match origins.iter().find(|origin| !plain(origin)) {
        Some(origin) => Err(ControlError::invalid(format!(
            "{} is no origin: write https://HOST or https://HOST:PORT, without a path",
            postern_command::escape::visible_text(origin)
        ))),
        None => Ok(origins),
    }
}

impl WebsocketShared {
    async fn arrive(self: Arc<Self>, stream: TcpStream, arrival: Option<Arrival>, closed: CancellationToken) {
        let Some(arrival) = arrival else { return };
        match &self.wrapping {
            None => Box::pin(Arc::clone(&self).serve_client(stream, arrival, closed)).await,
            Some(wrapping) => {
                let cut = arrival.cut.clone();
                let accepted = timeout(ARRIVAL, wrapping.acceptor.accept(stream));
                if let Some(Ok(Ok(stream))) = cut.run_until_cancelled(accepted).await {
                    Box::pin(Arc::clone(&self).serve_client(stream, arrival, closed)).await;
                }
            }
        }
    }

    /// Authenticates a client; returns `None` if it is not admitted.
    async fn authenticate<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: S,
        arrival: Arrival,
    ) -> Option<Arrived<S>> {
        let refused = AtomicBool::new(false);
        let admit = |token: &str| {
            let admitted = self.devices.lock().admit_token(token, postern_host::lasting());
            refused.store(admitted.is_none(), Ordering::Relaxed);
            admitted
        };
        let heard = timeout(ARRIVAL, handshake(stream, &self.origins, admit));
        let arrived = arrival.cut.run_until_cancelled(heard).await;
        drop(arrival);
        if refused.into_inner() {
            let what = "came with a token that is neither a pairing code nor a device's key";
            self.host.note_stranger(DoorKind::Websocket.name(), "a client", what).await;
        }
        arrived?.ok()?
    }

    async fn serve_client<S: AsyncRead + AsyncWrite + Unpin>(
        self: Arc<Self>,
        stream: S,
        arrival: Arrival,
        closed: CancellationToken,
    ) {
        let Some(arrived) = self.authenticate(stream, arrival).await else { return };
        let Ok(_seat) = self.seats.try_acquire() else { return };
        let Arrived { socket, admitted, name } = arrived;
        let (id, key) = match admitted {
            DeviceAdmission::As(id) => (id, None),
            DeviceAdmission::ByCode => match self.devices.lock().pair_device(name, crate::now_millis()) {
                Ok((id, key)) => (id, Some(key)),
                Err(error) => {
                    tracing::error!(%error, "a device could not be paired");
                    return;
                }
            },
        };
        let Some((name, cut)) = self.take_in(&id) else { return };
        if let Err(error) = self.save_devices().await {
            tracing::error!(error, "a device could not be kept: it is not paired");
            self.devices.lock().note_disconnected(&id);
            if key.is_some() {
                self.forget(&id);
            }
            return;
        }
        let ends = Ends { hub: self.hub.clone(), client: id.clone() };
        let face = self.host.named_face(ConnectedApproverKind::Remote, &format!("websocket, {name}"));
        self.host.identify(&face, &id);
        let first = key.map(|key| ends.paired(&key));
        let session = ClientSession {
            socket,
            ends,
            host: self.host.clone(),
            face,
            shown: HashMap::new(),
            answered: String::new(),
        };
        let end = tokio::select! {
            biased;
            () = cut.cancelled() => session::ClientSessionEnd::Went,
            end = session.serve_until_end(first, &closed) => end,
        };
        tracing::info!(device = id, ?end, "an approver client went");
        self.devices.lock().note_disconnected(&id);
    }

    /// Returns the name of a device that is paired, and what cuts off its connections.
    ///
    /// Both under one lock: a revocation comes before, and there is no name, or after, and it cuts this one off, too.
    fn take_in(&self, id: &str) -> Option<(String, CancellationToken)> {
        let mut devices = self.devices.lock();
        let name = devices.device_name(id)?;
        devices.note_connected(id, crate::now_millis());
        Some((name, self.cuts.lock().entry(id.to_owned()).or_default().clone()))
    }

    /// Forgets a device and cuts it off. Returns false if it is not paired.
    fn forget(&self, id: &str) -> bool {
        let mut devices = self.devices.lock();
        let was_paired = devices.forget(id);
        if let Some(cut) = self.cuts.lock().remove(id) {
            cut.cancel();
        }
        was_paired
    }

    /// Writes down who is paired.
    async fn save_devices(&self) -> Result<(), String> {
        let _one = self.writing.lock().await;
        let kept = StoredWebsocketState { hub: self.hub.clone(), devices: self.devices.lock().known.clone() };
        let value = serde_json::to_value(kept).map_err(|error| error.to_string())?;
        self.host.remember(KEPT, value).await.map_err(|error| error.to_string())
    }
}
