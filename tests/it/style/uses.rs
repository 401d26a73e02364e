//! Modules of a crate, and which of them uses which: read from `use` and from paths in the code.

use super::Source;
use std::collections::{BTreeMap, BTreeSet};

/// Path of a module from the root of its crate.
pub(super) type Module = Vec<String>;

/// Crate as its modules, with what each brings into its scope.
pub(super) struct Crate {
    modules: BTreeMap<Module, Scope>,
}

struct Scope {
    code: String,
    /// Names that `use` brings in, with the path of each.
    names: BTreeMap<String, Vec<String>>,
    /// Paths of `use …::*`.
    globs: Vec<Vec<String>>,
    /// All paths of `use`, and those in the code.
    paths: Vec<Vec<String>>,
}

/// Returns the module of a file below `src`, or `None` for tests and other programs.
fn module_of(path: &str) -> Option<Module> {
    let mut parts: Module = path.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    let other = |part: &String| part.ends_with("tests") || part == "testing" || part == "bin";
    if parts.iter().any(other) {
        return None;
    }
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    Some(parts)
}

/// Returns code without comments and the contents of strings.
fn plain(code: &[&str]) -> String {
    let mut out = String::new();
    for line in code {
        let mut quoted = false;
        let mut last = ' ';
        for letter in line.chars() {
            if letter == '"' && last != '\\' && last != '\'' {
                quoted = !quoted;
            }
            if letter == '/' && last == '/' && !quoted {
                out.pop();
                break;
            }
            if !quoted {
                out.push(letter);
            }
            last = letter;
        }
        out.push('\n');
    }
    out
}

/// Returns the paths of a `use` tree, each with the name that it brings in.
fn tree(text: &str, before: &[String]) -> Vec<(Vec<String>, String)> {
    let text = text.trim();
    let segments = |text: &str| -> Vec<String> {
        text.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    if let Some((head, inner)) = text.split_once('{') {
        let path = [before, &segments(head)].concat();
        let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
        return items(inner).into_iter().flat_map(|item| tree(item, &path)).collect();
    }
    let (path, alias) = text.split_once(" as ").map_or((text, None), |(path, name)| (path, Some(name)));
    let mut path = [before, &segments(path)].concat();
    if path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = alias.map(|name| name.trim().to_owned()).or_else(|| path.last().cloned());
    name.map(|name| (path, name)).into_iter().collect()
}

/// Splits at the commas that no brace encloses.
fn items(text: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    let split = text.split(|letter| {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    split.filter(|item| !item.trim().is_empty()).collect()
}

fn scope(source: &Source) -> Scope {
    let code = plain(&source.code());
    let mut scope =
        Scope { names: BTreeMap::new(), globs: Vec::new(), paths: Vec::new(), code: String::new() };
    let mut rest = String::new();
    for (at, part) in code.split("use ").enumerate() {
        let before = rest.ends_with(char::is_whitespace) || rest.is_empty();
        let Some((used, after)) = part.split_once(';').filter(|_| at > 0 && before) else {
            rest.push_str(part);
            continue;
        };
        for (path, name) in tree(used, &[]) {
            if name == "*" {
                scope.globs.push(path[..path.len() - 1].to_vec());
            } else {
                scope.names.insert(name, path.clone());
            }
            scope.paths.push(path);
        }
        rest.push_str(after);
    }
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let words = rest.split(|letter| !is_name(letter)).filter(|word| word.contains("::"));
    let paths =
        words.map(|word| word.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect());
    scope.paths.extend(paths.collect::<Vec<Vec<String>>>());
    scope.code = rest;
    scope
}

impl Crate {
    /// Reads the modules of a crate from its files below `src`.
    pub(super) fn new<'a>(sources: impl Iterator<Item = (&'a str, &'a Source)>) -> Self {
        let read = sources.filter_map(|(path, source)| Some((module_of(path)?, scope(source))));
        Self { modules: read.collect() }
    }

    pub(super) fn uses(&self) -> Vec<(&Module, BTreeSet<Module>)> {
        let used = self.modules.iter().map(|(module, scope)| {
            let paths = scope.paths.iter().filter_map(|path| self.resolve(module, path, 0));
            (module, paths.filter(|used| used != module).collect())
        });
        used.collect()
    }

    /// Returns the module that defines what a path names, as it is seen from a module.
    fn resolve(&self, from: &Module, path: &[String], depth: usize) -> Option<Module> {
        let first = path.first()?;
        let mut rest = path;
        let mut at = from.clone();
        match first.as_str() {
            _ if depth > 8 => return None,
            "crate" => {
                at.clear();
                rest = &rest[1..];
            }
            "super" | "self" => {
                while let Some(step) = rest.first().filter(|step| *step == "super" || *step == "self") {
                    if step == "super" {
                        at.pop();
                    }
                    rest = &rest[1..];
                }
            }
            _ if self.child(from, first).is_some() => {}
            _ if self.brings(from, first).is_some() => {}
            _ => return None,
        }
        while let Some(name) = rest.first() {
            if let Some(child) = self.child(&at, name) {
                at = child;
                rest = &rest[1..];
            } else if let Some(path) = self.brings(&at, name) {
                return self.resolve(&at, path, depth + 1).or(Some(at));
            } else {
                let globs = self.modules.get(&at).map(|scope| &scope.globs);
                let mut through =
                    globs.into_iter().flatten().filter_map(|path| self.resolve(&at, path, depth + 1));
                return through.find(|module| self.defines(module, name)).or(Some(at));
            }
        }
        Some(at)
    }

    fn child(&self, module: &Module, name: &str) -> Option<Module> {
        let child = [module.as_slice(), &[name.to_owned()]].concat();
        self.modules.contains_key(&child).then_some(child)
    }

    /// Returns the path of a name that a module's `use` brings in.
    fn brings(&self, module: &Module, name: &str) -> Option<&Vec<String>> {
        let path = self.modules.get(module)?.names.get(name)?;
        path.first().filter(|first| *first != name).map(|_| path)
    }

    fn defines(&self, module: &Module, name: &str) -> bool {
        let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static", "union"];
        self.modules.get(module).is_some_and(|scope| {
            let mut words = scope.code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let mut last = "";
            words.any(|word| {
                let found = word == name && kinds.contains(&last);
                if !word.is_empty() {
                    last = word;
                }
                found
            })
        })
    }
}
