//! `postern explain`: the verdict on a command with its whole trace.

use super::agents::parse_agent_id;
use crate::args;
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print::{self, emphasize};
use crate::stages::stage_label;
use crate::typed::parse_pairs;
use postern_command::EffectScope;
use postern_command::escape::visible_text as escaped;
use postern_contract::methods::{
    Explain, ExplainCommand, ExplainTool, Explained, ToolExplain, ToolExplained,
};
use postern_contract::{ShownEffect, ShownRisk, ShownTrace, THIS_COMPUTER, pieces_to_text};
use postern_policy::{RuleRef, SHELL_TOOL};

pub(crate) fn run(link: &mut HostLink, command: args::ExplainCommand) -> Result<(), Failure> {
    if let Some(tool) = command.tool {
        let arguments = command.arguments.as_deref().unwrap_or("{}");
        let arguments = serde_json::from_str(arguments).map_err(|_| {
            Failure::usage_error("--arguments is a JSON object, such as '{\"path\": \"/x\"}'")
        })?;
        let asked =
            ToolExplain { agent: parse_agent_id(&command.agent)?, tool, arguments, session: command.session };
        let explained = link.call_method::<ExplainTool>(&asked)?;
        let reads_shell = asked.tool == SHELL_TOOL;
        return if command.json.json {
            print::write_json(&explained)
        } else {
            show_tool(&explained, reads_shell)
        };
    }
    let cwd = command.cwd.map(|path| std::path::absolute(path).map_err(Failure::from_error)).transpose()?;
    let asked = Explain {
        agent: parse_agent_id(&command.agent)?,
        argv: if command.shell.is_some() { None } else { Some(command.argv) },
        shell: command.shell,
        cwd: cwd.map(|path| path.to_string_lossy().into_owned()),
        env: parse_pairs(&command.env, "NAME=VALUE (--env)")?,
        session: command.session,
    };
    let explained = link.call_method::<ExplainCommand>(&asked)?;
    if command.json.json { print::write_json(&explained) } else { show_verdict(&explained) }
}

fn show_verdict(explained: &Explained) -> Result<(), Failure> {
    print::say!("{}  {}", emphasize(explained.decision.name()), pieces_to_text(&explained.message))?;
    if let Some(advice) = &explained.advice {
        print::say!("advice: {advice}")?;
    }
    if let Some(rule) = &explained.rule {
        print::say!("{}: {}", named_rule(rule), escaped(&rule.pattern))?;
    }
    print::say!("risk: {}", risk_level_words(&explained.risk))?;
    effects(&explained.effects)?;
    if !explained.steps.is_empty() {
        print::write_line("")?;
    }
    for (index, step) in explained.steps.iter().enumerate() {
        print::say!("step {}  {:<5}  {}", index + 1, step.decision.name(), escaped(&step.text))?;
        if let Some(path) = &step.path {
            print::say!("               {}", escaped(path))?;
        }
        if step.why != explained.message {
            print::say!("               {}", pieces_to_text(&step.why))?;
        }
    }
    show_trace(explained.trace.iter().filter(|line| line.found != explained.message))
}

/// Returns a rule by its number and where it is from; a line of a file by where it stands.
pub(crate) fn named_rule(rule: &RuleRef) -> String {
    if rule.id > 0 { format!("rule {} ({})", rule.id, rule.source) } else { rule.source.clone() }
}

fn show_tool(explained: &ToolExplained, reads_shell: bool) -> Result<(), Failure> {
    print::say!("{}  {}", emphasize(explained.decision.name()), pieces_to_text(&explained.message))?;
    print::say!("risk: {}", risk_level_words(&explained.risk))?;
    effects(&explained.effects)?;
    if !explained.always.is_empty() {
        let uses = explained
            .always
            .iter()
            .map(|pattern| if pattern == "*" { "every use of it" } else { pattern.as_str() });
        print::say!("always would allow: {}", uses.collect::<Vec<_>>().join(", "))?;
    }
    // Only a shell has text that is read.
    show_trace(explained.trace.iter().filter(|line| reads_shell || line.stage != "read"))
}

fn show_trace<'a>(trace: impl Iterator<Item = &'a ShownTrace> + Clone) -> Result<(), Failure> {
    print::write_line("")?;
    let width = trace.clone().map(|line| stage_label(&line.stage).len()).max().unwrap_or_default();
    for line in trace {
        let text = format!("{:<width$}  {}", stage_label(&line.stage), pieces_to_text(&line.found));
        print::write_hanging(&text, width + 2)?;
    }
    Ok(())
}

fn risk_level_words(risk: &ShownRisk) -> &'static str {
    match risk.level {
        postern_policy::RiskLevel::Safe => "reads only",
        postern_policy::RiskLevel::NeedsReview => "needs review",
        postern_policy::RiskLevel::Dangerous => "dangerous",
    }
}

/// Prints each effect with its kind, its step and its reach.
fn effects(effects: &[ShownEffect]) -> Result<(), Failure> {
    for effect in effects {
        let step = effect.step.map_or_else(String::new, |step| format!(" · step {}", step + 1));
        let reach = match effect.scope {
            EffectScope::Inside => "its folders",
            EffectScope::Outside => "other folders",
            EffectScope::Machine => THIS_COMPUTER,
            EffectScope::Remote => "other computers",
        };
        print::say!("  {:<20} {} · {reach}{step}", effect.kind, pieces_to_text(&effect.text))?;
    }
    Ok(())
}
