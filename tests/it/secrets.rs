//! Secrets of past requests are left out wherever these are listed; a question that waits, and the record, have all of them.

use crate::feed::Feed;
use postern_tests::{Asked, Postern};

/// Body of a token that never was one.
const BODY: &str = "a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ";

#[test]
fn what_waits_is_whole_and_what_is_past_keeps_its_secrets_to_itself() {
    let (host, channel) = Postern::with_agent();
    let watcher = host.watch();
    let mut feed = Feed::start(&host, &["--agent", "main"]);
    let token = format!("ghp_{BODY}");
    let asked = Asked::new(&channel, &["echo", "--token", &token]);
    let question = watcher.question();
    assert!(question.to_string().contains(BODY), "what is judged is seen whole: {question}");
    for waiting in [&["questions", "--json"][..], &["history"], &["show", "last"]] {
        assert!(host.ok(waiting).contains(BODY), "{waiting:?}");
    }
    host.approve(&question);
    assert_eq!(asked.end().code, 0);
    let told = feed.until("request.finished");
    assert!(told.iter().all(|line| !line.to_string().contains(BODY)), "events leave this Mac: {told:?}");
    assert!(told.last().unwrap()["line"].as_str().unwrap().ends_with("--token ghp_••••"), "{told:?}");
    for past in [&["history"][..], &["history", "--json"], &["show", "last"], &["show", "last", "--json"]] {
        let shown = host.ok(past);
        assert!(!shown.contains(BODY) && shown.contains("ghp_••••"), "postern {past:?} printed {shown}");
        assert!(host.ok(&[past, &["--secrets"]].concat()).contains(&token), "the record has it: {past:?}");
    }
    let shown = host.ok(&["show", "last"]);
    assert!(shown.contains("    --token ghp_••••\n"), "its output too: {shown}");
    assert!(shown.contains("--secrets"), "it says how to see them: {shown}");
    assert!(host.ok(&["history", "--search", BODY]).contains("ghp_••••"), "who knows it finds it");
}
