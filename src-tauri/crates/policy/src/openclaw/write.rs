//! Settings and rules as a document of OpenClaw's.

use crate::arguments::bound_hash;
use crate::exec_approval::check_allows_always;
use crate::rule::{Pattern, Rule};
use crate::settings::Settings;
use serde_json::{Value, json};

/// Returns the document for one agent, and the rules that it has no words for, with the reason.
pub fn document(agent: &str, settings: &Settings, rules: &[Rule]) -> (Value, Vec<(Rule, &'static str)>) {
    let (mut allowlist, mut left_out): (Vec<Value>, Vec<_>) = (Vec::new(), Vec::new());
    for rule in rules {
        match write_entry(rule) {
            Ok(entry) if allowlist.contains(&entry) => {}
            Ok(entry) => allowlist.push(entry),
            Err(why) => left_out.push((rule.clone(), why)),
        }
    }
    let said = json!({
        "security": settings.security,
        "ask": settings.ask,
        "askFallback": settings.fallback,
        "autoAllowSkills": settings.allow_skills,
        "allowlist": allowlist,
    });
    (json!({ "version": 1, "defaults": {}, "agents": { agent: said } }), left_out)
}

fn write_entry(rule: &Rule) -> Result<Value, &'static str> {
    check_allows_always(rule)?;
    if rule.allow_writes || rule.limits.is_some() {
        return Err("what it may write, or the effects that it is for, cannot be said there");
    }
    let hash = rule.args.as_deref().filter(|args| bound_hash(args).is_some()).and_then(|args| args.first());
    let (pattern, arguments) = match &rule.pattern {
        Pattern::Path(path) if path.contains(['[', ']', '{', '}', '\\']) => {
            return Err("a glob with classes or alternatives cannot be said there");
        }
        Pattern::Path(path) if hash.is_some() => return Ok(json!({ "pattern": path, "argPattern": hash })),
        Pattern::Path(path) => (path.clone(), rule.args.clone().map(|words| split_rest(words, &["**"]))),
        Pattern::Command(_) if rule.args.is_some() => {
            return Err("words and arguments beside them cannot be said there");
        }
        Pattern::Command(text) => {
            let words = postern_command::words_of(text).unwrap_or_default();
            let (program, words) = words.split_first().ok_or("it is empty")?;
            (program.clone(), Some(split_rest(words.to_vec(), &["*", "**"])))
        }
        Pattern::Exact(argv) => {
            let (program, words) = argv.split_first().ok_or("it is empty")?;
            if program.contains(['*', '?', '[', ']', '{', '}', '\\']) {
                return Err("its program is a glob there");
            }
            return entry_value(program, Some((words, false)));
        }
        Pattern::Identity(_) => return Err("a program by its identity cannot be said there"),
        Pattern::Read(_) | Pattern::Write(_) => {
            return Err("files that no program may touch cannot be said there");
        }
    };
    if arguments.iter().flat_map(|(words, _)| words).any(|word| word.contains(['*', '?'])) {
        return Err("a star in its arguments would stand for several of them there");
    }
    entry_value(&pattern, arguments.as_ref().map(|(words, more)| (words.as_slice(), *more)))
}

/// Returns the words, and whether any further may follow.
fn split_rest(mut words: Vec<String>, rest: &[&str]) -> (Vec<String>, bool) {
    let more = words.pop_if(|last| rest.contains(&last.as_str())).is_some();
    (words, more)
}

/// Returns the entry. Of the arguments: the words, and whether any further may follow.
fn entry_value(program: &str, arguments: Option<(&[String], bool)>) -> Result<Value, &'static str> {
    let Some((words, more)) = arguments.filter(|(words, more)| !(words.is_empty() && *more)) else {
        return Ok(json!({ "pattern": program }));
    };
    if words.iter().any(|word| word.is_empty() || word.contains([' ', '\n'])) {
        return Err("a blank in an argument looks the same as one between two there");
    }
    let words: Vec<String> = words.iter().map(|word| escaped(word)).collect();
    let more = if more { "( .*)?" } else { "" };
    Ok(json!({ "pattern": program, "argPattern": format!("^{}{more}$", words.join(" ")) }))
}

/// Returns a word as an expression that means itself.
fn escaped(word: &str) -> String {
    let mut text = String::new();
    for letter in word.chars() {
        if r"\^$.|?*+()[]{}/".contains(letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}
