//! Programs that people described in files of their own: they add effects, and take none away.

use std::sync::{Arc, PoisonError, RwLock};

use foldhash::HashMap;
use postern_programs::{ProgramFile, Style};

use super::table::{Effect, Program};

/// The programs of the files that were set last. The host sets them; everything else only looks.
static OWN: RwLock<Option<Arc<Own>>> = RwLock::new(None);

#[derive(Debug)]
struct Own {
    files: Vec<ProgramFile>,
    by_name: HashMap<&'static str, &'static Program>,
}

/// Takes these files for people's own, in place of those before. Returns true if they differ from those.
///
/// What a file says is kept until the process ends: files change seldom and are small.
pub fn set_own_programs(files: Vec<ProgramFile>) -> bool {
    let mut own = OWN.write().unwrap_or_else(PoisonError::into_inner);
    if own.as_ref().map_or(files.is_empty(), |own| own.files == files) {
        return false;
    }
    let programs = files.iter().map(compile);
    let by_name =
        programs.flat_map(|program| program.names.iter().map(move |name| (*name, program))).collect();
    *own = (!files.is_empty()).then(|| Arc::new(Own { files, by_name }));
    true
}

/// Returns what a person said about a program.
pub(super) fn find(name: &str) -> Option<&'static Program> {
    let own = OWN.read().unwrap_or_else(PoisonError::into_inner);
    own.as_ref()?.by_name.get(name).copied()
}

/// Returns every program that a person described.
pub(super) fn all() -> Vec<&'static Program> {
    let own = OWN.read().unwrap_or_else(PoisonError::into_inner);
    let mut all: Vec<_> = own.iter().flat_map(|own| own.by_name.values().copied()).collect();
    all.sort_by_key(|program| program.names);
    all.dedup_by_key(|program| program.names);
    all
}

/// Returns a file as the tables hold a program: its options, its words and its effects.
pub(super) fn compile(file: &ProgramFile) -> &'static Program {
    let effect = |effect: &postern_programs::Effect| Effect {
        marks: text(&effect.marks(file.commands.as_deref().unwrap_or_default())),
        does: effect.does,
        source: text(&effect.source),
    };
    let of_commands = file.options_of_commands().map(|(commands, options)| (text(commands), text(options)));
    Box::leak(Box::new(Program {
        names: list(file.names.iter().map(|name| text(name))),
        style: file.style.unwrap_or(Style::Getopt),
        before: file.options_before().map(text),
        behind: text(file.options_behind()),
        of_commands: list(of_commands),
        words: list(file.words.iter().map(|(word, words)| (text(word), usize::from(*words)))),
        effects: list(file.effects.iter().map(effect)),
        ..Program::UNKNOWN
    }))
}

fn text(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn list<T>(all: impl Iterator<Item = T>) -> &'static [T] {
    Box::leak(all.collect())
}
