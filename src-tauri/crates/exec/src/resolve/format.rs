//! Format of an executable file, by its first bytes; pure.

/// Bytes of a file that are examined.
///
/// Linux reads 256 of a `#!` line, macOS 512: a longer line means different things on the two and is not run.
pub(super) const HEADER_BYTES: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ExecutableFormat {
    /// Machine code (ELF or Mach-O).
    Native,
    /// A script: the interpreter of its `#!` line, and that interpreter's arguments.
    Script(Vec<String>),
}

/// Returns the format that a file's first bytes announce.
///
/// # Errors
/// A sentence fragment that says why it cannot be executed. A file without a known format is refused here because some
/// library calls would hand it to a shell.
pub(super) fn format_of(header: &[u8]) -> Result<ExecutableFormat, &'static str> {
    let header = &header[..header.len().min(HEADER_BYTES)];
    if let Some(line) = header.strip_prefix(b"#!") {
        return shebang(line).map(ExecutableFormat::Script);
    }
    if header.starts_with(b"\x7fELF") || is_mach(header) {
        Ok(ExecutableFormat::Native)
    } else {
        Err("has no known executable format")
    }
}

/// Returns true for Mach-O, thin or universal. A Java class begins like a universal file, but its next number
/// is a version, not a count.
fn is_mach(header: &[u8]) -> bool {
    let Some((magic, rest)) = header.split_first_chunk::<4>() else { return false };
    match magic {
        [0xfe, 0xed, 0xfa, 0xce | 0xcf] | [0xce | 0xcf, 0xfa, 0xed, 0xfe] => true,
        [0xca, 0xfe, 0xba, 0xbe | 0xbf] => {
            rest.first_chunk::<4>().is_some_and(|count| (1..=30).contains(&u32::from_be_bytes(*count)))
        }
        _ => false,
    }
}

fn shebang(line: &[u8]) -> Result<Vec<String>, &'static str> {
    let end = line.iter().position(|byte| *byte == b'\n');
    let line = match end {
        Some(end) => &line[..end],
        None if line.len() + 2 >= HEADER_BYTES => return Err("has a `#!` line longer than 254 bytes"),
        None => line,
    };
    let line = std::str::from_utf8(line).map_err(|_| "has a `#!` line that is not UTF-8")?;
    if line.contains(['\0', '\r']) {
        return Err("has a `#!` line with a control character in it");
    }
    let line = line.trim_matches([' ', '\t']);
    if !line.starts_with('/') {
        return Err("has a `#!` line that names no absolute path");
    }
    Ok(shebang_words(line))
}

/// Returns the arguments of the interpreter: Linux passes everything after it as one.
#[cfg(not(target_os = "macos"))]
fn shebang_words(line: &str) -> Vec<String> {
    match line.split_once([' ', '\t']) {
        Some((interpreter, argument)) => {
            vec![interpreter.to_owned(), argument.trim_start_matches([' ', '\t']).to_owned()]
        }
        None => vec![line.to_owned()],
    }
}

/// Returns the arguments of the interpreter: macOS splits them at blanks, and a `#` ends its line.
#[cfg(target_os = "macos")]
fn shebang_words(line: &str) -> Vec<String> {
    let line = line.split('#').next().unwrap_or_default();
    line.split([' ', '\t']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(line: &str) -> Result<ExecutableFormat, &'static str> {
        format_of(format!("#!{line}\nrest").as_bytes())
    }

    #[test]
    fn machine_code_is_known_by_its_magic() {
        let headers: [&[u8]; 5] = [
            b"\x7fELF\x02\x01\x01", b"\xcf\xfa\xed\xfe\x0c\0\0\x01", b"\xfe\xed\xfa\xce\0\0\0\0",
            b"\xca\xfe\xba\xbe\0\0\0\x02", b"\xca\xfe\xba\xbf\0\0\0\x01",
        ];
        for header in headers {
            assert_eq!(format_of(header), Ok(ExecutableFormat::Native), "{header:x?}");
        }
    }

    #[test]
    fn anything_else_is_no_executable() {
        let headers: [&[u8]; 6] =
            [b"", b"echo hi\n", b"# !/bin/sh\n", b"MZ\x90", b"\xca\xfe\xba\xbe\0\0\0\x34", b"\x7fEL"];
        for header in headers {
            assert!(format_of(header).is_err(), "{header:x?} would be run by a shell, or not at all");
        }
    }

    #[test]
    fn a_script_names_its_interpreter() {
        let one = |interpreter: &str| Ok(ExecutableFormat::Script(vec![interpreter.into()]));
        assert_eq!(script("/bin/sh"), one("/bin/sh"));
        assert_eq!(script(" \t/bin/sh \t"), one("/bin/sh"));
        let two = Ok(ExecutableFormat::Script(vec!["/usr/bin/env".into(), "python3".into()]));
        assert_eq!(script("/usr/bin/env \t python3"), two);
        assert_eq!(format_of(b"#!/bin/sh"), one("/bin/sh"), "no line end, but the whole file");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn on_linux_the_rest_of_the_line_is_one_argument() {
        let got = script("/usr/bin/env -S a b");
        assert_eq!(got, Ok(ExecutableFormat::Script(vec!["/usr/bin/env".into(), "-S a b".into()])));
    }

    #[cfg(target_os = "macos")]
    #[test]
    fn on_macos_the_line_is_split_and_ends_at_a_hash() {
        let words = ["/usr/bin/env", "-S", "a"].map(str::to_owned).to_vec();
        assert_eq!(script("/usr/bin/env -S a # b"), Ok(ExecutableFormat::Script(words)));
    }

    #[test]
    fn a_line_that_systems_read_differently_is_refused() {
        for line in ["sh", "", "./x", "/bin/\u{0}sh", "/bin/sh\r", &format!("/{}", "x".repeat(300))] {
            assert!(script(line).is_err(), "{line:?}");
        }
        assert!(format_of(b"#!/bin/\xff\n").is_err(), "not UTF-8");
    }
}
