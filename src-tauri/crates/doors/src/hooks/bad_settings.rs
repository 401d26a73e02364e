//! Error for settings of an agent that cannot be read or changed.

/// Settings that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSettings(pub(super) String);

impl BadSettings {
    pub(super) fn new(why: &str) -> Self {
        Self(why.to_owned())
    }
}
