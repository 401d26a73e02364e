use super::*;
use crate::permissions::FileLayer;
use crate::testing::{HOME, identity, person_rule};
use crate::{AgentId, Lifetime, Pin, Usage};

const DAY: i64 = 24 * 60 * 60 * 1000;

fn kinds(rules: &[Rule]) -> Vec<(RuleId, FindingKind)> {
    lint_rules(rules, &HashMap::new(), HOME, 0)
        .into_iter()
        .map(|finding| (finding.rule, finding.kind()))
        .collect()
}

#[test]
fn ordinary_rules_are_left_alone() {
    for (effect, text) in [
        (Effect::Allow, "git push *"),
        (Effect::Allow, "git status"),
        (Effect::Allow, "npm run test:*"),
        (Effect::Allow, "/opt/homebrew/bin/rg"),
        (Effect::Allow, "~/bin/site-*"),
        (Effect::Allow, "sudo systemctl restart nginx"),
        (Effect::Deny, "git push *"),
        (Effect::Deny, "/bin/rm"),
        (Effect::Deny, "/**"),
        (Effect::Deny, "sudo *"),
    ] {
        assert_eq!(kinds(&[person_rule(1, effect, text)]), [], "{effect:?} {text}");
    }
}

#[test]
fn a_rule_that_always_saved_in_a_project_is_left_alone() {
    let limits = serde_json::from_str(r#"{"effects": [{"kind": "read", "scope": "inside"}]}"#).unwrap();
    let saved = Rule {
        folder: Some(format!("{HOME}/site")),
        limits: Some(Box::new(limits)),
        ..person_rule(1, Effect::Allow, "uname *")
    };
    assert_eq!(kinds(&[saved]), []);
}

#[test]
fn rules_that_can_never_match_are_found_by_trying() {
    let args = |text: &str, args: &[&str]| Rule {
        args: Some(args.iter().map(|arg| (*arg).to_owned()).collect()),
        ..person_rule(1, Effect::Allow, text)
    };
    let argv = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    for (checked, expected) in [
        (
            person_rule(1, Effect::Allow, "nohup git status"),
            NeverMatches::Wrapper { argv: argv(&["nohup", "git", "status"]) },
        ),
        (
            person_rule(1, Effect::Allow, "/opt/*/bin/python3"),
            NeverMatches::GlobOfCarrier { name: "python3".to_owned() },
        ),
        (args("git push *", &["status"]), NeverMatches::Contradicts { pattern: "git push *".to_owned() }),
        (
            Rule {
                pattern: Pattern::Exact(vec!["python3".into(), "-c".into(), "x".into()]),
                ..person_rule(1, Effect::Allow, "x")
            },
            NeverMatches::NotEven { argv: argv(&["python3", "-c", "x"]), allows: true, cause: None },
        ),
    ] {
        let found = lint_rules(std::slice::from_ref(&checked), &HashMap::new(), HOME, 0);
        let without_cause = |why: &NeverMatches| match why.clone() {
            NeverMatches::NotEven { argv, allows, .. } => NeverMatches::NotEven { argv, allows, cause: None },
            other => other,
        };
        let told = found.iter().find_map(|finding| match &finding.problem {
            LintProblem::NeverMatches(why) => Some(without_cause(why)),
            _ => None,
        });
        assert_eq!(told, Some(expected), "{:?}: {found:?}", checked.pattern);
    }
    assert_eq!(kinds(&[args("git push *", &["push", "**"])]), [], "arguments that fit the command");
}

#[test]
fn a_rule_that_a_deny_rule_takes_everything_from_is_named_with_it() {
    let rules = [
        person_rule(1, Effect::Allow, "git push origin main"),
        person_rule(2, Effect::Deny, "git push"),
        person_rule(3, Effect::Allow, "git status"),
        person_rule(4, Effect::Deny, "git push --force *"),
    ];
    let found = lint_rules(&rules, &HashMap::new(), HOME, 0);
    let shadowed: Vec<_> = found.iter().filter(|finding| finding.kind() == FindingKind::Shadowed).collect();
    assert_eq!(shadowed.len(), 1, "{found:?}");
    assert_eq!(shadowed[0].rule, 1);
    assert!(matches!(shadowed[0].problem, LintProblem::Shadowed { by: 2, .. }), "{found:?}");
    let mine = Rule { agent: Some(AgentId::new("a").unwrap()), ..person_rule(2, Effect::Deny, "git push") };
    assert_eq!(
        kinds(&[rules[0].clone(), mine]),
        [],
        "another agent's deny rule takes nothing from everybody's"
    );
}

#[test]
fn what_runs_anything_it_is_told_is_too_broad() {
    for text in
        ["/bin/bash", "/usr/bin/python3", "/usr/bin/env", "~/bin/**", "~/bin/*", "/usr/bin/*", "/tmp/*"]
    {
        assert!(
            kinds(&[person_rule(1, Effect::Allow, text)]).contains(&(1, FindingKind::TooBroad)),
            "{text}"
        );
    }
    let team = Pattern::Identity(IdentityPattern::TeamId("X".into()));
    assert!(
        kinds(&[Rule { pattern: team, ..person_rule(1, Effect::Allow, "x") }])
            .contains(&(1, FindingKind::TooBroad))
    );
}

#[test]
fn a_name_that_any_file_can_claim_is_no_rule_that_allows() {
    let bare = Pattern::Identity(IdentityPattern::SigningId("com.apple.git".into()));
    let allow = Rule { pattern: bare.clone(), ..person_rule(1, Effect::Allow, "x") };
    assert_eq!(kinds(std::slice::from_ref(&allow)), [(1, FindingKind::Broken)]);
    let refused = check_rule(&allow, HOME).unwrap_err().to_string();
    assert!(refused.contains("signing:platform:com.apple.git"), "{refused}");
    assert_eq!(check_rule(&Rule { pattern: bare, ..person_rule(1, Effect::Deny, "x") }, HOME), Ok(()));
}

#[test]
fn what_the_disk_says_counts() {
    let allow = person_rule(1, Effect::Allow, "/opt/homebrew/bin/rg");
    let deny = person_rule(1, Effect::Deny, "/opt/homebrew/bin/rg");
    let pinned = Rule { pin: Some(Box::new(Pin::new(identity("a")))), ..allow.clone() };
    let there = Seen { exists: true, mutable: true, ..Seen::default() };
    for (rule, seen, expected) in [
        (&allow, there, Some(FindingKind::AgentWritable)),
        (&pinned, there, None),
        (&pinned, Seen { changed: true, ..there }, Some(FindingKind::Changed)),
        (&allow, Seen { mutable: false, ..there }, None),
        (&pinned, Seen { agent_can_change: true, ..there }, Some(FindingKind::AgentWritable)),
        (&allow, Seen { agent_can_change: true, mutable: false, ..there }, Some(FindingKind::AgentWritable)),
        (&allow, Seen::default(), Some(FindingKind::Missing)),
        (&deny, Seen::default(), Some(FindingKind::Missing)),
        (&deny, there, None),
    ] {
        let found = lint_rules(std::slice::from_ref(rule), &HashMap::from([(1, seen)]), HOME, 0);
        assert_eq!(found.first().map(RuleFinding::kind), expected, "{:?} {seen:?}: {found:?}", rule.effect);
    }
}

#[test]
fn what_is_over_covered_or_never_used_is_named() {
    let used = Usage { last_used_at: Some(200 * DAY), ..Usage::default() };
    let rules = [
        Rule { lifetime: Lifetime::Until(DAY), usage: used.clone(), ..person_rule(1, Effect::Allow, "ls") },
        Rule { usage: used.clone(), ..person_rule(2, Effect::Allow, "git push *") },
        Rule { usage: used, ..person_rule(3, Effect::Allow, "git push origin") },
        person_rule(4, Effect::Allow, "cat *"),
    ];
    let found = lint_rules(&rules, &HashMap::new(), HOME, 200 * DAY);
    let kinds: Vec<_> = found.iter().map(|finding| (finding.rule, finding.kind())).collect();
    assert_eq!(kinds, [(1, FindingKind::Expired), (3, FindingKind::Covered), (4, FindingKind::Unused)]);
}

#[test]
fn a_line_of_the_file_behind_which_everything_is_decided_is_named() {
    let text =
        "{\n\"shell_exec\": {\n\"git push *\": \"deny\",\n\"*\": \"allow\"\n},\n\"read_file\": \"allow\"\n}";
    let found = lint_file(&FileLayer::parse(text, HOME).unwrap());
    let kinds: Vec<_> = found.iter().map(|finding| (finding.rule, finding.kind())).collect();
    assert_eq!(kinds, [(-3, FindingKind::Covered), (-4, FindingKind::TooBroad)], "{found:?}");
    let seeded = FileLayer::parse(crate::permissions::DEFAULT_FILE, HOME).unwrap();
    assert_eq!(lint_file(&seeded), [], "what a new agent gets is in order");
}
