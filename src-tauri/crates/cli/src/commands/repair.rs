//! `postern doctor --repair`: puts the copy of agents, rules, settings and audit in the place of a lost record.

use crate::failure::Failure;
use crate::print;
use crate::typed::{is_yes, typed};
use postern_command::escape;
use postern_host::{Lost, NoRepair, plan_repair};
use std::path::Path;

pub(crate) fn run(data: &Path, yes: bool) -> Result<(), Failure> {
    let repair = plan_repair(data).map_err(|why| match why {
        NoRepair::Sound | NoRepair::Restored => Failure::no(why.to_string()),
        NoRepair::Runs(_) | NoRepair::Foreign(_) | NoRepair::NoCopy => Failure::refused(why.to_string()),
        NoRepair::BadCopy(_) | NoRepair::Folder { .. } => Failure::own(why),
    })?;
    let copy = &repair.spare;
    print::line(format!("the copy was written at {}", print::time(copy.made)))?;
    let agents: Vec<String> = copy.agents.iter().map(|agent| escape::text(agent)).collect();
    let agents =
        if agents.is_empty() { "no agents".to_owned() } else { format!("agents {}", agents.join(", ")) };
    let rules = if copy.rules == 1 { "1 rule".to_owned() } else { format!("{} rules", copy.rules) };
    print::line(format!("restored  {agents}; {rules}; settings, skills and audit"))?;
    print::line(
        "lost      the history and the output of runs; requests that ran before can be asked for again",
    )?;
    lacks(&repair.lost)?;
    print::line("then      everything stays denied until you look at it and type: postern resume")?;
    let asked = || typed("Restore it? [y/N]", "say --yes to restore it without being asked");
    if !yes && !is_yes(&asked()?) {
        return Err(Failure::no("nothing was changed"));
    }
    let aside = repair.restore().map_err(Failure::own)?;
    if let Some(aside) = aside {
        print::line(format!("restored; the lost record is kept as {}", aside.display()))?;
    } else {
        print::line("restored")?;
    }
    print::line("Start Postern, look at postern agents list and postern rules list, then: postern resume")
}

/// Says what was changed after the copy: a right that was taken away meanwhile is there again.
fn lacks(lost: &Lost) -> Result<(), Failure> {
    const AGAIN: &str = "a right that was taken away by one of them is there again";
    match lost.changes {
        Some(0) => print::line("changes   none were made after the copy")?,
        Some(many) => {
            let changes = if many == 1 { "1 change was".to_owned() } else { format!("{many} changes were") };
            print::line(format!("changes   {changes} made after the copy and will be lost: {AGAIN}"))?;
        }
        None => {
            print::line(format!("changes   it is not known whether some were made after the copy: {AGAIN}"))?;
        }
    }
    for change in &lost.named {
        let effect = if change.widens { "allowed more" } else { "allowed less, or the same" };
        let what = format!("{} {}", escape::text(&change.subject), escape::text(&change.key));
        print::line(format!("          {}  {what} ({effect})", print::time(change.at)))?;
    }
    Ok(())
}
