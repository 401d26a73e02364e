//! Settings of the whole: a key, and a value as JSON.

pub use crate::audit::PAUSE;

use crate::column::to_json_text;
use crate::error::Error;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) const SCHEMA: &str = include_str!("schema/settings.sql");

/// Returns the value of a key. One that cannot be read as `T` is an error, not a missing one.
pub fn get_value<T: DeserializeOwned>(conn: &Connection, key: &str) -> Result<Option<T>, Error> {
    let mut query = conn.prepare_cached("SELECT value FROM settings WHERE key = ?1")?;
    let value: Option<String> = query.query_row([key], |row| row.get(0)).optional()?;
    value
        .map(|value| {
            serde_json::from_str(&value).map_err(|why| Error::Refused(format!("setting {key}: {why}")))
        })
        .transpose()
}

/// Sets a key.
pub fn set_value<T: Serialize>(conn: &Connection, key: &str, value: &T) -> Result<(), Error> {
    let mut upsert = conn.prepare_cached(
        "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    )?;
    upsert.execute(params![key, to_json_text(value)?])?;
    Ok(())
}

/// Forgets a key; one that is not there is no error.
pub fn remove(conn: &Connection, key: &str) -> Result<(), Error> {
    conn.execute("DELETE FROM settings WHERE key = ?1", [key])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::open_temp_store;

    #[test]
    fn a_setting_is_set_replaced_and_forgotten() {
        let (_folder, store) = open_temp_store();
        let read = || store.read(|conn| get_value::<Vec<u32>>(conn, "days")).unwrap();
        assert_eq!(read(), None);
        store.write_now(|conn| set_value(conn, "days", &[1]));
        store.write_now(|conn| set_value(conn, "days", &[2, 3]));
        assert_eq!(read(), Some(vec![2, 3]));
        let all = "SELECT group_concat(key || value) FROM settings";
        let all: String = store.read(|conn| Ok(conn.query_row(all, [], |row| row.get(0))?)).unwrap();
        assert_eq!(all, "days[2,3]", "one row, of JSON");
        let wrong = store.read(|conn| get_value::<bool>(conn, "days"));
        assert!(matches!(wrong, Err(Error::Refused(_))), "another type is not a missing value: {wrong:?}");
        store.write_now(|conn| remove(conn, "days"));
        assert_eq!(read(), None);
    }
}
