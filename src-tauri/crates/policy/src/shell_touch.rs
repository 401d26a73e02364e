//! Protected places that a shell line touches, by its words and by where its links lead.

use crate::facts::{Facts, StepFacts};
use crate::needed::folder_of;
use crate::operands::written_words;
use crate::path;
use crate::protected::{ProtectedPlace, ProtectedPlaces, Protection};
use postern_command::{Role, Step, Word, file_words};
use std::cell::OnceCell;

/// Programs that remove, move or change the mode of a folder and everything in it.
const TAKES_ALL: &[&str] = &[
    "rm", "grm", "srm", "mv", "gmv", "rmdir", "trash", "chmod", "chown", "chflags", "rsync", "ln", "unlink",
    "shred",
];

/// Programs that read everything in a folder.
const READS_ALL: &[&str] =
    &["grep", "egrep", "fgrep", "rg", "ag", "ack", "tar", "zip", "cp", "rsync", "scp", "ditto"];

/// Git subcommands that do not change the files they are given.
const GIT_READS: &[&str] =
    &["add", "stage", "commit", "diff", "log", "show", "status", "blame", "grep", "ls-files", "check-ignore"];

/// A protected place that a step of a line touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellTouch {
    pub place: &'static ProtectedPlace,
    /// The word that touches it, with the home folder inserted.
    pub word: String,
    pub step: usize,
    /// True if the step only reads there.
    pub reads: bool,
    /// True if a link leads there and the word itself does not.
    pub by_link: bool,
}

impl ProtectedPlaces {
    /// Returns the places that a line touches: any that a step may change, and keys that it may read.
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
        let reads = OnceCell::new();
        let reads = || *reads.get_or_init(|| only_reads(step));
        let name = step
            .program()
            .map(|name| path::fold_case(path::base_name(name)).into_owned())
            .unwrap_or_default();
        let whole = TAKES_ALL.contains(&name.as_str()) || READS_ALL.contains(&name.as_str());
        let given = step.via.iter().flat_map(|via| via.argv.iter());
        let mut touches = Vec::new();
        for one in given.chain(file_words(step).skip(1)) {
            let is_source = || {
                step.argv.iter().any(|own| std::ptr::eq(own, one))
                    && !written_words(step).iter().any(|written| std::ptr::eq(*written, one))
            };
            for part in spellings(one.text()) {
                self.of_text(part, folder, found, whole, &mut |place, by_link| {
                    let word = path::expand_home(part, self.home_folder()).into_owned();
                    let reads = reads() || is_source();
                    touches.push(ShellTouch { place, word, step: at, reads, by_link });
                });
            }
        }
        for redirection in &step.redirections {
            let target = redirection.target.text();
            self.of_text(target, folder, found, false, &mut |place, by_link| {
                let word = path::expand_home(target, self.home_folder()).into_owned();
                touches.push(ShellTouch { place, word, step: at, reads: !redirection.writes(), by_link });
            });
        }
        // Reading matters only for keys; a script is read to be run.
        let script = step
            .script
            .and_then(|at| step.argv.get(at))
            .map(|word| path::expand_home(word.text(), self.home_folder()));
        let reads = |touch: &ShellTouch| touch.reads || script.as_deref() == Some(touch.word.as_str());
        touches.retain(|touch| !reads(touch) || touch.place.protection == Protection::Keys);
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
        if text.is_empty() || text.starts_with('-') || text.contains("://") && !text.starts_with("file:") {
            return;
        }
        let expanded = path::expand_home(text, self.home_folder());
        let lexical = path::reached(folder, &expanded);
        let real = found.targets.iter().filter(|target| *target.written == *expanded);
        let real = real.map(|target| (&*target.real, true));
        for (path, is_real) in std::iter::once((&*lexical, false)).chain(real) {
            let mut places = self.places_at(path);
            if whole {
                places.extend(self.places_below(path));
            }
            for place in places {
                // A place that is a link itself is named by its own path.
                let by_link = is_real && !self.places_at(&lexical).contains(&place);
                if by_link || !is_real {
                    add(place, by_link);
                }
            }
        }
    }
}

/// Returns a word, the part after its `=`, a path after an option's letter, and one that is mounted (`~/x:/y`).
fn spellings(word: &str) -> impl Iterator<Item = &str> {
    let behind = word.split_once('=').map(|(_, value)| value);
    let glued = word.strip_prefix('-').and_then(|rest| rest.find(['/', '~']).map(|at| &rest[at..]));
    let mounted = word.split_once(':').map(|(path, _)| path).filter(|path| path.starts_with(['/', '~', '.']));
    std::iter::once(word).chain(behind).chain(glued).chain(mounted)
}

fn only_reads(step: &Step) -> bool {
    let tells = |argv: &[&str]| match argv {
        [git, rest @ ..] if path::base_name(git) == "git" => {
            rest.iter().find(|word| !word.starts_with('-')).is_some_and(|sub| GIT_READS.contains(sub))
        }
        _ => false,
    };
    let reads =
        |argv: &[&str]| postern_command::is_read_only(argv) && step.ways_out.is_empty() || tells(argv);
    // A word that begins like this is a path with any expansion.
    let is_path = |raw: &str| raw.starts_with(['~', '/']) || raw.starts_with("$HOME/");
    let known = |word: &'_ Word| word.value.is_some() || is_path(word.raw.trim_start_matches('"'));
    let is_known_to =
        step.argv.iter().all(known) && reads(&step.argv.iter().map(Word::text).collect::<Vec<_>>());
    step.opaque.is_none() && (step.role == Role::HarmlessBuiltin || is_known_to)
}

#[cfg(test)]
mod tests {
    use crate::protected::{ProtectedPlaces, Protection};
    use crate::testing::Scene;

    fn touched(line: &str) -> Vec<(Protection, bool)> {
        let scene = Scene::new().with_shell_text(line);
        let home = crate::testing::HOME;
        scene.with_facts(|_, facts| {
            let found = ProtectedPlaces::of_home(home).of_line(facts);
            found.into_iter().map(|touch| (touch.place.protection, touch.reads)).collect()
        })
    }

    #[test]
    fn a_line_touches_what_its_words_name() {
        for (line, expected) in
            crate::testing::rows::<(&str, Option<(Protection, bool)>)>(include_str!("shell_touch.jsonl"))
        {
            let found = touched(line);
            match expected {
                Some(expected) => assert!(found.contains(&expected), "{line}: {found:?}"),
                None => assert!(found.is_empty(), "{line}: {found:?}"),
            }
        }
    }
}
