//! Scripts that a person allowed after seeing their beginning, each with its content at that time.

use crate::error::Error;
use postern_policy::Millis;
use rusqlite::{Connection, OptionalExtension, params};

pub(crate) const SCHEMA: &str = include_str!("schema/scripts.sql");

/// Number of scripts that are kept: those allowed last.
const KEPT: u32 = 10_000;

/// A script with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedScript {
    /// Real path.
    pub path: String,
    /// sha256 of its content, 64 hex digits.
    pub sha256: String,
}

/// Keeps a script that a person allowed, in place of what was kept of its path.
pub fn keep_script(conn: &Connection, script: &AllowedScript, at: Millis) -> Result<(), Error> {
    let mut upsert = conn.prepare_cached(
        "INSERT INTO scripts (path, sha256, at) VALUES (?1, ?2, ?3)
         ON CONFLICT (path) DO UPDATE SET sha256 = excluded.sha256, at = excluded.at",
    )?;
    upsert.execute(params![script.path, script.sha256, at])?;
    let mut forget = conn.prepare_cached(
        "DELETE FROM scripts WHERE at < (SELECT at FROM scripts ORDER BY at DESC LIMIT 1 OFFSET ?1)",
    )?;
    forget.execute([KEPT - 1])?;
    Ok(())
}

/// Returns the sha256 of a script as a person last allowed it; `None` if nobody did.
pub fn last_allowed(conn: &Connection, path: &str) -> Result<Option<String>, Error> {
    let mut query = conn.prepare_cached("SELECT sha256 FROM scripts WHERE path = ?1")?;
    Ok(query.query_row([path], |row| row.get(0)).optional()?)
}

/// Removes all of them.
pub(crate) fn clear_scripts(conn: &Connection) -> Result<(), Error> {
    conn.execute("DELETE FROM scripts", [])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{AllowedScript, KEPT, clear_scripts, keep_script, last_allowed};
    use crate::testing::open_temp_store;

    fn script(path: &str, sha256: &str) -> AllowedScript {
        AllowedScript { path: path.to_owned(), sha256: sha256.to_owned() }
    }

    #[test]
    fn the_content_that_was_allowed_last_is_kept_and_the_oldest_scripts_go() {
        let (_folder, store) = open_temp_store();
        store.write_now(|conn| {
            keep_script(conn, &script("/w/a.py", "1"), 1)?;
            keep_script(conn, &script("/w/a.py", "2"), 2)?;
            keep_script(conn, &script("/w/old.py", "3"), 1)?;
            for number in 1..KEPT {
                keep_script(conn, &script(&format!("/w/{number}.py"), "4"), 3)?;
            }
            Ok(())
        });
        let of = |path: &str| store.look_up(|conn| last_allowed(conn, path)).unwrap();
        assert_eq!(of("/w/a.py").as_deref(), Some("2"));
        assert_eq!(of("/w/1.py").as_deref(), Some("4"));
        assert_eq!(of("/w/old.py"), None, "there is room for so many");
        store.write_now(clear_scripts);
        assert_eq!(of("/w/a.py"), None);
    }
}
