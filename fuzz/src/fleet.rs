//! Messages from a fleet's broker: an accepted one keeps its meaning when it is written again. A host with an empty
//! roster admits none.

use postern_fleet::{Code, Envelope, Fleet, Hash, Id, Kind, Now, OpenKey, Pinned, Roster, admit};
use std::time::Duration;

/// Bytes as the broker delivers them, and as a person types a code.
pub fn check(data: &[u8]) {
    if let Ok(envelope) = Envelope::decode(data, Kind::Bundle.limit()) {
        let again = Envelope::decode(&envelope.encode(), usize::MAX);
        assert!(again.as_ref() == Ok(&envelope), "{envelope:?} is read back as {again:?}");
        assert!((1..=16).contains(&envelope.signatures.len()), "{envelope:?}");
    }
    let now = Now { wall: i64::MAX / 2, timer: Duration::ZERO };
    assert!(admit(&nobody(), data, now).is_err(), "a fleet without members admits {data:?}");
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(code) = Code::parse(text) {
        assert!(
            Code::parse(&code.to_text()) == Ok(code),
            "{text:?} is another code when it is written again"
        );
    }
    if let Ok(id) = text.parse::<Id>() {
        assert!(!id.as_str().contains(['.', '*', '>', ' ']), "{id} reaches beyond its token of a subject");
    }
}

/// Returns a host whose roster has no members: no signature can count.
fn nobody() -> Fleet {
    let members = Vec::new();
    let roster = Roster {
        version: 1,
        previous: None,
        owners_needed: 1,
        publishers_needed: 1,
        fresh_by: Vec::new(),
        fresh_for: 3_600_000,
        members,
    };
    let pinned = Pinned { roster, hash: Hash::NONE };
    Fleet::new(Id::random([1; 16]), Id::random([2; 16]), OpenKey::from_seed([3; 32]), pinned)
}
