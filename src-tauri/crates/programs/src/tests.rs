//! The format: what is accepted, and what is said about what is not.
#![expect(clippy::disallowed_methods, reason = "the schema is a file of the repository")]

use std::fs;
use std::path::Path;

use crate::{ArgEffect, Does, EffectKind, Example, ProgramFile, ProgramFileError};

fn wrong(text: &str) -> String {
    ProgramFile::parse(text).unwrap_err().to_string()
}

#[test]
fn a_program_takes_few_lines() {
    let text = r#"
        names = ["shipit"]
        options = "-e: --env: -v"
        words = { deploy = 2 }

        [[effect]]
        when = "deploy"
        does = "sends"
        source = "shipit(1)"

        [examples]
        "shipit -e prod deploy" = "sends"
        "shipit status" = "none"
        "shipit $X" = ["run-time"]
    "#;
    let file = ProgramFile::parse(text).unwrap();
    assert_eq!(file.options_before().as_deref(), Some("-e: --env: -v"));
    assert_eq!(file.options_anywhere(), "-e: --env: -v");
    assert_eq!(file.effects[0].does.0, [Does::Unsafe(ArgEffect::Sends)]);
    assert_eq!(file.examples["shipit status"].0, [Example::None]);
    assert_eq!(file.examples["shipit $X"].0, [Example::Effect(Does::Unsafe(ArgEffect::RunTime))]);
}

#[test]
fn the_file_that_the_page_shows_is_right() {
    let page = include_str!("../../../../docs/PROGRAMS.md");
    let text = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let file = ProgramFile::parse_own(text).unwrap();
    assert_eq!(file.options_before().as_deref(), Some("-e: --env: -v --verbose"));
    assert_eq!((file.effects.len(), file.examples.len()), (1, 2));
}

#[test]
fn caches_lie_below_the_home_folder_and_are_not_for_peoples_own_files() {
    let file = |rest: &str| format!("names = [\"x\"]\n[caches]\n{rest}");
    let right = file("reads = [\"~/.x/cache\"]\nprivate = { X_CACHE = \"x\" }\nsource = \"x(1)\"");
    assert!(ProgramFile::parse(&right).is_ok());
    assert!(matches!(ProgramFile::parse_own(&right), Err(ProgramFileError::Content(_))), "they only narrow");
    for place in ["/etc", "~", "~/", "~/../x", "~/a//b", "~/*", "x"] {
        assert!(
            wrong(&file(&format!("reads = [{place:?}]\nsource = \"x\""))).contains("no place for a cache"),
            "{place}"
        );
    }
    assert!(wrong(&file("private = { X = \"../x\" }\nsource = \"x\"")).contains("is no folder"));
    assert!(wrong(&file("reads = [\"~/.x\"]")).contains("no `source`"));
}

#[test]
fn options_have_their_places() {
    let text = "names = [\"x\"]\noptions = \"@-C: -n: add|rm:-m:,-q -v? +\"";
    let file = ProgramFile::parse(text).unwrap();
    assert_eq!(file.options_before().as_deref(), Some("-C: -n: -v? +"));
    assert_eq!(file.options_anywhere(), "-n: -v? +");
    let of_commands: Vec<_> = file.options_of_commands().into_iter().collect();
    assert_eq!(of_commands, [("add rm".to_owned(), "-m: -q".to_owned())]);
}

#[test]
fn one_effect_may_be_several() {
    let text = r#"
        names = ["x"]
        [[effect]]
        when = "add:#"
        does = ["install", "run-downloaded-code", "fetches"]
        source = "x(1)"
    "#;
    let file = ProgramFile::parse(text).unwrap();
    let effect = &file.effects[0];
    assert_eq!(effect.unsafe_args().collect::<Vec<_>>(), [ArgEffect::Fetches]);
    assert_eq!(
        effect.effect_kinds().collect::<Vec<_>>(),
        [EffectKind::Install, EffectKind::RunDownloadedCode]
    );
}

#[test]
fn an_error_names_what_is_wrong_and_what_would_be_right() {
    let effect = |when: &str| {
        format!("names = [\"x\"]\n[[effect]]\nwhen = \"{when}\"\ndoes = \"runs\"\nsource = \"x(1)\"")
    };
    for (text, says) in [
        ("names = [\"x\"]\ngreen = true", "unknown field `green`, expected one of `names`"),
        ("names = [\"x\"]\nkind = \"shel\"", "unknown variant `shel`, expected one of `ordinary`, `shell`"),
        ("names = []\nmild = true", "`names` is empty"),
        ("names = [\"X\"]\nmild = true", "`X` is no name: write it in lower case"),
        ("names = [\"x\"]", "nothing is said about the program"),
        ("names = [\"x\"]\ngnu = \"y\"", "`gnu` names `y`, which is not in `names`"),
        ("names = [\"x\"]\noptions = \"o:\"", "`o` in `options` is no option: write `-o`"),
        ("names = [\"x\"]\noptions = 3", "expected a string"),
        ("names = [\"x\"]\noptions = \"add:-o,n\"", "`n` in `options` is no option"),
        ("names = [\"x\"]\nmild = true\n[examples]\n\"x y\" = \"runz\"", "unknown variant `runz`"),
        ("names = [\"x\"]\n[wrapper]\nsource = \"x(1)\"", "`[wrapper]` needs `kind = \"wrapper\"`"),
        (
            "names = [\"x\"]\nkind = \"wrapper\"\n[wrapper]\nwrites = \"-o\"\nsource = \"x(1)\"",
            "`writes` names `-o`, which `options` does not list",
        ),
        ("names = [\"x\"]\nreads.forms = [\"y *\"]", "`y *` is no form"),
        (&effect("#x"), "`#x` in `when` is no pattern"),
        (&effect("!"), "and there are none: list them"),
        (&effect(""), "an effect has an empty `when`"),
        (&effect("-o").replace("x(1)", " "), "`-o` has no `source`"),
        (&effect("-o").replace("\"runs\"", "[]"), "`-o` has an empty `does`"),
        (&effect("-o").replace("\"runs\"", "\"send\""), "`-o` has no `says`"),
        (&format!("{}\nunless = \"-p\"", effect("-o")), "`-o` is unsafe: `unless` and `names`"),
    ] {
        let said = wrong(text);
        assert!(said.contains(says), "{text}\n{said}");
    }
}

#[test]
fn a_file_of_ones_own_only_describes() {
    let effect = "[[effect]]\nwhen = \"x\"\ndoes = \"runs\"\nsource = \"x(1)\"";
    assert!(ProgramFile::parse_own(&format!("names = [\"x\"]\noptions = \"-o:\"\n{effect}")).is_ok());
    for more in ["reads.always = \"*\"", "mild = true", "like = \"ls\"", "input-is-data = \"*\""] {
        let said =
            ProgramFile::parse_own(&format!("names = [\"x\"]\n{more}\n{effect}")).unwrap_err().to_string();
        assert!(said.contains("a file of your own has only"), "{more}: {said}");
    }
}

#[test]
fn an_error_of_the_format_says_where_it_is() {
    let Err(ProgramFileError::Format(said)) = ProgramFile::parse("names = [\"x\"]\nstrict = \"yes\"") else {
        panic!("that is no boolean")
    };
    assert!(said.contains("line 2"), "{said}");
}

#[test]
fn the_schema_is_the_one_in_the_repository() {
    let kept: serde_json::Value = serde_json::from_str(&fs::read_to_string(path()).unwrap()).unwrap();
    assert!(
        // As values: the order of members is that of the features that serde_json is built with.
        kept == serde_json::to_value(schemars::schema_for!(ProgramFile)).unwrap(),
        "run `cargo test -p postern-programs write_the_schema -- --ignored` and commit what it writes"
    );
}

#[test]
#[ignore = "writes docs/programs.schema.json"]
fn write_the_schema() {
    fs::write(path(), schema()).unwrap();
}

fn path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/programs.schema.json")
}

fn schema() -> String {
    let schema = schemars::schema_for!(ProgramFile);
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}
