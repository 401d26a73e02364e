//! A connection to the broker: TLS with the one certificate that the fleet pinned, and the member's own key.

use super::FleetError;
use async_nats::{Client, ConnectOptions, Event};
use postern_fleet::{Hash, SignKey, Subjects};
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
/// Longest time for a request to the broker itself.
const REQUEST: Duration = Duration::from_secs(10);

/// A connection, and word that it was lost.
#[derive(Debug)]
pub(super) struct BrokerLink {
    pub(super) client: Client,
    lost: CancellationToken,
}

impl BrokerLink {
    /// Connects a member by its key. `name` is the beginning of the subjects on which it gets replies.
    pub(super) async fn open(
        server: &str,
        certificate: Hash,
        key: &SignKey,
        name: &str,
    ) -> Result<Self, FleetError> {
        let lost = CancellationToken::new();
        let tell = lost.clone();
        let options = ConnectOptions::with_nkey(key.nkey_seed())
            .require_tls(true)
            .tls_client_config(pinned(certificate)?)
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
                let tell = tell.clone();
                async move {
                    if gone {
                        tell.cancel();
                    }
                }
            });
        let client = tokio::time::timeout(CONNECT * 2, options.connect(server))
            .await
            .map_err(|_| FleetError::Unreachable("it does not answer".to_owned()))?
            .map_err(|error| FleetError::Unreachable(error.to_string()))?;
        Ok(Self { client, lost })
    }

    /// Waits until the connection is lost. What async-nats would send after it came back is dropped with the client.
    pub(super) async fn wait_until_lost(&self) {
        self.lost.cancelled().await;
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
