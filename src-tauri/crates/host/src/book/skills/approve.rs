//! Approving a skill's CLIs: a rule for each, bound to what the program is.

use super::super::{Book, BookError, now};
use postern_policy::{Effect, Identity, Lookup, Pattern, Pin, Rule, RuleId, Source, check_rule};
use postern_store::Connection;
use postern_store::skills::{self, Cli, Skill};

/// A CLI with what it is to be approved as.
struct Approval {
    folder: String,
    cli: String,
    identity: Identity,
    known: Option<RuleId>,
    rule: Rule,
}

impl Book {
    /// Approves the CLIs of a skill as they are now: all that were found, or one.
    pub(crate) async fn approve_skill(&self, name: &str, cli: Option<&str>) -> Result<(), BookError> {
        let snapshot = self.snapshot();
        let skill = snapshot.skills.iter().find(|skill| skill.name == name);
        let skill = skill.ok_or_else(|| BookError::NoSkill(name.to_owned()))?.clone();
        let wanted: Vec<Cli> =
            skill.clis.iter().filter(|own| cli.is_none_or(|cli| cli == own.name)).cloned().collect();
        if wanted.iter().all(|cli| cli.path.is_none()) {
            let cli = cli.unwrap_or("any").to_owned();
            return Err(BookError::NoCli { skill: name.to_owned(), cli });
        }
        let approvals = self
            .blocking(move |book| {
                wanted
                    .iter()
                    .filter_map(|cli| book.as_it_is(&skill, cli).transpose())
                    .collect::<Result<Vec<_>, _>>()
            })
            .await?;
        self.approve(approvals).await
    }

    /// A person allowed a request that runs these programs: where one is a skill's CLI, what was shown is what is
    /// approved from now on.
    pub(crate) async fn approve_used(&self, used: &[(String, Identity)]) -> Result<(), BookError> {
        let snapshot = self.snapshot();
        let mut approvals = Vec::new();
        for skill in snapshot.skills.iter() {
            for cli in &skill.clis {
                let Some((path, identity)) = used.iter().find(|(path, _)| Some(path) == cli.path.as_ref())
                else {
                    continue;
                };
                approvals.extend(self.approval(skill, cli, path, identity).ok());
            }
        }
        if approvals.is_empty() { Ok(()) } else { self.approve(approvals).await }
    }

    fn as_it_is(&self, skill: &Skill, cli: &Cli) -> Result<Option<Approval>, BookError> {
        let Some(path) = &cli.path else { return Ok(None) };
        match self.resolver().identify(path) {
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
        cli: &Cli,
        path: &str,
        identity: &Identity,
    ) -> Result<Approval, BookError> {
        let rule = Rule {
            pin: Some(Box::new(Pin { program: identity.clone(), script: None })),
            source: Source::Skill(skill.name.clone()),
            created_at: now(),
            ..Rule::new(Effect::Allow, Pattern::Path(globset::escape(path)))
        };
        check_rule(&rule, &self.places().home)?;
        let (folder, cli_name) = (skill.folder.clone(), cli.name.clone());
        Ok(Approval { folder, cli: cli_name, identity: identity.clone(), known: cli.rule, rule })
    }

    async fn approve(&self, approvals: Vec<Approval>) -> Result<(), BookError> {
        let _one = self.change().await;
        self.store()
            .write_durable(move |conn| approvals.iter().try_for_each(|approval| save(conn, approval)))
            .await?;
        self.look_through().await?;
        self.skills_approved().await
    }
}

fn save(conn: &Connection, approval: &Approval) -> Result<(), postern_store::Error> {
    let rule = match approval.known {
        Some(id) => {
            postern_store::rules::save(conn, &Rule { id, ..approval.rule.clone() })?;
            id
        }
        None => postern_store::rules::add(conn, &approval.rule)?,
    };
    skills::approve(conn, &approval.folder, &approval.cli, (&approval.identity, Some(rule)), now())
}
