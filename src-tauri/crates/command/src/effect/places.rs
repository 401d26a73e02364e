//! Files with a meaning of their own, by their path.

use std::borrow::Cow;

use crate::obeyed::START_FILES;
use crate::programs::family_of;

/// Programs that open none of the files that they are given, or only delete them or change their rights.
pub(super) const OPEN_NOTHING: [&str; 16] = [
    "[", "[[", "basename", "chgrp", "chmod", "chown", "dirname", "du", "echo", "ls", "mkdir", "printf", "rm",
    "stat", "test", "touch",
];

/// Returns true for a program that opens none of the files that it is given.
pub fn opens_nothing(name: &str) -> bool {
    OPEN_NOTHING.contains(&&*family_of(name))
}

/// Returns true if a word names a file that holds secrets, on a disk that keeps letters apart by their case or does not.
pub fn is_secret(word: &str) -> bool {
    let word = folded(word);
    // A fork of a file by a name that only macOS knows.
    let fork = word.contains('/').then(|| word.find("/..namedfork/")).flatten();
    let word = fork.map_or(&*word, |at| &word[..at]);
    let holds = |(at, _)| {
        let (before, behind) = word.split_at(at);
        secrets().any(|(start, rest)| behind.starts_with(rest) && before.ends_with(start))
    };
    // `--file=.env`, `HEAD:.env`, `@.env`; `-f.env` behind its letter.
    let name = word.rsplit(['/', '=', ':', '@']).next().unwrap_or(word);
    let attached =
        name.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.get(1..));
    let is_public = word.rsplit_once('.').is_some_and(|(_, end)| end == "pub");
    let left_out = ["--exclude=", "--ignore="].iter().any(|option| word.starts_with(option));
    let is_named = || !left_out && (is_secret_name(name) || attached.is_some_and(is_secret_name));
    let is_environment = || word.contains("/proc/") && word.ends_with("/environ");
    !is_public && (word.match_indices(['.', '/']).any(holds) || is_named() || is_environment())
}

/// Returns a word as a disk compares it for which letters of both cases are one: `.ENV`, `ID_RſA`.
fn folded(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return word.into();
    }
    word.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect::<String>().into()
}

/// Returns true if a pattern of the shell (`.env*`, `~/.s?h/id_*`) may stand for a file that holds secrets.
///
/// A pattern that says nothing of a name (`*`, `src/*`) stands for none: the shell leaves hidden files out of it.
pub(super) fn may_be_secret(pattern: &str) -> bool {
    /// Examples of those that are told by a part of their name.
    const EXAMPLES: [&str; 7] = [
        ".env", ".env.local", ".env.production", ".ssh/id_ed25519", ".ssh/id_rsa", "server-key.pem",
        "master.key",
    ];
    let pattern: String =
        folded(pattern).chars().filter(|letter| !matches!(letter, '"' | '\'' | '\\')).collect();
    let has_parts = |file: &str| pattern.split('/').count() >= file.split('/').count();
    let names = |(pattern, file): (&str, &str)| {
        pattern.starts_with('.') == file.starts_with('.') && stands_for(pattern, file)
    };
    let is_named = |file: &str| {
        has_parts(file)
            && (file.starts_with('.') || pattern.contains("key"))
            && pattern.rsplit('/').zip(file.rsplit('/')).all(names)
    };
    EXAMPLES.into_iter().any(is_named) || secrets().any(|(start, rest)| is_named(&format!("{start}{rest}")))
}

/// Returns true if a pattern that a program searches by (`rg -g '*.env'`) may find a file that holds secrets.
///
/// Its `*` stands for hidden files too. One that has no letter of a name finds everything, and counts for nothing.
pub(super) fn may_find_secret(pattern: &str) -> bool {
    let finds = |pattern: &str| {
        let name = pattern.rsplit('/').next().unwrap_or(pattern);
        let bare = name.trim_start_matches('*');
        let tells = !bare.contains('{') && bare.contains(|c: char| c.is_ascii_alphanumeric());
        let hidden = || may_be_secret(&format!(".{}", bare.strip_prefix('.').unwrap_or(bare)));
        is_secret(pattern) || may_be_secret(pattern) || bare.len() < name.len() && tells && hidden()
    };
    let list = pattern.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    match list {
        Some((before, (members, behind))) => {
            members.split(',').any(|member| finds(&format!("{before}{member}{behind}")))
        }
        None => finds(pattern),
    }
}

/// Returns true if a pattern of one name may stand for this name of fewer than 32 letters.
///
/// A class is taken for any one letter, and braces for anything.
fn stands_for(pattern: &str, name: &str) -> bool {
    // A bit for each letter of the name that may come next.
    let (mut next, mut letters) = (1_u32, pattern.chars());
    while let Some(letter) = letters.next() {
        let closes = match letter {
            '[' => Some(']'),
            '{' => Some('}'),
            _ => None,
        };
        if let Some(end) = closes {
            letters.by_ref().find(|inside| *inside == end);
        }
        next = match letter {
            '*' | '{' => (0..name.len()).fold(next, |all, at| all | (all & (1 << at)) << 1),
            '?' | '[' => next << 1,
            _ => name
                .chars()
                .zip(0_u32..)
                .filter(|(one, _)| *one == letter)
                .fold(0, |all, (_, at)| all | (next & (1 << at)) << 1),
        };
    }
    next >> name.len() & 1 == 1
}

/// Returns true for a file that projects keep secrets in: `.env`, `.env.local`, `server-key.pem`, `id_rsa`. Examples hold none.
fn is_secret_name(name: &str) -> bool {
    const EXAMPLES: [&str; 5] = ["dist", "example", "sample", "template", "test"];
    const NAMES: [&str; 22] = [
        ".env", "master.key", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".htpasswd", ".vault-token",
        ".dev.vars", "client_secret.json", "credentials.json", "key.properties", "oauth-private.key",
        "private.key", "prod.env", "prod.secret.exs", "production.env", "server.key", "service-account.json",
        "serviceaccountkey.json", "staging.env", "tls.key",
    ];
    const STORES: [&str; 7] = ["p12", "p8", "pfx", "jks", "keystore", "kdbx", "ppk"];
    let of = name.strip_prefix(".env").map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    NAMES.contains(&name)
        || name.starts_with(".env.") && of.is_some_and(|of| !EXAMPLES.iter().any(|one| of.ends_with(one)))
        || name.rsplit_once('.').is_some_and(|(stem, end)| {
            end == "pem" && stem.ends_with("key") || !stem.is_empty() && STORES.contains(&end)
        })
}

/// Returns true if what runs at a login or in each new shell is in a file, or is decided there.
pub(super) fn is_start_file(path: &str) -> bool {
    let is_name = |before: &str| before.is_empty() || before.ends_with(['/', '=']);
    START_FILES.iter().any(|name| path.strip_suffix(name).is_some_and(is_name))
        || STARTED.iter().any(|end| path.ends_with(end))
        || path.contains("/LaunchAgents/")
        || path.contains("/LaunchDaemons/")
}

/// Returns true if git runs a file by itself.
pub(super) fn is_git_hook(path: &str) -> bool {
    path.contains(".git/hooks/") || path.contains(".husky/")
}

/// Returns true if a path is a file of the system.
pub fn is_system_file(path: &str) -> bool {
    const SYSTEM: [&str; 7] = ["/etc/", "/System/", "/usr/", "/bin/", "/sbin/", "/Library/", "/boot/"];
    let path = path.strip_prefix("/private").unwrap_or(path);
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// Returns true if a path is a disk or the memory.
pub(super) fn is_device(path: &str) -> bool {
    const KINDS: [&str; 8] = ["disk", "rdisk", "sd", "hd", "nvme", "mem", "kmem", "mapper"];
    path.strip_prefix("/dev/").is_some_and(|name| KINDS.iter().any(|kind| name.starts_with(kind)))
}

/// Ends of the paths of other files that decide what runs.
const STARTED: &[&str] = &[
    ".gitconfig", ".ssh/authorized_keys", ".ssh/config", "/etc/hosts", "/etc/sudoers", ".npmrc",
    ".config/fish/config.fish",
];

/// Returns parts of the paths of secrets, each taken apart at its first dot or slash: most words have neither.
fn secrets() -> impl Iterator<Item = (&'static str, &'static str)> {
    let named = [("login", ".keychain"), ("master", ".passwd"), ("agent", ".key"), ("terraform", ".tfstate")];
    SECRETS.iter().map(|rest| ("", *rest)).chain(named)
}

/// Parts of paths that begin there.
const SECRETS: &[&str] = &[
    ".ssh/id_", ".aws/credentials", ".netrc", ".gnupg", ".kube/config", ".docker/config.json", ".pgpass",
    "/etc/shadow", "/etc/gshadow", "/etc/ssl/private", "/etc/wireguard", "/etc/kubernetes/admin.conf",
    "/etc/rancher", "/etc/krb5.keytab", ".npmrc", ".git-credentials", "/etc/ssh/ssh_host_", ".pypirc",
    ".vault_pass", ".my.cnf", ".cargo/credentials", ".gem/credentials", ".streamlit/secrets.toml",
    ".dbt/profiles.yml", ".pulumi/credentials", ".clasprc.json", ".supabase/access-token",
];
