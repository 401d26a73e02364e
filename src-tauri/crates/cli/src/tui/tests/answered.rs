//! Tests of when an answer counts, of what it covers, and of denials that are undone.

use super::*;

#[test]
fn d_denies_and_no_habit_answers() {
    let mut app = drawn(question("ls", 1), 80, 40);
    armed(&mut app);
    let no = Act::Answer { answer: Answer::Deny, proposal: None, feedback: None };
    assert_eq!(app.handle_key(TuiKey::Char('d')), no);
    let mut app = drawn(question("ls", 1), 80, 40);
    armed(&mut app);
    let habits = [TuiKey::Enter, TuiKey::Escape, TuiKey::Char('a'), TuiKey::Char('y'), TuiKey::Char(' ')];
    for key in habits.into_iter().chain([TuiKey::Down, TuiKey::Tab, TuiKey::Tab]) {
        assert_eq!(app.handle_key(key), Act::Nothing, "{key:?}");
    }
}

#[test]
fn keys_that_answer_do_nothing_until_the_question_has_been_on_show_for_a_moment() {
    let answering = ['d', 'x', 'w', 'A', '1', 'M'];
    let mut app = showing(question("ls", 1));
    draw(&mut app, 80, 40);
    armed(&mut app);
    let (before, after) = (Duration::from_millis(599), Duration::from_millis(600));
    for clock in [Duration::ZERO, before] {
        app.set_clock(clock);
        for key in answering {
            assert_eq!(app.handle_key(TuiKey::Char(key)), Act::Nothing, "{key} after {clock:?}");
            assert!(app.message.is_empty(), "{}", app.message);
        }
    }
    app.set_clock(after);
    assert!(matches!(app.handle_key(TuiKey::Char('A')), Act::Answer { answer: Answer::Once, .. }));
    app.on_answered();
    app.set_clock(after + before);
    assert_eq!(app.handle_key(TuiKey::Char('d')), Act::Nothing, "the answer was for what was on show before");
    app.set_clock(after * 3);
    assert!(matches!(app.handle_key(TuiKey::Char('d')), Act::Answer { answer: Answer::Deny, .. }));
    // Another question under the keys.
    close(&mut app, "q1");
    let other = Question { id: "q2".into(), ..question("rm x", 1) };
    open(&mut app, other);
    draw(&mut app, 80, 40);
    app.set_clock(SECOND * 10);
    assert_eq!(app.handle_key(TuiKey::Char('d')), Act::Nothing);
    assert_eq!(app.handle_key(TuiKey::Char('v')), Act::Nothing);
    assert!(app.details, "other keys work at once");
    app.set_clock(SECOND * 11);
    assert!(matches!(app.handle_key(TuiKey::Char('d')), Act::Answer { answer: Answer::Deny, .. }));
}

#[test]
fn a_denial_can_be_undone_for_five_seconds() {
    let mut app = drawn(question("ls", 1), 80, 24);
    let denies = |app: &App| vec![AnswerParams::for_question(app.question().unwrap(), Answer::Deny)];
    let answers = denies(&app);
    app.hold_denial(answers.clone());
    let said = draw(&mut app, 80, 24).join("\n");
    assert!(said.contains("a1b2 denied, u to undo") && said.contains("u Undo"), "{said}");
    assert!(app.question().is_none() && app.due_denial().is_empty(), "it is off the screen, and not given");
    app.set_clock(SECOND * 1001 + Duration::from_millis(4_999));
    assert!(app.due_denial().is_empty());
    assert_eq!(app.handle_key(TuiKey::Char('u')), Act::Nothing);
    assert_eq!(app.question().unwrap().id, "q1", "it is asked again");
    draw(&mut app, 80, 24);
    app.set_clock(SECOND * 1006);
    assert!(!app.is_armed() && app.handle_key(TuiKey::Char('d')) == Act::Nothing, "as any new question");
    assert!(app.due_denial().is_empty(), "nothing is given");
    app.hold_denial(answers.clone());
    app.set_clock(SECOND * 1011);
    assert_eq!(app.due_denial(), answers, "then the host is told, once");
    assert!(app.due_denial().is_empty() && app.denial_words().is_none());
}

#[test]
fn a_denial_is_about_the_question_as_it_was() {
    let held = || {
        let mut app = drawn(question("ls", 1), 80, 24);
        let answers = vec![AnswerParams::for_question(app.question().unwrap(), Answer::Deny)];
        app.hold_denial(answers);
        app
    };
    let mut app = held();
    let same = Question { waiting: 3, ..question("ls", 1) };
    change(&mut app, same);
    assert!(app.question().is_none(), "the same question stays denied");
    let other = Question { digest: "e".repeat(64), ..question("ls", 1) };
    change(&mut app, other);
    assert!(app.question().is_some() && app.take_denial().is_empty(), "another one was not denied");
    let mut app = held();
    close(&mut app, "q1");
    assert!(app.denial_words().is_none() && app.take_denial().is_empty(), "it ended meanwhile");
}

#[test]
fn a_yes_needs_the_host_the_end_and_the_same_question() {
    let mut app = showing(question("ls", 60));
    app.details = true;
    screen(&mut app, 80, 24);
    armed(&mut app);
    assert!(!app.end_seen, "it is longer than the screen");
    assert_eq!(app.handle_key(TuiKey::Char('A')), Act::Nothing);
    assert!(app.message.contains("end of the question"), "{}", app.message);
    app.handle_key(TuiKey::End);
    screen(&mut app, 80, 24);
    assert!(app.end_seen);
    assert!(matches!(app.handle_key(TuiKey::Char('A')), Act::Answer { answer: Answer::Once, .. }));
    let always = app.handle_key(TuiKey::Char('1'));
    assert_eq!(
        always,
        Act::Answer { answer: Answer::Always, proposal: Some("exact".into()), feedback: None }
    );
    let before = app.change;
    change(&mut app, Question { digest: "e".repeat(64), ..question("ls", 60) });
    assert!(app.change > before && !app.end_seen && app.arming.is_none(), "another digest starts over");
    assert_eq!(app.handle_key(TuiKey::Char('A')), Act::Nothing);
}

#[test]
fn moves_start_over_and_another_view_is_no_place_to_answer() {
    let mut app = drawn(question("ls", 1), 80, 40);
    armed(&mut app);
    app.reset_arming();
    assert_eq!(app.handle_key(TuiKey::Char('A')), Act::Nothing, "it moved");
    app.handle_key(TuiKey::Tab);
    assert_eq!(app.view, View::Activity);
    screen(&mut app, 80, 40);
    armed(&mut app);
    assert!(!app.visible && !app.is_armed());
    assert_eq!(app.handle_key(TuiKey::Enter), Act::Nothing);
}

#[test]
fn words_go_with_a_no_and_keys_are_letters_meanwhile() {
    let mut app = drawn(question("ls", 1), 80, 40);
    app.handle_key(TuiKey::Char('w'));
    for letter in "qA no".chars() {
        assert_eq!(app.handle_key(TuiKey::Char(letter)), Act::Nothing);
    }
    let said = Act::Answer { answer: Answer::Deny, proposal: None, feedback: Some("qA no".into()) };
    assert_eq!(app.handle_key(TuiKey::Enter), said);
}

#[test]
fn words_that_were_left_or_undone_are_there_again() {
    let mut app = drawn(question("ls", 1), 80, 40);
    app.handle_key(TuiKey::Char('w'));
    type_into(&mut app, "use staging");
    assert_eq!(app.handle_key(TuiKey::Escape), Act::Nothing);
    app.handle_key(TuiKey::Char('w'));
    type_into(&mut app, " first");
    let said =
        Act::Answer { answer: Answer::Deny, proposal: None, feedback: Some("use staging first".into()) };
    assert_eq!(app.handle_key(TuiKey::Enter), said);
    app.handle_key(TuiKey::Char('w'));
    assert!(draw(&mut app, 80, 40).join("").contains("words for the agent: use staging first_"));
}

#[test]
fn letters_do_not_answer_the_question_that_comes_while_they_are_typed() {
    let mut app = drawn(question("ls", 1), 80, 40);
    app.handle_key(TuiKey::Char('w'));
    type_into(&mut app, "no");
    open(&mut app, Question { id: "q2".into(), ..question("rm x", 1) });
    close(&mut app, "q1");
    let said = screen(&mut app, 80, 40).join("");
    assert!(said.contains("you typed: no_") && said.contains("Esc Go On"), "{said}");
    armed(&mut app);
    type_into(&mut app, " dAq1");
    assert_eq!(app.handle_key(TuiKey::Enter), Act::Nothing, "Return sends it to nobody");
    assert_eq!(app.handle_key(TuiKey::Char('d')), Act::Nothing, "nor does it go on with the other question");
    app.handle_key(TuiKey::Escape);
    app.handle_key(TuiKey::Char('w'));
    assert!(
        screen(&mut app, 80, 40).join("").contains("words for the agent: _"),
        "they were for another one"
    );
}

#[test]
fn a_screen_that_is_too_small_allows_nothing() {
    let mut app = showing(question("ls", 1));
    let said = screen(&mut app, 20, 5).join("");
    assert!(said.contains("too small"), "{said}");
    armed(&mut app);
    assert_eq!(app.handle_key(TuiKey::Char('A')), Act::Nothing);
    for (width, height) in [(80, 24), (40, 12), (30, 8)] {
        let said = screen(&mut app, width, height).join("");
        assert!(said.contains("main wants"), "{width}x{height}: {said}");
    }
}

#[test]
fn what_was_answered_elsewhere_is_gone() {
    let mut app = showing(question("ls", 1));
    close(&mut app, "q1");
    assert!(screen(&mut app, 80, 24).join("").contains("nothing waits"));
    assert_eq!(app.handle_key(TuiKey::Char('A')), Act::Nothing);
}

/// Makes a question about one of several pages, which are of one shape.
fn page(number: u32) -> Question {
    let line = format!("curl https://example.com/page/{number}");
    let mut one = Question { id: format!("q{number}"), line: line.clone(), ..question("curl", 1) };
    one.risk.level = postern_policy::RiskLevel::NeedsReview;
    one.digest = number.to_string().repeat(64);
    one.command[0].text = postern_contract::to_pieces(&line);
    one
}

#[test]
fn what_is_alike_is_one_question_with_every_line_and_digest() {
    let mut app = App::default();
    for number in 1..=3 {
        open(&mut app, page(number));
    }
    app.details = true;
    let said = screen(&mut app, 100, 40).join("\n");
    for part in
        ["main wants to run a command, 3 times", "A Allow These 3", "d Deny These 3", "b One at a Time"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
    for number in 1..=3 {
        assert!(said.contains(&format!("● curl https://example.com/page/{number}")), "{said}");
        assert!(said.contains(&format!("  {}", number.to_string().repeat(12))), "{said}");
    }
    assert_eq!(app.others().len(), 2);
}

#[test]
fn nobody_joins_what_is_armed_and_one_at_a_time_shows_one() {
    let mut app = App::default();
    open(&mut app, page(1));
    open(&mut app, page(2));
    screen(&mut app, 100, 40);
    armed(&mut app);
    let change = app.change;
    open(&mut app, page(3));
    screen(&mut app, 100, 40);
    assert_eq!((app.others().len(), app.change), (1, change), "what is armed stays as it is");
    close(&mut app, "q2");
    assert!(app.arming.is_none(), "one less is something else to judge");
    app.handle_key(TuiKey::Char('b'));
    assert_eq!(app.others().len(), 1, "the one that came later, on demand");
    app.handle_key(TuiKey::Char('b'));
    let said = screen(&mut app, 100, 40).join("\n");
    assert!(app.others().is_empty() && !said.contains("times"), "{said}");
    app.handle_key(TuiKey::Char('b'));
    assert_eq!(app.others().len(), 1, "together again");
}
