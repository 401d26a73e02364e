//! `postern explain`: the verdict on a command with its whole trace.

use super::agents::named;
use crate::args;
use crate::failure::Failure;
use crate::link::Link;
use crate::print::{self, bold};
use postern_command::Scope;
use postern_command::escape::text as escaped;
use postern_contract::methods::{
    Explain, ExplainCommand, ExplainTool, Explained, ToolExplain, ToolExplained,
};
use postern_contract::{ShownEffect, ShownRisk, ShownTrace, text};
use postern_policy::{Decision, RuleRef};
use std::collections::BTreeMap;

pub(crate) fn run(link: &mut Link, command: args::Explain) -> Result<(), Failure> {
    if let Some(tool) = command.tool {
        let arguments = command.arguments.as_deref().unwrap_or("{}");
        let arguments = serde_json::from_str(arguments)
            .map_err(|error| Failure::usage(format!("--arguments is no JSON object: {error}")))?;
        let asked = ToolExplain { agent: named(&command.agent)?, tool, arguments, session: command.session };
        let explained = link.call::<ExplainTool>(&asked)?;
        return if command.json.json { print::json(&explained) } else { show_tool(&explained) };
    }
    let cwd = command.cwd.map(|path| std::path::absolute(path).map_err(Failure::own)).transpose()?;
    let asked = Explain {
        agent: named(&command.agent)?,
        argv: if command.shell.is_some() { None } else { Some(command.argv) },
        shell: command.shell,
        cwd: cwd.map(|path| path.to_string_lossy().into_owned()),
        env: overrides(&command.env)?,
        session: command.session,
    };
    let explained = link.call::<ExplainCommand>(&asked)?;
    if command.json.json { print::json(&explained) } else { show(&explained) }
}

fn overrides(env: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let split = |text: &String| match text.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(Failure::usage(format!("--env {text:?} is not NAME=VALUE"))),
    };
    env.iter().map(split).collect()
}

/// Returns a decision in a word.
pub(crate) fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Ask => "ask",
        Decision::Deny => "deny",
    }
}

fn show(explained: &Explained) -> Result<(), Failure> {
    print::line(format!("{}  {}", bold(word(explained.decision)), text(&explained.message)))?;
    if let Some(advice) = &explained.advice {
        print::line(format!("advice: {advice}"))?;
    }
    if let Some(rule) = &explained.rule {
        print::line(format!("{}: {}", named_rule(rule), escaped(&rule.pattern)))?;
    }
    print::line(format!("risk: {}", level(&explained.risk)))?;
    effects(&explained.effects)?;
    if !explained.steps.is_empty() {
        print::line("")?;
    }
    for (index, step) in explained.steps.iter().enumerate() {
        print::line(format!("step {}  {:<5}  {}", index + 1, word(step.decision), escaped(&step.text)))?;
        if let Some(path) = &step.path {
            print::line(format!("               {}", escaped(path)))?;
        }
        print::line(format!("               {}", text(&step.why)))?;
    }
    show_trace(&explained.trace)
}

/// Returns a rule by its number and where it is from; a line of a file by where it stands.
pub(crate) fn named_rule(rule: &RuleRef) -> String {
    if rule.id > 0 { format!("rule {} ({})", rule.id, rule.source) } else { rule.source.clone() }
}

fn show_tool(explained: &ToolExplained) -> Result<(), Failure> {
    print::line(format!("{}  {}", bold(word(explained.decision)), text(&explained.message)))?;
    print::line(format!("risk: {}", level(&explained.risk)))?;
    effects(&explained.effects)?;
    if !explained.always.is_empty() {
        print::line(format!("always would add: {}", explained.always.join(", ")))?;
    }
    show_trace(&explained.trace)
}

fn show_trace(trace: &[ShownTrace]) -> Result<(), Failure> {
    print::line("")?;
    let width = trace.iter().map(|line| line.stage.len()).max().unwrap_or_default();
    for line in trace {
        print::line(format!("{:<width$}  {}", line.stage, text(&line.found)))?;
    }
    Ok(())
}

fn level(risk: &ShownRisk) -> &'static str {
    match risk.level {
        postern_policy::RiskLevel::Safe => "safe",
        postern_policy::RiskLevel::NeedsReview => "needs review",
        postern_policy::RiskLevel::Dangerous => "dangerous",
    }
}

/// Prints each effect with its kind, its step and its reach.
fn effects(effects: &[ShownEffect]) -> Result<(), Failure> {
    for effect in effects {
        let step = effect.step.map_or_else(String::new, |step| format!(", step {}", step + 1));
        let reach = match effect.scope {
            Scope::Inside => "inside the agent's folders",
            Scope::Outside => "outside of the agent's folders",
            Scope::Machine => "this machine",
            Scope::Remote => "other machines",
        };
        print::line(format!("  {:<20} {} ({reach}{step})", effect.kind, text(&effect.text)))?;
    }
    Ok(())
}
