//! An agent's settings as a person types them, and what a change made of them.

use postern_contract::{AgentRow, SETTING_KEYS, plain_key};
use postern_policy::{Class, Settings};
use serde_json::Value;
use std::time::Duration;

/// Returns the list of settings for the help of `agents set`.
pub(crate) fn settings_help() -> String {
    let wide = SETTING_KEYS.iter().map(|key| key.name.len()).max().unwrap_or_default();
    let lines = SETTING_KEYS.iter().flat_map(|key| {
        let about = wrapped(&format!("{} ({})", key.about, key.values), WIDTH - wide - 4);
        let names = std::iter::once(key.name).chain(std::iter::repeat(""));
        let line = |(name, about): (&str, String)| format!("  {name:<wide$}  {about}");
        names.zip(about).map(line).collect::<Vec<_>>()
    });
    format!("Keys:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// Assumed number of columns of a terminal.
const WIDTH: usize = 80;

/// Breaks a text at its spaces into lines of at most this many characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Returns every setting with its value as it is typed, in the order of the help.
pub(crate) fn setting_values(settings: &Settings) -> Vec<(&'static str, String)> {
    let time =
        |millis: u64| humantime::format_duration(Duration::from_millis(millis)).to_string().replace(' ', "");
    let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
    let list = |all: &[String], between: &str| {
        if all.is_empty() { "none".to_owned() } else { all.join(between) }
    };
    let mut all = vec![
        ("security", choice_word(&settings.security)),
        ("ask", choice_word(&settings.ask)),
        ("elevated", switch(settings.elevated)),
        ("fallback", choice_word(&settings.fallback)),
        ("approval-timeout", time(settings.approval_timeout_ms)),
        ("unattended", choice_word(&settings.unattended)),
        ("run-timeout", time(settings.run_timeout_ms)),
        ("run-timeout-cap", settings.run_timeout_cap_ms.map_or_else(|| "none".to_owned(), time)),
        ("allow-skills", switch(settings.allow_skills)),
    ];
    all.extend(Class::ALL.map(|class| (class.name(), choice_word(&settings.access(class)))));
    all.extend([
        ("loopback", switch(settings.loopback)),
        ("unreadable", choice_word(&settings.unreadable)),
        ("env-set", list(&settings.env_set, ",")),
        ("env-pass", list(&settings.env_pass, ",")),
        ("folders", list(&settings.folders, ",")),
        ("search-path", list(&settings.search_path, ":")),
        ("output-cap", format_bytes(settings.output_cap_bytes)),
        ("questions-per-minute", settings.questions_per_minute.to_string()),
        ("requests-per-second", settings.requests_per_second.to_string()),
        ("max-running", settings.max_running.to_string()),
    ]);
    all
}

/// Returns the changes of an agent: key, value before, value after.
pub(crate) fn changed(before: &AgentRow, after: &AgentRow) -> Vec<(&'static str, String, String)> {
    let all = |agent: &AgentRow| {
        let uids: Vec<String> = agent.uids.iter().map(ToString::to_string).collect();
        let until = agent.denied_until.map_or_else(|| "none".to_owned(), crate::print::format_time);
        let mut all = setting_values(&agent.settings);
        all.extend([
            ("name", agent.name.clone()),
            ("color", agent.color.clone()),
            ("icon", agent.icon.name().to_owned()),
            ("uids", if uids.is_empty() { "none".to_owned() } else { uids.join(",") }),
            ("denied-until", until),
        ]);
        all
    };
    let pairs = all(before).into_iter().zip(all(after));
    pairs.filter(|(was, is)| was.1 != is.1).map(|(was, is)| (was.0, was.1, is.1)).collect()
}

/// Returns true if an organization decides a setting, whose locks are named as in a file.
pub(crate) fn is_locked(agent: &AgentRow, key: &str) -> bool {
    agent.locked.iter().any(|locked| plain_key(locked) == key)
}

/// Returns a choice in the word that it is set by.
fn choice_word(choice: &impl serde::Serialize) -> String {
    match serde_json::to_value(choice) {
        Ok(Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

fn format_bytes(bytes: u64) -> String {
    match bytes {
        _ if bytes != 0 && bytes.is_multiple_of(1024 * 1024) => format!("{}MiB", bytes / (1024 * 1024)),
        _ if bytes != 0 && bytes.is_multiple_of(1024) => format!("{}KiB", bytes / 1024),
        _ => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{setting_values, settings_help};
    use postern_contract::SETTING_KEYS;
    use postern_policy::Settings;

    #[test]
    fn what_is_shown_is_what_can_be_typed() {
        let shown = setting_values(&Settings::default());
        let fields = serde_json::to_value(Settings::default()).unwrap().as_object().unwrap().len();
        assert_eq!(shown.len(), fields, "every setting is shown");
        for (name, _) in &shown {
            assert!(SETTING_KEYS.iter().any(|key| key.name == *name), "{name} can be set");
        }
        let value = |name: &str| shown.iter().find(|(key, _)| *key == name).unwrap().1.clone();
        assert_eq!(value("approval-timeout"), "2m");
        assert_eq!(value("output-cap"), "1MiB");
        assert_eq!(value("folders"), "none");
    }

    #[test]
    fn the_help_names_each_key_with_its_values() {
        let help = settings_help();
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for key in SETTING_KEYS {
            assert!(help.contains(&format!("\n  {} ", key.name)), "{} is not in {help}", key.name);
            let said = format!("{} ({})", key.about, key.values);
            assert!(words.contains(&said), "{said} is not in {help}");
        }
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }
}
