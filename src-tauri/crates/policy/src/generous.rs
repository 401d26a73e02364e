//! Comparison of a deny rule's words: generous, because a spelling must not be a way around it.
//!
//! The program's name is compared without folder and case. Options that stand before a subcommand are stepped over,
//! with their values where they take any. An option that the rule names may stand anywhere. A word that is not known
//! before the run makes it *maybe*. Further arguments never save a command: a deny rule for `git push` is one for
//! `git push --force` as well.

use crate::path;
use crate::words::{WordPattern, is_wild_match};
use postern_command::{Operands, operands_in_order};

/// Result of matching a deny rule's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MatchCertainty {
    No,
    /// Depends on something that is only known when it runs.
    Maybe,
    Yes,
}

/// Compares a command pattern's words with a command. `names` are the program as invoked and as found (paths).
pub(crate) fn compare(
    pattern: &[WordPattern],
    more: bool,
    names: &[&str],
    args: &[Option<&str>],
) -> MatchCertainty {
    let Some((first, rest)) = pattern.split_first() else {
        // A pattern that is only `*` matches every command.
        return if more { MatchCertainty::Yes } else { MatchCertainty::No };
    };
    if !names.iter().any(|name| is_program(first, name)) {
        return MatchCertainty::No;
    }
    let (options, operands): (Vec<_>, Vec<_>) = rest.iter().partition(|word| is_option(word));
    let found = options.iter().map(|option| anywhere(option, args)).min().unwrap_or(MatchCertainty::Yes);
    let is = |operand: usize, word: &str| operands.get(operand).is_some_and(|wanted| wanted.matches(word));
    found.min(match operands_in_order(names, args, operands.len(), is) {
        Operands::Found => MatchCertainty::Yes,
        Operands::Maybe => MatchCertainty::Maybe,
        Operands::Missing => MatchCertainty::No,
    })
}

pub(crate) fn is_program(first: &WordPattern, name: &str) -> bool {
    let (WordPattern::Literal(text) | WordPattern::Glob(text)) = first;
    if text.contains('/') {
        name.contains('/') && is_wild_match(&path::deny_key(text), &path::deny_key(name))
    } else {
        is_wild_match(&path::fold_case(text), &path::fold_case(path::base_name(name)))
    }
}

fn is_option(word: &WordPattern) -> bool {
    matches!(word, WordPattern::Literal(text) if text.len() > 1 && text.starts_with('-'))
}

fn anywhere(option: &WordPattern, args: &[Option<&str>]) -> MatchCertainty {
    if args.iter().flatten().any(|word| option.matches(word)) {
        MatchCertainty::Yes
    } else if args.contains(&None) {
        MatchCertainty::Maybe
    } else {
        MatchCertainty::No
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::WordsPattern;

    fn denied(rule: &str, command: &str) -> MatchCertainty {
        let split = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let words = split(command);
        let args: Vec<Option<&str>> =
            words[1..].iter().map(|word| (word != "?").then_some(word.as_str())).collect();
        let pattern = WordsPattern::of_command(&split(rule));
        compare(&pattern.words, pattern.more, &[&words[0]], &args)
    }

    #[test]
    fn a_spelling_is_no_way_around_a_deny_rule() {
        for (rule, command) in crate::testing::rows::<(&str, &str)>(include_str!("generous.jsonl")) {
            assert_eq!(denied(rule, command), MatchCertainty::Yes, "{rule} against {command}");
        }
    }

    #[test]
    fn a_denied_word_that_is_no_subcommand_is_no_match() {
        for (rule, command) in [
            ("git push *", "git log --grep=push"),
            ("git push *", "git log push"),
            ("git push *", "git --no-pager log push"),
            ("git push *", "gitx push"),
            ("/usr/bin/git push *", "/opt/git push"),
            ("/usr/bin/git push *", "git push"),
            ("npm publish *", "npm run publish"),
            ("git push --force *", "git push origin"),
        ] {
            assert_eq!(denied(rule, command), MatchCertainty::No, "{rule} against {command}");
        }
    }

    #[test]
    fn a_word_known_only_at_run_time_may_match() {
        assert_eq!(denied("git push *", "git ? origin"), MatchCertainty::Maybe);
        assert_eq!(denied("git push *", "git log ?"), MatchCertainty::No);
        assert_eq!(denied("git push --force *", "git push ?"), MatchCertainty::Maybe);
    }
}
