//! Bodies of here-documents: where they stand in the request's text.

use super::bash;
use crate::{ParsedCommand, read_argv};

/// Returns each body without its last line end.
fn body_texts(reading: &ParsedCommand) -> Vec<&str> {
    let text = |body: &std::ops::Range<usize>| {
        let text = &reading.text[body.clone()];
        text.strip_suffix('\n').unwrap_or(text)
    };
    reading.bodies.iter().map(text).collect()
}

#[test]
fn a_body_is_found() {
    for (line, expected) in [
        ("cat <<EOF\na\n\nb\nEOF\nls", &["a\n\nb"][..]),
        ("cat <<EOF > f\n\nx\n\nEOF\n", &["\nx\n"]),
        ("a <<A <<-'B B'\nx\nA\n\ty\n\tB B\n", &["x", "\ty"]),
        ("cat <<A; cat <<B\none\nA\ntwo\nB\nls\n", &["one", "two"]),
        ("diff <(cat <<A\nx\nA\n) <(cat <<B\ny\nB\n)", &["x", "y"]),
        ("cat <<-EOF\n\ta\n\tEOF\n", &["\ta"]),
        ("cat <<'E'\n$(rm x)\nE", &["$(rm x)"]),
        ("cat <<\\E\n$x\nE", &["$x"]),
        ("cat <<EOF\na $(rm x) b\nEOF", &["a $(rm x) b"]),
        ("git commit -m \"$(cat <<'EOF'\nmsg\n\nmore\nEOF\n)\"", &["msg\n\nmore"]),
        ("echo $(cat <<EOF\nx\nEOF\n)", &["x"]),
        ("echo `x` $'\\'' <<EOF\na\nEOF", &["a"]),
        ("cat <<EOF\nEOF not\n EOF\nEOF2\nEOF\nls", &["EOF not\n EOF\nEOF2"]),
        ("cat <<'EOF'\na\u{1b}[31m\n\tb\u{202e}\nEOF\nls", &["a\u{1b}[31m\n\tb\u{202e}"]),
        ("cat <<'EOF'\na\r\nEOF\nls", &["a\r"]),
        ("cd x \\\n && cat <<'E'\na\nE", &["a"]),
        ("bash -c 'cat <<EOF\na\nEOF'", &["a"]),
    ] {
        assert_eq!(body_texts(&bash(line)), expected, "{line:?}");
    }
}

#[test]
fn what_may_be_no_body_is_none() {
    for (what, line) in [
        ("no end", "cat <<EOF\na\nb"),
        ("its delimiter ends in a carriage return", "cat <<EOF\r\na\r\nEOF\r\n"),
        ("a line is its delimiter but for a carriage return", "cat <<EOF\na\nEOF\r\nls\nEOF\n"),
        ("quoted", "echo '<<EOF'\na\nEOF"),
        ("in a comment", "ls # <<EOF\na\nEOF"),
        ("a here-string", "cat <<<EOF\na\nEOF"),
        ("written otherwise than it is read", "eval \"cat <<E\n\\$x\nE\""),
    ] {
        assert!(body_texts(&bash(line)).is_empty(), "{what}: {line:?}");
    }
}

#[test]
fn a_body_of_an_argv_stands_in_its_quoted_form() {
    let words = ["bash", "-c", "cat <<EOF\na\nEOF"].map(str::to_owned);
    assert_eq!(body_texts(&read_argv(&words)), ["a"]);
}
