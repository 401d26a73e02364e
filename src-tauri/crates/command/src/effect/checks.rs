//! Effects that no row of the table can tell: they rest on the meaning of a path or of a text.

use super::host::{is_away, machine_of};
use super::places::{is_device, is_git_hook, is_secret, is_start_file, is_system_file};
use super::seen::Seen;
use super::{Effect, Reversible, Scope};

/// An effect with its reach, as it is found in a command.
pub(super) type Told = (Effect, Option<Scope>, Reversible);

/// Returns what the named checks find in a command.
pub(super) fn all(seen: &Seen<'_>) -> Vec<Told> {
    CHECKS.iter().filter_map(|check| check(seen)).collect()
}

const CHECKS: [fn(&Seen<'_>) -> Option<Told>; 12] = [
    secrets,
    start_files,
    git_hooks,
    devices,
    disks,
    system_files,
    containers,
    databases,
    sockets,
    copies,
    empties,
    throws_away,
];

fn system(change: &'static str, name: Option<&str>) -> Told {
    let names = name.map(str::to_owned).into_iter().collect();
    (Effect::ChangeSystem { change: change.into(), names }, Some(Scope::Machine), Reversible::No)
}

/// Key files and files of tokens among the words.
fn secrets(seen: &Seen<'_>) -> Option<Told> {
    let word = seen.args.iter().chain(&seen.writes).find(|word| is_secret(word))?;
    let which = Some((*word).to_owned());
    Some((
        Effect::UseSecret { how: "use keys or passwords from".into(), which },
        Some(Scope::Machine),
        Reversible::No,
    ))
}

/// Programs that put a file where their last word says, or change it there.
const PLACES: [&str; 7] = ["cp", "mv", "ln", "tee", "install", "dd", "sed"];

fn placed<'a>(seen: &Seen<'a>, test: impl Fn(&str) -> bool) -> Option<&'a str> {
    let from = match seen.args.len().checked_sub(1) {
        Some(last) if seen.is(&["cp", "install", "ln"]) => last,
        _ => 0,
    };
    let words = if seen.is(&PLACES) { &seen.args[from..] } else { &[] };
    words.iter().chain(&seen.writes).copied().find(|word| test(word))
}

fn start_files(seen: &Seen<'_>) -> Option<Told> {
    let path = placed(seen, is_start_file)?;
    Some(system("change what runs when you log in or open a shell:", Some(path)))
}

fn git_hooks(seen: &Seen<'_>) -> Option<Told> {
    let changed =
        seen.is(&["chmod"]).then(|| seen.args.iter().copied().find(|word| is_git_hook(word))).flatten();
    let path = placed(seen, is_git_hook).or(changed);
    let by_setting = seen.is(&["git"]) && seen.meets("~core.hookspath");
    (path.is_some() || by_setting)
        .then(|| system("install what git runs by itself:", path.or(Some("core.hooksPath"))))
}

fn devices(seen: &Seen<'_>) -> Option<Told> {
    let by_word = seen.args.iter().filter_map(|word| word.strip_prefix("of="));
    let path = by_word.chain(seen.writes.iter().copied()).find(|path| is_device(path))?;
    Some(system("write straight to the device", Some(path)))
}

/// Programs that format disks have names of their own for every file system.
fn disks(seen: &Seen<'_>) -> Option<Told> {
    let formats = seen.name.starts_with("mkfs") || seen.name.starts_with("newfs");
    formats.then(|| system("format a disk:", seen.args.last().copied()))
}

fn system_files(seen: &Seen<'_>) -> Option<Told> {
    const CHANGES: [&str; 7] = ["cp", "mv", "ln", "install", "tee", "rm", "touch"];
    let last = seen.is(&CHANGES).then(|| seen.args.last().copied()).flatten();
    let path = seen.writes.iter().copied().chain(last).find(|path| is_system_file(path))?;
    Some(system("change a file of the system:", Some(path)))
}

fn containers(seen: &Seen<'_>) -> Option<Told> {
    let mounts = |word: &&&str| {
        let value = word.trim_start_matches("-v").trim_start_matches("--volume=");
        value.starts_with("/:")
            || value.starts_with("~:")
            || value.contains("docker.sock")
            || word.contains("src=/,")
    };
    let mount = seen.args.iter().find(mounts).copied();
    let opens = mount.is_some() || seen.meets("=--privileged =--pid=host =--net=host");
    (seen.is(&["docker", "podman", "nerdctl"]) && opens)
        .then(|| system("give a container this machine's files or rights", None))
}

fn databases(seen: &Seen<'_>) -> Option<Told> {
    const DROPS: [&str; 4] = ["drop table", "drop database", "truncate table", "delete from"];
    let drops = |word: &&str| DROPS.iter().any(|part| word.to_ascii_lowercase().contains(part));
    let clients = ["psql", "mysql", "sqlite3", "mongosh", "mariadb", "redis-cli"];
    let manages =
        seen.args.first().is_some_and(|word| word.ends_with("manage.py")) && seen.has(&["flush", "reset_db"]);
    let deletes = seen.is(&clients) && (seen.args.iter().any(drops) || seen.meets("~flushall ~flushdb"));
    (deletes || manages).then(|| system("delete data from a database", None))
}

/// Files that a shell opens as connections.
fn sockets(seen: &Seen<'_>) -> Option<Told> {
    let connects = |word: &&&str| word.contains("/dev/tcp/") || word.contains("/dev/udp/");
    let to = seen.args.iter().chain(&seen.writes).find(connects)?;
    let name = Some((*to).to_owned());
    Some((
        Effect::RunElsewhere { place: "over a connection to".into(), name },
        Some(Scope::Remote),
        Reversible::No,
    ))
}

/// Copies to another machine, or from one.
fn copies(seen: &Seen<'_>) -> Option<Told> {
    const CLOUD_VERBS: [&str; 6] = ["cp", "sync", "mv", "put", "rsync", "mb"];
    let copies =
        seen.is(&["scp", "rsync"]) || seen.is(&["aws", "gsutil", "s3cmd", "mc"]) && seen.has(&CLOUD_VERBS);
    let is_there = |word: &&&str| is_away(word) || word.contains("://");
    let there = seen.args.iter().rfind(is_there).filter(|_| copies)?;
    let names = vec![machine_of(there).unwrap_or(there).to_owned()];
    let sends = seen.args.last() == Some(there);
    let effect = if sends {
        Effect::Send { what: "upload files".into(), to: names }
    } else {
        Effect::Fetch { from: names }
    };
    Some((effect, Some(Scope::Remote), if sends { Reversible::No } else { Reversible::Unknown }))
}

/// Nothing that is copied over a file.
fn empties(seen: &Seen<'_>) -> Option<Told> {
    let (first, rest) = seen.args.split_first()?;
    let nothing = seen.is(&["cp", "cat", "dd"]) && first.ends_with("/dev/null") && !rest.is_empty();
    let paths = rest.iter().map(|path| path.strip_prefix("of=").unwrap_or(path).to_owned()).collect();
    nothing.then_some((Effect::Write { paths }, None, Reversible::No))
}

/// Files that are moved or copied to where nothing is kept.
fn throws_away(seen: &Seen<'_>) -> Option<Told> {
    let (last, files) = seen.args.split_last()?;
    let paths = files.iter().filter(|word| !word.starts_with('-')).map(|word| (*word).to_owned()).collect();
    (seen.is(&["mv", "cp"]) && *last == "/dev/null").then_some((
        Effect::Delete { paths, recursive: false },
        None,
        Reversible::No,
    ))
}
