//! Commands that can do harm that cannot be undone.

use super::seen::Seen;
use crate::verdict::RiskLevel;

/// One pattern of commands to be careful about.
#[derive(Debug, Clone, Copy)]
pub struct Danger {
    /// Stable kebab-case name.
    pub id: &'static str,
    /// Why, in plain words.
    pub reason: &'static str,
    /// How careful a person should be: dangerous, or worth a look.
    pub level: RiskLevel,
    /// Whether a program with its words falls under it.
    pub test: fn(&Seen<'_>) -> bool,
}

pub(super) const fn danger(id: &'static str, reason: &'static str, test: fn(&Seen<'_>) -> bool) -> Danger {
    Danger { id, reason, level: RiskLevel::Dangerous, test }
}

/// What can be undone, and is worth a look all the same.
pub(super) const fn notable(id: &'static str, reason: &'static str, test: fn(&Seen<'_>) -> bool) -> Danger {
    Danger { id, reason, level: RiskLevel::NeedsReview, test }
}

/// What removes, overwrites or runs things here.
pub(super) const PATTERNS: &[Danger] = &[
    danger("remove", "Removes files for good (rm with -r or -f)", |s| {
        s.is(&["rm", "grm"]) && s.flag(&['r', 'R', 'f'], &["recursive", "force"])
    }),
    danger("shred", "Destroys the content of files", |s| s.is(&["shred", "srm", "wipe", "truncate"])),
    danger("find-delete", "Removes every file that it finds", |s| {
        s.is(&["find", "gfind", "fd"]) && (s.has(&["-delete"]) || s.is(&["fd"]) && s.has(&["rm"]))
    }),
    danger("elevate", "Runs with another user's rights", |s| {
        s.is(&["sudo", "doas", "su", "pkexec", "runuser", "gosu"])
    }),
    danger("format", "Formats or repartitions a disk", |s| {
        s.name.starts_with("mkfs")
            || s.name.starts_with("newfs")
            || s.is(&["fdisk", "parted", "wipefs", "gpt"])
    }),
    danger("erase-disk", "Erases or unmounts a disk", |s| {
        s.is(&["diskutil"]) && s.sub_but(&["list", "info", "activity"])
    }),
    danger("write-device", "Writes straight to a device", |s| {
        let device = |path: &str| {
            path.strip_prefix("/dev/").is_some_and(|name| {
                ["disk", "rdisk", "sd", "hd", "nvme", "mem", "kmem", "mapper"]
                    .iter()
                    .any(|kind| name.starts_with(kind))
            })
        };
        s.writes.iter().any(|path| device(path))
            || s.args.iter().any(|word| word.strip_prefix("of=").is_some_and(device))
    }),
    danger("overwrite", "Copies raw bytes over a file (dd)", |s| {
        s.is(&["dd"]) && s.args.iter().any(|word| word.starts_with("of=") && *word != "of=/dev/null")
    }),
    danger("open-to-all", "Lets everybody read or write files", |s| {
        s.is(&["chmod"])
            && s.args.iter().any(|word| {
                ["777", "0777", "666", "a+rwx", "a+w", "o+w", "ugo+rwx", "+w"].contains(word)
                    || word.starts_with("u+s")
                    || word.starts_with("+s")
            })
    }),
    danger("change-owner", "Changes the owner or mode of a whole tree", |s| {
        s.is(&["chown", "chmod", "chgrp", "chflags"]) && s.flag(&['R'], &["recursive"])
    }),
    danger("git-force", "Overwrites or deletes history that others share", |s| {
        let plus = || s.args.iter().skip(1).any(|word| word.starts_with('+') || word.starts_with(':'));
        s.is(&["git"])
            && s.has(&["push"])
            && (s.flag(&['f', 'd'], &["force", "force-with-lease", "mirror", "delete", "prune"]) || plus())
    }),
    danger("git-reset", "Throws away uncommitted work", |s| {
        s.is(&["git"])
            && (s.has(&["reset"]) && s.has(&["--hard"])
                || s.has(&["clean"]) && s.flag(&['f'], &["force"])
                || s.has(&["checkout", "restore"]) && s.has(&["."]))
    }),
    danger("git-history", "Rewrites or drops history", |s| {
        s.is(&["git"])
            && (s.has(&["filter-branch", "filter-repo", "update-ref"])
                || s.has(&["branch"]) && s.has(&["-D"])
                || s.has(&["stash"]) && s.has(&["drop", "clear"])
                || s.has(&["reflog"]) && s.has(&["expire", "delete"]))
    }),
    danger("power", "Turns the machine off or restarts it", |s| {
        s.is(&["shutdown", "reboot", "halt", "poweroff", "pmset"])
    }),
    danger("kill", "Stops programs by name or by force", |s| {
        s.is(&["killall", "pkill", "xkill"]) || s.is(&["kill"]) && s.has(&["-9", "-KILL", "-SIGKILL", "-1"])
    }),
    danger("service", "Starts, stops or installs background services", |s| {
        let reads = ["list", "print", "blame", "status", "show", "is-active", "list-units", "help"];
        s.is(&["launchctl", "systemctl", "service"]) && s.sub_but(&reads)
    }),
    danger("schedule", "Makes something run later by itself", |s| {
        s.is(&["crontab"]) && !s.has(&["-l"]) || s.is(&["at", "batch"])
    }),
    danger("settings", "Changes settings of the system or of programs", |s| {
        let reads = ["read", "read-type", "domains", "find", "export", "help"];
        s.is(&["defaults"]) && s.sub_but(&reads)
            || s.is(&[
                "nvram",
                "csrutil",
                "spctl",
                "tccutil",
                "systemsetup",
                "scutil",
                "networksetup",
                "sysctl",
            ]) && !s.args.is_empty()
                && !s.has(&["status", "-a", "--list", "-getinfo", "--status", "-p"])
    }),
    danger("keychain", "Reads or changes stored passwords", |s| {
        s.is(&["security"]) && s.sub_but(&["list-keychains", "find-certificate", "help", "cms"])
    }),
    danger("script-apps", "Controls other applications", |s| s.is(&["osascript", "automator", "shortcuts"])),
    danger("container-host", "Gives a container the host's files or rights", |s| {
        let mount = |word: &&str| {
            let value = word.trim_start_matches("-v").trim_start_matches("--volume=");
            value.starts_with("/:")
                || value.starts_with("~:")
                || value.contains("docker.sock")
                || word.contains("src=/,")
        };
        s.is(&["docker", "podman", "nerdctl"])
            && (s.args.iter().any(mount) || s.has(&["--privileged", "--pid=host", "--net=host"]))
    }),
    danger("container-delete", "Deletes containers, images or volumes", |s| {
        s.is(&["docker", "podman"])
            && (s.has(&["prune"])
                || s.sub(&["rm"]) && s.flag(&['f', 'v'], &["force", "volumes"])
                || s.subs("volume", "rm"))
    }),
    danger("sync-delete", "Deletes what the other side does not have", |s| {
        s.is(&["rsync"])
            && s.args.iter().any(|word| word.starts_with("--del") || *word == "--remove-source-files")
    }),
    danger("publish", "Publishes to everybody", |s| {
        s.is(&["npm", "pnpm", "yarn", "cargo", "poetry", "uv"]) && s.sub(&["publish"])
            || s.is(&["gem"]) && s.sub(&["push"])
            || s.is(&["twine"]) && s.sub(&["upload"])
    }),
    danger("cloud-delete", "Changes or deletes things in the cloud", |s| {
        s.is(&["terraform", "tofu", "pulumi"]) && s.has(&["destroy", "apply", "up"])
            || s.is(&["kubectl", "oc"]) && s.has(&["delete", "drain", "apply", "replace", "scale"])
            || s.is(&["helm"]) && s.has(&["uninstall", "delete"])
            || s.is(&["aws", "gcloud", "az", "fly", "heroku"])
                && s.args.iter().any(|word| {
                    word.starts_with("delete")
                        || word.starts_with("terminate")
                        || *word == "rb"
                        || *word == "destroy"
                })
    }),
    danger("remote-delete", "Deletes or overwrites things on a server", |s| {
        s.is(&["gh"])
            && (s.subs("repo", "delete") || s.subs("release", "delete") || s.has(&["-XDELETE", "DELETE"]))
            || s.is(&["curl", "http", "xh"]) && s.has(&["DELETE", "-XDELETE"])
    }),
    danger("database", "Drops a database", |s| {
        let drops = |word: &&str| {
            let text = word.to_ascii_lowercase();
            ["drop table", "drop database", "truncate table", "delete from"]
                .iter()
                .any(|part| text.contains(part))
        };
        s.is(&["dropdb", "dropuser"])
            || s.is(&["psql", "mysql", "sqlite3", "mongosh", "mariadb", "redis-cli"])
                && (s.args.iter().any(drops) || s.has(&["FLUSHALL", "flushall", "FLUSHDB", "flushdb"]))
    }),
    danger("inline-code", "Runs code that stands in the command", |s| {
        let python = s.name.starts_with("python") && s.flag(&['c'], &[]);
        python
            || s.is(&["node", "bun", "perl", "ruby", "php", "lua", "swift", "osascript"])
                && s.flag(&['e', 'p', 'r'], &["eval", "print", "execute"])
            || s.is(&["eval"])
    }),
    danger("remote-shell", "Opens a shell to somewhere else", |s| {
        let tcp = s
            .args
            .iter()
            .chain(&s.writes)
            .any(|word| word.contains("/dev/tcp/") || word.contains("/dev/udp/"));
        tcp || s.is(&["nc", "ncat", "netcat", "socat"])
            && (s.flag(&['e', 'c'], &["exec", "sh-exec"])
                || s.args.iter().any(|word| word.to_ascii_uppercase().contains("EXEC:")))
    }),
    danger("startup-file", "Changes what runs when you log in or open a shell", |s| {
        let writes = |path: &str| {
            STARTUP.iter().any(|name| path.ends_with(name))
                || path.contains("/LaunchAgents/")
                || path.contains("/LaunchDaemons/")
        };
        let copies = s.is(&["cp", "mv", "ln", "tee", "install", "dd", "sed"])
            && s.args.iter().any(|word| writes(word));
        copies || s.writes.iter().any(|path| writes(path))
    }),
    danger("secrets", "Touches keys, tokens or passwords", |s| {
        s.args.iter().any(|word| is_secret(word)) || s.writes.iter().any(|path| is_secret(path))
    }),
    danger("upload", "Sends files somewhere", |s| {
        let at_file = |word: &&str| {
            word.starts_with('@') || word.contains("=@") || word.starts_with("-d@") || word.starts_with("-F@")
        };
        s.is(&["curl"]) && (s.flag(&['T'], &["upload-file"]) || s.args.iter().any(at_file))
            || s.is(&["wget"]) && s.args.iter().any(|word| word.starts_with("--post-file"))
            || s.is(&["scp", "sftp", "ftp"])
    }),
    danger("firewall", "Changes the firewall or routes", |s| {
        s.is(&["pfctl", "iptables", "ip6tables", "nft", "ufw", "route", "socketfilterfw"])
            && !s.has(&["-L", "-s", "list", "status", "get"])
    }),
    danger("accounts", "Changes users, groups or passwords", |s| {
        s.is(&[
            "passwd",
            "chsh",
            "dscl",
            "dseditgroup",
            "sysadminctl",
            "useradd",
            "userdel",
            "usermod",
            "visudo",
            "chpasswd",
        ])
    }),
    danger("quarantine", "Switches off the check of downloaded programs", |s| {
        s.is(&["xattr"]) && s.args.iter().any(|word| word.contains("com.apple.quarantine"))
    }),
    danger("to-nowhere", "Throws a file away", |s| {
        s.is(&["mv", "cp"]) && s.args.last() == Some(&"/dev/null")
    }),
    danger("whole-root", "Works on the whole disk or home folder", |s| {
        s.is(&["mv", "chmod", "chown", "tar", "zip"]) && s.has(&["/", "/*", "~", "~/", "$HOME"])
    }),
    danger("system-files", "Changes files of the system", |s| {
        let system = |path: &str| {
            ["/etc/", "/System/", "/usr/", "/bin/", "/sbin/", "/Library/", "/boot/"]
                .iter()
                .any(|folder| path.starts_with(folder))
        };
        let last = s.args.last().is_some_and(|word| system(word));
        s.writes.iter().any(|path| system(path))
            || s.is(&["cp", "mv", "ln", "install", "tee", "rm", "touch"]) && last
    }),
    danger("uninstall", "Removes installed software", |s| {
        s.is(&["brew", "apt", "apt-get", "dnf", "yum", "port", "pip", "pip3"])
            && s.sub(&["uninstall", "remove", "purge", "autoremove", "rm"])
    }),
    danger("run-unknown", "Downloads a package and runs it", |s| {
        s.is(&["npx", "bunx", "uvx", "pnpx"]) || s.is(&["npm", "pnpm", "yarn"]) && s.sub(&["exec", "dlx"])
    }),
];

/// Returns true if a word names a file that holds secrets.
pub(super) fn is_secret(word: &str) -> bool {
    SECRETS.iter().any(|part| word.contains(part)) || word.ends_with("/.env") || word == ".env"
}

const STARTUP: &[&str] = &[
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".gitconfig",
    ".ssh/authorized_keys",
    ".ssh/config",
    "/etc/hosts",
    "/etc/sudoers",
    ".npmrc",
    ".config/fish/config.fish",
];

const SECRETS: &[&str] = &[
    ".ssh/id_",
    ".aws/credentials",
    ".netrc",
    ".gnupg",
    "login.keychain",
    ".kube/config",
    ".docker/config.json",
    ".pgpass",
    "master.passwd",
    "/etc/shadow",
    ".npmrc",
    ".git-credentials",
    "agent.key",
];
