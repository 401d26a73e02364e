//! Tests of the limits of an offer: its rule covers the next command of its kind, and nothing that does more.

use crate::testing::{HOME, Scene, rows};
use crate::{Decision, Pattern, Rule, RuleOrigin, TargetPath};

fn scene(command: &str) -> Scene {
    let more = [
        "head", "mkdir", "ssh", "sed", "node", "tar", "zip", "unzip", "pax", "ln", "wget", "gh", "psql",
        "rsync", "kill", "make", "just", "mvn", "gradle", "uudecode", "convert", "gnuplot", "mpv", "ffmpeg",
        "split", "pandoc", "helm", "dart", "dig", "pip", "yarn", "uv", "pipx", "conda", "gem", "poetry",
        "mise", "brew", "pod", "gcc", "rustc", "go", "ffprobe", "glow", "svn", "grep", "identify",
        "exiftool", "nmap", "tofu", "jira", "docker", "flyway", "liquibase", "vite", "next", "bazel", "date",
        "npx", "pytest", "alembic", "sentry-cli", "dotnet", "tool", "astro", "chromatic", "stripe", "turbo",
        "nx", "lerna", "symfony", "openai", "kafka-topics", "mlflow", "argocd", "kubectl", "aws",
        "tensorboard", "swift", "jupytext", "datasette", "vllm", "lm_eval", "emulator", "aliyun",
        "databricks", "az", "pnpm", "dvc", "pg_isready",
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

/// A command for which a rule is saved, and commands after it.
#[derive(serde::Deserialize)]
struct SavedCase {
    /// The property that it shows.
    name: String,
    given: String,
    /// Commands that the rule allows, as it allows `given`.
    covered: Vec<String>,
    /// Commands that it does not allow.
    asked: Vec<String>,
    /// Settings that differ from a new agent's.
    #[serde(default)]
    settings: crate::Settings,
}

#[test]
fn a_saved_rule_covers_the_commands_that_its_case_says() {
    for case in rows::<SavedCase>(include_str!("saved.jsonl")) {
        let SavedCase { name, given, covered, asked, settings } = &case;
        let rules = saved(given);
        let allowed = [given].into_iter().chain(covered).map(|command| (command, true));
        for (command, allowed) in allowed.chain(asked.iter().map(|command| (command, false))) {
            let mut scene = scene(command);
            scene.rules.clone_from(&rules);
            scene.policy.settings = settings.clone();
            let verdict = scene.judge_request();
            let (got, cause) = (verdict.decision == Decision::Allow, verdict.cause);
            assert_eq!(got, allowed, "{name}: {command}, after {given}: {cause:?}");
        }
    }
}

#[test]
fn places_of_the_system_are_read_only() {
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
fn code_that_the_shell_completes_gets_no_offer() {
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
fn limits_belong_to_narrow_allow_rules() {
    let rule = &saved("npm test")[0];
    assert!(crate::check_rule(rule, HOME).is_ok());
    assert!(crate::check_rule(&Rule { broad: true, ..rule.clone() }, HOME).is_err());
    let denies = Rule { effect: crate::Effect::Deny, folder: None, ..rule.clone() };
    assert!(crate::check_rule(&denies, HOME).is_err());
}
