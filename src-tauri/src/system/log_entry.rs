//! An entry of the unified log: a public message and private fields, encoded as clang's `__builtin_os_log_format` does.

use std::ffi::CString;
use tracing::Level;

/// The format of every entry, a string of C.
pub(super) const FORMAT: [u8; 22] = *b"%{public}s%{private}s\0";

/// `OS_LOG_TYPE_*` of `<os/log.h>`.
const DEFAULT: u8 = 0x00;
const INFO: u8 = 0x01;
const DEBUG: u8 = 0x02;
const ERROR: u8 = 0x10;

/// Line in the unified log, written by one call.
#[derive(Debug)]
pub(super) struct UnifiedLogEntry {
    /// Value of `os_log_type_t`.
    pub(super) kind: u8,
    message: CString,
    fields: CString,
}

impl UnifiedLogEntry {
    /// Creates an entry. Text after a NUL would be lost, so NULs are removed.
    pub(super) fn new(level: Level, message: &str, fields: &str) -> Self {
        let text = |text: &str| CString::new(text.replace('\0', "")).unwrap_or_default();
        let kind = match level {
            Level::ERROR => ERROR,
            Level::WARN => DEFAULT,
            Level::INFO => INFO,
            _ => DEBUG,
        };
        Self { kind, message: text(message), fields: text(fields) }
    }

    /// Returns the buffer that describes both strings. It points into this entry.
    pub(super) fn encoded(&self) -> Vec<u8> {
        /// Some item is private, and some is no number.
        const SUMMARY: u8 = 0x1 | 0x2;
        /// A string, in the upper four bits.
        const STRING: u8 = 2 << 4;
        const PRIVATE: u8 = 0x1;
        const PUBLIC: u8 = 0x2;
        let mut buffer = vec![SUMMARY, 2];
        for (text, privacy) in [(&self.message, PUBLIC), (&self.fields, PRIVATE)] {
            let pointer = text.as_ptr().addr().to_ne_bytes();
            buffer.extend([STRING | privacy, u8::try_from(pointer.len()).unwrap_or(0)]);
            buffer.extend(pointer);
        }
        buffer
    }
}

#[cfg(test)]
mod tests {
    use super::{FORMAT, UnifiedLogEntry};
    use std::ffi::CStr;
    use tracing::Level;

    #[test]
    fn an_entry_is_encoded_as_clang_encodes_its_format() {
        let entry = UnifiedLogEntry::new(Level::ERROR, "a\0b", " command=rm");
        let buffer = entry.encoded();
        let pointer = size_of::<usize>();
        assert_eq!(buffer.len(), 2 + 2 * (2 + pointer));
        assert_eq!(
            &buffer[..4],
            [0x3, 2, 0x22, u8::try_from(pointer).unwrap()],
            "two items, the first public"
        );
        assert_eq!(buffer[4 + pointer], 0x21, "the second is private");
        assert_eq!((entry.kind, entry.message.as_bytes()), (0x10, &b"ab"[..]));
        let format = CStr::from_bytes_with_nul(&FORMAT).unwrap().to_str().unwrap();
        assert_eq!(format.matches("%{").count(), 2);
    }
}
