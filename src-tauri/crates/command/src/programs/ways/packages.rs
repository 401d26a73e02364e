//! Package managers, and what runs the programs of packages.

use super::tool::{Tool, row, tool};
use crate::ArgEffect::{
    Changes, Code, Config, Deletes, Fetches, Folder, Loads, Opens, Runs, Secrets, Serves, Shell, Writes,
};

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
                "!run,run-script,rum,urn,test,t,tst,start,stop,restart,install,i,in,ins,inst,insta,instal,isnt,isnta,isntal,isntall,add,\
                 install-test,it,ci,clean-install,ic,install-clean,isntall-clean,install-ci-test,cit,clean-install-test,sit,ls,list,ll,\
                 la,outdated,view,info,show,v,why,explain,audit,fund,query,root,prefix,bin,help,hlep,help-search,version,verison,pack,prune,\
                 dedupe,ddp,find-dupes,update,up,upgrade,udpate,uninstall,unlink,un,remove,rm,r,rebuild,rb,doctor,ping,config,c,get,pkg,\
                 search,find,s,se,completion,diff,sbom,cache,shrinkwrap,exec,x,create,init,set,set-script,link,explore,edit,docs,repo,bugs,\
                 home,issues,publish,unpublish,deprecate,dist-tag,owner,access,team,hook,login,logout,adduser,token,profile,whoami,stars,\
                 --version,-v,--help,-h,-l",
                Runs,
                "npm(1): other names are short for a command, or change an account",
            ),
            row(
                "cache.add pack:# diff:--diff",
                Fetches,
                "npm-pack(1): packages from anywhere, whose scripts run",
            ),
            row("view:~: info:~: show:~: v:~:", Fetches, "npm-view(1): a package from an address"),
            row("--node-gyp --nodedir", Runs, "npm config: programs of a build"),
            row(
                "config.set config.delete config.edit c.set c.delete c.edit set set-script",
                Changes,
                "npm-config(1)",
            ),
            row(
                "install:# i:# in:# ins:# inst:# insta:# instal:# isnt:# isnta:# isntal:# isntall:# add:# install-test:# it:# link:#",
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
            row("=exec", Runs, "pnpm exec: also behind recursive, multi and filters"),
            row(
                "^--config. --pnpmfile --global-pnpmfile --ignore-pnpmfile",
                Config,
                "pnpm: any setting; hooks of .pnpmfile.cjs",
            ),
            row(
                "install:--registry add:--registry update:--registry",
                Fetches,
                "pnpm: packages from elsewhere",
            ),
            row("deploy:#/ link:#/ store.add it:# install-test:#", Fetches, "pnpm deploy, pnpm store"),
            row(
                "c.set c.delete set-script pkg.set pkg.delete runtime edit explore approve-builds --dangerously-allow-all-builds",
                Changes,
                "pnpm: as npm's",
            ),
            row("unpublish token access dist-tag owner team profile", Secrets, "pnpm: as npm's"),
            row("docs repo bugs home", Opens, "pnpm: as npm's"),
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
            row("exec node =exec", Runs, "yarn exec, also of workspaces; GTFOBins yarn"),
            row(
                "policies.set-version owner tag team sdks",
                Changes,
                "yarn policies: another yarn runs from then on",
            ),
            row(
                "run:--require run:--inspect run:--inspect-brk --inspect --inspect-brk",
                Loads,
                "yarn run: options of node",
            ),
            row("--registry --proxy --https-proxy", Fetches, "yarn config: packages from elsewhere"),
            row("^/ ^../ ^./", Runs, "yarn run: a program by its path"),
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
            row("x create c init", Fetches, "bunx: bun's documentation"),
            row("node fuzzilli getcompletes", Code, "bun: its documentation"),
            row("--registry --trust --compile", Fetches, "bun: packages from elsewhere, whose scripts run"),
            row("patch-commit", Changes, "bun patch"),
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
            row("eval repl jupyter deploy sandbox create", Code, "deno: its manual"),
            row("task:--eval task:-f task:--filter", Shell, "deno task: --eval runs its argument"),
            row("--env-file --plugin --allow-write --allow-env --allow-sys", Config, "deno: its manual"),
            row(
                "cache:~: vendor:~: doc:~: info:~: bench:~: test:~: check:~:",
                Fetches,
                "deno: a module from an address",
            ),
            row(
                "update outdated:--update remove approve-scripts audit:--fix",
                Fetches,
                "deno: changes what is installed",
            ),
            row("fmt:#/ lint:#/", Writes, "deno fmt"),
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
                "venv:#/ build:#/ -o/ --output-file/ --out-dir/ --target/ --prefix/ --cache-dir/",
                Writes,
                "uv: its reference",
            ),
            row(
                "python.uninstall python.upgrade pip.uninstall:--system pip.uninstall:--break-system-packages",
                Changes,
                "uv: its reference",
            ),
            row("venv:--clear", Deletes, "uv venv"),
            row(
                "-C --config-setting --config-settings --no-build-isolation --script",
                Config,
                "uv: its reference",
            ),
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
            row(
                "-i --index-url --extra-index-url -f --find-links --keyring-provider",
                Fetches,
                "pip(1): packages from elsewhere",
            ),
            row("cache.purge cache.remove", Deletes, "pip-cache(1)"),
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
        &["poetry", "pipenv", "hatch", "pdm", "rye", "conda", "mamba", "micromamba", "nox", "tox", "pixi"],
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
            row("-- devenv e d", Runs, "tox: what it is given behind --"),
            row("new:#/ build:#/ -o/ --output/ -d/ --dest/", Writes, "poetry, hatch, pdm: their manuals"),
            row("--python --runner --discover --installpkg", Runs, "pipenv, tox: theirs"),
            row("r s g i a x", Runs, "pixi: its commands in short"),
            row(
                "global auth upload self-update token server debug convert skeleton mambabuild tools toolchain task.add workspace \
                 python.install open --rm cache.clear",
                Changes,
                "conda, pixi, rye, pipenv: their manuals",
            ),
        ],
    ),
    tool(
        &["virtualenv"],
        "",
        &[
            row("#*/ --app-data/", Writes, "virtualenv: its manual"),
            row(
                "-p --python --creator --seeder --discovery --extra-search-dir",
                Runs,
                "virtualenv: its manual",
            ),
            row("--clear", Deletes, "virtualenv: its manual"),
        ],
    ),
    tool(
        &["phpunit"],
        "--filter: --group: --testsuite:",
        &[
            row("--bootstrap --include-path --configuration -c --prepend", Loads, "phpunit: its manual"),
            row(
                "--printer --extension --loader -d --generate-configuration --migrate-configuration",
                Config,
                "phpunit: its manual",
            ),
            row("#*/", Code, "phpunit: a test elsewhere"),
        ],
    ),
    tool(
        &["bundle", "bundler"],
        "",
        &[
            row("exec console open viz", Runs, "bundle-exec(1); GTFOBins bundler"),
            row(
                "!check,list,show,info,outdated,config,licenses,fund,platform,env,doctor,lock,cache,package,clean,pristine,remove,binstubs,init,\
                 gem,exec,console,open,viz,install,update,add,plugin,inject,help,version,--version,-v",
                Runs,
                "bundle(1): other names are short for a command, or a program bundler-NAME",
            ),
            row("install update add plugin config inject", Fetches, "bundle-install(1): builds extensions"),
            row("--gemfile/ -r --require", Loads, "bundle(1)"),
        ],
    ),
    tool(
        &["gem"],
        "",
        &[
            row(
                "!list,search,info,which,env,environment,contents,outdated,specification,dependency,query,help,check,stale,build,unpack,fetch,\
                 sources,rdoc,uninstall,cleanup,pristine,install,update,exec,open,push,yank,owner,signin,signout,cert,server,--version,-v",
                Fetches,
                "gem(1): other names are short for a command, or a plugin's",
            ),
            row(
                "sources:-a sources:--add sources:-r sources:--remove sources:-p sources:--prepend sources:--append",
                Changes,
                "gem-sources(1)",
            ),
            row("install update exec", Fetches, "gem(1): builds extensions"),
            row("open -e --editor", Runs, "gem-open(1); GTFOBins gem"),
            row("push yank owner signin cert", Secrets, "gem(1)"),
            row("server --config-file -C", Serves, "gem server"),
        ],
    ),
    tool(
        &["composer", "artisan", "drush", "wp"],
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
            row(
                "!show,info,validate,outdated,status,licenses,depends,why,prohibits,why-not,fund,suggests,search,about,diagnose,audit,\
                 check-platform-reqs,dump-autoload,dumpautoload,test,help,list,run-script,run,exec,global,create-project,require,install,\
                 update,config,core,plugin,option,post,user,theme,--version,-V,--help",
                Runs,
                "composer, artisan, drush: other names are short for a command, or a script's",
            ),
            row("--ssh --http --path --allow-root tinker", Config, "wp, artisan: their documentation"),
            row(
                "db server config core.update core.download plugin.install theme.install option.update user.create post.delete",
                Changes,
                "wp: its documentation",
            ),
        ],
    ),
    tool(
        &["luarocks", "cpan", "cpanm", "raco", "pear", "pecl"],
        "",
        &[row("*", Fetches, "luarocks, cpan(1), raco: build and run what they fetch; GTFOBins cpan")],
    ),
];
