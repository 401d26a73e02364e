//! Output that was missed: events that were told while nobody listened are asked for.

use super::{ForwardedRun, broken_pipe};
use crate::ending::ProgramEnding;
use crate::output::{descriptor, print_lines};
use postern_client::{CallError, ConnectionLoss};
use postern_protocol::{
    AgentCall, ExecFinished, ExecOutput, OutputParams, OutputResult, OutputStream, StatusParams, StatusResult,
};
use rustix::event::{PollFd, PollFlags, poll};

impl ForwardedRun {
    /// Prints output that a notification carried.
    pub(super) fn print_output(&mut self, output: ExecOutput) -> Result<(), ConnectionLoss> {
        let (stream, offset) = (output.stream, output.offset);
        self.catch_up(stream, offset)?;
        match output.into_bytes() {
            Ok(bytes) => self.outputs.accept_bytes(stream, offset, bytes),
            Err(mistake) => {
                self.ending = Some(ProgramEnding::trouble(&format!("output cannot be read: {mistake}")));
            }
        }
        Ok(())
    }

    /// Asks for the output that was not delivered yet, once the run has ended.
    pub(super) fn finished(&mut self, finished: &ExecFinished) -> Result<(), ConnectionLoss> {
        let taken = self.outputs.stream_position(OutputStream::Stdout)
            + self.outputs.stream_position(OutputStream::Stderr);
        if taken < finished.bytes {
            let status = AgentCall::Status(StatusParams { request_id: self.request.request_id });
            if let Some(status) = self.ask_now::<StatusResult>(&status)? {
                self.catch_up(OutputStream::Stdout, status.stdout_bytes)?;
                self.catch_up(OutputStream::Stderr, status.stderr_bytes)?;
            }
        }
        self.ending = Some(ProgramEnding::finished(finished));
        Ok(())
    }

    /// Asks for what a stream lacks before `until`, and prints it.
    fn catch_up(&mut self, stream: OutputStream, until: u64) -> Result<(), ConnectionLoss> {
        while self.outputs.stream_position(stream) < until {
            let offset = self.outputs.stream_position(stream);
            let params = OutputParams {
                request_id: self.request.request_id,
                stream: Some(stream),
                offset,
                length: Some(until - offset),
            };
            let part = self.ask_now::<OutputResult>(&AgentCall::Output(params))?;
            let (start, bytes) = part.and_then(|part| part_of(part, stream)).unwrap_or((until, Vec::new()));
            let start = if bytes.is_empty() { until } else { start.max(offset) };
            if start > offset {
                print_lines([format!("{} bytes of output were not kept", start - offset).as_str()]);
                self.outputs.skip_to(stream, start);
            }
            self.outputs.accept_bytes(stream, start, bytes);
            self.drain_output()?;
        }
        Ok(())
    }

    /// Asks and waits for the answer; `None` if the host has none to give.
    fn ask_now<R: for<'de> serde::Deserialize<'de>>(
        &mut self,
        call: &AgentCall,
    ) -> Result<Option<R>, ConnectionLoss> {
        self.channel.set_nonblocking(false)?;
        let answer = self.channel.call_typed(call);
        self.channel.set_nonblocking(true)?;
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(CallError::Gone(gone)) => Err(gone),
            Err(CallError::Failed(_) | CallError::OddAnswer { .. }) => Ok(None),
        }
    }

    /// Writes what waits, however slow its reader is; signals are passed on meanwhile.
    fn drain_output(&mut self) -> Result<(), ConnectionLoss> {
        while let Some(stream) = self.outputs.waiting() {
            let output = descriptor(stream);
            let mut fds = [PollFd::new(&output, PollFlags::OUT), PollFd::new(&self.signals, PollFlags::IN)];
            match poll(&mut fds, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(ConnectionLoss::Broken(error.into())),
            }
            let (writable, signalled) = (!fds[0].revents().is_empty(), !fds[1].revents().is_empty());
            if signalled {
                self.pass_signals_on()?;
            }
            if writable && !self.outputs.write_waiting() {
                self.send_kill(broken_pipe())?;
            }
        }
        Ok(())
    }
}

/// Returns the offset and the data of a stream.
fn part_of(part: OutputResult, stream: OutputStream) -> Option<(u64, Vec<u8>)> {
    let bytes = match stream {
        OutputStream::Stdout => part.stdout_encoding.decode(part.stdout),
        OutputStream::Stderr => part.stderr_encoding.decode(part.stderr),
    };
    Some((part.offset, bytes.ok()?))
}
