//! `explain` says what would happen.

use super::Running;
use postern_contract::methods::{ControlCode, ExplainCommand};
use serde_json::{Value, json};

#[tokio::test]
async fn it_gives_the_shape_that_the_command_line_promises() {
    let running = Running::with_agent().await;
    running.raw("rules.add", json!({"effect": "allow", "agent": "main", "text": "uname -a"})).await.unwrap();
    let told = running.raw("explain", json!({"agent": "main", "argv": ["uname", "-a"]})).await.unwrap();
    assert_eq!(told["decision"], "allow", "{told}");
    assert_eq!(told["rule"]["pattern"], "uname -a");
    for key in ["reason", "digest"] {
        assert!(told[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {told}");
    }
    assert!(told["message"].as_array().is_some_and(|pieces| !pieces.is_empty()), "{told}");
    assert!(told["risk"]["level"].is_string() && told["risk"]["reasons"].is_array(), "{told}");
    assert!(told["trace"].as_array().is_some_and(|lines| !lines.is_empty()), "{told}");
    let step = &told["steps"][0];
    assert_eq!(
        (&step["argv"], &step["text"], &step["program"]),
        (&json!(["uname", "-a"]), &json!("uname -a"), &json!("uname"))
    );
    assert!(step["path"].as_str().is_some_and(|path| path.ends_with("/uname")), "{step}");
    assert_eq!(step["decision"], "allow");
    let nothing = running.raw("explain", json!({"agent": "main", "shell": "echo \"unclosed"})).await.unwrap();
    assert_ne!(nothing["decision"], "allow", "{nothing}");
}

#[tokio::test]
async fn what_cannot_be_looked_up_is_denied_with_its_own_reason() {
    let running = Running::with_agent().await;
    let cases = [
        (json!({"agent": "main", "argv": ["uname"], "cwd": "/no/such/folder"}), "cwd-refused"),
        (json!({"agent": "main", "argv": ["uname"], "env": {"LD_PRELOAD": "/x.so"}}), "env-refused"),
        (json!({"agent": "main", "argv": ["no-such-program-anywhere"]}), "not-found"),
        (json!({"agent": "main", "argv": []}), "invalid"),
    ];
    for (params, reason) in cases {
        let told: Value = running.raw("explain", params.clone()).await.unwrap();
        assert_eq!(told["decision"], "deny", "{params}: {told}");
        assert_eq!(told["reason"], reason, "{params}: {told}");
    }
    for wrong in [json!({"agent": "main"}), json!({"agent": "main", "argv": ["a"], "shell": "a"})] {
        assert_eq!(running.call::<ExplainCommand>(wrong).await.unwrap_err().code, ControlCode::InvalidParams);
    }
    let nobody =
        running.call::<ExplainCommand>(json!({"agent": "nobody", "argv": ["uname"]})).await.unwrap_err();
    assert_eq!(nobody.code, ControlCode::NotFound);
}
