//! Address of a remote, as the settings of git have it.
//!
//! git is not run, because the repository's settings can make it start programs.

use super::Until;
use super::repository::Repository;
use super::settings::{Entry, entries, own_entries, plain};
use postern_command::effect::host_of;
use std::path::Path;

/// Settings that name another remote, or another file of settings.
const ELSEWHERE: [&str; 3] = ["worktreeconfig", "pushdefault", "pushremote"];

/// Returns the address that a remote has, without user and password. `None` if it has several, or if other files say it.
pub(super) fn address(
    repository: &Repository,
    remote: &str,
    pushes: bool,
    home: &Path,
    until: Until,
) -> Option<String> {
    let own = entries(&repository.common.join("config"), until)?;
    let mut all = own_entries(Path::new("/etc/gitconfig"), until)?;
    all.extend(own_entries(&home.join(".config/git/config"), until)?);
    all.extend(own_entries(&home.join(".gitconfig"), until)?);
    all.extend(own);
    let elsewhere = |entry: &Entry| {
        let section = entry.section.to_ascii_lowercase();
        section.starts_with("include") || ELSEWHERE.contains(&&*entry.name)
    };
    if all.iter().any(elsewhere) {
        return None;
    }
    let values = |name: &str| -> Vec<&str> {
        let of = |entry: &&Entry| entry.name == name && sub_section(&entry.section, "remote") == Some(remote);
        all.iter().filter(of).map(|entry| &*entry.value).collect()
    };
    let pushed = values("pushurl");
    let (named, is_own) = if pushes && !pushed.is_empty() { (pushed, true) } else { (values("url"), false) };
    let [named] = named[..] else { return None };
    let replaced = |name: &str| replaced(&all, name, named);
    let instead = if pushes && !is_own { replaced("pushinsteadof")? } else { None };
    let instead = match instead {
        Some(instead) => Some(instead),
        None => replaced("insteadof")?,
    };
    address_of(instead.as_deref().unwrap_or(named))
}

/// Returns the name of a repository in its address: owner and name at GitHub, all of it elsewhere. `None` for a path.
pub(super) fn repository_name(address: &str) -> Option<&str> {
    let (host, path) = address.split_once('/')?;
    let is_host = host.contains('.') && !host.starts_with('.');
    let name = if host == "github.com" { path } else { address };
    (is_host && !path.is_empty()).then_some(name)
}

/// Returns the name in `[kind "name"]`, or in the older `[kind.name]`.
fn sub_section<'a>(section: &'a str, kind: &str) -> Option<&'a str> {
    let (own, rest) = section.split_at_checked(kind.len())?;
    let rest = rest.trim_start_matches([' ', '\t']);
    let name = rest.strip_prefix('.').or_else(|| rest.strip_prefix('"')?.strip_suffix('"'))?;
    own.eq_ignore_ascii_case(kind).then_some(name)
}

/// Returns the address with the longest beginning replaced that the settings name. `None` if one of them is not plain.
#[expect(clippy::option_option, reason = "not known differs from known to name none")]
fn replaced(all: &[Entry], name: &str, address: &str) -> Option<Option<String>> {
    let mut best: Option<(&str, &str)> = None;
    for entry in all.iter().filter(|entry| entry.name == name) {
        let base = sub_section(&entry.section, "url")?;
        let old = plain(&entry.value)?;
        if address.starts_with(old) && best.is_none_or(|(longest, _)| old.len() > longest.len()) {
            best = Some((old, base));
        }
    }
    Some(best.map(|(old, base)| format!("{base}{}", &address[old.len()..])))
}

/// Returns host and path of an address: `github.com/acme/site`.
fn address_of(url: &str) -> Option<String> {
    let url = plain(url)?;
    let short = |path: &str| {
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        path.strip_suffix(".git").unwrap_or(path).to_owned()
    };
    if let Some((scheme, rest)) = url.split_once("://") {
        let known = ["https", "http", "ssh", "git", "file", "git+ssh"].contains(&scheme);
        let (_, path) = rest.split_once('/').unwrap_or((rest, ""));
        let host = host_of(url);
        // An address that programs read differently, perhaps with a password.
        if host.contains('@') {
            return None;
        }
        let found =
            if host.is_empty() { format!("/{}", short(path)) } else { format!("{host}/{}", short(path)) };
        return known.then(|| found.trim_end_matches('/').to_owned());
    }
    match url.split_once(':') {
        // `ext::command` runs a program.
        Some((_, rest)) if rest.starts_with(':') => None,
        Some((host, path)) if !host.contains('/') => {
            Some(format!("{}/{}", host_of(host), short(path.trim_start_matches('/'))))
        }
        _ => Some(short(url)),
    }
}

#[cfg(test)]
mod tests {
    use super::{address, address_of, repository_name};
    use crate::measure::Until;
    use crate::measure::repository::Repository;
    use std::fs;

    #[test]
    fn an_address_is_host_and_path_without_secrets() {
        for row in include_str!("addresses.jsonl").lines() {
            let (url, expected): (&str, Option<&str>) = serde_json::from_str(row).unwrap();
            assert_eq!(address_of(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn a_repository_is_named_by_an_address_of_a_host() {
        for (address, expected) in [
            ("github.com/acme/site", Some("acme/site")),
            ("gitlab.com/acme/web/site", Some("gitlab.com/acme/web/site")),
            ("github.com.evil.example/acme/site", Some("github.com.evil.example/acme/site")),
            ("host.example:2222/a/b", Some("host.example:2222/a/b")),
            ("github.com/", None),
            ("/srv/git/site", None),
            ("../site", None),
            ("acme/site", None),
            ("site", None),
        ] {
            assert_eq!(repository_name(address), expected, "{address}");
        }
    }

    #[test]
    fn the_address_is_the_one_that_git_would_use() {
        let root = tempfile::tempdir().unwrap();
        let (here, home) = (root.path().join("here"), root.path().join("home"));
        fs::create_dir_all(here.join(".git")).unwrap();
        fs::create_dir_all(&home).unwrap();
        let of = |settings: &str, own: &str, pushes: bool| {
            fs::write(here.join(".git/config"), settings).unwrap();
            fs::write(home.join(".gitconfig"), own).unwrap();
            let repository = Repository::find_from(&here).unwrap();
            address(&repository, "origin", pushes, &home, Until::far())
        };
        let plain = "[remote \"origin\"]\n\turl = https://a.example/x\n";
        let split = &format!("{plain}\tpushurl = git@b.example:x\n");
        let found = |text: &str| Some(text.to_owned());
        assert_eq!(of(plain, "", true), found("a.example/x"));
        assert_eq!(of(split, "", true), found("b.example/x"));
        assert_eq!(of(split, "", false), found("a.example/x"));
        let instead = "[url \"git@c.example:\"]\n\tinsteadOf = https://a.example/\n";
        assert_eq!(of(plain, instead, true), found("c.example/x"));
        let only_pushes = "[url \"ssh://d.example/\"]\n\tpushInsteadOf = https://a.example/\n";
        assert_eq!(of(plain, only_pushes, true), found("d.example/x"));
        assert_eq!(of(plain, only_pushes, false), found("a.example/x"));
        for (settings, own) in [
            (&*format!("{plain}\turl = https://b.example/x\n"), ""),
            ("[remote \"other\"]\n\turl = https://a.example/x\n", ""),
            (plain, "[include]\n\tpath = other\n"),
            (plain, "[url \"x\"]\n\tinsteadOf = \"https://a\"\n"),
            ("[remote \"origin\"]\n\turl = $(x)\n", ""),
        ] {
            assert_eq!(of(settings, own, true), None, "{settings} {own}");
        }
    }

    #[test]
    fn settings_that_are_a_link_are_not_followed() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join(".git")).unwrap();
        fs::write(root.path().join("real"), "[remote \"origin\"]\nurl = https://a.example/x\n").unwrap();
        std::os::unix::fs::symlink(root.path().join("real"), root.path().join(".git/config")).unwrap();
        let repository = Repository::find_from(root.path()).unwrap();
        assert_eq!(address(&repository, "origin", true, root.path(), Until::far()), None);
    }
}
