//! Source 4's gate for tools, as an agent and an approver meet it.

use crate::support::{Lab, Wire};
use postern_contract::ApproverNotification;
use postern_contract::{ToolApprovalRequired, join_pieces, pieces_to_text};
use serde_json::{Value, json};

async fn required(lab: &mut Lab) -> ToolApprovalRequired {
    loop {
        if let ApproverNotification::ToolApprovalRequired(event) = lab.heard().await {
            return *event;
        }
    }
}

#[tokio::test]
async fn a_denied_call_says_which_error_it_is_and_asks_nobody() {
    let (lab, mut wire) = Lab::connected().await;
    let denied =
        wire.call("tool.check", json!({"tool": "read_file", "arguments": {"path": "x/.env"}})).await.unwrap();
    assert_eq!(denied["decision"], "deny", "{denied}");
    assert_eq!(denied["error"], "ToolDeniedError", "{denied}");
    assert!(denied["message"].as_str().unwrap().contains("*.env"), "which rule: {denied}");
    assert_eq!(lab.control("tool.pending", json!({})).await.unwrap()["tools"], json!([]));
}

#[tokio::test]
async fn the_event_has_the_fields_of_source_four_and_what_is_hidden_shows() {
    let (mut lab, mut wire) = Lab::connected().await;
    let arguments = json!({"to": "a\u{202e}b"});
    let asked = wire
        .call("tool.check", json!({"tool": "mcp:my-tool", "arguments": arguments, "session": "s"}))
        .await
        .unwrap();
    let event = serde_json::to_value(required(&mut lab).await).unwrap();
    let mut fields: Vec<&String> = event.as_object().unwrap().keys().collect();
    fields.sort();
    assert_eq!(fields, ["approvalId", "arguments", "sessionId", "toolName", "type"]);
    assert_eq!(event["type"], "tool_approval_required");
    assert_eq!((&event["approvalId"], &event["toolName"]), (&asked["checkId"], &json!("mcp:my-tool")));
    assert_eq!(event["sessionId"], "s");
    let text = event["arguments"].as_str().unwrap();
    assert!(!text.contains('\u{202e}'), "{text}");
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), arguments, "a JSON text all the same");
}

#[tokio::test]
async fn the_others_are_told_when_one_answered_and_a_late_answer_does_not_apply() {
    let (mut lab, mut wire) = Lab::connected().await;
    let asked = wire.call("tool.check", json!({"tool": "deploy", "session": "s"})).await.unwrap();
    lab.question().await;
    let params = json!({"sessionId": "s", "approvalId": asked["checkId"]});
    assert_eq!(lab.control("tool.approve", params.clone()).await.unwrap(), json!({"applied": true}));
    let resolved = loop {
        if let ApproverNotification::ToolApprovalResolved(event) = lab.heard().await {
            break event;
        }
    };
    assert!(resolved.approved && json!(resolved.approval_id) == asked["checkId"]);
    assert_eq!(wire.event("tool.resolved").await["decision"], "allow");
    for method in ["tool.approve", "tool.deny"] {
        assert_eq!(lab.control(method, params.clone()).await.unwrap(), json!({"applied": false}), "{method}");
    }
    let unknown = json!({"sessionId": "s", "approvalId": "nonsense"});
    assert_eq!(lab.control("tool.deny", unknown).await.unwrap(), json!({"applied": false}));
}

#[tokio::test]
async fn always_is_written_into_the_file_and_answers_what_else_waits_in_the_session() {
    let (lab, mut wire) = Lab::connected().await;
    let shell =
        |command: &str| json!({"tool": "shell_exec", "arguments": {"command": command}, "session": "s"});
    let first = wire.call("tool.check", shell("git push origin main")).await.unwrap();
    let second = wire.call("tool.check", shell("git push --force")).await.unwrap();
    let other = wire.call("tool.check", shell("git fetch")).await.unwrap();
    let always = json!({"sessionId": "s", "approvalId": first["checkId"], "always": true});
    assert_eq!(lab.control("tool.approve", always).await.unwrap()["applied"], true);
    for expected in [&first, &second] {
        let resolved = wire.event("tool.resolved").await;
        assert_eq!((&resolved["checkId"], &resolved["decision"]), (&expected["checkId"], &json!("allow")));
    }
    let pending = lab.control("tool.pending", json!({})).await.unwrap();
    assert_eq!(pending["tools"][0]["approvalId"], other["checkId"], "the rest still waits: {pending}");
    let file = lab.control("permissions.get", json!({"agent": "main"})).await.unwrap();
    assert!(file["text"].as_str().unwrap().contains("\"git push *\": \"allow\""), "{file}");
    let sessions = lab.control("sessions.list", json!({})).await.unwrap();
    assert_eq!(sessions["sessions"][0]["runtime"], json!(["shell_exec git push *: allow"]), "{sessions}");
}

#[tokio::test]
async fn a_call_that_holds_a_command_is_saved_by_nobody() {
    let (mut lab, mut wire) = Lab::connected().await;
    for (tool, arguments, saved) in [
        ("notes_list", json!({"folder": "inbox"}), true),
        ("box_run", json!({"command": "rm -rf ~/notes"}), false),
        ("box_run", json!({"command": "make test"}), false),
    ] {
        let call = json!({"tool": tool, "arguments": arguments, "session": "s"});
        let asked = wire.call("tool.check", call.clone()).await.unwrap();
        let question = lab.question().await;
        assert_eq!(!question.proposals.is_empty(), saved, "{tool}: {:?}", question.proposals);
        let always = json!({"sessionId": "s", "approvalId": asked["checkId"], "always": true});
        lab.control("tool.approve", always).await.unwrap();
        let again = wire.call("tool.check", call).await.unwrap();
        assert_eq!(again["decision"] == "allow", saved, "{tool}: {again}");
    }
}

#[tokio::test]
async fn always_holds_in_its_session_where_the_file_cannot_take_it() {
    let (mut lab, mut wire) = Lab::connected().await;
    let text = r#"{ "deploy": "ask", "*": "ask" }"#;
    lab.control("permissions.set", json!({"agent": "main", "text": text})).await.unwrap();
    let check = json!({"tool": "deploy", "session": "s"});
    let asked = wire.call("tool.check", check.clone()).await.unwrap();
    lab.question().await;
    let always = json!({"sessionId": "s", "approvalId": asked["checkId"], "always": true});
    assert_eq!(lab.control("tool.approve", always).await.unwrap()["applied"], true);
    let told = loop {
        if let ApproverNotification::Attention(told) = lab.heard().await {
            break told.message;
        }
    };
    assert!(told.contains("would win over the new rule"), "the person is told why it was not saved: {told}");
    assert_eq!(
        wire.call("tool.check", check).await.unwrap()["decision"],
        "allow",
        "in this session it holds"
    );
    let elsewhere = wire.call("tool.check", json!({"tool": "deploy", "session": "t"})).await.unwrap();
    assert_eq!(elsewhere["decision"], "ask", "in no other");
}

#[tokio::test]
async fn an_edit_counts_from_the_very_next_call() {
    let (lab, mut wire) = Lab::connected().await;
    lab.rule("allow", Some("main"), "/usr/bin/basename").await;
    let file = lab.control("permissions.get", json!({"agent": "main"})).await.unwrap();
    let path = std::path::PathBuf::from(file["path"].as_str().unwrap());
    let check = json!({"tool": "grep", "arguments": {"path": "x"}});
    for round in 0..20 {
        let word = if round % 2 == 0 { "deny" } else { "allow" };
        std::fs::write(&path, format!("{{ \"grep\": \"{word}\", \"system.run\": \"{word}\" }}")).unwrap();
        let verdict = wire.call("tool.check", check.clone()).await.unwrap();
        assert_eq!(verdict["decision"], word, "round {round}: {verdict}");
        let ran = wire.run(&["basename", "/a/b"]).await;
        assert_eq!(ran["reason"].is_null(), word == "allow", "round {round}: {ran}");
    }
    std::fs::write(&path, "{\n  \"grep\": \"alow\"\n}").unwrap();
    let broken = wire.call("tool.check", check).await.unwrap();
    assert_eq!(broken["decision"], "deny", "{broken}");
    let message = broken["message"].as_str().unwrap();
    assert!(message.contains("line 2, column 11") && message.contains("alow"), "{message}");
    let shown = lab.control("permissions.get", json!({"agent": "main"})).await.unwrap();
    assert_eq!(shown["problem"]["text"], "\"grep\": \"alow\"", "{shown}");
}

#[tokio::test]
async fn a_file_that_is_replaced_is_shown_as_what_changes() {
    let (mut lab, mut wire) = Lab::connected().await;
    let file = json!({"agent": "main", "text": "{\"write_file\": \"ask\"}"});
    lab.control("permissions.set", file).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.py", "one\ntwo\n"), (".env", "KEY=old\n")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    for (name, expected) in [
        ("a.py", &[" one", "-two", "+three"][..]),
        ("new.py", &["+one", "+three"]),
        // Its text would go to every approver.
        (".env", &["…this replaces a file of 8 bytes, which isn’t shown", "+one", "+three"]),
    ] {
        let arguments = json!({"path": name, "content": "one\nthree\n"});
        let call = json!({"tool": "write_file", "arguments": arguments, "cwd": folder.path()});
        wire.call("tool.check", call).await.unwrap();
        let rows = lab.question().await.subject.to_rows();
        let lines = rows[1..].iter().map(|(sign, line)| format!("{sign}{}", join_pieces(line)));
        assert_eq!(lines.collect::<Vec<_>>(), expected, "{name}");
    }
}

#[tokio::test]
async fn a_file_that_is_gone_denies_until_it_is_back() {
    let (lab, mut wire) = Lab::connected().await;
    let file = lab.control("permissions.get", json!({"agent": "main"})).await.unwrap();
    assert!(file["text"].as_str().unwrap().contains("write_file"), "the default is seeded: {file}");
    let writing = json!({"tool": "write_file", "arguments": {"path": "x"}});
    let prohibition = json!({"agent": "main", "text": "{\"write_file\": \"deny\"}"});
    lab.control("permissions.set", prohibition).await.unwrap();
    std::fs::remove_file(file["path"].as_str().unwrap()).unwrap();
    let verdict = wire.call("tool.check", writing.clone()).await.unwrap();
    assert_eq!(verdict["decision"], "deny", "no file is no permission: {verdict}");
    let lab = lab.restart().await;
    let mut wire = lab.connect("main").await;
    let verdict = wire.call("tool.check", writing.clone()).await.unwrap();
    assert_eq!(verdict["decision"], "deny", "nor behind a restart: {verdict}");
    assert_eq!(wire.run(&["uname", "-a"]).await["state"], "denied", "it may hold for commands, too");
    let status = lab.control("status", json!({})).await.unwrap();
    assert!(status["attention"].to_string().contains("the file is gone"), "{status}");
    std::fs::write(file["path"].as_str().unwrap(), "{}").unwrap();
    let verdict = wire.call("tool.check", writing).await.unwrap();
    assert_ne!(verdict["decision"], "deny", "it is back: {verdict}");
}

#[tokio::test]
async fn a_gate_that_is_off_is_told_as_a_danger() {
    let (lab, mut wire) = Lab::connected().await;
    let params = json!({"agent": "main", "text": "{ \"*\": \"allow\" }"});
    let set = lab.control("permissions.set", params).await.unwrap();
    assert!(set["dangers"][0].as_str().unwrap().contains("gate is off"), "{set}");
    let status = lab.control("status", json!({})).await.unwrap();
    assert!(status["attention"].to_string().contains("gate is off"), "{status}");
    let verdict = wire.call("tool.check", json!({"tool": "anything"})).await.unwrap();
    assert_eq!(verdict["decision"], "allow");
}

#[tokio::test]
async fn an_agent_that_comes_back_hears_its_answer_and_one_that_does_not_asks_nobody() {
    let (mut lab, mut wire) = Lab::connected().await;
    let asked = wire.call("tool.check", json!({"tool": "deploy", "session": "s"})).await.unwrap();
    lab.question().await;
    drop(wire);
    let mut wire = lab.connect("main").await;
    let approve = json!({"sessionId": "s", "approvalId": asked["checkId"]});
    assert_eq!(
        lab.control("tool.approve", approve).await.unwrap()["applied"],
        true,
        "it waited for its agent"
    );
    assert_eq!(wire.event("tool.resolved").await["decision"], "allow");

    let asked = wire.call("tool.check", json!({"tool": "deploy", "session": "s"})).await.unwrap();
    lab.question().await;
    drop(wire);
    loop {
        if let ApproverNotification::ToolApprovalResolved(event) = lab.heard().await
            && json!(event.approval_id) == asked["checkId"]
        {
            assert!(!event.approved);
            break;
        }
    }
    let late = json!({"sessionId": "s", "approvalId": asked["checkId"]});
    assert_eq!(lab.control("tool.approve", late).await.unwrap()["applied"], false, "nobody would hear it");
}

#[tokio::test]
async fn the_elevated_gate_is_the_persons_and_a_subagent_gets_it_only_from_its_parent() {
    let (lab, mut wire) = Lab::with_rule("/usr/bin/basename").await;
    for (session, parent, elevated) in [
        ("own", None, None),
        ("off", None, Some(false)),
        ("sub", Some("own"), None),
        ("passed", Some("own"), Some(true)),
        ("deeper", Some("sub"), None),
    ] {
        let mut open = json!({"session": session});
        if let Some(parent) = parent {
            open["parent"] = json!(parent);
        }
        if let Some(elevated) = elevated {
            open["elevated"] = json!(elevated);
        }
        wire.call("session.open", open).await.unwrap();
    }
    let refused = wire.call("session.open", json!({"session": "x", "parent": "sub", "elevated": true})).await;
    assert!(refused.unwrap_err()["message"].as_str().unwrap().contains("cannot pass that on"));
    for (session, runs) in
        [("own", true), ("off", false), ("sub", false), ("passed", true), ("deeper", false)]
    {
        let ran = wire.run_with(&["basename", "/a/b"], json!({"session": session})).await;
        assert_eq!(ran["reason"] == "policy", !runs, "{session}: {ran}");
        let explained = json!({"agent": "main", "argv": ["basename", "/a/b"], "session": session});
        let explained = lab.control("explain", explained).await.unwrap();
        assert_eq!(explained["decision"] == "allow", runs, "{session}");
        let stages: Vec<_> =
            explained["trace"].as_array().unwrap().iter().map(|line| line["stage"].clone()).collect();
        assert!(stages.contains(&json!("tool policy")) && stages.contains(&json!("elevated")), "{stages:?}");
    }
    lab.set("main", &[("elevated", "off")]).await;
    let ran = wire.run_with(&["basename", "/a/b"], json!({"session": "passed"})).await;
    assert_eq!(ran["reason"], "policy", "the person's switch holds for all: {ran}");
    assert!(ran["message"].as_str().unwrap().contains("elevated"), "{ran}");
    let grep = json!({"tool": "grep", "arguments": {"path": "/srv/x"}, "session": "own"});
    let tool = wire.call("tool.check", grep).await.unwrap();
    assert_eq!(tool["decision"], "allow", "its own tools are another matter");
}

#[tokio::test]
async fn tool_policy_closes_host_commands_for_a_session_and_history_shows_it() {
    let (lab, mut wire) = Lab::with_rule("/usr/bin/basename").await;
    let rules = json!({"system.run": "deny"});
    wire.call("session.open", json!({"session": "s", "rules": rules, "elevated": true})).await.unwrap();
    let ran = wire.run_with(&["basename", "/a/b"], json!({"session": "s"})).await;
    assert!(ran["message"].as_str().unwrap().contains("commands on the host"), "{ran}");
    let listed = lab.control("requests.list", json!({})).await.unwrap();
    let id = listed["requests"][0]["id"].clone();
    let row = lab.control("requests.get", json!({"id": id})).await.unwrap();
    assert!(row.to_string().contains("tool policy") && row.to_string().contains("elevated"), "{row}");
    assert_eq!(wire.run(&["basename", "/a/b"]).await["exitCode"], 0, "only that session");
}

#[tokio::test]
async fn denying_all_of_an_agent_denies_what_waits_as_well() {
    let (mut lab, mut wire) = Lab::connected().await;
    wire.call("tool.check", json!({"tool": "deploy"})).await.unwrap();
    lab.question().await;
    lab.set("main", &[("deniedUntil", "10m")]).await;
    let resolved = wire.event("tool.resolved").await;
    assert_eq!(resolved["decision"], "deny", "{resolved}");
    let again = wire.call("tool.check", json!({"tool": "deploy"})).await.unwrap();
    assert_eq!(again["decision"], "deny", "{again}");
    lab.set("main", &[("deniedUntil", "none")]).await;
    assert_eq!(wire.call("tool.check", json!({"tool": "deploy"})).await.unwrap()["decision"], "ask");
}

#[tokio::test]
async fn a_tool_that_writes_files_writes_none_of_posterns_own() {
    let (lab, mut wire) = Lab::connected().await;
    let text = r#"{ "*": "allow" }"#;
    lab.control("permissions.set", json!({"agent": "main", "text": text})).await.unwrap();
    lab.rule("deny", None, "/usr/bin/tee").await;
    let data = lab.host.data_folder();
    let link = lab.home().join("link");
    std::os::unix::fs::symlink(data.join("policy"), &link).unwrap();
    let inside = data.join("policy/main/permissions.jsonc");
    for (path, expected) in [
        (inside.clone(), "deny"),
        (data.join("../").join(data.file_name().unwrap()).join("x"), "deny"),
        (link.join("main/permissions.jsonc"), "deny"),
        (lab.home().join("a b;c\u{e9}.txt"), "allow"),
        ("notes.md".into(), "allow"),
    ] {
        let uri = if path.is_absolute() {
            format!("file://{}", path.display().to_string().replace(' ', "%20"))
        } else {
            path.display().to_string()
        };
        for (tool, arguments) in [
            ("write_file", json!({"path": path, "content": "{}"})),
            ("edit_file", json!({"path": path, "content": "{}"})),
            ("filesystem_write_file", json!({"filePath": path, "content": "{}"})),
            ("filesystem_move_file", json!({"source": "notes.md", "destination": path})),
            ("editor_apply", json!({"edits": [{"target_file": path, "text": "{}"}]})),
            (
                "apply_patch",
                json!({"input": format!("*** Begin Patch\n*** Update File: {}\n", path.display())}),
            ),
            ("resource_put", json!({"uri": uri})),
        ] {
            let check = json!({"tool": tool, "arguments": arguments});
            let verdict = wire.call("tool.check", check).await.unwrap();
            assert_eq!(verdict["decision"], expected, "{tool} {}: {verdict}", path.display());
        }
    }
    for (tool, expected) in [("fs_delete_directory", "deny"), ("fs_list_directory", "allow")] {
        let check = json!({"tool": tool, "arguments": {"path": data.parent().unwrap()}});
        let verdict = wire.call("tool.check", check).await.unwrap();
        assert_eq!(verdict["decision"], expected, "{tool} of the folder that holds it: {verdict}");
    }
    let many: Vec<String> =
        (0..5000).map(|number| format!("/x/{number}")).chain([inside.display().to_string()]).collect();
    let check = json!({"tool": "files_touch", "arguments": {"paths": many}});
    let verdict = wire.call("tool.check", check).await.unwrap();
    assert_ne!(verdict["decision"], "allow", "what is too much to read is not let through: {verdict}");
    let reading = json!({"tool": "read_file", "arguments": {"path": inside}});
    assert_eq!(
        wire.call("tool.check", reading).await.unwrap()["decision"],
        "deny",
        "its keys are there as well"
    );
}

/// Returns an approver on the control socket that begins to watch, and the calls that it is told of at once.
async fn approver(lab: &Lab) -> (Wire, Vec<Value>) {
    let mut approver = lab.approver().await;
    approver.call("questions.watch", json!({"face": "terminal"})).await.unwrap();
    // What is told again comes before the answer to the next call.
    approver.call("status", json!({})).await.unwrap();
    let told = approver.notices.drain(..).filter(|told| told["method"] == "tool_approval_required");
    let told = told.map(|told| told["params"].clone()).collect();
    (approver, told)
}

#[tokio::test]
async fn an_approver_that_comes_back_is_told_again_what_still_waits() {
    let (mut lab, mut wire) = Lab::connected().await;
    let mut checks = Vec::new();
    for tool in ["deploy", "publish"] {
        let asked = wire.call("tool.check", json!({"tool": tool, "session": "s"})).await.unwrap();
        checks.push(asked["checkId"].clone());
        lab.question().await;
    }
    let (first, told) = approver(&lab).await;
    let ids = |told: &[Value]| told.iter().map(|event| event["approvalId"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&told), checks, "oldest first: {told:?}");
    assert_eq!((&told[0]["toolName"], &told[0]["sessionId"]), (&json!("deploy"), &json!("s")), "{told:?}");
    drop(first);
    let (mut second, told) = approver(&lab).await;
    assert_eq!(ids(&told), checks, "whoever comes back is told the same");
    let yes = json!({"sessionId": "s", "approvalId": checks[0]});
    assert_eq!(second.call("tool.approve", yes).await.unwrap(), json!({"applied": true}));
    assert_eq!(wire.event("tool.resolved").await["decision"], "allow");
    let (_third, told) = approver(&lab).await;
    assert_eq!(ids(&told), checks[1..], "what was answered waits no more");
}

#[tokio::test]
async fn a_session_that_is_aborted_cancels_its_calls_for_everybody() {
    let (mut lab, mut wire) = Lab::connected().await;
    let mut checks = Vec::new();
    for session in ["aborted", "other"] {
        wire.call("session.open", json!({"session": session})).await.unwrap();
        let asked = wire.call("tool.check", json!({"tool": "deploy", "session": session})).await.unwrap();
        checks.push(asked["checkId"].clone());
        lab.question().await;
    }
    let (mut approver, _) = approver(&lab).await;
    let closed = wire.call("session.close", json!({"session": "aborted"})).await.unwrap();
    assert_eq!(closed["denied"], 1, "{closed}");
    let resolved = wire.event("tool.resolved").await;
    assert_eq!((&resolved["checkId"], &resolved["decision"]), (&checks[0], &json!("deny")), "{resolved}");
    assert_eq!(resolved["error"], "ToolDeniedError", "nobody said no: {resolved}");
    let told = approver.event("tool_approval_resolved").await;
    assert_eq!((&told["approvalId"], &told["approved"]), (&checks[0], &json!(false)), "{told}");
    let late = json!({"sessionId": "aborted", "approvalId": checks[0]});
    assert_eq!(approver.call("tool.approve", late).await.unwrap(), json!({"applied": false}));
    let pending = lab.control("tool.pending", json!({})).await.unwrap();
    assert_eq!(pending["tools"].as_array().unwrap().len(), 1, "the other session's still waits: {pending}");
}

#[tokio::test]
async fn the_reason_of_a_tools_question_is_one_plain_line_without_a_key() {
    let (mut lab, mut wire) = Lab::connected().await;
    let file = json!({"agent": "main", "text": r#"{ "*": "ask", "write_file": { "secret/**": "ask" } }"#});
    lab.control("permissions.set", file).await.unwrap();
    let cwd = lab.folder.path().to_owned();
    for (call, expected) in [
        (
            json!({"tool": "edit_file", "arguments": {"path": cwd.join("docs/a.md"), "old": "a", "new": "b"}}),
            "You haven’t allowed edits in `docs` for main yet.",
        ),
        (
            json!({"tool": "write_file", "arguments": {"path": "secret/a", "content": "x"}}),
            "Your rule `secret/**` asks about edits in `secret` for main.",
        ),
        (
            json!({"tool": "WebFetch", "arguments": {"url": "https://docs.example.com/a", "prompt": "x"}}),
            "You haven’t allowed fetches from `docs.example.com` for main yet.",
        ),
        (
            json!({"tool": "github_create_issue", "server": "github", "arguments": {"title": "x"}}),
            "You haven’t allowed `create_issue` of `github` for main yet.",
        ),
    ] {
        let mut call = call;
        call["cwd"] = json!(cwd);
        wire.call("tool.check", call).await.unwrap();
        let question = lab.question().await;
        assert_eq!(pieces_to_text(&question.why), expected);
    }
}
