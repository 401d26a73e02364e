//! `skills.*`.

use super::{Answer, Control, Handle, rows};
use crate::ask::FaceId;
use postern_contract::Told;
use postern_contract::methods::{
    AddSkillFolder, ApproveSkill, ControlError, ListSkills, Nothing, RemoveSkillFolder, SkillApprove,
    SkillFolder, Skills,
};

impl Control {
    async fn skills(&self) -> Result<Skills, ControlError> {
        let folders = self.parts.book.skill_folders().await?;
        let snapshot = self.parts.book.snapshot();
        Ok(Skills { folders, skills: snapshot.skills.iter().map(rows::skill).collect() })
    }

    /// Skills are others now, and so may their rules be.
    pub(crate) async fn skills_changed(&self) -> Result<(), ControlError> {
        self.tell(Told::SkillsChanged);
        self.rules_changed(None).await
    }
}

impl Handle<ListSkills> for Control {
    async fn handle(&self, _: FaceId, _: Nothing) -> Answer<ListSkills> {
        // A CLI may have been replaced since the folders were last looked through.
        if self.parts.book.find_skills().await? {
            self.skills_changed().await?;
        }
        self.skills().await
    }
}

impl Handle<AddSkillFolder> for Control {
    async fn handle(&self, _: FaceId, params: SkillFolder) -> Answer<AddSkillFolder> {
        self.parts.book.add_skill_folder(&params.folder).await?;
        self.skills_changed().await?;
        self.skills().await
    }
}

impl Handle<RemoveSkillFolder> for Control {
    async fn handle(&self, _: FaceId, params: SkillFolder) -> Answer<RemoveSkillFolder> {
        self.parts.book.remove_skill_folder(&params.folder).await?;
        self.skills_changed().await?;
        self.skills().await
    }
}

impl Handle<ApproveSkill> for Control {
    async fn handle(&self, _: FaceId, params: SkillApprove) -> Answer<ApproveSkill> {
        self.parts.book.approve_skill(&params.skill, params.cli.as_deref()).await?;
        self.skills_changed().await?;
        self.skills().await
    }
}
