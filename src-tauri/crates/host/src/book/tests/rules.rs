//! Rules: whose they are, what is refused, pins, *Always*, import.

use super::{World, draft, id};
use crate::book::{OfferedRule, PolicyStoreError, RuleSaveRequest};
use postern_contract::render::of_kind;
use postern_contract::{RemarkKind, RuleDraft, Scope};
use postern_policy::{Decision, Effect, Lifetime, Pattern, Reason, Source};

#[tokio::test]
async fn a_deny_rule_wins_until_it_is_removed() {
    let world = World::new().await;
    world.book.add_rule(draft(Effect::Allow, Some("main"), "uname -a"), Source::Person).await.unwrap();
    let denied = world.book.add_rule(draft(Effect::Deny, None, "uname *"), Source::Person).await.unwrap();
    let got = world.decision("main", &["uname", "-a"]);
    assert_eq!(got, (Decision::Deny, Reason::Denylist), "a deny rule wins");
    world.book.remove_rule(denied.rule.id).await.unwrap();
    assert_eq!(world.decision("main", &["uname", "-a"]).0, Decision::Allow, "and is gone when it is removed");
    let agents = world.book.find_agent(&id("main")).unwrap();
    assert_eq!((agents.allow_rules, agents.deny_rules), (1, 0), "its own are counted");
}

#[tokio::test]
async fn a_rule_that_means_too_much_or_nothing_is_refused() {
    let world = World::new().await;
    let cases = [
        (draft(Effect::Allow, Some("main"), ""), "empty"),
        (draft(Effect::Allow, Some("main"), "/**"), "allow everything"),
        (draft(Effect::Allow, Some("main"), "sh *"), "every program that it can start"),
        (draft(Effect::Ask, Some("main"), "uname"), "allows or denies"),
        (draft(Effect::Allow, Some("nobody"), "uname"), "no agent nobody"),
        (
            RuleDraft { matches: vec!["git pull".into()], ..draft(Effect::Allow, None, "git push *") },
            "git pull",
        ),
        (RuleDraft { pin: true, ..draft(Effect::Allow, None, "~/bin/*") }, "names many programs"),
        (RuleDraft { pin: true, ..draft(Effect::Allow, None, "no-such-program-here *") }, "was not found"),
    ];
    for (draft, expected) in cases {
        let text = draft.text.clone();
        let error = world.book.add_rule(draft, Source::Person).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
    assert!(
        world.book.list_rules(None, false).await.unwrap().iter().all(|rule| rule.rule.source == Source::File)
    );
}

#[tokio::test]
async fn a_pinned_rule_holds_only_while_the_program_is_the_same() {
    let world = World::new().await;
    let tool = world.program("tool", "echo one");
    let path = tool.to_str().unwrap();
    let own = RuleDraft { pin: true, ..draft(Effect::Allow, Some("main"), "~/bin/tool") };
    let refused = world.book.add_rule(own.clone(), Source::Person).await.unwrap_err().to_string();
    assert!(refused.contains("main can change it until it runs"), "{refused}");
    let pinned = RuleDraft { agent: None, ..own };
    let listed = world.book.add_rule(pinned.clone(), Source::Person).await.unwrap();
    assert_eq!(world.decision("main", &[path]).0, Decision::Allow, "as it was approved");
    world.program("tool", "echo another thing altogether");
    assert_eq!(
        world.decision("main", &[path]),
        (Decision::Ask, Reason::BinaryChanged),
        "it is another program now"
    );
    let rules = world.book.list_rules(None, true).await.unwrap();
    let row = rules.iter().find(|row| row.rule.id == listed.rule.id).unwrap();
    assert!(row.remarks.contains(&of_kind(RemarkKind::Changed)), "the list says so: {:?}", row.remarks);
    world.book.update_rule(listed.rule.id, pinned.clone(), true).await.unwrap();
    assert_eq!(world.decision("main", &[path]).0, Decision::Ask, "the old pin was kept");
    world.book.update_rule(listed.rule.id, pinned, false).await.unwrap();
    assert_eq!(world.decision("main", &[path]).0, Decision::Allow, "pinned as it is now");
}

/// Returns what *Always* saves with these rules, for the agent `main`.
fn saving(rules: Vec<OfferedRule>) -> RuleSaveRequest {
    RuleSaveRequest {
        agent: id("main"),
        origin: postern_policy::RuleOrigin::Any,
        scope: Scope::Agent,
        effect: Effect::Allow,
        lifetime: Lifetime::Forever,
        why: None,
        rules,
        renews: Vec::new(),
    }
}

#[tokio::test]
async fn always_is_saved_once_and_pinned_anew() {
    let world = World::new().await;
    let tool = world.program("tool", "echo one");
    let path = tool.to_str().unwrap();
    let remember =
        |pin| saving(vec![OfferedRule { pin, ..OfferedRule::new(Pattern::Path(path.to_owned())) }]);
    let now = |world: &World| Some(world.book.pin_of(&Pattern::Path(path.to_owned()), None).unwrap());
    let first = world.book.remember(remember(now(&world))).await.unwrap();
    assert_eq!(world.decision("main", &[path]), (Decision::Allow, Reason::Rule));
    world.program("tool", "echo two, which is longer");
    let second = world.book.remember(remember(now(&world))).await.unwrap();
    assert_eq!(first, second, "the same rule is written again, not added beside the old one");
    assert_eq!(world.decision("main", &[path]).0, Decision::Allow);
    let everyone = RuleSaveRequest { scope: Scope::Everyone, ..remember(now(&world)) };
    assert_ne!(world.book.remember(everyone).await.unwrap(), first, "everybody's is another rule");
}

#[tokio::test]
async fn what_may_not_be_saved_is_not_saved_by_always_either() {
    let world = World::new().await;
    let rules = ["uname -a", "sh *"].map(|text| OfferedRule::new(Pattern::Command(text.into()))).to_vec();
    let refused = world.book.remember(saving(rules)).await;
    assert!(matches!(refused, Err(PolicyStoreError::Rule(_))), "{refused:?}");
    assert_eq!(world.decision("main", &["uname", "-a"]).0, Decision::Ask, "all of them or none");
}

#[tokio::test]
async fn a_rule_of_a_session_goes_with_it() {
    let world = World::new().await;
    let lifetime = Some(Lifetime::Session("s1".into()));
    world
        .book
        .add_rule(RuleDraft { lifetime, ..draft(Effect::Allow, Some("main"), "uname *") }, Source::Person)
        .await
        .unwrap();
    let own = || async {
        world
            .book
            .list_rules(Some(id("main")), true)
            .await
            .unwrap()
            .iter()
            .filter(|row| row.rule.id > 0)
            .count()
    };
    assert_eq!(own().await, 1);
    world.book.close_session(&id("main"), "other").await.unwrap();
    assert_eq!(own().await, 1, "another session's end is not its end");
    world.book.close_session(&id("main"), "s1").await.unwrap();
    assert_eq!(own().await, 0);
}
