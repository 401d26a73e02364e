//! TLS towards servers: whom the system trusts, or one authority that the person names.

use postern_contract::methods::ControlError;
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};

/// Trusts whom the system trusts.
pub(crate) fn system() -> Result<ClientConfig, ControlError> {
    let verified = builder()?.with_platform_verifier().map_err(|error| tls_error(&error))?;
    Ok(verified.with_no_client_auth())
}

/// Trusts the certificates in a PEM file, and nobody else.
pub(crate) fn trust_only(file: &Path) -> Result<ClientConfig, ControlError> {
    let unusable = |why: &dyn std::fmt::Display| {
        let path = postern_command::escape::visible_text(&file.to_string_lossy());
        ControlError::refused(format!("the certificate {path} cannot be used: {why}"))
    };
    let certificates = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unusable(&error))?;
    if certificates.is_empty() {
        return Err(unusable(&"there is no certificate in it"));
    }
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        roots.add(certificate).map_err(|error| unusable(&error))?;
    }
    Ok(builder()?.with_root_certificates(roots).with_no_client_auth())
}

/// Trusts nobody: for a server on this machine that is spoken to without TLS.
pub(crate) fn nobody() -> Result<ClientConfig, ControlError> {
    Ok(builder()?.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

fn builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, ControlError> {
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| tls_error(&error))
}

fn tls_error(error: &dyn std::fmt::Display) -> ControlError {
    ControlError::refused(format!("TLS cannot be used: {error}"))
}
