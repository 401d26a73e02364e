//! `postern confine`: a command of the user, confined by the system.

use super::finding::DoctorFinding;
use crate::CliEnvironment;
use crate::args::{ConfineCommand, ConfineProfileArg};
use crate::failure::Failure;
use crate::print;
use crate::typed::path_text;
use postern_command::escape;
use postern_contract::{Status, render};
use postern_exec::confine::{UserPlaces, describe, environment_here};
use postern_exec::run::{NotRun, run_here};
use postern_policy::{Confinement, Denied};
use std::path::{Path, PathBuf};
use tokio::signal::unix::{SignalKind, signal};

/// Exit code for what could not be confined.
const NOT_CONFINED: u8 = 125;
/// Exit code for a command that was not found.
const NOT_FOUND: u8 = 127;

pub(crate) fn run(
    data: &Path,
    surroundings: CliEnvironment,
    command: &ConfineCommand,
) -> Result<(), Failure> {
    let failed = |message: String| Failure { code: NOT_CONFINED, message };
    let cwd = rustix::process::getcwd(Vec::new()).map_err(Failure::from_error)?;
    let cwd = cwd.into_string().map_err(Failure::from_error)?;
    let user = UserPlaces { home: path_text(&surroundings.home)?, data: path_text(data)? };
    let confinement = confinement(command, &cwd)?;
    if command.print {
        let lines = describe(&confinement, &user).map_err(failed)?;
        for (part, what) in lines {
            print::say!("{part:<9} {}", escape::visible_text(&what))?;
        }
        return Ok(());
    }
    let search = surroundings.search_path().unwrap_or_default();
    let search: Vec<String> =
        search.split(':').filter(|folder| folder.starts_with('/')).map(str::to_owned).collect();
    let note = command.for_agent.then(|| failure_note(&confinement));
    let env = environment_here(&confinement, &user.home, surroundings.environment);
    // The terminal's keys are for the command: its end ends us.
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::from_error)?;
    let _inside = runtime.enter();
    let _interrupt = signal(SignalKind::interrupt()).map_err(Failure::from_error)?;
    let _quit = signal(SignalKind::quit()).map_err(Failure::from_error)?;
    let ended = run_here(&command.argv, confinement, user, &cwd, &search, env).map_err(|why| match why {
        NotRun::NotFound(message) => Failure { code: NOT_FOUND, message },
        NotRun::NotConfined(message) => failed(message),
    })?;
    if let Some(place) = &ended.unpinned {
        print::remark(format!(
            "postern: another program replaced or removed {}, which is protected; the command could have written there and \
             was ended",
            escape::visible_text(place)
        ));
    }
    for found in &ended.set_aside {
        let path = escape::visible_text(&found.path);
        print::remark(match &found.moved {
            Ok(to) => format!(
                "postern: {path} is protected; what the command left there is now {}",
                escape::visible_text(to)
            ),
            Err(why) => {
                format!("postern: the command left {path}, which is protected and could not be moved: {why}")
            }
        });
    }
    match ended.exit_code() {
        0 => Ok(()),
        code => {
            note.into_iter().for_each(print::remark);
            Err(Failure { code, message: String::new() })
        }
    }
}

/// Returns what an agent is told after a failure: how its command was confined, and not why it failed.
fn failure_note(confinement: &Confinement) -> String {
    let writes = match confinement {
        Confinement::Project { .. } => "writes in its folders only",
        Confinement::None | Confinement::Look { .. } => "writes nothing",
    };
    let missing = match confinement {
        Confinement::Project { network, loopback, .. } => render::missing_network(*network, *loopback),
        Confinement::None | Confinement::Look { .. } => render::missing_network(false, false),
    };
    let network = missing.map(|missing| format!(", {missing}")).unwrap_or_default();
    let secrets = render::secrets_kept(confinement).map(|kept| format!("; {kept}")).unwrap_or_default();
    format!(
        "postern: ran confined ({}): {writes}{network}{secrets}. If it needs more, ask your user for a rule that allows it",
        confinement.name()
    )
}

fn confinement(command: &ConfineCommand, cwd: &str) -> Result<Confinement, Failure> {
    let folders: Vec<String> = if command.folder.is_empty() {
        vec![cwd.to_owned()]
    } else {
        let real = |folder: &PathBuf| {
            let refused = |why: String| Failure::usage_error(format!("--folder {}: {why}", folder.display()));
            let real = folder.canonicalize().map_err(|error| refused(error.to_string()))?;
            // Since the folder was approved, the agent could have put a link in its place.
            if command.for_agent && real != *folder {
                return Err(refused(format!("it is {} now", real.display())));
            }
            path_text(&real)
        };
        command.folder.iter().map(real).collect::<Result<_, _>>()?
    };
    let denied = Denied {
        read: command.deny_read.clone(),
        write: command.deny_write.clone(),
        secrets: command.deny_secrets,
    };
    match command.profile {
        ConfineProfileArg::Look if command.network || command.loopback => {
            Err(Failure::usage_error("the profile look has no network: use project"))
        }
        ConfineProfileArg::Look => Ok(Confinement::look_only(folders).without(denied)),
        ConfineProfileArg::Project => {
            Ok(Confinement::project(folders, command.network, command.loopback).without(denied))
        }
    }
}

/// Says which commands the system can confine. What it can't, Postern asks about.
pub(super) fn examine(status: &Status) -> Vec<DoctorFinding> {
    const FIX: &str = "docs/CONFINEMENT.md says what it needs; until then you are asked";
    let finding = |why: &Option<String>, can: &str, what: &str| match why {
        None => DoctorFinding::healthy(can),
        Some(why) => {
            let why = escape::visible_text(why);
            DoctorFinding::note(format!("{what} can’t be confined here: {why}"), FIX)
        }
    };
    let (look, project) = (&status.cannot_confine, &status.cannot_confine_project);
    if look.is_some() && look == project {
        return vec![finding(look, "", "commands")];
    }
    let builds = "builds and edits can run confined to their folders (profile project)";
    vec![
        finding(look, "commands that only read run confined", "commands that only read"),
        finding(project, builds, "builds and edits"),
    ]
}
