//! Ends of the links in a tool call's paths.
//!
//! A line of `permissions.jsonc` is about the place that it names. A confined command can put a link to anywhere into its folders.

use crate::touches::real_path;
use postern_policy::permissions::FileUse;
use postern_policy::tool_gate::ToolVerdict;
use postern_policy::{Decision, expand_home, normal_path};
use std::path::Path;

/// Characters that begin a pattern in a line.
const PATTERN: [char; 6] = ['*', '?', '[', '{', '(', '!'];

pub(super) struct LineFolders<'a> {
    pub(super) home: &'a str,
    /// Folder that the agent works in.
    pub(super) cwd: Option<&'a str>,
    /// Folders in which the agent may have made a link.
    pub(super) own: &'a [String],
}

/// Returns the verdict on a call by what `judge` says of where the links in its paths lead: the stricter one holds.
///
/// A link on the way to a folder that a line names is the user's, unless it lies in the agent's own folders.
pub(super) fn judge_link_ends(
    verdict: ToolVerdict,
    files: &[FileUse],
    folders: &LineFolders<'_>,
    judge: impl Fn(&str) -> ToolVerdict,
) -> ToolVerdict {
    let mut strictest = verdict;
    for file in files {
        let Some(real) = file.real.as_deref().filter(|real| *real != normal_path(&file.path)) else {
            continue;
        };
        let named = judge(&file.written);
        let Some((line, _)) = named.entry.filter(|_| named.decision == Decision::Allow) else { continue };
        let ends = names_of_end(real, &line, folders).into_iter().map(|name| judge(&name));
        // All are names of one place: a line that denies one denies it, and one that allows it is enough.
        let end = ends.min_by_key(|end| match end.decision {
            Decision::Deny => 0,
            Decision::Allow => 1,
            Decision::Ask => 2,
        });
        if let Some(end) = end.filter(|end| end.decision > strictest.decision) {
            strictest = end;
        }
    }
    strictest
}

/// Returns the names of a place for lines: its real path, and those from the agent's folder and from the line's own.
fn names_of_end(real: &str, line: &str, folders: &LineFolders<'_>) -> Vec<String> {
    let below = |folder: &str| {
        let folder = real_path(Path::new(folder))?;
        Path::new(real).strip_prefix(folder).ok()?.to_str()
    };
    let mut names = vec![real.to_owned()];
    names.extend(folders.cwd.and_then(below).map(str::to_owned));
    let line = expand_home(line, folders.home);
    let base = base_of_line(&line, folders.own);
    if base.starts_with('/') {
        let join = |rest: &str| if rest.is_empty() { base.to_owned() } else { format!("{base}/{rest}") };
        names.extend(below(base).map(join));
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Returns the folder or file before a line's pattern; the agent's own folder, if it lies in one.
fn base_of_line<'a>(line: &'a str, own: &'a [String]) -> &'a str {
    let end = line.find(PATTERN).map_or(line.len(), |at| line[..at].rfind('/').unwrap_or(0));
    let fixed = line[..end].trim_end_matches('/');
    let lies_in = |folder: &&String| Path::new(fixed).starts_with(folder.trim_end_matches('/'));
    own.iter().find(lies_in).map_or(fixed, |folder| folder.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::{LineFolders, base_of_line, names_of_end};
    use std::os::unix::fs::symlink;

    #[test]
    fn a_line_names_its_folder_up_to_the_agents_own() {
        let own = ["/h/p".to_owned()];
        for (line, expected) in [
            ("/h/p/**", "/h/p"),
            ("/h/p/src/*.rs", "/h/p"),
            ("/h/q/src/*.rs", "/h/q/src"),
            ("/h/px/a.rs", "/h/px/a.rs"),
            ("*.rs", ""),
            ("src/**", "src"),
        ] {
            assert_eq!(base_of_line(line, &own), expected, "{line}");
        }
    }

    #[test]
    fn a_place_has_the_names_that_lines_have_for_it() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("real/p/src")).unwrap();
        symlink("real", top.join("link")).unwrap();
        let (real, link) = (top.join("real/p/src/a"), top.join("link/p"));
        let (real, link) = (real.to_str().unwrap(), link.to_str().unwrap());
        let own = [link.to_owned()];
        let folders = LineFolders { home: "/h", cwd: Some(link), own: &own };
        let names = names_of_end(real, &format!("{link}/**"), &folders);
        assert_eq!(names, [real.to_owned(), "src/a".to_owned(), format!("{link}/src/a")]);
        assert_eq!(names_of_end("/elsewhere/a", &format!("{link}/**"), &folders), ["/elsewhere/a"]);
    }
}
