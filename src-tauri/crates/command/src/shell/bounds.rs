//! Bounds that keep both parsers fast and off the end of the stack: text beyond them is not parsed at all.

/// Brackets inside brackets, quoted or not.
const DEEPEST_BRACKETS: isize = 32;

/// Compound commands inside compound commands.
const DEEPEST_COMPOUNDS: isize = 16;

/// Prefixes in a row (`! time ! time …`).
const LONGEST_PREFIX: usize = 8;

/// Here-documents in one text.
const MOST_HERE_DOCUMENTS: usize = 32;

/// Substitutions in one text.
const MOST_SUBSTITUTIONS: usize = 256;

/// Commands in one text, by what may separate them.
const MOST_COMMANDS: usize = 1024;

/// Function definitions in one text, by their brackets.
const MOST_FUNCTIONS: usize = 64;

/// Words in one text.
const MOST_WORDS: usize = 2048;

/// Redirections, brackets and quotes in one text.
const MOST_MARKS: usize = 1024;

/// Whether a text is simple enough to be parsed.
pub(super) fn within(text: &str) -> bool {
    brackets(text) && words(text) && counts(text)
}

fn counts(text: &str) -> bool {
    let substitutions =
        ["$(", "`", "<(", ">(", "${"].iter().map(|mark| text.matches(mark).count()).sum::<usize>();
    let commands = text.matches(['\n', ';', '&', '|']).count();
    let functions = text.split_whitespace().collect::<String>().matches("()").count();
    let long = functions > MOST_FUNCTIONS || text.split_whitespace().nth(MOST_WORDS).is_some();
    let marks = text.matches(['<', '>', '{', '[', '*', '?']).count();
    !long
        && marks <= MOST_MARKS
        && text.matches("<<").count() <= MOST_HERE_DOCUMENTS
        && substitutions <= MOST_SUBSTITUTIONS
        && commands <= MOST_COMMANDS
}

fn brackets(text: &str) -> bool {
    let mut depth = 0isize;
    for c in text.chars() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = (depth - 1).max(0),
            _ => {}
        }
        if depth > DEEPEST_BRACKETS {
            return false;
        }
    }
    true
}

fn words(text: &str) -> bool {
    let mut depth = 0isize;
    let mut prefix = 0usize;
    for word in
        text.split(|c: char| c.is_whitespace() || ";&|()`\"'$".contains(c)).filter(|word| !word.is_empty())
    {
        match word {
            "if" | "while" | "until" | "for" | "case" | "select" | "[[" => depth += 1,
            "fi" | "done" | "esac" | "]]" => depth = (depth - 1).max(0),
            _ => {}
        }
        prefix = if matches!(word, "time" | "!" | "-p" | "coproc" | "function" | "then" | "do" | "else") {
            prefix + 1
        } else {
            0
        };
        if depth > DEEPEST_COMPOUNDS || prefix > LONGEST_PREFIX {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn real_lines_are_within_and_piles_are_not() {
        assert!(within("if [ -f a ]; then for x in a b; do (echo \"${x:-$(id)}\"); done; fi"));
        for pile in [
            "(",
            "{a,",
            "${x:-",
            "$(",
            "time ",
            "! ",
            "if ",
            "[[ ",
            "case x in x) ",
            "cat <<E ",
            "`a` ",
            "a;",
            "\n",
        ] {
            assert!(!within(&pile.repeat(2000)), "{pile:?} two thousand times");
        }
    }
}
