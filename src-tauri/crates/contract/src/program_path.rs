//! Folders of programs.

/// Returns true for a path in the folders in which only the system installs programs.
pub(crate) fn is_of_system(path: &str) -> bool {
    const SYSTEM: [&str; 4] = ["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/"];
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}
