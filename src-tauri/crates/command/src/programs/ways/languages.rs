//! What comes with a language besides its interpreter: compilers, builders, and what runs what they built.

use super::tool::Does::{Changes, Code, Config, Fetches, Folder, Loads, Runs, Secrets, Shell, Writes};
use super::tool::{Tool, row, tool, words};

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
            row("^@", Config, "rustc: options from a file"),
            row("-o/ --out-dir/ --output/", Writes, "rustc: command line arguments"),
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
            row("-d/", Writes, "javac"),
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
            row("deploy ^org. ^com. ^io.", Fetches, "mvn: any plugin by its full name"),
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
        ],
    ),
    words(
        &["dotnet", "msbuild", "nuget", "csc"],
        "",
        &[
            row(
                "exec tool new script fsi run watch nuget dev-certs",
                Runs,
                "dotnet: its documentation; GTFOBins dotnet",
            ),
            row(
                "^@ ^-p: ^/p: ^-property: ^-logger ^/logger ^-l: -p --property --additional-deps --fx-version",
                Config,
                "msbuild: its documentation",
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
                "-e --eval eval exec run script repl ghci runghc -F -pgmF -fplugin -ppx -pp",
                Code,
                "ghc, stack, ocaml, zig: their manuals",
            ),
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
