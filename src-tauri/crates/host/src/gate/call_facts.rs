//! Lookup and judgment of a tool's use.
//!
//! A command of the agent's own shell is judged as every command is. Any other tool is judged by the agent's
//! `permissions.jsonc`, by the protected places that it touches, and by what denies a host command that does
//! the same to files.

use super::call::AgentToolCall;
use super::context::{QuestionContext, ReplacedFile};
use super::judge::{JudgedRequest, RequestJudgment, World, unjudged};
use super::link_ends::{LineFolders, judge_link_ends};
use super::look_up::{first_folder, readable};
use crate::clock::lasting;
use crate::lanes::refusal_of;
use crate::touches::{real_path, real_place, touches_of_line};
use postern_command::{Dialect, ParsedCommand, read_shell_at};
use postern_exec::resolve::{AgentReach, Cwd, ResolvedRequest, search_path};
use postern_policy::permissions::{
    FileUse, NamedPath, PathUse, acts_as, carried_commands, files_of_call, named_paths,
};
use postern_policy::tool_gate::{ToolVerdict, Touch, check_tool};
use postern_policy::{
    AgentPolicy, AlwaysOffer, Confinable, Confinement, Decision, Facts, Input, Millis, NothingToSave,
    OfferLabel, Origin, ProtectedPlaces, Reason, RequestedCommand, Risk, RiskLevel, SHELL_TOOL, Settings,
    ShellTouch, StepFacts, Subject, ToolCause, Verdict, against_classes, against_command_tool, against_files,
    expand_home, judge_request, judge_unanswered, propose, protect_in_own_shell, risk,
};
use postern_protocol::Defaults;
use postern_request::{BoundDir, BoundGit, Launch, Plan, PlanStdin, Refusal};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// The use of a tool with what was found about it beside its steps.
#[derive(Debug)]
pub(crate) struct CallFacts {
    call: Arc<AgentToolCall>,
    /// The protected places that a command touches.
    line: Vec<ShellTouch>,
    /// Files that another tool uses.
    files: FileFacts,
}

/// Files that a tool without a command uses.
#[derive(Debug, Default)]
struct FileFacts {
    /// The files as redirections from them and into them, and the folder that these would start in.
    command: Option<(ParsedCommand, Vec<StepFacts>, String)>,
    /// The protected places that it touches.
    touches: Vec<Touch>,
    files: Vec<FileUse>,
    /// The risk of commands that it carries, where its tool is none that is known to run them.
    carried: Option<Risk>,
}

/// Reads, looks up and judges the use of a tool.
pub(crate) fn judge_call(
    world: &World,
    policy: &AgentPolicy,
    version: u64,
    call: &Arc<AgentToolCall>,
    at: Millis,
) -> RequestJudgment {
    let mut judged = match &call.subject {
        Subject::Command(RequestedCommand::Shell(text)) => {
            let reading = read_shell_at(text, Dialect::Bash, &world.home);
            if let Some(invalid) = &reading.invalid {
                return RequestJudgment::Refused(Refusal::Unreadable(invalid.message.into()).into());
            }
            own_shell(world, policy, version, call, text, reading)
        }
        _ => other_tool(world, policy, version, call),
    };
    if let Some(overrun) = world.resolver.identities().overrun() {
        return RequestJudgment::Refused(refusal_of(overrun).into());
    }
    let verdict = judged.rejudge(world, policy, at);
    judged.decide(verdict, &world.home);
    judged.find_offers(world, policy, at);
    RequestJudgment::Judged(Box::new(judged))
}

/// Looks up a command of the agent's own shell.
///
/// The folder is the one that the agent names, which may be one in a sandbox that is none here; without one
/// it is where a host command of this agent would run.
fn own_shell(
    world: &World,
    policy: &AgentPolicy,
    version: u64,
    call: &Arc<AgentToolCall>,
    text: &str,
    reading: ParsedCommand,
) -> JudgedRequest {
    let folder = call.folder().map_or_else(|| first_folder(world, &policy.settings), str::to_owned);
    let programs = search_path(&policy.settings.search_path, &world.home);
    let opened = Cwd::open(&folder).ok();
    let cwd = opened
        .as_ref()
        .map_or_else(|| BoundDir { path: folder, device: 0, inode: 0 }, |opened| opened.bound.clone());
    let reach = AgentReach::of_agent(&policy.settings.folders, &world.home, &cwd.path);
    let resolver = world.resolver.reached_by(reach);
    let launch = Launch::Shell { text: text.to_owned() };
    let mut plan = build_plan(policy, version, call, launch, cwd);
    let mut open = None;
    let steps = if let Some(opened) = &opened {
        let ResolvedRequest { launch, steps, held } = resolver.resolve_command(&reading, opened, &programs);
        plan.launch = launch;
        plan.programs = held.bound_programs();
        plan.scripts = held.bound_scripts();
        open = Some(held);
        steps
    } else {
        resolver.resolve_steps(&reading, Path::new(&plan.cwd.path), &programs)
    };
    let mut judged = judged(policy, call, plan, reading, steps);
    if let Some(opened) = &opened {
        judged.folders.0 = readable(world, &policy.settings, opened);
        // A command without folders has nothing that a profile could be about.
        if call.rewrites && !judged.folders.0.is_empty() {
            judged.confinable = world.confines.confinable();
        }
    }
    judged.open = open.zip(opened);
    let touches = touches_of_line(&judged.policy_facts(world, policy, lasting()));
    if let Some(found) = &mut judged.call {
        found.line = touches;
    }
    judged
}

fn other_tool(world: &World, policy: &AgentPolicy, version: u64, call: &Arc<AgentToolCall>) -> JudgedRequest {
    let folder = call.cwd.clone().unwrap_or_default();
    let cwd = BoundDir { path: folder, device: 0, inode: 0 };
    let plan = build_plan(policy, version, call, Launch::Nothing, cwd);
    let mut judged = judged(policy, call, plan, ParsedCommand::default(), Vec::new());
    if let Some(found) = &mut judged.call {
        found.files = FileFacts::look_up(world, &policy.settings, call);
    }
    judged
}

fn build_plan(
    policy: &AgentPolicy,
    version: u64,
    call: &Arc<AgentToolCall>,
    launch: Launch,
    cwd: BoundDir,
) -> Plan {
    Plan {
        agent: policy.agent.clone(),
        session: call.session.clone(),
        origin: call.origin(),
        call: Some(call.bound_call()),
        launch,
        programs: Vec::new(),
        scripts: Vec::new(),
        cwd,
        confinement: Confinement::None,
        env: Vec::new(),
        git: BoundGit::default(),
        stdin: PlanStdin::Nothing,
        timeout_ms: None,
        policy: version,
    }
}

fn judged(
    policy: &AgentPolicy,
    call: &Arc<AgentToolCall>,
    plan: Plan,
    reading: ParsedCommand,
    steps: Vec<StepFacts>,
) -> JudgedRequest {
    let digest = plan.digest();
    let found = CallFacts { call: Arc::clone(call), line: Vec::new(), files: FileFacts::default() };
    JudgedRequest {
        reading,
        steps,
        verdict: unjudged(),
        offers: Vec::new(),
        nothing_to_save: None,
        changes: Vec::new(),
        context: QuestionContext::default(),
        digest,
        open: None,
        counted: None,
        session: call.session.clone(),
        shell: plan.launch != Launch::Nothing,
        env_to_ask: Vec::new(),
        input: Input::Nothing,
        confinable: Confinable::NONE,
        confine: None,
        under_way: false,
        folders: (Vec::new(), policy.settings.folders.clone()),
        call: Some(Box::new(found)),
        plan,
    }
}

impl FileFacts {
    /// Looks a call up. Reads the disk where the call names a path or a command.
    fn look_up(world: &World, settings: &Settings, call: &AgentToolCall) -> Self {
        let (tool, arguments) = (call.tool.as_str(), &call.arguments);
        let mut paths = named_paths(tool, arguments);
        // A folder among the arguments is the model's word; the agent's own is where its tools start.
        let folder = call.cwd.as_deref().or_else(|| call.folder());
        let folder = folder.map_or_else(|| first_folder(world, settings), str::to_owned);
        let reached = |written: &str| {
            let path = Path::new(&folder).join(written);
            real_path(&path).unwrap_or_else(|| path.to_string_lossy().into_owned())
        };
        let text = acts_as(tool, arguments, &world.home, &world.data, reached);
        let carried = carried_commands(arguments);
        if paths.is_empty() && text.is_none() && carried.is_empty() {
            return Self::default();
        }
        let command = text.map(|text| {
            let reading = read_shell_at(&text, Dialect::Bash, &world.home);
            let cwd = Cwd::open(&folder).map_or_else(|_| folder.clone(), |cwd| cwd.bound.path);
            let programs = search_path(&settings.search_path, &world.home);
            let reach = AgentReach::of_agent(&settings.folders, &world.home, &cwd);
            let steps = world.resolver.reached_by(reach).resolve_steps(&reading, Path::new(&cwd), &programs);
            (reading, steps, cwd)
        });
        let protected = ProtectedPlaces::new(&world.home, real_place);
        let place = |written: &str| {
            let written = expand_home(written, &world.home);
            // Without a folder a relative path may start anywhere: in the home folder it does most harm.
            let path = Path::new(call.cwd.as_deref().unwrap_or(&world.home)).join(&*written);
            let real = real_path(&path);
            (path.to_string_lossy().into_owned(), real)
        };
        // Some tools read a folder with all that is in it.
        for named in paths.iter_mut().filter(|named| named.used == PathUse::Read) {
            if Path::new(&place(&named.path).0).is_dir() {
                named.used = PathUse::ReadAll;
            }
        }
        let of_path = |named: &NamedPath<'_>| {
            let (path, real) = place(&named.path);
            Touch::of_path(&protected, &path, real.as_deref(), named.used)
        };
        let files = files_of_call(tool, &paths, place);
        let touches = paths.iter().flat_map(of_path).collect();
        let risks = carried.iter().map(|text| {
            let reading = read_shell_at(text, Dialect::Bash, &world.home);
            risk::assess(&facts_of(world, None, &reading, &[], &world.home))
        });
        let carried = risks.max_by_key(|risk| risk.level);
        Self { command, touches, files, carried }
    }
}

/// Returns the files of a tool as facts for the rules: nobody runs it as a command.
fn facts_of<'a>(
    world: &'a World,
    session: Option<&'a str>,
    reading: &'a ParsedCommand,
    steps: &'a [StepFacts],
    cwd: &'a str,
) -> Facts<'a> {
    Facts {
        origin: Origin::Tool,
        reading,
        steps,
        cwd,
        home: &world.home,
        data: &world.data,
        own_pid: Some(std::process::id()),
        session,
        now: lasting(),
        case_insensitive: world.any_case,
        shell: true,
        folders: &[],
        root_entries: &world.root_entries,
        confinable: Confinable::NONE,
        confine: None,
        env_to_ask: &[],
        input: &Input::Nothing,
    }
}

impl CallFacts {
    pub(super) fn call(&self) -> &AgentToolCall {
        &self.call
    }

    /// Reads the file that the call would replace, where there is one. Blocks.
    pub(super) fn find_replaced(&self, home: &str) -> Option<ReplacedFile> {
        ReplacedFile::of_edit(&self.call.subject, self.call.cwd.as_deref(), home)
    }

    /// Returns the verdict on the use of a tool by a policy. `facts` are those of its command.
    pub(super) fn judge_by_policy(&self, world: &World, policy: &AgentPolicy, facts: &Facts<'_>) -> Verdict {
        if facts.origin == Origin::AgentShell {
            let verdict = protect_in_own_shell(judge_request(policy, facts), policy, facts, &self.line);
            return with_defaults(verdict, self.call.defaults);
        }
        self.judge_tool(world, policy).into_verdict()
    }

    /// Judges the call as if nobody could be asked.
    pub(super) fn unanswered(&self, world: &World, policy: &AgentPolicy, facts: &Facts<'_>) -> Verdict {
        if facts.origin == Origin::AgentShell {
            return protect_in_own_shell(judge_unanswered(policy, facts), policy, facts, &self.line);
        }
        self.judge_tool(world, policy).into_verdict()
    }

    /// Returns what *Always* could save. For a tool that is no command that is a line of the agent's
    /// `permissions.jsonc`.
    pub(super) fn propose(
        &self,
        world: &World,
        policy: &AgentPolicy,
        facts: &Facts<'_>,
        verdict: &Verdict,
    ) -> Result<Vec<AlwaysOffer>, NothingToSave> {
        if facts.origin == Origin::AgentShell {
            // No rule names what a link in the line leads to.
            let by_link = self.line.iter().any(|touch| touch.by_link);
            return if by_link { Err(NothingToSave::NoRuleHelps) } else { propose(policy, facts, verdict) };
        }
        let patterns = self.patterns(world, policy);
        if patterns.is_empty() {
            return Err(NothingToSave::NoRuleHelps);
        }
        let label = OfferLabel::Lines { tool: self.call.tool.clone(), patterns };
        let (drafts, renews, confinement) = (Vec::new(), Vec::new(), Confinement::None);
        Ok(vec![AlwaysOffer { id: "command", label, drafts, folder: None, renews, confinement }])
    }

    /// Returns the patterns that *Always* adds to the agent's `permissions.jsonc` for its tool.
    pub(super) fn patterns(&self, world: &World, policy: &AgentPolicy) -> Vec<String> {
        let verdict = self.judge_tool(world, policy);
        // A line for every use of a tool says nothing of the command in this one.
        let every = verdict.always.iter().any(|pattern| pattern == "*");
        let acts = verdict.risk.level == RiskLevel::Dangerous || self.files.carried.is_some();
        if every && acts { Vec::new() } else { verdict.always }
    }

    /// Judges a tool by the agent's file and its session's layers, and by the protected places that it
    /// touches.
    ///
    /// Its use of files is judged by the rules for host commands as well.
    fn judge_tool(&self, world: &World, policy: &AgentPolicy) -> ToolVerdict {
        let AgentToolCall { tool, arguments, session, defaults, .. } = &*self.call;
        let session = session.as_deref();
        let mut verdict = check_tool(policy, session, tool, arguments, &world.home);
        let cwd = self.call.folder();
        let own = policy.settings.folders.iter().map(|folder| expand_home(folder, &world.home).into_owned());
        let mut folders: Vec<String> = own.collect();
        if folders.is_empty() {
            folders.extend(cwd.map(str::to_owned));
        }
        // A folder among the arguments is the model's word.
        let own: Vec<String> = folders.iter().chain(&self.call.cwd).cloned().collect();
        let of_lines = LineFolders { home: &world.home, cwd: self.call.cwd.as_deref(), own: &own };
        let by_path = |path: &str| check_tool(policy, session, tool, &json!({ "path": path }), &world.home);
        verdict = judge_link_ends(verdict, &self.files.files, &of_lines, by_path);
        verdict.risk = risk::assess_subject(&self.call.subject, cwd, &folders, &world.home);
        if let Some(carried) = &self.files.carried
            && carried.level > verdict.risk.level
        {
            verdict.risk = carried.clone();
        }
        if let Some((reading, steps, cwd)) = &self.files.command {
            let facts = facts_of(world, session, reading, steps, cwd);
            verdict = verdict.combine_with(against_command_tool(policy, &facts));
        }
        if let Some(against) = against_files(policy, session, lasting(), &self.files.files) {
            verdict = verdict.combine_with(against);
        }
        let nobody_allows = verdict.by_default || verdict.decision == Decision::Ask;
        let denied = against_classes(&policy.settings, tool, &verdict.risk).filter(|_| nobody_allows);
        if let Some(against) = denied {
            verdict = verdict.combine_with(against);
        }
        verdict = verdict.protect(policy, session, tool, &self.files.touches, &world.home);
        match defaults {
            Some(Defaults::Ask) => verdict.asking_for_defaults(),
            Some(Defaults::Leave) => verdict.leaving_defaults(),
            None => verdict,
        }
    }

    /// Returns true if an allowed call rests on nobody's decision.
    pub(super) fn is_by_default(&self, verdict: &Verdict) -> bool {
        let reason = if self.call.tool == SHELL_TOOL { Reason::Builtin } else { Reason::Policy };
        verdict.decision == Decision::Allow && verdict.reason == reason
    }
}

/// Converts a verdict on a command of the agent's own shell for an agent that asks by itself, if nothing was
/// decided.
fn with_defaults(verdict: Verdict, defaults: Option<Defaults>) -> Verdict {
    let undecided = match verdict.decision {
        Decision::Allow => verdict.reason == Reason::Builtin,
        Decision::Ask => verdict.reason == Reason::AllowlistMiss && verdict.rule.is_none(),
        Decision::Deny => false,
    };
    match (defaults, verdict.decision) {
        (Some(Defaults::Ask), Decision::Allow) if undecided => Verdict {
            cause: ToolCause::Default(Box::new(verdict.cause)).into(),
            decision: Decision::Ask,
            reason: Reason::AllowlistMiss,
            ..verdict
        },
        (Some(Defaults::Leave), Decision::Ask) if undecided => {
            Verdict { decision: Decision::Allow, reason: Reason::Builtin, ..verdict }
        }
        _ => verdict,
    }
}
