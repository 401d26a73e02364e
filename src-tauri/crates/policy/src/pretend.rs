//! A pretended machine, for commands that are judged without one: its programs and scripts are taken as present and unchanged.

use crate::facts::{Facts, FoundProgram, Input, Lookup, Script, StepFacts};
use crate::needed::{Needed, WantedProgram, folder_of, lookups};
use crate::path;
use crate::rule::{Identity, Millis};
use crate::settings::Settings;
use crate::subject::Origin;
use postern_command::ParsedCommand;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The home folder of the pretended person.
pub(crate) const HOME: &str = "/Users/u";
/// The working directory of a command that names none.
pub(crate) const CWD: &str = "/Users/u/project";
/// Postern's data folder.
const DATA: &str = "/Users/u/Library/Application Support/Postern";

/// Bare names and the absolute paths they resolve to. Nothing else exists.
#[derive(Debug, Clone, Default)]
pub struct Bins {
    names: HashMap<String, String>,
    paths: HashSet<String>,
}

impl Bins {
    /// Makes a lookup from a map of names to absolute paths.
    pub fn new(names: HashMap<String, String>) -> Self {
        let paths = names.values().cloned().collect();
        Self { names, paths }
    }
}

/// Knowledge about what is in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Contents<'a> {
    /// The sha256 of some programs, by path; nothing is known about others, nor about scripts.
    Of(&'a HashMap<String, String>),
    /// Every program and script is there, identified, and stays as it is.
    Unchanged,
}

/// A request on the pretended machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pretended<'a> {
    /// Programs; without them every program exists, in `/usr/bin` if it is called by its bare name.
    pub(crate) bins: Option<&'a Bins>,
    pub(crate) contents: Contents<'a>,
    pub(crate) origin: Origin,
    /// Normal, absolute.
    pub(crate) cwd: &'a str,
    pub(crate) home: &'a str,
    /// True for a line of shell text.
    pub(crate) shell: bool,
    pub(crate) env_to_ask: &'a [String],
    pub(crate) now: Millis,
}

impl<'a> Pretended<'a> {
    /// Returns a line of shell text with every program present.
    pub(crate) fn shell_line(cwd: &'a str, home: &'a str, origin: Origin) -> Self {
        let contents = Contents::Unchanged;
        Self { bins: None, contents, origin, cwd, home, shell: true, env_to_ask: &[], now: 0 }
    }

    /// Calls `use_them` with the facts of a reading.
    pub(crate) fn with_facts<T>(
        &self,
        reading: &ParsedCommand,
        settings: &Settings,
        use_them: impl FnOnce(&Facts<'_>) -> T,
    ) -> T {
        let steps: Vec<StepFacts> = lookups(reading).iter().map(|needed| self.step_facts(needed)).collect();
        let named = settings.folders.iter().map(|folder| path::expand_home(folder, self.home).into_owned());
        let mut folders: Vec<String> = named.collect();
        if folders.is_empty() {
            folders.push(self.cwd.to_owned());
        }
        use_them(&Facts {
            origin: self.origin,
            reading,
            steps: &steps,
            cwd: self.cwd,
            home: self.home,
            data: DATA,
            own_pid: None,
            session: None,
            now: self.now,
            case_insensitive: true,
            shell: self.shell,
            folders: &folders,
            root_entries: &[],
            confinable: crate::Confinable::ALL,
            confine: None,
            env_to_ask: self.env_to_ask,
            input: &Input::Nothing,
        })
    }

    fn step_facts(&self, needed: &Needed<'_>) -> StepFacts {
        let at = |wanted: &WantedProgram<'_>| self.lookup(wanted, needed);
        StepFacts {
            program: at(&needed.program),
            via: needed.via.iter().map(at).collect(),
            script: needed.script.and_then(|written| self.script(written, needed)),
            targets: Vec::new(),
            hooks: Vec::new(),
        }
    }

    fn script(&self, written: &str, needed: &Needed<'_>) -> Option<Script> {
        let real_path = path::join_path(&self.folder(written, needed)?, written);
        match self.contents {
            Contents::Of(_) => None,
            Contents::Unchanged => Some(Script {
                written: written.to_owned(),
                identity: unchanged(&real_path),
                real_path,
                agent_can_change: false,
            }),
        }
    }

    /// Returns the folder that a path of a step starts from.
    fn folder(&self, written: &str, needed: &Needed<'_>) -> Option<Cow<'_, str>> {
        // An absolute path is the same from every folder.
        let absolute = || written.starts_with('/').then(Cow::default);
        folder_of(self.cwd, needed.dir).or_else(absolute)
    }

    fn lookup(&self, wanted: &WantedProgram<'_>, needed: &Needed<'_>) -> Lookup {
        let (invoked, path) = match wanted {
            WantedProgram::Nothing => return Lookup::Nothing,
            WantedProgram::Name(name) => match self.bins {
                None => (*name, Some(format!("/usr/bin/{name}"))),
                Some(bins) => (*name, bins.names.get(*name).cloned()),
            },
            WantedProgram::Path(written) => {
                let Some(folder) = self.folder(written, needed) else { return Lookup::Nothing };
                let path = path::join_path(&folder, written);
                let exists = self.bins.is_none_or(|bins| bins.paths.contains(&path));
                // The map knows programs by name. Of another path it says only that no rule can mean it: an argv
                // request for one is asked about, as in a line of shell text.
                if !exists && !self.shell {
                    return Lookup::Nothing;
                }
                (*written, exists.then_some(path))
            }
        };
        let Some(path) = path else { return Lookup::NotFound };
        let identity = match self.contents {
            Contents::Of(sha256) => sha256.get(&path).map(|hex| identity(hex)),
            Contents::Unchanged => Some(unchanged(&path)),
        };
        let invoked = invoked.to_owned();
        Lookup::Found(Box::new(FoundProgram { invoked, identity, ..FoundProgram::at_path(path) }))
    }
}

/// Returns a file of which only the content is known.
pub(crate) fn identity(sha256: &str) -> Identity {
    Identity {
        sha256: sha256.to_owned(),
        size: 0,
        mtime_ns: "0".to_owned(),
        ctime_ns: "0".to_owned(),
        device: 0,
        inode: String::new(),
        version: None,
        signature: None,
    }
}

/// Returns a file whose content is always the same: its path stands for it.
fn unchanged(path: &str) -> Identity {
    identity(path)
}
