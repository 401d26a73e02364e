//! Operands of a step that its program only reads. Every other word of a step may be a file that it writes.

use crate::path;
use crate::step_words::{folded_base_name, has_letter, has_long, is_option, operands};
use postern_command::{ArgEffect, CommandEffect, Role, Step, StepEffect, Word, is_read_only_anyway};

/// Operands that a program only reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sources {
    /// All but the last, which it writes.
    ButLast,
    /// All but the first, which it writes.
    ButFirst,
    First,
    /// An archive that it takes apart, or else what it packs.
    Tar,
}

/// Knowledge of the words of a program that it only reads.
struct OperandReader {
    names: &'static [&'static str],
    sources: Sources,
    /// Letters and options with which it changes what it reads, or makes links to it.
    unless: (&'static str, &'static [&'static str]),
    /// Options whose next word is written.
    outputs: &'static [&'static str],
}

const READERS: &[OperandReader] = &[
    OperandReader {
        names: &["cp", "ditto", "gcp"],
        sources: Sources::ButLast,
        unless: ("ls", &["--link", "--symbolic-link"]),
        outputs: TARGET,
    },
    OperandReader {
        names: &["ginstall", "install"],
        sources: Sources::ButLast,
        unless: ("d", &["--directory"]),
        outputs: TARGET,
    },
    OperandReader {
        names: &["rsync", "scp"],
        sources: Sources::ButLast,
        unless: ("", &["--remove-source-files", "--remove-sent-files"]),
        outputs: &[
            "-T", "--temp-dir", "--backup-dir", "--link-dest", "--log-file", "--only-write-batch",
            "--partial-dir", "--write-batch",
        ],
    },
    OperandReader {
        names: &["bsdtar", "gtar", "tar"],
        sources: Sources::Tar,
        unless: ("", &["--remove-files"]),
        outputs: &["-f", "-g", "--file", "--index-file", "--listed-incremental", "--volno-file"],
    },
    OperandReader { names: &["unzip"], sources: Sources::First, unless: ("", &[]), outputs: &[] },
    OperandReader {
        names: &["zip"],
        sources: Sources::ButFirst,
        unless: ("m", &["--move"]),
        outputs: &["-b", "-lf", "-O", "--logfile-path", "--output-file", "--temp-path"],
    },
];

/// Letters with which `zip` and `unzip` take the next word, so that it is no archive.
const VALUES: [char; 11] = ['b', 'd', 'f', 'I', 'i', 'n', 'O', 'P', 's', 't', 'x'];

/// Options that name the folder into which files are put.
const TARGET: &[&str] = &["-t", "--target-directory"];

/// Programs that put files into a folder under their own names.
const PUT: &[&str] = &["cp", "gcp", "ginstall", "gln", "gmv", "install", "ln", "mv", "rsync", "scp"];

/// Returns true if a step with these effects writes no file that its words name.
pub(crate) fn only_reads(step: &Step, effects: &[StepEffect]) -> bool {
    let words = step.known_words();
    let reads = |found: &StepEffect| {
        matches!(found.effect, CommandEffect::Read { .. } | CommandEffect::UseSecret { .. })
    };
    let harmless = |effect| matches!(effect, ArgEffect::Folder | ArgEffect::Reads | ArgEffect::Secrets);
    step.role != Role::Program
        || step.ways_out.iter().all(|way| harmless(way.effect))
            && (is_read_only_anyway(&words) || !effects.is_empty() && effects.iter().all(reads))
}

pub(crate) fn written_words(step: &Step) -> Vec<&Word> {
    let all = step.argv.iter().enumerate().skip(1);
    let name = step.program().map(folded_base_name).unwrap_or_default();
    let known = READERS.iter().find(|reader| reader.names.contains(&&*name)).filter(|reader| {
        let (letters, long) = reader.unless;
        !has_letter(step, letters) && !has_long(step, long) && !step.argv.iter().any(may_vanish)
    });
    let is_read =
        |at: usize, word: &Word| known.is_some_and(|reader| !is_option(word) && reader.reads(step, at));
    all.filter(|(at, word)| !is_read(*at, word)).map(|(_, word)| word).collect()
}

/// Returns true for a word that may turn out to be none, so that the words behind it have other places.
fn may_vanish(word: &Word) -> bool {
    word.value.is_none()
        && (word.raw.starts_with(['$', '`']) || word.raw.contains("$@") || word.raw.contains("[@]"))
}

impl OperandReader {
    /// Returns true if the program only reads the operand at this place.
    fn reads(&self, step: &Step, at: usize) -> bool {
        let behind = |options: &[&str]| is_one_of(step.argv.get(at - 1), options);
        let place = |other: Option<&Word>| {
            step.argv.iter().position(|word| other.is_some_and(|other| std::ptr::eq(word, other)))
        };
        // The value of an option is no operand.
        let option_before = |place: Option<usize>| {
            place.and_then(|at| step.argv.get(at - 1)).filter(|word| is_option(word)).map(Word::text)
        };
        let first = place(operands(step).next());
        let last = place(operands(step).last());
        let is_first = first == Some(at);
        let is_value = option_before(first).is_some_and(|text| text.ends_with(VALUES));
        match self.sources {
            Sources::ButLast => last != Some(at) && option_before(last).is_none() && !behind(self.outputs),
            Sources::ButFirst => !is_first && !is_value && !behind(self.outputs),
            Sources::First => is_first && !is_value,
            Sources::Tar => tar_reads(step, at, behind(self.outputs), behind(&["-f", "--file"])),
        }
    }
}

/// Returns true if `tar` only reads the operand at this place, which may be the value of an option with a file or an archive.
fn tar_reads(step: &Step, at: usize, is_output: bool, is_archive: bool) -> bool {
    let bundle = step.argv.get(1).map(Word::text).filter(|word| !word.starts_with('-')).unwrap_or_default();
    // Letters without a dash take their values in the order of the letters.
    if bundle.contains(['b', 'C', 'F', 'g', 'H', 'I', 'K', 'L', 'N', 'T', 'V', 'X']) {
        return false;
    }
    let has = |letters: &str, long: &[&str]| {
        bundle.contains(|c| letters.contains(c)) || has_letter(step, letters) || has_long(step, long)
    };
    let is_archive = is_archive || at == 2 && bundle.contains('f');
    let packs = has("Acru", &["--append", "--catenate", "--concatenate", "--create", "--update"]);
    if packs && !has("x", &["--extract", "--get"]) { !is_archive && !is_output } else { is_archive }
}

/// Returns the files that a step makes in a folder, under the names of those that it is given.
pub(crate) fn put_files(step: &Step) -> Vec<String> {
    let name = step.program().map(folded_base_name).unwrap_or_default();
    if !PUT.contains(&&*name) {
        return Vec::new();
    }
    let names: Vec<&str> =
        operands(step).map(|word| path::base_name(word.text().trim_end_matches('/'))).collect();
    let behind =
        step.argv.windows(2).filter(|pair| is_one_of(pair.first(), TARGET)).map(|pair| pair[1].text());
    let attached = step.argv.iter().map(Word::text).filter_map(folder_in_option);
    let last = operands(step).last().map(Word::text);
    let folders = behind.chain(attached).chain(last);
    folders.flat_map(|folder| names.iter().map(move |name| format!("{folder}/{name}"))).collect()
}

/// Returns the folder of `-tDIR` and `--target-directory=DIR`.
fn folder_in_option(text: &str) -> Option<&str> {
    let folder = match text.strip_prefix("--t") {
        Some(long) => long.split_once('=').map(|(_, folder)| folder),
        None => text.strip_prefix('-').and_then(|letters| letters.split_once('t')).map(|(_, folder)| folder),
    };
    folder.filter(|folder| !folder.is_empty())
}

/// Returns true if a word is one of these options, which takes the next word.
///
/// A short one ends it (`-rt`), a long one may be abbreviated.
fn is_one_of(word: Option<&Word>, options: &[&str]) -> bool {
    let Some(text) = word.map(Word::text).filter(|text| text.starts_with('-') && text.len() > 1) else {
        return false;
    };
    options.iter().any(|option| match option.strip_prefix("--") {
        Some(_) => text.len() > 2 && option.starts_with(text),
        None => !text.starts_with("--") && text.ends_with(&option[1..]),
    })
}
