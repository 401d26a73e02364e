//! Finder of the agents on this computer that ask this Postern.

use super::known::{AgentConnectMethod, KnownAgentFacts, USUAL_FOLDERS, agent_facts};
use super::{AgentSetup, Folders, settings_of, sources, with_files};
use crate::hooks::{HookSettingsEntry, our_words, read_settings};
use postern_command::escape;
use postern_contract::methods::{
    Connection, ControlError, FoundAgent, KnownAgent, ListAgents, ListDoors, Nothing, SetupFound, SetupScope,
};
use postern_host::ApproverId;
use postern_policy::import::Taking;
use postern_policy::{AgentId, RuleOrigin};
use std::path::{Path, PathBuf};

/// Program and folder that all agents are compared with.
struct Here {
    folders: Folders,
    path: Vec<PathBuf>,
    /// Program and data folder of this Postern.
    program: Option<PathBuf>,
    data: PathBuf,
    agents: Vec<AgentId>,
    /// The agent that the OpenClaw integration leads to, if it is on.
    openclaw: Option<AgentId>,
}

/// Connection of a known agent, by its settings.
struct Asks {
    connection: Connection,
    agent: AgentId,
    enrolled: bool,
    /// The settings that connecting it changes, if it has some.
    file: Option<PathBuf>,
    problem: Option<String>,
}

impl AgentSetup {
    pub(crate) async fn find_agents(
        &self,
        face: ApproverId,
        scope: SetupScope,
    ) -> Result<SetupFound, ControlError> {
        let here = self.gather_context(face, &scope).await?;
        let find =
            move || KnownAgent::ALL.into_iter().map(|kind| here.inspect_agent(agent_facts(kind))).collect();
        Ok(SetupFound { agents: with_files(find).await? })
    }

    /// Returns the agent that a known one asks by, or would.
    pub(super) async fn agent_of(
        &self,
        face: ApproverId,
        kind: KnownAgent,
        scope: &SetupScope,
    ) -> Result<AgentId, ControlError> {
        let here = self.gather_context(face, scope).await?;
        with_files(move || here.read_connection(agent_facts(kind)).agent).await
    }

    async fn gather_context(&self, face: ApproverId, scope: &SetupScope) -> Result<Here, ControlError> {
        let folders = self.folders(scope)?;
        let rows = self.host.call_method::<ListAgents>(face, &Nothing {}).await?.agents;
        let doors = self.host.call_method::<ListDoors>(face, &Nothing {}).await?.doors;
        let openclaw = doors.iter().find(|row| {
            row.door == postern_contract::methods::DoorKind::Openclaw
                && row.state == postern_contract::methods::DoorState::Open
        });
        let openclaw = openclaw.and_then(|row| row.values.get("agent"));
        let inherited = self.host.user().inherited.iter().find(|(name, _)| name == "PATH");
        let path = scope.path.as_deref().or(inherited.map(|(_, path)| path.as_str())).unwrap_or_default();
        let usual = USUAL_FOLDERS.iter().map(|folder| match folder.strip_prefix("~/") {
            Some(below) => folders.home_folder().join(below),
            None => PathBuf::from(folder),
        });
        let path = path.split(':').map(PathBuf::from).filter(|folder| folder.is_absolute()).chain(usual);
        Ok(Here {
            path: path.collect(),
            folders,
            program: self.host.own_program(),
            data: self.host.data_folder().to_owned(),
            agents: rows.into_iter().map(|row| row.id).collect(),
            openclaw: openclaw.and_then(|agent| AgentId::new(agent.clone()).ok()),
        })
    }
}

impl Here {
    fn inspect_agent(&self, known: &KnownAgentFacts) -> FoundAgent {
        let shown = |path: &Path| escape::visible_text(&path.to_string_lossy());
        let folder = known
            .folders
            .iter()
            .map(|folder| self.folders.resolve_path(folder))
            .find(|folder| folder.is_dir());
        let Asks { connection, agent, enrolled, file, problem } = self.read_connection(known);
        FoundAgent {
            kind: known.kind,
            title: known.kind.display_name().to_owned(),
            wiring: known.how.wiring(),
            folder: folder.as_deref().map(shown),
            program: self.program_of(known).as_deref().map(shown),
            file: file.as_deref().map(shown),
            connection,
            enrolled,
            agent,
            problem,
            rules: self.rule_sources(known.kind),
        }
    }

    fn read_connection(&self, known: &KnownAgentFacts) -> Asks {
        let (mut connection, mut agent, mut problem) = (Connection::None, None, None);
        let settings = settings_of(known.kind, &self.folders);
        if let Some((entry, file)) = &settings {
            match read_settings(file) {
                Ok(text) => (connection, agent) = self.connection(*entry, &text.unwrap_or_default()),
                Err(error) => problem = Some(error.to_string()),
            }
        }
        if let (AgentConnectMethod::Integration(_), Some(leads_to)) = (known.how, &self.openclaw) {
            (connection, agent) = (Connection::Connected, Some(leads_to.clone()));
        }
        let agent = agent.unwrap_or_else(|| own_agent(known.kind));
        let enrolled = self.agents.contains(&agent);
        if known.how.wiring() == postern_contract::methods::Wiring::Channel && enrolled {
            connection = Connection::Connected;
        }
        Asks { connection, agent, enrolled, file: settings.map(|(_, file)| file), problem }
    }

    fn program_of(&self, known: &KnownAgentFacts) -> Option<PathBuf> {
        let path = std::env::join_paths(&self.path).ok()?;
        known.programs.iter().find_map(|name| which::which_in(name, Some(&path), "/").ok())
    }

    /// Returns whether settings name this Postern, and the agent that they name.
    fn connection(&self, entry: HookSettingsEntry, settings: &str) -> (Connection, Option<AgentId>) {
        let Some(words) = our_words(entry, settings) else { return (Connection::None, None) };
        let after = |name: &str| words.iter().skip_while(|word| *word != name).nth(1);
        let agent = after("--agent").and_then(|agent| AgentId::new(agent.clone()).ok());
        let data = after("--data").is_some_and(|data| same_file(Path::new(data), &self.data));
        let program = words.first().zip(self.program.as_ref());
        let program = program.is_some_and(|(named, own)| same_file(Path::new(named), own));
        let exists = agent.as_ref().is_some_and(|agent| self.agents.contains(agent));
        let connection =
            if data && program && exists { Connection::Connected } else { Connection::Elsewhere };
        (connection, agent.filter(|_| data))
    }

    fn rule_sources(&self, kind: KnownAgent) -> Vec<postern_contract::methods::RuleSource> {
        let taking = Taking {
            home: self.folders.home_folder().to_string_lossy().into_owned(),
            project: None,
            origin: RuleOrigin::AgentShell,
            broad: false,
        };
        let rows = sources(Some(kind), &self.folders, None).into_iter().map(|source| source.to_row(&taking));
        rows.filter(|row| row.entries != Some(0)).collect()
    }
}

/// Returns the id of the agent that connecting enrolls.
pub(super) fn own_agent(kind: KnownAgent) -> AgentId {
    AgentId::new(kind.name()).unwrap_or_else(|error| unreachable!("{error}"))
}

pub(super) fn same_file(one: &Path, other: &Path) -> bool {
    one == other
        || std::fs::canonicalize(one)
            .is_ok_and(|one| std::fs::canonicalize(other).is_ok_and(|other| one == other))
}
