//! History: pages of it as the window asks for them, over all rows, against its newest page.

use crate::Effort;
use crate::data::{Data, FREE, denied};
use crate::sample::{Sample, in_turn};
use crate::table::Row;
use postern_policy::AgentId;
use postern_protocol::Decided;
use postern_store::history;
use postern_store::requests::Filter;
use postern_store::{Error, FILE_NAME, Store, tally};
use std::time::Duration;

const GOAL: Duration = Duration::from_millis(10);
/// Rows of a page.
const PAGE: u32 = 100;

pub(crate) fn measure(data: &Data, effort: Effort) -> anyhow::Result<Vec<Row>> {
    let store = Store::open(&data.folder().join(FILE_NAME))?;
    let agent = |name: &str| AgentId::new(name).map(Some);
    let all = Filter::default();
    let words = |text: &str| Some(text.to_owned());
    let deep = store
        .read(|conn| history::read_page(conn, &Filter { search: words("1"), ..Filter::default() }, 1000))?;
    let filters = [
        (
            "history, one agent and one outcome",
            Filter { agent: agent(&denied(3))?, decided: Some(Decided::YouDenied), ..all.clone() },
        ),
        ("history, one rule", Filter { rule: Some(77), ..all.clone() }),
        ("history, a word that is everywhere", Filter { search: words("git"), ..all.clone() }),
        ("history, a long word that is everywhere", Filter { search: words("onelin"), ..all.clone() }),
        ("history, a long word that is rare", Filter { search: words("project-77 loglevel"), ..all.clone() }),
        ("history, beginnings of words", Filter { search: words("max-c 7"), ..all.clone() }),
        (
            "history, words of one agent's denials",
            Filter {
                agent: agent(FREE)?,
                decided: Some(Decided::RuleDenied),
                search: words("project log"),
                ..all.clone()
            },
        ),
        ("history, words that are nowhere", Filter { search: words("nothing like that"), ..all.clone() }),
        ("history, a page further down", Filter { before: deep.next, ..all.clone() }),
    ];
    let page = |filter: &Filter| store.read(|conn| history::read_page(conn, filter, PAGE)).map(drop);
    let mut rows = Vec::new();
    for (figure, filter) in filters {
        rows.push(against_newest(figure, effort, || page(&filter), || page(&all))?);
    }
    let days = || store.read(|conn| tally::by_time(conn, tally::Wanted::default())).map(drop);
    rows.push(against_newest("insights, every day", effort, days, || page(&all))?);
    let folders = || store.read(|conn| tally::by_folder(conn, tally::Wanted::default())).map(drop);
    rows.push(against_newest("insights, every folder", effort, folders, || page(&all))?);
    store.close();
    Ok(rows)
}

fn against_newest(
    figure: &'static str,
    effort: Effort,
    ours: impl Fn() -> Result<(), Error>,
    newest: impl Fn() -> Result<(), Error>,
) -> anyhow::Result<Row> {
    let many = 5 * effort.size;
    let sides = in_turn(effort.turns, || Sample::of(many, &ours), || Sample::of(many, &newest))?;
    let met = sides.0.median() <= GOAL && sides.1.median() <= GOAL;
    Ok(Row::beside(figure, &sides, "newest page", "<= 10 ms p50", |_| met))
}
