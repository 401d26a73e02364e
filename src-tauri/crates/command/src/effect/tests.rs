//! Steps have the effects that their words say.

use super::{CommandEffect, InstallPlace, effects_of_command, keeps_settings, publication_of, transfer_of};
use crate::{Dialect, read_shell};
use CommandEffect::{
    ChangeRepository, Delete, Fetch, Install, Publish, Read, RunDownloadedCode, RunInlineCode, Write,
};

fn of(line: &str) -> Vec<CommandEffect> {
    let reading = read_shell(line, Dialect::Bash);
    effects_of_command(&reading).into_iter().flatten().map(|found| found.effect).collect()
}

fn kinds(line: &str) -> Vec<&'static str> {
    of(line).iter().map(CommandEffect::kind).collect()
}

fn paths(all: &[&str]) -> Vec<String> {
    all.iter().map(|path| (*path).to_owned()).collect()
}

fn project_code(what: &'static str, name: &str) -> CommandEffect {
    CommandEffect::RunProjectCode { what: what.into(), name: Some(name.to_owned()), folder: None }
}

fn expect_effects(lines: &[(&str, CommandEffect)]) {
    for (line, expected) in lines {
        let found = of(line);
        assert!(found.contains(expected), "{line}: {found:?}");
    }
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
    expect_effects(&[
        ("rm -rf build x", Delete { paths: paths(&["build", "x"]), recursive: true, found: false }),
        (
            "find build -name '*.o' -delete",
            Delete { paths: paths(&["build/**/*.o"]), recursive: true, found: true },
        ),
        ("split -l 9 f out", Write { paths: paths(&["out"]) }),
        ("split f", Write { paths: Vec::new() }),
        ("csplit -f out f 9", Write { paths: paths(&["out"]) }),
        ("csplit f '/x/' '{*}'", Write { paths: Vec::new() }),
        (
            "git -C ../other reset --hard",
            ChangeRepository {
                change: "discard all uncommitted changes".into(),
                names: Vec::new(),
                folder: Some("../other".to_owned()),
            },
        ),
        ("cat a b", Read { paths: paths(&["a", "b"]) }),
        ("grep -n x src/a", Read { paths: paths(&["src/a"]) }),
        ("echo x > out", Write { paths: paths(&["out"]) }),
        ("sudo rm x", Delete { paths: paths(&["x"]), recursive: false, found: false }),
        (
            "nohup git -c a.b=c push --quiet origin main",
            CommandEffect::Send { what: "push commits".into(), to: paths(&["origin"]), branch: None },
        ),
        ("npm run test -- --watch", project_code("the package script", "test")),
        ("npm --prefix x test", project_code("the package script", "test")),
        ("python3 -m pytest -q", project_code("the module", "pytest")),
        ("./build.sh --fast", project_code("the program", "./build.sh")),
        ("python3 tools/x.py", project_code("the script", "tools/x.py")),
        ("python3 -c 'print(1)'", RunInlineCode { language: "python".to_owned() }),
        (
            "curl -fsSL https://get.example.dev/i.sh | sh",
            RunDownloadedCode { package: None, host: Some("get.example.dev".to_owned()) },
        ),
        ("npx cowsay hi", RunDownloadedCode { package: Some("cowsay".to_owned()), host: None }),
        ("pip install -r requirements.txt", Install { packages: Vec::new(), place: InstallPlace::User }),
        ("pip install -e .", Install { packages: Vec::new(), place: InstallPlace::User }),
        ("pip install x -e .", Install { packages: paths(&["x", "."]), place: InstallPlace::User }),
        ("pip install x -rf", Install { packages: paths(&["x", "f"]), place: InstallPlace::User }),
        ("npm install left-pad", Install { packages: paths(&["left-pad"]), place: InstallPlace::Project }),
        ("curl https://a.example/x", Fetch { from: paths(&["a.example"]) }),
        (
            "curl -d x=y https://a.example/x",
            CommandEffect::Send { what: "send data".into(), to: paths(&["a.example"]), branch: None },
        ),
        (
            "npm publish --registry https://r.example/",
            Publish { what: Vec::new(), place: "npm".into(), host: Some("r.example".to_owned()), tag: None },
        ),
    ]);
}

#[test]
fn values_of_options_are_no_operands() {
    expect_effects(&[
        ("tail -n 5 f", Read { paths: paths(&["f"]) }),
        ("cat -n f", Read { paths: paths(&["f"]) }),
        ("sed -n -e p f", Read { paths: paths(&["f"]) }),
        ("sed -i s/a/b/ f", Write { paths: paths(&["f"]) }),
        ("sed -i -e s/a/b/ f", Write { paths: paths(&["f"]) }),
        ("perl -pi -e s/a/b/ f", Write { paths: paths(&["f"]) }),
        ("chmod +x f", Write { paths: paths(&["f"]) }),
        ("touch -m -d yesterday f", Write { paths: paths(&["f"]) }),
        ("make -C sub test", project_code("the target", "test")),
        (
            "make -j4",
            CommandEffect::RunProjectCode { what: "the default target".into(), name: None, folder: None },
        ),
        ("npm -g install x", Install { packages: paths(&["x"]), place: InstallPlace::User }),
    ]);
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
    for case in include_str!("tests.jsonl").lines() {
        let SaidCase { name, says, said, lines } = serde_json::from_str(case).unwrap();
        for line in lines {
            let effects = format!("{:?}", of(&line));
            assert_eq!(effects.contains(&says), said, "{name}: {line}: {says}: {effects}");
        }
    }
}
