//! Commands that a hook gives back in place of those that its agent asked about: the same, run by `postern confine`.
//!
//! An agent is here if its documentation says that a hook may replace the command, and if each command runs in a new shell that
//! reads words as POSIX says. In a shell that stays, the agent could define a function named as this program before it asks; in a
//! shell that it chooses, quotes may mean something else:
//!
//! | agent | replaces | each command's shell |
//! |---|---|---|
//! | Claude Code | `updatedInput`, all of the input (<https://code.claude.com/docs/en/hooks>) | a new bash or zsh |
//! | Gemini CLI | `hookSpecificOutput.tool_input`, merged (<https://geminicli.com/docs/hooks/reference>) | a new bash |
//! | opencode | `output.args` (<https://opencode.ai/docs/plugins>) | a new bash, zsh or sh |
//! | Codex | `updatedInput` (<https://developers.openai.com/codex/hooks>) | the model names one |
//! | Copilot CLI | `modifiedArgs` (<https://docs.github.com/en/copilot/how-tos/copilot-sdk/use-hooks/pre-tool-use>) | a bash that stays |
//! | VS Code | `updatedInput` (<https://code.visualstudio.com/docs/agent-customization/hooks>) | a terminal with any shell |
//! | Kiro CLI | `updatedInput`, in its newest sessions alone (<https://kiro.dev/changelog/cli/3-4/>) | unknown |
//! | Cursor | nothing in `beforeShellExecution` (<https://cursor.com/docs/agent/hooks>) | |
//! | Cline, Windsurf | nothing | |

use super::HookAgent;
use postern_command::quote_argv;
use postern_protocol::Confined;
use serde_json::{Map, Value};

/// Shell that runs the command, as Postern runs commands itself.
const SHELL: &str = "/bin/bash";

/// An agent that runs the command that its hook gives back.
struct Rewrites {
    kind: HookAgent,
    event: &'static str,
    /// Member of the event that versions do not have which would run the command as it was.
    proof: &'static str,
}

/// Agents whose hooks replace commands, from the table above.
const REWRITES: &[Rewrites] = &[
    // Added to the event in 2.0.43; commands are replaced since 2.0.10.
    Rewrites { kind: HookAgent::ClaudeCode, event: "PreToolUse", proof: "tool_use_id" },
    // In the events of every version that has hooks.
    Rewrites { kind: HookAgent::GeminiCli, event: "BeforeTool", proof: "timestamp" },
    // Said by the plugin that reads the answer.
    Rewrites { kind: HookAgent::Opencode, event: "tool.execute.before", proof: "rewrites" },
];

/// Returns the input of a tool if its agent runs the command that the hook gives back.
pub(super) fn replaceable(kind: HookAgent, name: &str, event: &Value) -> Option<Map<String, Value>> {
    let known = REWRITES.iter().any(|one| {
        one.kind == kind
            && one.event == name
            && !matches!(event.get(one.proof), None | Some(Value::Null | Value::Bool(false)))
    });
    let input = event.get("tool_input")?.as_object().filter(|_| known)?;
    input.get("command")?.is_string().then(|| input.clone())
}

/// Returns the input with its command confined by this program and its data folder.
///
/// `None` if it holds no command that a shell could be given.
pub fn confined(
    mut input: Map<String, Value>,
    program: &str,
    data: &str,
    confined: &Confined,
) -> Option<Map<String, Value>> {
    let text = input.get("command").and_then(Value::as_str)?;
    let line = confine_command(text, program, data, confined)?;
    input.insert("command".to_owned(), Value::String(line));
    Some(input)
}

fn confine_command(text: &str, program: &str, data: &str, confined: &Confined) -> Option<String> {
    let mut words = vec![program, "--data", data, "confine", confined.profile.name(), "--for-agent"];
    words.extend(confined.folders.iter().flat_map(|folder| ["--folder", folder]));
    words.extend(confined.deny_read.iter().flat_map(|files| ["--deny-read", files]));
    words.extend(confined.deny_write.iter().flat_map(|files| ["--deny-write", files]));
    words.extend(confined.deny_secrets.then_some("--deny-secrets"));
    words.extend(confined.network.then_some("--network"));
    words.extend(confined.loopback.then_some("--loopback"));
    words.extend(["--", SHELL, "-c", "--", text]);
    let whole = !confined.folders.is_empty() && words.iter().all(|word| !word.contains('\0'));
    whole.then(|| quote_argv(&words))
}

#[cfg(test)]
mod tests {
    use super::{confined, replaceable};
    use crate::hooks::HookAgent;
    use postern_command::words_of;
    use postern_protocol::{Confined, Profile};
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};
    use std::process::Command;

    fn project() -> Confined {
        let folders = vec!["/p/it's $HOME".to_owned(), "/q".to_owned()];
        let (deny_read, deny_write) = (vec!["**/.env*".to_owned()], vec!["/p/a b".to_owned()]);
        Confined {
            profile: Profile::Project,
            folders,
            network: true,
            loopback: false,
            deny_read,
            deny_write,
            deny_secrets: true,
        }
    }

    fn line(text: &str) -> Option<String> {
        let input = Map::from_iter([("command".to_owned(), json!(text)), ("timeout".to_owned(), json!(5))]);
        let input = confined(input, "/opt/my app/postern", "/data", &project())?;
        assert_eq!(input["timeout"], 5, "the rest stays");
        input["command"].as_str().map(str::to_owned)
    }

    /// Returns the words as a shell reads them.
    #[expect(clippy::disallowed_methods, reason = "a real shell is what is asked")]
    fn read_by(shell: &str, line: &str) -> Option<Vec<String>> {
        let text = format!("printf '%s\\0' {line}");
        let output = Command::new(shell).args(["-c", &text]).output().ok()?;
        let said = String::from_utf8(output.stdout).unwrap();
        Some(said.split_terminator('\0').map(str::to_owned).collect())
    }

    fn expected(text: &str) -> Vec<String> {
        let words =
            ["/opt/my app/postern", "--data", "/data", "confine", "project", "--for-agent", "--folder"];
        let more = ["/p/it's $HOME", "--folder", "/q", "--deny-read", "**/.env*", "--deny-write", "/p/a b"];
        let last = ["--deny-secrets", "--network", "--", "/bin/bash", "-c", "--", text];
        words.iter().chain(&more).chain(&last).map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn every_shell_reads_the_very_text() {
        for text in [
            "", "-i", "--", "'", "'\\''", "a\\", "'; touch /tmp/x; '", "cat <<'E'\n$x `y`\nE\n",
            "echo !! \u{202e}é\u{1f600}", "\r\n\t\u{b}", "$(id) `id` ${x} ~ * ? [a] {a,b} #c", "\"$x\"",
        ] {
            let line = line(text).unwrap();
            assert_eq!(words_of(&line).unwrap(), expected(text), "{text:?}");
            for shell in ["/bin/bash", "/bin/sh", "/bin/zsh"] {
                if let Some(read) = read_by(shell, &line) {
                    assert_eq!(read, expected(text), "{shell}: {text:?}");
                }
            }
        }
        assert_eq!(line("a\0b"), None, "no shell takes a NUL");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_text_comes_back(text in "[^\0]{0,60}|['\"\\\\!$`\n a]{0,30}") {
            let line = line(&text).unwrap();
            prop_assert_eq!(words_of(&line).unwrap(), expected(&text));
            prop_assert_eq!(read_by("/bin/bash", &line).unwrap(), expected(&text));
        }
    }

    #[test]
    fn nothing_is_replaced_where_the_command_could_run_as_it_was() {
        let event = |name: &str, proof: &str| {
            let mut event = json!({"hook_event_name": name, "tool_input": {"command": "ls"}});
            event[proof] = json!("1");
            event
        };
        let can = |kind, name, event: &Value| replaceable(kind, name, event).is_some();
        assert!(can(HookAgent::ClaudeCode, "PreToolUse", &event("PreToolUse", "tool_use_id")));
        assert!(!can(HookAgent::ClaudeCode, "PreToolUse", &event("PreToolUse", "x")), "an old version");
        assert!(!can(HookAgent::ClaudeCode, "PermissionRequest", &event("PermissionRequest", "tool_use_id")));
        assert!(
            !can(HookAgent::Opencode, "tool.execute.before", &event("tool.execute.before", "x")),
            "an old plugin"
        );
        for kind in HookAgent::ALL {
            let expected = [HookAgent::ClaudeCode, HookAgent::GeminiCli, HookAgent::Opencode].contains(&kind);
            let mut any = json!({"tool_use_id": "1", "timestamp": "t", "rewrites": true, "tool_input": {"command": "ls"}});
            let names =
                ["PreToolUse", "BeforeTool", "tool.execute.before", "preToolUse", "beforeShellExecution"];
            assert_eq!(names.iter().any(|name| can(kind, name, &any)), expected, "{kind:?}");
            any["tool_input"]["command"] = json!(["ls"]);
            assert!(!names.iter().any(|name| can(kind, name, &any)), "{kind:?}: no text");
        }
    }

    #[test]
    fn nothing_runs_without_folders_to_hold_it_to() {
        let input = Map::from_iter([("command".to_owned(), json!("ls"))]);
        let nowhere = Confined { folders: Vec::new(), ..project() };
        assert_eq!(confined(input, "/postern", "/data", &nowhere), None);
    }
}
