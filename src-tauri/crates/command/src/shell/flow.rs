//! Folder of each command of a line: `cd` followed through lists, groups and loops.

use crate::Dir;

/// Folders that a point of the line may be in before it counts as unknown.
const MOST: usize = 4;

/// The directory at a point of the line; `None` if the point is never reached (after `exit`).
pub(super) type Where = Option<Dir>;

/// The directory after a command, by how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct After {
    pub(super) ok: Where,
    pub(super) failed: Where,
}

impl After {
    /// Returns a command that leaves the directory alone.
    pub(super) fn same_folder(dir: &Dir) -> Self {
        Self { ok: Some(dir.clone()), failed: Some(dir.clone()) }
    }

    /// Returns the folder after it, however it ended.
    pub(super) fn either(&self) -> Where {
        if self.ok == self.failed {
            return self.ok.clone();
        }
        join_folders(self.ok.clone(), self.failed.clone())
    }

    pub(super) fn swapped(self) -> Self {
        Self { ok: self.failed, failed: self.ok }
    }

    pub(super) fn joined(self, other: Self) -> Self {
        Self { ok: join_folders(self.ok, other.ok), failed: join_folders(self.failed, other.failed) }
    }
}

/// Joins the folders of two ways.
pub(super) fn join_folders(one: Where, other: Where) -> Where {
    match (one, other) {
        (Some(one), Some(other)) => Some(if one == other { one } else { either(&one, &other) }),
        (one, None) => one,
        (None, other) => other,
    }
}

fn either(one: &Dir, other: &Dir) -> Dir {
    let (Some(mut all), Some(more)) = (folder_names(one), folder_names(other)) else { return Dir::Unknown };
    for name in more {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    one_of(all)
}

fn one_of(mut all: Vec<String>) -> Dir {
    all.sort();
    all.dedup();
    match all.len() {
        0 => Dir::Unknown,
        1 if all[0] == "." => Dir::Same,
        1 => Dir::Under(all.remove(0)),
        _ if all.len() > MOST => Dir::Unknown,
        _ => Dir::OneOf(all),
    }
}

fn folder_names(dir: &Dir) -> Option<Vec<String>> {
    match dir {
        Dir::Same => Some(vec![".".to_owned()]),
        Dir::Under(path) => Some(vec![path.clone()]),
        Dir::OneOf(all) => Some(all.clone()),
        Dir::Unknown => None,
    }
}

/// Returns the directory that a point is in; a point that is never reached counts as unknown.
pub(super) fn folder_at(place: Where) -> Dir {
    place.unwrap_or(Dir::Unknown)
}

/// Returns the directory after `cd` with these arguments went well.
pub(crate) fn changed(from: &Dir, arguments: &[Option<&str>]) -> Dir {
    let operands: Vec<_> = arguments.iter().skip_while(|word| matches!(word, Some("--" | "-L"))).collect();
    let [Some(to)] = operands.as_slice() else { return Dir::Unknown };
    let root = !to.is_empty() && to.bytes().all(|byte| byte == b'/');
    let to = if root { "/" } else { to.trim_end_matches('/') };
    let to = to.strip_prefix("./").unwrap_or(to);
    let steps_back = to.split('/').skip_while(|part| *part == "..").any(|part| part == "..");
    if to.starts_with('-') || to.is_empty() || steps_back {
        return Dir::Unknown;
    }
    if to.starts_with('/') {
        return Dir::Under(to.to_owned());
    }
    if to == "." {
        return from.clone();
    }
    match from {
        Dir::Same => Dir::Under(to.to_owned()),
        Dir::OneOf(all) => {
            let each: Option<Vec<_>> = all.iter().map(|base| append_path(base, to)).collect();
            each.map_or(Dir::Unknown, |each| one_of(each.concat()))
        }
        Dir::Under(base) => append_path(base, to).map_or(Dir::Unknown, one_of),
        Dir::Unknown => Dir::Unknown,
    }
}

/// Returns the folder that a path leads to from another one, and that one too if the path goes back over it.
///
/// The shell takes names off the path that it came by. Only if a folder on it is gone by then does it go another way, so that
/// folder counts, too.
fn append_path(base: &str, to: &str) -> Option<Vec<String>> {
    let climbs = to.split('/').take_while(|part| *part == "..").count();
    if base == "." {
        return (climbs == 0).then(|| vec![to.to_owned()]);
    }
    let mut left = base;
    for _ in 0..climbs {
        let (above, name) = left.rsplit_once('/').unwrap_or((".", left));
        if matches!(name, "" | "." | "..") {
            return None;
        }
        left = above;
    }
    let there = match (left, to.splitn(climbs + 1, '/').nth(climbs).unwrap_or_default()) {
        ("." | "/", "") => left.to_owned(),
        (".", below) => below.to_owned(),
        ("" | "/", below) => format!("/{below}"),
        (left, "") => left.to_owned(),
        (left, below) => format!("{left}/{below}"),
    };
    let passed = (climbs > 0).then(|| base.to_owned());
    Some(std::iter::once(there).chain(passed).collect())
}

#[cfg(test)]
mod tests {
    use super::{After, changed, join_folders};
    use crate::Dir;

    fn under(path: &str) -> Dir {
        Dir::Under(path.to_owned())
    }

    #[test]
    fn cd_is_followed_where_it_is_literal() {
        assert_eq!(changed(&Dir::Same, &[Some("src")]), under("src"));
        assert_eq!(changed(&Dir::Same, &[Some("./src")]), under("src"));
        assert_eq!(changed(&under("src"), &[Some("bin/")]), under("src/bin"));
        assert_eq!(changed(&under("/"), &[Some("bin")]), under("/bin"));
        assert_eq!(changed(&under("src"), &[Some(".")]), under("src"));
        assert_eq!(changed(&Dir::Unknown, &[Some("--"), Some("/tmp")]), under("/tmp"));
        assert_eq!(changed(&Dir::Same, &[Some("..")]), under(".."));
        for unclear in [&[None][..], &[], &[Some("-")], &[Some("a/../b")], &[Some("a"), Some("b")]] {
            assert_eq!(changed(&Dir::Same, unclear), Dir::Unknown, "{unclear:?}");
        }
    }

    #[test]
    fn cd_back_names_the_folder_that_it_went_back_over() {
        let from = |path: &str, to: &str| changed(&under(path), &[Some(to)]);
        let either = |paths: &[&str]| Dir::OneOf(paths.iter().map(|path| (*path).to_owned()).collect());
        assert_eq!(from("sub", ".."), either(&[".", "sub"]));
        assert_eq!(from("packages/ui", "../"), either(&["packages", "packages/ui"]));
        assert_eq!(from("packages/ui", "../.."), either(&[".", "packages/ui"]));
        assert_eq!(from("a", "../b"), either(&["a", "b"]));
        assert_eq!(from("/opt/x", ".."), either(&["/opt", "/opt/x"]));
        assert_eq!(from("/opt/x", "../.."), either(&["/", "/opt/x"]));
        assert_eq!(from("/opt/x", "../../b"), either(&["/b", "/opt/x"]));
        assert_eq!(from("../x", ".."), either(&["..", "../x"]));
        for (path, to) in
            [("sub", "../.."), ("/", ".."), ("..", ".."), ("a/.", ".."), ("a//b", "../.."), ("a", "..x/..")]
        {
            assert_eq!(from(path, to), Dir::Unknown, "{path} {to}");
        }
        let back = changed(&either(&["b", "a/b"]), &[Some("..")]);
        assert_eq!(back, either(&[".", "a", "a/b", "b"]));
        assert_eq!(changed(&either(&[".", "a"]), &[Some("..")]), Dir::Unknown, "above the request's folder");
    }

    #[test]
    fn a_cd_that_may_have_failed_leaves_a_few_places() {
        let two = join_folders(Some(under("src")), Some(Dir::Same)).unwrap();
        assert_eq!(two, Dir::OneOf(vec![".".to_owned(), "src".to_owned()]));
        assert_eq!(changed(&two, &[Some("bin")]), Dir::OneOf(vec!["bin".to_owned(), "src/bin".to_owned()]));
        assert_eq!(changed(&two, &[Some("/tmp")]), under("/tmp"));
        assert_eq!(changed(&two, &[Some("..")]), Dir::Unknown);
        assert_eq!(join_folders(Some(two.clone()), Some(Dir::Unknown)), Some(Dir::Unknown));
        assert_eq!(
            join_folders(Some(two), None).unwrap(),
            Dir::OneOf(vec![".".to_owned(), "src".to_owned()])
        );
        let mut place = Dir::Same;
        for name in ["a", "b", "c", "d"] {
            let after = After { ok: Some(changed(&place, &[Some(name)])), failed: Some(place) };
            place = after.either().unwrap();
        }
        assert_eq!(place, Dir::Unknown, "too many to name");
    }
}
