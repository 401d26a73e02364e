//! Places that a confined run may not open, in an order in which one search answers for a path.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Places by their components, each ended by a slash. Sorted, and none lies in another.
#[derive(Debug)]
pub(super) struct HiddenPlaces(Vec<Vec<u8>>);

/// Relation of a path to the hidden places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HiddenPlace {
    /// The path is hidden, or in a hidden place.
    Inside,
    /// A hidden place lies in it.
    Above,
    /// The path has nothing to do with them.
    Apart,
}

impl HiddenPlaces {
    pub(super) fn new(places: impl Iterator<Item = PathBuf>) -> Self {
        let mut keys: Vec<Vec<u8>> = places.map(|place| key(&place)).collect();
        keys.sort_unstable();
        // Sorted, what lies in a place follows it.
        keys.dedup_by(|next, kept| next.starts_with(kept));
        Self(keys)
    }

    /// Returns how a path relates to them. Links in it must be resolved.
    pub(super) fn place_of(&self, path: &Path) -> HiddenPlace {
        let key = key(path);
        // Only the last one that is not behind the path can hold it: none between the two lies in the first.
        let (before, after) = self.0.split_at(self.0.partition_point(|hidden| *hidden <= key));
        if before.last().is_some_and(|hidden| key.starts_with(hidden)) {
            return HiddenPlace::Inside;
        }
        let is_above = after.first().is_some_and(|hidden| hidden.starts_with(&key));
        if is_above { HiddenPlace::Above } else { HiddenPlace::Apart }
    }
}

fn key(path: &Path) -> Vec<u8> {
    let mut key = Vec::with_capacity(path.as_os_str().len() + 2);
    for component in path.components() {
        key.extend_from_slice(component.as_os_str().as_bytes());
        key.push(b'/');
    }
    key
}

#[cfg(test)]
mod tests {
    use super::{HiddenPlace, HiddenPlaces};
    use proptest::prelude::*;
    use std::path::PathBuf;

    /// Paths of few names, some of which begin like others and sort before or behind the slash.
    fn paths() -> impl Strategy<Value = PathBuf> {
        let names = prop::sample::select(vec!["a", "a!", "a.b", "ab", "b", "Z"]);
        prop::collection::vec(names, 0..5).prop_map(|names| PathBuf::from(format!("/{}", names.join("/"))))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_path_relates_to_hidden_places_as_their_components_say(
            places in prop::collection::vec(paths(), 0..12),
            path in paths(),
        ) {
            let expected = if places.iter().any(|place| path.starts_with(place)) {
                HiddenPlace::Inside
            } else if places.iter().any(|place| place.starts_with(&path)) {
                HiddenPlace::Above
            } else {
                HiddenPlace::Apart
            };
            prop_assert_eq!(HiddenPlaces::new(places.into_iter()).place_of(&path), expected);
        }
    }
}
