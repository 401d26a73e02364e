use super::{Batch, find_alike, stands_alone};
use crate::question::{Question, ShownInput};
use crate::{join_pieces, to_pieces};
use postern_policy::{RatedEffect, Risk, RiskLevel};
use serde_json::json;

pub(crate) fn question(line: &str) -> Question {
    let program = line.split(' ').next().unwrap_or_default();
    serde_json::from_value(json!({
        "id": line, "code": "9f3a", "digest": format!("digest of {line}"), "requests": ["r"],
        "asker": {"agent": "research", "name": [], "color": "#7a5af8", "knownBy": [], "session": null, "says": null},
        "command": [
            {"text": to_pieces(program), "role": "program", "step": 0}, {"text": to_pieces(line), "role": "argument", "step": 0}
        ],
        "line": line, "argv": null, "shell": false, "steps": [], "programs": [], "cwd": to_pieces("/home/ann"), "env": [],
        "stdin": null, "headline": to_pieces("research wants to fetch from example.com"), "why": [], "rule": null, "policy": [],
        "risk": {"level": "needs-review", "reasons": []}, "proposals": [], "askedAt": 0, "expiresAt": 120_000,
        "atZero": [], "armingMs": 1000, "waiting": 0
    }))
    .unwrap()
}

fn pages(numbers: &[&str]) -> Vec<Question> {
    numbers.iter().map(|number| question(&format!("curl -sSL https://example.com/page/{number}"))).collect()
}

fn folded(questions: &[Question]) -> Option<String> {
    let (first, others) = questions.split_first().unwrap();
    let parts = Batch::from_questions(first, others).folded?;
    Some(
        parts
            .iter()
            .map(|part| if part.differs { format!("[{}]", part.text) } else { part.text.clone() })
            .collect(),
    )
}

fn is_alike(one: &Question, other: &Question) -> bool {
    !find_alike(one, std::slice::from_ref(other)).is_empty()
}

#[test]
fn what_differs_in_a_word_is_one_question_with_a_digest_each() {
    let asked = pages(&["1", "2", "3", "4", "5", "7"]);
    let others: Vec<Question> = find_alike(&asked[0], &asked).into_iter().cloned().collect();
    assert_eq!(others.len(), 5, "it is not alike itself");
    let batch = Batch::from_questions(&asked[0], &others);
    assert_eq!(join_pieces(&batch.headline), "research wants to fetch from example.com, 6 times");
    let named: Vec<&str> = batch.members.iter().map(|member| member.digest.as_str()).collect();
    assert_eq!(named, asked.iter().map(|one| one.digest.as_str()).collect::<Vec<_>>());
    assert_eq!(folded(&asked).unwrap(), "curl -sSL https://example.com/page/[1–5, 7]");
}

#[test]
fn a_fold_loses_nothing() {
    assert_eq!(folded(&pages(&["9", "10", "11"])).unwrap(), "curl -sSL https://example.com/page/[9–11]");
    assert_eq!(
        folded(&pages(&["1.html", "3.html"])).unwrap(),
        "curl -sSL https://example.com/page/[1, 3].html"
    );
    assert_eq!(folded(&pages(&["1", "02"])), None, "02 is not 2");
    assert_eq!(folded(&pages(&["1", "one"])), None);
    assert_eq!(folded(&pages(&["1", ""])), None, "one has nothing where the other differs");
    assert_eq!(
        folded(&[question("cp a1 b1"), question("cp a2 b2")]),
        None,
        "which belongs to which would be lost"
    );
    let mut says = pages(&["1", "2"]);
    says[0].asker.says = Some(to_pieces("the first"));
    assert_eq!(folded(&says), None, "the agent said something else of each");
    let members = Batch::from_questions(&says[0], &says[1..]).members;
    assert_eq!(members.iter().map(|one| one.says.is_some()).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn every_line_is_whole_with_what_differs_marked() {
    let asked = [question("git push origin fix-login"), question("git push origin fix-logout")];
    let lines: Vec<String> = Batch::from_questions(&asked[0], &asked[1..])
        .members
        .iter()
        .map(|member| member.line.iter().map(|part| part.text.as_str()).collect())
        .collect();
    assert_eq!(lines, ["git push origin fix-login", "git push origin fix-logout"]);
    let differs = &Batch::from_questions(&asked[0], &asked[1..]).members[0].line;
    assert!(differs.iter().any(|part| part.differs && part.text == "in"), "{differs:?}");
}

#[test]
fn what_needs_a_look_of_its_own_stays_alone() {
    type Change = fn(&mut Question);
    let changes: [(&str, Change); 14] = [
        ("another agent", |one| one.asker.agent = serde_json::from_value(json!("builder")).unwrap()),
        ("another session", |one| one.asker.session = Some(to_pieces("other"))),
        ("another folder", |one| one.cwd = to_pieces("/home/ann/other")),
        ("another effect", |one| one.headline = to_pieces("research wants to fetch from example.org")),
        ("other reasons", |one| one.risk.reasons = vec![to_pieces("Uses a key")]),
        ("an effect that names nothing", |one| one.alone = true),
        ("dangerous", |one| one.risk.level = RiskLevel::Dangerous),
        ("other rights", |one| one.confinement = to_pieces("Runs with your full access")),
        ("allowed by silence", |one| one.allowed_at_zero = true),
        ("input", |one| one.stdin = Some(ShownInput::Stream)),
        ("changed by the person", |one| one.edited = Some(to_pieces("curl"))),
        ("asked twice", |one| one.requests.push("r2".to_owned())),
        ("an escape", |one| one.line.push_str("\\u{202e}")),
        ("a file that the agent can change", |one| one.changeable = vec![to_pieces("curl")]),
    ];
    for (what, change) in changes {
        let [one, mut other]: [Question; 2] = pages(&["1", "2"]).try_into().unwrap();
        assert!(is_alike(&one, &other), "without: {what}");
        change(&mut other);
        assert!(!is_alike(&one, &other), "{what}");
    }
}

#[test]
fn programs_and_options_never_differ() {
    let one = question("curl https://example.com/1");
    for other in ["wget https://example.com/1", "curl -k", "curl https://example.com/1 -k"] {
        assert!(!is_alike(&one, &question(other)), "{other}");
    }
}

#[test]
fn a_word_that_decides_what_is_done_never_differs() {
    for (one, other) in [
        ("git config user.name x", "git config core.sshCommand ./x"),
        ("ssh host uptime", "ssh host reboot"),
        ("mvn clean verify", "mvn clean deploy"),
        ("make test lint", "make test deploy"),
        ("git push origin dev", "git push origin main"),
    ] {
        assert!(!is_alike(&question(one), &question(other)), "{one} and {other}");
    }
    for (one, other) in [
        ("curl https://example.com/a", "curl https://example.com/b"),
        ("gh issue view 1", "gh issue view 2"),
        ("cp a/x1.txt b", "cp a/x2.txt b"),
    ] {
        assert!(is_alike(&question(one), &question(other)), "{one} and {other}");
    }
}

#[test]
fn only_effects_that_name_their_objects_are_shown_as_one() {
    use postern_command::{CommandEffect as Effect, EffectScope, Reversible};
    let risk = |effect: Effect| Risk {
        level: RiskLevel::NeedsReview,
        effects: vec![RatedEffect {
            effect,
            scope: EffectScope::Remote,
            reversible: Reversible::Unknown,
            level: RiskLevel::NeedsReview,
            step: Some(0),
            span: (0, 0),
            guessed: false,
            measured: None,
            named: None,
        }],
    };
    let (name, place) = (Some("x".to_owned()), || "in a container".into());
    let names = || vec!["x".to_owned()];
    let read = |paths| Effect::Read { paths };
    // What a command looks at can change nothing, whether it is named or not.
    for effect in [Effect::Fetch { from: names() }, read(names()), read(Vec::new())] {
        assert!(!stands_alone(&risk(effect.clone())), "{effect:?}");
    }
    for effect in [
        Effect::Fetch { from: Vec::new() },
        Effect::Write { paths: Vec::new() },
        Effect::ChangeRepository { change: "change its settings".into(), names: Vec::new(), folder: None },
        Effect::ChangeSystem { change: "end a process".into(), names: names() },
        Effect::RunElsewhere { place: place(), name: name.clone() },
        Effect::RunProjectCode { what: "the build".into(), name, folder: None },
        Effect::RunInlineCode { language: "python3".to_owned() },
    ] {
        assert!(stands_alone(&risk(effect.clone())), "{effect:?}");
    }
}

#[test]
fn ten_at_most_are_one() {
    let numbers: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    let asked = pages(&numbers.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(find_alike(&asked[0], &asked).len(), 9);
}
