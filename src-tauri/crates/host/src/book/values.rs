//! Settings as a person types them: `ask=always`, `approval-timeout=2m`, `folders=~/Projects,/tmp`.

use postern_contract::{SETTING_KEYS, format_bytes, format_millis};
use postern_policy::environment::{VariableClass, class_of, may_pass, may_set};
use postern_policy::{Access, Ask, Class, Fallback, Preset, Security, Settings};
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Approval timeouts, in milliseconds (decision.md, *Settings of an agent*): 10 s to 30 min.
const APPROVAL_TIMEOUT: RangeInclusive<u64> = 10_000..=1_800_000;
/// Run timeouts, in milliseconds: a tenth of a second to a week.
const RUN_TIMEOUT: RangeInclusive<u64> = 100..=7 * 24 * 3_600_000;
/// Output kept per stream, in bytes.
const OUTPUT_CAP: RangeInclusive<u64> = 1024..=64 * 1024 * 1024;
/// Questions a minute.
const QUESTIONS: RangeInclusive<u32> = 1..=600;
/// Requests a second.
const REQUESTS: RangeInclusive<u32> = 1..=10_000;
/// Runs at the same time.
const RUNNING: RangeInclusive<u32> = 1..=256;
const LONGEST_LIST: usize = 100;

/// Returns every key that can be set, as `postern agents set` names them.
fn setting_key_names() -> String {
    SETTING_KEYS.map(|key| key.name).join(", ")
}

/// A value that cannot be set, with what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ValueError {
    #[error("{key:?} is no setting; these are: {}", setting_key_names())]
    UnknownKey { key: String },
    #[error("{key} is {expected}, not {value:?}")]
    BadValue { key: String, value: String, expected: Cow<'static, str> },
    #[error("{key} is between {least} and {most}")]
    OutOfRange { key: &'static str, least: String, most: String },
    #[error(
        "run-timeout {wanted} is more than run-timeout-cap {cap}, so it would have no effect: set both \
         (run-timeout={wanted} run-timeout-cap={wanted}), or a run-timeout of {cap} at most"
    )]
    OverCap { wanted: String, cap: String },
    #[error("{key}: {entry:?} is {problem}")]
    BadEntry { key: &'static str, entry: String, problem: &'static str },
    #[error(
        "{class}=allow holds in the agent's folders: name them, too (folders=~/Projects/site), or set {class}=ask"
    )]
    NeedsFolders { class: &'static str },
    #[error("fallback=full runs what nobody answered: add --yes if that is meant, or set allowlist or deny")]
    UnconfirmedFallback,
    #[error(
        "{} runs everything that no rule denies: add --yes if that is meant, or set preset=ask",
        everything(.ask)
    )]
    UnconfirmedEverything { ask: &'static str },
}

/// Names the settings that allow everything as they can be typed.
fn everything(ask: &str) -> String {
    let preset = if ask == "off" { " (preset=allow)" } else { "" };
    format!("security=full with ask={ask}{preset}")
}

/// Returns the reason why settings that a person typed need a confirmation, if they do. A setting that was so
/// before does not.
pub(crate) fn unconfirmed(before: &Settings, after: &Settings) -> Option<ValueError> {
    let everything = |settings: &Settings| settings.security == Security::Full && settings.ask != Ask::Always;
    if after.fallback == Fallback::Full && before.fallback != Fallback::Full {
        return Some(ValueError::UnconfirmedFallback);
    }
    let ask = if after.ask == Ask::Off { "off" } else { "on-miss" };
    (everything(after) && !everything(before)).then_some(ValueError::UnconfirmedEverything { ask })
}

/// Sets one value. The key is in [`postern_contract::plain_key`]'s spelling.
pub(crate) fn set_value(settings: &mut Settings, key: &str, value: &str) -> Result<(), ValueError> {
    match key {
        "preset" => settings.apply_preset(choice::<Preset>(key, value, "deny, ask or allow")?),
        "security" => settings.security = choice(key, value, "deny, allowlist or full")?,
        "ask" => settings.ask = choice(key, value, "off, on-miss or always")?,
        "fallback" => settings.fallback = choice(key, value, "deny, allowlist or full")?,
        "unreadable" => settings.unreadable = choice(key, value, "ask or send-back")?,
        "unattended" => settings.unattended = choice(key, value, "deny or wait")?,
        "approval-timeout" => settings.approval_timeout_ms = duration(key, value)?,
        "run-timeout" => settings.run_timeout_ms = duration(key, value)?,
        "run-timeout-cap" if matches!(value, "none" | "off") => settings.run_timeout_cap_ms = None,
        "run-timeout-cap" => settings.run_timeout_cap_ms = Some(duration(key, value)?),
        "allow-skills" => settings.allow_skills = switch(key, value)?,
        "elevated" => settings.elevated = switch(key, value)?,
        "loopback" => settings.loopback = switch(key, value)?,
        "env-set" => settings.env_set = split_list(value),
        "env-pass" => settings.env_pass = split_list(value),
        "folders" => settings.folders = split_list(value),
        "search-path" => settings.search_path = split_list(&value.replace(':', ",")),
        "output-cap" => settings.output_cap_bytes = parse_bytes(key, value)?,
        "questions-per-minute" => settings.questions_per_minute = number(key, value)?,
        "requests-per-second" => settings.requests_per_second = number(key, value)?,
        "max-running" => settings.max_running = number(key, value)?,
        _ => match Class::from_name(key) {
            Some(class) => settings.set_access(class, choice(key, value, "allow, ask or deny")?),
            None => return Err(ValueError::UnknownKey { key: key.to_owned() }),
        },
    }
    Ok(())
}

/// Returns whether settings are within their limits, however they were set.
pub(crate) fn check_settings(settings: &Settings) -> Result<(), ValueError> {
    let times = |ms: &u64| format_millis(*ms);
    within("approval-timeout", &settings.approval_timeout_ms, &APPROVAL_TIMEOUT, times)?;
    within("run-timeout", &settings.run_timeout_ms, &RUN_TIMEOUT, times)?;
    if let Some(cap) = &settings.run_timeout_cap_ms {
        within("run-timeout-cap", cap, &RUN_TIMEOUT, times)?;
    }
    within("output-cap", &settings.output_cap_bytes, &OUTPUT_CAP, |bytes| format_bytes(*bytes))?;
    within("questions-per-minute", &settings.questions_per_minute, &QUESTIONS, u32::to_string)?;
    within("requests-per-second", &settings.requests_per_second, &REQUESTS, u32::to_string)?;
    within("max-running", &settings.max_running, &RUNNING, u32::to_string)?;
    let without_folders =
        |class: &Class| settings.access(*class) == Access::Allow && !settings.allows(*class);
    if let Some(class) = Class::ALL.into_iter().find(without_folders) {
        return Err(ValueError::NeedsFolders { class: class.name() });
    }
    check_entries("env-set", &settings.env_set, |name| env_problem(name, may_set))?;
    check_entries("env-pass", &settings.env_pass, |name| env_problem(name, may_pass))?;
    check_entries("folders", &settings.folders, folder_problem)?;
    check_entries("search-path", &settings.search_path, folder_problem)
}

/// Returns whether a run timeout is one that has an effect, where the two that make it were changed.
pub(crate) fn check_cap(before: &Settings, after: &Settings) -> Result<(), ValueError> {
    let times = |settings: &Settings| (settings.run_timeout_ms, settings.run_timeout_cap_ms);
    match times(after) {
        (wanted, Some(cap)) if wanted > cap && times(before) != times(after) => {
            Err(ValueError::OverCap { wanted: format_millis(wanted), cap: format_millis(cap) })
        }
        _ => Ok(()),
    }
}

fn within<T: PartialOrd>(
    key: &'static str,
    value: &T,
    range: &RangeInclusive<T>,
    words: impl Fn(&T) -> String,
) -> Result<(), ValueError> {
    if range.contains(value) {
        return Ok(());
    }
    Err(ValueError::OutOfRange { key, least: words(range.start()), most: words(range.end()) })
}

fn check_entries(
    key: &'static str,
    entries: &[String],
    problem: impl Fn(&str) -> Option<&'static str>,
) -> Result<(), ValueError> {
    let bad = |entry: &String, problem| ValueError::BadEntry { key, entry: entry.clone(), problem };
    if let Some(entry) = entries.get(LONGEST_LIST) {
        return Err(bad(entry, "one too many: 100 entries are the most"));
    }
    entries.iter().find_map(|entry| problem(entry).map(|problem| bad(entry, problem))).map_or(Ok(()), Err)
}

pub(crate) fn missing_folder(entry: String) -> ValueError {
    ValueError::BadEntry { key: "folders", entry, problem: "not there: name a folder that exists" }
}

/// Names that requests are refused whatever the settings say are refused here too: a setting that does nothing misleads.
fn env_problem(name: &str, may: impl Fn(&str) -> bool) -> Option<&'static str> {
    let mut letters = name.bytes();
    let starts = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    let plain =
        starts && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_') && name.len() <= 128;
    if !plain {
        return Some("not a name of letters, digits and _");
    }
    if may(name) {
        return None;
    }
    Some(match class_of(name) {
        VariableClass::Base => "a name that Postern sets itself; PATH is made from search-path",
        VariableClass::Auto | VariableClass::Ask | VariableClass::Soft | VariableClass::Hard => {
            "a name that makes programs run other code: it stays refused; name others, or run a script that sets it"
        }
    })
}

fn folder_problem(folder: &str) -> Option<&'static str> {
    let rooted = folder.starts_with('/') || folder == "~" || folder.starts_with("~/");
    if !rooted {
        return Some("not a folder: it begins with / or ~/");
    }
    if folder.split('/').any(|part| part == "..") || folder.chars().any(char::is_control) {
        return Some("not a plain folder: it has .. or control characters");
    }
    None
}

fn choice<T: DeserializeOwned>(key: &str, value: &str, expected: &'static str) -> Result<T, ValueError> {
    serde_json::from_value(serde_json::Value::from(value)).map_err(|_| bad_value(key, value, expected))
}

fn switch(key: &str, value: &str) -> Result<bool, ValueError> {
    match value {
        "on" | "yes" | "true" => Ok(true),
        "off" | "no" | "false" => Ok(false),
        _ => Err(bad_value(key, value, "on or off")),
    }
}

pub(crate) fn duration(key: &str, value: &str) -> Result<u64, ValueError> {
    let expected = "a duration (90s, 2m, 1h)";
    let duration = humantime::parse_duration(value).map_err(|_| bad_value(key, value, expected))?;
    u64::try_from(duration.as_millis()).map_err(|_| bad_value(key, value, expected))
}

fn parse_bytes(key: &str, value: &str) -> Result<u64, ValueError> {
    let units = [("KiB", 1024), ("MiB", 1024 * 1024), ("k", 1024), ("M", 1024 * 1024), ("", 1)];
    let parsed = units.iter().find_map(|(unit, factor)| {
        value.strip_suffix(unit)?.trim().parse::<u64>().ok()?.checked_mul(*factor)
    });
    parsed.ok_or_else(|| bad_value(key, value, "a number of bytes (65536, 512KiB, 1MiB)"))
}

fn number(key: &str, value: &str) -> Result<u32, ValueError> {
    value.parse().map_err(|_| bad_value(key, value, "a whole number"))
}

fn split_list(value: &str) -> Vec<String> {
    value
        .split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty() && *entry != "none")
        .map(str::to_owned)
        .collect()
}

pub(crate) fn bad_value(key: &str, value: &str, expected: impl Into<Cow<'static, str>>) -> ValueError {
    ValueError::BadValue { key: key.to_owned(), value: value.to_owned(), expected: expected.into() }
}

#[cfg(test)]
mod tests {
    use super::{ValueError, check_cap, check_settings, set_value};
    use postern_contract::plain_key;
    use postern_policy::{Ask, Fallback, Security, Settings};

    fn after(pairs: &[(&str, &str)]) -> Result<Settings, ValueError> {
        let mut settings = Settings::default();
        for (key, value) in pairs {
            set_value(&mut settings, &plain_key(key), value)?;
        }
        check_settings(&settings)?;
        Ok(settings)
    }

    #[test]
    fn values_are_read_as_people_type_them() {
        let set = after(&[
            ("preset", "allow"),
            ("ask", "always"),
            ("fallback", "allowlist"),
            ("approvalTimeout", "2m 30s"),
            ("run-timeout-cap", "none"),
            ("allow_skills", "on"),
            ("elevated", "off"),
            ("env-set", "FOO, BAR"),
            ("folders", "~/Projects,/tmp"),
            ("search-path", "/usr/bin:/bin"),
            ("outputCapBytes", "512KiB"),
        ])
        .unwrap();
        assert_eq!((set.security, set.ask, set.fallback), (Security::Full, Ask::Always, Fallback::Allowlist));
        assert_eq!((set.approval_timeout_ms, set.run_timeout_cap_ms), (150_000, None));
        assert!(set.allow_skills && !set.elevated);
        assert_eq!(set.env_set, ["FOO", "BAR"]);
        assert_eq!(set.search_path, ["/usr/bin", "/bin"]);
        assert_eq!(set.output_cap_bytes, 524_288);
    }

    #[test]
    fn bad_values_say_what_would_be_right() {
        for row in include_str!("bad_values.jsonl").lines() {
            let (key, value, expected): (String, String, String) = serde_json::from_str(row).unwrap();
            let message = after(&[(key.as_str(), value.as_str())]).unwrap_err().to_string();
            assert!(message.contains(&expected), "{key}={value}: {message}");
        }
    }

    #[test]
    fn a_time_beyond_its_cap_is_refused_with_what_would_be_right() {
        let before = Settings::default();
        let over = after(&[("run-timeout", "20m")]).unwrap();
        let said = check_cap(&before, &over).unwrap_err().to_string();
        assert!(said.contains("run-timeout 20m is more than run-timeout-cap 5m"), "{said}");
        assert!(said.contains("run-timeout=20m run-timeout-cap=20m"), "{said}");
        let low = after(&[("run-timeout-cap", "10s")]).unwrap();
        assert!(check_cap(&before, &low).is_err(), "a cap below the time is the same mistake");
        for right in [&[("run-timeout", "20m"), ("run-timeout-cap", "20m")][..], &[("run-timeout", "5m")]] {
            assert_eq!(check_cap(&before, &after(right).unwrap()), Ok(()), "{right:?}");
        }
        assert_eq!(check_cap(&over, &Settings { max_running: 1, ..over.clone() }), Ok(()), "another setting");
    }
}
