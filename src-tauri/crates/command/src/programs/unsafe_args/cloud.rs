//! Clouds, clusters and what is built on them: their programs have thousands of commands, and more every month. What only looks is
//! known by its verb; anything else changes something, or may.

use super::{FoundArg, has_word};
use crate::ArgEffect;
use crate::invocation::Invocation;

/// Verbs that only read.
const READING: &str = "list ls describe show get get-value get-values status version info help view search \
    stat du head history logs log tail output outputs whoami about members inspect events cat hash read \
    wait diff lint validate fmt template graph ip ps doctor check rtt find env verify proxy-status analyze \
    completion synth synthesize preview pre port global-status package dependency dep repo stats top trace \
    images rdeps hclfmt hcl console-url";

/// Verbs that stand before another word which is no verb then (`delete list`).
const WRITING: &str = "create delete update set add remove rm run exec ssh scp deploy patch apply start \
    stop restart reset reboot destroy import export install uninstall upgrade enable disable attach detach \
    use select edit new init login logout push put cp mv sync rsync connect invoke call send replace \
    rollback resume suspend cancel promote purge prune up down kv terminate action plugin config box state \
    stack app addons operator acl";

/// Words that are verbs of one program and groups of another.
const GROUPS: &str = "config app stack state kv run plugin box addons operator acl deploy";

/// Words after which passwords and keys are shown.
const SECRET: &str = "token secret password credential presign signurl sign-url connection-string \
    kubeconfig get-login generate-sas wallet ssh-key";

/// Commands of aws that read, and write what they read into a file.
const INTO_A_FILE: &str = "get-object get-object-torrent get-export get-sdk get-game-session-log \
    select-object-content";

/// Returns the first argument by which it does more than print.
pub(super) fn find_cloud_arg(name: &str, read: &Invocation<'_>) -> FoundArg {
    let words: Vec<(usize, &str)> =
        read.operands.iter().take(6).filter_map(|at| Some((*at, read.word_at(*at)?))).collect();
    let secret = |word: &str| {
        SECRET.split(' ').any(|part| word.contains(part))
            || matches!(word, "keys" | "sas")
            || has_word(INTO_A_FILE, word)
    };
    if let Some((at, _)) = words.iter().find(|(_, word)| secret(word)) {
        return Some((*at, ArgEffect::Secrets, "shows or keeps what should not be known, or writes a file"));
    }
    let first = read.operands.first().copied()?;
    // Groups have a verb of their own behind them; of those that are no verbs, the next word is asked.
    for (at, word) in &words {
        if only_reads(name, word) {
            return None;
        }
        if has_word(WRITING, word) && !has_word(GROUPS, word) {
            return Some((*at, ArgEffect::Changes, "changes something in a cloud or a cluster, or may"));
        }
    }
    // Of a model, a chart or a package the version is one to choose, and has a value behind it.
    let last = read.args.len() - 1;
    let tells = read.options.iter().any(|given| match &*given.name {
        "--help" => true,
        "--version" => given.value.is_none() && given.at == last,
        _ => false,
    });
    (!tells).then_some((first, ArgEffect::Changes, "changes something in a cloud or a cluster, or may"))
}

fn only_reads(name: &str, word: &str) -> bool {
    let prefixes =
        ["describe-", "list-", "get-", "head-", "filter-", "lookup-", "batch-get-", "estimate-", "search-"];
    has_word(READING, word)
        || matches!(name, "aws")
            && (prefixes.iter().any(|prefix| word.starts_with(prefix)) || matches!(word, "scan" | "query"))
}
