//! What comes with a language besides its interpreter: compilers, builders, and what runs what they built.

use super::tool::{Tool, row, tool, words};
use crate::ArgEffect::{Changes, Code, Config, Fetches, Folder, Loads, Opens, Runs, Secrets, Shell, Writes};

pub(super) const TOOLS: &[Tool] = &[
    tool(
        &["rustc", "rustdoc", "clippy-driver"],
        "-A: -W: -D: -L: -l: --crate-name: --crate-type: --edition: --emit: --target: --cfg: --extern:",
        &[
            row("-C --codegen", Config, "rustc: -C linker, -C link-arg"),
            row("-Z", Config, "rustc: unstable options"),
            row(
                "--sysroot --test-builder --runtool --test-runtool --test-runtool-arg",
                Runs,
                "rustdoc: unstable features",
            ),
            row("^@ ^+/ ^+.", Config, "rustc: options from a file; rustup: a toolchain by path"),
            row("-o/ --out-dir/ --output/", Writes, "rustc: command line arguments"),
            row("^--emit=/ ~=/ ~=~ ~=../", Writes, "rustc: --emit and --print name files"),
            row("^--target=. ^--target=/ ~.json", Config, "rustc: a target's own linker"),
        ],
    ),
    tool(
        &["cargo"],
        "-p: -j: --package: --bin: --test: --example: --bench: --features: -F: --target: --profile: --message-format: --jobs: --color: \
         --test-threads: --exclude: -E: --edition:",
        &[
            row("--config @--config", Config, "cargo(1): build.rustc-wrapper, target.*.runner, alias.*"),
            row("-Z @-Z", Config, "cargo(1): unstable features"),
            row(
                "--manifest-path/ @-C/ --path/",
                Folder,
                "cargo(1): another project, whose build script runs",
            ),
            row("^+/ ^+.", Runs, "cargo(1), rustup: a toolchain by path"),
            row("install binstall", Fetches, "cargo-install(1)"),
            row(
                "!build,b,check,c,test,t,run,r,bench,doc,d,clean,clippy,fmt,fix,new,init,add,remove,rm,tree,metadata,update,search,fetch,vendor,package,version,help,locate-project,pkgid,verify-project,read-manifest,rustc,rustdoc,report,info,generate-lockfile,config,--version,-V,--help,-h,--list,-vV",
                Runs,
                "cargo(1): cargo-NAME on PATH, or an alias",
            ),
            row(
                "rustc:^-C rustc:^linker= rustdoc:^-C rustdoc:^linker= rustdoc:^--runtool rustdoc:^--test-runtool fix:--broken-code",
                Config,
                "cargo-rustc(1): -C linker",
            ),
            row("--target-dir/ --out-dir/ --artifact-dir/ --lockfile-path/", Writes, "cargo-build(1)"),
            row("login logout owner yank publish", Secrets, "cargo-login(1), cargo-publish(1)"),
            row("new:#/ init:#/ vendor:#/", Writes, "cargo-new(1), cargo-vendor(1)"),
            row("^--target=. ^--target=/ ~.json", Config, "cargo-build(1): a target's own linker"),
            row(
                "rustc:^-o rustc:^-Z rustc:^--codegen rustc:^--extern rustc:^--emit rustc:^@ rustdoc:^-o rustdoc:^--test-builder rustdoc:^@ \
                 clippy:^-C clippy:^--codegen clippy:^@ fmt:^--config fmt:^/ fmt:^../ fmt:^~",
                Config,
                "cargo-rustc(1), cargo-fmt: options and files of the program behind",
            ),
            row("doc:--open", Opens, "cargo-doc(1)"),
            row("add:--git add:--path generate", Fetches, "cargo-add(1), cargo-generate"),
            row(
                "watch nextest.run:--tool-config-file expand miri flamegraph",
                Shell,
                "cargo-watch: -s and -x run commands",
            ),
        ],
    ),
    tool(
        &["rustup"],
        "",
        &[
            row("run", Runs, "rustup: rustup run TOOLCHAIN PROGRAM"),
            row("toolchain.link override.set default self.update set", Changes, "rustup: its book"),
            row("toolchain.install update install", Fetches, "rustup: its book"),
            row(
                "!show,which,check,doc,man,completions,help,run,toolchain,target,component,override,default,self,set,update,install,--version,-V",
                Changes,
                "rustup: its book",
            ),
            row(
                "toolchain!list target!list component!list override!list self upgrade uninstall ^+/ ^+.",
                Changes,
                "rustup: its book: what is installed for all projects",
            ),
            row("doc man", Opens, "rustup: its book: a browser"),
        ],
    ),
    words(
        &["go"],
        "-run: -count: -timeout: -tags: -o/ -bench: -v",
        &[
            row("-toolexec -exec -vettool", Runs, "go(1): go help build, go help vet; GTFOBins go"),
            row("-overlay -modfile -pkgdir -modcacherw", Config, "go help build: replaces source files"),
            row(
                "-ldflags -gcflags -asmflags -gccgoflags -compiler",
                Config,
                "go help build: -extld names a linker",
            ),
            row("generate", Shell, "go help generate: commands of the source files"),
            row("tool", Runs, "go help tool"),
            row("env:-w env:-u telemetry", Changes, "go help env"),
            row("install get", Fetches, "go help install"),
            row("run:~@ run:^/ run:^../ run:^~", Fetches, "go help run: another module"),
            row("-C/ @-C/", Folder, "go help build"),
            row(
                "-coverprofile/ -cpuprofile/ -memprofile/ -blockprofile/ -mutexprofile/ -trace/ -outputdir/ -o/",
                Writes,
                "go help testflag",
            ),
            row("work.use mod.edit", Changes, "go help work, go help mod edit"),
            row(
                "-debug-actiongraph -debug-trace -debug-runtime-trace -pgo/",
                Writes,
                "cmd/go: its build flags",
            ),
            row("^-test. ^--test.", Config, "go help testflag: -test.outputdir and others"),
            row(
                "fmt:#/ build:#/ test:#/ vet:#/ fix:#/ generate:#/",
                Folder,
                "go help packages: another project",
            ),
            row("doc:-http bug clean:-cache clean:-modcache clean:-i", Changes, "go help doc, go help clean"),
            row(
                "list:-export list:-compiled list:-mod list:-modfile",
                Runs,
                "go help list: builds, and changes go.mod",
            ),
        ],
    ),
    words(
        &["gofmt", "goimports", "golangci-lint", "gopls", "dlv", "staticcheck"],
        "",
        &[
            row("-w --fix", Writes, "gofmt: writes files"),
            row("exec debug test attach connect dap core replay trace", Code, "dlv: its documentation"),
            row("-c --config custom", Config, "golangci-lint: custom linters are plugins"),
            row("-cpuprofile/", Writes, "gofmt(1)"),
            row(
                "serve execute rename codeaction migrate -listen -debug -logfile/ cache ^-debug.",
                Code,
                "gopls, staticcheck: their help",
            ),
        ],
    ),
    words(
        &["javac", "javadoc", "kotlinc", "scalac", "groovyc", "jar", "jarsigner", "keytool"],
        "",
        &[
            row("^@", Config, "javac: options from a file"),
            row("^-J", Loads, "javac: -J-javaagent, -J-agentlib"),
            row(
                "-processor -processorpath --processor-path -Xplugin ^-Xplugin -doclet -docletpath -script -plugin ^-P",
                Loads,
                "javac, javadoc, kotlinc: documentation",
            ),
            row("-d/ -s/ -h/ -C/ --dir/ -Xstdout/", Writes, "javac, jar"),
            row(
                "-cp -classpath --class-path -proc:full --processor-module-path --module-path -p --upgrade-module-path --system \
                 ^-Xbootclasspath -bootclasspath -extdirs -endorseddirs ^-XD -taglet -tagletpath --taglet-path -toolcp ^-Ypluginpath -macro \
                 --configscript -F ^-plugin: -providerPath -providerClass -providerpath -addprovider -kotlin-home -jdk-home -docletpath \
                 -doclet-path --doclet-path",
                Loads,
                "javac: annotation processors of the class path run; javadoc, scalac, groovyc, keytool: theirs",
            ),
            row("#*/", Writes, "jar(1), javac(1): files elsewhere"),
            row("-e -expression -Xrepl -Xscript", Code, "kotlinc, scalac: their help"),
            row(
                "-genkey -genkeypair -importkeystore -importcert -storepasswd -keypasswd -delete -changealias -tsa",
                Secrets,
                "keytool(1)",
            ),
        ],
    ),
    tool(
        &["mvn", "mvnw", "mvnd"],
        "-P: -pl: -T: -l: -D: -ntp -nsu -fae -fn -am -amd -rf: -npr -npu",
        &[
            row("-f/ --file/", Folder, "mvn: its manual"),
            row("-s --settings -gs --global-settings -t --toolchains", Config, "mvn: its manual"),
            row(
                "^-Dexec. ^exec: ^-Dmaven.ext ^-Dmaven.repo ^-DargLine ^-Djvm ^-Dspring ^-DaltDeploymentRepository",
                Runs,
                "exec-maven-plugin, surefire: jvm",
            ),
            row("deploy ^org. ^com. ^io. ^dev. ^net. ^ch. ^de.", Fetches, "mvn: any plugin by its full name"),
            row(
                "^antrun: ^groovy: ^gplus: ^gmavenplus: ^spring-boot: ^jetty: ^quarkus: ^tomcat ^release: ^scm: ^archetype: ^dependency:get \
                 ^dependency:copy ^dependency:unpack ^install:install-file ^wrapper: ^site:deploy ^site:stage ^frontend: ^docker: ^sql: ^liquibase: \
                 ^flyway: ^cargo: ^appengine: ^gpg: ^jib: ^nexus-staging: ^deploy: ^versions: ^play: ^micronaut: ^wildfly: ^liberty:",
                Runs,
                "Maven's plugins: goals that run, serve, fetch or publish",
            ),
            row(
                "=-D --define ^--define= ~xecutable= ^-Duser.home ^-Djava. ^-Dsurefire. ^-Dfailsafe. ^-Dmaven.test.jvm ^-Dmaven.multi \
                 ^-Dmaven.plugin ^-Dmaven.compiler ^-Doutput ~=http ~=/",
                Config,
                "mvn: properties that name programs, files and addresses",
            ),
            row(
                "-b --builder -is --install-settings -emp -ep ^--encrypt -it --install-toolchains -ps --project-settings",
                Config,
                "mvn: its manual",
            ),
            row("-l/ --log-file/", Writes, "mvn: its manual"),
        ],
    ),
    tool(
        &["gradle", "gradlew", "sbt", "ant", "lein", "mill", "bloop", "clj", "clojure", "boot"],
        "-x:",
        &[
            row("-I --init-script", Code, "gradle: its manual"),
            row(
                "-b --build-file -c --settings-file -p/ --project-dir/ -g --gradle-user-home --include-build -f -buildfile -lib -propertyfile",
                Folder,
                "gradle, ant: their manuals",
            ),
            row(
                "^-D ^-P ^-J --system-prop --project-prop --jvm-opts -Sdeps -M -X -T -A",
                Config,
                "gradle, sbt, clojure: settings that name programs",
            ),
            row("^eval ^set ^console run repl", Code, "sbt, lein: their manuals"),
            row(
                "=run =runMain =repl =jshell =exec =trampoline =shell =eval =console =update-in =deploy =release =upgrade =change =vcs =publish \
                 ~eval ~runMain ~console ^! ^< ^~ ^; ^alias ^apply ^early ^new ~:run ~.run ~/run =bootRun =server =client ^set",
                Code,
                "sbt, lein, mill, gradle: tasks that run code, also behind others",
            ),
            row(
                "-java-home --java-home -sbt-jar --sbt-jar --sbt-launch-jar --sbt-dir ^-addPlugin ^--addPlugin --import --home -F --write-verification-metadata \
                 --export-keys --gui -listener -inputhandler -main -logger -l/ -s -find",
                Config,
                "sbt, gradle, ant: their manuals",
            ),
            row("wrapper init publish =wrapper =init =publish", Fetches, "gradle: its manual"),
            row("-e --eval -i --init -m --main -r ^@ ~.clj -Scp -Ttools", Code, "clojure: its manual"),
        ],
    ),
    words(
        &["dotnet", "msbuild", "nuget", "csc"],
        "",
        &[
            row(
                "exec tool new script fsi run watch nuget dev-certs vstest store user-secrets workload install publish",
                Runs,
                "dotnet: its documentation; GTFOBins dotnet",
            ),
            row(
                "^@ ~.dll ~.exe ^-rp: ^/rp: ^/restoreProperty ^-restoreProperty ^--property ^-dl: ^/dl: ^/distributedlogger ^-distributedlogger \
                 ^-analyzer: ^/analyzer: ^/a: ^-a: -a --test-adapter-path -s --settings --source --configfile --additionalprobingpath --depsfile \
                 --runtimeconfig -l --logger ^-p: ^/p: ^-property: ^-logger ^/logger ^-l: -p --property --additional-deps --fx-version",
                Config,
                "msbuild: its documentation",
            ),
            row(
                "-o/ --output/ ^-out: ^/out: ^/bl: ^-bl: ^/binaryLogger ^/flp ^-flp ^/pp: ^-pp: ^-preprocess --diag/ --results-directory/ --packages/",
                Writes,
                "msbuild: its documentation",
            ),
            row(
                "!build,test,restore,clean,pack,format,list,help,sdk,sln,add,remove,msbuild,run,exec,tool,new,script,fsi,watch,nuget,dev-certs,vstest,\
                 store,user-secrets,workload,install,publish,package,build-server,reference,solution,--info,--version,--list-sdks,--list-runtimes,-h,--help",
                Runs,
                "dotnet: another name is a program dotnet-NAME, or a file",
            ),
        ],
    ),
    tool(
        &["swift"],
        "",
        &[
            row("-e repl", Code, "swift: its help"),
            row(
                "!build,test,package,run,sdk,--version,-version,--help",
                Code,
                "swift: its help: a file of code",
            ),
            row("package.plugin package.init", Code, "swift package: plugins"),
            row(
                "package!update,resolve,clean,reset,show-dependencies,describe,dump-package,tools-version,show-executables,show-traits,plugin,init,\
                 diagnose-api-breaking-changes,compute-checksum,purge-cache,--help",
                Changes,
                "swift package: its help: other names are plugins",
            ),
            row(
                "--toolset --swift-sdk --pkg-config-path --netrc-file --multiroot-data-file --build-system --triple sdk.configure sdk.remove",
                Config,
                "swift build: its help",
            ),
            row("--package-path/ --scratch-path/ --build-path/", Folder, "swift build: its help"),
            row(
                "--allow-writing-to-directory --allow-writing-to-package-directory --allow-network-connections -Xcc -Xlinker -Xswiftc -Xcxx --toolchain --sdk --destination --disable-sandbox",
                Config,
                "swift build: its help",
            ),
            row("sdk.install", Fetches, "swift sdk: its help"),
        ],
    ),
    tool(
        &[
            "ghc",
            "stack",
            "cabal",
            "ocamlfind",
            "opam",
            "dune",
            "nim",
            "zig",
            "crystal",
            "v",
            "gleam",
            "rebar3",
            "mix",
        ],
        "",
        &[
            row(
                "-e --eval eval exec run script repl ghci runghc -F -pgmF -fplugin -ppx -pp --interactive ^-pgm ^-opt ^@ --run -ghci-script \
                 ^-fplugin ^-plugin -frontend --frontend -package-db ^-B --exec --test-wrapper ^--with- -w ^--ghc-options -cc -cflags -ldflags --link-flags --prelude --config-file --docker --nix =utop =top =toplevel \
                 =ghci =r =e =i =js =secret =jsonscript ^--eval ~.exe: ~exe= ^--passC ^--passL ^--import: ^--include: ^--cc: --run -r \
                 --test-cmd --test-cmd-bin --test-runner reduce std crun x.vsh watch time retry share play shell dev cmd =cmd",
                Code,
                "ghc, stack, cabal, nim, ocaml, zig, v, crystal: their manuals",
            ),
            row(
                "~.hs ~.nims ~.vsh ~.cr",
                Code,
                "stack, cabal, nim, v, crystal, mix: run the file that they are given",
            ),
            row(
                "-o/ --out/ ^-o:/ ^--out:/ ^--outdir:/ ^--nimcache:/ ^-outputdir -odir/ -hidir/ -stubdir/ -dumpdir/ -tmpdir/ -p/ init:#/ objcopy:#/",
                Writes,
                "ghc, nim, zig, crystal: their manuals",
            ),
            row(
                "v1-exec v2-exec new-exec v1-run v2-run new-run v1-repl v2-repl new-repl act-as-setup list-bin user-config upload \
                 =hex.publish =hex.owner =hex.user =hex.organization =hex.config =hex.retire publish release hex",
                Secrets,
                "cabal, mix, rebar3, gleam: publish, or run",
            ),
            row("as do =shell plugins local", Code, "rebar3: its manual"),
            row(
                "=phx.server =run =eval =profile.eprof =profile.fprof =profile.cprof =ecto.drop =ecto.reset =ecto.load =ecto.rollback =loadconfig \
                 =igniter.install =igniter.new =phx.new =local.phx =deps.get =deps.update --require",
                Code,
                "mix: its tasks",
            ),
            row(
                "switch pin upgrade remove repo repository reinstall config.set config.exec var option source init plugin publish user-setup admin \
                 monorepo upload setup config symlink up self tools rpc",
                Changes,
                "opam, stack, v: their manuals",
            ),
            row("^ocaml", Runs, "ocamlfind(1)"),
            row(
                "--build-file --build-runner --build-root --zig-lib-dir --libc cc c++ fetch",
                Config,
                "zig: its help: another build program, gcc's options",
            ),
            row(
                "install update new hex.repo =archive.install =escript.install =archive.uninstall =local.hex =local.rebar",
                Fetches,
                "cabal, opam, mix: their manuals",
            ),
        ],
    ),
];
