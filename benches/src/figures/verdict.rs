//! Verdict: `judge()` in process on a three-step pipeline that is read and looked up already, among 100,000
//! rules,
//! against the same among 10.

use crate::Effort;
use crate::data::{MANY_RULES, numbered_rule, rule};
use crate::sample::{Sample, in_turn, ratio};
use crate::table::{Row, times};
use anyhow::ensure;
use postern_command::{Dialect, ParsedCommand, read_shell};
use postern_policy::{
    AgentId, AgentPolicy, Decision, Effect, Facts, FoundProgram, Identity, Lookup, Pattern, Pin, Rule,
    RuleSet, Settings, StepFacts, judge_request,
};
use std::hint::black_box;
use std::time::Duration;

/// Command that is judged: three steps, each allowed by a pinned path rule.
const PIPELINE: &str = "rg --count error /var/log | sort --numeric-sort | head -n 5";
const PROGRAMS: [&str; 3] = ["rg", "sort", "head"];
/// Longest time for a verdict that meets the goal.
const GOAL: Duration = Duration::from_micros(10);
const FLAT: f64 = 2.0;

pub(crate) fn measure(effort: Effort) -> anyhow::Result<[Row; 2]> {
    let agent = AgentId::new("main")?;
    let (many, few) = (policy(agent.clone(), MANY_RULES), policy(agent, 10));
    let times_a_turn = 2_000 * effort.size;
    let sample = |policy: &AgentPolicy| judge_pipeline(policy, times_a_turn);
    let (ours, rival) = in_turn(effort.turns, || sample(&many), || sample(&few))?;
    let ratio = ratio(ours.median(), rival.median());
    let row = |figure: &str, goal, met| Row {
        figure: figure.to_owned(),
        ours: times(&ours),
        rival: times(&rival).of("10 rules"),
        ratio: Some((ratio, "x p50")),
        goal,
        met,
    };
    Ok([
        row("verdict, 100,000 rules", "p50 <= 10 µs", ours.median() <= GOAL),
        row("verdict, flat", "<= 2 x p50 of 10 rules", ratio <= FLAT),
    ])
}

/// Judges the pipeline, which the policy allows, so many times.
pub(super) fn judge_pipeline(policy: &AgentPolicy, times: usize) -> anyhow::Result<Sample> {
    let reading = read_shell(PIPELINE, Dialect::Bash);
    let steps: Vec<StepFacts> = PROGRAMS.iter().map(|name| found(name)).collect();
    let decision = judge_request(policy, &facts(&reading, &steps)).decision;
    ensure!(decision == Decision::Allow, "the pipeline is {decision:?}");
    Sample::of(times, || {
        drop(black_box(judge_request(black_box(policy), black_box(&facts(&reading, &steps)))));
        Ok(())
    })
}

/// Makes a policy of `rules` rules of which the last three allow the pipeline.
pub(super) fn policy(agent: AgentId, rules: usize) -> AgentPolicy {
    let pinned = (0..3).map(|nth| Rule {
        pin: Some(Box::new(Pin::new(identity(PROGRAMS[nth])))),
        ..rule(rules - nth, Effect::Allow, Pattern::Path(format!("/usr/bin/{}", PROGRAMS[nth])))
    });
    let rules: Vec<Rule> = (1..rules - 2).map(numbered_rule).chain(pinned).collect();
    AgentPolicy {
        rules: RuleSet::compile(&rules, "/home/ann", false),
        ..AgentPolicy::new(agent, Settings::default())
    }
}

pub(super) fn facts<'a>(reading: &'a ParsedCommand, steps: &'a [StepFacts]) -> Facts<'a> {
    Facts {
        origin: postern_policy::Origin::Host,
        reading,
        steps,
        cwd: "/home/ann/project",
        home: "/home/ann",
        data: "/home/ann/.local/share/postern",
        own_pid: None,
        session: None,
        now: 1_800_000_000_000,
        case_insensitive: false,
        shell: true,
        folders: &[],
        root_entries: &[],
        confinable: postern_policy::Confinable::ALL,
        confine: None,
        env_to_ask: &[],
        input: &postern_policy::Input::Nothing,
    }
}

/// Returns a program of the system, as the look-up finds it.
pub(super) fn found(name: &str) -> StepFacts {
    let path = format!("/usr/bin/{name}");
    let program = FoundProgram {
        invoked: name.to_owned(),
        path: path.clone(),
        real_path: path,
        identity: Some(identity(name)),
        shebang: None,
        mutable: false,
        agent_can_change: false,
        links: 1,
        setuid: false,
        shell_only: false,
    };
    StepFacts {
        program: Lookup::Found(Box::new(program)),
        via: Vec::new(),
        script: None,
        targets: Vec::new(),
        hooks: Vec::new(),
    }
}

fn identity(name: &str) -> Identity {
    Identity {
        sha256: format!("{name:0<64}"),
        size: 4096,
        mtime_ns: "1700000000000000000".to_owned(),
        ctime_ns: "1700000000000000000".to_owned(),
        device: 1,
        inode: "2".to_owned(),
        version: None,
        signature: None,
    }
}
