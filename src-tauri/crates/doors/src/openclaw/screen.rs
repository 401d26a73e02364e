//! Whether this process may record the screen, which OpenClaw asks of some commands.

/// On macOS the system knows; it asks nobody here.
#[cfg(target_os = "macos")]
pub(super) fn may_record() -> bool {
    objc2_core_graphics::CGPreflightScreenCaptureAccess()
}

/// Elsewhere there is no such permission to show.
#[cfg(not(target_os = "macos"))]
pub(super) fn may_record() -> bool {
    false
}
