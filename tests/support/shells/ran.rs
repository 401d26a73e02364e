//! Check that a reading had every program that ran.

use super::Ran;
use postern_command::{ParsedCommand, Role, Word};

/// Returns the programs that ran and that no step or wrapper of the reading stands for.
pub fn unreported<'a>(reading: &ParsedCommand, ran: &'a [Ran]) -> Vec<&'a Ran> {
    ran.iter().filter(|ran| !is_reported(reading, ran) && !is_between(reading, ran)).collect()
}

fn is_reported(reading: &ParsedCommand, ran: &Ran) -> bool {
    reading.steps.iter().any(|step| {
        let own = step.role == Role::Program && stands_for(&step.argv, ran, false);
        own || step.via.iter().any(|via| stands_for(&via.argv, ran, true))
    })
}

/// Returns true for the shell between `flock -c` and its text, which the reading leaves out.
fn is_between(reading: &ParsedCommand, ran: &Ran) -> bool {
    const HANDS_ON: &[&str] = &["flock", "watch", "parallel", "script", "su"];
    let hands_on = |word: &Word| word.value.as_deref().is_some_and(|name| HANDS_ON.contains(&name));
    let wrapped =
        reading.steps.iter().flat_map(|step| &step.via).any(|via| via.argv.first().is_some_and(hands_on));
    wrapped && matches!(ran.as_slice(), [shell, option, _] if shell == "sh" && option == "-c")
}

/// Compares word by word; a word that is known only at run time stands for any words. Of a wrapper only its
/// own words are compared.
fn stands_for(told: &[Word], ran: &Ran, wrapper: bool) -> bool {
    let (Some(name), Some(ran_name)) = (told.first(), ran.first()) else { return false };
    let same = name.value.as_deref().is_some_and(|name| name.rsplit('/').next() == Some(ran_name));
    let told: Vec<Option<&str>> = told[1..].iter().map(|word| word.value.as_deref()).collect();
    let ran: Vec<&str> = ran[1..].iter().map(String::as_str).collect();
    same && (wrapper || words(&told, &ran))
}

fn words(told: &[Option<&str>], ran: &[&str]) -> bool {
    match (told, ran) {
        ([], []) => true,
        ([None, rest @ ..], ran) => (0..=ran.len()).any(|skip| words(rest, &ran[skip..])),
        ([Some(word), rest @ ..], [first, others @ ..]) => word == first && words(rest, others),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::unreported;
    use postern_command::{Dialect, read_shell};

    fn told(line: &str, ran: &[&str]) -> bool {
        let ran = [ran.iter().map(|word| (*word).to_owned()).collect()];
        unreported(&read_shell(line, Dialect::Bash), &ran).is_empty()
    }

    #[test]
    fn a_program_counts_as_told_with_its_own_words_only() {
        assert!(told("ls -l", &["ls", "-l"]) && !told("ls -l", &["ls", "-a"]));
        assert!(!told("ls", &["rm"]), "another program");
        assert!(told("ls $x", &["ls", "a", "b"]), "a variable may be several words");
        assert!(
            told("nohup ls", &["nohup", "ls"]) && told("nohup ls", &["ls"]),
            "the wrapper and its inner program"
        );
        assert!(!told("true", &["true"]), "a builtin is no program");
    }
}
