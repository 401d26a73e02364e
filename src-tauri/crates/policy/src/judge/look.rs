//! The read-only list, and confinement of what it allows.
//!
//! The list judges words. It cannot know what else a program reads, what a project's configuration makes it
//! start, or where a path leads at run time. So a request that only the list allows is confined with the
//! profile `look`.

use super::files;
use super::filter_programs::only_prints;
use super::places::{self, StepPlaces};
use super::subject::StepSubject;
use crate::agent::AgentPolicy;
use crate::cause::ClassGap;
use crate::facts::{Facts, Lookup};
use crate::needed::folder_of;
use crate::step_words::{has_letter, has_long};
use postern_command::{Power, Redirection, RedirectionKind};
use std::cell::OnceCell;

/// The list's verdict on a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Vouched {
    /// The step is not on the list.
    Not,
    /// The step is on the list, but not allowed here.
    But(ClassGap),
    /// Allowed if the run is confined.
    Confined,
    /// Allowed with or without confinement: it names no file, reads no configuration and only prints.
    Anywhere,
    /// Allowed only without confinement: it names no file, and needs what the profile denies.
    Open,
}

/// Returns the list's verdict on a step; `is_dangerous` says if the step is that by itself.
pub(super) fn vouched<'f>(
    policy: &AgentPolicy,
    places: &OnceCell<StepPlaces<'f>>,
    facts: &'f Facts<'f>,
    subject: &StepSubject<'_>,
    is_dangerous: impl FnOnce() -> bool,
) -> Vouched {
    let opens = subject.only_opens();
    if !opens
        && (subject.step.opaque.is_some() || !is_listed(subject) || subject.obstacle(policy, facts).is_some())
    {
        return Vouched::Not;
    }
    let words = subject.own_words();
    if postern_command::asks_others(words) {
        return Vouched::But(ClassGap::Sends);
    }
    if is_dangerous() {
        return Vouched::But(ClassGap::Dangerous);
    }
    if let Some(why) = reaches_out(policy, places.get_or_init(|| StepPlaces::new(facts)), facts, subject) {
        return Vouched::But(why);
    }
    if opens {
        Vouched::Confined
    } else if tells_of_machine(subject, words) {
        Vouched::Open
    } else if only_filters(subject, words) {
        Vouched::Anywhere
    } else {
        Vouched::Confined
    }
}

/// Returns true if its words are on the list.
fn is_listed(subject: &StepSubject<'_>) -> bool {
    if subject.carries_others() && !subject.carries_nothing() {
        return false;
    }
    let plain = subject.step.ways_out.is_empty()
        && subject.step.via.iter().all(|via| via.power == Power::Transparent)
        && !subject.step.writes_by_redirection();
    let by_name = subject.step.program().is_some_and(|name| !name.contains('/'));
    plain && by_name && postern_command::is_read_only_anyway(&with_patterns(subject))
}

/// Returns the step's words, with a file in place of a pattern for programs that read any number of files.
fn with_patterns<'a>(subject: &StepSubject<'a>) -> Vec<Option<&'a str>> {
    let patterns = subject.step.program().is_some_and(postern_command::reads_any_files);
    let is_pattern = |raw: &str| {
        raw.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '*')
            && raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./*?".contains(&byte))
    };
    let words = subject.own_words().iter().zip(&subject.step.argv);
    words
        .map(|(word, as_written)| word.or(Some("file").filter(|_| patterns && is_pattern(&as_written.raw))))
        .collect()
}

/// Returns why the list does not allow what the step reads.
fn reaches_out(
    policy: &AgentPolicy,
    places: &StepPlaces<'_>,
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
) -> Option<ClassGap> {
    if let Lookup::Found(program) = &subject.found.program
        && places.is_of_agent(&program.real_path)
    {
        return Some(ClassGap::AgentWrites);
    }
    let here = folder_of(facts.cwd, &subject.step.dir);
    let folder = here.as_deref().unwrap_or(facts.cwd);
    let outside = |path: &str| ClassGap::Outside { path: path.to_owned() };
    if here.is_some() && !places.is_inside(folder) {
        return Some(outside(folder));
    }
    let reads = |redirection: &&Redirection| redirection.kind == RedirectionKind::Read;
    let named = places::operands(subject, facts, folder);
    let redirected = places::redirected(subject, facts, folder, reads);
    let opens = places::opens_files(subject);
    if let Some(path) =
        named.iter().find(|path| opens && !places.may_be_read(path) || places.is_protected(path))
    {
        return Some(outside(path));
    }
    if let Some(path) = redirected.iter().find(|path| !places.is_inside(path)) {
        return Some(outside(path));
    }
    let mut led = subject.found.targets.iter().map(|target| target.real.as_str());
    if let Some(path) = led.find(|path| opens && !places.is_inside(path) || places.is_protected(path)) {
        return Some(outside(path));
    }
    // In folders that the person named, the profile withholds the keys.
    let everything = policy.settings.folders.is_empty()
        && goes_through(subject)
        && named.iter().map(String::as_str).chain(here.as_deref()).any(|path| places.hold_keys(path));
    everything.then_some(ClassGap::HoldsKeys)
}

/// Programs that list everything below a folder, and the letter without which they do not.
const LISTERS: &[(&str, &str)] =
    &[("find", ""), ("fd", ""), ("tree", ""), ("du", ""), ("ls", "R"), ("eza", ""), ("exa", "")];

/// Returns true if a step lists or reads everything below a folder.
pub(super) fn goes_through(subject: &StepSubject<'_>) -> bool {
    let step = subject.step;
    let lists = |(program, letter): &(&str, &str)| {
        let unknown = || step.argv.iter().any(|word| word.value.is_none());
        step.program() == Some(*program)
            && (letter.is_empty()
                || unknown()
                || has_letter(step, letter)
                || has_long(step, &["--recursive"]))
    };
    LISTERS.iter().any(lists) || files::reads_folders(step)
}

/// Programs that report on this machine through sockets or other processes, which confinement hides.
const OF_MACHINE: &[&str] = &["arp", "ifconfig", "ip", "lsof", "lsusb", "netstat", "nvidia-smi", "ss"];

fn tells_of_machine(subject: &StepSubject<'_>, words: &[Option<&str>]) -> bool {
    subject.step.program().is_some_and(|name| OF_MACHINE.contains(&name))
        && words.iter().all(|word| word.is_some_and(|word| !word.contains('/')))
}

/// Programs that read no project configuration: the number of operands that are no files, and the options that
/// take the next word.
const FILTERS: &[(&str, usize, &str)] = &[
    ("awk", 1, "Fv"),
    ("base64", 0, "w"),
    ("basename", 9, ""),
    ("cat", 0, ""),
    ("column", 0, "stco"),
    ("cut", 0, "dfcb"),
    ("date", 9, "dvr"),
    ("dirname", 9, ""),
    ("echo", 99, ""),
    ("egrep", 1, "eABCm"),
    ("expr", 9, ""),
    ("fgrep", 1, "eABCm"),
    ("fold", 0, "w"),
    ("gawk", 1, "Fv"),
    ("grep", 1, "eABCm"),
    ("head", 0, "nc"),
    ("hostname", 0, ""),
    ("id", 1, ""),
    ("jq", 1, ""),
    ("ls", 0, ""),
    ("mawk", 1, "Fv"),
    ("nl", 0, "bw"),
    ("nproc", 0, ""),
    ("printf", 99, ""),
    ("ps", 9, "Cgopqstu"),
    ("pwd", 0, ""),
    ("rev", 0, ""),
    ("sed", 1, "e"),
    ("seq", 3, "sf"),
    ("sleep", 9, ""),
    ("sort", 0, "kt"),
    ("tac", 0, ""),
    ("tail", 0, "nc"),
    ("tr", 2, ""),
    ("true", 9, ""),
    ("false", 9, ""),
    ("uname", 0, ""),
    ("uniq", 0, "fsw"),
    ("wc", 0, ""),
    ("which", 9, ""),
    ("whoami", 0, ""),
];

/// Returns true if an option, without its dash, names a file (`--file=x`, `--files0-from=x`, `grep -f x`).
fn names_a_file(program: &str, option: &str) -> bool {
    match option.strip_prefix('-') {
        Some(long) => {
            let name = long.split('=').next().unwrap_or_default();
            ["file", "from", "input", "library", "reference"].iter().any(|part| name.contains(part))
        }
        None => {
            program.ends_with("grep") && option.contains('f')
                || program == "jq" && option.contains(['f', 'L'])
                || program == "base64" && option.contains('i')
        }
    }
}

/// Returns true if an option, without its dash, holds the pattern of grep or a script of sed: `-e`, `-nex`, `--regexp=x`.
fn gives_script(option: &str) -> bool {
    match option.strip_prefix('-') {
        Some(long) => {
            let name = long.split('=').next().unwrap_or_default();
            !name.is_empty() && ["expression", "regexp"].iter().any(|full| full.starts_with(name))
        }
        None => option.contains('e'),
    }
}

/// Returns true if no word names a file, and a program among the words does no more than print.
fn only_filters(subject: &StepSubject<'_>, words: &[Option<&str>]) -> bool {
    let Some((name, operands, letters)) =
        subject.step.program().and_then(|name| FILTERS.iter().find(|(program, ..)| *program == name))
    else {
        return false;
    };
    let reads = |redirection: &Redirection| redirection.kind == RedirectionKind::Read;
    if subject.step.redirections.iter().any(reads) || goes_through(subject) {
        return false;
    }
    let mut left = *operands;
    let mut given = words.iter().skip(1);
    while let Some(word) = given.next() {
        let Some(word) = word else { return false };
        match word.strip_prefix('-') {
            // With the script or pattern in an option, the first operand is a file.
            Some(option) if letters.contains('e') && gives_script(option) => {
                left = 0;
                let is_next = !option.starts_with('-') && option.ends_with('e');
                if is_next && !matches!(given.next(), Some(Some(_))) {
                    return false;
                }
            }
            // A value that is not known may be several words, and files among them (`head -n *`).
            Some(letter) if letter.len() == 1 && letters.contains(letter) => {
                if !matches!(given.next(), Some(Some(_))) {
                    return false;
                }
            }
            Some(option) if names_a_file(name, option) => return false,
            Some(option) if !option.is_empty() => {}
            Some(_) | None if left == 0 => return false,
            Some(_) | None => left -= 1,
        }
    }
    let known: Vec<&str> = words.iter().skip(1).filter_map(|word| *word).collect();
    only_prints(name, &known)
}
