//! Tests of what is on the screen, and of when its end was seen.

use super::*;
use postern_protocol::SessionKind;

#[test]
fn only_questions_of_the_macs_that_were_named_are_shown() {
    let elsewhere = |id: &str, host: &str| {
        let (id, host) = (id.to_owned(), Some(host.to_owned()));
        Question { id, host, ..question("rm -rf build", 1) }
    };
    let mut app = App::for_hosts(Some(["mini".to_owned()].into()), false);
    open(&mut app, elsewhere("q2", "build-1"));
    open(&mut app, question("ls", 1));
    assert!(app.question().is_none(), "neither another Mac's nor this one's");
    open(&mut app, elsewhere("q3", "mini"));
    assert_eq!(app.question().map(|one| one.id.as_str()), Some("q3"));
}

#[test]
fn a_question_is_on_one_screen_with_a_line_of_keys() {
    let mut app = showing(question("rm -rf build", 3));
    let lines = screen(&mut app, 80, 24);
    let said = lines.join("\n");
    let places: Vec<usize> = [
        "1 waiting", "main wants to run", "/home/ann", "Dangerous: it removes files", "rm -rf build",
        "no rule", "⟨U+202E⟩", "Always       1 this exact command", "▸ Details", "denied in ",
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
fn an_id_of_a_session_is_shown_in_the_details_alone() {
    let with = |session_kind| {
        let session = Some(postern_contract::to_pieces("43df2122"));
        let asker = postern_contract::Asker { session, session_kind, ..question("ls", 3).asker };
        showing(Question { asker, ..question("ls", 3) })
    };
    let named = screen(&mut with(SessionKind::Name), 80, 24).join("\n");
    assert!(named.contains("session 43df2122"), "{named}");
    let mut app = with(SessionKind::Id);
    let folded = screen(&mut app, 80, 24).join("\n");
    assert!(!folded.contains("43df2122"), "{folded}");
    app.handle_key(TuiKey::Char('v'));
    let open = screen(&mut app, 80, 40).join("\n");
    assert!(open.contains("session      43df2122"), "{open}");
}

#[test]
fn what_grows_below_the_screen_has_to_be_seen_again() {
    let mut app = drawn(question("ls", 3), 80, 24);
    assert!(app.end_seen);
    let says = Some(postern_contract::to_pieces(&"why ".repeat(700)));
    let asker = postern_contract::Asker { says, ..question("ls", 3).asker };
    let grown = Question { asker, ..question("ls", 3) };
    change(&mut app, grown);
    screen(&mut app, 80, 24);
    assert!(!app.end_seen, "the same digest, and more to read");
    app.handle_key(TuiKey::End);
    screen(&mut app, 80, 24);
    assert!(app.end_seen);
}

#[test]
fn details_open_by_a_key_and_start_over() {
    let mut app = drawn(question("rm -rf build", 3), 80, 24);
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
    let mut app = drawn(question("ls", 1), 80, 24);
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
    let mut app = drawn(question("ls", 1), 60, 24);
    app.handle_key(TuiKey::Char('w'));
    type_into(&mut app, &format!("{} the end", "word ".repeat(60)));
    let said = screen(&mut app, 60, 24).join("\n");
    assert!(said.contains("the end_"), "{said}");
    assert!(said.contains("main wants to run"), "the question keeps half of the screen: {said}");
}

#[test]
fn long_bodies_are_folded_and_nothing_folded_can_be_allowed() {
    let body = (0..9).map(|nth| format!("body {nth}\n")).collect::<Vec<_>>().concat();
    let text = postern_contract::to_pieces(&format!("cat <<EOF\n{body}EOF\nls"));
    let part =
        postern_contract::CommandPart { text, role: postern_contract::PartRole::Argument, step: Some(0) };
    let (steps, bodies) = (vec![step("cat")], vec![postern_contract::BodyLines { first: 1, count: 9 }]);
    let mut app =
        drawn(Question { shell: true, command: vec![part], steps, bodies, ..question("cat", 1) }, 80, 40);
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
    assert!(said.contains("input 2"), "{said}");
    assert!(said.contains("▸ 6 more lines"), "{said}");
    assert!(!said.contains("input 3"), "{said}");
    let mut short = input(8);
    let said = screen(&mut short, 80, 60).join("\n");
    assert!(said.contains("input 7") && !said.contains("▸ 6 more"), "{said}");
    assert!(short.end_seen);
}

#[test]
fn the_inbox_lists_by_agent_and_the_chosen_question_starts_over() {
    let mut app = showing(question("ls", 1));
    let mut of = |id: &str, agent: &str, command: &str| {
        let mut other = Question { id: id.into(), ..question(command, 1) };
        other.asker.agent = postern_policy::AgentId::new(agent.to_owned()).unwrap();
        other.headline = postern_contract::to_pieces(&format!("{agent} wants {command}"));
        open(&mut app, other);
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
    close(&mut app, "q2");
    assert_eq!(app.question().unwrap().id, "q1", "then the oldest");
}

#[test]
fn the_chosen_question_stays_on_show_in_a_long_inbox() {
    let mut app = App::default();
    for nth in 0..30 {
        let headline = postern_contract::to_pieces(&format!("main wants number {nth}"));
        let one = Question { id: format!("q{nth}"), headline, ..question("ls", 1) };
        open(&mut app, one);
    }
    app.handle_key(TuiKey::Char('i'));
    screen(&mut app, 60, 12);
    for (key, number) in [(TuiKey::End, "number 29"), (TuiKey::Up, "number 28"), (TuiKey::Home, "number 0")] {
        app.handle_key(key);
        let said = screen(&mut app, 60, 12).join("\n");
        assert!(said.contains(&format!("main wants {number} ")), "{number} in {said}");
    }
}
