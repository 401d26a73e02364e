//! Skills: the folders that are watched, what was found in them, and the identity each CLI was last approved with.

use crate::column::JsonColumn;
use crate::error::Error;
use postern_policy::{Identity, Millis, RuleId};
use rusqlite::{Connection, Row, params};

pub(crate) const SCHEMA: &str = include_str!("schema/skills.sql");

/// A skill as it was last found on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Folder, which is the key.
    pub folder: String,
    pub name: String,
    pub description: String,
    /// Fault of its `SKILL.md`.
    pub problem: Option<String>,
    pub clis: Vec<StoredSkillCli>,
}

/// A CLI that a skill uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSkillCli {
    pub name: String,
    /// Path of its program, if it was found.
    pub path: Option<String>,
    /// Identity when it was last looked at.
    pub seen: Option<Identity>,
    /// Identity when the person last approved it; `None` means never.
    pub approved: Option<Identity>,
    /// Time of that approval.
    pub approved_at: Option<Millis>,
    pub rule: Option<RuleId>,
}

/// Returns the folders that are watched.
pub fn folders(conn: &Connection) -> Result<Vec<String>, Error> {
    let mut query = conn.prepare_cached("SELECT path FROM skill_folders ORDER BY path")?;
    Ok(query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Watches a folder; one that is watched already is no error.
pub fn add_folder(conn: &Connection, path: &str, at: Millis) -> Result<(), Error> {
    conn.execute(
        "INSERT INTO skill_folders (path, added_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        params![path, at],
    )?;
    Ok(())
}

/// Watches a folder no more. What was found in it goes with [`remove`].
pub fn remove_folder(conn: &Connection, path: &str) -> Result<(), Error> {
    match conn.execute("DELETE FROM skill_folders WHERE path = ?1", [path])? {
        0 => Err(Error::Missing(format!("skill folder {path}"))),
        _ => Ok(()),
    }
}

/// Returns every skill with its CLIs, by folder.
pub fn list_skills(conn: &Connection) -> Result<Vec<Skill>, Error> {
    let mut skills =
        conn.prepare_cached("SELECT folder, name, description, problem FROM skills ORDER BY folder")?;
    let mut clis = conn.prepare_cached(
        "SELECT name, path, seen, approved, approved_at, rule FROM skill_clis WHERE folder = ?1 ORDER BY name",
    )?;
    let found = skills.query_map([], |row| {
        Ok(Skill {
            folder: row.get(0)?,
            name: row.get(1)?,
            description: row.get(2)?,
            problem: row.get(3)?,
            clis: Vec::new(),
        })
    })?;
    let mut found: Vec<Skill> = found.collect::<Result<_, _>>()?;
    for skill in &mut found {
        skill.clis = clis.query_map([&skill.folder], cli_from_row)?.collect::<Result<_, _>>()?;
    }
    Ok(found)
}

fn cli_from_row(row: &Row<'_>) -> rusqlite::Result<StoredSkillCli> {
    let identity =
        |at| Ok::<_, rusqlite::Error>(row.get::<_, Option<JsonColumn<Identity>>>(at)?.map(|json| json.0));
    Ok(StoredSkillCli {
        name: row.get(0)?,
        path: row.get(1)?,
        seen: identity(2)?,
        approved: identity(3)?,
        approved_at: row.get(4)?,
        rule: row.get(5)?,
    })
}

/// Writes a skill as it was found on disk. Approvals stay: only [`approve`] changes them.
///
/// CLIs that the skill does not name any more are forgotten.
pub fn save_skill(conn: &Connection, skill: &Skill) -> Result<(), Error> {
    conn.prepare_cached(
        "INSERT INTO skills (folder, name, description, problem) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (folder) DO
         UPDATE SET name = excluded.name, description = excluded.description, problem = excluded.problem",
    )?
    .execute(params![skill.folder, skill.name, skill.description, skill.problem])?;
    let mut upsert = conn.prepare_cached(
        "INSERT INTO skill_clis (folder, name, path, seen) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (folder, name) DO
         UPDATE SET path = excluded.path, seen = excluded.seen",
    )?;
    for cli in &skill.clis {
        upsert.execute(params![skill.folder, cli.name, cli.path, cli.seen.as_ref().map(JsonColumn)])?;
    }
    let names: Vec<&str> = skill.clis.iter().map(|cli| cli.name.as_str()).collect();
    conn.prepare_cached(
        "DELETE FROM skill_clis WHERE folder = ?1 AND name NOT IN (SELECT value FROM json_each(?2))",
    )?
    .execute(params![skill.folder, JsonColumn(names)])?;
    Ok(())
}

/// Records what a CLI was when the person approved it, and its rule.
pub fn approve(
    conn: &Connection,
    folder: &str,
    name: &str,
    (identity, rule): (&Identity, Option<RuleId>),
    at: Millis,
) -> Result<(), Error> {
    let approved = conn.execute(
        "UPDATE skill_clis SET approved = ?3, rule = coalesce(?4, rule), approved_at = ?5 WHERE folder = ?1 AND name = ?2",
        params![folder, name, JsonColumn(identity), rule, at],
    )?;
    if approved == 1 { Ok(()) } else { Err(Error::Missing(format!("CLI {name} of a skill in {folder}"))) }
}

/// Forgets a skill, its CLIs and what was approved of them.
pub fn remove(conn: &Connection, folder: &str) -> Result<(), Error> {
    conn.execute("DELETE FROM skills WHERE folder = ?1", [folder])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::rules;
    use crate::testing::{allow_rule, identity, open_temp_store};

    fn bird(sha256: &str) -> Skill {
        let cli = |name: &str| StoredSkillCli {
            name: name.into(),
            path: Some(format!("/opt/{name}")),
            seen: Some(identity(sha256)),
            approved: None,
            approved_at: None,
            rule: None,
        };
        Skill {
            folder: "/skills/bird".into(),
            name: "bird".into(),
            description: "sings".into(),
            problem: None,
            clis: vec![cli("beak"), cli("wing")],
        }
    }

    #[test]
    fn finding_a_skill_again_keeps_what_was_approved() {
        let (_folder, store) = open_temp_store();
        let done = store.write(|conn| {
            save_skill(conn, &bird("aa"))?;
            let rule = rules::insert_rule(conn, &allow_rule(None, "/opt/wing"))?;
            approve(conn, "/skills/bird", "wing", (&identity("aa"), Some(rule)), 5)?;
            save_skill(conn, &bird("bb"))?;
            Ok(rule)
        });
        let rule = done.wait().unwrap();
        let mut expected = bird("bb");
        expected.clis[1].approved = Some(identity("aa"));
        expected.clis[1].approved_at = Some(5);
        expected.clis[1].rule = Some(rule);
        assert_eq!(store.read(list_skills).unwrap(), [expected.clone()]);
        store.write_now(move |conn| {
            rules::remove(conn, rule)?;
            let mut less = bird("bb");
            less.clis.remove(0);
            save_skill(conn, &less)
        });
        expected.clis.remove(0);
        expected.clis[0].rule = None;
        assert_eq!(
            store.read(list_skills).unwrap(),
            [expected],
            "a CLI that is gone is forgotten, a removed rule unlinked"
        );
        store.write_now(|conn| remove(conn, "/skills/bird"));
        assert_eq!(store.read(list_skills).unwrap(), []);
    }

    #[test]
    fn what_is_not_there_cannot_be_approved_or_removed() {
        let (_folder, store) = open_temp_store();
        let done = store.write(|conn| approve(conn, "/x", "y", (&identity("aa"), None), 1)).wait();
        assert!(matches!(done, Err(Error::Missing(_))), "{done:?}");
        store.write_now(|conn| add_folder(conn, "/skills", 1));
        store.write_now(|conn| add_folder(conn, "/skills", 2));
        assert_eq!(store.read(folders).unwrap(), ["/skills"]);
        store.write_now(|conn| remove_folder(conn, "/skills"));
        let done = store.write(|conn| remove_folder(conn, "/skills")).wait();
        assert!(matches!(done, Err(Error::Missing(_))), "{done:?}");
    }
}
