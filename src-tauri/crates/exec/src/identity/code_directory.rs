//! The code signature inside a Mach-O, as its bytes say it: signing id, team, flags and cdhash of each processor's part.
//!
//! Anybody can write these bytes. Who signed them is for the system to say; this only tells which code is meant.

use postern_protocol::encode_hex;
use sha2::{Digest as _, Sha256};

/// Magic number of a Mach-O of 64 bits, in little-endian order.
const THIN: u32 = 0xfeed_facf;
/// Magic number of a file with parts for several processors, in big-endian order.
const FAT: u32 = 0xcafe_babe;
/// The most parts that are read. Java class files begin with the same number, and a version above this.
const MOST_PARTS: usize = 16;
/// The longest load commands and signature that are read, in bytes.
const MOST_COMMANDS: usize = 1024 * 1024;
const MOST_SIGNATURE: usize = 64 * 1024 * 1024;
/// `LC_CODE_SIGNATURE` of `<mach-o/loader.h>`.
const CODE_SIGNATURE: u32 = 0x1d;
/// Magic numbers of `<Kernel/kern/cs_blobs.h>`.
const SUPER_BLOB: u32 = 0xfade_0cc0;
const CODE_DIRECTORY: u32 = 0xfade_0c02;
/// The oldest version of a code directory with a team.
const WITH_TEAM: u32 = 0x2_0200;
/// Kind of hash: SHA-256. Older kinds are not signed with since macOS 10.12.
const SHA_256: u8 = 2;
const CDHASH: usize = 20;

/// Claims of the signature of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodeDirectory {
    pub(crate) signing_id: String,
    /// The team, as it is claimed.
    pub(crate) team_id: Option<String>,
    /// The flags of `<Security/CSCommon.h>`.
    pub(crate) flags: u32,
    /// The cdhash, as lower-case hex digits.
    pub(crate) cdhash: String,
}

/// Returns what the signature of each part of a file says; a part without one, or with one that cannot be read, is left out.
/// `bytes` gives so many bytes of the file from an offset on, or `None` where there are fewer.
pub(crate) fn read_directories(bytes: &impl Fn(u64, usize) -> Option<Vec<u8>>) -> Vec<CodeDirectory> {
    part_ranges(bytes).into_iter().filter_map(|(offset, size)| of_part(bytes, offset, size)).collect()
}

/// Returns where the parts for single processors are, and how long each can be.
fn part_ranges(bytes: &impl Fn(u64, usize) -> Option<Vec<u8>>) -> Vec<(u64, u64)> {
    let Some(head) = bytes(0, 8) else { return Vec::new() };
    if little(&head, 0) == Some(THIN) {
        return vec![(0, u64::MAX)];
    }
    let count = big_endian(&head, 4)
        .and_then(|count| usize::try_from(count).ok())
        .filter(|count| *count <= MOST_PARTS);
    let table = count.filter(|_| big_endian(&head, 0) == Some(FAT)).and_then(|count| bytes(8, 20 * count));
    let table = table.unwrap_or_default();
    let part = |entry: &[u8]| Some((u64::from(big_endian(entry, 8)?), u64::from(big_endian(entry, 12)?)));
    table.chunks_exact(20).filter_map(part).collect()
}

fn of_part(bytes: &impl Fn(u64, usize) -> Option<Vec<u8>>, offset: u64, size: u64) -> Option<CodeDirectory> {
    const HEADER: usize = 32;
    let head = bytes(offset, HEADER).filter(|head| little(head, 0) == Some(THIN))?;
    let length = usize::try_from(little(&head, 20)?).ok().filter(|length| *length <= MOST_COMMANDS)?;
    let commands = bytes(offset + HEADER as u64, length)?;
    let mut at = 0;
    for _ in 0..little(&head, 16)? {
        if little(&commands, at)? == CODE_SIGNATURE {
            let (from, length) = (little(&commands, at + 8)?, little(&commands, at + 12)?);
            let inside = u64::from(from) + u64::from(length) <= size;
            let length = usize::try_from(length).ok().filter(|length| inside && *length <= MOST_SIGNATURE)?;
            return of_signature(&bytes(offset + u64::from(from), length)?);
        }
        at += usize::try_from(little(&commands, at + 4)?).ok().filter(|size| *size >= 8)?;
    }
    None
}

fn of_signature(signature: &[u8]) -> Option<CodeDirectory> {
    if big_endian(signature, 0)? != SUPER_BLOB {
        return None;
    }
    let count = usize::try_from(big_endian(signature, 8)?).ok().filter(|count| *count <= 64)?;
    let mut blobs = (0..count).filter_map(|blob| {
        let offset = big_endian(signature, 16 + 8 * blob)?;
        let length = big_endian(signature, usize::try_from(offset).ok()?.checked_add(4)?)?;
        within(signature, offset, length)
    });
    // The kernel takes the best kind of hash that there is; only one kind is in use.
    blobs.find_map(of_directory)
}

fn of_directory(blob: &[u8]) -> Option<CodeDirectory> {
    if big_endian(blob, 0)? != CODE_DIRECTORY || *blob.get(37)? != SHA_256 {
        return None;
    }
    let team = if big_endian(blob, 8)? >= WITH_TEAM { big_endian(blob, 48)? } else { 0 };
    let hash = Sha256::digest(blob);
    Some(CodeDirectory {
        signing_id: read_c_string(blob, big_endian(blob, 20)?)?,
        team_id: if team == 0 { None } else { Some(read_c_string(blob, team)?) },
        flags: big_endian(blob, 12)?,
        cdhash: encode_hex(&hash[..CDHASH]),
    })
}

fn within(bytes: &[u8], offset: u32, length: u32) -> Option<&[u8]> {
    let from = usize::try_from(offset).ok()?;
    bytes.get(from..from.checked_add(usize::try_from(length).ok()?)?)
}

/// Returns a text that ends with NUL.
fn read_c_string(bytes: &[u8], offset: u32) -> Option<String> {
    let rest = bytes.get(usize::try_from(offset).ok()?..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(&rest[..end]).ok().map(str::to_owned)
}

fn four_bytes(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok()
}

fn little(bytes: &[u8], at: usize) -> Option<u32> {
    four_bytes(bytes, at).map(u32::from_le_bytes)
}

fn big_endian(bytes: &[u8], at: usize) -> Option<u32> {
    four_bytes(bytes, at).map(u32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::{CODE_DIRECTORY, CODE_SIGNATURE, CodeDirectory, FAT, SUPER_BLOB, THIN};
    use postern_protocol::encode_hex;
    use sha2::{Digest as _, Sha256};

    fn read(file: &[u8]) -> Vec<CodeDirectory> {
        super::read_directories(&|offset, length| {
            let from = usize::try_from(offset).ok()?;
            file.get(from..from.checked_add(length)?).map(<[u8]>::to_vec)
        })
    }

    /// Returns a code directory that claims an id and a team.
    fn directory(id: &str, team: Option<&str>, flags: u32) -> Vec<u8> {
        let mut blob = vec![0; 52];
        let put = |blob: &mut Vec<u8>, at: usize, value: u32| {
            blob[at..at + 4].copy_from_slice(&value.to_be_bytes());
        };
        put(&mut blob, 0, CODE_DIRECTORY);
        put(&mut blob, 8, 0x2_0200);
        put(&mut blob, 12, flags);
        blob[37] = 2;
        for (at, text) in [(20, Some(id)), (48, team)] {
            if let Some(text) = text {
                let end = u32::try_from(blob.len()).unwrap();
                put(&mut blob, at, end);
                blob.extend(text.bytes().chain([0]));
            }
        }
        let length = u32::try_from(blob.len()).unwrap();
        put(&mut blob, 4, length);
        blob
    }

    /// Returns a Mach-O that has nothing but a signature.
    fn macho(directory: &[u8]) -> Vec<u8> {
        let signature: Vec<u8> = [SUPER_BLOB, u32::try_from(20 + directory.len()).unwrap(), 1, 0, 20]
            .iter()
            .flat_map(|word| word.to_be_bytes())
            .chain(directory.iter().copied())
            .collect();
        let length = u32::try_from(signature.len()).unwrap();
        let head = [THIN, 0, 0, 2, 1, 16, 0, 0, CODE_SIGNATURE, 16, 48, length];
        head.iter().flat_map(|word| word.to_le_bytes()).chain(signature).collect()
    }

    fn fat(parts: &[Vec<u8>]) -> Vec<u8> {
        let mut offset = u32::try_from(8 + 20 * parts.len()).unwrap();
        let mut head = vec![FAT, u32::try_from(parts.len()).unwrap()];
        for part in parts {
            let size = u32::try_from(part.len()).unwrap();
            head.extend([0x0100_000c, 0, offset, size, 0]);
            offset += size;
        }
        head.iter().flat_map(|word| word.to_be_bytes()).chain(parts.concat()).collect()
    }

    #[test]
    fn every_part_says_what_it_claims_and_its_cdhash_is_that_of_its_directory() {
        let (arm, intel) =
            (directory("dev.postern", Some("UBF8T346G9"), 0x1_0002), directory("dev.postern", None, 2));
        let read = read(&fat(&[macho(&arm), macho(&intel)]));
        let told: Vec<_> = read.iter().map(|part| (part.team_id.as_deref(), part.flags)).collect();
        assert_eq!(told, [(Some("UBF8T346G9"), 0x1_0002), (None, 2)]);
        assert!(read.iter().all(|part| part.signing_id == "dev.postern"));
        assert_eq!(read[0].cdhash, encode_hex(&Sha256::digest(&arm)[..20]));
        assert_ne!(read[0].cdhash, read[1].cdhash);
    }

    #[test]
    fn what_is_cut_short_or_points_outside_is_no_signature() {
        let whole = fat(&[macho(&directory("a", Some("b"), 2))]);
        assert_eq!(read(&whole).len(), 1);
        for end in 0..whole.len() - 1 {
            assert!(read(&whole[..end]).is_empty(), "{end} bytes of it");
        }
        for at in 0..whole.len() {
            let mut other = whole.clone();
            other[at] ^= 0xff;
            // It is read without a panic, and another directory has another cdhash.
            if let [part] = read(&other).as_slice() {
                assert!(at < whole.len() - 54 - 2 || part.cdhash != read(&whole)[0].cdhash);
            }
        }
        assert!(read(b"\xca\xfe\xba\xbe\0\0\0\x34").is_empty(), "a Java class");
    }

    #[test]
    #[ignore = "scripts/link-macos names a bundle that it signed"]
    #[expect(clippy::disallowed_methods, reason = "the script names the bundle")]
    fn a_bundle_that_was_signed_is_read() {
        let app = std::path::PathBuf::from(std::env::var_os("POSTERN_BUNDLE").expect("POSTERN_BUNDLE"));
        for (name, id) in [
            ("postern-desktop", "dev.postern.desktop"),
            ("postern", "dev.postern.cli"),
            ("postern-run", "dev.postern.run"),
        ] {
            let read = read(&std::fs::read(app.join("Contents/MacOS").join(name)).unwrap());
            assert!(!read.is_empty(), "{name} is signed");
            for part in read {
                assert_eq!((part.signing_id.as_str(), part.team_id), (id, None), "{name}");
                assert_eq!(part.flags & 0x1_0002, 0x1_0002, "{name}: ad hoc, with the hardened runtime");
            }
        }
    }
}
