//! Findings that a question shows beside the facts: scripts that nobody allowed with this content, the repository, other profiles.

use crate::measure::NamedRepository;
use crate::touches::real_path;
use postern_command::effect::is_secret;
use postern_command::escape;
use postern_contract::ScriptState;
use postern_contract::methods::{ControlError, ScriptText};
use postern_exec::resolve::{Held, HeldFile};
use postern_exec::small_file;
use postern_policy::{
    FileChange, Identity, Millis, Profile, Reason, RuleId, RuleRef, Subject, Verdict, expand_home,
};
use postern_protocol::encode_hex;
use postern_store::scripts::{AllowedScript, last_allowed};
use postern_store::{Store, rules};
use sha2::{Digest as _, Sha256};
use std::path::Path;

/// Lines, and bytes, of a script that a question shows.
const LINES: usize = 40;
const BYTES: usize = 8 << 10;
/// Bytes of a script that can be shown in full.
const WHOLE: u64 = 256 << 10;
/// Bytes of a file whose text is compared with what would replace it.
const REPLACED: u64 = 64 << 10;

/// Findings that a question shows beside the facts.
#[derive(Debug, Default)]
pub(super) struct QuestionContext {
    pub(super) scripts: Vec<ScriptPreview>,
    /// The profiles with fewer rights that a person can choose.
    pub(super) tighter: Vec<Profile>,
    /// The repository that the folder is in; found only for a question.
    pub(super) repository: NamedRepository,
    /// The file that a tool would replace, where there is one.
    pub(super) replaced: Option<ReplacedFile>,
    /// Time at which each rule for a program or script that changed was last used, or else was made.
    pub(super) last_allowed: Vec<(RuleId, Millis)>,
    /// True if it asks for full access to what failed confined before.
    pub(super) failed_confined: bool,
}

/// Returns when each rule that programs and scripts changed under was last used, or else was made.
pub(super) fn find_last_allowed(store: &Store, verdict: &Verdict) -> Vec<(RuleId, Millis)> {
    let changed = verdict.steps.iter().filter(|step| step.reason == Reason::BinaryChanged);
    let broken = changed.filter_map(|step| step.rule.as_ref());
    let found = |rule: &RuleRef| match store.look_up(|conn| rules::last_allowed(conn, rule.id)) {
        Ok(at) => Some((rule.id, at?)),
        Err(error) => {
            tracing::error!(%error, "the last use of a rule could not be looked up");
            None
        }
    };
    broken.filter_map(found).collect()
}

#[derive(Debug)]
pub(super) enum ReplacedFile {
    Text(String),
    /// A file that is not shown: it has this many bytes, and is long, holds secrets or is no text.
    Unshown(u64),
}

impl ReplacedFile {
    /// Reads the file that a whole text would replace. Blocks.
    pub(super) fn of_edit(subject: &Subject, cwd: Option<&str>, home: &str) -> Option<Self> {
        let Subject::FileEdit { path, change: FileChange::Whole(_) } = subject else { return None };
        let path = Path::new(cwd?).join(&*expand_home(path, home));
        let file = small_file::open_regular(&path).ok()?;
        let bytes = file.metadata().ok()?.len();
        let real = real_path(&path)?;
        let text = Some(file)
            .filter(|_| !is_secret(&real) && !is_secret(&path.to_string_lossy()))
            .and_then(|file| small_file::read_text(&file, REPLACED).ok());
        Some(text.map_or(Self::Unshown(bytes), Self::Text))
    }
}

/// The beginning of a script, with what is known of it.
#[derive(Debug, Clone)]
pub(super) struct ScriptPreview {
    pub(super) real_path: String,
    pub(super) sha256: String,
    pub(super) lines: Vec<String>,
    /// True if the script goes on behind them.
    pub(super) more: bool,
    pub(super) state: ScriptState,
}

impl ScriptPreview {
    /// Reads the beginning of a script from the file that was opened. Nobody is taken to know it.
    fn from_held(script: &HeldFile) -> Self {
        let Identity { sha256, size, .. } = script.identity();
        let beginning = script.beginning(BYTES);
        let text = String::from_utf8_lossy(&beginning);
        let mut lines = text.lines();
        let shown = lines.by_ref().take(LINES).map(str::to_owned).collect();
        Self {
            real_path: script.bound.real_path.clone(),
            sha256: sha256.clone(),
            lines: shown,
            more: lines.next().is_some() || *size > BYTES as u64,
            state: ScriptState::New,
        }
    }

    /// Compares it with what a person last allowed. One that cannot be looked up stays new.
    pub(super) fn compare_with_record(&mut self, store: &Store) {
        match store.look_up(|conn| last_allowed(conn, &self.real_path)) {
            Ok(Some(sha256)) if sha256 == self.sha256 => self.state = ScriptState::Unchanged,
            Ok(Some(_)) => self.state = ScriptState::Changed,
            Ok(None) => {}
            Err(error) => tracing::error!(%error, "an allowed script could not be looked up"),
        }
    }

    /// Returns it as it is kept once it is allowed.
    pub(super) fn to_allowed(&self) -> AllowedScript {
        AllowedScript { path: self.real_path.clone(), sha256: self.sha256.clone() }
    }
}

/// Returns the beginnings of the scripts among what is held: operands of interpreters, and programs with a `#!` line that the
/// agent can change.
pub(super) fn read_previews(held: &Held) -> Vec<ScriptPreview> {
    let own = |file: &&HeldFile| file.shebang.is_some() && file.agent_can_change;
    let programs = held.started.iter().chain(&held.programs).map(|file| &**file).filter(own);
    held.scripts.iter().map(|file| &**file).chain(programs).map(ScriptPreview::from_held).collect()
}

/// Reads the whole text of a script, where it is still what was shown. Blocks.
pub(crate) fn read_script(script: &AllowedScript) -> Result<ScriptText, ControlError> {
    let name = escape::visible_text(&script.path);
    let unread = |error: std::io::Error| ControlError::refused(format!("{name} cannot be read: {error}"));
    let file = small_file::open_no_link(Path::new(&script.path)).map_err(unread)?;
    let bytes = small_file::read_bytes(&file, WHOLE).map_err(unread)?;
    if encode_hex(&Sha256::digest(&bytes)) != script.sha256 {
        return Err(ControlError::refused(format!("{name} has changed since it was shown")));
    }
    let lines = String::from_utf8_lossy(&bytes).lines().map(postern_contract::to_pieces).collect();
    Ok(ScriptText { lines })
}

#[cfg(test)]
mod tests {
    use super::{AllowedScript, read_script};
    use postern_contract::join_pieces;

    #[test]
    fn a_script_is_shown_in_full_only_while_it_is_what_was_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sh");
        std::fs::write(&path, "echo 1\necho \u{202e}2\n").unwrap();
        // printf 'echo 1\necho \xe2\x80\xae2\n' | sha256sum
        let sha256 = "d83afb27c3bc7330464891d1dbdc92bf8bb5bb8283b5f6898408beb76d5559e6".to_owned();
        let script = AllowedScript { path: path.to_str().unwrap().to_owned(), sha256 };
        let lines = read_script(&script).unwrap().lines;
        let lines: Vec<String> = lines.iter().map(|line| join_pieces(line)).collect();
        assert_eq!(lines, ["echo 1", "echo \\u{202e}2"]);
        std::fs::write(&path, "echo 3\n").unwrap();
        assert!(read_script(&script).unwrap_err().message.ends_with("has changed since it was shown"));
        std::fs::write(&path, vec![b'x'; 300 << 10]).unwrap();
        assert!(read_script(&script).unwrap_err().message.ends_with("is longer than 256 KiB"));
    }
}
