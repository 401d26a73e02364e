//! Files that a tool of an agent without prompts would write outside the folder that the agent works in.

use postern_exec::resolve::resolve_real;
use postern_policy::permissions::{PathUse, named_paths};
use serde_json::{Map, Value};

/// Returns true if a call of a tool that writes files may write one outside this folder, where links lead, too.
pub(super) fn writes_outside(tool: &str, arguments: &Map<String, Value>, folder: Option<&str>) -> bool {
    if !["edit_file", "write_file"].contains(&tool) {
        return false;
    }
    let folder = folder.and_then(|folder| std::fs::canonicalize(folder).ok());
    let is_inside = |path: &str| {
        let plain = !path.starts_with('~') && !path.split('/').any(|name| name == "..");
        let Some(folder) = folder.as_deref().filter(|_| plain) else { return false };
        resolve_real(&folder.join(path)).is_some_and(|real| real.starts_with(folder))
    };
    let arguments = Value::Object(arguments.clone());
    let named = named_paths(tool, &arguments).into_iter();
    let mut writes = named.filter(|named| matches!(named.used, PathUse::Write | PathUse::WriteAll));
    writes.any(|named| !is_inside(&named.path))
}

#[cfg(test)]
mod tests {
    use super::writes_outside;
    use serde_json::{Map, json};
    use std::os::unix::fs::symlink;

    #[test]
    fn a_folder_holds_what_its_links_lead_to() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let folder = top.join("p");
        std::fs::create_dir_all(folder.join("src")).unwrap();
        symlink(&top, folder.join("out")).unwrap();
        symlink(top.join("new"), folder.join("nowhere")).unwrap();
        let folder = folder.to_str().unwrap();
        let outside = |tool: &str, path: &str| {
            writes_outside(tool, &Map::from_iter([("path".to_owned(), json!(path))]), Some(folder))
        };
        for path in ["a", "src/new/deep/a", &format!("{folder}/src/a")] {
            assert!(!outside("write_file", path), "{path}");
        }
        for path in ["/etc/a", "~/a", "../a", "src/../../a", "out/a", "nowhere", &format!("{folder}x/a")] {
            assert!(outside("write_file", path) && outside("edit_file", path), "{path}");
            assert!(!outside("read_file", path), "{path}");
        }
        let patch = |file: &str| {
            let patch = json!({"input": format!("*** Begin Patch\n*** Add File: {file}\n+x\n*** End Patch")});
            writes_outside("edit_file", &Map::from_iter([("patch".to_owned(), patch)]), Some(folder))
        };
        assert!(patch("/etc/a") && !patch("src/a"));
        assert!(writes_outside("write_file", &Map::from_iter([("path".to_owned(), json!("a"))]), None));
    }
}
