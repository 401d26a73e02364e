//! The shell corpus against a small judge: what a reading must at least make possible. The real judge is the policy room's.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{Dialect, ParsedCommand, Power, Role, Step, read_argv, read_shell, words_of};

#[derive(Deserialize)]
struct Case {
    id: String,
    shell: Option<String>,
    argv: Option<Vec<String>>,
    cwd: Option<String>,
    #[serde(default)]
    allow: Vec<String>,
    #[serde(default)]
    deny: Vec<String>,
    expect: Expected,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Expected {
    One(String),
    Any(Vec<String>),
}

type Bins = BTreeMap<String, String>;

fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    format!("/{}", parts.join("/"))
}

fn path_of(name: &str, bins: &Bins) -> Option<String> {
    if name.starts_with('/') {
        return Some(normal(name));
    }
    bins.get(name).cloned()
}

fn matches_path(pattern: &str, path: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some("/*") => path.starts_with('/'),
        Some(prefix) => path.strip_prefix(prefix).is_some_and(|rest| !rest.contains('/')),
        None => pattern == path,
    }
}

fn denied(argv: &[&str], case: &Case, bins: &Bins) -> bool {
    case.deny.iter().any(|pattern| {
        if pattern.starts_with('/') {
            let path = argv.first().and_then(|name| path_of(name, bins));
            return path.is_some_and(|path| path.eq_ignore_ascii_case(pattern));
        }
        let words = words_of(pattern.trim_end_matches(" *")).unwrap();
        let name = argv.first().map(|name| name.rsplit('/').next().unwrap());
        // Options may stand before the subcommand, with their values.
        let starts = if argv.get(1).is_some_and(|word| word.starts_with('-')) { argv.len() } else { 2 };
        (1..starts).any(|at| {
            let form: Vec<&str> = name.into_iter().chain(argv.iter().skip(at).copied()).collect();
            form.len() >= words.len() && form.iter().zip(&words).all(|(given, word)| given == word)
        })
    })
}

fn hit(reading: &ParsedCommand, case: &Case, bins: &Bins) -> bool {
    let candidates =
        reading.opaque.iter().chain(reading.steps.iter().filter_map(|step| step.opaque.as_ref()));
    let mut argvs: Vec<Vec<String>> =
        candidates.flat_map(|opaque| &opaque.candidates).map(|guess| guess.to_vec()).collect();
    let words = |words: &[crate::Word]| {
        words.iter().map(|w| w.value.clone().unwrap_or_default()).collect::<Vec<String>>()
    };
    for step in &reading.steps {
        argvs.push(words(&step.argv));
        argvs.extend(step.via.iter().map(|via| words(&via.argv)));
    }
    argvs.iter().any(|argv| denied(&argv.iter().map(String::as_str).collect::<Vec<_>>(), case, bins))
}

fn allowed(step: &Step, case: &Case, bins: &Bins) -> bool {
    let writes = step.redirections.iter().any(crate::Redirection::writes);
    let outside = matches!(&step.dir, crate::Dir::Under(path) if path.starts_with('/'));
    let covered = match step.role {
        Role::HarmlessBuiltin | Role::Function | Role::Nothing => true,
        Role::Program => {
            let path = step.program().and_then(|name| path_of(name, bins));
            path.is_some_and(|path| case.allow.iter().any(|pattern| matches_path(pattern, &path)))
        }
    };
    let transparent = step.via.iter().all(|via| via.power == Power::Transparent);
    step.opaque.is_none()
        && step.ways_out.is_empty()
        && covered
        && transparent
        && !writes
        && !outside
        && case.cwd.is_none()
}

fn judged(reading: &ParsedCommand, case: &Case, bins: &Bins) -> &'static str {
    if reading.invalid.is_some() || hit(reading, case, bins) {
        "deny"
    } else if reading.opaque.is_empty() && reading.steps.iter().all(|step| allowed(step, case, bins)) {
        "allow"
    } else {
        "ask"
    }
}

#[test]
fn the_corpus_gets_the_verdicts_that_it_deserves() {
    let bins: Bins =
        serde_json::from_str(include_str!("../../../../../tests/fixtures/shell-bins.json")).unwrap();
    let mut wrong = Vec::new();
    for line in include_str!("../../../../../tests/fixtures/shell-cases.jsonl").lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        let reading = match (&case.shell, &case.argv) {
            (Some(text), _) => read_shell(text, Dialect::Bash),
            (None, Some(argv)) => read_argv(argv),
            (None, None) => panic!("{} has nothing to run", case.id),
        };
        let got = judged(&reading, &case, &bins);
        let right = match &case.expect {
            Expected::One(one) => one == got,
            Expected::Any(any) => any.iter().any(|one| one == got),
        };
        if !right {
            wrong.push(format!(
                "{} got {got}: {:?} {:?}\n    {:?}\n    {:?}",
                case.id, case.shell, case.argv, reading.steps, reading.opaque
            ));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
