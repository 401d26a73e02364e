//! `postern rules …`

mod exec_approval;
pub(super) mod file;
mod openclaw;

use super::agents::parse_agent_id;
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use crate::rule_args::{
    AllowRule, DenyRule, ExportFormat, NewRuleArgs, RuleFileFormatArg, RuleProfile, RulesCommand,
};
use crate::shared_args::JsonOutput;
use postern_contract::methods::{
    AddRule, ExportRules, ListRules, PreviewRule, RemoveRule, RenewalEntry, RuleFilter, RuleNumber,
    RulePreview, Rules, UndoRenewal,
};
use postern_contract::{PatternKind, RuleDraft, RuleRow, render};
use postern_doors::fleet::HostPart;
use postern_policy::import::ExportTarget;
use postern_policy::{
    AgentId, Effect, Lifetime, Pattern, Profile, Rule, RuleId, RuleInput, RuleOrigin, Source,
};
use std::collections::BTreeSet;
use std::path::Path;

/// Number of rules in one call.
const PAGE: u32 = 4000;
/// Number of rules of another Mac, the first ones.
const AFAR: u32 = 100;

pub(crate) fn run(link: &mut HostLink, command: RulesCommand) -> Result<(), Failure> {
    match command {
        RulesCommand::List { agent, json, .. } => {
            let agent = agent.as_deref().map(parse_agent_id).transpose()?;
            let rules = fetch_all(link, agent.as_ref())?;
            if json.json { print::write_json(&rules) } else { list_rules(&rules) }
        }
        RulesCommand::Allow(typed) => {
            let (check, json) = (typed.rule.check, typed.rule.json);
            add_rules(link, Effect::Allow, &[allowing(typed)?], check, json)
        }
        RulesCommand::Deny(typed) => {
            let (check, json) = (typed.rule.check, typed.rule.json);
            add_rules(link, Effect::Deny, &denying(typed)?, check, json)
        }
        RulesCommand::Remove { id } => {
            link.call_method::<RemoveRule>(&RuleNumber { id })?;
            print::say!("removed rule {id}")
        }
        RulesCommand::Undo { entry } => {
            let rules = link.call_method::<UndoRenewal>(&RenewalEntry { entry })?.rules;
            let mut ids: Vec<_> = rules.iter().map(|row| row.rule.id).collect();
            ids.sort_unstable();
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            let rules = if ids.len() == 1 { "rule is" } else { "rules are" };
            print::say!("the {rules} as before the renewal: {}", ids.join(", "))
        }
        RulesCommand::Export { agent, format, broad } => export(link, agent.as_deref(), format, broad),
        RulesCommand::Import { file, agent, of, format, check, yes, json } => {
            let (agent, how) = (agent.as_deref(), exec_approval::SettingsImportOptions { check, yes, json });
            match format {
                RuleFileFormatArg::Openclaw => openclaw::import(link, &file, agent, of.as_deref(), how),
                _ if of.is_some() => Err(Failure::usage_error(
                    "--of names an agent of an OpenClaw document (--format openclaw)",
                )),
                RuleFileFormatArg::Postern => file::import(link, &file, agent, check, json),
                RuleFileFormatArg::ExecApproval => exec_approval::import(link, &file, agent, how),
            }
        }
    }
}

/// Lists the rules of other Macs of the fleet.
pub(crate) fn list_elsewhere(
    data: &Path,
    agent: Option<&str>,
    host: &str,
    json: bool,
) -> Result<(), Failure> {
    let agent = agent.map(parse_agent_id).transpose()?;
    let filter = RuleFilter { agent, limit: Some(AFAR), ..RuleFilter::default() };
    let parts = (|listed: Rules| listed.rules, |rules: &Vec<RuleRow>| list_rules(rules));
    super::fleet::read_hosts::<ListRules, _>(data, (host, HostPart::Rules), &filter, json, parts)
}

fn export(
    link: &mut HostLink,
    agent: Option<&str>,
    format: ExportFormat,
    broad: bool,
) -> Result<(), Failure> {
    let target = match format {
        ExportFormat::Postern => {
            let agent = agent.map(parse_agent_id).transpose()?;
            let filter = RuleFilter { own: agent.is_some(), agent, ..RuleFilter::default() };
            return print::write_json(&link.call_method::<ExportRules>(&filter)?);
        }
        ExportFormat::ExecApproval => return exec_approval::export(link, agent),
        ExportFormat::Openclaw => return openclaw::export(link, agent),
        ExportFormat::ClaudeCode => ExportTarget::ClaudeCode,
        ExportFormat::Codex => ExportTarget::Codex,
    };
    let agent = agent.map(parse_agent_id).transpose()?;
    let rules = own_rules(link, agent.as_ref())?;
    let (text, left_out) = postern_policy::import::export(target, &rules, broad);
    exec_approval::tell_left_out(left_out);
    print::write_raw(text.trim_end())
}

/// Returns the rules that are the list's own: those of files and skills stand elsewhere.
fn own_rules(link: &mut HostLink, agent: Option<&AgentId>) -> Result<Vec<Rule>, Failure> {
    let rules = fetch_all(link, agent)?.into_iter().map(|row| row.rule);
    Ok(rules.filter(|rule| !matches!(rule.source, Source::File | Source::Skill(_))).collect())
}

/// Returns an agent's rules and everybody's, or all: page by page, because a long list is longer than an
/// answer may be.
pub(super) fn fetch_all(link: &mut HostLink, agent: Option<&AgentId>) -> Result<Vec<RuleRow>, Failure> {
    let mut rules: Vec<RuleRow> = Vec::new();
    loop {
        let skip = u32::try_from(rules.len()).map_err(Failure::from_error)?;
        let filter = RuleFilter { agent: agent.cloned(), own: false, skip: Some(skip), limit: Some(PAGE) };
        let page = link.call_method::<ListRules>(&filter)?.rules;
        let last = page.len() < PAGE as usize;
        rules.extend(page);
        if last {
            return Ok(rules);
        }
    }
}

/// Adds a rule, or one for each kind of access to files: all of them, or none if one is refused.
fn add_rules(
    link: &mut HostLink,
    effect: Effect,
    drafts: &[RuleDraft],
    check: bool,
    json: JsonOutput,
) -> Result<(), Failure> {
    let mut previews = Vec::with_capacity(drafts.len());
    for draft in drafts {
        previews.push(link.call_method::<PreviewRule>(draft)?);
    }
    if check {
        return previewed(effect, &previews, json);
    }
    if let Some(problem) =
        previews.iter().filter(|_| drafts.len() > 1).find_map(|preview| preview.problem.clone())
    {
        return Err(Failure::refused(problem));
    }
    for refused in previews.iter().filter(|preview| preview.problem.is_some()) {
        print_covered(refused);
    }
    if previews.iter().any(|preview| preview.problem.is_some() && !preview.also.is_empty()) {
        print::remark("hint: --confine project confines it to the project; --broad saves it as a broad rule");
    }
    let agent = drafts.first().and_then(|draft| draft.agent.as_ref());
    let known: BTreeSet<RuleId> = fetch_all(link, agent)?.iter().map(|row| row.rule.id).collect();
    let mut rows = Vec::with_capacity(drafts.len());
    for draft in drafts {
        rows.push(link.call_method::<AddRule>(draft)?);
    }
    if json.json {
        return one_or_all(&rows);
    }
    for (row, preview) in rows.iter().zip(&previews) {
        if known.contains(&row.rule.id) {
            print::say!("rule {} says the same; nothing was added", row.rule.id)?;
        } else {
            print_added(effect, row, preview)?;
        }
    }
    Ok(())
}

fn print_added(effect: Effect, row: &RuleRow, preview: &RulePreview) -> Result<(), Failure> {
    print::say!("rule {}: {}", row.rule.id, render::rule_sentence(&row.rule))?;
    for remark in &row.remarks {
        print::say!("  note: {}", remark.text)?;
    }
    if let Some(covers) = render::all_also_covered(&preview.also) {
        print::say!("  {covers}")?;
        print::say!("  Not: {STILL_ASKED}")?;
    }
    looked_back(effect, preview)
}

/// Commands that no broad rule covers.
const STILL_ASKED: &str =
    "what a deny rule or the core denies, protected places, redirections that write (without --writes)";

/// Prints one document: the only one, or a list of them.
fn one_or_all<T: serde::Serialize>(all: &[T]) -> Result<(), Failure> {
    if let [one] = all { print::write_json(one) } else { print::write_json(&all) }
}

fn previewed(effect: Effect, previews: &[RulePreview], json: JsonOutput) -> Result<(), Failure> {
    if json.json {
        one_or_all(previews)?;
    }
    if let Some(refused) = previews.iter().find(|preview| preview.problem.is_some()) {
        print_covered(refused);
        return Err(Failure::refused(refused.problem.clone().unwrap_or_default()));
    }
    if json.json {
        return Ok(());
    }
    for preview in previews {
        for remark in &preview.remarks {
            print::say!("  note: {remark}")?;
        }
        if let Some(covers) = render::all_also_covered(&preview.also) {
            print::say!("  note: {covers}")?;
        }
        looked_back(effect, preview)?;
    }
    print::write_line("nothing was saved")
}

/// Remarks on what a rule covers that is not saved as it is.
fn print_covered(refused: &RulePreview) {
    if let Some(covers) = render::all_also_covered(&refused.also) {
        print::remark(covers);
    }
}

/// Prints the effect that the rule would have had on the last requests.
fn looked_back(effect: Effect, preview: &RulePreview) -> Result<(), Failure> {
    if preview.of == 0 {
        return Ok(());
    }
    let last = if preview.of == 1 {
        "the last request".to_owned()
    } else {
        format!("the last {} requests", preview.of)
    };
    print::say!("  matches {} of {last}", preview.matched)?;
    if preview.changed == 0 {
        return Ok(());
    }
    let (does, instead) = if effect == Effect::Deny {
        ("denied", "asking or allowing")
    } else {
        ("let through", "asking or denying")
    };
    // The same line is listed once, and not all of them are.
    let some = if preview.changes.len() < preview.changed as usize { ", such as" } else { "" };
    print::say!("  would have {does} {} of these instead of {instead}{some}:", preview.changed)?;
    preview.changes.iter().try_for_each(|line| print::say!("    {line}"))
}

fn allowing(typed: AllowRule) -> Result<RuleDraft, Failure> {
    let AllowRule { read, rule, writes, broad, confine, folder, any_input, own_shell } = typed;
    let draft = RuleDraft {
        allow_writes: writes,
        broad,
        confine: confine.and_then(RuleProfile::profile),
        folder: folder.as_deref().map(|folder| folder_of("--in", folder)).transpose()?,
        input: if any_input { RuleInput::Any } else { RuleInput::Nothing },
        origin: if own_shell { RuleOrigin::AgentShell } else { RuleOrigin::Any },
        ..build_draft(Effect::Allow, rule)?
    };
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
    let draft = build_draft(Effect::Deny, rule)?;
    let of = |(kind, text)| RuleDraft { text, kind: Some(kind), ..draft.clone() };
    let files = [(PatternKind::Read, read), (PatternKind::Write, write)];
    let files = files.into_iter().filter_map(|(kind, text)| Some((kind, text?)));
    let drafts: Vec<RuleDraft> = files.map(of).collect();
    Ok(if drafts.is_empty() { vec![draft] } else { drafts })
}

fn build_draft(effect: Effect, rule: NewRuleArgs) -> Result<RuleDraft, Failure> {
    if rule.agent.is_none() && !rule.everyone {
        return Err(Failure::usage_error("whose rule is it? Add --agent ID, or --everyone for every agent"));
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
        .map_err(|error| Failure::usage_error(error.to_string()))?;
    Ok(RuleDraft {
        agent: rule.agent.as_deref().map(parse_agent_id).transpose()?,
        kind: kinds.into_iter().find(|(chosen, _)| *chosen).map(|(_, kind)| kind),
        args,
        pin: rule.pin,
        lifetime: rule.lasts.map(lasting).transpose()?,
        why: rule.why,
        matches: rule.matches,
        misses: rule.misses,
        ..RuleDraft::new(effect, rule.pattern.unwrap_or_default())
    })
}

/// Resolves a folder against the current one. The host expands the home folder.
fn folder_of(option: &str, folder: &Path) -> Result<String, Failure> {
    let text = folder.to_str().ok_or_else(|| Failure::usage_error("the folder of a rule has to be UTF-8"))?;
    if text.starts_with('~') || text.starts_with("$HOME") {
        return Ok(text.to_owned());
    }
    let real = std::fs::canonicalize(folder).map_err(|error| {
        let failure = Failure::from_path(folder, &error);
        Failure { message: format!("{option}: {}", failure.message), ..failure }
    })?;
    real.into_os_string()
        .into_string()
        .map_err(|_| Failure::usage_error("the folder of a rule has to be UTF-8"))
}

/// Returns a duration as a lifetime that ends at a time.
pub(crate) fn lasting(duration: humantime::Duration) -> Result<Lifetime, Failure> {
    let millis = i64::try_from(duration.as_millis()).map_err(Failure::from_error)?;
    Ok(Lifetime::Until(jiff::Timestamp::now().as_millisecond().saturating_add(millis)))
}

fn list_rules(rules: &[RuleRow]) -> Result<(), Failure> {
    let row = |row: &RuleRow| {
        let rule = &row.rule;
        [
            // A line of a file is named by where it stands.
            if rule.id > 0 { rule.id.to_string() } else { String::new() },
            effect_words(rule),
            rule.agent.as_ref().map_or_else(|| "everyone".to_owned(), ToString::to_string),
            postern_command::escape::visible_text(&row.text),
            rule.usage.last_used_at.map_or_else(|| "never".to_owned(), print::format_time),
            rule.usage.count.to_string(),
            row.from.clone(),
            rule_notes(row),
        ]
    };
    let headings = ["ID", "DOES", "AGENT", "PATTERN", "LAST USED", "USES", "FROM", "NOTES"];
    print::write_table(headings, rules.iter().map(row).collect(), "no rules")
}

/// Returns what a rule does: `deny read` is about files.
fn effect_words(rule: &Rule) -> String {
    let effect = format!("{:?}", rule.effect).to_lowercase();
    match &rule.pattern {
        Pattern::Read(_) => format!("{effect} read"),
        Pattern::Write(_) => format!("{effect} write"),
        Pattern::Path(_) | Pattern::Command(_) | Pattern::Exact(_) | Pattern::Identity(_) => effect,
    }
}

/// Returns everything that limits or widens a rule beyond its pattern, then what to know about it.
fn rule_notes(row: &RuleRow) -> String {
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
        notes.push("own shell".to_owned());
    }
    notes.extend(rule.args.as_ref().map(|args| format!("arguments {}", postern_command::quote_argv(args))));
    if let Some(pin) = &rule.pin {
        let script = pin.script.as_ref().map(|script| format!("only {}, unchanged", script.path));
        notes.push(
            script
                .unwrap_or_else(|| format!("pinned to {}", pin.program.sha256.get(..8).unwrap_or_default())),
        );
        if pin.by_signer {
            notes.push("and other versions by the same developer".to_owned());
        }
    }
    match &rule.lifetime {
        Lifetime::Forever => {}
        Lifetime::Until(at) => notes.push(format!("until {}", print::format_time(*at))),
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
    postern_command::escape::visible_text(&notes.join("; "))
}
