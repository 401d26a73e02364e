//! Every text that a face shows goes through here: the one escape, and a count of how much there is.

use postern_contract::ShownText;
pub(crate) use postern_contract::to_pieces;
use postern_policy::from_home;

/// Most bytes of a question that may be text from a request. A person cannot judge a longer one.
pub(crate) const MOST: usize = 16 * 1024;

/// Returns a path as it is shown: what lies in the person's home folder begins with `~`. Paths are absolute,
/// so that none which begins with `~` itself could be taken for it.
pub(crate) fn shown_path(path: &str, home: &str) -> ShownText {
    to_pieces(&from_home(path, home))
}

pub(crate) fn length(shown: &ShownText) -> usize {
    shown.iter().map(|piece| piece.text.len()).sum()
}
