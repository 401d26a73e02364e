//! Brace expansion of literal words: `{a,b}.txt` is two words.

/// Character of a word, after quotes are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// As it stands: special characters still mean something.
    Bare(char),
    /// Quoted or escaped: only itself.
    Quoted(char),
    /// An expansion whose value is known only at run time.
    Unknown {
        /// True if the value could begin with a dash.
        dash: bool,
    },
}

/// Words that one word may become before it is taken as unknown.
pub(super) const MOST_WORDS: usize = 64;

/// Returns the words that brace expansion makes of one; `None` for too many words, or a sequence that shells
/// count differently.
pub(super) fn expand(word: &[Unit]) -> Option<Vec<Vec<Unit>>> {
    let mut done = Vec::new();
    let mut open = vec![word.to_vec()];
    while let Some(word) = open.pop() {
        if done.len() + open.len() > MOST_WORDS {
            return None;
        }
        match first_list(&word) {
            BraceList::Nothing => done.push(word),
            BraceList::Sequence { start, end } => {
                for member in sequence(&word[start + 1..end])? {
                    open.push([&word[..start], &member, &word[end + 1..]].concat());
                }
            }
            BraceList::List { start, end, commas } => {
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

enum BraceList {
    Nothing,
    Sequence { start: usize, end: usize },
    List { start: usize, end: usize, commas: Vec<usize> },
}

fn first_list(word: &[Unit]) -> BraceList {
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
                return BraceList::List { start, end: at, commas };
            }
            if depth == 0 {
                if word[start..at].windows(2).any(|pair| pair == [Unit::Bare('.'), Unit::Bare('.')]) {
                    return BraceList::Sequence { start, end: at };
                }
                break;
            }
        }
    }
    BraceList::Nothing
}

/// Counts out `1..9`, last first. bash 3.2 knows neither leading zeros nor steps.
fn sequence(inside: &[Unit]) -> Option<Vec<Vec<Unit>>> {
    let bare = |unit: &Unit| if let Unit::Bare(c) = unit { Some(*c) } else { None };
    let text: String = inside.iter().map(bare).collect::<Option<_>>()?;
    let (from, to) = text.split_once("..")?;
    let number = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let plain = digits == "0" || !digits.starts_with('0');
        text.parse::<i32>().ok().filter(|_| plain && digits.len() <= 6 && !text.starts_with('+'))
    };
    let (from, to) = (number(from)?, number(to)?);
    let count = usize::try_from(from.abs_diff(to)).ok()? + 1;
    if count > MOST_WORDS {
        return None;
    }
    let (low, high) = (from.min(to), from.max(to));
    let word = |number: i32| number.to_string().chars().map(Unit::Bare).collect();
    let words: Vec<Vec<Unit>> = (low..=high).map(word).collect();
    Some(if from < to { words.into_iter().rev().collect() } else { words })
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
        assert_eq!(words("a{9..11}").unwrap(), ["a9", "a10", "a11"]);
        assert_eq!(words("{1..-1}").unwrap(), ["1", "0", "-1"]);
        for other in ["{01..3}", "{1..9..2}", "{a..c}", "{1..999}", "{x..$y}"] {
            assert_eq!(words(other), None, "{other} is counted differently, or too long");
        }
        assert_eq!(words(&"{a,b}".repeat(9)), None, "512 words are too many");
        assert_eq!(words("{1..64}").map(|all| all.len()), Some(64));
        for many in ["{1..65}", "{1..50}{1..50}", "{1..40}{a,b,c}"] {
            assert_eq!(words(many), None, "{many} is too many");
        }
    }
}
