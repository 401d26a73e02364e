//! Output that was missed: events that were told while nobody listened are asked for.

use super::{Forward, broken_pipe};
use crate::ending::Ending;
use crate::output::{descriptor, say};
use postern_client::{CallError, Gone};
use postern_protocol::{
    Call, Finished, Output, OutputParams, OutputResult, StatusParams, StatusResult, Stream,
};
use rustix::event::{PollFd, PollFlags, poll};

impl Forward {
    /// Prints output that a notification carried.
    pub(super) fn print(&mut self, output: Output) -> Result<(), Gone> {
        let (stream, offset) = (output.stream, output.offset);
        self.catch_up(stream, offset)?;
        match output.bytes() {
            Ok(bytes) => self.outputs.take(stream, offset, bytes),
            Err(mistake) => self.ending = Some(Ending::trouble(&format!("output cannot be read: {mistake}"))),
        }
        Ok(())
    }

    /// Asks for the output that was not delivered yet, once the run has ended.
    pub(super) fn finished(&mut self, finished: &Finished) -> Result<(), Gone> {
        let taken = self.outputs.taken(Stream::Stdout) + self.outputs.taken(Stream::Stderr);
        if taken < finished.bytes {
            let status = Call::Status(StatusParams { request_id: self.request.request_id });
            if let Some(status) = self.ask_now::<StatusResult>(&status)? {
                self.catch_up(Stream::Stdout, status.stdout_bytes)?;
                self.catch_up(Stream::Stderr, status.stderr_bytes)?;
            }
        }
        self.ending = Some(Ending::finished(finished));
        Ok(())
    }

    /// Asks for what a stream lacks before `until`, and prints it.
    fn catch_up(&mut self, stream: Stream, until: u64) -> Result<(), Gone> {
        while self.outputs.taken(stream) < until {
            let offset = self.outputs.taken(stream);
            let params = OutputParams {
                request_id: self.request.request_id,
                stream: Some(stream),
                offset,
                length: Some(until - offset),
            };
            let part = self.ask_now::<OutputResult>(&Call::Output(params))?;
            let (start, bytes) = part.and_then(|part| part_of(part, stream)).unwrap_or((until, Vec::new()));
            let start = if bytes.is_empty() { until } else { start.max(offset) };
            if start > offset {
                say([format!("{} bytes of output were not kept", start - offset).as_str()]);
                self.outputs.skip_to(stream, start);
            }
            self.outputs.take(stream, start, bytes);
            self.drain()?;
        }
        Ok(())
    }

    /// Asks and waits for the answer; `None` if the host has none to give.
    fn ask_now<R: for<'de> serde::Deserialize<'de>>(&mut self, call: &Call) -> Result<Option<R>, Gone> {
        self.channel.set_nonblocking(false)?;
        let answer = self.channel.ask(call);
        self.channel.set_nonblocking(true)?;
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(CallError::Gone(gone)) => Err(gone),
            Err(CallError::Failed(_) | CallError::OddAnswer { .. }) => Ok(None),
        }
    }

    /// Writes what waits, however slow its reader is; signals are passed on meanwhile.
    fn drain(&mut self) -> Result<(), Gone> {
        while let Some(stream) = self.outputs.waiting() {
            let output = descriptor(stream);
            let mut fds = [PollFd::new(&output, PollFlags::OUT), PollFd::new(&self.signals, PollFlags::IN)];
            match poll(&mut fds, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(Gone::Broken(error.into())),
            }
            let (writable, signalled) = (!fds[0].revents().is_empty(), !fds[1].revents().is_empty());
            if signalled {
                self.pass_signals_on()?;
            }
            if writable && !self.outputs.write() {
                self.kill(broken_pipe())?;
            }
        }
        Ok(())
    }
}

/// Returns the offset and the data of a stream.
fn part_of(part: OutputResult, stream: Stream) -> Option<(u64, Vec<u8>)> {
    let bytes = match stream {
        Stream::Stdout => part.stdout_encoding.decode(part.stdout),
        Stream::Stderr => part.stderr_encoding.decode(part.stderr),
    };
    Some((part.offset, bytes.ok()?))
}
