//! `postern import`: rules that users have in other programs, entry by entry.

use super::agents::named;
use super::explain::word;
use super::setup_scope::scope;
use crate::Surroundings;
use crate::args::Json;
use crate::failure::Failure;
use crate::import_args::Import;
use crate::link::Link;
use crate::print;
use postern_command::escape::text as escaped;
use postern_contract::methods::{
    ImportAgentRules, Imported, ImportedEntry, ImportedFile, Replayed, SetupImport, SetupScope, Taken,
};
use postern_doors::setup::{Folders, Source, sources};
use postern_policy::import::Taking;
use postern_policy::{Effect, RuleOrigin};
use serde::Serialize;
use std::path::{Path, PathBuf};

pub(crate) fn run(
    link: impl FnOnce() -> Result<Link, Failure>,
    surroundings: Surroundings,
    asked: &Import,
) -> Result<(), Failure> {
    let home_text = text_of(&surroundings.home)?;
    let scope = SetupScope { path: None, ..scope(surroundings)? };
    let folders = Folders::of(&scope, &home_text).map_err(|problem| Failure::usage(problem.message))?;
    let project = real(asked.project.as_deref().unwrap_or(Path::new(".")))?;
    if asked.list {
        return list(&sources(asked.from, &folders, Some(&project)), home_text, asked.json);
    }
    let kind = asked.from.ok_or_else(|| Failure::usage("name the program (claude-code), or use --list"))?;
    if asked.files.is_empty() && sources(Some(kind), &folders, Some(&project)).is_empty() {
        let looked = "in the home folder and the current one; name a file, or --project DIR";
        return Err(Failure::usage(format!("no rules of {} are {looked}", kind.name())));
    }
    let files: Vec<String> =
        asked.files.iter().map(|file| text_of(&real(file)?)).collect::<Result<_, _>>()?;
    // A file that is named belongs to the project of its folder, if none is named.
    let project = if files.is_empty() || asked.project.is_some() { Some(text_of(&project)?) } else { None };
    let imported = link()?.call::<ImportAgentRules>(&SetupImport {
        kind,
        agent: named(asked.agent.as_deref().unwrap_or_default())?,
        files,
        project,
        broad: asked.broad,
        host: asked.host,
        check: asked.check,
        last: asked.check.then_some(asked.last),
        scope,
    })?;
    if asked.json.json {
        return print::json(&imported);
    }
    show(&imported)?;
    if imported.count(Taken::LeftOut) == 0 {
        return Ok(());
    }
    print::line("hint: --broad imports broad rules; --project DIR says where relative paths begin")
}

fn real(path: &Path) -> Result<PathBuf, Failure> {
    std::fs::canonicalize(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::usage(format!("{} is not UTF-8", path.display())))
}

/// Prints what became of each entry.
pub(super) fn show(imported: &Imported) -> Result<(), Failure> {
    imported.files.iter().try_for_each(show_file)?;
    let would = if imported.check { " would be" } else { "" };
    let count = |taken| imported.count(taken);
    print::line(format!(
        "{}{would} taken over, {} of them as broad; {} left out",
        count(Taken::Rules) + count(Taken::Broad) + count(Taken::Lines),
        count(Taken::Broad),
        count(Taken::LeftOut)
    ))?;
    let rules = if imported.added == 1 { "rule" } else { "rules" };
    print::line(format!("{} {rules}{would} added, {} there already", imported.added, imported.same))?;
    imported.replayed.as_ref().map_or(Ok(()), show_replayed)
}

fn show_replayed(replayed: &Replayed) -> Result<(), Failure> {
    for change in &replayed.changes {
        print::line(format!("  {} -> {}  {}", word(change.was), word(change.becomes), change.line))?;
    }
    let (changes, judged) = (replayed.changes.len(), replayed.judged);
    print::line(format!("{changes} of the last {judged} requests would have come out otherwise"))?;
    print::line("nothing was saved")
}

fn show_file(file: &ImportedFile) -> Result<(), Failure> {
    print::line(&file.path)?;
    if let Some(problem) = &file.problem {
        return print::line(format!("  cannot be read: {problem}"));
    }
    file.entries.iter().try_for_each(show_entry)
}

fn show_entry(entry: &ImportedEntry) -> Result<(), Failure> {
    let effect = match entry.effect {
        Effect::Allow => "allow",
        Effect::Ask => "ask  ",
        Effect::Deny => "deny ",
    };
    print::line(format!("  {effect}  {}", entry.written))?;
    let rules = entry.rules.join("; ");
    let text = match entry.taken {
        Taken::LeftOut => format!("left out: {}", entry.why.as_deref().unwrap_or_default()),
        Taken::Broad => format!("becomes the broad rule {rules}"),
        Taken::Lines => format!("becomes, in permissions.jsonc: {}", entry.lines.join("; ")),
        Taken::Rules => format!("becomes {rules}"),
    };
    print::line(format!("         {text}"))
}

/// A file in a list.
#[derive(Debug, Serialize)]
struct ListedFile {
    from: &'static str,
    path: String,
    project: Option<String>,
    entries: Option<usize>,
    problem: Option<String>,
}

/// Lists files with the number of their entries.
fn list(sources: &[Source], home: String, json: Json) -> Result<(), Failure> {
    let taking = Taking { home, project: None, origin: RuleOrigin::AgentShell, broad: false };
    let listed = |source: &Source| {
        let row = source.row(&taking);
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
        return print::json(&listed);
    }
    let row = |one: &ListedFile| {
        let entries = one.entries.map_or_else(|| "cannot be read".to_owned(), |count| count.to_string());
        [one.from.to_owned(), entries, one.path.clone()]
    };
    print::table(
        ["PROGRAM", "ENTRIES", "FILE"],
        listed.iter().map(row).collect(),
        "no rules of other programs are here",
    )
}
