//! Reading a pattern into nodes.

use super::LONGEST;

/// Piece of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Unit(u16),
    /// `?`: one unit.
    One,
    /// `*` and `**`: any text, slashes and all.
    Star,
    /// `[…]`.
    Set {
        /// True if it is `[^…]`.
        negated: bool,
        /// True if it is `[!…]`, which shells and picomatch read differently.
        unclear: bool,
        /// First and last unit of each range.
        ranges: Vec<(u16, u16)>,
        /// As written: picomatch takes it for itself as well.
        written: Vec<u16>,
    },
    /// `{a,b}`, `(a|b)`, `@(a|b)`, `?(a)`: one of these.
    Any(Vec<Vec<Node>>),
    /// `+(a|b)` and `*(a|b)`: several of these; `least` of them.
    Many {
        /// 0 or 1.
        least: usize,
        /// Alternatives that may be repeated.
        branches: Vec<Vec<Node>>,
    },
    /// Strictly it has to be there; generously it may be left out at the text's end.
    Perhaps(Vec<Node>),
    /// `!(a|b)`: anything but these.
    Not {
        /// Alternatives that are excluded.
        branches: Vec<Vec<Node>>,
        /// True if nothing stands behind it.
        last: bool,
        /// True if a slash stands in it.
        slashed: bool,
    },
}

/// Groups may stand in groups so deep.
const DEEPEST: usize = 8;

/// Reads a pattern; gives whether all of it is negated.
pub(super) fn parse_glob(pattern: &[u16]) -> Result<(bool, Vec<Node>), String> {
    if pattern.len() > LONGEST {
        return Err(format!("is longer than {LONGEST} characters"));
    }
    let marks = pattern.iter().take_while(|unit| is_char(**unit, '!')).count();
    // The last ! before ( belongs to the group.
    let marks = if pattern.get(marks).is_some_and(|unit| is_char(*unit, '(')) {
        marks.saturating_sub(1)
    } else {
        marks
    };
    let rest = &pattern[marks..];
    let rest = rest.strip_prefix(&[u16::from(b'.'), u16::from(b'/')]).unwrap_or(rest);
    if rest.is_empty() {
        return Err("holds nothing to compare with".to_owned());
    }
    let mut reader = GlobReader { text: rest, at: 0, depth: 0, repeated: 0 };
    let nodes = reader.read_sequence(&[])?;
    Ok((marks % 2 == 1, nodes))
}

struct GlobReader<'a> {
    text: &'a [u16],
    at: usize,
    /// Number of open groups.
    depth: usize,
    /// Number of open groups that repeat.
    repeated: usize,
}

fn is_char(unit: u16, c: char) -> bool {
    u32::from(unit) == u32::from(c)
}

impl GlobReader<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).and_then(|unit| char::from_u32(u32::from(*unit)))
    }

    /// Reads until one of `ends`, which is not taken, or the pattern's end.
    fn read_sequence(&mut self, ends: &[char]) -> Result<Vec<Node>, String> {
        let mut nodes = Vec::new();
        while let Some(&unit) = self.text.get(self.at) {
            let c = self.peek(0).unwrap_or('\u{fffd}');
            if ends.contains(&c) {
                break;
            }
            let group = self.peek(1) == Some('(');
            match c {
                '!' | '@' | '+' | '*' | '?' if group => nodes.push(self.read_group(c)?),
                '(' => nodes.push(self.read_group('(')?),
                ')' => return Err("closes a ) that is not open".to_owned()),
                '|' => return Err("holds | outside of ( )".to_owned()),
                '"' => return Err("holds a quotation mark, which has no meaning in it".to_owned()),
                '*' => self.read_stars(&mut nodes),
                '?' => {
                    if self.follows(&[')']) {
                        return Err("repeats a group with ? behind it; write ?(…)".to_owned());
                    }
                    self.at += 1;
                    nodes.push(Node::One);
                }
                '+' if self.follows(&[')', ']', '}']) || self.depth > 0 => {
                    return Err(
                        "holds + where it would repeat what is before it; write +(…) or \\+".to_owned()
                    );
                }
                '[' if self.text[self.at + 1..].iter().any(|unit| is_char(*unit, ']')) => {
                    nodes.push(self.read_set()?);
                }
                '{' => self.read_braces(&mut nodes)?,
                '\\' => nodes.push(self.read_escaped()?),
                '/' if self.globstar(&mut nodes) => {}
                _ => {
                    self.at += 1;
                    nodes.push(Node::Unit(unit));
                }
            }
        }
        Ok(nodes)
    }

    /// Returns true if one of these, unescaped, stands right before.
    fn follows(&self, these: &[char]) -> bool {
        let before = |back: usize| self.at.checked_sub(back).and_then(|at| self.text.get(at)).copied();
        let stands = before(1).is_some_and(|unit| these.iter().any(|c| is_char(unit, *c)));
        stands && !before(2).is_some_and(|unit| is_char(unit, '\\'))
    }

    fn read_stars(&mut self, nodes: &mut Vec<Node>) {
        let at_start = self.at == 0;
        let mut stars = 0;
        while self.peek(0) == Some('*') && self.peek(1) != Some('(') {
            self.at += 1;
            stars += 1;
        }
        if at_start && stars == 2 && self.peek(0) == Some('/') {
            self.at += 1;
            while self.starts_with("**/") {
                self.at += 3;
            }
            nodes.push(Node::Any(vec![Vec::new(), vec![Node::Star, Node::Unit(u16::from(b'/'))]]));
        } else if nodes.last() != Some(&Node::Star) {
            nodes.push(Node::Star);
        }
    }

    fn starts_with(&self, these: &str) -> bool {
        these.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c))
    }

    /// Reads `**`: `/**/` is also `/`, and `/**` at the end also nothing.
    fn globstar(&mut self, nodes: &mut Vec<Node>) -> bool {
        if self.at == 0 || !self.starts_with("/**") || self.peek(3).is_some_and(|c| !"/)|,}".contains(c)) {
            return false;
        }
        while self.starts_with("/**/**") && matches!(self.peek(6), None | Some('/')) {
            self.at += 3;
        }
        let slash = Node::Unit(u16::from(b'/'));
        let below = vec![slash.clone(), Node::Star];
        self.at += 3;
        match self.peek(0) {
            None => nodes.push(Node::Any(vec![Vec::new(), below])),
            Some('/') => {
                self.at += 1;
                let through = vec![slash.clone(), Node::Star, slash.clone()];
                nodes.push(Node::Perhaps(vec![Node::Any(vec![vec![slash], through])]));
            }
            Some(_) => nodes.push(Node::Perhaps(below)),
        }
        true
    }

    fn read_escaped(&mut self) -> Result<Node, String> {
        match (self.text.get(self.at + 1), self.peek(1)) {
            (Some(unit), Some(c)) if !c.is_alphanumeric() => {
                self.at += 2;
                Ok(Node::Unit(*unit))
            }
            _ => Err("holds a backslash that has no meaning; it makes the sign behind it an ordinary one"
                .to_owned()),
        }
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(format!("nests groups deeper than {DEEPEST}")) } else { Ok(()) }
    }

    /// Reads `!(`, `@(`, `+(`, `*(`, `?(` or `(`, with the content of the group.
    fn read_group(&mut self, kind: char) -> Result<Node, String> {
        self.at += if kind == '(' { 1 } else { 2 };
        if self.peek(0) == Some('?') {
            return Err("holds (?, which is no pattern".to_owned());
        }
        let repeats = matches!(kind, '+' | '*');
        if repeats && self.repeated > 0 {
            return Err("repeats what is repeated already".to_owned());
        }
        self.deeper()?;
        let from = self.at;
        self.repeated += usize::from(repeats);
        let branches = self.read_branches('|', ')')?;
        self.repeated -= usize::from(repeats);
        self.depth -= 1;
        if repeats {
            check_repeated(&branches)?;
        }
        let closes = |unit: &u16| is_char(*unit, ')');
        let last = self.text[self.at..].iter().all(closes);
        let slashed = self.text[from..self.at].iter().any(|unit| is_char(*unit, '/'));
        Ok(match kind {
            '!' => Node::Not { branches, last, slashed },
            '+' => Node::Many { least: 1, branches },
            '*' => Node::Many { least: 0, branches },
            '?' => Node::Any(branches.into_iter().chain([Vec::new()]).collect()),
            _ => Node::Any(branches),
        })
    }

    /// Reads alternatives that are parted by `between`, until `end`, which is taken.
    fn read_branches(&mut self, between: char, end: char) -> Result<Vec<Vec<Node>>, String> {
        let mut branches = Vec::new();
        loop {
            branches.push(self.read_sequence(&[between, end])?);
            let c = self.peek(0).ok_or_else(|| format!("does not close what {end} would close"))?;
            self.at += 1;
            if c == end {
                return Ok(branches);
            }
        }
    }

    /// Reads `{a,b}` or `{a..c}`; without a comma, braces are themselves.
    fn read_braces(&mut self, nodes: &mut Vec<Node>) -> Result<(), String> {
        if let (Some(from), Some('.'), Some('.'), Some(to), Some('}')) =
            (self.peek(1), self.peek(2), self.peek(3), self.peek(4), self.peek(5))
            && from.is_alphanumeric()
            && to.is_alphanumeric()
        {
            let unit = |ahead: usize| self.text.get(self.at + ahead).copied().unwrap_or_default();
            let (from, to) = (unit(1).min(unit(4)), unit(1).max(unit(4)));
            nodes.push(Node::Set {
                negated: false,
                unclear: false,
                ranges: vec![(from, to)],
                written: Vec::new(),
            });
            self.at += 6;
            return Ok(());
        }
        let open = self.text[self.at];
        self.at += 1;
        let from = self.at;
        self.deeper()?;
        let mut branches = self.read_branches(',', '}')?;
        self.depth -= 1;
        let inside = &self.text[from..self.at];
        if inside.windows(2).any(|two| two.iter().all(|unit| is_char(*unit, '.'))) {
            return Err("holds .. in { }, which only works between two single signs".to_owned());
        }
        if branches.len() == 1 {
            nodes.push(Node::Unit(open));
            nodes.append(&mut branches[0]);
            nodes.push(Node::Unit(u16::from(b'}')));
        } else {
            nodes.push(Node::Any(branches));
        }
        Ok(())
    }

    /// Reads `[abc]`, `[a-z]`, `[^a]` or `[[:alpha:]]`.
    fn read_set(&mut self) -> Result<Node, String> {
        let from = self.at;
        self.at += 1;
        let negated = self.peek(0) == Some('^');
        let unclear = self.peek(0) == Some('!');
        self.at += usize::from(negated || unclear);
        let mut ranges = Vec::new();
        let mut first = true;
        loop {
            let c = self.peek(0);
            match c {
                None => return Err("does not close its [".to_owned()),
                Some(']') if !first => break,
                Some('[') if self.peek(1) == Some(':') => ranges.extend(self.read_posix_class()?),
                _ => ranges.push(self.read_range()?),
            }
            first = false;
        }
        self.at += 1;
        Ok(Node::Set { negated, unclear, ranges, written: self.text[from..self.at].to_vec() })
    }

    fn read_range(&mut self) -> Result<(u16, u16), String> {
        let from = self.read_member()?;
        let is_range = self.peek(0) == Some('-') && self.peek(1).is_some_and(|c| c != ']');
        if !is_range {
            return Ok((from, from));
        }
        self.at += 1;
        let to = self.read_member()?;
        if to < from { Err("holds a range that runs backwards".to_owned()) } else { Ok((from, to)) }
    }

    fn read_member(&mut self) -> Result<u16, String> {
        let unit = *self.text.get(self.at).ok_or("does not close its [")?;
        if is_char(unit, '\\') {
            return match self.read_escaped()? {
                Node::Unit(unit) => Ok(unit),
                _ => Err("holds a backslash that has no meaning".to_owned()),
            };
        }
        self.at += 1;
        Ok(unit)
    }

    /// Reads `[:alpha:]` within a set.
    fn read_posix_class(&mut self) -> Result<Vec<(u16, u16)>, String> {
        let rest: String = (2..12).map_while(|ahead| self.peek(ahead)).take_while(|c| *c != ':').collect();
        let known = POSIX.iter().find(|(name, _)| *name == rest);
        let Some((name, ranges)) = known else { return Err(format!("holds [:{rest}:], which is no class")) };
        let end = 2 + name.len();
        if self.peek(end) != Some(':') || self.peek(end + 1) != Some(']') {
            return Err(format!("does not close [:{name}:]"));
        }
        self.at += end + 2;
        Ok(ranges.iter().map(|(from, to)| (u16::from(*from), u16::from(*to))).collect())
    }
}

/// Refuses repetitions that picomatch itself gives up on, because they would be slow.
fn check_repeated(branches: &[Vec<Node>]) -> Result<(), String> {
    let same = |branch: &Vec<Node>| match branch.first() {
        Some(Node::Unit(unit)) if branch.iter().all(|node| *node == Node::Unit(*unit)) => Some(*unit),
        _ => None,
    };
    let only_stars = |branch: &Vec<Node>| branch.iter().all(|node| matches!(node, Node::Star | Node::One));
    let alike = branches.iter().enumerate().any(|(at, branch)| {
        same(branch).is_some_and(|unit| branches[..at].iter().any(|other| same(other) == Some(unit)))
    });
    if alike || branches.iter().any(only_stars) {
        return Err("repeats what may be nothing, or the same twice".to_owned());
    }
    Ok(())
}

/// The classes that picomatch knows.
const POSIX: &[(&str, &[(u8, u8)])] = &[
    ("alnum", &[(b'a', b'z'), (b'A', b'Z'), (b'0', b'9')]),
    ("alpha", &[(b'a', b'z'), (b'A', b'Z')]),
    ("ascii", &[(0, 0x7f)]),
    ("blank", &[(b' ', b' '), (b'\t', b'\t')]),
    ("cntrl", &[(0, 0x1f), (0x7f, 0x7f)]),
    ("digit", &[(b'0', b'9')]),
    ("graph", &[(0x21, 0x7e)]),
    ("lower", &[(b'a', b'z')]),
    ("print", &[(0x20, 0x7e)]),
    ("punct", &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')]),
    ("space", &[(b' ', b' '), (b'\t', b'\r')]),
    ("upper", &[(b'A', b'Z')]),
    ("word", &[(b'A', b'Z'), (b'a', b'z'), (b'0', b'9'), (b'_', b'_')]),
    ("xdigit", &[(b'A', b'F'), (b'a', b'f'), (b'0', b'9')]),
];
