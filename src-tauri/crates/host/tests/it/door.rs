//! Tests of who gets in: the handshake, its limits and its errors.

use crate::support::{Lab, Wire, soon};
use postern_protocol::SocketKey;
use serde_json::json;

#[tokio::test]
async fn who_holds_the_key_gets_in_and_hears_how_it_is_judged() {
    let (_lab, wire) = Lab::connected().await;
    assert_eq!(wire.welcome["agent"], "main", "identity is the channel, not a field");
    assert_eq!(wire.welcome["policy"], json!({"security": "allowlist", "ask": "on-miss"}));
    assert_eq!(wire.welcome["sequence"], 0, "nothing was told yet");
    assert_eq!(wire.welcome["limits"]["frameBytes"], 256 * 1024);
}

#[tokio::test]
async fn a_wrong_key_is_refused_by_name_and_dropped() {
    let lab = Lab::start().await;
    let mut wire = Wire::open(&lab.socket("main")).await;
    let error = wire.authenticate(&SocketKey::from_bytes([7; 32]), None).await.unwrap_err();
    assert_eq!(error["data"]["code"], "unauthenticated", "{error}");
    assert_eq!(wire.read().await, None, "and the connection ends");
    lab.connect("main").await;
}

#[tokio::test]
async fn anything_before_the_proof_is_refused() {
    let lab = Lab::start().await;
    let run = json!({"jsonrpc": "2.0", "id": 1, "method": "system.run", "params": {}}).to_string();
    let old = json!({"jsonrpc": "2.0", "id": 1, "method": "authenticate", "params": {
        "protocol": 2, "nonce": "0".repeat(32), "proof": "0".repeat(64), "client": {"name": "x", "version": "1"}}});
    let cases = [
        ("a call", run, "unauthenticated"),
        ("noise", "GET / HTTP/1.1".to_owned(), "not-json"),
        ("another version", old.to_string(), "unsupported-protocol"),
    ];
    for (what, line, code) in cases {
        let mut wire = Wire::open(&lab.socket("main")).await;
        wire.read().await.unwrap();
        wire.send(format!("{line}\n").as_bytes()).await;
        let answer = wire.read().await.unwrap();
        assert_eq!(answer["error"]["data"]["code"], code, "{what}: {answer}");
        assert_eq!(wire.read().await, None, "{what}: and the connection ends");
    }
}

#[tokio::test]
async fn who_says_nothing_is_dropped() {
    let lab = Lab::start().await;
    let mut wire = Wire::open(&lab.socket("main")).await;
    assert_eq!(wire.read().await.unwrap()["method"], "hello");
    let answer = wire.read().await.unwrap();
    assert_eq!(answer["error"]["data"]["code"], "unauthenticated", "its time is over: {answer}");
    assert_eq!(wire.read().await, None);
}

#[tokio::test]
async fn a_removed_agents_channel_is_closed() {
    let (lab, mut wire) = Lab::connected().await;
    lab.control("agents.remove", json!({"agent": "main"})).await.unwrap();
    assert_eq!(wire.read().await, None, "who is connected is cut off");
    let again = soon("an answer", tokio::net::UnixStream::connect(lab.socket("main"))).await;
    assert!(again.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn a_new_key_cuts_the_old_one_off() {
    let lab = Lab::start().await;
    let old = lab.key("main");
    let mut wire = lab.connect("main").await;
    lab.control("agents.rotateKey", json!({"agent": "main"})).await.unwrap();
    assert_eq!(wire.read().await, None, "who is connected with the old key is cut off");
    let mut wire = Wire::open(&lab.socket("main")).await;
    assert!(wire.authenticate(&old, None).await.is_err(), "the old key is no good");
    lab.connect("main").await;
}
