//! Copy rules for the words of the command line, the terminal view, the menu, notifications and chats.
//!
//! And for the sentences that are made for people and agents.

use postern_tests::repository;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Words that are quaint, vague or British, with what is better: the same for the windows, whose texts
/// `ui/src/words/lint.test.ts` reads.
static INSTEAD: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let file = repository().join("ui/src/words/instead.json");
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
});

/// Crates whose texts are the names of columns and of effects.
const NO_TEXTS: [&str; 2] = ["programs", "store"];
/// Folder in which sentences are made of facts.
const SENTENCES: &str = "src-tauri/crates/contract/src/render";
/// Characters of one piece of a sentence, of several where there are several in it.
const LONGEST_SENTENCE: usize = 120;
/// Characters of an item of the menu.
const LONGEST_ITEM: usize = 40;
/// Words that stay small inside of a title.
const SMALL: [&str; 12] = ["a", "an", "and", "at", "by", "for", "in", "of", "on", "or", "the", "to"];

fn is_test(path: &Path) -> bool {
    let is_file = path.file_name().is_some_and(|name| name.to_string_lossy().ends_with("tests.rs"));
    is_file || path.parent().is_some_and(|folder| folder.ends_with("tests"))
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    files(folder, &["rs"])
}

/// Returns the files below a folder whose names end in one of `kinds`.
fn files(folder: &Path, kinds: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let all = entries.flat_map(|path| if path.is_dir() { files(&path, kinds) } else { vec![path] });
    all.filter(|path| path.extension().is_some_and(|kind| kinds.iter().any(|one| kind == *one))).collect()
}

/// Returns the texts of the code, and what help says, without remarks, tests, and the reasons of attributes.
fn texts(source: &str, has_help: bool) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let helps = code.lines().filter_map(|line| line.trim_start().strip_prefix("///"));
    // The doc comment of a command is what its help says.
    let mut texts: Vec<String> = helps.filter(|_| has_help).map(str::to_owned).collect();
    let mut rest = code;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some((text, length)) = literal(rest).filter(|_| !is_in_name(before)) {
            let line = code[..code.len() - rest.len()].rsplit('\n').next().unwrap_or_default();
            texts.extend(Some(text).filter(|text| is_read(text) && !line.contains("reason = ")));
            length
        } else {
            letter(rest).unwrap_or(first.len_utf8())
        };
        before = first;
        rest = &rest[length..];
    }
    texts
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns true if a text is more than a name that programs use.
fn is_read(text: &str) -> bool {
    !text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_.-/".contains(c))
}

/// Returns the length of a letter in quotes that begins here.
fn letter(code: &str) -> Option<usize> {
    let inner = code.strip_prefix('\'')?;
    let escaped = inner.starts_with('\\');
    let end = inner.char_indices().skip(if escaped { 2 } else { 1 }).find(|(_, c)| *c == '\'')?.0;
    (escaped || inner[..end].chars().count() == 1).then_some(end + 2)
}

/// Returns a text in quotes that begins here, in one line and with … for what is filled in, and its length in the code.
fn literal(code: &str) -> Option<(String, usize)> {
    let bare = code.strip_prefix('b').unwrap_or(code);
    let (text, end) = if let Some(raw) = bare.strip_prefix('r') {
        let marks = raw.chars().take_while(|c| *c == '#').count();
        let text = raw[marks..].strip_prefix('"')?;
        let close = format!("\"{}", "#".repeat(marks));
        let end = text.find(&close)?;
        (text[..end].to_owned(), code.len() - text.len() + end + close.len())
    } else {
        let text = bare.strip_prefix('"')?;
        let mut escaped = false;
        let is_end = |(_, c): &(usize, char)| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        };
        let end = text.char_indices().find(is_end)?.0;
        (unescaped(&text[..end]), code.len() - text.len() + end + 1)
    };
    Some((without_names(&text), end))
}

/// Returns a text in one line.
fn unescaped(text: &str) -> String {
    let mut letters = text.chars().peekable();
    let mut plain = String::new();
    while let Some(c) = letters.next() {
        match (c, letters.peek()) {
            ('\\', Some('\n')) => while letters.next_if(|c| c.is_whitespace()).is_some() {},
            ('\\', Some(escaped)) => {
                plain.push(if matches!(escaped, 'n' | 't') { ' ' } else { *escaped });
                letters.next();
            }
            _ => plain.push(c),
        }
    }
    plain
}

/// Returns a text without what is filled in (`{name}`), and without the keys of JSON, which are names on the wire.
fn without_names(text: &str) -> String {
    let mut parts = text.split('{');
    let mut found = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('}') {
            Some((name, after)) if !name.contains([' ', '\n', '"']) => found.extend(["…", after]),
            _ => found.push_str(part),
        }
    }
    let quoted: Vec<&str> = found.split('"').collect();
    let is_key = |at: usize| at % 2 == 1 && quoted.get(at + 1).is_some_and(|after| after.starts_with(':'));
    let kept = quoted.iter().enumerate().filter(|(at, _)| !is_key(*at));
    kept.map(|(_, part)| *part).collect::<Vec<_>>().join(" ")
}

/// Returns the words of a text, each between blanks.
fn words(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '\'' { c.to_ascii_lowercase() } else { ' ' })
        .collect();
    format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn faults(text: &str) -> Vec<String> {
    let words = words(text);
    let wrong = INSTEAD.iter().filter(|(word, _)| words.contains(&format!(" {word} ")));
    wrong.map(|(word, better)| format!("{text:?}: {word} → {better}")).collect()
}

#[test]
fn what_people_read_keeps_to_the_copy_rules() {
    let crates = fs::read_dir(repository().join("src-tauri/crates")).unwrap();
    let crates = crates
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().is_some_and(|name| !NO_TEXTS.contains(&&*name.to_string_lossy())));
    let folders: Vec<PathBuf> =
        crates.map(|path| path.join("src")).chain([repository().join("src-tauri/src")]).collect();
    // Help is in doc comments; elsewhere these are for who reads the code.
    let is_help = |path: &Path| {
        let named = path.file_name().is_some_and(|name| name.to_string_lossy().ends_with("args.rs"));
        named && path.parent().is_some_and(|folder| folder.ends_with("cli/src"))
    };
    let mut wrong = Vec::new();
    let mut seen = 0;
    for path in folders.iter().flat_map(|folder| sources(folder)).filter(|path| !is_test(path)) {
        for text in texts(&fs::read_to_string(&path).unwrap(), is_help(&path)) {
            seen += 1;
            wrong.extend(faults(&text).into_iter().map(|fault| format!("{}: {fault}", path.display())));
        }
    }
    let pages = folders.iter().flat_map(|folder| files(folder, &["txt", "js"]));
    let pages: Vec<PathBuf> = pages.filter(|path| !is_test(path)).collect();
    for path in &pages {
        let text = without_names(&fs::read_to_string(path).unwrap());
        wrong.extend(faults(&text).into_iter().map(|fault| format!("{}: {fault}", path.display())));
    }
    assert!(seen > 5000 && pages.len() > 5, "only {seen} texts and {} pages were found", pages.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns true if a typewriter's apostrophe stands between letters, or begins the rest of a word.
fn is_straight(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    text.starts_with("'s ")
        || letters.windows(3).any(|w| w[0].is_alphabetic() && w[1] == '\'' && w[2].is_alphabetic())
}

#[test]
fn sentences_in_the_windows_have_one_apostrophe() {
    let root = repository();
    let folders = [SENTENCES, "src-tauri/crates/command/src", "src-tauri/src"]
        .map(|folder| sources(&root.join(folder)));
    let doors = root.join("src-tauri/crates/contract/src/methods/doors.rs");
    let mut seen: Vec<(PathBuf, String)> = Vec::new();
    for path in folders.into_iter().flatten().chain([doors]).filter(|path| !is_test(path)) {
        let found = texts(&fs::read_to_string(&path).unwrap(), false);
        seen.extend(found.into_iter().map(|text| (path.clone(), text)));
    }
    for entry in fs::read_dir(root.join("src-tauri/crates/command/programs")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        seen.extend(
            text.lines().filter(|line| line.starts_with("says")).map(|s| (path.clone(), s.to_owned())),
        );
    }
    let straight: Vec<_> = seen.iter().filter(|(_, text)| is_straight(text)).collect();
    assert!(straight.is_empty(), "’ instead: {straight:#?}");
    assert!(seen.iter().filter(|(_, text)| text.contains('’')).count() > 100, "they are looked at");
    assert!(is_straight("can't") && is_straight("'s own") && !is_straight("can’t: 'x'"));
}

#[test]
fn no_sentence_goes_on_and_on() {
    let mut seen = 0;
    for path in sources(&repository().join(SENTENCES)).iter().filter(|path| !is_test(path)) {
        for text in texts(&fs::read_to_string(path).unwrap(), false) {
            seen += 1;
            let mut clauses = [". ", ": ", "; "].iter().fold(vec![text.as_str()], |clauses, end| {
                clauses.into_iter().flat_map(|clause| clause.split(end)).collect()
            });
            clauses.retain(|clause| clause.chars().count() > LONGEST_SENTENCE);
            let long = clauses.first();
            assert!(long.is_none(), "{}: {long:?} is longer than {LONGEST_SENTENCE}", path.display());
        }
    }
    assert!(seen > 300, "only {seen} texts were found");
}

/// Returns the items of the menu: what stands after an id.
fn items(source: &str) -> Vec<&str> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let after_id = code.split("self.menu_item(\"").skip(1).filter_map(|call| call.split_once("\", \""));
    let plain = after_id.filter(|(id, _)| !id.contains(['(', '\n']));
    plain.filter_map(|(_, text)| text.split('"').next()).collect()
}

/// Returns true if every word but the small ones inside begins with a capital.
fn is_title(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| word.starts_with(char::is_alphabetic));
    words
        .enumerate()
        .all(|(at, word)| word.starts_with(char::is_uppercase) || at > 0 && SMALL.contains(&word))
}

#[test]
fn the_items_of_the_menu_are_short_titles() {
    let menu = fs::read_to_string(repository().join("src-tauri/src/menu.rs")).unwrap();
    let items = items(&menu);
    assert!(items.len() >= 8, "{items:?}");
    for item in items {
        assert!(is_title(item) && item.chars().count() <= LONGEST_ITEM, "{item:?}");
    }
    assert!(is_title("Block All Agents for 1 Hour") && !is_title("Open settings"));
}

/// Returns the lines of a page that people read, without examples and code.
fn prose(page: &str) -> Vec<String> {
    let parts = page.split("```").step_by(2).flat_map(str::lines);
    parts.map(|line| line.split('`').step_by(2).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn the_pages_keep_to_the_copy_rules() {
    let folder = fs::read_dir(repository().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        folder.filter(|path| path.extension().is_some_and(|kind| kind == "md")).collect();
    pages.extend(["CONTRIBUTING.md", "README.md"].map(|page| repository().join(page)));
    assert!(pages.len() > 20, "{pages:?}");
    let mut wrong = Vec::new();
    for path in pages {
        for line in prose(&fs::read_to_string(&path).unwrap()) {
            wrong.extend(faults(&line).into_iter().map(|fault| format!("{}: {fault}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the words of comments.
fn remarks(source: &str) -> Vec<String> {
    let lines = source.lines().map(str::trim_start).filter(|line| line.starts_with("//"));
    lines.map(|line| line.split('`').step_by(2).collect::<Vec<_>>().join(" ")).collect()
}

/// Words of the list that comments do not have either.
const COMMENTS: [&str; 9] = [
    "none where", "anew", "behind which", "on duty", "a yes", "organisation", "colour", "lately", "the like",
];

#[test]
fn comments_keep_to_the_words() {
    assert!(COMMENTS.iter().all(|word| INSTEAD.contains_key(*word)));
    let mut wrong = Vec::new();
    for path in sources(&repository().join("src-tauri")) {
        for line in remarks(&fs::read_to_string(&path).unwrap()) {
            let words = words(&line);
            let found = COMMENTS.iter().find(|word| words.contains(&format!(" {word} ")));
            wrong.extend(found.map(|word| format!("{}: {word}: {line}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn quaint_words_are_found() {
    assert_eq!(faults("Remove it, and write it anew.").len(), 1);
    assert_eq!(faults("It runs without a yes, for good").len(), 2);
    assert_eq!(faults("a yesterday that amends"), Vec::<String>::new());
}

#[test]
fn the_texts_of_code_are_found_in_every_form() {
    let source = concat!(
        "say(\"one \\\"two\\\"\", '\"', &'a str);\n// \"Not\"\n/// Help\n",
        "x(\"three {name}\\\n   four\", r#\"five \"{}\" \"key\": 6\"#, \"key\", '\\'');\n",
        "#[expect(x, reason = \"Not this\")]\nvar\"Not\"",
    );
    let found = texts(source, false);
    assert_eq!(found[..2], ["one  two ", "three …four"]);
    assert!(found[2].starts_with("five"), "{found:?}");
    assert!(found[2].ends_with(": 6"), "{found:?}");
    assert!(!found[2].contains("key"), "{found:?}");
    assert_eq!((found.len(), texts(source, true).len()), (3, 4), "{found:?}");
}
