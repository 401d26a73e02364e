//! Paths whose names may be globs, compared name by name.

use crate::words::is_wild_match;
use std::borrow::Cow;

/// Returns true if the parts, each a name or a glob, are a path above `path` or that path itself.
pub(super) fn may_hold(parts: &[&str], path: &str) -> bool {
    parts.len() <= path_names(path).count()
        && parts.iter().zip(path_names(path)).all(|(part, name)| is_wild_match(&without_classes(part), name))
}

/// Returns the names that a path is made of.
pub(super) fn path_names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty())
}

/// Returns a glob's name with each `[…]` as any one character.
pub(super) fn without_classes(part: &str) -> Cow<'_, str> {
    without_brackets(part, |_| '?')
}

/// Returns a glob's name with each `[…]` as what is made of its inside.
fn without_brackets(part: &str, made_of: fn(&str) -> char) -> Cow<'_, str> {
    if !part.contains('[') {
        return Cow::Borrowed(part);
    }
    let mut out = String::new();
    let mut rest = part;
    while let Some((before, behind)) = rest.split_once('[') {
        let Some(close) = closing_bracket(behind) else { break };
        out.push_str(before);
        out.push(made_of(&behind[..close]));
        rest = &behind[close + 1..];
    }
    Cow::Owned(out + rest)
}

/// Returns the index at which a bracket closes, counted from after its `[`.
///
/// A `]` that comes first is one of its characters, and that of a `[:alpha:]` in it closes only this.
fn closing_bracket(inside: &str) -> Option<usize> {
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

/// Returns true if a glob's name leaves out nothing to speak of: `*`, `.*`, `**`, `?*`, `.[!.]*`,
/// `[[:alpha:]]*`. One that names its characters does: `[0-9]*`.
pub(super) fn is_all(part: &str) -> bool {
    let part = without_brackets(part, |inside| {
        let wide = inside.starts_with(['!', '^']) || inside.contains("a-z") || inside.contains("[:");
        if wide { '?' } else { 'x' }
    });
    part.contains('*') && part.chars().all(|c| "*?.".contains(c))
}

/// Returns true if a path, each part a name or a glob, may lie in the folder with these names.
pub(super) fn may_lie_in(path: &str, folder: &[String]) -> bool {
    let parts: Vec<Cow<'_, str>> = path_names(path).map(without_classes).collect();
    parts.len() >= folder.len() && folder.iter().zip(&parts).all(|(name, part)| is_wild_match(part, name))
}

/// Returns true if a path, each part a name or a glob, may be the folder or one above it.
pub(super) fn may_hold_folder(path: &str, folder: &str) -> bool {
    may_hold(&path_names(path).collect::<Vec<_>>(), folder)
}
