//! A publisher's side: a policy is judged on every host's own history, published for a canary, and then brought to more
//! hosts. Members who may ask hosts for work at once ask through here, too.

mod published;
mod signing;

use super::FleetError;
use super::connect::{BrokerLink, MemberReply};
use super::keep::{Folder, Keys};
use super::store::{self, BUNDLE, Bucket, PersonConnection, STAGE};
use futures_util::{StreamExt as _, TryStreamExt as _};
use postern_contract::THIS_COMPUTER;
use postern_fleet::{
    Bundle, BundleRules, FleetId, Hash, Job, JobReport, Member, MemberRole, PinnedRoster, Reported, Rise,
    RiseLimits, RolloutReach, Seed, SignedEnvelope, Subjects, Work, bundle_name, published,
};
use published::Published;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::Duration;

/// Longest time for a host to do a job.
const PATIENCE: Duration = Duration::from_mins(1);
/// Hosts that are asked at a time.
const AT_ONCE: usize = 32;
/// Share of the hosts that the second stage reaches.
const SHARE: u8 = 10;

/// Content of a policy, as its publisher writes it.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Asked {
    /// Rules, in the form of a rule file.
    pub rules: Vec<Value>,
    /// Settings of agents that it decides, by their names.
    pub settings: Map<String, Value>,
    /// Number of people that have to approve, by risk.
    pub approvals: Map<String, Value>,
    /// The most that denials and questions may rise before the next stage, in requests of a hundred.
    pub limits: Map<String, Value>,
}

/// Reply of a host to a job.
#[derive(Debug, Clone, PartialEq)]
pub enum HostReply {
    /// Result of the work.
    Did(Reported),
    /// The host is not connected: nothing was sent.
    Offline,
    /// The host did not say what became of it.
    Silent,
}

/// A member of the fleet that is connected, as its person.
#[derive(Debug)]
pub struct Publisher {
    link: BrokerLink,
    folder: Folder,
    fleet: FleetId,
    me: FleetId,
    keys: Keys,
    pinned: PinnedRoster,
}

impl Publisher {
    /// Connects as the person's member of this Mac.
    pub async fn connect(folder: &Folder) -> Result<Self, FleetError> {
        let PersonConnection { link, fleet, me, keys, pinned } = PersonConnection::open(folder).await?;
        Ok(Self { link, folder: folder.clone(), fleet, me, keys, pinned })
    }

    fn bucket(&self) -> Bucket<'_> {
        Bucket { client: &self.link.client, fleet: &self.fleet, open: &self.keys.open }
    }

    /// Returns the hosts of a group, a name or an id; of `all` every one.
    pub fn hosts_of<'a>(&'a self, named: &'a str) -> Vec<&'a Member> {
        super::hosts_named(&self.pinned, named).collect()
    }

    /// Asks a host for work, and returns what it says.
    pub async fn ask_host(&self, host: &Member, work: Work) -> Result<HostReply, FleetError> {
        let header = super::header(&self.fleet, &self.me)?;
        let job = Job { at: super::wall_clock(), roster: self.pinned.hash, work };
        let mut seed = Seed::new(super::random()?);
        let sealed =
            header.seal_body(&job, &[host.seal], &self.keys.sign, &mut seed).map_err(FleetError::refused)?;
        let subject = Subjects::for_fleet(&self.fleet).jobs(host.id.as_str());
        Ok(match self.link.request(subject, sealed.encode(), PATIENCE).await {
            MemberReply::Message(reply) => {
                self.report(host, &header.id, &reply.payload).map_or(HostReply::Silent, HostReply::Did)
            }
            MemberReply::Offline => HostReply::Offline,
            MemberReply::Silent => HostReply::Silent,
        })
    }

    /// Reads the host's report, if it is the host's and about this job.
    fn report(&self, host: &Member, job: &FleetId, bytes: &[u8]) -> Option<Reported> {
        let (header, report): (_, JobReport) =
            super::open_from_host(bytes, &self.fleet, &self.pinned.roster, &self.keys.open)?;
        (header.from == host.id && report.job == *job).then_some(report.outcome)
    }

    /// Asks every host of a group for work, many at a time, and returns what they say in the order of the roster.
    pub async fn ask_all(&self, group: &str, work: &Work) -> Result<Vec<(String, HostReply)>, FleetError> {
        let hosts: Vec<Member> = self.hosts_of(group).into_iter().cloned().collect();
        let asked = hosts.into_iter().map(async |host: Member| {
            self.ask_host(&host, work.clone()).await.map(|reply| (host.name, reply))
        });
        futures_util::stream::iter(asked).buffered(AT_ONCE).try_collect().await
    }

    /// Publishes a policy of a group, for these hosts at first. Returns its name.
    ///
    /// Where further publishers have to sign, it is proposed to them, as is every stage and a rollback.
    pub async fn publish(
        &self,
        group: &FleetId,
        asked: Asked,
        canary: Vec<FleetId>,
    ) -> Result<String, FleetError> {
        self.publish_for(group, asked, RolloutReach::Canary(canary)).await
    }

    async fn publish_for(
        &self,
        group: &FleetId,
        asked: Asked,
        reach: RolloutReach,
    ) -> Result<String, FleetError> {
        RiseLimits::read(&asked.limits).map_err(FleetError::Refused)?;
        if !self.pinned.roster.all_groups().contains(group) {
            let unknown = format!("no host is in the group {group}: postern fleet groups");
            return Err(FleetError::Refused(unknown));
        }
        let published = self.read_published(group).await?;
        let next = &published.next;
        let previous = next.bundle.1;
        let version = self.free_version(group, next.bundle.0)?;
        let bundle = Bundle {
            group: group.clone(),
            version,
            previous,
            not_before: 0,
            rules: BundleRules::from_values(&asked.rules),
            classes: asked.settings,
            limits: asked.limits,
            approvals: asked.approvals,
        };
        let envelope = super::header(&self.fleet, &self.me)?.sign_body(bundle, &[&self.keys.sign]);
        store::require_size::<Bundle>(&envelope)?;
        let hash = Hash::of_bytes(&envelope.payload);
        let stage = self.sign_stage(group, (hash, reach), next.stage)?;
        if self.is_one_of_several() {
            return Err(FleetError::Proposed(self.propose(group, vec![envelope, stage], &published).await?));
        }
        self.store_signed(BUNDLE, group, &envelope, next.bundle_revision).await?;
        self.note_seen(group, version, hash)?;
        self.store_signed(STAGE, group, &stage, next.stage_revision).await?;
        Ok(bundle_name(group, version, &hash))
    }

    /// Brings the newest policy of a group to more hosts, and returns its name and whom it reaches now.
    ///
    /// Refused while a host refuses the policy. Unless `anyway`, a host that it reaches has to have it in force, and nothing may have
    /// risen too much.
    pub async fn advance(&self, group: &FleetId, anyway: bool) -> Result<(String, RolloutReach), FleetError> {
        let published = self.read_published(group).await?;
        let (bundle, hash) = published.require_newest(group)?.clone();
        let stage = published.stage.clone();
        let name = bundle_name(group, bundle.version, &hash);
        let limits = RiseLimits::read(&bundle.limits).map_err(FleetError::Refused)?;
        let now = stage.filter(|stage| stage.bundle == hash).map(|stage| stage.reach);
        let is_reached = |host: &&Member| now.as_ref().is_some_and(|reach| reach.covers(&host.id, &hash));
        let mut unheard = self.hosts_of(group.as_str()).into_iter().any(|host| is_reached(&host));
        let reach = match now {
            None => RolloutReach::Canary(Vec::new()),
            Some(RolloutReach::Canary(_)) => RolloutReach::Percent(SHARE),
            Some(RolloutReach::Percent(_)) => RolloutReach::All,
            Some(RolloutReach::All) => {
                return Err(FleetError::Refused(format!("{name} is on all hosts of the group already")));
            }
        };
        for (host, reply) in self.ask_all(group.as_str(), &Work::Policy).await? {
            let HostReply::Did(Reported::Policy(states)) = reply else { continue };
            let refused = states.iter().filter_map(|state| state.refused.as_ref());
            if let Some((_, why)) = refused.into_iter().find(|(refused, _)| *refused == hash) {
                return Err(FleetError::Refused(format!("{host} refused {name}: {why}")));
            }
            let mut newest = states.iter().filter(|state| state.in_force.as_ref() == Some(&name)).peekable();
            unheard &= newest.peek().is_none();
            let risen = newest.filter_map(|state| {
                let (before, since) = state.counts?;
                since.risen_since(&before, limits)
            });
            if let Some(Rise { what, before, since }) = risen.into_iter().next().filter(|_| !anyway) {
                return Err(FleetError::Refused(format!(
                    "{what} rose on {host} from {before} to {since} of 100 requests by {name}: roll it back, or advance --anyway"
                )));
            }
        }
        if unheard && !anyway {
            return Err(FleetError::Refused(format!(
                "no host that {name} reaches says that it is in force there: wait for one, or advance --anyway"
            )));
        }
        let next = self.sign_stage(group, (hash, reach.clone()), published.next.stage)?;
        if self.is_one_of_several() {
            return Err(FleetError::Proposed(self.propose(group, vec![next], &published).await?));
        }
        self.store_signed(STAGE, group, &next, published.next.stage_revision).await?;
        Ok((name, reach))
    }

    /// Publishes the policy before the newest one again, for all hosts. Returns its new name.
    pub async fn roll_back(&self, group: &FleetId) -> Result<String, FleetError> {
        let key = Subjects::for_fleet(&self.fleet).group_key(BUNDLE, group);
        let versions = store::versions(self.bucket(), &key).await?;
        let Published { newest, next, .. } = self.read_published(group).await?;
        let newest = newest.map_or(Some(next.bundle.0), |known| known.map(|(bundle, _)| bundle.version));
        let newest = newest.ok_or_else(|| nothing(group))?;
        let before = versions.iter().filter_map(|envelope| self.signed(envelope).ok());
        let before = before.filter(|bundle: &Bundle| bundle.group == *group && bundle.version < newest);
        let before = before.max_by_key(|bundle| bundle.version);
        let before = before.ok_or_else(|| {
            FleetError::Refused("the broker keeps no policy before this one: publish a file".to_owned())
        })?;
        let Bundle { rules, classes: settings, approvals, limits, .. } = before;
        let rules = rules.parse_each().map_err(FleetError::Refused)?;
        let asked = Asked { rules, settings, approvals, limits };
        self.publish_for(group, asked, RolloutReach::All).await
    }

    /// Returns the name of the newest policy of a group, with whom it reaches; `None` if there is none.
    pub async fn newest_of(
        &self,
        group: &FleetId,
    ) -> Result<Option<(String, Option<RolloutReach>)>, FleetError> {
        let Published { newest, stage, .. } = self.read_published(group).await?;
        Ok(newest?.map(|(bundle, hash)| {
            let reach = stage.filter(|stage| stage.bundle == hash).map(|stage| stage.reach);
            (bundle_name(group, bundle.version, &hash), reach)
        }))
    }

    fn signed<T: postern_fleet::FleetMessageBody>(&self, envelope: &SignedEnvelope) -> Result<T, FleetError> {
        published(&self.pinned, &self.fleet, envelope).map_err(FleetError::refused)
    }

    fn require_publisher(&self) -> Result<(), FleetError> {
        if self.has_role(MemberRole::Publisher) {
            return Ok(());
        }
        Err(FleetError::Refused(format!("{THIS_COMPUTER}'s person may not publish policy")))
    }

    /// Stores a document for all members, if nobody else did meanwhile.
    async fn store_signed(
        &self,
        kind: &str,
        group: &FleetId,
        envelope: &SignedEnvelope,
        revision: u64,
    ) -> Result<(), FleetError> {
        self.require_publisher()?;
        let to = self.pinned.roster.readers_of(group);
        let key = Subjects::for_fleet(&self.fleet).group_key(kind, group);
        store::replace(self.bucket(), &key, envelope, (&to, revision)).await
    }

    /// Returns the newest version of each group that was seen here.
    fn seen_versions(&self) -> Result<BTreeMap<FleetId, (u64, Hash)>, FleetError> {
        Ok(self.folder.read_json("published.json")?.unwrap_or_default())
    }

    fn note_seen(&self, group: &FleetId, version: u64, hash: Hash) -> Result<(), FleetError> {
        let mut seen = self.seen_versions()?;
        if seen.insert(group.clone(), (version, hash)) != Some((version, hash)) {
            self.folder.write_json("published.json", &seen)?;
        }
        Ok(())
    }
}

fn nothing(group: &FleetId) -> FleetError {
    FleetError::Refused(format!(
        "nothing is published for {group}: postern fleet policy publish FILE --group {group}"
    ))
}
