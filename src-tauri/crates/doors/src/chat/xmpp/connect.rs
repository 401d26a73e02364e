//! The way to a server: found by DNS, secured by STARTTLS, logged in. Tried again with a back-off for as long as somebody
//! waits for it.

use super::bounded::{BEFORE_TLS, BoundedXml, STANZA};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::BufStream;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig};
use tokio_xmpp::connect::DnsConfig;
use tokio_xmpp::error::{Error, ProtocolError};
use tokio_xmpp::stanzastream::{Connection, StanzaStream};
use tokio_xmpp::xmlstream::{StreamHeader, Timeouts, XmppStream, XmppStreamElement, initiate_stream};
use xmpp_parsers::jid::BareJid;
use xmpp_parsers::{ns, starttls};

use futures_util::{SinkExt as _, StreamExt as _};

/// Time that one try may take.
const TRY: Duration = Duration::from_secs(30);
/// Pause after the first failure: twice as long each time, up to a minute.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// A silent connection is asked whether it is there after the first, and given up after the second.
const TIMEOUTS: Timeouts =
    Timeouts { read_timeout: Duration::from_mins(1), response_timeout: Duration::from_secs(30) };
/// Number of stanzas that wait in each direction.
const DEPTH: usize = 16;

/// An account, and how to get there.
#[derive(Clone)]
pub(super) struct Account {
    pub(super) jid: BareJid,
    pub(super) password: String,
    pub(super) server: DnsConfig,
    pub(super) tls: Arc<ClientConfig>,
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account").field("jid", &self.jid).finish_non_exhaustive()
    }
}

/// Reason why there is no connection, in words, without the password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) why: String,
    /// True if trying again will not help.
    pub(super) hopeless: bool,
}

impl Account {
    /// Returns a stream that connects, and connects again, by itself; why it could not is told on the side.
    pub(super) fn stream(&self) -> (StanzaStream, mpsc::UnboundedReceiver<Failed>) {
        let (tell, told) = mpsc::unbounded_channel();
        let account = self.clone();
        let connector = move |_: Option<String>, slot: oneshot::Sender<Connection>| {
            tokio::spawn(account.clone().keep_trying(slot, tell.clone()));
        };
        (StanzaStream::new(Box::new(connector), DEPTH), told)
    }

    async fn keep_trying(self, mut slot: oneshot::Sender<Connection>, tell: mpsc::UnboundedSender<Failed>) {
        let mut wait = FIRST_WAIT;
        loop {
            let tried = tokio::select! {
                tried = timeout(TRY, self.connect()) => tried,
                () = slot.closed() => return,
            };
            let failed = match tried {
                Ok(Ok(connection)) => {
                    // Nobody waits for it any more: it closes.
                    drop(slot.send(connection));
                    return;
                }
                Ok(Err(error)) => failed(&error),
                Err(_) => Failed { why: "the server does not answer".to_owned(), hopeless: false },
            };
            // Nobody hears it where the door closed.
            drop(tell.send(failed));
            tokio::select! {
                () = sleep(wait) => {}
                () = slot.closed() => return,
            }
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    fn header(&self) -> StreamHeader<'_> {
        StreamHeader { to: Some(self.jid.domain().as_str().into()), from: None, id: None }
    }

    async fn connect(&self) -> Result<Connection, Error> {
        let tls = BoundedXml::new(BufStream::new(self.secured().await?), STANZA);
        let restart = tls.restart_mark();
        let stream = initiate_stream(tls, ns::JABBER_CLIENT, self.header(), TIMEOUTS).await?;
        let (features, stream) = stream.recv_features().await?;
        let name = self.jid.node().map(|node| node.as_str().to_owned()).unwrap_or_default();
        let credentials = sasl::common::Credentials::default()
            .with_username(name)
            .with_password(self.password.clone())
            .with_channel_binding(sasl::common::ChannelBinding::None);
        let stream = tokio_xmpp::client_login(stream, features.sasl_mechanisms, credentials).await?;
        restart.mark_restart();
        let (features, stream) = stream.send_header(self.header()).await?.recv_features().await?;
        Ok(Connection { stream: stream.box_stream(), features, identity: self.jid.clone().into() })
    }

    /// Connects by TLS, without which nothing is sent.
    async fn secured(&self) -> Result<TlsStream<TcpStream>, Error> {
        let tcp = BoundedXml::new(BufStream::new(self.server.resolve().await?), BEFORE_TLS);
        let stream = initiate_stream(tcp, ns::JABBER_CLIENT, self.header(), TIMEOUTS).await?;
        let (features, mut stream): (_, XmppStream<_>) = stream.recv_features().await?;
        if !features.can_starttls() {
            return Err(ProtocolError::NoTls.into());
        }
        let start = XmppStreamElement::Starttls(starttls::Nonza::Request(starttls::Request));
        stream.send(&start).await?;
        match stream.next().await {
            Some(Ok(element)) => match element.into_read_error() {
                Ok(XmppStreamElement::Starttls(starttls::Nonza::Proceed(_))) => {}
                _ => return Err(ProtocolError::NoTls.into()),
            },
            Some(Err(_)) | None => return Err(Error::Disconnected),
        }
        // What came before TLS and was not read yet is dropped: it could be anybody's.
        let tcp = stream.into_inner().into_inner().into_inner();
        let domain = ServerName::try_from(self.jid.domain().as_str().to_owned())
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        Ok(TlsConnector::from(Arc::clone(&self.tls)).connect(domain, tcp).await?)
    }
}

fn failed(error: &Error) -> Failed {
    let escaped = |error: &dyn std::fmt::Display| postern_command::escape::visible_text(&error.to_string());
    match error {
        Error::Auth(error) => {
            Failed { why: format!("the server refuses this account: {}", escaped(error)), hopeless: true }
        }
        Error::Protocol(ProtocolError::NoTls) => {
            Failed { why: "the server does not speak TLS".to_owned(), hopeless: true }
        }
        Error::Io(error) if is_certificate(error) => Failed {
            why: format!(
                "the server's certificate is not trusted: {}; ca=FILE.pem names whom to trust",
                escaped(error)
            ),
            hopeless: true,
        },
        Error::DnsNet(error) if error.is_no_records_found() => Failed {
            why: "DNS names no server for this account; server=HOST:PORT names one".to_owned(),
            hopeless: false,
        },
        Error::DnsNet(error) => {
            Failed { why: format!("the server cannot be looked up: {}", escaped(error)), hopeless: false }
        }
        other => Failed { why: format!("the server cannot be reached: {}", escaped(other)), hopeless: false },
    }
}

fn is_certificate(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    matches!(inner, Some(rustls::Error::InvalidCertificate(_)))
}
