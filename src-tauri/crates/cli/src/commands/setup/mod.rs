//! `postern setup`: connects the agents on this computer, or takes that back. The host does it; this asks and tells.

mod report;
mod test;

use super::agents::{SHELL, absolute, to_agent_start};
use super::setup_scope::settings_scope;
use crate::CliEnvironment;
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use crate::setup_args::SetupCommand;
use crate::typed::{is_yes, read_answer};
use postern_command::escape;
use postern_contract::methods::{
    ConnectAgent, Connection, DisconnectAgent, FindAgents, FoundAgent, ImportAgentRules, PreviewSetup,
    ReadShellPath, SettingsChange, SetupConnect, SetupDisconnect, SetupImport, SetupPreview, SetupScope,
    Wiring,
};
use postern_contract::{AgentRow, Start};
use report::{SetupEnding, SetupReportRow};
use std::path::Path;

pub(crate) fn run(
    link: impl FnOnce() -> Result<HostLink, Failure>,
    data: &Path,
    surroundings: CliEnvironment,
    asked: &SetupCommand,
) -> Result<(), Failure> {
    if asked.json.json && !(asked.yes || asked.dry_run || asked.path) {
        return Err(Failure::usage_error("--json asks nothing: add --yes, or --dry-run to change nothing"));
    }
    let scope = settings_scope(surroundings)?;
    let mut link = link()?;
    if asked.path {
        let path = link.call_method::<ReadShellPath>(&scope)?;
        return if asked.json.json { print::write_json(&path) } else { report::print_path(&path) };
    }
    let found = link.call_method::<FindAgents>(&scope)?.agents;
    let own_files: Vec<String> = found.iter().filter_map(|agent| agent.file.clone()).collect();
    let mut run = SetupRun { link, asked, scope };
    if !asked.json.json {
        report::print_agents(&found)?;
    }
    let (chosen, mut others): (Vec<FoundAgent>, Vec<FoundAgent>) =
        found.into_iter().partition(|agent| run.is_meant(agent));
    others.retain(|agent| asked.dry_run && !asked.undo && asked.agents.is_empty() && agent.is_here());
    if chosen.is_empty() && others.is_empty() && !asked.json.json {
        print::write_line(run.nothing())?;
        return if asked.undo && !asked.dry_run { run.tell_hooks(data, &own_files) } else { Ok(()) };
    }
    let rows = chosen.iter().map(|agent| run.set_up_agent(agent)).collect::<Result<Vec<_>, _>>()?;
    if !asked.json.json {
        others.iter().try_for_each(report::asked_about)?;
    }
    if asked.json.json {
        print::write_json(&rows)?;
    } else if asked.undo && !asked.dry_run {
        run.tell_hooks(data, &own_files)?;
    } else if !asked.dry_run && rows.iter().any(SetupReportRow::is_connected) {
        report::next_steps()?;
    }
    let failed = rows.iter().filter(|row| row.end == SetupEnding::Failed || row.refused).count();
    if failed == 0 {
        Ok(())
    } else {
        Err(Failure::negative(format!("{failed} not done; the messages above say why")))
    }
}

/// Run of the command.
struct SetupRun<'a> {
    link: HostLink,
    asked: &'a SetupCommand,
    scope: SetupScope,
}

impl SetupRun<'_> {
    /// Returns true if an agent is to be connected, or disconnected.
    fn is_meant(&self, agent: &FoundAgent) -> bool {
        if !self.asked.agents.is_empty() {
            return self.asked.agents.contains(&agent.kind);
        }
        if self.asked.undo {
            return agent.connection != Connection::None;
        }
        // What needs work on the other side is connected if it is named, or if the user can be asked.
        let by_itself = matches!(agent.wiring, Wiring::Hook | Wiring::Mcp);
        agent.is_here() && (by_itself || !(self.asked.yes || self.asked.dry_run))
    }

    /// Names the hooks that the user installed without setup, which stay. What setup installs is in its own files.
    fn tell_hooks(&mut self, data: &Path, own_files: &[String]) -> Result<(), Failure> {
        for (kind, file) in super::uninstall::noted_hooks(&mut self.link, data) {
            let (name, file) = (kind.name(), escape::visible_text(&file.to_string_lossy()));
            if own_files.contains(&file) {
                continue;
            }
            print::say!(
                "a hook that you installed stays: postern hook uninstall {name} --file {}",
                postern_command::quote_word(&file)
            )?;
        }
        Ok(())
    }

    fn nothing(&self) -> &'static str {
        if self.asked.undo {
            "nothing to undo: setup connected no agent"
        } else {
            "no agent was found; connect one by name: postern setup --agent claude-code"
        }
    }

    /// Connects or disconnects an agent. What goes wrong with it keeps no other from being connected; only a reader that has
    /// seen enough ends it.
    fn set_up_agent(&mut self, agent: &FoundAgent) -> Result<SetupReportRow, Failure> {
        let mut row = SetupReportRow::new(agent);
        self.print_unless_json("")?;
        self.print_unless_json(print::emphasize(&agent.title))?;
        let done =
            if self.asked.undo { self.disconnect(agent, &mut row) } else { self.connect(agent, &mut row) };
        if let Err(failure) = done {
            if failure.code == 0 {
                return Err(failure);
            }
            row.end = SetupEnding::Failed;
            if !self.asked.json.json {
                print::remark(format!("{}: {}", agent.title, failure.message));
            }
            row.problem = Some(failure.message);
        }
        Ok(row)
    }

    fn connect(&mut self, agent: &FoundAgent, row: &mut SetupReportRow) -> Result<(), Failure> {
        if agent.connection == Connection::Connected {
            row.end = SetupEnding::Already;
            self.print_unless_json(format!("already asks this Postern as {}", agent.agent))?;
            if self.asked.start.is_none() && self.asked.folders.is_empty() {
                return Ok(());
            }
            return self.print_unless_json(format!(
                "--let and --folder change nothing of it: postern agents set {} folders=DIR look=allow",
                agent.agent
            ));
        }
        if let Some(problem) = &agent.problem {
            return Err(Failure::refused(problem.clone()));
        }
        let change = self.preview(agent, false)?;
        self.show_change(agent, &change, row)?;
        if self.asked.dry_run {
            return if self.asked.json.json { Ok(()) } else { report::further_changes(agent, self.asked) };
        }
        if !self.agrees(&format!("Connect {}?", agent.title))? {
            row.end = SetupEnding::Skipped;
            return self.print_unless_json("not connected");
        }
        let (start, folders) = self.choose_start(agent)?;
        let connected = self.link.call_method::<ConnectAgent>(&SetupConnect {
            kind: agent.kind,
            agent: Some(agent.agent.clone()),
            name: self.asked.name.clone(),
            start,
            folders,
            digest: change.digest,
            scope: self.scope.clone(),
        })?;
        row.end = SetupEnding::Connected;
        let done = if connected.enrolled { "enrolled and connected as" } else { "connected as" };
        self.print_unless_json(format!("{done} {}", connected.agent.id))?;
        if let Some(lines) = &connected.lines {
            row.lines = Some(lines.clone());
            if !self.asked.json.json {
                print::write_lines(lines)?;
            }
        }
        if !connected.search_path.is_empty() {
            self.tell_path(&connected.agent, &connected.search_path)?;
        }
        self.import(agent, row)?;
        self.run_test(agent, row)?;
        row.remains.clone_from(&connected.remains);
        connected.remains.map_or(Ok(()), |remains| self.print_unless_json(remains))
    }

    /// Tells that a new agent got the search path of this shell.
    fn tell_path(&self, agent: &AgentRow, folders: &[String]) -> Result<(), Failure> {
        let (id, path) = (&agent.id, folders.join(":"));
        self.print_unless_json(format!("its programs are looked up where this shell finds them: {path}"))?;
        self.print_unless_json(format!(
            "  (if your PATH changes: postern agents set {id} search-path={SHELL})"
        ))
    }

    fn disconnect(&mut self, agent: &FoundAgent, row: &mut SetupReportRow) -> Result<(), Failure> {
        let change = self.preview(agent, true)?;
        self.show_change(agent, &change, row)?;
        if self.asked.dry_run {
            return Ok(());
        }
        if !self.agrees(&format!(
            "Disconnect {}, and remove what setup enrolled and imported for it?",
            agent.title
        ))? {
            row.end = SetupEnding::Skipped;
            return self.print_unless_json("nothing was changed");
        }
        let undone = self.link.call_method::<DisconnectAgent>(&SetupDisconnect {
            kind: agent.kind,
            digest: change.digest,
            scope: self.scope.clone(),
        })?;
        row.end = SetupEnding::Disconnected;
        self.print_unless_json(match &undone.removed {
            Some(removed) => {
                format!("disconnected; removed the agent {removed} with its rules (its history stays)")
            }
            None => format!("disconnected; the agent {} stays", agent.agent),
        })
    }

    fn preview(&mut self, agent: &FoundAgent, remove: bool) -> Result<SettingsChange, Failure> {
        self.link.call_method::<PreviewSetup>(&SetupPreview {
            kind: agent.kind,
            agent: Some(agent.agent.clone()),
            remove,
            scope: self.scope.clone(),
        })
    }

    /// Shows what would change.
    fn show_change(
        &self,
        agent: &FoundAgent,
        change: &SettingsChange,
        row: &mut SetupReportRow,
    ) -> Result<(), Failure> {
        row.file.clone_from(&change.file);
        row.change.clone_from(&change.lines);
        if self.asked.json.json {
            return Ok(());
        }
        match (&change.file, agent.wiring) {
            (Some(file), _) if change.lines.is_empty() => {
                print::say!("{file}: nothing to change")?;
            }
            (Some(file), _) => print::write_diff(file, &change.lines)?,
            (None, Wiring::Integration) => print::write_line("turns on the integration; no file changes")?,
            (None, _) => print::write_line("enrolls an agent with a channel of its own; no file changes")?,
        }
        if change.removes_file {
            print::write_line("the file is removed: nothing else is in it")?;
        }
        Ok(())
    }

    /// Returns what a new agent may do silently.
    fn choose_start(&self, agent: &FoundAgent) -> Result<(Option<Start>, Vec<String>), Failure> {
        let folders: Vec<String> =
            self.asked.folders.iter().map(|folder| absolute(folder)).collect::<Result<_, _>>()?;
        if let Some(missing) = folders.iter().find(|folder| !self.is_folder(folder)) {
            let missing = escape::visible_text(missing);
            return Err(Failure::usage_error(format!("{missing} is not there: name a folder that exists")));
        }
        if agent.enrolled || self.asked.yes || self.asked.start.is_some() {
            return Ok((self.asked.start.map(to_agent_start), folders));
        }
        print::write_line("What may it do without asking? (You can change this later.)")?;
        print::write_line("  1  nothing: ask me about everything")?;
        print::write_line(
            "  2  look around: read its project and the system, confined, without the network",
        )?;
        print::write_line("  3  work in one folder: also change files there and run its code, confined")?;
        let otherwise = "add --let ask, look or work";
        let start = loop {
            match read_answer("1, 2 or 3? [1]", otherwise)?.as_str() {
                "" | "1" => return Ok((Some(Start::Ask), folders)),
                "2" => break Start::Look,
                "3" => break Start::Work,
                _ => print::write_line("Answer 1, 2 or 3.")?,
            }
        };
        loop {
            let typed = read_answer("Which folder does it work in?", otherwise)?;
            if typed.is_empty() && start == Start::Look {
                return Ok((Some(start), folders));
            }
            let folder = absolute(&typed)?;
            if self.is_folder(&folder) {
                return Ok((Some(start), vec![folder]));
            }
            print::say!("There is no folder {}.", escape::visible_text(&folder))?;
        }
    }

    /// Returns true if there is such a folder; `~` is the home folder.
    fn is_folder(&self, folder: &str) -> bool {
        let home = self.scope.home.as_deref().unwrap_or_default();
        Path::new(&*postern_policy::expand_home(folder, home)).is_dir()
    }

    fn import(&mut self, agent: &FoundAgent, row: &mut SetupReportRow) -> Result<(), Failure> {
        if self.asked.no_import || agent.rules.is_empty() {
            return Ok(());
        }
        let ask = |check| SetupImport {
            kind: agent.kind,
            agent: agent.agent.clone(),
            files: Vec::new(),
            project: None,
            broad: false,
            host: false,
            check,
            keep: false,
            last: None,
            scope: self.scope.clone(),
        };
        let (check, take) = (ask(true), ask(false));
        let would = self.link.call_method::<ImportAgentRules>(&check)?;
        if !self.asked.json.json {
            print::write_line("its own rules:")?;
            super::import::print_entries(&would)?;
        }
        if self.agrees(&format!("Import {}?", super::import::what_is_imported(&would)))? {
            let imported = self.link.call_method::<ImportAgentRules>(&take)?;
            let what = super::import::what_is_imported(&imported);
            row.imported = Some(imported);
            return self.print_unless_json(format!("imported {what}; the agent keeps its own copy"));
        }
        let (kind, id) = (agent.kind.name(), &agent.agent);
        self.print_unless_json(format!("not imported; later: postern import {kind} --agent {id}"))
    }

    fn run_test(&mut self, agent: &FoundAgent, row: &mut SetupReportRow) -> Result<(), Failure> {
        if self.asked.no_test {
            return Ok(());
        }
        let result = test::run(&mut self.link, agent, self.asked)?;
        self.print_unless_json(test::words(agent, &result))?;
        row.refused = result.is_refused();
        row.tested = Some(result.tested);
        Ok(())
    }

    fn agrees(&self, question: &str) -> Result<bool, Failure> {
        let otherwise = "add --yes to change it without being asked, or --dry-run to change nothing";
        Ok(self.asked.yes || is_yes(&read_answer(&format!("{question} [y/N]"), otherwise)?))
    }

    fn print_unless_json(&self, text: impl AsRef<str>) -> Result<(), Failure> {
        if self.asked.json.json { Ok(()) } else { print::write_line(text) }
    }
}
