//! Values that only the run tells, of which the text still says what they can be: numbers of jobs, and names from a list.

use crate::facts::Facts;

/// Returns true for a number of the shell's own, also where a variable keeps the number of a job: `server & PID=$!; kill $PID`.
pub(super) fn is_number(facts: &Facts<'_>, raw: &str) -> bool {
    let plain = raw.trim_matches('"');
    plain.starts_with("$((") && plain.ends_with("))")
        || ["$$", "$?", "$#"].contains(&plain)
        || is_job(facts, raw)
}

/// Returns true for the number of a job of the line: `$!`, also where a variable keeps it.
pub(super) fn is_job(facts: &Facts<'_>, raw: &str) -> bool {
    raw.trim_matches('"') == "$!"
        || variable_name(raw).is_some_and(|name| keeps(&facts.reading.text, name, holds_job))
}

/// Returns true for a file or folder that the line makes for itself: `tmp=$(mktemp) && npm test > "$tmp"`.
///
/// Below it only where the line ends without one: `d=$(mktemp -d) && cp a "$d/b"`. A request could bring the variable along, so
/// nothing may keep the line from setting it.
pub(super) fn is_temporary(facts: &Facts<'_>, raw: &str) -> bool {
    let text = facts.reading.text.as_str();
    let bare = raw.replace('"', "");
    let Some(held) = bare.strip_prefix('$') else { return false };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (name, below) = match held.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
        Some(parts) => parts,
        None => held.split_at(held.find(|c: char| !is_name(c)).unwrap_or(held.len())),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let is_below = || {
        let ends = text.contains(&format!("{name}=$(mktemp -d) && "));
        ends && below.starts_with('/') && below.chars().all(plain) && !below.contains("..")
    };
    let before = text.split(&format!("{name}=")).next().unwrap_or_default();
    let surely = !before.contains(['&', '|', '(', '{'])
        && !before.split_whitespace().any(|word| BRANCHES.contains(&word));
    !name.is_empty()
        && name.chars().all(is_name)
        && surely
        && (below.is_empty() || is_below())
        && (raw.starts_with('"') || !text.contains("IFS"))
        && (name == "TMPDIR" || !text.contains("TMPDIR="))
        && keeps(text, name, holds_temporary)
}

/// Words after which a command may not run.
const BRANCHES: [&str; 9] = ["if", "for", "while", "until", "case", "then", "do", "select", "function"];

/// Returns the name of a word that is one variable: `"$PID"`, `${PID}`.
pub(super) fn variable_name(raw: &str) -> Option<&str> {
    let plain = raw.trim_matches('"').strip_prefix('$')?;
    let name = plain.strip_prefix('{').map_or(Some(plain), |inner| inner.strip_suffix('}'))?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_name && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).then_some(name)
}

fn holds_job(value: &str) -> bool {
    begins_with_one_of(value, &["$!", "\"$!\""])
}

fn holds_temporary(value: &str) -> bool {
    begins_with_one_of(value, &["$(mktemp)", "\"$(mktemp)\"", "$(mktemp -d)", "\"$(mktemp -d)\""])
}

/// Returns true if a text begins with one of these values, as a whole.
fn begins_with_one_of(text: &str, values: &[&str]) -> bool {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([';', '\n', ' ', '&']);
    values.iter().any(|value| text.strip_prefix(value).is_some_and(ends))
}

/// Returns true if the text gives a variable such a value before it is used, and never anything else.
fn keeps(text: &str, name: &str, is_value: fn(&str) -> bool) -> bool {
    let sets = format!("{name}=");
    let set = text.find(&sets);
    let used = [format!("${name}"), format!("${{{name}")].iter().filter_map(|use_of| text.find(use_of)).min();
    let otherwise = ["+=", "["].iter().any(|change| text.contains(&format!("{name}{change}")))
        || text.contains(&format!("for {name} "))
        || ["((", "declare", "typeset", "local "].iter().chain(&SETS).any(|word| text.contains(word));
    let inside = |at: usize| text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let other = text.match_indices(&sets).any(|(at, _)| inside(at));
    set.is_some() && set < used && text.split(&sets).skip(1).all(is_value) && !otherwise && !other
}

/// Beginnings of what may give a variable another value, besides `=`.
const SETS: [&str; 8] = ["read", "mapfile", "printf -v", "eval", "source", "getopts", "let ", "select"];

/// Programs of which it is known what they print.
const PRINTERS: [&str; 11] =
    ["awk", "docker", "egrep", "git", "grep", "head", "kubectl", "lsof", "mktemp", "pgrep", "ps"];

/// Returns true if no function in the text has the name of a program of which it is known what it prints (`lsof() { cat f; }`).
pub(super) fn keeps_printers(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && !"\"'\\".contains(*c)).collect();
    let defines =
        |name: &&str| text.contains(&format!("{name}()")) || text.contains(&format!("function{name}"));
    !PRINTERS.iter().any(defines)
}

/// Returns true for a variable of which the text says nothing but that a `for` gives it plain names below the folder.
pub(super) fn is_listed(facts: &Facts<'_>, raw: &str) -> bool {
    let Some(name) = variable_name(raw) else { return false };
    let text = facts.reading.text.as_str();
    let head = format!("for {name} in ");
    let below = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphanumeric())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
            && !word.contains("..")
    };
    let list =
        |rest: &str| rest.split([';', '\n']).next().is_some_and(|list| list.split_whitespace().all(below));
    text.split(&head).skip(1).all(list)
        && text.contains(&head)
        && !text.contains('=')
        && !SETS.iter().any(|set| text.contains(set))
}

#[cfg(test)]
mod tests {
    use super::{holds_job, holds_temporary, keeps};

    #[test]
    fn a_variable_that_only_keeps_the_number_of_a_job_is_one() {
        for text in ["a & P=$!; kill $P", "a &\nP=$!\nsleep 1\nkill ${P}", "a & P=\"$!\" && kill \"$P\""] {
            assert!(keeps(text, "P", holds_job), "{text}");
        }
        for text in [
            "kill $P", "XP=$!; kill $P", "kill $P; P=$!", "P=$!1; kill $P", "P=$!; P=-1; kill $P",
            "P=$!; XP=2; kill $P", "P=$!; P+=1; kill $P", "P=$!; P[0]=1; kill $P", "P=$!; read P; kill $P",
            "P=$!; ((P--)); kill $P", "P=$!; for P in 1; do kill $P; done",
            "P=$!; declare -n q=P; q=1; kill $P",
        ] {
            assert!(!keeps(text, "P", holds_job), "{text}");
        }
    }

    #[test]
    fn a_variable_that_only_keeps_a_temporary_file_is_one() {
        for text in ["P=$(mktemp); ls > $P", "P=\"$(mktemp -d)\" && cp a \"$P\""] {
            assert!(keeps(text, "P", holds_temporary), "{text}");
        }
        for text in [
            "P=$(mktemp -p /x); ls > $P", "ls > $P; P=$(mktemp)", "P=$(mktemp)/../x; ls > $P",
            "P=$(mktemp); P=x; ls > $P",
        ] {
            assert!(!keeps(text, "P", holds_temporary), "{text}");
        }
    }
}
