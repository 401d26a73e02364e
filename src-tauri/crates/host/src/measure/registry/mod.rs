//! Host of the registry that a package goes to, as the settings of its program have it.

use super::settings::{Entry, entries, own_entries, plain, text};
use super::{Site, Until, gem};
use postern_command::effect::{Publication, host_of};
use std::path::{Path, PathBuf};
use toml::Table;

/// Folders above the working directory in which a project is looked for.
const FARTHEST: usize = 32;

/// Returns the host of the registry. `None` if it cannot be told.
pub(super) fn address(found: &Publication, folder: &Path, site: Site<'_>, until: Until) -> Option<String> {
    let look = Look { found, folder, site, home: Path::new(site.home), until };
    let host = match found.program {
        "npm" | "pnpm" => look.npm(),
        "cargo" => look.cargo(),
        "twine" | "flit" => look.pypirc(),
        "uv" => look.uv(),
        "poetry" => look.poetry(),
        "gem" => look.gem(),
        _ => None,
    };
    host.filter(|host| !host.is_empty())
}

/// Publication, with the place where its settings are looked for.
struct Look<'a> {
    found: &'a Publication,
    folder: &'a Path,
    site: Site<'a>,
    home: &'a Path,
    until: Until,
}

impl Look<'_> {
    /// Returns the registry for npm: that of the scope, of the manifest, of an option, or of the settings.
    fn npm(&self) -> Option<String> {
        if self.site.sets(&["npm_config_"]) {
            return None;
        }
        let what = self.found.what.as_deref().unwrap_or(".");
        let manifest = self.manifest(&self.folder.join(what).join("package.json"))?;
        let project = self.nearest("package.json").unwrap_or_else(|| self.folder.to_owned());
        let mut all = own_entries(&self.home.join(".npmrc"), self.until)?;
        all.extend(entries(&project.join(".npmrc"), self.until)?);
        let scope = manifest["name"].as_str().filter(|name| name.starts_with('@'));
        let of_scope = scope.and_then(|name| Some(format!("{}:registry", name.split_once('/')?.0)));
        let publishes = |name: &str| manifest["publishConfig"][name].as_str();
        let setting = |name: &str| publishes(name).or_else(|| last(&all, "", &name.to_ascii_lowercase()));
        if let Some(scoped) = of_scope.as_deref().and_then(setting) {
            return host(scoped);
        }
        match (&self.found.registry, publishes("registry")) {
            // Versions of npm differ in which of them wins.
            (Some(_), Some(_)) => None,
            (Some(named), None) => host(named),
            (None, _) => host(setting("registry").unwrap_or("https://registry.npmjs.org/")),
        }
    }

    /// Returns the registry for cargo, which an option, the manifest or the settings name.
    fn cargo(&self) -> Option<String> {
        if self.site.sets(&["CARGO_REGISTR", "CARGO_HOME"]) {
            return None;
        }
        if let Some(address) = self.found.registry.as_deref().filter(|named| named.contains("://")) {
            return host(address);
        }
        let manifest = self.toml(&self.nearest("Cargo.toml")?.join("Cargo.toml"))?;
        let settings = self.cargo_settings()?;
        let setting = |path: &[&str]| settings.iter().find_map(|table| at(table, path));
        let publish = manifest.get("package")?.get("publish");
        let only = match publish {
            None | Some(toml::Value::Boolean(true)) => None,
            Some(toml::Value::Array(all)) => Some(all.as_slice()),
            Some(_) => return None,
        };
        let named = match (&self.found.registry, only) {
            (Some(named), _) => Some(named.as_str()),
            (None, Some([only])) => Some(only.as_str()?),
            (None, Some(_)) => return None,
            (None, None) => setting(&["registry", "default"]),
        };
        match named {
            None | Some("crates-io") => Some("crates.io".to_owned()),
            Some(named) => host(setting(&["registries", named, "index"])?),
        }
    }

    /// Returns cargo's settings, the nearest first.
    fn cargo_settings(&self) -> Option<Vec<Table>> {
        let mut all = Vec::new();
        let above = self.folder.ancestors().take(FARTHEST).map(|folder| folder.join(".cargo"));
        for folder in above.chain([self.home.join(".cargo")]) {
            // An older name wins.
            for name in ["config", "config.toml"] {
                all.push(self.toml(&folder.join(name))?);
            }
        }
        Some(all)
    }

    /// Returns the registry for twine and flit: the section of `~/.pypirc` that an option names.
    fn pypirc(&self) -> Option<String> {
        if self.site.sets(&["TWINE_", "FLIT_"]) {
            return None;
        }
        if let Some(address) = self.found.registry.as_deref().filter(|named| named.contains("://")) {
            return host(address);
        }
        let all = own_entries(&self.home.join(".pypirc"), self.until)?;
        let named = self.found.registry.as_deref().unwrap_or("pypi");
        let known = match named {
            "pypi" => Some("https://upload.pypi.org/legacy/"),
            "testpypi" => Some("https://test.pypi.org/legacy/"),
            _ => None,
        };
        host(last(&all, named, "repository").or(known)?)
    }

    /// Returns the registry for uv: the address that an option or the project names.
    fn uv(&self) -> Option<String> {
        if self.site.sets(&["UV_PUBLISH", "UV_INDEX", "UV_CONFIG", "UV_PROJECT"]) {
            return None;
        }
        if let Some(address) = self.found.registry.as_deref().filter(|named| named.contains("://")) {
            return host(address);
        }
        let project = self.nearest("pyproject.toml").unwrap_or_else(|| self.folder.to_owned());
        let own = self.toml(&project.join("uv.toml"))?;
        let settings = if own.is_empty() {
            let manifest = self.toml(&project.join("pyproject.toml"))?;
            table(&manifest, &["tool", "uv"]).cloned().unwrap_or_default()
        } else {
            own
        };
        let Some(named) = &self.found.registry else {
            return host(at(&settings, &["publish-url"]).unwrap_or("https://upload.pypi.org/legacy/"));
        };
        let all = settings.get("index")?.as_array()?;
        let index =
            all.iter().find(|index| index.get("name").and_then(toml::Value::as_str) == Some(named))?;
        host(index.get("publish-url")?.as_str()?)
    }

    /// Returns the registry for poetry: the repository that an option names.
    fn poetry(&self) -> Option<String> {
        if self.site.sets(&["POETRY_"]) {
            return None;
        }
        let Some(named) = &self.found.registry else { return Some("upload.pypi.org".to_owned()) };
        let own = ["Library/Application Support/pypoetry", ".config/pypoetry"];
        let own = own.map(|folder| self.home.join(folder).join("config.toml"));
        let project = self.nearest("pyproject.toml")?.join("poetry.toml");
        let files = std::iter::once(project).chain(own);
        let all = files.map(|file| self.toml(&file)).collect::<Option<Vec<Table>>>()?;
        host(all.iter().find_map(|table| at(table, &["repositories", named, "url"]))?)
    }

    /// Returns the registry for gem: the host that an option or the package names.
    fn gem(&self) -> Option<String> {
        if self.site.sets(&["RUBYGEMS_"]) {
            return None;
        }
        match (&self.found.registry, &self.found.what) {
            (Some(address), _) => host(address),
            (None, Some(package)) => {
                host(gem::host(&self.folder.join(package), self.until)?.as_deref().unwrap_or("rubygems.org"))
            }
            (None, None) => None,
        }
    }

    /// Returns the nearest folder above with a file of this name.
    fn nearest(&self, name: &str) -> Option<PathBuf> {
        let above = self.folder.ancestors().take(FARTHEST);
        above.into_iter().find(|folder| folder.join(name).symlink_metadata().is_ok()).map(Path::to_owned)
    }

    fn manifest(&self, path: &Path) -> Option<serde_json::Value> {
        serde_json::from_str(&text(path, self.until)?).ok()
    }

    /// Returns a file of settings; empty if there is none.
    fn toml(&self, path: &Path) -> Option<Table> {
        text(path, self.until)?.parse().ok()
    }
}

fn last<'a>(all: &'a [Entry], section: &str, name: &str) -> Option<&'a str> {
    let mut found = all.iter().rev().filter(|entry| entry.section == section && entry.name == name);
    found.next().map(|entry| &*entry.value)
}

fn table<'a>(table: &'a Table, path: &[&str]) -> Option<&'a Table> {
    path.iter().try_fold(table, |table, name| table.get(*name)?.as_table())
}

/// Returns the text at a path of names.
fn at<'a>(root: &'a Table, path: &[&str]) -> Option<&'a str> {
    let (name, above) = path.split_last()?;
    table(root, above)?.get(*name)?.as_str()
}

/// Returns the host of an address that is one plain word.
fn host(address: &str) -> Option<String> {
    Some(host_of(plain(address)?).to_owned())
}

#[cfg(test)]
mod tests;
