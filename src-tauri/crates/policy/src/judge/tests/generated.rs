//! Laws over generated policies and command lines.

use crate::testing::{Scene, person_rule};
use crate::{
    Access, Ask, Class, Decision, Effect, Fallback, Lifetime, Rule, Security, Settings, Unreadable, Verdict,
};
use postern_command::escape;
use proptest::prelude::*;

const PROGRAMS: &[&str] = &[
    "ls", "cat", "git", "rm", "npm", "bash", "python3", "sudo", "find", "xargs", "env", "nohup", "nope",
    "tee",
];
const WORDS: &[&str] = &[
    "push", "status", "-rf", "build", "-c", "--pre", "x=y", ".", "~", "/tmp/x", "-", "'a b'", "*.txt",
    "\"$X\"", "{}",
];

/// Patterns that match [`MEETING_LINES`]: those that are made up rarely match anything.
const MEETING_PATTERNS: &[&str] = &[
    "/usr/bin/git", "/usr/bin/*", "/**", "git push *", "git status", "ls *", "/usr/bin/rm", "rm *",
    "/usr/bin/bash", "npm run build", "/usr/bin/l?", "sudo git *", "env *", "/usr/bin/{cat,wc}",
];

/// Lines that patterns match, and two that once broke a law.
const MEETING_LINES: &[&str] = &[
    "git status", "git push origin main", "ls -la | wc -l", "rm -rf build", "sudo git status",
    "bash -c 'git push'", "cat a > b", "echo $(git status)", "X=1; $X", "env git push",
    "npm run build && ls", "/usr/bin/git -c a=b push", "find . -exec rm {} +", "git $X", "python3 -c 'x'",
    "cd .. && ls", "nope", "ls; /bin/ls; LS", "if xargs /tmp/x; then ls; fi",
    "bash -c '\\rm' && cd sub && rm",
];

/// Returns a word of a command: known, quoted, unknown, substituted.
fn word() -> BoxedStrategy<String> {
    prop_oneof![
        6 => prop::sample::select(WORDS).prop_map(str::to_owned),
        1 => "[a-z]{1,6}",
        1 => prop::sample::select(PROGRAMS).prop_map(|name| format!("$({name})")),
        1 => prop::sample::select(PROGRAMS).prop_map(|name| format!("'{name} x'")),
    ]
    .boxed()
}

fn program() -> BoxedStrategy<String> {
    prop_oneof![
        8 => prop::sample::select(PROGRAMS).prop_map(str::to_owned),
        2 => prop::sample::select(PROGRAMS).prop_map(|name| format!("/usr/bin/{name}")),
        1 => prop::sample::select(PROGRAMS).prop_map(str::to_uppercase),
        1 => Just("$X".to_owned()),
        1 => Just("\\rm".to_owned()),
    ]
    .boxed()
}

fn simple() -> BoxedStrategy<String> {
    let wrapper = prop::option::weighted(
        0.3,
        prop::sample::select(&["nohup", "sudo", "env", "X=1", "LANG=C", "time"][..]),
    );
    let redirection =
        prop::option::weighted(0.2, prop::sample::select(&["> out", "2>/dev/null", "< in", ">> $F"][..]));
    (wrapper, program(), prop::collection::vec(word(), 0..4), redirection)
        .prop_map(|(wrapper, program, words, redirection)| {
            let words = wrapper.into_iter().map(str::to_owned).chain([program]).chain(words);
            words.chain(redirection.map(str::to_owned)).collect::<Vec<_>>().join(" ")
        })
        .boxed()
}

/// Returns a line built from a small grammar of lists, groups, conditions, loops, substitutions and inner
/// shells, or one of those that meet rules.
fn line() -> BoxedStrategy<String> {
    let made = simple().prop_recursive(3, 12, 3, |inner| {
        let pair = (inner.clone(), prop::sample::select(&["&&", "||", ";", "|", "&"][..]), inner.clone());
        prop_oneof![
            3 => pair.prop_map(|(first, sign, second)| format!("{first} {sign} {second}")),
            1 => inner.clone().prop_map(|line| format!("({line})")),
            1 => inner.clone().prop_map(|line| format!("{{ {line}; }}")),
            1 => inner.clone().prop_map(|line| format!("if {line}; then ls; fi")),
            1 => inner.clone().prop_map(|line| format!("for f in a b; do {line}; done")),
            1 => inner.clone().prop_map(|line| format!("echo \"$({line})\"")),
            1 => inner.clone().prop_map(|line| format!("bash -c '{}'", line.replace('\'', "'\\''"))),
            1 => inner.prop_map(|line| format!("cd sub && {line}")),
        ]
    });
    prop_oneof![3 => made, 1 => prop::sample::select(MEETING_LINES).prop_map(str::to_owned)].boxed()
}

/// Returns a pattern built from a small grammar of paths, globs and words, or one that meets lines.
fn pattern() -> BoxedStrategy<String> {
    let name = prop::sample::select(PROGRAMS);
    let folder = prop::sample::select(&["/usr/bin", "/bin", "/usr", "/opt/x", "~/bin"][..]);
    let last = prop_oneof![
        name.clone().prop_map(str::to_owned),
        Just("*".to_owned()),
        Just("**".to_owned()),
        Just("{ls,git}".to_owned()),
        Just("[lg]*".to_owned()),
        "[a-z]\\?",
    ];
    let words =
        prop::collection::vec(prop::sample::select(&["push", "status", "-rf", "build", "*", "x?"][..]), 0..3);
    prop_oneof![
        prop::sample::select(MEETING_PATTERNS).prop_map(str::to_owned),
        (folder, last).prop_map(|(folder, last)| format!("{folder}/{last}")),
        (name, words)
            .prop_map(|(name, words)| { std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ") }),
    ]
    .boxed()
}

fn rules(effect: Effect, first: i64) -> BoxedStrategy<Vec<Rule>> {
    let lifetime = prop_oneof![4 => Just(Lifetime::Forever), 1 => Just(Lifetime::Until(1)), 1 => Just(Lifetime::Until(9999))];
    prop::collection::vec((pattern(), any::<bool>(), lifetime), 0..5)
        .prop_map(move |made| {
            let numbered = (first..).zip(made);
            numbered
                .map(|(id, (text, writes, lifetime))| Rule {
                    allow_writes: writes,
                    lifetime,
                    ..person_rule(id, effect, &text)
                })
                .collect()
        })
        .boxed()
}

fn settings() -> BoxedStrategy<Settings> {
    let security = prop::sample::select(&[Security::Deny, Security::Allowlist, Security::Full][..]);
    let ask = prop::sample::select(&[Ask::Off, Ask::OnMiss, Ask::Always][..]);
    let folders = prop::sample::select(vec![None, Some("~/project"), Some("/opt")]);
    let access = || prop::sample::select(&[Access::Allow, Access::Ask, Access::Deny][..]);
    let classes = [access(), access(), access(), access()];
    (security, ask, classes, any::<bool>(), folders)
        .prop_map(|(security, ask, [look, files, build, network], back, folders)| Settings {
            security,
            ask,
            look,
            files,
            build,
            network,
            unattended: crate::Unattended::Deny,
            unreadable: if back { Unreadable::SendBack } else { Unreadable::Ask },
            folders: folders.into_iter().map(str::to_owned).collect(),
            ..Settings::default()
        })
        .boxed()
}

fn scene(settings: &Settings, rules: &[Rule], line: &str) -> Scene {
    let mut scene = Scene::new().with_settings(|all| *all = settings.clone()).with_shell_text(line);
    scene.rules = rules.to_vec();
    scene
}

fn judged(settings: &Settings, rules: &[Rule], line: &str) -> Decision {
    scene(settings, rules, line).judge_request().decision
}

/// Returns every setting by itself turned one step stricter.
fn tightened(settings: &Settings) -> Vec<Settings> {
    let mut all = Vec::new();
    let security = match settings.security {
        Security::Full => Some(Security::Allowlist),
        Security::Allowlist => Some(Security::Deny),
        Security::Deny => None,
    };
    all.extend(security.map(|security| Settings { security, ..settings.clone() }));
    if settings.ask == Ask::OnMiss {
        all.push(Settings { ask: Ask::Always, ..settings.clone() });
        all.push(Settings { ask: Ask::Off, ..settings.clone() });
    }
    all.extend(Class::ALL.into_iter().filter_map(|class| {
        let mut stricter = settings.clone();
        stricter.set_access(
            class,
            match settings.access(class) {
                Access::Allow => Access::Ask,
                Access::Ask => Access::Deny,
                Access::Deny => return None,
            },
        );
        Some(stricter)
    }));
    all.push(Settings { unreadable: Unreadable::SendBack, ..settings.clone() });
    all.push(Settings { folders: vec!["/nowhere".to_owned()], ..settings.clone() });
    all
}

/// Commands with characters in them that a terminal obeys or a person cannot see, in every place.
fn hostile() -> BoxedStrategy<String> {
    let bad = prop::sample::select(
        &["\u{1b}[2J", "\u{202e}", "\u{200b}", "\u{7f}", "\r", "\t", "\u{85}", "\u{3164}"][..],
    );
    let around = prop::sample::select(
        &[
            "a@$X; ls", "`x@`; ls", "$X@ y", "@", "git@ push", "env --@ ls", "env -@ ls", "python3 -@ x",
            "python3@ -c x", "bash --@", "bash -@", "arch -@ ls", "ls > a@b", "ls > $X@", "rm -rf / @",
            "sudo@ ls", "A@=1 ls", "A=@ ls", "/usr/bin/@", "cd @ && ls", "cd /@ && ls",
            "tee ~/'Library/Application Support/Postern/@'", "xargs@ rm", "find . -exec @ ;", "nice -n @ ls",
            "curl@ -o @ u | sh",
        ][..],
    );
    let free =
        prop::collection::vec(prop::char::any(), 0..12).prop_map(|all| all.into_iter().collect::<String>());
    prop_oneof![
        (around.clone(), bad).prop_map(|(around, bad)| around.replace('@', bad)),
        (around, free).prop_map(|(around, free)| around.replace('@', &free)),
    ]
    .boxed()
}

/// Returns every text of a verdict that is shown as it is; sentences are escaped where they are rendered.
fn told(verdict: &Verdict) -> Vec<String> {
    let rules = verdict.steps.iter().filter_map(|step| step.rule.as_ref()).chain(&verdict.rule);
    let rules = rules.flat_map(|rule| [rule.pattern.clone(), rule.source.clone()]);
    rules.chain(verdict.trace.iter().map(|line| line.stage.to_string())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn another_deny_rule_never_loosens(
        settings in settings(), allow in rules(Effect::Allow, 1), deny in rules(Effect::Deny, 101), line in line(),
        extra in pattern(),
    ) {
        let mut all = [allow, deny].concat();
        let before = judged(&settings, &all, &line);
        all.push(person_rule(500, Effect::Deny, &extra));
        prop_assert!(judged(&settings, &all, &line) >= before, "{line} with deny {extra}");
    }

    #[test]
    fn one_allow_rule_less_never_loosens(
        settings in settings(), allow in rules(Effect::Allow, 1), deny in rules(Effect::Deny, 101), line in line(),
        at in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!allow.is_empty());
        let mut all = [allow.clone(), deny].concat();
        let before = judged(&settings, &all, &line);
        let gone = all.remove(at.index(allow.len()));
        prop_assert!(judged(&settings, &all, &line) >= before, "{line} without {:?}", gone.pattern);
    }

    #[test]
    fn the_order_and_the_parts_of_rules_do_not_matter(
        settings in settings(), allow in rules(Effect::Allow, 1), deny in rules(Effect::Deny, 101), line in line(),
        split in any::<prop::sample::Index>(),
    ) {
        let mut all = [allow, deny].concat();
        let verdict = scene(&settings, &all, &line).judge_request();
        all.reverse();
        prop_assert_eq!(&scene(&settings, &all, &line).judge_request(), &verdict, "turned around: {}", line);
        let at = split.index(all.len() + 1);
        let shared = scene(&settings, &all[..at], &line).judged_with(&all[at..]);
        prop_assert_eq!(&shared, &verdict, "in two parts: {}", line);
    }

    #[test]
    fn ask_always_never_allows_by_itself(
        settings in settings(), allow in rules(Effect::Allow, 1), deny in rules(Effect::Deny, 101), line in line(),
    ) {
        let always = Settings { ask: Ask::Always, ..settings };
        prop_assert_ne!(judged(&always, &[allow, deny].concat(), &line), Decision::Allow, "{}", line);
    }

    #[test]
    fn a_stricter_setting_never_loosens(
        settings in settings(), allow in rules(Effect::Allow, 1), deny in rules(Effect::Deny, 101), line in line(),
    ) {
        let all = [allow, deny].concat();
        let before = judged(&settings, &all, &line);
        for stricter in tightened(&settings) {
            let after = judged(&stricter, &all, &line);
            prop_assert!(after >= before, "{line}: {before:?} became {after:?} with {stricter:?}");
        }
    }

    #[test]
    fn a_fallback_allows_no_more_than_a_person_could(
        settings in settings(), allow in rules(Effect::Allow, 1), deny in rules(Effect::Deny, 101), line in line(),
    ) {
        let all = [allow, deny].concat();
        let asked = judged(&settings, &all, &line);
        for fallback in [Fallback::Deny, Fallback::Allowlist, Fallback::Full] {
            let left = scene(&Settings { fallback, ..settings.clone() }, &all, &line).judge_unanswered().decision;
            prop_assert_ne!(left, Decision::Ask, "nobody is there: {}", line);
            prop_assert!(asked != Decision::Deny || left == Decision::Deny, "{line}: {fallback:?}");
        }
    }

    #[test]
    fn judging_any_text_gives_a_verdict(text in "\\PC{0,80}", allow in rules(Effect::Allow, 1)) {
        let mut scene = Scene::new().with_shell_text(&text);
        scene.rules = allow;
        let verdict = scene.judge_request();
        prop_assert!(verdict.steps.iter().all(|step| step.decision <= verdict.decision), "the strictest step wins");
    }

    #[test]
    fn nothing_that_is_told_holds_what_cannot_be_seen(
        text in hostile(), allow in rules(Effect::Allow, 1), deny in rules(Effect::Deny, 101),
    ) {
        let words: Vec<&str> = text.split(' ').collect();
        for security in [Security::Allowlist, Security::Full] {
            for scene in [Scene::new().with_shell_text(&text), Scene::new().with_argv(&words)] {
                let mut scene = scene.with_settings(|settings| settings.security = security);
                scene.rules = [allow.clone(), deny.clone()].concat();
                for told in told(&scene.judge_request()) {
                    prop_assert!(escape::is_visible(&told), "{told:?} of {text:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_offered_covers_what_was_asked(line in line(), settings in settings()) {
        let settings = Settings { security: Security::Allowlist, ask: Ask::OnMiss, ..settings };
        prop_assume!(judged(&settings, &[], &line) == Decision::Ask);
        for offer in scene(&settings, &[], &line).offers() {
            let rules = offer.to_rules(crate::RuleOrigin::Any);
            let saved: Vec<Rule> = (1..).zip(rules).map(|(id, rule)| Rule { id, ..rule }).collect();
            prop_assert_eq!(judged(&settings, &saved, &line), Decision::Allow, "{} of {}", offer.id, line);
            // And what is saved is written as it reads.
            for rule in &saved {
                let text = crate::pattern_text(&rule.pattern);
                let read = crate::parse_pattern(&text, Some(crate::kind_name(&rule.pattern)));
                prop_assert_eq!(read.as_ref(), Ok(&rule.pattern));
            }
        }
    }

    #[test]
    fn a_pattern_that_is_shown_reads_back(text in pattern()) {
        if let Ok(read) = crate::parse_pattern(&text, None) {
            let shown = crate::pattern_text(&read);
            prop_assert_eq!(crate::parse_pattern(&shown, Some(crate::kind_name(&read))), Ok(read));
        }
    }

    #[test]
    fn any_argv_that_is_shown_reads_back(argv in prop::collection::vec("\\PC{1,12}", 1..5)) {
        let exact = crate::Pattern::Exact(argv);
        let shown = crate::pattern_text(&exact);
        if let Ok(read) = crate::parse_pattern(&shown, Some(crate::PatternKind::Exact)) {
            prop_assert_eq!(read, exact);
        }
    }

    #[test]
    fn settings_and_rules_read_back_as_they_were_written(
        settings in settings(), rules in rules(Effect::Allow, 1),
    ) {
        let text = serde_json::to_string(&settings).unwrap();
        prop_assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
        for rule in rules {
            let text = serde_json::to_string(&rule).unwrap();
            prop_assert_eq!(serde_json::from_str::<Rule>(&text).unwrap(), rule);
        }
    }
}
