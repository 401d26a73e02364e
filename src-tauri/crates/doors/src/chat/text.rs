//! What is said in a chat.

use super::approval::{Approval, Status, Withheld};
use super::messenger::Message;
use super::settings::HighRisk;
use postern_contract::chat::Verdict;
use postern_contract::{EnvChangeKind, Proposal, Question, Shown};
use postern_policy::{Millis, RiskLevel};

/// The longest command that is shown in a chat, in UTF-16 units, as Telegram counts: with the rest below, and our own words,
/// it stays under the 4096 that one message there may have.
const LINE: usize = 1200;
/// How much else of an agent's words is shown, in UTF-16 units each.
const CWD: usize = 300;
const ENVIRONMENT: usize = 500;
const SAYS: usize = 200;
const REASONS: usize = 300;
const INPUT: usize = 300;
const PROGRAMS: usize = 200;
const SCRIPTS: usize = 400;
const SAVES: usize = 200;
const FILES: usize = 120;

/// Why a question cannot be approved from a chat, if it cannot.
pub(super) fn withheld(question: &Question, high_risk: HighRisk) -> Option<Withheld> {
    if question.risk.level == RiskLevel::Dangerous && high_risk == HighRisk::Announce {
        Some(Withheld::HighRisk)
    } else if units(&question.line) > LINE
        || units(&plain(&question.cwd)) > CWD
        || units(&environment(question)) > ENVIRONMENT
        || units(&input(question)) > INPUT
        || units(&programs(question)) > PROGRAMS
        || scripts(question).is_some_and(|scripts| units(&scripts) > SCRIPTS)
    {
        Some(Withheld::TooLong)
    } else {
        None
    }
}

/// The question itself. Everything that an agent chose is quoted.
pub(super) fn notification(question: &Question, withheld: Option<Withheld>, now: Millis) -> Message {
    let mut message = Message::words("🔒 Exec approval required\nID: ");
    message.own(&question.code).own("\nCommand: ").quoted(&cut(&question.line, LINE));
    let seconds = (question.expires_at - now).max(0).saturating_add(999) / 1000;
    message.own(&format!("\nExpires in: {seconds}s\n\n"));
    match withheld {
        None => {
            message.own("Reply: ").quoted(&format!("/approve {}", question.code));
            message.own("\nOr react: 👍 once | ✅ always | ❌ deny");
            message.buttons = vec![Verdict::Once, Verdict::Always, Verdict::Deny];
        }
        Some(why) => {
            message.own(&format!("Approve it on the Mac: {}.\nReply: ", why_withheld(why)));
            message.quoted(&format!("/deny {}", question.code)).own("\nOr react: ❌ deny");
            message.buttons = vec![Verdict::Deny];
        }
    }
    details(question, &mut message);
    message
}

/// What else a person needs to judge it.
fn details(question: &Question, message: &mut Message) {
    message.own("\n\nAgent: ").own(question.asker.agent.as_str());
    let cwd = plain(&question.cwd);
    if !cwd.is_empty() {
        message.own("\nFolder: ").quoted(&cut(&cwd, CWD));
    }
    let level = match question.risk.level {
        RiskLevel::Safe => "low",
        RiskLevel::NeedsReview => "needs review",
        RiskLevel::Dangerous => "HIGH",
    };
    message.own("\nRisk: ").own(level);
    if !question.risk.reasons.is_empty() {
        message.own(": ").quoted(&cut(&question.risk.reasons.join("; "), REASONS));
    }
    if !question.changeable.is_empty() {
        let files: Vec<String> = question.changeable.iter().map(plain).collect();
        message.own("\nNot held: the agent can change ").quoted(&cut(&files.join(" and "), FILES));
        message.own(" until it runs");
    }
    let environment = environment(question);
    if !environment.is_empty() {
        message.own("\nEnvironment: ").quoted(&cut(&environment, ENVIRONMENT));
    }
    let programs = programs(question);
    if !programs.is_empty() {
        message.own("\nRuns: ").quoted(&cut(&programs, PROGRAMS));
    }
    if let Some(scripts) = scripts(question) {
        message.own("\nScript: ").quoted(&cut(&scripts, SCRIPTS));
    }
    if let Some(stdin) = &question.stdin {
        message.own("\nInput: ").own(&stdin.words());
        if !stdin.lines().is_empty() {
            message.own(": ").quoted(&cut(&input(question), INPUT));
        }
    }
    if question.requests.len() > 1 {
        message.own(&format!("\nAsked {} times: an approval allows one of them", question.requests.len()));
    }
    if let Some(offer) = question.proposals.first() {
        message.own("\nAlways saves: ").quoted(&cut(&plain(&offer.label), SAVES));
    }
    if question.queued > 0 {
        message.own(&format!("\n{} more of this agent wait behind it.", question.queued));
    }
    if let Some(says) = &question.asker.says {
        message.own("\nThe agent says: ").quoted(&cut(&plain(says), SAYS));
    }
}

fn environment(question: &Question) -> String {
    let made = question.env.iter().filter(|change| change.kind != EnvChangeKind::Refused);
    let pairs = made.map(|change| format!("{}={}", plain(&change.name), plain(&change.value)));
    pairs.collect::<Vec<_>>().join(" ")
}

/// Whether what *always* would save is shown here in full, and may be saved from here: in the folder that is shown.
pub(super) fn shows_offer(question: &Question, offer: &Proposal) -> bool {
    let placed = question.tool.is_some() || offer.folder.is_some();
    question.proposals.first() == Some(offer) && placed && units(&plain(&offer.label)) <= SAVES
}

/// Standard input, with its line breaks to be seen.
fn input(question: &Question) -> String {
    let lines = question.stdin.as_ref().map_or(&[][..], postern_contract::ShownInput::lines);
    lines.iter().map(plain).collect::<Vec<_>>().join("\n")
}

/// Where the programs lie.
fn programs(question: &Question) -> String {
    let paths = question.programs.iter().map(|program| match &program.real_path {
        Some(real) => format!("{} → {}", plain(&program.path), plain(real)),
        None => plain(&program.path),
    });
    paths.collect::<Vec<_>>().join(", ")
}

/// The scripts that would run, with their first lines.
fn scripts(question: &Question) -> Option<String> {
    let scripts = question.programs.iter().filter_map(|program| program.script.as_ref());
    let scripts = scripts.map(|script| {
        let lines: Vec<String> = script.preview.iter().map(plain).collect();
        format!("{} ({})\n{}", plain(&script.path), script.short_hash, lines.join("\n"))
    });
    let scripts: Vec<String> = scripts.collect();
    (!scripts.is_empty()).then(|| scripts.join("\n"))
}

/// What a message says once its question is decided.
pub(super) fn decided(approval: &Approval) -> Message {
    let sign = match approval.status {
        Status::Pending => "🔒",
        Status::Approved => "✅",
        Status::Denied => "❌",
        Status::Expired => "⌛",
    };
    let outcome = approval.outcome.as_deref().unwrap_or("Waits no more");
    let mut message = Message::words(format!("{sign} {outcome}\nID: "));
    message.own(&approval.code).own("\nCommand: ").quoted(&cut(&approval.line, LINE));
    message.own("\n\nAgent: ").own(approval.agent.as_str());
    message
}

/// What an older message says when another one shows what the question is now.
pub(super) fn outdated(approval: &Approval) -> Message {
    let mut message = Message::words("🔁 This changed: a newer message shows what would run now\nID: ");
    message.own(&approval.code);
    message
}

/// What is said to an answer that comes too late.
pub(super) fn too_late(approval: &Approval) -> Message {
    let outcome = approval.outcome.as_deref().unwrap_or("it waits no more");
    Message::words(format!("{} waits no more: {outcome}. Your answer changed nothing.", approval.code))
}

/// What is said to a yes that is not for a chat to give.
pub(super) fn not_from_here(code: &str, why: Withheld) -> Message {
    let mut message = Message::words(format!("{code} cannot be approved from here: {}. ", why_withheld(why)));
    message.own("Approve it on the Mac, or deny it: ").quoted(&format!("/deny {code}"));
    message
}

/// Why, in words.
pub(super) fn why_withheld(why: Withheld) -> &'static str {
    match why {
        Withheld::HighRisk => "its risk is high",
        Withheld::TooLong => "it is too long to be shown here in full",
    }
}

/// Shown text as one string: it was escaped when it was formed.
pub(super) fn plain(shown: &Shown) -> String {
    shown.iter().map(|piece| piece.text.as_str()).collect()
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Up to so many UTF-16 units, and a sign that there was more.
fn cut(text: &str, most: usize) -> String {
    let mut length = 0;
    for (start, c) in text.char_indices() {
        length += c.len_utf16();
        if length > most {
            return format!("{}…", &text[..start]);
        }
    }
    text.to_owned()
}
