//! Real processes. Nothing sleeps: each test waits for what it is about.

mod contract;
mod drift;
mod exploits;
mod lifetime;
#[cfg(target_os = "linux")]
mod look;
#[cfg(target_os = "macos")]
mod mac;
mod output;
#[cfg(target_os = "linux")]
mod project;
mod races;
#[cfg(target_os = "linux")]
mod unheld;

use super::*;
use crate::tests::Place;
use postern_command::{ParsedCommand, Step};
use postern_policy::AgentId;
use postern_protocol::Outcome;
use postern_request::{AllowedBy, Exit, PlanStdin, RequestEffect, RequestEvent, RequestState, step};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

impl Place {
    /// Writes an executable file.
    fn program(&self, name: &str, content: &[u8]) -> PathBuf {
        let written = self.path(&format!("{name}.written"));
        std::fs::write(&written, content).unwrap();
        std::fs::set_permissions(&written, std::fs::Permissions::from_mode(0o755)).unwrap();
        self.copy(name, written.to_str().unwrap())
    }

    /// Returns a copy of a program, made by another process.
    ///
    /// A process that a test beside this one starts could still hold a file that this process wrote, and a
    /// file that is open for writing does not run.
    #[expect(clippy::disallowed_methods, reason = "a test makes its own program")]
    fn copy(&self, name: &str, of: &str) -> PathBuf {
        let path = self.path(name);
        let done = std::process::Command::new("cp").args(["-p", of]).arg(&path).status().unwrap();
        assert!(done.success(), "{of} is copied");
        path
    }

    fn prepare(&self, argv: &[&str]) -> Prepared {
        self.prepare_reading(&reading(argv), self.folder.path())
    }

    /// Returns a shell line with one step for the program that it names.
    fn prepare_shell(&self, text: &str, program: &[&str]) -> Prepared {
        let shell = ParsedCommand { text: text.to_owned(), plain: None, ..reading(program) };
        self.prepare_reading(&shell, self.folder.path())
    }

    fn prepare_reading(&self, reading: &ParsedCommand, cwd: &Path) -> Prepared {
        let cwd = Cwd::open(cwd.to_str().unwrap()).unwrap();
        let search = vec![cwd.bound.path.clone(), "/usr/bin".to_owned(), "/bin".to_owned()];
        let resolved = self.resolver.resolve_command(reading, &cwd, &search);
        let plan = Plan {
            agent: AgentId::new("main").unwrap(),
            session: None,
            origin: postern_policy::Origin::Host,
            call: None,
            launch: resolved.launch,
            programs: resolved.held.bound_programs(),
            scripts: resolved.held.bound_scripts(),
            cwd: cwd.bound.clone(),
            confinement: postern_policy::Confinement::None,
            env: vec![("LANG".into(), "C".into()), ("PATH".into(), search.join(":"))],
            git: postern_request::BoundGit::default(),
            stdin: PlanStdin::Nothing,
            timeout_ms: None,
            policy: 1,
        };
        let held = resolved.held;
        let (input, output_cap, stream) = (ProcessInput::Nothing, 1024 * 1024, false);
        let user = UserPlaces { home: "/nonexistent".to_owned(), data: "/nonexistent".to_owned() };
        Prepared { plan, held, cwd, user, input, output_cap, stream, grace: GRACE }
    }

    async fn finish(&self, argv: &[&str]) -> FinishedRun {
        finish(self.prepare(argv)).await.expect("it starts")
    }
}

fn words(argv: &[&str]) -> Vec<String> {
    argv.iter().map(|word| (*word).to_owned()).collect()
}

/// Reads a simple command; an argument that is a file's path counts as its script.
fn reading(argv: &[&str]) -> ParsedCommand {
    let script = argv.iter().skip(1).position(|word| Path::new(word).is_file()).map(|at| at + 1);
    let step = Step { script, ..crate::tests::step(argv) };
    ParsedCommand { text: argv.join(" "), plain: Some(words(argv)), ..crate::tests::reading(vec![step]) }
}

/// Returns an approval, as only the machine gives it.
fn approved(plan: &Plan) -> Approved {
    let allow = RequestEvent::JudgedAllow { by: AllowedBy::Policy, digest: plan.digest() };
    let (_, effects) = step(RequestState::Received, allow);
    let start = |effect| match effect {
        RequestEffect::Start(approved) => Some(approved),
        _ => None,
    };
    effects.into_iter().find_map(start).expect("a verdict of allow lets it start")
}

async fn begin(prepared: Prepared) -> Result<(Running, mpsc::Receiver<RunEvent>), SpawnError> {
    let (sink, events) = mpsc::channel(16);
    let approved = approved(&prepared.plan);
    Ok((spawn_approved(approved, prepared, may_always_start(), sink).await?, events))
}

async fn end(events: &mut mpsc::Receiver<RunEvent>) -> FinishedRun {
    loop {
        match events.recv().await.expect("a run always tells its end") {
            RunEvent::Exited(finished) => return *finished,
            RunEvent::Output { .. } | RunEvent::TimedOut => {}
        }
    }
}

async fn finish(prepared: Prepared) -> Result<FinishedRun, SpawnError> {
    let (_running, mut events) = begin(prepared).await?;
    Ok(end(&mut events).await)
}

fn text(captured: &Captured) -> String {
    String::from_utf8(captured.joined()).unwrap()
}
