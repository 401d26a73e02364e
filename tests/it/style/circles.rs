//! Circles of imports: modules beside each other that use each other, directly or over others.
//!
//! A module and its parent are no circle, and what a parent passes on counts as its child's. Those that there are still
//! stand in a list, which may only become shorter.

use super::uses::{Crate, Module};
use super::{list, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Uses between the children of a module, by name.
type Level = BTreeMap<String, BTreeSet<String>>;

/// Returns the crates with their circles: the parent, then the modules of each.
fn circles() -> BTreeMap<String, BTreeSet<String>> {
    let sources = sources();
    let mut rooms: BTreeMap<&str, Vec<(&str, &super::Source)>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.path.starts_with("src-tauri/")) {
        if let Some((_, inside)) = source.path.split_once("/src/") {
            rooms.entry(source.room()).or_default().push((inside, source));
        }
    }
    assert!(rooms.len() > 12, "crates: {:?}", rooms.keys());
    let found =
        rooms.into_iter().flat_map(|(room, sources)| of_crate(room, &Crate::new(sources.into_iter())));
    found.collect()
}

fn of_crate(room: &str, modules: &Crate) -> Vec<(String, BTreeSet<String>)> {
    let mut levels: BTreeMap<Module, Level> = BTreeMap::new();
    for (module, used) in modules.uses() {
        for other in &used {
            let shared = module.iter().zip(other).take_while(|(one, other)| one == other).count();
            if let (Some(here), Some(there)) = (module.get(shared), other.get(shared)) {
                let level = levels.entry(module[..shared].to_vec()).or_default();
                level.entry(here.clone()).or_default().insert(there.clone());
            }
        }
    }
    let mut found = Vec::new();
    for (parent, level) in levels {
        let mut seen = BTreeSet::new();
        for name in level.keys() {
            let circle = circle(&level, name);
            if !circle.is_empty() && seen.insert(circle.clone()) {
                let first = circle.first().cloned().unwrap_or_default();
                found.push((
                    format!("{}::{first}", [&[room.to_owned()], parent.as_slice()].concat().join("::")),
                    circle,
                ));
            }
        }
    }
    found
}

/// Returns the modules that a module reaches and that reach it.
fn circle(level: &Level, name: &str) -> BTreeSet<String> {
    let reached = reached(level, name);
    if !reached.contains(name) {
        return BTreeSet::new();
    }
    reached.into_iter().filter(|other| self::reached(level, other).contains(name)).collect()
}

fn reached(level: &Level, name: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(next) = open.pop() {
        for used in level.get(&next).into_iter().flatten() {
            if seen.insert(used.clone()) {
                open.push(used.clone());
            }
        }
    }
    seen
}

fn shown(circles: &BTreeMap<String, BTreeSet<String>>) -> String {
    let lines = circles.iter().map(|(first, circle)| {
        let parent = first.rsplit_once("::").map_or("", |(parent, _)| parent);
        format!("{parent}: {}\n", circle.iter().cloned().collect::<Vec<_>>().join(" "))
    });
    lines.collect()
}

pub(super) fn write() {
    fs::write(list("circles.txt"), shown(&circles())).unwrap();
}

#[test]
fn modules_beside_each_other_do_not_use_each_other_in_circles() {
    let text = fs::read_to_string(list("circles.txt")).unwrap();
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in text.lines() {
        let (parent, names) = line.split_once(": ").unwrap();
        known.entry(parent).or_default().extend(names.split(' '));
    }
    for (first, circle) in circles() {
        let parent = first.rsplit_once("::").map_or("", |(parent, _)| parent);
        let known = known.get(parent).cloned().unwrap_or_default();
        let new: Vec<&String> = circle.iter().filter(|name| !known.contains(name.as_str())).collect();
        assert!(
            new.is_empty(),
            "{parent}: {new:?} now use each other in a circle: {circle:?}. Move what both need into a module of its own."
        );
    }
}
