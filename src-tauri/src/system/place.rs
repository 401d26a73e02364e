//! Location of the app. macOS runs what was just downloaded from a place that is gone tomorrow.

#[cfg(target_os = "macos")]
use rustix::fs::StatVfsMountFlags;
use std::path::Path;

/// Returns why nothing should be registered for an app at `program`: it lies where it does not stay. `read_only` is true if
/// its volume cannot be written to.
fn does_not_stay(program: &Path, read_only: bool) -> Option<&'static str> {
    let translocated = program.components().any(|part| part.as_os_str() == "AppTranslocation");
    let on_image = read_only && program.starts_with("/Volumes");
    (translocated || on_image).then_some(
        "Postern runs from where it was downloaded to. Move it to the Applications folder and open it there.",
    )
}

/// Returns why this app should be moved first, or `None`.
#[cfg(target_os = "macos")]
pub(crate) fn problem() -> Option<&'static str> {
    let program = std::env::current_exe().ok()?;
    let read_only =
        rustix::fs::statvfs(&program).is_ok_and(|volume| volume.f_flag.contains(StatVfsMountFlags::RDONLY));
    does_not_stay(&program, read_only)
}

#[cfg(test)]
mod tests {
    use super::does_not_stay;
    use std::path::Path;

    #[test]
    fn only_an_app_that_stays_where_it_is_registers_anything() {
        let app = "Postern.app/Contents/MacOS/postern-desktop";
        for (folder, read_only, stays) in [
            ("/Applications", false, true),
            ("/Users/ada/Applications", false, true),
            ("/Volumes/Postern", true, false),
            ("/Volumes/External", false, true),
            ("/private/var/folders/x/T/AppTranslocation/0A1B/d", true, false),
        ] {
            assert_eq!(does_not_stay(&Path::new(folder).join(app), read_only).is_none(), stays, "{folder}");
        }
    }
}
