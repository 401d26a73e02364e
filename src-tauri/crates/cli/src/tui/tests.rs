use super::app::{Act, App, TuiKey, View};
use super::view::draw_view;
use postern_contract::methods::Arming;
use postern_contract::{Answer, AnswerParams, ApproverNotification, Closed, Question};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use serde_json::{Value, json};
use std::time::Duration;

/// Makes a question about a command, with as many words.
pub(crate) fn question(command: &str, argv: usize) -> Question {
    let text = |text: &str| json!([{ "text": text, "kind": "plain" }]);
    let words: Vec<Value> = (0..argv).map(|nth| text(&format!("word{nth}"))).collect();
    serde_json::from_value(json!({
        "id": "q1", "code": "a1b2", "digest": "d".repeat(64), "requests": [],
        "asker": { "agent": "main", "name": text("main"), "color": "#3b82f6", "knownBy": text("on its own channel"),
            "session": null, "says": [{ "text": "trust me ", "kind": "plain" }, { "text": "U+202E", "kind": "escaped" }] },
        "command": [{ "text": text(command), "role": "program", "step": 0 }], "line": command, "argv": words,
        "shell": false, "steps": [], "programs": [], "cwd": text("/home/ann"), "env": [], "stdin": null,
        "headline": text("main wants to run a command"), "why": text("no rule"), "rule": null, "policy": text("Ask when no rule matches"),
        "risk": { "level": "dangerous", "reasons": [text("it removes files")] },
        "proposals": [{ "id": "exact", "label": text("this exact command"), "rules": [], "wouldMatch": null }],
        "askedAt": 0, "expiresAt": 4_000_000_000_000_i64, "atZero": text("denied"), "armingMs": 1000, "waiting": 0
    }))
    .unwrap()
}

/// Makes a step that is asked about.
pub(crate) fn step(text: &str) -> postern_contract::ShownStep {
    let step = json!({ "argv": null, "text": text, "program": text, "path": null, "decision": "ask",
        "reason": "allowlist-miss", "span": [0, 0], "why": [] });
    serde_json::from_value(step).unwrap()
}

fn showing(question: Question) -> App {
    let mut app = App::default();
    app.on_notification(ApproverNotification::QuestionOpened(Box::new(question)));
    app
}

/// Draws the view, long after what is on show has come.
fn screen(app: &mut App, width: u16, height: u16) -> Vec<String> {
    let lines = draw(app, width, height);
    app.set_clock(SECOND * 1000);
    app.set_clock(SECOND * 1001);
    lines
}

const SECOND: Duration = Duration::from_secs(1);

fn draw(app: &mut App, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw_view(frame, app)).unwrap();
    let buffer = terminal.backend().buffer().clone();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..height).map(row).collect()
}

fn armed(app: &mut App) {
    app.arming = Some(Arming { armed: true, remaining_ms: Some(0), missing: String::new() });
}

#[test]
fn only_questions_of_the_macs_that_were_named_are_shown() {
    let elsewhere = |id: &str, host: &str| {
        let (id, host) = (id.to_owned(), Some(host.to_owned()));
        Box::new(Question { id, host, ..question("rm -rf build", 1) })
    };
    let mut app = App::for_hosts(Some(["mini".to_owned()].into()), false);
    app.on_notification(ApproverNotification::QuestionOpened(elsewhere("q2", "build-1")));
    app.on_notification(ApproverNotification::QuestionOpened(Box::new(question("ls", 1))));
    assert!(app.question().is_none(), "neither another Mac's nor this one's");
    app.on_notification(ApproverNotification::QuestionOpened(elsewhere("q3", "mini")));
    assert_eq!(app.question().map(|one| one.id.as_str()), Some("q3"));
}

#[test]
fn a_question_is_on_one_screen_with_a_line_of_keys() {
    let mut app = showing(question("rm -rf build", 3));
    let lines = screen(&mut app, 80, 24);
    let said = lines.join("\n");
    let places: Vec<usize> = [
        "1 waiting",
        "main wants to run",
        "/home/ann",
        "Dangerous: it removes files",
        "rm -rf build",
        "no rule",
        "⟨U+202E⟩",
        "Always       1 this exact command",
        "▸ Details",
        "denied in ",
        "d Deny   A Allow Once   1 Always   v Details",
    ]
    .map(|part| said.find(part).unwrap_or_else(|| panic!("{part} in {said}")))
    .into();
    assert!(places.is_sorted(), "in the order of the panel: {said}");
    assert!(lines[23].ends_with("? Keys"), "{said}");
    assert!(!said.contains(&"d".repeat(12)) && !said.contains("word0"), "the details are folded: {said}");
    assert!(app.end_seen, "all of it is on one screen");
}

#[test]
fn what_grows_below_the_screen_has_to_be_seen_again() {
    let mut app = showing(question("ls", 3));
    screen(&mut app, 80, 24);
    assert!(app.end_seen);
    let says = Some(postern_contract::to_pieces(&"why ".repeat(700)));
    let asker = postern_contract::Asker { says, ..question("ls", 3).asker };
    let grown = Question { asker, ..question("ls", 3) };
    app.on_notification(ApproverNotification::QuestionChanged(Box::new(grown)));
    screen(&mut app, 80, 24);
    assert!(!app.end_seen, "the same digest, and more to read");
    app.handle_key(TuiKey::End);
    screen(&mut app, 80, 24);
    assert!(app.end_seen);
}

#[test]
fn details_open_by_a_key_and_start_over() {
    let mut app = showing(question("rm -rf build", 3));
    screen(&mut app, 80, 24);
    armed(&mut app);
    let before = app.change;
    assert_eq!(app.handle_key(TuiKey::Char('v')), Act::Nothing);
    assert!(app.change > before && !app.is_armed(), "what is on show moved");
    let said = screen(&mut app, 80, 40).join("\n");
    for part in ["▾ Details", "word 3       word2", "policy       Ask when", "v Hide Details"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(said.contains(&"d".repeat(12)) && !said.contains(&"d".repeat(13)), "{said}");
    app.handle_key(TuiKey::Char('v'));
    assert!(!screen(&mut app, 80, 40).join("").contains("word2"));
}

#[test]
fn what_deviates_stands_beside_the_fold_and_opens_it_if_it_is_long() {
    let env = |value: &str| {
        let text = postern_contract::to_pieces;
        let kind = postern_contract::EnvChangeKind::Added;
        vec![postern_contract::EnvChange { kind, name: text("CI"), value: text(value), was: None }]
    };
    let mut app = showing(Question { env: env("1"), ..question("make", 1) });
    let said = screen(&mut app, 80, 24).join("\n");
    assert!(said.contains("▸ Details   + CI=1"), "{said}");
    let mut app = showing(Question { env: env(&"x".repeat(60)), ..question("make", 1) });
    let said = screen(&mut app, 80, 30).join("\n");
    assert!(said.contains("▾ Details") && said.contains(&"x".repeat(60)), "{said}");
}

#[test]
fn all_keys_are_in_a_view_of_their_own_that_answers_nothing() {
    let mut app = showing(question("ls", 1));
    screen(&mut app, 80, 24);
    app.handle_key(TuiKey::Char('?'));
    let said = screen(&mut app, 80, 24).join("\n");
    for part in ["stop the agent for 10 minutes", "Which words", "The request before", "? Back"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    armed(&mut app);
    for key in ['d', 'A', '1', 'x'] {
        assert_eq!(app.handle_key(TuiKey::Char(key)), Act::Nothing, "{key}");
    }
    app.handle_key(TuiKey::Char('?'));
    assert_eq!(app.view, View::Questions);
}

#[test]
fn no_color_leaves_none() {
    let colored = |app: &mut App| {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        terminal.draw(|frame| draw_view(frame, app)).unwrap();
        let buffer = terminal.backend().buffer().clone();
        buffer.content.iter().filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset).count()
    };
    assert!(colored(&mut showing(question("ls", 1))) > 0);
    let mut plain = showing(question("ls", 1));
    plain.plain = true;
    assert_eq!(colored(&mut plain), 0);
}

#[test]
fn a_step_is_shown_as_the_host_escaped_it() {
    let step = json!({ "argv": null, "text": "rm build\\u{456}", "program": "rm", "path": null, "decision": "ask",
        "reason": "allowlist-miss", "span": [0, 0],
        "why": [{ "text": "No rule allows ", "kind": "plain" }, { "text": "rm", "kind": "code" }, { "text": ".", "kind": "plain" }] });
    let steps = vec![serde_json::from_value(step).unwrap()];
    let mut app = showing(Question { shell: true, steps, ..question("rm build", 1) });
    let said = screen(&mut app, 80, 40).join("\n");
    assert!(said.contains("● rm build") && !said.contains("asks:"), "{said}");
    app.handle_key(TuiKey::Char('v'));
    let said = screen(&mut app, 80, 40).join("\n");
    assert!(said.contains(r"● rm build\u{456}  asks: No rule allows rm."), "{said}");
}

#[test]
fn a_changed_command_the_rule_and_what_came_before_are_shown_as_in_the_window() {
    let text = postern_contract::to_pieces;
    let recent = json!([{ "line": text("npm test"), "outcome": text("exit 0"), "at": 0 }]);
    let rule = json!({ "id": 7, "effect": "allow", "pattern": "/usr/bin/git", "source": "you", "why": null });
    let mut app = showing(Question {
        edited: Some(text("git push --force")),
        recent: serde_json::from_value(recent).unwrap(),
        rule: serde_json::from_value(rule).unwrap(),
        ..question("git push", 2)
    });
    app.details = true;
    let said = screen(&mut app, 80, 40).join("\n");
    for part in ["The agent asked for: git push --force", "npm test  exit 0", "/usr/bin/git (you)"] {
        assert!(said.contains(part), "{part} in {said}");
    }
}

#[test]
fn what_is_typed_is_on_the_screen_to_its_end() {
    let mut app = showing(question("ls", 1));
    screen(&mut app, 60, 24);
    app.handle_key(TuiKey::Char('w'));
    type_into(&mut app, &format!("{} the end", "word ".repeat(60)));
    let said = screen(&mut app, 60, 24).join("\n");
    assert!(said.contains("the end_"), "{said}");
    assert!(said.contains("main wants to run"), "the question keeps half of the screen: {said}");
}

#[test]
fn d_denies_and_no_habit_answers() {
    let mut app = showing(question("ls", 1));
    screen(&mut app, 80, 40);
    armed(&mut app);
    let no = Act::Answer { answer: Answer::Deny, proposal: None, feedback: None };
    assert_eq!(app.handle_key(TuiKey::Char('d')), no);
    let mut app = showing(question("ls", 1));
    screen(&mut app, 80, 40);
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
    app.on_notification(ApproverNotification::QuestionOpened(Box::new(other)));
    draw(&mut app, 80, 40);
    app.set_clock(SECOND * 10);
    assert_eq!(app.handle_key(TuiKey::Char('d')), Act::Nothing);
    assert_eq!(app.handle_key(TuiKey::Char('v')), Act::Nothing);
    assert!(app.details, "other keys work at once");
    app.set_clock(SECOND * 11);
    assert!(matches!(app.handle_key(TuiKey::Char('d')), Act::Answer { answer: Answer::Deny, .. }));
}

fn close(app: &mut App, id: &str) {
    let how = postern_contract::ClosedBy::Denied;
    let (id, code, face) = (id.to_owned(), "a1b2".to_owned(), None);
    app.on_notification(ApproverNotification::QuestionClosed(Closed { id, code, how, face }));
}

#[test]
fn a_denial_can_be_undone_for_five_seconds() {
    let mut app = showing(question("ls", 1));
    screen(&mut app, 80, 24);
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
        let mut app = showing(question("ls", 1));
        screen(&mut app, 80, 24);
        let answers = vec![AnswerParams::for_question(app.question().unwrap(), Answer::Deny)];
        app.hold_denial(answers);
        app
    };
    let mut app = held();
    let same = Question { waiting: 3, ..question("ls", 1) };
    app.on_notification(ApproverNotification::QuestionChanged(Box::new(same)));
    assert!(app.question().is_none(), "the same question stays denied");
    let other = Question { digest: "e".repeat(64), ..question("ls", 1) };
    app.on_notification(ApproverNotification::QuestionChanged(Box::new(other)));
    assert!(app.question().is_some() && app.take_denial().is_empty(), "another one was not denied");
    let mut app = held();
    close(&mut app, "q1");
    assert!(app.denial_words().is_none() && app.take_denial().is_empty(), "it ended meanwhile");
}

#[test]
fn long_bodies_are_folded_and_nothing_folded_can_be_allowed() {
    let body = (0..9).map(|nth| format!("body {nth}\n")).collect::<Vec<_>>().concat();
    let text = postern_contract::to_pieces(&format!("cat <<EOF\n{body}EOF\nls"));
    let part =
        postern_contract::CommandPart { text, role: postern_contract::PartRole::Argument, step: Some(0) };
    let steps = vec![step("cat")];
    let mut app = showing(Question { shell: true, command: vec![part], steps, ..question("cat", 1) });
    screen(&mut app, 80, 40);
    let said = screen(&mut app, 80, 40).join("\n");
    for part in ["● cat <<EOF¶", "  body 0¶", "▸ 8 more lines", "  EOF¶", "8 lines folded", "o Open Lines"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(!said.contains("body 1") && said.matches('●').count() == 1, "{said}");
    armed(&mut app);
    assert_eq!(app.handle_key(TuiKey::Char('A')), Act::Nothing);
    assert!(app.message.contains("open the folded lines"), "{}", app.message);
    assert!(matches!(app.handle_key(TuiKey::Char('d')), Act::Answer { answer: Answer::Deny, .. }));
    app.handle_key(TuiKey::Char('o'));
    let said = screen(&mut app, 80, 40).join("\n");
    assert!(said.contains("▾ 8 more lines") && said.contains("  body 8¶"), "{said}");
    assert_eq!(app.handle_key(TuiKey::Char('A')), Act::Nothing, "opening it starts over");
    armed(&mut app);
    assert!(matches!(app.handle_key(TuiKey::Char('A')), Act::Answer { answer: Answer::Once, .. }));
    app.handle_key(TuiKey::Char('o'));
    screen(&mut app, 80, 40);
    armed(&mut app);
    assert_eq!(app.handle_key(TuiKey::Char('A')), Act::Nothing, "folded again");
}

#[test]
fn a_long_input_is_folded_and_a_short_one_is_not() {
    let input = |lines: usize| {
        let lines = (0..lines).map(|nth| postern_contract::to_pieces(&format!("input {nth}"))).collect();
        let stdin = Some(postern_contract::ShownInput::Text { bytes: 9, lines });
        showing(Question { stdin, ..question("sh", 1) })
    };
    let said = screen(&mut input(9), 80, 60).join("\n");
    assert!(
        said.contains("input 2") && said.contains("▸ 6 more lines") && !said.contains("input 3"),
        "{said}"
    );
    let mut short = input(8);
    let said = screen(&mut short, 80, 60).join("\n");
    assert!(said.contains("input 7") && !said.contains("▸ 6 more"), "{said}");
    assert!(short.end_seen);
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
    app.on_notification(ApproverNotification::QuestionChanged(Box::new(Question {
        digest: "e".repeat(64),
        ..question("ls", 60)
    })));
    assert!(app.change > before && !app.end_seen && app.arming.is_none(), "another digest starts over");
    assert_eq!(app.handle_key(TuiKey::Char('A')), Act::Nothing);
}

#[test]
fn moves_start_over_and_another_view_is_no_place_to_answer() {
    let mut app = showing(question("ls", 1));
    screen(&mut app, 80, 40);
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
fn the_inbox_lists_by_agent_and_the_chosen_question_starts_over() {
    let mut app = showing(question("ls", 1));
    let mut of = |id: &str, agent: &str, command: &str| {
        let mut other = Question { id: id.into(), ..question(command, 1) };
        other.asker.agent = postern_policy::AgentId::new(agent.to_owned()).unwrap();
        other.headline = postern_contract::to_pieces(&format!("{agent} wants {command}"));
        app.on_notification(ApproverNotification::QuestionOpened(Box::new(other)));
    };
    of("q2", "research", "curl");
    of("q3", "main", "make");
    screen(&mut app, 80, 40);
    armed(&mut app);
    app.handle_key(TuiKey::Char('i'));
    let said = screen(&mut app, 80, 40).join("\n");
    let places: Vec<usize> = ["main  2", "> ■", "main wants make", "research  1", "wants curl"]
        .map(|part| said.find(part).unwrap())
        .into();
    assert!(places.is_sorted(), "by agent, the oldest first: {said}");
    for key in ['A', 'd', 'x', '1', 'M'] {
        assert_eq!(app.handle_key(TuiKey::Char(key)), Act::Nothing, "{key} answers nothing in the inbox");
    }
    assert!(!app.visible && !app.is_armed(), "no question is on show");
    app.handle_key(TuiKey::Down);
    assert_eq!(app.handle_key(TuiKey::Enter), Act::Nothing, "Return shows the question");
    assert_eq!((app.view, app.question().unwrap().id.as_str()), (View::Questions, "q3"));
    assert!(screen(&mut app, 80, 40).join("").contains("make"));
    assert_eq!(app.handle_key(TuiKey::Char('A')), Act::Nothing, "it has to be looked at");
    armed(&mut app);
    assert!(matches!(app.handle_key(TuiKey::Char('A')), Act::Answer { answer: Answer::Once, .. }));
    app.handle_key(TuiKey::Char(']'));
    assert_eq!(app.question().unwrap().id, "q2");
    assert!(!app.is_armed(), "another question starts over");
    let (how, face) = (postern_contract::ClosedBy::Denied, None);
    app.on_notification(ApproverNotification::QuestionClosed(Closed {
        id: "q2".into(),
        code: "a1b2".into(),
        how,
        face,
    }));
    assert_eq!(app.question().unwrap().id, "q1", "then the oldest");
}

#[test]
fn the_chosen_question_stays_on_show_in_a_long_inbox() {
    let mut app = App::default();
    for nth in 0..30 {
        let headline = postern_contract::to_pieces(&format!("main wants number {nth}"));
        let one = Question { id: format!("q{nth}"), headline, ..question("ls", 1) };
        app.on_notification(ApproverNotification::QuestionOpened(Box::new(one)));
    }
    app.handle_key(TuiKey::Char('i'));
    screen(&mut app, 60, 12);
    for (key, number) in [(TuiKey::End, "number 29"), (TuiKey::Up, "number 28"), (TuiKey::Home, "number 0")] {
        app.handle_key(key);
        let said = screen(&mut app, 60, 12).join("\n");
        assert!(said.contains(&format!("main wants {number} ")), "{number} in {said}");
    }
}

#[test]
fn words_go_with_a_no_and_keys_are_letters_meanwhile() {
    let mut app = showing(question("ls", 1));
    screen(&mut app, 80, 40);
    app.handle_key(TuiKey::Char('w'));
    for letter in "qA no".chars() {
        assert_eq!(app.handle_key(TuiKey::Char(letter)), Act::Nothing);
    }
    let said = Act::Answer { answer: Answer::Deny, proposal: None, feedback: Some("qA no".into()) };
    assert_eq!(app.handle_key(TuiKey::Enter), said);
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
    app.on_notification(ApproverNotification::QuestionClosed(Closed {
        id: "q1".into(),
        code: "a1b2".into(),
        how: postern_contract::ClosedBy::Denied,
        face: None,
    }));
    assert!(screen(&mut app, 80, 24).join("").contains("nothing waits"));
    assert_eq!(app.handle_key(TuiKey::Char('A')), Act::Nothing);
}

fn offering(text: &str) -> Question {
    let mut question = question("git push", 2);
    question.proposals[0].rules = vec![postern_contract::ProposedRule {
        pattern: postern_policy::Pattern::Command(text.to_owned()),
        text: text.to_owned(),
        words: Vec::new(),
        pinned: false,
        signed: false,
        folder: Some("/home/ann".to_owned()),
        input: postern_policy::RuleInput::Nothing,
        confine: None,
    }];
    Question { editable: Some("git push origin".to_owned()), ..question }
}

fn type_into(app: &mut App, text: &str) {
    for letter in text.chars() {
        assert_eq!(app.handle_key(TuiKey::Char(letter)), Act::Nothing, "{letter} is a letter");
    }
}

#[test]
fn what_always_saves_is_chosen_and_told_before_a_number_says_yes() {
    let mut app = showing(offering("git push"));
    screen(&mut app, 100, 40);
    app.handle_key(TuiKey::Char('g'));
    app.handle_key(TuiKey::Char('l'));
    app.handle_key(TuiKey::Char('r'));
    type_into(&mut app, " *");
    assert_eq!(app.handle_key(TuiKey::Enter), Act::Nothing, "Return keeps the words and allows nothing");
    let said = screen(&mut app, 100, 40).join("\n");
    assert!(said.contains("every agent, in this folder and below, for 15 minutes"), "{said}");
    assert!(said.contains("as you changed it: git push *"), "{said}");
    assert_eq!(app.handle_key(TuiKey::Char('1')), Act::Nothing, "it is not armed");
    armed(&mut app);
    let always = Act::Answer { answer: Answer::Always, proposal: Some("exact".into()), feedback: None };
    assert_eq!(app.handle_key(TuiKey::Char('1')), always);
    assert_eq!(app.choice.edited(Some("exact")), Some("git push *".to_owned()));
    let question = app.question().unwrap().clone();
    assert_eq!(app.choice.lifetime(&question, 1000), postern_policy::Lifetime::Until(901_000));
    app.on_notification(ApproverNotification::QuestionChanged(Box::new(Question {
        digest: "e".repeat(64),
        ..offering("git push")
    })));
    assert_eq!(app.choice, super::choice::RuleChoice::default(), "another question is chosen for again");
}

#[test]
fn a_broad_rule_is_told_and_saved_by_its_number_pressed_again() {
    let mut app = showing(offering("git push"));
    screen(&mut app, 100, 40);
    armed(&mut app);
    let also =
        postern_contract::AlsoCovers { effect: None, by: Vec::new(), text: "in every folder".to_owned() };
    app.confirm_broad(Some("exact".to_owned()), &[also]);
    assert!(screen(&mut app, 100, 40).join("").contains("also: in every folder"), "{}", app.message);
    assert!(app.choice.is_broad(Some("exact")) && !app.choice.is_broad(Some("command")));
    assert_eq!(app.handle_key(TuiKey::Char('1')), Act::Nothing, "it is armed again first");
    app.handle_key(TuiKey::Char('f'));
    assert!(!app.choice.is_broad(Some("exact")), "another choice is another rule");
}

#[test]
fn a_changed_command_is_shown_first_and_esc_leaves_it() {
    let mut app = showing(offering("git push"));
    screen(&mut app, 100, 40);
    armed(&mut app);
    app.handle_key(TuiKey::Char('e'));
    type_into(&mut app, " main");
    assert!(screen(&mut app, 100, 40).join("").contains("command: git push origin main_"));
    assert_eq!(app.handle_key(TuiKey::Enter), Act::Edit("git push origin main".to_owned()));
    app.handle_key(TuiKey::Char('e'));
    assert_eq!(app.handle_key(TuiKey::Escape), Act::Nothing, "Esc leaves the line, and answers nothing");
    assert!(app.question().is_some());
}

#[test]
fn a_tools_question_has_no_rule_to_choose() {
    let tool = vec![postern_contract::Piece {
        text: "write_file".to_owned(),
        kind: postern_contract::PieceKind::Plain,
    }];
    let mut app = showing(Question { tool: Some(tool), ..offering("write_file") });
    let said = screen(&mut app, 100, 40).join("\n");
    assert!(said.contains("by its tool write_file") && !said.contains("this agent, in"), "{said}");
    for key in ['g', 'l', 'r', 'e'] {
        assert_eq!(app.handle_key(TuiKey::Char(key)), Act::Nothing);
    }
    assert_eq!(app.choice, super::choice::RuleChoice::default());
}

#[test]
fn what_would_be_renewed_and_why_nothing_is_saved_is_on_the_screen() {
    let piece = |text: &str| {
        vec![postern_contract::Piece { text: text.to_owned(), kind: postern_contract::PieceKind::Plain }]
    };
    let rule = |id: i64, text: &str| postern_contract::RenewedRule { id, agent: None, text: text.to_owned() };
    let mut changed = question("git log", 0);
    changed.renews = vec![postern_contract::Renewal {
        program: piece("/usr/bin/git"),
        change: "2.43.0 → 2.44.0".to_owned(),
        count: 4,
        rules: vec![rule(1, "git log *"), rule(2, "git diff *")],
    }];
    changed.proposals[0].label = piece("renew all 4 rules of git");
    changed.proposals[0].renews = 4;
    let said = screen(&mut showing(changed), 140, 40).join("\n");
    for part in [
        "/usr/bin/git (2.43.0 → 2.44.0); 4 rules were given for it as it was: git log *, git diff *, …",
        "renew all 4 rules of git",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }

    let mut unsaved = question("git log", 0);
    unsaved.proposals.clear();
    unsaved.nothing_to_save = Some(postern_policy::NothingToSave::Environment.into());
    unsaved.env_setting = Some("FOO".to_owned());
    let said = screen(&mut showing(unsaved), 100, 40).join("\n");
    assert!(said.contains("postern agents set main env-set=FOO"), "{said}");
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
        app.on_notification(ApproverNotification::QuestionOpened(Box::new(page(number))));
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
    app.on_notification(ApproverNotification::QuestionOpened(Box::new(page(1))));
    app.on_notification(ApproverNotification::QuestionOpened(Box::new(page(2))));
    screen(&mut app, 100, 40);
    armed(&mut app);
    let change = app.change;
    app.on_notification(ApproverNotification::QuestionOpened(Box::new(page(3))));
    screen(&mut app, 100, 40);
    assert_eq!((app.others().len(), app.change), (1, change), "what is armed stays as it is");
    let how = postern_contract::ClosedBy::Denied;
    app.on_notification(ApproverNotification::QuestionClosed(Closed {
        id: "q2".into(),
        code: "a1b2".into(),
        how,
        face: None,
    }));
    assert!(app.arming.is_none(), "one less is something else to judge");
    app.handle_key(TuiKey::Char('b'));
    assert_eq!(app.others().len(), 1, "the one that came later, on demand");
    app.handle_key(TuiKey::Char('b'));
    let said = screen(&mut app, 100, 40).join("\n");
    assert!(app.others().is_empty() && !said.contains("times"), "{said}");
    app.handle_key(TuiKey::Char('b'));
    assert_eq!(app.others().len(), 1, "together again");
}
