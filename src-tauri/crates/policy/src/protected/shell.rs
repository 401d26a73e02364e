//! Protected places that a shell line touches, by its words and by where its links lead.

use super::{Protected, ProtectedPlace, Protection};
use crate::facts::{Facts, StepFacts};
use crate::needed::folder_of;
use crate::path;
use postern_command::{Step, Word};

/// Programs that take a folder with all that is in it, to remove, move or open it up.
const TAKES_ALL: &[&str] =
    &["rm", "grm", "srm", "mv", "gmv", "rmdir", "trash", "chmod", "chown", "chflags", "rsync", "ln", "unlink", "shred"];

/// Programs that read all that is in a folder.
const READS_ALL: &[&str] = &["grep", "egrep", "fgrep", "rg", "ag", "ack", "tar", "zip", "cp", "rsync", "scp", "ditto"];

/// A protected place that a step of a line touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellTouch {
    /// The place.
    pub place: &'static ProtectedPlace,
    /// The word by which it does, with the home folder put in.
    pub word: String,
    /// The step.
    pub step: usize,
    /// Whether it only reads there.
    pub reads: bool,
    /// Whether a link leads there, and the word itself does not.
    pub by_link: bool,
}

impl Protected {
    /// The places that a line touches: any that a step may change, and keys that it may read.
    pub fn of_line(&self, facts: &Facts<'_>) -> Vec<ShellTouch> {
        let steps = facts.reading.steps.iter().zip(facts.steps).enumerate();
        let mut found: Vec<ShellTouch> =
            steps.flat_map(|(at, (step, found))| self.of_step(at, step, found, facts.cwd)).collect();
        found.dedup();
        found
    }

    fn of_step(&self, at: usize, step: &Step, found: &StepFacts, cwd: &str) -> Vec<ShellTouch> {
        let folder = folder_of(cwd, &step.dir);
        let folder = folder.as_deref().unwrap_or(cwd);
        let reads = only_reads(step);
        let name = step.program().map(|name| path::fold(path::base_name(name)).into_owned()).unwrap_or_default();
        let whole = if reads { READS_ALL } else { TAKES_ALL }.contains(&name.as_str())
            || READS_ALL.contains(&name.as_str());
        let words = step.via.iter().flat_map(|via| via.argv.iter()).chain(step.argv.iter().skip(1));
        let mut touches = Vec::new();
        for word in words.map(text) {
            for part in spellings(word) {
                let word = path::expand_home(part, self.home()).into_owned();
                self.of_text(part, folder, found, whole, &mut |place, by_link| {
                    touches.push(ShellTouch { place, word: word.clone(), step: at, reads, by_link });
                });
            }
        }
        for redirection in &step.redirections {
            let target = text(&redirection.target);
            let (word, reads) = (path::expand_home(target, self.home()).into_owned(), !redirection.writes());
            self.of_text(target, folder, found, false, &mut |place, by_link| {
                touches.push(ShellTouch { place, word: word.clone(), step: at, reads, by_link });
            });
        }
        // Who only reads asks for keys alone.
        touches.retain(|touch| !touch.reads || touch.place.protection == Protection::Keys);
        touches
    }

    fn of_text(
        &self,
        text: &str,
        folder: &str,
        found: &StepFacts,
        whole: bool,
        add: &mut dyn FnMut(&'static ProtectedPlace, bool),
    ) {
        if text.is_empty() || text.starts_with('-') {
            return;
        }
        let expanded = path::expand_home(text, self.home());
        let lexical = path::join(folder, &path::out_of_proc(&expanded, folder));
        let real = found.targets.iter().filter(|target| *target.written == *expanded).map(|target| target.real.clone());
        for (path, is_real) in std::iter::once((lexical.clone(), false)).chain(real.map(|real| (real, true))) {
            let mut places = self.of(&path);
            if whole {
                places.extend(self.below(&path));
            }
            for place in places {
                // A place that is a link itself is named by its own path.
                let by_link = is_real && !self.of(&lexical).contains(&place);
                if by_link || !is_real {
                    add(place, by_link);
                }
            }
        }
    }
}

fn text(word: &Word) -> &str {
    word.value.as_deref().unwrap_or(&word.raw)
}

/// A word, what stands behind its `=`, and a path behind an option's letter.
fn spellings(word: &str) -> impl Iterator<Item = &str> {
    let behind = word.split_once('=').map(|(_, value)| value);
    let glued = word.strip_prefix('-').and_then(|rest| rest.find(['/', '~']).map(|at| &rest[at..]));
    std::iter::once(word).chain(behind).chain(glued)
}

fn only_reads(step: &Step) -> bool {
    step.ways_out.is_empty()
        && step.opaque.is_none()
        && step.literal_argv().is_some_and(|argv| postern_command::is_read_only(&argv))
}
