//! Bodies of here-documents whose delimiter is in quotes, where a plain line begins them: a file that an agent writes.
//!
//! Parsers take such a body as it is, so that code in it nests nothing. Only lines of words, lists and plain redirections count: where
//! a bracket, an expansion or an open quote comes first, all that follows stays.

use std::borrow::Cow;

pub(super) fn without_quoted_bodies(text: &str) -> Cow<'_, str> {
    if !text.contains("<<") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, behind) = split_line(rest);
        let document = delimiter_of(line);
        let is_comment = line.starts_with('#');
        if document.is_none() && (line.contains("<<") || !is_comment && !is_plain(line, "")) {
            break;
        }
        kept.push_str(line);
        rest = behind;
        if let Some(delimiter) = document {
            let Some(end) = behind_body(behind, delimiter) else { break };
            rest = end;
            // A line that only begins so may end the body for one parser and not for another.
            if split_line(rest).0.trim_end_matches('\n') != delimiter {
                break;
            }
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Returns the first line, with its end, and the text behind it.
fn split_line(text: &str) -> (&str, &str) {
    text.split_at(text.find('\n').map_or(text.len(), |end| end + 1))
}

/// Returns the text from the first line on that may be the delimiter; `None` if there is none.
fn behind_body<'t>(text: &'t str, delimiter: &str) -> Option<&'t str> {
    let mut rest = text;
    while !rest.is_empty() {
        let (line, behind) = split_line(rest);
        if line.trim().starts_with(delimiter) {
            return Some(rest);
        }
        rest = behind;
    }
    None
}

/// Returns the delimiter of a line with one here-document, if it is in quotes and all around it is plain.
fn delimiter_of(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("<<")?;
    let word = after.strip_prefix('-').unwrap_or(after).trim_start_matches(' ');
    let quote = word.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (delimiter, behind) = word.get(1..)?.split_once(quote)?;
    let is_name = !delimiter.is_empty() && delimiter.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    let alone = behind.is_empty() || behind.starts_with([' ', '\n', ';', '&', '|', '>']);
    // A digit in front of it would be a descriptor.
    let plain = before.ends_with(' ') && is_plain(before, "") && is_plain(behind, "[]");
    (is_name && alone && plain && !behind.contains("<<")).then_some(delimiter)
}

/// Returns true for text of plain words, whose quotes are closed in it, and in which every `<<` begins a here-document.
fn is_plain(text: &str, more: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || " \n_-./<>&|;=:,@+~%\"".contains(c) || more.contains(c);
    let special = |word: &str| matches!(word, "case" | "let" | "select" | "function" | "coproc");
    text.chars().all(plain)
        && text.matches('"').count().is_multiple_of(2)
        && !text.split(|c: char| " \n;&|<>".contains(c)).any(special)
}

#[cfg(test)]
mod tests {
    use super::without_quoted_bodies;

    #[test]
    fn a_body_behind_a_plain_line_is_left_out() {
        let code = "if (a) { for (const x of f((y))) }\n".repeat(40);
        for (text, expected) in [
            (
                format!("cat <<'EOF' > app/[slug]/page.tsx\n{code}EOF\nls"),
                "cat <<'EOF' > app/[slug]/page.tsx\nEOF\nls",
            ),
            (
                format!("mkdir -p a && cat > \"a/b.ts\" << \"EOF\"\n{code}EOF\n"),
                "mkdir -p a && cat > \"a/b.ts\" << \"EOF\"\nEOF\n",
            ),
            (format!("# a note\npython3 - <<'PY'\n{code}PY"), "# a note\npython3 - <<'PY'\nPY"),
            (
                format!("cat > a <<'E'\n{code}E\ncat > b <<'E'\n{code}E\n"),
                "cat > a <<'E'\nE\ncat > b <<'E'\nE\n",
            ),
        ] {
            assert_eq!(without_quoted_bodies(&text), expected);
        }
    }

    #[test]
    fn what_may_be_no_body_stays() {
        let code = "if ( [ {\n".repeat(3);
        for start in [
            "cat <<EOF\n", "cat <<\\EOF\n", "cat <<<'EOF'\n", "a[1<<'EOF']=2\n", "((1<<'EOF'\n",
            "x=(\n<<'EOF'\n", "echo $(cat <<'EOF'\n", "echo \"<<'EOF'\n", "echo ' <<'EOF'\n",
            "echo \\\"<<'EOF'\n", "cat <<'E' <<'EOF'\n", "cat <<'EOF' $(ls\n", "cat <<'EOF'x\n",
            "# cat <<'EOF'\n", "cat 3<<'EOF'\n", "case x in <<'EOF'\n", "cat <<E\nx <<'EOF'\nE\n",
            "cat <<'E x'\n", "x='\ncat <<'EOF'\n", "cat \\\n<<'EOF'\n",
        ] {
            let text = format!("{start}{code}EOF\n");
            assert_eq!(without_quoted_bodies(&text), text, "{start:?}");
        }
    }

    #[test]
    fn a_body_without_an_end_stays() {
        let text = "cat <<'EOF'\nif ((\nEO\n";
        assert_eq!(without_quoted_bodies(text), text);
    }

    #[test]
    fn a_line_that_begins_like_the_delimiter_ends_what_is_left_out() {
        for line in ["EOFX", "\tEOF", "EOF\r", " EOF"] {
            let text = format!("cat <<'EOF'\n((\n{line}\nif (\nEOF\n");
            assert_eq!(without_quoted_bodies(&text), format!("cat <<'EOF'\n{line}\nif (\nEOF\n"), "{line:?}");
        }
    }
}
