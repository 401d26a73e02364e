//! Where a line's commands run: `cd` followed through lists, groups and loops.

use crate::Dir;

/// The directory at a point of the line; none where the point is never reached (after `exit`).
pub(super) type Where = Option<Dir>;

/// The directory after a command, by how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct After {
    pub(super) ok: Where,
    pub(super) failed: Where,
}

impl After {
    /// A command that leaves the directory alone.
    pub(super) fn same(dir: &Dir) -> Self {
        Self { ok: Some(dir.clone()), failed: Some(dir.clone()) }
    }

    /// After it, however it ended.
    pub(super) fn either(&self) -> Where {
        join(self.ok.clone(), self.failed.clone())
    }

    pub(super) fn swapped(self) -> Self {
        Self { ok: self.failed, failed: self.ok }
    }

    pub(super) fn joined(self, other: Self) -> Self {
        Self { ok: join(self.ok, other.ok), failed: join(self.failed, other.failed) }
    }
}

/// Where one of two ways leads: only known where both agree.
pub(super) fn join(one: Where, other: Where) -> Where {
    match (one, other) {
        (Some(one), Some(other)) => Some(if one == other { one } else { Dir::Unknown }),
        (one, None) => one,
        (None, other) => other,
    }
}

/// The directory that a point is in; a point that is never reached counts as unknown.
pub(super) fn at(place: Where) -> Dir {
    place.unwrap_or(Dir::Unknown)
}

/// The directory after `cd` with these arguments went well.
pub(crate) fn changed(from: &Dir, arguments: &[Option<&str>]) -> Dir {
    let operands: Vec<_> = arguments.iter().skip_while(|word| matches!(word, Some("--" | "-L"))).collect();
    let [Some(to)] = operands.as_slice() else { return Dir::Unknown };
    let root = !to.is_empty() && to.bytes().all(|byte| byte == b'/');
    let to = if root { "/" } else { to.trim_end_matches('/') };
    let steps_back = to.split('/').skip_while(|part| *part == "..").any(|part| part == "..");
    if to.starts_with('-') || to.is_empty() || steps_back {
        return Dir::Unknown;
    }
    if to.starts_with('/') {
        return Dir::Under(to.to_owned());
    }
    match from {
        Dir::Same => Dir::Under(to.to_owned()),
        Dir::Under(_) if to.starts_with("..") => Dir::Unknown,
        Dir::Under(base) => Dir::Under(format!("{base}/{to}")),
        Dir::Unknown => Dir::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::changed;
    use crate::Dir;

    #[test]
    fn cd_is_followed_where_it_is_literal() {
        let under = |path: &str| Dir::Under(path.to_owned());
        assert_eq!(changed(&Dir::Same, &[Some("src")]), under("src"));
        assert_eq!(changed(&under("src"), &[Some("bin/")]), under("src/bin"));
        assert_eq!(changed(&Dir::Unknown, &[Some("--"), Some("/tmp")]), under("/tmp"));
        assert_eq!(changed(&Dir::Same, &[Some("..")]), under(".."));
        for unclear in [&[None][..], &[], &[Some("-")], &[Some("a/../b")], &[Some("a"), Some("b")]] {
            assert_eq!(changed(&Dir::Same, unclear), Dir::Unknown, "{unclear:?}");
        }
        assert_eq!(
            changed(&under("link"), &[Some("..")]),
            Dir::Unknown,
            "`cd link/..` goes back over the link"
        );
    }
}
