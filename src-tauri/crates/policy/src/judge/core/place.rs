//! Postern's own folders as words of a command may name them. Nearly every word of every command leads nowhere near, and
//! most of those are told without taking them to pieces.

use super::spelling;
use crate::judge::guarded::{From, GuardedFolder, comparison_key, is_other_name};
use crate::judge::line::JudgmentContext;
use crate::judge::wild_path::{may_lie_in, without_classes};
use crate::path::{self, path_names};
use crate::words::is_wild_match;
use foldhash::HashMap;
use postern_protocol::{SHORT_FOLDER, short_folder};
use smallvec::SmallVec;
use std::cell::{OnceCell, RefCell};

/// Bytes of a known word that may be a path, or an option with one: no system takes longer ones (`PATH_MAX` is 4,096).
pub(super) const LONGEST_PATH: usize = 8 * 1024;

/// Beginnings of a word that is a path in the home folder, after a quote before it.
const AT_HOME: [&str; 5] = ["~/", "$HOME/", "${HOME}/", "$HOME\"/", "${HOME}\"/"];

/// Postern's own folders, seen from a folder in which something runs.
pub(in crate::judge) struct OwnFoldersView<'l> {
    pub(super) line: &'l JudgmentContext<'l>,
    /// The folder in which it runs.
    pub(super) here: &'l str,
    views: SmallVec<[FolderView<'l>; 2]>,
}

impl<'l> OwnFoldersView<'l> {
    pub(in crate::judge) fn new(line: &'l JudgmentContext<'_>, here: &'l str) -> Self {
        let data = FolderView::new(line, here, 0, path::base_name(line.data));
        let channels = short_folder(line.data).map(|_| FolderView::new(line, here, 1, SHORT_FOLDER));
        Self { line, here, views: std::iter::once(data).chain(channels).collect() }
    }

    /// Returns true if a word of a command is, or holds, a path in one of them.
    pub(in crate::judge) fn is_named_by(&self, word: &str) -> bool {
        word.len() <= LONGEST_PATH && spellings(word).any(|text| self.holds_path(text))
    }

    /// Returns true if a path lies in one of them, in one of the spellings that it may turn into.
    pub(super) fn holds_path(&self, text: &str) -> bool {
        self.views.iter().any(|view| view.holds_path(text))
    }
}

/// Folder of Postern's own, seen from a folder in which something runs.
struct FolderView<'l> {
    line: &'l JudgmentContext<'l>,
    here: &'l str,
    /// Index of the folder among those that are guarded.
    at: usize,
    /// A name in the folder's path that hardly any other path has.
    name: &'l str,
    /// That name stands nowhere in `here`.
    unnamed: bool,
    /// Position of `here`; worked out for the first word that is looked at closely.
    from: OnceCell<From>,
    /// Results of close looks at words: scripts name the same few variables over and over.
    looked: RefCell<HashMap<String, bool>>,
}

impl<'l> FolderView<'l> {
    fn new(line: &'l JudgmentContext<'_>, here: &'l str, at: usize, name: &'l str) -> Self {
        let unnamed = name.is_ascii() && !mentions(name, here);
        Self { line, here, at, name, unnamed, from: OnceCell::new(), looked: RefCell::default() }
    }

    fn guarded(&self) -> &GuardedFolder {
        &self.line.guarded().folders[self.at]
    }

    fn from(&self) -> From {
        let guarded = self.guarded();
        let known = self.here == self.line.cwd;
        *self
            .from
            .get_or_init(|| if known { guarded.cwd } else { From::from_folder(self.here, &guarded.key) })
    }

    fn holds_path(&self, text: &str) -> bool {
        let numbered = mentions(".vol", text);
        if !numbered && (self.is_far(text) || self.stays_here(text) || self.begins_elsewhere(text)) {
            return false;
        }
        if let Some(held) = self.looked.borrow().get(text) {
            return *held;
        }
        let texts = spelling::all_spellings(text, self.here, self.line);
        let mut near = texts.iter().filter(|text| !self.leads_elsewhere(text));
        let held = near.any(|text| {
            let path = resolved(text, self.here);
            // Only the system knows which file an id names: it may be one of these.
            numbered && path::is_by_number(&path) || may_lie_in(&path, &self.guarded().names)
        });
        self.looked.borrow_mut().insert(text.to_owned(), held);
        held
    }

    /// Returns true if neither a plain path nor the folder where it runs has the name of the guarded folder.
    /// Of an option or an assignment the text behind `=` is a part, so it is no nearer than the whole.
    fn is_far(&self, text: &str) -> bool {
        let special =
            |byte: u8| !byte.is_ascii_alphanumeric() && (!byte.is_ascii() || b"$`*?[{~\\\"'".contains(&byte));
        self.unnamed && !text.bytes().any(special) && !mentions(self.name, text)
    }

    /// Returns true if a word is one name in a folder that is neither in the guarded folder nor its parent.
    ///
    /// This holds for all that the name may turn into.
    fn stays_here(&self, text: &str) -> bool {
        let near = match self.from() {
            From::Inside => true,
            From::Above(names) => names + 1 >= self.guarded().names.len(),
            From::Beside => false,
        };
        !near && !text.contains(['/', '~', '`']) && self.is_unknown(text)
    }

    /// Returns true if a word begins with names that lead elsewhere, and nothing in it leads back.
    ///
    /// That is no variable that is known, no `..`, and no two dots that could become one where it is quoted
    /// or has braces.
    fn begins_elsewhere(&self, text: &str) -> bool {
        let written_out = !text.contains(['"', '\'', '\\', '{']);
        let up = if written_out { text.contains("..") } else { text.matches('.').nth(1).is_some() };
        let begin = text.trim_start_matches(['"', '\'']);
        let at_home = AT_HOME.iter().find_map(|home| begin.strip_prefix(home));
        let begin = at_home.unwrap_or(begin);
        if up || begin.contains(['`', '~']) || !self.is_unknown(begin) {
            return false;
        }
        let GuardedFolder { names: guarded, home, .. } = self.guarded();
        let at = match if at_home.is_some() { *home } else { self.from() } {
            _ if at_home.is_none() && begin.starts_with('/') => 0,
            From::Beside if at_home.is_some() || begin.starts_with(|c| c == '$' || is_plain(c)) => {
                return true;
            }
            From::Above(names) => names,
            From::Inside | From::Beside => return false,
        };
        let mut own = path_names(begin);
        for name in guarded.iter().skip(at) {
            // A variable of which nothing is known stays in the name, and no folder is called so.
            let plain = |own: &&str| own.chars().all(|c| c == '$' || is_plain(c));
            let Some(own) = own.next().filter(plain) else { return false };
            if at == 0 && is_other_name(own) {
                return false;
            }
            if path::fold_case(own) != *name {
                return true;
            }
        }
        false
    }

    /// Returns true if the line gives no value to any variable of a text.
    ///
    /// Nor can a variable become one that has a value where quotes are taken from its name or braces add to
    /// it (`$HO{ME,}`).
    fn is_unknown(&self, text: &str) -> bool {
        if !text.contains('$') {
            return true;
        }
        let text = crate::given::without_quotes(text);
        if text.match_indices('{').any(|(at, _)| !text[..at].ends_with('$')) {
            return false;
        }
        text.split('$').skip(1).all(|rest| {
            let inner = rest.strip_prefix('{').unwrap_or(rest);
            let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
            let (name, behind) = inner.split_at(end);
            let whole = rest.len() == inner.len() || behind.starts_with('}');
            whole && !rest.starts_with('(') && !self.line.knows_variable(name)
        })
    }

    /// Returns true if one of a spelling's names is none of the guarded folder's, or it has too few.
    fn leads_elsewhere(&self, text: &str) -> bool {
        if text.contains("..") {
            return false;
        }
        let guarded = &self.guarded().names;
        let at = match self.from() {
            _ if text.starts_with('/') => 0,
            From::Inside => return false,
            From::Above(names) => names,
            From::Beside => return true,
        };
        let mut own = path_names(text).filter(|name| *name != ".").peekable();
        if at == 0 && own.peek().is_some_and(|first| is_other_name(first)) {
            return false;
        }
        !guarded.iter().skip(at).all(|name| own.next().is_some_and(|own| may_be(own, name)))
    }
}

/// Returns true if a name or a glob may be the name, which is written as paths are compared.
fn may_be(own: &str, name: &str) -> bool {
    let plain = own.is_ascii() && !own.contains(['*', '?', '[']);
    if plain {
        own.eq_ignore_ascii_case(name)
    } else {
        is_wild_match(&without_classes(&path::fold_case(own)), name)
    }
}

/// Returns true for a character that is itself wherever it stands in a word.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "_-+@%,".contains(c)
}

/// Returns true if the name stands in the text, whatever its letter case; no name stands in every text.
pub(super) fn mentions(name: &str, text: &str) -> bool {
    name.is_empty()
        || text.as_bytes().windows(name.len()).any(|part| part.eq_ignore_ascii_case(name.as_bytes()))
}

/// Returns the paths that a word may name: itself, or the value of an option or assignment.
///
/// The value comes after `=` (`--output=/x`, `of=/x`), or after the option's letter.
pub(in crate::judge) fn spellings(word: &str) -> impl Iterator<Item = &str> {
    let behind = word.split_once('=').map(|(_, value)| value);
    let glued = word.strip_prefix('-').and_then(|rest| rest.find(['/', '~']).map(|at| &rest[at..]));
    std::iter::once(word).chain(behind).chain(glued)
}

/// Returns the path that a spelling leads to, written as paths are compared.
pub(super) fn resolved(text: &str, here: &str) -> String {
    comparison_key(&path::reached(here, text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{OwnFoldersView, may_lie_in, resolved, spelling};
    use crate::facts::Facts;
    use crate::judge::line::JudgmentContext;
    use crate::testing::{DATA, Scene};
    use proptest::prelude::*;

    const PIECES: [&str; 35] = [
        "~/", "$HOME/", "\"${HOME}\"/", "/", "/", "/", "..", ".", "~", "$HOME", "$x", "${x}", "${x:-", "$y",
        "$(pwd)", "$", "$HO", "ME", "*", "?", "[a-z]", "\"", "'", "\\", "{", ",", "}", "private",
        "proc/self/root", "users", "U*", "kim", "é", "a", "-o=",
    ];

    fn places() -> Vec<String> {
        let own = DATA.split('/').filter(|name| !name.is_empty());
        let above = own.scan(String::new(), |path, name| {
            *path = format!("{path}/{name}");
            Some(path.clone())
        });
        let others =
            ["/", "/private", "/tmp/kim", "/Users/u/.postern", "/Users/u/.postern/s"].map(str::to_owned);
        above.chain(others).chain([format!("{DATA}/agents")]).collect()
    }

    /// Returns a word of odd pieces, and of the names that the paths of Postern's own folders are made of.
    fn word() -> BoxedStrategy<String> {
        let channels = [".postern", "s", "/Users/u/.postern/s"];
        let names: Vec<&'static str> = DATA.split('/').chain([DATA]).chain(channels).collect();
        let piece = prop_oneof![prop::sample::select(PIECES.to_vec()), prop::sample::select(names)];
        prop::collection::vec(piece, 1..9).prop_map(|pieces| pieces.concat()).boxed()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn a_quick_look_finds_what_a_close_one_does(word in word(), here in prop::sample::select(places())) {
            let scene = Scene::new().with_shell_text("for y in a ..; do x; done");
            scene.with_facts(|_, facts| {
                let facts = Facts { cwd: &here, ..facts.clone() };
                let line = JudgmentContext::new(&facts);
                let place = OwnFoldersView::new(&line, &here);
                let close = spelling::all_spellings(&word, &here, &line).iter().any(|text| {
                    let path = resolved(text, &here);
                    line.guarded().folders.iter().any(|own| may_lie_in(&path, &own.names))
                });
                prop_assert_eq!(place.holds_path(&word), close, "{} in {}", word, here);
                Ok(())
            })?;
        }
    }
}
