//! Reason why a place is protected.

use postern_policy::Protection;

/// Returns what is in a protected place, as a noun phrase.
pub fn protection(protection: Protection) -> &'static str {
    match protection {
        Protection::StartFile => "a start file of a shell or program",
        Protection::Keys => "keys or passwords",
        Protection::Autostart => "what the system starts by itself",
        Protection::Repository => "git’s configuration or hooks",
        Protection::AgentSettings => "settings or hooks of an agent",
    }
}
