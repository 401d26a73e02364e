//! Effects that no row of the table can tell: they rest on the meaning of a path or of a text.

use super::command::ExaminedCommand;
use super::host::{is_away, machine_of};
use super::places::{is_device, is_git_hook, is_secret, is_start_file, is_system_file};
use super::{CommandEffect, EffectScope, Reversible};

/// An effect with its reach, as it is found in a command.
pub(super) type FoundEffect = (CommandEffect, Option<EffectScope>, Reversible);

/// Returns what the named checks find in a command.
pub(super) fn checked_effects(command: &ExaminedCommand<'_>) -> impl Iterator<Item = FoundEffect> {
    CHECKS.iter().filter_map(|check| check(command))
}

const CHECKS: [fn(&ExaminedCommand<'_>) -> Option<FoundEffect>; 12] = [
    secrets,
    start_files,
    git_hooks,
    devices,
    disk_formats,
    system_files,
    containers,
    databases,
    sockets,
    copies,
    empties,
    throws_away,
];

fn system(change: &'static str, name: Option<&str>) -> FoundEffect {
    let names = name.map(str::to_owned).into_iter().collect();
    (CommandEffect::ChangeSystem { change: change.into(), names }, Some(EffectScope::Machine), Reversible::No)
}

/// Finds key files and files of tokens among the words.
fn secrets(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let word = command.args.iter().chain(command.writes).find(|word| is_secret(word))?;
    let which = Some((*word).to_owned());
    Some((
        CommandEffect::UseSecret { how: "use keys or passwords from".into(), which },
        Some(EffectScope::Machine),
        Reversible::No,
    ))
}

/// Programs that put a file where their last word says, or change it there.
const PLACES: [&str; 7] = ["cp", "mv", "ln", "tee", "install", "dd", "sed"];

fn placed<'a>(command: &ExaminedCommand<'a>, test: impl Fn(&str) -> bool) -> Option<&'a str> {
    let from = match command.args.len().checked_sub(1) {
        Some(last) if command.is_one_of(&["cp", "install", "ln"]) => last,
        _ => 0,
    };
    let words = if command.is_one_of(&PLACES) { &command.args[from..] } else { &[] };
    words.iter().chain(command.writes).copied().find(|word| test(word))
}

fn start_files(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let path = placed(command, is_start_file)?;
    Some(system("change what runs when you log in or open a shell:", Some(path)))
}

fn git_hooks(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let changed = command
        .is_one_of(&["chmod"])
        .then(|| command.args.iter().copied().find(|word| is_git_hook(word)))
        .flatten();
    let path = placed(command, is_git_hook).or(changed);
    let by_setting = command.is_one_of(&["git"]) && command.matches_any("~core.hookspath");
    (path.is_some() || by_setting)
        .then(|| system("install what git runs by itself:", path.or(Some("core.hooksPath"))))
}

fn devices(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let by_word = command.args.iter().filter_map(|word| word.strip_prefix("of="));
    let path = by_word.chain(command.writes.iter().copied()).find(|path| is_device(path))?;
    Some(system("write straight to the device", Some(path)))
}

/// Programs that format disks have names of their own for every file system.
fn disk_formats(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let formats = command.name.starts_with("mkfs") || command.name.starts_with("newfs");
    formats.then(|| system("format a disk:", command.args.last().copied()))
}

fn system_files(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    const CHANGES: [&str; 7] = ["cp", "mv", "ln", "install", "tee", "rm", "touch"];
    let last = command.is_one_of(&CHANGES).then(|| command.args.last().copied()).flatten();
    let path = command.writes.iter().copied().chain(last).find(|path| is_system_file(path))?;
    Some(system("change a file of the system:", Some(path)))
}

fn containers(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    if !command.is_one_of(&["docker", "podman", "nerdctl"]) {
        return None;
    }
    let mounts = |word: &&&str| {
        let value = word.trim_start_matches("-v").trim_start_matches("--volume=");
        value.starts_with("/:")
            || value.starts_with("~:")
            || value.contains("docker.sock")
            || word.contains("src=/,")
    };
    let mount = command.args.iter().find(mounts).copied();
    let opens = mount.is_some() || command.matches_any("=--privileged =--pid=host =--net=host");
    opens.then(|| system("give a container the host’s files or rights", None))
}

fn databases(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    const DROPS: [&str; 4] = ["drop table", "drop database", "truncate table", "delete from"];
    let drops = |word: &&str| DROPS.iter().any(|part| word.to_ascii_lowercase().contains(part));
    let clients = ["psql", "mysql", "sqlite3", "mongosh", "mariadb", "redis-cli"];
    let manages = command.args.first().is_some_and(|word| word.ends_with("manage.py"))
        && command.has_word(&["flush", "reset_db"]);
    let deletes = command.is_one_of(&clients)
        && (command.args.iter().any(drops) || command.matches_any("~flushall ~flushdb"));
    (deletes || manages).then(|| system("delete data from a database", None))
}

/// Files that a shell opens as connections.
fn sockets(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let is_connection = |path: &str| path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/");
    let connects = |word: &&&str| word.match_indices('/').any(|(at, _)| is_connection(&word[at..]));
    let to = command.args.iter().chain(command.writes).find(connects)?;
    let name = Some((*to).to_owned());
    Some((
        CommandEffect::RunElsewhere { place: "over a connection to".into(), name },
        Some(EffectScope::Remote),
        Reversible::No,
    ))
}

/// Copies to another machine, or from one.
fn copies(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    const CLOUD_VERBS: [&str; 6] = ["cp", "sync", "mv", "put", "rsync", "mb"];
    let copies = command.is_one_of(&["scp", "rsync"])
        || command.is_one_of(&["aws", "gsutil", "s3cmd", "mc"]) && command.has_word(&CLOUD_VERBS);
    if !copies {
        return None;
    }
    let is_there = |word: &&&str| is_away(word) || word.contains("://");
    let there = command.args.iter().rfind(is_there)?;
    let names = vec![machine_of(there).unwrap_or(there).to_owned()];
    let sends = command.args.last() == Some(there);
    let effect = if sends {
        CommandEffect::Send { what: "upload files".into(), to: names }
    } else {
        CommandEffect::Fetch { from: names }
    };
    Some((effect, Some(EffectScope::Remote), if sends { Reversible::No } else { Reversible::Unknown }))
}

/// Finds a copy of nothing over a file.
fn empties(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let (first, rest) = command.args.split_first()?;
    let nothing = command.is_one_of(&["cp", "cat", "dd"]) && first.ends_with("/dev/null") && !rest.is_empty();
    let paths = || rest.iter().map(|path| path.strip_prefix("of=").unwrap_or(path).to_owned()).collect();
    nothing.then(|| (CommandEffect::Write { paths: paths() }, None, Reversible::No))
}

/// Files that are moved or copied to where nothing is kept.
fn throws_away(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let (last, files) = command.args.split_last()?;
    let paths =
        || files.iter().filter(|word| !word.starts_with('-')).map(|word| (*word).to_owned()).collect();
    (command.is_one_of(&["mv", "cp"]) && *last == "/dev/null")
        .then(|| (CommandEffect::Delete { paths: paths(), recursive: false }, None, Reversible::No))
}
