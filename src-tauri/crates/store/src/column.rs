//! Encodings of values in columns: typed values as JSON text, ids as 16 bytes, names as they are.

use postern_policy::{AgentId, Millis};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

/// A value kept as JSON text.
pub(crate) struct JsonColumn<T>(pub(crate) T);

impl<T: Serialize> ToSql for JsonColumn<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        to_json_text(&self.0).map(ToSqlOutput::from)
    }
}

impl<T: DeserializeOwned> FromSql for JsonColumn<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?).map(Self).map_err(FromSqlError::other)
    }
}

pub(crate) fn to_json_text<T: Serialize>(value: &T) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

/// A UUID kept as its 16 bytes, which for version 7 sort by time.
pub(crate) struct UuidColumn(pub(crate) Uuid);

impl UuidColumn {
    /// Returns the smallest that can have been made then: a UUID of version 7 begins with its time.
    pub(crate) fn first_at(at: Millis) -> Self {
        let millis = u64::try_from(at).unwrap_or(0).min(0xffff_ffff_ffff);
        let mut bytes = [0; 16];
        bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
        Self(Uuid::from_bytes(bytes))
    }
}

impl ToSql for UuidColumn {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(&self.0.as_bytes()[..]))
    }
}

impl FromSql for UuidColumn {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Uuid::from_slice(value.as_blob()?).map(Self).map_err(FromSqlError::other)
    }
}

pub(crate) struct AgentIdColumn(pub(crate) AgentId);

impl FromSql for AgentIdColumn {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        AgentId::new(value.as_str()?).map(Self).map_err(FromSqlError::other)
    }
}
