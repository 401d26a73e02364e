//! Values that a line gives to variables, and tildes: no way to write one hides what it names.

use super::core::verdict;
use crate::testing::{OWN_PID, Scene};
use crate::{Access, Decision, Reason, Rule, RuleOrigin};

/// Lines that give the variable `x` the value `@V`, also as an array.
const GIVES: [&str; 25] = [
    "x=(@V); @P \"${x[@]}\"", "x=(a @V); @P \"${x[1]}\"", "x=(@V); @P ${x[0]}", "x=(@V); @P $x",
    "x=([3]=@V); @P \"${x[3]}\"", "x+=(@V); @P \"${x[@]}\"", "x[0]=@V; @P \"${x[0]}\"",
    "declare -a x=(@V); @P \"${x[@]}\"", "local x=@V; @P \"$x\"", "readonly x=@V; @P \"$x\"",
    "export x=@V; @P \"$x\"", "typeset x=@V; @P \"$x\"", "read x <<< @V; @P \"$x\"",
    "read -r x <<< @V; @P \"$x\"", "read -r a x <<< \"a \"@V; @P \"$x\"",
    "read -ra x <<< @V; @P \"${x[@]}\"", "mapfile -t x <<< @V; @P \"${x[@]}\"",
    "readarray -t x <<< @V; @P \"${x[0]}\"", "mapfile x <<E\na\n@V\nE\n@P \"${x[@]}\"",
    "read x <<E\n@V\nE\n@P \"$x\"", "while read x; do @P \"$x\"; done <<< @V",
    "while read x; do @P \"$x\"; done <<E\n@V\nE", "echo @V | while read x; do @P \"$x\"; done",
    "while read x; do @P \"$x\"; done < <(echo @V)", "printf -v x %s @V; @P \"$x\"",
];

const KEY: &str = "/Users/u/Library/Application\\ Support/Postern/control.key";

fn scene(text: &str) -> Scene {
    ["tar", "zip", "nl"]
        .iter()
        .fold(Scene::new(), |scene, name| scene.program(&format!("/usr/bin/{name}"), name))
        .with_shell_text(text)
}

fn given(line: &str, program: &str, value: &str) -> String {
    line.replace("@V", value).replace("@P", program)
}

/// Returns the decision on a text by the rules of the first offer for another.
fn after(offered: &str, text: &str) -> Decision {
    judged_after(offered, text, Access::Ask)
}

fn judged_after(offered: &str, text: &str, look: Access) -> Decision {
    let rules: Vec<Rule> = scene(offered).offers()[0].to_rules(RuleOrigin::Any).collect();
    let mut scene = scene(text).with_settings(|settings| settings.look = look);
    scene.rules = rules;
    scene.judge_request().decision
}

#[test]
fn the_core_sees_a_removal_through_every_value() {
    for line in GIVES {
        let heredoc = line.contains("<<E");
        let value = if heredoc { "/Users/u" } else { "~" };
        let text = given(line, "rm -rf", value);
        assert_eq!(verdict(&text).reason, Reason::Core, "{text}");
        let harmless = given(line, "rm -rf", "build");
        assert_ne!(verdict(&harmless).reason, Reason::Core, "{harmless}");
    }
    for text in [
        "xargs rm -rf <<< ~", "xargs rm -rf <<E\n/Users/u\nE", "rm -rf ~root", "set -- ~; rm -rf \"$1\"",
        "set -- a ~; rm -rf \"$@\"", "rm -rf ~root/", "find ~root -delete",
    ] {
        assert_eq!(verdict(text).reason, Reason::Core, "{text}");
    }
}

#[test]
fn the_core_sees_its_data_through_every_value() {
    for line in GIVES {
        for key in [KEY, "\"$HOME/Library/Application Support/Postern/control.key\""] {
            if line.contains("<<E") && key.contains("$HOME") {
                continue;
            }
            let key = if line.contains("<<E") { KEY.replace('\\', "") } else { key.to_owned() };
            let text = given(line, "cp -t .", &key);
            assert_eq!(verdict(&text).reason, Reason::Core, "{text}");
        }
    }
    for text in [
        "x=(Postern); cat ~/Library/Application\\ Support/${x[0]}/control.key",
        "cat ~u/Library/Application\\ Support/Postern/control.key",
        "cat ~root/Library/Application\\ Support/Postern/control.key",
        "cat ~+/../Library/Application\\ Support/Postern/control.key",
        "zip -q ck.zip -@ <<< ~/Library/Application\\ Support/Postern/control.key",
        "x=~/Library/Application\\ Support; x+=/Postern/control.key; cat \"$x\"",
    ] {
        assert_eq!(verdict(text).reason, Reason::Core, "{text}");
    }
}

#[test]
fn the_core_sees_what_would_stop_it_through_every_value() {
    for text in [
        "x=($PPID); kill -9 \"${x[@]}\"".to_owned(),
        format!("x=({OWN_PID}); kill \"${{x[@]}}\""),
        format!("read x <<< {OWN_PID}; kill $x"),
        "x=(postern); \"${x[@]}\" agents set d security=full".to_owned(),
        "read x <<< postern; $x agents set d security=full".to_owned(),
        "pkill -f serve".to_owned(),
        "pkill -f 'postern serve'".to_owned(),
        "pkill p.stern".to_owned(),
        "pkill '[p]ostern'".to_owned(),
        "pkill -f 'vite|serve'".to_owned(),
    ] {
        assert_eq!(verdict(&text).reason, Reason::Core, "{text}");
    }
    for text in [
        "pkill -f 'npm run dev'", "pkill -f 'http.server 8000'", "pkill -x node", "pkill -f vite",
        "pkill -9 -f 'node .*server'",
    ] {
        assert_ne!(verdict(text).reason, Reason::Core, "{text}");
    }
}

#[test]
fn a_saved_rule_reads_nothing_outside_through_a_value() {
    for line in GIVES {
        let heredoc = line.contains("<<E");
        for value in ["~/.ssh/id_rsa", "/Users/u/other/x", "../x"] {
            let value = if heredoc { value.replace('~', "/Users/u") } else { value.to_owned() };
            for (offered, program) in
                [("cp a b", "cp -t ."), ("grep x notes", "grep x"), ("tar czf a.tgz src", "tar czf b.tgz")]
            {
                let text = given(line, program, &value);
                assert_ne!(after(offered, &text), Decision::Allow, "{text}");
            }
        }
    }
    for (offered, text) in [
        ("cp a b", "cp \"$1\" b"),
        ("cp a b", "cp \"${x[@]}\" b"),
        ("cp a b", "cp $(echo ../x) b"),
        ("tar czf a.tgz src", "tar czf a.tgz $(echo ../x)"),
        ("tar czf a.tgz src", "tar czf a.tgz \"$x\""),
        ("cp a b", "cp ~root/.ssh/id_rsa b"),
        ("cp a b", "cp ~+/../x b"),
        ("cp a b", "cp -rL ~+/../.local/share b"),
        ("cp a b", "cd /opt && cd ~/project && cp ~-/x b"),
        ("cp a b", "cp ~1/x b"),
        ("cp a b", "cp a ~root/x"),
        ("grep x notes", "grep x ~root/.ssh/id_rsa"),
        ("nl notes", "nl ~root/x"),
    ] {
        assert_ne!(after(offered, text), Decision::Allow, "{text}");
    }
}

#[test]
fn what_is_known_is_no_doubt() {
    for (offered, text) in [
        ("cp a b", "cp ~/project/a b"),
        ("cp a b", "cp ~+/a b"),
        ("cp a b", "cp a backup~"),
        ("npm test", "npm test -- --watch"),
        ("git commit -m x", "git commit -m \"$(cat <<'E'\nA message\nE\n)\""),
        ("git commit -m x", "git commit -m \"$(cat <<'EOF'\nx: y\n\nWhy.\nEOF\n)\""),
        ("npm test", "for x in a b; do npm test \"$x\"; done"),
    ] {
        assert_eq!(judged_after(offered, text, Access::Allow), Decision::Allow, "{text}");
    }
}
