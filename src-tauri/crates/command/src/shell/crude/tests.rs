use super::{MOST_GUESSES, candidates};

fn finds(text: &str) -> bool {
    candidates(text).iter().any(|argv| argv[0].rsplit('/').next() == Some("rm"))
}

#[test]
fn braces_make_so_many_words_and_no_more() {
    let braces = "{a,b}{c,d}{e,f}{g,h} ";
    let few = candidates(&format!("x {}", braces.repeat(100)));
    assert!(!few.iter().any(crate::CandidateCommand::is_partly), "1,500 words more are made");
    let many = candidates(&format!("x {}\nrm -rf /", braces.repeat(1_000)));
    assert!(many.iter().any(crate::CandidateCommand::is_partly), "not all of 15,000 are");
    assert!(many.iter().any(|argv| **argv == ["rm", "-rf", "/"]), "and nothing behind them is lost");
    assert!(many.iter().map(|argv| argv.shared_words().0.len()).max() < Some(4_000));
}

#[test]
fn commands_are_guessed_in_command_places_only() {
    let found = candidates("echo rm; \"r\"m -rf x && X=1 r\\m y | $'\\x72\\x6d' z; {rm,-rf,q}");
    let heads: Vec<&str> = found.iter().map(|argv| argv[0].as_str()).collect();
    assert_eq!(heads.iter().filter(|head| **head == "rm").count(), 4, "{found:?}");
    assert!(found.iter().any(|argv| **argv == ["echo", "rm"]));
}

#[test]
fn every_spelling_is_found() {
    for text in crate::tests::rows::<String>(include_str!("spellings.jsonl")) {
        assert!(finds(&text), "{text:?}: {:?}", candidates(&text));
    }
    for text in ["ls rm", "echo 'rm x'", "git log --grep=rm", "grep 'a; b' rm", "cat x # no"] {
        assert!(!finds(text), "{text:?}: {:?}", candidates(text));
    }
}

#[test]
fn an_operator_in_quotes_ends_no_command() {
    let has = |text: &str, words: &[&str]| candidates(text).iter().any(|argv| **argv == *words);
    for (text, word) in [
        ("git add 'a;b' -f", "a;b"),
        ("ls;git add 'a;b' -f", "a;b"),
        ("(git add \"a|b\" -f", "a|b"),
        ("git add '\"a;b' -f", "\"a;b"),
        ("git add \"'a;b\" -f", "'a;b"),
        ("git add \"a\\\";b\" -f", "a\";b"),
        ("git add a\\;b -f", "a;b"),
    ] {
        assert!(has(text, &["git", "add", word, "-f"]), "{text:?}: {:?}", candidates(text));
    }
}

#[test]
fn what_is_left_out_is_told_by_one_more() {
    let lines = |count: usize| (0..count).map(|nth| format!("a{nth} 'b c';")).collect::<Vec<_>>().concat();
    assert_eq!(candidates("ls; ls x").len(), 2);
    let sudo = (0..MOST_GUESSES).map(|nth| format!("sudo x{nth} y z;")).collect::<Vec<_>>().concat();
    for text in [lines(2 * MOST_GUESSES), format!("eval \"{}\"", lines(2 * MOST_GUESSES)), sudo] {
        assert_eq!(candidates(&text).len(), MOST_GUESSES + 1);
    }
}

#[test]
fn no_length_drops_one() {
    for pile in ["ls; ", "ls\n", "'", "a ", "x=1 ", "(", "$(", "{a,b} ", "sudo -n "] {
        let text = format!("{};rm x", pile.repeat(32_000 / pile.len()));
        assert!(finds(&text), "{pile:?} many times");
    }
    assert!(finds(&format!("sudo {}rm x", "-n ".repeat(40))), "options are no commands");
    assert!(finds(&format!("env {}rm x", "a=1 ".repeat(40))), "nor are assignments");
}

#[test]
fn what_holds_itself_comes_to_an_end() {
    for text in [format!("ls '{}'", "a=".repeat(15_000)), format!("eval {}rm x", "'a=' ".repeat(6_000))] {
        assert!(!candidates(&text).is_empty());
    }
}
