//! Builder of questions from the plan, the facts and the verdict, every text through the one escape.

mod call;
mod command;
mod programs;
mod text;

use super::call::AgentToolCall;
use super::judge::JudgedRequest;
use crate::ask::arming;
use crate::book::AgentEntry;
pub(crate) use call::kept_subject;
pub(crate) use command::body_lines;
use postern_command::effect::{WordRole, roles_of_words};
use postern_command::escape;
use postern_contract::render::{self, AskedFacts, AskedUse};
use postern_contract::{
    Asker, EnvChange, EnvChangeKind, OfferFolder, Past, Piece, Proposal, ProposedRule, Question, Renewal,
    RenewedRule, ShownInput, ShownRisk, ShownStep, ShownSubject, ShownText, stands_alone,
};
use postern_policy::environment::{ChangeKind, VariableChange};
use postern_policy::{
    AlwaysOffer, Fallback, Millis, NothingToSave, Origin, Pattern, Pin, RiskLevel, Rule, Settings,
    pattern_text,
};
use postern_protocol::{RunParams, RunStdin, What, encode_hex};
use postern_request::{Digest, Launch};
use sha2::{Digest as _, Sha256};
use std::path::Path;
use text::{MOST, length};
pub(crate) use text::{shown_path, to_pieces};
use uuid::Uuid;

/// Number of rules to renew that a question names.
const LISTED: usize = 20;

pub(super) struct QuestionInputs<'a> {
    pub(super) id: Uuid,
    pub(super) code: String,
    pub(super) entry: &'a AgentEntry,
    pub(super) run: &'a RunParams,
    pub(super) judged: &'a JudgedRequest,
    pub(super) at: Millis,
    pub(super) expires_at: Millis,
    /// The request, by the host's own id.
    pub(super) request: Uuid,
    /// The person's home folder, which paths are shown below as `~`.
    pub(super) home: &'a str,
    /// Command that the agent asked for, if a person changed it.
    pub(super) edited: Option<ShownText>,
    /// Earlier requests of its session.
    pub(super) recent: Vec<Past>,
    pub(super) call: Option<&'a AgentToolCall>,
    /// Meaning of silence about it.
    pub(super) fallback: Fallback,
}

/// Returns the question; `None` if it cannot be shown in full.
pub(super) fn question(asked: &QuestionInputs<'_>) -> Option<Question> {
    let QuestionInputs { run, judged, entry, .. } = asked;
    let shown_call = asked.call.map(|call| call::shown_call(call, judged));
    let call::ShownCall { tool, subject, command, line } = shown_call.unwrap_or_else(|| call::ShownCall {
        tool: None,
        subject: ShownSubject::Command,
        command: command::command_parts(&judged.reading),
        line: escape::visible_text(&judged.reading.text),
    });
    let mut question = Question {
        id: asked.id.to_string(),
        code: asked.code.clone(),
        digest: String::new(),
        requests: vec![asked.request.to_string()],
        asker: build_asker(entry, run),
        origin: judged.plan.origin,
        tool,
        subject,
        command,
        bodies: body_lines(&judged.reading),
        line,
        argv: shown_argv(&run.what, &judged.plan.launch),
        shell: matches!(judged.plan.launch, Launch::Shell { .. }),
        editable: editable(&run.what).filter(|_| judged.plan.origin.is_host()),
        edited: asked.edited.clone(),
        steps: Vec::new(),
        programs: programs::programs(judged, asked.home),
        changeable: programs::changeable(judged),
        cwd: shown_path(&judged.plan.cwd.path, asked.home),
        repository: judged.context.repository.name.as_deref().map(to_pieces),
        branch: judged.context.repository.branch.as_deref().map(to_pieces),
        env: judged.changes.iter().map(change).collect(),
        stdin: shown_stdin(&run.stdin),
        host: None,
        headline: ShownText::default(),
        danger: Vec::new(),
        confinement: ShownText::default(),
        tighter: Vec::new(),
        confined_by_person: false,
        why: ShownText::default(),
        rule: None,
        policy: ShownText::default(),
        trace: Vec::new(),
        risk: ShownRisk { level: judged.verdict.risk.level, reasons: Vec::new() },
        alone: false,
        proposals: Vec::new(),
        renews: Vec::new(),
        env_setting: None,
        nothing_to_save: None,
        asked_at: asked.at,
        expires_at: asked.expires_at,
        at_zero: ShownText::default(),
        allowed_at_zero: false,
        arming_ms: 0,
        waiting: 0,
        queued: 0,
        refused: 0,
        recent: asked.recent.clone(),
    };
    refresh(&mut question, judged, (&entry.policy.settings, asked.fallback), (asked.home, &[]));
    (text_size(&question) <= MOST).then_some(question)
}

/// Writes into a question what comes of the policy and the meaning of silence, as they are now. Gives whether anything is
/// different.
///
/// `notes` end its reason.
pub(super) fn refresh(
    question: &mut Question,
    judged: &JudgedRequest,
    (settings, fallback): (&Settings, Fallback),
    (home, notes): (&str, &[Piece]),
) -> bool {
    let verdict = &judged.verdict;
    let mut proposals: Vec<Proposal> =
        judged.offers.iter().map(|offer| proposal(offer, judged, home)).collect();
    for proposal in &mut proposals {
        keep_count(proposal, &question.proposals);
    }
    // A command that a person changed runs by their yes only, and the fallback does not speak for a tool that runs no command.
    let falls_back = question.edited.is_none() && judged.plan.origin != Origin::Tool;
    let headline_risk = match judged.plan.origin {
        Origin::Tool => &call::with_person_paths(&verdict.risk, &judged.plan.cwd.path, home),
        Origin::Host | Origin::AgentShell => &verdict.risk,
    };
    let why = render::asked_because(
        verdict,
        &AskedFacts {
            used: &asked_use(judged, home),
            agent: &question.asker.name,
            asked_at: question.asked_at,
            last_allowed: &judged.context.last_allowed,
        },
    );
    let now = with_digest(
        &judged.digest,
        Question {
            steps: render::shown_steps(verdict).into_iter().map(escape_step).collect(),
            headline: render::headline(&question.asker.name, headline_risk, &verdict.steps),
            danger: render::danger(&verdict.risk),
            confinement: confinement(question, judged, home),
            tighter: judged.context.tighter.clone(),
            why: [&why, notes].concat(),
            rule: verdict.rule.clone(),
            policy: match judged.plan.origin {
                Origin::Host | Origin::AgentShell => render::policy(settings),
                Origin::Tool => render::tool_policy(),
            },
            trace: render::shown_trace(&verdict.trace),
            risk: ShownRisk { level: verdict.risk.level, reasons: render::beyond_headline(&verdict.risk) },
            alone: stands_alone(&verdict.risk),
            proposals,
            renews: renewals(judged, home),
            env_setting: env_setting(judged, settings),
            nothing_to_save: judged.nothing_to_save.map(Into::into),
            at_zero: if falls_back { render::at_zero(fallback) } else { render::denied() },
            allowed_at_zero: falls_back && fallback != Fallback::Deny,
            arming_ms: arming_ms(verdict.risk.level),
            ..question.clone()
        },
    );
    let differs = now != *question;
    *question = now;
    differs
}

/// Returns the rights that the request would run with.
fn confinement(question: &Question, judged: &JudgedRequest, home: &str) -> ShownText {
    let plan = &judged.plan;
    if judged.context.failed_confined && plan.confinement.is_none() {
        return render::full_access_after_failure();
    }
    let (agent, tool) = (&question.asker.name, question.tool.as_ref());
    render::confinement(plan.origin, &plan.confinement, agent, tool, home)
}

/// Returns what the person allows or not, to be named in the reason.
fn asked_use(judged: &JudgedRequest, home: &str) -> AskedUse {
    judged.call.as_ref().map_or(AskedUse::Command, |facts| call::asked_use(facts.call(), home))
}

/// Returns a question with the digest that an answer names: of the plan, how dangerous it is, and all that *always* would save.
fn with_digest(plan: &Digest, question: Question) -> Question {
    let offers =
        question.proposals.iter().map(|offer| (&offer.id, &offer.label, &offer.folder, &offer.rules));
    let offers: Vec<_> = offers.collect();
    // Texts and lists always have a JSON form.
    let shown =
        serde_json::to_vec(&(plan, question.risk.level, offers, &question.renews)).unwrap_or_default();
    Question { digest: encode_hex(&Sha256::digest(shown)), ..question }
}

/// Keeps the count of an offer while it would save the same rules.
pub(super) fn keep_count(proposal: &mut Proposal, counted: &[Proposal]) {
    let same = counted.iter().find(|other| other.id == proposal.id && other.rules == proposal.rules);
    if let Some(count) = same.and_then(|other| other.would_match) {
        proposal.would_match = Some(count);
    }
}

/// Returns the words of a command; `None` for a line that a shell runs.
fn shown_argv(what: &What, launch: &Launch) -> Option<Vec<ShownText>> {
    match (what, launch) {
        (What::Command(argv), Launch::Argv { .. } | Launch::Shell { .. })
        | (What::Shell(_), Launch::Argv { argv }) => Some(argv.iter().map(|word| to_pieces(word)).collect()),
        (What::Shell(_), Launch::Shell { .. }) | (_, Launch::Nothing) => None,
    }
}

/// Returns the command as a person can change it: where every character of it can be seen.
fn editable(what: &What) -> Option<String> {
    let text = match what {
        What::Command(argv) => postern_command::quote_argv(argv),
        What::Shell(text) => text.clone(),
    };
    escape::is_plain(&text.replace('\n', " ")).then_some(text)
}

fn build_asker(entry: &AgentEntry, run: &RunParams) -> Asker {
    Asker {
        agent: entry.agent.id.clone(),
        name: to_pieces(&entry.agent.name),
        color: entry.agent.color.clone(),
        icon: entry.agent.icon,
        known_by: render::own_channel(),
        session: run.session.as_deref().map(to_pieces),
        session_kind: run.session_kind,
        says: run.reason.as_deref().map(to_pieces),
    }
}

/// Returns the step with its own texts escaped.
pub(crate) fn escape_step(step: ShownStep) -> ShownStep {
    ShownStep {
        argv: step.argv.map(|argv| argv.iter().map(|word| escape::visible_text(word)).collect()),
        text: escape::visible_text(&step.text),
        program: step.program.as_deref().map(escape::visible_text),
        path: step.path.as_deref().map(escape::visible_text),
        ..step
    }
}

fn change(change: &VariableChange) -> EnvChange {
    EnvChange {
        kind: match change.kind {
            ChangeKind::Added | ChangeKind::Passed => EnvChangeKind::Added,
            ChangeKind::Changed => EnvChangeKind::Changed,
        },
        name: to_pieces(&change.name),
        value: to_pieces(&change.value),
        was: change.was.as_deref().map(to_pieces),
    }
}

/// Returns standard input with all its text: what is too long to be shown cannot be allowed.
fn shown_stdin(stdin: &RunStdin) -> Option<ShownInput> {
    match stdin {
        RunStdin::Nothing => None,
        RunStdin::Text(text) => {
            let lines = text.strip_suffix('\n').unwrap_or(text).split('\n').map(to_pieces).collect();
            Some(ShownInput::Text { bytes: u64::try_from(text.len()).unwrap_or(u64::MAX), lines })
        }
        RunStdin::Stream => Some(ShownInput::Stream),
    }
}

fn proposal(offer: &AlwaysOffer, judged: &JudgedRequest, home: &str) -> Proposal {
    let (cwd, branch) = (&judged.plan.cwd.path, judged.context.repository.branch.as_deref());
    let folder = offer.folder.as_deref().map(|folder| shown_path(folder, home));
    let mut label = render::offer_phrase(&offer.label, home);
    let renews: usize = offer.renews.iter().map(|renewal| renewal.rules.len()).sum();
    match &folder {
        // A line of a file is in no folder, and a renewed rule stays where it holds.
        None if renews > 0 || offer.drafts.is_empty() => {}
        Some(folder) => {
            label.extend(to_pieces(", in "));
            label.extend(folder.iter().cloned());
            label.extend(to_pieces(" and below"));
        }
        None => label.extend(to_pieces(", in any folder")),
    }
    let rules = offer.drafts.iter().map(|draft| ProposedRule {
        pattern: draft.pattern.clone(),
        words: word_roles(&draft.pattern, branch),
        text: escape::visible_text(&pattern_text(&draft.pattern)),
        pinned: draft.pin.is_some(),
        signed: draft.pin.as_ref().is_some_and(Pin::is_signed),
        folder: offer.folder.clone(),
        input: draft.input.clone(),
        confine: draft.confine,
    });
    let renews = u32::try_from(renews).unwrap_or(u32::MAX);
    Proposal {
        id: offer.id.to_owned(),
        label,
        folder,
        folders: other_folders(offer, cwd, home),
        rules: rules.collect(),
        renews,
        would_match: None,
    }
}

/// Returns the role of each word of a pattern; empty if a shell would read its words otherwise than they are written.
fn word_roles(pattern: &Pattern, branch: Option<&str>) -> Vec<WordRole> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./~* -".contains(c);
    let text = pattern_text(pattern);
    if !matches!(pattern, Pattern::Command(_) | Pattern::Exact(_)) || !text.chars().all(is_plain) {
        return Vec::new();
    }
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let mut roles = roles_of_words(&words);
    let is_git = words.first().is_some_and(|program| program == "git");
    for (role, word) in roles.iter_mut().zip(&words) {
        // A branch has slashes as a path has: what the repository is on is one.
        if is_git && *role == WordRole::None && Some(word.as_str()) == branch {
            *role = WordRole::Branch;
        }
    }
    if roles.iter().all(|role| *role == WordRole::None) { Vec::new() } else { roles }
}

/// Returns the folders besides its own in which an offer could hold: those around the request's, as far as the home folder.
fn other_folders(offer: &AlwaysOffer, cwd: &str, home: &str) -> Vec<OfferFolder> {
    let around = || Path::new(cwd).ancestors().filter_map(Path::to_str);
    let Some(own) = offer.folder.as_deref().filter(|own| around().any(|folder| folder == *own)) else {
        return Vec::new();
    };
    let is_choice = |folder: &&str| {
        let (path, home) = (Path::new(folder), Path::new(home));
        let below = |above: &Path| path.starts_with(above) && path != above;
        (below(home) || below(Path::new(own))) && *folder != own && escape::is_visible(folder)
    };
    let folder = |path: &str| OfferFolder { path: path.to_owned(), shown: shown_path(path, home) };
    around().filter(is_choice).map(folder).collect()
}

/// Returns the agent's `env-set` with which the variables of this request are not asked about, where they are
/// why nothing can be saved.
fn env_setting(judged: &JudgedRequest, settings: &Settings) -> Option<String> {
    judged.nothing_to_save.filter(|why| *why == NothingToSave::Environment)?;
    let mut setting = settings.env_set.clone();
    setting.extend(judged.env_to_ask.iter().filter(|name| !settings.env_set.contains(name)).cloned());
    Some(escape::visible_text(&setting.join(",")))
}

/// Returns the possible renewals, program by program: the widest offer has all of them.
fn renewals(judged: &JudgedRequest, home: &str) -> Vec<Renewal> {
    let Some(widest) = judged.offers.iter().rfind(|offer| !offer.renews.is_empty()) else {
        return Vec::new();
    };
    let rule = |rule: &Rule| RenewedRule {
        id: rule.id,
        agent: rule.agent.clone(),
        text: escape::visible_text(&pattern_text(&rule.pattern)),
    };
    let renewal = |renewal: &postern_policy::ProgramRenewal| Renewal {
        program: shown_path(&renewal.program, home),
        change: postern_contract::pieces_to_text(&render::difference(&renewal.change())),
        count: u32::try_from(renewal.rules.len()).unwrap_or(u32::MAX),
        rules: renewal.rules.iter().take(LISTED).map(rule).collect(),
    };
    widest.renews.iter().map(renewal).collect()
}

fn arming_ms(level: RiskLevel) -> u64 {
    u64::try_from(arming::delay_of(level).as_millis()).unwrap_or(u64::MAX)
}

/// Returns the bytes of the request's text that a person would have to read.
fn text_size(question: &Question) -> usize {
    let pieces = |shown: &ShownText| length(shown);
    let maybe = |shown: &Option<ShownText>| shown.as_ref().map_or(0, pieces);
    let command: usize = question.command.iter().map(|part| pieces(&part.text)).sum();
    let env: usize = question
        .env
        .iter()
        .map(|change| pieces(&change.name) + pieces(&change.value) + maybe(&change.was))
        .sum();
    let lines = question.stdin.as_ref().map_or(&[][..], ShownInput::text_lines);
    let input: usize = lines.iter().map(|line| pieces(line) + 1).sum();
    command
        + env
        + input
        + pieces(&question.cwd)
        + maybe(&question.repository)
        + maybe(&question.branch)
        + maybe(&question.asker.says)
        + maybe(&question.asker.session)
}
