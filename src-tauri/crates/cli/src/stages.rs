//! Stages of a verdict, in the words that the windows have for them.

/// Returns the label of a stage of a trace.
pub(crate) fn stage_label(stage: &str) -> String {
    if let Some(step) = stage.strip_prefix("step ").and_then(|rest| rest.strip_suffix(": rules")) {
        return format!("command {step}");
    }
    let label = match stage {
        "tool policy" => "session",
        "elevated" => "agent",
        "managed rules" => "organization",
        "managed policies" => "policies",
        "people" => "approvals",
        "core" => "built-in rules",
        "policy" => "setting",
        "confinement" => "access",
        "classes" => "choices",
        "protected places" => "protected",
        "tool gate" => "tool rules",
        "fallback" => "no answer",
        "unread" => "not readable",
        "verdict" => "result",
        other => other,
    };
    label.to_owned()
}

#[cfg(test)]
mod tests {
    use super::stage_label;

    #[test]
    fn a_stage_is_called_as_in_the_windows() {
        for (stage, label) in [
            ("tool policy", "session"),
            ("core", "built-in rules"),
            ("step 2: rules", "command 2"),
            ("deny rules", "deny rules"),
        ] {
            assert_eq!(stage_label(stage), label);
        }
    }
}
