//! The read-only list and the profile that its steps run with.

use crate::testing::{CWD, DATA, HOME, Scene};
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
        "cat a", "git status", "git log | head -3", "cd src && ls", "cat < a", "cat /etc/hosts", "wc -l ./*",
        "id; cat a",
    ] {
        let verdict = judged(text);
        assert_eq!(
            (verdict.decision, &verdict.confinement),
            (Decision::Allow, &look()),
            "{text}: {:?}",
            verdict.cause
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
        "cat /Volumes/Macintosh\\ HD/Users/u/.ssh/x", "grep -r x ~", "ls -R /", "find / -name x",
        "cd /Users/u && cat x", "sort --files0-from=/tmp/x",
    ] {
        let verdict = judged(text);
        assert_eq!(verdict.decision, Decision::Ask, "{text}: {:?}", verdict.cause);
        assert!(verdict.confinement.is_none(), "{text}: what a person allows runs as it was shown");
    }
}

#[test]
fn patterns_scripts_and_separators_are_no_paths() {
    for (text, expected) in [
        ("git ls-files | cut -d/ -f1", Decision::Allow),
        ("sed -n '/data/,/end/p' f", Decision::Allow),
        ("grep -rn /tmp src", Decision::Allow),
        ("git status --short | grep .env", Decision::Allow),
        ("cut -f1 /tmp/x", Decision::Ask),
        ("sed -n '/data/p' /tmp/x", Decision::Ask),
        ("grep /tmp -f /tmp/x", Decision::Ask),
        ("grep -r x .env", Decision::Ask),
    ] {
        let scene = reader().program("/usr/bin/sed", "sed").program("/usr/bin/cut", "cut");
        let verdict = scene.program("/usr/bin/grep", "grep").with_shell_text(text).judge_request();
        assert_eq!(verdict.decision, expected, "{text}: {:?}", verdict.cause);
    }
}

#[test]
fn sed_prints_files_that_a_pattern_or_a_loop_names_but_takes_no_option_or_script_from_them() {
    for (text, expected) in [
        ("sed -n 1,5p src/*.go", Decision::Allow),
        ("sed -n 1,5p app/[id]/page.tsx", Decision::Allow),
        ("for f in docs/*.md; do sed -n 1,5p \"$f\"; done", Decision::Allow),
        ("find . -name x -exec sed -n 1,5p {} \\;", Decision::Allow),
        ("sed -n 1,5p *", Decision::Ask),
        ("sed -n 1,5p [-]*", Decision::Ask),
        ("sed -n 1,5p \"$f\"", Decision::Ask),
        ("for f in *; do sed -n 1,5p \"$f\"; done", Decision::Ask),
        ("for f in docs/*.md; do sed -n 1,5p $f; done", Decision::Ask),
        ("for s in docs/*.md; do sed -n \"$s\" f; done", Decision::Ask),
        ("sed -n 1,5p ../*.go", Decision::Ask),
        ("sed -n 1,5p ~/.ssh/*", Decision::Ask),
        ("sed -i 1,5p src/*.go", Decision::Ask),
        ("sed -n 's/a/b/w x' src/*.go", Decision::Ask),
    ] {
        let verdict = reader().program("/usr/bin/sed", "sed").with_shell_text(text).judge_request();
        assert_eq!(verdict.decision, expected, "{text}: {:?}", verdict.cause);
    }
}

#[test]
fn what_tells_of_devices_and_packages_is_read_from_the_system() {
    for (text, expected) in [
        ("lsusb", Decision::Allow),
        ("arp -an", Decision::Allow),
        ("lspci -k", Decision::Allow),
        ("modinfo ext4", Decision::Allow),
        ("pkg-config --cflags --libs zlib", Decision::Allow),
        ("figlet -f slant a", Decision::Allow),
        ("eza -la src", Decision::Allow),
        ("lspci -q", Decision::Ask),
        ("arp -s h a", Decision::Ask),
        ("modinfo ~/x.ko", Decision::Ask),
        ("pkg-config --libs ../x.pc", Decision::Ask),
        ("figlet -d ~/x a", Decision::Ask),
        ("eza -la ..", Decision::Ask),
        ("eza ~/.ssh", Decision::Ask),
        ("eza --stdin < names", Decision::Ask),
    ] {
        let names = ["lsusb", "arp", "lspci", "modinfo", "pkg-config", "figlet", "eza"];
        let with = |scene: Scene, name: &&str| scene.program(&format!("/usr/bin/{name}"), name);
        let verdict = names.iter().fold(reader(), with).with_shell_text(text).judge_request();
        assert_eq!(verdict.decision, expected, "{text}: {:?}", verdict.cause);
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
    for (text, expected) in [
        ("cargo test 2>&1 | tail -5", Decision::Allow),
        ("cargo test 2>&1 | head -n 5", Decision::Allow),
        ("cargo test | grep -E 'a|b' | sort -u | wc -l", Decision::Allow),
        ("cargo test && ls && echo ok", Decision::Allow),
        ("cargo test; cat notes.txt", Decision::Ask),
        ("cargo test && git status", Decision::Ask),
        ("cargo test | grep -f words", Decision::Ask),
        ("cargo test | sort notes.txt", Decision::Ask),
        ("cargo test | wc -l < notes.txt", Decision::Ask),
        ("cargo test | head -n *", Decision::Ask),
        ("cargo test | head -c [0-9]*", Decision::Ask),
        ("for n in *; do cargo test | head -n $n; done", Decision::Ask),
        ("cargo test | cat \"$x\"", Decision::Ask),
        ("cargo test; date --file=notes.txt", Decision::Ask),
        ("cargo test | grep -ve x", Decision::Allow),
        ("cargo test | grep -ex notes.txt", Decision::Ask),
        ("cargo test | grep --regexp=x notes.txt", Decision::Ask),
        ("cargo test; grep --rec x", Decision::Ask),
        ("cargo test | sed -ne 1,5p", Decision::Allow),
        ("cargo test | sed -ep notes.txt", Decision::Ask),
        ("cargo test | sed --expression=p notes.txt", Decision::Ask),
        ("cargo test | sed 's/where/we/g'", Decision::Allow),
        ("cargo test | sed 's/[w]/x/;2d'", Decision::Ask),
        ("cargo test | awk '{ print $1 }'", Decision::Allow),
        ("cargo test | awk '$1 > 3'", Decision::Ask),
        ("cargo test | base64 -d", Decision::Allow),
        ("cargo test; base64 -inotes.txt", Decision::Ask),
        ("cargo test; base64 --input=notes.txt", Decision::Ask),
    ] {
        let verdict = reader()
            .program("/usr/bin/date", "date")
            .program("/usr/bin/sed", "sed")
            .program("/usr/bin/awk", "awk")
            .program("/usr/bin/base64", "base64")
            .with_allow_rule("cargo test")
            .with_shell_text(text)
            .judge_request();
        assert_eq!(verdict.decision, expected, "{text}: {:?}", verdict.cause);
        assert!(verdict.confinement.is_none(), "{text}: one tree of processes, one profile");
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
