//! The book on a real record in a folder of its own.

mod agents;
mod files;
mod rules;
mod skills;

use super::{HostPaths, ManagedPlace, NewAgent, PolicyStore};
use postern_command::read_argv;
use postern_contract::RuleDraft;
use postern_exec::resolve::{Cwd, Resolver, search_path};
use postern_policy::{AgentId, Decision, Effect, Facts, Reason, Verdict, judge_request};
use postern_store::Store;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

pub(super) struct World {
    pub(super) folder: TempDir,
    pub(super) book: PolicyStore,
}

impl World {
    /// Returns a book with one agent, `main`.
    pub(super) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let book = open(folder.path()).await;
        book.add_agent(new_agent("main")).await.unwrap();
        Self { folder, book }
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Returns a program of the person's own: a script with this content.
    pub(super) fn program(&self, name: &str, content: &str) -> PathBuf {
        let path = self.home().join("bin").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{content}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Judges a command by the snapshot of this moment.
    pub(super) fn judge(&self, agent: &str, argv: &[&str]) -> Verdict {
        let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
        let policy = self.book.policy(&id(agent)).expect("the agent is enrolled");
        let places = self.book.places();
        let cwd = Cwd::open(&places.home).unwrap();
        let reading = read_argv(&argv);
        let folders = search_path(&policy.settings.search_path, &places.home);
        let found = self.book.resolver().resolve_command(&reading, &cwd, &folders);
        let facts = Facts {
            origin: postern_policy::Origin::Host,
            reading: &reading,
            steps: &found.steps,
            cwd: &cwd.bound.path,
            home: &places.home,
            data: places.data.to_str().unwrap(),
            own_pid: None,
            session: None,
            now: super::now_millis(),
            case_insensitive: false,
            shell: false,
            folders: &[],
            root_entries: &[],
            confinable: postern_policy::Confinable::ALL,
            confine: None,
            env_to_ask: &[],
            input: &postern_policy::Input::Nothing,
        };
        judge_request(&policy, &facts)
    }

    pub(super) fn decision(&self, agent: &str, argv: &[&str]) -> (Decision, Reason) {
        let verdict = self.judge(agent, argv);
        (verdict.decision, verdict.reason)
    }
}

pub(super) async fn open(folder: &Path) -> PolicyStore {
    let folder = folder.canonicalize().unwrap();
    let (data, home) = (folder.join("data"), folder.join("home"));
    std::fs::create_dir_all(home.join("bin")).unwrap();
    std::fs::create_dir_all(&data).unwrap();
    let store = Store::open(&data.join("postern.db")).unwrap();
    let places = HostPaths {
        managed: vec![ManagedPlace { path: folder.join("managed.jsonc"), by_root: false }],
        data,
        home: home.to_str().unwrap().to_owned(),
        any_case: false,
        root_entries: Arc::default(),
    };
    PolicyStore::open(store, Resolver::new(), places).await.unwrap()
}

pub(super) fn new_agent(name: &str) -> NewAgent {
    NewAgent { id: id(name), name: None, color: None, preset: None, start: None, folders: Vec::new() }
}

pub(super) fn id(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

pub(super) fn draft(effect: Effect, agent: Option<&str>, text: &str) -> RuleDraft {
    RuleDraft { agent: agent.map(id), ..RuleDraft::new(effect, text) }
}
