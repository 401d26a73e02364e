//! `skills.*`.

use super::{Handle, HostControl, MethodResult, rows};
use crate::ask::ApproverId;
use crate::gate::shown_path;
use postern_contract::ApproverNotification;
use postern_contract::methods::{
    AddSkillFolder, ApproveSkill, ControlError, ListSkills, Nothing, RemoveSkillFolder, SkillApprove,
    SkillFolder, Skills,
};

impl HostControl {
    async fn skills(&self) -> Result<Skills, ControlError> {
        let folders = self.parts.book.skill_folders().await?;
        let snapshot = self.parts.book.snapshot();
        let home = &self.parts.book.places().home;
        let places = folders.iter().map(|folder| shown_path(folder, home)).collect();
        let skills = snapshot.skills.iter().map(|skill| rows::skill_row(skill, home)).collect();
        Ok(Skills { folders, places, skills })
    }

    /// Skills are others now, and so may their rules be.
    pub(crate) async fn skills_changed(&self) -> Result<(), ControlError> {
        self.notify_approvers(ApproverNotification::SkillsChanged);
        self.rules_changed(None).await
    }
}

impl Handle<ListSkills> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<ListSkills> {
        // A CLI may have been replaced since the folders were last looked through.
        if self.parts.book.find_skills().await? {
            self.skills_changed().await?;
        }
        self.skills().await
    }
}

impl Handle<AddSkillFolder> for HostControl {
    async fn handle(&self, _: ApproverId, params: SkillFolder) -> MethodResult<AddSkillFolder> {
        self.parts.book.add_skill_folder(&params.folder).await?;
        self.skills_changed().await?;
        self.skills().await
    }
}

impl Handle<RemoveSkillFolder> for HostControl {
    async fn handle(&self, _: ApproverId, params: SkillFolder) -> MethodResult<RemoveSkillFolder> {
        self.parts.book.remove_skill_folder(&params.folder).await?;
        self.skills_changed().await?;
        self.skills().await
    }
}

impl Handle<ApproveSkill> for HostControl {
    async fn handle(&self, _: ApproverId, params: SkillApprove) -> MethodResult<ApproveSkill> {
        self.parts.book.approve_skill(&params.skill, params.cli.as_deref()).await?;
        self.skills_changed().await?;
        self.skills().await
    }
}
