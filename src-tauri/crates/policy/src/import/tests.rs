use super::{Becomes, ExportTarget, ForeignEntry, Product, Taking, export, read_product_file};
use crate::agent::AgentPolicy;
use crate::pattern::pattern_text;
use crate::permissions::FileLayer;
use crate::rule::{Effect, Pattern, Rule, RuleOrigin};
use crate::testing::{HOME, person_rule, rows};
use crate::tool_gate::check_tool;

fn taking(broad: bool) -> Taking {
    Taking { home: HOME.to_owned(), project: None, origin: RuleOrigin::AgentShell, broad }
}

fn in_project() -> Taking {
    Taking { project: Some("/Users/u/site".to_owned()), ..taking(false) }
}

/// Returns the result for an entry as a text.
fn told(entry: &ForeignEntry) -> String {
    match &entry.becomes {
        Becomes::Rules(rules) => {
            let text = |rule: &Rule| {
                let broad = if rule.broad { " (broad)" } else { "" };
                format!("{:?} {}{broad}", rule.effect, pattern_text(&rule.pattern))
            };
            rules.iter().map(text).collect::<Vec<_>>().join(", ")
        }
        Becomes::Lines(lines) => {
            let text =
                |line: &super::PermissionLine| format!("{:?} {} {}", line.effect, line.tool, line.pattern);
            lines.iter().map(text).collect::<Vec<_>>().join(", ")
        }
        Becomes::LeftOut(why) => format!("{why:?}"),
    }
}

fn claude(list: &str, rule: &str, taking: &Taking) -> String {
    let text = serde_json::json!({ "permissions": { list: [rule] } }).to_string();
    told(&read_product_file(Product::ClaudeCode, "settings.json", &text, taking).unwrap()[0])
}

/// An entry of Claude Code's settings, and what becomes of it.
#[derive(serde::Deserialize)]
struct ClaudeCase {
    list: String,
    written: String,
    broad: bool,
    becomes: String,
}

#[test]
fn denials_of_claude_code_deny_at_least_as_much() {
    let spread = claude("deny", "Bash(git push *--force*)", &taking(false));
    let rules = spread.split(", ").map(|text| text.strip_prefix("Deny ").unwrap());
    let rules: Vec<Rule> = rules.zip(1..).map(|(text, id)| person_rule(id, Effect::Deny, text)).collect();
    for (line, denied) in [
        ("git push --force", true),
        ("git push origin main --force", true),
        ("git push -u origin main --force-with-lease", true),
        ("git push origin main", false),
    ] {
        let verdict = crate::testing::Scene::new()
            .with_allow_rule("git push *")
            .with_shell_text(line)
            .judged_with(&rules);
        assert_eq!(verdict.decision == crate::Decision::Deny, denied, "{line}");
    }
}

#[test]
fn questions_and_tools_of_claude_code_become_lines() {
    for ClaudeCase { list, written, broad, becomes } in rows(include_str!("claude_code.jsonl")) {
        assert_eq!(claude(&list, &written, &taking(broad)), becomes, "{list} {written}");
    }
    let edit = claude("allow", "Edit(/src/**)", &in_project());
    assert_eq!(edit, "Allow edit_file /Users/u/site/src/**, Allow write_file /Users/u/site/src/**");
}

/// Judges a use of `read_file` by what becomes of an entry.
fn may_read(written: &str, path: &str, taking: &Taking) -> crate::Decision {
    let text = serde_json::json!({ "permissions": { "allow": [written] } }).to_string();
    let entries = read_product_file(Product::ClaudeCode, "settings.json", &text, taking).unwrap();
    let Becomes::Lines(lines) = &entries[0].becomes else { panic!("{:?}", entries[0]) };
    let mut file = "{}".to_owned();
    for line in lines {
        file = crate::permissions::append(&file, &line.tool, &line.pattern).unwrap();
    }
    let policy = AgentPolicy {
        file: Some(FileLayer::parse(&file, HOME).unwrap()),
        ..AgentPolicy::new(crate::AgentId::new("a").unwrap(), crate::Settings::default())
    };
    let arguments = serde_json::json!({ "path": path });
    check_tool(&policy, None, "read_file", &arguments, HOME).decision
}

#[test]
fn a_star_that_stays_in_its_folder_stays_there() {
    let taking = in_project();
    for (written, path, expected) in [
        ("Read(src/*.ts)", "/Users/u/site/src/a.ts", true),
        ("Read(src/*.ts)", "/Users/u/site/src/deep/a.ts", false),
        ("Read(src/**/*.ts)", "/Users/u/site/src/deep/a.ts", true),
        ("Read(src/**)", "/Users/u/site/src/deep/a.ts", true),
        ("Read(src/**)", "/Users/u/other/src/a.ts", false),
        ("Read(*.md)", "/Users/u/site/docs/a.md", true),
        ("Read(*.md)", "/Users/u/other/a.md", false),
    ] {
        let allowed = may_read(written, path, &taking) == crate::Decision::Allow;
        assert_eq!(allowed, expected, "{written} {path}");
    }
}

#[test]
fn rules_of_projects_hold_in_the_project_and_in_the_agents_own_shell() {
    let text = r#"{"permissions":{"allow":["Bash(npm test:*)"],"deny":["Bash(rm:*)"]}}"#;
    let entries = read_product_file(Product::ClaudeCode, "settings.json", text, &in_project()).unwrap();
    let rules: Vec<&Rule> = entries
        .iter()
        .flat_map(|entry| match &entry.becomes {
            Becomes::Rules(rules) => rules.iter(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!((rules[0].effect, rules[0].folder.as_deref()), (Effect::Deny, None));
    assert_eq!(rules[1].folder.as_deref(), Some("/Users/u/site"));
    assert_eq!((rules[0].origin, rules[1].origin), (RuleOrigin::Any, RuleOrigin::AgentShell));
}

#[test]
fn the_other_programs_are_read_entry_by_entry() {
    let all = |product, name: &str, text: &str, broad| -> Vec<String> {
        read_product_file(product, name, text, &taking(broad)).unwrap().iter().map(told).collect()
    };
    let rules = "prefix_rule(pattern=[\"git\", [\"push\", \"fetch\"]], decision=\"prompt\")\n\
                 prefix_rule(pattern=[\"cargo\", \"test\"])\nprefix_rule(pattern=[\"rm\"], decision=\"forbidden\")\nx = 1\n";
    let codex = [
        "Ask shell_exec git push *, Ask shell_exec git fetch *", "Allow cargo test *", "Deny rm *", "NoRule",
    ];
    assert_eq!(all(Product::Codex, "default.rules", rules, false), codex);

    let cursor = r#"{ // mine
        "terminalAllowlist": ["git", "cargo build", "npm:run test*"], "mcpAllowlist": ["github:*"],
        "permissions": { "allow": ["Shell(ls)", "Read(~/x/**)"], "deny": ["Shell(rm)", "Write(**/*.key)"] } }"#;
    assert_eq!(
        all(Product::Cursor, "permissions.json", cursor, false),
        [
            "Deny rm *",
            "Deny write_file **/*.key, Deny write_file **/*.key/**, Deny edit_file **/*.key, Deny edit_file **/*.key/**",
            "Allow ls *",
            "Allow read_file ~/x/**",
            "Allow git *",
            "Allow cargo build *",
            "Allow npm run test *",
            "Allow github_* *",
        ]
    );

    let policies = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"git status\", \"npm test\"]\ndecision = \"allow\"\n\
        priority = 1\n[[rule]]\ncommandRegex = \"rm.*\"\ndecision = \"deny\"\n[[rule]]\ntoolName = \"replace\"\ndecision = \"allow\"\n\
        modes = [\"yolo\"]\n[[rule]]\ntoolName = \"web_fetch\"\ndecision = \"ask_user\"\n";
    let gemini = ["Allow git status *", "Allow npm test *", "Regex", "Sometimes", "Ask web_fetch *"];
    assert_eq!(all(Product::GeminiCli, "mine.toml", policies, false), gemini);
    let settings =
        r#"{"tools":{"allowed":["run_shell_command(git)","run_shell_command"],"exclude":["write_file"]}}"#;
    let gemini = ["Deny write_file *", "Allow git *", "Everything"];
    assert_eq!(all(Product::GeminiCli, "settings.json", settings, false), gemini);

    let vscode = r#"{"chat.tools.terminal.autoApprove": { "mkdir": true, "rm": false, "/^git status$/": true,
        "/^git (log|show)/": true, "/^npm test\\b/": { "approve": true, "matchCommandLine": true }, "ls": null }}"#;
    let expected =
        ["Regex", "Allow git status", "Allow npm test *", "NoRule", "Allow mkdir *", "Ask shell_exec rm *"];
    let mut found = all(Product::VsCode, "settings.json", vscode, false);
    let mut expected = expected.map(str::to_owned).to_vec();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_file_that_is_none_is_named_with_its_mistake() {
    for (product, name, text) in [
        (Product::ClaudeCode, "settings.json", "{"),
        (Product::GeminiCli, "x.toml", "[[rule]"),
        (Product::VsCode, "settings.json", "[1"),
    ] {
        assert!(read_product_file(product, name, text, &taking(false)).is_err(), "{text}");
    }
    assert_eq!(read_product_file(Product::ClaudeCode, "settings.json", "{}", &taking(false)), Ok(Vec::new()));
}

#[test]
fn an_export_allows_no_more_there() {
    let broad = Rule { broad: true, ..person_rule(4, Effect::Allow, "docker *") };
    let rules = [
        person_rule(1, Effect::Allow, "git status"),
        person_rule(2, Effect::Allow, "npm test *"),
        person_rule(3, Effect::Deny, "git push"),
        broad,
        Rule { folder: Some("/x".to_owned()), ..person_rule(5, Effect::Allow, "make") },
    ];
    let (text, left_out) = export(ExportTarget::ClaudeCode, &rules, false);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["permissions"]["allow"], serde_json::json!(["Bash(git status)", "Bash(docker:*)"]));
    assert_eq!(document["permissions"]["deny"], serde_json::json!(["Bash(git push:*)"]));
    assert_eq!(left_out.iter().map(|(rule, _)| rule.id).collect::<Vec<_>>(), [2, 5]);
    let (text, left_out) = export(ExportTarget::Codex, &rules, true);
    assert_eq!(left_out.len(), 1, "{left_out:?}");
    let back = read_product_file(Product::Codex, "x.rules", &text, &taking(true)).unwrap();
    let back: Vec<String> = back.iter().map(told).collect();
    let expected = [
        "Allow git status * (broad)", "Allow npm test * (broad)", "Deny git push *", "Allow docker * (broad)",
    ];
    assert_eq!(back, expected);
}

#[test]
fn rules_about_files_go_out_and_come_back() {
    let files = |id, pattern| Rule { id, ..Rule::new(Effect::Deny, pattern) };
    let rules = [
        files(1, Pattern::Read("**/.env".to_owned())),
        files(2, Pattern::Write("~/Documents/**".to_owned())),
        files(3, Pattern::Read("/etc/shadow".to_owned())),
        files(4, Pattern::Read("**/*.pem".to_owned())),
        files(5, Pattern::Read("~/a*/b".to_owned())),
        Rule { id: 6, ..Rule::new(Effect::Allow, Pattern::Read("~/notes".to_owned())) },
    ];
    let (text, left_out) = export(ExportTarget::ClaudeCode, &rules, true);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let expected =
        serde_json::json!(["Read(**/.env)", "Edit(~/Documents/**)", "Read(//etc/shadow)", "Read(**/*.pem)"]);
    assert_eq!(
        (&document["permissions"]["deny"], &document["permissions"]["allow"]),
        (&expected, &serde_json::json!([]))
    );
    assert_eq!(left_out.iter().map(|(rule, _)| rule.id).collect::<Vec<_>>(), [5, 6]);
    let back = read_product_file(Product::ClaudeCode, "settings.json", &text, &taking(false)).unwrap();
    let back: Vec<Pattern> = back
        .into_iter()
        .flat_map(|entry| match entry.becomes {
            Becomes::Rules(rules) => rules,
            other => panic!("{other:?}"),
        })
        .map(|rule| rule.pattern)
        .collect();
    assert_eq!(back, rules[..4].iter().map(|rule| rule.pattern.clone()).collect::<Vec<_>>());
}
