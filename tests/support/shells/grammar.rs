//! Command lines made from a grammar: what people, agents and attackers write, in every spelling of it.
//!
//! The words and forms are in `tests/fixtures/shell-grammar.json`. In a form, `@1` and `@2` stand for lists of commands;
//! `@1;` for one that is ended, whatever it ends with.

use proptest::prelude::*;
use proptest::sample::select;
use std::collections::HashMap;
use std::sync::OnceLock;

pub fn words(kind: &str) -> &'static [String] {
    static ALL: OnceLock<HashMap<String, Vec<String>>> = OnceLock::new();
    let text = include_str!("../../fixtures/shell-grammar.json");
    ALL.get_or_init(|| serde_json::from_str(text).expect("the grammar is JSON"))
        .get(kind)
        .unwrap_or_else(|| panic!("no {kind} in the grammar"))
}

fn one(kind: &str) -> impl Strategy<Value = String> + Clone + use<> {
    select(words(kind))
}

fn maybe<T: Clone + std::fmt::Debug + 'static>(
    often: u32,
    of: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Option<T>> {
    prop_oneof![often => Just(None), 1 => of.prop_map(Some)]
}

pub fn line() -> impl Strategy<Value = String> {
    let list = simple().prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            4 => chain(inner.clone()),
            3 => form("compound", inner.clone()),
            2 => form("zsh", inner.clone()),
            3 => inner_shell(inner.clone()),
            3 => form("substituted", inner.clone()),
            2 => form("documents", inner.clone()),
            1 => form("later", inner),
        ]
    });
    prop_oneof![4 => list, 1 => simple(), 2 => wrapped(), 1 => found(), 1 => carried()]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![6 => one("names"), 1 => one("spellings")]
}

/// Returns a simple command, with what may stand around it.
fn simple() -> impl Strategy<Value = String> {
    let arguments = proptest::collection::vec(one("words"), 0..4);
    let before = maybe(5, prop_oneof![one("assignments"), one("redirections")]);
    let after = maybe(4, one("redirections"));
    let ordinary = (before, name(), arguments, after).prop_map(|(before, name, words, after)| {
        before.into_iter().chain([name]).chain(words).chain(after).collect::<Vec<_>>().join(" ")
    });
    prop_oneof![9 => ordinary, 2 => one("builtins"), 1 => one("assignments")]
}

fn chain(inner: impl Strategy<Value = String> + Clone) -> impl Strategy<Value = String> {
    let rest = proptest::collection::vec((one("joints"), inner.clone()), 1..3);
    (any::<bool>(), inner, rest).prop_map(|(negated, first, rest)| {
        let first = if negated { format!("! {first}") } else { first };
        rest.into_iter().fold(first, |text, (joint, next)| {
            let joint = if text.ends_with('\n') { "" } else { joint.as_str() };
            text + joint + &next
        })
    })
}

fn form<S: Strategy<Value = String> + Clone>(kind: &str, inner: S) -> impl Strategy<Value = String> + use<S> {
    (one(kind), inner.clone(), inner).prop_map(|(form, first, second)| {
        let ended =
            |list: &str| if list.ends_with(['\n', '&']) { list.to_owned() } else { format!("{list};") };
        let filled = form.replace("@2;", &ended(&second)).replace("@1;", &ended(&first));
        filled.replace("@1", &first).replace("@2", &second)
    })
}

fn wrapped() -> impl Strategy<Value = String> {
    (one("wrappers"), simple()).prop_map(|(wrapper, command)| format!("{wrapper} {command}"))
}

/// Returns a list inside an inner shell.
fn inner_shell(inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (one("shells"), any::<bool>(), inner, one("ends")).prop_map(|(shell, single, list, end)| {
        if single {
            format!("{shell} '{}'{end}", list.replace('\'', "'\\''"))
        } else {
            format!("{shell} \"{}\"{end}", list.replace(['"', '\\', '`'], ""))
        }
    })
}

fn found() -> impl Strategy<Value = String> {
    let end = select(&["\\;", "{} +", "';'", "{} \\;"][..]);
    (one("finds"), name(), one("words"), end)
        .prop_map(|(find, name, word, end)| format!("{find} {name} {word} {end}"))
}

/// Returns an inner shell that runs what it is given as an argument.
fn carried() -> impl Strategy<Value = String> {
    (one("carriers"), name(), one("words")).prop_map(|(shell, name, word)| format!("{shell} {name} {word}"))
}
