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
    setting_key("security", "deny, allowlist, full", "Which commands may run; full: all that no rule denies"),
    setting_key("ask", "off, on-miss, always", "When you are asked; on-miss: if nothing allows the command"),
    setting_key(
        "elevated",
        "on, off",
        platform_text("Let it run commands on this Mac", "Let it run commands on this computer"),
    ),
    setting_key("fallback", "deny, allowlist, full", "What happens if no one answers; full: it runs"),
    setting_key("approval-timeout", "10s to 30m", "Time to answer a question"),
    setting_key("unattended", "deny, wait", "What happens to a question after 10 s without an approver"),
    setting_key("run-timeout", "100ms to 7d", "Time limit of a command that asks for none"),
    setting_key("run-timeout-cap", "100ms to 7d, none", "Longest time limit that a command may ask for"),
    setting_key("allow-skills", "on, off", "Let approved CLIs of skills run silently"),
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
            "Let confined builds serve and connect on this Mac",
            "Let confined builds serve and connect on this computer",
        ),
    ),
    setting_key("unreadable", "ask, send-back", "What happens to shell text that Postern can’t read in full"),
    setting_key("env-set", "NAME,NAME, none", "Variables that it may set without asking"),
    setting_key("env-pass", "NAME,NAME, none", "Your variables that its commands get"),
    setting_key("folders", "~/DIR,/DIR, none", "Folders that it may run in; none: every folder"),
    setting_key(
        "search-path", "/DIR:…, shell, none",
        "Where its programs are looked for; shell: the PATH of this shell",
    ),
    setting_key("output-cap", "1KiB to 64MiB", "Output to keep of each stream"),
    setting_key("questions-per-minute", "1 to 600", "Questions that may open per minute while others wait"),
    setting_key("requests-per-second", "1 to 10000", "Requests that it may make per second"),
    setting_key("max-running", "1 to 256", "Commands that may run at the same time"),
    setting_key("name", "TEXT", "Name to show"),
    setting_key("color", "#rrggbb", "Color"),
    setting_key("icon", "letter, spark, terminal, …", "Icon"),
    setting_key("uids", "UID,UID, none", "Other users that may connect"),
    setting_key("denied-until", "10m, none", "Stop the agent for a while: deny everything"),
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
