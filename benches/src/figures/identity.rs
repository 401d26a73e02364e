//! Identity: the sha256 of a binary of 100 MiB that is new to Postern, against `openssl speed` for sha256; and of one that
//! is known.

use crate::Effort;
use crate::data::Data;
use crate::processes::printed;
use crate::sample::Sample;
use crate::table::{Row, times};
use anyhow::{Context as _, ensure};
use postern_host::identity::{Identities, sha256};
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

/// The size of the binary, in bytes.
const SIZE: usize = 100 << 20;
/// Goal for a known one.
const WARM: Duration = Duration::from_micros(20);
/// Look-ups of a known one.
const LOOK_UPS: usize = 2000;

pub(crate) fn measure(postern: &Path, data: &Data, effort: Effort) -> anyhow::Result<[Row; 2]> {
    Ok([cold(data, effort)?, warm(postern)?])
}

fn cold(data: &Data, effort: Effort) -> anyhow::Result<Row> {
    let path = data.folder().join("binary");
    std::fs::write(&path, (0..SIZE).map(|nth| (nth % 251).to_le_bytes()[0]).collect::<Vec<u8>>())?;
    let file = File::open(&path)?;
    let (mut ours, mut rival) = (Vec::new(), Vec::new());
    for _ in 0..=effort.turns {
        let begun = Instant::now();
        sha256(&file, SIZE as u64)?;
        ours.push(f64::from(u32::try_from(SIZE)?) / begun.elapsed().as_secs_f64());
        rival.push(openssl()?);
    }
    std::fs::remove_file(&path)?;
    let (ours, rival) = (best(&ours), best(&rival));
    let mebibytes = |bytes: f64| bytes / f64::from(1 << 20);
    Ok(Row {
        figure: "identity, new",
        measured: format!("{:.0} MiB a second", mebibytes(ours)),
        rival: format!("openssl speed {:.0} MiB a second", mebibytes(rival)),
        ratio: format!("{:.2} x", ours / rival),
        goal: ">= 0.9 x",
        met: ours >= 0.9 * rival,
    })
}

/// Bytes a second that OpenSSL hashes, by its own word.
fn openssl() -> anyhow::Result<f64> {
    let text = printed("openssl", &["speed", "-mr", "-seconds", "1", "-bytes", "131072", "-evp", "sha256"])?;
    let figure = text.lines().find_map(|line| line.strip_prefix("+F:")?.rsplit(':').next());
    Ok(figure.context("openssl speed prints no figure")?.parse()?)
}

/// Returns the best turn behind the warm-up: everything else that a machine does only takes away from it.
fn best(turns: &[f64]) -> f64 {
    turns.iter().skip(1).copied().fold(0.0, f64::max)
}

fn warm(program: &Path) -> anyhow::Result<Row> {
    let file = File::open(program)?;
    let known = Identities::new();
    ensure!(known.of(&file, program)?.settled, "{} was built a moment ago", program.display());
    let sample = Sample::of(LOOK_UPS, || known.of(&file, program).map(drop))?;
    Ok(Row::alone("identity, known", times(&sample), "<= 20 µs p50", sample.median() <= WARM))
}
