//! Host that a gem names for itself: its file is a tar archive, which begins with its description.

use super::Until;
use super::settings::plain;
use postern_exec::small_file;
use std::io::{Read, Take};
use std::path::Path;

/// Entries of the archive that are looked at, and bytes of the description.
const ENTRIES: usize = 4;
const DESCRIPTION: u64 = 256 << 10;
/// Bytes of a block of a tar archive.
const BLOCK: usize = 512;
/// Bytes of an entry that is passed over at most.
const PASSED: u64 = 1 << 20;

/// Returns the host that a gem names; `Some(None)` if it names none, and `None` if it cannot be read.
#[expect(clippy::option_option, reason = "not known differs from known to name none")]
pub(super) fn host(package: &Path, until: Until) -> Option<Option<String>> {
    let mut file = small_file::open_no_link(package).ok()?;
    for _ in 0..ENTRIES {
        until.check()?;
        let mut head = [0; BLOCK];
        file.read_exact(&mut head).ok()?;
        let size = std::str::from_utf8(head.get(124..136)?).ok()?.trim_matches(['\0', ' ']);
        let size = u64::from_str_radix(size, 8).ok()?;
        if head.starts_with(b"metadata.gz\0") {
            return named(&mut file.take(size));
        }
        let padded = size.checked_next_multiple_of(BLOCK as u64).filter(|size| *size <= PASSED)?;
        std::io::copy(&mut (&mut file).take(padded), &mut std::io::sink()).ok()?;
    }
    None
}

#[expect(clippy::option_option, reason = "not known differs from known to name none")]
fn named(packed: &mut Take<impl Read>) -> Option<Option<String>> {
    let mut text = String::new();
    let unpacked = flate2::read::GzDecoder::new(packed);
    unpacked.take(DESCRIPTION).read_to_string(&mut text).ok()?;
    let value = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix("  ")?.strip_prefix(name)?.strip_prefix(": "))
    };
    match value("default_gem_server").or_else(|| value("allowed_push_host")) {
        Some(found) => Some(Some(plain(found.trim_matches(['\'', '"']))?.to_owned())),
        // What follows a name that is quoted or on a line of its own is not looked for.
        None if text.contains("_gem_server") || text.contains("_push_host") => None,
        None => Some(None),
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, host};
    use crate::measure::Until;
    use std::io::Write as _;

    fn archive(name: &str, content: &[u8]) -> Vec<u8> {
        let mut all = vec![0; BLOCK];
        all[..name.len()].copy_from_slice(name.as_bytes());
        all[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        all.extend(content);
        all.resize(all.len().next_multiple_of(BLOCK), 0);
        all
    }

    fn packed(text: &str) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn a_gem_goes_where_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gem");
        let of = |content: &[u8]| {
            std::fs::write(&path, content).unwrap();
            host(&path, Until::far())
        };
        let gem = |text: &str| of(&archive("metadata.gz", &packed(text)));
        let named = |text: &str| Some(Some(text.to_owned()));
        assert_eq!(gem("name: a\nmetadata: {}\n"), Some(None));
        assert_eq!(gem("metadata:\n  allowed_push_host: https://g.example\n"), named("https://g.example"));
        let both =
            "metadata:\n  allowed_push_host: https://g.example\n  default_gem_server: 'https://h.example'\n";
        assert_eq!(gem(both), named("https://h.example"));
        assert_eq!(gem("metadata: { allowed_push_host: https://g.example }\n"), None);
        let mut behind = archive("data.tar.gz", b"x");
        behind.extend(archive("metadata.gz", &packed("name: a\n")));
        assert_eq!(of(&behind), Some(None));
        for broken in [&b""[..], b"x", &[b'x'; BLOCK], &archive("metadata.gz", b"no gzip")] {
            assert_eq!(of(broken), None);
        }
    }
}
