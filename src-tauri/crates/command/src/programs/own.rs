//! Programs that people described in files of their own: they add effects, and take none away.

use parking_lot::RwLock;
use std::sync::Arc;

use foldhash::HashMap;
use postern_programs::{ProgramFile, Style};

use super::table::{Program, TableEffect, UnsafeArgs};

/// The programs of the files that were set last. The host sets them; everything else only looks.
static OWN: RwLock<Option<Arc<DescribedPrograms>>> = RwLock::new(None);

#[derive(Debug)]
struct DescribedPrograms {
    files: Vec<ProgramFile>,
    by_name: HashMap<&'static str, &'static Program>,
}

/// Takes these files for people's own, in place of those before. Returns true if they differ from those.
///
/// What a file says is kept until the process ends: files change seldom and are small.
pub fn set_own_programs(files: Vec<ProgramFile>) -> bool {
    let mut own = OWN.write();
    if own.as_ref().map_or(files.is_empty(), |own| own.files == files) {
        return false;
    }
    let programs = files.iter().map(compile);
    let by_name =
        programs.flat_map(|program| program.names.iter().map(move |name| (*name, program))).collect();
    *own = (!files.is_empty()).then(|| Arc::new(DescribedPrograms { files, by_name }));
    true
}

/// Returns what a person said about a program.
pub(crate) fn find_own(name: &str) -> Option<&'static Program> {
    let own = OWN.read();
    own.as_ref()?.by_name.get(name).copied()
}

/// Returns every program that a person described.
pub(super) fn all_own() -> Vec<&'static Program> {
    let own = OWN.read();
    let mut all: Vec<_> = own.iter().flat_map(|own| own.by_name.values().copied()).collect();
    all.sort_by_key(|program| program.names);
    all.dedup_by_key(|program| program.names);
    all
}

/// Returns a file as the tables hold a program: its options, its words and its effects.
pub(crate) fn compile(file: &ProgramFile) -> &'static Program {
    let of_commands = file.options_of_commands();
    let of_commands = of_commands.iter().map(|(commands, options)| (leak_text(commands), leak_text(options)));
    let anywhere = file.options_anywhere();
    Box::leak(Box::new(Program {
        names: leak_list(file.names.iter().map(|name| leak_text(name))),
        style: file.style.unwrap_or(Style::Getopt),
        before: Some(leak_text(&file.options_before().unwrap_or_else(|| anywhere.clone()))),
        behind: leak_text(&anywhere),
        of_commands: leak_list(of_commands),
        words: leak_list(file.words.iter().map(|(word, words)| (leak_text(word), usize::from(*words)))),
        unsafe_args: leak_list(file.effects.iter().flat_map(|effect| unsafe_args(file, effect))),
        effects: leak_list(file.effects.iter().flat_map(|effect| effects(file, effect))),
        ..Program::UNKNOWN
    }))
}

fn when_patterns(file: &ProgramFile, effect: &postern_programs::EffectSection) -> &'static str {
    leak_text(&effect.when_patterns(file.commands.as_deref().unwrap_or_default()))
}

fn unsafe_args(file: &ProgramFile, effect: &postern_programs::EffectSection) -> Vec<UnsafeArgs> {
    let (when, source) = (when_patterns(file, effect), leak_text(&effect.source));
    effect.unsafe_args().map(|does| UnsafeArgs { when, does, source }).collect()
}

fn effects(file: &ProgramFile, effect: &postern_programs::EffectSection) -> Vec<TableEffect> {
    let of_kind = |does: postern_programs::EffectKind| {
        let (scope, reversible) = does.usual_reach(effect.install_place());
        TableEffect {
            names: leak_list(effect.names.split_whitespace().map(leak_text)),
            when: when_patterns(file, effect),
            unless: leak_text(&effect.unless),
            does,
            says: leak_text(&effect.says),
            of: effect.of,
            out: leak_text(&effect.out),
            inner: effect.inner,
            place: effect.install_place(),
            scope: effect.scope.or(scope),
            reversible: effect.reversible.unwrap_or(reversible),
            source: leak_text(&effect.source),
        }
    };
    effect.effect_kinds().map(of_kind).collect()
}

fn leak_text(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn leak_list<T>(all: impl Iterator<Item = T>) -> &'static [T] {
    Box::leak(all.collect())
}
