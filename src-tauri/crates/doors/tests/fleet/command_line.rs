//! Hosts, groups and `all`, as they are typed on another Mac (`--host`), and a policy from its file to all hosts.

use crate::crash_signing::Signing;
use crate::rights::changed;
use crate::stage::{Stage, invitation, joined, until_async};
use postern_doors::fleet::{Folder, RightsChange};
use postern_host::ConnectedApproverKind;
use postern_tests::Postern;
use serde_json::json;
use std::fs;

/// Names by which the mini is meant.
const NAMED: [&str; 3] = ["mini", "builds", "all"];

/// Sets up a fleet whose mini is in two groups, with the Mac on which Noor types.
async fn typing() -> (Stage, Postern) {
    let mut stage = Stage::set().await;
    let noor = Postern::start();
    let folder = Folder::from_data_folder(&noor.data());
    joined(&mut stage.owner, &stage.broker, &folder, &[false], invitation("Noor's MacBook", "Noor")).await;
    let groups = ["all", "builds"].map(|group| group.parse().unwrap()).to_vec();
    let groups = RightsChange { groups: Some(groups), new_groups: true, ..RightsChange::default() };
    changed(&stage, "mini", &groups).await;
    // Once the mini has that roster and word of it, it says why it shows nothing.
    until_async(async || noor.run(&["history", "--host", "mini"]).stdout.contains("--readable")).await;
    (stage, noor)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_a_group_or_all_are_named_where_questions_are_read_and_answered() {
    let (mut stage, noor) = typing().await;
    let at_mini = stage.mini.host.add_approver(ConnectedApproverKind::Terminal);
    for named in NAMED {
        let file = stage.mini.file(named);
        let run = stage.ask(&file);
        stage.mini.asked().await;
        noor.until(&["questions", "--host", named], "echo ran");
        let words = format!("not by {named}");
        let said = noor.ok(&["deny", "--host", named, "--feedback", &words]);
        assert_eq!(said.trim_end(), "mini: denied");
        let told = stage.end(run).await;
        assert!(format!("{told:?}").contains(&words), "{told:?}");
        noor.until(&["questions", "--host", named], "nothing waits");
    }
    let other = noor.run(&["questions", "--host", "nobody"]);
    assert!(other.code != 0 && other.stderr.contains("no host or group nobody"), "{other:?}");
    drop(at_mini);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_a_group_or_all_are_blocked_and_work_again_by_commands() {
    let (stage, noor) = typing().await;
    let is_blocked = async || stage.mini.call("status", json!({})).await["mode"] == json!("paused");
    for named in NAMED {
        let said = noor.run(&["fleet", "block", "--host", named, "--for", "30m"]).stdout;
        assert!(said.contains("mini: all agents are blocked") && is_blocked().await, "{named}: {said}");
        let offline = said.contains("MacBook: offline: nothing was sent");
        assert_eq!(offline, named == "all", "the laptop's door is closed: {said}");
        let said = noor.run(&["fleet", "block", "--host", named, "--end"]).stdout;
        assert!(said.contains("mini: agents work again") && !is_blocked().await, "{named}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn history_agents_and_rules_of_a_host_or_a_group_are_read_by_commands() {
    let (stage, noor) = typing().await;
    stage.mini.call("rules.add", json!({"effect": "deny", "text": "hummingbird *"})).await;
    for command in [&["history"][..], &["agents", "list"], &["rules", "list"]] {
        let refused = noor.run(&[command, &["--host", "builds"]].concat());
        assert!(refused.code != 0 && refused.stdout.contains("--readable"), "{command:?}: {refused:?}");
    }
    stage.rejoin(|membership| membership.readable = true).await;
    for (command, part) in [(["agents", "list"], "main"), (["rules", "list"], "hummingbird")] {
        for named in ["mini", "builds"] {
            // The mini connects again.
            until_async(async || noor.run(&[&command[..], &["--host", named]].concat()).code == 0).await;
            let said = noor.ok(&[&command[..], &["--host", named]].concat());
            assert!(said.starts_with("mini") && said.contains(part), "{command:?}: {said}");
        }
    }
    assert!(noor.ok(&["history", "--host", "builds"]).starts_with("mini"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_goes_from_its_file_to_all_hosts_and_back_by_commands() {
    let signing = Signing::set_alone().await;
    let (ines, mini) = (&signing.ines, &signing.stage.mini);
    let file = ines.scratch("policy").join("policy.json");
    let path = file.to_str().unwrap();
    let write = |text: &str| {
        let rules = json!({"rules": [{"effect": "deny", "text": text}]});
        fs::write(&file, rules.to_string()).unwrap();
    };
    write("");
    let wrong = ines.run(&["fleet", "policy", "lint", path]);
    assert!(wrong.code != 0 && wrong.stderr.contains("rule 1"), "{wrong:?}");
    write("echo *");
    assert!(ines.ok(&["fleet", "policy", "lint", path]).contains("nothing wrong"));
    // Once the mini has her roster it judges its history for her.
    let replay = ["fleet", "policy", "replay", path, "--group", "all"];
    until_async(async || ines.ok(&replay).contains("mini: 0 of 0 requests would be judged differently"))
        .await;
    let publish = ["fleet", "policy", "publish", path, "--group", "all", "--canary", "mini", "--yes"];
    let said = ines.ok(&publish);
    assert!(said.contains("all/1#") && said.contains("is for mini"), "{said}");
    let status = ["fleet", "policy", "status", "--group", "all"];
    ines.until(&status, "mini: all/1#");
    assert!(ines.ok(&status).contains(", for one host"));
    let advance = ["fleet", "policy", "advance", "--group", "all"];
    for reach in ["10 of 100 hosts", "all hosts"] {
        let said = ines.ok(&advance);
        assert!(said.contains("all/1#") && said.contains(reach), "{said}");
    }
    write("ls *");
    assert!(ines.ok(&publish).contains("all/2#"));
    ines.until(&status, "mini: all/2#");
    let said = ines.ok(&["fleet", "policy", "rollback", "--group", "all"]);
    assert!(said.contains("all/3#") && said.contains("all hosts"), "{said}");
    ines.until(&status, "mini: all/3#");
    let line = json!({"agent": "main", "shell": "echo hello", "cwd": "/"});
    let verdict = mini.call("explain", line).await;
    assert_eq!(verdict["decision"], json!("deny"), "{verdict}");

    let groups = ines.ok(&["fleet", "groups"]);
    assert!(groups.starts_with("all") && groups.contains("Ines on Ines's MacBook"), "{groups}");
    let members = ines.ok(&["fleet", "members"]);
    assert!(members.contains("Ines, owner, publisher, approves everything for all"), "{members}");
    let verified = ines.ok(&["fleet", "audit", "verify", "--host", "mini"]);
    assert!(verified.starts_with("mini: ") && verified.contains(" anchors over "), "{verified}");
}
