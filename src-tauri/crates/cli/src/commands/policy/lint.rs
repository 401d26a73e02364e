//! `postern policy lint`: what is wrong with the rules there are.

use super::super::agents::parse_agent_id;
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use crate::shared_args::JsonOutput;
use postern_contract::methods::{Lint, LintFinding, LintPolicy};

/// Exits 1 where something is.
pub(super) fn run(link: &mut HostLink, agent: Option<&str>, json: JsonOutput) -> Result<(), Failure> {
    let agent = agent.map(parse_agent_id).transpose()?;
    let linted = link.call_method::<LintPolicy>(&Lint { agent })?;
    if json.json {
        print::write_json(&linted)?;
    } else {
        linted.findings.iter().try_for_each(print_finding)?;
        let (rules, found) = (linted.rules, linted.findings.len());
        let found = if found == 0 { "nothing wrong".to_owned() } else { format!("{found} to check") };
        print::say!("{}, {found}", print::counted(rules, "rule", "rules"))?;
    }
    if linted.findings.is_empty() { Ok(()) } else { Err(Failure::negative("")) }
}

fn print_finding(finding: &LintFinding) -> Result<(), Failure> {
    let effect = finding.effect.map(|effect| format!("{} ", effect.name())).unwrap_or_default();
    let number = match finding.rule {
        Some(rule) if rule > 0 => format!("rule {rule}, "),
        Some(_) | None => String::new(),
    };
    let whose = finding.agent.as_ref().map_or_else(|| "everyone".to_owned(), ToString::to_string);
    print::say!("{}  {number}{effect}{} ({whose}, {})", finding.kind.name(), finding.pattern, finding.from)?;
    print::say!("    {}", finding.message)?;
    print::say!("    {}", finding.fix)
}
