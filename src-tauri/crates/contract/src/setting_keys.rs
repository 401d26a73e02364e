//! The settings of an agent as a person types them: one spelling for the command line, errors and documents.

/// A setting as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingKey {
    /// Name (`approval-timeout`).
    pub name: &'static str,
    /// The values that it takes.
    pub values: &'static str,
    /// Description.
    pub about: &'static str,
}

const fn key(name: &'static str, values: &'static str, about: &'static str) -> SettingKey {
    SettingKey { name, values, about }
}

/// Returns the text for a Mac there, and the other one elsewhere.
pub(crate) const fn here(mac: &'static str, elsewhere: &'static str) -> &'static str {
    if cfg!(target_os = "macos") { mac } else { elsewhere }
}

/// Every setting, in the order of a list.
pub const SETTING_KEYS: [SettingKey; 32] = [
    key("preset", "deny, ask, allow", "Set security and ask together"),
    key(
        "security",
        "deny, allowlist, full",
        "How much may run at all; full is everything that no rule denies",
    ),
    key("ask", "off, on-miss, always", "When you are asked: never, where no rule covers it, every time"),
    key("elevated", "on, off", "Whether it may ask for host commands at all"),
    key("fallback", "deny, allowlist, full", "What happens when nobody answers; full runs it"),
    key("approval-timeout", "10s to 30m", "How long a question waits"),
    key("unattended", "deny, wait", "What happens to a question while no approver is connected"),
    key("run-timeout", "100ms to 7d", "How long a run may take that names no limit"),
    key("run-timeout-cap", "100ms to 7d, none", "The most that a request may ask for"),
    key("allow-skills", "on, off", "Whether approved CLIs of skills run silently"),
    key("look", "allow, ask, deny", "Read its folders and the system's files, confined"),
    key("files", "allow, ask, deny", "Change files and repositories in its folders, confined"),
    key("build", "allow, ask, deny", "Run code of the project, confined"),
    key("network", "allow, ask, deny", "Fetch from the network"),
    key("share", "allow, ask, deny", "Send and publish, with your rights"),
    key("install", "allow, ask, deny", "Install software"),
    key(
        "system",
        "allow, ask, deny",
        here(
            "Change this Mac, or leave its folders, with your rights",
            "Change this computer, or leave its folders, with your rights",
        ),
    ),
    key("secrets", "allow, ask, deny", "Use keys, passwords and tokens"),
    key(
        "loopback",
        "on, off",
        here(
            "Whether confined builds may serve and connect on this Mac",
            "Whether confined builds may serve and connect on this computer",
        ),
    ),
    key("unreadable", "ask, send-back", "What happens to shell text that cannot be read in full"),
    key("env-set", "NAME,NAME, none", "Variables that a request may set without being asked about them"),
    key("env-pass", "NAME,NAME, none", "Variables that are passed on from your own environment"),
    key("folders", "~/DIR,/DIR, none", "Folders that it may run in; none is every folder"),
    key("search-path", "/DIR:…, shell, none", "Where programs are looked up; shell: the PATH of this shell"),
    key("output-cap", "1KiB to 64MiB", "Output kept of each stream"),
    key("questions-per-minute", "1 to 600", "Questions that open beside others"),
    key("requests-per-second", "1 to 10000", "Requests, sustained"),
    key("max-running", "1 to 256", "Runs at the same time"),
    key("name", "TEXT", "The name to show"),
    key("color", "#rrggbb", "Its color"),
    key("uids", "UID,UID, none", "Other users that may connect"),
    key("denied-until", "10m, none", "Deny everything for a while"),
];

/// Returns a key in its one spelling: `approvalTimeoutMs`, `approval_timeout` and `approval-timeout` are the same.
pub fn plain_key(key: &str) -> String {
    let mut plain = String::with_capacity(key.len() + 4);
    for (index, c) in key.chars().enumerate() {
        if c.is_ascii_uppercase() && index > 0 && !plain.ends_with('-') {
            plain.push('-');
        }
        plain.push(if c == '_' { '-' } else { c.to_ascii_lowercase() });
    }
    for unit in ["-ms", "-bytes"] {
        if let Some(short) = plain.strip_suffix(unit) {
            plain.truncate(short.len());
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{SETTING_KEYS, plain_key};
    use postern_policy::Settings;

    #[test]
    fn every_setting_has_its_key_and_every_key_one_spelling() {
        let settings = serde_json::to_value(Settings::default()).unwrap();
        for field in settings.as_object().unwrap().keys() {
            assert!(SETTING_KEYS.iter().any(|key| key.name == plain_key(field)), "{field}");
        }
        for spelling in ["approvalTimeoutMs", "approval_timeout", "approval-timeout", "approvalTimeout"] {
            assert_eq!(plain_key(spelling), "approval-timeout");
        }
        assert!(SETTING_KEYS.iter().all(|key| plain_key(key.name) == key.name));
    }
}
