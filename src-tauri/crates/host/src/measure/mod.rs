//! Measured consequences of what is asked about: read from the disk within a time, and left out where that is too short.
//!
//! No program is run, because the agent may have written or configured it, and no link is followed below what a command names.

mod commits;
mod files;

use postern_command::effect::push_of;
use postern_command::{Effect, Reading};
use postern_policy::{Measured, RatedEffect, expand_home, folder_of};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time for all effects of a request.
const TIME: Duration = Duration::from_millis(50);

/// Returns true if an effect can be measured and was not yet.
pub(crate) fn can_be_measured(rated: &RatedEffect) -> bool {
    rated.measured.is_none()
        && rated.step.is_some()
        && !rated.guessed
        && matches!(rated.effect, Effect::Delete { .. } | Effect::Send { .. })
}

/// Adds to the effects what could be measured. Blocks.
pub(crate) fn measure(reading: &Reading, cwd: &str, home: &str, effects: &mut [RatedEffect]) {
    let until = Instant::now() + TIME;
    for rated in effects.iter_mut().filter(|rated| can_be_measured(rated)) {
        let Some(step) = rated.step.and_then(|at| reading.steps.get(at)) else { continue };
        let Some(folder) = folder_of(cwd, &step.dir).map(PathBuf::from) else { continue };
        rated.measured = match &rated.effect {
            Effect::Delete { paths, .. } => below(paths, &folder, home, until),
            Effect::Send { .. } => {
                let ahead = push_of(step).and_then(|push| commits::ahead(&folder, &push, until));
                ahead.map(|ahead| Measured::Commits { ahead })
            }
            _ => None,
        };
    }
}

/// Returns how much is below folders that a command names in full.
fn below(paths: &[String], folder: &Path, home: &str, until: Instant) -> Option<Measured> {
    let (mut files, mut bytes) = (0u64, 0u64);
    for path in paths {
        if path.is_empty() || path.contains(['$', '`', '*', '?', '[', '{', '"', '\'', '\\']) {
            return None;
        }
        let found = files::below(&folder.join(&*expand_home(path, home)), until)?;
        (files, bytes) = (files.saturating_add(found.0), bytes.saturating_add(found.1));
    }
    (!paths.is_empty()).then_some(Measured::Files { files, bytes })
}
