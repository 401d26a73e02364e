//! Skills: the folders that the person named, what is in them, and one rule for each CLI that was approved.

mod approve;
mod discover;
mod front_matter;
mod reach;

use super::{FOLDERS_ANSWER, PolicyStore, PolicyStoreError, now_millis};
use discover::OnProblem;
use parking_lot::Mutex;
use postern_contract::CliState;
use postern_policy::Millis;
use postern_store::Connection;
use postern_store::skills::{self, Skill, StoredSkillCli};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Turns at the folders of skills: one look at a time, also where an earlier one still hangs.
#[derive(Debug)]
pub(super) struct SkillLooks {
    turn: Arc<Semaphore>,
    /// Time since which the folders do not answer; `None` if they do.
    late: Mutex<Option<Millis>>,
}

impl Default for SkillLooks {
    fn default() -> Self {
        Self { turn: Arc::new(Semaphore::new(1)), late: Mutex::default() }
    }
}

/// Watched folders, and the skills that were found in them.
type FoundSkills = (Vec<String>, Vec<(Skill, OnProblem)>);

pub(crate) fn state_of(cli: &StoredSkillCli) -> CliState {
    match (&cli.path, &cli.seen, &cli.approved) {
        _ if approve::is_refused(cli) => CliState::Refused,
        (None, _, _) | (_, None, _) => CliState::Missing,
        (Some(_), Some(_), None) => CliState::New,
        (Some(_), Some(seen), Some(approved)) => {
            let same =
                seen.sha256 == approved.sha256 && seen.version == approved.version && cli.rule.is_some();
            if same { CliState::Approved } else { CliState::Changed }
        }
    }
}

impl PolicyStore {
    pub(crate) async fn skill_folders(&self) -> Result<Vec<String>, PolicyStoreError> {
        self.blocking(|book| Ok(book.store().read(skills::folders)?)).await
    }

    pub(crate) async fn add_skill_folder(&self, folder: &str) -> Result<(), PolicyStoreError> {
        let path = self.skill_folder(folder);
        let exists = path.clone();
        self.in_time(FOLDERS_ANSWER, move |book| match std::fs::metadata(&exists) {
            Ok(found) if found.is_dir() => match book.in_reach_of_an_agent(&exists) {
                Some(problem) => Err(PolicyStoreError::Invalid(problem)),
                None => Ok(()),
            },
            Ok(_) => Err(PolicyStoreError::Invalid(format!("{} is not a folder", exists.display()))),
            Err(source) => Err(PolicyStoreError::File { path: exists, source }),
        })
        .await?;
        let text = path.to_string_lossy().into_owned();
        {
            let _one = self.change().await;
            self.store().write_durable(move |conn| skills::add_folder(conn, &text, now_millis())).await?;
        }
        self.inner.roots.notify_one();
        self.find_skills().await.map(drop)
    }

    /// Watches a folder of skills no more; the rules of its skills go.
    pub(crate) async fn remove_skill_folder(&self, folder: &str) -> Result<(), PolicyStoreError> {
        let text = self.skill_folder(folder).to_string_lossy().into_owned();
        {
            let _one = self.change().await;
            self.store().write_durable(move |conn| skills::remove_folder(conn, &text)).await?;
            // Also where the folder does not answer.
            let left = self.store().read(skills::folders)?;
            let stays = |skill: &&Skill| left.iter().any(|root| Path::new(&skill.folder).starts_with(root));
            let snapshot = self.snapshot();
            let kept = snapshot.skills.iter().filter(stays).cloned();
            self.take_over(kept.map(|skill| (skill, OnProblem::KeepApproved)).collect()).await?;
        }
        self.inner.roots.notify_one();
        self.find_skills().await.map(drop)
    }

    fn skill_folder(&self, folder: &str) -> PathBuf {
        let expanded = postern_policy::expand_home(folder.trim(), &self.places().home).into_owned();
        Path::new(&expanded).components().collect()
    }

    /// Looks through the folders again. Returns true if anything is different.
    ///
    /// Where a folder does not answer, what is known stays, and [`Self::skills_late`] says so. No change waits for it.
    pub(crate) async fn find_skills(&self) -> Result<bool, PolicyStoreError> {
        let looked = timeout(FOLDERS_ANSWER, self.discover_skills()).await;
        {
            let mut late = self.inner.looks.late.lock();
            *late = if looked.is_err() { late.or_else(|| Some(now_millis())) } else { None };
        }
        let Ok(found) = looked else { return Ok(false) };
        let (folders, found) = found?;
        let _one = self.change().await;
        // Another look follows where a folder was added or removed meanwhile.
        if self.store().read(skills::folders)? == folders { self.take_over(found).await } else { Ok(false) }
    }

    /// Returns the time since which the folders of skills do not answer; `None` if they do.
    pub(crate) fn skills_late(&self) -> Option<Millis> {
        *self.inner.looks.late.lock()
    }

    /// Takes over what the record says about skills: after an approval.
    pub(super) async fn skills_approved(&self) -> Result<(), PolicyStoreError> {
        let now = self.blocking(|book| Ok(book.store().read(skills::list_skills)?)).await?;
        self.swap_skills(now);
        self.reload(None).await
    }

    async fn discover_skills(&self) -> Result<FoundSkills, PolicyStoreError> {
        let turn = Arc::clone(&self.inner.looks.turn).acquire_owned().await;
        self.blocking(move |book| {
            let _turn = turn;
            let folders = book.store().read(skills::folders)?;
            let in_reach = |folder: &Path| book.in_reach_of_an_agent(folder);
            let found = discover::discover(&folders, book.resolver(), &book.places().home, in_reach);
            Ok((folders, found))
        })
        .await
    }

    /// Saves what was found, and puts it into force. Returns true if anything is different.
    ///
    /// The caller holds the write lock.
    async fn take_over(&self, found: Vec<(Skill, OnProblem)>) -> Result<bool, PolicyStoreError> {
        let before = Arc::clone(&self.snapshot().skills);
        if before.len() == found.len()
            && before.iter().zip(&found).all(|(known, (now, _))| is_as_found(known, now))
        {
            return Ok(false);
        }
        let (rules_went, now) = self.store().write(move |conn| save_skills(conn, &found)).await?;
        let differs = *before != now;
        if differs || rules_went {
            self.swap_skills(now);
            self.reload(None).await?;
        }
        Ok(differs || rules_went)
    }

    fn swap_skills(&self, skills: Vec<Skill>) {
        let skills = Arc::new(skills);
        self.inner.snapshot.rcu(|snapshot| super::Snapshot {
            skills: Arc::clone(&skills),
            ..super::Snapshot::clone(snapshot)
        });
    }
}

/// Returns true if a skill that is known is what was found: there is nothing to write.
fn is_as_found(known: &Skill, now: &Skill) -> bool {
    let same_cli = |known: &StoredSkillCli| {
        now.clis
            .iter()
            .any(|cli| (&cli.name, &cli.path, &cli.seen) == (&known.name, &known.path, &known.seen))
    };
    let same_clis =
        now.problem.is_some() || (known.clis.len() == now.clis.len() && known.clis.iter().all(same_cli));
    let of = |skill: &Skill| {
        (skill.folder.clone(), skill.name.clone(), skill.description.clone(), skill.problem.clone())
    };
    same_clis && of(known) == of(now)
}

/// Writes what was found. What was approved stays; rules of CLIs that no skill names any more go.
fn save_skills(
    conn: &Connection,
    found: &[(Skill, OnProblem)],
) -> Result<(bool, Vec<Skill>), postern_store::Error> {
    let before = skills::list_skills(conn)?;
    for (mut skill, on_problem) in found.iter().cloned() {
        // A SKILL.md that cannot be read at the moment takes nothing away: the person may be in the middle of a change.
        if let (OnProblem::KeepApproved, Some(_), Some(known)) =
            (on_problem, &skill.problem, before.iter().find(|known| known.folder == skill.folder))
        {
            skill.clis.clone_from(&known.clis);
        }
        skills::save_skill(conn, &skill)?;
    }
    let folders: BTreeSet<&str> = found.iter().map(|(skill, _)| skill.folder.as_str()).collect();
    for gone in before.iter().filter(|skill| !folders.contains(skill.folder.as_str())) {
        skills::remove(conn, &gone.folder)?;
    }
    let after = skills::list_skills(conn)?;
    let rules = |all: &[Skill]| -> BTreeSet<_> {
        all.iter().flat_map(|skill| skill.clis.iter().filter_map(|cli| cli.rule)).collect()
    };
    let kept = rules(&after);
    let orphans: Vec<_> = rules(&before).into_iter().filter(|rule| !kept.contains(rule)).collect();
    for rule in &orphans {
        match postern_store::rules::remove(conn, *rule) {
            Ok(()) | Err(postern_store::Error::Missing(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((!orphans.is_empty(), after))
}
