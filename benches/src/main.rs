//! What the speed table in the README is made of: each figure of the house beside a rival measured in the same run.
//!
//! Both sides take turns (A B A B), the first turn of each is a warm-up and is thrown away. Figures are medians and
//! 99th percentiles with how many there were. Nothing here fails because it is slow: the table says met or not met.

mod data;
mod echo;
mod figures;
mod processes;
mod sample;
mod table;

use anyhow::{Context as _, bail};
use data::Data;
use figures::{history, idle, round_trip, run, start, throughput, verdict, worst_case};
use std::path::PathBuf;
use table::Row;

/// What is measured, by the names that can be given on the command line.
const FIGURES: [&str; 8] =
    ["verdict", "worst-case", "round-trip", "throughput", "run", "start", "idle", "history"];

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Turns of each side, besides the warm-up.
    pub(crate) turns: usize,
    /// Multiplies how much one turn does.
    pub(crate) size: usize,
    /// Rows of history that are prepared.
    pub(crate) history: usize,
}

const FULL: Effort = Effort { turns: 8, size: 10, history: 1_000_000 };
const QUICK: Effort = Effort { turns: 3, size: 1, history: 20_000 };

struct Options {
    effort: Effort,
    figures: Vec<String>,
    postern: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let options = options(std::env::args().skip(1))?;
    let wanted =
        |figure: &str| options.figures.is_empty() || options.figures.iter().any(|name| name == figure);
    let effort = options.effort;
    let mut rows: Vec<Row> = Vec::new();
    if wanted("verdict") {
        rows.extend(verdict::measure(effort)?);
    }
    if wanted("worst-case") {
        rows.push(worst_case::measure(effort)?);
    }
    if FIGURES[2..].iter().any(|figure| wanted(figure)) {
        let data = Data::prepare(effort)?;
        if wanted("history") {
            rows.extend(history::measure(&data, effort)?);
        }
        if options.figures == ["history"] {
            table::print(&rows, effort);
            return Ok(());
        }
        let host = processes::Host::start(&options.postern, data.folder())?;
        if wanted("round-trip") {
            rows.push(round_trip::measure(&data, effort)?);
        }
        if wanted("throughput") {
            rows.push(throughput::measure(&data, effort)?);
        }
        if wanted("run") {
            rows.extend(run::measure(&data, effort)?);
        }
        host.stop()?;
        if wanted("start") {
            rows.push(start::measure(&options.postern, &data, effort)?);
        }
        if wanted("idle") {
            rows.extend(idle::measure(&options.postern, &data, effort)?);
        }
    }
    table::print(&rows, effort);
    Ok(())
}

fn options(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Options> {
    let mut options = Options { effort: FULL, figures: Vec::new(), postern: beside_this("postern")? };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => options.effort = QUICK,
            "--postern" => options.postern = arguments.next().context("--postern needs a path")?.into(),
            figure if FIGURES.contains(&figure) => options.figures.push(argument),
            other => bail!("{other} is neither --quick, --postern PATH nor one of {}", FIGURES.join(", ")),
        }
    }
    Ok(options)
}

/// The program of that name in this program's folder: it was built in the same way.
fn beside_this(name: &str) -> anyhow::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}
