//! A server's XML, bounded before anything makes a tree of it. A tree takes a call for each level, and memory for all of a stanza.
//!
//! A stanza that nests too deeply or is too long is left out as a whole: what is left of one could mean something else.

use rxml::error::EndOrError;
use rxml::{Event, Parse as _, Parser};
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};

/// Deepest nesting of elements, that of the stream counted.
const DEEPEST: u32 = 64;
/// Longest stanza, in bytes: what servers pass on at most.
pub(super) const STANZA: usize = 512 * 1024;
/// Longest stanza before TLS, in bytes: features, and the word to go on.
pub(super) const BEFORE_TLS: usize = 16 * 1024;

/// A connection whose reader gets bounded stanzas, each once it is whole.
pub(super) struct BoundedXml<Io> {
    io: Io,
    stanzas: Stanzas,
    restart: RestartMark,
}

/// Notes that the server begins a new stream on the same connection, as it does after a login.
#[derive(Debug, Clone, Default)]
pub(super) struct RestartMark(Arc<AtomicBool>);

impl RestartMark {
    pub(super) fn mark_restart(&self) {
        self.0.store(true, Ordering::Release);
    }
}

impl<Io> BoundedXml<Io> {
    /// Bounds what is read to stanzas of so many bytes.
    pub(super) fn new(io: Io, longest: usize) -> Self {
        Self { io, stanzas: Stanzas::new(longest), restart: RestartMark::default() }
    }

    pub(super) fn restart_mark(&self) -> RestartMark {
        self.restart.clone()
    }

    /// Returns the connection. What was read ahead is dropped.
    pub(super) fn into_inner(self) -> Io {
        self.io
    }
}

/// The stanzas of one stream, and those of them that may be read.
struct Stanzas {
    parser: Parser,
    longest: usize,
    depth: u32,
    /// Bytes since the last whole stanza.
    begun: Vec<u8>,
    left_out: bool,
    whole: VecDeque<u8>,
}

impl Stanzas {
    fn new(longest: usize) -> Self {
        let (parser, begun, whole) = (Parser::new(), Vec::new(), VecDeque::new());
        Self { parser, longest, depth: 0, begun, left_out: false, whole }
    }

    fn take_bytes(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        loop {
            let before = bytes;
            let event = self.parser.parse(&mut bytes, false);
            self.keep_bytes(before.get(..before.len() - bytes.len()).unwrap_or_default());
            match event {
                Ok(Some(Event::StartElement(..))) => {
                    self.depth += 1;
                    self.left_out |= self.depth > DEEPEST;
                    if self.depth == 1 {
                        self.pass_on();
                    }
                }
                Ok(Some(Event::EndElement(..))) => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth <= 1 {
                        self.pass_on();
                    }
                }
                // Spaces between stanzas say nothing. The reader of text has taken the `<` of the next one.
                Ok(Some(Event::Text(..))) if self.depth == 1 => {
                    let next = self.begun.ends_with(b"<");
                    self.begun.clear();
                    self.begun.extend(next.then_some(b'<'));
                    self.left_out = false;
                }
                Ok(Some(Event::Text(..) | Event::XmlDeclaration(..))) => {}
                Ok(None) | Err(EndOrError::NeedMoreData) => return Ok(()),
                Err(EndOrError::Error(error)) => {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, error.to_string()));
                }
            }
        }
    }

    fn keep_bytes(&mut self, bytes: &[u8]) {
        self.left_out |= self.begun.len() + bytes.len() > self.longest;
        if self.left_out {
            self.begun = Vec::new();
        } else {
            self.begun.extend_from_slice(bytes);
        }
    }

    /// Lets the stanza that is whole now be read, unless it is left out.
    fn pass_on(&mut self) {
        let stanza = std::mem::take(&mut self.begun);
        if std::mem::take(&mut self.left_out) {
            tracing::warn!("a message is left out: it nests too deeply, or is too long");
        } else {
            self.whole.extend(stanza);
        }
    }
}

impl<Io: AsyncBufRead + Unpin> AsyncBufRead for BoundedXml<Io> {
    fn poll_fill_buf(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        while this.stanzas.whole.is_empty() {
            let bytes = ready!(Pin::new(&mut this.io).poll_fill_buf(context))?;
            if bytes.is_empty() {
                return Poll::Ready(Ok(&[]));
            }
            if this.restart.0.swap(false, Ordering::AcqRel) {
                this.stanzas = Stanzas::new(this.stanzas.longest);
            }
            let taken = bytes.len();
            this.stanzas.take_bytes(bytes)?;
            Pin::new(&mut this.io).consume(taken);
        }
        Poll::Ready(Ok(this.stanzas.whole.make_contiguous()))
    }

    fn consume(self: Pin<&mut Self>, amount: usize) {
        self.get_mut().stanzas.whole.drain(..amount);
    }
}

impl<Io: AsyncBufRead + Unpin> AsyncRead for BoundedXml<Io> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let bytes = ready!(self.as_mut().poll_fill_buf(context))?;
        let taken = bytes.len().min(into.remaining());
        into.put_slice(bytes.get(..taken).unwrap_or_default());
        self.consume(taken);
        Poll::Ready(Ok(()))
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for BoundedXml<Io> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().io).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::{BEFORE_TLS, BoundedXml, DEEPEST, STANZA, Stanzas};
    use proptest::prelude::{ProptestConfig, any, proptest};
    use proptest::sample::select;
    use tokio::io::{AsyncReadExt as _, BufReader};

    const HEADER: &str = "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>";

    /// Returns what is left of a stream that comes in pieces of so many bytes.
    fn left_of(stream: &str, piece: usize, longest: usize) -> String {
        let mut stanzas = Stanzas::new(longest);
        for bytes in stream.as_bytes().chunks(piece) {
            stanzas.take_bytes(bytes).unwrap();
        }
        String::from_utf8(stanzas.whole.into()).unwrap()
    }

    fn nested(levels: u32) -> String {
        (0..levels).fold("x".to_owned(), |inner, _| format!("<x>{inner}</x>"))
    }

    #[test]
    fn what_nests_deeply_or_is_long_is_left_out_as_a_whole_and_all_else_is_as_it_was() {
        const LONGEST: usize = 4096;
        // One level is the stream's own.
        let deepest = nested(DEEPEST - 1);
        let long = format!("<message><body>{}</body></message>", "y".repeat(LONGEST));
        let parts = format!("<message>{}</message>", "<a b='c'/>".repeat(LONGEST / 10));
        let whole = "<message id='1'><body>&lt;a&gt;<![CDATA[</body>]]></body><e/></message><presence/>";
        for piece in [1, 7, 1 << 20] {
            for bad in [nested(DEEPEST), nested(3_000), long.clone(), parts.clone()] {
                let stream = format!("{HEADER}{whole}\n {bad} {deepest}</stream:stream>");
                let left = left_of(&stream, piece, LONGEST);
                assert_eq!(left, format!("{HEADER}{whole}{deepest}</stream:stream>"), "{piece}");
            }
        }
        let endless = format!("{HEADER}<stream:features>{}", "<mechanism>A</mechanism>".repeat(1_000));
        assert_eq!(left_of(&endless, 4096, BEFORE_TLS), HEADER);
    }

    #[test]
    fn what_is_no_xml_ends_the_connection() {
        for bad in ["<!DOCTYPE x>", "<a></b>", "<?php ?>", "<a>&b;</a>"] {
            assert!(Stanzas::new(STANZA).take_bytes(format!("{HEADER}{bad}").as_bytes()).is_err(), "{bad}");
        }
    }

    #[tokio::test]
    async fn after_a_login_the_stream_begins_again() {
        let (first, second) = (format!("{HEADER}<success/>"), format!("{HEADER}<message/>{}", nested(90)));
        let (server, client) = tokio::io::duplex(1 << 16);
        let (mut server, mut bounded) = (server, BoundedXml::new(BufReader::new(client), STANZA));
        tokio::io::AsyncWriteExt::write_all(&mut server, first.as_bytes()).await.unwrap();
        let mut read = vec![0; first.len()];
        bounded.read_exact(&mut read).await.unwrap();
        bounded.restart_mark().mark_restart();
        tokio::io::AsyncWriteExt::write_all(&mut server, second.as_bytes()).await.unwrap();
        drop(server);
        let mut rest = String::new();
        bounded.read_to_string(&mut rest).await.unwrap();
        assert_eq!((read, rest), (first.into_bytes(), format!("{HEADER}<message/>")));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        /// Nothing that is passed on is deeper than the bound.
        #[test]
        fn nothing_deep_passes(
            parts in proptest::collection::vec(
                select(vec!["<a>", "</a>", "<a/>", "<a b='>'>", "text", "<![CDATA[<a>]]>", "<![CDATA[</a>]]>", " ", "&lt;"]),
                0..300,
            ),
            piece in 1_usize..64,
            deep in any::<bool>(),
        ) {
            let stream = format!("{HEADER}{}{}", if deep { "<a>".repeat(60) } else { String::new() }, parts.concat());
            let mut stanzas = Stanzas::new(STANZA);
            for bytes in stream.as_bytes().chunks(piece) {
                if stanzas.take_bytes(bytes).is_err() {
                    break;
                }
            }
            let passed: Vec<u8> = stanzas.whole.into();
            let (mut depth, mut rest) = (0_u32, passed.as_slice());
            let mut parser = rxml::Parser::new();
            while let Ok(Some(event)) = rxml::Parse::parse(&mut parser, &mut rest, false) {
                match event {
                    rxml::Event::StartElement(..) => depth += 1,
                    rxml::Event::EndElement(..) => depth -= 1,
                    _ => {}
                }
                assert!(depth <= DEEPEST);
            }
        }
    }
}
