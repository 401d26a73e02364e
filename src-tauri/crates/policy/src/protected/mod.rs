//! Protected places: no default and no wildcard lets an agent change them, or read the keys among them.

mod places;
mod shell;

use crate::path;
use places::{BARE_REPOSITORY, EXCEPT, PLACES};
pub use shell::ShellTouch;

/// Why a place is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protection {
    /// A shell or another program runs what stands in it when it starts.
    StartFile,
    /// It holds keys, tokens or passwords: reading it counts as well.
    Keys,
    /// The system starts what stands in it.
    Autostart,
    /// Git runs what stands in it, or is told by it what to run.
    Repository,
    /// It says what an agent or editor runs and may do.
    AgentSettings,
}

impl Protection {
    /// What lies in such a place, as a noun phrase.
    pub fn words(self) -> &'static str {
        match self {
            Self::StartFile => "a start file of a shell or program",
            Self::Keys => "keys or passwords",
            Self::Autostart => "what the system starts by itself",
            Self::Repository => "git's configuration or hooks",
            Self::AgentSettings => "settings or hooks of an agent",
        }
    }
}

/// Where a place's path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// In the person's home folder.
    Home,
    /// In any folder.
    Anywhere,
    /// At the root.
    System,
}

/// A file or folder that is protected.
#[derive(Debug, PartialEq, Eq)]
pub struct ProtectedPlace {
    root: Root,
    path: &'static str,
    /// Why.
    pub protection: Protection,
}

impl ProtectedPlace {
    /// Its path, with `~` for the home folder.
    pub fn shown(&self) -> String {
        if self.root == Root::Home { format!("~/{}", self.path) } else { self.path.to_owned() }
    }

    /// Its path on this machine; none where it can lie in any folder.
    fn absolute(&self, home: &str) -> Option<String> {
        match self.root {
            Root::Home => Some(format!("{}/{}", path::deny_key(home).trim_end_matches('/'), self.path)),
            Root::System => Some(self.path.to_owned()),
            Root::Anywhere => None,
        }
    }

    /// Whether a pattern of a file of rules names it, rather than covering it with a wildcard.
    pub(crate) fn is_named_in(&self, pattern: &str) -> bool {
        let pattern = key(pattern);
        if !pattern.contains(WILD) {
            return true;
        }
        let named = |wanted: &str| {
            let wanted: Vec<&str> = names(wanted).collect();
            names(&pattern).collect::<Vec<_>>().windows(wanted.len()).any(|part| part == wanted)
        };
        if *self == BARE_REPOSITORY {
            names(&pattern).any(|name| !name.contains(WILD) && is_bare_repository(name))
        } else {
            named(self.path)
        }
    }
}

/// Signs by which a pattern stands for more than itself.
const WILD: [char; 9] = ['*', '?', '[', ']', '{', '}', '(', ')', '!'];

/// The protected places on one machine, links among them followed.
#[derive(Debug, Default)]
pub struct Protected {
    home: String,
    /// Real paths of places that are links, or lie behind one.
    real: Vec<(&'static ProtectedPlace, String)>,
}

impl Protected {
    /// Those of a person with this home folder. `real` gives a path's real path where it exists; each place is asked for once.
    pub fn new(home: &str, real: impl Fn(&str) -> Option<String>) -> Self {
        let home = home.trim_end_matches('/');
        let leads = |place: &'static ProtectedPlace| {
            let path = match place.root {
                Root::System => place.path.to_owned(),
                Root::Home | Root::Anywhere => format!("{home}/{}", place.path),
            };
            // Only where names are written as they are here: on a system that tells case apart others are other files.
            let real = key(&real(&path)?);
            (real != key(&path)).then_some((place, real))
        };
        Self { home: home.to_owned(), real: PLACES.iter().filter_map(leads).collect() }
    }

    /// The places that an absolute path is, or lies in.
    pub fn of(&self, path: &str) -> Vec<&'static ProtectedPlace> {
        let path = key(path);
        let mut found: Vec<&'static ProtectedPlace> = PLACES
            .iter()
            .filter(|place| match place.absolute(&self.home) {
                Some(folder) => path::is_within(&path, &folder),
                None => lies_in_any(&path, place.path),
            })
            .collect();
        found.extend(
            self.real.iter().filter(|(_, real)| path::is_within(&path, real)).map(|(place, _)| *place),
        );
        // Its name alone may as well be that of what is cloned from elsewhere.
        if path.rsplit_once('/').is_some_and(|(folder, _)| names(folder).any(is_bare_repository)) {
            found.push(&BARE_REPOSITORY);
        }
        found.dedup();
        found
    }

    /// The places that a folder holds, as far as that can be said of its path.
    pub fn below(&self, folder: &str) -> Vec<&'static ProtectedPlace> {
        let folder = key(folder);
        let held = |path: Option<String>| path.is_some_and(|path| path::is_within(&path, &folder));
        let at_home = |place: &ProtectedPlace| match place.root {
            Root::Anywhere => Some(format!("{}/{}", key(&self.home), place.path)),
            Root::Home | Root::System => place.absolute(&self.home),
        };
        PLACES.iter().filter(|place| held(at_home(place))).collect()
    }

    /// Whether a path lies where the place, which is a link, leads.
    pub(crate) fn leads_to(&self, place: &ProtectedPlace, path: &str) -> bool {
        let path = key(path);
        self.real.iter().any(|(of, real)| *of == place && path::is_within(&path, real))
    }

    /// The person's home folder.
    pub(crate) fn home(&self) -> &str {
        &self.home
    }
}

/// The spelling by which paths are compared here: also without the marks that some file systems overlook.
fn key(path: &str) -> String {
    let plain = crate::permissions::unmarked(path);
    path::deny_key(&path::out_of_proc(&plain, "/"))
}

fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty())
}

fn is_bare_repository(name: &str) -> bool {
    name.len() > ".git".len() && name.ends_with(".git")
}

/// Whether a path leads through a place of this path in any folder, and not on into what is excepted there.
fn lies_in_any(path: &str, place: &str) -> bool {
    let (names_of_path, wanted): (Vec<&str>, Vec<&str>) = (names(path).collect(), names(place).collect());
    let except = EXCEPT.iter().find(|(of, _)| *of == place).map_or(&[][..], |(_, except)| except);
    (0..names_of_path.len()).any(|at| {
        let rest = &names_of_path[at..];
        rest.starts_with(&wanted) && !rest.get(wanted.len()).is_some_and(|next| except.contains(next))
    })
}

#[cfg(test)]
mod tests;
