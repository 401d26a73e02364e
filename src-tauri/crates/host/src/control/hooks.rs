//! `hooks.note`: what was done to the settings of coding agents, which lie outside of the record.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use crate::book::PolicyStoreError;
use postern_contract::methods::{Applied, ControlError, HookNote, NoteHook};
use postern_store::audit;
use serde_json::{Value, json};

/// Bytes in a name or a path that is written down.
const LONGEST: usize = 4096;

impl Handle<NoteHook> for HostControl {
    async fn handle(&self, _: ApproverId, params: HookNote) -> MethodResult<NoteHook> {
        if params.kind.len() > LONGEST || params.file.len() > LONGEST {
            return Err(ControlError::invalid(format!("kind and file have {LONGEST} bytes at most")));
        }
        let key = format!("{} {}", params.kind, params.file);
        let now = params.agent.map_or(Value::Null, |agent| json!({ "agent": agent }));
        let store = self.parts.book.store();
        // What asks nobody any more may do more.
        let widens = now.is_null();
        let noted = store.write_durable(move |conn| audit::note_state(conn, "hooks", &key, &now, |_| widens));
        Ok(Applied { applied: noted.await.map_err(PolicyStoreError::from)? })
    }
}
