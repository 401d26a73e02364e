//! `policy.*`: what is wrong with the rules, and what others would have said of the past. Changes nothing.

use super::requests::{check_limit, number};
use super::{Handle, HostControl, MethodResult, rules};
use crate::ask::ApproverId;
use crate::book::{LintedRule, ManagedPlace, PolicyEdit, ReplayedChange, write_whole};
use crate::folder::make_private;
use postern_contract::methods::{
    ControlError, Lint, LintFinding, LintPolicy, Linted, Replay, ReplayChange, ReplayPolicy, Replayed,
};
use postern_contract::{render, without_secrets};
use postern_policy::permissions::FileLayer;
use postern_policy::{FindingKind, Source, pattern_text, source_words};
use postern_store::requests::Filter;

/// Default number of requests that one call judges.
const PAGE: u32 = 500;

impl Handle<LintPolicy> for HostControl {
    async fn handle(&self, _: ApproverId, params: Lint) -> MethodResult<LintPolicy> {
        let wrong = self.parts.book.lint_rules(params.agent).await?;
        let fix = "Fix the file; postern status says when it is read again.";
        let whole = |agent, pattern: &str, message| LintFinding {
            rule: None,
            agent,
            effect: None,
            pattern: pattern.to_owned(),
            from: pattern.to_owned(),
            kind: FindingKind::Broken,
            message,
            fix: fix.to_owned(),
        };
        let managed =
            wrong.managed.map(|problem| whole(None, "managed", format!("Everything is denied: {problem}.")));
        let files = wrong.files.into_iter().map(|(agent, problem)| {
            whole(Some(agent), "permissions.jsonc", format!("Everything is denied: {problem}."))
        });
        let findings = managed.into_iter().chain(files).chain(wrong.rules.into_iter().map(finding)).collect();
        Ok(Linted { rules: u32::try_from(wrong.looked_at).unwrap_or(u32::MAX), findings })
    }
}

fn finding(linted: LintedRule) -> LintFinding {
    let LintedRule { rule, finding } = linted;
    let from = match rule.source {
        Source::File => format!("permissions.jsonc:{}", -rule.id),
        ref other => source_words(other),
    };
    LintFinding {
        rule: Some(rule.id),
        agent: rule.agent,
        effect: Some(rule.effect),
        pattern: postern_command::escape::visible_text(&pattern_text(&rule.pattern)),
        from,
        kind: finding.kind(),
        message: render::problem(&finding.problem),
        fix: render::suggest_fix(&finding.problem).to_owned(),
    }
}

impl Handle<ReplayPolicy> for HostControl {
    async fn handle(&self, _: ApproverId, params: Replay) -> MethodResult<ReplayPolicy> {
        let limit = check_limit(params.limit, PAGE)?;
        let filter = Filter {
            agent: params.agent.clone(),
            since: params.since,
            before: params.before.as_deref().map(number).transpose()?,
            ..Filter::default()
        };
        let edited = self.edited(params).await?;
        let replayed = self.parts.book.replay(filter, edited, limit).await?;
        Ok(Replayed {
            judged: replayed.judged,
            skipped: replayed.skipped,
            changes: replayed.changes.into_iter().map(change).collect(),
            next: replayed.last.map(|id| id.to_string()),
        })
    }
}

impl HostControl {
    pub(crate) fn check_policy(&self, text: &str) -> Result<usize, String> {
        self.parts.book.check_managed(text)
    }

    /// Writes a fleet's policy where it is read from, and reads it.
    pub(crate) async fn adopt_policy(&self, text: Option<String>) -> Result<(), ControlError> {
        let path = ManagedPlace::fleet(&self.parts.book.places().data).path;
        let written = tokio::task::spawn_blocking(move || match text {
            Some(text) if std::fs::read(&path).is_ok_and(|there| there == text.as_bytes()) => Ok(()),
            Some(text) => {
                path.parent().map_or(Ok(()), make_private).and_then(|()| write_whole(&path, text.as_bytes()))
            }
            None => match std::fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
                Ok(()) | Err(_) => Ok(()),
            },
        });
        let interrupted = |error: tokio::task::JoinError| std::io::Error::other(error);
        written.await.map_err(interrupted).and_then(|written| written).map_err(ControlError::internal)?;
        self.parts.book.reread_managed().await?;
        // The watch of its folder may have read it first.
        self.rules_changed(None).await
    }

    /// Returns the policy that the requests are judged by. What cannot be read is refused as it would be when
    /// it is saved.
    async fn edited(&self, params: Replay) -> Result<PolicyEdit, ControlError> {
        let file = match (&params.permissions, &params.agent) {
            (None, _) => None,
            (Some(_), None) => {
                return Err(ControlError::invalid("permissions.jsonc belongs to one agent: say which"));
            }
            (Some(text), Some(_)) => Some(
                FileLayer::parse(text, &self.parts.book.places().home)
                    .map_err(|error| ControlError::invalid(format!("permissions.jsonc, {error}")))?,
            ),
        };
        let mut drafts = match &params.rules {
            None => None,
            Some(file) => Some(rules::drafts(file)?),
        };
        if let Some(batch) = &params.batch {
            // It stays: the next page is judged by it too.
            drafts.get_or_insert_default().extend(self.staged.peek_batch(batch)?);
        }
        let rules = match drafts {
            None => None,
            Some(drafts) => Some(self.all_or_named(drafts).await?),
        };
        let settings = params.settings.unwrap_or_default();
        Ok(if params.besides {
            PolicyEdit { and: rules, settings, file, rules: None }
        } else {
            PolicyEdit { rules, settings, file, and: None }
        })
    }

    async fn all_or_named(
        &self,
        drafts: Vec<postern_contract::RuleDraft>,
    ) -> Result<Vec<postern_policy::Rule>, ControlError> {
        let texts: Vec<String> = drafts.iter().map(|draft| draft.text.clone()).collect();
        let read = self.parts.book.rules_of(drafts, Source::Import).await?;
        let named = |(text, rule): (&String, Result<postern_policy::Rule, _>)| {
            rule.map_err(|error| ControlError::refused(format!("{text:?}: {error}")))
        };
        texts.iter().zip(read).map(named).collect()
    }
}

fn change(change: ReplayedChange) -> ReplayChange {
    let ReplayedChange { request, was, becomes } = change;
    ReplayChange {
        request: request.id.to_string(),
        at: request.received_at,
        agent: request.agent,
        line: without_secrets(&request.line),
        was,
        becomes: becomes.decision,
        reason: becomes.reason,
        message: postern_contract::pieces_to_text(&render::cause_sentence(&becomes.cause)),
        rule: becomes.rule,
    }
}
