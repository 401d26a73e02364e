//! A connection to the broker: TLS with the one certificate that the fleet pinned, and the member's own key.

use super::FleetError;
use super::keep::{Folder, Membership};
use async_nats::jetstream::context::{
    ContextBuilder, CreateStreamError, CreateStreamErrorKind, GetStreamError, GetStreamErrorKind,
    RequestError, RequestErrorKind as StreamRequestErrorKind,
};
use async_nats::jetstream::{self, ErrorCode};
use async_nats::{
    Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, HeaderMap, Message, RequestErrorKind,
    ServerError, Subscriber,
};
use parking_lot::Mutex;
use postern_fleet::{FleetId, Hash, MAX_PAYLOAD, SignKey, Subjects};
use std::error::Error as StdError;
use std::io;
use std::iter::successors;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Interval at which either side checks that the other is there, and longest time to connect.
const PING: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_secs(5);
/// Further tries to connect where the broker cuts the first one off, and the pause before each.
const TRIES: u32 = 3;
const AGAIN: Duration = Duration::from_millis(100);
/// Longest time for a request to the broker itself.
const REQUEST: Duration = Duration::from_secs(10);
/// Longest time for the broker to do what it is asked with its streams: a roster or policy goes to a thousand hosts meanwhile.
const STREAMS: Duration = Duration::from_secs(30);
/// Longest time for the broker to confirm a message.
const CONFIRM: Duration = Duration::from_secs(5);
/// Longest time for a broker to read its configuration, and the pause before it is asked for a stream again.
const RELOADS: Duration = Duration::from_secs(10);
const ASK_AGAIN: Duration = Duration::from_millis(200);
/// Errors of the server that are kept.
const VIOLATIONS: usize = 16;
/// Interval between two looks at what comes, and the most bytes of it that are no whole message.
const LOOK: Duration = Duration::from_secs(1);
const UNFINISHED: u64 = 8 * MAX_PAYLOAD as u64;

/// Says why a broker cannot be reached, by its address.
fn why_unreachable(server: &str, error: &ConnectError) -> String {
    let place = server.split_once("://").map_or(server, |(_, place)| place);
    let cause = StdError::source(error).map(|cause| cause.downcast_ref::<io::Error>());
    match (error.kind(), cause) {
        (ConnectErrorKind::Io, Some(Some(refused))) if refused.kind() == io::ErrorKind::ConnectionRefused => {
            format!("nothing listens on {place}; start nats-server there")
        }
        (ConnectErrorKind::Io, Some(None)) => format!("what listens on {place} is not the fleet's broker"),
        _ => error.to_string(),
    }
}

/// Address of a broker, its identity, and who is let in.
#[derive(Debug)]
pub(super) struct BrokerAddress<'a> {
    /// Address: `tls://HOST:PORT`.
    pub(super) server: &'a str,
    /// Hash of its certificate; `None` trusts whom the system trusts.
    pub(super) certificate: Option<Hash>,
    /// Credentials that its administrator gave; `None` if it knows the member's own key.
    pub(super) credentials: Option<String>,
}

/// A connection, and word that it was lost.
#[derive(Debug)]
pub(super) struct BrokerLink {
    pub(super) client: Client,
    lost: CancellationToken,
    /// Errors of the server about what this member may not do.
    violations: Arc<Mutex<Vec<String>>>,
    /// End of the look at what comes.
    _looks: DropGuard,
}

impl BrokerLink {
    /// Connects a member of this Mac.
    pub(super) async fn open_as_member(
        folder: &Folder,
        membership: &Membership,
        (member, key): (&FleetId, &SignKey),
    ) -> Result<Self, FleetError> {
        let (server, certificate) = (membership.server.as_str(), membership.certificate);
        let address = BrokerAddress { server, certificate, credentials: folder.credentials()? };
        Self::open(&address, key, member.as_str()).await
    }

    /// Connects by a key, or by credentials. `name` is the beginning of the subjects on which it gets replies.
    pub(super) async fn open(
        address: &BrokerAddress<'_>,
        key: &SignKey,
        name: &str,
    ) -> Result<Self, FleetError> {
        let lost = CancellationToken::new();
        let tell = lost.clone();
        let violations = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&violations);
        let trust = match address.certificate {
            Some(certificate) => pinned(certificate)?,
            None => crate::tls::system().map_err(|error| FleetError::Own(error.message))?,
        };
        let options = login(address.credentials.as_deref(), key)?
            .require_tls(true)
            .tls_client_config(trust)
            .custom_inbox_prefix(Subjects::inbox_prefix(name))
            .ping_interval(PING)
            .connection_timeout(CONNECT)
            .request_timeout(Some(REQUEST))
            .subscription_capacity(1024)
            .client_capacity(256)
            .max_reconnects(1)
            .ignore_discovered_servers()
            .event_callback(move |event| {
                let gone = matches!(event, Event::Disconnected | Event::Closed | Event::LameDuckMode);
                if let Event::ServerError(ServerError::Other(error)) = &event {
                    let mut noted = noted.lock();
                    if noted.len() < VIOLATIONS {
                        noted.push(error.clone());
                    }
                }
                let tell = tell.clone();
                async move {
                    if gone {
                        tell.cancel();
                    }
                }
            });
        let is_cut = |kind| matches!(kind, ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Io);
        let mut tries = 0;
        let client = loop {
            let connected = tokio::time::timeout(CONNECT * 2, options.clone().connect(address.server)).await;
            match connected.map_err(|_| FleetError::Unreachable("it does not answer".to_owned()))? {
                Ok(client) => break client,
                // A broker that reads its configuration again cuts off who is connecting.
                Err(error) if is_cut(error.kind()) && tries < TRIES => tries += 1,
                Err(error) => return Err(FleetError::Unreachable(why_unreachable(address.server, &error))),
            }
            tokio::time::sleep(AGAIN).await;
        };
        let looks = CancellationToken::new();
        tokio::spawn(cut_off_endless(client.clone(), looks.clone()));
        Ok(Self { client, lost, violations, _looks: looks.drop_guard() })
    }

    /// Returns what the server said this member may not do.
    pub(super) fn violations(&self) -> Vec<String> {
        self.violations.lock().clone()
    }

    /// Listens to a subject. What the broker refuses is not heard here.
    pub(super) async fn subscribe(&self, subject: String) -> Result<Subscriber, FleetError> {
        self.client.subscribe(subject).await.map_err(FleetError::broker)
    }

    pub(super) async fn request(&self, subject: String, bytes: Vec<u8>, patience: Duration) -> MemberReply {
        let request = async_nats::Request::new().payload(bytes.into()).timeout(Some(patience));
        let replied = self.lost.run_until_cancelled(self.client.send_request(subject, request)).await;
        // Over a connection that is lost no reply comes.
        let Some(replied) = replied else { return MemberReply::Silent };
        match replied {
            Ok(reply) => MemberReply::Message(reply),
            Err(error) if error.kind() == RequestErrorKind::NoResponders => MemberReply::Offline,
            Err(_) => MemberReply::Silent,
        }
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost.is_cancelled()
    }

    /// Waits until the connection is lost. What async-nats would send after it came back is dropped with the client.
    pub(super) async fn wait_until_lost(&self) {
        self.lost.cancelled().await;
    }
}

/// Cuts the broker off where it sends on and on without the end of a message: async-nats holds all of it.
async fn cut_off_endless(client: Client, ends: CancellationToken) {
    let (statistics, mut last) = (client.statistics(), (0, 0));
    while ends.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_some() {
        let messages = statistics.in_messages.load(Ordering::Relaxed);
        let bytes: u64 = statistics.in_bytes.load(Ordering::Relaxed);
        let is_endless = messages == last.0 && bytes.saturating_sub(last.1) > UNFINISHED;
        if is_endless {
            tracing::warn!("the fleet's broker sends a message without end: it is cut off");
            // A client that ended is cut off already.
            _ = client.force_reconnect().await;
        }
        if is_endless || messages != last.0 {
            last = (messages, bytes);
        }
    }
}

pub(super) fn jet_stream(client: &Client) -> jetstream::Context {
    ContextBuilder::new().timeout(STREAMS).build(client.clone())
}

/// Asks for a stream. A broker that reads its configuration again has none for a moment: it is asked again.
pub(super) async fn ask_for_stream<T, E: StdError + 'static, F: Future<Output = Result<T, E>>>(
    ask: impl Fn() -> F,
) -> Result<T, FleetError> {
    let began = Instant::now();
    loop {
        match ask().await {
            Err(error) if began.elapsed() < RELOADS && has_no_streams(&error) => {
                tokio::time::sleep(ASK_AGAIN).await;
            }
            answered => return answered.map_err(FleetError::broker),
        }
    }
}

/// Checks that a broker answered as it does while it has no streams: it says so in several ways.
fn has_no_streams(error: &(dyn StdError + 'static)) -> bool {
    let is_off = |why: &jetstream::Error| why.error_code() == ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT;
    successors(Some(error), |one: &&(dyn StdError + 'static)| (*one).source()).any(|one| {
        if let Some(made) = one.downcast_ref::<CreateStreamError>() {
            return match made.kind() {
                CreateStreamErrorKind::TimedOut | CreateStreamErrorKind::JetStreamUnavailable => true,
                CreateStreamErrorKind::JetStream(why) => is_off(&why),
                _ => false,
            };
        }
        if let Some(found) = one.downcast_ref::<GetStreamError>() {
            return matches!(found.kind(), GetStreamErrorKind::JetStream(why) if is_off(&why));
        }
        let request = one.downcast_ref::<RequestError>();
        request.is_some_and(|request| request.kind() == StreamRequestErrorKind::NoResponders)
    })
}

/// Publishes a message to a stream, and waits until the broker has it. One that it has already changes nothing.
pub(super) async fn publish_confirmed(
    client: &Client,
    subject: String,
    message: HeaderMap,
    bytes: Vec<u8>,
) -> Result<(), FleetError> {
    let context = jet_stream(client);
    let confirmed = async {
        let sent = context.publish_with_headers(subject, message, bytes.into()).await;
        sent.map_err(FleetError::broker)?.await.map_err(FleetError::broker)
    };
    let late = |_| FleetError::Unreachable("it confirms nothing".to_owned());
    tokio::time::timeout(CONFIRM, confirmed).await.map_err(late)?.map(drop)
}

/// Returns the header by which the broker recognizes a message that comes again.
///
/// It is made of a signature, so that nobody else can use it first: the broker drops the second of two messages with one id in a
/// stream, also of another sender.
pub(super) fn message_id(key: &SignKey, message: &str) -> HeaderMap {
    let signature = key.sign(format!("postern-fleet message {message}").as_bytes());
    let mut headers = HeaderMap::new();
    headers.insert("Nats-Msg-Id", Hash::of_bytes(&signature).to_string());
    headers
}

pub(super) enum MemberReply {
    Message(Message),
    /// Nothing was sent: the member is not connected.
    Offline,
    /// No reply came in time.
    Silent,
}

/// Returns how a member is let in: a file of credentials has a token and a key, or a key alone.
fn login(credentials: Option<&str>, key: &SignKey) -> Result<ConnectOptions, FleetError> {
    match credentials.map(str::trim) {
        None => Ok(ConnectOptions::with_nkey(key.nkey_seed())),
        Some(seed) if seed.starts_with("SU") && !seed.contains(char::is_whitespace) => {
            Ok(ConnectOptions::with_nkey(seed.to_owned()))
        }
        // async-nats wants the end of the last line.
        Some(file) => ConnectOptions::with_credentials(&format!("{file}\n"))
            .map_err(|error| FleetError::Refused(format!("the credentials cannot be read: {error}"))),
    }
}

fn pinned(certificate: Hash) -> Result<ClientConfig, FleetError> {
    let provider = Arc::new(ring::default_provider());
    let verifier = PinnedCertificateVerifier { certificate, provider: Arc::clone(&provider) };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(FleetError::own_error)?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

/// Trusts one certificate, by its hash; its name and age do not matter.
#[derive(Debug)]
struct PinnedCertificateVerifier {
    certificate: Hash,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for PinnedCertificateVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if Hash::of_bytes(end_entity) == self.certificate {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
