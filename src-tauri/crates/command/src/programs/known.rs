//! Knowledge about programs, to be shown.

use postern_programs::{ArgumentCheck, Does, ProgramClass, ReadCheck, listed};
use serde::Serialize;
use std::collections::BTreeSet;

use super::table::{PROGRAMS, Program, Trait};
use super::{family_of, own, table, unsafe_args};

/// Everything that is known about a program.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownProgram {
    /// The program and those that are used alike.
    pub names: Vec<&'static str>,
    /// True for what a person added.
    pub own: bool,
    pub kind: ProgramClass,
    pub options_before: Option<&'static str>,
    /// Options behind its command, or anywhere.
    pub options: &'static str,
    /// Numbers of words that name the action, by the word after the program.
    pub words: Vec<(&'static str, usize)>,
    /// Other names of its commands.
    pub aliases: Vec<(&'static str, &'static str)>,
    /// Commands that only read.
    pub reads: KnownReads,
    /// Unsafe arguments, then effects.
    pub effects: Vec<KnownEffect>,
    /// The check in code of its arguments.
    pub check: Option<ArgumentCheck>,
    /// Places below the home folder that a confined run of it reads.
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    pub caches: &'static [&'static str],
    /// Source of the options of a wrapper or an interpreter.
    pub source: Option<&'static str>,
}

/// Commands of a program that only read.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownReads {
    /// True if it reads with any arguments that have no effect.
    pub always: bool,
    pub commands: &'static [&'static str],
    /// Whole command lines that read.
    pub forms: &'static [&'static str],
    /// The check in code of what reads.
    pub check: Option<ReadCheck>,
}

/// An effect of a program.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownEffect {
    /// Patterns of arguments.
    pub when: &'static str,
    /// Patterns of arguments with which it has no such effect.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub unless: &'static str,
    pub does: Does,
    /// Words for a person.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub says: &'static str,
    pub source: &'static str,
}

/// Returns what is known about a program: what is built in, and what a person added.
pub fn known_program(name: &str) -> Vec<KnownProgram> {
    let family = family_of(name);
    let built_in = table::find_name(&family).map(|known| {
        let always = known.has_trait(Trait::ReadsAlways) || known.has_trait(Trait::ReadsAnyway);
        known_of(known.program, always, false)
    });
    let own = own::find_own(&family).map(|program| known_of(program, false, true));
    built_in.into_iter().chain(own).collect()
}

/// Returns every program that something is known about.
pub fn known_programs() -> Vec<KnownProgram> {
    let built_in = PROGRAMS.iter().map(|program| known_of(program, false, false));
    built_in.chain(own::all_own().into_iter().map(|program| known_of(program, false, true))).collect()
}

fn known_of(program: &'static Program, always: bool, own: bool) -> KnownProgram {
    let wrapper = program.wrapper.as_ref().map(|wrapper| wrapper.source);
    let unsafe_args = program.unsafe_args.iter().map(|one| KnownEffect {
        when: one.when,
        unless: "",
        does: Does::Unsafe(one.does),
        says: "",
        source: one.source,
    });
    let effects = program.effects.iter().map(|effect| KnownEffect {
        when: effect.when,
        unless: effect.unless,
        does: Does::Has(effect.does),
        says: effect.says,
        source: effect.source,
    });
    let reads = &program.reads;
    KnownProgram {
        names: program.names.to_vec(),
        own,
        kind: program.class,
        options_before: program.before,
        options: program.behind,
        words: program.words.to_vec(),
        aliases: program.aliases.to_vec(),
        reads: KnownReads { always, commands: reads.commands, forms: reads.forms, check: reads.check },
        effects: unsafe_args.chain(effects).collect(),
        check: program.check,
        caches: program.caches.as_ref().map_or(&[], |caches| caches.reads),
        source: wrapper.or_else(|| program.interpreter.as_ref().map(|interpreter| interpreter.source)),
    }
}

/// Returns the options and commands that are known of a program, each once: those that do more than its ordinary work among them.
pub fn known_arguments(name: &str) -> BTreeSet<String> {
    let family = family_of(name);
    let known = [table::program(&family), own::find_own(&family)];
    known.into_iter().flatten().flat_map(arguments_of).map(str::to_owned).collect()
}

fn arguments_of(program: &'static Program) -> impl Iterator<Item = &'static str> {
    let interpreter = program.interpreter.as_ref().map_or(["", ""], |one| [one.code, one.named]);
    let options = [program.before.unwrap_or_default(), program.behind].into_iter().chain(interpreter);
    let options = options.chain(program.wrapper.as_ref().map(|wrapper| wrapper.options));
    let options = options.flat_map(|grammar| listed(grammar).map(|(option, _)| option));
    let marks =
        program.unsafe_args.iter().map(|one| one.when).chain(program.effects.iter().map(|one| one.when));
    let marks = marks.flat_map(|when| when.split_whitespace()).filter_map(unsafe_args::mark_label);
    let is_plain = |word: &&str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    options.map(|option| option.trim_start_matches('@')).chain(marks).filter(is_plain)
}
