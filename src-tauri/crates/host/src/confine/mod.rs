//! Confinement by the operating system: what such a run may read, and a test if this system can enforce it.

#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod ruleset;

use crate::resolve::{Cwd, Resolver};
use crate::run;
use postern_command::read_argv;
use postern_policy::{AgentId, Confinement, Origin};
use postern_request::{Plan, Stdin};

/// Program used to test the profile; it does nothing.
const TRIED: &str = "/usr/bin/true";

/// Scope of a run with the profile `look`.
#[derive(Debug, Clone)]
pub struct Look {
    /// Folders that it may read, as real paths.
    pub folders: Vec<String>,
    /// The user's home folder, whose keys it may not read.
    pub home: String,
    /// Postern's data folder.
    pub data: String,
}

/// A profile, ready for the kernel.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(crate) struct Fence {
    /// File access rules.
    pub(crate) ruleset: std::os::fd::OwnedFd,
    /// System call filter.
    pub(crate) filter: Vec<libc::sock_filter>,
}

#[cfg(target_os = "linux")]
impl Fence {
    /// Prepares the profile for these programs.
    pub(crate) fn new<'a>(look: &Look, programs: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        Ok(Self { ruleset: ruleset::of(look, programs)?, filter: filter::program()? })
    }
}

/// Tests on a program that does nothing if this system can confine a run. The error says why it cannot.
pub(crate) fn can_confine(home: &str, data: &str) -> Result<(), String> {
    let cwd = Cwd::open("/").map_err(|error| format!("/ {error}"))?;
    let resolved = Resolver::new().facts(&read_argv(&[TRIED.to_owned()]), &cwd, &[]);
    let plan = Plan {
        agent: AgentId::new("postern").map_err(|error| error.to_string())?,
        session: None,
        origin: Origin::Host,
        call: None,
        launch: resolved.launch,
        programs: resolved.held.bound_programs(),
        scripts: Vec::new(),
        cwd: cwd.bound.clone(),
        confinement: Confinement::Look { folders: Vec::new() },
        env: Vec::new(),
        stdin: Stdin::Nothing,
        timeout_ms: None,
        policy: 0,
    };
    let look = Look { folders: Vec::new(), home: home.to_owned(), data: data.to_owned() };
    run::try_out(plan, resolved.held, cwd, look)
}
