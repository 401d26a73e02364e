//! `postern-run` as a process, against a host that says what these tests tell it to.

mod stage;

use postern_client::scripted::{denied, finished};
use postern_protocol::{
    Accepted, AgentCall, DenyReason, Encoding, ErrorCode, ErrorObject, ExecDenied, ExecFinished, InputResult,
    KillResult, Notice, NoticeEvent, Outcome, OutputResult, OutputStream, RunState, RunStdin, Signal,
    StatusResult, What, error_line, limits,
};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, kill_process};
use stage::{Play, Scene, exited, until_ready};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::process::Stdio;
use uuid::Uuid;

#[test]
fn it_behaves_like_the_command_output_streams_and_exit_code() {
    let play = Play::scene(|mut scene| {
        assert_eq!(scene.run.what, What::Command(vec!["make".to_owned(), "-j 2".to_owned()]));
        assert_eq!((&scene.run.stdin, scene.run.stream), (&RunStdin::Nothing, true));
        assert_eq!(scene.run.cwd.as_deref(), Some("/"), "it runs where the caller is");
        assert_eq!(scene.run.env["A"], "1");
        assert_eq!((scene.run.timeout_ms, scene.run.reason.as_deref()), (Some(5_000), Some("to build")));
        scene.start();
        scene.output(OutputStream::Stdout, b"one\n");
        scene.output(OutputStream::Stderr, b"warning\n");
        scene.output(OutputStream::Stdout, b"\xff\x00two");
        scene.finish(7);
    });
    let options = ["--env", "A=1", "--timeout", "5s", "--reason=to build", "--", "make", "-j 2"];
    let output = play.command(&options).current_dir("/").output().expect("postern-run starts");
    assert_eq!(output.stdout, b"one\n\xff\x00two", "bytes as they were");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "warning\n", "and nothing of its own");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn shell_text_goes_as_it_is() {
    let play = Play::scene(|mut scene| {
        assert_eq!(scene.run.what, What::Shell("cd x && make | tee log".to_owned()));
        scene.finish(0);
    });
    let status = play.command(&["--shell", "cd x && make | tee log"]).status().unwrap();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn by_another_name_it_runs_that_command() {
    let play = Play::scene(|mut scene| {
        assert_eq!(scene.run.what, What::Command(vec!["brew".to_owned(), "--version".to_owned()]));
        scene.finish(0);
    });
    let link = play.folder().join("brew");
    symlink(stage::program(), &link).unwrap();
    assert_eq!(play.command_at(&link, &["--version"]).status().unwrap().code(), Some(0));
}

#[test]
fn a_denial_says_why_and_exits_with_126() {
    let play = Play::scene(|mut scene| {
        scene.pending();
        scene.tell(NoticeEvent::Denied(ExecDenied {
            message: "The person said no.".to_owned(),
            advice: Some("Ask for the staging project.".to_owned()),
            feedback: Some("never on a Friday".to_owned()),
            ..denied(DenyReason::User)
        }));
    });
    let output = play.command(&["--", "deploy"]).output().unwrap();
    assert_eq!(output.status.code(), Some(126));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for words in ["denied (user): The person said no.", "never on a Friday", "Ask for the staging project."] {
        assert_eq!(said.matches(words).count(), 1, "{words:?} stands in: {said}");
    }
}

#[test]
fn it_says_at_once_and_once_that_a_person_is_asked() {
    let expected =
        "postern-run: waiting for a person to answer question caa2 (denied in 120 s, at 00:02:00 UTC)\n";
    for (options, expected) in [(&["--", "x"][..], expected), (&["--quiet", "--", "x"], "")] {
        let play = Play::scene(|mut scene| {
            scene.pending();
            scene.pending();
            scene.finish(0);
        });
        let output = play.command(options).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8_lossy(&output.stderr), expected, "{options:?}");
    }
}

#[test]
fn who_cannot_wait_is_told_that_it_is_pending_and_how_to_go_on() {
    // Both at once: on a busy computer it may take a while until it hears of the question.
    let started = [false, true].map(|in_environment| {
        let play = Play::scene(|mut scene| {
            assert!(scene.run.join, "the same again joins it");
            scene.pending();
            assert!(scene.visit.next_call().is_err(), "it goes, and withdraws nothing");
        });
        let mut command = if in_environment {
            let mut command = play.command(&["--", "x"]);
            command.env("POSTERN_WAIT", "3s");
            command
        } else {
            play.command(&["--wait", "3s", "--", "x"])
        };
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        (play, child)
    });
    for (_play, child) in started {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(75));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let last: Vec<&str> = said.lines().skip(1).collect();
        let expected = [
            "postern-run: pending: no answer yet: a person can still answer question caa2 (denied in 120 s, at 00:02:00 UTC)",
            "postern-run: run the same line again to go on waiting: nobody is asked twice",
        ];
        assert_eq!(last, expected);
    }
}

#[test]
fn what_it_joins_is_heard_from_its_beginning() {
    let joined = Uuid::from_u128(7);
    let play = Play::new(move |host| {
        let mut visit = host.accept().unwrap();
        let (id, call) = visit.next_call().unwrap();
        assert!(matches!(call, AgentCall::Run(_)), "{call:?}");
        let (verdict, timeout_ms) = (None, Some(300_000));
        let state = RunState::Running;
        let accepted = Accepted { request_id: joined, state, verdict, timeout_ms, pending: None };
        visit.answer(&id, &accepted).unwrap();
        let at = "2026-01-01T00:00:00.000Z".to_owned();
        let event = NoticeEvent::Finished(ExecFinished { bytes: 5, ..exited(3) });
        visit.send_notice(&Notice { sequence: 1, at, request_id: joined, session: None, event }).unwrap();
        let (id, call) = visit.next_call().unwrap();
        let AgentCall::Status(asked) = call else { panic!("how much it wrote is asked for: {call:?}") };
        assert_eq!(asked.request_id, joined);
        visit.answer(&id, &status(joined, 5)).unwrap();
        let (id, call) = visit.next_call().unwrap();
        let AgentCall::Output(wanted) = call else { panic!("and what it wrote: {call:?}") };
        assert_eq!((wanted.request_id, wanted.offset), (joined, 0));
        let output = OutputResult { stdout_bytes: 5, truncated: false, ..part(joined, 0, "early") };
        visit.answer(&id, &output).unwrap();
    });
    let output = play.command(&["--wait", "1m", "--timeout", "10m", "--", "make"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), b"early".as_slice()), "{said}");
    assert!(said.contains("joined the same command"), "{said}");
    assert!(said.contains("it may run for 5m at most, not the 10m that were asked for"), "{said}");
}

#[test]
fn other_endings_have_their_own_exit_codes() {
    let denied = |reason| NoticeEvent::Denied(denied(reason));
    let ended = |outcome, signal: Option<&str>| {
        let signal = signal.and_then(Signal::from_name);
        NoticeEvent::Finished(ExecFinished { signal, ..finished(outcome) })
    };
    let cases = [
        (denied(DenyReason::NotFound), 127),
        (denied(DenyReason::Expired), 126),
        (ended(Outcome::Timeout, Some("KILL")), 124),
        (ended(Outcome::Signalled, Some("SEGV")), 139),
        (ended(Outcome::Unknown, None), 125),
    ];
    for (event, code) in cases {
        let play = Play::scene(move |mut scene| scene.tell(event));
        assert_eq!(play.command(&["--", "x"]).output().unwrap().status.code(), Some(code));
    }
}

#[test]
fn what_the_host_cannot_take_is_this_programs_own_trouble() {
    let play = Play::new(|host| {
        let mut visit = host.accept().unwrap();
        let (id, _) = visit.next_call().unwrap();
        let error = ErrorObject::new(ErrorCode::RateLimited, "too many requests");
        visit.send(&error_line(Some(&id), &error)).unwrap();
    });
    let output = play.command(&["--", "x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&output.stderr).contains("too many requests"));
    let output = stage::bare().args(["--env", "A=1", "--nope"]).output().unwrap();
    assert_eq!(output.status.code(), Some(125), "a mistyped option is no exit code of the command's");
}

#[test]
fn where_nothing_listens_it_says_that_postern_must_be_running() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("agent.sock");
    let with_socket = stage::bare().env("POSTERN_SOCKET", &socket).args(["--", "x"]).output().unwrap();
    let without = stage::bare().args(["--", "x"]).output().unwrap();
    for output in [with_socket, without] {
        assert_eq!(output.status.code(), Some(125));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("companion app Postern") && said.contains("must be running"), "{said}");
    }
}

#[test]
fn standard_input_goes_piece_by_piece_each_after_the_last_was_written() {
    let sent: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let expected = sent.clone();
    let play = Play::scene(move |mut scene| {
        assert_eq!(scene.run.stdin, RunStdin::Stream);
        scene.start();
        let mut got = Vec::new();
        loop {
            let (id, call) = scene.visit.next_call().unwrap();
            let AgentCall::Input(piece) = call else { panic!("only input is sent now: {call:?}") };
            assert_eq!(piece.offset, Some(got.len() as u64), "each piece says where it begins");
            let eof = piece.eof;
            let bytes = piece.into_bytes().unwrap();
            assert!(bytes.len() <= limits::INPUT, "a piece fits into a line");
            got.extend_from_slice(&bytes);
            let written = InputResult { request_id: scene.run.request_id, written: bytes.len() as u64 };
            scene.visit.answer(&id, &written).unwrap();
            if eof {
                break;
            }
        }
        assert_eq!(got, expected);
        scene.finish(0);
    });
    let mut child = play.command(&["--", "cat"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&sent).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_signal_is_passed_on_and_the_exit_code_tells_of_it() {
    let play = Play::scene(|mut scene| {
        scene.ready();
        let (id, call) = scene.visit.next_call().unwrap();
        let AgentCall::Kill(kill) = call else { panic!("a kill: {call:?}") };
        assert_eq!((kill.request_id, kill.signal.name()), (scene.run.request_id, "SIGINT"));
        let result = KillResult { request_id: kill.request_id, state: RunState::Stopping };
        scene.visit.answer(&id, &result).unwrap();
        scene.ended_by_signal("INT");
    });
    let mut child = play.command_with("DEFAULT", &["--", "sleep"]).stdout(Stdio::piped()).spawn().unwrap();
    until_ready(&mut child);
    kill_process(Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// As the command itself would: what a shell starts in the background, and what `nohup` starts, is not interrupted.
#[test]
fn a_signal_that_was_ignored_from_the_start_stays_ignored() {
    let play = Play::scene(|mut scene| {
        scene.ready();
        let (id, call) = scene.visit.next_call().unwrap();
        assert!(
            matches!(&call, AgentCall::Kill(kill) if kill.signal == Signal::sigterm()),
            "not SIGINT: {call:?}"
        );
        let result = KillResult { request_id: scene.run.request_id, state: RunState::Stopping };
        scene.visit.answer(&id, &result).unwrap();
        scene.ended_by_signal("TERM");
    });
    let mut child = play.command_with("IGNORE", &["--", "sleep"]).stdout(Stdio::piped()).spawn().unwrap();
    until_ready(&mut child);
    kill_process(Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    kill_process(Pid::from_child(&child), rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

#[test]
fn a_question_that_is_interrupted_ends_as_interrupted() {
    let (told, hears) = std::sync::mpsc::channel();
    let play = Play::scene(move |mut scene| {
        scene.pending();
        told.send(()).unwrap();
        let (_, call) = scene.visit.next_call().unwrap();
        assert!(matches!(call, AgentCall::Kill(kill) if kill.signal == Signal::sigterm()));
        scene.tell(NoticeEvent::Denied(denied(DenyReason::Cancelled)));
    });
    let child = play.command(&["-q", "--", "x"]).stderr(Stdio::piped()).spawn().unwrap();
    hears.recv().unwrap();
    kill_process(Pid::from_child(&child), rustix::process::Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143));
    assert!(output.stderr.is_empty(), "who interrupts needs no explanation");
}

#[test]
fn a_host_that_says_nothing_keeps_no_program_that_is_to_end() {
    let (over, is_over) = std::sync::mpsc::channel::<()>();
    let play = Play::scene(move |mut scene| {
        scene.ready();
        let (_, call) = scene.visit.next_call().unwrap();
        assert!(matches!(call, AgentCall::Kill(_)), "{call:?}");
        // The connection stays, and nothing more is said.
        assert!(is_over.recv().is_err(), "the test ends it");
    });
    let mut command = play.command(&["--", "sleep"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until_ready(&mut child);
    kill_process(Pid::from_child(&child), rustix::process::Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("does not wait for it"), "{said}");
    drop(over);
}

#[test]
fn when_nobody_reads_its_output_the_command_gets_a_broken_pipe() {
    let play = Play::scene(|mut scene| {
        scene.start();
        scene.output(OutputStream::Stdout, b"nobody reads this\n");
        let (_, call) = scene.visit.next_call().unwrap();
        assert!(matches!(&call, AgentCall::Kill(kill) if kill.signal.name() == "SIGPIPE"), "{call:?}");
        scene.output(OutputStream::Stdout, b"nor this\n");
        scene.ended_by_signal("PIPE");
    });
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    // A child that another test starts holds a copy of it until it is its own program.
    poll(&mut [PollFd::new(&writer, PollFlags::empty())], None).unwrap();
    let mut child = play.command(&["--", "yes"]).stdout(writer).spawn().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(141));
}

#[test]
fn a_lost_connection_is_taken_up_where_it_was() {
    let play = Play::new(|host| {
        let mut scene = Scene::open(&host);
        scene.start();
        scene.output(OutputStream::Stdout, b"abc");
        let (before, run) = (scene.sequence, scene.run.clone());
        drop(scene);
        let mut scene = Scene::open(&host);
        assert_eq!(scene.visit.opening.as_ref().unwrap().after, Some(before), "events it missed are wanted");
        assert_eq!(scene.run, run, "the same request, number and all: it never runs twice");
        // Told before, as a replay may; then a piece that comes after one that was told to nobody.
        scene.sequence = before + 1;
        scene.offset = 5;
        scene.output(OutputStream::Stdout, b"fg");
        let (id, call) = scene.visit.next_call().unwrap();
        let AgentCall::Output(asked) = call else { panic!("what is missing is asked for: {call:?}") };
        assert_eq!((asked.stream, asked.offset, asked.length), (Some(OutputStream::Stdout), 3, Some(2)));
        scene.visit.answer(&id, &part(scene.run.request_id, 3, "de")).unwrap();
        scene.finish(0);
    });
    let output = play.command(&["--", "x"]).output().unwrap();
    assert_eq!((output.stdout.as_slice(), output.status.code()), (b"abcdefg".as_slice(), Some(0)));
}

#[test]
fn output_that_was_never_told_is_asked_for_at_the_end() {
    let play = Play::scene(|mut scene| {
        scene.start();
        scene.tell(NoticeEvent::Finished(ExecFinished { bytes: 9, ..exited(0) }));
        let (id, call) = scene.visit.next_call().unwrap();
        assert!(matches!(call, AgentCall::Status(_)), "how much there is: {call:?}");
        let run = scene.run.request_id;
        scene.visit.answer(&id, &status(run, 9)).unwrap();
        let (id, _) = scene.visit.next_call().unwrap();
        scene.visit.answer(&id, &part(run, 0, "head")).unwrap();
        let (id, _) = scene.visit.next_call().unwrap();
        scene.visit.answer(&id, &part(run, 6, "end")).unwrap();
    });
    let output = play.command(&["--", "x"]).output().unwrap();
    assert_eq!(output.stdout, b"headend");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("2 bytes of output were not kept"), "what is left out is said: {said}");
    assert_eq!(output.status.code(), Some(0));
}

/// Returns the status of a run that ended after so many bytes of standard output.
fn status(request_id: Uuid, stdout_bytes: u64) -> StatusResult {
    let (state, verdict, pid, ending) = (RunState::Finished, None, None, None);
    StatusResult { request_id, state, verdict, pid, stdout_bytes, stderr_bytes: 0, ending }
}

/// Returns a part of standard output that was asked for.
fn part(request_id: Uuid, offset: u64, text: &str) -> OutputResult {
    OutputResult {
        request_id,
        state: RunState::Finished,
        offset,
        stdout: text.to_owned(),
        stdout_encoding: Encoding::Utf8,
        stderr: String::new(),
        stderr_encoding: Encoding::Utf8,
        stdout_bytes: 9,
        stderr_bytes: 0,
        truncated: true,
    }
}

#[test]
fn much_output_comes_whole_through_a_slow_reader() {
    const PIECES: usize = 64;
    let play = Play::scene(|mut scene| {
        scene.start();
        for piece in 0..PIECES {
            let letter = b'a' + u8::try_from(piece % 26).unwrap();
            scene.output(OutputStream::Stdout, &vec![letter; 64 * 1024]);
        }
        scene.finish(0);
    });
    let mut child = play.command(&["--", "cat"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut all = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut all).unwrap();
    let expected: Vec<u8> =
        (0..PIECES).flat_map(|piece| vec![b'a' + u8::try_from(piece % 26).unwrap(); 64 * 1024]).collect();
    assert!(all == expected, "every byte in order: {} of {}", all.len(), expected.len());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn help_and_version_need_no_host() {
    for (option, expected) in [("--help", "Exit codes"), ("--version", env!("CARGO_PKG_VERSION"))] {
        let output = stage::bare().arg(option).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains(expected), "{option}");
        assert_eq!(output.status.code(), Some(0));
    }
}
