use super::Glob;
use proptest::prelude::*;
use serde_json::Value;

/// Results of picomatch itself, made by `tests/fixtures/picomatch.mjs`.
const RECORDED: &str = include_str!("../../../../../tests/fixtures/picomatch.jsonl");

#[test]
fn an_allow_is_never_looser_than_picomatch_and_a_deny_never_tighter() {
    let mut lines = RECORDED.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let values: Vec<String> = serde_json::from_value(lines.next().unwrap()["values"].clone()).unwrap();
    let (mut compared, mut strict_too, mut refused, mut wrong) = (0_u32, 0_u32, Vec::new(), Vec::new());
    for line in lines {
        let pattern = line["pattern"].as_str().unwrap();
        let matching: Vec<usize> = serde_json::from_value(line["matches"].clone()).unwrap();
        let Ok(glob) = Glob::new(pattern) else {
            refused.push(pattern.to_owned());
            continue;
        };
        for (at, value) in values.iter().enumerate() {
            let theirs = matching.contains(&at);
            let (strict, generous) = (glob.is_strict_match(value), glob.is_generous_match(value));
            if strict && !theirs {
                wrong.push(format!("{pattern} allows {value:?}, picomatch does not"));
            }
            if theirs && !generous {
                wrong.push(format!("{pattern} does not deny {value:?}, picomatch does"));
            }
            compared += u32::from(theirs);
            strict_too += u32::from(theirs && strict);
        }
    }
    assert!(wrong.is_empty(), "{}: {:#?}", wrong.len(), &wrong[..wrong.len().min(30)]);
    assert!(compared > 9_000, "the fixture is as large as it was: {compared}");
    // What is not allowed although picomatch matches: `..` parts, line ends, slashes at the end, doubtful groups.
    assert!(strict_too * 100 > compared * 85, "only {strict_too} of {compared} allowed");
    assert!(refused.iter().all(|pattern: &String| pattern.contains(")?")), "refused: {refused:?}");
}

/// Each case is a pattern, a value, and whether an allow and a deny match. Neither a shell's reading nor picomatch's of `[!a]` may
/// allow alone, and no star goes up by `..`.
#[test]
fn patterns_match_as_a_shell_user_expects() {
    for (pattern, value, strict, generous) in
        crate::testing::rows::<(String, String, bool, bool)>(include_str!("tests.jsonl"))
    {
        let glob = Glob::new(&pattern).unwrap();
        assert_eq!(glob.is_strict_match(&value), strict, "allow {pattern:?} {value:?}");
        assert_eq!(glob.is_generous_match(&value), generous, "deny {pattern:?} {value:?}");
    }
}

#[test]
fn what_is_not_sure_is_refused_with_a_word() {
    for (pattern, part) in crate::testing::rows::<(String, String)>(include_str!("refused.jsonl")) {
        let problem = Glob::new(&pattern).unwrap_err();
        assert!(problem.contains(&part), "{pattern}: {problem}");
    }
    assert!(Glob::new(&"(".repeat(100)).is_err() && Glob::new(&"a".repeat(5000)).is_err());
    let nested = |depth: usize| Glob::new(&format!("{}a{}", "(".repeat(depth), ")".repeat(depth)));
    assert!(nested(8).is_ok() && nested(9).is_err());
    assert!(Glob::new("+(ab|ac)").is_ok(), "these begin alike and are not the same");
    for one in ["(a)", "{a,b}"] {
        assert!(Glob::new(&one.repeat(20)).is_ok(), "{one} behind another is in no other");
    }
}

#[test]
fn nothing_is_allowed_that_is_no_text_and_a_text_too_long_to_compare_is_not_let_off() {
    assert!(!Glob::new("*").unwrap().is_strict_match(""));
    let (longest, longer) = ("c".repeat(4096), "c".repeat(4097));
    for pattern in ["+(ab)", "!(c*)", "?(+(a))b", "@(x|+(a))", "a/**/+(b)"] {
        let glob = Glob::new(pattern).unwrap();
        assert!(!glob.is_generous_match(&longest), "{pattern} is compared");
        assert!(glob.is_generous_match(&longer), "{pattern} may match");
    }
    for pattern in ["*b", "?(a)b", "@(a|b)", "[ab]*"] {
        assert!(
            !Glob::new(pattern).unwrap().is_generous_match(&longer),
            "{pattern} is compared at any length"
        );
    }
}

#[test]
fn no_pattern_makes_it_slow() {
    let text = "a".repeat(4000);
    for pattern in ["*a*a*a*a*a*a*a*a*b", "+(a|b|c)d", "!(*a)*b", "**/**/**/x"] {
        let glob = Glob::new(pattern).unwrap();
        assert!(!glob.is_strict_match(&text), "{pattern}");
    }
}

proptest! {
    #[test]
    fn reading_never_panics_and_an_allow_is_also_a_deny(pattern in "[-a-c./*?!@+(){}\\[\\]^|,:\\\\\"é]{1,12}", value in "[-a-cA./é\n]{0,8}") {
        if let Ok(glob) = Glob::new(&pattern) {
            let (strict, generous) = (glob.is_strict_match(&value), glob.is_generous_match(&value));
            prop_assert!(!strict || generous, "{pattern:?} allows {value:?} and would not deny it");
        }
    }

    #[test]
    fn plain_text_matches_itself(value in "[a-z0-9_][-a-z0-9_./]{0,20}[a-z0-9_]") {
        let glob = Glob::new(&value).unwrap();
        prop_assert!(glob.is_generous_match(&value) && glob.is_generous_match(&value.to_uppercase()));
    }
}

proptest! {
    #[test]
    fn a_text_that_is_not_known_may_be_what_it_turns_out_to_be(
        pattern in "(\\*\\*/)?[ab./*?]{1,6}(\\{a,b\\}|\\[ab\\])?[ab./*]{0,4}",
        parts in prop::collection::vec(("[ab./]{0,3}", "[ab./]{0,4}", any::<bool>()), 1..4),
    ) {
        let Ok(glob) = Glob::new(&pattern) else { return Ok(()) };
        let (mut open, mut known) = (String::new(), String::new());
        for (text, unknown, name) in parts {
            open += &text;
            known += &text;
            open.push(if name { super::ANY_NAME } else { super::ANY_PATH });
            known += &if name { unknown.replace('/', "") } else { unknown };
        }
        if glob.is_generous_match(&known) && glob.written != known && !known.ends_with('/') {
            prop_assert!(glob.may_match(&open), "{} {} {:?}", pattern, known, open);
        }
    }
}
