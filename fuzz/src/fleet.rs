//! Messages from a fleet's broker: an accepted one keeps its meaning when it is written again. A host with an empty
//! roster admits none.

use postern_fleet::{
    FleetId, FleetMessageKind, FleetProposal, FleetState, Hash, InvitationCode, Now, OpenKey, PinnedRoster,
    Roster, SentRows, SignedAnchor, SignedEnvelope, VerifyKey, admit_message, open_document,
};
use std::time::Duration;

/// Bytes as the broker delivers them, and as a person types a code.
pub fn check(data: &[u8]) {
    if let Ok(envelope) = SignedEnvelope::decode(data, FleetMessageKind::Bundle.max_bytes()) {
        let again = SignedEnvelope::decode(&envelope.encode(), usize::MAX);
        assert!(again.as_ref() == Ok(&envelope), "{envelope:?} is read back as {again:?}");
        assert!((1..=16).contains(&envelope.signatures.len()), "{envelope:?}");
    }
    if let Some(proposal) = FleetProposal::decode(data) {
        let again = FleetProposal::decode(&proposal.encode());
        assert!(again.as_ref() == Some(&proposal), "{proposal:?} is read back as {again:?}");
        let (pinned, fleet) = (nobody().pinned, FleetId::random([1; 16]));
        let signed =
            proposal.check_roster(&pinned, &fleet).is_ok() || proposal.check_policy(&pinned, &fleet).is_ok();
        assert!(!signed, "nobody signed {proposal:?}");
    }
    let now = Now { wall: i64::MAX / 2, timer: Duration::ZERO };
    assert!(admit_message(&nobody(), data, now).is_err(), "a fleet without members admits {data:?}");
    let (host, signs) = (FleetId::random([2; 16]), VerifyKey::from_bytes([4; 32]));
    let opens = OpenKey::from_seed([3; 32]);
    let document = open_document((&host, "roster"), data, &opens);
    assert!(document.is_err(), "nobody sealed {data:?}");
    let (fleet, signed) = (FleetId::random([1; 16]), (&host, &signs));
    let rows = SentRows::from_entry(&fleet, signed, &opens, data);
    assert!(rows.is_none(), "nobody's audit has rows: {data:?}");
    assert!(SignedAnchor::from_entry(&fleet, signed, data).is_none(), "nor anchors: {data:?}");
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(code) = InvitationCode::parse(text) {
        assert!(
            InvitationCode::parse(&code.to_text()) == Ok(code),
            "{text:?} is another code when it is written again"
        );
    }
    if let Ok(id) = text.parse::<FleetId>() {
        assert!(!id.as_str().contains(['.', '*', '>', ' ']), "{id} reaches beyond its token of a subject");
    }
}

/// Returns a host whose roster has no members: no signature can count.
fn nobody() -> FleetState {
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
    let pinned = PinnedRoster { roster, hash: Hash::NONE };
    FleetState::new(FleetId::random([1; 16]), FleetId::random([2; 16]), OpenKey::from_seed([3; 32]), pinned)
}
