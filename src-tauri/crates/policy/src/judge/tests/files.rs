//! Deny rules about files hold for every program, in every spelling.

use crate::cause::{Cause, Doubt};
use crate::decision::{Decision, Reason};
use crate::facts::TargetPath;
use crate::rule::{Effect, FileAccess, Pattern, Rule, RuleId};
use crate::settings::{Ask, Fallback, Security};
use crate::subject::Origin;
use crate::testing::{Scene, rows};
use Decision::{Allow, Ask as Asks, Deny};

const MORE: [&str; 45] = [
    "docker", "tar", "rg", "sed", "node", "mytool", "head", "zip", "make", "ln", "diff", "awk", "chmod",
    "mkdir", "rsync", "jq", "fd", "7z", "aws", "cpio", "ffmpeg", "gcc", "gh", "gpg", "gzip", "install",
    "mkfifo", "pax", "printf", "scp", "split", "sqlite3", "strace", "terraform", "ugrep", "unzip", "wget",
    "yq", "xargs", "find", "git", "sort", "curl", "cargo", "date",
];

fn rule(id: RuleId, pattern: Pattern) -> Rule {
    Rule { id, ..Rule::new(Effect::Deny, pattern) }
}

/// Returns an agent that may run everything that no rule denies.
fn scene(pattern: Pattern) -> Scene {
    let mut scene = Scene::new().with_settings(|settings| settings.security = Security::Full);
    for name in MORE {
        scene = scene.program(&format!("/usr/bin/{name}"), name);
    }
    scene.with_rule(rule(1, pattern))
}

fn reads(text: &str) -> Scene {
    scene(Pattern::Read(text.to_owned()))
}

/// Lines that one deny rule about files meets in one way.
#[derive(serde::Deserialize)]
struct FileCase {
    /// The property that it shows.
    name: String,
    pattern: Pattern,
    expect: Decision,
    lines: Vec<String>,
}

#[test]
fn deny_rules_about_files_meet_lines_as_their_cases_say() {
    for FileCase { name, pattern, expect, lines } in rows(include_str!("files.jsonl")) {
        for line in lines {
            let verdict = scene(pattern.clone()).with_shell_text(&line).judge_request();
            assert_eq!(verdict.decision, expect, "{name}: {line}: {:?}", verdict.cause);
        }
    }
}

#[test]
fn a_link_is_followed() {
    let target =
        |written: &str, real: &str| TargetPath { written: written.to_owned(), real: real.to_owned() };
    for line in ["cat link", "mytool --in=link", "head < link"] {
        let mut scene = reads("**/.env").with_shell_text(line);
        scene.targets = vec![target("link", "/Users/u/project/.env")];
        assert_eq!(scene.judge_request().decision, Deny, "{line}");
    }
    let mut scene = reads("**/.env").with_shell_text("cat link");
    scene.targets = vec![target("link", "/Users/u/project/x")];
    assert_eq!(scene.judge_request().decision, Allow);
}

#[test]
fn no_allow_rule_overrides_it_and_its_cause_says_what_it_is_about() {
    for allow in ["cat *", "cat .env"] {
        let allowed = Scene::new().with_allow_rule(allow);
        assert_eq!(allowed.with_shell_text("cat .env").judge_request().decision, Allow);
        let verdict = Scene::new()
            .with_allow_rule(allow)
            .with_rule(rule(7, Pattern::Read("**/.env".to_owned())))
            .with_shell_text("cat .env")
            .judge_request();
        assert_eq!((verdict.decision, verdict.reason), (Deny, Reason::Denylist));
        assert_eq!(verdict.rule.unwrap().id, 7);
        let Cause::File { path, access: FileAccess::Read, rule } = verdict.cause else { panic!("{allow}") };
        assert_eq!((path.as_str(), rule.pattern.as_str()), (".env", "**/.env"));
    }
    let mut own = reads("**/.env").with_shell_text("cat .env");
    own.origin = Origin::AgentShell;
    assert_eq!(own.judge_request().decision, Deny, "in the agent's own shell too");
    let argv = reads("**/.env").with_argv(&["cat", ".env"]);
    assert_eq!(argv.judge_request().decision, Deny);
}

#[test]
fn a_doubt_is_denied_where_nobody_is_asked() {
    let read_only = || {
        Scene::new()
            .with_settings(|settings| settings.look = crate::Access::Allow)
            .with_rule(rule(1, Pattern::Read("**/.env".to_owned())))
    };
    let verdict = read_only().with_shell_text("grep -r x .").judge_request();
    assert_eq!(verdict.decision, Asks, "the read-only list does not let it through");
    assert!(
        matches!(verdict.cause, Cause::FileMayBeMeant { ref word, .. } if word == "grep"),
        "{:?}",
        verdict.cause
    );
    for line in ["grep -r x .", "cat $X", "python3 -c 'open(\".env\")'"] {
        let off = reads("**/.env")
            .with_settings(|settings| settings.ask = Ask::Off)
            .with_shell_text(line)
            .judge_request();
        assert_eq!((off.decision, off.reason), (Deny, Reason::Denylist), "{line}");
        let full = Scene::new()
            .with_settings(|settings| settings.fallback = Fallback::Full)
            .with_rule(rule(1, Pattern::Read("**/.env".to_owned())));
        assert_eq!(full.with_shell_text(line).judge_unanswered().decision, Deny, "{line}");
    }
    let named = reads("**/.env").with_shell_text("python3 -c 'open(\".env\")'").judge_request();
    assert!(
        matches!(named.cause, Cause::MayMeanNamed { doubt: Doubt::Part(_), ref word, .. } if word == ".env")
    );
}

#[test]
fn the_first_of_several_rules_is_told_and_one_that_is_over_does_not_count() {
    let two = reads("**/x").with_rule(rule(2, Pattern::Read("**/.env".to_owned())));
    assert_eq!(two.with_shell_text("cat .env").judge_request().rule.unwrap().id, 2);
    let over =
        Rule { lifetime: crate::rule::Lifetime::Until(10), ..rule(1, Pattern::Read("**/.env".to_owned())) };
    let scene = Scene::new().with_settings(|settings| settings.security = Security::Full).with_rule(over);
    assert_eq!(scene.with_shell_text("cat .env").judge_request().decision, Allow);
}

#[test]
fn nothing_is_offered_that_would_not_help() {
    let scene =
        Scene::new().with_rule(rule(1, Pattern::Read("**/.env".to_owned()))).with_shell_text("grep -r x .");
    assert_eq!(scene.offers().len(), 0, "{:?}", scene.offers());
}
