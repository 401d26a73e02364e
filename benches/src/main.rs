//! Measurements for the speed table in docs/PERFORMANCE.md: each figure of the house beside a rival measured in the
//! same run.
//!
//! Both sides take turns (A B A B), the first turn of each is a warm-up and is thrown away. Figures are medians and
//! 99th percentiles with how many there were. Nothing here fails because it is slow: the table says met or not met.

mod cpu;
mod data;
mod echo;
mod figures;
mod proc;
mod processes;
mod sample;
mod slim;
mod table;

use anyhow::{Context as _, bail};
use data::Data;
use figures::{
    cli, confined, disk, fleet, growth, history, identity, idle, load, output, postern_run, round_trip, run,
    start, throughput, verdict, worst_case,
};
use std::path::PathBuf;
use table::Row;

/// Names of the figures, as they can be given on the command line.
const FIGURES: [&str; 16] = [
    "verdict", "worst-case", "round-trip", "throughput", "run", "confined", "postern-run", "output",
    "identity", "start", "idle", "history", "cli", "disk", "fleet", "load",
];

/// Those that are measured over the channels of one host.
const OVER_A_CHANNEL: [&str; 7] =
    ["round-trip", "throughput", "run", "confined", "postern-run", "output", "cli"];

/// Amount of measuring.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Turns of each side, besides the warm-up.
    pub(crate) turns: usize,
    /// Multiplies how much one turn does.
    pub(crate) size: usize,
    /// Rows of history that are prepared.
    pub(crate) history: usize,
}

const FULL: Effort = Effort { turns: 9, size: 10, history: 1_000_000 };
const QUICK: Effort = Effort { turns: 3, size: 1, history: 20_000 };

struct Options {
    effort: Effort,
    json: bool,
    /// File for a picture of the growth, which is drawn instead of the table.
    plot: Option<PathBuf>,
    figures: Vec<String>,
    postern: PathBuf,
    /// As it goes into sandboxes.
    postern_run: PathBuf,
}

impl Options {
    /// Returns true if a figure is to be measured: all are where none is named.
    fn wants(&self, figure: &str) -> bool {
        self.figures.is_empty() || self.figures.iter().any(|name| name == figure)
    }

    fn wants_any(&self, figures: &[&str]) -> bool {
        figures.iter().any(|figure| self.wants(figure))
    }
}

fn main() -> anyhow::Result<()> {
    let options = options(std::env::args().skip(1))?;
    if let Some(file) = &options.plot {
        let curves = growth::measure(&options.postern, options.effort)?;
        return Ok(std::fs::write(file, growth::draw(&curves))?);
    }
    let mut rows: Vec<Row> = Vec::new();
    if options.wants("verdict") {
        rows.extend(verdict::measure(options.effort)?);
    }
    if options.wants("worst-case") {
        rows.push(worst_case::measure(options.effort)?);
    }
    if options.wants_any(&FIGURES[2..]) {
        let data = Data::prepare(&options.postern, options.effort)?;
        if options.wants("history") {
            rows.extend(history::measure(&data, options.effort)?);
        }
        if options.wants_any(&OVER_A_CHANNEL) {
            rows.extend(over_a_channel(&options, &data)?);
        }
        rows.extend(over_the_data(&options, &data)?);
    }
    if options.json {
        table::print_json(&rows, options.effort);
    } else {
        table::print(&rows, options.effort);
    }
    Ok(())
}

/// Measures the figures that need one running host.
fn over_a_channel(options: &Options, data: &Data) -> anyhow::Result<Vec<Row>> {
    let (postern, effort) = (&options.postern, options.effort);
    let host = processes::Host::start(postern, data.folder())?;
    let mut rows = Vec::new();
    for figure in OVER_A_CHANNEL.into_iter().filter(|figure| options.wants(figure)) {
        let measured: Vec<Row> = match figure {
            "round-trip" => round_trip::measure(host.pid(), data, effort)?,
            "throughput" => throughput::measure(data, effort)?,
            "run" => run::measure(data, effort)?.into(),
            "confined" => confined::measure(data, effort)?.into(),
            "postern-run" => postern_run::measure(&options.postern_run, data, effort)?.into(),
            "output" => output::measure(host.pid(), data, effort)?.into(),
            "cli" => cli::measure(postern, data, effort)?,
            other => bail!("{other} is not measured over a channel"),
        };
        rows.extend(measured);
    }
    host.stop()?;
    Ok(rows)
}

/// Measures the figures that start hosts of their own, or none.
fn over_the_data(options: &Options, data: &Data) -> anyhow::Result<Vec<Row>> {
    let (postern, effort) = (&options.postern, options.effort);
    let mut rows = Vec::new();
    for figure in FIGURES.into_iter().filter(|figure| options.wants(figure)) {
        let measured: Vec<Row> = match figure {
            "identity" => identity::measure(postern, data, effort)?.into(),
            "start" => start::measure(postern, data, effort)?.into(),
            "idle" => idle::measure(postern, data, effort)?.into(),
            "disk" => vec![disk::measure(postern, data, effort)?],
            "fleet" => fleet::measure(postern, effort)?,
            "load" => load::measure(postern, data, effort)?.into(),
            _ => Vec::new(),
        };
        rows.extend(measured);
    }
    Ok(rows)
}

fn options(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Options> {
    let mut options = Options {
        effort: FULL,
        json: false,
        plot: None,
        figures: Vec::new(),
        postern: beside_this("postern")?,
        postern_run: PathBuf::from("target/sandbox/postern-run"),
    };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => options.effort = QUICK,
            "--json" => options.json = true,
            "--plot" => options.plot = Some(arguments.next().context("--plot needs a path")?.into()),
            "--postern" => options.postern = arguments.next().context("--postern needs a path")?.into(),
            "--postern-run" => {
                options.postern_run = arguments.next().context("--postern-run needs a path")?.into();
            }
            figure if FIGURES.contains(&figure) => options.figures.push(argument),
            other => bail!(
                "{other} is neither --quick, --json, --plot PATH, --postern PATH, --postern-run PATH nor one of {}",
                FIGURES.join(", ")
            ),
        }
    }
    Ok(options)
}

/// Returns the program of that name in this program's folder: it was built in the same way.
fn beside_this(name: &str) -> anyhow::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}
