//! Publication of a package: the family of its program, its folder, and the registry as its words name it.

use super::command::ExaminedCommand;
use super::push::own_words;
use crate::{Step, Word};

/// A package that is published, and the registry as it is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// Family of the program (`npm`).
    pub program: &'static str,
    /// Registry that an option names: its address, or its name in the settings.
    pub registry: Option<String>,
    /// The folder or file that is published; `None` is the project of the working directory.
    pub what: Option<String>,
}

/// A program that publishes: its name, its verb, and the options that name a registry.
struct Publisher(&'static str, &'static str, &'static [&'static str]);

const PUBLISHERS: &[Publisher] = &[
    Publisher("npm", "publish", &["--registry"]),
    Publisher("pnpm", "publish", &["--registry"]),
    Publisher("cargo", "publish", &["--registry", "--index"]),
    Publisher("twine", "upload", &["--repository-url", "--repository", "-r"]),
    Publisher("flit", "publish", &["--repository"]),
    Publisher("uv", "publish", &["--publish-url", "--index"]),
    Publisher("poetry", "publish", &["--repository", "-r"]),
    Publisher("gem", "push", &["--host"]),
];

/// Options that read settings or a project from elsewhere, or publish several.
const ELSEWHERE: &str = "^-C ^-F ^-w ^-p ^--prefix ^--dir ^--directory ^--userconfig ^--globalconfig \
    ^--workspace ^--recursive ^--filter ^--config ^--manifest-path ^--package ^--project ^--pypirc ^--ini-file ^-f ^-Z";

/// Returns the publication that a step is, if its words tell all of it.
pub fn publication_of(step: &Step) -> Option<Publication> {
    let words = own_words(step).filter(|_| step.argv.iter().all(is_plain))?;
    let mut found = None;
    words.for_each_reading(|command| found = found.take().or_else(|| publication_of_command(command)));
    found
}

fn publication_of_command(command: &ExaminedCommand<'_>) -> Option<Publication> {
    let Publisher(program, verb, options) =
        PUBLISHERS.iter().find(|Publisher(program, ..)| command.is_one_of(&[program]))?;
    let (_, last) = command.read().find_verb(verb).filter(|_| !command.matches_any(ELSEWHERE))?;
    let named = |word: &&str| {
        options.iter().any(|option| {
            word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })
    };
    let registry = command.value_of(options).map(str::to_owned);
    if registry.is_none() && command.args.iter().any(named) {
        return None;
    }
    let operands = command.operands(last + 1);
    // The value of an option that no file lists is among them.
    let what = operands.into_iter().find(|word| registry.as_deref() != Some(*word)).map(str::to_owned);
    Some(Publication { program, registry, what })
}

/// Returns true for a word that is known, or that names files by a pattern and can be no option.
fn is_plain(word: &Word) -> bool {
    let begins = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '/';
    word.value.is_some() || word.raw.starts_with(begins) && !word.raw.contains(['$', '`', '{', '(', '\\'])
}
