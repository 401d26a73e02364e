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
    let is_named = || !left_out && (is_secret_file(name) || attached.is_some_and(is_secret_file));
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

/// Returns true for a file that keeps secrets, by its name: `.env.local`, `server-key.pem`, `api_token.json`. Examples hold none.
fn is_secret_file(name: &str) -> bool {
    // All others have one of these, and most words do not.
    if !name.contains(['.', '_']) {
        return name == "kubeconfig";
    }
    let end = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    SECRET_NAMES.contains(&name)
        || is_environment_file(name)
        || is_history(name)
        || ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"].iter().any(|key| name.starts_with(key))
        || end.is_some_and(|(stem, end)| {
            // `jq .items[].key` is no file.
            let stores = || STORES.contains(&end) && is_plain_name(stem) && !stem.starts_with('.');
            end == "pem" && (stem.ends_with("key") || stem.contains("priv")) || stores() || is_data(stem, end)
        })
}

/// Returns true for `.env.local`, `.env-prod` and `dev.env`, and not for examples and what code calls its environment.
fn is_environment_file(name: &str) -> bool {
    const NONE: [&str; 8] = ["dist", "env", "example", "meta", "process", "sample", "template", "test"];
    let of = name.strip_prefix(".env").filter(|rest| rest.starts_with(['.', '-', '_']));
    let of =
        of.or_else(|| name.strip_suffix(".env").filter(|stem| is_plain_name(stem) && !stem.starts_with('.')));
    // `latest.env` is no test.
    let is_real = |of: &str| of.rsplit(['.', '-', '_']).next().is_none_or(|last| !NONE.contains(&last));
    of.is_some_and(|of| !of.is_empty() && is_real(of))
}

/// Returns true for what a shell or a client of a database keeps of its lines: `.zsh_history`.
fn is_history(name: &str) -> bool {
    name == "fish_history"
        || name.strip_prefix('.').is_some_and(|rest| rest.ends_with("_history") && is_plain_name(rest))
}

/// Returns true for a file of data, by its ending, that its name calls a secret: `secrets.yml`, `api_token.json`, `sa-key.json`.
fn is_data(stem: &str, end: &str) -> bool {
    const ENDS: [&str; 14] = [
        "cfg", "conf", "csv", "db", "ini", "json", "pickle", "plist", "properties", "toml", "txt", "xml",
        "yaml", "yml",
    ];
    const NAMES: [&str; 12] = [
        "accesskey", "accesskeys", "apikey", "apikeys", "credential", "credentials", "masterkey",
        "privatekey", "secret", "secretkey", "secrets", "token",
    ];
    const PASSWORDS: [&str; 4] = ["passwd", "passwds", "password", "passwords"];
    if !ENDS.contains(&end) || !is_plain_name(stem) {
        return false;
    }
    let joined: String = stem.chars().filter(|letter| !matches!(letter, '-' | '_' | '.')).collect();
    let is_named = |names: &[&str]| names.iter().any(|name| joined.ends_with(name));
    // Translations and forms are called `password.json`.
    is_named(&NAMES)
        || matches!(end, "csv" | "txt") && is_named(&PASSWORDS)
        || end == "json" && is_key_of_account(stem, &joined)
}

/// Returns true for what Google's and Apple's consoles call the key of an account.
fn is_key_of_account(stem: &str, joined: &str) -> bool {
    joined.starts_with("clientsecret")
        || joined.starts_with("serviceaccount")
        || joined.contains("adminsdk")
        || stem.ends_with("-key")
        || stem.ends_with("_key")
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// Names of files that hold secrets and do not say so, in lower case, from the manuals of what reads them.
const SECRET_NAMES: [&str; 44] = [
    ".boto", ".databrickscfg", ".dev.vars", ".dockercfg", ".dockerconfigjson", ".env", ".erlang.cookie",
    ".ftpconfig", ".htdigest", ".htpasswd", ".modal.toml", ".msmtprc", ".mylogin.cnf", ".passwd-s3fs",
    ".s3cfg", ".sentryclirc", ".smbcredentials", ".terraformrc", ".vault-pass", ".vault-token", "_netrc",
    "cookies.sqlite", "cookies.txt", "credentials.tfrc.json", "kaggle.json", "key.properties", "key3.db",
    "key4.db", "keystore.properties", "kubeconfig.yaml", "kubeconfig.yml", "local.settings.json",
    "logins.json", "oauth_creds.json", "prod.secret.exs", "rclone.conf", "secring.gpg", "sftp-config.json",
    "sftp.json", "signing.properties", "snowsql.cnf", "terraform.rc", "wallet.dat", "wp-config.php",
];

/// Ends of the names of keys, stores of keys, and the state of Terraform.
const STORES: [&str; 13] =
    ["bks", "jks", "kdb", "kdbx", "key", "keystore", "keytab", "ovpn", "p12", "p8", "pfx", "ppk", "tfstate"];

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
