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
/// A part of it may: `doctrine:schema:drop`, `files.delete`, `StopInstance`.
pub fn is_grave(word: &str) -> bool {
    const GRAVE: [&str; 53] = [
        "abandon", "add", "alter", "apply", "approve", "cancel", "create", "delete", "deploy", "destroy",
        "disable", "drop", "erase", "evict", "exec", "flush", "fresh", "grant", "install", "invite", "kill",
        "merge", "obliterate", "post", "prod", "production", "prune", "publish", "purge", "push", "reboot",
        "remove", "reset", "restart", "restore", "revoke", "rm", "rollback", "send", "set", "shutdown",
        "signal", "start", "stop", "submit", "suspend", "terminate", "trigger", "uninstall", "update",
        "upload", "wipe", "write",
    ];
    let is_one = |word: &str| GRAVE.contains(&word);
    is_one(word.trim_start_matches('-')) || first_and_last_part(word).iter().any(|part| is_one(part))
}

/// Returns the first and the last part of a word that is made of parts.
///
/// An option has none, and before a dot stands no verb: `update.sql` is a file.
fn first_and_last_part(word: &str) -> Vec<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphabetic() || b"-_:.".contains(&byte);
    if word.starts_with('-') || !word.bytes().all(is_plain) {
        return Vec::new();
    }
    let last = word.rsplit('.').next().unwrap_or(word);
    let parts: Vec<&str> = last.split([':', '-', '_']).collect();
    // `StopInstance` begins with `Stop`.
    let begin = |part: &str| {
        let turns = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
        let end = part.as_bytes().windows(2).position(turns).map_or(part.len(), |at| at + 1);
        part[..end].to_ascii_lowercase()
    };
    parts.first().into_iter().chain(parts.last()).map(|part| begin(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::is_grave;

    #[test]
    fn a_word_or_its_first_or_last_part_says_what_is_done() {
        for word in [
            "delete", "--delete", "doctrine:schema:drop", "migrate:fresh", "files.delete", "StopInstance",
            "delete-stack", "force-remove", "DELETE", "prod", "--prod",
        ] {
            assert!(is_grave(word), "{word}");
        }
        for word in
            ["list", "update.sql", "src/delete", "--start-date", "settings", "deleted", "", "--", "a:b", "é"]
        {
            assert!(!is_grave(word), "{word}");
        }
    }
}
