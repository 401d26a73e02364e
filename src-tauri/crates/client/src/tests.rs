//! The client against a host that says what these tests tell it to.

use crate::scripted::{self, ScriptedHost, Visit};
use crate::{CallError, Channel, ChannelOptions, ConnectError, ConnectionLoss, Control, read_key};
use postern_contract::{ApproverNotification, Attention, methods};
use postern_protocol::{
    Accepted, AgentCall, CallId, Client, Decision, DenyReason, ErrorCode, ErrorObject, EventsAfterResult,
    ExecOutput, Hello, Nonce, Notice, NoticeEvent, OutputStream, Pending, RunParams, RunResult, RunState,
    Socket, SocketKey, What, WhichParams, WhichProgram, WhichResult, error_line, notification_line,
};
use serde_json::json;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tempfile::TempDir;
use uuid::Uuid;

const REQUEST: Uuid = Uuid::from_u128(1);

/// Returns a host in a folder of its own, and the thread that plays its part.
fn play(kind: Socket, script: impl FnOnce(ScriptedHost) + Send + 'static) -> (TempDir, JoinHandle<()>) {
    let folder = tempfile::tempdir().expect("a folder");
    let host = ScriptedHost::listen(folder.path(), kind).expect("a socket");
    (folder, thread::spawn(move || script(host)))
}

/// Plays a host that one client comes to.
fn visited(script: impl FnOnce(Visit) + Send + 'static) -> (TempDir, JoinHandle<()>) {
    play(Socket::Channel, |host| script(host.accept().expect("a client")))
}

fn open(folder: &Path) -> Result<Channel, ConnectError> {
    Channel::connect(&folder.join("agent.sock"), &read_key(&folder.join("agent.key"))?)
}

fn notice(sequence: u64, event: NoticeEvent) -> Notice {
    Notice { sequence, at: "2026-01-01T00:00:00.000Z".to_owned(), request_id: REQUEST, session: None, event }
}

fn output(sequence: u64, text: &str) -> Notice {
    notice(sequence, NoticeEvent::Output(ExecOutput::new(OutputStream::Stdout, 0, text.into())))
}

fn denied(sequence: u64) -> Notice {
    notice(sequence, NoticeEvent::Denied(scripted::denied(DenyReason::User)))
}

fn run() -> RunParams {
    RunParams::new(REQUEST, What::Command(vec!["git".to_owned()]))
}

/// Takes a run, and answers that it was accepted.
fn accept_run(visit: &mut Visit) {
    let (id, call) = visit.next_call().expect("a call");
    assert_eq!(call, AgentCall::Run(Box::new(run())));
    let accepted = Accepted {
        request_id: REQUEST,
        state: RunState::Received,
        verdict: None,
        timeout_ms: None,
        pending: None,
    };
    visit.answer(&id, &accepted).expect("the client listens");
}

#[test]
fn a_run_is_accepted_and_its_events_come_in_order_also_those_before_the_answer() {
    let (folder, host) = visited(|mut visit| {
        let expires_at = "2026-01-01T00:02:00.000Z".to_owned();
        let pending = Pending { expires_at, position: 1, question: None, at_expiry: None };
        visit.send_notice(&notice(1, NoticeEvent::Pending(pending))).unwrap();
        accept_run(&mut visit);
        visit.send_notice(&denied(2)).unwrap();
    });
    let mut channel = open(folder.path()).expect("a channel");
    assert_eq!(channel.welcome().agent, "main");
    let answer = channel.run(run()).expect("an answer");
    assert!(matches!(answer, RunResult::Accepted(Accepted { state: RunState::Received, .. })));
    let heard: Vec<_> = channel.events().map(|event| event.map(|notice| notice.sequence)).take(3).collect();
    assert!(
        matches!(heard[..], [Ok(1), Ok(2), Err(ConnectionLoss::Closed)]),
        "both events, then the end: {heard:?}"
    );
    host.join().expect("the script went through");
}

#[test]
fn a_terminal_answer_is_read_as_the_event_it_is() {
    let (folder, host) = visited(|mut visit| {
        let (id, _) = visit.next_call().unwrap();
        visit.answer(&id, &RunResult::Ended(Box::new(denied(5)))).unwrap();
    });
    let answer = open(folder.path()).unwrap().run(run()).unwrap();
    assert_eq!(answer, RunResult::Ended(Box::new(denied(5))));
    host.join().unwrap();
}

#[test]
fn after_reconnect_what_was_missed_comes_once() {
    let (folder, host) = play(Socket::Channel, |host| {
        let mut visit = host.accept().unwrap();
        for sequence in 1..=3 {
            visit.send_notice(&output(sequence, "x")).unwrap();
        }
        drop(visit);
        let mut visit = host.accept().unwrap();
        assert_eq!(
            visit.opening.as_ref().unwrap().after,
            Some(3),
            "it asks for what came after what it heard"
        );
        for sequence in 3..=4 {
            visit.send_notice(&output(sequence, "y")).unwrap();
        }
    });
    let mut channel = open(folder.path()).unwrap();
    let heard: Vec<_> = channel.events().map_while(Result::ok).map(|notice| notice.sequence).collect();
    assert_eq!(heard, [1, 2, 3]);
    channel.reconnect().expect("the host is there again");
    let heard: Vec<_> = channel.events().map_while(Result::ok).map(|notice| notice.sequence).collect();
    assert_eq!(heard, [4], "an event that was heard before is not heard again");
    host.join().unwrap();
}

#[test]
fn a_replay_that_is_asked_for_is_heard_again() {
    let (folder, host) = play(Socket::Channel, |mut host| {
        host.sequence = 2;
        let mut visit = host.accept().unwrap();
        let (id, call) = visit.next_call().unwrap();
        assert_eq!(call.method(), "events.after");
        visit.answer(&id, &EventsAfterResult { sequence: 2, replaying: 2 }).unwrap();
        visit.send_notice(&output(1, "a")).unwrap();
        visit.send_notice(&output(2, "b")).unwrap();
    });
    let mut channel = open(folder.path()).unwrap();
    assert_eq!(channel.sequence(), 2, "a new client hears from now on");
    assert_eq!(channel.events_after(0).unwrap().replaying, 2);
    let heard: Vec<_> = channel.events().map_while(Result::ok).map(|notice| notice.sequence).collect();
    assert_eq!(heard, [1, 2]);
    host.join().unwrap();
}

#[test]
fn answers_come_in_their_own_types_and_errors_by_their_names() {
    let (folder, host) = visited(|mut visit| {
        let (id, _) = visit.next_call().unwrap();
        let git = WhichProgram {
            name: "git".to_owned(),
            path: None,
            decision: Decision::Deny,
            message: "?".to_owned(),
        };
        visit.answer(&id, &WhichResult { programs: vec![git] }).unwrap();
        let (id, _) = visit.next_call().unwrap();
        let error = ErrorObject::new(ErrorCode::RateLimited, "too many requests").retry_after(50);
        visit.send(&error_line(Some(&id), &error)).unwrap();
        let (id, _) = visit.next_call().unwrap();
        visit.answer(&id, &json!({"programs": 3})).unwrap();
    });
    let mut channel = open(folder.path()).unwrap();
    let which = AgentCall::Which(WhichParams { names: vec!["git".to_owned()] });
    assert_eq!(channel.call_typed::<WhichResult>(&which).unwrap().programs[0].name, "git");
    let refused = channel.call_typed::<WhichResult>(&which).unwrap_err();
    assert_eq!(refused.error_code(), Some("rate-limited"));
    assert!(matches!(refused, CallError::Failed(error) if error.data.retry_after_ms == Some(50)));
    assert!(matches!(channel.call_typed::<WhichResult>(&which), Err(CallError::OddAnswer { .. })));
    host.join().unwrap();
}

#[test]
fn waiting_ends_when_the_time_runs_out_and_nothing_is_lost_by_it() {
    let (folder, host) = visited(|mut visit| {
        // Half a line first; the rest once the client has given up waiting and asks for something else.
        let line = output(1, "late").to_line();
        visit.send(&line[..40]).unwrap();
        let (id, _) = visit.next_call().unwrap();
        visit.send(&line[40..]).unwrap();
        visit.answer(&id, &WhichResult { programs: Vec::new() }).unwrap();
    });
    let mut channel = open(folder.path()).unwrap();
    let early = channel.next_event(Some(Duration::from_millis(5))).expect("still connected");
    assert_eq!(early, None);
    channel.call_host(&AgentCall::Which(WhichParams { names: Vec::new() })).expect("an answer");
    let event = channel.next_event(None).unwrap().expect("the event that was cut in two");
    assert_eq!(event, output(1, "late"));
    host.join().unwrap();
}

#[test]
fn every_way_of_not_connecting_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, key) = (folder.path().join("agent.sock"), SocketKey::from_bytes([1; 32]));
    let missing = Channel::connect(&socket, &key).unwrap_err();
    assert!(matches!(missing, ConnectError::NothingListens { .. }));
    let said = missing.to_string();
    assert!(said.contains("companion app Postern must be running"), "{said}");
    assert!(said.contains("postern serve"), "{said}");
    drop(UnixListener::bind(&socket).unwrap());
    let stale = Channel::connect(&socket, &key).unwrap_err();
    assert!(matches!(stale, ConnectError::NothingListens { .. }), "a socket nobody accepts on: {stale}");
    let nowhere = Channel::connect(std::path::Path::new("tcp://nowhere"), &key).unwrap_err();
    assert!(matches!(nowhere, ConnectError::Unreachable { .. }), "an address without a port: {nowhere}");
    assert!(nowhere.to_string().contains("as in tcp://host.docker.internal:"), "{nowhere}");
    assert!(matches!(read_key(&socket.with_extension("none")), Err(ConnectError::KeyUnreadable { .. })));
    let odd = folder.path().join("odd.key");
    std::fs::write(&odd, "not a key").unwrap();
    assert!(matches!(read_key(&odd), Err(ConnectError::BadKey { .. })));
}

#[test]
fn who_does_not_hold_the_key_is_found_out_on_both_sides() {
    let (folder, host) =
        play(Socket::Channel, |host| assert!(host.accept().is_err(), "a wrong key does not come in"));
    let wrong = Channel::connect(&folder.path().join("agent.sock"), &SocketKey::from_bytes([1; 32]));
    assert!(wrong.is_err());
    host.join().unwrap();

    // A host that sends the client's own proof back.
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("agent.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let host = thread::spawn(move || {
        let mut visit = Visit::from_stream(listener.accept().unwrap().0);
        let hello = Hello { protocol: 1, server: "x".to_owned(), nonce: Nonce::from_bytes([1; 16]) };
        visit.send(&notification_line("hello", &hello)).unwrap();
        let request = visit.request().unwrap();
        visit.answer(&request.id, &json!({"proof": request.params["proof"]})).unwrap();
    });
    let key = SocketKey::from_bytes([1; 32]);
    assert!(matches!(Channel::connect(&socket, &key), Err(ConnectError::Impostor { .. })));
    host.join().unwrap();
}

#[test]
fn what_listens_without_speaking_the_protocol_is_told_apart() {
    let unauthenticated = ErrorObject::new(ErrorCode::Unauthenticated, "this channel is closed");
    let old = json!({"protocol": 2, "server": "postern/9", "nonce": "0".repeat(32)});
    let cases: [(Vec<u8>, &str); 4] = [
        (b"HTTP/1.1 400 Bad Request\r\n".to_vec(), "does not answer as Postern does"),
        (error_line(None, &unauthenticated), "this channel is closed"),
        (notification_line("hello", &old), "version 2"),
        (Vec::new(), "closed the connection"),
    ];
    for (said, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("agent.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let host =
            thread::spawn(move || Visit::from_stream(listener.accept().unwrap().0).send(&said).unwrap());
        let error = Channel::connect(&socket, &SocketKey::from_bytes([1; 32])).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        host.join().unwrap();
    }
}

#[test]
fn the_control_socket_answers_and_tells() {
    let (folder, host) = play(Socket::Control, |host| {
        let mut visit = host.accept().unwrap();
        let request = visit.request().unwrap();
        assert_eq!(
            (request.method.as_str(), &request.params["face"]),
            ("questions.watch", &json!("terminal"))
        );
        visit.send(&notification_line("rules.changed", &json!({}))).unwrap();
        visit.answer(&request.id, &json!({"questions": []})).unwrap();
        visit
            .send(&notification_line(
                "attention",
                &serde_json::json!({"message": "an unknown agent knocked"}),
            ))
            .unwrap();
        let request = visit.request().unwrap();
        visit
            .send(&error_line(Some(&request.id), &ErrorObject::with_code_name("not-found", "no rule 9")))
            .unwrap();
    });
    let mut control = Control::connect(folder.path()).expect("a host");
    let waiting = control.watch_questions(methods::ApproverKind::Terminal).expect("an answer");
    assert!(waiting.questions.is_empty());
    assert_eq!(control.next_known_notification(None).unwrap(), Some(ApproverNotification::RulesChanged));
    assert_eq!(
        control.next_known_notification(None).unwrap(),
        Some(ApproverNotification::Attention(Attention { message: "an unknown agent knocked".to_owned() }))
    );
    let error = control.call_by_name("rules.remove", &json!({"id": 9})).unwrap_err();
    assert_eq!((error.error_code(), error.to_string().as_str()), (Some("not-found"), "no rule 9"));
    assert!(matches!(control.next_known_notification(None), Err(ConnectionLoss::Closed)));
    host.join().unwrap();
}

#[test]
fn a_channels_key_does_not_open_the_control_socket() {
    let (folder, host) = play(Socket::Control, |host| assert!(host.accept().is_err()));
    let key = read_key(&folder.path().join("control.key")).unwrap();
    let entered = Channel::connect(&folder.path().join("control.sock"), &key);
    assert!(entered.is_err(), "the same key under the channel's label proves nothing here");
    host.join().unwrap();
}

#[test]
fn a_client_says_who_it_is() {
    let (folder, host) = play(Socket::Channel, |host| {
        let opening = host.accept().unwrap().opening.unwrap();
        assert_eq!((opening.client.name.as_str(), opening.after), ("hook", Some(7)));
    });
    let key = read_key(&folder.path().join("agent.key")).unwrap();
    let client = Client { name: "hook".to_owned(), version: "1".to_owned() };
    let options = ChannelOptions { client, after: Some(7) };
    Channel::connect_with(&folder.path().join("agent.sock"), &key, options).expect("let in");
    host.join().unwrap();
}

#[test]
fn calls_that_were_only_sent_are_answered_by_their_ids() {
    let (folder, host) = visited(|mut visit| {
        let ids: Vec<CallId> = (0..2).map(|_| visit.next_call().unwrap().0).collect();
        for id in ids.iter().rev() {
            visit.answer(id, &json!({})).unwrap();
        }
    });
    let mut channel = open(folder.path()).unwrap();
    let which = AgentCall::Which(WhichParams { names: Vec::new() });
    let (first, second) = (channel.send(&which).unwrap(), channel.send(&which).unwrap());
    let mut answered = Vec::new();
    while let Ok(Some(crate::ChannelMessage::Answer(answer))) = channel.read_message(None) {
        answered.push(answer.id.expect("an id"));
    }
    assert_eq!(answered, [second, first]);
    host.join().unwrap();
}
