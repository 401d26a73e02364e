//! Leaves out what is evidently a secret, where past requests are shown. A question that waits is judged, and never changed.

use crate::activity::{RequestDetail, RequestRow};
use crate::lines::BodyLines;
use crate::methods::FeedEvent;
use crate::piece::{Piece, PieceKind, ShownText};
use crate::shown::{ShownStep, ShownTrace};
use crate::subject::{Field, ShownSubject};
use crate::told::ApproverNotification;
use postern_command::secrets::{ReadableText, is_secret_name};
use postern_protocol::RunState;
use std::ops::Range;

/// Mark in place of a secret.
const MARK: &str = "••••";

/// Leaves the secrets out of escaped text. Returns true if there were any.
fn hide_in_text(text: &mut String) -> bool {
    let mut read = ReadableText::default();
    read.push_visible(text, 0);
    let secrets = read.secrets();
    if secrets.is_empty() {
        return false;
    }
    let (mut left, mut from) = (String::with_capacity(text.len()), 0);
    for (nth, part) in secrets.iter().flat_map(|secret| secret.parts.iter().enumerate()) {
        left.push_str(&text[from..part.start]);
        left.push_str(if nth == 0 { MARK } else { "" });
        from = part.end;
    }
    left.push_str(&text[from..]);
    *text = left;
    true
}

/// Returns the line of a past request without its secrets.
pub fn without_secrets(line: &str) -> String {
    let mut line = line.to_owned();
    hide_in_text(&mut line);
    line
}

/// Leaves the secrets out of shown text. Returns true if there were any.
pub fn hide_in_pieces(pieces: &mut ShownText) -> bool {
    let mut read = ReadableText::default();
    let mut places = Vec::with_capacity(pieces.len());
    let mut end = 0;
    for piece in &*pieces {
        match piece.kind {
            PieceKind::Escaped => read.push_escape(&piece.text, end),
            PieceKind::Plain | PieceKind::Code | PieceKind::Secret => read.push_plain(&piece.text, end),
        }
        places.push(end..end + piece.text.len());
        end += piece.text.len();
    }
    let secrets = read.secrets();
    if secrets.is_empty() {
        return false;
    }
    // Each part that goes, with whether the mark stands there.
    let gone: Vec<(Range<usize>, bool)> = secrets
        .into_iter()
        .flat_map(|secret| secret.parts.into_iter().enumerate().map(|(nth, part)| (part, nth == 0)))
        .collect();
    let whole = std::mem::take(pieces);
    let mut gone = gone.iter().peekable();
    for (piece, place) in whole.into_iter().zip(places) {
        let mut from = place.start;
        while let Some((part, marks)) = gone.peek() {
            if part.start >= place.end {
                break;
            }
            if part.start > from {
                pieces.push(cut_piece(&piece, &place, from..part.start));
            }
            if *marks && part.start >= place.start {
                pieces.push(Piece { text: MARK.to_owned(), kind: PieceKind::Secret });
            }
            from = part.end.min(place.end);
            if part.end > place.end {
                break;
            }
            gone.next();
        }
        if from < place.end {
            pieces.push(cut_piece(&piece, &place, from..place.end));
        }
    }
    true
}

fn cut_piece(piece: &Piece, place: &Range<usize>, part: Range<usize>) -> Piece {
    Piece { text: piece.text[part.start - place.start..part.end - place.start].to_owned(), kind: piece.kind }
}

/// Leaves out a whole value if its name calls it a secret, else the secrets in it.
fn hide_in_value(name: &str, value: &mut String) -> bool {
    if value.is_empty() || !is_secret_name(name) {
        return hide_in_text(value);
    }
    MARK.clone_into(value);
    true
}

fn hide_in_fields(fields: &mut [Field]) -> bool {
    let hide = |field: &mut Field| {
        let Field { name, value } = field;
        let empty = value.iter().all(|line| line.iter().all(|piece| piece.text.is_empty()));
        if empty || !is_secret_name(&crate::piece::join_pieces(name)) {
            return hide_in_each(value, hide_in_pieces);
        }
        *value = vec![vec![Piece { text: MARK.to_owned(), kind: PieceKind::Secret }]];
        true
    };
    hide_in_each(fields, hide)
}

/// Applies it to each, also after the first that had a secret.
fn hide_in_each<'a, T: 'a>(all: impl IntoIterator<Item = &'a mut T>, hide: impl Fn(&mut T) -> bool) -> bool {
    all.into_iter().fold(false, |found, one| hide(one) | found)
}

/// Returns true if a request in this state was judged: nobody decides by what is shown of it any more.
fn is_judged(state: RunState) -> bool {
    !matches!(state, RunState::Received | RunState::Resolving | RunState::Asking)
}

impl RequestRow {
    /// Leaves the secrets out, unless it is still to be judged. Returns true if there were any.
    pub fn hide_secrets(&mut self) -> bool {
        is_judged(self.state) && self.hide_all()
    }

    fn hide_all(&mut self) -> bool {
        // Every member is named, so that a new one is thought of.
        let Self {
            id: _,
            request_id,
            agent: _,
            origin: _,
            session,
            line,
            state: _,
            ending: _,
            exit_code: _,
            approver: _,
            at: _,
            duration_ms: _,
            risk,
            decided: _,
            rule: _,
        } = self;
        let reasons = risk.iter_mut().flat_map(|risk| &mut risk.reasons);
        hide_in_each(reasons.chain(session).chain([request_id, line]), hide_in_text)
    }
}

impl RequestDetail {
    /// Leaves the secrets out, unless it is still to be judged, and notes that there were any.
    pub fn hide_secrets(&mut self) {
        self.redacted = is_judged(self.row.state) && self.hide_all();
    }

    fn hide_all(&mut self) -> bool {
        // Every member is named, so that a new one is thought of.
        let Self {
            row,
            session_kind: _,
            command,
            bodies,
            subject,
            asked,
            cwd,
            place,
            env,
            steps,
            trace,
            message,
            why,
            risk,
            rule,
            digest: _,
            feedback,
            says,
            timeline: _,
            stdout,
            stderr,
            truncated: _,
            redacted: _,
            pid: _,
        } = self;
        let reasons = risk.iter_mut().flat_map(|risk| &mut risk.reasons);
        let texts = [asked, message, feedback, says, stdout, stderr].into_iter().flatten().chain([cwd]);
        let patterns = rule.iter_mut().map(|rule| &mut rule.pattern);
        let parts = [
            row.hide_all(),
            hide_in_command(command, bodies),
            hide_in_pieces(place),
            hide_in_each(subject, hide_in_subject),
            hide_in_each(texts, hide_in_text),
            hide_in_each(patterns, hide_in_text),
            hide_in_each(env, |(name, value)| hide_in_value(name, value)),
            hide_in_each(steps, hide_in_step),
            hide_in_each(trace, |line: &mut ShownTrace| hide_in_pieces(&mut line.found)),
            hide_in_each(why.iter_mut().chain(reasons), hide_in_pieces),
        ];
        parts.contains(&true)
    }
}

/// Leaves the secrets out of a command. A secret of several lines moves those behind it: then no body is known any more.
fn hide_in_command(command: &mut ShownText, bodies: &mut Vec<BodyLines>) -> bool {
    let before = line_ends(command);
    let found = hide_in_pieces(command);
    if line_ends(command) != before {
        bodies.clear();
    }
    found
}

fn line_ends(pieces: &[Piece]) -> usize {
    pieces.iter().filter(|piece| piece.kind == PieceKind::Escaped && piece.text == "\\n").count()
}

fn hide_in_step(step: &mut ShownStep) -> bool {
    let mut text =
        [&mut step.text].into_iter().chain(step.argv.iter_mut().flatten()).chain(step.path.as_mut());
    let found = text.by_ref().fold(false, |found, one| hide_in_text(one) | found);
    let pattern = hide_in_each(step.rule.iter_mut().map(|rule| &mut rule.pattern), hide_in_text);
    hide_in_pieces(&mut step.why) | pattern | found
}

fn hide_in_subject(subject: &mut ShownSubject) -> bool {
    match subject {
        ShownSubject::Command => false,
        ShownSubject::FileEdit { path, lines } => hide_in_each(
            [path].into_iter().chain(lines.iter_mut().map(|line| &mut line.text)),
            hide_in_pieces,
        ),
        ShownSubject::FileRead { paths } => hide_in_each(paths, hide_in_pieces),
        ShownSubject::Fetch { host, url, fields } => {
            hide_in_each([host, url], hide_in_pieces) | hide_in_fields(fields)
        }
        ShownSubject::McpCall { server, tool, fields } => {
            hide_in_each([server, tool], hide_in_pieces) | hide_in_fields(fields)
        }
        ShownSubject::Other { tool, fields } => hide_in_pieces(tool) | hide_in_fields(fields),
    }
}

impl ApproverNotification {
    /// Leaves the secrets out of a past request.
    pub fn hide_secrets(&mut self) {
        if let Self::RequestChanged(row) = self {
            row.hide_secrets();
        }
    }
}

impl FeedEvent {
    /// Leaves the secrets out, whatever the state: nothing is judged by an event.
    pub fn hide_secrets(&mut self) {
        hide_in_each(&mut self.request, RequestRow::hide_all);
        hide_in_each(self.message.iter_mut().chain(&mut self.program).chain(&mut self.who), hide_in_text);
    }
}

#[cfg(test)]
mod tests {
    use super::{hide_in_pieces, hide_in_text};
    use crate::activity::RequestDetail;
    use crate::lines::BodyLines;
    use crate::piece::{Piece, PieceKind, join_pieces, to_pieces};
    use postern_command::escape::visible_text;
    use proptest::prelude::*;
    use serde_json::json;

    const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ";

    fn detail(state: &str) -> RequestDetail {
        let text = json!([{"text": format!("--token {TOKEN}"), "kind": "plain"}]);
        serde_json::from_value(json!({
            "row": {"id": "1", "requestId": "r", "agent": "main", "session": TOKEN, "line": format!("x {TOKEN}"), "state": state,
                "ending": null, "exitCode": null, "at": 0, "durationMs": null, "decided": null, "rule": null,
                "risk": {"level": "safe", "reasons": [format!("sends {TOKEN}")]}},
            "command": text, "subject": {"kind": "other", "tool": [], "fields": [{"name": [{"text": "api_key", "kind": "plain"}], "value": [text]}]},
            "asked": TOKEN, "cwd": format!("/w/{TOKEN}"), "env": [["DB_PASSWORD", "a b"], ["LANG", "C"]],
            "steps": [], "trace": [{"stage": "read", "found": text}], "message": TOKEN, "why": text, "risk": {"level": "safe", "reasons": [text]},
            "rule": null, "digest": "00", "feedback": TOKEN, "says": TOKEN, "timeline": [], "stdout": format!("a\n{TOKEN}\n"),
            "stderr": TOKEN, "truncated": false, "pid": null
        }))
        .unwrap()
    }

    #[test]
    fn no_member_of_a_past_request_shows_a_secret() {
        let mut past = detail("finished");
        past.hide_secrets();
        let shown = serde_json::to_string(&past).unwrap();
        assert!(!shown.contains(&TOKEN[4..]) && !shown.contains("a b"), "{shown}");
        assert!(
            past.redacted && past.row.line == "x ghp_••••" && past.stdout.as_deref() == Some("a\nghp_••••\n")
        );
        assert_eq!(past.env[1].1, "C");
        let mut nothing = detail("finished");
        nothing.row.state = postern_protocol::RunState::Denied;
        assert!(nothing.row.hide_secrets(), "what was denied is past");
    }

    #[test]
    fn a_body_behind_a_secret_of_several_lines_is_not_taken_for_other_lines() {
        let bodies = [BodyLines { first: 1, count: 3 }].to_vec();
        let shown = |text: &str| {
            let mut past =
                RequestDetail { command: to_pieces(text), bodies: bodies.clone(), ..detail("finished") };
            past.hide_secrets();
            past.bodies
        };
        assert_eq!(shown(&format!("cat <<E\na\n{TOKEN}\nb\nE")), bodies, "its lines are still there");
        let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----", "a".repeat(64));
        assert_eq!(shown(&format!("cat <<E\n{key}\nE")), bodies, "a line of a key is a line with a mark");
        let key = key.replace(&"a".repeat(64), &format!("{0}\n{0}", "a".repeat(64)));
        assert!(shown(&format!("cat <<E\n{key}\nE")).is_empty(), "two lines of it are one");
    }

    #[test]
    fn what_waits_is_shown_in_full() {
        for state in ["received", "resolving", "asking"] {
            let mut waits = detail(state);
            waits.hide_secrets();
            assert_eq!((&waits, waits.row.clone().hide_secrets()), (&detail(state), false), "{state}");
        }
    }

    #[test]
    fn a_mark_is_a_piece_of_its_own_kind() {
        let mut pieces = to_pieces(&format!("echo {TOKEN}\nls"));
        assert!(hide_in_pieces(&mut pieces));
        let kinds: Vec<(&str, PieceKind)> =
            pieces.iter().map(|piece| (piece.text.as_str(), piece.kind)).collect();
        let plain = PieceKind::Plain;
        assert_eq!(
            kinds,
            [("echo ghp_", plain), ("••••", PieceKind::Secret), ("\\n", PieceKind::Escaped), ("ls", plain)]
        );
        assert!(!hide_in_pieces(&mut pieces), "a mark is no secret");
    }

    #[test]
    fn a_secret_over_several_pieces_has_one_mark() {
        let mut pieces = to_pieces("PASSWORD='a\u{202e}b' x");
        assert!(hide_in_pieces(&mut pieces));
        assert_eq!(join_pieces(&pieces), "PASSWORD='••••' x");
        let code = |text: &str| Piece { text: text.to_owned(), kind: PieceKind::Code };
        let mut pieces = vec![code("--password=ab"), code("cd"), code(" x")];
        assert!(hide_in_pieces(&mut pieces));
        assert_eq!(join_pieces(&pieces), "--password=•••• x");
    }

    proptest! {
        #[test]
        fn text_and_pieces_leave_out_the_same(text in "(ghp_a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ|PASSWORD=|x| |\n|'|é|\u{202e}|://a:b@|--token |\"|\\\\){0,12}") {
            let mut pieces = to_pieces(&text);
            let mut line = visible_text(&text);
            let found = hide_in_text(&mut line);
            prop_assert_eq!(hide_in_pieces(&mut pieces), found);
            let shown: String = pieces
                .iter()
                .map(|piece| if piece.kind == PieceKind::Plain { piece.text.replace('\\', "\\\\") } else { piece.text.clone() })
                .collect();
            prop_assert_eq!(shown, line);
        }
    }
}
