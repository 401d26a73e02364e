//! Looking a request up and judging it: everything that reads the disk, and then the pure core. Blocks; changes nothing.

use super::call_facts::CallFacts;
use super::denial;
use crate::book::Found;
use crate::identity::{Allowance, hex};
use crate::lanes::Open;
use crate::resolve::{Cwd, Held, HeldFile, Reach, Resolved, Resolver, SHELL, search_path};
use crate::user::User;
use postern_command::{Class, Dialect, Reading, Step, class_of, escape, read_argv_at, read_shell_at};
use postern_policy::environment::{self, Built, Change};
use postern_policy::{
    AgentPolicy, Cause, Confinement, Decision, Facts, Input, Millis, NothingToSave, Offer, Origin, Reason,
    Renewal, Rule, Settings, StepFacts, Verdict, expand_home, judge, judge_unanswered, propose,
    propose_renewals, protected_places,
};
use postern_protocol::{RunParams, Stdin as AskedStdin, What};
use postern_request::{By, Denial, Digest, Launch, Plan, Stdin};
use sha2::{Digest as _, Sha256};
use std::path::Path;

/// How much of a script a person is shown.
const PREVIEW_BYTES: usize = 4096;
const PREVIEW_LINES: usize = 20;

/// How a confined git is told to write nothing, fetch nothing, and start nothing that a repository's configuration names.
const GIT_ALONE: [(&str, &str); 12] = [
    ("GIT_CONFIG_COUNT", "4"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_KEY_1", "core.hooksPath"),
    ("GIT_CONFIG_KEY_2", "log.showSignature"),
    ("GIT_CONFIG_KEY_3", "core.untrackedCache"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_VALUE_1", "/dev/null"),
    ("GIT_CONFIG_VALUE_2", "false"),
    ("GIT_CONFIG_VALUE_3", "keep"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
];

/// What a request is judged in.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) resolver: Resolver,
    pub(crate) user: User,
    /// The person's home folder.
    pub(crate) home: String,
    /// Postern's own data folder, real.
    pub(crate) data: String,
    /// Whether names are compared without case.
    pub(crate) any_case: bool,
    /// Whether the system can confine a run; why not where it cannot.
    pub(crate) confines: Result<(), String>,
}

impl World {
    /// The same world for a look that may read only so much.
    pub(crate) fn within(&self, allowance: Allowance) -> Self {
        Self { resolver: self.resolver.within(allowance), ..self.clone() }
    }
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Judgement {
    /// It cannot even be looked up.
    Refused(Denial),
    /// It was judged.
    Judged(Box<Judged>),
}

impl Judgement {
    /// Whether it is denied, whatever else holds.
    pub(super) fn denies(&self) -> bool {
        match self {
            Self::Refused(_) => true,
            Self::Judged(judged) => judged.verdict.decision == Decision::Deny,
        }
    }

    /// The patterns that *Always* would add to the agent's `permissions.jsonc`.
    pub(crate) fn patterns(&self, world: &World, policy: &AgentPolicy) -> Vec<String> {
        match self {
            Self::Judged(judged) => judged.patterns(world, policy),
            Self::Refused(_) => Vec::new(),
        }
    }

    /// Lets go of its files.
    pub(super) fn close(&mut self) {
        if let Self::Judged(judged) = self {
            judged.close();
        }
    }

    /// Its files count as open for as long as they are.
    pub(super) fn keep(&mut self, open: Open) {
        if let Self::Judged(judged) = self {
            judged.counted = Some(open);
        }
    }
}

/// A request that was looked up and judged.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) reading: Reading,
    pub(crate) steps: Vec<StepFacts>,
    pub(crate) verdict: Verdict,
    pub(crate) offers: Vec<Offer>,
    /// Reason why there are no offers.
    pub(crate) nothing_to_save: Option<NothingToSave>,
    pub(crate) changes: Vec<Change>,
    /// The first lines of each script operand, by real path.
    pub(crate) previews: Vec<(String, Vec<String>)>,
    pub(crate) plan: Plan,
    pub(crate) digest: Digest,
    /// The files and the folder, open; taken by the start. None while a person is asked, or it waits for its turn: then
    /// the start opens them again, and they must be what they were.
    pub(crate) open: Option<(Held, Cwd)>,
    /// They are counted among its agent's.
    pub(super) counted: Option<Open>,
    pub(super) session: Option<String>,
    pub(super) shell: bool,
    pub(super) env_to_ask: Vec<String>,
    pub(super) input: Input,
    pub(super) confinable: bool,
    /// The folders that its agent may read, and the setting that says so.
    pub(super) folders: (Vec<String>, Vec<String>),
    /// What was found about the tool by which its agent does it itself.
    pub(super) call: Option<Box<CallFacts>>,
}

/// Reads, looks up and judges.
pub(crate) fn judge_run(
    world: &World,
    policy: &AgentPolicy,
    version: u64,
    run: &RunParams,
    now: Millis,
) -> Judgement {
    match looked_up(world, policy, version, run) {
        Ok(mut judged) => {
            let facts = judged.facts(world, policy, now);
            let verdict = judge(policy, &facts);
            let offers = propose(policy, &facts, &verdict);
            judged.offer(offers);
            judged.decide(verdict);
            Judgement::Judged(judged)
        }
        Err(denial) => Judgement::Refused(denial),
    }
}

/// The standard input that a rule has to cover: nothing in it is as good as none.
fn input_of(stdin: &Stdin) -> Input {
    match stdin {
        Stdin::Inline { sha256, bytes } if *bytes > 0 => Input::Text(sha256.clone()),
        Stdin::Stream => Input::Stream,
        Stdin::Inline { .. } | Stdin::Nothing => Input::Nothing,
    }
}

fn looked_up(
    world: &World,
    policy: &AgentPolicy,
    version: u64,
    run: &RunParams,
) -> Result<Box<Judged>, Denial> {
    let reading = match &run.what {
        What::Command(argv) => read_argv_at(argv, &world.home),
        What::Shell(text) => read_shell_at(text, Dialect::Bash, &world.home),
    };
    if let Some(invalid) = &reading.invalid {
        return Err(denial::invalid(invalid.message));
    }
    let cwd = open_cwd(world, &policy.settings, run.cwd.as_deref())?;
    let folders = search_path(&policy.settings.search_path, &world.home);
    let reach = Reach::of_agent(&policy.settings.folders, &world.home, &cwd.bound.path);
    let resolver = world.resolver.reached_by(reach);
    let Resolved { launch, steps, held } = resolver.facts(&reading, &cwd, &folders);
    if let Some(overrun) = world.resolver.identities().overrun() {
        return Err(denial::too_much(overrun));
    }
    let built = environment(world, policy, run, &launch, &folders, &cwd)?;
    let stdin = stdin_of(&run.stdin);
    let input = input_of(&stdin);
    let plan = Plan {
        agent: policy.agent.clone(),
        session: run.session.clone(),
        origin: Origin::Host,
        call: None,
        launch,
        programs: held.bound_programs(),
        scripts: held.bound_scripts(),
        cwd: cwd.bound.clone(),
        confinement: Confinement::None,
        env: built.env,
        stdin,
        timeout_ms: Some(timeout(run.timeout_ms, &policy.settings)),
        policy: version,
    };
    let digest = plan.digest();
    let settings = &policy.settings;
    let folders = (readable(world, settings, &cwd), settings.folders.clone());
    let asks = built.changes.iter().filter(|change| change.asks);
    let env_to_ask = asks.map(|change| change.name.clone()).collect();
    Ok(Box::new(Judged {
        reading,
        steps,
        verdict: unjudged(),
        offers: Vec::new(),
        nothing_to_save: None,
        changes: built.changes,
        previews: held.scripts.iter().map(|script| preview(script)).collect(),
        plan,
        digest,
        open: Some((held, cwd)),
        counted: None,
        session: run.session.clone(),
        shell: matches!(run.what, What::Shell(_)),
        env_to_ask,
        input,
        folders,
        confinable: world.confines.is_ok(),
        call: None,
    }))
}

/// The first lines of a script, from the file that was opened.
pub(super) fn preview(script: &HeldFile) -> (String, Vec<String>) {
    let beginning = script.beginning(PREVIEW_BYTES);
    let text = String::from_utf8_lossy(&beginning);
    (script.bound.real_path.clone(), text.lines().take(PREVIEW_LINES).map(ToOwned::to_owned).collect())
}

/// What stands there until it is judged: a deny.
pub(super) fn unjudged() -> Verdict {
    Verdict {
        decision: Decision::Deny,
        reason: Reason::Invalid,
        cause: Cause::Recorded("It was not judged.".to_owned()),
        advice: None,
        rule: None,
        confinement: Confinement::None,
        risk: postern_policy::Risk { level: postern_policy::RiskLevel::Dangerous, effects: Vec::new() },
        steps: Vec::new(),
        used: Vec::new(),
        trace: Vec::new(),
    }
}

/// Opens again what a plan names, as the request was first looked up. A sentence where it is not what it was.
pub(super) fn open_again(
    world: &World,
    policy: &AgentPolicy,
    run: &RunParams,
    plan: &Plan,
) -> Result<(Held, Cwd), Denial> {
    let found = looked_up(world, policy, plan.policy, run)?;
    if found.plan.cwd != plan.cwd {
        return Err(denial::drifted(format!(
            "The working directory {} is no longer the same folder.",
            escape::text(&plan.cwd.path)
        )));
    }
    let files = |plan: &Plan| [plan.programs.clone(), plan.scripts.clone()].concat();
    let (before, now) = (files(plan), files(&found.plan));
    if before != now {
        let changed = before.iter().find(|file| !now.contains(file)).or_else(|| now.first());
        let path = changed.map_or("", |file| &file.path);
        let message = format!("{} was changed after it was judged.", escape::text(path));
        return Err(denial::drifted(message));
    }
    found.open.ok_or_else(|| denial::drifted("What was judged is not there any more."))
}

impl Judged {
    /// Lets go of its files: nothing is held open for somebody who waits. The start opens them again.
    pub(super) fn close(&mut self) {
        self.open = None;
        self.counted = None;
    }

    pub(super) fn facts<'a>(&'a self, world: &'a World, policy: &AgentPolicy, now: Millis) -> Facts<'a> {
        // Of folders that were changed meanwhile nothing was looked up.
        let (folders, named) = &self.folders;
        let folders = if policy.settings.folders == *named { folders.as_slice() } else { &[] };
        Facts {
            origin: self.plan.origin,
            reading: &self.reading,
            steps: &self.steps,
            cwd: &self.plan.cwd.path,
            home: &world.home,
            data: &world.data,
            own_pid: Some(std::process::id()),
            session: self.session.as_deref(),
            now,
            case_insensitive: world.any_case,
            shell: self.shell,
            folders,
            confinable: world.confines.is_ok() && self.plan.origin.is_host(),
            env_to_ask: &self.env_to_ask,
            input: &self.input,
        }
    }

    /// What it is judged as now: the plan says how it is confined.
    pub(super) fn decide(&mut self, verdict: Verdict) {
        self.tighten(&verdict);
        self.verdict = verdict;
    }

    /// Confines what was not confined, where a verdict says so. What a person was shown confined stays so.
    pub(super) fn tighten(&mut self, verdict: &Verdict) {
        if !self.plan.confinement.is_none() || verdict.confinement.is_none() {
            return;
        }
        self.plan.confinement = verdict.confinement.clone();
        let is_git = |step: &Step| step.program().is_some_and(|name| name.rsplit('/').next() == Some("git"));
        if self.reading.steps.iter().any(is_git) {
            let own = |name: &str| GIT_ALONE.iter().any(|(set, _)| *set == name);
            self.plan.env.retain(|(name, _)| !own(name));
            self.plan
                .env
                .extend(GIT_ALONE.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
            self.plan.env.sort();
        }
        self.digest = self.plan.digest();
    }

    /// What was looked up, to be kept with it.
    pub(super) fn found(&self) -> Found {
        let (steps, env_to_ask) = (self.steps.clone(), self.env_to_ask.clone());
        let (cwd, folders) = (self.plan.cwd.path.clone(), self.folders.0.clone());
        let input = self.input.clone();
        let origin = self.plan.origin;
        Found { origin, steps, cwd, folders, confinable: self.confinable, env_to_ask, input }
    }

    /// The same request by another policy, or later.
    pub(crate) fn again(&self, world: &World, policy: &AgentPolicy, now: Millis) -> Verdict {
        let facts = self.facts(world, policy, now);
        match &self.call {
            Some(call) => call.judge(world, policy, &facts),
            None => judge(policy, &facts),
        }
    }

    /// What could be saved for it, judged so.
    pub(crate) fn propose(
        &self,
        world: &World,
        policy: &AgentPolicy,
        verdict: &Verdict,
        now: Millis,
    ) -> Result<Vec<Offer>, NothingToSave> {
        let facts = self.facts(world, policy, now);
        match &self.call {
            Some(call) => call.propose(world, policy, &facts, verdict),
            None => propose(policy, &facts, verdict),
        }
    }

    /// Sets the offers, or the reason why there are none.
    pub(super) fn offer(&mut self, offers: Result<Vec<Offer>, NothingToSave>) {
        self.nothing_to_save = offers.as_ref().err().copied();
        self.offers = offers.unwrap_or_default();
    }

    /// Puts the offers to renew the rules of a changed program beside the others: first where the same signer made it, last where
    /// not. `rules` are those of every agent.
    pub(super) fn offer_renewals<'a>(
        &mut self,
        world: &World,
        policy: &AgentPolicy,
        rules: impl Iterator<Item = &'a Rule>,
        now: Millis,
    ) {
        let renewals = propose_renewals(rules, &policy.agent, &self.facts(world, policy, now), &self.verdict);
        let known = renewals.iter().flat_map(|offer| &offer.renews).all(Renewal::is_same_signer);
        let at = if known { 0 } else { self.offers.len() };
        if !renewals.is_empty() {
            self.nothing_to_save = None;
        }
        self.offers.splice(at..at, renewals);
    }

    /// The same request as if nobody could be asked.
    pub(crate) fn unanswered(&self, world: &World, policy: &AgentPolicy, now: Millis) -> Verdict {
        let facts = self.facts(world, policy, now);
        match &self.call {
            Some(call) => call.unanswered(world, policy, &facts),
            None => judge_unanswered(policy, &facts),
        }
    }

    /// The patterns that *Always* adds to the agent's `permissions.jsonc` for the tool by which it does it itself.
    pub(super) fn patterns(&self, world: &World, policy: &AgentPolicy) -> Vec<String> {
        self.call.as_ref().map(|call| call.patterns(world, policy)).unwrap_or_default()
    }

    /// Whether it was allowed and nobody decided that: no rule, no line of a person, no setting.
    pub(super) fn is_by_default(&self) -> bool {
        self.call.as_ref().is_some_and(|call| call.is_by_default(&self.verdict))
    }

    /// What is started, as it is told.
    pub(crate) fn argv(&self) -> Vec<String> {
        match &self.plan.launch {
            Launch::Argv { argv } => argv.clone(),
            Launch::Shell { text } => {
                [SHELL, "--noprofile", "--norc", "-c", text].map(ToOwned::to_owned).to_vec()
            }
            Launch::Nothing => Vec::new(),
        }
    }
}

/// Who let it through, where a verdict did.
pub(crate) fn by_of(verdict: &Verdict) -> By {
    match (verdict.reason, &verdict.rule) {
        (Reason::Skill, Some(rule)) => By::Skill(rule.id),
        (Reason::Rule, Some(rule)) => By::Rule(rule.id),
        _ => By::Policy,
    }
}

/// Where an agent's commands run that name no folder.
pub(super) fn first_folder(world: &World, settings: &Settings) -> String {
    let first = settings.folders.first().map_or(world.home.as_str(), String::as_str);
    expand_home(first, &world.home).into_owned()
}

fn open_cwd(world: &World, settings: &Settings, asked: Option<&str>) -> Result<Cwd, Denial> {
    let path = asked
        .map_or_else(|| first_folder(world, settings), |asked| expand_home(asked, &world.home).into_owned());
    let refused = |what: String| {
        let message = format!("The working directory {} {what}.", escape::text(&path));
        denial::folder(message)
    };
    let cwd = Cwd::open(&path).map_err(|error| refused(error.to_string()))?;
    let inside = settings.folders.is_empty()
        || settings.folders.iter().any(|folder| {
            std::fs::canonicalize(&*expand_home(folder, &world.home))
                .is_ok_and(|folder| Path::new(&cwd.bound.path).starts_with(folder))
        });
    if inside { Ok(cwd) } else { Err(refused("is not in one of the agent's folders".to_owned())) }
}

/// The folders that an agent's confined runs may read, by their real paths. One that names none has the folder that the
/// request works in: the whole work tree, where that is one.
fn readable(world: &World, settings: &Settings, cwd: &Cwd) -> Vec<String> {
    let real = |path: &Path| path.to_str().map(str::to_owned);
    if settings.folders.is_empty() {
        let here = Path::new(&cwd.bound.path);
        let protected: Vec<String> = protected_places(&world.home, &world.data).collect();
        let holds_keys = |folder: &Path| protected.iter().any(|place| Path::new(place).starts_with(folder));
        let is_top = |above: &&Path| above.join(".git").is_dir() && !holds_keys(above);
        let top = here.ancestors().find(is_top).unwrap_or(here);
        return real(top).into_iter().collect();
    }
    let named = settings.folders.iter().map(|folder| expand_home(folder, &world.home));
    named.filter_map(|folder| real(&std::fs::canonicalize(&*folder).ok()?)).collect()
}

fn environment(
    world: &World,
    policy: &AgentPolicy,
    run: &RunParams,
    launch: &Launch,
    folders: &[String],
    cwd: &Cwd,
) -> Result<Built, Denial> {
    let base = world.user.base(folders, &cwd.bound.path);
    let overrides: Vec<(String, String)> =
        run.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let shellish = match launch {
        Launch::Shell { .. } => true,
        Launch::Argv { argv } => argv.iter().any(|word| is_shellish(word)),
        Launch::Nothing => false,
    };
    environment::build(&base, &overrides, &policy.settings, shellish)
        .map_err(|refused| denial::environment(refused.message()))
}

/// A word of the command is looked at, whatever its place: behind `env` or `nohup` a shell is a shell all the same.
fn is_shellish(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    matches!(class_of(name), Class::Shell | Class::Interpreter)
}

fn stdin_of(asked: &AskedStdin) -> Stdin {
    match asked {
        AskedStdin::Nothing => Stdin::Nothing,
        AskedStdin::Stream => Stdin::Stream,
        AskedStdin::Text(text) => {
            let sha256 = Sha256::digest(text.as_bytes());
            let sha256 = hex(&sha256);
            Stdin::Inline { sha256, bytes: u64::try_from(text.len()).unwrap_or(u64::MAX) }
        }
    }
}

/// What the request asks for, within what the person allows.
fn timeout(asked: Option<u64>, settings: &Settings) -> u64 {
    let wanted = asked.unwrap_or(settings.run_timeout_ms);
    settings.run_timeout_cap_ms.map_or(wanted, |cap| wanted.min(cap))
}
