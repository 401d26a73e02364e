use super::*;
use proptest::prelude::*;

fn words(words: &[&str]) -> PlainCommand {
    PlainCommand { words: words.iter().map(|word| (*word).to_owned()).collect(), ..PlainCommand::default() }
}

fn redirect(descriptor: u8, to: RedirectionTarget) -> Redirect {
    Redirect { descriptor, to }
}

#[test]
fn lists_and_pipelines_are_taken_apart() {
    let read = Sequence::parse_text("a 'b c' \"d\"e\\ f&&b|c||d ; e\nf;").unwrap();
    let expected = [
        (Connector::Always, vec![words(&["a", "b c", "de f"])]),
        (Connector::IfSucceeded, vec![words(&["b"]), words(&["c"])]),
        (Connector::IfFailed, vec![words(&["d"])]),
        (Connector::Always, vec![words(&["e"])]),
        (Connector::Always, vec![words(&["f"])]),
    ];
    assert_eq!(read.pipelines, expected);
}

#[test]
fn redirections_and_variables_belong_to_their_command() {
    let read =
        Sequence::parse_text("A=1 B='x y' <in C=2 p 2>/dev/null D=3 >>'out put' 2>&1 | q &>all").unwrap();
    let [(_, commands)] = read.pipelines.as_slice() else { panic!("{read:?}") };
    let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let first = PlainCommand {
        assignments: vec![variable("A", "1"), variable("B", "x y"), variable("C", "2")],
        redirections: vec![
            redirect(0, RedirectionTarget::Read("in".into())),
            redirect(2, RedirectionTarget::Write("/dev/null".into())),
            redirect(1, RedirectionTarget::Append("out put".into())),
            redirect(2, RedirectionTarget::Copy(1)),
        ],
        ..words(&["p", "D=3"])
    };
    let second = PlainCommand {
        redirections: vec![
            redirect(1, RedirectionTarget::Write("all".into())),
            redirect(2, RedirectionTarget::Copy(1)),
        ],
        ..words(&["q"])
    };
    assert_eq!(*commands, [first, second]);
}

#[test]
fn what_a_shell_would_expand_or_mean_otherwise_is_left_to_it() {
    for text in crate::tests::rows::<String>(include_str!("for_a_shell.jsonl")) {
        assert_eq!(Sequence::parse_text(&text), None, "{text:?}");
    }
}

#[test]
fn a_folder_is_changed_to_where_that_is_plain() {
    for text in [
        "cd x && make", "cd x && ./a | b", "cd ../.. && a; cd x; b", "cd /a/b/./c; a", "cd x; /a/b",
        "./a; cd x; b",
    ] {
        assert!(Sequence::parse_text(text).is_some(), "{text}");
    }
}

proptest! {
    /// Words that are quoted as Postern shows them come back as they were.
    #[test]
    fn quoted_words_come_back(
        argv in prop::collection::vec("[ -~\n\tä]{0,12}", 1..5),
        connector in prop::sample::select(vec![" && ", "&&", "|| ", ";", "\n", " | ", "|"]),
    ) {
        let line = [vec!["p".to_owned()], argv].concat();
        let text = format!("{}{connector}q", crate::quote_argv(&line));
        let read = Sequence::parse_text(&text).expect("it is plain");
        let commands: Vec<&PlainCommand> = read.commands().collect();
        prop_assert_eq!(&commands[0].words, &line);
        prop_assert_eq!(&commands[1].words, &["q".to_owned()]);
    }

    /// Asserts that text which a shell expands outside quotes is never taken.
    #[test]
    fn what_is_expanded_is_never_taken(
        before in "[a-z0-9 ./=:-]{0,8}",
        after in "[a-z0-9 ./=:-]{0,8}",
        special in "[$`*?()\\[]",
    ) {
        prop_assert_eq!(Sequence::parse_text(&format!("p {before}{special}{after}")), None);
    }

    #[test]
    fn any_text_is_read_or_left(text in "\\PC{0,40}") {
        if let Some(read) = Sequence::parse_text(&text) {
            prop_assert!(read.commands().all(|command| !command.words.is_empty()));
        }
    }
}
