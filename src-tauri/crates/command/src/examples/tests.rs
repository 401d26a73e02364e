//! Tests of the built-in files as a whole, and of files that are added at run time.
#![expect(clippy::disallowed_methods, reason = "these tests read the files; the crate itself is pure")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use postern_programs::{ArgEffect, Does, EffectKind, Example, ProgramFile};
use serde::Deserialize;

use super::{ExampleProblem, check_examples, shown_examples, shows_unsafe};
use crate::effect::has_effect;
use crate::programs::own;
use crate::programs::table::{PROGRAMS, TableEffect};
use crate::programs::{ProgramClass, class_of, command_length, family, set_own_programs};
use crate::{Dialect, ParsedCommand, read_shell};

/// Returns the built-in files, by their names.
fn files() -> &'static [(String, ProgramFile)] {
    static FILES: OnceLock<Vec<(String, ProgramFile)>> = OnceLock::new();
    FILES.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut all: Vec<(String, ProgramFile)> = entries
            .map(|path| {
                (path.display().to_string(), ProgramFile::parse(&fs::read_to_string(path).unwrap()).unwrap())
            })
            .collect();
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    })
}

/// Returns the readings of all examples that show more than ordinary work, and of our own cases of wrappers.
fn readings() -> &'static [ParsedCommand] {
    static READINGS: OnceLock<Vec<ParsedCommand>> = OnceLock::new();
    READINGS.get_or_init(|| {
        let examples = files().iter().flat_map(|(_, file)| &file.examples);
        let more = examples.filter(|(_, shows)| shows.0 != [Example::None]);
        more.map(|(line, _)| read_shell(line, Dialect::Bash)).chain(cases()).collect()
    })
}

#[derive(Deserialize)]
struct Case {
    shell: Option<String>,
    expect: serde_json::Value,
}

/// Returns the readings of our own cases that must not be allowed.
fn cases() -> Vec<ParsedCommand> {
    let texts = [
        include_str!("../../../../../tests/fixtures/cases/argument.jsonl"),
        include_str!("../../../../../tests/fixtures/cases/wrapper.jsonl"),
    ];
    let cases =
        texts.iter().flat_map(|text| text.lines()).map(|line| serde_json::from_str::<Case>(line).unwrap());
    let asked = cases.filter(|case| case.expect != "allow");
    asked.filter_map(|case| Some(read_shell(&case.shell?, Dialect::Bash))).collect()
}

#[test]
fn every_example_shows_what_its_file_says() {
    let mut wrong = Vec::new();
    for (file, content) in files() {
        for (line, wanted) in &content.examples {
            let got = shown_examples(&read_shell(line, Dialect::Bash));
            if !wanted.0.iter().all(|wanted| got.contains(wanted)) {
                wrong.push(format!("{file}: `{line}` shows {got:?}, and not {:?}", wanted.0));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files that are alike share their unsafe arguments: an example of one of them shows them all.
#[test]
fn every_unsafe_argument_has_an_example() {
    let steps: Vec<_> = readings().iter().flat_map(|reading| &reading.steps).collect();
    let mut shown = BTreeSet::new();
    let mut all = BTreeSet::new();
    for program in PROGRAMS {
        for one in program.unsafe_args {
            let key = (one.when, one.source);
            all.insert(key);
            if !shown.contains(&key) && steps.iter().any(|step| shows_unsafe(step, program, one)) {
                shown.insert(key);
            }
        }
    }
    let missing: Vec<_> = all.difference(&shown).collect();
    assert!(missing.is_empty(), "no example of {missing:?}");
}

#[test]
fn every_effect_has_an_example_in_its_file() {
    let mut missing = Vec::new();
    for (path, file) in files() {
        let program = own::compile(file);
        let lines = file.examples.keys();
        let steps: Vec<_> = lines.flat_map(|line| read_shell(line, Dialect::Bash).steps).collect();
        let is_shown = |effect: &TableEffect| steps.iter().any(|step| has_effect(step, program, effect));
        missing.extend(
            program.effects.iter().filter(|effect| !is_shown(effect)).map(|effect| (path, effect.when)),
        );
    }
    assert!(missing.is_empty(), "no example of {missing:#?}");
}

#[test]
fn a_file_of_a_family_is_right_with_its_relatives() {
    let all: Vec<ProgramFile> = files().iter().map(|(_, file)| file.clone()).collect();
    for name in ["docker", "podman", "npm", "mkdir", "touch", "cat", "poetry", "pdm"] {
        let file = all.iter().find(|file| file.names[0] == name).unwrap().clone();
        let (file, relatives) = file.with_relatives(&all);
        let problems = check_examples(&file, &relatives);
        assert!(problems.is_empty(), "{name}: {problems:?}");
    }
}

#[test]
fn every_wrapper_and_interpreter_has_an_example_that_must_not_be_allowed() {
    let steps = || readings().iter().flat_map(|reading| &reading.steps);
    let wrappers = steps().flat_map(|step| &step.via).filter_map(|via| via.argv.first()?.value.clone());
    let programs = steps().filter_map(|step| step.program().map(str::to_owned));
    let tried: BTreeSet<String> = wrappers.chain(programs).map(|name| family(&name)).collect();
    let carriers =
        PROGRAMS.iter().filter(|program| program.wrapper.is_some() || program.interpreter.is_some());
    let names = carriers.map(|program| program.names);
    let missing: Vec<_> = names.filter(|names| !names.iter().any(|name| tried.contains(*name))).collect();
    assert!(missing.is_empty(), "no example of {missing:?}");
}

#[test]
fn every_name_is_the_one_that_a_program_is_looked_up_by() {
    let names =
        || PROGRAMS.iter().flat_map(|program| program.names.iter().map(move |name| (*name, program.class)));
    let wrong: Vec<_> =
        names().filter(|(name, class)| family(name) != *name || class_of(name) != *class).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_file_is_named_for_one_of_its_programs_or_its_theme() {
    let themes = [
        "cloud-services", "effects-only", "small-tools", "shells", "wrappers-not-followed",
        "interpreters-not-followed",
    ];
    for (path, file) in files() {
        let stem = path.rsplit('/').next().unwrap().strip_suffix(".toml").unwrap();
        assert!(themes.contains(&stem) || file.names[0] == stem, "{path} begins with {}", file.names[0]);
    }
}

#[test]
fn a_program_that_a_person_adds_is_judged_and_a_known_one_only_gains() {
    let own = |text: &str| ProgramFile::parse(text).unwrap();
    let shipit = own(r#"
        names = ["shipit", "wc"]
        options = "-e: --env:"
        words = { deploy = 3 }
        [[effect]]
        when = "deploy --everywhere"
        does = "sends"
        source = "shipit(1)"
        [examples]
        "shipit -e prod deploy" = "sends"
        "shipit --everywhere" = "none"
        "shipit status" = "none"
    "#);
    // An unsafe argument is an effect of its own.
    let effects = |line: &str| {
        let all = shown_examples(&read_shell(line, Dialect::Bash));
        all.into_iter().filter(|one| !matches!(one, Example::Effect(Does::Has(_)))).collect::<Vec<_>>()
    };
    let is_unsafe = |effect: ArgEffect| Example::Effect(Does::Unsafe(effect));
    assert_eq!(effects("shipit deploy"), [Example::None], "nothing is known of it");
    assert!(set_own_programs(vec![shipit.clone()]), "that is new");
    assert!(!set_own_programs(vec![shipit.clone()]), "that is no change");
    assert_eq!(effects("shipit deploy"), [is_unsafe(ArgEffect::Sends)]);
    assert_eq!(effects("shipit -e deploy status"), [Example::None], "a value is no command");
    assert_eq!(command_length(&["shipit", "deploy", "web"]), 3);
    assert_eq!(
        effects("wc --everywhere --files0-from x"),
        [ArgEffect::Sends, ArgEffect::Reads].map(is_unsafe)
    );
    assert_eq!(class_of("shipit"), ProgramClass::Ordinary);
    let problems = check_examples(&shipit, &[]);
    let wanted = vec![Example::None];
    let got = vec![is_unsafe(ArgEffect::Sends), Example::Effect(Does::Has(EffectKind::Send))];
    assert_eq!(problems, [ExampleProblem::Shows { line: "shipit --everywhere".to_owned(), wanted, got }]);
    assert_eq!(problems[0].to_string(), "`shipit --everywhere` shows sends, send, and not none");
    let unshown =
        own("names = [\"shipit\"]\n[[effect]]\nwhen = \"undo\"\ndoes = \"sends\"\nsource = \"shipit(1)\"");
    assert_eq!(check_examples(&unshown, &[]), [ExampleProblem::Unshown("undo".to_owned())]);
    assert!(set_own_programs(Vec::new()));
    assert_eq!(effects("shipit deploy"), [Example::None]);
}
