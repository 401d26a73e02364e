//! Paths whose names may be globs, compared name by name.

use crate::path::path_names;
use crate::protected::protected_names;
use crate::words::is_wild_match;
use postern_command::Word;
use std::borrow::Cow;

/// Returns true if the parts, each a name or a glob, are a path above `path` or that path itself.
pub(super) fn may_hold(parts: &[&str], path: &str) -> bool {
    parts.len() <= path_names(path).count()
        && parts.iter().zip(path_names(path)).all(|(part, name)| is_wild_match(&without_classes(part), name))
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

/// Returns true for a pattern of the shell that may stand for an option, or for a file in a protected place.
pub(super) fn may_be_kept(word: &Word) -> bool {
    const SIGNS: [char; 3] = ['*', '?', '['];
    if word.value.is_some() || !word.raw.contains(SIGNS) {
        return false;
    }
    let text: String = word.raw.chars().filter(|letter| !matches!(letter, '"' | '\'' | '\\')).collect();
    let (name, value) = text.split_once('=').unwrap_or((text.as_str(), ""));
    let is_option = name.starts_with('-') && name.contains(SIGNS);
    let attached = name.strip_prefix('-').and_then(|rest| rest.get(1..)).unwrap_or_default();
    is_option || [name, value, attached].into_iter().any(may_be_protected)
}

/// Returns true if a pattern of the shell may stand for a path in a place that is protected in any folder (`.g?t/config`).
///
/// A name that begins with any letters (`*.json`) says too little, and the shell leaves hidden files out of it.
fn may_be_protected(pattern: &str) -> bool {
    let pattern = pattern.to_lowercase();
    let parts: Vec<Cow<'_, str>> = path_names(&pattern).map(without_classes).collect();
    let tells = |part: &str| !part.contains('*') || !part.starts_with(['*', '?']);
    let meets = |part: &str, name: &str| {
        part.starts_with('.') == name.starts_with('.') && tells(part) && is_wild_match(part, name)
    };
    let lies_in = |at: usize, place: &str| {
        let own = parts.get(at..at + path_names(place).count());
        own.is_some_and(|own| {
            own.iter().zip(path_names(place)).all(|(part, name)| meets(part, name))
                && own.iter().any(|part| part.contains(['*', '?']))
        })
    };
    // Of these, any name with the ending is one (`*.code-workspace`).
    let is_workspace = |part: &str| part.contains(['*', '?']) && part.contains(".code-");
    parts.iter().any(|part| is_workspace(part))
        || protected_names().any(|place| (0..parts.len()).any(|at| lies_in(at, place)))
}

#[cfg(test)]
mod tests {
    use super::may_be_protected;

    #[test]
    fn a_pattern_may_stand_for_a_protected_place() {
        for pattern in [
            ".g?t/config", "sub/.g*t/hooks/x", ".gi[t]", ".[a-z]*/x", ".EN?RC", "m?se.toml", "lefthook*",
            "*.code-w*", ".*/x",
        ] {
            assert!(may_be_protected(pattern), "{pattern}");
        }
        for pattern in
            ["*", "src/*", "*.json", "src/*.toml", ".git/x", ".claude/plans/*", ".x*", "a?b", "*/x"]
        {
            assert!(!may_be_protected(pattern), "{pattern}");
        }
    }
}
