//! What only reads, as data. A row here says that no argument writes, runs or sends anything but by what the table of ways out
//! tells of the program. What a file of the project makes it start is another matter: such a program runs confined.

/// Read with any arguments that are no way out, besides [`ANYWAY`].
pub(super) const PROGRAMS: &[&str] = &[
    "pwd",
    "whoami",
    "id",
    "uname",
    "hostname",
    "date",
    "file",
    "rg",
    "find",
    "fd",
    "sort",
    "uniq",
    "column",
    "sum",
    "hexdump",
    "jq",
    "sed",
    "ps",
    "uptime",
    "sw_vers",
    "groups",
    "tty",
    "locale",
    "getconf",
    "sleep",
    "tree",
    // GNU coreutils, POSIX: they compute, or print what they read.
    "base64",
    "xxd",
    "col",
    "shuf",
    "factor",
    "zcat",
    "gzcat",
    "bzcat",
    "cal",
    // What runs on this machine: procps(1), lsof(8), netstat(8), ss(8), util-linux.
    "pgrep",
    "pidof",
    "lsof",
    "netstat",
    "ss",
    "sysctl",
    "free",
    "vmstat",
    "vm_stat",
    "iostat",
    "lscpu",
    "lsblk",
    "ipcs",
    "who",
    "w",
    "last",
    // What is in a binary: binutils, cctools, LLVM.
    "nm",
    "size",
    "otool",
    "objdump",
    "readelf",
    // macOS: mdls(1), mdfind(1), ioreg(8), system_profiler(8), xattr(1), afinfo(1), GetFileInfo(1), codesign(1), plutil(1).
    "mdls",
    "mdfind",
    "ioreg",
    "system_profiler",
    "xattr",
    "afinfo",
    "getfileinfo",
    "codesign",
    "plutil",
    // shellcheck(1): its configuration in a folder names warnings and folders to read, no programs.
    "shellcheck",
];

/// The same, and no argument makes them write or run anything. Where an option of theirs reads another file, that is a way out.
pub(super) const ANYWAY: &[&str] = &[
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "stat",
    "du",
    "df",
    "grep",
    "egrep",
    "fgrep",
    "cut",
    "tr",
    "nl",
    "rev",
    "tac",
    "comm",
    "cmp",
    "diff",
    "paste",
    "fold",
    "expand",
    "seq",
    "echo",
    "printf",
    "true",
    "false",
    "test",
    "cksum",
    "shasum",
    "sha256sum",
    "md5",
    "md5sum",
    "od",
    "strings",
    "which",
    "join",
    "fmt",
    "expr",
    "numfmt",
    "nproc",
    "sha1sum",
    "sha224sum",
    "sha384sum",
    "sha512sum",
    "b2sum",
    "printenv",
];

/// Those of both in which a word that is known only at run time does no more than another operand: whatever could be an option of
/// theirs that does more is a way out.
pub(super) const OPERANDS: &[&str] = &["rg", "fd", "find", "sort", "lsof", "file"];

/// Subcommands that only read. The rest of their words must be options of reading or plain operands.
pub(super) const SUBCOMMANDS: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "status",
            "log",
            "diff",
            "show",
            "rev-parse",
            "ls-files",
            "ls-tree",
            "blame",
            "describe",
            "shortlog",
            "cat-file",
            "rev-list",
            "merge-base",
            "name-rev",
            "count-objects",
            "for-each-ref",
            "show-ref",
            "check-ignore",
            "check-attr",
            "cherry",
            "diff-files",
            "diff-index",
            "diff-tree",
            "range-diff",
            "show-branch",
            "var",
            "version",
            "whatchanged",
            "grep",
        ],
    ),
    // `metadata`, `tree` and `pkgid` start the compiler that the project names, and write a lock file.
    ("cargo", &["version", "locate-project", "read-manifest"]),
    ("npm", &["ls", "list", "outdated", "view", "info", "show", "root", "prefix", "why", "explain", "query"]),
    ("go", &["version", "list"]),
    ("brew", &["list", "ls", "info", "outdated", "deps", "uses", "leaves", "desc", "config"]),
    (
        "docker",
        &["ps", "images", "version", "info", "logs", "inspect", "top", "port", "stats", "diff", "history"],
    ),
    ("podman", &["ps", "images", "version", "info", "logs", "inspect"]),
    (
        "kubectl",
        &["get", "describe", "version", "logs", "explain", "top", "events", "api-resources", "api-versions"],
    ),
    ("rustup", &["show"]),
    // pip(1), gem(1), helm(1), systemctl(1), defaults(1)
    ("pip", &["list", "show", "freeze", "check"]),
    ("pip3", &["list", "show", "freeze", "check"]),
    ("gem", &["list", "env", "environment", "which"]),
    ("helm", &["list", "ls", "history", "version"]),
    (
        "systemctl",
        &[
            "status",
            "list-units",
            "list-unit-files",
            "list-timers",
            "list-sockets",
            "is-active",
            "is-enabled",
            "is-failed",
        ],
    ),
    ("defaults", &["read", "read-type", "domains", "find"]),
];

/// The same, two deep: the second word stands right behind the first.
pub(super) const NESTED: &[(&str, &str, &[&str])] = &[
    // docker(1). `docker compose ps` reads a file of the project, which may include others from the net.
    ("docker", "compose", &["ls", "version"]),
    ("docker", "container", &["ls", "list", "ps", "inspect", "logs", "top", "port", "stats", "diff"]),
    ("docker", "image", &["ls", "list", "inspect", "history"]),
    ("docker", "network", &["ls", "list", "inspect"]),
    ("docker", "volume", &["ls", "list", "inspect"]),
    ("docker", "context", &["ls", "list", "show", "inspect"]),
    ("docker", "system", &["df", "info"]),
    ("docker", "buildx", &["ls"]),
    // kubectl(1)
    ("kubectl", "rollout", &["status", "history"]),
    ("kubectl", "config", &["current-context", "get-contexts", "get-clusters"]),
    ("kubectl", "auth", &["can-i", "whoami"]),
    // helm(1)
    ("helm", "repo", &["list"]),
    // npm-pkg(1), npm-config(1): passwords are shown as (protected).
    ("npm", "pkg", &["get"]),
    ("npm", "config", &["get", "list", "ls"]),
    // go help mod
    ("go", "mod", &["graph", "why"]),
    // rustup(1)
    ("rustup", "toolchain", &["list"]),
    ("rustup", "target", &["list"]),
    ("rustup", "component", &["list"]),
    // brew(1)
    ("brew", "services", &["list", "info"]),
    // gh(1): reads a service that the person is signed in to; `--web` opens a browser.
    ("gh", "pr", &["list", "view", "diff", "checks", "status"]),
    ("gh", "issue", &["list", "view", "status"]),
    ("gh", "run", &["list", "view", "watch"]),
    ("gh", "repo", &["list", "view"]),
    ("gh", "release", &["list", "view"]),
    ("gh", "workflow", &["list", "view"]),
    ("gh", "label", &["list"]),
    ("gh", "cache", &["list"]),
    ("gh", "auth", &["status"]),
    ("gh", "search", &["issues", "prs", "repos", "code", "commits"]),
];

/// Programs that ask a service, a daemon or a registry with every subcommand.
pub(super) const ASKING: &[&str] =
    &["docker", "docker-compose", "gh", "helm", "kubectl", "oc", "podman", "systemctl"];

/// Subcommands that ask a registry: they fetch missing data or look for newer versions.
pub(super) const ASKING_BY: &[(&str, &[&str])] = &[
    ("npm", &["outdated", "view", "info", "show"]),
    ("go", &["list", "mod"]),
    ("brew", &["info", "outdated", "desc", "services"]),
];

/// Options that make a listing ask a registry.
pub(super) const ASKING_OPTIONS: &[&str] = &["--outdated", "--uptodate"];

/// Commands that only read when they are written just so. `a|b` is one of these, `_` one operand, a last `*` any operands;
/// an operand begins with no dash.
pub(super) const FORMS: &[&str] = &[
    // Wrappers that are given nothing to run: env(1), arch(1).
    "env",
    "arch",
    // They print their version. A project file may name the toolchain that rustup starts for `rustc` and
    // `cargo`: it runs confined.
    "node|npm -v|--version",
    "python -V|--version",
    "ruby|perl|php -v|--version",
    "java|javac -version|--version",
    "bun|deno|pip|pip3|uv|rustup|brew|gh|git|docker|docker-compose|podman --version",
    "make|cmake|ninja|gcc|g++|cc|clang|clang++|tsc|eslint|prettier --version",
    "curl|wget|psql|mysql|sqlite3|pandoc --version",
    "cargo|rustc -V|-vV|--version",
    "docker -v",
    "openssl|zig version",
    // rustc(1)
    "rustc --explain _",
    "rustc --print sysroot|cfg|target-list|target-libdir|host-tuple",
    // npm-run(1), npm-version(1): without a name they list.
    "npm run|version",
    // go help env, go help doc, gofmt
    "go env|doc|help *",
    "go env -json",
    "go doc -all|-short|-src|-u *",
    "gofmt -l|-d|-e *",
    "gofmt -l -s|-d *",
    "gofmt -s -l|-d *",
    // rustup(1), kubectl(1), docker(1)
    "kubectl cluster-info",
    "kubectl config view",
    "kubectl config view --minify",
    // gzip(1), xz(1), zstd(1), unzip(1), zipinfo(1), ar(1), 7z: list, or unpack to the output.
    "gzip -l|-dc|-cd *",
    "gunzip|bunzip2|unxz|unzstd -c *",
    "bzip2|xz|zstd -dc|-cd *",
    "xz|zstd -l *",
    "unzip -l|-v|-t|-p|-lv|-Z1 *",
    "zipinfo *",
    "zipinfo -1 *",
    "7z|7za|7zz l *",
    "ar t|-t|tv *",
    // xmllint(1): no option that loads what a document names.
    "xmllint --noout|--format *",
    "xmllint --xpath _ *",
    // man(1), whatis(1)
    "man -k *",
    "whatis|apropos *",
    // ncurses(1), stty(1)
    "tput cols|lines|colors",
    "stty size",
    "clear",
    // dpkg(1), apt(8), apt-cache(8)
    "dpkg -l|-L|-s|-S *",
    "apt list|show|search *",
    "apt list --installed|--upgradable *",
    "apt-cache policy|search|show|showpkg|depends|rdepends|madison *",
    // uname and its like
    "lsb_release -a",
    "dmesg",
    "dmesg -T",
    "ip addr|address|a|link|l|route|r|neigh",
    "ip addr|address|a|link|l|route|r|neigh show|list|ls *",
    "ip -br|-4|-6 addr|address|a|link|l",
    "ifconfig",
    "ifconfig -a|-l",
    "ifconfig _",
    // macOS: xcode-select(1), xcodebuild(1), xcrun(1), scutil(8), csrutil(8), mdutil(1), launchctl(1), pmset(1), diskutil(8),
    // networksetup(8), spctl(8), security(1), log(1), pkgutil(1)
    "xcode-select -p|--print-path|-v|--version",
    "xcodebuild -version|-showsdks",
    "xcrun --show-sdk-path|--show-sdk-version|--show-sdk-platform-path",
    "xcrun --sdk _ --show-sdk-path|--show-sdk-version|--show-sdk-platform-path",
    "xcrun --find|-f _",
    "scutil --dns|--nwi",
    "scutil --get ComputerName|LocalHostName|HostName",
    "csrutil status",
    "mdutil -s _",
    "launchctl list",
    "pmset -g",
    "pmset -g _",
    "diskutil list *",
    "diskutil info _",
    "networksetup -listallhardwareports|-listallnetworkservices|-listnetworkserviceorder",
    "networksetup -getinfo|-getdnsservers|-getairportnetwork|-getairportpower _",
    "spctl --status",
    "spctl -a|--assess _",
    "spctl -a|--assess -v|-vv|-vvv|--verbose _",
    "security find-identity -v",
    "security find-identity -v -p _",
    "pkgutil --pkgs",
    "pkgutil --pkg-info|--files _",
];
