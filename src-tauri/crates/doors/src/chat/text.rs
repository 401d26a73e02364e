//! Texts of chat messages.

use super::approval::{Approval, Withheld};
use super::length::{cut, units};
use super::messenger::Message;
use super::settings::HighRisk;
use super::subject::{Subject, barred};
use postern_contract::chat::Verdict;
use postern_contract::methods::AuditRow;
use postern_contract::render::{Sentence, nothing_to_save};
use postern_contract::{ChatStatus, EnvChangeKind, Piece, Proposal, Question, Saved, Shown, plain};
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
    } else if Subject::of(question).units() > LINE
        || units(&plain(&question.cwd)) > CWD
        || units(&environment(question)) > ENVIRONMENT
        || units(&input(question)) > INPUT
        || units(&programs(question)) > PROGRAMS
        || units(&changeable(question)) > FILES
        || scripts(question).is_some_and(|scripts| units(&scripts) > SCRIPTS)
    {
        Some(Withheld::TooLong)
    } else {
        None
    }
}

/// Returns the question itself. Everything that an agent chose is quoted.
pub(super) fn notification(question: &Question, withheld: Option<Withheld>, now: Millis) -> Message {
    let mut message = Message::words("🔒 Exec approval required\nID: ");
    message.own(&question.code);
    Subject::of(question).write(&mut message, LINE);
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

/// Adds the agent, its session and its folder.
fn asker(question: &Question, message: &mut Message) {
    message.own("\nAgent: ").own(question.asker.agent.as_str());
    if question.origin == Origin::AgentShell {
        message.own("\nRuns in: the agent's own shell");
    }
    for (name, shown) in [("Session", &question.asker.session), ("Tool", &question.tool)] {
        if let Some(shown) = shown {
            message.own(&format!("\n{name}: ")).quoted(&cut(&plain(shown), NAME));
        }
    }
    let cwd = plain(&question.cwd);
    if !cwd.is_empty() {
        message.own("\nFolder: ").quoted(&cut(&cwd, CWD));
    }
}

/// Adds the other facts that a person needs to judge it.
fn details(question: &Question, message: &mut Message) {
    message.own("\n\n").sentence(&cut_pieces(&question.headline, REASONS));
    asker(question, message);
    let level = match question.risk.level {
        RiskLevel::Safe => "low",
        RiskLevel::NeedsReview => "needs review",
        RiskLevel::Dangerous => "HIGH",
    };
    message.own("\nRisk: ").own(level);
    if !question.risk.reasons.is_empty() {
        message.own(": ").sentence(&cut_pieces(&reasons(question), REASONS));
    }
    let changeable = changeable(question);
    if !changeable.is_empty() {
        message.own("\nNot held: the agent can change ").quoted(&cut(&changeable, FILES));
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
            message.own(":\n").quoted(&cut(&input(question), INPUT));
        }
    }
    if question.requests.len() > 1 {
        message.own(&format!("\nAsked {} times: an approval allows one of them", question.requests.len()));
    }
    for renewal in &question.renews {
        let (program, change) = (plain(&renewal.program), &renewal.change);
        message.own("\nChanged: ").quoted(&cut(&format!("{program} ({change})"), FILES));
    }
    match saves(question) {
        Ok(offer) if offer.renews > 0 => message.own("\nAlways: ").quoted(&plain(&offer.label)),
        Ok(offer) => message.own("\nAlways saves: ").quoted(&plain(&offer.label)),
        Err(why) => message.own("\nAlways saves nothing: ").own(nothing_to_save(why)),
    };
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

/// Lists the files that the agent can change until they run.
fn changeable(question: &Question) -> String {
    question.changeable.iter().map(|shown| plain(shown)).collect::<Vec<_>>().join(" and ")
}

/// Returns the offer that *always* saves from a chat, or the reason why it saves nothing. It must fit into the message.
pub(super) fn saves(question: &Question) -> Result<&Proposal, NothingToSave> {
    let offer = *question.placed()?.first().ok_or(NothingToSave::NoRuleHelps)?;
    if units(&plain(&offer.label)) > SAVES {
        return Err(NothingToSave::NotShown);
    }
    Ok(offer)
}

/// Returns the lines of standard input.
fn input(question: &Question) -> String {
    let lines = question.stdin.as_ref().map_or(&[][..], postern_contract::ShownInput::lines);
    barred(&lines.iter().map(|shown| plain(shown)).collect::<Vec<_>>())
}

/// Returns the paths of the programs.
fn programs(question: &Question) -> String {
    let paths = question.programs.iter().map(|program| match &program.real_path {
        Some(real) => format!("{} → {}", plain(&program.path), plain(real)),
        None => plain(&program.path),
    });
    paths.collect::<Vec<_>>().join(", ")
}

/// Returns the scripts that would run, with their first lines.
fn scripts(question: &Question) -> Option<String> {
    let scripts = question.programs.iter().filter_map(|program| program.script.as_ref());
    let scripts = scripts.map(|script| {
        let lines: Vec<String> = script.preview.iter().map(|shown| plain(shown)).collect();
        format!("{} ({})\n{}", plain(&script.path), script.short_hash, barred(&lines))
    });
    let scripts: Vec<String> = scripts.collect();
    (!scripts.is_empty()).then(|| scripts.join("\n"))
}

/// Writes the message of a decided question, with the rules that the answer saved.
pub(super) fn decided(approval: &Approval, saved: &[Saved]) -> Message {
    let sign = match approval.status {
        ChatStatus::Pending => "🔒",
        ChatStatus::Approved => "✅",
        ChatStatus::Denied => "❌",
        ChatStatus::Expired => "⌛",
    };
    let outcome = approval.outcome.as_deref().unwrap_or("Waits no more");
    let mut message = Message::words(format!("{sign} {outcome}\nID: "));
    message.own(&approval.code).own("\nCommand: ").quoted(&cut(&approval.line, LINE));
    for saved in saved.iter().take(CHANGES) {
        message.own("\nSaved: ").quoted(&cut(&saved.to_string(), CHANGE));
    }
    message.own("\n\nAgent: ").own(approval.agent.as_str());
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
    /// Starts with one change.
    pub(super) fn of(change: &AuditRow) -> Self {
        Self { told: vec![(change.summary.clone(), change.by.words())], more: 0 }
    }

    /// Adds a change.
    pub(super) fn add(&mut self, change: &AuditRow) {
        if self.told.len() < CHANGES {
            self.told.push((change.summary.clone(), change.by.words()));
        } else {
            self.more += 1;
        }
    }

    /// Writes the message. Quotes summaries and names, which may hold text of an agent.
    pub(super) fn message(&self) -> Message {
        let mut message = Message::words("🔓 More may run now");
        for (summary, who) in &self.told {
            message.own("\n").quoted(&cut(summary, CHANGE)).own("\nBy: ").quoted(&cut(who, CHANGE));
        }
        if self.more > 0 {
            message.own(&format!("\nand {} more: ", self.more)).quoted("postern audit");
        }
        message
    }
}

/// Returns the change of an older message when another one shows what the question is now.
pub(super) fn outdated(approval: &Approval) -> Message {
    let mut message = Message::words("🔁 This changed: a newer message shows what would run now\nID: ");
    message.own(&approval.code);
    message
}

/// Returns the reply to an answer that comes too late.
pub(super) fn too_late(approval: &Approval) -> Message {
    let outcome = approval.outcome.as_deref().unwrap_or("it waits no more");
    Message::words(format!("{} waits no more: {outcome}. Your answer changed nothing.", approval.code))
}

/// Returns the reply to an approval that a chat may not give.
pub(super) fn not_from_here(code: &str, why: Withheld) -> Message {
    let mut message = Message::words(format!("{code} cannot be approved from here: {}. ", why_withheld(why)));
    message.own("Approve it on the Mac, or deny it: ").quoted(&format!("/deny {code}"));
    message
}

/// Returns the reason, in words.
pub(super) fn why_withheld(why: Withheld) -> &'static str {
    match why {
        Withheld::HighRisk => "its risk is high",
        Withheld::TooLong => "it is too long to be shown here in full",
    }
}

/// Returns the reasons of the risk as one sentence.
fn reasons(question: &Question) -> Shown {
    let mut all = Sentence::default();
    for (at, reason) in question.risk.reasons.iter().enumerate() {
        all = if at > 0 { all.say("; ") } else { all }.then(reason.clone());
    }
    all.pieces()
}

/// Pieces of up to so many UTF-16 units, and a sign that there was more.
fn cut_pieces(pieces: &Shown, most: usize) -> Shown {
    let mut left = most;
    let mut kept = Shown::new();
    for piece in pieces {
        let length = units(&piece.text);
        if length > left {
            kept.push(Piece { text: cut(&piece.text, left), kind: piece.kind });
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
        notification, units, withheld,
    };
    use crate::chat::approval::Withheld;
    use crate::chat::settings::HighRisk;
    use postern_contract::Question;
    use postern_contract::methods::{AuditBy, AuditRow};
    use serde_json::{Value, json};

    /// Length of a Telegram message, less the line about its reactions.
    const MOST: usize = 4096 - 60;

    fn text(length: usize) -> Value {
        json!([{"text": "x".repeat(length), "kind": "plain"}])
    }

    /// Returns a question with every part as long as it may be.
    fn longest() -> Value {
        let program = json!({"name": text(3), "path": text(PROGRAMS), "realPath": null, "version": null,
            "shortHash": null, "signer": null, "remarks": [], "script": {"path": text(SCRIPTS - 12), "shortHash": "12345678", "preview": []}});
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
        let shown = notification(&question, None, 0).text();
        assert!(units(&shown) <= MOST, "{} units", units(&shown));
        for part in ["\nSession: ", "\nTool: ", "\n64 more of this agent", "\nNot held: ", "\nAlways saves: "]
        {
            assert!(shown.contains(part), "{part}");
        }
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
        let shown = notification(&question, None, 0).text();
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
        let mut changes = Changes::of(&change);
        (0..CHANGES + 2).for_each(|_| changes.add(&change));
        let told = changes.message().text();
        assert!(told.ends_with("\nand 3 more: postern audit") && units(&told) <= MOST, "{}", units(&told));
        assert_eq!(told.matches("\nBy: terminal").count(), CHANGES, "{CHANGE} units of each");
    }
}
