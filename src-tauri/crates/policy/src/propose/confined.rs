//! The offer to allow code of the project, and changes of its files, confined to it.
//!
//! The agent can change such code at any time, so no hash of it promises anything. The operating system holds the run instead:
//! the words can be wide, and a rule needs no pin. A rule for changes keeps its limits, too: archives, patches and links decide
//! what is written as much as words do, and the operating system holds that part.

use super::{AlwaysOffer, Draft, OfferLabel, distinct, label, path_pattern, place, widths_of};
use crate::agent::AgentPolicy;
use crate::confinement::Confinement;
use crate::decision::Decision;
use crate::facts::{Facts, Lookup};
use crate::judge::{ProjectCode, is_bound_by_limits, step_in_project};
use crate::path;
use crate::risk::RiskLevel;
use crate::rule::Pattern;
use crate::verdict::Verdict;
use postern_command::{ArgEffect, Role, Step, UnsafeArg};
use postern_protocol::Profile;

/// Programs that make files of files. What is in those says what is read and written, so that a profile alone bounds it.
const MAKERS: &str = "bibtex composite context convert cwebp dot ffmpeg gm gnuplot gs latex latexmk \
    libreoffice lualatex magick mogrify montage mutool openscad pandoc pdflatex pdftex pdftk potrace ps2pdf \
    qpdf rsvg-convert soffice sox tex vips weasyprint xelatex xetex";

/// Programs that put files somewhere, and none of whose options deletes.
const PUTTERS: [&str; 5] = ["cp", "ln", "mkdir", "mv", "touch"];

/// Returns the offer that allows the steps confined to the project which run its code, or change its files and nothing else.
///
/// The other steps are offered as otherwise. `None` if there is no such step, or the rules would not answer
/// the question.
pub(super) fn confined_offer(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    verdict: &Verdict,
) -> Option<AlwaysOffer> {
    if !can_confine(policy, facts, verdict) {
        return None;
    }
    let (mut confined, mut others) = (Vec::new(), Vec::new());
    let asked = |step: &crate::StepVerdict| step.decision != Decision::Allow;
    for at in verdict.steps.iter().enumerate().filter(|(_, step)| asked(step)).map(|(at, _)| at) {
        let of_project = step_in_project(policy, facts, at);
        let otherwise = || widths_of(facts, at).ok().and_then(|widths| widths.useful().cloned());
        let makes = of_project.changes_own && makes_files(&facts.reading.steps[at]);
        // With hooks or without, the words of git name the action.
        let by_words = !makes && (of_project.code != ProjectCode::Runs || !facts.steps[at].hooks.is_empty());
        match otherwise().filter(|_| by_words) {
            Some(draft) if of_project.changes_own && draft.holds_effects() => {
                confined.push(Draft { pin: None, confine: Some(Profile::Project), ..draft });
            }
            Some(draft) => others.push(draft),
            None if of_project.code == ProjectCode::No && !makes => {
                confined.push(draft_changes(facts, at).filter(|_| of_project.changes_own)?);
            }
            None => confined.push(draft_rule(facts, at, of_project.code)?),
        }
    }
    if confined.is_empty() {
        return None;
    }
    let folder = if others.is_empty() {
        place::own_folder(facts)?
    } else {
        place::rules_folder(&others, facts).ok()??
    };
    let (confined, others) = (distinct(confined.into_iter()), distinct(others.into_iter()));
    let rest = (!others.is_empty()).then(|| Box::new(label::each_label(&others, facts)));
    let all = confined.iter().map(label::confined).collect();
    let offer = AlwaysOffer {
        id: "confined",
        label: OfferLabel::Confined {
            confined: all,
            folders: Vec::new(),
            network: false,
            loopback: false,
            rest,
        },
        drafts: confined.into_iter().chain(others).collect(),
        folder: Some(folder),
        renews: Vec::new(),
        confinement: Confinement::None,
    };
    try_offer(policy, facts, offer)
}

/// Returns true if a profile may answer the question: it is not dangerous, and there are folders and a system for it.
pub(super) fn can_confine(policy: &AgentPolicy, facts: &Facts<'_>, verdict: &Verdict) -> bool {
    let asks = verdict.decision == Decision::Ask && verdict.risk.level != RiskLevel::Dangerous;
    asks && !policy.settings.folders.is_empty() && facts.confinable.project
}

/// Returns the offer with the profile that its rules would run the request in, if they answer the question.
pub(super) fn try_offer(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    mut offer: AlwaysOffer,
) -> Option<AlwaysOffer> {
    let verdict = offer.judge_with(policy, facts);
    let Confinement::Project { folders: own, network: has, loopback: local, .. } = &verdict.confinement
    else {
        return None;
    };
    if let OfferLabel::Confined { folders, network, loopback, .. } = &mut offer.label {
        *folders = own.iter().map(|folder| path::from_home(folder, facts.home).into_owned()).collect();
        (*network, *loopback) = (*has, *local);
    }
    offer.confinement = verdict.confinement;
    (verdict.decision == Decision::Allow).then_some(offer)
}

/// Returns true for a step that makes files of files, and of which no argument says that it does more or opens an address.
fn makes_files(step: &Step) -> bool {
    let of_files = |way: &UnsafeArg| {
        way.argument == 0 && matches!(way.effect, ArgEffect::Reads | ArgEffect::Writes)
            || is_bound_by_limits(way)
    };
    step.program().is_some_and(|name| MAKERS.split(' ').any(|maker| maker == name))
        && step.ways_out.iter().all(of_files)
        && !step.argv.iter().any(|word| word.raw.contains("://"))
}

/// Returns the rule for a step that puts files where only the run tells: the profile alone bounds that (`mv "$f" "${f%.js}.ts"`).
fn draft_changes(facts: &Facts<'_>, at: usize) -> Option<Draft> {
    let step = &facts.reading.steps[at];
    let puts = step.role == Role::Program && step.program().is_some_and(|name| PUTTERS.contains(&name));
    let words = super::words::action_pattern(step).filter(|_| puts && step.opaque.is_none())?;
    Some(Draft { confine: Some(Profile::Project), ..Draft::new(at, Pattern::Command(words)) })
}

/// Returns the rule for a step. Of what runs code by its nature any arguments are as good as any others; of anything else its
/// words name the action.
fn draft_rule(facts: &Facts<'_>, at: usize, of_project: ProjectCode) -> Option<Draft> {
    let (step, found) = (&facts.reading.steps[at], &facts.steps[at]);
    let Lookup::Found(program) = &found.program else { return None };
    let name = step.program().filter(|_| step.role == Role::Program)?;
    let words = || {
        super::words::action_pattern(step)
            .filter(|_| of_project == ProjectCode::MayRun || !found.hooks.is_empty())
            .filter(|_| step.opaque.is_none())
    };
    let pattern = if name.contains('/') {
        path_pattern(program)?
    } else {
        Pattern::Command(words().or_else(|| super::words::any_arguments(name))?)
    };
    Some(Draft { confine: Some(Profile::Project), ..Draft::new(at, pattern) })
}
