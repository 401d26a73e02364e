//! Permission of this process to record the screen, which OpenClaw asks of some commands.

/// Asks the system on macOS; it asks nobody here.
#[cfg(target_os = "macos")]
pub(super) fn may_record() -> bool {
    objc2_core_graphics::CGPreflightScreenCaptureAccess()
}

/// Returns true: elsewhere there is no such permission to show.
#[cfg(not(target_os = "macos"))]
pub(super) fn may_record() -> bool {
    false
}
