//! Protected places that a command touches, by their real paths.

use postern_exec::resolve::resolve_real;
use postern_policy::{Facts, ProtectedPlaces, ShellTouch};
use std::path::Path;

/// Returns the protected places that a command touches. Reads the disk.
pub(crate) fn touches_of_line(facts: &Facts<'_>) -> Vec<ShellTouch> {
    ProtectedPlaces::new(facts.home, real_place).of_line(facts)
}

/// Returns the real path of a protected place, also of a link to what is not there yet.
pub(crate) fn real_place(path: &str) -> Option<String> {
    let path = Path::new(path);
    match std::fs::canonicalize(path) {
        Ok(real) => Some(real.to_string_lossy().into_owned()),
        Err(_) if path.is_symlink() => real_path(path),
        Err(_) => None,
    }
}

pub(crate) fn real_path(path: &Path) -> Option<String> {
    resolve_real(path).map(|path| path.to_string_lossy().into_owned())
}
