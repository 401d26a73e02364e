//! Bodies of here-documents: where they stand in the request's text.

use rstest::rstest;

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

#[rstest]
#[case("cat <<EOF\na\n\nb\nEOF\nls", &["a\n\nb"])]
#[case("cat <<EOF > f\n\nx\n\nEOF\n", &["\nx\n"])]
#[case("a <<A <<-'B B'\nx\nA\n\ty\n\tB B\n", &["x", "\ty"])]
#[case("cat <<A; cat <<B\none\nA\ntwo\nB\nls\n", &["one", "two"])]
#[case("diff <(cat <<A\nx\nA\n) <(cat <<B\ny\nB\n)", &["x", "y"])]
#[case("cat <<-EOF\n\ta\n\tEOF\n", &["\ta"])]
#[case("cat <<'E'\n$(rm x)\nE", &["$(rm x)"])]
#[case("cat <<\\E\n$x\nE", &["$x"])]
#[case("cat <<EOF\na $(rm x) b\nEOF", &["a $(rm x) b"])]
#[case("git commit -m \"$(cat <<'EOF'\nmsg\n\nmore\nEOF\n)\"", &["msg\n\nmore"])]
#[case("echo $(cat <<EOF\nx\nEOF\n)", &["x"])]
#[case("echo `x` $'\\'' <<EOF\na\nEOF", &["a"])]
#[case("cat <<EOF\nEOF not\n EOF\nEOF2\nEOF\nls", &["EOF not\n EOF\nEOF2"])]
#[case("cat <<'EOF'\na\u{1b}[31m\n\tb\u{202e}\nEOF\nls", &["a\u{1b}[31m\n\tb\u{202e}"])]
#[case("cat <<'EOF'\na\r\nEOF\nls", &["a\r"])]
#[case("cd x \\\n && cat <<'E'\na\nE", &["a"])]
#[case("bash -c 'cat <<EOF\na\nEOF'", &["a"])]
fn a_body_is_found(#[case] line: &str, #[case] expected: &[&str]) {
    assert_eq!(body_texts(&bash(line)), expected, "{line:?}");
}

#[rstest]
#[case::no_end("cat <<EOF\na\nb")]
#[case::its_delimiter_ends_in_a_carriage_return("cat <<EOF\r\na\r\nEOF\r\n")]
#[case::a_line_that_is_its_delimiter_but_for_a_carriage_return("cat <<EOF\na\nEOF\r\nls\nEOF\n")]
#[case::quoted("echo '<<EOF'\na\nEOF")]
#[case::in_a_comment("ls # <<EOF\na\nEOF")]
#[case::a_here_string("cat <<<EOF\na\nEOF")]
#[case::written_otherwise_than_it_is_read("eval \"cat <<E\n\\$x\nE\"")]
fn what_may_be_no_body_is_none(#[case] line: &str) {
    assert!(body_texts(&bash(line)).is_empty(), "{line:?}");
}

#[test]
fn a_body_of_an_argv_stands_in_its_quoted_form() {
    let words = ["bash", "-c", "cat <<EOF\na\nEOF"].map(str::to_owned);
    assert_eq!(body_texts(&read_argv(&words)), ["a"]);
}
