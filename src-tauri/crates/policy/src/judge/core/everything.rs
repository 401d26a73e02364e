//! Checks of a path: the root, the home folder, the folder where it runs, or one above these.

use super::spelling;
use crate::facts::TargetPath;
use crate::judge::line::JudgmentContext;
use crate::path;
use crate::words::is_wild_match;
use std::borrow::Cow;

/// Returns true if an operand is everything, in any of the spellings that it may turn into, or by where a
/// link leads.
pub(super) fn is_meant(
    operand: &str,
    folder: Option<&str>,
    targets: &[TargetPath],
    line: &JudgmentContext<'_>,
) -> bool {
    let here = folder.unwrap_or(line.cwd);
    spelling::all_spellings(operand, here, line)
        .iter()
        .any(|text| is_everything(text, here, line) || leads_there(text, here, targets, line))
}

/// Checks if the text leads there. A removed link is a link; what lies behind it goes where the path goes on.
fn leads_there(text: &str, here: &str, targets: &[TargetPath], line: &JudgmentContext<'_>) -> bool {
    let same_name = |real: &str| path::base_name(real) == path::base_name(text);
    let mut led = targets.iter().filter(|target| target.written == text).map(|target| target.real.as_str());
    led.any(|real| {
        let real =
            real.strip_suffix("/*").map_or(real, |folder| if folder.is_empty() { "/" } else { folder });
        (text.ends_with(['/', '*', '.']) || same_name(real)) && is_everything(real, here, line)
    })
}

/// Returns true if an operand is the home folder, or above it.
pub(super) fn is_home_or_above(operand: &str, folder: Option<&str>, line: &JudgmentContext<'_>) -> bool {
    let here = folder.unwrap_or(line.cwd);
    let home = path::fold_case(path::without_any_volume(line.home));
    let texts = spelling::all_spellings(operand, here, line);
    texts.iter().any(|text| in_parts(text, here, |parts, _| may_hold(parts, &home)))
}

fn is_everything(text: &str, here: &str, line: &JudgmentContext<'_>) -> bool {
    in_parts(text, here, |parts, all_in_it| {
        // All that is in a folder below the request's own is no more than `rm -rf build`.
        let place = if all_in_it { line.cwd } else { here };
        parts.first().is_none_or(|first| *first == ".vol")
            || may_hold(parts, &path::fold_case(path::without_any_volume(line.home)))
            || may_hold(parts, &path::fold_case(path::without_any_volume(place)))
    })
}

/// Passes the parts of a path to `look`, each a name or a glob, unless something in it is not known.
///
/// Parts at its end that name all there is are left out; `look` gets whether there were such.
fn in_parts(text: &str, here: &str, look: impl FnOnce(&[&str], bool) -> bool) -> bool {
    if text.is_empty() || text.contains(['$', '`']) {
        return false;
    }
    let absolute = path::reached(here, text);
    let folded = path::fold_case(path::without_any_volume(&absolute)).into_owned();
    let mut parts: Vec<&str> = path_names(&folded).collect();
    let named = parts.len();
    while parts.last().is_some_and(|part| is_all(part)) {
        parts.pop();
    }
    look(&parts, parts.len() < named)
}

/// Returns true if the parts, each a name or a glob, are a path above `path` or that path itself.
fn may_hold(parts: &[&str], path: &str) -> bool {
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
fn is_all(part: &str) -> bool {
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
