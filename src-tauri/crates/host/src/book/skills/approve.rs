//! Approving a skill's CLIs: a rule for each, bound to what the program is.

use super::super::{PolicyStore, PolicyStoreError, now_millis};
use postern_policy::{
    Effect, Identity, Lookup, Pattern, Pin, Rule, RuleId, RuleInput, Source, check_rule, may_serve_skill,
};
use postern_store::Connection;
use postern_store::skills::{self, Skill, StoredSkillCli};
use std::path::Path;

/// A CLI with what it is to be approved as.
struct SkillApproval {
    folder: String,
    cli: String,
    identity: Identity,
    known: Option<RuleId>,
    rule: Rule,
}

impl PolicyStore {
    /// Approves a skill's CLIs as they are now: all that skills may bring, or one. Only an explicit approval
    /// calls this, never an answer to a question.
    pub(crate) async fn approve_skill(&self, name: &str, cli: Option<&str>) -> Result<(), PolicyStoreError> {
        let snapshot = self.snapshot();
        let skill = snapshot.skills.iter().find(|skill| skill.name == name);
        let skill = skill.ok_or_else(|| PolicyStoreError::NoSkill(name.to_owned()))?.clone();
        let wanted: Vec<StoredSkillCli> =
            skill.clis.iter().filter(|own| cli.is_none_or(|cli| cli == own.name)).cloned().collect();
        if skill.clis.is_empty() {
            let message = format!("the skill {name:?} uses no CLI: there is nothing to approve");
            return Err(PolicyStoreError::Invalid(message));
        }
        if wanted.iter().all(|cli| cli.path.is_none()) {
            let cli = cli.unwrap_or("any").to_owned();
            return Err(PolicyStoreError::NoCli { skill: name.to_owned(), cli });
        }
        let refused: Vec<&str> = wanted.iter().filter(|cli| is_refused(cli)).map(|cli| &*cli.name).collect();
        if cli.is_some() && !refused.is_empty() || refused.len() == wanted.len() {
            return Err(PolicyStoreError::Invalid(refusal_message(&refused.join(", "))));
        }
        let approvals = self
            .blocking(move |book| {
                if let Some(problem) = book.in_reach_of_an_agent(Path::new(&skill.folder)) {
                    return Err(PolicyStoreError::Invalid(problem));
                }
                let allowed = wanted.iter().filter(|cli| !is_refused(cli));
                allowed
                    .filter_map(|cli| book.as_it_is(&skill, cli).transpose())
                    .collect::<Result<Vec<_>, _>>()
            })
            .await?;
        self.approve(approvals).await
    }

    fn as_it_is(
        &self,
        skill: &Skill,
        cli: &StoredSkillCli,
    ) -> Result<Option<SkillApproval>, PolicyStoreError> {
        let Some(path) = &cli.path else { return Ok(None) };
        match self.resolver().identify(path) {
            Lookup::Found(program) if !may_serve_skill(&program.real_path) => {
                Err(PolicyStoreError::Invalid(refusal_message(&program.real_path)))
            }
            Lookup::Found(program) => match &program.identity {
                Some(identity) => self.approval(skill, cli, path, identity).map(Some),
                None => Ok(None),
            },
            Lookup::NotFound | Lookup::Unusable { .. } | Lookup::Nothing => Ok(None),
        }
    }

    fn approval(
        &self,
        skill: &Skill,
        cli: &StoredSkillCli,
        path: &str,
        identity: &Identity,
    ) -> Result<SkillApproval, PolicyStoreError> {
        let rule = Rule {
            pin: Some(Box::new(Pin::new(identity.clone()))),
            // Such a rule allows any arguments and any input, so programs that run other code are approved for
            // no skill.
            input: RuleInput::Any,
            source: Source::Skill(skill.name.clone()),
            created_at: now_millis(),
            ..Rule::new(Effect::Allow, Pattern::Path(globset::escape(path)))
        };
        check_rule(&rule, &self.places().home)?;
        let (folder, cli_name) = (skill.folder.clone(), cli.name.clone());
        Ok(SkillApproval { folder, cli: cli_name, identity: identity.clone(), known: cli.rule, rule })
    }

    async fn approve(&self, approvals: Vec<SkillApproval>) -> Result<(), PolicyStoreError> {
        {
            let _one = self.change().await;
            self.store()
                .write_durable(move |conn| {
                    approvals.iter().try_for_each(|approval| save_approval(conn, approval))
                })
                .await?;
            self.skills_approved().await?;
        }
        self.find_skills().await.map(drop)
    }
}

/// Returns true if skills may not bring this CLI.
pub(super) fn is_refused(cli: &StoredSkillCli) -> bool {
    cli.path.iter().chain([&cli.name]).any(|name| !may_serve_skill(name))
}

fn refusal_message(what: &str) -> String {
    format!(
        "{what} is never approved for a skill, because it can start any program: allow what the skill needs by a rule \
         that names its arguments (postern rules allow)"
    )
}

fn save_approval(conn: &Connection, approval: &SkillApproval) -> Result<(), postern_store::Error> {
    let rule = match approval.known {
        Some(id) => {
            postern_store::rules::update_rule(conn, &Rule { id, ..approval.rule.clone() })?;
            id
        }
        None => postern_store::rules::insert_rule(conn, &approval.rule)?,
    };
    skills::approve(conn, &approval.folder, &approval.cli, (&approval.identity, Some(rule)), now_millis())
}
