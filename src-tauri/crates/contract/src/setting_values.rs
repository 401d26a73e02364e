//! Values of an agent's settings as a person types them.

use postern_policy::{Class, Settings};

/// Units of a time, in milliseconds, from the longest.
const UNITS: [(u64, &str); 5] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms")];

/// Returns every setting with its value as it is typed, in the order of the help.
pub fn setting_values(settings: &Settings) -> Vec<(&'static str, String)> {
    let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
    let list = |all: &[String], between: &str| {
        if all.is_empty() { "none".to_owned() } else { all.join(between) }
    };
    let mut all = vec![
        ("security", settings.security.name().to_owned()),
        ("ask", settings.ask.name().to_owned()),
        ("elevated", switch(settings.elevated)),
        ("fallback", settings.fallback.name().to_owned()),
        ("approval-timeout", format_millis(settings.approval_timeout_ms)),
        ("unattended", settings.unattended.name().to_owned()),
        ("run-timeout", format_millis(settings.run_timeout_ms)),
        ("run-timeout-cap", settings.run_timeout_cap_ms.map_or_else(|| "none".to_owned(), format_millis)),
        ("allow-skills", switch(settings.allow_skills)),
    ];
    all.extend(Class::ALL.map(|class| (class.name(), settings.access(class).name().to_owned())));
    all.extend([
        ("loopback", switch(settings.loopback)),
        ("unreadable", settings.unreadable.name().to_owned()),
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

/// Returns a time as it is typed: `2m30s`.
pub fn format_millis(millis: u64) -> String {
    let mut rest = millis;
    let part = |(unit, name): (u64, &str)| {
        let number = rest / unit;
        rest %= unit;
        if number == 0 { String::new() } else { format!("{number}{name}") }
    };
    let text: String = UNITS.into_iter().map(part).collect();
    if text.is_empty() { "0s".to_owned() } else { text }
}

/// Returns a size as it is typed: `64KiB`.
pub fn format_bytes(bytes: u64) -> String {
    match bytes {
        _ if bytes != 0 && bytes.is_multiple_of(1024 * 1024) => format!("{}MiB", bytes / (1024 * 1024)),
        _ if bytes != 0 && bytes.is_multiple_of(1024) => format!("{}KiB", bytes / 1024),
        _ => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{format_millis, setting_values};
    use crate::SETTING_KEYS;
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
    fn a_time_is_written_in_its_units_and_reads_back_as_it_was() {
        for (millis, text) in [(0, "0s"), (90_000, "1m30s"), (250, "250ms"), (7 * 86_400_000, "7d")] {
            assert_eq!(format_millis(millis), text);
            assert_eq!(humantime::parse_duration(text).unwrap().as_millis(), u128::from(millis));
        }
    }
}
