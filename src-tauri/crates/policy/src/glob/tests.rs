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

#[test]
fn patterns_match_as_a_shell_user_expects() {
    for (pattern, value, strict, generous) in [
        ("*.env", ".env", true, true),
        ("*.env", "deploy/prod.env", true, true),
        ("*.env", "deploy/PROD.ENV", false, true),
        ("*.env", "../.env", false, true),
        ("src/**/*.rs", "src/a.rs", true, true),
        ("src/**/*.rs", "src/a/b/c.rs", true, true),
        ("src/**/*.rs", "src/a/../../x.rs", false, true),
        ("src/**", "src", true, true),
        ("src/**", "srcx", false, false),
        ("{src,test}/*.ts", "test/x.ts", true, true),
        ("{src,test}/*.ts", "lib/x.ts", false, false),
        ("*.@(jpg|png)", "a.png", true, true),
        ("!(*.env)", "x.txt", true, true),
        ("!(*.env)", "x.env", false, false),
        ("!(*.env)", "x.ENV", false, true),
        ("!*.env", "x.txt", true, true),
        ("!*.env", "x.env", false, false),
        ("+(ab|c)", "abcab", true, true),
        ("+(ab|c)", "abx", false, false),
        ("v?([0-9])", "v7", true, true),
        ("v?([0-9])", "v", true, true),
        ("[a-c]*", "bx", true, true),
        ("[^a]*", "bx", true, true),
        ("[^a]*", "ax", false, false),
        // For a shell not a; for picomatch ! or a: neither reading may allow.
        ("[!a]x", "bx", false, true),
        ("[!a]x", "ax", false, true),
        ("[[:digit:]]x", "7x", true, true),
        ("caf\u{e9}", "cafe\u{301}", false, true),
        ("a?c", "a/c", false, true),
        ("file_\\*", "file_*", true, true),
        ("file_\\*", "file_x", false, false),
        ("*.env", "x/", false, false),
        ("caf\u{e9}", "cafo\u{301}", false, false),
        // Stars stop at `..`, so this is none of what the negation leaves out.
        ("!*.env", "../x.env", false, true),
        ("{a..c}x", "x", false, false),
        ("[ab]", "[ab]", false, true),
        ("[!a]x", "!x", true, true),
        ("!(a)b", "ab", false, false),
        ("!(a/b)", "a/b", false, false),
        ("[a-a]x", "ax", true, true),
        ("[[a]x", "[x", true, true),
    ] {
        let glob = Glob::new(pattern).unwrap();
        assert_eq!(glob.is_strict_match(value), strict, "allow {pattern:?} {value:?}");
        assert_eq!(glob.is_generous_match(value), generous, "deny {pattern:?} {value:?}");
    }
}

#[test]
fn what_is_not_sure_is_refused_with_a_word() {
    for (pattern, part) in [
        ("a|b", "|"),
        ("(a", "close"),
        ("a)", ")"),
        ("{a,b", "close"),
        ("(?=a)", "(?"),
        ("(a)+", "+(…)"),
        ("(a)?", "?(…)"),
        ("+(*(a))", "repeated"),
        ("(a+b)", "+(…)"),
        ("+(a|aa)", "the same twice"),
        ("[[:digit:x]]", "close"),
        ("*(|a)", "nothing"),
        ("\"a\"", "quotation"),
        ("a\\b", "backslash"),
        ("{1..10}", ".."),
        ("[b-a]", "backwards"),
        ("[[:x:]]", "class"),
        ("!", "nothing"),
    ] {
        let problem = Glob::new(pattern).unwrap_err();
        assert!(problem.contains(part), "{pattern}: {problem}");
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
