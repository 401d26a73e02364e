//! Paths as text: lexical normal form, the home folder, and the spelling that deny rules compare by.

use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// Returns the lexically normal form of an absolute path: no doubled slash, no `.`, no `..`, no slash at the
/// end.
pub fn normal(path: &str) -> Cow<'_, str> {
    if is_normal(path) {
        return Cow::Borrowed(path);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    Cow::Owned(format!("/{}", parts.join("/")))
}

/// Returns true for an absolute path in its normal form.
fn is_normal(path: &str) -> bool {
    let bytes = path.as_bytes();
    let is_name = |(at, byte): (usize, &u8)| {
        *byte != b'/'
            || !matches!(
                &bytes[at + 1..],
                [] | [b'/', ..] | [b'.'] | [b'.', b'/', ..] | [b'.', b'.'] | [b'.', b'.', b'/', ..]
            )
    };
    bytes == b"/" || bytes.first() == Some(&b'/') && bytes.iter().enumerate().all(is_name)
}

/// Joins `path` to `base`: absolute paths stay, all come out normal.
pub(crate) fn join_path(base: &str, path: &str) -> String {
    if path.starts_with('/') {
        normal(path).into_owned()
    } else {
        let joined = [base, "/", path].concat();
        match normal(&joined) {
            Cow::Owned(normal) => normal,
            Cow::Borrowed(_) => joined,
        }
    }
}

/// Converts `/proc/self/root/x` to `/x`, and `/proc/123/cwd/x` to `x` in the folder where it runs.
pub(crate) fn out_of_proc<'a>(text: &'a str, here: &str) -> Cow<'a, str> {
    // Nearly every path begins with another name.
    if !text.starts_with('/') || !text.trim_start_matches(['/', '.']).starts_with("proc/") {
        return Cow::Borrowed(text);
    }
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    match parts.as_slice() {
        ["proc", _, "root", rest @ ..] | ["proc", _, "task", _, "root", rest @ ..] => {
            Cow::Owned(format!("/{}", rest.join("/")))
        }
        ["proc", _, "cwd", rest @ ..] | ["proc", _, "task", _, "cwd", rest @ ..] => {
            Cow::Owned(format!("{here}/{}", rest.join("/")))
        }
        _ => Cow::Borrowed(text),
    }
}

/// Other names of the root of macOS's start volume. Firmlinks (`/usr/share/firmlinks`) lead to the same
/// relative place below the data volume, so one name stands for all of them.
const ROOTS: [&[&str]; 3] = [&["System", "Volumes", "Data"], &["Volumes", "Macintosh HD"], &[".nofollow"]];

/// Folder of a file's forks, each of which is the file.
const FORK: &str = "/..namedfork";

/// Top-level folders that are links into `/private`.
const PRIVATE: [&str; 3] = ["tmp", "var", "etc"];

/// Top-level folders of a start volume, which identify one under another name.
const AT_ROOT: [&str; 12] = [
    "Applications", "Library", "System", "Users", "bin", "cores", "etc", "opt", "private", "sbin", "usr",
    "var",
];

/// Resolves a normal path as XNU does, without names that only XNU knows: `/.nofollow/x`, `/.resolve/N/x`,
/// `x/..namedfork/data`, the folders of the start volume, `/private`. Other systems have no such names.
pub(crate) fn without_aliases(path: &str) -> &str {
    let mut path = path;
    while let Some(rest) = without_one_alias(path) {
        path = if rest.is_empty() { "/" } else { rest };
    }
    path
}

/// Does the same, and strips any other volume's folder that looks like the start volume, under any name.
/// Only for unconditional denials.
pub(crate) fn without_any_volume(path: &str) -> &str {
    let path = without_aliases(path);
    let own = behind(path, &["Volumes"]).and_then(|rest| behind_any(rest)).filter(|rest| {
        let first = rest.trim_start_matches('/').split('/').next().unwrap_or_default();
        AT_ROOT.iter().any(|name| name.eq_ignore_ascii_case(first))
    });
    own.map_or(path, without_aliases)
}

fn without_one_alias(path: &str) -> Option<&str> {
    if let Some(rest) = ROOTS.iter().find_map(|names| behind(path, names)) {
        return Some(rest);
    }
    if let Some(rest) = behind(path, &[".resolve"]) {
        return Some(behind_any(rest).unwrap_or_default());
    }
    let private = behind(path, &["private"]);
    if let Some(rest) = private.filter(|rest| PRIVATE.iter().any(|name| behind(rest, &[*name]).is_some())) {
        return Some(rest);
    }
    // Hardly a path has a name that begins with dots, and a search for a few bytes is much faster than one without case.
    if !path.as_bytes().windows(3).any(|part| part == b"/..") {
        return None;
    }
    let is_fork = |part: &[u8]| part.starts_with(b"/..") && part.eq_ignore_ascii_case(FORK.as_bytes());
    let fork = path.as_bytes().windows(FORK.len()).position(is_fork)?;
    let ends = path.as_bytes().get(fork + FORK.len()).is_none_or(|byte| *byte == b'/');
    ends.then(|| &path[..fork])
}

/// Returns the rest of a path after these names, ignoring case; empty, or with a leading slash.
fn behind<'a>(path: &'a str, names: &[&str]) -> Option<&'a str> {
    names.iter().try_fold(path, |path, name| {
        let (start, rest) = path.strip_prefix('/')?.split_at_checked(name.len())?;
        (start.eq_ignore_ascii_case(name) && (rest.is_empty() || rest.starts_with('/'))).then_some(rest)
    })
}

/// Returns the rest of a path after its first name.
fn behind_any(path: &str) -> Option<&str> {
    let name = path.strip_prefix('/').filter(|name| !name.is_empty())?;
    Some(name.find('/').map_or("", |at| &name[at..]))
}

/// Strips the prefixes that XNU removes before it resolves `..`.
fn without_prefixes(path: &str) -> Cow<'_, str> {
    if !path.starts_with('/') {
        return Cow::Borrowed(path);
    }
    let mut rest = path;
    loop {
        let slashes = rest.len() - rest.trim_start_matches('/').len();
        let one = &rest[slashes.saturating_sub(1)..];
        let behind = behind(one, &[".nofollow"])
            .or_else(|| behind(one, &[".resolve"]).map(|rest| behind_any(rest).unwrap_or_default()));
        match behind {
            Some(behind) => rest = behind,
            None => return Cow::Borrowed(if rest.is_empty() { "/" } else { rest }),
        }
    }
}

/// Resolves a path from `base` as XNU does, without names that only XNU knows.
pub(crate) fn reached(base: &str, path: &str) -> String {
    let path = without_prefixes(path);
    let joined = join_path(base, &out_of_proc(&path, base));
    without_aliases(&joined).to_owned()
}

/// Returns true if a normal path names its file by id (`/.vol/DEVICE/INODE`), which only the system can
/// resolve.
pub(crate) fn is_by_number(path: &str) -> bool {
    behind(without_aliases(path), &[".vol"]).is_some_and(|rest| rest.len() > 1)
}

/// Resolves a word of a command that is a path by one of XNU's names.
pub(crate) fn without_aliases_of_word(word: &str) -> Option<String> {
    let path = word.starts_with('/').then(|| normal(word))?;
    let reached = reached("/", word);
    (reached != path).then_some(reached)
}

/// Replaces a leading `~`, `$HOME` or `${HOME}` that stands alone or before a slash.
pub fn expand_home<'a>(text: &'a str, home: &str) -> Cow<'a, str> {
    match postern_command::behind_home(text).filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => Cow::Owned(format!("{}{rest}", home.trim_end_matches('/'))),
        None => Cow::Borrowed(text),
    }
}

/// Folder that a tilde stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tilde<'a> {
    /// `~`
    Home,
    /// `~+`
    Here,
    /// `~user`, or one that only the shell knows: `~-`, `~1`.
    Other(&'a str),
}

/// Returns the folder of a leading tilde, and the rest of the text.
pub(crate) fn read_tilde(text: &str) -> Option<(Tilde<'_>, &str)> {
    let rest = text.strip_prefix('~')?;
    let (who, behind) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let plain = who.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte));
    let tilde = match who {
        "" => Tilde::Home,
        "+" => Tilde::Here,
        who => Tilde::Other(Some(who).filter(|_| plain)?),
    };
    Some((tilde, behind))
}

/// Replaces what [`expand_home`] does, and the other tildes, as a shell in `here` would. The folder of another name lies in
/// `/home`, where nothing is the agent's.
pub(crate) fn expand_tilde<'a>(text: &'a str, home: &str, here: &str) -> Cow<'a, str> {
    match read_tilde(text) {
        Some((Tilde::Here, behind)) => Cow::Owned(format!("{here}{behind}")),
        Some((Tilde::Other(name), behind)) if fold_case(name) == fold_case(base_name(home)) => {
            Cow::Owned(format!("{}{behind}", home.trim_end_matches('/')))
        }
        Some((Tilde::Other(name), behind)) => Cow::Owned(format!("/home/{name}{behind}")),
        Some((Tilde::Home, _)) | None => expand_home(text, home),
    }
}

/// Returns an absolute path as it is shown: what lies in the home folder begins with `~`. The reverse of [`expand_home`].
pub fn from_home<'a>(path: &'a str, home: &str) -> Cow<'a, str> {
    match path.strip_prefix(home.trim_end_matches('/')) {
        Some(rest) if home.len() > 1 && (rest.is_empty() || rest.starts_with('/')) => {
            Cow::Owned(format!("~{rest}"))
        }
        Some(_) | None => Cow::Borrowed(path),
    }
}

/// Returns the names between the slashes.
pub(crate) fn path_names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty())
}

/// Returns the part after the last slash.
pub(crate) fn base_name(path: &str) -> &str {
    path.bytes().rposition(|byte| byte == b'/').map_or(path, |slash| &path[slash + 1..])
}

/// Returns true if a name, as [`fold_case`] writes it, is one of these, which are written so.
pub(crate) fn is_one_of(name: &str, names: &[&str]) -> bool {
    if name.is_ascii() {
        names.iter().any(|one| one.eq_ignore_ascii_case(name))
    } else {
        names.contains(&&*fold_case(name))
    }
}

/// Returns true if a normal path is `folder` or lies in it.
pub(crate) fn is_within(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    // What lies beside a folder mostly begins as it does: its end tells them apart sooner.
    path.len() >= folder.len()
        && path.as_bytes().get(folder.len()).is_none_or(|next| *next == b'/')
        && path.starts_with(folder)
}

/// Bytes of the longest path that a system opens (`PATH_MAX`: 4,096 on Linux, 1,024 on macOS).
const LONGEST: usize = 4096;

/// Letters that a file system without case takes for others, though they are no capitals of them.
pub const LETTER_GROUPS: &[(char, &str)] = &[
    ('\u{df}', "ss"),
    ('\u{17f}', "s"),
    ('\u{1e9e}', "ss"),
    ('\u{212a}', "k"),
    ('\u{fb00}', "ff"),
    ('\u{fb01}', "fi"),
    ('\u{fb02}', "fl"),
    ('\u{fb03}', "ffi"),
    ('\u{fb04}', "ffl"),
    ('\u{fb05}', "st"),
    ('\u{fb06}', "st"),
];

/// Returns one spelling for names that a file system without case, or one that keeps accents apart, takes for
/// the same.
///
/// A text that is longer than any path names no file: it is only written small.
pub(crate) fn fold_case(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.len() > LONGEST {
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        }
    } else {
        let lower = composed(text).to_lowercase();
        let mut folded = String::with_capacity(lower.len());
        for letter in lower.chars() {
            match LETTER_GROUPS.iter().find(|(own, _)| *own == letter) {
                Some((_, group)) => folded.push_str(group),
                None => folded.push(letter),
            }
        }
        Cow::Owned(composed(&folded).into_owned())
    }
}

/// Returns the text with each accent as part of its letter (Unicode's NFC); nearly every text is written so.
fn composed(text: &str) -> Cow<'_, str> {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        IsNormalized::No | IsNormalized::Maybe => Cow::Owned(text.nfc().collect()),
    }
}

/// Returns the spelling that deny rules compare by: normal, without case, and with equal folders written one
/// way.
///
/// `/usr/bin` is `/bin`, `/private/tmp` is `/tmp`, the start volume is the root.
pub(crate) fn deny_key(path: &str) -> Cow<'_, str> {
    let key = if is_spelled_one_way(path) {
        Cow::Borrowed(path)
    } else {
        let prefixless = without_prefixes(path);
        let normal = normal(&prefixless);
        Cow::Owned(fold_case(without_aliases(&normal)).into_owned())
    };
    let in_usr =
        key.strip_prefix("/usr").is_some_and(|rest| rest.starts_with("/bin/") || rest.starts_with("/sbin/"));
    match key {
        Cow::Borrowed(key) if in_usr => Cow::Borrowed(&key["/usr".len()..]),
        Cow::Owned(key) if in_usr => Cow::Owned(key["/usr".len()..].to_owned()),
        key => key,
    }
}

/// Returns true for a path as nearly every one is: normal, in small letters, and by no name that only XNU knows.
fn is_spelled_one_way(path: &str) -> bool {
    let plain = |pair: &[u8]| {
        pair[1].is_ascii() && !pair[1].is_ascii_uppercase() && !matches!(pair, b"//" | b".." | b"./")
    };
    path.starts_with('/')
        && !path.starts_with("/.")
        && !path.ends_with(['/', '.'])
        && path.as_bytes().windows(2).all(plain)
        && !["/private", "/system", "/volumes"].iter().any(|other| is_within(path, other))
}

/// Returns the text without the marks that some file systems overlook in a name.
pub(crate) fn unmarked(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let overlooked = |c: char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    Cow::Owned(text.chars().filter(|c| !overlooked(*c)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_normal_form() {
        for (written, expected) in [
            ("/bin/rm", "/bin/rm"),
            ("//bin//rm", "/bin/rm"),
            ("/usr/bin/../../bin/rm", "/bin/rm"),
            ("/bin/./rm/", "/bin/rm"),
            ("/../..", "/"),
            ("/", "/"),
        ] {
            assert_eq!(normal(written), expected, "{written}");
        }
    }

    #[test]
    fn a_process_s_own_links_to_the_root_and_its_folder_are_followed() {
        for (written, expected) in [
            ("/proc/self/root/bin/rm", "/bin/rm"),
            ("/proc/1/task/2/root/bin/rm", "/bin/rm"),
            ("//proc/./self/cwd/x", "/here/x"),
            ("/proc/self/task/7/cwd", "/here/"),
            ("proc/self/root/bin/rm", "proc/self/root/bin/rm"),
            ("proc/self/cwd/x", "proc/self/cwd/x"),
            ("/proc/self/exe", "/proc/self/exe"),
            ("/x/proc/self/root/bin", "/x/proc/self/root/bin"),
        ] {
            assert_eq!(out_of_proc(written, "/here"), expected, "{written}");
        }
    }

    #[test]
    fn home_is_expanded_only_where_a_shell_would() {
        for (written, expected) in [
            ("~", "/Users/u"),
            ("~/x", "/Users/u/x"),
            ("$HOME/x", "/Users/u/x"),
            ("${HOME}", "/Users/u"),
            ("~other/x", "~other/x"),
            ("$HOMEX/y", "$HOMEX/y"),
            ("/a/~", "/a/~"),
        ] {
            assert_eq!(expand_home(written, "/Users/u"), expected, "{written}");
        }
    }

    #[test]
    fn every_tilde_stands_for_the_folder_that_a_shell_makes_of_it() {
        for (written, expected) in [
            ("~/x", "/Users/u/x"),
            ("~", "/Users/u"),
            ("~+/../x", "/here/../x"),
            ("~u/x", "/Users/u/x"),
            ("~root/x", "/home/root/x"),
            ("~-", "/home/-"),
            ("~1/x", "/home/1/x"),
            ("~$x", "~$x"),
            ("x~", "x~"),
        ] {
            assert_eq!(expand_tilde(written, "/Users/u", "/here"), expected, "{written}");
        }
    }

    #[test]
    fn the_names_that_only_xnu_knows_lead_to_the_same_file() {
        for (written, expected) in crate::testing::rows::<(&str, &str)>(include_str!("path_xnu.jsonl")) {
            assert_eq!(reached("/here", written), expected, "{written}");
        }
        for (written, expected) in [
            ("/Volumes/Disk/Users/u", "/Users/u"),
            ("/Volumes/Disk/private/etc/x", "/etc/x"),
            ("/Volumes/Disk/backup/Users", "/Volumes/Disk/backup/Users"),
            ("/Volumes/Disk", "/Volumes/Disk"),
            ("/Volumes", "/Volumes"),
        ] {
            assert_eq!(without_any_volume(written), expected, "{written}");
        }
    }

    #[test]
    fn a_number_names_a_file_that_only_the_system_knows() {
        for path in
            ["/.vol/16777220/123", "/.VOL/1/2/x", "/.nofollow/.vol/1/2", "/System/Volumes/Data/.vol/1/2"]
        {
            assert!(is_by_number(path), "{path}");
        }
        for path in ["/.vol", "/.volume/1/2", "/x/.vol/1/2"] {
            assert!(!is_by_number(path), "{path}");
        }
    }

    #[test]
    fn deny_rules_know_other_spellings_of_a_path() {
        for other in [
            "/BIN/RM", "/usr/bin/rm", "//Bin/../bin/rm", "/usr/BIN/rm", "/.nofollow/bin/rm",
            "/.resolve/1/usr/bin/rm", "/.resolve/1/../bin/rm", "/bin/rm/..namedfork/data",
            "/.nofollow/System/Volumes/Data/usr/bin/rm",
        ] {
            assert_eq!(deny_key(other), deny_key("/bin/rm"), "{other}");
        }
        assert_eq!(deny_key("/private/tmp/x"), deny_key("/tmp/x"));
        assert_eq!(
            deny_key("/opt/cafe\u{301}"),
            deny_key("/opt/CAFÉ"),
            "accents in two spellings are one name"
        );
        assert_ne!(deny_key("/usr/local/bin/rm"), deny_key("/bin/rm"));
        assert_eq!(deny_key("/bin/la\u{17f}t"), deny_key("/bin/last"), "a long s is an s in any case");
        assert_eq!(deny_key("/p/con\u{fb01}g"), deny_key("/p/config"), "joined letters are each of them");
        assert_eq!(deny_key("/bin/\u{212a}ill"), deny_key("/bin/kill"), "and the sign for kelvin a k");
    }

    #[test]
    fn a_quick_look_at_a_path_finds_what_a_close_one_does() {
        const NAMES: [&str; 18] = [
            "", ".", "..", "...", "a", "a.", ".a", "A", "é", "usr", "bin", "private", "tmp", "System",
            "volumes", ".nofollow", ".resolve", "..namedfork",
        ];
        let paths = NAMES.iter().flat_map(|first| {
            NAMES.iter().flat_map(move |second| {
                NAMES
                    .iter()
                    .flat_map(move |third| ["/", ""].map(|root| format!("{root}{first}/{second}/{third}")))
            })
        });
        let mut quick = 0;
        for path in paths {
            let names: Vec<&str> = path.split('/').skip(1).collect();
            let plain = names.iter().all(|name| !matches!(*name, "" | "." | ".."));
            assert_eq!(is_normal(&path), path.starts_with('/') && plain, "{path}");
            if is_spelled_one_way(&path) {
                let prefixless = without_prefixes(&path);
                assert_eq!(fold_case(without_aliases(&normal(&prefixless))), path);
                quick += 1;
            }
        }
        assert!(quick > 100, "{quick}");
    }

    #[test]
    fn a_path_is_shown_from_the_home_folder_where_it_lies_in_it() {
        for (path, home, expected) in [
            ("/Users/u", "/Users/u", "~"),
            ("/Users/u/x", "/Users/u/", "~/x"),
            ("/Users/uv/x", "/Users/u", "/Users/uv/x"),
            ("/x", "/", "/x"),
            ("/", "/", "/"),
        ] {
            assert_eq!(super::from_home(path, home), expected, "{path} of {home}");
        }
    }
}
