//! TLS: a certificate of our own, made once, or one that was given.

use super::settings::{ListenSettings, Tls};
use postern_contract::methods::{ControlError, DoorKind};
use postern_host::write_whole;
use sha2::{Digest as _, Sha256};
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Wrapping of a connection, with what a person compares.
#[derive(Clone)]
pub(crate) struct Wrapping {
    pub(crate) acceptor: TlsAcceptor,
    /// Hex sha256 of the certificate, in pairs.
    pub(crate) fingerprint: String,
}

impl std::fmt::Debug for Wrapping {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wrapping").field("fingerprint", &self.fingerprint).finish_non_exhaustive()
    }
}

/// Makes the wrapping for these settings; `None` without TLS. `folder` is private and keeps a certificate of
/// the door's own.
pub(crate) fn wrapping(
    door: DoorKind,
    settings: &ListenSettings,
    folder: &Path,
) -> Result<Option<Wrapping>, ControlError> {
    let (chain, key) = match &settings.tls {
        Tls::Off => return Ok(None),
        Tls::SelfSigned => ensure_certificate(door.name(), folder, settings.listen.ip())
            .map_err(|error| unusable(folder, &error))?,
        Tls::Given { chain, key } => (chain.clone(), key.clone()),
    };
    let certificates = CertificateDer::pem_file_iter(&chain)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unusable(&chain, &error))?;
    let Some(first) = certificates.first() else {
        return Err(unusable(&chain, &"there is no certificate in it"));
    };
    let fingerprint = hex_pairs(&Sha256::digest(first));
    let key = PrivateKeyDer::from_pem_file(&key).map_err(|error| unusable(&key, &error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(certificates, key))
        .map_err(|error| unusable(&chain, &error))?;
    Ok(Some(Wrapping { acceptor: TlsAcceptor::from(Arc::new(config)), fingerprint }))
}

/// Returns the certificate of our own, made where there is none for this address.
fn ensure_certificate(door: &str, folder: &Path, address: IpAddr) -> io::Result<(PathBuf, PathBuf)> {
    let name = address.to_string().replace(':', "-");
    let (chain, key) = (folder.join(format!("{door}-{name}.crt")), folder.join(format!("{door}-{name}.pem")));
    if chain.is_file() && key.is_file() {
        return Ok((chain, key));
    }
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    if !address.is_unspecified() && !address.is_loopback() {
        names.push(address.to_string());
    }
    let made = rcgen::generate_simple_self_signed(names).map_err(io::Error::other)?;
    write_whole(&key, made.signing_key.serialize_pem().as_bytes())?;
    write_whole(&chain, made.cert.pem().as_bytes())?;
    Ok((chain, key))
}

fn hex_pairs(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}

fn unusable(path: &Path, why: &dyn std::fmt::Display) -> ControlError {
    let path = postern_command::escape::visible_text(&path.to_string_lossy());
    ControlError::refused(format!("the certificate or key {path} cannot be used: {why}"))
}

#[cfg(test)]
mod tests {
    use super::{ListenSettings, Tls, Wrapping, wrapping};
    use postern_contract::methods::{ControlError, DoorKind};
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    fn wrapped(tls: Tls, folder: &Path) -> Result<Option<Wrapping>, ControlError> {
        let settings = ListenSettings { listen: "127.0.0.1:0".parse().unwrap(), tls };
        wrapping(DoorKind::Websocket, &settings, folder)
    }

    #[test]
    fn a_certificate_of_our_own_is_made_once_and_its_key_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let first = wrapped(Tls::SelfSigned, folder.path()).unwrap().unwrap();
        let again = wrapped(Tls::SelfSigned, folder.path()).unwrap().unwrap();
        assert_eq!(first.fingerprint, again.fingerprint, "a paired client compares it once");
        assert_eq!(first.fingerprint.len(), 32 * 3 - 1);
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let mode = entry.unwrap().metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600);
        }
        assert!(wrapped(Tls::Off, folder.path()).unwrap().is_none());
    }

    #[test]
    fn a_given_file_that_is_no_certificate_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let (chain, key) = (folder.path().join("c.pem"), folder.path().join("k.pem"));
        std::fs::write(&chain, "hello").unwrap();
        let error = wrapped(Tls::Given { chain, key }, folder.path()).unwrap_err();
        assert!(error.message.contains("c.pem"), "{error}");
    }
}
