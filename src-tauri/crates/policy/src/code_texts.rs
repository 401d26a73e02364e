//! Texts in the code of a command that may be commands and paths.

use crate::given::without_quotes;

/// Names of functions that remove a whole tree, in several languages.
pub(crate) const REMOVES: &[&str] = &[
    "rmtree", "rm_rf", "rm_r", "rmsync", "rmdirsync", "fs.rm", "removesync", "rimraf", "remove_tree",
    "remove_dir_all", "deno.remove", "removeitem", "del_dir_r",
];

/// Returns the texts in quotes, of each kind by itself: those in a quoted text are found too.
pub(crate) fn literals(code: &str) -> impl Iterator<Item = &str> {
    ['"', '\'', '`'].into_iter().flat_map(|quote| code.split(quote).skip(1).step_by(2))
}

/// Returns the commands that a shell would find in a text, as a list of words each.
pub(crate) fn commands(text: &str) -> impl Iterator<Item = Vec<String>> {
    let parts = text.split([';', '&', '|', '\n']);
    parts.map(|part| part.split_whitespace().map(without_quotes).collect())
}
