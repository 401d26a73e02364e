//! `postern skills …`

use super::agents::absolute;
use crate::args::SkillsCommand;
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use postern_command::escape::visible_text as escaped;
use postern_contract::methods::{
    self, AddSkillFolder, ApproveSkill, ListSkills, Nothing, RemoveSkillFolder, SkillApprove, SkillFolder,
};

pub(crate) fn run(link: &mut HostLink, command: SkillsCommand) -> Result<(), Failure> {
    match command {
        SkillsCommand::List(json) => {
            let skills = link.call_method::<ListSkills>(&Nothing {})?;
            if json.json { print::write_json(&skills) } else { list_skills(&skills) }
        }
        SkillsCommand::AddFolder { folder } => {
            let folder = SkillFolder { folder: absolute(&folder)? };
            list_skills(&link.call_method::<AddSkillFolder>(&folder)?)
        }
        SkillsCommand::RemoveFolder { folder } => {
            let folder = SkillFolder { folder: absolute(&folder)? };
            list_skills(&link.call_method::<RemoveSkillFolder>(&folder)?)
        }
        SkillsCommand::Approve { skill, cli } => {
            list_skills(&link.call_method::<ApproveSkill>(&SkillApprove { skill, cli })?)
        }
    }
}

fn list_skills(skills: &methods::Skills) -> Result<(), Failure> {
    for folder in &skills.folders {
        print::say!("watching {}", escaped(folder))?;
    }
    let rows = skills.skills.iter().flat_map(|skill| {
        let problem = skill.problem.iter().map(|problem| {
            [escaped(&skill.name), String::new(), "broken".to_owned(), String::new(), problem.clone()]
        });
        let clis = skill.clis.iter().map(|cli| {
            [
                escaped(&skill.name),
                escaped(&cli.name),
                cli.state.name().to_owned(),
                cli.version.clone().or_else(|| cli.short_hash.clone()).unwrap_or_default(),
                cli.path.as_deref().map(escaped).unwrap_or_default(),
            ]
        });
        let nothing = (skill.problem.is_none() && skill.clis.is_empty()).then(|| {
            [escaped(&skill.name), "–".to_owned(), "no CLI".to_owned(), String::new(), String::new()]
        });
        problem.chain(clis).chain(nothing).collect::<Vec<_>>()
    });
    print::write_table(
        ["SKILL", "CLI", "STATE", "VERSION", "PATH"],
        rows.collect(),
        if skills.folders.is_empty() {
            "no skills: postern skills add-folder DIR"
        } else {
            "no skills in them: a skill is a folder with a SKILL.md"
        },
    )
}
