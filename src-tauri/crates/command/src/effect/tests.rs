//! Steps have the effects that their words say.

use super::{CommandEffect, effects_of_command, keeps_settings, publication_of, transfer_of};
use crate::tests::rows;
use crate::{Dialect, read_shell};

fn of(line: &str) -> Vec<CommandEffect> {
    let reading = read_shell(line, Dialect::Bash);
    effects_of_command(&reading).into_iter().flatten().map(|found| found.effect).collect()
}

fn kinds(line: &str) -> Vec<&'static str> {
    of(line).iter().map(CommandEffect::kind).collect()
}

#[test]
fn what_runs_counts_beside_where_its_output_goes() {
    for (line, expected) in [
        ("strange-tool > log", &["write", "unknown"][..]),
        ("strange-tool 2> log < f", &["write", "read", "unknown"]),
        ("./start-it > log", &["write", "run-project-code"]),
        ("uvicorn app:app > log", &["run-project-code", "serve", "write"]),
        ("gh pr view 5 > log", &["write", "fetch"]),
        ("ls > log", &["read", "write"]),
        ("sort a > b", &["read", "write"]),
        ("curl -o /dev/null https://a.example", &["fetch"]),
        ("curl -o x https://a.example", &["fetch", "write"]),
    ] {
        let mut found = kinds(line);
        found.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{line}");
    }
}

#[test]
fn steps_have_the_effects_that_their_words_say() {
    for (line, expected) in rows::<(&str, CommandEffect)>(include_str!("effects.jsonl")) {
        let found = of(line);
        assert!(found.contains(&expected), "{line}: {found:?}");
    }
}

#[test]
fn a_wrapper_that_starts_a_program_has_no_effect_of_being_alone() {
    assert!(kinds("env").contains(&"use-secret"), "it prints the environment");
    assert_eq!(kinds("env make"), kinds("make"));
}

#[test]
fn a_push_of_one_branch_is_known_by_its_words() {
    let push = |line: &str| {
        let reading = read_shell(line, Dialect::Bash);
        transfer_of(&reading.steps[0]).map(|found| (found.pushes, found.remote, found.branch))
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(push("git push"), Some((true, None, None)));
    assert_eq!(push("git push -u origin main"), Some((true, some("origin"), some("main"))));
    assert_eq!(push("git pull up"), Some((false, some("up"), None)));
    assert_eq!(push("git push origin HEAD"), Some((true, some("origin"), None)));
    for line in
        ["git push origin a:b", "git push origin +main", "git push --all origin", "git push origin b c"]
    {
        let reading = read_shell(line, Dialect::Bash);
        let found = transfer_of(&reading.steps[0]).unwrap();
        let got = (found.remote, found.branch, found.under_own_name);
        assert_eq!(got, (some("origin"), None, false), "{line}");
    }
    for line in ["git -C x push", "GIT_DIR=x git push", "git fetch --all", "git push $x", "ls"] {
        assert_eq!(push(line), None, "{line}");
    }
}

#[test]
fn a_publication_is_known_by_its_words() {
    let found = |line: &str| {
        let reading = read_shell(line, Dialect::Bash);
        publication_of(&reading.steps[0]).map(|found| (found.program, found.registry, found.what))
    };
    let some = |text: &str| Some(text.to_owned());
    for (line, expected) in [
        ("npm publish --access public ./dist", ("npm", None, some("./dist"))),
        ("npm publish --registry=https://r.example", ("npm", some("https://r.example"), None)),
        ("cargo publish --registry acme --dry-run", ("cargo", some("acme"), None)),
        ("twine upload -r testpypi dist/x.whl", ("twine", some("testpypi"), some("dist/x.whl"))),
        ("twine upload dist/*", ("twine", None, some("dist/*"))),
        ("uv publish --publish-url https://r.example", ("uv", some("https://r.example"), None)),
        ("poetry publish -r acme", ("poetry", some("acme"), None)),
        ("gem push a-1.gem --host https://r.example", ("gem", some("https://r.example"), some("a-1.gem"))),
    ] {
        assert_eq!(found(line), Some(expected), "{line}");
    }
    for line in [
        "npm publish --userconfig x", "npm publish -w a", "npm publish $x", "npm publish --registry \"$x\"",
        "npm_config_registry=x npm publish", "cargo publish --manifest-path x/Cargo.toml",
        "cargo publish --config x", "npm install x",
    ] {
        assert_eq!(found(line), None, "{line}");
    }
}

#[test]
fn registries_in_the_words_are_named() {
    for (line, expected) in [
        ("docker push ghcr.io/acme/site:1", Some("ghcr.io")),
        ("docker push localhost:5000/site", Some("localhost:5000")),
        ("docker push acme/site", Some("docker.io")),
        ("helm push x.tgz oci://r.example/charts", Some("r.example")),
        ("gem push x.gem --host https://r.example", Some("r.example")),
        ("gem push x.gem", None),
        ("npm publish", None),
    ] {
        let found = of(line);
        let host = |effect: &CommandEffect| match effect {
            CommandEffect::Publish { host, .. } => Some(host.clone()),
            _ => None,
        };
        assert_eq!(found.iter().find_map(host), Some(expected.map(str::to_owned)), "{line}: {found:?}");
    }
}

#[test]
fn what_may_change_settings_is_told_from_what_does_not() {
    let keeps = |line: &str| read_shell(line, Dialect::Bash).steps.iter().all(keeps_settings);
    for line in ["git add .", "git commit -m x", "git status", "cd sub", "cat x", "git fetch origin"] {
        assert!(keeps(line), "{line}");
    }
    for line in [
        "git remote set-url origin x", "git config remote.origin.url x", "npm config set registry x",
        "npm test", "echo x > .npmrc", "export npm_config_registry=x", "X=y",
        "git -c core.hooksPath=x commit", "git restore .npmrc", "./x.sh",
    ] {
        assert!(!keeps(line), "{line}");
    }
}

/// Lines whose effects have a part that has to be said, or must not be.
#[derive(serde::Deserialize)]
struct SaidCase {
    /// The property that it shows.
    name: String,
    says: String,
    said: bool,
    lines: Vec<String>,
}

#[test]
fn effects_say_what_their_cases_say_and_no_more() {
    for SaidCase { name, says, said, lines } in rows(include_str!("tests.jsonl")) {
        for line in lines {
            let effects = format!("{:?}", of(&line));
            assert_eq!(effects.contains(&says), said, "{name}: {line}: {says}: {effects}");
        }
    }
}
