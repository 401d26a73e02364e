//! `postern policy lint`: what is wrong with the rules there are.

use super::super::agents::named;
use crate::args::Json;
use crate::failure::Failure;
use crate::link::Link;
use crate::print;
use postern_contract::methods::{Lint, LintFinding, LintPolicy};
use postern_policy::Effect;

/// Exits 1 where something is.
pub(super) fn run(link: &mut Link, agent: Option<&str>, json: Json) -> Result<(), Failure> {
    let agent = agent.map(named).transpose()?;
    let linted = link.call::<LintPolicy>(&Lint { agent })?;
    if json.json {
        print::json(&linted)?;
    } else {
        linted.findings.iter().try_for_each(show)?;
        let (rules, found) = (linted.rules, linted.findings.len());
        let plural = if rules == 1 { "rule" } else { "rules" };
        let found = if found == 0 { "nothing wrong".to_owned() } else { format!("{found} to look at") };
        print::line(format!("{rules} {plural}, {found}"))?;
    }
    if linted.findings.is_empty() { Ok(()) } else { Err(Failure::no("")) }
}

fn show(finding: &LintFinding) -> Result<(), Failure> {
    let kind = serde_json::to_value(finding.kind).map_err(Failure::own)?;
    let effect = match finding.effect {
        Some(Effect::Allow) => "allow ",
        Some(Effect::Deny) => "deny ",
        Some(Effect::Ask) => "ask ",
        None => "",
    };
    let number = match finding.rule {
        Some(rule) if rule > 0 => format!("rule {rule}, "),
        Some(_) | None => String::new(),
    };
    let whose = finding.agent.as_ref().map_or_else(|| "everyone".to_owned(), ToString::to_string);
    print::line(format!(
        "{}  {number}{effect}{} ({whose}, {})",
        kind.as_str().unwrap_or_default(),
        finding.pattern,
        finding.from
    ))?;
    print::line(format!("    {}", finding.message))?;
    print::line(format!("    {}", finding.mend))
}
