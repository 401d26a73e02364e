//! Measures of names: each may only become better than it stands in a list.

use super::{Source, list, sources};
use std::collections::BTreeMap;
use std::fs;

/// Letters of a short function name.
const SHORT: usize = 5;
/// Names that the glossary has another word for, with that word. They go where their code is changed.
const RETIRED: [(&str, &str); 8] = [
    ("Face", "Approver"),
    ("Book", "PolicyStore"),
    ("Told", "Notification"),
    ("Heard", "Incoming"),
    ("Opaque", "Unparsed"),
    ("Guess", "Candidate"),
    ("Reading", "ParsedCommand"),
    ("Mistake", "ProtocolError"),
];

/// Returns each measure by its name.
fn measures(sources: &[Source]) -> BTreeMap<String, usize> {
    let product =
        || sources.iter().filter(|source| source.path.starts_with("src-tauri/") && !source.is_test());
    let mut types: BTreeMap<String, usize> = BTreeMap::new();
    let (mut functions, mut short) = (0, 0);
    for line in product().flat_map(Source::code) {
        let is_inner = line.starts_with(' ');
        let item = item(line);
        if let Some(name) =
            ["struct ", "enum ", "trait ", "union "].iter().find_map(|kind| item.strip_prefix(kind))
        {
            *types.entry(word(name)).or_default() += 1;
        } else if let Some(name) = item.strip_prefix("type ").filter(|_| !is_inner) {
            *types.entry(word(name)).or_default() += 1;
        } else if let Some(name) = item.strip_prefix("fn ") {
            functions += 1;
            short += usize::from(word(name).len() <= SHORT && !word(name).contains('_'));
        }
    }
    let all: usize = types.values().sum();
    let shared: usize = types.values().filter(|count| **count > 1).sum();
    let mut found = BTreeMap::from([
        ("percent of the types that share their name with another".to_owned(), (shared * 100).div_ceil(all)),
        ("percent of the functions named by a short word".to_owned(), (short * 100).div_ceil(functions)),
    ]);
    for (name, better) in RETIRED {
        let code = product().flat_map(Source::code).filter(|line| !line.trim().starts_with("//"));
        let words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        let uses = words.filter(|word| word.starts_with(name) && is_word(&word[name.len()..])).count();
        found.insert(format!("uses of {name} for {better}"), uses);
    }
    found
}

/// Returns true if a name ends here, or goes on with another word.
fn is_word(rest: &str) -> bool {
    rest.chars().next().is_none_or(|next| next.is_uppercase() || next == 's')
}

/// Returns a line from its kind of item on.
fn item(line: &str) -> &str {
    let mut rest = line.trim();
    for before in ["const ", "async ", "unsafe ", "extern \"C\" "] {
        if let Some(after) = rest.strip_prefix("pub") {
            rest = after.split_once(' ').map_or(after, |(_, after)| after);
        }
        rest = rest.strip_prefix(before).unwrap_or(rest);
    }
    rest
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Returns the lines of Rust by room: of the product, and of tests.
fn lines(sources: &[Source]) -> BTreeMap<String, (usize, usize)> {
    let mut found: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for source in sources {
        let (all, code) = (source.text.lines().count(), source.code().len());
        let room = found.entry(source.room().to_owned()).or_default();
        let code = if source.is_test() { 0 } else { code };
        *room = (room.0 + code, room.1 + all - code);
    }
    found
}

#[expect(clippy::print_stdout, reason = "scripts/style shows the lines by room")]
pub(super) fn write() {
    let sources = sources();
    let found = measures(&sources);
    let text: Vec<String> = found.iter().map(|(name, value)| format!("{value:5} {name}\n")).collect();
    fs::write(list("measures.txt"), text.concat()).unwrap();
    let rooms = lines(&sources);
    let (product, tests) = rooms.values().fold((0, 0), |sum, room| (sum.0 + room.0, sum.1 + room.1));
    for (room, (product, tests)) in rooms {
        println!("{room:12} {product:7} {tests:7}");
    }
    println!("{:12} {product:7} {tests:7}", "all");
}

#[test]
fn names_only_become_better() {
    let text = fs::read_to_string(list("measures.txt")).unwrap();
    let known: BTreeMap<&str, usize> = text
        .lines()
        .filter_map(|line| line.trim().split_once(' '))
        .map(|(value, name)| (name, value.parse().unwrap()))
        .collect();
    for (name, value) in measures(&sources()) {
        let most = known.get(name.as_str()).unwrap_or_else(|| panic!("no line about {name}"));
        assert!(value <= *most, "{name}: {value}, at most {most}");
    }
}

#[test]
fn items_are_read_without_what_stands_before() {
    assert_eq!(item("    pub(crate) const fn of(x: u8) {"), "fn of(x: u8) {");
    assert_eq!(item("pub struct Rule {"), "struct Rule {");
    assert_eq!(word("Rule<'a> {"), "Rule");
    assert!(is_word("Id") && is_word("") && is_word("s") && !is_word("book"));
}
