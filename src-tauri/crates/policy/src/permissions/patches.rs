//! Finds the files that a patch names, as leniently as the laxest program that applies one.

/// Names of a `***` line that is about a file, in small letters and without anything but letters.
const FILES: [&str; 6] = ["addfile", "deletefile", "movefile", "movefileto", "moveto", "updatefile"];

/// `***` lines that name no file.
const PLAIN: [&str; 3] = ["beginpatch", "endoffile", "endpatch"];

/// Beginnings of lines of a unified diff that name one file.
const MARKS: [&str; 7] = ["+++", "---", "copy from ", "copy to ", "index:", "rename from ", "rename to "];

/// Ends of lines for some programs, beside the one of all.
const ENDS: [char; 9] =
    ['\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PatchedFiles<'a> {
    /// Every reading of their paths.
    pub(super) paths: Vec<&'a str>,
    /// True if a line begins as one that names a file, and cannot be read; or if a patch names none.
    pub(super) unread: bool,
    /// True if a line begins a patch whose files are named by lines.
    begun: bool,
}

pub(super) fn patched_files(text: &str) -> PatchedFiles<'_> {
    let mut files = PatchedFiles::default();
    for line in text.split('\n').flat_map(readings) {
        files.read_line(line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}'));
    }
    files.unread |= files.begun && files.paths.is_empty();
    files
}

/// Returns a line, and the lines that some programs see in it.
fn readings(line: &str) -> impl Iterator<Item = &str> {
    std::iter::once(line).chain(line.split(ENDS).filter(move |piece| piece.len() < line.len()))
}

impl<'a> PatchedFiles<'a> {
    fn read_line(&mut self, line: &'a str) {
        if let Some(rest) = line.strip_prefix("***") {
            return self.read_stars(rest.trim_start_matches('*'));
        }
        if let Some(rest) = after_mark(line, "diff --git ") {
            self.unread |= rest.contains('"');
            rest.split_whitespace().chain(rest.split(" b/")).for_each(|path| self.add(path));
            return;
        }
        let Some(rest) = MARKS.iter().find_map(|mark| after_mark(line, mark)) else { return };
        // Longer lines of signs frame the pieces of other forms.
        if !rest.starts_with(['-', '+']) {
            self.unread |= rest.trim_start().starts_with('"');
            self.add(rest);
        }
    }

    fn read_stars(&mut self, rest: &'a str) {
        let (name, path) = rest.split_once(':').unwrap_or((rest, ""));
        let letters = name.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase);
        let name: String = letters.collect();
        let is_bare = path.trim().is_empty();
        self.begun |= name == "beginpatch";
        if is_bare && (rest.trim().is_empty() || PLAIN.contains(&name.as_str())) {
            return;
        }
        self.unread |= is_bare || !FILES.contains(&name.as_str());
        self.add(path);
    }

    /// Adds a path whole, cut at what may end it, and without the quotes and the first folder that diffs put around it.
    fn add(&mut self, path: &'a str) {
        let cut = path.trim().split(|c: char| c == '\t' || ENDS.contains(&c)).next();
        for path in [Some(path), cut].into_iter().flatten() {
            let path = path.trim().trim_matches(['"', '\'', '`']).trim();
            let bare = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
            self.paths.extend([Some(path), bare].into_iter().flatten().filter(|path| !path.is_empty()));
        }
    }
}

/// Returns what follows the mark that a line begins with, in any case.
fn after_mark<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let (start, rest) = line.split_at_checked(mark.len())?;
    start.eq_ignore_ascii_case(mark).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::patched_files;

    #[test]
    fn a_header_is_read_in_every_spelling() {
        for line in [
            "*** Add File: .envrc", "*** Add File:.envrc", "***Update File:.envrc",
            "***  UPDATE\tfile :  .envrc\r", "\u{feff} *** Delete File:\u{a0}.envrc ", "*** Move to:.envrc",
            "x\r*** Add File:.envrc", "x\u{2028}*** Add File: .envrc\u{85}y", "*** Add File: \".envrc\"",
            "*** Add File: .envrc\t2026-01-01", "+++ b/.envrc", "+++\t.envrc", "RENAME TO .envrc",
            "copy to .envrc", "diff --git a/x b/.envrc",
        ] {
            let files = patched_files(line);
            assert!(files.paths.contains(&".envrc") && !files.unread, "{line:?}: {files:?}");
        }
        let tab = patched_files("*** Add File: x\t/../.git/hooks/post-merge");
        assert_eq!(tab.paths, ["x\t/../.git/hooks/post-merge", "x"], "both, because programs differ");
    }

    #[test]
    fn what_begins_as_a_header_and_cannot_be_read_is_known() {
        for text in [
            "*** Begin Patch\n+x", "*** Add File", "*** Add File:", "*** Create File: x",
            "*** Ad\u{434} File: x", "*** x/y\t2026", "+++ \"b/\\303\\244\"", "diff --git \"a/x\" \"b/x\"",
        ] {
            assert!(patched_files(text).unread, "{text:?}");
        }
        let plain =
            "*** Begin Patch\n*** Update File: x\n@@\n-a\n+*** b\n***\n*** End of File\n*** End Patch";
        assert!(!patched_files(plain).unread);
        let blocks = patched_files("------- SEARCH\na\n=======\nb\n+++++++ REPLACE");
        assert_eq!((blocks.paths.len(), blocks.unread), (0, false), "{blocks:?}");
    }
}
