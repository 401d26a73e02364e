//! What a project is checked, tested, built and begun with, besides compilers: test runners, linters, bundlers, hooks,
//! version managers and generators.

use super::tool::{Tool, row, tool};
use crate::ArgEffect::{Code, Config, Fetches, Folder, Loads, Opens, Runs, Writes};

pub(super) const TOOLS: &[Tool] = &[
    tool(
        &["pytest", "py.test", "mypy", "ruff", "black", "pylint", "flake8", "isort", "coverage", "bandit"],
        "-k: -m: -n: --maxfail: --tb: --durations: --color: -W:",
        &[
            row(
                "-p --plugins --load-plugins --init-hook --require-plugin --init-import",
                Loads,
                "pytest: -p; pylint: --load-plugins, --init-hook",
            ),
            row(
                "-c --config-file --rcfile --rootdir/ --confcutdir --override-ini -o --config --settings-path",
                Config,
                "pytest, mypy, pylint: their documentation",
            ),
            row(
                "--junitxml/ --junit-xml/ --basetemp --debug --log-file/ --output-file/ --html-report --xml-report --cobertura-xml-report",
                Writes,
                "pytest, mypy",
            ),
            row(
                "--pdbcls --pastebin --python-executable --custom-typeshed-dir --shadow-file --install-types",
                Runs,
                "pytest, mypy: their documentation",
            ),
            row("run debug", Code, "coverage run: a script"),
            row("server --in-place -i", Writes, "ruff, isort"),
        ],
    ),
    tool(
        &["jest", "vitest", "mocha", "ava", "tap", "playwright", "cypress", "karma"],
        "-t: --testNamePattern: -g: --grep: --timeout: --reporter: --coverage --ci --colors --run --dry-run",
        &[
            row(
                "-c --config --config-file -C --setupFiles --setupFilesAfterEach --globalSetup --transform --resolver --runner --testRunner --reporters",
                Loads,
                "jest: its command line",
            ),
            row(
                "-r --require --import --loader --opts --ui --globals --environment",
                Loads,
                "mocha, vitest: their documentation",
            ),
            row(
                "--rootDir/ --root/ --dir/ --outputFile/ --coverageDirectory/ --cacheDirectory/",
                Folder,
                "jest, vitest",
            ),
            row("codegen open install", Opens, "playwright, cypress"),
        ],
    ),
    tool(
        &[
            "tsc",
            "eslint",
            "prettier",
            "webpack",
            "vite",
            "rollup",
            "esbuild",
            "parcel",
            "babel",
            "swc",
            "postcss",
            "stylelint",
            "next",
            "turbo",
            "nx",
            "lerna",
            "biome",
        ],
        "-p: --project:",
        &[
            row(
                "-c --config --rulesdir --resolve-plugins-relative-to --plugin --plugins --parser --require -r --preset --presets --no-config-lookup",
                Loads,
                "eslint, prettier, webpack, rollup: configuration is code",
            ),
            row("exec run-commands generate g login link unlink", Runs, "lerna exec, nx run-commands"),
            row(
                "-o/ --output-file/ --outfile/ --outdir/ --outDir/ --out-dir/ --outFile/ --output-path/ --declarationDir/ --tsBuildInfoFile/",
                Writes,
                "tsc, esbuild: their documentation",
            ),
            row("-f/ --format/ --formatter/", Loads, "eslint: a formatter is code"),
            row("--footer:js --banner:js --inject --serve --servedir", Code, "esbuild: its documentation"),
            row(
                "-p/ --project/ -b/ --build/ --root/ --cwd/",
                Folder,
                "tsc: another project, whose plugins load",
            ),
        ],
    ),
    tool(
        &["direnv"],
        "",
        &[
            row("exec", Runs, "direnv(1)"),
            row("allow grant permit edit hook export reload", Code, "direnv(1): .envrc is a script"),
        ],
    ),
    tool(
        &[
            "mise", "asdf", "rbenv", "pyenv", "nodenv", "goenv", "nvm", "fnm", "volta", "rtx", "jenv", "sdk",
            "proto", "vfox",
        ],
        "",
        &[
            row("exec x run r tasks shell watch", Runs, "mise exec, asdf exec, rbenv exec: any program"),
            row(
                "install plugin plugins use global local set settings!get,list,ls link trust self-update update unuse alias shell-alias config!get,list,ls",
                Fetches,
                "mise, asdf: plugins are scripts",
            ),
            row("-C/ --cd/ --using", Folder, "mise: its documentation; fnm exec"),
        ],
    ),
    tool(
        &[
            "pre-commit",
            "lefthook",
            "husky",
            "lint-staged",
            "commitizen",
            "cz",
            "semantic-release",
            "release-it",
            "changeset",
            "overcommit",
        ],
        "",
        &[row("*", Runs, "they run what the repository's configuration says")],
    ),
    tool(
        &["ts-node-dev", "esno", "swc-node", "zx", "babel-node", "coffee", "vite-node"],
        "",
        &[
            row("-e --eval -p --print -i --repl", Code, "tsx, ts-node: their documentation"),
            row(
                "-r --require --import --loader --experimental-loader --tsconfig -P --project --prefix --shell",
                Loads,
                "tsx, ts-node, zx: their documentation",
            ),
            row("#1", Code, "they run the file that they are given"),
        ],
    ),
    tool(
        &[
            "storybook",
            "sb",
            "ng",
            "vue",
            "expo",
            "react-native",
            "ionic",
            "cordova",
            "create-react-app",
            "degit",
            "plop",
            "yo",
            "cookiecutter",
            "copier",
            "hygen",
        ],
        "",
        &[row("*", Fetches, "their documentation: templates and plugins are code")],
    ),
];
