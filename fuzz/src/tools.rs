//! Events of coding agents' hooks, and with them what MCP's `approve` is called with.

use postern_doors::hooks::{HookAgent, HookVerdict, answer, parse_event};
use serde_json::Value;

/// Reads an event as each agent's. Its answer, if any, is JSON, and is the same for the same event.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for kind in HookAgent::ALL {
        let asked = parse_event(kind, text);
        assert_eq!(asked, parse_event(kind, text), "{}: {text:?}", kind.name());
        let Ok(asked) = asked else { continue };
        assert!(!asked.tool.is_empty(), "{}: {text:?} is of no tool", kind.name());
        let mut all = vec![
            HookVerdict::Allow,
            HookVerdict::Deny(text.to_owned()),
            HookVerdict::HandOver,
            HookVerdict::NoOpinion,
        ];
        all.extend(asked.replaceable.clone().map(HookVerdict::AllowConfined));
        for verdict in all {
            let Ok(told) = answer(kind, &asked.event, &verdict) else { continue };
            let is_json = told.trim().is_empty() || serde_json::from_str::<Value>(&told).is_ok();
            assert!(is_json, "{}: {told:?}", kind.name());
        }
    }
}
