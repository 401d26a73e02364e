//! Addresses among a step's words: a rule from an offer covers those that were on show, and no others.
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
    words.filter(|word| is_address(word)).collect()
}

fn runs_own_code(rated: &RatedEffect) -> bool {
    rated.runs_any_code() && !matches!(rated.effect, CommandEffect::RunDownloadedCode { .. })
}

fn is_address(word: &str) -> bool {
    word.split_once("://").is_some_and(|(scheme, rest)| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        !scheme.is_empty()
            && scheme.bytes().all(plain)
            && !NO_HOSTS.contains(&scheme.to_ascii_lowercase().as_str())
            && !rest.is_empty()
            && !word.contains(char::is_whitespace)
    })
}
