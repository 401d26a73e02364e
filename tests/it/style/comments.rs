//! Rules for doc comments: what stands first, and how long the first paragraph is.

use super::{Source, list, sources};
use std::collections::BTreeMap;
use std::fs;

/// First words that put off what the comment is about.
const OPENINGS: [&str; 20] = [
    "What", "Whether", "Where", "Who", "Whom", "Whose", "Whoever", "Whatever", "How", "Which", "Why", "When",
    "It", "Its", "They", "Them", "One", "None", "Nobody", "Same",
];
/// Most sentences of the first paragraph, and most words of each. What follows a blank line says why.
const SENTENCES: usize = 2;
const WORDS: usize = 25;

/// Doc comment, with the item below it.
struct Comment {
    line: usize,
    paragraph: String,
    /// First line of the item after its attributes; empty for the comment of a module.
    item: String,
    attributes: String,
}

fn comments(text: &str) -> Vec<Comment> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some(mark) = ["///", "//!"].into_iter().find(|mark| lines[at].starts_with(mark)) else {
            at += 1;
            continue;
        };
        let end = (at..lines.len()).find(|&next| !lines[next].starts_with(mark)).unwrap_or(lines.len());
        let said = lines[at..end].iter().map(|line| line[mark.len()..].trim());
        let paragraph: Vec<&str> = said.take_while(|line| !ends_paragraph(line)).collect();
        let attributes: Vec<&str> = lines[end..]
            .iter()
            .copied()
            .take_while(|line| line.is_empty() || line.starts_with('#'))
            .collect();
        let item = lines.get(end + attributes.len()).filter(|_| mark == "///").copied().unwrap_or_default();
        found.push(Comment {
            line: at + 1,
            paragraph: paragraph.join(" "),
            item: item.to_owned(),
            attributes: attributes.join(" "),
        });
        at = end;
    }
    found
}

fn ends_paragraph(line: &str) -> bool {
    line.is_empty() || ["- ", "* ", "```", "|", "#", "1. "].iter().any(|start| line.starts_with(start))
}

/// Returns true if the item is a function that is no test.
fn is_function(comment: &Comment) -> bool {
    let words: Vec<&str> = comment.item.split_whitespace().collect();
    let before = words.iter().take_while(|word| **word != "fn");
    let all = ["pub", "const", "async", "unsafe", "extern", "\"C\""];
    let mut named = before.filter(|word| !all.contains(word) && !word.starts_with("pub("));
    let is_test = comment.attributes.contains("test");
    words.contains(&"fn") && named.next().is_none_or(|word| word.ends_with(')')) && !is_test
}

/// Returns the text with each span of code as one word.
fn without_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { part } else { "`code`" }).collect()
}

fn sentences(paragraph: &str) -> Vec<String> {
    let mut found: Vec<String> = vec![String::new()];
    for word in without_code(paragraph).split_whitespace() {
        let ended = found.last().is_some_and(|sentence| sentence.ends_with(['.', '!', '?']));
        if ended && word.starts_with(|c: char| c.is_uppercase() || "`(*[\"".contains(c)) {
            found.push(String::new());
        }
        let sentence = found.last_mut().unwrap();
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        sentence.push_str(word);
    }
    found
}

fn faults(comment: &Comment) -> Vec<String> {
    let mut found = Vec::new();
    let plain = comment.paragraph.trim_start_matches(['`', '"', '(', '*', '[']);
    let first: String = plain.chars().take_while(|c| c.is_alphanumeric() || "-'’".contains(*c)).collect();
    if OPENINGS.contains(&first.as_str()) || plain.starts_with("The same") {
        found.push(format!("begins with {first:?}: name the thing, or what the function does"));
    }
    let is_verb = first.ends_with('s') && first.starts_with(char::is_uppercase) && first.len() > 2;
    if is_function(comment) && !is_verb && !comment.paragraph.is_empty() {
        found.push(format!("begins with {first:?}: begin with a verb (Returns, Reads, Checks)"));
    }
    let sentences = sentences(&comment.paragraph);
    if sentences.len() > SENTENCES {
        found.push(format!("{} sentences: put the reasons behind a blank line", sentences.len()));
    }
    if let Some(long) = sentences.iter().find(|sentence| sentence.split(' ').count() > WORDS) {
        found.push(format!("more than {WORDS} words: {long}"));
    }
    found
}

/// Returns the faults of each file that has some.
fn wrong() -> BTreeMap<String, Vec<String>> {
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut seen = 0;
    for source in sources() {
        // Help of the command line lists the forms of a value in one sentence.
        let is_help = source.room() == "cli" && source.path.ends_with("args.rs");
        for comment in comments(&source.text).iter().filter(|comment| !is_help || comment.item.is_empty()) {
            seen += 1;
            for fault in faults(comment) {
                wrong.entry(source.path.clone()).or_default().push(format!("line {}: {fault}", comment.line));
            }
        }
    }
    assert!(seen > 8_000, "only {seen} comments were found");
    wrong
}

pub(super) fn write() {
    let lines = wrong().into_iter().map(|(path, faults)| format!("{} {path}\n", faults.len()));
    fs::write(list("comments.txt"), lines.collect::<String>()).unwrap();
}

#[test]
fn comments_say_at_once_what_they_are_about() {
    let text = fs::read_to_string(list("comments.txt")).unwrap();
    let known: BTreeMap<&str, usize> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(count, path)| (path, count.parse().unwrap()))
        .collect();
    let mut more = wrong();
    more.retain(|path, faults| faults.len() > known.get(path.as_str()).copied().unwrap_or_default());
    let more: Vec<String> =
        more.into_iter().map(|(path, faults)| format!("{path}:\n{}", faults.join("\n"))).collect();
    assert!(more.is_empty(), "{}", more.join("\n"));
}

/// Returns true if a line begins an item that other crates can use and that is no plain field.
fn is_public(line: &str) -> bool {
    let kinds =
        ["fn ", "async fn ", "const ", "unsafe fn ", "struct ", "enum ", "trait ", "type ", "static "];
    let public = line.strip_prefix("pub ");
    // A macro names its items by `$`.
    public.is_some_and(|item| kinds.iter().any(|kind| item.starts_with(kind)) && !item.contains('$'))
}

/// Returns the lines of public items without a comment.
fn uncommented(source: &Source) -> Vec<String> {
    let lines: Vec<&str> = source.code().into_iter().map(str::trim).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_public(line)) {
        let mut before = lines[..at].iter().rev().skip_while(|line| {
            line.starts_with('#') || line.ends_with(")]") || line.ends_with("\")]") || line.ends_with(',')
        });
        if !before.next().is_some_and(|line| line.starts_with("///")) {
            found.push(format!("{}: {line}", source.path));
        }
    }
    found
}

#[test]
fn what_other_crates_use_has_a_comment() {
    let sources = sources();
    let crates = sources.iter().filter(|source| {
        // The programs have no users among the crates.
        !source.is_test() && !["cli", "run", "desktop"].contains(&source.room())
    });
    let wrong: Vec<String> = crates.flat_map(uncommented).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn faults_of_comments_are_found() {
    let faults_of = |text: &str| comments(text).iter().flat_map(faults).collect::<Vec<_>>();
    let wrong = [
        "/// Whether it is so.\npub struct X;", "/// The path.\n#[must_use]\npub(crate) async fn path() {}",
        "/// Name. Kind. Size.\nstruct X;", "//! What is said.",
    ];
    for text in wrong {
        assert_eq!(faults_of(text).len(), 1, "{text}: {:?}", faults_of(text));
    }
    let long = format!("/// A {} end.\nstruct X;", "very ".repeat(WORDS));
    assert_eq!(faults_of(&long).len(), 1);
    let right = [
        "/// Returns the path of `what. Is. Not. Read`.\nfn path() {}",
        "/// Name.\n///\n/// Why. It. Is. So.\nname: String,",
        "/// A request is denied.\n#[test]\nfn denied() {}",
    ];
    for text in right {
        assert_eq!(faults_of(text), Vec::<String>::new(), "{text}");
    }
}
