use super::*;
use rstest::rstest;
use serde_json::Value;

const CASES: &str = include_str!("../../../../../tests/fixtures/shell-cases.jsonl");
const BINS: &str = include_str!("../../../../../tests/fixtures/shell-bins.json");

fn bins() -> Bins {
    Bins::new(serde_json::from_str(BINS).unwrap())
}

/// Each case of the corpus with its outcome.
fn corpus() -> Vec<(Value, Outcome)> {
    let bins = bins();
    let tried = CASES.lines().map(|line| {
        let outcome = Case::parse(line).unwrap().run(Some(&bins)).unwrap();
        (serde_json::from_str(line).unwrap(), outcome)
    });
    tried.collect()
}

fn told(case: &Value, outcome: &Outcome) -> String {
    let command = case.get("shell").unwrap_or(&case["argv"]);
    format!(
        "{}: {command}: wanted {}, got {:?}: {}",
        outcome.id, case["expect"], outcome.got, outcome.message
    )
}

#[test]
fn nothing_is_allowed_that_deserves_less() {
    let wrong: Vec<_> = corpus()
        .iter()
        .filter(|(_, outcome)| outcome.got == Decision::Allow && !outcome.ok)
        .map(|(case, outcome)| told(case, outcome))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_case_of_the_first_tier_gets_its_verdict() {
    let wrong: Vec<_> = corpus()
        .iter()
        .filter(|(case, outcome)| case["tier"] == 1 && !outcome.ok)
        .map(|(case, outcome)| told(case, outcome))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn nine_of_ten_cases_of_the_second_tier_get_their_verdict() {
    let corpus = corpus();
    let second: Vec<_> = corpus.iter().filter(|(case, _)| case["tier"] == 2).collect();
    let wrong: Vec<_> =
        second.iter().filter(|(_, outcome)| !outcome.ok).map(|(case, outcome)| told(case, outcome)).collect();
    assert!(wrong.len() * 10 <= second.len(), "{wrong:#?}");
}

#[test]
fn settings_env_raw_and_cwd_have_their_say() {
    for (line, expected) in [
        (r#"{"id":"a","shell":"ls","settings":{"security":"full","ask":"off"},"expect":"allow"}"#, true),
        (r#"{"id":"b","shell":"ls","settings":{"ask":"off"},"expect":"deny"}"#, true),
        (r#"{"id":"c","argv":["ls"],"env":{"LD_PRELOAD":"x"},"allow":["/bin/ls"],"expect":"deny"}"#, true),
        (r#"{"id":"d","argv":["ls"],"env":{"MY_FLAG":"x"},"allow":["/bin/ls"],"expect":"ask"}"#, true),
        (r#"{"id":"e","argv":["ls"],"env":{"LANG":"C"},"allow":["/bin/ls"],"expect":["allow"]}"#, true),
        (r#"{"id":"f","argv":["ls"],"raw":"ls","allow":["/bin/ls"],"expect":"allow","tier":1}"#, true),
        (r#"{"id":"g","argv":["ls"],"raw":"ls -la","allow":["/bin/ls"],"expect":"deny"}"#, true),
        (r#"{"id":"h","argv":["sh","-c","ls"],"raw":"ls","allow":["/bin/ls"],"expect":"allow"}"#, true),
        (r#"{"id":"i","shell":"ls","allow":["/bin/ls"],"expect":["ask","deny"]}"#, false),
    ] {
        let outcome = Case::parse(line).unwrap().run(Some(&bins())).unwrap();
        assert_eq!(outcome.ok, expected, "{line}: {outcome:?}");
    }
}

#[test]
fn a_case_that_cannot_be_tried_says_why() {
    assert!(matches!(Case::parse("{}"), Err(CaseError::Malformed(_))));
    for line in [
        r#"{"id":"a","expect":"ask"}"#,
        r#"{"id":"a","shell":"ls","argv":["ls"],"expect":"ask"}"#,
        r#"{"id":"a","shell":"ls","allow":["/x/../y"],"expect":"ask"}"#,
    ] {
        let error = Case::parse(line).unwrap().run(None).unwrap_err();
        assert!(!error.to_string().is_empty(), "{line}");
    }
}

#[test]
fn the_cases_of_the_policy_page_get_their_verdicts() {
    let page = include_str!("../../../../../docs/POLICY.md");
    let lines: Vec<&str> = page.lines().filter(|line| line.starts_with("{\"id\"")).collect();
    assert!(lines.len() > 15, "the page has lost its cases");
    for line in lines {
        let outcome = Case::parse(line).unwrap().run(Some(&bins())).unwrap();
        assert!(outcome.ok, "{line}: {outcome:?}");
    }
}

/// One file of our own cases, by its name without the ending.
macro_rules! own {
    ($name:literal) => {
        include_str!(concat!("../../../../../tests/fixtures/cases/", $name, ".jsonl"))
    };
}

const OWN_BINS: &str = include_str!("../../../../../tests/fixtures/cases/bins.json");

/// The end-to-end tests run every file of the folder through `postern policy test`; here they are within reach of a
/// test of this room alone.
#[rstest]
#[case::argument(own!("argument"))]
#[case::benign(own!("benign"))]
#[case::builtin(own!("builtin"))]
#[case::chain(own!("chain"))]
#[case::compound(own!("compound"))]
#[case::core(own!("core"))]
#[case::deny_through_wrapper(own!("deny-through-wrapper"))]
#[case::denylist(own!("denylist"))]
#[case::denylist_subcommand(own!("denylist-subcommand"))]
#[case::environment(own!("environment"))]
#[case::heredoc(own!("heredoc"))]
#[case::path(own!("path"))]
#[case::pattern(own!("pattern"))]
#[case::readonly(own!("readonly"))]
#[case::redirect(own!("redirect"))]
#[case::redteam(own!("redteam"))]
#[case::request(own!("request"))]
#[case::rule(own!("rule"))]
#[case::substitution(own!("substitution"))]
#[case::wrapper(own!("wrapper"))]
#[case::zsh(own!("zsh"))]
fn our_own_cases_come_out_as_they_deserve(#[case] file: &str) {
    let bins = Bins::new(serde_json::from_str(OWN_BINS).unwrap());
    let wrong: Vec<String> = file
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| (line, Case::parse(line).unwrap().run(Some(&bins)).unwrap()))
        .filter(|(_, outcome)| !outcome.ok)
        .map(|(line, outcome)| format!("{line}\n  came out as {:?}: {}", outcome.got, outcome.message))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
