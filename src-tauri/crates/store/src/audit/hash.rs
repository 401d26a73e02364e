//! Hashes of the audit: of a row with the one before it, and of bytes.

use super::AuditEntry;
use sha2::{Digest as _, Sha256};

/// Returns the hash of a row that follows one with the hash `before`.
pub(super) fn row_hash(before: &[u8], entry: &AuditEntry) -> Vec<u8> {
    let mut sha = Sha256::new();
    sha.update(before);
    sha.update(content_of(entry).as_bytes());
    sha.finalize().to_vec()
}

/// Returns the content of a row as its hash covers it.
pub fn content_of(entry: &AuditEntry) -> String {
    let AuditEntry { number, at, who, subject, key, before, after, widens, hash: _ } = entry;
    // JSON text is unambiguous: no two rows have the same.
    serde_json::json!([number, at, who, subject, key, before, after, widens]).to_string()
}

/// Reads such a content; `None` if it is none. The hash is the caller's to check.
pub fn read_content(content: &str, hash: &[u8]) -> Option<AuditEntry> {
    let (number, at, who, subject, key, before, after, widens) = serde_json::from_str(content).ok()?;
    Some(AuditEntry { number, at, who, subject, key, before, after, widens, hash: hash.to_vec() })
}

pub(super) fn digest(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}
