//! The settings of an agent as a person types them: one spelling for the command line, errors and documents.

/// A setting as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingKey {
    /// Name (`approval-timeout`).
    pub name: &'static str,
    /// The values that it takes.
    pub values: &'static str,
    pub about: &'static str,
}

const fn setting_key(name: &'static str, values: &'static str, about: &'static str) -> SettingKey {
    SettingKey { name, values, about }
}

/// Name of this computer in texts: a Mac is called one.
pub const THIS_COMPUTER: &str = platform_text("this Mac", "this computer");

/// Returns the text for a Mac there, and the other one elsewhere.
pub(crate) const fn platform_text(mac: &'static str, elsewhere: &'static str) -> &'static str {
    if cfg!(target_os = "macos") { mac } else { elsewhere }
}

/// Every setting, in the order of a list.
pub const SETTING_KEYS: [SettingKey; 33] = [
    setting_key("preset", "deny, ask, allow", "Set security and ask together"),
    setting_key(
        "security", "deny, allowlist, full",
        "How much may run at all; full is everything that no rule denies",
    ),
    setting_key(
        "ask", "off, on-miss, always", "When you are asked: never, where no rule covers it, every time",
    ),
    setting_key("elevated", "on, off", "Whether it may ask for host commands at all"),
    setting_key("fallback", "deny, allowlist, full", "What happens when nobody answers; full runs it"),
    setting_key("approval-timeout", "10s to 30m", "How long a question waits"),
    setting_key(
        "unattended", "deny, wait", "What happens to a question after 10 s with no approver connected",
    ),
    setting_key("run-timeout", "100ms to 7d", "How long a run may take that names no limit"),
    setting_key("run-timeout-cap", "100ms to 7d, none", "The most that a request may ask for"),
    setting_key("allow-skills", "on, off", "Whether approved CLIs of skills run silently"),
    setting_key("look", "allow, ask, deny", "Read its folders and the system’s files, confined"),
    setting_key("files", "allow, ask, deny", "Change files and repositories in its folders, confined"),
    setting_key("build", "allow, ask, deny", "Run code of the project, confined"),
    setting_key("network", "allow, ask, deny", "Fetch from the network"),
    setting_key("share", "allow, ask, deny", "Send and publish, with your rights"),
    setting_key("install", "allow, ask, deny", "Install software"),
    setting_key(
        "system",
        "allow, ask, deny",
        platform_text(
            "Change this Mac, or leave its folders, with your rights",
            "Change this computer, or leave its folders, with your rights",
        ),
    ),
    setting_key("secrets", "allow, ask, deny", "Use keys, passwords and tokens"),
    setting_key(
        "loopback",
        "on, off",
        platform_text(
            "Whether confined builds may serve and connect on this Mac",
            "Whether confined builds may serve and connect on this computer",
        ),
    ),
    setting_key("unreadable", "ask, send-back", "What happens to shell text that cannot be read in full"),
    setting_key(
        "env-set", "NAME,NAME, none", "Variables that a request may set without being asked about them",
    ),
    setting_key("env-pass", "NAME,NAME, none", "Variables that are passed on from your own environment"),
    setting_key("folders", "~/DIR,/DIR, none", "Folders that it may run in; none is every folder"),
    setting_key(
        "search-path", "/DIR:…, shell, none", "Where programs are looked up; shell: the PATH of this shell",
    ),
    setting_key("output-cap", "1KiB to 64MiB", "Output kept of each stream"),
    setting_key("questions-per-minute", "1 to 600", "Questions that open beside others"),
    setting_key("requests-per-second", "1 to 10000", "Requests, sustained"),
    setting_key("max-running", "1 to 256", "Runs at the same time"),
    setting_key("name", "TEXT", "The name to show"),
    setting_key("color", "#rrggbb", "Its color"),
    setting_key("icon", "letter, spark, terminal, …", "Its icon"),
    setting_key("uids", "UID,UID, none", "Other users that may connect"),
    setting_key("denied-until", "10m, none", "Deny everything for a while"),
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
