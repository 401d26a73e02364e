//! The control methods `fleet.*`, for a host with doors.

use crate::door::Proposals;
use crate::doors::DoorRegistry;
use crate::fleet::{
    ApproverLimits, BrokerChoice, FleetError, FleetId, FleetSetup, Folder, HostConsent, HostReply,
    Invitation, InvitationCode, MemberRole, NewFleetChoices, PolicyScope, Reported, RightsChange, Work,
    block_hosts, broker_start, change_rights, fleet_risk, has_joined, read_detail, read_host, readable_hosts,
    revoke_member,
};
use async_trait::async_trait;
use postern_command::escape::visible_text;
use postern_contract::methods::{
    ChangeReplay, ControlError, DoorEnable, DoorKind, DoorState, FleetBlock, FleetBlockOutcome,
    FleetBlockReply, FleetBlocked, FleetBroker, FleetConsent, FleetDetail, FleetHosts, FleetInvite,
    FleetJoin, FleetMemberChange, FleetMemberRef, FleetOverview, FleetPair, FleetPlan, FleetPlanFile,
    FleetPlanRef, FleetRole, FleetStart, ProposedChangeRef,
};
use postern_host::doors::FleetMethods;
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

impl DoorRegistry {
    fn fleet_folder(&self) -> Folder {
        Folder::from_data_folder(self.host.data_folder())
    }

    /// Returns the home folder, and the folders where programs are looked for.
    fn places(&self) -> (&Path, Option<&str>) {
        let user = self.host.user();
        let path = user.inherited.iter().find(|(name, _)| name == "PATH");
        (Path::new(&user.home), path.map(|(_, path)| path.as_str()))
    }

    async fn fleet_overview(&self) -> Result<FleetOverview, ControlError> {
        let folder = self.fleet_folder();
        let fleet = match folder.membership() {
            Err(FleetError::NoFleet) => None,
            Err(error) => return Err(error.into()),
            Ok(_) => Some(self.fleet_detail(&folder).await?),
        };
        Ok(FleetOverview { fleet, pairing: self.desk.pairing() })
    }

    async fn fleet_detail(&self, folder: &Folder) -> Result<FleetDetail, ControlError> {
        let mut detail = read_detail(folder)?;
        let (row, contact_at, mut hosts) = self.row_with_contact(DoorKind::Fleet).await;
        let connected = row.state == DoorState::Open;
        let problem = row.problem.map(|problem| visible_text(&problem));
        let broker_start = broker_start(folder, self.places());
        for member in detail.members.iter_mut().filter(|member| !member.own) {
            member.state = hosts.remove(&member.id);
        }
        let proposals = self.proposals().await.map(|changes| changes.list_changes()).unwrap_or_default();
        let work = self.fleet_work().await;
        Ok(FleetDetail { connected, problem, contact_at, broker_start, proposals, work, ..detail })
    }

    /// Returns the fleet after something that further people may have to sign: what they have to is among the proposals.
    async fn proposed_or_done<T>(&self, done: Result<T, FleetError>) -> Result<FleetOverview, ControlError> {
        match done {
            Ok(_) | Err(FleetError::Proposed(_)) => {}
            Err(error) => return Err(error.into()),
        }
        if let Some(changes) = self.proposals().await
            && let Err(error) = changes.read_changes().await
        {
            // It is looked at again whenever something changes.
            tracing::warn!(%error, "changes of the fleet that wait for signatures could not be read");
        }
        self.fleet_overview().await
    }

    /// Returns the changes that wait, as they were shown.
    async fn shown_proposals(&self) -> Result<Arc<dyn Proposals>, ControlError> {
        self.proposals().await.ok_or_else(|| crate::doors::closed(DoorKind::Fleet))
    }

    async fn open_fleet(&self) -> Result<(), ControlError> {
        self.enable(DoorEnable { door: DoorKind::Fleet, values: BTreeMap::new() }).await.map(drop)
    }
}

#[async_trait]
impl FleetMethods for DoorRegistry {
    async fn list_hosts(&self) -> Result<FleetHosts, ControlError> {
        if !self.is_open(DoorKind::Fleet).await {
            return Ok(FleetHosts::default());
        }
        readable_hosts(self.host.data_folder())
    }

    async fn read_host(
        &self,
        host: String,
        method: &'static str,
        filter: Value,
    ) -> Result<Value, ControlError> {
        if !self.is_open(DoorKind::Fleet).await {
            return Err(crate::doors::closed(DoorKind::Fleet));
        }
        let _turn = self.reading.lock().await;
        read_host(self.host.data_folder(), &host, method, filter).await
    }

    async fn overview(&self) -> Result<FleetOverview, ControlError> {
        self.fleet_overview().await
    }

    async fn plan_fleet(&self, asked: FleetStart) -> Result<FleetPlan, ControlError> {
        let wanted = choices(asked)?;
        let only_here =
            matches!(&wanted.broker, BrokerChoice::Own { listen, .. } if listen.ip().is_loopback());
        let setup = FleetSetup::prepare(&self.fleet_folder(), self.places(), &wanted)?;
        let file = |(path, text): (std::path::PathBuf, &str)| FleetPlanFile {
            path: visible_text(&path.to_string_lossy()),
            text: text.to_owned(),
        };
        let id = uuid::Uuid::new_v4().to_string();
        let plan = FleetPlan {
            id: id.clone(),
            files: setup.shown_files().into_iter().map(file).collect(),
            broker_start: setup.broker_start().map(str::to_owned),
            only_here,
        };
        self.desk.keep_plan(id, setup);
        Ok(plan)
    }

    async fn start_fleet(&self, plan: FleetPlanRef) -> Result<FleetOverview, ControlError> {
        self.desk.take_plan(&plan.id)?.write_files().await?;
        self.open_fleet().await?;
        self.fleet_overview().await
    }

    async fn invite_member(&self, asked: FleetInvite) -> Result<FleetOverview, ControlError> {
        let invitation = invitation(asked)?;
        self.desk.invite_device(self.fleet_folder(), invitation).await?;
        self.fleet_overview().await
    }

    async fn join_fleet(&self, asked: FleetJoin) -> Result<FleetOverview, ControlError> {
        let code = InvitationCode::parse(&asked.code);
        let code = code.map_err(|error| ControlError::invalid(error.to_string()))?;
        let hosts: Vec<bool> = [(asked.answers, false), (asked.asks, true)]
            .into_iter()
            .filter_map(|(wanted, host)| wanted.then_some(host))
            .collect();
        if hosts.is_empty() {
            return Err(ControlError::invalid("it asks, answers, or does both: choose one"));
        }
        let folder = self.fleet_folder();
        if has_joined(&folder, &code, asked.credentials.as_deref()).await? {
            self.open_fleet().await?;
            return self.fleet_overview().await;
        }
        if folder.is_unconfirmed() {
            // What is connected writes what the next joining begins with.
            self.disable(DoorKind::Fleet).await?;
        }
        let doors = self.me.clone();
        let open = async move {
            match doors.upgrade() {
                Some(doors) => doors.open_fleet().await,
                // The host ends; it opens its doors when it starts.
                None => Ok(()),
            }
        };
        let credentials = (asked.credentials, hosts);
        Box::pin(self.desk.meet_owner((folder, code), credentials, consent(asked.consent), open)).await?;
        self.fleet_overview().await
    }

    async fn pair_member(&self, asked: FleetPair) -> Result<FleetOverview, ControlError> {
        match asked.digits {
            Some(digits) => self.desk.accept_device(&digits)?,
            None => self.desk.end_pairing(),
        }
        self.fleet_overview().await
    }

    async fn change_member(&self, asked: FleetMemberChange) -> Result<FleetOverview, ControlError> {
        let named = asked.member.clone();
        let changed = change_rights(&self.fleet_folder(), &named, &rights_change(asked)?).await;
        self.proposed_or_done(changed).await
    }

    async fn revoke_member(&self, asked: FleetMemberRef) -> Result<FleetOverview, ControlError> {
        let revoked = revoke_member(&self.fleet_folder(), &asked.member).await;
        self.proposed_or_done(revoked).await
    }

    async fn read_proposals(&self) -> Result<FleetOverview, ControlError> {
        if let Some(changes) = self.proposals().await {
            changes.read_changes().await?;
        }
        self.fleet_overview().await
    }

    async fn replay_proposal(&self, change: ProposedChangeRef) -> Result<ChangeReplay, ControlError> {
        let proposals = self.shown_proposals().await?;
        let _turn = self.reading.lock().await;
        Ok(ChangeReplay { lines: proposals.replay_change(change.id).await? })
    }

    async fn sign_proposal(&self, change: ProposedChangeRef) -> Result<FleetOverview, ControlError> {
        self.shown_proposals().await?.sign_change(change.id).await?;
        self.fleet_overview().await
    }

    async fn withdraw_proposal(&self, change: ProposedChangeRef) -> Result<FleetOverview, ControlError> {
        self.shown_proposals().await?.withdraw_change(change.id).await?;
        self.fleet_overview().await
    }

    async fn leave_fleet(&self) -> Result<FleetOverview, ControlError> {
        let folder = self.fleet_folder();
        folder.membership()?;
        self.desk.end_pairing();
        self.disable(DoorKind::Fleet).await?;
        folder.forget()?;
        self.fleet_overview().await
    }

    async fn block_hosts(&self, asked: FleetBlock) -> Result<FleetBlocked, ControlError> {
        let _turn = self.reading.lock().await;
        let work = if asked.end { Work::Resume } else { Work::Block { minutes: asked.minutes } };
        let replies = block_hosts(&self.fleet_folder(), &asked.hosts, &work).await?;
        let row = |(name, reply): (String, HostReply)| {
            let (outcome, problem) = match reply {
                HostReply::Did(Reported::Done) => (FleetBlockOutcome::Done, None),
                HostReply::Did(Reported::Refused(why)) => {
                    (FleetBlockOutcome::Refused, Some(visible_text(&why)))
                }
                HostReply::Offline => (FleetBlockOutcome::Offline, None),
                HostReply::Did(_) | HostReply::Silent => (FleetBlockOutcome::Unconfirmed, None),
            };
            FleetBlockReply { name: visible_text(&name), outcome, problem }
        };
        Ok(FleetBlocked { hosts: replies.into_iter().map(row).collect() })
    }
}

fn parse_group(text: &str) -> Result<FleetId, ControlError> {
    let odd = |error| ControlError::invalid(format!("group {:?}: {error}", visible_text(text)));
    text.parse().map_err(odd)
}

fn parse_groups(texts: &[String]) -> Result<Vec<FleetId>, ControlError> {
    texts.iter().map(|group| parse_group(group)).collect()
}

fn rights_change(asked: FleetMemberChange) -> Result<RightsChange, ControlError> {
    let role = |role: FleetRole| match role {
        FleetRole::Owner => MemberRole::Owner,
        FleetRole::Publisher => MemberRole::Publisher,
        FleetRole::Approver => MemberRole::Approver,
        FleetRole::Auditor => MemberRole::Auditor,
        FleetRole::Host => MemberRole::Host,
    };
    Ok(RightsChange {
        roles: asked.roles.map(|roles| roles.into_iter().map(role).collect()),
        groups: asked.groups.as_deref().map(parse_groups).transpose()?,
        risk: asked.risk.map(fleet_risk),
        once_only: asked.once_only,
        new_groups: asked.new_groups,
    })
}

fn choices(asked: FleetStart) -> Result<NewFleetChoices, ControlError> {
    let broker = match asked.broker {
        FleetBroker::Own { listen, before_2_10, in_container } => {
            let odd = "the broker's address is an IP address and a port: 192.168.1.2:7720";
            let listen: SocketAddr = listen.parse().map_err(|_| ControlError::invalid(odd))?;
            BrokerChoice::Own { listen, before_2_10, in_container }
        }
        FleetBroker::Existing { server, certificate, credentials } => {
            BrokerChoice::existing(server, certificate, credentials)?
        }
    };
    let consent = consent(asked.consent);
    Ok(NewFleetChoices {
        broker,
        name: asked.name,
        person: asked.person,
        group: parse_group(&asked.group)?,
        consent,
    })
}

fn consent(asked: FleetConsent) -> HostConsent {
    let policy = if asked.policy_allows { PolicyScope::Allow } else { PolicyScope::Deny };
    HostConsent { policy, readable: asked.readable, auditable: asked.auditable }
}

fn invitation(asked: FleetInvite) -> Result<Invitation, ControlError> {
    let groups = parse_groups(&asked.approves.groups)?;
    let risk = fleet_risk(asked.approves.risk);
    let once_only = asked.approves.once_only;
    let limits = ApproverLimits { groups: groups.clone(), risk, once_only };
    Ok(Invitation {
        name: asked.name,
        person: asked.person,
        groups,
        approver: (!asked.auditor).then_some(limits),
        publisher: asked.publisher,
        auditor: asked.auditor,
    })
}
