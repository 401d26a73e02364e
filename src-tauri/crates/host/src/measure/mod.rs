//! Measured consequences of what is asked about: read from the disk within a time, and left out where that is too short.
//!
//! No program is run, because the agent may have written or configured it, and no link is followed below what a command names.

mod files;
mod gem;
mod registry;
mod remote;
mod repository;
mod settings;

use postern_command::effect::{
    EffectScope, Transfer, keeps_settings, moves_branches, publication_of, transfer_of,
};
use postern_command::{CommandEffect, ParsedCommand, Step};
use postern_policy::{EffectExtent, RatedEffect, expand_home, folder_of};
use repository::Repository;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time for all effects of a request, and for the name of its repository.
const TIME: Duration = Duration::from_millis(50);

/// End of the time in which something is measured.
#[derive(Debug, Clone, Copy)]
struct Until(Instant);

impl Until {
    /// Returns nothing once the time is over.
    fn check(self) -> Option<()> {
        (Instant::now() <= self.0).then_some(())
    }

    #[cfg(test)]
    fn far() -> Self {
        Self(Instant::now() + Duration::from_mins(10))
    }
}

/// Variables that change where git finds its settings, by how their names begin.
const OF_GIT: [&str; 5] = ["GIT_DIR", "GIT_CONFIG", "GIT_COMMON_DIR", "GIT_WORK_TREE", "XDG_CONFIG_HOME"];

/// The place where a request would run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) cwd: &'a str,
    pub(crate) home: &'a str,
    /// Environment of the run.
    pub(crate) env: &'a [(String, String)],
}

impl Site<'_> {
    /// Returns true if a variable is set whose name begins so.
    fn sets(&self, names: &[&str]) -> bool {
        let begins = |name: &str, with: &str| {
            name.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
        };
        self.env.iter().any(|(name, _)| names.iter().any(|with| begins(name, with)))
    }
}

/// The repository around a folder, as a question names it.
#[derive(Debug, Default)]
pub(crate) struct NamedRepository {
    /// Address of its `origin`, without that of GitHub: `acme/site`. `None` if that is no address of a host.
    pub(crate) name: Option<String>,
    pub(crate) branch: Option<String>,
}

/// Returns the repository around the folder of a request; an empty one outside of any. Blocks.
pub(crate) fn repository_around(site: Site<'_>) -> NamedRepository {
    let folder = Path::new(site.cwd);
    let Some(found) = folder.is_absolute().then(|| Repository::find_from(folder)).flatten() else {
        return NamedRepository::default();
    };
    let until = Until(Instant::now() + TIME);
    let address = || remote::address(&found, "origin", false, Path::new(site.home), until);
    // With one of these, git would look elsewhere.
    let address = if site.sets(&OF_GIT) { None } else { address() };
    let name = address.and_then(|address| remote::repository_name(&address).map(str::to_owned));
    NamedRepository { name, branch: found.branch() }
}

/// Returns true if an effect can be measured and was not yet.
pub(crate) fn can_be_measured(rated: &RatedEffect) -> bool {
    let kind = match rated.effect {
        CommandEffect::Delete { .. }
        | CommandEffect::Send { .. }
        | CommandEffect::Fetch { .. }
        | CommandEffect::Publish { .. } => true,
        CommandEffect::ChangeRepository { .. } => rated.scope == EffectScope::Remote,
        _ => false,
    };
    kind && rated.measured.is_none() && rated.step.is_some() && !rated.guessed
}

/// Adds to the effects what could be measured. Blocks.
pub(crate) fn measure(reading: &ParsedCommand, site: Site<'_>, effects: &mut [RatedEffect]) {
    let until = Until(Instant::now() + TIME);
    for rated in effects.iter_mut().filter(|rated| can_be_measured(rated)) {
        let Some((before, step)) =
            rated.step.and_then(|at| Some((reading.steps.get(..at)?, reading.steps.get(at)?)))
        else {
            continue;
        };
        let Some(folder) = folder_of(site.cwd, &step.dir).map(|folder| PathBuf::from(&*folder)) else {
            continue;
        };
        rated.measured = match &rated.effect {
            CommandEffect::Delete { paths, .. } => measure_below(paths, &folder, site.home, until),
            // What steps before it change is not known.
            _ if !before.iter().all(keeps_settings) || !reading.opaque.is_empty() => None,
            CommandEffect::Publish { .. } => publication_of(step)
                .and_then(|found| registry::address(&found, &folder, site, until))
                .map(|address| EffectExtent::Address { address }),
            _ => transfer_of(step).and_then(|found| transferred(&found, before, &folder, site, until)),
        };
    }
}

/// Returns how many commits a transfer pushes, and the address of its remote.
fn transferred(
    transfer: &Transfer,
    before: &[Step],
    folder: &Path,
    site: Site<'_>,
    until: Until,
) -> Option<EffectExtent> {
    if site.sets(&OF_GIT) {
        return None;
    }
    let repository = Repository::find_from(folder)?;
    let branch = transfer.branch.clone().or_else(|| repository.branch())?;
    let remote = match &transfer.remote {
        Some(remote) => remote.clone(),
        None => repository.remote_of(&branch)?,
    };
    let to = remote::address(&repository, &remote, transfer.pushes, Path::new(site.home), until);
    let counts = transfer.pushes && transfer.under_own_name && !before.iter().any(moves_branches);
    match counts.then(|| repository.ahead(&remote, &branch, until)).flatten() {
        Some(ahead) => Some(EffectExtent::Commits { ahead, to }),
        None => to.map(|address| EffectExtent::Address { address }),
    }
}

/// Returns how much is below folders that a command names in full.
fn measure_below(paths: &[String], folder: &Path, home: &str, until: Until) -> Option<EffectExtent> {
    let (mut files, mut bytes) = (0u64, 0u64);
    for path in paths {
        if path.is_empty() || path.contains(['$', '`', '*', '?', '[', '{', '"', '\'', '\\']) {
            return None;
        }
        let found = files::count_below(&folder.join(&*expand_home(path, home)), until)?;
        (files, bytes) = (files.saturating_add(found.0), bytes.saturating_add(found.1));
    }
    (!paths.is_empty()).then_some(EffectExtent::Files { files, bytes })
}
