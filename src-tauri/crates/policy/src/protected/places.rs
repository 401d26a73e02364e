//! Table of the protected places.

use super::Protection::{AgentSettings, Autostart, Keys, Repository, StartFile};
use super::Root::{Home, System};
use super::{ProtectedPlace, Protection, Root};
use postern_command::obeyed;
use std::sync::LazyLock;

const fn anywhere_place(protection: Protection, path: &'static str) -> ProtectedPlace {
    ProtectedPlace { root: Root::Anywhere, path, protection }
}

/// A bare repository: the content of a folder named `x.git`.
pub(super) const BARE_REPOSITORY: ProtectedPlace = anywhere_place(Repository, "*.git");

/// Files of editors that name several folders.
pub(super) const WORKSPACE_FILE: ProtectedPlace = anywhere_place(AgentSettings, "*.code-workspace");

/// Paths of one protection and base. All are in lower case, and a folder stands for everything in it.
type Group = (Protection, Root, &'static [&'static str]);

/// Start files, keys and what the system starts, each at a path of its own.
const FIXED: &[Group] = &[
    (
        StartFile,
        Home,
        &[
            ".login", ".logout", ".bashrc.d", ".zshrc.d", ".oh-my-zsh", ".zsh", ".config/fish",
            ".config/zsh", ".config/nushell", "library/application support/nushell", ".config/powershell",
            ".xonshrc", ".config/xonsh", ".config/environment.d", ".pam_environment",
        ],
    ),
    // Start files of other programs that run their content.
    (
        StartFile,
        Home,
        &[
            ".vimrc", ".gvimrc", ".vim", ".config/nvim", ".emacs", ".emacs.d", ".config/emacs", ".tmux.conf",
            ".config/tmux", ".screenrc", ".gdbinit", ".lldbinit", ".pythonrc", ".pythonstartup", ".curlrc",
            ".wgetrc", ".psqlrc", ".sqliterc", ".config/direnv", ".direnvrc", ".config/mise",
            ".config/kitty", ".config/ghostty", ".config/wezterm", ".wezterm.lua", ".config/alacritty",
            ".hammerspoon", ".cargo/config", ".cargo/config.toml",
        ],
    ),
    (
        StartFile,
        System,
        &[
            "/etc/profile", "/etc/profile.d", "/etc/bashrc", "/etc/bash.bashrc", "/etc/zshrc", "/etc/zshenv",
            "/etc/zprofile", "/etc/zsh", "/etc/environment", "/etc/paths", "/etc/paths.d", "/etc/sudoers",
            "/etc/sudoers.d", "/etc/pam.d", "/etc/hosts",
        ],
    ),
    // Keys, tokens, passwords, and browser data.
    (
        Keys,
        Home,
        &[
            ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker/config.json",
            ".config/containers/auth.json", ".config/gcloud", ".config/gh", ".config/hub",
            ".config/glab-cli", ".config/doctl", ".config/heroku", ".config/stripe", ".config/.wrangler",
            ".wrangler", ".fly", ".config/rclone", ".config/op", ".config/1password",
            ".config/bitwarden cli", ".config/sops", ".config/age", ".config/solana", ".age", ".netrc",
            "_netrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".gem/credentials", ".bundle/config",
            ".cargo/credentials", ".cargo/credentials.toml", ".git-credentials", ".config/git/credentials",
            ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".nuget/nuget",
            ".terraformrc", ".terraform.d/credentials.tfrc.json", ".vault-token", ".password-store",
            ".local/share/keyrings", ".pgpass", ".my.cnf", ".mylogin.cnf", ".s3cfg", ".boto",
            ".databrickscfg", ".bitcoin", ".ethereum", ".electrum", ".claude/.credentials.json",
            ".codex/auth.json", ".gemini/oauth_creds.json", ".config/github-copilot",
            ".local/share/opencode/auth.json", "library/keychains", "library/cookies", "library/accounts",
            "library/calendars", "library/identityservices", "library/application support/com.apple.tcc",
            "library/application support/addressbook", "library/application support/discord",
            "library/application support/mobilesync", "library/application support/signal",
            "library/application support/slack", "library/application support/telegram desktop",
            "library/group containers/group.com.apple.notes",
            "library/group containers/group.net.whatsapp.whatsapp.shared", "library/safari",
            "library/containers/com.apple.safari", "library/messages", "library/mail",
            "library/application support/google/chrome", "library/application support/chromium",
            "library/application support/bravesoftware", "library/application support/microsoft edge",
            "library/application support/firefox", "library/application support/arc",
            "library/application support/vivaldi", "library/application support/com.operasoftware.opera",
            "library/application support/1password", "library/group containers/2bua8c4s2c.com.1password",
            ".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/bravesoftware",
            ".config/microsoft-edge", ".config/vivaldi",
        ],
    ),
    (
        Keys,
        System,
        &[
            "/library/keychains", "/library/application support/com.apple.tcc", "/etc/ssh", "/etc/shadow",
            "/etc/master.passwd",
        ],
    ),
    // Files that the system starts by itself.
    (
        Autostart,
        Home,
        &[
            "library/launchagents", ".config/autostart", ".config/systemd", ".local/share/systemd",
            ".xprofile", ".xinitrc", ".xsession", ".xsessionrc",
        ],
    ),
    (
        Autostart,
        System,
        &[
            "/library/launchagents", "/library/launchdaemons", "/library/startupitems", "/etc/crontab",
            "/etc/cron.d", "/etc/cron.daily", "/etc/cron.hourly", "/etc/cron.weekly", "/etc/cron.monthly",
            "/var/spool/cron", "/var/at", "/usr/lib/cron", "/etc/systemd", "/etc/xdg/autostart",
            "/etc/rc.local",
        ],
    ),
];

const FIXED_OF_REPOSITORIES: &[Group] =
    &[(Repository, Home, &[".config/git"]), (Repository, System, &["/etc/gitconfig"])];

const FIXED_OF_AGENTS: &[Group] = &[
    (
        AgentSettings,
        Home,
        &[
            ".config/opencode", "documents/cline", ".config/code/user", ".config/cursor/user",
            "library/application support/code/user", "library/application support/cursor/user",
            "library/application support/claude",
        ],
    ),
    (
        AgentSettings,
        System,
        &["/library/application support/claudecode", "/etc/claude-code", "/etc/codex", "/etc/gemini-cli"],
    ),
];

pub(super) static PLACES: LazyLock<Vec<ProtectedPlace>> = LazyLock::new(|| {
    let groups = [
        (StartFile, obeyed::START_FILES, FIXED),
        (Repository, obeyed::OF_REPOSITORIES, FIXED_OF_REPOSITORIES),
        (AgentSettings, obeyed::OF_AGENTS, &[]),
        (AgentSettings, obeyed::OF_RARE_AGENTS, FIXED_OF_AGENTS),
    ];
    let mut all = Vec::new();
    for (protection, names, fixed) in groups {
        all.extend(names.iter().map(|name| anywhere_place(protection, name)));
        for (protection, root, paths) in fixed {
            let place = |path| ProtectedPlace { root: *root, path, protection: *protection };
            all.extend(paths.iter().copied().map(place));
        }
    }
    all
});

/// Folders in a place where agents keep plans and work trees: their content is judged by itself.
pub(super) const EXCEPT: &[(&str, &[&str])] = &[(".claude", &["worktrees", "plans"])];
