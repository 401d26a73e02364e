//! The gate for tools: by the layers of a session, by name, by value, or by the commands of a line.

mod command;
mod protect;
mod values;
mod verdict;

pub use protect::Touch;
pub use verdict::ToolVerdict;

use crate::agent::AgentPolicy;
use crate::cause::{Cause, ToolCause};
use crate::decision::Decision;
use crate::permissions::has_unread_patch;
use crate::subject::PATCH;
use crate::subject::SHELL_TOOL;
use crate::verdict::TraceLine;
use serde_json::Value as Json;
use values::ComparedValues;

/// Judges a use of a tool. Pure: `home` is the person's home folder.
pub fn check_tool(
    policy: &AgentPolicy,
    session: Option<&str>,
    tool: &str,
    arguments: &Json,
    home: &str,
) -> ToolVerdict {
    let managed = policy.managed_problem.clone().map(|problem| Cause::ManagedUnreadable { problem });
    let own = policy.file_problem.clone().map(|problem| Cause::FileUnreadable { problem });
    let verdict = match managed.or(own) {
        Some(cause) => ToolVerdict::without_entry(Decision::Deny, cause),
        None => by_layers(policy, session, tool, arguments, home),
    };
    let found = verdict.cause.clone().into();
    ToolVerdict { trace: vec![TraceLine { stage: "tool gate".into(), found }], ..verdict }
}

fn by_layers(
    policy: &AgentPolicy,
    session: Option<&str>,
    tool: &str,
    arguments: &Json,
    home: &str,
) -> ToolVerdict {
    let layers = policy.layers(session);
    if tool == SHELL_TOOL {
        return command::check_command(&layers, &policy.settings, arguments);
    }
    let values = if has_unread_patch(tool, arguments) {
        ComparedValues::Missing(PATCH)
    } else {
        values::of_call(tool, arguments, home)
    };
    match values {
        ComparedValues::None => layers.by_name(tool, false),
        ComparedValues::Unnamed => layers.by_name(tool, true),
        ComparedValues::Missing(name) => {
            let cause = ToolCause::Missing { tool: tool.to_owned(), argument: name.to_owned() }.into();
            let unread = layers.by_name(tool, false);
            let cause = if unread.decision == Decision::Deny { unread.cause } else { cause };
            ToolVerdict { decision: unread.decision.max(Decision::Ask), cause, always: Vec::new(), ..unread }
        }
        ComparedValues::Some(values) => layers.by_values(tool, &values, home),
    }
}

#[cfg(test)]
mod tests;
