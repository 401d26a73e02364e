//! Whether a path is the root, the home folder, the folder where it runs, or above one of them.

use super::spelling;
use crate::facts::{Facts, Target};
use crate::path;
use crate::words::wild;
use std::borrow::Cow;

/// Whether an operand is everything, in any of the spellings that it may turn into, or by where a link leads.
pub(super) fn is_meant(operand: &str, folder: Option<&str>, targets: &[Target], facts: &Facts<'_>) -> bool {
    let here = folder.unwrap_or(facts.cwd);
    spelling::all(operand, here, facts)
        .iter()
        .any(|text| is_everything(text, here, facts) || leads_there(text, here, targets, facts))
}

/// A link that is removed is a link; what lies behind it goes where the path goes on.
fn leads_there(text: &str, here: &str, targets: &[Target], facts: &Facts<'_>) -> bool {
    let same_name = |real: &str| path::base_name(real) == path::base_name(text);
    let mut led = targets.iter().filter(|target| target.written == text).map(|target| target.real.as_str());
    led.any(|real| {
        let real = real.trim_end_matches("/*");
        (text.ends_with(['/', '*', '.']) || same_name(real)) && is_everything(real, here, facts)
    })
}

/// Whether an operand is the home folder, or above it.
pub(super) fn is_home_or_above(operand: &str, folder: Option<&str>, facts: &Facts<'_>) -> bool {
    let here = folder.unwrap_or(facts.cwd);
    let home = path::fold(facts.home);
    let mut texts = spelling::all(operand, here, facts).into_iter();
    texts.any(|text| folder_of(&text, here).is_some_and(|(parts, _)| may_hold(&parts, &home)))
}

fn is_everything(text: &str, here: &str, facts: &Facts<'_>) -> bool {
    let Some((parts, all_in_it)) = folder_of(text, here) else { return false };
    if parts.first().is_none_or(|first| first == ".vol") {
        return true;
    }
    let (home, here, cwd) = (path::fold(facts.home), path::fold(here), path::fold(facts.cwd));
    // All that is in a folder below the request's own is no more than `rm -rf build`.
    let place = if all_in_it { &cwd } else { &here };
    may_hold(&parts, &home) || may_hold(&parts, place)
}

/// The parts of a path, each a name or a glob, without those at its end that name all there is; and whether there were
/// such. None where something in it is not known.
fn folder_of(text: &str, here: &str) -> Option<(Vec<String>, bool)> {
    if text.is_empty() || text.contains(['$', '`']) {
        return None;
    }
    let absolute = path::join(here, &path::out_of_proc(text, here));
    let folded = path::fold(&path::without_volume(&absolute)).into_owned();
    let mut parts: Vec<&str> = split(&folded).collect();
    let named = parts.len();
    while parts.last().is_some_and(|part| is_all(part)) {
        parts.pop();
    }
    let all_in_it = parts.len() < named;
    let parts = parts.into_iter().map(|part| bare(part).into_owned()).collect();
    Some((parts, all_in_it))
}

/// Whether the parts, each a name or a glob, are a path above `path` or that path itself.
fn may_hold(parts: &[String], path: &str) -> bool {
    let names: Vec<&str> = split(path).collect();
    parts.len() <= names.len() && parts.iter().zip(names).all(|(part, name)| wild(part, name))
}

fn split(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

/// A glob's name with each `[…]` as any one character.
pub(super) fn bare(part: &str) -> Cow<'_, str> {
    without_brackets(part, |_| '?')
}

/// A glob's name with each `[…]` as what is made of its inside.
fn without_brackets(part: &str, made_of: fn(&str) -> char) -> Cow<'_, str> {
    if !part.contains('[') {
        return Cow::Borrowed(part);
    }
    let mut out = String::new();
    let mut rest = part;
    while let Some((before, behind)) = rest.split_once('[') {
        let Some(close) = close(behind) else { break };
        out.push_str(before);
        out.push(made_of(&behind[..close]));
        rest = &behind[close + 1..];
    }
    Cow::Owned(out + rest)
}

/// Where a bracket closes, counted from behind its `[`. A `]` that comes first is one of its characters, and that of a
/// `[:alpha:]` in it closes only this.
fn close(inside: &str) -> Option<usize> {
    let first = inside.trim_start_matches(['!', '^']);
    let mut rest = first.strip_prefix(']').unwrap_or(first);
    loop {
        let at = rest.find(['[', ']'])?;
        let (_, sign) = rest.split_at(at);
        if sign.starts_with(']') {
            return Some(inside.len() - sign.len());
        }
        rest = match sign.strip_prefix("[:") {
            Some(class) => class.split_once(":]")?.1,
            None => &sign[1..],
        };
    }
}

/// Whether a glob's name leaves out nothing to speak of: `*`, `.*`, `**`, `?*`, `.[!.]*`, `[[:alpha:]]*`. One that
/// names its characters does: `[0-9]*`.
fn is_all(part: &str) -> bool {
    let part = without_brackets(part, |inside| {
        let wide = inside.starts_with(['!', '^']) || inside.contains("a-z") || inside.contains("[:");
        if wide { '?' } else { 'x' }
    });
    part.contains('*') && part.chars().all(|c| "*?.".contains(c))
}

/// Whether a path, each part a name or a glob, may lie in the folder.
pub(super) fn may_lie_in(path: &str, folder: &str) -> bool {
    let parts: Vec<Cow<'_, str>> = split(path).map(bare).collect();
    let names: Vec<&str> = split(folder).collect();
    parts.len() >= names.len() && names.iter().zip(&parts).all(|(name, part)| wild(part, name))
}

/// Whether a path, each part a name or a glob, may be the folder or one above it.
pub(super) fn may_hold_folder(path: &str, folder: &str) -> bool {
    let parts: Vec<String> = split(path).map(|part| bare(part).into_owned()).collect();
    may_hold(&parts, folder)
}
