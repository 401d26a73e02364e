//! The options of one word.

use std::borrow::Cow;

use postern_programs::{Style, Takes, listed, option_takes};

/// Options that may stand in a word, and how they are spelled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grammar<'g> {
    /// Options with what each takes. The first text that lists an option counts.
    pub(crate) options: &'g [&'g str],
    pub(crate) style: Style,
    /// True if an unambiguous beginning of a long name stands for that name.
    pub(crate) abbreviates: bool,
}

#[derive(Debug)]
pub(crate) struct WordOption<'a> {
    /// The name with its dashes.
    pub(crate) name: Cow<'a, str>,
    /// The rest of the word.
    pub(crate) attached: Option<&'a str>,
    /// Value that it takes; `None` for an option that is not listed.
    pub(crate) takes: Option<Takes>,
    /// True if the word is read as letters as well.
    pub(crate) is_guess: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextWordUse {
    /// Nothing.
    Leaves,
    /// The next word is its value.
    Takes,
    /// An option of the word is not listed, and may take the next word. Without it, the word would take it or not.
    Unknown { takes: bool },
}

impl NextWordUse {
    /// Returns true if the next word is read as a value, as far as the options are listed.
    pub(crate) fn takes_next(self) -> bool {
        matches!(self, Self::Takes | Self::Unknown { takes: true })
    }

    fn from_takes(takes: bool, is_sure: bool) -> Self {
        match (takes, is_sure) {
            (takes, false) => Self::Unknown { takes },
            (true, true) => Self::Takes,
            (false, true) => Self::Leaves,
        }
    }
}

impl Grammar<'_> {
    fn listed_takes(&self, name: &str) -> Option<Takes> {
        self.options.iter().find_map(|options| option_takes(options, name))
    }

    pub(super) fn letter(&self, letter: char) -> (Cow<'static, str>, Option<Takes>) {
        let name = letter_name(letter);
        let takes = self.listed_takes(&name);
        (name, takes)
    }

    /// Returns the only long name that begins so.
    fn full_name(&self, name: &str) -> Option<String> {
        let all = || self.options.iter().flat_map(|options| listed(options)).map(|(known, _)| known);
        let mut begins = all().filter(|known| known.starts_with("--") && known.starts_with(name));
        let only = begins.next()?;
        begins.next().is_none().then(|| only.to_owned())
    }

    /// Reads a word that begins with a dash, option by option.
    pub(crate) fn read_word<'a>(&self, word: &'a str, mut part: impl FnMut(WordOption<'a>)) -> NextWordUse {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let is_long = word.starts_with("--");
        let is_letter = !is_long && name.chars().count() == 2;
        let (mut name, mut known) = (Cow::Borrowed(name), self.listed_takes(name));
        if self.abbreviates
            && is_long
            && known.is_none()
            && let Some(full) = self.full_name(&name)
        {
            known = self.listed_takes(&full);
            name = Cow::Owned(full);
        }
        let is_whole = is_long || self.style == Style::Words || !is_letter && known.is_some();
        if is_whole || !is_letter {
            part(WordOption { name, attached, takes: known, is_guess: !is_whole });
        }
        if is_whole {
            let takes = known == Some(Takes::Value) && attached.is_none();
            return NextWordUse::from_takes(takes, known.is_some() || attached.is_some());
        }
        self.letters(word, part)
    }

    fn letters<'a>(&self, word: &'a str, mut part: impl FnMut(WordOption<'a>)) -> NextWordUse {
        // What stands behind `=` is a value.
        let mut is_sure = true;
        for (at, letter) in word.char_indices().skip(1) {
            let (name, takes) = self.letter(letter);
            let attached = word.get(at + letter.len_utf8()..).filter(|rest| !rest.is_empty());
            part(WordOption { name, attached, takes, is_guess: false });
            match takes {
                Some(Takes::Value) => return NextWordUse::from_takes(attached.is_none(), is_sure),
                Some(Takes::Optional) => return NextWordUse::from_takes(false, is_sure),
                Some(Takes::Nothing) | None if letter == '=' => return NextWordUse::Leaves,
                Some(Takes::Nothing) => {}
                None => is_sure = false,
            }
        }
        NextWordUse::from_takes(false, is_sure || word.contains('='))
    }
}

/// Returns an option of one letter with its dash.
fn letter_name(letter: char) -> Cow<'static, str> {
    static NAMES: [u8; 256] = letter_options();
    let ascii = u8::try_from(letter).ok().filter(u8::is_ascii).map(usize::from);
    let name = ascii.and_then(|at| std::str::from_utf8(NAMES.get(2 * at..2 * at + 2)?).ok());
    name.map_or_else(|| Cow::Owned(format!("-{letter}")), Cow::Borrowed)
}

/// Returns every ASCII letter behind a dash.
const fn letter_options() -> [u8; 256] {
    let mut names = [b'-'; 256];
    let mut letter = 0;
    while letter < 128 {
        names[2 * letter as usize + 1] = letter;
        letter += 1;
    }
    names
}
