//! Names in the index of a repository.
//!
//! `git checkout .` writes each of them without a look at it, also `../x` and `.git/hooks/x`. What git itself adds to an index never
//! has such a name, so only a program that writes the index by itself leaves one.

use crate::git_config::{SHA1, SHA256};
use postern_policy::is_git_name;

/// Bytes of an entry before the object's name: times, device, number, mode, owner, group and size of the file.
const STAT: usize = 40;
/// Part of an entry's flags that is the length of its name, as far as it fits in.
const LENGTH: usize = 0xFFF;
/// Flag of an entry that has two more bytes of flags.
const EXTENDED: usize = 0x4000;
/// Bytes before the first entry, and before the content of an extension.
const HEADER: usize = 12;
const EXTENSION_HEADER: usize = 8;
/// Extension with the places of the entries, for threads that read them at once.
const BLOCKS: &[u8] = b"IEOT";
/// Extension with the place where the entries end. Git looks for it at the end of the file.
const END: &[u8] = b"EOIE";
/// Bytes of that extension with its header, by the length of its hash.
const END_SIZES: [usize; 2] = [12 + SHA1, 12 + SHA256];
/// Line for an index that git does not write like this: another reader may find other names in it.
const MALFORMED: &[u8] = b"malformed";

/// Returns the names that lead out of the work tree or into its repository, escaped. `hash` is the length of an object's name.
pub(super) fn names_astray(index: &[u8], hash: usize) -> Vec<Vec<u8>> {
    let mut astray = Vec::new();
    let each = |name: &[u8]| {
        if is_astray(name) {
            astray.push(name.escape_ascii().to_string().into_bytes());
        }
    };
    if read_names(index, hash, each).is_none() {
        astray.push(MALFORMED.to_vec());
    }
    astray
}

/// Returns true for the name of a file out of the work tree, or in its repository.
pub(super) fn is_astray(name: &[u8]) -> bool {
    // A split index has entries without a name, and a sparse one has folders.
    let name = name.strip_suffix(b"/").unwrap_or(name);
    let goes = |part: &[u8]| matches!(part, b"" | b"." | b"..");
    let is_git = |part: &[u8]| {
        part.eq_ignore_ascii_case(b".git") || !part.is_ascii() && is_git_name(&String::from_utf8_lossy(part))
    };
    !name.is_empty() && name.split(|byte| *byte == b'/').any(|part| goes(part) || is_git(part))
}

/// An entry's place, for those who begin to read there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EntryPlace {
    at: usize,
    /// True if its name takes nothing from the one before.
    whole: bool,
}

/// Calls `each` with every name; `None` for what git does not write like this.
fn read_names(index: &[u8], hash: usize, mut each: impl FnMut(&[u8])) -> Option<()> {
    let (version, count) = (number(index, 4)?, number(index, 8)?);
    if !index.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let (mut at, mut name, mut places) = (HEADER, Vec::new(), Vec::new());
    for _ in 0..count {
        let start = at;
        let flags = index.get(start + STAT + hash..)?.first_chunk::<2>()?;
        let flags = usize::from(u16::from_be_bytes(*flags));
        at = start + STAT + hash + if version > 2 && flags & EXTENDED != 0 { 4 } else { 2 };
        let mut kept = 0;
        if version == 4 {
            let (dropped, after) = variable_number(index, at)?;
            at = after;
            kept = name.len().checked_sub(dropped)?;
        }
        name.truncate(kept);
        let end = at + index.get(at..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(index.get(at..end)?);
        if flags & LENGTH != name.len().min(LENGTH) {
            return None;
        }
        each(&name);
        places.push(EntryPlace { at: start, whole: kept == 0 });
        // Up to eight bytes of nothing fill an entry up.
        at = if version == 4 { end + 1 } else { start + (end - start + 8) / 8 * 8 };
    }
    read_extensions(index, at, index.len().checked_sub(hash)?, &places)
}

/// Checks what is behind the entries, up to the hash of the file; `None` if it leads readers to other places.
fn read_extensions(index: &[u8], entries_end: usize, end: usize, places: &[EntryPlace]) -> Option<()> {
    let (mut at, mut ends) = (entries_end, Vec::new());
    while at < end {
        let (kind, size) = (index.get(at..at + 4)?, number(index, at + 4)?);
        let content = index.get(at + EXTENSION_HEADER..)?.get(..size)?;
        if kind == END {
            ends.push(at);
            if number(content, 0)? != entries_end {
                return None;
            }
        } else if kind == BLOCKS {
            begin_at_entries(content, places)?;
        }
        at += EXTENSION_HEADER + size;
    }
    let looked_for = END_SIZES.iter().filter_map(|size| end.checked_sub(*size));
    let mut found = looked_for.filter(|place| index.get(*place..).is_some_and(|rest| rest.starts_with(END)));
    (at == end && found.all(|place| ends.contains(&place))).then_some(())
}

/// Checks that the blocks of entries are all entries, in their order.
fn begin_at_entries(blocks: &[u8], places: &[EntryPlace]) -> Option<()> {
    // Behind a version, each block has a place and a number of entries.
    let mut before = 0;
    for block in blocks.get(4..)?.chunks(8) {
        let first = EntryPlace { at: number(block, 0)?, whole: true };
        if places.get(before) != Some(&first) {
            return None;
        }
        before += number(block, 4)?;
    }
    (before == places.len()).then_some(())
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_be_bytes(*bytes.get(at..)?.first_chunk::<4>()?)).ok()
}

/// Returns a number of as many bytes as it needs, and where it ends (gitformat-index(5), gitformat-pack(5)).
fn variable_number(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        value = value.checked_mul(0x80)?.checked_add(usize::from(byte & 0x7F))?;
        if byte & 0x80 == 0 {
            return Some((value, at));
        }
        value = value.checked_add(1)?;
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCKS, END, HEADER, SHA1 as HASH, is_astray, names_astray};

    /// Returns an index of these names, with the places of its entries.
    fn entries(version: u8, names: &[&str]) -> (Vec<u8>, Vec<usize>) {
        let count = u32::try_from(names.len()).unwrap().to_be_bytes();
        let mut index = [b"DIRC".as_slice(), &[0, 0, 0, version], &count].concat();
        let (mut before, mut places) = ("", Vec::new());
        for name in names {
            let start = index.len();
            places.push(start);
            index.extend([0_u8; 40 + HASH]);
            index.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
            if version == 4 {
                let same = before.bytes().zip(name.bytes()).take_while(|(one, other)| one == other).count();
                index.push(u8::try_from(before.len() - same).unwrap());
                index.extend(&name.as_bytes()[same..]);
                index.push(0);
            } else {
                index.extend(name.as_bytes());
                index.resize(start + (index.len() - start + 8) / 8 * 8, 0);
            }
            before = name;
        }
        (index, places)
    }

    fn extension(kind: &[u8], numbers: &[usize], more: &[u8]) -> Vec<u8> {
        let numbers = numbers.iter().flat_map(|number| u32::try_from(*number).unwrap().to_be_bytes());
        let content: Vec<u8> = numbers.chain(more.iter().copied()).collect();
        let size = u32::try_from(content.len()).unwrap().to_be_bytes();
        [kind, &size, &content].concat()
    }

    fn astray(parts: &[&[u8]]) -> Vec<String> {
        let index = [parts.concat().as_slice(), &[0; HASH]].concat();
        names_astray(&index, HASH).into_iter().map(|name| String::from_utf8(name).unwrap()).collect()
    }

    #[test]
    fn names_out_of_the_work_tree_and_in_the_repository_are_astray() {
        for name in [
            "../x", "/x", "a/../../x", "./x", "a//x", ".git/hooks/x", "a/.GIT/config", ".git",
            ".g\u{200c}it/x",
        ] {
            assert!(is_astray(name.as_bytes()), "{name}");
        }
        for name in ["", "a/", "a/b", ".gitignore", "x.git/config", "...", "a/..x", "\u{e9}/x"] {
            assert!(!is_astray(name.as_bytes()), "{name}");
        }
        assert!(!is_astray(b"\xff/x"));
    }

    #[test]
    fn every_version_is_read() {
        for version in [2, 3, 4] {
            let names = [".gitattributes", ".git/hooks/post-checkout", "a", "../home/.zshrc", "b\n"];
            let (index, _) = entries(version, &names);
            assert_eq!(astray(&[&index]), [names[1], names[3]], "version {version}");
            let end = extension(END, &[index.len()], &[7; 20]);
            assert_eq!(astray(&[&index, &extension(b"TREE", &[], b"x"), &end]), [names[1], names[3]]);
            let long = "x".repeat(0x1001);
            assert_eq!(astray(&[&long_entry(version, &long)]), [""; 0], "version {version}");
        }
    }

    /// Returns an index of one name that is longer than its flags can say.
    fn long_entry(version: u8, name: &str) -> Vec<u8> {
        let (mut index, places) = entries(version, &[name]);
        let flags = places[0] + 40 + HASH;
        index[flags..flags + 2].copy_from_slice(&0xFFF_u16.to_be_bytes());
        index
    }

    #[test]
    fn blocks_of_entries_are_these_entries() {
        let (index, places) = entries(2, &["a", "b", "c"]);
        let blocks =
            |numbers: &[usize]| astray(&[&index, &extension(BLOCKS, &[&[1][..], numbers].concat(), b"")]);
        assert_eq!(blocks(&[places[0], 2, places[2], 1]), [""; 0]);
        for other in
            [vec![places[0], 2, places[1], 1], vec![places[0], 4], vec![places[0], 2], vec![places[0] + 1, 3]]
        {
            assert_eq!(blocks(&other), ["malformed"], "{other:?}");
        }
        // The first name of a block stands alone.
        let (index, places) = entries(4, &["x", "x.git/hooks/y"]);
        let block = extension(BLOCKS, &[1, places[0], 1, places[1], 1], b"");
        assert_eq!(astray(&[&index, &block]), ["malformed"]);
    }

    #[test]
    fn what_git_does_not_write_like_this_is_malformed() {
        let (index, _) = entries(2, &["a", "b"]);
        let hidden = extension(b"HIDE", &[], &extension(END, &[HEADER], &[7; 20]));
        let mut other_length = index.clone();
        other_length[HEADER + 40 + HASH + 1] = 3;
        let cut = &index[..index.len() - 9];
        let wrong_end = extension(END, &[index.len() + 1], &[7; 20]);
        let hides: Vec<u8> = [index.as_slice(), &hidden].concat();
        let ends_elsewhere = [index.as_slice(), &wrong_end].concat();
        for bytes in [hides.as_slice(), &other_length, cut, &ends_elsewhere, b"DIRC"] {
            assert_eq!(astray(&[bytes]), ["malformed"]);
        }
        assert_eq!(astray(&[&index]), [""; 0]);
    }
}
