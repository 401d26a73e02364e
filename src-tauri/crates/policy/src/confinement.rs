//! Confinement profiles, and the places that no confined run may read.

use crate::path;
use postern_command::obeyed::begins_with;
use postern_protocol::{Confined, Profile, short_folder};
use serde::{Deserialize, Serialize};

/// Profile that a run is started with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "profile")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Confinement {
    /// Not confined: it has the user's rights.
    #[default]
    None,
    /// Read-only: it reads these folders and the system's, writes nothing, and has no network and no sockets.
    Look {
        /// Real paths.
        folders: Vec<String>,
        /// Further folders and files that it reads, because of rules: those that are still at their real paths when it starts.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
        reads: Vec<String>,
        /// Files that are kept from it, wherever they lie.
        #[serde(default, skip_serializing_if = "Denied::is_empty")]
        #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
        denied: Denied,
    },
    /// Local work: it reads what `Look` reads, and writes these folders except their protected places. It has a
    /// private temporary folder and private caches, and no sockets of other programs.
    Project {
        /// Real paths.
        folders: Vec<String>,
        /// True if it may use the network.
        network: bool,
        /// True if it may serve and connect on loopback.
        loopback: bool,
        /// Programs whose caches it may use, by their names in [`tool_caches`](crate::tool_caches).
        caches: Vec<String>,
        /// As in `Look`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
        reads: Vec<String>,
        /// As in `Look`.
        #[serde(default, skip_serializing_if = "Denied::is_empty")]
        #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
        denied: Denied,
    },
}

/// Files that are kept from a run: patterns, as deny rules have them, and those that hold secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Denied {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
    pub read: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
    pub write: Vec<String>,
    /// True if it may not read files of its folders that hold secrets by their names: `.env`, `id_rsa`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
    pub secrets: bool,
}

impl Denied {
    /// Returns true if it names none.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.write.is_empty() && !self.secrets
    }

    /// Returns true if it names all that the other one does.
    fn includes_all(&self, other: &Self) -> bool {
        other.read.iter().all(|pattern| self.read.contains(pattern))
            && other.write.iter().all(|pattern| self.write.contains(pattern))
            && self.secrets >= other.secrets
    }
}

impl Confinement {
    /// Returns true if it is not confined.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Returns the profile for reading these folders.
    pub fn look_only(folders: Vec<String>) -> Self {
        Self::Look { folders, reads: Vec::new(), denied: Denied::default() }
    }

    /// Returns the profile for local work in these folders, with the caches of every program.
    pub fn project(folders: Vec<String>, network: bool, loopback: bool) -> Self {
        let (caches, reads) = (crate::caches::every_cache(), Vec::new());
        Self::Project { folders, network, loopback, caches, reads, denied: Denied::default() }
    }

    /// Returns it with these files kept from the run; nothing is kept from a run that is not confined.
    #[must_use]
    pub fn without(mut self, files: Denied) -> Self {
        match &mut self {
            Self::None => {}
            Self::Look { denied, .. } | Self::Project { denied, .. } => *denied = files,
        }
        self
    }

    /// Returns true if a run with this profile may do no more than one with the other.
    pub fn is_within(&self, other: &Self) -> bool {
        let holds = |folders: &[String]| self.folders().iter().all(|folder| folders.contains(folder));
        let readable =
            |folder: &String| other.folders().contains(folder) || other.read_folders().contains(folder);
        match (self, other) {
            (_, Self::None) => true,
            (Self::None, _) | (Self::Project { .. }, Self::Look { .. }) => false,
            _ if !self
                .denied()
                .is_none_or(|own| other.denied().is_none_or(|denied| own.includes_all(denied))) =>
            {
                false
            }
            (Self::Look { folders, reads, .. }, _) => folders.iter().chain(reads).all(readable),
            (
                Self::Project { network, loopback, caches, reads, .. },
                Self::Project { folders, network: wide, loopback: local, caches: tools, .. },
            ) => {
                holds(folders)
                    && reads.iter().all(readable)
                    && network <= wide
                    && loopback <= local
                    && caches.iter().all(|tool| tools.contains(tool))
            }
        }
    }

    /// Returns the profile's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Look { .. } => "look",
            Self::Project { .. } => "project",
        }
    }

    /// Returns the profile as agents are told it, or `None` if it is not confined.
    pub fn profile(&self) -> Option<Profile> {
        match self {
            Self::None => None,
            Self::Look { .. } => Some(Profile::Look),
            Self::Project { .. } => Some(Profile::Project),
        }
    }

    /// Returns the confinement for an agent that has to apply it in its own shell; `None` if it is not
    /// confined.
    pub fn to_confined(&self) -> Option<Confined> {
        let (network, loopback) = match self {
            Self::Project { network, loopback, .. } => (*network, *loopback),
            Self::None | Self::Look { .. } => (false, false),
        };
        let folders = match self {
            // It writes none of them.
            Self::Look { folders, reads, .. } => [folders.as_slice(), reads].concat(),
            Self::None | Self::Project { .. } => self.folders().to_vec(),
        };
        let Denied { read: deny_read, write: deny_write, secrets: deny_secrets } =
            self.denied().cloned().unwrap_or_default();
        let profile = self.profile()?;
        Some(Confined { profile, folders, network, loopback, deny_read, deny_write, deny_secrets })
    }

    /// Returns the folders that it names.
    pub fn folders(&self) -> &[String] {
        match self {
            Self::None => &[],
            Self::Look { folders, .. } | Self::Project { folders, .. } => folders,
        }
    }

    /// Returns the files that are kept from it; `None` if it is not confined.
    pub fn denied(&self) -> Option<&Denied> {
        match self {
            Self::None => None,
            Self::Look { denied, .. } | Self::Project { denied, .. } => Some(denied),
        }
    }

    /// Returns the folders that it reads and does not write, besides those.
    pub fn read_folders(&self) -> &[String] {
        match self {
            Self::None => &[],
            Self::Look { reads, .. } | Self::Project { reads, .. } => reads,
        }
    }
}

/// Folders and files of the system and of installed programs: readable by everybody, without secrets.
pub const SYSTEM_PLACES: &[&str] = &[
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/proc",
    "/sys", "/var/lib/apt", "/var/lib/dpkg", "/var/lib/pacman", "/var/cache/apt", "/var/cache/man",
    "/run/utmp", "/var/log/wtmp", "/System", "/Applications", "/Library/Developer", "/Library/Frameworks",
    "/Library/Java", "/Library/Perl", "/Library/Python", "/Library/Ruby", "/Library/TeX", "/private/etc",
];

/// Installed programs and their configuration, relative to the home folder.
pub const INSTALLED: &[&str] = &[
    ".asdf/installs", ".bun/bin", ".cargo/bin", ".config/bat", ".config/fd", ".config/git/attributes",
    ".config/git/config", ".config/git/ignore", ".config/go", ".deno/bin", ".gitattributes", ".gitconfig",
    ".gitignore", ".gitignore_global", ".ignore", ".local/bin", ".local/lib", ".local/share/mise/installs",
    ".local/share/uv/python", ".nvm/versions", ".pyenv/versions", ".rbenv/versions", ".ripgreprc",
    ".rustup/settings.toml", ".rustup/toolchains", ".sdkman/candidates", ".volta/tools", "go/bin",
];

/// Devices without content.
pub const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/fd"];

/// Key material below the home folder: credentials of programs, browser data, shell histories.
const KEYS: &[&str] = &[
    ".1password", ".age", ".android/adbkey", ".aws", ".azure", ".bash_history", ".bitcoin", ".boto",
    ".bundle/config", ".cargo/credentials", ".cargo/credentials.toml", ".claude.json",
    ".claude/.credentials.json", ".codex/auth.json", ".composer/auth.json", ".config/.wrangler",
    ".config/1Password", ".config/Bitwarden CLI", ".config/BraveSoftware", ".config/Signal", ".config/age",
    ".config/chromium", ".config/composer/auth.json", ".config/containers/auth.json", ".config/doctl",
    ".config/fish/fish_history", ".config/gcloud", ".config/gh", ".config/git/credentials",
    ".config/github-copilot", ".config/glab-cli", ".config/google-chrome", ".config/heroku", ".config/hub",
    ".config/microsoft-edge", ".config/op", ".config/rclone", ".config/solana", ".config/sops",
    ".config/stripe", ".config/vivaldi", ".cursor/mcp.json", ".databrickscfg", ".docker", ".electrum",
    ".ethereum", ".fly", ".gem/credentials", ".gemini/oauth_creds.json", ".git-credentials", ".gnupg",
    ".gradle/gradle.properties", ".kube", ".local/share/fish/fish_history", ".local/share/keyrings",
    ".local/share/opencode/auth.json", ".m2/settings-security.xml", ".m2/settings.xml", ".mozilla",
    ".my.cnf", ".mylogin.cnf", ".mysql_history", ".netrc", ".npmrc", ".nuget/NuGet", ".oci",
    ".password-store", ".pgpass", ".psql_history", ".pypirc", ".python_history", ".s3cfg", ".ssh",
    ".terraform.d", ".terraformrc", ".thunderbird", ".vault-token", ".wrangler", ".yarnrc", ".yarnrc.yml",
    ".zsh_history", ".zsh_sessions", "Library/Accounts", "Library/Application Support/1Password",
    "Library/Application Support/AddressBook", "Library/Application Support/Arc",
    "Library/Application Support/BraveSoftware", "Library/Application Support/Chromium",
    "Library/Application Support/Claude", "Library/Application Support/Cursor",
    "Library/Application Support/Firefox", "Library/Application Support/Google/Chrome",
    "Library/Application Support/Microsoft Edge", "Library/Application Support/MobileSync",
    "Library/Application Support/Signal", "Library/Application Support/Slack",
    "Library/Application Support/Telegram Desktop", "Library/Application Support/Vivaldi",
    "Library/Application Support/com.apple.TCC", "Library/Application Support/com.operasoftware.Opera",
    "Library/Application Support/discord", "Library/Calendars", "Library/Containers/com.apple.Safari",
    "Library/Cookies", "Library/Group Containers/2BUA8C4S2C.com.1password",
    "Library/Group Containers/group.com.apple.notes",
    "Library/Group Containers/group.net.whatsapp.WhatsApp.shared", "Library/IdentityServices",
    "Library/Keychains", "Library/Mail", "Library/Messages", "Library/Safari", "_netrc",
];

/// Places that no confined run may read: Postern's own folders, and key material.
pub fn protected_places(home: &str, data: &str) -> impl Iterator<Item = String> {
    let keys = KEYS.iter().map(move |key| path::join_path(home, key));
    std::iter::once(data.to_owned()).chain(short_folder(data)).chain(keys)
}

/// Returns the places in a form to compare paths with.
#[derive(Debug)]
pub(crate) struct UnreadablePlaces {
    home: String,
    /// Postern's own folders, if they are known.
    own: Vec<String>,
}

impl UnreadablePlaces {
    pub(crate) fn new(home: &str, data: &str) -> Self {
        let own = std::iter::once(path::deny_key(data).into_owned());
        let channels = short_folder(data).map(|folder| path::deny_key(&folder).into_owned());
        Self { home: path::deny_key(home).into_owned(), own: own.chain(channels).collect() }
    }

    /// Returns those that are known without Postern's data folder.
    pub(crate) fn of_home(home: &str) -> Self {
        Self { home: path::deny_key(home).into_owned(), own: Vec::new() }
    }

    /// Returns true if a path lies in one of them.
    pub(crate) fn contains_path(&self, path: &str) -> bool {
        let key = path::deny_key(path);
        self.own.iter().any(|own| path::is_within(&key, own))
            || self.at_home(&key).is_some_and(|rest| KEYS.iter().any(|place| begins_with(rest, place)))
    }

    /// Returns true if one of them lies in a folder.
    pub(crate) fn lie_in(&self, folder: &str) -> bool {
        let key = path::deny_key(folder);
        self.own.iter().any(|own| path::is_within(own, &key))
            || path::is_within(&self.home, &key)
            || self.at_home(&key).is_some_and(|rest| KEYS.iter().any(|place| begins_with(place, rest)))
    }

    fn at_home<'k>(&self, key: &'k str) -> Option<&'k str> {
        key.strip_prefix(self.home.as_str())?.strip_prefix('/')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protected::{ProtectedPlaces, Protection};

    #[test]
    fn a_path_is_compared_with_all_of_them() {
        let protected = UnreadablePlaces::new("/Users/u", "/Users/u/Library/Application Support/Postern");
        for path in [
            "/Users/u/.ssh/id_rsa", "/users/U/.SSH", "/Users/u/library/keychains/x",
            "/Users/u/.config/gh/hosts.yml", "/Users/u/.postern/s/main/agent.key",
        ] {
            assert!(protected.contains_path(path), "{path}");
        }
        for path in ["/Users/u", "/Users/u/.sshx", "/Users/u2/.ssh", "/Users/u/.config", "/Users/u/p/.ssh"] {
            assert!(!protected.contains_path(path), "{path}");
        }
        for path in
            ["/", "/Users/u", "/Users/u/.config", "/Users/u/.ssh", "/users/u/library", "/Users/u/.postern"]
        {
            assert!(protected.lie_in(path), "{path}");
        }
        for path in ["/Users/u/project", "/Users/u/.con", "/tmp"] {
            assert!(!protected.lie_in(path), "{path}");
        }
    }

    #[test]
    fn every_key_that_verdicts_protect_is_kept_from_confined_runs() {
        let keys = UnreadablePlaces::of_home("/home/u");
        let places = ProtectedPlaces::of_home("/home/u").places_below("/home/u");
        let places: Vec<String> = places
            .into_iter()
            .filter(|place| place.protection == Protection::Keys)
            .filter_map(|place| place.display_path().strip_prefix("~/").map(str::to_owned))
            .collect();
        assert!(places.contains(&".ssh".to_owned()), "{places:?}");
        for place in places {
            assert!(keys.contains_path(&format!("/home/u/{place}")), "{place}");
        }
    }

    #[test]
    fn a_profile_is_within_those_that_allow_more() {
        let folders = || vec!["/p".to_owned()];
        let (none, look) = (Confinement::None, Confinement::look_only(folders()));
        let project = Confinement::project(folders(), false, false);
        let network = Confinement::Project {
            folders: folders(),
            network: true,
            loopback: false,
            caches: Vec::new(),
            reads: Vec::new(),
            denied: Denied::default(),
        };
        let from_little_to_much = [&look, &project, &none];
        for (at, one) in from_little_to_much.iter().enumerate() {
            for (other_at, other) in from_little_to_much.iter().enumerate() {
                assert_eq!(one.is_within(other), at <= other_at, "{one:?} in {other:?}");
            }
        }
        assert!(!network.is_within(&project) && !project.is_within(&network) && network.is_within(&none));
        assert!(!look.is_within(&Confinement::look_only(vec!["/q".to_owned()])));
        let Confinement::Project { folders: own, network, loopback, caches, .. } = project.clone() else {
            panic!("{project:?}")
        };
        let reads = vec!["/q".to_owned()];
        let reading = Confinement::Project {
            folders: own,
            network,
            loopback,
            caches,
            reads: reads.clone(),
            denied: Denied::default(),
        };
        assert!(project.is_within(&reading) && !reading.is_within(&project));
        assert!(Confinement::look_only(reads).is_within(&reading));
        let less = |profile: &Confinement| {
            profile.clone().without(Denied { read: vec!["**/.env".to_owned()], ..Denied::default() })
        };
        assert!(less(&project).is_within(&project) && !project.is_within(&less(&project)));
        assert!(less(&look).is_within(&less(&project)) && !look.is_within(&less(&project)));
        assert!(less(&project).is_within(&none) && less(&none).is_none());
    }

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
