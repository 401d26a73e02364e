use super::{
    HookAgent, HookSettingsChange, HookSettingsEntry, HookSettingsPlace, holds_ours, install, is_script,
    left_to_do, our_words, settings_place, uninstall,
};
use serde_json::{Value, json};

#[test]
fn installing_twice_is_installing_once_and_undoing_leaves_what_was_there() {
    for kind in HookAgent::ALL.into_iter().filter(|kind| !is_script(*kind)) {
        let before =
            "{\n  \"zebra\": 1,\n  \"hooks\": {\n    \"Other\": [\n      1\n    ]\n  },\n  \"apple\": 2\n}\n";
        let command = format!("/usr/bin/postern hook {} --agent main", kind.name());
        let once = install(kind, before, &command).unwrap();
        assert_eq!(install(kind, &once, &command).unwrap(), once, "{kind:?}");
        assert!(once.contains(&command) && once.contains("zebra"), "{once}");
        let undone = uninstall(kind, &once).unwrap();
        let mut expected: Value = serde_json::from_str(before).unwrap();
        if once.contains("\"version\"") {
            expected["version"] = json!(1);
        }
        assert_eq!(serde_json::from_str::<Value>(&undone).unwrap(), expected, "{kind:?}");
        assert!(undone.find("zebra") < undone.find("apple"), "what was there keeps its order");
    }
}

#[test]
fn settings_on_one_line_stay_on_one() {
    let installed = install(HookAgent::ClaudeCode, "{\"model\":\"opus\"}\n", "postern hook x").unwrap();
    assert_eq!(installed.lines().count(), 1, "{installed}");
    let laid_out = install(HookAgent::ClaudeCode, "{}\n", "postern hook x").unwrap();
    assert!(laid_out.lines().count() > 5, "an empty file has no layout: {laid_out}");
}

#[test]
fn settings_that_cannot_be_read_are_left_alone() {
    let error = install(HookAgent::ClaudeCode, "{\n  // mine\n}", "x").unwrap_err().to_string();
    assert!(error.contains("line 2"), "{error}");
    assert!(install(HookAgent::Cursor, r#"{"hooks": 3}"#, "x").is_err());
    assert!(
        install(HookAgent::Cursor, "", "x").unwrap().contains("beforeShellExecution"),
        "none yet is empty"
    );
    assert!(install(HookAgent::KiroCli, "", "x").is_err(), "an agent of Kiro's without tools is none");
}

#[test]
fn settings_that_the_hook_alone_was_in_are_gone_with_it() {
    for kind in HookAgent::ALL.into_iter().filter(|kind| *kind != HookAgent::KiroCli) {
        let command = format!("/usr/bin/postern hook {} --agent main", kind.name());
        let installed = install(kind, "", &command).unwrap();
        assert!(holds_ours(kind, &installed), "{kind:?}");
        assert!(!holds_ours(kind, "") && !holds_ours(kind, r#"{"hooks": {}}"#), "{kind:?}");
        assert_eq!(uninstall(kind, &installed).unwrap(), "", "{kind:?}");
    }
}

#[test]
fn a_hook_that_is_a_file_of_its_own_takes_no_others_place() {
    for kind in HookAgent::ALL.into_iter().filter(|kind| is_script(*kind)) {
        let command = format!("'/my folder/postern' hook {} --agent main", kind.name());
        let ours = install(kind, "", &command).unwrap();
        assert!(ours.contains("my folder/postern") && ours.contains(kind.name()), "{ours}");
        assert_eq!(install(kind, &ours, &command).unwrap(), ours);
        let theirs = "#!/bin/sh\nexit 0\n";
        assert!(install(kind, theirs, &command).unwrap_err().to_string().contains("somebody else"));
        assert_eq!(uninstall(kind, theirs).unwrap(), theirs);
    }
    let program = install(HookAgent::Cline, "", "postern hook cline --agent main").unwrap();
    assert!(program.starts_with("#!/bin/sh\n"), "{program}");
    assert!(program.contains("answer=$(postern hook cline --agent main) && "), "{program}");
    for kind in [HookAgent::Cline, HookAgent::Opencode] {
        let written = install(kind, "", "postern --data '/a b' hook x --agent main").unwrap();
        let words = our_words(HookSettingsEntry::Hook(kind), &written).expect("it is ours");
        assert_eq!(words[..3], ["postern", "--data", "/a b"], "{kind:?}");
        assert_eq!(our_words(HookSettingsEntry::Hook(kind), "#!/bin/sh\nexec postern\n"), None);
    }
}

/// A clone may bring links under the names of the files that are written beside its settings.
#[test]
fn nothing_is_written_through_a_link_that_a_project_brings() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let read = |name: &str| std::fs::read_to_string(at(name)).unwrap();
    std::fs::write(at("start-file"), "mine").unwrap();
    std::fs::write(at("settings.json"), "{}").unwrap();
    for name in ["settings.json.before-postern", "settings.json.new-postern"] {
        std::os::unix::fs::symlink(at("start-file"), at(name)).unwrap();
    }
    let (entry, file) = (HookSettingsEntry::Hook(HookAgent::ClaudeCode), at("settings.json"));
    let command = ["postern", "hook", "claude-code", "--agent", "main"].map(str::to_owned);
    HookSettingsChange::install(entry, &file, &command).unwrap().write().unwrap();
    assert_eq!(read("start-file"), "mine");
    assert!(holds_ours(HookAgent::ClaudeCode, &read("settings.json")));
    assert_eq!(read("settings.json.before-postern"), "{}", "what they were is kept in a file");
    HookSettingsChange::uninstall(entry, &file).unwrap().write().unwrap();
    assert_eq!((read("settings.json"), read("start-file")), ("{}".to_owned(), "mine".to_owned()));
}

#[test]
fn settings_of_the_project_lie_in_it() {
    for kind in HookAgent::ALL {
        let (own, project) = (settings_place(kind, false), settings_place(kind, true));
        assert!(!matches!(project, HookSettingsPlace::Home(_)), "{kind:?}");
        assert!(
            matches!(own, HookSettingsPlace::Home(_)) || own == project,
            "{kind:?} has settings in repositories only"
        );
    }
}

#[test]
fn what_an_agent_still_needs_of_its_person_is_said() {
    assert!(left_to_do(HookAgent::Codex, false).is_some_and(|left| left.contains("/hooks")));
    assert!(left_to_do(HookAgent::Codex, true).is_some_and(|left| left.contains("project that you trust")));
    assert!(left_to_do(HookAgent::CopilotCli, true).is_some_and(|left| left.contains("trustedFolders")));
    for kind in [HookAgent::ClaudeCode, HookAgent::GeminiCli, HookAgent::CopilotCli, HookAgent::Opencode] {
        assert_eq!(left_to_do(kind, false), None, "{kind:?} runs what its settings say");
    }
}
