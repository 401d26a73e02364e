//! What installs programs for the whole machine.

use super::tool::{Tool, row, tool};
use crate::ArgEffect::{Changes, Code, Config, Fetches, Opens, Runs, Shell};

pub(super) const TOOLS: &[Tool] = &[
    tool(
        &["brew", "port"],
        "",
        &[
            row(
                "install reinstall upgrade bundle tap services!list,info link cask edit create extract test sh irb ruby search:--open deps:--graph",
                Fetches,
                "brew(1): formulas are code",
            ),
            row("uninstall remove autoremove cleanup unlink untap update-reset", Changes, "brew(1)"),
            row("~.rb ~.bottle. ~://", Code, "brew(1): a formula by its path or address is code"),
            row("info:--github", Opens, "brew(1): a browser"),
            row(
                "!list,ls,info,abv,search,outdated,deps,uses,desc,doctor,dr,config,leaves,log,cat,options,missing,commands,tap-info,update,fetch,pin,unpin,livecheck,help,casks,formulae,formula,audit,style,analytics,services,shellenv,install,uninstall,upgrade,--version,-v,--prefix,--cellar,--caskroom,--cache,--repository,--repo,--env,--help,-h,--taps,installed,contents,provides,echo,version,variants,dependents,rdeps,notes,dir,file,platform",
                Runs,
                "brew(1): other commands are programs brew-NAME on PATH, or of a tap",
            ),
        ],
    ),
    tool(
        &[
            "apt", "apt-get", "aptitude", "dpkg", "rpm", "yum", "dnf", "apk", "zypper", "snap", "flatpak",
            "nix-env", "pkg", "emerge", "dnf5", "opkg",
        ],
        "",
        &[
            row(
                "-o --option -c --config-file --configfile --repofrompath --repository -X --allow-untrusted --keys-dir --plus-repo --installation",
                Config,
                "apt.conf(5): APT::Update::Pre-Invoke; GTFOBins apt, apt-get",
            ),
            row(
                "--root --admindir --instdir --eval --pipe --define --macros --hookdir --config --setopt --installroot",
                Shell,
                "rpm(8), pacman(8); GTFOBins rpm, dnf, pacman",
            ),
            row(
                "!list,search,show,info,policy,depends,rdepends,--list,madison,-l,-L,-s,-S,-qa,-Q,-Si,-Ss",
                Fetches,
                "apt(8), snap(8), dnf(8): install as root; GTFOBins dpkg, yum, apk",
            ),
        ],
    ),
    tool(
        &["pacman"],
        "-S",
        &[
            row(
                "--root -r --dbpath -b --hookdir --config --gpgdir --logfile/ --cachedir/",
                Config,
                "pacman(8); GTFOBins pacman",
            ),
            row("-U -R -D -T -y -u -w -c --sync --upgrade --remove --database", Changes, "pacman(8)"),
            row("!-Q,--query,-s,-i,--version,-V,-h,--help", Fetches, "pacman(8)"),
        ],
    ),
    tool(
        &[
            "apt-key",
            "dpkg-deb",
            "dpkg-reconfigure",
            "dpkg-divert",
            "dpkg-statoverride",
            "add-apt-repository",
            "apt-add-repository",
            "apt-mark",
            "debconf-set-selections",
            "do-release-upgrade",
            "tasksel",
        ],
        "",
        &[row(
            "*",
            Changes,
            "apt-key(8), dpkg-deb(1), dpkg-divert(1): what is installed, and what is trusted",
        )],
    ),
    tool(
        &[
            "nix",
            "nix-shell",
            "nix-build",
            "nix-instantiate",
            "guix",
            "devbox",
            "devenv",
            "home-manager",
            "darwin-rebuild",
            "nixos-rebuild",
        ],
        "",
        &[row("*", Runs, "nix(1), nix-shell(1): --run, -c, and expressions that build anything")],
    ),
];
