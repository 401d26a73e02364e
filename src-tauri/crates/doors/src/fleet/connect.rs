//! A connection to the broker: TLS with the one certificate that the fleet pinned, and the member's own key.

use super::FleetError;
use super::keep::{Folder, Membership};
use async_nats::jetstream::consumer::push::OrderedConfig;
use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::{self, consumer};
use async_nats::{
    Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, HeaderMap, Message, RequestErrorKind,
    ServerError, Subscriber,
};
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use postern_fleet::{FleetId, Hash, SignKey, Subjects, WallMillis};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use tokio_util::sync::CancellationToken;

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
/// Errors of the server that are kept.
const VIOLATIONS: usize = 16;

/// Says why a broker cannot be reached, by its address.
fn why_unreachable(server: &str, error: &ConnectError) -> String {
    let place = server.split_once("://").map_or(server, |(_, place)| place);
    let cause = std::error::Error::source(error).map(|cause| cause.downcast_ref::<io::Error>());
    match (error.kind(), cause) {
        (ConnectErrorKind::Io, Some(Some(refused))) if refused.kind() == io::ErrorKind::ConnectionRefused => {
            format!("nothing listens on {place}; start nats-server there (postern doctor)")
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
        Ok(Self { client, lost, violations })
    }

    /// Returns what the server said this member may not do.
    pub(super) fn violations(&self) -> Vec<String> {
        self.violations.lock().clone()
    }

    /// Listens to a subject. What the broker refuses is not heard here.
    pub(super) async fn subscribe(&self, subject: String) -> Result<Subscriber, FleetError> {
        self.client.subscribe(subject).await.map_err(FleetError::broker)
    }

    /// Sends a request to another member, and waits for its reply.
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

    /// Returns the messages of a stream about a subject (empty: about all), in their order, and how many wait already.
    pub(super) async fn follow_stream(
        &self,
        stream: String,
        subject: String,
        from: consumer::DeliverPolicy,
    ) -> Result<(consumer::push::Ordered, u64), FleetError> {
        let wanted =
            OrderedConfig { filter_subject: subject, deliver_policy: from, ..OrderedConfig::default() };
        self.consume(stream, wanted).await
    }

    async fn consume(
        &self,
        stream: String,
        wanted: OrderedConfig,
    ) -> Result<(consumer::push::Ordered, u64), FleetError> {
        let context = jet_stream(&self.client);
        let stream = context.get_stream(stream).await.map_err(FleetError::broker)?;
        let config = OrderedConfig { deliver_subject: self.client.new_inbox(), ..wanted };
        let consumer = stream.create_consumer(config).await.map_err(FleetError::broker)?;
        let waiting = consumer.cached_info().num_pending;
        Ok((consumer.messages().await.map_err(FleetError::broker)?, waiting))
    }

    /// Reads what a stream has about a subject (empty: about all), in its order. Waits so long for each message.
    pub(super) async fn read_stream(
        &self,
        stream: String,
        subject: String,
        patience: Duration,
    ) -> Result<Vec<jetstream::Message>, FleetError> {
        self.read_all(stream, OrderedConfig { filter_subject: subject, ..OrderedConfig::default() }, patience)
            .await
    }

    /// Reads the newest message of each subject of a stream, without what it says.
    pub(super) async fn read_newest_headers(
        &self,
        stream: String,
        filter_subject: String,
        patience: Duration,
    ) -> Result<Vec<jetstream::Message>, FleetError> {
        let deliver_policy = consumer::DeliverPolicy::LastPerSubject;
        let wanted =
            OrderedConfig { filter_subject, deliver_policy, headers_only: true, ..OrderedConfig::default() };
        self.read_all(stream, wanted, patience).await
    }

    async fn read_all(
        &self,
        stream: String,
        wanted: OrderedConfig,
        patience: Duration,
    ) -> Result<Vec<jetstream::Message>, FleetError> {
        let (mut messages, mut left) = self.consume(stream, wanted).await?;
        let mut all = Vec::new();
        while left > 0 {
            let message = tokio::time::timeout(patience, messages.next()).await;
            let stopped = || FleetError::Unreachable(format!("it stopped sending with {left} messages left"));
            let message = message.ok().flatten().ok_or_else(stopped)?.map_err(FleetError::broker)?;
            left = message.info().map_err(FleetError::broker)?.pending;
            all.push(message);
        }
        Ok(all)
    }

    /// Returns true if the connection is lost.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.is_cancelled()
    }

    /// Returns the time at which the broker says that it makes something now.
    pub(super) async fn broker_time(&self, stream: String) -> Result<WallMillis, FleetError> {
        let stream = jet_stream(&self.client).get_stream(stream).await.map_err(FleetError::broker)?;
        let deliver_subject = self.client.new_inbox();
        let deliver_policy = consumer::DeliverPolicy::New;
        let config = OrderedConfig { deliver_subject, deliver_policy, ..OrderedConfig::default() };
        let consumer = stream.create_consumer(config).await.map_err(FleetError::broker)?;
        let made = consumer.cached_info().created.unix_timestamp_nanos() / 1_000_000;
        WallMillis::try_from(made).map_err(FleetError::broker)
    }

    /// Waits until the connection is lost. What async-nats would send after it came back is dropped with the client.
    pub(super) async fn wait_until_lost(&self) {
        self.lost.cancelled().await;
    }
}

/// Returns the broker's streams as a client sees them.
pub(super) fn jet_stream(client: &Client) -> jetstream::Context {
    ContextBuilder::new().timeout(STREAMS).build(client.clone())
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

/// Reply of another member to a request.
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
