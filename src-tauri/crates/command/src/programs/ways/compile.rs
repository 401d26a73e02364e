//! Compilers, linkers and what builds a project.

use super::tool::Does::{Code, Config, Folder, Loads, Opens, Reads, Remote, Runs, Serves, Shell, Writes};
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
                "-f -F --justfile --taskfile --rakefile --file --collection -c -t",
                Shell,
                "just(1), task, rake: another file of recipes",
            ),
            row("-d/ --working-directory/ --dir/ -C/ --directory/", Folder, "just(1), task"),
            row(
                "--shell --shell-arg --command --set --eval -e --execute -r --require -I",
                Code,
                "just(1), rake(1)",
            ),
            row("-g --global --global-justfile", Folder, "task, just: the person's own recipes"),
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
            row("^-U", Config, "cmake(1): CMAKE_C_COMPILER, CMAKE_TOOLCHAIN_FILE and others name programs"),
            row("--toolchain --preset --install --open", Config, "cmake(1)"),
            row("-S/ -B/ --build/ #1/", Folder, "cmake(1): another project"),
            row("-T", Config, "cmake(1): the build program"),
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
        &["bazel", "bazelisk", "blaze", "buck", "buck2", "pants", "please", "plz"],
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
        &[
            "gcc", "g++", "cc", "c++", "c89", "c99", "clang", "clang++", "cpp", "tcc", "gfortran", "icc",
            "emcc",
        ],
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
                "-project/ -workspace/ -packagePath/ -clonedSourcePackagesDirPath/ -exportArchive -allowProvisioningUpdates -derivedDataPath/ -xcconfig -toolchain",
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
        &["ccache", "sccache", "distcc", "icecc", "bear", "scan-build", "intercept-build"],
        "-j:",
        &[row("*", Runs, "ccache(1), distcc(1), bear(1): run the compiler that they are given")],
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
