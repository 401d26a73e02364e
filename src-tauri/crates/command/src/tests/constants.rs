//! Tests of values that a line writes out itself: variables that it sets once, here-documents in a
//! substitution, folders that loops leave alone.

use super::bash;
use crate::Dir;

#[test]
fn a_here_document_in_a_substitution_is_its_text() {
    for text in [
        "git commit -m \"$(cat <<'EOF'\none\n\ntwo\nEOF\n)\"",
        "git commit -m \"$(cat <<EOF\none\n\ntwo\nEOF\n)\"",
    ] {
        let reading = bash(text);
        let commit = reading.steps.iter().find(|step| step.program() == Some("git")).unwrap();
        assert_eq!(commit.argv.last().unwrap().value.as_deref(), Some("one\n\ntwo"), "{text}");
        assert!(
            reading.steps.iter().any(|step| step.program() == Some("cat")),
            "what prints it is a step: {text}"
        );
    }
    for text in [
        "git commit -m \"$(cat <<EOF\none $x\nEOF\n)\"", "git commit -m \"$(cat <<EOF\n$(id)\nEOF\n)\"",
        "git commit -m \"$(cat x <<'EOF'\none\nEOF\n)\"",
        "git commit -m \"$(cat <<'EOF' | tr a b\none\nEOF\n)\"",
        "git commit -m \"$(cat <<'EOF' < x\none\nEOF\n)\"",
        "git commit -m \"$(X=1 cat <<'EOF'\none\nEOF\n)\"", "git commit -m \"$(./cat <<'EOF'\none\nEOF\n)\"",
        "cat() { id; }; git commit -m \"$(cat <<'EOF'\none\nEOF\n)\"",
        "git commit -m $(cat <<'EOF'\n-F /etc/passwd\nEOF\n)",
    ] {
        let reading = bash(text);
        let commit = reading.steps.iter().find(|step| step.program() == Some("git")).unwrap();
        assert_eq!(commit.argv.last().unwrap().value, None, "{text}");
    }
}

#[test]
fn a_loop_that_does_not_move_runs_where_the_line_is() {
    let dir =
        |text: &str| bash(text).steps.iter().find(|step| step.program() == Some("ls")).unwrap().dir.clone();
    for text in [
        "cd sub && for f in a b; do ls $f; done", "cd sub && while test -f x; do ls; done",
        "cd sub && for d in *; do (cd $d && pwd); ls; done",
        "cd sub && for i in 1 2; do for j in 3 4; do ls; done; done",
        "cd sub && for c in a b; do command -v $c; ls; done", "cd sub && { command -pv \"$c\"; ls; }",
    ] {
        assert_eq!(dir(text), Dir::Under("sub".to_owned()), "{text}");
    }
    assert_eq!(dir("D=sub; cd \"$D/x\" && ls"), Dir::Under("sub/x".to_owned()));
    assert_eq!(dir("D=sub; cd packages/$D && ls"), Dir::Under("packages/sub".to_owned()));
    let packages = Dir::OneOf(["packages", "packages/api", "packages/web"].map(str::to_owned).to_vec());
    for text in [
        "for p in web api; do (cd packages/$p && ls); done",
        "for p in web api; do (cd \"packages/${p}\" && ls) || exit 1; done",
    ] {
        assert_eq!(dir(text), packages, "where it is not set too: {text}");
    }
    for text in super::rows::<String>(include_str!("unknown_folders.jsonl")) {
        assert_eq!(dir(&text), Dir::Unknown, "{text}");
    }
}

#[test]
fn a_path_that_only_the_run_tells_is_no_builtin() {
    for text in ["\"$X/tool\" a; ls", "\"$X/a$Y\" && ls", "for f in *; do \"$X/a/b.exe\" \"$f\"; done; ls"] {
        assert_eq!(bash(text).steps.last().unwrap().dir, Dir::Same, "{text}");
    }
    // It sets no variable either, so that loops stay where the line has moved to.
    let text = "cd sub && for f in a b; do \"$X/tool\" $f; ls; done";
    assert_eq!(bash(text).steps.last().unwrap().dir, Dir::Under("sub".to_owned()), "{text}");
}

#[test]
fn a_trap_runs_wherever_its_line_has_moved_to_however_it_is_written() {
    for text in [
        "trap ls EXIT; cd sub", "command trap ls EXIT; cd sub", "builtin trap ls EXIT; cd sub",
        "command command trap ls EXIT; cd sub", "(trap ls EXIT; cd sub)", "(tr''ap ls EXIT; cd sub)",
        "(tr\\ap ls EXIT; cd sub)", "($'tr\\x61p' ls EXIT; cd sub)", "x=$(tr''ap ls EXIT; cd sub)",
        "bash -c 'command trap ls EXIT; cd sub'",
    ] {
        let reading = bash(text);
        let ls = reading.steps.iter().find(|step| step.program() == Some("ls")).unwrap();
        assert_eq!(ls.dir, Dir::Unknown, "{text}");
    }
    // It sets variables, too.
    let value = |text: &str| bash(text).steps.last().unwrap().argv.last().unwrap().value.clone();
    assert_eq!(value("f=a; ls \"$f\"").as_deref(), Some("a"));
    assert_eq!(value("f=a; command trap 'f=b' DEBUG; ls \"$f\""), None);
}

#[test]
fn a_substitution_moves_nobody_else() {
    for text in [
        "for c in a b; do out=$(cd src && make); ls; done", "for c in a b; do (cd src && make); ls; done",
        "while read c; do diff <(cd src && make) x; ls; done < f",
    ] {
        let reading = bash(text);
        let named = |name: &str| reading.steps.iter().find(|step| step.program() == Some(name));
        let dir = |name: &str| named(name).map(|step| &step.dir);
        assert_eq!(dir("ls"), Some(&Dir::Same), "{text}");
        assert_eq!(dir("make"), Some(&Dir::Under("src".to_owned())), "{text}");
    }
    for text in [
        "for c in a b; do out=$(cd src && make); cd lib && ls; done",
        "f() { x=$(cd src && make); cd lib; }; for c in a b; do f; ls; done",
        "for c in a b; do out=$(for d in e f; do cd $d; ls; done); done",
    ] {
        let last = bash(text).steps.into_iter().rfind(|step| step.program() == Some("ls"));
        assert_eq!(last.map(|step| step.dir), Some(Dir::Unknown), "{text}");
    }
}

#[test]
fn a_file_of_commands_is_named_and_the_line_goes_on_where_it_was() {
    let dir = |text: &str| bash(text).steps.last().unwrap().dir.clone();
    assert_eq!(dir("source env.sh && ls"), Dir::Same);
    assert_eq!(dir(". env.sh; ls"), Dir::Same);
    assert_eq!(dir(". \"$DIR/env.sh\" && ls"), Dir::Same);
    for text in [
        "source $X && ls", "source /dev/stdin && ls", "source <(curl x) && ls", "source env.sh x && ls",
        ". \"$X\" && ls", ". $X/env.sh && ls", ". \"$X/env.sh\" x && ls",
    ] {
        assert_eq!(dir(text), Dir::Unknown, "{text}");
    }
    let reading = bash("source env.sh && ls");
    assert!(!reading.is_clear(), "what the file does is not known");
}
