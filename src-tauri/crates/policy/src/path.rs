//! Paths as text: lexical normal form, the home folder, and the spelling that deny rules compare by.

use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// The lexically normal form of an absolute path: no doubled slash, no `.`, no `..`, no slash at the end.
pub fn normal(path: &str) -> Cow<'_, str> {
    let plain = path.starts_with('/')
        && (path.len() == 1 || path[1..].split('/').all(|part| !matches!(part, "" | "." | "..")));
    if plain {
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

/// `path` seen from `base`: absolute paths stay, all come out normal.
pub(crate) fn join(base: &str, path: &str) -> String {
    if path.starts_with('/') {
        normal(path).into_owned()
    } else {
        normal(&format!("{base}/{path}")).into_owned()
    }
}

/// `/proc/self/root/x` is `/x`, `/proc/123/cwd/x` is `x` in the folder where it runs.
pub(crate) fn out_of_proc<'a>(text: &'a str, here: &str) -> Cow<'a, str> {
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    match parts.as_slice() {
        ["proc", _, "root", rest @ ..] | ["proc", _, "task", _, "root", rest @ ..]
            if text.starts_with('/') =>
        {
            Cow::Owned(format!("/{}", rest.join("/")))
        }
        ["proc", _, "cwd", rest @ ..] | ["proc", _, "task", _, "cwd", rest @ ..] if text.starts_with('/') => {
            Cow::Owned(format!("{here}/{}", rest.join("/")))
        }
        _ => Cow::Borrowed(text),
    }
}

/// A path of macOS's start volume without the folder that the volume is also to be found in.
pub(crate) fn without_volume(path: &str) -> Cow<'_, str> {
    const VOLUMES: [&str; 2] = ["/System/Volumes/Data", "/Volumes/Macintosh HD"];
    for volume in VOLUMES {
        let Some((start, rest)) = path.split_at_checked(volume.len()) else { continue };
        if start.eq_ignore_ascii_case(volume) && (rest.is_empty() || rest.starts_with('/')) {
            return if rest.is_empty() { Cow::Borrowed("/") } else { Cow::Borrowed(rest) };
        }
    }
    Cow::Borrowed(path)
}

/// Replaces a leading `~`, `$HOME` or `${HOME}` that stands alone or before a slash.
pub fn expand_home<'a>(text: &'a str, home: &str) -> Cow<'a, str> {
    for prefix in ["~", "$HOME", "${HOME}"] {
        if let Some(rest) = text.strip_prefix(prefix)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return Cow::Owned(format!("{}{rest}", home.trim_end_matches('/')));
        }
    }
    Cow::Borrowed(text)
}

/// What stands behind the last slash.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a normal path is `folder` or lies in it.
pub(crate) fn is_within(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Bytes of the longest path that a system opens (`PATH_MAX`: 4,096 on Linux, 1,024 on macOS).
const LONGEST: usize = 4096;

/// One spelling for names that a file system without case, or one that keeps accents apart, takes for the same. What is longer
/// than any path names no file: it is only written small.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.len() > LONGEST {
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        }
    } else {
        // The long s is no capital, and such a file system takes it for an s all the same.
        let mut lower = composed(text).to_lowercase();
        if lower.contains('ſ') {
            lower = lower.replace('ſ', "s");
        }
        Cow::Owned(composed(&lower).into_owned())
    }
}

/// The text with each accent as part of its letter (Unicode's NFC); nearly every text is written so.
fn composed(text: &str) -> Cow<'_, str> {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        IsNormalized::No | IsNormalized::Maybe => Cow::Owned(text.nfc().collect()),
    }
}

/// The spelling that deny rules compare by: normal, without case, and with the folders that are one and the same on
/// many systems written one way (`/usr/bin` is `/bin`, `/private/tmp` is `/tmp`, the start volume is the root).
pub(crate) fn deny_key(path: &str) -> String {
    let normal = normal(path);
    let folded = fold(without_volume(&normal).as_ref()).into_owned();
    let usr =
        folded.strip_prefix("/usr").filter(|rest| rest.starts_with("/bin/") || rest.starts_with("/sbin/"));
    let private = folded
        .strip_prefix("/private")
        .filter(|rest| ["/tmp", "/var", "/etc"].iter().any(|folder| is_within(rest, folder)));
    usr.or(private).map_or_else(|| folded.clone(), str::to_owned)
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
    fn a_start_volume_is_the_root() {
        for (written, expected) in [
            ("/System/Volumes/Data/Users/u", "/Users/u"),
            ("/system/volumes/data", "/"),
            ("/Volumes/Macintosh HD/bin", "/bin"),
            ("/System/Volumes/Data2/x", "/System/Volumes/Data2/x"),
            ("/Volumes/Disk", "/Volumes/Disk"),
        ] {
            assert_eq!(without_volume(written), expected, "{written}");
        }
    }

    #[test]
    fn deny_rules_know_other_spellings_of_a_path() {
        for other in ["/BIN/RM", "/usr/bin/rm", "//Bin/../bin/rm", "/usr/BIN/rm"] {
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
        assert_eq!(deny_key("/bin/\u{212a}ill"), deny_key("/bin/kill"), "and the sign for kelvin a k");
    }
}
