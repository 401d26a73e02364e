//! Confinement by the operating system: what such a run may do, and a test if this system can enforce it.

mod after;
mod baseline;
mod beneath;
mod clear;
mod denied;
mod envrc;
mod git_index;
mod git_state;
mod originals;
#[cfg(any(target_os = "macos", test))]
mod seatbelt;
mod survey;

#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod hidden;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod lost_pins;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod ruleset;
#[cfg(target_os = "linux")]
mod stand_ins;

pub use after::SetAside;
pub use clear::clear_temporary;
#[cfg(target_os = "linux")]
pub(crate) use linux::prepare;
#[cfg(target_os = "linux")]
pub use linux::{Fence, Lasting};
#[cfg(target_os = "macos")]
pub(crate) use seatbelt::prepare;
#[cfg(target_os = "macos")]
pub use seatbelt::{Fence, Lasting};

use crate::listing::Listing;
use crate::resolve::{Cwd, Held, ResolvedRequest, Resolver, real_path_at};
use crate::run;
use crate::user::DEFAULT_LOCALE;
use baseline::Baseline;
use denied::WithheldFiles;
use originals::Originals;
use postern_command::read_argv;
use postern_policy::{
    AgentId, Confinable, Confinement, Origin, ProtectedPlaces, cache_environment, private_cache,
};
use postern_protocol::short_folder;
use postern_request::{BoundGit, Exit, Launch, Plan, PlanStdin};
use std::path::{Path, PathBuf};
use survey::{MOST_BEFORE, Survey, SurveyedPlaces};

/// Most names of the home folder, and of the root, that are read to know which protected places are not there.
const MOST_NAMES: usize = 500;
/// Rules of Apple's profile language that keep a run to its own processes, behind those that allow `sysctl-read`.
///
/// `(deny default)` leaves the facts of other processes allowed. A denial of one operation holds against an allowed group.
pub const OWN_PROCESSES: &str = r#"(allow signal (target same-sandbox))
(deny process-info*)
(deny process-info-pidinfo)
(allow process-info* process-info-pidinfo (target same-sandbox))
(deny sysctl-read (sysctl-name-prefix "kern.procargs"))
"#;
/// Program used to test a profile; it does nothing.
const HARMLESS: &str = "/usr/bin/true";
/// Program that lists Postern's data folder, which every profile refuses.
const REFUSED: &str = "/bin/ls";

/// The user's folders that no confined run may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPlaces {
    /// Home folder, whose keys it may not read.
    pub home: String,
    pub data: String,
}

/// State of the folders before a confined run, to compare with after it.
#[derive(Debug)]
pub struct Aftermath {
    folders: Vec<String>,
    before: Survey,
    originals: Originals,
    baseline: Baseline,
    protected: ProtectedPlaces,
    /// Places set aside that an earlier run left when it was killed with Postern.
    left: Vec<SetAside>,
    done: bool,
}

impl Aftermath {
    fn before(folders: &[String], user: &UserPlaces) -> Result<Self, String> {
        for folder in folders {
            writable(folder, user)?;
        }
        let protected = protected(&user.home);
        let survey =
            || Survey::walk_folders(folders, &protected, MOST_BEFORE, &|_| false).check_complete(folders);
        let mut left = Vec::new();
        let of_killed =
            |folder: &Path, places: &SurveyedPlaces| left.extend(set_aside_in(folder, places, &protected));
        let (baseline, before) = Baseline::join_runs(folders, &user.home, of_killed, survey)?;
        let originals = Originals::of_survey(&before, folders);
        Ok(Self { folders: folders.to_vec(), before, originals, baseline, protected, left, done: false })
    }

    /// Sets aside the protected places that the run created or changed. Call it when everything of the run has ended.
    pub fn set_aside(mut self) -> Vec<SetAside> {
        self.done = true;
        let mut all = std::mem::take(&mut self.left);
        all.extend(self.set_aside_new());
        all
    }

    fn set_aside_new(&self) -> Vec<SetAside> {
        after::set_aside(&self.folders, &self.baseline.places, &self.originals, &self.protected)
    }
}

impl Drop for Aftermath {
    fn drop(&mut self) {
        if !self.done {
            let found = self.set_aside_new();
            warn_set_aside(&[std::mem::take(&mut self.left), found].concat());
        }
    }
}

fn protected(home: &str) -> ProtectedPlaces {
    let real = RealPaths::new(home);
    ProtectedPlaces::new(home, |path| real.of(Path::new(path))?.into_os_string().into_string().ok())
}

/// Real paths of protected places, most of which do not exist.
struct RealPaths([Listing; 2]);

impl RealPaths {
    fn new(home: &str) -> Self {
        Self([home, "/"].map(|folder| Listing::of(Path::new(folder), MOST_NAMES)))
    }

    /// Returns the real path of what a path leads to, or `None` if it leads nowhere.
    fn of(&self, path: &Path) -> Option<PathBuf> {
        let may_be_there = self.0.iter().all(|listing| listing.may_hold(path));
        may_be_there.then(|| real_path_at(path)).flatten()
    }
}

/// Returns true if one of two folders is the other, or lies in it.
pub fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// Returns true if confined runs that write are under way in a folder, above it or below it, of this host or of `postern confine`.
/// Blocks.
pub fn is_under_way(home: &str, folder: &Path) -> bool {
    baseline::is_under_way(home, folder)
}

/// Returns true for a protected file in the folders that a run writes.
pub(crate) fn is_kept_from(confinement: &Confinement, user: &UserPlaces, file: &Path) -> bool {
    let Confinement::Project { folders, .. } = confinement else { return false };
    let is_place = |file: &str| !protected(&user.home).places_at(file).is_empty();
    folders.iter().any(|folder| file.starts_with(folder)) && file.to_str().is_none_or(is_place)
}

fn set_aside_in(folder: &Path, places: &SurveyedPlaces, protected: &ProtectedPlaces) -> Vec<SetAside> {
    let folder = folder.to_str().map(str::to_owned);
    let originals = Originals::default();
    folder.map_or_else(Vec::new, |folder| after::set_aside(&[folder], places, &originals, protected))
}

fn warn_set_aside(found: &[SetAside]) {
    if let Some(first) = found.first() {
        tracing::warn!(places = found.len(), ?first, "confined runs left protected places");
    }
}

/// Sets aside what confined runs left in protected places that were killed, with the program that would have done it. Blocks.
pub fn recover(home: &str) {
    let protected = protected(home);
    Baseline::recover(home, |folder, places| warn_set_aside(&set_aside_in(folder, places, &protected)));
}

/// Refuses a folder that a run may not write as a whole: one that holds the home folder or Postern's own.
fn writable(folder: &str, user: &UserPlaces) -> Result<(), String> {
    let path = Path::new(folder);
    beneath::folder(path).map_err(|error| format!("{folder}: {error}"))?;
    let real = |path: &str| PathBuf::from(path).canonicalize().unwrap_or_else(|_| path.into());
    let home = real(&user.home);
    let own = [Some(user.data.clone()), short_folder(&user.data)];
    if home.starts_with(path) {
        return Err(format!("{folder} holds the whole home folder: name the folder of a project"));
    }
    if own.iter().flatten().map(|own| real(own)).any(|own| overlap(&own, path)) {
        return Err(format!("{folder} holds Postern's data, or lies in it"));
    }
    Ok(())
}

/// Returns the variables that a confined run gets besides those of its plan.
pub fn environment(confinement: &Confinement, home: &str) -> Vec<(String, String)> {
    let Confinement::Project { folders, network, caches, .. } = confinement else { return Vec::new() };
    let private = private_cache(home, folders, cfg!(target_os = "macos"));
    let mut variables = cache_environment(caches, &private, *network);
    let folder = if cfg!(target_os = "macos") { temporary(&private) } else { "/tmp".to_owned() };
    variables.push(("TMPDIR".to_owned(), folder));
    variables
}

/// Variables that lead to sockets and settings of the user's session, which no confined run may use.
const OF_SESSION: &str = "\
    DBUS_SESSION_BUS_ADDRESS DISPLAY DOCKER_HOST GPG_AGENT_INFO POSTERN_DATA SSH_AGENT_PID SSH_AUTH_SOCK \
    TMUX WAYLAND_DISPLAY XDG_RUNTIME_DIR";

/// Returns the environment of a confined command of the user: the user's own, with the profile's variables.
pub fn environment_here(
    confinement: &Confinement,
    home: &str,
    own: Vec<(String, String)>,
) -> Vec<(String, String)> {
    let mut variables = environment(confinement, home);
    let locale = |(name, _): &(String, String)| name == "LANG" || name == "LC_ALL";
    if !own.iter().any(locale) {
        variables.push(("LANG".to_owned(), DEFAULT_LOCALE.to_owned()));
    }
    let kept = own.into_iter().filter(|(name, _)| {
        !OF_SESSION.split(' ').any(|of_session| of_session == name)
            && variables.iter().all(|(set, _)| set != name)
    });
    let mut all: Vec<(String, String)> = kept.collect();
    all.extend(variables);
    all.sort();
    all
}

/// Returns a profile as it is in effect on this system, part by part, for people.
pub fn describe(confinement: &Confinement, user: &UserPlaces) -> Result<Vec<(&'static str, String)>, String> {
    let folders = confinement.folders().join(", ");
    let mut lines = vec![("profile", confinement.name().to_owned())];
    let reads = "the system, installed programs and their settings, never keys or Postern’s data";
    let own = [confinement.folders(), confinement.read_folders()].concat().join(", ");
    lines.push(("reads", format!("{own}; {reads}")));
    let kept = withheld_files(confinement, user)?;
    lines.extend(kept.hidden.iter().map(|place| ("hidden", place.display().to_string())));
    lines.extend(kept.pinned.iter().map(|place| ("pinned", place.display().to_string())));
    let Confinement::Project { folders: tops, network, loopback, caches, .. } = confinement else {
        lines.push(("writes", "nothing".to_owned()));
        lines.push(("network", "none".to_owned()));
        lines.push(("sockets", "none".to_owned()));
        return Ok(lines);
    };
    let aftermath = Aftermath::before(tops, user)?;
    let private = private_cache(&user.home, tops, cfg!(target_os = "macos"));
    lines.push((
        "writes",
        format!("{folders}, except protected places; a private temporary folder; {private}"),
    ));
    lines.push(("network", network_reach(*network, *loopback).to_owned()));
    lines.push(("sockets", "none of other programs".to_owned()));
    lines.push(("caches", caches.join(", ")));
    let pinned = aftermath.before.places.keys().map(|place| ("pinned", place.display().to_string()));
    lines.extend(pinned);
    lines.extend(
        postern_policy::pinned_when_absent().map(|name| ("absent", format!("{name} at the top of a folder"))),
    );
    let set = environment(confinement, &user.home).into_iter();
    lines.extend(set.map(|(name, value)| ("sets", format!("{name}={value}"))));
    Ok(lines)
}

/// Returns the files that deny rules keep from a run.
fn withheld_files(confinement: &Confinement, user: &UserPlaces) -> Result<WithheldFiles, String> {
    let Some(denied) = confinement.denied() else { return Ok(WithheldFiles::default()) };
    let folders = confinement.folders().iter().chain(confinement.read_folders());
    WithheldFiles::find_in(folders.map(String::as_str), denied, &user.home)
}

/// Returns how far a run gets in the network.
fn network_reach(network: bool, loopback: bool) -> &'static str {
    match (network, loopback) {
        (false, false) => "none",
        // A namespace of its own has a loopback of its own; macOS has one for all.
        (false, true) if cfg!(target_os = "linux") => "loopback of its own, which nothing else can reach",
        (false, true) => "loopback of this Mac",
        (true, _) => "every address, loopback included",
    }
}

/// Returns the temporary folder beside the private cache of a run: one run finds there what an earlier one left. It is not in the
/// cache, where a run could put a link in its place.
fn temporary(private_cache: &str) -> String {
    format!("{private_cache}.tmp")
}

/// Returns the folder beside the private cache of a run with the empty folders that stand for protected places.
fn kept_for(private_cache: &str) -> String {
    format!("{private_cache}.kept")
}

fn make_private_cache(folders: &[String], user: &UserPlaces) -> Result<String, String> {
    use std::os::unix::fs::DirBuilderExt as _;
    let path = private_cache(&user.home, folders, cfg!(target_os = "macos"));
    let failed = |error: std::io::Error| format!("its cache folder {path}: {error}");
    let make = |path: &str| std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    let made = make(&path).and_then(|()| make(&temporary(&path))).and_then(|()| make(&kept_for(&path)));
    made.map_err(failed)?;
    if let Some(link) =
        [&path, &temporary(&path), &kept_for(&path)].into_iter().find(|part| Path::new(part).is_symlink())
    {
        return Err(format!("its cache folder {link} is a link: remove it"));
    }
    let real = std::fs::canonicalize(&path).map_err(failed)?;
    real.into_os_string().into_string().map_err(|_| format!("its cache folder {path} is no text"))
}

/// The profiles that this system can enforce; an error says why it cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confines {
    pub look: Result<(), String>,
    pub project: Result<(), String>,
}

impl Confines {
    /// Returns the profiles that it can enforce.
    pub fn confinable(&self) -> Confinable {
        Confinable { look: self.look.is_ok(), project: self.project.is_ok() }
    }

    /// Returns the profiles that a verdict may rely on. Nobody has tried those of macOS on a Mac: until then Postern asks there.
    pub fn relied_on(user: &UserPlaces) -> Self {
        if cfg!(target_os = "macos") {
            let untried = || Err("its profiles for macOS were not tried on a Mac yet".to_owned());
            return Self { look: untried(), project: untried() };
        }
        Self::try_profiles(user)
    }

    /// Tries every profile on a program that does nothing, and on one that it must refuse.
    pub fn try_profiles(user: &UserPlaces) -> Self {
        let tried = |confinement: Confinement| {
            let exit = try_out(&[HARMLESS], confinement.clone(), user)?;
            if exit != Exit::Code(0) {
                return Err(format!("{HARMLESS}, which does nothing, ended with {exit:?}"));
            }
            if try_out(&[REFUSED, &user.data], confinement, user)? == Exit::Code(0) {
                return Err(format!("{REFUSED} read Postern's data all the same"));
            }
            Ok(())
        };
        Self {
            look: tried(Confinement::look_only(Vec::new())),
            project: tried(Confinement::project(Vec::new(), false, false)),
        }
    }
}

fn try_out(argv: &[&str], confinement: Confinement, user: &UserPlaces) -> Result<Exit, String> {
    let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
    let cwd = Cwd::open("/").map_err(|error| format!("/ {error}"))?;
    let ResolvedRequest { launch, held, .. } = Resolver::new().resolve_command(&read_argv(&argv), &cwd, &[]);
    let plan = own_plan(launch, &held, &cwd, confinement, Vec::new())?;
    run::try_out(plan, held, cwd, user.clone())
}

/// Returns the plan of a confined command that no agent requested: the user's own, or a test of a profile.
pub fn own_plan(
    launch: Launch,
    held: &Held,
    cwd: &Cwd,
    confinement: Confinement,
    env: Vec<(String, String)>,
) -> Result<Plan, String> {
    Ok(Plan {
        agent: AgentId::new("postern").map_err(|error| error.to_string())?,
        session: None,
        origin: Origin::Host,
        call: None,
        launch,
        programs: held.bound_programs(),
        scripts: held.bound_scripts(),
        cwd: cwd.bound.clone(),
        confinement,
        env,
        git: BoundGit::default(),
        stdin: PlanStdin::Nothing,
        timeout_ms: None,
        policy: 0,
    })
}
