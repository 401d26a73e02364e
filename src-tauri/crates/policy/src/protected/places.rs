//! Table of the protected places.

use super::Protection::{AgentSettings, Autostart, Keys, Repository, StartFile};
use super::{ProtectedPlace, Protection, Root};
use postern_command::obeyed;
use std::sync::LazyLock;

const fn home_place(protection: Protection, path: &'static str) -> ProtectedPlace {
    ProtectedPlace { root: Root::Home, path, protection }
}

const fn anywhere_place(protection: Protection, path: &'static str) -> ProtectedPlace {
    ProtectedPlace { root: Root::Anywhere, path, protection }
}

const fn system_place(protection: Protection, path: &'static str) -> ProtectedPlace {
    ProtectedPlace { root: Root::System, path, protection }
}

/// A bare repository: the content of a folder named `x.git`.
pub(super) const BARE_REPOSITORY: ProtectedPlace = anywhere_place(Repository, "*.git");

/// Files of editors that name several folders.
pub(super) const WORKSPACE_FILE: ProtectedPlace = anywhere_place(AgentSettings, "*.code-workspace");

/// Start files, keys and what the system starts, each at a path of its own. All paths are in lower case, and a folder stands for
/// everything in it.
const FIXED: &[ProtectedPlace] = &[
    home_place(StartFile, ".login"),
    home_place(StartFile, ".logout"),
    home_place(StartFile, ".bashrc.d"),
    home_place(StartFile, ".zshrc.d"),
    home_place(StartFile, ".oh-my-zsh"),
    home_place(StartFile, ".zsh"),
    home_place(StartFile, ".config/fish"),
    home_place(StartFile, ".config/zsh"),
    home_place(StartFile, ".config/nushell"),
    home_place(StartFile, "library/application support/nushell"),
    home_place(StartFile, ".config/powershell"),
    home_place(StartFile, ".xonshrc"),
    home_place(StartFile, ".config/xonsh"),
    home_place(StartFile, ".config/environment.d"),
    home_place(StartFile, ".pam_environment"),
    // Start files of other programs that run their content.
    home_place(StartFile, ".vimrc"),
    home_place(StartFile, ".gvimrc"),
    home_place(StartFile, ".vim"),
    home_place(StartFile, ".config/nvim"),
    home_place(StartFile, ".emacs"),
    home_place(StartFile, ".emacs.d"),
    home_place(StartFile, ".config/emacs"),
    home_place(StartFile, ".tmux.conf"),
    home_place(StartFile, ".config/tmux"),
    home_place(StartFile, ".screenrc"),
    home_place(StartFile, ".gdbinit"),
    home_place(StartFile, ".lldbinit"),
    home_place(StartFile, ".pythonrc"),
    home_place(StartFile, ".pythonstartup"),
    home_place(StartFile, ".curlrc"),
    home_place(StartFile, ".wgetrc"),
    home_place(StartFile, ".psqlrc"),
    home_place(StartFile, ".sqliterc"),
    home_place(StartFile, ".config/direnv"),
    home_place(StartFile, ".direnvrc"),
    home_place(StartFile, ".config/mise"),
    home_place(StartFile, ".config/kitty"),
    home_place(StartFile, ".config/ghostty"),
    home_place(StartFile, ".config/wezterm"),
    home_place(StartFile, ".wezterm.lua"),
    home_place(StartFile, ".config/alacritty"),
    home_place(StartFile, ".hammerspoon"),
    home_place(StartFile, ".cargo/config"),
    home_place(StartFile, ".cargo/config.toml"),
    system_place(StartFile, "/etc/profile"),
    system_place(StartFile, "/etc/profile.d"),
    system_place(StartFile, "/etc/bashrc"),
    system_place(StartFile, "/etc/bash.bashrc"),
    system_place(StartFile, "/etc/zshrc"),
    system_place(StartFile, "/etc/zshenv"),
    system_place(StartFile, "/etc/zprofile"),
    system_place(StartFile, "/etc/zsh"),
    system_place(StartFile, "/etc/environment"),
    system_place(StartFile, "/etc/paths"),
    system_place(StartFile, "/etc/paths.d"),
    system_place(StartFile, "/etc/sudoers"),
    system_place(StartFile, "/etc/sudoers.d"),
    system_place(StartFile, "/etc/pam.d"),
    system_place(StartFile, "/etc/hosts"),
    // Keys, tokens, passwords, and browser data.
    home_place(Keys, ".ssh"),
    home_place(Keys, ".gnupg"),
    home_place(Keys, ".aws"),
    home_place(Keys, ".azure"),
    home_place(Keys, ".kube"),
    home_place(Keys, ".docker/config.json"),
    home_place(Keys, ".config/containers/auth.json"),
    home_place(Keys, ".config/gcloud"),
    home_place(Keys, ".config/gh"),
    home_place(Keys, ".config/hub"),
    home_place(Keys, ".config/glab-cli"),
    home_place(Keys, ".config/doctl"),
    home_place(Keys, ".config/heroku"),
    home_place(Keys, ".config/stripe"),
    home_place(Keys, ".config/.wrangler"),
    home_place(Keys, ".wrangler"),
    home_place(Keys, ".fly"),
    home_place(Keys, ".config/rclone"),
    home_place(Keys, ".config/op"),
    home_place(Keys, ".config/1password"),
    home_place(Keys, ".config/bitwarden cli"),
    home_place(Keys, ".config/sops"),
    home_place(Keys, ".config/age"),
    home_place(Keys, ".config/solana"),
    home_place(Keys, ".age"),
    home_place(Keys, ".netrc"),
    home_place(Keys, "_netrc"),
    home_place(Keys, ".npmrc"),
    home_place(Keys, ".yarnrc"),
    home_place(Keys, ".yarnrc.yml"),
    home_place(Keys, ".pypirc"),
    home_place(Keys, ".gem/credentials"),
    home_place(Keys, ".bundle/config"),
    home_place(Keys, ".cargo/credentials"),
    home_place(Keys, ".cargo/credentials.toml"),
    home_place(Keys, ".git-credentials"),
    home_place(Keys, ".config/git/credentials"),
    home_place(Keys, ".m2/settings.xml"),
    home_place(Keys, ".m2/settings-security.xml"),
    home_place(Keys, ".gradle/gradle.properties"),
    home_place(Keys, ".nuget/nuget"),
    home_place(Keys, ".terraformrc"),
    home_place(Keys, ".terraform.d/credentials.tfrc.json"),
    home_place(Keys, ".vault-token"),
    home_place(Keys, ".password-store"),
    home_place(Keys, ".local/share/keyrings"),
    home_place(Keys, ".pgpass"),
    home_place(Keys, ".my.cnf"),
    home_place(Keys, ".mylogin.cnf"),
    home_place(Keys, ".s3cfg"),
    home_place(Keys, ".boto"),
    home_place(Keys, ".databrickscfg"),
    home_place(Keys, ".bitcoin"),
    home_place(Keys, ".ethereum"),
    home_place(Keys, ".electrum"),
    home_place(Keys, ".claude/.credentials.json"),
    home_place(Keys, ".codex/auth.json"),
    home_place(Keys, ".gemini/oauth_creds.json"),
    home_place(Keys, ".config/github-copilot"),
    home_place(Keys, ".local/share/opencode/auth.json"),
    home_place(Keys, "library/keychains"),
    home_place(Keys, "library/cookies"),
    home_place(Keys, "library/accounts"),
    home_place(Keys, "library/calendars"),
    home_place(Keys, "library/identityservices"),
    // What apps may do, and messages, notes and backups.
    home_place(Keys, "library/application support/com.apple.tcc"),
    home_place(Keys, "library/application support/addressbook"),
    home_place(Keys, "library/application support/discord"),
    home_place(Keys, "library/application support/mobilesync"),
    home_place(Keys, "library/application support/signal"),
    home_place(Keys, "library/application support/slack"),
    home_place(Keys, "library/application support/telegram desktop"),
    home_place(Keys, "library/group containers/group.com.apple.notes"),
    home_place(Keys, "library/group containers/group.net.whatsapp.whatsapp.shared"),
    home_place(Keys, "library/safari"),
    home_place(Keys, "library/containers/com.apple.safari"),
    home_place(Keys, "library/messages"),
    home_place(Keys, "library/mail"),
    home_place(Keys, "library/application support/google/chrome"),
    home_place(Keys, "library/application support/chromium"),
    home_place(Keys, "library/application support/bravesoftware"),
    home_place(Keys, "library/application support/microsoft edge"),
    home_place(Keys, "library/application support/firefox"),
    home_place(Keys, "library/application support/arc"),
    home_place(Keys, "library/application support/vivaldi"),
    home_place(Keys, "library/application support/com.operasoftware.opera"),
    home_place(Keys, "library/application support/1password"),
    home_place(Keys, "library/group containers/2bua8c4s2c.com.1password"),
    home_place(Keys, ".mozilla"),
    home_place(Keys, ".thunderbird"),
    home_place(Keys, ".config/google-chrome"),
    home_place(Keys, ".config/chromium"),
    home_place(Keys, ".config/bravesoftware"),
    home_place(Keys, ".config/microsoft-edge"),
    home_place(Keys, ".config/vivaldi"),
    system_place(Keys, "/library/keychains"),
    system_place(Keys, "/library/application support/com.apple.tcc"),
    system_place(Keys, "/etc/ssh"),
    system_place(Keys, "/etc/shadow"),
    system_place(Keys, "/etc/master.passwd"),
    // Files that the system starts by itself.
    home_place(Autostart, "library/launchagents"),
    home_place(Autostart, ".config/autostart"),
    home_place(Autostart, ".config/systemd"),
    home_place(Autostart, ".local/share/systemd"),
    home_place(Autostart, ".xprofile"),
    home_place(Autostart, ".xinitrc"),
    home_place(Autostart, ".xsession"),
    home_place(Autostart, ".xsessionrc"),
    system_place(Autostart, "/library/launchagents"),
    system_place(Autostart, "/library/launchdaemons"),
    system_place(Autostart, "/library/startupitems"),
    system_place(Autostart, "/etc/crontab"),
    system_place(Autostart, "/etc/cron.d"),
    system_place(Autostart, "/etc/cron.daily"),
    system_place(Autostart, "/etc/cron.hourly"),
    system_place(Autostart, "/etc/cron.weekly"),
    system_place(Autostart, "/etc/cron.monthly"),
    system_place(Autostart, "/var/spool/cron"),
    system_place(Autostart, "/var/at"),
    system_place(Autostart, "/usr/lib/cron"),
    system_place(Autostart, "/etc/systemd"),
    system_place(Autostart, "/etc/xdg/autostart"),
    system_place(Autostart, "/etc/rc.local"),
];

const FIXED_OF_REPOSITORIES: &[ProtectedPlace] =
    &[home_place(Repository, ".config/git"), system_place(Repository, "/etc/gitconfig")];

const FIXED_OF_AGENTS: &[ProtectedPlace] = &[
    home_place(AgentSettings, ".config/opencode"),
    home_place(AgentSettings, "documents/cline"),
    home_place(AgentSettings, ".config/code/user"),
    home_place(AgentSettings, ".config/cursor/user"),
    home_place(AgentSettings, "library/application support/code/user"),
    home_place(AgentSettings, "library/application support/cursor/user"),
    home_place(AgentSettings, "library/application support/claude"),
    system_place(AgentSettings, "/library/application support/claudecode"),
    system_place(AgentSettings, "/etc/claude-code"),
    system_place(AgentSettings, "/etc/codex"),
    system_place(AgentSettings, "/etc/gemini-cli"),
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
        all.extend(fixed);
    }
    all
});

/// Folders in a place where agents keep plans and work trees: their content is judged by itself.
pub(super) const EXCEPT: &[(&str, &[&str])] = &[(".claude", &["worktrees", "plans"])];
