use crate::testing::{Scene, identity, rule};
use crate::{
    Decision, Effect, Input, NothingToSave, Offer, OfferLabel, Offered, Reason, RuleInput, pattern_text,
};

fn shown(offers: &[Offer]) -> Vec<String> {
    let drafts = |offer: &Offer| {
        let texts = offer.drafts.iter().map(|draft| {
            let args = draft.args.as_ref().map(|args| format!(" [{}]", args.join(" "))).unwrap_or_default();
            let pin = if draft.pin.is_some() { " pinned" } else { "" };
            format!("{}{args}{pin}", pattern_text(&draft.pattern))
        });
        texts.collect::<Vec<_>>().join(" + ")
    };
    offers.iter().map(|offer| format!("{}: {}", offer.id, drafts(offer))).collect()
}

#[test]
fn offers_go_from_narrow_to_wide() {
    for (command, expected) in [
        (
            "git push origin main",
            vec![
                "exact: git push origin main pinned",
                "command: git push * pinned",
                "path: /usr/bin/git pinned",
            ],
        ),
        ("/usr/bin/git status", vec!["exact: /usr/bin/git status pinned", "path: /usr/bin/git pinned"]),
        (
            "nohup git status",
            vec!["exact: git status pinned", "command: git status pinned", "path: /usr/bin/git pinned"],
        ),
        ("sudo git status", vec!["exact: sudo git status pinned"]),
        ("git -c a.b=c log", vec!["exact: git -c a.b=c log pinned"]),
        (
            "npm run build",
            vec!["exact: npm run build pinned", "command: npm run build pinned", "path: /usr/bin/npm pinned"],
        ),
        ("python3 -c 'print(1)'", vec![]),
        ("X=1; $X", vec![]),
        ("ls > out.txt", vec![]),
        ("nope", vec![]),
        ("cd /tmp && git status", vec![]),
        (
            "cat a | wc -l",
            vec![
                "exact: cat a pinned + wc -l pinned",
                "command: cat * pinned + wc * pinned",
                "path: /usr/bin/cat pinned + /usr/bin/wc pinned",
            ],
        ),
        ("ls && ls", vec!["exact: ls pinned", "command: ls pinned", "path: /usr/bin/ls pinned"]),
    ] {
        assert_eq!(shown(&Scene::new().shell(command).offers()), expected, "{command}");
    }
}

#[test]
fn where_nothing_is_offered_the_reason_is_told() {
    use NothingToSave::{Environment, Input as Streamed, NoRuleHelps, Program, Unread, Writes};
    let why = |scene: &Scene| scene.proposed().unwrap_err();
    for (command, expected) in [
        ("python3 -c 'print(1)'", Unread),
        ("X=1; $X", Unread),
        ("ls > out.txt", Writes),
        ("nope", Program),
        ("cd /tmp && git status", NoRuleHelps),
    ] {
        assert_eq!(why(&Scene::new().shell(command)), expected, "{command}");
    }
    let mut scene = Scene::new().shell("git status");
    scene.env_to_ask = vec!["X".to_owned()];
    assert_eq!(why(&scene), Environment);
    let mut scene = Scene::new().program("/opt/bin/query", "q").shell("/opt/bin/query x");
    scene.input = Input::Stream;
    assert_eq!(why(&scene), Streamed);
}

#[test]
fn only_what_no_rule_covers_is_offered() {
    let offers = Scene::new().allow("/usr/bin/cat").shell("cat a | wc -l").offers();
    assert_eq!(shown(&offers)[0], "exact: wc -l pinned");
    assert!(Scene::new().allow("/usr/bin/ls").shell("ls").offers().is_empty());
}

#[test]
fn a_script_is_offered_with_its_content() {
    let mut scene = Scene::new().shell("python3 x.py --fast");
    scene.scripts.insert("/Users/u/project/x.py".to_owned(), identity("print"));
    let offers = scene.offers();
    assert_eq!(
        shown(&offers),
        ["exact: python3 x.py --fast pinned", "path: /usr/bin/python3 [x.py **] pinned"],
        "never any python3"
    );
    let (path, by) = ("/Users/u/project/x.py".to_owned(), "python3".to_owned());
    assert_eq!(offers[1].label, OfferLabel::Each(vec![Offered::Script { path, by, pinned: true }]));
}

#[test]
fn what_always_saves_asks_again_when_the_program_is_replaced() {
    let scene = || Scene::new().shell("git push origin main");
    for offer in scene().offers() {
        let draft = &offer.drafts[0];
        let mut saved = rule(1, Effect::Allow, "git push *");
        (saved.pattern, saved.args, saved.pin) =
            (draft.pattern.clone(), draft.args.clone(), draft.pin.clone().map(Box::new));
        assert_eq!(scene().rule(saved.clone()).judge().decision, Decision::Allow, "{}", offer.id);
        let replaced = scene().rule(saved).program("/usr/bin/git", "replaced").judge();
        assert_eq!(replaced.decision, Decision::Ask, "{}", offer.id);
        assert_eq!(replaced.reason, Reason::BinaryChanged, "{}", offer.id);
    }
}

#[test]
fn a_program_named_by_a_relative_path_is_bound_to_its_content() {
    let offers = Scene::new().program("/Users/u/project/run.sh", "run").shell("./run.sh a").offers();
    assert_eq!(shown(&offers)[0], "exact: ./run.sh a pinned");
}

#[test]
fn nothing_wider_by_its_words_is_offered_for_what_is_dangerous() {
    let ids = |text: &str| Scene::new().shell(text).offers().iter().map(|offer| offer.id).collect::<Vec<_>>();
    assert_eq!(ids("rm -rf build"), ["exact"], "neither any rm with these words nor any use of this rm");
    assert_eq!(ids("git push --force"), ["exact"]);
    assert!(ids("rm build").contains(&"command"), "a plain removal may be saved more widely");
}

#[test]
fn what_would_not_help_is_not_offered() {
    let mut asked = Scene::new().shell("git status");
    assert!(!asked.offers().is_empty());
    asked.env_to_ask = vec!["X".to_owned()];
    assert!(asked.offers().is_empty(), "the variable is asked about again");
    for text in ["chroot / ls", "command -p ls", "git status; if", "git status > out.txt && ls"] {
        assert_eq!(shown(&Scene::new().shell(text).offers()), [""; 0], "{text}");
    }
    let elsewhere = Scene::new().program("/usr/bin/ssh", "ssh").shell("ssh host git status").offers();
    assert_eq!(shown(&elsewhere), ["exact: ssh host git status pinned"], "nothing wider of another machine");
}

#[test]
fn a_script_is_offered_only_where_a_rule_can_name_it() {
    for (text, expected) in [
        ("sudo python3 x.py", vec!["exact: sudo python3 x.py pinned"]),
        ("python3 -u x.py", vec!["exact: python3 -u x.py pinned"]),
        ("python3 'x*.py'", vec!["exact: python3 'x*.py' pinned"]),
    ] {
        let mut scene = Scene::new().shell(text);
        for path in ["/Users/u/project/x.py", "/Users/u/project/x*.py"] {
            scene.scripts.insert(path.to_owned(), identity("print"));
        }
        assert_eq!(shown(&scene.offers()), expected, "{text}");
    }
}

#[test]
fn a_program_whose_path_reads_as_a_pattern_is_not_offered_by_it() {
    let offers = Scene::new().program("/opt/x*y", "x").shell("'/opt/x*y' a").offers();
    assert_eq!(shown(&offers), ["exact: '/opt/x*y' a pinned"]);
}

#[test]
fn nothing_is_offered_for_words_that_are_known_only_at_run_time() {
    for text in ["git push $x", "cat a $x"] {
        assert_eq!(shown(&Scene::new().shell(text).offers()), [""; 0], "{text}");
    }
}

#[test]
fn offers_tell_what_they_save() {
    let command = |words: &str, any_arguments| Offered::Command { words: words.to_owned(), any_arguments };
    let program = |name: &str| Offered::Program {
        name: name.to_owned(),
        path: format!("/usr/bin/{name}"),
        pinned: true,
    };
    let exact = |commands| OfferLabel::Exact { commands, changeable: Vec::new() };
    for (text, expected) in [
        (
            "git push origin main",
            [
                exact(1),
                OfferLabel::Each(vec![command("git push", true)]),
                OfferLabel::Each(vec![program("git")]),
            ],
        ),
        (
            "cat a | git status",
            [
                exact(2),
                OfferLabel::Each(vec![command("cat", true), command("git status", false)]),
                OfferLabel::Each(vec![program("cat"), program("git")]),
            ],
        ),
    ] {
        let offers = Scene::new().shell(text).offers();
        let labels: Vec<&OfferLabel> = offers.iter().map(|offer| &offer.label).collect();
        assert_eq!(labels, expected.iter().collect::<Vec<_>>(), "{text}");
    }
}

#[test]
fn an_offer_holds_in_the_folder_that_it_was_given_in() {
    let here = Scene::new().shell("git push").offers();
    assert!(here.iter().all(|offer| offer.folder.as_deref() == Some(crate::testing::CWD)), "{here:?}");
    let moved = Scene::new().shell("cd sub && git push").offers();
    assert!(!moved.is_empty() && moved.iter().all(|offer| offer.folder.is_none()), "held to none: {moved:?}");
}

#[test]
fn what_its_input_may_tell_it_is_offered_with_just_that_input() {
    let offers = |command: &str, input: Input| {
        let mut scene = Scene::new().program("/opt/bin/query", "q").shell(command);
        scene.input = input;
        scene.offers()
    };
    let text = || Input::Text("aa".to_owned());
    let told = offers("/opt/bin/query x", text());
    assert_eq!(told.len(), 1, "nothing wider: {told:?}");
    assert_eq!(told[0].drafts[0].input, RuleInput::Text("aa".to_owned()));
    assert!(offers("/opt/bin/query x", Input::Stream).is_empty(), "what is to come stands for nothing");
    for input in [Input::Nothing, text(), Input::Stream] {
        let data = offers("git push", input);
        assert!(
            data.len() > 1 && data.iter().all(|offer| offer.drafts[0].input == RuleInput::Nothing),
            "{data:?}"
        );
    }
}

#[test]
fn no_pin_is_offered_on_what_the_agent_can_change() {
    let run = || Scene::new().program("/Users/u/project/run.sh", "run").changeable("/Users/u/project/run.sh");
    let offers = run().shell("./run.sh a").offers();
    assert_eq!(shown(&offers), ["exact: ./run.sh a", "path: /Users/u/project/run.sh"]);
    let labels: Vec<&OfferLabel> = offers.iter().map(|offer| &offer.label).collect();
    let (name, path) = ("run.sh".to_owned(), "/Users/u/project/run.sh".to_owned());
    let broad = [
        &OfferLabel::Exact { commands: 1, changeable: vec!["./run.sh".to_owned()] },
        &OfferLabel::Each(vec![Offered::Program { name, path, pinned: false }]),
    ];
    assert_eq!(labels, broad, "they tell what is not held");
    let line = run().shell("ls && ./run.sh").offers();
    assert_eq!(shown(&line)[0], "exact: ls pinned + ./run.sh", "each step by itself");
    let mut script = Scene::new().shell("python3 x.py --fast").changeable("/Users/u/project/x.py");
    script.scripts.insert("/Users/u/project/x.py".to_owned(), identity("print"));
    assert_eq!(
        shown(&script.offers()),
        ["exact: python3 x.py --fast", "path: /usr/bin/python3 [x.py **]"],
        "the interpreter stays, its script does not"
    );
}
