//! Errors of reading or changing the policy.

use super::agent_folder::FolderError;
use super::values::ValueError;
use postern_contract::methods::{ControlCode, ControlError};
use postern_contract::plain_key;
use postern_policy::permissions::{AppendError, FileError};
use postern_policy::{AgentId, PatternError, RuleId, RuleProblem};
use std::io;
use std::path::PathBuf;

/// Error of reading or changing the policy. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PolicyStoreError {
    #[error(transparent)]
    Store(#[from] postern_store::Error),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Value(#[from] ValueError),
    #[error(transparent)]
    Pattern(#[from] PatternError),
    #[error(transparent)]
    Rule(#[from] RuleProblem),
    #[error("permissions.jsonc, {0}")]
    Permissions(#[from] FileError),
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error("cannot use {}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("there is no agent {0}; postern agents list shows those there are")]
    NoAgent(AgentId),
    #[error("there is an agent {0} already")]
    AgentExists(AgentId),
    #[error("there is no rule {0}; postern rules list shows those there are")]
    NoRule(RuleId),
    #[error("rule {0} is read-only: it is from a file that an organization ships, or from permissions.jsonc")]
    ReadOnly(RuleId),
    #[error("{} is decided by your organization, in {by}: it cannot be changed here", plain_key(.key))]
    Locked { key: String, by: String },
    #[error("{0}")]
    CannotPin(String),
    #[error("there is no skill {0:?}; postern skills list shows those there are")]
    NoSkill(String),
    #[error("the skill {skill} uses no CLI {cli:?} that was found: postern skills list shows those it uses")]
    NoCli { skill: String, cli: String },
    #[error("{0}")]
    Invalid(String),
    #[error("the work was interrupted")]
    Interrupted,
}

impl From<PolicyStoreError> for ControlError {
    fn from(error: PolicyStoreError) -> Self {
        let code = match &error {
            PolicyStoreError::Store(postern_store::Error::Missing(_))
            | PolicyStoreError::NoAgent(_)
            | PolicyStoreError::NoRule(_)
            | PolicyStoreError::NoSkill(_)
            | PolicyStoreError::NoCli { .. } => ControlCode::NotFound,
            PolicyStoreError::Store(postern_store::Error::Refused(_))
            | PolicyStoreError::AgentExists(_)
            | PolicyStoreError::Append(_) => ControlCode::Conflict,
            PolicyStoreError::Store(_) => ControlCode::Store,
            PolicyStoreError::Value(_)
            | PolicyStoreError::Pattern(_)
            | PolicyStoreError::Permissions(_)
            | PolicyStoreError::Invalid(_)
            | PolicyStoreError::Folder(FolderError::TooLong(_)) => ControlCode::InvalidParams,
            PolicyStoreError::Rule(_)
            | PolicyStoreError::ReadOnly(_)
            | PolicyStoreError::Locked { .. }
            | PolicyStoreError::CannotPin(_) => ControlCode::Refused,
            PolicyStoreError::Folder(_) | PolicyStoreError::File { .. } | PolicyStoreError::Interrupted => {
                ControlCode::Internal
            }
        };
        Self::new(code, error.to_string())
    }
}
