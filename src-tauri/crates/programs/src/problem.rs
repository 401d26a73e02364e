//! Problems of a file, with what would be right.

use std::collections::BTreeSet;

use crate::grammar::placed;
use crate::mark::is_mark;
use crate::{CachesSection, EffectSection, ProgramClass, ProgramFile, WrapperSection, listed, option_takes};

/// Reason why a file about a program cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramFileError {
    /// Not TOML, or not of this format.
    #[error("{0}")]
    Format(String),
    /// Statements that cannot be right.
    #[error("{}", .0.iter().map(ProgramFileProblem::to_string).collect::<Vec<_>>().join("\n"))]
    Content(Vec<ProgramFileProblem>),
}

/// Statement that cannot be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramFileProblem {
    /// The file is about no program.
    #[error("`names` is empty: give at least one program")]
    NoName,
    /// A name that no program is looked up by.
    #[error("`{0}` is no name: write it in lower case, without folder and blanks, and once")]
    Name(String),
    /// A name that is not among `names`.
    #[error("`{key}` names `{name}`, which is not in `names`: add it there, or write `*` for all of them")]
    NotOwn { key: &'static str, name: String },
    /// Not an option.
    #[error("`{0}` in `options` is no option: write `-o`, `-o:` where it takes a value, `-o?` where it may")]
    Option(String),
    /// An option that is not in `options`.
    #[error("`{key}` names `{option}`, which `options` does not list")]
    NoSuchOption { key: &'static str, option: String },
    /// Not a pattern of arguments.
    #[error("`{0}` in `when` is no pattern: docs/PROGRAMS.md has the table of them")]
    Mark(String),
    /// An effect without patterns.
    #[error("an effect has an empty `when`: write `*` if the program has it whatever its arguments")]
    NoMark,
    /// The pattern `!` without commands.
    #[error("`!` in `when` means any command but those of `commands`, and there are none: list them")]
    NoCommands,
    /// A place that is not below the home folder.
    #[error("`{0}` in `caches.reads` is no place for a cache: write `~/` and a path without `..`")]
    Cache(String),
    /// A folder of the cache of a run that is no plain name.
    #[error("`{0}` in `caches.private` is no folder: write one name, such as `go-build`")]
    CacheFolder(String),
    /// An effect, wrapper, interpreter or cache without a source.
    #[error("`{0}` has no `source`: name the manual page or the documentation that says so")]
    NoSource(String),
    /// An unsafe argument that is one of some names, or only without other arguments.
    #[error(
        "`{0}` is unsafe: `unless` and `names` are for effects, an unsafe argument is one for every name"
    )]
    Narrowed(String),
    /// An effect that is none.
    #[error("`{0}` has an empty `does`: name at least one effect")]
    DoesNothing(String),
    /// An effect that a person cannot be told.
    #[error("`{0}` has no `says`: give the words for a person, such as `push commits`")]
    NoWords(String),
    /// An unsafe argument of a program whose arguments are read otherwise.
    #[error(
        "unsafe arguments are for programs of the kind `ordinary`, and for wrappers with `only` or `own`; this one's arguments are read otherwise"
    )]
    EffectOfKind,
    /// A section that does not go with the kind.
    #[error("`[{section}]` needs `kind = \"{kind}\"`")]
    Section {
        section: &'static str,
        /// The kind that it goes with.
        kind: &'static str,
    },
    /// A form of a command line that cannot match.
    #[error("`{0}` is no form: begin it with one of `names`; `*` may only be its last word")]
    Form(String),
    /// A person's own file that says more than it may.
    #[error(
        "a file of your own has only `names`, `style`, `options`, `words`, `[[effect]]` and `[examples]`: it adds effects, and takes none away"
    )]
    NotForOwn,
    /// A file that says nothing.
    #[error("nothing is said about the program: add an `[[effect]]`")]
    Nothing,
}

/// Returns everything that is wrong with a file.
pub(crate) fn problems(file: &ProgramFile) -> Vec<ProgramFileProblem> {
    let mut found = Vec::new();
    check_names(file, &mut found);
    check_options(file, &mut found);
    check_effects(file, &mut found);
    check_sections(file, &mut found);
    check_forms(file, &mut found);
    check_caches(file, &mut found);
    if *file
        == (ProgramFile {
            names: file.names.clone(),
            examples: file.examples.clone(),
            ..ProgramFile::default()
        })
    {
        found.push(ProgramFileProblem::Nothing);
    }
    found
}

fn check_names(file: &ProgramFile, found: &mut Vec<ProgramFileProblem>) {
    if file.names.is_empty() {
        found.push(ProgramFileProblem::NoName);
    }
    let mut seen = BTreeSet::new();
    for name in &file.names {
        let plain = !name.is_empty() && !name.contains(['/', ' ']) && name.to_lowercase() == *name;
        if !plain || !seen.insert(name) {
            found.push(ProgramFileProblem::Name(name.clone()));
        }
    }
    let some = [
        ("gnu", &file.gnu),
        ("input-is-data", &file.input_is_data),
        ("runs-others", &file.runs_others),
        ("glob-trap", &file.glob_trap),
        ("obeys-repository", &file.obeys_repository),
        ("reads.always", &file.reads.always),
        ("reads.anyway", &file.reads.anyway),
        ("reads.operands", &file.reads.operands),
    ];
    for (key, names) in some {
        let strangers =
            names.split_whitespace().filter(|name| *name != "*" && !file.names.iter().any(|own| own == name));
        found.extend(strangers.map(|name| ProgramFileProblem::NotOwn { key, name: name.to_owned() }));
    }
}

fn check_options(file: &ProgramFile, found: &mut Vec<ProgramFileProblem>) {
    let options = placed(file.options.as_deref().unwrap_or_default()).map(|(_, option)| option);
    let wrong = options
        .flat_map(listed)
        .filter(|(name, _)| !(name.len() > 1 && name.starts_with('-')) && *name != "+");
    found.extend(wrong.map(|(name, _)| ProgramFileProblem::Option(name.to_owned())));
}

fn check_effects(file: &ProgramFile, found: &mut Vec<ProgramFileProblem>) {
    let is_unsafe = |effect: &EffectSection| effect.unsafe_args().next().is_some();
    // A wrapper that runs only some commands has commands of its own.
    let has_own = |wrapper: &WrapperSection| !(wrapper.only.is_empty() && wrapper.own.is_empty());
    let takes_arguments = file.kind == ProgramClass::Ordinary || file.wrapper.as_ref().is_some_and(has_own);
    if !takes_arguments && (file.effects.iter().any(is_unsafe) || file.check.is_some()) {
        found.push(ProgramFileProblem::EffectOfKind);
    }
    for effect in &file.effects {
        if effect.when.trim().is_empty() {
            found.push(ProgramFileProblem::NoMark);
        }
        if is_unsafe(effect) && effect.source.trim().is_empty() {
            found.push(ProgramFileProblem::NoSource(effect.when.clone()));
        }
        if is_unsafe(effect) && !(effect.unless.is_empty() && effect.names.is_empty()) {
            found.push(ProgramFileProblem::Narrowed(effect.when.clone()));
        }
        if effect.does.0.is_empty() {
            found.push(ProgramFileProblem::DoesNothing(effect.when.clone()));
        }
        if effect.effect_kinds().any(crate::EffectKind::needs_words) && effect.says.trim().is_empty() {
            found.push(ProgramFileProblem::NoWords(effect.when.clone()));
        }
        let words = || effect.when.split_whitespace().chain(effect.unless.split_whitespace());
        if file.commands.is_none() && words().any(|mark| mark == "!") {
            found.push(ProgramFileProblem::NoCommands);
        }
        found.extend(
            words().filter(|mark| !is_mark(mark)).map(|mark| ProgramFileProblem::Mark(mark.to_owned())),
        );
        let strangers =
            effect.names.split_whitespace().filter(|name| !file.names.iter().any(|own| own == name));
        found.extend(
            strangers.map(|name| ProgramFileProblem::NotOwn { key: "effect.names", name: name.to_owned() }),
        );
    }
}

fn check_sections(file: &ProgramFile, found: &mut Vec<ProgramFileProblem>) {
    if let Some(wrapper) = &file.wrapper {
        if !matches!(file.kind, ProgramClass::Wrapper | ProgramClass::Multicall) {
            found.push(ProgramFileProblem::Section { section: "wrapper", kind: "wrapper" });
        }
        if wrapper.source.trim().is_empty() {
            found.push(ProgramFileProblem::NoSource("[wrapper]".to_owned()));
        }
        let WrapperSection { elsewhere, writes, folder, .. } = wrapper;
        let options = file.options_anywhere();
        for (key, names) in [("elsewhere", elsewhere), ("writes", writes), ("folder", folder)] {
            let unknown = names.split_whitespace().filter(|name| option_takes(&options, name).is_none());
            found.extend(
                unknown.map(|option| ProgramFileProblem::NoSuchOption { key, option: option.to_owned() }),
            );
        }
    }
    if let Some(interpreter) = &file.interpreter {
        if file.kind != ProgramClass::Interpreter {
            found.push(ProgramFileProblem::Section { section: "interpreter", kind: "interpreter" });
        }
        if interpreter.source.trim().is_empty() {
            found.push(ProgramFileProblem::NoSource("[interpreter]".to_owned()));
        }
    }
}

fn check_caches(file: &ProgramFile, found: &mut Vec<ProgramFileProblem>) {
    let Some(CachesSection { reads, private, offline, source, .. }) = &file.caches else { return };
    let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['*', '?', '[', '\0']);
    let below_home = |place: &str| place.strip_prefix("~/").is_some_and(|rest| rest.split('/').all(plain));
    found.extend(
        reads.iter().filter(|place| !below_home(place)).map(|place| ProgramFileProblem::Cache(place.clone())),
    );
    let is_name = |folder: &str| plain(folder) && !folder.contains('/');
    let folders = private.values().filter(|folder| !is_name(folder));
    found.extend(folders.map(|folder| ProgramFileProblem::CacheFolder(folder.clone())));
    let names_something = !(reads.is_empty() && private.is_empty() && offline.is_empty());
    if names_something && source.trim().is_empty() {
        found.push(ProgramFileProblem::NoSource("[caches]".to_owned()));
    }
}

fn check_forms(file: &ProgramFile, found: &mut Vec<ProgramFileProblem>) {
    for form in &file.reads.forms {
        let mut parts = form.split(' ');
        let own =
            parts.next().unwrap_or_default().split('|').all(|name| file.names.iter().any(|own| own == name));
        let rest: Vec<&str> = parts.collect();
        let star = rest.iter().position(|part| *part == "*");
        if !own || rest.contains(&"") || star.is_some_and(|at| at + 1 < rest.len()) {
            found.push(ProgramFileProblem::Form(form.clone()));
        }
    }
}
