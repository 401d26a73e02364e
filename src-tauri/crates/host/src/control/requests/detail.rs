//! Request in full, from the record.

use super::super::rows;
use crate::gate::{AgentToolCall, body_lines, escape_step, kept_subject, shown_path, to_pieces};
use postern_command::{Dialect, escape, read_argv, read_shell};
use postern_contract::render::{self, Sentence};
use postern_contract::{BodyLines, Moment, MomentKind, RequestDetail, ShownSubject, ShownText};
use postern_policy::Verdict;
use postern_protocol::{RunState, SessionKind};
use postern_request::{Launch, RequestEnding};
use postern_store::outputs::OutputExcerpt;
use postern_store::requests::StoredRequest;
use serde_json::Value;

/// Bytes of each stream that are shown: the end, with a part of the beginning if both fit.
const SHOWN: usize = 64 * 1024;
/// Bytes that are left out besides so that what is shown begins with a line.
const LINE: usize = 4 * 1024;

pub(super) fn detail(
    row: StoredRequest,
    stdout: Option<&OutputExcerpt>,
    stderr: Option<&OutputExcerpt>,
    home: &str,
) -> RequestDetail {
    // What was asked for is kept as it came over the wire.
    let asked: Value = serde_json::from_str(&row.asked).unwrap_or_default();
    let truncated = [stdout, stderr]
        .into_iter()
        .flatten()
        .any(|output| output.left_out() > 0 || output.head.len() + output.tail.len() > SHOWN);
    let timeline = timeline(&row);
    let running = matches!(row.summary.phase, RunState::Running | RunState::Stopping);
    let verdict = row.verdict;
    let why = end_reason(row.ending.as_ref(), verdict.as_ref());
    let cwd = row
        .plan
        .as_ref()
        .map_or_else(|| text_member(&asked, "cwd").unwrap_or_default(), |plan| plan.cwd.path.clone());
    let (command, bodies) = command(row.plan.as_ref().map(|plan| &plan.launch), &asked);
    RequestDetail {
        row: rows::request(&row.summary),
        session_kind: session_kind(&asked),
        risk: row.summary.risk.as_ref().map(render::shown_risk),
        command,
        bodies,
        subject: AgentToolCall::of_asked(&row.asked)
            .map(|call| kept_subject(&call))
            .filter(|subject| *subject != ShownSubject::Command),
        asked: row.asked_line,
        place: shown_path(&cwd, home),
        cwd: escape::visible_text(&cwd),
        env: overrides(&asked),
        steps: verdict.iter().flat_map(render::shown_steps).map(escape_step).collect(),
        message: why.as_deref().map(postern_contract::pieces_to_text),
        why,
        rule: verdict.as_ref().and_then(|verdict| verdict.rule.clone()),
        trace: verdict.map(|verdict| render::shown_trace(&verdict.trace)).unwrap_or_default(),
        digest: row.digest.map(|digest| digest.0),
        feedback: row.feedback.as_deref().map(escape::visible_text),
        says: text_member(&asked, "reason").as_deref().map(escape::visible_text),
        timeline,
        stdout: stdout.map(output_text),
        stderr: stderr.map(output_text),
        truncated,
        redacted: false,
        pid: row.process.filter(|_| running).map(|process| process.pid),
    }
}

fn text_member(asked: &Value, key: &str) -> Option<String> {
    asked.get(key)?.as_str().map(str::to_owned)
}

/// Returns the kind of the session. A record of before it was kept has a name.
fn session_kind(asked: &Value) -> SessionKind {
    let kind = text_member(asked, "sessionKind");
    kind.and_then(|kind| SessionKind::from_name(&kind)).unwrap_or_default()
}

/// Returns the command with the bodies of its here-documents, which no record keeps.
fn command(launch: Option<&Launch>, asked: &Value) -> (ShownText, Vec<BodyLines>) {
    if let (None, Some(tool)) = (text_member(asked, "shell"), text_member(asked, "tool")) {
        let arguments = asked.get("arguments").map(Value::to_string).unwrap_or_default();
        return (to_pieces(&format!("{tool} {arguments}")), Vec::new());
    }
    let argv = |value: &Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let reading = match launch.filter(|launch| **launch != Launch::Nothing) {
        Some(Launch::Argv { argv }) => read_argv(argv),
        Some(Launch::Shell { text }) => read_shell(text, Dialect::Bash),
        Some(Launch::Nothing) | None => {
            match (asked.get("command").and_then(argv), text_member(asked, "shell")) {
                (Some(argv), _) => read_argv(&argv),
                (None, text) => {
                    let beginning = asked.get("notKept").and_then(|kept| text_member(kept, "beginning"));
                    read_shell(&text.or(beginning).unwrap_or_default(), Dialect::Bash)
                }
            }
        }
    };
    (to_pieces(&reading.text), body_lines(&reading))
}

fn overrides(asked: &Value) -> Vec<(String, String)> {
    let Some(env) = asked.get("env").and_then(Value::as_object) else { return Vec::new() };
    env.iter()
        .map(|(name, value)| {
            (escape::visible_text(name), escape::visible_text(value.as_str().unwrap_or_default()))
        })
        .collect()
}

/// Returns why it ended as it did, else what it was judged by.
fn end_reason(ending: Option<&RequestEnding>, verdict: Option<&Verdict>) -> Option<ShownText> {
    let judged = || verdict.map(|verdict| render::cause_sentence(&verdict.cause));
    match ending {
        Some(RequestEnding::Denied(denial)) => Some(render::refusal(&denial.cause)),
        Some(RequestEnding::Failed { message }) => Some(Sentence::default().fragment(message).pieces()),
        Some(RequestEnding::Finished { .. } | RequestEnding::Allowed) | None => judged(),
    }
}

fn timeline(row: &StoredRequest) -> Vec<Moment> {
    let summary = &row.summary;
    let ended = MomentKind::Ended { state: summary.phase, ending: summary.ending };
    let moments = [
        (Some(summary.received_at), MomentKind::Received),
        (row.asked_at, MomentKind::Asked),
        (row.decided_at, MomentKind::Allowed { approver: summary.answered_by.clone() }),
        (summary.started_at, MomentKind::Started),
        (summary.ended_at, ended),
    ];
    moments.into_iter().filter_map(|(at, what)| Some(Moment { at: at?, what })).collect()
}

/// Returns the end of a stream, line by line, with what cannot be shown as escapes. What was left out is
/// said.
fn output_text(output: &OutputExcerpt) -> String {
    let mut all = escape_lines(&output.head);
    if output.left_out() > 0 {
        all = format!("{all}\n[{} bytes left out]\n", output.left_out());
    }
    all.push_str(&escape_lines(&output.tail));
    if all.len() <= SHOWN {
        return all;
    }
    let mut from = all.len() - SHOWN;
    while !all.is_char_boundary(from) {
        from += 1;
    }
    // It begins with a whole line, where one begins soon: half an escape would be read as text.
    from += all[from..].find('\n').filter(|end| *end < LINE).map_or(0, |end| end + 1);
    format!("[{from} bytes left out]\n{}", &all[from..])
}

/// Escapes everything that cannot be shown but line ends and tabs.
fn escape_lines(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for part in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\t')) {
        let (part, end) = match part {
            [part @ .., b'\n'] => (part, "\n"),
            [part @ .., b'\t'] => (part, "\t"),
            part => (part, ""),
        };
        push_line(&mut shown, part);
        shown.push_str(end);
    }
    shown
}

/// Escapes a line. The control sequences of a terminal are kept apart from the words around them.
///
/// The letter that ends a color is no letter of a word that follows, so a colored word of another alphabet is
/// not taken for one that mixes two.
fn push_line(shown: &mut String, mut line: &[u8]) {
    while let Some(at) = line.windows(2).position(|pair| pair == b"\x1b[") {
        let arguments = line[at + 2..].iter().take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
        let last = line.get(at + 2 + arguments).filter(|byte| matches!(byte, 0x40..=0x7e));
        let end = at + 2 + arguments + usize::from(last.is_some());
        shown.push_str(&escape::visible_bytes(&line[..at]));
        shown.push_str(&escape::visible_bytes(&line[at..end]));
        line = &line[end..];
    }
    shown.push_str(&escape::visible_bytes(line));
}

#[cfg(test)]
mod tests {
    use super::{SHOWN, command, escape_lines, output_text, session_kind};
    use postern_contract::{BodyLines, join_pieces};
    use postern_protocol::SessionKind;
    use postern_request::Launch;
    use postern_store::outputs::OutputExcerpt;
    use serde_json::{Value, json};

    #[test]
    fn a_command_of_the_record_has_the_bodies_of_its_here_documents() {
        let text = "cat <<E\na\nb\nE".to_owned();
        let argv = ["bash", "-c", text.as_str()].map(str::to_owned).to_vec();
        let asked = json!({"shell": text});
        for (launch, asked, line) in [
            (Some(Launch::Shell { text }), &Value::Null, "cat <<E\\na\\nb\\nE"),
            (Some(Launch::Argv { argv }), &Value::Null, "bash -c 'cat <<E\\na\\nb\\nE'"),
            (None, &asked, "cat <<E\\na\\nb\\nE"),
        ] {
            let (shown, bodies) = command(launch.as_ref(), asked);
            assert_eq!(
                (join_pieces(&shown).as_str(), bodies),
                (line, vec![BodyLines { first: 1, count: 2 }])
            );
        }
        let tool = json!({"tool": "cat <<E", "arguments": {"x": "\na\nE"}});
        assert!(command(None, &tool).1.is_empty(), "a tool runs no shell text");
    }

    #[test]
    fn a_record_says_if_its_session_is_an_id() {
        assert_eq!(session_kind(&json!({"session": "s", "sessionKind": "id"})), SessionKind::Id);
        assert_eq!(session_kind(&json!({"session": "s"})), SessionKind::Name, "a record of before");
    }

    #[test]
    fn output_keeps_its_lines_and_shows_what_it_hides() {
        let got = escape_lines(b"a\tb\nc\x1b[31md\n");
        assert_eq!(got, "a\tb\nc\\u{1B}[31md\n".replace("\\u{1B}", &escape_lines(b"\x1b")));
        assert!(!escape_lines(b"\x1b[2J").contains('\x1b'), "a terminal is not told what to do");
    }

    #[test]
    fn a_colour_is_no_letter_of_the_word_that_follows() {
        let coloured = "\x1b[31mпривет\x1b[0m g\x1b[1mіt";
        let shown = escape_lines(coloured.as_bytes());
        assert_eq!(shown, "\\u{1b}[31mпривет\\u{1b}[0m g\\u{1b}[1m\\u{456}t");
        let got = escape_lines("\x1b[31é\x1b[".as_bytes());
        assert_eq!(got, "\\u{1b}[31é\\u{1b}[", "a sequence that does not end is text");
    }

    #[test]
    fn what_is_left_out_is_said() {
        let output = OutputExcerpt { bytes: 1000, head: b"begin".to_vec(), tail: b"end".to_vec() };
        let shown = output_text(&output);
        assert!(shown.contains("992 bytes left out") && shown.ends_with("end"), "{shown}");
        let long = OutputExcerpt { bytes: 200_000, head: vec![b'x'; 200_000], tail: Vec::new() };
        assert!(output_text(&long).len() < SHOWN + 100, "the page is not drowned");
        let red = OutputExcerpt { bytes: 0, head: b"\x1b[31m\n".repeat(20_000), tail: Vec::new() };
        let cut = output_text(&red);
        let (_, kept) = cut.split_once('\n').unwrap();
        assert!(kept.starts_with("\\u{1b}[31m\n"), "no escape is cut in two: {}", &kept[..20]);
    }
}
