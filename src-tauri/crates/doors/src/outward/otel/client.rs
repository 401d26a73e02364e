//! HTTP client of the SDK's thread: it sends through the project's own client, on the host's runtime.

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use reqwest::Client;
use tokio::runtime::Handle;

/// Sends what the SDK gives it.
#[derive(Debug, Clone)]
pub(super) struct OtelHttpClient {
    client: Client,
    runtime: Handle,
}

impl OtelHttpClient {
    /// Makes a client, within the runtime that it will send on.
    pub(super) fn new(client: Client) -> Self {
        Self { client, runtime: Handle::current() }
    }
}

#[async_trait::async_trait]
impl HttpClient for OtelHttpClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (client, request) = (self.client.clone(), reqwest::Request::try_from(request)?);
        // The thread that asks is none of the runtime's, and has no timers and sockets of its own.
        let sent = self.runtime.spawn(async move {
            let answer = client.execute(request).await?;
            // What a collector answers may say which part it did not take; nobody would do anything about it.
            let status = answer.status();
            Ok::<_, reqwest::Error>(status)
        });
        let status = sent.await??;
        Ok(Response::builder().status(status).body(Bytes::new())?)
    }
}
