//! Connection and its requests: those with the token that are short and quick come through to the SDK's
//! service.

use super::{McpHttpShared, PATH};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// The longest request, in bytes: a command with its standard input.
pub(super) const LONGEST: usize = 4 * 1024 * 1024;
/// Time that a client may take for TLS, for a request's head (or between two requests), and for its body.
const PATIENCE: Duration = Duration::from_secs(30);
const SESSION: &str = "mcp-session-id";

type McpHttpBody = UnsyncBoxBody<Bytes, Infallible>;

/// Serves one connection until it ends or the door is closed.
pub(super) async fn connection(shared: Arc<McpHttpShared>, stream: TcpStream, closed: CancellationToken) {
    let served = async {
        match &shared.wrapping {
            None => serve_http(&shared, stream).await,
            Some(wrapping) => {
                if let Ok(Ok(stream)) = timeout(PATIENCE, wrapping.acceptor.accept(stream)).await {
                    serve_http(&shared, stream).await;
                }
            }
        }
    };
    tokio::select! {
        () = served => {}
        () = closed.cancelled() => {}
    }
}

async fn serve_http<S: AsyncRead + AsyncWrite + Unpin>(shared: &Arc<McpHttpShared>, stream: S) {
    let service = service_fn(|request| async { Ok::<_, Infallible>(answer(shared, request).await) });
    let mut server = hyper::server::conn::http1::Builder::new();
    let server = server.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    if let Err(error) = server.serve_connection(TokioIo::new(stream), service).await {
        tracing::debug!(%error, "a connection of an MCP client ended");
    }
}

async fn answer(shared: &Arc<McpHttpShared>, request: Request<Incoming>) -> Response<McpHttpBody> {
    if !bearer(request.headers()).is_some_and(|given| shared.token.matches(given)) {
        let mut told = refused(
            StatusCode::UNAUTHORIZED,
            "the door's token is needed, as \"Authorization: Bearer TOKEN\": postern doors setup mcp-http\n",
        );
        told.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return told;
    }
    if request.uri().path() != PATH {
        return refused(StatusCode::NOT_FOUND, "MCP is spoken at /mcp\n");
    }
    let (head, body) = request.into_parts();
    let body = match timeout(PATIENCE, Limited::new(body, LONGEST).collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, "a request has at most 4 MiB\n");
        }
        Ok(Err(_)) => return refused(StatusCode::BAD_REQUEST, "the request ended before its body did\n"),
        Err(_) => return refused(StatusCode::REQUEST_TIMEOUT, "the request took longer than 30 s\n"),
    };
    let named = session(&head.headers);
    if let Some(closed) = named.as_deref().filter(|_| head.method == Method::DELETE) {
        shared.streams.forget(closed);
    }
    let told = shared.service.handle(Request::from_parts(head, Full::new(body))).await;
    let session = named.or_else(|| session(told.headers()));
    told.map(|body| match session.filter(|_| !is_whole(&body)) {
        Some(session) => UnsyncBoxBody::new(shared.streams.watch_stream(session, body)),
        None => UnsyncBoxBody::new(body),
    })
}

/// Returns true if a body is known to its end: what goes on is a stream.
fn is_whole(body: &impl hyper::body::Body) -> bool {
    body.size_hint().exact().is_some()
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn session(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION)?.to_str().ok().map(str::to_owned)
}

fn refused(status: StatusCode, words: &'static str) -> Response<McpHttpBody> {
    let mut told = Response::new(UnsyncBoxBody::new(Full::new(Bytes::from_static(words.as_bytes()))));
    *told.status_mut() = status;
    told.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    told
}
