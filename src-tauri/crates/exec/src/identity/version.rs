//! A program's version, where its path tells it. Nothing is ever run to find out.

use std::path::{Component, Path};

/// Returns the version that a real path names: `…/Cellar/ripgrep/14.1.0/bin/rg`,
/// `/nix/store/<hash>-ripgrep-14.1.0/bin/rg`, `~/.asdf/installs/nodejs/20.1.0/bin/node`,
/// `…/Python.framework/Versions/3.12/bin/python3.12`, an app's `Info.plist`, or a file name such as
/// `python3.11`.
pub fn version_of(real_path: &Path) -> Option<String> {
    let parts: Vec<&str> = real_path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            Component::RootDir | Component::Prefix(_) | Component::CurDir | Component::ParentDir => None,
        })
        .collect();
    by_manager(&parts).or_else(|| in_bundle(real_path)).or_else(|| in_name(parts.last()?))
}

/// Returns the version by the path of a package manager that keeps each version in a folder of its own.
fn by_manager(parts: &[&str]) -> Option<String> {
    parts.iter().enumerate().find_map(|(at, part)| match *part {
        // <manager>/<package>/<version>/…
        "Cellar" | "Caskroom" | "installs" => versioned(parts.get(at + 2)?),
        // <manager>/<version>/…
        "Versions" | "toolchains" => versioned(parts.get(at + 1)?),
        // <manager>/versions/[<package>/]<version>/…
        "versions" => parts.iter().skip(at + 1).take(2).find_map(|part| versioned(part)),
        // /nix/store/<hash>-<name>-<version>/…
        "store" if at == 1 && parts[0] == "nix" => nix_version(parts.get(at + 1)?),
        _ => None,
    })
}

/// Returns a version: a word that begins with a digit, or with `v` and a digit.
fn versioned(text: &str) -> Option<String> {
    let bare = text.strip_prefix('v').unwrap_or(text);
    bare.starts_with(|first: char| first.is_ascii_digit()).then(|| bare.to_owned())
}

fn nix_version(entry: &str) -> Option<String> {
    let name = entry.split_once('-')?.1;
    let at = name.match_indices('-').map(|(at, _)| at + 1).find(|at| versioned(&name[*at..]).is_some())?;
    versioned(&name[at..])
}

/// Returns the version in a name (`python3.11`, `gcc-12`): digits with at least one dot after a name, or
/// digits after a dash.
fn in_name(name: &str) -> Option<String> {
    let stem = name.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.');
    let version = &name[stem.len()..];
    let clear = version.contains('.') || stem.ends_with('-');
    (clear && !stem.is_empty()).then(|| versioned(version)).flatten()
}

/// Returns `CFBundleShortVersionString` of the application that holds the program.
fn in_bundle(real_path: &Path) -> Option<String> {
    let contents = real_path.ancestors().find(|folder| folder.ends_with("Contents"))?;
    let text = std::fs::read_to_string(contents.join("Info.plist")).ok()?;
    let rest = text.split_once("<key>CFBundleShortVersionString</key>")?.1;
    let value = rest.split_once("<string>")?.1.split_once("</string>")?.0;
    (value.len() <= 64).then(|| versioned(value)).flatten()
}
