//! Spellings of one command: options before its verb, short and long ones.

use super::{RatedEffect, RiskLevel};
use crate::Decision;
use crate::testing::Scene;

#[test]
fn options_before_the_verb_hide_no_danger() {
    for command in [
        "npm --prefix x publish", "npm --otp 123456 publish", "npm -C sub token create",
        "kubectl -n prod exec pod -- ls", "kubectl --context c --namespace n attach p",
        "docker --context c rm -f x", "docker --unheard value rm -f x",
        "docker -H ssh://h volume --unheard rm x", "aws --profile p iam create-user",
        "aws --profile p --region r iam delete-user", "cargo +nightly publish", "gh -R a/b pr merge 5",
        "git -C sub push --force", "systemctl -H h stop x", "brew -v uninstall x",
        "pip --proxy p uninstall x",
    ] {
        let risk = Scene::new().with_shell_text(command).judge_request().risk;
        assert_eq!(risk.level, RiskLevel::Dangerous, "{command}: {:?}", risk.effects);
    }
    for command in [
        "npm --prefix publish run build", "kubectl -n exec get pods", "docker --context rm ps",
        "systemctl --user status x", "aws --profile iam s3 ls", "aws --profile p iam list-users",
    ] {
        let risk = Scene::new().with_shell_text(command).judge_request().risk;
        assert!(risk.level != RiskLevel::Dangerous, "{command}: {:?}", risk.effects);
    }
}

/// Deny rules, effects and levels read options in one place: a spelling is no way around any of them.
#[test]
fn a_spelling_changes_no_effect_no_level_and_no_denial() {
    for (plain, spelled, deny) in crate::testing::rows::<(&str, &str, &str)>(include_str!("spellings.jsonl"))
    {
        let told = |command: &str| Scene::new().with_shell_text(command).judge_request().risk;
        let (one, other) = (told(plain), told(spelled));
        assert!(other.level >= one.level, "{spelled}: {:?}", other.effects);
        for rated in one.effects {
            let same = |also: &RatedEffect| also.effect == rated.effect && also.scope == rated.scope;
            assert!(other.effects.iter().any(same), "{spelled}: {:?} and not {rated:?}", other.effects);
        }
        for command in [plain, spelled] {
            let verdict = Scene::new()
                .with_allow_rule("/**")
                .with_deny_rule(deny)
                .with_shell_text(command)
                .judge_request();
            assert_eq!(verdict.decision, Decision::Deny, "{command}");
        }
    }
}

/// A dangerous option of the program itself makes a command dangerous; any other of its options changes
/// nothing.
#[test]
fn no_known_option_before_the_verb_changes_the_level() {
    let level = |words: &[&str]| Scene::new().with_shell_text(&words.join(" ")).judge_request().risk.level;
    for command in [
        "npm publish", "npm run publish", "pnpm dlx x", "yarn publish", "cargo publish", "cargo build",
        "git push --force", "git push", "git commit -m x", "git clean -f", "kubectl exec p -- ls",
        "kubectl run x", "docker rm -f x", "docker rm x", "docker volume rm x", "aws iam list-users",
        "aws s3 rb x", "gh repo delete x", "gh pr create", "pip uninstall x", "pip install x",
        "brew uninstall x", "uv publish", "poetry publish", "systemctl stop x", "defaults write a b c",
        "security delete-keychain x", "helm push x",
    ] {
        let (program, rest) = command.split_once(' ').unwrap();
        let base = level(&[program, rest]);
        let known = postern_command::known_program(program);
        // A dry run does nothing, and a list is printed.
        let other = ["+", "--dry-run", "--list"];
        let options = known[0].options_before.unwrap_or_default().split(' ');
        let options = options.filter(|word| !other.contains(word));
        let options: Vec<(&str, bool)> =
            options.map(|word| (word.trim_end_matches([':', '?']), word.ends_with(':'))).collect();
        assert!(!options.is_empty(), "{program}");
        for (option, takes_value) in options {
            let given: &[&str] = if takes_value { &[program, option, "val"] } else { &[program, option] };
            let with = level(&[given, &[rest]].concat());
            assert_eq!(with, base.max(level(given)), "{program} {option} {rest}");
        }
    }
}
