//! Tools' own files that a confined build needs, as data.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// Files of one tool, and the settings that keep a confined run of it from the network and from shared caches.
///
/// Nothing shared is written: what a confined run leaves in a cache, a later unconfined run would trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolCache {
    /// Name of the tool.
    pub tool: &'static str,
    /// Places below the home folder that it reads.
    pub reads: &'static [&'static str],
    /// Variables and folders below the private cache, which the variables name.
    pub private: &'static [(&'static str, &'static str)],
    /// Variables for a run without network.
    pub offline: &'static [(&'static str, &'static str)],
}

/// Every tool with caches.
pub const TOOL_CACHES: &[ToolCache] = &[
    ToolCache {
        tool: "cargo",
        reads: &[
            ".cargo/config",
            ".cargo/config.toml",
            ".cargo/env",
            ".cargo/registry",
            ".cargo/git",
            ".cargo/.package-cache",
            ".cargo/.global-cache",
            ".rustup",
        ],
        private: &[],
        offline: &[("CARGO_NET_OFFLINE", "true")],
    },
    ToolCache {
        tool: "ccache",
        reads: &[".config/ccache"],
        private: &[("CCACHE_DIR", "ccache"), ("SCCACHE_DIR", "sccache")],
        offline: &[],
    },
    ToolCache {
        tool: "composer",
        reads: &[".config/composer/vendor"],
        private: &[("COMPOSER_CACHE_DIR", "composer")],
        offline: &[("COMPOSER_DISABLE_NETWORK", "1")],
    },
    ToolCache {
        tool: "deno",
        reads: &[".cache/deno", "Library/Caches/deno"],
        private: &[],
        offline: &[("DENO_NO_UPDATE_CHECK", "1")],
    },
    ToolCache {
        tool: "go",
        reads: &["go/pkg/mod", "sdk"],
        private: &[("GOCACHE", "go-build"), ("GOLANGCI_LINT_CACHE", "golangci-lint")],
        offline: &[("GOPROXY", "off"), ("GOTELEMETRY", "off")],
    },
    ToolCache {
        tool: "gradle",
        reads: &[".gradle/caches", ".gradle/wrapper"],
        private: &[("GRADLE_USER_HOME", "gradle")],
        offline: &[],
    },
    ToolCache { tool: "maven", reads: &[".m2/repository", ".m2/wrapper"], private: &[], offline: &[] },
    ToolCache {
        tool: "npm",
        reads: &[".local/share/pnpm", "Library/pnpm", ".cache/node", ".cache/ms-playwright"],
        private: &[("npm_config_cache", "npm"), ("YARN_CACHE_FOLDER", "yarn")],
        offline: &[("npm_config_offline", "true"), ("npm_config_update_notifier", "false")],
    },
    ToolCache {
        tool: "python",
        reads: &[".pyenv", ".local/share/pipx", ".local/share/virtualenvs", ".config/pycodestyle"],
        private: &[
            ("PIP_CACHE_DIR", "pip"),
            ("UV_CACHE_DIR", "uv"),
            ("RUFF_CACHE_DIR", "ruff"),
            ("MYPY_CACHE_DIR", "mypy"),
        ],
        offline: &[("PIP_NO_INDEX", "1"), ("UV_OFFLINE", "1")],
    },
    ToolCache {
        tool: "ruby",
        reads: &[".gem/ruby", ".bundle/cache", ".local/share/gem", ".rbenv"],
        private: &[],
        offline: &[],
    },
    ToolCache {
        tool: "swift",
        reads: &["Library/Developer/Xcode/UserData", "Library/org.swift.swiftpm/configuration"],
        private: &[("CLANG_MODULE_CACHE_PATH", "clang")],
        offline: &[],
    },
];

/// Returns the tools of these names; a name without a tool has no caches.
pub fn tool_caches(names: &[String]) -> impl Iterator<Item = &'static ToolCache> {
    TOOL_CACHES.iter().filter(move |cache| names.iter().any(|name| name == cache.tool))
}

/// Returns the private cache folder of runs in these folders: one set of folders reads nothing of another's.
pub fn private_cache(home: &str, folders: &[String], apple: bool) -> String {
    let mut hash = Sha256::new();
    for folder in folders {
        hash.update(folder.as_bytes());
        hash.update([0]);
    }
    let caches = if apple { "Library/Caches" } else { ".cache" };
    let mut name = String::new();
    for byte in &hash.finalize()[..8] {
        // Writing into a String cannot fail.
        _ = write!(name, "{byte:02x}");
    }
    crate::path::join(home, &format!("{caches}/postern/{name}"))
}

/// Returns the variables that a run with these caches gets, sorted by name.
pub fn cache_environment(names: &[String], private: &str, network: bool) -> Vec<(String, String)> {
    let owned = |(name, value): (&str, String)| (name.to_owned(), value);
    let mut variables: Vec<(String, String)> = tool_caches(names)
        .flat_map(|cache| {
            let offline = if network { &[][..] } else { cache.offline };
            let private =
                cache.private.iter().map(|(name, below)| (*name, crate::path::join(private, below)));
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
        let keys = crate::confinement::Protected::new("/h", "/data");
        for cache in TOOL_CACHES {
            for place in cache.reads {
                assert!(!place.starts_with('/') && !place.contains(".."), "{place}");
                assert!(!keys.hold(&format!("/h/{place}")), "{place} holds keys");
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
