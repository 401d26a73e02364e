//! Tests of the rule that *Always* saves.

use super::*;

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

#[test]
fn what_always_saves_is_chosen_and_told_before_a_number_says_yes() {
    let mut app = drawn(offering("git push"), 100, 40);
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
    change(&mut app, Question { digest: "e".repeat(64), ..offering("git push") });
    assert_eq!(app.choice, RuleChoice::default(), "another question is chosen for again");
}

#[test]
fn a_broad_rule_is_told_and_saved_by_its_number_pressed_again() {
    let mut app = drawn(offering("git push"), 100, 40);
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
    let mut app = drawn(offering("git push"), 100, 40);
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
    assert_eq!(app.choice, RuleChoice::default());
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
