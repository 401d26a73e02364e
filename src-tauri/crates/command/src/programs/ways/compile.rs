//! Compilers, linkers and what builds a project.

use super::tool::{Tool, row, tool, words};
use crate::ArgEffect::{Code, Config, Folder, Loads, Opens, Reads, Remote, Runs, Serves, Shell, Writes};

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
            row(
                "-E --execute-print --execute-continue -p -R --rakelibdir --rakelib --libdir --system --dotenv-path \
                 --dotenv-filename --script-interpreter --tempdir",
                Code,
                "rake(1), just(1): expressions, and files of variables and tasks",
            ),
            row(
                "--search-root --sconstruct --site-dir --include-dir --repository --srcdir -Y -D -u -U --interact --gruntfile \
                 --base --tasks --npm --gulpfile --cwd --preload -w --top --out",
                Folder,
                "invoke, scons(1), grunt, gulp, waf: their manuals",
            ),
            row("-H --hosts -i --identity -S --ssh-config", Remote, "fab: its documentation"),
            row("#*/", Folder, "just(1): another folder's recipes"),
        ],
    ),
    tool(
        &["ninja", "samu"],
        "-j: -k: -l: -d: -w: -t:",
        &[
            row("-f", Shell, "ninja(1): another build file"),
            row("-C/", Folder, "ninja(1)"),
            row("^-tmsvc =msvc ^-tbrowse =browse", Runs, "ninja(1): its tools run a command, or serve"),
        ],
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
            row("^-S/ ^-S~ ^-S.. ^-B/ ^-B~ ^-B..", Folder, "cmake(1): the same in one word"),
            row(
                "--workflow --debugger-pipe --find-package --sarif-output --system-information",
                Config,
                "cmake(1)",
            ),
            row("-T", Config, "cmake(1): the build program"),
        ],
    ),
    tool(
        &["ctest", "cpack"],
        "",
        &[row(
            "-S -SP --script --build-and-test --build-makeprogram --test-command -D --config -M -T --launch --overwrite --preset -O/ -B/",
            Code,
            "ctest(1), cpack(1)",
        )],
    ),
    tool(
        &["meson"],
        "",
        &[
            row("devenv install dist --native-file --cross-file -D", Config, "meson: its manual"),
            row(
                "--wrap --wrapper --gdb --gdb-path --internal --ninja-args --vs-args",
                Runs,
                "meson: its manual",
            ),
            row("-C/ setup:#/ test:--logbase/", Folder, "meson: its manual"),
            row(
                "!setup,compile,test,introspect,configure,init,format,help,--version,-v",
                Runs,
                "meson: its manual: subprojects foreach, runpython, wraps",
            ),
        ],
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
                "--override_repository --override_module --action_env --shell_executable --compiler --credential_helper --registry \
                 --remote_executor --extra_toolchains --python_path --sandbox_writable_path --repo_env --package_path \
                 --coverage_report_generator --strategy --spawn_strategy --plugin",
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
            row(
                "-o/ -MF/ -dumpdir/ -dumpbase/ -aux-info/ -MJ/ --output/ -serialize-diagnostics/ -dependency-file/",
                Writes,
                "gcc(1), clang",
            ),
            row("^-o/ ^-o~ ^-o..", Writes, "gcc(1): the same in one word"),
            row(
                "-T ^-T =-Xassembler =-Xpreprocessor =-Xanalyzer =-mllvm ^-iplugindir ^-iwrapper ^-ccc- ^-resource-dir ^-fresource-dir \
                 ^--resource-dir ^-foffload ^--ptxas ^--cuda-path ^--rocm-path ^-fopt-info ^--driver-mode",
                Config,
                "gcc(1), clang: plugins, programs and options of its parts",
            ),
        ],
    ),
    words(
        &["ld", "ld.gold", "ld.lld", "lld", "mold", "gold", "ld.bfd", "as"],
        "-L: -l:",
        &[
            row("-plugin --plugin", Loads, "ld(1); GTFOBins as, ld"),
            row("^@ -T ^-T -dT --script --default-script --mri-script -c -lto_library -R", Config, "ld(1)"),
            row("-run", Runs, "mold(1): -run starts a program"),
            row("-o/ -Map/ -map/ -M/ --MD/ -a/", Writes, "ld(1), as(1)"),
            row("^-I", Config, "ld(1): the loader of what is built"),
            row("-dynamic-linker --dynamic-linker -I -rpath", Config, "ld(1): the loader of what is built"),
        ],
    ),
    words(
        &["xcodebuild", "swiftc", "swift-build", "agvtool", "ibtool", "actool"],
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
            row(
                "-downloadPlatform -downloadAllPlatforms -importComponent -importPlatform -runFirstLaunch -license \
                 -exportNotarizedApp ^-skip ^-IDE -scmProvider -defaultPackageRegistryURL -authenticationKeyPath",
                Config,
                "xcodebuild(1): what is installed, and what is not checked",
            ),
            row(
                "^-tools-directory ^-driver-use-frontend-path -sdk/ ^-external-plugin ^-load-resolved ^-resource-dir ^-clang-path \
                 ^-in-process-plugin ^-Xclang-linker",
                Loads,
                "swiftc: its help",
            ),
        ],
    ),
    tool(
        &["simctl"],
        "",
        &[row(
            "!list,help,getenv,diagnose,logverbose",
            Runs,
            "simctl: xcrun simctl help: programs of a simulated phone",
        )],
    ),
    words(
        &["xctest", "instruments"],
        "",
        &[row("*", Runs, "xctest(1), instruments(1): run what they are given")],
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
            row(
                "-o/ --output/ -S --skeleton --m4 -M -H/ --defines/ -outdir/ -out/ -external-runtime/",
                Writes,
                "bison(1), flex(1), swig, thrift",
            ),
            row(
                "generate push registry beta plugin studio-agent curl config login",
                Runs,
                "buf: its documentation: generators are programs",
            ),
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
            row(
                "--diff-list-files --extract-with --vcs",
                Shell,
                "cloc: --extract-with and --vcs run a command",
            ),
            row(
                "--config --write-lang-def --counted --ignored --found --categorized --diff-alignment --strip-comments --strip-code \
                 --sql --format-multi --cpuprofile",
                Writes,
                "cloc, scc: their documentation",
            ),
            row("-w -g -u -l -e", Writes, "doxygen(1): writes templates of its own files"),
            row("--read-lang-def --force-lang-def --list-file", Reads, "cloc"),
        ],
    ),
];
