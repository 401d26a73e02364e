//! Record of a request whose agent wrote more than its [`postern_request::Ledger`] keeps in full.

use postern_protocol::NoticeEvent;
use postern_store::outputs::OutputExcerpt;
use postern_store::requests::NewRequest;
use serde_json::json;

/// Characters kept of a dropped body.
const BEGINNING: usize = 512;
/// Bytes kept of each end of a dropped stream.
const OUTPUT: usize = 2048;

/// Returns a request without its body, but with its beginning; the digest is stored separately.
pub(super) fn without_body(new: &NewRequest) -> NewRequest {
    let beginning: String = new.line.chars().take(BEGINNING).collect();
    let bytes = new.asked.len();
    let line = if beginning.len() < new.line.len() {
        format!("{beginning}… ({bytes} bytes, not kept)")
    } else {
        new.line.clone()
    };
    let asked = json!({ "notKept": { "bytes": bytes, "beginning": beginning } }).to_string();
    NewRequest { line, asked, ..new.clone() }
}

pub(super) fn without_middle(output: OutputExcerpt) -> OutputExcerpt {
    let OutputExcerpt { bytes, mut head, tail } = output;
    head.truncate(OUTPUT);
    let tail = tail[tail.len().saturating_sub(OUTPUT)..].to_vec();
    OutputExcerpt { bytes, head, tail }
}

/// Returns the final event as stored, without the output that it is sent with.
pub(super) fn without_output(event: &NoticeEvent) -> NoticeEvent {
    match event {
        NoticeEvent::Finished(finished) => NoticeEvent::Finished(postern_protocol::ExecFinished {
            stdout: String::new(),
            stderr: String::new(),
            truncated: true,
            ..finished.clone()
        }),
        other => other.clone(),
    }
}
