//! Words that say what a program does of which nothing else is known.

use crate::programs::command_words;

/// Returns the words that name what a command does, as far as they are known.
pub(super) fn label_of(words: &[Option<&str>]) -> String {
    let known: Vec<&str> = words.iter().map_while(|word| *word).collect();
    let mut label = command_words(&known);
    label.extend(known.iter().skip(label.len()).copied().filter(|word| is_grave(word)));
    label.join(" ")
}

/// Returns true for a word that says what even an unknown program does, or that it does so in production.
///
/// A part of it may: `doctrine:schema:drop`, `files.delete`, `StopInstance`, `run-now`, `-wipe-data`.
pub fn is_grave(word: &str) -> bool {
    const GRAVE: [&str; 58] = [
        "abandon", "add", "alter", "apply", "approve", "cancel", "create", "delete", "deploy", "destroy",
        "disable", "drop", "erase", "evict", "exec", "execute", "flush", "fresh", "grant", "install",
        "invite", "invoke", "kill", "merge", "modify", "obliterate", "post", "prod", "production", "prune",
        "publish", "purge", "push", "put", "reboot", "remove", "replace", "reset", "restart", "restore",
        "revoke", "rm", "rollback", "send", "set", "shutdown", "signal", "start", "stop", "submit",
        "suspend", "terminate", "trigger", "uninstall", "update", "upload", "wipe", "write",
    ];
    let is_one = |word: &str| GRAVE.contains(&word);
    if let Some(option) = word.strip_prefix('-') {
        return is_one(option.trim_start_matches('-')) || loses(option.trim_start_matches('-'));
    }
    first_and_last_part(word).iter().any(|part| is_one(part)) || is_one(word) || runs_more(word)
}

/// Returns true for the name of an option whose first part says that something is lost: `wipe-data`, `purge_all=yes`.
fn loses(option: &str) -> bool {
    const LOSES: [&str; 12] = [
        "delete", "destroy", "drop", "erase", "flush", "prune", "purge", "remove", "reset", "truncate",
        "uninstall", "wipe",
    ];
    let name = option.split(['=', '-', '_', ':', '.']).next().unwrap_or(option);
    LOSES.contains(&verb_of(name).as_str())
}

/// Returns true for a word that says that something is run, and what: `run-now`, `RunCommand`. Alone it is a command like any other.
fn runs_more(word: &str) -> bool {
    let Some((first, rest)) = word.split_at_checked(3) else { return false };
    let goes_on = rest.starts_with(|c: char| c.is_ascii_uppercase() || matches!(c, '-' | '_'));
    matches!(first, "run" | "Run") && goes_on && !rest.contains(['/', '.'])
}

/// Returns the first and the last part of a word that is made of parts.
///
/// Before a dot stands no verb: `update.sql` is a file.
fn first_and_last_part(word: &str) -> Vec<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphabetic() || b"-_:.".contains(&byte);
    if !word.bytes().all(is_plain) {
        return Vec::new();
    }
    let last = word.rsplit('.').next().unwrap_or(word);
    let parts: Vec<&str> = last.split([':', '-', '_']).collect();
    parts.first().into_iter().chain(parts.last()).map(|part| verb_of(part)).collect()
}

/// Returns the beginning of a name that is written as one: `StopInstance` begins with `Stop`.
fn verb_of(name: &str) -> String {
    let turns = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let end = name.as_bytes().windows(2).position(turns).map_or(name.len(), |at| at + 1);
    name[..end].to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::is_grave;

    #[test]
    fn a_word_or_its_first_or_last_part_says_what_is_done() {
        for word in [
            "delete", "--delete", "doctrine:schema:drop", "migrate:fresh", "files.delete", "StopInstance",
            "delete-stack", "force-remove", "DELETE", "prod", "--prod", "run-now", "RunCommand",
            "runInstances", "InvokeCommand", "-wipe-data", "--purge_all=yes", "--deleteAll", "--delete=x",
        ] {
            assert!(is_grave(word), "{word}");
        }
        for word in [
            "list", "update.sql", "src/delete", "--start-date", "settings", "deleted", "", "--", "a:b", "é",
            "run", "runner", "running", "RUNNER", "run-all.sh", "rué", "rün", "--no-delete", "--dropout",
            "-é",
        ] {
            assert!(!is_grave(word), "{word}");
        }
    }
}
