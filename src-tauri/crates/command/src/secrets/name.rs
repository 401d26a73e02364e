//! Names that call their value a secret.

use super::table::{NAMES, PASS, WHOLE_NAMES};

/// Returns true if a variable, option or member of this name has a secret as its value.
pub fn is_secret_name(name: &str) -> bool {
    let whole = name.to_ascii_lowercase();
    let joined: String = whole.chars().filter(|c| !matches!(c, '_' | '-' | '.')).collect();
    NAMES.iter().any(|end| joined.ends_with(end))
        || WHOLE_NAMES.contains(&joined.as_str())
        || PASS.iter().any(|end| whole.ends_with(end))
}
