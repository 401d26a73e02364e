//! How the operating system confines a run, and which places no confined run may read.

use crate::path;
use serde::{Deserialize, Serialize};

/// The profile that a run is started with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "profile")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Confinement {
    /// It runs as the person does.
    #[default]
    None,
    /// It may look around: it reads these folders and the system's, writes nothing, and has no network and no sockets.
    Look {
        /// Real paths.
        folders: Vec<String>,
    },
}

impl Confinement {
    /// Whether it runs as the person does.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// The profile's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Look { .. } => "look",
        }
    }
}

/// Folders and files of the system and of what is installed: everybody may read them, and nobody's secrets are there.
pub const SYSTEM_PLACES: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/proc",
    "/sys",
    "/var/lib/apt",
    "/var/lib/dpkg",
    "/var/cache/apt",
    "/var/cache/man",
    "/run/utmp",
    "/var/log/wtmp",
    "/System",
    "/Applications",
    "/Library/Developer",
    "/Library/Frameworks",
    "/private/etc",
];

/// Devices that hold nothing.
pub const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/fd"];

/// Key material below the home folder: of programs that sign in somewhere, of browsers, of the person's past commands.
const KEYS: &[&str] = &[
    ".1password",
    ".android/adbkey",
    ".aws",
    ".azure",
    ".bash_history",
    ".bitcoin",
    ".boto",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".claude.json",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".composer/auth.json",
    ".config/1Password",
    ".config/BraveSoftware",
    ".config/Signal",
    ".config/chromium",
    ".config/composer/auth.json",
    ".config/doctl",
    ".config/fish/fish_history",
    ".config/gcloud",
    ".config/gh",
    ".config/git/credentials",
    ".config/glab-cli",
    ".config/google-chrome",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/solana",
    ".cursor/mcp.json",
    ".docker",
    ".electrum",
    ".ethereum",
    ".fly",
    ".gem/credentials",
    ".gemini/oauth_creds.json",
    ".git-credentials",
    ".gnupg",
    ".gradle/gradle.properties",
    ".kube",
    ".local/share/fish/fish_history",
    ".local/share/keyrings",
    ".local/share/opencode/auth.json",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".mozilla",
    ".my.cnf",
    ".mysql_history",
    ".netrc",
    ".npmrc",
    ".oci",
    ".password-store",
    ".pgpass",
    ".psql_history",
    ".pypirc",
    ".python_history",
    ".s3cfg",
    ".ssh",
    ".terraform.d",
    ".thunderbird",
    ".vault-token",
    ".yarnrc.yml",
    ".zsh_history",
    ".zsh_sessions",
    "Library/Application Support/BraveSoftware",
    "Library/Application Support/Claude",
    "Library/Application Support/Cursor",
    "Library/Application Support/Firefox",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Signal",
    "Library/Cookies",
    "Library/Keychains",
    "Library/Mail",
    "Library/Messages",
    "Library/Safari",
];

/// The places that no confined run may read: Postern's data, and key material.
pub fn protected_places(home: &str, data: &str) -> impl Iterator<Item = String> {
    let keys = KEYS.iter().map(move |key| path::join(home, key));
    std::iter::once(data.to_owned()).chain(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_written_as_paths_are() {
        assert!(
            KEYS.iter()
                .all(|key| !key.starts_with('/') && path::normal(&format!("/{key}")) == format!("/{key}"))
        );
        assert!(SYSTEM_PLACES.iter().chain(DEVICES).all(|place| path::normal(place) == *place));
        let places: Vec<String> = protected_places("/home/u", "/home/u/.local/share/postern").collect();
        assert!(places.contains(&"/home/u/.ssh".to_owned()) && places[0] == "/home/u/.local/share/postern");
    }
}
