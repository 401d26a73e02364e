//! `postern import`: rules that people have in other programs, entry by entry.

mod places;
mod report;

use super::agents::named;
use super::rules::file;
use crate::failure::Failure;
use crate::import_args::Import;
use crate::link::Link;
use crate::print;
use places::Source;
use postern_contract::RuleDraft;
use postern_contract::methods::{
    AgentRef, GetPermissions, PermissionsSet, Replay, ReplayPolicy, RuleFile, SetPermissions,
};
use postern_policy::import::{Becomes, LeftOut, Line, Taking};
use postern_policy::permissions::take_over;
use postern_policy::{AgentId, Effect, Rule, RuleOrigin, kind_name, pattern_text};
use report::{Report, Taken};
use std::path::{Path, PathBuf};

pub(crate) fn run(
    link: impl FnOnce() -> Result<Link, Failure>,
    home: &Path,
    asked: &Import,
) -> Result<(), Failure> {
    let project = folder(asked.project.as_deref().unwrap_or(Path::new(".")))?;
    let home_text = home.to_str().ok_or_else(|| Failure::usage("the home folder is not UTF-8"))?;
    let taking = Taking {
        home: home_text.to_owned(),
        project: None,
        origin: if asked.host { RuleOrigin::Any } else { RuleOrigin::AgentShell },
        broad: asked.broad,
    };
    if asked.list {
        return report::list(&places::found(asked.from, home, &project), &taking, asked.json);
    }
    let sources = sources(asked, home, &project)?;
    let agent = named(asked.agent.as_deref().unwrap_or_default())?;
    let mut report = Report::read(&sources, &taking);
    let mut link = link()?;
    let text = lines(&mut link, &agent, &mut report)?;
    rules(&mut link, &agent, &mut report, asked.check)?;
    if asked.check {
        check(&mut link, &agent, &mut report, text, asked.last)?;
    } else if let Some(text) = text {
        link.call::<SetPermissions>(&PermissionsSet { agent, text })?;
    }
    report.check = asked.check;
    if asked.json.json { print::json(&report) } else { report.show() }
}

fn folder(path: &Path) -> Result<PathBuf, Failure> {
    std::fs::canonicalize(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

fn sources(asked: &Import, home: &Path, project: &Path) -> Result<Vec<Source>, Failure> {
    let from = asked.from.ok_or_else(|| Failure::usage("name the program (claude-code), or use --list"))?;
    if asked.files.is_empty() {
        let found = places::found(Some(from), home, project);
        return if found.is_empty() {
            let looked = "in the home folder and the current one; name a file, or --project DIR";
            Err(Failure::usage(format!("no rules of {} are {looked}", from.name())))
        } else {
            Ok(found)
        };
    }
    let own = asked.project.is_some().then_some(project);
    asked.files.iter().map(|file| Ok(places::named(from, &folder(file)?, home, own))).collect()
}

/// Puts lines into the agent's file. Returns its new text, if that is another one.
fn lines(link: &mut Link, agent: &AgentId, report: &mut Report) -> Result<Option<String>, Failure> {
    let before = link.call::<GetPermissions>(&AgentRef { agent: agent.clone() })?.text;
    let mut text = before.clone();
    // What is denied comes last: the last match wins.
    for effect in [Effect::Allow, Effect::Ask, Effect::Deny] {
        for taken in report.all().filter(|taken| taken.effect == effect) {
            let Becomes::Lines(lines) = &taken.becomes else { continue };
            let put = |text: String, line: &Line| take_over(&text, &line.tool, &line.pattern, line.effect);
            match lines.iter().try_fold(text.clone(), put) {
                Ok(next) => text = next,
                Err(error) => taken.becomes = Becomes::LeftOut(LeftOut::Refused(error.to_string())),
            }
        }
    }
    Ok((text != before).then_some(text))
}

/// Sends the rules: first to see which are refused, then those that are not.
fn rules(link: &mut Link, agent: &AgentId, report: &mut Report, check: bool) -> Result<(), Failure> {
    let send = |link: &mut Link, rules, check| {
        file::send(link, RuleFile { version: 1, rules }, Some(agent.clone()), None, check)
    };
    let mut done = send(link, drafts(report), true)?;
    for taken in report.all() {
        let Becomes::Rules(rules) = &taken.becomes else { continue };
        let shown = |rule: &Rule| postern_command::escape::text(&pattern_text(&rule.pattern));
        let refused =
            done.refused.iter().find(|refused| rules.iter().any(|rule| shown(rule) == refused.text));
        if let Some(refused) = refused {
            taken.becomes = Becomes::LeftOut(LeftOut::Refused(refused.why.clone()));
        }
    }
    if !check || !done.refused.is_empty() {
        done = send(link, drafts(report), check)?;
    }
    (report.added, report.same) = (done.count, done.same);
    Ok(())
}

fn drafts(report: &mut Report) -> Vec<RuleDraft> {
    let rules = report.all().filter_map(|taken: &mut Taken| match &taken.becomes {
        Becomes::Rules(rules) => Some(rules.clone()),
        Becomes::Lines(_) | Becomes::LeftOut(_) => None,
    });
    rules.flatten().map(draft).collect()
}

fn draft(rule: Rule) -> RuleDraft {
    RuleDraft {
        kind: Some(kind_name(&rule.pattern)),
        folder: rule.folder,
        origin: rule.origin,
        broad: rule.broad,
        ..RuleDraft::new(rule.effect, pattern_text(&rule.pattern))
    }
}

/// Judges the last requests again, with what would be taken over.
fn check(
    link: &mut Link,
    agent: &AgentId,
    report: &mut Report,
    permissions: Option<String>,
    last: u32,
) -> Result<(), Failure> {
    let mut rules = drafts(report);
    for rule in &mut rules {
        rule.agent = Some(agent.clone());
    }
    let batch = file::stage(link, &mut rules)?;
    let call = Replay {
        agent: Some(agent.clone()),
        rules: Some(RuleFile { version: 1, rules }),
        besides: true,
        batch,
        permissions,
        limit: Some(last),
        ..Replay::default()
    };
    report.replayed = Some(link.call::<ReplayPolicy>(&call)?);
    Ok(())
}
