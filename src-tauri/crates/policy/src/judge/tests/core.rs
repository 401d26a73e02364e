use crate::testing::{DATA, Scene};
use crate::{Cause, Decision, Reason, Security, Verdict};

/// Commands that the built-in denials stop, by entry.
const DENIED: &[(&str, &[&str])] = &[
    (
        "postern-keys",
        &[
            "cat ~/'Library/Application Support/Postern/'*", "cat ~/Library/App*/Postern/agents/*/agent.key",
            "cat ~/.postern/s/main/agent.key", "cd ~/.postern && cat s/main/agent.key", "ls ~/.p*/s",
        ],
    ),
    (
        "postern-keys",
        &[
            "cat \"$HOME/Library/Application Support/Postern/log\"",
            "cat '/Users/u/Library/Application Support/Postern/log'",
            "cat < ~/Library/Application\\ Support/Postern/control.key",
            "echo $(< ~/Library/Application\\ Support/Postern/control.key)",
            "cd ~/Library/Application\\ Support/Postern && cat control.key",
            "cd ~/Library/Application\\ Support/Postern/agents && ls",
            "sort '/users/U/library/application support/POSTERN/control.key'",
            "nohup grep x '/Users/u/Library//Application Support/./Postern/postern.db'",
            "bash -c 'head ~/Library/Application\\ Support/Postern/control.key'",
            "rg . '/Users/u/Library/Application Support/Postern'; cp '/Users/u/Library/Application Support/Postern/control.key' x",
            "head -c 99 < /users/u/.POSTERN/s/main/agent.key",
        ],
    ),
    (
        "postern-data",
        &[
            "cd ~/.postern && cat s/*/agent.key", "x=s; echo x > ../.postern/$x/main/agent.key",
            "ln -s ~/.postern/s/main/agent.sock x", "rm -rf ~/.postern", "mv ~/.postern x",
            "rm -rf ~/Library", "mv ~/Library x",
        ],
    ),
    (
        "postern-data",
        &[
            "echo x > '/Users/u/Library/Application Support/Postern/postern.db'",
            "echo x >> ~/'Library/Application Support/Postern/x'",
            "tee '/Users/u/Library/Application Support/Postern/x'",
            "touch /tmp/.\\./Users/u/'Library/Application Support/Postern/x'",
            "touch /tmp/.{.,x}/Users/u/'Library/Application Support/Postern/x'",
            "cp x '/Users/u/LIBRARY/Application Support/Postern/agents/main/agent.key'",
            "dd if=x of='/Users/u/Library/Application Support/Postern/x'",
            "touch '../Library/Application Support/Postern/x'",
            "cd ~/'Library/Application Support/Postern' && rm x",
            "cd '/Users/u/library/application support/postern' && rm -rf agents",
            "touch /$HOME/'Library/Application Support/Postern/x'",
            "cd / && touch .$HOME/'Library/Application Support/Postern/x'",
            "touch \"$HOME/Library/Application Support/Postern/x\"",
            "touch ~/Library/Application\\ Support/Poster?/x",
            "touch '/Users/u/Library/Application Support/Po\u{17f}tern/x'",
            "d=Postern; touch ~/Library/\"Application Support\"/$d/x",
            "echo x > '/proc/self/root/Users/u/Library/Application Support/Postern/x'",
        ],
    ),
    (
        "remove-everything",
        &[
            "rm -rf /", "rm -fr //", "rm -r -f -- /.", "rm / -rf", "rm --recursive --force /",
            "rm --recurs /", "/usr/bin/rm -Rf /*", "rm -rf --no-preserve-root /", "rm -rf ~", "rm -rf ~/",
            "rm -rf ~/*", "rimraf ~", "rimraf -- / x", "rm -rf $HOME", "rm -rf \"$HOME\"/",
            "rm -rf ${HOME}/..", "rm -rf /Users/u", "rm -rf /users/U", "rm -rf .", "rm -rf ./", "rm -rf ./*",
            "rm -rf ..", "rm -rf ../project", "rm -rf src/..", "rm -rf build ..", "sudo rm -rf /",
            "nohup env rm -rf /", "bash -c 'rm -rf ~'", "ls && rm -rf /", "echo $(rm -rf /)",
            "busybox rm -rf /", "\u{17f}rm -rf /", "\u{17f}udo rm -rf /", "find / -delete", "find ~ -delete",
            "find .. -type f -delete", "find / -exec rm -rf {} +", "cd / && rm -rf *", "cd ~ && rm -rf *",
            "echo / | xargs rm -rf", "rm -rf /[U]sers/u", "rm -rf /User[s]/u", "rm -rf /User[a-z]/[!x]",
            "rm -rf /User[[:alpha:]]/u", "rm -rf /[]U]sers/u", "rm -rf ~/.[!.]*", "rm -rf [a-zA-Z0-9]*",
            "rm -rf /[[:alpha:]]*", "rm -rf ./[^.]*", "/bin/r[a-z] -rf /", "/bin/r[m] -rf /",
            "cd build && rm -rf ../build", "rm -rf {/,x}", "rm -rf {x,~}", "rm -rf /Users/{u,v}",
            "rm -rf /{Users,opt}/{u,v}/", "rm -rf /Users/{v,{w,u}}", "rm -rf ~u ~+",
            "rm -rf $(cd .. && pwd)", "rm -rf $(git rev-parse --show-toplevel)",
            "echo 'build /' | xargs rm -rf", "rsync -a empty/ ~ --delete", "for d in ~; do rm -rf $d; done",
            "for d in a /; do rm -rf \"$d\"; done", "x=/; rm -rf $x", "rm -rf /proc/self/cwd",
            "rm -rf /proc/self/root",
        ],
    ),
    (
        "remove-everything",
        &[
            "python3 -c 'import shutil; shutil.rmtree(\"../..\")'",
            "find / -xdev -type f -print -exec sh -c 'rm {}' \\;",
        ],
    ),
    (
        "stop-postern",
        &[
            "killall Postern", "killall -9 postern-desktop",
            "/usr/local/bin/postern-steps 0.1.0 3 3< orders", "pkill postern", "pkill -f 'postern serve'",
            "pkill -9 poster", "pkill .", "kill -9 -1", "kill $(pgrep postern)",
            "pgrep -f postern | xargs kill -9", "\u{212a}ill 4711",
            "launchctl bootout gui/501/com.example.postern", "postern approve 1234",
            "/usr/bin/postern pause", "bash -c 'postern rules allow ls'", "kill -9 4711", "kill -- -4711",
            "loginctl terminate-user u", "loginctl kill-session 3", "osascript -e 'quit app \"Postern\"'",
            "lldb -n postern-desktop", "kill -1 -1", "p=$PPID; kill $p", "killall -u u",
        ],
    ),
    (
        "stop-postern",
        &[
            "osascript -e 'quit app id \"com.example.postern\"'",
            "launchctl kill TERM gui/501/com.example.postern",
        ],
    ),
];

/// Commands that they must let pass.
const PASSES: &[&str] = &[
    "rm -rf build", "rm -rf ./build", "rm -rf ../other", "rm -rf ~/x", "rimraf dist", "rm -rf $HOME/x",
    "rm -rf /tmp/x", "rm -rf /Users/u2", "rm -rf .git", "rm -rf ...", "rm -rf *.o", "rm -f /",
    "rm --force /", "rm -rf ''", "python3 -c 'print(\"skill\")'",
    "python3 -c 'import os; print(os.getppid())'",
    "python3 -c 'import shutil, glob; shutil.rmtree(\"x\"); glob.glob(\"**\")'", "rm -rf $(git ls-files -o)",
    "rm -rf $(cd .. && ls)", "loginctl list-sessions", "osascript -e 'beep'", "x=5; kill $x",
    "x=$(cat f); kill $x", "kill $(cat server.pid)", "launchctl print gui/501/com.example.postern",
    "killall -u u node", "rm -rf ~other", "rm -rf {build,out}/{a,b}", "rm -rf build/{a,b}",
    "find / -exec echo 'rm x' {} +", "rm -rf [0-9]*", "rm -rf ./[t]mp*", "rm -rf /User[s/u",
    "rm -rf /Users[1]/u", "/bin/r[a-z]x -rf /", "python3 -c 'import shutil; shutil.rmtree(\"/tmp/x\")'",
    "python3 -c 'import shutil; shutil.rmtree(\"build\"); print(\"a..b\")'", "rm .", "git rm -r .",
    "ls -r /", "echo rm -rf /", "git commit -m 'rm -rf /'", "find . -delete", "find . -name '*.o' -delete",
    "find / -name '*.o' -delete", "find build -delete", "cd build && rm -rf *", "rm -rf ./build/*",
    "echo build | xargs rm -rf", "for d in build out; do rm -rf $d; done", "x=build; rm -rf $x",
    "kill -9 4712", "touch '/Users/u/Library/Application Support/PosternOther/x'", "touch ~/Library/x",
    "mv a.txt ~/Library", "ls -a ~/.postern", "ls ~/* ~/.*", "cat ~/.posternrc s/x", "rm -rf .postern",
    "echo x > '/Users/u/Library/Application Support/x'", "pkill postgres", "killall node", "kill -9 5",
    "kill -1 5", "grep postern README.md", "ls postern", "git commit -m 'stop postern'", "pgrep postern",
    "grep postern README.md; kill 5",
];

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

#[test]
fn the_core_holds_whatever_the_settings_and_the_spelling() {
    for (id, texts) in DENIED {
        for text in *texts {
            let found = verdict(text);
            let got = (found.decision, found.reason);
            assert_eq!(got, (Decision::Deny, Reason::Core), "{text}: {:?}", found.cause);
            assert_eq!(core_id(&found), Some(*id), "{text}: {:?}", found.cause);
        }
    }
}

#[test]
fn near_misses_are_not_the_cores_business() {
    for text in PASSES {
        let verdict = verdict(text);
        assert_ne!(verdict.reason, Reason::Core, "{text}: {:?}", verdict.cause);
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
