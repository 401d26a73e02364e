//! Protected places: no default and no wildcard lets an agent change them, or read the keys among them.

mod pins;
mod places;

use crate::path::{self, path_names};
use foldhash::HashMap;
pub use pins::{
    GIT_NESTS, GIT_OBEYS, StandIn, holds_protected_entry, is_git_folder, is_git_name, is_protected_entry,
    pinned_when_absent, protected_names, unprotected_in,
};
use places::{BARE_REPOSITORY, EXCEPT, PLACES, WORKSPACE_FILE};
use postern_command::obeyed::is_workspace_file;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Reason for a protection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protection {
    /// A shell or another program runs its content at its start.
    StartFile,
    /// Keys, tokens or passwords; reading them counts as well.
    Keys,
    /// The system starts its content.
    Autostart,
    /// Git runs it, or finds there what to run.
    Repository,
    /// Configuration of what an agent or editor runs and may do.
    AgentSettings,
}

/// Base of a place's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// The user's home folder.
    Home,
    /// Any folder.
    Anywhere,
    System,
}

/// A file or folder that is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtectedPlace {
    root: Root,
    path: &'static str,
    pub protection: Protection,
}

impl ProtectedPlace {
    /// Returns its path, with `~` for the home folder.
    pub fn display_path(&self) -> String {
        if self.root == Root::Home { format!("~/{}", self.path) } else { self.path.to_owned() }
    }

    /// Returns its path on this machine, or `None` if it can lie in any folder.
    fn absolute(&self, home: &str) -> Option<String> {
        match self.root {
            Root::Home => Some(format!("{}/{}", path::deny_key(home).trim_end_matches('/'), self.path)),
            Root::System => Some(self.path.to_owned()),
            Root::Anywhere => None,
        }
    }

    /// Returns true if a pattern of a rule file names it, and does not only cover it with a wildcard.
    pub(crate) fn is_named_in(&self, pattern: &str) -> bool {
        let pattern = comparison_key(pattern);
        if !pattern.contains(WILD) {
            return true;
        }
        let named = |wanted: &str| {
            let wanted: Vec<&str> = path_names(wanted).collect();
            path_names(&pattern).collect::<Vec<_>>().windows(wanted.len()).any(|part| part == wanted)
        };
        let names =
            |is_it: fn(&str) -> bool| path_names(&pattern).any(|name| !name.contains(WILD) && is_it(name));
        if *self == BARE_REPOSITORY {
            names(is_bare_repository)
        } else if *self == WORKSPACE_FILE {
            names(is_workspace_file)
        } else {
            named(self.path)
        }
    }
}

/// Characters that make a pattern match more than itself.
const WILD: [char; 9] = ['*', '?', '[', ']', '{', '}', '(', ')', '!'];

/// Places of one base, by the first names of their paths.
type ByFirstName = HashMap<&'static str, Vec<&'static ProtectedPlace>>;

/// The places by their bases, in the order of [`Root`]: most paths have none of their first names.
static PLACES_OF: LazyLock<[ByFirstName; 3]> = LazyLock::new(|| {
    [Root::Home, Root::Anywhere, Root::System].map(|root| {
        let mut places = ByFirstName::default();
        for place in PLACES.iter().filter(|place| place.root == root) {
            places.entry(path_names(place.path).next().unwrap_or_default()).or_default().push(place);
        }
        places
    })
});

/// Returns the places of a base whose paths begin with this name.
fn places_beginning(root: Root, name: &str) -> &'static [&'static ProtectedPlace] {
    PLACES_OF[root as usize].get(name).map(Vec::as_slice).unwrap_or_default()
}

/// Bytes of the longest of them, at most.
const LONGEST_FIRST_NAME: usize = 64;

/// The protected places of one machine, with links among them resolved.
#[derive(Debug, Default)]
pub struct ProtectedPlaces {
    home: String,
    /// The home folder, as paths are compared.
    home_key: String,
    /// Real paths of places that are links, or lie behind one.
    real: Vec<(&'static ProtectedPlace, String)>,
}

impl ProtectedPlaces {
    /// Returns the user's home folder.
    pub fn home(&self) -> &str {
        &self.home
    }

    /// Returns the places of a user with this home folder, by their names alone.
    pub fn of_home(home: &str) -> Self {
        let home = home.trim_end_matches('/').to_owned();
        let home_key = comparison_key(&home).trim_end_matches('/').to_owned();
        Self { home, home_key, real: Vec::new() }
    }

    /// Returns the places of a user with this home folder. `real` resolves an existing path; it is called once
    /// for each place.
    pub fn new(home: &str, real: impl Fn(&str) -> Option<String>) -> Self {
        let named = Self::of_home(home);
        let leads = |place: &'static ProtectedPlace| {
            let path = match place.root {
                Root::System => place.path.to_owned(),
                Root::Home | Root::Anywhere => format!("{}/{}", named.home, place.path),
            };
            // Only if the name is spelled like this here: on a case-sensitive system other spellings are other
            // files.
            let real = comparison_key(&real(&path)?);
            (real != comparison_key(&path)).then_some((place, real))
        };
        Self { real: PLACES.iter().filter_map(leads).collect(), ..named }
    }

    /// Returns the places that an absolute path is, or lies in.
    pub fn places_at(&self, path: &str) -> Vec<&'static ProtectedPlace> {
        let mut found: Vec<&'static ProtectedPlace> = Vec::new();
        if self.real.is_empty() && !may_lie_in_place(path) {
            return found;
        }
        let path = comparison_key(path);
        let names: Vec<&str> = path_names(&path).collect();
        let at_home = path.strip_prefix(&*self.home_key).and_then(|rest| rest.strip_prefix('/'));
        for (root, path) in [(Root::Home, at_home), (Root::System, Some(&*path))] {
            let Some(path) = path else { continue };
            let first = path_names(path).next().unwrap_or_default();
            let places = places_beginning(root, first).iter();
            found.extend(places.filter(|place| path::is_within(path, place.path)));
        }
        for at in 0..names.len() {
            let places = places_beginning(Root::Anywhere, names[at]).iter();
            found.extend(places.filter(|place| lead_through(&names[at..], place.path)));
        }
        // In the order of the table.
        found.sort_unstable_by_key(|place| std::ptr::from_ref(*place));
        found.extend(
            self.real.iter().filter(|(_, real)| path::is_within(&path, real)).map(|(place, _)| *place),
        );
        // The name alone may also be that of a cloned repository.
        if names.iter().rev().skip(1).any(|name| is_bare_repository(name)) {
            found.push(&BARE_REPOSITORY);
        }
        if names.iter().any(|name| is_workspace_file(name)) {
            found.push(&WORKSPACE_FILE);
        }
        found.dedup();
        found
    }

    /// Returns the places that a folder holds, as far as its path shows.
    pub fn places_below(&self, folder: &str) -> Vec<&'static ProtectedPlace> {
        let folder = comparison_key(folder);
        let at_home = if path::is_within(&self.home_key, &folder) {
            Some("")
        } else {
            folder.strip_prefix(&*self.home_key).and_then(|rest| rest.strip_prefix('/'))
        };
        let mut found: Vec<&'static ProtectedPlace> = Vec::new();
        for (root, folder) in
            [(Root::Home, at_home), (Root::Anywhere, at_home), (Root::System, Some(&*folder))]
        {
            let Some(folder) = folder else { continue };
            match path_names(folder).next() {
                Some(first) => {
                    let places = places_beginning(root, first).iter();
                    found.extend(places.filter(|place| path::is_within(place.path, folder)));
                }
                None => found.extend(PLACES.iter().filter(|place| place.root == root)),
            }
        }
        // In the order of the table.
        found.sort_unstable_by_key(|place| std::ptr::from_ref(*place));
        found
    }

    /// Returns true if a path lies below the target of a place that is a link.
    pub(crate) fn leads_to(&self, place: &ProtectedPlace, path: &str) -> bool {
        let path = comparison_key(path);
        self.real.iter().any(|(of, real)| *of == place && path::is_within(&path, real))
    }

    /// Returns the user's home folder.
    pub(crate) fn home_folder(&self) -> &str {
        &self.home
    }
}

/// Returns the spelling used for comparison, without marks that some file systems ignore.
fn comparison_key(path: &str) -> String {
    let plain = crate::path::unmarked(path);
    path::deny_key(&path::out_of_proc(&plain, "/")).into_owned()
}

/// Returns false only for a path that lies in no place: none of its names, in any spelling, is the first one of a place.
fn may_lie_in_place(path: &str) -> bool {
    let mut small = [0; LONGEST_FIRST_NAME];
    let may_be = |name: &str| {
        if let Some(small) = small.get_mut(..name.len()) {
            small.copy_from_slice(name.as_bytes());
            small.make_ascii_lowercase();
            let small = std::str::from_utf8(small).unwrap_or_default();
            if PLACES_OF.iter().any(|places| places.contains_key(small)) {
                return true;
            }
        }
        is_bare_repository(name) || is_workspace_file(name)
    };
    // Other letters have more spellings than these two.
    !path.is_ascii() || path_names(path).any(may_be)
}

fn is_bare_repository(name: &str) -> bool {
    let split = name.len().checked_sub(".git".len()).and_then(|at| name.split_at_checked(at));
    split.is_some_and(|(stem, end)| !stem.is_empty() && end.eq_ignore_ascii_case(".git"))
}

/// Returns true if names begin with those of a place, and do not go on with an exception there.
fn lead_through(names: &[&str], place: &str) -> bool {
    let except = EXCEPT.iter().find(|(of, _)| *of == place).map_or(&[][..], |(_, except)| except);
    let mut rest = names.iter();
    path_names(place).all(|wanted| rest.next() == Some(&wanted))
        && !rest.next().is_some_and(|next| except.contains(next))
}

#[cfg(test)]
mod tests;
