//! The table: for each program, what its verbs and options do. A command has the effects of every row that fits.

use std::sync::LazyLock;

use foldhash::HashMap;

use super::{InstallPlace, Reversible, Scope};

/// Effect of a row; the words are verb phrases or nouns as [`super::Effect`] has them.
#[derive(Debug, Clone, Copy)]
pub(super) enum Does {
    Reads(Of),
    Writes(Of),
    Deletes(Of),
    Project(&'static str, Of),
    Inline(&'static str),
    Downloaded(Of),
    Installs(InstallPlace),
    Fetches(Of),
    Sends(&'static str, Of),
    Publishes(&'static str, Of),
    Repository(&'static str, Of),
    Elsewhere(&'static str, Of),
    System(&'static str, Of),
    App(&'static str, Of),
    Secret(&'static str, Of),
    Serves(&'static str),
}

/// Words that an effect is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// None.
    No,
    /// All operands behind the verb.
    All,
    /// The first.
    First,
    /// All but the first.
    Rest,
    /// The last.
    Last,
    /// What is found below the first, or below the current folder.
    Found,
    /// The machines among the operands.
    Hosts,
    /// The last word of the verb.
    Verb,
}

/// A row: programs and verbs (alternatives by `|`), marks one of which has to be met and none of which may be
/// ([`super::seen::Seen::meets`]), and an effect.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) programs: &'static str,
    pub(super) verb: &'static str,
    pub(super) when: &'static str,
    pub(super) unless: &'static str,
    pub(super) does: Does,
    pub(super) scope: Option<Scope>,
    pub(super) reversible: Reversible,
}

impl Row {
    /// It cannot be undone.
    const fn forever(self) -> Self {
        Self { reversible: Reversible::No, ..self }
    }

    /// It can be undone.
    const fn undone(self) -> Self {
        Self { reversible: Reversible::Yes, ..self }
    }

    /// It reaches other machines.
    const fn remote(self) -> Self {
        Self { scope: Some(Scope::Remote), ..self }
    }

    /// It stays in the agent's folders.
    const fn inside(self) -> Self {
        Self { scope: Some(Scope::Inside), ..self }
    }

    const fn unless(self, marks: &'static str) -> Self {
        Self { unless: marks, ..self }
    }
}

/// A row; its reach and reversibility are those of its kind.
const fn row(programs: &'static str, verb: &'static str, when: &'static str, does: Does) -> Row {
    let (scope, reversible) = match does {
        Does::Reads(_) => (None, Reversible::Yes),
        Does::Writes(_) => (None, Reversible::Unknown),
        Does::Deletes(_) => (None, Reversible::No),
        Does::Project(..) | Does::Inline(_) => (Some(Scope::Inside), Reversible::Unknown),
        Does::Downloaded(_) | Does::Fetches(_) | Does::Sends(..) | Does::Elsewhere(..) => {
            (Some(Scope::Remote), Reversible::Unknown)
        }
        Does::Publishes(..) => (Some(Scope::Remote), Reversible::No),
        Does::Installs(InstallPlace::Project) | Does::Repository(..) => {
            (Some(Scope::Inside), Reversible::Yes)
        }
        Does::Installs(InstallPlace::User) | Does::Serves(_) => (Some(Scope::Machine), Reversible::Yes),
        Does::Installs(InstallPlace::System) | Does::System(..) | Does::App(..) | Does::Secret(..) => {
            (Some(Scope::Machine), Reversible::No)
        }
    };
    Row { programs, verb, when, unless: "", does, scope, reversible }
}

/// Returns all rows.
#[cfg(test)]
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.iter().copied().flatten()
}

/// The rows of each program's family.
static BY_PROGRAM: LazyLock<HashMap<&str, Vec<&Row>>> = LazyLock::new(|| {
    let mut all: HashMap<&str, Vec<&Row>> = HashMap::default();
    for row in TABLES.iter().copied().flatten() {
        for program in row.programs.split(' ') {
            all.entry(program).or_default().push(row);
        }
    }
    all
});

/// Returns the rows of a program's family.
pub(super) fn of(family: &str) -> &'static [&'static Row] {
    BY_PROGRAM.get(family).map_or(&[], Vec::as_slice)
}

const TABLES: [&[Row]; 8] = [FILES, GIT, CODE, PACKAGES, NETWORK, CONTAINERS, MACHINE, SECRETS];

use Does::{
    App, Deletes, Downloaded, Elsewhere, Fetches, Inline, Installs, Project, Publishes, Reads, Repository,
    Secret, Sends, Serves, System, Writes,
};
use InstallPlace::{Project as InProject, System as InSystem, User as ForUser};
use Of::{All, First, Found, Hosts, Last, No, Rest, Verb};

#[rustfmt::skip]
const FILES: &[Row] = &[
    row("cat head tail less more wc nl file stat ls tree du bat diff cmp od strings md5 md5sum shasum sha256sum tac rev sort uniq cut readlink", "", "", Reads(All)),
    row("grep egrep fgrep rg ag jq yq sed awk gawk", "", "", Reads(Rest)).unless("-i --in-place"),
    row("find fd", "", "", Reads(First)).unless("-delete"),
    row("rm srm", "", "", Deletes(All)),
    row("rmdir", "", "", Deletes(All)).undone(),
    row("unlink trash", "", "", Deletes(All)),
    row("shred wipe", "", "", Deletes(All)),
    row("find", "", "-delete", Deletes(Found)),
    row("fd", "", "-delete =rm", Deletes(First)),
    row("truncate", "", "", Writes(All)).forever(),
    row("dd", "", "^of=", Writes(No)).unless("=of=/dev/null").forever(),
    row("cp install", "", "", Writes(Last)),
    row("mv", "", "", Writes(All)),
    row("mkdir touch", "", "", Writes(All)),
    row("tee", "", "", Writes(All)),
    row("ln", "", "", Writes(Last)),
    row("sed perl ruby", "", "-i --in-place", Writes(Rest)),
    row("patch", "", "", Writes(First)),
    row("chmod chown chgrp chflags", "", "", Writes(Rest)),
    row("chmod chown chgrp chflags", "", "-R --recursive", Writes(Rest)).forever(),
    row("chmod", "", "=777 =0777 =666 =a+rwx =a+w =o+w =ugo+rwx =+w ^u+s ^+s", System("let everybody read or write", Rest)),
    row("chmod setfacl setcap", "", "=+a =-a ==a# =-N", System("change who may use", Last)),
    row("setfacl setcap", "", "", System("change who may use", Last)),
    row("mv chmod chown tar zip", "", "=/ =/* =~ =~/ =$HOME", System("work on your whole disk or home folder", No)),
    row("tar bsdtar unzip 7z zip gzip gunzip bzip2 xz", "", "", Writes(No)),
    row("tar gtar bsdtar", "", "-P --absolute-names --absolute-paths", System("unpack files to wherever the archive says", No)),
    row("unzip", "", "-o =:", System("overwrite files with those of an archive", No)),
    row("rsync", "", "", Writes(Last)),
    row("rsync", "", "^--del =--remove-source-files", Deletes(Last)),
    row("openssl", "enc", "", System("encrypt files", No)).unless("=-d"),
    row("gpg gpg2 age", "", "-c -e --symmetric --encrypt", System("encrypt files", No)),
    row("7z 7za zip", "", "^-p =-e", System("encrypt files", No)),
    row("rm shred truncate", "", "$_history", System("clear the record of what was done", No)),
];

#[rustfmt::skip]
const GIT: &[Row] = &[
    row("git", "add|stage", "", Repository("stage changes", No)),
    row("git", "commit", "", Repository("commit changes", No)).unless("--amend"),
    row("git", "commit", "--amend", Repository("rewrite the last commit", No)),
    row("git", "rebase", "", Repository("rewrite commits", No)),
    row("git", "merge", "", Repository("merge", All)),
    row("git", "cherry-pick|revert|am|apply", "", Repository("apply changes", No)),
    row("git", "checkout|switch", "", Repository("switch to", First)).unless("=. =--"),
    row("git", "checkout", "=--", Repository("discard changes in", All)).unless("=."),
    row("git", "restore", "", Repository("discard changes in", All)).unless("=."),
    row("git", "checkout|restore", "=.", Repository("discard all uncommitted changes", No)).forever(),
    row("git", "reset", "", Repository("move the branch or unstage changes", No)).unless("=--hard"),
    row("git", "reset", "=--hard", Repository("discard all uncommitted changes", No)).forever(),
    row("git", "clean", "-f --force", Repository("delete all files that git does not track", No)).forever(),
    row("git", "branch", "", Repository("change branches", No)).unless("-D"),
    row("git", "branch", "=-D", Repository("delete the branch", All)).forever(),
    row("git", "tag", "", Repository("change tags", No)),
    row("git", "stash", "", Repository("put changes aside", No)),
    row("git", "stash drop|clear", "", Repository("throw away stashed changes", No)).forever(),
    row("git", "filter-branch|filter-repo|update-ref", "", Repository("rewrite the history", No)).forever(),
    row("git", "reflog expire|delete", "", Repository("delete the log of earlier states", No)).forever(),
    row("git", "init|worktree|submodule|mv|notes|gc|prune|sparse-checkout|lfs|bisect", "", Repository("change the repository", No)),
    row("git", "rm", "", Deletes(All)).undone(),
    row("git", "config", "", Repository("change the repository's settings", No)).unless("--global --system --get --list -l"),
    row("git", "config", "--global --system", System("change how git works for you everywhere", No)),
    row("git", "remote add|set-url", "", Repository("change where code is pushed and fetched:", Rest)),
    row("git", "remote remove|rename|rm|prune", "", Repository("change remotes", No)),
    row("git", "clone", "", Fetches(First)),
    row("git", "fetch|pull|ls-remote", "", Fetches(First)),
    row("git", "pull", "", Repository("merge", All)),
    row("git", "push", "", Sends("push commits", First)).unless("-f -d --force --force-with-lease --mirror --delete --prune ^+ ^:"),
    row("git", "push", "-f -d --force --force-with-lease --mirror --delete --prune ^+ ^:", Repository("overwrite or delete commits that others share on", First)).remote().forever(),
    row("hg svn jj gt", "commit|ci|describe|new", "", Repository("commit changes", No)),
    row("hg jj gt", "push|submit", "", Sends("push commits", First)),
    row("gh glab", "api", "", Fetches(No)).unless("=POST =PUT =PATCH =DELETE =-XPOST =-XPUT =-XPATCH =-XDELETE -f -F --field --raw-field --input"),
    row("gh glab", "api", "=POST =PUT =PATCH =-XPOST =-XPUT =-XPATCH", System("change a project on its server", No)).remote(),
    row("gh glab", "api", "-f -F --field --raw-field --input", Sends("send data", No)),
    row("gh", "", "=DELETE =-XDELETE", System("delete something on GitHub", No)).remote(),
    row("gh glab", "pr|issue|mr|run|release|repo|workflow|search|gist|label view|list|diff|checks|status|watch|download|clone|checkout", "", Fetches(No)),
    row("gh glab", "pr|mr create|new", "", Sends("open a pull request", No)),
    row("gh glab", "issue create|new", "", Sends("open an issue", No)),
    row("gh glab", "gist|label|repo create|new", "", Sends("create a repository, gist or label", No)),
    row("gh glab", "pr|issue|mr|discussion comment|review|edit|close|reopen|ready|lock|note", "", Sends("comment on or change a pull request or issue", No)),
    row("gh glab", "pr|mr merge", "", System("merge a change on its server", All)).remote(),
    row("gh glab", "release create|upload", "", Publishes("the project's releases", First)),
    row("gh glab", "repo|release|secret|variable|cache|run|workflow|ssh-key|gpg-key|label|issue|gist delete|set|edit|transfer|archive|run|remove|add", "", System("change a project or account on its server", No)).remote(),
];

#[rustfmt::skip]
const CODE: &[Row] = &[
    row("npm pnpm yarn bun", "run|run-script", "", Project("the package script", First)),
    row("npm pnpm yarn bun", "test|t|start|stop|restart|build|dev|lint", "", Project("the package script", Verb)),
    row("npm", "exec|x", "", Downloaded(First)),
    row("pnpm yarn", "exec", "", Project("the project's tool", First)),
    row("pnpm yarn", "dlx", "", Downloaded(First)).forever(),
    row("bun", "x", "", Downloaded(First)),
    row("npx bunx pnpx uvx", "", "", Downloaded(First)),
    row("npx bunx pnpx", "", "-y --yes", Downloaded(First)).forever(),
    row("pipx", "run", "", Downloaded(First)),
    row("npm pnpm yarn bun", "create|init", "", Downloaded(First)).unless("-y --yes #1"),
    row("make gmake just task rake", "", "", Project("the target", First)),
    row("cargo", "build|b|check|c|clippy|doc|d|fmt|fix|nextest|llvm-cov", "", Project("the project's build:", Verb)),
    row("cargo", "test|t|bench", "", Project("the project's tests:", Verb)),
    row("cargo", "run|r", "", Project("the project's program", No)),
    row("cargo", "add|update|generate-lockfile", "", Installs(InProject)),
    row("go", "build|vet|generate|install|fmt|tool", "", Project("the project's build:", Verb)),
    row("go", "test", "", Project("the project's tests", No)),
    row("go", "run", "", Project("the Go program", First)).unless("~@"),
    row("go", "run|install", "~@", Downloaded(First)).forever(),
    row("go", "get", "", Installs(InProject)),
    row("go", "mod|work", "", Installs(InProject)),
    row("swift xcodebuild gradle gradlew mvn mvnw cmake ninja bazel bazelisk meson sbt lein mix dotnet zig stack cabal dart flutter ant", "", "", Project("the project's build:", Verb)),
    row("pytest py.test jest vitest mocha ava tox nox playwright cypress rspec phpunit ctest nyc c8 unittest bats karma", "", "", Project("the project's tests", No)),
    row("tsc eslint prettier ruff black mypy pyright flake8 pylint isort biome webpack rollup esbuild vite next nuxt astro svelte-check turbo nx lerna golangci-lint rubocop stylelint tsup pre-commit", "", "", Project("the project's tools", No)),
    row("gofmt goimports rustfmt swiftformat", "", "", Writes(All)),
    row("uv poetry pdm hatch pipenv rye", "run", "", Project("the project's command", First)),
    row("bundle", "exec", "", Project("the project's command", First)),
    row("rails rake django-admin", "", "", Project("the project's command", First)),
    row("mise direnv nix-shell devbox", "exec|x|run|shell", "", Project("the project's command", First)),
    row("python", "", "=-m", Project("the module", No)),
    row("eval", "", "", Inline("shell")),
    row("swift", "", "-e", Inline("swift")),
    row("alembic", "downgrade", "", System("roll back a database", No)),
    row("prisma", "migrate reset", "", System("empty a database", No)),
    row("rails rake npx bundle yarn npm pnpm", "", "=db:drop =db:reset =db:rollback =migrate:fresh =migrate:reset =migrate:rollback", System("empty or roll back a database", No)),
    row("php artisan x", "", "=migrate:fresh =migrate:reset =migrate:rollback =db:drop =db:reset =db:rollback", System("empty or roll back a database", No)),
];

#[rustfmt::skip]
const PACKAGES: &[Row] = &[
    row("npm pnpm yarn bun", "install|i|add|ci|update|up|upgrade|link|dedupe", "", Installs(InProject)).unless("-g --global"),
    row("npm pnpm yarn bun cargo uv poetry pdm pipenv bundle composer", "uninstall|remove|rm|un", "", System("remove the packages", All)).inside().undone(),
    row("yarn", "", "#0", Installs(InProject)),
    row("npm pnpm yarn bun", "install|i|add|update|upgrade|link", "-g --global", Installs(ForUser)),
    row("pip pip2 pip3 gem", "install", "", Installs(ForUser)),
    row("pipx", "install|upgrade|inject", "", Installs(ForUser)),
    row("cargo", "install", "", Installs(ForUser)),
    row("go", "install", "", Installs(ForUser)),
    row("uv", "add|sync|lock|venv|pip", "", Installs(InProject)),
    row("uv", "tool|python|install", "", Installs(ForUser)),
    row("poetry pdm pipenv bundle composer pod", "install|add|update|require|lock", "", Installs(InProject)),
    row("brew", "install|upgrade|reinstall|tap|update|cask|link|bundle", "", Installs(ForUser)),
    row("rustup nvm fnm volta asdf mise pyenv rbenv sdk", "install|add|use|update|default|global|toolchain|component|target", "", Installs(ForUser)),
    row("apt apt-get dnf yum apk port pacman zypper snap", "install|add|upgrade|dist-upgrade|-S", "", Installs(InSystem)).undone(),
    row("brew apt apt-get dnf yum port pip pip3", "uninstall|remove|purge|autoremove|rm", "", System("remove installed software:", All)),
    row("installer", "", "=-pkg =-package", Installs(InSystem)),
    row("dpkg rpm", "", "-i -U --install --upgrade", Installs(InSystem)),
    row("softwareupdate", "", "-i --install", Installs(InSystem)),
    row("pip pip3 uv npm pnpm yarn cargo gem", "", "^--index-url ^--extra-index-url ^--trusted-host ^--registry ^--find-links", System("take packages from another source", No)).remote(),
    row("npm pnpm yarn", "publish", "", Publishes("npm", No)),
    row("npm", "unpublish|deprecate|dist-tag|owner|access", "", System("change a published package", No)).remote(),
    row("cargo", "publish|yank|owner", "", Publishes("crates.io", No)),
    row("poetry uv flit hatch", "publish", "", Publishes("PyPI", No)),
    row("twine", "upload", "", Publishes("PyPI", No)),
    row("gem", "push", "", Publishes("RubyGems", All)),
    row("vsce ovsx", "publish", "", Publishes("the extension marketplace", No)),
    row("vercel netlify firebase wrangler fly flyctl heroku surge gh-pages", "deploy|publish|--prod", "", Publishes("the web", No)),
];

#[rustfmt::skip]
const NETWORK: &[Row] = &[
    row("curl wget http https xh aria2c lynx w3m", "", "", Fetches(Hosts)).unless("-d -F -T --data --form --json --upload-file =POST =PUT =PATCH =DELETE =-XPOST =-XPUT =-XPATCH =-XDELETE ^--post-file ^--post-data"),
    row("curl wget", "", "-o -O --output --remote-name", Writes(No)),
    row("dig nslookup host ping traceroute whois", "", "", Fetches(Last)),
    row("curl http https xh", "", "=POST =PUT =PATCH =-XPOST =-XPUT =-XPATCH", Sends("send data", Hosts)),
    row("curl", "", "-d -F --data --form --json", Sends("send data", Hosts)),
    row("wget", "", "^--post-data", Sends("send data", Hosts)),
    row("curl", "", "-T --upload-file ^@ ~=@ ^-d@ ^-F@", Sends("upload files", Hosts)).forever(),
    row("wget", "", "^--post-file", Sends("upload files", Hosts)).forever(),
    row("sftp ftp", "", "", Sends("upload files", Hosts)).forever(),
    row("curl http https xh", "", "=DELETE =-XDELETE", System("delete something on", Hosts)).remote(),
    row("curl", "", "-k --insecure", System("not check which server answers:", Hosts)).remote(),
    row("ssh scp sftp rsync git wget npm", "", "~stricthostkeychecking=no ~sslverify=false ~--no-check-certificate ~strict-ssl=false", System("not check which server answers", No)).remote(),
    row("ssh mosh", "", "", Elsewhere("on", First)),
    row("ssh autossh", "", "-L -R -D -w", Serves("open a way between this machine and another")).remote(),
    row("ngrok cloudflared chisel frpc bore localtunnel lt tailscale", "", "", Serves("open a way into this machine from outside")).remote(),
    row("nc ncat netcat", "", "-e -c --exec --sh-exec", Elsewhere("with a shell for", Hosts)).forever(),
    row("socat", "", "~exec:", Elsewhere("with a shell for another machine", No)).forever(),
    row("nc ncat netcat", "", "", Sends("send data", Hosts)).unless("-l --listen -z"),
    row("nc ncat netcat", "", "-z", Fetches(Hosts)),
    row("nc ncat netcat", "", "-l --listen", Serves("listen on a port")),
    row("socat", "", "~listen", Serves("listen on a port")),
    row("python", "", "=http.server =SimpleHTTPServer =pyftpdlib", Serves("offer files on a port")),
    row("php", "", "-S", Serves("offer files on a port")),
    row("rclone", "copy|sync|move|copyto", "", Sends("upload files", Last)).forever(),
    row("mail mailx sendmail mutt msmtp swaks", "", "", Sends("send mail", Hosts)).forever(),
    row("aws gcloud az fly heroku gsutil", "", "^delete ^terminate =rb =destroy", System("delete something in the cloud", No)).remote(),
    row("terraform tofu pulumi", "", "=destroy =apply =up", System("change or delete cloud resources", No)).remote(),
    row("terraform tofu pulumi", "plan|preview|init|validate|show", "", Fetches(No)),
];

#[rustfmt::skip]
const CONTAINERS: &[Row] = &[
    row("docker podman nerdctl", "run|exec|start|create", "", Elsewhere("in a container", No)),
    row("docker podman", "compose|container run|exec|up|start|restart", "", Elsewhere("in containers", No)),
    row("docker-compose podman-compose", "run|exec|up|start|restart", "", Elsewhere("in containers", No)),
    row("docker podman nerdctl", "build|buildx", "", Elsewhere("in a container build", No)),
    row("docker podman", "stop|kill|compose|container|rm|rmi|pause|tag|network", "", System("change containers or images", No)).undone().unless("=ps =logs =config =ls =images =exec =run =up"),
    row("docker podman nerdctl", "pull", "", Fetches(First)),
    row("docker podman", "", "=prune", System("delete containers, images or volumes", No)),
    row("docker podman", "rm", "-f -v --force --volumes", System("delete the container", All)),
    row("docker podman", "volume rm", "", System("delete the volume", All)),
    row("docker podman nerdctl", "", "=push", Publishes("an image registry", Last)),
    row("helm", "", "=push", Publishes("a chart registry", Last)),
    row("kubectl oc", "", "=delete =drain =apply =replace =scale", System("change or delete things in a cluster", No)).remote(),
    row("kubectl oc", "create|edit|patch|label|annotate|rollout|set|cordon|taint", "", System("change things in a cluster", No)).remote().undone(),
    row("kubectl oc", "exec|run|port-forward|cp|attach|debug", "", Elsewhere("in a cluster", No)).forever(),
    row("kubectl oc", "get|describe|logs|top|version|explain|diff|api-resources", "", Fetches(No)).unless("=--raw"),
    row("helm", "", "=uninstall =delete", System("remove what runs in a cluster:", Last)).remote(),
    row("helm", "install|upgrade|rollback", "", System("change what runs in a cluster:", First)).remote().undone(),
];

#[rustfmt::skip]
const MACHINE: &[Row] = &[
    row("sudo doas su pkexec runuser gosu", "", "", System("act with another user's rights", No)),
    row("fdisk parted wipefs gpt", "", "", System("format or repartition a disk", No)),
    row("diskutil", "!list|info|activity", "", System("erase, change or unmount a disk", No)),
    row("mount umount hdiutil", "", "#+", System("mount or unmount a disk", No)).unless("=info -l =imageinfo"),
    row("tmutil", "", "^delete =disable =thinlocalsnapshots =removedestination", System("delete or stop backups", No)),
    row("kextload kextunload insmod modprobe rmmod", "", "", System("load code into the system's kernel", No)),
    row("kmutil", "load|install", "", System("load code into the system's kernel", No)),
    row("shutdown reboot halt poweroff pmset", "", "", System("turn this machine off, restart it, or change when it sleeps", No)),
    row("killall pkill xkill", "", "", System("stop every program named", All)),
    row("kill", "", "=-9 =-KILL =-SIGKILL =-1", System("end a process by force:", All)),
    row("kill", "", "", System("stop a process:", All)).undone().unless("=-9 =-KILL =-SIGKILL =-1 =-0 -l"),
    row("launchctl systemctl service", "!list|print|blame|status|show|is-active|list-units|help", "", System("start, stop or change a background service", No)),
    row("crontab", "", "", System("change what runs by itself at certain times", No)).unless("-l"),
    row("at batch", "", "", System("make something run later by itself", No)),
    row("defaults", "!read|read-type|domains|find|export|help", "", System("change settings of this machine or its programs", No)),
    row("nvram csrutil spctl tccutil systemsetup scutil networksetup sysctl", "", "#+", System("change settings of this machine", No)).unless("=status =-a =--list =-getinfo =--status =-p"),
    row("profiles", "install|remove|renew", "", System("install or remove a configuration profile", No)),
    row("pfctl iptables ip6tables nft ufw route socketfilterfw", "", "", System("change the firewall or routes", No)).unless("=-L =-s =list =status =get"),
    row("passwd chsh dscl dseditgroup sysadminctl useradd userdel usermod visudo chpasswd", "", "", System("change users, groups or passwords", No)),
    row("xattr", "", "~com.apple.quarantine", System("switch off the check of downloaded programs for", Last)),
    row("lldb gdb dtrace dtruss strace ltrace", "", "-p -n --pid --attach-pid --attach-name", System("look into another running program", No)),
    row("history", "", "-c -d", System("clear the record of what was done", No)),
    row("log", "erase", "", System("clear the record of what was done", No)),
    row("journalctl", "", "^--vacuum", System("clear the record of what was done", No)),
    row("umask", "", "=0 =00 =000 =0000", System("let everybody write the files that come next", No)),
    row("xmrig minerd cgminer ethminer cpuminer", "", "", System("mine coins", No)),
    row("dropdb dropuser", "", "", System("delete the database or its user", All)),
    row("pg_restore", "", "-c --clean", System("overwrite a database", No)),
    row("mongorestore", "", "--drop", System("overwrite a database", No)),
    row("redis-cli", "", "=RESTORE =restore =DEBUG", System("overwrite a database", No)),
    row("psql mysql mariadb sqlite3 mongosh redis-cli", "", "", System("work on a database:", First)).inside().undone(),
    row("createdb pg_dump mysqldump", "", "", System("work on a database", No)).inside().undone(),
    row("osascript automator shortcuts", "", "", App("control other apps", No)),
    row("open xdg-open code cursor subl", "", "", App("open", First)).undone(),
    row("say afplay", "", "", App("make a sound", No)).undone(),
    row("tmux screen", "new-session|new|new-window|send-keys|kill-session|kill-server|kill-window|split-window|attach|attach-session|respawn-pane|source-file", "", System("change terminal sessions", No)).inside().undone(),
];

#[rustfmt::skip]
const SECRETS: &[Row] = &[
    row("security", "!list-keychains|find-certificate|help|cms", "", Secret("use your keychain", No)),
    row("ssh-copy-id ssh-add", "", "", Secret("use or hand out your SSH keys", No)),
    row("ssh-keygen", "", "", Secret("make or change SSH keys", No)).unless("-l -F"),
    row("gpg gpg2", "", "^--export-secret ^--delete-secret", Secret("take out or delete secret keys", No)),
    row("gh", "auth token", "", Secret("print your GitHub token", No)),
    row("gcloud", "", "$-token", Secret("print a Google Cloud token", No)).unless("=list"),
    row("az", "", "=get-access-token", Secret("print an Azure token", No)),
    row("aws", "iam", "", Secret("change who has access to AWS", No)),
    row("aws", "", "=get-secret-value =get-session-token", Secret("read a secret from AWS", No)),
    row("op", "read|item|inject", "", Secret("read from 1Password", No)),
    row("vault", "read|kv|token", "", Secret("read from Vault", No)),
    row("pass", "show", "", Secret("read a password:", First)),
    row("pass", "", "#1", Secret("read a password:", First)),
    row("npm", "token", "", Secret("use your npm tokens", No)),
    row("kubectl", "", "=--raw", Secret("read from a cluster directly", No)),
    row("sshpass", "", "", Secret("give a password in the command", No)),
    row("mysql mysqldump mariadb", "", "^-p ^--password=", Secret("give a password in the command", No)).unless("=-p"),
    row("curl wget", "", "--user --password", Secret("give a password in the command", No)),
    row("curl", "", "=-u", Secret("give a password in the command", No)),
    row("screencapture imagesnap pbpaste xclip wl-paste scrot", "", "", Secret("look at your screen, camera or clipboard", No)),
    row("ffmpeg", "", "=avfoundation =x11grab =pulse", Secret("look at your screen, camera or microphone", No)),
    row("printenv", "", "", Secret("read the environment, with the secrets in it", No)).inside().undone(),
    row("env set", "", "#0", Secret("read the environment, with the secrets in it", No)).inside().undone(),
    row("export", "", "-p", Secret("read the environment, with the secrets in it", No)).inside().undone(),
];
