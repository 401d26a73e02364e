//! Rows of lists, from what is stored.

use crate::book::{AgentEntry, ListedRule, state_of};
use crate::clock::{ends_by_the_wall, shown_end};
use crate::gate::{shown_path, to_pieces};
use postern_command::escape;
use postern_contract::{AgentRow, RequestRow, RuleRow, SkillCli, SkillRow};
use postern_contract::{render, without_secrets};
use postern_policy::{Millis, pattern_text};
use postern_store::requests::Summary;
use postern_store::skills::{Skill, StoredSkillCli};

/// Shown characters of a hash.
const SHORT: usize = 8;

pub(super) fn agent_row(entry: &AgentEntry, last_seen_at: Option<Millis>, connected: bool) -> AgentRow {
    let agent = &entry.agent;
    AgentRow {
        id: agent.id.clone(),
        name: agent.name.clone(),
        color: agent.color.clone(),
        icon: agent.icon,
        settings: agent.settings.clone(),
        preset: agent.settings.preset(),
        connected,
        socket: entry.folder.socket().to_string_lossy().into_owned(),
        key_file: entry.folder.key_file().to_string_lossy().into_owned(),
        uids: agent.uids.clone(),
        allow_rules: entry.allow_rules,
        deny_rules: entry.deny_rules,
        created_at: agent.created_at,
        last_seen_at,
        denied_until: agent.denied_until.map(shown_end),
        locked: entry.locked.clone(),
    }
}

/// Returns a rule in a list, with its folder as it is shown to the person whose home folder is `home`.
pub(super) fn rule_row(listed: ListedRule, home: &str) -> RuleRow {
    let ListedRule { mut rule, from, remarks } = listed;
    // It tells of a past request.
    rule.usage.last_command = rule.usage.last_command.as_deref().map(without_secrets);
    rule.lifetime = ends_by_the_wall(rule.lifetime);
    let escaped = |text: &Option<String>| text.as_deref().map(escape::visible_text);
    RuleRow {
        shown: render::rule_pattern(&rule),
        text: pattern_text(&rule.pattern),
        place: rule.folder.as_deref().map(|folder| shown_path(folder, home)),
        last_path: escaped(&rule.usage.last_path),
        why: escaped(&rule.why),
        rule,
        from,
        remarks,
    }
}

/// Returns a skill with its paths as they are shown to the person whose home folder is `home`.
pub(super) fn skill_row(skill: &Skill, home: &str) -> SkillRow {
    SkillRow {
        name: skill.name.clone(),
        description: skill.description.clone(),
        folder: skill.folder.clone(),
        shown: to_pieces(&skill.name),
        about: to_pieces(&skill.description),
        place: shown_path(&skill.folder, home),
        clis: skill.clis.iter().map(|cli| cli_row(cli, home)).collect(),
        problem: skill.problem.as_deref().map(escape::visible_text),
    }
}

fn cli_row(cli: &StoredSkillCli, home: &str) -> SkillCli {
    SkillCli {
        name: cli.name.clone(),
        path: cli.path.clone(),
        shown: to_pieces(&cli.name),
        place: cli.path.as_deref().map(|path| shown_path(path, home)),
        rule: cli.rule,
        state: state_of(cli),
        short_hash: cli.seen.as_ref().map(|seen| seen.sha256.chars().take(SHORT).collect()),
        version: cli.seen.as_ref().and_then(|seen| seen.version.clone()),
    }
}

pub(crate) fn request(summary: &Summary) -> RequestRow {
    RequestRow {
        id: summary.id.to_string(),
        request_id: summary.request_id.clone(),
        agent: summary.agent.clone(),
        origin: summary.origin,
        session: summary.session.as_deref().map(escape::visible_text),
        line: summary.line.clone(),
        state: summary.phase,
        ending: summary.ending,
        exit_code: summary.exit_code,
        approver: summary.answered_by.clone(),
        at: summary.received_at,
        duration_ms: duration(summary),
        risk: summary.risk.as_ref().map(render::risk_text),
        decided: summary.decided(),
        rule: summary.rule_id(),
    }
}

fn duration(summary: &Summary) -> Option<u64> {
    u64::try_from(summary.ended_at? - summary.started_at?).ok()
}
