//! Round trips: nothing panics, and what is written is read back as it was.

use super::read;
use crate::{
    AgentCall, CallId, Confined, Decision, DenyReason, Encoding, ExecDenied, ExecFinished, ExecOutput, Frame,
    InputParams, KillParams, LineBuffer, Notice, NoticeEvent, Outcome, OutputStream, Profile, RunParams,
    RunResult, RunStdin, SessionKind, Signal, ToolCheckParams, ToolError, ToolResolved, Wait, What, decode,
    limits, result_line,
};
use proptest::prelude::*;
use serde_json::Value;
use uuid::Uuid;

/// Returns text without NUL, of any other characters.
fn words() -> BoxedStrategy<String> {
    "[^\u{0}]{1,20}".boxed()
}

fn run_params() -> BoxedStrategy<RunParams> {
    let what = prop_oneof![
        prop::collection::vec(words(), 1..5).prop_map(What::Command),
        "[a-z|&; \n]{0,20}x".prop_map(What::Shell),
    ];
    let stdin = prop_oneof![
        Just(RunStdin::Nothing),
        any::<String>().prop_map(RunStdin::Text),
        Just(RunStdin::Stream)
    ];
    let env = prop::collection::btree_map("[A-Z_][A-Z0-9_]{0,8}", words(), 0..4);
    let rest = (prop::option::of(words()), prop::option::of(1..u64::MAX), any::<(bool, bool, bool)>());
    (any::<u128>(), what, stdin, env, rest)
        .prop_map(|(id, what, stdin, env, (text, timeout_ms, flags))| RunParams {
            cwd: text.clone(),
            env,
            stdin,
            timeout_ms,
            reason: text.clone(),
            session: text,
            session_kind: if flags.1 { SessionKind::Id } else { SessionKind::Name },
            wait: if flags.0 { Wait::Finished } else { Wait::None },
            stream: flags.1,
            cancel_on_disconnect: flags.2,
            join: flags.2,
            ..RunParams::new(Uuid::from_u128(id), what)
        })
        .boxed()
}

fn calls() -> BoxedStrategy<AgentCall> {
    prop_oneof![
        run_params().prop_map(|run| AgentCall::Run(Box::new(run))),
        prop::collection::vec(any::<u8>(), 0..50).prop_map(|bytes| {
            let eof = bytes.len() > 20;
            AgentCall::Input(InputParams::new(Uuid::nil(), 9, bytes, eof))
        }),
        words().prop_map(|tool| AgentCall::ToolCheck(ToolCheckParams {
            arguments: [(tool.clone(), Value::from(tool.len()))].into_iter().collect(),
            session: Some(tool.clone()),
            session_kind: SessionKind::Id,
            cwd: Some("/w".to_owned()),
            defaults: Some(crate::Defaults::Leave),
            server: Some("fs".to_owned()),
            rewrites: true,
            tool,
        })),
        Just(AgentCall::Kill(KillParams { request_id: Uuid::nil(), signal: Signal::sigterm() })),
    ]
    .boxed()
}

fn events() -> BoxedStrategy<NoticeEvent> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..50);
    prop_oneof![
        (bytes(), any::<u64>()).prop_map(|(bytes, offset)| NoticeEvent::Output(ExecOutput::new(
            OutputStream::Stderr,
            offset,
            bytes
        ))),
        (bytes(), any::<(Option<i32>, bool, u64)>()).prop_map(
            |(bytes, (exit_code, truncated, duration_ms))| {
                let (stdout, stdout_encoding) = Encoding::encode(bytes);
                NoticeEvent::Finished(ExecFinished {
                    outcome: Outcome::Exited,
                    exit_code,
                    signal: None,
                    timed_out: false,
                    duration_ms,
                    stdout,
                    stdout_encoding,
                    stderr: String::new(),
                    stderr_encoding: Encoding::Utf8,
                    truncated,
                    bytes: duration_ms,
                    edited: exit_code.map(|code| format!("exit {code}")),
                    timeout_ms: exit_code.map(|_| duration_ms),
                    message: None,
                })
            }
        ),
        any::<(String, Option<String>, Option<i64>)>().prop_map(|(message, feedback, rule)| {
            NoticeEvent::Denied(ExecDenied {
                reason: DenyReason::AllowlistMiss,
                message,
                advice: None,
                feedback,
                rule,
                retry_after_ms: None,
            })
        }),
        any::<u128>().prop_map(|id| NoticeEvent::ToolResolved(ToolResolved {
            check_id: Uuid::from_u128(id),
            decision: Decision::Deny,
            feedback: None,
            error: Some(ToolError::ToolRejectedError),
            message: Some("No.".to_owned()),
            confined: Some(Confined {
                profile: Profile::Project,
                folders: vec!["/w".to_owned()],
                network: true,
                loopback: false,
                deny_read: vec!["**/.env".to_owned()],
                deny_secrets: true,
                deny_write: Vec::new(),
            }),
        })),
    ]
    .boxed()
}

fn notices() -> BoxedStrategy<Notice> {
    (any::<u64>(), any::<u128>(), prop::option::of(any::<String>()), events())
        .prop_map(|(sequence, id, session, event)| Notice {
            sequence,
            at: "2026-01-01T00:00:00.000Z".to_owned(),
            request_id: Uuid::from_u128(id),
            session,
            event,
        })
        .boxed()
}

/// Returns a message that is right, with one stretch of it replaced.
fn damaged() -> BoxedStrategy<Vec<u8>> {
    let patch = prop::collection::vec(any::<u8>(), 0..4);
    (calls(), any::<prop::sample::Index>(), 0..4usize, patch)
        .prop_map(|(call, at, gone, patch)| {
            let mut line = call.to_line(&CallId::Number(1));
            let start = at.index(line.len());
            let end = line.len().min(start + gone);
            line.splice(start..end, patch);
            line
        })
        .boxed()
}

proptest! {
    #[test]
    fn no_bytes_panic(line in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&line);
    }

    #[test]
    fn no_damage_panics(line in damaged()) {
        if let Err(refused) = read(&line) {
            prop_assert!(decode(&refused.into_line(), limits::FRAME_OUT).is_ok(), "a refusal is itself a message");
        }
    }

    #[test]
    fn a_call_is_read_as_it_was_written(call in calls(), id in any::<i64>()) {
        let line = call.to_line(&CallId::Number(id));
        prop_assert_eq!(memchr::memchr_iter(b'\n', &line).count(), 1, "one line");
        prop_assert_eq!(read(&line), Ok((CallId::Number(id), call)));
    }

    #[test]
    fn a_notice_is_read_as_it_was_written(notice in notices()) {
        let Ok(Frame::Notification(told)) = decode(&notice.to_line(), limits::FRAME_OUT) else {
            panic!("a notice is a notification")
        };
        prop_assert!(Notice::is_known_method(&told.method));
        prop_assert_eq!(Notice::of_notification(told), Ok(notice));
    }

    #[test]
    fn an_ending_is_read_as_it_was_answered(notice in notices().prop_filter("an end", |notice| notice.event.is_end())) {
        let line = result_line(&CallId::Number(1), &RunResult::Ended(Box::new(notice.clone())));
        let Ok(Frame::Response(answer)) = decode(&line, limits::FRAME_OUT) else { panic!("an answer") };
        let value = answer.outcome.expect("a good answer");
        prop_assert!(value["state"] == "finished" || value["state"] == "denied", "the state stands there");
        prop_assert_eq!(RunResult::of_value(value), Ok(RunResult::Ended(Box::new(notice))));
    }

    #[test]
    fn a_frame_is_read_as_it_was_written(call in calls(), text in "[a-z]{1,9}") {
        let frame = decode(&call.to_line(&CallId::Text(text)), limits::FRAME_IN).expect("a frame");
        prop_assert_eq!(decode(&frame.to_line(), limits::FRAME_IN), Ok(frame));
    }

    #[test]
    fn bytes_cut_anywhere_give_the_same_lines(text in "[a-c\n]{0,60}", cuts in prop::collection::vec(0..9usize, 0..30)) {
        let whole: Vec<&str> = text.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
        let expected: Vec<&str> = whole.iter().map(|line| line.trim_end_matches('\n')).filter(|line| !line.is_empty()).collect();
        let mut lines = LineBuffer::new(100);
        let (mut rest, mut got) = (text.as_bytes(), Vec::new());
        for cut in cuts.into_iter().chain([usize::MAX]) {
            let (now, later) = rest.split_at(cut.min(rest.len()));
            lines.push(now);
            rest = later;
            while let Some(line) = lines.next_line() {
                got.push(String::from_utf8(line.expect("short lines").to_vec()).expect("ASCII"));
            }
        }
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn a_fingerprint_tells_content_from_listening(run in run_params(), flag in any::<bool>()) {
        let listening = RunParams {
            stream: flag,
            wait: Wait::Finished,
            cancel_on_disconnect: flag,
            join: flag,
            ..run.clone()
        };
        prop_assert_eq!(run.fingerprint(), listening.fingerprint(), "how it is listened to changes nothing");
        let other = RunParams { cwd: Some("/another".to_owned()), ..run.clone() };
        prop_assert_ne!(run.fingerprint(), other.fingerprint(), "another folder is another request");
        prop_assert!(!run.is_same(&other));
        let again = RunParams { request_id: Uuid::max(), reason: None, ..listening };
        prop_assert!(run.is_same(&again), "the same in other words and under another number");
    }
}
