use super::*;

const BINS: &str = include_str!("../../../../../tests/fixtures/shell-bins.json");

fn bins() -> Bins {
    Bins::new(serde_json::from_str(BINS).unwrap())
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
        r#"{"id":"a","expect":"ask"}"#, r#"{"id":"a","shell":"ls","argv":["ls"],"expect":"ask"}"#,
        r#"{"id":"a","shell":"ls","allow":["/x/../y"],"expect":"ask"}"#,
    ] {
        let error = Case::parse(line).unwrap().run(None).unwrap_err();
        assert!(!error.to_string().is_empty(), "{line}");
    }
}

#[test]
fn the_cases_of_the_pages_get_their_verdicts() {
    let pages = [include_str!("../../../../../docs/POLICY.md"), include_str!("../../../../../docs/RULES.md")];
    let lines = pages.iter().flat_map(|page| page.lines());
    let lines: Vec<&str> = lines.filter(|line| line.starts_with("{\"id\"")).collect();
    assert!(lines.len() > 80, "the pages have lost their cases");
    for line in lines {
        let outcome = Case::parse(line).unwrap().run(Some(&bins())).unwrap();
        assert!(outcome.ok, "{line}: {outcome:?}");
    }
}
