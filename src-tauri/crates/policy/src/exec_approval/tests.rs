use super::{ExecApproval, read_exec_approval};
use crate::pattern::pattern_text;
use crate::testing::person_rule;
use crate::{Ask, Effect, Fallback, Lifetime, Pattern, Rule, Security, Settings};

fn allowing(pattern: &str) -> Result<Pattern, String> {
    let text = serde_json::json!({ "execApproval": { "allowlist": [{ "pattern": pattern }] } }).to_string();
    let patterns = read_exec_approval(&text)
        .and_then(|settings| settings.patterns())
        .map_err(|error| error.to_string())?;
    Ok(patterns.into_iter().next().unwrap())
}

#[test]
fn a_glob_becomes_a_pattern_that_allows_no_more() {
    for (glob, expected) in [
        ("git **", "git *"),
        ("git push **", "git push *"),
        ("git status", "git status"),
        ("npm run test:**", "npm run test:*"),
        ("git ** --dry-run", "git * --dry-run"),
        ("/usr/bin/git **", "/usr/bin/git"),
        ("~/bin/bird **", "~/bin/bird"),
    ] {
        let said = pattern_text(&allowing(glob).unwrap());
        let plain = |text: &str| postern_command::words_of(text).unwrap();
        assert_eq!(plain(&said), plain(expected), "{glob}");
    }
}

#[test]
fn what_cannot_be_said_as_narrowly_is_refused_by_its_field() {
    for (glob, part) in crate::testing::rows::<(&str, &str)>(include_str!("refused.jsonl")) {
        let told = allowing(glob).unwrap_err();
        assert!(told.contains("execApproval.allowlist[0].pattern") && told.contains(part), "{glob}: {told}");
    }
}

#[test]
fn what_is_left_out_is_as_it_is_there() {
    let read =
        read_exec_approval(r#"{"execApproval":{},"name":"other things of a profile are not looked at"}"#)
            .unwrap();
    let got = (read.security, read.ask, read.timeout_ms, read.ask_fallback, read.allowlist.len());
    assert_eq!(got, (Security::Allowlist, Ask::OnMiss, 60_000, Fallback::Deny, 0));
}

#[test]
fn a_mistake_names_its_field() {
    for (text, field) in crate::testing::rows::<(String, String)>(include_str!("fields.jsonl")) {
        let told = read_exec_approval(&text).unwrap_err().to_string();
        assert!(told.starts_with(&field), "{text}: {told}");
    }
}

#[test]
fn what_goes_out_comes_back_with_its_meaning() {
    let settings = Settings {
        security: Security::Allowlist,
        ask: Ask::Always,
        fallback: Fallback::Allowlist,
        approval_timeout_ms: 90_000,
        ..Settings::default()
    };
    let rules = [
        person_rule(1, Effect::Allow, "git push *"),
        person_rule(2, Effect::Allow, "npm run build"),
        person_rule(3, Effect::Allow, "/opt/homebrew/bin/rg"),
        person_rule(4, Effect::Allow, "git commit -m 'two words' *"),
    ];
    let (exported, left_out) = ExecApproval::from_settings(&settings, &rules);
    assert!(left_out.is_empty(), "{left_out:?}");
    let text =
        serde_json::to_string(&super::ExecApprovalProfile { exec_approval: exported.clone() }).unwrap();
    let back = read_exec_approval(&text).unwrap();
    assert_eq!(back, exported);
    let mut set = Settings::default();
    back.apply_to(&mut set);
    assert_eq!(set, settings);
    let words = |pattern: &Pattern| postern_command::words_of(&pattern_text(pattern)).unwrap();
    let was: Vec<_> = rules.iter().map(|rule| words(&rule.pattern)).collect();
    let is: Vec<_> = back.patterns().unwrap().iter().map(words).collect();
    assert_eq!(was, is);
}

#[test]
fn what_has_no_words_there_is_left_out_and_named() {
    let rules = [
        person_rule(1, Effect::Deny, "git push *"),
        person_rule(2, Effect::Allow, "~/bin/*"),
        person_rule(3, Effect::Allow, "npm run test:*"),
        Rule { lifetime: Lifetime::Until(9), ..person_rule(4, Effect::Allow, "ls *") },
        Rule { args: Some(vec!["-l".into()]), ..person_rule(5, Effect::Allow, "/bin/ls") },
        Rule { pattern: Pattern::Exact(vec!["ls".into(), "*".into()]), ..person_rule(6, Effect::Allow, "x") },
        Rule { allow_writes: true, ..person_rule(7, Effect::Allow, "ls *") },
    ];
    let (exported, left_out) = ExecApproval::from_settings(&Settings::default(), &rules);
    assert_eq!(exported.allowlist, []);
    assert_eq!(left_out.len(), rules.len());
    assert!(left_out.iter().all(|(_, why)| !why.is_empty()));
}

#[test]
fn what_two_rules_allow_goes_out_once() {
    let rules = [person_rule(1, Effect::Allow, "git push *"), person_rule(2, Effect::Allow, "git push *")];
    let (exported, left_out) = ExecApproval::from_settings(&Settings::default(), &rules);
    assert_eq!((exported.allowlist.len(), left_out.len()), (1, 0));
}
