//! `postern policy test` and `explain`, as a person types them.

use postern_tests::{Answer, Postern, postern, repository, start};
use serde_json::Value;

#[test]
fn the_corpus_is_judged_and_nothing_is_let_through() {
    let fixtures = repository().join("tests/fixtures");
    let output = start(postern())
        .args(["policy", "test", "--json", "--bins"])
        .arg(fixtures.join("shell-bins.json"))
        .arg(fixtures.join("shell-cases.jsonl"))
        .env("HOME", "/")
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    let text = std::fs::read_to_string(fixtures.join("shell-cases.jsonl")).unwrap();
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let results = report["cases"].as_array().unwrap();
    assert_eq!(results.len(), cases.len(), "every case is in the report");
    let required = ["benign", "chain", "redirect", "substitution", "heredoc", "path", "denylist"];
    for (case, result) in cases.iter().zip(results) {
        assert_eq!(case["id"], result["id"]);
        let expects_allow = case["expect"] == "allow";
        assert!(expects_allow || result["got"] != "allow", "let through: {case} {result}");
        let class = case["class"].as_str().unwrap();
        if case["tier"] == 1 && required.contains(&class) {
            assert_eq!(result["ok"], true, "{case} came out as {result}");
        }
    }
}

/// Tests cases of a file, of which some fail, and returns what is said of them.
fn failing(cases: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases.jsonl");
    std::fs::write(&file, cases.join("\n")).unwrap();
    let tested = start(postern()).args(["policy", "test"]).arg(&file).env("HOME", "/").output().unwrap();
    let tested = Answer::from(tested);
    assert_eq!(tested.code, 1, "what is not understood does not pass as tested: {tested:?}");
    tested.stdout
}

#[test]
fn a_case_that_comes_out_otherwise_is_named_and_fails() {
    let text = failing(&[r#"{"id":"mine","shell":"ls","allow":["/bin/ls"],"expect":"deny"}"#]);
    assert!(text.contains("mine") && text.contains("0 passed, 1 failed"), "{text}");
}

#[test]
fn a_case_that_cannot_be_read_fails_and_the_others_are_judged_all_the_same() {
    let text = failing(&[
        r#"{"id":"no policy","shell":"ls","allow":["./ls"],"expect":"deny"}"#,
        r#"{"id":"no setting","shell":"ls","settings":{"unheard":1},"expect":"deny"}"#, "not a case",
        r#"{"id":"mine","shell":"ls","allow":["/usr/bin/ls"],"expect":"allow"}"#,
    ]);
    for told in ["no policy: ", "no setting: ", "cases.jsonl:3", "1 passed, 3 failed"] {
        assert!(text.contains(told), "{told:?} is not in: {text}");
    }
}

#[test]
fn explain_shows_the_trace_and_touches_nothing() {
    let (host, _) = Postern::with_agent();
    host.ok(&["rules", "allow", "/usr/bin/id", "--agent", "main"]);
    let told = host.json(&["explain", "--agent", "main", "--cwd", "/", "--shell", "id -u && uname"]);
    assert_eq!(told["decision"], "ask", "uname has no rule: {told}");
    assert_eq!(told["steps"][0]["decision"], "allow");
    assert_eq!(told["steps"][1]["reason"], "allowlist-miss");
    assert!(told["trace"].as_array().unwrap().len() >= 4, "every stage is in the trace: {told}");
    let rules = host.json(&["rules", "list", "--agent", "main"]);
    let rule = rules.as_array().unwrap().iter().find(|row| row["text"] == "/usr/bin/id").unwrap();
    assert_eq!(rule["rule"]["usage"]["count"], 0, "explaining is not using");
    assert_eq!(host.json(&["history"]).as_array().unwrap().len(), 0, "and leaves no request behind");
}
