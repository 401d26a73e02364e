//! Rules that an organisation ships in a file: read-only here, and what they deny is final.

use super::{Book, BookError};
use postern_contract::methods::RuleFile;
use postern_policy::{Lifetime, Rule, RuleId, Source, check_rule, parse_pattern};
use std::io;
use std::path::{Path, PathBuf};

/// Managed rules are numbered down from here.
const FIRST: RuleId = -1_000_000_000;

/// Where the file lies where nothing else is said.
pub(crate) fn default_path() -> PathBuf {
    let path = if cfg!(target_os = "macos") {
        "/Library/Managed Preferences/dev.postern.rules.json"
    } else {
        "/etc/postern/rules.json"
    };
    PathBuf::from(path)
}

impl Book {
    /// Reads the file again. Gives whether it is different.
    pub(crate) async fn reread_managed(&self) -> Result<bool, BookError> {
        let now = self.blocking(|book| Ok(read(&book.places().managed, &book.places().home))).await?;
        if now == self.snapshot().managed {
            return Ok(false);
        }
        let _one = self.change().await;
        self.reload(None).await?;
        Ok(true)
    }
}

/// The rules of the file; none where there is no file. A file that cannot be read, or a rule in it that cannot be, is
/// an error: what it would have denied is not known.
pub(super) fn read(path: &Path, home: &str) -> Result<Vec<Rule>, String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let file: RuleFile =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    if file.version != 1 {
        return Err(format!("{}: format {} is not known; 1 is", path.display(), file.version));
    }
    let numbered = file.rules.into_iter().zip(0..);
    let rules = numbered.map(|(draft, index)| {
        let text = draft.text.clone();
        rule(draft, FIRST - index, home).map_err(|error| format!("{}: {text:?}: {error}", path.display()))
    });
    rules.collect()
}

fn rule(draft: postern_contract::RuleDraft, id: RuleId, home: &str) -> Result<Rule, BookError> {
    if draft.pin {
        return Err(BookError::CannotPin(
            "a managed rule cannot be pinned: name the program by its sha256".into(),
        ));
    }
    let rule = Rule {
        id,
        agent: draft.agent,
        args: draft.args,
        allow_writes: draft.allow_writes,
        source: Source::Managed,
        lifetime: draft.lifetime.unwrap_or(Lifetime::Forever),
        why: draft.why,
        matches: draft.matches,
        misses: draft.misses,
        ..Rule::new(draft.effect, parse_pattern(&draft.text, draft.kind)?)
    };
    check_rule(&rule, home)?;
    Ok(rule)
}
