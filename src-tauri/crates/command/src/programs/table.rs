//! Tables of knowledge about programs, made by the build from the files in `programs/`.

use std::sync::LazyLock;

use foldhash::HashMap;
use postern_programs::{
    Alone, ArgEffect, ArgumentCheck, EffectKind, EffectScope, InstallPlace, Of, Operand, Power, ProgramClass,
    ReadCheck, Reversible, Style,
};

/// Knowledge about a program, or about a family of programs. The fields are those of
/// [`postern_programs::ProgramFile`].
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) names: &'static [&'static str],
    pub(crate) class: ProgramClass,
    pub(crate) style: Style,
    /// Options before the command; `None` if nothing is known about them apart from others.
    pub(crate) before: Option<&'static str>,
    /// Options anywhere. An option that is not listed counts as taking nothing: too much is then looked at,
    /// never too little.
    pub(crate) behind: &'static str,
    /// Options of some commands only (names, separated by blanks).
    pub(crate) of_commands: &'static [(&'static str, &'static str)],
    pub(crate) strict: bool,
    pub(crate) mild: bool,
    pub(crate) dash_prints: bool,
    pub(crate) check: Option<ArgumentCheck>,
    pub(crate) words: &'static [(&'static str, usize)],
    /// Commands, if any other may be an alias or a plugin.
    pub(crate) own_commands: Option<&'static [&'static str]>,
    pub(crate) redefinable: &'static [&'static str],
    pub(crate) aliases: &'static [(&'static str, &'static str)],
    pub(crate) completes: &'static [&'static str],
    pub(crate) nouns: &'static [(&'static str, &'static str)],
    pub(crate) obeys_input: &'static [&'static str],
    pub(crate) reads: Reads,
    pub(crate) unsafe_args: &'static [UnsafeArgs],
    pub(crate) effects: &'static [TableEffect],
    pub(crate) wrapper: Option<Wrapper>,
    pub(crate) interpreter: Option<Interpreter>,
    pub(crate) caches: Option<Caches>,
}

/// Files of a program that a confined run of it needs, and settings that keep such a run from the network and from shared caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caches {
    pub name: &'static str,
    /// Places that it reads, relative to the home folder.
    pub reads: &'static [&'static str],
    /// Variables, and the folder that each names below a cache of the run's own.
    pub private: &'static [(&'static str, &'static str)],
    /// Variables for a run without network.
    pub offline: &'static [(&'static str, &'static str)],
    /// Other programs with caches that it starts, or whose caches it uses.
    pub with: &'static [&'static str],
    /// True if it starts whatever a project names.
    pub all: bool,
    /// Documentation that names them.
    pub source: &'static str,
}

/// Arguments by which a program does more than its ordinary work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnsafeArgs {
    /// Patterns of arguments, separated by blanks (`postern_programs` explains them).
    pub(crate) when: &'static str,
    pub(crate) does: ArgEffect,
    pub(crate) source: &'static str,
}

/// An effect of a command. The fields are those of [`postern_programs::EffectSection`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct TableEffect {
    /// Names of the program that have it; empty for all.
    pub(crate) names: &'static [&'static str],
    pub(crate) when: &'static str,
    pub(crate) unless: &'static str,
    pub(crate) does: EffectKind,
    pub(crate) says: &'static str,
    pub(crate) of: Of,
    /// Options whose values name what it writes, separated by blanks.
    pub(crate) out: &'static str,
    pub(crate) inner: Option<u8>,
    pub(crate) place: InstallPlace,
    /// Reach; `None` is that of its paths.
    pub(crate) scope: Option<EffectScope>,
    pub(crate) reversible: Reversible,
    pub(crate) source: &'static str,
}

/// Commands of a program that only read.
#[derive(Debug)]
pub(crate) struct Reads {
    pub(crate) commands: &'static [&'static str],
    pub(crate) forms: &'static [&'static str],
    pub(crate) asks: &'static [&'static str],
    pub(crate) check: Option<ReadCheck>,
}

/// Way in which a wrapper starts the command that it runs.
///
/// An option that is not listed makes it unparsed: so options that run something by themselves, set the
/// environment or replace the program's name are kept out.
#[derive(Debug)]
pub(crate) struct Wrapper {
    /// The first name of the program.
    pub(crate) name: &'static str,
    pub(crate) options: &'static str,
    pub(crate) power: Power,
    pub(crate) operands: &'static [Operand],
    pub(crate) assignments: bool,
    pub(crate) asks: &'static str,
    pub(crate) elsewhere: &'static str,
    pub(crate) writes: &'static str,
    pub(crate) folder: &'static str,
    pub(crate) only: &'static str,
    pub(crate) own: &'static str,
    pub(crate) alone: Alone,
    pub(crate) source: &'static str,
}

/// Way in which an interpreter is given its code.
#[derive(Debug)]
pub(crate) struct Interpreter {
    pub(crate) code: &'static str,
    pub(crate) named: &'static str,
    pub(crate) asks: &'static str,
    pub(crate) script: &'static str,
    pub(crate) source: &'static str,
}

/// Name of a program, with what holds of this name only.
#[derive(Debug)]
pub(crate) struct Name {
    /// The name itself.
    pub(crate) word: &'static str,
    pub(crate) program: &'static Program,
    traits: u8,
}

/// A fact about one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Trait {
    /// Installed with a leading `g` too.
    Gnu = 1,
    /// Takes its input for data, or ignores it.
    InputIsData = 2,
    /// Runs commands that stand in its arguments.
    RunsOthers = 4,
    /// A file whose name begins with a dash is a well known trap for it.
    GlobTrap = 8,
    /// Reads with any arguments that have no effect.
    ReadsAlways = 16,
    /// Reads, also if arguments are known only at run time.
    ReadsAnyway = 32,
    /// An argument known only at run time is one more operand that it reads.
    ReadsOperands = 64,
    /// Obeys what lies in a repository, or starts git.
    ObeysRepository = 128,
}

impl Program {
    /// A program of which nothing is known but how options are mostly spelled.
    pub(crate) const UNKNOWN: Self = Self {
        names: &[],
        class: ProgramClass::Ordinary,
        style: Style::Getopt,
        before: None,
        behind: "",
        of_commands: &[],
        strict: false,
        mild: false,
        dash_prints: false,
        check: None,
        words: &[],
        own_commands: None,
        redefinable: &[],
        aliases: &[],
        completes: &[],
        nouns: &[],
        obeys_input: &[],
        reads: Reads { commands: &[], forms: &[], asks: &[], check: None },
        unsafe_args: &[],
        effects: &[],
        wrapper: None,
        interpreter: None,
        caches: None,
    };
}

impl Program {
    /// Returns true unless the word may be an alias or a plugin of the program: all its own commands are then known.
    pub(crate) fn has_own(&self, word: &str) -> bool {
        self.own_commands.is_none_or(|own| own.contains(&word))
    }

    /// Returns true if an option of this very name makes an argument unsafe.
    pub(crate) fn has_effect_of(&self, option: &str) -> bool {
        let is_it = |mark: &str| {
            mark.rsplit(':').next().unwrap_or(mark).trim_start_matches('@').trim_end_matches('/') == option
        };
        self.unsafe_args.iter().any(|unsafe_args| unsafe_args.when.split(' ').any(is_it))
    }
}

impl Name {
    /// Returns true if this holds of the name.
    pub(crate) fn has_trait(&self, one: Trait) -> bool {
        self.traits & one as u8 != 0
    }

    /// Returns the program, if its arguments can be unsafe.
    pub(crate) fn with_unsafe_args(&self) -> Option<&'static Program> {
        Some(self.program).filter(|program| !program.unsafe_args.is_empty())
    }
}

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// The names, by themselves: every word of a text that was not understood is looked up.
static BY_NAME: LazyLock<HashMap<&str, &Name>> =
    LazyLock::new(|| NAMES.iter().map(|name| (name.word, name)).collect());

/// Returns what is known about a name, as [`super::family`] gives it.
pub(crate) fn find_name(name: &str) -> Option<&'static Name> {
    BY_NAME.get(name).copied()
}

pub(crate) fn program(name: &str) -> Option<&'static Program> {
    find_name(name).map(|name| name.program)
}
