//! `postern rules …`

mod exec_approval;
pub(super) mod file;
mod openclaw;

use super::agents::named;
use crate::args::Json;
use crate::failure::Failure;
use crate::link::Link;
use crate::print;
use crate::rule_args::{AllowRule, DenyRule, ExportFormat, Format, NewRule, RuleProfile, Rules};
use postern_contract::methods::{
    AddRule, ExportRules, ListRules, PreviewRule, RemoveRule, RenewalEntry, RuleFilter, RuleNumber,
    RulePreview, UndoRenewal,
};
use postern_contract::{PatternKind, RuleDraft, RuleRow, render};
use postern_policy::import::Target;
use postern_policy::{AgentId, Effect, Lifetime, Pattern, Profile, Rule, RuleInput, RuleOrigin};
use std::path::Path;

/// Number of rules in one call.
const PAGE: u32 = 4000;

pub(crate) fn run(link: &mut Link, command: Rules) -> Result<(), Failure> {
    match command {
        Rules::List { agent, json } => {
            let agent = agent.as_deref().map(named).transpose()?;
            let rules = all(link, agent.as_ref())?;
            if json.json { print::json(&rules) } else { list(&rules) }
        }
        Rules::Allow(typed) => {
            let (check, json) = (typed.rule.check, typed.rule.json);
            add(link, Effect::Allow, &[allowing(typed)?], check, json)
        }
        Rules::Deny(typed) => {
            let (check, json) = (typed.rule.check, typed.rule.json);
            add(link, Effect::Deny, &denying(typed)?, check, json)
        }
        Rules::Remove { id } => {
            link.call::<RemoveRule>(&RuleNumber { id })?;
            print::line(format!("removed rule {id}"))
        }
        Rules::Undo { entry } => {
            let rules = link.call::<UndoRenewal>(&RenewalEntry { entry })?.rules;
            let mut ids: Vec<_> = rules.iter().map(|row| row.rule.id).collect();
            ids.sort_unstable();
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            let rules = if ids.len() == 1 { "rule" } else { "rules" };
            print::line(format!("undone: {rules} {} as before the renewal", ids.join(", ")))
        }
        Rules::Export { agent, format, broad } => export(link, agent.as_deref(), format, broad),
        Rules::Import { file, agent, of, format, check, yes, json } => {
            let (agent, how) = (agent.as_deref(), exec_approval::How { check, yes, json });
            match format {
                Format::Openclaw => openclaw::import(link, &file, agent, of.as_deref(), how),
                _ if of.is_some() => {
                    Err(Failure::usage("--of names an agent of an OpenClaw document (--format openclaw)"))
                }
                Format::Postern => file::import(link, &file, agent, check, json),
                Format::ExecApproval => exec_approval::import(link, &file, agent, how),
            }
        }
    }
}

fn export(link: &mut Link, agent: Option<&str>, format: ExportFormat, broad: bool) -> Result<(), Failure> {
    let target = match format {
        ExportFormat::Postern => {
            let agent = agent.map(named).transpose()?;
            let filter = RuleFilter { own: agent.is_some(), agent, ..RuleFilter::default() };
            return print::json(&link.call::<ExportRules>(&filter)?);
        }
        ExportFormat::ExecApproval => return exec_approval::export(link, agent),
        ExportFormat::Openclaw => return openclaw::export(link, agent),
        ExportFormat::ClaudeCode => Target::ClaudeCode,
        ExportFormat::Codex => Target::Codex,
    };
    let agent = agent.map(named).transpose()?;
    let rules: Vec<Rule> = all(link, agent.as_ref())?.into_iter().map(|row| row.rule).collect();
    let (text, left_out) = postern_policy::import::export(target, &exec_approval::own(&rules), broad);
    exec_approval::tell_left_out(left_out);
    print::raw(text.trim_end())
}

/// Returns an agent's rules and everybody's, or all: page by page, because a long list is longer than an
/// answer may be.
pub(super) fn all(link: &mut Link, agent: Option<&AgentId>) -> Result<Vec<RuleRow>, Failure> {
    let mut rules: Vec<RuleRow> = Vec::new();
    loop {
        let skip = u32::try_from(rules.len()).map_err(Failure::own)?;
        let filter = RuleFilter { agent: agent.cloned(), own: false, skip: Some(skip), limit: Some(PAGE) };
        let page = link.call::<ListRules>(&filter)?.rules;
        let last = page.len() < PAGE as usize;
        rules.extend(page);
        if last {
            return Ok(rules);
        }
    }
}

/// Adds a rule, or one for each kind of access to files: all of them, or none if one is refused.
fn add(
    link: &mut Link,
    effect: Effect,
    drafts: &[RuleDraft],
    check: bool,
    json: Json,
) -> Result<(), Failure> {
    let mut previews = Vec::with_capacity(drafts.len());
    for draft in drafts {
        previews.push(link.call::<PreviewRule>(draft)?);
    }
    if check {
        return previewed(effect, &previews, json);
    }
    if let Some(problem) =
        previews.iter().filter(|_| drafts.len() > 1).find_map(|preview| preview.problem.clone())
    {
        return Err(Failure::refused(problem));
    }
    for covers in previews.iter().filter(|preview| preview.problem.is_some()).flat_map(|one| &one.remarks) {
        print::remark(covers);
    }
    let mut rows = Vec::with_capacity(drafts.len());
    for draft in drafts {
        rows.push(link.call::<AddRule>(draft)?);
    }
    if json.json {
        return one_or_all(&rows);
    }
    rows.iter().zip(&previews).try_for_each(|(row, preview)| added(effect, row, preview))
}

fn added(effect: Effect, row: &RuleRow, preview: &RulePreview) -> Result<(), Failure> {
    let whose = row.rule.agent.as_ref().map_or_else(|| "every agent".to_owned(), ToString::to_string);
    let does = match &row.rule.pattern {
        Pattern::Read(_) if effect == Effect::Allow => "may be read by programs that look around",
        Pattern::Read(_) => "may not be read by any program",
        Pattern::Write(_) => "may not be written by any program",
        _ if effect == Effect::Deny => "is denied",
        _ => "is allowed",
    };
    let text = postern_command::escape::text(&row.text);
    print::line(format!("rule {}: {text} {does} for {whose}", row.rule.id))?;
    for remark in &row.remarks {
        print::line(format!("  note: {}", remark.text))?;
    }
    if let Some(covers) = render::all_also_covered(&preview.also) {
        print::line(format!("  {covers}"))?;
        print::line(format!("  Not: {STILL_ASKED}"))?;
    }
    looked_back(effect, preview)
}

/// Commands that no broad rule covers.
const STILL_ASKED: &str =
    "what a deny rule or the core denies, protected places, redirections that write (without --writes)";

/// Prints one document: the only one, or a list of them.
fn one_or_all<T: serde::Serialize>(all: &[T]) -> Result<(), Failure> {
    if let [one] = all { print::json(one) } else { print::json(&all) }
}

fn previewed(effect: Effect, previews: &[RulePreview], json: Json) -> Result<(), Failure> {
    if json.json {
        one_or_all(previews)?;
    }
    if let Some(refused) = previews.iter().find(|preview| preview.problem.is_some()) {
        refused.remarks.iter().for_each(print::remark);
        return Err(Failure::refused(refused.problem.clone().unwrap_or_default()));
    }
    if json.json {
        return Ok(());
    }
    for preview in previews {
        for remark in &preview.remarks {
            print::line(format!("  note: {remark}"))?;
        }
        looked_back(effect, preview)?;
    }
    print::line("nothing was saved")
}

/// Prints the effect that the rule would have had on the last requests.
fn looked_back(effect: Effect, preview: &RulePreview) -> Result<(), Failure> {
    if preview.of == 0 {
        return Ok(());
    }
    print::line(format!("  of the last {} requests it matches {}", preview.of, preview.matched))?;
    if preview.changed == 0 {
        return Ok(());
    }
    let does = if effect == Effect::Deny { "denied" } else { "let through" };
    print::line(format!("  and would have {does} {} that came out otherwise:", preview.changed))?;
    preview.changes.iter().try_for_each(|line| print::line(format!("    {line}")))
}

/// Returns the draft of an allow rule.
fn allowing(typed: AllowRule) -> Result<RuleDraft, Failure> {
    let AllowRule { read, rule } = typed;
    let draft = draft(Effect::Allow, rule)?;
    match read {
        None => Ok(draft),
        Some(folder) => {
            Ok(RuleDraft { text: folder_of("--read", &folder)?, kind: Some(PatternKind::Read), ..draft })
        }
    }
}

/// Returns the drafts of a deny rule: one for each kind of access to files, where it names some.
fn denying(typed: DenyRule) -> Result<Vec<RuleDraft>, Failure> {
    let DenyRule { read, write, rule } = typed;
    let draft = draft(Effect::Deny, rule)?;
    let of = |(kind, text)| RuleDraft { text, kind: Some(kind), ..draft.clone() };
    let files = [(PatternKind::Read, read), (PatternKind::Write, write)];
    let files = files.into_iter().filter_map(|(kind, text)| Some((kind, text?)));
    let drafts: Vec<RuleDraft> = files.map(of).collect();
    Ok(if drafts.is_empty() { vec![draft] } else { drafts })
}

fn draft(effect: Effect, rule: NewRule) -> Result<RuleDraft, Failure> {
    if rule.agent.is_none() && !rule.everyone {
        return Err(Failure::usage("whose rule is it? Add --agent ID, or --everyone for every agent"));
    }
    let kinds = [
        (rule.path, PatternKind::Path),
        (rule.command, PatternKind::Command),
        (rule.exact, PatternKind::Exact),
        (rule.identity, PatternKind::Identity),
    ];
    let args = rule
        .args
        .as_deref()
        .map(postern_command::words_of)
        .transpose()
        .map_err(|error| Failure::usage(error.to_string()))?;
    Ok(RuleDraft {
        effect,
        agent: rule.agent.as_deref().map(named).transpose()?,
        text: rule.pattern.unwrap_or_default(),
        kind: kinds.into_iter().find(|(chosen, _)| *chosen).map(|(_, kind)| kind),
        args,
        pin: rule.pin,
        allow_writes: rule.writes,
        broad: rule.broad,
        confine: rule.confine.and_then(RuleProfile::profile),
        limits: None,
        folder: rule.folder.as_deref().map(|folder| folder_of("--in", folder)).transpose()?,
        input: if rule.any_input { RuleInput::Any } else { RuleInput::Nothing },
        origin: if rule.own_shell { RuleOrigin::AgentShell } else { RuleOrigin::Any },
        lifetime: rule.lasts.map(lasting).transpose()?,
        why: rule.why,
        matches: rule.matches,
        misses: rule.misses,
    })
}

/// Resolves a folder against the current one. The host expands the home folder.
fn folder_of(option: &str, folder: &Path) -> Result<String, Failure> {
    let text = folder.to_str().ok_or_else(|| Failure::usage("the folder of a rule has to be UTF-8"))?;
    if text.starts_with('~') || text.starts_with("$HOME") {
        return Ok(text.to_owned());
    }
    let real = std::fs::canonicalize(folder).map_err(|error| {
        Failure::usage(format!("{option} {}: {error}", postern_command::escape::text(text)))
    })?;
    real.into_os_string().into_string().map_err(|_| Failure::usage("the folder of a rule has to be UTF-8"))
}

/// Returns a duration as a lifetime that ends at a time.
pub(crate) fn lasting(duration: humantime::Duration) -> Result<Lifetime, Failure> {
    let millis = i64::try_from(duration.as_millis()).map_err(Failure::own)?;
    Ok(Lifetime::Until(jiff::Timestamp::now().as_millisecond().saturating_add(millis)))
}

fn list(rules: &[RuleRow]) -> Result<(), Failure> {
    let row = |row: &RuleRow| {
        let rule = &row.rule;
        [
            // A line of a file is named by where it stands.
            if rule.id > 0 { rule.id.to_string() } else { String::new() },
            does(rule),
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

/// Returns what a rule does: `deny read` is about files.
fn does(rule: &Rule) -> String {
    let effect = format!("{:?}", rule.effect).to_lowercase();
    match &rule.pattern {
        Pattern::Read(_) => format!("{effect} read"),
        Pattern::Write(_) => format!("{effect} write"),
        Pattern::Path(_) | Pattern::Command(_) | Pattern::Exact(_) | Pattern::Identity(_) => effect,
    }
}

/// Returns everything that limits or widens a rule beyond its pattern, then what to know about it.
fn notes(row: &RuleRow) -> String {
    let rule = &row.rule;
    let mut notes = Vec::new();
    notes.extend(rule.folder.as_ref().map(|folder| format!("in {folder} and below")));
    match &rule.input {
        RuleInput::Nothing => {}
        RuleInput::Text(sha256) => {
            notes.push(format!("with the input {}", sha256.get(..8).unwrap_or_default()));
        }
        RuleInput::Any => notes.push("with any input".to_owned()),
    }
    if rule.origin == RuleOrigin::AgentShell {
        notes.push("in the agent's own shell".to_owned());
    }
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
    notes.extend(rule.confine.map(|profile| match profile {
        Profile::Look => "confined (look)".to_owned(),
        Profile::Project => "confined (project)".to_owned(),
    }));
    if let Some(limits) = &rule.limits {
        let kinds: Vec<&str> = limits.effects.iter().map(|effect| effect.kind.as_str()).collect();
        notes.push(format!("only to {}", kinds.join(", ")));
    }
    notes.extend(rule.why.clone());
    notes.extend(row.remarks.iter().map(|remark| remark.text.clone()));
    postern_command::escape::text(&notes.join("; "))
}
