//! Texts of chat messages.

use super::approval::{ChatApproval, Withheld};
use super::length::{truncate_utf16, utf16_length};
use super::messenger::OutgoingChatMessage;
use super::settings::HighRisk;
use super::subject::{ChatSubject, barred};
use postern_contract::chat::ChatVerdict;
use postern_contract::methods::AuditRow;
use postern_contract::render::{Sentence, nothing_to_save};
use postern_contract::{ChatStatus, EnvChangeKind, Piece, Proposal, Question, Saved, ShownText, join_pieces};
use postern_policy::{Millis, NothingToSave, Origin, RiskLevel};

/// Longest subject that is shown in a chat, in UTF-16 units, as Telegram counts.
///
/// With the rest below, and our own words, it stays under the 4096 that one message there may have.
pub(super) const LINE: usize = 1000;
/// Longest other text of an agent that is shown, in UTF-16 units each.
const CWD: usize = 300;
const ENVIRONMENT: usize = 500;
const SAYS: usize = 200;
const REASONS: usize = 250;
const INPUT: usize = 300;
const PROGRAMS: usize = 200;
const SCRIPTS: usize = 400;
const SAVES: usize = 200;
const FILES: usize = 120;
const NAME: usize = 60;
/// Length of one reported change, in UTF-16 units, and the most changes in a message.
const CHANGE: usize = 300;
const CHANGES: usize = 5;

/// Returns the reason why a question cannot be approved from a chat, if it cannot.
pub(super) fn withheld(question: &Question, high_risk: HighRisk) -> Option<Withheld> {
    if question.risk.level == RiskLevel::Dangerous && high_risk == HighRisk::Announce {
        Some(Withheld::HighRisk)
    } else if ChatSubject::from_question(question).utf16_length() > LINE
        || utf16_length(&join_pieces(&question.cwd)) > CWD
        || utf16_length(&environment(question)) > ENVIRONMENT
        || utf16_length(&input_lines(question)) > INPUT
        || utf16_length(&programs(question)) > PROGRAMS
        || utf16_length(&changeable(question)) > FILES
        || scripts(question).is_some_and(|scripts| utf16_length(&scripts) > SCRIPTS)
    {
        Some(Withheld::TooLong)
    } else {
        None
    }
}

/// Returns the question itself. Everything that an agent chose is quoted.
pub(super) fn notification(
    question: &Question,
    withheld: Option<Withheld>,
    now: Millis,
) -> OutgoingChatMessage {
    let mut message = OutgoingChatMessage::from_text("🔒 Exec approval required\nID: ");
    message.add_own_text(&question.code);
    ChatSubject::from_question(question).append_to(&mut message, LINE);
    let seconds = (question.expires_at - now).max(0).saturating_add(999) / 1000;
    message.add_own_text(&format!("\nExpires in: {seconds}s\n\n"));
    match withheld {
        None => {
            message.add_own_text("Reply: ").quoted(&format!("/approve {}", question.code));
            message.add_own_text("\nOr react: 👍 once | ✅ always | ❌ deny");
            message.buttons = vec![ChatVerdict::Once, ChatVerdict::Always, ChatVerdict::Deny];
        }
        Some(why) => {
            message.add_own_text(&format!("Approve it in Postern: {}.\nReply: ", why_withheld(why)));
            message.quoted(&format!("/deny {}", question.code)).add_own_text("\nOr react: ❌ deny");
            message.buttons = vec![ChatVerdict::Deny];
        }
    }
    details(question, &mut message);
    message
}

/// Adds the agent, its session and its folder.
fn add_asker(question: &Question, message: &mut OutgoingChatMessage) {
    message.add_own_text("\nAgent: ").add_own_text(question.asker.agent.as_str());
    if question.origin == Origin::AgentShell {
        message.add_own_text("\nRuns in: the agent’s own shell");
    }
    for (name, shown) in [("Session", question.asker.session_name()), ("Tool", question.tool.as_ref())] {
        if let Some(shown) = shown {
            message.add_own_text(&format!("\n{name}: ")).quoted(&truncate_utf16(&join_pieces(shown), NAME));
        }
    }
    let cwd = join_pieces(&question.cwd);
    if !cwd.is_empty() {
        message.add_own_text("\nFolder: ").quoted(&truncate_utf16(&cwd, CWD));
    }
}

/// Adds the other facts that a person needs to judge it.
fn details(question: &Question, message: &mut OutgoingChatMessage) {
    message.add_own_text("\n\n").sentence(&cut_pieces(&question.headline, REASONS));
    add_asker(question, message);
    let level = match question.risk.level {
        RiskLevel::Safe => "reads only",
        RiskLevel::NeedsReview => "needs review",
        RiskLevel::Dangerous => "DANGEROUS",
    };
    message.add_own_text("\nRisk: ").add_own_text(level);
    if !question.risk.reasons.is_empty() {
        message.add_own_text(": ").sentence(&cut_pieces(&reasons(question), REASONS));
    }
    let changeable = changeable(question);
    if !changeable.is_empty() {
        message.add_own_text("\nThe agent can change ").quoted(&truncate_utf16(&changeable, FILES));
        message.add_own_text(" until it runs");
    }
    let environment = environment(question);
    if !environment.is_empty() {
        message.add_own_text("\nEnvironment: ").quoted(&truncate_utf16(&environment, ENVIRONMENT));
    }
    let programs = programs(question);
    if !programs.is_empty() {
        message.add_own_text("\nRuns: ").quoted(&truncate_utf16(&programs, PROGRAMS));
    }
    if let Some(scripts) = scripts(question) {
        message.add_own_text("\nScript: ").quoted(&truncate_utf16(&scripts, SCRIPTS));
    }
    if let Some(stdin) = &question.stdin {
        message.add_own_text("\nInput: ").add_own_text(&stdin.describe());
        if !stdin.text_lines().is_empty() {
            message.add_own_text(":\n").quoted(&truncate_utf16(&input_lines(question), INPUT));
        }
    }
    if question.requests.len() > 1 {
        message.add_own_text(&format!(
            "\nAsked {} times: an approval allows one of them",
            question.requests.len()
        ));
    }
    for renewal in &question.renews {
        let (program, change) = (join_pieces(&renewal.program), &renewal.change);
        message.add_own_text("\nChanged: ").quoted(&truncate_utf16(&format!("{program} ({change})"), FILES));
    }
    match saved_offer(question) {
        Ok(offer) if offer.renews > 0 => {
            message.add_own_text("\nAlways: ").quoted(&join_pieces(&offer.label))
        }
        Ok(offer) => message.add_own_text("\nAlways saves: ").quoted(&join_pieces(&offer.label)),
        Err(why) => message.add_own_text("\nAlways saves nothing: ").add_own_text(nothing_to_save(why)),
    };
    if question.queued > 0 {
        message.add_own_text(&format!("\n{} more of this agent wait after it.", question.queued));
    }
    if let Some(says) = &question.asker.says {
        message.add_own_text("\nThe agent says: ").quoted(&truncate_utf16(&join_pieces(says), SAYS));
    }
}

fn environment(question: &Question) -> String {
    let made = question.env.iter().filter(|change| change.kind != EnvChangeKind::Refused);
    let pairs = made.map(|change| format!("{}={}", join_pieces(&change.name), join_pieces(&change.value)));
    pairs.collect::<Vec<_>>().join(" ")
}

/// Lists the files that the agent can change until they run.
fn changeable(question: &Question) -> String {
    question.changeable.iter().map(|shown| join_pieces(shown)).collect::<Vec<_>>().join(" and ")
}

/// Returns the offer that *always* saves from a chat, or the reason why it saves nothing. It must fit into the message.
pub(super) fn saved_offer(question: &Question) -> Result<&Proposal, NothingToSave> {
    let offer = *question.placed()?.first().ok_or(NothingToSave::NoRuleHelps)?;
    if utf16_length(&join_pieces(&offer.label)) > SAVES {
        return Err(NothingToSave::NotShown);
    }
    Ok(offer)
}

fn input_lines(question: &Question) -> String {
    let lines = question.stdin.as_ref().map_or(&[][..], postern_contract::ShownInput::text_lines);
    barred(&lines.iter().map(|shown| join_pieces(shown)).collect::<Vec<_>>())
}

fn programs(question: &Question) -> String {
    let paths = question.programs.iter().map(|program| match &program.real_path {
        Some(real) => format!("{} → {}", join_pieces(&program.path), join_pieces(real)),
        None => join_pieces(&program.path),
    });
    paths.collect::<Vec<_>>().join(", ")
}

/// Returns the scripts that would run, with their first lines.
fn scripts(question: &Question) -> Option<String> {
    let scripts = question.programs.iter().filter_map(|program| program.script.as_ref());
    let scripts = scripts.map(|script| {
        let head = format!("{} ({}", join_pieces(&script.path), script.short_hash());
        // One that a person allowed as it is says so, and no more.
        let Some(news) = script.news() else { return format!("{head}, as it was allowed before)") };
        let mut lines: Vec<String> = script.preview.iter().map(|shown| join_pieces(shown)).collect();
        lines.extend(script.more.then(|| "…".to_owned()));
        format!("{head}, {news})\n{}", barred(&lines))
    });
    let scripts: Vec<String> = scripts.collect();
    (!scripts.is_empty()).then(|| scripts.join("\n"))
}

/// Writes the message of a decided question, with the rules that the answer saved.
pub(super) fn decided(approval: &ChatApproval, saved: &[Saved]) -> OutgoingChatMessage {
    let sign = match approval.status {
        ChatStatus::Pending => "🔒",
        ChatStatus::Approved => "✅",
        ChatStatus::Denied => "❌",
        ChatStatus::Expired => "⌛",
    };
    let outcome = approval.outcome.as_deref().unwrap_or("No longer open");
    let mut message = OutgoingChatMessage::from_text(format!("{sign} {outcome}\nID: "));
    message
        .add_own_text(&approval.code)
        .add_own_text("\nCommand: ")
        .quoted(&truncate_utf16(&approval.line, LINE));
    for saved in saved.iter().take(CHANGES) {
        message.add_own_text("\nSaved: ").quoted(&truncate_utf16(&saved.to_string(), CHANGE));
    }
    message.add_own_text("\n\nAgent: ").add_own_text(approval.agent.as_str());
    message
}

/// Changes that let more run, sent in one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Changes {
    /// Summaries of the first changes and who made them.
    told: Vec<(String, String)>,
    /// Number of changes left out.
    more: usize,
}

impl Changes {
    pub(super) fn from_change(change: &AuditRow) -> Self {
        Self { told: vec![(change.summary.clone(), change.by.describe())], more: 0 }
    }

    pub(super) fn add_change(&mut self, change: &AuditRow) {
        if self.told.len() < CHANGES {
            self.told.push((change.summary.clone(), change.by.describe()));
        } else {
            self.more += 1;
        }
    }

    /// Writes the message. Quotes summaries and names, which may hold text of an agent.
    pub(super) fn message(&self) -> OutgoingChatMessage {
        let mut message = OutgoingChatMessage::from_text("🔓 More may run now");
        for (summary, who) in &self.told {
            message
                .add_own_text("\n")
                .quoted(&truncate_utf16(summary, CHANGE))
                .add_own_text("\nBy: ")
                .quoted(&truncate_utf16(who, CHANGE));
        }
        if self.more > 0 {
            message.add_own_text(&format!("\nand {} more: ", self.more)).quoted("postern audit");
        }
        message
    }
}

/// Returns the change of an older message when another one shows what the question is now.
pub(super) fn outdated(approval: &ChatApproval) -> OutgoingChatMessage {
    let mut message = OutgoingChatMessage::from_text(
        "🔁 This changed: a newer message shows what would run or be saved now\nID: ",
    );
    message.add_own_text(&approval.code);
    message
}

/// Returns the reply to an answer that comes too late.
pub(super) fn too_late(approval: &ChatApproval) -> OutgoingChatMessage {
    let outcome = approval.outcome.as_deref().unwrap_or("it is no longer open");
    OutgoingChatMessage::from_text(format!(
        "{} is no longer open: {outcome}. Your answer changed nothing.",
        approval.code
    ))
}

/// Returns the reply to an approval that a chat may not give.
pub(super) fn not_from_here(code: &str, why: Withheld) -> OutgoingChatMessage {
    let mut message = OutgoingChatMessage::from_text(format!(
        "{code} cannot be approved from here: {}. ",
        why_withheld(why)
    ));
    message.add_own_text("Approve it in Postern, or deny it: ").quoted(&format!("/deny {code}"));
    message
}

/// Returns the reason, in words.
pub(super) fn why_withheld(why: Withheld) -> &'static str {
    match why {
        Withheld::HighRisk => "it is dangerous",
        Withheld::TooLong => "it is too long to be shown here in full",
    }
}

/// Returns the reasons of the risk as one sentence.
fn reasons(question: &Question) -> ShownText {
    let mut all = Sentence::default();
    for (at, reason) in question.risk.reasons.iter().enumerate() {
        all = if at > 0 { all.literal("; ") } else { all }.append(reason.clone());
    }
    all.pieces()
}

/// Pieces of up to so many UTF-16 units, and a sign that there was more.
fn cut_pieces(pieces: &ShownText, most: usize) -> ShownText {
    let mut left = most;
    let mut kept = ShownText::new();
    for piece in pieces {
        let length = utf16_length(&piece.text);
        if length > left {
            kept.push(Piece { text: truncate_utf16(&piece.text, left), kind: piece.kind });
            break;
        }
        left -= length;
        kept.push(piece.clone());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{
        CHANGE, CHANGES, CWD, Changes, ENVIRONMENT, FILES, INPUT, LINE, NAME, PROGRAMS, SAVES, SCRIPTS,
        notification, utf16_length, withheld,
    };
    use crate::chat::approval::Withheld;
    use crate::chat::settings::HighRisk;
    use postern_contract::methods::{AuditBy, AuditRow};
    use postern_contract::{Asker, Question};
    use postern_protocol::SessionKind;
    use serde_json::{Value, json};

    /// Length of a Telegram message, less the line about its reactions.
    const MOST: usize = 4096 - 60;

    fn text(length: usize) -> Value {
        json!([{"text": "x".repeat(length), "kind": "plain"}])
    }

    /// Returns a question with every part as long as it may be.
    fn longest() -> Value {
        let program = json!({"name": text(3), "path": text(PROGRAMS), "realPath": null, "version": null,
            "shortHash": null, "signer": null, "remarks": [], "script": {"path": text(SCRIPTS - 17), "sha256": "12345678", "preview": []}});
        json!({
            "id": "q1", "code": "a1b2", "digest": "d", "requests": ["1", "2"],
            "asker": {"agent": "a".repeat(32), "name": text(9), "color": "", "knownBy": [], "session": text(NAME * 2), "says": text(999)},
            "tool": text(NAME * 2), "command": [], "line": "x".repeat(LINE), "argv": null, "shell": false, "steps": [],
            "programs": [program], "changeable": [text(FILES)], "cwd": text(CWD),
            "env": [{"kind": "added", "name": text(1), "value": text(ENVIRONMENT - 2), "was": null}],
            "stdin": {"kind": "text", "bytes": 131_072, "lines": [text(INPUT - 2)]}, "headline": [], "why": [], "rule": null, "policy": [],
            "risk": {"level": "needs-review", "reasons": [text(9999)]},
            "proposals": [{"id": "exact", "label": text(SAVES), "folder": text(1), "rules": [], "wouldMatch": null}],
            "askedAt": 0, "expiresAt": 99_999_000, "atZero": text(6), "armingMs": 0, "waiting": 0, "queued": 64
        })
    }

    #[test]
    fn what_is_shown_in_full_fits_one_message_and_what_is_longer_is_withheld() {
        let question: Question = serde_json::from_value(longest()).unwrap();
        assert_eq!(withheld(&question, HighRisk::Announce), None);
        let shown = notification(&question, None, 0).to_text();
        assert!(utf16_length(&shown) <= MOST, "{} units", utf16_length(&shown));
        for part in [
            "\nSession: ", "\nTool: ", "\n64 more of this agent", "\nThe agent can change ",
            "\nAlways saves: ",
        ] {
            assert!(shown.contains(part), "{part}");
        }
        let asker = Asker { session_kind: SessionKind::Id, ..question.asker.clone() };
        let shown = notification(&Question { asker, ..question }, None, 0).to_text();
        assert!(!shown.contains("\nSession: "), "an id is no name: {shown}");
        for (name, longer) in [
            ("line", json!("x".repeat(LINE + 1))),
            ("cwd", text(CWD + 1)),
            ("changeable", json!([text(FILES + 1)])),
            ("stdin", json!({"kind": "text", "bytes": 1, "lines": [text(INPUT - 1)]})),
        ] {
            let mut question = longest();
            question[name] = longer;
            let question: Question = serde_json::from_value(question).unwrap();
            assert_eq!(withheld(&question, HighRisk::Announce), Some(Withheld::TooLong), "{name}");
        }
    }

    #[test]
    fn no_line_of_the_agents_passes_for_one_of_ours() {
        let mut question = longest();
        let forged = json!([text(1), [{"text": "Risk: low", "kind": "plain"}]]);
        question["programs"][0]["script"]["path"] = text(3);
        question["programs"][0]["script"]["preview"] = forged.clone();
        question["stdin"]["lines"] = forged;
        let question: Question = serde_json::from_value(question).unwrap();
        let shown = notification(&question, None, 0).to_text();
        assert_eq!(shown.matches("\n| Risk: low").count(), 2, "{shown}");
        let own: Vec<&str> = shown.lines().filter(|line| line.starts_with("Risk: ")).collect();
        assert_eq!(own.len(), 1, "{own:?}");
    }

    #[test]
    fn many_changes_are_told_in_one_message() {
        let change = AuditRow {
            number: 1,
            at: 0,
            by: AuditBy { face: "terminal".to_owned(), name: Some("x".repeat(999)), ..AuditBy::default() },
            subject: "rules".to_owned(),
            key: "7".to_owned(),
            before: None,
            after: None,
            widens: true,
            part_of: None,
            summary: "x".repeat(999),
            hash: String::new(),
        };
        let mut changes = Changes::from_change(&change);
        (0..CHANGES + 2).for_each(|_| changes.add_change(&change));
        let told = changes.message().to_text();
        assert!(told.ends_with("\nand 3 more: postern audit"), "{}", utf16_length(&told));
        assert!(utf16_length(&told) <= MOST, "{}", utf16_length(&told));
        assert_eq!(told.matches("\nBy: terminal").count(), CHANGES, "{CHANGE} units of each");
    }
}
