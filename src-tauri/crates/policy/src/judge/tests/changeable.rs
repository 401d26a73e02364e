//! Files that the agent can change until they run, and programs that cannot be identified.

use crate::testing::{Scene, identity, person_rule};
use crate::{
    Ask, Cause, Decision, Effect, Fallback, Lookup, Pattern, Pin, Reason, Rule, ScriptPin, Security, Verdict,
};

const RUN: &str = "/Users/u/project/run.sh";

fn pinned(text: &str, content: &str) -> Rule {
    let pin = Pin::new(identity(content));
    Rule { pin: Some(Box::new(pin)), ..person_rule(1, Effect::Allow, text) }
}

fn asked_for_its_file(verdict: &Verdict) -> bool {
    (verdict.decision, verdict.reason) == (Decision::Ask, Reason::AgentCanChange)
}

#[test]
fn a_pin_on_what_the_agent_can_change_allows_nothing() {
    let scene = || Scene::new().program(RUN, "run").with_rule(pinned(RUN, "run"));
    let got = scene().with_shell_text("./run.sh").judge_request().decision;
    assert_eq!(got, Decision::Allow, "nobody can change it");
    for line in [
        "./run.sh", "ls; ./run.sh", "until [ -f go ]; do :; done; ./run.sh", "nohup ./run.sh",
        "xargs ./run.sh",
    ] {
        let verdict =
            scene().with_allow_rule("/usr/bin/*").changeable(RUN).with_shell_text(line).judge_request();
        assert!(asked_for_its_file(&verdict), "{line}: {:?}", verdict.cause);
        assert!(
            matches!(&verdict.cause, Cause::NotHeld { file, .. } if file == "./run.sh"),
            "{line}: {:?}",
            verdict.cause
        );
    }
    let off = scene()
        .changeable(RUN)
        .with_settings(|settings| settings.ask = Ask::Off)
        .with_argv(&["./run.sh"])
        .judge_request();
    assert_eq!(off.decision, Decision::Deny, "nobody is asked: {:?}", off.cause);
}

#[test]
fn a_rule_that_says_nothing_of_the_content_allows_it() {
    let exact =
        Rule { pattern: Pattern::Exact(vec!["./run.sh".to_owned()]), ..person_rule(1, Effect::Allow, "x") };
    for rule in [person_rule(1, Effect::Allow, RUN), person_rule(1, Effect::Allow, "./run.sh *"), exact] {
        let verdict = Scene::new()
            .program(RUN, "run")
            .changeable(RUN)
            .with_rule(rule)
            .with_argv(&["./run.sh"])
            .judge_request();
        assert_eq!(verdict.decision, Decision::Allow, "{:?}", verdict.cause);
    }
}

#[test]
fn a_link_that_the_agent_made_is_not_the_program_it_leads_to() {
    let scene = |rule: Rule| {
        let mut scene = Scene::new()
            .program(RUN, "git")
            .changeable(RUN)
            .with_rule(rule)
            .with_shell_text("./run.sh status");
        scene.programs.get_mut(RUN).unwrap().real_path = "/usr/bin/git".to_owned();
        scene
    };
    for rule in [
        person_rule(1, Effect::Allow, "/usr/bin/git"),
        pinned("/usr/bin/git", "git"),
        person_rule(1, Effect::Allow, "/usr/bin/*"),
    ] {
        let verdict = scene(rule.clone()).judge_request();
        assert!(asked_for_its_file(&verdict), "{:?}: {:?}", rule.pattern, verdict.cause);
    }
    let reads = scene(person_rule(1, Effect::Allow, "x"))
        .with_settings(|settings| settings.look = crate::Access::Allow);
    assert_eq!(reads.judge_request().decision, Decision::Ask);
    let mut wrapper = Scene::new().program("/Users/u/project/env", "env").changeable("/Users/u/project/env");
    wrapper.programs.get_mut("/Users/u/project/env").unwrap().real_path = "/usr/bin/env".to_owned();
    let verdict = wrapper.with_allow_rule("/usr/bin/ls").with_shell_text("./env ls").judge_request();
    assert_eq!(verdict.decision, Decision::Ask, "nor is a wrapper: {:?}", verdict.cause);
}

#[test]
fn a_script_that_the_agent_can_change_is_not_the_one_that_was_pinned() {
    let path = "/Users/u/project/x.py".to_owned();
    let script = Some(ScriptPin { path: path.clone(), sha256: identity("print").sha256 });
    let pin = Some(Box::new(Pin { script, ..Pin::new(identity("python3")) }));
    let mut scene = Scene::new().with_rule(Rule { pin, ..person_rule(1, Effect::Allow, "/usr/bin/python3") });
    scene.scripts.insert(path.clone(), identity("print"));
    let mut scene =
        scene.changeable(&path).with_shell_text("sleep 1; python3 x.py").program("/usr/bin/sleep", "sleep");
    scene = scene.with_allow_rule("sleep *");
    let verdict = scene.judge_request();
    assert!(asked_for_its_file(&verdict), "{:?}", verdict.cause);
}

fn on_allow(deny: &[&str]) -> Scene {
    let full =
        |ask| move |settings: &mut crate::Settings| (settings.security, settings.ask) = (Security::Full, ask);
    deny.iter().fold(Scene::new().with_settings(full(Ask::Off)), |scene, text| scene.with_deny_rule(text))
}

fn judged_as(scene: &Scene, lookup: &Lookup) -> Verdict {
    scene.with_facts(|policy, facts| {
        let mut steps = facts.steps.to_vec();
        steps[0].program = lookup.clone();
        crate::judge_request(policy, &crate::Facts { steps: &steps, ..facts.clone() })
    })
}

#[test]
fn what_cannot_be_identified_may_be_what_is_denied() {
    let unusable =
        |what: &str| Lookup::Unusable { path: "/Users/u/project/t".to_owned(), what: what.to_owned() };
    for lookup in [
        unusable("may not be read"),
        unusable("is larger than 512 MiB"),
        unusable("is a FIFO"),
        Lookup::NotFound,
    ] {
        let line = |deny: &[&str]| on_allow(deny).with_shell_text("./t x; true");
        let verdict = judged_as(&line(&["/usr/bin/touch"]), &lookup);
        assert_eq!((verdict.decision, verdict.reason), (Decision::Deny, Reason::Denylist), "{lookup:?}");
        assert!(verdict.advice.is_some(), "{lookup:?}");
        let asked = line(&["/usr/bin/touch"]).with_settings(|settings| settings.ask = Ask::OnMiss);
        assert_eq!(judged_as(&asked, &lookup).decision, Decision::Ask, "{lookup:?}");
        let got = judged_as(&line(&["git x *"]), &lookup).decision;
        assert_eq!(got, Decision::Deny, "{lookup:?}: it may be git");
        let got = judged_as(&line(&["git push *"]), &lookup).decision;
        assert_eq!(got, Decision::Deny, "{lookup:?}: it may be git, and `x` an alias");
        let status = on_allow(&["git push *"]).with_shell_text("./t status; true");
        assert_eq!(judged_as(&status, &lookup).decision, Decision::Allow, "{lookup:?}: no push");
        assert_eq!(judged_as(&line(&[]), &lookup).decision, Decision::Allow, "{lookup:?}: nothing is denied");
    }
    let away = on_allow(&["/usr/bin/touch"]).with_shell_text("cd \"$D\"; ./t x").judge_request();
    assert_eq!(away.decision, Decision::Deny, "it is not known where it lies: {:?}", away.cause);
    let unanswered = Scene::new()
        .with_deny_rule("/usr/bin/touch")
        .with_settings(|settings| settings.fallback = Fallback::Full);
    assert_eq!(unanswered.with_shell_text("./t x; true").judge_unanswered().decision, Decision::Deny);
}

/// Returns the verdict with the denied programs identified, as the host does.
fn identified(scene: &Scene) -> Verdict {
    scene.with_facts(|policy, facts| {
        let mut policy = policy.clone();
        for (id, name) in policy.rules.denied_programs(crate::testing::HOME) {
            let path = if name.contains('/') { name } else { format!("/usr/bin/{name}") };
            let identity = scene.programs[&path].identity.clone().unwrap();
            policy.rules.identify(id, &identity, &path);
        }
        crate::judge_request(&policy, facts)
    })
}

#[test]
fn a_copy_is_denied_what_its_original_is_denied() {
    let copy =
        |line: &str| on_allow(&["git push *"]).program("/Users/u/project/g", "git").with_shell_text(line);
    assert_eq!(identified(&copy("./g push")).decision, Decision::Deny);
    let got = identified(&copy("./g -C sub push --force")).decision;
    assert_eq!(got, Decision::Deny, "with git's own options");
    assert_eq!(identified(&copy("./g status")).decision, Decision::Allow);
}

#[test]
fn the_other_names_of_one_file_are_not_denied_with_it() {
    let shim = |line: &str| {
        let mut scene = on_allow(&["/usr/bin/python3"]).with_shell_text(line);
        for name in ["git", "python3", "env"] {
            let program = scene.programs.get_mut(&format!("/usr/bin/{name}")).unwrap();
            (program.identity, program.links) = (Some(identity("shim")), 78);
        }
        scene
    };
    assert_eq!(identified(&shim("git status")).decision, Decision::Allow, "one file, another program");
    assert_eq!(identified(&shim("python3 x.py")).decision, Decision::Deny);
    let versioned = |links| {
        let mut scene = shim("python3.12 x.py").program("/usr/bin/python3.12", "shim");
        scene.programs.get_mut("/usr/bin/python3.12").unwrap().links = links;
        identified(&scene).decision
    };
    assert_eq!(
        (versioned(78), versioned(1)),
        (Decision::Deny, Decision::Deny),
        "the same program with its version"
    );
    let linked = shim("./p x.py").program("/Users/u/project/p", "shim").changeable("/Users/u/project/p");
    let mut linked = linked;
    linked.programs.get_mut("/Users/u/project/p").unwrap().links = 79;
    assert_eq!(identified(&linked).decision, Decision::Deny, "the agent made this name");
    let copied = shim("/opt/p x.py").program("/opt/p", "shim");
    assert_eq!(identified(&copied).decision, Decision::Deny, "a copy has one name");
    let mut busybox = on_allow(&["/usr/bin/touch"]).with_shell_text("ls");
    for name in ["touch", "ls"] {
        let program = busybox.programs.get_mut(&format!("/usr/bin/{name}")).unwrap();
        (program.identity, program.real_path) = (Some(identity("busybox")), "/usr/bin/busybox".to_owned());
    }
    assert_eq!(identified(&busybox).decision, Decision::Allow, "links to one file that acts by its name");
}

#[test]
fn an_alias_may_stand_for_what_is_denied() {
    for (deny, line) in [
        ("git push *", "git p"),
        ("git push --force *", "git p origin"),
        ("git push *", "env git -C sub p"),
        ("git push *", "git -c alias.q=push p"),
        ("git push *", "GIT_CONFIG_COUNT=1 git p"),
    ] {
        let verdict = on_allow(&[deny]).with_shell_text(line).judge_request();
        let got = (verdict.decision, verdict.reason);
        assert_eq!(got, (Decision::Deny, Reason::Denylist), "{line}: {:?}", verdict.cause);
    }
    let exact = |line: &str| {
        let argv = ["git", "push"].map(str::to_owned).to_vec();
        on_allow(&[])
            .with_rule(Rule { pattern: Pattern::Exact(argv), ..person_rule(1, Effect::Deny, "x") })
            .with_shell_text(line)
            .judge_request()
    };
    assert_eq!(exact("git p").decision, Decision::Deny, "an exact rule too");
    assert_eq!(exact("git $X").decision, Decision::Deny);
    assert_eq!(exact("git push origin").decision, Decision::Allow, "it is about these words alone");
    for line in ["git status", "git log p", "ls p"] {
        let verdict = on_allow(&["git push *"]).with_shell_text(line).judge_request();
        assert_eq!(verdict.decision, Decision::Allow, "{line}: {:?}", verdict.cause);
    }
    assert_eq!(
        on_allow(&["/usr/bin/rm"]).with_shell_text("git p").judge_request().decision,
        Decision::Allow,
        "no rule about git"
    );
    let asked = on_allow(&["git push *"])
        .with_settings(|settings| settings.ask = Ask::OnMiss)
        .with_shell_text("git p")
        .judge_request();
    assert_eq!(asked.decision, Decision::Ask);
}
