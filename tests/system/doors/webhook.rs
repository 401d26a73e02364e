//! Tests of outgoing events at an endpoint.

use super::Asked;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use postern_tests::{Endpoint, Posted, Postern};
use serde_json::Value;
use sha2::Sha256;

/// Returns the secret that the endpoint is given.
fn secret(host: &Postern) -> Vec<u8> {
    let secret = host.json(&["doors", "setup", "webhook"])["secret"].as_str().unwrap().to_owned();
    STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap()
}

/// Returns a host with an agent that may run anything, whose events go to the endpoint; and the secret.
fn open(endpoint: &Endpoint, more: &[&str]) -> (Postern, std::path::PathBuf, Vec<u8>) {
    let (host, channel) = Postern::with_allowed_agent();
    let url = format!("url={}", endpoint.url("/hook"));
    host.ok(&[&["doors", "enable", "webhook", &url], more].concat());
    let secret = secret(&host);
    (host, channel, secret)
}

/// Returns true if it is signed with the secret that the endpoint was given, over what came.
fn is_signed(posted: &Posted, secret: &[u8]) -> bool {
    let [id, timestamp, signature] =
        ["webhook-id", "webhook-timestamp", "webhook-signature"].map(|name| posted.headers[name].clone());
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).unwrap();
    mac.update(format!("{id}.{timestamp}.{}", posted.body).as_bytes());
    let given = STANDARD.decode(signature.strip_prefix("v1,").unwrap()).unwrap();
    assert!(timestamp.parse::<u64>().unwrap() > 1_700_000_000);
    mac.verify_slice(&given).is_ok()
}

fn kind(event: &Value) -> &str {
    event["type"].as_str().unwrap()
}

/// Returns everything until this kind comes.
fn until(endpoint: &Endpoint, last: &str) -> Vec<Posted> {
    let mut all = Vec::new();
    loop {
        let posted = endpoint.next();
        let found = kind(&posted.json()) == last;
        all.push(posted);
        if found {
            return all;
        }
    }
}

#[test]
fn every_step_comes_signed_and_again_until_it_is_taken() {
    let endpoint = Endpoint::start(&["503", "302\r\nlocation: /elsewhere", "200"]);
    let (host, channel, secret) = open(&endpoint, &[]);
    assert_eq!(Asked::new(&channel, &["uname", "-s"]).end().code, 0);
    let posted = until(&endpoint, "request.finished");
    for one in &posted {
        assert!(is_signed(one, &secret), "{one:?}");
        assert_eq!((one.path.as_str(), one.headers["content-type"].as_str()), ("/hook", "application/json"));
        assert!(!one.body.contains("-s\""), "no arguments leave unless the person says so: {}", one.body);
    }
    // Opening the door is an event, too.
    let mut all = posted.iter().map(Posted::json);
    let first = all.find(|event| kind(event) != "policy.widened").unwrap();
    assert_eq!(kind(&first), "request.received", "{first}");
    assert_eq!(first["data"]["request"]["agent"], "main");
    assert_eq!(first["data"]["request"]["line"], "uname");
    let id = &posted[0].headers["webhook-id"];
    for again in &posted[1..3] {
        assert_eq!(&again.headers["webhook-id"], id, "the same event, the same id");
        assert_eq!(again.body, posted[0].body, "word for word");
    }
    let ids: std::collections::BTreeSet<_> = posted.iter().map(|one| &one.headers["webhook-id"]).collect();
    assert_eq!(ids.len(), posted.len() - 2, "and every other event has its own");
    let ended = posted.last().unwrap().json();
    assert_eq!(ended["data"]["request"]["exitCode"], 0, "{ended}");
    assert_eq!(host.door("webhook")["state"], "open");
}

#[test]
fn what_was_not_taken_is_sent_after_a_restart_and_requests_do_not_wait_for_it() {
    let endpoint = Endpoint::start(&["hang"]);
    let (mut host, channel, secret) = open(&endpoint, &["commands=full"]);
    let asked = Asked::new(&channel, &["uname", "-s"]).end();
    assert_eq!((asked.code, asked.stdout.trim()), (0, "Linux"), "nobody waits for an endpoint that is stuck");
    let stuck = endpoint.next();
    host.crash();
    host.start_again();
    let posted = until(&endpoint, "request.finished");
    assert_eq!(posted[0].headers["webhook-id"], stuck.headers["webhook-id"], "where it was left");
    let started = posted.iter().map(Posted::json).find(|event| kind(event) == "request.started").unwrap();
    assert_eq!(started["data"]["request"]["line"], "uname -s", "the person said that all of it may leave");
    assert!(
        started["data"]["request"]["exitCode"].is_null(),
        "what came later is not told before: {started}"
    );
    for one in &posted {
        assert!(is_signed(one, &secret), "{one:?}");
    }
}

#[test]
fn no_secret_leaves_with_the_whole_command() {
    let body = "a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ";
    let endpoint = Endpoint::start(&[]);
    let (_host, channel, _) = open(&endpoint, &["commands=full"]);
    assert_eq!(Asked::new(&channel, &["echo", &format!("npm_{body}")]).end().code, 0);
    let posted = until(&endpoint, "request.finished");
    assert!(posted.iter().all(|one| !one.body.contains(body)), "{posted:?}");
    assert_eq!(posted.last().unwrap().json()["data"]["request"]["line"], "echo npm_••••");
}

#[test]
fn an_event_that_is_refused_holds_up_the_next_ones_for_a_while_only() {
    let endpoint = Endpoint::start(&["400", "410", "400", "400", "422"]);
    let (_host, channel, _) = open(&endpoint, &[]);
    assert_eq!(Asked::new(&channel, &["uname"]).end().code, 0);
    let posted = until(&endpoint, "request.finished");
    let first =
        posted.iter().filter(|one| one.headers["webhook-id"] == posted[0].headers["webhook-id"]).count();
    assert_eq!((first, endpoint.answers_left()), (5, 0), "five times, and then the next");
}

#[test]
fn it_goes_nowhere_where_it_could_be_read() {
    let host = Postern::start();
    for (url, word) in
        [("http://example.com/x", "https://"), ("ftp://127.0.0.1/", "https://"), ("nonsense", "URL")]
    {
        host.refuses(&["doors", "enable", "webhook", &format!("url={url}")], word);
    }
    host.refuses(&["doors", "enable", "webhook"], "url=");
}

#[test]
fn a_secret_that_somebody_else_learnt_is_good_no_more_when_it_is_made_anew() {
    let endpoint = Endpoint::start(&[]);
    let (host, channel, first) = open(&endpoint, &[]);
    host.refuses(&["doors", "revoke", "webhook", "somebody"], "revoke webhook endpoint");
    host.ok(&["doors", "revoke", "webhook", "endpoint"]);
    let second = secret(&host);
    assert_ne!(first, second);
    assert_eq!(Asked::new(&channel, &["uname"]).end().code, 0);
    // Events before the new secret are signed with the old one.
    let of_request = |one: &Posted| one.body.contains("\"type\":\"request.");
    for one in until(&endpoint, "request.finished").into_iter().filter(of_request) {
        assert!(is_signed(&one, &second) && !is_signed(&one, &first), "{one:?}");
    }
}
