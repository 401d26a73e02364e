//! Globs over paths, found by their folder and name so that ten thousand cost what ten do.

use crate::path::base_name;
use foldhash::{HashMap, HashMapExt as _};
use globset::{Candidate, GlobSet, GlobSetBuilder};
use std::sync::OnceLock;

/// Globs of one set: larger sets are slow to build, and their automaton grows out of its bounds.
const SET_SIZE: usize = 64;

/// Globs under the folder that they all lie in, and the name they all end in where they name it.
#[derive(Debug, Clone, Default)]
pub(super) struct GlobIndex {
    buckets: HashMap<String, GlobFolder>,
    doubt: bool,
}

#[derive(Debug, Clone, Default)]
struct GlobFolder {
    named: HashMap<String, GlobBucket>,
    any: GlobBucket,
}

#[derive(Debug, Clone, Default)]
struct GlobBucket {
    globs: Vec<(globset::Glob, usize)>,
    sets: OnceLock<Vec<Option<GlobSet>>>,
}

impl GlobIndex {
    /// Returns an empty index.
    ///
    /// `doubt` is the result for a set of globs that cannot be built (too large): a match for rules that
    /// deny, none for rules that allow.
    pub(super) fn new(doubt: bool) -> Self {
        Self { buckets: HashMap::new(), doubt }
    }

    /// Adds a glob whose text is `expanded`, for the rule at `rule`.
    pub(super) fn add_glob(&mut self, expanded: &str, glob: globset::Glob, rule: usize) {
        let first_sign = expanded.find(['*', '?', '[', '{', '\\']).unwrap_or(expanded.len());
        let folder = expanded[..first_sign].rsplit_once('/').map_or("", |(folder, _)| folder);
        let name = base_name(expanded);
        let bucket = self.buckets.entry(folder.to_owned()).or_default();
        let bucket = if crate::pattern::is_glob(name) {
            &mut bucket.any
        } else {
            bucket.named.entry(name.to_owned()).or_default()
        };
        bucket.globs.push((glob, rule));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// Adds every rule whose glob matches the path to `found`.
    pub(super) fn find_rules(&self, path: &str, found: &mut Vec<usize>) {
        if self.buckets.is_empty() {
            return;
        }
        let candidate = Candidate::new(path);
        let name = base_name(path);
        for (at, _) in path.match_indices('/') {
            let Some(folder) = self.buckets.get(&path[..at]) else { continue };
            folder.any.find_matches(&candidate, self.doubt, found);
            if let Some(bucket) = folder.named.get(name) {
                bucket.find_matches(&candidate, self.doubt, found);
            }
        }
    }
}

impl GlobBucket {
    fn find_matches(&self, path: &Candidate<'_>, doubt: bool, found: &mut Vec<usize>) {
        if self.globs.is_empty() {
            return;
        }
        let sets = self.sets.get_or_init(|| self.globs.chunks(SET_SIZE).map(set_of).collect());
        for (globs, set) in self.globs.chunks(SET_SIZE).zip(sets) {
            match set {
                Some(set) => found.extend(set.matches_candidate(path).into_iter().map(|at| globs[at].1)),
                None if doubt => found.extend(globs.iter().map(|(_, rule)| *rule)),
                None => {}
            }
        }
    }
}

fn set_of(globs: &[(globset::Glob, usize)]) -> Option<GlobSet> {
    let mut builder = GlobSetBuilder::new();
    for (glob, _) in globs {
        builder.add(glob.clone());
    }
    builder.build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_found_by_their_folder_and_name() {
        let mut index = GlobIndex::new(false);
        let texts = [
            "/u/Projects/**/bin/bird", "/u/.local/bin/*", "/**", "/opt/{a,b}/x", "/opt/t*/y", "/opt/a/[rg]g",
        ];
        for (rule, text) in texts.iter().enumerate() {
            index.add_glob(text, crate::pattern::path_glob(text, false).unwrap(), rule);
        }
        for (path, expected) in [
            ("/u/Projects/a/b/bin/bird", vec![0, 2]),
            ("/u/Projects/bin/bird", vec![0, 2]),
            ("/u/.local/bin/x", vec![1, 2]),
            ("/u/.local/bin/deep/x", vec![2]),
            ("/opt/b/x", vec![2, 3]),
            ("/opt/tool/y", vec![2, 4]),
            ("/opt/a/rg", vec![2, 5]),
        ] {
            let mut found = Vec::new();
            index.find_rules(path, &mut found);
            found.sort_unstable();
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn a_large_bucket_finds_every_glob() {
        let mut index = GlobIndex::new(false);
        for rule in 0..200 {
            let text = format!("/opt/tool{rule}*/bin/*");
            index.add_glob(&text, crate::pattern::path_glob(&text, false).unwrap(), rule);
        }
        let mut found = Vec::new();
        index.find_rules("/opt/tool199/bin/x", &mut found);
        found.sort_unstable();
        assert_eq!(found, [1, 19, 199]);
    }

    #[test]
    fn a_set_that_cannot_be_built_counts_where_it_would_deny() {
        for (doubt, expected) in [(true, vec![7]), (false, vec![])] {
            let globs = vec![(crate::pattern::path_glob("/opt/*", false).unwrap(), 7)];
            let bucket = GlobBucket { globs, sets: OnceLock::from(vec![None]) };
            let mut found = Vec::new();
            bucket.find_matches(&Candidate::new("/opt/x"), doubt, &mut found);
            assert_eq!(found, expected);
        }
    }
}
