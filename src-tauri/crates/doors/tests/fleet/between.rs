//! A malicious broker: it stands between a member and the real one and ends TLS with the broker's own key. It reads what
//! passes, and drops, holds, repeats, replaces and cuts what it likes.

use parking_lot::Mutex;
use postern_doors::fleet::Folder;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader, split,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::time::interval;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};
use tokio_util::sync::CancellationToken;

/// A message of NATS on its way, in either direction.
#[derive(Debug, Clone)]
pub(super) struct Passing {
    /// True on the way to the member.
    pub(super) to_member: bool,
    /// Subject that it is about: of what a stream keeps, where it was kept.
    pub(super) subject: String,
    /// Words of its first line.
    words: Vec<String>,
    headers: Vec<u8>,
    payload: Vec<u8>,
}

pub(super) enum Fate {
    Pass,
    Drop,
    /// Passed so many times.
    Repeat(usize),
    /// Passed when this is sent; what comes after it does not wait.
    Hold(oneshot::Receiver<()>),
    /// Dropped, with the connection.
    Cut,
    /// Passed, and then the connection is cut.
    PassAndCut,
    /// Passed as this makes it.
    Alter(Alteration),
    /// Passed, and then this is done.
    PassAndDo(Box<dyn FnOnce() + Send>),
    /// Begun, and never ended. This counts each MiB of it.
    Endless(Arc<AtomicU64>),
}

/// Makes another payload of one.
pub(super) type Alteration = Box<dyn FnOnce(&[u8]) -> Vec<u8> + Send>;

/// Decides what becomes of each message.
pub(super) type Trick = Box<dyn FnMut(&Passing) -> Fate + Send>;

/// The malicious broker.
pub(super) struct Between {
    /// Address at which members reach it.
    pub(super) server: String,
    state: Arc<Mutex<State>>,
}

struct State {
    trick: Trick,
    /// Newest value of each entry of the bucket that a member was shown.
    shown: HashMap<String, Vec<u8>>,
    /// Copy of these values from an earlier time.
    copy: HashMap<String, Vec<u8>>,
    /// True if nothing newer is shown.
    frozen: bool,
}

impl Between {
    /// Starts it before the broker whose keys are in this folder.
    pub(super) async fn start(folder: &Folder) -> Self {
        let before = folder.membership().unwrap().server.trim_start_matches("tls://").parse().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = format!("tls://{}", listener.local_addr().unwrap());
        let pass: Trick = Box::new(|_| Fate::Pass);
        let (shown, copy) = (HashMap::new(), HashMap::new());
        let state = Arc::new(Mutex::new(State { trick: pass, shown, copy, frozen: false }));
        let (accept, connect) = tls(folder);
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((member, _)) = listener.accept().await {
                let (accept, connect, state) = (accept.clone(), connect.clone(), Arc::clone(&shared));
                // A connection that ends, ends: the member connects again.
                tokio::spawn(
                    async move { drop(stand_between(member, before, (accept, connect), state).await) },
                );
            }
        });
        Self { server, state }
    }

    /// Decides by this from now on.
    pub(super) fn play(&self, trick: impl FnMut(&Passing) -> Fate + Send + 'static) {
        self.state.lock().trick = Box::new(trick);
    }

    /// Shows of the bucket only what was shown by now, no matter what is stored since.
    pub(super) fn freeze(&self, frozen: bool) {
        self.state.lock().frozen = frozen;
    }

    /// Shows this as the newest value of a key of the bucket while it is frozen.
    pub(super) fn show(&self, key: &str, value: &[u8]) {
        let mut state = self.state.lock();
        let subject = state.shown.keys().find(|subject| subject.ends_with(&format!(".{key}"))).cloned();
        state.shown.insert(subject.expect("a member was shown one"), value.to_vec());
    }

    /// Keeps a copy of what it showed of the bucket by now.
    pub(super) fn remember(&self) {
        let mut state = self.state.lock();
        let State { shown, copy, .. } = &mut *state;
        copy.clone_from(shown);
    }

    /// Shows that copy from now on, as a broker that was set back to it.
    pub(super) fn go_back(&self) {
        let mut state = self.state.lock();
        (state.shown, state.frozen) = (state.copy.clone(), true);
    }

    /// Leads a member through it from its next connection on.
    pub(super) fn lead(&self, folder: &Folder) {
        let membership = folder.membership().unwrap();
        let server = self.server.clone();
        folder.keep_membership(&postern_doors::fleet::Membership { server, ..membership }).unwrap();
    }
}

impl State {
    /// Decides about a message, and replaces what nobody is to see.
    fn judge(&mut self, passing: &mut Passing) -> Fate {
        if passing.to_member && passing.subject.starts_with("$KV.") && !passing.payload.is_empty() {
            if self.frozen {
                if let Some(shown) = self.shown.get(&passing.subject) {
                    passing.payload.clone_from(shown);
                }
            } else {
                self.shown.insert(passing.subject.clone(), passing.payload.clone());
            }
        }
        (self.trick)(passing)
    }
}

/// Returns both ends of TLS: the broker's own towards members, and a client that trusts it.
fn tls(folder: &Folder) -> (TlsAcceptor, TlsConnector) {
    let certificate = CertificateDer::from_pem_file(folder.broker().join("broker.crt")).unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.broker().join("broker.pem")).unwrap();
    let provider = Arc::new(ring::default_provider());
    let accept = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    let mut trusted = RootCertStore::empty();
    trusted.add(certificate).unwrap();
    let connect = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(trusted)
        .with_no_client_auth();
    (TlsAcceptor::from(Arc::new(accept)), TlsConnector::from(Arc::new(connect)))
}

/// Carries one connection until either end closes it, or a trick does.
async fn stand_between(
    mut member: TcpStream,
    before: SocketAddr,
    (accept, connect): (TlsAcceptor, TlsConnector),
    state: Arc<Mutex<State>>,
) -> io::Result<()> {
    let mut server = TcpStream::connect(before).await?;
    // NATS says who it is before TLS begins.
    let mut info = Vec::new();
    while !info.ends_with(b"\n") {
        info.push(server.read_u8().await?);
    }
    member.write_all(&info).await?;
    let name = ServerName::from(before.ip());
    let (member, server) = (accept.accept(member).await?, connect.connect(name, server).await?);
    let ((from_member, to_member), (from_server, to_server)) = (split(member), split(server));
    let cut = CancellationToken::new();
    let both = async {
        tokio::select! {
            done = carry(from_member, to_server, false, &state, &cut) => done,
            done = carry(from_server, to_member, true, &state, &cut) => done,
        }
    };
    cut.run_until_cancelled(both).await.unwrap_or(Ok(()))
}

/// Bytes to write, and what is done when they are written.
type Written = (Vec<u8>, AfterWrite);

enum AfterWrite {
    Nothing,
    Do(Box<dyn FnOnce() + Send>),
    Endless(Arc<AtomicU64>),
}

/// Writes zeros until the other side ends it, 20 MiB in a second.
async fn write_endless(to: &mut (impl AsyncWrite + Unpin), written: &AtomicU64) -> io::Result<()> {
    let (bytes, mut pace) = (vec![0; 1 << 20], interval(Duration::from_millis(50)));
    loop {
        pace.tick().await;
        to.write_all(&bytes).await?;
        to.flush().await?;
        written.fetch_add(1, Ordering::Relaxed);
    }
}

/// Writes all that comes, and does what follows it.
async fn write_each(
    mut out: mpsc::UnboundedReceiver<Written>,
    mut to: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    while let Some((bytes, then)) = out.recv().await {
        to.write_all(&bytes).await?;
        to.flush().await?;
        match then {
            AfterWrite::Nothing => {}
            AfterWrite::Do(then) => then(),
            AfterWrite::Endless(written) => write_endless(&mut to, &written).await?,
        }
    }
    Ok(())
}

async fn carry(
    from: impl AsyncRead + Unpin,
    to: impl AsyncWrite + Unpin,
    to_member: bool,
    state: &Mutex<State>,
    cut: &CancellationToken,
) -> io::Result<()> {
    let (send, out) = mpsc::unbounded_channel::<Written>();
    let reading = async {
        let mut from = BufReader::new(from);
        while let Some((line, passing)) = read_frame(&mut from, to_member).await? {
            let Some(mut passing) = passing else {
                _ = send.send((line, AfterWrite::Nothing));
                continue;
            };
            let fate = state.lock().judge(&mut passing);
            let bytes = passing.encode();
            match fate {
                Fate::Drop => {}
                Fate::Pass => _ = send.send((bytes, AfterWrite::Nothing)),
                Fate::Repeat(times) => {
                    (0..times).for_each(|_| _ = send.send((bytes.clone(), AfterWrite::Nothing)));
                }
                Fate::Hold(until) => {
                    let send = send.clone();
                    tokio::spawn(async move {
                        // Who holds it may have dropped it: then it passes as well.
                        _ = until.await;
                        _ = send.send((bytes, AfterWrite::Nothing));
                    });
                }
                Fate::Alter(change) => {
                    passing.payload = change(&passing.payload);
                    _ = send.send((passing.encode(), AfterWrite::Nothing));
                }
                Fate::Cut => cut.cancel(),
                Fate::PassAndCut => {
                    let cut = cut.clone();
                    _ = send.send((bytes, AfterWrite::Do(Box::new(move || cut.cancel()))));
                }
                Fate::PassAndDo(then) => _ = send.send((bytes, AfterWrite::Do(then))),
                Fate::Endless(written) => {
                    let (subject, place) = (&passing.words[1], &passing.words[2]);
                    let begins = format!("MSG {subject} {place} {}\r\n", u32::MAX).into_bytes();
                    _ = send.send((begins, AfterWrite::Endless(written)));
                }
            }
        }
        Ok(())
    };
    tokio::select! {
        done = reading => done,
        done = write_each(out, to) => done,
    }
}

/// Reads the next line, with the message that it begins if it is one; `None` at the end.
async fn read_frame(
    from: &mut (impl tokio::io::AsyncBufRead + Unpin),
    to_member: bool,
) -> io::Result<Option<(Vec<u8>, Option<Passing>)>> {
    let mut line = Vec::new();
    if from.read_until(b'\n', &mut line).await? == 0 {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&line);
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let size = |from_end: usize| words.iter().rev().nth(from_end).and_then(|word| word.parse::<usize>().ok());
    let (headers, all) = match words.first().map(String::as_str) {
        Some("MSG" | "PUB") => (Some(0), size(0)),
        Some("HMSG" | "HPUB") => (size(1), size(0)),
        _ => (None, None),
    };
    let (Some(headers), Some(all)) = (headers, all) else { return Ok(Some((line, None))) };
    let mut body = vec![0; all + 2];
    from.read_exact(&mut body).await?;
    body.truncate(all);
    let payload = body.split_off(headers);
    let told = String::from_utf8_lossy(&body);
    let kept =
        told.lines().find_map(|line| line.strip_prefix("Nats-Subject:")).map(|kept| kept.trim().to_owned());
    let subject = kept.unwrap_or_else(|| words[1].clone());
    Ok(Some((line, Some(Passing { to_member, subject, words, headers: body, payload }))))
}

impl Passing {
    fn encode(&self) -> Vec<u8> {
        let (headers, all) = (self.headers.len(), self.headers.len() + self.payload.len());
        let sizes = if self.words[0].starts_with('H') { vec![headers, all] } else { vec![all] };
        let kept = &self.words[..self.words.len() - sizes.len()];
        let words: Vec<String> = kept.iter().cloned().chain(sizes.iter().map(usize::to_string)).collect();
        let mut bytes = words.join(" ").into_bytes();
        bytes.extend(b"\r\n");
        bytes.extend(&self.headers);
        bytes.extend(&self.payload);
        bytes.extend(b"\r\n");
        bytes
    }

    /// Returns true if it is on its way to or from a subject of this kind: `q`, `ans`, `job`.
    pub(super) fn is_about(&self, kind: &str) -> bool {
        self.subject.starts_with("pf.") && self.subject.split('.').nth(2) == Some(kind)
    }

    /// Returns true if a member stores it in the bucket.
    pub(super) fn is_stored(&self) -> bool {
        !self.to_member && self.subject.starts_with("$KV.")
    }

    pub(super) fn entry_kind(&self) -> Option<&str> {
        self.subject.strip_prefix("$KV.")?.split('.').nth(1)
    }

    pub(super) fn says(&self, words: &str) -> bool {
        self.payload.windows(words.len()).any(|part| part == words.as_bytes())
    }

    /// Returns true if it is a reply on its way from the member.
    pub(super) fn is_own_reply(&self) -> bool {
        !self.to_member && self.subject.starts_with("_INBOX")
    }
}
