//! The first of two readings: tree-sitter-bash says which simple commands there are, and where their words stand.

use std::ops::{ControlFlow, Range};

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

/// Bytes that the parser is given at once.
const CHUNK: usize = 1024;

/// Bytes that the parser may read of any text, and how many more for each byte of it.
///
/// The parser looks ahead and comes back, but if it is lost it looks ahead to the end of the text from every
/// position in it.
const MOST_GIVEN: (usize, usize) = (32 * 1024, 3);

/// Most progress reports of the parser, which come every hundred steps.
const MOST_STEPS: usize = 1_000;

/// Spans of the words of each simple command, in the order of the text. The two parsers must agree on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Outline {
    /// For each command the ranges of its words, without assignments and redirections.
    pub(super) commands: Vec<Vec<Range<usize>>>,
}

impl Outline {
    pub(super) fn push(&mut self, words: Vec<Range<usize>>) {
        if !words.is_empty() {
            self.commands.push(words);
        }
    }

    pub(super) fn sort_commands(&mut self) {
        self.commands.sort_by_key(|words| words.first().map(|word| word.start));
    }
}

/// Returns the outline as tree-sitter sees it; `None` if it finds an error.
///
/// Its grammar does not know that `\$` in a here-document is no expansion, so the characters at `masks` are
/// hidden from it. So is every character beyond ASCII: its scanner looks characters up in a table of 256 and
/// reads outside of it for others, which ends the process. To bash they are parts of words, never of names;
/// so is the `.` that stands for each of their bytes.
pub(super) fn outline(text: &str, masks: &[Range<usize>]) -> Option<Outline> {
    outline_where(text, masks, &[])
}

/// Returns the outline of a text in which here-documents are hidden: each of `arrows` has to be the `<` of a redirection.
pub(super) fn outline_where(text: &str, masks: &[Range<usize>], arrows: &[usize]) -> Option<Outline> {
    let mut bytes = text.as_bytes().to_vec();
    for mask in masks {
        bytes.get_mut(mask.clone())?.fill(b'_');
    }
    for byte in bytes.iter_mut().filter(|byte| !byte.is_ascii()) {
        *byte = b'.';
    }
    let masked = String::from_utf8(bytes).ok()?;
    let text = masked.as_str();
    let tree = parsed(text)?;
    let mut outline = Outline::default();
    let mut nodes = vec![tree.root_node()];
    let mut redirected = 0;
    while let Some(node) = nodes.pop() {
        match node.kind() {
            "<" if arrows.contains(&node.start_byte()) => {
                redirected +=
                    usize::from(node.parent().is_some_and(|around| around.kind() == "file_redirect"));
            }
            "command" => outline.push(command_words(node, text)),
            "declaration_command" | "unset_command" => outline.push(declaration_words(node)),
            "test_command" => outline.push(test_words(node, text)),
            _ => {}
        }
        let mut cursor = node.walk();
        nodes.extend(node.children(&mut cursor));
    }
    outline.sort_commands();
    (redirected == arrows.len()).then_some(outline)
}

/// Returns the tree of a text without errors; `None` as well where finding it out takes long.
fn parsed(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut left = MOST_GIVEN.0 + MOST_GIVEN.1 * text.len();
    let mut give = |at: usize, _| {
        let end = text.len().min(at - at % CHUNK + CHUNK);
        let chunk = text.as_bytes().get(at..end).unwrap_or_default();
        left = left.saturating_sub(chunk.len() + 1);
        if left > 0 { chunk } else { &[] }
    };
    let mut steps = MOST_STEPS;
    let mut go_on = |state: &ParseState| {
        steps = steps.saturating_sub(1);
        if steps == 0 || state.has_error() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let tree = parser.parse_with_options(&mut give, None, Some(options))?;
    (left > 0 && !tree.root_node().has_error()).then_some(tree)
}

/// Returns the name and arguments, and the words that the grammar takes for further targets of a redirection
/// (`echo > f a`).
fn command_words(command: Node<'_>, text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut cursor = command.walk();
    for (index, child) in command.children(&mut cursor).enumerate() {
        let field = command.field_name_for_child(u32::try_from(index).unwrap_or(u32::MAX));
        match (field, child.kind()) {
            (Some("name" | "argument"), _) => words.push(child.byte_range()),
            (_, "file_redirect") => words.extend(further_targets(child)),
            _ => {}
        }
    }
    if let Some(around) = command.parent().filter(|around| around.kind() == "redirected_statement") {
        let mut cursor = around.walk();
        for redirect in around.children(&mut cursor) {
            match redirect.kind() {
                "file_redirect" => words.extend(further_targets(redirect)),
                "heredoc_redirect" => words.extend(arguments(redirect)),
                _ => {}
            }
        }
    }
    words.sort_by_key(|word| word.start);
    without_time(with_whole_names(words, command, text), text)
}

/// Joins what the grammar takes apart: of `$D/$F.js` it ends a word behind the second `$`, and begins one with the name.
///
/// No shell ends a word there. The name may also be the rest of an assignment, which has no words.
fn with_whole_names(words: Vec<Range<usize>>, command: Node<'_>, text: &str) -> Vec<Range<usize>> {
    let mut cursor = command.walk();
    let assignments = command.children(&mut cursor).filter(|child| child.kind() == "variable_assignment");
    let mut assigned: Vec<usize> = assignments.map(|child| child.end_byte()).collect();
    let is_name = |word: &Range<usize>| {
        let (before, own) = (text.get(..word.start), text.get(word.clone()));
        before.is_some_and(|before| before.ends_with('$'))
            && own.is_some_and(|own| own.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
    };
    let mut whole: Vec<Range<usize>> = Vec::new();
    for word in words {
        match whole.last_mut() {
            Some(last) if last.end == word.start && is_name(&word) => last.end = word.end,
            _ if assigned.contains(&word.start) && is_name(&word) => assigned.push(word.end),
            _ => whole.push(word),
        }
    }
    whole
}

fn further_targets(redirect: Node<'_>) -> Vec<Range<usize>> {
    let mut cursor = redirect.walk();
    let targets: Vec<_> =
        redirect.children_by_field_name("destination", &mut cursor).map(|node| node.byte_range()).collect();
    let closes = redirect.child_by_field_name("destination").is_none_or(|first| {
        let mut cursor = redirect.walk();
        redirect
            .children(&mut cursor)
            .take_while(|child| child.id() != first.id())
            .any(|child| child.kind().ends_with("&-"))
    });
    targets.into_iter().skip(usize::from(!closes)).collect()
}

fn arguments(redirect: Node<'_>) -> Vec<Range<usize>> {
    let mut cursor = redirect.walk();
    redirect.children_by_field_name("argument", &mut cursor).map(|node| node.byte_range()).collect()
}

/// Drops `time`, which is a keyword and which the grammar takes for a command.
fn without_time(words: Vec<Range<usize>>, text: &str) -> Vec<Range<usize>> {
    let is =
        |index: usize, name: &str| words.get(index).and_then(|word| text.get(word.clone())) == Some(name);
    let skip = match (is(0, "time"), is(1, "-p")) {
        (true, true) => 2,
        (true, false) => 1,
        (false, _) => 0,
    };
    words.into_iter().skip(skip).collect()
}

fn declaration_words(node: Node<'_>) -> Vec<Range<usize>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).map(|child| child.byte_range()).collect()
}

/// Returns `[ … ]` as one word, since its inside is an expression here and words there; `[[ … ]]` and `((…))`
/// are no commands.
fn test_words(node: Node<'_>, text: &str) -> Vec<Range<usize>> {
    let range = node.byte_range();
    let bracket = text.get(range.clone()).is_some_and(|t| t.starts_with('[') && !t.starts_with("[["));
    if bracket { vec![range] } else { Vec::new() }
}
