//! `postern rules …`

use super::agents::named;
use crate::args::{NewRule, Rules};
use crate::failure::Failure;
use crate::link::Link;
use crate::print;
use postern_contract::methods::{
    AddRule, ExportRules, ImportRules, ListRules, RemoveRule, RuleFile, RuleFilter, RuleNumber, RulesImport,
    RulesWrite,
};
use postern_contract::{PatternKind, RuleDraft, RuleRow};
use postern_policy::{Effect, Lifetime};
use std::io::Read as _;
use std::path::Path;

pub(crate) fn run(link: &mut Link, command: Rules) -> Result<(), Failure> {
    match command {
        Rules::List { agent, json } => {
            let agent = agent.as_deref().map(named).transpose()?;
            let rules = link.call::<ListRules>(&RuleFilter { agent, own: false })?.rules;
            if json.json { print::json(&rules) } else { list(&rules) }
        }
        Rules::Allow(rule) => add(link, Effect::Allow, rule),
        Rules::Deny(rule) => add(link, Effect::Deny, rule),
        Rules::Remove { id } => {
            link.call::<RemoveRule>(&RuleNumber { id })?;
            print::line(format!("removed rule {id}"))
        }
        Rules::Export { agent } => {
            let agent = agent.as_deref().map(named).transpose()?;
            print::json(&link.call::<ExportRules>(&RuleFilter { own: agent.is_some(), agent })?)
        }
        Rules::Import { file, agent, check } => import(link, &file, agent.as_deref(), check),
    }
}

fn add(link: &mut Link, effect: Effect, rule: NewRule) -> Result<(), Failure> {
    let json = rule.json;
    let row = link.call::<AddRule>(&draft(effect, rule)?)?;
    if json.json {
        return print::json(&row);
    }
    let whose = row.rule.agent.as_ref().map_or_else(|| "every agent".to_owned(), ToString::to_string);
    let does = if effect == Effect::Deny { "denied" } else { "allowed" };
    print::line(format!(
        "rule {}: {} is {does} for {whose}",
        row.rule.id,
        postern_command::escape::text(&row.text)
    ))?;
    for remark in &row.remarks {
        print::line(format!("  note: {remark}"))?;
    }
    Ok(())
}

fn draft(effect: Effect, rule: NewRule) -> Result<RuleDraft, Failure> {
    let kind = match (rule.path, rule.command, rule.exact) {
        (true, _, _) => Some(PatternKind::Path),
        (_, true, _) => Some(PatternKind::Command),
        (_, _, true) => Some(PatternKind::Exact),
        (false, false, false) => None,
    };
    let args = rule
        .args
        .as_deref()
        .map(postern_command::words_of)
        .transpose()
        .map_err(|error| Failure::usage(error.to_string()))?;
    Ok(RuleDraft {
        effect,
        agent: rule.agent.as_deref().map(named).transpose()?,
        text: rule.pattern,
        kind,
        args,
        pin: rule.pin,
        allow_writes: rule.writes,
        lifetime: rule.lasts.map(lasting).transpose()?,
        why: rule.why,
        matches: rule.matches,
        misses: rule.misses,
    })
}

/// A duration as a lifetime that ends at a time.
pub(crate) fn lasting(duration: humantime::Duration) -> Result<Lifetime, Failure> {
    let millis = i64::try_from(duration.as_millis()).map_err(Failure::own)?;
    Ok(Lifetime::Until(jiff::Timestamp::now().as_millisecond().saturating_add(millis)))
}

fn list(rules: &[RuleRow]) -> Result<(), Failure> {
    let row = |row: &RuleRow| {
        let rule = &row.rule;
        [
            rule.id.to_string(),
            format!("{:?}", rule.effect).to_lowercase(),
            rule.agent.as_ref().map_or_else(|| "everyone".to_owned(), ToString::to_string),
            postern_command::escape::text(&row.text),
            rule.usage.last_used_at.map_or_else(|| "never".to_owned(), print::time),
            rule.usage.count.to_string(),
            row.from.clone(),
            notes(row),
        ]
    };
    let headings = ["ID", "DOES", "AGENT", "PATTERN", "LAST USED", "USES", "FROM", "NOTES"];
    print::table(headings, rules.iter().map(row).collect(), "no rules")
}

/// Everything that limits or widens a rule beyond its pattern, then what to know about it.
fn notes(row: &RuleRow) -> String {
    let rule = &row.rule;
    let mut notes = Vec::new();
    notes.extend(rule.args.as_ref().map(|args| format!("arguments {}", postern_command::quote(args))));
    if let Some(pin) = &rule.pin {
        let script = pin.script.as_ref().map(|script| format!("only {}, unchanged", script.path));
        notes.push(
            script
                .unwrap_or_else(|| format!("pinned to {}", pin.program.sha256.get(..8).unwrap_or_default())),
        );
    }
    match &rule.lifetime {
        Lifetime::Forever => {}
        Lifetime::Until(at) => notes.push(format!("until {}", print::time(*at))),
        Lifetime::Session(session) => notes.push(format!("until session {session} closes")),
        Lifetime::Quit => notes.push("until Postern quits".to_owned()),
    }
    if rule.allow_writes {
        notes.push("also writes".to_owned());
    }
    notes.extend(rule.why.clone());
    notes.extend(row.remarks.iter().cloned());
    postern_command::escape::text(&notes.join("; "))
}

fn import(link: &mut Link, file: &Path, agent: Option<&str>, check: bool) -> Result<(), Failure> {
    let text = if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(Failure::own)?;
        text
    } else {
        std::fs::read_to_string(file)
            .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?
    };
    let file: RuleFile = serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("{} is not a file of rules: {error}", file.display())))?;
    let write = if check { RulesWrite::Check } else { RulesWrite::Add };
    let done =
        link.call::<ImportRules>(&RulesImport { file, agent: agent.map(named).transpose()?, write })?;
    print::line(format!(
        "{} {}, {} there already",
        done.added.len(),
        if check { "would be added" } else { "added" },
        done.same
    ))?;
    for refused in &done.refused {
        print::remark(format!("refused: {}: {}", postern_command::escape::text(&refused.text), refused.why));
    }
    if done.refused.is_empty() { Ok(()) } else { Err(Failure::no(format!("{} refused", done.refused.len()))) }
}
