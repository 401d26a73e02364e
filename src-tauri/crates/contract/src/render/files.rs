//! Objects of an effect, and files of it: by their names, or by what names them.

use super::sentence::Sentence;
use postern_command::effect::EffectScope;
use postern_policy::{NamedFiles, RatedEffect};

/// Objects that are named; more are counted.
const MOST_NAMED: usize = 3;

/// Adds objects: named where they are few, counted where they are many.
pub(super) fn objects(begun: Sentence, all: &[String], many: &'static str) -> Sentence {
    match all {
        [] => begun.literal(many),
        _ if all.len() > MOST_NAMED => begun.quantity(all.len()).literal(" ").literal(many),
        [one] => begun.code(one),
        [rest @ .., last] => begun.code_list(rest).literal(" and ").code(last),
    }
}

/// Adds files: those of a list in place of a loop's variable, and what a search finds in place of its mark.
pub(super) fn files(
    begun: Sentence,
    named: Option<&NamedFiles>,
    paths: &[String],
    many: &'static str,
) -> Sentence {
    let (given, all) = named_apart(named, paths);
    match (given, all.as_slice()) {
        (None, all) => objects(begun, all, many),
        (Some(given), []) => add_given(begun, given),
        (Some(given), all) => objects(add_given(begun, given).literal(" and "), all, many),
    }
}

/// Returns true if the paths stand for more than one file.
pub(super) fn many(named: Option<&NamedFiles>, paths: &[String]) -> bool {
    let (given, all) = named_apart(named, paths);
    given.is_some() || all.len() > 1
}

/// Adds that files lie outside of the agent's folders, or that they may where only the run tells them.
pub(super) fn add_reach(said: Sentence, rated: &RatedEffect, paths: &[String]) -> Sentence {
    let (given, all) = named_apart(rated.named.as_ref(), paths);
    let is_open = |path: &String| path.contains(['$', '`']);
    let named_by_run = matches!(given, Some(NamedFiles::Input));
    let open = (named_by_run || given.is_none() && !all.is_empty()) && all.iter().all(is_open);
    match rated.scope {
        EffectScope::Outside if open => said.literal(", perhaps outside of its folders"),
        EffectScope::Outside => said.literal(", outside of its folders"),
        EffectScope::Inside | EffectScope::Machine | EffectScope::Remote => said,
    }
}

/// Returns what names some of the paths, if it does, and the others: each word of a loop's list is one.
fn named_apart<'r>(named: Option<&'r NamedFiles>, paths: &[String]) -> (Option<&'r NamedFiles>, Vec<String>) {
    match named {
        None => (None, paths.to_vec()),
        Some(NamedFiles::Listed { words }) => {
            let values = |path: &String| {
                let word = words.iter().find(|word| word.raw == *path);
                word.map_or_else(|| vec![path.clone()], |word| word.values.clone())
            };
            (None, paths.iter().flat_map(values).collect())
        }
        Some(given) => {
            let named = |path: &&String| !NamedFiles::stands_for_them(path);
            let rest: Vec<String> = paths.iter().filter(named).cloned().collect();
            ((rest.len() < paths.len()).then_some(given), rest)
        }
    }
}

fn add_given(begun: Sentence, given: &NamedFiles) -> Sentence {
    match given {
        NamedFiles::Found { program, folders, patterns, .. } => {
            let said = begun.literal("the files that ").code(program).literal(" finds");
            let said =
                if folders.is_empty() { said } else { objects(said.literal(" in "), folders, "folders") };
            if patterns.is_empty() { said } else { objects(said.literal(" by "), patterns, "patterns") }
        }
        NamedFiles::Input => begun.literal("the files named on its input"),
        // A list is written out.
        NamedFiles::Listed { .. } => begun,
    }
}
