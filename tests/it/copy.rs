//! Copy rules for the words of the command line, the terminal view, the menu, notifications and chats.
//!
//! And for the sentences that are made for people and agents.

use postern_tests::repository;
use std::fs;
use std::path::{Path, PathBuf};

/// Words that are quaint, vague or British. Those of the windows are checked by `ui/src/words/lint.test.ts`.
const INSTEAD: [(&str, &str); 22] = [
    ("mend", "fix"),
    ("mended", "fixed"),
    ("anew", "again"),
    ("a yes", "approval"),
    ("for good", "always"),
    ("the like", "etc."),
    ("one a line", "one per line"),
    ("without a question", "silently"),
    ("unasked", "silently"),
    ("whoever", "name the actor"),
    ("whatever", "name the thing"),
    ("on duty", "connected"),
    ("none where", "none if"),
    ("behind which", "after which"),
    ("taken back", "undone"),
    ("lately", "recently"),
    ("seldom", "rarely"),
    ("no rule for", "you haven’t allowed"),
    ("colour", "color"),
    ("licence", "license"),
    ("behaviour", "behavior"),
    ("organisation decides", "organization decides"),
];

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
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let all = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    all.filter(|path| path.extension().is_some_and(|kind| kind == "rs")).collect()
}

/// Returns what stands in quotes in the code, and what help says, without remarks, tests, and the reasons of attributes.
fn texts(source: &str, has_help: bool) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let mut texts = Vec::new();
    for line in code.lines().map(str::trim_start).filter(|line| !line.contains("reason = ")) {
        match line.strip_prefix("///") {
            // The doc comment of a command is what its help says.
            Some(help) if has_help => texts.push(help.to_owned()),
            None if !line.starts_with("//") => {
                texts.extend(line.split('"').skip(1).step_by(2).map(str::to_owned));
            }
            Some(_) | None => {}
        }
    }
    texts
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
    let cli = repository().join("src-tauri/crates/cli/src");
    let args =
        ["args.rs", "hook_args.rs", "import_args.rs", "rule_args.rs", "setup_args.rs", "shared_args.rs"];
    // Help is in doc comments; elsewhere these are for who reads the code.
    let helps = args.map(|file| cli.join(file)).to_vec();
    let quoted = ["src-tauri/crates/cli/src", "src-tauri/src", "src-tauri/crates/doors/src/chat", SENTENCES];
    let quoted = quoted.iter().flat_map(|folder| sources(&repository().join(folder)));
    let mut wrong = Vec::new();
    let mut seen = 0;
    for path in quoted.filter(|path| !is_test(path)) {
        for text in texts(&fs::read_to_string(&path).unwrap(), helps.contains(&path)) {
            seen += 1;
            wrong.extend(faults(&text).into_iter().map(|fault| format!("{}: {fault}", path.display())));
        }
    }
    assert!(seen > 1000, "only {seen} texts were found");
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
            let long = text.split(". ").find(|sentence| sentence.chars().count() > LONGEST_SENTENCE);
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

/// Pages that are not held to the words yet.
const LATER: [&str; 4] = ["README.md", "ATTACKS.md", "CONFINEMENT.md", "SCREENS.md"];

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
    pages.push(repository().join("CONTRIBUTING.md"));
    pages.retain(|path| path.file_name().is_none_or(|name| !LATER.contains(&&*name.to_string_lossy())));
    assert!(pages.len() > 9, "{pages:?}");
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
    "none where",
    "anew",
    "behind which",
    "on duty",
    "a yes",
    "organisation",
    "colour",
    "lately",
    "the like",
];

#[test]
fn comments_keep_to_the_words() {
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
    let source = "say(\"one\");\n// \"two\"\n/// Three";
    assert_eq!((texts(source, false), texts(source, true).len()), (vec!["one".to_owned()], 2));
}
