//! Programs' own files that a confined run needs, from the files about the programs.

use postern_command::{Caches, all_caches, caches_of};
use postern_protocol::encode_hex;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

/// Returns the names of every program with caches.
pub(crate) fn every_cache() -> Vec<String> {
    let names: BTreeSet<String> = all_caches().map(|caches| caches.name.to_owned()).collect();
    names.into_iter().collect()
}

/// Returns the caches of the programs of these names; a name without caches is left out.
pub fn tool_caches(names: &[String]) -> impl Iterator<Item = &'static Caches> {
    names.iter().filter_map(|name| caches_of(name))
}

/// Returns the private cache folder of runs in these folders: one set of folders reads nothing of another's.
pub fn private_cache(home: &str, folders: &[String], apple: bool) -> String {
    let mut hash = Sha256::new();
    for folder in folders {
        hash.update(folder.as_bytes());
        hash.update([0]);
    }
    let caches = if apple { "Library/Caches" } else { ".cache" };
    let name = encode_hex(&hash.finalize()[..8]);
    crate::path::join_path(home, &format!("{caches}/postern/{name}"))
}

/// Returns the variables that a run with these caches gets, sorted by name.
pub fn cache_environment(names: &[String], private: &str, network: bool) -> Vec<(String, String)> {
    let owned = |(name, value): (&str, String)| (name.to_owned(), value);
    let mut variables: Vec<(String, String)> = tool_caches(names)
        .flat_map(|cache| {
            let offline = if network { &[][..] } else { cache.offline };
            let private =
                cache.private.iter().map(|(name, below)| (*name, crate::path::join_path(private, below)));
            private.chain(offline.iter().map(|(name, value)| (*name, (*value).to_owned()))).map(owned)
        })
        .collect();
    variables.sort();
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tools_files_lie_below_the_home_folder_and_hold_no_keys() {
        let keys = crate::confinement::UnreadablePlaces::new("/h", "/data");
        for cache in all_caches() {
            for place in cache.reads {
                assert!(!place.starts_with('/') && !place.contains(".."), "{place}");
                assert!(!keys.contains_path(&format!("/h/{place}")), "{place} holds keys");
            }
        }
    }

    #[test]
    fn without_network_the_tools_stay_offline() {
        let names = ["cargo".to_owned(), "go".to_owned()];
        let offline = cache_environment(&names, "/c", false);
        assert!(offline.contains(&("CARGO_NET_OFFLINE".to_owned(), "true".to_owned())), "{offline:?}");
        assert!(offline.contains(&("GOCACHE".to_owned(), "/c/go-build".to_owned())), "{offline:?}");
        let online = cache_environment(&names, "/c", true);
        assert!(
            online.iter().all(|(name, _)| name != "CARGO_NET_OFFLINE" && name != "GOPROXY"),
            "{online:?}"
        );
        assert_eq!(cache_environment(&["none".to_owned()], "/c", false), []);
    }

    #[test]
    fn other_folders_have_other_caches() {
        let of = |folders: &[&str]| {
            let folders: Vec<String> = folders.iter().map(|folder| (*folder).to_owned()).collect();
            private_cache("/h", &folders, false)
        };
        assert_ne!(of(&["/a", "/b"]), of(&["/a/b"]));
        assert_ne!(of(&["/ab"]), of(&["/a", "b"]));
        assert_eq!(of(&["/a"]), of(&["/a"]));
        assert!(of(&["/a"]).starts_with("/h/.cache/postern/"));
    }
}
