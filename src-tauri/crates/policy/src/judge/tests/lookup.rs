//! Tests of finding the rules for a program: everybody's, those for any program, those for the same file.

use crate::testing::{HOME, Scene, identity, person_rule};
use crate::{
    Authority, Decision, Effect, Identity, IdentityPattern, Pattern, Pin, Rule, RuleSet, Signature, Signer,
};

#[test]
fn everybody_s_rules_and_the_agent_s_own_count_both() {
    let scene = || Scene::new().with_allow_rule("/usr/bin/ls").with_deny_rule("/usr/bin/rm");
    let shared =
        [person_rule(11, Effect::Allow, "/usr/bin/git"), person_rule(12, Effect::Deny, "/usr/bin/mv")];
    for (command, expected) in [
        ("ls", Decision::Allow),
        ("git status", Decision::Allow),
        ("rm x", Decision::Deny),
        ("mv x y", Decision::Deny),
        ("cat x", Decision::Ask),
    ] {
        assert_eq!(scene().with_shell_text(command).judged_with(&shared).decision, expected, "{command}");
    }
}

#[test]
fn a_deny_rule_may_describe_the_program_too() {
    let judged = |text: &str, command: &str| {
        let denies = Rule { pattern: Pattern::Command(text.to_owned()), ..person_rule(1, Effect::Deny, "x") };
        Scene::new()
            .with_allow_rule("/**")
            .with_rule(denies)
            .with_shell_text(command)
            .judge_request()
            .decision
    };
    assert_eq!(judged("g?t push *", "git push origin"), Decision::Deny);
    assert_eq!(judged("*it push *", "nohup GIT -C x push"), Decision::Deny);
    assert_eq!(judged("g?t push *", "git status"), Decision::Allow);
    assert_eq!(judged("*", "ls"), Decision::Deny);
}

#[test]
fn a_denied_file_is_known_by_its_place_on_the_disk() {
    let pinned =
        Rule { pin: Some(Box::new(Pin::new(identity("rm")))), ..person_rule(5, Effect::Deny, "/nowhere/rm") };
    let judged = |now: Identity| {
        let mut scene = Scene::new()
            .program("/opt/copy", "other")
            .with_allow_rule("/**")
            .with_rule(pinned.clone())
            .with_shell_text("/opt/copy x");
        scene.programs.get_mut("/opt/copy").unwrap().identity = Some(now);
        scene.judge_request().decision
    };
    let written_over = Identity { sha256: identity("new").sha256, ..identity("rm") };
    assert_eq!(judged(written_over), Decision::Deny, "other content in the same file");
    assert_eq!(judged(identity("new")), Decision::Allow, "another file");
    let elsewhere = Identity { device: 2, sha256: identity("new").sha256, ..identity("rm") };
    assert_eq!(judged(elsewhere), Decision::Allow, "the same number on another disk");
}

fn signed(authority: Authority, team: Option<&str>) -> Identity {
    Identity {
        signature: Some(Signature {
            authority,
            signing_id: "com.example.bash".to_owned(),
            team_id: team.map(str::to_owned),
            cdhash: "00".to_owned(),
        }),
        ..identity("bash")
    }
}

fn by_identity(effect: Effect, pattern: IdentityPattern, program: &Identity, command: &str) -> Decision {
    let pattern = Pattern::Identity(pattern);
    let mut scene =
        Scene::new().with_rule(Rule { pattern, ..person_rule(1, effect, "x") }).with_shell_text(command);
    let name = command.split(' ').next().unwrap();
    scene.programs.get_mut(&format!("/usr/bin/{name}")).unwrap().identity = Some(program.clone());
    scene.judge_request().decision
}

#[test]
fn a_signer_describes_programs_and_a_content_names_one() {
    let own = signed(Authority::DeveloperId, Some("TEAM"));
    let judged = |pattern, command: &str| by_identity(Effect::Allow, pattern, &own, command);
    let team = || IdentityPattern::TeamId("TEAM".to_owned());
    assert_eq!(judged(team(), "git status"), Decision::Allow);
    assert_eq!(judged(team(), "bash x.sh"), Decision::Ask, "a shell has to be named");
    assert_eq!(judged(IdentityPattern::TeamId("OTHER".to_owned()), "git status"), Decision::Ask);
    let content = IdentityPattern::Sha256(identity("bash").sha256);
    assert_eq!(judged(content, "bash x.sh"), Decision::Allow);
}

/// `rcodesign sign --binary-identifier com.apple.git --team-name UBF8T346G9` makes a file that claims both.
#[test]
fn a_claimed_name_allows_nothing_and_denies_all_the_same() {
    use Authority::{AdHoc, AppStore, DeveloperId, Platform, Unknown};
    let id = || "com.example.bash".to_owned();
    let team = IdentityPattern::TeamId("TEAM".to_owned());
    let of_team = IdentityPattern::Signed { signer: Signer::Team("TEAM".to_owned()), id: id() };
    let of_platform = IdentityPattern::Signed { signer: Signer::Platform, id: id() };
    let bare = IdentityPattern::SigningId(id());
    for (pattern, allowed_by) in [
        (&team, &[AppStore, DeveloperId][..]),
        (&of_team, &[AppStore, DeveloperId]),
        (&of_platform, &[Platform]),
        (&bare, &[]),
    ] {
        for authority in [Platform, AppStore, DeveloperId, AdHoc, Unknown] {
            let program = signed(authority, Some("TEAM"));
            let expected = if allowed_by.contains(&authority) { Decision::Allow } else { Decision::Ask };
            let judged = |effect| by_identity(effect, pattern.clone(), &program, "git status");
            assert_eq!(judged(Effect::Allow), expected, "{pattern:?} {authority:?}");
            assert_eq!(judged(Effect::Deny), Decision::Deny, "{pattern:?} {authority:?}");
            let content = IdentityPattern::Sha256(program.sha256.clone());
            let judged = by_identity(Effect::Allow, content, &program, "git status");
            assert_eq!(judged, Decision::Allow, "a content is a content: {authority:?}");
        }
    }
    let other = signed(DeveloperId, Some("OTHER"));
    assert_eq!(by_identity(Effect::Allow, of_team, &other, "git status"), Decision::Ask);
}

#[test]
fn a_signature_that_was_recorded_without_an_authority_has_none() {
    let old = r#"{"signingId":"com.apple.git","teamId":null,"cdhash":"00"}"#;
    let signature: Signature = serde_json::from_str(old).unwrap();
    assert_eq!((signature.authority, signature.signer()), (Authority::Unknown, None));
    let rule: IdentityPattern = serde_json::from_str(r#"{"by":"signingId","is":"com.apple.git"}"#).unwrap();
    assert_eq!(rule, IdentityPattern::SigningId("com.apple.git".to_owned()));
}

#[test]
fn a_rule_that_says_too_little_is_broken() {
    let command = |text: &str| Pattern::Command(text.to_owned());
    for (effect, pattern, broken) in [
        (Effect::Allow, command("* push"), true),
        (Effect::Allow, command("*"), true),
        (Effect::Allow, command("git *"), false),
        (Effect::Deny, command("* push"), false),
        (Effect::Deny, command("*"), false),
        (Effect::Deny, command(""), true),
        (Effect::Allow, command(""), true),
        (Effect::Allow, Pattern::Exact(Vec::new()), true),
        (Effect::Deny, Pattern::Exact(Vec::new()), true),
        (Effect::Allow, Pattern::Exact(vec!["ls".to_owned()]), false),
        (Effect::Allow, Pattern::Path("bin/x".to_owned()), true),
    ] {
        let only = Rule { pattern: pattern.clone(), ..person_rule(1, effect, "x") };
        let rules = RuleSet::compile(&[only], HOME, true);
        assert_eq!(rules.broken().count() == 1, broken, "{effect:?} {pattern:?}");
    }
}

#[test]
fn the_programs_to_watch_are_those_that_deny_rules_name() {
    let rules = [
        person_rule(1, Effect::Deny, "~/bin/x"),
        person_rule(2, Effect::Deny, "/opt/*"),
        person_rule(3, Effect::Allow, "/usr/bin/ls"),
        person_rule(4, Effect::Deny, "rm"),
        person_rule(5, Effect::Deny, "git push *"),
        person_rule(6, Effect::Deny, "* push"),
    ];
    let watched = RuleSet::compile(&rules, HOME, true).denied_programs(HOME);
    let expected = [(1, format!("{HOME}/bin/x")), (4, "rm".to_owned()), (5, "git".to_owned())];
    assert_eq!(watched, expected);
}
