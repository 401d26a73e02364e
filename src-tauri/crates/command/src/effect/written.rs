//! Words for what a command writes, where its program's file has some: `move … to`.

use postern_programs::EffectKind;

use super::CommandEffect;
use super::command::ProgramWords;
use super::step::of_table;
use crate::Words;

/// Returns the words for the write of these paths by a command; `None` for plain writing.
///
/// The words do not say where output goes: the caller looks whether the command has redirections.
pub fn write_words(argv: &[String], paths: &[String]) -> Option<Words> {
    let mut words = None;
    ProgramWords::from_argv(argv)?.for_each_reading(|command| {
        let writes = command.program.effects.iter().filter(|effect| effect.does == EffectKind::Write);
        let fitting = writes.filter(|effect| !effect.says.is_empty()).find(|effect| {
            let found = of_table(effect, command);
            matches!(found, Some((CommandEffect::Write { paths: written }, ..)) if written == paths)
        });
        words = words.take().or_else(|| fitting.map(|effect| effect.says.into()));
    });
    words
}

#[cfg(test)]
mod tests {
    use super::write_words;

    fn words(line: &str, paths: &str) -> Option<String> {
        let split = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        write_words(&split(line), &split(paths)).map(|words| words.as_written().to_owned())
    }

    #[test]
    fn a_write_has_the_words_of_its_program() {
        assert_eq!(words("mv a b", "a b").as_deref(), Some("move … to"));
        assert_eq!(words("git mv a b", "a b").as_deref(), Some("move … to"));
        assert_eq!(words("mkdir -p x/y", "x/y").as_deref(), Some("make the folder"));
        assert_eq!(words("chmod +x run.sh", "run.sh").as_deref(), Some("change the mode of"));
        assert_eq!(words("chown -R u src", "src").as_deref(), Some("change the owner of"));
    }

    #[test]
    fn another_write_of_the_command_is_plain() {
        assert_eq!(words("mv a b", "log"), None, "what a redirection writes is not moved");
        assert_eq!(words("cp a b", "b"), None);
        assert_eq!(words("tee x", "x"), None);
    }
}
