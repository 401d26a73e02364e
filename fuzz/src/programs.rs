//! Fuzz target of files about programs.
//!
//! Any text is read or refused, what a person may add is never more than what may be built in, and examples
//! are tried without falling over.

use postern_command::{ProgramFile, check_examples};

/// Reads the bytes as a file about a program.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (built_in, own) = (ProgramFile::parse(text), ProgramFile::parse_own(text));
    if let Err(error) = &built_in {
        assert!(!error.to_string().trim().is_empty(), "{text:?} is refused without a reason");
        assert!(own.is_err(), "a person may add what is refused as built in: {text:?}");
    }
    if let Ok(file) = own {
        assert!(!file.names.is_empty(), "a file about no program: {text:?}");
        drop(check_examples(&file, &[]));
    }
    assert_eq!(ProgramFile::parse(text).is_ok(), built_in.is_ok(), "read twice, read alike: {text:?}");
}
