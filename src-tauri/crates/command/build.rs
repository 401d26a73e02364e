//! Turns the files of `programs/` into static tables, so that nothing is read or parsed when Postern runs.
#![expect(clippy::disallowed_methods, reason = "a build reads the files; the crate itself is pure")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::{Debug, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use postern_programs::{
    ArgumentCheck, CachesSection, EffectSection, InterpreterSection, ProgramFile, ReadsSection, Style,
    WrapperSection,
};

type ProgramFiles = BTreeMap<String, ProgramFile>;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("programs");
    println!("cargo::rerun-if-changed=programs");
    let files = read_files(&folder)?;
    let mut code = String::new();
    let mut names = BTreeMap::new();
    for (at, (stem, file)) in files.iter().enumerate() {
        let base = find_base(file, &files).map_err(|error| format!("programs/{stem}.toml: {error}"))?;
        let whole = base.map_or_else(|| file.clone(), |base| file.with_base(base));
        writeln!(code, "static PROGRAM_{at}: Program = {};", program(&whole)?)?;
        for name in &file.names {
            if let Some((other, _)) = names.insert(name, (stem, name_code(file, name, at))) {
                return Err(format!("programs/{stem}.toml: `{name}` also is in {other}.toml").into());
            }
        }
    }
    let all: Vec<String> = names.into_values().map(|(_, code)| code).collect();
    writeln!(code, "/// Every name, in order.\npub(crate) static NAMES: &[Name] = &[{}];", all.join(", "))?;
    let all: Vec<String> = (0..files.len()).map(|at| format!("&PROGRAM_{at}")).collect();
    writeln!(code, "/// Every program.\npub(crate) static PROGRAMS: &[&Program] = &[{}];", all.join(", "))?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("programs.rs"), code)?;
    Ok(())
}

/// Reads every file, by its name without `.toml`.
fn read_files(folder: &Path) -> Result<ProgramFiles, Box<dyn Error>> {
    let mut files = ProgramFiles::new();
    for entry in fs::read_dir(folder)? {
        let path: PathBuf = entry?.path();
        let Some(stem) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".toml")) else {
            continue;
        };
        let file = ProgramFile::parse(&fs::read_to_string(&path)?)
            .map_err(|error| format!("programs/{stem}.toml: {error}"))?;
        files.insert(stem.to_owned(), file);
    }
    Ok(files)
}

/// Returns the file that a file is like.
fn find_base<'a>(file: &'a ProgramFile, files: &'a ProgramFiles) -> Result<Option<&'a ProgramFile>, String> {
    let Some(like) = &file.like else { return Ok(None) };
    let found = files.values().find(|other| other.names.contains(like) && other.like.is_none());
    found.map(Some).ok_or_else(|| format!("`like` names `{like}`, of which no file is that is like no other"))
}

/// Returns the code of a program.
fn program(file: &ProgramFile) -> Result<String, Box<dyn Error>> {
    let commands = file.commands.as_deref().unwrap_or_default();
    let check = file.check.filter(|check| *check != ArgumentCheck::None);
    let mut code = String::from("Program { ");
    let mut field = |name: &str, value: String| write!(code, "{name}: {value}, ");
    field("names", list_code(&file.names))?;
    field("class", format!("ProgramClass::{:?}", file.kind))?;
    field("style", format!("Style::{:?}", file.style.unwrap_or(Style::Getopt)))?;
    field("before", debug_code(file.options_before()))?;
    field("behind", debug_code(file.options_anywhere()))?;
    field("of_commands", pairs_code(file.options_of_commands()))?;
    field("strict", debug_code(file.strict.unwrap_or_default()))?;
    field("mild", debug_code(file.mild.unwrap_or_default()))?;
    field("dash_prints", debug_code(file.dash_prints.unwrap_or_default()))?;
    field("check", check.map_or("None".to_owned(), |check| format!("Some(ArgumentCheck::{check:?})")))?;
    field("words", pairs_code(&file.words))?;
    field(
        "own_commands",
        if file.extended {
            format!("Some({})", list_code(&split_words(commands)))
        } else {
            "None".to_owned()
        },
    )?;
    field("redefinable", list_code(&split_words(&file.redefinable)))?;
    field("aliases", pairs_code(&file.aliases))?;
    field("completes", list_code(&split_words(&file.completes)))?;
    field("nouns", pairs_code(&file.nouns))?;
    field("obeys_input", list_code(&split_words(&file.obeys_input)))?;
    field("reads", reads_code(&file.reads))?;
    field("unsafe_args", unsafe_args(&file.effects, commands)?)?;
    field("effects", effects(&file.effects, commands)?)?;
    field("wrapper", wrapper(file))?;
    field("interpreter", file.interpreter.as_ref().map_or("None".to_owned(), interpreter))?;
    field("caches", file.caches.as_ref().map_or("None".to_owned(), |all| caches(&file.names[0], all)))?;
    code.push('}');
    Ok(code)
}

fn reads_code(reads: &ReadsSection) -> String {
    let ReadsSection { commands, forms, asks, check, .. } = reads;
    let check = check.map_or("None".to_owned(), |check| format!("Some(ReadCheck::{check:?})"));
    let (commands, forms, asks) =
        (list_code(&split_words(commands)), list_code(forms), list_code(&split_words(asks)));
    format!("Reads {{ commands: {commands}, forms: {forms}, asks: {asks}, check: {check} }}")
}

fn unsafe_args(all: &[EffectSection], commands: &str) -> Result<String, Box<dyn Error>> {
    let mut code = String::from("&[");
    for effect in all {
        for does in effect.unsafe_args() {
            let (when, source) = (effect.when_patterns(commands), &effect.source);
            write!(code, "UnsafeArgs {{ when: {when:?}, does: ArgEffect::{does:?}, source: {source:?} }}, ")?;
        }
    }
    code.push(']');
    Ok(code)
}

fn effects(all: &[EffectSection], commands: &str) -> Result<String, Box<dyn Error>> {
    let mut code = String::from("&[");
    for effect in all {
        for does in effect.effect_kinds() {
            let (when, place) = (effect.when_patterns(commands), effect.install_place());
            let EffectSection { unless, says, of, out, inner, source, .. } = effect;
            let usual = does.usual_reach(place);
            let scope =
                effect.scope.or(usual.0).map_or("None".to_owned(), |at| format!("Some(EffectScope::{at:?})"));
            let reversible = effect.reversible.unwrap_or(usual.1);
            write!(
                code,
                "TableEffect {{ names: {}, when: {when:?}, unless: {unless:?}, does: EffectKind::{does:?}, says: {says:?}, \
                 of: Of::{of:?}, out: {out:?}, inner: {inner:?}, place: InstallPlace::{place:?}, scope: {scope}, reversible: Reversible::{reversible:?}, \
                 source: {source:?} }}, ",
                list_code(&split_words(&effect.names))
            )?;
        }
    }
    code.push(']');
    Ok(code)
}

fn wrapper(file: &ProgramFile) -> String {
    let Some(wrapper) = &file.wrapper else { return "None".to_owned() };
    let (name, options) = (&file.names[0], file.options_anywhere());
    let WrapperSection {
        power,
        operands,
        assignments,
        asks,
        elsewhere,
        writes,
        folder,
        only,
        own,
        alone,
        source,
    } = wrapper;
    let operands: Vec<String> = operands.iter().map(|operand| format!("Operand::{operand:?}")).collect();
    format!(
        "Some(Wrapper {{ name: {name:?}, options: {options:?}, power: Power::{power:?}, operands: &[{}], assignments: {assignments}, asks: {asks:?}, \
         elsewhere: {elsewhere:?}, writes: {writes:?}, folder: {folder:?}, only: {only:?}, own: {own:?}, alone: Alone::{alone:?}, source: {source:?} }})",
        operands.join(", ")
    )
}

fn interpreter(interpreter: &InterpreterSection) -> String {
    let InterpreterSection { code, named, asks, script, source } = interpreter;
    format!(
        "Some(Interpreter {{ code: {code:?}, named: {named:?}, asks: {asks:?}, script: {script:?}, source: {source:?} }})"
    )
}

fn caches(name: &str, caches: &CachesSection) -> String {
    let CachesSection { reads, private, offline, with, all, source } = caches;
    let reads: Vec<&str> = reads.iter().map(|place| place.trim_start_matches("~/")).collect();
    format!(
        "Some(Caches {{ name: {name:?}, reads: {}, private: {}, offline: {}, with: {}, all: {all}, source: {source:?} }})",
        list_code(&reads),
        pairs_code(private),
        pairs_code(offline),
        list_code(&split_words(with))
    )
}

/// Returns the code of one name of a program, with what holds of this name.
fn name_code(file: &ProgramFile, name: &str, at: usize) -> String {
    let some = [
        ("Gnu", &file.gnu),
        ("InputIsData", &file.input_is_data),
        ("RunsOthers", &file.runs_others),
        ("GlobTrap", &file.glob_trap),
        ("ObeysRepository", &file.obeys_repository),
        ("ReadsAlways", &file.reads.always),
        ("ReadsAnyway", &file.reads.anyway),
        ("ReadsOperands", &file.reads.operands),
    ];
    let holds =
        some.iter().filter(|(_, names)| names.split_whitespace().any(|own| own == "*" || own == name));
    let traits: BTreeSet<String> = holds.map(|(one, _)| format!("Trait::{one} as u8")).collect();
    let traits =
        if traits.is_empty() { "0".to_owned() } else { traits.into_iter().collect::<Vec<_>>().join(" | ") };
    format!("Name {{ word: {name:?}, program: &PROGRAM_{at}, traits: {traits} }}")
}

fn split_words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn list_code(all: &[impl Debug]) -> String {
    format!("&{all:?}")
}

fn pairs_code(all: impl IntoIterator<Item = (impl Debug, impl Debug)>) -> String {
    format!("&{:?}", all.into_iter().collect::<Vec<_>>())
}

fn debug_code(value: impl Debug) -> String {
    format!("{value:?}")
}
