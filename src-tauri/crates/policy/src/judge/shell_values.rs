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
        || variable_name(raw).is_some_and(|name| keeps_job(&facts.reading.text, name))
}

/// Returns the name of a word that is one variable: `"$PID"`, `${PID}`.
pub(super) fn variable_name(raw: &str) -> Option<&str> {
    let plain = raw.trim_matches('"').strip_prefix('$')?;
    let name = plain.strip_prefix('{').map_or(Some(plain), |inner| inner.strip_suffix('}'))?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_name && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).then_some(name)
}

/// Returns true if the text gives a variable the number of a job before it is used, and never anything else.
fn keeps_job(text: &str, name: &str) -> bool {
    let sets = format!("{name}=");
    let is_job = |rest: &str| {
        let rest = rest.strip_prefix("$!").or_else(|| rest.strip_prefix("\"$!\""));
        rest.is_some_and(|end| end.is_empty() || end.starts_with([';', '\n', ' ', '&']))
    };
    let set = text.find(&sets);
    let used = [format!("${name}"), format!("${{{name}")].iter().filter_map(|use_of| text.find(use_of)).min();
    let otherwise = ["+=", "["].iter().any(|change| text.contains(&format!("{name}{change}")))
        || text.contains(&format!("for {name} "))
        || ["((", "declare", "typeset", "local "].iter().chain(&SETS).any(|word| text.contains(word));
    set.is_some() && set < used && text.split(&sets).skip(1).all(is_job) && !otherwise
}

/// Beginnings of what may give a variable another value, besides `=`.
const SETS: [&str; 8] = ["read", "mapfile", "printf -v", "eval", "source", "getopts", "let ", "select"];

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
    use super::keeps_job;

    #[test]
    fn a_variable_that_only_keeps_the_number_of_a_job_is_one() {
        for text in ["a & P=$!; kill $P", "a &\nP=$!\nsleep 1\nkill ${P}", "a & P=\"$!\" && kill \"$P\""] {
            assert!(keeps_job(text, "P"), "{text}");
        }
        for text in [
            "kill $P", "kill $P; P=$!", "P=$!1; kill $P", "P=$!; P=-1; kill $P", "P=$!; XP=2; kill $P",
            "P=$!; P+=1; kill $P", "P=$!; P[0]=1; kill $P", "P=$!; read P; kill $P",
            "P=$!; ((P--)); kill $P", "P=$!; for P in 1; do kill $P; done",
            "P=$!; declare -n q=P; q=1; kill $P",
        ] {
            assert!(!keeps_job(text, "P"), "{text}");
        }
    }
}
