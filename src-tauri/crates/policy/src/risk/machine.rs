//! What changes the machine, its programs or the traces of what was done.

use super::dangerous::{Danger, danger, notable};

/// Every pattern of this kind.
pub(super) const PATTERNS: &[Danger] = &[
    danger("backups", "Deletes or stops backups", |s| {
        s.is(&["tmutil"])
            && s.sub_where(|sub| {
                sub.starts_with("delete")
                    || ["disable", "thinlocalsnapshots", "removedestination"].contains(&sub)
            })
    }),
    danger("kernel", "Loads code into the system's kernel", |s| {
        s.is(&["kextload", "kextunload", "insmod", "modprobe", "rmmod"])
            || s.is(&["kmutil"]) && s.sub(&["load", "install"])
    }),
    danger("install-system", "Installs software for the whole machine", |s| {
        s.is(&["installer"]) && s.has(&["-pkg", "-package"])
            || s.is(&["dpkg", "rpm"]) && s.flag(&['i', 'U'], &["install", "upgrade"])
            || s.is(&["softwareupdate"]) && s.flag(&['i'], &["install"])
    }),
    danger("mount", "Mounts or unmounts a disk", |s| {
        s.is(&["mount", "umount", "hdiutil"]) && !s.args.is_empty() && !s.has(&["info", "-l", "imageinfo"])
    }),
    danger("profiles", "Installs or removes a configuration profile", |s| {
        s.is(&["profiles"]) && s.sub(&["install", "remove", "renew"])
    }),
    danger("attach", "Looks into or changes another running program", |s| {
        s.is(&["lldb", "gdb", "dtrace", "dtruss", "strace", "ltrace"])
            && s.flag(&['p', 'n'], &["pid", "attach-pid", "attach-name"])
    }),
    danger("spy", "Takes a picture of the screen, or reads camera, microphone or clipboard", |s| {
        s.is(&["screencapture", "imagesnap", "pbpaste", "xclip", "wl-paste", "scrot"])
            || s.is(&["ffmpeg"]) && s.has(&["avfoundation", "x11grab", "pulse"])
    }),
    danger("traces", "Clears the record of what was done", |s| {
        s.is(&["history"]) && s.flag(&['c', 'd'], &[])
            || s.is(&["log"]) && s.sub(&["erase"])
            || s.is(&["journalctl"]) && s.args.iter().any(|word| word.starts_with("--vacuum"))
            || s.is(&["rm", "shred", "truncate"]) && s.args.iter().any(|word| word.ends_with("_history"))
    }),
    danger("umask", "Lets everybody write the files that come next", |s| {
        s.is(&["umask"]) && s.has(&["0", "00", "000", "0000"])
    }),
    danger("access-list", "Changes who may use files", |s| {
        s.is(&["setfacl", "setcap"]) || s.is(&["chmod"]) && s.has(&["+a", "-a", "=a#", "-N"])
    }),
    notable("link-over", "Puts a link in the place of a file", |s| {
        s.is(&["ln", "gln"]) && s.flag(&['f'], &["force"])
    }),
    notable("in-place", "Rewrites files in place", |s| {
        s.is(&["sed", "gsed", "perl", "ruby"]) && s.flag(&['i'], &["in-place"])
    }),
    danger("unpack-anywhere", "Unpacks to wherever the archive says", |s| {
        s.is(&["tar", "gtar", "bsdtar"]) && s.flag(&['P'], &["absolute-names", "absolute-paths"])
            || s.is(&["unzip"]) && (s.flag(&['o'], &[]) || s.has(&[":"]))
    }),
    danger("empties", "Empties a file", |s| {
        s.is(&["cp", "cat", "dd"])
            && s.args.first().is_some_and(|first| first.ends_with("/dev/null"))
            && s.args.len() > 1
    }),
    danger("encrypts", "Encrypts files", |s| {
        s.is(&["openssl"]) && s.sub(&["enc"]) && !s.has(&["-d"])
            || s.is(&["gpg", "gpg2", "age"]) && s.flag(&['c', 'e'], &["symmetric", "encrypt"])
            || s.is(&["7z", "7za", "zip"])
                && s.args.iter().any(|word| word.starts_with("-p") || *word == "-e")
    }),
    danger("miner", "Mines coins", |s| s.is(&["xmrig", "minerd", "cgminer", "ethminer", "cpuminer"])),
    danger("git-everywhere", "Changes how git works for you everywhere", |s| {
        s.is(&["git"]) && s.sub(&["config"]) && s.has(&["--global", "--system"])
    }),
    danger("git-hooks", "Installs what git runs by itself", |s| {
        let hook = |path: &str| path.contains(".git/hooks/") || path.contains(".husky/");
        s.writes.iter().any(|path| hook(path))
            || s.is(&["cp", "mv", "ln", "tee", "install", "chmod"]) && s.args.iter().any(|word| hook(word))
            || s.is(&["git"])
                && s.args.iter().any(|word| word.to_ascii_lowercase().starts_with("core.hookspath"))
    }),
    notable("git-rewrite", "Rewrites commits", |s| {
        s.is(&["git"]) && (s.sub(&["rebase"]) || s.sub(&["commit"]) && s.flag(&[], &["amend"]))
    }),
    notable("install-package", "Installs a package, whose own scripts run", |s| {
        s.is(&["npm", "pnpm", "yarn", "bun"]) && s.sub(&["install", "i", "add"])
            || s.is(&["pip", "pip3", "pipx", "gem", "cargo", "brew", "go", "uv"]) && s.sub(&["install"])
            || s.is(&["apt", "apt-get", "dnf", "yum", "apk", "port"]) && s.has(&["install", "add"])
    }),
    danger("other-source", "Takes packages from another source", |s| {
        let named = |word: &&str| {
            ["--index-url", "--extra-index-url", "--trusted-host", "--registry", "--find-links"]
                .iter()
                .any(|option| word.starts_with(option))
        };
        s.is(&["pip", "pip3", "uv", "npm", "pnpm", "yarn", "cargo", "gem"]) && s.args.iter().any(named)
    }),
];
