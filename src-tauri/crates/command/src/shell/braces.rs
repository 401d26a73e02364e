//! Brace expansion of literal words: `{a,b}.txt` is two words.

/// One character of a word, after quotes are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// As it stands: special characters still mean something.
    Bare(char),
    /// Quoted or escaped: only itself.
    Quoted(char),
    /// An expansion whose value is known only at run time.
    Unknown {
        /// Whether the value could begin with a dash.
        dash: bool,
    },
}

/// Words that one word may become before it is taken as unknown.
const MOST_WORDS: usize = 64;

/// The words that brace expansion makes of one; `None` for a sequence (`{1..9}`), or too many words.
pub(super) fn expand(word: &[Unit]) -> Option<Vec<Vec<Unit>>> {
    let mut done = Vec::new();
    let mut open = vec![word.to_vec()];
    while let Some(word) = open.pop() {
        if done.len() + open.len() > MOST_WORDS {
            return None;
        }
        match first_list(&word) {
            Found::Nothing => done.push(word),
            Found::Sequence => return None,
            Found::List { start, end, commas } => {
                let mut from = start + 1;
                let mut members = Vec::new();
                for to in commas.into_iter().chain([end]) {
                    members.push([&word[..start], &word[from..to], &word[end + 1..]].concat());
                    from = to + 1;
                }
                open.extend(members.into_iter().rev());
            }
        }
    }
    Some(done)
}

enum Found {
    Nothing,
    Sequence,
    List { start: usize, end: usize, commas: Vec<usize> },
}

fn first_list(word: &[Unit]) -> Found {
    for start in (0..word.len()).filter(|&at| word[at] == Unit::Bare('{')) {
        let mut depth = 0usize;
        let mut commas = Vec::new();
        for (at, unit) in word.iter().enumerate().skip(start) {
            match unit {
                Unit::Bare('{') => depth += 1,
                Unit::Bare(',') if depth == 1 => commas.push(at),
                Unit::Bare('}') => depth -= 1,
                _ => {}
            }
            if depth == 0 && !commas.is_empty() {
                return Found::List { start, end: at, commas };
            }
            if depth == 0 {
                if word[start..at].windows(2).any(|pair| pair == [Unit::Bare('.'), Unit::Bare('.')]) {
                    return Found::Sequence;
                }
                break;
            }
        }
    }
    Found::Nothing
}

#[cfg(test)]
mod tests {
    use super::{Unit, expand};

    fn words(word: &str) -> Option<Vec<String>> {
        let units: Vec<Unit> = word.chars().map(Unit::Bare).collect();
        let text = |units: &Vec<Unit>| {
            units
                .iter()
                .map(|unit| if let Unit::Bare(c) | Unit::Quoted(c) = unit { *c } else { '?' })
                .collect()
        };
        Some(expand(&units)?.iter().map(text).collect())
    }

    #[test]
    fn lists_expand_in_order() {
        assert_eq!(words("{rm,-rf,build}").unwrap(), ["rm", "-rf", "build"]);
        assert_eq!(words("a{b,c}{d,e}").unwrap(), ["abd", "abe", "acd", "ace"]);
        assert_eq!(words("x{a,{b,c}}").unwrap(), ["xa", "xb", "xc"]);
    }

    #[test]
    fn other_braces_stay() {
        assert_eq!(words("{}").unwrap(), ["{}"]);
        assert_eq!(words("{a}").unwrap(), ["{a}"]);
        assert_eq!(words("a{b").unwrap(), ["a{b"]);
        assert_eq!(words("{1..9}"), None, "a sequence is not counted out");
        assert_eq!(words(&"{a,b}".repeat(9)), None, "512 words are too many");
    }
}
