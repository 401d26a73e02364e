use crate::testing::{DATA, Scene, rows};
use crate::{Cause, Decision, Reason, Security, Verdict};

/// Returns the entry of the core that denies.
fn core_id(verdict: &Verdict) -> Option<&str> {
    match &verdict.cause {
        Cause::Core { id, .. } => Some(id),
        _ => None,
    }
}

pub(super) fn verdict(text: &str) -> crate::Verdict {
    Scene::new()
        .with_settings(|settings| settings.security = Security::Full)
        .with_allow_rule("/**")
        .with_shell_text(text)
        .judge_request()
}

/// Commands that one entry of the built-in denials stops.
#[derive(serde::Deserialize)]
struct CoreCase {
    /// The entry; `None` for commands that all of them let pass.
    id: Option<String>,
    lines: Vec<String>,
}

#[test]
fn the_core_holds_whatever_the_settings_and_the_spelling() {
    for CoreCase { id, lines } in rows(include_str!("core.jsonl")) {
        for text in lines {
            let found = verdict(&text);
            assert_eq!(found.reason == Reason::Core, id.is_some(), "{text}: {:?}", found.cause);
            if id.is_some() {
                let got = (found.decision, core_id(&found));
                assert_eq!(got, (Decision::Deny, id.as_deref()), "{text}: {:?}", found.cause);
            }
        }
    }
}

/// Commands that stand in a text which is known only at run time: what they are is guessed from their words.
#[test]
fn what_is_only_guessed_at_is_looked_at_too() {
    for (id, command) in [
        ("remove-everything", "rm -rf /"),
        ("remove-everything", "find / -delete"),
        ("remove-everything", "rsync -a --delete empty/ /"),
        ("postern-data", "mv /Users x"),
        ("postern-data", "chmod -R a+w /Users/u/Library"),
        ("postern-data", "tee ~/Library/Application?Support/Postern/x"),
        ("stop-postern", "kill -9 -1"),
        ("stop-postern", "pkill ."),
        ("stop-postern", "killall -u u"),
        ("stop-postern", "launchctl bootout gui/501"),
        ("stop-postern", "loginctl kill-session 3"),
        ("stop-postern", "postern approve 1234"),
    ] {
        let found = verdict(&format!("bash -c \"$X; {command}\""));
        assert_eq!(found.reason, Reason::Core, "{command}: {:?}", found.cause);
        assert_eq!(core_id(&found), Some(id), "{command}: {:?}", found.cause);
    }
    for command in
        ["rm -rf build", "find / -name x", "mv a b", "kill -9 5", "tee ~/Library/x", "postern-run ls"]
    {
        let found = verdict(&format!("bash -c \"$X; {command}\""));
        assert_ne!(found.reason, Reason::Core, "{command}: {:?}", found.cause);
    }
}

#[test]
fn an_argv_is_looked_at_like_a_line() {
    for argv in [
        vec!["rm", "-rf", "/"],
        vec!["rm", "-rf", "."],
        vec!["rm", "-rf", "~"],
        vec!["env", "rm", "-rf", "/Users/u"],
        vec!["tee", &format!("{DATA}/x")],
        vec!["postern", "status"],
    ] {
        let verdict = Scene::new().with_allow_rule("/**").with_argv(&argv).judge_request();
        assert_eq!(verdict.reason, Reason::Core, "{argv:?}: {:?}", verdict.cause);
    }
}

#[test]
fn a_link_into_postern_s_data_is_followed() {
    let led = |text: &str| {
        let mut scene =
            Scene::new().with_settings(|settings| settings.security = Security::Full).with_shell_text(text);
        let real = format!("{DATA}/planted");
        let written = ["/tmp/l/planted", "/Users/u/l/planted"];
        scene.targets = written
            .map(|written| crate::TargetPath { written: written.to_owned(), real: real.clone() })
            .to_vec();
        scene.judge_request().reason
    };
    for text in [
        "echo x > \"$HOME/l/planted\"", "echo x > /tmp/l/planted", "echo x > \"/tmp/${x:-l}/planted\"",
        "tee /tmp/l/planted", "cp x /tmp/l/planted", "dd of=/tmp/l/planted",
    ] {
        assert_eq!(led(text), Reason::Core, "{text}");
    }
    assert_eq!(
        led("echo x > \"/tmp/${x}/planted\""),
        led("echo x > \"$Y\""),
        "what is not known leads nowhere"
    );
    assert_eq!(led("cat /tmp/l/planted"), Reason::Core, "what is there is not read either");
    assert_eq!(led("cat < /tmp/l/planted"), Reason::Core);
    assert_ne!(led("touch /tmp/other"), Reason::Core, "another word of the line");
}

#[test]
fn a_link_that_is_removed_is_a_link_and_what_lies_behind_it_is_not() {
    let led = |text: &str, written: &str, real: &str| {
        let mut scene =
            Scene::new().with_settings(|settings| settings.security = Security::Full).with_shell_text(text);
        scene.targets = vec![crate::TargetPath { written: written.to_owned(), real: real.to_owned() }];
        scene.judge_request().reason
    };
    for (text, written, real) in [
        ("rm -rf /tmp/l/", "/tmp/l/", "/Users/u"),
        ("rm -rf /tmp/l/*", "/tmp/l/*", "/Users/u/*"),
        ("rm -rf /tmp/l/.", "/tmp/l/.", "/Users/u"),
        ("rm -rf /tmp/l/u", "/tmp/l/u", "/Users/u"),
        ("rm -rf /tmp/l/Users", "/tmp/l/Users", "/Users"),
    ] {
        assert_eq!(led(text, written, real), Reason::Core, "{text} leads to {real}");
    }
    for (text, written, real) in [
        ("rm -rf /tmp/l", "/tmp/l", "/Users/u"),
        ("rm -rf /tmp/l/x", "/tmp/l/x", "/Users/u/x"),
        ("rm -rf /tmp/l/", "/tmp/other/", "/Users/u"),
    ] {
        assert_ne!(led(text, written, real), Reason::Core, "{text} leads to {real}");
    }
}

#[test]
fn inside_postern_s_data_every_name_is_its_own() {
    for text in ["touch x", "touch ./x", "rm x", "echo y > x", "echo y > ./x"] {
        let mut scene =
            Scene::new().with_settings(|settings| settings.security = Security::Full).with_shell_text(text);
        scene.cwd = DATA.to_owned();
        assert_eq!(scene.judge_request().reason, Reason::Core, "{text}");
    }
}

#[test]
fn emptying_the_folder_it_runs_in_is_asked_about_whatever_the_settings() {
    assert_eq!(verdict("find . -delete").decision, Decision::Ask);
}

/// Shells write braces out before they put variables in: `$x{y,z}` is what `xy` and `xz` hold.
#[test]
fn no_name_made_by_braces_hides_what_a_variable_holds() {
    for line in [
        "xy=~/'Library/Application Support/Postern'; touch $x{y,z}",
        "xy=~/'Library/Application Support/Postern'; touch {$x,a}y",
        "xy=../..; touch /tmp/$x{y,z}/Users/u/Library/'Application Support'/Postern/a",
    ] {
        let verdict = verdict(line);
        let got = (verdict.decision, verdict.reason);
        assert_eq!(got, (Decision::Deny, Reason::Core), "{line}: {:?}", verdict.cause);
    }
}

/// XNU strips these prefixes from any path, and several names lead to the same file.
#[test]
fn the_names_that_only_macos_knows_are_no_way_around_the_core() {
    let judged = |command: &str| {
        let scene = Scene::new()
            .with_settings(|settings| settings.security = Security::Full)
            .with_shell_text(command);
        let verdict = scene.judge_request();
        (verdict.decision, verdict.reason)
    };
    let core = (Decision::Deny, Reason::Core);
    for name in [
        format!("{DATA}/postern.db"),
        format!("/.nofollow{DATA}/postern.db"),
        format!("/.resolve/0{DATA}/postern.db"),
        format!("/.resolve/1/..{DATA}/postern.db"),
        format!("//.nofollow/{DATA}/postern.db"),
        format!("/.nofollow/.resolve/3/System/Volumes/Data{DATA}/postern.db"),
        format!("{DATA}/postern.db/..namedfork/data"),
        format!("{DATA}/..namedfork/rsrc"),
        format!("/Volumes/Whatever{DATA}/postern.db"),
        "/.vol/16777220/123".to_owned(),
        "/.VOL/1/2/postern.db".to_owned(),
    ] {
        for command in [format!("tee '{name}'"), format!("echo x > '{name}'"), format!("cp x '{name}'")] {
            assert_eq!(judged(&command), core, "{command}");
        }
    }
    for root in ["/", "/.nofollow/", "/.resolve/7/", "/.nofollow/Users/u", "/Volumes/X/Users/u", "/.vol/1/2"]
    {
        assert_eq!(judged(&format!("rm -rf {root}")), core, "{root}");
    }
    for harmless in
        ["tee /.nofollow/tmp/x", "rm -rf /Volumes/USB/build", "tee /.volume/1", "cat /Volumes/USB/x"]
    {
        assert_eq!(judged(harmless).0, Decision::Allow, "{harmless}");
    }
}
