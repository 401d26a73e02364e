use super::{Allowed, document, read_document};
use crate::pattern::pattern_text;
use crate::testing::{Scene, person_rule, rows};
use crate::{Ask, Decision, Effect, Fallback, Pattern, Rule, Security, Settings};
use proptest::prelude::*;
use serde_json::{Value, json};

fn with(entry: &Value) -> super::OpenclawEntry {
    let text = json!({"version": 1, "agents": {"main": {"allowlist": [entry]}}}).to_string();
    read_document(&text).unwrap().for_agent(Some("main")).allowlist.remove(0)
}

fn said(entry: &Value) -> Vec<String> {
    let allowed = with(entry).allowed().unwrap_or_else(|why| panic!("{entry}: {why}"));
    let text = |allowed: Allowed| {
        let arguments = allowed.arguments.map(|words| format!(" + {words:?}")).unwrap_or_default();
        format!("{}{arguments}", pattern_text(&allowed.pattern))
    };
    allowed.into_iter().map(text).collect()
}

fn why_not(entry: &Value) -> String {
    with(entry).allowed().unwrap_err()
}

#[test]
fn a_program_is_named_by_path_by_glob_or_by_name() {
    assert_eq!(said(&json!("/usr/bin/rg")), ["/usr/bin/rg"]);
    assert_eq!(said(&json!({"pattern": "~/Projects/**/bin/*", "source": null})), ["~/Projects/**/bin/*"]);
    assert_eq!(said(&json!("rg")), ["rg *"]);
    assert_eq!(said(&json!({"pattern": "git", "argPattern": "^status$"})), ["git status"]);
    for (entry, part) in [
        (json!("*"), "every program"),
        (json!("py*"), "* or ?"),
        (json!("/opt/{a,b}"), "stand for themselves"),
        (json!("./rg"), "does not start with /"),
        (json!("C:\\bin\\rg.exe"), "stand for themselves"),
    ] {
        let told = why_not(&entry);
        assert!(told.contains(part), "{entry}: {told}");
    }
}

/// An expression of arguments of `git`, with the rules that it becomes, or part of the reason why it becomes none.
#[derive(serde::Deserialize)]
struct ExpressionCase {
    expression: String,
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    because: String,
}

#[test]
fn an_expression_becomes_words_that_allow_no_more() {
    for ExpressionCase { expression, words, because } in rows(include_str!("tests.jsonl")) {
        let entry = json!({"pattern": "git", "argPattern": expression});
        if words.is_empty() {
            let told = why_not(&entry);
            assert!(told.contains(&because), "{expression}: {told}");
        } else {
            assert_eq!(said(&entry), words, "{expression}");
        }
    }
    let by_path = json!({"pattern": "/usr/bin/git", "argPattern": "^push( .*)?$"});
    assert_eq!(said(&by_path), [r#"/usr/bin/git + ["push", "**"]"#]);
    assert_eq!(said(&json!({"pattern": "/usr/bin/git", "argPattern": "^$"})), ["/usr/bin/git + []"]);
}

#[test]
fn what_openclaw_wrote_itself_is_left_out_with_the_reason() {
    for arguments in [json!(null), json!("^push$")] {
        let own = json!({"pattern": "/usr/bin/git", "argPattern": arguments, "source": "allow-always"});
        assert!(why_not(&own).contains("OpenClaw wrote it itself"), "{own}");
    }
    let hashed = json!({"pattern": "/usr/bin/git", "argPattern": "sha256:cwd-argv:v1:ab", "lastUsedCommand": "git push"});
    assert!(why_not(&hashed).ends_with("last used for: git push"));
}

/// The hash is of `push origin` in `/Users/u/p`: see `arguments.rs`.
const HASH: &str = "sha256:cwd-argv:v1:fa3d2efe1a7475fa313a98de9ca633c7e5f240309942abc7efda7ede3564861c";

#[test]
fn what_is_always_allowed_in_one_folder_stays_bound_to_it() {
    let entry = json!({"pattern": "/usr/bin/git", "argPattern": HASH, "source": "allow-always"});
    let [allowed] = with(&entry).allowed().unwrap().try_into().unwrap();
    let bound =
        Rule { args: allowed.arguments, ..person_rule(1, Effect::Allow, &pattern_text(&allowed.pattern)) };
    for (folder, line, expected) in [
        ("/Users/u/p", "git push origin", true),
        ("/Users/u/p", "git push", false),
        ("/Users/u/p", "git push origin main", false),
        ("/Users/u/p", "ls push origin", false),
        ("/Users/u", "git push origin", false),
    ] {
        let mut scene = Scene::new().with_rule(bound.clone()).with_shell_text(line);
        folder.clone_into(&mut scene.cwd);
        assert_eq!(scene.judge_request().decision == Decision::Allow, expected, "{line} in {folder}");
    }
    let (text, left_out) = document("claw", &Settings::default(), &[bound]);
    assert!(left_out.is_empty(), "{left_out:?}");
    let back = &text["agents"]["claw"]["allowlist"][0];
    assert_eq!((&back["pattern"], &back["argPattern"]), (&json!("/usr/bin/git"), &json!(HASH)));
    let by_name = why_not(&json!({"pattern": "git", "argPattern": HASH}));
    assert!(by_name.contains("not named by its path"), "{by_name}");
}

#[test]
fn an_agents_own_word_counts_before_every_agents_and_that_before_the_defaults() {
    let text = json!({
        "version": 1,
        "socket": {"path": "/x", "token": "secret"},
        "defaults": {"security": "full", "ask": "off", "autoAllowSkills": true},
        "agents": {
            "*": {"security": "allowlist", "allowlist": ["/bin/a"]},
            "default": {"ask": "always", "allowlist": ["/bin/b"]},
            "main": {"askFallback": "full", "allowlist": [{"pattern": "/bin/c", "later": {"kept": 1}}],
                     "mcpTools": [{"server": "s", "tool": "t", "source": "allow-always", "addedAt": 1}]},
        },
    });
    let document = read_document(&text.to_string()).unwrap();
    assert_eq!(document.agents(), ["main"], "its former name is the same agent");
    let main = document.for_agent(Some("main"));
    let got = (main.said.security, main.said.ask, main.said.fallback, main.said.skills);
    assert_eq!(got, (Some(Security::Allowlist), Some(Ask::Always), Some(Fallback::Full), Some(true)));
    let patterns: Vec<&str> = main.allowlist.iter().map(|entry| entry.pattern.as_str()).collect();
    assert_eq!(patterns, ["/bin/a", "/bin/b", "/bin/c"]);
    assert_eq!(main.tools, ["s t"]);
    let other = document.for_agent(Some("other"));
    let got = (other.said.ask, other.allowlist.len());
    assert_eq!(got, (Some(Ask::Off), 1), "who is not named has what is every agent's");
    assert_eq!(
        read_document(r#"{"version":1}"#).unwrap().for_agent(None).said,
        super::OpenclawSettings::default()
    );
}

#[test]
fn a_mistake_names_its_field() {
    for (text, field) in crate::testing::rows::<(String, String)>(include_str!("fields.jsonl")) {
        let told = read_document(&text).unwrap_err().to_string();
        assert!(told.starts_with(&field), "{text}: {told}");
    }
}

#[test]
fn what_goes_out_comes_back_with_its_meaning() {
    let settings = Settings {
        ask: Ask::Always,
        fallback: Fallback::Allowlist,
        allow_skills: true,
        ..Settings::default()
    };
    let arguments = Rule {
        args: Some(vec!["-n".to_owned(), "**".to_owned()]),
        ..person_rule(5, Effect::Allow, "/usr/bin/tail")
    };
    let rules = [
        person_rule(1, Effect::Allow, "git push *"),
        person_rule(2, Effect::Allow, "npm run build.all"),
        person_rule(3, Effect::Allow, "~/bin/*"),
        person_rule(4, Effect::Allow, "rg *"),
        arguments,
    ];
    let (text, left_out) = document("claw", &settings, &rules);
    assert!(left_out.is_empty(), "{left_out:?}");
    let back = read_document(&text.to_string()).unwrap().for_agent(Some("claw"));
    let got = (back.said.ask, back.said.fallback, back.said.skills);
    assert_eq!(got, (Some(Ask::Always), Some(Fallback::Allowlist), Some(true)));
    for (rule, entry) in rules.iter().zip(&back.allowlist) {
        let allowed = entry.allowed().unwrap();
        assert_eq!(allowed.len(), 1, "{entry:?}");
        let words = |pattern: &Pattern| postern_command::words_of(&pattern_text(pattern)).unwrap();
        assert_eq!(
            (words(&allowed[0].pattern), &allowed[0].arguments),
            (words(&rule.pattern), &rule.args),
            "{entry:?}"
        );
    }
}

#[test]
fn what_has_no_words_there_is_named() {
    let rules = [
        person_rule(1, Effect::Deny, "rm *"),
        person_rule(2, Effect::Allow, "/opt/[ab]/x"),
        person_rule(3, Effect::Allow, "git commit -m 'two words'"),
        person_rule(4, Effect::Allow, "npm run test:* --watch"),
        Rule { allow_writes: true, ..person_rule(5, Effect::Allow, "/bin/tee") },
    ];
    let (text, left_out) = document("claw", &Settings::default(), &rules);
    assert_eq!(text["agents"]["claw"]["allowlist"], json!([]));
    let whys: Vec<&str> = left_out.iter().map(|(_, why)| *why).collect();
    for (why, part) in whys.iter().zip(["deny rules", "classes", "blank", "star", "write"]) {
        assert!(why.contains(part), "{why}");
    }
    assert_eq!(whys.len(), 5);
}

proptest! {
    #[test]
    fn any_expression_is_read_or_refused(expression in r"\^?[a-c .*+?()|$\\bsS\[\]^{}]{0,24}") {
        drop(with(&json!({"pattern": "git", "argPattern": expression})).allowed());
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        drop(read_document(&text));
    }
}
