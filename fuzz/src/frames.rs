//! Frames of an agent's channel and of the control socket: what is read means the same when it is written again.

use postern_contract::methods::Method;
use postern_contract::with_methods;
use postern_protocol::{AgentCall, LineBuffer, Request, decode};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Longest line; shorter than a host's, so that long ones are found.
const LIMIT: usize = 1024;

/// Bytes as they come in: the first says into how large pieces the system cuts the rest.
pub fn check(data: &[u8]) {
    let Some((cut, bytes)) = data.split_first() else { return };
    let mut lines = LineBuffer::new(LIMIT);
    for piece in bytes.chunks(usize::from(*cut) + 1) {
        lines.push(piece);
        while let Some(line) = lines.next_line() {
            let Ok(line) = line else { continue };
            assert!(line.len() <= LIMIT, "a line of {} bytes", line.len());
            if let Ok(request) = decode(line, LIMIT).and_then(postern_protocol::Frame::into_request) {
                of_a_channel(&request);
                of_control(&request);
            }
        }
    }
}

fn of_a_channel(request: &Request) {
    let Ok(call) = AgentCall::parse_params(&request.method, &request.params) else { return };
    let line = call.to_line(&request.id);
    let again = decode(&line, usize::MAX).and_then(AgentCall::of_frame);
    assert_eq!(again.ok(), Some((request.id.clone(), call)), "{}", String::from_utf8_lossy(&line));
}

macro_rules! each {
    ($($(#[$doc:meta])+ $marker:ident $name:literal $field:ident ($params:ty) -> $result:ty;)+) => {
        fn of_control(request: &Request) {
            match request.method.as_str() {
                $($name => reads_as_it_writes::<<postern_contract::methods::$marker as Method>::Params>(&request.params),)+
                _ => {}
            }
        }
    };
}
with_methods!(each);

/// Params that were read are written as params that are read the same.
fn reads_as_it_writes<P: DeserializeOwned + serde::Serialize>(params: &Value) {
    let Ok(read) = serde_json::from_value::<P>(params.clone()) else { return };
    let written = serde_json::to_value(&read).unwrap();
    let again: P =
        serde_json::from_value(written.clone()).unwrap_or_else(|error| panic!("{written}: {error}"));
    assert_eq!(serde_json::to_value(&again).unwrap(), written);
}
