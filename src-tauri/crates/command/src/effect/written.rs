//! Words for what a command writes or deletes, where its program's file has some: `move … to`.

use postern_programs::EffectKind;

use super::CommandEffect;
use super::command::ProgramWords;
use super::step::of_table;
use crate::Words;

/// Returns the words for a write or a deletion by a command; `None` for a plain one.
///
/// The words do not say where output goes: the caller looks whether the command has redirections.
pub fn path_words(argv: &[String], said: &CommandEffect) -> Option<Words> {
    let is_same = |found: &CommandEffect| {
        found.kind() == said.kind() && found.affected_paths() == said.affected_paths()
    };
    let mut words = None;
    ProgramWords::from_argv(argv)?.for_each_reading(|command| {
        let about_paths = |kind| matches!(kind, EffectKind::Write | EffectKind::Delete);
        let fitting = command.program.effects.iter().find(|effect| {
            about_paths(effect.does)
                && !effect.says.is_empty()
                && of_table(effect, command).is_some_and(|(found, ..)| is_same(&found))
        });
        words = words.take().or_else(|| fitting.map(|effect| effect.says.into()));
    });
    words
}

#[cfg(test)]
mod tests {
    use super::path_words;
    use crate::CommandEffect;

    fn split(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn words(line: &str, paths: &str) -> Option<String> {
        let written = CommandEffect::Write { paths: split(paths) };
        path_words(&split(line), &written).map(|words| words.as_written().to_owned())
    }

    #[test]
    fn a_write_has_the_words_of_its_program() {
        assert_eq!(words("mv a b", "a b").as_deref(), Some("move … to"));
        assert_eq!(words("git mv a b", "a b").as_deref(), Some("move … to"));
        assert_eq!(words("mkdir -p x/y", "x/y").as_deref(), Some("make the folder"));
        assert_eq!(words("chmod +x run.sh", "run.sh").as_deref(), Some("change the mode of"));
        assert_eq!(words("chown -R u src", "src").as_deref(), Some("change the owner of"));
        assert_eq!(words("cp -r a b", "b").as_deref(), Some("copy to"));
        assert_eq!(words("tar xzf a.tgz", "").as_deref(), Some("unpack"));
        assert_eq!(words("tar xzf a.tgz -C out", "out").as_deref(), Some("unpack files to"));
        assert_eq!(words("unzip a.zip -d out", "out").as_deref(), Some("unpack files to"));
    }

    #[test]
    fn a_deletion_has_the_words_of_its_program() {
        let words = |line: &str, paths: &str| {
            let deleted = CommandEffect::Delete { paths: split(paths), recursive: false, found: false };
            path_words(&split(line), &deleted).map(|words| words.as_written().to_owned())
        };
        assert_eq!(
            words("rsync -a --delete a/ b/", "b/").as_deref(),
            Some("delete what the source lacks in")
        );
        let copied = words("rsync -a --remove-source-files a b", "a b");
        assert_eq!(copied.as_deref(), Some("delete the sources … after copying to"));
        assert_eq!(words("rm a", "a"), None);
    }

    #[test]
    fn another_write_of_the_command_is_plain() {
        assert_eq!(words("mv a b", "log"), None, "what a redirection writes is not moved");
        assert_eq!(words("cp a b", "log"), None);
        assert_eq!(words("tar czf a.tgz src", "a.tgz"), None);
        assert_eq!(words("tee x", "x"), None);
    }
}
