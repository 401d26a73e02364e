//! Long and many-worded requests: no length hides what the core denies.

use super::core::verdict;
use crate::testing::DATA;
use crate::{Advice, Cause, Decision, Reason};
use postern_command::MOST_GUESSES;

#[test]
fn a_long_list_hides_nothing() {
    let names = |count: usize| (0..count).map(|at| format!("a{at}")).collect::<Vec<_>>().join(",");
    for list in [format!("~,{}", names(100)), format!("{},$HOME", names(100)), format!("{},~", names(2000))] {
        assert_eq!(verdict(&format!("rm -rf {{{list}}}")).reason, Reason::Core, "{list}");
    }
    let many = "{a,b}".repeat(40);
    assert_eq!(verdict(&format!("rm -rf {many}")).reason, Reason::Core, "more than can be followed");
    assert_ne!(verdict(&format!("mkdir -p {many}")).reason, Reason::Core);
    for list in [names(500), format!("src/{{{}}}/{{{}}}", names(20), names(20))] {
        assert_ne!(verdict(&format!("rm -rf {{{list}}}")).reason, Reason::Core, "{list}");
    }
}

#[test]
fn a_word_that_is_longer_than_any_path_hides_no_other() {
    let long = "a".repeat(9_000);
    for text in [
        format!("tee {long} '{DATA}/x'"),
        format!("mv '{DATA}' {long}"),
        format!("chmod -R a+w {long} '{DATA}'"),
        format!("sh -c 'echo {long}; echo x > \"{DATA}/x\"'"),
    ] {
        let found = verdict(&text);
        assert_eq!(found.decision, Decision::Deny, "{}", &text[..40]);
        assert_eq!(found.reason, Reason::Core, "{}", &text[..40]);
    }
}

#[test]
fn more_commands_than_are_looked_at_are_denied_as_a_whole() {
    let lines = |count: usize| (0..count).map(|nth| format!("a{nth};")).collect::<Vec<_>>().concat();
    let found = verdict(&lines(MOST_GUESSES));
    assert_eq!((found.decision, found.reason), (Decision::Ask, Reason::Opaque), "{:?}", found.cause);
    for text in [lines(MOST_GUESSES + 1), format!("{}rm -rf ~", lines(MOST_GUESSES + 1))] {
        let found = verdict(&text);
        assert_eq!((found.decision, found.reason), (Decision::Deny, Reason::Opaque), "{:?}", found.cause);
        assert_eq!(found.cause, Cause::TooManyCandidates);
    }
    // The same command over and over is one.
    assert_eq!(verdict(&"a;".repeat(2 * MOST_GUESSES)).decision, Decision::Ask);
}

/// Guesses that may lead anywhere are looked at one by one: so many that this would take long are denied together.
#[test]
fn more_guesses_than_can_be_looked_at_are_denied() {
    let text =
        |count: usize| (0..count).fold("(".to_owned(), |text, nth| format!("{text}cp a ~/{nth}/../y;"));
    let few = verdict(&text(300));
    assert_eq!((few.decision, few.reason), (Decision::Ask, Reason::Opaque), "{:?}", few.cause);
    let verdict = verdict(&text(1_700));
    assert_eq!((verdict.decision, verdict.reason), (Decision::Deny, Reason::Opaque), "{:?}", verdict.cause);
    assert_eq!(verdict.advice, Some(Advice::Split));
}

#[test]
fn no_blanks_in_a_list_hide_what_it_lists() {
    let blanks = " ".repeat(30_000);
    let verdict = verdict(&format!("for x in a{blanks}~; do rm -rf $x; done"));
    assert_eq!((verdict.decision, verdict.reason), (Decision::Deny, Reason::Core), "{:?}", verdict.cause);
}

#[test]
fn a_long_script_that_cannot_be_read_is_asked_about() {
    let line = |nth: usize| {
        format!("for f in src/*{nth}.c; do gcc -I$HOME/include -o \"$OUT/$f\" \"$f\" ~/lib/{nth}.a; done\n")
    };
    let text = (0..300).fold(String::new(), |text, nth| text + &line(nth)) + "echo 'unclosed";
    let verdict = verdict(&text);
    assert_eq!((verdict.decision, verdict.reason), (Decision::Ask, Reason::Opaque), "{:?}", verdict.cause);
}
