//! Real builds of small projects, confined by `project`, as the user who runs the tests.

use super::world::said;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs shell text in a project; returns `None` if a tool is missing.
fn built(
    files: &[(&str, &str)],
    tools: &[&str],
    switches: &[&str],
    text: &str,
) -> Option<(tempfile::TempDir, Output)> {
    built_at(None, files, tools, switches, text, "true")
}

/// Does the same for a user with another home folder, after shell text that ran unconfined in the project.
fn built_at(
    home: Option<&Path>,
    files: &[(&str, &str)],
    tools: &[&str],
    switches: &[&str],
    text: &str,
    before: &str,
) -> Option<(tempfile::TempDir, Output)> {
    for tool in tools {
        let found = Command::new("sh").args(["-c", tool]).output().unwrap();
        if !found.status.success() {
            eprintln!("skipped: `{tool}` does not work here");
            return None;
        }
    }
    let project = tempfile::Builder::new().prefix("pst").tempdir_in("/var/tmp").unwrap();
    for (name, content) in files {
        let path = project.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let with_home = |command: &mut Command| {
        if let Some(home) = home {
            command.env("HOME", home);
        }
    };
    let mut first = Command::new("sh");
    with_home(&mut first);
    assert!(first.args(["-c", before]).current_dir(project.path()).status().unwrap().success(), "{before}");
    let mut confined = Command::new(env!("CARGO_BIN_EXE_postern"));
    with_home(&mut confined);
    let output = confined
        .arg("confine")
        .args(if switches == ["look"] { &["look"][..] } else { &["project"] })
        .args(switches.iter().filter(|switch| **switch != "look"))
        .args(["--", "/bin/bash", "-ec", text])
        .current_dir(project.path().canonicalize().unwrap())
        .env("POSTERN_DATA", "/var/tmp/postern-no-data")
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Some((project, output))
}

fn works(files: &[(&str, &str)], tools: &[&str], switches: &[&str], text: &str, expected: &[&str]) {
    let Some((project, output)) = built(files, tools, switches, text) else { return };
    let printed = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}: {printed}");
    for part in expected {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(!printed.contains("set-aside"), "{printed}");
    assert!(!Path::new(&project.path().join(".claude")).exists());
}

/// With a crate of the registry that these tests were built from.
#[test]
fn cargo_builds_and_tests() {
    let manifest = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\nbuild = \"build.rs\"\n\
         [dependencies]\nitoa = \"1\"\n";
    let main = "fn main() { print!(\"{} \", itoa::Buffer::new().format(42)); println!(\"{}\", include_str!(concat!(env!(\"OUT_DIR\"), \"/made\"))); }\n\
                #[test]\nfn it_works() { assert!(std::path::Path::new(\"Cargo.toml\").exists()); std::fs::write(std::env::temp_dir().join(\"x\"), \"y\").unwrap(); }\n";
    let build = "fn main() { std::fs::write(format!(\"{}/made\", std::env::var(\"OUT_DIR\").unwrap()), \"made by build.rs\").unwrap(); }\n";
    works(
        &[("Cargo.toml", manifest), ("src/main.rs", main), ("build.rs", build)],
        &["cargo --version", "cc --version"],
        &[],
        "cargo build && cargo test && ./target/debug/small",
        &["test it_works ... ok", "42 made by build.rs"],
    );
}

#[test]
fn npm_runs_tests_that_fork() {
    let test = "const { fork } = require('node:child_process');\n\
        if (process.argv[2]) process.send('from the child'); else {\n\
          const child = fork(__filename, ['x']);\n\
          child.on('message', (text) => { console.log(text); require('node:fs').writeFileSync('out.txt', text); child.disconnect(); });\n\
        }\n";
    let package = r#"{ "name": "small", "version": "1.0.0", "scripts": { "test": "node test.js", "build": "node -e 'console.log(2+2)'" } }"#;
    works(
        &[("package.json", package), ("test.js", test)],
        &["npm --version"],
        &[],
        "npm test && npm run build",
        &["from the child", "4"],
    );
}

#[test]
fn a_server_works_on_its_own_loopback() {
    let test = "const http = require('node:http');\n\
        const server = http.createServer((_, answer) => answer.end('served')).listen(0, '127.0.0.1', () => {\n\
          require('node:os').networkInterfaces();\n\
          http.get({ port: server.address().port }, (answer) => answer.on('data', (data) => { console.log(String(data)); server.close(); }));\n\
        });\n";
    works(&[("test.js", test)], &["node --version"], &["--loopback"], "node test.js", &["served"]);
    let Some((_project, output)) = built(&[("test.js", test)], &["node --version"], &[], "node test.js")
    else {
        return;
    };
    assert_ne!(output.status.code(), Some(0), "without the switch it has no sockets");
}

#[test]
fn make_runs_compilers() {
    let makefile = "all: x\nx: x.c\n\tcc -pipe -o x x.c\ntest: x\n\t./x | grep -q made\n\techo tested\n";
    let source = "#include <stdio.h>\nint main(void) { puts(\"made\"); return 0; }\n";
    works(
        &[("Makefile", makefile), ("x.c", source)],
        &["make --version", "cc --version"],
        &[],
        "make -j2 && make test",
        &["tested"],
    );
}

#[test]
fn git_works_in_a_repository_of_the_project() {
    let before =
        "git init -q -b main . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m zero";
    let text = "echo one > a; git add a; git -c user.name=a -c user.email=a@b commit -qm one; git status --short; \
                echo two >> a; git diff | grep two; git stash -q; git stash pop -q; git checkout -q -b other; \
                git log --oneline; git branch; git status --short; git gc -q; git rev-parse --git-common-dir; \
                git -c user.name=a -c user.email=a@b rebase -q main --autostash; git status --short --ignored";
    let Some((project, output)) = built_at(None, &[], &["git --version"], &[], text, before) else { return };
    let printed = said(&output);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    for part in ["+two", "one", "zero", "* other", " M a"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(!printed.contains("??"), "stand-ins are nothing to git: {printed}");
    let whole = Command::new("git").args(["fsck"]).current_dir(project.path()).status().unwrap();
    assert!(whole.success() && !project.path().join(".git/commondir").exists());
}

#[test]
fn python_tests_run() {
    let test = "import multiprocessing, tempfile\n\
        def double(x): return 2 * x\n\
        def test_pool():\n    with multiprocessing.get_context('fork').Pool(2) as pool:\n        assert pool.map(double, [1, 2]) == [2, 4]\n\
        def test_files(tmp_path):\n    (tmp_path / 'x').write_text('x')\n    tempfile.NamedTemporaryFile().close()\n";
    works(
        &[("test_small.py", test)],
        &["/usr/bin/python3 -m pytest --version"],
        &[],
        "/usr/bin/python3 -m pytest -q && /usr/bin/python3 -m compileall -q .",
        &["2 passed"],
    );
}

/// A module in the cache that a `go` before it filled, and one that is not there.
#[test]
fn go_tests_run_with_the_modules_that_are_there() {
    let home = tempfile::Builder::new().prefix("pst").tempdir_in("/var/tmp").unwrap();
    let cache = home.path().join("proxy/example.test/leaf/@v");
    fs::create_dir_all(&cache).unwrap();
    let leaf = "import zipfile, sys; z = zipfile.ZipFile(sys.argv[1], 'w'); p = 'example.test/leaf@v1.0.0/'; \
                z.writestr(p + 'go.mod', 'module example.test/leaf\\n'); z.writestr(p + 'leaf.go', 'package leaf\\nfunc Two() int { return 2 }\\n')";
    fs::write(cache.join("v1.0.0.mod"), "module example.test/leaf\n").unwrap();
    fs::write(cache.join("v1.0.0.info"), "{\"Version\":\"v1.0.0\"}").unwrap();
    fs::write(cache.join("list"), "v1.0.0\n").unwrap();
    let zipped = Command::new("python3").args(["-c", leaf]).arg(cache.join("v1.0.0.zip")).status();
    if !zipped.is_ok_and(|zipped| zipped.success()) {
        eprintln!("skipped: python3 does not work here");
        return;
    }
    let test = "package small\nimport (\n\"testing\"\n\"example.test/leaf\"\n)\nfunc TestIt(t *testing.T) { if leaf.Two() != 2 { t.Fail() } }\n";
    let files =
        [("go.mod", "module small\ngo 1.19\nrequire example.test/leaf v1.0.0\n"), ("small_test.go", test)];
    // The user's own `go` fills the cache.
    let warm = "GOPROXY=file://$HOME/proxy GOSUMDB=off GOFLAGS=-modcacherw go mod tidy";
    let text = "go test ./... && go vet ./...";
    let Some((_project, output)) = built_at(Some(home.path()), &files, &["go version"], &[], text, warm)
    else {
        return;
    };
    let printed = said(&output);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(printed.contains("ok  \tsmall"), "{printed}");
}

/// Copies packages of the pages' own `node_modules`, with what they depend on.
fn packages(into: &Path, names: &[&str]) -> bool {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/node_modules");
    let mut open: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut seen = std::collections::BTreeSet::new();
    while let Some(name) = open.pop() {
        let Ok(manifest) = fs::read_to_string(from.join(&name).join("package.json")) else { continue };
        if !seen.insert(name.clone()) {
            continue;
        }
        let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        for part in ["dependencies", "optionalDependencies"] {
            open.extend(manifest[part].as_object().into_iter().flat_map(|all| all.keys().cloned()));
        }
        let to = into.join(&name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        let copied = Command::new("cp").arg("-a").arg(from.join(&name)).arg(&to).status().unwrap();
        assert!(copied.success(), "{name} is copied");
    }
    names.iter().all(|name| seen.contains(*name))
}

#[test]
fn npm_builds_with_vite_and_with_tsc() {
    let modules = tempfile::Builder::new().prefix("pst").tempdir_in("/var/tmp").unwrap();
    if !packages(modules.path(), &["vite", "typescript"]) {
        eprintln!("skipped: the packages of the pages are not installed (npm ci in ui)");
        return;
    }
    let package = r#"{ "name": "small", "version": "1.0.0", "type": "module", "scripts": { "build": "node node_modules/typescript/bin/tsc && node node_modules/vite/bin/vite.js build" } }"#;
    let options = r#"{ "compilerOptions": { "strict": true, "outDir": "made", "module": "esnext", "target": "es2022", "rootDir": "src", "types": [] }, "include": ["src"] }"#;
    let page = "<!doctype html><title>x</title><script type=module src=/src/main.ts></script>";
    let main = "import { twice } from './twice';\ndocument.title = String(twice(21));\n";
    let twice = "export function twice(x: number): number { return 2 * x; }\n";
    let files = [
        ("package.json", package),
        ("tsconfig.json", options),
        ("index.html", page),
        ("src/main.ts", main),
        ("src/twice.ts", twice),
    ];
    let before = format!("mv '{}' node_modules", modules.path().display());
    let text = "npm run build && ls dist/assets made/main.js";
    let Some((_project, output)) = built_at(None, &files, &["npm --version"], &[], text, &before) else {
        return;
    };
    let printed = said(&output);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    for part in ["built in", "made/main.js", "index-"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

#[test]
fn small_tools_work() {
    works(
        &[("a.json", "{\"x\": [1, 2]}")],
        &["jq --version"],
        &[],
        "jq -c .x a.json | tee out && cat out",
        &["[1,2]"],
    );
    works(&[("src/a.txt", "needle\n")], &["rg --version"], &[], "rg needle", &["needle"]);
    works(
        &[("src/a.txt", "needle\n")],
        &["rg --version"],
        &["look"],
        "rg -n needle | sort",
        &["src/a.txt:1:needle"],
    );
    works(&[("a.json", "{\"x\": [1]}")], &["jq --version"], &["look"], "jq -c .x a.json", &["[1]"]);
    let script = "set -e\nfor f in *.txt; do sed -i s/one/two/ $f; sort < $f | tr a-z A-Z; done\nmktemp -d\n\
                  find . -type f | xargs wc -l\ntar czf /tmp/x.tgz . && tar tzf /tmp/x.tgz | grep -c txt\n";
    works(
        &[("a.txt", "one\n"), ("s.sh", script)],
        &[],
        &[],
        "chmod +x s.sh; bash ./s.sh",
        &["TWO", "/tmp/tmp."],
    );
}

#[test]
fn what_needs_the_network_says_so_at_once() {
    let package = r#"{ "name": "small", "version": "1.0.0", "dependencies": { "left-pad": "1.3.0" } }"#;
    let cargo = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\npostern-no-such-crate = \"1\"\n";
    for (file, content, tool, text, says) in [
        ("package.json", package, "npm --version", "npm install", &["ENOTCACHED", "offline"][..]),
        ("Cargo.toml", cargo, "cargo --version", "cargo fetch", &["offline"]),
        ("go.mod", "module small\n", "go version", "go get example.test/x", &["GOPROXY=off", "disabled"]),
        (
            "x.py",
            "",
            "python3 -m pip --version",
            "python3 -m pip install postern-no-such-package",
            &["No matching", "index"],
        ),
    ] {
        let files = [(file, content), ("src/lib.rs", "")];
        let Some((_project, output)) = built(&files, &[tool], &[], text) else { continue };
        let printed = said(&output);
        assert_ne!(output.status.code(), Some(0), "{text}: {printed}");
        assert!(says.iter().any(|part| printed.contains(part)), "{text}: {printed}");
    }
}
