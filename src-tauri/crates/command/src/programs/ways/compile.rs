//! Compilers, linkers and what builds a project.

use super::tool::Does::{
    Changes, Code, Config, Fetches, Folder, Loads, Opens, Reads, Remote, Runs, Secrets, Serves, Shell, Writes,
};
use super::tool::{Tool, row, tool, words};

pub(super) const TOOLS: &[Tool] = &[
    tool(
        &["make", "bmake", "gnumake", "remake"],
        "-j? -l? -o: -W: -O? --jobs? --load-average? --old-file: --what-if: --assume-new: --assume-old: --new-file: --output-sync?",
        &[
            row("--eval -E", Shell, "make(1): a line of a makefile; GTFOBins make"),
            row("-f --file --makefile", Shell, "make(1): another makefile; GTFOBins make"),
            row("-C/ --directory/", Folder, "make(1)"),
            row("-I --include-dir", Folder, "make(1)"),
            row("^SHELL= ^.SHELLFLAGS= ^MAKEFLAGS= ^MAKEFILES= ^MAKE=", Shell, "make(1); GTFOBins make"),
        ],
    ),
    tool(
        &[
            "just", "task", "rake", "mage", "invoke", "inv", "fab", "doit", "scons", "waf", "grunt", "gulp",
            "jake",
        ],
        "",
        &[
            row(
                "-f -F --justfile --taskfile --rakefile --file --collection -c",
                Shell,
                "just(1), task, rake: another file of recipes",
            ),
            row("-d/ --working-directory/ --dir/ -C/ --directory/", Folder, "just(1), task"),
            row(
                "--shell --shell-arg --command --set --eval -e --execute -r --require -I",
                Code,
                "just(1), rake(1)",
            ),
            row("--chooser --choose --edit", Opens, "just(1)"),
        ],
    ),
    tool(
        &["ninja", "samu"],
        "-j: -k: -l: -d: -w: -t:",
        &[row("-f", Shell, "ninja(1): another build file"), row("-C/", Folder, "ninja(1)")],
    ),
    words(
        &["cmake"],
        "--build: --target: --config: --parallel: -j:",
        &[
            row("-E", Runs, "cmake(1): -E env, chdir, time run a command"),
            row("-P -C --script", Code, "cmake(1): a script; GTFOBins cmake"),
            row(
                "^-D ^-U",
                Config,
                "cmake(1): CMAKE_C_COMPILER, CMAKE_TOOLCHAIN_FILE and others name programs",
            ),
            row("--toolchain --preset --install --open", Config, "cmake(1)"),
            row("-S/ -B/ --build/ #1/", Folder, "cmake(1): another project"),
            row("-G -T", Config, "cmake(1): the build program"),
        ],
    ),
    tool(
        &["ctest", "cpack"],
        "",
        &[row(
            "-S -SP --script --build-and-test --build-makeprogram --test-command -D --config",
            Code,
            "ctest(1), cpack(1)",
        )],
    ),
    tool(
        &["meson"],
        "",
        &[row("devenv install dist --native-file --cross-file -D", Config, "meson: its manual")],
    ),
    tool(
        &["bazel", "bazelisk", "buck", "buck2", "pants"],
        "",
        &[
            row("run mobile-install", Runs, "bazel: its command line reference"),
            row(
                "--run_under --bazelrc --output_user_root --workspace_status_command --host_jvm_args --server_javabase",
                Config,
                "bazel: its command line reference",
            ),
            row(
                "--override_repository --override_module --action_env --shell_executable --compiler",
                Config,
                "bazel",
            ),
        ],
    ),
    words(
        &["gcc", "g++", "cc", "c++", "clang", "clang++", "cpp", "tcc", "gfortran", "icc", "emcc"],
        "-I: -L: -D: -l: -x: -std: -O: -W:",
        &[
            row("-wrapper -specs --specs", Runs, "gcc(1); GTFOBins gcc"),
            row("^@", Config, "gcc(1): options from a file; GTFOBins gcc"),
            row("^-B", Config, "gcc(1): where its programs are looked for"),
            row("^-fplugin ^-fpass-plugin =-load =-Xclang ^-fmodule-mapper", Loads, "gcc(1), clang: plugins"),
            row(
                "^-fuse-ld ^--ld-path ^-Wl, =-Xlinker ^-Wp, ^-Wa,",
                Config,
                "gcc(1): the linker and its options",
            ),
            row("--config --gcc-toolchain ^--sysroot", Config, "clang: configuration files"),
            row("^-run", Code, "tcc(1): runs what it compiles"),
            row("-o/ -MF/ -dumpdir/", Writes, "gcc(1)"),
        ],
    ),
    words(
        &["ld", "ld.gold", "ld.lld", "lld", "mold", "gold", "ld.bfd", "as"],
        "-L: -l:",
        &[
            row("-plugin --plugin", Loads, "ld(1); GTFOBins as, ld"),
            row("^@ -T --script", Config, "ld(1)"),
            row("-run", Runs, "mold(1): -run starts a program"),
            row("-o/ -Map/", Writes, "ld(1)"),
            row("-dynamic-linker --dynamic-linker -I -rpath", Config, "ld(1): the loader of what is built"),
        ],
    ),
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
        "-P: -pl: -T: -l:",
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
    words(
        &[
            "xcodebuild",
            "swiftc",
            "swift-build",
            "xctest",
            "simctl",
            "instruments",
            "agvtool",
            "ibtool",
            "actool",
        ],
        "-scheme: -project: -workspace: -configuration: -target: -sdk: -destination:",
        &[
            row(
                "-exportArchive -allowProvisioningUpdates -derivedDataPath/ -xcconfig -toolchain",
                Config,
                "xcodebuild(1)",
            ),
            row(
                "^CC= ^LD= ^CXX= ^SWIFT_EXEC= ^OTHER_ ^@",
                Config,
                "xcodebuild(1): build settings that name programs",
            ),
            row(
                "-load-plugin-executable -load-plugin-library -plugin-path -Xfrontend -Xlinker -use-ld -ld-path -Xcc -Xllvm",
                Loads,
                "swiftc: its help",
            ),
            row("-o/ -emit-module-path/ -archivePath/ -resultBundlePath/", Writes, "xcodebuild(1), swiftc"),
            row("-interpret -repl", Code, "swiftc: its help"),
        ],
    ),
    tool(
        &["swift"],
        "",
        &[
            row("-e repl", Code, "swift: its help"),
            row("package.plugin package.init", Code, "swift package: plugins"),
            row("--package-path/ --scratch-path/ --build-path/", Folder, "swift build: its help"),
            row(
                "-Xcc -Xlinker -Xswiftc -Xcxx --toolchain --sdk --destination --disable-sandbox",
                Config,
                "swift build: its help",
            ),
            row("sdk.install", Fetches, "swift sdk: its help"),
        ],
    ),
    tool(
        &["ccache", "sccache", "distcc", "icecc", "bear", "scan-build", "intercept-build"],
        "-j:",
        &[row("*", Runs, "ccache(1), distcc(1), bear(1): run the compiler that they are given")],
    ),
    tool(
        &[
            "ghc",
            "stack",
            "cabal",
            "ocaml",
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
                "install update new hex.repo archive.install escript.install",
                Fetches,
                "cabal, opam, mix: their manuals",
            ),
        ],
    ),
    tool(
        &["protoc", "flatc", "thrift", "swig", "bison", "flex", "yacc", "lex", "buf", "openapi-generator"],
        "",
        &[
            row("--plugin ^--plugin", Runs, "protoc: its help"),
            row("^@", Config, "protoc: options from a file"),
            row("-o/ --output/ -S --skeleton --m4 -M", Writes, "bison(1), flex(1)"),
        ],
    ),
    tool(
        &["gdbserver", "lldb-server", "rr", "frida", "dtrace", "sample", "heap", "leaks"],
        "",
        &[row("*", Code, "gdbserver(1), dtrace(1): start or change a program")],
    ),
    tool(
        &[
            "vercel",
            "netlify",
            "heroku",
            "fly",
            "flyctl",
            "wrangler",
            "railway",
            "serverless",
            "sls",
            "sam",
            "amplify",
            "firebase",
        ],
        "",
        &[row("*", Remote, "their documentation: change what runs on a service")],
    ),
    tool(
        &["act", "gitlab-runner", "circleci", "dagger", "earthly", "tilt", "skaffold"],
        "",
        &[row("*", Remote, "act, earthly, skaffold: run containers with folders of this machine")],
    ),
    tool(
        &[
            "gunicorn",
            "uvicorn",
            "flask",
            "django-admin",
            "waitress-serve",
            "hypercorn",
            "celery",
            "jupyter",
            "streamlit",
        ],
        "",
        &[row("*", Serves, "they import the module that they are told, and serve it")],
    ),
    tool(
        &["httpd", "nginx", "apachectl", "caddy", "php-fpm", "lighttpd", "haproxy", "varnishd"],
        "",
        &[row("*", Serves, "nginx(8), httpd(8), caddy: serve, and load modules; GTFOBins nginx")],
    ),
    tool(
        &["ctags", "cscope", "doxygen", "cloc", "tokei", "scc"],
        "-R: -L:",
        &[
            row("--options --optlib-dir", Config, "ctags(1); GTFOBins ctags"),
            row("-f/ -o/ --output/ --out/ --report-file/", Writes, "ctags(1), cloc"),
            row("-l --line-oriented", Opens, "cscope(1): starts an editor; GTFOBins cscope"),
            row("--diff-list-files --extract-with", Shell, "cloc: --extract-with runs a command"),
            row("--read-lang-def --force-lang-def --list-file", Reads, "cloc"),
        ],
    ),
];
