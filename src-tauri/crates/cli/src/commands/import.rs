//! `postern import`: rules that users have in other programs, entry by entry.

use super::agents::parse_agent_id;
use super::setup_scope::settings_scope;
use crate::CliEnvironment;
use crate::failure::Failure;
use crate::import_args::Import;
use crate::link::HostLink;
use crate::print::{self, counted};
use crate::shared_args::JsonOutput;
use crate::typed::path_text;
use postern_command::escape::visible_text as escaped;
use postern_contract::methods::{
    ImportAgentRules, Imported, ImportedEntry, ImportedFile, Replayed, SetupImport, SetupScope, Taken,
};
use postern_doors::setup::{AgentRuleFile, Folders, sources};
use postern_policy::import::Taking;
use postern_policy::{Effect, RuleOrigin};
use serde::Serialize;
use std::path::{Path, PathBuf};

pub(crate) fn run(
    link: impl FnOnce() -> Result<HostLink, Failure>,
    surroundings: CliEnvironment,
    asked: &Import,
) -> Result<(), Failure> {
    let home_text = path_text(&surroundings.home)?;
    let scope = SetupScope { path: None, ..settings_scope(surroundings)? };
    let folders =
        Folders::from_scope(&scope, &home_text).map_err(|problem| Failure::usage_error(problem.message))?;
    // The current folder's own files are not asked for: an agent, or who wrote a clone, may have written them.
    let project = asked.project.as_deref().map(real_path).transpose()?;
    if asked.list {
        let here = project.map_or_else(|| real_path(Path::new(".")), Ok)?;
        return list_sources(&sources(asked.from, &folders, Some(&here)), home_text, asked.json);
    }
    let kind =
        asked.from.ok_or_else(|| Failure::usage_error("name the program (claude-code), or use --list"))?;
    if asked.files.is_empty() && sources(Some(kind), &folders, project.as_deref()).is_empty() {
        let looked =
            if project.is_some() { "in the home folder and the project" } else { "in the home folder" };
        return Err(Failure::usage_error(format!(
            "no rules of {} are {looked}; name a file, or --project DIR",
            kind.name()
        )));
    }
    let files: Vec<String> =
        asked.files.iter().map(|file| path_text(&real_path(file)?)).collect::<Result<_, _>>()?;
    // A file that is named belongs to the project of its folder, if none is named.
    let project = project.as_deref().map(path_text).transpose()?;
    let imported = link()?.call_method::<ImportAgentRules>(&SetupImport {
        kind,
        agent: parse_agent_id(asked.agent.as_deref().unwrap_or_default())?,
        files,
        project,
        broad: asked.broad,
        host: asked.host,
        check: asked.check,
        keep: true,
        last: asked.check.then_some(asked.last),
        scope,
    })?;
    if asked.json.json {
        print::write_json(&imported)?;
    } else {
        print_import(&imported)?;
        let allows = |entry: &ImportedEntry| entry.effect == Effect::Allow && !entry.rules.is_empty();
        if !asked.host && imported.files.iter().any(|file| file.entries.iter().any(allows)) {
            print::write_line(
                "allow rules hold in the agent’s own shell; with --host also for what Postern runs (postern-run)",
            )?;
        }
        if imported.count_taken(Taken::LeftOut) > 0 {
            print_hint(asked)?;
        }
    }
    match imported.files.iter().filter(|file| file.problem.is_some()).count() {
        0 => Ok(()),
        1 => Err(Failure::usage_error("one file can’t be read")),
        several => Err(Failure::usage_error(format!("{several} files can’t be read"))),
    }
}

/// Names the options that were not given and import more.
fn print_hint(asked: &Import) -> Result<(), Failure> {
    let broad = (!asked.broad).then_some("--broad imports broad rules");
    let project = asked.project.is_none().then_some("--project DIR says where relative paths begin");
    let hints: Vec<&str> = broad.into_iter().chain(project).collect();
    if hints.is_empty() { Ok(()) } else { print::say!("hint: {}", hints.join("; ")) }
}

fn real_path(path: &Path) -> Result<PathBuf, Failure> {
    std::fs::canonicalize(path).map_err(|error| Failure::from_path(path, &error))
}

/// Prints what becomes of each entry, and all of it in a line.
fn print_import(imported: &Imported) -> Result<(), Failure> {
    print_entries(imported)?;
    let what = what_is_imported(imported);
    print::write_line(if imported.check {
        format!("would import {what}")
    } else {
        format!("imported {what}")
    })?;
    imported.replayed.as_ref().map_or(Ok(()), show_replayed)
}

/// Prints what becomes of each entry.
pub(super) fn print_entries(imported: &Imported) -> Result<(), Failure> {
    imported.files.iter().try_for_each(show_file)
}

/// Says what an import adds, and what it can't: `6 rules and 1 line of permissions.jsonc; 1 entry can’t be imported`.
pub(super) fn what_is_imported(imported: &Imported) -> String {
    let entries = || imported.files.iter().flat_map(|file| &file.entries);
    let of = |taken: Taken| imported.count_taken(taken);
    let lines: usize = entries().map(|entry| entry.lines.len()).sum();
    let (added, same) = (imported.added, imported.same);
    let mut parts: Vec<String> = Vec::new();
    if added > 0 {
        let broad =
            if of(Taken::Broad) > 0 { format!(" ({} broad)", of(Taken::Broad)) } else { String::new() };
        parts.push(counted(added, "rule", "rules") + &broad);
    }
    if lines > 0 {
        parts.push(counted(lines, "line", "lines") + " of permissions.jsonc");
    }
    let mut text = if parts.is_empty() { "nothing".to_owned() } else { parts.join(" and ") };
    if same > 0 {
        text.extend(["; ", &counted(same, "rule is", "rules are"), " there already"]);
    }
    if of(Taken::LeftOut) > 0 {
        text.extend(["; ", &counted(of(Taken::LeftOut), "entry", "entries"), " can’t be imported"]);
    }
    text
}

fn show_replayed(replayed: &Replayed) -> Result<(), Failure> {
    for change in &replayed.changes {
        print::say!("  {} -> {}  {}", change.was.name(), change.becomes.name(), change.line)?;
    }
    let (changes, judged) = (replayed.changes.len(), replayed.judged);
    if judged > 0 {
        print::say!("{changes} of the last {judged} requests would be judged differently")?;
    }
    print::write_line("nothing was saved")
}

fn show_file(file: &ImportedFile) -> Result<(), Failure> {
    print::write_line(&file.path)?;
    if let Some(problem) = &file.problem {
        return print::say!("  cannot be read: {problem}");
    }
    file.entries.iter().try_for_each(show_entry)
}

fn show_entry(entry: &ImportedEntry) -> Result<(), Failure> {
    let effect = match entry.effect {
        Effect::Allow => "allow",
        Effect::Ask => "ask  ",
        Effect::Deny => "deny ",
    };
    print::say!("  {effect}  {}", entry.written)?;
    let rules: Vec<String> = entry.rules.iter().map(|rule| rule_words(entry.effect, rule)).collect();
    let rules = rules.join("; ");
    let text = match entry.taken {
        Taken::LeftOut => format!("left out: {}", entry.why.as_deref().unwrap_or_default()),
        Taken::Broad => format!("becomes a broad rule: {rules}"),
        Taken::Lines => format!("becomes, in permissions.jsonc: {}", entry.lines.join("; ")),
        Taken::Rules => format!("becomes: {rules}"),
    };
    print::write_hanging(&format!("         {text}"), 11)
}

/// Says what a rule does, as it would be typed.
fn rule_words(effect: Effect, rule: &str) -> String {
    let allows = effect == Effect::Allow;
    match (rule.strip_prefix("--read "), rule.strip_prefix("--write ")) {
        (Some(folder), _) if allows => format!("look around in {folder}"),
        (Some(files), _) => format!("deny reading {files}"),
        (None, Some(files)) => format!("deny writing {files}"),
        (None, None) => format!("{} {rule}", if allows { "allow" } else { "deny" }),
    }
}

#[derive(Debug, Serialize)]
struct ListedFile {
    from: &'static str,
    path: String,
    project: Option<String>,
    entries: Option<usize>,
    problem: Option<String>,
}

/// Lists files with the number of their entries.
fn list_sources(sources: &[AgentRuleFile], home: String, json: JsonOutput) -> Result<(), Failure> {
    let taking = Taking { home, project: None, origin: RuleOrigin::AgentShell, broad: false };
    let listed = |source: &AgentRuleFile| {
        let row = source.to_row(&taking);
        ListedFile {
            from: source.kind.name(),
            path: row.path,
            project: source.project.as_ref().map(|project| escaped(&project.to_string_lossy())),
            entries: row.entries,
            problem: row.problem,
        }
    };
    let listed: Vec<ListedFile> = sources.iter().map(listed).collect();
    if json.json {
        return print::write_json(&listed);
    }
    let row = |one: &ListedFile| {
        let entries = one.entries.map_or_else(|| "cannot be read".to_owned(), |count| count.to_string());
        [one.from.to_owned(), entries, one.path.clone()]
    };
    print::write_table(
        ["PROGRAM", "ENTRIES", "FILE"],
        listed.iter().map(row).collect(),
        "no rules of other programs are here",
    )
}
