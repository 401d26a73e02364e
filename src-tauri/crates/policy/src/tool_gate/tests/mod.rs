use super::check_tool;
use crate::permissions::{DEFAULT_FILE, EntryOrigin, FileLayer, PermissionEntry, append, dangers};
use crate::{AgentId, AgentPolicy, Cause, Decision, Effect, SessionLayers, Settings};
use proptest::prelude::*;
use serde_json::{Value, json};

mod commands;

const HOME: &str = "/home/user";
/// Uses of tools, one per line, with the file and the layers that each is judged by.
const CASES: &str = include_str!("../../../../../../tests/fixtures/tools.jsonl");

fn policy(text: &str) -> AgentPolicy {
    let file = Some(FileLayer::parse(text, HOME).unwrap());
    AgentPolicy { file, ..AgentPolicy::new(AgentId::new("main").unwrap(), Settings::default()) }
}

fn check(text: &str, tool: &str, arguments: &Value) -> Decision {
    check_tool(&policy(text), None, tool, arguments, HOME).decision
}

use Decision::{Allow, Ask, Deny};

/// The rules that source 4 seeds, in its order.
#[test]
fn the_default_file_holds_the_source_s_rules() {
    let files = [
        (["read_file"].as_slice(), ["*.env", "*.env.*"].as_slice()),
        (&["write_file", "edit_file"], &["*.env", "*.env.*"]),
    ];
    let mut expected = vec![("*", "*", Effect::Ask)];
    for (tools, patterns) in files {
        for tool in tools {
            expected.push((tool, "*", Effect::Allow));
            expected.extend(patterns.iter().map(|pattern| (*tool, *pattern, Effect::Deny)));
            if *tool == "read_file" {
                expected.push((tool, "*credentials*", Effect::Deny));
                expected.push((tool, "*secret*", Effect::Deny));
                expected.push((tool, "*.env.example", Effect::Allow));
            }
        }
    }
    expected.extend([("glob", "*", Effect::Allow), ("grep", "*", Effect::Allow)]);
    expected.extend([("skill", "*", Effect::Ask), ("shell_exec", "*", Effect::Ask)]);
    let layer = FileLayer::parse(DEFAULT_FILE, HOME).unwrap();
    let read: Vec<_> = layer
        .entries()
        .iter()
        .map(|entry| (entry.tool.as_str(), entry.written.as_str(), entry.effect))
        .collect();
    assert_eq!(read, expected);
}

/// Each says what source 4 gives it, or less where the value could be read in more than one way.
#[test]
fn every_case_of_the_table_comes_out_as_it_deserves() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let read = |text: &Value| FileLayer::parse(text.as_str().unwrap(), HOME).unwrap();
        let mut policy = policy(case["permissions"].as_str().unwrap_or(DEFAULT_FILE));
        let parents =
            case["subagent"].as_array().map(|all| all.iter().map(read).collect()).unwrap_or_default();
        let runtime = case.get("runtime").map(read).unwrap_or_default();
        policy.sessions.insert("s".to_owned(), SessionLayers { parents, runtime, confined: false });
        let tool = case["tool"].as_str().unwrap();
        let verdict = check_tool(&policy, Some("s"), tool, &case["args"], HOME);
        let got = serde_json::to_value(verdict.decision).unwrap();
        if got != case["expect"] {
            wrong.push(format!("{line}\n    is {got}: {:?}", verdict.cause));
        }
        count += 1;
    }
    assert!(count >= 200, "{count} cases");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn always_adds_patterns_by_arity() {
    let always = |command: &str| {
        check_tool(&policy(DEFAULT_FILE), None, "shell_exec", &json!({ "command": command }), HOME).always
    };
    assert_eq!(always("git push origin main"), ["git push *"]);
    assert_eq!(always("npm run build"), ["npm run build"]);
    assert_eq!(always("cat README.md && git push x"), ["cat *", "git push *"]);
    assert!(always("$X").is_empty());
    let read = check_tool(&policy("{}"), None, "read_file", &json!({ "path": "a/b" }), HOME);
    assert_eq!(read.always, ["a/b"]);
    for arguments in [json!({}), json!({ "path": "a*b" }), json!({ "path": "a\u{200b}b" })] {
        let read = check_tool(&policy("{}"), None, "read_file", &arguments, HOME);
        assert_eq!(read.always, [""; 0], "{arguments}: nothing that stands for just this");
    }
}

#[test]
fn a_parents_deny_is_a_veto_and_the_runtime_loosens_an_ask() {
    let mut policy = policy(r#"{ "read_file": "allow", "write_file": "ask" }"#);
    let parent = FileLayer::parse(r#"{ "*": "deny", "write_file": "ask", "grep": "allow" }"#, HOME).unwrap();
    let runtime =
        FileLayer::parse(r#"{ "write_file": { "a.txt": "allow" }, "read_file": "allow" }"#, HOME).unwrap();
    policy
        .sessions
        .insert("sub".to_owned(), SessionLayers { parents: vec![parent], runtime, confined: false });
    let check =
        |session, tool, path| check_tool(&policy, session, tool, &json!({ "path": path }), HOME).decision;
    let got = check(Some("sub"), "read_file", "x");
    assert_eq!(got, Deny, "neither file nor runtime override a parent's deny");
    assert_eq!(check(None, "read_file", "x"), Allow, "other sessions are as before");
    assert_eq!(check(Some("sub"), "write_file", "a.txt"), Allow, "always loosens an ask");
    assert_eq!(check(Some("sub"), "write_file", "b.txt"), Ask);
    assert_eq!(check(Some("sub"), "grep", "b"), Allow);
}

#[test]
fn a_broken_file_denies_every_tool() {
    let mut policy = policy(DEFAULT_FILE);
    policy.file_problem = Some("line 2, column 1: expected comma".to_owned());
    let verdict = check_tool(&policy, None, "grep", &json!({}), HOME);
    assert_eq!(verdict.decision, Deny);
    let problem = "line 2, column 1: expected comma".to_owned();
    assert_eq!(verdict.cause, Cause::FileUnreadable { problem });
}

#[test]
fn a_file_without_a_person_in_the_loop_is_told() {
    for (text, part) in [
        (r#"{ "*": "allow" }"#, "the approval gate is off"),
        (r#"{ "read_file": "deny", "*": "allow" }"#, "the approval gate is off"),
        (r#"{ "shell_exec": "allow" }"#, "shell_exec is allowed"),
        (r#"{ "write_file": "allow" }"#, "write_file is allowed"),
        (r#"{ "*": "ask", "write_file": "allow" }"#, "write_file is allowed"),
        (r#"{ "write_file": "allow", "read_file": { "*.env": "deny" } }"#, "write_file is allowed"),
    ] {
        let found = dangers(&FileLayer::parse(text, HOME).unwrap());
        assert!(found.iter().any(|danger| danger.contains(part)), "{text}: {found:?}");
    }
    for text in [DEFAULT_FILE, "{}", r#"{ "*": "allow", "x": "ask", "*\\_*": "ask", "**": "ask" }"#] {
        assert!(dangers(&FileLayer::parse(text, HOME).unwrap()).is_empty(), "{text}");
    }
}

#[test]
fn a_file_is_as_long_as_a_person_would_write_one() {
    let padded = |bytes: usize| FileLayer::parse(&format!("{{}}{}", " ".repeat(bytes - 2)), HOME);
    assert!(padded(256 * 1024).is_ok());
    assert!(padded(256 * 1024 + 1).is_err() && padded(300 * 1024).is_err());
}

fn decision() -> BoxedStrategy<&'static str> {
    prop::sample::select(vec!["allow", "deny", "ask"]).boxed()
}

fn rules() -> BoxedStrategy<Vec<(&'static str, &'static str, &'static str)>> {
    let tools = prop::sample::select(vec!["*", "read_file", "shell_exec", "fs_*"]);
    let patterns = prop::sample::select(vec!["*", "*.env", "src/*", "git *", "git status"]);
    prop::collection::vec((tools, patterns, decision()), 0..6).boxed()
}

/// Returns a file with these rules, each tool once, in the order in which they come.
fn file_of(rules: &[(&str, &str, &str)]) -> FileLayer {
    let effect = |word: &str| match word {
        "allow" => Effect::Allow,
        "deny" => Effect::Deny,
        _ => Effect::Ask,
    };
    let entry = |(tool, pattern, word): &(&str, &str, &str)| {
        PermissionEntry::new(tool, pattern, effect(word), HOME, EntryOrigin::Session).unwrap()
    };
    FileLayer::new(rules.iter().map(entry).collect())
}

fn use_of_a_tool() -> BoxedStrategy<(&'static str, Value)> {
    let paths = ["x", ".env", "src/a", "../x", "/etc/x"].map(|path| ("read_file", json!({ "path": path })));
    let commands = ["git status", "git push", "ls | cat", "$X", "X=1"]
        .map(|command| ("shell_exec", json!({ "command": command })));
    prop::sample::select([paths.as_slice(), commands.as_slice(), &[("fs_read", json!({}))]].concat()).boxed()
}

proptest! {
    #[test]
    fn a_subagents_layer_never_loosens_and_its_deny_is_final(
        above in rules(), file in rules(), runtime in rules(), (tool, arguments) in use_of_a_tool()
    ) {
        let judged = |parents: Vec<FileLayer>, file: &[(&str, &str, &str)], runtime: &[(&str, &str, &str)]| {
            let mut policy = AgentPolicy { file: Some(file_of(file)), ..policy("{}") };
            let layers = SessionLayers { parents, runtime: file_of(runtime), confined: false };
            policy.sessions.insert("s".to_owned(), layers);
            check_tool(&policy, Some("s"), tool, &arguments, HOME).decision
        };
        let alone = judged(vec![file_of(&above)], &[], &[]);
        if alone == Deny {
            prop_assert_eq!(judged(vec![file_of(&above)], &file, &runtime), Deny);
        }
        let denies = judged(Vec::new(), &file, &runtime) == Deny;
        let layered = judged(vec![file_of(&above)], &file, &runtime);
        prop_assert!(!denies || layered == Deny, "what the file denies, no layer above it allows");
    }

    #[test]
    fn the_last_rule_of_a_tool_has_the_last_word(file in rules(), word in decision()) {
        let mut rules = file;
        rules.push(("read_file", "*", word));
        let policy = AgentPolicy { file: Some(file_of(&rules)), ..policy("{}") };
        let verdict = check_tool(&policy, None, "read_file", &json!({ "path": "a" }), HOME);
        prop_assert_eq!(serde_json::to_value(verdict.decision).unwrap(), word);
    }

    #[test]
    fn a_denied_value_stays_denied_whatever_stands_before(file in rules()) {
        let mut rules = file;
        rules.push(("read_file", "*.env", "deny"));
        let policy = AgentPolicy { file: Some(file_of(&rules)), ..policy("{}") };
        for path in [".env", "a/.ENV", "./x/../.env", "../.env"] {
            let verdict = check_tool(&policy, None, "read_file", &json!({ "path": path }), HOME);
            prop_assert_eq!(verdict.decision, Deny);
        }
    }

    #[test]
    fn what_is_appended_is_read_back_and_nothing_is_lost(
        tool in prop::sample::select(vec!["read_file", "shell_exec", "my_tool", "glob"]),
        pattern in "[a-z]{1,6}( [a-z]{1,4})?( \\*)?",
        comment in "[a-z ]{0,12}",
    ) {
        let text = format!("// {comment}\n{DEFAULT_FILE}");
        let after = append(&text, tool, &pattern).unwrap();
        let before = FileLayer::parse(&text, HOME).unwrap();
        let layer = FileLayer::parse(&after, HOME).unwrap();
        prop_assert!(after.starts_with(&format!("// {comment}\n")), "comments stay");
        let plain = |layer: &FileLayer| -> Vec<(String, String, Effect)> {
            layer.entries().iter().map(|entry| (entry.tool.clone(), entry.written.clone(), entry.effect)).collect()
        };
        let (old, new) = (plain(&before), plain(&layer));
        prop_assert!(old.iter().all(|entry| new.contains(entry)), "every rule is still there");
        prop_assert!(new.contains(&(tool.to_owned(), pattern.clone(), Effect::Allow)));
        prop_assert_eq!(append(&after, tool, &pattern).unwrap(), after, "twice is once");
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[\\[\\]{}\":,/*a \\\\\n!@+()|é]{0,60}") {
        if let Ok(layer) = FileLayer::parse(&text, HOME) {
            prop_assert!(layer.entries().len() <= text.len());
        }
        // Broken or not: what is said names a place in it.
        if let Err(error) = FileLayer::parse(&text, HOME) {
            prop_assert!(error.line >= 1 && error.column >= 1);
        }
    }
}

#[test]
fn a_file_by_a_name_that_only_macos_knows_is_the_file() {
    const DENIED: &str = "{ \"write_file\": { \"*\": \"allow\", \"/etc/**\": \"deny\" } }";
    const ALLOWED: &str = "{ \"write_file\": { \"/Users/u/p/**\": \"allow\" } }";
    let judged = |rules: &str, path: &str| check(rules, "write_file", &json!({ "path": path }));
    for path in [
        "/.nofollow/etc/hosts", "/.resolve/2/private/etc/hosts", "/System/Volumes/Data/private/etc/hosts",
        "/etc/hosts/..namedfork/data",
    ] {
        assert_eq!(judged(DENIED, path), Decision::Deny, "{path}");
    }
    assert_eq!(judged(DENIED, "/.vol/1/2"), Decision::Ask, "only the system knows which file that is");
    assert_eq!(judged(ALLOWED, "/Users/u/p/x"), Decision::Allow);
    for path in ["/.nofollow/Users/u/p/x", "/.vol/1/2", "/System/Volumes/Data/Users/u/p/x"] {
        assert_eq!(judged(ALLOWED, path), Decision::Ask, "an alias widens nothing: {path}");
    }
}
