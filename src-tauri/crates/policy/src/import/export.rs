//! Rules in the formats of other programs, which compare the beginning of a line and look at nothing that an argument does: what
//! would allow more there is left out, unless the person confirmed that.

use crate::rule::{Effect, Lifetime, Pattern, Rule, RuleInput};
use postern_command::{quote, words_of};
use serde_json::json;

/// A format that rules are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// `permissions` of `settings.json`.
    ClaudeCode,
    /// `prefix_rule(…)` of a `.rules` file.
    Codex,
}

/// A rule that is left out, with the reason.
pub type NotSaid = (Rule, &'static str);

/// A rule's words, and whether any others may follow.
struct Said {
    effect: Effect,
    words: Vec<String>,
    more: bool,
}

/// Writes rules in a format. With `broad`, also those that allow more there.
pub fn export(target: Target, rules: &[Rule], broad: bool) -> (String, Vec<NotSaid>) {
    let (mut said, mut left_out) = (Vec::new(), Vec::new());
    for rule in rules {
        match say(target, rule, broad) {
            Ok(one) => said.push(one),
            Err(why) => left_out.push((rule.clone(), why)),
        }
    }
    let text = match target {
        Target::ClaudeCode => claude_code(&said),
        Target::Codex => said.iter().map(codex).collect(),
    };
    (text, left_out)
}

fn say(target: Target, rule: &Rule, broad: bool) -> Result<Said, &'static str> {
    let allows = rule.effect == Effect::Allow;
    if allows && (rule.pin.is_some() || rule.lifetime != Lifetime::Forever) {
        return Err("it is bound to a program or a time, which cannot be said there");
    }
    if rule.confine.is_some() {
        return Err("it runs confined, which cannot be said there");
    }
    if allows && rule.limits.is_some() {
        return Err("the effects that it is for cannot be said there");
    }
    if allows && (rule.folder.is_some() || rule.input != RuleInput::Nothing || rule.args.is_some()) {
        return Err("the folder, the input or the arguments that it is for cannot be said there");
    }
    let (words, more) = match &rule.pattern {
        Pattern::Exact(argv) => (argv.clone(), false),
        Pattern::Command(text) => {
            let mut words = words_of(text).map_err(|_| "its words cannot be read")?;
            let more = words.last().is_some_and(|last| matches!(last.as_str(), "*" | "**"));
            words.truncate(words.len() - usize::from(more));
            (words, more)
        }
        Pattern::Path(_) | Pattern::Identity(_) | Pattern::Read(_) | Pattern::Write(_) => {
            return Err("there are only words of commands there");
        }
    };
    if words.iter().any(|word| word.contains(['*', '?'])) {
        return Err("its wildcards stand for other text there");
    }
    // A prefix covers whatever an argument makes the program do; Codex has nothing but prefixes.
    let more = more || target == Target::Codex || !allows;
    if allows && more && !(rule.broad || broad) {
        return Err("it would allow more there; add --broad if you mean everything that its words cover");
    }
    Ok(Said { effect: rule.effect, words, more })
}

fn claude_code(said: &[Said]) -> String {
    let of = |effect: Effect| -> Vec<String> {
        let own = said.iter().filter(|one| one.effect == effect);
        own.map(|one| format!("Bash({}{})", quote(&one.words), if one.more { ":*" } else { "" })).collect()
    };
    let permissions = json!({ "allow": of(Effect::Allow), "deny": of(Effect::Deny) });
    let document = json!({ "permissions": permissions });
    format!("{document:#}\n")
}

fn codex(said: &Said) -> String {
    let decision = if said.effect == Effect::Deny { "forbidden" } else { "allow" };
    format!("prefix_rule(pattern={}, decision=\"{decision}\")\n", json!(said.words))
}
