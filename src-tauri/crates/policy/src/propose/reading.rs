//! The offer to let an agent read a folder besides its own.

use super::{AlwaysOffer, Draft, OfferLabel, place};
use crate::agent::AgentPolicy;
use crate::confinement::Confinement;
use crate::decision::Decision;
use crate::facts::Facts;
use crate::judge::folders_outside;
use crate::path;
use crate::readable::why_not_readable;
use crate::risk::RiskLevel;
use crate::rule::Pattern;
use crate::verdict::Verdict;

/// Folders of one offer, at most: more are no longer looked at.
const MOST: usize = 3;

/// Returns the offer that opens the folders which the request reads outside the agent's own.
///
/// Only if Postern asks because of nothing else: with its rules the request is allowed, and confined.
pub(super) fn read_folder_offer(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    verdict: &Verdict,
) -> Option<AlwaysOffer> {
    if verdict.decision != Decision::Ask || verdict.risk.level == RiskLevel::Dangerous {
        return None;
    }
    let asked = verdict.steps.iter().enumerate().filter(|(_, step)| step.decision == Decision::Ask);
    let mut drafts: Vec<Draft> = Vec::new();
    for (at, _) in asked {
        for folder in folders_outside(facts, at)? {
            let known = |draft: &Draft| {
                draft.pattern.file_access().is_some_and(|(_, text)| path::is_within(&folder, text))
            };
            let readable = why_not_readable(&folder, facts.home, Some(facts.data)).is_none();
            if readable && !drafts.iter().any(known) {
                drafts.push(Draft::new(at, Pattern::Read(folder)));
            }
        }
    }
    if drafts.is_empty() || drafts.len() > MOST {
        return None;
    }
    let folders = drafts.iter().filter_map(|draft| draft.pattern.file_access());
    let folders = folders.map(|(_, text)| text.to_owned()).collect();
    let mut offer = AlwaysOffer {
        id: "read",
        label: OfferLabel::Read { folders },
        drafts,
        folder: Some(place::own_folder(facts).unwrap_or_else(|| path::normal(facts.cwd).into_owned())),
        renews: Vec::new(),
        confinement: Confinement::None,
    };
    let verdict = offer.judge_with(policy, facts);
    offer.confinement = verdict.confinement;
    (verdict.decision == Decision::Allow && !offer.confinement.is_none()).then_some(offer)
}
