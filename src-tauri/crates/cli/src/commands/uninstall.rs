//! `postern uninstall`: removes what Postern put outside its data folder, and with `--zap` that folder. Works without a host.

use super::audit::read_rows;
use super::setup_scope::settings_scope;
use crate::CliEnvironment;
use crate::args::Uninstall;
use crate::failure::Failure;
use crate::link::{HostLink, real_data};
use crate::print;
use crate::typed::require_yes;
use postern_command::escape;
use postern_contract::methods::{GetStatus, Nothing};
use postern_doors::hooks::{HookAgent, HookSettingsChange, HookSettingsEntry};
use postern_doors::setup::{Folders, names_us, settings_with_us};
use postern_protocol::{SHORT_FOLDER, short_folder};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest time that a host may take to end.
const PATIENCE: Duration = Duration::from_secs(10);
/// Folders with the caches of confined runs, below the home folder: of Linux, and of macOS.
const OF_RUNS: [&str; 2] = [".cache/postern", "Library/Caches/postern"];
/// Folders of files that the web view and the system keep of the app, below the home folder.
const OF_APP: [&str; 8] = [
    ".config/dev.postern.desktop", ".local/share/dev.postern.desktop", ".cache/dev.postern.desktop",
    "Library/Application Support/dev.postern.desktop", "Library/Caches/dev.postern.desktop",
    "Library/HTTPStorages/dev.postern.desktop", "Library/WebKit/dev.postern.desktop",
    "Library/Preferences/dev.postern.desktop.plist",
];

/// Parts of an installation that can be removed.
struct InstalledParts {
    settings: Vec<HookSettingsChange>,
    /// Files that start Postern at login.
    starters: Vec<PathBuf>,
    /// Links to Postern's programs in folders of a search path.
    links: Vec<PathBuf>,
    /// The process of the host, if one runs.
    host: Option<u32>,
    /// Temporary folders, and all data with `--zap`.
    folders: Vec<PathBuf>,
}

pub(crate) fn run(data: &Path, surroundings: CliEnvironment, asked: &Uninstall) -> Result<(), Failure> {
    let home = surroundings.home.clone();
    let found = InstalledParts::find_parts(data, &home, surroundings, asked.zap)?;
    if found.host.is_none() && data.is_dir() {
        print::remark(
            "Postern isn’t running, so hooks in projects are not looked for: postern hook uninstall KIND --project there",
        );
    }
    if found.print_parts(data)? {
        return print::write_line("nothing of Postern is left outside its own files");
    }
    if asked.dry_run {
        return Ok(());
    }
    let question = if asked.zap {
        format!("Remove this, and all data in {}? This can’t be undone. Type yes:", escaped_path(data))
    } else {
        "Remove this? Agents, rules and history stay (--zap removes them). Type yes:".to_owned()
    };
    let otherwise = "add --yes to remove it without being asked";
    require_yes(asked.yes, &question, otherwise, "nothing was removed")?;
    found.remove(data)?;
    print::write_line("removed; the programs themselves go with what installed them")
}

impl InstalledParts {
    fn find_parts(
        data: &Path,
        home: &Path,
        surroundings: CliEnvironment,
        zap: bool,
    ) -> Result<Self, Failure> {
        let folders = settings_scope(surroundings).and_then(|scope| {
            Folders::from_scope(&scope, &home.to_string_lossy())
                .map_err(|error| Failure::usage_error(error.message))
        })?;
        let mut link = HostLink::open(data).ok();
        let mut hooks = settings_with_us(&folders, data);
        let noted = link.as_mut().map(|link| noted_hooks(link, data)).unwrap_or_default();
        hooks.extend(noted.into_iter().map(|(kind, file)| (HookSettingsEntry::Hook(kind), file)));
        let mut settings: Vec<HookSettingsChange> = Vec::new();
        for (entry, file) in hooks {
            let change = HookSettingsChange::uninstall(entry, &file)
                .map_err(|error| Failure::refused(error.to_string()))?;
            if settings.iter().all(|known| known.file != change.file) {
                settings.push(change);
            }
        }
        let host = link.and_then(|mut link| link.call_method::<GetStatus>(&Nothing {}).ok());
        let real = real_data(data);
        let mut own: Vec<PathBuf> = OF_RUNS.iter().map(|folder| home.join(folder)).collect();
        own.extend(real.to_str().and_then(short_folder).map(PathBuf::from));
        if zap {
            own.push(data.to_owned());
            own.extend(OF_APP.iter().map(|folder| home.join(folder)));
        }
        Ok(Self {
            settings,
            starters: starters(home),
            links: find_links(home),
            host: host.map(|status| status.pid),
            folders: own.into_iter().filter(|folder| folder.symlink_metadata().is_ok()).collect(),
        })
    }

    /// Lists what is there. Returns true if that is nothing.
    fn print_parts(&self, data: &Path) -> Result<bool, Failure> {
        for change in &self.settings {
            print::write_diff(&escaped_path(&change.file), &change.diff_lines())?;
        }
        for file in self.starters.iter().chain(&self.links).chain(&self.folders) {
            print::say!("- {}", escaped_path(file))?;
        }
        if let Some(pid) = self.host {
            print::say!("- the running host (process {pid})")?;
        }
        let sockets = sockets(data);
        for socket in &sockets {
            print::say!("- {}", escaped_path(socket))?;
        }
        let files = self.settings.len() + self.starters.len() + self.links.len() + self.folders.len();
        Ok(files + sockets.len() == 0 && self.host.is_none())
    }

    /// Removes it: agents first, which would be denied everything without a host.
    fn remove(self, data: &Path) -> Result<(), Failure> {
        for change in self.settings {
            change.write().map_err(|error| Failure::refused(error.to_string()))?;
        }
        for file in &self.starters {
            ignore_missing(fs::remove_file(file), file)?;
        }
        if let Some(pid) = self.host {
            end_host(pid, data)?;
        }
        for socket in sockets(data).into_iter().chain(self.links) {
            ignore_missing(fs::remove_file(&socket), &socket)?;
        }
        for folder in &self.folders {
            let removed = if folder.is_dir() { fs::remove_dir_all(folder) } else { fs::remove_file(folder) };
            ignore_missing(removed, folder)?;
            if let Some(parent) = folder.parent().filter(|parent| parent.ends_with(SHORT_FOLDER)) {
                // Other programs' files in it stay.
                _ = fs::remove_dir(parent);
            }
        }
        Ok(())
    }
}

/// Returns the hooks that the audit names and that still lead here, wherever they were put: in projects, in named files.
pub(super) fn noted_hooks(link: &mut HostLink, data: &Path) -> Vec<(HookAgent, PathBuf)> {
    // A record that cannot be read names none.
    let rows = read_rows(link, None).unwrap_or_default();
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row.subject == "hooks") {
        if let Some((_, file)) = row.key.split_once(' ') {
            files.insert(row.key.clone(), PathBuf::from(file));
        }
    }
    let found = files.into_iter().filter_map(|(key, file)| {
        let kind = HookAgent::from_name(key.split(' ').next()?)?;
        names_us(HookSettingsEntry::Hook(kind), &file, data).then_some((kind, file))
    });
    found.collect()
}

/// Returns the files in the home folder that start Postern at login: of the desktop, of systemd, of launchd.
fn starters(home: &Path) -> Vec<PathBuf> {
    let starts = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap_or_default();
        text.lines().any(|line| line.starts_with("Exec=") && line.contains("postern-desktop"))
    };
    let mut all: Vec<PathBuf> =
        in_folder(&home.join(".config/autostart")).into_iter().filter(starts).collect();
    let units = home.join(".config/systemd/user");
    for unit in ["postern.service", "postern-broker.service"] {
        all.extend([units.join("default.target.wants").join(unit), units.join(unit)]);
    }
    let agents = in_folder(&home.join("Library/LaunchAgents"));
    let ours = |name: &str| {
        ["Postern.plist", "homebrew.mxcl.postern.plist"].contains(&name) || name.starts_with("dev.postern.")
    };
    all.extend(
        agents.into_iter().filter(|file| file.file_name().and_then(|name| name.to_str()).is_some_and(ours)),
    );
    all.retain(|file| file.symlink_metadata().is_ok());
    all
}

/// Returns the links that lead to Postern's programs from folders where people put such links.
fn find_links(home: &Path) -> Vec<PathBuf> {
    // macOS gives the path that it was started by, which may be such a link.
    let own = std::env::current_exe().and_then(|own| own.canonicalize()).ok();
    let Some(here) = own.as_deref().and_then(Path::parent) else { return Vec::new() };
    let folders = [PathBuf::from("/usr/local/bin"), home.join(".local/bin"), home.join("bin")];
    let ours = |link: &PathBuf| {
        let leads = fs::read_link(link).ok().map(|_| link.canonicalize());
        // One that leads nowhere may be anybody's.
        leads.and_then(Result::ok).is_some_and(|program| program.parent() == Some(here))
    };
    let names = ["postern", "postern-run", "postern-desktop"];
    folders.iter().flat_map(|folder| names.map(|name| folder.join(name))).filter(ours).collect()
}

fn sockets(data: &Path) -> Vec<PathBuf> {
    let is_socket = |file: &PathBuf| file.symlink_metadata().is_ok_and(|found| found.file_type().is_socket());
    let agents = in_folder(&data.join("agents"));
    let folders = [data.to_owned(), data.join("doors")].into_iter().chain(agents);
    folders.flat_map(|folder| in_folder(&folder)).filter(is_socket).collect()
}

fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut all: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    all.sort();
    all
}

/// Ends the host and waits until it is gone.
fn end_host(pid: u32, data: &Path) -> Result<(), Failure> {
    let process = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(process) = process {
        // It may have ended with what started it.
        _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
    }
    let end = Instant::now() + PATIENCE;
    while HostLink::open(data).is_ok() {
        if Instant::now() > end {
            return Err(Failure::refused(format!(
                "the host (process {pid}) does not end: end it and run this again"
            )));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn ignore_missing(removed: std::io::Result<()>, file: &Path) -> Result<(), Failure> {
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::refused(format!("{}: {error}", escaped_path(file))))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

fn escaped_path(path: &Path) -> String {
    escape::visible_text(&path.to_string_lossy())
}
