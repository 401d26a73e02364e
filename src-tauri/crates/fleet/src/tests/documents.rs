//! Documents of the bucket: who opens them, and what becomes of one that was changed.

use super::{device, id};
use crate::{EnvelopeError, FleetMessageKind, SealError, Seed, SignedEnvelope, open_document, seal_document};
use proptest::prelude::*;
use proptest::sample::Index;

/// Seals text for two members under the key `roster`.
fn sealed(text: &[u8]) -> Vec<u8> {
    let to = ["mara", "noor"].map(|name| device(name).open.sealer());
    seal_document((&id("fleet-1"), "roster"), text, &to, &mut Seed::new([1; 32])).unwrap()
}

fn opened(bytes: &[u8], key: &str, name: &str) -> Result<Vec<u8>, SealError> {
    open_document((&id("fleet-1"), key), bytes, &device(name).open)
}

#[test]
fn only_readers_open_a_document_and_only_under_its_key() {
    let bytes = sealed(b"secret words");
    for name in ["mara", "noor"] {
        assert_eq!(opened(&bytes, "roster", name).unwrap(), b"secret words");
    }
    assert_eq!(opened(&bytes, "roster", "olu"), Err(SealError::NotForUs));
    assert_eq!(opened(&bytes, "bundle", "mara"), Err(SealError::Changed));
    assert_eq!(
        open_document((&id("fleet-2"), "roster"), &bytes, &device("mara").open),
        Err(SealError::Changed)
    );
}

#[test]
fn what_unfolds_to_more_than_any_envelope_is_refused() {
    let bytes = sealed(&vec![b' '; 64 << 20]);
    assert!(bytes.len() < 1 << 18, "{}", bytes.len());
    let most = FleetMessageKind::Bundle.max_bytes();
    let envelope = opened(&bytes, "roster", "mara").unwrap();
    let refused = SignedEnvelope::decode(&envelope, most);
    assert_eq!(refused, Err(EnvelopeError::TooLong { length: most + 1, most }));
}

proptest! {
    #[test]
    fn a_changed_or_cut_document_never_says_something_else(at: Index, flip in 1..=255u8, cut: Index) {
        let bytes = sealed(b"secret words");
        let mut changed = bytes.clone();
        changed[at.index(bytes.len())] ^= flip;
        // The other reader's part may be another one.
        prop_assert!(opened(&changed, "roster", "mara").map_or(true, |text| text == b"secret words"));
        prop_assert!(opened(&bytes[..cut.index(bytes.len())], "roster", "mara").is_err());
    }

    #[test]
    fn any_bytes_are_no_document(bytes: Vec<u8>) {
        prop_assert!(opened(&bytes, "roster", "mara").is_err());
    }
}
