//! `postern skills …`

use crate::args::Skills;
use crate::failure::Failure;
use crate::link::Link;
use crate::print;
use postern_command::escape::text as escaped;
use postern_contract::methods::{
    self, AddSkillFolder, ApproveSkill, ListSkills, Nothing, RemoveSkillFolder, SkillApprove, SkillFolder,
};
use std::path::Path;

pub(crate) fn run(link: &mut Link, command: Skills) -> Result<(), Failure> {
    match command {
        Skills::List(json) => {
            let skills = link.call::<ListSkills>(&Nothing {})?;
            if json.json { print::json(&skills) } else { list(&skills) }
        }
        Skills::AddFolder { folder } => list(&link.call::<AddSkillFolder>(&named(&folder)?)?),
        Skills::RemoveFolder { folder } => list(&link.call::<RemoveSkillFolder>(&named(&folder)?)?),
        Skills::Approve { skill, cli } => list(&link.call::<ApproveSkill>(&SkillApprove { skill, cli })?),
    }
}

fn named(folder: &Path) -> Result<SkillFolder, Failure> {
    let folder = if folder.starts_with("~") {
        folder.to_owned()
    } else {
        std::path::absolute(folder).map_err(Failure::own)?
    };
    match folder.to_str() {
        Some(folder) => Ok(SkillFolder { folder: folder.to_owned() }),
        None => Err(Failure::usage("the folder's name is not UTF-8")),
    }
}

fn list(skills: &methods::Skills) -> Result<(), Failure> {
    for folder in &skills.folders {
        print::line(format!("watching {}", escaped(folder)))?;
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
        problem.chain(clis).collect::<Vec<_>>()
    });
    print::table(
        ["SKILL", "CLI", "STATE", "VERSION", "PATH"],
        rows.collect(),
        "no skills: postern skills add-folder DIR",
    )
}
