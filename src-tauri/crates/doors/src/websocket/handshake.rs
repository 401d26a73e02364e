//! The upgrade from HTTP: who comes is known before the first message.

use super::devices::DeviceAdmission;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::header::{
    AUTHORIZATION, ORIGIN, SEC_WEBSOCKET_PROTOCOL, USER_AGENT, WWW_AUTHENTICATE,
};
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async_with_config};

/// The longest message of a client, in bytes. An answer has a few hundred.
const LONGEST: usize = 64 * 1024;
/// The longest name of a device, in characters.
const NAME: usize = 60;
/// The protocol that a browser offers beside its token.
const PROTOCOL: &str = "postern";

/// A client that proved that it may come in.
pub(super) struct Arrived<S> {
    pub(super) socket: WebSocketStream<S>,
    pub(super) admitted: DeviceAdmission,
    /// Name that it gives itself, escaped.
    pub(super) name: String,
}

/// Upgrades a connection whose token is admitted, and answers any other with 401. A browser page whose origin
/// is not in `origins` gets 403 before its token is checked.
pub(super) async fn handshake<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    origins: &[String],
    admit: impl Fn(&str) -> Option<DeviceAdmission>,
) -> Option<Arrived<S>> {
    let mut arrived = None;
    #[expect(clippy::result_large_err, reason = "the library's own type")]
    let callback = |request: &Request, mut response: Response| {
        let origin = request.headers().get(ORIGIN);
        if origin.is_some_and(|origin| !origins.iter().any(|one| one.as_bytes() == origin.as_bytes())) {
            return Err(foreign());
        }
        let (token, protocol) = read_token(request);
        let Some(admitted) = token.as_deref().and_then(&admit) else { return Err(refused()) };
        if protocol {
            response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(PROTOCOL));
        }
        arrived = Some((admitted, client_name(request)));
        Ok(response)
    };
    let config = WebSocketConfig::default().max_message_size(Some(LONGEST)).max_frame_size(Some(LONGEST));
    let socket = accept_hdr_async_with_config(stream, callback, Some(config)).await.ok()?;
    let (admitted, name) = arrived?;
    Some(Arrived { socket, admitted, name })
}

/// Returns the token, and whether it came as a protocol.
fn read_token(request: &Request) -> (Option<String>, bool) {
    let header = |name| request.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if let Some(bearer) = header(AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")) {
        let offered = header(SEC_WEBSOCKET_PROTOCOL)
            .is_some_and(|value| value.split(',').any(|one| one.trim() == PROTOCOL));
        return (Some(bearer.trim().to_owned()), offered);
    }
    let offered = header(SEC_WEBSOCKET_PROTOCOL).and_then(|value| value.split_once(','));
    match offered {
        Some((first, second)) if first.trim() == PROTOCOL => (Some(second.trim().to_owned()), true),
        Some(_) | None => (None, false),
    }
}

/// Returns the name that a client gives itself: its `User-Agent`.
fn client_name(request: &Request) -> String {
    let said = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let name: String = postern_command::escape::visible_text(said).chars().take(NAME).collect();
    if name.trim().is_empty() { "a client".to_owned() } else { name }
}

fn foreign() -> ErrorResponse {
    let words =
        "this page may not connect; to permit it: postern doors enable websocket origins=ORIGIN\n".to_owned();
    let mut response = ErrorResponse::new(Some(words));
    *response.status_mut() = StatusCode::FORBIDDEN;
    response
}

fn refused() -> ErrorResponse {
    let words = "a pairing code or a device key is needed: postern doors setup websocket\n".to_owned();
    let mut response = ErrorResponse::new(Some(words));
    *response.status_mut() = StatusCode::UNAUTHORIZED;
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}
