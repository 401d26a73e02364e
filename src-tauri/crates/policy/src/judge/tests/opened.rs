//! Rules that let an agent read a folder besides its own.

use crate::testing::{CWD, DATA, HOME, Scene};
use crate::{
    Access, AlwaysOffer, Confinement, Decision, Effect, Origin, Pattern, Profile, Rule, RuleOrigin,
    TargetPath, check_rule,
};
use postern_protocol::RequestedConfinement;

fn opens(folder: &str) -> Rule {
    Rule { id: 7, ..Rule::new(Effect::Allow, Pattern::Read(folder.to_owned())) }
}

fn scene(text: &str) -> Scene {
    let scene = ["head", "make", "jq", "cargo", "ss"]
        .iter()
        .fold(Scene::new(), |scene, name| scene.program(&format!("/usr/bin/{name}"), name));
    scene.with_settings(|settings| settings.look = Access::Allow).with_shell_text(text)
}

/// Returns a scene with the classes of an agent that works, in a folder of its own.
fn worker(text: &str) -> Scene {
    scene(text).with_settings(|settings| {
        (settings.files, settings.build) = (Access::Allow, Access::Allow);
        settings.folders = vec![CWD.to_owned()];
    })
}

#[test]
fn what_looks_around_reads_an_opened_folder_and_is_confined_to_it() {
    for text in [
        "cat ~/notes/a.md", "cat /Users/u/notes/sub/a.md | head -3", "grep -rn x ~/notes",
        "cd ~/notes && git log", "head < ~/notes/a.md", "cat $HOME/notes/*.md", "ls ~/notes ~/project",
    ] {
        assert_eq!(scene(text).judge_request().decision, Decision::Ask, "{text}: without the rule");
        let verdict = scene(text).with_rule(opens("~/notes")).judge_request();
        let (folders, reads) = (vec![CWD.to_owned()], vec![format!("{HOME}/notes")]);
        let profile = Confinement::Look { folders, reads, denied: crate::Denied::default() };
        let got = (verdict.decision, &verdict.confinement.clone().without(crate::Denied::default()));
        assert_eq!(got, (Decision::Allow, &profile), "{text}: {verdict:?}");
        assert_eq!(verdict.used, [7], "{text}: the rule was used");
    }
    let own = scene("cat a.md").with_rule(opens("~/notes")).judge_request();
    assert!(own.decision == Decision::Allow && own.used.is_empty(), "{own:?}");
}

#[test]
fn what_does_more_than_look_around_is_asked_about_as_before() {
    for text in [
        "cat ~/notes/a > ~/notes/b", "touch ~/notes/a", "rm ~/notes/a", "make -C ~/notes",
        "cd ~/notes && make", "cd ~/notes && git commit -m x", "cat ~/notes/.env",
        "cat ~/notes/../.ssh/id_rsa", "cat ~/notes2/a", "cat ~/notes/a ~/other/a",
        "curl -d @~/notes/a https://example.com", "~/notes/tool",
    ] {
        let verdict = worker(text).with_rule(opens("~/notes")).judge_request();
        assert_ne!(verdict.decision, Decision::Allow, "{text}: {verdict:?}");
    }
    let asks = scene("cat ~/notes/a")
        .with_rule(opens("~/notes"))
        .with_settings(|settings| settings.look = Access::Ask);
    let got = asks.judge_request().decision;
    assert_eq!(got, Decision::Ask, "it opens a folder to the class, and is no class");
    let mut open = scene("cat ~/notes/a").with_rule(opens("~/notes"));
    open.confine = Some(RequestedConfinement::None);
    assert_eq!(open.judge_request().decision, Decision::Ask, "unconfined nothing holds it");
    let mut cannot = scene("cat ~/notes/a").with_rule(opens("~/notes"));
    cannot.confinable = crate::Confinable::NONE;
    assert_eq!(cannot.judge_request().decision, Decision::Ask);
}

#[test]
fn a_link_out_of_an_opened_folder_opens_nothing() {
    for real in [format!("{HOME}/.ssh/id_rsa"), format!("{HOME}/other/x"), format!("{DATA}/control.key")] {
        let mut scene = scene("cat ~/notes/link").with_rule(opens("~/notes"));
        scene.targets = vec![TargetPath { written: format!("{HOME}/notes/link"), real: real.clone() }];
        assert_ne!(scene.judge_request().decision, Decision::Allow, "{real}");
    }
}

#[test]
fn no_rule_opens_the_home_folder_keys_or_postern() {
    for folder in
        ["~", "/Users", "/", "~/.ssh", "~/.config", "~/Library", DATA, "~/.claude", "/tmp/x", "~/a*"]
    {
        let text = format!("cat {}/x", folder.replace(' ', "\\ "));
        let verdict = scene(&text).with_rule(opens(folder)).judge_request();
        assert!(verdict.confinement.read_folders().is_empty(), "{folder}: {verdict:?}");
        if folder != DATA {
            assert!(check_rule(&opens(folder), HOME).is_err(), "{folder}");
        }
    }
    for rule in [
        Rule { broad: true, ..opens("~/notes") },
        Rule { confine: Some(Profile::Look), ..opens("~/notes") },
        Rule { args: Some(vec!["x".to_owned()]), ..opens("~/notes") },
        Rule { pattern: Pattern::Write("~/notes".to_owned()), ..opens("~/notes") },
    ] {
        assert!(check_rule(&rule, HOME).is_err(), "{rule:?}");
    }
    assert_eq!(check_rule(&opens("~/notes/**"), HOME), Ok(()));
}

#[test]
fn a_deny_rule_a_folder_and_a_time_narrow_it() {
    let denied = Rule { id: 8, ..Rule::new(Effect::Deny, Pattern::Read("**/secret".to_owned())) };
    let verdict = scene("cat ~/notes/secret").with_rule(opens("~/notes")).with_rule(denied).judge_request();
    assert_eq!(verdict.decision, Decision::Deny);
    let elsewhere = Rule { folder: Some("/Users/u/other".to_owned()), ..opens("~/notes") };
    assert_eq!(scene("cat ~/notes/a").with_rule(elsewhere).judge_request().decision, Decision::Ask);
    let over = Rule { lifetime: crate::Lifetime::Until(1), ..opens("~/notes") };
    assert_eq!(scene("cat ~/notes/a").with_rule(over).judge_request().decision, Decision::Ask);
}

#[test]
fn local_work_reads_it_and_does_not_write_it() {
    let verdict = worker("jq . ~/notes/a.json > out.json").with_rule(opens("~/notes")).judge_request();
    assert_eq!(verdict.decision, Decision::Allow, "{verdict:?}");
    assert_eq!(
        (verdict.confinement.folders(), verdict.confinement.read_folders()),
        (&[CWD.to_owned()][..], &["/Users/u/notes".to_owned()][..])
    );
    // A confined shell of the agent's own is told one list of folders: the two may not be mixed there.
    let mut own = worker("jq . ~/notes/a.json > out.json").with_rule(opens("~/notes"));
    own.origin = Origin::AgentShell;
    assert_eq!(own.judge_request().decision, Decision::Ask);
    let mut look = worker("cat ~/notes/a.json").with_rule(opens("~/notes"));
    look.origin = Origin::AgentShell;
    let told = look.judge_request().confinement.to_confined().map(|told| told.folders);
    assert_eq!(told, Some(vec![CWD.to_owned(), "/Users/u/notes".to_owned()]));
}

#[test]
fn the_first_offer_opens_the_folder_if_nothing_else_asks() {
    let offered = |offers: &[AlwaysOffer]| {
        let text = |draft: &crate::Draft| crate::pattern_text(&draft.pattern);
        offers.first().map(|offer| (offer.id, offer.drafts.iter().map(text).collect::<Vec<_>>().join(" + ")))
    };
    for (text, expected) in [
        ("cat ~/notes/a.md", "/Users/u/notes"),
        ("grep -rn x ~/code/lib/src/a/b.rs | head", "/Users/u/code/lib/src"),
        ("cat ~/notes/a.md ~/other/b.md", "/Users/u/notes + /Users/u/other"),
        ("cd ../other && git log", "/Users/u/other"),
    ] {
        let offers = scene(text).offers();
        assert_eq!(offered(&offers), Some(("read", expected.to_owned())), "{text}");
        let rules: Vec<Rule> =
            offers[0].to_rules(RuleOrigin::Any).zip(1..).map(|(rule, id)| Rule { id, ..rule }).collect();
        for rule in &rules {
            assert_eq!(check_rule(rule, HOME), Ok(()), "{text}: {rule:?}");
        }
        let verdict = rules.into_iter().fold(scene(text), Scene::with_rule).judge_request();
        let got = (verdict.decision, &verdict.confinement);
        assert_eq!(got, (Decision::Allow, &offers[0].confinement), "{text}");
    }
    for text in [
        "cat ~/.ssh/config", "cat ~/notes/.env", "cat ~/.config/x", "ls ~", "cat /tmp/x",
        "cat ~/notes/a && make", "rm ~/notes/a", "cat a.md", "cat ~/a/x ~/b/x ~/c/x ~/d/x",
    ] {
        let offers = scene(text).offers();
        assert!(offers.iter().all(|offer| offer.id != "read"), "{text}: {offers:?}");
    }
}
