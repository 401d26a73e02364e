//! Commands that uses of tools are equivalent to, so that a rule that denies the command denies the tool.

use super::touched;
use crate::path;
use crate::subject::SHELL_TOOL;
use postern_command::quote_word;
use serde_json::Value as Json;
use std::borrow::Cow;

/// Returns the shell line equivalent to a tool call, or `None`.
///
/// A shell tool has its own line. Other tools become redirections from each path, or into it if they may write,
/// with `home` for `~`. A tool that moves, removes, reads or searches a folder that holds Postern's data (`data`, a
/// real path) reaches it as well. `reached` gives the real absolute path of one that is written so.
pub fn acts_as<'a>(
    tool: &str,
    arguments: &'a Json,
    home: &str,
    data: &str,
    reached: impl Fn(&str) -> String,
) -> Option<Cow<'a, str>> {
    if tool == SHELL_TOOL {
        return arguments.get("command")?.as_str().map(Cow::Borrowed);
    }
    let mut paths = touched::used_paths(tool, arguments);
    for path in &mut paths {
        *path = Cow::Owned(path::expand_home(path, home).into_owned());
    }
    let holds = |path: &str| path::is_within(&path::deny_key(data), &path::deny_key(&reached(path)));
    let leads = |pattern: &String| leads_into(&reached(&path::expand_home(pattern, home)), data);
    let reads = touched::only_reads(tool);
    let is_whole = touched::takes_all(tool) || touched::searches(tool) || tool == "read_file";
    let patterns = touched::patterns(tool, arguments);
    let lies_there = |path: &Cow<'_, str>| {
        let path = reached(&path::expand_home(path, home));
        path::is_within(&path::deny_key(&path), &path::deny_key(data))
    };
    let is_unnamed = touched::unnamed_paths(tool, arguments).iter().any(lies_there);
    if is_unnamed || patterns.iter().any(leads) || is_whole && paths.iter().any(|path| holds(path)) {
        paths.push(Cow::Owned(data.to_owned()));
    }
    let sign = if reads { '<' } else { '>' };
    let writes: Vec<String> = paths.iter().map(|path| format!(": {sign} {}", quote_word(path))).collect();
    (!writes.is_empty()).then(|| Cow::Owned(writes.join("; ")))
}

/// Returns true if a pattern names a folder or its content. `**` lists files without showing their content.
fn leads_into(pattern: &str, folder: &str) -> bool {
    let (pattern, folder) = (path::deny_key(pattern), path::deny_key(folder));
    let mut names = pattern.split('/');
    folder
        .split('/')
        .all(|name| names.next().is_some_and(|own| own != "**" && crate::words::is_wild_match(own, name)))
}

#[cfg(test)]
mod tests {
    use super::acts_as;
    use serde_json::Value;

    #[test]
    fn a_tool_that_may_write_is_a_redirection_into_what_it_names() {
        let reached = |path: &str| crate::path::join_path("/home/u", path);
        for (tool, arguments, expected) in
            crate::testing::rows::<(String, Value, Option<String>)>(include_str!("acts_as.jsonl"))
        {
            assert_eq!(
                acts_as(&tool, &arguments, "/home/u", "/home/u/data/p", reached).as_deref(),
                expected.as_deref(),
                "{tool} {arguments}"
            );
        }
    }
}
