//! The read-only list and the profile that its steps run with.

use crate::testing::{CWD, DATA, HOME, Scene, rows};
use crate::{Confinable, Confinement, Decision, Origin, Reason, Security, TargetPath, Verdict};

fn reader() -> Scene {
    Scene::new()
        .program("/usr/bin/head", "head")
        .program("/usr/bin/cargo", "cargo")
        .program("/usr/bin/id", "id")
        .program("/usr/bin/tail", "tail")
        .with_settings(|settings| settings.look = crate::Access::Allow)
}

fn judged(text: &str) -> Verdict {
    reader().with_shell_text(text).judge_request()
}

fn look() -> Confinement {
    Confinement::look_only(vec![CWD.to_owned()])
}

#[test]
fn what_only_reads_runs_confined() {
    for text in [
        "cat a", "git status", "git log | head -3", "cd src && ls", "cat < a", "cat /etc/hosts", "wc -l ./a",
        "ls *", "id; cat a",
    ] {
        let verdict = judged(text);
        let got = (verdict.decision, &verdict.confinement);
        assert_eq!(got, (Decision::Allow, &look()), "{text}: {:?}", verdict.cause);
    }
}

#[test]
fn secrets_are_kept_from_what_opens_files_that_no_word_names() {
    let finders = || {
        ["diff", "find", "grep", "rg", "xargs"]
            .into_iter()
            .fold(reader(), |scene, name| scene.program(&format!("/usr/bin/{name}"), name))
    };
    for (text, expected) in [
        ("grep -r x .", true),
        ("rg x", true),
        ("cat *", true),
        ("cat ./*/*", true),
        ("ls -A | xargs cat", true),
        ("xargs -a \"$f\" echo", true),
        ("find . -type f -exec cat {} +", true),
        ("for f in src/*; do cat \"$f\"; done", true),
        ("git status; grep -rl x src", true),
        ("grep -d recurse x .", true),
        ("diff a b", true),
        ("git --no-pager diff -- .", true),
        ("git grep x", true),
        ("git status -vv", true),
        ("git status && git show", false),
        ("find . -name x", false),
        ("grep x a", false),
        ("git log -p | grep x", false),
        ("ls -la src/* | sort", false),
    ] {
        let verdict = finders().with_shell_text(text).judge_request();
        let kept = verdict.confinement.denied().is_some_and(|denied| denied.secrets);
        assert_eq!(
            (verdict.decision, verdict.confinement.name(), kept),
            (Decision::Allow, "look", expected),
            "{text}"
        );
    }
}

#[test]
fn what_an_own_shell_may_find_elsewhere_is_confined_where_it_can_be() {
    for (confinable, expected) in [(Confinable::ALL, look()), (Confinable::NONE, Confinement::None)] {
        let mut scene = reader().with_shell_text("wc -l");
        (scene.origin, scene.confinable) = (Origin::AgentShell, confinable);
        let verdict = scene.judge_request();
        assert_eq!((verdict.decision, verdict.confinement), (Decision::Allow, expected));
    }
}

#[test]
fn what_lies_elsewhere_or_is_a_key_is_asked_about() {
    for text in [
        "cat ~/x", "cat /Users/u/x", "cat ../x", "cat < ~/x", "cat ~/.ssh/config", "cat ~/.ssh/*",
        "cat $HOME/.ssh/id_ed25519", "cat /tmp/x", "cat /checkout/x", "cat < /nowhere/x",
        "cd /nowhere && ls", "cat .env", "cat < .env", "cat .ENV", "cat ID_RſA", "cat .env/..namedfork/data",
        "for f in README.md .env; do cat \"$f\"; done", "for f in .e*; do cat $f; done",
        "cat /proc/self/environ", "tr a b < /proc/1/environ", "cat /proc/*/environ", "cat AuthKey_A.p8",
        "cat terraform.tfstate", "cat .cargo/credentials.toml", "cat /etc/ssh/ssh_host_rsa_key",
        "cat /Volumes/Macintosh\\ HD/Users/u/.ssh/x", "grep -r x ~", "ls -R /", "find / -name x",
        "cd /Users/u && cat x", "sort --files0-from=/tmp/x", "cat android/key.properties", "cat prod.env",
        "cat config/prod.secret.exs", "cat .streamlit/secrets.toml", "cat serviceAccountKey.json",
        "cat dev.env", "cat .env-prod", "cat config/credentials/production.key", "cat id_rsa.bak",
        "cat secrets.yml", "cat k8s/secret.yaml", "cat api_token.json", "cat passwords.txt",
        "cat gcp-key.json", "cat client_secret_1.apps.json", "cat prod.tfstate", "cat .zsh_history",
        "cat cookies.sqlite", "cat wallet.dat", "cat client.ovpn", "cat private.pem", "cat kubeconfig",
        "cat .dockercfg", "git show HEAD:config/secrets.json", "cp credentials.csv x",
    ] {
        let verdict = judged(text);
        assert_eq!(verdict.decision, Decision::Ask, "{text}: {:?}", verdict.cause);
        assert!(verdict.confinement.is_none(), "{text}: what a person allows runs as it was shown");
    }
}

/// Lines that an agent that may look around is allowed, or asked about, where these programs are found, too.
#[derive(serde::Deserialize)]
struct LookCase {
    /// The property that it shows.
    name: String,
    programs: Vec<String>,
    allowed: Vec<String>,
    asked: Vec<String>,
}

#[test]
fn lines_are_read_only_as_their_cases_say() {
    for LookCase { name, programs, allowed, asked } in rows(include_str!("look.jsonl")) {
        let with = |scene: Scene, name: &String| scene.program(&format!("/usr/bin/{name}"), name);
        for (texts, expected) in [(allowed, Decision::Allow), (asked, Decision::Ask)] {
            for text in texts {
                let verdict = programs.iter().fold(reader(), with).with_shell_text(&text).judge_request();
                assert_eq!(verdict.decision, expected, "{name}: {text}: {:?}", verdict.cause);
            }
        }
    }
}

#[test]
fn where_links_lead_counts() {
    for real in [format!("{HOME}/.ssh/id_rsa"), format!("{HOME}/other"), "/srv/x".to_owned()] {
        let mut scene = reader().with_shell_text("cat notes.txt");
        scene.targets = vec![TargetPath { written: "notes.txt".to_owned(), real: real.clone() }];
        assert_eq!(scene.judge_request().decision, Decision::Ask, "{real}");
    }
    let mut scene = reader().with_shell_text("cat notes.txt");
    scene.targets = vec![TargetPath { written: "notes.txt".to_owned(), real: format!("{CWD}/a") }];
    assert_eq!(scene.judge_request().decision, Decision::Allow, "inside it may lead anywhere");
}

#[test]
fn a_home_folder_is_gone_through_only_where_it_was_named() {
    for (text, expected, named) in [
        ("cat notes.txt", Decision::Allow, Decision::Allow),
        ("ls", Decision::Allow, Decision::Allow),
        ("cat .ssh/config", Decision::Ask, Decision::Ask),
        ("grep -r x .", Decision::Ask, Decision::Allow),
        ("find . -name x", Decision::Ask, Decision::Allow),
        ("ls -R", Decision::Ask, Decision::Allow),
        ("grep --rec x", Decision::Ask, Decision::Allow),
        ("grep --directories=recurse x", Decision::Ask, Decision::Allow),
    ] {
        let judged = |folders: Vec<String>| {
            let mut scene =
                reader().with_settings(|settings| settings.folders = folders).with_shell_text(text);
            scene.cwd = HOME.to_owned();
            scene.judge_request()
        };
        assert_eq!(judged(Vec::new()).decision, expected, "{text}");
        let verdict = judged(vec![HOME.to_owned()]);
        assert_eq!(verdict.decision, named, "{text}: {:?}", verdict.cause);
        let confined = verdict.confinement != crate::Confinement::None;
        assert_eq!(confined, named == Decision::Allow, "{text}: the keys are withheld");
    }
}

#[test]
fn beside_what_a_rule_lets_run_free_the_list_vouches_for_filters_only() {
    let allowed = [
        "cargo test 2>&1 | tail -5", "cargo test 2>&1 | head -n 5",
        "cargo test | grep -E 'a|b' | sort -u | wc -l", "cargo test && ls && echo ok",
        "cargo test | grep -ve x", "cargo test | sed -ne 1,5p", "cargo test | sed 's/where/we/g'",
        "cargo test | awk '{ print $1 }'", "cargo test | base64 -d",
    ];
    let asked = [
        "cargo test; cat notes.txt", "cargo test && git status", "cargo test | grep -f words",
        "cargo test | sort notes.txt", "cargo test | wc -l < notes.txt", "cargo test | head -n *",
        "cargo test | head -c [0-9]*", "for n in *; do cargo test | head -n $n; done",
        "cargo test | cat \"$x\"", "cargo test; date --file=notes.txt", "cargo test | grep -ex notes.txt",
        "cargo test | grep --regexp=x notes.txt", "cargo test; grep --rec x",
        "cargo test | sed -ep notes.txt", "cargo test | sed --expression=p notes.txt",
        "cargo test | sed 's/[w]/x/;2d'", "cargo test | awk '$1 > 3'", "cargo test; base64 -inotes.txt",
        "cargo test; base64 --input=notes.txt",
    ];
    for (texts, expected) in [(&allowed[..], Decision::Allow), (&asked[..], Decision::Ask)] {
        for text in texts {
            let verdict = ["date", "sed", "awk", "base64"]
                .iter()
                .fold(reader(), |scene, name| scene.program(&format!("/usr/bin/{name}"), name))
                .with_allow_rule("cargo test")
                .with_shell_text(text)
                .judge_request();
            assert_eq!(verdict.decision, expected, "{text}: {:?}", verdict.cause);
            assert!(verdict.confinement.is_none(), "{text}: one tree of processes, one profile");
        }
    }
}

#[test]
fn where_nothing_can_be_confined_the_list_asks() {
    let judged = |text: &str| {
        let mut scene = reader().with_shell_text(text);
        scene.confinable = crate::Confinable::NONE;
        scene.judge_request()
    };
    for text in ["cat a", "git status"] {
        let verdict = judged(text);
        assert_eq!((verdict.decision, verdict.reason), (Decision::Ask, Reason::CannotConfine), "{text}");
        assert!(verdict.confinement.is_none());
    }
    assert_eq!(judged("id -u").decision, Decision::Allow, "it names no file");
}

#[test]
fn names_that_only_the_shell_expands_are_those_that_a_confined_run_sees() {
    let scene = |text: &str| Scene::new().with_shell_text(text);
    for text in ["type ~/.ssh/*", "set -x; : ../*", "for f in ~/*; do type \"$f\"; done"] {
        let verdict = scene(text).judge_request();
        let got = (verdict.decision, &verdict.confinement);
        assert_eq!(got, (Decision::Allow, &look()), "{text}: {:?}", verdict.cause);
        let mut open = scene(text);
        open.confine = Some(postern_protocol::RequestedConfinement::None);
        assert_eq!(open.judge_request().decision, Decision::Ask, "{text}, unconfined");
        let mut cannot = scene(text);
        cannot.confinable = crate::Confinable::NONE;
        let verdict = cannot.judge_request();
        assert_eq!((verdict.decision, verdict.reason), (Decision::Ask, Reason::CannotConfine), "{text}");
    }
    for text in ["cd src", "test -f x", "[ $? = 0 ]"] {
        let verdict = scene(text).judge_request();
        let got = (verdict.decision, &verdict.confinement);
        assert_eq!(got, (Decision::Allow, &Confinement::None), "{text}: {:?}", verdict.cause);
    }
}

#[test]
fn a_rule_or_a_person_lets_it_through_confined_as_well() {
    let ruled = Scene::new().with_allow_rule("git status").with_shell_text("git status").judge_request();
    assert_eq!((ruled.decision, ruled.reason, &ruled.confinement), (Decision::Allow, Reason::Rule, &look()));
    let asked = Scene::new().with_shell_text("git status").judge_request();
    assert_eq!((asked.decision, &asked.confinement), (Decision::Ask, &look()));
    let full = Scene::new()
        .with_settings(|settings| settings.security = Security::Full)
        .with_shell_text("git status")
        .judge_request();
    assert!(full.confinement.is_none(), "what may run anything runs as it is");
    let outside = Scene::new().with_allow_rule("cat *").with_shell_text("cat ~/notes").judge_request();
    assert_eq!((outside.decision, outside.confinement), (Decision::Allow, Confinement::None));
}

#[test]
fn a_program_of_the_agents_is_not_vouched_for() {
    let mut scene = reader().with_shell_text("cat a");
    scene.programs.get_mut("/usr/bin/cat").unwrap().real_path = format!("{CWD}/bin/cat");
    assert_eq!(scene.judge_request().decision, Decision::Ask);
    assert_eq!(judged(&format!("cat '{DATA}/log'")).reason, Reason::Core);
}
