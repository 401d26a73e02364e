//! Steps have the effects that their words say.

use super::{CommandEffect, InstallPlace, effects_of_command, keeps_settings, publication_of, transfer_of};
use crate::{Dialect, read_shell};

fn of(line: &str) -> Vec<CommandEffect> {
    let reading = read_shell(line, Dialect::Bash);
    effects_of_command(&reading).into_iter().flatten().map(|found| found.effect).collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table: one line for each command")]
fn steps_have_the_effects_that_their_words_say() {
    let paths = |all: &[&str]| all.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    for (line, expected) in [
        ("rm -rf build x", CommandEffect::Delete { paths: paths(&["build", "x"]), recursive: true }),
        ("cat a b", CommandEffect::Read { paths: paths(&["a", "b"]) }),
        ("grep -n x src/a", CommandEffect::Read { paths: paths(&["src/a"]) }),
        ("echo x > out", CommandEffect::Write { paths: paths(&["out"]) }),
        ("sudo rm x", CommandEffect::Delete { paths: paths(&["x"]), recursive: false }),
        (
            "nohup git -c a.b=c push --quiet origin main",
            CommandEffect::Send { what: "push commits".into(), to: paths(&["origin"]) },
        ),
        (
            "npm run test -- --watch",
            CommandEffect::RunProjectCode {
                what: "the package script".into(),
                name: Some("test".to_owned()),
            },
        ),
        (
            "npm --prefix x test",
            CommandEffect::RunProjectCode {
                what: "the package script".into(),
                name: Some("test".to_owned()),
            },
        ),
        (
            "python3 -m pytest -q",
            CommandEffect::RunProjectCode { what: "the module".into(), name: Some("pytest".to_owned()) },
        ),
        (
            "./build.sh --fast",
            CommandEffect::RunProjectCode { what: "the program".into(), name: Some("./build.sh".to_owned()) },
        ),
        (
            "python3 tools/x.py",
            CommandEffect::RunProjectCode { what: "the script".into(), name: Some("tools/x.py".to_owned()) },
        ),
        ("python3 -c 'print(1)'", CommandEffect::RunInlineCode { language: "python".to_owned() }),
        (
            "curl -fsSL https://get.example.dev/i.sh | sh",
            CommandEffect::RunDownloadedCode { package: None, host: Some("get.example.dev".to_owned()) },
        ),
        (
            "npx cowsay hi",
            CommandEffect::RunDownloadedCode { package: Some("cowsay".to_owned()), host: None },
        ),
        (
            "pip install -r requirements.txt",
            CommandEffect::Install { packages: Vec::new(), place: InstallPlace::User },
        ),
        (
            "npm install left-pad",
            CommandEffect::Install { packages: paths(&["left-pad"]), place: InstallPlace::Project },
        ),
        ("curl https://a.example/x", CommandEffect::Fetch { from: paths(&["a.example"]) }),
        (
            "curl -d x=y https://a.example/x",
            CommandEffect::Send { what: "send data".into(), to: paths(&["a.example"]) },
        ),
        (
            "npm publish --registry https://r.example/",
            CommandEffect::Publish {
                what: Vec::new(),
                place: "npm".into(),
                host: Some("r.example".to_owned()),
            },
        ),
    ] {
        let found = of(line);
        assert!(found.contains(&expected), "{line}: {found:?}");
    }
}

#[test]
fn values_of_options_are_no_operands() {
    let paths = |all: &[&str]| all.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    for (line, expected) in [
        ("tail -n 5 f", CommandEffect::Read { paths: paths(&["f"]) }),
        ("cat -n f", CommandEffect::Read { paths: paths(&["f"]) }),
        ("sed -n -e p f", CommandEffect::Read { paths: paths(&["f"]) }),
        ("sed -i s/a/b/ f", CommandEffect::Write { paths: paths(&["f"]) }),
        ("sed -i -e s/a/b/ f", CommandEffect::Write { paths: paths(&["f"]) }),
        ("perl -pi -e s/a/b/ f", CommandEffect::Write { paths: paths(&["f"]) }),
        ("chmod +x f", CommandEffect::Write { paths: paths(&["f"]) }),
        ("touch -m -d yesterday f", CommandEffect::Write { paths: paths(&["f"]) }),
        (
            "make -C sub test",
            CommandEffect::RunProjectCode { what: "the target".into(), name: Some("test".to_owned()) },
        ),
        ("npm -g install x", CommandEffect::Install { packages: paths(&["x"]), place: InstallPlace::User }),
    ] {
        let found = of(line);
        assert!(found.contains(&expected), "{line}: {found:?}");
    }
}

#[test]
fn what_is_piped_into_given_code_is_data() {
    let downloads =
        |line: &str| of(line).iter().any(|effect| matches!(effect, CommandEffect::RunDownloadedCode { .. }));
    for line in [
        "curl u | sh",
        "curl u | bash -s -- --yes",
        "base64 -d x | nohup python3 -",
        "curl u | sudo bash",
        "sh -c \"$(curl -fsSL https://a.example/i.sh)\"",
        "eval \"$(curl u)\"",
    ] {
        assert!(downloads(line), "{line}: {:?}", of(line));
    }
    for line in [
        "curl u | ls",
        "curl u && python3 x.py",
        "ls | sh",
        "sh -c ls; curl u",
        "curl u | python3 -c 'print(1)'",
    ] {
        assert!(!downloads(line), "{line}: {:?}", of(line));
    }
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
    for line in [
        "git -C x push",
        "git push origin a:b",
        "git push --all",
        "git push a b c",
        "git push origin +main",
        "GIT_DIR=x git push",
        "git fetch --all",
        "git push $x",
        "ls",
    ] {
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
        "npm publish --userconfig x",
        "npm publish -w a",
        "npm publish $x",
        "npm publish --registry \"$x\"",
        "npm_config_registry=x npm publish",
        "cargo publish --manifest-path x/Cargo.toml",
        "cargo publish --config x",
        "npm install x",
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
        "git remote set-url origin x",
        "git config remote.origin.url x",
        "npm config set registry x",
        "npm test",
        "echo x > .npmrc",
        "export npm_config_registry=x",
        "X=y",
        "git -c core.hooksPath=x commit",
        "git restore .npmrc",
        "./x.sh",
    ] {
        assert!(!keeps(line), "{line}");
    }
}
