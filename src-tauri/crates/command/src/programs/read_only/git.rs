//! Subcommands of git that list or change, by how they are written.

/// Returns true if this is one that lists: git-branch(1), git-tag(1), git-config(1) and others.
pub(super) fn only_lists(argv: &[&str], at: usize) -> bool {
    let rest = argv.get(at + 1..).unwrap_or_default();
    let first = rest.first().copied();
    match argv.get(at).copied().unwrap_or_default() {
        "branch" => lists_branches(rest),
        "tag" => lists_tags(rest),
        "remote" => {
            has_only(rest, &["-v", "--verbose"])
                || rest.len() == 2 && rest[0] == "get-url" && !rest[1].starts_with('-')
        }
        "stash" => matches!(first, Some("list" | "show")),
        "worktree" => first == Some("list") && has_only(&rest[1..], &["--porcelain", "-v", "-z"]),
        "submodule" => rest.is_empty() || rest == ["status"] || rest == ["status", "--recursive"],
        "config" => reads_configuration(rest),
        "reflog" => !rest.iter().any(|word| ["expire", "delete", "drop", "write"].contains(word)),
        "symbolic-ref" => {
            let names = rest.iter().filter(|word| !["--short", "-q", "--quiet"].contains(word));
            names.clone().count() == 1 && names.clone().all(|name| !name.starts_with('-'))
        }
        "notes" => matches!(first, Some("list" | "show")),
        "sparse-checkout" => rest == ["list"],
        "bisect" => rest == ["log"],
        "apply" => applies_nothing(rest),
        "fsck" => rest.iter().all(|word| !word.starts_with('-') || FSCK.contains(word)),
        "hash-object" => rest.iter().all(|word| !word.starts_with('-')) && !rest.is_empty(),
        "add" => {
            let (dry, paths): (Vec<_>, Vec<_>) = rest.iter().partition(|word| word.starts_with('-'));
            !dry.is_empty() && dry.iter().all(|word| ["-n", "--dry-run"].contains(*word)) && !paths.is_empty()
        }
        _ => false,
    }
}

/// git-fsck(1): options that say what is checked and told. `--lost-found`, however short, writes what it finds.
const FSCK: [&str; 13] = [
    "--full", "--strict", "--unreachable", "--dangling", "--no-dangling", "--connectivity-only",
    "--no-reflogs", "--name-objects", "--no-progress", "--root", "--tags", "--verbose", "-v",
];

/// Returns true if `git apply` shows or checks a patch: git-apply(1). `--apply` would apply it all the same.
fn applies_nothing(rest: &[&str]) -> bool {
    const SHOWS: [&str; 4] = ["--stat", "--numstat", "--summary", "--check"];
    const HOW: [&str; 7] = ["-R", "--reverse", "-v", "--verbose", "-p0", "-p1", "-p2"];
    let plain = |word: &&str| !word.starts_with('-') || SHOWS.contains(word) || HOW.contains(word);
    rest.iter().any(|word| SHOWS.contains(word)) && rest.iter().all(plain)
}

fn has_only(rest: &[&str], words: &[&str]) -> bool {
    rest.iter().all(|word| words.contains(word))
}

/// Returns true if names are looked up after one of `filters`; without one they would be made.
fn filtered(rest: &[&str], plain: &[&str], filters: &[&str]) -> bool {
    let form = |word: &str| {
        ["--sort=", "--format=", "--points-at=", "--contains="].iter().any(|one| word.starts_with(one))
    };
    let filter = rest.iter().any(|word| filters.contains(word));
    rest.iter().all(|word| {
        plain.contains(word) || filters.contains(word) || form(word) || filter && !word.starts_with('-')
    })
}

/// Returns true if `git branch` only lists: git-branch(1). `-l` made a branch's reflog before git 2.20: it is
/// no filter.
fn lists_branches(rest: &[&str]) -> bool {
    const PLAIN: [&str; 9] =
        ["-a", "-r", "-v", "-vv", "--all", "--remotes", "--list", "--show-current", "--no-color"];
    const FILTERS: [&str; 6] =
        ["--list", "--merged", "--no-merged", "--contains", "--no-contains", "--points-at"];
    filtered(rest, &PLAIN, &FILTERS)
}

/// Returns true if `git tag` only lists: git-tag(1).
fn lists_tags(rest: &[&str]) -> bool {
    filtered(rest, &["-n"], &["-l", "--list", "--contains", "--points-at", "--merged", "--no-merged"])
}

/// Returns true for `git config --get NAME`, `git config NAME`, `git config --list`.
///
/// A second value would be written, and `--file` may name what is no configuration.
fn reads_configuration(rest: &[&str]) -> bool {
    const SCOPES: [&str; 4] = ["--global", "--local", "--system", "--worktree"];
    const LISTS: [&str; 3] = ["--list", "-l", "list"];
    const GETS: [&str; 4] = ["--get", "--get-all", "--get-regexp", "get"];
    const HOW: [&str; 6] = ["--show-origin", "--show-scope", "--name-only", "--bool", "--int", "--type=bool"];
    let words: Vec<&str> =
        rest.iter().copied().filter(|word| !SCOPES.contains(word) && !HOW.contains(word)).collect();
    let name = |word: &str| !word.starts_with('-') && word.contains('.');
    match words.as_slice() {
        [list] if LISTS.contains(list) => true,
        [get, key] if GETS.contains(get) => !key.starts_with('-'),
        [key] => name(key) && !rest.is_empty(),
        _ => false,
    }
}
