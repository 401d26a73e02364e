//! Imports the rules that agents have in their own files, entry by entry.

use super::sources::{named_source, sources};
use super::{AgentSetup, Folders, ImportedPermissions, with_files};
use postern_command::escape::visible_text as escaped;
use postern_contract::RuleDraft;
use postern_contract::methods::{
    AgentRef, ControlError, GetPermissions, ImportRules, Imported, ImportedEntry, ImportedFile,
    PermissionsSet, Replay, ReplayPolicy, Replayed, RuleFile, RulesImport, RulesImported, RulesWrite,
    SetPermissions, SetupImport, Taken,
};
use postern_host::ApproverId;
use postern_policy::import::{Becomes, ForeignEntry, LeftOut, PermissionLine, Taking};
use postern_policy::permissions::take_over;
use postern_policy::{AgentId, Effect, FileAccess, Rule, RuleOrigin, pattern_text};
use std::path::Path;

struct File {
    path: String,
    project: Option<String>,
    problem: Option<String>,
    entries: Vec<ForeignEntry>,
}

impl AgentSetup {
    /// Imports rules, or says what an import would do.
    pub(crate) async fn import(
        &self,
        face: ApproverId,
        asked: SetupImport,
    ) -> Result<Imported, ControlError> {
        let _one = self.kept.lock().await;
        let folders = self.folders(&asked.scope)?;
        let (kind, agent) = (asked.kind, asked.agent.clone());
        let reading = asked.clone();
        let mut files = with_files(move || read_files(&reading, &folders)).await?;
        if files.is_empty() {
            let problem = format!("{} has no rules in its files here", kind.display_name());
            return Err(ControlError::refused(problem));
        }
        let mut entries: Vec<&mut ForeignEntry> =
            files.iter_mut().flat_map(|file| &mut file.entries).collect();
        let before =
            self.host.call_method::<GetPermissions>(face, &AgentRef { agent: agent.clone() }).await?.text;
        let after = insert_lines(&before, &mut entries);
        let saved = self.send_rules(face, &agent, &mut entries, asked.check).await?;
        let mut replayed = None;
        if asked.check {
            if let Some(last) = asked.last {
                let text = (after != before).then_some(after);
                replayed = Some(self.replay(face, &agent, drafts(&entries), text, last).await?);
            }
        } else {
            if after != before {
                let set = PermissionsSet { agent: agent.clone(), text: after.clone() };
                self.host.call_method::<SetPermissions>(face, &set).await?;
            }
            let mut done = self.load_records().await?;
            if !asked.keep
                && let Some(of_it) = done.get_mut(&kind)
            {
                of_it.rules.extend(saved.added.iter().map(|row| row.rule.id));
                if after != before {
                    let first = of_it.permissions.take().filter(|lines| lines.agent == agent);
                    let before = first.map_or(before, |lines| lines.before);
                    of_it.permissions = Some(ImportedPermissions { agent, before, after });
                }
                self.save_records(&done).await?;
            }
        }
        let files = files.into_iter().map(file_row).collect();
        Ok(Imported { files, added: saved.count, same: saved.same, check: asked.check, replayed })
    }

    /// Sends the rules: first to see which are refused, then those that are not.
    async fn send_rules(
        &self,
        face: ApproverId,
        agent: &AgentId,
        entries: &mut [&mut ForeignEntry],
        check: bool,
    ) -> Result<RulesImported, ControlError> {
        let send = async |rules, write| {
            let file = RuleFile { version: 1, rules };
            let (agent, batch, settings) = (Some(agent.clone()), None, None);
            self.host
                .call_method::<ImportRules>(face, &RulesImport { file, agent, write, batch, settings })
                .await
        };
        let looked = send(drafts(entries), RulesWrite::Check).await?;
        for entry in entries.iter_mut() {
            let Becomes::Rules(rules) = &entry.becomes else { continue };
            let shown = |rule: &Rule| escaped(&pattern_text(&rule.pattern));
            let refused =
                looked.refused.iter().find(|refused| rules.iter().any(|rule| shown(rule) == refused.text));
            if let Some(refused) = refused {
                entry.becomes = Becomes::LeftOut(LeftOut::Refused(refused.why.clone()));
            }
        }
        if check && looked.refused.is_empty() {
            return Ok(looked);
        }
        send(drafts(entries), if check { RulesWrite::Check } else { RulesWrite::Add }).await
    }

    /// Judges the last requests again, with what would be imported.
    async fn replay(
        &self,
        face: ApproverId,
        agent: &AgentId,
        mut rules: Vec<RuleDraft>,
        permissions: Option<String>,
        last: u32,
    ) -> Result<Replayed, ControlError> {
        for rule in &mut rules {
            rule.agent = Some(agent.clone());
        }
        let call = Replay {
            agent: Some(agent.clone()),
            rules: Some(RuleFile { version: 1, rules }),
            besides: true,
            permissions,
            limit: Some(last),
            ..Replay::default()
        };
        self.host.call_method::<ReplayPolicy>(face, &call).await
    }
}

/// Reads the files. One that cannot be read says why, and the others are read all the same.
fn read_files(asked: &SetupImport, folders: &Folders) -> Vec<File> {
    let project = asked.project.as_deref().map(Path::new);
    let found = if asked.files.is_empty() {
        sources(Some(asked.kind), folders, project)
    } else {
        asked.files.iter().map(|file| named_source(asked.kind, Path::new(file), folders, project)).collect()
    };
    let taking = Taking {
        home: folders.home_folder().to_string_lossy().into_owned(),
        project: None,
        origin: if asked.host { RuleOrigin::Any } else { RuleOrigin::AgentShell },
        broad: asked.broad,
    };
    let file = |source: super::AgentRuleFile| {
        let (entries, problem) = match source.entries(&taking) {
            Ok(entries) => (entries, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        let text = |path: &Path| path.to_string_lossy().into_owned();
        File { path: text(&source.path), project: source.project.as_deref().map(text), problem, entries }
    };
    found.into_iter().map(file).collect()
}

/// Puts lines into the text of `permissions.jsonc`, and returns the new one.
fn insert_lines(before: &str, entries: &mut [&mut ForeignEntry]) -> String {
    let mut text = before.to_owned();
    // What is denied comes last: the last match wins.
    for effect in [Effect::Allow, Effect::Ask, Effect::Deny] {
        for entry in entries.iter_mut().filter(|entry| entry.effect == effect) {
            let Becomes::Lines(lines) = &entry.becomes else { continue };
            let put = |text: String, line: &PermissionLine| {
                take_over(&text, &line.tool, &line.pattern, line.effect)
            };
            match lines.iter().try_fold(text.clone(), put) {
                Ok(next) => text = next,
                Err(error) => entry.becomes = Becomes::LeftOut(LeftOut::Refused(error.to_string())),
            }
        }
    }
    text
}

fn drafts(entries: &[&mut ForeignEntry]) -> Vec<RuleDraft> {
    let rules = entries.iter().filter_map(|entry| match &entry.becomes {
        Becomes::Rules(rules) => Some(rules.clone()),
        Becomes::Lines(_) | Becomes::LeftOut(_) => None,
    });
    rules.flatten().map(RuleDraft::of_rule).collect()
}

fn pattern_as_typed(rule: &Rule) -> String {
    let text = pattern_text(&rule.pattern);
    match rule.pattern.file_access() {
        Some((FileAccess::Read, _)) => format!("--read {text}"),
        Some((FileAccess::Write, _)) => format!("--write {text}"),
        None => text,
    }
}

fn file_row(file: File) -> ImportedFile {
    ImportedFile {
        path: escaped(&file.path),
        project: file.project.as_deref().map(escaped),
        problem: file.problem.as_deref().map(escaped),
        entries: file.entries.into_iter().map(entry_row).collect(),
    }
}

fn entry_row(entry: ForeignEntry) -> ImportedEntry {
    let ForeignEntry { written, effect, becomes } = entry;
    let mut row = ImportedEntry {
        written: escaped(&written),
        effect,
        taken: Taken::LeftOut,
        rules: Vec::new(),
        lines: Vec::new(),
        why: None,
    };
    match becomes {
        Becomes::Rules(rules) => {
            row.taken = if rules.iter().any(|rule| rule.broad) { Taken::Broad } else { Taken::Rules };
            row.rules = rules.iter().map(|rule| escaped(&pattern_as_typed(rule))).collect();
        }
        Becomes::Lines(lines) => {
            row.taken = Taken::Lines;
            row.lines =
                lines.iter().map(|line| escaped(&format!("{}: {}", line.tool, line.pattern))).collect();
        }
        Becomes::LeftOut(why) => row.why = Some(escaped(&why.to_string())),
    }
    row
}
