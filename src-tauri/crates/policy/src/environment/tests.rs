use super::*;
use postern_command::environment::name_lists;
use proptest::prelude::*;

fn base() -> BaseEnvironment {
    BaseEnvironment {
        user: "ada".into(),
        home: "/Users/ada".into(),
        shell: "/bin/zsh".into(),
        path: "/usr/bin:/bin".into(),
        tmpdir: "/tmp".into(),
        lang: "en_GB.UTF-8".into(),
        pwd: "/Users/ada/work".into(),
        text_encoding: None,
        inherited: Vec::new(),
    }
}

fn one(name: &str, value: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), value.to_owned())]
}

fn tried(name: &str, value: &str) -> Result<Built, RefusedVariables> {
    build_environment(&base(), &one(name, value), &Settings::default(), false)
}

fn why(name: &str, value: &str) -> Option<NameRefusalReason> {
    tried(name, value).err().map(|refused| refused.names[0].why)
}

fn asks(built: &Built) -> bool {
    built.changes.iter().any(|change| change.asks)
}

/// Returns a name that a list's prefix covers.
fn with_suffix(prefix: &str) -> String {
    format!("{prefix}XYZZY")
}

fn sorted<'a>(names: impl IntoIterator<Item = &'a String>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.into_iter().map(String::as_str).collect();
    names.sort_unstable();
    names
}

#[test]
fn an_empty_request_gets_exactly_the_computed_names() {
    let built = build_environment(&base(), &[], &Settings::default(), false).unwrap();
    let names: Vec<&str> = built.env.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "USER"]);
    assert!(built.changes.is_empty(), "nothing was asked for");
}

#[test]
fn nothing_of_the_persons_own_environment_comes_through_unless_the_settings_say_so() {
    let lists = name_lists().unwrap();
    let mut base = base();
    base.inherited = sorted(&lists.hard_names)
        .into_iter()
        .map(str::to_owned)
        .chain(lists.hard_prefixes.iter().map(|prefix| with_suffix(prefix)))
        .chain(["EVERYTHING_ELSE".to_owned()])
        .map(|name| (name, "inherited".to_owned()))
        .collect();
    let built = build_environment(&base, &[], &Settings::default(), false).unwrap();
    assert!(built.env.iter().all(|(_, value)| value != "inherited"), "the environment is built from nothing");
}

#[test]
fn every_hard_name_is_refused_by_name_whatever_the_settings_say() {
    let lists = name_lists().unwrap();
    let prefixed = lists.hard_prefixes.iter().map(|prefix| with_suffix(prefix));
    for name in lists.hard_names.iter().cloned().chain(prefixed) {
        for spelled in [name.clone(), name.to_ascii_lowercase()] {
            let settings = Settings {
                env_set: vec![spelled.clone()],
                env_pass: vec![spelled.clone()],
                ..Settings::default()
            };
            let refused =
                build_environment(&base(), &one(&spelled, "x"), &settings, false).expect_err(&spelled);
            assert_eq!(
                refused.names[0].why,
                NameRefusalReason::Dangerous,
                "{spelled} must not be movable by settings"
            );
            assert_eq!(refused.names[0].name, spelled);
            assert!(!may_set(&spelled), "{spelled} must not be accepted in env_set");
        }
    }
}

#[test]
fn every_computed_name_is_refused_to_requests() {
    for name in sorted(&name_lists().unwrap().base) {
        let settings = Settings { env_set: vec![name.to_owned()], ..Settings::default() };
        let refused = build_environment(&base(), &one(name, "/evil"), &settings, false).expect_err(name);
        assert_eq!(refused.names[0].why, NameRefusalReason::Computed, "{name} is Postern's to set");
    }
}

#[test]
fn every_soft_name_is_refused_until_the_settings_name_it() {
    let lists = name_lists().unwrap();
    let prefixed = lists.soft_prefixes.iter().map(|prefix| with_suffix(prefix));
    let secrets = lists.soft_segments.iter().map(|segment| format!("MY_{segment}_1"));
    for name in lists.soft_names.iter().cloned().chain(prefixed).chain(secrets) {
        let got = why(&name, "x");
        assert_eq!(got, Some(NameRefusalReason::NotAllowed), "{name} redirects trust, traffic or accounts");
        let settings = Settings { env_set: vec![name.clone()], ..Settings::default() };
        let built = build_environment(&base(), &one(&name, "/any value"), &settings, false).expect(&name);
        assert!(!asks(&built), "{name} was named by the person");
        assert_eq!(built.changes[0].kind, ChangeKind::Added, "{name} is still shown");
    }
}

#[test]
fn harmless_names_need_no_question_but_a_plain_value() {
    for name in name_lists().unwrap().auto.keys() {
        assert!(!asks(&tried(name, "en_GB.UTF-8").expect(name)), "{name} is harmless");
        for bad in ["/etc/passwd", "%n", "a..b", "a b", "a\nb", "é", &"x".repeat(65)] {
            assert_eq!(why(name, bad), Some(NameRefusalReason::BadValue), "{name}={bad:?} must be refused");
        }
    }
}

#[test]
fn single_values_of_other_names_need_no_question() {
    for (name, value) in
        [("RUST_LOG", "debug"), ("NODE_ENV", "test"), ("DEBUG", "1"), ("GIT_PAGER", "cat"), ("GIT_PAGER", "")]
    {
        let built = build_environment(&base(), &one(name, value), &Settings::default(), true).expect(name);
        assert!(!asks(&built), "{name}={value}");
        assert_eq!(built.changes.len(), 1, "{name} is still shown");
    }
    for (name, value) in [("GIT_PAGER", "less"), ("PAGER", "./cat"), ("PAGER", "cat x")] {
        assert_eq!(why(name, value), Some(NameRefusalReason::Dangerous), "{name}={value}");
    }
}

#[test]
fn unknown_names_are_shown_and_asked_about() {
    for name in
        ["RUST_LOG", "NODE_ENV", "MY_FLAG", "GIT_AUTHOR_NAME", "GIT_COMMITTER_DATE", "PYTHONUNBUFFERED"]
    {
        let built = tried(name, "a value / with anything").expect(name);
        assert!(asks(&built), "{name} is in no list");
        assert_eq!(built.changes.len(), 1, "{name} is shown");
    }
}

#[test]
fn a_shell_gets_harmless_names_and_those_the_person_named() {
    let refused = build_environment(&base(), &one("MY_FLAG", "1"), &Settings::default(), true)
        .expect_err("unknown name");
    assert_eq!(
        refused.names[0].why,
        NameRefusalReason::NotForShells,
        "a shell obeys more names than anyone has listed"
    );
    assert!(
        build_environment(&base(), &one("LC_ALL", "C"), &Settings::default(), true).is_ok(),
        "harmless for a shell too"
    );
    let settings = Settings { env_set: vec!["MY_FLAG".into()], ..Settings::default() };
    assert!(build_environment(&base(), &one("MY_FLAG", "1"), &settings, true).is_ok(), "the person named it");
}

#[test]
fn what_is_not_a_name_is_refused() {
    for name in ["", "1A", "A=B", "A B", "A\0", "A\nB", "É", "BASH_FUNC_x%%", "x-y", &"A".repeat(129)] {
        assert_eq!(why(name, "x"), Some(NameRefusalReason::NotAName), "{name:?}");
    }
    assert_eq!(why(&format!("A{}", "B".repeat(127)), "x"), None, "128 characters are a name");
}

#[test]
fn values_that_carry_a_function_or_nul_are_refused() {
    for value in ["() { :; }; id", "()", "a\0b"] {
        assert_eq!(why("MY_FLAG", value), Some(NameRefusalReason::Function), "{value:?}");
    }
}

#[test]
fn sizes_have_exact_limits() {
    assert_eq!(why("MY_FLAG", &"x".repeat(MAX_VALUE_BYTES)), None);
    assert_eq!(why("MY_FLAG", &"x".repeat(MAX_VALUE_BYTES + 1)), Some(NameRefusalReason::TooLong));
    let many = |count: usize| -> Vec<(String, String)> {
        (0..count).map(|n| (format!("V{n}"), "1".into())).collect()
    };
    assert!(build_environment(&base(), &many(MAX_OVERRIDES), &Settings::default(), false).is_ok());
    let refused = build_environment(&base(), &many(MAX_OVERRIDES + 1), &Settings::default(), false)
        .expect_err("one too many");
    assert_eq!(refused.names, [RefusedName { name: "V64".into(), why: NameRefusalReason::TooMany }]);
    let big = "x".repeat(MAX_TOTAL_BYTES / 2 - 1);
    let two = |value: &str| vec![("A".to_owned(), big.clone()), ("B".to_owned(), value.to_owned())];
    assert!(build_environment(&base(), &two(&big), &Settings::default(), false).is_ok(), "64 KiB in all");
    assert!(
        build_environment(&base(), &two(&format!("{big}x")), &Settings::default(), false).is_err(),
        "one byte more"
    );
}

#[test]
fn a_name_given_twice_in_any_case_is_refused() {
    let twice = [("My_Flag".to_owned(), "1".to_owned()), ("MY_FLAG".to_owned(), "2".to_owned())];
    let refused = build_environment(&base(), &twice, &Settings::default(), false).expect_err("twice");
    assert_eq!(refused.names, [RefusedName { name: "MY_FLAG".into(), why: NameRefusalReason::Twice }]);
}

#[test]
fn every_refused_name_is_told_at_once() {
    let many = [("LD_PRELOAD", "x"), ("FINE", "1"), ("PATH", "/evil"), ("http_proxy", "h")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let refused = build_environment(&base(), &many, &Settings::default(), false).expect_err("three of four");
    let names: Vec<&str> = refused.names.iter().map(|refused| refused.name.as_str()).collect();
    assert_eq!(names, ["LD_PRELOAD", "PATH", "http_proxy"]);
}

#[test]
fn the_person_may_pass_on_their_agent_socket_but_a_request_never_sets_it() {
    let mut base = base();
    base.inherited =
        vec![("SSH_AUTH_SOCK".into(), "/run/agent".into()), ("LD_PRELOAD".into(), "/x.so".into())];
    let settings =
        Settings { env_pass: vec!["SSH_AUTH_SOCK".into(), "LD_PRELOAD".into()], ..Settings::default() };
    let built = build_environment(&base, &[], &settings, false).unwrap();
    assert!(built.env.contains(&("SSH_AUTH_SOCK".to_owned(), "/run/agent".to_owned())));
    assert!(built.env.iter().all(|(name, _)| name != "LD_PRELOAD"), "hard names are not passed on either");
    assert_eq!(built.changes[0].kind, ChangeKind::Passed);
    assert_eq!(why("SSH_AUTH_SOCK", "/evil"), Some(NameRefusalReason::Dangerous));
}

#[test]
fn a_replaced_value_is_shown_with_what_it_was() {
    let built = tried("LANG", "C").unwrap();
    let change = &built.changes[0];
    assert_eq!((change.kind, change.was.as_deref()), (ChangeKind::Changed, Some("en_GB.UTF-8")));
}

#[test]
fn at_least_as_strict_as_the_published_list_of_openclaw() {
    let text = include_str!("../../../../../tests/fixtures/openclaw-env-policy.json");
    let theirs: std::collections::HashMap<String, Vec<String>> = serde_json::from_str(text).unwrap();
    let of = |list: &str| theirs[list].iter();
    let always = of("blockedEverywhereKeys").cloned();
    for name in always.chain(of("blockedPrefixes").map(|prefix| with_suffix(prefix))) {
        assert!(
            matches!(class_of(&name), VariableClass::Hard | VariableClass::Base),
            "{name} is blocked everywhere there"
        );
    }
    let overrides = of("blockedOverrideOnlyKeys").cloned();
    for name in overrides.chain(of("blockedOverridePrefixes").map(|prefix| with_suffix(prefix))) {
        assert!(why(&name, "x").is_some(), "{name} is blocked as an override there");
    }
}

/// The reviewed record of what is refused: a name leaves the lists only together with its line there.
#[test]
fn the_lists_never_shrink_unnoticed() {
    let recorded = include_str!("../../../../../tests/fixtures/env-ratchet.txt");
    let lists = name_lists().unwrap();
    let mut now: Vec<String> = Vec::new();
    now.extend(sorted(&lists.hard_names).iter().map(|name| format!("hard {name}")));
    now.extend(sorted(&lists.hard_prefixes).iter().map(|prefix| format!("hard {prefix}*")));
    now.extend(sorted(&lists.soft_names).iter().map(|name| format!("soft {name}")));
    now.extend(sorted(&lists.soft_prefixes).iter().map(|prefix| format!("soft {prefix}*")));
    let recorded: Vec<&str> = recorded.lines().filter(|line| !line.starts_with('#')).collect();
    for line in &recorded {
        let (class, name) = line.split_once(' ').expect("class and name");
        let name = name.strip_suffix('*').map_or_else(|| name.to_owned(), with_suffix);
        let expected = if class == "hard" {
            &[VariableClass::Hard][..]
        } else {
            &[VariableClass::Soft, VariableClass::Hard][..]
        };
        assert!(expected.contains(&class_of(&name)), "{line}: no longer refused");
    }
    for line in &now {
        assert!(recorded.contains(&line.as_str()), "{line}: add it to env-ratchet.txt so that it stays");
    }
}

proptest! {
    #[test]
    fn a_child_never_gets_a_name_that_is_not_one(name in ".{0,40}", value in ".{0,40}", shellish: bool) {
        if let Ok(built) = build_environment(&base(), &one(&name, &value), &Settings::default(), shellish) {
            for (name, value) in &built.env {
                prop_assert!(is_name(name) && !value.contains('\0') && !value.starts_with("()"));
            }
            prop_assert!(built.env.windows(2).all(|pair| pair[0].0 < pair[1].0), "sorted, each name once");
        }
    }

    #[test]
    fn letter_case_never_changes_the_class(name in "[A-Za-z_]{1,24}") {
        prop_assert_eq!(class_of(&name), class_of(&name.to_ascii_lowercase()));
    }

    #[test]
    fn naming_more_in_the_settings_never_lets_a_hard_name_in(name in "(LD|DYLD|GIT|NODE|PYTHON|BASH_FUNC)_[A-Z]{1,8}") {
        let settings = Settings { env_set: vec![name.clone()], ..Settings::default() };
        let hard = class_of(&name) == VariableClass::Hard;
        prop_assert!(!hard || build_environment(&base(), &one(&name, "x"), &settings, false).is_err());
    }
}

#[test]
fn a_shell_is_given_no_value_that_its_arithmetic_would_run() {
    let settings = Settings { env_set: vec!["COUNT".to_owned()], ..Settings::default() };
    for value in ["a[$(id)]", "a[`id`]", "${x}"] {
        let refused = build_environment(&base(), &one("COUNT", value), &settings, true).expect_err(value);
        assert_eq!(refused.names[0].why, NameRefusalReason::Function, "{value}");
        assert!(
            build_environment(&base(), &one("COUNT", value), &settings, false).is_ok(),
            "a program takes {value} as text"
        );
    }
    assert!(build_environment(&base(), &one("COUNT", "costs $5 (net)"), &settings, false).is_ok());
}
