//! Package managers, and what runs the programs of packages.

use super::tool::Does::{
    Changes, Code, Config, Fetches, Folder, Loads, Opens, Runs, Secrets, Serves, Shell, Writes,
};
use super::tool::{Tool, row, tool};

pub(super) const TOOLS: &[Tool] = &[
    tool(
        &["npm"],
        "-w: --workspace: --loglevel: --tag: --otp: --registry: --cache: --depth: --access: --omit: --include: -g --global --location:",
        &[
            row(
                "--script-shell --shell --node-options --git --editor --viewer --browser --python --onload-script --require",
                Runs,
                "npm config; GTFOBins npm",
            ),
            row("--registry", Fetches, "npm config: packages from elsewhere"),
            row("--globalconfig --userconfig --init-module --prefix/ -C/", Folder, "npm config"),
            row("exec x", Runs, "npm-exec(1); GTFOBins npm"),
            row("create init", Fetches, "npm-init(1): runs create-NAME"),
            row(
                "config.set config.delete config.edit c.set c.delete c.edit set set-script",
                Changes,
                "npm-config(1)",
            ),
            row(
                "install:# i:# add:# install-test:# it:# isntall:# link:#",
                Fetches,
                "npm-install(1): scripts of another package run",
            ),
            row("pkg.set pkg.delete pkg.fix", Changes, "npm-pkg(1): scripts of package.json"),
            row("explore edit", Shell, "npm-explore(1): a shell; GTFOBins npm"),
            row("docs repo bugs home issues", Opens, "npm-docs(1): a browser"),
            row("publish unpublish deprecate dist-tag owner access team hook", Secrets, "npm-publish(1)"),
            row("login logout adduser token profile", Secrets, "npm-login(1)"),
            row("--pack-destination/ --logs-dir/", Writes, "npm-pack(1), npm config"),
        ],
    ),
    tool(
        &["pnpm"],
        "-F: --filter: --loglevel: --registry: --reporter:",
        &[
            row("--script-shell --shell-emulator --node-options", Runs, "pnpm: its settings"),
            row(
                "-C/ --dir/ --prefix/ --config-dir --store-dir/ --modules-dir/ --virtual-store-dir/",
                Folder,
                "pnpm: its manual",
            ),
            row("exec", Runs, "pnpm exec"),
            row("dlx create", Fetches, "pnpm dlx"),
            row("env config set setup self-update patch patch-commit", Changes, "pnpm: its manual"),
            row("add:# install:# i:# link:#", Fetches, "pnpm add"),
            row("publish login logout", Secrets, "pnpm publish"),
            row("server", Serves, "pnpm server"),
            row("-g --global", Changes, "pnpm add"),
        ],
    ),
    tool(
        &["yarn", "yarnpkg"],
        "--registry: --network-timeout: --mutex:",
        &[
            row("--script-shell --use-yarnrc --enable-pnp", Config, "yarn: its manual"),
            row(
                "--cwd/ --modules-folder/ --cache-folder/ --global-folder/ --link-folder/",
                Folder,
                "yarn: its manual",
            ),
            row("exec node", Runs, "yarn exec; GTFOBins yarn"),
            row("dlx create", Fetches, "yarn dlx"),
            row("config set plugin patch patch-commit link", Changes, "yarn plugin: loads code"),
            row("publish login logout npm", Secrets, "yarn npm"),
            row("add:#", Fetches, "yarn add"),
            row("global", Changes, "yarn global"),
        ],
    ),
    tool(
        &["bun"],
        "--filter: --timeout: -t: --test-name-pattern: --loader: -l: --target: --format: --port: -d: --define:",
        &[
            row("repl exec", Shell, "bun exec: bun's documentation"),
            row("-e --eval -p --print", Code, "bun: its documentation"),
            row("-r --preload --require --import", Loads, "bun: its documentation"),
            row("x create init", Fetches, "bunx: bun's documentation"),
            row(
                "--config -c --env-file --shell --cwd/ --tsconfig-override",
                Config,
                "bun: bunfig.toml preloads code",
            ),
            row("--inspect --inspect-brk --inspect-wait", Serves, "bun: its documentation"),
            row(
                "install:-g add:-g --global link unlink upgrade pm!ls,list,hash,whoami,why patch",
                Changes,
                "bun: its documentation",
            ),
            row("install:# i:# add:# a:#", Fetches, "bun add"),
            row("publish", Secrets, "bun publish"),
            row("--outfile/ --outdir/ --reporter-outfile/ --heapsnapshot", Writes, "bun build"),
        ],
    ),
    tool(
        &["deno"],
        "--filter: --ext: --seed: --port:",
        &[
            row("eval repl jupyter", Code, "deno: its manual"),
            row("--preload --import --require", Loads, "deno: its manual"),
            row("-c --config --import-map --lock --cert --location --v8-flags", Config, "deno: its manual"),
            row("install uninstall upgrade add", Fetches, "deno install"),
            row("run:^http ^npm: ^jsr: ^http://", Fetches, "deno run: fetches a module"),
            row(
                "-A --allow-all --allow-run --allow-ffi",
                Code,
                "deno: permissions; scripts with them run programs",
            ),
            row("serve lsp --inspect --inspect-brk", Serves, "deno serve"),
            row("compile bundle publish", Writes, "deno compile"),
        ],
    ),
    tool(
        &["npx", "bunx", "pnpx"],
        "",
        &[
            row("-c --call --shell --node-options --script-shell --shell-auto-fallback", Shell, "npx(1)"),
            row("#1", Fetches, "npx(1), bunx: a program of a package, fetched where it is missing"),
        ],
    ),
    tool(
        &["uvx", "pipx"],
        "",
        &[
            row(
                "run runpip inject install upgrade reinstall",
                Fetches,
                "pipx: its documentation; GTFOBins pipx",
            ),
            row("#1", Fetches, "uvx: a program of a package, fetched where it is missing"),
        ],
    ),
    tool(
        &["uv"],
        "--color: --index-url: --extra: --group: -q -v",
        &[
            row("run", Runs, "uv run: any program"),
            row(
                "tool self python.install init publish auth cache.clean",
                Fetches,
                "uv tool: its documentation",
            ),
            row(
                "--directory/ --project/ --config-file --env-file --with-requirements/",
                Folder,
                "uv: its reference",
            ),
            row("-p --python --python-preference", Runs, "uv: the interpreter that it names"),
            row("pip.install pip.sync add", Fetches, "uv pip install: builds packages"),
            row(
                "--index --default-index --index-url --extra-index-url --find-links -f",
                Fetches,
                "uv: packages from elsewhere",
            ),
        ],
    ),
    tool(
        &["pip", "pip2", "pip3"],
        "--proxy: --log: --timeout: --retries: --trusted-host:",
        &[
            row("install download wheel lock", Fetches, "pip(1): setup.py runs; GTFOBins pip"),
            row("--python", Runs, "pip(1)"),
            row("--log --report --cache-dir/ --target/ --prefix/ --root/", Writes, "pip(1)"),
            row(
                "config.set config.edit config.unset --config-settings -C --global-option --build-option --editor",
                Changes,
                "pip config",
            ),
            row("uninstall", Changes, "pip uninstall"),
        ],
    ),
    tool(
        &[
            "poetry",
            "pipenv",
            "hatch",
            "pdm",
            "rye",
            "conda",
            "mamba",
            "micromamba",
            "nox",
            "tox",
            "virtualenv",
            "pixi",
        ],
        "",
        &[
            row("run shell exec", Runs, "poetry run, pipenv run, conda run: any program"),
            row(
                "-C/ --directory/ -P/ --project/ --prefix -f -c --config --noxfile --workdir -x --override",
                Folder,
                "poetry: its manual; tox, nox: theirs",
            ),
            row(
                "install add update self plugin create publish config develop env source",
                Fetches,
                "poetry install, conda install: packages' own code runs",
            ),
            row("-- devenv", Runs, "tox: what it is given behind --"),
        ],
    ),
    tool(
        &["bundle", "bundler"],
        "",
        &[
            row("exec console open viz", Runs, "bundle-exec(1); GTFOBins bundler"),
            row("install update add plugin config inject", Fetches, "bundle-install(1): builds extensions"),
            row("--gemfile/ -r --require", Loads, "bundle(1)"),
        ],
    ),
    tool(
        &["gem"],
        "",
        &[
            row("install update exec", Fetches, "gem(1): builds extensions"),
            row("open -e --editor", Runs, "gem-open(1); GTFOBins gem"),
            row("push yank owner signin cert", Secrets, "gem(1)"),
            row("server --config-file -C", Serves, "gem server"),
        ],
    ),
    tool(
        &["composer", "phpunit", "artisan", "drush", "wp"],
        "",
        &[
            row(
                "exec run-script run global create-project require install update",
                Fetches,
                "composer: its manual; GTFOBins composer",
            ),
            row(
                "-d/ --working-dir/ --bootstrap --include-path --configuration -c --prepend",
                Loads,
                "composer, phpunit: their manuals",
            ),
            row("eval eval-file shell package --exec --require", Code, "wp: its documentation; GTFOBins wp"),
        ],
    ),
    tool(
        &["luarocks", "cpan", "cpanm", "raco", "pear", "pecl"],
        "",
        &[row("*", Fetches, "luarocks, cpan(1), raco: build and run what they fetch; GTFOBins cpan")],
    ),
    tool(
        &["brew", "port"],
        "",
        &[
            row(
                "install reinstall upgrade bundle tap services!list,info link cask edit create extract test sh irb ruby",
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
            "apt", "apt-get", "aptitude", "dpkg", "rpm", "yum", "dnf", "apk", "pacman", "zypper", "snap",
            "flatpak", "nix-env", "pkg", "emerge", "dnf5", "opkg",
        ],
        "",
        &[
            row(
                "-o --option -c --config-file --configfile",
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
