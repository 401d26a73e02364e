//! Checks of a path: the root, the home folder, the folder where it runs, or one above these.

use super::spelling;
use crate::facts::TargetPath;
use crate::judge::line::JudgmentContext;
use crate::judge::wild_path::{is_all, may_hold};
use crate::path::{self, path_names};

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
