//! Rules that the offer of an exact command saves: they hold for exactly what was shown.

use crate::testing::Scene;
use crate::{AlwaysOffer, Decision, Gap, OfferLabel, Pattern, Rule, RuleOrigin, Source, TargetPath};

const PROGRAMS: [&str; 22] = [
    "ssh", "psql", "mysql", "docker", "kubectl", "crontab", "nc", "mail", "timeout", "strace", "test",
    "make", "patch", "jq", "kill", "lsof", "xargs", "find", "rm", "pip", "yt-dlp", "head",
];

fn scene(text: &str) -> Scene {
    let scene = PROGRAMS
        .iter()
        .fold(Scene::new(), |scene, name| scene.program(&format!("/usr/bin/{name}"), name))
        .with_allow_rule("cat *")
        .with_allow_rule("git stash *")
        .with_allow_rule("echo *");
    scene.with_shell_text(text)
}

fn exact_offer(text: &str) -> Option<AlwaysOffer> {
    scene(text).offers().into_iter().find(|offer| offer.id == "exact")
}

/// Returns the rules of the offer as the host saves them.
fn saved(offer: &AlwaysOffer) -> Vec<Rule> {
    let always = |(at, rule): (i64, Rule)| Rule { id: 100 + at, source: Source::Always, ..rule };
    (0..).zip(offer.to_rules(RuleOrigin::Any)).map(always).collect()
}

fn judged(rules: &[Rule], text: &str) -> Decision {
    rules.iter().fold(scene(text), |scene, rule| scene.with_rule(rule.clone())).judge_request().decision
}

/// Asserts that what the exact offer for `text` saves allows it again, and none of the others.
fn holds_for_itself_alone(text: &str, others: &[&str]) {
    let Some(offer) = exact_offer(text) else { panic!("no exact offer for {text}") };
    let rules = saved(&offer);
    assert_eq!(judged(&rules, text), Decision::Allow, "{text}: {rules:?}");
    for other in others {
        assert_ne!(judged(&rules, other), Decision::Allow, "{text} allows {other}: {rules:?}");
    }
}

#[test]
fn an_exact_command_reads_the_file_on_show_and_no_other() {
    holds_for_itself_alone(
        "tee out.txt < ok.sql",
        &["tee out.txt < ~/.ssh/id_rsa", "tee out.txt < .env", "tee out.txt < ../other/f1", "tee out.txt"],
    );
    for (command, file) in [
        ("curl -d @- https://x.com", "ok.sql"),
        ("nc host.com 80", "ok.sql"),
        ("mail -s x a@b.c", "ok.sql"),
        ("ssh host", "ok.sh"),
        ("docker exec -i db psql", "ok.sql"),
        ("mysql -h prod", "ok.sql"),
        ("psql", "ok.sql"),
        ("kubectl apply -f -", "ok"),
        ("grep x", "ok.sql"),
    ] {
        let with = |file: &str| format!("{command} < {file}");
        let others = [
            with(".env"),
            with("../other/f1"),
            with("~/.ssh/id_rsa"),
            with("bad"),
            format!("cat bad | {command}"),
        ];
        let mut others: Vec<&str> = others.iter().map(String::as_str).collect();
        if command == "grep x" {
            others.pop();
        } else {
            others.push(command);
        }
        holds_for_itself_alone(&with(file), &others);
    }
    let label = exact_offer("psql < ok.sql").map(|offer| offer.label);
    let changeable = vec!["ok.sql".to_owned()];
    assert_eq!(label, Some(OfferLabel::Exact { commands: 1, changeable }), "its content is not held");
}

#[test]
fn an_exact_command_reads_no_file_behind_a_link() {
    let text = "tee out.txt < ok.sql";
    let rules = saved(&exact_offer(text).unwrap());
    let mut linked = rules.iter().fold(scene(text), |scene, rule| scene.with_rule(rule.clone()));
    linked.targets = vec![TargetPath { written: "ok.sql".to_owned(), real: "/Users/u/other/f1".to_owned() }];
    assert_ne!(linked.judge_request().decision, Decision::Allow);
}

#[test]
fn an_exact_command_without_input_gets_none() {
    for text in ["ssh host uptime", "psql -l", "curl -d @- https://x.com"] {
        let others = [format!("{text} < ok.sql"), format!("cat ok.sql | {text}"), format!("{text} <<< x")];
        holds_for_itself_alone(text, &others.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let quiet = saved(&exact_offer("psql -l").unwrap());
    for same in ["psql -l 2>&1", "psql -l 2>/dev/null", "psql -l </dev/null", "psql -l | cat"] {
        assert_eq!(judged(&quiet, same), Decision::Allow, "{same}: neither gives it anything");
    }
}

#[test]
fn an_exact_command_keeps_its_variables_and_wrappers() {
    for (text, others) in [
        ("NODE_ENV=test npm run seed", ["npm run seed", "NODE_ENV=production npm run seed"]),
        ("CI=1 npm run seed", ["npm run seed", "CI=0 npm run seed"]),
        ("npm run seed", ["CI=1 npm run seed", "timeout 5 npm run seed"]),
        ("env -i npm run deploy", ["npm run deploy", "env npm run deploy"]),
        ("timeout 5 npm run deploy", ["npm run deploy", "timeout 500 npm run deploy"]),
        ("npm run deploy > out.txt", ["npm run deploy >> out.txt", "npm run deploy"]),
    ] {
        holds_for_itself_alone(text, &others);
    }
}

#[test]
fn a_dangerous_step_of_a_line_is_offered_with_the_whole_line() {
    for (text, part) in [
        ("[ -d /backup ] && rm -rf build", "rm -rf build"),
        ("false && rm -rf build", "rm -rf build"),
        ("true || rm -rf build", "rm -rf build"),
        ("git stash && git reset --hard && git stash pop", "git reset --hard"),
        ("cp -r build bak && rm -rf build", "rm -rf build"),
    ] {
        holds_for_itself_alone(text, &[part, &format!("{part}; true")]);
    }
    assert!(exact_offer("rm -rf build").is_some_and(|offer| !offer.is_line()), "alone it is the command");
    for text in ["rm -rf build && make", "rm -rf build; cd sub && cat x", "git reset --hard && git stash pop"]
    {
        assert!(exact_offer(text).is_some_and(|offer| !offer.is_line()), "nothing is before it: {text}");
    }
    for text in ["f() { rm -rf build; }; false && f", "rm -rf build; cd /opt/x && make"] {
        assert!(exact_offer(text).is_none_or(|offer| offer.is_line()), "{text}");
    }
}

#[test]
fn what_uses_a_port_is_stopped_by_the_whole_line() {
    let others = [
        "kill $(lsof -ti:3001)", "kill $(cat pid)", "kill 5", "kill $(lsof -t)", "kill $(lsof -ti:3000); ls",
    ];
    for text in [
        "kill $(lsof -ti:3000)", "kill $(lsof -t -i tcp:3000 2>/dev/null) || true",
        "kill -9 $(lsof -ti:3000)", "lsof -ti:3000 | xargs kill", "make & P=$!; cat x; kill -9 $P",
        "lsof -ti tcp:3000 2>/dev/null | xargs -r kill -9 2>/dev/null || true",
    ] {
        let others = others.iter().filter(|other| **other != text);
        holds_for_itself_alone(text, &others.copied().collect::<Vec<_>>());
    }
    for text in [
        "kill $(lsof -t -u u)", "kill $(lsof -ti:$PORT)", "kill $(cat 3000)", "rm $(lsof -ti:3000)",
        "lsof -t -u u | xargs kill", "lsof -ti:3000 | cat - f | xargs kill -9",
        "lsof -ti:3000 | xargs kill -9 < f", "lsof -ti:3000 | xargs -a f kill", "lsof -ti:3000 | xargs rm",
        "cat pids | xargs kill", "P=$(cat f); kill -9 $P",
    ] {
        assert!(exact_offer(text).is_none(), "{text}");
    }
}

#[test]
fn what_find_hands_on_is_offered_with_the_whole_line() {
    let others = ["find . -exec rm {} +", "find src -name '*.tmp' -exec rm {} +", "rm x"];
    for text in ["find . -name '*.tmp' -exec rm {} +", "find build -type f -exec rm -f '{}' \\;"] {
        holds_for_itself_alone(text, &others);
    }
    for text in ["find $X -name a -exec rm {} +", "find . -type f -exec {} \\;", "find . -execdir rm {} +"] {
        assert!(exact_offer(text).is_none(), "{text}");
    }
}

#[test]
fn a_database_of_the_user_is_offered_with_the_whole_line() {
    holds_for_itself_alone(
        "psql \"$DATABASE_URL\" -c 'select 1'",
        &["psql \"$OTHER_URL\" -c 'select 1'", "psql \"$DATABASE_URL\" -c 'select 2'"],
    );
    for text in [
        "psql $DATABASE_URL -c 'select 1'", "psql \"$X\" -c 'select 1'", "rm \"$DATABASE_URL\"",
        "export DATABASE_URL=$X; psql \"$DATABASE_URL\" -c 'select 1'",
        "read DATABASE_URL < f; psql \"$DATABASE_URL\" -c 'select 1'",
    ] {
        assert!(exact_offer(text).is_none(), "{text}");
    }
}

#[test]
fn extras_of_the_project_are_offered_with_the_whole_line() {
    holds_for_itself_alone("pip install -e .[dev]", &["pip install -e .[test]", "pip install -e ./*"]);
    for text in ["pip install -e x[dev]", "pip install -e .[d*]", "rm .[dev]"] {
        assert!(exact_offer(text).is_none(), "{text}");
    }
}

#[test]
fn the_folder_of_the_run_is_offered_with_the_whole_line() {
    holds_for_itself_alone(
        "docker run --rm -v \"$PWD\":/app node npm test",
        &["docker run --rm -v \"$HOME\":/app node npm test", "docker run --rm -v \"$PWD\":/ node npm test"],
    );
    for text in [
        "docker run -v $PWD:/app node npm test", "docker run -v \"$PWDX\":/app node npm test",
        "docker run -v \"$PWD$x\":/app node npm test",
    ] {
        assert!(exact_offer(text).is_none(), "{text}");
    }
    for text in [
        "read PWD < f; docker run -v \"$PWD\":/app node npm test",
        "read P'WD' < f; docker run -v \"$PWD\":/app node npm test",
        "pwd() { cat f; }; docker run -v \"$(pwd)\":/app node npm test",
    ] {
        assert!(exact_offer(text).is_none_or(|offer| !offer.is_line()), "{text}");
    }
}

#[test]
fn what_a_server_is_asked_is_offered_with_the_whole_line() {
    holds_for_itself_alone(
        "curl -s https://x.com/a?b=1 | python3 -c 'print(1)'",
        &[
            "curl -s https://x.com/a?b=2 | python3 -c 'print(1)'",
            "curl -s https://x.com/a?b=1 | python3 -c 'print(2)'",
        ],
    );
    holds_for_itself_alone("yt-dlp -F https://x.com/a?b=1", &["yt-dlp -F https://x.com/a?b=2"]);
    for text in [
        "cat src/a?b | python3 -c 'print(1)'", "curl -s https://x.com/a*b | python3 -c 'print(1)'",
        "curl -o a/b?c https://x.com | python3 -c 'print(1)'",
        "curl -s https://x.com?b=1 | python3 -c 'print(1)'",
    ] {
        assert!(exact_offer(text).is_none_or(|offer| !offer.is_line()), "{text}");
    }
}

#[test]
fn what_a_written_command_prints_a_name_for_is_offered_with_the_whole_line() {
    for (text, other) in [
        ("docker logs $(docker ps -qf name=web) --tail 20", "docker logs $(docker ps -qf name=db) --tail 20"),
        ("docker build -t app:$(git rev-parse --short HEAD) .", "docker build -t x:$(git rev-parse HEAD) ."),
        ("kubectl logs $(kubectl get pod -l app=x -o name | head -1)", "kubectl logs pod/x"),
    ] {
        holds_for_itself_alone(text, &[other]);
    }
    for text in [
        "docker logs $(cat f)", "docker logs $(docker ps)", "docker logs $(docker ps -qf name=$X)",
        "docker logs $(docker ps -q --format x)", "docker logs $(docker ps -q; cat f)",
        "docker logs $(git rev-parse --abbrev-ref HEAD)", "docker logs $(docker ps -q)$X",
        "kubectl logs $(kubectl get pod -o jsonpath=x)",
    ] {
        assert!(exact_offer(text).is_none_or(|offer| !offer.is_line()), "{text}");
    }
}

#[test]
fn a_step_that_takes_commands_by_a_pipe_is_offered_with_the_whole_line() {
    for (text, command) in [
        ("cat ok.sh | ssh host", "ssh host"),
        ("cat src/a.py | psql", "psql"),
        ("echo 'select 1' | psql", "psql"),
    ] {
        let fed = format!("cat bad | {command}");
        holds_for_itself_alone(text, &[command, &fed, &format!("{command} < bad")]);
    }
    let label = exact_offer("cat ok.sh | ssh host").map(|offer| offer.label);
    let changeable = vec!["ok.sh".to_owned()];
    assert_eq!(label, Some(OfferLabel::Exact { commands: 1, changeable }));
    let data = exact_offer("git log | grep x").unwrap();
    assert!(!data.is_line(), "a search takes no commands: {data:?}");
}

#[test]
fn an_exact_rule_of_before_reads_no_file_and_a_typed_one_stays_as_it_is() {
    let argv = vec!["tee".to_owned(), "out.txt".to_owned()];
    let typed = Rule { id: 1, ..Rule::new(crate::Effect::Allow, Pattern::Exact(argv)) };
    let before = Rule { source: Source::Always, ..typed.clone() };
    assert_eq!(judged(std::slice::from_ref(&typed), "tee out.txt < ok.sql"), Decision::Allow);
    let asked = scene("tee out.txt < ok.sql").with_rule(before.clone()).judge_request();
    assert!(matches!(asked.cause, crate::Cause::NotCovered { gap: Gap::NoInput, .. }), "{:?}", asked.cause);
    assert_eq!(judged(&[before], "tee out.txt"), Decision::Allow);
}
