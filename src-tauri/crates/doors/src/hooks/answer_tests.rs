use super::{HookAgent, HookVerdict, answer};
use serde::Deserialize;
use serde_json::{Value, json};

/// Answer to an event.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerCase {
    agent: String,
    event: String,
    verdict: String,
    /// Output of the hook; `None` if it prints nothing.
    told: Option<Value>,
    /// Reason of a hook that blocks the tool by its ending.
    blocked: Option<String>,
}

#[test]
fn answers_have_the_shape_of_the_event() {
    for row in include_str!("answers.jsonl").lines() {
        let case: AnswerCase = serde_json::from_str(row).unwrap_or_else(|error| panic!("{row}: {error}"));
        let verdict = match case.verdict.as_str() {
            "allow" => HookVerdict::Allow,
            "deny" => HookVerdict::Deny("not now".to_owned()),
            "hand-over" => HookVerdict::HandOver,
            _ => HookVerdict::NoOpinion,
        };
        let told = answer(HookAgent::from_name(&case.agent).unwrap(), &case.event, &verdict);
        let told = told.map(|text| (!text.is_empty()).then(|| serde_json::from_str::<Value>(&text).unwrap()));
        assert_eq!(told, case.blocked.map_or(Ok(case.told), Err), "{row}");
    }
}

#[test]
fn what_may_only_run_confined_is_never_allowed_as_it_was() {
    let input = json!({"command": "confined"}).as_object().unwrap().clone();
    for kind in HookAgent::ALL {
        for event in ["PreToolUse", "PermissionRequest", "BeforeTool", "preToolUse", "beforeShellExecution"] {
            let Ok(told) = answer(kind, event, &HookVerdict::AllowConfined(input.clone())) else { continue };
            let denied = ["\"deny\"", "\"cancel\":true"].iter().any(|word| told.contains(word));
            assert!(told.contains(r#""command":"confined""#) || denied, "{kind:?} {event}: {told}");
        }
    }
}
