//! Consequences of a dangerous request, and the rights that a request would run with.

use super::effect::{effect_sentence, is_about_name, is_about_same, is_lost};
use super::headline::{measured_loss, unnamed_effects};
use super::sentence::Sentence;
use crate::piece::ShownText;
use postern_command::CommandEffect;
use postern_command::effect::UnknownEffectReason;
use postern_policy::{Confinement, Origin, RatedEffect, Risk, RiskLevel, from_home};

/// Sentences that fit between headline and command.
const MOST: usize = 3;

/// Returns what makes a request dangerous, as sentences that its headline does not say; none unless it is dangerous.
pub fn danger(risk: &Risk) -> Vec<ShownText> {
    let dangerous = |rated: &&RatedEffect| rated.level == RiskLevel::Dangerous;
    let all: Vec<&RatedEffect> = risk.effects.iter().filter(dangerous).collect();
    let mut said: Vec<ShownText> = Vec::new();
    let mut say = |sentence: ShownText| {
        if said.len() < MOST && !said.contains(&sentence) {
            said.push(sentence);
        }
    };
    if all.iter().any(|rated| !rated.guessed && is_lost(rated)) {
        say(Sentence::new("Can’t be undone.").pieces());
    }
    for sentence in all.iter().filter_map(|rated| measured_loss(rated)) {
        say(sentence.pieces());
    }
    // What follows from how a name looks says all of it.
    let is_said = |rated: &RatedEffect| is_about_name(&rated.effect) || measured_loss(rated).is_some();
    let is_repeated = |rated: &RatedEffect| {
        let before = risk.effects.iter().take_while(|other| !std::ptr::eq(*other, rated));
        { before }.any(|other| is_about_same(other, rated))
    };
    let unsaid = unnamed_effects(risk).filter(dangerous);
    for rated in unsaid.filter(|rated| !is_said(rated) && !is_repeated(rated)) {
        say(Sentence::default().append(effect_sentence(rated)).literal(".").pieces());
    }
    let own = all.iter().filter(|rated| !is_repeated(rated));
    for sentence in own.filter_map(|rated| consequence(rated)) {
        say(sentence.pieces());
    }
    if said.is_empty() && !all.is_empty() {
        said.push(Sentence::new("This can do harm.").pieces());
    }
    said
}

/// Returns what follows from a dangerous effect, where its own words leave it open.
fn consequence(rated: &RatedEffect) -> Option<Sentence> {
    if rated.guessed {
        return Some(Sentence::new("Postern can’t read all of it."));
    }
    Some(match &rated.effect {
        CommandEffect::RunDownloadedCode { host: Some(host), .. } => {
            Sentence::filled("It runs code from {} that nobody has seen.", &[host])
        }
        CommandEffect::RunDownloadedCode { .. } => Sentence::new("It runs code that nobody has seen."),
        CommandEffect::RunInlineCode { .. } | CommandEffect::RunProjectCode { .. } => {
            Sentence::new("Its code can do all that you can.")
        }
        CommandEffect::Install { .. } => Sentence::new("What is installed runs with your rights."),
        CommandEffect::Send { .. } | CommandEffect::Publish { .. } => {
            Sentence::new("What is sent can’t be unsent.")
        }
        CommandEffect::UseSecret { .. } => Sentence::new("With a key or password, others can act as you."),
        CommandEffect::ChangeSystem { .. } if is_lost(rated) => return None,
        CommandEffect::ChangeSystem { .. } => Sentence::new("What it changes stays changed."),
        CommandEffect::RunElsewhere { .. } => Sentence::new("Postern can’t see what happens there."),
        CommandEffect::ControlApp { .. } => Sentence::new("It acts as you in another app."),
        CommandEffect::Unknown {
            why: UnknownEffectReason::MixedAlphabets(_) | UnknownEffectReason::LooksLikeAscii(_),
        } => Sentence::new("A name here may not be what it looks like."),
        CommandEffect::Unknown { .. } => Sentence::new("Postern can’t tell what it does."),
        CommandEffect::Read { .. }
        | CommandEffect::Write { .. }
        | CommandEffect::Delete { .. }
        | CommandEffect::Fetch { .. }
        | CommandEffect::ChangeRepository { .. }
        | CommandEffect::Serve { .. } => return None,
    })
}

/// Returns the rights that a request would run with, as a sentence without its full stop. Paths below `home` begin with `~`.
pub fn confinement(
    origin: Origin,
    confinement: &Confinement,
    agent: &ShownText,
    tool: Option<&ShownText>,
    home: &str,
) -> ShownText {
    let own = match (origin, tool) {
        (Origin::Host, _) => None,
        (Origin::Tool, Some(tool)) => Some(
            Sentence::new("Runs in ").append(agent.clone()).literal(", with its tool ").append(tool.clone()),
        ),
        (Origin::AgentShell | Origin::Tool, _) => {
            Some(Sentence::new("Runs in ").append(agent.clone()).literal("’s own shell"))
        }
    };
    match (own, limits(confinement, home)) {
        (None, None) => Sentence::new("Runs with your full access"),
        (None, Some(limits)) => Sentence::new("Confined: ").append(limits.pieces()),
        (Some(own), None) => own,
        (Some(own), Some(limits)) => own.literal(", confined: ").append(limits.pieces()),
    }
    .pieces()
}

/// Returns the rights of a run that asks for all of them because it failed confined.
pub fn full_access_after_failure() -> ShownText {
    Sentence::new("Failed confined; asks for full access").pieces()
}

/// Returns how far a run is kept from the network; `None` if it has it. On a Mac localhost is that of every program.
pub fn missing_network(network: bool, loopback: bool) -> Option<&'static str> {
    match (network, loopback) {
        (true, _) => None,
        (false, true) => Some("no network but localhost"),
        (false, false) => Some("no network"),
    }
}

/// Returns what a profile keeps a run from; `None` if nothing.
fn limits(confinement: &Confinement, home: &str) -> Option<Sentence> {
    Some(match confinement {
        Confinement::None => return None,
        Confinement::Look { .. } => Sentence::new("only reads, no network"),
        Confinement::Project { folders, network, loopback, .. } => {
            let missing = missing_network(*network, *loopback);
            let begun =
                missing.map_or_else(Sentence::default, |missing| Sentence::new(missing).literal(", "));
            let begun = begun.literal("writes only in ");
            let short = |folder: &String| from_home(folder, home).into_owned();
            begun.code_list(&folders.iter().map(short).collect::<Vec<_>>())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::confinement;
    use crate::piece::{pieces_to_text, to_pieces};
    use postern_policy::{Confinement, Origin};

    #[test]
    fn the_rights_of_a_run_are_one_line() {
        let agent = to_pieces("builder");
        let words = |origin, profile: &Confinement, tool: Option<&str>| {
            let tool = tool.map(to_pieces);
            pieces_to_text(&confinement(origin, profile, &agent, tool.as_ref(), "/Users/kim"))
        };
        let project = Confinement::project(vec!["/Users/kim/site".to_owned()], false, false);
        assert_eq!(words(Origin::Host, &Confinement::None, None), "Runs with your full access");
        let server = Confinement::project(vec!["/Users/kim/site".to_owned()], false, true);
        let got = words(Origin::Host, &server, None);
        assert_eq!(got, "Confined: no network but localhost, writes only in `~/site`");
        let got = words(Origin::Host, &Confinement::look_only(Vec::new()), None);
        assert_eq!(got, "Confined: only reads, no network");
        assert_eq!(words(Origin::Host, &project, None), "Confined: no network, writes only in `~/site`");
        assert_eq!(words(Origin::AgentShell, &Confinement::None, None), "Runs in builder’s own shell");
        let got = words(Origin::AgentShell, &project, None);
        assert_eq!(got, "Runs in builder’s own shell, confined: no network, writes only in `~/site`");
        let got = words(Origin::Tool, &Confinement::None, Some("Write"));
        assert_eq!(got, "Runs in builder, with its tool Write");
    }
}
