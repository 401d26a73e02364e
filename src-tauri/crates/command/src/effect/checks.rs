//! Effects that no row of the table can tell: they rest on the meaning of a path or of a text.

use super::command::ExaminedCommand;
use super::host::{is_away, machine_of};
use super::inner::effects_of_text;
use super::places::{
    OPEN_NOTHING, is_device, is_git_hook, is_secret, is_start_file, is_system_file, may_be_secret,
    may_find_secret,
};
use super::searched::searched_patterns;
use super::{CommandEffect, EffectScope, FoundEffect, Reversible};
use crate::cloud::gives_keys;
use std::borrow::Cow;

/// Returns what the named checks find in a command.
pub(super) fn checked_effects(command: &ExaminedCommand<'_>) -> impl Iterator<Item = FoundEffect> {
    CHECKS.iter().filter_map(|check| check(command))
}

const CHECKS: [fn(&ExaminedCommand<'_>) -> Option<FoundEffect>; 16] = [
    secrets, cloud_keys, start_files, git_hooks, devices, disk_formats, system_files, containers, mounts,
    databases, shells_of_databases, sockets, copies, downloads, empties, throws_away,
];

fn system(change: &'static str, name: Option<&str>) -> FoundEffect {
    let names = name.map(str::to_owned).into_iter().collect();
    let effect = CommandEffect::ChangeSystem { change: change.into(), names };
    (effect, Some(EffectScope::Machine), Reversible::Unknown)
}

/// Returns a change of the system by which something is lost.
fn loss(change: &'static str, name: Option<&str>) -> FoundEffect {
    let (effect, scope, _) = system(change, name);
    (effect, scope, Reversible::No)
}

/// Commands of git that open none of the files that they name.
const GIT_OPENS_NOTHING: [&str; 5] = ["check-ignore", "clean", "ls-files", "rm", "update-index"];

/// Finds key files and files of tokens among the words, and patterns that find them.
fn secrets(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let opened = match command.args {
        _ if command.is_one_of(&OPEN_NOTHING) => &[],
        [verb, ..] if command.is_one_of(&["git"]) && GIT_OPENS_NOTHING.contains(verb) => &[],
        [read @ .., _target] if command.is_one_of(&["cp", "mv"]) => read,
        all => all,
    };
    let expanded = if opened.is_empty() { &[] } else { command.patterns };
    // A pattern that is looked for is no file: `git status --short | grep .env`.
    let texts: Vec<&str> = command.patterns_sought();
    let read = opened.iter().filter(|word| !texts.contains(word));
    let named = read.chain(command.writes).find(|word| is_secret(word));
    let named = named.or_else(|| expanded.iter().find(|pattern| may_be_secret(pattern))).copied();
    let found = || searched_patterns(command).into_iter().find(|pattern| may_find_secret(pattern));
    let word = named.or_else(found)?;
    // The path alone, without the text around it.
    let path = word.split([' ', '"', '\'', '=', '@', '(', ')']).find(|part| is_secret(part)).unwrap_or(word);
    Some((
        CommandEffect::UseSecret { how: "use keys or passwords from".into(), which: Some(path.to_owned()) },
        Some(EffectScope::Machine),
        Reversible::No,
    ))
}

/// Finds the address at which a machine in a cloud tells its keys. What is only printed or looked for is none.
fn cloud_keys(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let address = command.args.iter().find(|word| gives_keys(word))?;
    if command.is_one_of(&OPEN_NOTHING) || command.patterns_sought().contains(address) {
        return None;
    }
    let (how, which) = ("ask the machine’s cloud for its keys at".into(), Some((*address).to_owned()));
    Some((CommandEffect::UseSecret { how, which }, Some(EffectScope::Machine), Reversible::No))
}

/// Programs that put a file where their last word says, or change it there.
const PLACES: [&str; 8] = ["cp", "ditto", "mv", "ln", "tee", "install", "dd", "sed"];

fn placed<'a>(command: &ExaminedCommand<'a>, test: impl Fn(&str) -> bool) -> Option<&'a str> {
    let from = match command.args.len().checked_sub(1) {
        Some(last) if command.is_one_of(&["cp", "ditto", "install", "ln"]) => last,
        _ => 0,
    };
    let words = if command.is_one_of(&PLACES) { &command.args[from..] } else { &[] };
    words.iter().chain(command.writes).copied().find(|word| test(word))
}

fn start_files(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let path = placed(command, is_start_file)?;
    Some(system("change what a shell or program runs when it starts:", Some(path)))
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
    let by_word =
        command.args.iter().filter_map(|word| word.strip_prefix("of=")).find(|path| is_device(path));
    let path = by_word.or_else(|| placed(command, is_device))?;
    Some(loss("write straight to the device", Some(path)))
}

/// Programs that format disks have names of their own for every file system.
fn disk_formats(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let formats = command.name.starts_with("mkfs") || command.name.starts_with("newfs");
    formats.then(|| loss("format a disk:", command.args.last().copied()))
}

fn system_files(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    const CHANGES: [&str; 7] = ["cp", "mv", "ln", "install", "tee", "rm", "touch"];
    let last = command.is_one_of(&CHANGES).then(|| command.args.last().copied()).flatten();
    let path = command.writes.iter().copied().chain(last).find(|path| is_system_file(path))?;
    Some(system("change a file of the system:", Some(path)))
}

/// Options that give a container rights over the host.
const RIGHTS: &str = "--privileged --use-api-socket ~cap-add=all ~cap-add=sys_admin ~cap-add=sys_module \
    ~cap-add=sys_rawio ~cap-add=dac_read_search =ALL =SYS_ADMIN =SYS_MODULE =SYS_RAWIO =DAC_READ_SEARCH \
    ~seccomp=unconfined ~apparmor=unconfined";
/// Options by which a container shares what belongs to the host.
const SHARED: [&str; 7] = ["--pid", "--net", "--network", "--ipc", "--userns", "--uts", "--cgroupns"];

/// Returns true for the root or the home folder.
fn is_whole(path: &str) -> bool {
    let plain = path.replace('"', "");
    !plain.is_empty() && matches!(plain.trim_end_matches('/'), "" | "~" | "$HOME" | "${HOME}")
}

fn containers(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    if !command.is_one_of(&["docker", "podman", "nerdctl"]) {
        return None;
    }
    let mounts = |word: &&str| {
        let value = word.trim_start_matches("-v").trim_start_matches("--volume=");
        value.split_once(':').is_some_and(|(path, _)| is_whole(path)) || value.contains("docker.sock")
    };
    let binds = || command.values_of("--mount").into_iter().filter_map(bind_of);
    let volumes = || command.values_of("-v").into_iter().chain(command.values_of("--volume"));
    let of_host = |option: &&str| command.values_of(option).contains(&"host");
    let opens = command.args.iter().any(mounts)
        || command.matches_any(RIGHTS)
        || SHARED.iter().any(of_host)
        || binds().any(|(path, _)| is_whole(&path))
        || volumes().any(|value| value.split_once(':').is_some_and(|(path, _)| is_whole(path)))
        || command.values_of("--device").iter().any(|path| is_device(path));
    opens.then(|| system("give a container the host’s files or rights", None))
}

/// Returns the folders of this machine that a container is given.
fn mounts(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    if !command.is_one_of(&["docker", "podman", "nerdctl"]) {
        return None;
    }
    let volumes = command.values_of("-v").into_iter().chain(command.values_of("--volume"));
    let volumes = volumes.filter_map(|value| Some((value.split_once(':')?.0, value.ends_with(":ro"))));
    let binds = command.values_of("--mount").into_iter().filter_map(bind_of);
    let all: Vec<(String, bool)> =
        volumes.map(|(path, reads)| (path.to_owned(), reads)).chain(binds).collect();
    let of = |reads: bool| -> Vec<String> {
        let some = all.iter().filter(|(_, only_reads)| *only_reads == reads);
        some.map(|(path, _)| of_working_folder(path))
            .filter(|path| path.contains(['/', '~', '.', '$']))
            .collect()
    };
    let (read, written) = (of(true), of(false));
    if !written.is_empty() {
        return Some((CommandEffect::Write { paths: written }, None, Reversible::Unknown));
    }
    (!read.is_empty()).then_some((CommandEffect::Read { paths: read }, None, Reversible::Yes))
}

/// Returns the folder of a `--mount`, and true if it is only read.
fn bind_of(value: &str) -> Option<(String, bool)> {
    let source = value
        .split(',')
        .find_map(|part| part.strip_prefix("src=").or_else(|| part.strip_prefix("source=")))?;
    Some((source.to_owned(), value.contains("readonly")))
}

/// Returns a path with the working folder, as the shell gives it, in its short form.
fn of_working_folder(path: &str) -> String {
    let plain = path.replace('"', "");
    let start = ["$PWD", "${PWD}", "$(pwd)", "`pwd`"].into_iter().find(|start| plain.starts_with(start));
    start.map_or(plain.clone(), |start| format!(".{}", &plain[start.len()..]))
}

/// Programs that run statements of a database's language.
const CLIENTS: [&str; 26] = [
    "psql", "mysql", "mariadb", "sqlite3", "duckdb", "mongosh", "mongo", "redis-cli", "clickhouse",
    "clickhouse-client", "cqlsh", "sqlcmd", "bq", "snowsql", "turso", "usql", "wrangler", "litecli", "pgcli",
    "mycli", "cockroach", "snow", "trino", "presto", "cypher-shell", "databricks",
];

/// Returns what the statements of a database's client delete, in its arguments or on its input.
fn databases(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let manages = command.args.first().is_some_and(|word| word.ends_with("manage.py"))
        && (command.has_word(&["flush", "reset_db"])
            || command.has_word(&["migrate"]) && command.has_word(&["zero"]));
    let deletes = command.is_one_of(&CLIENTS) && command.matches_any("~flushall ~flushdb");
    let found = (deletes || manages).then(|| loss("delete data from a database", None));
    // Quotes are gone where another shell reads the words (`watch psql -c 'drop table x'`).
    let is_split = || command.is_one_of(&CLIENTS) && !command.args.iter().any(|word| word.contains(' '));
    found
        .or_else(|| statements(command, command.args))
        .or_else(|| statements(command, command.texts))
        .or_else(|| {
            is_split().then(|| command.args.join(" ")).and_then(|all| statements(command, &[all.as_str()]))
        })
}

/// Returns what these statements delete, or open to others, if a command is the client of a database.
pub(super) fn statements(command: &ExaminedCommand<'_>, texts: &[&str]) -> Option<FoundEffect> {
    const DROPS: [&str; 11] = [
        "drop table", "drop database", "drop schema", "drop column", "drop owned", "drop user", "drop role",
        "drop keyspace", "detach delete", "truncate ", "delete from",
    ];
    const OPENS: [&str; 4] = [" to public", " superuser", " with grant option", "@'%'"];
    if !command.is_one_of(&CLIENTS) {
        return None;
    }
    let plain = |text: &&str| {
        let plain = text.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
        without_literals(&plain).into_owned()
    };
    let plain: Vec<String> = texts.iter().map(plain).collect();
    let hold = |parts: &[&str]| plain.iter().any(|text| parts.iter().any(|part| text.contains(part)));
    let deletes = hold(&DROPS).then(|| loss("delete data from a database", None));
    deletes.or_else(|| hold(&OPENS).then(|| system("give access to a database", None)))
}

/// Returns a query without its string literals, if every database agrees where they end and none is given to a function.
fn without_literals(text: &str) -> Cow<'_, str> {
    let agreed = text.starts_with("select ") && !text.contains(['\\', '"', '$', '`', '#', '(']);
    if !agreed || text.contains("--") || text.contains("/*") {
        return text.into();
    }
    text.split('\'').step_by(2).collect::<Vec<_>>().join(" ").into()
}

/// Returns the shell command that a client of a database is told to run.
fn shells_of_databases(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    const STARTS: [&str; 6] = ["\\!", ".shell ", ".system ", "\\system ", " to program ", " from program "];
    if !command.is_one_of(&CLIENTS) {
        return None;
    }
    let run = |text: &&str| {
        let plain = text.to_ascii_lowercase();
        let start = STARTS.iter().find_map(|start| Some(plain.find(start)? + start.len()))?;
        Some(effects_of_text(text.get(start..)?))
    };
    let found = command.args.iter().chain(command.texts).find_map(run)?;
    let shell = CommandEffect::RunInlineCode { language: "sh".to_owned() };
    Some(found.into_iter().next().unwrap_or((shell, Some(EffectScope::Inside), Reversible::Unknown)))
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

/// Returns true if a command copies between machines.
fn is_copy(command: &ExaminedCommand<'_>) -> bool {
    const CLOUD_VERBS: [&str; 6] = ["cp", "sync", "mv", "put", "rsync", "mb"];
    command.is_one_of(&["scp", "rsync"])
        || command.is_one_of(&["aws", "gsutil", "s3cmd", "mc"]) && command.has_word(&CLOUD_VERBS)
}

/// Copies to another machine, or from one.
fn copies(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let operands = is_copy(command).then(|| command.operands(1))?;
    let there = operands.iter().rfind(|word| is_there(word))?;
    let names = vec![machine_of(there).unwrap_or(there).to_owned()];
    let sends = operands.last() == Some(there) && !is_trial(command);
    let effect = if sends {
        CommandEffect::Send { what: "upload files".into(), to: names, branch: None }
    } else {
        CommandEffect::Fetch { from: names }
    };
    Some((effect, Some(EffectScope::Remote), if sends { Reversible::No } else { Reversible::Unknown }))
}

/// Returns what a copy from another machine writes here.
fn downloads(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let operands = is_copy(command).then(|| command.operands(1))?;
    let (last, from) = operands.split_last()?;
    let writes =
        !is_there(last) && *last != "-" && from.iter().any(|word| is_there(word)) && !is_trial(command);
    writes.then(|| (CommandEffect::Write { paths: vec![(*last).to_owned()] }, None, Reversible::Unknown))
}

/// Returns true for a copy that only tells what it would do.
fn is_trial(command: &ExaminedCommand<'_>) -> bool {
    command.is_one_of(&["rsync"]) && command.matches_any("-n --dry-run")
        || command.is_one_of(&["aws"]) && command.matches_any("--dryrun")
}

fn is_there(word: &str) -> bool {
    is_away(word) || word.contains("://")
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
    (command.is_one_of(&["mv", "cp"]) && *last == "/dev/null").then(|| {
        (CommandEffect::Delete { paths: paths(), recursive: false, found: false }, None, Reversible::No)
    })
}
