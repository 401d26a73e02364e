//! Rules that the offer of an exact command saves: they hold for exactly what was shown.

use crate::testing::{Scene, rows};
use crate::{AlwaysOffer, Decision, Gap, OfferLabel, Pattern, Rule, RuleOrigin, Source, TargetPath};

const PROGRAMS: [&str; 27] = [
    "ssh", "psql", "mysql", "docker", "kubectl", "crontab", "nc", "mail", "timeout", "strace", "test",
    "make", "patch", "jq", "kill", "lsof", "xargs", "find", "rm", "pip", "yt-dlp", "head", "pgrep", "ps",
    "awk", "mktemp", "mkdir",
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

/// A command, and what its exact offer is or saves.
#[derive(serde::Deserialize)]
struct ExactCase {
    /// The property that it shows.
    name: String,
    text: String,
    /// Commands that the saved rules do not allow, unlike `text`.
    #[serde(default)]
    others: Vec<String>,
    /// `command`, `no-command`, `no-line` for none about the whole line, or `none`.
    offer: Option<String>,
}

#[test]
fn exact_offers_are_what_their_cases_say() {
    for ExactCase { name, text, others, offer } in rows(include_str!("exact.jsonl")) {
        let Some(expected) = offer else {
            holds_for_itself_alone(&text, &others.iter().map(String::as_str).collect::<Vec<_>>());
            continue;
        };
        let is_line = exact_offer(&text).map(|offer| offer.is_line());
        let holds = match expected.as_str() {
            "none" => is_line.is_none(),
            "command" => is_line == Some(false),
            "no-command" => is_line != Some(false),
            "no-line" => is_line != Some(true),
            other => panic!("{other}"),
        };
        assert!(holds, "{name}: {text}: {is_line:?}");
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
fn a_line_writes_over_no_link() {
    for (text, written) in [
        ("docker logs $(docker ps -qf name=web) > out.txt", "out.txt"),
        ("cat > app/[slug]/page.tsx <<'E'\nx\nE", "/Users/u/project/app/s/page.tsx"),
    ] {
        let rules = saved(&exact_offer(text).unwrap());
        let mut linked = rules.iter().fold(scene(text), |scene, rule| scene.with_rule(rule.clone()));
        linked.targets = vec![TargetPath { written: written.to_owned(), real: "/Users/u/.zshrc".to_owned() }];
        assert_ne!(linked.judge_request().decision, Decision::Allow, "{text}");
    }
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
