//! Folders that allow rules let an agent read besides its own: *Look around* reaches there as well, in confined runs alone.

use crate::confinement::UnreadablePlaces;
use crate::path;
use crate::pattern::{PatternError, check_files, is_glob};
use crate::protected;
use std::borrow::Cow;

/// Folders of devices, processes and temporary files: those of a confined run are its own, or have no content to keep.
const OF_RUNS: [&str; 8] =
    ["/dev", "/proc", "/run", "/sys", "/tmp", "/var/tmp", "/private/tmp", "/private/var/folders"];

/// Reason why no rule may let an agent read a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotReadable {
    #[error("name one folder, without wildcards")]
    Glob,
    /// Other people's and programs' data lies in it.
    #[error("that is too much to read: name a folder in it")]
    TooMuch,
    /// Protected place, or a file in one.
    #[error("keys, Postern's data, and settings of shells, git and agents are never read because of a rule")]
    Protected,
    /// Protected places lie in it.
    #[error("it holds keys or Postern’s data: name a folder beside them")]
    HoldsKeys,
    #[error("temporary files and devices are a run's own: a rule can't open them")]
    OfRuns,
}

/// Returns the folder that an allow rule for reading names: all below it is meant, with or without `/**` at the end.
pub(crate) fn folder_of<'t>(text: &'t str, home: &str) -> Result<Cow<'t, str>, PatternError> {
    check_files(text)?;
    let folder = text.strip_suffix("/**").unwrap_or(text);
    Ok(path::expand_home(folder, home))
}

/// Returns why no rule may let an agent read a folder, by its absolute path; `data` is Postern's data folder, if it is known.
pub fn why_not_readable(folder: &str, home: &str, data: Option<&str>) -> Option<NotReadable> {
    let keys = data.map_or_else(|| UnreadablePlaces::of_home(home), |data| UnreadablePlaces::new(home, data));
    let key = path::deny_key(folder);
    let at_home = path::is_within(&key, &path::deny_key(home));
    let below_root = key.split('/').filter(|name| !name.is_empty()).count();
    if !folder.starts_with('/') || is_glob(folder) {
        Some(NotReadable::Glob)
    } else if path::is_within(&path::deny_key(home), &key) {
        Some(NotReadable::TooMuch)
    } else if !at_home && OF_RUNS.iter().any(|place| path::is_within(&key, &path::deny_key(place))) {
        Some(NotReadable::OfRuns)
    } else if below_root < 2 {
        Some(NotReadable::TooMuch)
    } else if keys.contains_path(folder)
        || !protected::ProtectedPlaces::of_home(home).places_at(folder).is_empty()
    {
        Some(NotReadable::Protected)
    } else if keys.lie_in(folder) {
        Some(NotReadable::HoldsKeys)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{NotReadable, folder_of, why_not_readable};

    #[test]
    fn a_rule_opens_one_folder_without_keys() {
        let data = "/Users/u/Library/Application Support/Postern";
        for (folder, expected) in [
            ("/Users/u/notes", None),
            ("/Users/u/code/lib/src", None),
            ("/srv/data", None),
            ("/Users/u", Some(NotReadable::TooMuch)),
            ("/users/U", Some(NotReadable::TooMuch)),
            ("/Users", Some(NotReadable::TooMuch)),
            ("/", Some(NotReadable::TooMuch)),
            ("/srv", Some(NotReadable::TooMuch)),
            ("/Users/u/.ssh", Some(NotReadable::Protected)),
            ("/Users/u/.SSH/keys", Some(NotReadable::Protected)),
            ("/Users/u/site/.git/hooks", Some(NotReadable::Protected)),
            ("/Users/u/.claude/projects", Some(NotReadable::Protected)),
            ("/Users/u/.config", Some(NotReadable::HoldsKeys)),
            ("/Users/u/Library", Some(NotReadable::HoldsKeys)),
            ("/Users/u/Library/Application Support/Postern/agents", Some(NotReadable::Protected)),
            ("/Users/u/Library/Application Support", Some(NotReadable::HoldsKeys)),
            ("/tmp/x", Some(NotReadable::OfRuns)),
            ("/run/user/501", Some(NotReadable::OfRuns)),
            ("/Users/u/*/src", Some(NotReadable::Glob)),
            ("notes", Some(NotReadable::Glob)),
        ] {
            assert_eq!(why_not_readable(folder, "/Users/u", Some(data)), expected, "{folder}");
        }
        assert_eq!(why_not_readable(data, "/Users/u", None), None, "only the host knows where that lies");
    }

    #[test]
    fn a_folder_is_written_with_or_without_what_is_in_it() {
        for (text, folder) in [
            ("~/notes", "/Users/u/notes"),
            ("~/notes/**", "/Users/u/notes"),
            ("$HOME/notes", "/Users/u/notes"),
            ("/srv/x", "/srv/x"),
        ] {
            assert_eq!(folder_of(text, "/Users/u").unwrap(), folder, "{text}");
        }
        assert!(folder_of("notes", "/Users/u").is_err() && folder_of("~/a/../b", "/Users/u").is_err());
    }
}
