//! Redirections: what is read, written and fed.

use shuck_ast::{Command, Heredoc, HeredocBodyPart, Redirect, RedirectKind, RedirectTarget, Stmt};

use super::around::Around;
use super::heredocs::HereDocument;
use super::scanned::{Scanned, WordProblem};
use super::span::byte_range;
use super::walk::Walk;
use crate::call::Feed;
use crate::{Redirection, RedirectionKind, Unparsed, Word};

const TARGET: WordProblem = WordProblem {
    code: Unparsed::RedirectTarget,
    what: "the target of a redirection is known only at run time",
    advice: Some("write the path out"),
};

const PATTERN: WordProblem = WordProblem {
    code: Unparsed::RedirectTarget,
    what: "the target of a redirection is a pattern, so that only the run tells which file it is",
    advice: Some("quote the path"),
};

/// Returns true for a file that is read and that leads nowhere else than its known start, whatever its name turns out to be.
/// Below `/dev` a shell opens connections.
fn is_read_below(kind: RedirectionKind, scanned: &Scanned<'_>) -> bool {
    let stays = !scanned.loose.strays && !scanned.loose.climbs;
    kind == RedirectionKind::Read && stays && !scanned.start.starts_with("/dev")
}

impl Walk<'_> {
    /// Returns the scope inside a statement with redirections.
    pub(super) fn with_redirections(&mut self, statement: &Stmt, around: &Around) -> Around {
        let (redirections, feed) = self.redirections(&statement.redirects, around);
        let mut inner = around.clone();
        // Of several commands that share an input none reads all of it.
        inner.redirections.extend(redirections.into_iter().map(|one| Redirection { text: None, ..one }));
        inner.feed = feed;
        inner
    }

    /// Reads redirections, and the commands inside their targets.
    pub(super) fn redirections(
        &mut self,
        redirects: &[Redirect],
        around: &Around,
    ) -> (Vec<Redirection>, Feed) {
        let mut feed = around.feed.clone();
        let mut all = Vec::new();
        let is_input = is_the_input(redirects);
        for redirect in redirects {
            if redirect.fd_var.is_some() {
                let what = "the bash of macOS doesn’t know this redirection";
                self.add_doubt(
                    &byte_range(redirect.span),
                    WordProblem {
                        code: Unparsed::NewerBash,
                        what,
                        advice: Some("write the descriptor as a number"),
                    },
                );
            }
            if self.slice_text(&byte_range(redirect.span)).contains("&>>") {
                self.beyond_posix(&byte_range(redirect.span));
            }
            match &redirect.target {
                RedirectTarget::Heredoc(heredoc) => {
                    let own = self.here_document(heredoc, redirect, around);
                    // Of several the last one counts for a descriptor; what is guessed is in any of them.
                    feed = match (feed, all.last()) {
                        (Feed::Text(before), Some(Redirection { kind: RedirectionKind::Here, .. })) => {
                            Feed::Text(before + "\n" + &own)
                        }
                        _ => Feed::Text(own.clone()),
                    };
                    let target = Word::literal(heredoc.delimiter.cooked.as_str());
                    let plain = !heredoc.delimiter.expands_body || !own.contains(['$', '`', '\\']);
                    let text = (plain && is_input).then_some(own);
                    all.push(Redirection { kind: RedirectionKind::Here, target, text });
                }
                RedirectTarget::Word(word) => {
                    let scanned = self.scan_word(word.span, &word.parts, around);
                    let value = scanned.values.as_ref().and_then(|values| match values.as_slice() {
                        [one] => Some(one.clone()),
                        _ => None,
                    });
                    let kind = redirection_kind(redirect.kind, value.as_deref());
                    feed = resulting_feed(kind, value.as_ref(), feed);
                    self.check_target(redirect, kind, value.as_deref(), &scanned);
                    self.walk_bodies(&scanned.bodies, around);
                    let text = value.clone().filter(|_| kind == RedirectionKind::Here && is_input);
                    all.push(Redirection {
                        kind,
                        target: Word { raw: self.raw_text(&byte_range(word.span)), value },
                        text,
                    });
                }
            }
        }
        (all, feed)
    }

    fn check_target(
        &mut self,
        redirect: &Redirect,
        kind: RedirectionKind,
        value: Option<&str>,
        scanned: &Scanned<'_>,
    ) {
        let span = byte_range(redirect.span);
        if let Some(problem) = scanned.problem {
            self.add_doubt(&span, problem);
        } else if value.is_none()
            && kind != RedirectionKind::Here
            && !self.slice_text(&span).contains("<(")
            && !is_read_below(kind, scanned)
        {
            let is_pattern = scanned.start.len() > 1 && self.slice_text(&span).contains(['*', '?', '[']);
            self.add_doubt(&span, if is_pattern { PATTERN } else { TARGET });
        } else if value.is_some_and(|value| value.starts_with("/dev/tcp/") || value.starts_with("/dev/udp/"))
        {
            let what = "it opens a network connection";
            self.add_doubt(&span, WordProblem { code: Unparsed::NetworkRedirect, what, advice: None });
        }
        if scanned.beyond_posix
            || matches!(redirect.kind, RedirectKind::HereString | RedirectKind::OutputBoth)
        {
            self.beyond_posix(&span);
        }
    }

    fn here_document(&mut self, heredoc: &Heredoc, redirect: &Redirect, around: &Around) -> String {
        let body = byte_range(heredoc.body.span);
        let text = self.slice_text(&body).to_owned();
        if self.ends_at_delimiter(heredoc) {
            self.note_body(&body);
        } else {
            let what = "the end of a here-document is hard to find";
            self.add_doubt(
                &byte_range(redirect.span),
                WordProblem { code: Unparsed::HereDocument, what, advice: None },
            );
        }
        self.check_quoted(heredoc, redirect, &text);
        let start = byte_range(redirect.span).start;
        let arrow = self.slice_text(&byte_range(redirect.span)).find("<<").map_or(start, |at| start + at);
        self.here_documents.push(HereDocument {
            operator: arrow..byte_range(heredoc.delimiter.span).end,
            delimiter: heredoc.delimiter.cooked.to_string(),
            tabs: heredoc.delimiter.strip_tabs,
            plain: !heredoc.delimiter.expands_body
                || !["`", "$(", "${", "$[", "\\"].iter().any(|mark| text.contains(mark)),
            body: body.clone(),
        });
        if !heredoc.delimiter.expands_body {
            return text;
        }
        let inner = heredoc.body.parts.iter().filter_map(|part| match &part.kind {
            HeredocBodyPart::CommandSubstitution { body, .. } => Some((byte_range(part.span), body)),
            _ => None,
        });
        let scanned = super::word::scan_body(self.word_scope(around), body.clone(), inner);
        if let Some(problem) = scanned.problem {
            self.add_doubt(&body, problem);
        }
        self.masks.extend(scanned.escapes.iter().map(|at| at - 1..at + 1));
        self.walk_bodies(&scanned.bodies, around);
        text
    }

    /// Checks the quoting of a here-document: the parser takes the second one of a command for a quoted one
    /// in any case.
    fn check_quoted(&mut self, heredoc: &Heredoc, redirect: &Redirect, body: &str) {
        let quoted = self.slice_text(&byte_range(heredoc.delimiter.span)).contains(['\'', '"', '\\']);
        if !quoted && !heredoc.delimiter.expands_body && body.contains(['$', '`', '\\']) {
            let what = "Postern doesn’t follow what is expanded in a second here-document";
            let advice = Some("quote its delimiter, or write two commands");
            self.add_doubt(
                &byte_range(redirect.span),
                WordProblem { code: Unparsed::HereDocument, what, advice },
            );
        }
    }

    /// Returns true if the body begins right after a newline and is followed by the delimiter on a line of
    /// its own.
    fn ends_at_delimiter(&self, heredoc: &Heredoc) -> bool {
        let body = byte_range(heredoc.body.span);
        let delimiter = heredoc.delimiter.cooked.as_str();
        let line = |line: &str| {
            if heredoc.delimiter.strip_tabs {
                line.trim_start_matches('\t') == delimiter
            } else {
                line == delimiter
            }
        };
        let starts = self.text.get(..body.start).is_some_and(|before| before.ends_with('\n'));
        let inside = self.slice_text(&body).lines().any(line);
        let ends = self.text.get(body.end..).is_some_and(|rest| {
            let rest = rest
                .strip_prefix('\n')
                .filter(|_| !self.slice_text(&body).ends_with('\n') && !body.is_empty())
                .unwrap_or(rest);
            rest.lines().next().is_some_and(line)
        });
        let folds = heredoc.delimiter.expands_body && self.slice_text(&body).contains("\\\n");
        starts && ends && !inside && !folds
    }

    /// Returns the text that a statement writes to a pipe, if it is literal.
    pub(super) fn output(&self, statement: &Stmt) -> Feed {
        let Command::Simple(command) = &statement.command else { return Feed::Unknown };
        let documents = statement.redirects.iter().filter_map(Redirect::heredoc);
        let bodies: Vec<&str> =
            documents.map(|heredoc| self.slice_text(&byte_range(heredoc.body.span))).collect();
        if !bodies.is_empty() {
            return Feed::Text(bodies.join("\n"));
        }
        let name = self.slice_text(&byte_range(command.name.span));
        if !matches!(name.rsplit('/').next(), Some("echo" | "printf")) {
            return Feed::Unknown;
        }
        let words = command.args.iter().map(|word| {
            self.slice_text(&byte_range(word.span)).trim_matches(['\'', '"']).replace("\\n", "\n")
        });
        Feed::Text(words.collect::<Vec<_>>().join(" "))
    }
}

/// Returns true if one of these redirections gives the standard input, and no other touches it.
fn is_the_input(redirects: &[Redirect]) -> bool {
    let here = |redirect: &&Redirect| {
        matches!(redirect.kind, RedirectKind::HereDoc | RedirectKind::HereDocStrip | RedirectKind::HereString)
    };
    let writes = |redirect: &Redirect| {
        let kind = matches!(
            redirect.kind,
            RedirectKind::Output
                | RedirectKind::Clobber
                | RedirectKind::Append
                | RedirectKind::OutputBoth
                | RedirectKind::DupOutput
        );
        kind && matches!(redirect.fd, None | Some(1 | 2))
    };
    let mut documents = redirects.iter().filter(here);
    let only = documents.next().filter(|_| documents.next().is_none());
    only.is_some_and(|only| matches!(only.fd, None | Some(0)))
        && redirects.iter().all(|one| one.fd_var.is_none() && (here(&one) || writes(one)))
}

fn redirection_kind(kind: RedirectKind, value: Option<&str>) -> RedirectionKind {
    let digits = |value: &str| value.trim_end_matches('-').chars().all(|c| c.is_ascii_digit());
    let descriptor = value.is_some_and(|value| value == "-" || digits(value));
    match kind {
        RedirectKind::DupOutput | RedirectKind::DupInput if descriptor => RedirectionKind::Descriptor,
        RedirectKind::Output | RedirectKind::Clobber | RedirectKind::OutputBoth | RedirectKind::DupOutput => {
            RedirectionKind::Write
        }
        RedirectKind::Append => RedirectionKind::Append,
        RedirectKind::Input | RedirectKind::DupInput => RedirectionKind::Read,
        RedirectKind::ReadWrite => RedirectionKind::ReadWrite,
        RedirectKind::HereDoc | RedirectKind::HereDocStrip | RedirectKind::HereString => {
            RedirectionKind::Here
        }
    }
}

fn resulting_feed(kind: RedirectionKind, value: Option<&String>, before: Feed) -> Feed {
    match kind {
        RedirectionKind::Read | RedirectionKind::ReadWrite => Feed::Unknown,
        RedirectionKind::Here => value.map_or(Feed::Unknown, |text| Feed::Text(text.clone())),
        RedirectionKind::Write | RedirectionKind::Append | RedirectionKind::Descriptor => before,
    }
}
