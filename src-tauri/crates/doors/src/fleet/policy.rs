//! Policy of this host's groups: what publishers signed, and what of it is in force here. It is put in force as an
//! organization's file is; the last that was good stays until a stage brings the next one here.

use super::FleetError;
use super::keep::{Folder, PolicyScope};
use super::store::{self, Bucket};
use postern_contract::RuleDraft;
use postern_fleet::{
    Bundle, BundleRules, FleetId, FleetState, GroupState, Hash, InForce, PinnedRoster, SignedEnvelope,
    WallMillis, bundle_name,
};
use postern_host::Host;
use postern_policy::Effect;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct KeptPolicy {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<InForce>,
    /// The newest bundle that counts, and the one in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    newest: Option<SignedEnvelope>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    good: Option<SignedEnvelope>,
    /// Time since which the one in force is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<WallMillis>,
    /// Bundle that this host refused, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refused: Option<(Hash, String)>,
}

/// Policy of all groups of this host.
#[derive(Debug)]
pub(super) struct HostPolicy {
    /// Policy of each group that this host is in, or was: an older one never comes back.
    groups: BTreeMap<FleetId, KeptPolicy>,
    /// Groups that this host is in: no other policy is in force.
    own: Vec<FleetId>,
    scope: PolicyScope,
}

/// Reads a bundle that counted when it was kept.
fn kept_bundle(envelope: &SignedEnvelope) -> Option<Bundle> {
    let payload: postern_fleet::Payload<Bundle> = serde_json::from_slice(&envelope.payload).ok()?;
    Some(payload.body)
}

/// Members of a bundle that its name is made of. Its rules, which may be many, are passed over.
#[derive(Deserialize)]
struct BundleNumber {
    group: FleetId,
    version: u64,
}

/// Returns the name of a bundle that counted when it was kept.
fn kept_name(envelope: &SignedEnvelope) -> Option<String> {
    let payload: postern_fleet::Payload<BundleNumber> = serde_json::from_slice(&envelope.payload).ok()?;
    let BundleNumber { group, version } = payload.body;
    Some(bundle_name(&group, version, &Hash::of_bytes(&envelope.payload)))
}

pub(super) fn name_of(bundle: &Bundle, hash: &Hash) -> String {
    bundle_name(&bundle.group, bundle.version, hash)
}

/// Reads a bundle's rules, as far as they may count here. Each says by which policy it is.
fn rules_of(rules: &BundleRules, scope: PolicyScope, name: Option<&str>) -> Result<Vec<RuleDraft>, String> {
    let mut drafts: Vec<RuleDraft> = rules.parse_each()?;
    drafts.retain(|draft| scope == PolicyScope::Allow || draft.effect == Effect::Deny);
    for draft in &mut drafts {
        let why = draft.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        draft.why = name.map(|name| format!("policy {name}{why}")).or(draft.why.take());
    }
    Ok(drafts)
}

/// Returns bundles in the form of an organization's file.
fn file_of(bundles: &[(&Bundle, Hash)], scope: PolicyScope) -> Result<String, String> {
    let (mut rules, mut settings, mut names) = (Vec::new(), Map::new(), Vec::new());
    let mut approvals: Map<String, Value> = Map::new();
    for (bundle, hash) in bundles {
        let name = name_of(bundle, hash);
        rules.extend(rules_of(&bundle.rules, scope, Some(&name))?);
        if scope == PolicyScope::Allow {
            settings.extend(bundle.classes.clone());
        }
        for (risk, people) in &bundle.approvals {
            // Of two groups the more careful one counts.
            if approvals.get(risk).and_then(Value::as_u64) <= people.as_u64() {
                approvals.insert(risk.clone(), people.clone());
            }
        }
        names.push(name);
    }
    let organisation = format!("policy {}", names.join(" and "));
    let file = json!({
        "version": 1, "organisation": organisation, "rules": rules, "settings": settings, "approvals": approvals
    });
    serde_json::to_string_pretty(&file).map_err(|error| error.to_string())
}

impl HostPolicy {
    /// Takes what was kept, after a look at whether it is what was kept.
    pub(super) fn open(
        folder: &Folder,
        scope: PolicyScope,
        fleet: &mut FleetState,
    ) -> Result<Self, FleetError> {
        let mut groups = folder.policy()?;
        for (group, kept) in &mut groups {
            let is = |envelope: &Option<SignedEnvelope>, hash: Option<Hash>| {
                envelope.as_ref().map(|envelope| Hash::of_bytes(&envelope.payload)) == hash
            };
            let state = kept.state.as_ref();
            let good = state.and_then(|state| state.good);
            if !is(&kept.newest, state.map(|state| state.bundle)) || !is(&kept.good, good) {
                tracing::error!(%group, "the kept policy of the fleet is damaged: it is read from the broker again");
                *kept = KeptPolicy::default();
            }
        }
        let states = groups.iter().filter_map(|(group, kept)| Some((group.clone(), kept.state.clone()?)));
        fleet.restore(folder.read_fresh()?, states.collect());
        Ok(Self { groups, own: fleet.groups().to_vec(), scope })
    }

    /// Takes the groups that this host is in by now. Returns true if they are others.
    pub(super) fn enter_groups(&mut self, own: &[FleetId]) -> bool {
        let changed = self.own != own;
        self.own = own.to_vec();
        changed
    }

    fn envelopes_in_force(&self) -> impl Iterator<Item = &SignedEnvelope> {
        let own = self.groups.iter().filter(|(group, _)| self.own.contains(group));
        own.filter_map(|(_, kept)| kept.good.as_ref())
    }

    pub(super) async fn put_in_force(&self, host: &Host) {
        let good = self.envelopes_in_force();
        let good: Vec<(Bundle, Hash)> =
            good.filter_map(|good| Some((kept_bundle(good)?, Hash::of_bytes(&good.payload)))).collect();
        let good: Vec<(&Bundle, Hash)> = good.iter().map(|(bundle, hash)| (bundle, *hash)).collect();
        let text = if good.is_empty() { Ok(None) } else { file_of(&good, self.scope).map(Some) };
        let adopted = match text {
            Ok(text) => host.adopt_policy(text).await.map_err(|error| error.message),
            Err(problem) => Err(problem),
        };
        if let Err(problem) = adopted {
            tracing::error!(problem, "the fleet's policy could not be put in force: the one before stays");
        }
    }

    /// Returns what is in force, as verdicts name it; empty if nothing is.
    pub(super) fn in_force(&self) -> String {
        self.envelopes_in_force().filter_map(kept_name).collect::<Vec<_>>().join(" ")
    }

    /// Returns the state of each of these groups, and since when the bundle in force is.
    pub(super) fn report(&self, groups: &[FleetId]) -> Vec<(GroupState, Option<WallMillis>)> {
        let state = |group: &FleetId| {
            let kept = self.groups.get(group);
            let good = kept.and_then(|kept| kept.good.as_ref());
            let state = GroupState {
                group: group.clone(),
                counts: None,
                newest: kept.and_then(|kept| kept.state.as_ref()).map(|state| state.bundle),
                in_force: good.and_then(kept_name),
                refused: kept.and_then(|kept| kept.refused.clone()),
            };
            (state, kept.and_then(|kept| kept.since))
        };
        groups.iter().map(state).collect()
    }

    /// Returns rules for a replay, as far as they would count here.
    pub(super) fn rules_of(&self, rules: &[Value]) -> Result<Vec<RuleDraft>, String> {
        rules_of(&BundleRules::from_values(rules), self.scope, None)
    }

    /// Returns settings for a replay, as far as they would count here.
    pub(super) fn settings_of(&self, settings: &Map<String, Value>) -> Map<String, Value> {
        if self.scope == PolicyScope::Allow { settings.clone() } else { Map::new() }
    }

    /// Takes a bundle that counts, if this host can read it: or notes why not.
    pub(super) fn take_bundle(
        &mut self,
        host: &Host,
        bytes: &[u8],
        (bundle, hash): (&Bundle, Hash),
    ) -> Result<(), String> {
        let kept = self.groups.entry(bundle.group.clone()).or_default();
        let text = file_of(&[(bundle, hash)], self.scope);
        let checked = text.and_then(|text| host.check_policy(&text));
        let read = SignedEnvelope::decode(bytes, postern_fleet::FleetMessageKind::Bundle.max_bytes())
            .map_err(|error| error.to_string());
        match read.and_then(|envelope| checked.map(|_| envelope)) {
            Ok(envelope) => {
                kept.newest = Some(envelope);
                kept.refused = None;
                Ok(())
            }
            Err(why) => {
                kept.refused = Some((hash, why.clone()));
                Err(why)
            }
        }
    }

    /// Keeps what the fleet's state says by now. Returns true if another bundle is in force.
    pub(super) fn keep_state(&mut self, folder: &Folder, fleet: &FleetState) -> Result<bool, FleetError> {
        let mut changed = false;
        for (group, state) in fleet.policy() {
            let Some(kept) = self.groups.get_mut(group) else { continue };
            let good = kept.good.as_ref().map(|good| Hash::of_bytes(&good.payload));
            if state.good != good && state.good == Some(state.bundle) {
                kept.good.clone_from(&kept.newest);
                kept.since = Some(super::wall_clock());
                changed = true;
            }
            kept.state = Some(state.clone());
        }
        folder.write_json("policy.json", &self.groups)?;
        Ok(changed)
    }
}

impl Folder {
    fn policy(&self) -> Result<BTreeMap<FleetId, KeptPolicy>, FleetError> {
        Ok(self.read_json("policy.json")?.unwrap_or_default())
    }

    /// Returns the time of the last job of each member.
    pub(super) fn jobs(&self) -> Result<BTreeMap<FleetId, WallMillis>, FleetError> {
        Ok(self.read_json("jobs.json")?.unwrap_or_default())
    }
}

/// Returns the names of newest policies that too few publishers of a roster signed: hosts that have one keep it.
pub(super) async fn without_publisher(
    bucket: Bucket<'_>,
    pinned: &PinnedRoster,
) -> Result<Vec<String>, FleetError> {
    let mut names = Vec::new();
    for group in pinned.roster.all_groups() {
        let key = postern_fleet::Subjects::for_fleet(bucket.fleet).group_key(store::BUNDLE, group);
        let Some(document) = store::newest(bucket, &key).await? else { continue };
        if postern_fleet::published::<Bundle>(pinned, bucket.fleet, &document.envelope).is_err() {
            names.extend(kept_name(&document.envelope));
        }
    }
    Ok(names)
}

/// Seals the documents of each group for those who read them by a roster, who may be others than before.
pub(super) async fn reseal(bucket: Bucket<'_>, pinned: &PinnedRoster) -> Result<(), FleetError> {
    let names = postern_fleet::Subjects::for_fleet(bucket.fleet);
    for group in pinned.roster.all_groups() {
        let to = pinned.roster.readers_of(group);
        for key in names.policy_keys(group) {
            if let Some(document) = store::newest(bucket, &key).await? {
                store::replace(bucket, &key, &document.envelope, (&to, document.revision)).await?;
            }
        }
        let key = names.group_key(store::PROPOSAL, group);
        let (revision, waiting) = store::newest_proposal(bucket, &key).await?;
        if let Some(proposal) = waiting {
            let publishers = pinned.roster.members_with(postern_fleet::MemberRole::Publisher);
            let to: Vec<_> = publishers.map(|publisher| publisher.seal).collect();
            store::replace_proposal(bucket, &key, &proposal, (&to, revision)).await?;
        }
    }
    Ok(())
}
