//! Policy of a group as the broker shows it, and the numbers that follow. What does not count holds nothing up.

use super::super::FleetError;
use super::super::store::{self, BUNDLE, STAGE};
use super::Publisher;
use postern_fleet::{
    Bundle, FleetId, FleetMessageBody, Hash, Payload, RolloutStage, SignedEnvelope, Subjects, VERSION_STEP,
};

/// Versions passed over where the newest one does not count. A host that took some of them takes what follows.
const GAP: u64 = 16;

/// Policy of a group at the broker.
pub(super) struct Published {
    /// The newest version with its hash; `None` if there is none, an error if what is there does not count.
    pub(super) newest: Result<Option<(Bundle, Hash)>, FleetError>,
    /// The newest stage, if it counts.
    pub(super) stage: Option<RolloutStage>,
    pub(super) next: NextNumbers,
}

/// Numbers of the next version and stage, with the revisions that they replace.
pub(super) struct NextNumbers {
    /// Version, and the hash of the one before it.
    pub(super) bundle: (u64, Option<Hash>),
    pub(super) bundle_revision: u64,
    pub(super) stage: u64,
    pub(super) stage_revision: u64,
}

impl Published {
    /// Returns the newest version with its hash, or an error if there is none that counts.
    pub(super) fn require_newest(&self, group: &FleetId) -> Result<&(Bundle, Hash), FleetError> {
        let newest = self.newest.as_ref().map_err(FleetError::refused)?;
        newest.as_ref().ok_or_else(|| super::nothing(group))
    }
}

/// Documents of one kind that the broker keeps of a group.
struct Documents<T> {
    /// Newest one that counts by its signatures, with its hash.
    newest: Option<(T, Hash)>,
    /// Numbers of those that count by their signatures, oldest first, and of the newest one in any case.
    numbers: Vec<u64>,
    /// Revision of the newest one; 0 if there is none.
    revision: u64,
}

impl<T> Documents<T> {
    /// Returns the last number that a host may have, which goes up by small steps.
    fn last_number(&self, seen: u64) -> u64 {
        let follows =
            |last: &u64, number: u64| number > *last && number.saturating_sub(*last) <= VERSION_STEP;
        self.numbers.iter().fold(seen, |last, number| if follows(&last, *number) { *number } else { last })
    }
}

impl Publisher {
    /// Reads what the broker shows of a group, and notes what counts. What is older than what was seen here does not.
    pub(super) async fn read_published(&self, group: &FleetId) -> Result<Published, FleetError> {
        let of_bundle = |bundle: &Bundle| (bundle.group == *group).then_some(bundle.version);
        let of_stage = |stage: &RolloutStage| (stage.group == *group).then_some(stage.number);
        let bundles = self.documents(BUNDLE, group, of_bundle).await?;
        let stages = self.documents(STAGE, group, of_stage).await?;
        let seen = self.seen_versions()?.get(group).copied();
        let last = bundles.last_number(seen.map_or(0, |(version, _)| version));
        let bundle_revision = bundles.revision;
        let newest = match (bundles.newest, seen) {
            (None, None) if bundle_revision == 0 => Ok(None),
            (None, _) if bundle_revision != 0 => Err(passed_over(group)),
            (Some((bundle, hash)), seen) if bundle.version > seen.map_or(0, |(version, _)| version) => {
                if bundle.version == last {
                    Ok(Some((bundle, hash)))
                } else {
                    Err(passed_over(group))
                }
            }
            (Some((bundle, hash)), Some(seen)) if (bundle.version, hash) == seen => Ok(Some((bundle, hash))),
            (_, seen) => Err(withheld(group, seen.map_or(0, |(version, _)| version))),
        };
        if let Ok(Some((bundle, hash))) = &newest {
            self.note_seen(group, bundle.version, *hash)?;
        }
        let bundle = match &newest {
            Ok(Some((bundle, hash))) => (number_after(bundle.version, 1)?, Some(*hash)),
            Ok(None) => (number_after(last, 1)?, None),
            Err(_) => (number_after(last, GAP)?, None),
        };
        let (last, stage_revision) = (stages.last_number(0), stages.revision);
        let next = NextNumbers { bundle, bundle_revision, stage: number_after(last, 1)?, stage_revision };
        let stage = stages.newest.map(|(stage, _)| stage).filter(|stage| stage.number == last);
        Ok(Published { newest, stage, next })
    }

    /// Reads the documents of a kind, of which `number_of` gives the number if they are of this group.
    async fn documents<T: FleetMessageBody>(
        &self,
        kind: &str,
        group: &FleetId,
        number_of: impl Fn(&T) -> Option<u64>,
    ) -> Result<Documents<T>, FleetError> {
        let key = Subjects::for_fleet(&self.fleet).group_key(kind, group);
        let (revision, newest) = store::newest_entry(self.bucket(), &key).await?;
        if revision == 0 {
            return Ok(Documents { newest: None, numbers: Vec::new(), revision });
        }
        let kept = store::versions(self.bucket(), &key).await?;
        let kept = kept.iter().filter_map(|envelope| self.signed::<T>(envelope).ok());
        let mut numbers: Vec<u64> = kept.filter_map(|document| number_of(&document)).collect();
        numbers.extend(newest.as_ref().and_then(unverified::<T>).and_then(|document| number_of(&document)));
        let newest = newest.and_then(|envelope| {
            let document =
                self.signed::<T>(&envelope).ok().filter(|document| number_of(document).is_some())?;
            Some((document, Hash::of_bytes(&envelope.payload)))
        });
        Ok(Documents { newest, numbers, revision })
    }
}

/// Reads a document that its signatures may not vouch for any more: it only says which number it took.
fn unverified<T: FleetMessageBody>(envelope: &SignedEnvelope) -> Option<T> {
    serde_json::from_slice::<Payload<T>>(&envelope.payload).ok().map(|payload| payload.body)
}

fn number_after(number: u64, step: u64) -> Result<u64, FleetError> {
    let none = || FleetError::Refused("no number is left for another version".to_owned());
    number.checked_add(step).ok_or_else(none)
}

fn passed_over(group: &FleetId) -> FleetError {
    FleetError::Refused(format!(
        "the newest policy of {group} at the broker does not count: too few who may publish signed it, or its number is too high. Publish another one: postern fleet policy publish FILE --group {group}"
    ))
}

fn withheld(group: &FleetId, version: u64) -> FleetError {
    FleetError::Refused(format!(
        "the broker shows another policy of {group} than version {version}, which was seen here: it withholds one, or rolled it back"
    ))
}
