//! Spans of the tree as ranges of bytes.

use std::ops::Range;

use shuck_ast::Span;

pub(super) fn byte_range(span: Span) -> Range<usize> {
    span.start.offset()..span.end.offset()
}
