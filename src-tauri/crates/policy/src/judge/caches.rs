//! Caches that a request needs.

use crate::caches::every_cache;
use crate::facts::Facts;
use crate::risk::Weighed;
use postern_command::{Caches, CommandEffect, Step, caches_of};
use std::collections::BTreeSet;

/// Returns the names of the programs whose caches a request needs: those that it starts. A step that may start whatever a project
/// names, or that was not understood, needs every cache.
pub(super) fn needed_caches(facts: &Facts<'_>, weighed: &Weighed) -> Vec<String> {
    let mut names = BTreeSet::new();
    let clear = facts.reading.opaque.is_empty() && facts.reading.steps.len() == weighed.steps.len();
    let known = clear
        && facts.reading.steps.iter().zip(&weighed.steps).all(|(step, effects)| {
            let runs_code = effects.iter().any(|rated| {
                rated.effect.runs_code() || matches!(rated.effect, CommandEffect::Unknown { .. })
            });
            add_step(step, runs_code, &mut names)
        });
    if known { names.into_iter().map(str::to_owned).collect() } else { every_cache() }
}

/// Adds the programs of a step; returns false if it may start any program.
fn add_step(step: &Step, runs_code: bool, names: &mut BTreeSet<&'static str>) -> bool {
    let wrappers = step.via.iter().filter_map(|via| via.argv.first()?.value.as_deref());
    wrappers.filter_map(caches_of).for_each(|caches| add_with(caches, names));
    let Some(caches) = step.program().and_then(caches_of) else { return !runs_code && step.opaque.is_none() };
    add_with(caches, names);
    !caches.all && step.opaque.is_none()
}

fn add_with(caches: &'static Caches, names: &mut BTreeSet<&'static str>) {
    if names.insert(caches.name) {
        caches.with.iter().filter_map(|name| caches_of(name)).for_each(|other| add_with(other, names));
    }
}
