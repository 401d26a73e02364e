//! `postern doctor --repair`: puts the copy of agents, rules, settings and audit in the place of a lost record.

use crate::failure::Failure;
use crate::print;
use crate::typed::require_yes;
use postern_command::escape;
use postern_host::{Lost, NoRepair, plan_repair};
use std::path::Path;

pub(crate) fn run(data: &Path, yes: bool) -> Result<(), Failure> {
    let repair = plan_repair(data).map_err(|why| match why {
        NoRepair::Sound | NoRepair::Restored => Failure::negative(why.to_string()),
        NoRepair::Runs(_) | NoRepair::Foreign(_) | NoRepair::NoCopy => Failure::refused(why.to_string()),
        NoRepair::BadCopy(_) | NoRepair::Folder { .. } => Failure::from_error(why),
    })?;
    let copy = &repair.spare;
    print::say!("the copy was written at {}", print::format_time(copy.made))?;
    let agents: Vec<String> = copy.agents.iter().map(|agent| escape::visible_text(agent)).collect();
    let agents =
        if agents.is_empty() { "no agents".to_owned() } else { format!("agents {}", agents.join(", ")) };
    let rules = print::counted(copy.rules, "rule", "rules");
    print::say!("restored  {agents}; {rules}; settings, skills and audit")?;
    print::write_line(
        "lost      the history and the output of runs; requests that ran before can be asked for again",
    )?;
    print_lost_changes(&repair.lost)?;
    print::write_line("then      everything stays denied until you look at it and type: postern resume")?;
    let otherwise = "add --yes to restore it without being asked";
    require_yes(yes, "Restore it? [y/N]", otherwise, "nothing was changed")?;
    let aside = repair.restore().map_err(Failure::from_error)?;
    if let Some(aside) = aside {
        print::say!("restored; the lost record is kept as {}", aside.display())?;
    } else {
        print::write_line("restored")?;
    }
    print::write_line(
        "Start Postern, look at postern agents list and postern rules list, then: postern resume",
    )
}

/// Says what was changed after the copy: a right that was taken away meanwhile is there again.
fn print_lost_changes(lost: &Lost) -> Result<(), Failure> {
    const AGAIN: &str = "a right that one of them removed is there again";
    match lost.changes {
        Some(0) => print::write_line("changes   none were made after the copy")?,
        Some(many) => {
            let changes = print::counted(many, "change was", "changes were");
            print::say!("changes   {changes} made after the copy and will be lost: {AGAIN}")?;
        }
        None => {
            print::say!("changes   it is not known whether some were made after the copy: {AGAIN}")?;
        }
    }
    for change in &lost.named {
        let effect = if change.widens { "allowed more" } else { "allowed less, or the same" };
        let what = format!("{} {}", escape::visible_text(&change.subject), escape::visible_text(&change.key));
        print::say!("          {}  {what} ({effect})", print::format_time(change.at))?;
    }
    Ok(())
}
