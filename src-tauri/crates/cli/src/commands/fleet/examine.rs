//! The fleet's broker in `postern doctor`: what is wrong with it, and what to do.

use crate::commands::finding::DoctorFinding;
use postern_command::escape::visible_text as escaped;
use postern_contract::THIS_COMPUTER;
use postern_doors::fleet::{BrokerFact, FleetError, Folder, examine_broker};
use std::path::Path;
use std::time::Duration;

/// Examines the broker; nothing where this Mac is in no fleet.
pub(crate) fn examine(data: &Path) -> Vec<DoctorFinding> {
    let folder = Folder::from_data_folder(data);
    if matches!(folder.membership(), Err(FleetError::NoFleet)) {
        return Vec::new();
    }
    match super::connected(examine_broker(&folder)) {
        Ok(facts) => facts.iter().map(finding).collect(),
        Err(failure) => vec![DoctorFinding::problem(
            format!("the fleet on {THIS_COMPUTER} cannot be read: {}", failure.message),
            "correct that; if its files are lost, leave it and join again: postern fleet leave",
        )],
    }
}

fn finding(fact: &BrokerFact) -> DoctorFinding {
    match fact {
        BrokerFact::Reached { server, version } => DoctorFinding::healthy(format!(
            "the fleet's broker {} answers (nats-server {})",
            escaped(server),
            escaped(version)
        )),
        BrokerFact::Unreachable { server, problem } => DoctorFinding::problem(
            format!("the fleet's broker {}: {}", escaped(server), escaped(problem)),
            format!("start nats-server there; everything on {THIS_COMPUTER} works without it"),
        ),
        BrokerFact::TooOld(version) => DoctorFinding::problem(
            format!("nats-server {} lacks what a fleet uses: direct reads of streams", escaped(version)),
            "install nats-server 2.9 or newer where the broker is",
        ),
        BrokerFact::NotDurable(version) => DoctorFinding::healthy(format!(
            "nats-server {} writes to its disk within two minutes; 2.10 and newer can at once, which a power cut there needs",
            escaped(version)
        )),
        BrokerFact::OtherAccounts(version) => DoctorFinding::problem(
            format!(
                "in nats-server {} users of other accounts can delete this fleet's streams (CVE-2025-30215)",
                escaped(version)
            ),
            "ask its administrator for nats-server 2.10.27, 2.11.1 or newer",
        ),
        BrokerFact::SmallMessages(most) => DoctorFinding::problem(
            format!("the fleet's broker takes messages of at most {most} bytes"),
            "set max_payload to 1MB there: large policies and rosters do not arrive",
        ),
        BrokerFact::Clock(ahead) => {
            let by = humantime::format_duration(Duration::from_secs(ahead.unsigned_abs() / 1000));
            let which = if *ahead > 0 { "ahead of" } else { "behind" };
            DoctorFinding::problem(
                format!("the clock of the fleet's broker is {by} {which} {THIS_COMPUTER}'s"),
                "compare both clocks: word that the roster is current may not count",
            )
        }
        BrokerFact::Forbidden(what) => DoctorFinding::problem(
            format!("the fleet's broker refuses a member of {THIS_COMPUTER}: {}", escaped(what)),
            "on the broker's computer, restart nats-server; of an existing NATS: postern fleet nats-setup",
        ),
    }
}
