use crate::testing::{Scene, identity, person_rule, rows};
use crate::{
    AlwaysOffer, Decision, Effect, Input, NothingToSave, OfferLabel, Offered, Reason, Rule, RuleInput,
    RuleOrigin, pattern_text,
};

fn shown(offers: &[AlwaysOffer]) -> Vec<String> {
    let drafts = |offer: &AlwaysOffer| {
        let texts = offer.drafts.iter().map(|draft| {
            let args = draft.args.as_ref().map(|args| format!(" [{}]", args.join(" "))).unwrap_or_default();
            let pin = if draft.pin.is_some() { " pinned" } else { "" };
            format!("{}{args}{pin}", pattern_text(&draft.pattern))
        });
        texts.collect::<Vec<_>>().join(" + ")
    };
    offers.iter().map(|offer| format!("{}: {}", offer.id, drafts(offer))).collect()
}

/// A command with all that is offered for it.
#[derive(serde::Deserialize)]
struct OfferCase {
    text: String,
    offers: Vec<String>,
}

#[test]
fn the_first_offer_names_the_action() {
    for OfferCase { text, offers } in rows(include_str!("offers.jsonl")) {
        assert_eq!(shown(&Scene::new().with_shell_text(&text).offers()), offers, "{text}");
    }
}

#[test]
fn only_what_names_everything_is_offered_by_its_words() {
    let words = |text: &str| {
        let scene = ["npx", "mise", "tool", "docker", "rustup", "uv", "asdf", "bundle"]
            .iter()
            .fold(Scene::new(), |scene, name| scene.program(&format!("/usr/bin/{name}"), name));
        shown(&scene.with_shell_text(text).offers()).first().cloned().unwrap_or_default()
    };
    for (text, expected) in rows::<(&str, &str)>(include_str!("words.jsonl")) {
        assert_eq!(words(text), expected, "{text}");
    }
    for text in [
        "npx -c 'rm x'", "npx bash x", "npx expo install x", "npx nuxi module add x", "mise exec -- rm x",
        "mise trust", "rustup run stable cargo build", "uv tool run ruff",
        "asdf plugin add x https://a.example/x", "bundle plugin install x", "bundle config x y",
        "bundle install", "mise use node", "uv tool install x", "docker compose -f /tmp/x.yml up",
        "docker compose run web ls", "docker compose exec web ls", "docker run x", "git -c core.pager=x log",
        "docker compose -f dev.yml exec web ls", "docker compose -f ../x.yml logs",
        "docker compose -f - logs", "docker compose -f a.yml -f /tmp/x.yml logs",
        "docker compose -f/tmp/x.yml logs", "docker compose --file=/tmp/x.yml logs",
        "docker compose -f https://a.example/x.git logs", "docker compose --project-directory /tmp/x logs",
        "find . -exec rm {} +",
    ] {
        assert!(!words(text).starts_with("command"), "{text}: {}", words(text));
    }
}

fn github() -> Scene {
    Scene::new().program("/usr/bin/gh", "gh").with_allow_rule("cat *")
}

/// A call of GitHub with its first offer, and what the rule of that allows and asks about.
#[derive(serde::Deserialize)]
struct GithubCase {
    text: String,
    offer: String,
    allowed: Vec<String>,
    asked: Vec<String>,
}

#[test]
fn calls_of_github_are_offered_by_their_words_and_allow_nothing_else() {
    for GithubCase { text, offer, allowed, asked } in rows(include_str!("github.jsonl")) {
        let offers = github().with_shell_text(&text).offers();
        assert_eq!(shown(&offers)[0], offer, "{text}");
        let saved = Rule { id: 1, ..offers[0].to_rules(RuleOrigin::Any).next().unwrap() };
        for (texts, expected) in [(allowed, Decision::Allow), (asked, Decision::Ask)] {
            for text in texts {
                let scene = github().with_rule(saved.clone()).with_shell_text(&text);
                assert_eq!(scene.judge_request().decision, expected, "{text}");
            }
        }
    }
    for text in [
        "gh api graphql -f query='mutation {x}'", "gh api repos/o/r/issues -F body=@notes",
        "gh api repos/o/r/issues --input notes", "gh api repos/o/r/issues -f a=b -F body=@notes",
        "gh api repos/o/r/issues -f a=b -H 'X: y'", "gh api repos/o/r/issues -f a=b --hostname h.example",
        "gh api repos/o/r/pulls/1 -X DELETE", "gh api repos/o/r/pulls/1 -X PATCH -f state=closed",
    ] {
        let offers = shown(&github().with_shell_text(text).offers());
        assert!(offers[0].starts_with("exact"), "{text}: {offers:?}");
    }
}

#[test]
fn a_job_is_stopped_by_the_variable_that_keeps_its_number() {
    let first = |text: &str| {
        let scene = Scene::new().program("/usr/bin/kill", "kill").with_allow_rule("ls *");
        shown(&scene.with_shell_text(text).offers()).first().cloned()
    };
    let expected = Some("command: kill * pinned".to_owned());
    assert_eq!(first("ls & kill $!"), expected);
    for text in ["ls & P=$!; kill $P", "ls & P=\"$!\"\nkill \"$P\"", "ls & P=$!; kill ${P} 2>/dev/null"] {
        assert_eq!(first(text), expected, "{text}");
    }
    for text in ["P=$(cat f); kill $P", "ls & P=$!; read P < f; kill $P", "ls & P=$!; P=$X; kill $P"] {
        assert_ne!(first(text), expected, "{text}");
    }
}

#[test]
fn where_nothing_is_offered_the_reason_is_told() {
    use NothingToSave::{Environment, Input as Streamed, Program, Unread, Writes};
    let why = |scene: &Scene| scene.proposed().unwrap_err();
    for (command, expected) in
        [("X=1; $X", Unread), ("ls > /etc/hosts", Writes), ("nope", Program), ("chroot / ls", Unread)]
    {
        assert_eq!(why(&Scene::new().with_shell_text(command)), expected, "{command}");
    }
    let mut scene = Scene::new().with_shell_text("git status");
    scene.env_to_ask = vec!["X".to_owned()];
    assert_eq!(why(&scene), Environment);
    let mut scene = Scene::new().program("/opt/bin/query", "q").with_shell_text("/opt/bin/query x");
    scene.input = Input::Stream;
    assert_eq!(why(&scene), Streamed);
}

#[test]
fn only_what_no_rule_covers_is_offered() {
    let offers = Scene::new().with_allow_rule("/usr/bin/cat").with_shell_text("cat a | wc -l").offers();
    assert_eq!(shown(&offers)[0], "command: wc * pinned");
    assert!(Scene::new().with_allow_rule("/usr/bin/ls").with_shell_text("ls").offers().is_empty());
}

#[test]
fn a_script_is_offered_with_its_content() {
    let mut scene = Scene::new().with_shell_text("python3 x.py --fast");
    scene.scripts.insert("/Users/u/project/x.py".to_owned(), identity("print"));
    let offers = scene.offers();
    assert_eq!(
        shown(&offers),
        ["path: /usr/bin/python3 [x.py **] pinned", "exact: python3 x.py --fast pinned"],
        "never any python3"
    );
    let (path, by) = ("/Users/u/project/x.py".to_owned(), "python3".to_owned());
    assert_eq!(offers[0].label, OfferLabel::Each(vec![Offered::Script { path, by, pinned: true }]));
}

#[test]
fn what_always_saves_asks_again_when_the_program_is_replaced() {
    let scene = || Scene::new().with_shell_text("git push origin main");
    for offer in scene().offers() {
        let draft = &offer.drafts[0];
        let mut saved = person_rule(1, Effect::Allow, "git push *");
        (saved.pattern, saved.args, saved.pin) =
            (draft.pattern.clone(), draft.args.clone(), draft.pin.clone().map(Box::new));
        let got = scene().with_rule(saved.clone()).judge_request().decision;
        assert_eq!(got, Decision::Allow, "{}", offer.id);
        let replaced = scene().with_rule(saved).program("/usr/bin/git", "replaced").judge_request();
        assert_eq!(replaced.decision, Decision::Ask, "{}", offer.id);
        assert_eq!(replaced.reason, Reason::BinaryChanged, "{}", offer.id);
    }
}

#[test]
fn a_program_named_by_a_relative_path_is_bound_to_its_content() {
    let offers =
        Scene::new().program("/Users/u/project/run.sh", "run").with_shell_text("./run.sh a").offers();
    assert_eq!(shown(&offers), ["path: /Users/u/project/run.sh pinned", "exact: ./run.sh a pinned"]);
}

#[test]
fn nothing_wider_by_its_words_is_offered_for_what_is_dangerous() {
    let ids = |text: &str| {
        Scene::new().with_shell_text(text).offers().iter().map(|offer| offer.id).collect::<Vec<_>>()
    };
    assert_eq!(ids("rm -rf build"), ["exact"], "neither any rm with these words nor any use of this rm");
    assert_eq!(ids("git push --force"), ["exact"]);
    assert!(ids("rm build").contains(&"command"), "a plain removal may be saved more widely");
}

#[test]
fn what_would_not_help_is_not_offered() {
    let mut asked = Scene::new().with_shell_text("git status");
    assert!(!asked.offers().is_empty());
    asked.env_to_ask = vec!["X".to_owned()];
    assert!(asked.offers().is_empty(), "the variable is asked about again");
    for text in ["chroot / ls", "command -p ls", "git status; if", "git status > /etc/x && ls"] {
        assert_eq!(shown(&Scene::new().with_shell_text(text).offers()), [""; 0], "{text}");
    }
    let elsewhere =
        Scene::new().program("/usr/bin/ssh", "ssh").with_shell_text("ssh host git status").offers();
    assert_eq!(shown(&elsewhere), ["exact: ssh host git status pinned"], "nothing wider of another machine");
}

#[test]
fn a_script_is_offered_only_where_a_rule_can_name_it() {
    for (text, expected) in [
        ("sudo python3 x.py", vec!["exact: sudo python3 x.py pinned"]),
        ("python3 -u x.py", vec!["exact: python3 -u x.py pinned"]),
        ("python3 'x*.py'", vec!["exact: python3 'x*.py' pinned"]),
    ] {
        let mut scene = Scene::new().with_shell_text(text);
        for path in ["/Users/u/project/x.py", "/Users/u/project/x*.py"] {
            scene.scripts.insert(path.to_owned(), identity("print"));
        }
        assert_eq!(shown(&scene.offers()), expected, "{text}");
    }
}

#[test]
fn a_program_whose_path_reads_as_a_pattern_is_not_offered_by_it() {
    let offers = Scene::new().program("/opt/x*y", "x").with_shell_text("'/opt/x*y' a").offers();
    assert_eq!(shown(&offers), ["exact: '/opt/x*y' a pinned"]);
}

#[test]
fn what_is_known_only_at_run_time_is_not_offered() {
    for (text, expected) in [
        ("git push $x", vec![]),
        ("cat a $x", vec![]),
        ("ls > \"$OUT\"", vec![]),
        ("rm $x", vec![]),
        ("source \"$x\" && npm test", vec![]),
        ("source ../env.sh && npm test", vec!["exact: bash -c 'source ../env.sh && npm test'"]),
        ("eval \"$x\"", vec![]),
        ("cat x | python3 -", vec![]),
    ] {
        assert_eq!(shown(&Scene::new().with_shell_text(text).offers()), expected, "{text}");
    }
    let exported = Scene::new().with_shell_text("set -a; source env.sh; set +a; npm test").offers();
    assert_eq!(shown(&exported)[0], "command: source env.sh + npm test * pinned");
    let offers = Scene::new().with_shell_text("source env.sh && npm test").offers();
    assert_eq!(shown(&offers)[0], "command: source env.sh + npm test * pinned");
    let changeable = vec!["env.sh".to_owned()];
    assert_eq!(
        offers[1].label,
        OfferLabel::Exact { commands: 2, changeable },
        "it may hold anything by then"
    );
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
                OfferLabel::Each(vec![command("git push", true)]),
                exact(1),
                OfferLabel::Each(vec![program("git")]),
            ],
        ),
        (
            "cat a | git status",
            [
                OfferLabel::Each(vec![command("cat", true), command("git status", true)]),
                exact(2),
                OfferLabel::Each(vec![program("cat"), program("git")]),
            ],
        ),
    ] {
        let offers = Scene::new().with_shell_text(text).offers();
        let labels: Vec<&OfferLabel> = offers.iter().map(|offer| &offer.label).collect();
        assert_eq!(labels, expected.iter().collect::<Vec<_>>(), "{text}");
    }
}

#[test]
fn an_offer_holds_in_the_folder_that_it_was_given_in() {
    let here = Scene::new().with_shell_text("git push").offers();
    assert!(here.iter().all(|offer| offer.folder.as_deref() == Some(crate::testing::CWD)), "{here:?}");
    for (text, folder) in [
        ("cd /opt/other && git push", "/opt/other"),
        ("cd /opt/other && git push && cd sub && npm test", "/opt/other"),
    ] {
        let moved = Scene::new().with_shell_text(text).offers();
        assert!(!moved.is_empty(), "{moved:?}");
        assert!(moved.iter().all(|offer| offer.folder.as_deref() == Some(folder)), "{moved:?}");
    }
    // Also where the same rule serves a step before that.
    for text in ["cd sub && git push", "git push && cd sub && git push"] {
        let exchanged = Scene::new().with_shell_text(text).offers();
        assert!(
            exchanged.iter().all(|offer| offer.folder.is_none()),
            "the agent may put a link there: {exchanged:?}"
        );
    }
}

#[test]
fn what_its_input_may_tell_it_is_offered_with_just_that_input() {
    let offers = |command: &str, input: Input| {
        let mut scene = Scene::new().program("/opt/bin/query", "q").with_shell_text(command);
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
        assert!(data.len() > 1, "{data:?}");
        assert!(data.iter().all(|offer| offer.drafts[0].input == RuleInput::Nothing), "{data:?}");
    }
}

#[test]
fn no_pin_is_offered_on_what_the_agent_can_change() {
    let run = || Scene::new().program("/Users/u/project/run.sh", "run").changeable("/Users/u/project/run.sh");
    let offers = run().with_shell_text("./run.sh a").offers();
    assert_eq!(shown(&offers), ["path: /Users/u/project/run.sh", "exact: ./run.sh a"]);
    let labels: Vec<&OfferLabel> = offers.iter().map(|offer| &offer.label).collect();
    let (name, path) = ("run.sh".to_owned(), "/Users/u/project/run.sh".to_owned());
    let broad = [
        &OfferLabel::Each(vec![Offered::Program { name, path, pinned: false }]),
        &OfferLabel::Exact { commands: 1, changeable: vec!["./run.sh".to_owned()] },
    ];
    assert_eq!(labels, broad, "they tell what is not held");
    let line = run().with_shell_text("ls && ./run.sh").offers();
    assert_eq!(shown(&line)[0], "command: ls * pinned + /Users/u/project/run.sh", "each step by itself");
    let mut script = Scene::new().with_shell_text("python3 x.py --fast").changeable("/Users/u/project/x.py");
    script.scripts.insert("/Users/u/project/x.py".to_owned(), identity("print"));
    assert_eq!(
        shown(&script.offers()),
        ["path: /usr/bin/python3 [x.py **]", "exact: python3 x.py --fast"],
        "the interpreter stays, its script does not"
    );
}

#[test]
fn an_offer_that_nobody_would_read_is_not_made() {
    let line = |count: usize| (0..count).map(|at| format!("tool{at} run x")).collect::<Vec<_>>().join(" && ");
    let scene = |count| {
        let scene = (0..count).fold(Scene::new(), |scene, at| {
            scene.program(&format!("/usr/bin/tool{at}"), &format!("tool{at}"))
        });
        scene.with_shell_text(&line(count))
    };
    assert_eq!(scene(5).offers().first().map(|offer| offer.id), Some("command"));
    let many = scene(120).proposed();
    let told = many.map(|offers| offers.iter().map(|offer| offer.id).collect::<Vec<_>>());
    assert!(!told.as_ref().is_ok_and(|ids| ids.contains(&"command")), "{told:?}");
}
