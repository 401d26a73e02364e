//! Looking a request up: everything that reads the disk before it is judged, and once more before it starts.

use super::context::{QuestionContext, find_last_allowed, read_previews};
use super::judge::{JudgedRequest, World, unjudged};
use crate::lanes::refusal_of;
use crate::measure::{Site, repository_around};
use postern_command::{Dialect, ParsedCommand, ProgramClass, class_of, read_argv_at, read_shell_at};
use postern_exec::resolve::{AgentReach, Cwd, Held, ResolvedRequest, search_path};
use postern_policy::environment::{self, Built};
use postern_policy::{
    AgentPolicy, Confinement, Input, Lookup, Origin, Settings, StepFacts, expand_home, protected_places,
};
use postern_protocol::{RunParams, RunStdin, What, encode_hex};
use postern_request::{BoundGit, Denial, Drift, FolderProblem, Launch, Plan, PlanStdin, Refusal};
use postern_store::Store;
use sha2::{Digest as _, Sha256};
use std::path::Path;

/// Variables, by how their names begin, with which git may rightly do otherwise than by its files.
const OF_GIT: [&str; 5] = ["EDITOR", "GIT_", "SSH_ASKPASS", "VISUAL", "XDG_CONFIG_HOME"];

/// Returns what the gits of a run obey, and what they are given.
fn git_of(env: &[(String, String)], held: &Held, reading: &ParsedCommand, steps: &[StepFacts]) -> BoundGit {
    let is_own = |(name, _): &(String, String)| OF_GIT.iter().any(|start| name.starts_with(start));
    let given = if env.iter().any(is_own) { Vec::new() } else { held.obeyed.defaults(reading, steps) };
    BoundGit { obeys: held.obeyed.names(), given }
}

/// Returns the standard input that a rule has to cover: nothing in it is as good as none.
fn input_of(stdin: &PlanStdin) -> Input {
    match stdin {
        PlanStdin::Inline { sha256, bytes } if *bytes > 0 => Input::Text(sha256.clone()),
        PlanStdin::Stream => Input::Stream,
        PlanStdin::Inline { .. } | PlanStdin::Nothing => Input::Nothing,
    }
}

fn reading_of(what: &What, home: &str) -> ParsedCommand {
    match what {
        What::Command(argv) => read_argv_at(argv, home),
        What::Shell(text) => read_shell_at(text, Dialect::Bash, home),
    }
}

/// Reads a request and looks it up.
pub(super) fn looked_up(
    world: &World,
    policy: &AgentPolicy,
    version: u64,
    run: &RunParams,
) -> Result<Box<JudgedRequest>, Denial> {
    let reading = reading_of(&run.what, &world.home);
    if let Some(invalid) = &reading.invalid {
        return Err(Refusal::Unreadable(invalid.message.into()).into());
    }
    let cwd = open_cwd(world, &policy.settings, run.cwd.as_deref())?;
    let mut folders = search_path(&policy.settings.search_path, &world.home);
    let reach = AgentReach::of_agent(&policy.settings.folders, &world.home, &cwd.bound.path);
    let resolver = world.resolver.reached_by(reach).like_shell();
    let ResolvedRequest { launch, steps, held } = resolver.resolve_command(&reading, &cwd, &folders);
    if let Some(overrun) = world.resolver.identities().overrun() {
        return Err(refusal_of(overrun).into());
    }
    folders.extend(folders_of_shell(&steps));
    let mut built = environment(world, policy, run, &launch, &folders, &cwd)?;
    set_sdk(&mut built.env, &held);
    let stdin = stdin_of(&run.stdin);
    let input = input_of(&stdin);
    let git = git_of(&built.env, &held, &reading, &steps);
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
        git,
        stdin,
        timeout_ms: Some(timeout(run.timeout_ms, &policy.settings)),
        policy: version,
    };
    let settings = &policy.settings;
    let folders = (readable(world, settings, &cwd), settings.folders.clone());
    let asks = built.changes.iter().filter(|change| change.asks);
    let env_to_ask = asks.map(|change| change.name.clone()).collect();
    Ok(Box::new(JudgedRequest {
        reading,
        steps,
        verdict: unjudged(),
        offers: Vec::new(),
        nothing_to_save: None,
        changes: built.changes,
        context: QuestionContext::default(),
        digest: plan.digest(),
        plan,
        open: Some((held, cwd)),
        counted: None,
        session: run.session.clone(),
        shell: matches!(run.what, What::Shell(_)),
        env_to_ask,
        input,
        folders,
        confinable: world.confines.confinable(),
        confine: run.confine,
        under_way: false,
        call: None,
    }))
}

/// Returns the folders of programs that only the user's shell finds: what runs has them on its `PATH`, as they were shown.
fn folders_of_shell(steps: &[StepFacts]) -> Vec<String> {
    let all = steps.iter().flat_map(|step| step.via.iter().chain([&step.program]));
    let mut folders: Vec<String> = all
        .filter_map(|lookup| match lookup {
            Lookup::Found(program) if program.shell_only => program.path.rsplit_once('/'),
            Lookup::Found(_) | Lookup::NotFound | Lookup::Unusable { .. } | Lookup::Nothing => None,
        })
        .map(|(folder, _)| folder.to_owned())
        .collect();
    folders.dedup();
    folders
}

impl JudgedRequest {
    /// Reads the scripts that a question shows from the files that are open, unless they were read. Nobody is taken to know them.
    pub(super) fn read_scripts(&mut self) {
        if let Some((held, _)) = self.open.as_ref().filter(|_| self.context.scripts.is_empty()) {
            self.context.scripts = read_previews(held);
        }
    }

    /// Finds what a question shows beside the facts: scripts, when changed programs were allowed, the file that a tool would
    /// replace, and the repository around.
    pub(super) fn find_context(&mut self, store: &Store, home: &str) {
        self.read_scripts();
        for script in &mut self.context.scripts {
            script.compare_with_record(store);
        }
        self.context.last_allowed = find_last_allowed(store, &self.verdict);
        self.context.replaced = self.call.as_deref().and_then(|found| found.find_replaced(home));
        let site = Site { cwd: &self.plan.cwd.path, home, env: &self.plan.env };
        self.context.repository = repository_around(site);
    }
}

/// Opens again what a plan names, as the request was first looked up, or says what is not as it was.
///
/// `steps` are the facts that it was judged by: a link or a hook that appeared while it waited was never judged.
pub(super) fn open_again(
    world: &World,
    policy: &AgentPolicy,
    run: &RunParams,
    (plan, steps): (&Plan, &[StepFacts]),
) -> Result<(Held, Cwd), Denial> {
    let found = looked_up(world, policy, plan.policy, run)?;
    if found.plan.cwd != plan.cwd {
        return Err(Drift::Folder { path: plan.cwd.path.clone() }.into());
    }
    let files = |plan: &Plan| [plan.programs.clone(), plan.scripts.clone()].concat();
    let (before, now) = (files(plan), files(&found.plan));
    if before != now {
        let changed = before.iter().find(|file| !now.contains(file)).or_else(|| now.first());
        let path = changed.map(|file| file.path.clone()).unwrap_or_default();
        return Err(Drift::Changed { path }.into());
    }
    let is_as_judged = |(now, judged): (&StepFacts, &StepFacts)| now.is_as_judged(judged, &plan.cwd.path);
    if found.steps.len() != steps.len() || !found.steps.iter().zip(steps).all(is_as_judged) {
        return Err(Drift::Facts.into());
    }
    found.open.ok_or_else(|| Drift::Gone.into())
}

/// Returns the folder of an agent's commands that name none.
pub(super) fn first_folder(world: &World, settings: &Settings) -> String {
    let first = settings.folders.first().map_or(world.home.as_str(), String::as_str);
    expand_home(first, &world.home).into_owned()
}

fn open_cwd(world: &World, settings: &Settings, asked: Option<&str>) -> Result<Cwd, Denial> {
    let path = asked
        .map_or_else(|| first_folder(world, settings), |asked| expand_home(asked, &world.home).into_owned());
    let refused = |problem| Refusal::Folder { path: path.clone(), problem }.into();
    let cwd = Cwd::open(&path).map_err(refused)?;
    let inside = settings.folders.is_empty()
        || settings.folders.iter().any(|folder| {
            std::fs::canonicalize(&*expand_home(folder, &world.home))
                .is_ok_and(|folder| Path::new(&cwd.bound.path).starts_with(folder))
        });
    if inside { Ok(cwd) } else { Err(refused(FolderProblem::Outside)) }
}

/// Returns the folders that an agent's confined runs may read, by their real paths. One that names none has
/// the folder that the request works in: the whole work tree, where that is one.
pub(super) fn readable(world: &World, settings: &Settings, cwd: &Cwd) -> Vec<String> {
    let real = |path: &Path| path.to_str().map(str::to_owned);
    if settings.folders.is_empty() {
        let here = Path::new(&cwd.bound.path);
        let holds_keys = |folder: &Path| {
            protected_places(&world.home, &world.data).any(|place| Path::new(&place).starts_with(folder))
        };
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
    let base = world.user.base_environment(folders, &cwd.bound.path);
    let overrides: Vec<(String, String)> =
        run.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let shellish = match launch {
        Launch::Shell { .. } => true,
        Launch::Argv { argv } => argv.iter().any(|word| is_shellish(word)),
        Launch::Nothing => false,
    };
    environment::build_environment(&base, &overrides, &policy.settings, shellish)
        .map_err(|refused| Refusal::Environment { names: refused.names }.into())
}

/// Sets what a stand-in for a developer tool would set for the tool that is started in its place, unless it is set.
fn set_sdk(env: &mut Vec<(String, String)>, held: &Held) {
    const NAME: &str = "SDKROOT";
    let sdk = held.started.as_ref().and_then(|program| program.sdk_root());
    if let (Some(sdk), Err(at)) = (sdk, env.binary_search_by(|(name, _)| name.as_str().cmp(NAME))) {
        env.insert(at, (NAME.to_owned(), sdk));
    }
}

/// Returns true if a word of the command, at any place, names a shell or an interpreter.
///
/// A shell behind `env` or `nohup` is a shell all the same.
fn is_shellish(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    matches!(class_of(name), ProgramClass::Shell | ProgramClass::Interpreter)
}

fn stdin_of(asked: &RunStdin) -> PlanStdin {
    match asked {
        RunStdin::Nothing => PlanStdin::Nothing,
        RunStdin::Stream => PlanStdin::Stream,
        RunStdin::Text(text) => {
            let sha256 = Sha256::digest(text.as_bytes());
            let sha256 = encode_hex(&sha256);
            PlanStdin::Inline { sha256, bytes: u64::try_from(text.len()).unwrap_or(u64::MAX) }
        }
    }
}

/// Returns the time limit that the request asks for, within what the person allows.
fn timeout(asked: Option<u64>, settings: &Settings) -> u64 {
    let wanted = asked.unwrap_or(settings.run_timeout_ms);
    settings.run_timeout_cap_ms.map_or(wanted, |cap| wanted.min(cap))
}
