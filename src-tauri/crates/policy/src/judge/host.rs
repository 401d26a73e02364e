//! Tool policy for host commands (source 1): may a session use `system.run` at all?
//!
//! `system.run` and `shell_exec` are two names for running commands: entries for either count. What is said about single
//! commands is compared with each step later; here only what is said about all of them counts.

use crate::agent::AgentPolicy;
use crate::permissions::{FileLayer, PermissionEntry};
use crate::rule::Effect;
use crate::subject::{HOST_TOOL, SHELL_TOOL};

/// Answer of a session's layers about host commands as such.
#[derive(Debug, Clone, Copy)]
pub(super) enum HostUse<'a> {
    /// Nothing against them.
    Open,
    /// Every one is asked about.
    Asked(&'a PermissionEntry),
    /// Denied by the agent's file or its session.
    Denied(&'a PermissionEntry),
    /// Denied by a subagent's layer: nothing overrides it.
    Vetoed(&'a PermissionEntry),
}

/// Returns the answer of an agent's layers about host commands in a session.
pub(super) fn host_use<'a>(policy: &'a AgentPolicy, session: Option<&str>) -> HostUse<'a> {
    let session = policy.session(session);
    let parents: &[FileLayer] = session.map(|layers| layers.parents.as_slice()).unwrap_or_default();
    if let Some(entry) = parents.iter().find_map(|parent| closed(&[parent])) {
        return HostUse::Vetoed(entry);
    }
    let runtime = session.map(|layers| &layers.runtime);
    let all: Vec<&FileLayer> = parents.iter().chain(policy.file.as_ref()).chain(runtime).collect();
    if let Some(entry) = closed(&all) {
        return HostUse::Denied(entry);
    }
    let last = backwards(&all).find(|entry| entry.is_for(HOST_TOOL) && entry.is_catch_all());
    match last.filter(|entry| entry.effect == Effect::Ask && !entry.is_for(SHELL_TOOL)) {
        Some(entry) => HostUse::Asked(entry),
        None => HostUse::Open,
    }
}

/// Returns the entry that denies every use of an agent's own shell, where nothing behind it lets one through,
/// and whether nothing overrides it.
pub(super) fn closed_shell<'a>(
    policy: &'a AgentPolicy,
    session: Option<&str>,
) -> Option<(&'a PermissionEntry, bool)> {
    let layers = policy.layers(session);
    let of_shell = |layers: &[&'a FileLayer]| last_word(layers, |entry| entry.is_for(SHELL_TOOL));
    let veto = layers.parents.iter().find_map(|parent| of_shell(&[*parent]));
    veto.map(|entry| (entry, true)).or_else(|| of_shell(&layers.all).map(|entry| (entry, false)))
}

/// Returns the entry that lets every use of an agent's own shell through: nothing but `*` speaks about it,
/// and the last such line allows.
pub(super) fn open_shell<'a>(policy: &'a AgentPolicy, session: Option<&str>) -> Option<&'a PermissionEntry> {
    let layers = policy.layers(session);
    if !layers.leave_out_shell() {
        return None;
    }
    let denied = layers.parents.iter().any(|parent| {
        parent.entries().iter().rev().find(|entry| entry.is_for(SHELL_TOOL)).is_some_and(denies)
    });
    let last = backwards(&layers.all).find(|entry| entry.is_for(SHELL_TOOL))?;
    (last.effect == Effect::Allow && !denied).then_some(last)
}

fn denies(entry: &PermissionEntry) -> bool {
    entry.effect == Effect::Deny
}

/// Returns the entry that denies every host command, where nothing behind it lets one through.
fn closed<'a>(layers: &[&'a FileLayer]) -> Option<&'a PermissionEntry> {
    let of_host =
        last_word(layers, |entry| entry.is_for(HOST_TOOL)).filter(|entry| !entry.is_for(SHELL_TOOL));
    of_host.or_else(|| last_word(layers, PermissionEntry::is_about_commands))
}

/// Returns the last entry about all commands, if it denies and all behind it deny too.
fn last_word<'a>(
    layers: &[&'a FileLayer],
    is_about: impl Fn(&PermissionEntry) -> bool,
) -> Option<&'a PermissionEntry> {
    let first_that_counts = |entry: &&PermissionEntry| entry.is_catch_all() || entry.effect != Effect::Deny;
    let entry = backwards(layers).filter(|entry| is_about(entry)).find(first_that_counts)?;
    (entry.effect == Effect::Deny).then_some(entry)
}

fn backwards<'a>(layers: &[&'a FileLayer]) -> impl Iterator<Item = &'a PermissionEntry> {
    layers.iter().rev().flat_map(|layer| layer.entries().iter().rev())
}
