//! Load: the requests of a long day at once.
//!
//! Commands that are denied, commands that run, and questions that a scripted person answers; then whether
//! memory and open files stayed as they were, and whether every request is on the record.

use crate::Effort;
use crate::data::{ALL_FREE, ASKED, DENIED, Data, denied, request};
use crate::figures::round_trip::{ask_denied, hear, run_well};
use crate::proc::{descriptors, private_dirty, wait_for_rest};
use crate::processes::Host;
use crate::table::{Row, Value, duration, mebibytes};
use anyhow::{Context as _, bail, ensure};
use postern_client::{Channel, Control};
use postern_contract::methods::{AnswerQuestion, ApproverKind};
use postern_contract::{Answer, AnswerParams, ApproverNotification, Question};
use postern_store::{FILE_NAME, Store};
use std::collections::HashSet;
use std::path::Path;
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// Requests in one part of the load, for each unit of effort; there are ten such parts.
const REQUESTS: usize = 1000;
const RUNS: usize = 50;
const QUESTIONS: usize = 5;
const PARTS: usize = 10;
/// Time for which a host that rests is quiet.
const REST: Duration = Duration::from_secs(3);
/// Limit of memory on top of what the first part needed, in KiB.
const GROWTH: u64 = 4 * 1024;

pub(crate) fn measure(postern: &Path, data: &Data, effort: Effort) -> anyhow::Result<[Row; 3]> {
    let size = effort.size * effort.size;
    let before = recorded(data)?;
    let host = Host::start(postern, data.folder())?;
    let begun = Instant::now();
    part(data, size)?;
    let first = begun.elapsed();
    let (memory, files) = (at_rest(host.pid())?, descriptors(host.pid())?);
    let begun = Instant::now();
    for _ in 1..PARTS {
        part(data, size)?;
    }
    let took = first + begun.elapsed();
    let (memory_after, files_after) = (at_rest(host.pid())?, descriptors(host.pid())?);
    host.stop()?;
    let recorded = recorded(data)? - before;
    let wanted = i64::try_from(PARTS * size * (REQUESTS + RUNS + QUESTIONS))?;
    let row = |figure: &str, ours, rival, goal, met| Row {
        figure: figure.to_owned(),
        ours,
        rival,
        ratio: None,
        goal,
        met,
    };
    Ok([
        row(
            "load",
            Value::Text(format!("{recorded} on the record in {}", duration(took))),
            Value::Text(format!("{wanted} asked for")),
            "nothing lost",
            recorded == wanted,
        ),
        row(
            "load, memory",
            mebibytes(memory_after),
            mebibytes(memory).of("after a tenth"),
            "flat: <= 4 MiB more",
            memory_after <= memory + GROWTH,
        ),
        row(
            "load, open files",
            Value::Text(format!("{files_after} at the end")),
            Value::Text(format!("{files} after a tenth")),
            "no more",
            files_after <= files,
        ),
    ])
}

/// Reads the private memory of the host once it rests, in KiB.
///
/// After a load it indexes what is new for search, and then gives memory back.
fn at_rest(pid: u32) -> anyhow::Result<u64> {
    wait_for_rest(pid, REST)?;
    private_dirty(pid)
}

/// Requests that have an end.
fn recorded(data: &Data) -> anyhow::Result<i64> {
    let store = Store::open(&data.folder().join(FILE_NAME))?;
    let count = store.read(|conn| {
        let all = "SELECT count(*) FROM requests WHERE ended_at IS NOT NULL";
        Ok(conn.query_row(all, [], |row| row.get::<_, i64>(0))?)
    })?;
    store.close();
    Ok(count)
}

/// Does a part of the load, each kind from its own agents at the same time. They take turns: one may not record all of it.
fn part(data: &Data, size: usize) -> anyhow::Result<()> {
    std::thread::scope(|scope| {
        let mut threads: Vec<ScopedJoinHandle<'_, anyhow::Result<()>>> = Vec::new();
        for nth in 0..DENIED {
            // What does not divide evenly falls to the first.
            let own = REQUESTS * size / DENIED + if nth == 0 { REQUESTS * size % DENIED } else { 0 };
            threads.push(scope.spawn(move || {
                [(nth, own / 2), (DENIED + nth, own - own / 2)].into_iter().try_for_each(|(agent, count)| {
                    let mut channel = data.connect(&denied(agent))?;
                    (0..count).try_for_each(|_| {
                        ask_denied(&mut channel)?;
                        hear(&mut channel)
                    })
                })
            }));
        }
        threads.push(scope.spawn(|| {
            let count = |nth: usize| (RUNS * size + nth) / ALL_FREE.len();
            let mut agents = ALL_FREE.iter().enumerate();
            agents.try_for_each(|(nth, name)| runs(&mut data.connect(name)?, count(nth)))
        }));
        let person = Control::connect(data.folder())?;
        threads.push(scope.spawn(|| answers(person, QUESTIONS * size)));
        threads.push(scope.spawn(|| runs(&mut data.connect(ASKED)?, QUESTIONS * size)));
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(done) => done,
            Err(_) => bail!("a client panicked"),
        })
    })
}

/// Asks for `/usr/bin/true` so many times, one after the other.
fn runs(channel: &mut Channel, count: usize) -> anyhow::Result<()> {
    (0..count).try_for_each(|_| {
        run_well(channel, request(&["/usr/bin/true"]))?;
        hear(channel)
    })
}

/// Returns a person at a terminal who allows each question as it comes.
fn answers(mut person: Control, count: usize) -> anyhow::Result<()> {
    let mut waiting = person.watch_questions(ApproverKind::Terminal)?.questions;
    let mut seen = HashSet::new();
    for _ in 0..count {
        let question = match waiting.pop() {
            Some(question) => question,
            None => next(&mut person, &seen)?,
        };
        seen.insert(question.id.clone());
        let params = AnswerParams::for_question(&question, Answer::Once);
        let answered = person.call_method::<AnswerQuestion>(&params)?;
        ensure!(answered.applied, "{answered:?}");
    }
    Ok(())
}

/// Returns the next question that opens. One that opened while the list was read is in the list and is told
/// as well.
fn next(person: &mut Control, seen: &HashSet<String>) -> anyhow::Result<Question> {
    loop {
        let told = person.next_known_notification(None).context("the host is gone")?;
        if let Some(ApproverNotification::QuestionOpened(question)) = told
            && !seen.contains(&question.id)
        {
            return Ok(*question);
        }
    }
}
