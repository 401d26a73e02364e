//! Work on this host for a member elsewhere: it judges, counts and reads, blocks agents and lets them work again.

use postern_contract::methods::{
    ControlError, GetInsights, ListAgents, ListRequests, ListRules, Method as _, Nothing, Pause, PauseAll,
    Replay, ReplayPolicy, RequestFilter, ResumeAll, RuleFile,
};
use postern_contract::{RequestRow, RuleDraft};
use postern_fleet::{GroupState, HostPart, Reported, VerdictCounts, WallMillis, Work};
use postern_host::{ApproverGuard, ApproverId, Host};
use postern_protocol::{Decided, RunState};
use serde_json::{Map, Value};

/// Requests that one page of a replay judges, the most pages, and the most changes that are shown of a host that may be read.
const PAGE: u32 = 500;
const PAGES: u32 = 40;
const EXAMPLES: usize = 50;
/// Most bytes of rows that fit a report, which is sealed and signed in base64.
const ROWS: usize = 128 << 10;
const UNREADABLE: &str = "its person did not allow that at joining (--readable)";
/// Milliseconds in a day and in a minute.
const DAY: i64 = 24 * 3_600_000;
const MINUTE: u64 = 60_000;
/// Time before a policy that is compared with the time since, and the most requests that are counted of each.
const WEEK: i64 = 7 * DAY;
const COUNTED: u32 = 1000;

/// Inputs of a piece of work beside the work itself.
pub(super) struct HostWork {
    pub(super) host: Host,
    /// Approver in whose name it is done.
    pub(super) face: ApproverGuard,
    /// Policy of each group, and since when it is in force.
    pub(super) states: Vec<(GroupState, Option<WallMillis>)>,
    /// Rules and settings of a replay, as far as they would count here.
    pub(super) edit: Result<(Vec<RuleDraft>, Map<String, Value>), String>,
    /// True if the host's person lets the fleet read what it did.
    pub(super) readable: bool,
}

impl HostWork {
    /// Does it, and returns the result.
    pub(super) async fn perform(self, work: Work) -> Reported {
        let Self { host, face, states, edit, readable } = self;
        let face = face.id();
        match (work, edit) {
            (Work::Policy, _) => Reported::Policy(counted(&host, face, states).await),
            (Work::Block { minutes }, _) => {
                let for_ms = minutes.map(|minutes| u64::from(minutes) * MINUTE);
                done_or(host.call_method::<PauseAll>(face, &Pause { for_ms }).await)
            }
            (Work::Resume, _) => done_or(host.call_method::<ResumeAll>(face, &Nothing {}).await),
            (Work::Read { what, filter }, _) if readable => {
                read(&host, face, what, filter).await.unwrap_or_else(Reported::Refused)
            }
            (Work::Read { .. }, _) => Reported::Refused(UNREADABLE.to_owned()),
            (Work::Replay { days, .. }, Ok((rules, settings))) => {
                let rules = RuleFile { version: 1, rules };
                let most = if readable { EXAMPLES } else { 0 };
                let replayed = replayed(&host, face, (rules, settings), (days, most)).await;
                replayed.unwrap_or_else(Reported::Refused)
            }
            (Work::Replay { .. }, Err(why)) => Reported::Refused(why),
        }
    }
}

fn done_or<T>(result: Result<T, ControlError>) -> Reported {
    match result {
        Ok(_) => Reported::Done,
        Err(error) => Reported::Refused(error.message),
    }
}

/// Adds to the state of each group how requests came out before and since.
async fn counted(
    host: &Host,
    face: ApproverId,
    states: Vec<(GroupState, Option<WallMillis>)>,
) -> Vec<GroupState> {
    let mut all = Vec::new();
    for (state, since) in states {
        let mut counts = None;
        if let (Some(since), Some(_)) = (since, &state.in_force) {
            let before = count_verdicts(host, face, since - WEEK, Some(since)).await;
            counts = before.zip(count_verdicts(host, face, since, None).await);
        }
        all.push(GroupState { counts, ..state });
    }
    all
}

/// Counts the newest requests of a time.
async fn count_verdicts(
    host: &Host,
    face: ApproverId,
    since: WallMillis,
    until: Option<WallMillis>,
) -> Option<VerdictCounts> {
    let filter =
        RequestFilter { since: Some(since), until, limit: Some(COUNTED), ..RequestFilter::default() };
    let rows = host.call_method::<ListRequests>(face, &filter).await.ok()?.requests;
    let number = |is: &dyn Fn(&RequestRow) -> bool| {
        u32::try_from(rows.iter().filter(|row| is(row)).count()).unwrap_or(u32::MAX)
    };
    Some(VerdictCounts {
        judged: number(&|_| true),
        denied: number(&|row| row.state == RunState::Denied),
        asked: number(&|row| {
            matches!(row.decided, Some(Decided::YouAllowed | Decided::YouDenied | Decided::Unanswered))
        }),
    })
}

pub(crate) fn method_of(what: HostPart) -> &'static str {
    match what {
        HostPart::History => ListRequests::NAME,
        HostPart::Agents => ListAgents::NAME,
        HostPart::Rules => ListRules::NAME,
        HostPart::Insights => GetInsights::NAME,
    }
}

/// Reads rows of the host, if they fit a report. Only methods that change nothing are called.
///
/// Secrets stay here: the host's own person alone is shown them.
async fn read(host: &Host, face: ApproverId, what: HostPart, mut filter: Value) -> Result<Reported, String> {
    if let Value::Object(filter) = &mut filter {
        filter.remove("secrets");
    }
    let rows = host.call_by_name(&face, method_of(what), filter).await.map_err(|error| error.message)?;
    if rows.to_string().len() > ROWS {
        return Err("that is more than fits a report: ask for fewer, or look there".to_owned());
    }
    Ok(Reported::Read(rows))
}

/// Judges the host's history by further rules and other settings. Returns counts, and at most so many examples.
async fn replayed(
    host: &Host,
    face: ApproverId,
    (rules, settings): (RuleFile, Map<String, Value>),
    (days, most): (u16, usize),
) -> Result<Reported, String> {
    let since = Some(super::super::wall_clock() - i64::from(days) * DAY);
    let (rules, settings, limit) = (Some(rules), Some(settings), Some(PAGE));
    let mut call = Replay { rules, settings, besides: true, since, limit, ..Replay::default() };
    let (mut judged, mut changed, mut examples) = (0, 0, Vec::new());
    for _ in 0..PAGES {
        let page = host.call_method::<ReplayPolicy>(face, &call).await.map_err(|error| error.message)?;
        judged += page.judged;
        changed += u32::try_from(page.changes.len()).unwrap_or(u32::MAX);
        let left = most.saturating_sub(examples.len());
        examples
            .extend(page.changes.iter().take(left).filter_map(|change| serde_json::to_value(change).ok()));
        call.before = page.next;
        if call.before.is_none() {
            break;
        }
    }
    Ok(Reported::Replayed { judged, changed, examples })
}
