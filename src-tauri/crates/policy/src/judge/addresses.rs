//! Addresses, machines and accounts among a step's words: a rule from an offer covers those that were on show.
//!
//! Many programs open an address in the place of a file (`ffprobe https://…`, `svn log https://…`), and no list has them all.

use super::places::is_name_only;
use super::subject::StepSubject;
use crate::risk::RatedEffect;
use crate::rule::{CoveredEffect, Limits};
use postern_command::effect::host_of;
use postern_command::{CommandEffect, EffectScope, file_words};

/// Programs that take texts, or of which each transfer is an effect with its host.
const OTHERS: [&str; 3] = ["git", "gh", "glab"];

/// Schemes of files here, and of stores that belong to an account and not to a host.
const NO_HOSTS: [&str; 4] = ["file", "s3", "gs", "az"];

/// Returns what a rule for a step has to cover besides its effects: hosts of addresses that none of these names.
pub(super) fn besides(
    limits: &Limits,
    subject: &StepSubject<'_>,
    effects: &[RatedEffect],
) -> Option<CoveredEffect> {
    let (kind, scope) = ("fetch".to_owned(), EffectScope::Remote);
    let names: Vec<String> =
        unnamed(limits, subject, effects).into_iter().map(|address| host_of(address).to_owned()).collect();
    (!names.is_empty()).then_some(CoveredEffect { kind, scope, names, says: None })
}

/// Returns the addresses of a step whose hosts no limit names.
pub(super) fn unnamed<'s>(
    limits: &Limits,
    subject: &StepSubject<'s>,
    effects: &[RatedEffect],
) -> Vec<&'s str> {
    let is_named = |address: &str| {
        let mut names = limits.effects.iter().flat_map(|covered| &covered.names);
        names.any(|name| name == address || name == host_of(address))
    };
    addresses(subject, effects).into_iter().filter(|address| !is_named(address)).collect()
}

/// Returns the words that are addresses. Code of the project reaches what it likes, whatever its words are.
///
/// A tool that is fetched (`npx turbo`) takes its address from the words.
fn addresses<'s>(subject: &StepSubject<'s>, effects: &[RatedEffect]) -> Vec<&'s str> {
    let name = subject.step.program().unwrap_or_default();
    if is_name_only(name) || OTHERS.contains(&name) || effects.iter().any(runs_own_code) {
        return Vec::new();
    }
    let words = file_words(subject.step).skip(1).filter_map(|word| word.value.as_deref());
    let any_code = effects.iter().any(RatedEffect::runs_any_code);
    words.filter(|word| is_address(word)).chain(targets(subject, any_code)).collect()
}

/// Last parts of options that name a machine, or an address to listen on: `--bootstrap-server`, `--http-addr`.
const MACHINES: &str = "addr address bind broker brokers endpoint host hostname listen server servers";

/// Last parts of options that name an account, or an installation of what is worked on: `--kube-context`, `--profile`.
const ACCOUNTS: &str = "account cluster configuration connection context env environment profile stage \
    subscription tenant workspace";

/// Returns the machines and accounts that a step's options name. A tool that is fetched calls other things an environment.
fn targets<'s>(subject: &StepSubject<'s>, any_code: bool) -> impl Iterator<Item = &'s str> {
    let argv = &subject.step.argv;
    let value_of = move |at: usize| {
        let word = argv[at].value.as_deref().filter(|word| word.starts_with('-'))?;
        let (option, own) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let last = option.trim_start_matches('-').rsplit(['-', '_', '.']).next()?;
        let named = |list: &str| list.split(' ').any(|one| one == last);
        let next = || argv.get(at + 1)?.value.as_deref().filter(|next| !next.starts_with('-'));
        let value = own.or_else(next)?;
        // `grep --context 3`, `--env NAME=x`
        let is_account = || !value.contains(['=', '/']) && !value.bytes().all(|byte| byte.is_ascii_digit());
        let counts =
            named(MACHINES) && !is_own_machine(value) || !any_code && named(ACCOUNTS) && is_account();
        counts.then_some(value)
    };
    (1..argv.len()).filter_map(value_of)
}

fn is_own_machine(value: &str) -> bool {
    let host = host_of(value).trim_start_matches('[');
    ["localhost", "127.0.0.1", "::1"]
        .iter()
        .any(|own| host.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ']'])))
}

fn runs_own_code(rated: &RatedEffect) -> bool {
    rated.runs_any_code() && !matches!(rated.effect, CommandEffect::RunDownloadedCode { .. })
}

fn is_address(word: &str) -> bool {
    offers_to_all(word)
        || word.split_once("://").is_some_and(|(scheme, rest)| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
            !scheme.is_empty()
                && scheme.bytes().all(plain)
                && !NO_HOSTS.contains(&scheme.to_ascii_lowercase().as_str())
                && !rest.is_empty()
                && !word.contains(char::is_whitespace)
        })
}

/// Returns true for the address by which every machine reaches a server.
fn offers_to_all(word: &str) -> bool {
    ["0.0.0.0", "::", "[::]"].contains(&word) || word.starts_with("0.0.0.0:") || word.starts_with("[::]:")
}
