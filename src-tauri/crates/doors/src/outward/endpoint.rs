//! Endpoint: a URL that nobody on the way can read, and the client that sends there.

use crate::tls;
use crate::values::absolute;
use postern_contract::methods::ControlError;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use std::net::IpAddr;
use std::time::Duration;

/// Time that an answer may take, the connection included.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Reads an address: https, or http on this machine.
pub(super) fn address(key: &str, text: &str) -> Result<Url, ControlError> {
    let url = Url::parse(text).map_err(|_| {
        let text = postern_command::escape::visible_text(text);
        ControlError::invalid(format!("{key}: \"{text}\" is not a URL, such as https://example.com/hook"))
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ControlError::invalid(format!("{key} is listed as it is: no password in it, please")));
    }
    match (url.scheme(), is_here(&url)) {
        ("https", _) | ("http", true) => Ok(url),
        _ => Err(ControlError::refused(format!("{key} is https://…, or http:// on localhost"))),
    }
}

fn is_here(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Returns a client that goes where it is sent: no proxy, no redirects. It trusts whom the system trusts, or
/// the one authority in `ca`, a PEM file.
pub(super) fn client(url: &Url, ca: Option<&String>) -> Result<Client, ControlError> {
    let trust = match (url.scheme(), ca) {
        (_, Some(file)) => tls::trust_only(&absolute("ca", file)?)?,
        ("https", None) => tls::system()?,
        (_, None) => tls::nobody()?,
    };
    Client::builder()
        .tls_backend_preconfigured(trust)
        .redirect(Policy::none())
        .no_proxy()
        .timeout(PATIENCE)
        .user_agent(concat!("postern/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| ControlError::refused(format!("nothing can be sent: {error}")))
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn what_others_could_read_is_refused() {
        for good in
            ["https://example.com/hook", "http://127.0.0.1:9/x", "http://[::1]:4318", "http://localhost:4318"]
        {
            assert!(address("url", good).is_ok(), "{good}");
        }
        let bad = [
            ("http://example.com/", "https://"),
            ("http://127.0.0.1.example.com/", "https://"),
            ("http://192.168.1.2/", "https://"),
            ("file:///etc/passwd", "https://"),
            ("example.com", "is not a URL"),
            ("https://me:secret@example.com/", "no password"),
        ];
        for (text, word) in bad {
            let refused = address("url", text).unwrap_err().message;
            assert!(refused.contains(word) && !refused.contains("secret"), "{text}: {refused}");
        }
    }
}
