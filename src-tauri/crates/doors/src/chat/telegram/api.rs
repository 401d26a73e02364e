//! Calls of the Bot API. The token is part of every address and is told to nobody: not to a log, not in an error.

use crate::tls;
use postern_contract::methods::ControlError;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// Time that connecting may take.
const CONNECT: Duration = Duration::from_secs(10);
/// The longest answer, in bytes. A hundred updates have less.
const LONGEST: usize = 8 * 1024 * 1024;
/// The longest that a call is put off.
const MOST_LATER: u64 = 15 * 60;

/// The Bot API, as one bot.
pub(super) struct Api {
    client: Client,
    /// `https://api.telegram.org/bot<token>/`.
    base: Url,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api").field("host", &self.base.host_str()).finish_non_exhaustive()
    }
}

/// Reason why a call failed. Without the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// Too many calls: again in this long.
    Later(Duration),
    /// The token is not known.
    Unauthorized,
    /// No answer, or none that makes sense.
    Lost(String),
    /// Understood, and refused.
    Refused(String),
}

#[derive(Deserialize)]
struct ApiAnswer<T> {
    ok: bool,
    result: Option<T>,
    error_code: Option<u16>,
    description: Option<String>,
    parameters: Option<Parameters>,
}

#[derive(Deserialize)]
struct Parameters {
    retry_after: Option<u64>,
}

impl Api {
    /// Returns the API at `server`: over TLS, or on this machine. `ca` is a file of whom to trust instead of
    /// whom the system trusts.
    pub(super) fn new(server: &str, token: &str, ca: Option<&Path>) -> Result<Self, ControlError> {
        let is_token = token.split_once(':').is_some_and(|(id, rest)| {
            let letters = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            !id.is_empty()
                && id.bytes().all(|byte| byte.is_ascii_digit())
                && !rest.is_empty()
                && rest.chars().all(letters)
        });
        if !is_token {
            return Err(ControlError::invalid(
                "this is not a bot token; one looks like 123456789:AAE…, from @BotFather",
            ));
        }
        let wrong = || ControlError::invalid("server is https://HOST, or http:// on localhost");
        let url = Url::parse(server).map_err(|_| wrong())?;
        let here = matches!(url.host_str(), Some("127.0.0.1" | "[::1]" | "localhost"));
        let tls = match url.scheme() {
            "https" => ca.map_or_else(tls::system, tls::trust_only)?,
            "http" if here => tls::nobody()?,
            _ => return Err(wrong()),
        };
        let base =
            Url::parse(&format!("{}/bot{token}/", server.trim_end_matches('/'))).map_err(|_| wrong())?;
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .connect_timeout(CONNECT)
            .redirect(Policy::none())
            .build()
            .map_err(|error| {
                ControlError::refused(format!("no connection can be made: {}", error.without_url()))
            })?;
        Ok(Self { client, base })
    }

    pub(super) async fn call_method<T: DeserializeOwned>(
        &self,
        method: &str,
        params: &Value,
        patience: Duration,
    ) -> Result<T, Fault> {
        let lost = |error: reqwest::Error| Fault::Lost(crate::error_chain(&error.without_url()));
        let url = self.base.join(method).map_err(|_| Fault::Refused("no such method".to_owned()))?;
        let response = self.client.post(url).json(params).timeout(patience).send().await.map_err(lost)?;
        let text = read_body(response).await?;
        let answer: ApiAnswer<T> = serde_json::from_slice(&text)
            .map_err(|error| Fault::Lost(format!("its answer to {method} is not the Bot API's: {error}")))?;
        match answer {
            ApiAnswer { ok: true, result: Some(result), .. } => Ok(result),
            ApiAnswer { error_code, description, parameters, .. } => {
                Err(classify_error(error_code, &description.unwrap_or_default(), parameters))
            }
        }
    }
}

async fn read_body(mut response: Response) -> Result<Vec<u8>, Fault> {
    let mut text = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if text.len() + chunk.len() <= LONGEST => text.extend_from_slice(&chunk),
            Ok(Some(_)) => return Err(Fault::Lost("its answer is too long".to_owned())),
            Ok(None) => return Ok(text),
            Err(error) => return Err(Fault::Lost(crate::error_chain(&error.without_url()))),
        }
    }
}

fn classify_error(code: Option<u16>, description: &str, parameters: Option<Parameters>) -> Fault {
    let description = postern_command::escape::visible_text(description);
    match code {
        Some(429) => {
            let seconds = parameters.and_then(|parameters| parameters.retry_after).unwrap_or(1);
            Fault::Later(Duration::from_secs(seconds.clamp(1, MOST_LATER)))
        }
        // A token that is no token at all is answered with 404.
        Some(401 | 404) => Fault::Unauthorized,
        Some(500..) | None => Fault::Lost(description),
        Some(_) => Fault::Refused(description),
    }
}

#[cfg(test)]
mod tests {
    use super::{Api, Fault, Parameters, classify_error};
    use std::time::Duration;

    #[test]
    fn a_token_is_shown_nowhere() {
        let api = Api::new("http://127.0.0.1:1", "123:SECRET-token_1", None).unwrap();
        assert!(!format!("{api:?}").contains("SECRET"), "{api:?}");
    }

    #[tokio::test]
    async fn an_error_does_not_tell_the_token_either() {
        let api = Api::new("http://127.0.0.1:1", "123:SECRET-token_1", None).unwrap();
        let lost = api
            .call_method::<bool>("getMe", &serde_json::json!({}), Duration::from_secs(30))
            .await
            .unwrap_err();
        assert!(matches!(&lost, Fault::Lost(why) if !why.contains("SECRET")), "{lost:?}");
    }

    #[test]
    fn only_this_machine_is_spoken_to_without_tls() {
        let refused = |server: &str, token: &str| Api::new(server, token, None).unwrap_err().message;
        assert!(refused("http://api.telegram.org", "1:a").contains("https"));
        assert!(refused("ftp://127.0.0.1", "1:a").contains("https"));
        assert!(refused("https://api.telegram.org", "1:a/../x").contains("BotFather"));
        assert!(refused("https://api.telegram.org", "no token").contains("BotFather"));
    }

    #[test]
    fn the_api_says_when_to_come_again() {
        let in_seconds = |seconds| Some(Parameters { retry_after: Some(seconds) });
        assert_eq!(classify_error(Some(429), "", in_seconds(7)), Fault::Later(Duration::from_secs(7)));
        let got = classify_error(Some(429), "", in_seconds(u64::MAX));
        assert_eq!(got, Fault::Later(Duration::from_mins(15)));
        assert_eq!(classify_error(Some(401), "Unauthorized", None), Fault::Unauthorized);
        assert_eq!(classify_error(Some(502), "Bad Gateway", None), Fault::Lost("Bad Gateway".to_owned()));
        let got = classify_error(Some(403), "bot was blocked", None);
        assert_eq!(got, Fault::Refused("bot was blocked".to_owned()));
    }
}
