//! An agent's settings as a person types them, and what a change made of them.

use crate::print::wrap;
use postern_contract::{AgentRow, SETTING_KEYS, plain_key, setting_values};

/// Returns the list of settings for the help of `agents set`.
pub(crate) fn settings_help() -> String {
    let wide = SETTING_KEYS.iter().map(|key| key.name.len()).max().unwrap_or_default();
    let lines = SETTING_KEYS.iter().flat_map(|key| {
        let about = wrap(&format!("{} ({})", key.about, key.values), WIDTH - wide - 4, 0);
        let names = std::iter::once(key.name).chain(std::iter::repeat(""));
        let line = |(name, about): (&str, String)| format!("  {name:<wide$}  {about}");
        names.zip(about).map(line).collect::<Vec<_>>()
    });
    format!("Keys:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// Assumed number of columns of a terminal.
const WIDTH: usize = 80;

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

#[cfg(test)]
mod tests {
    use super::settings_help;
    use postern_contract::SETTING_KEYS;

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
