//! `postern fleet …`

mod audit;
mod elsewhere;
mod examine;
mod members;
mod policy;
mod reading;
mod sign;

pub(crate) use elsewhere::{approve, deny_question, names_of_hosts, questions};
pub(crate) use examine::examine;
pub(crate) use reading::read_hosts;

use crate::failure::Failure;
use crate::fleet_args::{
    Block, ConsentArgs, FleetAudit, FleetCommand, FleetStartArgs, Invite, Join, Members, MembersCommand,
    PolicyName, RiskName,
};
use crate::link::HostLink;
use crate::print;
use crate::typed::{require_yes, text_of};
use postern_command::escape::visible_text as escaped;
use postern_contract::THIS_COMPUTER;
use postern_contract::methods::{
    DisableDoor, DoorEnable, DoorKind, DoorRef, EnableDoor, FleetDetail, FleetWorkCounts, GetFleet,
    LeaveFleet, Nothing,
};
use postern_doors::fleet::{
    ApproverLimits, BrokerChoice, FleetError, FleetId, FleetRisk, FleetSetup, Folder, HostConsent, HostReply,
    Invitation, InvitationCode, Joined, Joining, Member, MemberRole, NewFleetChoices, PolicyScope, Reported,
    SignaturesNeeded, Work, block_hosts, has_joined, invite_device, revoke_member,
};
use postern_exec::threads::start_runtime;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::Path;
use tokio_util::sync::CancellationToken;

pub(crate) fn run(
    data: &Path,
    home: &Path,
    path: Option<&str>,
    link: impl Fn() -> Result<HostLink, Failure>,
    command: FleetCommand,
) -> Result<(), Failure> {
    let folder = Folder::from_data_folder(data);
    match command {
        FleetCommand::Start(command) => start_fleet(&folder, home, path, link, &command),
        FleetCommand::Invite(command) => invite(&folder, &command),
        FleetCommand::Join(command) => join_fleet(&folder, link, &command),
        FleetCommand::NatsSetup => {
            let text = postern_doors::fleet::account_setup(&folder)?;
            print::write_text(&text)
        }
        FleetCommand::Members(Members { command: Some(MembersCommand::Set(command)), .. }) => {
            members::set_member(&folder, &command)
        }
        FleetCommand::Members(Members { json, .. }) => members::list_members(&folder, json.json),
        FleetCommand::Signatures(command) => sign::signatures(&folder, &command),
        FleetCommand::Sign(command) => sign::sign_change(&folder, &command),
        FleetCommand::Groups(json) => members::list_groups(&folder, json.json),
        FleetCommand::Revoke { member } => revoke(&folder, &member),
        FleetCommand::Leave { yes } => leave_fleet(&folder, link, yes),
        FleetCommand::Block(command) => block_agents(&folder, &command),
        FleetCommand::Audit { command: FleetAudit::Verify { host, json } } => {
            audit::verify(&folder, link, host.as_deref(), json.json)
        }
        FleetCommand::Audit { command: FleetAudit::Read { host, json } } => {
            audit::read(&folder, host.as_deref(), json.json)
        }
        FleetCommand::Policy(command) => policy::run(&folder, home, command),
        FleetCommand::Status(json) => status(&folder, link, json.json),
    }
}

/// Runs what speaks to the broker.
fn connected<T>(work: impl Future<Output = Result<T, FleetError>>) -> Result<T, Failure> {
    let runtime = start_runtime("broker", 2, 1).map_err(Failure::from_error)?;
    let done = runtime.block_on(work).map_err(Failure::from);
    runtime.shutdown_background();
    done
}

/// Runs what speaks to the broker and needs signatures. `None` if others have to sign, which is printed.
fn signed<T>(work: impl Future<Output = Result<T, FleetError>>) -> Result<Option<T>, Failure> {
    let work = async {
        match work.await {
            Err(FleetError::Proposed(needed)) => Ok(Err(needed)),
            other => other.map(Ok),
        }
    };
    match connected(work)? {
        Ok(done) => Ok(Some(done)),
        Err(needed) => {
            print::say!("Proposed: {}", escaped(&needed.to_string()))?;
            Ok(None)
        }
    }
}

impl From<FleetError> for Failure {
    fn from(error: FleetError) -> Self {
        let words = escaped(&error.to_string());
        match error {
            FleetError::Own(_) => Self::from_error(words),
            _ => Self::refused(words),
        }
    }
}

fn parse_id(text: &str) -> Result<FleetId, Failure> {
    text.parse().map_err(|error| Failure::usage_error(format!("{}: {error}", escaped(text))))
}

fn fleet_risk(name: RiskName) -> FleetRisk {
    match name {
        RiskName::Safe => FleetRisk::Safe,
        RiskName::NeedsReview => FleetRisk::NeedsReview,
        RiskName::Dangerous => FleetRisk::Dangerous,
    }
}

fn start_fleet(
    folder: &Folder,
    home: &Path,
    path: Option<&str>,
    link: impl Fn() -> Result<HostLink, Failure>,
    command: &FleetStartArgs,
) -> Result<(), Failure> {
    let mut link = link()?;
    if command.server.is_none()
        && let Err(error) = TcpListener::bind(command.listen)
        && error.kind() == ErrorKind::AddrInUse
    {
        let listen = command.listen;
        return Err(Failure::refused(format!("{listen} is in use: choose another address with --listen")));
    }
    let wanted = NewFleetChoices {
        broker: broker_choice(command)?,
        name: command.name.clone(),
        person: command.person.clone(),
        group: parse_id(&command.group)?,
        consent: host_consent(&command.consent),
    };
    let setup = FleetSetup::prepare(folder, (home, path), &wanted)?;
    let files = setup.shown_files();
    for (path, text) in &files {
        print::say!("{}:", path.display())?;
        print::write_line("")?;
        print::write_text(text)?;
        print::write_line("")?;
    }
    let own = !files.is_empty();
    if own && command.listen.ip().is_loopback() {
        print::say!(
            "The broker listens on {THIS_COMPUTER} alone. For other computers: --listen ADDRESS:PORT."
        )?;
    }
    let otherwise = "add --yes to write them without asking";
    require_yes(!own || command.yes, "Write these files? Type yes:", otherwise, "nothing was written")?;
    connected(setup.write_files())?;
    match (setup.broker_start(), files.first()) {
        (Some(start), _) => print::say!("Start the broker: {start}")?,
        (None, Some((configuration, _))) => print::say!(
            "nats-server was not found. Install it (brew install nats-server, apt install nats-server), then: nats-server -c '{}'. Or leave the fleet, and start it with --container",
            configuration.display()
        )?,
        (None, None) => {
            print::write_line("What its administrator may set up further: postern fleet nats-setup")?;
        }
    }
    enable_door(&mut link)?;
    print::write_line("Then invite another computer: postern fleet invite NAME --person PERSON")
}

/// Reads what was said of the broker: where one that others run is, or where an own one listens.
fn broker_choice(command: &FleetStartArgs) -> Result<BrokerChoice, Failure> {
    let (Some(server), Some(credentials)) = (&command.server, &command.credentials) else {
        let FleetStartArgs { listen, before_2_10, container: in_container, .. } = *command;
        return Ok(BrokerChoice::Own { listen, before_2_10, in_container });
    };
    let certificate = command.certificate.as_deref().map(text_of).transpose()?;
    BrokerChoice::existing(server.clone(), certificate, text_of(credentials)?)
        .map_err(|error| Failure::usage_error(error.to_string()))
}

fn enable_door(link: &mut HostLink) -> Result<(), Failure> {
    link.call_method::<EnableDoor>(&DoorEnable { door: DoorKind::Fleet, values: BTreeMap::new() }).map(drop)
}

fn invite(folder: &Folder, command: &Invite) -> Result<(), Failure> {
    let groups = command.groups.iter().map(|group| parse_id(group)).collect::<Result<Vec<_>, _>>()?;
    let risk = fleet_risk(command.risk);
    let limits = ApproverLimits { groups: groups.clone(), risk, once_only: command.once_only };
    let approver = (!command.auditor).then_some(limits);
    let name = command.name.clone();
    let person = command.person.clone().unwrap_or_else(|| name.clone());
    let invitation =
        Invitation { name, person, groups, approver, publisher: command.publisher, auditor: command.auditor };
    let mut refused = None;
    let mut unprinted = None;
    let show_code = |code| {
        let said = print::say!("On {}: postern fleet join {code}", escaped(&invitation.name))
            .and_then(|()| print::write_line("The code works once, for ten minutes. Waiting …"));
        unprinted = said.err();
        unprinted.is_none()
    };
    let compare = |joined| {
        let same = are_same(&joined);
        refused = same.err();
        std::future::ready(refused.is_none())
    };
    let mut untold = None;
    let tell = |needed: &SignaturesNeeded| {
        let said = format!("Proposed: {}. Keep both computers waiting …", escaped(&needed.to_string()));
        untold = print::write_line(said).err();
    };
    let stop = CancellationToken::new();
    let done = connected(invite_device(folder, &invitation, &stop, (show_code, compare, tell)));
    match refused.or(unprinted).or(untold) {
        Some(failure) => Err(failure),
        None => done.map(drop),
    }
}

/// Asks whether the other screen shows these digits.
fn are_same(joined: &Joined) -> Result<(), Failure> {
    let kinds: Vec<_> = joined
        .members
        .iter()
        .map(|one| if one.host { "its questions" } else { "its person's answers" })
        .collect();
    print::write_text(&format!(
        "It joins with {}. Both screens must show these digits:\n\n    {}\n",
        kinds.join(" and "),
        joined.digits
    ))?;
    let otherwise = "no terminal to ask on: run this in a terminal";
    require_yes(false, "Does the other screen show them? Type yes:", otherwise, "nobody joined")
}

fn join_fleet(
    folder: &Folder,
    link: impl Fn() -> Result<HostLink, Failure>,
    command: &Join,
) -> Result<(), Failure> {
    let code =
        InvitationCode::parse(&command.code).map_err(|error| Failure::usage_error(error.to_string()))?;
    // Before anything else: what joins has to be able to open.
    let mut link = link()?;
    let hosts: &[bool] = match (command.host_only, command.approver_only) {
        (true, _) => &[true],
        (_, true) => &[false],
        (false, false) => &[false, true],
    };
    let credentials = command.credentials.as_deref().map(text_of).transpose()?;
    if connected(has_joined(folder, &code, credentials.as_deref()))? {
        enable_door(&mut link)?;
        return print::say!(
            "{THIS_COMPUTER} is a member of the fleet: the code isn't needed. postern fleet members"
        );
    }
    if folder.is_unconfirmed() {
        // What is connected writes what the next joining begins with.
        link.call_method::<DisableDoor>(&DoorRef { door: DoorKind::Fleet })?;
    }
    let mut unprinted = None;
    let (_, pinned) = connected(async {
        let joining = Joining::meet_owner(code, credentials, hosts).await?;
        let digits = format!(
            "Both screens must show these digits:\n\n    {}\n\nConfirm them on the owner's computer. Waiting …",
            joining.joined.digits
        );
        unprinted = print::write_text(&digits).err();
        joining.welcomed(folder, host_consent(&command.consent)).await
    })?;
    if let Some(failure) = unprinted {
        return Err(failure);
    }
    enable_door(&mut link)?;
    let members = pinned.roster.members.len();
    print::say!("Joined the fleet, which has {members} members: postern fleet members")?;
    if folder.is_unconfirmed() {
        print::write_line(UNCONFIRMED)?;
    }
    Ok(())
}

/// Remark on a joining that no owner's Mac confirmed.
const UNCONFIRMED: &str =
    "The owner's computer didn't confirm it. Not a member there? Join again with another code.";

fn revoke(folder: &Folder, member: &str) -> Result<(), Failure> {
    let Some((gone, policies)) = signed(revoke_member(folder, member))? else { return Ok(()) };
    if folder.has_credentials() {
        print::write_line("Its credentials still work at the broker: its administrator revokes them.")?;
    }
    print::say!(
        "{gone} revoked. A host that is not connected learns it when it is. It takes no answer once an owner's last word that its roster is current is too old."
    )?;
    for policy in policies {
        let group = policy.split('/').next().unwrap_or(&policy);
        print::say!(
            "Policy {policy} stays in force, though who signed it publishes no more: postern fleet policy publish FILE --group {group}"
        )?;
    }
    Ok(())
}

fn host_consent(args: &ConsentArgs) -> HostConsent {
    let policy = match args.policy {
        PolicyName::Deny => PolicyScope::Deny,
        PolicyName::Allow => PolicyScope::Allow,
    };
    HostConsent { policy, readable: args.readable, auditable: args.auditable }
}

/// Blocks the agents of hosts, or lets them work again, and prints what each host says.
fn block_agents(folder: &Folder, command: &Block) -> Result<(), Failure> {
    let minutes =
        |lasts: humantime::Duration| u32::try_from(lasts.as_secs().div_ceil(60)).unwrap_or(u32::MAX);
    let work = if command.end { Work::Resume } else { Work::Block { minutes: command.lasts.map(minutes) } };
    let replies = connected(block_hosts(folder, &command.host, &work))?;
    let mut failed = false;
    for (host, reply) in replies {
        failed |= reply != HostReply::Did(Reported::Done);
        let said = match reply {
            HostReply::Did(Reported::Done) if command.end => "agents work again".to_owned(),
            HostReply::Did(Reported::Done) => "all agents are blocked".to_owned(),
            HostReply::Did(Reported::Refused(why)) => format!("not applied: {}", escaped(&why)),
            HostReply::Offline => "offline: nothing was sent".to_owned(),
            HostReply::Did(_) | HostReply::Silent => "not confirmed. Sending it again is safe".to_owned(),
        };
        print::say!("{}: {said}", escaped(&host))?;
    }
    if failed { Err(Failure::negative("")) } else { Ok(()) }
}

fn leave_fleet(
    folder: &Folder,
    link: impl Fn() -> Result<HostLink, Failure>,
    yes: bool,
) -> Result<(), Failure> {
    let membership = folder.membership()?;
    let is_own = |member: &Member| membership.members.iter().any(|own| own.id == member.id);
    let has_others = folder
        .pinned()
        .is_ok_and(|pinned| pinned.roster.members_with(MemberRole::Owner).any(|owner| !is_own(owner)));
    let question = format!("Forget the fleet and its keys on {THIS_COMPUTER}? Type yes:");
    require_yes(yes, &question, "add --yes to leave without asking", "nothing changed")?;
    link()?.call_method::<LeaveFleet>(&Nothing {})?;
    let rest =
        if has_others { " An owner removes it from the roster: postern fleet revoke NAME" } else { "" };
    print::say!("Left the fleet.{rest}")
}

fn status(folder: &Folder, link: impl Fn() -> Result<HostLink, Failure>, json: bool) -> Result<(), Failure> {
    let signers = folder.pinned()?.roster;
    let fleet = link()?.call_method::<GetFleet>(&Nothing {})?.fleet;
    let fleet = fleet.ok_or(FleetError::NoFleet)?;
    let FleetDetail { id, server, connected, problem, roster, fresh_at, unconfirmed, members, work, .. } =
        fleet;
    if json {
        return print::write_json(&serde_json::json!({
            "fleet": id,
            "server": server,
            "roster": roster,
            "members": members.len(),
            "ownersNeeded": signers.owners_needed,
            "publishersNeeded": signers.publishers_needed,
            "connected": connected,
            "problem": problem,
            "freshAt": fresh_at,
            "unconfirmed": unconfirmed,
            "work": work,
            "hosts": members
                .iter()
                .filter_map(|host| Some(serde_json::json!({ "name": host.name, "state": host.state? })))
                .collect::<Vec<_>>(),
        }));
    }
    let state = match (connected, problem) {
        (_, Some(problem)) => problem,
        (true, None) => "connected".to_owned(),
        (false, None) => format!("{THIS_COMPUTER} asks nobody elsewhere"),
    };
    print::say!("fleet    {id}")?;
    print::say!("broker   {server}: {state}")?;
    print::say!("roster   version {roster}, {} members", members.len())?;
    let fresh = match fresh_at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok()) {
        Some(at) => format!("an owner said at {at:.0} that it is current"),
        None => "not confirmed by an owner yet, so answers from other computers don’t count".to_owned(),
    };
    print::say!("         {fresh}")?;
    print::say!("signed   by {}", members::needed_words(&signers))?;
    if unconfirmed {
        print::say!("joining  {UNCONFIRMED}")?;
    }
    let FleetWorkCounts { running, begun, refused } = work;
    if work != FleetWorkCounts::default() {
        print::say!(
            "work     for other members: {running} under way, {begun} begun in this minute, {refused} refused"
        )?;
    }
    members.iter().filter_map(|host| Some((host, host.state.filter(|state| state.blocked)?))).try_for_each(
        |(host, state)| {
            let until = state.until.and_then(|until| jiff::Timestamp::from_millisecond(until).ok());
            let until = until.map(|until| format!(" until {until:.0}")).unwrap_or_default();
            print::say!("blocked  {}: all agents{until}", host.name)
        },
    )
}
