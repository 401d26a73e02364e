//! Registries are those that the programs would use.

use super::address;
use crate::measure::{Site, Until};
use postern_command::Dialect;
use postern_command::effect::publication_of;
use std::fs;
use tempfile::TempDir;

/// A home folder with a project in it.
struct Place(TempDir);

impl Place {
    fn with(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("work/site")).unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(root)
    }

    fn registry(&self, line: &str, env: &[(&str, &str)]) -> Option<String> {
        let reading = postern_command::read_shell(line, Dialect::Bash);
        let found = publication_of(&reading.steps[0]).unwrap();
        let env: Vec<(String, String)> =
            env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let (home, folder) = (self.0.path(), self.0.path().join("work/site"));
        let site = Site { cwd: folder.to_str().unwrap(), home: home.to_str().unwrap(), env: &env };
        address(&found, &folder, site, Until::far())
    }
}

#[expect(clippy::type_complexity, reason = "a table of cases")]
fn check(cases: &[(&str, &[(&str, &str)], Option<&str>)]) {
    for (line, files, expected) in cases {
        assert_eq!(Place::with(files).registry(line, &[]).as_deref(), *expected, "{line} with {files:?}");
    }
}

#[test]
fn npm_goes_where_scope_manifest_and_settings_say() {
    let plain = ("work/site/package.json", r#"{ "name": "site" }"#);
    let scoped = ("work/site/package.json", r#"{ "name": "@acme/site" }"#);
    let own = ("work/site/package.json", r#"{ "publishConfig": { "registry": "https://c.example" } }"#);
    let project = ("work/site/.npmrc", "registry=https://a.example/npm/\n//a.example/:_authToken=${TOKEN}\n");
    let home = (".npmrc", "registry = https://b.example\n@acme:registry=https://d.example\n");
    check(&[
        ("npm publish", &[plain], Some("registry.npmjs.org")),
        ("npm publish", &[plain, home], Some("b.example")),
        ("npm publish", &[plain, home, project], Some("a.example")),
        ("npm publish", &[scoped, home, project], Some("d.example")),
        ("npm publish", &[own, home, project], Some("c.example")),
        ("npm publish --registry https://e.example", &[plain, project], Some("e.example")),
        ("npm publish --registry https://e.example", &[scoped, home], Some("d.example")),
        ("npm publish --registry https://e.example", &[own], None),
        ("npm publish", &[], None),
        ("npm publish x.tgz", &[plain], None),
        ("npm publish", &[plain, ("work/site/.npmrc", "registry=${X}\n")], None),
        ("npm publish", &[plain, ("work/site/.npmrc", "a=b\n\"registry\"=https://evil.example\n")], None),
    ]);
}

#[test]
fn cargo_goes_where_manifest_and_settings_say() {
    let plain = ("work/site/Cargo.toml", "[package]\nname = \"a\"\n");
    let own = ("work/site/Cargo.toml", "[package]\nname = \"a\"\npublish = [\"acme\"]\n");
    let settings =
        (".cargo/config.toml", "[registries.acme]\nindex = \"sparse+https://cargo.acme.example/index/\"\n");
    let default = ("work/.cargo/config.toml", "[registry]\ndefault = \"acme\"\n");
    check(&[
        ("cargo publish", &[plain], Some("crates.io")),
        ("cargo publish", &[own, settings], Some("cargo.acme.example")),
        ("cargo publish", &[own], None),
        ("cargo publish", &[plain, settings, default], Some("cargo.acme.example")),
        ("cargo publish --registry acme", &[plain, settings], Some("cargo.acme.example")),
        ("cargo publish --registry other", &[plain, settings], None),
        ("cargo publish --index https://i.example/x", &[], Some("i.example")),
        ("cargo publish", &[("work/site/Cargo.toml", "[package]\npublish.workspace = true\n")], None),
        ("cargo publish", &[("work/site/Cargo.toml", "not toml")], None),
    ]);
}

#[test]
fn python_packages_go_where_their_programs_say() {
    let pypirc =
        (".pypirc", "[distutils]\nindex-servers = a\n[acme]\nrepository = https://p.acme.example/x\n");
    let uv = (
        "work/site/pyproject.toml",
        "[[tool.uv.index]]\nname = \"acme\"\npublish-url = \"https://u.acme.example\"\n",
    );
    let poetry = (".config/pypoetry/config.toml", "[repositories.acme]\nurl = \"https://o.acme.example\"\n");
    check(&[
        ("twine upload dist/*", &[], Some("upload.pypi.org")),
        ("twine upload -r testpypi dist/*", &[pypirc], Some("test.pypi.org")),
        ("twine upload -r acme dist/*", &[pypirc], Some("p.acme.example")),
        ("twine upload -r gone dist/*", &[pypirc], None),
        ("twine upload --repository-url https://t.example dist/*", &[], Some("t.example")),
        ("uv publish", &[uv], Some("upload.pypi.org")),
        ("uv publish --index acme", &[uv], Some("u.acme.example")),
        ("uv publish", &[("work/site/uv.toml", "publish-url = \"https://v.example\"\n")], Some("v.example")),
        ("poetry publish", &[], Some("upload.pypi.org")),
        ("poetry publish -r acme", &[poetry, uv], Some("o.acme.example")),
    ]);
}

#[test]
fn a_variable_that_may_say_otherwise_leaves_it_out() {
    let place = Place::with(&[
        ("work/site/package.json", "{}"),
        ("work/site/Cargo.toml", "[package]\nname = \"a\"\n"),
    ]);
    for (line, name) in [
        ("npm publish", "npm_config_registry"),
        ("npm publish", "NPM_CONFIG_REGISTRY"),
        ("cargo publish", "CARGO_REGISTRY_DEFAULT"),
        ("twine upload dist/*", "TWINE_REPOSITORY_URL"),
        ("uv publish", "UV_PUBLISH_URL"),
        ("poetry publish", "POETRY_REPOSITORIES_ACME_URL"),
    ] {
        assert!(place.registry(line, &[("PATH", "/bin")]).is_some(), "{line}");
        assert_eq!(place.registry(line, &[(name, "https://x.example")]), None, "{line} with {name}");
    }
}
