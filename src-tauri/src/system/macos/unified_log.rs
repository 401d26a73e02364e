//! The unified log, as `os_log` writes to it: subsystem `dev.postern.desktop`.
#![expect(unsafe_code, reason = "os_log is a macro of C; its call has no safe form")]

use super::super::log_entry::{FORMAT, UnifiedLogEntry};
use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

/// `log stream --predicate 'subsystem == "dev.postern.desktop"'` shows it.
const SUBSYSTEM: &CStr = c"dev.postern.desktop";

/// The format, in the section into which the macros of `<os/log.h>` put theirs: the log looks it up there.
#[unsafe(link_section = "__TEXT,__oslogstring,cstring_literals")]
static LOOKED_UP: [u8; FORMAT.len()] = FORMAT;

unsafe extern "C" {
    /// The start of this program's image, which the format is looked up in.
    static __dso_handle: u8;
    fn os_log_create(subsystem: *const c_char, category: *const c_char) -> *mut c_void;
    /// Writes a line, as the macro `os_log_with_type` does since macOS 10.12.
    fn _os_log_impl(
        image: *const c_void,
        log: *mut c_void,
        kind: u8,
        format: *const c_char,
        buffer: *const u8,
        size: u32,
    );
}

/// A handle that every thread may use.
struct Log(*mut c_void);
// SAFETY: `os_log_t` objects are thread-safe, and this one is never released.
unsafe impl Send for Log {}
// SAFETY: as above.
unsafe impl Sync for Log {}

pub(in crate::system) fn write(entry: &UnifiedLogEntry) {
    static LOG: OnceLock<Log> = OnceLock::new();
    // SAFETY: both names end with NUL.
    let log = LOG.get_or_init(|| Log(unsafe { os_log_create(SUBSYSTEM.as_ptr(), c"app".as_ptr()) }));
    let buffer = entry.encoded();
    let size = u32::try_from(buffer.len()).unwrap_or(0);
    // SAFETY: the format is a constant of this image, and the buffer describes exactly its two strings, which live in
    // `entry` until the call returns.
    unsafe {
        _os_log_impl(
            (&raw const __dso_handle).cast(),
            log.0,
            entry.kind,
            LOOKED_UP.as_ptr().cast(),
            buffer.as_ptr(),
            size,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::log_entry::UnifiedLogEntry;

    #[test]
    #[ignore = "needs a Mac"]
    #[expect(clippy::disallowed_methods, reason = "the log is read by the system's own program")]
    fn mac_an_entry_is_found_in_the_log() {
        let mark = format!("postern-log-test-{}", std::process::id());
        super::write(&UnifiedLogEntry::new(tracing::Level::ERROR, &mark, "secret of the test"));
        let found = (0..100).find_map(|_| {
            let shown = std::process::Command::new("/usr/bin/log")
                .args(["show", "--last", "1m", "--predicate", "subsystem == \"dev.postern.desktop\""])
                .output()
                .unwrap();
            let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
            shown.contains(&mark).then_some(shown)
        });
        let shown = found.expect("the entry is in the log");
        assert!(!shown.contains("secret of the test"), "what is private is not shown");
    }
}
