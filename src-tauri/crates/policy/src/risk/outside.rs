//! What goes out of the machine or comes in: files, secrets, ways in, changes elsewhere.

use super::dangerous::{Danger, danger, notable};

/// Every pattern of this kind.
pub(super) const PATTERNS: &[Danger] = &[
    danger("unchecked", "Does not check whom it talks to", |s| {
        let off = |word: &&str| {
            let word = word.to_ascii_lowercase();
            ["stricthostkeychecking=no", "sslverify=false", "--no-check-certificate", "strict-ssl=false"]
                .iter()
                .any(|part| word.contains(part))
        };
        s.is(&["curl"]) && s.flag(&['k'], &["insecure"])
            || s.is(&["ssh", "scp", "sftp", "rsync", "git", "wget", "npm"]) && s.args.iter().any(off)
    }),
    danger("way-in", "Opens a way in from outside", |s| {
        s.is(&["ssh", "autossh"]) && s.flag(&['L', 'R', 'D', 'w'], &[])
            || s.is(&["ngrok", "cloudflared", "chisel", "frpc", "bore", "localtunnel", "lt", "tailscale"])
    }),
    notable("serves", "Offers files or a port to others", |s| {
        s.is(&["nc", "ncat", "netcat"]) && s.flag(&['l'], &["listen"])
            || s.is(&["socat"]) && s.args.iter().any(|word| word.to_ascii_uppercase().contains("LISTEN"))
            || s.name.starts_with("python") && s.has(&["http.server", "SimpleHTTPServer", "pyftpdlib"])
            || s.is(&["php"]) && s.flag(&['S'], &[])
    }),
    danger("remote-copy", "Copies files to another machine", |s| {
        let away = |word: &&str| {
            word.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
        };
        s.is(&["rsync"]) && s.args.last().is_some_and(away)
            || s.is(&["rclone"]) && s.sub(&["copy", "sync", "move", "copyto"])
            || s.is(&["aws", "gsutil", "s3cmd", "mc"])
                && s.has(&["cp", "sync", "mv", "put", "rsync"])
                && s.args.last().is_some_and(|word| word.contains("://"))
    }),
    danger("mail", "Sends mail", |s| s.is(&["mail", "mailx", "sendmail", "mutt", "msmtp", "swaks"])),
    danger("ssh-keys", "Makes or hands out keys for other machines", |s| {
        s.is(&["ssh-copy-id", "ssh-add"]) || s.is(&["ssh-keygen"]) && !s.flag(&['l', 'F'], &[])
    }),
    danger("secret-keys", "Takes out or deletes secret keys", |s| {
        s.is(&["gpg", "gpg2"])
            && s.args
                .iter()
                .any(|word| word.starts_with("--export-secret") || word.starts_with("--delete-secret"))
    }),
    danger("tokens", "Prints or makes passwords or access tokens", |s| {
        s.is(&["gh"]) && s.subs("auth", "token")
            || s.is(&["gcloud"])
                && s.args.iter().any(|word| word.starts_with("print-") && word.ends_with("-token"))
            || s.is(&["az"]) && s.has(&["get-access-token"])
            || s.is(&["aws"]) && (s.sub(&["iam"]) || s.has(&["get-secret-value", "get-session-token"]))
            || s.is(&["op"]) && s.sub(&["read", "item", "inject"])
            || s.is(&["vault"]) && s.sub(&["read", "kv", "token"])
            || s.is(&["pass"]) && (s.sub(&["show"]) || s.args.len() == 1)
            || s.is(&["npm"]) && s.sub(&["token"])
            || s.is(&["kubectl"]) && s.has(&["--raw"])
    }),
    notable("environment", "Shows the environment, with the secrets in it", |s| {
        s.is(&["printenv"])
            || s.is(&["env", "set"]) && s.args.is_empty()
            || s.is(&["export"]) && s.has(&["-p"])
    }),
    danger("password", "Gives a password in the command", |s| {
        s.is(&["sshpass"])
            || s.is(&["mysql", "mysqldump", "mariadb"])
                && s.args
                    .iter()
                    .any(|word| word.starts_with("-p") && word.len() > 2 || word.starts_with("--password="))
            || s.is(&["curl", "wget"]) && s.flag(&[], &["user", "password"])
            || s.is(&["curl"]) && s.has(&["-u"])
    }),
    danger("cluster", "Runs something in a cluster, or opens a way into it", |s| {
        s.is(&["kubectl", "oc"]) && s.sub(&["exec", "run", "port-forward", "cp", "attach", "debug"])
    }),
    danger("push-image", "Publishes an image or chart", |s| {
        s.is(&["docker", "podman", "nerdctl", "helm"]) && s.has(&["push"])
    }),
    danger("github", "Changes a project on a server", |s| {
        let changes = ["create", "edit", "merge", "close", "set", "run", "delete", "transfer", "archive"];
        s.is(&["gh", "glab"])
            && (s.subs_where(|_| true, |word| changes.contains(&word))
                || s.sub(&["api"]) && s.has(&["POST", "PUT", "PATCH", "-XPOST", "-XPUT", "-XPATCH"]))
    }),
    notable("git-remote", "Sends code to another place", |s| {
        s.is(&["git"]) && (s.subs("remote", "add") || s.subs("remote", "set-url"))
    }),
    danger("database-restore", "Overwrites a database", |s| {
        s.is(&["pg_restore"]) && s.flag(&['c'], &["clean"])
            || s.is(&["mongorestore"]) && s.flag(&[], &["drop"])
            || s.is(&["redis-cli"]) && s.has(&["RESTORE", "restore", "DEBUG"])
    }),
    danger("migrate", "Resets or rolls back a database", |s| {
        let resets = |word: &&str| {
            ["db:drop", "db:reset", "db:rollback", "migrate:fresh", "migrate:reset", "migrate:rollback"]
                .contains(word)
        };
        s.args.iter().any(resets)
            || s.is(&["prisma"]) && s.subs("migrate", "reset")
            || s.is(&["alembic"]) && s.sub(&["downgrade"])
            || s.args.first().is_some_and(|word| word.ends_with("manage.py")) && s.has(&["flush", "reset_db"])
    }),
    notable("posts", "Sends data to a server", |s| {
        s.is(&["curl", "xh", "http"])
            && (s.has(&["POST", "PUT", "PATCH", "-XPOST", "-XPUT", "-XPATCH"])
                || s.is(&["curl"]) && s.flag(&['d', 'F'], &["data", "form", "json"]))
    }),
];
